"""Judgments as records: events that are only ever added, the log that holds them, and what follows from them."""

from cranfield.selection.records.arrangement import Arrangement
from cranfield.selection.records.events import (
    Added,
    Amended,
    Assessed,
    Changed,
    Event,
    Expired,
    Found,
    Leased,
    Rationale,
    Released,
    Retracted,
    in_order,
    merge,
)
from cranfield.selection.records.log import Log
from cranfield.selection.records.policies import POLICIES, Policy
from cranfield.selection.records.view import Held, Records

__all__ = [
    "POLICIES",
    "Added",
    "Amended",
    "Arrangement",
    "Assessed",
    "Changed",
    "Event",
    "Expired",
    "Found",
    "Held",
    "Leased",
    "Log",
    "Policy",
    "Rationale",
    "Records",
    "Released",
    "Retracted",
    "in_order",
    "merge",
]
