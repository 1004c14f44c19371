"""The pages of the notebooks in examples/: each is executed while the pages are built, and shown with what it prints.

A notebook with a cell that fails stops the build. The files in examples/ hold no outputs, so that a change to one
can be read.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[1] / "examples"

SHELL = "%%sh\n"
"""How a cell of commands begins."""


def write_notebook_pages(folder: Path) -> None:
    """Execute every notebook, and write it as a page; figures become files beside it, and it is kept as executed."""
    import nbformat

    folder.mkdir(exist_ok=True)
    for path in sorted(EXAMPLES.glob("*.ipynb")):
        notebook: Any = executed(path)
        nbformat.write(notebook, folder / path.name)  # type: ignore[no-untyped-call]
        page = "\n\n".join(_blocks(notebook, folder, path.stem))
        (folder / f"{path.stem}.md").write_text(page + "\n", encoding="utf-8")


def executed(path: Path) -> Any:
    """Return a notebook with its outputs; a cell that fails is an error."""
    import nbformat
    from nbclient import NotebookClient

    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    beside = str(Path(sys.executable).parent)  # commands are those of this environment
    if not os.environ["PATH"].startswith(beside):
        os.environ["PATH"] = os.pathsep.join([beside, os.environ["PATH"]])
    notebook: Any = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)  # type: ignore[no-untyped-call]
    quiet = ["--IPKernelApp.log_level=40"]
    NotebookClient(
        notebook,
        timeout=300,
        extra_arguments=quiet,
        resources={"metadata": {"path": str(EXAMPLES)}},
        coalesce_streams=True,  # what a command prints comes in pieces
    ).execute()
    return notebook


def _blocks(notebook: Any, folder: Path, stem: str) -> Iterator[str]:
    """Give the blocks of the page: text as it is, code, and what each cell showed last."""
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            yield re.sub(r"\]\(([\w-]+)\.ipynb\)", r"](\1.md)", cell.source)
            if number == 0:
                yield f"*This page is the notebook `examples/{stem}.ipynb`, executed.*"
            continue
        shell = cell.source.removeprefix(SHELL)
        yield f"```python\n{cell.source}\n```" if shell == cell.source else f"```sh\n{shell}\n```"
        for nth, output in enumerate(cell.outputs):
            shown = output.get("data", {})
            if "image/svg+xml" in shown:
                name = f"{stem}-{number}-{nth}.svg"
                (folder / name).write_text(shown["image/svg+xml"], encoding="utf-8")
                words = re.sub(r"[\[\]\n]", " ", shown["text/plain"].partition("(")[2].rpartition(")")[0])
                yield f"![{words}]({name})"
            elif "text/html" in shown:
                yield f'```{{raw}} html\n<div class="shown">\n{shown["text/html"]}\n</div>\n```'
            elif "text/plain" in shown or "text" in output:
                yield f"```text\n{(shown.get('text/plain') or output['text']).rstrip()}\n```"
