"""The audit in sentences: what was found of runs and judgments, and what can be done about it."""

from __future__ import annotations

import polars as pl

import cranfield as cf
from cranfield.judged.audit import Audit

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 1}, "3": {"z": 0}}
CLEAN = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}, "3": {"z": 1.0}}
ODD = {"1": {"a": 1.0, "x": 1.0, "y": 0.5, "b": 0.25}, "3": {}, "9": {"q": 1.0}}


def audit_of(**runs: dict[str, dict[str, float]]) -> Audit:
    return cf.evaluate({topic: QRELS[topic] for topic in "12"}, runs, "AP").audit


def test_nothing_unusual_is_said_so() -> None:
    clean = {topic: CLEAN[topic] for topic in "12"}
    assert str(audit_of(clean=clean)).splitlines() == [
        "Audit of 1 run on 2 topics.",
        "Every run has every topic of the qrels.",
        "All documents of the top 100 are judged.",
    ]


def test_a_sentence_for_each_fact() -> None:
    """Of the run "odd" 2 of 4 documents are unjudged and 2 tied; of both runs together that is 2 of 8 tied."""
    audit = cf.evaluate(QRELS, {"clean": CLEAN, "odd": ODD}, "AP").audit
    assert str(audit).splitlines() == [
        "Audit of 2 runs on 3 topics.",
        "1 of 2 runs lacks topics (odd: 2), which count 0: "
        'only="common" leaves them out, missing="empty" counts them as empty lists.',
        "1 of 2 runs has topics without judgments (odd: 9): they are not scored.",
        "1 of 2 runs has empty topics (odd: 3): they are scored as empty lists.",
        "25.0% of the top 10 (most: odd, 50%) are unjudged: "
        "bounds=True shows what they could change, judged_only=True drops them.",
        "25.0% of documents are tied: the id that is last in byte order comes first, as in trec_eval.",
        "1 topic without a relevant document (3), which counts 0 by AP: kept in the averages.",
    ]
    assert audit.lines()[0] == (
        'warning: 1 of 2 runs lacks topics (odd: 2), which count 0 (only="common" leaves them out, missing="empty" '
        "counts them as empty lists)"
    )
    assert audit.lines()[1:3] == ("2 runs, 3 topics", "1 of 2 runs has topics without judgments (odd: 9)")


def test_the_first_facts_are_printed_the_worst_first_whatever_was_called_before() -> None:
    runs = {"clean": CLEAN, "odd": ODD}
    found = [cf.evaluate(QRELS, runs, "AP") for _ in range(2)]
    every = found[0].audit.lines()
    assert (len(every), every[0][:9]) == (7, "warning: ")
    for scores in found:
        said = [line for line in str(scores).splitlines() if line.startswith("audit: ")]
        assert said == [*(f"audit: {fact}" for fact in every[:5]), "audit: 2 more: see .audit"]
    assert found[0].audit.lines("--rel", most=6)[6:] == ("1 more: --full-audit",)
    assert found[0].audit.lines(most=7) == every


def test_another_order_is_said_and_settles_no_ties() -> None:
    audit = cf.evaluate(QRELS, {"odd": ODD}, "AP", order="file").audit
    assert "Ranked by the order of the lines." in audit.remarks()
    assert not any("byte order" in sentence for sentence in audit.remarks())


def test_a_notebook_has_the_sentences_above_the_table() -> None:
    shown = audit_of(clean=CLEAN, **{"<odd>": ODD})._repr_html_()
    assert shown.index("<li>1 of 2 runs lacks topics (&lt;odd&gt;: 2)") < shown.index("<table>")
    assert "missing_topics" in shown
    assert "empty_topics" not in shown  # a column in which there is nothing


def test_a_name_begins_no_new_line() -> None:
    text = str(audit_of(**{"a\nb\x1b[31m": ODD}))
    assert "a\\nb\\x1b[31m: 2" in text


def test_ranks_break_ties_only_where_there_are_ranks() -> None:
    qrels, rows = {"1": {"a": 1}}, [("1", "a", 1.0, 1), ("1", "b", 1.0, 2)]
    frame = pl.DataFrame(rows, ["qid", "docno", "score", "rank"], orient="row")
    tied = {"1": {"a": 1.0, "b": 1.0}}
    for runs, advised in ((frame, True), (tied, False), (frame.drop("rank"), False), ({"x": frame, "y": tied}, False)):
        assert ('order="rank"' in str(cf.evaluate(qrels, runs, "RR").audit)) == advised


def test_the_level_is_told_as_it_is_however_many_grades_there_are() -> None:
    """Of 25 grades .1, .137, ... .988 the least that reaches .5 is .507; that is the level, and not the largest."""
    qrels = {"1": {f"d{n}": 0.1 + 0.037 * n for n in range(25)}}
    runs = {"r": {"1": list(qrels["1"])}}
    for rel, level in ((0.5, "0.507"), (None, "0.1"), (0.98, "0.988")):
        audit = cf.evaluate(qrels, runs, "AP", rel=rel).audit
        assert f"grades 0.1 to 0.988, relevant from {level}" in " ".join(audit.lines())
    qrels["1"]["d0"] = 0
    told = " ".join(cf.evaluate(qrels, runs, "AP").audit.lines())
    assert "grades 0 to 0.988, relevant from 0.137" in told


def test_shares_of_unjudged_documents_are_unequal_from_30_points_and_20_documents_on() -> None:
    """Of ten documents a topic, of the old run the last `lost` are unjudged, and of the new one `unjudged` more."""

    def codes(topics: int, unjudged: int, lost: int = 0) -> set[str]:
        ids = {str(topic): [f"d{topic}-{number}" for number in range(10)] for topic in range(topics)}
        new = {t: [f"u{d}" if n < unjudged else d for n, d in enumerate(found)] for t, found in ids.items()}
        qrels = {topic: dict.fromkeys(found[: 10 - lost], 1) for topic, found in ids.items()}
        return {each.code for each in cf.evaluate(qrels, {"old": ids, "new": new}, "AP", complete=False).audit.findings}

    for topics, unjudged, unequal in ((2, 3, True), (2, 2, False), (1, 3, False)):
        assert ("unequally judged" in codes(topics, unjudged)) == unequal
    assert all("unequally judged" in codes(2, 3, lost) for lost in range(8))


def test_ties_of_more_than_half_the_documents_are_a_warning() -> None:
    def severity(scores: list[float]) -> list[str]:
        run = {"1": {f"d{number}": score for number, score in enumerate(scores)}}
        found = cf.evaluate({"1": {"d0": 1}}, {"r": run}, "AP").audit.findings
        return [each.severity for each in found if each.code == "ties"]

    assert severity([4.0, 3.0, 2.0, 1.0]) == []
    assert severity([3.0, 3.0, 2.0, 1.0]) == ["remark"]  # half
    assert severity([3.0, 3.0, 3.0, 1.0]) == ["warning"]


def test_where_nothing_can_be_unjudged_no_share_is() -> None:
    """Evidence is spans: whatever a chunk holds besides is known to be none."""
    found = cf.evidence({"1": [("a", 0, 10)]}, {"r": {"1": [("a", 0, 20), ("b", 0, 9)]}}, "EvidenceR").audit
    assert found.unjudged.tolist() == [[0, 0]]
    assert audit_of(r={"1": {"a": 2.0, "x": 1.0}}).unjudged.tolist() == [[1 / 2, 1 / 2]]


def test_measures_that_heed_no_level_do_not_count_0_where_it_is_not_reached() -> None:
    """Topic 2 has grades 1 alone: from grade 2 on nothing is relevant, and nDCG is 1 all the same."""
    qrels, runs = {"1": {"a": 2}, "2": {"a": 1}}, {"r": {"1": ["a"], "2": ["a"]}}
    found = cf.evaluate(qrels, runs, ["nDCG", "RBP", "Twist", "AP"], rel=2)
    assert found.values[:, 0, 1].round(4).tolist() == [1, 0.1, 1, 0]
    assert "1 topic without a relevant document (2), which counts 0 by AP(rel=2)" in str(found.audit)
