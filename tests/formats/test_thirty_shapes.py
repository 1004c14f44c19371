"""Shapes as people have them, in `evaluate`, `gate` and `report`, from the shell and from Python.

Each is read at once, or refused by a message that, followed word for word, makes it work: the advice is taken out of
the message and done. What needs another file is refused in words that are looked at.
"""

from __future__ import annotations

import ast
import json
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner
from tools.each import each_of

import cranfield as cf
from cranfield.cli import main

TOPICS = [f"q{number}" for number in range(1, 9)]
GOLD = {topic: f"d{topic[1:]}" for topic in TOPICS}
LISTS = {
    "old": {topic: [("x", 0.9), (GOLD[topic], 0.8), ("y", 0.3)] for topic in TOPICS},
    "new": {topic: [(GOLD[topic], 0.9), ("x", 0.8), ("y", 0.3)] for topic in TOPICS},
}
"""What answers a question stands second in all lists of old, and first in all of new: RR is 1/2 and 1."""

Given: TypeAlias = tuple[Any, Any]
"""Qrels and runs, as paths or as what Python holds."""
Make: TypeAlias = Callable[[Path], Given]
QRELS, RUN = ("query_id", "doc_id", "relevance"), ("query_id", "doc_id", "score")
OWN_QRELS, OWN_RUN = ("question_nr", "passage", "useful"), ("question_nr", "passage", "match_score")


def judged(names: tuple[str, ...]) -> list[dict[str, Any]]:
    return [dict(zip(names, (topic, GOLD[topic], 1), strict=True)) for topic in TOPICS]


def listed(run: str, names: tuple[str, ...]) -> list[dict[str, Any]]:
    return [dict(zip(names, (topic, *pair), strict=True)) for topic in TOPICS for pair in LISTS[run][topic]]


def frames(
    of: Callable[[list[dict[str, Any]]], Any], qrels: tuple[str, ...] = QRELS, run: tuple[str, ...] = RUN
) -> Make:
    """Make DataFrames."""
    return lambda _: (of(judged(qrels)), {name: of(listed(name, run)) for name in LISTS})


def files(write: Callable[[list[dict[str, Any]], Path], object], suffix: str, *names: tuple[str, ...]) -> Make:
    """Make a file of rows for the qrels and for each run."""
    qrels, run = names or (QRELS, RUN)

    def make(folder: Path) -> Given:
        write(judged(qrels), folder / f"golden{suffix}")
        for name in LISTS:
            write(listed(name, run), folder / f"{name}{suffix}")
        return str(folder / f"golden{suffix}"), [str(folder / f"{name}{suffix}") for name in LISTS]

    return make


def csv(**layout: Any) -> Callable[[list[dict[str, Any]], Path], None]:
    return lambda rows, path: pd.DataFrame(rows).to_csv(path, **{"index": False, **layout})


def write_lines(rows: list[Any], path: Path) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def lines(
    golden: Callable[[str, str], dict[str, Any]], answer: Callable[[str, list[tuple[str, float]]], dict[str, Any]]
) -> Make:
    """Make JSON lines, a record a question."""

    def make(folder: Path) -> Given:
        write_lines(
            [{"text": f"text of {each}", "doc_id": each} for each in ("x", "y", *GOLD.values())], folder / "docs"
        )
        qrels = write_lines([golden(topic, GOLD[topic]) for topic in TOPICS], folder / "golden.jsonl")
        runs = {name: [answer(topic, pairs) for topic, pairs in of.items()] for name, of in LISTS.items()}
        return qrels, [write_lines(rows, folder / f"{name}.jsonl") for name, rows in runs.items()]

    return make


def wholes(golden: Any, answers: Callable[[dict[str, Any]], Any]) -> Make:
    """Make JSON, one value a file."""

    def make(folder: Path) -> Given:
        (folder / "golden.json").write_text(json.dumps(golden))
        for name, of in LISTS.items():
            (folder / f"{name}.json").write_text(json.dumps(answers(of)))
        return str(folder / "golden.json"), [str(folder / f"{name}.json") for name in LISTS]

    return make


def response(pairs: list[tuple[str, float]]) -> dict[str, Any]:
    """Answer as Elasticsearch does."""
    hits = [{"_index": "i", "_id": name, "_score": score, "_source": {"id": "other"}} for name, score in pairs]
    return {"took": 3, "timed_out": False, "hits": {"total": {"value": len(hits)}, "hits": hits}}


def ids(pairs: list[tuple[str, float]]) -> list[str]:
    return [name for name, _ in pairs]


def scored(pairs: list[tuple[str, float]], name: str = "id", score: str = "score", **more: Any) -> list[dict[str, Any]]:
    return [{name: document, score: number, **more} for document, number in pairs]


def both(folder: Path) -> Given:
    (folder / "golden.json").write_text(json.dumps({topic: {document: 1} for topic, document in GOLD.items()}))
    nested = {name: {topic: dict(pairs) for topic, pairs in of.items()} for name, of in LISTS.items()}
    (folder / "both.json").write_text(json.dumps(nested))
    return str(folder / "golden.json"), [str(folder / "both.json")]


def systems(folder: Path) -> Given:
    rows = [
        {"query_id": topic, "system": name, "retrieved": scored(pairs)}
        for name, of in LISTS.items()
        for topic, pairs in of.items()
    ]
    golden = [{"query_id": topic, "relevant": [document]} for topic, document in GOLD.items()]
    return write_lines(golden, folder / "golden.jsonl"), [write_lines(rows, folder / "both.jsonl")]


def clicks(folder: Path) -> Given:
    rows = [
        {"query_id": topic, "doc_id": document, "clicks": 30 if document == GOLD[topic] else 0, "impressions": 40}
        for topic in TOPICS
        for document in ("x", "y", GOLD[topic])
    ]
    _, runs = files(csv(), ".csv")(folder)
    csv()(rows, folder / "clicks.csv")
    return str(folder / "clicks.csv"), runs


def grouped(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return pl.DataFrame(rows).group_by("query_id", maintain_order=True).all().to_dicts()


def long_frame(_: Path) -> Given:
    return pd.DataFrame(judged(QRELS)), pd.concat(pd.DataFrame(listed(name, RUN)).assign(system=name) for name in LISTS)


def auto_rag(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Make a row a question: what AutoRAG keeps in Parquet."""
    held = pl.DataFrame(rows).group_by("query_id", maintain_order=True).all().rename({"query_id": "qid"})
    if "score" in held.columns:
        return held.rename({"doc_id": "retrieved_ids", "score": "retrieve_scores"})
    return held.select("qid", retrieval_gt=pl.concat_list("doc_id").reshape((-1, 1)))


def parquet(of: Callable[[list[dict[str, Any]]], pl.DataFrame]) -> Callable[[list[dict[str, Any]], Path], None]:
    return lambda rows, path: of(rows).write_parquet(path)


def trec(folder: Path) -> Given:
    (folder / "golden.txt").write_text("".join(f"{topic} 0 {gold} 1\n" for topic, gold in GOLD.items()))
    for name, of in LISTS.items():
        rows = [f"{topic} Q0 {each} 0 {score} {name}\n" for topic, pairs in of.items() for each, score in pairs]
        (folder / f"{name}.run").write_text("".join(rows))
    return str(folder / "golden.txt"), [str(folder / f"{name}.run") for name in LISTS]


SHAPES: dict[str, Make] = {
    "TREC text": trec,
    "pandas": frames(pd.DataFrame),
    "pandas, own names": frames(pd.DataFrame, OWN_QRELS, OWN_RUN),
    "pandas, topics as index": frames(lambda rows: pd.DataFrame(rows).set_index("query_id")),
    "pandas, two indexes": frames(lambda rows: pd.DataFrame(rows).set_index(["query_id", "doc_id"])),
    "pandas, rows left out": frames(lambda rows: pd.DataFrame(rows).iloc[::-1]),
    "pandas, categories": frames(lambda rows: pd.DataFrame(rows).astype({"query_id": "category", "doc_id": "string"})),
    "pandas, small numbers": frames(lambda rows: pd.DataFrame(rows).astype({[*rows[0]][2]: "float32"})),
    "pandas, a list a cell": frames(lambda rows: pd.DataFrame(grouped(rows))),
    "pandas, both runs in one": long_frame,
    "polars, own names": frames(pl.DataFrame, OWN_QRELS, OWN_RUN),
    "polars, lazy": frames(pl.LazyFrame),
    "polars, a list a cell": frames(lambda rows: pl.DataFrame(grouped(rows))),
    "polars, own lists": frames(
        lambda rows: pl.DataFrame(grouped(rows)).select(
            pl.col("query_id").alias("case_nr"),
            pl.col("doc_id").alias("gold_chunks" if "relevance" in rows[0] else "found_chunks"),
        )
    ),
    "Arrow, own names": frames(pa.Table.from_pylist, OWN_QRELS, OWN_RUN),
    "Parquet, own names": files(parquet(pl.DataFrame), ".parquet", OWN_QRELS, OWN_RUN),
    "Parquet, AutoRAG": files(parquet(auto_rag), ".parquet"),
    "CSV, semicolons and a mark": files(csv(sep=";", encoding="utf-8-sig"), ".csv"),
    "CSV, own names": files(csv(), ".csv", OWN_QRELS, OWN_RUN),
    "CSV, own names, semicolons and a mark": files(csv(sep=";", encoding="utf-8-sig"), ".csv", OWN_QRELS, OWN_RUN),
    "CSV, rows numbered": files(csv(index=True), ".csv"),
    "CSV, a list a cell": files(lambda rows, path: pd.DataFrame(grouped(rows)).to_csv(path, index=False), ".csv"),
    "CSV, clicks": clicks,
    "TSV": files(csv(sep="\t"), ".tsv"),
    "JSON lines, rows of own names": files(write_lines, ".jsonl", OWN_QRELS, OWN_RUN),
    "JSON lines, a list a field": files(lambda rows, path: write_lines(grouped(rows), path), ".jsonl"),
    "JSON lines, own names": lines(
        lambda topic, gold: {"question_id": topic, "question": "Why so?", "gold_chunk_ids": [gold]},
        lambda topic, pairs: {
            "case": {"case_id": topic, "text": "Why so?"},
            "output": {"answer": "So.", "found": scored(pairs, "chunk_ref", "closeness", body="some words")},
        },
    ),
    "JSON lines, other names in each": lines(
        lambda topic, gold: {"ticket_id": topic, "gold": gold},
        lambda topic, pairs: {"case_id": topic, "answer_docs": ids(pairs)},
    ),
    "JSON lines, ids next to scores": lines(
        lambda topic, gold: {"question_id": topic, "gold_ids": [gold]},
        lambda topic, pairs: {"question_id": topic, "ids": ids(pairs), "scores": [score for _, score in pairs]},
    ),
    "JSON lines, pairs": lines(
        lambda topic, gold: {"query_id": topic, "relevant": gold},
        lambda topic, pairs: {"query_id": topic, "results": [[name, score] for name, score in pairs]},
    ),
    "JSON lines, scores by document": lines(
        lambda topic, gold: {"query_id": topic, "qrels": {gold: 2, "x": 0}},
        lambda topic, pairs: {"query_id": topic, "results": dict(pairs)},
    ),
    "JSON lines, both systems": systems,
    "RAGAS": lines(
        lambda topic, gold: {"user_input": topic, "reference_context_ids": [gold]},
        lambda topic, pairs: {"user_input": topic, "retrieved_context_ids": ids(pairs), "response": "So."},
    ),
    "DeepEval": lines(
        lambda topic, gold: {"input": topic, "context": [f"text of {gold}"]},
        lambda topic, pairs: {"input": topic, "retrieval_context": [f"text  of {name}" for name in ids(pairs)]},
    ),
    "LlamaIndex": lines(
        lambda topic, gold: {"query": topic, "expected_ids": [gold], "retrieved_ids": ["z"]},
        lambda topic, pairs: {"query": topic, "expected_ids": [], "retrieved_ids": ids(pairs), "mode": "text"},
    ),
    "LlamaIndex, responses": lines(
        lambda topic, gold: {"query": topic, "relevant_docs": [gold]},
        lambda topic, pairs: {
            "query": topic,
            "source_nodes": [{"node": {"id_": name, "text": "some words"}, "score": score} for name, score in pairs],
        },
    ),
    "LangChain": lines(
        lambda topic, gold: {"id": topic, "question": "Why so?", "relevant": [gold]},
        lambda topic, pairs: {
            "id": topic,
            "query": "Why so?",
            "result": "So.",
            "source_documents": [
                {"page_content": "some words", "metadata": {"id": name, "score": score}, "type": "Document"}
                for name, score in pairs
            ],
        },
    ),
    "LangSmith": lines(
        lambda topic, gold: {
            "id": f"8f1d-{topic}",
            "inputs": {"question": topic},
            "outputs": {"answer": "So it is.", "documents": [{"id": gold, "page_content": "some words"}]},
        },
        lambda topic, pairs: {
            "id": f"77aa-{topic}",
            "inputs": {"question": topic},
            "outputs": {"documents": scored(pairs, page_content="some words")},
        },
    ),
    "Haystack": lines(
        lambda topic, gold: {"query_id": topic, "gold_ids": [gold]},
        lambda topic, pairs: {"query_id": topic, "documents": scored(pairs, content="some words", meta={})},
    ),
    "RankLLM": lines(
        lambda topic, gold: {"qid": topic, "relevant_docs": {gold: 1}},
        lambda topic, pairs: {
            "query": {"text": "why", "qid": topic},
            "candidates": scored(pairs, "docid", doc={"text": "some words"}),
        },
    ),
    "DPR": lines(
        lambda topic, gold: {"question": topic, "positive_ctxs": [{"text": "some words", "passage_id": gold}]},
        lambda topic, pairs: {"question": topic, "ctxs": [{"id": name, "score": str(score)} for name, score in pairs]},
    ),
    "FlashRAG": lines(
        lambda topic, gold: {"id": topic, "question": "Why so?", "golden_answers": ["So."], "gold_ids": [gold]},
        lambda topic, pairs: {
            "id": topic,
            "question": "Why so?",
            "golden_answers": ["So."],
            "output": {"retrieval_result": scored(pairs, contents="some words")},
        },
    ),
    "JSON": wholes(
        {topic: [gold] for topic, gold in GOLD.items()}, lambda of: {topic: dict(of[topic]) for topic in of}
    ),
    "JSON, both runs": both,
    "Elasticsearch": wholes(
        {topic: [gold] for topic, gold in GOLD.items()}, lambda of: {topic: response(of[topic]) for topic in of}
    ),
    "Elasticsearch, a line each": lines(
        lambda topic, gold: {"query_id": topic, "relevant": [gold]},
        lambda topic, pairs: {"query_id": topic, **response(pairs)},
    ),
    "Elasticsearch, _msearch": wholes(
        {topic: [gold] for topic, gold in GOLD.items()},
        lambda of: {"took": 1, "responses": [response(of[topic]) for topic in of]},
    ),
    "Elasticsearch, _rank_eval": wholes(
        {"requests": [{"id": topic, "ratings": [{"_id": gold, "rating": 1}]} for topic, gold in GOLD.items()]},
        lambda of: {
            "metric_score": 0.5,
            "details": {topic: {"hits": [{"hit": hit} for hit in response(of[topic])["hits"]["hits"]]} for topic in of},
        },
    ),
}  # fmt: skip


REFUSED: dict[str, tuple[Make, str]] = {
    "CSV, decimals of German": (
        files(csv(sep=";", encoding="utf-8-sig", decimal=","), ".csv"),
        "old.csv, line 2: the score '0,9' is not a number: decimals have a point, not a comma",
    ),
    "CSV, UTF-16": (files(csv(encoding="utf-16"), ".csv"), "UTF-16 text; convert the file to UTF-8"),
    "CSV, lists as numpy writes them": (
        files(lambda rows, path: _numpy(grouped(rows)).to_csv(path, index=False), ".csv"),
        "line 2: \"['x' 'd1' 'y']\" is no list with commas: write JSON lines, df.to_json(FILE, orient='records'",
    ),
}


def _numpy(rows: list[dict[str, Any]]) -> pd.DataFrame:
    return pd.DataFrame(
        {name: [pd.Series(row[name]).to_numpy() if isinstance(row[name], list) else row[name] for row in rows]
         for name in rows[0]}
    )  # fmt: skip


class Follower:
    """Whoever does what a message says, and calls again."""

    def __init__(self, given: Given) -> None:
        self.qrels, self.runs = given
        self.names: dict[str, dict[str, list[str]]] = {}
        self.options: list[str] = []
        self.said: list[str] = []

    def python(self, call: Callable[..., Any]) -> Any:
        while True:
            try:
                return call(self.qrels, self.runs, "RR", **self.names)
            except cf.InputError as error:
                if str(error) in self.said or not self._done(str(error)):
                    raise
                self.said.append(str(error))

    def shell(self, command: str, *options: str) -> Any:
        while True:
            done = CliRunner().invoke(main, [command, self.qrels, *self.runs, "-m", "RR", *options, *self.options])
            if done.exit_code in {0, 1, 3}:
                return done
            assert done.exit_code == 2, done.output
            if done.stderr in self.said or not self._typed(done.stderr):
                raise cf.InputError(done.stderr)
            self.said.append(done.stderr)

    def _done(self, message: str) -> bool:
        """Do what is advised in Python."""
        advised = re.findall(r"\b(columns|fields)=(\{[^}]*\})", message)
        for parameter, written in advised:
            of = self.names.setdefault(parameter, {})
            for ours, theirs in ast.literal_eval(written).items():
                of.setdefault(ours, []).append(theirs)
        written = re.search(r"cranfield\.\w+\('(.*?)',.*?\)(\.\w+\(\))?", message)
        if written is not None:
            self._replace(written[1], eval(written[0], {"cranfield": cf, "FILE": "docs"}))  # noqa: S307
        if "give dict(zip(topics, answers['responses']))" in message:
            answers = {name: json.loads(Path(path).read_text()) for name, path in zip(LISTS, self.runs, strict=True)}
            self.runs = {name: dict(zip(TOPICS, held["responses"], strict=True)) for name, held in answers.items()}
            return True
        return bool(advised) or written is not None

    def _typed(self, message: str) -> bool:
        """Type what is advised in a shell."""
        options = [
            word for each in re.findall(r"--(?:columns|field) (?:'[^']*'|\S+)", message) for word in shlex.split(each)
        ]
        self.options += options
        command = re.search(r"`cranfield ([^`]*)`", message)
        if command is not None:
            words = shlex.split(command[1].replace("FILE", "docs"))
            assert CliRunner().invoke(main, words).exit_code == 0
            self._replace(words[1], words[-1])
        if 'write a line {"topic": ..., "documents": ...} for each' in message:
            for path in self.runs:
                held = zip(TOPICS, json.loads(Path(path).read_text())["responses"], strict=True)
                write_lines([{"topic": topic, "documents": each} for topic, each in held], Path(path))
            return True
        return bool(options) or command is not None

    def _replace(self, path: str, by: Any) -> None:
        if path == self.qrels:
            self.qrels = by
        elif isinstance(by, str):
            self.runs = [by if each == path else each for each in self.runs]
        else:
            held = self.runs if isinstance(self.runs, dict) else dict(zip(LISTS, self.runs, strict=True))
            self.runs = {name: by if each == path else each for name, each in held.items()}


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Make], Follower]]:
    """Make a shape in a folder of its own, of which there may be several in a test."""
    folders = (tmp_path / str(number) for number in range(1000))

    def made(shape: Make) -> Follower:
        folder = next(folders)
        folder.mkdir()
        monkeypatch.chdir(folder)
        return Follower(shape(Path()))

    yield made


FILES = [name for name in SHAPES if not re.match("pandas|polars|Arrow", name)]


@each_of("name", SHAPES)
def test_evaluate_in_python(make: Callable[[Make], Follower], name: str) -> None:
    scores = make(SHAPES[name]).python(cf.evaluate)
    assert scores.averages.tolist() == [[0.5, 1.0]]
    assert scores.runs == ("old", "new")


@each_of("name", FILES)
def test_evaluate_in_a_shell(make: Callable[[Make], Follower], name: str) -> None:
    said = make(SHAPES[name]).shell("evaluate", "--no-audit").stdout.split()
    assert said[3::2] == ["0.5000", "1.0000"]
    assert [run.removesuffix("-run") for run in said[2::2]] == ["old", "new"]


@each_of("name", [name for name in FILES if "lines" in name or name[0] not in "CTJPE"])
def test_records_in_memory(make: Callable[[Make], Follower], name: str) -> None:
    shape = make(SHAPES[name])
    if name == "DeepEval":  # its texts are found by the name of the file
        return
    shape.qrels = [json.loads(line) for line in Path(shape.qrels).read_text().splitlines()]
    held = [[json.loads(line) for line in Path(path).read_text().splitlines()] for path in shape.runs]
    shape.runs = held[0] if len(held) == 1 else dict(zip(LISTS, held, strict=True))
    assert shape.python(cf.evaluate).averages.tolist() == [[0.5, 1.0]]


@each_of("name", REFUSED)
def test_what_is_refused_says_what_is_wrong(make: Callable[[Make], Follower], name: str) -> None:
    shape, told = REFUSED[name]
    calls: list[Callable[[Follower], Any]] = [lambda one: one.python(cf.evaluate), lambda one: one.shell("evaluate")]
    for call in calls:
        with pytest.raises(cf.InputError) as refused:
            call(make(shape))
        assert told in str(refused.value)
        assert "\n" not in str(refused.value).strip()


@pytest.mark.integration
@each_of("name", SHAPES)
def test_gate_and_report_in_python(make: Callable[[Make], Follower], name: str) -> None:
    shape = make(SHAPES[name])
    assert shape.python(cf.gate).verdict == "better"
    assert "new leads old by 0.5000 in RR, with a mean of 1.0000." in str(shape.python(cf.report).sentences)


@pytest.mark.integration
@each_of("name", FILES)
def test_gate_and_report_in_a_shell(make: Callable[[Make], Follower], name: str) -> None:
    shape = make(SHAPES[name])
    assert "better" in shape.shell("gate").stdout
    assert re.match(
        r"new(-run)? leads old(-run)? by 0\.5000 in RR, with a mean of 1\.0000",
        shape.shell("report", "--sentences").stdout,
    )


@each_of("name", ["RAGAS", "LlamaIndex", "LangChain", "Haystack", "RankLLM", "DPR", "FlashRAG", "Elasticsearch"])
def test_what_tools_write_needs_no_word(make: Callable[[Make], Follower], name: str) -> None:
    shape = make(SHAPES[name])
    shape.shell("evaluate", "--no-audit")
    assert shape.said == []
