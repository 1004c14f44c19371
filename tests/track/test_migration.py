"""A track and its judging task, made and begun by version 0.3.0, go on with this one."""

from __future__ import annotations

import tarfile
from pathlib import Path

from tools.judging_desk import snapshot

from cranfield.app.judging.task_board import TaskBoard
from cranfield.app.judging.task_folder import opened
from cranfield.track.road import bring, standing
from cranfield.track.track import Track

OLD = Path(__file__).parents[1] / "golden" / "track-0.3.0" / "track.tar.gz"


def test_a_track_of_version_0_3_goes_on(tmp_path: Path) -> None:
    """Ann and Ben judged three documents of the pool each; where they differ, version 0.3 took the first grade."""
    with tarfile.open(OLD) as packed:
        packed.extractall(tmp_path, filter="data")
    before = (tmp_path / "judgments/qrels.txt").read_text()
    desk = opened(tmp_path / "task").desk
    assert [len(desk.board.counting_of(who)) for who in ("Ann", "Ben")] == [3, 3]
    assert {name: (each.role, each.topics, each.active) for name, each in desk.board.people.items()} == {
        "organiser": ("organiser", (), True), "Ann": ("assessor", (), True), "Ben": ("assessor", (), True),
    }  # fmt: skip
    assert desk.board.allowed("Ann") == ("1", "2", "3")
    replayed = TaskBoard(desk.task, desk.board.candidates, desk.store.lines())
    assert snapshot(replayed) == snapshot(desk.board)
    desk.close()
    assert standing(Track.read(tmp_path))[0].state == "due"
    list(bring(Track.read(tmp_path), "judge"))
    lines = set((tmp_path / "judgments/qrels.txt").read_text().splitlines())
    assert lines <= set(before.splitlines())  # what two people judged differently is left out now, and it is said
    settings = tmp_path / "track.toml"
    settings.write_text(settings.read_text().replace("[judgments]", '[judgments]\npolicy = "first"'))
    list(bring(Track.read(tmp_path), "judge"))
    assert (tmp_path / "judgments/qrels.txt").read_text() == before
    assert not any(done.anew for done in bring(Track.read(tmp_path), "judge"))
