"""Several collections in one call: ``--collection NAME QRELS RUNS``, and for experiments ``--also NAME=QRELS,RUNS``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from cranfield.cli._derived import Mode
from cranfield.cli._files import RUNS_READ, FileRead
from cranfield.cli._options import option
from cranfield.cli._output import Progress
from cranfield.judged.conditions import lists_of_one
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import storable

if TYPE_CHECKING:
    from cranfield.experiments.experiment import Collections
    from cranfield.formats.files import FilePath
    from cranfield.scoring.collection_scores import CollectionsLike
    from cranfield.scoring.judged_runs import JudgedRuns


class OneOfSeveral(click.Tuple):
    """The three values of ``--collection``: its qrels and its runs are read."""

    def __init__(self) -> None:
        super().__init__([str, FileRead(), RUNS_READ])

    def files_read(self, value: tuple[str, str, str]) -> Sequence[FilePath]:
        """Name the files of both."""
        return [value[1], *RUNS_READ.files_read(value[2])]


def _of_collections(path: str) -> Sequence[FilePath]:
    from cranfield.scoring.collection_scores import files_of_collections

    return [path, *files_of_collections(path)]


def _of_further(value: str) -> Sequence[FilePath]:
    _, qrels, runs, _ = _further(value)
    return [qrels, *RUNS_READ.files_read(runs)]


SEVERAL: Final = (
    option("--collection NAME QRELS RUNS", OneOfSeveral(),
           "Evaluate several collections, a column each, instead of QRELS and RUNS. Quote a glob of "
           "runs, or repeat NAME for more runs.", multiple=True),
    option("--collections FILE", FileRead(_of_collections),
           "Read the collections from a TOML file. It may have conventions, groups of rows, and rows copied from "
           "elsewhere."),
)  # fmt: skip
"""What stands instead of QRELS and RUNS."""


def of_several(does: Callable[..., None], *leaves_out: str) -> tuple[Mode, Mode]:
    """Return the modes of several collections, which leave out what is for one; what ``does`` it gets them."""
    return (
        Mode("--collections", "its file names all collections", ("collection",)),
        Mode(
            "--collection or --collections",
            "the table is of several collections",
            ("qrels", "runs", *leaves_out),
            does=does,
        ),
    )


def collections_asked(collection: Sequence[tuple[str, str, str]] | None, collections: str | None) -> CollectionsLike:
    """Return the collections that were asked for."""
    if collections is not None:
        return collections
    found: dict[str, dict[str, Any]] = {}
    for name, its_qrels, its_runs in collection or ():
        known = found.setdefault(name, {"qrels": its_qrels, "runs": []})
        if known["qrels"] != its_qrels:
            raise InputError(f"collection {name} has two qrels, {known['qrels']} and {its_qrels}")
        known["runs"].append(its_runs)
    return found


ALSO: Final = option(
    "--also NAME=QRELS,RUNS", FileRead(_of_further, "collection"),
    "Add a collection: a name, its qrels, and a file, folder or glob of runs; append ,rel=GRADE if its lowest relevant "
    "grade differs. Repeatable.", multiple=True,
)  # fmt: skip


OF_FURTHER: Final = Mode(
    "--topics-file or --only FILE", "it lists the topics of one collection", ("also",), when=lists_of_one
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
    """Read NAME=QRELS,RUNS or NAME=QRELS,RUNS,rel=GRADE."""
    found = re.fullmatch(r"([^=,]+)=([^,]+),(.+?)(?:,rel=([0-9]+(?:\.[0-9]+)?))?", text)
    if found is None:
        raise InputError(f"a further collection is written NAME=QRELS,RUNS, not {text!r}")
    return found[1], found[2], found[3], float(found[4]) if found[4] else None


def name_of(qrels: str) -> str:
    """Name a collection after its qrels, or after their folder if the file name is generic."""
    path = Path(qrels)
    stem = path.name.partition(".")[0]
    return storable(path.resolve().parent.name or stem if stem == "qrels" else stem)
