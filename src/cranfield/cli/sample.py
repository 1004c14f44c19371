"""``cranfield sample`` (judge): draw documents to judge, with known probabilities."""

from __future__ import annotations

from typing import Any

import click

from cranfield.cli._files import Command
from cranfield.cli._options import conditions, declared, measures_from, runs_, seed
from cranfield.cli._output import Destination, present_with_notes, presented
from cranfield.plumbing.options import Count, Design, Positive


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  cranfield sample runs/*.gz --per-topic 50 -o sample.csv
  cranfield sample runs/*.gz --per-topic 60 --design stratified --depths 10,50 --shares 3,2,1 -M 200 -o sample.csv
  cranfield sample runs/*.gz --per-topic 20 --design weighted -m P@10 -M 10 -o sample.csv
  cranfield sample runs/*.gz --per-topic 20 --design weighted -m P@10 -M 10 --against bm25 -o sample.csv
""",
)
@runs_()
@declared(Count, "--per-topic", metavar="N", meaning="Documents to draw for each topic. [required]")
@declared(
    Design, "--design", default="uniform",
    meaning="The same chance for all; more draws from those that some run ranks high; in proportion to what a "
    "document weighs in AP (N on average); from strata by that weight (prior); or by what it weighs in -m (weighted).",
)  # fmt: skip
@declared(
    tuple[Count, ...], "--depths", metavar="RANK,...",
    meaning="For stratified: the last rank of each stratum but the last. [default: 10,100]",
)  # fmt: skip
@declared(
    tuple[Positive, ...], "--shares", metavar="SHARE,...",
    meaning="For stratified: the part of the draws for each stratum, the last included. [default: equal]",
)  # fmt: skip
@click.option(
    "-m", "--measure", "measures", multiple=True, metavar="MEASURE",
    help="For weighted: what the sample is to estimate, weighted sums over ranks; may be given several times. "
    "[default: P@10]",
)  # fmt: skip
@click.option(
    "--against", metavar="RUN",
    help="For weighted: draw for the differences of all other runs from this one, such as the leader.",
)  # fmt: skip
@seed("Seed of the draws.")
@conditions("order", "depth", "comments")
@presented(meaning="csv, json and parquet are what `cranfield estimate` reads.")
@measures_from
def command(
    runs: tuple[str, ...],
    per_topic: int | None,
    design: Design,
    depths: tuple[int, ...] | None,
    shares: tuple[float, ...] | None,
    measures: tuple[str, ...],
    against: str | None,
    seed: int,
    to: Destination,
    **conditions: Any,
) -> None:
    """Draw documents of RUNS to judge, each with a known probability, for unbiased estimates by `estimate`.

    A weighted sample lists all candidates; those to judge have a 1 in the column drawn.
    """
    from cranfield.selection import Candidates
    from cranfield.selection.sampling import draw_sample

    if per_topic is None:
        raise click.UsageError("Missing option '--per-topic'.")
    candidates = Candidates.gather(list(runs), **conditions)
    sample = draw_sample(
        candidates,
        per_topic,
        design=design,
        depths=depths,
        shares=shares,
        measures=measures,
        against=against,
        seed=seed,
    )
    present_with_notes(sample, to)
