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
           "Average width of a difference's interval, from end to end; nearly half of all samples give a wider one. "
           "[default: twice the difference]"),
    option("--power", Level, "Power: chance of finding the difference.", 0.8),
    option("--alpha", Level, "Level of significance; intervals have confidence 1 - alpha.", 0.05),
    CLUSTERS,
    condition("topics", "All topics in SCORES, missing ones counting 0, or those that all runs have. [default: all]"),
    measures_asked("all", "Measure of SCORES. Repeatable."),
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
    """Plan the number of topics needed to find a difference, from SCORES of a pilot.

    SCORES are what `cranfield evaluate --per-topic -o scores.csv` writes, or any table as for `cranfield leaderboard`.
    """
    from cranfield.comparison.planning import plan_topics
    from cranfield.scoring.panel import read_scores

    read = call.without("systems")(read_scores, scores, measures)  # --systems is a number here
    present_with_notes(call(plan_topics, read), to)
