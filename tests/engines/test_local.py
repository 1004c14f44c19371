"""The suite of every engine on this machine: runs in Parquet that are read and scored a few topics at a time."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

import cranfield as cf
from cranfield.formats import parted

SUITE = run_path(str(Path(__file__).parent / "expectations.py"))
SOME = ["every measure"]
"""Of these the usual tests are made, too."""


@pytest.mark.parametrize("sorted_", [pytest.param(True, marks=pytest.mark.integration), False])
@pytest.mark.parametrize(
    "name",
    [*SOME, *(pytest.param(name, marks=pytest.mark.integration) for name in SUITE["CASES"] if name not in SOME)],
)
def test_the_same_as_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, sorted_: bool) -> None:
    """Files that count as large from the first rows on; topics that lie together, and such as do not."""

    def in_parts(case: Any) -> Any:
        for run, table in case.runs.items():
            (table.sort("query_id") if sorted_ else table).write_parquet(tmp_path / f"{run}.parquet", row_group_size=11)
        monkeypatch.setattr(parted, "LARGE_RUN", 5)
        monkeypatch.setattr(parted, "ROWS_READ_AT_ONCE", 7)
        runs = {run: tmp_path / f"{run}.parquet" for run in case.runs}
        scores = cf.evaluate(case.qrels, runs, case.measures, **case.conditions)
        return SUITE["Found"](scores.per_topic, scores.means, scores.audit)

    SUITE["expect_the_same"](SUITE["CASES"][name], in_parts)
