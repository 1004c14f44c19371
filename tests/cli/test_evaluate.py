"""``cranfield evaluate`` as a person uses it: files in, table out, and one clear line when something is wrong."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner, Result

from cranfield.cli import main

QRELS = "1 0 a 2\n1 0 b 0\n1 0 c 1\n2 0 a 1\n3 0 z 0\n"
BM25 = "1 Q0 b 1 3.0 bm25\n1 Q0 a 2 2.5 bm25\n1 Q0 x 3 2.0 bm25\n2 Q0 a 1 1.5 bm25\n3 Q0 z 1 1.0 bm25\n"
DENSE = "1\tQ0\ta\t1\t0.9\tdense\n1\tQ0\tc\t2\t0.8\tdense\n9\tQ0\ta\t1\t0.7\tdense\n"


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "bm25.run").write_text(BM25)
    (tmp_path / "dense.txt.gz").write_bytes(gzip.compress(DENSE.encode()))
    return tmp_path


def evaluate(campaign: Path, *arguments: str) -> Result:
    command = ["evaluate", f"{campaign}/qrels.txt", f"{campaign}/bm25.run", f"{campaign}/dense.txt.gz", *arguments]
    return CliRunner().invoke(main, command)


def test_csv_is_long_and_in_the_order_asked(campaign: Path) -> None:
    result = evaluate(campaign, "-m", "P@2", "-m", "AP", "--format", "csv", "--per-topic")
    assert result.exit_code == 0
    rows = list(csv.reader(io.StringIO(result.stdout)))
    assert rows[0] == ["run", "topic", "measure", "value"]
    assert [tuple(row[:3]) for row in rows[1:9]] == [
        *[("bm25", topic, measure) for topic in "123" for measure in ("P@2", "AP")],
        *[("bm25", "all", measure) for measure in ("P@2", "AP")],
    ]
    values = {tuple(row[:3]): float(row[3]) for row in rows[1:]}
    assert values["bm25", "1", "AP"] == 0.5 / 2  # a at rank 2; c not retrieved
    assert values["dense", "1", "AP"] == (1 + 1) / 2
    assert values["dense", "2", "AP"] == 0.0  # a topic that the run lacks
    assert values["bm25", "all", "AP"] == (0.25 + 1 + 0) / 3
    assert values["dense", "all", "AP"] == 1 / 3


def test_shared_topics(campaign: Path) -> None:
    result = evaluate(campaign, "-m", "AP", "--format", "csv", "--per-topic", "--topics", "shared")
    rows = [row for row in csv.reader(io.StringIO(result.stdout)) if row[0] == "dense"]
    assert rows == [["dense", "1", "AP", "1.0"], ["dense", "all", "AP", "1.0"]]


def test_the_audit_is_a_line_for_each_fact_on_stderr_what_was_hardly_meant_first(campaign: Path) -> None:
    result = evaluate(campaign, "-m", "AP", "--format", "csv")
    assert (
        result.stderr.splitlines()[0]
        == "audit: warning: 1 of 2 runs lacks topics (dense: 2, 3), which count 0 (--only common leaves them out, "
        "--missing empty counts them as empty lists)"
    )
    brief, result = result.stderr.splitlines(), evaluate(campaign, "-m", "AP", "--format", "csv", "--full-audit")
    assert brief == [*result.stderr.splitlines()[:5], f"audit: {result.stderr.count('audit: ') - 5} more: --full-audit"]
    assert "grades 0 to 2, relevant from 1 (another level reverses 1 of 1 pair of runs by AP)" in result.stderr
    assert "1 of 2 runs has topics without judgments (dense: 9)" in result.stderr
    assert "1 topic without a relevant document (3)" in result.stderr
    assert "10.0% of the top 10 (most: bm25, 20%) are unjudged" in result.stderr
    assert evaluate(campaign, "-m", "AP", "--no-audit").stderr == ""


def test_the_table_in_a_pipe_is_plain(campaign: Path) -> None:
    result = evaluate(campaign, "-m", "AP", "-m", "NumRel")
    assert result.stdout == "run        AP  NumRel\nbm25   0.4167       3\ndense  0.3333       3\n"


def test_json(campaign: Path) -> None:
    rows = json.loads(evaluate(campaign, "-m", "AP", "--format", "json").stdout)
    assert rows[1] == {"run": "dense", "topic": "all", "measure": "AP", "value": 1 / 3}


def test_markdown_and_latex(campaign: Path) -> None:
    assert "| bm25  | **0.4167** |" in evaluate(campaign, "-m", "AP", "--format", "markdown").stdout
    latex = evaluate(campaign, "-m", "RBP(p=0.5)", "--format", "latex").stdout
    assert r"\toprule" in latex
    assert "RBP(p=0.5)" in latex


def test_parquet_and_an_output_file(campaign: Path) -> None:
    target = campaign / "scores.parquet"
    result = evaluate(campaign, "-m", "AP", "--format", "parquet", "-o", str(target))
    assert (result.exit_code, result.stdout) == (0, "")
    assert pl.read_parquet(target).columns == ["run", "topic", "measure", "value"]


def test_trec_eval_format(campaign: Path) -> None:
    result = evaluate(campaign, "-m", "official", "--format", "trec_eval")
    lines = result.stdout.splitlines()
    assert lines[0] == "runid                 \tall\tbm25"
    assert lines[1] == "num_q                 \tall\t3"
    assert "P_5                   \tall\t0.1333" in lines


def test_each_version_of_trec_eval_ranks_as_it_does(tmp_path: Path) -> None:
    """Two scores that differ in 64 bits alone: a tie in 32, which the id that is last settles."""
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    (tmp_path / "r.txt").write_text("1 Q0 b 1 10.0 r\n1 Q0 a 2 10.00000001 r\n")
    for version, expected in (("all_trec", "0.5000"), ("all_trec10", "1.0000")):
        command = ["evaluate", f"{tmp_path}/qrels.txt", f"{tmp_path}/r.txt", "-m", version, "--format", "trec_eval"]
        result = CliRunner().invoke(main, command)
        assert f"recip_rank            \tall\t{expected}" in result.stdout.splitlines()


def test_names_of_runs(campaign: Path) -> None:
    (campaign / "a.b.res.gz").write_bytes(gzip.compress(BM25.encode()))
    result = CliRunner().invoke(
        main, ["evaluate", f"{campaign}/qrels.txt", f"{campaign}/a.b.res.gz", "-m", "AP", "--format", "csv"]
    )
    assert "\na.b,all,AP," in result.stdout


def test_options_that_trec_eval_has(campaign: Path) -> None:
    def ap(*options: str) -> str:
        return evaluate(campaign, "-m", "AP", "--format", "csv", "--per-topic", *options).stdout.splitlines()[1]

    assert ap("--rel", "2") == "bm25,1,AP(rel=2),0.5"
    assert ap("--depth", "1") == "bm25,1,AP,0.0"
    assert ap("--order", "file") == "bm25,1,AP,0.25"
    judged = evaluate(campaign, "-m", "NumRet", "--format", "csv", "--per-topic", "--judged-only").stdout
    assert "bm25,1,NumRet,2.0" in judged


BROKEN_RUNS = {
    "missing column": (b"1 Q0 a 1 3.0 x\n1 Q0 b 2 2.0\n", "line 2"),
    "duplicate document": (b"1 Q0 a 1 3.0 x\n1 Q0 b 2 2.0 x\n1 Q0 a 3 1.0 x\n", "line 3"),
    "NaN score": (b"1 Q0 a 1 nan x\n", "line 1"),
    "text score": (b"1 Q0 a 1 3.0 x\n1 Q0 b 2 high x\n", "line 2"),
    "empty file": (b"", "empty"),
    "binary file": (bytes(range(256)) * 4, "broken.run"),
    "truncated gzip": (gzip.compress(BM25.encode() * 50)[:-20], "broken.run"),
    "no topic in common": (b"77 Q0 a 1 3.0 x\n", "no topic in common"),
}


@pytest.mark.parametrize("name", BROKEN_RUNS)
def test_a_broken_run_scores_nothing(campaign: Path, name: str) -> None:
    content, expected = BROKEN_RUNS[name]
    (campaign / "broken.run").write_bytes(content)
    target = campaign / "scores.csv"
    result = evaluate(campaign, f"{campaign}/broken.run", "-m", "AP", "--format", "csv", "-o", str(target))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert "broken.run" in result.stderr
    assert expected in result.stderr
    assert not target.exists()
    assert not list(campaign.glob("*.tmp*"))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"1 0 a\n", "line 1"),
        (b"1 0 a 1\n1 0 b much\n", "line 2"),
        (b"1 0 a 1\n1 0 b 0\n1 0 a 2\n", "line 3"),
        (b"", "empty"),
    ],
)
def test_broken_qrels_score_nothing(campaign: Path, content: bytes, expected: str) -> None:
    (campaign / "qrels.txt").write_bytes(content)
    result = evaluate(campaign, "-m", "AP")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "qrels.txt" in result.stderr
    assert expected in result.stderr


@pytest.mark.parametrize("grades", ["0.5 1.0", "-1 1"])
def test_float_and_negative_grades_are_fine(campaign: Path, grades: str) -> None:
    low, high = grades.split()
    (campaign / "qrels.txt").write_text(f"1 0 b {low}\n1 0 a {high}\n")
    result = evaluate(campaign, "-m", "P@1", "--format", "csv")
    assert result.exit_code == 0
    assert f"bm25,all,P@1,{float(float(low) > 0)}" in result.stdout


@pytest.mark.parametrize("runs", ["nowhere.run", "*.nothing", ""])
def test_runs_that_are_not_there(campaign: Path, runs: str) -> None:
    path = f"{campaign}/{runs}" if runs else str(campaign / "empty-folder")
    if not runs:
        Path(path).mkdir()
    result = CliRunner().invoke(main, ["evaluate", f"{campaign}/qrels.txt", path])
    assert (result.exit_code, result.stdout) == (2, "")
    assert path.rpartition("/")[2] in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("ndgc@10", "did you mean nDCG"),
        ("P", None),
        ("Success@0", "at least 1"),
        ("RBP(p=1.7)", "above 0 and below 1"),
        ("nDCG(", "is not the name of a measure"),
        ("AP@@", "is not the name of a measure"),
        ("Judged(k=3)", "no parameter 'k'"),
    ],
)
def test_measures_that_do_not_exist(campaign: Path, measure: str, expected: str | None) -> None:
    result = evaluate(campaign, "-m", measure)
    if expected is None:  # trec_eval's name for P at all its usual cutoffs
        assert result.exit_code == 0
        return
    assert (result.exit_code, result.stdout) == (2, "")
    assert expected in result.stderr
    assert result.stderr.count("\n") == 1


def test_an_output_that_cannot_be_written_leaves_nothing(campaign: Path) -> None:
    result = evaluate(campaign, "-m", "AP", "-o", f"{campaign}/no/such/folder/scores.txt")
    assert result.exit_code == 2
    assert "scores.txt" in result.stderr


def run_command(*arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cranfield", *arguments]
    return subprocess.run(command, capture_output=True, text=True, input=stdin, check=False, env={**os.environ})


def test_the_whole_process_and_standard_input(campaign: Path) -> None:
    result = run_command("evaluate", f"{campaign}/qrels.txt", "-", "-m", "AP", "--format", "csv", stdin=BM25)
    assert result.returncode == 0
    assert result.stdout.splitlines()[0] == "run,topic,measure,value"
    assert len(result.stdout.splitlines()) == 2


def test_a_reader_that_stops_early_is_no_error(campaign: Path) -> None:
    command = f"{sys.executable} -m cranfield evaluate {campaign}/qrels.txt {campaign}/bm25.run -m all_trec | head -1"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert "Traceback" not in result.stderr


def test_a_text_alone_is_no_table(campaign: Path) -> None:
    result = evaluate(campaign, "-m", "relstring")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "only the format trec_eval prints" in result.stderr


def test_on_a_terminal_the_table_fits_the_window(campaign: Path) -> None:
    """A real terminal, by way of util-linux' script."""
    if not shutil.which("script"):
        pytest.skip("needs the command script")
    command = f"COLUMNS=60 {sys.executable} -m cranfield evaluate {campaign}/qrels.txt {campaign}/bm25.run -m official"
    result = subprocess.run(["script", "-qc", command, "/dev/null"], capture_output=True, text=True, check=True)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", result.stdout)
    tables = [line for line in plain.splitlines() if line.startswith("bm25")]
    assert len(tables) > 3  # one for each part
    assert all(len(line) <= 60 for line in tables)


@pytest.mark.parametrize("threads", ["0", "-1", "many", ""])
def test_an_environment_that_would_panic_is_refused(threads: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLARS_MAX_THREADS", threads)
    result = CliRunner().invoke(main, ["evaluate", "qrels.txt", "a.run"])
    assert result.exit_code == 2
    assert result.stderr == f"cranfield: POLARS_MAX_THREADS in the environment must be 1 or more, not {threads!r}\n"


def test_bounds_of_a_text_are_refused_in_one_line(campaign: Path) -> None:
    result = evaluate(campaign, "-m", "relstring", "--bounds", "--format", "csv")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
