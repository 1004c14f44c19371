"""Chunkings are compared, gated and reported by spans of evidence, from a shell and in Python alike."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner, Result
from tools.each import each_of

import cranfield as cf
from cranfield.cli import main

TOPICS = [str(topic) for topic in range(30)]
SPANS = {topic: [("d", 40, 50), ("e", 0, 30)] for topic in TOPICS}
"""Evidence of 40 characters in two documents."""
OLD: dict[str, list[tuple[Any, ...]]] = {topic: [("d", 0, 200), ("e", 0, 200)] for topic in TOPICS}
"""Two chunks with all of it: recall 1, and 40 of 400 characters."""
NEW: dict[str, list[tuple[Any, ...]]] = {
    topic: [("d", 30, 60), ("e", 0, 25 if n % 3 == 0 else 40)] for n, topic in enumerate(TOPICS)
}
"""Smaller chunks; those of each third topic miss 5 of the 40 characters."""


def rows(of: Mapping[str, Iterable[tuple[Any, ...]]], **more: object) -> str:
    named = (
        {"topic": topic, "document": document, "start": start, "end": end} | more
        for topic, some in of.items()
        for document, start, end in some
    )
    return "".join(f"{json.dumps(row)}\n" for row in named)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    written = {
        "spans.jsonl": rows(SPANS),
        "none.jsonl": rows(SPANS, grade=0),
        "one.jsonl": rows({"1": SPANS["1"]}),
        "old.jsonl": rows(OLD),
        "new.jsonl": rows(NEW),
        "some.jsonl": rows({topic: NEW[topic] for topic in TOPICS[:20]}),
        "plain.run": "".join(f"{topic} Q0 d 1 2.0 r\n" for topic in TOPICS),
        "groups.csv": "topic,part\n" + "".join(f"{t},{'first' if n < 12 else 'rest'}\n" for n, t in enumerate(TOPICS)),
        "docs.jsonl": "".join(json.dumps({"chunk_id": d, "text": "lorem ipsum " * 20}) + "\n" for d in "de"),
        "only.txt": "1\n2\n4\n5\n7\n8\n10\n",
    }
    for name, text in written.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def run(*asked: str) -> Result:
    return CliRunner().invoke(main, [*asked])


def test_a_smaller_chunking_finds_less_and_reads_little_else(folder: Path) -> None:
    """R: 20 topics of 1 and 10 of 35/40, .9583; IoU: 40/70 and 35/(55 + 40 - 35), .5754 on average."""
    found = run("gate", "spans.jsonl", "old.jsonl", "new.jsonl", "--chunks", "--format", "csv")
    assert found.exit_code == 1
    recall, iou = csv.DictReader(io.StringIO(found.stdout))
    assert [row["measure"] for row in (recall, iou)] == ["EvidenceR@5", "EvidenceIoU@5"]
    assert float(recall["mean_new"]) == pytest.approx((20 + 10 * 35 / 40) / 30)
    assert float(iou["mean_new"]) == pytest.approx((20 * 40 / 70 + 10 * 35 / 60) / 30)
    assert (recall["verdict"], recall["holds"], iou["verdict"], iou["holds"]) == (
        "worse",
        "certain",
        "better",
        "certain",
    )
    assert recall["unjudged"] == recall["unjudged_base"] == "0"
    assert "judgments taken as complete" in found.stderr
    kinder = run("gate", "spans.jsonl", "old.jsonl", "new.jsonl", "--chunks", "-m", "EvidenceR@5", "--margin", "0.1")
    assert kinder.exit_code == 0
    assert "not worse" in kinder.stdout or "equivalent" in kinder.stdout


def test_a_shell_and_python_say_the_same(folder: Path) -> None:
    scores = cf.evidence(SPANS, {"old": OLD, "new": NEW}, ["EvidenceR@5", "EvidenceIoU@5"])
    gate = cf.gate(scores)
    shown = run("gate", "spans.jsonl", "old.jsonl", "new.jsonl", "--chunks")
    assert str(gate.render("table")).strip() == shown.stdout.strip()
    assert gate.caption() in shown.stderr.replace("\n", " ") or gate.caption() in shown.stderr
    assert (gate.verdict, gate.holds, gate.documents.height) == ("worse", "certain", 0)
    compared = cf.compare(scores)
    shown = run(
        "compare", "spans.jsonl", "old.jsonl", "new.jsonl", "--chunks", "-m", "EvidenceR@5", "-m", "EvidenceIoU@5"
    )
    assert str(compared.render("table")).strip() == shown.stdout.strip()
    assert compared.to_polars().equals(cf.compare_scores(scores).to_polars())
    assert gate.rows["difference"].to_list() == pytest.approx((-compared.to_polars()["difference"]).to_list())


def test_groups_weights_words_and_budgets(folder: Path) -> None:
    found = run(
        "gate", "spans.jsonl", "old.jsonl", "new.jsonl", "--chunks", "--groups", "groups.csv", "-m", "EvidenceR@5"
    )
    assert [line.split()[:3] for line in found.stdout.splitlines()[-2:]] == [
        ["part", "first", "12"],
        ["part", "rest", "18"],
    ]
    for command in ("gate", "compare"):
        words = ["--docs", "docs.jsonl", "--unit", "words", "--budget", "20"]
        found = run(command, "spans.jsonl", "old.jsonl", "new.jsonl", "--chunks", *words)
        assert found.exit_code == 0, found.output
        assert "EvidenceIoU(budget=20)" in (found.stdout if command == "gate" else found.stderr)  # its caption
        assert "counted in words" in found.stderr
    found = run("compare", "spans.jsonl", "old.jsonl", "new.jsonl", "--chunks", "--groups", "groups.csv")
    assert found.stdout.splitlines()[1].split()[:3] == ["part", "first", "12"]


def test_topics_that_count(folder: Path) -> None:
    found = run("compare", "spans.jsonl", "old.jsonl", "some.jsonl", "--chunks")
    said = (
        "1 of 2 runs lacks topics (some: 20, 21, 22 and 7 more), which count 0, the best value by "
        "EvidenceCost@5 (--only common averages over the 20 that"
    )
    assert said in found.stderr  # an empty list is none of the cures
    found = run("compare", "spans.jsonl", "old.jsonl", "some.jsonl", "--chunks", "--only", "common")
    assert "Means over 20 topics" in found.stderr
    assert "20 of 30 topics count (which all runs have)" in found.stderr
    found = run("evidence", "spans.jsonl", "old.jsonl", "some.jsonl", "--only", "only.txt", "-m", "EvidenceR@5")
    assert found.stdout.split()[2:] == ["old", "1.0000", "some", f"{(7 - 0) / 7:.4f}"]
    assert "7 of 30 topics count (only: only.txt)" in found.stderr
    with pytest.raises(cf.InputError, match="no topic of the spans is among those of only"):
        cf.evidence(SPANS, OLD, only=["x"])
    with pytest.raises(cf.InputError, match="no topic of the spans is in all runs"):
        cf.evidence(SPANS, {"a": {"1": OLD["1"]}, "b": {"2": OLD["2"]}}, only="common")
    found = run("gate", "spans.jsonl", "old.jsonl", "new.jsonl", "--chunks", "--only", "only.txt", "-m", "EvidenceR@5")
    assert "7 topics" in found.stderr


REFUSED = {
    "gate spans.jsonl old.jsonl plain.run --chunks": "plain.run: columns have no names",
    "gate plain.run old.jsonl new.jsonl --chunks": "plain.run: columns have no names",
    "gate spans.jsonl old.jsonl new.jsonl --docs docs.jsonl": "leave --docs out, or give --chunks, too",
    "compare spans.jsonl old.jsonl new.jsonl --unit words": "leave --unit out, or give --chunks, too",
    "report spans.jsonl old.jsonl new.jsonl --unit words -o r.html": "leave --unit out, or give --chunks, too",
    "gate spans.jsonl old.jsonl new.jsonl -m EvidenceR@5": "give --chunks, too: these measures take spans and chunks",
    "gate spans.jsonl old.jsonl new.jsonl --chunks -m AP": "AP is of ranked documents; measures of chunks are",
    "gate spans.jsonl old.jsonl new.jsonl --chunks --order file": "with --chunks, leave --order out",
    "gate spans.jsonl old.jsonl new.jsonl --chunks --documents d.csv": "with --chunks, leave --documents out",
    "gate spans.jsonl old.jsonl new.jsonl --chunks --keep k.json": "with --chunks, leave --keep out",
    "compare spans.jsonl old.jsonl new.jsonl --chunks --residuals": "with --chunks, leave --residuals out",
    "compare spans.jsonl old.jsonl --chunks": "a comparison needs at least two runs; there is only one: old",
    "gate one.jsonl old.jsonl new.jsonl --chunks": "a gate needs at least two topics, not 1",
    "gate spans.jsonl old.jsonl new.jsonl --chunks --budget 2.5": "--budget is a whole number",
    "gate spans.jsonl old.jsonl new.jsonl --chunks --unit words": "words are counted in the texts of documents",
    "compare spans.jsonl old.jsonl new.jsonl --chunks --scores s.csv": "leave QRELS, RUNS and --chunks out",
    "report spans.jsonl old.jsonl new.jsonl --sentences --chunks": "with --chunks, leave --sentences out",
    "report spans.jsonl old.jsonl new.jsonl --chunks --cheap old.jsonl -o r.html": "with --chunks, leave --cheap out",
}


@each_of("asked", REFUSED)
def test_what_does_not_go_together(asked: str, folder: Path) -> None:
    found = run(*asked.split())
    assert found.exit_code == 2
    assert REFUSED[asked] in found.stderr
    assert len(found.stderr.splitlines()) == 1


def test_no_evidence_at_all_is_a_warning(folder: Path) -> None:
    found = run("gate", "none.jsonl", "old.jsonl", "new.jsonl", "--chunks")
    assert "audit: warning: 30 topics without evidence" in found.stderr


def test_scores_in_the_place_of_judgments() -> None:
    scores = cf.evidence(SPANS, {"old": OLD, "new": NEW})
    with pytest.raises(cf.InputError, match="scored already; leave measures out"):
        cf.gate(scores, measures="EvidenceR@5")
    with pytest.raises(cf.InputError, match="scored already; leave order out"):
        cf.compare(scores, order="file")
    with pytest.raises(cf.InputError, match="scored already; leave runs out"):
        cf.report(scores, {"old": OLD})
    with pytest.raises(cf.InputError, match="a gate compares two runs, the base and the new one, not 1"):
        cf.gate(cf.evidence(SPANS, OLD))
    judged = cf.evaluate({"1": {"a": 1, "b": 0}, "2": {"a": 1}}, {"x": {"1": ["a"]}, "y": {"1": ["c"]}}, "RR")
    for refused in (cf.gate, cf.report):
        with pytest.raises(cf.InputError, match=r"unjudged.*give qrels and runs"):
            refused(judged)


def words_of(page: str) -> str:
    bare = re.sub(r"<(script|style)[^>]*>.*?</\1>", " ", page, flags=re.DOTALL)
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", bare).split()))


def test_a_page_about_chunkings(folder: Path) -> None:
    asked = ["--groups", "groups.csv", "--collection", "manuals", "-m", "EvidenceIoU@5", "-m", "EvidenceR@5"]
    found = run("report", "spans.jsonl", "old.jsonl", "new.jsonl", "--chunks", "-o", "page.html", *asked)
    assert found.exit_code == 0, found.output
    page = words_of((folder / "page.html").read_text())
    assert "manuals: 2 chunkings on 30 topics" in page
    assert "new leads old by 0.4754 in EvidenceIoU@5: a significant difference." in page
    assert "The lead lies between 0.4733 and 0.4775 on topics like these (95% interval; p < 0.001)." in page
    for title in (
        "differ significantly?",
        "What differs by group?",
        "On which topics do they differ most?",
        "What was read?",
    ):
        assert title in page
    assert run("report", "spans.jsonl", "old.jsonl", "--chunks", "-o", "alone.html").exit_code == 0
    assert "It is the only chunking." in words_of((folder / "alone.html").read_text())
    assert run("report", "one.jsonl", "old.jsonl", "new.jsonl", "--chunks", "-o", "one.html").exit_code == 0
    assert "One topic allows no test of differences." in words_of((folder / "one.html").read_text())
    assert run("report", "none.jsonl", "old.jsonl", "new.jsonl", "--chunks", "-o", "none.html").exit_code == 0
    bare = words_of((folder / "none.html").read_text())
    assert "old and new have the same mean EvidenceR@5, 0.0000 (equal to within 1e-09)." in bare
    assert "30 topics without evidence" in bare


def test_the_page_where_less_is_better_and_where_there_is_a_baseline() -> None:
    scores = cf.evidence(SPANS, {"old": OLD, "new": NEW, "too": OLD}, "EvidenceCost@5")
    first = cf.report(scores).document.first
    assert first is not None
    assert first.says == "new leads old and too by 335.0000 in EvidenceCost@5: a significant difference."
    assert first.sure.startswith("The lead over old lies between 332.3145 and 337.6855 on topics like these (95% ")
    assert first.sure.endswith("p < 0.001). Both other runs are significantly worse than new on topics like these.")
    first = cf.report(scores, baseline="too").document.first
    assert first is not None
    assert first.says.startswith("1 of 2 runs is significantly better than too in EvidenceCost@5 on topics like these")
    with pytest.raises(cf.InputError, match="a report of scores alone has no rankings, and no sentences"):
        cf.report(scores).sentences  # noqa: B018


def test_a_chunking_that_did_not_run_is_named_and_left_out() -> None:
    half = {topic: found for n, (topic, found) in enumerate(NEW.items()) if n < len(NEW) / 2}
    scores = cf.evidence(SPANS, {"old": OLD, "half": half, "new": NEW}, "EvidenceIoU@5")
    with pytest.raises(cf.InputError, match=r"no chunking that ran is called 'half' .*; left out, .* half \(no scores"):
        cf.report(scores, baseline="half")
    document = cf.report(scores).document
    assert document.first is not None and document.first.says.startswith("new leads old by 0.4754 in EvidenceIoU@5")
    assert document.first.caveats[0] == "Left out, as they did not run: half (no scores on 15 of 30 topics)."
    assert all("half" not in table.rows.get_column("run", default=pl.Series()) for table in document.tables())


def test_texts_of_chunks_may_have_ids_of_chunks(folder: Path) -> None:
    """As costs may; the column of a table, too."""
    (folder / "docs.csv").write_text("chunk_id,text\nd,lorem ipsum\n")
    assert cf.read_documents(folder / "docs.csv")["d"].text == "lorem ipsum"
    assert cf.read_documents(folder / "docs.jsonl")["e"].text.startswith("lorem")


def test_sentences_of_a_report_look_at_groups(folder: Path) -> None:
    """By RR a leads over 8 topics, and b in one group of them."""
    (folder / "qrels.txt").write_text("".join(f"{t} 0 r 1\n" for t in range(8)))
    for name, best in (("a", range(5)), ("b", range(5, 8))):
        rows = [(t, d, s) for t in range(8) for d, s in zip("rx" if t in best else "xr", (2, 1), strict=True)]
        (folder / f"{name}.run").write_text("".join(f"{t} Q0 {d} 1 {s} r\n" for t, d, s in rows))
    (folder / "parts.txt").write_text("".join(f"{t} {'late' if t >= 5 else 'early'}\n" for t in range(8)))
    asked = ["report", "--sentences", "qrels.txt", "a.run", "b.run", "-m", "RR"]
    assert "late" not in run(*asked).stdout
    found = run(*asked, "--groups", "parts.txt")
    assert found.exit_code == 0, found.output
    assert "In group late, b leads a by 0.5000" in found.stdout
    checked = run("report", "--check", "qrels.txt", "a.run", "b.run", "--groups", "parts.txt")
    assert checked.exit_code == 2
    assert "with --check, leave --groups out" in checked.stderr
