"""``cranfield sample`` (judge): draw documents to judge, with known probabilities."""

from __future__ import annotations

from cranfield.cli._derived import Call, derived
from cranfield.cli._options import MEASURES_FROM, conditions, option, runs_, seed
from cranfield.cli._output import Destination, present_with_notes, presented
from cranfield.plumbing.options import Count, Design, Positive


@derived(
    runs_(),
    option("--per-topic N", Count, "Documents to draw for each topic.", required=True),
    option("--design", Design,
           "Sampling design: the same chance for all; more draws from the documents that some run ranks high; in "
           "proportion to a document's weight in AP (N on average); from strata by that weight (prior); or by its "
           "weight in -m (weighted).", "uniform"),
    option("--depths RANK,...", tuple[Count, ...],
           "Last rank of each stratum but the last, for stratified. [default: 10,100]"),
    option("--shares SHARE,...", tuple[Positive, ...],
           "Share of the draws for each stratum, the last included, for stratified. [default: equal]"),
    option("-m --measure MEASURE", str,
           "Weighted sum over ranks that the sample is to estimate, for weighted. "
           "Repeatable. [default: P@10]", name="measures", multiple=True),
    option("--against RUN", str,
           "Draw for the differences of all other runs from this one, such as the leader, for weighted."),
    seed("Seed of the draws."),
    conditions("order", "depth", "comments"),
    presented(meaning="csv, json and parquet are what `cranfield estimate` reads."),
    MEASURES_FROM,
    examples="""
  cranfield sample runs/*.gz --per-topic 50 -o sample.csv
  cranfield sample runs/*.gz --per-topic 60 --design stratified --depths 10,50 --shares 3,2,1 -M 200 -o sample.csv
  cranfield sample runs/*.gz --per-topic 20 --design weighted -m P@10 -M 10 -o sample.csv
  cranfield sample runs/*.gz --per-topic 20 --design weighted -m P@10 -M 10 --against bm25 -o sample.csv
""",
)  # fmt: skip
def command(call: Call, to: Destination) -> None:
    """Draw documents of RUNS to judge, each with a known probability, for unbiased estimates by `estimate`.

    A weighted sample lists all candidates; those to judge have a 1 in the column drawn.
    """
    from cranfield.selection import Candidates
    from cranfield.selection.sampling import draw_sample

    present_with_notes(call(draw_sample, call(Candidates.gather)), to)
