"""What a sentence speaks of: which measures, which grades of what nobody judged, which topics.

Words that claim more than what was seen ("whatever the grades", "every measure", "topics like
these") are written here alone, and name what they claim it of. A sentence takes them from its scope.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from cranfield.plumbing.wording import counted

Topics: TypeAlias = Literal["these", "like these"]


@dataclass(frozen=True)
class Sums:
    """All measures that average, over topics, a sum of gains times weights of ranks.

    Weights never rise with the rank, and are 0 below `depth`. Gains never fall with the grade, and
    what is not relevant gains nothing.
    """

    depth: int  # the last rank that has a weight

    def __str__(self) -> str:
        return (
            f"every measure that sums gains times weights of ranks down to rank {self.depth:,} and averages over "
            "topics (gains 0 for what is not relevant and never falling with the grade, weights never rising with the "
            "rank: P, DCG, RBP; not AP, RR, nDCG, ERR, Twist)"
        )


@dataclass(frozen=True)
class Scope:
    """What a sentence speaks of. Without more it is the judgments as they are, on these topics.

    Examples
    --------
    >>> scope = Scope(("AP",)).graded(2)
    >>> scope.whatever
    'whatever grades from 0 to 2 the unjudged documents in these runs have'
    >>> scope.stands_in("By AP, a stays ahead of b."), scope.stands_in(f"By AP, a stays ahead of b, {scope.whatever}.")
    (False, True)
    """

    measures: tuple[str, ...] | Sums = ()  # names of measures, or a class of them
    # The largest grade that unjudged documents could have, where the sentence speaks of what they could be: those that
    # some run of the call retrieved; all others count as not relevant. Where it is not at hand, "the largest" of the
    # qrels or of the scale.
    top: float | Literal["the largest"] | None = None
    complete: bool = False  # whether the judgments are taken as complete, so that no other grade is possible
    endless: bool = False  # whether it also speaks of what could stand below the ends of the lists
    topics: Topics = "these"  # the topics at hand, or others of the same kind
    others: str = "topics"  # what the others are, in the plural: users, impressions, sessions
    n: int | None = None  # the length that lists are cut or padded to, where that matters
    tolerance: float | None = None  # means that differ by less are equal, where that matters

    def graded(self, top: float | Literal["the largest"] = "the largest", *, complete: bool = False) -> Scope:
        """Return the same, with all grades up to the largest of the qrels for what nobody judged."""
        return replace(self, top=top or 1.0, complete=complete)

    def continued(self) -> Scope:
        """Return the same, with everything that could stand below the ends of the lists."""
        return replace(self, endless=True)

    def on_others(self, kind: str = "topics") -> Scope:
        """Return the same for other topics of the same kind, or for others of another kind."""
        return replace(self, topics="like these", others=kind)

    def padded(self, n: int) -> Scope:
        """Return the same for lists that are cut or padded to N documents."""
        return replace(self, n=n)

    def within(self, tolerance: float) -> Scope:
        """Return the same for means that are compared with this tolerance."""
        return replace(self, tolerance=tolerance)

    @property
    def by_all(self) -> str:
        """Name the class of measures."""
        if not isinstance(self.measures, Sums):
            raise ValueError("single measures are no class of them")
        return f"by {self.measures}"

    @property
    def whatever(self) -> str:
        """Claim something of all grades."""
        if self.complete:
            return "with the judgments taken as complete"
        below = " and those below their ends" if self.endless else ""
        return f"whatever {self._grades} the unjudged documents in these runs{below} have"

    @property
    def some(self) -> str:
        """Claim something of some grades."""
        return f"under some {self._grades} of the unjudged documents in these runs"

    @property
    def alike(self) -> str:
        """Claim something of other topics, or users.

        >>> Scope().on_others().alike, Scope().on_others("users").alike
        ('on topics like these', 'for users like these')
        """
        if self.topics != "like these":
            raise ValueError("the sentence is about the topics at hand")
        return f"{'on' if self.others == 'topics' else 'for'} {self.others} like these"

    def with_more(self, topics: int, unit: str = "topic") -> str:
        """Add other topics to those at hand, or clusters of them.

        >>> Scope().on_others().with_more(25)
        'with 25 more topics like these'
        """
        if self.topics != "like these":
            raise ValueError("the sentence is about the topics at hand")
        return f"with {counted(topics, f'more {unit}')} like these"

    @property
    def length(self) -> str:
        """Name N."""
        if self.n is None:
            raise ValueError("no list is cut or padded")
        return f"N = {self.n:,}"

    @property
    def nearly(self) -> str:
        """Name the tolerance."""
        if self.tolerance is None:
            raise ValueError("no means are compared")
        return f"equal to within {self.tolerance:g}"

    def stands_in(self, words: str) -> bool:
        """Whether words name everything that this scope has beyond the judgments and topics at hand."""
        clauses = [
            {self.by_all} if isinstance(self.measures, Sums) else set(self.measures),
            set() if self.top is None else {self.whatever, self.some},
            {self.alike} if self.topics == "like these" else set(),
            set() if self.n is None else {self.length},
            set() if self.tolerance is None else {self.nearly},
        ]
        return all(any(clause in words for clause in either) for either in clauses if either)

    @property
    def _grades(self) -> str:
        if self.top is None:
            raise ValueError("the sentence is about the judgments as they are")
        return f"grades from 0 to {self.top if isinstance(self.top, str) else format(self.top, 'g')}"


HERE: Final = Scope()
"""The judgments as they are, on these topics."""
