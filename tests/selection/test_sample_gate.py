"""A gate by a sample: verdicts hold however wrong the labels are, and what could not be drawn is counted and named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from scipy.stats import t

from cranfield.cli import main
from cranfield.formats import write_qrels
from cranfield.plumbing.errors import InputError, MeasureError
from cranfield.selection.candidates import Candidates
from cranfield.selection.estimates import estimate
from cranfield.selection.sample_gate import SampleGate, gate_by_sample
from cranfield.selection.sampling import uniform_sample, weighted_sample

Qrels = dict[str, dict[str, int]]
POOL = [f"d{i}" for i in range(10)]
TOPICS = [str(n) for n in range(1, 31)]
RANDOM = np.random.default_rng(8)
GRADES: Qrels = {topic: {d: int(i < 4 + RANDOM.integers(0, 3)) for i, d in enumerate(POOL)} for topic in TOPICS}
GOOD = dict.fromkeys(TOPICS, POOL[:5])
BAD = dict.fromkeys(TOPICS, POOL[4:9])
ALL = dict.fromkeys(TOPICS, POOL)
SAMPLE = weighted_sample(Candidates.gather({"good": GOOD, "all": ALL}), 6, measures="P@10")
NEW = {topic: [*POOL[:4], f"n{topic}"] for topic in TOPICS}  # a document that nobody could draw, in every topic
MORE: Qrels = {topic: {**of, f"n{topic}": 1} for topic, of in GRADES.items()}


def gated(base: Any, new: Any, measures: Any = "P@5", cheap: Any = GRADES, **how: Any) -> SampleGate:
    return gate_by_sample(Candidates.gather({"base": base, "new": new}), SAMPLE, GRADES, measures, cheap=cheap, **how)


def test_verdicts_of_runs_that_had_no_part() -> None:
    assert gated(BAD, GOOD).verdict == gated(BAD, GOOD).rows["verdict_these"][0] == "better"
    assert gated(GOOD, BAD).verdict == "worse"
    same = gated(GOOD, GOOD)
    assert (same.verdict, same.rows["difference"][0], same.passes) == ("equivalent", 0, True)
    assert gated(GOOD, GOOD, margin=0).verdict == "undecided"


@pytest.mark.parametrize("labels", [dict.fromkeys(POOL, 1), {d: 9 - i for i, d in enumerate(POOL)}])
def test_the_difference_is_that_of_estimate(labels: dict[str, int]) -> None:
    cheap = dict.fromkeys(TOPICS, labels)
    found = gated(BAD, GOOD, ["P@5", "FlatUtility"], cheap).rows
    runs = Candidates.gather({"base": BAD, "new": GOOD})
    judge = estimate(runs, SAMPLE, GRADES, ["P@5", "FlatUtility"], cheap=cheap, baseline="base", level=0.95)
    new = judge.means.filter(run="new")
    for ours, theirs in (("difference", "difference"), ("low", "difference_low"), ("high", "difference_high")):
        np.testing.assert_allclose(found[ours], new[theirs])
    values = judge.values[:, 1] - judge.values[:, 0]
    error = values.std(axis=1, ddof=1) / np.sqrt(30)
    np.testing.assert_allclose(found["like_low"], values.mean(axis=1) - t.ppf(0.975, 29) * error)
    p = np.sort(2 * t.sf(np.abs(values.mean(axis=1) / error), 29))
    np.testing.assert_allclose(sorted(found["p"]), p, rtol=1e-6)
    np.testing.assert_allclose(sorted(found["p_adjusted"]), np.maximum.accumulate(p * [2, 1]), rtol=1e-6)  # Holm


@pytest.mark.parametrize("judge", ["lies", "says the same"])
def test_intervals_hold_with_a_bad_judge(judge: str) -> None:
    """Base and new had no part in the sample, and 40 samples are drawn."""
    cheap = {topic: {d: 1 - grade if judge == "lies" else 1 for d, grade in of.items()} for topic, of in GRADES.items()}
    apart = [{topic: [*POOL[2:6], POOL[9]] for topic in TOPICS}, dict.fromkeys(TOPICS, POOL[3:8])]
    base, new = ([np.mean([GRADES[topic][d] for d in ids]) for topic, ids in of.items()] for of in apart)
    truth, held = np.mean(new) - np.mean(base), []
    runs, everything = Candidates.gather({"base": apart[0], "new": apart[1]}), Candidates.gather({"all": ALL})
    for seed in range(40):
        sample = weighted_sample(everything, 4, measures="P@10", seed=seed)
        row = gate_by_sample(runs, sample, GRADES, "P@5", cheap=cheap, margin=0.01).rows.row(0, named=True)
        held.append(row["low"] <= truth <= row["high"])
    assert np.mean(held) >= 0.87  # of 95%: by chance fewer than 35 of 40 in 1 of 70 cases


def run_file(path: Path, of: dict[str, list[str]]) -> str:
    path.write_text("".join(f"{t} Q0 {d} {i} {-i} r\n" for t, ids in of.items() for i, d in enumerate(ids, 1)))
    return str(path)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_qrels(pl.DataFrame([(t, d, g) for t, of in GRADES.items() for d, g in of.items()],
                             ["query_id", "doc_id", "relevance"], orient="row"), "qrels.txt")  # fmt: skip
    SAMPLE.write_csv("sample.csv")
    good, bad, new = (run_file(Path(f"{name}.run"), of) for name, of in
                      (("good", GOOD), ("bad", BAD), ("new", NEW)))  # fmt: skip

    def called(base: str, run: str, *options: str) -> Any:
        given = ["--sample", "sample.csv", "--cheap", "qrels.txt", "-m", "P@5", *options]
        return CliRunner().invoke(main, ["gate", "qrels.txt", base, run, *given])

    assert called(bad, good).exit_code == 0
    worse = called(good, bad, "--junit", "gate.xml", "--format", "json")
    assert (worse.exit_code, '"verdict_these"' in worse.stdout) == (1, True)
    assert 'failures="1"' in Path("gate.xml").read_text()
    undecided = called(good, new, "--documents", "to-judge.csv", "--format", "markdown")
    assert (undecided.exit_code, pl.read_csv("to-judge.csv").height) == (3, 30)
    assert "30 candidates could not be drawn" in undecided.stderr
    refused = called(good, bad, "--keep", "kept.json", "--topics", "all")
    assert (refused.exit_code, "with --sample, leave --keep and --topics out" in refused.stderr) == (2, True)
    refused = called(good, bad, "--power", "0.8")
    assert (refused.exit_code, "with --sample, leave --power out" in refused.stderr) == (2, True)
    alone = CliRunner().invoke(main, ["gate", "qrels.txt", good, bad, "--sample", "sample.csv"])
    assert (alone.exit_code, "with --sample, give --cheap, too" in alone.stderr) == (2, True)


def test_what_could_not_be_drawn_is_counted_bounded_and_named() -> None:
    found = gated(GOOD, NEW, cheap=GRADES)
    row = found.rows.row(0, named=True)
    assert (row["not_drawable"], row["unlabelled"]) == (30, 30)
    assert row["lower"] + row["higher"] == pytest.approx(1 / 5)  # a document of five in every topic, from 0 to 1
    assert found.documents.columns == ["measure", "topic", "document", "weight", "labelled", "order"]
    assert set(found.documents["document"]) == {f"n{topic}" for topic in TOPICS}
    assert "n1" in row["why"]
    assert "30 documents could not be drawn" in row["why"]


def test_what_could_not_be_drawn_is_named_by_what_it_weighs() -> None:
    """At rank 1 a document weighs 1/2 of RBP, at rank 5 only 1/32: whoever has little time judges the first."""
    new = {topic: [f"first{topic}", *POOL[:3], f"fifth{topic}"] for topic in TOPICS}
    found = gated(GOOD, new, "RBP(p=0.5)").documents
    assert found["weight"].to_list() == [1 / 2] * 30 + [1 / 32] * 30
    assert found["document"].to_list() == [
        f"{rank}{topic}" for rank in ("first", "fifth") for topic in found["topic"][:30]
    ]
    assert found["order"].to_list() == [*range(1, 61)]


def test_labels_of_what_could_not_be_drawn_decide_nothing() -> None:
    """Labels say that the new documents are relevant, which nobody can check: only the bounds count."""
    labelled = gated(BAD, NEW, cheap=MORE, margin=0.01)
    assert (labelled.rows["not_drawable"][0], labelled.rows["unlabelled"][0]) == (30, 0)
    liar = {topic: {**of, f"n{topic}": 0} for topic, of in GRADES.items()}
    trusting, wary = gated(GOOD, NEW, cheap=liar).rows, gated(GOOD, NEW, cheap=MORE).rows
    truth = [0.8 - np.mean([sum(GRADES[topic][d] for d in POOL[:5]) / 5 for topic in TOPICS]) + of / 5 for of in (0, 1)]
    for rows in (trusting, wary):
        assert rows["low"][0] <= truth[0] + 1e-9
        assert rows["high"][0] >= truth[1] - 1e-9
    assert trusting["verdict_by_labels"][0] == "worse"
    assert trusting["verdict"][0] == "worse on what was judged: undecided"
    assert "worse, if their labels mean what those of the sample mean" in trusting["why"][0]


def test_holm_over_measures_and_a_relative_margin() -> None:
    found = gated(GOOD, GOOD, ["P@5", "RBP(p=0.5)"], margin=0.02, relative=True).rows
    np.testing.assert_allclose(found["margin"], 0.02 * found["mean_base"])


def test_a_result_like_any_other() -> None:
    found = gated(GOOD, NEW)
    assert SampleGate.from_dict(found.to_dict()) == found
    assert "topics like these" in found.caption()
    assert b'<testsuite name="cranfield gate" tests="1" failures="0" errors="1">' in found.to_junit()
    verdict = "new should not replace base yet: the difference in P@5 is undecided on topics like these."
    assert found.opening() == (verdict,)
    assert str(found.render("markdown")).startswith(f"**{verdict}**\n\n| measure | base ")
    assert found.stated()["says"] == [verdict]
    assert "below 25 topics with sign flips" in replace(found, topics=24).caption()
    assert "sign flips" not in found.caption()  # of 30 topics


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"measures": "AP"}, MeasureError, "AP: with a sample the gate decides only by weighted sums over ranks"),
        ({"measures": "NumRel"}, MeasureError, "NumRel: with a sample the gate decides"),
        ({"sample": uniform_sample(Candidates.gather({"all": ALL}), 6)}, InputError, "does not list what could have"),
        ({"candidates": Candidates.gather({"one": GOOD})}, InputError, "a gate compares two runs"),
        (
            {"candidates": Candidates.gather({"a": {"77": ["a"]}, "b": {"77": ["b"]}})},
            InputError,
            "none of the sample's",
        ),
        ({"margin": 2.0}, InputError, "lets every run through"),
    ],
)
def test_what_is_wrong_is_said(change: dict[str, Any], error: type[Exception], said: str) -> None:
    asked: dict[str, Any] = {"candidates": Candidates.gather({"a": GOOD, "b": BAD}), "sample": SAMPLE}
    asked |= {"judged": GRADES, "measures": "P@5", "cheap": GRADES}
    with pytest.raises(error, match=said):
        gate_by_sample(**asked | change)


def test_a_margin_of_more_than_1_is_one_of_a_measure_that_exceeds_1() -> None:
    assert gated(GOOD, GOOD, "DCG@5", margin=2.0).verdict == "equivalent"


def test_topics_that_the_sample_lacks_are_left_out() -> None:
    more = {**GOOD, "99": ["q"]}
    found = gated(more, GOOD)
    assert found.topics == 30
    assert found.notes[0] == "left out: 1 topic of the runs without any document in the sample"


def test_among_adds_what_no_run_has() -> None:
    candidates = Candidates.gather({"x": {"2": ["b", "d"], "1": ["a"], "9": ["z"]}, "y": {"2": ["d"]}})
    listed = pl.DataFrame({"query_id": ["2", "2", "10"], "doc_id": ["a", "d", "k"]})
    found = candidates.among(listed)
    assert found.topics == ("2", "10")
    assert found.document.to_list() == ["a", "b", "d", "k"]
    assert found.topic.tolist() == [0, 0, 0, 1]
    assert found.start.tolist() == [0, 0, 1, 3, 3]
    assert (found.cell_run.tolist(), found.cell_rank.tolist()) == ([0, 1, 0], [1, 1, 2])
    assert found.length.tolist() == [[2, 0], [1, 0]]
    assert found.present.tolist() == [[True, False], [True, False]]
