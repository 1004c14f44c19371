"""Golden sets on the command line: how their texts are found among documents, and where their parts stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from cranfield.cli._files import FileRead
from cranfield.cli._options import option

if TYPE_CHECKING:
    from cranfield.formats.golden import GoldenSet

_EXACT: Final = "exact"


GOLDEN: Final = (
    option("--docs FILE", FileRead,
           "Texts of documents, to find the texts of a golden set in (JSON lines, CSV, TREC, a folder)."),
    option("--match", click.Choice([_EXACT, "within"]),
           "Match a text with documents equal to it except for white space, or with documents that contain it. "
           "[default: exact]"),
)  # fmt: skip


def read_asked(path: str, asked: Mapping[str, Any], docs: Any = None) -> GoldenSet:
    """Read a golden set as it is asked."""
    from cranfield.formats.golden_records import read_golden

    match: Any = asked["match"] or _EXACT
    docs = asked["docs"] if docs is None else docs
    return read_golden(path, docs=docs, fields=asked["fields"], match=match)


def golden_asked(qrels: str, runs: Sequence[str], asked: Mapping[str, Any]) -> tuple[Any, list[Any], list[str]]:
    """Read the golden sets among qrels and runs: what stands in their place, and what is to be said of the lists."""
    if asked["docs"] is None and asked["match"] is None:
        return qrels, list(runs), []
    from cranfield.formats import expand, run_name
    from cranfield.formats.documents import read_documents
    from cranfield.formats.files import STANDARD_STREAM, named
    from cranfield.formats.golden_sets import is_golden_file
    from cranfield.plumbing.naming import Naming

    naming = Naming.of(fields=asked["fields"])
    docs = None if asked["docs"] is None else read_documents(asked["docs"])
    found, notes = list[Any](), list[str]()
    for run in runs:
        name, path = named(run)
        for file in [path] if path == STANDARD_STREAM else expand([path]):
            if not is_golden_file(file, naming):
                found.append(run)
                break
            of_run = read_asked(str(file), asked, docs)
            found.append({name or run_name(file): of_run})
            notes += [f"{name or run_name(file)}: {told}" for told in of_run.told_of_run()]
    if is_golden_file(qrels, naming) or all(isinstance(run, str) for run in found):  # one of them is meant
        return read_asked(qrels, asked, docs), found, notes
    return qrels, found, notes
