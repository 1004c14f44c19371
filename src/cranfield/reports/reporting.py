"""``report()``: one file that says what was evaluated, what was found, and how sure that is."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import Final, Unpack, cast

import numpy as np

import cranfield.reports.sections  # noqa: F401 - registers them
from cranfield.comparison.gating import USUAL_MARGIN, Gate
from cranfield.experiments.experiment import number_measures
from cranfield.formats import QrelsLike, RunsLike, files_of, write_whole
from cranfield.formats.documents import Documents, read_documents
from cranfield.formats.files import FilePath
from cranfield.formats.named_datasets import dataset_in
from cranfield.formats.score_tables import ScoresLike
from cranfield.formats.unmet import settle
from cranfield.judged.conditions import CONDITION_FILES, Asked
from cranfield.judged.judgments import Judgments
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.naming import Naming
from cranfield.plumbing.options import SEED, NotNegative, Seed, checked
from cranfield.plumbing.wording import counted
from cranfield.reports import html_page
from cranfield.reports.elements import ReportDocument
from cranfield.reports.facts import Evidence, as_options
from cranfield.reports.first_sheet import dated, first_sheet, heads, named_collection
from cranfield.reports.of_scores import Again, document_of
from cranfield.reports.section import sections_of
from cranfield.reports.sentence import Sentences, sentences_of
from cranfield.results.sheet import listed
from cranfield.scoring.clusters import Clusters, ClustersLike
from cranfield.scoring.grouping import GroupsLike, TopicGroups
from cranfield.scoring.judged_runs import JudgedRuns, by_what, join, knowing
from cranfield.scoring.panel import check_baseline, did_not_run, read_scores, refuse_asked_of_scores, scores_of
from cranfield.scoring.scores import Scores
from cranfield.scoring.weighting import TopicWeights, WeightsLike

REPORTED_MEASURES: Final = ("nDCG@10", "AP", "RR", "RBP(p=0.8)", "Twist@100", "Judged@10")
"""Default measures of a report: the top and the whole of the lists, the first relevant document, a
patient user, the effort, and how much of it is judged."""


@dataclass(frozen=True)
class Report:
    """A report: a document, and the evidence that it was written from."""

    _evidence: Evidence | None
    document: ReportDocument

    def __repr__(self) -> str:
        return f"Report({self.document.title}: {counted(len(self.document.sections), 'section')})"

    @property
    def evidence(self) -> Evidence:
        """What it was written from; of scores alone, which have no rankings, there is none."""
        if self._evidence is None:
            raise InputError("a report of scores alone has no rankings, and no sentences; see its document")
        return self._evidence

    @property
    def sentences(self) -> Sentences:
        """What was found, in sentences, what matters most first: name, sentence, and numbers and scope in JSON."""
        return sentences_of(self.evidence)

    @property
    def gate(self) -> Gate | None:
        """What the gate says of two runs by the first measure; None of one run, of more, or on a single topic."""
        return None if self._evidence is None else self._evidence.gate

    def to_html(self) -> str:
        """Return it as one page that needs no network."""
        return html_page.html(self.document)

    def save(self, path: FilePath) -> None:
        """Write it as one page, whole or not at all.

        >>> report({"1": {"a": 1}}, {"bm25": {"1": {"a": 1.0}}}).save("report.pdf")
        Traceback (most recent call last):
        ...
        cranfield.InputError: report.pdf: a report is written to a file in .html
        """
        check_name(path)
        write_whole(path, self.to_html().encode())

    def _repr_html_(self) -> str:
        return html_page.framed(self.document)


def report(
    qrels: QrelsLike | Judgments | JudgedRuns | Scores | ScoresLike,
    runs: RunsLike | None = None,
    measures: MeasureNames | None = None,
    *,
    clusters: ClustersLike | Clusters | None = None,
    baseline: str | None = None,
    title: str | None = None,
    collection: str | None = None,
    date: date | None = None,
    seed: int = SEED,
    documents: Documents | FilePath | None = None,
    weights: WeightsLike | TopicWeights | None = None,
    groups: GroupsLike | TopicGroups | None = None,
    cheap: FilePath | None = None,
    kinds: FilePath | None = None,
    circular: str | None = None,
    margin: float | None = None,
    relative: bool = False,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **conditions: Unpack[Asked],
) -> Report:
    """Write a report about runs: one page that says what was evaluated, what was found, and how sure that is.

    The first sheet can be mailed or printed alone; the evidence follows, then the appendix, which is closed on a
    screen and printed open. Tables can be sorted, and taken away as CSV with the command that computes them
    once more. Of more than 60 runs, pairs are looked at less closely, which the page says.

    Parameters
    ----------
    qrels, runs, workers
        As in `evaluate`: joined runs may be given alone, and so may a table of scores, as for `leaderboard`, or scores
        of chunks, as `evidence` returns them: the page then has means, tests, ranks, topics and groups.
    measures
        By what the runs are measured; the first one decides where one must. By default `REPORTED_MEASURES`, or those of
        the convention; of a table all.
    clusters
        Of a table, the cluster of each topic, as in `compare`.
    baseline
        The name of the run that all others are compared with. Without it, all pairs are compared.
    title
        What the page is called, instead of what was evaluated and when.
    collection
        What the collection is called; without it, the file of the judgments, or its folder, gives the name.
    date
        The day that the report is of; without it, that of the environment variable ``SOURCE_DATE_EPOCH``, or
        today in UTC. Reports of the same day about the same are the same, byte for byte.
    seed
        Of everything that is left to chance.
    documents
        The texts of documents, or where they are read from (see `read_documents`): the page then shows how those
        begin that are to be judged.
    weights, groups
        What topics count for, and groups of topics, as in `evaluate` and `Scores.by_group`: a section of their own
        shows means and tests by them, and whether one of two runs may replace the other is asked with the weights.
        All other sections count topics equally. Of a table of scores, the weights are those of the whole page.
    cheap
        A file of labels by a cheap judge, such as a language model, as qrels: a section of their own says how they
        differ from the judgments, and what that does to the leaderboard.
    kinds
        With `cheap`, a file with the kind of each run (two columns, run and kind): which kind the judge favours.
    circular
        With `cheap`, the name of a run that was made with this judge.
    margin, relative
        Of two runs the page says whether the second (or the one that is no baseline) may replace the other by the
        first measure, as `gate` does: the loss that nobody would mind, and whether it is a share of the mean. By
        default that of `gate`.
    progress
        Called with how many sections are written, and of how many.
    **conditions
        `Asked`

    Returns
    -------
    Report : ``save("report.html")`` writes it, a notebook shows it.

    Raises
    ------
    InputError
        Where something cannot be read or must not be scored, or there is no such run.

    Examples
    --------
    >>> qrels = {"1": {"a": 2, "b": 0}, "2": {"a": 1}}
    >>> found = report(qrels, {"bm25": {"1": {"b": 3.0, "a": 2.5}, "2": {"a": 1.5}}}, ["AP", "RR"],
    ...                date=date(2026, 3, 31))
    >>> found.document.title, found.document.lead
    ('1 run on 2 topics, 31 March 2026', 'Measured by AP, RR; the first decides.')
    """
    day = dated(date)
    conditions = settle(conditions, qrels, runs, weights, groups, *(conditions.get(name) for name in CONDITION_FILES))
    naming = Naming.asked(conditions)
    if isinstance(qrels, Scores) or (runs is None and not isinstance(qrels, JudgedRuns | Judgments)):
        topics = None if isinstance(qrels, Scores) else conditions.pop("topics", None)
        refuse_asked_of_scores(
            runs=runs, documents=documents, cheap=cheap, kinds=kinds, circular=circular, margin=margin, **conditions,
        )  # fmt: skip
        if isinstance(qrels, Scores):
            refuse_asked_of_scores(measures=measures, clusters=clusters)
            scores = qrels
        else:
            table = read_scores(cast("ScoresLike", qrels), measures or (), **naming._asdict())
            together = None if clusters is None else Clusters.taken(clusters, naming)
            scores = scores_of(table, topics, clusters=together)
        again = again_of(qrels, naming, measures=measures, topics=topics, clusters=clusters)
        return report_of_scores(
            scores, again, naming, date=day, title=title, collection=collection, baseline=baseline, seed=seed,
            weights=weights, groups=groups,
        )  # fmt: skip
    if clusters is not None:
        raise InputError("a report of runs counts topics one by one; leave clusters out, or give only scores")
    evidence = evidence_of(
        qrels, runs, measures, baseline, seed, documents=documents, weights=weights, groups=groups, cheap=cheap,
        kinds=kinds, circular=circular, workers=workers, **conditions,
    )  # fmt: skip
    texts = "FILE" if isinstance(documents, Documents) else documents
    on_the_page = as_options(docs=texts, title=title, collection=collection)
    margin = checked("margin", margin, NotNegative | None)
    if margin is not None and evidence.contest is None:
        raise InputError(
            f"margin is the loss to tolerate where one of two runs replaces the other; {len(evidence.runs.runs)} given"
        )
    allowed = USUAL_MARGIN if margin is None else margin
    evidence = replace(evidence, margin=allowed, relative=relative, on_the_page=on_the_page)
    return report_of(evidence, day, title, collection, progress)


def report_of_scores(
    scores: Scores,
    again: Again,
    naming: Naming,
    *,
    date: date | None = None,
    title: str | None = None,
    collection: str | None = None,
    baseline: str | None = None,
    seed: int = SEED,
    weights: WeightsLike | TopicWeights | None = None,
    groups: GroupsLike | TopicGroups | None = None,
) -> Report:
    """Write the page about scores alone, with commands that compute its tables once more from where they came from."""
    html_page.require()
    if weights is not None:
        scores = scores.weighted_by(TopicWeights.taken(weights, naming))
    grouped = None if groups is None else TopicGroups.taken(groups, naming)
    seed = checked("seed", seed, Seed)
    return Report(None, document_of(scores, dated(date), title, collection, baseline, grouped, seed, again))


def again_of(table: object, naming: Naming, **asked: object) -> Again:
    """Say what commands take scores from, and how they read them; what no command can read is not named."""
    if not isinstance(asked.get("clusters"), str | os.PathLike | None):
        return Again(there=False)
    if not isinstance(table, str | os.PathLike):
        return Again()
    pairs = [(names.option, f"{ours}={each}") for names in naming for ours in names.names for each in names.names[ours]]
    for name, given in asked.items():
        flag = "-m" if name == "measures" else f"--{name.replace('_', '-')}"
        several = given if isinstance(given, list | tuple) else [given]
        pairs += [(flag, str(each)) for each in several if each is not None]
    return Again(os.fspath(table), tuple(chain.from_iterable(pairs)))


def evidence_of(
    qrels: QrelsLike | Judgments | JudgedRuns,
    runs: RunsLike | None,
    measures: MeasureNames | None,
    baseline: str | None,
    seed: int,
    *,
    usual: tuple[str, ...] = REPORTED_MEASURES,
    documents: Documents | FilePath | None = None,
    weights: WeightsLike | TopicWeights | None = None,
    groups: GroupsLike | TopicGroups | None = None,
    cheap: FilePath | None = None,
    kinds: FilePath | None = None,
    circular: str | None = None,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **conditions: Unpack[Asked],
) -> Evidence:
    """Join runs with their judgments for everything that is asked of them."""
    if cheap is None and (kinds is not None or circular is not None):
        raise InputError("kinds and circular need the labels of a cheap judge: cheap=FILE")
    asked = tuple(number_measures(by_what(measures, qrels, conditions, usual)))
    seed = checked("seed", seed, Seed)
    conditions = settle(conditions, qrels, runs, weights, groups, *(conditions.get(name) for name in CONDITION_FILES))
    naming = Naming.asked(conditions)
    weighted = None if weights is None else TopicWeights.taken(weights, naming)
    grouped = None if groups is None else TopicGroups.taken(groups, naming)
    conditions = knowing(asked, qrels, conditions, "max")  # whose other numbers look at one grade a document
    joined = join(qrels, runs, bounds=True, workers=workers, progress=progress, **conditions)
    if joined.grading.judged_only or joined.reading.shortens:
        raise InputError(
            "a report covers whole lists with their unjudged documents; leave depth, budget and judged_only out"
        )
    if joined.reading.topics == "shared" and not joined.present.all(axis=0).any():
        raise InputError("no topic is shared by all runs; leave out topics='shared', or runs that lack too many")
    ran = joined.that_ran.runs
    check_baseline(baseline, ran, did_not_run([*joined.not_run] * (len(ran) < len(joined.runs)), len(joined.topics)))
    noted, dataset = joined.with_retrieved.under(bounds=True), dataset_in(qrels)
    file = Path(qrels) if isinstance(qrels, str | os.PathLike) and Path(qrels).is_file() else None
    named = quote(str(file)) if file else quote(dataset.source) if dataset else "QRELS"
    texts = _texts(documents, noted.judgments)
    if weighted is not None:
        weighted.over(noted.topics)
    if grouped is not None:
        grouped.of(noted.topics)
    evidence = Evidence(
        noted, asked, baseline, named, _named(runs), seed=seed, qrels_file=file, documents=texts,
        weights=weighted, groups=grouped, cheap=_path(cheap), kinds=_path(kinds), circular=circular,
    )  # fmt: skip
    if evidence.judge is not None and circular is not None and circular not in joined.runs:
        raise InputError(f"no run is called {circular!r} (the circular one); the runs are {listed(joined.runs)}")
    return evidence


def _path(given: FilePath | None) -> Path | None:
    return None if given is None else Path(given)


def _texts(documents: Documents | FilePath | None, judgments: Judgments) -> Documents | None:
    """Read what the documents say that any run retrieved and nobody judged, and those that are relevant."""
    if documents is None or isinstance(documents, Documents):
        return documents
    return read_documents(documents, only=judgments.ids(np.flatnonzero(judgments.candidates | (judgments.grade > 0))))


def report_of(
    evidence: Evidence,
    day: date,
    title: str | None = None,
    collection: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Write a report from what is known of joined runs."""
    html_page.require()
    evidence = evidence.ran
    sections = tuple(sections_of(evidence, progress))
    name = named_collection(evidence, collection)
    what = f"{name}: {evidence.over}" if name else evidence.over
    heading, lead, made = heads(what, evidence.scores.measures, day, title)
    if evidence.weights is not None:
        where = "the section on weights" + " and the verdict" * (evidence.gate is not None)
        lead += f" Topics count equally, but in {where}: {evidence.weights.described(evidence.scores.topics)}."
    return Report(evidence, ReportDocument(heading, lead, sections, made, first_sheet(evidence, day)))


def check_name(path: FilePath) -> None:
    """Refuse a file that a report cannot be written to."""
    if not str(path).endswith((".html", ".htm")):
        raise InputError("a report is written to a file in .html", source=str(path))


def _named(runs: object) -> str:
    """Write runs as they are given to a command: those that are all of a folder by its name."""
    given = runs if isinstance(runs, list | tuple) else [runs]
    if not given or not all(isinstance(run, str | os.PathLike) for run in given):
        return "RUN..."
    words = [str(run) for run in given]
    folder = Path(words[0]).parent
    with suppress(InputError):  # a folder of JSON, whose files are named
        if len(words) > 1 and folder.is_dir() and files_of([folder]) == [Path(word) for word in words]:
            words = [str(folder)]
    return " ".join(map(quote, words))
