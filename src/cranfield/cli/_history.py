"""``--keep FILE`` and ``--since FILE``: which topics got worse since another call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from cranfield.cli._derived import Call
from cranfield.cli._files import FileRead, FileWritten
from cranfield.cli._options import option
from cranfield.cli._output import Destination, present_with_caption, write
from cranfield.results.output_formats import FORMATS

if TYPE_CHECKING:
    from cranfield.measures.framework.measure import Measure
    from cranfield.results.result import Result


HISTORY: Final = (
    option("--keep FILE", FileWritten,
           "Save the scores by topic and the first 100 documents of each list as JSON, for --since."),
    option("--since FILE", FileRead,
           "Compare with an earlier call's --keep file: which topics got worse, and which documents did it."),
)  # fmt: skip


def present_with_history(
    found: Result,
    to: Destination,
    call: Call,
    *,
    runs: Any,
    measures: Sequence[Measure | str],
    by_place: bool,
    **which: Any,
) -> None:
    """Show a result, and below it which topics got worse; keep what later calls will ask for."""
    keep, since = call.options["keep"], call.options["since"]
    if keep is None and since is None:
        present_with_caption(found, to, **which)
        return
    from cranfield.comparison.history import KeptScores
    from cranfield.comparison.history import keep as kept_of

    former = None if since is None else KeptScores.read(since)
    now = call(kept_of, runs=runs, measures=measures)
    worse = None if former is None else now.since(former, weights=call.options["weights"], by_place=by_place)
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
