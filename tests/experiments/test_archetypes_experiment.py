"""The archetypes of a study: all rankings counted, by run and over all."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from cranfield import join
from cranfield.experiments.archetypes import archetypes


def test_topics_that_a_run_lacks_are_not_counted() -> None:
    qrels = {"1": {"a": 1, "b": 1}, "2": {"a": 1}}
    runs = {
        "whole": {"1": {"a": 2.0, "b": 1.0}, "2": {"x": 3.0, "y": 2.0, "a": 1.0}},  # CRP 0 0, and -1 -1 1
        "half": {"2": {"x": 1.0}},
    }
    found = archetypes(join(qrels, runs))
    shares = {kind: (count, share) for kind, count, share in found["shares"].rows() if count}
    assert shares == {"ideal": (1, 1 / 3), "typical A": (1, 1 / 3), "worst": (1, 1 / 3)}
    assert found["runs"].select("run", "ideal", "typical A", "worst").rows() == [("whole", 1, 1, 0), ("half", 0, 0, 1)]
    assert found["rankings"].rows() == [("whole", "1", "ideal"), ("whole", "2", "typical A"), ("half", "2", "worst")]


def test_the_length_can_make_the_difference() -> None:
    # a first, then nothing, b at rank 5: within 4 ranks the list never recovers.
    runs = join({"1": {"a": 1, "b": 1}}, {"late": {"1": dict(zip("axyzb", range(9, 0, -1), strict=False))}})
    kinds = {n: archetypes(runs, n=n)["rankings"]["archetype"].item() for n in (4, 1000)}
    assert kinds == {4: "typical B", 1000: "typical A"}


def test_trec8_looks_like_the_collections_of_the_paper(data: Path) -> None:
    """Its Table 2: 60 to 84 % typical A and 13 to 31 % typical B, hardly anything else but a few worst."""
    found = archetypes(join(data / "trec8-adhoc" / "qrels.txt", data / "trec8-adhoc" / "runs"))
    shares = dict(found["shares"].select("archetype", "rankings").rows())
    assert sum(shares.values()) == 15 * 50
    assert shares["typical A"] / 750 == pytest.approx(0.875, abs=0.0005)
    assert shares["typical B"] / 750 == pytest.approx(0.121, abs=0.0005)
    assert shares["worst"] + shares["ideal"] == 3
    by_run = found["runs"].select(pl.sum_horizontal(pl.exclude("run")).alias("topics"))
    assert by_run["topics"].to_list() == [50] * 15
