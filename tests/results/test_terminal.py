"""Tables in windows of any width: no word is broken, and what is shortened stands whole in a key."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from cranfield.cli._ending import wrapped
from cranfield.results.sheet import Sheet, SheetColumn
from cranfield.results.terminal import show

LONG = "the_name_of_a_run_that_has_seventy_nine_characters_in_all_and_is_as_long_as_this"
NAMES = (f"{LONG}_a", f"{LONG}_b", "bm25")
MEASURE = "nDCG(gains={1:5,2:10})@1000"


def shown(sheet: Sheet, width: int) -> list[str]:
    text = io.StringIO()
    show(sheet, console=Console(file=text, width=width, emoji=False, highlight=False))
    return [line.rstrip() for line in text.getvalue().splitlines()]


def sheet(*above: str) -> Sheet:
    numbers = [0.25, 0.5, 0.75]
    columns = SheetColumn("run", NAMES), SheetColumn("AP", numbers, True), SheetColumn(MEASURE, numbers, True)
    return Sheet(columns, 1, "Means.", above=above)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_name_is_whole_or_has_a_key(width: int) -> None:
    lines = shown(sheet(f"{NAMES[0]} leads {NAMES[1]}.", "Next: cranfield why"), width)
    text = "\n".join(lines)
    table = [line for line in lines if "0." in line]
    assert max(map(len, table)) <= width
    first = {line.split()[0] for line in table}
    assert len(first) == len(NAMES) and "bm25" in first
    cut = sorted(first - {*NAMES})
    assert bool(cut) == (width < 120)
    for short in cut:
        assert "…" in short and f"{short}:" in text
        assert short in " ".join(lines[:2])  # the verdict calls it so, too
    assert "".join(text.split()).count(LONG) == 2 or not cut


@pytest.mark.parametrize("width", [40, 60, 80])
def test_a_measure_is_not_broken(width: int) -> None:
    lines = shown(sheet(), width)
    assert any(line.rstrip().endswith(MEASURE) for line in lines) or any(f": {MEASURE}" in line for line in lines)


def test_names_with_the_same_ends_have_different_short_ones() -> None:
    names = [f"{'x' * 40}{letter}{'y' * 40}" for letter in "abc"]
    lines = shown(Sheet((SheetColumn("run", names), SheetColumn("AP", [0.1, 0.2, 0.3], True))), 60)
    assert len({line.split()[0] for line in lines if "0." in line}) == 3


def test_sentences_are_broken_between_words() -> None:
    why = "with 25 more topics like these: 80% chance of a decision, 20% of a pass, testing at 0.025 both times"
    lines = shown(Sheet((SheetColumn("measure", ["AP"]), SheetColumn("why", [why]))), 60)
    assert why in " ".join(" ".join(lines).replace("AP", "").split()[2:]).replace("─ ", "")
    assert max(map(len, lines)) <= 60


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_what_is_said_is_as_wide_as_the_terminal_and_whole_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    said = "audit: 0.0% of the top 10 and 47.2% of the top 100 (most: bm25, 48%) are unjudged"
    lines = wrapped(said, Terminal(), indent="  ").splitlines()
    assert len(lines) > 1 and max(map(len, lines)) <= 40 and all(line.startswith("  ") for line in lines[1:])
    assert " ".join(line.strip() for line in lines) == said
    assert wrapped(said, io.StringIO(), indent="  ") == said
