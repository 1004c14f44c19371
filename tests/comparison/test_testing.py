"""What a test of a search is told: worse fails, undecided warns, fails or passes as it was asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import cranfield as cf
from cranfield.testing import UndecidedWarning, assert_not_worse

QRELS = {str(topic): {"a": 1} for topic in range(20)}
BASE = {topic: {"a": 2.0, "b": 1.0} for topic in QRELS}
WORSE = {topic: {"a": 1.0, "b": 2.0} for topic in QRELS}
OPEN = BASE | {topic: WORSE[topic] for topic in ("1", "2", "3")}
UNJUDGED = {topic: {"x": 2.0, "a": 1.0} for topic in QRELS}


def test_verdicts() -> None:
    assert assert_not_worse(QRELS, BASE, BASE, "RR", margin=0.01).passes
    judged = {topic: {"a": 1, "b": 0} for topic in QRELS}
    assert assert_not_worse(judged, WORSE, BASE, "RR").verdict == "better"
    # Were b relevant, which nobody judged and the base has first, RR would be 1 by both: equal, and better no more.
    held = assert_not_worse(QRELS, WORSE, BASE, "RR", margin=0.01, complete=False)
    assert held.rows.select("verdict", "on_judged", "least", "most").row(0) == ("not worse", "better", 0.0, 0.5)
    with pytest.raises(AssertionError, match="new must not replace base: worse in RR and AP") as caught:
        assert_not_worse(judged, BASE, WORSE, ["RR", "AP"])
    assert all(measure in str(caught.value) for measure in ("RR", "AP", "-0.5000"))


@pytest.mark.parametrize(("new", "verdict"), [(OPEN, "undecided"), (UNJUDGED, "worse on what was judged")])
def test_what_cannot_be_said(new: cf.RunsLike, verdict: str) -> None:
    with pytest.warns(UndecidedWarning, match=verdict):
        assert_not_worse(QRELS, BASE, new, "RR", complete=False)
    with pytest.raises(AssertionError, match=verdict):
        assert_not_worse(QRELS, BASE, new, "RR", undecided="fail", unjudged="fail", complete=False)
    assert not assert_not_worse(QRELS, BASE, new, "RR", undecided="pass", unjudged="pass", complete=False).passes


def test_refusals() -> None:
    with pytest.raises(cf.InputError, match="undecided must be"):
        assert_not_worse(QRELS, BASE, BASE, undecided="skip")  # type: ignore[arg-type]
    with pytest.raises(cf.InputError, match="base is one run; 2 were given"):
        assert_not_worse(QRELS, [BASE, BASE], BASE)


@pytest.mark.integration
def test_in_pytest(tmp_path: Path) -> None:
    """Files are named after themselves; the failure is the report, and not our own lines."""
    lines = {"main": ("a", "b"), "branch": ("b", "a")}
    (tmp_path / "qrels.txt").write_text("".join(f"{t} 0 a 1\n{t} 0 b 0\n" for t in QRELS))
    for name, documents in lines.items():
        run = "".join(f"{t} Q0 {d} {r} {9 - r} x\n" for t in QRELS for r, d in enumerate(documents, 1))
        (tmp_path / f"{name}.run").write_text(run)
    (tmp_path / "test_search.py").write_text(
        "from cranfield.testing import assert_not_worse\n\n"
        "def test_branch():\n    assert_not_worse('qrels.txt', 'main.run', 'branch.run', 'nDCG@10', margin=0.02)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_search.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "AssertionError: branch must not replace main: worse in nDCG@10 by more than 0.02." in done.stdout
    assert "testing.py" not in done.stdout
