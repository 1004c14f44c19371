"""The check of submissions, and the letters to teams."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from tools.small_track import RUNS, SETTINGS, begin, lists

from cranfield.plumbing.errors import InputError
from cranfield.track.check_step import accepted, judge_submissions
from cranfield.track.road import bring, told
from cranfield.track.submissions import file_name
from cranfield.track.track import Track


def reasons(folder: Path) -> dict[str, list[str]]:
    return {
        each.submission.run: [found.code for found in each.reasons] for each in judge_submissions(Track.read(folder))
    }


def test_sound_runs_are_accepted(tmp_path: Path) -> None:
    assert reasons(begin(tmp_path)) == {"fair": [], "good": [], "poor": [], "odd": []}


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (lists("poor", "xyza").replace(" 8 ", " eight "), ["score"]),
        (lists("poor", "xyzab"), ["length"]),
        (lists("poor", "xyza", "12"), ["missing topics"]),
        (lists("poor", "xyza", "1234"), ["unknown topics"]),
        (lists("poor", "xqza"), ["unknown document"]),
        (lists("poor", "xyxa"), ["duplicate"]),
        ("1 Q0 x\n", ["refused", "columns"]),
        ("", ["refused"]),
    ],
)
def test_faults_reject_a_run_and_the_letter_names_them(tmp_path: Path, text: str, codes: list[str]) -> None:
    begin(tmp_path)
    (tmp_path / "submissions/B/poor.txt").write_text(text)
    assert set(reasons(tmp_path)["poor"]) <= set(codes)
    assert reasons(tmp_path)["poor"]
    *_, done = bring(Track.read(tmp_path), "check")
    assert done.anew
    letter = (tmp_path / "letters/B.txt").read_text()
    assert "poor (submissions/B/poor.txt): REJECTED" in letter
    assert "  problem: " in letter
    assert "  to do: " in letter
    assert "to ann@example.org" in letter
    assert str(tmp_path) not in letter
    assert "REJECTED" not in (tmp_path / "letters/A.txt").read_text()


def test_a_submission_is_no_link_to_what_lies_elsewhere(tmp_path: Path) -> None:
    begin(tmp_path / "track")
    (tmp_path / "secret.txt").write_text(lists("secret", "xyza"))
    link = tmp_path / "track/submissions/B/link.txt"
    link.symlink_to(tmp_path / "secret.txt")
    [found] = [each for each in judge_submissions(Track.read(tmp_path / "track")) if each.submission.run == "link"]
    assert any("link to a place outside its folder" in each.says for each in found.reasons)


def test_a_fault_that_is_tolerated_rejects_nothing(tmp_path: Path) -> None:
    begin(tmp_path, SETTINGS.replace("most_documents = 4", 'most_documents = 4\ntolerated = ["missing topics"]'))
    (tmp_path / "submissions/B/poor.txt").write_text(lists("poor", "xyza", "12"))
    assert reasons(tmp_path)["poor"] == []


def test_runs_beyond_the_number_that_a_team_may_send_go_by_priority(tmp_path: Path) -> None:
    begin(tmp_path, SETTINGS.replace("most_documents = 4", "most_documents = 4\nmost_runs = 1"))
    assert reasons(tmp_path)["good"] == ["runs of the team"]  # by name, fair comes first
    *_, _ = bring(Track.read(tmp_path), "check")
    assert pl.read_csv(tmp_path / "check/findings.csv").filter(code="runs of the team")["count"].to_list() == [1]
    (tmp_path / "teams.csv").write_text("run,team,priority\ngood,A,1\nfair,A,2\npoor,B,\nodd,C,\n")
    assert reasons(tmp_path)["fair"] == ["runs of the team"]
    assert reasons(tmp_path)["good"] == []


def test_names(tmp_path: Path) -> None:
    begin(tmp_path, SETTINGS.replace("most_documents = 4", "most_documents = 4\ntag_is_name = true"))
    (tmp_path / "submissions/B/other.txt").write_text(lists("poor", "xyza"))
    (tmp_path / "submissions/B/good.txt").write_text(lists("good", "xyza"))
    found = reasons(tmp_path)
    assert found["other"] == ["name"]
    assert found["good"] == ["name taken"]


def test_letters_do_not_tell_a_team_what_others_call_their_runs(tmp_path: Path) -> None:
    begin(tmp_path, runs={**RUNS, "odd": ("C", "xyza")})  # as poor of team B
    *_, _ = bring(Track.read(tmp_path), "check")
    letter = (tmp_path / "letters/C.txt").read_text()
    assert "odd.txt): accepted" in letter
    assert "alike" not in letter
    assert "poor" not in letter
    assert pl.read_csv(tmp_path / "check/findings.csv").filter(run="odd")["says"][0].endswith("poor")


def test_a_run_of_nobody_and_teams_by_folder(tmp_path: Path) -> None:
    begin(tmp_path, SETTINGS.replace('teams = "teams.csv"\n', ""))
    (tmp_path / "submissions/stray.txt").write_text(lists("stray", "abcd"))
    track = Track.read(tmp_path)
    *_, _ = bring(track, "check")
    assert [(each.team, each.run) for each in accepted(track)] == [
        ("A", "fair"), ("A", "good"), ("B", "poor"), ("C", "odd"),
    ]  # fmt: skip
    assert "its team is unknown" in (tmp_path / "letters/_unknown-team.txt").read_text()
    assert "5 runs of 4 teams: 4 accepted, 1 rejected (stray)" in told(track, "check")[0]
    assert pl.read_csv(tmp_path / "check/findings.csv").filter(code="team")["count"].to_list() == [1]


def test_a_file_of_teams_is_refused_with_its_line(tmp_path: Path) -> None:
    begin(tmp_path)
    for row, says in (
        ("good,\n", "line 2: a line has a run and its team"),
        ("good,A\ngood,A\n", "line 3: run 'good' of team 'A' already has a line"),
    ):
        (tmp_path / "teams.csv").write_text("run,team\n" + row)
        with pytest.raises(InputError, match=says):
            reasons(tmp_path)
    (tmp_path / "teams.csv").write_text("run,team,priority\ngood,A,first\n")
    with pytest.raises(InputError, match="line 2: a priority is a whole number from 1, not 'first'"):
        reasons(tmp_path)


def test_no_submissions(tmp_path: Path) -> None:
    begin(tmp_path, runs={})
    with pytest.raises(InputError, match="no such folder; make it"):
        reasons(tmp_path)
    (tmp_path / "submissions").mkdir()
    with pytest.raises(InputError, match="it holds no submission"):
        reasons(tmp_path)


def test_hostile_names_make_files_of_their_own_in_the_folder(tmp_path: Path) -> None:
    names = ["../x", "a/b", "a b", "a_b", "A B", ".hidden", "x" * 300, "é", "<b>", "\u202e", "con\nt"]
    files = [file_name(name) for name in names]
    assert len({file.casefold() for file in files}) == len(names)
    for file in files:
        assert Path(file).name == file
        (tmp_path / f"{file}.txt").touch()


def test_a_letter_says_what_came_of_one_run_and_of_two(tmp_path: Path) -> None:
    begin(tmp_path)
    sound, broken = lists("good", "abcd"), "1 Q0 x\n"

    def said(**runs: str) -> str:
        for name in ("good", "fair"):
            (tmp_path / f"submissions/A/{name}.txt").unlink(missing_ok=True)
        for name, text in runs.items():
            (tmp_path / f"submissions/A/{name}.txt").write_text(text)
        list(bring(Track.read(tmp_path), "check"))
        return " ".join((tmp_path / "letters/A.txt").read_text().split())

    again = "Please send the corrected {} again, under the same {}, to ann@example.org."
    one, two = again.format("run", "name"), again.format("runs", "names")
    assert "Thank you for your run. It is accepted. good (" in said(good=sound)
    assert "lease" not in said(good=sound)
    assert "note:" not in said(good=sound.replace("Q0", "Q9"))  # a column that nobody reads
    assert "Thank you for your run. It cannot be accepted yet: please find the reasons below" in said(good=broken)
    assert one in said(good=broken)
    both = said(good=sound, fair=lists("fair", "bacx"))
    assert "Thank you for your 2 runs. All of them are accepted. fair (" in both
    half, none = said(good=sound, fair=broken), said(good=broken, fair=broken * 2)
    assert "1 of them is accepted, 1 not yet: please find the reasons below" in half
    assert (one in half, two in half) == (True, False)
    assert "None of them can be accepted yet: please find the reasons below" in none
    assert (one in none, two in none) == (False, True)
    (tmp_path / "submissions/A/README.txt").write_text("Ours.")
    assert "We did not treat this file as a run: submissions/A/README.txt (its name is not that of a run)." in said(
        good=sound
    )
    (tmp_path / "submissions/A/README.md").write_text("Ours.")
    assert "We did not treat these files as runs: submissions/A/README.md (" in said(good=sound)
