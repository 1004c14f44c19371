"""``cranfield measures``: what there is to measure with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cranfield.cli._options import measures_from

if TYPE_CHECKING:
    from cranfield.measures import Measure


@click.command()
@click.argument("name", required=False)
@measures_from
def command(name: str | None) -> None:
    """List all measures, or say all there is to know about the measure NAME."""
    from cranfield.measures.machinery.names import parse_measures

    if name is None:
        _list()
        return
    for measure in dict.fromkeys(type(measure) for measure in parse_measures(name, complete=False)):
        _describe(measure)


def _list() -> None:
    from cranfield.measures import REGISTRY
    from cranfield.measures.machinery.trec_names import SETS

    width = max(map(len, REGISTRY))
    family = ""
    for measure in sorted(REGISTRY.values(), key=lambda m: m.__module__):
        here = measure.__module__.rpartition(".")[2].replace("_", " ")
        if here != family:
            click.secho(f"\n{here}" if family else here, bold=True)
            family = here
        click.echo(f"  {measure.__name__:<{width}}  {measure.documentation().question}")
    click.echo(f"\nSets of trec_eval: {', '.join(SETS)}. More about one: cranfield measures NAME")


def _describe(measure: type[Measure]) -> None:
    page = measure.documentation()
    click.secho(measure.__name__, bold=True, nl=False)
    click.echo(f"  {page.question}\n\n    {page.formula}\n")
    for note in page.notes:
        click.echo(click.wrap_text(note, 100) + "\n")
    rows = [
        ("example", measure.__name__ + (f"@{measure.at_typical[1]:g}" if measure.at_required else "")),
        ("also called", ", ".join(measure.aliases)),
        (
            "in trec_eval",
            ", ".join(filter(None, (measure.trec, (measure.trec_at or "").replace("{at", "{" + measure.at)))),
        ),
        ("range", "{:g} to {:g}".format(*measure.range)),
        ("averaged by", measure.summary),
        ("grades", "count" if measure.graded else "relevant or not"),
        ("not retrieved", "relevant documents count" if measure.uses_recall_base else "documents do not count"),
        ("paper", page.paper),
    ]
    for label, text in rows:
        if text:
            click.echo(f"{label:<14}{click.wrap_text(text, 100, subsequent_indent=' ' * 14).strip()}")
    click.echo("\nparameters" if measure.parameters else "\nno parameters")
    for name, parameter in measure.parameters.items():
        default = "" if parameter.default is None else f", by default {parameter.default}"
        click.echo(f"  {name:<12}{parameter.meaning} ({parameter.range}{default})")
    for example in page.examples:
        click.echo("\n" + click.style("worked example", bold=True) + "\n" + example)
