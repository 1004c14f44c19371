"""The help of a command of many options: ``--help`` shows those of every day, ``--help-all`` all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

import click

MANY: Final = 16
"""A command with more options has a short help, too."""
SELDOM: Final = frozenset((
    "alpha", "audit", "circular", "collection", "dominance", "engine", "family", "full_audit", "keep", "kinds",
    "level", "master", "match", "measures_from", "power", "quiet", "renew_every", "resamples", "scope", "seed", "since",
    "strict", "top_grade", "weights", "worthwhile",
))  # fmt: skip
"""Options, by the names of their parameters, that few calls need; the conditions are among these, too."""
_CLAUSE: Final = re.compile(r"(.{20,}?)(?=\. |[;:] |\.?$| \[)")
"""What stands before the first mark that ends a thought."""
_SHORT: Final = 30


def _show_all(ctx: click.Context, param: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        ctx.meta[__name__] = param
        click.echo(ctx.get_help())
        ctx.exit()


_HELP_ALL, _HIDDEN = (
    click.Option(
        ["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=_show_all, hidden=hidden,
        help="Explain all options.",
    )
    for hidden in (False, True)
)  # fmt: skip


class BriefHelp(click.Command):
    """A command whose help begins with what most calls need."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Add the option that shows all; where all are few it need not be known."""
        many = sum(isinstance(each, click.Option) for each in self.params) > MANY
        return [*super().get_params(ctx), _HELP_ALL if many else _HIDDEN]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Explain the options of every day in a line or two and name the others, or explain all."""
        from cranfield.judged.conditions import Asked

        params = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        brief = _HELP_ALL in params and __name__ not in ctx.meta
        read = [each for each in params if _HELP_ALL in params and each.name in Asked.__annotations__]
        others = [each for each in params if brief and each.name in SELDOM]
        usual = _records([each for each in params if each not in (*read, *others)], ctx)
        with formatter.section("Options"):
            formatter.write_dl([_in_brief(*each) for each in usual] if brief else [*usual])
        rest = [*_records(read, ctx)]
        if brief:
            named = (("Conditions", read), ("Others", others))
            rest = [(group, ", ".join(each.opts[-1] for each in of)) for group, of in named if of]
        if rest:
            with formatter.section("Explained by --help-all" if brief else "Conditions: how runs are read and judged"):
                formatter.write_dl(rest)


def _records(options: Iterable[click.Option], ctx: click.Context) -> Iterator[tuple[str, str]]:
    return (record for each in options if (record := each.get_help_record(ctx)))


def _in_brief(names: str, meaning: str) -> tuple[str, str]:
    """Keep the first clause, a short default, and two of many words.

    >>> _in_brief("--sort [RUN]", "Put the best run in front; by the first. [default: RR]")
    ('--sort [RUN]', 'Put the best run in front. [default: RR]')
    >>> _in_brief("--correction [none|bonferroni|holm]", "Correction for a family of comparisons: at alpha.")
    ('--correction [none|...]', 'Correction for a family of comparisons.')
    >>> _in_brief("-m NAME", "[default: RR]")
    ('-m NAME', '[default: RR]')
    """
    if len(names) > _SHORT:
        names = re.sub(r"\[([^|\]]*)\|.*\]", r"[\1|...]", names)
    clause = None if meaning.startswith("[") else _CLAUSE.match(meaning)
    default = re.search(r"\[default: [^\]]*\]", meaning)
    short = f" {default[0]}" if default and len(default[0]) <= _SHORT else ""
    return names, f"{clause[1].rstrip('.')}.{short}" if clause else meaning
