"""``cranfield measures`` (evaluate): list the measures (metrics), or explain one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal, TypeAlias

import click

from cranfield.cli._derived import Mode, derived
from cranfield.cli._kinds import offered
from cranfield.cli._options import MEASURES_FROM, argument, option
from cranfield.plumbing.errors import InputError

if TYPE_CHECKING:
    from cranfield.measures import Measure

Format: TypeAlias = Literal["text", "json"]


def _tell_conventions(convention: str | None, format_: Format) -> None:
    """Say what one convention is, or which there are."""
    from cranfield.conventions import TOOLS, TRACKS, named
    from cranfield.scoring.blocks import measures_of

    chosen = [*TRACKS.values(), *TOOLS.values()] if convention is None else [named(convention)]
    if format_ == "json":
        told = [each._asdict() | {"marks": each.marks and each.marks._asdict()} for each in chosen]
        click.echo(json.dumps(told, ensure_ascii=False, indent=1))
        return
    if convention is None:
        width = max(len(each.name) for each in chosen)
        for title, group in (("Tracks and benchmarks", TRACKS), ("Tools", TOOLS)):
            click.secho(title, bold=True)
            for each in group.values():
                click.echo(f"  {each.name:<{width}}  {each.title}")
        click.echo("\nMore about one: cranfield measures --convention NAME")
        return
    [one] = chosen
    click.secho(one.name, bold=True, nl=False)
    click.echo(f"  {one.title}. {one.purpose}\n")
    rows = [("measures", ", ".join(map(str, measures_of(one.name)))), *(("", said) for said in one.said())]
    rows += [("note", note) for note in one.notes] + [("source", source) for source in one.sources]
    for label, text in rows:
        click.echo(f"{label:<10}{click.wrap_text(text, 100, subsequent_indent=' ' * 10).strip()}")


@derived(
    argument("names", metavar="[NAME]...", nargs=-1, shell_complete=offered("cranfield.measures", "REGISTRY")),
    option("--search WORDS", str, "Search the names, questions and papers of measures for all these words."),
    option("--convention NAME", str, "Explain how a track or tool computes, and with which measures."),
    option("--conventions", bool, "List the conventions of tracks and tools."),
    option("--format", Format, "json holds every declared fact.", "text", name="format_"),
    MEASURES_FROM,
    modes=[
        Mode("NAMES", "these are explained", ("search", "convention", "conventions")),
        Mode("--search", "measures are looked for", ("convention", "conventions")),
        Mode("--conventions", "all are listed", ("convention",)),
        Mode("--convention or --conventions", does=_tell_conventions),
    ],
    examples="""
  cranfield measures
  cranfield measures nDCG RBP
  cranfield measures --search "user model"
  cranfield measures Twist --format json
  cranfield measures --convention trec-dl
""",
)
def command(names: tuple[str, ...], search: str | None, format_: Format) -> None:
    """List all measures, or explain the measures NAME."""
    chosen = _chosen(names, search)
    if format_ == "json":
        from cranfield.measures.framework.declaration import declaration

        click.echo(json.dumps([declaration(measure) for measure in chosen], ensure_ascii=False, indent=1))
    elif names:
        for number, measure in enumerate(chosen):
            click.echo("\n" * bool(number), nl=False)
            _describe(measure)
    elif search is not None:
        width = max(len(measure.__name__) for measure in chosen)
        for measure in chosen:
            click.echo(f"  {measure.__name__:<{width}}  {measure.documentation().question}")
    else:
        _list(chosen)


def _chosen(names: tuple[str, ...], search: str | None) -> list[type[Measure]]:
    """Return the measures of these names, those that are looked for, or all."""
    from cranfield.measures import REGISTRY
    from cranfield.measures.framework import declaration
    from cranfield.measures.framework.names import parse_measures

    if search is not None:
        found = declaration.search(search)
        if not found:
            raise InputError(f"no measure matches {search!r} in its names, question or paper")
        return found
    if names:
        return list(dict.fromkeys(type(measure) for measure in parse_measures(names, complete=False)))
    return list(REGISTRY.values())


def _list(chosen: list[type[Measure]]) -> None:
    from cranfield.measures.framework.declaration import EVERYDAY, by_question
    from cranfield.measures.framework.measure import UNRANKED
    from cranfield.measures.framework.names import parse_measure
    from cranfield.measures.framework.names_elsewhere import SETS

    width = max(len(measure.__name__) for measure in chosen)
    click.secho("The twenty most used", bold=True)
    for name in EVERYDAY:
        click.echo(f"  {name:<{width}}  {parse_measure(name).documentation().question}")
    for question, families in by_question():
        click.secho(f"\n{question}", bold=True)
        for family, measures in families:
            click.echo(f" {family}")
            for measure in measures:
                click.echo(f"  {measure.__name__:<{width}}  {measure.documentation().question}")
    click.echo(f"\nOf chunks, by spans of evidence (`cranfield evidence`): {', '.join(UNRANKED)}")
    click.echo(f"\nSets of trec_eval: {', '.join(SETS)}. More about one: cranfield measures NAME")


def _describe(measure: type[Measure]) -> None:
    from cranfield.measures.framework.declaration import bounds_of, example_of, trec_names_of

    page = measure.documentation()
    click.secho(measure.__name__, bold=True, nl=False)
    click.echo(f"  {page.question}\n\n    {page.formula}\n")
    for note in page.notes:
        click.echo(click.wrap_text(note, 100) + "\n")
    rows = [
        ("example", example_of(measure)),
        ("also called", ", ".join(measure.aliases)),
        ("in trec_eval", ", ".join(map(str, trec_names_of(measure)))),
        ("range", "{:g} to {:g}".format(*measure.range)),
        ("averaged by", measure.summary),
        ("grades", "count" if measure.graded else "relevant or not"),
        ("not retrieved", "relevant documents count" if measure.uses_recall_base else "documents do not count"),
        ("bounds", bounds_of(measure)),
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
