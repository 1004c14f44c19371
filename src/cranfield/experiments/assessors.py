"""Does it matter who judged?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias

import numpy as np

from cranfield.experiments.declared import Columns, Rows, stacked
from cranfield.experiments.experiment import Outcome, experiment, number_measures
from cranfield.experiments.judge_orders import BesideJudge, MadeWithJudge, made_with, read_beside
from cranfield.experiments.judge_tables import (
    against_qrels,
    answers,
    biases,
    by_topic,
    circular_run,
    correlated,
    given,
    repeated,
    with_one_more,
)
from cranfield.formats import expand, run_name
from cranfield.formats.teams import KIND, read_teams
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames, listed
from cranfield.plumbing.arrays import Booleans, Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import ENOUGH, Count, Depth, Range, Seed, Weights
from cranfield.plumbing.wording import counted, named
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.panel import Panel
from cranfield.selection.assessors import Labels, Ratings, by_assessor, grades_of, refuse_same_names

MAIN = "qrels"
"""What the judgments that the runs were joined with are called."""

_MEASURES: Final = ("AP", "Bpref", "RBP(p=0.8,rel=1)", "nDCG(base=10)", "Twist")  # The measures, if none are named

Documents: TypeAlias = Literal["common", "all"]


@experiment
def assessors(
    runs: JudgedRuns | None = None,
    measures: MeasureNames = _MEASURES,
    *,
    assessors: tuple[Path, ...] = (),
    scores: Path | None = None,
    circular: tuple[str, ...] = (),
    matched: tuple[str, ...] = (),
    documents: Documents = "common",
    weights: Weights = "linear",
    kinds: Path | None = None,
    best: Annotated[int, Range(at_least=2, at_most=ENOUGH)] = 10,
    pool: Depth = 10,
    resamples: Count = 1000,
    seed: Seed = 7,
) -> Outcome:
    r"""Do the assessors agree, and would another assessor have ranked the runs differently?

    Assessors are people or models. Each pair of them is compared, and each with the qrels of the runs, named "qrels".
    Agreement is over the documents that both judged. The runs are ranked by means over the topics that both judged, and
    the two rankings are compared by Kendall's τ_b. Documents missing from the qrels are left out.

    Labels on another scale than the grades of the qrels (0 to 5, 0 to 1, real numbers) are not translated. Such
    assessors are only in the tables that need just the order of their labels: labels, against_qrels (the concordance)
    and circular.

    Scores by people replace qrels and runs where only leaderboards are known; the assessors are files of scores by
    judges then. The tables orders, orders_by_topic, pairs, circular and leaderboards have rows, and what they call the
    qrels are the scores by people. All measures, runs and topics that both have are compared.

    Parameters
    ----------
    runs
        The runs, joined with the judgments; None with scores.
    measures
        The measures by which runs are scored.
    assessors
        Files of qrels, one for each assessor, or a folder of them; a file of several names them in its second
        column. Answers of one judge at several times are named
        NAME@1, NAME@2 and so on (gpt@1.txt, gpt@2.txt). With scores: files of scores, one for each judge.
    scores
        People's scores of the runs, instead of qrels and runs: a long table (run, topic, measure, value) as csv, json
        or parquet, or one of AutoJudge's formats (tot, ir_measures, ranking, jsonl; trec_eval as a folder).
    circular
        The runs that were made with the judge, such as those reranked by the same model.
    matched
        With scores: pairs of measures that are compared, people's first, where names differ (nDCG@10=helpfulness).
    documents
        Which documents score the runs: those that both judged (``common``: rankings differ because
        opinions do) or everything each assessor judged (``all``: rankings also differ because one
        judged more).
    weights
        How disagreement grows with the distance of the grades in the weighted kappa and in AC2.
    kinds
        A file with the kind of each run: two columns, run and kind.
    best
        How many runs count as the best, for their own tau and for the share of them that both have.
    pool
        The circular run has the documents that some run has down to this rank.
    resamples
        How many bootstrap samples of topics and of runs the intervals of orders, and of places gained, are from.
    seed
        Seed of these samples.

    Tables
    ------
    agreement
        A row for each pair of assessors with a judged document in common.
        assessor_a, assessor_b : text
        topics, documents : whole number
            How many both judged.
        same_grade : number
            The share of these documents to which both gave the same grade.
        overlap : number
            The number of documents that both found relevant, divided by the number that either did;
            null where neither found one.
        kappa, weighted_kappa : number
            Cohen's kappa; the second is weighted by the distance between grades.
        alpha_nominal, alpha_ordinal : number
            Krippendorff's alpha for nominal and for ordinal grades.
        ac1, ac2 : number
            Gwet's AC, plain and weighted. These six are null for a single document, from which chance
            agreement cannot be estimated.
    labels
        A row for each assessor: what was given.
        assessor : text
        same_scale : yes or no
            Whether 99% of the labels or more are grades of the qrels' scale.
        documents, missing : whole number
            How many documents of the qrels have a label, and how many have none.
        outside : whole number
            How many labels are not on the scale.
        different : whole number
            How many different labels there are.
        lowest, highest : number
    against_qrels
        A row for each assessor and statistic, over the documents that both judged, with 95% intervals for
        topics like these: the jackknife over topics, and for the concordance Wilson's interval. Intervals
        are null for a single topic.
        assessor, statistic : text
            same_grade; over_rated, under_rated (shares with a higher and a lower label); leniency (mean
            label less mean grade); kappa, weighted_kappa; ac1, ac2 (Gwet's); alpha_nominal, alpha_ordinal
            (Krippendorff's); concordance (of two documents of a topic with different grades, how often the better
            one has the higher label, ties counting half; the mean over topics).
        value, low, high : number
    by_topic
        A row for each assessor and topic with a label.
        assessor, topic : text
        documents : whole number
        same_grade, over_rated, under_rated, leniency, kappa, weighted_kappa, alpha_ordinal : number
            As of against_qrels; null for an assessor on another scale, and the last three for a single document.
        concordance : number
            Null where all documents have one grade.
    repeatability
        A row for each two answers of one judge (NAME@1 and NAME@2) and statistic, over the documents that have both
        labels, on the judge's own scale; with 95% intervals for topics like these.
        judge, answer_a, answer_b : text
        documents : whole number
        statistic : text
            same_label; higher, lower (shares with a higher and a lower label the second time); kappa,
            alpha_ordinal, both null for a judge with more than 100 different labels.
        value, low, high : number
    correlation
        A row for each measure and each of these pairs.
        measure, assessor_a, assessor_b : text
        topics : whole number
            The number of topics on which the runs are compared.
        tau : number
            Between the two rankings of the runs; null without a topic, and where one assessor's
            grades leave all runs tied.
        tau_ap : number
            The same by tau AP, assessor a being the truth.
        tau_best : number
            Kendall's τ_b of the runs that are best by assessor a.
        rank_error : whole number
            The largest number of ranks by which a run's place differs.
        moved : text
            The first run that is so far from its place.
        significant, swapped : whole number
            How many pairs of runs differ by assessor a (paired t test, 5%, for each pair alone), and how many
            of them differ by assessor b, too, but the other way round; null for a single topic.
    bias
        A row for each measure, assessor on the qrels' scale, and kind of run, on the same topics and documents;
        none without a topic in common.
        measure, assessor, kind : text
            "all" are all runs.
        runs : whole number
        by_assessor, by_qrels : number
            The mean score of these runs.
        bias, bias_low, bias_high : number
            The first minus the second, with its 95% interval (t, over topics); for a geometric mean, of the logarithms.
        favour, favour_low, favour_high : number
            This bias minus that of all other runs; null where there are none.
    confusion
        How often assessor a gave one grade and assessor b the other to a document that both judged,
        for all grades in use.
        assessor_a, assessor_b : text
        grade_a, grade_b : number
        documents : whole number
    overall
        Agreement of all assessors, over the documents that at least two of them judged.
        of : text
            Whether the qrels count as an assessor.
        judged_by : whole number
            The number of assessors.
        documents : whole number
        alpha_nominal, alpha_ordinal : number
            Krippendorff's.
    orders
        How similar an assessor's leaderboard is to that of the qrels: a row for each measure, assessor on the qrels'
        scale, and statistic.
        measure, assessor : text
        among : text
            "all" runs, or the "others", without those that were made with the judge, where some were.
        runs, topics : whole number
            The number of topics is 0 where one of the two has averages alone.
        statistic : text
            tau_b, tau_ap (the qrels are the truth), spearman; top: the share of the best runs by the qrels that are
            among the best by the assessor, runs that are tied across the border sharing the places.
        value : number
            Null where one of the two ties all runs, and for top where there are no more runs than the best.
        low, high : number
            The 95% interval for its average over collections of as many such topics; null for a single topic.
        runs_low, runs_high : number
            The same for its average over as many such runs; null for fewer than 12 runs.
    orders_by_topic
        The same for each single topic, over all runs.
        measure, assessor, topic : text
        tau_b, tau_ap, spearman, top : number
    pairs
        What happens to the pairs of runs that differ significantly by the qrels (paired t test, 5%, for each pair
        alone): a row for each measure and assessor on the qrels' scale.
        measure, assessor : text
        significant : whole number
            How many pairs these are; null for a single topic, and where there are averages alone.
        kept, lost, reversed : whole number
            How many of them differ significantly by the assessor, too, and in the same direction; do not; or do the
            other way round.
        share_kept, share_lost, share_reversed : number
        other_way : whole number
            How many of them the assessor's means put the other way round, significantly or not.
        added : whole number
            How many other pairs differ significantly by the assessor.
    circular
        A row for each measure, assessor and run that was made with the judge. The first is sorted by this assessor's
        labels: it has the documents of the pool that have a label, those with equal labels by how many runs have them
        in the pool, and then by id, the last first, as trec_eval does. It and all runs are scored by all documents that
        each judged, on the topics of both. Where documents have costs, or there are scores alone, only runs named by
        circular have rows.
        measure, assessor, run : text
        by_assessor, by_qrels : number
            Its scores.
        place_by_assessor, place_by_qrels : whole number
            Its places among all runs and itself.
        gain, gain_low, gain_high : number
            Score by assessor less score by qrels, with its 95% interval (t, over topics).
        favour, favour_low, favour_high : number
            This gain minus that of the runs not made with the judge. What needs scores by the assessor is null
            for those on another scale.
        places_gained, places_low, places_high : number
            How many more of those runs it is ahead of by the assessor than by the qrels, with the 95% interval for its
            average over collections of as many such topics.
    leaderboards
        A row for each measure, assessor on the qrels' scale, and run, the one that is sorted by labels last, where
        there is one; scored as in circular.
        measure, assessor, run : text
        circular : yes or no
            Whether the run was made with the judge.
        by_assessor, by_qrels : number
        place_by_assessor, place_by_qrels : whole number

    Raises
    ------
    InputError
        If no assessor is named, two have the same name, or one shares nothing with the qrels, or a run
        has no kind; if there are both runs and scores, or neither, or leaderboards have no two runs in common.

    Paper: Voorhees (2000), "Variations in relevance judgments and the measurement of retrieval effectiveness"; for
    alpha, Krippendorff (2011), "Computing Krippendorff's alpha-reliability"; for runs sorted by a judge, Clarke and
    Dietz (2024), "LLM-based relevance assessment still can't replace human relevance assessment".

    Examples
    --------
    >>> import tempfile
    >>> from cranfield import join
    >>> runs = join({"1": {"a": 1, "b": 0}}, {"one": {"1": {"a": 1.0}}, "two": {"1": {"b": 1.0}}})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "ann.txt").write_text("1 0 a 0\n1 0 b 1\n")
    ...     found = assessors(runs, "RR", assessors=(Path(folder),))
    >>> found["agreement"].select("assessor_b", "documents", "same_grade", "kappa").rows()
    [('ann', 2, 0.0, -1.0)]
    >>> found["correlation"].select("measure", "assessor_b", "tau").rows()  # each puts the other run first
    [('RR', 'ann', -1.0)]
    >>> found["circular"].select("by_assessor", "by_qrels", "place_by_qrels").rows()  # b, a
    [(1.0, 0.5, 2)]
    """
    if runs is None and scores is None:
        raise InputError(
            "assessors takes joined runs, assessors(cranfield.join(qrels, runs)), or people's leaderboard as scores="
        )
    if matched and runs is not None:
        raise InputError("matched is of leaderboards: people's scores, and those of judges; leave it out with qrels")
    if not assessors:
        raise InputError("no assessor is named; pass assessors= their qrels files, or a folder of them")
    drawn = (resamples, seed)
    if runs is None:
        if scores is None or kinds is not None:
            raise InputError("kinds= needs runs scored by qrels; leave it out with scores=")
        boards, notes = read_beside(scores, assessors, tuple(map(str, listed(measures))), circular, matched)
        sides = [MadeWithJudge(each.truth, each.judge, each.assessor, each.circular) for each in boards]
        return Outcome(dict.fromkeys(_OF_LABELS, ()) | _of_boards(boards, sides, best, drawn), notes)
    asked = number_measures(measures)
    of = None if kinds is None else read_teams(kinds, runs.runs, KIND)
    made = made_with(runs.runs, circular)
    all_ = _opened(runs, expand(assessors), asked, documents)
    ratings, pairs = all_.ratings, all_.ratings.pairs
    both = {(a, b): all_.panels(ratings.grade[a], ratings.grade[b]) for a, b in pairs}
    orders = [row for (a, b), two in both.items() for row in correlated(*two, all_.of_pair(a, b), best)]
    measure_at = {str(measure): place for place, measure in enumerate(asked)}
    beside = [
        BesideJudge(*of_two, ratings.names[b], made)
        for (a, b), of_two in both.items() if a == 0 and of_two[0].topics
    ]  # fmt: skip
    by_kind = [found for each in beside for found in biases(each.truth, each.judge, each.assessor, of)]
    with_circular = [
        MadeWithJudge(*two, labels.name, np.append(made, [True] * (not all_.costly)))
        for labels in all_.labels for two in all_.with_circular(labels, pool)
    ]  # fmt: skip
    tables: dict[str, Rows] = {
        "agreement": [ratings.agreement(a, b, weights, runs.grading.rel) for a, b in pairs],
        "labels": [given(labels) for labels in all_.labels],
        "against_qrels": [row for each in all_.labels for row in against_qrels(each, runs.judgments, weights)],
        "by_topic": [row for each in all_.labels for row in by_topic(each, runs.judgments, weights)],
        "repeatability": [row for each in answers(all_.labels) for row in repeated(*each, runs.judgments.topic)],
        "correlation": sorted(orders, key=lambda row: measure_at[str(row["measure"])]),
        "bias": _by_measure(by_kind, measure_at),
        "confusion": ratings.confusion() if pairs else [],
        "overall": all_.overall(),
    }
    return Outcome(tables | _of_boards(beside, with_circular, best, drawn), (*runs.panel(asked).notes, *all_.notes))


_OF_LABELS: Final = (
    "agreement", "labels", "against_qrels", "by_topic", "repeatability", "correlation", "bias", "confusion", "overall",
)  # fmt: skip
"""The tables that need labels of documents."""


def _of_boards(
    beside: Sequence[BesideJudge], with_circular: Sequence[MadeWithJudge], best: int, drawn: tuple[int, int]
) -> dict[str, Rows]:
    """Make the tables of leaderboards, by measure in the order in which these were asked for."""
    panels = (*(each.truth for each in beside), *(each.qrels for each in with_circular))
    asked = list(dict.fromkeys(measure for panel in panels for measure in panel.measures))
    orders = [row for each in beside for row in each.agreement(best, *drawn)]
    pairs = [row for each in beside for row in each.pairs()]
    return {
        "orders": sorted(orders, key=lambda row: asked.index(str(row["measure"]))),
        "orders_by_topic": _by_measure([part for each in beside for part in each.by_topic(best)], asked),
        "pairs": sorted(pairs, key=lambda row: asked.index(str(row["measure"]))),
        "circular": _by_measure([part for each in with_circular for part in each.gains(*drawn)], asked),
        "leaderboards": _by_measure([part for each in with_circular for part in each.sides()], asked),
    }


def _opened(runs: JudgedRuns, files: list[Path], measures: list[Measure], documents: Documents) -> _Assessors:
    """Read the assessors' judgments."""
    advice = f"give the files different names (the qrels are {MAIN!r})"
    refuse_same_names([MAIN, *map(run_name, files)], advice)
    file_of = {run_name(file): file for file in files}
    judged = by_assessor(file_of, runs.reading)
    refuse_same_names([MAIN, *judged], advice)
    found = [grades_of(runs.judgments, theirs) for theirs in judged.values()]
    for name, (grade, _) in zip(judged, found, strict=True):
        if np.isnan(grade).all():
            raise InputError("no document of a topic in common with the qrels", source=str(file_of.get(name, name)))
    labels = [Labels.of(name, runs.judgments, grade) for name, (grade, _) in zip(judged, found, strict=True)]
    return _Assessors(runs, labels, measures, documents, sum(unknown for _, unknown in found))


@dataclass(frozen=True)
class _Assessors:
    """Assessors of the documents that the qrels have."""

    runs: JudgedRuns
    labels: list[Labels]
    measures: list[Measure]
    documents: Documents
    unknown: int

    @property
    def costly(self) -> bool:
        """Whether documents cost something: lists of judged documents alone, as the circular run, have no costs."""
        return self.runs.reading.costs is not None

    @cached_property
    def ratings(self) -> Ratings:
        """The grades of all who keep to the scale, those of the qrels first."""
        graded = [labels for labels in self.labels if labels.same_scale]
        grades = np.array([self.runs.judgments.grade, *(labels.grade for labels in graded)])
        return Ratings((MAIN, *(labels.name for labels in graded)), self.runs.judgments.topic, grades)

    def of_pair(self, a: int, b: int) -> dict[str, str]:
        """Return the names of two, by column."""
        return {"assessor_a": self.ratings.names[a], "assessor_b": self.ratings.names[b]}

    def panels(self, one: Floats, other: Floats) -> tuple[Panel, Panel]:
        """Score the runs by the grades of each of two, on the topics that both judged."""
        if self.documents == "common":
            gone = np.isnan(one) | np.isnan(other)
            one, other = np.where(gone, np.nan, one), np.where(gone, np.nan, other)
        topics = self._topics(one, other)
        return self._panel(self.runs, one, topics), self._panel(self.runs, other, topics)

    def with_circular(self, labels: Labels, pool: int) -> Iterator[tuple[Panel, Panel | None]]:
        """Score the runs, and behind them one that is sorted by the labels, where a topic has both judgments."""
        runs = self.runs if self.costly else with_one_more(self.runs, circular_run(self.runs, labels.order, pool))
        truth = self.runs.judgments.grade
        qrels = self._panel(runs, truth, topics := self._topics(truth, labels.order))
        if qrels.topics:
            yield qrels, self._panel(runs, labels.grade, topics) if labels.same_scale else None

    def overall(self) -> list[Columns]:
        """Compare the grades of all; also of the assessors alone where two of them judged some document."""
        found = (("assessors", self.ratings.together(1)), ("assessors and qrels", self.ratings.together()))
        return [{"of": who} | together for who, together in found if together]

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out."""
        whose = "its document is" if self.unknown == 1 else "their documents are"
        unknown = f"{counted(self.unknown, 'judgment')} by assessors left out: {whose} missing from the qrels"
        missing = [f"{each.name} ({each.missing:,})" for each in self.labels if each.missing]
        lacking = f"documents without a label left out: {named(missing)}"
        costly = "the circular run left out: its documents have no costs"
        strange = (note for labels in self.labels for note in labels.notes)
        said = ((unknown, self.unknown), (lacking, missing), (costly, self.costly))
        return (*(note for note, holds in said if holds), *strange, *self.ratings.notes)

    def _panel(self, runs: JudgedRuns, grade: Floats, topics: Booleans) -> Panel:
        """Score runs by these grades, on some topics."""
        panel = runs.panel(self.measures, grade)
        code = self.runs.judgments.code_of_topic
        return panel.of_topics([topic for topic in panel.topics if topics[code[topic]]])

    def _topics(self, *grades: Floats) -> Booleans:
        """Which topics have a document that was judged, by each."""
        judged = [self.runs.judgments.count(~np.isnan(grade)).astype(bool) for grade in grades]
        return np.asarray(np.logical_and.reduce(judged))


def _by_measure(parts: Sequence[Columns], measures: Iterable[str]) -> Rows:
    """Put parts of a table together, and sort them by measure, in the order in which these were asked for."""
    table = stacked(parts)
    if not isinstance(table, pl.DataFrame):
        return table
    return table.sort(pl.col("measure").cast(pl.Enum([*measures])), maintain_order=True)
