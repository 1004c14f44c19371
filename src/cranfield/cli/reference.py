"""``cranfield reference`` (convert and make): write ideal, worst and reranked lists as runs."""

from __future__ import annotations

from pathlib import Path

import click

from cranfield.cli._derived import Call, derived
from cranfield.cli._options import conditions, option, qrels_, runs_
from cranfield.cli._output import make_folder
from cranfield.plumbing.escaping import printable
from cranfield.plumbing.options import Depth, ReferenceKind


@derived(
    qrels_(),
    runs_(required=False),
    option("--kind", ReferenceKind,
           "Kind of list: all relevant documents, the best first (ideal), or after unjudged ones, the best last "
           "(full-scale); no judged document (worst); or the documents of each of the RUNS, the best first (reranked).",
           "ideal"),
    option("--length N", Depth, "Documents per topic of the full-scale and the worst run.", 1000),
    conditions("order", "comments"),
    option("-o --out DIR", str, "Folder for the runs.", name="folder", required=True),
    examples="""
  cranfield reference qrels.txt -o best
  cranfield reference qrels.txt --kind full-scale --length 100 -o best
  cranfield reference qrels.txt runs/*.gz --kind reranked -o reranked
""",
)  # fmt: skip
def command(call: Call, folder: str) -> None:
    """Write reference lists for QRELS: the best and the worst possible ones.

    The gap between the ideal and a reranked run is what the run did not retrieve; the gap between the reranked list and
    the run is what it ranked too low.
    """
    from cranfield.formats import write_run
    from cranfield.lists.references import reference_runs
    from cranfield.stopping.cutting import files_for

    found = call(reference_runs)
    targets = files_for(found.sources, Path(folder))
    make_folder(folder, "reference runs", targets)
    for source, target in zip(found.sources, targets, strict=True):
        write_run(source.read(), target, name=source.tag())
    click.echo("\n".join(printable(str(target)) for target in targets))
