"""The session that chooses what is leased, told of each grade by which it goes on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from cranfield.selection.judging import Judging
from cranfield.selection.method import method_named
from cranfield.selection.records.arrangement import Document
from cranfield.selection.records.leasing import Turns
from cranfield.selection.state import weighted_measure


class SessionOfRecords:
    """A `Judging` that follows records, which knows what counts, what is held and what may be judged."""

    def __init__(self, judging: Judging) -> None:
        self.judging = judging
        self._candidates, self._scope = judging.candidates, judging.scope
        self._settings: dict[str, Any] = {
            "method": str(judging.method),
            "measure": judging.measure,
            "top_grade": judging.top_grade,
        }
        self._among = None if judging.among is None else dict.fromkeys(judging.among)
        self._own = {(topic, document) for topic, document, _ in judging.history}  # recorded before there were records

    def top_grade(self, changes: Mapping[str, Any]) -> float:
        """Return the largest grade of the scale under some changes."""
        return float(changes.get("top_grade", self._settings["top_grade"]))

    def check(self, changes: Mapping[str, Any], lists: Mapping[str, object]) -> None:
        """Refuse changes and runs that it could not go on with."""
        for name, look in (("method", method_named), ("measure", weighted_measure)):
            look(changes.get(name, self._settings[name]))
        self.judging.check_scale(self.top_grade(changes), len(self._own))
        self._candidates.refuse_runs(lists)

    def restart(self, changes: Mapping[str, Any], lists: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
        """Begin anew with these changes and late runs, as if it had heard nothing."""
        settings = {name: changes.get(name, value) for name, value in self._settings.items()}
        self.judging.restart(
            candidates=self._candidates.with_runs(lists) if lists else self._candidates,
            scope=self._scope if method_named(settings["method"]).scoped else "topic",
            among=self._among,
            keep=len(self._own),
            **settings,
        )

    def tell(self, document: Document, grade: float | None) -> None:
        """Tell it of a document that it has open, or that was judged though it would not have chosen it."""
        place = self.judging.candidates.find(*document)
        if place is None:
            return
        self.judging.admit_place(place)
        if self.judging.state.open[place]:
            self.judging.skip(*document) if grade is None else self.judging.record(*document, grade)

    def take_back(self, document: Document) -> None:
        """Let it forget what it was told of a document, if that counted."""
        place = self.judging.candidates.find(*document)
        if place in self.judging.recorded and document not in self._own:
            self.judging.take_back(*document)

    def hold(self, document: Document, *, held: bool = True) -> None:
        """Let it choose a document no more since somebody has it, or again; who has it may judge it in any case."""
        place = self.judging.candidates.find(*document)
        if place is None:
            return
        if held or (self._among is not None and document not in self._among):
            self.judging.admit_place(place, admitted=held)
        self.judging.hold_place(place, held=held)

    def choose(self, n: int, turns: Turns, kept: Collection[Document]) -> dict[Document, float]:
        """Return the next n documents that may be begun, none of the kept ones, and their weights."""
        judging, candidates = self.judging, self.judging.candidates
        found, held = dict[Document, float](), list[int]()

        def next_place() -> int | None:
            for topics in (None,) if turns.free else turns.order(candidates.topics):
                while len(places := judging.next_places(topics=topics)):
                    judging.hold_place(place := int(places[0]))
                    held.append(place)
                    if (candidates.topics[candidates.topic[place]], candidates.document[place]) not in kept:
                        return place
            return None

        try:
            while len(found) < n and (place := next_place()) is not None:
                topic = candidates.topics[candidates.topic[place]]
                found[topic, candidates.document[place]] = judging.weight_at(place)
                turns.take(topic)
        finally:
            for place in held:
                judging.hold_place(place, held=False)
        return found
