"""Answers with references, as TREC RAG asks for: what a run of lists has no place for, and so `check` does not see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from cranfield.checks.result import some
from cranfield.formats.loading import load
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.wording import counted
from cranfield.results.finding import Finding


class _Answer(NamedTuple):
    """An answer, or what is wrong with its form."""

    line: int
    topic: str
    run: str
    references: tuple[str, ...]
    citations: tuple[tuple[int, ...], ...]
    words: int
    wrong: str = ""


def check_answers(path: Path, *, most_words: int | None = None) -> Iterator[Finding]:
    """Find what is wrong with answers: their form, citations of nothing, references that nothing cites, and length.

    A line is an object with the topic (``topic_id``, or ``narrative_id`` in its ``metadata``), ``references``, a list
    of ids of documents, and ``answer``, a list of sentences: objects with a ``text`` and ``citations``, the places of
    references from 0 on. That is how TREC RAG 2024 and 2025 ask for them. The topics, documents and numbers of
    references are checked as those of ranked lists are.
    """
    try:
        answers = [_read(line, record) for line, record in load(path).objects(texts=True)]
    except InputError:  # which `check` says
        return
    wrong = [each for each in answers if each.wrong]
    yield from _about("answer", "an answer of another form", wrong, {each: each.wrong for each in wrong})
    fine = [each for each in answers if not each.wrong]
    beyond = [each for each in fine if any(not 0 <= cited < len(each.references) for cited in _cited(each))]
    last = {each: f"topic {each.topic} has {counted(len(each.references), 'reference')}" for each in beyond}
    yield from _about("citation", "a citation of a reference that is not there", beyond, last)
    long = [each for each in fine if most_words is not None and each.words > most_words]
    words = {each: f"topic {each.topic}: {each.words}" for each in long}
    yield from _about("words", f"more words than {most_words}", long, words)
    idle = [each for each in fine if each not in beyond and {*range(len(each.references))} - {*_cited(each)}]
    topics = {each: f"topic {each.topic}" for each in idle}
    yield from _about("idle reference", "references that no sentence cites", idle, topics, warns=True)


def run_of_answers(path: Path) -> str | None:
    """Return what the answers call their run; None if they do not, or not by one name."""
    try:
        names = {_read(line, record).run for line, record in load(path).objects(texts=True)}
    except InputError:
        return None
    return names.pop() if len(names) == 1 else None


def _about(
    code: str, what: str, found: list[_Answer], shown: Mapping[_Answer, str], *, warns: bool = False
) -> Iterator[Finding]:
    if found:
        named = some((f"line {each.line} ({shown[each]})" for each in found), len(found))
        says = f"{what}, in {counted(len(found), 'answer')}: {named}"
        yield Finding("warning" if warns else "error", code, len(found), found[0].line, says)


def _cited(answer: _Answer) -> Iterator[int]:
    return (cited for citations in answer.citations for cited in citations)


_FORM: Final = "references are a list of ids, and the answer is a list of objects with a text and citations"


def _read(line: int, record: object) -> _Answer:
    nothing = _Answer(line, "", "", (), (), 0)
    if not isinstance(record, Mapping):
        return nothing._replace(wrong="it is no object")
    found = record.get("metadata")
    metadata: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
    topic, run = record.get("topic_id", metadata.get("narrative_id")), record.get("run_id", metadata.get("run_id"))
    if topic is None:
        return nothing._replace(wrong="it has neither a topic_id nor a narrative_id in its metadata")
    references: Any = record.get("references")
    sentences: Any = record.get("answer")
    if not _are(references, str) or not _are(sentences, Mapping):
        return nothing._replace(wrong=_FORM)
    citations = [each.get("citations", []) for each in sentences]
    texts = [each.get("text") for each in sentences]
    if not _are(texts, str) or not all(_are(each, int) for each in citations):
        return nothing._replace(wrong=_FORM)
    words = sum(len(text.split()) for text in texts)
    return _Answer(line, str(topic), str(run), tuple(references), tuple(map(tuple, citations)), words)


def _are(given: Any, kind: type) -> bool:
    return isinstance(given, list) and all(isinstance(each, kind) and not isinstance(each, bool) for each in given)
