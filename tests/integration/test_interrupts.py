"""Interrupts at any moment: the exit status says so, nothing is left half done, and what goes on ends the same."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from runpy import run_path
from typing import Any, Final

import pytest

COMMAND = [sys.executable, "-m", "cranfield"]
BY_HAND = pytest.mark.slow
STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -signal.SIGKILL}
STUDIES = {
    "downsampling": ["downsampling", "camp/qrels.txt", "camp/runs", "--repetitions", "60"],
    "swap": ["swap", "camp/qrels.txt", "camp/runs", "--repetitions", "4000"],
    "axioms": ["axioms", "-m", "AP", "-m", "Q", "-m", "OIE", "--longest", "6"],
}
WRITERS = {
    "simulate": ["simulate", "made", "--systems", "30", "--topics", "30"],
    "cut": ["cut", "camp/runs", "--oracle", "ERRT", "--qrels", "camp/qrels.txt", "-o", "made"],
    "reference": ["reference", "camp/qrels.txt", "camp/runs", "--kind", "reranked", "-o", "made"],
}
PAGES = {
    "report": ["report", "camp/qrels.txt", "camp/runs", "-o", "page.html"],
    "plot": ["plot", "leaderboard", "camp/qrels.txt", "camp/runs", "-o", "figure.svg"],
}

STARTED = 0.3
"""Seconds after which Python has started, and the command can answer for itself."""

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a simulated campaign to study."""
    folder = tmp_path_factory.mktemp("campaign")
    subprocess.run([*COMMAND, "simulate", "camp", "--topics", "25", "--systems", "12"], cwd=folder, check=True)
    return folder


def by_turns(names: Iterable[str], *signals: signal.Signals) -> pytest.MarkDecorator:
    """Give each name one of the signals, by turns; the others are tried by hand."""
    signals = signals or (signal.SIGINT, signal.SIGTERM)
    return pytest.mark.parametrize(
        ("name", "sent"),
        [
            pytest.param(name, sent, id=f"{name}-{sent.name}", marks=() if place % len(signals) == turn else BY_HAND)
            for place, name in enumerate(names)
            for turn, sent in enumerate(signals)
        ],
    )


def interrupted(arguments: list[str], folder: Path, sent: signal.Signals, after: float) -> int:
    """Run a command, send it a signal after so many seconds, and return its exit status."""
    process = subprocess.Popen([*COMMAND, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(after)
    process.send_signal(sent)
    try:
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()  # one that hangs is not to outlive its test
    assert b"Traceback" not in said, said.decode()
    return process.returncode


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder and what is in them."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def duration(arguments: list[str], folder: Path) -> float:
    began = time.monotonic()
    subprocess.run([*COMMAND, *arguments], cwd=folder, check=True, capture_output=True)
    return time.monotonic() - began


def interrupt_a_study(campaign: Path, name: str, sent: signal.Signals, times: int) -> None:
    """Interrupt a study again and again until it is done: it ends as if nothing had been."""
    found, arguments = campaign / "found", ["experiment", *STUDIES[name], "--out", "found"]
    shutil.rmtree(found, ignore_errors=True)
    lasts = duration(arguments, campaign)
    expected = contents(found)
    shutil.rmtree(found)
    chance = random.Random(name)  # noqa: S311
    statuses = []
    for _ in range(times):
        statuses.append(interrupted(arguments, campaign, sent, chance.uniform(STARTED, lasts)))
        assert statuses[-1] in {0, STATUS[sent], -sent}  # the last: before Python could answer
        left = [path for path in contents(found) if not Path(path).parts[0].startswith(".")] if found.exists() else []
        assert set(left) <= set(expected)
        assert all((found / path).read_bytes() == expected[path] for path in left)
        if sent != signal.SIGKILL:
            assert not [*found.rglob(".*.part"), *found.rglob(".*.old")]
    assert times < 20 or STATUS[sent] in statuses
    subprocess.run([*COMMAND, *arguments], cwd=campaign, check=True, capture_output=True)
    # What is killed cannot clear up: hidden files beside those that were being replaced may stay.
    hidden = {path for path in contents(found) if sent == signal.SIGKILL and Path(path).name.startswith(".")}
    assert {path: data for path, data in contents(found).items() if path not in hidden} == expected


@pytest.mark.integration
@by_turns(STUDIES, signal.SIGINT, signal.SIGKILL)
def test_studies_that_are_interrupted(campaign: Path, name: str, sent: signal.Signals) -> None:
    interrupt_a_study(campaign, name, sent, 6)


@BY_HAND
@pytest.mark.parametrize("sent", STATUS)
@pytest.mark.parametrize("name", STUDIES)
def test_studies_that_are_interrupted_twenty_times(campaign: Path, name: str, sent: signal.Signals) -> None:
    interrupt_a_study(campaign, name, sent, 20)


def interrupt_a_writer(campaign: Path, name: str, sent: signal.Signals, times: int) -> None:
    """Interrupt what writes many files again and again: all of them are there, or none."""
    made, arguments = campaign / "made", WRITERS[name]
    shutil.rmtree(made, ignore_errors=True)
    lasts = duration(arguments, campaign)
    expected = contents(made)
    chance = random.Random(name)  # noqa: S311
    before = set(campaign.iterdir())
    for _ in range(times):
        shutil.rmtree(made, ignore_errors=True)
        assert interrupted(arguments, campaign, sent, chance.uniform(STARTED, lasts)) in {0, STATUS[sent], -sent}
        assert not made.exists() or contents(made) in ({}, expected)
        assert set(campaign.iterdir()) <= before | {made}


@pytest.mark.integration
@by_turns(WRITERS)
def test_many_files_are_written_all_or_none(campaign: Path, name: str, sent: signal.Signals) -> None:
    interrupt_a_writer(campaign, name, sent, 8)


@BY_HAND
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("name", WRITERS)
def test_many_files_are_written_all_or_none_twenty_times(campaign: Path, name: str, sent: signal.Signals) -> None:
    interrupt_a_writer(campaign, name, sent, 20)


@pytest.mark.integration
@by_turns(PAGES)
def test_a_page_is_there_whole_or_not_at_all(campaign: Path, name: str, sent: signal.Signals) -> None:
    arguments = PAGES[name]
    page = campaign / arguments[-1]
    lasts = duration(arguments, campaign)
    expected = page.read_bytes()
    chance = random.Random(name)  # noqa: S311
    before = set(campaign.iterdir()) - {page}
    for _ in range(8):
        page.unlink(missing_ok=True)
        assert interrupted(arguments, campaign, sent, chance.uniform(STARTED, lasts)) in {0, STATUS[sent], -sent}
        assert not page.exists() or page.read_bytes() == expected
        assert set(campaign.iterdir()) - {page} == before


@pytest.mark.integration
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_reproduction_that_is_interrupted_goes_on(campaign: Path, sent: signal.Signals) -> None:
    arguments = ["reproduce", "cumulated-gain", "camp/qrels.txt", "camp/runs", "-o", "paper"]
    shutil.rmtree(campaign / "paper", ignore_errors=True)
    lasts = duration(arguments, campaign)
    expected = set(contents(campaign / "paper"))
    shutil.rmtree(campaign / "paper")
    chance = random.Random(7)  # noqa: S311
    for _ in range(5):
        assert interrupted(arguments, campaign, sent, chance.uniform(STARTED, lasts)) in {0, STATUS[sent], -sent}
        assert not [*campaign.glob("paper/**/.*.part"), *campaign.glob("paper/**/.*.old")]
    subprocess.run([*COMMAND, *arguments], cwd=campaign, check=True, capture_output=True)
    assert set(contents(campaign / "paper")) == expected


# Every command that writes.

CORPUS: Final[Mapping[str, Any]] = run_path(str(Path(__file__).parents[1] / "cli" / "test_corpus.py"))
SEVERAL: Final = {
    "clicks": ("--qrels-to", "clicked.txt"),
    "compare": ("--keep", "kept.jsonl", "--plot", "compared.svg"),
    "gate": ("--junit", "gate.xml", "--documents", "documents.csv", "--keep", "kept.jsonl"),
    "searches": ("--write-runs", "unions"),
    "select": ("--files", "pool"),
    "why": ("--plot", "why.svg"),
    "conform": ("--write", "suite"),
}
"""What else commands write beside their output."""
GOES_ON: Final = ("experiment", "reproduce", "track", "judge")
"""Commands that do one thing after the other and keep each: what is there is whole, though it may not be all."""
SETTLED: Final = (".kept", ".sqlite-wal", ".sqlite-shm", ".lock")
"""What is kept to go on with, and what SQLite and locks leave, which the next call settles."""


def writing() -> dict[str, tuple[str, ...]]:
    """Return a call of each command that writes, with all that it can write."""
    found = {}
    for name, command in CORPUS["COMMANDS"].items():
        call = CORPUS["CALLS"][name]
        flags = {flag for parameter in command.params for flag in parameter.opts}
        further = SEVERAL.get(name, ())
        if "-o" in flags and not {"-o", "--write"} & {*call, *further}:
            further += ("-o", "found.csv")
        if name.startswith("experiment"):
            further = ("--out", "found")
        if (further or name in {"simulate", "convert", "track new"} or name.startswith(("track", "judge"))) and (
            name not in CORPUS["NOT_CALLED"]
        ):
            found[name] = (*name.split(), *(() if name == "conform" else call), *further)
    return found


WRITING: Final = writing()


def files(folder: Path) -> set[str]:
    """Name the files of a folder, but for those that the next call settles."""
    return {name for name in contents(folder) if not any(each in name for each in SETTLED)}


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the files that the calls read."""
    folder = tmp_path_factory.mktemp("good")
    CORPUS["write_files"](folder, CORPUS["GOOD"])
    for made in (CORPUS["SAMPLE"], CORPUS["TASK"]):
        subprocess.run([*COMMAND, *made], cwd=folder, check=True)
    return folder


def interrupt_each(good: Path, folder: Path, names: list[str], times: int, seed: str) -> None:
    """Interrupt commands, each so many times: they leave all their files or none, and the next call ends well."""
    chance = random.Random(seed)  # noqa: S311
    wrong = []
    for name in names:
        call, here = list(WRITING[name]), folder / "here"
        shutil.copytree(good, here)
        before, began = files(here), time.monotonic()
        status = subprocess.run([*COMMAND, *call], cwd=here, capture_output=True, check=False).returncode
        lasts, whole = time.monotonic() - began, files(here)
        for each in range(times):
            shutil.rmtree(here)
            shutil.copytree(good, here)
            sent = [*STATUS][each % len(STATUS)]
            ended = interrupted(call, here, sent, chance.uniform(STARTED, lasts))
            left = files(here)
            hidden = {path for path in left if any(part.startswith(".") for part in Path(path).parts)}
            fine = ended in {0, status, STATUS[sent], -sent}
            if sent != signal.SIGKILL:
                kept = {path for path in hidden if name.startswith("experiment") and path.endswith(".parquet")}
                fine = fine and (left in (before, whole) or (name.startswith(GOES_ON) and left - kept <= whole))
            if fine and left != whole:
                again = subprocess.run([*COMMAND, *call], cwd=here, capture_output=True, text=True, check=False)
                fine = (again.returncode, files(here)) == (status, whole)
            if not fine:
                wrong.append((name, sent, ended, sorted(left ^ whole)[:9], sorted(files(here) ^ whole)[:9]))
        shutil.rmtree(here)
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.integration
def test_some_commands_that_are_interrupted(good: Path, tmp_path: Path) -> None:
    seed = CORPUS["SEED"]
    interrupt_each(good, tmp_path, random.Random(seed).sample(sorted(WRITING), 6), 3, seed)  # noqa: S311


@BY_HAND
@pytest.mark.parametrize("name", sorted(WRITING))
def test_every_command_that_is_interrupted(good: Path, tmp_path: Path, name: str) -> None:
    interrupt_each(good, tmp_path, [name], 3, name)
