"""What a plot is: a function with a docstring, from tidy tables to a chart, found by a registry."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, Final, TypeAlias

from cranfield.plots.drawn import is_vega
from cranfield.plots.figure import Figure
from cranfield.plots.grammar import Spec, concat, whole
from cranfield.plots.theme import CONFIG, CONFIG_OF_VEGA
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import isolated, printable
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import COLLECTION
from cranfield.plumbing.wording import did_you_mean

PLOTS: Final[dict[str, Plot]] = {}
"""All plots by name."""

_TOPIC: Final = "topic"  # The option that names the topic of a function's tables, where they are of one
WIDEST: Final = 1240
"""Panels side by side may take this many points."""
_AXIS, LEGEND = 80, 160  # About how much room is taken by the axis on the left, and the legend on the right
LETTERS_IN_LINE: Final = 100
"""Characters in a line below the title."""


@dataclass(frozen=True)
class Material:
    """What figures are drawn from: tidy tables by name, each made when it is asked for."""

    source: str  # What it is: ``"scores"``, ``"curves"``, or the name of an experiment
    tables: Mapping[str, Callable[[], pl.DataFrame]]
    about: str  # What it follows from: how many runs and topics, and what was unusual
    topic: str | None = None  # The only topic that was looked at, if it was one


class Drawing:
    """What the function of a plot returns.

    The chart is without title and theme: as `grammar` writes it, or a specification for Vega where Vega-Lite does not
    suffice. The title says what is shown, in what unit; the description what can be seen, with the numbers, for those
    who cannot look; sentences below the title what marks mean, and what was left out: an empty one says nothing.
    """

    def __init__(self, chart: Spec, title: str, description: str, *says: str) -> None:
        self.chart, self.title, self.description, self.says = chart, title, description, says


Draws: TypeAlias = Callable[..., Drawing]


@dataclass(frozen=True)
class Plot:
    """A plot, as its function declares it.

    The function's first line of documentation is the question that the figure answers, and a paragraph that begins with
    *Paper:* says whose figure it is. Its parameters are the tables that it is drawn from and, by keyword alone, what
    can be chosen and ``topic``, the only topic that was looked at, if it was one. It returns a `Drawing`; theme, titles
    and several collections are seen to here.
    """

    name: str
    function: Draws
    source: str  # Of what: ``"scores"``, ``"curves"``, or an experiment
    measures: tuple[str, ...] = ()  # What is measured where nobody says by what; none leaves it to the source
    beside: bool = False
    """Whether the function sets several collections side by side: its tables have their names in front then."""

    @property
    def question(self) -> str:
        """The question that it answers."""
        return self._doc.partition("\n")[0]

    @property
    def help(self) -> str:
        """The question that it answers, and the first sentence of how it is read."""
        _, *parts = (" ".join(part.split()) for part in self._doc.split("\n\n"))
        read = re.match(r"(?!Paper:).+?[.](?= [A-Z]|$)", parts[0]) if parts else None
        return f"{self.question} {read[0]}" if read else self.question

    @property
    def paper(self) -> str:
        """Whose figure it is, or an empty text."""
        found = re.search(r"^Paper: (.+?)(?:\n\n|\Z)", self._doc, re.MULTILINE | re.DOTALL)
        return " ".join(found[1].split()) if found else ""

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that it is drawn from."""
        return self._parameters(inspect.Parameter.POSITIONAL_OR_KEYWORD)

    @property
    def options(self) -> tuple[str, ...]:
        """What can be chosen: ``last_rank`` of figures by rank, say."""
        return tuple(name for name in self._chosen if name != _TOPIC)

    @property
    def _chosen(self) -> tuple[str, ...]:
        return self._parameters(inspect.Parameter.KEYWORD_ONLY)

    def _parameters(self, kind: object) -> tuple[str, ...]:
        return tuple(each.name for each in inspect.signature(self.function).parameters.values() if each.kind is kind)

    @property
    def _doc(self) -> str:
        return inspect.cleandoc(self.function.__doc__ or "")

    def of(self, material: Material, **options: object) -> Figure:
        """Draw it."""
        for option in options:
            self.require(option)
        if material.source != self.source:
            fitting = [name for name, each in PLOTS.items() if each.source == material.source]
            there = f"figures of {material.source}: {', '.join(fitting)}" if fitting else "there is no figure of that"
            raise InputError(f"{self.name} is drawn from {self.source}, not from {material.source}; {there}")
        tables = {name: _shown(material.tables[name]()) for name in self.tables}
        for name, table in tables.items():
            if not table.height:
                usual = f"; by default it is drawn from {', '.join(self.measures)}" if self.measures else ""
                raise InputError(f"{self.name}: there is nothing to draw; the table {name} has no rows{usual}")
        topic = None if material.topic is None else printable(material.topic)
        drawing = self._drawn(tables, {**options, **({"topic": topic} if _TOPIC in self._chosen else {})})
        spec = dict(drawing.chart) if is_vega(drawing.chart) else whole(drawing.chart)
        lines = [
            line for text in (*drawing.says, printable(material.about)) if text for line in wrap(text, LETTERS_IN_LINE)
        ]
        title = drawing.title
        title += f", topic {topic}" if topic is not None and f"topic {topic}" not in title else ""
        spec |= {
            "title": {"text": isolated(title), "subtitle": list(map(isolated, lines))},
            "description": isolated(f"{title}. {drawing.description}"),
            "config": CONFIG_OF_VEGA if is_vega(spec) else CONFIG,
        }
        return Figure(self.name, spec)

    def require(self, option: str) -> None:
        """Refuse an option that the figure does not have."""
        if option not in self.options:
            others = ", ".join(sorted(name for name, each in PLOTS.items() if option in each.options))
            raise InputError(f"{self.name} takes no {option}" + (f"; {others} do" if others else ""))

    def _drawn(self, tables: Mapping[str, pl.DataFrame], options: Mapping[str, object]) -> Drawing:
        """Call the function, once for each collection unless it takes them together."""
        first = next(iter(tables.values()))
        if COLLECTION not in first.columns or self.beside:
            return self.function(**tables, **options)
        parts = {}
        for name in first[COLLECTION].unique(maintain_order=True):
            its = {
                each: table.filter(table[COLLECTION] == name).drop(COLLECTION) if COLLECTION in table.columns else table
                for each, table in tables.items()
            }
            parts[name] = self.function(**its, **options)
        if any(is_vega(part.chart) for part in parts.values()):
            raise InputError(f"{self.name} shows one collection; draw {', '.join(parts)} one by one")
        return Drawing(
            _beside([{**part.chart, "title": name} for name, part in parts.items()]),
            next(iter(parts.values())).title,
            " ".join(f"{name}: {part.description}" for name, part in parts.items()),
            *_said(parts),
        )


def _said(parts: Mapping[str, Drawing]) -> tuple[str, ...]:
    """Return the lines about all collections once, and those about one with its name."""
    whose: dict[str, list[str]] = {}
    for name, part in parts.items():
        for text in filter(None, part.says):
            whose.setdefault(text, []).append(name)
    return tuple(text if len(names) == len(parts) else f"{', '.join(names)}: {text}" for text, names in whose.items())


def _beside(panels: Sequence[Spec]) -> Spec:
    """Set panels side by side, as many as fit; one legend does where all panels have the same."""
    alike = all(_legends(panel) == _legends(panels[0]) for panel in panels)
    width = max(map(_width, panels)) + _AXIS + (0 if alike else LEGEND)
    how = dict.fromkeys(("color", "shape", "strokeDash"), "shared" if alike else "independent")
    return concat(*panels, columns=max(1, WIDEST // width), spacing=28, resolve={"scale": how})


def _width(spec: Spec) -> int:
    """Return about how wide the panels are."""
    if "concat" in spec:
        abreast: int = min(spec.get("columns", len(spec["concat"])), len(spec["concat"]))
        return abreast * max(map(_width, spec["concat"]))
    inner = [_width(each) for each in (*spec.get("layer", ()), *spec.get("hconcat", ()), *spec.get("vconcat", ()))]
    width = spec.get("width")
    return int(width) if isinstance(width, int | float) else max(inner, default=WIDEST)


def _legends(spec: Any) -> list[object]:
    """Return what legends say: the names that have colours, shapes and dashes."""
    if isinstance(spec, Mapping):
        channels = spec["encoding"] if isinstance(spec.get("encoding"), Mapping) else {}
        told = {name: channels[name] for name in ("color", "shape", "strokeDash") if name in channels}
        own = [(name, channel.get("title"), channel.get("scale")) for name, channel in told.items()]
        return own + [found for each in spec.values() for found in _legends(each)]
    return [found for each in spec for found in _legends(each)] if isinstance(spec, list | tuple) else []


def _shown(table: pl.DataFrame) -> pl.DataFrame:
    """Write what cannot be shown as escapes: neither XML nor an expression of Vega may hold it."""
    for column in table.select(pl.selectors.string()).columns:
        names = table[column].drop_nulls().unique()
        if odd := {name: shown for name in names if (shown := printable(name)) != name}:
            table = table.with_columns(pl.col(column).replace(odd))
    return table


def plot(*, of: str, measures: tuple[str, ...] = (), beside: bool = False) -> Callable[[Draws], Draws]:
    """Register a plot of scores, curves or an experiment, under its function's name with dashes."""

    def register(function: Draws) -> Draws:
        known = Plot(function.__name__.replace("_", "-"), function, of, measures, beside)
        PLOTS[known.name] = known
        return function

    return register


def plot_named(name: str) -> Plot:
    """Return a plot by its name."""
    if name not in PLOTS:
        hint = did_you_mean(name, PLOTS) or f"; choose from {', '.join(sorted(PLOTS))}"
        raise InputError(f"there is no figure {name!r}{hint}")
    return PLOTS[name]
