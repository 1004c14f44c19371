"""Sentences with values in them, formatted as people read them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from string import Formatter
from typing import Any, Final

from cranfield.plumbing.wording import called, counted, named, p_value, percent

_RUNS: Final = re.compile("leaders?|seconds?|baseline|alike|runs?|worst|furthest|other|widest|new|base")
"""Fields that hold runs, where they hold names."""


class Speech(Formatter):
    """Formats values for people.

    Floats have four decimals, counts commas. ``{n:run is|runs are}`` chooses singular or plural, ``{share:%}`` is a
    percentage, ``{p:p}`` a p-value; long lists of names are cut, unless ``{names:all}``. A run whose name is a number
    is called a run, so that it reads as neither a count nor a rank.

    >>> Speech().format("{leader} leads {seconds} by {lead}", leader="1", seconds=["2", "bm25"], lead=0.5)
    'run 1 leads run 2 and bm25 by 0.5000'
    >>> speech = Speech()
    >>> speech.format("{0:run is|runs are} {1:%} of {2:,}, {3}, {4:p}, {5}", 1, 0.25, 1234, 0.5, 0.00002, ["a", "b"])
    '1 run is 25% of 1,234, 0.5000, p < 0.001, a and b'
    """

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Look a value up, and call runs by their noun where their names are numbers."""
        value = super().get_value(key, args, kwargs)
        if not _RUNS.fullmatch(str(key)):
            return value
        if isinstance(value, list | tuple):
            return [called(each) if isinstance(each, str) else each for each in value]
        return called(value) if isinstance(value, str) else value

    def format_field(self, value: object, spec: str) -> str:
        """Write one value."""
        if isinstance(value, int) and "|" in spec:
            return counted(value, *spec.split("|"))
        if isinstance(value, list | tuple):
            return named(value, most=len(value) if spec == "all" else 3)
        if isinstance(value, float):
            return percent(value) if spec == "%" else p_value(value) if spec == "p" else f"{value:{spec or '.4f'}}"
        return f"{value:{spec or ','}}" if isinstance(value, int) else format(value, spec)
