"""The tests of differences and the corrections for many of them: one row each.

What `compare` takes and refuses, what captions say, the help of the command and its page in the
documentation follow from the rows. A new test is a function in `cranfield.statistics` and a row
here. Nothing heavy is imported, so that the command line shows them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pkgutil import resolve_name
from typing import Any, Final, Literal

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.wording import did_you_mean


@dataclass(frozen=True, kw_only=True)
class StatisticalMethod:
    """What a test and a correction have in common: what they are called, here and elsewhere, and what to know."""

    words: str
    purpose: str  # The question that a test asks; what a correction keeps at alpha
    note: str
    random: bool = False  # Whether it leaves something to chance, where there are too many topics to count it out
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Test(StatisticalMethod):
    """A test of differences: of one pair of runs at a time, or of all runs of a measure together."""

    where: str
    """Its function, as ``module:name`` within cranfield, loaded when it is used: a `PairedTest`, or a `JointTest`."""
    kin: str | None = None  # Of a test of all runs together, the test of one pair alone that is nearest to it
    worst: str | None = None
    """The test of the least differences that there could be, where its own p can rise with a difference. (Ten thousand
    drawn signs are too few for Holm's correction of many pairs.)"""
    simultaneous: bool = False  # Whether its p-values account for all pairs of a measure already
    intervals: Literal["t", "own"] = "t"  # Student's, or the test's own, which hold for all pairs of a measure together
    by_ranks: bool = False  # Whether ranks or signs decide, which can contradict the means
    has_max_t: bool = False  # Whether max-t can correct it
    pooled: bool = False  # Whether it assumes that the differences of all pairs have equal variance
    one_baseline: bool = False  # Whether it compares with one baseline, and all pairs of a measure are those with it
    with_weights: bool = False  # Whether it is defined where topics are weighted
    of_clusters: str = ""
    """What it is called where topics are in clusters, and clusters are its units; empty where it is not defined so."""
    presuming: bool = False
    """Whether it presumes how differences are distributed: on few topics all sign flips must confirm it."""

    @property
    def joint(self) -> bool:
        """Whether it takes all runs of a measure together."""
        return self.kin is not None

    @property
    def function(self) -> Callable[..., Any]:
        """The function that computes it."""
        found: Callable[..., Any] = resolve_name(f"cranfield.{self.where}")
        return found


@dataclass(frozen=True, kw_only=True)
class Correction(StatisticalMethod):
    """A correction of p-values; if it leaves something to chance, it resamples the differences themselves."""

    step_down: bool = False  # Whether that one steps down from the largest difference


_by_residuals = partial(Test, pooled=True, simultaneous=True, intervals="own")
"""A test of all runs of a measure by what a two-way layout leaves of their scores."""

TESTS: Final = {
    "t": Test(
        words="paired t-test", purpose="Is the mean difference 0?",
        note="The default; robust enough for means over 25 topics or more, less so for many pairs with skewed scores.",
        where="statistics.paired_tests:t_test", worst="wilcoxon", has_max_t=True, with_weights=True,
        of_clusters="paired cluster-robust t-test", aliases=("ttest",), presuming=True,
    ),
    "sign": Test(
        words="sign test", purpose="Does either run win more topics?", note="The sizes of differences do not count.",
        where="statistics.paired_tests:sign_test", by_ranks=True,
    ),
    "wilcoxon": Test(
        words="Wilcoxon signed-rank test", purpose="Are the differences symmetric around 0?",
        note="Tests ranks of differences, so large ones count for less.", where="statistics.paired_tests:wilcoxon_test",
        by_ranks=True,
    ),
    "randomisation": Test(
        words="paired randomisation test", purpose="Could the two runs' labels be swapped?",
        note="No assumption about the distribution; exact where all swaps can be tried.",
        where="statistics.paired_tests:randomisation_test", random=True, has_max_t=True, with_weights=True,
        of_clusters="paired randomisation test of whole clusters", aliases=("permutation",),
    ),
    "bootstrap": Test(
        words="paired bootstrap test", purpose="Is the mean difference 0?",
        note="Sakai's studentised bootstrap; intervals are Student's.", where="statistics.paired_tests:bootstrap_test",
        worst="wilcoxon", random=True, presuming=True,
    ),
    "tukey": _by_residuals(
        words="Tukey's HSD test", purpose="Which of all runs differ?",
        note="Two-way ANOVA residuals, Tukey's honestly significant difference.", where="comparison.p_values:tukey",
        kin="t", presuming=True,
    ),
    "randomised-tukey": _by_residuals(
        words="randomised Tukey HSD test", purpose="Which of all runs differ?",
        note="By permuting runs within topics; no assumption about the distribution.",
        where="comparison.p_values:randomised_tukey", kin="randomisation", random=True,
    ),
    "dunnett": _by_residuals(
        words="Dunnett's test", purpose="Which runs differ from the one baseline?",
        note="Two-way ANOVA residuals; like Tukey's, but with fewer pairs, so it finds more.",
        where="comparison.p_values:dunnett_by_baseline", kin="t", one_baseline=True, presuming=True,
    ),
    "anova": _by_residuals(
        words="two-way ANOVA with Tukey's HSD test", purpose="Do the runs differ at all, and which?",
        note="F, then Tukey's HSD.", where="comparison.p_values:tukey_after_anova", kin="t", presuming=True,
    ),
    "friedman": Test(
        words="Friedman test with Conover's test of pairs", purpose="Do the runs differ at all in ranks, and which?",
        note="Friedman's chi-squared, then Conover's test of the pairs.", where="comparison.p_values:conover",
        kin="wilcoxon", by_ranks=True,
    ),
    "nemenyi": Test(
        words="Friedman test with Nemenyi's test of pairs", purpose="Do the runs differ at all in ranks, and which?",
        note="More cautious than Conover's.", where="comparison.p_values:nemenyi", kin="wilcoxon", simultaneous=True,
        by_ranks=True,
    ),
}  # fmt: skip

CORRECTIONS: Final = {
    "none": Correction(
        words="no correction", purpose="The chance of a false alarm in each comparison by itself.",
        note="One in twenty comparisons of runs that do not differ is significant at 0.05.",
    ),
    "bonferroni": Correction(
        words="Bonferroni correction", purpose="The chance of any false alarm.", note="Simplest.",
    ),
    "holm": Correction(
        words="Holm correction", purpose="The chance of any false alarm.",
        note="The default; never worse than Bonferroni.",
    ),
    "bh": Correction(
        words="Benjamini-Hochberg correction", purpose="The share of false alarms among what is found.",
        note="For p-values that are independent or positively dependent.",
    ),
    "by": Correction(
        words="Benjamini-Yekutieli correction", purpose="The share of false alarms among what is found.",
        note="Under any dependence.",
    ),
    "max-t": Correction(
        words="max-t correction by sign flips", purpose="The chance of any false alarm.",
        note="Accounts for the correlation of pairs and measures, so it finds more; for "
        + f"{' and '.join(name for name, test in TESTS.items() if test.has_max_t)}.",
        random=True,
    ),
    "step-down-max-t": Correction(
        words="step-down max-t correction by sign flips", purpose="The chance of any false alarm.",
        note="By Westfall and Young; never worse than max-t, as Holm is never worse than Bonferroni. For skewed "
        "differences, both err more often than Holm's.",
        random=True, step_down=True, aliases=("westfall-young",),
    ),
}  # fmt: skip


def name_in(rows: Mapping[str, StatisticalMethod], noun: str, given: object) -> str:
    """Return the name under which a test or correction has its row; aliases count, whatever their case."""
    folded = str(given).strip().casefold()
    for name, row in rows.items():
        if folded in (name, *row.aliases):
            return name
    known = [known for name, row in rows.items() for known in (name, *row.aliases)]
    hint = did_you_mean(folded, known) or f"; choose from {', '.join(rows)}"
    raise InputError(f"there is no {noun} {given!r}{hint}")
