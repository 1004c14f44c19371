"""The frame of the experiments: what they find, and how their work is kept."""

from __future__ import annotations

import json
import math
from pathlib import Path
from threading import Barrier
from typing import Any

import polars as pl
import pytest
from tools.each import each_of

import cranfield as cf
from cranfield.experiments import EXPERIMENTS, Findings, Work
from cranfield.experiments.declared import COLUMN_KINDS
from cranfield.experiments.experiment import number_measures
from cranfield.plumbing.errors import InputError
from cranfield.results.sheet import ROWS_SHOWN

TOSS = Findings(
    "toss",
    {
        "sides": pl.DataFrame({"side": ["heads", "tails"], "share": [0.75, 0.25]}),
        "tosses": pl.DataFrame({"toss": range(ROWS_SHOWN + 40)}),
    },
    {"measures": ["AP", "RR"], "seed": 7},
    ("the coin is worn",),
)


def squares(i: int) -> pl.DataFrame:
    return pl.DataFrame({"i": [i, i], "square": [i * i, -i * i]})


class Counting:
    """Does squares, remembers which, and is interrupted where told."""

    def __init__(self, interrupted_at: int | None = None) -> None:
        self.interrupted_at = interrupted_at
        self.done: list[int] = []

    def __call__(self, i: int) -> pl.DataFrame:
        if i == self.interrupted_at:
            raise KeyboardInterrupt
        self.done.append(i)
        return squares(i)


def test_all_tables_are_written_with_what_they_follow_from(tmp_path: Path) -> None:
    paths = TOSS.write(tmp_path / "new" / "folder")
    assert [path.name for path in paths] == ["toss-sides.csv", "toss-tosses.csv", "toss.json"]
    assert pl.read_csv(paths[0]).equals(TOSS["sides"])
    assert pl.read_csv(paths[1]).height == 100
    described = json.loads(paths[2].read_text())
    assert described["experiment"] == "toss"
    assert described["settings"] == {"measures": ["AP", "RR"], "seed": 7}
    assert described["notes"] == ["the coin is worn"]
    assert described["tables"] == {"sides": {"side": "String", "share": "Float64"}, "tosses": {"toss": "Int64"}}


@pytest.mark.parametrize(
    ("format_", "suffix"),
    [("latex", "tex"), ("markdown", "md"), ("table", "txt"), ("json", "json"), ("parquet", "parquet")],
)
def test_the_suffix_is_the_formats(tmp_path: Path, format_: str, suffix: str) -> None:
    names = {path.name for path in TOSS.write(tmp_path, format=format_)}
    assert names == {f"toss-sides.{suffix}", f"toss-tosses.{suffix}", "toss.json"}


def test_a_setting_that_json_does_not_know_is_written_as_its_name(tmp_path: Path) -> None:
    found = Findings("toss", {}, {"from": Path("runs"), "rates": (0.5, 0.1)})
    [path] = found.write(tmp_path)
    assert json.loads(path.read_text())["settings"] == {"from": "runs", "rates": [0.5, 0.1]}


def test_people_see_the_first_rows_of_a_long_table_the_notes_and_the_settings() -> None:
    text = str(TOSS)
    assert text.startswith("the coin is worn\ntoss: sides\nside    share\nheads  0.7500\n")
    assert f"toss: tosses (the first {ROWS_SHOWN} of 100 rows)" in text
    assert f"\n  {ROWS_SHOWN - 1}\n" in text
    assert f"\n  {ROWS_SHOWN}\n" not in text
    assert text.endswith("\nsettings: measures AP, RR; seed 7")


def test_of_a_setting_that_is_not_set_nothing_is_said() -> None:
    for unset in list[object]([None, "", (), []]):
        assert str(Findings("toss", {}, {"scores": unset, "seed": 7})).endswith("settings: seed 7")
    assert str(Findings("toss", {}, {"scores": None})).endswith("settings: none")
    assert str(Findings("toss", {}, {"every": True, "one": False})).endswith("settings: every yes; one no")


def test_programs_get_one_table_the_first_or_the_one_named() -> None:
    assert TOSS.render("csv") == "side,share\nheads,0.75\ntails,0.25\n"
    assert str(TOSS.render("csv", table="tosses")).startswith("toss\n0\n1\n")
    with pytest.raises(InputError, match="no table is called 'side'; the tables are sides, tosses"):
        TOSS.render("csv", table="side")


def test_what_does_not_exist_is_null_in_every_format(tmp_path: Path) -> None:
    found = Findings("toss", {"sides": pl.DataFrame({"side": ["edge"], "share": [math.nan], "times": [0]})}, {})
    assert found["sides"].rows() == [("edge", None, 0)]
    paths = found.write(tmp_path, format="json")
    assert json.loads(paths[0].read_text()) == [{"side": "edge", "share": None, "times": 0}]


def test_interrupted_work_is_taken_up_where_it_was_left(tmp_path: Path) -> None:
    first, second = Counting(interrupted_at=2), Counting()
    with pytest.raises(KeyboardInterrupt):
        Work(folder=tmp_path).on("squares", {"seed": 7}).steps(range(4), first)
    shown: list[tuple[int, int]] = []
    work = Work(lambda done, of: shown.append((done, of)), tmp_path)
    result = work.on("squares", {"seed": 7}).steps(range(4), second)
    assert (first.done, second.done) == ([0, 1], [2, 3])
    assert result.equals(pl.concat([squares(i) for i in range(4)]))
    assert shown == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize("threads", ["1", "3"])
def test_steps_in_threads_are_the_same_and_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: str
) -> None:
    monkeypatch.setenv("CRANFIELD_THREADS", threads)
    together, shown = Barrier(int(threads)), list[tuple[int, int]]()

    def do(step: int) -> pl.DataFrame:
        together.wait(timeout=10)  # until as many steps are under way
        return squares(step)

    work = Work(lambda done, of: shown.append((done, of)), tmp_path).on("squares", {})
    assert work.steps(range(6), do, in_threads=True).equals(pl.concat([squares(i) for i in range(6)]))
    assert shown == [(done, 6) for done in range(1, 7)]
    again = Counting()
    work.steps(range(6), again, in_threads=True)
    assert again.done == []


def test_what_a_step_in_a_thread_refuses_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRANFIELD_THREADS", "2")
    with pytest.raises(KeyboardInterrupt):
        Work().on("squares", {}).steps(range(4), Counting(interrupted_at=1), in_threads=True)


def test_work_with_other_settings_or_of_another_name_is_other_work(tmp_path: Path) -> None:
    work = Work(folder=tmp_path)
    for name, seed in (("squares", 7), ("squares", 8), ("other", 7)):
        do = Counting()
        work.on(name, {"seed": seed}).steps(range(2), do)
        assert do.done == [0, 1]
    again = Counting()
    Work(folder=tmp_path).on("squares", {"seed": 8}).steps(range(2), again)
    assert again.done == []


def test_the_order_in_which_settings_are_named_does_not_matter(tmp_path: Path) -> None:
    do = Counting()
    for settings in ({"seed": 7, "rate": 0.5}, {"rate": 0.5, "seed": 7}):
        Work(folder=tmp_path).on("squares", settings).steps([5], do)
    assert do.done == [5]


def test_nothing_is_kept_of_what_is_finished_and_only_of_that(tmp_path: Path) -> None:
    Work(folder=tmp_path).on("interrupted", {}).steps([1], squares)
    (tmp_path / "squares-table.csv").write_text("kept")
    work = Work(folder=tmp_path)
    work.on("squares", {}).steps([1], squares)
    work.finished()
    assert sorted(path.name.partition("-")[0] for path in tmp_path.iterdir()) == [".interrupted", "squares"]


def test_without_a_folder_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    work = Work()
    assert work.on("squares", {}).steps([3], squares).equals(squares(3))
    work.finished()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"PAR1, but not the rest", b"", "another step's rows"])
def test_a_kept_step_that_is_broken_is_named(tmp_path: Path, content: bytes | str) -> None:
    Work(folder=tmp_path).on("squares", {}).steps([3, 4], squares)
    file, other = sorted(tmp_path.rglob("*.parquet"))
    file.write_bytes(other.read_bytes() if isinstance(content, str) else content)
    with pytest.raises(InputError, match=r"000003\..*\.parquet: is damaged; remove it"):
        Work(folder=tmp_path).on("squares", {}).steps([3], squares)


@each_of("name", sorted(EXPERIMENTS))
def test_every_experiment_says_what_it_asks_and_what_its_options_mean(name: str) -> None:
    experiment = EXPERIMENTS[name]
    assert experiment.question.endswith("?")
    assert "Paper: " in (experiment.function.__doc__ or "")
    assert all(option.meaning for option in experiment.options)
    assert all(table.meaning and table.columns for table in experiment.tables.values())
    kinds = {column.kind for table in experiment.tables.values() for column in table.columns}
    assert kinds <= set(COLUMN_KINDS)
    number_measures(experiment.measures or ["AP"])


def test_a_text_is_no_measure_for_an_experiment() -> None:
    with pytest.raises(InputError, match="RunID: a text"):
        number_measures(["AP", "runid"])
    with pytest.raises(InputError, match="no measure given"):
        number_measures([])


@pytest.mark.parametrize("name", ["certificate", "significance", "swap", "discriminative-power", "portrait"])
def test_where_nothing_is_relevant_that_is_said(name: str) -> None:
    """By AP from grade 9 on all runs are equal; by nDCG, which heeds no level, they are not."""
    qrels = {str(t): {"a": 1, "b": 2, "c": 0} for t in range(8)}
    runs = {n: dict.fromkeys(qrels, order) for n, order in (("x", ["a", "b"]), ("y", ["b", "a"]), ("z", ["c", "a"]))}
    options: dict[str, Any] = {"resamples": 100} if name in {"certificate", "discriminative-power"} else {}
    found = EXPERIMENTS[name](cf.join(qrels, runs, rel=9), ["AP", "nDCG"], **options)
    if name == "portrait":
        assert any("verdict: AP(rel=9) ties all these runs" in note for note in found.notes)
        return
    assert "constant over the runs, so it cannot rank them: AP(rel=9)" in found.notes
    if name == "discriminative-power":
        assert found["power"].filter(measure="AP(rel=9)")["delta"].is_null().all()


def test_settings_and_runs_that_tie_are_counted() -> None:
    """All pairs of settings have one order: the lowest τ is that of each."""
    qrels = {"1": {"a": 2, "b": 1}}
    found = EXPERIMENTS["sensitivity"](cf.join(qrels, {"x": {"1": ["a"]}, "y": {"1": ["b"]}}), "RBP")
    assert found.notes[0] == "lowest tau 1.000: RBP(p=0.8) and RBP(p=0.9), and 2 more pairs"
