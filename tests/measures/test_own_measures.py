"""A user's own measure, from a file of their own, works wherever a built-in one does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.cli import main
from cranfield.measures import REGISTRY
from cranfield.measures.machinery.own import load_measures

SOURCE = '''
from cranfield.measures import Measure, cutoff, parameter


class Tenfold(Measure):
    """How many relevant documents are at the top, times something?

    Tenfold@k = factor · (relevant documents among the first k)

    Paper: none.

    >>> Tenfold(cutoff=2).of([1, 0, 1])
    10.0
    """

    range = (0.0, 1e9)
    uses_recall_base = False
    cutoff: int | None = cutoff()
    factor: float = parameter(10.0, "how much each counts", above=0)

    def compute(self, rankings):
        return self.factor * rankings.relevant().count
'''


@pytest.fixture
def mine(tmp_path: Path) -> Iterator[Path]:
    before = dict(REGISTRY)
    file = tmp_path / "mine.py"
    file.write_text(SOURCE)
    yield file
    REGISTRY.clear()
    REGISTRY.update(before)


QRELS = "1 0 a 1\n1 0 b 0\n"
RUN = "1 Q0 a 1 2.0 x\n1 Q0 u 2 1.0 x\n"


@pytest.fixture
def campaign(tmp_path: Path) -> list[str]:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "run.txt").write_text(RUN)
    return [f"{tmp_path}/qrels.txt", f"{tmp_path}/run.txt"]


def test_in_python(mine: Path) -> None:
    assert [measure.__name__ for measure in load_measures(mine)] == ["Tenfold"]
    scores = cf.evaluate({"1": {"a": 1}}, {"1": {"a": 2.0, "u": 1.0}}, ["Tenfold@1", "Tenfold(factor=2)"], bounds=True)
    assert scores.averages.tolist() == [[10.0], [2.0]]
    assert scores.limits is not None
    assert scores.limits[:, 1, 0, 0].tolist() == [2.0, 4.0]
    assert cf.Tenfold @ 3 == cf.parse_measure("Tenfold@3")  # type: ignore[attr-defined]
    found = cf.curve({"1": {"a": 1}}, {"1": {"u": 2.0, "a": 1.0}}, "Tenfold", last_rank=3)
    assert found.values.tolist() == [[[0, 10, 10]]]


def test_on_the_command_line(mine: Path, campaign: list[str]) -> None:
    def run(*arguments: str) -> str:
        result = CliRunner().invoke(main, [*arguments, "--measures-from", str(mine)])
        assert result.exit_code == 0, result.stderr
        return result.stdout

    assert run("evaluate", *campaign, "-m", "Tenfold@1", "--format", "csv").endswith("run,all,Tenfold@1,10.0\n")
    assert "   1  10.0000" in run("curve", "Tenfold", *campaign, "--depth", "2")
    assert "How many relevant documents are at the top" in run("measures", "Tenfold")


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("x = 1\n", "declares no measure"),
        ("x = 1\ny = = 2\n", "line 2: SyntaxError"),
        ("import numpy\n\nnumpy.nothing\n", "line 3: AttributeError"),
        (SOURCE.replace("class Tenfold", "class AP"), "there is a measure called AP already"),
        (SOURCE + "\nTenfold(factor=0)\n", "must be a number above 0"),
        (SOURCE.replace("def compute(", "def computed("), "Tenfold declares no compute()"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_one_line(mine: Path, campaign: list[str], source: str, told: str) -> None:
    mine.write_text(source)
    result = CliRunner().invoke(main, ["evaluate", *campaign, "--measures-from", str(mine)])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "mine.py" in result.stderr
    assert told in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_file_that_is_not_there(campaign: list[str]) -> None:
    result = CliRunner().invoke(main, ["evaluate", *campaign, "--measures-from", "nowhere.py"])
    assert result.exit_code == 2
    assert "nowhere.py" in result.stderr
