"""Averages over topics: by hand, beside scipy's, what zeros do, and under which name they are shown."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import gmean, hmean

import cranfield as cf
from cranfield.cli import main
from cranfield.plumbing.averaging import LEAST_VALUE, averaged
from cranfield.plumbing.options import TopicAverage

QRELS = {topic: {"a": 1} for topic in "1234"}
RUNS = {
    "steady": {topic: ["x", "a"] for topic in "1234"},  # RR: 1/2 on each
    "wild": {"1": ["a"], "2": ["a"], "3": ["x", "y", "z", "a"], "4": ["x"]},  # RR: 1, 1, 1/4, 0
}
OTHERS: tuple[TopicAverage, ...] = ("median", "geometric", "harmonic")


def test_by_hand() -> None:
    scores = cf.evaluate(QRELS, RUNS, "RR")
    assert scores.averages.tolist() == [[0.5, (1 + 1 + 1 / 4) / 4]]
    found = {average: scores.averaged_by(average).averages[0].tolist() for average in OTHERS}
    assert found["median"] == [0.5, (1 + 1 / 4) / 2]
    assert found["geometric"] == pytest.approx([0.5, (1 * 1 * 1 / 4 * 0.00001) ** (1 / 4)])
    assert found["harmonic"] == pytest.approx([0.5, 4 / (1 + 1 + 4 + 100_000)])
    assert scores.averaged_by("median").sorted_by().runs == ("wild", "steady")
    assert scores.averaged_by("geometric").sorted_by().runs == ("steady", "wild")
    assert scores.averaged_by("median").averaged_by("mean") == scores


values_ = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(values_)
def test_beside_scipy_and_in_order(values: list[float]) -> None:
    """The harmonic mean is below the geometric one, and that below the mean, all of values of 0.00001 at least."""
    rows, floored = np.array([values]), np.maximum(values, LEAST_VALUE)
    everything = np.ones_like(rows, bool)

    def of(how: str) -> float:
        return float(averaged(rows, everything, how)[0])

    assert of("geometric mean") == pytest.approx(gmean(floored), rel=1e-9)
    assert of("harmonic mean") == pytest.approx(hmean(floored), rel=1e-9)
    assert of("median") == np.median(values)
    assert of("harmonic mean") <= of("geometric mean") * (1 + 1e-9) <= floored.mean() * (1 + 2e-9)
    for how in ("mean", "median", "geometric mean", "harmonic mean"):
        assert floored.min() - LEAST_VALUE <= of(how) <= floored.max() * (1 + 1e-9)


@given(values_, values_)
def test_what_does_not_count_is_not_heard(values: list[float], others: list[float]) -> None:
    both = np.array([values + others])
    counted = np.array([[True] * len(values) + [False] * len(others)])
    for how in ("mean", "median", "geometric mean", "harmonic mean", "sum"):
        alone = averaged(np.array([values]), counted[:, : len(values)], how)
        assert averaged(both, counted, how).tolist() == pytest.approx(alone.tolist(), rel=1e-12)


def test_the_geometric_mean_of_ap_is_gmap() -> None:
    scores = cf.evaluate(QRELS, RUNS, ["AP", "gmAP", "Twist", "gmTwist"], average="geometric")
    assert scores.averages[0].tolist() == scores.averages[1].tolist()
    assert scores.averages[2].tolist() == scores.averages[3].tolist()
    assert scores.table().columns == ["run", "geometric mean AP", "gmAP", "geometric mean Twist", "gmTwist"]


def test_counts_are_added_up_and_measures_with_a_mean_of_their_own_keep_it() -> None:
    names = ["NumRelRet", "gmAP", "RR"]
    means, medians = cf.evaluate(QRELS, RUNS, names), cf.evaluate(QRELS, RUNS, names, average="median")
    assert medians.averages[:2].tolist() == means.averages[:2].tolist()
    assert medians.means["measure"].unique(maintain_order=True).to_list() == ["NumRelRet", "gmAP", "median RR"]


def test_topics_that_a_run_lacks_count_or_do_not() -> None:
    run = {"some": {"1": ["a"], "2": ["a"]}}
    assert cf.evaluate(QRELS, run, "RR", average="median").averages.tolist() == [[0.5]]
    assert cf.evaluate(QRELS, run, "RR", average="median", topics="shared").averages.tolist() == [[1]]


def test_no_format_lets_them_be_taken_for_means() -> None:
    scores = cf.evaluate(QRELS, RUNS, ["RR", "NumRet"], average="median")
    assert str(scores).splitlines()[1] == "run     median RR  NumRet"
    for format_ in ("markdown", "latex", "csv", "json", "html"):
        text = scores._repr_html_() if format_ == "html" else str(scores.render(format_))
        assert "median RR" in text
    assert "Medians over 4 topics." in scores.caption()
    by_topic = str(scores.render(per_topic=True)).splitlines()
    assert by_topic[0].split() == ["run", "topic", "RR", "NumRet"]
    assert by_topic[5].split() == ["steady", "all", "(median)", "0.5000", "8"]
    assert scores.to_polars(per_topic=True)["measure"].unique(maintain_order=True).to_list() == [
        "RR", "NumRet", "median RR"
    ]  # fmt: skip
    assert repr(scores) == "Scores(2 runs, 4 topics: RR, NumRet; medians)"
    assert cf.Scores.from_dict(json.loads(json.dumps(scores.to_dict()))) == scores
    assert scores != scores.averaged_by("mean")
    assert "Values below 0.00001 count as 0.00001" in scores.averaged_by("harmonic").caption()


def test_bounds_hold_of_every_average() -> None:
    runs = {"one": {"1": ["u", "a"], "2": ["a"]}, "two": {"1": ["a"], "2": ["u", "v"]}}
    for average in OTHERS:
        scores = cf.evaluate({"1": {"a": 1}, "2": {"a": 1}}, runs, "P@2", bounds=True, average=average, complete=False)
        low, value, high = (scores.means[name].to_numpy() for name in ("low", "value", "high"))
        assert (low <= value).all()
        assert (value <= high).all()
        assert (low < high).any()


def test_what_cannot_be() -> None:
    scores = cf.evaluate(QRELS, RUNS, ["AP", "CRP@4"])
    median = cf.evaluate(QRELS, RUNS, "AP", average="median")
    refusals: dict[str, Callable[[], object]] = {
        "CRP@4 can be below 0, so it has no geometric mean; use its median": lambda: scores.averaged_by("geometric"),
        "average must be 'mean' or 'median'": lambda: cf.evaluate(QRELS, RUNS, average="mode"),  # type: ignore[arg-type]
        "cannot mark a median, which would look like a mean": lambda: median.render("trec_eval"),
        "means are compared, and these scores are averaged by the median": lambda: cf.compare_scores(median),
        "intervals exist for arithmetic and geometric means, not for a median": median.intervals,
    }
    for told, refused in refusals.items():
        with pytest.raises(cf.InputError, match=told):
            refused()
    geometric = cf.evaluate(QRELS, RUNS, ["AP", "gmAP"], average="geometric").intervals()
    ours, own = (geometric.filter(measure=name).drop("measure").rows() for name in ("geometric mean AP", "gmAP"))
    assert ours == own


def test_scores_that_were_written_are_compared_all_the_same(tmp_path: Path) -> None:
    """The averages in the file are passed over, whatever they are."""
    for average in ("mean", "median"):
        text = cf.evaluate(QRELS, RUNS, ["AP", "RR"], average=average).render("csv", per_topic=True)
        (tmp_path / f"{average}.csv").write_text(str(text))
    shown = [
        CliRunner().invoke(main, ["compare", "--scores", str(tmp_path / f"{name}.csv")]).stdout
        for name in ("mean", "median")
    ]
    assert shown[0] == shown[1] != ""


def test_on_the_command_line(tmp_path: Path) -> None:
    cf.write_qrels(cf.read_qrels(QRELS), tmp_path / "qrels.txt")
    for name, run in RUNS.items():
        cf.write_run(cf.read_run(run), tmp_path / f"{name}.run")
    files = [str(tmp_path / name) for name in ("qrels.txt", "steady.run", "wild.run")]

    def told(*options: str) -> tuple[int, str, str]:
        result = CliRunner().invoke(main, ["evaluate", *files, "-m", "RR", *options])
        return result.exit_code, result.stdout, result.stderr

    assert told("--average", "median")[1] == "run     median RR\nsteady     0.5000\nwild       0.6250\n"
    rows = list(csv.reader(io.StringIO(told("--average", "geometric", "--format", "csv")[1])))
    assert rows[1] == ["steady", "all", "geometric mean RR", "0.5"]
    code, out, error = told("--average", "median", "--format", "trec_eval")
    assert (code, out) == (2, "")
    assert error.startswith("cranfield: the trec_eval format cannot mark a median")
