"""The first sheet: who leads in one sentence, the leaderboard, and what speaks against relying on it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Final

from cranfield import __version__
from cranfield.comparison.gating import Gate
from cranfield.judged.conditions import Conditions
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import printable
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import SEED
from cranfield.plumbing.wording import counted, named
from cranfield.reports.apart import BETTER, WORSE, adjusted, against_baseline, groups_of, not_told_from, ranked
from cranfield.reports.document import Block, Decision, FirstSheet, Pasted, ReportTable
from cranfield.reports.evidence import Evidence, as_option, as_options
from cranfield.reports.sentence import Said, caveats_of
from cranfield.results.latex import latex_table
from cranfield.results.people import markdown, markdown_cell
from cranfield.results.programs import ends
from cranfield.results.sheet import Sheet, SheetColumn
from cranfield.statistics.conclusions import UNSETTLED
from cranfield.statistics.on_paper import EQUAL

MOST_ROWS: Final = 40
"""Of more runs than these, which fill a printed page, the first are shown, and all of them in groups."""
OF_MANY: Final = 12
"""So many are shown then."""
GENERIC: Final = ("qrels", "qrel", "judgments", "judgements", "test", "dev", "train")
"""Names of files that say nothing of the collection, so that its folder names it."""


def first_sheet(evidence: Evidence, collection: str, day: date) -> FirstSheet:
    """Write what can be mailed or printed alone."""
    says, whole = headline(evidence).words, _leaderboard(evidence)
    many = len(evidence.scores.runs) > MOST_ROWS
    shown = replace(whole, sheet=whole.sheet.first(OF_MANY)) if many else whole
    return FirstSheet(
        says,
        tuple(said.words for said in caveats_of(evidence).values()),
        (shown, *_in_groups(evidence)),
        tuple(_facts(evidence, collection, day)),
        tuple(pasted(says, whole, day, evidence.gate_command)),
        decision(evidence),
    )


def headline(evidence: Evidence) -> Said:
    """Say who leads, how many runs cannot be told from it, and by which measure, test and topics."""
    standing = evidence.standing
    leaders = [standing.names[run] for run in standing.leaders]
    others = [run for run in ranked(evidence) if run not in leaders]
    numbers = {
        "leaders": leaders, "measure": standing.named, "mean": standing.shown[standing.leaders[0]],
        "others": others, "runs": len(others), "topics": len(standing.panel.topics),
    }  # fmt: skip
    scope = evidence.scope
    if evidence.alone:
        words = "{leaders} has a mean {measure} of {mean} over {topics:topic|topics}; it is the only run"
        return Said.of(f"{words}, so that nothing is compared.", scope=scope, **numbers)
    if len(leaders) == 1:
        words = "{leaders} leads by {measure} with {mean}"
    else:
        scope, words = scope.within(EQUAL), "{leaders} share the lead by {measure} with {mean} ({scope.nearly})"
    if not evidence.testable:
        numbers["topic"] = standing.panel.topics[0]
        words += " on topic {topic}, the only one, so that no difference can be tested."
        return Said.of(words, scope=scope, **numbers)
    if evidence.baseline is None and not others:
        return Said.of(words + ", and there is no other run.", scope=scope, **numbers)
    told, compared = _told(evidence, leaders, others)
    words += told + " ({method}; {topics:topic|topics})."
    return Said.of(words, scope=scope.on_others(), method=evidence.comparison.method, **(numbers | compared))


def decision(evidence: Evidence) -> Decision | None:
    """Say whether the one of two runs may replace the other, as the gate does."""
    found = evidence.gate
    if found is None:
        return None
    said = shipping(evidence, found).words
    return Decision(said, "holds" if found.passes else "fails" if found.verdict == "worse" else "open")


def shipping(evidence: Evidence, found: Gate) -> Said:
    """Say what the gate says, by how much the new run is better, and what would decide what is undecided."""
    row, by_group = found.rows.row(0, named=True), found.by_group
    verdict = str(row["verdict"])
    may = "may" if found.passes else "must not" if found.verdict == "worse" else "should not"
    is_ = "the difference is undecided" if verdict == "undecided" else f"it is {verdict.split(' on what', 1)[0]}"
    alone = " by what was judged alone" * (verdict in UNSETTLED)
    words = f"{{new}} {may} replace {{base}}{' yet' * (may == 'should not')}: by {{measure}} {is_} {{scope.alike}}"
    words += f"{alone}, {{difference:+.4f}}{{interval}} ({{sure}}margin {{margin:.4g}}{{weighted}})"
    groups, why = list[str](), row["why"]
    if by_group is not None and verdict != found.verdict == "worse":  # then nothing else has to be decided
        worse = by_group.filter(pl.col("verdict") == "worse").rows(named=True)
        groups = [
            f"{each['grouping']} {each['group']}, {each['difference']:+.4f}{ends(each['low'], each['high'])}"
            for each in worse
        ]
        words, why = f"{words}, but worse in {{groups:all}}", ""
    return Said.of(
        f"{words}; {{why}}." if why else f"{words}.",
        scope=evidence.scope.on_others(), new=found.new, base=found.base, measure=evidence.named,
        difference=row["difference"], interval=ends(row["low"], row["high"]), margin=row["margin"], groups=groups,
        sure=f"{1 - found.alpha:.0%} interval; " * (row["low"] is not None), why=why,
        weighted=f"; {found.weighted}" * bool(found.weighted),
    )  # fmt: skip


def _told(evidence: Evidence, leaders: list[str], others: list[str]) -> tuple[str, dict[str, object]]:
    """Say which runs the test tells from those that lead, or from the baseline."""
    if evidence.baseline is not None:
        parts = dict(against_baseline(evidence, evidence.baseline))
        better, worse = len(parts[BETTER]), len(parts[WORSE])
        compared = len(evidence.standing.names) - 1
        numbers = {"baseline": evidence.baseline, "better": better, "worse": worse, "compared": compared}
        return (
            "; of {compared:run|runs} compared with {baseline}, {better:is|are} significantly better and "
            "{worse:is|are} significantly worse {scope.alike}",
            numbers,
        )
    near = {run for leader in leaders for run in not_told_from(evidence, leader)}
    alike = sum(run in near for run in others)
    it = "it" if len(leaders) == 1 else "them"
    if len(others) == 1:
        words = (
            f", and {{others}} cannot be told from {it} {{scope.alike}}" if alike
            else f", and {{others}} is significantly worse than {it} {{scope.alike}}"
        )  # fmt: skip
    elif not alike:
        words = f", and all {{runs}} other runs are significantly worse than {it} {{scope.alike}}"
    elif alike == len(others):
        words = f", and none of the {{runs}} other runs can be told from {it} {{scope.alike}}"
    else:
        words = f", and {{alike}} of the {{runs}} other runs cannot be told from {it} {{scope.alike}}"
    return words, {"alike": alike}


def _leaderboard(evidence: Evidence) -> ReportTable:
    """Show all measures as judged, and how far each run is told from the one that leads."""
    scores = evidence.scores
    sheet = scores.sheet()
    caption = [sheet.caption]
    if evidence.testable:
        head = evidence.baseline or scores.runs[0]
        tested = adjusted(evidence)
        cells = [None if run == head else _p(*tested[frozenset((head, run))]) for run in scores.runs]
        name = f"p vs. {'baseline' if evidence.baseline is not None else 'first'}"
        column = SheetColumn(name, cells, numeric=True)
        sheet = sheet._replace(columns=(*sheet.columns[:2], column, *sheet.columns[2:]))
        caption.append(
            f"p: by {evidence.named}, of the difference to {head} ({evidence.comparison.method}); * where it is "
            "significant."
        )
    sheet = sheet._replace(caption=" ".join(caption))
    command = evidence.command("evaluate", *evidence.asking(*evidence.measures), "--sort")
    return ReportTable("means", sheet, scores.to_polars(), command)


def _p(p: float, significant: bool) -> str:
    """Write a p-value for a column of them."""
    return ("< 0.001" if p < 0.001 else f"{p:.3f}") + (" *" if significant else "  ")


def _in_groups(evidence: Evidence) -> Iterator[Block]:
    """Show many runs in groups: of runs that are not told from their head, or by how they compare with the baseline."""
    if len(evidence.scores.runs) <= MOST_ROWS or not evidence.testable:
        return
    method = evidence.comparison.method
    if evidence.baseline is None:
        heading, groups = "headed by", [(group.head, group.runs) for group in groups_of(evidence)]
        says = (
            f"All {len(evidence.scores.runs)} runs in groups by {evidence.named}: each is headed by the best run that "
            "is in none before, and holds the runs behind it that do not differ significantly from it. Runs of a group "
            f"may differ from each other, and runs of two groups need not ({method})."
        )
    else:
        heading = f"against {evidence.baseline}"
        groups = [(said, runs) for said, runs in against_baseline(evidence, evidence.baseline) if runs]
        says = f"All other runs by {evidence.named}, each compared with {evidence.baseline} ({method})."
    mean = dict(zip(evidence.standing.names, evidence.standing.shown, strict=True))
    rank = {run: place for place, run in enumerate(ranked(evidence), start=1)}
    ends = [(runs[0], runs[-1]) for _, runs in groups]
    columns = {
        heading: [said for said, _ in groups],
        "runs": [len(runs) for _, runs in groups],
        "from": [mean[first] for first, _ in ends],
        "to": [mean[last] for _, last in ends],
        "ranks": [f"{rank[first]} to {rank[last]}" for first, last in ends],
        "which": [named(runs, most=4) for _, runs in groups],
    }
    rows = pl.DataFrame(columns)
    yield ReportTable("groups", Sheet.of(rows, caption=says), rows)


def named_collection(evidence: Evidence, given: str | None) -> str:
    """Name the collection: as it was named, or as the file of its judgments is, or the folder of that."""
    file = evidence.qrels_file
    if given is not None or file is None:
        return given or ""
    stem = file.name.split(".")[0]
    return file.parent.name if stem.casefold() in GENERIC and file.parent.name else file.name


def dated(given: date | None) -> date:
    """Return the date of a report: the one given, that of SOURCE_DATE_EPOCH, or today in UTC."""
    if given is not None:
        return given
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch is None:
        return datetime.now(UTC).date()
    try:
        return datetime.fromtimestamp(int(epoch), UTC).date()
    except (ValueError, OverflowError, OSError):
        raise InputError(f"SOURCE_DATE_EPOCH is {epoch!r}, where it takes seconds since 1970") from None


def _facts(evidence: Evidence, collection: str, day: date) -> Iterator[tuple[str, str]]:
    runs, population = evidence.runs, evidence.population
    rel = runs.grading.rel
    said = [evidence.over, counted(population.judgments or 0, "judgment")]
    if population.grades is not None:
        lowest, highest = population.grades
        relevant = "above 0" if rel is None else f"from {rel:g}"
        said[1] += f" with grades {lowest:g} to {highest:g}, relevant {relevant}"
    described = Conditions(runs.reading, runs.grading.but(bounds=False)).described("rel")
    yield "Collection", "; ".join([*filter(None, [collection]), *said, *described]) + "."
    measures = ", ".join(map(str, evidence.scores.measures))
    yield "Measures", f"{measures}{'; the first decides' * (len(evidence.measures) > 1)}."
    yield "Written", f"on {written(day)} by cranfield {__version__}."
    yield "Command", command(evidence)
    if evidence.gate_command:
        yield "Gate", evidence.gate_command


def written(day: date) -> str:
    """Write a date as ``1 March 2026``."""
    return f"{day.day} {day:%B %Y}"


def command(evidence: Evidence) -> str:
    """Write the command that writes the report once more."""
    options = as_options(
        baseline=evidence.baseline,
        weights=evidence.weights and as_option(evidence.weights),
        groups=evidence.groups and as_option(evidence.groups),
        margin=evidence.margin_asked,
        seed=None if evidence.seed == SEED else evidence.seed,
        cheap=evidence.cheap,
        kinds=evidence.kinds,
        circular=evidence.circular,
    )
    asked = [*evidence.asking(*evidence.measures), *options, *evidence.on_the_page]
    return evidence.command("report", *asked, "-o", "report.html")


def pasted(says: str, table: ReportTable, day: date, gate: str = "") -> Iterator[Pasted]:
    """Give what readers take away."""
    legend = printable(table.sheet.legend)
    yield Pasted("Sentence", says)
    yield Pasted("Table in LaTeX", latex_table(table.sheet))
    yield Pasted("in Markdown", f"{markdown(table.sheet)}\n{markdown_cell(legend)}\n")
    yield Pasted("in CSV", table.rows.write_csv())
    yield Pasted("Citation in BibTeX", citation(day))
    if gate:
        yield Pasted("Gate for continuous integration", gate)


def citation(day: date) -> str:
    """Cite the program, in BibTeX."""
    fields = {
        "author": "{The cranfield authors}",
        "title": "cranfield: evaluation of ranked retrieval",
        "version": __version__,
        "year": str(day.year),
    }
    return "@software{cranfield,\n" + "".join(f"  {name} = {{{text}}},\n" for name, text in fields.items()) + "}\n"
