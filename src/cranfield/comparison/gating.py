"""A gate: is a new run good enough to take the place of another?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Unpack, cast

from cranfield.comparison.deciding import BASE, NEW, OpenLead, decided, margins_in, margins_of, obstacle, to_reverse
from cranfield.comparison.methods import TESTS
from cranfield.comparison.opening import Duel, opened, what_judging_could_do
from cranfield.formats import QrelsLike, RunsLike
from cranfield.formats.score_tables import ScoresLike, ScoreTable, SystemsIn
from cranfield.formats.unmet import settle
from cranfield.judged.audit import Audit, Audited
from cranfield.judged.conditions import CONDITION_FILES, Asked
from cranfield.judged.judgments import Judgments
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames, parse_measures, told_names
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import Naming
from cranfield.plumbing.options import SEED, Level, NotNegative, Seed, Topics, checked
from cranfield.plumbing.scope import Scope
from cranfield.plumbing.wording import called, confidence, counted, holm_over, named, percent
from cranfield.results.programs import Verdicted, ends, junit
from cranfield.results.sheet import Sheet
from cranfield.scoring.blocks import as_taken
from cranfield.scoring.clusters import Clusters, ClustersLike, topics_in
from cranfield.scoring.grouping import FEWEST_IN_GROUP, GroupsLike, TopicGroups, of_groups
from cranfield.scoring.judged_runs import JudgedRuns, Progress, by_what, join, knowing
from cranfield.scoring.panel import (
    SCORES_ALONE,
    Panel,
    lacks,
    numbers_only,
    panel_of,
    read_scores,
    refuse_asked_of_runs,
    refuse_asked_of_scores,
)
from cranfield.scoring.scores import Scores
from cranfield.scoring.weighting import TopicWeights, WeightsLike
from cranfield.statistics.assurance import Assurance, enough_topics
from cranfield.statistics.conclusions import (
    PASSING,
    UNSETTLED,
    Conclusions,
    Paired,
    Rung,
    Verdict,
    significant,
    status_of,
    verdict_in_words,
    worst_of,
)
from cranfield.statistics.effect_size import wins_ties_losses
from cranfield.statistics.intervals import clause
from cranfield.statistics.on_paper import side
from cranfield.statistics.usual import ALPHA, FEW_UNITS, NOT_RUN, TEST

USUAL_MARGIN: Final = 0.01
FEWEST_FOR_MORE: Final = 6  # With fewer topics, nothing is predicted about more of them
RESEMBLING: Final = "if unjudged documents resemble judged ones; not guaranteed"  # What a plausible verdict depends on


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Audited, schema="gate"):
    """Whether a new run can replace another, by measure, and what would decide open cases.

    Attributes
    ----------
    base, new
        Names of the runs.
    topics
        The number of topics compared on.
    alpha, power
        The level of the verdicts, two-sided, and the probability with which more topics should decide.
    rows
        The table of `to_polars`.
    documents
        Unjudged documents of both runs that count for more in one of them, the most decisive first:
        columns measure, run (that in which it counts for more), topic, document, order.
    audit
        The audit of both runs and the qrels (None for a table of scores).
    weighted
        The weighting of the topics, in words; empty if all count equally.
    by_group
        Where groups were asked for, a row for each group and measure: columns grouping, group, of_topics, and those
        of the rows from measure to on_judged (Holm's correction over groups and measures; verdict is null for a group
        of three topics or fewer, which is too small).
    notes
        What names stand for that you gave measures, and notes on the groups.
    clusters
        How many clusters the topics are in; None where each topic is drawn by itself.
    duels
        Both runs by each measure, seen from the one that leads; none where one did not run.
    unjudged
        How much of them is unjudged, and what judging it could do to the lead by the measure that decides.
    units
        How many topics, or clusters, statistics rest on: those of weight 0 do not count.
    """

    base: str
    new: str
    topics: int
    alpha: float
    power: float
    rows: pl.DataFrame
    documents: pl.DataFrame
    audit: Audit | None
    weighted: str = ""
    by_group: pl.DataFrame | None = None
    notes: tuple[str, ...] = ()
    clusters: int | None = None
    duels: tuple[Duel, ...] = ()
    unjudged: str = ""
    units: int = 0

    def __repr__(self) -> str:
        return f"Gate({self.new} against {self.base}: {self.verdict})"

    @property
    def verdict(self) -> Verdict:
        """Return the harshest of all measures.

        A run that is worse in a group is worse; what is undecided in a group stops no run.
        """
        return "worse" if self.worse_in else worst_of(self.rows["verdict"])

    @property
    def holds(self) -> Rung:
        """How the verdict holds: as weakly as that of any measure, or, if it is worse, as surely as what made it so."""
        held, order = self.rows["holds"], list[Rung](["", "on what was judged", "plausible", "certain"])
        if self.verdict == "worse":
            held, order = self.to_polars().filter(verdict="worse")["holds"], order[::-1]
        return next(rung for rung in order if rung in held.to_list())

    @property
    def worse_in(self) -> tuple[str, ...]:
        """The groups in which the new run is worse, by any measure."""
        if self.by_group is None:
            return ()
        worse = self.by_group.filter(verdict="worse").select("grouping", "group").unique(maintain_order=True)
        return tuple(f"{grouping} {group}" for grouping, group in worse.iter_rows())

    @property
    def passes(self) -> bool:
        """Whether the new run is better, or not worse, by every measure."""
        return self.verdict in PASSING

    def to_polars(self, **which: object) -> pl.DataFrame:
        """Return a row for each measure.

        Columns: measure, base, new, mean_base, mean_new, difference (how much better the new run is), low and high (the
        interval that the verdict is read off; null where the topics show no spread), margin, level (its confidence:
        what Holm's correction leaves, 1 − α for one measure), p (two-sided, that of the t-test) and p_adjusted (of
        fewer than 25 topics at least that of sign flips, with Holm's correction), both as `compare` has them, p_margin
        (of the difference from −margin, confirmed in the same way), verdict, on_judged (the verdict if what was judged
        were all), holds (how: certain, plausible, or on what was judged; empty where it is undecided), complete
        (whether documents without a judgment count as not relevant; null of scores alone), least and most (between what
        the difference would lie, had all been judged that either retrieved), topics, decided and passes (with as many
        more topics like these, each look at α/2: how likely what is undecided is then decided, and that it passes; null
        where it is decided, or both runs are equal on each topic), unjudged and unjudged_base (how many unjudged
        documents count for more in the new run, and in the base), why.

        With groups a row for each group and measure follows, and grouping, group and of_topics (how many topics the
        group has) come first: null in the rows of all topics.
        """
        if self.by_group is None:
            return self.rows
        both = pl.concat([self.rows, self.by_group], how="diagonal")
        return both.select("grouping", "group", "of_topics", pl.exclude("grouping", "group", "of_topics"))

    def table(self, **which: object) -> pl.DataFrame:
        """Return the table for people: means, difference, interval, verdict and reason."""
        names = {"mean_base": self.base, "mean_new": self.new}
        shown = ["measure", "mean_base", "mean_new", "difference", "low", "high", "verdict", "why"]
        rows = self.to_polars()
        if self.by_group is not None:
            shown = ["grouping", "group", "of_topics", *shown]
            rows = rows.with_columns(
                pl.col("verdict").fill_null("too few topics"), pl.col("group").fill_null("all topics")
            )
        if self.base == self.new or not names.keys().isdisjoint({self.base, self.new}):
            return rows.select(shown)
        return rows.select(shown).rename(names)

    @property
    def decides(self) -> str:
        """The first measure of the harshest verdict."""
        return str(self.rows.filter(verdict=worst_of(self.rows["verdict"]))["measure"][0])

    @property
    def of_logarithms(self) -> tuple[str, ...]:
        """The measures by which differences, intervals and margins are of logarithms: geometric means."""
        return tuple(duel.measure for duel in self.duels if duel.logarithmic)

    def _logs(self, measure: str) -> str:
        return " of logarithms" * (measure in self.of_logarithms)

    def opening(self, *, command: str = "", **which: object) -> tuple[str, ...]:
        """Return the verdict and what it rests on, the measure that decides first."""
        verdict, rows = self.verdict, self.rows
        if verdict == "did not run":
            return (f"{self.new} is not compared with {self.base}: {rows['why'][0]}.",)
        says = verdict_in_words(called(self.new), called(self.base), rows, self.worse_in)
        if self.holds == "plausible":
            says = f"{says[:-1]}, {RESEMBLING}."
        duels = sorted(self.duels, key=lambda duel: duel.measure != self.decides)
        return opened(duels, self.unjudged, verdict=says, command=command)

    def stated(self, **which: object) -> dict[str, object]:
        """Return the verdict for programs, with the sentences and the notes."""
        return {
            "verdict": self.verdict, "passes": self.passes, "status": status_of(self.verdict), "holds": self.holds,
            "decides": self.decides, "base": self.base, "new": self.new, "topics": self.topics,
            "clusters": self.clusters, "alpha": self.alpha, "power": self.power, "worse_in": [*self.worse_in],
        } | super().stated(**which)  # fmt: skip

    def sheet(self, **which: object) -> Sheet:
        """Return the table without columns in which nothing stands."""
        return super().sheet(**which).filled()

    def keys(self, **which: object) -> int:
        """Return how many columns say what a row is: the measure, and the group where there are groups."""
        return 1 if self.by_group is None else 4

    def caption(self, **which: object) -> str:
        """Describe the tests and their settings."""
        pairs = self.rows.select("measure", "margin").iter_rows()
        margins = ", ".join(dict.fromkeys(f"{margin:.4g}{self._logs(measure)}" for measure, margin in pairs))
        units, unit = self.units, "topic" if self.clusters is None else "cluster"
        test = TESTS[TEST].words if self.clusters is None else TESTS[TEST].of_clusters
        said = [self._intervals, clause("difference", units, 1 - self.alpha, unit)] * self.to_polars()["low"].count()
        complete = "judgments taken as complete" * bool(self.rows["complete"].all(ignore_nulls=False))
        complete = "only scores, which do not show what is unjudged" if self.rows["complete"][0] is None else complete
        over = ", ".join(filter(None, [topics_in(self.topics, self.clusters), self.weighted, complete]))
        of_parts = () if self.by_group is None else self.by_group.drop_nulls("verdict")["of_topics"].to_list()
        few = f", below {FEW_UNITS} {unit}s with sign flips" * (min(units, *of_parts, units) < FEW_UNITS)
        how = f"{test}, two-sided, alpha = {self.alpha:g}{few}{holm_over(self.rows.height, 'measure')}"
        how = "untested" if self.verdict == "did not run" else how
        logs = named(self.of_logarithms)
        opens = f"{over[:1].upper()}{over[1:]}, margin {margins}, {how}."
        said[2:] = [f"Differences by {logs} are of logarithms."] * bool(logs)
        return " ".join(filter(None, [opens, *said, *self._of_groups()]))

    @property
    def _intervals(self) -> str:
        """Say at which level the intervals are from which verdicts are read."""
        found = {"": self.rows} | ({} if self.by_group is None else {"in a group ": self.by_group})
        levels = {where: rows["level"].drop_nulls().to_list() for where, rows in found.items()}
        said = (
            f"{where}{confidence(each[0])} interval of the difference{', after correction' * (len(each) > 1)}"
            for where, each in levels.items() if each
        )  # fmt: skip
        return f"Low to high: {'; '.join(said)}."

    def _of_groups(self) -> Iterator[str]:
        """Say in which groups it is worse, and name the largest fall and rise of a mean, whatever their verdicts."""
        if self.by_group is None:
            return
        worse = f"Worse in {named(self.worse_in)}" if self.worse_in else "No group is significantly worse"
        tests = self.by_group["verdict"].count()
        over = f" ({holm_over(tests, 'test')[2:]})" * (tests > 1)
        yield (f"{worse}{over}." if tests else "No group is large enough to test.")
        for what, sign in (("fall", -1), ("rise", 1)):
            row = self.by_group.row(int((sign * self.by_group["difference"]).arg_max() or 0), named=True)
            if side(sign * row["difference"]) > 0:
                change = f"{row['measure']} {row['difference']:+z.4f}{ends(row.get('low'), row.get('high'))}"
                change += self._logs(row["measure"])
                on = counted(row["of_topics"], "topic")
                yield f"Largest {what}: {row['grouping']} {row['group']}, {change} on {on}."

    def to_junit(self) -> bytes:
        """Return JUnit XML, a test case for each measure: worse is a failure, what is undecided an error.

        >>> qrels = {t: {"a": 1} for t in "123456"}
        >>> found = gate(qrels, {"old": {"1": {"a": 1.0}}, "now": {"1": {"a": 1.0}}}, "RR")
        >>> print(found.to_junit().decode().splitlines()[1])
        <testsuite name="cranfield gate" tests="1" failures="0" errors="0">
        """
        cases = []
        for row in self.to_polars().iter_rows(named=True):
            of_group = "" if row.get("group") is None else f" in {row['grouping']} {row['group']}"
            apart = "" if row["difference"] is None else f"{row['difference']:+z.4f}{ends(row['low'], row['high'])}, "
            logs = self._logs(row["measure"])
            said = f"{row['verdict'] or 'too few topics'}: {apart}margin {row['margin']:.4g}{logs}. {row['why'] or ''}"
            passes = row["verdict"] in PASSING or bool(of_group and row["verdict"] != "worse")
            cases.append(Verdicted(f"{row['measure']}{of_group}", said.strip(), str(row["verdict"]), passes))
        return junit(f"{self.new} against {self.base}", cases)


def gate(
    qrels: QrelsLike | Judgments | JudgedRuns | Scores | ScoresLike,
    runs: RunsLike | None = None,
    measures: MeasureNames | None = None,
    *,
    margin: float = USUAL_MARGIN,
    relative: bool = False,
    alpha: float = ALPHA,
    power: float = 0.8,
    weights: WeightsLike | TopicWeights | None = None,
    clusters: ClustersLike | Clusters | None = None,
    groups: GroupsLike | TopicGroups | None = None,
    group_margin: float | Mapping[str, float] | None = None,
    strict_judgments: bool = False,
    seed: int = SEED,
    not_run: float = NOT_RUN,
    systems: SystemsIn | None = None,
    header: bool | None = None,
    progress: Progress | None = None,
    **conditions: Unpack[Asked],
) -> Gate:
    """Can a new run replace another?

    By each measure the new run is better, equivalent, not worse (by no more than the margin), worse, or undecided:
    the confidence interval of its lead, 95% for one measure and at the level that Holm's correction leaves for several,
    lies above 0, inside both margins, above −margin,
    below −margin, or does not. A verdict is *certain* if it also holds at the least and at the most that the unjudged
    documents of both runs allow, and *plausible* if it holds in 95% of 200 completions in which they have the grades
    of judged documents of the same topic at like ranks; otherwise it is one *on what was judged: undecided*. A
    non-significant difference does not pass the gate: too few topics are a reason to add more, not to pass. A run that
    did not run is not worse: the verdict is *did not run*, and stops it, too.

    Parameters
    ----------
    qrels, runs
        Whatever `evaluate` takes: two runs, the base first. Joined runs may be given alone, and so may scores that
        leave nothing unjudged, as `evidence` returns them of chunks, or a table of scores as for `leaderboard`.
    measures
        The measures that must not get worse. By default nDCG@10, or those of the convention.
    margin
        The acceptable loss, in the unit of the measures; 0 requires a gain by each.
    relative
        Whether the margin is a share of the base's mean.
    alpha
        The level, two-sided: the interval is of the confidence 1 − alpha.
    power
        The probability with which additional topics should decide an undecided measure: the
        smallest sufficient of some round numbers is named. Adding topics and testing again means
        testing twice: at alpha each time, an error is nearly twice as likely; at alpha / 2 both
        times, it is not.
    weights
        The weight of each topic, as in `evaluate`; the number of additional topics is then not reported.
    clusters
        The cluster of each topic, as in `compare`: verdicts then rest on clusters.
    groups
        Groups of topics (see `Scores.by_group`), in none of which the run may be worse. An undecided group
        does not fail the gate, and a group of three topics or fewer is not tested.
    group_margin
        The margin within each group, or ``{group: margin}`` for some; by default, the margin for all topics. It is a
        share if ``relative``.
    strict_judgments
        Whether a verdict has to hold whatever the unjudged documents are: plausible is then not enough.
    seed
        Of the completions that are drawn.
    not_run
        As in `compare`.
    systems, header
        Of a table of scores, as in `leaderboard`.
    progress
        As in `evaluate`.
    **conditions
        `Asked`

    Raises
    ------
    InputError
        If there are not exactly two runs, fewer than two topics, or an option is out of range.

    Examples
    --------
    >>> qrels = {str(t): {"a": 1} for t in range(20)}
    >>> old = {t: {"a": 2.0, "b": 1.0} for t in qrels}
    >>> now = old | {"3": {"b": 2.0, "a": 1.0}}
    >>> found = gate(qrels, {"old": old, "now": now}, "RR", margin=0.05)
    >>> found, found.rows["why"][0]
    (Gate(now against old: undecided), 'with ... more topics like these: ...% chance of a decision, ...% of a pass...')
    >>> gate(qrels, {"old": old, "now": now}, "RR", margin=0.1).verdict
    'equivalent'
    """
    margin, seed = checked("margin", margin, NotNegative), checked("seed", seed, Seed)
    alpha, power = checked("alpha", alpha, Level), checked("power", power, Level)
    if isinstance(group_margin, Mapping):
        group_margin = {name: checked("group_margin", each, NotNegative) for name, each in group_margin.items()}
    else:
        group_margin = checked("group_margin", group_margin, NotNegative | None)
    if group_margin is not None and groups is None:
        raise InputError("group_margin is the margin within each group; name the groups with groups")
    files = weights, clusters, groups
    conditions = settle(conditions, qrels, runs, *files, *(conditions.get(name) for name in CONDITION_FILES))
    naming = Naming.asked(conditions)
    grouped = None if groups is None else TopicGroups.taken(groups, naming)
    weights = None if weights is None else TopicWeights.taken(weights, naming)
    together = None if clusters is None else Clusters.taken(clusters, naming)
    topics = None
    joined: JudgedRuns | None = None
    scores: Scores | ScoreTable
    if isinstance(qrels, Scores):
        refuse_asked_of_scores(runs=runs, measures=measures, systems=systems, header=header, **conditions)
        scores = _complete(qrels)
    elif runs is None and not isinstance(qrels, JudgedRuns | Judgments):
        topics = conditions.pop("topics", None)
        refuse_asked_of_scores(**conditions)
        scores = read_scores(cast("Any", qrels), measures or (), **naming._asdict(), systems=systems, header=header)
    else:
        refuse_asked_of_runs(systems=systems, header=header)
        joined, scores = _judged(cast("Any", qrels), runs, measures, progress, conditions)
    asked = scores.asked if isinstance(scores, Scores) else ()
    panel, drawn_by = _of_two(scores, weights, topics).drawn_in(together), None if strict_judgments else seed
    margins = margins_in(panel, margin, relative=relative)
    rows, documents = _of_all(joined, asked, panel, margins, alpha, power, drawn_by)
    duels, unjudged = _duels(rows, panel, alpha), ""
    ran = panel_of(scores, topics, not_run=not_run)
    if ran.not_run:
        rows, documents, grouped, duels = _without_verdict(rows, ran), documents.clear(), None, ()
    elif joined is not None:
        worst = rows["verdict"].to_list().index(worst_of(rows["verdict"]))  # as `decides` has it
        unjudged = what_judging_could_do(joined, panel, worst)
    by_group, notes = None, (*ran.notes, *panel.like_clusters, *filter(None, [told_names(panel.asked)]))
    if grouped is not None:
        picked = grouped.of(panel.topics, panel.weights)
        parts = [panel.of_topics(group.topics) for group in picked]
        allowed = margins_of(margin if group_margin is None else group_margin, margin, picked)
        of_parts = [margins_in(part, each, relative=relative) for part, each in zip(parts, allowed, strict=True)]
        found = decided(joined, asked, parts, of_parts, alpha, drawn_by, least_topics=FEWEST_IN_GROUP).rows
        by_group = of_groups(_claimed(found, joined, scores), picked).drop("too_small")
        notes = (*notes, *grouped.notes(panel.topics, panel.weights))
    weighted = "" if panel.weights is None else panel.weights.described(panel.topics)
    audit = panel.audit or (scores.audit if isinstance(scores, Scores) else None)
    return Gate(
        panel.runs[BASE], panel.runs[NEW], len(panel.topics), alpha, power, _claimed(rows, joined, scores), documents,
        audit, weighted, by_group, notes, panel.clustered, duels, unjudged, panel.units,
    )  # fmt: skip


def _claimed(rows: pl.DataFrame, joined: JudgedRuns | None, scores: Scores | ScoreTable) -> pl.DataFrame:
    """Claim nothing of what nobody judged where there are scores alone, which do not show whether there is any."""
    if joined is not None or (isinstance(scores, Scores) and scores.audit.complete != SCORES_ALONE):
        return rows
    unknown = {"complete": pl.lit(None, pl.Boolean), "holds": pl.col("holds").replace("certain", "on what was judged")}
    return rows.with_columns(**{name: claim for name, claim in unknown.items() if name in rows.columns})


def _duels(rows: pl.DataFrame, panel: Panel, alpha: float) -> tuple[Duel, ...]:
    """See both runs by each measure from the one that leads."""
    ahead = panel.values[:, NEW] - panel.values[:, BASE]
    found = []
    for row, (won, tied, lost), logs in zip(
        rows.rows(named=True), wins_ties_losses(ahead, panel.weight_of_topic), panel.logarithmic, strict=True
    ):
        seen = {"run_a": row["new"], "run_b": row["base"], "mean_a": row["mean_new"], "mean_b": row["mean_base"]}
        seen |= {"wins": int(won), "ties": int(tied), "losses": int(lost)}
        seen["significant"] = significant(row["p_adjusted"], alpha)
        after_correction = None if rows.height == 1 else (row["low"], row["high"], row["level"])
        duel = Duel.of({**row, **seen}, 1, 1 - alpha, after_correction, logarithmic=bool(logs))
        found.append(replace(duel, verdict=""))
    return tuple(found)


def _judged(
    qrels: QrelsLike | Judgments | JudgedRuns, runs: RunsLike | None, measures: MeasureNames | None,
    progress: Progress | None, conditions: Asked,
) -> tuple[JudgedRuns, Scores]:  # fmt: skip
    """Join the two runs with their judgments, and score them."""
    measures = by_what(measures, qrels, conditions)
    conditions = knowing(measures, qrels, conditions)
    joined = join(qrels, runs, progress=progress, bounds=not conditions.get("judged_only"), **conditions)
    _refuse_but_two(joined.runs)
    asked = as_taken(parse_measures(measures), joined.grading)
    numbers_only(asked)
    if not asked:
        raise InputError("a gate needs at least one measure")
    return joined, joined.scores(measures, levels=True)


def _of_two(scores: Scores | ScoreTable, weights: TopicWeights | None, topics: Topics | None) -> Panel:
    """Lay both runs out."""
    if isinstance(scores, Scores):
        panel = panel_of(scores if weights is None else scores.weighted_by(weights))
    else:
        panel = panel_of(scores, topics)
        panel = panel if weights is None else replace(panel, weights=weights)
    _refuse_but_two(panel.runs)
    if panel.units < 2:
        counting = " of a weight above 0" * (panel.weights is not None)
        raise InputError(f"a gate needs at least two topics{counting}, not {panel.units}")
    return panel


def _without_verdict(rows: pl.DataFrame, panel: Panel) -> pl.DataFrame:
    """Keep what was asked, and say of a run that did not run no more than that, and of the other its mean."""
    why = "; ".join(f"{run} has {lacking}" for run, lacking in lacks(panel.not_run, panel.asked_topics).items())
    ran = [which for which in ("base", "new") if rows[which][0] not in dict(panel.not_run)]
    known = {"measure", "base", "new", "margin", "complete", *(f"mean_{which}" for which in ran)}
    said = {"verdict": "did not run", "on_judged": "did not run", "holds": "", "why": why}
    nothing = [pl.lit(None, rows.schema[name]).alias(name) for name in rows.columns if name not in {*known, *said}]
    return rows.with_columns(*nothing, *(pl.lit(value).alias(name) for name, value in said.items()))


def _complete(scores: Scores) -> Scores:
    """Take scores alone where nothing is unjudged."""
    if not scores.audit.complete:
        raise InputError("scores do not show what unjudged documents could change; give qrels and runs")
    return scores


def _refuse_but_two(runs: Sequence[str]) -> None:
    if len(runs) != 2:
        raise InputError(f"a gate compares two runs, the base and the new one, not {len(runs)}")


def _of_all(
    joined: JudgedRuns | None, measures: Sequence[Measure], panel: Panel, margins: Floats, alpha: float, power: float,
    seed: int | None,
) -> tuple[pl.DataFrame, pl.DataFrame]:  # fmt: skip
    """Decide on all topics: a row for each measure, with what would decide it; and the documents to judge."""
    rows, found, leads = decided(joined, measures, [panel], [margins], alpha, seed, least_topics=2)
    ahead = panel.values[:, NEW] - panel.values[:, BASE]
    fit = panel.weights is None and panel.units >= FEWEST_FOR_MORE
    more = [
        enough_topics(row, power, found.level / 4, margin=margin)
        if verdict == "undecided" and side(row + margin).any() and fit
        else None
        for verdict, row, margin in zip(found.on_judged, panel.by_unit(ahead).as_equals, margins, strict=True)
    ]
    runs = panel.runs
    listed = [_to_judge(measure, one, runs) for measure, one in zip(panel.measures, leads, strict=True)]
    why = (
        _why(found, at, one, margin, more[at], joined, panel)
        for at, (one, margin) in enumerate(zip(leads, margins, strict=True))
    )
    return rows.with_columns(
        pl.Series("difference", Paired(ahead, panel.weight_of_topic).mean),  # to the last digit as `compare` has it
        pl.lit(joined is None or joined.judgments.complete).alias("complete"),
        # + 0.0 makes 0 of -0
        pl.Series("least", [one.bounds and one.bounds[0] + 0.0 for one in leads], pl.Float64),
        pl.Series("most", [one.bounds and one.bounds[1] + 0.0 for one in leads], pl.Float64),
        pl.Series("topics", [each and round(each.topics * len(panel.topics) / panel.units) for each in more], pl.Int64),
        pl.Series("decided", [each and each.decided for each in more], pl.Float64),
        pl.Series("passes", [each and each.ahead for each in more], pl.Float64),
        pl.Series("unjudged", [(each["run"] == runs[NEW]).sum() for each in listed], pl.Int64),
        pl.Series("unjudged_base", [(each["run"] == runs[BASE]).sum() for each in listed], pl.Int64),
        pl.Series("why", ["; ".join(each) for each in why], pl.String),
    ), pl.concat(listed)


def _to_judge(measure: str, one: OpenLead, runs: Sequence[str]) -> pl.DataFrame:
    """List the unjudged documents that count for more in one of both runs, the most decisive first."""
    schema = dict.fromkeys(("measure", "run", "topic", "document"), pl.String) | {"order": pl.Int64}
    if one.pair is None:
        return pl.DataFrame(schema=schema)
    documents, swing = one.pair.swing()
    whose = (runs[BASE] if each > 0 else runs[NEW] for each in swing)
    rows = zip(whose, *one.pair.named(documents), strict=True)
    return pl.DataFrame([(measure, *row, order) for order, row in enumerate(rows, 1)], schema, orient="row")


def _why(
    found: Conclusions, at: int, one: OpenLead, margin: float, more: Assurance | None, joined: JudgedRuns | None,
    panel: Panel,
) -> Iterator[str]:  # fmt: skip
    """Say what would decide what is undecided, and what qualifies a verdict."""
    verdict = found.verdicts[at]
    if said := obstacle(found, at, panel.units, panel.unit):
        yield said
    if found.rungs[at] == "plausible":
        yield RESEMBLING
    if verdict == "better" and found.within[at]:
        yield "by less than the margin"
    if joined is not None:
        yield from _unjudged(found, at, one, margin, joined)
    if verdict != "undecided" or found.obstacles[at] == "too few units":
        return
    if more is not None:
        yield (
            f"{Scope().on_others().with_more(more.topics, panel.unit)}: {percent(more.decided)} chance of a decision, "
            f"{percent(more.ahead)} of a pass, testing at {found.level / 2:.4g} both times"
        )
    elif panel.weights is not None:
        yield "the number of further topics is unknown where topics are weighted"
    elif panel.units >= FEWEST_FOR_MORE:
        equal = "equal on every topic, and a margin of 0 requires a gain"
        yield "behind by exactly the margin on every topic" if margin > 0 else equal


def _unjudged(
    found: Conclusions, at: int, one: OpenLead, margin: float, joined: JudgedRuns
) -> Iterator[str]:  # fmt: skip
    """Say what unjudged documents leave of what was judged, what would reverse it, and how many there are."""
    verdict, on_judged = found.verdicts[at], found.on_judged[at]
    base, new = joined.runs
    if verdict != on_judged and verdict in PASSING:
        yield f"{on_judged} on what was judged"
    elif verdict in UNSETTLED:
        whose, enough, many = to_reverse(on_judged, one, margin) or ("", None, 0)
        of = f"{new if whose == 'new' else base}'s"
        if enough is not None:
            yield (
                f"reverses if {enough:,} of {of} {counted(many, 'unjudged document')} "
                f"{'is' if enough == 1 else 'are'} relevant (grade {joined.judgments.scale:g})"
            )
        else:
            what = f"{of} {counted(many, 'unjudged document')}" if many else "unjudged documents"
            yield f"{what} might reverse it"
    if one.pair is not None and found.rungs[at] in {"plausible", "on what was judged"}:
        of_new, of_base = one.pair.unjudged_shares()
        cutoff = one.pair.measure.cutoff
        depth = f"the top {cutoff}" if cutoff else "the whole lists"
        yield f"unjudged in {depth}: {percent(of_new)} of {new}, {percent(of_base)} of {base}"
