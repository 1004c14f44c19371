"""Every option and argument that takes a file, of all commands, with contents that no reader can want.

Which they are is found in the commands' own declarations: one that is not called here fails. Each is first tried with
a good file, so that it is read; then with each bad content. A command refuses it in one short line and writes nothing,
or makes something of it (of a file of blanks, say, which may be guidelines): it never ends as if by a bug.
"""

from __future__ import annotations

import gzip
import io
import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from runpy import run_path
from typing import Any, NamedTuple

import click
import polars as pl
import pytest
import zstandard

from cranfield.cli._files import NamedByOption

CORPUS = run_path(str(Path(__file__).with_name("test_corpus.py")))
CALLS, COMMANDS, GOOD, OTHERWISE, RUNS, REFUSED, SEED = (
    CORPUS[name] for name in ("CALLS", "COMMANDS", "GOOD", "OTHERWISE", "RUNS", "REFUSED", "SEED")
)
ended: Callable[[tuple[str, ...]], Any] = CORPUS["ended"]

LONGEST_LINE = 300
"""How long what a command says may be, names and paths shortened."""

TOPICS = range(1, 7)
OTHER_GOOD = {
    "topics.txt": "".join(f"{t}\twhat is {t}\n" for t in TOPICS),
    "topic-weights.txt": "".join(f"{t} {t}\n" for t in TOPICS),
    "groups.txt": "".join(f"{t} {'even' if t % 2 else 'odd'}\n" for t in TOPICS),
    "clusters.txt": "".join(f"{t} {t // 2}\n" for t in TOPICS),
    "excluded.txt": "1 x\n2 y\n",
    "costs.txt": "".join(f"{d} {n}\n" for n, d in enumerate("abcxy", 1)),
    "docs.jsonl": "".join(f'{{"doc_id": "{d}", "text": "of {d}"}}\n' for d in "abcxy"),
    "ids.txt": "a\nb\nc\nx\ny\n",
    "pool.txt": "".join(f"{t} {d}\n" for t in TOPICS for d in "ab"),
    "kinds.csv": "run,kind\none,A\ntwo,B\nthree,B\n",
    "priorities.txt": "one A 1\ntwo B 2\n",
    "propensities.csv": "rank,propensity\n1,1\n2,0.5\n3,0.4\n",
    "other-scores.csv": "run,topic,measure,value\none,1,AP,1\none,2,AP,0\ntwo,1,AP,1\ntwo,2,AP,1\n",
    "numbers.csv": "run,measure,value\none,P@1,1.0000\n",
    "guide.md": "# Judge well\n",
    "own.py": "import cranfield\n\ncranfield.measure('Own', len)\n",
    "full.txt": "".join(f"{t} 0 {d} {n % 2}\n" for t in TOPICS for n, d in enumerate("abcxy")),
    "golden-run.jsonl": '{"user_input": "1", "reference_contexts": ["a text"], "retrieved_contexts": ["a text"]}\n',
    "collections.toml": '[collections.here]\nqrels = "qrels.txt"\nruns = ["one.run", "two.run"]\n',
    "gate.toml": 'margin = "2%"\n',
}
HELD = (
    CORPUS["SAMPLE"],
    CORPUS["TASK"],
    ("compare", "qrels.txt", "one.run", "two.run", "--keep", "kept.json", "--quiet"),
    ("sample", *RUNS, "--design", "weighted", "--per-topic", "2", "-m", "P@2", "-o", "weighted.csv", "--quiet"),
    ("experiment", "influence", "qrels.txt", *RUNS, "-m", "P@2", "--out", "found", "--quiet"),
)
"""Calls that make what other calls read."""

FILES = {
    "--also": "more=qrels2.txt,*.run",
    "--assessors": "qrels2.txt",
    "--cheap": "qrels2.txt",
    "--clusters": "clusters.txt",
    "--collections": "collections.toml",
    "--costs": "costs.txt",
    "--docs": "docs.jsonl",
    "--exclude": "excluded.txt",
    "--groups": "groups.txt",
    "--guidelines": "guide.md",
    "--kinds": "kinds.csv",
    "--log": "events.jsonl",
    "--measures-from": "own.py",
    "--only": "topics.txt",
    "--outcomes": "outcomes.csv",
    "--qrels": "qrels.txt",
    "--scores": "scores.csv",
    "--settings": "gate.toml",
    "--since": "kept.json",
    "--teams": "teams.csv",
    "--topics-file": "topics.txt",
    "--weights": "topic-weights.txt",
}
"""What an option reads, where a call does not have it yet."""

WITH = {
    ("check", "--docs"): ("one.run", "--docs", "ids.txt"),
    ("clicks", "--propensities"): ("log.csv", "--cuts", "0.3", "--least", "1", "--propensities", "propensities.csv"),
    ("compare", "--collection"): ("--collection", "here", "qrels.txt", "*.run"),
    ("compare", "--collections"): ("--collections", "collections.toml"),
    ("compare", "--docs"): ("spans.csv", "x=chunks.csv", "y=chunks.csv", "--chunks", "--docs", "docs.jsonl"),
    ("compare", "--scores"): ("--scores", "scores.csv"),
    ("experiment certificate", "--scores"): ("--scores", "scores.csv"),
    ("plot", "--scores"): ("--scores", "scores.csv", "--figure", "leaderboard", "-o", "out.svg"),
    ("plot", "--clusters"): ("--scores", "scores.csv", "--figure", "leaderboard", "-o", "out.svg", "--clusters",
                             "clusters.txt"),
    ("report", "--scores"): ("--scores", "scores.csv", "-o", "out.html"),
    ("report", "--clusters"): ("--scores", "scores.csv", "-o", "out.html", "--clusters", "clusters.txt"),
    ("gate", "--scores"): ("--scores", "other-scores.csv", "--margin", "100%"),
    ("cut", "--qrels"): ("one.run", "--oracle", "F", "--qrels", "qrels.txt", "-o", "out"),
    ("correlate", "other"): ("scores.csv", "scores.csv"),
    ("estimate", "--cheap"): ("weighted.csv", "full.txt", "one.run", "--cheap", "qrels2.txt", "-m", "P@2"),
    ("evaluate", "--collection"): ("--collection", "here", "qrels.txt", "one.run"),
    ("evaluate", "--collections"): ("--collections", "collections.toml"),
    ("evaluate", "--docs"): ("golden.jsonl", "golden=golden-run.jsonl", "--docs", "golden-docs.jsonl"),
    ("experiment assessors", "--scores"): ("--scores", "scores.csv", "--assessors", "other-scores.csv"),
    ("experiment expert-labels", "--cheap"): ("qrels.txt", *RUNS, "--cheap", "qrels2.txt"),
    ("gate", "--docs"): ("spans.csv", "chunks.csv", "chunks.csv", "--chunks", "--docs", "docs.jsonl", "--margin", ".9"),
    **{("gate", option): ("full.txt", "one.run", "two.run", "--sample", "weighted.csv", "--cheap", "qrels2.txt", "-m",
                          "P@2", "--margin", "100%") for option in ("--sample", "--cheap")},
    ("plot", "source"): ("leaderboard", "qrels.txt", *RUNS, "-o", "out.svg"),
    ("reconcile", "values"): ("numbers.csv", "qrels.txt", "one.run"),
    ("report", "--kinds"): ("qrels.txt", *RUNS, "-o", "out.html", "--cheap", "qrels2.txt", "--kinds", "kinds.csv"),
    ("select", "--among"): ("one.run", "two.run", "--among", "pool.txt"),
    ("select", "--cheap"): ("one.run", "two.run", "--status", "--stop", "LeaderKnown", "--cheap", "qrels2.txt"),
    ("select", "--log"): ("one.run", "two.run", "--log", "events.jsonl"),
    ("select", "--teams"): ("one.run", "two.run", "--teams", "priorities.txt", "--depth-by-priority", "2"),
}  # fmt: skip
"""Calls of commands in which an option stands that goes with others."""

IN_FOLDERS = {
    "runs/one.run": GOOD["one.run"],
    "runs/two.run": GOOD["two.run"],
    "logs/one.json": '{"1": [["a", "x"], ["b"]], "2": [["c"]]}',
    "pages/a.html": "<html><title>On a</title>Wings",
}
WITHIN = {
    "task/judging.sqlite": [("judge", name, *CALLS[f"judge {name}"]) for name in ("add", "export", "import", "status")],
    "track.toml": [("track", "check", "."), ("track", "release", ".")],
    "teams.csv": [("track", "check", ".")],
    "sent/one.run": [("track", "check", ".")],
    "runs/one.run": [("overlap", "runs")],
    "found/influence.json": [("plot", "influence", "found", "-o", "out.svg")],
    "found/influence-topics.csv": [("plot", "influence", "found", "-o", "out.svg")],
    "logs/one.json": [("searches", "qrels.txt", "logs")],
    "interleaved.csv": [("clicks", *OTHERWISE["clicks"])],
    "pages/a.html": [("judge", "new", "out", "--runs", "one.run", "--docs", "pages")],
}
"""Files that are read because they lie in a folder that is named, or as no other call reads them."""


class Place(NamedTuple):
    """Where a file stands: in a call, which has {} for it, or in a folder that the call names."""

    command: str
    of: str
    call: tuple[str, ...]
    good: str


def places() -> Iterator[Place]:
    """Give every place in which a file is read, of all commands."""
    for name, command in COMMANDS.items():
        for parameter in filter(reads_a_file, command.params):
            flag = parameter.opts[-1]
            call = WITH.get((name, flag)) or CALLS[name]
            given = [*filter(file_in, tokens(command, call, parameter))]
            if not given:
                given = [FILES[flag]]
                call = (*call, flag, *given)
            file = file_in(given[0])
            assert file is not None, (name, flag)
            at = len(call) - 1 - call[::-1].index(given[0])
            yield Place(name, flag, (*name.split(), *call[:at], given[0].replace(file, "{}"), *call[at + 1 :]), file)
    for file, calls in WITHIN.items():
        for call in calls:
            yield Place(" ".join(call[:2]), file, call, file)


def file_in(token: str) -> str | None:
    """Return the good file that is named in what is given for a parameter."""
    return next((part for part in token.replace("=", ",").split(",") if part in NAMES), None)


def reads_a_file(parameter: click.Parameter) -> bool:
    """Say whether a parameter's values are files that are read."""
    kind: Any = parameter.type
    return hasattr(kind, "files_read") and getattr(kind, "kind", Path) is Path


def tokens(command: click.Command, call: tuple[str, ...], parameter: click.Parameter) -> list[str]:
    """Return what a call gives for a parameter, as it is written."""
    context = click.Context(command)
    words = command.in_front(context, list(call)) if isinstance(command, NamedByOption) else list(call)
    given, _, _ = command.make_parser(context).parse_args(words)
    found = given.get(parameter.name or "")

    def flat(value: Any) -> list[str]:
        return [each for part in value for each in flat(part)] if isinstance(value, list | tuple) else [str(value)]

    return [] if found is None else flat(found)


NAMES = {*GOOD, *OTHER_GOOD, "sample.csv", "weighted.csv", "kept.json"}
PLACES = [*places()]


class Content(NamedTuple):
    """What a file may hold that nobody wants to read; some of it is a text of lines, and so may be read somewhere."""

    data: bytes
    text: bool = False


def parquet(columns: dict[str, list[Any]]) -> bytes:
    held = io.BytesIO()
    pl.DataFrame(columns).write_parquet(held)
    return held.getvalue()


def database() -> bytes:
    with sqlite3.connect(":memory:") as held:
        held.execute("create table events (id text)")
        return held.serialize()


LINES = b"1 Q0 a 1 2 r\n" * 40
OTHER = parquet({"foo": ["1"], "bar": [[1, 2]]})
DEEP = 200_000
CONTENTS = {
    "empty": Content(b"", text=True),
    "blanks": Content(b" \n\t\r\n\n", text=True),
    "zeros": Content(bytes(64)),
    "binary": Content(bytes(range(256)) * 4),
    "png": Content(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(128, 256))),
    "zip": Content(b"PK\x03\x04" + bytes(range(256))),
    "elf": Content(b"\x7fELF\x02\x01\x01" + bytes(range(64))),
    "database": Content(database()),
    "pickle": Content(b"\x80\x04\x95\x0b\0\0\0\0\0\0\0]\x94(K\x01K\x02e."),
    "latin 1": Content("1 Q0 caf\xe9 1 2 r\n".encode("latin-1")),
    "utf 16": Content("1 Q0 a 1 2 r\n".encode("utf-16")),
    "utf 32": Content("1 Q0 a 1 2 r\n".encode("utf-32-be")),
    "surrogates": Content(b"1 Q0 \xed\xa0\x80 1 2 r\n"),
    "lone returns": Content(b"1 Q0 a 1 2 r\r1 Q0 b 2 1 r\r"),
    "cut gzip": Content(gzip.compress(LINES)[:-9]),
    "damaged gzip": Content(gzip.compress(LINES)[:12] + b"\xff" * 30),
    "gzip of zeros": Content(gzip.compress(bytes(1 << 20))),
    "cut zstd": Content(zstandard.compress(LINES)[:-5]),
    "cut parquet": Content(OTHER[:-20]),
    "broken parquet": Content(OTHER[:8] + bytes(40) + OTHER[-8:]),
    "another table": Content(OTHER),
    "no rows": Content(parquet({"foo": []})),
    "deep lists": Content(b"[" * DEEP, text=True),
    "deep objects": Content(b'{"a":' * DEEP, text=True),
    "closed lists": Content(b"[" * 950 + b"]" * 950, text=True),
    "closed objects": Content(b'{"a":' * 900 + b"1" + b"}" * 900, text=True),
    "deep second line": Content(b'{"a": 1}\n' + b"[" * DEEP + b"\n", text=True),
    "deep table": Content(b"a = " + b"[" * 5_000 + b"]" * 5_000, text=True),
    "deep keys": Content(b".".join([b"a"] * 5_000) + b" = 1", text=True),
    "half a letter": Content(b'{"\\ud800": {"\\udfff": 1}}', text=True),
    "half letters": Content(
        b'[{"id": "\\ud800", "topic": "\\ud800", "document": "\\ud800", "text": "\\ud800"}]', text=True
    ),
    "cut json": Content(b'{"1": {"a": 1, "b', text=True),
    "long number": Content(b'{"1": {"a": ' + b"9" * 6_000 + b"}}", text=True),
    "no number": Content(b'[{"topic": "1", "document": "a", "value": NaN, "cost": -Infinity}]', text=True),
    "key twice": Content(b'{"1": {"a": 1, "a": 2}}', text=True),
    "null": Content(b"null", text=True),
    "number": Content(b"17\n", text=True),
    "list of lists": Content(b"[[[1]], [null], [{}]]", text=True),
    "list of nothing": Content(b'[null, {}, [], 3, "x"]', text=True),
    "nothing in it": Content(b"{}", text=True),
    "one null": Content(b'{"a": null, "topic": null, "run": {}}\n', text=True),
    "wrong kinds": Content(
        b'{"topic": ["1"], "document": {"a": []}, "run": true, "grade": "x", "start": []}\n', text=True
    ),
    "long cell": Content(b"run,topic,document,value\na,1,d," + b"9" * 200_000 + b"\n", text=True),
    "long words": Content(b"x" * 300_000 + b" 1 " + b"y" * 300_000 + b"\n", text=True),
    "endless line": Content(b"x" * 1_100_000, text=True),
    "open quote": Content(b'run,topic,document,value\na,1,"d,1\n' + b"b,2,e,2\n" * 9, text=True),
    "a header": Content(b"run,topic,document,value\n", text=True),
    "uneven rows": Content(b"run,topic,value\na,1,2\na,1\na,1,2,3,4\n", text=True),
    "control characters": Content(b"1 \x1b[31m\x07 \x08a 1\n", text=True),
    "many columns": Content(b"," * 5_000 + b"\n" + b"," * 5_000 + b"\n", text=True),
    "page": Content(b"<!doctype html><html><body><table><tr><td>404</table>", text=True),
    "markup": Content(b"<top><num> Number: \n<title>" * 50, text=True),
    "merged": Content(b"<<<<<<< HEAD\n1 0 a 1\n=======\n1 0 a 0\n>>>>>>> other\n", text=True),
}
"""Whatever is no text at all must be refused everywhere."""


SHARED = {"qrels", "runs", "--also", "--topics-file", "--exclude", "--costs", "--measures-from"}
"""What all experiments read by one road."""


def is_shared(place: Place) -> bool:
    """Say whether what stands there is read as it is by many commands."""
    return place.command.startswith("experiment") and place.of in SHARED


def rows() -> Iterator[tuple[Place, str]]:
    """Give each content in each place; of what many commands read by one road, every sixth."""
    for number, place in enumerate(PLACES):
        shared = is_shared(place)
        for turn, content in enumerate(CONTENTS):
            if place.command not in SERVING and (not shared or (number + turn) % 6 == 0):
                yield place, content


SERVING = {"explore", "judge serve"}
"""They wait for a browser when all is well; what they read, others read, too."""
ROWS = [*rows()]
ENDS = {0, 1, 3, 4, 7}
ANSWERS = {"check": {0, 1}, "track check": {0}, "track release": {0}}
"""How a command ends that says what is wrong with a file as its answer."""


class Folder:
    """A folder with all good files, which is as it was after every call."""

    def __init__(self, here: Path, kept: Path) -> None:
        self.here, self.kept = here, kept
        CORPUS["write_files"](here, GOOD | OTHER_GOOD | IN_FOLDERS)
        for call in HELD:
            done = ended(call)
            assert done.exit_code == 0, (call, done.stderr)
        shutil.copytree(here, kept, dirs_exist_ok=True)
        self.before = self.look()

    def look(self) -> dict[Path, tuple[int, int]]:
        """Return size and time of every file."""
        known = {path: path.lstat() for path in self.here.rglob("*")}
        return {path: (0, 0) if path.is_dir() else (is_.st_size, is_.st_mtime_ns) for path, is_ in known.items()}

    def changed(self, *, mend: bool = True) -> set[str]:
        """Name what is new or another than before, and put it back."""
        now = self.look()
        found = {path for path in now.keys() | self.before.keys() if now.get(path) != self.before.get(path)}
        for path in sorted(found) if mend else ():
            known = self.kept / path.relative_to(self.here)
            if path.is_dir():
                shutil.rmtree(path)
            elif known.is_dir():
                path.mkdir()
            elif not known.is_file():
                path.unlink(missing_ok=True)
            else:
                shutil.copy2(known, path)
        if found and mend:
            self.before = self.look()
        return {str(path.relative_to(self.here)) for path in found}

    def wrong(self, place: Place, name: str) -> str | None:
        """Say what is wrong with how a call ends that reads this content."""
        content, within = CONTENTS[name], place.of == place.good
        file = place.good if within else f"bad{Path(place.good).suffix}"
        (self.here / file).write_bytes(content.data)
        good, self.before = self.before, self.look()
        done = ended(tuple(each.replace("{}", file) for each in place.call))
        lines, changed = done.stderr.splitlines(), self.changed(mend=False)
        fine = REFUSED.get(place.command, {2})
        said = None
        if done.exit_code in ANSWERS.get(place.command, ENDS if content.text else set()) - fine:
            pass
        elif done.exit_code not in fine:
            said = f"ends with {done.exit_code}"
        elif len(lines) != 1 or not lines[0].startswith("cranfield: ") or len(lines[0]) > LONGEST_LINE:
            said = f"says {len(lines)} lines, {max(map(len, lines), default=0)} letters"
        elif changed:
            said = f"writes {changed}"
        self.before = good
        self.changed()
        return said and f"{' '.join(place.call)} ({name}): {said}: {done.stderr[-300:]}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Folder]:
    """Write all good files into a folder, and go there."""
    with pytest.MonkeyPatch.context() as patched:
        here = tmp_path_factory.mktemp("contents")
        patched.chdir(here)
        yield Folder(here, tmp_path_factory.mktemp("kept"))


def test_there_is_a_call_for_every_file_that_is_read() -> None:
    assert len(PLACES) > 350
    reading = {name for name, command in COMMANDS.items() if any(map(reads_a_file, command.params))}
    assert {place.command for place in PLACES} >= reading


@pytest.mark.parametrize(
    "share", [200, pytest.param(8, marks=pytest.mark.integration), pytest.param(1, marks=pytest.mark.slow)]
)
def test_bad_contents_are_refused_in_one_line(folder: Folder, share: int) -> None:
    """Some of the rows, drawn by CORPUS_SEED, or all; what is wrong with any of them is said together."""
    drawn = random.Random(SEED).sample(ROWS, len(ROWS) // share)  # noqa: S311
    wrong = [said for place, content in drawn if (said := folder.wrong(place, content))]
    assert not wrong, f"{len(wrong)} of {len(drawn)}:\n" + "\n".join(wrong[:20])


@pytest.mark.integration
def test_good_files_and_pipes_are_read_alike(folder: Folder) -> None:
    """What comes through a pipe is gone after it was read once, and does as well."""
    wrong = []
    for place in PLACES:
        if place.command in SERVING or (is_shared(place) and place.command != "experiment influence"):
            continue
        done = ended(tuple(each.replace("{}", place.good) for each in place.call))
        folder.changed()
        if done.exit_code not in {0, 3}:
            wrong.append(f"{place.call}: {done.exit_code}: {done.stderr[-200:]}")
        if "{}" in place.call and place.good != "own.py":
            reader, writer = os.pipe()
            os.write(writer, (folder.here / place.good).read_bytes())
            os.close(writer)
            piped = ended(tuple(each.replace("{}", f"/dev/fd/{reader}") for each in place.call))
            os.close(reader)
            folder.changed()
            if piped.exit_code != done.exit_code:
                wrong.append(f"{place.call} from a pipe: {piped.exit_code}: {piped.stderr[-200:]}")
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:40])
