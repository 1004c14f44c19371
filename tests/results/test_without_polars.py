"""Scores are written for people, and as trec_eval does, without polars: importing it takes longer than all the rest."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cranfield.results import programs
from cranfield.results.programs import LongColumns, csv, csv_of

SCORES = """
import json, sys
import numpy as np
from cranfield.judged.audit import Audit, RunAudit
from cranfield.judged.conditions import Conditions
from cranfield.measures import AP, NumRet
from cranfield.scoring.scores import Scores

runs, topics = ("bm25", "dense"), ("1", "2")
audit = Audit(tuple(RunAudit(run, 2, (), (), (), 4, 0, (0.0, 0.0)) for run in runs), 2, ())
values = np.array([[[0.25, 0.75], [0.5, 1.0]], [[1.0, 3.0], [2.0, 2.0]]])
present = np.ones((2, 2), bool)
measures = (AP(), NumRet())
found = []
for what, bounds in json.loads(sys.argv[1]):
    limits = np.stack([values, values + 0.125]) if bounds else None
    scores = Scores(runs, topics, measures, values, present, Conditions(), audit, limits=limits, asked=measures)
    found.append((str(eval(what)), "polars" in sys.modules))
print(json.dumps(found))
"""

SHOWN = [
    ("scores.render()", "run        AP  NumRet\nbm25   0.5000       4\ndense  0.7500       4\n"),
    ("scores.sorted_by('AP').render()", "run        AP  NumRet\ndense  0.7500       4\nbm25   0.5000       4\n"),
    (
        "scores.render(per_topic=True)",
        "run    topic      AP  NumRet\n"
        "bm25   1      0.2500       1\n"
        "bm25   2      0.7500       3\n"
        "bm25   all    0.5000       4\n"
        "dense  1      0.5000       2\n"
        "dense  2      1.0000       2\n"
        "dense  all    0.7500       4\n",
    ),
    (
        "scores.render('markdown')",
        "| run   | AP         | NumRet |\n|:------|-----------:|-------:|\n"
        "| bm25  |     0.5000 |      4 |\n| dense | **0.7500** |      4 |\n"
        "\nAverages over 2 topics. Best in bold.\n",
    ),
    (
        "scores.render('csv', per_topic=True)",
        "run,topic,measure,value\nbm25,1,AP,0.25\nbm25,1,NumRet,1.0\nbm25,2,AP,0.75\nbm25,2,NumRet,3.0\n"
        "bm25,all,AP,0.5\nbm25,all,NumRet,4.0\ndense,1,AP,0.5\ndense,1,NumRet,2.0\ndense,2,AP,1.0\n"
        "dense,2,NumRet,2.0\ndense,all,AP,0.75\ndense,all,NumRet,4.0\n",
    ),
    (
        "scores.render('trec_eval')",
        "map                   \tall\t0.5000\nnum_ret               \tall\t4\n"
        "map                   \tall\t0.7500\nnum_ret               \tall\t4\n",
    ),
]
SEEN = ["scores.render('latex')", "scores._repr_html_()", "repr(scores)", "scores.audit"]
BOUNDED = ["scores.render('csv')", "scores.render()"]


@cache
def all_printed() -> dict[tuple[str, bool], str]:
    """Print everything in one process, which has not loaded polars after any of it."""
    asked = [(what, False) for what in [*dict(SHOWN), *SEEN]] + [(what, True) for what in BOUNDED]
    command = [sys.executable, "-c", SCORES, json.dumps(asked)]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert not result.stderr
    texts = dict(zip(asked, json.loads(result.stdout), strict=True))
    assert {what: loaded for what, (_, loaded) in texts.items()} == dict.fromkeys(asked, False)
    return {what: text for what, (text, _) in texts.items()}


def printed(what: str, *, bounds: bool = False) -> str:
    return all_printed()[what, bounds]


@pytest.mark.parametrize(("what", "shown"), SHOWN)
def test_what_is_printed(what: str, shown: str) -> None:
    assert printed(what) == shown


def test_bounds() -> None:
    assert printed("scores.render('csv')", bounds=True).splitlines()[:2] == [
        "run,topic,measure,value,low,high",
        "bm25,all,AP,0.5,0.5,0.625",
    ]
    assert printed("scores.render()", bounds=True).splitlines()[1] == "bm25   0.5000 [0.5000, 0.6250]  4 [4, 4]"


@pytest.mark.parametrize("what", SEEN)
def test_all_that_people_see(what: str) -> None:
    assert "bm25" in printed(what) or "2 runs" in printed(what)


@given(st.lists(st.tuples(st.text(st.characters(exclude_categories=["Cs"])), st.floats(width=64)), min_size=1))
@example(
    [('a,"b"\r', 1e-5), ("", -1.25e-5), ("\n", 9.99e-6), ("'", 1e-9), (" x ", 1e-10), ("é", 1e16), ("", 123456789e8)]
)
def test_csv_and_json_are_the_same_with_polars_and_without(rows: list[tuple[str, float]]) -> None:
    columns: LongColumns = {"run": [text for text, _ in rows], "value": [value for _, value in rows]}
    assert csv_of(columns) == csv(pl.DataFrame(columns))
    assert programs.json_of(columns) == programs.json(pl.DataFrame(columns))


@pytest.mark.parametrize("rows", [0, 1, 2, 5])
def test_a_long_table_is_written_part_by_part(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pl.DataFrame({"run": [f"r{n}" for n in range(rows)], "value": [n / 3 for n in range(rows)]})
    monkeypatch.setattr("cranfield.results.programs.ROWS_AT_ONCE", 2)
    assert csv(table) == table.write_csv()


def test_a_small_run_is_scored_and_printed_without_polars(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n2 0 a 2\n")
    (tmp_path / "bm25.run").write_text("1 Q0 b 1 2.0 x\n1 Q0 a 2 1.0 x\n2 Q0 a 1 1.0 x\n")
    program = "import sys; from cranfield.cli import main; main(sys.argv[1:], standalone_mode=False); "
    command = [sys.executable, "-c", program + "print('polars' in sys.modules)"]
    done = subprocess.run(
        [*command, "evaluate", "qrels.txt", "bm25.run", "-m", "AP"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "run       AP\nbm25  0.7500\nFalse\n"
