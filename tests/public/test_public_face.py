"""What `import cranfield` offers: one list, found at run time, told to type checkers by stubs, and light to import."""

from __future__ import annotations

import ast
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import cranfield as cf
from cranfield import experiments, measures, public
from cranfield.experiments import EXPERIMENTS

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:  # the tools are run from the repository root and are not installed
    sys.path.insert(0, str(ROOT))

from tools import write_stubs  # noqa: E402

GOOD = """\
import io
from typing import assert_type

import cranfield as cf
from cranfield.measures import RBP, Measure, nDCG

qrels = {"1": {"a": 2, "b": 0}}
runs = {"x": {"1": {"a": 1.0, "b": 2.0}}, "y": {"1": {"b": 2.0}}}
assert_type(cf.nDCG @ 10, cf.Measure)
assert_type(cf.RBP(p=0.8) @ 5, cf.RBP)
assert_type(RBP(p=0.8), cf.RBP)
assert_type(nDCG @ 10, Measure)
assert_type(cf.RBP(p=0.8).p, float)
assert_type(cf.MRR(rel=2), cf.RR)
scores = cf.evaluate(qrels, runs, ["AP", cf.MRR, cf.nDCG(gains={1: 5, 2: 10}) @ 10, cf.Twist()], order="rank")
assert_type(scores, cf.Scores)
assert_type(scores.audit, cf.Audit)
cf.evaluate("qrels.txt", ["runs/*.gz", "mine.txt"], "official").to_polars(per_topic=True)
cf.evaluate([("1", "a", 1)], scores.per_topic, cf.AP)
joined = cf.join(qrels, runs)
assert_type(cf.curve(joined, measure=cf.CG), cf.Curves)
assert_type(cf.compare(joined, measures="AP"), cf.Comparison)
assert_type(cf.experiments.correlation(joined, ["AP", cf.nDCG], kind="tau_ap", top=1), cf.Findings)
candidates = cf.Candidates.gather(runs)
sample = cf.uniform_sample(candidates, 2)
assert_type(cf.estimate(candidates, sample, qrels, [cf.P @ 10, "NumRel"]), cf.Estimates)
assert_type(cf.Judging(runs, cf.RBP(p=0.5)).status([cf.stop_rules.BudgetSpent(5)]), cf.Status)
assert_type(cf.simulate(systems=3), cf.Campaign)
assert_type(cf.cohen_kappa([1, 0], [1, 0]), float)
assert_type(cf.rbo("ab", "ba").extrapolated, float)
cf.evaluate(io.BytesIO(b""), {"1": ["a", "b"]}, "AP")
cf.evaluate([{"qid": "1", "docno": "a", "label": 1}], {"x": [("1", ["a"])], "y": io.StringIO("")})
cf.evaluate({"1": [("a", 1)]}, cf.read_runs({"1": [("a", 0.5), ("a", 0.4)]}, repeated="max"))
assert_type(cf.measure("Mine", lambda grades: 1.0, range=(0, 2)), type[cf.Measure])
assert_type(cf.measure("Mine", len) @ 10, cf.Measure)


@cf.measure("Other")
def other(grades: list[float | None], unretrieved: list[float], cutoff: int, bonus: float = 2.0) -> float:
    return bonus * len(grades) / cutoff


assert_type(other @ 5, cf.Measure)


def averages(given: cf.QrelsLike, lists: cf.RunsLike, measures: cf.MeasureNames) -> list[float]:
    return cf.evaluate(given, lists, measures).means["value"].to_list()
"""
"""Right uses, each of the type that it says."""

MISTAKES = """\
import cranfield as cf
cf.nDCQ @ 10
cf.RBP(q=0.8)
cf.evalute({}, {})
cf.nDCG(10)
cf.nDCG(dcg="log3")
cf.measure("Mine", 7)
cf.read_runs({}, repeated="last")
cf.P @ "ten"
cf.evaluate(7, {})
cf.evaluate({}, {}, order="foo")
cf.evaluate({}, {}, convetion="beir")
cf.compare({}, {}, levle=0.9)
cf.compare({}, {}, alpha="small")
cf.evaluate({}, cf.join({}, {}))
cf.experiments.correlatoin
cf.experiments.correlation(cf.join({}, {}), kind="tau")
cf.experiments.correlation(cf.join({}, {}), tops=1)
from cranfield.measures import nDCQ
"""
"""A mistake on each line after the first."""


def test_the_stubs_are_what_there_is_at_run_time() -> None:
    for path, text in write_stubs.stubs().items():
        assert path.read_text(encoding="utf-8") == text, "out of date: run python -m tools.write_stubs"


def names_in(stub: Path) -> set[str]:
    """Return the names that a stub offers: what it defines, and imports that are passed on."""
    found = set()
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            found |= {alias.name for alias in node.names if alias.asname == alias.name}
        elif isinstance(node, ast.ClassDef | ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
    return found


def test_every_name_of_the_stub_is_there_and_the_other_way_round() -> None:
    assert names_in(write_stubs.PACKAGE / "__init__.pyi") - {"__all__"} == set(dir(cf))
    assert names_in(write_stubs.PACKAGE / "experiments" / "__init__.pyi") == set(dir(experiments))
    assert names_in(write_stubs.PACKAGE / "measures" / "__init__.pyi") == set(dir(measures))
    for module in (cf, experiments, measures):
        assert all(hasattr(module, name) for name in dir(module))


def defaults_in(stub: Path) -> dict[str, dict[str, object]]:
    """Return the parameters of each class and function of a stub, and their defaults (... where it shows none)."""
    found = {}
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        function = node.body[-1] if isinstance(node, ast.ClassDef) else node
        if isinstance(function, ast.FunctionDef) and isinstance(node, ast.ClassDef | ast.FunctionDef):
            given = function.args
            positional = [None] * (len(given.args) - len(given.defaults)) + [*given.defaults]
            pairs = [*zip(given.args, positional, strict=True), *zip(given.kwonlyargs, given.kw_defaults, strict=True)]
            found[node.name] = {
                one.arg: ... if default is None else ast.literal_eval(default)
                for one, default in pairs if one.arg != "self"
            }  # fmt: skip
    return found


def defaults_of(function: Callable[..., object]) -> dict[str, object]:
    parameters = inspect.signature(function).parameters.values()
    return {one.name: ... if one.default is one.empty else one.default for one in parameters}


def test_measures_take_at_run_time_what_the_stub_says() -> None:
    stub = defaults_in(write_stubs.PACKAGE / "measures" / "__init__.pyi")
    assert set(stub) == set(cf.REGISTRY)
    for name, measure in cf.REGISTRY.items():
        declared = {one: parameter.default for one, parameter in measure.parameters.items()}
        assert defaults_of(measure) == declared
        assert {one: declared[one] if default is ... else default for one, default in stub[name].items()} == declared


def test_experiments_take_at_run_time_what_the_stub_says() -> None:
    stub = defaults_in(write_stubs.PACKAGE / "experiments" / "__init__.pyi")
    assert set(stub) == {name.replace("-", "_") for name in EXPERIMENTS}
    for name, told in stub.items():
        assert told.pop("rel") is None
        assert told.pop("work") is None
        taken = defaults_of(getattr(experiments, name))
        taken.pop("work", None)
        assert told == taken


def test_a_name_is_listed_once_and_found_where_it_lives() -> None:
    assert len(public.HOMES) == sum(map(len, public.PUBLIC_NAMES.values()))
    assert cf.__all__ == sorted(public.HOMES)
    assert not set(public.HOMES) & set(public.measures())
    for name, home in public.HOMES.items():
        module = sys.modules[f"cranfield.{home}"] if getattr(cf, name) else None
        found = getattr(cf, name)
        assert (inspect.unwrap(found) if inspect.isfunction(found) else found) is (
            module if public.is_module(name) else getattr(module, name)
        )


def test_what_there_is_not_is_said_with_what_was_meant() -> None:
    with pytest.raises(AttributeError, match="no attribute 'evalute'") as refused:
        getattr(cf, "evalute")  # noqa: B009 - as it is, mypy would refuse it
    assert (refused.value.name, refused.value.obj) == ("evalute", cf)  # from which Python guesses: "Did you mean"


def test_every_public_function_and_class_says_what_it_is_for() -> None:
    for name in public.HOMES:
        offered = getattr(cf, name)
        if inspect.isfunction(offered) or inspect.isclass(offered) or inspect.ismodule(offered):
            assert re.match(r"[A-Z][^\n]{10,}[.:?]\n?", offered.__doc__ or ""), name


def test_the_first_line_of_every_experiment_is_its_question() -> None:
    for name, experiment in EXPERIMENTS.items():
        assert (getattr(experiments, name.replace("-", "_")).__doc__ or "").startswith(experiment.question)


def test_importing_it_imports_nothing_else() -> None:
    code = "import sys, cranfield; print(*sorted(name for name in sys.modules if name.startswith('cranfield')))"
    code += "; print(sorted({'numpy', 'polars', 'scipy', 'click'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["cranfield cranfield.public", "[]"]


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("typed")
    (folder / "good.py").write_text(GOOD, encoding="utf-8")
    (folder / "mistakes.py").write_text(MISTAKES, encoding="utf-8")
    return folder


def refused(folder: Path, *checker: str) -> dict[str, set[int]]:
    """Run a type checker over both scripts, away from this project's settings: the lines that it refuses, by script."""
    environment = os.environ | {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    command = [sys.executable, "-m", *checker, "good.py", "mistakes.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 1, done.stdout + done.stderr
    found: dict[str, set[int]] = {"good": set(), "mistakes": set()}
    for script, line in re.findall(r"(\w+)\.py:(\d+)(?::\d+)?(?: -|:) error", done.stdout):
        found[script].add(int(line))
    return found


@pytest.mark.integration  # takes ten seconds
@pytest.mark.parametrize("checker", [("mypy", "--strict", "--cache-dir", ".cache"), ("pyright",)], ids=lambda c: c[0])
def test_mistakes_are_refused_before_anything_runs(scripts: Path, checker: tuple[str, ...]) -> None:
    """Takes 5 s with mypy, 3 s with pyright; neither needs a network."""
    pytest.importorskip(checker[0])
    every_line = set(range(2, len(MISTAKES.splitlines()) + 1))
    assert refused(scripts, *checker) == {"good": set(), "mistakes": every_line}


def test_docstrings_hold_every_parameter() -> None:
    functions = {name: getattr(cf, name) for name in public.HOMES if inspect.isfunction(getattr(cf, name))}
    assert len(functions) > 30
    lacking = {
        (name, parameter)
        for name, function in functions.items()
        for parameter, declared in inspect.signature(function).parameters.items()
        if declared.kind is not declared.VAR_KEYWORD and not re.search(rf"\b{parameter}\b", function.__doc__ or "")
    }
    assert not lacking
