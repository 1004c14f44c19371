"""``review()``: the half page that a reviewer of an evaluation could demand."""

from __future__ import annotations

import json
import platform
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.metadata import version
from itertools import pairwise
from typing import Final, Unpack

import numpy as np

from cranfield import __version__
from cranfield.experiments.provenance import code_digest
from cranfield.formats import QrelsLike, RunsLike
from cranfield.judged.audit import UNJUDGED_AT
from cranfield.judged.conditions import Asked, Conditions
from cranfield.judged.judgments import Judgments
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.escaping import printable
from cranfield.plumbing.lazy import pl
from cranfield.reports.facts import Evidence
from cranfield.reports.reporting import evidence_of
from cranfield.reports.sentence import SENTENCES, Said, all_sentences
from cranfield.reports.sentences.leading import neighbours_apart
from cranfield.results.latex import latex, latex_text
from cranfield.results.people import markdown, markdown_cell, not_shown, plain
from cranfield.results.programs import unfolded
from cranfield.results.result import Result
from cranfield.results.sheet import Sheet
from cranfield.scoring.judged_runs import JudgedRuns, Progress
from cranfield.statistics.on_paper import largest, side
from cranfield.statistics.rank_intervals import RankIntervals, rank_intervals
from cranfield.statistics.usual import ALPHA

_RUNS_SHOWN: Final = 10  # How many runs are shown, the best first
RESAMPLES: Final = 1000  # How many random sign patterns the intervals of ranks rest on, as those of certificates do


@dataclass(frozen=True, eq=False, repr=False)
class Review(Result, rows="answers", schema="review"):
    """What was compared and how, how fine the ranks are, and what the judgments and runs lack.

    Attributes
    ----------
    title
        How many runs on how many topics.
    answers
        A row for each question: columns item, answer, and numbers, an object in JSON.
    ranks
        A row for each run, the best first: columns run, mean, rank, from and to.
    measure
        The measure that decides.
    """

    title: str
    answers: pl.DataFrame
    ranks: pl.DataFrame
    measure: str

    def __repr__(self) -> str:
        return f"Review({self.title})"

    def table(self, **which: object) -> pl.DataFrame:
        """Return the questions and their answers."""
        return self.answers.select("item", "answer")

    def caption(self, **which: object) -> str:
        """Say what was looked at."""
        return f"Check of {self.title}."

    def stated(self, **which: object) -> dict[str, object]:
        """Return the answers, as programs read them first."""
        return super().stated(**which) | {"says": [f"{item}: {words}" for item, words in self._said()]}

    def objects(self, **which: object) -> list[dict[str, object]]:
        """Return a row for each question, its numbers as an object."""
        return unfolded(super().objects(**which), "numbers")

    def __str__(self) -> str:
        return str(self.render()).rstrip("\n")

    def render(self, format: str = "table", **which: object) -> str | bytes:  # noqa: A002
        """Return it as text: for people the answers and the ranks of the best runs; for programs the answers."""
        writer = {"table": self._plain, "markdown": self._markdown, "latex": self._latex}.get(format)
        return super().render(format, **which) if writer is None else writer()

    def _plain(self) -> str:
        said = [textwrap.fill(f"{item}: {words}", 100, subsequent_indent="  ") for item, words in self._said()]
        return "\n".join([*said, "", plain(self._ranks()).rstrip(), ""])

    def _markdown(self) -> str:
        said = [f"- **{markdown_cell(item)}.** {markdown_cell(words)}" for item, words in self._said()]
        ranks = self._ranks()
        return "\n".join([*said, "", markdown(ranks).rstrip(), *([""] * bool(ranks.more)), not_shown(ranks)])

    def _latex(self) -> str:
        said = [rf"\item[{latex_text(item)}] {latex_text(words)}" for item, words in self._said()]
        ranks = self._ranks()
        return "\n".join([r"\begin{description}", *said, r"\end{description}", latex(ranks).rstrip(), not_shown(ranks)])

    def _said(self) -> list[tuple[str, str]]:
        return [(item, printable(words)) for item, words in self.answers.select("item", "answer").iter_rows()]

    def _ranks(self) -> Sheet:
        return Sheet.of(self.ranks).first(_RUNS_SHOWN)


def review(
    qrels: QrelsLike | Judgments | JudgedRuns,
    runs: RunsLike | None = None,
    measures: MeasureNames | None = None,
    *,
    baseline: str | None = None,
    seed: int = 7,
    progress: Progress | None = None,
    **conditions: Unpack[Asked],
) -> Review:
    """What could a reviewer demand to know of an evaluation?

    What was compared, by which test and with which correction; how many of the ranks the topics tell apart, and between
    which ranks each run lies; what was never judged, and whether that could change the order; what ties decide; which
    topics are missing; and digests by which others can see that they have the same.

    Parameters
    ----------
    qrels, runs
        Whatever `evaluate` takes; joined runs may be given alone.
    measures
        The measures; the first one decides. By default nDCG@10, or those of the convention.
    baseline
        The run that the others are compared with; without it, all are compared with each other.
    seed
        Of the draws of topics that intervals of ranks rest on.
    progress
        As in `evaluate`.
    **conditions
        `Asked`

    Returns
    -------
    Review : as text in Markdown and LaTeX, and as a table for programs.

    Raises
    ------
    InputError
        As `evaluate`.

    Examples
    --------
    >>> qrels = {t: {"a": 1, "b": 0} for t in "12345678"}
    >>> found = review(qrels, {"good": {t: ["a", "b"] for t in qrels}, "poor": {t: ["b", "a"] for t in qrels}}, "P@1")
    >>> dict(found.answers.select("item", "answer").rows())["Unjudged"]
    'Nothing in the top 100 of any run.'
    """
    usual = ("nDCG@10",)
    return review_of(evidence_of(qrels, runs, measures, baseline, seed, usual=usual, progress=progress, **conditions))


def review_of(evidence: Evidence) -> Review:
    """Review what is known of joined runs."""
    all_sentences()
    evidence = evidence.ran
    standing = evidence.standing
    likely = None
    if evidence.testable:
        likely = rank_intervals(standing.values, alpha=ALPHA, resamples=RESAMPLES, seed=evidence.seed)
    rows = [
        (item, said.words, json.dumps(said.numbers, ensure_ascii=False)) for item, said in _answers(evidence, likely)
    ]
    order = standing.order
    ranks = {
        "run": [standing.names[run] for run in order],
        "mean": [standing.shown[run] for run in order],
        "rank": standing.rank[order].tolist(),
    }
    if likely is not None:
        ranks |= {"from": likely.best[order].tolist(), "to": likely.worst[order].tolist()}
    table = pl.DataFrame(rows, schema=dict.fromkeys(("item", "answer", "numbers"), pl.String), orient="row")
    return Review(evidence.over, table, pl.DataFrame(ranks), standing.named)


def _answers(evidence: Evidence, likely: RankIntervals | None) -> Iterator[tuple[str, Said]]:
    yield "Evaluated", _evaluated(evidence)
    yield "Measures", _measures(evidence)
    yield "Test", _tested(evidence)
    if likely is not None:
        yield "Rank resolution", _resolution(evidence, likely)
    yield "Unjudged", _unjudged(evidence)
    if evidence.standing.open and len(evidence.standing.names) > 1:
        yield "What that could change", _could_change(evidence)
    yield "Ties", _ties(evidence)
    yield "Missing topics", _missing(evidence)
    yield "Topics without relevant documents", _without_relevant(evidence)
    if (duplicates := _named(evidence, "same-rankings")) is not None:
        yield "Duplicates", duplicates
    yield (
        "Inputs",
        Said.of("Digest of all rankings, judgments and conditions: {digest}.", digest=evidence.runs.fingerprint),
    )
    yield "Software", Said.of(
        "cranfield {cranfield} (code {code}), Python {python}, numpy {numpy}, polars {polars}, scipy {scipy}; "
        "seed {seed:d}.",
        cranfield=__version__, code=code_digest(), python=platform.python_version(), seed=evidence.seed,
        numpy=version("numpy"), polars=version("polars"), scipy=version("scipy"),
    )  # fmt: skip


def _evaluated(evidence: Evidence) -> Said:
    runs, population = evidence.runs, evidence.population
    lowest, highest = population.grades or (None, None)
    conditions = Conditions(runs.reading, runs.grading.but(bounds=False)).described("rel")
    return Said.of(
        "{over}; {judgments:judgment|judgments}"
        + (" with grades from {lowest:g} to {highest:g}" if lowest != highest else " with grade {lowest:g}")
        * bool(population.judgments)
        + (", relevant {relevant}; {conditions:all}." if conditions else ", relevant {relevant}."),
        over=evidence.over, runs=population.runs, topics=population.topics, judgments=population.judgments,
        lowest=lowest, highest=highest,
        relevant="above 0" if runs.grading.rel is None else f"from {runs.grading.rel:g} on", conditions=conditions,
    )  # fmt: skip


def _measures(evidence: Evidence) -> Said:
    measures = [str(measure) for measure in evidence.scores.measures]
    return Said.of("{measures:all}{decides}.", measures=measures, decides="; the first decides" * (len(measures) > 1))


def _tested(evidence: Evidence) -> Said:
    if not evidence.testable:
        return Said.of("None: a test takes two runs and two topics.")
    found = evidence.comparison
    against = "" if evidence.baseline is None else ", each compared with {baseline}"
    return Said.of(
        "{significant} of {pairs:pair|pairs} of runs {verb} significantly by {measure} {scope.alike}"
        + against
        + " ({method}).",
        scope=evidence.scope.on_others(), measure=evidence.named, method=found.method,
        verb="differs" if int(found.differences["significant"].sum()) == 1 else "differ",
        significant=int(found.differences["significant"].sum()), pairs=found.differences.height,
        baseline=evidence.baseline,
    )  # fmt: skip


def _resolution(evidence: Evidence, likely: RankIntervals) -> Said:
    width = likely.worst - likely.best
    apart = neighbours_apart(evidence) if evidence.baseline is None else None
    neighbours = f"{{apart}} of {{neighbours:adjacent pair|adjacent pairs}} {'differs' if apart == 1 else 'differ'}. "
    ranks = zip(evidence.standing.names, likely.best.tolist(), likely.worst.tolist(), strict=True)
    return Said.of(
        (neighbours if apart is not None else "")
        + "In {measure} {scope.alike}, {alone:rank is|ranks are} settled, {first:run|runs} may be first, and half of "
        "the rank intervals span {places:place|places} or fewer (simultaneous {level:%} intervals: bootstrap-t of the "
        "maximum, {resamples} resamples)."
        + ("" if likely.doubt is None else " {doubt}."),
        scope=evidence.scope.on_others(), measure=evidence.named, apart=apart, neighbours=len(width) - 1,
        alone=int((width == 0).sum()), first=int((likely.best == 1).sum()), places=1 + int(np.median(width)),
        level=1 - ALPHA, resamples=RESAMPLES, ranks={name: [best, worst] for name, best, worst in ranks},
        **{} if likely.doubt is None else {"doubt": likely.doubt},
    )  # fmt: skip


def _unjudged(evidence: Evidence) -> Said:
    shares = evidence.runs.audit.unjudged
    first, last = UNJUDGED_AT
    if evidence.runs.judgments.complete:
        return Said.of("Documents without a judgment count as not relevant.")
    if not shares.any():
        return Said.of("Nothing in the top {last} of any run.", last=last)
    worst = [evidence.runs.audit.runs[run].run for run in largest(shares[:, 0])]
    return Said.of(
        "{ten:%} of the top {first}, {hundred:%} of the top {last}"
        + ("; most in {worst}, {most:%} of the top {first}." if len(worst) < len(shares) else "."),
        ten=float(shares[:, 0].mean()), first=first, hundred=float(shares[:, 1].mean()), last=last, worst=worst,
        most=float(shares[:, 0].max()),
    )  # fmt: skip


def _could_change(evidence: Evidence) -> Said:
    standing = evidence.standing
    leads = [standing.at_worst(one, other) for one, other in pairwise(standing.order)]
    known = [lead for lead in leads if lead is not None]
    if len(known) < len(leads):
        return Said.of("Not known for {measure}, whose ranges are not proved.", measure=standing.named)
    least, attained = np.array(known).T
    leader = _named(evidence, "overtaken") or _named(evidence, "never-overtaken")
    said = Said.of(
        "{kept} of {neighbours:adjacent pair|adjacent pairs} of runs {verb} their order in {measure}, "
        "{scope.whatever}; {turned} could be reversed by some of these grades.",
        scope=evidence.scope_of_grades, measure=standing.named, kept=int((side(least) >= 0).sum()),
        verb="keeps" if int((side(least) >= 0).sum()) == 1 else "keep",
        neighbours=len(known), turned=int((side(attained) < 0).sum()),
    )  # fmt: skip
    return said if leader is None else said.and_then(leader)


def _ties(evidence: Evidence) -> Said:
    share = evidence.runs.audit.tied
    if not share:
        return Said.of("None.")
    decides = _named(evidence, "ties-decide")
    said = Said.of("{share:%} of documents share their score with another of their topic", share=share)
    if decides is not None:
        return replace(said, words=f"{said.words}.").and_then(decides)
    tied = evidence.standing.tied
    known = tied is not None and (tied["extremes"] == "exact").all()
    end = f"; tie-breaking decides no pair of runs in {evidence.named}." if known else "."
    return replace(said, words=said.words + end)


def _missing(evidence: Evidence) -> Said:
    gone, missing = (_named(evidence, name) for name in ("did-not-run", "missing-topics"))
    if gone is not None and missing is not None:
        return gone.and_then(missing)
    return gone or missing or Said.of("None: every run has every topic.")


def _without_relevant(evidence: Evidence) -> Said:
    topics = evidence.without_relevant
    if not topics:
        return Said.of("None.")
    return Said.of("{count} of {of} ({topics}), kept in the means.", count=len(topics), of=evidence.population.topics,
                   topics=list(topics))  # fmt: skip


def _named(evidence: Evidence, name: str) -> Said | None:
    """Say the report's sentence of this name, if it holds."""
    return SENTENCES[name].finder(evidence)
