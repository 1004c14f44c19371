"""A paper done once more: its items one by one, kept where they are done, and all of it in one report."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.cli import main
from cranfield.plumbing.errors import InputError
from cranfield.reports.elements import Block, Folded, ReportTable, Words
from cranfield.reproductions import PAPERS, Paper, reproduce
from cranfield.reproductions.claims import ClaimPart, ClaimSetting, Estimate, at_least, beside
from cranfield.reproductions.study import Study
from cranfield.results.sheet import Sheet

QRELS = {"1": {"a": 2, "b": 1}, "2": {"c": 1}}
RUNS = {"good": {"1": {"a": 3.0, "b": 2.0}, "2": {"c": 1.0}}, "poor": {"1": {"x": 3.0, "b": 2.0}, "2": {"y": 1.0}}}


@pytest.fixture
def done() -> Iterator[list[str]]:
    """Register a paper of four items, each of which notes that it is done; only for a test."""
    paper, noted = Paper("short", "A short paper", "Nobody (2026)"), list[str]()

    same, perfect = (
        paper.claim(
            words, where="section 1", conditions="9 runs", estimand="a count", asks="it is 0", of=ClaimSetting()
        )
        for words in ("All runs are perfect.", "Some run is perfect.")
    )

    @paper.item("Table 1", "Means", at=1, by="RR, as in the paper.")
    def table_1(study: Study) -> Iterator[Block]:
        noted.append("Table 1")
        scores = study.scores("RR")
        yield same.told(study, [ClaimPart("the worst has", Estimate.counted(scores.averages.min()), above=0.99)])
        yield perfect.told(study, [ClaimPart("the best has", Estimate.counted(scores.averages.max()), above=0.99)])
        yield beside("The best has .9.", "It has 1.")
        rows = pl.DataFrame({"run": scores.runs})
        yield Folded("More", (ReportTable("means", Sheet.of(rows), rows),))

    @paper.item("Figure 1", "Correlation", at=2, longer="all is done twice", needs=(at_least(2, "runs"),))
    def figure_1(study: Study) -> Iterator[Block]:
        noted.append(f"Figure 1, full {study.full}")
        yield Words.of("twice" if study.full else "once")
        yield study.experiment("significance", "RR", tests=("sign",)).table("agreement")

    @paper.item("Figure 2", "Side by side", at=3, needs=(at_least(2, "collections"),))
    def figure_2(study: Study) -> Iterator[Block]:
        noted.append("Figure 2")
        yield from ()

    paper.lacks("Section 5", "Users", at=5, why="Nobody was asked.")
    yield noted
    del PAPERS["short"]


def words_of(found: cf.Reproduction, name: str) -> str:
    [section] = [each for each in found.document.sections if each.name == name]
    return " ".join(sentence for block in section.blocks if isinstance(block, Words) for sentence in block.sentences)


def test_claims_are_counted_and_what_fails_is_said_first(done: list[str]) -> None:
    found = reproduce("short", QRELS, RUNS)
    assert found.claims["verdict"].to_list() == ["does not hold", "holds"]
    assert words_of(found, "overview") == (
        "1 of 2 claims of the paper holds here, 1 does not, and 0 cannot be told: the data fall short, or the interval "
        "includes values for and against the claim. What does not hold: Table 1: “All runs are perfect.” Here: the "
        "worst has 0.25."
    )
    assert done == ["Table 1", "Figure 1, full False"]


def test_items_stand_as_in_the_paper_and_not_as_in_its_files(done: list[str]) -> None:
    PAPERS["short"].lacks("Section 0", "Before all", at=0, why="Nobody knows.")
    assert [item.label for item in PAPERS["short"].items][:2] == ["Section 0", "Table 1"]


def test_what_cannot_be_had_says_why(done: list[str]) -> None:
    found = reproduce("short", QRELS, RUNS)
    assert words_of(found, "figure-2") == (
        "Not reproduced here. This needs at least 2 collections; there is 1. Add others with --also."
    )
    assert words_of(found, "section-5") == "Not reproduced here. Nobody was asked."
    alone = reproduce("short", QRELS, {"good": RUNS["good"]})
    assert words_of(alone, "figure-1").endswith("This needs at least 2 runs; there is 1.")
    one_topic = reproduce("short", {"2": QRELS["2"]}, RUNS)  # the call itself refuses it
    assert "Not reproduced here." in words_of(one_topic, "figure-1")
    several = reproduce("short", QRELS, RUNS, also={"other": ({"1": {"z": 1}}, {"z": {"1": {"z": 1.0}}})})
    assert words_of(several, "figure-2") == ""


def test_all_of_it_is_in_the_folder(done: list[str], tmp_path: Path) -> None:
    found = reproduce("short", QRELS, RUNS, folder=tmp_path)
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if ".kept" not in path.parts}
    assert {"report.html", "claims.csv", "table-1-means.csv", "figure-1-significance-agreement.csv"} <= files
    assert pl.read_csv(tmp_path / "claims.csv").equals(found.claims)
    assert cf.Findings.read(tmp_path / "findings" / "figure-1").settings["tests"] == ("sign",)
    assert (tmp_path / "report.html").read_text() == found.to_html()


def test_what_is_done_is_not_done_again(done: list[str], tmp_path: Path) -> None:
    first = reproduce("short", QRELS, RUNS, folder=tmp_path)
    page = (tmp_path / "report.html").read_bytes()
    done.clear()
    assert reproduce("short", QRELS, RUNS, folder=tmp_path).claims.equals(first.claims)
    assert (tmp_path / "report.html").read_bytes() == page
    assert done == []
    reproduce("short", QRELS, RUNS, folder=tmp_path, full=True)
    assert done == ["Figure 1, full True"]  # of the others nothing is otherwise
    done.clear()
    reproduce("short", QRELS, RUNS, folder=tmp_path, full=True, rel=2)
    assert done == ["Table 1", "Figure 1, full True"]
    assert len(list((tmp_path / ".kept").iterdir())) == 4  # of each item one


def test_after_an_interrupt_it_goes_on(done: list[str], tmp_path: Path) -> None:
    def stop(number: int, of: int, item: str) -> None:
        if number == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reproduce("short", QRELS, RUNS, folder=tmp_path, progress=stop)
    assert not (tmp_path / "report.html").exists()
    (tmp_path / ".kept" / ".significance-0123").mkdir()  # steps of an item that was not done
    reproduce("short", QRELS, RUNS, folder=tmp_path)
    assert done == ["Table 1", "Figure 1, full False"]
    assert not list((tmp_path / ".kept").glob(".*"))


@pytest.mark.parametrize("damage", [lambda data: data[:-3], lambda data: b"", lambda data: data + b" "])
def test_what_is_damaged_is_done_again(done: list[str], tmp_path: Path, damage: object) -> None:
    reproduce("short", QRELS, RUNS, folder=tmp_path)
    done.clear()
    [file] = (tmp_path / ".kept").glob("table-1.*")
    file.write_bytes(damage(file.read_bytes()))  # type: ignore[operator]
    reproduce("short", QRELS, RUNS, folder=tmp_path)
    assert done == ["Table 1"]


def test_another_item_does_not_pass_for_one(done: list[str], tmp_path: Path) -> None:
    reproduce("short", QRELS, RUNS, folder=tmp_path)
    done.clear()
    [one], [other] = ((tmp_path / ".kept").glob(f"{name}.*") for name in ("table-1", "figure-1"))
    one.write_bytes(other.read_bytes())
    reproduce("short", QRELS, RUNS, folder=tmp_path)
    assert done == ["Table 1"]


def test_a_paper_that_is_not_there() -> None:
    with pytest.raises(InputError, match=r"there is no paper 'nope'; choose from .*cumulated-gain"):
        reproduce("nope", QRELS, RUNS)


def test_the_command_as_a_person_would(tmp_path: Path, campaign: Path) -> None:
    call = ["reproduce", "cumulated-gain", str(campaign / "qrels.txt"), str(campaign / "runs"), "-o", str(tmp_path)]
    done = CliRunner().invoke(main, call)
    assert done.exit_code == 0, done.stderr
    assert re.fullmatch(
        rf"{tmp_path}/report\.html: of \d+ claims \d+ hold, \d+ do not, \d+ cannot be told\n", done.stdout
    )
    assert "1 of " in done.stderr
    assert "Järvelin" in CliRunner().invoke(main, ["reproduce", "--list"]).stdout
