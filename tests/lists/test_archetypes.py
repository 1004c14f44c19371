"""Archetypes of runs, from files or dicts to the paper's Table 2."""

from __future__ import annotations

import cranfield as cf
from cranfield.experiments import EXPERIMENTS
from cranfield.lists.archetypes import archetypes, share_of_archetypes

QRELS = {"1": {"a": 1, "b": 1}, "2": {"a": 1, "b": 1}}


def test_each_run_and_topic_it_has() -> None:
    runs = {
        "returns": {"1": {"a": 3.0, "x": 2.0, "y": 1.5, "b": 1.0}, "2": {"a": 2.0, "b": 1.0}},
        "half": {"1": {"a": 3.0, "x": 2.0}},
    }
    table = archetypes(QRELS, runs)
    # a at rank 1, two others, b at rank 4: CRP 0 -1 -1 1, back from below after the recall base of
    # 2.
    assert table.rows() == [("returns", "1", "typical A"), ("returns", "2", "ideal"), ("half", "1", "typical B")]
    share = share_of_archetypes(table)
    assert share["rankings"].sum() == 3
    assert share["share"].sum() == 1
    assert cf.archetypes(QRELS, runs).equals(table)


def test_where_nothing_is_relevant_there_is_no_archetype() -> None:
    """Nothing can be missed or misplaced there, so that shares are of the other topics."""
    runs = {"good": {"1": {"a": 2.0, "b": 1.0}, "3": {"x": 1.0}}, "lost": {"3": {"x": 1.0}}}
    qrels = {**QRELS, "3": {"x": 0}}
    assert archetypes(qrels, runs).rows() == [("good", "1", "ideal")]
    found = EXPERIMENTS["archetypes"](cf.join(qrels, runs))
    assert [share for _, _, share in found["shares"].rows() if share] == [1.0]
    assert found["figures"]["rankings"].unique().to_list() == [1]
    assert found.notes == ("left out, as nothing is relevant there: 1 topic (3)",)
