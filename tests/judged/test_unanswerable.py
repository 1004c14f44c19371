"""Questions without an answer, as they are written: kept, counted and said, on every road the same."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.each import each_of

import cranfield as cf
from cranfield.cli import main

M = ["P@1", "nDCG", "NDCGT", "NumRel"]
QRELS = {"q1": {"a": 1}, "q2": {}}
"""Question q2 has no answer."""
RUNS = {"abstains": {"q1": {"a": 1.0}}, "answers": {"q1": {"a": 1.0}, "q2": {"x": 1.0}}}
IN_TEXT = "q1 0 a 1\nq2 0 z 0\n"


def in_files(here: Path) -> list[str]:
    """The runs as files of TREC: who is silent has no line."""
    for name, topics in RUNS.items():
        lines = [f"{topic} Q0 {doc} 1 {score} r\n" for topic, found in topics.items() for doc, score in found.items()]
        (here / f"{name}.run").write_text("".join(lines))
    return [str(here / f"{name}.run") for name in RUNS]


def written(here: Path) -> dict[str, tuple[Callable[[], Any], dict[str, Any]]]:
    """The same judgments in every way to write them, and what more is asked."""

    def file(name: str, text: str) -> Callable[[], str]:
        def write() -> str:
            (here / name).write_text(text)
            return str(here / name)

        return write

    def parquet() -> str:
        rows = pl.DataFrame({"query_id": ["q1", "q2"], "doc_id": ["a", "z"], "relevance": [1, 0]})
        rows.write_parquet(here / "qrels.parquet")
        return str(here / "qrels.parquet")

    frame = pl.DataFrame({"query_id": ["q1", "q2"], "doc_id": ["a", "z"], "relevance": [1, 0]})
    graded = json.dumps({"q1": {"a": 1}, "q2": {"z": 0}})
    return {
        "TREC": (file("qrels.txt", IN_TEXT), {}),
        "TREC, read with care": (file("care.txt", "\ufeff" + IN_TEXT), {}),
        "CSV": (file("qrels.csv", "query_id,doc_id,relevance\nq1,a,1\nq2,z,0\n"), {}),
        "JSON, a grade of 0": (file("graded.json", graded), {}),
        "JSON, nothing": (file("empty.json", json.dumps(QRELS)), {}),
        "JSON of another name": (file("empty.txt", json.dumps(QRELS)), {}),
        "JSON, read with care": (file("odd.json", '{"q1": [["a", 1]], "q2": []}'), {}),
        "an open file": (lambda: io.StringIO(json.dumps(QRELS)), {}),
        "Parquet": (parquet, {}),
        "a frame": (lambda: frame, {}),
        "pandas": (frame.to_pandas, {}),
        "a dict": (lambda: QRELS, {}),
        "a dict that is not plain": (lambda: {"q1": {"a": True}, "q2": {}}, {}),
        "pairs": (lambda: [("q1", {"a": 1}), ("q2", {})], {}),
        "tuples": (lambda: [("q1", "a", 1), ("q2", "z", 0)], {}),
        "listed": (file("only.txt", "q1 0 a 1\n"), {"topics_file": ["q1", "q2"]}),
        "listed in a file": (lambda: {"q1": {"a": 1}}, {"topics_file": file("topics.tsv", "q1\tWhy?\nq2\tWhen?\n")}),
        "listed in JSON": (
            lambda: {"q1": {"a": 1}},
            {"topics_file": file("t.jsonl", '{"query_id": "q1", "text": "a"}\n{"query_id": "q2", "text": "b"}\n')},
        ),
    }  # fmt: skip


@each_of("missing", ["zero", "empty"])
def test_every_road_says_the_same(tmp_path: Path, missing: Any) -> None:
    """P@1 and nDCG are 1/2 for both; NDCGT is 1 for silence, 1 / log2(3) for one document, and 0 for a line too few."""
    files = in_files(tmp_path)
    silence = {"zero": 0.0, "empty": 1.0}[missing]
    for road, (qrels, more) in written(tmp_path).items():
        asked = {name: value() if callable(value) else value for name, value in more.items()}
        for runs in (RUNS, files) if road in {"TREC", "a dict"} else (files,):
            scores = cf.evaluate(qrels(), runs, M, missing=missing, **asked)
            assert scores.topics == ("q1", "q2"), road
            assert scores.averages[:, 0].tolist() == pytest.approx([0.5, 0.5, (1 + silence) / 2, 1]), road
            assert scores.averages[:, 1].tolist() == pytest.approx([0.5, 0.5, (1 + 0.6309297535714575) / 2, 1]), road
            assert scores.audit.without_relevant == ("q2",), road
            said = {found.code: str(found) for found in scores.audit.findings}
            assert said["no relevant document"].startswith("1 topic without a relevant document (q2)"), road
            assert ('missing="empty"' in scores.audit.line()) == (missing == "zero"), road
            judged = "z" in str(qrels()) or road.startswith(("TREC", "CSV", "JSON, a grade", "Parquet"))
            assert scores.audit.without_judgment == (() if judged else ("q2",)), road


def test_the_command_names_the_option(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\n")
    (tmp_path / "topics.txt").write_text("q1\nq2\n")
    asked = ["evaluate", f"{tmp_path}/qrels.txt", *in_files(tmp_path), "-m", "NDCGT"]
    asked += ["--topics-file", f"{tmp_path}/topics.txt"]
    zero = CliRunner().invoke(main, asked)
    assert zero.stdout.split()[2:] == ["abstains", "0.5000", "answers", "0.8155"]
    assert "lacks topics (abstains: q2), which count 0 (--only common leaves them out, --missing empty" in zero.stderr
    assert "1 topic without a relevant document (q2), 1 without any judgment" in zero.stderr
    empty = CliRunner().invoke(main, [*asked, "--missing", "empty"])
    assert empty.stdout.split()[2:] == ["abstains", "1.0000", "answers", "0.8155"]


def test_of_several_collections_each_has_a_list_of_its_own() -> None:
    one = {"qrels": {"q1": {"a": 1}}, "runs": RUNS, "topics_file": ["q1", "q2"], "missing": "empty"}
    found = cf.evaluate_all({"one": one, "two": (QRELS, RUNS)}, "NDCGT", missing="empty")
    assert found["one"].averages.tolist() == found["two"].averages.tolist()
    with pytest.raises(cf.InputError, match="the topics of one collection"):
        cf.evaluate_all({"one": (QRELS, RUNS), "two": (QRELS, RUNS)}, "NDCGT", topics_file=["q1", "q2"])


def test_a_list_of_topics_that_nobody_judged_is_warned_of() -> None:
    """As in tracks that judge 43 of 200 topics."""
    listed = cf.evaluate({"q1": {"a": 1}}, RUNS, "AP", topics_file=["q1", "q2", "q3"])
    [found] = [each for each in listed.audit.findings if each.code == "no judgment"]
    assert (found.severity, found.count) == ("warning", 2)
    assert not any(each.code == "no judgment" for each in cf.evaluate(QRELS, RUNS, "AP").audit.findings)


def test_of_all_topics_without_an_answer_silence_is_best() -> None:
    qrels: dict[str, dict[str, int]] = {"q1": {}, "q2": {}}
    scores = cf.evaluate(qrels, {"none": {"q1": {}}, "all": RUNS["answers"]}, ["NDCGT", "AP"], missing="empty")
    assert scores.averages[0].tolist() == pytest.approx([1, 0.6309297535714575])
    assert scores.averages[1].tolist() == [0, 0]


@each_of(
    ("given", "problem"),
    [
        ([], "lists no topic"),
        (7, "topics_file must be"),
        ([None], "the topic is missing"),
        ("nowhere.txt", "nowhere.txt"),
    ],
)
def test_mistakes_are_one_sentence(given: Any, problem: str) -> None:
    with pytest.raises(cf.InputError, match=problem):
        cf.evaluate(QRELS, RUNS, "AP", topics_file=given)


def test_ids_that_are_attacks() -> None:
    topics = ['"><script>', "a\nb", "\x1b[31m", "топик"]
    scores = cf.evaluate({"q1": {"a": 1}}, RUNS, ["NDCGT"], topics_file=["q1", *topics], missing="empty")
    assert scores.topics == ("q1", *topics)
    assert "\x1b" not in str(scores.audit)
    assert "<script>" not in scores.audit._repr_html_()


TOPIC = st.sampled_from([f"q{i}" for i in range(6)])


@settings(max_examples=25, deadline=None)
@given(st.dictionaries(TOPIC, st.dictionaries(st.sampled_from("abc"), st.integers(0, 2))), st.lists(TOPIC))
def test_listed_topics_are_empty_ones(qrels: dict[str, dict[str, int]], listed: Iterable[str]) -> None:
    """To list a topic is to give it no judgments, whatever else is there; joined and parted runs among it."""
    qrels = {"q0": {"a": 1}, **qrels}
    listed = list(listed)
    both = {**qrels, **{topic: {} for topic in listed if topic not in qrels}}
    run = {topic: {"a": 2.0, "x": 1.0} for topic in ("q0", "q2", "q4")}
    [one, other] = [
        cf.join(qrels, {"r": run}, topics_file=listed or ["q0"], missing="empty"),
        cf.join(both, {"r": run}, missing="empty"),
    ]
    assert one.topics == other.topics
    for rel in (None, 2):
        assert (one.under(rel=rel).scores(M).values == other.under(rel=rel).scores(M).values).all()
