"""Numbers and names as sentences have them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final


def counted(number: int, noun: str, several: str = "") -> str:
    """Write how many there are, so that one is not several.

    >>> counted(1, "run"), counted(1500, "run"), counted(2, "body", "bodies")
    ('1 run', '1,500 runs', '2 bodies')
    """
    return f"{number:,} {noun if number == 1 else several or noun + 's'}"


def called(name: str, noun: str = "run") -> str:
    """Put the noun before a name that is a plain number, which would read as a count.

    >>> called("12"), called("bm25"), called("7", "document")
    ('run 12', 'bm25', 'document 7')
    """
    return f"{noun} {name}" if name.isdecimal() else name


def ordinal(number: int) -> str:
    """Write a number's place in a row.

    >>> [ordinal(number) for number in (1, 2, 3, 4, 11, 22)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd']
    """
    endings = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{'th' if number % 100 in {11, 12, 13} else endings.get(number % 10, 'th')}"


def percent(share: float) -> str:
    """Write a share as a percentage; none but nothing is 0, and none but all is 100.

    >>> percent(0.5), percent(0.123), percent(0.004), percent(0.0001), percent(0.9996)
    ('50%', '12%', '0.4%', 'less than 0.1%', 'more than 99.9%')
    """
    if share in (0.0, 1.0) or 0.01 <= share <= 0.99:
        return f"{100 * share:.0f}%"
    if not 0.001 <= share <= 0.999:
        return "less than 0.1%" if share < 0.5 else "more than 99.9%"
    return f"{100 * share:.1f}%"


def confidence(level: float) -> str:
    """Write a level of confidence, with enough digits for what it leaves to chance to be right within 15%.

    >>> confidence(0.95), confidence(0.975), confidence(1 - 0.05 / 28), confidence(0.9999)
    ('95%', '97.5%', '99.8%', '99.99%')
    """
    told = (f"{level:.{digits}%}" for digits in range(20))
    return next(text for text in told if abs(100 * level - float(text[:-1])) <= 15 * (1 - level))


def named(names: Sequence[str], most: int = 5) -> str:
    """Name the first few, and say how many more there are.

    >>> named(["a"]), named(["a", "b", "c"]), named(list("abcdefgh"))
    ('a', 'a, b and c', 'a, b, c, d, e and 3 more')
    """
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


LACKING: Final = ("left out, as they did not run", "missing topics", "compared on the")
"""How notes begin of what the means may be wrong by."""


def lacking(notes: Iterable[str]) -> str:
    """Write the notes on what runs lack as sentences.

    >>> lacking(["missing topics counted 0: a (7)", "scored with rel=2"])
    ' Missing topics counted 0: a (7).'
    """
    return "".join(f" {note[:1].upper()}{note[1:]}." for note in notes if note.startswith(LACKING))


def best_by(measures: Sequence[str]) -> str:
    """Say of a value by which measures none is better.

    >>> best_by(["ESL"]), best_by([])
    (', the best value by ESL', '')
    """
    return f", the best value by {named(measures)}" if measures else ""


def holm_over(tests: int, noun: str, several: str = "") -> str:
    """Name the usual correction and how many tests it is over: one test needs none.

    >>> holm_over(3, "measure"), holm_over(1, "measure")
    (', Holm correction over 3 measures', '')
    """
    return f", Holm correction over {counted(tests, noun, several)}" * (tests > 1)


def by_number(name: str) -> str:
    """Return what to sort ids by, so that the numbers in them rise.

    >>> sorted(["q10", "q9", "10", "2"], key=by_number)
    ['2', '10', 'q9', 'q10']
    """
    return re.sub(r"\d+", lambda digits: digits[0].zfill(24), name)


_LONG_NAME: Final = 25


def some_of(names: Sequence[str], most: int = 6) -> str:
    """Name the first few of what may be thousands, and say how many more there are.

    >>> some_of(["a", "b"]), some_of([]), some_of(list("abcdefghij"))
    ('a, b', 'none', 'a, b, c, d, e, f, ... (4 more)')
    """
    more = f", ... ({len(names) - most:,} more)" if len(names) > most else ""
    first = (name if len(name) <= _LONG_NAME else f"{name[: _LONG_NAME - 3]}..." for name in names[:most])
    return f"{', '.join(first)}{more}" or "none"


def did_you_mean(word: str, known: Iterable[str], before: str = "") -> str:
    """Ask whether one of the known words was meant; an empty text where none is similar.

    >>> did_you_mean("eval", ["evaluate", "explore"], "cranfield "), did_you_mean("fish", ["evaluate"])
    ('; did you mean `cranfield evaluate`?', '')
    """
    from difflib import get_close_matches

    folded = {each.casefold(): each for each in known}
    given = word.strip().casefold()
    begun = [each for each in folded if len(given) > 1 and each.startswith(given)]
    found = begun if len(begun) == 1 else get_close_matches(given, folded, n=1, cutoff=0.6)
    return f"; did you mean `{before}{folded[found[0]]}`?" if found else ""


def p_value(value: float) -> str:
    """Write a p-value as sentences have it."""
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"
