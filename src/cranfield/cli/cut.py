"""``cranfield cut`` (convert and make): truncate the lists of runs where they should end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from cranfield.cli._files import Command, refuse_inputs
from cranfield.cli._options import conditions, declared, measures_from, qrels_option, runs_, seed
from cranfield.cli._output import Progress, make_folder, quietly, say
from cranfield.plumbing.escaping import printable
from cranfield.plumbing.options import Count, Folds, Level, RuleName
from cranfield.plumbing.wording import counted


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  cranfield cut runs/*.gz --at 10 -o top10
  cranfield cut bm25.run --oracle "RBPU(p=0.9)" --qrels qrels.txt -o best
  cranfield cut bm25.run --learned OIE --qrels training-qrels.txt -o learned
  cranfield cut bm25.run --lose-at-most 0.2 --measure R --rule score --qrels qrels.txt -o held
  cranfield cut other.run --rule top --threshold 0.62 -o same
""",
)
@runs_()
@declared(Count, "--at", metavar="K", meaning="Keep the first K documents of each topic.")
@click.option("--score", type=float, metavar="S", help="Keep documents down to the first whose score is below S.")
@click.option("--oracle", metavar="MEASURE", help="Keep, topic by topic, the prefix that is best in hindsight.")
@click.option("--learned", metavar="MEASURE", help="Learn from judged topics by which rule lists should end; use it.")
@declared(
    Level,
    "--lose-at-most",
    metavar="SHARE",
    meaning="Learn from judged topics how short lists may be to lose at most this share of what whole lists have, "
    "in expectation over topics drawn as they were; use it.",
)
@click.option("--threshold", type=float, metavar="S", help="Cut by --rule at this threshold, learned elsewhere.")
@declared(RuleName, "--rule", default="best", meaning="For --learned, --lose-at-most, --threshold: which kind of rule.")
@click.option("--measure", metavar="MEASURE", help="For --lose-at-most: what lists lose.  [default: R]")
@declared(
    Level,
    "--empty-at-most",
    metavar="SHARE",
    meaning="For --lose-at-most: how often lists may become empty that have something, in expectation.",
)
@qrels_option("Judgments, for --oracle, --learned and --lose-at-most.")
@declared(Folds, "--folds", default=5, meaning="For --learned: folds.")
@seed("Seed of --learned's folds, or of --lose-at-most's choice of the best rule.")
@conditions("order", "comments", "costs", "cost_missing")
@click.option(
    "-o",
    "--out",
    "folder",
    metavar="DIR",
    required=True,
    help="Folder for the runs, each under the name of its file or the one given.",
)
@quietly
@measures_from
def command(
    runs: tuple[str, ...],
    at: int | None,
    score: float | None,
    oracle: str | None,
    learned: str | None,
    lose_at_most: float | None,
    threshold: float | None,
    rule: RuleName,
    measure: str | None,
    empty_at_most: float | None,
    qrels: str | None,
    folds: int,
    seed: int,
    folder: str,
    quiet: bool,
    **conditions: Any,
) -> None:
    """Truncate RUNS where their lists should end, and write what is left in the format of the file's name.

    A run from a file of several, from the standard input or from a pipe is written as TREC text
    under its own name. All runs are written, or none. A list of which nothing is left is in no
    file: evaluate with --missing empty where that matters.

    --lose-at-most holds on average over topics that are exchangeable with the judged ones (conformal
    risk control), for each run alone; not for any single topic, and not for other traffic. Judged topics whose
    whole list has nothing lose nothing. The rule is printed with all digits of its threshold, for --threshold.
    """
    from cranfield.judged.conditions import Reading
    from cranfield.scoring.judged_runs import open_runs
    from cranfield.stopping.cutting import cut_run, files_for, way_to_cut, write_cut

    reading = Reading.asked(**conditions)
    sources = open_runs(list(runs), reading)
    targets = files_for(sources, Path(folder))
    refuse_inputs(targets)
    way, promised = way_to_cut(
        at=at,
        score=score,
        oracle=oracle,
        learned=learned,
        lose_at_most=lose_at_most,
        threshold=threshold,
        rule=rule,
        measure=measure,
        empty_at_most=empty_at_most,
        qrels=qrels,
        folds=folds,
        seed=seed,
        reading=reading,
    )
    emptied, written = 0, []
    make_folder(folder, "cut runs")
    with Progress("runs") as progress:
        for done, (source, target) in enumerate(zip(sources, targets, strict=True), start=1):
            left, fixed = cut_run(source, way, reading)
            documents = write_cut(left, target, reading.order)
            how = "" if fixed is None else f" ({fixed}{f': {fixed.details}' if fixed.details else ''})"
            written.append(f"{target}: {documents:.1f} documents a topic{how}")
            emptied += len(left.empty_topics)
            progress(done, len(sources))
    click.echo("\n".join(map(printable, written)))
    if promised:
        click.echo(f"promised: {promised}")
    if emptied:
        lists = counted(emptied, "list is", "lists are")
        say(f"note: {lists} empty now, which a file cannot say: evaluate with --missing empty", quiet=quiet)
