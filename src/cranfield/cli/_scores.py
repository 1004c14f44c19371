"""``--scores``: a table of scores takes the place of judgments and runs, in the same way wherever it can."""

from __future__ import annotations

from typing import Final

from cranfield.cli._derived import Mode
from cranfield.cli._files import FileRead
from cranfield.cli._options import CONDITIONS, NAMING, SCORE_TABLES, option

TABLE_OF_SCORES: Final = (
    option("--scores TABLE", FileRead,
           "Take existing scores, not QRELS and RUNS: a table (csv, json, JSON lines or parquet), long, as `cranfield "
           "evaluate --per-topic -o scores.csv` writes it, or wide."),
    *SCORE_TABLES,
)  # fmt: skip
"""The table, and how it is read."""


def of_scores(*leaves_out: str, among: tuple[str, ...] = CONDITIONS, alone_has: tuple[str, ...] = ()) -> Mode:
    """Return the mode of ``--scores``, without what is of judgments and rankings, and without conditions of these."""
    of_runs = (name for name in among if name not in ("topics", *NAMING))
    return Mode("--scores", "the runs are scored already", (*leaves_out, *of_runs),
                alone_has=("systems", "header", *alone_has))  # fmt: skip
