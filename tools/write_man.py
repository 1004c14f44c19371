"""Write the man page of the command, `man/cranfield.1`: `python -m tools.write_man`.

What each command does stands in one place, the first line of its module; the rest of the page is here.
"""

from __future__ import annotations

import re
from pathlib import Path

import click

from cranfield import __version__
from cranfield.cli import COMMAND_GROUPS, main, purpose

PAGE = Path(__file__).parents[1] / "man" / "cranfield.1"

_STATUS = [
    ("0", "Done."),
    ("1", "What was checked was found wanting: a run is worse, a tool does not conform, --strict met a warning."),
    ("2", "The input or the call was wrong. One line on stderr says what, where, and what would be right."),
    ("3, 4", "A gate cannot decide, from these topics (3) or without judgments that are missing (4)."),
    ("70", "A fault of cranfield. A line on stderr says how to report it."),
    ("130, 143", "Interrupted, by SIGINT or SIGTERM. Files are written whole or not at all."),
]
_ENVIRONMENT = [
    ("CRANFIELD_THREADS", "How many threads may work at once; --jobs says the same."),
    ("CRANFIELD_MEMORY", "How many bytes may be taken, as 4G; what needs more is refused."),
    ("CRANFIELD_NATIVE", "0 reads all files in Python, though the native road is there."),
]
_EXAMPLES = [
    ("Scores of all runs, and their audit:", "cranfield evaluate qrels.txt runs/*.gz -m nDCG@10 -m AP"),
    ("Which runs differ significantly:", "cranfield compare qrels.txt runs/*.gz -m AP"),
    ("One page that says who leads, and how sure that is:", "cranfield report qrels.txt runs/*.gz -o report.html"),
    ("The documents to judge next:", "cranfield select runs/*.gz --qrels so-far.txt --budget 200"),
]


def page() -> str:
    """Return the page as troff has it."""
    version = re.sub(r"\.dev\d+$", "", __version__)
    context = click.Context(main)
    purposes = {name: purpose(name) for name in main.list_commands(context)}
    parts = [
        f'.TH CRANFIELD 1 "" "cranfield {version}" "User Commands"',
        ".SH NAME\ncranfield \\- evaluate ranked retrieval",
        ".SH SYNOPSIS\n.B cranfield\n[\\-\\-jobs N] COMMAND [ARGS]...\n.br\n.B cranfield\nCOMMAND \\-\\-help",
        ".SH DESCRIPTION\n" + _told("Scores runs against qrels, tests and bounds the differences between systems, "
        "says which documents to judge next, and puts measures themselves to the test. Each command has a help of its "
        "own, with all options and examples."),
        ".SH COMMANDS",
    ]  # fmt: skip
    for group in COMMAND_GROUPS:
        parts += [f".SS {_told(group)}", *(_item(name, does) for name, (of, does) in purposes.items() if of == group)]
    parts += [".SH EXIT STATUS", *(_item(*each) for each in _STATUS)]
    parts += [".SH ENVIRONMENT", *(_item(*each) for each in _ENVIRONMENT)]
    parts += [
        ".SH EXAMPLES",
        *(f"{_told(says)}\n.PP\n.RS\n.nf\n{_told(call)}\n.fi\n.RE\n.PP" for says, call in _EXAMPLES),
    ]
    return "\n".join(parts) + "\n"


def _item(name: str, says: str) -> str:
    return f".TP\n.B {_told(name)}\n{_told(says)}"


def _told(text: str) -> str:
    r"""Escape what troff would take for its own.

    >>> print(_told(".it's a -m"))
    \&.it\(aqs a \-m
    """
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return f"\\&{text}" if text.startswith(".") else text


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
