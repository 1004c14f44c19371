"""Who judges what, and how often: an arrangement of the work, which holds until another one is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Final, TypeAlias, cast

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Count, Range, Seed, Whole, checked, shown
from cranfield.selection.candidates import chance

Document: TypeAlias = tuple[str, str]
"""Topic and document."""
Part: TypeAlias = Annotated[float, Range(at_least=0, at_most=1)]
"""A share that may be nothing, or all."""


@dataclass(frozen=True)
class Arrangement:
    """How is the work shared out among assessors and topics?

    All of it concerns what `Records.lease` hands out from now on. Judgments are kept, whoever makes them.

    Attributes
    ----------
    owners
        Pairs of topic and assessor, or ``{topic: assessor or assessors}``: none but its owners begin
        documents of a topic. Topics without an owner are anybody's. What an owner has begun and
        others are to judge too (``twice``, ``per_document``) is leased to anybody else.
    whole_topics
        Whether each topic stays in one hand: that of the assessor who has begun most of its
        documents. Nobody opens another topic before nothing is left of those in their hands.
    at_least
        How many documents of each topic are begun before weights decide between topics. The topics
        with the fewest come first.
    at_most
        How many documents of a topic are begun; None: all.
    per_document
        How many assessors judge each document; None: as many as the `Records` ask for.
    twice
        The share of documents that two assessors judge, from 0 to 1. Which these are is drawn by the seed,
        document by document, before any of them is judged.
    blind
        Whether the documents of a lease come in an order that is drawn by the seed. The order of the
        session tells assessors what is expected of a document.
    seed
        Of what is drawn.

    Raises
    ------
    InputError
        If one of them is something else, or ``at_most`` is below ``at_least``.

    Examples
    --------
    >>> Arrangement(owners={"401": "Ann", "402": ["Ben", "Cleo"]}, at_least=20).owners
    (('401', 'Ann'), ('402', 'Ben'), ('402', 'Cleo'))
    >>> half = Arrangement(twice=0.5)
    >>> [half.wanted(("401", document), 1) for document in "abcdef"]
    [1, 2, 2, 1, 1, 2]
    """

    owners: Sequence[Document] | Mapping[str, str | Sequence[str]] = ()
    whole_topics: bool = False
    at_least: int = 0
    at_most: int | None = None
    per_document: int | None = None
    twice: float = 0
    blind: bool = False
    seed: int = 7

    def __post_init__(self) -> None:
        object.__setattr__(self, "owners", _owners(self.owners))
        for name, kind in _KINDS.items():
            object.__setattr__(self, name, checked(f"{name} of an arrangement", getattr(self, name), kind))
        if self.at_most is not None and self.at_most < self.at_least:
            raise InputError(f"at_most ({self.at_most}) is below at_least ({self.at_least})")

    @cached_property
    def owners_of(self) -> dict[str, frozenset[str]]:
        """The owners of each topic that has some."""
        found: dict[str, set[str]] = {}
        for topic, assessor in cast("tuple[Document, ...]", self.owners):
            found.setdefault(topic, set()).add(assessor)
        return {topic: frozenset(owners) for topic, owners in found.items()}

    def wanted(self, document: Document, per_document: int) -> int:
        """Return how many assessors are to judge a document, if this many judge each."""
        per_document = self.per_document or per_document
        if self.twice and per_document < 2 and chance(self.seed, "twice", *document) < self.twice:
            return 2
        return per_document

    def place(self, document: Document) -> float:
        """Return what the documents of a lease are sorted by where their order is blind."""
        return chance(self.seed, "lease", *document)


_KINDS: Final[dict[str, object]] = {
    "whole_topics": bool, "at_least": Whole, "at_most": Count | None, "per_document": Count | None,
    "twice": Part, "blind": bool, "seed": Seed,
}  # fmt: skip


def _owners(given: object) -> tuple[Document, ...]:
    """Take pairs of topic and assessor, or a mapping; each pair once, sorted."""
    if isinstance(given, Mapping):
        several = {topic: those if isinstance(those, list | tuple) else [those] for topic, those in given.items()}
        given = [(topic, who) for topic, those in several.items() for who in those]
    pairs = [*given] if isinstance(given, list | tuple) else None
    if pairs is None or not all(
        isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(each, str) and each for each in pair)
        for pair in pairs
    ):
        raise InputError(f"owners of an arrangement are pairs of topic and assessor, not {shown(given)}")
    return tuple(sorted({(topic, assessor) for topic, assessor in pairs}))
