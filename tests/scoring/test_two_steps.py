"""The two steps that engines carry batches to: pure, picklable, and the same as evaluate()."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from tools.each import each_of

import cranfield as cf
from cranfield.judged.conditions import Grading, Reading
from cranfield.judged.joining import RepeatedDocumentError, Rows, rank
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings
from cranfield.scoring.blocks import Block, score
from cranfield.scoring.engines.local import with_retrieved

QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1}, "3": {"z": 0}}
RUNS = {
    "one": {"1": {"b": 3.0, "x": 2.5, "a": 2.0}, "2": {"a": 1.0}},
    "two": {"1": {"c": 3.0, "x": 2.0}, "9": {"q": 1.0}},
}
MEASURES = cf.parse_measures(["AP", "nDCG@10", "RBP(p=0.5)", "ESL", "relstring"])


def steps(reading: Reading, grading: Grading) -> list[Block]:
    """Take both steps run by run, everything pickled in between, as another engine would."""
    judgments = Judgments(cf.read_qrels(QRELS))
    if grading.bounds:  # what there is to judge is a fact of the whole collection
        judgments = with_retrieved(cf.read_runs(RUNS).sources, judgments, reading)
    judgments = pickle.loads(pickle.dumps(judgments))  # noqa: S301
    blocks: list[Block] = []
    for name, run in RUNS.items():
        rows = pickle.loads(pickle.dumps(Rows(name, cf.read_run(run))))  # noqa: S301
        ranked = pickle.loads(pickle.dumps(rank(rows, judgments, reading)))  # noqa: S301
        blocks.append(pickle.loads(pickle.dumps(score(ranked, MEASURES, grading))))  # noqa: S301
    return blocks


@each_of("reading", [Reading(), Reading(depth=2), Reading(missing="empty"), Reading(order="file")])
@each_of("grading", [Grading(), Grading(rel=2), Grading(judged_only=True), Grading(bounds=True)])
def test_the_steps_are_what_evaluate_does(reading: Reading, grading: Grading) -> None:
    asked = {"depth": reading.depth, "missing": reading.missing, "order": reading.order}
    more = {"rel": grading.rel, "judged_only": grading.judged_only, "bounds": grading.bounds}
    scores = cf.evaluate(QRELS, RUNS, MEASURES, **asked, **more)  # type: ignore[arg-type]
    for r, block in enumerate(steps(reading, grading)):
        assert block.runs == scores.runs[r : r + 1]
        assert (block.values == scores.values[:, r : r + 1]).all()
        assert (block.present == scores.present[r : r + 1]).all()
        assert block.audits == scores.audit.runs[r : r + 1]
        assert [text.tolist() for text in block.texts.values()] == [
            text[r : r + 1].tolist() for text in scores.texts.values()
        ]
        if scores.limits is not None:
            assert np.array_equal(np.asarray(block.limits), scores.limits[:, :, r : r + 1])


def test_rankings_put_together_are_what_they_were_alone() -> None:
    judgments = Judgments(cf.read_qrels(QRELS))
    alone = [rank(Rows(name, cf.read_run(run)), judgments) for name, run in RUNS.items()]
    both = JudgedRankings.batch(alone)
    assert both.runs == ("one", "two")
    assert both.audits == alone[0].audits + alone[1].audits
    for r, ranked in enumerate(alone):
        again = both.only(r)
        for name in ("length", "present", "row", "rank", "judgment"):
            assert np.array_equal(getattr(again, name), getattr(ranked, name))
        assert again.audits == ranked.audits


def test_the_audit_is_of_the_whole_run_whatever_is_looked_at() -> None:
    judgments = Judgments(cf.read_qrels(QRELS))
    whole = rank(Rows("one", cf.read_run(RUNS["one"])), judgments)
    part = rank(Rows("one", cf.read_run(RUNS["one"])), judgments, Reading(depth=1, missing="empty"))
    assert part.audits == whole.audits
    [audit] = whole.audits
    assert (audit.retrieved, audit.missing, audit.unjudged[0]) == (4, ("3",), 1 / 4)
    assert part.length.tolist() == [1, 1, 0]
    assert part.present.all()


def test_facts_of_the_collection_never_come_from_a_batch() -> None:
    """The second run has no document of grade 2, but gains are halves of it all the same."""
    judgments = Judgments(cf.read_qrels(QRELS))
    block = score(rank(Rows("two", cf.read_run(RUNS["two"])), judgments), cf.parse_measures("RBP(p=0.5)"))
    assert block.values.tolist() == [[[1 / 2 * 1 / 2, 0.0, 0.0]]]


def test_a_repeated_document_is_refused_though_the_file_is_not_known() -> None:
    run = cf.read_run([("1", "a", 2.0), ("1", "b", 1.0), ("1", "a", 0.5)])
    with pytest.raises(RepeatedDocumentError, match="bm25: document 'a' is retrieved twice for topic '1'"):
        rank(Rows("bm25", run), Judgments(cf.read_qrels(QRELS)))
