"""``cranfield demo``: a first look, with simulated data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cranfield.cli._options import seed
from cranfield.escaping import printable

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@seed("Seed of the simulation.")
@click.option("--keep", metavar="DIR", help="Write the data there, to go on with; else it is gone at the end.")
def command(seed: int, keep: str | None) -> None:
    """Simulate a small evaluation campaign, evaluate it, and say what to try next."""
    import tempfile
    from pathlib import Path

    if keep is not None:
        _show(Path(keep), seed, kept=True)
        return
    with tempfile.TemporaryDirectory(prefix="cranfield-demo-") as folder:
        _show(Path(folder) / "campaign", seed, kept=False)


def _show(folder: Path, seed: int, *, kept: bool) -> None:
    from cranfield.campaigns import simulate, write_campaign
    from cranfield.evaluation import evaluate
    from cranfield.presentation.people import plain

    campaign = simulate(systems=12, topics=25, depth=500, seed=seed)
    write_campaign(campaign, folder)
    scores = evaluate(folder / "qrels.txt", folder / "runs", ["AP", "nDCG@10", "P@10", "RR", "Bpref", "Judged@100"])
    best = scores.sorted_by("AP").sheet()

    click.secho("SIMULATED data: 12 systems that do not exist, on 25 topics that nobody asked.", fg="yellow", bold=True)
    click.echo(f"{campaign.description}\n")
    click.echo(plain(best))
    click.echo(
        "A row is a run, the best first by AP; a column is a measure, averaged over the topics:\n"
        "  AP          how early the relevant documents come (average precision)\n"
        "  nDCG@10     gain of the first ten documents, beside that of the best ten there are\n"
        "  P@10        share of relevant documents among the first ten\n"
        "  RR          one over the rank of the first relevant document\n"
        "  Bpref       preference for relevant over not relevant documents, unjudged ones left out\n"
        "  Judged@100  share of the first hundred documents that somebody judged\n"
        f"\naudit: {scores.audit.line()}\n"
    )
    where = printable(str(folder)) if kept else "DIR"
    first = "" if kept else f"  cranfield simulate DIR --systems 12 --topics 25 --depth 500 --seed {seed}\n"
    click.secho("Try next:", bold=True)
    click.echo(
        f"{first}"
        f"  cranfield evaluate {where}/qrels.txt {where}/runs -m official --format trec_eval\n"
        f"  cranfield evaluate {where}/qrels.txt {where}/runs -m nDCG@10 -m 'RBP(p=0.8)' --per-topic --format csv\n"
        f"  cranfield compare {where}/qrels.txt {where}/runs -m AP -m nDCG@10\n"
        f"  cranfield experiment correlation {where}/qrels.txt {where}/runs\n"
        "  cranfield choose\n"
        "  cranfield measures\n"
        "  cranfield measures nDCG"
    )
