"""``cranfield simulate`` (convert and make): write a simulated test collection."""

from __future__ import annotations

from pathlib import Path

import click

from cranfield.campaigns.recipe import RANGES, Parameters
from cranfield.cli._derived import Call, derived
from cranfield.cli._options import argument, option
from cranfield.plumbing.escaping import printable
from cranfield.plumbing.wording import counted


def _parameter(name: str, meaning: str) -> click.Option:
    """Make the option for one parameter of a campaign, which says its range and its default."""
    return option(f"--{name.replace('_', '-')}", click.IntRange(*RANGES[name]), meaning, getattr(Parameters(), name))


@derived(
    argument("directory", click.Path(path_type=Path), "DIR"),
    _parameter("systems", "Number of systems; exactly one of them is broken."),
    _parameter("topics", "Number of topics, numbered from 401."),
    _parameter("depth", "Most documents a system returns for a topic."),
    _parameter("seed", "Seed of all random choices; the same seed gives the same files."),
    _parameter("pool_depth", "Documents judged per topic of each contributing run."),
    _parameter("top_grade", "Highest grade; 1 makes the judgments binary."),
    name="simulate",
    short_help="Write simulated runs and judgments to try things on.",
)
def command(call: Call, directory: Path, systems: int, topics: int, depth: int, seed: int) -> None:
    """Write simulated runs and judgments into DIR, which must be new or empty.

    The files look like those of a TREC campaign: DIR/qrels.txt, DIR/runs/NAME.txt, and DIR/README.txt, which says that
    they are simulated and how to make them again. Some systems stop early or miss a topic, and one is broken.
    """
    from cranfield.campaigns import simulate, write_campaign

    campaign = call(simulate)
    write_campaign(campaign, directory)
    here = printable(str(directory))
    click.echo(f"Simulated data, not a real campaign (seed {seed}): {here}/README.txt says how it was made.")
    click.echo(f"  {here}/qrels.txt  {counted(len(campaign.qrels), 'judgment')} for {counted(topics, 'topic')}")
    click.echo(f"  {here}/runs  {counted(systems, 'run')} of up to {counted(depth, 'document')} a topic")
    click.echo("Next, try:")
    for example in _next_commands(directory):
        click.echo(f"  {printable(example)}")


def _next_commands(directory: Path) -> list[str]:
    import shlex

    qrels = shlex.quote(str(directory / "qrels.txt"))
    runs = f"{shlex.quote(str(directory / 'runs'))}/*.txt"
    return [
        f"cranfield evaluate {qrels} {runs} -m official",
        f"cranfield evaluate {qrels} {runs} -m AP -m nDCG@10 --per-topic --format csv -o scores.csv",
        "cranfield measures",
    ]
