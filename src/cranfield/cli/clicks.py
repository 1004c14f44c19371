"""``cranfield clicks`` (judge): turn click logs into qrels, and compare runs by their clicks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import click

from cranfield.cli._files import Command, FileRead, FileWritten
from cranfield.cli._options import conditions, declared, measures_asked, measures_from, runs_, seed
from cranfield.cli._output import Destination, present_with_notes, presented
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Count, Level, NotNegative, Positive

if TYPE_CHECKING:
    from cranfield.judged.conditions import AskedReading


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  cranfield clicks log.csv --cuts 0.05,0.2,0.5 --exponent 1 --qrels-to qrels.txt
  cranfield clicks log.parquet --cuts 0.1 --propensities by-rank.csv -o graded.csv
  cranfield clicks log.csv old.run new.run --cuts 0.05,0.2 --exponent 1 --by user -m nDCG@10 -m RR
""",
)
@click.argument("log", type=FileRead(), metavar="LOG")
@runs_(required=False)
@click.option(
    "--cuts", metavar="RATE,...", required=True, help="Thresholds of the click rate for grades 1, 2, ..., increasing."
)
@declared(
    NotNegative,
    "--exponent",
    metavar="ETA",
    meaning="Set the chance of looking at rank k to 1/k^ETA; with 0, all ranks are looked at.",
)
@click.option(
    "--propensities", metavar="FILE", type=FileRead(),
    help="Read the examination probabilities from a table instead: columns rank and propensity.",
)  # fmt: skip
@declared(
    Positive, "--least", default=10.0, metavar="N", meaning="Leave documents unjudged that were looked at less often."
)
@click.option(
    "--columns", metavar="THEIRS=OURS,...", default="",
    help="Name columns that are called otherwise, such as search_id=query_id. Ours are query_id, doc_id, clicks, "
    "impressions and rank.",
)  # fmt: skip
@click.option("--qrels-to", metavar="FILE", type=FileWritten(), help="Write the grades as qrels.")
@click.option("--by", metavar="COLUMN", help="Column that groups clicks, with RUNS: the user or session.")
@measures_asked("nDCG@10", "What to score RUNS by; may be given several times.")
@declared(Level, "--level", default=0.95, meaning="Confidence of the intervals.")
@declared(Count, "--resamples", default=1000, metavar="N", meaning="Number of resamples of users.")
@seed("Seed of the draws.")
@conditions("order", "depth", "comments", "missing", "topics", "repeated")
@presented()
@measures_from
def command(
    log: str,
    runs: tuple[str, ...],
    cuts: str,
    exponent: float | None,
    propensities: str | None,
    least: float,
    columns: str,
    qrels_to: str | None,
    by: str | None,
    measures: tuple[str, ...],
    level: float,
    resamples: int,
    seed: int,
    to: Destination,
    **conditions: Unpack[AskedReading],
) -> None:
    """Grade the documents in a click LOG by their clicks per examination.

    LOG has columns for topic, document, clicks and perhaps impressions and rank; a document may have
    any number of rows. With RUNS, print their means and their differences from the first, with
    intervals over users.
    """
    from cranfield.formats import write_qrels
    from cranfield.selection.clicks import click_intervals, judge_clicks

    rates = _read(cuts)
    if runs and by is None:
        raise InputError("intervals need --by COLUMN: the user or the session, whose clicks belong together")
    renamed = _read_columns(columns)
    judged = judge_clicks(log, rates, exponent=exponent, propensities=propensities, least=least, columns=renamed)
    found = judged
    if runs and by is not None:
        found = click_intervals(
            log, list(runs), rates, measures or "nDCG@10", by=by, exponent=exponent, propensities=propensities,
            least=least, columns=renamed, level=level, resamples=resamples, seed=seed, **conditions,
        )  # fmt: skip
    if qrels_to is not None:
        write_qrels(judged.to_polars().select("query_id", "doc_id", "relevance"), qrels_to)
    present_with_notes(found, to)


def _read_columns(text: str) -> dict[str, str]:
    """Read THEIRS=OURS,...

    >>> _read_columns("search_id=query_id, url=doc_id"), _read_columns("")
    ({'search_id': 'query_id', 'url': 'doc_id'}, {})
    """
    pairs = [pair.strip().rpartition("=") for pair in text.split(",") if pair.strip()]
    if not all(theirs and ours for theirs, _, ours in pairs):
        raise InputError(f"--columns are THEIRS=OURS, such as search_id=query_id, not {text!r}")
    return {theirs: ours for theirs, _, ours in pairs}


def _read(text: str) -> list[float]:
    """Read RATE,...

    >>> _read("0.1, 0.5")
    [0.1, 0.5]
    """
    try:
        return [float(rate) for rate in text.split(",")]
    except ValueError:
        raise InputError(f"--cuts are rates, rising, such as 0.05,0.2, not {text!r}") from None
