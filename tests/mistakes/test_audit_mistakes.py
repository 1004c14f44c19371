"""Typical mistakes, each with what is expected: the right number, or one sentence with the remedy.

None of them gives a wrong number in silence. A case is what was asked, the exit status, and what must
be said: on the command line on either stream, in Python in the error or in what is printed.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from itertools import combinations
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from tools.each import each_of

import cranfield as cf
from cranfield.cli import main

QRELS = {"1": {"a": 3, "b": 1, "c": 0}, "2": {"d": 2, "e": 1}}
THREE = QRELS | {"3": {"f": 1}}
GOOD = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"d": 2.0, "e": 1.0}}


def lines_of(run: dict[str, dict[str, float]]) -> str:
    """Write a run as TREC text, the documents in the order given."""
    return "".join(
        f"{topic} Q0 {document} {rank} {score} x\n"
        for topic, documents in run.items()
        for rank, (document, score) in enumerate(documents.items(), 1)
    )


def long_lists(scores: Callable[[int], float], judged: str = "d", topics: str = "12") -> dict[str, dict[str, float]]:
    """Make lists of ten."""
    return {topic: {f"{judged}{topic}{n}": scores(n) for n in range(1, 11)} for topic in topics}


DEEP = {topic: {f"d{topic}{n}": n % 2 for n in range(1, 11)} for topic in "12"}
SIX = "123456"
"""Topics enough for a verdict: of as many equal losses 2 of 64 sign patterns go as far."""
DEEP_SIX = {topic: {f"d{topic}{n}": n % 2 for n in range(1, 11)} for topic in SIX}
FILES = {
    "qrels.txt": "".join(f"{t} 0 {d} {g}\n" for t, documents in QRELS.items() for d, g in documents.items()),
    "binary.txt": "1 0 a 1\n1 0 b 0\n2 0 d 1\n",
    "deep.txt": "".join(f"{t} 0 {d} {g}\n" for t, documents in DEEP.items() for d, g in documents.items()),
    "six.txt": "".join(f"{t} 0 {d} {g}\n" for t, documents in DEEP_SIX.items() for d, g in documents.items()),
    "subtopics.txt": "1 1 a 1\n1 2 a 1\n1 1 b 0\n2 1 d 1\n",
    "contrary.txt": "1 0 a 1\n1 0 a 0\n",
    "scores.txt": "".join(f"1 0 d{n} {n / 7:.4f}\n" for n in range(1, 30)),
    "none.txt": "1 0 a 0\n2 0 d 0\n",
    "good.run": lines_of(GOOD),
    "turned.run": lines_of({"1": {"b": 3.0, "a": 2.0}, "2": {"e": 2.0, "d": 1.0}}),
    "ids.run": lines_of({"1": {"A.txt": 3.0, "B.txt": 2.0}, "2": {"D.txt": 2.0}}),
    "missing.run": lines_of({"1": GOOD["1"]}),
    "extra.run": lines_of(GOOD | {"9": {"z": 1.0}}),
    "tied.run": lines_of({"1": {"a": 1.0, "b": 1.0, "c": 1.0}, "2": {"d": 1.0, "e": 1.0}}),
    "fall.run": lines_of(long_lists(lambda n: 11.0 - n)),
    "ranks.run": lines_of(long_lists(float)),
    "rise.run": lines_of(long_lists(lambda n: n / 7)),
    "pooled.run": lines_of(long_lists(lambda n: 1 / n)),
    "unjudged.run": lines_of(long_lists(lambda n: 1 / n, "x")),
    "six-fall.run": lines_of(long_lists(lambda n: 11.0 - n, topics=SIX)),
    "six-rise.run": lines_of(long_lists(lambda n: n / 7, topics=SIX)),
    "six-unjudged.run": lines_of(long_lists(lambda n: 1 / n, "x", SIX)),
    "half.run": lines_of({t: {(f"d{t}{n}" if n < 5 else f"x{t}{n}"): 1 / n for n in range(1, 11)} for t in "12"}),
    "misspelt.csv": "qid,docno,rank,socre\n1,a,1,3\n1,b,2,2\n",
    "ranked.csv": "qid,docno,rank\n1,a,1\n1,b,2\n2,d,1\n2,e,2\n",
    "renamed.csv": "search,docno,points\n1,a,3\n1,b,2\n",
    "log.csv": "search_id,user,docno,clicks\n1,u,a,1\n1,v,b,1\n",
    "users.csv": "user,docno,clicks\nu,a,1\nv,b,1\n",
}

WARNING = r"^audit: warning: "


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


COMMANDS: list[tuple[str, int, str]] = [
    # the level of relevance
    ("evaluate qrels.txt good.run -m AP", 0, r"grades 0 to 3, relevant from 1: --rel changes it"),
    ("evaluate qrels.txt good.run -m AP -l 2", 0, r"grades 0 to 3, relevant from 2: --rel changes it"),
    ("evaluate qrels.txt good.run -m AP -l 3", 0, r"relevant from 3(?s:.*)1 topic without a relevant document \(2\)"),
    ("evaluate qrels.txt good.run -m AP --rel 5", 0, WARNING + r"no grade is relevant: the level is 5, .* grade 3"),
    ("evaluate qrels.txt good.run -m AP --rel 5 --strict", 1, WARNING + r"no grade is relevant"),
    ("evaluate qrels.txt good.run turned.run -m AP", 0, r"relevant from 1: --rel"),
    ("evaluate binary.txt good.run -m AP", 0, r"^audit: 1 run, 2 topics\n(?!(?s:.*)grades)"),
    ("evaluate binary.txt good.run -m AP -l 2", 0, WARNING + r"no grade is relevant: the level is 2, .* grade 1"),
    ("compare qrels.txt good.run turned.run -m AP", 0, r"^audit: .*relevant from 1: --rel changes it"),
    ("curve -m P qrels.txt good.run", 0, r"^audit: .*relevant from 1: --rel changes it"),
    ("gate qrels.txt good.run turned.run -m AP -l 2", 3, r"^audit: .*relevant from 2: --rel changes it"),
    # ids
    ("evaluate qrels.txt ids.run -m AP", 0, WARNING + r"none of the documents of ids is judged .*'A\.txt'.* 'a'"),
    ("evaluate qrels.txt ids.run -m AP --strict", 1, WARNING + r"none of the documents of ids"),
    ("evaluate qrels.txt good.run ids.run -m AP", 0, WARNING + r"none of the documents of ids"),
    ("compare qrels.txt good.run ids.run -m AP --strict", 1, WARNING + r"none of the documents of ids"),
    ("evaluate qrels.txt fall.run -m AP", 0, WARNING + r"none of the documents of fall is judged"),
    # ranks and distances for scores
    ("evaluate deep.txt ranks.run -m AP", 0, WARNING + r"the scores of ranks are its ranks"),
    ("evaluate deep.txt ranks.run -m AP --order rank", 0, r"^audit: 1 run, 2 topics\n(?!(?s:.*)warning)"),
    ("evaluate deep.txt ranks.run -m AP --strict", 1, r"the scores of ranks are its ranks"),
    ("evaluate deep.txt rise.run -m AP", 0, WARNING + r"the scores of rise rise with the rank"),
    ("evaluate deep.txt fall.run rise.run -m AP", 0, WARNING + r"the scores of rise rise with the rank$"),
    ("gate six.txt six-fall.run six-rise.run -m P@5", 1, WARNING + r"the scores of six-rise rise with the rank"),
    ("evaluate deep.txt fall.run -m AP --strict", 0, r"all of the top 100 judged"),
    ("evaluate qrels.txt misspelt.csv -m AP", 2, r"misspelt\.csv: no column for score .*'socre' looks like one"),
    ("evaluate qrels.txt ranked.csv -m AP", 0, r"ranks instead of scores, which order the documents: ranked"),
    # judgments
    (
        "evaluate subtopics.txt good.run -m AP",
        2,
        r"subtopics\.txt, line 2: .*judged under 1 and under 2 .*--subtopics max",
    ),
    ("evaluate subtopics.txt good.run -m AP --subtopics max", 0, r"good  1\.0000"),
    ("evaluate subtopics.txt good.run -m StRecall@1", 0, r"3 subtopics of 2 topics are judged, each"),
    ("evaluate subtopics.txt good.run -m StRecall@1,AP --subtopics read", 2, r"AP knows no subtopics.*--subtopics max"),
    ("compare subtopics.txt good.run turned.run -m AP", 2, r"--subtopics max"),
    ("evaluate contrary.txt good.run -m AP", 2, r"contrary\.txt, line 2: document a of topic 1 is judged twice"),
    ("evaluate none.txt good.run -m AP", 0, r"2 topics without a relevant document \(1, 2\)"),
    # topics
    ("evaluate qrels.txt missing.run -m AP", 0, WARNING + r"1 run lacks topics \(missing: 2\)"),
    ("evaluate qrels.txt missing.run -m AP --strict", 1, r"1 run lacks topics"),
    ("gate qrels.txt good.run missing.run -m AP", 1, WARNING + r"1 of 2 runs lacks topics \(missing: 2\)"),
    ("gate qrels.txt good.run missing.run -m AP", 1, r"did not run  missing has no scores on 1 of 2 topics"),
    ("gate qrels.txt good.run missing.run -m AP --not-run 0.9", 3, WARNING + r"1 of 2 runs lacks topics"),
    ("evaluate qrels.txt extra.run -m AP", 0, r"1 run has topics without judgments \(extra: 9\)"),
    ("evaluate qrels.txt extra.run -m AP --strict", 0, r"topics without judgments"),
    # ties, unjudged documents
    ("evaluate qrels.txt tied.run -m AP", 0, WARNING + r"100\.0% of documents are tied"),
    ("gate qrels.txt good.run tied.run -m AP", 3, r"50\.0% of documents are tied"),
    (
        "evaluate deep.txt pooled.run half.run -m AP",
        0,
        WARNING + r"60% of the top 10 of half are unjudged, 0% of pooled",
    ),
    ("evaluate deep.txt pooled.run half.run -m AP --strict", 1, r"are unjudged"),
    ("evaluate deep.txt pooled.run half.run -m AP -J", 0, r"60% of the top 10 of half are unjudged"),
    ("gate six.txt six-fall.run six-unjudged.run -m P@10", 4, r"worse on what was judged: undecided"),
    # a margin, and what is not there
    ("gate qrels.txt good.run turned.run -m AP --margin 1", 2, r"lets every run through.*was 1% meant \(--margin 1%"),
    ("gate six.txt six-fall.run six-fall.run -m AP --margin 1%", 0, r"equivalent"),
    ("gate qrels.txt good.run good.run -m AP --margin 1%", 3, r"too few topics for any verdict: at least 6"),
    # columns
    ("clicks log.csv --cuts 0.1 --least 1", 2, r"no column for query_id .*user.*: add --columns query_id=search_id$"),
    ("clicks log.csv --cuts 0.1 --least 1 --columns query_id=search_id", 0, r"columns taken: search_id for query_id"),
    (
        "clicks log.csv --cuts 0.1 --least 1 --columns search_id=query_id",
        0,
        r"warning: --columns THEIRS=OURS ends with .* write it the other way round, here --columns query_id=search_id",
    ),
    (
        "clicks log.csv --cuts 0.1 --columns query_id=search_id",
        2,
        r"ask for fewer \(columns taken: search_id for query_id",
    ),
    ("clicks users.csv --cuts 0.1 --columns query_id=user --least 1", 0, r"columns taken: user for query_id"),
    ("clicks log.csv --cuts 0.1 --columns query_id=search", 2, r"no column 'search' .*; did you mean `search_id`"),
    ("clicks log.csv --cuts 0.1 --columns search_id", 2, r"--columns is OURS=THEIRS, such as query_id=search_term"),
]


@each_of(("asked", "status", "said"), COMMANDS)
def test_on_the_command_line(here: Path, asked: str, status: int, said: str) -> None:
    found = CliRunner().invoke(main, asked.split())
    assert found.exit_code == status, found.output
    assert re.search(said, found.output, re.MULTILINE), found.output
    assert "Traceback" not in found.output


def frame(**columns: list[Any]) -> Any:
    return pd.DataFrame(columns)


def judged(**how: Any) -> Any:
    log = frame(search_id=["1", "1"], user=["u", "v"], docno=["a", "b"], clicks=[1, 1])
    return cf.judge_clicks(log, [0.1], least=1, **how)


def partly() -> cf.Scores:
    return cf.evaluate(QRELS, {"part": {"1": GOOD["1"] | {"z": 0.1}}, "good": GOOD}, "AP")


def official(**how: Any) -> cf.Scores:
    judged = {str(topic): {"a": 1, "b": 0} for topic in range(401, 451)}
    return cf.evaluate(judged, {"good": {topic: {"a": 1.0, "z": 0.5} for topic in judged}}, "P@1", **how)


RANKED: dict[str, list[Any]] = {"qid": ["1", "1"], "docno": ["a", "b"], "rank": [1, 2]}
RENAMED = {"query_id": "search", "score": "points"}
DISTANCES = {"near": long_lists(lambda n: n / 7)}

CALLS: list[tuple[Callable[[], Any], str]] = [
    (lambda: cf.evaluate(QRELS, {"good": GOOD}, "AP"), r"grades 0 to 3, relevant from 1: rel= changes it"),
    (lambda: cf.evaluate(QRELS, {"good": GOOD}, "AP", rel=2), r"relevant from 2"),
    (lambda: cf.evaluate(QRELS, {"good": GOOD}, "AP", rel=4), r"audit: warning: no grade is relevant: the level is 4"),
    (lambda: cf.evaluate(QRELS, {"good": GOOD}, "nDCG@10"), r"over 2 topics\.\nrun   nDCG@10\ngood   1\.0000$"),
    (lambda: cf.evaluate(QRELS, {"good": GOOD}, "P(rel=2)@1"), r"^(?!.*relevant from)"),
    (
        lambda: cf.join(QRELS, {"good": GOOD}, rel=2).audit,
        r"Grades 0 to 3, relevant from 2: rel sets another level",
    ),
    (
        lambda: cf.evaluate(QRELS, {"off": {"1": {"A": 1.0}}}, "AP"),
        r"none of the documents of off .*'A', they have 'a'",
    ),
    (lambda: cf.evaluate(QRELS, {"off": {"1": {7: 1.0}}}, "AP"), r"none of the documents of off .*'7', they have 'a'"),
    (lambda: cf.evaluate(DEEP, DISTANCES, "AP"), r"warning: the scores of near rise from the first document of a list"),
    (
        lambda: cf.evaluate(DEEP, DISTANCES, "AP").audit,
        r"the largest score ranks first; .* distances need a minus sign",
    ),
    (lambda: cf.evaluate(DEEP, DISTANCES, "AP", order="file"), r"^(?!.*warning)"),
    (lambda: cf.evaluate(DEEP, {"falls": long_lists(lambda n: -n / 7)}, "AP"), r"^(?!.*audit)"),
    (
        lambda: cf.evaluate(QRELS, frame(**RANKED, socre=[2.0, 1.0]), "AP"),
        r"no column for score .*'socre' looks like one",
    ),
    (lambda: cf.evaluate(QRELS, frame(**RANKED, bm25_score=[2.0, 1.0]), "AP"), r"'bm25_score' looks like one"),
    (lambda: cf.evaluate(QRELS, frame(**RANKED, Scores=[2.0, 1.0]), "AP"), r"'Scores' looks like one"),
    (lambda: cf.evaluate(QRELS, frame(**RANKED), "AP"), r"ranks instead of scores, which order the documents: run"),
    (
        lambda: cf.evaluate(QRELS, frame(**RANKED, score=[1.0, 2.0]), "RR(rel=3)"),
        r"run  0\.2500(?s:.*)RR is RR\(rel=3\)",
    ),
    (
        lambda: cf.evaluate(QRELS | {"3": {}}, {"good": GOOD | {"3": {"z": 1.0}}}, "AP"),
        r"good  0\.6667\n(?s:.*)relevant document \(3\)",
    ),
    (
        lambda: cf.evaluate({1: {"a": 1}, 2: {}}, {"one": {"1": {"a": 1.0}}}, "AP"),
        r"one  0\.5000\n(?s:.*)lacks topics \(one: 2\)",
    ),
    (
        lambda: cf.evaluate({"1": {}}, {"good": GOOD}, "AP"),
        r"warning: 1 of 1 topic has no judgment: questions without an answer",
    ),
    (lambda: cf.evaluate({}, {"good": GOOD}, "AP"), r"is empty: a qrels has at least one line"),
    (
        lambda: cf.evaluate({"1": {f"d{n}": n / 7 for n in range(30)}}, {"x": {"1": {"d1": 1.0}}}, "AP"),
        r"30 different grades, such as .*: they look like scores",
    ),
    (
        lambda: cf.evaluate(QRELS, {"part": {"1": GOOD["1"]}}, "AP"),
        r"part  0\.5000\naudit: warning: 1 run lacks topics \(part: 2\)",
    ),
    (lambda: cf.evaluate(QRELS, {"part": {"1": GOOD["1"]}}, "AP", topics="shared"), r"part  1\.0000"),
    (
        lambda: partly().topic("2"),
        r"warning: 1 of 2 runs lacks topics \(part: 2\), which count 0 \(topics=.shared. leaves .*lists\)\n"
        r"audit: 2 runs, 1 topic\naudit: grades 0 to 3, "
        r"relevant from 1: rel= changes it$",
    ),
    (lambda: partly().topic("1"), r"^(?!(?s:.*)warning)(?s:.*)audit: 2 runs, 1 topic\naudit: grades 0 to 3, [^\n]*$"),
    (
        lambda: official(bounds=True),
        r"the qrels look like TREC's ad hoc tracks: convention=\"trec-adhoc\" scores as published",
    ),
    (lambda: official(convention="trec-adhoc"), r"^(?!(?s:.*)look like)"),
    (lambda: partly().of_runs(["good"]), r"^(?!(?s:.*)warning)(?s:.*)audit: 1 run, 2 topics\n"),
    (lambda: cf.evaluate(QRELS, {"silent": {"1": GOOD["1"], "2": {}}}, "AP"), r"1 run has empty topics \(silent: 2\)"),
    (
        lambda: cf.evaluate(QRELS, {"same": {"1": dict.fromkeys("abc", 1.0), "2": {"d": 1.0}}}, "AP"),
        r"warning: .*75\.0% of documents are tied",
    ),
    (
        lambda: cf.gate(QRELS, {"old": GOOD, "new": GOOD}, "AP", margin=1),
        r"was 1% meant \(--margin 1%, or margin=0\.01 and relative=True\)",
    ),
    (lambda: cf.gate(QRELS, {"old": GOOD, "new": GOOD}, "AP", margin=5), r"a margin of 5 lets every run through"),
    (lambda: cf.gate(QRELS, {"old": GOOD, "new": GOOD}, "NumRelRet", margin=1).verdict, r"undecided"),
    (
        lambda: (
            cf.gate(
                DEEP_SIX, dict.fromkeys(("old", "new"), long_lists(lambda n: 1 / n, topics=SIX)), "NumRelRet", margin=1
            ).verdict
        ),
        r"equivalent",
    ),
    (
        lambda: (
            cf.gate(
                DEEP_SIX,
                {"old": long_lists(lambda n: 1 / n, topics=SIX), "new": long_lists(lambda n: 1 / n, "x", SIX)},
                "P@10",
            ).verdict
        ),
        r"^worse on what was judged: undecided$",
    ),
    (
        lambda: cf.gate(QRELS, {"old": GOOD, "part": {"1": GOOD["1"]}}, "AP").audit,
        r"lacks topics \(part: 2\), which count 0: only=",
    ),
    (
        judged,
        r"no column for query_id .*found: search_id \('1'\), user .*: add columns={.query_id.: .search_id.}",
    ),
    (
        lambda: judged(columns={"query_id": "search_id"}).notes[0],
        r"^columns taken: search_id for query_id, docno for doc_id",
    ),
    (
        lambda: judged(columns={"search_id": "topic"}),
        r"'search_id' is not a known name: known are query_id, doc_id, .*",
    ),
    (
        lambda: cf.evaluate(QRELS, cf.read_runs("renamed.csv", columns=RENAMED), "AP", topics="shared"),
        r"renamed  1\.0000",
    ),
    (
        lambda: cf.read_runs("renamed.csv", columns={"query_id": "query"}),
        r"no column 'query' \(query_id\) in any input; found: search, docno, points",
    ),
    (
        lambda: cf.read_qrels(
            frame(q=["1"], docno=["a"], level=[2]), columns={"query_id": "q", "relevance": "level"}
        ).rows(),
        r"\('1', 'a', 2\)",
    ),
    (lambda: cf.read_runs(GOOD, columns=RENAMED), r"no column 'search' \(query_id\) in any input"),
    (lambda: cf.read_qrels("subtopics.txt"), r"line 2: .*subtopics='max'"),
    (lambda: cf.read_qrels("subtopics.txt", subtopics="max").height, r"^3$"),
    (lambda: cf.join("subtopics.txt", {"good": GOOD}), r"judgments by subtopic"),
    (lambda: cf.Evaluator(DEEP, "AP", audit=True)(DISTANCES), r"the scores of near rise"),
    (lambda: cf.evaluate(QRELS, "ids.run", "AP").audit.fails(strict=True), r"^True$"),
]


@each_of(("ask", "said"), CALLS)
def test_in_python(here: Path, ask: Callable[[], Any], said: str) -> None:
    try:
        found = str(ask())
    except cf.InputError as error:
        found = str(error)
    assert re.search(said, found), found


def test_findings_are_data_the_worst_first() -> None:
    scores = cf.evaluate(QRELS | {"3": {"z": 0}}, {"off": {"1": {"A": 1.0}, "9": {"a": 1.0}}}, "AP")
    found = [(each.severity, each.code, each.count) for each in scores.audit.findings]
    assert found == [
        ("warning", "nothing judged", 1),
        ("warning", "missing topics", 1),
        ("remark", "level", 3),
        ("remark", "extra topics", 1),
        ("remark", "unjudged", 1),
        ("remark", "no relevant document", 1),
    ]
    assert all(each.advice for each in scores.audit.findings)
    assert scores.audit.fails(strict=True)
    assert not scores.audit.fails()
    assert cf.Scores.from_dict(scores.to_dict()).audit == scores.audit


def test_a_level_that_turns_runs_round_is_said() -> None:
    """From level 1 on "wide" has two relevant documents and "high" one; from level 2 on it is the other way."""
    runs = {"wide": {"1": {"b": 2.0, "c": 1.0}}, "high": {"1": {"a": 2.0, "x": 1.0}}}
    said = cf.evaluate({"1": {"a": 2, "b": 1, "c": 1}}, runs, "AP").audit.line()
    assert "relevant from 1 (another level reverses 1 of 1 pair of runs by AP)" in said
    assert "turns" not in cf.evaluate({"1": {"a": 2, "b": 1, "c": 1}}, {"a": runs["wide"]}, "AP").audit.line()
    assert "turns" not in cf.evaluate({"1": {"a": 2, "b": 1, "c": 1}}, runs, "AP", average="median").audit.line()
    assert (
        "relevant from" not in cf.evaluate({"1": {"a": 2, "b": 1, "c": 1}}, runs, "CRP@5").audit.line()
    )  # which heeds none


@pytest.mark.parametrize("asked", [None, 2, 3])
@pytest.mark.parametrize("topics", ["all", "shared"])
def test_what_other_levels_turn_is_what_evaluating_at_them_says(asked: float | None, topics: Any) -> None:
    draw = np.random.default_rng(7)
    qrels = {t: {f"d{n}": int(draw.integers(4)) for n in range(12)} for t in "12345"}
    runs = {
        f"run{r}": {t: {f"d{n}": draw.random() for n in range(12) if n % 3 or draw.random() < 0.7} for t in "1234"}
        for r in range(6)
    }
    measures = ["nDCG@3", "AP", "RR", "AP(rel=1)", "P@2", "R@3"]
    found = cf.evaluate(qrels, runs, measures, rel=asked, topics=topics)

    def means(name: str, rel: float) -> list[float]:
        return list(cf.evaluate(qrels, runs, name, rel=rel, topics=topics).averages[0])

    def turned(name: str) -> int:
        usual, others = means(name, asked or 1), [means(name, rel) for rel in {1, 2, 3} - {asked or 1}]
        pairs = combinations(range(6), 2)
        return sum(any((usual[a] - usual[b]) * (each[a] - each[b]) < -1e-12 for each in others) for a, b in pairs)

    expected = {"AP": turned("AP"), "RR": turned("RR"), "P": turned("P@2")}
    assert [(str(m).split("(")[0].split("@")[0], n) for m, n in found.audit.turned] == [
        *filter(itemgetter(1), expected.items())
    ]
    assert expected["AP"] > 0
    joined = cf.join(qrels, runs, rel=asked, topics=topics)
    assert joined.scores(measures, levels=True).audit.turned == found.audit.turned
    assert joined.scores(measures).audit.turned == ()


@pytest.mark.parametrize(
    "ask",
    [
        lambda runs: cf.evaluate(THREE, runs, "AP"),
        lambda runs: cf.compare(THREE, runs, "AP"),
        lambda runs: cf.compare(THREE, runs, "AP", residuals=True),
        lambda runs: cf.compare_scores(cf.evaluate(THREE, runs, "AP")),
        lambda runs: cf.gate(THREE, runs, "AP"),
        lambda runs: cf.curve(THREE, runs, "CG"),
    ],
    ids=["evaluate", "compare", "residuals", "compare_scores", "gate", "curve"],
)
def test_whatever_is_printed_or_shown_of_runs_has_the_audit_below(ask: Callable[[Any], Any]) -> None:
    found = ask({"part": GOOD, "good": GOOD | {"3": {"f": 1.0}}})
    warning = (
        'audit: warning: 1 of 2 runs lacks topics (part: 3), which count 0 (only="common" leaves them out, '
        'missing="empty" counts them as empty lists)'
    )
    assert warning in str(found).splitlines()
    shown = found._repr_html_()
    assert shown.index("</table>") < shown.index(html.escape(warning))
    qrels = {"1": {"a": 1, "b": 0}, "2": {"d": 1}}
    scores = cf.evaluate(qrels, {"a": {"1": {"a": 1.0}, "2": {"d": 1.0}}}, "RR")
    assert "audit" not in str(scores)  # where there is nothing to know


def test_a_notebook_has_the_audit_below_the_table() -> None:
    shown = cf.evaluate(QRELS, {"part": {"1": GOOD["1"]}}, "AP")._repr_html_()
    assert shown.index("</table>") < shown.index("audit: warning: 1 run lacks topics (part: 2)")
