"""Sentences with values in them, formatted as people read them."""

from __future__ import annotations

from string import Formatter

from cranfield.plumbing.wording import counted, named, p_value, percent


class Speech(Formatter):
    """Formats values for people.

    Floats have four decimals, counts commas. ``{n:run is|runs are}`` chooses singular or plural, ``{share:%}`` is a
    percentage, ``{p:p}`` a p-value; long lists of names are cut, unless ``{names:all}``.

    >>> speech = Speech()
    >>> speech.format("{0:run is|runs are} {1:%} of {2:,}, {3}, {4:p}, {5}", 1, 0.25, 1234, 0.5, 0.00002, ["a", "b"])
    '1 run is 25% of 1,234, 0.5000, p < 0.001, a and b'
    """

    def format_field(self, value: object, spec: str) -> str:
        """Write one value."""
        if isinstance(value, int) and "|" in spec:
            return counted(value, *spec.split("|"))
        if isinstance(value, list | tuple):
            return named(value, most=len(value) if spec == "all" else 3)
        if isinstance(value, float):
            return percent(value) if spec == "%" else p_value(value) if spec == "p" else f"{value:{spec or '.4f'}}"
        return f"{value:{spec or ','}}" if isinstance(value, int) else format(value, spec)
