"""``cranfield overlap`` (compare): measure how similar the ranked lists of runs are."""

from __future__ import annotations

from cranfield.cli._derived import Call, derived
from cranfield.cli._options import conditions, option, per_topic, runs_
from cranfield.cli._output import Destination, present_with_notes, presented
from cranfield.plumbing.options import Level, Ties


@derived(
    runs_(),
    option("--p P", Level, "Persistence; at 0.9 the first 10 ranks have 86% of the weight.", 0.9),
    option("--ties", Ties,
           "Treatment of ties: tied documents share a rank (w), or their order is unknown (a; corrected: b). "
           "[default: break ties as evaluate does]"),
    per_topic("Print each topic before the mean."),
    conditions("order", "depth", "comments"),
    presented(),
    examples="""
  cranfield overlap bm25.run dense.run
  cranfield overlap runs/*.gz --p 0.98 --depth 100 -o overlap.csv
  cranfield overlap old=v1/bm25.run new=v2/bm25.run -q
""",
)  # fmt: skip
def command(call: Call, to: Destination) -> None:
    """Measure how similar each pair of RUNS is, by rank-biased overlap, averaged over the topics of both.

    min and min + residual are the lowest and highest possible values, whatever follows the end of the lists;
    extrapolated is the estimate.
    """
    from cranfield.lists.overlap import overlap_of_runs

    present_with_notes(call(overlap_of_runs, noun="pairs"), to)
