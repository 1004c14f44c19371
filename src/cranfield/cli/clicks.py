"""``cranfield clicks`` (judge): turn click logs into qrels, and compare runs by their clicks."""

from __future__ import annotations

from cranfield.cli._derived import Call, Mode, derived
from cranfield.cli._files import FileRead, FileWritten
from cranfield.cli._options import MEASURES_FROM, argument, conditions, measures_asked, option, runs_, seed
from cranfield.cli._output import Destination, present_with_notes, presented
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Count, Level, NotNegative, Positive


@derived(
    argument("log", FileRead, "LOG"),
    runs_(required=False),
    option("--cuts RATE,...", str, "Thresholds of the click rate for grades 1, 2, ..., increasing.", required=True),
    option("--exponent ETA", NotNegative,
           "Exponent of the examination model: rank k is seen with probability 1/k^ETA; with 0, every rank is."),
    option("--propensities FILE", FileRead,
           "Read the examination probabilities from a table instead: columns rank and propensity."),
    option("--least N", Positive, "Fewest examinations of a document; with fewer it stays unjudged.", 10.0),
    option("--qrels-to FILE", FileWritten, "Write the grades as qrels."),
    option("--by COLUMN", str, "Column that groups clicks: the user or session."),
    measures_asked("nDCG@10", "Measure to score RUNS by. Repeatable."),
    option("--level", Level, "Confidence of the intervals.", 0.95),
    option("--resamples N", Count, "Number of resamples of users.", 1000),
    seed("Seed of the draws."),
    conditions("order", "depth", "comments", "missing", "topics", "only", "repeated"),
    presented(),
    MEASURES_FROM,
    modes=[Mode("RUNS", "clicks of one user or session belong together", needs=("by",), alone_has=("by",))],
    examples="""
  cranfield clicks log.csv --cuts 0.05,0.2,0.5 --exponent 1 --qrels-to qrels.txt
  cranfield clicks log.parquet --cuts 0.1 --propensities by-rank.csv -o graded.csv
  cranfield clicks log.csv old.run new.run --cuts 0.05,0.2 --exponent 1 --by user -m nDCG@10 -m RR
""",
)  # fmt: skip
def command(
    call: Call, log: str, runs: tuple[str, ...], cuts: str, qrels_to: str | None, to: Destination,
) -> None:  # fmt: skip
    """Grade the documents in a click LOG by their clicks per examination.

    LOG has columns for topic, document, clicks and optionally impressions and rank; a document may have any
    number of rows. With RUNS, print their means and differences from the first run, with intervals over
    users.
    """
    from cranfield.formats import write_qrels
    from cranfield.selection.clicks import click_intervals, judge_clicks

    rates = _read(cuts)
    found = judged = call(judge_clicks, log, rates)
    if runs:
        found = call(click_intervals, log, list(runs), rates)
    if qrels_to is not None:
        write_qrels(judged.to_polars().select("query_id", "doc_id", "relevance"), qrels_to)
    present_with_notes(found, to)


def _read(text: str) -> list[float]:
    """Read rates separated by commas."""
    try:
        return [float(rate) for rate in text.split(",")]
    except ValueError:
        raise InputError(f"--cuts are increasing click rates such as 0.05,0.2, not {text!r}") from None
