"""What is unjudged, and what that could change."""

from __future__ import annotations

from collections.abc import Iterator

from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted, percent
from cranfield.reports.document import Block, Folded, ReportTable, Words
from cranfield.reports.evidence import Evidence
from cranfield.reports.section import found_table, section
from cranfield.reports.sentence import Said
from cranfield.results.sheet import ROWS_SHOWN, Sheet
from cranfield.statistics.on_paper import largest

MOST_DOCUMENTS = 100
"""How many documents are shown, where certificates list none."""
DOCUMENTS = {"order": "order", "topic": "topic", "document": "document", "better": "so that", "other": "stays ahead of"}


@section(
    "What could the unjudged documents change?", place=55, needs=lambda evidence: not evidence.runs.judgments.complete
)
def unjudged(evidence: Evidence) -> Iterator[Block]:
    """Say how much is unjudged, which differences hang on it, and what to judge first."""
    yield Words.of(*_said(evidence))
    yield from _ranges(evidence)
    if evidence.alone or len(evidence.runs.topics) < 2:
        return
    found = evidence.certificate
    pairs, documents = found["pairs"], found["documents"]
    yield Words.of(*_open(evidence, pairs))
    if documents.height:
        says = (
            "Documents that, found not relevant, would make it certain that the one run is ahead of the other; for "
            "each pair the most harmful first. Pairs that need more than 100 are left out."
        )
        asked = [*evidence.asking(evidence.measure), "--seed", str(evidence.seed)]
        table = found_table(evidence, found, "documents", DOCUMENTS, *asked, says=says)
        yield Folded("What to judge first", (table,))
    yield from _beginnings(evidence, documents.select("topic", "document").unique(maintain_order=True).rows())


def _ranges(evidence: Evidence) -> Iterator[Block]:
    """Show between what the means stay."""
    ranges = evidence.ranges
    if ranges is not None:
        decides = evidence.named in map(str, ranges.measures)
        order = ["--sort", evidence.named] if decides else []  # that of the report
        command = evidence.command("evaluate", *evidence.asking(*ranges.measures), "--bounds", *order)
        table = ReportTable.of(ranges, "leaderboard", command=command)
        yield Folded("What they could make of the means", (table,))


def _beginnings(evidence: Evidence, listed: list[tuple[str, str]]) -> Iterator[Block]:
    """Show how the documents begin that are listed to be judged, or else those that speak against the lead."""
    if evidence.documents is None:
        return
    first, second, *_ = (evidence.standing.names[run] for run in evidence.standing.order)
    says = f"Unjudged documents that {second} has earlier than {first}, those that could harm the lead most first."
    if listed:
        says = "The documents that are listed above, in the same order."
    named = listed or evidence.standing.against_the_lead[:MOST_DOCUMENTS]
    found = [(topic, name, evidence.documents.get(name)) for topic, name in named]
    rows = pl.DataFrame(
        [(topic, name, document.beginning()) for topic, name, document in found if document is not None],
        schema=dict.fromkeys(("topic", "document", "begins"), pl.String),
        orient="row",
    )
    if rows.height < len(named):
        says += f" No text was given of {counted(len(named) - rows.height, 'further document')}."
    if rows.height:
        table = ReportTable("beginnings", Sheet.of(rows, caption=says).first(ROWS_SHOWN), rows)
        yield Folded(f"How {counted(rows.height, 'unjudged document begins', 'unjudged documents begin')}", (table,))
    elif named:
        yield Words.of("No text was given of the documents to be judged.")


def _said(evidence: Evidence) -> Iterator[str]:
    ten, hundred = evidence.scores.audit.unjudged.mean(axis=0).tolist()
    yield f"Unjudged are {percent(ten)} of the first ten documents, and {percent(hundred)} of the first hundred."
    ranges = evidence.ranges
    if ranges is not None and evidence.named in map(str, ranges.measures) and ranges.limits is not None:
        place = [str(measure) for measure in ranges.measures].index(evidence.named)
        low, high = (ranges.averaged(ends)[place] for ends in ranges.limits)
        widest, *others = largest(high - low)
        if others and high[widest] > low[widest]:
            yield Said.of(
                "By {measure} that leaves most open of {run}: the mean of each could be higher by {width} than its "
                "lowest, {scope.whatever}.",
                scope=evidence.scope_of_grades, measure=evidence.named,
                run=[ranges.runs[run] for run in (widest, *others)], width=float(high[widest] - low[widest]),
            ).words  # fmt: skip
        elif high[widest] > low[widest]:
            yield Said.of(
                "By {measure} that leaves most open of {run}: its mean lies between {low} and {high}, "
                "{scope.whatever}.",
                scope=evidence.scope_of_grades, measure=evidence.named, run=ranges.runs[widest], low=float(low[widest]),
                high=float(high[widest]),
            ).words  # fmt: skip
        else:
            yield f"By {evidence.named} that leaves nothing open."


def _open(evidence: Evidence, pairs: pl.DataFrame) -> Iterator[str]:
    """Say of how many pairs the order is certain; of the others that is all that is known: they are open."""
    ahead = pairs.filter(pl.col("difference") > 0)
    undecided = ahead.filter(~pl.col("certain"))
    yield Said.of(
        "Of {pairs:pair|pairs} with a difference (neighbours, and the leader with all others) the order by {measure} "
        "stays in {certain}, {scope.whatever}; in {open} it is open.",
        scope=evidence.scope_of_grades, pairs=ahead.height, measure=evidence.named,
        certain=ahead.height - undecided.height, open=undecided.height,
    ).words  # fmt: skip
    enough = undecided["documents"].drop_nulls().to_list()
    if enough:
        yield (
            f"In {len(enough)} of these it would be certain, were enough documents of the other run found not "
            f"relevant: {counted(min(enough), 'document')} in the easiest case."
        )
    elif undecided.height:
        yield "In none of these would it be enough to find documents of the other run not relevant."
