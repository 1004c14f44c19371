"""``cranfield searches`` (evaluate): score several searches for one question, search by search."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cranfield.cli._derived import Call, derived
from cranfield.cli._files import FileRead, files_in
from cranfield.cli._options import (
    AUDITED,
    MEASURES_FROM,
    arguments,
    conditions,
    measures_asked,
    option,
    per_topic,
    qrels_,
)
from cranfield.cli._output import (
    AuditAsked,
    Destination,
    draw,
    make_folder,
    notes_of,
    plotted,
    present_with_caption,
    presented,
)
from cranfield.plumbing.options import Count, Level, NotNegative

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cranfield.formats.files import FilePath
    from cranfield.formats.searches import Searches


def _of_system(value: str) -> Sequence[FilePath]:
    from cranfield.formats.files import named

    return files_in(named(value)[1])


@derived(
    qrels_(),
    arguments("searches", FileRead(_of_system, "searches"), "[NAME=]FILE|FOLDER..."),
    measures_asked("R, nDCG@10"),
    option("--calls N,...", tuple[Count, ...],
           "Numbers of searches after which to show values. [default: all up to 10; of more 1, 2, 5, 10, 20, ...]"),
    option("--tokens T,...", tuple[NotNegative, ...],
           "Budgets of tokens within which to show values, too, if the file has the tokens of documents or searches."),
    option("--level", Level, "Confidence of the intervals in files and the figure.", 0.95),
    per_topic("Print each topic: which search first found something relevant, which found all of it, and the cost."),
    option("--topic-attribute NAME", str, "Attribute of spans with the topic's id, such as session.id.", "trace_id"),
    option("--write-runs DIR", str,
           "Write the union of each system's searches to this folder as a run, also after --calls and --tokens.",
           name="folder"),
    plotted("Draw the values after each search"),
    presented(meaning="csv, json and parquet hold the values after every search, with intervals."),
    conditions("topics", "only", "missing", "depth", "comments", "subtopics", "rel", "judged_only", "convention"),
    AUDITED,
    MEASURES_FROM,
    examples="""
  cranfield searches qrels.txt runs/bm25/gpt
  cranfield searches qrels.txt old=runs/old new=runs/new -m R -m nDCG@10 --calls 1,2,5,10
  cranfield searches qrels.txt log.csv --tokens 1000,4000 --plot gain.svg
  cranfield searches qrels.txt spans.jsonl --topic-attribute session.id --per-topic -o topics.csv
  cranfield searches qrels.txt old=runs/old new=runs/new --calls 2 --write-runs unions
  cranfield compare qrels.txt unions/old-after-2.run unions/new-after-2.run -m R
""",
)  # fmt: skip
def command(
    call: Call, qrels: str, searches: tuple[str, ...], calls: tuple[int, ...] | None, tokens: tuple[float, ...] | None,
    per_topic: bool, folder: str | None, plot: str | None, to: Destination, audited: AuditAsked,
) -> None:  # fmt: skip
    """Score agents that search several times per question, by the judgments in QRELS.

    Each FILE or FOLDER is one system: a folder of BrowseComp-Plus's run_*.json, retrieval spans of OpenTelemetry or
    OpenInference as JSON lines, or a table with columns topic, call and document. Measures score the union of the
    searches so far, in their order, and each search by itself.
    """
    from cranfield.formats.searches import read_searches
    from cranfield.lists.searches import searches as scored

    read = call(read_searches, list(searches))
    found = call(scored, qrels, read)
    figure = None if plot is None else found.plot("gain-by-call")
    if folder is not None:
        to.say(*_written(read, Path(folder), calls or (), tokens or ()))
    present_with_caption(found, to, per_topic=per_topic)
    to.say(*notes_of(found))
    if figure is not None and plot is not None:
        draw(figure, plot)
    audited.end(found.audit, to)


def _written(read: Searches, folder: Path, calls: Sequence[int], tokens: Sequence[float]) -> list[str]:
    """Write the unions, all or none, and say what a file cannot."""
    from cranfield.formats import write_run
    from cranfield.plumbing.wording import counted

    wanted = {
        "": read.runs(),
        **{f"-after-{number}": read.runs(calls=number) for number in calls},
        **{f"-within-{amount:.15g}-tokens": read.runs(tokens=amount) for amount in tokens},
    }
    targets = {(suffix, name): folder / f"{name}{suffix}.run" for suffix in wanted for name in read}
    make_folder(str(folder), "runs", targets.values())
    for (suffix, name), target in targets.items():
        write_run(wanted[suffix][name], target)
    empty = sum(len(source.empty_topics) for runs in wanted.values() for source in runs.sources)
    said = [f"wrote {counted(len(targets), 'run')} to {folder}"]
    if empty:
        lists = counted(empty, "list is", "lists are")
        said.append(f"note: {lists} empty and missing from the files: evaluate with --missing empty")
    return said
