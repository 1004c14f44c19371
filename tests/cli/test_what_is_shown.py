"""What commands show, and what they say beside it: order, names, quiet, refusals in one line."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result

import cranfield as cf
from cranfield.cli import COMMAND_GROUPS, main
from cranfield.measures import REGISTRY

QRELS = "".join(f"{t} 0 r 1\n{t} 0 n 0\n{t} 0 m 0\n" for t in range(1, 8))
ORDERS = {"poor": "nmr", "good": "rnm", "other": "uvr"}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "qrels.txt").write_text(QRELS)
    for run, order in ORDERS.items():
        lines = [f"{t} Q0 {d} {i} {9 - i} tag-{run}\n" for t in range(1, 8) for i, d in enumerate(order)]
        (tmp_path / f"{run}.run").write_text("".join(lines))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def cranfield(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def below(found: Result) -> list[str]:
    """Leave out the opening above a table."""
    return found.stdout.split("\n\n", 1)[1].splitlines()


RUNS = ("poor.run", "good.run", "other.run")
FILES = ("qrels.txt", *RUNS)


def runs_of(text: str) -> list[str]:
    return [line.split()[0] for line in text.splitlines()[1:]]


def test_the_best_run_first(here: Path) -> None:
    asked = ("evaluate", "qrels.txt", *RUNS, "-m", "RR", "-m", "NumRel", "--no-audit")
    assert runs_of(cranfield(*asked).stdout) == ["poor", "good", "other"]
    assert runs_of(cranfield(*asked, "--sort").stdout) == ["good", "poor", "other"]
    assert runs_of(cranfield(*asked, "--sort=RR").stdout) == ["good", "poor", "other"]
    table = cranfield(*asked, "--sort", "--format", "csv", "-q").stdout
    assert list(dict.fromkeys(row["run"] for row in csv.DictReader(io.StringIO(table)))) == ["good", "poor", "other"]
    wrong = cranfield(*asked, "--sort", "AP")
    assert (wrong.exit_code, wrong.stderr) == (
        2, "cranfield: AP is not among the measures asked for: RR, NumRel\n"
    )  # fmt: skip


def test_where_less_is_better_the_least_comes_first() -> None:
    qrels = {"1": {"a": 1, "b": 0}}
    runs = {"late": {"1": {"b": 2.0, "a": 1.0}}, "early": {"1": {"a": 2.0, "b": 1.0}}}
    scores = cf.evaluate(qrels, runs, ["ASL", "nDCG@10", "nDCG@5"], bounds=True)
    assert scores.averages[0, 0] > scores.averages[0, 1]
    found = scores.sorted_by("ASL")
    assert found.runs == ("early", "late")
    assert found.values[:, ::-1].tolist() == scores.values.tolist()
    assert found.by_run() == scores.by_run()
    assert found.sorted_by().runs == scores.sorted_by(cf.parse_measure("nDCG@5")).runs
    with pytest.raises(cf.MeasureError, match=r"nDCG can be several of the measures asked for"):
        scores.sorted_by("nDCG")
    with pytest.raises(cf.InputError, match="there is none"):
        cf.evaluate(qrels, runs, "relstring").sorted_by()


def test_what_is_not_a_number_comes_last_and_more_relevant_documents_first() -> None:
    qrels = {"1": {"a": 1, "b": 1}}
    runs = {"none": {"1": {"x": 1.0}}, "one": {"1": {"a": 1.0}}, "two": {"1": {"a": 2.0, "b": 1.0}}}
    scores = cf.evaluate(qrels, runs, ["AP", "NumRelRet"])
    assert scores.sorted_by("NumRelRet").runs == ("two", "one", "none")
    values = scores.values.copy()
    values[0, 1] = np.nan
    odd = replace(scores, values=values).sorted_by("AP")
    assert odd.runs == ("two", "none", "one")
    assert "| two  | **1.0000** |" in odd.to_markdown()


def test_a_comparison_in_the_order_of_a_measure(here: Path) -> None:
    asked = ("compare", "qrels.txt", *RUNS, "-m", "RR", "--test", "sign")
    assert below(cranfield(*asked))[1].split()[:2] == ["a", "poor"]
    table = cranfield(*asked, "--sort", "RR")
    assert cranfield(*asked, "--sort").stdout == table.stdout
    assert [line.split()[:2] for line in below(table)[1:]] == [
        ["a", "good"],
        ["b", "poor"],
        ["c", "other"],
    ]
    assert below(table)[1].split()[2:] == ["1.0000", "bc"]
    assert cranfield(*asked, "--sort", "--format", "csv").stdout == cranfield(*asked, "--format", "csv").stdout


@pytest.mark.parametrize(
    "command",
    [
        ("evaluate", "qrels.txt", *RUNS, "-m", "RBP", "--bounds"),
        ("evaluate", "qrels.txt", *RUNS, "-m", "map", "--format", "trec_eval"),
        ("compare", "qrels.txt", *RUNS),
        ("curve", "-m", "CG", "qrels.txt", *RUNS),
        ("cut", "uneven.run", "--score", "2", "-o", "cut"),
        ("select", *RUNS),
        ("experiment", "correlation", "qrels.txt", *RUNS, "--resamples", "5", "--out", "found", "--table", "pairs"),
    ],
)
def test_quiet(here: Path, command: tuple[str, ...]) -> None:
    (here / "uneven.run").write_text("1 Q0 r 1 3 uneven\n2 Q0 r 1 1 uneven\n")
    loud, quiet = cranfield(*command), cranfield(*command, "--quiet")
    assert (loud.exit_code, quiet.exit_code) == (0, 0)
    assert loud.stderr
    assert quiet.stderr == ""
    assert quiet.stdout == loud.stdout


def test_runs_by_names_of_ones_own(here: Path) -> None:
    result = cranfield("evaluate", "qrels.txt", "bm25=poor.run", "dense=good.run", "other.run", "-m", "RR")
    assert runs_of(result.stdout) == ["bm25", "dense", "other"]
    twice = cranfield("evaluate", "qrels.txt", "x=poor.run", "x=good.run")
    assert (twice.exit_code, twice.stderr) == (
        2,
        "cranfield: good.run: two runs are named 'x'; the first is poor.run\n",
    )
    compared = cranfield("compare", "qrels.txt", "bm25=poor.run", "dense=good.run", "--baseline", "bm25")
    assert compared.exit_code == 0
    assert "bm25" in compared.stdout
    assert "bm25:" in cranfield("select", "bm25=poor.run", "--budget", "1").stdout
    assert cranfield("cut", "bm25=poor.run", "two=good.run", "--at", "1", "-o", "cut").exit_code == 0
    assert sorted(path.name for path in (here / "cut").iterdir()) == ["bm25.run", "two.run"]
    missing = cranfield("evaluate", "qrels.txt", "x=nowhere.run")
    assert (missing.exit_code, missing.stderr) == (2, "cranfield: x=nowhere.run: no such file\n")
    assert cranfield("curve", "-m", "CG", "qrels.txt", "bm25=poor.run", "--format", "csv").stdout.count("bm25,") == 20


def test_what_exists_as_it_is_written_is_a_path(here: Path) -> None:
    (here / "p=good.run").write_text((here / "poor.run").read_text())
    assert list(cf.read_runs("p=good.run")) == ["p=good"]
    assert list(cf.read_runs("p=*.run")) == ["p=good"]
    assert list(cf.read_runs(["q=good.run", "r=p=good.run"])) == ["q", "r"]
    assert cf.read_runs("q=good.run")["q"].equals(cf.read_run("good.run"))
    assert list(cf.read_runs({"x": "p=good.run"})) == ["x"]
    (here / "a=b").mkdir()
    (here / "a=b" / "good.run").write_text((here / "good.run").read_text())
    assert list(cf.read_runs("a=b/good.run")) == ["good"]
    with pytest.raises(cf.InputError, match="files match, but only one can be the run 'all'"):
        cf.read_runs("all=*.run")


def test_a_named_standard_input(here: Path) -> None:
    command = [sys.executable, "-m", "cranfield", "evaluate", "qrels.txt", "piped=-", "-m", "RR", "--quiet"]
    text = (here / "good.run").read_text()
    result = subprocess.run(command, capture_output=True, text=True, check=True, input=text)
    assert runs_of(result.stdout) == ["piped"]
    assert result.stderr == ""


def test_which_block_is_which_run(here: Path) -> None:
    asked = ("evaluate", "qrels.txt", "b=poor.run", "good.run", "-m", "map", "--format", "trec_eval", "--no-audit")
    several = cranfield(*asked)
    assert several.stderr == "runs, a block each: b, good\n"
    assert several.stdout == "".join(f"map                   \tall\t{value}\n" for value in ("0.3333", "1.0000"))
    assert cranfield("evaluate", "qrels.txt", "good.run", "--format", "trec_eval", "--no-audit").stderr == ""


@pytest.mark.parametrize("suffix", ["csv", "json", "parquet", "csv.gz"])
def test_scores_are_compared(here: Path, suffix: str) -> None:
    scored = cranfield("evaluate", "qrels.txt", *RUNS, "-m", "RR", "-m", "P@1,2", "-q", "-o", f"scores.{suffix}")
    assert scored.exit_code == 0
    for measures in (("RR",), ("P@2", "RR"), ("RR", "P@1", "P@2")):
        asked = [part for measure in measures for part in ("-m", measure)]
        by_scores = cranfield("compare", "--scores", f"scores.{suffix}", *asked, "--format", "csv")
        assert by_scores.exit_code == 0
        by_runs = cranfield("compare", "qrels.txt", *RUNS, *asked, "--format", "csv")
        assert by_scores.stdout == by_runs.stdout, "measures are in the order asked for"
        shown = [below(cranfield("compare", *scored, *asked)) for scored in (("--scores", f"scores.{suffix}"), FILES)]
        assert shown[0] == shown[1]
    assert below(cranfield("compare", "--scores", f"scores.{suffix}"))[0].split() == [
        "run", "RR", "P@1", "P@2"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (("--scores", "scores.csv", "qrels.txt", "good.run"), "leave QRELS and RUNS out"),
        (("--scores", "scores.csv", "--judged-only"), "leave --judged-only out"),
        (("--scores", "nowhere.csv"), "nowhere.csv: no such file"),
        (("--scores", "qrels.txt"), "qrels.txt: not a table with several columns"),
        (("--scores", "broken.json"), "broken.json, line 1: not JSON"),
        (("--scores", "means.csv"), "no scores by topic"),
        (("--scores", "scores.csv", "-m", "AP"), "AP is not among the measures asked for: RR"),
        (("qrels.txt",), "missing argument '[NAME=]RUN...', or --collection, --collections or --scores instead"),
    ],
)
def test_scores_that_cannot_be_compared(here: Path, arguments: tuple[str, ...], answer: str) -> None:
    (here / "scores.csv").write_text("run,topic,measure,value\nx,1,RR,1\nx,2,RR,0\ny,1,RR,0\ny,2,RR,1\n")
    (here / "means.csv").write_text("run,topic,measure,value\nx,all,RR,1\ny,all,RR,0\n")
    (here / "broken.json").write_text('[{"run": ')
    result = cranfield("compare", *arguments)
    assert result.exit_code == 2
    assert answer in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("--frobnicate", "cranfield: no such option"),
        ("evalute", "cranfield: there is no command 'evalute'; did you mean `cranfield evaluate`?"),
        ("fish", "cranfield: there is no command 'fish'; choose from agreement, check, choose, clicks, combine,"),
        (
            "evaluate",
            "missing argument 'QRELS', or --collection or --collections instead (see `cranfield evaluate --help`)\n",
        ),
        ("evaluate qrels.txt good.run --frmat csv", "cranfield: no such option"),
        ("evaluate qrels.txt good.run --format xls", "cranfield: invalid value for '--format': 'xls' is not one of"),
        ("evaluate qrels.txt good.run --depth 0", "depth must be at least 1, not 0"),
        (
            "evaluate qrels.txt good.run --order best",
            "order must be 'score' or 'trec9' or 'stable' or 'rank' or 'file', not 'best'",
        ),
        ("curve -m CG qrels.txt good.run --average mean", "average must be 'ratios' or 'vectors', not 'mean'"),
        ("curve -m CG qrels.txt good.run --reach 0", "reach must be at least 1, not 0"),
        ("compare qrels.txt good.run poor.run --layout wide", "layout must be 'systems' or 'pairs', not 'wide'"),
        ("compare qrels.txt good.run poor.run --seed -1", "seed must be at least 0"),
        ("select good.run --scope all", "scope must be 'topic' or 'system', not 'all'"),
        ("select good.run --budget 0", "budget must be at least 1, not 0"),
        ("select good.run --top-grade nan", "top_grade must be above 0"),
        ("cut good.run --learned SetF --qrels qrels.txt --folds 1 -o cut", "folds must be at least 2, not 1"),
        ("cut good.run --learned SetF --qrels qrels.txt --rule worst -o cut", "rule must be 'best' or 'depth'"),
        ("experiment archetypes qrels.txt good.run --n 1.5", "'1.5' is not a valid integer"),
        ("experiment nonsense", "cranfield: there is no experiment 'nonsense'; choose from abstention, archetypes,"),
        ("measures --format xml", "format must be 'text' or 'json', not 'xml'"),
        ("demo --seed -1", "seed must be at least 0"),
    ],
)
def test_whatever_is_refused_is_refused_alike(here: Path, command: str, answer: str) -> None:
    result = cranfield(*command.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("cranfield: ")
    assert answer in result.stderr
    assert result.stderr.count("\n") == 1
    assert not list(here.glob("cut"))


def test_help_is_light() -> None:
    """What one command had loaded would still be there after the next: one process is enough for all."""
    commands = (
        *("", "evaluate", "compare", "curve", "cut", "select", "measures", "simulate", "demo", "choose"),
        *("agreement", "correlate", "estimate", "experiment", "overlap", "sample"),
    )
    program = (
        "import sys; from cranfield.cli import main\n"
        f"for command in {commands}:\n"
        "    try: main([*command.split(), '--help'])\n"
        "    except SystemExit: print(command, *({'numpy', 'polars', 'scipy'} & set(sys.modules)), file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert [line.strip() for line in result.stderr.splitlines()] == [*commands]


def test_measures_are_looked_for() -> None:
    found = cranfield("measures", "--search", "RECIP").stdout
    names = [line.split()[0] for line in found.splitlines() if line.startswith("  ")]
    assert "RR" in names
    assert "AP" not in names
    firsts = {"mrr": "RR", "MAP": "AP", "recall": "R", "hit rate": "Success", "hole rate": "Judged", "BEIR": "nDCG"}
    for words, first in firsts.items():
        assert cranfield("measures", "--search", words).stdout.split()[0] == first
    nothing = cranfield("measures", "--search", "no such words")
    assert (nothing.exit_code, nothing.stderr.count("\n")) == (2, 1)
    assert cranfield("measures", "AP", "--search", "mrr").exit_code == 2


def test_several_measures_are_described() -> None:
    output = cranfield("measures", "AP", "ndcg_cut_10").stdout
    assert output == cranfield("measures", "AP").stdout + "\n" + cranfield("measures", "nDCG").stdout


def test_measures_as_data() -> None:
    everything = json.loads(cranfield("measures", "--format", "json").stdout)
    assert [each["name"] for each in everything] == list(REGISTRY)
    [rbp] = json.loads(cranfield("measures", "RBP", "--format", "json").stdout)
    assert rbp == next(each for each in everything if each["name"] == "RBP")
    page = REGISTRY["RBP"].documentation()
    assert (rbp["question"], rbp["formula"], rbp["paper"]) == (page.question, page.formula, page.paper)
    assert rbp["worked_examples"]
    assert rbp["range"] == [0, 1]
    p = next(each for each in rbp["parameters"] if each["name"] == "p")
    assert (p["above"], p["below"], p["default"]) == (0, 1, 0.8)
    twist = json.loads(cranfield("measures", "Twist", "--format", "json").stdout)[0]
    crossing = next(each for each in twist["parameters"] if each["name"] == "crossing")
    assert "matters" in crossing["choices"]
    assert json.loads(cranfield("measures", "--search", "mrr", "--format", "json").stdout)[0]["name"] == "RR"


def test_every_command_has_a_group_and_says_what_it_does_in_one_line_that_begins_with_a_verb() -> None:
    shown = cranfield("--help").stdout
    for name in main.list_commands(click.Context(main)):
        line = next(line for line in shown.splitlines() if line.startswith(f"  {name} "))
        assert re.fullmatch(r"  [a-z_]+ +[A-Z][a-z]+ .+\.", line), line
        assert len(line) <= 80, line
    assert [line[:-1] for line in shown.splitlines() if line.endswith(":") and line != "Options:"] == list(
        COMMAND_GROUPS
    )


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("evalute", "`cranfield evaluate`"),
        ("significance", "`cranfield compare` or `cranfield experiment significance`"),
        ("certificate", "`cranfield experiment certificate`"),
        ("metric", "`cranfield measures`"),
    ],
)
def test_a_wrong_word_leads_to_the_command_that_does_it(typed: str, meant: str) -> None:
    assert f"there is no command {typed!r}; did you mean {meant}?" in cranfield(typed).stderr


def test_a_word_that_no_command_says_lists_all_commands() -> None:
    assert "there is no command 'a('; choose from agreement, check, " in cranfield("a(").stderr
