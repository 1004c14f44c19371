"""Figures that others published or compute for real runs come out to the last digit."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import pytrec_eval

import cranfield as cf
from cranfield.measures import Measure

Golden = tuple[str, str, str, list[str], dict[str, Any]]

# trec_eval's own tests (its Makefile), made by version 10, which rounds recall levels otherwise
# than version 9.
GOLDEN: list[Golden] = [
    ("out.test.a", "qrels.test", "results.test", ["all_trec10"], {}),
    ("out.test.aq", "qrels.test", "results.test", ["all_trec10"], {"per_topic": True}),
    ("out.test.aqc", "qrels.test", "results.trunc", ["all_trec10"], {"per_topic": True}),
    ("out.test.aqcM", "qrels.test", "results.trunc", ["all_trec10"], {"per_topic": True, "depth": 100}),
    ("out.test.aql", "qrels.rel_level", "results.test", ["all_trec10"], {"per_topic": True, "rel": 2}),
    (
        "out.test.meas_params",
        "qrels.test",
        "results.test",
        [
            *("iprec_at_recall..10,.20,.25,.75,.50", "P.5,7,3", "recall.20,2000", "Rprec_mult.5.0,0.2,0.35"),
            *("utility.2,-1,0,0", "11pt_avg..25,.5,.75", "ndcg.1=3,2=9,4=4.5", "ndcg_cut.10,20,23.4", "success.2,5,20"),
        ],
        {"per_topic": True},
    ),
]


def as_trec10(measure: Measure) -> Measure:
    """Return the measure with trec_eval 10's rounding, where it rounds."""
    return type(measure)(**{**measure.given, "rounding": "trec10"}) if "rounding" in measure.parameters else measure


@pytest.mark.parametrize("golden", GOLDEN, ids=[golden[0] for golden in GOLDEN])
def test_trec_eval_prints_the_same(data: Path, golden: Golden) -> None:
    output, qrels, run, names, options = golden
    folder = data / "trec_eval-tests"
    measures = [as_trec10(measure) for measure in cf.parse_measures(names)]
    if output == "out.test.aql":  # made with -m all_trec -m relstring.20, of which the second changes the first
        measures = [measure @ 20 if measure.trec == "relstring" else measure for measure in measures]
    per_topic = bool(options.get("per_topic"))
    scores = cf.evaluate(
        folder / qrels, folder / run, measures, order="trec9", **{k: v for k, v in options.items() if k != "per_topic"}
    )
    ours = str(scores.render("trec_eval", per_topic=per_topic)).splitlines()
    theirs = [line for line in (folder / output).read_text().splitlines() if line]
    if output == "out.test.aql":
        # With grades above 1 its RBP depends on memory that nobody set, and its residual leaves out
        # the tail of a list whose documents are all judged, and takes a negative grade for no
        # judgment.
        ours, theirs = ([line for line in lines if not line.startswith("rbp")] for lines in (ours, theirs))
    assert ours == theirs


def test_official_set_of_trec_eval_9(data: Path) -> None:
    """Version 9 differs from the golden output of version 10 in the two recall levels that it rounds otherwise."""
    folder = data / "trec_eval-tests"
    scores = cf.evaluate(folder / "qrels.test", folder / "results.test", "official", order="trec9")
    ours = str(scores.render("trec_eval")).splitlines()
    theirs = [line for line in (folder / "out.test").read_text().splitlines() if line]
    assert len(ours) == len(theirs)
    differing = {line.split()[0] for a, b in zip(ours, theirs, strict=True) if a != b for line in (a, b)}
    assert differing == {"iprec_at_recall_0.10", "iprec_at_recall_0.60"}
    assert ours[0] == "runid                 \tall\tSTANDARD"


NIST = ["official", "ndcg", "ndcg_cut", "recall"]


def published(data: Path, collection: str, section: str | None) -> pl.DataFrame:
    """Return NIST's figures: run, measure, value as printed."""
    table = pl.read_csv(data / collection / "official" / "summary.tsv", separator="\t", infer_schema=False)
    return table if section is None else table.filter(pl.col("section") == section)


def differences(table: pl.DataFrame, scores: cf.Scores) -> list[tuple[str, str, float, float]]:
    """Return the published figures that ours, printed with four decimals, are not."""
    ours = {
        (run, measure.trec_name()): scores.averages[m, r]
        for m, measure in enumerate(scores.measures)
        for r, run in enumerate(scores.runs)
    }
    both = [
        row for row in table.select("run", "measure", pl.col("value").cast(pl.Float64)).iter_rows() if row[:2] in ours
    ]
    assert {run for run, _, _ in both} == set(scores.runs)
    return [(*row, ours[row[:2]]) for row in both if float(f"{ours[row[:2]]:.4f}") != row[2]]


def test_nist_figures_of_the_deep_learning_track(data: Path) -> None:
    folder = data / "dl19-passage"
    scores = cf.evaluate(folder / "qrels.txt", folder / "runs/*.gz", NIST)
    assert scores.conditions.reading.order == "trec9"  # without it, TUA1-1 would have a map of 0.4724 instead of 0.4723
    assert len(scores.runs) == 37
    assert differences(published(data, "dl19-passage", "trec_eval"), scores) == []


def test_nist_figures_with_a_level(data: Path) -> None:
    """The section of binary measures at grade 2, with nDCG on the grades as they are."""
    folder = data / "dl19-passage"
    scores = cf.evaluate(folder / "qrels.txt", folder / "runs/*.gz", NIST, rel=2)
    assert differences(published(data, "dl19-passage", "passages-eval"), scores) == []


def test_nist_figures_of_trec8(data: Path) -> None:
    folder = data / "trec8-adhoc"
    scores = cf.evaluate(folder / "qrels.txt", folder / "runs/*.gz", "official")
    assert len(scores.runs) == 15
    assert differences(published(data, "trec8-adhoc", None), scores) == []


def test_official_interpolated_precision_is_that_of_a_fused_multiply_add(data: Path) -> None:
    """By topic: ours but where 0.3 or 0.7 of R, and 0.9, are added in one step with one rounding. Then all are equal.

    0.7 of 53 documents are 37.1, and with 0.9 that is 38, or just below it. The number that one step gives is asked
    for as the recall of so many documents.
    """
    folder = data / "dl19-passage"
    table = pl.read_csv(folder / "official/per_topic_trec_eval.tsv.gz", separator="\t", infer_schema=False)
    at = "iprec_at_recall_"
    table = table.filter(
        (pl.col("tool") == "treceval") & (pl.col("topic") != "all") & pl.col("measure").str.starts_with(at)
    )
    levels = [i / 10 for i in range(11)]
    relevant = cf.read_qrels(folder / "qrels.txt").filter(pl.col("relevance") > 0)["query_id"].value_counts()
    fused = {
        (level, topic): math.floor(float(Fraction(level) * base + Fraction(0.9))) / base
        for topic, base in relevant.iter_rows()
        for level in levels
        if math.floor(float(Fraction(level) * base + Fraction(0.9))) != math.floor(level * base + 0.9)
    }
    assert {(level, topic) for level, topic in fused} == {(0.3, "1113437"), (0.7, "146187"), (0.7, "182539")}
    asked = sorted({*levels, *fused.values()})
    scores = cf.evaluate(
        folder / "qrels.txt", [folder / f"runs/{run}.gz" for run in sorted(set(table["run"]))],
        [cf.IPrec(recall=level) for level in asked], order="trec9",
    )  # fmt: skip
    run_at, topic_at = ({name: i for i, name in enumerate(names)} for names in (scores.runs, scores.topics))
    differing = []
    for run, measure, topic, value in table.select("run", "measure", "topic", "value").iter_rows():
        level = float(measure.removeprefix(at))
        plain, one_step = (
            f"{scores.values[asked.index(each), run_at[run], topic_at[topic]]:.4f}"
            for each in (level, fused.get((level, topic), level))
        )
        assert one_step == value
        differing += [measure] if plain != value else []
    assert table.height == 36 * 43 * 11
    assert {name: differing.count(name) for name in differing} == {f"{at}0.30": 6, f"{at}0.70": 29}


def test_published_figures_of_trec_covid(data: Path) -> None:
    """At depth 100 these three stand; run BERT has its published RBP only if scores are compared in 32 bits."""
    folder = data / "covid-round1"
    rbp = "RBP(p=0.5,gains={0:0,1:0.5,2:1})"
    scores = cf.evaluate(folder / "qrels.txt", folder / "runs/*.gz", ["nDCG@10", "P@5", rbp], order="trec9")
    assert len(scores.runs) == 143
    board = pl.read_csv(folder / "official" / "leaderboard.csv")
    columns = {"ndcg@10": 0, "p@5": 1, "RBP(p=.5)": 2}
    place = {run: i for i, run in enumerate(scores.runs)}
    wrong = [
        (row["run"], column, row[column], scores.averages[m, place[row["run"]]])
        for row in board.iter_rows(named=True)
        for column, m in columns.items()
        if float(f"{scores.averages[m, place[row['run']]]:.4f}") != row[column]
    ]
    assert board.height == 143
    assert wrong == []
    in_64_bits = cf.evaluate(folder / "qrels.txt", folder / "runs/BERT.gz", rbp)
    assert f"{in_64_bits.averages[0, 0]:.4f}" == "0.1646"


@pytest.mark.parametrize(
    ("collection", "runs"),
    [
        ("dl19-passage", "runs-extra/*.gz"),
        pytest.param("dl19-passage", "runs/*.gz", marks=pytest.mark.integration),
        pytest.param("trec8-adhoc", "runs/*.gz", marks=pytest.mark.integration),
        pytest.param("covid-round1", "runs/*.gz", marks=pytest.mark.integration),
    ],
)
def test_every_topic_agrees_with_pytrec_eval(data: Path, collection: str, runs: str) -> None:
    """Every measure both have, every run, every topic."""
    folder = data / collection
    qrels = cf.read_qrels(folder / "qrels.txt")
    theirs_qrels: Any = cf.formats.to_dict(qrels)
    measures = [measure for measure in cf.parse_measures("all_trec") if not measure.text]
    evaluator = pytrec_eval.RelevanceEvaluator(theirs_qrels, pytrec_eval.supported_measures)
    tables = cf.read_runs(folder / runs)
    scores = cf.evaluate(qrels, tables, measures, order="trec9")
    labels = [_trec_label(measure) for measure in measures]
    compared: set[str] = set()
    for r, name in enumerate(scores.runs):
        theirs = evaluator.evaluate(cf.formats.to_dict(tables[name]))
        for t, topic in enumerate(scores.topics):
            if topic not in theirs:
                assert not scores.present[r, t]
                continue
            both = [i for i, label in enumerate(labels) if label in theirs[topic]]
            compared.update(labels[i] for i in both)
            expected = [theirs[topic][labels[i]] for i in both]
            message = f"{name}, topic {topic}"
            np.testing.assert_allclose(scores.values[both, r, t], expected, rtol=0, atol=1e-6, err_msg=message)
    assert len(compared) >= 85


def _trec_label(measure: Measure) -> str:
    """Geometric means are of the plain measure's values; pytrec_eval gives one topic's logarithm for them."""
    return {"gm_map": "map", "gm_bpref": "bpref"}.get(measure.trec_name(), measure.trec_name())


def test_average_precision_agrees_with_the_published_matrix(data: Path) -> None:
    """AP by topic of the TREC-8 runs, as others computed it."""
    scores = cf.evaluate(data / "trec8-adhoc" / "qrels.txt", data / "trec8-adhoc" / "runs/*.gz", "AP")
    matrix = pl.read_csv(data / "score-matrices" / "adhoc8_ap.csv.gz")
    columns = pl.read_csv(data / "score-matrices" / "columns.tsv", separator="\t", infer_schema=False)
    column = dict(columns.filter(pl.col("collection") == "adhoc8").select("run", "column").iter_rows())
    by_topic = np.argsort(scores.topics)
    for r, run in enumerate(scores.runs):
        # The matrix has two or four digits of small values: compare to what it prints.
        np.testing.assert_allclose(scores.values[0, r, by_topic], matrix[f"run{column[run]}"], rtol=0, atol=0.5001e-4)
