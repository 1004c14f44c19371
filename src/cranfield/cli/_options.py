"""Options that several commands have, each declared once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from cranfield.cli._kinds import Kind
from cranfield.conditions import Grading, Reading
from cranfield.options import annotations_of

_Command = TypeVar("_Command", bound=Callable[..., Any])

_FLAGS: Final[dict[str, tuple[tuple[str, ...], str | None, str]]] = {
    "topics": (
        ("--topics",), None,
        "Average over all topics of the qrels, or over those shared with the run. [default: all]",
    ),
    "missing": (
        ("--missing",), None,
        "What a topic is that a run lacks: 0, or an empty list (to which OIE, say, gives a value). [default: zero]",
    ),
    "order": (
        ("--order",), None,
        "What ranks the documents: the score in 64 bits, in 32 bits as trec_eval 9 does, the rank, or the line. "
        "[default: score; trec9 with -m official, -m all_trec or --format trec_eval]",
    ),
    "depth": (("-M", "--depth"), "N", "Look at the first N documents of each list only."),
    "comments": (("--comments",), None, "Skip lines that begin with # (an id may begin so)."),
    "rel": (("-l", "--rel"), "GRADE", "Lowest relevant grade. [default: any above 0]"),
    "judged_only": (("-J", "--judged-only"), None, "Drop unjudged documents from the rankings first."),
}  # fmt: skip

READING: Final = ("topics", "missing", "order", "depth", "comments")
GRADING: Final = ("rel", "judged_only")


def conditions(*names: str) -> Callable[[_Command], _Command]:
    """Add the options of a reading and a grading, or those of these names; all are None where they are not given."""

    def add(command: _Command) -> _Command:
        for option in reversed([condition(name) for name in names or (*READING, *GRADING)]):
            command = option(command)
        return command

    return add


def condition(name: str) -> Callable[[_Command], _Command]:
    """Return the option for one condition."""
    flags, metavar, meaning = _FLAGS[name]
    annotation = (annotations_of(Reading) | annotations_of(Grading))[name]
    if annotation is bool:
        return click.option(*flags, name, is_flag=True, default=None, help=meaning)
    return click.option(*flags, name, type=Kind(annotation), metavar=metavar, help=meaning)


def audited(command: _Command) -> _Command:
    """Add ``--audit/--no-audit``."""
    return click.option(
        "--audit/--no-audit", default=True, help="Say on stderr what is missing, unjudged or tied. [default: audit]"
    )(command)


def measures_from(command: _Command) -> _Command:
    """Add ``--measures-from FILE``, which makes measures of one's own known before anything else happens."""

    def load(ctx: click.Context, option: click.Parameter, files: tuple[str, ...]) -> None:
        del ctx, option
        if files:
            from cranfield.measures.machinery.own import load_measures

            for file in files:
                load_measures(file)

    return click.option(
        "--measures-from",
        metavar="FILE",
        multiple=True,
        is_eager=True,
        expose_value=False,
        callback=load,
        help="A Python file with measures of your own (it is run: load only what you trust).",
    )(command)
