"""``cranfield trace`` (look): trace gain and effort rank by rank down a list."""

from __future__ import annotations

from cranfield.cli._derived import Call, derived
from cranfield.cli._options import MEASURES_FROM, conditions, option, per_topic, qrels_and_runs
from cranfield.cli._output import Destination, present_with_caption, presented
from cranfield.plumbing.options import Depth


@derived(
    qrels_and_runs(),
    option("--topic ID", str, "Trace this topic only. [default: averages over all]"),
    per_topic("Print every topic instead of the averages."),
    option("--marks", bool,
           "Print the points of each curve instead: R, the turn-around (min), b_r, b_w, the first crossing, N."),
    option("--last-rank N", Depth, "Last rank to trace.", 20),
    option("--n N", Depth, "Length to which lists are cut or padded. [default: the cutoff of --crp, or 1000]"),
    option("--crp MEASURE", str, "Variant of CRP; CRP(rel=2) has two kinds.", default="CRP", show_default=None),
    option("--gain MEASURE", str, "CG or DCG, with its gains. [default: DCG with gains -1, 1, 2, 3]"),
    presented(),
    conditions(),
    MEASURES_FROM,
    examples="""
  cranfield trace qrels.txt a.run --topic 403
  cranfield trace qrels.txt a.run b.run --topic 403 --last-rank 1000 -o topic-403.csv
  cranfield trace qrels.txt a.run --marks
  cranfield trace qrels.txt runs/*.gz --gain CG --crp "CRP(rel=2)"
""",
)  # fmt: skip
def command(call: Call, per_topic: bool, marks: bool, to: Destination) -> None:
    """Trace the lists of RUNS: the document at each rank, whether too early or too late, and how far from the ideal."""
    from cranfield.lists.tracing import trace

    found = call(trace)
    present_with_caption(found, to, per_topic=per_topic, marks=marks)
    to.say(*(() if marks else found.remarks()))
