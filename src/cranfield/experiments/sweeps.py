"""Parameters of measures, swept: ``p=0.8|0.9, base=2|10`` is text for every combination of these values."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from itertools import product

from cranfield.measures.framework.measure import Measure
from cranfield.plumbing.errors import InputError, MeasureError


def read_sweep(text: str) -> dict[str, tuple[object, ...]]:
    """Read the values of each parameter: ``base=None|2, gains={1:1,2:2}|{1:1,2:10}``."""
    swept: dict[str, tuple[object, ...]] = {}
    for part in re.split(r",\s*(?=\w+\s*=)", text):
        name, equals, values = (each.strip() for each in part.partition("="))
        if not (equals and name.isidentifier() and all(value.strip() for value in values.split("|"))):
            raise InputError(f"a sweep looks like p=0.8|0.9, base=2|10; {part.strip()!r} does not")
        if name in swept:
            raise InputError(f"sweep names {name} twice; give it once, with all values")
        swept[name] = tuple(_value(value.strip()) for value in values.split("|"))
    return swept


def settings_of(measure: Measure, swept: Mapping[str, Sequence[object]]) -> list[Measure]:
    """Return the measure with every combination of values of its parameters, each once."""
    own = {name: values for name, values in swept.items() if name in measure.parameters}
    made = (type(measure)(**measure.given | dict(zip(own, values, strict=True))) for values in product(*own.values()))
    return list(dict.fromkeys(made))


def require_known(swept: Mapping[str, object], measures: Sequence[Measure]) -> None:
    """Refuse a parameter that none of the measures has."""
    if unknown := [name for name in swept if not any(name in measure.parameters for measure in measures)]:
        names = sorted({name for measure in measures for name in measure.parameters})
        raise InputError(
            f"no measure has {unknown[0]}; parameters of {', '.join(map(str, measures))}: {', '.join(names)}"
        )


def taken_by(measure: Measure, swept: Mapping[str, Sequence[object]]) -> dict[str, Sequence[object]]:
    """Keep the measure's own parameters for which it accepts all values: RBP takes gains of at most 1."""

    def takes(name: str, values: Sequence[object]) -> bool:
        try:
            settings_of(measure, {name: values})
        except MeasureError:
            return False
        return name in measure.parameters

    return {name: values for name, values in swept.items() if takes(name, values)}


def _value(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text  # a word
