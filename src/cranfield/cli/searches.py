"""``cranfield searches`` (evaluate): score several searches for one question, search by search."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cranfield.cli._derived import Call, derived
from cranfield.cli._files import FileRead, files_in, refuse_inputs
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
           "Show the values after so many searches. [default: all up to 10, and of more 1, 2, 5, 10, 20, ...]"),
    option("--tokens T,...", tuple[NotNegative, ...],
           "Show the values within so many tokens, too, where the file has those of each document or search."),
    option("--level", Level, "Confidence of the intervals, which files and the figure have.", 0.95),
    per_topic("A row for each topic: which search found something, and everything, relevant, and what it cost."),
    option("--topic-attribute NAME", str,
           "Of spans: the attribute that has the topic's id, such as session.id.", "trace_id"),
    option("--write-runs DIR", str,
           "Write the union of all searches of each system there as a run, and those of --calls and --tokens.",
           name="folder"),
    plotted("Draw the values after each search there, too"),
    presented(meaning="csv, json and parquet hold every number of searches, with intervals."),
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
    """Score several searches for one question, as agents make them, by the judgments in QRELS.

    Each FILE or FOLDER is one system: a folder of BrowseComp-Plus's run_*.json, retrieval spans of
    OpenTelemetry or OpenInference as JSON lines, or a table with columns topic, call and document.
    Measures are of the union of the searches so far, in their order, and of each search alone.
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
    refuse_inputs(targets.values())
    make_folder(str(folder), "runs")
    for (suffix, name), target in targets.items():
        write_run(wanted[suffix][name], target)
    empty = sum(len(source.empty_topics) for runs in wanted.values() for source in runs.sources)
    said = [f"wrote {counted(len(targets), 'run')} to {folder}"]
    if empty:
        lists = counted(empty, "list is", "lists are")
        said.append(f"note: {lists} empty, which a file cannot say: evaluate with --missing empty")
    return said
