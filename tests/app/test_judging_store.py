"""What is kept of a judging task: on the disk before anybody is told, and refused in words where that cannot be."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tools.judging_desk import PNG, RUNS, Works, new_task, snapshot, works

from cranfield.app.judging.acts import ACT_KINDS, Act, Flagged, read
from cranfield.app.judging.exporting import EXPORTS, exported
from cranfield.app.judging.importing import imported, merged
from cranfield.app.judging.sheets import on_sheet
from cranfield.app.judging.store import DATABASE, SCHEMA_STEPS, Store, StoreError
from cranfield.app.judging.task import packed, unpacked
from cranfield.app.judging.task_board import TaskBoard
from cranfield.app.judging.task_folder import begun, texts_in
from cranfield.cli import main
from cranfield.cli.judge import EXPORT_NAMES as NAMED
from cranfield.formats import read_qrels
from cranfield.plumbing.errors import InputError
from cranfield.selection.candidates import Candidates
from cranfield.selection.records import Assessed, Log, Records


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return new_task(tmp_path / "task")


@pytest.fixture
def at(folder: Path) -> Any:
    found = works(folder)
    for name in ("Ann", "Anna"):
        found.person(name)
    found.judge(
        "Ann", "1", "b", 2, note="as Anna said", reason={"sentence": "Ann: wings", "start": 5, "end": 6}, seconds=4
    )
    found.judge("Anna", "2", "d", 0, by="key")
    yield found
    found.desk.close()


def state(at: Works) -> tuple[str, list[str], list[str]]:
    return snapshot(at.desk.board), [*at.desk.store.lines()], at.desk.store.problems()


def test_one_process_alone_may_write_and_others_may_read(folder: Path, at: Works) -> None:
    with pytest.raises(InputError, match="another process serves this task"):
        Store(folder)
    with Store(folder, writing=False) as reading:
        assert [*reading.lines()] == [*at.desk.store.lines()]
        with pytest.raises(StoreError, match="is read-only; nothing was recorded"):
            reading.commit([("e", "{}")])


def test_events_are_never_changed(folder: Path, at: Works) -> None:
    at.desk.close()
    with closing(sqlite3.connect(folder / DATABASE)) as file, file:
        for change in ("UPDATE events SET line = ''", "DELETE FROM events"):
            with pytest.raises(sqlite3.IntegrityError, match="events are never"):
                file.execute(change)


def test_a_full_disk_is_said_and_nothing_is_lost(at: Works) -> None:
    before = state(at)
    pages = at.desk.store._file.execute("PRAGMA page_count").fetchone()[0]
    at.desk.store._file.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match="the disk is full; nothing was recorded: free some space"):
        at.ask("Ann", "flag", key="k", topic="1", document="a", why="x" * 50_000)
    assert state(at) == before
    at.desk.store._file.execute("PRAGMA max_page_count = 1000000")
    at.ask("Ann", "flag", key="k", topic="1", document="a", why="x" * 50_000)
    assert len(state(at)[1]) == len(before[1]) + 1


def test_a_locked_database_is_said_and_nothing_is_lost(folder: Path, at: Works) -> None:
    at.desk.store._file.execute("PRAGMA busy_timeout = 20")
    before = state(at)
    with closing(sqlite3.connect(folder / DATABASE, isolation_level=None)) as other, other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="another process keeps it locked; nothing was recorded"):
            at.judge("Ann", "1", "a", 1, key="k")
        other.execute("ROLLBACK")
    assert state(at) == before
    at.judge("Ann", "1", "a", 1, key="k")
    assert at.desk.board.grade("1", "a") == 1


def test_a_later_version_is_refused_and_an_earlier_one_brought_up_to_date(
    folder: Path, at: Works, tmp_path: Path
) -> None:
    at.desk.close()
    with closing(sqlite3.connect(folder / DATABASE)) as file, file:
        file.execute(f"PRAGMA user_version = {len(SCHEMA_STEPS) + 1}")
    with pytest.raises(InputError, match="made by a later version of cranfield"):
        Store(folder)
    earlier = tmp_path / "earlier"
    earlier.mkdir()
    with closing(sqlite3.connect(earlier / DATABASE)) as file, file:
        file.executescript(f"{SCHEMA_STEPS[0][1]} PRAGMA user_version = 1;")
        file.execute("INSERT INTO documents VALUES (1, 'a', 'On wings', 'They lift.', '{}', '')")
    with pytest.raises(InputError, match="made by an earlier version of cranfield; serve it once"):
        Store(earlier, writing=False)
    with Store(earlier) as store:
        assert store.search(["lift"]) == [("a", "On wings", "They lift.")]


def test_what_is_no_task_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no judging task here; make one with `cranfield judge new`"):
        Store(tmp_path)
    (tmp_path / DATABASE).write_bytes(b"not a database" * 100)
    with pytest.raises(StoreError, match="damaged"):
        Store(tmp_path)
    Store.create(tmp_path / "half", {}).close()
    with pytest.raises(InputError, match="is incomplete"):
        works(tmp_path / "half")
    with pytest.raises(InputError, match="name a folder that is new or empty"):
        new_task(tmp_path / "half")


def test_a_backup_is_the_task_as_it_was(at: Works, tmp_path: Path) -> None:
    at.desk.store.backup(tmp_path / "copy")
    before = snapshot(at.desk.board)
    at.judge("Ann", "1", "a", 1)
    again = works(tmp_path / "copy")
    assert snapshot(again.desk.board) == before
    assert again.desk.store.problems() == []
    again.desk.close()
    with pytest.raises(InputError, match="new or empty"):
        at.desk.store.backup(tmp_path / "copy")


def test_secrets_are_kept_as_hashes(folder: Path, at: Works) -> None:
    secret = at.office.link("Ann").link.partition("#")[2]
    _, session = at.office.door.enter(secret)
    at.desk.close()
    kept = b"".join(path.read_bytes() for path in folder.iterdir())
    assert secret.encode() not in kept
    assert session.split(".")[0].encode() not in kept
    assert (folder.stat().st_mode & 0o077, (folder / DATABASE).stat().st_mode & 0o077) == (0, 0)


def test_a_task_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    made = tmp_path / "made"
    how = {"title": "t", "guidelines": "", "measure": "RBP(p=0.5)", "method": "A", "stop": ["LeaderAbove"]}
    office = begun(
        made, Candidates.gather(RUNS), {}, (), scale="0=no,1=yes", organiser="Olga", assessors=["Ann"], **how
    )
    office.desk.close()
    assert made.stat().st_mode & 0o777 == 0o700


def test_exports_by_hand(at: Works) -> None:
    def of(what: str, **given: bool) -> str:
        return exported(at.desk, what, **given).content

    assert of("qrels") == of("qrels-majority") == "1 0 b 2\n2 0 d 0\n"
    assert of("qrels-assessors") == "1 Ann b 2\n2 Anna d 0\n"
    assert of("spans") == "topic,document,start,end,grade,assessor\n1,b,5,6,2,Ann\n"
    assert of("pool") == "1 b\n2 d\n"
    assert of("judgments").splitlines()[1].startswith("1,b,2,Ann,0,1000,4,click,taken,,as Anna said,Ann: wings,5,6,0,e")
    assert [json.loads(line)["event"] for line in of("log").splitlines()][-2:] == ["assessed", "seen"]
    names = exported(at.desk, "qrels-assessors", pseudonyms=True).content.split()
    assert {names[1], names[5]} < {"assessor-1", "assessor-2", "assessor-3"}
    for what in EXPORTS:
        hidden = of(what, pseudonyms=True)
        assert not {"Ann", "Anna", "Olga"} & set(hidden.replace('"', " ").replace(",", " ").replace(":", " ").split())


def test_the_command_names_all_exports() -> None:
    assert NAMED == EXPORTS


def test_exports_follow_from_the_log_to_the_last_byte(at: Works, tmp_path: Path) -> None:
    before = {what: exported(at.desk, what, pseudonyms=True).content for what in EXPORTS}
    at.desk.store.backup(tmp_path / "copy")
    again = works(tmp_path / "copy")
    assert {what: exported(again.desk, what, pseudonyms=True).content for what in EXPORTS} == before
    again.desk.close()
    replayed = TaskBoard(at.desk.task, Candidates.gather(RUNS), at.desk.store.lines())
    assert snapshot(replayed) == snapshot(at.desk.board)


def test_another_offices_log_is_merged_once(at: Works, tmp_path: Path) -> None:
    other = works(new_task(tmp_path / "other"), prefix="o")
    other.person("Cleo")
    other.judge("Cleo", "1", "a", 1, note="ours")
    other.ask("Olga", "change", key="c", method="depth")
    log = exported(other.desk, "log").content
    other.desk.close()
    assert merged(at.desk, [("log", log)]).taken == 2  # assessed and seen; who takes part stays as it is
    assert merged(at.desk, [("log", log)]).taken == 0
    assert at.desk.board.grade("1", "a") == 1
    assert "Cleo" not in at.desk.board.people
    assert str(at.desk.board.judging.method) == "A"
    assert {each["name"] for each in at.ask("Olga", "status")["people"]} == {"Olga", "Ann", "Anna", "Cleo"}
    judged = next(line for line in log.splitlines() if '"assessed"' in line)
    for line, said in (
        ('{"schema": "other"}', 'an object of JSON with "schema"'),
        ("[" * 5_000, "an event is one line of JSON"),
        (judged.replace('"topic": "1"', '"topic": "9"').replace('"id": "', '"id": "n'), "no topic '9'"),
        (judged.replace('"note": "', '"note": "x'), "there is another event"),
    ):
        with pytest.raises(InputError, match=said):
            merged(at.desk, [("log", f"{line}\n")])


def test_qrels_and_books_are_imported_once_or_not_at_all(at: Works) -> None:
    assert imported(at.desk, "1 NIST a 2\n1 NIST c 0\n", "q").taken == 2
    assert imported(at.desk, "1 NIST a 2\n1 NIST c 0\n", "q").known == 2
    with pytest.raises(InputError, match="q, line 1: the assessor is missing; give --by NAME"):
        imported(at.desk, "1 0 a 2\n", "q")
    assert imported(at.desk, "1 0 a 1\n", "q", by="Ben").taken == 1
    with pytest.raises(InputError, match="q, line 2: NIST gave document 'a' of topic '1' two grades"):
        imported(at.desk, "2 NIST e 1\n1 NIST a 1\n", "q")
    with pytest.raises(InputError, match="q, line 1: a grade is 0, 1, 2"):
        imported(at.desk, "1 NIST b 7\n", "q")
    assert "NIST" not in at.desk.board.graded("2", "e")
    book = "query,docid,Dora,Eve\nDrag of tails,e,1,\n1,c,,2\n"
    assert imported(at.desk, book, "b").taken == 2
    assert {who: each.grade for who, each in at.desk.board.graded("2", "e").items()} == {"Dora": 1}
    assert imported(at.desk, "query,docid,rating\n1,c,0\n", "b", by="Fay").taken == 1
    for text, said in (
        ("query,docid,rating\nnothing,c,0\n", "b, line 2: no topic reads 'nothing'"),
        ("query,docid,rating\n1,c,good\n", "b, line 2: the rating 'good' is not a number"),
        ("query,docid,rating\n1,c\n", "b, line 2: 2 cells, but the header has 3"),
        ("query text,docid,rating\n1,c,1\n", "b, line 1: a book has the columns query and docid"),
        ("query,docids,rating\n1,c,1\n", "b, line 1: a book has the columns query and docid"),
    ):
        with pytest.raises(InputError, match=said):
            imported(at.desk, text, "b", by="Fay")


def test_who_grades_twice_has_one_line_which_is_known_when_it_comes_back(at: Works) -> None:
    """On a sheet and on the server Ann Lee grades c, and says in the end that it cannot be judged."""
    at.person("Ann Lee")
    grades = (("j1", 0), ("j2", 2), ("j3", None))
    sheet = [Assessed(name, 1_000 + place, "1", "c", grade, "Ann Lee") for place, (name, grade) in enumerate(grades)]
    assert merged(at.desk, [("sheet", "".join(f"{each.to_line()}\n" for each in sheet))]).taken == 3
    lines = exported(at.desk, "qrels-assessors").content
    assert [line for line in lines.splitlines() if " c " in line] == ["1 AnnLee c 2"]
    assert exported(at.desk, "qrels-first").content.splitlines()[1] == "1 0 c 2"
    assert imported(at.desk, lines, "q") == (0, len(lines.splitlines()))
    at.person("AnnLee")
    assert imported(at.desk, lines, "q").taken == 1  # who is somebody else


def test_a_sheets_documents_are_somebodys_alone(at: Works) -> None:
    task, documents = on_sheet(at.desk, "1", "Ann", None, days=14)
    assert {each.document for each in documents} == {"a", "c"}  # b is judged
    assert [each.id for each in task.topics] == ["1", "2"]
    assert at.ask("Anna", "next", n=5, topic="1")["documents"] == []
    assert [each.document for each in on_sheet(at.desk, "2", None, None, days=14)[1]] == ["e"]
    with pytest.raises(InputError, match="there is no topic '9'"):
        on_sheet(at.desk, "9", None, None, days=14)


def test_runs_are_kept_as_they_were() -> None:
    candidates = Candidates.gather(RUNS)
    again = unpacked(packed(candidates))
    assert (again.runs, again.topics) == (candidates.runs, candidates.topics)
    assert again.document.to_list() == candidates.document.to_list()
    assert (again.cell_rank == candidates.cell_rank).all()
    assert (again.present == candidates.present).all()


def test_documents_with_all_their_fields_and_images(tmp_path: Path) -> None:
    lines = [
        {"_id": "a", "title": "On a", "text": "Wings", "year": 1955, "tags": ["lift", "drag"], "image": "a.png"},
        {"_id": "b", "text": "Tails", "images": ["data:image/png;base64,iVBORw0KGgo="], "none": None},
    ]
    path = tmp_path / "docs.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (tmp_path / "a.png").write_bytes(PNG)
    (a, [one]), (b, [two]) = texts_in(path)
    assert (a.fields, b.fields, one, two) == ({"year": "1955", "tags": "lift, drag"}, {}, ("png", PNG), ("png", PNG))
    for image, said in (
        ("../secret.png", "an image of document 'c' is data:image"),
        ("/etc/passwd", "an image of document 'c' is data:image"),
        ("nowhere.png", "cannot be read"),
        ("data:image/png;base64,*", "is not base64"),
        (7, "is not a text"),
    ):
        path.write_text(json.dumps({"_id": "c", "text": "", "image": image}))
        with pytest.raises(InputError, match=said):
            [*texts_in(path)]


def test_no_image_is_read_through_a_link_or_is_something_else(tmp_path: Path) -> None:
    """What lies outside of the folder of the documents, or is no image, does not come into the database."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (tmp_path / "secret.png").write_bytes(PNG)
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    (folder / "outside").symlink_to(tmp_path)
    (folder / "text.png").write_text("root:x:0:0")
    (folder / "folder.png").mkdir()
    (folder / "large.png").write_bytes(PNG + bytes(5_000_000))
    (folder / "photo.png").write_bytes(b"\xff\xd8\xff\xe0")
    (folder / "inside.gif").symlink_to(folder / "photo.png")
    path = folder / "docs.jsonl"
    for image, said in (
        ("link.png", "link.png: is a link to a place outside its folder"),
        ("outside/secret.png", "secret.png: is a link to a place outside its folder"),
        ("text.png", "an image of document 'c' is not an image"),
        ("data:image/png;base64,cm9vdA==", "an image of document 'c' is not an image"),
        ("folder.png", "is not a file"),
        ("large.png", "has more than 5,000,000 bytes"),
    ):
        path.write_text(json.dumps({"_id": "c", "text": "", "image": image}))
        with pytest.raises(InputError, match=said):
            [*texts_in(path)]
    path.write_text(json.dumps({"_id": "c", "text": "", "images": ["photo.png", "inside.gif"]}))
    [(_, images)] = texts_in(path)
    assert [image.kind for image in images] == ["jpeg", "jpeg"]  # which is what they hold


def test_a_database_of_something_else_is_left_alone(folder: Path, at: Works) -> None:
    at.desk.close()
    other = folder / "other"
    other.mkdir()
    with sqlite3.connect(other / DATABASE) as held:
        held.execute("CREATE TABLE events (id TEXT)")
    held.close()
    before = (other / DATABASE).read_bytes()
    with pytest.raises(InputError, match="is the database of something else"):
        Store(other)
    assert (other / DATABASE).read_bytes() == before


def test_every_act_is_written_and_read(tmp_path: Path) -> None:
    del tmp_path
    given: dict[str, Any] = {
        "name": "Ann", "role": "assessor", "topics": ["1"], "judgment": "j", "seconds": None, "by": "key", "digest": "",
        "program": False, "reason": None, "topic": "1", "document": "a", "who": "Ann", "why": "", "left": "x",
        "right": "y", "better": None, "note": "\u2028", "method": "C", "measure": "P@1", "budget": None, "stop": ["x"],
    }  # fmt: skip
    for kind in ACT_KINDS.values():
        names = {name for name in kind.__dataclass_fields__ if name in given}
        act: Act = kind("a1", 2.5, **{name: given[name] for name in names})
        assert read(act.to_line()) == act
    with pytest.raises(InputError, match="unknown field 'more'"):
        read(Flagged("a", 1, "1", "a", "Ann", "").to_line().replace('"why"', '"more"'))


def test_read_qrels_reads_what_is_exported(at: Works, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text(exported(at.desk, "qrels").content)
    assert read_qrels(tmp_path / "qrels.txt").height == 2


def test_an_exported_log_is_one_of_records(at: Works, tmp_path: Path) -> None:
    """So a track reads it, and `select --log`: the same grades, of the lines that have a say in them."""
    (tmp_path / "log.jsonl").write_text(exported(at.desk, "log").content)
    assert Records(Log(tmp_path / "log.jsonl"), policy="adjudicated").to_qrels().rows() == [
        ("1", "b", 2),
        ("2", "d", 0),
    ]


def test_a_folder_that_cannot_be_written_is_refused(folder: Path, at: Works) -> None:
    at.desk.close()
    if os.geteuid() == 0:
        shutil.rmtree(folder)
        with pytest.raises(InputError, match="there is no judging task"):
            Store(folder)
        return
    folder.chmod(0o500)
    try:
        with pytest.raises((InputError, StoreError)):
            Store(folder)
    finally:
        folder.chmod(0o700)


def test_a_line_of_a_log_ends_where_it_ends_in_the_log_itself(at: Works, tmp_path: Path) -> None:
    """A note may hold what other tools take for the end of a line."""
    event = Assessed("far1", 1, "1", "a", 1, "Ann", note="one\u2028two")
    line = json.dumps(json.loads(event.to_line()), ensure_ascii=False)
    assert len(line.splitlines()) == 2
    assert merged(at.desk, [("log", f"\n{line}\n")]).taken == 1
    (tmp_path / "log.jsonl").write_text(f"{line}\n", encoding="utf-8")
    assert list(Log(tmp_path / "log.jsonl")) == [event]


def test_what_is_printed_of_a_small_task_can_be_typed(tmp_path: Path) -> None:
    """One of each, in a folder whose name the shell would take for two: the command is quoted, and nothing plural."""
    (tmp_path / "one.run").write_text("1 Q0 a 1 1 one\n")
    folder = str(tmp_path / "my task")
    made = CliRunner().invoke(main, ["judge", "new", folder, "--runs", str(tmp_path / "one.run")])
    assert made.stderr.splitlines() == [
        f"made {folder}: 1 document of 1 topic and 1 run to judge", f"next: cranfield judge serve '{folder}'",
    ]  # fmt: skip
    for who, grade in (("Ann", 1), ("Ben", 0)):
        (tmp_path / "q.txt").write_text(f"1 0 a {grade}\n")
        CliRunner().invoke(main, ["judge", "import", folder, str(tmp_path / "q.txt"), "--by", who])
    told = CliRunner().invoke(main, ["judge", "export", folder, "qrels"]).stderr
    assert told == (
        "warning: 1 document has no grade and is left out (a of topic 1: Ann 1, Ben 0): let organiser settle it "
        f"(`cranfield judge serve '{folder}'`, page Settle), or export qrels-first\n"
    )
    new = CliRunner().invoke(main, ["track", "new", str(tmp_path / "my track")]).stdout
    assert f"Next: cranfield track check '{tmp_path}/my track'" in new


def test_an_export_that_leaves_documents_out_proposes_what_has_them(tmp_path: Path) -> None:
    """It proposed qrels-majority where majorities were tied, to those who had exported it, too."""

    def told(what: str) -> str:
        return CliRunner().invoke(main, ["judge", "export", str(tmp_path / "task"), what]).stderr

    def take(who: str, *grades: int) -> None:
        lines = (f"1 0 {document} {grade}\n" for document, grade in zip("abcd", grades, strict=False))
        (tmp_path / "q.txt").write_text("".join(lines))
        CliRunner().invoke(main, ["judge", "import", str(tmp_path / "task"), str(tmp_path / "q.txt"), "--by", who])

    lists = {"one": {"1": list("abcd")}}
    new_task(tmp_path / "task", runs=lists, per_document=3, policy="adjudicated")
    serve = f"(`cranfield judge serve {tmp_path / 'task'}`, page Settle)"
    take("Ann", 0, 1, 0, 2)
    assert told("qrels-majority") == told("qrels") == ""
    take("Ben", 1, 0, 2, 0)
    every = (
        "warning: 4 documents have no grade and are left out (a of topic 1: Ann 0, Ben 1; b of topic 1: Ann 1, Ben 0; "
        f"c of topic 1: Ann 0, Ben 2; ...): let Olga settle them {serve}"
    )
    assert told("qrels-majority") == f"{every}, and export qrels, or export qrels-first\n"
    assert told("qrels") == f"{every}, or export qrels-first\n"
    assert told("qrels-first") == ""
    take("Cleo", 1, 1, 1)  # c has a grade from each, and d from two
    assert told("qrels-majority") == (
        "warning: 2 documents have no grade and are left out (c of topic 1: Ann 0, Ben 2, Cleo 1; d of topic 1: "
        f"Ann 2, Ben 0): let Olga settle them {serve}, and export qrels, or export qrels-first\n"
    )
    assert told("qrels").endswith(f"let Olga settle them {serve}, or export qrels-first or qrels-majority\n")
    at = works(tmp_path / "task")
    for document in "cd":
        at.ask("Olga", "adjudicate", key=document, topic="1", document=document, grade=0)
    at.desk.close()
    assert told("qrels-majority") == ""  # a settled grade is a vote, too
    assert told("qrels").startswith("warning: 2 documents have no grade and are left out (a of topic 1: ")
