"""``cranfield leaderboard`` as a person uses it, and tables of scores in other commands."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner, Result
from tools.each import each_of

import cranfield as cf
from cranfield.cli import main
from cranfield.reports.document import Picture
from cranfield.scoring.panel import scores_of


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = [
        f"{agent},t{task},{'yes' if (task * n) % 3 else 'no'}" for n, agent in enumerate("abc", 1) for task in range(30)
    ]
    Path("won.csv").write_text("\n".join(["who,what,won", *rows]))
    Path("matrix.csv").write_text("\n".join(["a,b", *(f"0.{t % 7},0.{(t + 1) % 7}" for t in range(30))]))
    Path("unclear.csv").write_text("id,a,b\nx,.5,.25\ny,0,1\n")
    Path("crashed.csv").write_text(
        "\n".join(["topic,base,new", *(f"t{t},0.{t % 7},{'.5' if t > 20 else ''}" for t in range(30))])
    )
    return tmp_path


NAMES = "run=who,topic=what,value=won"


def call(*arguments: str, given: str | None = None) -> Result:
    return CliRunner().invoke(main, list(arguments), input=given)


def test_the_answer_is_the_first_line(here: Path) -> None:
    found = call("leaderboard", "won.csv", "--columns", NAMES)
    assert found.exit_code == 0
    board = cf.leaderboard("won.csv", columns=NAMES)
    assert found.stdout.startswith(f"{board.answer}\n\nrank  run")
    assert "may lead by won on topics like these" in board.answer
    assert "note: won: all values are 0 or 1, so the sign test of two runs is McNemar's test" in found.stderr
    rows = json.loads(call("leaderboard", "won.csv", "--columns", NAMES, "--format", "json").stdout)["rows"]
    assert [row["run"] for row in rows] == board.rows["run"].to_list()
    pairs = json.loads(call("leaderboard", "won.csv", "--columns", NAMES, "--format", "json", "--pairs").stdout)
    assert len(pairs) == 3 and {*pairs[0]} == {"measure", "better", "other", "difference", "p", "told_apart"}


def test_what_is_unclear_is_refused_in_a_line_that_says_what_decides(here: Path) -> None:
    found = call("leaderboard", "unclear.csv")
    assert found.exit_code == 2
    assert found.stderr == (
        "cranfield: unclear.csv: systems may be the rows or the columns: give --systems rows or --systems columns\n"
    )
    assert call("leaderboard", "unclear.csv", "--systems", "rows").exit_code == 0
    alone = call("leaderboard", "-", given="401 0 d1 1\n401 0 d2 0\n")
    assert "not a table with several columns" in alone.stderr and "name RUNS, too" in alone.stderr
    assert "leave --systems out" in call("leaderboard", "won.csv", "run.txt", "--systems", "rows").stderr


def test_it_writes_a_readme_and_a_figure(here: Path) -> None:
    assert call("leaderboard", "matrix.csv", "-o", "board.md", "--plot", "ranks.svg").exit_code == 0
    lines = Path("board.md").read_text().splitlines()
    assert lines[0].startswith("**2 of 2 runs may lead by score") and lines[2].startswith("| rank | run")
    assert lines[-1].startswith("Ranks: simultaneous 95% intervals")
    assert Path("ranks.svg").stat().st_size > 1000


@pytest.mark.parametrize("name", ["rank-intervals", "critical-difference"])
def test_figures_of_a_table(here: Path, name: str) -> None:
    assert call("plot", "matrix.csv", "--figure", name, "-o", "figure.svg").exit_code == 0
    assert Path("figure.svg").stat().st_size > 1000
    refused = call("plot", "matrix.csv", "--figure", "curves", "-o", "figure.html")
    assert "curves is drawn from curves: give qrels and runs; scores alone do for cranfield lead" in refused.stderr


def test_other_commands_read_the_same_tables(here: Path) -> None:
    compared = call("compare", "--scores", "won.csv", "--columns", NAMES)
    assert compared.exit_code == 0 and "won" in compared.stdout
    gated = call("gate", "--scores", "matrix.csv", "--margin", "0.5")
    assert gated.exit_code == 0 and "equivalent" in gated.stdout
    assert "missing argument 'QRELS', or --scores instead" in call("gate").stderr


def test_a_gate_ends_with_status_1_where_a_run_did_not_run(here: Path) -> None:
    found = call("gate", "--scores", "crashed.csv", "--on-undecided", "pass")
    assert found.exit_code == 1
    assert "did not run" in found.stdout and "new has no scores on 21 of 30 topics" in found.stdout
    assert call("gate", "--scores", "crashed.csv", "--not-run", "0.8", "--on-undecided", "pass").exit_code in {0, 1}
    assert (
        "there is only one: base (left out, as they did not run: new"
        in call("compare", "--scores", "crashed.csv").stderr
    )
    board = call("leaderboard", "crashed.csv")
    assert "note: left out, as they did not run: new (no scores on 21 of 30 topics)" in board.stderr


DOORS = {
    "leaderboard": ("leaderboard", "TABLE"),
    "compare": ("compare", "--scores", "TABLE"),
    "certificate": ("experiment", "certificate", "--scores", "TABLE", "--resamples", "99"),
    "plot": ("plot", "--scores", "TABLE", "--figure", "leaderboard", "-o", "figure.svg"),
    "report": ("report", "--scores", "TABLE", "-o", "page.html"),
}
"""All that takes a table of several systems, by the same door."""


@each_of("name", [*DOORS])
def test_every_door_reads_tables_in_the_same_way(here: Path, name: str) -> None:
    """Names of columns, where systems are, who ran, which topics count, and clusters: options of all of them."""

    def through(table: str, *asked: str) -> Result:
        return call(*(table if each == "TABLE" else each for each in DOORS[name]), *asked)

    named_so = through("won.csv", "--columns", NAMES)
    assert named_so.exit_code == 0, named_so.output
    unclear = through("unclear.csv")
    assert unclear.exit_code == 2 and "give --systems rows or --systems columns" in unclear.stderr
    assert through("unclear.csv", "--systems", "columns").exit_code == 0
    Path("crashed3.csv").write_text(Path("crashed.csv").read_text().replace("base,new", "base,other,new").replace(
        ",0.", ",0.5,0."))  # fmt: skip
    Path("clusters.csv").write_text("topic,cluster\n" + "".join(f"t{t},{t // 3}\n" for t in range(30)))
    asked = ("--topics", "shared", "--clusters", "clusters.csv")
    assert through("crashed3.csv", *asked).exit_code == 0
    assert through("crashed3.csv", "--not-run", "0.9", *asked).exit_code == 0
    depth = through("won.csv", "--depth" if name != "certificate" else "--budget", "4")
    assert depth.exit_code == 2 and len(depth.stderr.splitlines()) == 1


def test_a_certificate_of_scores_has_what_needs_no_judgments(here: Path) -> None:
    found = cf.experiments.certificate(scores=cf.read_scores("won.csv", columns=NAMES), resamples=99)
    board = cf.leaderboard("won.csv", columns=NAMES, resamples=99)
    likely = found["ranks"].select(
        "run", pl.col("likely_from").alias("rank_from"), pl.col("likely_to").alias("rank_to")
    )
    assert likely.equals(board.rows.select("run", "rank_from", "rank_to"))
    assert found["ranks"]["certain_from"].null_count() == 3 and not found["documents"].height
    of_board = {frozenset(row[:2]): row[2] for row in board.pairs.select("better", "other", "p").rows()}
    assert all(p == of_board[frozenset((a, b))] for a, b, p in found["pairs"].select("better", "other", "p").rows())
    assert found.settings["scores"] == "won.csv" and found.notes[0].startswith("only scores: certain ranks and")
    one_measure = {"a": {str(t): {"AP": t / 30, "RR": 1.0} for t in range(9)}, "b": {str(t): {"AP": 0.0, "RR": 1.0}
                   for t in range(9)}}  # fmt: skip
    some = cf.experiments.certificate(scores=one_measure, measures="AP")
    assert some["ranks"]["measure"].unique().to_list() == ["AP"]
    with pytest.raises(cf.InputError, match=r"certificate takes joined runs, .* or a table of them as scores="):
        cf.experiments.certificate()
    joined = cf.join({"1": {"x": 1}}, {"a": {"1": ["x"]}})
    with pytest.raises(cf.InputError, match="pass joined runs, or scores=, not both"):
        cf.experiments.certificate(joined, scores=one_measure)


def test_a_page_of_scores(here: Path) -> None:
    document = cf.report("won.csv", columns=NAMES, baseline="c").document
    assert document.first is not None
    assert document.first.sure.endswith(cf.leaderboard("won.csv", columns=NAMES).answer)
    assert document.first.says.startswith("2 of 2 runs are significantly better than c in won on topics like these")
    assert isinstance(document.first.picture, Picture)
    assert [section.name for section in document.sections] == ["significance", "ranks", "more-topics", "topics", "read"]
    left_out = [said for name, said in document.first.facts if name == "Left out"]
    assert len(left_out) == 1 and "rankings and judgments" in left_out[0]
    [more] = [table for table in document.tables() if table.name == "more-topics"]
    topics = more.rows["topics"].to_list()
    assert topics == sorted(topics) and topics[2] > 10 * topics[0]  # a quarter of a difference takes 16 times as many
    crashed = cf.report("crashed.csv").document.first
    assert crashed is not None
    assert crashed.caveats == ("Left out, as they did not run: new (no scores on 21 of 30 topics).",)
    assert crashed.says.endswith("It is the only run.")
    with pytest.raises(cf.InputError, match=r"no run is called 'x' \(the baseline\); the runs are"):
        cf.report("won.csv", columns=NAMES, baseline="x")
    with pytest.raises(cf.InputError, match="leave cheap out"):
        cf.report("won.csv", columns=NAMES, cheap="won.csv")
    assert cf.report("won.csv", columns=NAMES).to_html() == cf.report("won.csv", columns=NAMES).to_html()


@each_of(
    "scores",
    [
        {"a": {"1": 0.5, "2": 0.25}},
        {"a": {"1": 0.5}, "b": {"1": 0.25}},
        {run: {str(t): 0.5 for t in range(9)} for run in "abc"},
        {run: {str(t): None if t == 3 else t % 4 / 4 for t in range(9)} for run in ("a", "模型 б")},
        {run: {str(t): {"AP": 100.0 * (t % place)} for t in range(1, 20)} for place, run in enumerate("abc", 2)},
    ],
)
def test_pages_and_figures_of_odd_boards(scores: dict[str, dict[str, float]]) -> None:
    """One system, one item, all equal, missing cells, names in any script, percentages under the name of ours."""
    assert cf.report(scores).to_html().endswith("</html>\n")
    assert cf.plot("leaderboard", scores).description
    ends = scores_of(scores).intervals()
    assert (ends["high"].drop_nulls() >= ends.filter(pl.col("high").is_not_null())["mean"]).all()


def test_what_needs_rankings_says_what_takes_scores(here: Path) -> None:
    table = pl.DataFrame({"model": ["a", "b"], "task_id": ["1", "1"], "won": [1, 0]})
    alone = (
        "scores alone do for leaderboard, compare_scores, gate, plan_topics, correlate, plot, report and certificate"
    )
    for refused in (
        lambda: cf.evaluate(table, {"a": {"1": ["x"]}}),
        lambda: cf.evaluate({"1": {"x": 1}}, table),
        lambda: cf.compare(table),
        lambda: cf.plot("curves", table),
        lambda: cf.experiments.risk(table),  # type: ignore[arg-type]
        lambda: cf.experiments.risk(scores_of(table)),  # type: ignore[arg-type]
    ):
        with pytest.raises(cf.InputError, match=alone):
            refused()
    said = call("evaluate", "won.csv", "won.csv").stderr
    assert "as --scores TABLE for compare, gate, plot, report and experiment certificate" not in said  # who, what, won
    Path("own.csv").write_text("model,task_id,won\na,1,1\n")
    said = call("evaluate", "own.csv", "own.csv").stderr
    assert "as --scores TABLE for compare, gate, plot, report and experiment certificate" in said


def test_planning_leaves_out_what_did_not_run(here: Path) -> None:
    Path("three.csv").write_text(
        "topic,a,b,c\n" + "".join(f"t{t},0.{t % 7},0.{t * 3 % 8},{'' if t else 9}\n" for t in range(30))
    )
    found = call("topics", "three.csv", "--difference", "0.1")
    assert "note: left out, as they did not run: c (no scores on 29 of 30 topics)" in found.stderr
    two = call("topics", "three.csv", "--difference", "0.1", "--not-run", "2")
    assert two.exit_code == 0 and two.stdout != found.stdout
    assert call("topics", "won.csv", "--columns", NAMES).exit_code == 0
