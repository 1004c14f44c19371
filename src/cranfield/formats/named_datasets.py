"""Judgments and topics by the name that a dataset has in ir_datasets: ``irds:msmarco-passage/trec-dl-2019/judged``.

ir_datasets is imported when the first such name is read. What it lacks it downloads, and keeps.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import shorten
from types import ModuleType
from typing import Any, Final, Literal, TypeAlias

from cranfield.formats.files import is_there
from cranfield.formats.optional import library
from cranfield.formats.writing import tell
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.surface import in_shell
from cranfield.plumbing.tables import DOCUMENT, ITERATION, QUERY, RELEVANCE, SUBTOPIC
from cranfield.plumbing.wording import did_you_mean, some_of

_Part: TypeAlias = Literal["qrels", "queries"]

_SCHEME: Final = "irds:"
_CALLED: Final = {"qrels": "judgments", "queries": "topics"}
_MORE: Final = {"subtopic_id": SUBTOPIC, "iteration": ITERATION}
"""What judgments may have more than a topic, a document and a grade."""


@dataclass(frozen=True)
class NamedDataset:
    """A dataset of ir_datasets."""

    name: str
    """What it is called there."""

    @property
    def source(self) -> str:
        """What messages call it."""
        return f"{_SCHEME}{self.name}"

    @property
    def provenance(self) -> str:
        """Its name, and which version of ir_datasets reads it."""
        return f"{self.source} ({self._reader})"

    def judgments(self) -> pl.DataFrame:
        """Read its judgments, as a frame with our names of columns, and a subtopic or an iteration where they have it.

        Raises
        ------
        InputError
            If ir_datasets is not installed, does not know the name, or cannot fetch the judgments; or there are none.
        """
        rows = self._read("qrels")
        if not rows:
            raise self.wrong("has no judgments: its list of them is empty")
        names = {"query_id": QUERY, "doc_id": DOCUMENT, "relevance": RELEVANCE}
        names |= {theirs: ours for theirs, ours in _MORE.items() if hasattr(rows[0], theirs)}
        return pl.DataFrame({ours: [getattr(row, theirs) for row in rows] for theirs, ours in names.items()})

    def topics(self) -> Iterator[dict[str, str]]:
        """Read its topics: the fields of each, as texts, and what ir_datasets takes for its text.

        Raises
        ------
        InputError
            As for `judgments`.
        """
        for each in self._read("queries"):
            fields = {name: str(value) for name, value in each._asdict().items() if value is not None}
            yield {"text": each.default_text(), **fields} if hasattr(each, "default_text") else fields

    def wrong(self, problem: str, line: int | None = None) -> InputError:
        """Say what is wrong with it."""
        return InputError(problem, source=self.source, line=line)

    @property
    def _reader(self) -> str:
        return f"ir_datasets {getattr(self._library, '__version__', '')}".strip()

    @property
    def _library(self) -> ModuleType:
        try:
            return library("ir_datasets", extra="irds")
        except InputError as error:
            raise self.wrong(error.problem) from None

    def _read(self, part: _Part) -> list[Any]:
        """Read the judgments or the topics, of which the library tells first that it may have to fetch them."""
        what = _CALLED[part]
        try:
            dataset = self._library.load(self.name)
        except KeyError:
            meant = did_you_mean(self.name, self._names())
            raise self.wrong(f"ir_datasets has no dataset of this name{meant}") from None
        if not _has(dataset, part):
            within = (name for name in self._names() if name.startswith(f"{self.name}/"))
            there = [name for name in within if _has(self._library.load(name), part)]
            raise self.wrong(f"has no {what}" + (f"; these have: {some_of(there)}" if there else ""))
        if in_shell():
            tell(f"{self._reader} downloads the {what} of {self.source} unless it has them")
        try:
            return list(getattr(dataset, f"{part}_iter")())
        except Exception as error:  # noqa: BLE001 - of the network, of the disk, of whatever parses the file
            first = next(iter(error.args), "")  # others may be all that was tried
            why = shorten(
                f"{type(error).__name__}: {first if isinstance(first, str) else error}", 160, placeholder=" ..."
            )
            raise self.wrong(
                f"ir_datasets cannot fetch its {what} ({why}): give a file, or try again with a network"
            ) from None

    def _names(self) -> list[str]:
        return [str(name) for name in getattr(self._library, "registry", ())]


def dataset_in(given: object) -> NamedDataset | None:
    """Return the dataset that a text names; None for anything else, and where a file is called so.

    >>> dataset_in("irds:msmarco-passage/trec-dl-2019/judged"), dataset_in("qrels.txt"), dataset_in({"1": {"d1": 1}})
    (NamedDataset(name='msmarco-passage/trec-dl-2019/judged'), None, None)
    """
    text = os.fspath(given) if isinstance(given, str | os.PathLike) else ""
    if not text.startswith(_SCHEME) or is_there(text):
        return None
    return NamedDataset(text.removeprefix(_SCHEME).strip("/"))


def _has(dataset: Any, part: _Part) -> bool:
    return bool(getattr(dataset, f"has_{part}")())
