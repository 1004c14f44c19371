"""A plain function of the grades by rank is a measure: by name, with a cutoff, wherever measures are."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.cli import main
from cranfield.experiments import provenance
from cranfield.judged.rankings import one_ranking
from cranfield.measures import REGISTRY

QRELS = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"a": 1}}
RUNS = {
    "good": {"1": {"b": 3.0, "new": 2.0, "a": 1.0}, "2": {"a": 1.0}},
    "poor": {"1": {"c": 3.0, "b": 2.0}, "2": {"x": 2.0}},
}


def hits(grades: list[float | None]) -> int:
    return sum(grade is not None and grade > 0 for grade in grades)


def test_it_is_given_grades_by_rank_and_those_that_are_missing() -> None:
    given: list[Any] = []

    def look(grades: list[float | None], unretrieved: list[float]) -> float:
        given.append((grades, unretrieved))
        return 0.5

    cf.measure("Look", look)
    cf.evaluate(QRELS, RUNS, ["Look", "Look@1"])
    assert given == [
        ([1, None, 2], [0]), ([1], []), ([0, 1], [2]), ([None], [1]),
        ([1], [2, 0]), ([1], []), ([0], [2, 1]), ([None], [1]),
    ]  # fmt: skip


def test_topics_that_a_run_lacks_are_not_asked_about() -> None:
    cf.measure("Length", len, range=(0, 10))
    scores = cf.evaluate(QRELS, {"1": {"a": 1.0}}, "Length")
    assert scores.values.tolist() == [[[1.0, 0.0]]]
    assert cf.evaluate(QRELS, {"1": {"a": 1.0}, "2": {}}, "Length").values.tolist() == [[[1.0, 0.0]]]


def test_a_reciprocal_rank_equals_our_own() -> None:
    @cf.measure("Mine")
    def mine(grades: list[float | None]) -> float:
        return next((1 / rank for rank, grade in enumerate(grades, start=1) if grade), 0.0)

    asked: list[Any] = ["Mine", "Mine@1", mine @ 2]
    found = cf.evaluate(QRELS, RUNS, asked)
    assert found.values.tolist() == cf.evaluate(QRELS, RUNS, ["RR", "RR@1", "RR@2"]).values.tolist()
    assert [str(measure) for measure in found.measures] == ["Mine", "Mine@1", "Mine@2"]
    curve = cf.curve(QRELS, RUNS, "Mine", last_rank=3)
    assert curve.values.tolist() == cf.curve(QRELS, RUNS, "RR", last_rank=3).values.tolist()
    compared, ours = (cf.compare(QRELS, RUNS, name).to_polars()["difference"].to_list() for name in ("Mine", "RR"))
    assert compared == ours


def test_average_precision_equals_our_own() -> None:
    def plain(grades: list[float | None], unretrieved: list[float]) -> float:
        precisions = [hits(grades[:rank]) / rank for rank, grade in enumerate(grades, start=1) if grade]
        relevant = len(precisions) + sum(grade > 0 for grade in unretrieved)
        return sum(precisions) / relevant if relevant else 0.0

    cf.measure("Plain", plain)
    names = ["Plain", "Plain@1", "Plain@2"]
    found = cf.evaluate(QRELS, RUNS, names).values
    assert found.tolist() == cf.evaluate(QRELS, RUNS, [name.replace("Plain", "AP") for name in names]).values.tolist()


def test_arguments_are_parameters() -> None:
    def delight(grades: list[float | None], cutoff: int, bonus: float = 2.0, *, rel: float | None = None) -> float:
        liked = [grade for grade in grades if grade is not None and grade >= (rel or 1)]
        return sum(bonus if grade >= 2 else 1 for grade in liked) / cutoff

    kind = cf.measure("Delight", delight, range=(0, math.inf))
    assert kind(cutoff=4).of([2, 1, None, 0, 1]) == (2 + 1) / 4
    assert (kind(bonus=3) @ 2).of([2]) == 3 / 2
    assert kind(cutoff=4, rel=2).of([2, 1]) == 2 / 4
    assert str(cf.parse_measure("Delight(bonus=3)@5")) == "Delight(bonus=3)@5"
    assert cf.evaluate(QRELS, RUNS, "Delight@1", rel=2).values[0, 0].tolist() == [0.0, 0.0]
    for wrong, told in {
        "Delight": "Delight needs a cutoff",
        "Delight(bonus=many)@5": "Delight: bonus must be a number, not 'many'",
        "Delight(extra=1)@5": "Delight has no parameter 'extra'; it has: cutoff, bonus, rel",
    }.items():
        with pytest.raises(cf.MeasureError, match=told):
            cf.evaluate(QRELS, RUNS, wrong)


def test_bounds_are_tried() -> None:
    kind = cf.measure("Share", lambda grades: hits(grades) / len(grades))
    found = kind().bounds(one_ranking([1, None], candidates=1))
    assert (found.low.tolist(), found.high.tolist(), found.kind) == ([0.5], [1.0], "tried")


def test_fewer_may_be_better() -> None:
    cf.measure("Junk", lambda grades: grades.count(0), range=(0, 100), higher_is_better=False)
    table = cf.compare({t: {"a": 0, "b": 1} for t in "123"}, {
        "clean": {t: {"b": 1.0} for t in "123"}, "junk": {t: {"a": 1.0} for t in "123"},
    }, "Junk").to_polars()  # fmt: skip
    assert table.row(0, named=True)["difference"] != 0


def test_it_can_be_sent_where_its_module_is() -> None:
    mine = cf.measure("Sent", hits, range=(0, 9))
    measure = mine(cutoff=3)
    again = pickle.loads(pickle.dumps(measure))  # noqa: S301
    assert again == measure
    assert again.of([1, 1, 0, 1]) == 2
    scores = cf.evaluate(QRELS, RUNS, measure)
    assert pickle.loads(pickle.dumps(scores)) == scores  # noqa: S301


def test_another_process_imports_the_module(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import cranfield as cf\nTen = cf.measure('Tenth', lambda grades: len(grades) / 10)\n"
    )
    send = "import pickle, sys, mine; sys.stdout.buffer.write(pickle.dumps(mine.Ten(cutoff=3)))"
    sent = subprocess.run([sys.executable, "-c", send], capture_output=True, check=True, cwd=tmp_path).stdout
    load = "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read()).of([1] * 5))"
    found = subprocess.run([sys.executable, "-c", load], input=sent, capture_output=True, check=True, cwd=tmp_path)
    assert found.stdout == b"0.3\n"


def test_declared_again_it_takes_its_own_place() -> None:
    cf.measure("Again", lambda grades: 0.25)
    cf.measure("Again", lambda grades: 0.75)
    assert cf.evaluate(QRELS, RUNS, "Again").averages.tolist() == [[0.75, 0.75]]
    elsewhere = {"__name__": "somewhere_else", "cf": cf}
    with pytest.raises(cf.MeasureError, match="a measure called Again already exists"):
        exec("cf.measure('Again', lambda grades: 1)", elsewhere)  # noqa: S102


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("AP", "'AP' stands for AP already; choose another name"),
        ("map", "'map' stands for AP already"),
        ("ndcg", "'ndcg' stands for nDCG already"),
        ("hit_rate", "'hit_rate' stands for Success already"),
        ("official", "'official' stands for "),
        ("everything", "'everything' stands for "),
        ("two words", "a measure's name has letters, digits and underscores, such as 'Delight'; not 'two words'"),
        ("lambda", "a measure's name has letters"),
    ],
)
def test_names_that_it_cannot_have(name: Any, told: str) -> None:
    before = dict(REGISTRY)
    with pytest.raises(cf.MeasureError, match=told):
        cf.measure(name, lambda grades: 1)
    assert before == REGISTRY


def test_a_name_of_ranx_that_means_nothing_here_is_free() -> None:
    cf.measure("hits", hits, range=(0, 100))
    assert cf.evaluate(QRELS, RUNS, ["hits", "hits@1"]).averages[:, 0].tolist() == [1.5, 1.0]


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (lambda: 1, "Odd: the function must take an argument, the grades by rank"),
        (max, "Odd: the function must take an argument"),
        (
            lambda grades, missed: 1,
            "Odd: the function has an unknown argument, 'missed'; besides grades it may take",
        ),
        (lambda grades, gains=1: 1, "Odd: the function has an unknown argument, 'gains'"),
    ],
)
def test_functions_that_cannot_be_one(function: Any, told: str) -> None:
    with pytest.raises(cf.MeasureError, match=told):
        cf.measure("Odd", function)
    assert "Odd" not in REGISTRY


def test_what_is_no_name_and_no_function() -> None:
    with pytest.raises(cf.InputError, match="name must be a text, not 7"):
        cf.measure(7, len)  # type: ignore[call-overload]
    with pytest.raises(cf.InputError, match="function must be a function, not 3"):
        cf.measure("Odd", 3)  # type: ignore[call-overload]


VALUES: dict[str, str] = {
    "None": "Odd returned None for topic '1' of run 'good'; a value is one number",
    "'much'": "Odd returned a str of 4 for topic '1' of run 'good'; a value is one number",
    "[0.5]": "Odd returned a list of 1 for topic '1' of run 'good'",
    "np.array([0.5, 0.5])": "Odd returned an array of 2 \\(float64\\) for topic",
    "float('nan')": "Odd returned nan for topic '1' of run 'good'; a value is a finite number",
    "float('inf')": "Odd returned inf for topic",
    "1.5": "Odd returned 1.5 for topic '1' of run 'good'; its range is 0 to 1, unless it is declared with range=",
    "1j": "Odd returned 1j for topic",
    "10**400": "Odd for topic '1' of run 'good': OverflowError",
    "1 / 0": "Odd for topic '1' of run 'good': ZeroDivisionError: division by zero",
    "sum(grades)": "Odd for topic '1' of run 'good': TypeError",
    "exit(3)": "Odd for topic '1' of run 'good': SystemExit: 3",
}


@pytest.mark.parametrize("value", VALUES)
def test_whatever_it_does_is_one_line_that_names_topic_run_file_and_line(value: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        f"import numpy as np\nimport cranfield as cf\n\n@cf.measure('Odd')\ndef odd(grades):\n    return {value}\n"
    )
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "good").write_text("1 Q0 a 1 2.0 x\n1 Q0 u 2 1.0 x\n")
    asked = ["evaluate", f"{tmp_path}/qrels", f"{tmp_path}/good", "-m", "Odd", "--measures-from", str(file)]
    result = CliRunner().invoke(main, asked)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1), result.output
    assert result.stderr.startswith(f"cranfield: {file}, line ")
    line = int(result.stderr.partition(", line ")[2].partition(":")[0])
    assert line == (6 if value in {"1 / 0", "sum(grades)", "exit(3)"} else 4)
    with pytest.raises(cf.InputError, match=VALUES[value]):
        raise cf.InputError(result.stderr)


@pytest.mark.parametrize("value", [True, np.True_, np.float32(0.5), np.int64(1), 1])
def test_numbers_of_every_kind_are_values(value: Any) -> None:
    kind = cf.measure("Kind", lambda grades: value)
    assert kind().of([1]) == float(value)


def test_on_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import cranfield as cf\n"
        "cf.measure('Liked', lambda grades, cutoff=None: sum(bool(g) for g in grades) / (cutoff or len(grades)),\n"
        "           question='What share of the page is liked?')\n"
    )
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2.0 x\n1 Q0 u 2 1.0 x\n")
    files = [f"{tmp_path}/qrels", f"{tmp_path}/run"]

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(main, [*arguments, "--measures-from", str(file)])
        assert result.exit_code == 0, result.stderr
        return result.stdout

    assert run("evaluate", *files, "-m", "Liked", "-m", "Liked@1,4", "--format", "csv").splitlines()[1:] == [
        "run,all,Liked,0.5", "run,all,Liked@1,1.0", "run,all,Liked@4,0.25",
    ]  # fmt: skip
    assert "   1  1.0000" in run("curve", "-m", "Liked", *files, "--depth", "2")
    described = run("measures", "Liked")
    assert "What share of the page is liked?" in described
    assert "plain function, called for each run and topic; slower than" in described
    assert "bounds        tried" in described
    assert "relevant documents count" not in described


def test_the_question_is_the_docstrings_first_paragraph() -> None:
    def liked(grades: list[float | None]) -> float:
        """How much of the page
        is liked?

        At length.
        """
        return hits(grades) / 10

    assert cf.measure("Liked", liked).documentation().question == "How much of the page is liked?"
    assert cf.measure("Bare", lambda grades: 1).documentation().question == "What is the Bare of the ranking?"
    assert cf.measure("Asked", liked, question="Is it?").documentation().question == "Is it?"


def test_what_was_edited_is_another_measure() -> None:
    digests = []
    for value in ("0.5", "0.25", "0.5"):
        namespace: dict[str, Any] = {"__name__": "__console__", "cf": cf}
        exec(f"Mine = cf.measure('Mine', lambda grades, weight=1.0: weight * {value})", namespace)  # noqa: S102
        digests.append(provenance.sources([namespace["Mine"]()])["Mine"])
    assert digests[0] == digests[2] != digests[1]
