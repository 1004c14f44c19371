"""``cranfield demo`` (convert and make): take a first look, with simulated data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cranfield.cli._derived import derived
from cranfield.cli._options import option, seed
from cranfield.plumbing.escaping import printable

if TYPE_CHECKING:
    from pathlib import Path


@derived(
    seed("Seed of the simulation."),
    option("--keep DIR", str,
           "Keep the data and the report in this folder. [default: the report in a temporary folder, and no data]"),
    cls=click.Command,
)  # fmt: skip
def command(seed: int, keep: str | None) -> None:
    """Simulate a small test collection, evaluate it, write a report, and suggest what to try next."""
    import tempfile
    from pathlib import Path

    if keep is not None:
        _show(Path(keep), seed, kept=True)
        return
    with tempfile.TemporaryDirectory(prefix="cranfield-demo-") as folder:
        _show(Path(folder) / "campaign", seed, kept=False)


def _show(folder: Path, seed: int, *, kept: bool) -> None:
    from cranfield.campaigns import simulate, write_campaign
    from cranfield.results.people import plain
    from cranfield.scoring.evaluation import evaluate

    campaign = simulate(systems=12, topics=25, depth=500, seed=seed)
    write_campaign(campaign, folder)
    scores = evaluate(folder / "qrels.txt", folder / "runs", ["AP", "nDCG@10", "P@10", "RR", "Bpref", "Judged@100"])
    best = scores.sorted_by("AP").sheet()

    click.secho("SIMULATED data: 12 invented systems on 25 invented topics.", fg="yellow", bold=True)
    click.echo(f"{campaign.description}\n")
    click.echo(plain(best))
    click.echo(
        "A row is a run, the best first by AP; a column is a measure, averaged over the topics:\n"
        "  AP          how early the relevant documents come (average precision)\n"
        "  nDCG@10     gain of the first ten documents, divided by that of the best ten\n"
        "  P@10        share of relevant documents among the first ten\n"
        "  RR          1 / rank of the first relevant document\n"
        "  Bpref       preference for relevant over not relevant documents, unjudged ones left out\n"
        "  Judged@100  share of the first hundred documents that somebody judged\n"
        + "".join(f"\naudit: {line}" for line in scores.audit.lines("--rel"))
        + "\n"
    )
    click.echo(f"{_report(folder, kept=kept)}\n")
    where = printable(str(folder)) if kept else "DIR"
    first = "" if kept else f"  cranfield simulate DIR --systems 12 --topics 25 --depth 500 --seed {seed}\n"
    click.secho("Try next:", bold=True)
    click.echo(
        f"{first}"
        f"  cranfield evaluate {where}/qrels.txt {where}/runs -m official --format trec_eval\n"
        f"  cranfield evaluate {where}/qrels.txt {where}/runs -m nDCG@10 -m 'RBP(p=0.8)' --per-topic --format csv\n"
        f"  cranfield compare {where}/qrels.txt {where}/runs -m AP -m nDCG@10\n"
        f"  cranfield experiment correlation {where}/qrels.txt {where}/runs\n"
        f"  cranfield report {where}/qrels.txt {where}/runs -o report.html\n"
        "  cranfield choose\n"
        "  cranfield measures\n"
        "  cranfield measures nDCG"
    )


def _report(folder: Path, *, kept: bool) -> str:
    """Write the report, and say where it is, or what it takes; its commands name the data where they are kept."""
    import tempfile
    from pathlib import Path

    from cranfield.cli._output import Progress
    from cranfield.plumbing.errors import InputError
    from cranfield.reports import report
    from cranfield.scoring.judged_runs import join

    title = "SIMULATED: 12 invented systems"
    qrels, runs = folder / "qrels.txt", folder / "runs"
    try:
        with Progress("sections of the report") as progress:
            given = (qrels, runs) if kept else (join(qrels, runs),)
            found = report(*given, title=title, progress=progress)
        page = (folder if kept else Path(tempfile.mkdtemp(prefix="cranfield-report-"))) / "report.html"
        found.save(page)
    except InputError as error:
        return f"No report was written: {error}"
    return f"Report (open it in a browser): {printable(str(page))}"
