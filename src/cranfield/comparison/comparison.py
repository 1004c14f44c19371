"""What a comparison found: a row for each measure and pair, and tables for people."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cranfield.comparison.opening import HAS_THE_BEST, Duel, counted_against, near_told, opened, said, shared_told
from cranfield.comparison.p_values import AfterCorrection
from cranfield.comparison.paragraph import (
    ONE_AT_A_TIME,
    TOGETHER,
    Versus,
    against_baseline,
    best_of,
    findings_of,
    inside,
    intervals_told,
    one_paragraph,
    unjudged_told,
)
from cranfield.comparison.settings import Settings
from cranfield.comparison.tables_for_people import Systems, explained, pairs_sheet, pairs_table
from cranfield.judged.audit import Audit, Audited
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import place_of, shortly, told_names
from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.interchange import record
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Layout, checked
from cranfield.plumbing.scope import Scope
from cranfield.plumbing.speech import Speech
from cranfield.plumbing.wording import counted, lacking
from cranfield.results.latex import latex_table
from cranfield.results.people import markdown_table, plain
from cranfield.results.result import Result
from cranfield.results.sheet import Sheet
from cranfield.scoring.clusters import topics_in
from cranfield.scoring.orientation import best_first
from cranfield.statistics.conclusions import excludes_0
from cranfield.statistics.on_paper import EQUAL, side
from cranfield.statistics.studentized import range_tail, studentized_critical

if TYPE_CHECKING:
    from cranfield.plots import Material

record(Settings)


class WithLegend(Result, schema="compare"):
    """A comparison as papers print it: people see its caption with the table, whatever the format."""

    def render(self, format: str = "table", *, layout: Layout = "systems", **which: object) -> str | bytes:  # noqa: A002
        """Return the comparison as text (or bytes) in one of the formats of the command line.

        csv and parquet hold the long table in full precision, whatever the layout, and json has it as ``rows``. Of the
        formats for people, ``"systems"`` has a row for each run and a column for each measure, with
        the letters (of more than 26 runs, the numbers) of the runs that it is significantly better
        than (against a baseline, † where it is better and ‡ where it is worse); with a margin ≈ is
        before the letters of runs that it is equivalent to (against a baseline, ≈ alone), and ≥
        where it is not worse than a baseline, unless another mark says more. ``"pairs"`` has a row
        for each measure and pair.
        """
        checked("layout", layout, Layout)
        return super().render(format, layout=layout, **which)

    def stated(self, **which: object) -> dict[str, object]:
        """Return what stands before the rows, which are pairs whatever the layout."""
        return super().stated(**which | {"layout": "pairs"})

    def to_latex(self, *, layout: Layout = "systems", caption: str | None = None) -> str:
        r"""Return a table for LaTeX's booktabs, the best means in bold.

        Parameters
        ----------
        layout
            ``"systems"`` or ``"pairs"``.
        caption
            Replaces the caption that names test, correction and alpha (in LaTeX); an empty one
            gives only the tabular.
        """
        return latex_table(self.sheet(layout=layout), caption)

    def to_markdown(self, *, layout: Layout = "systems") -> str:
        """Return a Markdown table with a legend of its marks."""
        return markdown_table(self.sheet(layout=layout))

    def __str__(self) -> str:
        sheet = self.opened_sheet()
        return f"{plain(sheet)}{textwrap.fill(sheet.caption, 120)}"


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Audited, WithLegend):
    """Which runs are better than which, and how certain that is.

    Attributes
    ----------
    runs, measures, topics
        Names of what was compared; the topics are the same for all runs.
    direction
        For each measure 1, or -1 if lower is better.
    means
        Array of shape (measures, runs), as defined by the measures.
    pairs
        The two runs of each pair; against a baseline, that is the second.
    differences
        A row for each measure and pair: the table of `to_polars`, without columns that are the same
        for all pairs.
    omnibus
        For tests that first test whether any runs differ: columns measure, test, statistic, df,
        df_error, p.
    settings
        Test, correction, family, alpha and so on, as used.
    exact
        Whether every p is exact, without sampling or a limiting distribution.
    notes
        Caveats.
    audit
        The audit of the runs and qrels (None for scores from a table).
    weighted
        The weighting of the topics, in words; empty if all count equally.
    usual
        By measure, how many other runs the usual test (paired t, Holm's correction over the pairs of the measure) does
        not tell from the best; empty where this is that test, or runs are compared with a baseline.
    clusters
        How many clusters the topics are in; None where each topic is drawn by itself.
    asked
        The measures themselves; of a table of scores, what it calls those that are not called so here.
    units
        How many topics, or clusters, statistics rest on: those of weight 0 do not count.
    unjudged
        Of two runs, how much of them is unjudged down to the cutoff of the first measure, and what judging it could do
        to the lead; empty where nothing is known of that.
    corrected
        The intervals of the differences, row by row, at the level that the correction leaves: what sentences say of a
        lead. None of two runs, without correction, and where those of the table are corrected themselves.
    """

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    topics: tuple[str, ...]
    direction: Floats
    means: Floats
    averages: Floats
    pairs: tuple[tuple[str, str], ...]
    differences: pl.DataFrame
    omnibus: pl.DataFrame
    settings: Settings
    exact: bool
    notes: tuple[str, ...]
    audit: Audit | None = None
    weighted: str = ""
    usual: tuple[int, ...] = ()
    clusters: int | None = None
    asked: tuple[Measure | str, ...] = ()
    unjudged: str = ""
    units: int = 0
    corrected: AfterCorrection | None = None

    def __repr__(self) -> str:
        names = ", ".join(self.measures[:4]) + (", ..." if len(self.measures) > 4 else "")
        found = (
            f"{self.differences['significant'].sum()} of {counted(self.differences.height, 'difference')} significant"
        )
        return f"Comparison({counted(len(self.runs), 'run')}, {counted(len(self.topics), 'topic')}: {names}; {found})"

    def to_polars(self, **which: object) -> pl.DataFrame:
        """Return the long table, a row for each measure and pair of runs.

        Columns: measure, run_a, run_b, topics, mean_a, mean_b, difference (mean_a − mean_b; of a
        geometric mean, of the logarithms), low and high (confidence interval of the difference),
        effect (d_z, the mean difference in standard deviations of the differences), relative (how
        much more the larger mean is, as a share of the smaller) and size (what that is in practice
        by Spärck Jones' rule: "marginal" below 5%, "noticeable", "material" above 10; null
        where a mean is negative), wins, ties and losses (topics on which run_a is the better,
        equal, the worse; better is lower where it should be), statistic, p, p_adjusted,
        significant, detectable (null where topics are weighted). With worthwhile also topics_needed (null
        where no number is enough) and, of topics in clusters, clusters_needed.
        With a margin also p_not_worse and not_worse (run_a is worse than run_b by no more than the margin), and
        p_equivalent and equivalent (both two-sided and of each pair by itself; the verdicts are corrected). With
        residuals also p_base, p_top and p_projected (one-tailed, for the better run's base against the other's
        base, top and projection), p_worst (of the least possible differences) and certain: significant, and so
        in the worst case, after correction. With dominance also dominates ("run_a", "run_b", "both" or
        "neither" is no worse whatever the weights of ranks and gains of grades) and against (the precision by
        which the run with the lower mean leads most, of equal means run_a; empty where it leads by none).

        Then how it was found, the same in all rows: test, correction, family, alpha, level (of
        confidence), margin (null without one), resamples and seed (null where nothing was left to
        chance); and of the test that asks first whether any runs differ by the measure, omnibus (its
        name), omnibus_statistic, omnibus_df, omnibus_df_error, omnibus_p, omnibus_p_greenhouse_geisser
        and omnibus_p_huynh_feldt (null without one).
        """
        omnibus = self.omnibus.rename(
            {name: f"omnibus_{name}".removesuffix("_test") for name in self.omnibus.columns if name != "measure"}
        )
        asked, chance = self.settings, self.settings.random and not self.exact
        how = {name: pl.lit(getattr(asked, name)) for name in ("test", "correction", "family", "alpha", "level")}
        how |= {"margin": pl.lit(asked.margin, dtype=pl.Float64)}
        how |= {
            name: pl.lit(getattr(asked, name) if chance else None, dtype=pl.Int64) for name in ("resamples", "seed")
        }
        return self.differences.with_columns(**how).join(omnibus, on="measure", how="left", maintain_order="left")

    def table(self, *, layout: Layout = "systems", **which: object) -> pl.DataFrame:
        """Return the table for people: by default a row for each run, with means and marks.

        ``layout="pairs"`` has a row for each measure and pair.
        """
        checked("layout", layout, Layout)
        return pairs_table(self.differences, self.settings.level) if layout == "pairs" else self.systems().table()

    def sheet(self, *, layout: Layout = "systems", **which: object) -> Sheet:
        """Return the table as displayed: the best means in bold, followed by marks; or intervals, pair by pair."""
        checked("layout", layout, Layout)
        caption, short = self.caption(layout=layout), self.shortly()
        if layout == "pairs":
            return pairs_sheet(short.differences, self.settings.level, caption)
        return short.systems().sheet(caption)

    def shortly(self) -> Comparison:
        """Return the same with its measures called as tables for people call them, as `Scores.shortly` does it."""
        return self.with_measures(shortly(self.asked))

    def with_measures(self, called: Sequence[Measure | str]) -> Comparison:
        """Return the same under other names of its measures, in all of its tables."""
        names = tuple(map(str, called))
        renamed = pl.col("measure").replace(dict(zip(self.measures, names, strict=True)))
        differences, omnibus = (table.with_columns(renamed) for table in (self.differences, self.omnibus))
        return replace(self, measures=names, asked=tuple(called), differences=differences, omnibus=omnibus)

    def keys(self, *, layout: Layout = "systems", **which: object) -> int:
        """Return how many columns identify a row: label and run, or measure and two runs."""
        return 2 if layout == "systems" else 3

    def not_told_from(self, run: str, measure: str | Measure | None = None) -> tuple[str, ...]:
        """Which of the runs that were compared with one do not differ significantly from it, by a measure?

        In the order of the runs; by the first measure, if none is named.
        """
        place = 0 if measure is None else place_of(measure, self.asked)
        rows = self.differences.filter(~pl.col("significant"), measure=self.measures[place])
        pairs = [pair for pair in rows.select("run_a", "run_b").iter_rows() if run in pair]
        alike = {other for pair in pairs for other in pair if other != run}
        return tuple(other for other in self.runs if other in alike)

    def sorted_by(self, measure: str | Measure | None = None) -> Comparison:
        """Return the same with the runs in order, the best first by one of the measures (the first, if none is named).

        The table of systems is in that order, and so are its letters; pairs stay as they are.
        """
        order = best_first(self.averages[0 if measure is None else place_of(measure, self.asked)])
        runs = tuple(self.runs[i] for i in order)
        return replace(self, runs=runs, means=self.means[:, order], averages=self.averages[:, order])

    def caption(self, *, layout: Layout = "systems", **which: object) -> str:
        """Describe the table and the test, and say what short names of measures stand for."""
        names = told_names(shortly(self.asked))
        if layout == "pairs":
            said = f"Differences of means over {self.over} ({self.method}).{self._one_at_a_time()}"
            return f"{said} {names}".rstrip()
        marks, equal = explained(len(self.runs), self.settings.baseline, self.settings.margin)
        return f"Means over {self.over}. {marks} ({self.method}){equal}. {names}".rstrip()

    def paragraph(self) -> str:
        r"""Return what was found as a paper says it: plain sentences in one line.

        Against a baseline, or of two runs, a sentence for each run: by which measures it is better, by
        which worse, by which the difference is not significant. Otherwise one for each measure: the best
        run, which others it beats, and which not. Five runs are named, others counted. Every difference
        has its confidence interval, if there is one. The test follows, and with residuals what
        unjudged documents could change.

        Examples
        --------
        >>> import cranfield as cf
        >>> table = pl.DataFrame({"run": ["x"] * 6 + ["y"] * 6, "topic": [*"123456"] * 2, "measure": ["AP"] * 12,
        ...                       "value": [0.2, 0.5, 0.6, 0.3, 0.5, 0.4, 0.1, 0.3, 0.3, 0.2, 0.3, 0.3]})
        >>> print(*cf.compare_scores(table).paragraph().split(". "), sep="\n")
        On 6 topics, x beats y by AP (+0.1667 [0.0810, 0.2524])
        Differences are tested by the paired t-test, two-sided, below 25 topics with sign flips (alpha = 0.05)
        Brackets give 95% confidence intervals, which hold for one difference at a time.
        """
        short, asked = self.shortly(), self.settings
        findings = short.findings()
        first, *others = short.sentences(findings)
        return one_paragraph(
            f"On {self.over}, {inside(first)}",
            *others,
            f"Differences are tested by {asked.in_a_sentence(**self._how)}",
            intervals_told(findings, asked.level, self._holding),
            unjudged_told(self.differences, self.audit),
            told_names(short.asked).removesuffix("."),
        )

    def opening(self, *, command: str = "", **which: object) -> tuple[str, ...]:
        """Return the verdict and what it rests on: of two runs, of the best and the next, or against a baseline."""
        short, asked = self.shortly(), self.settings
        if len(self.runs) == 2:
            return opened(short.duels(), self.unjudged, command=command)
        match asked.baseline:
            case None:
                return tuple(short._led())
            case (only,):
                return tuple(short._against(only))
        return ()

    def duels(self, *runs: str) -> list[Duel]:
        """Return two runs by each measure: if none are named, the best and the next by the first measure."""
        logarithmic = (self.means != self.direction[:, np.newaxis] * self.averages).any(axis=1)
        first, second = runs or (self.runs[run] for run in best_first(self.averages[0])[:2])
        both = pl.col("run_a").is_in([first, second]) & pl.col("run_b").is_in([first, second])
        places = self.differences.select(both.arg_true()).to_series().to_list()
        rows, level = (self.differences.row(place, named=True) for place in places), self.settings.level
        return [
            Duel.of(row, sign, level, self._after_correction(place), alone=self._alone, logarithmic=bool(logs))
            for place, row, sign, logs in zip(places, rows, self.direction, logarithmic, strict=True)
        ]

    def _after_correction(self, place: int) -> tuple[float, float, float] | None:
        """Return the ends of the interval of a row of differences after correction, and its level."""
        if self.corrected is None:
            return None
        low, high, level = (float(each[place]) for each in self.corrected)
        return low, high, level

    def _led(self) -> Iterator[str]:
        """Say who leads whom by the first measure, and how many others are not significantly worse."""
        duel, averages = self.duels()[0], self.averages[0]
        leaders = [run for run, mean in zip(self.runs, averages, strict=True) if side(averages.max() - mean) == 0]
        if len(leaders) > 1:
            words = f"{shared_told(len(leaders), len(self.runs))}."
            numbers = {"leaders": leaders, "measure": duel.measure, "mean": duel.mean}
            yield Speech().format(words, scope=Scope().within(EQUAL), **numbers)
        else:
            behind = averages[self.runs.index(duel.behind)]
            seconds = [run for run, mean in zip(self.runs, averages, strict=True) if side(behind - mean) == 0]
            yield from (duel.leads(seconds), *duel.between(over_one=len(seconds) > 1))
        others = [run for run in self.runs if run not in leaders]
        close = {run for leader in leaders for run in self.not_told_from(leader)}
        near = [run for run in others if run in close]
        if others:
            words = near_told(len(near), len(others))
            yield said(words, near=len(near), alike=near, others=len(others), leaders=leaders)

    def _against(self, baseline: str) -> Iterator[str]:
        """Count the runs that are better, and worse, than the baseline by the first measure, and name the best."""
        answers = [
            found.answer for of_run in self.findings()[0].values() for found in of_run if found.other == baseline
        ]
        words = counted_against(answers.count("better"), answers.count("worse"))
        yield said(words, baseline=baseline, measure=self.measures[0], others=len(self.runs) - 1)
        best = self.averages[0].max()
        leaders = [run for run, mean in zip(self.runs, self.averages[0], strict=True) if side(best - mean) == 0]
        mean, has = float(self.means[0, self.runs.index(leaders[0])]), "has" if len(leaders) == 1 else "share"
        yield said(f"{HAS_THE_BEST}.", leaders=leaders, has=has, measure=self.measures[0], mean=mean)

    def findings(self) -> list[dict[str, list[Versus]]]:
        """Return, for each measure, what was found of each run against those it was compared with."""
        logarithmic = (self.means != self.direction[:, np.newaxis] * self.averages).any(axis=1).tolist()
        rows, signs = self.differences.partition_by("measure", maintain_order=True), self.direction.tolist()
        return [
            findings_of(of_one, f"by {measure}", sign, unit="of logarithms" * logs)
            for of_one, measure, sign, logs in zip(rows, self.measures, signs, logarithmic, strict=True)
        ]

    def sentences(self, findings: Sequence[dict[str, list[Versus]]]) -> Iterator[str]:
        """Say what was found, without full stops: against each baseline, or of the best run by each measure."""
        pairs = self.pairs
        if self.settings.baseline is None and len(self.runs) > 2:
            for m, measure in enumerate(self.measures):
                yield best_of(self.runs, self.means[m], self.averages[m], findings[m], f"by {measure}")
            return
        order = [self.runs[run] for run in best_first(self.averages[0])]
        if self.settings.baseline is None:  # of two runs the better one is spoken of
            pairs = ((order[0], order[1]),)
        for baseline in dict.fromkeys(other for _, other in pairs):
            yield from against_baseline(baseline, [run for run in order if (run, baseline) in pairs], findings)

    @property
    def _alone(self) -> bool:
        """Whether p-values are corrected for more than the intervals of the table are."""
        asked, corrected = self.settings, self.settings.correction != "none"
        measures = len(self.measures) if corrected and asked.family == "all" else 1
        pairs = len(self.pairs) if corrected or asked.kind.simultaneous else 1
        return measures * (1 if asked.kind.intervals == "own" else pairs) > 1

    def _one_at_a_time(self) -> str:
        """Say that intervals are not corrected as p is, where that shows."""
        if not self._alone:
            return ""
        many = self.differences.filter(excludes_0(pl.col("low"), pl.col("high")) & ~pl.col("significant")).height
        exclude = "excludes 0 though its difference is" if many == 1 else "exclude 0 though their differences are"
        hold = "it holds" if many == 1 else "they hold"
        return f" {counted(many, 'interval')} {exclude} not significant: {hold} {self._holding}." * (many > 0)

    @property
    def _holding(self) -> str:
        """Of what the intervals of the table hold."""
        return TOGETHER if self.settings.kind.intervals == "own" else ONE_AT_A_TIME

    @property
    def over(self) -> str:
        """How many topics there are, in how many clusters, and by what they are weighted."""
        return ", ".join(filter(None, [topics_in(len(self.topics), self.clusters), self.weighted]))

    @property
    def _how(self) -> dict[str, Any]:
        """What a sentence on the test needs to know."""
        many = {"pairs": len(self.pairs), "measures": len(self.measures)}
        few = self.settings.confirmed(self.units, "topic" if self.clusters is None else "cluster")
        return {**many, "exact": self.exact, "clustered": self.clusters is not None, "few": few}

    @property
    def method(self) -> str:
        """Test, correction, alpha, and the seed of what was left to chance, in one line."""
        return self.settings.described(**self._how)

    def material(self) -> Material:
        """Return what figures are drawn from: the runs' places, the pairs, and what differs significantly at least."""
        from cranfield.plots import Material

        tables = {"places": self._places, "differences": lambda: self.differences, "critical": self._critical}
        return Material("comparison", tables, f"Over {self.over}; {self.method}.{lacking(self.notes)}")

    def _places(self) -> pl.DataFrame:
        """Return the mean of each run by each measure and, after a test by ranks, its mean rank, 1 being the best.

        The mean rank is (k + 1) / 2 less the run's mean lead, where statistics are differences of mean ranks.
        """
        ranks = np.full(self.means.shape, np.nan)
        if self.settings.kind.joint and self.settings.kind.by_ranks and not self.settings.baseline:
            a, b = self._ends
            ahead = np.zeros((*self.means.shape, len(self.runs)))
            statistic = self.direction[:, np.newaxis] * self.differences["statistic"].to_numpy().reshape(-1, len(a))
            ahead[:, a, b], ahead[:, b, a] = statistic, -statistic
            ranks = (len(self.runs) + 1) / 2 - ahead.mean(axis=2)
        return pl.DataFrame(
            {
                "measure": np.repeat(np.array(self.measures, object), len(self.runs)),
                "run": list(self.runs) * len(self.measures),
                "mean": self.means.ravel(),
                "mean_rank": ranks.ravel(),
                "better": np.repeat(np.where(self.direction > 0, "higher", "lower"), len(self.runs)),
            },
            nan_to_null=True,
            schema_overrides={"measure": pl.String, "better": pl.String},
        )

    def _critical(self) -> pl.DataFrame:
        """Give the least difference that is significant, where it is the same for all pairs of a measure."""
        asked, least = self.settings, np.full(len(self.measures), np.nan)
        families = asked.families_of(len(self.measures))
        if asked.kind.simultaneous and asked.kind.by_ranks:
            runs, topics = len(self.runs), len(self.topics)
            error = math.sqrt(runs * (runs + 1) / (12 * topics))
            least[:] = studentized_critical(asked.alpha / families, range_tail(runs)) * error
        elif asked.kind.intervals == "own" and math.isclose(asked.level, 1 - asked.alpha / families):
            wide = (self.differences["high"] - self.differences["low"]).to_numpy() / 2
            least = wide.reshape(len(self.measures), -1).max(axis=1)  # of those that end where the measure does, less
        both = {
            "measure": self.measures, "critical_difference": least, "alpha": [asked.alpha] * len(self.measures),
            "test": [asked.kind.words] * len(self.measures), "usual": self.usual or [None] * len(self.measures),
        }  # fmt: skip
        return pl.DataFrame(both, nan_to_null=True)

    @property
    def _ends(self) -> Integers:
        """Array of shape (2, pairs): the places of the two runs of each pair among the runs."""
        place = {run: i for i, run in enumerate(self.runs)}
        return np.array([[place[run] for run in pair] for pair in self.pairs]).T

    def systems(self) -> Systems:
        """Return what the table of systems shows."""
        baselines = self.settings.baseline or ()
        baseline = self.runs.index(baselines[0]) if len(baselines) == 1 else None
        shape = (len(self.measures), len(self.pairs))
        ahead = self.direction[:, np.newaxis] * self.differences["difference"].to_numpy().reshape(shape)
        significant = self._answer("significant")
        beaten = self._by_runs(significant & (ahead > 0), significant & (ahead < 0))
        equivalent = self._by_runs(self._answer("equivalent"), self._answer("equivalent"))
        # Whether it is worse was asked of the first run of a pair alone, and says something of it where the other
        # is a baseline: of all pairs, which one is the first is an accident.
        not_worse = self._by_runs(self._answer("not_worse") & bool(baselines), np.zeros(shape, np.bool_))
        return Systems(
            self.runs, self.measures, self.means, self.direction,
            beaten, equivalent, not_worse & ~beaten & ~equivalent, baseline,
        )  # fmt: skip

    def _answer(self, column: str) -> Booleans:
        """Array of shape (measures, pairs): what the column says; False where it was not asked."""
        if column not in self.differences.columns:
            return np.zeros((len(self.measures), len(self.pairs)), np.bool_)
        return self.differences[column].to_numpy().reshape(len(self.measures), len(self.pairs))

    def _by_runs(self, of_first: Booleans, of_second: Booleans) -> Booleans:
        """Array of shape (measures, runs, runs): what holds of the first run of each pair to the second, and back."""
        a, b = self._ends
        spread = np.zeros((len(self.measures), len(self.runs), len(self.runs)), np.bool_)
        spread[:, a, b], spread[:, b, a] = of_first, of_second
        return spread
