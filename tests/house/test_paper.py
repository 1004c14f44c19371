"""The draft of the paper has the form that the journal asks for, and its numbers are those of the pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

import cranfield as cf
from cranfield.plots import PLOTS

ROOT = Path(__file__).parents[2]
PAPER = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
_, HEAD, BODY = PAPER.split("---\n", 2)
SHOWN = re.sub(r"<!--.*?-->", "", BODY, flags=re.DOTALL)
PLAIN = " ".join(SHOWN.split())
BIBLIOGRAPHY = (ROOT / "paper" / "paper.bib").read_text(encoding="utf-8")
SECTIONS = [
    "Summary", "Statement of need", "State of the field", "Software design", "Research impact statement",
    "AI usage disclosure", "Acknowledgements", "References",
]  # fmt: skip


def test_it_has_the_head_and_the_sections_of_the_journal() -> None:
    head = yaml.safe_load(HEAD)
    assert {"title", "tags", "date", "bibliography"} <= {*head}
    assert (ROOT / "paper" / head["bibliography"]).is_file()
    assert re.fullmatch(r"\d{1,2} [A-Z][a-z]+ 20\d\d", head["date"])
    assert re.findall(r"^# (.+)$", SHOWN, re.MULTILINE) == SECTIONS
    assert 750 <= len(SHOWN.split()) <= 1750


def test_what_is_cited_is_listed_and_nothing_else() -> None:
    listed = re.findall(r"^@\w+\{(\w+),", BIBLIOGRAPHY, re.MULTILINE)
    assert len(listed) == len({*listed})
    assert {*re.findall(r"@(\w+)", SHOWN)} == {*listed}
    without = [entry for entry in re.split(r"^@", BIBLIOGRAPHY, flags=re.MULTILINE)[1:] if "doi =" not in entry]
    found = [entry.partition("{")[2].partition(",")[0] for entry in without]
    assert found == ["trec_eval", "macavaney2022", "palotti2019"]
    assert all("url =" in entry for entry in without)


def test_its_figures_are_there() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", SHOWN)
    assert pictures == ["leaderboard.png"]
    assert all((ROOT / "paper" / name).is_file() for name in pictures)
    assert {*re.findall(r"\\autoref\{(\w+)\}", SHOWN)} == {*re.findall(r"\\label\{(\w+)\}", SHOWN)}


def test_its_numbers_are_those_of_the_pages() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for row in re.findall(r"^\| 129 × .+$", SHOWN, re.MULTILINE):
        times = re.findall(r"\d+\.\d\d", row)
        assert any(re.findall(r"(\d+\.\d\d) s", line) == times for line in readme.splitlines()), row
    verdicts = " ".join((ROOT / "docs" / "verdicts.md").read_text(encoding="utf-8").split())
    for said in ("none of 193 certain and none of 332 plausible verdicts", "59 of 520"):
        assert said in PLAIN and said in verdicts
    calibration = " ".join((ROOT / "docs" / "calibration.md").read_text(encoding="utf-8").split())
    assert "Of 1,703 cells that is 94." in calibration
    assert "1,703 cells" in PLAIN and "the 94 that fall short" in PLAIN
    assert len(cf.REGISTRY) > 130 and "more than 130 measures" in PLAIN
    assert len(PLOTS) > 40 and "more than forty figures" in PLAIN


@pytest.mark.parametrize("kind", ["paper", "packaging"])
def test_nothing_is_shipped_that_only_people_can_say(kind: str) -> None:
    texts = [path.read_text("utf-8") for path in (ROOT / kind).rglob("*") if path.suffix in {".md", ".bib", ".yaml"}]
    for text in texts:
        assert not re.search(r"0000-000|TODO|FIXME|XXX|lorem|Jane|John Doe|example\.(org|com)", text)
