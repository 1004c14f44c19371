"""``cranfield reconcile`` (compare): find which way of computing makes numbers that somebody printed."""

from __future__ import annotations

from typing import Any

from cranfield.cli._derived import Call, derived
from cranfield.cli._ending import found_wanting
from cranfield.cli._files import FileRead
from cranfield.cli._options import argument, option, qrels_and_runs
from cranfield.cli._output import Destination, present_with_caption, presented
from cranfield.formats.files import is_there
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import shown


def _by_heading(_context: Any, _option: Any, given: tuple[str, ...]) -> dict[str, str]:
    """Take HEADING=NAME apart at the first sign of equality: parameters of a measure have theirs behind it."""
    for each in given:
        if not all(each.partition("=")[::2]):
            raise InputError(f"--names takes HEADING=NAME, such as 'Quality=nDCG@10', not {shown(each)}")
    return dict(each.split("=", 1) for each in given)


@derived(
    argument("values", FileRead(lambda value: [value] if is_there(value) else []), "VALUE|TABLE"),
    qrels_and_runs(),
    option("-m --measure MEASURE", str, "Measure of the numbers, if TABLE does not name it."),
    option("--names HEADING=NAME", str, "Run or measure behind a heading of TABLE. Repeatable.",
           multiple=True, callback=_by_heading),
    presented(),
    examples="""
  cranfield reconcile 0.3392 qrels.txt bm25.run -m nDCG@10
  cranfield reconcile theirs.csv qrels.txt runs/*.gz
  cranfield reconcile table.tex qrels.txt runs/*.gz --names "Ours=bm25-rm3" --names "Quality=nDCG@10"
  cranfield reconcile by-topic.csv qrels.txt bm25.run -m AP --format markdown
""",
)  # fmt: skip
def command(call: Call, to: Destination) -> None:
    """Find the ways of computing that reproduce VALUE, or all numbers of TABLE at once.

    It varies the order of ties, the lowest relevant grade, the topics averaged over, whether unjudged documents and the
    topic's own document are removed, rounding or truncation of the number, and what tools compute under the measure's
    name: other gains, discounts, cutoffs, ideal lists and denominators. The digits of VALUE count: write 0.3390, not
    0.339, if that was printed; 33.90 is a percentage.

    TABLE is a CSV file with columns run, measure and value, and topic where the values are by topic; or a table of a
    paper in CSV, Markdown or LaTeX, with runs as rows and measures as columns, or the reverse.

    The exit status is 1 if no way reproduces the numbers; the numbers that do not fit are then shown.
    """
    from cranfield.compat.reconciling import reconcile

    found = call(reconcile)
    present_with_caption(found, to)
    found_wanting(found.ways == 0)
