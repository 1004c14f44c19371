"""``cranfield topics`` (compare): plan how many topics the next collection needs."""

from __future__ import annotations

from cranfield.cli._derived import Call, derived
from cranfield.cli._files import FileRead
from cranfield.cli._options import CLUSTERS, MEASURES_FROM, SCORE_TABLES, argument, condition, measures_asked, option
from cranfield.cli._output import Destination, present_with_notes, presented
from cranfield.plumbing.options import Folds, Level, Positive


@derived(
    argument("scores", FileRead, "SCORES"),
    option("--difference DIFFERENCE", Positive, "Mean difference to find, in the unit of the measures.", 0.05),
    option("--systems N", Folds, "Systems in the analysis of variance. [default: the runs in SCORES]"),
    option("--width WIDTH", Positive,
           "Width of the interval of a difference, on average, from end to end; nearly half of all samples give a "
           "wider one. [default: twice the difference]"),
    option("--power", Level, "Chance of finding the difference.", 0.8),
    option("--alpha", Level, "Level of significance; 1 - alpha is that of the interval.", 0.05),
    CLUSTERS,
    condition("topics", "All topics in SCORES, missing ones counting 0, or those that all runs have. [default: all]"),
    measures_asked("all", "Of those in SCORES; may be given several times."),
    SCORE_TABLES[1:],
    condition("columns"),
    presented(),
    MEASURES_FROM,
    examples="""
  cranfield evaluate qrels.txt runs/*.gz -m AP -m nDCG@10 --per-topic -o scores.csv
  cranfield topics scores.csv --difference 0.05
  cranfield topics scores.csv --difference 0.05 --clusters conversations.txt
  cranfield topics scores.csv --difference 0.05 --systems 10 --power 0.9 -m AP
""",
)  # fmt: skip
def command(call: Call, scores: str, measures: tuple[str, ...], to: Destination) -> None:
    """Plan how many topics it takes to find a difference, from SCORES of a pilot.

    SCORES are what `cranfield evaluate --per-topic -o scores.csv` writes, or any table as for `cranfield leaderboard`.
    """
    from cranfield.comparison.planning import plan_topics
    from cranfield.scoring.panel import read_scores

    read = call.without("systems")(read_scores, scores, measures)  # --systems is a number here
    present_with_notes(call(plan_topics, read), to)
