"""The judging task of a track: made of its pool, kept up with it, and read without a step by hand."""

from __future__ import annotations

import hashlib
import shutil
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from tools.small_track import RUNS, SETTINGS, begin, lists

from cranfield.app.judging.assessing import judge, next_documents
from cranfield.app.judging.desk import Desk
from cranfield.app.judging.opening import opened
from cranfield.app.judging.routes import Judge, NextAsked
from cranfield.cli import main
from cranfield.track import judging, pooling
from cranfield.track.road import bring
from cranfield.track.track import Track

ALONE = SETTINGS.replace('files = ["qrels.txt"]', 'assessors = ["Ann"]\nscale = "0-3"')


def track(step: str, folder: Path, *more: str, fails: bool = False) -> str:
    """Call a command of the track, and return what it prints."""
    done = CliRunner().invoke(main, ["track", step, str(folder), *more])
    assert done.exit_code == (2 if fails else 0), done.output
    return done.output


def handed(desk: Desk, who: str = "Ann", topic: str | None = None) -> list[tuple[str, str]]:
    asked = NextAsked(20, topic)
    found = desk.act(who, None, ("next", asked), partial(next_documents, desk, desk.person(who), asked))
    return [(each["topic"], each["document"]) for each in found["documents"]]


def grade(desk: Desk, topic: str, document: str, given: float, who: str = "Ann") -> None:
    asked = Judge(desk.fresh(), topic, document, given)
    desk.act(who, asked.key, ("judge", asked), partial(judge, desk, desk.person(who), asked))


def pool_of(folder: Path) -> set[tuple[str, str]]:
    pool = pooling.read_pool(Track.read(folder))
    return {(topic, document) for topic, documents in pool.items() for document in documents}


def test_the_task_has_the_documents_of_the_pool_and_its_grades_are_the_tracks(tmp_path: Path) -> None:
    """Whole lists are in it, so that the ranges of the runs are right, but nothing else is handed out."""
    begin(tmp_path, ALONE)
    said = track("judge", tmp_path)
    assert "nothing is judged yet: judge in the task" in said
    assert "made a judging task of 15 documents of 3 topics" in said
    assert "nothing is judged yet; judge in the task" in track("results", tmp_path, fails=True)
    desk = opened(tmp_path / "task").desk
    assert desk.board.candidates.length.max() == 4
    assert set(handed(desk)) == pool_of(tmp_path)
    for topic, document in handed(desk):
        grade(desk, topic, document, 2 if document in "ab" else 0)
    assert handed(desk) == []
    said = track("judge", tmp_path)  # also while it is served
    assert "15 judgments count" in said
    assert "of the pool 0 are missing" in said
    desk.close()
    assert (tmp_path / "judgments/task.txt").read_text() == (tmp_path / "judgments/qrels.txt").read_text()
    digest = hashlib.sha256((tmp_path / "judgments/task.txt").read_bytes()).hexdigest()
    assert f"judgments/task.txt,{digest},15,15" in (tmp_path / "judgments/files.csv").read_text()


def test_a_pool_that_grows_adds_to_the_task_what_it_lacks_and_no_judgment_is_lost(tmp_path: Path) -> None:
    """A late run has q and w first: q and w join; what is judged stays, and the run has its place in the ranges."""
    begin(tmp_path, ALONE, {name: RUNS[name] for name in ("good", "odd")})
    (tmp_path / "docids.txt").write_text("".join(f"{d}\n" for d in "abcdxyzqw"))
    track("judge", tmp_path)
    desk = opened(tmp_path / "task").desk
    for topic, document in handed(desk)[:5]:
        grade(desk, topic, document, 1)
    before = desk.board.records.to_qrels().rows()
    had = pool_of(tmp_path)
    assert "up to date" in track("judge", tmp_path)  # nothing is added, so that it may be served
    (tmp_path / "teams.csv").write_text("run,team\ngood,A\nodd,C\nlate,D\n")
    (tmp_path / "submissions/D").mkdir()
    (tmp_path / "submissions/D/late.txt").write_text(lists("late", "qwab"))
    (tmp_path / "track.toml").write_text(ALONE.replace('["Ann"]', '["Ann", "Ben"]'))
    assert "another process serves this task" in track("judge", tmp_path, fails=True)
    desk.close()
    assert "added to the judging task: 1 run, 6 documents, 1 assessor" in track("judge", tmp_path)
    assert "added" not in track("judge", tmp_path)
    desk = opened(tmp_path / "task").desk
    assert desk.board.records.to_qrels().rows() == before
    assert desk.board.candidates.runs == ("good", "odd", "late")
    new = pool_of(tmp_path) - had
    assert {document for _, document in new} == {"q", "w"}
    assert set(handed(desk, "Ben")) == new | {each for each in had if each not in {(t, d) for t, d, _ in before}} - set(
        handed(desk)
    )
    desk.close()


def test_what_is_done_again_is_what_is_done_at_once(tmp_path: Path) -> None:
    """The judgments of the task, taken in two steps or in one, give the same qrels; named files count more."""
    begin(tmp_path / "a", ALONE)
    track("judge", tmp_path / "a")
    for first, last in ((0, 3), (3, 9)):
        desk = opened(tmp_path / "a/task").desk
        for topic, document in sorted(pool_of(tmp_path / "a"))[first:last]:
            grade(desk, topic, document, 3)
        desk.close()
        track("judge", tmp_path / "a")
    begin(tmp_path / "b", ALONE)
    shutil.copytree(tmp_path / "a/task", tmp_path / "b/task")
    track("judge", tmp_path / "b")
    assert (tmp_path / "a/judgments/qrels.txt").read_bytes() == (tmp_path / "b/judgments/qrels.txt").read_bytes()
    (tmp_path / "b/fixed.txt").write_text("1 0 a 1\n")
    (tmp_path / "b/track.toml").write_text(ALONE.replace("assessors", 'files = ["fixed.txt"]\nassessors'))
    list(bring(Track.read(tmp_path / "b"), "judge"))
    assert judging.sources(Track.read(tmp_path / "b")) == [tmp_path / "b/judgments/task.txt", tmp_path / "b/fixed.txt"]
    assert (tmp_path / "b/judgments/qrels.txt").read_text().startswith("1 0 a 1\n1 0 b 3\n")


@pytest.mark.parametrize(
    ("pool", "method", "count"),
    [('method = "B"\nbudget = 5', "B", 5), ('method = "sample"\nper_topic = 2\ndepth = 2', "random", 6)],
)
def test_other_ways_to_choose(tmp_path: Path, pool: str, method: str, count: int) -> None:
    begin(tmp_path, ALONE.replace("depth = 2", pool))
    track("judge", tmp_path)
    desk = opened(tmp_path / "task").desk
    assert desk.task.method == method
    assert (len(handed(desk)), set(handed(desk))) == (count, pool_of(tmp_path))
    desk.close()


def test_sheets_are_of_what_is_left(tmp_path: Path) -> None:
    begin(tmp_path, ALONE)
    assert "3 sheets to be judged without a server" in track("judge", tmp_path, "--sheets")
    assert {path.name for path in (tmp_path / "sheets").iterdir()} == {"1.html", "2.html", "3.html"}
    desk = opened(tmp_path / "task").desk
    for topic, document in handed(desk, topic="1"):
        grade(desk, topic, document, 1)
    desk.close()
    assert "2 sheets to be judged" in track("judge", tmp_path, "--sheets")
    (tmp_path / "track.toml").write_text(ALONE.replace("depth = 2", 'method = "none"'))
    assert "nothing to put on sheets" in track("judge", tmp_path, "--sheets", fails=True)


def test_settings_of_the_task_are_checked(tmp_path: Path) -> None:
    begin(tmp_path, ALONE.replace("0-3", "0-x"))
    assert "[judgments]: a scale is 0-3" in track("check", tmp_path, fails=True)
    begin(tmp_path, ALONE + 'guidelines = "none.md"\n')
    assert "[judgments] guidelines: there is no file none.md" in track("check", tmp_path, fails=True)
    begin(tmp_path, ALONE)
    track("judge", tmp_path)
    (tmp_path / "topics.txt").write_text("1\n2\n3\n4\n")
    for name, (team, documents) in RUNS.items():
        (tmp_path / f"submissions/{team}/{name}.txt").write_text(lists(name, documents, "1234"))
    assert "topic '4' joined the pool, and a judging task cannot get another topic" in track(
        "judge", tmp_path, fails=True
    )
