"""Measures of sets, at every prefix in one pass."""

from __future__ import annotations

import pytest

import cranfield as cf
from cranfield.judged.rankings import one_ranking


@pytest.mark.parametrize(
    "measure",
    ["SetP", "SetP(relative=True)", "SetRelP", "SetR", "SetF", "SetF(beta=0)", "SetF(beta=3)", "SetAP", "Utility",
     "Utility(a=2,b=-1,c=-3,d=1,docs=40)", "SetP(rel=2)", "SetF(judged_only=True)", "SetR(judged_only=True,rel=2)"],
)  # fmt: skip
def test_sets_by_prefix_are_those_of_the_cut_lists(measure: str) -> None:
    [asked] = cf.parse_measures(measure)
    for ranking, unretrieved in (
        ([1, None, 0, 2, None, 1], [2, 0]),
        ([None, None], [1]),
        ([0, -1, 0], []),
        ([], [1]),
        ([2, 2], []),
    ):
        rankings = one_ranking(ranking, unretrieved)
        cut = [asked.score(rankings.cut(k))[0] for k in range(len(ranking) + 1)]
        assert asked.by_prefix(rankings)[0].tolist() == cut
