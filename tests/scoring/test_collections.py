"""Several collections in one call: what stands in a cell, what the average is of, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cranfield as cf

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 0}}
GOOD, POOR = {t: ["a", "b"] for t in QRELS}, {t: ["b", "a"] for t in QRELS}
HERE = (QRELS, {"x": GOOD, "y": POOR})
THERE = ({"7": {"a": 2, "b": 1}}, {"y": {"7": ["a", "b"]}, "z": {"7": ["b", "a"]}})


def test_a_cell_is_what_evaluate_says_and_each_collection_counts_once() -> None:
    """Here x has 1 on both topics and y 1/2; on the one topic there y has 1 with one relevant at grade 2, z 1/2."""
    found = cf.evaluate_all({"here": HERE, "there": {"qrels": THERE[0], "runs": THERE[1], "rel": 2}}, "RR")
    assert found.runs == ("x", "y", "z")
    np.testing.assert_array_equal(found.means[0], [[1, 0.5, math.nan], [math.nan, 1, 0.5]])
    np.testing.assert_array_equal(found.averages[0], [math.nan, 0.75, math.nan])
    assert found["there"]["y", "RR(rel=2)"] == 1
    rows = [row for row in found.to_polars().rows() if row[0] == "all"]
    assert rows == [("all", "y", "all", "RR, RR(rel=2)", 0.75)]
    assert found.table().rows() == [("x", 1, None, None), ("y", 0.5, 1, 0.75), ("z", None, 0.5, None)]


def test_a_collection_has_its_own_measure_and_the_caption_says_so() -> None:
    one = {"qrels": QRELS, "runs": HERE[1], "convention": "trec-adhoc"}
    found = cf.evaluate_all({"one": one, "two": HERE})
    assert [str(*measures) for measures in found.measures] == ["AP", "nDCG@10"]
    assert "AP (order=trec9, convention=trec-adhoc) of one (2 topics); nDCG@10 of two (2 topics)." in found.caption()


def test_what_cannot_be_averaged_is_not() -> None:
    for measures, averaged in (("AP", [True]), (["NumRelRet", "gmAP", "ASL"], [False, False, True])):
        assert cf.evaluate_all({"here": HERE, "there": THERE}, measures).averaged.tolist() == averaged
    mixed = {"here": {"qrels": QRELS, "runs": HERE[1], "measures": "ASL"}, "there": THERE}
    assert not cf.evaluate_all(mixed, "AP").averaged.any()
    assert "average" not in cf.evaluate_all({"here": HERE}, "AP").table().columns


def test_rows_that_are_copied_and_groups_of_rows() -> None:
    found = cf.evaluate_all(
        {"here": HERE, "there": HERE}, "RR", copied={"a paper": {"here": 0.8, "there": 0.6}}, groups={"old": ["y"]}
    )
    assert str(found).splitlines()[1:] == [
        "run         here   there  average",
        "x         1.0000  1.0000   1.0000",
        "a paper*  0.8000  0.6000   0.7000",
        "old",
        "y         0.5000  0.5000   0.5000",
    ]
    assert r"a paper* & \underline{0.8000} & \underline{0.6000} & \underline{0.7000} \\" in str(found.render("latex"))
    assert ("here", "a paper", None, "RR", 0.8) in found.to_polars().rows()


def test_the_best_average_first_and_runs_without_one_last() -> None:
    runs = {"x": POOR, "y": GOOD}
    found = cf.evaluate_all({"here": (QRELS, runs | {"z": GOOD}), "there": (QRELS, runs)}, "RR").sorted_by()
    assert found.runs == ("y", "x", "z")
    less = cf.evaluate_all({"here": (QRELS, runs), "there": (QRELS, runs)}, "ASL").sorted_by("ASL")
    assert less.runs == ("y", "x")


@given(
    st.permutations(["one", "two", "three"]),
    st.lists(st.lists(st.sampled_from([GOOD, POOR]), min_size=2, max_size=2), min_size=3, max_size=3),
)
def test_the_order_of_collections_changes_only_the_order_of_columns(
    order: list[str], lists: list[list[object]]
) -> None:
    given = {
        name: (QRELS, dict(zip("xy", runs, strict=True)))
        for name, runs in zip(("one", "two", "three"), lists, strict=True)
    }
    as_given, otherwise = (cf.evaluate_all({name: given[name] for name in names}, "RR") for names in (given, order))
    np.testing.assert_allclose(as_given.averages, otherwise.averages, atol=1e-12)
    assert as_given.table().select(sorted(given)).equals(otherwise.table().select(sorted(given)))


TOML = """
measures = ["RR"]
[collections.here]
qrels = "qrels.txt"
runs = { "bm 25" = "a.run", dense = "b.run" }
[collections.there]
qrels = "qrels.txt"
runs = ["*.run"]
depth = 1
[groups]
"Two <b>" = ["dense"]
[copied."A & B"]
here = 0.5
"""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "a.run").write_text("1 Q0 a 1 2 r\n1 Q0 b 2 1 r\n")
    (tmp_path / "b.run").write_text("1 Q0 b 1 2 r\n1 Q0 a 2 1 r\n")
    (tmp_path / "three.toml").write_text(TOML)
    return tmp_path


def test_a_file_of_toml(here: Path) -> None:
    found = cf.evaluate_all(here / "three.toml")
    assert found["here"]["RR"] == {"bm 25": 1, "dense": 0.5}
    assert found["there"]["RR"] == {"a": 1, "b": 0}  # of b the first document alone counts
    assert str(found.render("html")).count("Two &lt;b&gt;") == 1


@pytest.mark.parametrize(
    ("was", "instead", "said"),
    [
        ('measures = ["RR"]', "measures = ", "is not TOML: Invalid value (at line 2, column 12)"),
        ("measures", "measure", "there is no 'measure'; did you mean `measures`?"),
        ("depth = 1", "depht = 1", "collection there: there is no 'depht'; did you mean `depth`?"),
        ("depth = 1", "depth = 0", "depth must be at least 1, not 0"),
        ('qrels = "qrels.txt"\nruns = [', "runs = [", "collection there: its qrels are missing"),
        ("[collections.there]", "[collections.all]", "a collection cannot be called 'all'"),
        ('["dense"]', '["denes"]', "there is no run 'denes'; did you mean `dense`?"),
        ('["dense"]', '"dense"', "the group 'Two <b>' is a list of rows, not 'dense'"),
        ('[copied."A & B"]\nhere = 0.5', "[copied]\nhere = 0.5", "the row 'here' has a value for each collection"),
        (
            "[collections.there]",
            "[collections]\nbad = 3\n[collections.there]",
            "collection bad: a pair of qrels and runs",
        ),
        ("here = 0.5", "hre = 0.5", "there is no collection 'hre'; did you mean `here`?"),
        ("here = 0.5", 'here = "high"', "the value of A & B on here is a number, not 'high'"),
        ('"A & B"', "dense", "'dense' is both a run and a copied row; rename one of them"),
        ("depth = 1", 'measures = ["RR", "AP"]', "all collections need equally many measures"),
        ('["*.run"]', '["no*.run"]', "no"),
    ],
)
def test_what_a_file_cannot_say(here: Path, was: str, instead: str, said: str) -> None:
    assert was in TOML
    (here / "three.toml").write_text(TOML.replace(was, instead))
    with pytest.raises(cf.InputError) as wrong:
        cf.evaluate_all(here / "three.toml")
    assert said in str(wrong.value)
    assert "\n" not in str(wrong.value)


def test_what_cannot_be_given() -> None:
    for collections, said in (
        ({}, "no collections were given"),
        ({"": HERE}, "a collection cannot be called ''"),
        ({"here": QRELS}, "collection here: there is no '1'"),
        ({"here": 3}, "collection here: a pair of qrels and runs, or a dict with both, not 3"),
        ("nowhere.toml", "nowhere.toml: no such file"),
    ):
        with pytest.raises(cf.InputError, match=said):
            cf.evaluate_all(collections)


@pytest.mark.parametrize("name", ["run", "average", "all"])
def test_names_of_other_columns_are_refused(name: str) -> None:
    both = ({"1": {"a": 1}}, {"r": {"1": ["a"]}})
    with pytest.raises(cf.InputError, match=f"a collection cannot be called '{name}': tables have that for something"):
        cf.evaluate_all({name: both, "other": both}, "AP")
    assert cf.evaluate_all({f"{name}s": both, "other": both}, "AP").table().height == 1


def test_collections_are_heads_over_their_measures() -> None:
    qrels = {str(t): {"a": 1, "b": 0} for t in range(8)}
    good, poor = ({t: list(order) for t in qrels} for order in ("ab", "ba"))
    given = {"dl_19": (qrels, {"x": good, "y": poor}), "covid": (qrels, {"x": poor, "y": good})}
    found = cf.evaluate_all(given, ["RR", "P@1"])
    heads = ["dl_19 RR", "dl_19 P@1", "covid RR", "covid P@1", "average RR", "average P@1"]
    assert found.table().columns == ["run", *heads]
    for each in (found, cf.compare_all(given, ["RR", "P@1"])):
        first = len(each.sheet().columns) - 5  # after the run, and the letter
        columns = "".join(rf"\cmidrule(lr){{{start}-{start + 1}}} " for start in range(first, first + 6, 2))
        written = str(each.render("latex")).splitlines()
        at = written.index(r"\toprule")
        assert written[at + 1].endswith(
            r" & \multicolumn{2}{c}{dl\_19} & \multicolumn{2}{c}{covid} & \multicolumn{2}{c}{average} \\"
        )
        assert written[at + 2] == columns.rstrip()
        assert written[at + 3].endswith(r"run & RR & P@1 & RR & P@1 & RR & P@1 \\")
        assert written[at + 3].count("&") == written[at + 5].count("&")
    page = str(found.render("html"))
    assert '<tr class="heads"><td colspan="1"></td><th scope="colgroup" colspan="2">dl_19</th>' in page
    assert ">RR</th>" in page
    one = cf.evaluate_all(given, "RR")
    assert "multicolumn" not in str(one.render("latex"))  # the collections are the columns
    assert 'class="heads"' not in str(one.render("html"))
    assert "| dl_19 RR " in str(found.render("markdown"))  # which has one row of heads
