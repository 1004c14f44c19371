"""``cranfield choose``, asked and answered."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time

from click.testing import CliRunner

from cranfield.cli import main


def test_answers_at_once() -> None:
    result = CliRunner().invoke(main, ["choose", "--answers", "no, first,20,precision"])
    assert result.exit_code == 0
    assert "P@20\n" in result.output
    assert "cranfield evaluate QRELS RUNS -m P@20\n" in result.output


def test_too_few_answers_are_one_line() -> None:
    result = CliRunner().invoke(main, ["choose", "--answers", "no"])
    assert result.exit_code == 2
    assert result.output == (
        "cranfield: one more answer is needed: How does the user's attention go down the list? falls or first or all\n"
    )


def test_the_tree_shows_every_question_once_for_each_way_to_it() -> None:
    result = CliRunner().invoke(main, ["choose", "--tree"])
    assert result.output.startswith("Does the system decide how long its list is")
    assert result.output.count("=> ") == 24


def test_without_a_terminal_it_says_how_to_answer() -> None:
    result = CliRunner().invoke(main, ["choose"], input="")
    assert result.exit_code == 2
    assert "--answers" in result.output


def test_asked_on_a_terminal_with_an_answer_taken_back() -> None:
    """A person answers yes, takes it back, mistypes, and goes on to P@10."""
    mine, theirs = pty.openpty()
    child = subprocess.Popen([sys.executable, "-m", "cranfield", "choose"], stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    heard = ""
    for question, answer in [
        ("count?", "yes"),
        ("count equally?", "back"),
        ("count?", "never"),
        ("not one of", "no"),
        ("down the list?", "first"),
        ("looked at?", "ten"),
        ("a whole number, 2 or more", "10"),
        ("about them?", "precision"),
    ]:
        heard = _until(mine, question, heard)
        os.write(mine, f"{answer}\n".encode())
    heard = _until(mine, "cranfield evaluate QRELS RUNS -m P@10", heard)
    assert child.wait(10) == 0
    os.close(mine)


def _until(terminal: int, text: str, heard: str) -> str:
    """Read on until the text has come, and return what came after it."""
    end = time.monotonic() + 20
    while text not in heard:
        assert time.monotonic() < end, f"waited in vain for {text!r}; heard {heard!r}"
        if select.select([terminal], [], [], 0.2)[0]:
            heard += os.read(terminal, 4096).decode()
    return heard.partition(text)[2]
