"""What a call keeps for later ones, and which topics got worse since."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self, TypeAlias, Unpack

import numpy as np

from cranfield.formats import QrelsLike, RunsLike, write_whole
from cranfield.formats.loading import load
from cranfield.judged.conditions import Asked
from cranfield.judged.judgments import Judgments
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.interchange import plain, record, restored
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT, QUERY, RANK
from cranfield.plumbing.wording import counted
from cranfield.results.people import markdown, markdown_cell
from cranfield.results.result import OneTable
from cranfield.results.sheet import Sheet, listed
from cranfield.scoring.engines.local import read_ranked
from cranfield.scoring.judged_runs import JudgedRuns, Progress, by_what, join, knowing
from cranfield.scoring.orientation import direction
from cranfield.scoring.panel import numbers_only
from cranfield.scoring.weighting import TopicWeights, WeightsLike
from cranfield.statistics.on_paper import side

MOST_KEPT: Final = 100  # How many documents of each topic are kept
MOST_WORSE: Final = 5  # How many topics people are shown
MOST_MOVES: Final = 3  # How many documents are named for a topic
_KIND: Final = "cranfield-kept"

FilePath: TypeAlias = str | os.PathLike[str]


@record
@dataclass(frozen=True, eq=False)
class KeptScores:
    """The scores of runs by topic and the tops of their lists, kept for comparison with later ones.

    Attributes
    ----------
    runs, topics, measures
        Names.
    values
        Array of shape (measures, runs, topics).
    direction
        For each measure 1, or -1 if lower is better.
    lists
        By run and topic the ids of the first 100 documents.
    grades
        By topic, the grades of those that are judged.
    conditions
        Unusual scoring conditions, in words.
    source
        The file it was read from.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    values: Floats
    direction: Floats
    lists: Mapping[str, Mapping[str, Sequence[str]]]
    grades: Mapping[str, Mapping[str, float]]
    conditions: tuple[str, ...] = ()
    source: str = "former findings"

    def write(self, path: FilePath) -> None:
        """Write it as JSON, completely or not at all."""
        written = {"kind": _KIND, "kept": plain(self)}
        write_whole(path, (json.dumps(written, ensure_ascii=False, allow_nan=False) + "\n").encode())

    @classmethod
    def read(cls, path: FilePath) -> Self:
        """Read what `write` wrote.

        Raises
        ------
        InputError
            If the file cannot be read or holds something else; results written with ``-o`` contain no
            document lists.
        """
        held = load(path)
        name = held.source
        found = held.json() if held.text.lstrip().startswith("{") else None
        if not isinstance(found, dict) or found.get("kind") != _KIND:
            raise InputError(
                "keeps no lists of documents by topic: --keep FILE (cf.keep in Python) writes what --since reads",
                source=name,
            )
        try:
            kept = restored(found["kept"])
            return cls(**{**{field: getattr(kept, field) for field in cls.__dataclass_fields__}, "source": name})
        except (KeyError, TypeError, AttributeError, ValueError, InputError):
            raise InputError("is damaged: --keep did not write it like this", source=name) from None

    def since(
        self, former: KeptScores, *, weights: WeightsLike | TopicWeights | None = None, by_place: bool = False
    ) -> Since:
        """Report which topics got worse, and through which documents.

        Parameters
        ----------
        former
            The scores kept earlier.
        weights
            The weight of each topic: losses are multiplied by it before the worst are chosen.
        by_place
            Whether to compare the last runs of both, whatever their names, as with a gate's new runs;
            otherwise runs of the same name.
        """
        pairs = (
            [(self.runs[-1], former.runs[-1])] if by_place else [(run, run) for run in self.runs if run in former.runs]
        )
        measures = [measure for measure in self.measures if measure in former.measures]
        known = {*former.topics}
        topics = [topic for topic in self.topics if topic in known]
        for what, both, here, there in (
            ("run", pairs, self.runs, former.runs),
            ("measure", measures, self.measures, former.measures),
            ("topic", topics, self.topics, former.topics),
        ):
            if not both:
                raise InputError(
                    f"has no {what} of this call ({listed(here)}); it has {listed(there)}",
                    source=former.source,
                )
        counts = np.ones(len(topics)) if weights is None else TopicWeights.taken(weights).over(topics)
        rows, lost = [], list[float]()
        for run, before in pairs:
            for measure in measures:
                was, now = former._of(measure, before, topics), self._of(measure, run, topics)
                # A topic of weight 0 cannot get worse, however much its value fell.
                loss = self.direction[self.measures.index(measure)] * (was - now)
                for t in np.flatnonzero((side(loss) > 0) & (counts > 0)).tolist():
                    moved, change = ", ".join(self._moved(run, former, before, topics[t])), now[t] - was[t]
                    rows.append((run, measure, topics[t], was[t], now[t], change, counts[t], moved))
                    lost.append(loss[t] * counts[t])
        texts, numbers = ("run", "measure", "topic"), ("before", "now", "change", "weight")
        schema = dict.fromkeys(texts, pl.String) | dict.fromkeys(numbers, pl.Float64) | {"moved": pl.String}
        order = sorted(range(len(rows)), key=lambda at: -lost[at])  # the worst first, equal ones as they came
        table = pl.DataFrame([rows[at] for at in order], schema, orient="row")
        asked = f"{counted(len(pairs), 'run')} by {listed(measures)}, {counted(len(topics), 'topic')}"
        notes = []
        if self.conditions != former.conditions:
            told = [", ".join(each.conditions) or "as usual" for each in (former, self)]
            notes.append(f"scored differently: {told[0]} then, {told[1]} now")
        if many := sum(self._regraded(former, topic) for topic in topics):
            notes.append(f"{counted(many, 'document')} of both lists had another grade then, which also changes scores")
        for run, before in pairs:
            for kept, name, said in ((former, before, "had no documents then"), (self, run, "has no documents now")):
                if silent := [topic for topic in topics if not kept.lists.get(name, {}).get(topic)]:
                    notes.append(f"{name} {said} on {len(silent):,} of {counted(len(topics), 'topic')}")
        known_then, asked_for = (*former.runs, *former.measures), (*(() if by_place else self.runs), *self.measures)
        if absent := [each for each in asked_for if each not in known_then]:
            notes.append(f"not compared, since {former.source} lacks them: {listed(absent)}")
        new, gone = len(self.topics) - len(topics), len(former.topics) - len(topics)
        if new or gone:
            notes.append(f"{counted(new, 'topic')} added and {gone} removed since then: these are not compared")
        return Since(table, _said(table, former.source, asked), tuple(notes), 3)

    def _of(self, measure: str, run: str, topics: Sequence[str]) -> Floats:
        values: Floats = self.values[self.measures.index(measure), self.runs.index(run)]
        place = {topic: at for at, topic in enumerate(self.topics)}
        return values[[place[topic] for topic in topics]]

    def _regraded(self, former: KeptScores, topic: str) -> int:
        """Count the documents that were listed then and are now, and whose judgments are others."""
        listed_then, listed_now = (
            {each for lists in kept.lists.values() for each in lists.get(topic, ())} for kept in (former, self)
        )
        was, now = (kept.grades.get(topic, {}) for kept in (former, self))
        return sum(was.get(each) != now.get(each) for each in listed_then & listed_now)

    def _moved(self, run: str, former: KeptScores, before: str, topic: str) -> Iterator[str]:
        """Name the relevant documents that fell furthest, by grade and by what a rank weighs, and others that rose."""
        grades = {**former.grades.get(topic, {}), **self.grades.get(topic, {})}
        was, now = (
            {document: rank for rank, document in enumerate(lists.get(topic, ()), 1)}
            for lists in (former.lists.get(before, {}), self.lists.get(run, {}))
        )
        fell, rose = list[tuple[float, str]](), list[tuple[float, str]]()
        for document in sorted({**was, **now}):
            lost = _weight(was.get(document)) - _weight(now.get(document))
            if (grade := grades.get(document, 0)) > 0 and lost > 0:
                fell.append((-grade * lost, document))
            elif grade <= 0 and lost < 0:
                rose.append((lost, document))
        fell, rose = sorted(fell), sorted(rose)
        for _, document in [*fell[: MOST_MOVES - bool(rose)], *rose][:MOST_MOVES]:
            grade_of = f"grade {grades[document]:g}" if document in grades else "unjudged"
            yield f"{document} ({grade_of}) {_place(was.get(document))} → {_place(now.get(document))}"


def _weight(rank: int | None) -> float:
    """Return what a rank weighs here, as in DCG: 1 / log2(rank + 1); nothing below those kept."""
    return 0.0 if rank is None else float(1 / np.log2(rank + 1))


def _place(rank: int | None) -> str:
    return f"not in the top {MOST_KEPT}" if rank is None else str(rank)


def _said(table: pl.DataFrame, source: str, asked: str) -> str:
    if not table.height:
        return f"No topic is worse than in {source} ({asked})."
    shown = f", the {MOST_WORSE} worst first" if table.height > MOST_WORSE else ", the worst first"
    weighted = " by weight" if table["weight"].n_unique() > 1 else ""
    return (
        f"{counted(table.height, 'score')} by topic worse than in {source} ({asked}){shown}{weighted}; some of the top "
        f"{MOST_KEPT} documents that moved, with their ranks before → now."
    )


@dataclass(frozen=True, eq=False, repr=False)
class Since(OneTable):
    """Which topics got worse: columns run, measure, topic, before, now, change, weight and moved, the worst first."""

    def sheet(self, **which: object) -> Sheet:
        """Return the table as displayed: the worst five."""
        rows = self.rows.head(MOST_WORSE)
        weighted = self.rows["weight"].n_unique() > 1
        return Sheet.of(rows if weighted else rows.drop("weight"), keys=3, caption=self.says)

    def render(self, format: str = "table", **which: object) -> str | bytes:  # noqa: A002
        """Return it as text; in Markdown with its caption above, as a pull request shows it."""
        if format != "markdown":
            return super().render(format, **which)
        return f"{markdown_cell(self.says)}\n" + (f"\n{markdown(self.sheet())}\n" if self.rows.height else "")


def keep(
    qrels: QrelsLike | Judgments | JudgedRuns,
    runs: RunsLike | None = None,
    measures: MeasureNames | None = None,
    *,
    progress: Progress | None = None,
    **conditions: Unpack[Asked],
) -> KeptScores:
    """Keep the scores of runs by topic and the first 100 documents of each list, for later comparison.

    Parameters
    ----------
    qrels, runs, measures, progress
        As for `evaluate`; by default nDCG@10, or the measures of the convention.
    **conditions
        `Asked`

    Returns
    -------
    KeptScores : `write` saves it to a file, and `since` reports what got worse.

    Examples
    --------
    >>> qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
    >>> before = keep(qrels, {"main": {"1": ["a", "b"], "2": ["a"]}}, "RR")
    >>> now = keep(qrels, {"main": {"1": ["x", "b", "a"], "2": ["a"]}}, "RR")
    >>> now.since(before).rows.select("topic", "before", "now", "moved").rows()
    [('1', 1.0, 0.333..., 'a (grade 1) 1 → 3, x (unjudged) not in the top 100 → 1')]
    """
    asked = by_what(measures, qrels, conditions)
    conditions = knowing(asked, qrels, conditions)
    joined = join(qrels, runs, progress=progress, **conditions)
    scores = joined.scores(asked)
    numbers_only(scores.asked)
    lists = {}
    for source in joined.sources:
        top = read_ranked(source, joined.reading).filter(pl.col(RANK) <= MOST_KEPT)
        of_topics = top.group_by(QUERY, maintain_order=True).agg(DOCUMENT)
        lists[source.name] = {topic: tuple(documents) for topic, documents in of_topics.iter_rows()}
    return KeptScores(
        scores.runs,
        scores.topics,
        tuple(map(str, scores.measures)),
        scores.values,
        np.array([direction(measure) for measure in scores.measures]),
        lists,
        _grades(joined.judgments, lists),
        tuple(scores.conditions.described("bounds")),
    )


def _grades(judgments: Judgments, lists: Mapping[str, Mapping[str, Sequence[str]]]) -> dict[str, dict[str, float]]:
    """Return the grades of the documents that are in any of the lists."""
    there = {(topic, each) for of_run in lists.values() for topic, documents in of_run.items() for each in documents}
    found: dict[str, dict[str, float]] = {}
    rows = zip(judgments.topic.tolist(), judgments.document.to_list(), judgments.grade.tolist(), strict=True)
    for code, document, grade in rows:
        topic = judgments.topics[code]
        if (topic, document) in there and not np.isnan(grade):
            found.setdefault(topic, {})[document] = grade
    return found
