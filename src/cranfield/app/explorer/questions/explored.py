"""Joined runs, by some measures, with what there is to read: everything that questions are about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import _lru_cache_wrapper, cached_property, lru_cache
from typing import Any, Final, TypeVar

import numpy as np

from cranfield.app.originals import Originals
from cranfield.demonstration import Docstring
from cranfield.formats import RunSource
from cranfield.formats.documents import TITLE, Document, Documents
from cranfield.formats.topic_files import Topic
from cranfield.judged.audit import Audit
from cranfield.judged.rankings import JudgedRankings
from cranfield.lists.altering import Alterable, Changes
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames
from cranfield.measures.framework.own import load_measures, own_files
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.scores import Scores

Found = TypeVar("Found")
_REMEMBERING: Final[list[_lru_cache_wrapper[object]]] = []


def remembered(times: int) -> Callable[[Callable[..., Found]], _lru_cache_wrapper[Found]]:
    """Remember the last answers of a function, up to this many, until other files are read."""

    def of(function: Callable[..., Found]) -> _lru_cache_wrapper[Found]:
        cached = lru_cache(times)(function)
        _REMEMBERING.append(cached)
        return cached

    return of


def forget() -> None:
    """Forget all answers, and what they were about."""
    for each in _REMEMBERING:
        each.cache_clear()


class Explored:
    """Joined runs, by some measures, with what there is to read."""

    def __init__(
        self,
        runs: JudgedRuns,
        measures: MeasureNames,
        documents: Mapping[str, Document | Docstring] | None = None,
        topics: Mapping[str, Topic] | None = None,
        originals: Originals | None = None,
        demonstration: bool = False,
    ) -> None:
        self.demonstration = demonstration
        self.originals = originals or Originals()
        self.runs = replace(runs, sources=self.originals.checked(runs.sources))
        self.alterable = Alterable(self.runs, measures)
        self.documents = documents
        self.topics = topics or {}
        self._ordered: dict[str, Scores] = {}

    def __reduce__(self) -> tuple[object, ...]:
        """Take to another process what pages and pictures of all runs need; texts stay here, all but their titles."""
        titles = None if self.documents is None else {name: Document(title, "") for name, title in self.titles.rows()}
        return _remade, (own_files(), self.runs, self.measures, titles, self.topics, self.originals, self.demonstration)

    @property
    def titles(self) -> pl.DataFrame:
        """The titles of all documents that can be read: columns doc_id, title."""
        documents = self.documents or {}
        if isinstance(documents, Documents):
            return documents.titles
        titles = {DOCUMENT: list(documents), TITLE: [document.title for document in documents.values()]}
        return pl.DataFrame(titles, schema={DOCUMENT: pl.String, TITLE: pl.String})

    @property
    def scores(self) -> Scores:
        """The scores of all runs, as they were given."""
        return self.alterable.before

    @cached_property
    def audit(self) -> Audit:
        """What was found of the runs and judgments on the way."""
        return self.runs.scores(self.measures, levels=True).audit

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """What the measures are called."""
        return tuple(map(str, self.scores.measures))

    @cached_property
    def grades(self) -> list[str]:
        """All grades of the judgments, and 0."""
        known = self.runs.judgments.grades
        return [f"{grade:g}" for grade in sorted({0.0, *known[np.isfinite(known)].tolist()})]

    def measure(self, name: str | None) -> str:
        """Return a measure by its name, the first if none is named."""
        if name and name not in self.measures:
            raise InputError(f"no measure here is called {name!r}; choose from {', '.join(self.measures)}")
        return name or self.measures[0]

    def run(self, name: str) -> str:
        """Return a run by its name."""
        if name not in self.runs.runs:
            raise InputError(f"no run is called {name!r}")
        return name

    def checked(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return names of runs, each of which there is."""
        return tuple(map(self.run, names))

    def sources(self, names: Sequence[str]) -> tuple[RunSource, ...]:
        """Return where runs come from."""
        return tuple(self.runs.sources[self.runs.runs.index(name)] for name in names)

    def ordered(self, measure: str | None = None) -> Scores:
        """Return the scores, the best run first."""
        name = self.measure(measure)
        if name not in self._ordered:
            self._ordered[name] = self.scores.sorted_by(name)
        return self._ordered[name]

    def title_of(self, topic: str) -> str:
        """Return what a topic is about, as far as that is known."""
        return self.topics[topic].title if topic in self.topics else ""

    def title_of_document(self, document: str) -> str:
        """Return the first line of a document, as far as that is known."""
        text = self.documents.get(document) if self.documents is not None else None
        return "" if text is None else text.title

    def place(self, measure: str | None) -> int:
        """Return the place of a measure among the values."""
        return self.measures.index(self.measure(measure))

    def declared(self, measure: str | None) -> Measure:
        """Return a measure itself."""
        return self.scores.measures[self.place(measure)]

    def on(self, topic: str, runs: Sequence[str] = (), changes: Changes | None = None) -> JudgedRankings:
        """Return the rankings of a topic, of all runs or of some, with what is changed there."""
        return self.alterable.rankings(replace(changes, topic=topic) if changes else Changes(topic), runs or None)


def _remade(own: list[str], *given: Any) -> Explored:
    for file in own:
        load_measures(file)
    return Explored(*given)
