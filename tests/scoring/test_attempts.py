"""Attempts laid out: who has how many, what is said of them, and what is left out."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import cranfield as cf
from cranfield.scoring.attempts import Attempts
from cranfield.statistics.repeats import repeats

Row = tuple[str, str, str, float | None]


def attempts(rows: list[Row], runs: tuple[str, ...] = ("a",)) -> Attempts:
    table = pl.DataFrame(rows, schema=["run", "topic", "attempt", "value"], orient="row")
    return Attempts.of(table.with_columns(measure=pl.lit("resolved")), "resolved", runs)


def solved(run: str, *topics: str) -> list[Row]:
    """Write the attempts on each topic as zeros and ones."""
    return [(run, str(t), str(j), float(won)) for t, row in enumerate(topics) for j, won in enumerate(row)]


def test_rows_in_any_order_and_other_attempts_of_other_runs() -> None:
    rows = solved("a", "110", "10") + solved("b", "1", "01")
    shuffled = [rows[at] for at in np.random.default_rng(1).permutation(len(rows))]
    found = attempts(shuffled, ("a", "b")).table((1, 2)).to_dicts()
    assert [row["mean"] for row in found] == pytest.approx([(2 / 3 + 1 / 2) / 2, (1 + 1 / 2) / 2])
    assert [(row["attempts_from"], row["attempts_to"]) for row in found] == [(2, 3), (1, 2)]
    assert [row["agreement"] for row in found] == [0, 0]
    assert [row["pass@1"] for row in found] == pytest.approx([row["mean"] for row in found])
    assert [row["pass^1"] for row in found] == pytest.approx([row["mean"] for row in found])
    # Of three attempts that hold two successes all pairs have one, and one of three pairs has both.
    assert found[0]["pass@2"] == pytest.approx((1 + 1) / 2)
    assert found[0]["pass^2"] == pytest.approx((1 / 3 + 0) / 2)
    assert found[1]["pass@2"] is None
    assert list(attempts(shuffled, ("a", "b")).notes((1, 2))) == [
        "resolved: no pass@2 of b, with fewer than 2 attempts on some topic"
    ]


def test_k_is_the_fewest_attempts_where_none_is_asked_for() -> None:
    assert [name for name in attempts(solved("a", "110", "10")).table().columns if "pass" in name] == [
        "pass@2", "pass^2",
    ]  # fmt: skip
    assert not [name for name in attempts(solved("a", "1", "10")).table().columns if "pass" in name]


def test_graded_scores_have_no_pass() -> None:
    found = attempts([("a", "1", "1", 0.5), ("a", "1", "2", 0.7), ("a", "2", "1", 0.1), ("a", "2", "2", 0.1)])
    assert not [name for name in found.table().columns if "pass" in name]
    assert found.table()["agreement"].item() == 1 / 2
    with pytest.raises(cf.InputError, match="pass@k needs successes and failures; resolved has values other"):
        found.table((2,))


def test_an_attempt_without_a_value_is_left_out_and_named() -> None:
    found = attempts([*solved("a", "11", "01"), ("a", "1", "2", None)])
    assert found.table()["attempts_to"].item() == 2
    assert list(found.notes()) == [
        "resolved: 1 attempt without a value left out; give failed attempts a value, such as 0"
    ]


def test_what_is_said_of_attempts() -> None:
    many = solved("a", "1111", "0000", "1100", "1110") + solved("b", "0000", "1000", "0000", "1100")
    found = attempts(many, ("a", "b"))
    narrower = repeats(found.values).narrowing(attempts=2)[0]
    assert list(found.sentences()) == [
        "Scores are means over 4 attempts on each topic.",
        "All attempts agree on 50% of topics.",
        f"With twice the attempts, the interval of the mean of a would be {100 * narrower:.0f}% narrower.",
        "With twice the topics, it would be 29% narrower.",
    ]
    assert "the mean of b" in list(found.sentences(direction=-1))[2]  # of costs, less is better
    uneven = attempts(solved("a", "11", "10") + solved("b", "110", "001"), ("a", "b")).sentences()
    assert [*uneven][:2] == [
        "Scores are means over 2 to 3 attempts on each topic.",
        "All attempts agree on 0% to 50% of topics, depending on the run.",
    ]


def test_one_attempt_each_says_nothing_of_another() -> None:
    found = attempts(solved("a", "1", "0", "1"))
    assert list(found.sentences()) == [
        "Each topic has one attempt by resolved, so the spread between attempts is unknown."
    ]
    assert found.table().select("between", "within", "icc", "agreement", "twice_the_attempts").row(0) == (None,) * 5


def test_attempts_that_differ_as_a_whole_are_named() -> None:
    """A seed that is better on every topic is no noise of a topic: its share does not shrink with more topics."""
    random = np.random.default_rng(3)
    seeds = np.array([0.0, 0.3, 0.6])
    rows: list[Row] = [
        (run, str(t), str(j), float(random.normal() / 4 + (seeds[j] if run == "a" else 0)))
        for run in "ab"
        for t in range(30)
        for j in range(3)
    ]
    (note,) = attempts(rows, ("a", "b")).notes()
    assert note.startswith("resolved: attempts of a differ as a whole, as runs with other seeds do (F test")
    assert list(attempts(rows, ("b",)).notes()) == []


def test_a_run_without_attempts_is_left_out() -> None:
    found = attempts([*solved("a", "11", "01"), ("b", "0", "1", None)], ("a", "b", "c"))
    assert found.table()["run"].to_list() == ["a"]
    assert attempts([("b", "0", "1", None)], ("b",)).runs == ()
