"""What a small evaluation loads: most of its time goes by while modules are imported."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

SHELL = "from cranfield.cli import main; main(['evaluate', 'small.qrels', 'small.run'], standalone_mode=False)"
PYTHON = "import cranfield; cranfield.evaluate({'1': {'a': 1}}, {'bm25': {'1': {'a': 2.0, 'b': 1.0}}})"
ROOMS = {"conventions", "formats", "judged", "measures", "plumbing", "public", "results", "scoring", "statistics"}
LIBRARIES = {"narwhals", "polars", "rich", "scipy", "zstandard"}


@pytest.mark.parametrize(("start", "rooms", "most"), [(SHELL, ROOMS | {"cli"}, 127), (PYTHON, ROOMS, 118)])
def test_what_a_small_evaluation_loads(start: str, rooms: set[str], most: int, tmp_path: Path) -> None:
    """Measures are not counted: all of them are loaded, and one more is no room's fault."""
    (tmp_path / "small.qrels").write_text("1 0 a 1\n1 0 b 0\n", encoding="utf-8")
    (tmp_path / "small.run").write_text("1 Q0 a 1 2 bm25\n1 Q0 b 2 1 bm25\n", encoding="utf-8")
    code = f"import json, sys\n{start}\nprint(json.dumps(sorted(sys.modules)))"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    loaded = json.loads(done.stdout.splitlines()[-1])
    ours = [name for name in loaded if re.match(r"cranfield\.(?!measures\.[a-z_]+$)", name)]
    assert {name.split(".")[1] for name in ours} == rooms
    assert len(ours) <= most, ours
    assert not LIBRARIES & set(loaded)


def test_figures_are_known_before_a_library_of_tables_is_loaded() -> None:
    code = "import sys, cranfield.plots; print(len(cranfield.plots.PLOTS), *sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    known, *loaded = done.stdout.split()
    assert int(known) > 20
    assert not (LIBRARIES | {"vl_convert"}) & set(loaded)
