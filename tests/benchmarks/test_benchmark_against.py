"""The comparison with a commit: what it says of what became slower, and where there is nothing to compare with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:  # the benchmarks are run from the repository root and are not installed
    sys.path.insert(0, str(ROOT))

from benchmarks import against  # noqa: E402


def test_a_fifth_more_is_named() -> None:
    text = against.told({"one": (1.0, 1.25), "other": (1.0, 1.1), "new": None}, "0123456789abcdef")
    assert text.splitlines()[1].split() == ["one", "1.000", "s", "1.250", "s", "1.25"]
    assert "new                           fails, here or there" in text
    assert text.endswith("a fifth slower or more: one")


def test_both_sides_do_the_work_with_their_own_sources(tmp_path: Path) -> None:
    for name, code in (("former", ""), ("now", "sum(range(3_000_000))")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "the_work.py").write_text(code)
    sides = tmp_path / "former", tmp_path / "now"
    work = [against.Work("module", ("-m", "the_work")), against.Work("nowhere", ("-m", "nowhere_at_all"))]
    found = against.least(work, sides, seconds=0)
    assert found["nowhere"] is None
    assert found["module"] is not None
    assert found["module"][1] > found["module"][0]


def test_a_commit_is_checked_out_beside_and_goes_again(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        names = ("-c", "user.name=a", "-c", "user.email=a@b")
        done = subprocess.run(["git", *names, *arguments], cwd=tmp_path, check=True, capture_output=True, text=True)
        return done.stdout

    git("init", "--quiet")
    for text in ("old", "new"):
        (tmp_path / "src").mkdir(exist_ok=True)
        (tmp_path / "src" / "file.py").write_text(text)
        git("add", ".")
        git("commit", "--quiet", "-m", text)
    with against.checked_out("HEAD~1", tmp_path) as sources:
        assert (sources / "file.py").read_text() == "old"
        assert len(git("worktree", "list").splitlines()) == 2
    assert not sources.exists()
    assert len(git("worktree", "list").splitlines()) == 1


def test_without_that_commit_nothing_fails() -> None:
    found = CliRunner().invoke(against.main, ["no-such-commit"])
    assert found.exit_code == 0
    assert found.output == "no commit no-such-commit here to compare the speed with\n"


@pytest.mark.parametrize("name", ["--help", "one small run"])
def test_the_pieces_of_work_can_be_done(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(against, "make", lambda size: _tiny(tmp_path))
    [work] = [each for each in against.pieces() if each.name == name]
    subprocess.run([sys.executable, *work.arguments], cwd=ROOT, check=True, capture_output=True)


def _tiny(folder: Path) -> object:
    from benchmarks.workloads import Files

    (folder / "qrels.txt").write_text("1 0 a 1\n")
    (folder / "run.txt").write_text("1 Q0 a 1 1.0 run\n")
    return Files(str(folder / "qrels.txt"), (str(folder / "run.txt"),))
