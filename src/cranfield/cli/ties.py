"""``cranfield ties`` (evaluate): find how much tied scores could change a result."""

from __future__ import annotations

from cranfield.cli._derived import Call, derived
from cranfield.cli._options import MEASURES_FROM, conditions, measures_asked, option, per_topic, qrels_and_runs, seed
from cranfield.cli._output import Destination, present_with_notes, presented
from cranfield.plumbing.options import Count


@derived(
    qrels_and_runs(),
    measures_asked("AP, nDCG@10, P@10", "Repeatable; `cranfield measures` lists all."),
    option("--orders N", Count, "Number of random orders; if a ranking has fewer orders, all are tried.", 100),
    seed("Seed of the random orders."),
    per_topic("Print each topic before the averages."),
    conditions(),
    presented(),
    MEASURES_FROM,
    examples="""
  cranfield ties qrels.txt runs/*.gz
  cranfield ties qrels.txt bm25.run -m AP -m nDCG@10 --orders 1000 -q -o ties.csv
""",
)  # fmt: skip
def command(call: Call, to: Destination) -> None:
    """Score RUNS in the order that `evaluate` gives to tied documents, and in other orders.

    value is that of `evaluate`; expected is the mean over all orders of the ties, and low and high
    are the values of the worst and of the best order.
    """
    from cranfield.lists.ties import ties

    present_with_notes(call(ties), to)
