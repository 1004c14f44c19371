"""Chunks scored by the evidence in them: by hand, by a slow twin on sets of characters, by what must not change."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.each import each_of

import cranfield as cf
from cranfield.judged.chunks import Ruler
from cranfield.measures.evidence import (
    EvidenceCost,
    EvidenceIoU,
    EvidencenDCG,
    EvidenceP,
    EvidenceR,
    OfChunks,
    measures_of_chunks,
)
from cranfield.measures.framework.measure import UNRANKED
from cranfield.plumbing.arrays import Floats
from cranfield.scoring.evidence import EVIDENCE_MEASURES

Span = tuple[str, int, int, float]
Chunk = tuple[str, int, int]

MANUAL = "Press the red button. Hold it for ten seconds. The lamp turns green. Release the button."
SPANS = {"reset": [("manual", 0, 21, 1), ("manual", 22, 46, 2)]}
"""The first sentence helps, the second answers: 21 and 24 characters."""


def test_two_chunkings_by_hand() -> None:
    sentences = {"reset": [("manual", 22, 46), ("manual", 47, 68), ("manual", 0, 21)]}
    whole = {"reset": [("manual", 0, 88)]}
    scores = cf.evidence(SPANS, {"sentences": sentences, "whole": whole}, "EvidenceR@1,EvidenceP@1,EvidenceIoU@1")
    assert scores["sentences"] == {"EvidenceR@1": 24 / 45, "EvidenceP@1": 1, "EvidenceIoU@1": 24 / 45}
    assert scores["whole"] == {"EvidenceR@1": 1, "EvidenceP@1": 45 / 88, "EvidenceIoU@1": 45 / 88}
    within = cf.evidence(SPANS, {"sentences": sentences, "whole": whole}, ["EvidenceR", "EvidenceCost"], budget=34)
    assert within["sentences", "EvidenceR(budget=34)"] == 24 / 45  # all of the second sentence, and 10 of the third
    assert within["whole", "EvidenceR(budget=34)"] == (21 + 12) / 45
    assert within["EvidenceCost(budget=34)"] == {"sentences": 34, "whole": 34}


def test_what_was_seen_before_counts_once_and_costs_twice() -> None:
    spans, chunks = [(10, 20)], [(0, 15), (5, 20), (0, 15)]
    assert EvidenceR().of_chunks(spans, chunks) == 1
    assert EvidenceP().of_chunks(spans, chunks) == 10 / 45
    assert EvidenceIoU().of_chunks(spans, chunks) == 10 / 45
    assert EvidenceCost().of_chunks(spans, chunks) == 45
    # 5 characters on page 2 (from 10 to 20 of what is read); 5 more from 25 on, which is page 3
    assert EvidencenDCG(page=10).of_chunks(spans, chunks) == pytest.approx((5 / math.log2(3) + 5 / 2) / 10)


def test_a_large_chunk_delays_what_it_holds() -> None:
    ndcg, spans = EvidencenDCG(page=100), [(900, 1000)]
    assert ndcg.of_chunks(spans, [(900, 1000)]) == 1
    assert ndcg.of_chunks(spans, [(0, 1000)]) == pytest.approx(1 / math.log2(11))  # on page 10


def test_grades_and_their_level() -> None:
    spans = [(0, 10, 1), (5, 15, 3)]  # 5 characters of grade 1, and 10 of grade 3
    assert EvidenceR().of_chunks(spans, [(0, 10)]) == 10 / 15
    assert EvidenceR(rel=2).of_chunks(spans, [(0, 10)]) == 5 / 10
    assert EvidenceP(rel=2).of_chunks(spans, [(0, 10)]) == 5 / 10
    ideal = 30 / 1 + 5 / math.log2(3)
    assert EvidencenDCG(page=10).of_chunks(spans, [(0, 10), (10, 15)]) == pytest.approx(
        (20 + 15 / math.log2(3)) / ideal
    )


def twin(spans: Sequence[Span], chunks: Sequence[Chunk], k: int, budget: int, page: int) -> list[float]:
    """Compute all measures on sets of characters, straight from their definitions."""
    grade: dict[tuple[str, int], float] = {}
    for document, start, end, of in spans:
        for place in range(start, end):
            grade[document, place] = max(of, grade.get((document, place), 0))
    evidence = {character for character, of in grade.items() if of > 0}
    read = [(d, place) for d, start, end in chunks[:k] for place in range(start, end)][:budget]
    found: set[tuple[str, int]] = set()
    gain = 0.0
    for at, character in enumerate(read):
        if character in evidence and character not in found:
            found.add(character)
            gain += grade[character] / math.log2(2 + at // page)
    best = sorted((grade[character] for character in evidence), reverse=True)[:budget]
    ideal = sum(of / math.log2(2 + at // page) for at, of in enumerate(best))
    union = len(read) + len(evidence) - len(found)
    return [
        len(found) / len(evidence) if evidence else 0,
        len(found) / len(read) if read else 0,
        len(found) / union if union else 0,
        gain / ideal if ideal else 0,
        len(read),
    ]


LENGTH = 30
documents = st.sampled_from(["a", "b", "c"])


@st.composite
def stretches(draw: st.DrawFn, most: int = 6) -> list[Chunk]:
    found = []
    for document in draw(st.lists(documents, max_size=most)):
        start = draw(st.integers(0, LENGTH))
        found.append((document, start, draw(st.integers(start, LENGTH))))
    return found


@st.composite
def judged(draw: st.DrawFn) -> list[Span]:
    return [(*span, float(draw(st.integers(0, 3)))) for span in draw(stretches(5))]


@given(
    st.lists(st.tuples(judged(), stretches(), stretches()), min_size=1, max_size=3),
    st.integers(1, 6), st.integers(1, 90), st.integers(1, 20),
)  # fmt: skip
@settings(max_examples=35)
def test_the_slow_twin(of: list[tuple[list[Span], list[Chunk], list[Chunk]]], k: int, budget: int, page: int) -> None:
    names = ["EvidenceR", "EvidenceP", "EvidenceIoU", f"EvidencenDCG(page={page})", "EvidenceCost"]
    asked = [measure @ k for measure in measures_of_chunks(names, budget)]
    spans = {str(topic): judgments for topic, (judgments, *_) in enumerate(of)}
    runs = {
        "one": {str(topic): chunks for topic, (_, chunks, _) in enumerate(of)},
        "two": {str(topic): chunks for topic, (*_, chunks) in enumerate(of)},
    }
    scores = cf.evidence(spans, runs, asked)
    for r, name in enumerate(scores.runs):
        for t, topic in enumerate(scores.topics):
            expected = twin(spans[topic], runs[name][topic], k, budget, page)
            assert scores.values[:, r, t].tolist() == pytest.approx(expected, abs=1e-12)
    assert (scores.values[:4] <= 1 + 1e-12).all()
    assert (scores.values[2] <= scores.values[:2].min(axis=0) + 1e-12).all()  # no more than recall, and than precision


def values(measures: Sequence[OfChunks], spans: list[Span], chunks: Sequence[Chunk]) -> Floats:
    return cf.evidence({"q": spans}, {"run": {"q": list(chunks)}}, measures).averages[:, 0]


@given(judged(), stretches(), st.data(), st.integers(1, 90))
@settings(max_examples=20)
def test_splitting_a_chunk_in_two_neighbours_changes_no_recall(
    spans: list[Span], chunks: list[Chunk], data: st.DataObject, budget: int
) -> None:
    split = list(chunks)
    if chunks:
        i = data.draw(st.integers(0, len(chunks) - 1))
        document, start, end = chunks[i]
        at = data.draw(st.integers(start, end))
        split[i : i + 1] = [(document, start, at), (document, at, end)]
    measures = EvidenceR(), EvidenceR(budget=budget), EvidencenDCG(page=7), EvidenceP(), EvidenceCost()
    assert values(measures, spans, split) == pytest.approx(values(measures, spans, chunks), abs=1e-12)


@given(judged(), stretches(), st.data())
@settings(max_examples=20)
def test_a_chunk_grown_by_text_that_is_no_evidence_never_gains_precision(
    spans: list[Span], chunks: list[Chunk], data: st.DataObject
) -> None:
    evidence = {(d, place) for d, start, end, grade in spans if grade for place in range(start, end)}
    grown = list(chunks)
    if chunks:
        i = data.draw(st.integers(0, len(chunks) - 1))
        document, start, end = chunks[i]
        for _ in range(data.draw(st.integers(0, 12))):
            end += (document, end) not in evidence
            start -= start > 0 and (document, start - 1) not in evidence
        grown[i] = (document, start, end)
    measures = EvidenceP(), EvidenceP(cutoff=2), EvidenceIoU(), EvidencenDCG(page=5)
    assert (values(measures, spans, grown) <= values(measures, spans, chunks) + 1e-12).all()


@given(judged(), st.permutations(["a", "b", "c"]), st.data(), st.integers(1, 90))
@settings(max_examples=20)
def test_the_same_text_in_the_same_order_has_the_same_recall_at_a_budget(
    spans: list[Span], order: list[str], data: st.DataObject, budget: int
) -> None:
    def cut_up() -> list[Chunk]:
        cuts = {d: sorted(data.draw(st.sets(st.integers(1, LENGTH - 1), max_size=5)) | {0, LENGTH}) for d in order}
        return [(d, low, high) for d in order for low, high in pairwise(cuts[d])]

    measures = EvidenceR(budget=budget), EvidencenDCG(budget=budget, page=9), EvidenceP(budget=budget)
    assert values(measures, spans, cut_up()) == pytest.approx(values(measures, spans, cut_up()), abs=1e-12)


TEXTS = {"a": "To be, or not to be, that is the question:", "b": "Whether 'tis nobler\nin the mind to suffer"}


def test_words_begin_in_one_stretch_alone() -> None:
    spans = {"q": [("a", 0, 6), ("b", 8, 25)]}  # To be, | 'tis nobler in the, which ends in the midst of a word
    run = {"q": [("a", 4, 20), ("b", 0, 41)]}  # the first chunk begins within "be,", and so has "or not to be,"
    scores = cf.evidence(spans, run, "EvidenceR,EvidenceP,EvidenceCost", docs=TEXTS, unit="words")
    assert scores["run"] == {"EvidenceR": 4 / 6, "EvidenceP": 4 / (4 + 8), "EvidenceCost": 12}
    within = cf.evidence(spans, run, "EvidenceR,EvidenceCost", docs=TEXTS, unit="words", budget=6)
    assert within["run"] == {"EvidenceR(budget=6)": 1 / 6, "EvidenceCost(budget=6)": 6}


def test_a_tokenizer_of_ones_own() -> None:
    def starts(text: str) -> list[int]:
        return [found.start() for found in re.finditer(r"\w+|[^\w\s]", text)]

    scores = cf.evidence({"q": [("a", 0, 6)]}, {"q": [("a", 0, 20)]}, "EvidenceP", docs=TEXTS, unit=starts)
    assert scores["run", "EvidenceP"] == 3 / 8  # To be , | or not to be ,
    assert "counted in tokens" in scores.audit.line()
    wrong: list[Any] = [lambda text: [5, 1], lambda text: ["x"], lambda text: [99], lambda text: None]
    for unit in wrong:
        with pytest.raises(cf.InputError, match="offsets at which tokens begin"):
            cf.evidence({"q": [("a", 0, 6)]}, {"q": [("a", 0, 20)]}, docs=TEXTS, unit=unit)


def test_texts_are_found_in_their_documents() -> None:
    spans = {"q": [("a", "to be"), ("b", "nobler in  the mind", 2), ("b", "no such words"), ("z", "Whether")]}
    run = {"q": [{"document": "b", "text": "nobler\nin the mind"}, {"document": "b", "text": "never written"}]}
    scores = cf.evidence(spans, run, "EvidenceR,EvidenceR(rel=2),EvidenceCost", docs=TEXTS)
    assert scores["run"] == {"EvidenceR": 18 / (5 + 18), "EvidenceR(rel=2)": 1, "EvidenceCost": 18 + 13}
    said = " ".join(scores.audit.remarks())
    assert "2 of 4 spans not found in the text of the document (topic q, document b, 'no such words')" in said
    assert "1 of 2 chunks of run not found in the text" in said
    assert "1 of 4 spans found with other blanks" in said
    assert "several places" not in said  # "to be" is there once: the first is written with a capital
    twice = cf.evidence({"q": [("a", "be,")]}, {"q": [("a", 0, 6)]}, "EvidenceR", docs=TEXTS)
    assert twice["run", "EvidenceR"] == 1
    assert "1 of 1 span found in several places" in twice.audit.line()


def test_the_end_of_a_document_ends_spans_and_chunks() -> None:
    scores = cf.evidence({"q": [("a", 37, 99)]}, {"q": [("a", 30, 1000), ("a", 50, 60)]}, ["EvidenceP"], docs=TEXTS)
    assert scores["run", "EvidenceP"] == 5 / 12  # the document has 42 characters
    assert [found.code for found in scores.audit.findings if found.severity == "warning"] == [
        "spans beyond the end of the document", "chunks beyond the end of the document",
    ]  # fmt: skip
    unknown = cf.evidence({"q": [("z", 37, 99)]}, {"q": [("z", 37, 68)]}, ["EvidenceR"], docs=TEXTS)
    assert unknown["run", "EvidenceR"] == 0.5
    assert "1 of 1 span of documents without a text (topic q, document z)" in unknown.audit.line()


def test_topics_without_evidence_without_chunks_and_without_judgments() -> None:
    spans: dict[str, list[Any]] = {"1": [("a", 0, 10)], "2": [], "3": [("a", 0, 10, 0)], "4": [("a", 5, 9)]}
    run = {"1": [("a", 0, 20)], "3": [("a", 0, 10)], "4": [], "5": [("a", 0, 10)]}
    scores = cf.evidence(spans, {"run": run}, "EvidenceR,EvidenceP,EvidenceCost")
    assert scores.per_topic.filter(pl.col("measure") == "EvidenceR")["value"].to_list() == [1, 0, 0, 0]
    assert scores["run"] == {"EvidenceR": 1 / 4, "EvidenceP": 0.5 / 4, "EvidenceCost": 30 / 4}
    [audit] = scores.audit.runs
    assert (audit.missing, audit.extra, audit.empty) == (("2",), ("5",), ("4",))
    assert "2 topics without evidence (2 and 3)" in scores.audit.line()
    assert scores.audit.to_polars()["unjudged@10"].to_list() == [None]
    shared = cf.evidence(spans, {"run": run}, "EvidenceR", topics="shared")
    assert shared["run", "EvidenceR"] == 1 / 3
    assert cf.evidence(spans, {"run": {}}, "EvidenceR")["run", "EvidenceR"] == 0


def test_chunks_are_ranked_by_score_then_rank_then_as_they_stand(tmp_path: Path) -> None:
    rows = [("a", 0, 5), ("a", 5, 10), ("a", 10, 15)]
    columns = {"qid": ["q"] * 3, "docno": ["a"] * 3, "start_index": [0, 5, 10], "end_index": [5, 10, 15]}
    frames = {
        "score": pl.DataFrame({**columns, "score": [1.0, 3.0, 2.0]}),
        "rank": pl.DataFrame({**columns, "rank": [3, 1, 2]}),
        "plain": pl.DataFrame(columns),
    }
    for name, frame in frames.items():
        frame.write_csv(tmp_path / f"{name}.csv")
        frame.write_ndjson(tmp_path / f"{name}.jsonl")
        frame.write_parquet(tmp_path / f"{name}.parquet")
    spans = {"q": [rows[1]]}
    files = [{name: tmp_path / f"{name}.{end}" for name in frames} for end in ("csv", "jsonl", "parquet")]
    shapes: list[Any] = [frames, *files]
    for given_as in shapes:
        assert cf.evidence(spans, given_as, "EvidenceR@1")["EvidenceR@1"] == {"score": 1, "rank": 1, "plain": 0}
    together = pl.concat([frames["plain"].with_columns(run=pl.lit(name)) for name in frames])
    assert list(cf.evidence(spans, together, "EvidenceR@1")) == ["score", "rank", "plain"]
    globbed = cf.evidence(spans, [f"mine={tmp_path}/plain.csv", str(tmp_path / "*.jsonl")], "EvidenceR@1")
    assert list(globbed) == ["mine", "plain", "rank", "score"]
    tied = cf.evidence(spans, {"q": [(*row, 0.5) for row in rows[:2]]}, "EvidenceR@1")
    assert tied["run", "EvidenceR@1"] == 0
    assert "2 of 2 chunks of run are tied" in tied.audit.line()


SPAN = '{"topic": "q", "document": "a", "start": 3, "end": 9}'


@each_of(
    ("written", "says"),
    [
        ('{"topic": "q", "document": "a", "start": 9, "end": 3}', "line 2: ends (3) before it starts (9)"),
        ('{"topic": "q", "document": "a", "start": -1, "end": 3}', "line 2: the start is -1, not an offset"),
        ('{"topic": "q", "document": "a", "start": "x", "end": 3}', "line 2: the start is 'x', not an offset"),
        ('{"topic": "q", "document": "a", "start": 1.5, "end": 3}', "line 2: the start is 1.5, not an offset"),
        ('{"topic": "q", "document": "a", "start": 1}', "line 2: a start without an end"),
        ('{"topic": "q", "document": "a"}', "line 2: neither start and end nor a text"),
        ('{"topic": "", "document": "a", "start": 1, "end": 3}', "line 2: the topic is missing"),
        ('{"topic": "q", "document": null, "start": 1, "end": 3}', "line 2: the document is missing"),
        ('{"topic": "q", "document": "a", "start": 1, "end": 3, "grade": "high"}', "line 2: the relevance is 'high'"),
        ('{"topic": "q", "document": "a", "quote": 7}', "line 2: the text is 7, not a text"),
        ('{"topic": "q", "document": "a", "quote": "wings"}', "line 2: a text without start and end"),
        ("[1]", "line 2: each row must be an object"),
        ('{"topic": "all", "document": "a", "start": 1, "end": 3}', "a topic is named 'all'"),
    ],
)  # fmt: skip
def test_a_wrong_line_is_named(written: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "spans.jsonl"
    path.write_text(f"{SPAN}\n{written}\n", encoding="utf-8")
    with pytest.raises(cf.InputError) as caught:
        cf.evidence(path, {"q": [("a", 0, 9)]})
    assert says in str(caught.value)


@each_of(
    ("spans", "runs", "options", "says"),
    [
        ({}, {"q": [("a", 0, 9)]}, {}, "no topic is in the spans"),
        ({"q": [("a", 0, 9)]}, [], {}, "no run is given"),
        ({"q": [("a", 0)]}, {"q": [("a", 0, 9)]}, {}, "not (document, start, end)"),
        ({"q": "a"}, {"q": [("a", 0, 9)]}, {}, "a list for each topic"),
        ({"q": [("a", 0, 9)]}, {"q": [("a", 0, 9, 1), {"doc": "a", "start": 1, "end": 2}]}, {}, "has no score"),
        ({"q": [("a", 0, 9)]}, {"q": [("a", 0, 9)]}, {"unit": "words"}, "counted in the texts of documents"),
        ({"q": [("a", 0, 9)]}, {"q": [("z", 0, 9)]}, {"unit": "words", "docs": TEXTS}, "'z' is not among the texts"),
        ({"q": [("a", 0, 9)]}, {"q": [("a", 0, 9)]}, {"unit": "lines"}, "unit must be"),
        ({"q": [("a", 0, 9)]}, {"q": [("a", 0, 9)]}, {"budget": 0}, "budget must be"),
        ({"q": [("a", 0, 9)]}, {"q": [("a", 0, 9)]}, {"measures": "nDCG@10"}, "nDCG@10 is of ranked documents"),
        ([{"topic": "q", "document": "a"}], {"q": [("a", 0, 9)]}, {}, "neither offsets nor texts"),
        ([("q", "a", 1, 2)], {"q": [("a", 0, 9)]}, {}, "spans in a list are records"),
    ],
)  # fmt: skip
def test_what_cannot_be_scored_is_refused(spans: Any, runs: Any, options: dict[str, Any], says: str) -> None:
    with pytest.raises(cf.CranfieldError) as caught:
        cf.evidence(spans, runs, **options)
    assert says in str(caught.value)


def test_measures_of_documents_and_of_chunks_are_told_apart() -> None:
    with pytest.raises(cf.MeasureError, match="EvidenceR@5 is of chunks and spans of text: see `cranfield evidence`"):
        cf.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "EvidenceR@5")
    assert not {"EvidenceR", "OfChunks"} & set(cf.REGISTRY)
    assert [str(measure) for measure in cf.parse_measures("evidencer@5,10,EvidencenDCG(page=200)")] == [
        "EvidenceR@5", "EvidenceR@10", "EvidencenDCG(page=200)",
    ]  # fmt: skip
    assert [type(each).__name__ for each in measures_of_chunks(EVIDENCE_MEASURES, None)] == list(UNRANKED)


def test_scores_of_chunks_are_scores(tmp_path: Path) -> None:
    spans = {str(t): [("a", 10 * t, 10 * t + 10)] for t in range(6)}
    small = {str(t): [("a", 10 * t + t, 10 * t + 8)] for t in range(6)}
    runs = {"small": small, "whole": {str(t): [("a", 0, 100)] for t in range(6)}}
    scores = cf.evidence(spans, runs)
    assert cf.Scores.from_dict(scores.to_dict()) == scores
    assert scores.sorted_by("EvidenceCost").runs == ("small", "whole")
    compared = cf.compare_scores(scores).to_polars()
    assert compared.filter(pl.col("measure") == "EvidenceP@5").select("wins", "losses").row(0) == (6, 0)
    assert scores.weighted_by({str(t): int(t == 1) for t in range(6)})["small", "EvidenceR@5"] == 0.7
    scores.plot("leaderboard").save(tmp_path / "leaderboard.json")


def test_chunks_as_documents() -> None:
    chunks = {"q": [("a", 0, 5, 0.5), ("b", 0, 5, 0.75), ("a", 5, 9, 0.5)], "r": []}
    found = {by: cf.chunks_as_documents(chunks, by)["run"] for by in ("first", "max", "sum", "all")}
    assert found["first"] == {"q": ["b", "a"], "r": []}
    assert found["max"] == {"q": {"b": 0.75, "a": 0.5}, "r": {}}
    assert found["sum"] == {"q": {"b": 0.75, "a": 1.0}, "r": {}}
    assert found["all"] == {"q": ["b[0:5]", "a[0:5]", "a[5:9]"], "r": []}
    with pytest.raises(cf.InputError, match="chunks have no scores, of which to take the sum"):
        cf.chunks_as_documents({"q": [("a", 0, 5)]}, "sum")
    with pytest.raises(cf.InputError, match="line 1: a chunk without start and end"):
        cf.chunks_as_documents({"q": [{"document": "a", "text": "wings"}]}, "all")
    qrels = cf.spans_as_qrels({"q": [("a", 0, 5, 1), ("a", 7, 9, 3)], "r": []})
    assert qrels == {"q": {"a": 3.0}, "r": {}}
    assert cf.evaluate(qrels, {"sum": found["sum"]}, "RR")["sum", "RR"] == 0.5


def test_a_page_is_a_thousand_characters_and_two_hundred_words_or_tokens() -> None:
    assert (Ruler("characters", None).page, Ruler("words", None).page) == (1000, 200)
    assert Ruler(lambda text: range(len(text)), None).page == 200
