"""``cranfield curve`` (look): compute a measure at every rank."""

from __future__ import annotations

from cranfield.cli._derived import Call, derived
from cranfield.cli._files import NamedByOption, instead
from cranfield.cli._kinds import offered
from cranfield.cli._options import AUDITED, MEASURES_FROM, argument, conditions, option, per_topic, qrels_and_runs
from cranfield.cli._output import AuditAsked, Destination, present, present_with_notes, presented
from cranfield.plumbing.options import Average, Beside, Count, Depth


@derived(
    argument("measure", shell_complete=offered("cranfield.measures", "REGISTRY")),
    instead("-m", "--measure", meaning="The measure (required)."),
    qrels_and_runs(),
    option("--last-rank N", Count, "Last rank of the curves. [default: the measure's cutoff, or 20]"),
    per_topic("Print each topic instead of averages, also with --against and --reach."),
    option("--average", Average,
           "For nCG and nDCG: mean of the topics' ratios, or ratio of the mean vectors.", "ratios"),
    option("--beside LIST,...", tuple[Beside, ...],
           "Reference lists next to the ideal one: its reverse (full-scale), no judged document (worst), or each "
           "run's own documents in the best order (reranked). [default: full-scale for RP, CRP and nCRP]"),
    option("--length N", Depth, "Length of the full-scale and the worst list.", 1000),
    option("--reach N", Count,
           "Print instead how many documents each run needs to reach what the ideal list (or --against) has after N."),
    option("--against RUN", str,
           "Print instead how far each run is below this one, or below 'ideal', at every rank, absolute and "
           "in %."),
    presented(),
    conditions(),
    AUDITED,
    MEASURES_FROM,
    cls=NamedByOption,
    examples="""
  cranfield curve qrels.txt a.run b.run -m "nDCG(base=2)" --last-rank 20
  cranfield curve qrels.txt runs/*.gz -m CG -o cg.csv
  cranfield curve qrels.txt a.run -m "IPrec(rel=2)"
  cranfield curve qrels.txt a.run b.run -m CG --last-rank 200 --against ideal
  cranfield curve qrels.txt a.run b.run -m CG --last-rank 1000 --reach 10 --against a
  cranfield curve qrels.txt a.run b.run -m CG --last-rank 1000 --reach 10 --per-topic
  cranfield curve qrels.txt a.run b.run -m nDCG --beside reranked
  cranfield curve qrels.txt a.run -m CRP --last-rank 1000 --per-topic
""",
)  # fmt: skip
def command(
    call: Call, measure: str, last_rank: int | None, per_topic: bool, reach: int | None, against: str | None,
    to: Destination, audited: AuditAsked,
) -> None:  # fmt: skip
    """Compute MEASURE at every rank, for RUNS and for the ideal list."""
    from cranfield.lists.curves import IDEAL_LIST, curve, cutoff_of
    from cranfield.measures.framework.names import told_names

    found = call(curve, last_rank=last_rank or cutoff_of(measure) or 20)
    if reach is not None:
        of = against or IDEAL_LIST
        present(found.rank_reaching(reach, of=of, per_topic=per_topic), to)
        where = "by topic" if per_topic else f"averaged over {found.population}"
        to.say(
            f"The rank at which each run has as much {found.measure} as {of} at rank {reach}, {where}; empty: not down "
            f"to rank {found.at[-1]:g}."
        )
    elif against is not None:
        present_with_notes(found.distances(against, per_topic=per_topic), to)
    else:
        present(found, to, per_topic=per_topic)
        to.say(*[told for told in [told_names([found.measure])] if told and not to.on_terminal])
    audited.end(found.audit, to)
