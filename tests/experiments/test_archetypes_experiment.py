"""The archetypes of a study: all rankings counted, by run and over all."""

from __future__ import annotations

import polars as pl
import pytest
from tools.real_runs import Joined

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


def test_trec8_looks_like_the_collections_of_the_paper(joined: Joined) -> None:
    """Its Table 2: 60 to 84% typical A and 13 to 31% typical B, hardly anything else but a few worst."""
    found = archetypes(joined("trec8-adhoc"))
    shares = dict(found["shares"].select("archetype", "rankings").rows())
    assert sum(shares.values()) == 15 * 50
    assert shares["typical A"] / 750 == pytest.approx(0.875, abs=0.0005)
    assert shares["typical B"] / 750 == pytest.approx(0.121, abs=0.0005)
    assert shares["worst"] + shares["ideal"] == 3
    by_run = found["runs"].select(pl.sum_horizontal(pl.exclude("run")).alias("topics"))
    assert by_run["topics"].to_list() == [50] * 15


GRADE = {"a": 3, "b": 2, "c": 1}
LISTS = {
    "worst": "xyz",
    "ideal": "abc",
    "full scale": "vwxcba",
    "excellent or ups-and-downs": "bac",  # ideal 3 2 1: CRP -1 0 0
    "typical A": "axxxbc",  # CRP 0 -2 -3 -3 0: regained at rank 5
    "typical B": "axx",
}


def test_figures_4_to_6_of_the_paper() -> None:
    """One list of each archetype, R = 3, N = 6 (the full-scale run is 0 0 0 1 2 3)."""
    runs = {
        kind: {"1": {f"{d}{d if d in GRADE else i}": -i for i, d in enumerate(some)}} for kind, some in LISTS.items()
    }
    joined = join({"1": {d * 2: grade for d, grade in GRADE.items()}, "2": {"x": 0}}, runs)
    found = archetypes(joined, n=6)
    assert found["rankings"]["archetype"].to_list() == list(LISTS)
    table = found["figures"]
    assert table["rankings"].to_list() == [1] * 6 * 7  # topic 2 has nothing relevant
    values = {kind: table.filter(archetype=kind)["median"].to_list() for kind in LISTS}
    assert values["ideal"] == [1, 3, 1, 1, 1, 1, 1]
    assert values["worst"] == [7, 7, 0, 1, 0, 0, 0]
    assert values["full scale"][:6] == [5, 5, 3 / 5, 0, 0, 0]  # CRP -3 -5 -6 -5 -2 3
    assert values["typical A"][:3] == [4, 4, 3 / 4]
    as_said = {kind: table.filter(archetype=kind)["as_said"].to_list() for kind in LISTS}
    assert as_said["full scale"] == [1, 1, 0, 1, 1, 1, 0]  # below 1/2 and 1/4 where N is 3R or more
    assert as_said["excellent or ups-and-downs"] == [1, 1, 1, None, None, None, None]
    assert {kind: set(said) for kind, said in as_said.items() if "ll s" not in kind and "exc" not in kind} == {
        kind: {1} for kind in ("ideal", "worst", "typical A", "typical B")
    }


def test_type_b_does_retrieve_too_late(joined: Joined) -> None:
    """By Figure 5 its forward space ratio is 1; of TREC-8's 91 it is so for none. All other bounds hold."""
    found = archetypes(joined("trec8-adhoc"))["figures"]
    fails = found.filter(pl.col("as_said") < pl.col("rankings"))
    assert fails.select("archetype", "quantity", "rankings", "as_said").rows() == [("typical B", "ForwardSpace", 91, 0)]


def test_the_example_is_the_ranking_of_median_twist() -> None:
    """R = 1, found at rank 5, 3 or 4: Twist falls with the rank, and CRP of the one in the middle is back at 2."""
    runs = {f"at {at}": {"1": {**{f"x{i}": -float(i) for i in range(1, at)}, "a": -9.0}} for at in (5, 3, 4)}
    found = archetypes(join({"1": {"a": 1}, "none": {"z": 0}}, runs), n=6)
    examples = found["examples"]
    assert examples.select("archetype", "run", "topic", "recall_base").unique().rows() == [
        ("typical A", "at 4", "1", 1)
    ]
    assert examples["rank"].to_list() == [1, 2, 3, 4, 5, 6]
    assert examples["crp"].to_list() == [-1, -1, -1, 2, 2, 2]
    assert examples["full_scale"].to_list() == [-1, -1, -1, -1, -1, 4]


def test_a_panel_and_a_table_for_each_archetype() -> None:
    runs = {f"at {at}": {"1": {**{f"x{i}": -float(i) for i in range(1, at)}, "a": -9.0}} for at in (1, 5, 3, 4)}
    found = archetypes(join({"1": {"a": 1}}, runs), n=6)
    figure = found.plot("archetypes")
    assert [panel["vconcat"][0]["title"]["text"] for panel in figure.spec["concat"]] == [
        *("ideal (1 ranking)", "typical A (3 rankings)")
    ]
    [_, table] = [table for table in figure.spec["datasets"].values() if "symbol" in table[0]]
    rows = [(row["symbol"], row["paper"], row["median"], row["so"]) for row in table]
    assert rows[:4] == [
        *(("", "paper", "median", "true of"), ("min x", "≥ R + 1", "3", "3 of 3"), ("β", "≥ R + 1", "3", "3 of 3")),
        ("ρ", "≤ R/(R + 1)", "0.333", "3 of 3"),
    ]
    assert [row[0] for row in rows[4:]] == ["σ+", "σ−", "σ", "τ"]
    drawn = figure.to_bytes("svg").decode()
    assert drawn.count('aria-roledescription="line mark"') == 2 * 2
    assert "typical A (3 rankings): median Twist" in figure.description
