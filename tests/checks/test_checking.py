"""What a check finds, each on lists of a few documents; and what it finds of real runs."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import cranfield as cf
from cranfield.checks import Checked
from cranfield.formats.topic_files import read_document_ids, read_topic_ids


def run_of(tmp_path: Path, *lines: str, name: str = "x.run") -> str:
    """Write a run; each line is what stands in its columns but Q0 and the tag."""
    cells = (line.split() for line in lines)
    (tmp_path / name).write_text("".join(f"{t} Q0 {d} {rank} {score} x\n" for t, d, rank, score in cells))
    return str(tmp_path / name)


def said(found: Checked) -> list[tuple[str, str, int, int | None]]:
    return [(f.severity, f.code, f.count, f.line) for run in found.runs for f in run.findings]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param(["1 a 0 2", "1 b 1 1"], [], id="ranks from 0"),
        pytest.param(["1 a 2 2", "1 b 3 1"], [("warning", "first rank", 1, None)], id="ranks from 2"),
        pytest.param(["1 a 1 2", "1 b 3 1"], [("warning", "ranks", 1, 2)], id="a rank left out"),
        pytest.param(["1 a 1 2", "1 b 1 1"], [("warning", "ranks", 1, 2)], id="a rank twice"),
        pytest.param(
            ["1 a 1 1", "1 b 2 2"],
            [("warning", "order", 1, 2), ("warning", "reversed", 1, None)],
            id="scores that rise",
        ),
        pytest.param(["1 a 1 1", "1 b 2 2", "1 c 3 0"], [("warning", "order", 1, 2)], id="a score that rises"),
        pytest.param(["1 b 2 1", "1 a 1 2"], [("remark", "order", 1, 2)], id="lines upside down"),
        pytest.param(
            ["1 a 1 2", "2 a 1 2", "1 b 2 1"], [("remark", "scattered topic", 1, 3)], id="a topic in two parts"
        ),
        pytest.param(["1 a 1 inf", "1 b 2 1"], [("warning", "score", 1, 1)], id="infinity"),
        pytest.param(["1 a 1 9", "1 b 2 1", "1 c 3 1"], [("remark", "ties", 2, 2)], id="ties"),
        pytest.param(["1 a 1 2", "2 a 1 2"], [], id="the same score in two topics, and lists of one"),
        pytest.param(
            ["1 a 1 1", "1 b 2 1"],
            [("warning", "constant scores", 1, None), ("warning", "all constant", 1, None), ("remark", "ties", 2, 1)],
            id="a constant score",
        ),
        # 2^24 + 1 is the first whole number that 32 bits lack: it is rounded to 2^24.
        pytest.param(["1 a 1 16777217", "1 b 2 16777216"], [("remark", "ties in 32 bits", 2, 1)], id="32 bits"),
        pytest.param(["1 a 1.5 2", "1 b x 1"], [("error", "rank", 2, 1)], id="ranks that are none"),
        pytest.param(["1 a 1 x"], [("error", "score", 1, 1)], id="no line that can be read"),
        pytest.param([f"1 a {10**20} 2"], [("error", "refused", 1, 1)], id="a rank beyond 64 bits"),
    ],
)
def test_lists(tmp_path: Path, lines: list[str], expected: list[tuple[str, str, int, int | None]]) -> None:
    assert said(cf.check(run_of(tmp_path, *lines))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 Q0 a 1 2 x\n1 Q0 b 2 1 y\n", [("error", "tags", 2, 2)]),
        ("1 Q0 a 1 2 abcdefghijklmnopqrst\n", []),
        ("1 Q0 a 1 2 abcdefghijklmnopqrstu\n", [("warning", "tag", 1, 1)]),
        ("1 Q0 a 1 2 caf\u00e9/2\n", [("warning", "tag", 1, 1)]),
        ("1 0 a 1 2 x\n", []),
        ("1 1 a 1 2 x\n", [("remark", "second column", 1, 1)]),
        ("1 Q0 a 1 2 x\n1 Q0 b 2 1 x y z\n", [("warning", "columns", 1, 2)]),
        ("# mine\n1 Q0 a 1 2 x\n", [("error", "columns", 1, 1)]),
    ],
)
def test_columns(tmp_path: Path, text: str, expected: list[tuple[str, str, int, int | None]]) -> None:
    (tmp_path / "x.run").write_text(text)
    assert said(cf.check(tmp_path / "x.run")) == expected


def test_comments_may_be_skipped(tmp_path: Path) -> None:
    (tmp_path / "x.run").write_text("# mine\n1 Q0 a 1 2 x\n")
    assert said(cf.check(tmp_path / "x.run", comments=True)) == []


def test_swapped_tags(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("1 Q0 d 1 2 b\n")
    (tmp_path / "b.run").write_text("1 Q0 e 1 2 a\n")
    one, other = cf.check(tmp_path).runs
    assert [f.says for f in one.findings] == [f"its tag, 'b', is the name of {tmp_path / 'b.run'}"]
    assert [f.says for f in other.findings] == [f"its tag, 'a', is the name of {tmp_path / 'a.run'}"]


def test_runs_in_other_formats_have_no_tags_and_perhaps_no_ranks(tmp_path: Path) -> None:
    (tmp_path / "two.csv").write_text("run,qid,docno,score\na,1,x,2\na,1,x,1\nb,1,y,1\n")
    (tmp_path / "one.tsv").write_text("qid\tdocno\tscore\trank\n1\tx\t2\t1\n1\ty\t1\tlast\n")
    pl.DataFrame({"qid": ["1", "1"], "docno": ["x", "y"], "score": [1.0, 2.0], "rank": [1, 2]}).write_parquet(
        tmp_path / "p.parquet"
    )
    found = cf.check([tmp_path / "two.csv", tmp_path / "one.tsv", f"mine={tmp_path / 'p.parquet'}"])
    names = [f"{tmp_path / 'two.csv'}, a", f"{tmp_path / 'two.csv'}, b", str(tmp_path / "one.tsv"), "mine"]
    assert [run.run for run in found.runs] == names
    assert said(found) == [
        ("error", "duplicate", 1, 3),
        ("error", "rank", 1, 3),
        ("warning", "order", 1, 2),
        ("warning", "reversed", 1, None),
    ]


def test_runs_in_memory() -> None:
    lists, tuples = {"1": {"a": 2.0, "b": 1.0}}, [("1", "a", 2.0), ("1", "a", 1.0)]
    for found in (cf.check({"x": lists, "y": tuples}), cf.check([{"x": lists}, {"y": tuples}])):
        assert [run.run for run in found.runs] == ["x", "y"]
        assert said(found) == [("error", "duplicate", 1, 2)]
        assert found.fails()
    assert not cf.check(tuples[:1]).fails(strict=True)


def test_ids_from_python() -> None:
    run = {"1": {"a": 2.0, "b": 1.0}}
    assert said(cf.check(run, topics=["1"], documents=["a", "b", "c"])) == []
    assert said(cf.check(run, topics=["1"], documents=["a"])) == [("error", "unknown document", 1, 2)]
    with pytest.raises(cf.InputError, match="the list of topics is empty"):
        cf.check(run, topics=[])
    with pytest.raises(cf.InputError, match="no run is given"):
        cf.check([])
    with pytest.raises(cf.InputError, match="most must be at least 1, not 0"):
        cf.check(run, most=0)


def test_named_files_are_opened_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "broken.csv").write_text("qid,score\n1,2\n")
    found = cf.check({"broken": tmp_path / "broken.csv", "good": run_of(tmp_path, "1 a 1 2")})
    assert [(run.run, len(run.findings)) for run in found.runs] == [("broken", 1), ("good", 0)]


def test_progress_is_told(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    files = [run_of(tmp_path, "1 a 1 1", name=f"{name}.run") for name in "abc"]
    cf.check(files, progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ids.txt", "401\n\n402\n401\n"),
        ("queries.tsv", "401\tforeign minorities, Germany\n402\tbehavioral genetics\n"),
        ("queries.csv", 'qid,query\n401,"foreign, minorities"\n402,genetics\n'),
        ("blanks.txt", "401 foreign minorities\n402 genetics\n"),
        (
            "topics.401-450",
            "<top>\n<num> Number: 401\n<title> foreign\n</top>\n<top>\n<num>Number: 402 </num>\n</top>\n",
        ),
        (
            "rnd.xml",
            '<topics task="COVIDSearch">\n<topic number="401">\n</topic><topic number="402"></topic>\n</topics>\n',
        ),
    ],
)
def test_files_of_topics(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert read_topic_ids(tmp_path / name).to_list() == ["401", "402"]


def test_files_of_documents_are_taken_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(b'\xef\xbb\xbfNA\r\n"a\r\n\n#7 \nNA\n')
    assert read_document_ids(tmp_path / "docs").to_list() == ["NA", '"a', "#7"]


@pytest.mark.integration
def test_real_runs_are_fit_to_be_evaluated(data: Path) -> None:
    """Two of the fifteen TREC-8 runs have scores that contradict their ranks; nothing else is wrong with any."""
    folder = data / "trec8-adhoc"
    found = cf.check(folder / "runs", qrels=folder / "qrels.txt", topics=map(str, range(401, 451)), most=1000)
    assert not found.fails()
    table = found.to_polars().filter(severity="warning").select(pl.col("run").str.split("/").list.last(), "code")
    assert table.rows() == [("CL99XTopt.gz", "order"), ("acsys8alo2.gz", "order")]


def test_missing_topics_are_named_in_the_order_given() -> None:
    topics = [str(topic) for topic in range(400, 100, -1)]
    [found] = cf.check({"x": {"500": ["a"]}}, topics=topics).runs
    assert any("400, 399, 398" in finding.says for finding in found.findings)


def test_a_run_of_empty_topics_beside_judgments() -> None:
    found = cf.check({"x": {"401": {}}}, qrels={"401": {"a": 1}})
    assert [one.code for one in found.runs[0].findings] == ["missing topics", "nothing judged"]


def test_a_header_and_columns_in_each_others_places_are_said_alone(tmp_path: Path) -> None:
    lines = ["1 Q0 a 1 9.5 x", "1 Q0 b 2 8.5 x"]
    for changed, code in (
        (["qid Q0 doc rank score tag", *lines], "header"),
        ([f"1 {d} Q0 {r} {9 - r}.5 x" for r, d in enumerate("ab", 1)], "swapped"),
        ([f"1 Q0 {d} {9 - r}.5 {r} x" for r, d in enumerate("ab", 1)], "swapped"),
    ):
        (tmp_path / "x.txt").write_text("\n".join(changed) + "\n")
        assert [(one.severity, one.code) for one in cf.check(tmp_path / "x.txt").runs[0].findings] == [("error", code)]
