"""``cranfield evidence`` as people use it: files in, a table, an audit, and one line for each mistake."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cranfield.cli import main

TEXT = "Press the red button. Hold it for ten seconds."


def run(*call: str) -> Result:
    return CliRunner().invoke(main, ["evidence", *call])


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines: dict[str, list[dict[str, object]]] = {
        "docs.jsonl": [{"id": "manual", "text": TEXT}],
        "spans.jsonl": [{"topic": t, "document": "manual", "quote": "Hold it for ten seconds."} for t in "12"],
        "small.jsonl": [{"topic": t, "document": "manual", "start": 22, "end": 46, "score": 1} for t in "12"],
        "whole.jsonl": [{"topic": t, "document": "manual", "text": TEXT, "score": 1} for t in "12"],
    }
    for name, rows in lines.items():
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return tmp_path


FILES = ("spans.jsonl", "small.jsonl", "whole.jsonl")


@pytest.mark.usefixtures("here")
def test_a_table_and_its_audit() -> None:
    done = run(*FILES, "--docs", "docs.jsonl", "--sort=EvidenceP@5")
    assert done.exit_code == 0, done.output
    head, *rows = (line.split() for line in done.stdout.splitlines())
    assert head == ["run", "EvidenceR@5", "EvidenceP@5", "EvidenceIoU@5", "EvidencenDCG@5", "EvidenceCost@5"]
    assert rows == [
        ["small", "1.0000", "1.0000", "1.0000", "1.0000", "24.0000"],
        ["whole", "1.0000", "0.5217", "0.5217", "1.0000", "46.0000"],
    ]
    assert done.stderr == (
        "audit: 2 runs, 2 topics\naudit: counted in characters; text outside the spans is no evidence\n"
    )
    words = run(*FILES, "--docs", "docs.jsonl", "--unit", "words", "--budget", "6", "-m", "EvidenceR", "--quiet")
    assert words.stdout.split()[-4:] == ["small", "1.0000", "whole", "0.4000"]  # 2 of the 5 words


def test_scores_go_on_to_be_compared(here: Path) -> None:
    assert run(*FILES, "--docs", "docs.jsonl", "-m", "EvidenceCost,EvidenceP", "-q", "-o", "scores.csv").exit_code == 0
    assert (here / "scores.csv").read_text(encoding="utf-8").count("\n") == 1 + 2 * 3 * 2
    compared = CliRunner().invoke(main, ["compare", "--scores", "scores.csv", "--format", "csv"])
    assert compared.exit_code == 0, compared.output
    assert "higher is assumed to be better" not in compared.stderr  # the names are known, and that a cost is one


@pytest.mark.usefixtures("here")
def test_chunks_as_documents() -> None:
    done = run(*FILES, "--as-documents", "max", "-m", "RR")
    assert (done.exit_code, done.stdout.split()[2:]) == (0, ["small", "1.0000", "whole", "1.0000"]), done.output


@pytest.mark.usefixtures("here")
def test_groups_of_topics() -> None:
    Path("groups.csv").write_text("topic,kind\n1,a\n2,b\n", encoding="utf-8")
    done = run(*FILES, "--docs", "docs.jsonl", "-m", "EvidenceP", "--groups", "groups.csv")
    assert (done.exit_code, done.stdout.count("EvidenceP")) == (0, 4), done.output


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("call", "says"),
    [
        (FILES, "spans.jsonl, line 1: a text without start and end, to be found in its document"),
        ((*FILES, "-m", "nDCG@10"), "nDCG@10 is of ranked documents; measures of chunks are EvidenceR"),
        ((*FILES, "--as-documents", "max", "--budget", "9"), "with --as-documents, leave --budget out"),
        ((*FILES, "--groups", "docs.jsonl", "-q"), "with --groups, leave --per-topic out"),
        (("docs.jsonl", "small.jsonl"), "no column for query_id"),
        ((*FILES, "--docs", "docs.jsonl", "-o", "spans.jsonl"), "would be overwritten"),
        ((*FILES, "--docs", "docs.jsonl", "-o", "docs.jsonl"), "would be overwritten"),
    ],
)
def test_mistakes_are_named_in_one_line(call: tuple[str, ...], says: str) -> None:
    done = run(*call)
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1), done.stderr
    assert says in done.stderr
