"""The help of a command of many options: ``--help`` shows those of every day, ``--help-all`` all."""

from __future__ import annotations

import re
from typing import Final

import click

MANY_OPTIONS: Final = 16  # A command with more has a short help
SELDOM_USED: Final = frozenset((
    "alpha", "audit", "circular", "clusters", "collection", "dominance", "engine", "family", "full_audit",
    "header", "keep", "kinds", "level", "master", "match", "measures_from", "not_run", "power", "quiet",
    "renew_every", "resamples", "residuals", "scope", "seed", "since", "strict", "systems", "tests",
    "top_grade", "unit", "weights", "worthwhile",
))  # fmt: skip
"""Options, by the names of their parameters, that few calls need; conditions are not needed every day, either."""
MOST_USED: Final = ("measures", "baseline", "per_topic", "layout", "format_", "output", "margin", "groups", "sort")
"""What is asked for most, in this order: the first five of these that a command has stand first."""
_FIVE: Final = 5
THEMES: Final[dict[str, frozenset[str]]] = {
    "Statistics": frozenset((
        "alpha", "clusters", "correction", "dominance", "family", "group_margin", "groups", "level", "margin",
        "not_run", "power", "resamples", "residuals", "seed", "test", "tests", "weights", "worthwhile",
    )),
    "Input": frozenset((
        "chunks", "collection", "collections", "columns", "docs", "fields", "header", "match", "measures_from",
        "scores", "systems", "unit",
    )),
    "Output": frozenset((
        "audit", "documents", "format_", "full_audit", "help_all", "junit", "keep", "layout", "output", "paragraph",
        "per_topic", "plot", "quiet", "since", "sort", "strict",
    )),
}  # fmt: skip
"""Headings below which the options of a command of many stand, by the names of their parameters."""
_CLAUSE: Final = re.compile(r"(.{15,}?)(?=\. |[;:] |\.?$)")  # What stands before the first mark that ends a thought
_SHORT: Final = 30


class ConditionOption(click.Option):
    """An option for one of the conditions, which many commands have."""


def _show_all(ctx: click.Context, param: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        ctx.meta[__name__] = param
        click.echo(ctx.get_help())
        ctx.exit()


def _help_all(*, hidden: bool) -> click.Option:
    settings = {"is_flag": True, "is_eager": True, "expose_value": False, "hidden": hidden}
    return click.Option(["--help-all"], callback=_show_all, help="Show the help of all options.", **settings)


_HELP_ALL, _HIDDEN = _help_all(hidden=False), _help_all(hidden=True)


class BriefHelp(click.Command):
    """A command whose help begins with what most calls need, and has the rest below headings."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Add the option that shows all; where all are few it need not be known."""
        many = sum(isinstance(each, click.Option) for each in self.params) > MANY_OPTIONS
        return [*super().get_params(ctx), _HELP_ALL if many else _HIDDEN]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Explain the options of every day in a line or two and name the others, or explain all."""
        groups: dict[str, list[tuple[str, str]]] = {
            name: [] for name in ("Most used", *THEMES, "Options", "Conditions", "Others")
        }
        flags: dict[str, list[str]] = {group: [] for group in groups}
        many = _HELP_ALL in (params := self.get_params(ctx))
        brief = many and __name__ not in ctx.meta
        first = [name for name in MOST_USED if any(each.name == name for each in params)][:_FIVE] if many else []
        for each in sorted(params, key=lambda each: first.index(each.name) if each.name in first else len(first)):
            if isinstance(each, click.Option) and (record := each.get_help_record(ctx)):
                theme = next((theme for theme, names in THEMES.items() if many and each.name in names), "Options")
                theme = "Output" if many and "--help" in each.opts else theme
                of = "Conditions" if many and isinstance(each, ConditionOption) else theme
                group = "Most used" if each.name in first else "Others" if brief and each.name in SELDOM_USED else of
                groups[group].append(_in_brief(*record) if brief else record)
                flags[group].append(each.opts[-1])
        if brief:
            rest = [(group, ", ".join(flags.pop(group))) for group in ("Conditions", "Others") if groups.pop(group)]
            groups["More options, explained by --help-all"] = rest
        for group, records in groups.items():
            if records:
                with formatter.section(group):
                    formatter.write_dl(records)


def _in_brief(names: str, meaning: str) -> tuple[str, str]:
    """Keep the first clause, a short default, and one of many words."""
    if len(names) > _SHORT:
        names = re.sub(r"\[([^|\]]*)\|.*\]", r"[\1|...]", names)
    default = re.search(r"\[default: [^\]]*\]", meaning)
    short = f" {default[0]}" if default and len(default[0]) <= _SHORT else ""
    clause = _CLAUSE.match(re.sub(r"(^| )\[.*", "", meaning))
    return names, f"{clause[1].rstrip(' .')}.{short}" if clause else meaning
