"""Tables of scores: long or wide, with names or without, from files, frames and dicts; and what cannot be told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import cranfield as cf
from cranfield.formats.score_tables import read_score_table
from cranfield.plumbing.naming import Naming

ROWS = [("a", "t1", 1.0), ("a", "t2", 0.0), ("b", "t1", 0.0), ("b", "t2", 1.0)]
"""What most of these tables say."""

LONG = "model,task_id,resolved\na,t1,{yes}\na,t2,{no}\nb,t1,{no}\nb,t2,{yes}\n"


def read(tmp_path: Path, text: str, name: str = "scores.csv", **options: Any) -> pl.DataFrame:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return read_score_table(tmp_path / name, **options).table


def triples(table: pl.DataFrame) -> list[tuple[Any, ...]]:
    return sorted(table.select("run", "topic", "value").rows())


@pytest.mark.parametrize(
    ("yes", "no"), [("1", "0"), ("True", "false"), ("YES", "no"), ("resolved", "unresolved"), (" 1.0 ", "0e0")]
)
def test_values_are_numbers_or_yes_and_no(tmp_path: Path, yes: str, no: str) -> None:
    table = read(tmp_path, LONG.format(yes=yes, no=no))
    assert triples(table) == ROWS
    assert table["measure"].unique().to_list() == ["resolved"]


@pytest.mark.parametrize(
    "text",
    [
        "task_id,a,b\nt1,1,0\nt2,0,1\n",  # topics as rows
        "model,t1,t2\na,1,0\nb,0,1\n",  # systems as rows
        "task_id\ta\tb\nt1\t1\t0\nt2\t0\t1\n",
        "model;t1;t2\na;1;0\nb;0;1\n",
        "a,t1,1\na,t2,0\nb,t1,0\nb,t2,1\n",  # without names
        '{"model": "a", "t1": true, "t2": false}\n{"model": "b", "t1": false, "t2": true}\n',
        '[{"run": "a", "topic": "t1", "value": 1}, {"run": "a", "topic": "t2", "value": 0},'
        ' {"run": "b", "topic": "t1", "value": 0}, {"run": "b", "topic": "t2", "value": 1}]',
        '{"a": {"t1": 1, "t2": 0}, "b": {"t1": "no", "t2": "yes"}}',
        "run,topic,measure,value\na,t1,score,1\na,t2,score,0\nb,t1,score,0\nb,t2,score,1\n",
    ],
)  # fmt: skip
def test_shapes(tmp_path: Path, text: str) -> None:
    assert triples(read(tmp_path, text, "scores.txt")) == ROWS


def test_frames_and_dicts() -> None:
    wide = pl.DataFrame({"task": ["t1", "t2"], "a": [True, False], "b": [0, 1]})
    held = wide.to_pandas().set_index("task")
    nameless = held.rename_axis(None)
    assert all(triples(read_score_table(each).table) == ROWS for each in (wide, wide.lazy(), held, wide.to_arrow()))
    assert triples(read_score_table(nameless, systems="columns").table) == ROWS
    assert triples(read_score_table({"a": {"t1": 1, "t2": False}, "b": {"t1": 0.0, "t2": True}}).table) == ROWS
    by_measure = read_score_table({"a": {"t1": {"AP": 0.5, "RR": 1.0}}}).table
    assert by_measure.rows() == [("a", "t1", "AP", 0.5), ("a", "t1", "RR", 1.0)]


def test_names_of_ones_own_and_columns_by_their_places(tmp_path: Path) -> None:
    naming = Naming.of({"run": "who", "topic": "what", "value": "won", "attempt": "go", "cluster": "repo"})
    table = read(tmp_path, "what,repo,won,who,go\nt1,r,yes,a,1\nt1,r,no,a,2\n", naming=naming)
    assert table.rows() == [("a", "t1", "won", "1", "r", 1.0), ("a", "t1", "won", "2", "r", 0.0)]
    placed = Naming.of({"run": "2", "topic": "1", "value": "3"})
    assert triples(read(tmp_path, "t1,a,1\nt2,a,0\nt1,b,0\nt2,b,1\n", naming=placed)) == ROWS


def test_several_columns_of_values_are_measures(tmp_path: Path) -> None:
    table = read(tmp_path, "run,topic,note,AP,RR\na,1,good,.5,1\na,2,bad,.25,\n")
    assert table.select("topic", "measure", "value").rows() == [
        ("1", "AP", 0.5), ("2", "AP", 0.25), ("1", "RR", 1.0), ("2", "RR", None),
    ]  # fmt: skip


def test_topics_that_are_called_by_numbers_are_names(tmp_path: Path) -> None:
    assert triples(read(tmp_path, "model,401,402\na,1,0\n")) == [("a", "401", 1.0), ("a", "402", 0.0)]
    assert triples(read(tmp_path, ",401,402\na,.5,0\n")) == [("a", "401", 0.5), ("a", "402", 0.0)]
    assert triples(read(tmp_path, ",a,b\n401,.5,0\n")) == [("a", "401", 0.5), ("b", "401", 0.0)]


def test_rows_without_names_are_topics_and_it_is_said(tmp_path: Path) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text("a,b\n.5,.25\n0,1\n")
    found = read_score_table(path)
    assert triples(found.table) == [("a", "1", 0.5), ("a", "2", 0.0), ("b", "1", 0.25), ("b", "2", 1.0)]
    assert found.notes == ("topics are numbered as the rows are",)
    path.write_text("a,t1,.5\nb,t1,.25\n")
    assert read_score_table(path).notes == ("no header: columns are read as run, topic, value",)


@pytest.mark.parametrize(
    ("text", "options", "problem"),
    [
        ("id,a,b\nx,.5,.25\ny,0,1\n", {}, "systems may be the rows or the columns: give systems='rows' or"),
        (".5,.25\n0,1\n", {}, "the first line holds scores, not a header: name the columns"),
        ("a,0,1\nb,1,0\n", {}, "line 1: the first line may be a header or scores: give header=True or"),
        ("run,topic,other\na,t1,great\n", {}, "no column for value"),
        ("run,value\na,1\n", {}, "no column for query_id"),
        ("task,a,b\nt1,1,great\nt2,0,1\n", {}, "score of run b on topic t1 has a value that is not a finite number"),
        ("task,a,b\nt1,1,nan\n", {}, "score of run b on topic t1 has a value that is not a finite number"),
        ("task,a,a\nt1,1,0\n", {}, "two columns are called 'a'"),
        ("run,topic,value\n,t1,0\n", {}, "row 1 has no run"),
        ("run,topic,value\n", {}, "has no rows"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_refused(tmp_path: Path, text: str, options: dict[str, Any], problem: str) -> None:
    with pytest.raises(cf.InputError, match=problem):
        read(tmp_path, text, **options)


def test_what_the_refusals_name_decides(tmp_path: Path) -> None:
    text = "id,a,b\nx,.5,.25\n"
    assert triples(read(tmp_path, text, systems="columns")) == [("a", "x", 0.5), ("b", "x", 0.25)]
    assert triples(read(tmp_path, text, systems="rows")) == [("x", "a", 0.5), ("x", "b", 0.25)]
    assert triples(read(tmp_path, ".5,.25\n0,1\n", systems="rows")) == [
        ("1", "1", 0.5), ("1", "2", 0.25), ("2", "1", 0.0), ("2", "2", 1.0),
    ]  # fmt: skip
    assert triples(read(tmp_path, "a,0,1\nb,1,0\n", header=True, systems="rows")) == [("b", "0", 1.0), ("b", "1", 0.0)]
    assert len(read(tmp_path, "a,0,1\nb,1,0\n", header=False, systems="rows")) == 4


def test_names_in_any_script(tmp_path: Path) -> None:
    assert triples(read(tmp_path, "topic,模型,نموذج,modèle é\nВопрос,1,0,.5\n")) == [
        ("modèle é", "Вопрос", 0.5), ("نموذج", "Вопрос", 0.0), ("模型", "Вопрос", 1.0),
    ]  # fmt: skip


def test_score_matrices_are_read_as_they_are(data: Path) -> None:
    table = read_score_table(data / "score-matrices" / "adhoc8_ap.csv.gz").table
    assert table["run"].n_unique() == 129 and table["topic"].n_unique() == 50
    assert table.filter(run="run2", topic="1")["value"].to_list() == [0.4711]


def test_what_evaluate_writes_is_read(tmp_path: Path) -> None:
    scores = cf.evaluate({"1": {"d": 1}}, {"a": {"1": ["d"]}}, ["AP", "RR"])
    for name in ("scores.csv", "scores.parquet", "scores.json"):
        written = scores.render(name.rpartition(".")[2], per_topic=True)
        (tmp_path / name).write_bytes(written if isinstance(written, bytes) else written.encode())
        table = read_score_table(tmp_path / name).table
        assert table.filter(topic="1").select("run", "measure", "value").rows() == [("a", "AP", 1.0), ("a", "RR", 1.0)]


def test_lists_are_neither_names_nor_scores() -> None:
    with pytest.raises(cf.InputError, match="no column for run"):
        read_score_table(pl.DataFrame({"foo": ["1"], "bar": [[1, 2]]}))
    for name in ("run", "value"):
        columns: dict[str, list[object]] = {"run": ["a"], "topic": ["1"], "measure": ["AP"], "value": [0.5]}
        with pytest.raises(cf.InputError, match=f"the column of {name} holds lists or records"):
            read_score_table(pl.DataFrame(columns | {name: [[1.0]]}))
