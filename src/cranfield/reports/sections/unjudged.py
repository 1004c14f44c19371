"""What is unjudged, and what that could change."""

from __future__ import annotations

from collections.abc import Iterator

from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted, percent
from cranfield.reports.elements import Block, Folded, ReportTable, Words
from cranfield.reports.facts import Evidence
from cranfield.reports.section import found_table, section
from cranfield.reports.sentence import SENTENCES, Said
from cranfield.results.sheet import ROWS_SHOWN, Sheet
from cranfield.statistics.on_paper import largest, side

MOST_DOCUMENTS = 100  # How many documents are shown, where certificates list none
DOCUMENTS = {"order": "order", "topic": "topic", "document": "document", "better": "so that", "other": "stays ahead of"}


@section(
    "What could the unjudged documents change?", place=55, needs=lambda evidence: not evidence.runs.judgments.complete
)
def unjudged(evidence: Evidence) -> Iterator[Block]:
    """Show how much is unjudged, which differences depend on it, and what to judge first."""
    if not evidence.standing.open:
        return
    yield Words.of(*_said(evidence))
    yield from _ranges(evidence)
    if not evidence.testable:
        return
    found = evidence.certificate
    pairs, documents = found["pairs"], found["documents"]
    yield Words.of(*_open(evidence, pairs))
    if documents.height:
        says = (
            "Documents that, found not relevant, would settle the order of a pair, the most harmful first. Pairs that "
            "need more than 100 are left out."
        )
        asked = [*evidence.asking(evidence.measure), "--seed", str(evidence.seed)]
        table = found_table(evidence, found, "documents", DOCUMENTS, *asked, says=says)
        yield Folded("What to judge first", (table,))
    yield from _beginnings(evidence, documents.select("topic", "document").unique(maintain_order=True).rows())


def _ranges(evidence: Evidence) -> Iterator[Block]:
    """Show between what the means stay."""
    if (ranges := evidence.ranges) is not None:
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
    says = f"Unjudged documents that {second} ranks higher than {first}, the most harmful to the lead first."
    if listed:
        says = "The documents listed above, in the same order."
    named = listed or evidence.standing.against_the_lead[:MOST_DOCUMENTS]
    found = [(topic, name, evidence.documents.get(name)) for topic, name in named]
    rows = pl.DataFrame(
        [(topic, name, document.beginning()) for topic, name, document in found if document is not None],
        schema=dict.fromkeys(("topic", "document", "begins"), pl.String),
        orient="row",
    )
    if rows.height < len(named):
        says += f" {counted(len(named) - rows.height, 'further document')} without a text."
    if rows.height:
        table = ReportTable("beginnings", Sheet.of(rows, caption=says).first(ROWS_SHOWN), rows)
        yield Folded(f"How {counted(rows.height, 'unjudged document begins', 'unjudged documents begin')}", (table,))
    elif named:
        yield Words.of("The documents to judge have no texts.")


def _said(evidence: Evidence) -> Iterator[str]:
    ten, hundred = evidence.scores.audit.unjudged.mean(axis=0).tolist()
    few = f", and {percent(ten)} of the top 10" * (SENTENCES["holes"].finder(evidence) is None and ten > 0)
    if hundred != ten:
        yield f"{percent(hundred)} of the top 100 are unjudged{few}."
    ranges = evidence.ranges
    if ranges is not None and evidence.named in map(str, ranges.measures) and ranges.limits is not None:
        place = [str(measure) for measure in ranges.measures].index(evidence.named)
        low, high = (ranges.averaged(ends)[place] for ends in ranges.limits)
        widest, *others = largest(high - low)
        if others and high[widest] > low[widest]:
            yield Said.of(
                "The mean {measure} of each of {run} is the least certain, with a range of {width}, {scope.whatever}.",
                scope=evidence.scope_of_grades, measure=evidence.named,
                run=[ranges.runs[run] for run in (widest, *others)], width=float(high[widest] - low[widest]),
            ).words  # fmt: skip
        elif high[widest] > low[widest]:
            mean = ranges.averages[place][widest]
            moves = (("{lower} lower", mean - low[widest]), ("{higher} higher", high[widest] - mean))
            by = " or ".join(words for words, size in moves if side(size))
            least = "is the least certain: it would" if len(ranges.runs) > 1 else "would"
            yield Said.of(
                f"The mean {{measure}} of {{run}} {least} be at most {by}, {{scope.whatever}}.",
                scope=evidence.scope_of_grades, measure=evidence.named, run=ranges.runs[widest],
                lower=float(moves[0][1]), higher=float(moves[1][1]),
            ).words  # fmt: skip


def _open(evidence: Evidence, pairs: pl.DataFrame) -> Iterator[str]:
    """Say of how many pairs the order is certain; no more is known of the others: they are open."""
    ahead = pairs.filter(pl.col("difference") > 0)
    undecided = ahead.filter(~pl.col("certain"))
    if evidence.several and undecided.height:
        yield Said.of(
            "{certain} of {pairs} pairs (neighbours in rank, and the leader with each other run) keep their order in "
            "{measure}, {scope.whatever}.",
            scope=evidence.scope_of_grades, pairs=ahead.height, measure=evidence.named,
            certain=ahead.height - undecided.height,
        ).words  # fmt: skip
    enough = undecided["documents"].drop_nulls().to_list()
    which = counted(undecided.height, "open pair")
    if enough:
        yield (
            f"{counted(min(enough), 'document')} of the run behind, found not relevant, would settle the "
            + (f"easiest of {which}." if undecided.height > 1 else "open pair.")
        )
    elif undecided.height:
        yield f"Documents of the run behind, found not relevant, would settle none of {which}."
