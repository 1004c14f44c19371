"""Several collections in one call: ``--also NAME=QRELS,RUNS``, read and joined."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from cranfield.cli._files import FileRead
from cranfield.cli._output import Progress
from cranfield.plumbing.errors import InputError

if TYPE_CHECKING:
    from cranfield.experiments.experiment import Collections
    from cranfield.formats.files import FilePath
    from cranfield.scoring.judged_runs import JudgedRuns


class CollectionRead(FileRead):
    """A further collection: its qrels and its runs are read."""

    name = "collection"

    def files_read(self, value: str) -> Sequence[FilePath]:
        """Name the files of both."""
        from cranfield.formats import files_of

        _, qrels, runs, _ = _further(value)
        return [qrels, *files_of([runs])]


ALSO: Final = click.option(
    "--also",
    multiple=True,
    type=CollectionRead(),
    metavar="NAME=QRELS,RUNS",
    help="A further collection: a name, its qrels, and a file, folder or glob for its runs; after another comma "
    "rel=GRADE, if its lowest relevant grade is another one. May be given several times.",
)


def joined(qrels: str, runs: tuple[str, ...], also: tuple[str, ...], asked: dict[str, Any]) -> Collections | JudgedRuns:
    """Join the runs of all collections; those of the only one have no need of a name."""
    from cranfield.scoring.judged_runs import join

    further = [_further(text) for text in also]
    with Progress("runs") as progress:
        first = join(qrels, list(runs), progress=progress, **asked)
        if not further:
            return first
        collections = {name_of(qrels): first}
        for name, its_qrels, its_runs, its_rel in further:
            if name in collections:
                raise InputError(f"two collections are called {name!r}; give one of them another name")
            rel = its_rel if its_rel is not None else asked["rel"]
            collections[name] = join(its_qrels, its_runs, progress=progress, **{**asked, "rel": rel})
    return collections


def _further(text: str) -> tuple[str, str, str, float | None]:
    """Read NAME=QRELS,RUNS or NAME=QRELS,RUNS,rel=GRADE.

    >>> _further("dl19=qrels.txt,runs/*.gz,rel=2")
    ('dl19', 'qrels.txt', 'runs/*.gz', 2.0)
    """
    found = re.fullmatch(r"([^=,]+)=([^,]+),(.+?)(?:,rel=([0-9]+(?:\.[0-9]+)?))?", text)
    if found is None:
        raise InputError(f"a further collection is written NAME=QRELS,RUNS, not {text!r}")
    return found[1], found[2], found[3], float(found[4]) if found[4] else None


def name_of(qrels: str) -> str:
    """Name a collection after its qrels; after their folder, if the file is called as all are.

    >>> name_of("data/trec8/qrels.txt"), name_of("robust04.qrels")
    ('trec8', 'robust04')
    """
    path = Path(qrels)
    stem = path.name.partition(".")[0]
    return path.resolve().parent.name or stem if stem == "qrels" else stem
