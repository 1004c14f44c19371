"""The section of a report on topics that count for more, and on groups of topics."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.cli import main
from cranfield.reports.elements import ReportTable, Words, unfolded
from cranfield.reports.reporting import evidence_of
from cranfield.reports.section import SECTIONS
from cranfield.scoring.grouping import TopicGroups
from cranfield.scoring.weighting import TopicWeights

TOPICS = [f"{number:02}" for number in range(10)]
QRELS = {topic: {"a": 1, "x": 0} for topic in TOPICS}
RUNS = {
    "old": {t: ["a", "x"] if t < "07" else ["x", "a"] for t in TOPICS},
    "now": {t: ["x", "a"] if t < "06" else ["a", "x"] for t in TOPICS},
}
GROUPS = {t: "de" if t < "05" else "fr" if t < "09" else "it" for t in TOPICS}
WEIGHTS = {t: 1.0 if t < "06" else 5.0 for t in TOPICS}


def section(baseline: str | None = None, **asked: Any) -> Any:
    evidence = evidence_of(QRELS, RUNS, ["RR", "P@1"], baseline, 7)
    return SECTIONS["slices"].of(replace(evidence, **asked))


def test_without_weights_or_groups_there_is_none() -> None:
    assert section() is None


def test_what_it_says() -> None:
    """Unweighted old has 0.85, now 0.7; the last four topics count five times, on three of which now is better."""
    found = section(weights=TopicWeights.taken(WEIGHTS), groups=TopicGroups.taken(GROUPS), baseline="old")
    words = [sentence for block in found.blocks if isinstance(block, Words) for sentence in block.sentences]
    assert (
        words[0] == "Topics are weighted by 10 weights, effective number of topics 6.4, "
        "here and in the verdict on the first sheet."
    )
    assert words[1] == "now leads with weights, old leads without."
    assert "Too small to be tested, fewer than 4 topics: group it (1)." in words
    tables = {block.name: block for block in unfolded(found.blocks) if isinstance(block, ReportTable)}
    assert set(tables) == {"weighted", "weighted-significance", "groups", "groups-significance"}
    expected = cf.evaluate(QRELS, RUNS, "RR", weights=WEIGHTS)
    assert tables["weighted"].rows["value"].to_list() == [expected["now", "RR"], expected["old", "RR"]]
    assert tables["groups-significance"].command == (
        "cranfield compare QRELS RUN... -m RR --groups FILE --weights FILE --baseline old"
    )


@pytest.mark.integration
def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("".join(f"{t} 0 {d} {g}\n" for t in TOPICS for d, g in QRELS[t].items()))
    (tmp_path / "g.csv").write_text("topic,lang\n" + "".join(f'{t},"<b>{g}</b>"\n' for t, g in GROUPS.items()))
    paths = [str(tmp_path / "qrels.txt")]
    for run, lists in RUNS.items():
        rows = [f"{t} Q0 {d} 1 {-rank} {run}\n" for t, found in lists.items() for rank, d in enumerate(found)]
        paths.append(str(tmp_path / f"{run}.run"))
        Path(paths[-1]).write_text("".join(rows))
    words = [
        "report",
        *paths,
        "-m",
        "RR",
        "--groups",
        str(tmp_path / "g.csv"),
        "--exclude",
        str(tmp_path / "qrels.txt"),
    ]
    refused = CliRunner().invoke(main, [*words, "--check"])
    assert refused.exit_code == 2
    page = tmp_path / "report.html"
    result = CliRunner().invoke(main, [*words, "-o", str(page)])
    assert result.exit_code == 0, result.output
    html = page.read_text()
    assert "&lt;b&gt;de&lt;/b&gt;" in html
    assert f"--groups {tmp_path / 'g.csv'}" in html


def test_what_is_wrong_is_said_before_the_page_is_written() -> None:
    with pytest.raises(cf.InputError, match="have no weight"):
        cf.report(QRELS, RUNS, "RR", weights={"00": 1})
    with pytest.raises(cf.InputError, match="no topic of the qrels has a group"):
        cf.report(QRELS, RUNS, "RR", groups={"zz": "de"})


def test_where_topics_count_equally_the_page_says_so() -> None:
    """Weights are those of a section, and of the verdict on two runs; the first sheet's means are plain."""
    qrels = {str(t): {"a": 1} for t in range(8)}
    runs = {"old": qrels, "new": {t: ["x", "a"] for t in qrels}, "third": {t: ["x", "y", "a"] for t in qrels}}
    for some, where in ((runs, "the section on weights"), ({n: runs[n] for n in ("old", "new")}, "and the verdict")):
        found = cf.report(qrels, some, "RR", weights=dict.fromkeys(qrels, 2.0)).document
        assert found.first is not None
        assert "Topics count equally, but in the section on weights" in found.lead and where in found.lead
        assert "weighted by 8 weights" in found.lead
        assert found.first.sure.endswith(" Topics count equally here, not by their weights.")
        [means] = [table for table in found.tables() if table.name == "means"]
        assert "Topics count equally here, not by their weights." in means.sheet.caption
        plain = cf.report(qrels, some, "RR").document
        assert "equally" not in f"{plain.lead} {plain.first}"
    alone = cf.report(qrels, {"old": qrels}, "RR", weights=dict.fromkeys(qrels, 2.0)).document.first
    assert alone is not None and alone.says.endswith(" Topics count equally here, not by their weights.")
