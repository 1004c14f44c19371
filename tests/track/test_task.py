"""The judging task of a track: made of its pool, kept up with it, and read without a step by hand."""

from __future__ import annotations

import csv
import hashlib
import shutil
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from tools.small_track import RUNS, SETTINGS, begin, lists

from cranfield.app.judging.assessing import judge, next_documents
from cranfield.app.judging.desk import Desk
from cranfield.app.judging.organising import adjudicate
from cranfield.app.judging.task_folder import opened
from cranfield.cli import main
from cranfield.track import judge_step, pool_step
from cranfield.track.road import bring
from cranfield.track.track import Track

ALONE = SETTINGS.replace('files = ["qrels.txt"]', 'assessors = ["Ann"]\nscale = "0-3"')


def track(step: str, folder: Path, *more: str, fails: bool = False) -> str:
    """Call a command of the track, and return what it prints."""
    done = CliRunner().invoke(main, ["track", step, str(folder), *more])
    assert done.exit_code == (2 if fails else 0), done.output
    return done.output


def handed(desk: Desk, who: str = "Ann", topic: str | None = None) -> list[tuple[str, str]]:
    found = desk.act(who, None, ("next", None), partial(next_documents, desk, desk.person(who), n=20, topic=topic))
    return [(each["topic"], each["document"]) for each in found["documents"]]


def grade(desk: Desk, topic: str, document: str, given: float, who: str = "Ann") -> None:
    do = partial(judge, desk, desk.person(who), topic=topic, document=document, grade=given)
    desk.act(who, desk.fresh(), ("judge", [topic, document, given]), do)


def pool_of(folder: Path) -> set[tuple[str, str]]:
    pool = pool_step.read_pool(Track.read(folder))
    return {(topic, document) for topic, documents in pool.items() for document in documents}


def test_the_task_has_the_documents_of_the_pool_and_its_grades_are_the_tracks(tmp_path: Path) -> None:
    """Whole lists are in it, so that the ranges of the runs are right, but nothing else is handed out."""
    begin(tmp_path, ALONE)
    said = track("judge", tmp_path)
    assert "no judgments yet: judge in the task" in said
    assert "made a judging task of 15 documents of 3 topics" in said
    assert "no judgments yet: judge in the task" in track("results", tmp_path, fails=True)
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
    before = desk.board.to_qrels().rows()
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
    assert desk.board.to_qrels().rows() == before
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
    assert judge_step.sources(Track.read(tmp_path / "b"), of_task=True) == [
        tmp_path / "b/judgments/task.txt",
        tmp_path / "b/fixed.txt",
    ]
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
    assert "3 sheets for judging without a server" in track("judge", tmp_path, "--sheets")
    assert {path.name for path in (tmp_path / "sheets").iterdir()} == {"1.html", "2.html", "3.html"}
    desk = opened(tmp_path / "task").desk
    for topic, document in handed(desk, topic="1"):
        grade(desk, topic, document, 1)
    desk.close()
    assert "2 sheets for judging" in track("judge", tmp_path, "--sheets")
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
    assert "topic '4' joined the pool, but a judging task cannot add topics" in track("judge", tmp_path, fails=True)


@pytest.mark.parametrize(("policy", "grades"), [("first", {1.0}), ("adjudicated", set())])
def test_what_several_people_graded_has_one_grade_in_the_track_and_in_its_task(
    tmp_path: Path, policy: str, grades: set[float]
) -> None:
    several = f'assessors = ["Ann", "Ben"]\nscale = "0-3"\nper_document = 2\npolicy = "{policy}"'
    begin(tmp_path, SETTINGS.replace('files = ["qrels.txt"]', several))
    track("judge", tmp_path)
    desk = opened(tmp_path / "task").desk
    [(topic, document), *_] = handed(desk)
    grade(desk, topic, document, 1)
    grade(desk, topic, document, 2, "Ben")
    assert set(desk.board.to_qrels()["relevance"]) == grades
    desk.close()
    track("judge", tmp_path, fails=False)
    told = tmp_path / "judgments/task.txt"
    assert {float(line.split()[3]) for line in told.read_text().splitlines()} == grades if grades else not told.exists()


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / name).open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_disagreement_has_no_grade_until_it_is_settled_and_the_step_says_so(tmp_path: Path) -> None:
    """Ann and Ben judge a and b; of b they disagree."""
    begin(tmp_path, ALONE.replace('["Ann"]', '["Ann", "Ben"]\nper_document = 2'))
    track("judge", tmp_path)
    desk = opened(tmp_path / "task").desk
    for who, of_b in (("Ann", 1), ("Ben", 2)):
        grade(desk, "1", "a", 3, who)
        grade(desk, "1", "b", of_b, who)
    assert "1 document judged differently has no grade: settle it" in track("judge", tmp_path)
    assert (tmp_path / "judgments/qrels.txt").read_text() == "1 0 a 3\n"
    (agreed,) = rows(tmp_path, "judgments/agreement.csv")
    assert (agreed["documents"], agreed["share"], agreed["undecided"]) == ("2", "0.5", "1")
    do = partial(adjudicate, desk, desk.person("organiser"), topic="1", document="b", grade=2)
    desk.act("organiser", desk.fresh(), ("adjudicate", None), do)
    assert "judged differently" not in track("judge", tmp_path)
    assert (tmp_path / "judgments/qrels.txt").read_text() == "1 0 a 3\n1 0 b 2\n"
    desk.close()


def test_judgments_of_a_task_that_was_moved_away_go_at_once(tmp_path: Path) -> None:
    """What the first run of the step says is what the second says: the qrels are those of the files that are there."""
    begin(tmp_path, ALONE.replace("scale", 'files = ["more.txt"]\nscale'))
    (tmp_path / "more.txt").write_text("1 0 x 1\n")
    track("judge", tmp_path)
    desk = opened(tmp_path / "task").desk
    for topic, document in handed(desk)[:5]:
        grade(desk, topic, document, 1)
    desk.close()
    assert int(track("judge", tmp_path).partition(" judgment")[0].split()[-1]) >= 5
    shutil.move(tmp_path / "task", tmp_path / "elsewhere")
    first = [*bring(Track.read(tmp_path), "judge")]
    assert (tmp_path / "judgments/qrels.txt").read_text() == "1 0 x 1\n"
    assert not (tmp_path / "judgments/task.txt").exists()
    assert any(done.anew for done in first)
    assert not any(done.anew for done in bring(Track.read(tmp_path), "judge"))


def test_documents_that_join_after_a_form_was_begun_have_a_form_of_their_own(tmp_path: Path) -> None:
    begin(tmp_path, SETTINGS.replace('files = ["qrels.txt"]', 'files = ["forms/*.csv"]'), {"good": RUNS["good"]})
    list(bring(Track.read(tmp_path), "judge"))
    form = tmp_path / "forms/1.csv"
    form.write_text(form.read_text().replace("1,a,", "1,a,1"))
    for team, documents, further in (
        ("B", "xyza", {"1.2.csv": {"x", "y"}}),
        ("C", "cyab", {"1.2.csv": {"x", "y", "c"}}),
    ):
        (tmp_path / f"submissions/{team}").mkdir()
        (tmp_path / f"submissions/{team}/r{team}.txt").write_text(lists(f"r{team}", documents))
        (tmp_path / "teams.csv").write_text("run,team\ngood,A\n")
        list(bring(Track.read(tmp_path), "judge"))
        for name, wanted in further.items():
            assert {row["document"] for row in rows(tmp_path, f"forms/{name}")} == wanted
        assert "1,a,1" in form.read_text()
        assert {row["document"] for row in rows(tmp_path, "forms/2.csv")} >= {"a", "b", "x", "y"}
        assert not any(done.anew for done in bring(Track.read(tmp_path), "judge"))
    begun = tmp_path / "forms/1.2.csv"
    begun.write_text(begun.read_text().replace("1,x,", "1,x,0"))
    (tmp_path / "submissions/D").mkdir()
    (tmp_path / "submissions/D/rD.txt").write_text(lists("rD", "zxab"))
    list(bring(Track.read(tmp_path), "judge"))
    assert {row["document"] for row in rows(tmp_path, "forms/1.3.csv")} == {"z"}
    assert "1,x,0" in begun.read_text()
    assert (tmp_path / "judgments/qrels.txt").read_text() == "1 0 a 1\n1 0 x 0\n"


def test_what_the_step_makes_is_no_source_of_judgments(tmp_path: Path) -> None:
    begin(
        tmp_path,
        SETTINGS.replace('files = ["qrels.txt"]', 'files = ["*.txt", "judgments/*.txt"]').replace(
            "topics.txt", "topics"
        ),
    )
    (tmp_path / "topics.txt").rename(tmp_path / "topics")
    (tmp_path / "docids.txt").rename(tmp_path / "docids")
    settings = tmp_path / "track.toml"
    settings.write_text(
        settings.read_text().replace("docids.txt", "docids").replace('"*.txt", "judgments', '"q*.txt", "judgments')
    )
    (tmp_path / "judgments").mkdir()
    (tmp_path / "judgments/old.txt").write_text("1 0 a 1\n")
    list(bring(Track.read(tmp_path), "judge"))
    first = (tmp_path / "judgments/files.csv").read_text()
    list(bring(Track.read(tmp_path), "judge"))
    assert (tmp_path / "judgments/files.csv").read_text() == first
    assert "judgments/qrels.txt" not in first
