"""Scores made ready to be compared: every run on the same topics, aligned by the topics' ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import polars as pl

from cranfield.arrays import Booleans, Floats
from cranfield.audit import Audit
from cranfield.errors import InputError, MeasureError
from cranfield.formats import frames
from cranfield.formats.optional import library
from cranfield.measures.names import parse_measure
from cranfield.scores import LIMITS, Scores, Topics
from cranfield.tables import QUERY, RUN, RUN_COLUMNS, RUN_EXTRAS, match_columns

_COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    RUN: (*RUN_EXTRAS[RUN], "name"),
    QUERY: RUN_COLUMNS[QUERY],
    "measure": ("measure", "metric"),
    "value": ("value", "score"),
}
_AVERAGE: Final = "all"
"""The topic under which tables of scores hold averages."""


@dataclass(frozen=True, eq=False)
class Panel:
    """Scores of several runs on the same topics, nothing missing.

    Attributes
    ----------
    runs, topics, measures
        Names; the topics sorted, so that random signs and resamples do not depend on the order of a file.
    higher_is_better
        For each measure.
    values
        Array of shape (measures, runs, topics).
    limits
        Array of shape (2, measures, runs, topics), lowest and highest, where bounds are known.
    notes
        What was done about missing topics.
    audit
        That of the scores, where there is one.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    higher_is_better: Booleans
    values: Floats
    limits: Floats | None
    notes: tuple[str, ...]
    audit: Audit | None = None


def panel_of(scores: Any, topics: Topics | None) -> Panel:
    """Align scores: `Scores`, or a long table with run, topic, measure and value.

    >>> table = pl.DataFrame({"run": ["x", "x", "y"], "topic": ["2", "1", "1"], "measure": ["AP"] * 3,
    ...                       "value": [0.4, 0.1, 0.2]})
    >>> panel = panel_of(table, "all")
    >>> panel.topics, panel.values.tolist(), panel.notes
    (('1', '2'), [[[0.1, 0.4], [0.2, 0.0]]], ('counted 0 on topics that they lack: y (2)',))
    """
    if isinstance(scores, Scores):
        return _of_scores(scores, topics or scores.averaged)
    if frames.is_frame(scores):
        return _of_table(scores, topics or "all")
    raise InputError(
        f"scores must be what evaluate() returns, or a DataFrame with {', '.join(_COLUMNS)}, not {type(scores)}"
    )


def _of_scores(scores: Scores, topics: Topics) -> Panel:
    texts = [str(measure) for measure in scores.measures if measure.text]
    geometric = [str(measure) for measure in scores.numeric if measure.summary == "geometric mean"]
    if texts or geometric:
        raise InputError(f"{', '.join(texts + geometric)}: not an average of values by topic, so no test of one")
    return _aligned(
        (scores.runs, scores.topics, tuple(map(str, scores.numeric))),
        np.array([measure.higher_is_better for measure in scores.numeric], dtype=np.bool_),
        np.broadcast_to(scores.present, scores.values.shape),
        scores.values if scores.limits is None else np.stack([scores.values, *scores.limits]),
        topics,
        (),
        scores.audit,
    )


def _of_table(frame: Any, topics: Topics) -> Panel:
    table = _tidy(frame)
    keys = (RUN, QUERY, "measure")
    names = [table[key].unique(maintain_order=True) for key in keys]
    runs, ids, measures = (tuple(name.to_list()) for name in names)
    codes = [
        table[key].replace_strict(name, np.arange(len(name)), return_dtype=pl.Int64).to_numpy()
        for key, name in zip(keys, names, strict=True)
    ]
    place = (codes[2], codes[0], codes[1])
    shape = (len(measures), len(runs), len(ids))
    present: Booleans = np.zeros(shape, dtype=np.bool_)
    present[place] = True
    columns = ["value", *LIMITS] if set(LIMITS) <= set(table.columns) else ["value"]
    values = np.zeros((len(columns), *shape))
    values[:, *place] = table.select(columns).to_numpy().T
    higher, unknown = _directions(measures)
    notes = (f"taken to be the better the higher: {', '.join(unknown)}",) if unknown else ()
    return _aligned((runs, ids, measures), higher, present, values if len(columns) > 1 else values[0], topics, notes)


def _tidy(frame: Any) -> pl.DataFrame:
    """Carry the columns over to polars, without averages; every (run, topic, measure) once, every value a number."""
    narwhal = library("narwhals.stable.v2").from_native(frame)
    found = match_columns(
        narwhal.collect_schema().names(), _COLUMNS, optional={name: (name,) for name in LIMITS}, source="scores"
    )
    table = frames.to_polars(narwhal, found).with_columns(pl.col(RUN, QUERY, "measure").cast(pl.String))
    table = table.filter(pl.col(QUERY).ne_missing(_AVERAGE))
    if not table.height:
        raise InputError("no scores by topic (averages, of the topic 'all', cannot be tested)", source="scores")
    numbers = [name for name in ("value", *LIMITS) if name in table.columns]
    table = table.with_columns(pl.col(numbers).cast(pl.Float64, strict=False))
    broken = table.filter(~pl.all_horizontal(pl.col(numbers).is_finite().fill_null(value=False)))
    twice = table.filter(table.select(RUN, QUERY, "measure").is_duplicated())
    for wrong, problem in ((broken, "has a value that is not a finite number"), (twice, "is there more than once")):
        if wrong.height:
            run, topic, measure = wrong.select(RUN, QUERY, "measure").row(0)
            raise InputError(f"{measure} of run {run} on topic {topic} {problem}", source="scores")
    return table


def _directions(measures: Sequence[str]) -> tuple[Booleans, list[str]]:
    """Tell of which measures a higher value is better, and which ones are not known here."""
    higher, unknown = [], []
    for name in measures:
        try:
            higher.append(parse_measure(name).higher_is_better)
        except MeasureError:
            higher.append(True)
            unknown.append(name)
    return np.array(higher, dtype=np.bool_), unknown


def _aligned(
    names: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]],
    higher: Booleans,
    present: Booleans,
    values: Floats,
    topics: Topics,
    notes: tuple[str, ...],
    audit: Audit | None = None,
) -> Panel:
    """Keep the topics asked for, sorted by id; ``values`` may have limits in front: value, low, high."""
    runs, ids, measures = names
    if topics not in {"all", "shared"}:
        raise InputError(f"topics must be 'all' or 'shared', not {topics!r}")
    order = np.argsort(np.array(ids, dtype=object))
    has: Booleans = np.asarray(present.all(axis=0))[:, order]  # a run has a topic where it has all measures
    kept = order[has.all(axis=0)] if topics == "shared" else order
    left_out = [ids[i] for i in order if i not in set(kept.tolist())]
    if left_out:
        notes += (f"compared on the {len(kept)} topics that all runs have, without {_listed(left_out)}",)
    elif not has.all():
        lacking = [
            f"{run} ({_listed([ids[i] for i in order[~row]])})"
            for run, row in zip(runs, has, strict=True)
            if not row.all()
        ]
        notes += (f"counted 0 on topics that they lack: {_listed(lacking)}",)
    values = values[..., kept]
    limits = None if values.ndim == 3 else values[1:]
    sorted_topics = tuple(ids[i] for i in kept)
    return Panel(runs, sorted_topics, measures, higher, values if limits is None else values[0], limits, notes, audit)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
