"""Judges measured: leniency, the circular run, bias by kind; by hand, by twins, and on eight model judges."""

from __future__ import annotations

import tracemalloc
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import cranfield as cf
from cranfield.experiments.assessors import assessors
from cranfield.experiments.findings import Findings
from cranfield.experiments.judge_tables import (
    REPEATED,
    STATISTICS,
    _concordances,
    circular_run,
    correlated,
    crossed,
    repeated,
    statistics_of,
    with_one_more,
)
from cranfield.judged.rankings import rankings_of_order
from cranfield.plumbing.errors import InputError
from cranfield.scoring.judged_runs import join, open_qrels
from cranfield.scoring.panel import panel_of
from cranfield.selection.assessors import Labels, grades_of
from cranfield.statistics.clusters import jackknife_interval
from cranfield.statistics.concordance import concordance, mean_of_shares
from cranfield.statistics.intervals import t_interval
from cranfield.statistics.rank_correlation import tau_ap

MAIN = {"1": {"a": 2, "b": 1, "c": 0, "d": 0}, "2": {"a": 1, "b": 0}}
RUNS = {
    "one": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 2.0, "b": 1.0}},
    "two": {"1": {"c": 3.0, "b": 2.0}, "2": {"b": 1.0}},
}


def judged(folder: Path, **labels: Mapping[str, Mapping[str, float]]) -> Path:
    folder = folder / "judges"
    folder.mkdir()
    for name, of in labels.items():
        lines = [f"{topic} 0 {document} {label}" for topic, found in of.items() for document, label in found.items()]
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n")
    return folder


def statistic(found: Findings, name: str, column: str = "value") -> Any:
    return found["against_qrels"].filter(statistic=name)[column].item()


def test_leniency_by_hand(tmp_path: Path) -> None:
    files = judged(tmp_path, gpt={"1": {"a": 1, "b": 1, "c": 1, "d": 0}, "2": {"a": 2, "b": 1}})
    found = assessors(join(MAIN, RUNS), "P@1", assessors=(files,))
    assert statistic(found, "same_grade") == pytest.approx(2 / 6)
    assert statistic(found, "over_rated") == pytest.approx(3 / 6)
    assert statistic(found, "under_rated") == pytest.approx(1 / 6)
    assert statistic(found, "leniency") == pytest.approx((-1 + 1 + 1 + 1) / 6)
    # Without topic 1 it is 2/2, without topic 2 0/4.
    spread = (1 / 2 * ((1 - 1 / 2) ** 2 + (0 - 1 / 2) ** 2)) ** 0.5
    assert statistic(found, "leniency", "high") == pytest.approx(2 / 6 + stats.t.ppf(0.975, 1) * spread)
    # Of two topics Student's t says little, and no more than a share or a kappa can be.
    assert [statistic(found, name, at) for name in ("same_grade", "ac1") for at in ("low", "high")] == [0, 1, -1, 1]
    # Topic 1: of a > b, a > c, a > d, b > c, b > d two are right and three tied; topic 2: right.
    assert statistic(found, "concordance") == pytest.approx(((2 + 3 / 2) / 5 + 1) / 2)
    agreed = found["agreement"].row(0, named=True)
    for same in ("same_grade", "kappa", "weighted_kappa", "ac1", "ac2"):
        assert statistic(found, same) == pytest.approx(agreed[same])


def test_concordance_of_many_real_labels_takes_little_memory(tmp_path: Path) -> None:
    """20,000 labels, all different: a table of each label by topic and grade would have 1.6 million cells and more."""
    rng = np.random.default_rng(7)
    qrels = {str(t): {f"d{n}": int(rng.integers(4)) for n in range(1000)} for t in range(20)}
    judgments = join(qrels, {"r": {"1": ["d1"]}}).judgments
    labels = judgments.grade + rng.normal(size=len(judgments))
    tracemalloc.start()
    topics, shares = _concordances(labels, judgments)
    assert tracemalloc.get_traced_memory()[1] < 8_000_000
    tracemalloc.stop()
    assert len(topics) == 20
    first = judgments.topic == 0
    wanted, _ = concordance([[labels[first]]], [judgments.grade[first]])
    assert shares[0] == pytest.approx(np.ravel(wanted)[0])


def test_concordance_from_counts_is_that_of_pairs(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    main = {str(t): {f"d{i}": int(random.integers(0, 4)) for i in range(12)} for t in range(6)}
    labels = {t: {d: g + round(random.normal(), 1) for d, g in of.items()} for t, of in main.items()}
    found = assessors(join(main, {"r": {"0": {"d1": 1.0}}}), "P@1", assessors=(judged(tmp_path, real=labels),))
    grades = [list(of.values()) for of in main.values()]
    shares, _ = concordance([[list(of.values()) for of in labels.values()]], grades)
    for column, wanted in zip(("value", "low", "high"), mean_of_shares(shares[0]), strict=True):
        assert statistic(found, "concordance", column) == pytest.approx(float(wanted))


def test_a_single_topic_has_no_interval(tmp_path: Path) -> None:
    files = judged(tmp_path, gpt={"2": {"a": 0, "b": 1}})
    found = assessors(join(MAIN, RUNS), "P@1", assessors=(files,))
    assert found["against_qrels"]["value"].to_list()[:4] == [0, 0.5, 0.5, 0]
    assert found["against_qrels"]["low"].null_count() == len(STATISTICS) + 1
    assert found["bias"].select("bias", "bias_low", "favour").row(0) == (0.0, None, None)
    assert found["correlation"].select("tau", "rank_error", "moved", "swapped").row(0) == (-1.0, 1, "one", None)


def test_bias_by_kind_by_hand(tmp_path: Path) -> None:
    kinds = tmp_path / "kinds.tsv"
    kinds.write_text("run\tkind\none\tneural\ntwo\tlexical\n")
    files = judged(tmp_path, gpt={"1": {"a": 0, "b": 1, "c": 1, "d": 0}, "2": {"a": 1, "b": 1}})
    found = assessors(join(MAIN, RUNS), "P@1", assessors=(files,), kinds=kinds)["bias"]
    # The first document of one: by the qrels 1 1, by gpt 0 1. Of two: by the qrels 0 0, by gpt 1 1.
    columns = ["kind", "runs", "by_assessor", "by_qrels", "bias", "favour"]
    assert found.select(columns).rows() == [
        ("all", 2, 0.75, 0.5, 0.25, None),
        ("neural", 1, 0.5, 1.0, -0.5, -1.5),
        ("lexical", 1, 1.0, 0.0, 1.0, 1.5),
    ]
    low, high = (float(each[0]) for each in t_interval([[-2.0, -1.0]]))
    assert found.filter(kind="neural").select("favour_low", "favour_high").row(0) == pytest.approx((low, high))
    kinds.write_text("one neural\n")
    with pytest.raises(InputError, match="no line for run 'two'; each run needs a kind"):
        assessors(join(MAIN, RUNS), "P@1", assessors=(files,), kinds=kinds)


def test_the_circular_run_is_scored_as_if_it_were_given(tmp_path: Path) -> None:
    random = np.random.default_rng(8)
    main = {str(t): {f"d{i:02}": int(random.integers(0, 4)) for i in range(25)} for t in range(5)}
    labels = {t: {d: int(random.integers(0, 4)) for d in of} for t, of in main.items()}
    runs = {f"r{i}": {t: {d: random.random() for d in of if random.random() < 0.8} for t, of in main.items()}
            for i in range(4)}  # fmt: skip
    row = assessors(join(main, runs), "nDCG@5", assessors=(judged(tmp_path, gpt=labels),), pool=6)["circular"].row(
        0, named=True
    )
    made: dict[str, dict[str, float]] = {}
    for t in main:
        pools = [sorted(run[t], key=run[t].__getitem__, reverse=True)[:6] for run in runs.values()]
        documents = {d for pool in pools for d in pool}
        order = sorted(documents, key=lambda d: (labels[t][d], sum(d in p for p in pools), d), reverse=True)
        made[t] = {d: float(-i) for i, d in enumerate(order)}
    for by, qrels in (("qrels", main), ("assessor", labels)):
        means = cf.evaluate(qrels, {**runs, "made": made}, "nDCG@5").averages[0]
        assert row[f"by_{by}"] == pytest.approx(means[-1])
        assert row[f"place_by_{by}"] == 1 + (means > means[-1] + 1e-9).sum()
    assert row["gain"] == pytest.approx(row["by_assessor"] - row["by_qrels"])


def test_where_documents_have_costs_no_circular_run_is_made(tmp_path: Path) -> None:
    runs = join(MAIN, RUNS, costs=dict.fromkeys("abcd", 2.0))
    found = assessors(runs, "P@1", assessors=(judged(tmp_path, gpt=MAIN),))
    assert found["circular"].height == 0
    assert "the circular run left out: its documents have no costs" in found.notes


def test_swapped_pairs_against_scipy() -> None:
    random = np.random.default_rng(9)
    rows = {name: [{"run": f"r{r}", "topic": str(t), "measure": "m", "value": random.normal(s * r, 1)}
                   for r in range(6) for t in range(8)] for name, s in (("a", 0.6), ("b", -0.3))}  # fmt: skip
    one, other = (panel_of(pl.DataFrame(of)) for of in rows.values())
    [found] = correlated(one, other, {}, best=3)
    p = [(stats.ttest_rel(one.values[0, i], one.values[0, j]), stats.ttest_rel(other.values[0, i], other.values[0, j]))
         for i in range(6) for j in range(i)]  # fmt: skip
    differ = [pair for pair in p if pair[0].pvalue < 0.05]
    swapped = [pair for pair in differ if pair[1].pvalue < 0.05 and pair[0].statistic * pair[1].statistic < 0]
    assert (found["significant"], found["swapped"]) == (len(differ), len(swapped))
    assert len(swapped) > 0
    x, y = one.averages[0], other.averages[0]
    best = np.argsort(-x)[:3]
    assert found["tau_best"] == pytest.approx(stats.kendalltau(x[best], y[best]).statistic)
    assert found["rank_error"] == np.abs(stats.rankdata(-x) - stats.rankdata(-y)).max()


def test_labels_on_another_scale_are_named_and_not_translated(tmp_path: Path) -> None:
    files = judged(tmp_path, share={"1": {"a": 0.9, "b": 0.2, "c": 0.1, "d": 0}, "2": {"a": 0.3, "b": 0.1}})
    found = assessors(join(MAIN, RUNS), "P@1", assessors=(files,))
    assert found["labels"].select("same_scale", "documents", "missing", "outside").row(0) == (False, 6, 0, 5)
    assert found["against_qrels"]["statistic"].to_list() == ["concordance"]
    assert statistic(found, "concordance") == 1.0
    assert [found[name].height for name in ("agreement", "correlation", "bias", "confusion", "overall")] == [0] * 5
    circular = found["circular"].row(0, named=True)
    assert (circular["by_qrels"], circular["place_by_qrels"], circular["by_assessor"]) == (1.0, 1, None)
    assert found.notes[-1].startswith("share uses another scale than the grades 0 to 2 of the qrels: 5 of 6 labels")


def test_a_few_labels_outside_the_scale_are_no_answer() -> None:
    main = open_qrels({"1": {f"d{i}": i % 3 for i in range(200)}})
    for strange, same in ((2, True), (3, False)):
        given = np.where(np.arange(200) < strange, -1.0, main.grade)
        labels = Labels.of("gpt", main, given)
        assert labels.same_scale is same
        assert np.isnan(labels.grade).sum() == (strange if same else 200)
        assert f"{strange} of 200 labels" in labels.notes[0]
        assert np.isnan(labels.order).sum() == (strange if same else 0)


def test_whole_labels_up_to_the_highest_grade_are_on_the_scale() -> None:
    """Of grades 0 and 0.5, 1 is none; and a scale may be as long as one likes, for nobody goes through it."""
    for grades, label, outside in (
        ((0, 0.5), 1.0, 1),
        ((0, 3), 2.0, 0),
        ((0, 2.0**52), 2.0**51, 0),
        ((-2, 0), -1.0, 1),
    ):
        labels = Labels.of("gpt", open_qrels({"1": dict(zip("ab", grades, strict=True))}), np.array([label, 0.0]))
        assert labels.outside.sum() == outside


def test_topic_by_topic_by_hand(tmp_path: Path) -> None:
    labels = {"1": {"a": 1, "b": 1, "c": 1, "d": 0}, "2": {"a": 2}}
    real = {"1": {"a": 0.7, "b": 0.2, "c": 0.3}, "2": {"a": 0.5, "b": 0.1}}
    table = assessors(join(MAIN, RUNS), "P@1", assessors=(judged(tmp_path, gpt=labels, real=real),))["by_topic"]
    rows = {(row["assessor"], row["topic"]): row for row in table.to_dicts()}
    first, second = rows["gpt", "1"], rows["gpt", "2"]
    assert [first[name] for name in ("documents", "same_grade", "over_rated", "under_rated", "leniency")] == [
        4, 2 / 4, 1 / 4, 1 / 4, pytest.approx((-1 + 0 + 1 + 0) / 4),
    ]  # fmt: skip
    # By chance grade 0 meets 0 in 2/4 · 1/4, and 1 meets 1 in 1/4 · 3/4.
    assert first["kappa"] == pytest.approx((2 / 4 - 5 / 16) / (1 - 5 / 16))
    assert first["concordance"] == pytest.approx((2 + 3 / 2) / 5)
    assert [second[name] for name in ("documents", "same_grade", "kappa", "concordance")] == [1, 0.0, None, None]
    # Another scale: a is above b and c, as it should be, and b below c.
    assert rows["real", "1"]["concordance"] == pytest.approx(2 / 3)
    assert rows["real", "2"]["same_grade"] is None


def test_answers_of_one_judge_by_hand(tmp_path: Path) -> None:
    first = {"1": {"a": 1.5, "b": 1.5, "c": 0, "d": 0}, "2": {"a": 1.5, "b": 0}}
    again = {"1": {"a": 1.5, "b": 0, "c": 0, "d": 1.5}, "2": {"a": 1.5}}
    files = judged(tmp_path, **{"gpt@1": first, "gpt@2": again, "gpt": first})
    found = assessors(join(MAIN, RUNS), "P@1", assessors=(files,))["repeatability"]
    assert found.select("judge", "answer_a", "answer_b", "documents").unique().rows() == [("gpt", "gpt@1", "gpt@2", 5)]
    value = dict(found.select("statistic", "value").rows())
    assert [value[name] for name in ("same_label", "higher", "lower")] == pytest.approx([3 / 5, 1 / 5, 1 / 5])
    by_chance = (3 * 3 + 2 * 2) / 25
    assert value["kappa"] == pytest.approx((3 / 5 - by_chance) / (1 - by_chance))
    pair = np.array([[1.5, 1.5, 0, 0, 1.5], [1.5, 0, 0, 1.5, 1.5]])
    assert value["alpha_ordinal"] == pytest.approx(cf.krippendorff_alpha(pair, "ordinal"))
    same = found.filter(statistic="same_label").row(0, named=True)
    # Without topic 1 it is 1/1, without topic 2 2/4.
    spread = (1 / 2 * ((1 - 3 / 4) ** 2 + (2 / 4 - 3 / 4) ** 2)) ** 0.5
    assert same["high"] == 1 < same["value"] + stats.t.ppf(0.975, 1) * spread


def test_answers_with_many_labels_and_with_none_in_common() -> None:
    random = np.random.default_rng(3)
    one, scale, topic = random.random(300), np.arange(4.0), np.repeat(np.arange(3), 100)
    other = np.where(random.random(300) < 0.5, one, one + random.normal(size=300))
    first, second = (Labels(f"gpt@{i}", of, scale, 0) for i, of in enumerate((one, other)))
    rows: dict[str, Any] = {str(row["statistic"]): row["value"] for row in repeated("gpt", first, second, topic)}
    shares = [(one == other).mean(), (other > one).mean(), (other < one).mean()]
    assert [rows[name] for name in REPEATED[:3]] == pytest.approx(shares)
    assert np.isnan([rows["kappa"], rows["alpha_ordinal"]]).all()
    apart = Labels("gpt@2", np.full(300, np.nan), scale, 300)
    assert {row["value"] for row in repeated("gpt", first, apart, topic)} == {None}


def test_leaderboards_are_those_of_the_judgments(tmp_path: Path) -> None:
    labels = {"1": {"a": 0, "b": 1, "c": 2, "d": 0}, "2": {"a": 1, "b": 1}}
    found = assessors(join(MAIN, RUNS), "nDCG@2", assessors=(judged(tmp_path, gpt=labels),))
    board = found["leaderboards"]
    assert board.select("run", "circular").rows() == [("one", False), ("two", False), ("(sorted by labels)", True)]
    for column, qrels in {"by_assessor": labels, "by_qrels": MAIN}.items():
        wanted = cf.evaluate(qrels, RUNS, "nDCG@2").means["value"].to_list()
        assert board[column].to_list()[:2] == pytest.approx(wanted)
    assert board["place_by_assessor"].to_list()[2] == found["circular"]["place_by_assessor"].item() == 1


def test_a_judge_on_another_scale_may_come_first(tmp_path: Path) -> None:
    """It has no scores, and what has none comes before what has."""
    files = judged(tmp_path, gpt=MAIN, a_real={"1": {"a": 0.7, "b": 0.2}})
    found = assessors(join(MAIN, RUNS), "P@1", assessors=(files,))
    assert found["circular"].select("assessor", "place_by_assessor").rows() == [("a_real", None), ("gpt", 1)]
    assert found["leaderboards"]["assessor"].unique().to_list() == ["gpt"]


def test_alpha_has_intervals_too(tmp_path: Path) -> None:
    files = judged(tmp_path, gpt={"1": {"a": 1, "b": 1, "c": 1, "d": 0}, "2": {"a": 2, "b": 1}})
    found = assessors(join(MAIN, RUNS), "P@1", assessors=(files,))
    agreed = found["agreement"].row(0, named=True)
    for name in ("alpha_nominal", "alpha_ordinal"):
        assert statistic(found, name) == pytest.approx(agreed[name])
        assert statistic(found, name, "low") < statistic(found, name) < statistic(found, name, "high")


@pytest.mark.integration
def test_eight_model_judges(data: Path) -> None:
    folder = data / "dl19-passage"
    runs = join(folder / "qrels.txt", [*(folder / "runs").iterdir(), *(folder / "runs-extra").iterdir()])
    measures = ("P(rel=2)@10", "nDCG@10")
    found = assessors(runs, measures, assessors=(folder / "model-judges",))
    value = dict(found["against_qrels"].filter(assessor="umbrela-gpt4").select("statistic", "value").rows())
    assert {name: round(value[name], 3) for name in ("same_grade", "leniency")} == {
        "same_grade": 0.555,
        "leniency": 0.207,
    }
    orders = found["correlation"].filter(assessor_a="qrels", assessor_b="umbrela-gpt4")
    assert orders["tau"].round(3).to_list() == [0.848, 0.823]
    # Down the judge's order NIST's is the truth; down NIST's order, the judge's: .725.
    gpt4 = found["leaderboards"].filter(~pl.col("circular"), assessor="umbrela-gpt4", measure="nDCG@10")
    other_way = tau_ap(gpt4["by_qrels"].to_numpy(), gpt4["by_assessor"].to_numpy())
    assert (orders["tau_ap"].round(3).to_list()[1], round(float(other_way), 3)) == (0.73, 0.725)
    alike = found["orders"].filter(assessor="umbrela-gpt4", measure="nDCG@10")
    assert alike["value"].round(3).to_list() == [0.823, 0.73, 0.952, 0.9]
    assert alike.select("runs", "topics").unique().rows() == [(61, 43)]
    assert (alike["low"] < alike["value"]).all() and (alike["runs_low"] < alike["value"]).all()
    kept = found["pairs"].filter(assessor="umbrela-gpt4", measure="nDCG@10").row(0, named=True)
    assert (kept["significant"], kept["kept"], kept["lost"], kept["reversed"]) == (1081, 1010, 71, 0)
    row = found["circular"].filter(assessor="umbrela-gpt4", measure="P(rel=2)@10").row(0, named=True)
    assert (round(row["by_assessor"], 3), row["place_by_assessor"]) == (0.921, 1)
    assert (round(row["by_qrels"], 3), row["place_by_qrels"]) == (0.688, 5)
    assert row["favour_low"] > 0.05
    # Ties broken by id alone, the first one first, make another run: the 13th.
    labels, _ = grades_of(runs.judgments, open_qrels(str(folder / "model-judges" / "umbrela-gpt4.txt.gz")))
    some = np.sort(circular_run(runs, labels, 10).judgment)
    by_id = np.argsort(runs.judgments.document.arg_sort().to_numpy())[some]
    order = some[np.lexsort((by_id, -labels[some], runs.judgments.topic[some]))]
    means = with_one_more(runs, rankings_of_order("by id", runs.judgments, order)).panel(measures[0]).means[0]
    assert (round(means[-1], 3), 1 + (means > means[-1] + 1e-9).sum()) == (0.656, 13)
    scale = dict(found["labels"].select("assessor", "same_scale").rows())
    assert [name for name, same in scale.items() if not same] == [
        "exam-max-gpt4", "exam-mean-gpt4o", "nuggets-weighted-gpt4o",
    ]  # fmt: skip
    assert "documents without a label left out: binary-gpt4 (2), binary-gpt4o (4)" in " ".join(found.notes)


def test_33_judges_of_llmjudge(data: Path) -> None:
    folder = data / "llmjudge-2024"
    main = open_qrels(str(folder / "qrels.txt"))
    same: dict[str, float] = {}
    notes: list[str] = []
    for file in sorted((folder / "labels").iterdir()):
        labels = Labels.of(file.name.partition(".")[0], main, grades_of(main, open_qrels(str(file)))[0])
        same[labels.name] = float((labels.grade == main.grade).mean())
        notes += labels.notes
    assert len(same) == 33
    assert (round(same["TREMA-nuggets"], 2), round(same["willia-umbrela3"], 2)) == (0.37, 0.54)
    assert (min(same, key=same.__getitem__), max(same, key=same.__getitem__)) == ("TREMA-nuggets", "willia-umbrela3")
    assert [note for note in notes if "left out" in note] == [
        "RMITIR-llama70B: 2 of 4,423 labels are none of the grades 0 to 3 of the qrels (5): left out",
        "h2oloo-zeroshot2: 1 of 4,423 labels are none of the grades 0 to 3 of the qrels (10): left out",
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("topics", "least"), [(43, 0.9), (10, 0.86), (5, 0.82)])
def test_intervals_hold_for_topics_drawn_again(topics: int, least: float, data: Path) -> None:
    folder = data / "dl19-passage"
    runs = join(folder / "qrels.txt", [*(folder / "runs").iterdir(), *(folder / "runs-extra").iterdir()])
    main, random, scale = runs.judgments, np.random.default_rng(3), np.arange(4.0)
    for name in ("umbrela-gpt4", "umbrela-gpt4o", "binary-gpt4o"):
        labels, _ = grades_of(main, open_qrels(str(folder / "model-judges" / f"{name}.txt.gz")))
        both = ~np.isnan(labels)
        counts = crossed(main.topic[both], main.grade[both], labels[both], scale, scale)
        more = with_one_more(runs, circular_run(runs, labels, 10))
        by_qrels, by_judge = (more.panel(["P@10", "nDCG@10"], grade).values for grade in (main.grade, labels))
        gain = by_judge - by_qrels
        others = gain[:, :-1].mean(axis=1)
        lines = np.concatenate([others, gain[:, -1], gain[:, -1] - others])
        size = len(counts)
        truth = np.array(statistics_of(counts.sum(axis=0), scale, "linear"))
        held: list[list[bool]] = []
        for _ in range(300):
            picks = random.integers(0, size, topics)
            some = counts[picks]
            limits = jackknife_interval(
                lambda drawn, some=some: statistics_of(np.tensordot(drawn, some, 1), scale, "linear"),  # type: ignore[misc]
                topics,
            )
            low, high = (np.append(a, b) for a, b in zip(limits, t_interval(lines[:, picks]), strict=True))
            aim = np.append(truth, lines.mean(axis=1))
            held.append(((low <= aim + 1e-9) & (aim <= high + 1e-9)).tolist())
        assert np.mean(held, axis=0).min() > least - 0.03, name
