"""Moffat, Webber and Zobel (2007): what to judge next, and how sure of the runs one is by then."""

from __future__ import annotations

from functools import partial
from typing import Final

from cranfield.plumbing.lazy import pl
from cranfield.reproductions.claims import ClaimSetting, at_least
from cranfield.reproductions.paper import Paper
from cranfield.reproductions.study import Study, StudyFindings

SESSION_METHODS: Final = ("pool", "A", "B", "C")
POWERS: Final = ("C1", "C2")
"""Method C with other powers than 3."""
PER_TOPIC: Final = (20, 40, 100, 200, 400)
"""1,000, 2,000, 5,000, 10,000 and 20,000 judgments for the paper's 50 topics."""
FIVE: Final = PER_TOPIC[2]
TEN: Final = PER_TOPIC[3]
RENEWED: Final = 20
"""After how many judgments weights are renewed, where there is no time to do so after each."""
_EVERY: Final = f"the weights of documents are renewed after each judgment instead of after {RENEWED}"
PERSISTENCES: Final = (0.5, 0.8, 0.95)

SAME_SESSIONS: Final = "Sessions and budgets as in Figure 1."
_SIZE: Final = (at_least(6, "runs"), at_least(2, "topics"))
DATA: Final = "129 runs of TREC-8, 50 topics; qrels of a pool 100 deep, 86,830 judgments"
"""What the paper's figures and tables are of."""
ONE_SESSION: Final = "one session of each method on these topics, which share its budget, so topics are not resampled"
ANSWERED: Final = 0.85
"""In the paper's sessions the qrels know .86 to 1 of the documents that a method asks for."""


def sessions(study: Study) -> StudyFindings:
    """Judge by each method, as far as the largest budget goes."""
    return study.experiment(
        "judging",
        methods=(*SESSION_METHODS, *POWERS),
        budgets=tuple(budget(study, each) for each in PER_TOPIC),
        renew_every=1 if study.full else RENEWED,
    )


def budget(study: Study, per_topic: int) -> int:
    """Return how many judgments those of a topic are for all."""
    return per_topic * study.counts["topics"]


def answered(study: Study) -> str | None:
    """Say that the qrels do not know what the methods ask for, where that is so."""
    rows = sessions(study)["relevant"].filter(missing="bypassed", budget=budget(study, FIVE))
    rows = rows.filter(pl.col("method").is_in(SESSION_METHODS))
    asked, known = rows["considered"].to_numpy(), rows["judged"].to_numpy()
    share = float((known / asked.clip(1)).min()) if len(asked) else 0.0
    least, there = (f"{100 * of:.0f}%" for of in (ANSWERED, share))
    if share >= ANSWERED:
        return None
    return f"This needs qrels that judge {least} of the documents that a method asks for; these judge {there}."


CAMPAIGN: Final = ClaimSetting(runs=100, topics=20, depth=1000, pool=100)
"""The same judgments of a topic go the deeper, the fewer runs there are; over 100 runs, as the abstract says."""

PAPER: Final = Paper(
    "targeted-judgments",
    "Strategic system comparisons via targeted relevance judgments",
    "Moffat, Webber and Zobel (2007), SIGIR",
    conditions=DATA,
    of=CAMPAIGN,
    needs=(answered,),
)
of_sessions: Final = partial(PAPER.item, needs=_SIZE, longer=_EVERY)
"""Declares an item that sessions are held for."""


def method_name(name: str) -> str:
    """Write a method as the paper does."""
    return "pooling" if name == "pool" else f"Method {name}"
