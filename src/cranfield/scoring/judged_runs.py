"""The door: whoever needs runs with judgments opens them here, to be scored as they are read, or kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Self, Unpack

import numpy as np
import numpy.typing as npt

from cranfield.formats import (
    QrelsLike,
    RunsLike,
    RunSource,
    found_runs,
    golden_set_of,
    nested_qrels,
    one_grade,
    passed_over,
    plain_qrels,
    read_judged,
    refuse_swapped,
    settle,
)
from cranfield.formats.named_datasets import dataset_in
from cranfield.judged.audit import (
    Audit,
    RunAudit,
    by_name,
    by_subtopic,
    golden_findings,
    grades_of,
    like_scores,
    not_falling,
    nothing_judged,
    official,
    only_some,
    rising,
    unnamed,
    without_relevant,
    without_scores,
    without_subtopics,
)
from cranfield.judged.condition_files import OnlyTopics
from cranfield.judged.conditions import (
    CONDITION_FILES,
    USUAL_GRADING,
    USUAL_READING,
    Asked,
    AskedGrading,
    AskedReading,
    Conditions,
    Grading,
    Reading,
    asked_of_grading,
    followed,
)
from cranfield.judged.judgments import Judgments
from cranfield.judged.population import Population
from cranfield.judged.rankings import JudgedRankings
from cranfield.judged.topic_ids import like_clusters
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames, parse_measures
from cranfield.plumbing.arrays import Booleans, Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.late import Later
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Count, Order, checked, shown
from cranfield.plumbing.surface import take_scores
from cranfield.plumbing.tables import QUERY, SUBTOPIC, Subtopics, refuse_average
from cranfield.results.finding import Finding
from cranfield.scoring.blocks import Block, as_taken, over_topics, score
from cranfield.scoring.engines.local import ranked_batches, topics_of_all, with_retrieved
from cranfield.scoring.orientation import flattering, punishing
from cranfield.scoring.scores import Scores
from cranfield.statistics.usual import NOT_RUN

if TYPE_CHECKING:
    from cranfield.scoring.panel import Panel

Progress = Callable[[int, int], None]
"""Hears how many are done, and of how many."""


@dataclass(frozen=True, eq=False)
class Opened:
    """Runs and judgments, checked and ready to be gone through, batch by batch."""

    judgments: Judgments  # the judgments, with the facts of the whole collection
    sources: tuple[RunSource, ...]  # where the runs come from
    reading: Reading  # how they are read and ranked
    # the judged rankings, a few runs at a time, in the order given: made as they are asked for, once
    batches: Iterable[JudgedRankings]
    # how judgments are taken where nothing else is asked for
    grading: Grading = field(default=USUAL_GRADING, kw_only=True)
    passed_over: tuple[str, ...] = field(default=(), kw_only=True)  # files in folders of runs that are plainly no run
    looks: bool = field(default=True, kw_only=True)  # whether the audit looks at the first rows of each run, too

    def score(self, measures: Sequence[Measure], grading: Grading, *, levels: bool = False) -> Scores:
        """Score all runs, in the order of the batches, which are let go one by one.

        If levels, several runs are scored at the other levels of relevance, too, and the audit says what
        those would turn round.
        """
        self.refuse_subtopics(measures)
        if not levels or len(self.sources) < 2:
            return self.scores_of([score(batch, measures, grading) for batch in self.batches], measures, grading)
        from cranfield.scoring.levels import OtherLevels

        blocks, others = [], OtherLevels.of(self.judgments, measures, grading)
        for batch in self.batches:
            blocks.append(score(batch, measures, grading))
            others.score(batch)
        scores = self.scores_of(blocks, measures, grading)
        return replace(scores, audit=replace(scores.audit, turned=others.turned(scores, self.judgments)))

    def refuse_subtopics(self, measures: Iterable[Measure]) -> None:
        """Raise an error where a document has several grades, and a measure looks at one, which nobody chose."""
        subtopics = self.judgments.subtopics
        if subtopics is None or self.reading.subtopics == "max" or not subtopics.several:
            return
        if blind := next((measure for measure in measures if not measure.by_subtopic and not measure.text), None):
            raise InputError(
                f"{blind} knows no subtopics, and these judgments are by subtopic; --subtopics max (subtopics='max') "
                "takes the largest grade of each document for it, and measures of subtopics still read them all"
            )

    def scores_of(
        self, blocks: Sequence[Block], measures: Sequence[Measure], grading: Grading, *, late: bool = False
    ) -> Scores:
        """Put together what the batches were scored, of all topics or of some.

        A late audit is made when somebody asks for it, and until then keeps these sources and batches alive.
        """
        blocks = over_topics(blocks, self.judgments)
        audit = Later(lambda: self.audited((audit for block in blocks for audit in block.audits), grading, measures))
        conditions, judgments = Conditions(self.reading, grading), self.judgments
        found = audit if late else audit.make()
        return Scores.of(blocks, measures, judgments.topics, conditions, found, self.tags, judgments.top_grade)

    def audited(
        self, runs: Iterable[RunAudit], grading: Grading | None = None, measures: Sequence[Measure] | None = None
    ) -> Audit:
        """Put together what was found of the runs, and what is known of the qrels.

        The level of relevance is left out where none of the measures heeds it.
        """
        judgments, runs, grading = self.judgments, tuple(runs), grading or self.grading
        no_answer = without_relevant(judgments, grading.rel)
        excluded = self.reading.exclude
        return Audit(
            runs,
            len(judgments.topics),
            no_answer,
            self.reading.order,
            self.passed_over,
            judgments.remembered(("grades", grading.rel), lambda: grades_of(judgments.grades, grading.rel))
            if measures is None or any(measure.takes_level for measure in measures)
            else (),
            grading.rel,
            (
                *(found for found in self.looked_at(runs) if grading.convention is None or found.code != "convention"),
                *without_subtopics(judgments, [str(each) for each in measures or () if each.by_subtopic]),
            ),
            all(source.has_ranks for source in self.sources),
            lacked=self.reading.lacked,
            exclude=None if excluded is None else str(excluded),
            kept=judgments.relevant_among(excluded),
            without_judgment=judgments.without_judgment,
            costs=None if self.reading.costs is None else self.reading.costs.described,
            budget=self.reading.budget,
            by_cost=() if self.reading.costs else tuple(str(measure) for measure in measures or () if measure.by_cost),
            punish=punishing(as_taken(measures or (), grading), judgments.grades, grading.rel) if no_answer else (),
            flatter=flattering(as_taken(measures or (), grading)),
            complete=judgments.complete_since,
        )

    def looked_at(self, runs: Sequence[RunAudit]) -> tuple[Finding, ...]:
        """Look at the first rows of the runs, where scores are to rank them, and at what the qrels hold."""
        sources = {source.name: source for source in self.sources}
        strangers, by_rank, strange = [], [], []
        for run in runs if self.looks else ():  # rows are let go at once: many of them keep the garbage collector busy
            rows = sources[run.run].head()
            gone = run.excluded or not len(self.judgments)  # what was judged may be what went
            if run.judged == 0 and run.retrieved and not gone:
                strangers.append(nothing_judged(run, rows, self.judgments))
            if rows and all(row.score == -(row.rank or inf) for row in rows):
                by_rank.append(run.run)
            if wrong := rising(run.run, rows):
                strange.append(wrong)
        judgments = self.judgments
        return (
            *judgments.remembered(
                "findings",
                lambda: (
                    *like_scores(judgments),
                    *official(judgments),
                    *like_clusters(judgments.topics),
                    *by_name(judgments),
                    *by_subtopic(judgments),
                    *only_some(judgments.only, judgments.topics, judgments.left_out),
                ),
            ),
            *strangers,
            *unnamed({source.name: source.says for source in self.sources if source.says}),
            *golden_findings(judgments.golden),
            *([without_scores(by_rank)] if by_rank else []),
            *([not_falling(strange)] if strange and self.reading.order in ("score", "trec9") else []),
        )

    def tags(self) -> list[str]:
        """Say what each run calls itself."""
        return [source.tag() for source in self.sources]


@dataclass(frozen=True, eq=False)
class JudgedRuns(Opened):
    """All runs of a study, ranked and joined with the judgments; no file is read again.

    Attributes
    ----------
    batches
        The rankings, a few runs at a time, in the order given.
    audit
        What was found of the runs and the qrels on the way.
    """

    batches: tuple[JudgedRankings, ...]
    audit: Audit

    @cached_property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs."""
        return tuple(name for batch in self.batches for name in batch.runs)

    @property
    def topics(self) -> tuple[str, ...]:
        """Ids of the topics, in the order of the qrels."""
        return self.judgments.topics

    @cached_property
    def present(self) -> Booleans:
        """Array of shape (runs, topics): whether the run has the topic."""
        return np.concatenate([batch.present for batch in self.batches]).reshape(len(self.runs), len(self.topics))

    @cached_property
    def population(self) -> Population:
        """The topics that count, and their judgments."""
        return self.audit.population.judged_by(self.judgments)

    def of_run(self, number: int) -> JudgedRankings:
        """Return the rankings of one run, by its place among the runs."""
        for batch in self.batches:
            if number < len(batch.runs):
                return batch.only(number)
            number -= len(batch.runs)
        raise IndexError(f"there are {len(self.runs)} runs")

    @property
    def not_run(self) -> tuple[tuple[str, int], ...]:
        """The runs that did not run, by the usual rule, and how many topics each lacks: all of them, if none ran.

        >>> runs = {"old": {t: ["a"] for t in "1234"}, "new": {"1": ["a"], "2": ["a"]}}
        >>> join({t: {"a": 1} for t in "1234"}, runs).not_run
        (('new', 2),)
        """
        from cranfield.scoring.panel import who_ran

        lacking = who_ran(self.present, NOT_RUN).tolist()
        return tuple((run, many) for run, many in zip(self.runs, lacking, strict=True) if many)

    @cached_property
    def that_ran(self) -> Self:
        """The same without the runs that did not run; all of them, if none ran."""
        gone = dict(self.not_run)
        return self if len(gone) in (0, len(self.runs)) else self.of_runs([run for run in self.runs if run not in gone])

    def of_runs(self, names: Sequence[str]) -> Self:
        """Return some of the runs, in this order.

        >>> joined = join({"1": {"a": 1}}, {"b": {"1": {"a": 1.0}}, "c": {"1": {"x": 1.0}}, "d": {"1": {"a": 1.0}}})
        >>> joined.of_runs(["d", "b"]).runs
        ('d', 'b')
        """
        places = [self.runs.index(name) for name in names]
        batches = tuple(self.of_run(place) for place in places)
        some = replace(self, sources=tuple(self.sources[place] for place in places), batches=batches)
        audits = tuple(audit for batch in batches for audit in batch.audits)
        return replace(some, audit=replace(some.audited(audits), further=Opened.looked_at(some, audits)))

    def of_topic(self, topic: str) -> Self:
        """Return the same runs on one topic, ranked again.

        >>> runs = join({"1": {"a": 1}, "2": {"a": 1}}, {"r": {"1": {"a": 2.0}, "2": {"x": 2.0, "a": 1.0}}})
        >>> runs.of_topic("2").scores("RR").averages.tolist()
        [[0.5]]
        """
        judgments = self.judgments.of_topic(topic)
        if not self.present[:, self.judgments.code_of_topic[topic]].any():
            raise InputError(f"no run has topic {shown(topic)}, though the qrels have it")
        batches = tuple(ranked_batches(self.sources, judgments, self.reading, strangers=True))
        audit = self.audited(audit for batch in batches for audit in batch.audits)
        return replace(self, judgments=judgments, batches=batches, audit=audit)

    def looked_at(self, runs: Sequence[RunAudit]) -> tuple[Finding, ...]:
        """Give what was found when the runs were joined; experiments score them again and again."""
        return self.audit.further

    def under(self, **grading: Unpack[AskedGrading]) -> Self:
        """Return the same runs under other grading conditions: see `Grading`.

        >>> runs = join({"1": {"a": 1, "b": 2}}, {"r": {"1": {"a": 2.0, "b": 1.0}}})
        >>> [float(judged.scores("RR").averages[0, 0]) for judged in (runs, runs.under(rel=2))]
        [1.0, 0.5]
        """
        otherwise = self.grading.but(**grading)
        if otherwise == self.grading:
            return self
        return replace(self, grading=otherwise, audit=self.audited(self.audit.runs, otherwise))

    def score(self, measures: Sequence[Measure], grading: Grading, *, levels: bool = False) -> Scores:
        """Score all runs; bounds are about what they retrieved, of which note is taken if it was not yet."""
        noted = self.with_retrieved if grading.bounds else self
        return super(JudgedRuns, noted).score(measures, grading, levels=levels)

    @cached_property
    def with_retrieved(self) -> Self:
        """The same runs, joined with judgments that take note of what they retrieved: once more, if they do not yet."""
        if self.batches[0].judgments.retrieved is not None:
            return self
        judgments = with_retrieved(self.sources, self.batches[0].judgments, self.reading)
        batches = tuple(ranked_batches(self.sources, judgments, self.reading, strangers=True))
        return replace(self, judgments=judgments, batches=batches)

    def scores(self, measures: MeasureNames, grade: Floats | None = None, *, levels: bool = False) -> Scores:
        """Score all runs.

        Parameters
        ----------
        measures
            The measures to compute.
        grade
            Other grades for the same documents, in the order of the judgments; NaN makes a document
            unjudged.
        levels
            Whether the audit reports what other relevance levels would reverse, which scores some of the
            measures again.
        """
        return self._judged_by(grade).score(parse_measures(measures), self.grading, levels=levels)

    def panel(self, measures: MeasureNames, grade: Floats | None = None) -> Panel:
        """Score all runs, and lay the values out to be compared: see `Panel`."""
        from cranfield.scoring.panel import panel_of

        return panel_of(self.scores(measures, grade))

    def _judged_by(self, grade: Floats | None) -> Self:
        if grade is None:
            return self
        if self.grading.bounds and self.judgments.retrieved is None:
            noted = self.with_retrieved
            return noted._judged_by(noted.judgments.spread(grade))
        judgments = self.batches[0].judgments.with_grades(grade)
        return replace(self, batches=tuple(batch.by(judgments) for batch in self.batches))

    @cached_property
    def fingerprint(self) -> str:
        """A digest of all rankings, judgments and conditions: two studies with the same one study the same."""
        costs = self.reading.costs and self.reading.costs.digest
        from hashlib import sha256

        digest = sha256(repr((self.runs, self.topics, self.reading, self.grading, costs)).encode())
        arrays: list[npt.NDArray[np.generic]] = [self.judgments.topic, self.judgments.grade]
        if (by := self.judgments.subtopics) is not None:
            digest.update(repr(by.name.tolist()).encode())
            said = (each for each in (by.vital, by.weight) if each is not None)
            arrays += [by.topic, by.judgment, by.subtopic, by.grade, *said]
        for batch in self.batches:
            arrays += [batch.length, batch.present, batch.row, batch.rank, batch.judgment]
        for array in arrays:
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:16]

    @cached_property
    def contents(self) -> str:
        """A digest of everything that the runs say, unjudged documents and scores too: they are read again for it."""
        from hashlib import sha256

        digest = sha256(self.fingerprint.encode())
        for source in self.sources:
            digest.update(source.read().hash_rows(seed=0).to_numpy().tobytes())
        return digest.hexdigest()[:16]


def join(
    qrels: QrelsLike | Judgments | JudgedRuns,
    runs: RunsLike | None = None,
    *,
    bounds: bool = False,
    workers: int | None = None,
    progress: Progress | None = None,
    **conditions: Unpack[Asked],
) -> JudgedRuns:
    """Read the runs and join them with the judgments once, for all later analyses.

    All runs stay in memory (a run of 50 topics and 1,000 documents takes about half a megabyte),
    while `evaluate` releases each once scored. Pass the result to `evaluate`, `compare`, `curve`
    and every experiment; ``rel``, ``judged_only`` and ``convention`` apply there unless set
    otherwise.

    Parameters
    ----------
    qrels, runs, workers, progress
        As in `evaluate`.
    bounds
        Read the runs twice now, so that bounds do not need to read them again.
    **conditions
        `Asked`

    Examples
    --------
    >>> runs = join({"1": {"a": 2, "b": 0}}, {"bm25": {"1": {"b": 3.0, "a": 2.5}}})
    >>> runs.scores(["AP", "RR"]).averages.tolist()
    [[0.5], [0.5]]
    """
    found = opened(qrels, runs, conditions, bounds=bounds, workers=workers, progress=progress)
    if isinstance(found, JudgedRuns):
        return found
    batches = tuple(found.batches)
    audit = found.audited(audit for batch in batches for audit in batch.audits)
    return JudgedRuns(
        found.judgments, found.sources, found.reading, batches, audit,
        grading=found.grading, passed_over=found.passed_over,
    )  # fmt: skip


def by_what(
    measures: MeasureNames | None, qrels: object, conditions: Asked, usual: tuple[str, ...] = ("nDCG@10",)
) -> MeasureNames:
    """Return the measures that are asked for; where there are none, those of the convention, or what is usual."""
    if measures is not None:
        return measures
    grading = qrels.grading if isinstance(qrels, JudgedRuns) else USUAL_GRADING
    return grading.but(convention=conditions.get("convention")).measures(usual)


def knowing(measures: MeasureNames | None, qrels: object, conditions: Asked, subtopics: Subtopics = "auto") -> Asked:
    """Read judgments by subtopic without being asked, where every measure looks at subtopics."""
    if measures is None or conditions.get("subtopics") is not None or isinstance(qrels, JudgedRuns):
        return conditions
    asked = parse_measures(measures, complete=False)
    known = bool(asked) and all(measure.by_subtopic for measure in asked)
    return {**conditions, "subtopics": subtopics} if known else conditions


def opened(
    qrels: QrelsLike | Judgments | JudgedRuns,
    runs: RunsLike | None,
    asked: Asked,
    *,
    usual: Order = "score",
    bounds: bool = False,
    workers: int | None = None,
    progress: Progress | None = None,
    parts: bool = False,
) -> Opened:
    """Open runs with judgments, or take those that are joined already."""
    workers = checked("workers", workers, Count | None)
    if isinstance(qrels, JudgedRuns):
        if runs is not None:
            raise InputError("the runs are already joined with their judgments; pass them alone")
        options = followed(asked)
        if options["complete"] == qrels.judgments.complete:  # as they were taken, asked or not
            options["complete"] = None
        qrels.reading.refuse_another(options)
        return (qrels.with_retrieved if bounds else qrels).under(**asked_of_grading(asked))
    if isinstance(runs, JudgedRuns):
        raise InputError("these runs are already joined with judgments; pass them alone, without qrels")
    refuse_swapped(qrels, runs)
    asked = settle(asked, qrels, runs, *(asked.get(name) for name in CONDITION_FILES))
    conditions = Conditions.asked(usual, **asked)
    reading = conditions.reading
    sources = open_runs(runs, reading)
    if reading.only is not None and reading.only.common:
        reading = replace(reading, only=OnlyTopics(reading.only.given, topics_of_all(sources, workers=workers)))
    judgments = open_qrels(qrels, reading)
    refuse_average(judgments.topics)
    if conditions.grading.judged_only:
        judgments = judgments.taken_as(complete=False)
    if bounds:
        judgments = with_retrieved(sources, judgments, reading, workers=workers)
    batches = ranked_batches(sources, judgments, reading, workers=workers, progress=progress, parts=parts)
    return Opened(judgments, sources, reading, batches, grading=conditions.grading, passed_over=passed_over(runs))


def reading_of(runs: RunsLike | JudgedRuns, asked: AskedReading) -> Reading:
    """Return how runs are read: as is asked, or as those that are joined were, which refuse another reading."""
    if not isinstance(runs, JudgedRuns):
        return Reading.asked(**settle(asked, runs))
    runs.reading.refuse_another(asked)
    return runs.reading


def open_qrels(qrels: QrelsLike | Judgments, reading: Reading = USUAL_READING) -> Judgments:
    """Open judgments: what `read_qrels` takes, or `Judgments`, already prepared; those of excluded documents go."""
    found = _opened(qrels, reading)
    if reading.topics_file is not None:
        found = found.with_topics(reading.topics_file.topics)
    if reading.only is not None:
        if not reading.only.topics:
            raise InputError("only='common' needs all runs of a call, which are unknown here; list the topics")
        found = found.restricted_to(reading.only)
    found = found.taken_as(reading.complete)
    return found if reading.exclude is None or not reading.residual else found.without(reading.exclude)


def _opened(qrels: QrelsLike | Judgments, reading: Reading) -> Judgments:
    if isinstance(qrels, Judgments):
        return qrels
    if (dataset := dataset_in(qrels)) is not None:
        return _read(qrels, reading).of_provenance(dataset.provenance)
    golden = golden_set_of(qrels, reading.naming)
    return _read(qrels, reading) if golden is None else _read(golden.qrels, reading).of_golden(golden)


def _read(qrels: QrelsLike, reading: Reading) -> Judgments:
    read = plain_qrels(qrels, comments=reading.comments, naming=reading.naming) if reading.subtopics != "read" else None
    if read is not None and (natively := Judgments.of_lines(read)) is not None:
        return natively
    nested = nested_qrels(qrels, comments=reading.comments, naming=reading.naming)
    plain = Judgments.of_dict(nested) if nested and reading.subtopics != "read" else None
    if plain is not None:
        return plain
    table, empty = _table(qrels, reading)
    topics = list(dict.fromkeys(map(str, nested) if nested else (*table[QUERY].unique(maintain_order=True), *empty)))
    return Judgments.of_subtopics(table, topics) if SUBTOPIC in table.columns else Judgments(table, topics)


def _table(qrels: QrelsLike, reading: Reading) -> tuple[pl.DataFrame, tuple[str, ...]]:
    return read_judged(qrels, comments=reading.comments, subtopics=reading.subtopics, naming=reading.naming)


def qrels_table(qrels: QrelsLike | Judgments, reading: Reading = USUAL_READING) -> pl.DataFrame:
    """Open judgments as a table, in the order in which they were made."""
    if isinstance(qrels, Judgments):
        return qrels.table()
    table, _ = _table(qrels, reading)
    return one_grade(table) if SUBTOPIC in table.columns else table


def open_runs(runs: RunsLike | JudgedRuns | None, reading: Reading = USUAL_READING) -> tuple[RunSource, ...]:
    """Find the runs: whatever `read_runs` takes, or the sources of `JudgedRuns`."""
    if isinstance(runs, JudgedRuns):
        return runs.sources
    if runs is None:
        raise InputError(f"no run is given; {take_scores()}")
    return found_runs(runs, comments=reading.comments, repeated=reading.repeated, naming=reading.naming).sources
