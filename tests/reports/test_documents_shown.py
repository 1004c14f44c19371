"""With ``--docs`` the page shows how the documents begin that are to be judged first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.cli import main
from cranfield.reports import report
from cranfield.reports.elements import ReportTable, Words, unfolded
from cranfield.reports.reporting import Report, evidence_of
from cranfield.reports.section import SECTIONS

QRELS = {str(topic): {"a": 1, "b": 0} for topic in range(6)}
RUNS = {
    "good": {topic: {"a": 2.0, "b": 1.0} if topic < "4" else {"b": 1.0} for topic in QRELS},
    "poor": {topic: {"x<1>": 2.0, "b": 1.0} if topic < "5" else {"b": 1.0} for topic in QRELS},
    "new": {topic: {"y": 2.0, "b": 1.0} if topic < "5" else {"b": 1.0} for topic in QRELS},
}
TEXTS = [
    {"doc_id": "x<1>", "title": "On <b>wings</b>", "text": "<script>alert(1)</script> " + "word " * 50},
    {"doc_id": "unseen", "text": "is not asked for"},
]


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "docs.jsonl"
    path.write_text("\n".join(map(json.dumps, TEXTS)))
    return path


def beginnings(found: Report) -> ReportTable | None:
    return next((table for table in found.document.tables() if table.name == "beginnings"), None)


def test_documents_begin_as_they_do(texts: Path) -> None:
    found = report(QRELS, RUNS, "P@1", documents=texts)
    assert found.evidence.documents is not None
    assert list(found.evidence.documents) == ["x<1>"]  # the others are let go
    table = beginnings(found)
    assert table is not None
    begins = "On <b>wings</b>: <script>alert(1)</script> " + "word " * 29 + "…"
    assert table.rows["document"].unique().to_list() == ["x<1>"]
    assert table.rows["begins"].unique().to_list() == [begins]
    assert "2 further documents without a text." in table.sheet.caption
    page = found.to_html()
    assert "<script>alert" not in page
    assert "<b>wings" not in page


def test_documents_that_are_held_already(texts: Path) -> None:
    held = cf.read_documents(texts)
    table = beginnings(report(QRELS, RUNS, "P@1", documents=held))
    assert table is not None
    assert table.rows["document"].unique().to_list() == ["x<1>"]


def test_without_texts(tmp_path: Path) -> None:
    assert beginnings(report(QRELS, RUNS, "P@1")) is None
    path = tmp_path / "docs.jsonl"
    path.write_text('{"id": "unseen", "text": "x"}')
    found = report(QRELS, RUNS, "P@1", documents=path)
    assert beginnings(found) is None
    section = next(each for each in found.document.sections if each.name == "unjudged")
    words = [sentence for block in unfolded(section.blocks) if isinstance(block, Words) for sentence in block.sentences]
    assert words[-1] == "The documents to judge have no texts."


def test_where_nothing_would_settle_it_the_documents_against_the_lead_are_shown(texts: Path) -> None:
    """That is so where it takes more than a hundred of them to make the lead certain."""
    qrels = {f"{topic:03}": {"a": 1, "b": 0} for topic in range(180)}
    good = {topic: ["a"] if topic < "060" else ["b"] for topic in qrels}
    runs = {"good": good, "other": {topic: ["x<1>"] for topic in qrels}}
    found = evidence_of(qrels, runs, "P@1", None, 7, documents=texts)
    assert found.certificate["documents"].height == 0
    section = SECTIONS["unjudged"].of(found)
    assert section is not None
    tables = [block for block in unfolded(section.blocks) if isinstance(block, ReportTable)]
    [table] = [table for table in tables if table.name == "beginnings"]
    assert table.rows.select("topic", "document").rows() == [(topic, "x<1>") for topic in list(qrels)[:100]]
    assert table.sheet.caption.startswith("Unjudged documents that other ranks higher than good")


def test_the_command(texts: Path, tmp_path: Path) -> None:
    for name, run in RUNS.items():
        cf.write_run(cf.read_run(run), tmp_path / f"{name}.run")
    cf.write_qrels(cf.read_qrels(QRELS), tmp_path / "qrels.txt")
    files = [str(tmp_path / name) for name in ("qrels.txt", "good.run", "poor.run", "new.run")]
    out = tmp_path / "report.html"
    done = CliRunner().invoke(main, ["report", *files, "-m", "P@1", "--docs", str(texts), "-o", str(out)])
    assert done.exit_code == 0, done.output
    assert "On &lt;b&gt;wings&lt;/b&gt;" in out.read_text()
    texts.write_text("{broken")
    done = CliRunner().invoke(main, ["report", *files, "-m", "P@1", "--docs", str(texts), "-o", str(out)])
    assert done.exit_code == 2
    assert "docs.jsonl, line 1: not JSON" in done.stderr
