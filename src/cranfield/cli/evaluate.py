"""``cranfield evaluate``: runs and qrels in, scores out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Unpack

import click

from cranfield.cli._files import Command
from cranfield.cli._options import (
    audited,
    conditions,
    declared,
    measures_asked,
    measures_from,
    per_topic,
    qrels_and_runs,
    sort,
)
from cranfield.cli._output import Destination, Progress, present, presented
from cranfield.options import TopicAverage

if TYPE_CHECKING:
    from cranfield.conditions import Asked
    from cranfield.scores import Scores


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  cranfield evaluate qrels.txt runs/*.gz -m official
  cranfield evaluate qrels.txt bm25=input.bm25.gz dense.run -m AP -m nDCG@5,10 -m "RBP(p=0.8)" -q -o scores.csv
  cranfield evaluate qrels.txt runs/*.gz -m AP -m nDCG@10 --sort nDCG@10
  cranfield evaluate qrels.txt runs/*.gz -m AP -m Twist --average median
""",
)
@qrels_and_runs()
@measures_asked(
    "AP, nDCG@10, P@10, Bpref",
    "Such as AP, nDCG@5,10, RBP(p=0.8); trec_eval's names and sets (official, all_trec) are understood. "
    "May be given several times; `cranfield measures` lists all.",
)
@per_topic("Scores of each topic before the averages.")
@sort("The best run first: by this measure, or by the first (give MEASURE as --sort=MEASURE, or --sort last).")
@presented("trec_eval")
@conditions()
@click.option(
    "--bounds", is_flag=True,
    help="Add how low and how high each value could be, were all documents judged that any of the RUNS retrieved.",
)  # fmt: skip
@declared(
    TopicAverage, "--average", default="mean",
    meaning="How topics are averaged. In the geometric and the harmonic mean, which one 0 would make 0, values below "
    "0.00001 count as that (as in trec_eval's gm_map). Counts stay sums, and gmAP what it is.",
)  # fmt: skip
@audited
@measures_from
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    per_topic: bool,
    sort: str | None,
    to: Destination,
    bounds: bool,
    average: TopicAverage,
    audit: bool,
    **conditions: Unpack[Asked],
) -> None:
    """Score RUNS (files, folders or globs, plain or compressed) by the judgments in QRELS."""
    from cranfield.evaluation import MEASURES, evaluate

    if to.format == "trec_eval":  # what prints so ranks so; trec_eval 10 ranks as we do
        conditions["order"] = conditions["order"] or ("score" if "all_trec10" in measures else "trec9")
    with Progress("runs or parts of them") as progress:
        scores = evaluate(
            qrels, list(runs), measures or MEASURES, bounds=bounds, average=average, progress=progress, **conditions
        )
    if sort is not None:
        scores = scores.sorted_by(sort or None)
    present(scores, to, per_topic=per_topic)
    to.say(*_beside(scores, to.format))
    if audit:
        to.say(f"audit: {scores.audit.line()}")


def _beside(scores: Scores, format_: str) -> Iterator[str]:
    """Say which run is which, where the format does not, what names mean, and what is sure about bounds."""
    from cranfield.completions import KINDS

    if format_ == "trec_eval" and len(scores.runs) > 1:
        yield f"runs, a block each: {', '.join(scores.runs)}"
    yield from (f"note: {note}" for note in scores.notes)
    for kind, meaning in KINDS.items():
        names = [str(measure) for measure, found in scores.kinds.items() if found == kind]
        if names:
            yield f"bounds of {', '.join(names)}: {meaning}"
