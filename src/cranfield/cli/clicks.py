"""``cranfield clicks`` (judge): turn click logs into qrels, and compare runs by their clicks."""

from __future__ import annotations

from cranfield.cli._derived import Call, Mode, derived
from cranfield.cli._files import FileRead, FileWritten
from cranfield.cli._options import MEASURES_FROM, argument, conditions, measures_asked, option, runs_, seed
from cranfield.cli._output import Destination, present_with_notes, presented
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Count, Interleaved, Level, NotNegative, Positive

_OF_RUNS = ("order", "depth", "comments", "missing", "topics", "only", "repeated")


def _interleaved(call: Call, log: str, interleaved: Interleaved, to: Destination) -> None:
    from cranfield.comparison.interleaving import compare_interleaved

    present_with_notes(call(compare_interleaved, log, interleaved), to)


@derived(
    argument("log", FileRead, "LOG"),
    runs_(required=False),
    option("--cuts RATE,...", str, "Thresholds of the click rate for grades 1, 2, ..., increasing."),
    option("--interleaved METHOD", Interleaved,
           "Count the impressions that each of two rankers wins, in a LOG with columns impression, topic, ranker (or "
           "team) and clicks, and for balanced also document and rank."),
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
    conditions(*_OF_RUNS),
    presented(),
    MEASURES_FROM,
    modes=[
        Mode("RUNS", "clicks of one user or session belong together", needs=("by",)),
        Mode("RUNS", "rankers are interleaved, and no document is graded", leaves_out=("interleaved",)),
        Mode("RUNS or --interleaved", alone_has=("by",)),
        Mode("--interleaved", "rankers are compared, and no document is graded",
             leaves_out=("cuts", "exponent", "propensities", "least", "qrels_to", "measures", "resamples", "seed",
                         *_OF_RUNS), does=_interleaved),
        Mode("LOG", "they grade documents; --interleaved compares rankers instead", needs=("cuts",),
             when=lambda asked: not asked["interleaved"]),
    ],
    examples="""
  cranfield clicks log.csv --cuts 0.05,0.2,0.5 --exponent 1 --qrels-to qrels.txt
  cranfield clicks log.parquet --cuts 0.1 --propensities by-rank.csv -o graded.csv
  cranfield clicks log.csv old.run new.run --cuts 0.05,0.2 --exponent 1 --by user -m nDCG@10 -m RR
  cranfield clicks interleaved.csv --interleaved team-draft --by user -o won.csv
""",
)  # fmt: skip
def command(call: Call, log: str, runs: tuple[str, ...], cuts: str, qrels_to: str | None, to: Destination) -> None:
    """Grade the documents in a click LOG by their clicks per examination.

    LOG has columns for topic, document, clicks and optionally impressions and rank; a document may have any
    number of rows. With RUNS, print their means and differences from the first run, with intervals over
    users. With --interleaved, say which of two rankers, shown in one list, users click more.
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
