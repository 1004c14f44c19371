"""The release: its commands give its numbers, under every convention, and its README says what may be said."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from tools.small_track import RUNS, SETTINGS, begin

from cranfield import conventions
from cranfield.cli import main
from cranfield.plumbing.errors import InputError
from cranfield.reports.elements import Folded, ReportTable, Words
from cranfield.track import results
from cranfield.track.computed import BY_TOPIC, OFFICIAL, SCORES, Results
from cranfield.track.release_step import _done, command, official_command
from cranfield.track.road import bring
from cranfield.track.site import _alone, _made, _scores, _teams
from cranfield.track.track import Track

KNOWN = [conventions.named(name) for name in (*conventions.TRACKS, *conventions.TOOLS)]


def scored(folder: Path) -> Track:
    track = Track.read(folder)
    for step in ("check", "pool", "judge"):
        list(bring(track, step))
    some = [part for part in results.parts(track) if part.name in {"results/official", "results/scores"}]
    list(track.bring("results", some))
    return track


def answered(words: str, folder: Path) -> str:
    given = [str(folder / "judgments/qrels.txt") if word == "qrels.txt" else word for word in shlex.split(words)[1:]]
    found = CliRunner().invoke(main, given, catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return found.stdout


@pytest.mark.parametrize("name", ["", *(each.name for each in KNOWN if each.depth is None)])
def test_the_commands_of_the_readme_give_the_official_scores(tmp_path: Path, name: str) -> None:
    """Ties, and a document in three topics that is judged in two: orders and populations differ by them."""
    measures = f'convention = "{name}"' if name else 'measures = ["AP", "P@2"]'
    begin(tmp_path, SETTINGS.replace('measures = ["AP", "P@2"]', measures))
    ties = "".join(f"{topic} Q0 {d} {r} 1.5 fair\n" for topic in "12" for r, d in enumerate("xbac", start=1))
    (tmp_path / "submissions/A/fair.txt").write_text(ties)
    settings = (tmp_path / "track.toml").read_text().replace("depth = 2", 'method = "none"')
    tolerated = 'most_documents = 4\ntolerated = ["missing topics"]\nconfirmed = ["fair"]'
    (tmp_path / "track.toml").write_text(settings.replace("most_documents = 4", tolerated))
    track = scored(tmp_path)
    for run, (team, _) in RUNS.items():
        file = str(tmp_path / f"submissions/{team}/{run}.txt")
        official = answered(official_command(track.settings, file), tmp_path)
        assert official == (tmp_path / f"{OFFICIAL}/{run}.txt").read_text()
        asked = answered(f"{command(track.settings, file)} --format csv", tmp_path).splitlines()
        kept = (tmp_path / SCORES).read_text().splitlines()
        assert set(asked) <= {*kept, asked[0]}, (asked, kept)
    assert (tmp_path / BY_TOPIC).exists()


def test_the_page_lists_what_a_convention_says_and_what_a_run_found_alone(tmp_path: Path) -> None:
    settings = SETTINGS.replace('measures = ["AP", "P@2"]', 'convention = "trec-adhoc"')
    runs = {"good": ("A", "abcd"), "odd": ("C", "cyad")}
    track = Track.read(begin(tmp_path, settings.replace("depth = 2", 'method = "none"'), runs))
    for step in ("check", "judge"):
        list(bring(track, step))
    found = Results(track)
    convention, judgments, *_ = _made(found)
    assert isinstance(convention, Words)
    assert isinstance(judgments, Words)
    assert (convention.listed, judgments.listed) == (True, True)
    assert convention.sentences[:2] == (
        "Convention: TREC ad hoc, TREC-1 to TREC-8.", "Documents of grade 1 or higher are relevant.",
    )  # fmt: skip
    # Of both runs good alone has b, and odd y: the first is relevant, the second is not.
    assert [[type(block) for block in _alone(found, run)] for run in runs] == [[Words, Folded], [Words]]


def test_what_is_found_alone_is_so_at_any_rank_or_down_to_the_pools(tmp_path: Path) -> None:
    """Each has what the other has, but only in the pool to depth 2 is a good's alone, and c odd's."""
    runs = {"good": ("A", "abc"), "odd": ("C", "cba")}
    track = Track.read(begin(tmp_path, SETTINGS, runs))
    for step in ("check", "judge"):
        list(bring(track, step))
    found = Results(track)
    [told] = _alone(found, "good")
    assert isinstance(told, Words)
    assert told.sentences == ("Other runs have every judged document of this run, too.",)
    words, teams, *_ = _teams(found)
    assert isinstance(words, Words)
    assert "one team alone retrieved down to rank 2, the depth of the pool, and" in words.sentences[0]
    assert isinstance(teams, ReportTable)
    assert dict(teams.rows.select("team", "unique_documents").iter_rows()) == {"A": 3, "C": 3}


def test_a_convention_that_cuts_lists_is_refused_at_once(tmp_path: Path) -> None:
    begin(tmp_path, SETTINGS.replace('measures = ["AP", "P@2"]', 'convention = "trec-cast"'))
    with pytest.raises(InputError, match="cuts lists at rank 1,000, and results are about whole lists"):
        Track.read(tmp_path)


def test_the_readme_has_what_the_pool_says_of_itself_but_the_hours(tmp_path: Path) -> None:
    begin(tmp_path)
    summary = b"The pool of 2 runs.\nChosen: 5 documents.\nAt 30 seconds per document, judging takes an hour.\n"
    empty = {"judgments/files.csv": b"file\n", "qrels.txt": b"", "judgments/missing.csv": b"document\n"}
    _, *said = _done(Track.read(tmp_path).settings, {"pool/summary.txt": summary, **empty})
    assert said[:2] == ["The pool of 2 runs.", "Chosen: 5 documents."]
    assert said[2].startswith("0 judgments from 0 files")


def test_the_readme_says_how_far_people_agree_if_two_judged_a_document(tmp_path: Path) -> None:
    settings = Track.read(begin(tmp_path)).settings
    files = {"judgments/files.csv": b"file\n", "qrels.txt": b"", "judgments/missing.csv": b"document\n"}
    contents = {"pool/summary.txt": b"The pool.\nAn hour.\n", **files}

    def said(row: bytes) -> str:
        table = b"documents,share,kappa,alpha,undecided\n" + row + b"\n"
        return "\n".join(_done(settings, {**contents, "judgments/agreement.csv": table}))

    assert "Agreement is unknown, since no document was judged by two people." in said(b"0,,,,0")
    assert "2 documents judged by two or more people; on 50% of them all agreed; Cohen's kappa 0.250." in said(
        b"2,0.5,0.25,,1"
    )
    assert "Agreement" not in "\n".join(_done(settings, contents))


def test_a_sheet_says_that_no_document_is_relevant(tmp_path: Path) -> None:
    begin(tmp_path, runs={"good": ("A", "abc"), "odd": ("C", "cba")})
    (tmp_path / "qrels.txt").write_text("".join(f"{topic} 0 a 0\n" for topic in "123"))
    track = Track.read(tmp_path)
    for step in ("check", "judge"):
        list(bring(track, step))
    *_, told = _scores(Results(track), "good")
    assert isinstance(told, Words)
    assert told.sentences == ("The run has 9 documents for the judged topics, and no document is relevant.",)
