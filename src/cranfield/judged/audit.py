"""The audit: what to know about runs and judgments before trusting their scores."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from operator import attrgetter
from typing import Any, Final, NamedTuple

import numpy as np

from cranfield.conventions import recognised
from cranfield.formats.golden import GoldenSet
from cranfield.formats.heads import HeadRow
from cranfield.judged.condition_files import OnlyTopics
from cranfield.judged.judgments import Judgments, is_relevant
from cranfield.judged.population import Population
from cranfield.plumbing.arrays import Floats, Integers, distinct
from cranfield.plumbing.escaping import printable
from cranfield.plumbing.interchange import record
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Lacked, Order
from cranfield.plumbing.wording import best_by, by_number, counted
from cranfield.results.finding import Finding, Severity, failing, worst_first
from cranfield.results.result import Result
from cranfield.results.sheet import listed
from cranfield.statistics.on_paper import largest

UNJUDGED_AT = (10, 100)
MOST_FACTS: Final = 5
"""As many are printed below a result."""
FEW_TIES: Final = 0.01
"""A smaller share of tied documents is shown only among all facts."""
_ORDERED = {
    "trec9": "scores compared in 32 bits, as trec_eval 9 does",
    "stable": "tied documents ranked by the order of the lines",
    "rank": "ranked by the rank column",
    "file": "ranked by the order of the lines",
}


_TOPICS: Final[dict[str, tuple[Severity, str, str, str]]] = {
    "missing": ("warning", "lacks topics", "lack topics", ""),
    "extra": ("remark", "has topics without judgments", "have topics without judgments", "they are not scored"),
    "empty": ("remark", "has empty topics", "have empty topics", "they are scored as empty lists"),
}
"""Kinds of topics: severity, wording for one run and for several, and the consequence."""
_LACKED: Final[dict[Lacked, tuple[Severity, str]]] = {
    "zero": ("warning", "count 0"),
    "empty": ("remark", "count as empty lists"),
    "left out": ("remark", "are left out"),
}
"""Topics missing from a run: severity, and wording."""
_UNJUDGED = "bounds=True shows what they could change, judged_only=True drops them"
_TIED = "the id that is last in byte order comes first, as in trec_eval"
_TIED_RANKS = '; order="rank" takes the rank column instead'
LIKE_SCORES: Final = 20
"""This many different grades, not all of them whole, are probably scores."""
WIDE_GAP: Final = 0.3
"""A difference this large between two runs' unjudged shares of the top 10 may come from the judgments alone."""
_MOSTLY: Final = 0.5
_FEWEST_AT_THE_TOP: Final = 20  # The first ten of two lists: shares of fewer documents are not meaningful
_MIN_ROWS: Final = 4  # Fewer rows do not show an order
_RISING: Final = 'the largest score ranks first; order="rank" uses the ranks, and distances need a minus sign'


@record
@dataclass(frozen=True)
class RunAudit:
    """The audit of one run: counts of its documents in the topics of the qrels, and ids of topics."""

    run: str
    topics: int
    missing: tuple[str, ...]
    extra: tuple[str, ...]  # Topics that the qrels lack
    empty: tuple[str, ...]  # Topics for which it retrieved nothing
    retrieved: int
    tied: int  # How many documents share their score with another
    unjudged: tuple[float, ...]
    """The share of unjudged documents in the tops, over all its topics; empty where nothing can be unjudged."""
    tops: tuple[int, ...] = ()  # How many documents the first 10 and the first 100 have, over all its topics
    judged: int | None = None  # How many of its documents are judged in their topics; None if not counted
    own: tuple[str, ...] = ()  # Topics that retrieve a document with their own id
    excluded: int = 0
    costless: int = 0  # How many documents have no cost, and got the one for such documents
    ended: int = 0  # How many lists the budget ended

    @classmethod
    def of_parts(cls, parts: Sequence[RunAudit], judgments: Judgments | None = None) -> RunAudit:
        """Put together what was found a few topics at a time; lacked topics as the judgments have them, or by id."""
        tops, unjudged = [sum(counts) for counts in zip(*(part.tops for part in parts), strict=True)], []
        for k, there in enumerate(tops):
            judged = sum(round((1 - part.unjudged[k]) * part.tops[k]) for part in parts)
            unjudged.append(1 - judged / there if there else 0.0)
        missing = [topic for part in parts for topic in part.missing]
        return cls(
            run=parts[0].run,
            topics=sum(part.topics for part in parts),
            missing=tuple(sorted(missing, key=judgments.code_of_topic.__getitem__ if judgments else by_number)),
            extra=tuple(topic for part in parts for topic in part.extra),
            empty=tuple(topic for part in parts for topic in part.empty),
            retrieved=sum(part.retrieved for part in parts),
            tied=sum(part.tied for part in parts),
            unjudged=tuple(unjudged),
            tops=tuple(tops),
            judged=None if any(part.judged is None for part in parts) else sum(part.judged or 0 for part in parts),
            own=tuple(topic for part in parts for topic in part.own),
            excluded=sum(part.excluded for part in parts),
            costless=sum(part.costless for part in parts),
            ended=sum(part.ended for part in parts),
        )


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Result):
    """The audit of all runs and the qrels. (A document repeated in a run is refused rather than reported here.)

    Attributes
    ----------
    runs
        One entry for each run, in order.
    topics
        The number of topics in the qrels.
    without_relevant
        Topics of the qrels without a relevant document.
    order
        How the documents were ranked; anything but scores in 64 bits is reported.
    passed_over
        Files in folders of runs that are clearly not runs and were skipped.
    grades
        The different grades of the qrels, rising; if very many, the smallest and the largest.
    rel
        The lowest relevant grade as set; None means every grade above 0.
    further
        Further findings about the runs and judgments.
    ranks
        Whether runs may have ranks, so that ties can be broken by them.
    turned
        The measures by which another relevance level reverses pairs of runs, and how many.
    lacked
        How topics missing from a run are scored.
    exclude
        The excluded documents, as requested; None if all count.
    kept
        The number of judgments above 0 of excluded documents that stay in the recall base.
    without_judgment
        Topics that were asked and have no judgment at all, of those without a relevant document.
    costs
        Where the costs of documents come from, as requested, with their unit; None if there are none.
    budget
        The cost that ends a list.
    by_cost
        The measures that count costs where none were given.
    punish
        The measures by which whatever is retrieved for a topic without a relevant document counts 0; empty where
        there is no such topic.
    flatter
        The measures by which 0 is the best value, also where a run lacks the topic.
    complete
        Why a document without a judgment counts as not relevant, in words; empty where it does not.
    by_silence
        Whether a topic missing from a run can be scored as an empty list, should that be asked for.
    """

    runs: tuple[RunAudit, ...]
    topics: int
    without_relevant: tuple[str, ...]
    order: Order = "score"
    passed_over: tuple[str, ...] = ()
    grades: tuple[float, ...] = ()
    rel: float | None = None
    further: tuple[Finding, ...] = ()
    ranks: bool = True
    turned: tuple[tuple[str, int], ...] = ()
    lacked: Lacked = "zero"
    exclude: str | None = None
    kept: int = 0
    without_judgment: tuple[str, ...] = ()
    costs: str | None = None
    budget: float | None = None
    by_cost: tuple[str, ...] = ()
    punish: tuple[str, ...] = ()
    flatter: tuple[str, ...] = ()
    complete: str = ""
    by_silence: bool = True

    def __repr__(self) -> str:
        return f"Audit({counted(len(self.runs), 'run')}, {self.population.of_topics})"

    @cached_property
    def population(self) -> Population:
        """The topics that count: of those that are left out, only the ones that some run has."""
        return Population.of([run.missing if self.lacked == "left out" else () for run in self.runs], self.topics)

    @property
    def unjudged(self) -> Floats:
        """The unjudged share of the tops of `UNJUDGED_AT`: array of shape (runs, tops), 0 if nothing can."""
        return np.array([run.unjudged or (0.0,) * len(UNJUDGED_AT) for run in self.runs], np.float64)

    def to_polars(self, **which: object) -> pl.DataFrame:
        """Return a table with a row for each run, topics as lists."""
        topics, shares = pl.List(pl.String), {f"unjudged@{k}": pl.Float64 for k in UNJUDGED_AT}
        schema: dict[str, pl.DataType | type[pl.DataType]] = {
            "run": pl.String, "topics": pl.Int64, "missing_topics": topics, "extra_topics": topics,
            "empty_topics": topics, "retrieved": pl.Int64, "tied": pl.Int64, **shares,
        }  # fmt: skip
        rows = [
            (run.run, run.topics, [*run.missing], [*run.extra], [*run.empty], run.retrieved, run.tied)
            + (run.unjudged or (None,) * len(shares))
            for run in self.runs
        ]
        return pl.DataFrame(rows, schema, orient="row")

    def table(self, **which: object) -> pl.DataFrame:
        """Return the same with topics as text, long lists cut."""
        lists = pl.selectors.by_dtype(pl.List(pl.String))
        text = lists.map_elements(lambda topics: listed(list(topics)), return_dtype=pl.String)
        return self.to_polars().with_columns(text)

    def caption(self, **which: object) -> str:
        """Describe what was examined."""
        return f"Audit of {counted(len(self.runs), 'run')} on {self.population.of_topics}."

    def remarks(self) -> tuple[str, ...]:
        r"""Return a sentence for each finding, the worst first, with its remedy.

        >>> found = Audit((RunAudit("bm25", 2, ("403",), (), (), 2000, 6, (0.05, 0.25)),), 3, ())
        >>> print(*found.remarks(), sep="\n")
        1 run lacks topics (bm25: 403), which count 0: topics="shared" leaves them out, missing="empty" counts them as empty lists.
        5.0% of the top 10 and 25.0% of the top 100 are unjudged: bounds=True shows what they could change,
        judged_only=True drops them. 0.3% of documents are tied: the id that is last in byte order comes first, as in
        trec_eval; order="rank" takes the rank column instead.
        """  # noqa: E501
        return tuple(self._remarks())

    def facts(self) -> tuple[str, ...]:
        """Return the same sentences without the remedies.

        >>> print(Audit((RunAudit("bm25", 3, (), (), (), 2000, 6, (0.05, 0.25)),), 3, ()).facts()[0])
        5.0% of the top 10 and 25.0% of the top 100 are unjudged.
        """
        return tuple(self._remarks(advise=False))

    def _remarks(self, *, advise: bool = True) -> Iterator[str]:
        for found in self.findings:
            text = str(found) if advise else found.says
            yield f"{text[:1].upper()}{text[1:]}."
        if not any(run.missing for run in self.runs):
            yield "Every run has every topic of the qrels."
        if self._all_judged:
            yield f"All documents of the top {UNJUDGED_AT[-1]} are judged."

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The findings, the worst first: each with a code, a severity, and a remedy.

        >>> found = Audit((RunAudit("bm25", 2, ("403",), (), (), 2000, 6, (0.05, 0.25)),), 3, ())
        >>> [(each.severity, each.code, each.count) for each in found.findings]
        [('warning', 'missing topics', 1), ('remark', 'unjudged', 1), ('remark', 'ties', 6)]
        """
        return worst_first((*self.further, *self._found()))

    def fails(self, *, strict: bool = False) -> bool:
        """Whether the findings include an error; if strict, a warning counts too."""
        return failing(self.findings, strict=strict)

    def _found(self) -> Iterator[Finding]:
        yield from self._of_grades()
        for of in _TOPICS:
            yield from self._topics_found(of)
        yield from self._of_excluded()
        yield from self._of_costs()
        yield from self._of_judgments()
        if self.tied:
            severity: Severity = "warning" if self.tied > _MOSTLY else "remark"
            count, how = sum(run.tied for run in self.runs), f"{_TIED}{_TIED_RANKS * self.ranks}"
            advice = how if self.order in {"score", "trec9"} else ""
            yield Finding(severity, "ties", count, None, f"{_percent(self.tied)} of documents are tied", advice)
        yield from self._of_answers()
        if self.passed_over:
            says = f"not a run, skipped: {listed(self.passed_over)}"
            yield Finding("remark", "passed over", len(self.passed_over), None, says, "name a file itself to read it")
        if self.order != "score":
            yield Finding("remark", "order", len(self.runs), None, _ORDERED[self.order])

    def _of_answers(self) -> Iterator[Finding]:
        """Count the topics without an answer; where most were never judged, they may have one all the same."""
        population = self.population
        without = population.counting(self.without_relevant)
        count, unseen = len(without), len(population.counting(self.without_judgment))
        if count:
            says = f"{counted(count, 'topic')} without a relevant document ({listed(without)})"
            if self.punish:
                says += f", which {'counts' if count == 1 else 'count'} 0 by {listed(self.punish)}"
            advice = "kept in the averages"
            if unseen:
                says += f", {unseen:,} without any judgment"
                advice += ' as questions without an answer; missing="empty" counts silence as an empty list'
            yield Finding("remark", "no relevant document", count, None, says, advice)
        if unseen > _MOSTLY * population.topics:
            have = "has no judgment" if unseen == 1 else "have no judgment"
            says = f"{unseen:,} of {counted(population.topics, 'topic')} {have}: questions without an answer"
            advice = "remove unjudged topics from the list of topics"
            yield Finding("warning", "no judgment", unseen, None, says, advice)

    def _of_excluded(self) -> Iterator[Finding]:
        """Say how many documents went, and which runs retrieve documents of their topics' ids."""
        if self.exclude is not None:
            gone, runs = sum(run.excluded for run in self.runs), [run.run for run in self.runs if run.excluded]
            of = f" of {len(runs)} of {counted(len(self.runs), 'run')}" if len(self.runs) > 1 and gone else ""
            says = f"excluded ({self.exclude}): {counted(gone, 'document')}{of}"
            yield Finding("remark", "excluded", gone, None, says)
        if self.kept:
            says = f"{counted(self.kept, 'excluded document')} judged above 0 and kept in the recall base"
            yield Finding("warning", "excluded but relevant", self.kept, None, says, "residual=True removes them")
        found = [run for run in self.runs if run.own]
        if not found:
            return
        most = max(found, key=lambda run: len(run.own))
        many = f"{len(found)} of {counted(len(self.runs), 'run')}" if len(self.runs) > 1 else "1 run"
        verb = "retrieve" if len(found) > 1 else "retrieves"
        says = (
            f"{many} {verb} the document with the topic's own id ({most.run}: {len(most.own):,} of "
            f"{counted(most.topics, 'topic')}, such as {most.own[0]})"
        )
        severity: Severity = "warning" if len(most.own) > _MOSTLY * most.topics and most.topics > 1 else "remark"
        yield Finding(severity, "own ids", len(found), None, says, 'exclude="self" removes them, as BEIR does')

    def _of_costs(self) -> Iterator[Finding]:
        """Say where costs come from, what the budget ended, and which measures take a document for a unit of cost."""
        if self.by_cost:
            says = f"no costs given: each document costs 1 in {listed(self.by_cost)}"
            yield Finding("warning", "no costs", len(self.by_cost), None, says, "costs= gives what documents cost")
        if self.costs is None:
            return
        says = f"costs of documents: {self.costs}"
        if self.budget is not None:
            lists = sum(run.topics for run in self.runs)
            ended = sum(run.ended for run in self.runs)
            says += f"; the budget of {self.budget:,.12g} ended {ended:,} of {counted(lists, 'list')}"
        yield Finding("remark", "costs", len(self.runs), None, says)
        if costless := sum(run.costless for run in self.runs):
            says = f"{counted(costless, 'document')} without a cost counted at cost_missing"
            yield Finding("remark", "without a cost", costless, None, says)

    def _of_grades(self) -> Iterator[Finding]:
        """Find a level that no grade reaches, and say which grades are relevant where several could be."""
        relevant = tuple(grade for grade in self.grades if grade > 0)
        if relevant and self.rel is not None and self.rel > relevant[-1]:
            says = f"no grade is relevant: the level is {self.rel:g}, the highest grade {relevant[-1]:g}"
            yield Finding("warning", "level above all grades", 1, None, says, "rel sets a lower one")
        elif len(relevant) > 1:
            level = next(grade for grade in relevant if self.rel is None or grade >= self.rel)
            says = f"grades {self.grades[0]:g} to {relevant[-1]:g}, relevant from {level:g}{self._turned()}"
            yield Finding("remark", "level", len(relevant), None, says, "rel sets another level")

    def _turned(self) -> str:
        """Say by which measures another level has how many pairs of runs in another order."""
        if not self.turned:
            return ""
        (first, count), *others = self.turned
        pairs = counted(len(self.runs) * (len(self.runs) - 1) // 2, "pair")
        more = "".join(f", {each} by {measure}" for measure, each in others)
        return f" (another level reverses {count} of {pairs} of runs by {first}{more})"

    def _of_judgments(self) -> Iterator[Finding]:
        """Find runs of which little is judged, and runs of which much less is judged than of others."""
        if not any(share for run in self.runs for share in run.unjudged):
            return
        if self.complete:
            says = f"{self._tops()} have no judgment and count as not relevant ({self.complete})"
            yield Finding("remark", "complete", len(self.runs), None, says, "complete=False treats them as unjudged")
            return
        shares = [run.unjudged[0] for run in self.runs]
        least, most = (choose(self.runs, key=lambda run: run.unjudged[0]) for choose in (min, max))
        gap = round(max(shares) - min(shares), 9)  # of floats, 0.6 - 0.3 is less than 0.3
        if gap >= WIDE_GAP and min(least.tops[:1] + most.tops[:1]) >= _FEWEST_AT_THE_TOP:
            says = (
                f"{_percent(max(shares), 0)} of the top {UNJUDGED_AT[0]} of {most.run} are unjudged, "
                f"{_percent(min(shares), 0)} of {least.run}"
            )
            advice = "the difference may be due to missing judgments: judged_only=True compares judged documents only"
            if least.judged == least.retrieved:
                says += ", whose documents are all judged: it was probably cut to judged ones, which favours it"
                advice = "judged_only=True compares judged documents only"
            yield Finding("warning", "unequally judged", 2, None, says, advice)
        yield Finding("remark", "unjudged", len(shares), None, f"{self._tops()} are unjudged", _UNJUDGED)

    def _repr_html_(self) -> str:
        from cranfield.results.html import html_table

        return html_table(self.sheet().filled(), above=self.remarks())

    def __str__(self) -> str:
        return "\n".join(map(printable, [self.caption(), *self.remarks()]))

    @property
    def tied(self) -> float:
        """The share of documents, of all runs, that share their score with another of the topic."""
        retrieved = sum(run.retrieved for run in self.runs)
        return sum(run.tied for run in self.runs) / retrieved if retrieved else 0.0

    def line(self) -> str:
        """Return all facts in one line.

        >>> Audit((RunAudit("bm25", 2, ("403",), (), (), 2000, 6, (0.05, 0.25)),), 3, ()).line()
        'warning: 1 run lacks topics (bm25: 403), which count 0 (topics="shared" leaves them out, missing="empty" counts them as empty lists); 1 run, 3 topics; 5.0% of the top 10 and 25.0% of the top 100 are unjudged; 0.3% of documents are tied'
        """  # noqa: E501
        return "; ".join(self.lines())

    def lines(self, level: str = "rel=", most: int | None = None) -> tuple[str, ...]:
        """Return a line for each fact: probable mistakes first, then what was scored, and what is good to know.

        Parameters
        ----------
        level
            The name of the option that sets another relevance level, as commands have it or Python.
        most
            How many facts to give, without what hardly matters; a last line counts the others. By default all.

        Examples
        --------
        >>> Audit((RunAudit("bm25", 3, (), (), (), 2000, 0, (0.0, 0.0)),), 3, (), grades=(0.0, 1.0, 2.0)).lines("--rel")
        ('1 run, 3 topics', 'grades 0 to 2, relevant from 1: --rel changes it', 'all of the top 100 judged')
        """
        shell = level.startswith("--")
        options = {"level": level, "complete": "--incomplete" if shell else "complete=False"}
        option = self._cure(shell=shell)
        grave, facts = list[str](), [f"{counted(len(self.runs), 'run')}, {self.population.of_topics}"]
        for found in self.findings:
            if most is not None and found.code == "ties" and self.tied < FEW_TIES:
                continue
            if found.severity == "remark":
                said = str(found) if found.code == "convention" else found.says
                facts.append(f"{said}: {options[found.code]} changes it" if found.code in options else said)
            else:
                grave.append(f"warning: {found.says}" + f" ({option})" * (found.code == "missing topics"))
        facts = [*grave, *facts, *[f"all of the top {UNJUDGED_AT[-1]} judged"] * self._all_judged]
        others = len(facts[most:]) if most is not None else 0
        return (*facts[:most], *[f"{others} more: {'--full-audit' if shell else 'see .audit'}"] * bool(others))

    def said(self) -> tuple[str, ...]:
        """Return the first of these lines, each marked as an audit's; none if there is nothing to report."""
        return tuple(f"audit: {line}" for line in self.lines(most=MOST_FACTS)) if self.findings else ()

    def said_of(self, topic: str) -> tuple[str, ...]:
        """Return such lines for one topic; none if there is nothing to report.

        Unjudged and tied shares are omitted: they were counted over all topics.

        >>> found = Audit((RunAudit("bm25", 2, ("403",), (), (), 2000, 6, (0.05, 0.25)),), 3, ())
        >>> found.said_of("403")[1:], found.said_of("401")
        (('audit: 1 run, 1 topic',), ())
        """

        def only(topics: tuple[str, ...]) -> tuple[str, ...]:
            return (topic,) if topic in topics else ()

        runs = (
            replace(run, missing=only(run.missing), empty=only(run.empty), extra=(), tied=0, unjudged=())
            for run in self.runs
        )
        further = tuple(found for found in self.further if found.code not in {"convention", "only", "unknown topics"})
        bare = replace(
            self, topics=1, runs=tuple(runs), further=further, without_relevant=only(self.without_relevant),
            passed_over=(), turned=(), without_judgment=(),
        )  # fmt: skip
        return bare.said()

    def of_runs(self, names: Sequence[str]) -> Audit:
        """Return the audit of some of the runs, in this order; findings about first rows stay."""
        found = {run.run: run for run in self.runs}
        turned = self.turned if len(names) == len(self.runs) else ()  # which is about all pairs
        return replace(self, runs=tuple(found[name] for name in names), turned=turned)

    def without(self, code: str) -> Audit:
        """Return the same without a finding about first rows or the qrels, which was answered."""
        return replace(self, further=tuple(found for found in self.further if found.code != code))

    @property
    def _all_judged(self) -> bool:
        """Whether all of the top of each run is judged; it is not known where it was not counted."""
        return all(run.unjudged and not any(run.unjudged) for run in self.runs)

    def _tops(self) -> str:
        """Say how much of the top is unjudged, and of which run most."""
        tops = []
        deep = any(run.tops[:1] != run.tops[1:] for run in self.runs) or not all(run.tops for run in self.runs)
        for i, k in enumerate(UNJUDGED_AT if deep else UNJUDGED_AT[:1]):
            share = [run.unjudged[i] for run in self.runs]
            worst = [self.runs[run].run for run in largest(share)]
            text = f"{_percent(sum(share) / len(share))} of the top {k}"
            if max(share) >= 0.005 and len(worst) < len(share):
                text += f" (most: {listed(worst)}, {_percent(max(share), decimals=0)})"
            tops.append(text)
        return " and ".join(tops)

    def _topics_found(self, of: str) -> Iterator[Finding]:
        """Find the runs that have topics of a kind, and say which."""
        found = [(run.run, getattr(run, of)) for run in self.runs if getattr(run, of)]
        if found:
            severity, one, several, advice = _TOPICS[of]
            many = f"{len(found)} of {counted(len(self.runs), 'run')}" if len(self.runs) > 1 else "1 run"
            named = "; ".join(f"{run}: {listed(topics)}" for run, topics in found[:3])
            more = f"; and {len(found) - 3} more" if len(found) > 3 else ""
            says = f"{many} {several if len(found) > 1 else one} ({named}{more})"
            if of == "missing":
                severity, become = _LACKED[self.lacked]
                advice = self._cure(shell=False) if self.lacked == "zero" else ""
                says = self._lacked_by_all() if self._hardly_asked and len(self.runs) > 1 else says
                says += f", which {become}{best_by(self.flatter) if self.lacked == 'zero' else ''}"
            yield Finding(severity, f"{of} topics", len(found), None, says, advice)

    @cached_property
    def _lacking(self) -> Population:
        """The topics that runs lack, and those that no run has, whether or not they count."""
        return Population.of([run.missing for run in self.runs], self.topics)

    @property
    def _hardly_asked(self) -> bool:
        """Whether all runs lack some topics, so that these were hardly asked: of one run, half of them or more."""
        found = self._lacking
        return bool(found.nowhere) and found.topics > 0 and (found.runs > 1 or 2 * found.topics <= self.topics)

    def _lacked_by_all(self) -> str:
        """Say which topics no run has, and which runs lack more."""
        found = self._lacking
        runs = "both runs" if found.runs == 2 else f"all {found.runs:,} runs"
        names = next([topic for topic in run.missing if topic in found.nowhere] for run in self.runs)
        if not found.alike:
            more = [run for run in self.runs if len(run.missing) > len(names)]
            extra = (f"{run.run}: {listed([t for t in run.missing if t not in found.nowhere])}" for run in more[:3])
            cut = f"; and {len(more) - 3} more" * (len(more) > 3)
            of = f"{len(names):,} of {counted(self.topics, 'topic')} ({listed(names)})"
            return f"{runs} lack the same {of}, {len(more):,} of them more ({'; '.join(extra)}{cut})"
        of = counted(self.topics, "topic")
        return f"{runs} have the same {found.topics:,} of {of} and lack {len(names):,} ({listed(names)})"

    def _cure(self, *, shell: bool) -> str:
        """Name the option that changes that topics are missing, as commands have it or Python."""
        found = self._lacking
        option, value = ("topics", "shared") if found.alike or not found.shared.topics else ("only", "common")
        cure = f"--{option} {value}" if shell else f'{option}="{value}"'
        if self._hardly_asked or not self.by_silence:
            if not found.shared.topics:
                return f"{cure} averages each run over its own"
            whose = "that all have" if found.runs > 1 else f"of {counted(self.topics, 'topic')} that it has"
            return f"{cure} averages over the {found.shared.topics:,} {whose}"
        silence = "--missing empty" if shell else 'missing="empty"'
        return f"{cure} leaves them out, {silence} counts them as empty lists"


class Audited(Result):
    """A result of runs and judgments: where people see its table, they see its audit below, if there is one."""

    audit: Audit | None

    def stated(self, **which: Any) -> dict[str, object]:
        """Return what stands before the rows of a verdict, and what the audit found."""
        return super().stated(**which) | {"audit": [] if self.audit is None else [*self.audit.facts()]}

    def __str__(self) -> str:
        return self._with_audit(super().__str__())

    def _repr_html_(self) -> str:
        from cranfield.results.html import html_table

        return html_table(self.opened_sheet(), below=(*self.remarks(), *self._said()))

    def _with_audit(self, shown: str) -> str:
        return "\n".join([shown, *map(printable, self._said())])

    def _said(self) -> tuple[str, ...]:
        return () if self.audit is None else self.audit.said()


class Seen(NamedTuple):
    """What a road finds in a run besides its rankings."""

    extra: tuple[str, ...]  # Topics that the qrels lack
    tied: int  # How many documents share their score with another
    own: tuple[str, ...] = ()  # Topics of the qrels that retrieve a document of their own id
    excluded: int = 0  # How many documents went before, since they do not count
    costless: int = 0  # How many documents have no cost of their own


def audit_run(
    run: str, judgments: Judgments, topics: Integers, length: Integers, ranks: Integers, seen: Seen
) -> RunAudit:
    """Look at one run: the codes and lengths of its topics, and the ranks of its judged documents."""
    retrieved, longest = int(length.sum()), int(length.max(initial=0))
    tops, unjudged = [], []
    for k in UNJUDGED_AT:  # a list that ends before is a top as a whole: loops over short ones have no time to spare
        there = retrieved if longest <= k else int(np.minimum(length, k).sum())
        found = len(ranks) if longest <= k else int(np.count_nonzero(ranks <= k))
        tops.append(there)
        unjudged.append(1 - found / there if there else 0.0)
    missing: tuple[str, ...] = ()
    if len(topics) < len(judgments.topics):  # a run has a topic once
        lacking = np.ones(len(judgments.topics), bool)
        lacking[topics] = False
        missing = tuple(judgments.topics[code] for code in np.flatnonzero(lacking))
    return RunAudit(
        run=run,
        topics=len(topics),
        missing=missing,
        extra=tuple(topic for topic in seen.extra if topic not in judgments.left_out),
        empty=() if length.all() else tuple(judgments.topics[code] for code in topics[length == 0]),
        retrieved=retrieved,
        tied=seen.tied,
        unjudged=tuple(unjudged),
        tops=tuple(tops),
        judged=len(ranks),
        own=seen.own,
        excluded=seen.excluded,
        costless=seen.costless,
    )


def grades_of(different: Floats, rel: float | None = None) -> tuple[float, ...]:
    """Return the different grades, rising; of very many the least, the least relevant and the largest."""
    grades = different[np.isfinite(different)]
    relevant = grades[is_relevant(grades, rel)]
    return tuple((grades if len(grades) <= LIKE_SCORES else np.unique([*grades[[0, -1]], *relevant[:1]])).tolist())


def unnamed(frames: Mapping[str, str]) -> Iterator[Finding]:
    """Say which of several frames without names is called what."""
    if frames:
        says = "; ".join(f"{run} is {what}" for run, what in frames.items())
        yield Finding("remark", "unnamed frames", len(frames), None, says, "{name: frame} names them")


def rising(run: str, rows: Sequence[HeadRow]) -> str:
    """Say of a run's first rows whether its scores rise where they should fall; an empty text where they do not."""
    by_rank = all(row.rank is not None for row in rows)
    up = down = 0
    for left, right in pairwise(sorted(rows, key=attrgetter("topic", "rank")) if by_rank else rows):
        if left.topic == right.topic and (not by_rank or left.rank != right.rank):
            up += right.score > left.score
            down += right.score < left.score
    if by_rank:
        if len(rows) >= _MIN_ROWS and all(row.score == row.rank for row in rows):
            return f"the scores of {run} are its ranks"
        return f"the scores of {run} rise with the rank" if up >= _MIN_ROWS - 1 and up > down else ""
    return (
        f"the scores of {run} rise from the first document of a list to the last" if up > _MIN_ROWS and not down else ""
    )


def not_falling(runs: Sequence[str]) -> Finding:
    """Say of which runs the scores rise."""
    more = f"; and {len(runs) - 3} more" if len(runs) > 3 else ""
    return Finding("warning", "rising scores", len(runs), None, f"{'; '.join(runs[:3])}{more}", _RISING)


def without_scores(runs: Sequence[str]) -> Finding:
    """Say which runs have ranks alone."""
    says = f"ranks instead of scores, which order the documents: {listed(runs)}"
    return Finding("remark", "ranks for scores", len(runs), None, says)


def nothing_judged(run: RunAudit, rows: Sequence[HeadRow], judgments: Judgments) -> Finding:
    """Say of a run that it has no document of the judgments, with an id of both."""
    here = next((row for row in rows if row.topic in judgments.code_of_topic), None)
    code = 0 if here is None else judgments.code_of_topic[here.topic]
    there = next(iter(judgments.documents[code]), "nothing")
    ids = f" it has {here.document!r}, they have {there!r}" if here else f" they have {there!r}, for example"
    says = f"none of the documents of {run.run} is judged in its topic:{ids}"
    return Finding("warning", "nothing judged", 1, None, says, "check that its ids match those of the judgments")


def golden_findings(golden: GoldenSet | None) -> Iterator[Finding]:
    """Find what a golden set says of texts that no document has, and of questions that it leaves open.

    >>> golden = GoldenSet("set.json", "RAGAS", {"Why?": ""}, {"When?": {}}, {}, unsaid=("Why?",))
    >>> [(found.severity, found.says) for found in golden_findings(golden)]
    [('remark', '1 question left out, for which the golden set names no evidence')]
    """
    for each in () if golden is None else golden.told():
        yield Finding("warning" if each.grave else "remark", each.code, each.number, None, each.says, each.advice)


def official(judgments: Judgments) -> Iterator[Finding]:
    """Propose the convention of the official figures, where the judgments leave no doubt about the collection."""
    if judgments.subtopics is not None:  # a track's other task, of the same topics
        return
    grades = distinct(judgments.grades[np.isfinite(judgments.grades)])  # what runs retrieved may be noted there, too
    found = recognised(judgments.topics, grades.tolist(), (each for some in judgments.documents for each in some[:5]))
    if found is not None and found.marks is not None:
        yield Finding("remark", "convention", 1, None, f"the qrels look like {found.marks.called}", found.proposal)


def by_name(judgments: Judgments) -> Iterator[Finding]:
    """Say by which name judgments were read, and what read them.

    >>> judged = Judgments.of_dict({"1": {"a": 1}}).of_provenance("irds:vaswani (ir_datasets 0.6.3)")
    >>> [found.says for found in by_name(judged)]
    ['judged by irds:vaswani (ir_datasets 0.6.3)']
    """
    if judgments.provenance:
        yield Finding("remark", "provenance", 1, None, f"judged by {judgments.provenance}")


def by_subtopic(judgments: Judgments) -> Iterator[Finding]:
    """Say how many subtopics were read, and how many of them no relevant document covers."""
    if judgments.subtopics is None:
        return
    grades = judgments.by_subtopic
    bare = len(grades) - len(distinct(grades.subtopic[grades.grade > 0].astype(np.float64)))
    topics = counted(len(distinct(grades.topic.astype(np.float64))), "topic")
    covered = f"{bare:,} of them covered by no document" if bare else "each covered by some document"
    verb = "is" if len(grades) == 1 else "are"
    says = f"{counted(len(grades), 'subtopic')} of {topics} {verb} judged, {covered}"
    advice = "Coverage counts these as missed, and StRecall leaves them out" if bare else ""
    yield Finding("remark", "subtopics", len(grades), None, says, advice)


def only_some(only: OnlyTopics | None, topics: Collection[str], left_out: Collection[str]) -> Iterator[Finding]:
    """Say how many of all topics count, where some were named, and which of these nobody judged.

    >>> [found.says for found in only_some(OnlyTopics.taken(["2", "9"]), ["2"], ["1", "3"])]
    ['1 of 3 topics counts (only: 2 topics)', '1 of the 2 topics of only is not judged (9)']
    """
    if only is None:
        return
    kept, how = len(topics), "which all runs have" if only.common else f"only: {only.given}"
    says = f"{kept:,} of {counted(kept + len(left_out), 'topic')} {'counts' if kept == 1 else 'count'} ({how})"
    yield Finding("remark", "only", kept, None, says)
    known = frozenset(topics)
    lacking = () if only.common else [topic for topic in only.topics if topic not in known]
    if lacking:
        verb = "is" if len(lacking) == 1 else "are"
        says = f"{len(lacking):,} of the {counted(len(only.topics), 'topic')} of only {verb} not judged"
        advice = "topics_file adds topics without judgments"
        yield Finding("warning", "unknown topics", len(lacking), None, f"{says} ({listed(lacking)})", advice)


def without_subtopics(judgments: Judgments, measures: Sequence[str]) -> Iterator[Finding]:
    """Say which measures of subtopics found none.

    >>> [found.says for found in without_subtopics(Judgments.of_dict({"1": {"a": 1}}), ["StRecall@10"])]
    ['the judgments have no subtopics: each topic counts as its only one for StRecall@10']
    """
    if measures and judgments.subtopics is None:
        says = f"the judgments have no subtopics: each topic counts as its only one for {listed(measures)}"
        advice = "subtopics='read' reads the second column of the qrels as one"
        yield Finding("warning", "no subtopics", len(measures), None, says, advice)


def like_scores(judgments: Judgments) -> Iterator[Finding]:
    """Find grades that are rather scores."""
    grades = judgments.grades[np.isfinite(judgments.grades)]
    broken = grades[grades % 1 != 0]
    if len(grades) > LIKE_SCORES and len(broken):
        says = f"the judgments have {len(grades):,} different grades, such as {broken[len(broken) // 2]:.7g}"
        advice = "give the qrels first, then the runs"
        yield Finding("warning", "grades like scores", len(grades), None, f"{says}: they look like scores", advice)


def without_relevant(judgments: Judgments, rel: float | None = None) -> tuple[str, ...]:
    """Return the topics that have no relevant document."""
    return judgments.remembered(
        ("without relevant", rel),
        lambda: tuple(judgments.topics[code] for code in np.flatnonzero(judgments.recall_base(rel) == 0)),
    )


def _percent(share: float, decimals: int = 1) -> str:
    return f"{100 * share:.{decimals}f}%"
