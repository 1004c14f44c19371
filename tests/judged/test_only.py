"""Averages over listed topics alone, or over those that all runs have; and advice that does what it says."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from tools.each import each_of

import cranfield as cf
from cranfield.cli import main
from cranfield.judged.condition_files import OnlyTopics
from cranfield.judged.conditions import Reading
from cranfield.plumbing.interchange import plain, restored

QRELS: dict[str, dict[str, int]] = {"1": {"a": 3, "b": 0}, "2": {"a": 1, "b": 0}, "3": {"b": 1, "a": 0}, "4": {"c": 1}}
RUNS = {
    "good": {"1": ["a", "b"], "2": ["a", "b"], "3": ["b", "x"], "9": ["z"]},
    "poor": {"1": ["b", "a"], "2": ["x", "a"], "3": [], "9": ["z"]},
}
"""Nobody has topic 4, and one run answers topic 3 by silence."""


def as_files(folder: Path) -> tuple[Path, list[Path]]:
    """Write qrels and runs, as text, which cannot say that a topic is empty."""
    qrels = folder / "qrels.txt"
    qrels.write_text("".join(f"{t} 0 {d} {g}\n" for t, of in QRELS.items() for d, g in of.items()))
    runs = []
    for name, run in RUNS.items():
        rows = [(t, d, rank) for t, of in run.items() for rank, d in enumerate(of, 1)]
        runs.append(folder / f"{name}.run")
        runs[-1].write_text("".join(f"{t} Q0 {d} {rank} {9 - rank} r\n" for t, d, rank in rows))
    return qrels, runs


def as_frame(run: dict[str, list[str]]) -> pl.DataFrame:
    rows = [(t, d, 9.0 - rank) for t, of in run.items() for rank, d in enumerate(of)]
    return pl.DataFrame(rows, ["query_id", "doc_id", "score"], orient="row")


def test_values_are_as_they_are_among_all_topics_on_every_road(tmp_path: Path) -> None:
    """A gain of topic 2 is scaled by the largest grade, 3, though that is of topic 1, which does not count."""
    qrels, runs = as_files(tmp_path)
    frames = {name: as_frame(run) for name, run in RUNS.items()}
    measures = ["RR", "RBP(p=0.5)", "nDCG"]
    for given, found in ((QRELS, RUNS), (qrels, runs), (QRELS, frames)):
        every: Any = cf.evaluate(given, found, measures)
        some = cf.evaluate(given, found, measures, only=["3", "2"])
        assert some.topics == ("2", "3")
        assert np.array_equal(some.values, every.values[:, :, [1, 2]])
        assert some["good", "RBP(p=0.5)"] == (0.5 / 3 + 0.5 / 3) / 2
        assert not any(run.extra == ("1",) for run in some.audit.runs)
        assert some.audit.runs[0].extra == ("9",)


@each_of("given", [["2", "3"], {"3", "2"}, {"2": "why?", "3": "how?"}, np.array([2, 3]), (2, 3)])
def test_lists_in_memory(given: Iterable[object]) -> None:
    assert cf.evaluate(QRELS, RUNS, "RR", only=given)["good", "RR"] == 1


WRITTEN = {
    "ids.txt": "2\n3\n",
    "tsv.tsv": "query_id\ttitle\n2\twhy\n3\thow\n",
    "words.txt": "2 why not\n3 how so\n",
    "trec.txt": "<top>\n<num> Number: 2\n<title> why\n</top>\n<top>\n<num> Number: 3\n<title> how\n</top>\n",
    "texts.jsonl": '{"_id": "2", "text": "why"}\n{"_id": "3", "text": "how"}\n',
    "ids.jsonl": '{"query_id": "2"}\n{"query_id": "3"}\n',
    "qrels.txt": "2 0 a 1\n2 0 b 0\n3 0 a 1\n",
}


@each_of("name", WRITTEN)
def test_files_of_topics(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(WRITTEN[name])
    found = cf.evaluate(QRELS, RUNS, "RR", only=tmp_path / name)
    assert found.topics == ("2", "3")
    assert f"2 of 4 topics count (only: {tmp_path / name})" in found.audit.line()


def test_topics_that_all_runs_have(tmp_path: Path) -> None:
    """An empty list is an answer; in a file there is none, so that the topic is missing."""
    found = cf.evaluate(QRELS, RUNS, "RR", only="common")
    assert found.topics == ("1", "2", "3")
    assert found["poor", "RR"] == pytest.approx(1 / 3)
    assert "3 of 4 topics count (which all runs have)" in found.audit.line()
    assert "lack" not in found.audit.line()
    qrels, runs = as_files(tmp_path)
    assert cf.evaluate(qrels, runs, "RR", only="common").topics == ("1", "2")
    assert cf.evaluate(qrels, runs[:1], "RR", only="common").topics == ("1", "2", "3")
    (tmp_path / "common").write_text("1\n")
    assert cf.evaluate(qrels, runs, "RR", only=tmp_path / "common").topics == ("1",)


def test_topics_that_are_added_can_be_kept() -> None:
    found = cf.evaluate(QRELS, RUNS, "RR", topics_file=["9"], only=["1", "9"])
    assert found.topics == ("1", "9")
    assert found["good", "RR"] == 0.5


def test_ids_that_nobody_judged_are_said_and_refused_where_there_are_no_others() -> None:
    found = cf.evaluate(QRELS, RUNS, "RR", only=["1", "77", "78"])
    assert found.audit.lines()[0] == "warning: 2 of the 3 topics of only are not judged (77, 78)"
    assert found.audit.fails(strict=True)
    wrong = "no topic of the qrels is among those of only (1 topic: 77); the qrels have 1, 2, 3 and 4"
    with pytest.raises(cf.InputError, match=re.escape(wrong)):
        cf.evaluate(QRELS, RUNS, "RR", only=["77"])


@each_of(
    ("only", "said"),
    [
        ([], "only lists no topic"),
        (5, "only must be 'common'"),
        ("no-such-file.txt", "no such file"),
        (["4"], "has none of the topics that count (only=1 topic: 4)"),
    ],
)
def test_what_is_refused(only: Any, said: str) -> None:
    with pytest.raises(cf.InputError, match=re.escape(said)):
        cf.evaluate(QRELS, RUNS, "RR", only=only)


def test_no_topic_is_in_all_runs() -> None:
    with pytest.raises(cf.InputError, match="no topic is in all runs"):
        cf.evaluate(QRELS, {"x": {"1": ["a"]}, "y": {"2": ["a"]}}, "RR", only="common")
    with pytest.raises(cf.InputError, match="needs all runs of a call, which are unknown here"):
        cf.Evaluator(QRELS, "RR", only="common")
    assert cf.Evaluator(QRELS, "RR", only=["1"])({"x": RUNS["good"]}).topics == ("1",)


def test_all_that_take_conditions_take_it() -> None:
    joined = cf.join(QRELS, RUNS, only="common")
    assert cf.evaluate(joined, measures="RR", only="common").topics == ("1", "2", "3")
    with pytest.raises(cf.InputError, match="joined with only='common', not '1 topic'"):
        cf.evaluate(joined, measures="RR", only=["1"])
    assert "Means over 2 topics" in cf.compare(QRELS, RUNS, "RR", only=["1", "2"]).caption()
    assert cf.gate(QRELS, RUNS, "RR", only=["1", "2"]).topics == 2
    assert "Averages over 2 topics" in cf.curve(QRELS, RUNS, "nDCG", only=["1", "2"]).caption()
    assert cf.why(QRELS, RUNS["good"], RUNS["poor"], "RR", topic="2", only=["2"]).topic == "2"
    with pytest.raises(cf.InputError, match="topic '1' does not count; only keeps 2"):
        cf.why(QRELS, RUNS["good"], RUNS["poor"], "RR", topic="1", only=["2"])
    page = cf.report(QRELS, RUNS, "RR", only=["1", "2"]).document
    assert page.title.startswith("2 runs on 2 topics")


def test_bounds_are_of_the_topics_that_count() -> None:
    """In topic 3 the good run has one unjudged document, and in topic 2 the poor run."""
    bounds = cf.evaluate(QRELS, RUNS, "P@2", only=["2"], bounds=True, complete=False).limits
    assert bounds is not None
    assert bounds[:, 0, :, 0].tolist() == [[0.5, 0.5], [0.5, 1.0]]


def test_clicks_of_listed_topics_alone() -> None:
    """The new run leads on topic 1, and both are equal on topic 2."""
    rows = {"qid": [*"11112222"], "docno": [*"abababab"], "clicks": [0, 9, 1, 8] * 2, "user": [*"uuvvuuvv"]}
    log = pl.DataFrame(rows | {"shown": [10] * 8})
    old = {t: {"a": 2.0, "b": 1.0} for t in "12"}
    found = cf.click_intervals(
        log, {"old": old, "new": old | {"1": {"b": 2.0, "a": 1.0}}}, [0.5], "RR", by="user", only=["1"]
    )
    assert found.to_polars().select("run", "mean").rows() == [("new", 1.0), ("old", 0.5)]


def test_of_several_collections_each_has_its_own() -> None:
    here = {"qrels": QRELS, "runs": RUNS, "only": ["1"]}
    found = cf.evaluate_all({"here": here, "there": (QRELS, RUNS)}, "RR")
    assert "(1 topic)" in found.caption()
    assert "(4 topics)" in found.caption()
    with pytest.raises(cf.InputError, match="only lists the topics of one collection; give each its own"):
        cf.evaluate_all({"here": (QRELS, RUNS), "there": (QRELS, RUNS)}, "RR", only=["1"])
    both = cf.evaluate_all({"here": (QRELS, RUNS), "there": (QRELS, {"x": {"2": ["a"]}})}, "RR", only="common")
    assert [each.topics for each in both.scores.values()] == [("1", "2", "3"), ("2",)]


def test_of_one_topic_the_list_is_not_told() -> None:
    scores = cf.evaluate(QRELS, RUNS, "RR", only=["1", "2", "77"])
    assert "count" not in str(scores.topic("1"))
    assert "77" not in str(scores.topic("1"))


def test_it_is_kept_with_results() -> None:
    for given in ("common", ["1", "2"]):
        reading = Reading(only=OnlyTopics.taken(given))
        assert restored(plain(reading)) == reading


def of_topics(topics: Iterable[int], *documents: str) -> dict[str, list[str]]:
    return {str(topic): [*documents] for topic in topics}


FIFTY = range(1, 51)
MADE: dict[str, dict[str, dict[str, list[str]]]] = {
    "alike": {"x": of_topics(FIFTY, "a"), "y": of_topics(FIFTY, "b", "a")},
    "one": {"x": of_topics(FIFTY, "a")},
    "differ": {"x": of_topics(FIFTY, "a"), "y": of_topics(range(3, 60), "b", "a")},
    "few": {"x": of_topics(range(1, 299), "a"), "y": of_topics(range(2, 299), "b", "a")},
    "one-few": {"x": of_topics(range(2, 299), "a")},
}
"""Runs of 298 judged topics, 50 of which were asked, or nearly all."""


def followed(asked: list[str]) -> tuple[str, str]:
    """Evaluate, and once more with the option that the warning names first: the warning, and the whole audit."""
    before = CliRunner().invoke(main, ["evaluate", *asked, "-m", "RR"])
    [line] = [line for line in before.stderr.splitlines() if "which count 0 (" in line]
    advised = re.search(r"which count 0 \((--\S+ \S+) ", line)
    assert advised
    after = CliRunner().invoke(main, ["evaluate", *asked, "-m", "RR", *advised[1].split()])
    assert after.exit_code == 0
    assert "count 0" not in after.stderr
    assert after.stdout != before.stdout
    return line, "; ".join(said.removeprefix("audit: ") for said in after.stderr.splitlines())


SAID = {
    "alike": (
        "both runs have the same 50 of 298 topics and lack 248 (51, 52, 53 and 245 more), which count 0 (--topics "
        "shared averages over the 50 that all have)",
        "2 runs, 50 of 298 topics",
    ),
    "one": ("(--topics shared averages over the 50 of 298 topics that it has)", "1 run, 50 of 298 topics"),
    "differ": (
        "both runs lack the same 239 of 298 topics (60, 61, 62 and 236 more), 2 of them more (x: 51, 52, 53 and 6 "
        "more; y: 1, 2), which count 0 (--only common averages over the 48 that all have)",
        "2 runs, 48 topics; 48 of 298 topics count (which all runs have)",
    ),
    "few": (
        "1 of 2 runs lacks topics (y: 1), which count 0 (--only common leaves them out, --missing empty counts them as "
        "empty lists)",
        "2 runs, 297 topics",
    ),
    "one-few": ("(x: 1), which count 0 (--topics shared leaves them out", "1 run, 297 of 298 topics"),
}


@each_of("name", MADE)
def test_advice_followed_word_for_word(name: str, tmp_path: Path) -> None:
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(f"{topic} 0 a 1\n{topic} 0 b 0\n" for topic in range(1, 299)))
    for run, lists in MADE[name].items():
        rows = [(t, d, rank) for t, of in lists.items() for rank, d in enumerate(of, 1)]
        (tmp_path / f"{run}.run").write_text("".join(f"{t} Q0 {d} {rank} {9 - rank} r\n" for t, d, rank in rows))
    before, after = followed([str(qrels), *(str(tmp_path / f"{run}.run") for run in MADE[name])])
    said, then = SAID[name]
    assert said in before
    assert then in after


def test_advice_on_real_runs(tmp_path: Path, data: Path) -> None:
    """Two runs, cut to 20 topics each, 15 of them the same."""
    for collection in ("covid-round1", "trec8-adhoc"):
        folder = data / collection
        topics = list(cf.read_qrels(folder / "qrels.txt")["query_id"].unique(maintain_order=True))
        paths = []
        for nth, run in enumerate(sorted((folder / "runs").glob("*.gz"))[:2]):
            some = pl.col("query_id").is_in(topics[5 * nth : 20 + 5 * nth])
            paths.append(str(tmp_path / f"{nth}.run"))
            cf.write_run(cf.read_run(run).filter(some), paths[-1])
        before, after = followed([str(folder / "qrels.txt"), *paths])
        assert "2 of them more" in before
        assert "averages over the 15 that all have" in before
        assert f"2 runs, 15 topics; 15 of {len(topics)} topics count" in after


def test_a_chart_of_curves_and_the_command_of_a_report_keep_the_topics(tmp_path: Path) -> None:
    qrels, runs = as_files(tmp_path)
    (tmp_path / "some.txt").write_text("1\n2\n")
    asked = [str(qrels), *map(str, runs), "--only", str(tmp_path / "some.txt")]
    for command in (["why", "--topic", "1"], ["compare"], ["ties"], ["report", "--sentences"]):
        found = CliRunner().invoke(main, [command[0], *asked, *command[1:]])
        assert found.exit_code == 0, found.output
    found = CliRunner().invoke(main, ["report", *asked, "-o", str(tmp_path / "page.html")])
    assert found.exit_code == 0, found.output
    assert f"--only {tmp_path / 'some.txt'}" in (tmp_path / "page.html").read_text()
