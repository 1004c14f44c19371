"""The README's tables say what the pages say that they come from; the rivals themselves are not asked here."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:  # the benchmarks are run from the repository root and are not installed
    sys.path.insert(0, str(ROOT))

from benchmarks import front, rivals, sections  # noqa: E402

TIMES = """\
## The reference work: 129 runs, four measures

| contender | time | spread |
|---|--:|--:|
| cranfield 0.3.0 | 0.37 s | 0.35–0.39 |
| cranfield in Python 0.3.0.dev1 | 1.22 s | 1.13–1.24 |
| pytrec_eval 0.5.11 | 3.90 s | 3.80–4.15 |
| trec_eval 9.0.8 -O3 | 4.89 s | 4.81–5.44 |
| trec_eval 10.0 -O3 | 5.10 s | 4.90–5.40 |

## Runs in memory

| work | contender | time | CPU |
|---|---|--:|--:|
| in a loop, 50 × 10 | cranfield | 0.28 ms | 0.28 ms |
|  | pytrec_eval | 0.08 ms | 0.08 ms |
| in a loop, 50 × 100 | cranfield | 0.65 ms | 0.65 ms |
|  | ranx | not installed | |
"""


def test_the_readme_has_what_the_pages_have() -> None:
    readme = front.read(front.README)
    assert front.put(readme, front.read(sections.PAGE), front.read(front.COMPARISON)) == readme


def test_times_are_those_of_the_page_and_the_shortest_is_bold() -> None:
    rows = front.times(TIMES).splitlines()
    assert rows[0] == "|  | cranfield | pytrec_eval | trec_eval 9.0.8 |"
    assert rows[2].endswith("| **0.37 s** | 3.90 s | 4.89 s |")
    assert rows[3].endswith("| **1.22 s** | 3.90 s | 4.89 s |")
    assert rows[5].endswith("| **0.65 ms** |  |  |")
    assert rows[6].endswith("| 0.28 ms | **0.08 ms** |  |")


def test_a_readme_without_the_places_of_the_tables_is_refused() -> None:
    with pytest.raises(ValueError, match="has no comment <!-- times"):
        front.put("# README\n", TIMES, "")


def test_rows_are_those_of_the_page() -> None:
    page = "|  | cranfield | ranx | MATTERS |\n|---|---|---|---|\n"
    page += "".join(f"| {n}. {name} | yes | part ({n}) | yes |\n" for n, name in enumerate(front.ROWS, 1))
    rows = front.comparison(page).splitlines()
    assert rows[0] == "|  | cranfield | ranx |"
    assert rows[2] == f"| {front.ROWS[0]} | yes | part (1) |"


ROWS = [row for rows in rivals.GROUPS.values() for row in rows]


def test_every_program_is_one_and_every_name_is_known() -> None:
    names = [row.name for row in ROWS]
    assert len(set(names)) == len(names)
    assert set(front.ROWS) <= set(names)
    for row in ROWS:
        assert set(row.rivals) <= set(rivals.RIVALS)
        assert re.compile(row.words)
        for rival, cell in row.rivals.items():
            if isinstance(cell, rivals.Try) and rival != "trec_eval":
                last = ast.parse(f"{rivals.PRELUDES[rival]}\n{cell.program}").body[-1]
                assert isinstance(last, ast.Expr), f"{row.name}, {rival}: the last line is no value"
            assert isinstance(cell, rivals.Try) or rival == "MATTERS", "what can be tried is tried"


def test_the_page_has_each_cell_with_what_it_rests_on() -> None:
    cells = {(row.name, rival): rivals.Found("", "") for row in ROWS for rival in rivals.RIVALS}
    cells["fusion of runs", "ranx"] = rivals.Found("yes", "25")
    page = rivals.page(cells, {"ranx": "0.3.21"}, "28 November 2026")
    assert "28 November 2026: ranx 0.3.21" in page
    [row] = [line for line in page.splitlines() if re.match(r"\| \d+\. fusion of runs", line)]
    assert row.split(" | ")[1:] == ["", "", "", "", "yes", "", "", " |"]
    assert '- ranx: yes. ``len(ranx.fuse(runs=[a, b], method="rrf"))`` → `25`' in page
    assert "- trec_eval, pytrec_eval, ir_measures: nothing matches ``fus(e|ion)``." in page
    assert page.count("cranfield compare qrels.txt runs -m AP  # 10") == 1


def test_the_page_that_is_kept_is_of_these_rows_and_programs() -> None:
    kept = " ".join(front.read(front.COMPARISON).split())
    for number, row in enumerate(ROWS, 1):
        assert f"| {number}. {row.name} | {'yes |' if row.command else '| '}" in kept, "python -m benchmarks.rivals"
        assert not row.command or f"{row.command} # {number}" in kept
        for cell in row.rivals.values():
            if isinstance(cell, rivals.Try):
                assert all(f"``{' '.join(line.split())}``" in kept for line in cell.program.split("\n")), row.name
