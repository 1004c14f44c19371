"""Everything that teams send is received: read, or listed with the reason, and answered in a letter."""

from __future__ import annotations

import csv
import os
import re
import tarfile
import zipfile
from pathlib import Path

import pytest
from tools.made_campaign import begin, sent
from tools.small_track import SETTINGS, lists
from tools.small_track import begin as small

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import storable
from cranfield.track import archives
from cranfield.track.check_step import accepted, judge_submissions
from cranfield.track.road import bring
from cranfield.track.track import Track


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("campaign")
    begin(folder)
    assert [done.anew for done in bring(Track.read(folder), "check")] == [True]
    return folder


def unwrapped(letter: Path) -> str:
    return " ".join(letter.read_text().split())


def test_each_fault_is_found_and_its_letter_says_what_it_is_and_what_to_do(campaign: Path) -> None:
    wrong = {
        each.submission.shown.partition(":")[0] for each in judge_submissions(Track.read(campaign)) if each.reasons
    }
    assert (len(sent()), sum(not each.accepted for each in sent())) == (44, 32)
    for each in sent():
        shown = f"submissions/{storable(os.fsdecode(each.file))}"
        assert (shown not in wrong) == each.accepted, shown
        letter = unwrapped(campaign / f"letters/{each.file.decode('latin-1').partition('/')[0]}.txt")
        own = letter[letter.index(f"({shown}") :].partition("submissions/")[2]
        own = own.partition(" (submissions/")[0] if shown.endswith(".txt") else letter
        assert each.says in own, (shown, own)
        assert each.to_do in own, (shown, own)


def test_all_letters_are_those_that_were_read(campaign: Path) -> None:
    """The file has them beside those of version 0.3.0, for a person to compare."""
    page = Path(__file__).with_name("letters.md").read_text()
    kept = dict(re.findall(r"^## (\w+)\n\n```diff\n(.*?)\n```$", page, re.MULTILINE | re.DOTALL))
    written = {path.stem: path.read_text().splitlines() for path in (campaign / "letters").iterdir()}
    assert {
        team: [line[2:] for line in text.splitlines() if not line.startswith("-")] for team, text in kept.items()
    } == written


def test_nothing_that_was_received_is_lost(campaign: Path) -> None:
    with (campaign / "check/received.csv").open(newline="") as file:
        listed = [row["file"].partition(": ")[0] for row in csv.DictReader(file)]
    there = {
        storable(str(path.relative_to(campaign))) for path in (campaign / "submissions").rglob("*") if path.is_file()
    }
    assert set(listed) == there
    assert not (campaign / "elm-out.txt").exists()
    assert not any(path.is_symlink() for path in campaign.rglob("*"))


def test_the_second_check_is_the_first(campaign: Path) -> None:
    before = {path: path.read_bytes() for path in campaign.rglob("*") if path.is_file()}
    assert [done.anew for done in bring(Track.read(campaign), "check")] == [False]
    assert {path: path.read_bytes() for path in campaign.rglob("*") if path.is_file()} == before


def test_one_run_that_is_rejected_says_nothing_of_the_others(campaign: Path) -> None:
    names = {each.run for each in accepted(Track.read(campaign))}
    assert {"alder-a", "alder-z", "ash-n", "elm-z", "hazel-a", "maple-a", "maple-b"} <= names
    assert "accepted" in unwrapped(campaign / "letters/alder.txt")
    assert "larch" not in unwrapped(campaign / "letters/alder.txt")
    assert "alike" not in unwrapped(campaign / "letters/alder.txt")


def test_a_team_that_means_it_is_accepted_and_other_warnings_can_reject(tmp_path: Path) -> None:
    rising = "".join(f"{t} Q0 {d} {r} {r}.5 poor\n" for t in "123" for r, d in enumerate("xyza", 1))

    def reasons(more: str = "") -> list[str]:
        small(tmp_path, SETTINGS.replace("most_documents = 4", f"most_documents = 4\n{more}"))
        (tmp_path / "submissions/B/poor.txt").write_text(rising)
        verdicts = judge_submissions(Track.read(tmp_path))
        return next([one.code for one in each.reasons] for each in verdicts if each.submission.run == "poor")

    assert reasons() == ["reversed"]
    assert reasons('confirmed = ["poor"]') == []
    assert reasons('confirmed = ["B/poor"]') == []
    assert reasons('confirmed = ["A/poor"]') == ["reversed"]
    assert reasons("strict = []") == []
    rising = lists("p!", "xyza")
    assert reasons('strict = ["tag"]') == ["tag"]


def test_two_teams_of_one_run_name_go_by_the_day_of_receipt(tmp_path: Path) -> None:
    small(tmp_path)
    (tmp_path / "submissions/B/good.txt").write_text(lists("good", "bacx"))
    for days, wanted in ((("2026-07-02", "2026-07-01"), "B"), (("2026-07-01", "2026-07-02"), "A")):
        rows = "".join(f"good,{team},{day}\n" for team, day in zip("AB", days, strict=True))
        (tmp_path / "teams.csv").write_text(f"run,team,received\n{rows}fair,A,\npoor,B,\nodd,C,\n")
        verdicts = [each for each in judge_submissions(Track.read(tmp_path)) if each.submission.run == "good"]
        assert {each.submission.team: each.accepted for each in verdicts} == {
            wanted: True,
            "AB".replace(wanted, ""): False,
        }
        assert [one.code for each in verdicts for one in each.reasons] == ["name taken"]


def test_a_file_of_several_runs_is_refused_with_the_names(tmp_path: Path) -> None:
    small(tmp_path)
    (tmp_path / "submissions/B/two.csv").write_text("run,qid,docno,score\na,1,x,2\nb,1,y,1\n")
    (found,) = [each for each in judge_submissions(Track.read(tmp_path)) if each.submission.run == "two"]
    assert [one.code for one in found.reasons] == ["refused"]


def zipped(path: Path, names: list[str], data: bytes = b"x") -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, data)
    return path


def test_archives_are_bounded_and_open_to_no_other_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["/etc/x", "a/../../x", "__MACOSX/._x", "a/b.txt", "b.txt", "..\\x"]
    found = archives.unpacked(zipped(tmp_path / "a.zip", names), tmp_path / "out")
    assert [(each.name, bool(each.problem)) for each in found] == [
        ("..\\x", True), ("/etc/x", True), ("a/../../x", True), ("a/b.txt", False), ("b.txt", False),
    ]  # fmt: skip
    assert archives.unpacked(tmp_path / "nowhere.zip", tmp_path / "out") == found  # it was unpacked before
    monkeypatch.setattr(archives, "MEMBERS", 2)
    with pytest.raises(InputError, match="holds 5 files; at most 2 are read"):
        archives.unpacked(tmp_path / "a.zip", tmp_path / "few")
    monkeypatch.undo()
    monkeypatch.setattr(archives, "MOST_BYTES", 10)
    with pytest.raises(InputError, match="holds more than"):
        archives.unpacked(zipped(tmp_path / "b.zip", ["x"], b"0" * 11), tmp_path / "much")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.zip", "b.zip", "out"]


def test_an_unpacked_file_keeps_the_end_of_its_name_where_a_disk_takes_it(tmp_path: Path) -> None:
    """The last two suffixes say how it is read: in ASCII, letters and digits, and of 39 characters with the number."""
    ends = {
        f"a.{'b' * 34}": f".{'b' * 34}",
        f"b.{'b' * 35}": "",
        "c.1.txt.gz": ".txt.gz",
        "d.ä": "",
        "e.a-b": "",
        "f": "",
    }
    found = archives.unpacked(zipped(tmp_path / "a.zip", [*ends]), tmp_path / "out")
    assert {each.name: each.file for each in found} == {
        name: f"{number:04}{end}" for number, (name, end) in enumerate(ends.items())
    }


def test_a_link_in_a_zip_archive_is_not_followed(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("r.txt")
    link.create_system, link.external_attr = 3, 0o120777 << 16  # as `zip --symlinks` on Unix writes it
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    [found] = archives.unpacked(tmp_path / "a.zip", tmp_path / "out")
    assert found.problem == "is a link: send the file itself"


def test_what_cannot_be_taken_away_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*path: object, **more: object) -> None:
        raise PermissionError("no")

    (tmp_path / archives.UNPACKED / "old").mkdir(parents=True)
    monkeypatch.setattr(os, "rmdir", refused)
    archives.forget_others(tmp_path, set())
    monkeypatch.undo()
    assert (tmp_path / archives.UNPACKED / "old").exists()
    archives.forget_others(tmp_path, set())
    assert not (tmp_path / archives.UNPACKED).exists()


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz"])
def test_archives_of_every_packing(tmp_path: Path, kind: str) -> None:
    (tmp_path / "r.txt").write_text("run")
    zipped(tmp_path / "in.zip", ["x.txt"])
    path = tmp_path / f"runs.tar.{kind}"
    with tarfile.open(path, f"w:{kind}") as tar:  # type: ignore[call-overload]
        tar.add(tmp_path / "r.txt", "caf\udce9/r.txt")
        tar.add(tmp_path / "in.zip", "in.zip")
    assert archives.is_archive(path)
    plain, inner = archives.unpacked(path, tmp_path / "out")
    assert plain.name == "caf\\xe9/r.txt"
    assert (tmp_path / "out" / plain.file).read_text() == "run"
    assert inner.problem.startswith("is an archive within an archive")
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(InputError, match=r"damaged|cut short"):
        archives.unpacked(path, tmp_path / "cut")


@pytest.mark.parametrize("folder", [".", "..", "submissions/.."])
def test_what_a_track_makes_is_no_submission(tmp_path: Path, folder: str) -> None:
    """Else its letters and pools would be received by the next step."""
    (tmp_path / "track").mkdir()
    begin(tmp_path / "track")
    settings = tmp_path / "track/track.toml"
    settings.write_text(settings.read_text().replace("[submissions]\n", f'[submissions]\nfolder = "{folder}"\n'))
    with pytest.raises(InputError, match="it contains the track; give the submissions a separate folder"):
        list(bring(Track.read(tmp_path / "track"), "check"))
