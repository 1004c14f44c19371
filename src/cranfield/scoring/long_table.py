"""A long table of scores before it is one: whoever needs plain columns needs no polars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.lazy import pl
from cranfield.results.programs import LongColumns

KEYS: Final = ("run", "topic", "measure")


class Long(NamedTuple):
    """A long table before it is one: of each row which run, topic and measure it is of, by number, and its values."""

    run: Integers
    topic: Integers
    measure: Integers
    values: dict[str, Floats]
    names: tuple[Sequence[str], Sequence[str], Sequence[str]]

    def table(self) -> pl.DataFrame:
        """Return it as a table."""
        texts = [pl.Series(known, dtype=pl.String).gather(code) for known, code in self._coded()]
        return pl.DataFrame(dict(zip(KEYS, texts, strict=True)) | self.values)

    def columns(self) -> LongColumns:
        """Return its columns as lists."""
        texts = [[known[place] for place in code.tolist()] for known, code in self._coded()]
        return {**dict(zip(KEYS, texts, strict=True)), **{name: array.tolist() for name, array in self.values.items()}}

    def _coded(self) -> Iterable[tuple[Sequence[str], Integers]]:
        return zip(self.names, (self.run, self.topic, self.measure), strict=True)
