r"""The one door for files besides runs and judgments: a file is read once, and each error says where it stands.

Whatever an option or argument names - costs, weights, topics, texts, labels, logs, settings - is loaded here, so that
a pipe is as good as a file, what is packed is unpacked, what is endless or a bomb is refused, and what is no text, no
JSON, no TOML or no table of which something can be made is an `InputError` with the file and the line.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath
from typing import Any

from cranfield.formats import delimited, json_text, parquet
from cranfield.formats.files import FilePath, called, read_bytes, unpacked_name
from cranfield.formats.text import DEEPEST_NESTING, decodable, too_deep
from cranfield.plumbing.errors import InputError


@dataclass(frozen=True)
class Loaded:
    """What a file holds, and how messages call it; errors name the file and the line."""

    data: bytes = field(repr=False)  # Its bytes, unpacked
    source: str  # What messages call it
    name: str = ""  # The name of the file, without the suffix of a compression

    def wrong(self, problem: str, line: int | None = None) -> InputError:
        """Say what is wrong with it, and where."""
        return InputError(problem, source=self.source, line=line)

    @property
    def suffix(self) -> str:
        """How its name ends, in small letters."""
        return PurePath(self.name).suffix.casefold()

    @property
    def is_parquet(self) -> bool:
        """Whether it is a table in Parquet, and so no text."""
        return parquet.recognises(self.data, self.name)

    @cached_property
    def text(self) -> str:
        """What it says, as text."""
        return decodable(self.data, source=self.source).decode()

    def rows(self, separator: str) -> list[tuple[int, list[str]]]:
        """Give its cells, with the line on which each row ends; rows that are empty are left out."""
        return list(delimited.rows(self.text, separator, source=self.source))

    def json(self, *, texts: bool = False) -> Any:
        """Give the value of JSON, or a list of those of its lines; of `texts` see `json_text.loads`."""
        return json_text.parsed(self.data, self.source, texts=texts)

    def objects(self, *, texts: bool = False) -> list[tuple[int, Any]]:
        """Give the values of a list in JSON, or of its lines, with their lines."""
        return json_text.numbered(self.data, source=self.source, texts=texts)

    def toml(self) -> dict[str, Any]:
        """Give what TOML says."""
        import tomllib

        try:
            if too_deep(self.data):
                raise self.wrong(f"is not readable as TOML: lists are nested more than {DEEPEST_NESTING} deep")
            return tomllib.loads(self.text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise self.wrong(f"is not TOML: {error}") from None


def load(path: FilePath) -> Loaded:
    """Read a file, once; ``-`` is the standard input."""
    return Loaded(read_bytes(path), called(path), unpacked_name(path))
