"""A program judges: the loop of examples/judge_by_model.py, with a stub for the model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tools.judging_desk import AT, Works, new_task, works

from cranfield.app.judging.exporting import exported
from cranfield.app.judging.serving import application_of

EXAMPLE = run_path(str(Path(__file__).parents[2] / "examples" / "judge_by_model.py"))


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Works]:
    found = works(new_task(tmp_path / "task", reason_from=1))
    found.person("stub", "program")
    yield found
    found.desk.close()


def test_a_program_judges_all_there_is_and_is_marked(at: Works) -> None:
    browser, prompts = TestClient(application_of(at.office), base_url=AT), list[str]()
    browser.headers["authorization"] = f"Bearer {at.office.door.token('stub')}"

    def ask(path: str, given: dict[str, Any] | None) -> Any:
        answer = browser.get(path) if given is None else browser.post(path, json=given)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def answer(prompt: str) -> str:
        prompts.append(prompt)
        return "I cannot tell." if "On e" in prompt else "2: it speaks of wings." if "On b" in prompt else "0, no."

    assert EXAMPLE["judge_all"](ask, answer) == 5
    assert "Question: lift of wings" in prompts[0]
    assert "1: 1" in prompts[0]
    grades = {
        each["document"]: (each["grade"], each["reason"]["sentence"]) for each in ask("/api/history", None)["judgments"]
    }
    assert grades["b"] == (2, "2: it speaks of wings.")
    assert grades["e"] == (None, "I cannot tell.")
    rows = exported(at.desk, "judgments").content.splitlines()
    assert {row.split(",")[4] for row in rows[1:]} == {"1"}
    [me] = [each for each in at.ask("Olga", "status")["people"] if each["name"] == "stub"]
    assert (me["program"], me["judged"]) == (True, 5)
