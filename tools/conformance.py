"""Ask other tools for the cases of the conformance suite: `python -m tools.conformance` prints the table of verdicts.

With ``--write`` the table goes into docs/conformance.md, between its two marks, and the rows of tools that are not
installed stay, since not all of them can be installed together. Each tool is one small function, an
adapter (`tools.adapters`), and is used where its package is installed: pytrec_eval-terrier, ir_measures, ranx,
scikit-learn, torchmetrics, sentence-transformers, llama-index-core, haystack-ai, deepeval, ragas, recommenders,
RecTools and trectools, best in an environment of their own. What a tool refuses is no value.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
import warnings
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Final

from cranfield import __version__
from cranfield.conformance import SUITE, Conformity, MeasureVerdict, conform
from cranfield.conformance.suite import files
from tools.adapters import ADAPTERS, Adapter, NotAsked

PAGE: Final = Path(__file__).parents[1] / "docs" / "conformance.md"
MARKS: Final = ("<!-- verdicts: python -m tools.conformance --write -->\n", "<!-- end of verdicts -->\n")


def tested(of: Adapter) -> Conformity:
    """Ask a tool for all cases, and return the verdict."""
    answers: dict[str, float | None] = {}
    for case in json.loads(files()["suite.json"])["cases"]:
        try:
            found = of.ask(case)
        except NotAsked:
            continue
        except Exception as error:  # noqa: BLE001 - whatever a tool raises is its refusal
            sys.stderr.write(f"{of.title}, {case['id']}: {type(error).__name__}: {str(error)[:80]}\n")
            found = None
        answers[case["id"]] = None if found is None or found != found else found  # noqa: PLR0124 - NaN
    which = __version__ if of.package == "cranfield" else version(of.package)
    return conform({"suite": SUITE, "tool": of.title, "version": which, "answers": answers})


def rows(found: Conformity) -> Iterator[str]:
    """Write a row for all measures of which the same is to be said."""
    said: dict[tuple[str, str], list[MeasureVerdict]] = {}
    for each in found.measures:
        said.setdefault((each.verdict, each.headline()), []).append(each)
    tool = f"{found.tool} ({found.version})"
    for (verdict, sentence), of in said.items():
        answered = sum(each.answered for each in of)
        names = ", ".join(f"`{each.measure}`" for each in of)
        yield f"| {tool} | {names} | {answered} | {verdict} | {sentence} |\n"
        tool = ""


def table(page: str = "") -> str:
    """Return the verdicts on all tools that are installed here, and those that the page has of the others."""
    before: dict[str, list[str]] = {}
    tool = ""
    for line in page.splitlines(keepends=True):
        if named := re.match(r"\| (.*) \(\S+\) \| `", line):
            tool = named[1]
        before.setdefault(tool, []).extend([line] if line.startswith("| ") else [])
    lines = [row for each in ADAPTERS for row in (rows(tested(each)) if is_here(each) else before.get(each.title, []))]
    return "".join(["| tool | measures | cases answered | verdict | finding |\n|---|---|--:|---|---|\n", *lines])


def is_here(of: Adapter) -> bool:
    """Say whether a tool is installed, with all that it needs."""
    try:
        importlib.import_module(of.module)
    except ImportError:
        return False
    return True


def main() -> None:
    """Print the table, or write it into the page."""
    warnings.simplefilter("ignore")
    if "--write" not in sys.argv[1:]:
        sys.stdout.write(table())
        return
    before, rest = PAGE.read_text(encoding="utf-8").split(MARKS[0])
    verdicts, after = rest.split(MARKS[1])
    PAGE.write_text(f"{before}{MARKS[0]}\n{table(verdicts)}\n{MARKS[1]}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
