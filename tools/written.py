"""Write what pages hold of declarations, so that they are whole in the repository: `python -m tools.written`.

The measures are pages of their own. Of the other pages, the part below the comment that names this
command is written. With `--check` nothing is, and what is not as it should be is named.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from cranfield.conventions import TOOLS, TRACKS, Convention
from cranfield.reports.sentence import all_sentences
from cranfield.scoring.blocks import measures_of
from tools import choosing, llms, measures_pages, schemas
from tools.wrap import wrapped

DOCS: Final = Path(__file__).parents[1] / "docs"
MARK: Final = "<!-- below: python -m tools.written -->\n\n"


def written() -> dict[Path, str]:
    """Return each file that is written, or written in part, as it should be."""
    parts = {
        "choosing": choosing.advice(), "conventions": conventions(), "findings": sentences(),
        "json": schemas.explained(),
    }  # fmt: skip
    pages = {DOCS / f"{name}.md": _below((DOCS / f"{name}.md").read_text(), part) for name, part in parts.items()}
    measures = {DOCS / name: wrapped(text) for name, text in measures_pages.pages().items()}
    data = {DOCS / "_static" / "schemas" / name: text for name, text in schemas.schemas().items()}
    return {DOCS / "choosing.svg": choosing.drawn(), DOCS / "llms.txt": llms.text(), **pages, **measures, **data}


def _below(page: str, part: str) -> str:
    before, mark, _ = page.partition(MARK)
    return wrapped(f"{before}{mark}{part}")


def sentences() -> str:
    """Give the table of all sentences of reports, those that matter most first."""
    rows = (
        f"| `{each.name}` | {each.when} | {'' if each.caveat is None else each.caveat.about} |\n"
        for each in all_sentences()
    )
    return "| sentence | condition | warns of |\n|---|---|---|\n" + "".join(rows)


def conventions() -> str:
    """Describe all conventions, those of tracks first."""
    return "\n".join([_group("Tracks and benchmarks", TRACKS), _group("Tools", TOOLS)])


def _group(title: str, entries: Mapping[str, Convention]) -> str:
    return "\n".join([f"## {title}\n", *map(_entry, entries.values())])


def _entry(convention: Convention) -> str:
    measures = ", ".join(f"`{measure}`" for measure in measures_of(convention.name))
    said = [*convention.said(), *convention.notes]
    lines = [f"### `{convention.name}`\n", f"{convention.title}. {convention.purpose}\n", f"Measures: {measures}.\n"]
    lines += [f"- {each}" for each in said]
    lines += ["\nSources:\n", *(f"- {source}" for source in convention.sources), ""]
    return "\n".join(lines)


def stale() -> list[Path]:
    """Name the files that are not as they should be."""
    return [file for file, text in written().items() if not file.exists() or file.read_text(encoding="utf-8") != text]


def main() -> None:
    """Write the files, or with `--check` name those that are stale."""
    check = sys.argv[1:] == ["--check"]
    files = stale()
    should = {} if check else written()
    for file in files:
        print(file.relative_to(DOCS.parent))  # noqa: T201 - what it is for
        if not check:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(should[file], encoding="utf-8")
    sys.exit(1 if check and files else 0)


if __name__ == "__main__":
    main()
