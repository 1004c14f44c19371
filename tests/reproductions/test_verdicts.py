"""Verdicts on claims: on each side of the line and across it; what a claim must say; and the intervals behind them."""

from __future__ import annotations

import re
from itertools import product
from math import inf
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, ttest_1samp

import cranfield as cf
from cranfield.reports.elements import Statement, unfolded
from cranfield.reproductions import PAPERS, papers
from cranfield.reproductions.claim_estimates import drawn, mean_of, share_of, tau_by_topic, tau_difference, tau_of
from cranfield.reproductions.claims import (
    FAILS,
    HOLDS,
    OPEN,
    VERDICTS,
    Claim,
    ClaimPart,
    ClaimSetting,
    Estimate,
    at_least,
    level,
    verdict,
)
from cranfield.reproductions.study import Study

RNG = np.random.default_rng(7)
LINE = 0.5


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.6, 0.7, HOLDS),
        (0.51, 0.52, HOLDS),
        (0.3, 0.4, FAILS),
        (0.4, 0.6, OPEN),
        (0.5, 0.6, OPEN),  # touches the line
        (0.4, 0.5, OPEN),
        (0.5, 0.5, OPEN),
        (-inf, inf, OPEN),  # no interval
    ],
)
def test_one_line_from_either_side(low: float, high: float, expected: str) -> None:
    value = 0.7 if expected == OPEN else (low + high) / 2  # above the line, and of no consequence
    assert ClaimPart("x", Estimate(value, low, high), above=LINE).verdict == expected
    assert ClaimPart("x", Estimate(-value, -high, -low), below=-LINE).verdict == expected


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0.22, 0.28, HOLDS), (0.1, 0.15, FAILS), (0.35, 0.4, FAILS), (0.15, 0.25, OPEN), (0.25, 0.35, OPEN), (0, 1, OPEN)],
)
def test_between_two_lines(low: float, high: float, expected: str) -> None:
    """About 10% does not hold at 3.5%: a claim of a size has two sides."""
    assert ClaimPart("x", Estimate(0.25, low, high), above=0.2, below=0.3).verdict == expected


def test_all_parts_must_hold_and_one_is_enough_against() -> None:
    above, below, across = (ClaimPart("x", Estimate(0, *ends), above=0) for ends in ((1, 2), (-2, -1), (-1, 1)))
    for parts in product((above, below, across), repeat=3):
        told = verdict(parts)
        assert (told == HOLDS) == (parts == (above,) * 3)
        assert (told == FAILS) == (below in parts)
    assert verdict([]) == OPEN


@given(st.floats(-1, 1), st.floats(0, 1), st.floats(0.001, 1), st.floats(-1, 1))
def test_a_wider_interval_tells_no_more(value: float, half: float, more: float, line: float) -> None:
    narrow, wide = (
        ClaimPart("x", Estimate(value, value - by, value + by), above=line).verdict for by in (half, half + more)
    )
    assert wide in {narrow, OPEN}


def claim(**changed: object) -> Claim:
    words = dict.fromkeys(("words", "where", "conditions", "estimand", "asks"), "x")
    return Claim(**{**words, "of": ClaimSetting(), **changed})  # type: ignore[arg-type]


SMALL = Study({"qrels": cf.join({"1": {"a": 1}}, {"r": {"1": ["a", "x"]}})})
SURE = [ClaimPart("x", Estimate(0.7, 0.6, 0.8), above=LINE, digits=1)]


def test_what_is_needed_comes_before_a_verdict() -> None:
    assert claim().told(SMALL, SURE).verdict == HOLDS
    assert claim(of=ClaimSetting(runs=1, topics=1, depth=2, pool=1)).told(SMALL, SURE).verdict == HOLDS
    told = claim(of=ClaimSetting(topics=5, depth=3, pool=2), needs=(at_least(2, "grades"),)).told(SMALL, SURE)
    assert told.verdict == OPEN
    assert told.found == (
        "This needs at least 5 topics; there is 1. This needs lists of 3 documents; half of those here have 2 or "
        "fewer. This needs lists judged to rank 2; half of those here are judged to rank 1 or less. This needs at "
        "least 2 grades of relevance; there is 1. x 0.7 [0.6, 0.8]."
    )


def test_what_may_be_is_not_refuted_by_not_being_found() -> None:
    none, one = ([ClaimPart("pairs", Estimate.counted(n), above=0, digits=0)] for n in (-1, 1))
    assert [claim(may=may).told(SMALL, none).verdict for may in (False, True)] == [FAILS, OPEN]
    assert claim(may=True).told(SMALL, one).verdict == HOLDS


def test_a_number_without_an_interval_says_so() -> None:
    told = claim().told(SMALL, [ClaimPart("share", Estimate(0.9), above=LINE)])
    assert (told.verdict, told.found) == (
        OPEN, "share 0.90. These numbers have no interval of known coverage.",
    )  # fmt: skip


def test_every_claim_is_whole() -> None:
    for paper in PAPERS.values():
        assert len({(each.words, each.where) for each in paper.claims}) == len(paper.claims)
        for each in paper.claims:
            texts = (each.words, each.where, each.conditions, each.estimand, each.asks)
            assert all(text and text == text.strip() for text in texts), each
            assert len(each.words.split()) >= 5, each.words  # a quotation, not a headline


def test_a_paper_is_a_folder_that_registers_itself() -> None:
    folder = Path(papers.__file__).parent
    assert {path.name.replace("_", "-") for path in folder.iterdir() if (path / "__init__.py").exists()} == {*PAPERS}
    for path in folder.rglob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 400, path.name


SEARCHED = {"ranking-interruptus": "Table 1"}
"""Items that take seconds, whatever the runs."""


@pytest.mark.parametrize("name", PAPERS)
def test_each_claim_is_told_once_and_nothing_else_has_a_verdict(name: str, campaign: Path) -> None:
    study = Study({"qrels": cf.join(campaign / "qrels.txt", campaign / "runs")})
    told = [
        block
        for item in PAPERS[name].items
        if item.label != SEARCHED.get(name) and item.lack(study) is None
        for block in unfolded(list(item.writer(study)))
        if isinstance(block, Statement)
    ]
    with_verdict = [each for each in told if each.verdict]
    assert {each.verdict for each in with_verdict} <= {*VERDICTS}
    assert sorted((each.claimed, each.by[0][1]) for each in with_verdict) == sorted(
        (each.words, each.where) for each in PAPERS[name].claims
    )
    assert all(not each.by for each in told if not each.verdict)
    for each in with_verdict:  # eight topics, a few runs: little can be told, and nothing without an interval
        assert each.verdict == OPEN or "[" in each.found or "count" in dict(each.by)["Estimated"], each


def test_means_and_shares_beside_scipy() -> None:
    values = RNG.random(12)
    found, theirs = mean_of([*values, np.nan], 0.9), ttest_1samp(values, 0).confidence_interval(0.9)
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high))
    assert mean_of([]) == Estimate(0.0)
    rare = share_of([0.0] * 19 + [0.2])
    assert rare.low == 0
    assert rare.high > rare.value
    none = share_of([0.0] * 20)
    assert none.high == pytest.approx(1 - 0.05 ** (1 / 20))  # .95^... : 20 topics with a chance of so much all have 0
    assert (1 - none.high) ** 20 == pytest.approx(0.05)


def test_correlations_beside_scipy() -> None:
    x, y, z = RNG.random((3, 6, 15))
    means = [each.mean(axis=1) for each in (x, y, z)]
    tau = tau_of(x, y)
    assert tau.value == pytest.approx(kendalltau(means[0], means[1]).statistic)
    assert -1 <= tau.low <= tau.value <= tau.high <= 1
    difference = tau_difference((x, y), (x, z))
    assert difference.value == pytest.approx(tau.value - kendalltau(means[0], means[2]).statistic)
    assert tau_difference((x, y), (x, y)) == Estimate(0.0, 0.0, 0.0)
    by_topic = tau_by_topic(x, y)
    assert by_topic == pytest.approx([kendalltau(x[:, t], y[:, t]).statistic for t in range(15)])
    assert np.isnan(tau_by_topic(np.ones((3, 1)), x[:3, :1])).all()


def test_percentiles_of_drawn_topics_are_those_of_a_slow_loop() -> None:
    from cranfield.plumbing.options import SEED
    from cranfield.reproductions.claim_estimates import CLAIM_DRAWS
    from cranfield.statistics.bootstrap import resampled_topics

    values = RNG.random(9)
    [found] = drawn(lambda counts: counts @ values / counts.sum(axis=1), 9, 0.9)
    slow = [values[topics].mean() for topics in resampled_topics(9, CLAIM_DRAWS, SEED)]
    assert found.value == pytest.approx(values.mean())
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(slow, (0.05, 0.95))))
    assert drawn(lambda counts: counts @ values[:3], 3)[0].low == -inf  # too few


def test_intervals_of_parts_hold_together() -> None:
    """Bonferroni: k intervals that miss in .05/k each miss together in .05 at the most."""
    assert [round(k * (1 - level(k)), 12) for k in (1, 2, 9)] == [0.05] * 3


def test_the_list_of_verdicts_is_that_of_the_registry() -> None:
    """The page of claims and the pages of the papers are written from one list, which has each claim once."""
    docs = Path(__file__).parents[2] / "docs"
    rows = pl.read_csv(docs / "reproduced" / "claims.csv")
    page = (docs / "claims.md").read_text(encoding="utf-8")
    for name, paper in PAPERS.items():
        of_paper = rows.filter(paper=name)
        listed = set(of_paper.select("claim", "where", "conditions", "presupposed", "estimand", "asked").rows())
        assert listed == {(c.words, c.where, c.conditions, str(c.of), c.estimand, c.asks) for c in paper.claims}
        assert not of_paper.select("claim", "where", "collection").is_duplicated().any()
        own = " ".join((docs / "reproduced" / f"{name}.md").read_text(encoding="utf-8").split())
        for words, told in of_paper.select("claim", "verdict").iter_rows():
            assert told in VERDICTS
            assert " ".join(words.replace("[", r"\[").replace("]", r"\]").split()) in own
            assert re.sub(r"[|\[\]]", r"\\\g<0>", words) in page
