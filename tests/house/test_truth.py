"""What a study takes for the truth comes from outside of what it puts to the test."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from tools.each import each_of

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
TRUTH = BENCHMARKS / "truth.py"
READERS = {"cranfield.scoring.evaluation.evaluate"}
"""All that the truth may take from the package: the scores by all judgments."""

STUDIES = {
    "audits": {"relevant_left"},
    "bounds": {"revealed"},
    "calibration/boards": {"ranks_of"},
    "calibration/clicks": {"averages"},
    "calibration/clustered": {"of_population"},
    "calibration/pools": {"of_judgments"},
    "calibration/samples": {"averages"},
    "calibration/scores": {
        "kappa_of",
        "of_population",
        "order_statistics",
        "places_gained",
        "tau_of_averages",
        "tau_of_topics",
    },
    "model_judges": {"averages", "of_judgments"},
    "sampled_pools": {"averages"},
    "samples": {"averages"},
    "signs": {"averages"},
}
"""Which functions of `benchmarks.truth` each study takes its truth from."""

TIMED = {
    "__main__", "against", "agreement", "audit", "cluster", "contender", "experiments", "explorer", "front",
    "growth", "in_memory", "judging", "large", "lineup", "on_cluster", "process", "records", "report", "rivals",
    "scripts", "sections", "spark", "stages", "status", "timing", "truth", "waits", "workloads",
    "calibration/__main__", "calibration/cell",
}  # fmt: skip
"""Benchmarks of times and of what tools offer, and what they share: nothing is held against a truth there."""


def imported(path: Path) -> set[str]:
    """Return all that a module imports, by whole names, inside functions too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def studies() -> set[str]:
    """Return every module of benchmarks but those of contenders, which are timed."""
    paths = (path.relative_to(BENCHMARKS) for path in [*BENCHMARKS.glob("*.py"), *BENCHMARKS.glob("calibration/*.py")])
    return {path.with_suffix("").as_posix() for path in paths if path.name != "__init__.py"}


def test_the_truth_knows_evaluate_and_nothing_that_is_put_to_the_test() -> None:
    ours = {name for name in imported(TRUTH) if name.split(".")[0] in {"cranfield", "benchmarks"}}
    assert ours == READERS


def test_every_study_names_its_truth() -> None:
    assert studies() == STUDIES.keys() | TIMED
    assert not STUDIES.keys() & TIMED


@each_of("study", sorted(STUDIES))
def test_a_study_takes_its_truth_from_there(study: str) -> None:
    names = {name.removeprefix("benchmarks.truth.") for name in imported(BENCHMARKS / f"{study}.py")
             if name.startswith("benchmarks.truth.")}  # fmt: skip
    assert names == STUDIES[study]


@pytest.mark.parametrize("source", ["import cranfield", "from cranfield.selection.estimates import estimate"])
def test_another_import_would_be_found(tmp_path: Path, source: str) -> None:
    module = tmp_path / "truth.py"
    module.write_text(f"def truth():\n    {source}\n", encoding="utf-8")
    assert imported(module) - READERS
