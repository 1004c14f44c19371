"""What may stand in place of QRELS and RUNS: several collections, a table of scores, chunks, golden sets."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from cranfield.cli._derived import Call, Mode
from cranfield.cli._files import RUNS_READ, FileRead
from cranfield.cli._options import CONDITIONS, NAMING, SCORE_TABLES, option
from cranfield.cli._output import Progress
from cranfield.judged.conditions import lists_of_one
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import storable

if TYPE_CHECKING:
    from cranfield.experiments.experiment import Collections
    from cranfield.formats.files import FilePath
    from cranfield.formats.golden import GoldenSet
    from cranfield.scoring.collection_scores import CollectionsLike
    from cranfield.scoring.judged_runs import JudgedRuns
    from cranfield.scoring.scores import Scores


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


TABLE_OF_SCORES: Final = (
    option("--scores TABLE", FileRead,
           "Take existing scores, not QRELS and RUNS: a table (csv, json, JSON lines or parquet), long, as `cranfield "
           "evaluate --per-topic -o scores.csv` writes it, or wide."),
    *SCORE_TABLES,
)  # fmt: skip
"""The table, and how it is read."""


def of_scores(*leaves_out: str, among: tuple[str, ...] = CONDITIONS, alone_has: tuple[str, ...] = ()) -> Mode:
    """Return the mode of ``--scores``, without what is of judgments and rankings, and without conditions of these."""
    of_runs = (name for name in among if name not in ("topics", *NAMING))
    return Mode("--scores", "the runs are scored already", (*leaves_out, *of_runs),
                alone_has=("systems", "header", *alone_has))  # fmt: skip


CHUNKS: Final = (
    option("--chunks", bool,
           "Compare chunkings: QRELS holds spans of evidence, each run holds chunks, and the measures are those of "
           "`cranfield evidence`."),
    option("--unit", click.Choice(["characters", "words"]), "Unit of text, also for --budget. [default: characters]"),
)  # fmt: skip
TEXTS_OF_CHUNKS: Final = option("--docs FILE", FileRead, "Texts of the documents: as for `cranfield evidence`.")
_OF_BOTH: Final = ("topics", "only", "budget")  # The conditions that chunks have, too
_OF_DOCUMENTS: Final = tuple(name for name in CONDITIONS if name not in _OF_BOTH)


def of_chunks(*leaves_out: str, has: tuple[str, ...] = ("docs", "unit")) -> tuple[Mode, Mode]:
    """Return the mode of chunks, without what is of ranked documents, and that of its measures, which need it."""
    return (
        Mode("--chunks", "it takes ranked documents", (*_OF_DOCUMENTS, *leaves_out), alone_has=has),
        Mode("-m Evidence...", "these measures take spans and chunks", needs=("chunks",),
             when=lambda options: any(name.startswith("Evidence") for name in options["measures"])),
    )  # fmt: skip


def scores_of_chunks(call: Call, runs: Any, *, usual: tuple[str, ...] = ()) -> tuple[Scores, Call]:
    """Score chunks as `cranfield evidence` does; also return what is left to ask of scores.

    Without measures those that are ``usual`` count, by default evidence's own.
    """
    from cranfield.scoring.evidence import evidence

    budget = call.options.get("budget")
    if budget is not None and budget % 1:
        raise InputError(f"--budget is a whole number of characters or words of chunks, not {budget}")
    own: dict[str, Any] = {} if budget is None else {"budget": int(budget)}
    measures = list(call.options["measures"]) or [name.partition("@")[0] if own else name for name in usual]
    scores = call(
        evidence, call.options["qrels"], runs, docs=call.options.get("docs", call.options.get("documents")),
        measures=measures or None, **own,
    )  # fmt: skip
    return scores, call.without("measures", *CONDITIONS)


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
