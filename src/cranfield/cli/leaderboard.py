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
    option("--alpha", Level, "Chance that any interval of ranks misses.", ALPHA),
    option("--worthwhile DIFFERENCE", Positive,
           "Difference worth finding: add the number of further topics needed to find it against the first run."),
    option("--power", Level, "Power for more_topics and detectable.", 0.8),
    option("--resamples", Count, "Bootstrap samples of topics.", 1000),
    option("--seed", Seed, "Seed of random choices.", 7),
    CLUSTERS,
    SCORE_TABLES,
    option("--attempts COLUMN", str,
           "Column of TABLE that numbers a run's attempts at a topic; runs are compared by the mean over attempts."),
    option("--pass K", tuple[Count, ...],
           "Estimate pass@k and pass^k for this k, from attempts that are 0 or 1. Repeatable. "
           "[default: the fewest attempts at a topic]", name="passes"),
    option("--tasks COLUMN", str,
           "Column of TABLE with the task of each topic; or topic or measure, if these are the tasks. Each task "
           "counts once; tasks that some run lacks are left out."),
    option("--pairs", bool, "Write the pairs of runs, and which differ significantly."),
    option("--repeats", bool, "Write statistics of several attempts per run: variances, agreement, pass@k, pass^k."),
    option("--orders", bool, "Write the orders over several tasks: by mean, standardised mean and Borda."),
    condition("topics", "All topics, missing ones counting 0, or those that all runs have. [default: all]"),
    conditions(*_WITHOUT_TOPICS),
    plotted("Draw the intervals of ranks"),
    presented(),
    AUDITED,
    MEASURES_FROM,
    modes=[
        Mode("RUNS", "it makes the table from the runs",
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
    """Show the order of the systems in TABLE, or of RUNS judged by QRELS, and its uncertainty.

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
    audited.end(found.audit, to)
