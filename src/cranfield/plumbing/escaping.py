"""Text that holds what cannot be stored, or must not be shown: two rules, which all names and messages go through."""

from __future__ import annotations

import re
from typing import Final

NO_TEXT: Final = re.compile("[\ud800-\udfff]")
"""Half of a character: JSON may hold it, and nothing can be written with it."""
_TURNS: Final = "\u202a-\u202e\u2066-\u2069"
_NOT_SHOWN: Final = f"[\x00-\x1f\x7f-\x9f\u2028\u2029{_TURNS}\ud800-\udfff]"
_NOT_READ: Final = f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_TURNS}\ud800-\udfff]"


def storable(text: str) -> str:
    r"""Write the bytes of a file's name that are no text as escapes, so that it can name a run.

    >>> import os
    >>> storable(os.fsdecode(b"r\xff.txt"))
    'r\\xff.txt'
    """
    return text if text.isascii() else NO_TEXT.sub(_escape, text)


def printable(text: str) -> str:
    r"""Write control characters as escapes, too: no name begins a new line, or tells a terminal what to do.

    Nor does any turn letters round, so that it looks like another.

    >>> printable("a\tb\n\x1b[31mred")
    'a\\tb\\n\\x1b[31mred'
    """
    plain = text.isascii() and text.isprintable()  # as nearly all, for which the pattern need not be compiled
    return text if plain else re.sub(_NOT_SHOWN, _escape, text)


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
