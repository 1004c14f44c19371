"""A small collection with texts that everybody has: docstrings of the standard library, topics, judgments, runs.

It serves to look around where there are documents to read, and for examples. The judgments are
ours: what answers a topic has grade 2, what helps has 1, and what was among the first five of any
ranker and does neither has 0. Everything else is unjudged, as it is in life.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from cranfield.demonstration.docstrings import Docstring, docstrings
from cranfield.demonstration.rankers import runs_of

__all__ = ["Demonstration", "Docstring", "demonstration"]


@dataclass(frozen=True)
class Demonstration:
    """Documents by id, topics by id, judgments, and a run of each ranker."""

    documents: dict[str, Docstring]
    topics: dict[str, str]
    qrels: dict[str, dict[str, int]]
    runs: dict[str, dict[str, dict[str, float]]]


@cache
def demonstration() -> Demonstration:
    """Gather the docstrings of this Python, and let the rankers search them.

    Judgments of documents that this version of Python has not are left out.

    >>> found = demonstration()
    >>> found.topics["15"], found.qrels["15"]["glob.glob"], list(found.runs)
    ('find files whose names match a pattern', 2, ['bm25', 'cosine', 'likelihood', 'names'])
    """
    documents = {each.doc_id: each for each in docstrings()}
    topics = dict(line.split("\t") for line in _lines("topics.tsv"))
    qrels: dict[str, dict[str, int]] = {topic: {} for topic in topics}
    for line in _lines("qrels.txt"):
        topic, _, document, grade = line.split()
        if document in documents:
            qrels[topic][document] = int(grade)
    texts = {name: f"{name.replace('.', ' ')} {each.text}" for name, each in documents.items()}
    return Demonstration(documents, topics, qrels, runs_of(texts, topics))


def _lines(name: str) -> list[str]:
    return files(__name__).joinpath("data", name).read_text(encoding="utf-8").splitlines()
