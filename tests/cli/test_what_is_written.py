"""What commands write: never over what they read, in the format that the file's name says, with the modes it had."""

from __future__ import annotations

import gzip
import io
import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner, Result

from cranfield.cli import main
from cranfield.formats import refuse_overwriting, write_whole
from cranfield.judged.conditions import CONDITION_FILES

QRELS = "1 0 a 2\n1 0 b 0\n1 0 c 1\n2 0 a 1\n"
RUNS = {"bm25": "bax", "dense": "acx", "poor": "xyb"}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with qrels and three runs, in which the commands are called."""
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "teams.csv").write_text("run,team\n" + "".join(f"{name},{name}\n" for name in RUNS))
    (tmp_path / "runs").mkdir()
    for name, found in RUNS.items():
        lines = [f"{topic} Q0 {d} {i} {9 - i} {name}\n" for topic in (1, 2) for i, d in enumerate(found, start=1)]
        (tmp_path / "runs" / f"{name}.txt").write_text("".join(lines))
    (tmp_path / "mine.py").write_text("raise SystemError('this file was run')\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def cranfield(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and not path.is_symlink()}


OVER_AN_INPUT = [
    "evaluate qrels.txt runs -o qrels.txt",
    "evaluate qrels.txt runs/bm25.txt -o runs/bm25.txt",
    "evaluate qrels.txt runs -o runs/bm25.txt",
    "evaluate qrels.txt runs/*.txt -o ./runs/../runs/dense.txt",
    "evaluate qrels.txt b=runs/bm25.txt -o runs/bm25.txt",
    "evaluate qrels.txt runs -o link.txt",
    "evaluate qrels.txt runs -o hard.txt",
    "evaluate qrels.txt link.txt -o runs/bm25.txt",
    "evaluate qrels.txt runs --measures-from mine.py -o mine.py",
    "compare qrels.txt runs -o qrels.txt",
    "compare qrels.txt runs -o runs/poor.txt",
    "compare --scores scores.csv -o scores.csv",
    "curve -m CG qrels.txt runs -o qrels.txt",
    "curve -m CG qrels.txt runs --reach 1 -o runs/poor.txt",
    "select runs -o runs/bm25.txt --format trec",
    "select runs --qrels qrels.txt -o qrels.txt --format trec",
    "cut runs --at 1 -o runs",
    "cut runs/bm25.txt --at 1 -o .//runs",
    "cut runs --oracle SetF --qrels cut/poor.txt -o cut",
    "cut link=runs/bm25.txt --at 1 -o .",
    "experiment archetypes qrels.txt runs -o qrels.txt",
    "experiment archetypes found/archetypes-runs.csv runs --out found",
    "experiment archetypes found/archetypes.json runs --out found",
    "experiment archetypes qrels.txt runs --also other=qrels.txt,found/archetypes-runs.csv --out found",
    "experiment reusability qrels.txt runs --teams teams.csv -o teams.csv",
    "experiment assessors qrels.txt runs --assessors others -o others/ann.txt",
    "experiment outcome qrels.txt runs --outcomes teams.csv -o teams.csv",
    "evaluate --collections exclude.toml -o found/given.csv",
    "evaluate --collections topics_file.toml -o found/given.csv",
    "compare --collections costs.toml -o found/given.csv",
    "reconcile teams.csv qrels.txt runs -o teams.csv",
    "gate qrels.txt runs/bm25.txt runs/poor.txt --documents qrels.txt -o found.csv",
]


@pytest.mark.parametrize("command", OVER_AN_INPUT)
def test_no_output_is_an_input(here: Path, command: str) -> None:
    for folder in ("cut", "found", "others"):
        (here / folder).mkdir()
    for copy in ("cut/poor.txt", "found/archetypes-runs.csv", "found/archetypes.json", "others/ann.txt"):
        (here / copy).write_text(QRELS)
    (here / "scores.csv").write_text("run,topic,measure,value\n")
    (here / "found" / "given.csv").write_text("1 a\n")
    for condition in CONDITION_FILES:
        named = f"qrels = 'qrels.txt'\nruns = 'runs'\n{condition} = 'found/given.csv'\n"
        (here / f"{condition}.toml").write_text(f"[collections.one]\n{named}")
    (here / "link.txt").symlink_to(here / "runs" / "bm25.txt")
    os.link(here / "runs" / "bm25.txt", here / "hard.txt")
    before = contents(here)
    result = cranfield(*command.split())
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert "is an input and would be overwritten" in result.stderr
    flag = next(each for each in ("--documents", "-o", "--out") if f" {each} " in command)
    assert Path(command.split()[command.split().index(flag) + 1]).name in result.stderr
    assert contents(here) == before


def test_the_standard_input_is_an_input(here: Path) -> None:
    command = f"{sys.executable} -m cranfield evaluate qrels.txt - -o runs/bm25.txt < runs/bm25.txt"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, cwd=here)
    assert result.returncode == 2
    assert result.stderr == (
        "cranfield: runs/bm25.txt: is an input and would be overwritten (it is the standard input); "
        "write somewhere else\n"
    )
    assert (here / "runs" / "bm25.txt").read_text().startswith("1 Q0 b 1")


def test_what_is_refused_is_refused_before_anything_is_read(here: Path) -> None:
    (here / "qrels.txt").write_text("no qrels at all\n")
    assert "overwritten" in cranfield("evaluate", "qrels.txt", "runs", "-o", "qrels.txt").stderr
    refused = cranfield("evaluate", "qrels.txt", "runs", "--measures-from", "mine.py", "-o", "runs/bm25.txt")
    assert "overwritten" in refused.stderr
    refuse_overwriting(["new.csv"], ["qrels.txt", "-", "nowhere.txt"])


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_a_new_file_beside_the_inputs_is_fine(here: Path, command: str) -> None:
    for _ in range(2):  # the second time over what the first one wrote
        assert cranfield(command, "qrels.txt", "runs/*.txt", "-o", "runs/scores.csv").exit_code == 0
    assert pl.read_csv(here / "runs" / "scores.csv").columns[0] in {"run", "measure"}


def test_a_file_keeps_its_modes_and_a_new_one_gets_the_usual(here: Path) -> None:
    secret, new = here / "secret.csv", here / "new.csv"
    secret.write_text("old")
    secret.chmod(0o600)
    umask = os.umask(0o027)
    try:
        for file in (secret, new):
            assert cranfield("evaluate", "qrels.txt", "runs", "-o", file).exit_code == 0
    finally:
        os.umask(umask)
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert stat.S_IMODE(new.stat().st_mode) == 0o640
    secret.chmod(0o604)
    write_whole(secret, b"again")
    assert (stat.S_IMODE(secret.stat().st_mode), secret.read_bytes()) == (0o604, b"again")


@pytest.mark.parametrize("output", ["new.csv/", "runs", "runs/"])
def test_a_folder_is_no_file(here: Path, output: str) -> None:
    result = cranfield("evaluate", "nowhere.txt", "runs", "-o", output)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"cranfield: {output}: is a folder; name a file\n"
    assert not (here / "new.csv").exists()


def _parquet(data: bytes) -> bool:
    return pl.read_parquet(io.BytesIO(data)).columns == ["run", "topic", "measure", "value"]


HOLDS: dict[str, Callable[[bytes], bool]] = {
    "x.csv": lambda data: data.startswith(b"run,topic,measure,value\n"),
    "x.CSV": lambda data: data.startswith(b"run,topic,measure,value\n"),
    "x.csv.gz": lambda data: gzip.decompress(data).startswith(b"run,topic,measure,value\n"),
    "x.csv.zst": lambda data: data.startswith(b"\x28\xb5\x2f\xfd"),
    "x.json": lambda data: json.loads(data)[0]["measure"] == "AP",
    "x.tex": lambda data: data.startswith(b"\\begin{table}\n\\centering\n\\caption{Averages over 2 topics."),
    "x.md": lambda data: data.startswith(b"| run"),
    "x.parquet": _parquet,
    "x.txt": lambda data: data.startswith(b"run        AP\n"),
    "x": lambda data: data.startswith(b"run        AP\n"),
}


@pytest.mark.parametrize("name", HOLDS)
def test_the_suffix_says_the_format(here: Path, name: str) -> None:
    result = cranfield("evaluate", "qrels.txt", "runs", "-m", "AP", "-o", name)
    assert (result.exit_code, result.stdout) == (0, "")
    assert HOLDS[name]((here / name).read_bytes())


def test_a_long_text_is_printed_piece_by_piece(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = cranfield("evaluate", "qrels.txt", "né→1=runs/bm25.txt", "-m", "AP").stdout
    monkeypatch.setattr("cranfield.cli._output.PIECE", 3)
    assert cranfield("evaluate", "qrels.txt", "né→1=runs/bm25.txt", "-m", "AP").stdout == whole
    assert "né→1" in whole


@pytest.mark.parametrize(
    "command",
    ["evaluate qrels.txt runs", "compare qrels.txt runs", "curve -m CG qrels.txt runs", "select runs",
     "experiment archetypes qrels.txt runs"],
)  # fmt: skip
@pytest.mark.parametrize(
    ("suffix", "start"),
    [
        ("csv", b""),
        ("json", (b"[", b'{\n "schema": "cranfield/compare"')),
        ("tex", b"\\begin"),
        ("md", (b"|", b"**dense leads bm25")),
    ],
)
def test_so_it_does_for_every_command(here: Path, command: str, suffix: str, start: bytes) -> None:
    result = cranfield(*command.split(), "-o", f"found.{suffix}")
    assert (result.exit_code, result.stdout) == (0, "")
    written = (here / f"found.{suffix}").read_bytes()
    assert written.startswith(start)
    assert suffix != "csv" or b"," in written.splitlines()[0]
    contrary = cranfield(*command.split(), "-o", f"other.{suffix}", "--format", "parquet")
    assert contrary.exit_code == 2
    assert contrary.stderr.startswith(f"cranfield: other.{suffix}: its suffix says ")
    assert contrary.stderr.count("\n") == 1
    assert not (here / f"other.{suffix}").exists()


@pytest.mark.parametrize(
    ("name", "format_", "refused"),
    [("x.csv", "csv", False), ("x.csv", "table", True), ("x.txt", "csv", True), ("x.txt", "trec_eval", False),
     ("x.out", "json", False), ("x.tex", "trec_eval", True), ("x.json.gz", "csv", True)],
)  # fmt: skip
def test_a_format_that_the_suffix_contradicts_is_refused(here: Path, name: str, format_: str, refused: bool) -> None:
    result = cranfield("evaluate", "qrels.txt", "runs", "-o", name, "--format", format_)
    assert result.exit_code == (2 if refused else 0)
    assert (here / name).exists() != refused


# All or nothing.


class _Stopped(SystemExit):
    """What a signal makes of itself."""


def _fail_at(number: int, error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the replacement of this file fail, counted from 1, and only that."""
    replace, calls = Path.replace, iter(range(1, 1000))

    def fail(path: Path, target: Path) -> Path:
        if next(calls) == number:
            raise error
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", fail)


def test_a_file_that_another_program_has_open_stays_as_it_was(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows a file that is open cannot be replaced."""
    (here / "scores.csv").write_text("old")
    before = contents(here)
    _fail_at(1, PermissionError(13, "Access is denied"), monkeypatch)
    result = cranfield("evaluate", "qrels.txt", "runs", "-o", "scores.csv")
    problem = "cannot be replaced: no permission, or another program has it open"
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (2, f"cranfield: scores.csv: {problem}")
    assert contents(here) == before


SEVERAL = [
    "cut runs --at 1 -o out",
    "experiment archetypes qrels.txt runs --out out",
    "gate qrels.txt runs/bm25.txt runs/poor.txt --junit out/bm25.txt --documents out/d.csv --keep out/k.json -o out/o",
    "select runs --files out/new -o out/archetypes-shares.csv",
]


@pytest.mark.parametrize("command", SEVERAL)
@pytest.mark.parametrize("error", [PermissionError(13, "denied"), KeyboardInterrupt(), _Stopped(143)])
def test_several_files_are_all_there_or_none(
    here: Path, monkeypatch: pytest.MonkeyPatch, command: str, error: BaseException
) -> None:
    (here / "out").mkdir()
    for old in ("bm25.txt", "archetypes-shares.csv", "archetypes.json"):
        (here / "out" / old).write_text("old")
    before = contents(here)
    with monkeypatch.context() as patched:
        _fail_at(2, error, patched)
        result = cranfield(*command.split())
    assert result.exit_code != 0
    assert contents(here) == before
    assert cranfield(*command.split()).exit_code in {0, 3}  # which says that nothing is decided, and is no failure
    assert len(contents(here)) > len(before)


NEVER_BEGUN = [
    ("gate qrels.txt runs/bm25.txt runs/poor.txt --junit g --documents nowhere/d.csv", "nowhere/d.csv: no such folder"),
    (
        "gate qrels.txt runs/bm25.txt runs/poor.txt --junit g.csv --documents g.csv",
        "g.csv: two outputs go to this file",
    ),
    ("why qrels.txt runs/bm25.txt runs/poor.txt --topic 1 --plot w.svg -o nowhere/w", "nowhere/w: no such folder"),
    ("select runs --files out --format trec -o f", "with --format trec, leave --files out"),
    ("judge new task --runs runs --docs nul.jsonl", "nul.jsonl, line 1: not a text file"),
    ("judge new task --runs runs --assessor a --assessor", "requires an argument"),
    ("judge new task --runs runs --stop Nothing", "Nothing"),
    ("judge new deep/task --runs runs --assessor <long>", "a name has 1 to 80 characters"),
]


@pytest.mark.parametrize(("command", "problem"), NEVER_BEGUN)
def test_what_fails_leaves_what_was_there(here: Path, command: str, problem: str) -> None:
    (here / "nul.jsonl").write_bytes(b"\0\0")
    before = sorted(here.rglob("*"))
    result = cranfield(*command.replace("<long>", "x" * 100).split())
    assert (result.exit_code, result.stdout, problem in result.stderr) == (2, "", True), result.stderr
    assert sorted(here.rglob("*")) == before


def test_what_a_killed_command_left_is_mended_and_said(here: Path) -> None:
    """The next call that writes there says so, whatever it is."""
    script = (
        "import os; from pathlib import Path; from cranfield.formats import unfinished, writing\n"
        "def half(every): every[0].beside.replace(every[0].target); os._exit(9)\n"
        "writing.finish = half\n"
        "writing.write_together(Path('out'), {Path('out', name): b'new' for name in 'ab'})"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 9
    assert not (here / "out" / "b").exists()
    done = cranfield("evaluate", "qrels.txt", "runs", "-m", "AP", "-o", "out/scores.csv", "--quiet")
    assert done.exit_code == 0
    assert "note: an earlier call was killed while it replaced " in done.stderr
    assert {path.name for path in (here / "out").iterdir()} == {"a", "b", "scores.csv"}
    assert (here / "out" / "b").read_bytes() == b"new"


def test_a_run_that_is_wrong_leaves_none_of_the_others(here: Path) -> None:
    (here / "runs" / "poor.txt").write_text("1 Q0 a 1 high poor\n")
    before = contents(here)
    result = cranfield("cut", "runs", "--at", 1, "-o", "out")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "runs/poor.txt, line 1: the score 'high' is not a number" in result.stderr
    assert contents(here) == before


@pytest.mark.parametrize("there", [True, False])
def test_an_interrupted_simulation_leaves_nothing(here: Path, monkeypatch: pytest.MonkeyPatch, there: bool) -> None:
    if there:
        (here / "new").mkdir()
    before = sorted(here.rglob("*"))
    replace, calls = Path.replace, iter(range(1000))

    def stop(path: Path, target: Path) -> Path:
        if next(calls) == there:
            raise _Stopped(143)
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", stop)
    result = cranfield("simulate", "new", "--systems", 4, "--topics", 2, "--depth", 10, "--pool-depth", 5)
    assert result.exit_code == 143
    assert sorted(here.rglob("*")) == before


# Names of files that are no text, and pipes: by real processes.


def shell(command: str, here: Path) -> tuple[int, str, str]:
    called = command.replace("cranfield", f"{sys.executable} -m cranfield")
    result = subprocess.run(["bash", "-c", called], capture_output=True, check=False, cwd=here, timeout=60)
    return result.returncode, result.stdout.decode(), result.stderr.decode()


def test_names_that_are_no_text(here: Path) -> None:
    (here / "runs" / os.fsdecode(b"r\xff.txt")).write_bytes((here / "runs" / "bm25.txt").read_bytes())
    (here / os.fsdecode(b"q\xff")).write_text(QRELS)
    code, table, audit = shell("cranfield evaluate $'q\\xff' runs -m AP -o $'o\\xff.csv'; cat $'o\\xff.csv'", here)
    assert "r\\xff,all,AP," in table
    assert "audit: 4 runs" in audit
    code, _, said = shell("cranfield evaluate $'q\\xff' $'n\\xff.txt'", here)
    assert (code, said) == (2, "cranfield: n\\xff.txt: no such file\n")


NAMED_SO = [
    ("evaluate qrels.txt {} -m AP", "r\\xff  0.3750"),
    ("evaluate qrels.txt {} -m AP --format json", '"r\\\\xff"'),
    ("evaluate qrels.txt {} -m AP --format latex", "r\\textbackslash{{}}xff"),
    ("evaluate qrels.txt {} -m AP --format markdown", "r\\\\xff"),
    ("compare qrels.txt {} runs/bm25.txt -m AP", "r\\xff"),
    ("overlap {} runs/bm25.txt", "r\\xff"),
    ("select {} --budget 2", "r\\xff:"),
    ("curve -m CG qrels.txt {}", "r\\xff"),
    ("cut {} --at 1 -o out", "out/r\\xff: "),
    ("agreement qrels.txt {qrels}", "q\\xff"),
    ("experiment archetypes {qrels} {} --out found --table runs", "r\\xff"),
    ("experiment assessors qrels.txt {} runs/bm25.txt --assessors {qrels}", "q\\xff"),
    ("simulate {new} --systems 4 --topics 2 --depth 10 --pool-depth 5", "new\\xff/qrels.txt"),
]


@pytest.mark.parametrize(("command", "shown"), NAMED_SO)
def test_every_command_shows_them_alike(here: Path, command: str, shown: str) -> None:
    run, qrels, new = (os.fsdecode(name) for name in (b"r\xff", b"q\xff", b"new\xff"))
    Path(run).write_bytes((here / "runs" / "bm25.txt").read_bytes())
    Path(qrels).write_text(QRELS)
    words = [word.format(run, qrels=qrels, new=new) for word in command.split()]
    result = cranfield(*words)
    assert result.exit_code == 0, result.output
    assert shown.replace("{{", "{").replace("}}", "}") in result.stdout
    if command.startswith("cut"):
        assert [os.fsencode(path) for path in Path("out").iterdir()] == [b"out/r\xff"]


def test_pipes(here: Path) -> None:
    code, out, _ = shell(
        "cranfield evaluate <(cat qrels.txt) <(cat runs/bm25.txt) x=<(gzip -c runs/poor.txt) -m AP --bounds", here
    )
    assert (code, [line.split()[0] for line in out.splitlines()]) == (0, ["run", "bm25", "x"])
    code, out, _ = shell("cranfield cut <(cat runs/bm25.txt) --at 1 -o out && cat out/*", here)
    assert (code, out) == (
        0, "out/bm25.txt: 1.0 documents a topic\n1 Q0 b 1 8.0 bm25\n2 Q0 b 1 8.0 bm25\n"
    )  # fmt: skip
    code, _, said = shell("cranfield evaluate qrels.txt <(cat runs/bm25.txt runs/bm25.txt)", here)
    assert code == 2
    assert ", line 7: document 'b' is retrieved twice for topic '1'" in said


def test_nothing_that_a_terminal_would_obey(here: Path) -> None:
    name = "\x1b[31m*[x]|\n=1"
    (here / name).write_bytes((here / "runs" / "bm25.txt").read_bytes())
    escaped = "\\x1b[31m*[x]|\\n=1"
    for command in ("evaluate qrels.txt", "compare qrels.txt runs/poor.txt"):
        result = cranfield(*command.split(), name, "-m", "AP")
        assert escaped in result.stdout
        assert "\x1b" not in result.output
        csv = cranfield(*command.split(), name, "-m", "AP", "--format", "csv").stdout
        assert name in pl.read_csv(csv.encode()).row(0)
    trec = cranfield("evaluate", "qrels.txt", name, "runs", "-m", "AP", "--format", "trec_eval")
    assert f"runs, a block each: {escaped}, bm25" in trec.stderr


def test_nothing_is_written_twice(here: Path) -> None:
    command = "experiment archetypes qrels.txt runs --table runs --out found -o ./found/archetypes-shares.csv"
    result = cranfield(*command.split())
    problem = "-o and --out would both write this file; leave one of them out"
    assert (result.exit_code, result.stderr) == (2, f"cranfield: ./found/archetypes-shares.csv: {problem}\n")
    assert not (here / "found").exists()


def test_a_pipe_or_a_device_is_written_as_it_is(here: Path) -> None:
    code, out, _ = shell("cranfield evaluate qrels.txt runs -m AP --quiet -o /dev/stdout | head -1", here)
    assert (code, out) == (0, "run        AP\n")
    code, _, said = shell("cranfield evaluate qrels.txt runs -m AP --quiet -o /dev/full", here)
    assert (code, said) == (2, "cranfield: /dev/full: cannot be written: No space left on device\n")


@pytest.mark.parametrize("stream", ["-", "/dev/stdout"])
def test_nothing_goes_to_the_standard_output_before_the_other_files_are_known(tmp_path: Path, stream: str) -> None:
    """The qrels went out before the run was refused."""
    (tmp_path / "golden.jsonl").write_text('{"question": "why", "relevant": ["a"]}\n')
    command = [sys.executable, "-m", "cranfield", "convert", "golden.jsonl", "--qrels", stream, "--run", "run.txt"]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert result.returncode == 2
    assert result.stdout == ""
    assert "without retrieved documents" in result.stderr
    assert not (tmp_path / "run.txt").exists()
    (tmp_path / "golden.jsonl").write_text('{"question": "why", "relevant": ["a"], "retrieved": ["a"]}\n')
    assert subprocess.run(command, capture_output=True, check=True, cwd=tmp_path).stdout == b"why 0 a 1\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_what_a_device_refuses_leaves_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "golden.jsonl").write_text('{"question": "why", "relevant": ["a"], "retrieved": ["a"]}\n')
    (tmp_path / "run.txt").write_text("old")
    result = cranfield("convert", tmp_path / "golden.jsonl", "--qrels", "/dev/full", "--run", tmp_path / "run.txt")
    assert result.exit_code == 2
    assert "/dev/full: cannot be written" in result.stderr
    assert (tmp_path / "run.txt").read_text() == "old"
