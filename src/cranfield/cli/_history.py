"""``--keep FILE`` and ``--since FILE``: which topics got worse since another call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cranfield.cli._files import FileRead, FileWritten
from cranfield.cli._output import Destination, present_with_caption, write
from cranfield.results.output_formats import FORMATS

if TYPE_CHECKING:
    from cranfield.results.result import Result

_Command = TypeVar("_Command", bound=Callable[..., object])


def history(command: _Command) -> _Command:
    """Add ``--keep`` and ``--since``."""
    keep = click.option(
        "--keep", metavar="FILE", type=FileWritten(),
        help="Save the scores by topic and the first 100 documents of each list as JSON, for --since.",
    )  # fmt: skip
    since = click.option(
        "--since", metavar="FILE", type=FileRead(),
        help="Compare with what an earlier call saved by --keep: which topics got worse, and by which documents.",
    )  # fmt: skip
    return keep(since(command))


def present_with_history(
    found: Result, to: Destination, *, keep: str | None, since: str | None, by_place: bool,
    qrels: Any, runs: Any, measures: Sequence[str], weights: str | None, conditions: Any, **which: Any,
) -> None:  # fmt: skip
    """Show a result, and below it which topics got worse; keep what later calls will ask for."""
    if keep is None and since is None:
        present_with_caption(found, to, **which)
        return
    from cranfield.comparison.history import KeptScores
    from cranfield.comparison.history import keep as kept_of

    former = None if since is None else KeptScores.read(since)
    now = kept_of(qrels, runs, measures, **conditions)
    worse = None if former is None else now.since(former, weights=weights, by_place=by_place)
    shown = worse is not None and (worse.rows.height > 0 or to.format == "markdown")  # which has the sentence, too
    if worse is None or not shown or to.on_terminal or not FORMATS[to.format].for_people:
        present_with_caption(found, to, **which)
    else:
        write(f"{found.render(to.format, **which)!s}\n{worse.render(to.format)!s}", to)
        to.say(found.caption(**which))
    if worse is not None:
        if shown and to.on_terminal:
            present_with_caption(worse, to)
        to.say(worse.caption(), *(f"note: {note}" for note in worse.notes))
    if keep is not None:
        now.write(keep)
