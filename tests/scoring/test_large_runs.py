"""Runs in Parquet that are read a few topics at a time: as if they had been read at once, and refused as well."""

from __future__ import annotations

import random
import shutil
import tempfile
from pathlib import Path
from runpy import run_path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.cli import main
from cranfield.formats import parted, read_runs
from cranfield.judged.judgments import Judgments
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.interchange import same
from cranfield.scoring.engines.local import ranked_batches

assert_the_same = run_path(str(Path(__file__).with_name("test_topics_in_parts.py")))["assert_the_same"]

QRELS = {"7": {"a": 2, "b": 0, "c": 1}, "8": {"a": 1, "x": 0}, "9": {"z": 0}, "10": {"e": 3, "f": 1}, "11": {"a": 1}}
MEASURES = ["AP", "nDCG@3", "RBP(p=0.5)", "NumRel", "NumRet", "relstring", "ESL"]


@pytest.fixture(autouse=True)
def read_a_few_rows_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parted, "LARGE_RUN", 5)
    monkeypatch.setattr(parted, "ROWS_READ_AT_ONCE", 7)


def a_run(seed: int = 1, topics: tuple[int, ...] = (8, 7, 12, 10)) -> pl.DataFrame:
    """Make a run of some 30 rows, with a topic that is not judged, topics that are missing, and ties."""
    chance = random.Random(seed)  # noqa: S311
    rows = [
        (topic, document, float(chance.randint(1, 6)))
        for topic in topics
        for document in chance.sample("abcdefghijxyz", chance.randint(4, 10))
    ]
    table = pl.DataFrame(rows, schema=["qid", "docno", "score"], orient="row")
    return table.with_columns(pl.int_range(1, pl.len() + 1).over("qid").alias("rank"))


def mixed(table: pl.DataFrame) -> pl.DataFrame:
    return table.sample(fraction=1, shuffle=True, seed=5)


def write(table: pl.DataFrame, path: Path, rows: int = 4) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    table.write_parquet(path, row_group_size=rows)
    return path


ASKED: list[dict[str, Any]] = [
    {},
    {"missing": "empty"},
    {"topics": "shared", "depth": 2},
    {"order": "rank"},
    {"order": "file"},
    {"order": "stable"},
    {"order": "trec9", "rel": 2},
    {"judged_only": True},
    {"bounds": True},
    {"workers": 1},
]


@pytest.mark.parametrize("asked", ASKED, ids=str)
@pytest.mark.parametrize("lie", ["together", "mixed"])
def test_the_result_is_that_of_the_whole(tmp_path: Path, lie: str, asked: dict[str, Any]) -> None:
    table = a_run() if lie == "together" else mixed(a_run())
    path = write(table, tmp_path / "run.parquet")
    [source] = read_runs(path).sources
    assert source.parted is not None
    assert source.parted.is_large
    assert source.parted.topics_lie_together is (lie == "together")
    assert_the_same(cf.evaluate(QRELS, path, MEASURES, **asked), cf.evaluate(QRELS, {"run": table}, MEASURES, **asked))


TYPES = {
    "whole numbers": pl.all(),
    "text": pl.col("qid", "docno").cast(pl.String),
    "categories": pl.col("qid", "docno").cast(pl.String).cast(pl.Categorical),
    "bytes": pl.col("qid", "docno").cast(pl.String).cast(pl.Binary),
    "scores as text": pl.col("score").cast(pl.String),
    "whole scores": pl.col("score").cast(pl.Int32),
    "small floats": pl.col("score").cast(pl.Float32),
    "no scores": pl.col("qid", "docno", "rank"),
    "other names": pl.col("docno").alias("Corpus-ID"),
    "a column called line": pl.col("rank").alias("line"),
}


@pytest.mark.parametrize("of", TYPES)
@pytest.mark.parametrize("lie", ["together", "mixed"])
def test_columns_may_be_of_any_type(tmp_path: Path, of: str, lie: str) -> None:
    table = a_run() if lie == "together" else mixed(a_run())
    table = table.select(TYPES[of]) if of == "no scores" else table.with_columns(TYPES[of])
    if of == "other names":
        table = table.drop("docno")
    path = write(table, tmp_path / "run.parquet")
    assert_the_same(cf.evaluate(QRELS, path, MEASURES), cf.evaluate(QRELS, {"run": table}, MEASURES))


a_row = st.tuples(st.sampled_from("789abc"), st.integers(0, 30), st.sampled_from([0.5, 1.0, 2.0]))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(a_row, min_size=6, max_size=60, unique_by=lambda row: row[:2]), st.integers(1, 20), st.integers(1, 30))
def test_whatever_the_order_of_rows_and_the_size_of_groups(rows: list[Any], group: int, files: int) -> None:
    table = pl.DataFrame(rows, schema=["qid", "docno", "score"], orient="row").with_columns(
        pl.format("d{}", pl.col("docno"))
    )
    qrels = {"7": {"d1": 1, "d2": 2, "d30": 0}, "a": {"d0": 1}, "c": {"d5": 1, "d6": 0}}
    with tempfile.TemporaryDirectory() as folder:
        for number, part in enumerate(table.iter_slices(files)):
            write(part, Path(folder, "run", f"part-{number:05}.parquet"), group)
        try:
            expected = cf.evaluate(qrels, {"run": table}, MEASURES)
        except InputError as error:
            with pytest.raises(InputError) as caught:
                cf.evaluate(qrels, Path(folder, "run"), MEASURES)
            assert "no topic in common" in error.problem
            assert "no topic in common" in caught.value.problem
            return
        assert_the_same(cf.evaluate(qrels, Path(folder, "run"), MEASURES), expected)


@pytest.mark.parametrize("lie", ["together", "mixed"])
def test_joined_it_is_a_run_like_others(tmp_path: Path, lie: str) -> None:
    table = a_run() if lie == "together" else mixed(a_run())
    other = a_run(seed=2, topics=(7, 8, 9))
    write(table, tmp_path / "one.parquet")
    write(other.head(5), tmp_path / "small.parquet")
    joined, expected = cf.join(QRELS, tmp_path), cf.join(QRELS, {"one": table, "small": other.head(5)})
    assert joined.runs == ("one", "small")
    for measure in cf.parse_measures(["AP", "nDCG"]):
        assert same(joined.scores([measure]).values, expected.scores([measure]).values)
    ours, theirs = joined.of_run(0), expected.of_run(0)
    for name in ("length", "present", "row", "rank", "judgment"):
        assert getattr(ours, name).tolist() == getattr(theirs, name).tolist(), name
    assert joined.of_topic("7").scores("AP").values.tolist() == expected.of_topic("7").scores("AP").values.tolist()
    curve = cf.curve(QRELS, {"one": table, "small": other.head(5)}, "P")
    assert same(cf.curve(QRELS, tmp_path, "P").averages, curve.averages)


def test_documents_that_are_there_several_times(tmp_path: Path) -> None:
    table = pl.concat([a_run(), a_run(seed=3)]).drop("rank").sort("qid", maintain_order=True)
    path = write(table, tmp_path / "run.parquet")
    for repeated in ("max", "first", "sum"):
        expected = cf.evaluate(QRELS, {"run": table}, MEASURES, repeated=repeated)
        assert_the_same(cf.evaluate(QRELS, path, MEASURES, repeated=repeated), expected)
        write(mixed(table), tmp_path / "mixed.parquet")
        expected = cf.evaluate(QRELS, {"mixed": mixed(table)}, MEASURES, repeated=repeated)
        assert_the_same(cf.evaluate(QRELS, tmp_path / "mixed.parquet", MEASURES, repeated=repeated), expected)


# What is wrong is said as ever: the file, the row, and what.


@pytest.mark.parametrize("lie", ["together", "mixed"])
def test_a_document_twice_is_found_in_its_row(tmp_path: Path, lie: str) -> None:
    table = a_run().drop("rank")
    if lie == "mixed":
        table = mixed(table)
    again = table.row(20)
    table = pl.concat([table.head(25), pl.DataFrame([again], schema=table.schema, orient="row"), table.slice(25)])
    if lie == "together":
        table = table.sort("qid", maintain_order=True)
    row = table.with_row_index("row", 1).filter(pl.struct("qid", "docno").is_first_distinct().not_())["row"].item()
    path = write(table, tmp_path / "run.parquet")
    problem = f"document '{again[1]}' is retrieved twice for topic '{again[0]}'"
    with pytest.raises(InputError, match=problem) as caught:
        cf.evaluate(QRELS, path, "AP")
    assert (caught.value.source, caught.value.line) == (str(path), row)


def spoilt(column: str, value: object, row: int = 17) -> pl.DataFrame:
    """Return a run with a wrong cell in a row (from 1)."""
    table = a_run().drop("rank")
    here = pl.int_range(1, pl.len() + 1) == row
    return table.with_columns(
        pl.when(here).then(pl.lit(value, dtype=table[column].dtype)).otherwise(pl.col(column)).alias(column)
    )


@pytest.mark.parametrize(
    ("table", "problem", "line"),
    [
        (spoilt("score", float("nan")), "the score", 17),
        (spoilt("score", None), "the score is missing", 17),
        (spoilt("docno", None), "the doc_id is missing", 17),
        (spoilt("docno", ""), "the doc_id is empty", 17),
        (spoilt("qid", None), "the query_id is missing", 17),
        (a_run().with_columns(pl.col("qid").cast(pl.Float64)), "is not an id", 1),
        (a_run().drop("docno"), "no column for doc_id", None),
        (a_run().drop("score", "rank"), "no column for score", None),
        (a_run().with_columns(pl.col("qid") + 1000), "no topic in common with the qrels", None),
    ],
)
def test_what_is_wrong_is_said_as_ever(tmp_path: Path, table: pl.DataFrame, problem: str, line: int | None) -> None:
    path = write(table, tmp_path / "run.parquet")
    with pytest.raises(InputError) as caught:
        cf.evaluate(QRELS, path, "AP")
    assert problem in caught.value.problem
    assert (caught.value.source, caught.value.line) == (str(path), line)


@pytest.mark.parametrize("rows", [5, 100])  # read in parts, and whole
def test_of_several_files_the_one_is_named(tmp_path: Path, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parted, "LARGE_RUN", rows)
    table = spoilt("score", None, 17)
    for number, part in enumerate(table.iter_slices(10)):
        write(part, tmp_path / "run" / f"part-{number}.parquet")
    with pytest.raises(InputError, match="the score is missing") as caught:
        cf.evaluate(QRELS, tmp_path / "run", "AP")
    assert (caught.value.source, caught.value.line) == (str(tmp_path / "run" / "part-1.parquet"), 7)


@pytest.mark.parametrize("rows", [5, 100])
def test_a_document_twice_in_several_files(tmp_path: Path, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parted, "LARGE_RUN", rows)
    table = a_run().drop("rank")
    write(table, tmp_path / "run" / "part-0.parquet")
    write(table.slice(3, 1), tmp_path / "run" / "part-1.parquet")
    with pytest.raises(InputError, match="is retrieved twice") as caught:
        cf.evaluate(QRELS, tmp_path / "run", "AP")
    assert (caught.value.source, caught.value.line) == (str(tmp_path / "run" / "part-1.parquet"), 1)


@pytest.mark.integration
def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = write(a_run(), tmp_path / "run.parquet")
    data = bytearray(path.read_bytes())
    chance = random.Random(4)  # noqa: S311
    refused = 0
    for _ in range(200):
        broken = data.copy()
        for _ in range(3):
            broken[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(broken)
        try:
            cf.evaluate(QRELS, path, "AP")
        except InputError as error:
            assert path.name in str(error)
            refused += 1
    assert refused > 50


def test_an_empty_run_is_refused(tmp_path: Path) -> None:
    write(a_run().head(0), tmp_path / "run" / "part-0.parquet")
    with pytest.raises(InputError, match="is empty: a run has at least one line"):
        cf.evaluate(QRELS, tmp_path / "run", "AP")


# Folders.


def test_a_folder_of_parts_is_one_run(tmp_path: Path) -> None:
    table = a_run()
    for number, part in enumerate(table.iter_slices(9)):
        write(part, tmp_path / "runs" / "bm25.parquet" / f"part-{number:05}-5a-c000.snappy.parquet")
    (tmp_path / "runs" / "bm25.parquet" / "_SUCCESS").touch()
    write(table.head(0), tmp_path / "runs" / "bm25.parquet" / "part-00009-5a-c000.snappy.parquet")
    expected = cf.evaluate(QRELS, {"bm25": table}, MEASURES)
    for given_ in ("runs/bm25.parquet", "runs/*.parquet", "runs"):
        assert_the_same(cf.evaluate(QRELS, str(tmp_path / given_), MEASURES), expected)


def test_any_files_of_parquet_are_a_run_that_was_given_a_name(tmp_path: Path) -> None:
    table = a_run()
    for number, part in enumerate(table.iter_slices(9)):
        write(part, tmp_path / f"data_{number}.parquet")
    expected = cf.evaluate(QRELS, {"bm25": table}, MEASURES)
    assert_the_same(cf.evaluate(QRELS, f"bm25={tmp_path}", MEASURES), expected)
    assert_the_same(cf.evaluate(QRELS, {"bm25": tmp_path}, MEASURES), expected)
    assert_the_same(cf.evaluate(QRELS, {"bm25": tmp_path / "*.parquet"}, MEASURES), expected)
    assert list(cf.read_runs(tmp_path)) == ["data_0", "data_1", "data_2"]  # without a name, each is a run


def test_partitions_by_run(tmp_path: Path) -> None:
    one, two = a_run(), mixed(a_run(seed=2))
    for name, table in (("bm25", one), ("a%2Fb", two)):
        for number, part in enumerate(table.iter_slices(9)):
            write(part, tmp_path / "runs" / f"system={name}" / f"{number}.parquet")
    assert_the_same(
        cf.evaluate(QRELS, tmp_path / "runs", MEASURES), cf.evaluate(QRELS, {"a/b": two, "bm25": one}, MEASURES)
    )
    with pytest.raises(InputError, match="holds 2 runs, not the one run 'x'"):
        cf.evaluate(QRELS, {"x": tmp_path / "runs"}, MEASURES)


@pytest.mark.parametrize("rows", [5, 100])
def test_partitions_by_topic_and_by_both(tmp_path: Path, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parted, "LARGE_RUN", rows)
    table = a_run()
    for (topic,), part in table.group_by(["qid"], maintain_order=True):
        write(part.drop("qid"), tmp_path / "dense" / f"qid={topic}" / "0.parquet")
        write(part, tmp_path / "both" / "run=dense" / f"query_id={topic}" / "0.parquet")
    expected = cf.evaluate(QRELS, {"dense": table}, MEASURES)
    assert_the_same(cf.evaluate(QRELS, tmp_path / "dense", MEASURES), expected)
    assert_the_same(cf.evaluate(QRELS, tmp_path / "both", MEASURES), expected)


def test_a_partition_without_a_value_is_refused(tmp_path: Path) -> None:
    write(a_run().drop("qid"), tmp_path / "qid=__HIVE_DEFAULT_PARTITION__" / "0.parquet")
    with pytest.raises(InputError, match="the folder's name has no value for qid"):
        cf.evaluate(QRELS, tmp_path, MEASURES)


@pytest.mark.parametrize("lie", ["together", "mixed"])
@pytest.mark.parametrize("folder", [False, True])
def test_a_column_may_name_the_runs(tmp_path: Path, lie: str, folder: bool) -> None:
    runs = {"bm25": a_run(), "dense": a_run(seed=2), "small": a_run(seed=3).head(3)}
    table = pl.concat([run.with_columns(pl.lit(name).alias("system")) for name, run in runs.items()])
    if lie == "mixed":
        table = mixed(table)
    if folder:
        for number, part in enumerate(table.iter_slices(20)):
            write(part, tmp_path / "all" / f"part-{number}.parquet")
    else:
        write(table, tmp_path / "all")
    found = cf.evaluate(QRELS, tmp_path / "all", MEASURES)
    assert_the_same(found, cf.evaluate(QRELS, table, MEASURES))
    with pytest.raises(InputError, match="holds 3 runs, not the one run 'x'"):
        cf.evaluate(QRELS, {"x": tmp_path / "all"}, MEASURES)
    write(table.with_columns(pl.when(pl.col("score") < 6).then(pl.col("system")).alias("system")), tmp_path / "gap")
    with pytest.raises(InputError, match="the run is missing"):
        cf.evaluate(QRELS, tmp_path / "gap", MEASURES)


# Disk, progress, and the command.


def test_a_disk_that_is_too_small_is_said_before_it_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(mixed(a_run()), tmp_path / "run.parquet")
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: shutil._ntuple_diskusage(10, 0, 10))
    with pytest.raises(InputError, match=r"takes 0\.0 GB of disk in .*TMPDIR") as caught:
        cf.evaluate(QRELS, path, "AP")
    assert caught.value.source == str(path)


def test_nothing_is_left_on_the_disk_nor_ever_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(mixed(a_run()), tmp_path / "run.parquet")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    [source] = read_runs(path).sources
    for _ in source.read_parts():
        assert list((tmp_path / "temporary").iterdir()) == []


def test_progress_goes_on_to_its_end(tmp_path: Path) -> None:
    write(a_run(), tmp_path / "large.parquet")
    write(mixed(a_run(seed=2)), tmp_path / "mixed.parquet")
    write(a_run().head(4), tmp_path / "small.parquet")
    told: list[tuple[int, int]] = []
    cf.evaluate(QRELS, tmp_path, "AP", progress=lambda done, of: told.append((done, of)))
    assert told == sorted(told)
    assert len({of for _, of in told}) == 1
    assert told[-1][0] == told[-1][1] > 6


def test_batches_are_small_however_many_topics_there_are(tmp_path: Path) -> None:
    """A part costs what it holds: no array of it is as long as the list of topics."""
    topics = [str(t) for t in range(1000)]
    judgments = Judgments(cf.read_qrels({topic: {"a": 1} for topic in topics}))
    path = write(pl.DataFrame({"qid": topics[:900], "docno": "a", "score": 1.0}), tmp_path / "run.parquet", 100)
    *parts, rest = ranked_batches(read_runs(path).sources, judgments, parts=True)
    assert max(part.rows for part in parts) <= parted.ROWS_READ_AT_ONCE + 1
    assert sum(part.rows for part in parts) == 900
    assert rest.rows == 100


def test_the_command_does_it_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = a_run()
    path = write(table, tmp_path / "bm25.parquet")
    cf.write_qrels(cf.read_qrels(QRELS), tmp_path / "qrels.txt")
    call = ["evaluate", str(tmp_path / "qrels.txt"), str(path), "-m", "AP", "-m", "nDCG@3", "-q"]
    found = CliRunner().invoke(main, call)
    assert found.exit_code == 0, found.output
    monkeypatch.setattr(parted, "LARGE_RUN", 1000)
    assert CliRunner().invoke(main, call).output == found.output
