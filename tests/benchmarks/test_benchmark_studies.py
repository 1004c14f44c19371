"""The benchmark of the studies: whether it runs, and whether the loops that it is held against compute the same."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:  # the benchmarks are run from the repository root and are not installed
    sys.path.insert(0, str(ROOT))

from benchmarks import studies, workloads  # noqa: E402
from cranfield.statistics.bootstrap import discriminate  # noqa: E402


@pytest.mark.parametrize("name", list(studies.RIVALS))
def test_the_loops_find_the_same_levels(name: str) -> None:
    differences = np.random.default_rng(2).normal(0.25, 1, (6, 30))
    expected = discriminate(differences, resamples=20_000).asl
    assert expected.min() < 0.1 < expected.max()
    # 0.05 is more than three standard errors of a share of 1,000 resamples.
    assert [studies.RIVALS[name](z) for z in differences] == pytest.approx(expected, abs=0.05)


def test_each_study_is_timed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workloads, "WORK", tmp_path)
    monkeypatch.setattr(studies, "STUDIED", workloads.TINY)
    monkeypatch.setattr(studies, "STUDIES", studies.STUDIES[:2])
    result = CliRunner().invoke(studies.main, [], catch_exceptions=False)
    assert result.exit_code == 0
    assert "| compare | 5 | 10 | 4 |" in result.output
    assert "| discriminative-power | 5 | 10 | 8 |" in result.output
    assert all(name in result.output for name in studies.RIVALS)
