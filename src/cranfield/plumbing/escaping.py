"""Text that holds what cannot be stored, or must not be shown: two rules, which all names and messages go through."""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from typing import Final

NO_TEXT: Final = re.compile("[\ud800-\udfff]")
"""Half of a character: JSON may hold it, and nothing can be written with it."""
_TURNS: Final = "\u202a-\u202e\u2066-\u2069"
_NOT_SHOWN: Final = f"[\x00-\x1f\x7f-\x9f\u2028\u2029{_TURNS}\ud800-\udfff\ufffe\uffff]"
_NOT_READ: Final = f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_TURNS}\ud800-\udfff\ufffe\uffff]"


def storable(text: str) -> str:
    r"""Write the bytes of a file's name that are no text as escapes, so that it can name a run.

    >>> import os
    >>> storable(os.fsdecode(b"r\xff.txt"))
    'r\\xff.txt'
    """
    if text.isascii() or not NO_TEXT.search(text):
        return text
    if sys.getfilesystemencoding() != "utf-8":  # as in the locale C, where Python was told not to take UTF-8
        with suppress(UnicodeError):
            return os.fsencode(text).decode()
    return NO_TEXT.sub(_escape, text)


def printable(text: str) -> str:
    r"""Write control characters as escapes, too: no name begins a new line, or tells a terminal what to do.

    Nor does any turn letters round, so that it looks like another.

    >>> printable("a\tb\n\x1b[31mred")
    'a\\tb\\n\\x1b[31mred'
    """
    plain = text.isascii() and text.isprintable()  # as nearly all, for which the pattern need not be compiled
    return text if plain else re.sub(_NOT_SHOWN, _escape, text)


_LEFTWARD: Final = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]"


def isolated(text: str) -> str:
    r"""Set words that are read from right to left apart, so that they turn nothing around them.

    >>> isolated("topic \u05d0-1, topic b"), isolated("topic 7")
    ('topic \u2068\u05d0-1\u2069, topic b', 'topic 7')
    """
    words = rf"[^\s(]*{_LEFTWARD}\S*(?:(?<![,.;:)]) \S*{_LEFTWARD}\S*)*(?<![,.;:)])"
    return text if text.isascii() else re.sub(words, "\u2068\\g<0>\u2069", text)


LONGEST_MESSAGE: Final = 300
"""How many letters a message should have at most."""
_LONG_MESSAGE: Final = 160
_SHORT: Final = 60  # How many letters a name keeps in a message, and in one that is too long


def told(text: str) -> str:
    r"""Write a message as it is shown: without what a terminal would obey, long names and paths cut in the middle.

    >>> told("a\tb.run: no such file"), len(told("x" * 1_000_000 + ".run: no such file"))
    ('a\\tb.run: no such file', 176)
    """
    text = printable(_cut(text, _LONG_MESSAGE))
    return text if len(text) <= _LONG_MESSAGE else _cut(text, _LONG_MESSAGE if len(text) <= LONGEST_MESSAGE else _SHORT)


def _cut(text: str, most: int) -> str:
    """Cut whatever has more letters than this without a blank."""
    if len(text) <= most:
        return text
    half = most // 2
    return re.sub(rf"\S{{{most + 1},}}", lambda found: f"{found[0][:half]}...{found[0][-half:]}", text)


def readable(text: str) -> str:
    r"""Do the same for a text of many lines, which keeps its lines and tabs.

    >>> readable("one\r\n\ttwo\x00 \u202eeerht")
    'one\n\ttwo\\x00 \\u202eeerht'
    """
    return re.sub(_NOT_READ, _escape, text.replace("\r\n", "\n"))


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    if "\udc80" <= character <= "\udcff":  # how Python carries a byte that is no text
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode()
