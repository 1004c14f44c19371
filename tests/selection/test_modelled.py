"""Modelled ratios: exact when all was drawn, the same as plain loops when not, and no interval where none holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import cranfield as cf
from cranfield.measures.framework.names import parse_measure
from cranfield.plumbing.errors import MeasureError
from cranfield.selection.candidates import Candidates
from cranfield.selection.estimates import LabelledSample, estimate, with_cheap_labels
from cranfield.selection.modelled import RATIOS, RankedCells, modelled
from cranfield.selection.sampling import prior_sample, uniform_sample, weighted_sample

Qrels = dict[str, dict[str, int]]
MEASURES = ["AP", "AP(rel=2)@4", "nDCG@3", "nDCG", "nCG@5", "R@3", "R(rel=2)@6", "Bpref", "Bpref(rel=2)"]
POOL = [f"d{i:02}" for i in range(24)]
RANDOM = np.random.default_rng(3)
TOPICS = [str(n) for n in range(1, 9)]
RUNS = {run: {topic: [POOL[i] for i in RANDOM.permutation(24)[:size]] for topic in TOPICS}
        for run, size in (("x", 10), ("y", 6), ("z", 24))}  # fmt: skip
GRADES: Qrels = {topic: {d: int(RANDOM.choice(4, p=[0.6, 0.2, 0.1, 0.1])) for d in POOL} for topic in TOPICS}
GRADES["8"] = dict.fromkeys(POOL, 0)
GRADES["7"]["d03"] = -1
LABELS: Qrels = {topic: {d: max(int(grade > 1), int(RANDOM.random() < 0.2)) for d, grade in of.items()}
                 for topic, of in GRADES.items()}  # fmt: skip
CANDIDATES = Candidates.gather(RUNS)


def known(sample: pl.DataFrame, grades: Qrels = GRADES) -> LabelledSample:
    return with_cheap_labels(CANDIDATES, sample, grades, LABELS, 3)


def test_a_full_sample_is_the_full_judgment() -> None:
    found = estimate(CANDIDATES, weighted_sample(CANDIDATES, 24, measures="DCG"), GRADES, MEASURES, cheap=LABELS,
                     top_grade=3, baseline="z")  # fmt: skip
    np.testing.assert_allclose(found.values, cf.evaluate(GRADES, RUNS, MEASURES).values, atol=1e-12)
    assert found.means["high"].to_numpy() - found.means["low"].to_numpy() == pytest.approx(0, abs=1e-12)


def plain(of: LabelledSample, topic: str, run: str, measure: str) -> float:
    """A ratio from its definition, each document being what it is completed to."""
    ids = pl.DataFrame({"t": pl.Series(of.candidates.topics).gather(of.candidates.topic), "d": of.candidates.document})
    judge = of.judge(parse_measure(measure))

    def by_document(values: Any) -> dict[str, float]:
        table = ids.with_columns(y=judge.completed(np.asarray(values, float))).filter(t=topic)
        return dict(table.select("d", "y").rows())

    grades, ranked = of.drawn.judgments.grade, RUNS[run][topic]
    mine = grades[of.drawn.judgments.topic == of.candidates.topics.index(topic)]
    y = by_document(grades > 0)
    base = max(sum(y.values()), float((mine > 0).sum()), 1.0)
    if measure == "AP":
        return sum(y[d] * (1 + sum(y[e] for e in ranked[:i])) / (i + 1) for i, d in enumerate(ranked)) / base
    if measure == "R@3":
        return float(sum(y[d] for d in ranked[:3]) / base)
    if measure == "Bpref":
        vain = by_document(grades == 0)
        comparable = min(max(sum(vain.values()), float((mine == 0).sum()), 1.0), base)
        above = [min(max(sum(vain[e] for e in ranked[:i]), 0.0), base) for i in range(len(ranked))]
        return sum(y[d] * (1 - n / comparable) for d, n in zip(ranked, above, strict=True)) / base
    gain = by_document(np.maximum(grades, 0))
    counts: list[float] = []
    ideal, filled = 0.0, 0.0
    for step in (3, 2, 1):
        reached = max(sum(by_document(grades >= step).values()), float((mine >= step).sum()))
        reached = max(reached, 1.0) if step == 1 else reached  # some document is relevant
        counts.append(max([reached, *counts]))
        upto = min(counts[-1], 3.0)
        for rank in range(3):  # the part of each rank that documents of this grade fill
            ideal += step * max(min(upto, rank + 1) - max(filled, rank), 0) / np.log2(rank + 2)
        filled = upto
    return float(sum(gain[d] / np.log2(i + 2) for i, d in enumerate(ranked[:3])) / ideal)


@pytest.mark.parametrize("measure", ["AP", "R@3", "Bpref", "nDCG@3"])
def test_against_plain_loops(measure: str) -> None:
    of = known(prior_sample(CANDIDATES, 10))
    judge = of.judge(parse_measure(measure))
    found = RATIOS[str(judge.measure.estimator)](judge, RankedCells.of(of.candidates, judge.measure)).reshape(3, -1)
    for r, run in enumerate(RUNS):
        expected = [plain(of, topic, run, measure) for topic in of.candidates.topics]
        np.testing.assert_allclose(found[r], expected, atol=1e-12)


def test_a_perfect_judge_leaves_an_interval_for_what_may_be_unseen() -> None:
    sample = weighted_sample(CANDIDATES, 20, measures="DCG")
    found = estimate(CANDIDATES, sample, GRADES, ["AP", "P@3"], cheap=GRADES, baseline="x")
    chance = sample.filter(drawn=1)["probability"].to_numpy()
    least = np.sqrt(2 * (1 - chance).mean()) / 8  # two disagreements, each of which changes AP of a topic by 1
    assert found.means.filter(measure="AP")["standard_error"].min() >= least - 1e-12
    assert found.judge is not None
    assert found.judge.differences is not None
    assert found.judge.differences[0, 0].tolist() == [0, 0, 0]


def test_differences_are_those_of_the_jackknife() -> None:
    of = known(prior_sample(CANDIDATES, 12))
    judge = of.judge(parse_measure("AP"))
    found = modelled(judge, 7, 1)
    again = modelled(judge, 7)
    np.testing.assert_array_equal(found.values, again.values)
    assert again.differences is None
    assert found.differences is not None
    assert (found.differences[[0, 2]] > 0).all()


def test_modelled_is_said() -> None:
    found = estimate(CANDIDATES, prior_sample(CANDIDATES, 20), GRADES, ["P@3", "AP", "R@3"], cheap=LABELS)
    assert found.means["kind"].to_list()[:3] == ["unbiased", "modelled", "modelled"]
    assert found.judge is not None
    assert found.judge.modelled == ("AP", "R@3")
    assert "modelled: AP and R@3" in " ".join(found.notes)
    assert '"modelled"' in str(found.render("json"))
    assert "sound" not in " ".join([*found.notes, found.caption(), str(found)])
    assert found.means["low"].null_count() == 0
    assert type(found).from_dict(found.to_dict()) == found


@pytest.mark.parametrize(
    ("sample", "said"),
    [
        (uniform_sample(CANDIDATES, 20), "no interval of AP: the sample is uniform"),
        (prior_sample(CANDIDATES, 10), "no interval of AP: 10 documents of a topic were drawn"),
    ],
)
def test_no_interval_where_none_holds(sample: pl.DataFrame, said: str) -> None:
    found = estimate(CANDIDATES, sample, GRADES, ["AP"], cheap=LABELS, baseline="x")
    assert any(note.startswith(said) for note in found.notes)
    numbers = found.means.select("standard_error", "low", "high", "like_low", "like_high", "difference_low")
    assert sum(numbers.null_count().row(0)) == 6 * 3
    assert found.means["value"].null_count() == found.means["difference"].null_count() == 0


def test_what_cannot_be_drawn_leaves_no_interval() -> None:
    sample = weighted_sample(Candidates.gather({"x": RUNS["x"]}), 10, measures="DCG")
    found = estimate(CANDIDATES, sample, GRADES, "AP", cheap=LABELS)
    assert any("could not be drawn" in note for note in found.notes if note.startswith("no interval of AP"))


def test_ratios_from_the_sample_alone_are_what_they_were() -> None:
    with pytest.raises(MeasureError, match="R@3: modelled with cheap labels alone"):
        estimate(CANDIDATES, prior_sample(CANDIDATES, 10), GRADES, "R@3")
