"""How similarly do measures rank the runs?"""

from __future__ import annotations

from functools import cache
from itertools import combinations

from cranfield.experiments.best_runs import correlated_runs, left_out, that_rank_nothing
from cranfield.experiments.declared import Row, Rows, long_columns
from cranfield.experiments.experiment import Outcome, experiment, several_measures
from cranfield.experiments.work import Work
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.options import CorrelationKind, Count, Level, Seed, Share
from cranfield.plumbing.wording import counted
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.statistics.correlation_vectors import correlations
from cranfield.statistics.on_paper import levelled
from cranfield.statistics.rank_correlation import (
    correlation_matrix,
    difference_of,
    interval,
    kendall_p,
    mean_over_topics,
    resampled_correlations,
)


@experiment
def correlation(
    runs: JudgedRuns,
    measures: MeasureNames = ("AP", "Bpref", "RBP(p=0.8,rel=1)", "nDCG(base=10)", "Twist"),
    *,
    kind: CorrelationKind = "tau_b",
    top: Share = 0.75,
    resamples: Count = 1000,
    level: Level = 0.95,
    seed: Seed = 7,
    work: Work,
) -> Outcome:
    """How similarly do measures rank the runs?

    Each measure ranks the runs by their means over topics, and the rankings are correlated pair by pair. Voorhees
    (2001) regards rankings that correlate above 0.9 as equivalent, and those below 0.8 as noticeably different.

    Two intervals show how much this depends on the n topics. The first is for the correlation of the means, on average
    over collections of n such topics: topics are drawn with replacement, the same draws for all pairs, and both means
    are computed again; the interval covers the middle of the draws, and the correlation ± z times its spread. With
    unlimited topics the correlation would be higher, since few topics blur both rankings; these topics cannot tell by
    how much. The second is for the correlation on a single topic, on average over all such topics (Student's t).

    p is from Kendall's test that the two rankings are unrelated, whatever the kind of correlation; it is seldom large.

    The measures of the paper: AP and Bpref take every grade above 0 as relevant, as does rel=1 for whole-number grades.
    nDCG uses the whole list and divides by log10 of the rank from rank 10 on; gains 5, 10, ... give the same values as
    the grades 1, 2, ..., since the ideal list also gains 5 times as much.

    Parameters
    ----------
    runs
        The runs, joined with the judgments.
    measures
        Two measures or more.
    kind
        The correlation: Kendall's τ_b or τ_a, τ_AP (which emphasises the top; the first measure estimates the second,
        or each the other in the symmetric version), Spearman's rho, or Pearson's r of the means themselves.
    top
        The share of runs to include, those with the highest mean AP; 1 for all.
    resamples
        The number of bootstrap samples of topics.
    level
        Level of the interval, between 0 and 1.
    seed
        Seed of the samples.
    work
        Where progress is shown and kept: two steps for each measure.

    Tables
    ------
    pairs
        A row for each pair of measures. A measure that is constant over the runs has correlation 0
        and p 1, with a note.
        measure_a, measure_b : text
        correlation : number
            Between the runs' means by the two measures.
        low, high : number
            Ends of the interval for its average over collections of as many such topics.
        by_topic, by_topic_low, by_topic_high : number
            The correlation on a topic, averaged over the topics, and ends of its interval.
        p : number
            From Kendall's test.
        runs : whole number
            The number of runs that take part.
    differences
        Is a measure closer to one of the others than to another? A row for each measure and each
        pair of others, with the same samples of topics for all three; none for two measures.
        measure, more_like, than_like : text
            Ordered so that the difference is not negative.
        difference : number
            Of the two correlations.
        low, high : number
            Ends of the interval for its average over collections of as many such topics.
        p : number
            Two-sided, by paired bootstrap over topics: the level at which that interval reaches 0; not
            corrected for the number of rows.
        by_topic, by_topic_low, by_topic_high : number
            The difference on a topic, averaged over the topics, and ends of its interval.
    matrix
        The same correlations, a row for each measure.
        measure : text
        <measure> : number
    means
        The means that determine the rankings.
        run, measure : text
        mean : number
            Over the topics, as defined by the measure.

    Side by side
    ------------
    pairs
        measure_a, measure_b : row
        correlation : value
        p : mark
            Kendall's test that the two rankings are unrelated, not corrected for the number of cells.

    Raises
    ------
    InputError
        If fewer than two measures or three runs remain.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The twist measure for IR
    evaluation: taking user's effort into account", JASIST 67(3), Tables 3 and 4, Figure 12.

    Examples
    --------
    AP ranks both > late > one, RR both = one > late: of the three pairs of runs one keeps its
    order, one is reversed, and one is tied.

    >>> from cranfield import join
    >>> both, one, late = ({"1": dict(zip(found, (3.0, 2.0, 1.0)))} for found in ("abx", "axy", "xab"))
    >>> runs = join({"1": {"a": 1, "b": 1}}, {"both": both, "one": one, "late": late})
    >>> correlation(runs, ("AP", "RR", "P@1"), top=1)["matrix"].rows()
    [('AP', 1.0, 0.0, 0.0), ('RR', 0.0, 1.0, 1.0), ('P@1', 0.0, 1.0, 1.0)]
    """
    asked = several_measures(measures)
    kept = correlated_runs(runs, top)
    panel = runs.panel(asked).of_runs(kept)
    names, averages = panel.measures, panel.averages
    matrix = correlation_matrix(averages, kind)

    @cache  # they are not drawn at all where every step was kept
    def drawn() -> Floats:
        return resampled_correlations(panel.values, kind, resamples=resamples, seed=seed)

    @cache
    def on_topics() -> Floats:
        return correlations(kind, levelled(panel.values.transpose(0, 2, 1)))

    def with_the_later(a: int) -> Rows:
        rows = list[Row]()
        for b in range(a + 1, len(names)):
            limits = interval(matrix[a, b], drawn()[a, b], level)
            by_topic = map(float, mean_over_topics(on_topics()[a, b], level))
            p = float(kendall_p(averages[a], averages[b]))
            rows.append((names[a], names[b], matrix[a, b], *limits, *by_topic, p, len(panel.runs)))
        return rows

    def differences_of(step: int) -> Rows:
        a = step - len(names)
        others = [b for b in range(len(names)) if b != a]
        rows = list[Row]()
        for pair in combinations(others, 2):
            b, c = sorted(pair, key=lambda other: -matrix[a, other])
            found = difference_of(matrix[a, b] - matrix[a, c], drawn()[a, b], drawn()[a, c], level)
            by_topic = map(float, mean_over_topics(on_topics()[a, b] - on_topics()[a, c], level, furthest=2.0))
            rows.append((names[a], names[b], names[c], *found, *by_topic))
        return rows

    tables: dict[str, Rows] = {
        "pairs": work.table("pairs", range(len(names) - 1), with_the_later),
        "differences": work.table("differences", range(len(names), 2 * len(names)), differences_of),
        "matrix": {"measure": names} | dict(zip(names, matrix.T, strict=True)),
        "means": long_columns({"run": panel.runs, "measure": names}, mean=panel.means.T),
    }
    about = (
        "low and high: interval for the mean correlation over collections of "
        f"{counted(len(panel.topics), 'such topic')}; with unlimited topics correlations would be higher, by an "
        "unknown amount"
    )
    return Outcome(tables, (*left_out(runs, kept), *panel.notes, *that_rank_nothing(names, averages), about))
