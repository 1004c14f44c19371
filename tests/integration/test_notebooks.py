"""The notebooks of examples/, run cell by cell: none fails, and each shows what its text speaks of."""

from __future__ import annotations

import json
import os
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
DRAWN = {
    "a-measure-of-your-own": 2, "a-track": 0, "effort-and-gain": 3, "first-evaluation": 2, "is-my-difference-real": 3,
    "judging-with-a-model": 0, "where-to-stop": 1,
}  # fmt: skip
"""How many figures each notebook shows."""
SAID = {
    "a-measure-of-your-own": ["FirstThree", "violated"],
    "a-track": ["REJECTED", "made a judging task", "above the median", "# Simulated track", "fused", "unjudged"],
    "effort-and-gain": ["0.6665"],
    "first-evaluation": ["0.6552", "408, 414"],
    "is-my-difference-real": ["undecided"],
    "judging-with-a-model": ["expert labels per topic", "circular"],
    "where-to-stop": ["needs 4 judged topics"],
}
"""What the text says of the outputs, or a reader should find there."""


def test_there_is_an_entry_for_each_notebook() -> None:
    assert [path.stem for path in NOTEBOOKS] == sorted(DRAWN)


def executed(path: Path) -> Any:
    """Execute a notebook, or take what was kept where the pages were built just now (CRANFIELD_PAGES)."""
    if not os.environ.get("CRANFIELD_PAGES"):
        return import_module("docs.notebooks_page").executed(path)
    import nbformat

    kept: Any = nbformat.read(ROOT / "docs" / "notebooks" / path.name, as_version=4)  # type: ignore[no-untyped-call]
    assert [cell.source for cell in kept.cells] == [
        "".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
    ]
    return kept


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs_and_shows_something(path: Path) -> None:
    notebook = executed(path)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    silent = [cell.source for cell in cells if not cell.outputs]
    assert [source for source in silent if not re.match(r"\w+(, \w+)* = ", source.splitlines()[-1])] == []
    outputs = [output for cell in cells for output in cell.outputs]
    kinds = {(output.output_type, cell.source.startswith("%%sh\n")) for cell in cells for output in cell.outputs}
    assert kinds <= {("execute_result", False), ("stream", True)}, "a cell prints, or warns"
    data = [output.get("data", {"text/plain": output.get("text")}) for output in outputs]
    assert sum("image/svg+xml" in each for each in data) == DRAWN[path.stem]
    shown = "\n".join(each["text/plain"] + each.get("text/html", "") for each in data)
    assert [said for said in SAID[path.stem] if said not in shown] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_file_holds_no_outputs_and_its_links_lead_somewhere(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)
    text = "".join(line for cell in cells if cell["cell_type"] == "markdown" for line in cell["source"])
    links = [target.partition("#")[0] for target in re.findall(r"\]\((?!https?:)([^)]+)\)", text)]
    assert [target for target in links if not (path.parent / target).exists()] == []
