"""What a convention is: the choices behind figures that others publish, or that a tool prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal, NamedTuple

from cranfield.plumbing.options import Missing, Order, Topics
from cranfield.plumbing.surface import can_say, in_shell

_AS_USUAL: Final[Mapping[str, Mapping[str, object]]] = {}


class Marks(NamedTuple):
    """What marks the judgments of a track, so that they are told from those of other collections."""

    called: str  # whose judgments they are, in a sentence
    # one for each year: ranges of numbers ("301-450 601-671"), or how many there are and a digest ("43 761275fb...")
    topics: tuple[str, ...]
    grades: tuple[int, ...]  # all of these are given,
    further: tuple[int, ...] = ()  # and no others but these, which some years lack
    documents: str = ""  # how each id begins, as a regular expression
    fewest: int | None = None  # as many of the topics are enough, where not all were judged; None: all of them


class Convention(NamedTuple):
    """How one track, benchmark or tool computes; what is None is not fixed by it."""

    # name, title: what it is asked for by, and what it is called
    name: str
    title: str
    purpose: str  # which figures come out so
    measures: tuple[str, ...]  # what it reports, as names: these are computed where no others are asked for
    sources: tuple[str, ...]  # where all this is written
    rel: float | None = None  # the lowest grade that is relevant to measures for which a document is relevant or not
    # by the name of a measure the parameters that it has here, unless it is given others
    parameters: Mapping[str, Mapping[str, object]] = _AS_USUAL
    # order, depth, topics, missing, exclude: as in `Reading`: what ranks the documents, how many are looked at, which
    # topics are averaged over, what a missing one counts, and which documents do not count
    order: Order | None = None
    depth: int | None = None
    topics: Topics | None = None
    missing: Missing | None = None
    exclude: Literal["self"] | None = None
    # what else to know: what is left out before anything is scored, and what is not reproduced here
    notes: tuple[str, ...] = ()
    marks: Marks | None = None  # how judgments whose official figures follow it are recognised

    def said(self) -> Iterator[str]:
        """Say what it fixes, a sentence each.

        >>> example = Convention(name="x", title="X", purpose="X.", measures=("AP",), sources=("X",), rel=2, depth=100)
        >>> list(example.said())
        ['Documents of grade 2 or higher are relevant.', 'Only the first 100 documents of each list count.']
        """
        if self.rel is not None:
            yield f"Documents of grade {self.rel:g} or higher are relevant."
        for measure, parameters in self.parameters.items():
            yield f"{measure} has {', '.join(f'{name}={value!r}' for name, value in parameters.items())}."
        if self.order is not None:
            yield {
                "score": "Documents are ranked by score in 64 bits, ties by id, the last in byte order first.",
                "trec9": "Documents are ranked by score in 32 bits, ties by id, the last in byte order first.",
                "stable": "Documents are ranked by score in 64 bits, ties in file order.",
                "rank": "Documents are ranked by the rank column.",
                "file": "Documents are ranked in file order.",
            }[self.order]
        if self.depth is not None:
            yield f"Only the first {self.depth} documents of each list count."
        if self.topics is not None:
            yield {
                "all": "Averages are over all judged topics; one that a run lacks counts 0.",
                "shared": "Averages are over the judged topics that a run has.",
            }[self.topics]
        if self.missing == "empty":
            yield "A missing topic is scored as an empty list."
        if self.exclude is not None:
            yield "A document with the topic's id is removed before ranking."
        if self.marks is not None:
            yield f"The audit proposes it for judgments like those of {self.marks.called}."

    @property
    def proposal(self) -> str:
        """Say how it is asked for where that is read.

        >>> Convention(name="x", title="X", purpose="X.", measures=("AP", "RR"), sources=("X",)).proposal
        'convention="x" scores as published'
        """
        ask = f"--convention {self.name}" if in_shell() and can_say("--convention") else f'convention="{self.name}"'
        return f"{ask} scores as published"
