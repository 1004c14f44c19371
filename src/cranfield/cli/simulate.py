"""``cranfield simulate``: write a simulated campaign to try things on."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("simulate", short_help="Write simulated runs and judgments to try things on.")
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--systems",
    type=click.IntRange(4, 10_000),
    default=24,
    show_default=True,
    help="How many systems take part. Exactly one of them is broken.",
)
@click.option(
    "--topics",
    type=click.IntRange(1, 1_000),
    default=50,
    show_default=True,
    help="How many topics, numbered from 401.",
)
@click.option(
    "--depth",
    type=click.IntRange(1, 10_000),
    default=1000,
    show_default=True,
    help="How many documents a system returns for a topic, at most.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=7,
    show_default=True,
    help="Where every random choice comes from: the same seed gives the same files.",
)
@click.option(
    "--pool-depth",
    type=click.IntRange(1, 10_000),
    default=100,
    show_default=True,
    help="How many documents of each contributing run are judged, per topic.",
)
@click.option(
    "--top-grade",
    type=click.IntRange(1, 3),
    default=2,
    show_default=True,
    help="The highest grade of a document; 1 makes the judgments binary.",
)
def command(
    directory: Path, *, systems: int, topics: int, depth: int, seed: int, pool_depth: int, top_grade: int
) -> None:
    """Write simulated runs and judgments into DIR, which must be new or empty.

    The files look like those of a TREC campaign: DIR/qrels.txt, DIR/runs/NAME.txt, and DIR/README.txt, which says that
    they are simulated and how to make them again. Some systems stop early or miss a topic, and one is broken.
    """
    from cranfield.campaigns import simulate, write_campaign

    campaign = simulate(systems, topics, depth, seed, pool_depth=pool_depth, top_grade=top_grade)
    write_campaign(campaign, directory)
    click.echo(f"Simulated data, not a real campaign (seed {seed}): {directory / 'README.txt'} says how it was made.")
    click.echo(f"  {directory / 'qrels.txt'}  {len(campaign.qrels)} judgments for {topics} topics")
    click.echo(f"  {directory / 'runs'}  {systems} runs of up to {depth} documents a topic")
    click.echo("Next, try:")
    for example in _next_commands(directory):
        click.echo(f"  {example}")


def _next_commands(directory: Path) -> list[str]:
    import shlex

    qrels = shlex.quote(str(directory / "qrels.txt"))
    runs = f"{shlex.quote(str(directory / 'runs'))}/*.txt"
    return [
        f"cranfield evaluate {qrels} {runs} -m official",
        f"cranfield evaluate {qrels} {runs} -m AP -m nDCG@10 --per-topic --format csv -o scores.csv",
        "cranfield measures",
    ]
