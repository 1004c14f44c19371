"""The file of settings: the template stands, and whatever is wrong is said with its place."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from cranfield.plumbing.errors import InputError
from cranfield.track.track import Track
from cranfield.track.track_file import _ALONE, _TABLES, read_settings, settings_of, template

TOPICS = {"collection": {"topics": "topics.txt"}}


def test_a_new_track_has_settings_that_can_be_read(tmp_path: Path) -> None:
    Track.new(tmp_path / "mine")
    settings = read_settings(tmp_path / "mine")
    assert (settings.name, settings.pool.method, settings.pool.depth) == ("Name of the track", "depth", 100)
    with pytest.raises(InputError, match="already a track here"):
        Track.new(tmp_path / "mine")


def test_every_line_of_the_template_that_is_commented_out_can_be_set() -> None:
    """All but those that contradict each other: a budget, and documents drawn by topic, are of other methods."""
    lines = [line.removeprefix("# ") for line in template().splitlines()]
    asked = [line for line in lines if not line.startswith(("budget", "per_topic", "most_words", "# ", "The settings"))]
    prose = ("The settings", "Paths are")
    found = settings_of(tomllib.loads("\n".join(line for line in asked if not line.startswith(prose))))
    assert found.submissions.most_documents == 1000
    assert found.pool.deadline == "2026-08-01"
    assert found.judgments.files == ("forms/*.csv",)
    assert found.measures.convention == "trec-adhoc"


def test_every_setting_stands_in_the_template() -> None:
    names = {each.name for kind in _TABLES.values() for each in fields(kind)} | _ALONE.keys()
    assert names == set(re.findall(r"^(?:# )?(\w+) = ", template(), re.MULTILINE))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "the track needs a name"),
        ({"name": 7, **TOPICS}, "name must be a text, not 7"),
        ({"name": "x"}, r"\[collection\]: topics, the file of the topics, is missing"),
        ({"nam": "x"}, "unknown setting 'nam'; did you mean `name`?"),
        ({"name": "x", "pool": 3, **TOPICS}, r"pool is a table of TOML, as in \[pool\], not 3"),
        ({"name": "x", "pool": {"depth": 0}, **TOPICS}, r"\[pool\]: depth must be at least 1, not 0"),
        ({"name": "x", "pool": {"method": "B"}, **TOPICS}, "method B needs a budget"),
        ({"name": "x", "pool": {"budget": 9}, **TOPICS}, "a budget applies to methods A, B and C"),
        ({"name": "x", "pool": {"method": "sample"}, **TOPICS}, "per_topic"),
        (
            {"name": "x", "pool": {"deadline": "soon"}, **TOPICS},
            "deadline must be a date such as 2026-08-01, not 'soon'",
        ),
        ({"name": "x", "measures": {"measures": ["APP"]}, **TOPICS}, r"\[measures\]: .*APP"),
        ({"name": "x", "measures": {"convention": "trec-deep"}, **TOPICS}, "no convention is called 'trec-deep'"),
        ({"name": "x", "measures": {"convention": "trec-dl", "rel": 1}, **TOPICS}, "'trec-dl' has rel = 2, not 1"),
        ({"name": "x", "submissions": {"tolerated": ["score"]}, **TOPICS}, r"\[submissions\]: each of the tolerated"),
        ({"name": "x", "submissions": {"most_words": 9}, **TOPICS}, "most_words applies to answers"),
    ],
)
def test_what_is_wrong_is_said(given: dict[str, object], says: str) -> None:
    with pytest.raises(InputError, match=says):
        settings_of(given)


def test_a_file_that_is_named_is_there(tmp_path: Path) -> None:
    (tmp_path / "track.toml").write_text('name = "x"\n[collection]\ntopics = "topics.txt"\n')
    with pytest.raises(InputError, match=r"track.toml: \[collection\] topics: there is no file topics.txt"):
        Track.read(tmp_path)
    (tmp_path / "track.toml").write_text("name = \n")
    with pytest.raises(InputError, match=r"is not TOML: .*line 1"):
        Track.read(tmp_path)
    with pytest.raises(InputError, match="`cranfield track new FOLDER` makes one"):
        Track.read(tmp_path / "nowhere")
