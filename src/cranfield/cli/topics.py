"""``cranfield topics`` (compare): plan how many topics the next collection needs."""

from __future__ import annotations

import click

from cranfield.cli._files import Command, FileRead
from cranfield.cli._options import condition, declared, measures_asked, measures_from
from cranfield.cli._output import Destination, present_with_notes, presented
from cranfield.plumbing.options import Folds, Level, Positive, Topics


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  cranfield evaluate qrels.txt runs/*.gz -m AP -m nDCG@10 --per-topic -o scores.csv
  cranfield topics scores.csv --difference 0.05
  cranfield topics scores.csv --difference 0.05 --systems 10 --power 0.9 -m AP
""",
)
@click.argument("scores", type=FileRead(), metavar="SCORES")
@declared(
    Positive, "--difference", default=0.05, metavar="DIFFERENCE",
    meaning="Mean difference to find, in the unit of the measures.",
)  # fmt: skip
@declared(Folds, "--systems", metavar="N", meaning="Systems in the analysis of variance. [default: the runs in SCORES]")
@declared(
    Positive, "--width", metavar="WIDTH",
    meaning="Width of the interval of a difference, on average, from end to end; nearly half of all samples "
    "give a wider one. [default: twice the difference]",
)  # fmt: skip
@declared(Level, "--power", default=0.8, meaning="Chance of finding the difference.")
@declared(Level, "--alpha", default=0.05, meaning="Level of significance; 1 - alpha is that of the interval.")
@condition("topics", "All topics in SCORES, missing ones counting 0, or those that all runs have. [default: all]")
@measures_asked("all", "Of those in SCORES; may be given several times.")
@presented()
@measures_from
def command(
    scores: str,
    difference: float,
    systems: int | None,
    width: float | None,
    power: float,
    alpha: float,
    topics: Topics | None,
    measures: tuple[str, ...],
    to: Destination,
) -> None:
    """Plan how many topics it takes to find a difference, from SCORES of a pilot.

    SCORES are what `cranfield evaluate --per-topic -o scores.csv` writes (csv, json or parquet).
    """
    from cranfield.comparison.planning import plan_topics
    from cranfield.scoring.panel import read_scores

    found = plan_topics(
        read_scores(scores, measures),
        difference,
        systems=systems,
        width=width,
        power=power,
        alpha=alpha,
        topics=topics,
    )
    present_with_notes(found, to)
