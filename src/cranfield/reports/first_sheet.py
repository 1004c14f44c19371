"""The first sheet: who leads in one sentence, the leaderboard, and what speaks against relying on it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from cranfield import __version__
from cranfield.comparison.gating import Gate
from cranfield.comparison.opening import (
    BETWEEN,
    BETWEEN_ONE,
    HAS_THE_BEST,
    LEADS,
    ON_LOGARITHMS,
    WINS,
    counted_against,
    doubt,
    near_told,
    rests_on_few,
    shared_told,
)
from cranfield.judged.conditions import Conditions
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import printable
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import SEED
from cranfield.plumbing.scope import HERE, Scope
from cranfield.plumbing.wording import confidence, named
from cranfield.reports.apart import BETTER, WORSE, adjusted, against_baseline, groups_of, not_told_from, ranked
from cranfield.reports.elements import Block, Decision, FirstSheet, Folded, Pasted, Picture, ReportTable, Words
from cranfield.reports.facts import Evidence, as_option, as_options
from cranfield.reports.section import plotted
from cranfield.reports.sentence import Said, caveats_of
from cranfield.results.latex import latex_table
from cranfield.results.people import markdown, markdown_cell
from cranfield.results.programs import ends
from cranfield.results.sheet import Sheet, SheetColumn
from cranfield.statistics.conclusions import UNSETTLED, may_replace
from cranfield.statistics.on_paper import EQUAL, side

if TYPE_CHECKING:
    from cranfield.plots import Figure

MOST_ROWS: Final = 12
"""Up to this many runs are shown at once; the others are folded away."""
_OPEN_RUNS: Final = 5  # Up to this many runs, the table stands open below the picture, so that the sheet fits a window
GENERIC: Final = ("qrels", "qrel", "judgments", "judgements", "test", "dev", "train")
"""Names of files that say nothing of the collection, so that its folder names it."""


def first_sheet(evidence: Evidence, day: date) -> FirstSheet:
    """Write what can be mailed or printed alone."""
    evidence = evidence.ran
    said, table = headline(evidence), _leaderboard(evidence)
    mailed = f"{said.words} Test: {evidence.comparison.method}." if evidence.testable else said.words
    return FirstSheet(
        says=said.says.words,
        sure="" if said.sure is None else said.sure.words,
        picture=leaderboard_of(evidence, MOST_ROWS) if evidence.several else None,
        caveats=tuple(said.words for said in caveats_of(evidence).values()),
        blocks=tuple(_tables(evidence, table)),
        facts=tuple(_facts(evidence)),
        pasted=tuple(pasted(mailed, table, day, evidence.gate_command)),
        decision=decision(evidence),
    )


def leaderboard_of(evidence: Evidence, rows: int | None = None) -> Picture | Words:
    """Draw the leaderboard by the measure that decides; of some rows without a title, which the headline is."""
    bounded = evidence.ranges is not None and evidence.named in map(str, evidence.ranges.measures)
    asked, scores = evidence.asking(evidence.measure), evidence.runs.under(bounds=bounded).scores([evidence.measure])

    def shortened(plot: str) -> Figure:
        figure: Figure = scores.plot(plot, rows=rows)
        return figure.for_print(titled=False)

    alike = evidence.scope.on_others().alike
    says = f"Dot: mean {evidence.named}.{evidence.equally}"
    if evidence.testable:
        pairs = "" if evidence.baseline is None else " (all pairs tested)"
        says += f" Hollow: not significantly worse than the best {alike}{pairs}."
        says += " Line: interval of the difference from the best."
    says += f" Broad: each run's own range, {evidence.scope_of_grades.whatever}." * bounded
    return plotted(
        evidence, scores.plot if rows is None else shortened, "leaderboard", *asked, *["--bounds"] * bounded,
        says="" if rows is None else says,
    )  # fmt: skip


class Headline(NamedTuple):
    """What matters most in one sentence, and how sure that is."""

    says: Said
    sure: Said | None  # None where nothing is tested

    @property
    def words(self) -> str:
        """Both, one after the other."""
        return self.says.words if self.sure is None else self.says.and_then(self.sure).words


def headline(evidence: Evidence) -> Headline:
    """Say who leads whom, by how much, and how sure that is; of several runs and a baseline, how many are better."""
    evidence = evidence.ran
    standing = evidence.standing
    numbers: dict[str, Any] = {
        "leaders": [standing.names[run] for run in standing.leaders], "measure": standing.named,
        "mean": standing.shown[standing.leaders[0]], "topics": len(standing.panel.topics),
        "topic": standing.panel.topics[0],
    }  # fmt: skip
    if evidence.alone:
        words = "{leaders} has a mean {measure} of {mean} over {topics:topic|topics}."
        words += " There is no run to compare it with." * (evidence.whole is None) + evidence.equally
        return Headline(Said.of(words, scope=evidence.scope, **numbers), None)
    if evidence.testable and evidence.several and evidence.baseline is not None:
        return _against(evidence, evidence.baseline, numbers)
    scope = evidence.scope
    if standing.leader is None:
        words, scope = shared_told(len(standing.leaders), len(standing.names)), scope.within(EQUAL)
    else:
        first, second, *_ = standing.order
        seconds = [standing.names[run] for run in standing.order[1:] if standing.rank[run] == standing.rank[second]]
        numbers |= {"seconds": seconds, "second": seconds[0]}
        numbers["lead"] = abs(standing.shown[first] - standing.shown[second])
        words = LEADS
    if not evidence.testable:
        why = ". Each run lacks most of the topics that some run has, so that nothing is tested."
        why = why if evidence.none_ran else " on topic {topic}. One topic allows no test."
        return Headline(Said.of(f"{words}{why}", scope=scope, **numbers), None)
    others = [run for run in ranked(evidence) if run not in numbers["leaders"]]
    near = {run for leader in numbers["leaders"] for run in not_told_from(evidence, leader)}
    alike = [run for run in others if run in near]
    numbers |= {"others": len(others), "near": len(alike), "alike": alike}
    interval = {} if standing.leader is None else _interval(evidence)
    if standing.leader is not None:
        words += f": {doubt(interval.get('low'), interval.get('high'), is_significant=others[0] not in near)}"
    how = ", after correction" * evidence.several + ON_LOGARITHMS * bool(standing.panel.logarithmic[0])
    said = []
    if interval:
        said = [f"{BETWEEN if len(seconds) == 1 else BETWEEN_ONE}({{level}} interval{how})."]
        won, tied, lost = _won(evidence).values()
        pair = "The two" if len(seconds) == 1 else "{leaders} and {second}"
        said[0] += rests_on_few(won + lost, won + tied + lost, pair)
    if evidence.several and others:
        said.append(near_told(len(alike), len(others)))
    wider = Scope().on_others() if said else HERE
    if not evidence.several and standing.leader is not None:
        said.append(WINS)
        numbers |= _won(evidence)
    said += [evidence.equally.strip()] * bool(evidence.equally)
    sure = Said.of(" ".join(said), scope=wider, **numbers, **interval) if said else None
    return Headline(Said.of(f"{words}.", scope=scope, **numbers), sure)


def _won(evidence: Evidence) -> dict[str, int]:
    """Count the topics on which the run that leads is better than the one that follows, level, and worse."""
    values, (first, second, *_) = evidence.standing.values, evidence.standing.order
    lead = side(values[first] - values[second])
    return {name: int((lead == sign).sum()) for name, sign in (("won", 1), ("tied", 0), ("lost", -1))}


def _interval(evidence: Evidence) -> dict[str, Any]:
    """Return the interval of the lead over the run that follows, at the level that the correction leaves."""
    second = evidence.behind.row(1, named=True)
    if second["low"] is None:
        return {}
    low, high = sorted(second[end] * (1 if second["difference"] > 0 else -1) for end in ("low", "high"))
    return {"low": low, "high": high, "level": confidence(second["level"])}


def _against(evidence: Evidence, baseline: str, numbers: Mapping[str, Any]) -> Headline:
    """Say how many runs are better and worse than the baseline, and which is best."""
    parts = dict(against_baseline(evidence, baseline))
    standing, first = evidence.standing, evidence.standing.leaders[0]
    counts = {"better": len(parts[BETTER]), "worse": len(parts[WORSE]), "others": len(standing.names) - 1}
    says = Said.of(
        counted_against(counts["better"], counts["worse"]),
        scope=evidence.scope.on_others(), baseline=baseline, measure=numbers["measure"], **counts,
    )  # fmt: skip
    has = "has" if len(numbers["leaders"]) == 1 else "share"
    other = standing.names[standing.order[1]] if baseline in numbers["leaders"] else baseline
    lead = abs(standing.shown[first] - standing.shown[standing.names.index(other)])
    words = HAS_THE_BEST + ", {lead} ahead of {other}" * bool(side(lead))
    return Headline(says, Said.of(f"{words}.", scope=evidence.scope, has=has, lead=lead, other=other, **numbers))


def decision(evidence: Evidence) -> Decision | None:
    """Say whether the one of two runs may replace the other, as the gate does."""
    if (found := evidence.gate) is None:
        return None
    said = shipping(evidence, found).words
    return Decision(said, "holds" if found.passes else "fails" if found.verdict == "worse" else "open")


def shipping(evidence: Evidence, found: Gate) -> Said:
    """Say what the gate says, by how much the new run is better, and what would decide what is undecided."""
    row, by_group = found.rows.row(0, named=True), found.by_group
    verdict = str(row["verdict"])
    if verdict == "did not run":
        return Said.of(
            "{new} and {base} are not compared by {measure}, since one did not run: {why}.",
            scope=evidence.scope, new=found.new, base=found.base, measure=evidence.named, why=row["why"],
        )  # fmt: skip
    is_ = "the difference is undecided" if verdict == "undecided" else f"it is {verdict.split(' on what', 1)[0]}"
    alone, logs = (
        " only on what was judged" * (verdict in UNSETTLED),
        " of logarithms" * (row["measure"] in found.of_logarithms),
    )
    words = f"{may_replace('{new}', '{base}', found.verdict)}: by {{measure}} {is_} {{scope.alike}}"
    difference = ", {difference:+z.4f}{interval} ({sure}"  # which the headline has, unless topics are weighted
    words += f"{alone}{difference if found.weighted else ' ('}margin {{margin:.4g}}{logs}{{weighted}})"
    groups, why = list[str](), row["why"]
    if by_group is not None and verdict != found.verdict == "worse":  # then nothing else has to be decided
        worse = by_group.filter(pl.col("verdict") == "worse").rows(named=True)
        groups = [
            f"{each['grouping']} {each['group']}, {each['difference']:+z.4f}{ends(each['low'], each['high'])}{logs}"
            for each in worse
        ]
        words, why = f"{words}, but worse in {{groups:all}}", ""
    return Said.of(
        f"{words}; {{why}}." if why else f"{words}.",
        scope=evidence.scope.on_others(), new=found.new, base=found.base, measure=evidence.named,
        difference=row["difference"], interval=ends(row["low"], row["high"]), margin=row["margin"], groups=groups,
        sure=f"{confidence(row['level'])} interval; " if row["low"] is not None else "", why=why,
        weighted=f"; {found.weighted}" * bool(found.weighted),
    )  # fmt: skip


def _leaderboard(evidence: Evidence) -> ReportTable:
    """Show all measures as judged, and how far each run is told from the one that leads."""
    scores = evidence.scores
    sheet = scores.sheet()
    if evidence.testable:
        head = evidence.baseline or scores.runs[0]
        tested = adjusted(evidence)
        cells = [None if run == head else _p(*tested[frozenset((head, run))]) for run in scores.runs]
        column = SheetColumn(f"p vs. {'first' if evidence.baseline is None else 'baseline'}", cells, numeric=True)
        p = f"p: of the difference from {head} in {evidence.named} ({evidence.comparison.method}); *: significant."
        columns = (*sheet.columns[:2], column, *sheet.columns[2:])
        sheet = sheet._replace(columns=columns, caption=f"{sheet.caption}{evidence.equally} {p}")
    command = evidence.command("evaluate", *evidence.asking(*evidence.measures), "--sort")
    return ReportTable("means", sheet, scores.to_polars(), command)


def _p(p: float, significant: bool) -> str:
    """Write a p-value for a column of them."""
    return ("< 0.001" if p < 0.001 else f"{p:.3f}") + (" *" if significant else "  ")


def _tables(evidence: Evidence, means: ReportTable) -> Iterator[Block]:
    """Show all measures; of more than a few runs, whom the picture has, they are folded away, with groups of many."""
    runs = len(evidence.scores.runs)
    if runs <= _OPEN_RUNS:
        yield means
    else:
        yield Folded(f"All {runs} runs by all measures", (means, *(_in_groups(evidence) if runs > MOST_ROWS else ())))


def _in_groups(evidence: Evidence) -> Iterator[Block]:
    if not evidence.testable:
        return
    method = evidence.comparison.method
    if evidence.baseline is None:
        heading, groups = "headed by", [(group[0], group) for group in groups_of(evidence)]
        says = (
            f"Groups by {evidence.named}: the best run that is in no group yet, and the runs behind it that do not "
            f"differ significantly from it ({method}). Runs of one group may differ, and runs of two groups need not."
        )
    else:
        heading = f"against {evidence.baseline}"
        groups = [(said, runs) for said, runs in against_baseline(evidence, evidence.baseline) if runs]
        says = f"All other runs against {evidence.baseline} by {evidence.named} ({method})."
    mean = dict(zip(evidence.standing.names, evidence.standing.shown, strict=True))
    rank = {run: place for place, run in enumerate(ranked(evidence), start=1)}
    outer = [(runs[0], runs[-1]) for _, runs in groups]
    columns = {
        heading: [said for said, _ in groups],
        "runs": [len(runs) for _, runs in groups],
        "from": [mean[first] for first, _ in outer],
        "to": [mean[last] for _, last in outer],
        "ranks": [f"{rank[first]} to {rank[last]}" for first, last in outer],
        "which": [named(runs, most=4) for _, runs in groups],
    }
    rows = pl.DataFrame(columns)
    yield ReportTable("groups", Sheet.of(rows, caption=says), rows)


def named_collection(evidence: Evidence, given: str | None) -> str:
    """Name the collection: as it was named, or as its judgments are, or their file, or the folder of that."""
    file = evidence.qrels_file
    if given is not None or file is None:
        return given or evidence.runs.judgments.provenance.partition(" ")[0]
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
        raise InputError(f"SOURCE_DATE_EPOCH must be in seconds since 1970, not {epoch!r}") from None


def _facts(evidence: Evidence) -> Iterator[tuple[str, str]]:
    runs, population = evidence.runs, evidence.population
    rel = runs.grading.rel
    said = [f"{population.judgments or 0:,}"]
    if population.grades is not None:
        lowest, highest = population.grades
        said.append(f"grades {lowest:g} to {highest:g}" if lowest < highest else f"grade {lowest:g}")
        said.append(f"relevant {'above 0' if rel is None else f'from {rel:g}'}")
    yield "Judgments", f"{', '.join(said)}."
    if described := Conditions(runs.reading, runs.grading.but(bounds=False)).described("rel"):
        yield "Conditions", f"{', '.join(described)}."
    yield "Command", command(evidence)
    if evidence.gate_command:
        yield "Gate", evidence.gate_command


def heads(what: str, measures: Sequence[object], day: date, title: str | None) -> tuple[str, str, str]:
    """Write the title of a page, unless one is given, the line below it, and the line at its end."""
    when = f"{day.day} {day:%B %Y}"
    measured = f"Measured by {', '.join(map(str, measures))}{'; the first decides' * (len(measures) > 1)}."
    lead = measured if title is None else f"{what}, {when}. {measured}"
    return title or f"{what}, {when}", lead, f"Written by cranfield {__version__} on {when}."


def command(evidence: Evidence) -> str:
    """Write the command that writes the report once more, of all runs, even of those that did not run."""
    evidence = evidence.whole or evidence
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
