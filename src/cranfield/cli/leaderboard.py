"""``cranfield leaderboard`` (compare): show who may lead, and between which ranks each run lies."""

from __future__ import annotations

import click

from cranfield.cli._derived import Call, Mode, derived
from cranfield.cli._files import FileRead
from cranfield.cli._options import (
    AUDITED,
    CLUSTERS,
    CONDITIONS,
    MEASURES_FROM,
    NAMING,
    SCORE_TABLES,
    argument,
    condition,
    conditions,
    measures_asked,
    option,
    runs_,
)
from cranfield.cli._output import AuditAsked, Destination, draw, plotted, present, presented
from cranfield.plumbing.options import Count, Level, Positive, Seed
from cranfield.statistics.usual import ALPHA

_WITHOUT_TOPICS = tuple(name for name in CONDITIONS if name != "topics")
_OF_RUNS = tuple(name for name in _WITHOUT_TOPICS if name not in NAMING)


@derived(
    argument("scores", FileRead, "TABLE|QRELS"),
    runs_(required=False),
    measures_asked("all of TABLE; nDCG@10 of RUNS", "The first decides; may be given several times."),
    option("--by", click.Choice(["mean"]), "The primary order.", "mean"),
    option("--alpha", Level, "Chance that any of the intervals of ranks misses.", ALPHA),
    option("--worthwhile DIFFERENCE", Positive,
           "Say how many more topics it takes to find a mean difference of this size from the first run."),
    option("--power", Level, "Power for more_topics and detectable.", 0.8),
    option("--resamples", Count, "Bootstrap samples of topics.", 1000),
    option("--seed", Seed, "For what is left to chance.", 7),
    CLUSTERS,
    SCORE_TABLES,
    option("--attempts COLUMN", str,
           "Column of TABLE that tells several attempts of a run on a topic apart; their mean compares."),
    option("--pass K", tuple[Count, ...],
           "Estimate pass@k and pass^k for this k, of attempts that are 0 or 1. May be given several times. "
           "[default: the fewest attempts on a topic]", name="passes"),
    option("--tasks COLUMN", str,
           "Column of TABLE that holds the tasks, of which topics are items; or topic, where topics are the tasks, or "
           "measure, where measures are. Each task counts once, and tasks that some run lacks are left out."),
    option("--pairs", bool, "Write the pairs of runs, and whether each is told apart."),
    option("--repeats", bool, "Write what several attempts say of each run: variances, agreement, pass@k and pass^k."),
    option("--orders", bool, "Write the orders of several tasks: by the mean, the standardised mean and Borda."),
    condition("topics",
              "All topics, missing ones counting 0, or those that all runs have. [default: all]"),
    conditions(*_WITHOUT_TOPICS),
    plotted("Draw the intervals of ranks there, too"),
    presented(),
    AUDITED,
    MEASURES_FROM,
    modes=[
        Mode("RUNS", "the table is made of the runs",
             ("systems", "header", "attempts", "passes", "tasks", "repeats", "orders"), alone_has=_OF_RUNS),
        Mode("--orders", "one table is written", ("pairs", "repeats")),
        Mode("--repeats", "one table is written", ("pairs",)),
    ],
    examples="""
  cranfield leaderboard results.csv
  cranfield leaderboard results.csv --columns run=model,topic=task_id,value=resolved --plot ranks.svg
  cranfield leaderboard agents.csv --attempts seed --pass 1 --pass 3
  cranfield leaderboard benchmark.csv --tasks dataset --orders
  cranfield leaderboard matrix.csv --systems columns -o README-table.md
  cranfield leaderboard qrels.txt runs/*.gz -m nDCG@10 --worthwhile 0.02
""",
)  # fmt: skip
def command(
    call: Call, plot: str | None, pairs: bool, repeats: bool, orders: bool, to: Destination, audited: AuditAsked
) -> None:
    """Show the order of the systems in TABLE, or of RUNS judged by QRELS, and how sure it is.

    TABLE holds scores by system and topic (csv, json, JSON lines or parquet), long or wide: numbers, or yes and no.
    """
    from cranfield.comparison.leaderboard import leaderboard

    found = call(leaderboard)
    if plot is not None:
        draw(found.plot("rank-intervals"), plot)
    present(found, to, pairs=pairs, repeats=repeats, orders=orders)
    if not to.on_terminal:
        to.say(found.method)
    to.say(*(f"note: {note}" for note in found.notes))
    if found.audit is not None:
        audited.end(found.audit, to)
