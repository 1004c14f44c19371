"""``cranfield correlate`` (study measures): correlate the orders of runs by several measures or qrels."""

from __future__ import annotations

from cranfield.cli._derived import Call, Mode, derived
from cranfield.cli._files import FileRead
from cranfield.cli._options import MEASURES_FROM, argument, measures_asked, option
from cranfield.cli._output import Destination, present_with_notes, presented
from cranfield.plumbing.options import Level, OrderKind


@derived(
    argument("scores", FileRead, "SCORES"),
    argument("other", FileRead, "[SCORES]", required=False),
    measures_asked("all", "Measure of SCORES. Repeatable."),
    option("--kind", OrderKind, "Coefficient; tau_ap takes the second order as the truth.", "tau_b"),
    option("--p P", Level, "Persistence. [default: 0.9]"),
    presented(),
    MEASURES_FROM,
    modes=[Mode("--kind rbo", alone_has=("p",))],
    examples="""
  cranfield evaluate qrels.txt runs/*.gz -m AP -m nDCG@10 -m RR -o scores.csv
  cranfield correlate scores.csv
  cranfield correlate scores-nist.csv scores-crowd.csv -m AP --kind tau_ap
""",
)
def command(
    call: Call, scores: str, other: str | None, measures: tuple[str, ...], to: Destination
) -> None:  # fmt: skip
    """Correlate how measures order the runs: each pair of measures in SCORES, or each measure in two files of scores.

    SCORES are what `cranfield evaluate -o scores.csv` writes (csv, json or parquet), by topic or averages.
    """
    from cranfield.comparison.correlating import correlate
    from cranfield.scoring.panel import read_scores

    first, second = (None if file is None else read_scores(file, measures) for file in (scores, other))
    present_with_notes(call(correlate, first, second), to)
