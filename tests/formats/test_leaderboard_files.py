"""Leaderboards in the formats of TREC's AutoJudge tools: told by their lines, and written."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner, Result

import cranfield as cf
from cranfield.cli import main
from cranfield.formats.leaderboard_files import read_leaderboard, write_leaderboard
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import LeaderboardFormat
from cranfield.scoring.panel import panel_of, read_scores

ROWS = [("bm25", "q1", "AP", 0.25), ("bm25", "q2", "AP", 0.75), ("системы", "q1", "AP", 1.0), ("系统", "q2", "AP", 0.0)]
MEANS = [("bm25", "all", "AP", 0.5), ("системы", "all", "AP", 1.0), ("系统", "all", "AP", 0.0)]
FORMS: tuple[LeaderboardFormat, ...] = ("tot", "ir_measures", "trec_eval", "ranking", "jsonl")


def read(folder: Path, text: str, name: str = "gpt.txt") -> list[tuple[object, ...]]:
    (folder / name).write_text(text)
    return read_leaderboard(folder / name).rows()


def refusal(folder: Path, text: str, name: str = "gpt.txt") -> str:
    with pytest.raises(InputError) as caught:
        read(folder, text, name)
    return str(caught.value).removeprefix(f"{folder}/")


def test_each_format_by_hand(tmp_path: Path) -> None:
    wanted = [("bm25", "401", "AP", 0.5), ("bm25", "all", "AP", 0.5)]
    assert read(tmp_path, "bm25 AP 401 .5\nbm25\tAP all 0.5\n") == wanted
    assert read(tmp_path, "bm25 401 AP .5\n\nbm25 all AP 0.5\n") == wanted
    assert read(tmp_path, "AP 401 .5\nAP all .5\n", "bm25.txt") == wanted
    assert read(tmp_path, "runid all bm25\nAP 401 .5\nAP all .5\n", "other.txt") == wanted
    assert read(tmp_path, "401 Q0 bm25 1 .5 AP\nall Q0 bm25 1 .5 AP\n") == wanted
    line = '{"run_id": "bm25", "topic_id": %s, "measure": "AP", "value": %s, "note": 7}\n'
    assert read(tmp_path, line % ("401", "0.5") + line % ('"all"', '"0.5"')) == wanted


def test_a_line_of_names_tells_the_columns(tmp_path: Path) -> None:
    assert read(tmp_path, "topic system metric score\nq1 bm25 mine 2\n") == [("bm25", "q1", "mine", 2.0)]


def test_four_columns_are_told_apart_by_topics_and_known_measures_or_not_at_all(tmp_path: Path) -> None:
    said = refusal(tmp_path, "bm25 q1 mine .5\n")
    assert said.startswith("gpt.txt: four columns that may be `run measure topic value` (tot) or")
    assert read(tmp_path, "bm25 q1 mine .5\n", "gpt.tot") == [("bm25", "mine", "q1", 0.5)]
    assert read(tmp_path, "bm25 q1 mine .5\n", "gpt.ir_measures") == [("bm25", "q1", "mine", 0.5)]
    (tmp_path / "known.txt").write_text("bm25 q1 nDCG@10 .5\n")
    assert read_scores(tmp_path / "known.txt").table.rows() == [("bm25", "q1", "nDCG@10", 0.5)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a AP 1 .5\na AP 2\n", "gpt.txt, line 2: 3 columns, where run measure topic value are 4"),
        ("a AP 1 .5\na AP 2 high\n", "gpt.txt, line 2: AP of run a on topic 2 is not a finite number but 'high'"),
        ("a AP 1 .5\n\na AP 1 .6\n", "gpt.txt, line 3: AP of run a on topic 1 is already on line 1"),
        ("a AP 1 .5\na AP 2 nan\n", "gpt.txt, line 2: AP of run a on topic 2 is not a finite number but 'nan'"),
        ("1 Q0 d7 0 9.5 bm25\n2 Q0 d8 0 9.1 bm25\n", "gpt.txt: a ranking of runs has lines `topic Q0 run rank value"),
        (
            "1 0 d7 1\n1 0 d8 0\n",
            "gpt.txt: not a leaderboard in any of the formats tot, ir_measures, trec_eval, ranking",
        ),
        ("runid all bm25\n", "gpt.txt: a leaderboard without a value"),
    ],
)
def test_broken_lines_are_named(tmp_path: Path, text: str, said: str) -> None:
    assert refusal(tmp_path, text).startswith(said)


def test_broken_json_lines_are_named(tmp_path: Path) -> None:
    line = '{"run_id": "a", "topic_id": "1", "measure": "AP", "value": 1}\n'
    assert refusal(tmp_path, line + '{"run_id": "a"}\n', "a.jsonl").startswith(
        "a.jsonl, line 2: a line is an object with run_id, topic_id, measure, value; this one lacks topic_id, measure"
    )
    assert "line 2: AP of run a on topic 1 is already on line 1" in refusal(tmp_path, 2 * line, "a.jsonl")


@pytest.mark.parametrize("form", FORMS)
def test_what_is_written_is_read_back_with_its_averages(tmp_path: Path, form: LeaderboardFormat) -> None:
    table = pl.DataFrame(ROWS, schema=["run", "topic", "measure", "value"], orient="row")
    written = write_leaderboard(table, tmp_path / "new", form)
    assert len(written) == (3 if form == "trec_eval" else 1)
    assert sorted(read_leaderboard(tmp_path / "new", known=lambda name: name == "AP").rows()) == sorted([*ROWS, *MEANS])
    panel = panel_of(read_scores(tmp_path / "new"))
    assert panel.averages[0].tolist() == [0.5, 0.5, 0.0]  # topics that a run lacks count 0, as in any table


def test_nothing_is_written_where_a_name_does_not_fit(tmp_path: Path) -> None:
    table = pl.DataFrame({"run": ["a b"], "topic": ["1"], "measure": ["AP"], "value": [1.0]})
    with pytest.raises(InputError, match="the run 'a b' does not fit"):
        write_leaderboard(table, tmp_path / "new.tot", "tot")
    with pytest.raises(InputError, match="run a/b cannot be a file name"):
        write_leaderboard(table.with_columns(run=pl.lit("a/b")), tmp_path / "new", "trec_eval")
    assert [*tmp_path.iterdir()] == []
    write_leaderboard(table, tmp_path / "new.jsonl", "jsonl")
    assert read_leaderboard(tmp_path / "new.jsonl")["run"].to_list() == ["a b", "a b"]


def test_convert_writes_what_autojudge_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def convert(*arguments: str) -> Result:
        return CliRunner().invoke(main, ["convert", *arguments])

    Path("scores.csv").write_text("run,topic,measure,value\nbm25,q1,AP,0.25\nbm25,q2,AP,0.75\n")
    assert convert("scores.csv", "--leaderboard", "gpt.tot").stderr == "wrote 1 run by 1 measure to gpt.tot (tot)\n"
    assert Path("gpt.tot").read_text() == "bm25\tAP\tq1\t0.25\nbm25\tAP\tq2\t0.75\nbm25\tAP\tall\t0.5\n"
    assert convert("gpt.tot", "--leaderboard", "runs", "--form", "trec_eval").exit_code == 0
    assert Path("runs/bm25").read_text() == "runid\tall\tbm25\nAP\tq1\t0.25\nAP\tq2\t0.75\nAP\tall\t0.5\n"
    assert "runs: holds something already" in convert("gpt.tot", "--leaderboard", "runs", "--form", "trec_eval").stderr
    assert "leave --form out, or give --leaderboard, too" in convert("gpt.tot", "--form", "tot").stderr
    assert "with --leaderboard, leave --qrels out" in convert("gpt.tot", "--leaderboard", "b", "--qrels", "q").stderr


def test_scores_are_written_as_autojudge_reads_them(tmp_path: Path) -> None:
    scores = cf.evaluate(
        {"q1": {"d": 1}, "q2": {"d": 1}}, {"a": {"q1": ["d"], "q2": ["x", "d"]}, "b": {"q1": ["x"]}}, ["RR", "P@1"]
    )
    for form in FORMS[:2] + FORMS[3:]:
        path = tmp_path / f"own.{form}"
        path.write_text(str(scores.render(form, per_topic=True)))
        assert read_leaderboard(path).sort(pl.all()).rows() == sorted(scores.to_polars(per_topic=True).rows())
    assert scores.render("tot").splitlines()[0] == "a\tRR\tall\t0.75"
    with pytest.raises(InputError, match="the run 'a b' does not fit"):
        cf.evaluate({"q1": {"d": 1}}, {"a b": {"q1": ["d"]}}, "RR").render("tot")


def test_a_table_of_another_kind_is_told_by_its_first_line(tmp_path: Path) -> None:
    """Whatever follows: to split a hundred thousand lines that are none of ours takes longer than to read them."""
    for first in ("model,task,won", "bm25, AP, 401, .5", "one two", "bm25 AP 401 high", "401 Q0 d1 1 high r"):
        path = tmp_path / "table.txt"
        path.write_text(f"{first}\nbm25 AP 401 .5\n")
        with pytest.raises(InputError, match="not a leaderboard in any of the formats"):
            read_leaderboard(path)
