"""What is made, and when it is made anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from cranfield.plumbing.errors import InputError
from cranfield.track.steps import Done, Files, StepPart, Workshop


def part(*files: str, of: int = 1, filled_in: bool = False) -> StepPart:
    return StepPart("step/part", {"of": of}, lambda: {file: f"{file} of {of}" for file in files}, filled_in)


def test_made_once_and_anew_where_something_changed(tmp_path: Path) -> None:
    shop = Workshop(tmp_path)
    assert shop.bring(part("a/x", "b")) == Done("step/part", anew=True, changed=("a/x", "b"))
    assert not Workshop(tmp_path).bring(part("a/x", "b")).anew
    assert Workshop(tmp_path).bring(part("a/x", "b", of=2)).changed == ("a/x", "b")
    (tmp_path / "b").unlink()
    assert Workshop(tmp_path).bring(part("a/x", "b", of=2)) == Done("step/part", anew=True, changed=("b",))


def test_a_file_that_comes_out_the_same_is_not_touched(tmp_path: Path) -> None:
    Workshop(tmp_path).bring(StepPart("p", {"of": 1}, lambda: {"a": "same"}))
    before = (tmp_path / "a").stat()
    assert Workshop(tmp_path).bring(StepPart("p", {"of": 2}, lambda: {"a": "same"})) == Done("p", anew=True)
    assert (tmp_path / "a").stat().st_ino == before.st_ino


def test_what_is_no_longer_made_goes_but_not_what_somebody_wrote(tmp_path: Path) -> None:
    Workshop(tmp_path).bring(part("a/x", "a/y", "b"))
    shop = Workshop(tmp_path)
    assert shop.bring(part("b", of=2)).changed == ("b", "a/x", "a/y")
    assert not (tmp_path / "a").exists()
    shop.forget("step", [])
    assert {path.name for path in tmp_path.iterdir()} == {"made.json"}
    assert shop.files_of("step") == {}


def test_what_somebody_changed_is_never_overwritten(tmp_path: Path) -> None:
    Workshop(tmp_path).bring(part("a"))
    (tmp_path / "a").write_text("mine")
    for of in (1, 2):
        with pytest.raises(InputError, match="was edited"):
            Workshop(tmp_path).bring(part("a", of=of))
    assert (tmp_path / "a").read_text() == "mine"
    (tmp_path / "c").write_text("mine, too")
    with pytest.raises(InputError, match="not written by this step"):
        Workshop(tmp_path).bring(StepPart("other", {}, lambda: {"c": "theirs"}))
    assert (tmp_path / "c").read_text() == "mine, too"


def test_forms_that_are_filled_in_stay(tmp_path: Path) -> None:
    Workshop(tmp_path).bring(part("a", "b", filled_in=True))
    (tmp_path / "a").write_text("filled in")
    assert not Workshop(tmp_path).bring(part("a", "b", filled_in=True)).anew
    assert Workshop(tmp_path).bring(part("a", "b", of=2, filled_in=True)).changed == ("b",)
    assert not Workshop(tmp_path).bring(part("a", "b", of=2, filled_in=True)).anew
    assert (tmp_path / "a").read_text() == "filled in"


def test_nothing_is_written_where_making_fails(tmp_path: Path) -> None:
    def fail() -> Files:
        raise InputError("no")

    Workshop(tmp_path).bring(part("a"))
    with pytest.raises(InputError, match="no"):
        Workshop(tmp_path).bring(StepPart("step/part", {}, fail))
    assert (tmp_path / "a").read_text() == "a of 1"
    assert not Workshop(tmp_path).bring(part("a")).anew


def test_a_note_that_is_none_means_that_all_is_made_anew(tmp_path: Path) -> None:
    for note in ("", "{", "[]", '{"schema": "other/1"}'):
        (tmp_path / "made.json").write_text(note)
        (tmp_path / "a").unlink(missing_ok=True)
        assert Workshop(tmp_path).bring(StepPart("p", {}, lambda: {"a": ""})).anew
