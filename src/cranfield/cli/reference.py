"""``cranfield reference`` (convert and make): write ideal, worst and reranked lists as runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from cranfield.cli._files import Command, refuse_inputs
from cranfield.cli._options import conditions, declared, qrels_, runs_
from cranfield.cli._output import make_folder
from cranfield.plumbing.escaping import printable
from cranfield.plumbing.options import Depth, ReferenceKind


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  cranfield reference qrels.txt -o best
  cranfield reference qrels.txt --kind full-scale --length 100 -o best
  cranfield reference qrels.txt runs/*.gz --kind reranked -o reranked
""",
)
@qrels_()
@runs_(required=False)
@declared(
    ReferenceKind, "--kind", default="ideal",
    meaning="All relevant documents, the best first (ideal), or behind what nobody judged, the best last (full-scale); "
    "nothing that was judged (worst); or the documents of each of the RUNS, the best first (reranked).",
)  # fmt: skip
@declared(
    Depth, "--length", default=1000, metavar="N",
    meaning="Documents a topic of the full-scale and the worst run.",
)  # fmt: skip
@conditions("order", "comments")
@click.option("-o", "--out", "folder", metavar="DIR", required=True, help="Folder for the runs.")
def command(
    qrels: str, runs: tuple[str, ...], kind: ReferenceKind, length: int, folder: str, **conditions: Any
) -> None:
    """Write reference lists for QRELS: the best and the worst that could have been returned.

    The gap between a reranked run and the ideal run was not retrieved; the gap between the run and its
    reranked list was ranked too low.
    """
    from cranfield.formats import write_run
    from cranfield.lists.references import reference_runs
    from cranfield.stopping.cutting import files_for

    found = reference_runs(qrels, list(runs) or None, kind=kind, length=length, **conditions)
    targets = files_for(found.sources, Path(folder))
    refuse_inputs(targets)
    make_folder(folder, "reference runs")
    for source, target in zip(found.sources, targets, strict=True):
        write_run(source.read(), target, name=source.tag())
    click.echo("\n".join(printable(str(target)) for target in targets))
