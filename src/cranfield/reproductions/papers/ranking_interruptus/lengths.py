"""Figure 2: where lists should end, by each measure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, product
from typing import Final

import numpy as np

from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.lazy import pl
from cranfield.reports.elements import Block, Folded, Words
from cranfield.reproductions.claim_estimates import drawn, estimated, mean_of, share_of
from cranfield.reproductions.claims import ClaimPart, beside, level
from cranfield.reproductions.papers.ranking_interruptus import (
    CASCADES,
    CUTTING,
    DATA,
    NINE,
    PAPER,
    RBPUS,
    TERMINAL,
    UTILITIES,
    cut_lists,
)  # fmt: skip
from cranfield.reproductions.study import Study

_SHARE: Final = "share of the runs whose best list does, averaged over topics; t interval"
_LENGTH: Final = pl.col("length")

EARLY: Final = PAPER.claim(
    "for many cases (about 50%), the optimal truncation point is well before position 100",
    where="section 4.2, Figure 2, of all but the terminal measures", estimand=_SHARE,
    asks="above .45 by each measure but the terminal ones", above=0.45, digits=1, percent=True,
)  # fmt: skip
EMPTY: Final = PAPER.claim(
    "this happens for a percentage between 20% and 30% of cases",
    where="section 4.2, Figure 2, of empty lists by utilities", estimand=_SHARE,
    asks="by each utility it is from .2 to .3, as rounded", above=0.195, below=0.305, digits=1, percent=True,
)  # fmt: skip
MIDDLE: Final = PAPER.claim(
    "OIE has an intermediate behavior, completely leaving out about 10% of the rankings.",
    where="section 4.2, Figure 2", estimand=_SHARE, asks="from .05 to .15, and below the mean of the utilities",
)  # fmt: skip
STRONG: Final = PAPER.claim(
    "ERRU and RBU tend to reward strong ranking truncations", where="section 4.2, Figure 2",
    estimand="share of best lists of 1 to 4 documents, mean of ERRU and RBU, minus that of another measure: mean over "
    "topics, t interval",
    asks="above 0 for each other measure", above=0, digits=0, percent=True,
)  # fmt: skip
WEAK: Final = PAPER.claim(
    "the terminal document based metrics ERRT and NDCGT tend to reward weak truncations, or even no truncation at all",
    where="section 4.2, Figure 2",
    estimand="length of the best list as a share of the whole one, by ERRT and by NDCGT, minus that by another measure "
    "without a terminal document, mean over runs and topics; t interval over topics",
    asks="above 0 for both and each other measure", above=0, digits=0, percent=True,
)  # fmt: skip
SENSITIVE: Final = PAPER.claim(
    "The optimal truncation of RBPT is highly sensitive to the p parameter.", where="section 4.2, Figure 2",
    conditions=f"{DATA}; p = .8, .9 and .98",
    estimand="difference of log2(1 + length) between p = .98 and p = .8, mean over runs and topics, by RBPT minus that "
    "by RBPU, and minus that by RBU; t interval over topics",
    asks="above 0 for both", above=0,
)  # fmt: skip
_BETWEEN: Final = PAPER.claim(
    "OIE concentrates most of optimal ranking lengths between positions 33 and 128, and F-measure between positions 33 "
    "and 264.",
    where="section 4.2, Figure 2", estimand=_SHARE,
    asks="above .5 for both (of F to rank 256, where the figure's interval ends)",
    above=0.5, digits=1, percent=True,
)  # fmt: skip
VARIED: Final = PAPER.claim(
    "Flat Utility and the RBPU utility based variants show a higher variability of optimal ranking lengths",
    where="section 4.2, Figure 2",
    estimand="standard deviation of log2(1 + length) over runs and topics, minus that by OIE, and by F; percentiles of "
    "drawn topics",
    asks="above 0 for each", above=0,
)  # fmt: skip


@PAPER.item("Figure 2", "How long optimal lists are", at=4.2, by=NINE)
def figure_2(study: Study) -> Iterator[Block]:
    """Cut all lists where each measure would have them end."""
    found = study.experiment("truncation", everywhere=True)
    yield found.picture("optimal-length")
    lists = cut_lists(study).with_columns(log=(1 + _LENGTH).log(2), kept=_LENGTH / pl.col("retrieved").clip(1))
    early = _by_topic(lists, _LENGTH < 100)
    empty = _by_topic(lists, _LENGTH == 0)
    others = [measure for measure in CUTTING if measure not in TERMINAL]
    yield EARLY.told(study, estimated(share_of, {name: early[name] for name in others}))
    yield EMPTY.told(study, estimated(share_of, {name: empty[name] for name in UTILITIES}))
    relevant = study.panel("NumRelRet").values[0]
    yield Words.of(
        "By definition F and terminal documents never leave a list empty that holds something relevant. Where "
        f"it holds nothing, all lengths score 0 and the shortest counts: {100 * (relevant == 0).mean():.1f}% "
        "of the lists here hold nothing relevant."
    )
    utilities = np.mean([empty[name] for name in UTILITIES], axis=0)
    # The parts of this claim have limits of their own; their intervals hold together all the same.
    oie, less = share_of(empty["OIE"], level(2)), mean_of(utilities - empty["OIE"], level(2))
    yield MIDDLE.told(
        study,
        [
            ClaimPart("OIE", oie, above=0.05, below=0.15, percent=True, digits=1),
            ClaimPart("utilities minus OIE", less, above=0, percent=True, digits=1),
        ],
    )
    short = _by_topic(lists, _LENGTH.is_between(1, 4))
    cascades = np.mean([short[name] for name in CASCADES], axis=0)
    rest = [measure for measure in CUTTING if measure not in CASCADES]
    yield STRONG.told(study, estimated(mean_of, {f"minus {name}": cascades - short[name] for name in rest}))
    yield beside(
        "By ERRU and RBU 30% of the lists end at positions 1 to 4.",
        {name: f"{100 * np.nanmean(short[name]):.0f}%" for name in CASCADES},
    )
    kept = _by_topic(lists, pl.col("kept"))
    weak = {f"{one} minus {other}": kept[one] - kept[other] for one in ("ERRT", "NDCGT") for other in others}
    yield WEAK.told(study, estimated(mean_of, weak))
    log = _by_topic(lists, pl.col("log"))
    longer = {kind: log[f"{kind}(p=0.98)"] - log[f"{kind}(p=0.8)"] for kind in ("RBPT", "RBPU", "RBU")}
    more = {f"RBPT minus {kind}": longer["RBPT"] - longer[kind] for kind in ("RBPU", "RBU")}
    yield SENSITIVE.told(study, estimated(mean_of, more), f"By RBPT it is {np.nanmean(longer['RBPT']):.2f}.")
    within = {
        name: _by_topic(lists, _LENGTH.is_between(33, last))[name] for name, last in (("OIE", 128), ("SetF", 256))
    }
    yield _BETWEEN.told(study, estimated(share_of, within))
    both = [*product(("FlatUtility", *RBPUS), ("OIE", "SetF"))]
    moments = {name: _moments(lists.filter(measure=name)) for name in {*chain(*both)}}
    differences = drawn(
        lambda counts: np.array(
            [_spread(moments[one], counts) - _spread(moments[other], counts) for one, other in both]
        ),
        len(moments["OIE"]),
        level(len(both)),
    )
    yield VARIED.told(study, {f"{a} minus {b}": of for (a, b), of in zip(both, differences, strict=True)})
    yield found.table("summary")
    yield Folded("Lengths by interval", (found.table("intervals"),))


def _by_topic(lists: pl.DataFrame, of: pl.Expr) -> dict[str, Floats]:
    """Return the mean of something over the runs on each topic, measure by measure."""
    by = lists.group_by("measure", "topic").agg(of.mean().cast(pl.Float64).alias("mean")).sort("topic")
    return {str(name): rows["mean"].to_numpy() for (name,), rows in by.group_by("measure", maintain_order=True)}


def _moments(lists: pl.DataFrame) -> Floats:
    """Return how many lists each topic has, the sum of their logarithms, and of the squares: shape (topics, 3)."""
    log = pl.col("log")
    by = lists.group_by("topic").agg(pl.len().cast(pl.Float64).alias("n"), log.sum().alias("sum"), (log**2).sum())
    return np.asarray(by.sort("topic").drop("topic").to_numpy(), dtype=np.float64)


def _spread(moments: Floats, counts: Floats) -> Floats:
    """Return the standard deviation of the logarithms of drawn topics, draw by draw."""
    n, total, squares = (counts @ moments).T
    return np.asarray(np.sqrt(np.maximum(squares / n - (total / n) ** 2, 0)))
