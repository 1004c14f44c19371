"""Every number that a public function takes: whatever is given for it, it works or is refused in words."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from tools.correlated import bootstrap_correlation
from tools.each import each_of

import cranfield as cf

QRELS = {str(topic): {f"d{i}": int(i % 3 == topic % 3) * (1 + i % 2) for i in range(8)} for topic in range(4)}
RUNS = {
    name: {str(topic): {f"d{(i * step + topic) % 11}": 10.0 - i for i in range(7)} for topic in range(4)}
    for name, step in {"a": 1, "b": 3, "c": 5}.items()
}
JOINED = cf.join(QRELS, RUNS)
SCORES = cf.evaluate(JOINED, None, ["AP", "P@3"])
CANDIDATES = cf.Candidates.gather(RUNS)
SAMPLE = cf.uniform_sample(CANDIDATES, 2)
SMALL: dict[str, Any] = {"systems": 4, "topics": 2, "depth": 100}


def curves() -> cf.Curves:
    return cf.curve(JOINED, measure="CG", last_rank=5)


def judging(**given: Any) -> cf.Judging:
    return cf.Judging(CANDIDATES, method="A", **given)


READ = ("depth", "rel", "workers")
TESTED = ("alpha", "level", "margin", "power", "worthwhile", "seed")
FUNCTIONS: dict[str, tuple[Callable[..., object], tuple[str, ...]]] = {
    "evaluate": (lambda **given: cf.evaluate(QRELS, RUNS, "AP", **given), READ),
    "join": (lambda **given: cf.join(QRELS, RUNS, **given), READ),
    "curve": (lambda **given: cf.curve(QRELS, RUNS, "nDCG", **given), ("last_rank", *READ)),
    "rank_reaching": (lambda **given: curves().rank_reaching(**{"after": 1, **given}), ("after",)),
    "compare": (lambda **given: cf.compare(QRELS, RUNS, "AP", **given), (*TESTED, *READ)),
    "compare_scores": (lambda **given: cf.compare_scores(SCORES, **given), (*TESTED, "resamples")),
    "cut": (lambda **given: cf.cut(RUNS, **given), ("at", "score")),
    "cut, learned": (lambda **given: cf.cut(RUNS, learned="AP", qrels=QRELS, **given), ("folds", "seed")),
    "archetypes": (lambda **given: cf.archetypes(QRELS, RUNS, **given), ("n", "rel")),
    "agreement": (lambda **given: cf.agreement({"x": QRELS, "y": QRELS}, **given), ("rel",)),
    "overlap_of_runs": (lambda **given: cf.overlap_of_runs(RUNS, **given), ("p", "depth")),
    "correlate": (lambda **given: cf.correlate(SCORES, kind="rbo", **given), ("p",)),
    "plan_topics": (
        lambda **given: cf.plan_topics(SCORES, **{"difference": 0.1, **given}),
        ("difference", "systems", "width", "power", "alpha"),
    ),
    "simulate": (lambda **given: cf.simulate(**{**SMALL, **given}), (*SMALL, "seed", "pool_depth", "top_grade")),
    "gather": (lambda **given: cf.Candidates.gather(RUNS, **given), ("depth",)),
    "Judging": (judging, ("top_grade", "renew_every", "seed")),
    "next": (lambda n: judging().next(n), ("n",)),
    "plan": (lambda n: judging().plan(n), ("n",)),
    "next_audit": (lambda n: judging().next_audit(n), ("n",)),
    "audit_due": (lambda **given: judging().audit_due(**{"n": 5, "share": 0.2, **given}), ("n", "share")),
    "relevant_left": (lambda level: judging().status().relevant_left(level), ("level",)),
    "undo": (lambda n: judging().undo(n), ("n",)),
    "record": (lambda grade: judging().record("0", "d1", grade), ("grade",)),
    "status": (lambda decisive: judging().status(decisive=decisive), ("decisive",)),
    "uniform_sample": (
        lambda **given: cf.uniform_sample(CANDIDATES, **{"per_topic": 2, **given}),
        ("per_topic", "seed"),
    ),
    "stratified_sample": (
        lambda **given: cf.stratified_sample(CANDIDATES, **{"per_topic": 9, **given}),
        ("per_topic", "seed", "depths", "shares"),
    ),
    "proportional_sample": (
        lambda **given: cf.proportional_sample(CANDIDATES, **{"per_topic": 2, **given}),
        ("per_topic", "seed"),
    ),
    "estimate": (lambda **given: cf.estimate(CANDIDATES, SAMPLE, QRELS, "P@3", **given), ("level", "top_grade", "rel")),
    "rbo": (lambda **given: cf.rbo("abc", "acb", **given), ("p", "ties")),
    "kendall_tau": (lambda **given: cf.kendall_tau([1, 2, 3], [3, 1, 2], **given), ("variant",)),
    "tau_ap": (lambda **given: cf.tau_ap([1, 2, 3], [3, 1, 2], **given), ("direction",)),
    "cohen_kappa": (lambda **given: cf.cohen_kappa([1, 2, 3], [3, 1, 2], **given), ("weights",)),
    "krippendorff_alpha": (lambda **given: cf.krippendorff_alpha([[1, 2, 3], [3, 1, 2]], **given), ("level",)),
    "bootstrap": (
        lambda **given: bootstrap_correlation(SCORES.values[0], SCORES.values[1], **{"resamples": 9, **given}),
        ("resamples", "seed", "level"),
    ),
}
GIVEN: list[Any] = [-1, 0, 2.5, math.nan, math.inf, 1e20, 10**400, "x", b"x", None, True, [1], {}]


@each_of("name", FUNCTIONS)
def test_whatever_is_given_works_or_is_refused_in_words(name: str) -> None:
    function, numbers = FUNCTIONS[name]
    for number in numbers:
        for value in GIVEN:
            try:
                function(**{number: value})
            except (cf.InputError, cf.MeasureError) as error:
                assert str(error), (number, value)


@pytest.mark.parametrize("name", [name for name, (_, numbers) in FUNCTIONS.items() if "seed" in numbers])
def test_a_seed_below_0_is_refused_by_its_name(name: str) -> None:
    with pytest.raises(cf.InputError, match=r"seed must be .*at least 0, not -1"):
        FUNCTIONS[name][0](seed=-1)
