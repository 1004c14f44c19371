"""``cranfield conflate`` (convert and make): merge the grades of qrels into fewer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.cli._derived import derived
from cranfield.cli._files import FileWritten
from cranfield.cli._options import option, qrels_
from cranfield.cli._output import QUIET, say
from cranfield.plumbing.errors import InputError

if TYPE_CHECKING:
    from cranfield.formats.files import FilePath


@derived(
    qrels_(),
    option("--grades GRADE:GRADE,...", str, "New grades, OLD:NEW; grades not named stay.", required=True),
    option("-o --out FILE", FileWritten, "Write the qrels there.", name="file", required=True),
    QUIET,
    examples="""
  cranfield conflate qrels.txt --grades 1:0,2:1,3:1 -o binary.txt
  cranfield conflate web2011.qrels --grades=-2:0,3:2 -o four-grades.qrels
""",
)  # fmt: skip
def command(qrels: str, grades: str, file: FilePath, quiet: bool) -> None:
    """Merge grades of QRELS, such as spam and not relevant.

    A merge that would reverse the order of two grades is refused.
    """
    from cranfield.formats import write_qrels
    from cranfield.plumbing.tables import RELEVANCE
    from cranfield.selection.conflation import conflate

    table = conflate(qrels, _read(grades))
    write_qrels(table, file)
    counts = table[RELEVANCE].value_counts().sort(RELEVANCE).rows()
    say("documents by grade: " + ", ".join(f"{grade:g} ({count})" for grade, count in counts), quiet=quiet)


def _read(text: str) -> dict[float, float]:
    """Read pairs GRADE:GRADE separated by commas."""
    try:
        pairs = [pair.split(":") for pair in text.split(",")]
        found = {float(grade): float(becomes) for grade, becomes in pairs}
    except ValueError:
        raise InputError(f"--grades is written GRADE:GRADE,... such as 2:1,3:1, not {text!r}") from None
    if len(found) < len(pairs):
        raise InputError(f"--grades names a grade twice: {text!r}")
    return found
