"""A gate: is a new run good enough to take the place of another?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Unpack

import numpy as np

from cranfield.comparison.gate_by_group import margins_of, rows_by_group
from cranfield.comparison.verdicts import could_be_within, decided
from cranfield.formats import QrelsLike, RunsLike
from cranfield.judged.audit import Audit, Audited
from cranfield.judged.conditions import Asked
from cranfield.judged.judgments import Judgments
from cranfield.measures.framework.names import MeasureNames, parse_measures
from cranfield.pairs.pair import Pair, Rivals, fewest
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Level, NotNegative, checked
from cranfield.plumbing.scope import Scope
from cranfield.plumbing.wording import counted, named
from cranfield.results.junit import Verdicted, junit
from cranfield.scoring.blocks import as_taken
from cranfield.scoring.grouping import GroupsLike, TopicGroups, counting
from cranfield.scoring.judged_runs import JudgedRuns, Progress, by_what, join, knowing
from cranfield.scoring.panel import numbers_only, panel_of
from cranfield.scoring.weighting import TopicWeights, WeightsLike
from cranfield.statistics.assurance import Assurance, enough_topics
from cranfield.statistics.on_paper import side
from cranfield.statistics.verdicts import AS_JUDGED, PASSING, Verdict
from cranfield.statistics.weighting import weighted_means

MEASURES: Final = ("nDCG@10",)


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Audited):
    """Whether a new run can replace another, by measure, and what would decide open cases.

    Attributes
    ----------
    base, new
        Names of the runs.
    topics
        The number of topics compared on.
    alpha, power
        The probability of each error, and that with which more topics should decide.
    rows
        The table of `to_polars`.
    documents
        Unjudged documents that could raise the new run's score, the most useful to judge first:
        columns measure, topic, document, order.
    audit
        The audit of both runs and the qrels.
    weighted
        The weighting of the topics, in words; empty if all count equally.
    by_group
        Where groups were asked for, a row for each group and measure: columns grouping, group, of_topics, measure,
        base, new, mean_base, mean_new, difference, low, high, margin, p_better, p_not_worse, p_worse (Holm's
        correction over groups and measures), verdict (null for a group of three topics or fewer, which is too
        small).
    notes
        Notes on the groups.
    """

    base: str
    new: str
    topics: int
    alpha: float
    power: float
    rows: pl.DataFrame
    documents: pl.DataFrame
    audit: Audit
    weighted: str = ""
    by_group: pl.DataFrame | None = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Gate({self.new} against {self.base}: {self.verdict})"

    @property
    def verdict(self) -> Verdict:
        """Return the worst of all: worse, else that on what was judged, else undecided, not worse, better by all.

        A run that is worse in a group is worse; what is undecided in a group stops no run.
        """
        if self.worse_in:
            return "worse"
        worst_first: tuple[Verdict, ...] = ("worse", AS_JUDGED, "undecided", "not worse")
        return next((verdict for verdict in worst_first if verdict in self.rows["verdict"]), "better")

    @property
    def worse_in(self) -> tuple[str, ...]:
        """The groups in which the new run is worse, by any measure."""
        if self.by_group is None:
            return ()
        worse = (
            self.by_group.filter(pl.col("verdict") == "worse").select("grouping", "group").unique(maintain_order=True)
        )
        return tuple(f"{grouping} {group}" for grouping, group in worse.iter_rows())

    @property
    def passes(self) -> bool:
        """Whether the new run is better, or not worse, by every measure."""
        return self.verdict in PASSING

    def to_polars(self, **which: object) -> pl.DataFrame:
        """Return a row for each measure.

        Columns: measure, base, new, mean_base, mean_new, difference (how much better the new run is),
        low and high (its 1 − 2α confidence interval), margin, p_better, p_not_worse and p_worse
        (one-tailed, Holm's correction), verdict, least and most (between what the difference would
        lie, had all been judged that either retrieved), topics, decided and passes (with so many more
        topics like these, tested together with these at α/2: how likely what is undecided is then
        decided, and that it passes; null where it is decided, or both runs are equal on each topic), unjudged (how many
        unjudged documents the new run has earlier), why.

        With groups a row for each group and measure follows, and grouping, group and of_topics (how many topics the
        group has) come first: null in the rows of all topics.
        """
        del which
        if self.by_group is None:
            return self.rows
        both = pl.concat([self.rows, self.by_group], how="diagonal")
        return both.select("grouping", "group", "of_topics", pl.exclude("grouping", "group", "of_topics"))

    def table(self, **which: object) -> pl.DataFrame:
        """Return the table for people: means, difference, interval, verdict and reason."""
        del which
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

    def remarks(self) -> tuple[str, ...]:
        """Return the notes."""
        return self.notes

    def keys(self, **which: object) -> int:
        """Return how many columns say what a row is: the measure, and the group where there are groups."""
        del which
        return 1 if self.by_group is None else 4

    def caption(self, **which: object) -> str:
        """Describe the tests and their settings."""
        del which
        margins = ", ".join(f"{margin:.4g}" for margin in dict.fromkeys(self.rows["margin"]))
        over = ", ".join(filter(None, [counted(self.topics, "topic"), self.weighted]))
        return (
            f"{self.new} against {self.base}: {self.verdict}. {over}, margin {margins}, "
            f"one-sided paired t-tests at alpha {self.alpha:g}, Holm correction over "
            f"{counted(self.rows.height, 'measure')}; low and high: {1 - 2 * self.alpha:.0%} confidence interval of "
            f"the difference.{self._of_groups}"
        )

    @property
    def _of_groups(self) -> str:
        """Say in which groups it is worse."""
        if self.by_group is None:
            return ""
        tested = self.by_group["verdict"].is_not_null().sum()
        worse = f"Worse in {named(self.worse_in)}" if self.worse_in else "Worse in no group"
        return f" {worse} (Holm correction over {counted(int(tested), 'test')} of groups)."

    def to_junit(self) -> bytes:
        """Return JUnit XML, a test case for each measure: worse is a failure, what is undecided an error.

        >>> found = gate({"1": {"a": 1}, "2": {"a": 1}}, {"old": {"1": {"a": 1.0}}, "now": {"1": {"a": 1.0}}}, "RR")
        >>> print(found.to_junit().decode().splitlines()[1])
        <testsuite name="cranfield gate" tests="1" failures="0" errors="0">
        """
        cases = []
        for row in self.to_polars().iter_rows(named=True):
            of_group = "" if row.get("group") is None else f" in {row['grouping']} {row['group']}"
            ends = "" if row["low"] is None else f" [{row['low']:.4f}, {row['high']:.4f}]"
            said = (
                f"{row['verdict'] or 'too few topics'}: {row['difference']:+.4f}{ends}, "
                f"margin {row['margin']:.4g}. {row['why'] or ''}"
            ).strip()
            passes = row["verdict"] in PASSING or bool(of_group and row["verdict"] != "worse")
            cases.append(Verdicted(f"{row['measure']}{of_group}", said, str(row["verdict"]), passes))
        return junit(f"{self.new} against {self.base}", cases)


def gate(
    qrels: QrelsLike | Judgments | JudgedRuns,
    runs: RunsLike | None = None,
    measures: MeasureNames | None = None,
    *,
    margin: float = 0.01,
    relative: bool = False,
    alpha: float = 0.05,
    power: float = 0.8,
    weights: WeightsLike | TopicWeights | None = None,
    groups: GroupsLike | TopicGroups | None = None,
    group_margin: float | Mapping[str, float] | None = None,
    progress: Progress | None = None,
    **conditions: Unpack[Asked],
) -> Gate:
    """Can a new run replace another?

    By each measure the new run is better, not worse (by no more than the margin), worse, or undecided: see
    `decided`. It is worse *on what was judged*, and so undecided, if unjudged documents could bring its mean back
    within the margin. A non-significant difference does not pass the gate: too few topics are a reason to add
    more, not to pass.

    Parameters
    ----------
    qrels, runs
        All that `evaluate` takes: two runs, the base first. Joined runs may be given alone.
    measures
        The measures that must not get worse. By default nDCG@10, or those of the convention.
    margin
        The acceptable loss, in the unit of the measures; 0 requires a gain by each.
    relative
        Whether the margin is a share of the base's mean.
    alpha
        The probability of each error.
    power
        The probability with which additional topics should decide an undecided measure: the
        smallest sufficient of some round numbers is named. Adding topics and testing again means
        testing twice: at alpha each time, an error is nearly twice as likely; at alpha / 2 both
        times, it is not.
    weights
        The weight of each topic, as in `evaluate`; the number of additional topics is then not reported.
    groups
        Groups of topics (see `Scores.by_group`), in none of which the run may be worse. An undecided group
        does not fail the gate, and a group of three topics or fewer is not tested.
    group_margin
        The margin within each group, or ``{group: margin}`` for some; by default, the margin for all topics. It is a
        share if ``relative``.
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
    (Gate(now against old: undecided), 'with ... more topics like these: ...% that it is decided (...% passes), if ...')
    >>> gate(qrels, {"old": old, "now": now}, "RR", margin=0.1).passes
    True
    """
    margin = checked("margin", margin, NotNegative)
    alpha, power = checked("alpha", alpha, Level), checked("power", power, Level)
    if isinstance(group_margin, Mapping):
        group_margin = {name: checked("group_margin", each, NotNegative) for name, each in group_margin.items()}
    else:
        group_margin = checked("group_margin", group_margin, NotNegative | None)
    if group_margin is not None and groups is None:
        raise InputError("group_margin is the margin within each group; name the groups with groups")
    grouped = None if groups is None else TopicGroups.taken(groups)
    measures = by_what(measures, qrels, conditions, MEASURES)
    conditions = knowing(measures, qrels, conditions)
    weights = None if weights is None else TopicWeights.taken(weights)
    joined = join(qrels, runs, progress=progress, bounds=not conditions.get("judged_only"), **conditions)
    if len(joined.runs) != 2:
        raise InputError(f"a gate compares two runs, the base and the new one; there are {len(joined.runs)}")
    base, new = joined.runs
    asked = as_taken(parse_measures(measures), joined.grading)
    numbers_only(asked)
    if not asked:
        raise InputError("a gate needs at least one measure")
    scores = joined.scores(measures, levels=True).weighted_by(weights)
    panel = panel_of(scores)
    by_topic = panel.weight_of_topic
    if len(panel.topics) < 2:
        raise InputError(f"a gate needs at least two topics; there are {len(panel.topics)}")
    margins = margin * (np.abs(panel.averages[:, 0]) if relative else np.ones(len(asked)))
    if not relative and margin >= 1 and bool((panel.values >= 0).all() and (panel.values <= 1).all()):
        raise InputError(
            f"a margin of {margin:g} lets every run through, since all values lie between 0 and 1; was "
            f"{margin:g}% meant (--margin {margin:g}%, or margin={margin / 100:g} and relative=True)?"
        )
    apart = panel.values[:, 1] - panel.values[:, 0]
    found = decided(apart, margins, alpha, weights=by_topic)
    difference = apart.mean(axis=1) if by_topic is None else weighted_means(apart, by_topic).mean
    rivals = Rivals(joined, panel.topics, by_topic)
    could = [
        _Could() if logarithmic or joined.grading.judged_only else _could_be(rivals.of(measure, 1, 0), row, margin)
        for measure, logarithmic, row, margin in zip(asked, panel.logarithmic, apart, margins, strict=True)
    ]
    verdicts: list[Verdict] = [
        AS_JUDGED if verdict == "worse" and each.within else verdict
        for verdict, each in zip(found.verdicts, could, strict=True)
    ]
    more = [
        enough_topics(row, power, alpha / 2 / len(asked), margin=margin)
        if verdict == "undecided" and (margin > 0 or side(row).any()) and by_topic is None
        else None
        for verdict, row, margin in zip(found.verdicts, apart, margins, strict=True)
    ]
    rows = pl.DataFrame(
        {
            "measure": panel.measures,
            "base": base,
            "new": new,
            "mean_base": panel.means[:, 0],
            "mean_new": panel.means[:, 1],
            "difference": difference,
            "low": found.low,
            "high": found.high,
            "margin": margins,
            "p_better": found.p_better,
            "p_not_worse": found.p_not_worse,
            "p_worse": found.p_worse,
            "verdict": verdicts,
            "least": [each.least for each in could],
            "most": [each.most for each in could],
            "topics": [each and each.topics for each in more],
            "decided": [each and each.decided for each in more],
            "passes": [each and each.ahead for each in more],
            "unjudged": [len(each.documents) for each in could],
            "why": [
                _why(verdict, by, each, alpha / 2, one, alike=by_topic is None)
                for verdict, by, each, one in zip(verdicts, difference, more, could, strict=True)
            ],
        },
        schema_overrides=dict.fromkeys(("least", "most", "decided", "passes"), pl.Float64) | {"topics": pl.Int64},
    )
    documents = pl.concat(each.listed(measure) for each, measure in zip(could, panel.measures, strict=True))
    weighted = "" if panel.weights is None else panel.weights.described(panel.topics)
    if grouped is None:
        return Gate(base, new, len(panel.topics), alpha, power, rows, documents, scores.audit, weighted)
    picked = grouped.of(counting(panel.topics, panel.weights))
    allowed = margins_of(margin if group_margin is None else group_margin, margin, picked)
    by_group = rows_by_group(joined, asked, panel, picked, allowed, alpha, relative=relative)
    notes = tuple(grouped.notes(panel.topics))
    return Gate(base, new, len(panel.topics), alpha, power, rows, documents, scores.audit, weighted, by_group, notes)


@dataclass(frozen=True)
class _Could:
    """What the difference could be, had all been judged, and what to judge.

    Attributes
    ----------
    least, most
        Between what it lies.
    reached
        Whether some grades bring about the most, which else is a bound.
    documents
        Unjudged documents that the new run has earlier, the most useful first: topic and id.
    within
        Whether it is worse than the margin, and the most is not.
    enough
        How many of the documents, all of the largest grade, do bring it within the margin; None where
        that many are not found.
    top
        The largest grade.
    """

    least: float | None = None
    most: float | None = None
    reached: bool = False
    documents: Sequence[tuple[str, str]] = ()
    within: bool = False
    enough: int | None = None
    top: float = 1.0

    def listed(self, measure: str) -> pl.DataFrame:
        rows = [(measure, topic, document, order) for order, (topic, document) in enumerate(self.documents, 1)]
        schema = {"measure": pl.String, "topic": pl.String, "document": pl.String, "order": pl.Int64}
        return pl.DataFrame(rows, schema=schema, orient="row")


def _could_be(pair: Pair, apart: Floats, margin: float) -> _Could:
    """Say between what the difference of the means would lie, more being better, over all joint completions."""
    base = pair.turned()
    documents, most = base.against(), pair.most()
    within = could_be_within(pair, apart, margin)
    enough = None
    if within:
        enough = fewest(documents, lambda some: bool(side(pair.mean(pair.found(some).lead()) + margin) >= 0))
    named = list(zip(*pair.named(documents), strict=True))
    top = pair.judgments.top_grade or 1.0
    return _Could(pair.least(), most, base.reached, named, within, enough, top)


def _why(
    verdict: Verdict, difference: float, more: Assurance | None, alpha: float, could: _Could, *, alike: bool
) -> str:
    """Say what would decide what is undecided, and what could undo what speaks against the new run."""
    said = []
    if more is not None:
        said.append(
            f"{Scope().on_others().with_more(more.topics)}: {more.decided:.0%} that it is decided "
            f"({more.ahead:.0%} passes), if both looks test at {alpha:.4g}"
        )
    elif verdict == "undecided" and not alike:
        said.append("with weighted topics, the number of further topics needed is unknown")
    elif verdict == "undecided":
        said.append("equal on each of these topics, and a margin of 0 requires a gain")
    if verdict not in PASSING and could.within:
        said.append(
            f"unjudged documents of the new run ({len(could.documents):,}) might bring it within the margin"
            if could.enough is None
            else f"{counted(could.enough, 'unjudged document')} of the new run, if relevant (grade {could.top:g}), "
            "would bring it within the margin"
        )
    elif verdict == "undecided" and could.documents and could.most is not None and side(could.most - difference) > 0:
        known = "could" if could.reached else "might"
        said.append(f"unjudged documents of the new run ({len(could.documents):,}) {known} raise it")
    return "; ".join(said)
