"""What is looked for by name: topics, runs and documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from cranfield.app.explorer.questions.explored import Explored, remembered
from cranfield.formats.documents import TITLE
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT

SHOWN_OF_EACH_KIND: Final = 50
LONGEST_QUERY: Final = 1000
"""Letters that may be looked for: the time grows with their square where documents repeat a letter as often."""


class Hits(NamedTuple):
    """What holds all the words that are looked for."""

    topics: tuple[str, ...]
    runs: tuple[str, ...]
    documents: pl.DataFrame  # columns doc_id, title, topics (a list): what is called so first, then what begins so


def search(explored: Explored, text: str) -> Hits:
    """Where is this?

    Every word must stand somewhere: in the id, title or description of a topic, in the name of a run, in
    the id or title of a document that some run retrieved or somebody judged. Capital letters are as small ones.
    """
    if len(text) > LONGEST_QUERY:
        raise InputError(f"at most {LONGEST_QUERY:,} letters can be looked for, not {len(text):,}")
    words = text.lower().split()
    documents = listed(explored) if words else listed(explored).clear()
    for word in words:
        documents = documents.filter(pl.col("said").str.contains(word, literal=True))
    called = pl.col(DOCUMENT).str.to_lowercase()
    first = " ".join(words)
    return Hits(
        topics_with(explored, text) if words else (),
        tuple(run for run in explored.ordered().runs if words and _holds(words, run)),
        documents.sort(called != first, ~called.str.starts_with(first), DOCUMENT).drop("said"),
    )


def topics_with(explored: Explored, text: str) -> tuple[str, ...]:
    """Return the topics whose id, title or description hold all the words; all of them, where none is looked for."""
    words = text.lower().split()
    about = explored.topics
    return tuple(topic for topic in explored.runs.topics if _holds(words, topic, *about.get(topic, ())[:2]))


def _holds(words: Sequence[str], *parts: str) -> bool:
    said = " ".join(parts).lower()
    return all(word in said for word in words)


@remembered(1)
def listed(explored: Explored) -> pl.DataFrame:
    """Return all documents that some run retrieved, or somebody judged.

    Columns doc_id, title, topics (for which they were, those of a higher grade first), said (what is
    searched, in small letters).
    """
    judgments = explored.runs.judgments
    topics = np.array(explored.runs.topics, dtype=object)[judgments.topic]
    pairs = pl.DataFrame({DOCUMENT: judgments.document, "topics": pl.Series(topics.tolist(), dtype=pl.String)})
    pairs = pairs[np.argsort(-judgments.grade, kind="stable")]  # what is unjudged (NaN) comes last
    found = pairs.group_by(DOCUMENT, maintain_order=True).agg("topics").join(explored.titles, DOCUMENT, "left")
    said = pl.concat_str(DOCUMENT, TITLE, separator=" ").str.to_lowercase().alias("said")
    return found.with_columns(pl.col(TITLE).fill_null("")).select(DOCUMENT, TITLE, "topics", said)


def topics_of(explored: Explored, document: str) -> list[str]:
    """Return the topics for which some run retrieved a document, or somebody judged it."""
    return listed(explored).filter(pl.col(DOCUMENT) == document)["topics"].explode().to_list()
