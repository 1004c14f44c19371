"""Answers with references: what is wrong with them, and that their references are scored as lists."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tools.small_track import SETTINGS, begin

from cranfield.track.check_step import check_answers, judge_submissions, run_of_answers
from cranfield.track.track import Track


def answer(topic: str = "1", *, cites: int = 0, references: str = "ab", words: int = 2) -> dict[str, object]:
    return {
        "topic_id": topic, "run_id": "good", "references": list(references),
        "answer": [{"text": "word " * words, "citations": [cites]}, {"text": "end", "citations": [1]}],
    }  # fmt: skip


def written(path: Path, *answers: object) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in answers))
    return path


def codes(path: Path, most_words: int | None = None) -> list[str]:
    return [found.code for found in check_answers(path, most_words=most_words)]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (answer(), None),
        (answer(cites=2), "citation"),
        (answer(cites=-1), "citation"),
        (answer(references="abc"), "idle reference"),
        (answer(words=8), None),  # nine in all, which may be
        (answer(words=9), "words"),
        ({**answer(), "references": "a"}, "answer"),
        ({**answer(), "answer": "text"}, "answer"),
        ({**answer(), "answer": [{"text": "x", "citations": "0"}]}, "answer"),
        ({**answer(), "answer": [{"citations": []}]}, "answer"),
        ({"references": [], "answer": []}, "answer"),
        ({"metadata": {"narrative_id": 12}, "references": [], "answer": []}, None),
        (["no object"], "answer"),
    ],
)
def test_faults_of_answers(tmp_path: Path, given: object, code: str | None) -> None:
    assert codes(written(tmp_path / "x.jsonl", given), most_words=9) == ([] if code is None else [code])


def test_how_the_run_is_called(tmp_path: Path) -> None:
    assert run_of_answers(written(tmp_path / "x.jsonl", answer(), answer("2"))) == "good"
    assert run_of_answers(written(tmp_path / "x.jsonl", answer(), {**answer(), "run_id": "other"})) is None
    (tmp_path / "x.jsonl").write_text("{")
    assert run_of_answers(tmp_path / "x.jsonl") is None
    assert codes(tmp_path / "x.jsonl") == []


def test_references_are_checked_as_lists_are(tmp_path: Path) -> None:
    task = SETTINGS.replace("most_documents = 4", 'most_documents = 4\ntask = "answers"\ntag_is_name = true')
    begin(tmp_path, task, runs={"good": ("A", "ab")})
    (tmp_path / "submissions/A/good.txt").unlink()
    file = tmp_path / "submissions/A/good.jsonl"

    def reasons(*answers: object) -> list[str]:
        written(file, *answers)
        (verdict,) = judge_submissions(Track.read(tmp_path))
        return [found.code for found in verdict.reasons]

    assert reasons(answer("1"), answer("2"), answer("3")) == []
    assert reasons(answer("1"), answer("2")) == ["missing topics"]
    assert reasons(answer("1"), answer("2"), answer("3", references="aq")) == ["unknown document"]
    assert reasons(answer("1"), answer("2"), answer("3", cites=7)) == ["citation"]
    assert reasons(*({**answer(topic), "run_id": "other"} for topic in "123")) == ["name"]


def test_half_a_character_in_a_text_refuses_no_answers(tmp_path: Path) -> None:
    """Of ids none is made of it; a text that holds one is read, and judged like others."""
    halved = {**answer(), "answer": [{"text": "\ud800 " * 10, "citations": [0, 1]}]}
    path = written(tmp_path / "x.jsonl", halved)
    assert codes(path, most_words=9) == ["words"]
    assert run_of_answers(path) == "good"
