"""A leaderboard of several tasks, and of several attempts: from tables, in Python and from a shell."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.cli import main
from cranfield.comparison.orders_of_tasks import OrdersOfTasks
from cranfield.plumbing.arrays import Floats


def told(levels: Floats, **asked: object) -> list[str]:
    systems, tasks = np.shape(levels)
    board = OrdersOfTasks.of(
        "score", [*"ABCDEFGH"[:systems]], [f"T{t}" for t in range(tasks)], np.asarray(levels, np.float64),
        families=None, items=[], alpha=0.05, resamples=200, seed=7,
    )  # fmt: skip
    return [*board.sentences()]


def wide(levels: Floats) -> pl.DataFrame:
    """Lay levels out with a row for each system and a column for each task, as boards have them."""
    systems, tasks = np.shape(levels)
    return pl.DataFrame({"model": [*"ABCDEFGH"[:systems]]} | {f"T{t}": np.asarray(levels)[:, t] for t in range(tasks)})


AHEAD_ON_ONE = np.array([[9.0, 1.0, 1.0, 1.1], [4.0, 2.0, 2.1, 2.0], [3.0, 1.5, 1.4, 1.0]])
"""A is far ahead on the first task, and B a little on the three others."""


def test_the_others_are_said_to_put_another_first() -> None:
    said = told(AHEAD_ON_ONE)
    assert said[0] == "The standardised mean and Borda would put B first."
    # By Borda A has (2 + 0 + 0 + 1) / 4, B (1 + 2 + 2 + 2) / 4 and C (0 + 1 + 1 + 0) / 4: A and B change places.
    assert said[1:3] == [
        "The order of 1 of 3 pairs of runs depends on this choice.",
        "None of these pairs differs significantly by any of the three.",
    ]
    assert said[-1].startswith("One of 4 tasks, T0, accounts for")


def test_where_all_agree_that_is_said() -> None:
    assert told(np.array([[3.0, 4.0], [2.0, 3.0], [1.0, 2.0]])) == [
        "The standardised mean and Borda put A first, too.", "The order of all runs is the same by all three.",
    ]  # fmt: skip


def test_one_of_the_two_may_agree() -> None:
    """B leads on two of three tasks, by little; by standard deviations A's lead on the third outweighs that."""
    said = told(np.array([[1.0, 1.0, 9.0], [1.1, 1.1, 1.0], [0.0, 0.0, 0.9]]))
    assert said[0] == "The standardised mean puts A first, too; Borda would put B first."


def test_ties_for_the_first_place_are_all_named() -> None:
    assert told(np.full((3, 4), 0.5))[0] == "The standardised mean and Borda put A, B and C first, too."
    assert told(np.array([[0.5, 0.7]])) == []


def test_a_wide_table_of_tasks() -> None:
    found = cf.leaderboard(wide(AHEAD_ON_ONE), tasks="topic", resamples=200)
    assert found.unit == "task"
    assert found.answer.endswith("on 4 tasks.")
    assert found.rows["run"].to_list() == ["A", "B", "C"]
    assert found.rows["mean"].to_list() == pytest.approx(AHEAD_ON_ONE.mean(axis=1).tolist())
    orders = found.to_polars(orders=True)
    assert orders.filter(by="Borda").select("run", "value").rows() == [("B", 1.75), ("A", 0.75), ("C", 0.5)]
    assert orders.filter(by="mean").select("run", "rank", "rank_from", "rank_to").rows() == (
        found.rows.select("run", "rank", "rank_from", "rank_to").rows()
    )
    assert found.table().columns == ["rank", "run", "score", "ranks", "may lead", "standardised mean", "Borda"]
    assert "Borda would put B first" in str(found)


def long(
    items: int = 30, runs: str = "ABC", tasks: int = 12, attempts: int = 1
) -> list[tuple[str, str, str, int, float]]:
    """Draw 0 and 1; later runs are better; items are called alike on all tasks."""
    random = np.random.default_rng(4)
    hard = random.normal(size=(tasks, items))
    return [
        (run, f"T{task}", str(item), attempt, float(random.random() < 1 / (1 + np.exp(hard[task, item] - place))))
        for place, run in enumerate(runs) for task in range(tasks) for item in range(items)
        for attempt in range(attempts)
    ]  # fmt: skip


def frame(rows: list[tuple[str, str, str, int, float]]) -> pl.DataFrame:
    return pl.DataFrame(rows, ["model", "dataset", "item", "seed", "value"], orient="row")


def test_tasks_count_once_however_many_items_they_have() -> None:
    rows = [row for row in long() if row[1] != "T1" or int(row[2]) < 5]
    table = frame(rows).drop("seed")
    found = cf.leaderboard(table, tasks="dataset", resamples=200)
    by_hand = (
        table.group_by("model", "dataset").agg(pl.col("value").mean()).group_by("model").agg(pl.col("value").mean())
    )
    assert dict(found.rows.select("run", "mean").iter_rows()) == pytest.approx(dict(by_hand.iter_rows()))
    items = found.to_polars(orders=True)
    assert items.filter(by="mean")["item_rank_from"].null_count() == 0
    assert items.filter(by="Borda")["item_rank_from"].null_count() == 3
    assert any("with other items of these tasks, 1." in said for said in found.said)
    # Without the column of tasks the same item seems to be there twelve times.
    with pytest.raises(cf.InputError, match=r"more than once.*cranfield leaderboard --tasks COLUMN"):
        cf.leaderboard(table)


def test_missing_tasks_and_items_are_named_and_never_0() -> None:
    """C lacks a task and, of another, some items; D has two tasks of twelve; B has too few items of a third."""
    rows = [
        row for row in long(runs="ABCD")
        if (row[0], row[1]) != ("C", "T3")
        and not (row[0] == "C" and row[1] == "T4" and int(row[2]) < 10)
        and not (row[0] == "D" and row[1] not in ("T0", "T1"))
        and not (row[0] == "B" and row[1] == "T5" and int(row[2]) > 5)
    ]  # fmt: skip
    found = cf.leaderboard(frame(rows).drop("seed"), tasks="dataset", resamples=200)
    assert found.did_not_run == ("D",)
    assert found.topics == 10
    notes = "\n".join(found.notes)
    assert "compared on the 10 tasks that all runs have, without T3, T5" in notes
    assert "left out, as they did not run: D (no scores on 10 of 12 tasks)" in notes
    assert "left out of a task, with fewer than half of its items: B on T5" in notes
    assert "10 items left out, since some run lacks them, of T4" in notes
    part = pl.col("dataset").is_in(["T3", "T5"]).not_() & (
        (pl.col("dataset") != "T4") | (pl.col("item").cast(pl.Int64) >= 10)
    )
    means = frame(rows).filter(part).group_by("model", "dataset").agg(pl.col("value").mean())
    by_hand = dict(means.group_by("model").agg(pl.col("value").mean()).iter_rows())
    assert dict(found.rows.select("run", "mean").iter_rows()) == pytest.approx({run: by_hand[run] for run in "ABC"})


def test_a_missing_task_counts_0_where_that_is_asked_for_and_said() -> None:
    rows = [row for row in long() if row[:2] != ("C", "T3")]
    found = cf.leaderboard(frame(rows).drop("seed"), tasks="dataset", topics="all", resamples=100)
    assert found.topics == 12
    assert "missing tasks counted 0: C (T3)" in found.notes
    means = frame(rows).group_by("model", "dataset").agg(pl.col("value").mean())
    by_hand = dict(means.group_by("model").agg(pl.col("value").sum() / 12).iter_rows())
    assert dict(found.rows.select("run", "mean").iter_rows()) == pytest.approx(by_hand)
    assert found.to_polars(orders=True)["item_rank_from"].null_count() == 9


def test_tasks_of_which_some_run_lacks_each_are_refused() -> None:
    levels = {"A": {"x": 0.5, "y": 0.4}, "B": {"y": 0.5, "w": 1.0}, "C": {"x": 1.0, "w": 0.0}}
    with pytest.raises(cf.InputError, match="the runs share no topic"):
        cf.leaderboard(levels, tasks="topic", not_run=0.9)


def test_measures_may_be_the_tasks() -> None:
    rows = [(run, str(t), m, (ord(run) - 64) / 10 + t / 100) for run in "ABC" for t in range(4) for m in ("m1", "m2")]
    table = pl.DataFrame(rows, ["run", "topic", "measure", "value"], orient="row")
    found = cf.leaderboard(table, tasks="measure", resamples=100)
    assert (found.topics, found.measures) == (2, ("score",))
    assert found.rows["run"].to_list() == ["C", "B", "A"]
    less = table.with_columns(pl.col("measure").replace("m1", "BalancePoint"))
    with pytest.raises(cf.InputError, match="higher is better; lower is better for BalancePoint"):
        cf.leaderboard(less, tasks="measure")


def test_families_of_tasks_are_drawn_as_a_whole() -> None:
    """A table that has each of six tasks four times tells no more than one that has it once."""
    random = np.random.default_rng(1)
    levels = random.normal(size=(3, 12)) + np.array([[1.2], [0.6], [0.0]])
    rows = [
        ("ABC"[run], f"T{task}-{copy}", f"T{task}", levels[run, task])
        for run in range(3) for task in range(12) for copy in range(4)
    ]  # fmt: skip
    table = pl.DataFrame(rows, ["run", "task", "cluster", "value"], orient="row")
    once = cf.leaderboard(wide(levels), tasks="topic", resamples=400)
    families = cf.leaderboard(table, tasks="task", resamples=400)
    ends = ["run", "rank_from", "rank_to"]
    assert families.rows.select(ends).rows() == once.rows.select(ends).rows()
    assert families.orders is not None
    assert once.orders is not None
    assert families.orders.select(ends).rows() == once.orders.select(ends).rows()


def test_attempts_on_items_of_tasks_count_as_their_tasks_do() -> None:
    rows = [row for row in long(attempts=3) if row[1] != "T1" or int(row[2]) < 6]
    found = cf.leaderboard(frame(rows), tasks="dataset", attempts="seed", passes=(1, 2), resamples=100)
    assert found.attempts is not None
    pass_at_1 = dict(found.attempts.select("run", "pass@1").iter_rows())
    assert pass_at_1 == pytest.approx(dict(found.rows.select("run", "mean").iter_rows()))
    assert dict(found.attempts.select("run", "mean").iter_rows()) == pytest.approx(pass_at_1)
    assert found.attempts["twice_the_topics"].null_count() == 3
    assert not any("twice" in said for said in found.said)
    assert found.table().columns[-4:] == ["pass@1", "pass^1", "pass@2", "pass^2"]


def test_attempts_by_any_name_of_their_column() -> None:
    """Known names are attempts by themselves; another is named; either way an item's mean compares."""
    table = frame([row for row in long(tasks=1, attempts=3) if row[1] == "T0"]).drop("dataset")
    named, by_itself = cf.leaderboard(table, attempts="seed"), cf.leaderboard(table.rename({"seed": "trial"}))
    assert named.attempts is not None
    assert named == by_itself
    means = table.group_by("model").agg(pl.col("value").mean())
    assert dict(named.rows.select("run", "mean").iter_rows()) == pytest.approx(dict(means.iter_rows()))
    assert named.said[0] == "Scores are means over 3 attempts on each topic."
    single = table.filter(pl.col("seed") == 0)
    assert cf.leaderboard(single.rename({"seed": "trial"})).attempts is None
    asked = cf.leaderboard(single, attempts="seed")
    assert asked.attempts is not None
    assert asked.said[0].startswith("Each topic has one attempt")


def test_a_column_that_is_named_as_that_of_tasks_is_one() -> None:
    table = frame(long(tasks=4)).drop("seed")
    assert cf.leaderboard(table, columns={"task": "dataset"}) == cf.leaderboard(table, tasks="dataset")


def test_attempts_at_tasks_that_have_no_items_are_told_of_tasks() -> None:
    rows = [(run, f"T{t}", a, (t + a + ord(run)) % 3) for run in "AB" for t in range(12) for a in range(2)]
    table = pl.DataFrame(rows, ["model", "task", "attempt", "value"], orient="row")
    found = cf.leaderboard(table, tasks="task", resamples=100)
    assert found.said[0] == "Scores are means over 2 attempts on each task."
    assert not any("topic" in said for said in found.said)


def test_the_same_attempt_twice_is_refused() -> None:
    table = frame(long(tasks=1, attempts=2)).drop("dataset")
    with pytest.raises(cf.InputError, match="occurs more than once"):
        cf.leaderboard(pl.concat([table, table.head(1)]), attempts="seed")


def test_what_has_no_attempts_and_no_tasks() -> None:
    found = cf.leaderboard(wide(AHEAD_ON_ONE))
    for which in ({"repeats": True}, {"orders": True}):
        with pytest.raises(cf.InputError, match="there is no such table"):
            found.to_polars(**which)
    with pytest.raises(cf.InputError, match="pass@k needs several attempts"):
        cf.leaderboard(wide(AHEAD_ON_ONE), passes=(2,))
    with pytest.raises(cf.InputError, match="with qrels and runs, leave tasks out: it is for tables of scores"):
        cf.leaderboard({"1": {"a": 1}}, {"r": {"1": ["a"]}}, "RR", tasks="topic")
    scores = cf.evaluate({"1": {"a": 1}, "2": {"a": 1}}, {"r": {"1": ["a"], "2": ["a"]}, "s": {"1": ["a"]}}, "RR")
    assert cf.leaderboard(scores, tasks="topic", topics="all").unit == "task"


def test_a_board_survives_json() -> None:
    found = cf.leaderboard(frame(long(attempts=2)), tasks="dataset", attempts="seed", resamples=100)
    assert type(found).from_dict(found.to_dict()) == found


def test_from_a_shell(tmp_path: Path) -> None:
    file = tmp_path / "agents.csv"
    frame(long(tasks=4, attempts=2)).write_csv(file)
    asked = ["leaderboard", str(file), "--tasks", "dataset", "--attempts", "seed", "--pass", "1", "--pass", "2"]
    shown = CliRunner().invoke(main, asked)
    assert shown.exit_code == 0, shown.output
    assert "Scores are means over 2 attempts on each topic" in shown.output
    for flag, column in (("--orders", "item_rank_from"), ("--repeats", "pass^2")):
        written = CliRunner().invoke(main, [*asked, flag, "--format", "csv", "--quiet"])
        assert column in written.output.splitlines()[0].split(",")
    wrong = CliRunner().invoke(main, [*asked[:2], "--tasks", "datasets"])
    assert wrong.exit_code != 0
    assert "datasets" in wrong.output


def test_a_large_board_takes_seconds() -> None:
    """41 tasks × 181 models: few can be told apart, and that is the answer."""
    random = np.random.default_rng(2)
    levels = random.normal(size=(181, 41)) + random.normal(0, 0.3, (181, 1)) + random.normal(size=41)
    table = pl.DataFrame({"model": [f"m{m}" for m in range(181)]} | {f"T{t}": levels[:, t] for t in range(41)})
    found = cf.leaderboard(table, tasks="topic", resamples=200)
    assert found.orders is not None
    assert found.orders.height == 3 * 181
    assert found.rows["may_lead"].sum() > 100


def test_families_may_be_given_apart_from_the_table() -> None:
    levels = np.random.default_rng(3).normal(size=(3, 12)) + np.array([[1.0], [0.5], [0.0]])
    families = {f"T{task}": f"F{task // 2}" for task in range(12)}
    found = cf.leaderboard(wide(levels), tasks="topic", clusters=families, resamples=300)
    rows = [
        ("ABC"[run], f"T{task}", families[f"T{task}"], levels[run, task]) for run in range(3) for task in range(12)
    ]  # fmt: skip
    table = pl.DataFrame(rows, ["run", "task", "cluster", "value"], orient="row")
    inside = cf.leaderboard(table, tasks="task", resamples=300)
    assert found.orders is not None
    assert inside.orders is not None
    ends = ["by", "run", "rank_from", "rank_to"]
    assert found.orders.select(ends).rows() == inside.orders.select(ends).rows()


def test_a_task_in_two_families_is_refused() -> None:
    rows = [("A", "x", str(item), f"F{item % 2}", 1.0) for item in range(4)]
    table = pl.DataFrame(rows, ["run", "dataset", "item", "cluster", "value"], orient="row")
    with pytest.raises(cf.InputError, match="in several clusters, which are families of tasks here: x"):
        cf.leaderboard(table, tasks="dataset")
