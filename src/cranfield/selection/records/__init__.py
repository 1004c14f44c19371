"""Judgments as records: events that are only ever added, the log that holds them, and what follows from them.

Library, server, sheets and tracks share one state machine, `Records`. `Records.append` refuses an event or notes it,
and looks anew at the documents that it concerns: who judged, holds or found each (`DocumentState`), and its grade.
From these follow, each in one place, what the documents' grades are (`last_grades`, by a policy), what is undecided,
who has what (`who_has`) and whether it `lacks` judgments, what is leased next, how many judgments are `made`, and
what of the budget is left. A judging task is records with acts besides (`app/judging`), a sheet gives events back,
and a track reads the log.

The session, a `Judging`, is no second such machine and stays apart: it adds up one grade a document, weighs what is
open, and knows nothing of people, time or leases, so that experiments judge by the thousand without them. What both
need (a document is skipped, held, among those to be judged) is kept by the session alone, and told it by `Records`.
Its `skip` is the grade None of records, that a document cannot be judged; who skips one in a task leaves it to others.
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
