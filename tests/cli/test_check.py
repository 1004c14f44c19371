"""``cranfield check`` as a person uses it: files in, sentences and a status out."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cranfield.cli import main

RUNS = run_path(str(Path(__file__).parents[1] / "formats" / "test_broken_files.py"))["RUNS"]
BROKEN = [broken for broken in RUNS if broken.name != "qrels.txt"]  # which a check knows for what it is

GOOD = "1 Q0 a 1 3 good\n1 Q0 b 2 2 good\n2 Q0 a 1 1 good\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.run").write_text(GOOD)
    return tmp_path


def check(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["check", *arguments])


def findings(*arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(check(*arguments, "--format", "json").stdout)
    return found


def test_a_good_run(here: Path) -> None:
    result = check("good.run", "--max-docs", "2", "--min-docs", "1", "--strict")
    assert (result.exit_code, result.stdout) == (0, "good.run: nothing found\n")
    assert result.stderr == "1 run: nothing found\n"


def test_all_of_a_kind_are_counted_and_the_first_three_shown(here: Path) -> None:
    (here / "bad.run").write_text(
        "1 Q0 a 1 9 bad\n1 Q0 b 2 8\n1 Q0 c 3 nan bad\n1 Q0 d\n1 Q0 a 4 6 bad\n1 Q0 e 5 - bad\n1 Q0 a 6 4 bad\n"
    )
    result = check("bad.run", "good.run", "--quiet")
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout.splitlines() == [
        "bad.run: 3 errors, 1 warning",
        "  error: fewer columns than the six of a run (topic Q0 doc rank score tag), on 2 lines: "
        "line 2 (5: '1 Q0 b 2 8'), line 4 (3: '1 Q0 d')",
        "  error: a score that is not a number, on 2 lines: line 3 ('nan'), line 6 ('-')",
        "  error: a document repeated in its topic, on 2 lines: "
        "line 5 (a of topic 1, first on line 1), line 7 (a of topic 1, first on line 1)",
        # Of the lines that can be read, those of ranks 1, 4 and 6.
        "  warning: a rank that does not follow the one before, on 2 lines: "
        "line 5 (4 after 1 in topic 1), line 7 (6 after 4 in topic 1)",
        "good.run: nothing found",
    ]


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.name)
def test_a_broken_file_is_an_error_and_stops_no_other(here: Path, broken: Any) -> None:
    (here / broken.name).write_bytes(broken.data)
    result = check(broken.name, "good.run", "--format", "json")
    first, *_ = json.loads(result.stdout)
    assert (result.exit_code, first["run"], first["severity"]) == (1, broken.name, "error")
    assert first["line"] == broken.line
    assert "good.run: nothing found" in check(broken.name, "good.run").stdout


def test_topics_missing_and_unknown(here: Path) -> None:
    (here / "topics.tsv").write_text("qid\ttext\n01\tforeign minorities\n2\tgenetics\n3\tosteoporosis\n")
    result = check("good.run", "--topics-file", "topics.tsv")
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "good.run: 2 errors",
        "  error: without a document: 1 topic (3)",
        "  error: not among the topics: 1 topic ('1' instead of '01')",
    ]


def test_the_topics_of_qrels_are_wanted_but_others_allowed(here: Path) -> None:
    (here / "qrels.txt").write_text("2 0 a 1\n3 0 a 1\n")
    result = check("good.run", "--qrels", "qrels.txt")
    assert (result.exit_code, check("good.run", "--qrels", "qrels.txt", "--strict").exit_code) == (0, 1)
    assert result.stdout.splitlines() == [
        "good.run: 1 warning, 1 remark",
        "  warning: judged, but without a document: 1 topic (3)",
        "  remark: not among the judged topics: 1 topic (1)",
    ]


@pytest.mark.parametrize("qrels", ["2 0 a 1\n3 0 a 1\n", "2\t0\ta\t-1\n3 0 a 0\n", None])
def test_judgments_stand_where_other_commands_have_them(here: Path, qrels: str | None) -> None:
    name = "judged.csv" if qrels is None else "judged.txt.gz"
    text = (qrels or "topic,docid,grade\n2,a,1\n3,a,1\n").encode()
    (here / name).write_bytes(text if qrels is None else gzip.compress(text))
    (here / "other.run").write_text(GOOD.replace("good", "other").replace("3 other", "9 other"))
    by_option = check("good.run", "other.run", "--qrels", name)
    first, last = check(name, "good.run", "other.run"), check("good.run", "other.run", name)
    assert first.stdout == last.stdout == by_option.stdout
    assert first.stderr == by_option.stderr.replace("2 runs", f"2 runs (judgments: {name})")
    both = check(name, "good.run", "--qrels", name)
    assert (both.exit_code, both.stderr) == (
        2,
        f"cranfield: {name}: holds judgments, and so does another file: give only one\n",
    )
    assert f"no run is given; {name} holds judgments" in check(name).stderr


def test_what_all_runs_share_is_said_once(here: Path) -> None:
    (here / "topics.tsv").write_text("1\n2\n3\n4\n")
    for name, scores in (("tied", "1 1"), ("other", "7 2"), ("third", "9 8")):
        first, second = scores.split()
        (here / f"{name}.run").write_text(
            f"1 Q0 b 1 {first} {name}\n1 Q0 {name} 2 {second} {name}\n2 Q0 a 1 1 {name}\n"
        )
    result = check("tied.run", "other.run", "third.run", "--topics-file", "topics.tsv")
    assert result.stdout.splitlines()[:2] == ["each of 3 runs: 1 error", "  error: without a document: 2 topics (3, 4)"]
    assert result.stdout.splitlines()[2].startswith("tied.run: ")
    assert result.stdout.splitlines()[-1] == "2 runs: nothing else"
    assert "other.run" not in result.stdout
    assert result.stderr.startswith("3 runs: 3 errors")
    assert len(findings("tied.run", "other.run", "--topics-file", "topics.tsv")) >= 2


def test_ids_of_another_collection(here: Path) -> None:
    (here / "qrels.txt").write_text("1 0 D1 1\n2 0 D2 0\n")
    assert check("good.run", "--qrels", "qrels.txt").stdout.splitlines()[1:] == [
        "  warning: no document is judged in its topic; do the ids match? The run has a, the judgments D1"
    ]


def test_documents_that_the_collection_lacks(here: Path) -> None:
    (here / "docs.txt.gz").write_bytes(gzip.compress(b"A\nz\n"))
    result = check("good.run", "--docs", "docs.txt.gz")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[1:] == [
        "  error: a document not in the collection, on 3 lines: "
        "line 1 ('a' instead of 'A'), line 2 (b), line 3 ('a' instead of 'A')"
    ]


def test_lengths(here: Path) -> None:
    [found] = findings("good.run", "--max-docs", "1")
    assert (found["severity"], found["code"], found["count"]) == ("error", "length", 1)
    assert found["says"] == "more documents than 1: 1 topic (1: 2)"
    [found] = findings("good.run", "--min-docs", "2")
    assert (found["severity"], found["says"]) == ("warning", "fewer documents than 2: 1 topic (2: 1)")


def test_several_runs_in_one_call(here: Path) -> None:
    (here / "copy.run").write_text("2 Q0 a 1 7 good\n1 Q0 a 1 0.3 good\n1 Q0 b 2 0.2 good\n")
    result = check("good.run", "copy.run")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "good.run: 2 warnings",
        "  warning: its tag, 'good', is also that of copy.run",
        "  warning: it has the same ranking as copy.run",
        "copy.run: 3 warnings",
        "  warning: its tag, 'good', is also that of good.run",
        "  warning: its tag, 'good', is the name of good.run",
        "  warning: it has the same ranking as good.run",
    ]


def test_a_table_in_a_file(here: Path) -> None:
    result = check("good.run", "--max-docs", "1", "-o", "found.csv")
    assert (result.exit_code, result.stdout) == (1, "")
    assert (here / "found.csv").read_text().splitlines() == [
        "run,severity,code,count,line,says",
        "good.run,error,length,1,,more documents than 1: 1 topic (1: 2)",
    ]


def test_names_are_shown_not_obeyed(here: Path) -> None:
    (here / "red.run").write_text("1 Q0 a 1 3 \x1b[31mred\n")
    assert "\x1b" not in check("red.run").stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nowhere.run",), "nowhere.run: no such file"),
        (("good.run", "--topics-file", "nowhere"), "nowhere: no such file"),
        (("good.run", "--docs", "empty"), "empty: is empty: a document's id in each line is needed"),
        (("good.run", "--topics-file", "empty"), "empty: is empty: a topic in each line is needed"),
        (("good.run", "--max-docs", "0"), "max_docs must be at least 1, not 0"),
    ],
)
def test_what_cannot_be_checked_is_refused(here: Path, arguments: tuple[str, ...], says: str) -> None:
    (here / "empty").touch()
    result = check(*arguments)
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (2, "", 1)
    assert says in result.stderr
