"""What the tables of mistakes share: files as people have them, and what is expected of a mistake.

A mistake ends in the right number, which a person can redo (all runs here find their first relevant
document at rank 2 of topic 1 and at rank 1 of topic 2), or in one sentence with the remedy. Nothing
else is a way to end: a wrong number without a word least of all.
"""

from __future__ import annotations

import gzip
import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.cli import main

QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1, "d": 0}}
RUN = {"1": {"b": 0.9, "a": 0.8, "c": 0.7}, "2": {"a": 0.6, "d": 0.5}}
RR = (1 / 2 + 1) / 2

ROWS = [(t, d, rank, score) for t, found in RUN.items() for rank, (d, score) in enumerate(found.items(), start=1)]
JUDGED = [(t, d, grade) for t, grades in QRELS.items() for d, grade in grades.items()]


def write_files(folder: Path) -> None:
    """Write the runs and judgments, in all formats that people have."""
    files = {
        "qrels.txt": "".join(f"{t} 0 {d} {g}\n" for t, d, g in JUDGED),
        "qrels.tsv": "".join(f"{t}\t0\t{d}\t{g}\n" for t, d, g in JUDGED),
        "qrels.csv": "qid,docno,relevance\n" + "".join(f"{t},{d},{g}\n" for t, d, g in JUDGED),
        "qrels-semi.csv": "qid;docno;relevance\n" + "".join(f"{t};{d};{g}\n" for t, d, g in JUDGED),
        "qrels.json": json.dumps(QRELS),
        "a.run": "".join(f"{t} Q0 {d} {r} {s} a\n" for t, d, r, s in ROWS),
        "b.run": "".join(f"{t} Q0 {d} {r} {s} b\n" for t, d, r, s in ROWS),
        "run.csv": "qid,docno,rank,score\n" + "".join(f"{t},{d},{r},{s}\n" for t, d, r, s in ROWS),
        "semi.csv": "qid;docno;score\n" + "".join(f"{t};{d};{s}\n" for t, d, _, s in ROWS),
        "run.json": json.dumps(RUN),
        "indented.json": json.dumps(RUN, indent=4),
        "dumped": json.dumps(RUN, indent=4),
        "records.json": json.dumps([{"question_id": t, "id": d, "score": s} for t, d, _, s in ROWS]),
        "run.jsonl": "".join(json.dumps({"qid": t, "docno": d, "score": s}) + "\n" for t, d, _, s in ROWS),
        "lists.json": json.dumps({t: list(found) for t, found in RUN.items()}),
        "broken.json": json.dumps(RUN)[:-4],
        "twice.json": '{"1": {"b": 0.9, "a": 0.8, "b": 0.1}}',
        "by-name.json": json.dumps({"bm25": RUN, "dense": RUN}),
        "unnamed.json": json.dumps(RUN["1"]),
        "dev.tsv": "".join(f"{t}\t{d}\t{r}\n" for t, d, r, _ in ROWS),
        "ragged.tsv": "".join(f"{t}\t{d}\t{r}\n" for t, d, r, _ in ROWS) + "2\tx\n",
        "falling.tsv": "".join(f"{t}\t{d}\t{10 - r}\n" for t, d, r, _ in ROWS),
        "jsons/one.json": json.dumps(RUN),
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    (folder / "run.json.gz").write_bytes(gzip.compress(files["run.json"].encode()))
    (folder / "run.xlsx").write_bytes(b"PK\x03\x04" + bytes(40))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all files, which no mistake changes."""
    made = tmp_path_factory.mktemp("mistakes")
    write_files(made)
    return made


def holds_on_the_command_line(call: str, expected: float | str) -> None:
    """Make a mistake as a person makes it: the output ends with the number, or stderr has one line that says this."""
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    found = CliRunner().invoke(main, shlex.split(call))
    if isinstance(expected, str):
        assert (found.exit_code, found.stdout) == (2, "")
        assert expected in found.stderr
        assert found.stderr.count("\n") == 1
    else:
        assert found.exit_code == 0, found.stderr
        assert float(found.stdout.replace(",", " ").split()[-1]) == pytest.approx(expected, abs=5e-5)
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


def holds_in_python(call: Callable[[], object], expected: float | str) -> None:
    """Make a mistake in a script: it gives the number, or the error says this."""
    if isinstance(expected, str):
        with pytest.raises(cf.CranfieldError) as refused:
            call()
        assert expected in str(refused.value)
        assert "\n" not in str(refused.value)
    else:
        assert call() == pytest.approx(expected)
