"""``cranfield cut`` (convert and make): truncate the lists of runs where they should end."""

from __future__ import annotations

from pathlib import Path

import click

from cranfield.cli._derived import Call, derived
from cranfield.cli._files import refuse_inputs
from cranfield.cli._options import MEASURES_FROM, conditions, option, qrels_option, runs_, seed
from cranfield.cli._output import QUIET, Progress, make_folder, say
from cranfield.plumbing.escaping import printable
from cranfield.plumbing.options import Count, Folds, Level, RuleName
from cranfield.plumbing.wording import counted


@derived(
    runs_(),
    option("--at K", Count, "Keep the first K documents of each topic."),
    option("--score S", click.FLOAT, "Keep the documents above the first one with a score below S."),
    option("--oracle MEASURE", str, "Keep the best prefix of each list in hindsight, by this measure."),
    option("--learned MEASURE", str,
           "Learn from judged topics the cutting rule that is best by this measure, and apply it."),
    option("--lose-at-most SHARE", Level,
           "Learn from judged topics how short lists may become while losing at most this share of what whole lists "
           "have, in expectation over topics drawn as they were, and apply it."),
    option("--threshold S", click.FLOAT, "Cut by --rule at this threshold, learned elsewhere."),
    option("--rule", RuleName, "Kind of rule, for --learned, --lose-at-most and --threshold.", "best"),
    option("--measure MEASURE", str, "Measure of the loss, for --lose-at-most.  [default: R]"),
    option("--empty-at-most SHARE", Level,
           "Expected share of lists with something relevant that may become empty, for --lose-at-most."),
    qrels_option("Judgments, for --oracle, --learned and --lose-at-most."),
    option("--folds", Folds, "Number of folds, for --learned.", 5),
    seed("Seed of --learned's folds, or of --lose-at-most's choice of the best rule."),
    conditions("order", "comments", "costs", "cost_missing"),
    option("-o --out DIR", str,
           "Folder for the cut runs, each named as its file or as given.", name="folder", required=True),
    QUIET,
    MEASURES_FROM,
    examples="""
  cranfield cut runs/*.gz --at 10 -o top10
  cranfield cut bm25.run --oracle "RBPU(p=0.9)" --qrels qrels.txt -o best
  cranfield cut bm25.run --learned OIE --qrels training-qrels.txt -o learned
  cranfield cut bm25.run --lose-at-most 0.2 --measure R --rule score --qrels qrels.txt -o held
  cranfield cut other.run --rule top --threshold 0.62 -o same
""",
)  # fmt: skip
def command(call: Call, runs: tuple[str, ...], folder: str, quiet: bool) -> None:
    """Truncate the lists of RUNS, and write them in the format of the file's name.

    A run from a file of several, from the standard input or from a pipe is written as TREC text under its own name. All
    runs are written, or none. A run file cannot hold an empty list: evaluate with --missing empty if that matters.

    --lose-at-most holds on average over topics that are exchangeable with the judged ones (conformal risk control), for
    each run separately; not for a single topic, and not for other traffic. A judged topic whose whole list finds
    nothing loses nothing. The rule is printed with all digits of its threshold, for --threshold.
    """
    from cranfield.judged.conditions import Reading
    from cranfield.scoring.judged_runs import open_runs
    from cranfield.stopping.cutting import cut_run, files_for, way_to_cut, write_cut

    reading = call(Reading.asked)
    sources = open_runs(list(runs), reading)
    targets = files_for(sources, Path(folder))
    refuse_inputs(targets)
    way, promised = call(way_to_cut, reading=reading)
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
        say(f"note: {lists} now empty and missing from the files: evaluate with --missing empty", quiet=quiet)
