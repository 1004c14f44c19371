"""What is asked of a comparison: the test, the correction, and how sure one wants to be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from cranfield.comparison.joint_tests import JOINT_TESTS
from cranfield.errors import InputError
from cranfield.statistics.differences import check_choices, check_share
from cranfield.statistics.multiple_comparisons import CORRECTIONS

Family: TypeAlias = Literal["all", "measure"]

MAX_T: Final = "max-t"
PAIRED_WORDS: Final = {
    "t": "paired t-test",
    "sign": "sign test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "randomisation": "paired randomisation test",
    "bootstrap": "paired bootstrap test",
}
TESTS: Final = {**PAIRED_WORDS, **{name: joint.words for name, joint in JOINT_TESTS.items()}}
"""What each test is called."""

CORRECTION_WORDS: Final = {
    "none": "no correction",
    "bonferroni": "Bonferroni correction",
    "holm": "Holm correction",
    "bh": "Benjamini-Hochberg correction",
    "by": "Benjamini-Yekutieli correction",
    MAX_T: "max-t correction by sign flips",
}

RANDOM: Final = frozenset({"randomisation", "bootstrap", "randomised-tukey", MAX_T})
"""Tests and corrections that leave something to chance."""


@dataclass(frozen=True)
class Settings:
    """How runs were compared.

    Attributes
    ----------
    test, correction, family
        As given to `compare`; the correction that was used where none was given.
    baseline
        The run that all others were compared with, or None for all pairs.
    alpha, level
        Significance level, and confidence level of the intervals.
    power, worthwhile
        The power that ``topics_needed`` and ``detectable`` are for, and the difference that it is to find.
    resamples, seed
        Of what was left to chance.
    """

    test: str
    correction: str
    family: Family
    baseline: str | None
    alpha: float
    level: float
    power: float
    worthwhile: float | None
    resamples: int
    seed: int

    @property
    def joint(self) -> bool:
        """Whether the test takes all runs of a measure at once."""
        return self.test in JOINT_TESTS

    @property
    def paired_test(self) -> str:
        """The test of one pair alone: the test itself, or the kin of one that takes all runs at once."""
        return JOINT_TESTS[self.test].kin if self.joint else self.test

    def described(self, pairs: int, measures: int, *, exact: bool) -> str:
        """Say in one line how so many pairs were compared by so many measures.

        >>> settings_of("t", None, "all", None, 0.05, None, 0.8, None, 10_000, 7).described(3, 2, exact=False)
        'paired t-test, two-sided, Holm correction over 6 comparisons, alpha = 0.05'
        """
        parts = [TESTS[self.test]] + ([] if self.joint else ["two-sided"])
        simultaneous = self.joint and JOINT_TESTS[self.test].simultaneous
        if simultaneous:
            parts.append("for all pairs of a measure together")
        if self.correction != "none":
            many = measures if simultaneous else pairs if self.family == "measure" else pairs * measures
            noun = "measure" if simultaneous else "comparison"
            each = " of each measure" if self.family == "measure" else ""
            parts.append(f"{CORRECTION_WORDS[self.correction]} over {many} {noun}{'s' * (many != 1)}{each}")
        elif not simultaneous:
            parts.append(CORRECTION_WORDS["none"])
        parts.append(f"alpha = {self.alpha:g}")
        if exact:
            parts.append("exact")
        elif {self.test, self.correction} & RANDOM:
            parts.append(f"{self.resamples:,} resamples, seed {self.seed}")
        return ", ".join(parts)


def settings_of(
    test: str,
    correction: str | None,
    family: Family,
    baseline: str | None,
    alpha: float,
    level: float | None,
    power: float,
    worthwhile: float | None,
    resamples: int,
    seed: int,
) -> Settings:
    """Check what was asked, and fill in what was not."""
    if test not in TESTS:
        raise InputError(f"there is no test {test!r}; there are {', '.join(TESTS)}")
    simultaneous = test in JOINT_TESTS and JOINT_TESTS[test].simultaneous
    if correction is None:
        correction = "none" if simultaneous else "holm"
    if correction not in {*CORRECTIONS, MAX_T}:
        raise InputError(f"there is no correction {correction!r}; there are {', '.join([*CORRECTIONS, MAX_T])}")
    if simultaneous and correction not in {"none", "bonferroni"}:
        raise InputError(
            f"{test} corrects for all pairs of a measure; correction can be 'none', or 'bonferroni' over measures"
        )
    if correction == MAX_T and test not in {"t", "randomisation"}:
        raise InputError(
            f"the correction max-t is a randomisation of t; test must be 't' or 'randomisation', not {test!r}"
        )
    if family not in {"all", "measure"}:
        raise InputError(f"family must be 'all' or 'measure', not {family!r}")
    level = 1 - alpha if level is None else level
    for name, share in (("alpha", alpha), ("level", level), ("power", power)):
        check_share(name, share)
    if worthwhile is not None and not 0 < worthwhile < math.inf:
        raise InputError(f"a worthwhile difference is above 0, not {worthwhile:g}")
    check_choices("two-sided", resamples)
    return Settings(test, correction, family, baseline, alpha, level, power, worthwhile, resamples, seed)
