"""A user's own measure, from a file of their own, works wherever a built-in one does."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.cli import main
from cranfield.measures import REGISTRY
from cranfield.measures.framework.own import load_measures

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
    scores = cf.evaluate(
        {"1": {"a": 1}}, {"1": {"a": 2.0, "u": 1.0}}, ["Tenfold@1", "Tenfold(factor=2)"], bounds=True, complete=False
    )
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
    assert "   1  10.0000" in run("curve", "-m", "Tenfold", *campaign, "--depth", "2")
    assert "How many relevant documents are at the top" in run("measures", "Tenfold")


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("x = 1\n", "declares no measure"),
        ("x = 1\ny = = 2\n", "line 2: SyntaxError"),
        ("import numpy\n\nnumpy.nothing\n", "line 3: AttributeError"),
        (SOURCE.replace("class Tenfold", "class AP"), "a measure called AP already exists"),
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


COMPUTES = {
    "raise KeyError('x')": "KeyError: 'x'",
    "raise cranfield.MeasureError('no')": "no",
    "raise SystemExit(3)": "SystemExit: 3",
    "import sys; sys.exit()": "SystemExit",
    "return self.compute(rankings)": "RecursionError: maximum recursion depth exceeded",
    "return 1 / 0": "ZeroDivisionError: division by zero",
    "return None": "returned None; it must return an array of 2 numbers, one for each row",
    "return 0.5": "returned 0.5; it must return an array of 2 numbers",
    "return np.zeros(4)": "returned an array of 4 (float64); it must return an array of 2 numbers",
    "return np.zeros((2, 1))": "returned an array of 2 × 1 (float64); it must return an array of 2 numbers",
    "return np.array(['a', 'b'])": "returned an array of 2 (<U1); it must return an array of 2 numbers",
    "return np.zeros(2, complex)": "returned an array of 2 (complex128); it must return an array of 2 numbers",
    "return np.array([object(), 1])": "returned an array of 2 (object); it must return an array of 2 numbers",
    "return [[1], [1, 2]]": "returned a list of 2; it must return an array of 2 numbers",
    "return rankings": "returned a JudgedRankings; it must return an array of 2 numbers",
    "return np.array([0, 0]) / np.array([1, 0])": "returned nan for topic '2' of run 'run'; a value is a finite number",
    "return np.array([0, np.inf])": "returned inf for topic '2' of run 'run'; a value is a finite number",
    "return np.array([0, 1.5])": "returned 1.5 for topic '2' of run 'run'; its range is 0 to 1",
    "return np.array([-0.1, 1.5])": "returned -0.1 for topic '1' of run 'run'; its range is 0 to 1",
}


def declaring(compute: str, more: str = "", name: str = "Mine") -> str:
    """Return a file that declares a measure; compute() is declared in line 6, and its body is line 7."""
    return (
        f"import numpy as np\nimport cranfield\nfrom cranfield.measures import Measure\n\n"
        f"class {name}(Measure):\n    def compute(self, rankings):\n        {compute}\n{more}"
    )


@pytest.fixture
def two_topics(tmp_path: Path) -> list[str]:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2.0 x\n1 Q0 u 2 1.0 x\n2 Q0 a 1 1.0 x\n")
    return [f"{tmp_path}/qrels", f"{tmp_path}/run"]


def refused(*arguments: str) -> str:
    """Return the one line with which the command line refuses something."""
    result = CliRunner().invoke(main, arguments)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.mark.parametrize("compute", COMPUTES)
def test_whatever_compute_does_is_one_line(mine: Path, two_topics: list[str], compute: str) -> None:
    mine.write_text(declaring(compute))
    told = refused("evaluate", *two_topics, "-m", "Mine", "--measures-from", str(mine))
    line = 7 if compute.startswith(("raise", "import")) or "1 / 0" in compute or "self." in compute else 6
    assert told.startswith(f"cranfield: {mine}, line {line}: Mine.compute()")
    assert COMPUTES[compute] in told


OVERRIDES = {
    "def by_rank(self, rankings, depth): return np.zeros(3)": ("curve", "array of 2 × 20 numbers"),
    "def by_rank(self, rankings): return np.zeros(3)": ("curve", "TypeError: Mine.by_rank() takes 2 positional"),
    "def bounds(self, rankings): return 0, 1": ("bounds", "returned a tuple of 2; it must return cranfield's Bounds"),
    "def bounds(self, rankings): return Bounds(None, 1, 'exact')": ("bounds", "returned None; it must return an array"),
    "def score(self, rankings): return 'much'": ("evaluate", "Mine.score() returned a str of 4"),
    "def note(self, top_grade): return 1 / 0": ("evaluate", "Mine.note(): ZeroDivisionError"),
    "def check(self): self.nothing": ("evaluate", "Mine.check(): AttributeError"),
    "range = None": ("evaluate", "Mine: range must be the least and the largest value, such as (0.0, 1.0), not None"),
    "range = (1, 0)": ("evaluate", "Mine: range must be the least and the largest value"),
    "aliases = 'Meins'": ("evaluate", "Mine: aliases must be a tuple of names"),
    "summary = 'median'": ("evaluate", "Mine: summary must be 'mean', 'sum' or 'geometric mean', not 'median'"),
    "p: float = parameter([], 'p', kind=list)": ("evaluate", "a parameter's kind is int, float, bool"),
    "p: float = parameter(5.0, 'p', at_most=1)": (
        "evaluate",
        "Mine: the default of p must be a number at most 1, not 5.0",
    ),
    "at_typical = ()": ("evaluate", "Mine: at_typical must be a tuple of two or more usual places"),
    "trec_at = 'mine_{x}'": ("evaluate", "Mine: trec_at must be a name such as 'P_{at}', not 'mine_{x}'"),
    "def __init__(self, a): self.a = a": ("evaluate", "TypeError: Mine.__init__() missing 1 required"),
    "def __str__(self): return 1 / 0": ("evaluate", "ZeroDivisionError"),
    "cutoff = 'x'": ("evaluate", "Mine.score(): "),
}


@pytest.mark.parametrize("more", OVERRIDES)
def test_whatever_else_a_class_declares_is_one_line(mine: Path, two_topics: list[str], more: str) -> None:
    what, told = OVERRIDES[more]
    imports = "from cranfield.judged.completions import Bounds\nfrom cranfield.measures import cutoff, parameter\n"
    cut = "" if "cutoff" in more else "    cutoff: int | None = cutoff()\n"
    mine.write_text(imports + declaring("return np.zeros(rankings.rows)", f"{cut}    {more}\n"))
    given = {"curve": ["curve"], "bounds": ["evaluate", "--bounds"]}.get(what, ["evaluate"])
    asked = ["-m", "Mine"]
    line = refused(*given, *two_topics, *asked, "--measures-from", str(mine))
    assert line.startswith(f"cranfield: {mine}, line ")
    assert told in line


def test_the_file_itself_may_end_or_recurse(mine: Path, two_topics: list[str]) -> None:
    for source, told in {
        "import sys\nsys.exit(1)\n": "line 2: SystemExit: 1",
        "def f(): f()\nf()\n": "line 1: RecursionError",
        "x = 1\n\0": "null bytes",
        "from cranfield.measures import P\nP @ 0\n": "line 2: the cutoff of P must be a whole number at least 1",
    }.items():
        mine.write_text(source)
        told_us = refused("evaluate", *two_topics, "--measures-from", str(mine))
        assert told_us.startswith(f"cranfield: {mine}")
        assert told in told_us


def test_a_file_that_fails_leaves_nothing_behind(mine: Path) -> None:
    mine.write_text(declaring("return 1") + "\n1 / 0\n")
    with pytest.raises(cf.InputError, match="line 9: ZeroDivisionError"):
        load_measures(mine)
    assert "Mine" not in REGISTRY


def test_nothing_is_written_beside_the_file(mine: Path) -> None:
    before = [*mine.parent.iterdir()]
    load_measures(mine)
    assert [*mine.parent.iterdir()] == before
    assert not sys.dont_write_bytecode


def test_two_files_of_one_stem(mine: Path, two_topics: list[str]) -> None:
    files: list[str] = []
    for name, value in {"A": 0.5, "B": 1}.items():
        file = mine.parent / name / "same.py"
        file.parent.mkdir()
        file.write_text(declaring(f"return np.full(rankings.rows, {value})", name=f"Mine{name}"))
        files += ["--measures-from", str(file)]
    result = CliRunner().invoke(main, ["evaluate", *two_topics, "-m", "MineA", "-m", "MineB", *files, "--no-audit"])
    assert result.exit_code == 0, result.output
    assert result.stdout.split() == ["run", "MineA", "MineB", "run", "0.5000", "1.0000"]
    Path(files[3]).write_text(declaring("return 1", name="MineA"))
    assert f"a measure called MineA already exists in {files[1]}" in refused("evaluate", *two_topics, *files)


def test_in_python_the_error_that_was_raised_is_kept(mine: Path) -> None:
    mine.write_text(declaring("return np.nothing"))
    [kind] = load_measures(mine)
    with pytest.raises(cf.InputError, match=r"line 7: Mine\.compute\(\): AttributeError") as refusal:
        kind().of([1])
    assert isinstance(refusal.value.__cause__, AttributeError)


def test_a_class_declared_in_python_is_guarded_too(mine: Path) -> None:
    class Half(cf.Measure, registered=False):
        def compute(self, rankings):  # type: ignore[no-untyped-def]
            return rankings.relevant().count / 2

    class Whole(Half, registered=False):  # what is out of range for its base is its own affair
        def compute(self, rankings):  # type: ignore[no-untyped-def]
            return super().compute(rankings) / 10  # type: ignore[no-untyped-call]

    assert Half().of([1, 0]) == 0.5
    with pytest.raises(
        cf.InputError, match=r"test_own_measures\.py, line \d+: Half.compute\(\) returned 1.5 for topic"
    ):
        Half().of([1, 1, 1])
    assert Whole().of([1, 1, 1]) == pytest.approx(0.15)


def test_a_users_refusal_of_parameters_is_a_refusal(mine: Path) -> None:
    check = "    def check(self):\n        if self.p: raise cranfield.MeasureError('not so')\n"
    mine.write_text(declaring("return 1", f"    p = cranfield.measures.parameter(0.0, 'p')\n{check}"))
    [kind] = load_measures(mine)
    with pytest.raises(cf.MeasureError, match=r"^not so$"):
        kind(p=1)


def test_compute_may_be_whatever_can_be_called(mine: Path) -> None:
    for compute in ("@staticmethod\n    def compute(rankings)", "@classmethod\n    def compute(cls, rankings)"):
        mine.write_text(
            f"import numpy\nimport cranfield\nclass Mine(cranfield.Measure):\n    {compute}: return [0.5]\n"
        )
        [kind] = load_measures(mine)
        assert kind().of([1]) == 0.5


def test_our_own_measures_are_not_wrapped() -> None:
    ours = [kind for kind in REGISTRY.values() if kind.__module__.startswith("cranfield.")]
    assert not any(hasattr(getattr(kind, name), "unguarded") for kind in ours for name in ("compute", "score", "check"))
