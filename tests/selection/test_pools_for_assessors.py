"""Pools by team, priority and depth: what a slow loop finds, in an order that tells nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cranfield.formats.long_tables import read_list
from cranfield.plumbing.errors import InputError
from cranfield.selection.candidates import Candidates, chance
from cranfield.selection.judging import Judging
from cranfield.selection.plan import Plan
from cranfield.selection.pools import Pool, depths_by_priority

lists = st.lists(st.sampled_from("abcdefg"), max_size=5, unique=True)
of_run = st.tuples(st.dictionaries(st.sampled_from("12"), lists, min_size=1), st.sampled_from("TUV"), st.integers(1, 3))


@given(st.lists(of_run, min_size=1, max_size=4), st.lists(st.integers(1, 4), min_size=1, max_size=3))
@settings(max_examples=60, deadline=None)
def test_a_slow_loop_finds_the_same(drawn: list[tuple[dict[str, list[str]], str, int]], by_priority: list[int]) -> None:
    names = [f"run{number}" for number in range(len(drawn))]
    if not any(ranked for topics, _, _ in drawn for ranked in topics.values()):
        return
    runs = {
        name: {topic: {d: -float(rank) for rank, d in enumerate(ranked)} for topic, ranked in topics.items()}
        for name, (topics, _, _) in zip(names, drawn, strict=True)
    }
    teams, priorities = [team for _, team, _ in drawn], [priority for _, _, priority in drawn]
    depth = depths_by_priority(priorities, by_priority)
    pool = Pool.of(Candidates.gather(runs), depth=depth, teams=teams, priorities=priorities)

    gives = {
        name: {(topic, d) for topic, ranked in topics.items() for d in ranked[:deep]}
        for name, (topics, _, _), deep in zip(names, drawn, depth, strict=True)
    }
    assert {*pool.documents.rows()} == set().union(*gives.values())
    assert len(pool.documents) == len(set().union(*gives.values()))
    of_team = {team: set().union(*(gives[n] for n, t in zip(names, teams, strict=True) if t == team)) for team in teams}
    for run, team, _, _, documents, alone in pool.contributions.rows():
        mine, others = (gives[run], gives) if run else (of_team[team], of_team)
        elsewhere = set().union(*(theirs for name, theirs in others.items() if name != (run or team)))
        assert (documents, alone) == (len(mine), len(mine - elsewhere))


def test_the_order_tells_nothing_of_ranks_and_other_documents_do_not_change_it() -> None:
    ids = [f"d{number:03}" for number in range(200)]
    candidates = Candidates.gather({"x": {"1": {d: -float(rank) for rank, d in enumerate(ids)}}})
    handed = Pool.of(candidates, depth=200).by_topic()["1"]
    assert sorted(handed) == ids
    assert handed != Pool.of(candidates, depth=200, seed=8).by_topic()["1"]
    rank = np.array([ids.index(d) for d in handed])
    assert abs(np.corrcoef(rank, np.arange(200))[0, 1]) < 0.2  # of 200 at random, within three standard errors
    assert Pool.of(candidates, depth=50).by_topic()["1"] == [d for d in handed if ids.index(d) < 50]
    assert [d for d in handed if d in ids[:3]] == sorted(ids[:3], key=lambda d: chance(7, "order", "1", d))


def test_documents_that_were_chosen(tmp_path: Path) -> None:
    """Of a and c, x has both and y has c; nobody is asked about b."""
    candidates = Candidates.gather({"x": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, "y": {"1": {"c": 1.0}}})
    pool = Pool.of(candidates, [("1", "c"), ("1", "a")])
    assert repr(pool) == "Pool(2 documents of 1 topic)"
    assert pool.contributions.select("run", "documents", "alone").rows() == [("x", 2, 1), ("y", 1, 0)]
    assert (pool.keys(), Pool.of(candidates, teams=["T", "U"]).keys()) == (1, 2)  # runs, and teams in front
    with pytest.raises(InputError, match="no run retrieved document 'z'"):
        Pool.of(candidates, [("1", "z")])
    with pytest.raises(InputError, match="teams needs one for each of 2 runs, not 1"):
        Pool.of(candidates, teams=["T"])


def test_hostile_topics_stay_in_the_folder(tmp_path: Path) -> None:
    names = ["../up", "..", "a/b", "ä", "con", "%2F"]
    pool = Pool.of(Candidates.gather({"x": {topic: {"d": 1.0} for topic in names}}), depth=1)
    folder = tmp_path / "pool"
    files = pool.write(folder)
    assert len({*files}) == len(names)
    assert {*folder.iterdir()} == {*files}
    assert [*tmp_path.iterdir()] == [folder]
    assert files == pool.write(folder)  # once more makes no difference
    smaller = Pool.of(Candidates.gather({"x": {"ä": {"d": 1.0}}}), depth=1)
    with pytest.raises(InputError, match="which is not part of this pool; give a new folder"):
        smaller.write(folder)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be the folder of a pool"):
        smaller.write(tmp_path / "file")
    assert read_list(smaller.write(tmp_path / "other")[0]) == [("ä", "d")]


def test_ids_with_blanks_are_no_lines_of_a_list(tmp_path: Path) -> None:
    """``t 1 d 0`` would be read as something else; csv has room for such ids."""
    candidates = Candidates.gather({"x": {"t 1": ["d 0", "e\nf"]}})
    plan = Plan.of(Judging(candidates, method="A"), 2)
    with pytest.raises(InputError, match="the topic 't 1' does not fit TREC text"):
        plan.render("trec")
    with pytest.raises(InputError, match="the topic 't 1' does not fit TREC text"):
        Pool.of(candidates).write(tmp_path / "pool")
    assert not (tmp_path / "pool").exists()
    (tmp_path / "plan.csv").write_text(str(plan.render("csv")))
    assert read_list(tmp_path / "plan.csv") == [("t 1", "d 0"), ("t 1", "e\nf")]


def test_a_list_of_documents_whose_topics_are_lists_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "plan.jsonl"
    path.write_text('{"topic": ["1"], "document": "d"}\n')
    with pytest.raises(InputError, match=r"plan\.jsonl: the topic is not an id"):
        read_list(path)


def test_other_blanks_than_those_of_ascii_are_parts_of_ids(tmp_path: Path) -> None:
    ids = ["a\xa0b", "c\u2028d", "e\x85f", "ä"]
    written = Plan.of(Judging({"x": {"1": ids}}, method="A"), 4).render("trec")
    (tmp_path / "plan.txt").write_text(str(written), newline="")
    assert read_list(tmp_path / "plan.txt") == [("1", document) for document in ids]


def test_the_caption_says_how_many_a_topic_has_where_there_are_two() -> None:
    lists = {"1": ["a", "b", "c"], "2": ["a"], "3": []}
    for topics, says in (
        ("1", "3 documents of 1 topic; within a topic"),
        ("12", "4 documents of 2 topics, 1 to 3 each; within a topic"),
        ("23", "1 document of 1 topic, none for 1 topic of the runs: 3; within a topic"),
    ):
        pool = Pool.of(Candidates.gather({"x": {topic: lists[topic] for topic in topics}}))
        assert pool.caption().startswith(says), pool.caption()
    assert depths_by_priority([1, 2, 3], [20, 10]) == [20, 10, 0]
