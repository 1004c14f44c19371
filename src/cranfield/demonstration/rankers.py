"""Four small rankers, each of its own mind."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from cranfield.plumbing.arrays import Floats, Integers

DEPTH: Final = 100
"""How many documents of each list are kept."""
WORD: Final = re.compile(r"[a-z][a-z0-9]+")
STOPPED: Final = {
    *("a", "an", "and", "are", "as", "at", "be", "by", "do", "for", "from", "how", "i", "if", "in", "into", "is", "it"),
    *("its", "not", "of", "on", "or", "that", "the", "this", "to", "what", "which", "with"),
}
"""Words that say nothing."""


def words(text: str) -> list[str]:
    """Split a text into words, without endings of the plural and without those that say nothing.

    >>> words("Return the lines of_a file, sorted: DictReader")
    ['return', 'line', 'file', 'sorted', 'dict', 'reader']
    """
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", text).lower()
    return [_stem(word) for word in WORD.findall(parted) if word not in STOPPED]


def _stem(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


@dataclass(frozen=True, eq=False)
class Index:
    """Which documents hold which words, and how often.

    >>> index = Index.of({"a": "red apple, red", "b": "green pear"})
    >>> index.postings("red")
    (array([0]), array([2.]))
    """

    ids: tuple[str, ...]
    counts: Mapping[str, tuple[list[int], list[int]]]
    length: Floats

    @classmethod
    def of(cls, documents: Mapping[str, str]) -> Index:
        """Index documents by their ids."""
        counts: dict[str, tuple[list[int], list[int]]] = {}
        length = np.zeros(len(documents))
        for place, text in enumerate(documents.values()):
            found = Counter(words(text))
            length[place] = found.total()
            for word, count in found.items():
                places, times = counts.setdefault(word, ([], []))
                places.append(place)
                times.append(count)
        return cls(tuple(documents), counts, length)

    def postings(self, word: str) -> tuple[Integers, Floats]:
        """Return the documents that hold a word, and how often each does."""
        places, times = self.counts.get(word, ([], []))
        return np.array(places, np.int64), np.array(times, np.float64)

    @cached_property
    def squares(self) -> Floats:
        """For each document, the length of its vector of weighted words."""
        squares = np.zeros(len(self.ids))
        for word in self.counts:
            places, times = self.postings(word)
            squares[places] += ((1 + np.log(times)) * self.rarity(word)) ** 2
        return np.sqrt(squares)

    def rarity(self, word: str) -> float:
        """Return the logarithm of how few documents hold a word."""
        return float(np.log(len(self.ids) / max(1, len(self.postings(word)[0]))))


def bm25(index: Index, query: Sequence[str], k1: float = 0.9, b: float = 0.4) -> Floats:
    """Words count by how rare they are, and ever less the more often they are there (Robertson et al. 1994)."""
    score = np.zeros(len(index.ids))
    norm = k1 * (1 - b + b * index.length / index.length.mean())
    for word in query:
        places, times = index.postings(word)
        rare = np.log(1 + (len(index.ids) - len(places) + 0.5) / (len(places) + 0.5))
        score[places] += rare * times * (k1 + 1) / (times + norm[places])
    return score


def cosine(index: Index, query: Sequence[str]) -> Floats:
    """The angle between the vectors of weighted words (Salton): short documents gain by it."""
    score = np.zeros(len(index.ids))
    for word in query:
        places, times = index.postings(word)
        score[places] += (1 + np.log(times)) * index.rarity(word) ** 2
    return score / np.maximum(index.squares, 1e-9)


def likelihood(index: Index, query: Sequence[str], mu: float = 100.0) -> Floats:
    """How likely the document is to say the query, smoothed after Dirichlet (Zhai and Lafferty 2001)."""
    score, seen = np.zeros(len(index.ids)), np.zeros(len(index.ids), bool)
    everything = index.length.sum()
    for word in query:
        places, times = index.postings(word)
        if len(places):
            share = times.sum() / everything
            known = np.log(mu * share / (index.length + mu))
            known[places] = np.log((times + mu * share) / (index.length[places] + mu))
            score += known - np.log(share)
            seen[places] = True
    return np.where(seen, score - score.min(initial=0.0) + 1.0, 0.0)


def names(index: Index, query: Sequence[str]) -> Floats:
    """How many of the words are in the document's name: fast, and blind to the text."""
    score = np.zeros(len(index.ids))
    asked = set(query)
    for place, name in enumerate(index.ids):
        own = words(name.replace(".", " "))
        score[place] = len(asked.intersection(own)) / (1 + 0.1 * len(own))
    return score


RANKERS: Final[Mapping[str, Callable[[Index, Sequence[str]], Floats]]] = {
    ranker.__name__: ranker for ranker in (bm25, cosine, likelihood, names)
}


def runs_of(documents: Mapping[str, str], topics: Mapping[str, str]) -> dict[str, dict[str, dict[str, float]]]:
    """Let all rankers search, and return their runs: the documents of each topic with a score above 0.

    >>> found = runs_of({"a.red": "red apple", "b.pear": "green pear"}, {"1": "a red pear"})
    >>> {run: list(lists["1"]) for run, lists in found.items()}
    {'bm25': ['a.red', 'b.pear'], 'cosine': ['a.red', 'b.pear'], 'likelihood': ['a.red', 'b.pear'], 'names': ['a.red', 'b.pear']}
    """  # noqa: E501
    index = Index.of(documents)
    asked = {topic: words(text) for topic, text in topics.items()}
    return {
        name: {topic: _best(index.ids, ranker(index, query)) for topic, query in asked.items()}
        for name, ranker in RANKERS.items()
    }


def _best(ids: Sequence[str], score: Floats) -> dict[str, float]:
    order = np.lexsort((np.arange(len(ids)), -score))[:DEPTH]
    return {ids[place]: round(float(score[place]), 6) for place in order if score[place] > 0}
