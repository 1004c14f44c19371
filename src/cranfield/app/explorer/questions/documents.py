"""What is looked for by name, and what is asked of a document."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from cranfield.app.explorer.questions.explored import Explored, remembered
from cranfield.demonstration.rankers import STOPPED
from cranfield.formats.documents import TITLE, Document
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import readable
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT

SHOWN_OF_EACH_KIND: Final = 50
LONGEST_QUERY: Final = 1000
"""Letters that may be looked for: the time grows with their square where documents repeat a letter as often."""
MOST_CHARACTERS: Final = 100_000
_WORD: Final = re.compile(r"[^\W_]{3,}")
_LINK: Final = re.compile(r"<(?:link|meta|i?frame|area)(?=[\s/>])", re.IGNORECASE)
_ANCHOR: Final = re.compile(r"<(/?)a(?=[\s/>])", re.IGNORECASE)


class ShownText(NamedTuple):
    """A text as it is shown."""

    title: str
    pieces: tuple[tuple[str, bool], ...]  # the beginning of the text: what to mark, and what stands between
    shown: int  # how many characters that are
    length: int
    is_page: bool  # whether it was taken out of a page of HTML


class RunPlace(NamedTuple):
    """Where a run has a document (None: it did not retrieve it), and what that is worth by each measure."""

    run: str
    rank: int | None
    worth: Mapping[str, float]


def grade_of(explored: Explored, topic: str, document: str) -> float:
    """Return the grade of a document; NaN is unjudged."""
    judgments = explored.on(topic).judgments
    if document not in judgments.documents[0]:
        raise InputError(f"no run retrieved document {document!r} for topic {topic!r}, and nobody judged it")
    return float(judgments.grade[judgments.documents[0].index(document)])


def document_of(explored: Explored, name: str) -> Document | None:
    """Return what a document says, as far as that is known."""
    found = None if explored.documents is None else explored.documents.get(name)
    return found if found is None or isinstance(found, Document) else Document(found.title, found.text)


def written(explored: Explored, name: str) -> Document:
    """Return what a document says, which must be known."""
    found = document_of(explored, name)
    if found is None:
        raise InputError(f"there is no text of document {name!r}")
    return found


def page_of(explored: Explored, name: str) -> str:
    """Return the page that a document is, without what no policy of ours governs."""
    page = written(explored, name).page
    if not page:
        raise InputError(f"document {name!r} is plain text, not a page")
    return without_links(page)


def reading(explored: Explored, topic: str, name: str) -> ShownText | None:
    """Return the text of a document as it is shown, with the words of the topic marked."""
    document = document_of(explored, name)
    if document is None:
        return None
    text, length = readable(document.text[:MOST_CHARACTERS]), len(document.text)
    pieces = tuple(marked(text, words_of(explored.title_of(topic))))
    return ShownText(document.title, pieces, min(MOST_CHARACTERS, length), length, bool(document.page))


def words_of(title: str) -> frozenset[str]:
    """Return the words of a topic to mark in texts: of three letters or more, without stop words.

    >>> sorted(words_of("What is the Straße of a file?"))
    ['file', 'strasse']
    """
    return frozenset(word.casefold() for word in _WORD.findall(title)) - STOPPED


def marked(text: str, words: frozenset[str]) -> list[tuple[str, bool]]:
    """Split a text into pieces, and say which are words to mark.

    >>> marked("Files, file_name: profile", frozenset({"file"}))
    [('Files, ', False), ('file', True), ('_name: profile', False)]
    """
    pieces, at = [], 0
    for found in _WORD.finditer(text) if words else ():
        if found[0].casefold() in words:
            pieces += [(text[at : found.start()], False), (found[0], True)]
            at = found.end()
    return [piece for piece in (*pieces, (text[at:], False)) if piece[0]]


def without_links(page: str) -> str:
    """Take out of a page whatever makes a browser connect elsewhere before any policy forbids it.

    Chromium preconnects to the targets of links and frames. Links become underlined text; other such elements get a
    name that means nothing to browsers.

    >>> without_links('<LINK rel="preconnect" href="//elsewhere.example"><links><a href="/">home</a>')
    '<bgsound rel="preconnect" href="//elsewhere.example"><links><u href="/">home</u>'
    """
    return _ANCHOR.sub(r"<\1u", _LINK.sub("<bgsound", page))


def standings(worth: pl.DataFrame, runs: Sequence[str]) -> list[RunPlace]:
    """Lay out the worth of a document, one row per run, those that retrieved it first."""
    found = {run: (rows["rank"][0], rows.select("measure", "worth").rows()) for (run,), rows in worth.group_by("run")}
    rows = [RunPlace(run, found[run][0], dict(found[run][1])) for run in runs]
    return sorted(rows, key=lambda row: row.rank is None)


class Hits(NamedTuple):
    """What holds all the words that are looked for."""

    topics: tuple[str, ...]
    runs: tuple[str, ...]
    documents: pl.DataFrame  # columns doc_id, title, topics (a list): what is called so first, then what begins so


def search(explored: Explored, text: str) -> Hits:
    """Search topics (id, title, description), runs (name) and documents (id, title): every word must occur."""
    if len(text) > LONGEST_QUERY:
        raise InputError(f"at most {LONGEST_QUERY:,} letters can be searched for, not {len(text):,}")
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
    return tuple(each for each in explored.runs.topics if _holds(words, each, *explored.topics.get(each, ())[:2]))


def _holds(words: Sequence[str], *parts: str) -> bool:
    said = " ".join(parts).lower()
    return all(word in said for word in words)


@remembered(1)
def listed(explored: Explored) -> pl.DataFrame:
    """List what is retrieved or judged: doc_id, title, topics (of higher grades first), said (in lower case)."""
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
