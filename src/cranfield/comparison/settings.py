"""What is asked of a comparison: the test, the correction, and how sure one wants to be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, Self, TypeAlias, TypedDict, Unpack

from cranfield.comparison.methods import CORRECTIONS, TESTS, Test, name_in
from cranfield.judged.conditions import Asked
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Count, Level, Positive, Seed, check_fields, checked
from cranfield.plumbing.unpacked import usually
from cranfield.plumbing.wording import counted
from cranfield.statistics.usual import ALPHA, CORRECTION, FEW_UNITS, NOT_RUN, TEST

Family: TypeAlias = Literal["all", "measure"]


class AskedSettings(TypedDict, total=False):
    """What may be asked of a comparison; what is not asked is as `Settings` has it.

    Parameters
    ----------
    baseline
        The name of the run to compare all others with, or several names: run_b is the baseline,
        run_a the other run. By default, all pairs.
    test
        A name in `TESTS`, or one of their aliases: of each pair (``"t"``, ``"wilcoxon"``, ...), or of
        all runs together (``"tukey"``, ``"friedman"``, ...), some of which first test whether any
        runs differ, in ``omnibus``; ``"dunnett"`` needs one baseline. `cranfield compare --tests`
        explains each test.
    correction
        A name in `CORRECTIONS`: ``"holm"`` by default. ``"max-t"`` and ``"step-down-max-t"`` flip
        the same signs for all hypotheses. Tests such as Tukey's already correct for all pairs of a
        measure, also with a baseline: their default is ``"none"``, and ``"bonferroni"`` multiplies
        p by the number of measures.
    family
        The family of hypotheses to correct for: ``"all"`` pairs by all measures of the call, or the
        pairs of each ``"measure"``.
    alpha
        Significance level: a difference is significant if its adjusted p is at most alpha.
    level
        Confidence level of the intervals, 1 − alpha by default: Student's t; simultaneous with Tukey's
        tests. Only the last are corrected for multiple comparisons.
    margin
        A negligible difference, in the unit of the measures (for geometric means, of logarithms). It
        adds two questions to be read off Student's interval at the level that the correction leaves
        (Holm's in place of one that belongs to the test): is run_a worse than run_b by no more than the
        margin (``not_worse``), and are the two equivalent (``equivalent``)? `gate` asks the same.
    power, worthwhile
        ``topics_needed`` is the number of topics that a paired t-test, uncorrected, needs to detect
        a mean difference of ``worthwhile`` with this power; ``detectable`` is the smallest mean
        difference that it detects so on these topics. Both assume that differences vary as they do
        here. Without ``worthwhile`` there is no ``topics_needed``: power at the observed difference
        is not reported. For the effect of more topics, see `gate`. Of topics in clusters,
        ``clusters_needed`` is how many clusters like these the topics needed are.
    resamples, seed
        Number of resamples and seed, for randomised methods.
    not_run
        A run that lacks at least this share of the topics that some run has did not run: it is left out and named,
        and never worse. A topic with an empty list is not lacking. Below that share,
        `topics` says what lacking topics are; with a share above 1, no run is left out.
    """

    baseline: str | Sequence[str] | None
    test: str
    correction: str | None
    family: Family
    alpha: float
    level: float | None
    margin: float | None
    power: float
    worthwhile: float | None
    resamples: int
    seed: int
    not_run: float


class AskedComparison(AskedSettings, Asked, total=False):
    """What may be asked of a comparison of runs."""


_FOLLOWS: Final[Any] = None  # The default of what follows from the other settings, and is filled in


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How runs are compared, as `AskedSettings` explains; checked when it is made."""

    test: str = TEST
    correction: str = _FOLLOWS
    family: Family = "all"
    baseline: tuple[str, ...] | None = None
    alpha: Level = ALPHA
    level: Level = _FOLLOWS
    margin: Positive | None = None
    power: Level = 0.8
    worthwhile: Positive | None = None
    resamples: Count = 10_000
    seed: Seed = 7
    not_run: Positive = NOT_RUN

    def __post_init__(self) -> None:
        self._set("test", name_in(TESTS, "test", self.test))
        self._fill("correction", "none" if self.kind.simultaneous else CORRECTION)
        self._set("correction", name_in(CORRECTIONS, "correction", self.correction))
        self._fill("level", 1 - checked("alpha", self.alpha, Level))
        check_fields(self)
        self._set("baseline", tuple(dict.fromkeys(self.baseline or ())) or None)
        self._refuse_what_does_not_fit()

    @classmethod
    def asked(cls, **options: Unpack[AskedSettings]) -> Self:
        """Return the settings that were asked for: what is None was not asked, and is as it usually is."""
        given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
        return cls(**given)

    @property
    def kind(self) -> Test:
        """All about the test."""
        return TESTS[self.test]

    @property
    def usual(self) -> bool:
        """Whether this is the test that is made where nothing else is asked."""
        return (self.test, self.correction) == (TEST, CORRECTION)

    @property
    def of_pairs(self) -> Test:
        """The test of one pair alone: the test itself, or the kin of one that takes all runs together."""
        return self.kind if self.kind.kin is None else TESTS[self.kind.kin]

    @property
    def of_worst(self) -> str:
        """The test of the least possible difference: that of one pair, or its monotone kin."""
        return self.of_pairs.worst or self.kind.kin or self.test

    @property
    def correction_of_others(self) -> str:
        """The correction of tests that are not the one asked for: Holm's in place of those that belong to that."""
        return CORRECTION if self.kind.joint or CORRECTIONS[self.correction].random else self.correction

    @property
    def random(self) -> bool:
        """Whether something is left to chance, where there are too many topics to count it out."""
        return self.kind.random or CORRECTIONS[self.correction].random

    def families_of(self, measures: int) -> int:
        """Over how many measures p-values are corrected where the test itself is of all pairs of a measure together."""
        return measures if self.correction == "bonferroni" and self.family == "all" else 1

    def described(self, pairs: int, measures: int, *, exact: bool, clustered: bool = False, few: str = "") -> str:
        """Say in one line how the pairs were compared, given how many pairs and measures there are."""
        how = [*self._tested(few, clustered=clustered), *self._corrected(pairs, measures)]
        return ", ".join([*how, *self._levels(exact=exact)])

    def in_a_sentence(self, pairs: int, measures: int, *, exact: bool, clustered: bool = False, few: str = "") -> str:
        """Say the same as an author does, behind "tested by"."""
        test = ", ".join(self._tested(few, clustered=clustered))
        corrected = "".join(f", with {said}" for said in self._corrected(pairs, measures))
        corrected = corrected.replace("with no correction", "without correction")
        return f"{_with_article(test)}{corrected} ({', '.join(self._levels(exact=exact))})"

    def of_each_collection(self, few: str, *, several: bool = True) -> str:
        """Say the same of several collections, each with comparisons of its own."""
        together = self._tested("", clustered=False)[1:] if self.kind.simultaneous else []
        over = f" over its {'measures' if together else 'comparisons'}" * (self.correction != "none")
        corrected = [] if together and not over else [f"{CORRECTIONS[self.correction].words}{over}"]
        corrected = corrected if several or CORRECTIONS[self.correction].random else []
        return ", ".join([_with_article(self.kind.words), *together, *filter(None, [few]), *corrected])

    def confirmed(self, units: int, unit: str = "topic") -> str:
        """Say that sign flips confirm the test, if units are that few."""
        return f"below {FEW_UNITS} {unit}s with sign flips" if self.kind.presuming and units < FEW_UNITS else ""

    def _tested(self, few: str, *, clustered: bool) -> list[str]:
        words = self.kind.of_clusters if clustered else self.kind.words
        said = [words] if self.kind.joint else [words, "two-sided"]
        whose = "with the baseline" if self.kind.one_baseline else "of a measure"
        said += [f"for all pairs {whose} together"] if self.kind.simultaneous else []
        return [*said, *filter(None, [few])]

    def _corrected(self, pairs: int, measures: int) -> list[str]:
        each, together = self.family == "measure", self.kind.simultaneous
        many, noun = (measures, "measure") if together else (pairs if each else pairs * measures, "comparison")
        if many == 1 and not CORRECTIONS[self.correction].random:  # one test has nothing to be corrected for
            return ["each measure by itself"] * (each and measures > 1 and not together)
        if self.correction == "none":
            return [] if together else [CORRECTIONS["none"].words]
        return [f"{CORRECTIONS[self.correction].words} over {counted(many, noun)}{' of each measure' * each}"]

    def _levels(self, *, exact: bool) -> list[str]:
        chance = [counted(self.resamples, "resample"), f"seed {self.seed}"] if self.random else []
        return [f"alpha = {self.alpha:g}", *(["exact"] if exact else chance)]

    def refuse_unequal(self, *, weighted: bool, clustered: bool = False) -> None:
        """Refuse a test, or another question, that is not defined where topics are weighted, or in clusters."""
        if not (weighted or clustered):
            return
        are, what = ("in clusters", "clusters") if clustered else ("weighted", "weights")
        fits = {
            name: (test.with_weights or not weighted) and (bool(test.of_clusters) or not clustered)
            for name, test in TESTS.items()
        }
        if not fits[self.test]:
            fitting = " and ".join(name for name in TESTS if fits[name])
            raise InputError(f"topics are {are}, and {self.test} is not defined with {what}; {fitting} are")
        if CORRECTIONS[self.correction].random:
            raise InputError(
                f"topics are {are}, and the correction {self.correction} is not defined with {what}; those that "
                "take p-values alone are, such as holm"
            )
        if weighted and self.worthwhile is not None:
            raise InputError("topics are weighted, but worthwhile assumes equal weights; omit it")

    def _refuse_what_does_not_fit(self) -> None:
        if self.kind.one_baseline and len(self.baseline or ()) != 1:
            raise InputError(f"{self.test} compares all runs with one baseline; baseline must name it")
        if self.kind.simultaneous and self.correction not in {"none", "bonferroni"}:
            raise InputError(
                f"{self.test} corrects for all pairs of a measure; "
                "correction can be 'none', or 'bonferroni' over measures"
            )
        if CORRECTIONS[self.correction].random and not self.kind.has_max_t:
            fitting = " or ".join(repr(name) for name, test in TESTS.items() if test.has_max_t)
            raise InputError(
                f"the correction {self.correction} is a randomisation of t; test must be {fitting}, not {self.test!r}"
            )

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _fill(self, name: str, value: object) -> None:
        """Set what was not given."""
        if getattr(self, name) is None:
            self._set(name, value)


def _with_article(test: str) -> str:
    return test if test.split(maxsplit=1)[0].endswith("'s") else f"the {test}"


for _told in (AskedSettings, AskedComparison):
    usually(_told, {field.name: field.default for field in fields(Settings)})
