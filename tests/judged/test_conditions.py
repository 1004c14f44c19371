"""What can be asked of an evaluation: every word and range, refused alike by the library and the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tools.each import each_of

import cranfield as cf
from cranfield.cli import main
from cranfield.judged.conditions import Conditions, Grading, Reading

QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1}}
RUNS = {"one": {"1": {"b": 3.0, "a": 2.0}, "2": {"a": 1.0}}, "two": {"1": {"c": 3.0, "x": 2.0}}}

REFUSED: list[tuple[str, Any, str]] = [
    ("topics", "some", "topics must be 'all' or 'shared', not 'some'"),
    ("topics", 1, "topics must be 'all' or 'shared', not 1"),
    ("missing", "none", "missing must be 'zero' or 'empty', not 'none'"),
    ("order", "foo", "order must be 'score' or 'trec9' or 'stable' or 'rank' or 'file', not 'foo'"),
    ("depth", 0, "depth must be at least 1, not 0"),
    ("depth", -3, "depth must be at least 1, not -3"),
    ("depth", 10**20, "depth must be at most 1,000,000,000, not 100000000000000000000"),
    ("depth", 2.5, "depth must be a whole number at least 1"),
    ("depth", "ten", "depth must be a whole number at least 1"),
    ("depth", True, "depth must be a whole number at least 1"),
    ("comments", "yes", "comments must be True or False, not 'yes'"),
    ("rel", float("nan"), "rel must be above 0, not nan"),
    ("rel", float("inf"), "rel must be above 0, not inf"),
    ("rel", "high", "rel must be a number above 0, not 'high'"),
    ("judged_only", 2, "judged_only must be True or False, not 2"),
]
"""Condition, what is given for it, and what is said."""

OPTIONS = {"topics": "--topics", "missing": "--missing", "order": "--order", "depth": "-M", "rel": "-l"}
"""Those of the conditions that take a word or a number on the command line."""

DOORS: dict[str, Any] = {
    "evaluate": lambda **asked: cf.evaluate(QRELS, RUNS, "AP", **asked),
    "compare": lambda **asked: cf.compare(QRELS, RUNS, "AP", **asked),
    "curve": lambda **asked: cf.curve(QRELS, RUNS, "CG", **asked),
    "join": lambda **asked: cf.join(QRELS, RUNS, **asked),
}


@each_of("door", DOORS)
@each_of(("name", "given", "said"), REFUSED)
def test_the_library_refuses(door: str, name: str, given: Any, said: str) -> None:
    with pytest.raises(cf.InputError) as caught:
        DOORS[door](**{name: given})
    assert said in str(caught.value)


@each_of(
    ("command", "name", "given"),
    [
        (command, name, given)
        for command in ("evaluate", "compare", "curve", "experiment")
        for name, given, _ in REFUSED
        if name in OPTIONS and (command, name) != ("experiment", "depth")  # which experiments do not take
    ],
)
def test_the_command_line_refuses(command: str, name: str, given: Any) -> None:
    first = {"experiment": ["experiment", "archetypes"], "curve": ["curve", "-m", "CG"]}.get(command, [command])
    result = CliRunner().invoke(main, [*first, "qrels.txt", "a.run", OPTIONS[name], str(given)])
    assert result.exit_code == 2
    assert str(given) in result.stderr
    assert "qrels.txt" not in result.stderr.splitlines()[-1]  # refused before anything is read
    assert result.exception is None or isinstance(result.exception, SystemExit)


@pytest.mark.parametrize("order", ["foo", 7])
def test_runs_without_judgments_have_an_order_too(order: Any) -> None:
    with pytest.raises(cf.InputError, match="order must be"):
        cf.Candidates.gather(RUNS, order=order)
    with pytest.raises(cf.InputError, match="order must be"):
        cf.cut(RUNS, at=1, order=order)


@pytest.mark.parametrize("workers", [-1, 0, 1.5, "two"])
def test_workers_are_at_least_one(workers: Any) -> None:
    for door in ("evaluate", "join"):
        with pytest.raises(cf.InputError, match="workers must be"):
            DOORS[door](workers=workers)


def test_whole_numbers_of_other_kinds_are_taken() -> None:
    import numpy as np

    given: list[Any] = [np.int32(3), np.float32(2), 10.0]
    assert Reading(depth=given[0]).depth == 3
    assert Grading(rel=given[1]).rel == 2.0
    assert Reading(depth=given[2]).depth == 10


def test_what_is_unusual_is_told() -> None:
    assert Conditions().unusual() == {}
    assert Conditions(Reading(depth=5, topics="shared"), Grading(judged_only=True)).unusual() == {
        "depth": 5,
        "topics": "shared",
        "judged_only": True,
    }


def test_joined_runs_are_taken_everywhere() -> None:
    joined = cf.join(QRELS, RUNS, depth=1)
    assert cf.evaluate(joined, measures="AP") == cf.evaluate(QRELS, RUNS, "AP", depth=1)
    assert cf.compare(joined, measures="AP", not_run=1.0) == cf.compare(QRELS, RUNS, "AP", depth=1, not_run=1.0)
    assert cf.curve(joined, measure="CG") == cf.curve(QRELS, RUNS, "CG", depth=1)
    assert cf.archetypes(joined).equals(cf.archetypes(cf.join(QRELS, RUNS, depth=1)))
    assert cf.Candidates.gather(joined).document.to_list() == ["b", "c", "a"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"order": "rank"}, "joined with order='score', not 'rank'"),
        ({"depth": 10}, "joined with depth=None, not 10"),
        ({"topics": "shared"}, "joined with topics='all', not 'shared'"),
        ({"missing": "empty"}, "joined with missing='zero', not 'empty'"),
        ({"comments": True}, "joined with comments=False, not True"),
        ({"order": "foo"}, "order must be"),
    ],
)
def test_joined_runs_cannot_be_read_otherwise(asked: dict[str, Any], said: str) -> None:
    joined = cf.join(QRELS, RUNS)
    for door in (cf.evaluate, cf.compare, cf.curve, cf.join):
        with pytest.raises(cf.InputError, match=said):
            door(joined, **asked)
    assert cf.evaluate(joined, measures="AP", order="score", topics="all") == cf.evaluate(QRELS, RUNS, "AP")


def test_joined_runs_bring_their_judgments() -> None:
    joined = cf.join(QRELS, RUNS)
    with pytest.raises(cf.InputError, match="already joined with their judgments"):
        cf.evaluate(joined, RUNS, "AP")
    with pytest.raises(cf.InputError, match="already joined with judgments"):
        cf.evaluate(QRELS, joined, "AP")  # type: ignore[arg-type]
    with pytest.raises(cf.InputError, match="no run is given"):
        cf.evaluate(QRELS, measures="AP")


def test_joined_runs_can_be_judged_otherwise() -> None:
    joined = cf.join(QRELS, RUNS)
    # At level 2 only a is relevant, on the first topic: rank 2 in the one run, not found by the
    # other.
    assert cf.evaluate(joined, measures="RR", rel=2).averages.tolist() == [[(1 / 2 + 0) / 2, 0.0]]
    assert joined.under(rel=2).scores("RR").averages.tolist() == [[1 / 4, 0.0]]
    # Without the unjudged x, all of the second run's first list is judged.
    assert cf.evaluate(joined, measures="SetP", judged_only=True).values[0, 1].tolist() == [1.0, 0.0]
    assert cf.evaluate(joined, measures="SetP").values[0, 1].tolist() == [0.5, 0.0]


def test_all_commands_have_the_conditions(tmp_path: Path) -> None:
    """Comments, depth, level and condensed lists, by hand: d2 is below the depth, c is relevant at level 1 alone."""
    (tmp_path / "qrels.txt").write_text("# judged by hand\n1 0 a 2\n1 0 c 1\n2 0 a 0\n2 0 b 2\n")
    for name, found in (("good", "ac"), ("poor", "xc")):
        lines = [f"{topic} Q0 {d} {i} {9 - i} {name}\n" for topic in (1, 2) for i, d in enumerate(found)]
        (tmp_path / f"{name}.run").write_text("# made by hand\n" + "".join(lines))
    files = [str(tmp_path / name) for name in ("qrels.txt", "good.run", "poor.run")]
    conditions = ["--comments", "-l", "2", "-M", "1", "-J", "--no-audit", "--missing", "empty"]
    for command in (["evaluate", *files, "-m", "P@1"], ["compare", *files, "-m", "P@1"], ["curve", "-m", "P", *files]):
        assert CliRunner().invoke(main, [*command, "--comments", "-J"]).stderr.count("audit: 2 runs, 2 topics") == 1
        result = CliRunner().invoke(main, [*command, *conditions, "--format", "csv"])
        assert result.exit_code == 0, result.output
        assert "audit" not in result.stderr
        if command[0] == "evaluate":
            assert result.stdout.splitlines()[1:] == ["good,all,P(rel=2)@1,0.5", "poor,all,P(rel=2)@1,0.0"]
