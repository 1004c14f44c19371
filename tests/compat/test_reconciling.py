"""Which way of computing makes a number: each known way is found by its number; false answers are as many as said."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.cli import main
from cranfield.compat.reconciling import reconcile
from cranfield.judged.conditions import Asked

QRELS = {
    "1": {"a": 3, "b": 1, "c": 0, "1": 1},
    "2": {"a": 1, "d": 2, "e": 2, "f": 1},
    "3": {"a": 0},
    "4": {"g": 1, "h": 3},
    "5": {"a": 2},
}
RUN = {
    "1": {"1": 9.0, "x": 8.0, "b": 7.0, "c": 6.5, "a": 6.0},
    "2": {"f": 3.0, "d": 2.0, "x": 2.0, "y": 1.0},
    "3": {"a": 1.0, "z": 0.5},
    "4": {"y": 3.0, "h": 2.0, "z": 1.0},
}
"""With a tie, a topic's own document, an unjudged one above relevant ones, a topic lacking, one without an answer."""


def mean(values: list[float]) -> str:
    return f"{sum(values) / len(values):.6f}"


def computed(value: str, measure: str) -> set[str]:
    found = reconcile(value, QRELS, RUN, measure)
    return set(found.table()["computed"])


@pytest.mark.parametrize(
    ("measure", "conditions", "says"),
    [
        ("AP", {}, "as usual"),
        ("AP", {"rel": 2}, "relevant from grade 2"),
        ("AP", {"judged_only": True}, "unjudged documents removed"),
        ("AP", {"order": "stable"}, "ties in the order of the lines"),
        ("AP", {"exclude": "self"}, "the topic's own document removed"),
        ("AP", {"topics": "shared"}, "over the topics that the run has"),
        ("nDCG@3", {}, "as usual"),
        ("RR", {"rel": 3, "exclude": "self"}, "relevant from grade 3; the topic's own document removed"),
    ],
)
def test_conditions_are_found(measure: str, conditions: Asked, says: str) -> None:
    value = float(cf.evaluate(QRELS, RUN, measure, **conditions).averages[0, 0])
    assert says in computed(f"{value:.6f}", measure)


def test_variants_by_hand() -> None:
    # Precision of lists of 5, 4, 2, 3 and 0 documents, at 5.
    assert "divided by the length of the list" in computed(mean([3 / 5, 2 / 4, 0 / 2, 1 / 3, 0]), "P@5")
    # Recall at 2: of 3, 4, 0, 2 and 1 relevant documents at most 2 can be there.
    assert "divided by at most 2" in computed(mean([1 / 2, 1 / 2, 0, 1 / 2, 0]), "R@2")
    # Average precision over what was found: topic 1 at ranks 1, 3, 5; 2 at 1 and 3 (x before d); 4 at 2.
    ap = [(1 + 2 / 3 + 3 / 5) / 3, (1 + 2 / 3) / 2, 0, 1 / 2, 0]
    assert "divided by the relevant documents retrieved" in computed(mean(ap), "AP")


def test_an_ideal_list_of_what_was_retrieved() -> None:
    qrels, run = {"1": {"a": 1, "b": 3, "c": 2}}, {"1": {"a": 2.0, "x": 1.5, "c": 1.0}}
    gain = 1 / 1 + 2 / 2
    retrieved = gain / (2 / 1 + 1 / 1.5849625007211562)
    found = reconcile(f"{retrieved:.6f}", qrels, run, "nDCG@3")
    assert "ideal list of the retrieved documents" in set(found.rows["variant"])
    found = reconcile("1.0000", qrels, run, "nDCG@2")  # of a and x, a is in its place
    assert "ideal list of the first 2 retrieved" in set(found.rows["variant"])


def test_rounded_and_cut_off() -> None:
    qrels, run = {"1": {"a": 1, "b": 1, "c": 1}}, {"1": {"a": 2.0, "b": 1.0}}
    assert reconcile("0.6667", qrels, run, "R@2").rows["rounding"].to_list() == ["rounded"]
    assert reconcile("0.6666", qrels, run, "R@2").rows["rounding"].to_list() == ["cut off"]
    assert reconcile("0.6668", qrels, run, "R@2").ways == 0


def test_a_table_decides_more(tmp_path: Path) -> None:
    """All numbers at once: of two measures, and by topic."""
    other = {topic: {document: -score for document, score in found.items()} for topic, found in RUN.items()}
    runs = {"one": RUN, "two": other}
    scores = cf.evaluate(QRELS, runs, ["AP", "P@2"], judged_only=True)
    lines = [f"{run},{measure},{scores[run, measure]:.4f}" for run in runs for measure in ("AP", "P@2")]
    table = tmp_path / "theirs.csv"
    table.write_text("run,measure,value\n" + "\n".join(lines) + "\n")
    found = reconcile(table, QRELS, runs)
    assert found.values == 4
    assert found.rows["judged_only"].all()
    assert set(found.rows["measure"]) == {"AP", "P@2"}
    alone = reconcile(lines[0].rpartition(",")[2], QRELS, RUN, "AP")
    assert found.chance < alone.chance / 100
    by_topic = {
        ("one", "AP", topic): value for topic, value in zip("1234", ("0.7556", "0.4167", "0", "0.25"), strict=True)
    }
    assert "as usual" in set(reconcile(by_topic, QRELS, runs).table()["computed"])


@pytest.mark.parametrize("digits", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_random_numbers_are_met_as_often_as_is_said(digits: int) -> None:
    """Every number of so many digits is tried."""
    numbers = [f"{i / 10**digits:.{digits}f}" for i in range(10**digits + 1)]
    found = [reconcile(number, QRELS, RUN, "nDCG@3") for number in numbers]
    assert {each.chance for each in found} == {sum(each.ways > 0 for each in found) / len(found)}
    assert 0 < found[0].chance < 1


def test_what_is_said() -> None:
    found = reconcile("0.50", {"1": {"a": 1, "b": 1}}, {"1": {"x": 3.0, "a": 1.0, "b": 1.0}}, "RR")
    assert "names no way alone" in found.caption()
    assert found.unsure
    none = reconcile("0.9999", QRELS, RUN, "AP")
    assert (none.ways, none.parting) == (0, None)
    assert none.caption().startswith("None of ")
    ways = reconcile("0.6", QRELS, RUN, "P@1")
    assert ways.ways > 1
    assert ways.parting is not None
    assert f"Topic {ways.parting[0]} would part them" in ways.caption()
    assert type(ways).from_dict(ways.to_dict()) == ways


@pytest.mark.parametrize(
    ("values", "measure", "says"),
    [
        ("abc", "AP", "neither a number nor a CSV file"),
        ("0.5", None, "what the number is called"),
        ("nan", "AP", "neither a number nor a CSV file"),
        ({("other", "AP", "all"): "0.5"}, None, "no run 'other'"),
        ({("run", "AP", "9"): "0.5"}, None, "no topic '9'"),
        ({("run", "AP", "all"): "x"}, None, "'x' is not a number"),
        ({}, None, "no number"),
        ("0.5", "nonsense", "nonsense"),
    ],
)
def test_refusals(values: object, measure: str | None, says: str) -> None:
    with pytest.raises(cf.CranfieldError, match=says):
        reconcile(values, QRELS, RUN, measure)  # type: ignore[arg-type]


def test_tables_that_are_none(tmp_path: Path) -> None:
    table = tmp_path / "theirs.csv"
    for text, says in (("run,value\nrun,0.5\n", "columns measure, run and value"), ("", "columns"),
                       ("run,measure,value\nrun,AP,\n", "line 2: '' is not a number")):  # fmt: skip
        table.write_text(text)
        with pytest.raises(cf.InputError, match=says):
            reconcile(table, QRELS, RUN)


def test_the_command(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "bm25.run"
    qrels.write_text("1 0 a 1\n1 0 b 2\n")
    run.write_text("1 Q0 x 1 3 t\n1 Q0 a 2 2 t\n1 Q0 b 3 1 t\n")
    found = CliRunner().invoke(main, ["reconcile", "0.3333", str(qrels), str(run), "-m", "RR", "--format", "markdown"])
    assert found.exit_code == 0
    assert "relevant from grade 2" in found.stdout
    none = CliRunner().invoke(main, ["reconcile", "0.3000", str(qrels), str(run), "-m", "RR"])
    assert none.exit_code == 1
    assert "None of" in none.stderr


def test_figures_of_other_tools_on_real_runs(data: Path) -> None:
    """trec_eval's level on DL 2019, the gain of gdeval, and pytrec_eval's topics."""
    folder = data / "dl19-passage"
    run = sorted((folder / "runs").iterdir())[0]
    for measure, asked, says in (
        ("AP(rel=2)", "AP", "relevant from grade 2"),
        ("nDCG(dcg='exp-log2')@10", "nDCG@10", "gain 2^grade - 1"),
    ):
        value = float(cf.evaluate(folder / "qrels.txt", run, measure).averages[0, 0])
        found = reconcile(f"{value:.4f}", folder / "qrels.txt", run, asked)
        assert found.table()["computed"][0] == says
        assert found.chance < 0.05


def test_joined_runs_have_one_order() -> None:
    with pytest.raises(cf.InputError, match=r"the runs were joined with .*; join them again"):
        reconcile("0.5", cf.join(QRELS, {"run": RUN}), None, "AP")  # type: ignore[arg-type]
