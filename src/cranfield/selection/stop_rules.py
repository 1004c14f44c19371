"""When is it enough? Rules that look at the status of the judging, each with its reason, or what is lacking."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import partial
from typing import Final

import numpy as np

from cranfield.plumbing.argument_checks import looking
from cranfield.plumbing.deprecations import renamed
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Whole, checked, shown
from cranfield.plumbing.scope import Scope
from cranfield.plumbing.wording import counted, named
from cranfield.scoring.orientation import best_first
from cranfield.selection.judgment_audit import audits_needed
from cranfield.selection.status import Status
from cranfield.statistics.conclusions import significant
from cranfield.statistics.paired_tests import check_worst_case

_KINDS: Final = {"int": int, "float": float, "str": str}  # The kinds of parameters of rules, by their annotations
_AT_WORST: Final = Scope().graded().continued().on_others()  # Of what tests of the ends of ranges speak


def _above_0(what: str, below: float = math.inf) -> dict[str, Callable[[float], None]]:
    """Return for the metadata of a field what refuses a value that is not above 0, or not below a limit."""

    def look(value: float) -> None:
        if not 0 < value < below:
            limit = "" if math.isinf(below) else f" and at most {below:g}" if below > 1 else f" and below {below:g}"
            raise InputError(f"{what} must be above 0{limit}, not {value}")

    return {"look": look}


_LEVEL: Final = _above_0("the level", 1)
_TEST: Final = {"look": check_worst_case}
_UP_TO_1: Final = math.nextafter(1, 2)


@dataclass(frozen=True)
class StopRule(ABC):
    """Something that may be reason enough to stop judging."""

    def __post_init__(self) -> None:
        for each in fields(self):
            checked(each.name, getattr(self, each.name), _KINDS[str(each.type)])
            for look in each.metadata.values():
                look(getattr(self, each.name))

    @abstractmethod
    def reason(self, status: Status) -> str | None:
        """Say why it is enough, or None if it is not."""

    def lacking(self, status: Status) -> str | None:
        """Say how far it is from enough, if the rule can tell. It is asked only where it is not enough."""
        return None


@looking
def judged_by(status: Status, rules: Iterable[StopRule]) -> Status:
    """Return the status with the reasons why it is enough, and with what the other rules lack."""
    reasons: list[str] = []
    lacking: list[str] = []
    for rule in rules:
        if not isinstance(rule, StopRule):
            raise InputError(f"rules must be stop rules, such as BudgetSpent(100), not {shown(rule)}")
        if reason := rule.reason(status):
            reasons.append(reason)
        elif lacks := rule.lacking(status):
            lacking.append(lacks)
    return replace(status, reasons=tuple(reasons), lacking=tuple(lacking))


@dataclass(frozen=True)
class LeaderAbove(StopRule):
    """Is the leader's base above the top of every other run? Then it is best on these topics, whatever is unjudged.

    mean base(leader) > mean top(s) for all other runs s

    Paper: Moffat, Webber and Zobel (2007), SIGIR, section 3.
    """

    def reason(self, status: Status) -> str | None:
        """None but the leader can win."""
        if len(status.runs) > 1 and status.can_win.sum() == 1:
            return f"no other run can reach {status.runs[status.leader]}, {_AT_WORST.whatever}"
        return None

    def lacking(self, status: Status) -> str:
        """Name the runs whose tops reach the leader's base, the highest first."""
        rivals = [run for run in best_first(status.mean_top) if status.can_win[run] and run != status.leader]
        if not rivals:
            return _alone(status)
        reach = counted(len(rivals), "run has a top that reaches", "runs have tops that reach")
        names = named([status.runs[run] for run in rivals])
        return f"{reach} the base of {status.runs[status.leader]} on these topics: {names}"


@dataclass(frozen=True)
class LeaderDecided(StopRule):
    """Is the leader significantly better than every other run, even at the ends of the ranges?

    A paired test of base(leader) against top(s), topic by topic and one-sided, for all other runs
    s; each must have p at most ``level`` (above 0 and below 1). ``test`` is ``"wilcoxon"``,
    ``"sign"`` or ``"randomisation"``: t and the bootstrap test can take a decision back when a
    difference grows (see `Status.p_values`).

    Paper: Moffat, Webber and Zobel (2007), SIGIR, section 5, Table 5 ("base-vs-top").
    """

    level: float = field(default=0.05, metadata=_LEVEL)
    test: str = field(default="wilcoxon", metadata=_TEST)

    def reason(self, status: Status) -> str | None:
        """Test the leader against all others."""
        if len(status.runs) < 2 or self._undecided(status):
            return None
        return (
            f"{status.runs[status.leader]} is significantly better than every other run {_AT_WORST.alike}, "
            f"{_AT_WORST.whatever}"
        )

    def lacking(self, status: Status) -> str:
        """Name the runs of which it is not decided, those with the highest bases first."""
        rivals = self._undecided(status)
        if not rivals:
            return _alone(status)
        return (
            f"base against top, {status.runs[status.leader]} is not significantly better than "
            f"{counted(len(rivals), 'run')} {_AT_WORST.alike}: {named([status.runs[run] for run in rivals])}"
        )

    def _undecided(self, status: Status) -> list[int]:
        others = np.array([run for run in best_first(status.mean_base) if run != status.leader], np.int64)
        if not len(others):
            return []
        p = status.p_values(np.full(len(others), status.leader), others, self.test)
        return [int(run) for run in others[~significant(p, self.level)]]


@dataclass(frozen=True)
class LeaderKnown(StopRule):
    """Is the leader best of all runs on these topics, as far as the judgments and the audit can tell?

    Topics, runs and grades are what they are; chance is the audit's alone, and the probability that
    the rule *ever* names a run that another one is above is at most ``level`` (above 0 and below 1),
    however often it is asked. Each rival has the share level / (number of rivals). What is judged is
    known exactly, what is not is drawn by the audit, and what cannot be drawn (below the ends of
    lists) may speak against the leader: see `cranfield.selection.audited_scores`. Without an
    audit only the joint ranges decide: the leader is known if its difference from each rival is
    above 0, whatever the unjudged documents are.

    ``Judging`` has measures that are weighted sums over ranks. Others have no such form: of them
    only ranges are known (`evaluate` with bounds).

    Paper: Waudby-Smith and Ramdas (2024), "Estimating means of bounded random variables by betting",
    JRSS B 86(1).
    """

    level: float = field(default=0.05, metadata=_LEVEL)

    def reason(self, status: Status) -> str | None:
        """Compare the evidence against each rival with what the level asks for."""
        if len(status.runs) < 2 or self._not_beaten(status):
            return None
        return f"{status.runs[status.leader]} is the best run on these topics, with confidence {1 - self.level:g}"

    def lacking(self, status: Status) -> str:
        """Name the rivals that may be as good."""
        rivals = self._not_beaten(status)
        if not rivals:
            return _alone(status)
        return (
            f"{counted(len(rivals), 'run')} may be as good as {status.runs[status.leader]} on these topics, with "
            f"confidence {1 - self.level:g}: {named([status.runs[run] for run in rivals])}"
        )

    def _not_beaten(self, status: Status) -> list[int]:
        """Return the runs that the leader is not known to be above, the highest top first."""
        if status.leads is None:
            raise InputError("this status holds no evidence about the leader; ask for it: status([LeaderKnown()])")
        known = status.leads >= math.log(max(len(status.runs) - 1, 1) / self.level)
        return [run for run in best_first(status.mean_top) if not known[run]]


@dataclass(frozen=True)
class PairDecided(StopRule):
    """Is one of two runs significantly better than the other, even at the ends of the ranges?

    A paired test of the base of the one against the top of the other, topic by topic and one-sided,
    in the direction of the higher mean base; p at most ``level``. The tests are those of
    `LeaderDecided`.

    Paper: Moffat, Webber and Zobel (2007), SIGIR, section 5, Table 5 ("base-vs-top").
    """

    first: str
    second: str
    level: float = field(default=0.05, metadata=_LEVEL)
    test: str = field(default="wilcoxon", metadata=_TEST)

    def reason(self, status: Status) -> str | None:
        """Test the two."""
        one, other, p = self._tested(status)
        if not significant(p, self.level):
            return None
        return f"{one} is significantly better than {other} {_AT_WORST.alike}, {_AT_WORST.whatever}"

    def lacking(self, status: Status) -> str:
        """Say which of the two is ahead, and the p of that."""
        one, other, p = self._tested(status)
        return f"base against top, {one} is not significantly better than {other} {_AT_WORST.alike}: p is {p:.3f}"

    def _tested(self, status: Status) -> tuple[str, str, float]:
        """Return the run with the higher base, the other one, and p."""
        if unknown := [name for name in (self.first, self.second) if name not in status.runs]:
            raise InputError(f"there is no run {unknown[0]!r}; the runs are {', '.join(status.runs)}")
        both = np.array([status.runs.index(run) for run in (self.first, self.second)])
        pair = both[best_first(status.mean_base[both])]
        better, worse = (np.array([run]) for run in pair)
        one, other = (status.runs[run] for run in pair)
        return one, other, float(status.p_values(better, worse, self.test)[0])


@dataclass(frozen=True)
class ResidualBelow(StopRule):
    """Is little left open?

    The mean residual of the best runs (by base; the ``share`` of all runs, rounded up, above 0 and
    at most 1) is below ``bound`` (above 0). A share of 1/3 is that of the paper's Table 4.

    Paper: Moffat, Webber and Zobel (2007), SIGIR, section 5, Table 4.
    """

    bound: float = field(default=0.05, metadata=_above_0("the bound"))
    share: float = field(default=1.0, metadata=_above_0("the share of runs", _UP_TO_1))

    def reason(self, status: Status) -> str | None:
        """Compare the mean residual with the bound."""
        residual, of = self._left(status)
        return f"the mean residual of {of} is {residual:.4f}, below {self.bound:g}" if residual < self.bound else None

    def lacking(self, status: Status) -> str:
        """Name the mean residual."""
        residual, of = self._left(status)
        return f"the mean residual of {of} is {residual:.4f}, not below {self.bound:g}"

    def _left(self, status: Status) -> tuple[float, str]:
        """Return the mean residual, and of which runs it is."""
        best = best_first(status.mean_base)[: math.ceil(self.share * len(status.runs))]
        which = "all runs" if len(best) == len(status.runs) else f"the best {counted(len(best), 'run')}"
        return float(status.residual[best].mean()), which


@dataclass(frozen=True)
class BudgetSpent(StopRule):
    """Are as many documents judged as can be paid for? Those given at the start count too."""

    budget: int = field(metadata=_above_0("the budget"))

    def reason(self, status: Status) -> str | None:
        """Count."""
        spent = status.judged >= self.budget
        return f"{counted(status.judged, 'document is', 'documents are')} judged" if spent else None

    def lacking(self, status: Status) -> str:
        """Count."""
        return f"{status.judged:,} of {counted(self.budget, 'document is', 'documents are')} judged"


@renamed(documents="at_most")
@dataclass(frozen=True)
class FewRelevantLeft(StopRule):
    """Are hardly any relevant documents still to be found?

    At most ``at_most`` (0 or more) of the unjudged candidates are relevant, with confidence 1 -
    ``level`` (above 0 and below 1), by the audit: see `Status.relevant_left`, whose level holds
    however often it is asked, after every judgment if need be.

    What a method chooses tells nothing about what it leaves: a hundred answers without a relevant
    document may be a hundred documents of one poor run. So the rule keeps silent unless documents of
    `Judging.next_audit` are judged, or at most ``at_most`` are unjudged at all.

    Paper: Waudby-Smith and Ramdas (2020), "Confidence sequences for sampling without replacement",
    NeurIPS.
    """

    at_most: int = field(default=10, metadata={"look": partial(checked, "at_most", annotation=Whole)})
    level: float = field(default=0.05, metadata=_LEVEL)

    def reason(self, status: Status) -> str | None:
        """Compare the bound with what may be left."""
        return None if status.relevant_left(self.level) > self.at_most else self._says(status)

    def lacking(self, status: Status) -> str:
        """Say what the audit says by now, and how many more it takes at least."""
        unjudged = status.audit.unjudged
        more = audits_needed(unjudged, self.at_most, self.level)
        return (
            f"{self._says(status)}; a bound of {self.at_most:,} on {unjudged:,} unjudged ones needs about "
            f"{counted(more, 'audited document')}, none of them relevant"
        )

    def _says(self, status: Status) -> str:
        """Say what the audit says by now, and of what."""
        left = counted(status.relevant_left(self.level), "relevant document is", "relevant documents are")
        among = " among those to be judged" if status.aside else ""
        return f"at most {left} left{among}, with confidence {1 - self.level:g}"


@dataclass(frozen=True)
class SignsKnown(StopRule):
    """Is it known of each two runs which one has the higher mean AP?

    For the ``share`` of all pairs (above 0 and at most 1) it is with a probability of at least 1 -
    ``level`` (above 0 and below 1), if unjudged documents are relevant with the probability
    ``prior`` (above 0 and below 1), independently of each other. The paper takes 1/2. 1/10 came
    nearer to what all judgments say; but of the pairs that were known by it with a probability of
    0.95, as many were right on one of three collections alone, for documents are neither independent
    nor equally likely. So this rule is no guarantee, as those are that look at the ends of ranges.

    Paper: Carterette, Allan and Sitaraman (2006), "Minimal test collections for retrieval evaluation",
    SIGIR, section 4.
    """

    level: float = field(default=0.05, metadata=_LEVEL)
    prior: float = field(default=0.1, metadata=_above_0("the prior", 1))
    share: float = field(default=1.0, metadata=_above_0("the share of pairs", _UP_TO_1))

    def reason(self, status: Status) -> str | None:
        """Count the pairs that are known."""
        known, pairs = self._known(status)
        return self._of(known, pairs) if pairs and known >= self.share * pairs else None

    def lacking(self, status: Status) -> str:
        """Count them, and say how many it takes."""
        known, pairs = self._known(status)
        return f"{self._of(known, pairs)}; needed: {math.ceil(self.share * pairs):,}" if pairs else _alone(status)

    def _known(self, status: Status) -> tuple[int, int]:
        """Return how many pairs are known, and how many there are."""
        if self.prior not in status.ahead:
            raise InputError("this status holds no evidence about mean AP; ask for it: status([SignsKnown()])")
        ahead = status.ahead[self.prior][np.triu_indices(len(status.runs), 1)]
        return int((np.maximum(ahead, 1 - ahead) >= 1 - self.level).sum()), len(ahead)

    def _of(self, known: int, pairs: int) -> str:
        return (
            f"the run with the higher mean AP is known for {known} of {counted(pairs, 'pair')} of runs, with "
            f"probability {1 - self.level:g}, if unjudged documents are relevant with probability {self.prior:g}"
        )


def _alone(status: Status) -> str:
    return f"{status.runs[status.leader]} is the only run, so there is nothing to compare"


def rule_named(text: str) -> StopRule:
    """Return a rule as it is written in Python, its parameters in their order or by name.

    >>> rule_named("FewRelevantLeft(20)"), rule_named("LeaderDecided(level=.01, test=sign)")
    (FewRelevantLeft(at_most=20, level=0.05), LeaderDecided(level=0.01, test='sign'))
    >>> rule_named("PairDecided(1, 2)")  # runs may be called so
    PairDecided(first='1', second='2', level=0.05, test='wilcoxon')
    """
    text = checked("rule", text, str)
    rules = {kind.__name__: kind for kind in StopRule.__subclasses__()}
    name, _, rest = text.strip().partition("(")
    if name.strip() not in rules:
        raise InputError(f"there is no rule {name.strip()!r}; choose from {', '.join(sorted(rules))}")
    kind = rules[name.strip()]
    parameters = {each.name: each for each in fields(kind)}
    if rest and not rest.endswith(")"):
        raise InputError(f"a rule is written as FewRelevantLeft(10, level=0.05), not {text!r}")
    given: dict[str, object] = {}
    for place, part in enumerate(part for part in rest[:-1].split(",") if part.strip()):
        key, equals, value = (each.strip() for each in part.rpartition("="))
        if not equals:
            key = [*parameters, ""][min(place, len(parameters))]
        if key not in parameters or key in given:
            there = ", ".join(parameters) or "none"
            raise InputError(f"{kind.__name__} has these parameters: {there}; not {part.strip()!r}")
        given[key] = _value(value, str(parameters[key].type))
    lacking = [key for key, each in parameters.items() if each.default is MISSING and key not in given]
    if lacking:
        raise InputError(f"{kind.__name__} lacks {', '.join(lacking)}: say {kind.__name__}({', '.join(parameters)})")
    return kind(**given)


def _value(text: str, declared: str) -> object:
    """Read a number, or else take the text, without its quotes; so is a number where a text is declared."""
    for kind in (int, float) if declared != "str" else ():
        try:
            return kind(text)
        except ValueError:
            continue
    return text.strip("\"'")
