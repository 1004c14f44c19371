"""Ranks, ties, joins: what a batch of judged rankings holds."""

from __future__ import annotations

import gc
import weakref
from typing import get_args

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cranfield as cf
from cranfield.formats import read_runs
from cranfield.judged.conditions import Reading
from cranfield.judged.joining import Rows, rank, ranked_scores, ranked_table
from cranfield.judged.judgments import DocumentIndex, Judgments
from cranfield.judged.rankings import one_ranking
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Order
from cranfield.scoring.engines.local import rank_source


def judgments(**topics: dict[str, float]) -> Judgments:
    rows = [(topic, document, grade) for topic, judged in topics.items() for document, grade in judged.items()]
    return Judgments(pl.DataFrame(rows, schema=["query_id", "doc_id", "relevance"], orient="row"))


def run_of(rows: list[tuple[str, str, float]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")


def ranks(run: pl.DataFrame, judged: Judgments, order: Order = "score") -> dict[tuple[str, str], int]:
    """Return the rank of each judged document that was retrieved."""
    rows = Rows("r", read_runs(run).sources[0].read(rank=order == "rank"))
    batch = rank(rows, judged, Reading(order=order))
    return {
        (judged.topics[row], judged.document[judgment]): place
        for row, place, judgment in zip(batch.row.tolist(), batch.rank.tolist(), batch.judgment.tolist(), strict=True)
    }


def test_scores_rank_and_the_last_id_wins_a_tie() -> None:
    judged = judgments(t={"a": 1, "b": 0, "c": 2, "d": 0})
    run = run_of([("t", "a", 1.0), ("t", "c", 2.0), ("t", "b", 1.0), ("t", "d", 1.0)])
    assert ranks(run, judged) == {("t", "c"): 1, ("t", "d"): 2, ("t", "b"): 3, ("t", "a"): 4}


def test_ids_are_compared_by_their_bytes() -> None:
    judged = judgments(t={"a": 1, "B": 1, "é": 1, "10": 1, "9": 1})
    run = run_of([("t", document, 0.5) for document in ("a", "B", "é", "10", "9")])
    by_rank = sorted(ranks(run, judged).items(), key=lambda item: item[1])
    assert [document for (_, document), _ in by_rank] == ["é", "a", "B", "9", "10"]


def test_32_bits_make_a_tie_of_what_64_tell_apart() -> None:
    judged = judgments(t={"a": 1, "b": 1})
    run = run_of([("t", "a", 10.00000001), ("t", "b", 10.0)])
    assert ranks(run, judged, "score")["t", "a"] == 1
    assert ranks(run, judged, "trec9")["t", "a"] == 2


def test_what_32_bits_cannot_hold_is_a_tie_at_infinity() -> None:
    judged = judgments(t={"a": 1, "b": 1})
    run = run_of([("t", "a", 1e40), ("t", "b", 1e39)])
    assert ranks(run, judged, "score")["t", "a"] == 1
    assert ranks(run, judged, "trec9")["t", "a"] == 2


def test_the_rank_column_and_the_order_of_lines() -> None:
    judged = judgments(t={"a": 1, "b": 1, "c": 1})
    run = run_of([("t", "b", 3.0), ("t", "a", 2.0), ("t", "c", 1.0)]).with_columns(pl.Series("rank", [2, 3, 1]))
    assert ranks(run, judged, "rank") == {("t", "c"): 1, ("t", "b"): 2, ("t", "a"): 3}
    assert ranks(run.with_columns(score=0.0), judged, "file") == {("t", "b"): 1, ("t", "a"): 2, ("t", "c"): 3}


def test_a_stable_order_goes_by_score_and_leaves_ties_as_the_lines_have_them() -> None:
    """Of three lines that are not sorted, a and c are tied: `file` would rank them 1 and 3."""
    judged = judgments(t={"a": 1, "b": 1, "c": 1})
    run = run_of([("t", "a", 1.0), ("t", "b", 2.0), ("t", "c", 1.0)])
    assert ranks(run, judged, "stable") == {("t", "b"): 1, ("t", "a"): 2, ("t", "c"): 3}
    assert ranks(run, judged, "score") == {("t", "b"): 1, ("t", "c"): 2, ("t", "a"): 3}
    assert ranks(run, judged, "file") == {("t", "a"): 1, ("t", "b"): 2, ("t", "c"): 3}
    given = {"t": {"a": 1.0, "b": 2.0, "c": 1.0}}
    assert cf.evaluate({"t": {"a": 1}}, {"r": given}, "RR", order="stable").averages.item() == 0.5
    # Ties are ties: the audit counts them, and `ties` tries their other orders.
    assert cf.evaluate({"t": {"a": 1}}, {"r": given}, "RR", order="stable").audit.runs[0].tied == 2
    tied = cf.ties({"t": {"a": 1}}, {"r": given}, "RR", order="stable").rows.row(0)
    assert tied[2:7] == pytest.approx((0.5, 5 / 12, 0, 1 / 3, 0.5))


def test_topics_may_come_in_any_order_and_in_pieces() -> None:
    judged = judgments(t1={"a": 1, "b": 0}, t2={"a": 0, "x": 1})
    run = run_of([("t2", "x", 1.0), ("t1", "b", 1.0), ("t2", "a", 3.0), ("other", "a", 9.0), ("t1", "a", 2.0)])
    assert ranks(run, judged) == {("t1", "a"): 1, ("t1", "b"): 2, ("t2", "a"): 1, ("t2", "x"): 2}


def test_the_three_states_of_a_rank() -> None:
    """Judged or not relevant, unjudged, and beyond the end of the list."""
    batch = one_ranking([1, None, 0], unretrieved=[2])
    assert batch.judged.rank.tolist() == [1, 3]
    assert batch.judged.grade.tolist() == [1.0, 0.0]
    assert batch.length.tolist() == [3]
    assert batch.recall_base().tolist() == [2.0]


def test_rank_once_and_judge_again() -> None:
    batch = one_ranking([1, 0, 2], unretrieved=[1])
    again = batch.rejudged(np.array([np.nan, 3.0, 0.0, 0.0]))
    assert again.judged.rank.tolist() == [2, 3]
    assert again.judged.grade.tolist() == [3.0, 0.0]
    assert again.recall_base().tolist() == [1.0]
    assert again.judgments.top_grade == 2.0
    assert batch.recall_base().tolist() == [3.0]
    assert again.condensed().judged.rank.tolist() == [1, 2]


def test_another_number_of_grades_is_refused() -> None:
    with pytest.raises(InputError, match="2 judgments need as many grades, not 1"):
        one_ranking([1, 0]).rejudged(np.array([1.0]))


def test_rankings_that_no_cutoff_shortens_do_not_keep_themselves_alive() -> None:
    """A batch is let go when it is scored, and not when Python next looks for cycles."""
    rankings = one_ranking([1, None, 0])
    assert rankings.cut(3) is rankings
    gone = weakref.ref(rankings)
    gc.disable()
    try:
        del rankings
        assert gone() is None
    finally:
        gc.enable()


def test_cut_and_condense() -> None:
    batch = one_ranking([None, 1, None, 0, 1])
    assert batch.cut(4).judged.rank.tolist() == [2, 4]
    assert batch.cut(9) is batch
    assert batch.condensed().judged.rank.tolist() == [1, 2, 3]
    assert batch.condensed().length.tolist() == [3]
    assert batch.cut(4).condensed().length.tolist() == [2]  # cut first, then condensed, as trec_eval does


def test_a_document_twice_is_refused_with_its_line(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "twice.run"
    path.write_text("t Q0 a 1 3 x\nt Q0 b 2 2 x\n\nt Q0 a 3 1 x\n")
    with pytest.raises(InputError, match=r"twice\.run, line 4: document 'a' is retrieved twice for topic 't'"):
        rank_source(read_runs(path).sources[0], judgments(t={"a": 1}))


def test_the_same_document_in_two_topics_is_no_duplicate() -> None:
    judged = judgments(t1={"a": 1}, t2={"a": 0})
    assert ranks(run_of([("t1", "a", 1.0), ("t2", "a", 1.0)]), judged) == {("t1", "a"): 1, ("t2", "a"): 1}


def test_keys_that_collide_never_lend_a_grade(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if all documents had one of three keys, only the ids would decide."""
    judged = judgments(t={"a": 1, "b": 2, "c": 3})

    def poor_keys(self: DocumentIndex, topic: object, times: object, document: pl.Series) -> np.ndarray:
        return np.array([{"a": 1, "b": 2, "c": 3}.get(d, 2) for d in document.to_list()], np.uint64) << np.uint64(60)

    monkeypatch.setattr(DocumentIndex, "keys", poor_keys)
    run = run_of([("t", "x", 9.0), ("t", "b", 8.0), ("t", "y", 7.0), ("t", "a", 6.0)])
    assert ranks(run, judged) == {("t", "b"): 2, ("t", "a"): 4}


ids = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Z", "Cc")), min_size=1, max_size=4)


@given(
    st.lists(st.tuples(st.sampled_from("123"), ids, st.sampled_from([0.0, 0.5, 1.0, 2.0])), unique_by=lambda r: r[:2]),
    st.dictionaries(st.tuples(st.sampled_from("124"), ids), st.sampled_from([0, 1, 2]), min_size=1),
    st.sampled_from([order for order in get_args(Order) if order != "rank"]),
)
def test_as_a_slow_join_would(
    rows: list[tuple[str, str, float]], judged: dict[tuple[str, str], int], order: Order
) -> None:
    by_topic: dict[str, dict[str, float]] = {}
    for (topic, document), grade in judged.items():
        by_topic.setdefault(topic, {})[document] = grade
    everything: dict[tuple[str, str], int] = {}
    for topic in dict.fromkeys(topic for topic, _, _ in rows):
        listed = [row for row in rows if row[0] == topic]
        if order == "stable":
            listed.sort(key=lambda row: row[2], reverse=True)
        elif order != "file":
            listed.sort(key=lambda row: (row[2], row[1].encode()), reverse=True)
        everything |= {(topic, document): place for place, (_, document, _) in enumerate(listed, start=1)}
    expected = {key: place for key, place in everything.items() if key in judged}
    if rows:
        assert ranks(run_of(rows), judgments(**by_topic), order) == expected
        whole = ranked_table(Rows("r", run_of(rows)), Reading(order=order)).select("query_id", "doc_id", "rank")
        assert [((topic, document), place) for topic, document, place in whole.rows()] == [*everything.items()]
        score = {(topic, document): score for topic, document, score in rows}
        in_order = [(topic, score[topic, document], place) for (topic, document), place in everything.items()]
        assert ranked_scores(Rows("r", run_of(rows)), Reading(order=order)).rows() == in_order


grades = st.lists(st.sampled_from([None, -1.0, 0.0, 0.5, 1.0, 2.0, 3.0]), min_size=1, max_size=8)


@given(grades, st.lists(st.sampled_from([0.5, 1.0, 1.5, 2.0, 4.0]), min_size=1, max_size=3), st.integers(1, 5))
def test_a_level_has_the_same_cells_whatever_was_asked_before(
    ranking: list[float | None], levels: list[float], k: int
) -> None:
    batch = one_ranking(ranking)
    for level in levels:
        places = [place for place, grade in enumerate(ranking, 1) if grade is not None and grade >= level]
        assert batch.relevant(level).rank.tolist() == places
        assert batch.cut(k).relevant(level).rank.tolist() == [place for place in places if place <= k]
        for measure in (cf.AP(rel=level), cf.Bpref(rel=level), cf.P(rel=level) @ k):
            assert measure.score(batch).tolist() == measure.score(one_ranking(ranking)).tolist()
    graded = None not in ranking
    assert batch.judgments.all_graded == graded
    if graded:
        taken = batch.rejudged(np.full(len(ranking), np.nan))
        assert not taken.judgments.all_graded
        assert len(taken.judged) == 0
