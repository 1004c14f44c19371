"""``cranfield select`` as a person uses it."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from cranfield.cli import main
from cranfield.formats import read_qrels
from cranfield.scoring.evaluation import evaluate
from cranfield.selection import Judging
from cranfield.selection.records import Assessed, Log, Records

RUNS = {
    "one": "18 22 15 13 11 25 10 84",
    "two": "22 10 11 19 38 18 33 17",
    "three": "21 35 16 11 38 33 18 17",
    "four": "10 18 11 22 87 13 17 20",
}


@pytest.fixture
def runs(tmp_path: Path) -> str:
    """Write the runs of the paper's Table 1, and return their folder."""
    (tmp_path / "runs").mkdir()
    for name, documents in RUNS.items():
        lines = [f"1 Q0 {d} {i} {9 - i} {name}\n" for i, d in enumerate(documents.split(), start=1)]
        (tmp_path / "runs" / f"{name}.txt").write_text("".join(lines))
    return str(tmp_path / "runs")


def select(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["select", *arguments])


def test_the_next_documents_with_their_weights_and_the_runs_they_serve(runs: str) -> None:
    result = select(runs, "--method", "A", "--budget", "2")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "place  topic  document  weight  runs",
        "    1  1      18        0.4780  one:1 four:2 two:6 three:7",
        "    2  1      22        0.4624  two:1 one:2 four:4",
    ]
    assert result.stderr == (  # 1 - (0.4780 + 0.4624) / 4
        "2 documents by method A, RBP(p=0.8), seed 7; judging them lowers the mean residual of 4 runs on 1 topic "
        "from 1.0000 to 0.7649\n"
    )


def test_the_status_and_whether_it_is_enough(runs: str, tmp_path: Path) -> None:
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("1 0 18 1\n1 0 22 0\n1 0 11 1\n")
    result = select(runs, "--qrels", str(qrels), "--status", "--stop", "BudgetSpent(3)", "--stop", "LeaderKnown(.1)")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[0].split() == ["run", "base", "residual", "top", "projected", "can", "win"]
    said = result.stderr.splitlines()
    assert said[0].startswith("3 judged, 2 of them relevant; 14 left")
    assert said[1].startswith("most decisive documents: ")
    assert said[2].startswith("missed: at most 14 of 14 unjudged are relevant")
    assert said[3] == "enough: 3 documents are judged"
    assert said[4].startswith("not yet: 3 runs may be as good as four on these topics, with confidence 0.9: ")


def test_a_log_tells_when_each_document_was_judged(runs: str, tmp_path: Path) -> None:
    """Of qrels the audit takes every judgment for a draw; a log says which documents were known before.

    The first three judgments are of relevant documents at the end of the order; 13 misses follow.
    """
    order = [each.document for each in Judging(runs, method="audit").next(17)]
    judged = [*order[14:], *order[:14]]
    log, qrels = tmp_path / "judging.jsonl", tmp_path / "qrels.txt"
    written = Records(Log(log))
    for number, document in enumerate(judged):
        written.append(Assessed(f"j{number}", number, "1", document, int(number < 3), "Ann"))
    qrels.write_text("".join(f"1 0 {document} {int(number < 3)}\n" for number, document in enumerate(judged[:16])))
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(lines[:16]))
    by_log = select(runs, "--log", str(log), "--status", "--stop", "FewRelevantLeft(1)")
    by_qrels = select(runs, "--qrels", str(qrels), "--status", "--stop", "FewRelevantLeft(0, 0.2)")
    assert "(13 audited, none of them relevant)" in by_log.stderr
    assert "enough: at most 0 relevant documents are left" in by_log.stderr
    assert "(13 audited, none of them relevant)" in by_qrels.stderr
    both = select(runs, "--log", str(log), "--qrels", str(qrels))
    assert "with --log, leave --qrels out: it has the judgments" in both.stderr


def test_the_scale_of_a_log_is_that_of_its_grades(runs: str, tmp_path: Path) -> None:
    log, qrels = Log(tmp_path / "judging.jsonl"), tmp_path / "qrels.txt"
    log.append(Assessed("j1", 1, "1", "18", 2, "Ann"))
    log.append(Assessed("j2", 2, "1", "22", 1, "Ann"))
    qrels.write_text("1 0 18 2\n1 0 22 1\n")
    by_log, by_qrels = (select(runs, name, str(path)) for name, path in (("--log", log.path), ("--qrels", qrels)))
    assert (by_log.exit_code, by_log.stdout) == (0, by_qrels.stdout)
    small = select(runs, "--log", str(log.path), "--top-grade", "1")
    assert "event 'j1' has grade 2, but the largest is 1" in small.stderr


def test_a_pool_for_assessors(runs: str, tmp_path: Path) -> None:
    pool = tmp_path / "pool.txt"
    result = select(runs, "--method", "A", "--budget", "6", "--format", "trec", "-o", str(pool))
    assert result.stdout == ""
    assert pool.read_text() == "1 18\n1 22\n1 11\n1 10\n1 21\n1 13\n"


def test_csv_says_everything_exactly(runs: str) -> None:
    rows = list(csv.DictReader(io.StringIO(select(runs, "--method", "B", "--budget", "9", "--format", "csv").stdout)))
    planned = Judging(runs, method="B").plan(9)
    assert [(row["topic"], row["document"], float(row["weight"])) for row in rows] == [each[:3] for each in planned]
    assert list(rows[0]) == ["topic", "document", "weight", "runs"]


def test_judged_documents_are_not_chosen_again_and_count(runs: str, tmp_path: Path) -> None:
    qrels = tmp_path / "so-far.txt"
    qrels.write_text("1 0 18 0\n1 0 21 2\n1 0 99 1\n")
    result = select(runs, "--qrels", str(qrels), "--budget", "4", "--format", "trec")
    expected = Judging(runs, judged=read_qrels(qrels), top_grade=2).next(4)
    assert result.stdout == "".join(f"{each.topic} {each.document}\n" for each in expected)
    assert "current order; it depends on the judgments" in result.stderr
    assert not {"1 18", "1 21"} & set(result.stdout.splitlines())
    other = select(runs, "--qrels", str(qrels), "--budget", "4", "--top-grade", "1")
    assert other.exit_code == 2
    assert "has grade 2, but the largest is to be 1" in other.stderr


def test_a_negative_grade_is_judged_as_it_is_where_runs_are_evaluated(runs: str, tmp_path: Path) -> None:
    chosen = {}
    for grade in (-1, 0):
        (tmp_path / "qrels.txt").write_text(f"1 0 18 {grade}\n1 0 22 1\n")
        chosen[grade] = select(
            runs, "--qrels", str(tmp_path / "qrels.txt"), "--budget", "100", "--format", "trec"
        ).stdout
    assert chosen[-1] == chosen[0]
    assert not {"1 18", "1 22"} & set(chosen[-1].splitlines())

    (tmp_path / "qrels.txt").write_text("1 0 18 -1\n1 0 22 1\n")
    status = Judging(runs, "RBP(p=0.8)", judged=tmp_path / "qrels.txt").status()
    scores = evaluate(tmp_path / "qrels.txt", runs, ["RBP(p=0.8)", "RBPResidual(p=0.8)"]).of_runs(status.runs)
    np.testing.assert_allclose([status.base[:, 0], status.residual[:, 0]], scores.averages, rtol=1e-12)


def test_what_a_gate_lists_is_put_in_order(tmp_path: Path) -> None:
    qrels, listed, pool = tmp_path / "qrels.txt", tmp_path / "harm.csv", tmp_path / "pool.txt"
    qrels.write_text("1 0 18 1\n2 0 18 1\n")
    for name in ("two", "three"):
        lines = [f"{t} Q0 {d} {i} {9 - i} {name}\n" for t in "12" for i, d in enumerate(RUNS[name].split(), start=1)]
        (tmp_path / f"{name}.txt").write_text("".join(lines))
    base, new = str(tmp_path / "three.txt"), str(tmp_path / "two.txt")
    gate = ["gate", str(qrels), base, new, "-m", "RBP(p=0.8)", "--incomplete", "--documents", str(listed)]
    assert CliRunner().invoke(main, gate).exit_code in {0, 1, 3}
    named = {(row["topic"], row["document"]) for row in csv.DictReader(io.StringIO(listed.read_text()))}
    chosen = select(base, new, "--qrels", str(qrels), "--among", str(listed), "--method", "A", "--format", "trec")
    assert {tuple(line.split()) for line in chosen.stdout.splitlines()} == named != set()
    pool.write_text(chosen.stdout)
    again = select(base, new, "--qrels", str(qrels), "--among", str(pool), "--method", "A", "--format", "trec")
    assert again.stdout == chosen.stdout
    refused = select(base, new, "--among", str(qrels))
    assert refused.exit_code == 2
    assert "a list of documents has lines `topic document`" in refused.output


def test_measure_depth_and_persistence(runs: str) -> None:
    by_name = select(runs, "--method", "A", "-m", "RBP(p=0.5)", "--format", "csv")
    by_p = select(runs, "--method", "A", "--p", "0.5", "--format", "csv")
    assert by_name.stdout == by_p.stdout != select(runs, "--method", "A", "--format", "csv").stdout
    assert sorted(select(runs, "--depth", "1", "--format", "trec").stdout.split()[1::2]) == ["10", "18", "21", "22"]
    assert select(runs, "--depth", "1").stderr.startswith("4 documents by method C")


def test_a_power_of_ones_own(runs: str) -> None:
    result = select(runs, "--method", "C(power=2.5)")
    assert result.exit_code == 0
    assert "by method C(power=2.5), RBP(p=0.8)" in result.stderr
    assert "power of method C must be at least 0, not -1" in select(runs, "--method", "C(power=-1)").stderr


def test_when_all_is_judged_it_says_so(runs: str, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("".join(f"1 0 {d} 0\n" for d in ("10", "18", "21", "22")))
    result = select(runs, "--depth", "1", "--qrels", str(tmp_path / "qrels.txt"), "--format", "trec")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "everything that the runs retrieved is judged" in result.stderr


def test_of_what_may_be_chosen_all_is_judged_and_what_may_not_is_not_counted(runs: str, tmp_path: Path) -> None:
    (tmp_path / "among.txt").write_text("1 18\n1 22\n")
    log = Log(tmp_path / "log.jsonl")
    for number, document in enumerate(["18", "22", "10", "seen"]):
        log.append(Assessed(f"j{number}", number, "1", document, 1, "Ann"))
    result = select(runs, "--log", str(log.path), "--among", str(tmp_path / "among.txt"))
    assert "note: everything that may be chosen is judged" in result.stderr
    assert "note: 1 judged document of the log is not among the candidates, and not counted" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--log", "-"], "this has to be a named file, not the standard input"),
        (["--method", "D"], "there is no method 'D'; choose from A, B, C, C1, C2, audit, depth,"),
        (["--p", "1.5"], "p must be above 0 and below 1, not 1.5"),
        (["--p", "0.5", "-m", "RBP"], "give either --p or --measure, not both"),
        (["-m", "AP"], "AP has no fixed weights of ranks"),
        (["--stop", "LeaderKnown"], "leave --stop out, or give --status, too"),
        (["--status", "--cheap", __file__], "leave --cheap out, or give --stop LeaderKnown, too"),
        (["--status", "--budget", "3"], "with --status, leave --budget out: nothing is chosen"),
        (["--status", "--files", "pool"], "with --status, leave --files out: nothing is chosen"),
        (["--log", "nowhere.jsonl", "--status"], "nowhere.jsonl: no such file"),
        (["--status", "--stop", "Enough"], "there is no rule 'Enough'; choose from BudgetSpent,"),
        (["--method", "pool", "--scope", "system"], "method pool does not use scores of the runs"),
        (["--qrels", "nowhere.txt"], "nowhere.txt"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(runs: str, arguments: list[str], problem: str) -> None:
    result = select(runs, *arguments)
    assert result.exit_code == 2
    assert problem in result.stderr
    assert result.stderr.startswith("cranfield: ")
    assert result.stderr.count("\n") == 1


def test_one_file_a_topic_by_team_and_priority(runs: str, tmp_path: Path) -> None:
    """Runs one and four to depth 2, run two to depth 1; run three is of priority 3 and gives nothing."""
    teams, folder = tmp_path / "teams.tsv", tmp_path / "pool"
    teams.write_text("run\tteam\tpriority\none\tT\t1\ntwo\tT\t2\nthree\tU\t3\nfour\tU\t1\n")
    asked = ["--teams", str(teams), "--depth-by-priority", "2,1", "--files", str(folder)]
    result = select(runs, "--method", "depth", *asked)
    assert result.exit_code == 0, result.stderr
    assert {*(folder / "1.txt").read_text().splitlines()} == {"1 18", "1 22", "1 10"}
    assert [line.split() for line in result.stdout.splitlines()] == [
        ["team", "run", "priority", "depth", "documents", "alone"],
        ["T", "(all)", "2", "1"],
        ["T", "one", "1", "2", "2", "0"],
        ["T", "two", "2", "1", "1", "0"],
        ["U", "(all)", "2", "1"],
        ["U", "four", "1", "2", "2", "1"],
        ["U", "three", "3", "0", "0", "0"],
    ]
    assert "3 documents of 1 topic; within a topic, documents are ordered by a digest of seed 7 and id" in result.stderr
    fewer = select(runs, "--method", "A", "--budget", "1", *asked[:4], "--format", "trec")
    assert fewer.stdout == "1 18\n"
    for lacking, said in (
        (asked[:2], "leave --teams out, or give --depth-by-priority or --files, too"),
        (asked[2:], "with --depth-by-priority, give --teams, too"),
    ):
        refused = select(runs, *lacking)
        assert refused.exit_code == 2
        assert said in refused.stderr
    teams.write_text("one T\ntwo T\nthree U\nfour U\n")
    assert "2 cells; three are needed, a run, its team and its priority" in select(runs, *asked).stderr
    teams.write_text("one T 1\ntwo T 2\nthree U high\nfour U 1\n")
    assert "line 3: 3 cells, where a line is a run, its team and maybe a number" in select(runs, *asked).stderr
    teams.write_text(teams.read_text().replace(" ", "\t"))
    assert "run 'three' has priority 'high'; one is a whole number from 1" in select(runs, *asked).stderr


def test_a_residual_that_hardly_falls_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.run").write_text("".join(f"1 Q0 d{n} {n} {-n} a\n" for n in range(1, 101)))
    Path("among.txt").write_text("1 d90\n")
    found = CliRunner().invoke(main, ["select", "--method", "random", "a.run", "--budget", "1", "--among", "among.txt"])
    assert "judging them lowers the mean residual of 1 run on 1 topic, 1.0000, by less than 0.0001" in found.output
