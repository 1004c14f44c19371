"""Curves: values by rank, averaged in both ways, the ideal beside them, read vertically and horizontally."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import cranfield as cf
from cranfield.cli import main
from cranfield.lists.curves import Curves, curve

QRELS = {"1": {"a": 3, "b": 1}, "2": {"a": 1}}
RUNS = {"one": {"1": {"b": 2.0, "x": 1.5, "a": 1.0}, "2": {"y": 2.0, "a": 1.0}}, "two": {"1": {"a": 1.0}}}


def test_values_by_rank_and_topic() -> None:
    found = curve(QRELS, RUNS, "CG", last_rank=4)
    assert found.values.tolist() == [[[1, 1, 4, 4], [0, 1, 1, 1]], [[3, 3, 3, 3], [0, 0, 0, 0]]]
    assert found.ideal.tolist() == [[3, 4, 4, 4], [1, 1, 1, 1]]
    assert found.averages.tolist() == [[0.5, 1, 2.5, 2.5], [1.5, 1.5, 1.5, 1.5]]
    assert curve(QRELS, RUNS, "CG", last_rank=4, topics="shared").averages[1].tolist() == [3, 3, 3, 3]


def test_both_averages_of_a_normalised_measure() -> None:
    """At rank 3: the mean of 4/4 and 1/1, or the mean gain 2.5 over the mean ideal 2.5; at rank 2 they differ."""
    ratios = curve(QRELS, RUNS, "nCG", last_rank=3).averages[0]
    vectors = curve(QRELS, RUNS, "nCG", last_rank=3, average="vectors").averages[0]
    assert ratios.tolist() == [(1 / 3 + 0) / 2, (1 / 4 + 1) / 2, (1 + 1) / 2]
    assert vectors.tolist() == [0.5 / 2, 1 / 2.5, 2.5 / 2.5]


def test_vectors_are_those_of_the_judged_documents_where_the_measure_asks_for_them() -> None:
    """Without the unjudged x: the mean gains 1.5, 2.5 and 2.5 over the mean ideal gains 2, 2.5 and 2.5."""
    qrels = {"1": {"a": 1, "b": 2}, "2": {"c": 2}}
    runs = {"r": {"1": ["x", "a", "b"], "2": ["c"]}}
    for measure, judged_only in (("nCG(judged_only=True)", False), ("nCG", True)):
        found = curve(qrels, runs, measure, last_rank=3, average="vectors", judged_only=judged_only)
        assert found.averages[0].tolist() == [1.5 / 2, 2.5 / 2.5, 2.5 / 2.5]


def test_the_curve_ends_where_evaluate_says() -> None:
    for name in ("nDCG", "P", "AP", "RBP(p=0.5)", "ERR", "nDCG(base=2)"):
        found = curve(QRELS, RUNS, name, last_rank=3)
        at_3 = cf.evaluate(QRELS, RUNS, cf.parse_measure(f"{name}@3"))
        assert found.averages[:, -1] == pytest.approx(at_3.averages[0], rel=1e-12)


def test_a_curve_is_averaged_as_its_measure_is() -> None:
    """Of APs 1 and 0 (taken for 0.00001) the geometric mean is the root of 0.00001; of shared topics, the 1 alone."""
    qrels, runs = {"1": {"a": 1}, "2": {"b": 1}}, {"A": {"1": ["a"], "2": ["x", "b"]}, "B": {"1": ["a"]}}
    every, shared = (cf.curve(qrels, runs, "gmAP", last_rank=2, topics=topics) for topics in ("all", "shared"))
    assert every.averages == pytest.approx(np.array([[1e-5**0.5, 0.5**0.5], [1e-5**0.5, 1e-5**0.5]]))
    assert shared.averages == pytest.approx(np.array([[1e-5**0.5, 0.5**0.5], [1, 1]]))
    assert every.ideal_average.tolist() == [1, 1]
    assert cf.curve(qrels, runs, "gmAP", last_rank=2, beside=["worst"]).beside_averages == pytest.approx(1e-5)


def test_precision_and_recall_at_each_level_of_relevance() -> None:
    found = curve(QRELS, RUNS, "IPrec")
    assert found.axis == "recall"
    assert found.at.tolist() == pytest.approx([i / 10 for i in range(11)])
    assert found.values[0, 0].tolist() == pytest.approx([1.0] * 6 + [2 / 3] * 5)
    strict = curve(QRELS, RUNS, "IPrec(rel=2)").values[0]
    assert strict.tolist() == [pytest.approx([1 / 3] * 11), [0] * 11]


def test_what_is_nowhere_below_is_said_to_be() -> None:
    found = cf.curve({"1": {"a": 1}}, {"best": {"1": ["a"]}, "late": {"1": ["x", "a"]}}, "CG", last_rank=2)
    assert found.distances().notes[:2] == (
        "best is never below ideal",
        "late is 0 to 1 below ideal, most at rank 1; or 0 to 100%, most at rank 1",
    )


def test_read_horizontally() -> None:
    found = curve(QRELS, RUNS, "CG", last_rank=4)
    assert found.rank_reaching(1).rows() == [("one", 3), ("two", None)]  # the ideal has 2 after one document
    assert found.rank_reaching(3, of="two").rows() == [("one", 3), ("two", 1)]


def test_read_vertically() -> None:
    """The ideal has 2, 2.5, 2.5, 2.5; one has 0.5, 1, 2.5, 2.5 and two 1.5 at every rank."""
    found = curve(QRELS, RUNS, "CG", last_rank=4)
    table = found.distances().to_polars()
    assert table.columns == ["rank", "run", "value", "reference", "below", "per_cent", "later"]
    assert table.filter(run="one")["below"].to_list() == [2 - 0.5, 2.5 - 1, 0, 0]
    assert table.filter(run="one")["per_cent"].to_list() == [100 * 1.5 / 2, 100 * 1.5 / 2.5, 0, 0]
    assert found.distances().notes == (
        "one is 0 to 1.5 below ideal, most at rank 1; or 0 to 75%, most at rank 1",
        "two is 0.5 to 1 below ideal, most at rank 2; or 25 to 40%, most at rank 2",
        "the ideal levels off at rank 2",
    )
    # One has 0.5, 1, 2.5, 2.5 and two 1.5 four times, which the ideal has after 1, 1, 2, 2 documents, and after 1.
    assert table.filter(run="one")["later"].to_list() == [0, 1, 1, 2]
    assert table.filter(run="two")["later"].to_list() == [0, 1, 2, 3]
    assert curve(QRELS, RUNS, "nDCG", last_rank=2).distances().to_polars()["later"].null_count() == 4  # level
    against = found.distances("two")
    assert against.to_polars()["later"].to_list() == [None] * 4  # two does not rise
    assert against.to_polars()["run"].unique().to_list() == ["one"]
    assert against.to_polars()["below"].to_list() == [1, 0.5, -1, -1]


def test_read_by_topic() -> None:
    """By topic, one has 1, 1, 4 and 0, 1, 1; two has 3, 3, 3 and lacks topic 2; the ideal has 3, 4, 4 and 1, 1, 1."""
    found = curve(QRELS, RUNS, "CG", last_rank=3)
    distances = found.distances(per_topic=True)
    table = distances.to_polars()
    assert table.columns == ["topic", "rank", "run", "value", "reference", "below", "per_cent", "later"]
    assert table.rows()[1] == ("1", 1, "two", 3, 3, 0, 0, 0)
    later = {(run, topic): rows["later"].to_list() for (run, topic), rows in table.group_by("run", "topic")}
    flat = [None] * 3  # the ideal of topic 2 does not rise
    assert later == {("one", "1"): [0, 1, 1], ("two", "1"): [0, 1, 2], ("one", "2"): flat, ("two", "2"): flat}
    below = {(run, topic): rows["below"].to_list() for (run, topic), rows in table.group_by("run", "topic")}
    assert below == {("one", "1"): [2, 3, 0], ("one", "2"): [1, 0, 0], ("two", "1"): [0, 1, 1], ("two", "2"): [1, 1, 1]}
    assert distances.notes == (
        "one is 0 to 3 below ideal, most at rank 2 of topic 1; or 0 to 100%, most at rank 1 of topic 2",
        "two is 0 to 1 below ideal, most at rank 2 of topic 1; or 0 to 100%, most at rank 1 of topic 2",
    )
    assert found.rank_reaching(1, per_topic=True).rows() == [
        ("one", "1", 3), ("one", "2", 2), ("two", "1", 1), ("two", "2", None)
    ]  # fmt: skip
    # of two there is 0 to be reached on topic 2
    assert found.rank_reaching(2, of="two", per_topic=True)["rank"].to_list() == [3, 1, 1, 1]


def test_by_topic_a_topic_that_is_not_shared_is_left_out() -> None:
    found = curve(QRELS, RUNS, "CG", last_rank=3, topics="shared")
    assert found.distances(per_topic=True).to_polars().select("topic", "run").unique(maintain_order=True).rows() == [
        ("1", "one"), ("1", "two"), ("2", "one")
    ]  # fmt: skip
    assert found.distances("two", per_topic=True).to_polars()["topic"].unique().to_list() == ["1"]
    assert found.rank_reaching(1, of="two", per_topic=True).rows() == [("one", "1", 3), ("two", "1", 1)]
    apart = {"one": {"1": {"a": 1.0}}, "two": {"2": {"a": 1.0}}}
    nothing = curve(QRELS, apart, "CG", last_rank=1, topics="shared").distances("two", per_topic=True)
    assert (nothing.to_polars().height, nothing.notes) == (0, ("one has no topic of two",))


@given(grades=st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=5), min_size=1, max_size=4))
def test_the_mean_of_the_distances_is_the_distance_of_the_means(grades: list[list[int]]) -> None:
    qrels = {str(t): {f"d{i}": g for i, g in enumerate(topic)} for t, topic in enumerate(grades)}
    runs = {"mine": {t: {d: float(i) for i, d in enumerate(docs)} for t, docs in qrels.items()}}
    found = curve(qrels, runs, "CG", last_rank=4)
    by_topic = found.distances(per_topic=True).to_polars().group_by("rank", maintain_order=True)
    means = [rows["below"].mean() for _, rows in by_topic]
    assert means == pytest.approx(found.distances().to_polars()["below"].to_list(), abs=1e-12)
    alone = [curve({t: qrels[t]}, {"mine": {t: runs["mine"][t]}}, "CG", last_rank=4) for t in qrels]
    assert found.rank_reaching(2, per_topic=True)["rank"].to_list() == [
        each.rank_reaching(2)["rank"][0] for each in alone
    ]


def test_where_the_ideal_levels_off() -> None:
    assert [curve(QRELS, RUNS, "CG", last_rank=k).levels_off for k in (1, 2, 3)] == [None, None, 2]
    assert curve(QRELS, RUNS, "nDCG", last_rank=3).levels_off == 1
    assert curve(QRELS, RUNS, "IPrec").levels_off is None
    assert curve(QRELS, RUNS, "CG", last_rank=2).distances().notes[-1] == "the ideal still rises at rank 2"


def test_distances_have_no_share_of_nothing() -> None:
    found = curve({"1": {"a": 1}}, {"late": {"1": {"x": 2.0, "a": 1.0}}, "never": {"1": {"y": 1.0}}}, "CG", last_rank=2)
    assert found.distances("never").to_polars()["per_cent"].to_list() == [None, None]
    assert found.distances("never").notes == ("late is never below never, and up to 1 above",)
    with pytest.raises(cf.InputError, match="no run 'nobody'"):
        found.distances("nobody")
    alone = curve({"1": {"a": 1}}, {"mine": {"1": {"a": 1.0}}}, "CG", last_rank=1)
    with pytest.raises(cf.InputError, match="mine is the only run; name another, or 'ideal'"):
        alone.distances("mine")


@given(grades=st.lists(st.integers(0, 3), min_size=1, max_size=8), order=st.randoms())
def test_no_gain_is_above_the_ideal(grades: list[int], order: Random) -> None:
    found = [f"d{i}" for i in range(len(grades))]
    qrels = {"1": dict(zip(found, grades, strict=True))}
    order.shuffle(found)
    runs = {"mine": {"1": {d: -float(i) for i, d in enumerate(found)}}}
    table = curve(qrels, runs, "CG", last_rank=10).distances().to_polars()
    assert (table["below"] >= 0).all()
    assert table["below"][-1] == 0
    assert table["per_cent"].drop_nulls().is_between(0, 100).all()


@pytest.mark.parametrize(
    ("measure", "options", "told"),
    [
        ("Bpref", {}, "no cutoff"),
        ("official", {}, "a curve shows one measure"),
        ("CG", {"average": "vectors"}, "only nCG and nDCG"),
        ("P@2", {"last_rank": 3}, "P@2 ends at rank 2, before the last rank asked for, 3"),
        ("CG", {"last_rank": 0}, "last_rank must be at least 1"),
    ],
)
def test_what_has_no_curve(measure: str, options: dict[str, object], told: str) -> None:
    with pytest.raises(cf.CranfieldError, match=told):
        curve(QRELS, RUNS, measure, **options)  # type: ignore[arg-type]
    found = curve(QRELS, RUNS, "CG", last_rank=2)
    with pytest.raises(cf.InputError, match="after must be from 1 to 2"):
        found.rank_reaching(3)
    with pytest.raises(cf.InputError, match="no run 'three'"):
        found.rank_reaching(1, of="three")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    cf.write_qrels(cf.read_qrels(QRELS), tmp_path / "qrels.txt")
    for name, run in RUNS.items():
        cf.write_run(cf.read_run(run), tmp_path / f"{name}.run")
    return tmp_path


def test_on_the_command_line(files: Path) -> None:
    def run(*options: str) -> list[list[str]]:
        command = [
            "curve",
            "-m",
            "CG",
            f"{files}/qrels.txt",
            f"{files}/one.run",
            f"{files}/two.run",
            "--last-rank",
            "4",
            *options,
        ]
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 0
        return list(csv.reader(io.StringIO(result.stdout)))

    means = run("--format", "csv")
    assert means[0] == ["run", "topic", "rank", "measure", "value"]
    assert means[3] == ["one", "all", "3", "CG", "2.5"]
    assert means[-1] == ["ideal", "all", "4", "CG", "2.5"]
    assert ["two", "1", "2", "CG", "3.0"] in run("--format", "csv", "--per-topic")
    assert run("--format", "csv", "--reach", "1")[1:] == [["one", "3"], ["two", ""]]
    assert run("--format", "csv", "--reach", "3", "--against", "two")[1:] == [["one", "3"], ["two", "1"]]
    assert run("--format", "csv", "--against", "ideal")[1] == ["1", "one", "0.5", "2.0", "1.5", "75.0", "0"]
    assert run("--format", "csv", "--reach", "1", "-q")[:3] == [
        ["run", "topic", "rank"],
        ["one", "1", "3"],
        ["one", "2", "2"],
    ]
    by_topic = run("--format", "csv", "--against", "two", "--per-topic")
    assert by_topic[0] == ["topic", "rank", "run", "value", "reference", "below", "per_cent", "later"]
    assert by_topic[1] == ["1", "1", "one", "1.0", "3.0", "2.0", str(200 / 3), ""]  # which does not rise
    table = (
        CliRunner()
        .invoke(main, ["curve", "-m", "CG", f"{files}/qrels.txt", f"{files}/one.run", "--last-rank", "2"])
        .stdout
    )
    assert table == "rank     one   ideal\n   1  0.5000  2.0000\n   2  1.0000  2.5000\n"


def test_a_measure_without_a_curve_is_one_line(files: Path) -> None:
    result = CliRunner().invoke(main, ["curve", "-m", "Bpref", f"{files}/qrels.txt", f"{files}/one.run"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "cranfield: Bpref has no cutoff, and so no value at each rank\n"


def test_a_curve_ends_at_the_cutoff_that_is_named(tmp_path: Path) -> None:
    assert curve(QRELS, RUNS, "P@3").at.tolist() == [1, 2, 3]
    assert curve(QRELS, RUNS, "P@3", last_rank=2).at.tolist() == [1, 2]
    assert len(curve(QRELS, RUNS, "P").at) == 100
    cf.write_qrels(cf.read_qrels(QRELS), tmp_path / "qrels.txt")
    cf.write_run(cf.read_run(RUNS["one"]), tmp_path / "one.run")
    files = [str(tmp_path / "qrels.txt"), str(tmp_path / "one.run")]
    for measure, rows in (("P@3", 3), ("P", 20)):
        shown = CliRunner().invoke(main, ["curve", "-m", measure, *files, "--quiet"]).stdout
        assert len(shown.splitlines()) == 1 + rows


def test_a_run_called_ideal_is_refused(tmp_path: Path) -> None:
    with pytest.raises(cf.InputError, match="a run is called 'ideal', as the best list is in curves"):
        curve(QRELS, {"ideal": RUNS["one"]}, "CG")
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "ideal").write_text("1 Q0 a 1 2.0 x\n")
    result = CliRunner().invoke(main, ["curve", "-m", "CG", f"{tmp_path}/qrels", f"{tmp_path}/ideal"])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    named = CliRunner().invoke(main, ["curve", "-m", "CG", f"{tmp_path}/qrels", f"mine={tmp_path}/ideal"])
    assert named.exit_code == 0
    assert named.stdout.split()[:3] == ["rank", "mine", "ideal"]
    assert cf.evaluate(QRELS, {"ideal": RUNS["one"]}, "AP").runs == ("ideal",)  # it is a name like any other


def test_a_topic_called_all_is_refused_wherever_there_are_averages() -> None:
    qrels, run = {"all": {"a": 1}, "1": {"a": 1}}, {"all": {"a": 1.0}, "1": {"a": 1.0}}
    calls: tuple[Callable[[], object], ...] = (
        lambda: cf.evaluate(qrels, run),
        lambda: cf.join(qrels, run),
        lambda: curve(qrels, run),
        lambda: cf.compare(qrels, {"a": run, "b": run}),
        lambda: cf.overlap_of_runs({"a": run, "b": run}, per_topic=True),
    )
    for refused in calls:
        with pytest.raises(cf.InputError, match="a topic is named 'all', like the averages"):
            refused()
    assert cf.evaluate({"1": {"a": 1}}, run, "AP").averages.tolist() == [[1.0]]  # runs may have what they like
    assert cf.overlap_of_runs({"a": run, "b": run}).to_polars()["topics"].to_list() == [2]


@pytest.mark.parametrize(
    ("last_rank", "measure", "told"),
    [
        (10**9, "nDCG", "last_rank must be at least 1 and at most 100000, not 1000000000"),
        (None, "P@1000000", "last_rank must be at least 1 and at most 100000, not 1000000"),
        (0, "nDCG", "last_rank must be at least 1"),
    ],
)
def test_nobody_reads_a_curve_so_far_down(last_rank: int | None, measure: str, told: str) -> None:
    with pytest.raises(cf.InputError, match=told):
        curve(QRELS, RUNS, measure, last_rank=last_rank)


def test_more_values_than_can_be_held_are_refused() -> None:
    qrels = {str(topic): {"a": 1} for topic in range(400)}
    with pytest.raises(
        cf.InputError,
        match="curves of 800 lists down to rank 100,000 need too much memory; the last rank can be 62,500",
    ):
        curve(qrels, {"r": {"1": {"a": 1.0}}}, "CG", last_rank=100_000)


def test_words_are_checked_as_evaluate_does() -> None:
    joined = cf.join(QRELS, RUNS)
    words: dict[str, Callable[[], object]] = {
        "topics must be 'all' or 'shared', not 'foo'": lambda: cf.join(QRELS, RUNS, topics="foo"),  # type: ignore[arg-type]
        "order must be 'score' or 'trec9' or 'stable' or 'rank' or 'file', not 'foo'": lambda: curve(
            QRELS,
            RUNS,
            order="foo",  # type: ignore[arg-type]
        ),
        "order must be .* not ''": lambda: cf.Candidates.gather(RUNS, order=""),  # type: ignore[arg-type]
        "order must be .* not 0": lambda: curve(QRELS, RUNS, order=0),  # type: ignore[arg-type]
        "missing must be": lambda: curve(joined, missing="foo"),  # type: ignore[arg-type]
    }
    for told, refused in words.items():
        with pytest.raises(cf.InputError, match=told):
            refused()


@pytest.mark.parametrize("measure", ["CRP", "nDCG", "IPrec"])
def test_curves_are_read_back_as_they_were_written(measure: str) -> None:
    """CRP needs a cutoff to be computed, and has none as the measure of a curve."""
    found = curve(QRELS, RUNS, measure, last_rank=3)
    again = cf.Curves.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again == found
    assert again.means.equals(found.means)


def test_a_name_of_ones_own_is_kept_in_tables_figures_and_files(files: Path, tmp_path: Path) -> None:
    told = "web is nDCG(dcg='exp-log2')."
    asked = ["curve", f"{files}/qrels.txt", f"{files}/one.run", "--no-audit", "-m", "web=nDCG(dcg=exp-log2)@3"]
    result = CliRunner().invoke(main, [*asked, "--format", "csv"])
    assert {line.split(",")[3] for line in result.stdout.splitlines()} == {"measure", "web"}
    assert result.stderr == f"{told}\n"
    page = CliRunner().invoke(main, [*asked, "--format", "markdown"]).stdout
    assert "\nweb at every rank. " in page
    assert f" {told} Best in bold" in page or page.endswith(f" {told}\n")
    against = CliRunner().invoke(main, [*asked, "--against", "ideal"]).stderr
    assert "below ideal by web, averaged" in against
    assert f"note: {told[:-1]}\n" in against
    found = curve({"1": {"a": 2}}, {"x": {"1": ["b", "a"]}}, "nDCG@3=nDCG(dcg=exp-log2)@3")
    assert (str(found.measure), found.measure.definition) == ("nDCG", "nDCG(dcg='exp-log2')")
    assert Curves.from_dict(found.to_dict()).caption() == found.caption()
    title = json.dumps(found.plot("curves").spec)
    assert "nDCG at every rank" in title
    assert "nDCG is nDCG(dcg='exp-log2')." in title
