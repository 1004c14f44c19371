"""Cheap labels of all candidates: what a language model or a crowd said, on whatever scale it has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from cranfield.formats import QrelsLike
from cranfield.judged.judgments import Judgments
from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT, QUERY, RELEVANCE
from cranfield.plumbing.wording import counted, named
from cranfield.scoring.judged_runs import open_qrels
from cranfield.selection.candidates import Candidates

MOST_SINGLE_LABELS: Final = 12
"""Up to this many different labels are calibrated one by one; more are taken together in ten groups of neighbours."""
_GROUPS: Final = 10


@dataclass(frozen=True, eq=False)
class CheapLabels:
    """The label of each candidate, as a group to be calibrated."""

    code: Integers  # by candidate: its group, the lowest label first; the last is of those without one
    groups: int  # how many there are
    unlabelled: Booleans  # by candidate
    notes: tuple[str, ...] = ()  # what is strange about the labels, with counts

    @classmethod
    def join(cls, candidates: Candidates, cheap: QrelsLike | Judgments) -> CheapLabels:
        """Look up the label of each candidate; of more than twelve different labels, neighbours share a group."""
        return cls.of(candidates, looked_up(candidates, open_qrels(cheap)))

    @classmethod
    def of(cls, candidates: Candidates, label: Floats) -> CheapLabels:
        """Group the labels of the candidates, in their order; NaN is none."""
        code, groups = grouped(label)
        unlabelled = np.isnan(label)
        return cls(code, groups + bool(unlabelled.any()), unlabelled, tuple(notes_on(candidates, label)))

    def none(self) -> CheapLabels:
        """Return the labels of a judge that says the same of every document."""
        return CheapLabels(np.zeros_like(self.code), 1, np.zeros_like(self.unlabelled))


def grouped(label: Floats) -> tuple[Integers, int]:
    """Return the group of each label, from 0 for the lowest, and how many there are; one more is of missing labels."""
    there = ~np.isnan(label)
    values, code = np.unique(label[there], return_inverse=True)
    if len(values) > MOST_SINGLE_LABELS:
        ends = np.unique(np.quantile(label[there], np.arange(1, _GROUPS) / _GROUPS))
        values, code = np.unique(np.searchsorted(ends, label[there], side="right"), return_inverse=True)
    found = np.full(len(label), len(values))
    found[there] = code
    return found, len(values)


def looked_up(candidates: Candidates, labels: Judgments) -> Floats:
    """Return the label of each candidate, NaN where it has none; one has one at least."""
    joined = candidates.ids.join(labels.table(), on=[QUERY, DOCUMENT], how="left", maintain_order="left")
    found = joined[RELEVANCE].cast(pl.Float64).fill_null(np.nan).to_numpy()
    if np.isnan(found).all():
        raise InputError(
            f"none of the {counted(len(candidates), 'candidate')} has a cheap label; the topics of the labels are "
            f"{named(labels.topics)}, those of the runs {named(candidates.topics)}"
        )
    return found


def notes_on(candidates: Candidates, label: Floats, judge: str = "") -> Iterator[str]:
    """Say what is strange about the labels of a judge."""
    lacking = np.bincount(candidates.topic, np.isnan(label), minlength=len(candidates.topics)).astype(np.int64)
    if number := int(lacking.sum()):
        topics, most = counted(int((lacking > 0).sum()), "topic"), int(lacking.argmax())
        yield (
            f"{judge}no cheap label: {number:,} of {counted(len(label), 'candidate')}, on {topics} (most on "
            f"{candidates.topics[most]}: {lacking[most]:,}); missing counts as a separate label"
        )
    if number := int((label < 0).sum()):
        below = named([f"{value:g}" for value in np.unique(label[label < 0])])
        yield (
            f"{judge}below 0: {counted(number, 'cheap label')} ({below}), used as they are; leave them out if they "
            "mean that the judge did not answer"
        )
