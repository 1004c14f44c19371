"""``--chunks``: what compares runs of documents compares chunkings, by spans of evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from cranfield.cli._derived import Call, refuse, refuse_each
from cranfield.cli._files import FileRead
from cranfield.cli._options import CONDITIONS, option

if TYPE_CHECKING:
    from cranfield.scoring.scores import Scores

CHUNKS: Final = (
    option("--chunks", bool,
           "Compare chunkings: QRELS has spans of evidence, each run has chunks, and the measures are those of "
           "`cranfield evidence`."),
    option("--unit", click.Choice(["characters", "words"]),
           "With --chunks: unit in which text is counted, that of --budget, too. [default: characters]"),
)  # fmt: skip
TEXTS_OF_CHUNKS: Final = option(
    "--docs FILE", FileRead, "With --chunks: texts of the documents, as for `cranfield evidence`."
)
_OF_BOTH: Final = ("topics", "only", "budget")
"""The conditions that chunks have, too."""
_OF_DOCUMENTS: Final = tuple(name for name in CONDITIONS if name not in _OF_BOTH)


def refuse_texts(call: Call, *of_chunks: str) -> None:
    """Refuse what is of chunks alone, where there are none."""
    refuse_each(call.asked(*of_chunks), "goes with --chunks", where=not call.options["chunks"])
    of_text = [name for name in call.options["measures"] if name.startswith("Evidence")]
    refuse({f"{name} is of spans and chunks: add --chunks": not call.options["chunks"] for name in of_text})


def scores_of_chunks(call: Call, runs: Any, *unknown: str, usual: tuple[str, ...] = ()) -> tuple[Scores, Call]:
    """Score chunks as `cranfield evidence` does; also return what is left to ask of scores.

    Without measures those that are ``usual`` count, by default evidence's own. What is of ranked documents is refused,
    and so is what is ``unknown`` besides.
    """
    from cranfield.scoring.evidence import evidence

    of_documents = call.asked(*_OF_DOCUMENTS, *unknown)
    refuse_each(of_documents, "is of ranked documents; leave it or --chunks out", where=True)
    budget = call.options.get("budget")
    refuse({f"--budget of chunks is a whole number of --unit, not {budget}": budget is not None and budget % 1})
    own: dict[str, Any] = {} if budget is None else {"budget": int(budget)}
    measures = list(call.options["measures"]) or [name.partition("@")[0] if own else name for name in usual]
    scores = call(
        evidence, call.options["qrels"], runs, docs=call.options.get("docs", call.options.get("documents")),
        measures=measures or None, **own,
    )  # fmt: skip
    return scores, call.without("measures", *CONDITIONS)
