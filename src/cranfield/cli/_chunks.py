"""``--chunks``: what compares runs of documents compares chunkings, by spans of evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from cranfield.cli._derived import Call, Mode
from cranfield.cli._files import FileRead
from cranfield.cli._options import CONDITIONS, option
from cranfield.plumbing.errors import InputError

if TYPE_CHECKING:
    from cranfield.scoring.scores import Scores

CHUNKS: Final = (
    option("--chunks", bool,
           "Compare chunkings: QRELS holds spans of evidence, each run holds chunks, and the measures are those of "
           "`cranfield evidence`."),
    option("--unit", click.Choice(["characters", "words"]),
           "Unit of text, also for --budget. [default: characters]"),
)  # fmt: skip
TEXTS_OF_CHUNKS: Final = option("--docs FILE", FileRead, "Texts of the documents: as for `cranfield evidence`.")
_OF_BOTH: Final = ("topics", "only", "budget")
"""The conditions that chunks have, too."""
_OF_DOCUMENTS: Final = tuple(name for name in CONDITIONS if name not in _OF_BOTH)


def of_chunks(*leaves_out: str, has: tuple[str, ...] = ("docs", "unit")) -> tuple[Mode, Mode]:
    """Return the mode of chunks, without what is of ranked documents, and that of its measures, which need it."""
    return (
        Mode("--chunks", "it takes ranked documents", (*_OF_DOCUMENTS, *leaves_out), alone_has=has),
        Mode("-m Evidence...", "these measures take spans and chunks", needs=("chunks",),
             when=lambda options: any(name.startswith("Evidence") for name in options["measures"])),
    )  # fmt: skip


def scores_of_chunks(call: Call, runs: Any, *, usual: tuple[str, ...] = ()) -> tuple[Scores, Call]:
    """Score chunks as `cranfield evidence` does; also return what is left to ask of scores.

    Without measures those that are ``usual`` count, by default evidence's own.
    """
    from cranfield.scoring.evidence import evidence

    budget = call.options.get("budget")
    if budget is not None and budget % 1:
        raise InputError(f"--budget is a whole number of characters or words of chunks, not {budget}")
    own: dict[str, Any] = {} if budget is None else {"budget": int(budget)}
    measures = list(call.options["measures"]) or [name.partition("@")[0] if own else name for name in usual]
    scores = call(
        evidence, call.options["qrels"], runs, docs=call.options.get("docs", call.options.get("documents")),
        measures=measures or None, **own,
    )  # fmt: skip
    return scores, call.without("measures", *CONDITIONS)
