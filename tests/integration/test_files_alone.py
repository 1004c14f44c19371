"""Every file with tests can be asked for alone: modules with examples by their names, and files of tests one by one."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
TESTS = sorted(path for path in (ROOT / "tests").rglob("test_*.py") if path != Path(__file__))


def pytest_of(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", *arguments]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)


@pytest.mark.integration
def test_modules_asked_for_by_name_are_collected() -> None:
    """pytest looks for tests in files that are named, where it looks for examples only in those that it finds."""
    done = pytest_of("--collect-only", *(str(path) for path in SOURCES if path.stem != "__main__"))
    assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.integration
def test_a_sample_of_files_runs_alone() -> None:
    """None leans on what another one has imported, declared or written: another sample in each run that is not CI's."""
    chance = random.Random(1 if os.environ.get("HYPOTHESIS_PROFILE") == "same" else None)  # noqa: S311
    chosen = chance.sample([path for path in TESTS if path.parent.name != "integration"], 5)
    chosen += chance.sample([path for path in SOURCES if ">>>" in path.read_text(encoding="utf-8")], 5)
    for path in chosen:
        done = pytest_of(str(path))
        assert done.returncode in {0, pytest.ExitCode.NO_TESTS_COLLECTED}, f"{path}\n{done.stdout[-2000:]}"
