"""Experiments beside plain scripts: whether both find the same, and whether it would be seen if they did not."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:  # the benchmarks are run from the repository root and are not installed
    sys.path.insert(0, str(ROOT))

pytest.importorskip("pytrec_eval")

from benchmarks.__main__ import TINY_STUDIED  # noqa: E402
from benchmarks.experiments import STUDIES, DisagreementError, difference, section  # noqa: E402
from benchmarks.timing import Patience  # noqa: E402

from benchmarks import experiments, workloads  # noqa: E402


@pytest.mark.integration
def test_scripts_find_what_ours_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workloads, "WORK", tmp_path)
    text = section(workloads.make(TINY_STUDIED), Patience(1, 60), tmp_path, "Today.", lambda _: None)
    assert "16 runs, 120 pairs" in text
    assert "failed" not in text
    assert all(f"| {study.does} | " in text for study in STUDIES)


def _tables(folder: Path, ours: str, theirs: str) -> tuple[Path, Path]:
    (folder / "ours.csv").write_text(ours)
    (folder / "script.stdout").write_text(theirs)
    return folder / "ours.csv", folder / "script.csv"


def test_rows_are_told_apart_by_their_keys(tmp_path: Path) -> None:
    """Ours has more columns and rows, another order, and numbers written otherwise."""
    swap = next(study for study in STUDIES if study.script == "swap")
    ours = "measure,size,low,rate\nAP,25,0.01,0.25\nAP,25,0.0,0.5\nAP,25,0.02,\n"
    tables = _tables(tmp_path, ours, "measure,low,rate\nAP,0.0,0.5\nAP,0.010,0.26\n")
    assert difference(swap, *tables) == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("run_a,run_b,p_adjusted\na,b,0.3\n", "cranfield 0.25, the script 0.3"),
        ("run_a,run_b,p_adjusted\na,b,nan\n", "cranfield 0.25, the script nan"),
        ("run_a,run_b,p_adjusted\na,b,0.25\na,c,1\n", "finds 2 values, and ours lacks some"),
        ("run_a,run_b,p_adjusted\n", "finds 0 values"),
    ],
)
def test_what_differs_is_refused(script: str, said: str, tmp_path: Path) -> None:
    compare = next(study for study in STUDIES if study.script == "compare")
    tables = _tables(tmp_path, "run_a,run_b,p_adjusted\na,b,0.25\n", script)
    with pytest.raises(DisagreementError, match=said):
        difference(compare, *tables)


def test_a_script_that_fails_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = replace(STUDIES[0], script="nowhere", command=("no-such-command",))
    monkeypatch.setattr(experiments, "STUDIES", (nowhere,))
    text = section(workloads.Files("qrels", ("run",)), Patience(1, 60), tmp_path, "", lambda _: None)
    assert f"| {nowhere.does} | failed |" in text
    assert "No module named benchmarks.plain.nowhere" in text
