"""What an experiment is: a function with a docstring, from which its command, its options and its page follow."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, get_type_hints

import polars as pl
import polars.selectors as columns

from cranfield.errors import InputError
from cranfield.formats import write_whole
from cranfield.measures.measure import Measure
from cranfield.measures.names import parse_measures
from cranfield.presentation import FORMATS, render

MeasureNames: TypeAlias = str | Measure | type[Measure] | Iterable[str | Measure | type[Measure]]
"""Whatever names measures: see `parse_measures`."""

EXPERIMENTS: dict[str, Experiment] = {}
"""All experiments by name."""

ROWS_SHOWN = 60
"""A longer table is for programs; people are told where it is."""

_Function = TypeVar("_Function", bound=Callable[..., "Findings"])


@dataclass(frozen=True)
class Findings:
    """What an experiment found.

    Attributes
    ----------
    experiment
        Its name.
    tables
        The tables by name, the one that answers the question first. A number that does not exist is null, not NaN.
    settings
        What they follow from: measures, seed, and every other choice.
    notes
        Sentences that a reader of the tables should know.

    Examples
    --------
    >>> found = Findings("toss", {"sides": pl.DataFrame({"side": ["heads"], "share": [0.5]})}, {"seed": 7})
    >>> print(found)
    toss: sides
    side    share
    heads  0.5000
    <BLANKLINE>
    settings: seed 7
    """

    experiment: str
    tables: Mapping[str, pl.DataFrame]
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        """JSON and the tables for people have no NaN: what does not exist is null in all of them."""
        tables = {name: table.with_columns(columns.float().fill_nan(None)) for name, table in self.tables.items()}
        object.__setattr__(self, "tables", tables)

    def __getitem__(self, table: str) -> pl.DataFrame:
        """Return one of the tables."""
        return self.tables[table]

    def write(self, folder: Path | str, *, format: str = "csv") -> list[Path]:  # noqa: A002
        """Write every table to ``folder`` as EXPERIMENT-TABLE.csv, and the settings and notes as EXPERIMENT.json.

        Each file is written whole or not at all.
        """
        folder = Path(folder)
        suffix = {"table": "txt", "markdown": "md", "latex": "tex"}.get(format, format)
        files = {
            folder / f"{self.experiment}-{name}.{suffix}": render(table, format) for name, table in self.tables.items()
        }
        described = {"experiment": self.experiment, "settings": dict(self.settings), "notes": list(self.notes)}
        files[folder / f"{self.experiment}.json"] = (
            json.dumps(described, indent=1, ensure_ascii=False, default=str) + "\n"
        )
        folder.mkdir(parents=True, exist_ok=True)
        for path, content in files.items():
            write_whole(path, content.encode() if isinstance(content, str) else content)
        return list(files)

    def render(self, format: str = "table") -> str:  # noqa: A002
        """Give all tables as text for people, with the notes and the settings; of a long one, its first rows."""
        if format not in FORMATS or not FORMATS[format].for_people:
            raise InputError(f"{format} holds one table: render that one, or write() them all")
        parts = []
        for name, table in self.tables.items():
            cut = f" (the first {ROWS_SHOWN} of {table.height} rows)" if table.height > ROWS_SHOWN else ""
            parts.append(f"{self.experiment}: {name}{cut}\n" + str(render(table.head(ROWS_SHOWN), format)))
        known = "; ".join(f"{name} {_written(value)}" for name, value in self.settings.items())
        return "\n".join([*parts, *(f"note: {note}" for note in self.notes), f"settings: {known}"])

    def __str__(self) -> str:
        return self.render()


@dataclass(frozen=True)
class Option:
    """A choice that an experiment leaves to its user."""

    name: str
    type: Any
    default: Any
    meaning: str


@dataclass(frozen=True)
class Experiment:
    """An experiment, as its function declares it.

    The function's first line of documentation is the question that it answers. Its first parameter, if it is called
    ``runs``, takes the `JudgedRuns`; ``measures`` takes the measures, and its default names those of the paper;
    ``work`` takes the `Work`; all others, keyword-only, are options, explained under *Parameters*.
    """

    name: str
    function: Callable[..., Findings]

    def __call__(self, *args: Any, **options: Any) -> Findings:
        """Do the experiment."""
        return self.function(*args, **options)

    @property
    def question(self) -> str:
        """The question that it answers."""
        return inspect.cleandoc(self.function.__doc__ or "").partition("\n")[0]

    @property
    def takes(self) -> frozenset[str]:
        """Which of runs, measures and work it takes."""
        return frozenset(self._signature) & {"runs", "measures", "work"}

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that it is done with where none are named."""
        return tuple(self._signature["measures"].default) if "measures" in self._signature else ()

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """All other choices."""
        types = get_type_hints(self.function)
        meanings = dict(_explained(self.function.__doc__ or ""))
        return tuple(
            Option(name, types[name], parameter.default, meanings.get(name, ""))
            for name, parameter in self._signature.items()
            if name not in {"runs", "measures", "work"}
        )

    @property
    def _signature(self) -> Mapping[str, inspect.Parameter]:
        return inspect.signature(self.function).parameters


def experiment(function: _Function) -> _Function:
    """Register an experiment, under its function's name with dashes."""
    name = function.__name__.replace("_", "-")
    EXPERIMENTS[name] = Experiment(name, function)
    return function


def number_measures(measures: MeasureNames) -> list[Measure]:
    """Read the measures of an experiment, which compares numbers.

    >>> number_measures(["map", "nDCG@10"])
    [AP, nDCG@10]

    Raises
    ------
    InputError
        Where none is named, or one is a text to read.
    """
    asked = parse_measures(measures)
    texts = ", ".join(str(measure) for measure in asked if measure.text)
    if texts:
        raise InputError(f"{texts}: a text, which cannot be compared; name measures that are numbers")
    if not asked:
        raise InputError("no measure is named; name one, such as AP")
    return asked


def _explained(docstring: str) -> Iterator[tuple[str, str]]:
    """Read the names and meanings under *Parameters*.

    >>> list(_explained('''Why?
    ...
    ...     Parameters
    ...     ----------
    ...     runs, seed
    ...         The runs, and
    ...         a number.
    ...     '''))
    [('runs', 'The runs, and a number.'), ('seed', 'The runs, and a number.')]
    """
    section = re.search(r"^Parameters\n-+\n(.*?)(?=\n\S+\n-+\n|\Z)", inspect.cleandoc(docstring), re.DOTALL | re.M)
    for entry in re.split(r"\n(?=\S)", section[1]) if section else []:
        names, _, meaning = entry.partition("\n")
        for name in names.split(","):
            yield name.strip(), " ".join(meaning.split())


def _written(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
