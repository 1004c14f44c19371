"""Judgments as records: events that are only ever added, the log that holds them, and what follows from them."""

from cranfield.selection.records.events import (
    Amended,
    Event,
    Expired,
    Judged,
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
    "Amended",
    "Event",
    "Expired",
    "Held",
    "Judged",
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
