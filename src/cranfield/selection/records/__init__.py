"""Judgments as records: events that are only ever added, the log that holds them, and what follows from them.

Library, server, sheets and tracks share one state machine, `Records`. `Records.append` refuses an event or notes it,
and looks anew at the documents that it concerns: who judged, holds or found each (`DocumentState`), and its grade.
From these follow what is leased next, what of the budget is left, qrels, and what the session hears. The session, a
`Judging`, adds up what it hears, weighs what is open, and knows nothing of people. A judging task is records with
acts besides (`app/judging`), a sheet gives events back, and a track reads the log.
"""

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
