"""How commands end as a shell meets them: streams that are closed or full, limits, forks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

COMMAND = [sys.executable, "-m", "cranfield"]
FULL = Path("/dev/full")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n2 0 a 2\n")
    (tmp_path / "r.run").write_text("1 Q0 a 1 2 r\n1 Q0 x 2 1 r\n2 Q0 b 1 2 r\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("watching", "says"),
    [(["cProfile", "-m", "cranfield"], "function calls"), (["trace", "-T", "--module", "cranfield"], "calling")],
)
def test_who_looks_on_has_the_last_word(here: Path, watching: list[str], says: str) -> None:
    command = [sys.executable, "-m", *watching, "evaluate", "qrels.txt", "r.run", "-m", "AP"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0)
    assert "0.5000" in done.stdout
    assert says in done.stdout


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("command", [["evaluate", "qrels.txt", "r.run"], ["measures"], ["evaluate", "--help"]])
def test_a_full_output_is_said(here: Path, command: list[str]) -> None:
    with FULL.open("wb") as full:
        done = subprocess.run([*COMMAND, *command], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr == "cranfield: the output cannot be written: No space left on device\n"


@pytest.mark.skipif(os.name == "nt", reason="a shell closes the output")
def test_a_closed_output_is_said(here: Path) -> None:
    shell = f"{sys.executable} -m cranfield evaluate qrels.txt r.run >&-"
    done = subprocess.run(["sh", "-c", shell], stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        2,
        "cranfield: the output cannot be written: the standard output is closed",
    )


@pytest.mark.skipif(os.name == "nt", reason="a shell closes the streams")
@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        ("--help >&-", 2, "the output cannot be written: the standard output is closed"),
        ("evaluate qrels.txt - <&-", 2, "standard input: is closed"),
        ("evaluate qrels.txt r.run 2>&- >out.txt", 0, ""),
        ("evaluate qrels.txt nowhere.run 2>/dev/full", 2, ""),
        ("--help | true", 0, ""),
        ("--version | true", 0, ""),
    ],
)
def test_streams_that_are_closed_or_full(here: Path, command: str, status: int, said: str) -> None:
    shell = f"set -o pipefail; {sys.executable} -m cranfield {command}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (status, f"cranfield: {said}\n" if said else "")


@pytest.mark.skipif(sys.platform != "linux", reason="limits on addresses are heeded by Linux")
@pytest.mark.parametrize(
    ("addresses", "command", "status", "said"),
    [
        (6_000_000, "plot leaderboard qrels.txt r.run -o f.svg", 2, "68 GB of addresses"),
        (48_000_000, "plot leaderboard qrels.txt r.run -o f.pdf", 2, "write .html or .json"),
        (6_000_000, "plot leaderboard qrels.txt r.run --quiet -o f.json", 0, ""),
        (900_000, "evaluate qrels.txt r.run --quiet --format json", 0, ""),  # needs no table, for which this is too few
        (700_000, "trace qrels.txt r.run", 2, "ulimit"),
    ],
)
def test_addresses_that_a_limit_does_not_leave(
    here: Path, addresses: int, command: str, status: int, said: str
) -> None:
    shell = f"ulimit -v {addresses}; {sys.executable} -m cranfield {command}"
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stderr.count("\n")) == (status, int(bool(said)))
    assert said in done.stderr
    assert not list(here.glob("f.svg")) and not list(here.glob("f.pdf"))


def test_figures_where_python_drops_docstrings(here: Path) -> None:
    command = [sys.executable, "-OO", "-m", "cranfield", "plot", "leaderboard", "qrels.txt", "r.run"]
    done = subprocess.run([*command, "--quiet", "-o", "f.html"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Leaderboard by AP" in (here / "f.html").read_text()


def test_grades_beyond_all_whole_numbers_cause_no_warning(here: Path) -> None:
    (here / "large.txt").write_text("1 0 a 1e308\n1 0 b 1e308\n2 0 a 2\n")
    for command in (["trace", "large.txt", "r.run"], ["gate", "large.txt", "r.run", "r.run", "-m", "DCG"]):
        done = subprocess.run([*COMMAND, *command], capture_output=True, text=True, check=False)
        assert done.returncode != 70
        assert "Warning" not in done.stderr


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1"])
def test_an_encoding_without_sigma(encoding: str) -> None:
    done = subprocess.run(
        [*COMMAND, "measures", "AP"], capture_output=True, env=os.environ | {"PYTHONIOENCODING": encoding}, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"of the relevant documents" in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such locale")
def test_names_of_files_where_python_takes_only_ascii(tmp_path: Path) -> None:
    """The bytes of a name are UTF-8 still: runs are named so, and what is written holds them."""
    bare = os.environ | {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
    (tmp_path / "qrels-é.txt").write_text("".join(f"{topic} 0 é 1\n" for topic in range(8)), "utf-8")
    for name in ("naïve", "λ"):
        (tmp_path / f"{name}.run").write_text("".join(f"{t} Q0 é 1 1 r\n" for t in range(8)), "utf-8")
    runs = ["naïve.run", "λ.run"]

    def called(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([*COMMAND, *arguments], capture_output=True, env=bare, cwd=tmp_path, check=False)

    gate = called("gate", "qrels-é.txt", *runs, "-m", "RR", "--format", "json", "--margin", "0.1")
    assert (gate.returncode, json.loads(gate.stdout)["base"]) == (0, "naïve")
    for arguments in (
        ["evaluate", "qrels-é.txt", *runs, "-m", "RR", "-o", "é.csv"],
        ["why", "qrels-é.txt", *runs, "-m", "RR", "-o", "warum-é.md"],
        ["plot", "leaderboard", "qrels-é.txt", *runs, "-o", "é.svg"],
        ["judge", "new", "tâche", "--runs", runs[0], "--runs", runs[1]],
        ["track", "demo", "spür"],
    ):
        assert called(*arguments).returncode == 0, arguments
    assert "naïve" in (tmp_path / "é.csv").read_text("utf-8")


FORKING = """
import multiprocessing, sys
import cranfield as cf

runs = {"table": {"r": [("1", "a", 1.0)]}, "dict": {"r": {"1": {"a": 1.0}}}}

def score(kind):
    try:
        return cf.evaluate({"1": {"a": 1}}, runs[kind], "AP").averages.tolist()
    except cf.CranfieldError as error:
        return str(error)

if __name__ == "__main__":
    method, first, kind = sys.argv[1:]
    if first == "after":
        score("table")
    with multiprocessing.get_context(method).Pool(2) as pool:
        print(pool.map(score, [kind]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize(
    ("method", "first", "kind", "said"),
    [
        ("fork", "after", "table", "forked after cranfield had started its threads"),
        ("fork", "after", "dict", "[1.0]"),
        ("fork", "before", "table", "[1.0]"),
        ("spawn", "after", "table", "[1.0]"),
    ],
)
def test_forked_children_do_not_hang(tmp_path: Path, method: str, first: str, kind: str, said: str) -> None:
    (tmp_path / "script.py").write_text(FORKING)
    script = [sys.executable, str(tmp_path / "script.py"), method, first, kind]
    assert said in subprocess.run(script, capture_output=True, text=True, check=True, timeout=60).stdout
