"""Archetypes of runs, from files or dicts to the paper's Table 2."""

from __future__ import annotations

import cranfield as cf
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
