"""``cranfield why`` (compare): explain why one list beats another on a topic."""

from __future__ import annotations

from cranfield.cli._derived import Call, derived
from cranfield.cli._files import RUNS_READ
from cranfield.cli._options import MEASURES_FROM, argument, conditions, measures_asked, option, qrels_
from cranfield.cli._output import Destination, draw, notes_of, plotted, present_with_caption, presented, then


@derived(
    qrels_(),
    argument("runs", RUNS_READ, "[NAME=]RUN [NAME=]RUN", nargs=2),
    option("--topic ID", str, "Topic to explain. [default: the one on which the runs differ most]"),
    measures_asked("nDCG@10"),
    plotted("Draw both lists"),
    presented(meaning="markdown is for a pull request; csv, json and parquet hold every document that counts."),
    conditions(),
    MEASURES_FROM,
    examples="""
  cranfield why qrels.txt main.run branch.run
  cranfield why qrels.txt main.run branch.run --topic 403 -m AP --plot why.svg
  cranfield why qrels.txt main.run branch.run --format markdown >> "$GITHUB_STEP_SUMMARY"
  cranfield why qrels.txt old=v1/bm25.run new=v2/bm25.run -o documents.csv
""",
)
def command(
    call: Call, qrels: str, runs: tuple[str, str], measures: tuple[str, ...], plot: str | None, to: Destination
) -> None:
    """Explain why one of two RUNS is better than the other on a topic.

    For each document: its rank in both lists, what it adds to each value, and what it contributes to the difference.
    The notes explain the numbers, and list what only one list has, what nobody judged, and which swap of two documents
    would improve the worse list most.
    """
    from cranfield.pairs.why import why

    found = call(why, qrels, *runs, measures or None)
    figure = None if plot is None else found.plot("why")
    asked = "--topic", found.topic, "-m", found.measure
    present_with_caption(found, to, command=then("why", qrels, *runs, *asked))
    to.say(*notes_of(found))
    if figure is not None and plot is not None:
        draw(figure, plot)
