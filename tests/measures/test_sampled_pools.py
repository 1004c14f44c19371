"""Measures of pools that were sampled by strata: by hand, against plain loops, and in the long run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from runpy import run_path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.formats import read_qrels, write_qrels

TWINS = run_path(str(Path(__file__).with_name("twins_sampled.py")))
ap_twin: Callable[..., float] = TWINS["extended_inferred_ap"]
ndcg_twin: Callable[..., float] = TWINS["inferred_ndcg"]
precision_twin: Callable[..., float] = TWINS["inferred_precision"]
recall_base_twin: Callable[..., float] = TWINS["inferred_recall_base"]

GOLDEN = Path(__file__).parents[1] / "golden"

SCHEMA = {"query_id": pl.String, "doc_id": pl.String, "relevance": pl.Int64, "stratum": pl.String}


def qrels(*rows: tuple[str, str, int, str]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), SCHEMA, orient="row")


def scores(judged: Any, ranking: Sequence[str], *measures: str | cf.Measure) -> list[float]:
    run = {"1": {document: -float(i) for i, document in enumerate(ranking)}}
    found: list[float] = cf.evaluate(judged, run, list(measures)).averages.ravel().tolist()
    return found


BY_HAND = qrels(
    ("1", "a1", 1, "top"), ("1", "a2", 0, "top"), ("1", "b1", 0, "rest"), ("1", "b2", -1, "rest"),
    ("1", "b3", 1, "rest"), ("1", "b4", -1, "rest"),
)  # fmt: skip


def test_two_strata_by_hand() -> None:
    """Of rest, 2 of 4 are judged, so that b3 stands for 2: R is 3. The list has x, which is not in the pool, at rank 2.

    b3 is at rank 5; above it stand a1 (relevant) of top, b1 (not) and b2 (not drawn) of rest.
    """
    expected = (1 + 2 * (1 / 5 + 1 / 5 * 1 / 1 + 2 / 5 * 0 / 1)) / 3
    assert scores(BY_HAND, ["a1", "x", "b1", "b2", "b3"], "xinfAP") == pytest.approx([expected], abs=1e-5)
    # Gain: 1/log2(2) for top, 3/2 · 1/log2(6) for rest; at best three documents of grade 1.
    gain = 1 + 3 / 2 / np.log2(6)
    best = 1 + 1 / np.log2(3) + 1 / np.log2(4)
    assert scores(BY_HAND, ["a1", "x", "b1", "b2", "b3"], "infNDCG") == pytest.approx([gain / best])


def test_strata_make_a_difference_that_infap_does_not_see() -> None:
    """b3 counts for two documents, a1 for one."""
    alone = [scores(BY_HAND, [document], "xinfAP", "infAP") for document in ("a1", "b3")]
    assert [value for pair in alone for value in pair] == pytest.approx([1 / 3, 1 / 2, 2 / 3, 1 / 2])


THEIRS = {
    "infAP": "xinfAP(smoothing=sample_eval)",
    "infNDCG": "infNDCG@1000",
    "iP10": "infP(smoothing=sample_eval)@10",
    "iP50": "infP(smoothing=sample_eval)@50",
    "iP1000": "infP(smoothing=sample_eval)@1000",
    "inum_rel": "infNumRel",
}
"""What the official script prints, and what that is here."""


def test_what_the_official_script_prints_is_what_we_compute() -> None:
    """All its lines by topic and on average, to its four decimals; but interpolated precision, which is not here."""
    lines = [line.split() for line in (GOLDEN / "sample_eval.out").read_text().splitlines()]
    printed = {(name, topic): value for name, topic, value in lines}
    measures = cf.parse_measures(list(THEIRS.values()))
    found = cf.evaluate(GOLDEN / "sample_eval.qrels", GOLDEN / "sample_eval.run", measures)
    for place, name in enumerate(THEIRS):
        ours = dict(zip([*found.topics, "all"], [*found.values[place, 0], found.averages[place, 0]], strict=True))
        assert {topic: f"{value:.4f}" for topic, value in ours.items()} == {
            topic: value for (theirs, topic), value in printed.items() if theirs == name
        }
    # What it prints beside: the number retrieved, that of relevant ones, and 11 levels of precision.
    rest = {name for name, _ in printed} - THEIRS.keys()
    assert {name for name in rest if not name.startswith("iprec@rec")} == {"num_ret", "inum_rel_ret"}
    for topic in (*found.topics, "all"):
        retrieved = float(printed["inum_rel_ret", topic])
        shown = float(printed["iP1000", topic]) * 1000 * (len(found.topics) if topic == "all" else 1)
        assert retrieved == pytest.approx(shown, abs=0.05 * (len(found.topics) if topic == "all" else 1))


def test_the_papers_smoothing_gives_another_number_where_nothing_was_judged_above() -> None:
    """b3 stands below b2 alone, which was not drawn: it counts as relevant to one half, or to one third."""
    ours, theirs = scores(BY_HAND, ["b2", "b3"], "xinfAP", "xinfAP(smoothing=sample_eval)")
    assert [ours, theirs] == pytest.approx([2 / 3 * (1 / 2 + 1 / 2 * 1 / 2), 2 / 3 * (1 / 2 + 1 / 2 * 1 / 3)])


documents = st.tuples(st.sampled_from("abc"), st.integers(-1, 3))


@settings(derandomize=True, database=None)
@given(st.data(), st.sampled_from([None, 2.0]), st.sampled_from([None, 3]))
def test_against_plain_loops(data: st.DataObject, rel: float | None, cutoff: int | None) -> None:
    pool = data.draw(st.lists(documents, min_size=1, max_size=12))
    ranking = data.draw(st.permutations([*range(len(pool)), *[None] * 3]))
    ranking = ranking[: data.draw(st.integers(1, len(ranking)))]
    judged = qrels(*(("1", f"d{i}", grade, stratum) for i, (stratum, grade) in enumerate(pool)))
    names = [f"x{place}" if i is None else f"d{i}" for place, i in enumerate(ranking)]
    listed = [None if i is None else pool[i] for i in ranking]
    smoothing = data.draw(st.sampled_from(["paper", "sample_eval"]))
    how: dict[str, Any] = {"rel": rel, "smoothing": smoothing}
    found = scores(
        judged, names, cf.xinfAP(**how), cf.infP(cutoff=4, **how), cf.infNumRel(rel=rel), cf.infNDCG(cutoff=cutoff)
    )
    assert found == pytest.approx(
        [
            ap_twin(listed, pool, **how),
            precision_twin(listed, 4, **how),
            recall_base_twin(pool, rel),
            ndcg_twin(listed, pool, cutoff),
        ],
        rel=1e-9, abs=1e-12,
    )  # fmt: skip


@settings(derandomize=True, database=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), min_size=1, max_size=12), st.data())
def test_where_all_is_judged_they_are_what_they_estimate(pool: list[tuple[str, int]], data: st.DataObject) -> None:
    judged = qrels(*(("1", f"d{i}", grade, stratum) for i, (stratum, grade) in enumerate(pool)))
    ranking = data.draw(st.permutations([f"d{i}" for i in range(len(pool))] + ["x", "y"]))
    xinfap, ap, infndcg, ndcg = scores(judged, ranking, "xinfAP", "AP", "infNDCG", "nDCG")
    assert xinfap == pytest.approx(ap, abs=1e-3)  # ε stands at every rank
    assert infndcg == pytest.approx(ndcg)


@settings(derandomize=True, database=None)
@given(st.lists(st.integers(-1, 2), min_size=1, max_size=12), st.data())
def test_of_one_stratum_it_is_infap(pool: list[int], data: st.DataObject) -> None:
    judged = qrels(*(("1", f"d{i}", grade, "s") for i, grade in enumerate(pool)))
    ranking = data.draw(st.permutations([f"d{i}" for i in range(len(pool))] + ["x", "y"]))
    xinfap, infap = scores(judged, ranking, "xinfAP", "infAP")
    assert xinfap == pytest.approx(infap)


def test_the_mean_over_many_samples_is_near_ap() -> None:
    """A list has a pool of 120 in any order, and 80 others at the end; 20 of the pool are judged, and 30 of the 100.

    A ratio of two estimates has a bias, which is small where relevant documents are many.
    """
    random = np.random.default_rng(7)
    names = [f"d{i}" for i in range(200)]
    ranking = [*random.permutation(names[:120]).tolist(), *names[120:]]
    grade = (random.random(120) < np.linspace(0.9, 0.2, 120)).astype(int)
    truth = scores({"1": dict(zip(names, grade.tolist(), strict=False))}, ranking, "AP")[0]
    found, plain = [], []
    for _ in range(200):
        drawn = {*range(20), *random.choice(np.arange(20, 120), 30, replace=False).tolist()}
        rows = (("1", names[i], int(grade[i]) if i in drawn else -1, "top" if i < 20 else "rest") for i in range(120))
        value, unstratified = scores(qrels(*rows), ranking, "xinfAP", "infAP")
        found.append(value)
        plain.append(unstratified)
    error = np.std(found) / np.sqrt(len(found))
    assert abs(np.mean(found) - truth) < 4 * error
    assert abs(np.mean(plain) - truth) > 10 * error  # infAP takes the sample for uniform


def test_five_columns_are_a_sample(tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text("1 0 a1 top 1\n1 0 b1 rest -1\n1 0 b2 rest 0\n")
    table = read_qrels(path)
    assert table.rows() == [("1", "a1", 1, "top"), ("1", "b1", -1, "rest"), ("1", "b2", 0, "rest")]
    for name in ("again.txt", "again.csv", "again.parquet"):
        write_qrels(table, tmp_path / name)
        assert read_qrels(tmp_path / name).rows() == table.rows()
    assert (tmp_path / "again.txt").read_text() == path.read_text()
    in_two, in_three = ({"1": {"a1": 2.0, "b2": 1.0}}, "xinfAP"), (["a1", "b2"], "xinfAP")
    assert scores(path, *in_three) == cf.evaluate(table.to_pandas(), *in_two).averages.ravel().tolist()


def test_what_stands_behind_four_columns_is_ignored_unless_it_is_labels_of_a_sample(tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    for fifth in ("1 0", "1 x", "-1 x"):
        path.write_text("".join(f"1 0 d{i} {i} {cell}\n" for i, cell in enumerate(fifth.split())))
        assert read_qrels(path).rows() == [("1", "d0", 0), ("1", "d1", 1)]


def test_a_sample_of_everything_is_written_in_four_columns(tmp_path: Path) -> None:
    """Its strata say nothing, and in five columns they would be read as grades."""
    write_qrels(qrels(("1", "a", 1, "s"), ("1", "b", 0, "t")), tmp_path / "qrels.txt")
    assert (tmp_path / "qrels.txt").read_text() == "1 0 a 1\n1 0 b 0\n"


def test_a_stratum_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(cf.InputError, match="the stratum 'the rest' does not fit TREC text"):
        write_qrels(qrels(("1", "a", -1, "the rest")), tmp_path / "qrels.txt")


def test_judgments_that_are_opened_again_keep_their_strata() -> None:
    runs = cf.join(BY_HAND, {"1": {"a1": 4.0, "x": 3.0, "b1": 2.0, "b3": 1.0}})
    again = cf.evaluate(runs.judgments.table(), {"1": {"a1": 4.0, "x": 3.0, "b1": 2.0, "b3": 1.0}}, ["xinfAP"])
    assert cf.evaluate(runs, measures=["xinfAP"]).averages.tolist() == again.averages.tolist()
    bounded = cf.evaluate(BY_HAND, {"1": {"a1": 4.0, "x": 3.0, "b3": 1.0}}, ["xinfAP"], bounds=True)
    assert bounded.averages.tolist() == [scores(BY_HAND, ["a1", "x", "b3"], "xinfAP")]


def test_a_document_of_a_sample_with_two_grades_is_refused() -> None:
    twice = qrels(("1", "a", 1, "s"), ("1", "a", 0, "s"))
    with pytest.raises(cf.InputError, match="row 2: document a of topic 1 is judged twice: 1, then 0"):
        read_qrels(twice)
