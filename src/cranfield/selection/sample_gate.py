"""A gate where few documents were judged: may a run that had no part in the sample take the place of another?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cranfield.formats import QrelsLike
from cranfield.judged.judgments import Judgments
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames, listed, parse_measures
from cranfield.plumbing.arrays import Booleans, Floats
from cranfield.plumbing.errors import InputError, MeasureError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Level, NotNegative, Positive, RelevanceLevel, checked
from cranfield.plumbing.scope import Scope
from cranfield.plumbing.wording import confidence, counted, holm_over, named
from cranfield.results.programs import Verdicted, ends, junit
from cranfield.results.result import Result
from cranfield.results.sheet import Sheet
from cranfield.scoring.blocks import at_level
from cranfield.selection.assisted import Judge, Lines, interval
from cranfield.selection.candidates import Candidates
from cranfield.selection.estimates import MEASURES_WITH_JUDGE, TOTALS, LabelledSample, with_cheap_labels
from cranfield.statistics.conclusions import (
    PASSING,
    UNSETTLED,
    Conclusions,
    MeanDifferences,
    Paired,
    Verdict,
    check_margin,
    conclude,
    status_of,
    verdict_in_words,
    worst_of,
)
from cranfield.statistics.on_paper import side
from cranfield.statistics.usual import ALPHA, FEW_UNITS


@dataclass(frozen=True, eq=False, repr=False)
class SampleGate(Result, schema="sample-gate"):
    """Whether a new run can replace another, estimated from cheap labels and a sample of experts' judgments.

    Attributes
    ----------
    base, new
        Names of the runs.
    topics
        The number of topics compared on.
    alpha
        The probability of each error.
    rows
        A row for each measure. Columns: measure, base, new, mean_base, mean_new, difference (how much better the new
        run is); low and high (its interval for these topics, if experts judged all candidates), like_low and like_high
        (the same for topics like these), level and like_level (their confidence: what Holm's correction leaves, 1 − α
        for one measure); margin; p and p_adjusted (two-sided, and with Holm's correction,
        for topics like these, the labels of what could not be drawn being trusted); verdict, and verdict_these, that
        about these topics alone; verdict_by_labels, if the labels of what could not be drawn mean what the others do;
        not_drawable and unlabelled (how many documents of the new run that count could not be drawn, and how many of
        them have no label), lower and higher (how much these documents may change the difference at most), why.
    documents
        Documents of the new run that could not be drawn, those first that count most: columns measure, topic,
        document, weight (in the difference of the runs), labelled (whether it has a cheap label) and order.
    notes
        Caveats.
    """

    base: str
    new: str
    topics: int
    alpha: float
    rows: pl.DataFrame
    documents: pl.DataFrame
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"SampleGate({self.new} against {self.base}: {self.verdict})"

    @property
    def verdict(self) -> Verdict:
        """Return the worst of all measures."""
        return worst_of(self.rows["verdict"])

    @property
    def passes(self) -> bool:
        """Whether the new run is better, or not worse, by every measure."""
        return self.verdict in PASSING

    def table(self, **which: object) -> pl.DataFrame:
        """Return the table for people."""
        shown = ["measure", "mean_base", "mean_new", "difference", "low", "high", "like_low", "like_high"]
        rows = self.rows.select(*shown, "verdict", "verdict_these", "why")
        names = {"mean_base": self.base, "mean_new": self.new}
        clash = self.base == self.new or not set(rows.columns).isdisjoint({self.base, self.new})
        return rows if clash else rows.rename(names)

    def stated(self, **which: object) -> dict[str, object]:
        """Return the verdict for programs, with the sentences and the notes."""
        return {
            "verdict": self.verdict, "passes": self.passes, "status": status_of(self.verdict), "base": self.base,
            "new": self.new, "topics": self.topics, "alpha": self.alpha,
        } | super().stated(**which)  # fmt: skip

    def caption(self, **which: object) -> str:
        """Describe the tests and their settings."""
        margins = ", ".join(f"{margin:.4g}" for margin in dict.fromkeys(self.rows["margin"]))
        alike = Scope().on_others().alike
        few = f", below {FEW_UNITS} topics with sign flips" * (self.topics < FEW_UNITS)
        level, of_like = (confidence(self.rows[name][0]) for name in ("level", "like_level"))
        after, like = ", after correction," * (self.rows.height > 1), f"{of_like} interval " * (of_like != level)
        return (
            f"Estimated from cheap labels and a sample, over {counted(self.topics, 'topic')}, margin {margins}, "
            f"t-tests, two-sided, alpha = {self.alpha:g}{few}"
            f"{holm_over(self.rows.height, 'measure')}; low and high: {level} interval of the difference{after} "
            f"for these topics if experts judged all candidates; like_low and like_high: {like}{alike}."
        )

    def opening(self, **which: object) -> tuple[str, ...]:
        """Return the verdict."""
        return (f"{verdict_in_words(self.new, self.base, self.rows)[:-1]} {Scope().on_others().alike}.",)

    def sheet(self, **which: object) -> Sheet:
        """Return the table without columns in which nothing stands."""
        return super().sheet(**which).filled()

    def to_junit(self) -> bytes:
        """Return JUnit XML, a test case for each measure: worse is a failure, what is undecided an error."""
        cases = [
            Verdicted(
                row["measure"],
                f"{row['verdict']}: {row['difference']:+z.4f}{ends(row['like_low'], row['like_high'])}, "
                f"margin {row['margin']:.4g}. {row['why']}".strip(),
                row["verdict"],
                row["verdict"] in PASSING,
            )
            for row in self.rows.iter_rows(named=True)
        ]
        return junit(f"{self.new} against {self.base}", cases)


def gate_by_sample(
    candidates: Candidates,
    sample: pl.DataFrame,
    judged: QrelsLike | Judgments,
    measures: MeasureNames | None = None,
    *,
    cheap: QrelsLike | Judgments,
    margin: float = 0.01,
    relative: bool = False,
    alpha: float = ALPHA,
    top_grade: float | None = None,
    rel: RelevanceLevel | None = None,
) -> SampleGate:
    r"""Can a new run replace another, where a model labelled all documents and experts judged a sample?

    The difference of the two means is estimated as `estimate` does it. With d its estimate and s its standard error,
    from the spread between topics, the same is concluded as by `gate`, once with d and once with d - l and d + u.
    Candidates that could not be drawn have no estimate without bias: l and u are how much lower and higher the
    difference is if they gain the least and the most that a document can, against the new run and for it. So a
    verdict holds however wrong the labels are, and one that does not is "on what was judged: undecided". What it
    would be if their labels mean what those of the sample mean is given, too.

    Parameters
    ----------
    candidates
        What two runs retrieved, the base and the new one. Either may have had no part in the sample.
    sample
        A sample that lists what could have been drawn, as `weighted_sample` returns it. Its topics count.
    judged, cheap, top_grade, rel
        As of `estimate`.
    measures
        Weighted sums over ranks (P, RBP, DCG, FlatUtility and the like), by default P@10. Ratios are refused,
        whose estimates are modelled.
    margin, relative, alpha
        As of `gate`: the acceptable loss, whether it is a share of the base's mean, the probability of each error.

    Raises
    ------
    InputError
        If there are not exactly two runs, fewer than two topics, the sample does not list what could have been
        drawn, or as `estimate` does.
    MeasureError
        If a measure is no weighted sum over ranks.

    Examples
    --------
    >>> from cranfield.selection.sampling import weighted_sample
    >>> grades = {str(t): {d: int(d in "abc") for d in "abcdefgh"} for t in range(20)}
    >>> lists = {name: dict.fromkeys(grades, list(ids)) for name, ids in {"old": "edaf", "other": "ghbc"}.items()}
    >>> sample = weighted_sample(Candidates.gather(lists), 6, measures="P@4")
    >>> two = Candidates.gather({"old": lists["old"], "new": dict.fromkeys(grades, list("abch"))})
    >>> found = gate_by_sample(two, sample, grades, "P@4", cheap=grades)
    >>> found, found.rows["difference"][0].__round__(2)
    (SampleGate(new against old: better), 0.5)
    """
    margin, alpha = checked("margin", margin, NotNegative), checked("alpha", alpha, Level)
    top_grade = checked("top_grade", top_grade, Positive | None)
    if len(candidates.runs) != 2:
        raise InputError(f"a gate compares two runs, the base and the new one, not {len(candidates.runs)}")
    if "drawn" not in sample.columns:
        raise InputError(
            "the sample does not list what could have been drawn (column drawn), so the new run's documents cannot be "
            "judged: draw a sample of the weighted design"
        )
    asked = _asked(MEASURES_WITH_JUDGE if measures is None else measures, rel)
    known = with_cheap_labels(candidates, sample, judged, cheap, top_grade)
    topics = len(known.candidates.topics)
    if topics < 2:
        raise InputError(f"a gate needs at least two topics, not {topics}")
    found = [_compared(known.judge(measure), known) for measure in asked]
    margins = margin * np.array([abs(one.means[0]) if relative else 1.0 for one in found])
    bounded = [str(each) for each in asked if each.range[0] >= 0 and (relative or each.range[1] <= 1)]
    check_margin(margin, bounded, relative=relative)
    base, new = candidates.runs
    told = pl.DataFrame({"measure": [str(measure) for measure in asked], "base": base, "new": new})
    rows = told.hstack(_decided(found, margins, alpha))
    return SampleGate(base, new, topics, alpha, rows, pl.concat(one.documents for one in found), known.notes)


def _asked(measures: MeasureNames, rel: float | None) -> tuple[Measure, ...]:
    """Return the measures that the gate decides by, or refuse those that it cannot."""
    asked = at_level([measure for name in listed(measures) for measure in parse_measures(name)], rel)
    if not asked:
        raise InputError("a gate needs a measure: name one, or leave measures out")
    if other := [str(measure) for measure in asked if measure.estimator not in TOTALS[:1] or measure.judged_only]:
        raise MeasureError(
            f"{named(other)}: with a sample the gate decides only by weighted sums over ranks (P, RBP, DCG, "
            "FlatUtility, ...), which are estimated without bias"
        )
    return asked


def _decided(found: Sequence[_Compared], margins: Floats, alpha: float) -> pl.DataFrame:
    """Decide by each measure, for these topics and for topics like these, and say what that rests on."""
    rows = np.array([one.by_topic for one in found])
    lower, higher = np.array([one.reach for one in found]).T
    unlabelled = np.array([one.unlabelled for one in found]).T

    def concluded(kind: Callable[[Floats], MeanDifferences], low: Floats, high: Floats) -> Conclusions:
        judged, least, most = (kind(by) for by in (0 * low, -low, high))
        return conclude(judged, margins, alpha, least=least, most=most)

    def like_these(by: Floats) -> MeanDifferences:
        return Paired(rows + by[:, np.newaxis])

    like, by_labels = concluded(like_these, lower, higher), concluded(like_these, *unlabelled)
    these = concluded(lambda by: _Drawn.of(found, by), lower, higher)
    trusted = tuple("undecided" if verdict in UNSETTLED else verdict for verdict in by_labels.verdicts)
    return pl.DataFrame(
        {
            "mean_base": [one.means[0] for one in found],
            "mean_new": [one.means[1] for one in found],
            "difference": rows.mean(axis=1),
            "low": these.low - lower,
            "high": these.high + higher,
            "like_low": like.low - lower,
            "like_high": like.high + higher,
            "level": 1 - these.level,
            "like_level": 1 - like.level,
            "margin": margins,
            "p": Paired(rows).p_of_t,
            "p_adjusted": like.p_adjusted,
            "verdict": like.verdicts,
            "verdict_these": these.verdicts,
            "verdict_by_labels": trusted,
            "not_drawable": [one.documents.height for one in found],
            "unlabelled": [int((~one.documents["labelled"]).sum()) for one in found],
            "lower": lower,
            "higher": higher,
            "why": ["; ".join(_why(*each)) for each in zip(found, like.verdicts, trusted, strict=True)],
        },
        nan_to_null=True,
    )


class _Drawn(NamedTuple):
    """Mean differences for these topics alone, known but for what was not drawn."""

    mean: Floats
    error: Floats
    freedom: Floats
    units: Sequence[int]

    @classmethod
    def of(cls, found: Sequence[_Compared], by: Floats) -> _Drawn:
        error, freedom = np.array([(one.error, one.freedom) for one in found]).T
        mean = np.array([one.by_topic.mean() for one in found]) + by
        return cls(mean, error, freedom, [len(one.by_topic) for one in found])

    def p(self, over: npt.ArrayLike = 0.0) -> Floats:
        from scipy.special import stdtr

        apart = np.abs(self.mean - np.asarray(over, np.float64))
        with np.errstate(divide="ignore", invalid="ignore"):
            p: Floats = 2 * stdtr(self.freedom, -apart / self.error)
        return np.where(side(apart) == 0, 1.0, np.where(self.error > 0, p, 0.0))

    def interval(self, level: float) -> tuple[Floats, Floats]:
        return interval(self.mean, self.error**2, self.freedom, level)


class _Compared(NamedTuple):
    """What is found by a measure, and what could not be drawn."""

    means: Floats  # of both runs
    by_topic: Floats  # the difference
    error: float  # of its mean, for these topics alone
    freedom: float
    reach: tuple[float, float]  # how much lower and higher the mean may be by what could not be drawn
    unlabelled: tuple[float, float]  # and by what of it has no label
    outside: int  # how many could not be drawn
    documents: pl.DataFrame  # which of them the new run brings


def _compared(judge: Judge, known: LabelledSample) -> _Compared:
    """Estimate the two runs, and their difference."""
    candidates, measure = judge.candidates, judge.measure
    lines, topics = Lines.of_runs(candidates, measure), len(candidates.topics)
    apart = lines.less(np.array([1]), np.array([0]))
    found, expense = judge.estimate(apart), measure.expense(candidates.length)
    out = known.chance == 0
    lower, higher = judge.outside(apart, out & known.labels.unlabelled)
    return _Compared(
        (judge.estimate(lines).values - expense).mean(axis=1),
        found.values[0] - expense[1] + expense[0],
        float(np.sqrt(found.variance[0])) / topics,
        float(found.freedom[0]),
        (float(found.lower[0] / topics), float(found.higher[0] / topics)),
        (float(lower[0] / topics), float(higher[0] / topics)),
        int(out[apart.place].sum()),
        _listed(known, apart, out, str(measure)),
    )


def _listed(known: LabelledSample, apart: Lines, out: Booleans, measure: str) -> pl.DataFrame:
    """List the documents that could not be drawn and that count more in the new run, the most important first."""
    cell = np.flatnonzero(out[apart.place] & (apart.weight > 0))
    cell = cell[np.lexsort((apart.place[cell], -apart.weight[cell]))]
    topic, document = known.candidates.ids_of(apart.place[cell])
    return pl.DataFrame(
        {
            "measure": pl.Series([measure] * len(cell), dtype=pl.String),
            "topic": topic,
            "document": document,
            "weight": apart.weight[cell],
            "labelled": ~known.labels.unlabelled[apart.place[cell]],
            "order": np.arange(1, len(cell) + 1),
        }
    )


def _why(found: _Compared, verdict: str, by_labels: str) -> Iterator[str]:
    """Say what stands against a verdict: what could not be drawn."""
    if not found.outside:
        return
    without = found.documents.filter(~pl.col("labelled"))["document"].to_list()
    of_new = f" ({found.documents.height:,} of the new run" if found.documents.height else ""
    unlabelled = f", {len(without):,} without a label: {named(without)}" if without else ""
    yield (
        f"{counted(found.outside, 'document')} could not be drawn{of_new}{unlabelled}{')' if of_new else ''}: the "
        f"difference may be up to {found.reach[0]:.4f} lower and {found.reach[1]:.4f} higher"
    )
    if verdict != by_labels:
        yield f"{by_labels}, if their labels mean what those of the sample mean"
