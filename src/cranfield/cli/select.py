"""``cranfield select`` (judge): choose which documents to judge next."""

from __future__ import annotations

from typing import Any

import click

from cranfield.cli._completion import method_names, offered
from cranfield.cli._files import Command, FileRead
from cranfield.cli._options import conditions, declared, measures_from, qrels_option, runs_, seed
from cranfield.cli._output import Destination, present_with_caption, presented
from cranfield.plumbing.options import Count, Level, Positive, Scope


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  cranfield select runs/*.gz --budget 5000 --method B -o pool.txt --format trec
  cranfield select runs --qrels so-far.txt --method C --p 0.8 --budget 200
  cranfield select runs --method depth --depth 10 --budget 1000000 -o pool.csv
  cranfield gate qrels.txt main.run new.run --documents harm.csv
  cranfield select main.run new.run --qrels qrels.txt --among harm.csv --method A
""",
)
@runs_()
@click.option("--method", default="C", show_default=True, metavar="NAME", shell_complete=offered(method_names),
              help="Method: depth, pool, A, C(power=2.5) ... (a wrong name lists all).")  # fmt: skip
@click.option("-m", "--measure", metavar="MEASURE", help="A weighted sum over ranks. [default: RBP with --p]")
@declared(Level, "--p", metavar="P", meaning="Persistence of RBP. [default: 0.8]")
@declared(Count, "--budget", default=100, metavar="N", meaning="Number of documents to choose.")
@qrels_option("Judgments so far: these documents are not chosen again, and methods use their grades.")
@click.option(
    "--among", metavar="FILE", type=FileRead(),
    help="Choose only from the documents listed there: a pool, or what `gate --documents` and the table documents of "
    "`experiment certificate` list.",
)  # fmt: skip
@declared(
    Positive,
    "--top-grade",
    metavar="GRADE",
    meaning="Largest grade of the scale. [default: that of --qrels, at least 1]",
)
@declared(
    Scope, "--scope", default="topic",
    meaning="Where methods B and C take the standing of runs from: the document's topic, or all topics.",
)  # fmt: skip
@declared(Count, "--renew-every", default=1, metavar="N", meaning="Renew the weights after so many judgments.")
@seed("Seed of random choices.")
@conditions("order", "depth", "comments")
@presented("trec", meaning="trec: a line `topic document` each, as pools are handed to assessors.")
@measures_from
def command(
    runs: tuple[str, ...],
    method: str,
    measure: str | None,
    p: float | None,
    budget: int,
    qrels: str | None,
    among: str | None,
    top_grade: float | None,
    scope: Scope,
    renew_every: int,
    seed: int,
    to: Destination,
    **conditions: Any,
) -> None:
    """Choose the documents of RUNS to judge next, the most useful first.

    Methods whose order depends on the answers (C, mtf, ...) give it as it stands with the judgments
    so far: judge some, and select again with --qrels. The others are planned to the end of the
    budget.
    """
    from cranfield.formats.document_lists import read_list
    from cranfield.selection import Candidates, Judging
    from cranfield.selection.plan import Plan, measure_named

    judging = Judging(
        Candidates.gather(list(runs), **conditions),
        measure_named(measure, p),
        method=method,
        judged=qrels,
        top_grade=top_grade,
        scope=scope,
        renew_every=renew_every,
        seed=seed,
        among=None if among is None else read_list(among),
    )
    plan = Plan.of(judging, budget)
    present_with_caption(plan, to)
    if not plan.documents.height:
        to.say("note: everything that the runs retrieved is judged")
