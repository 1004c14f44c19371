"""Scores made ready to be compared: complete, more being better, and with the same policies for whoever compares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from cranfield.formats import frames, read_table
from cranfield.formats.files import FilePath
from cranfield.formats.optional import library
from cranfield.judged.audit import Audit
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import parse_measure, parse_measures, place_of
from cranfield.plumbing.arrays import Booleans, Floats
from cranfield.plumbing.averaging import WORDS, summable
from cranfield.plumbing.errors import InputError, MeasureError
from cranfield.plumbing.forks import begin_work
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Topics, checked
from cranfield.plumbing.tables import AVERAGE, QUERY, RUN, RUN_COLUMNS, RUN_EXTRAS, Frame, match_columns
from cranfield.plumbing.wording import counted
from cranfield.scoring.orientation import direction
from cranfield.scoring.scores import LIMITS, Scores
from cranfield.scoring.weighting import TopicWeights

_COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    RUN: RUN_EXTRAS[RUN],
    QUERY: RUN_COLUMNS[QUERY],
    "measure": ("measure", "metric"),
    "value": ("value", "score"),
}
"""What the columns of a table of scores are called, here and elsewhere."""


@dataclass(frozen=True, eq=False)
class Panel:
    """Scores of several runs on the same topics: nothing missing, and more is better.

    The policies, for all that compare:

    - Of ``"all"`` topics, those that a run lacks count 0; ``"shared"`` topics are those that
      *every* run has, by every measure.
    - Where less is better, values are negative here; `as_measured` turns them back.
    - Of a geometric mean the values are logarithms, since their mean over topics ranks the runs as
      the measure does: a difference of log 2 says "twice as good".
    - A sum (of counts) is compared by its mean over topics.
    - Measures that are a text are refused.
    """

    # runs, topics, measures: names; the topics sorted, so that random signs and resamples do not depend on the order of
    # a file
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    values: Floats  # array of shape (measures, runs, topics)
    direction: Floats  # for each measure 1, or -1 where less is better
    logarithmic: Booleans  # for each measure, whether its values are logarithms
    ends: Floats  # array of shape (measures, 2): the least and the largest value there can be, as far as that is known
    # array of shape (2, measures, runs, topics), the worst and the best that each value could be, where bounds are
    # known
    limits: Floats | None = None
    notes: tuple[str, ...] = ()  # what was done about missing topics, and other things to know
    audit: Audit | None = None  # that of the scores, where there is one
    asked: tuple[Measure | str, ...] = ()  # the measures themselves; names, where they are those of a table
    # what the topics count for, where they do not all count alike: `averages` are weighted then
    weights: TopicWeights | None = None

    @cached_property
    def weight_of_topic(self) -> Floats | None:
        """Array of shape (topics,): what each topic counts for; None where all count alike."""
        return None if self.weights is None else self.weights.over(self.topics)

    @property
    def averages(self) -> Floats:
        """Array of shape (measures, runs): means over topics, more being better."""
        weights = self.weight_of_topic
        if weights is not None:
            weighted: Floats = (self.values * weights).cumsum(axis=-1)[..., -1] / weights.sum()
            return weighted
        # Added topic by topic, as the averages of scores are, so that runs that are equal there are
        # equal here.
        total: Floats = self.values.cumsum(axis=-1)[..., -1]
        return total / len(self.topics)

    @property
    def means(self) -> Floats:
        """Array of shape (measures, runs): means as the measures have them, lower ones better where they are."""
        return self.as_measured(self.averages)

    def as_measured(self, averages: Floats) -> Floats:
        """Turn averages, the measures on the first axis, back into what the measures say."""
        shape = (-1, *(1,) * (averages.ndim - 1))
        measured = self.direction.reshape(shape) * averages
        measured[self.logarithmic] = np.exp(measured[self.logarithmic])
        return measured

    def of_topics(self, names: Sequence[str]) -> Panel:
        """Return some of the topics alone."""
        places = {topic: place for place, topic in enumerate(self.topics)}
        at = [places[name] for name in names]
        limits = None if self.limits is None else self.limits[..., at]
        return replace(self, topics=tuple(names), values=self.values[..., at], limits=limits)

    def of_runs(self, kept: Booleans) -> Panel:
        """Return some of the runs alone: array of shape (runs,)."""
        limits = None if self.limits is None else self.limits[:, :, kept]
        runs = tuple(run for run, stays in zip(self.runs, kept, strict=True) if stays)
        return replace(self, runs=runs, values=self.values[:, kept], limits=limits)


def panel_of(scores: Scores | Frame, topics: Topics | None = None, *, averages: bool = False) -> Panel:
    """Lay scores out: `Scores`, or a long table with run, topic, measure and value."""
    begin_work()
    topics = checked("topics", topics, Topics | None)
    if isinstance(scores, Scores):
        return _of_scores(scores, topics or scores.conditions.reading.topics)
    if frames.is_frame(scores):
        return _of_table(scores, topics or "all", averages)
    raise InputError(
        f"scores must be what evaluate() returns, or a DataFrame with {', '.join(_COLUMNS)}, not {type(scores)}"
    )


def read_scores(path: FilePath, measures: Sequence[str] = ()) -> pl.DataFrame:
    r"""Read a long table of scores (csv, json or parquet, as `evaluate` writes it), of these measures if any are named.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".csv") as file:
    ...     _ = file.write(b"run,topic,measure,value\nbm25,001,AP,0.5\nbm25,001,RR,1\n"), file.flush()
    ...     read_scores(file.name, ["AP"]).rows()
    [('bm25', '001', 'AP', '0.5')]
    """
    table = read_table(path, "scores")
    column = match_columns(table.columns, _COLUMNS, source=str(path))["measure"]
    if not measures:
        return table
    there = table[column].cast(pl.String).unique(maintain_order=True).to_list()
    asked = [each for name in measures for each in ([name] if name in there else parse_measures(name, complete=False))]
    return table.filter(pl.col(column).is_in([there[place_of(each, there)] for each in asked]))


_OF_OTHER_TABLES: Final = ("columns", "fields")
"""What may say how weights and groups are read, beside scores."""


def refuse_asked_of_scores(**asked: object) -> None:
    """Refuse what says how runs are scored where they are scored already."""
    if given := [name for name, value in asked.items() if value is not None and name not in _OF_OTHER_TABLES]:
        raise InputError(f"these scores are of runs that were scored already; leave {given[0]} out")


def numbers_only(measures: Sequence[Measure]) -> None:
    """Refuse measures that are a text: there is nothing to compare.

    >>> numbers_only([parse_measure("runid")])
    Traceback (most recent call last):
    ...
    cranfield.InputError: RunID: a text, which cannot be compared; name measures that are numbers
    """
    texts = ", ".join(str(measure) for measure in measures if measure.text)
    if texts:
        raise InputError(f"{texts}: a text, which cannot be compared; name measures that are numbers")


def _of_scores(scores: Scores, topics: Topics) -> Panel:
    numbers_only(scores.asked)
    if scores.average != "mean":
        raise InputError(
            f"means are compared, and these scores are averaged by the {WORDS[scores.average]}; "
            "give them as scores.averaged_by('mean')"
        )
    panel = _laid_out(
        (scores.runs, scores.topics, scores.measures),
        np.broadcast_to(scores.present, scores.values.shape),
        scores.values[np.newaxis] if scores.limits is None else np.stack([scores.values, *scores.limits]),
        topics,
        scores.audit,
    )
    return replace(
        panel,
        notes=(*scores.notes, *panel.notes),
        weights=scores.weights,
    )


def _of_table(frame: Frame, topics: Topics, averages: bool) -> Panel:
    table = _tidy(frame, averages)
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
    return _laid_out((runs, ids, measures), present, values, topics)


def _tidy(frame: Frame, averages: bool) -> pl.DataFrame:
    """Carry the columns over to polars, without averages; every (run, topic, measure) once, every value a number."""
    narwhal = library("narwhals.stable.v2").from_native(frame)
    found = match_columns(
        narwhal.collect_schema().names(), _COLUMNS, optional={name: (name,) for name in LIMITS}, source="scores"
    )
    table = frames.to_polars(narwhal, found).with_columns(pl.col(RUN, QUERY, "measure").cast(pl.String))
    by_topic = table.filter(pl.col(QUERY).ne_missing(AVERAGE))
    table = table if averages and not by_topic.height else by_topic
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


def _known(measure: Measure | str) -> Measure | None:
    """Return the measure of this name, if it is known here."""
    if isinstance(measure, Measure):
        return measure
    try:
        return parse_measure(measure)
    except MeasureError:
        return None


def limits_of(measure: Measure | str) -> tuple[float, float]:
    """Return the least and the largest value there can be: endless of a measure that is not known here.

    >>> limits_of("P@10"), limits_of("ours")
    ((0.0, 1.0), (-inf, inf))
    """
    known = _known(measure)
    return (-np.inf, np.inf) if known is None else known.limits


def _ends(known: Sequence[Measure | None], values: Floats) -> Floats:
    """Return the least and the largest value of each measure there can be: no nearer than a table's own values are."""
    ends = [(-np.inf, np.inf) if m is None or m.summary == "geometric mean" else m.limits for m in known]
    least, most = np.array(ends).reshape(-1, 2).T
    if not known:
        return np.zeros((0, 2))
    own = values.reshape(len(known), -1)
    return np.stack([np.minimum(least, own.min(axis=1)), np.maximum(most, own.max(axis=1))], axis=1)


def _laid_out(
    names: tuple[tuple[str, ...], tuple[str, ...], Sequence[Measure | str]],
    present: Booleans,
    values: Floats,
    topics: Topics,
    audit: Audit | None = None,
) -> Panel:
    """Keep the topics asked for, sorted by id, and turn values round where less is better.

    ``values`` has the values in front, and behind them the lowest and the highest, if there are
    bounds.
    """
    runs, ids, measures = names
    order = np.argsort(np.array(ids, dtype=object))
    has: Booleans = np.asarray(present.all(axis=0))[:, order]  # a run has a topic where it has all measures
    kept = order[has.all(axis=0)] if topics == "shared" else order
    if not len(kept):
        raise InputError("no topic is shared by all runs; compare fewer of them, or on all topics")
    known = [_known(measure) for measure in measures]
    sign = np.array([1.0 if measure is None else direction(measure) for measure in known])
    raw = values[..., kept]
    logarithmic = np.array([m is not None and m.summary == "geometric mean" for m in known], dtype=np.bool_)
    for m, measure in enumerate(known):
        if measure is not None and logarithmic[m]:
            raw[:, m] = summable(raw[:, m], measure.summary)
    turned = sign[:, np.newaxis, np.newaxis] * raw + 0.0  # not -0.0
    limits = None
    if len(turned) > 1:
        worst_first = np.where(sign > 0, 1, 2)
        limits = np.stack([turned[first, np.arange(len(known))] for first in (worst_first, 3 - worst_first)])
    return Panel(
        runs=runs,
        topics=tuple(ids[i] for i in kept),
        measures=tuple(map(str, measures)),
        asked=tuple(m if k is None or str(k) != str(m) else k for m, k in zip(measures, known, strict=True)),
        values=turned[0],
        direction=sign,
        logarithmic=logarithmic,
        ends=_ends(known, raw[0]),
        limits=limits,
        notes=tuple(_notes(runs, [ids[i] for i in order], has, topics, measures, known)),
        audit=audit,
    )


def _notes(
    runs: Sequence[str],
    ids: Sequence[str],
    has: Booleans,
    topics: Topics,
    measures: Sequence[Measure | str],
    known: Sequence[Measure | None],
) -> Iterator[str]:
    """Say what was done; topics in the order of their ids."""
    unknown = [str(name) for name, measure in zip(measures, known, strict=True) if measure is None]
    if unknown:
        yield f"higher is taken to be better: {', '.join(unknown)}"
    geometric = [str(m) for m in known if m is not None and m.summary == "geometric mean"]
    if geometric:
        names = _listed(geometric)
        yield f"compared by the logarithms of their values, a difference of .693 being a factor of 2: {names}"
    everywhere: Booleans = np.asarray(has.all(axis=0))
    if everywhere.all():
        return
    if topics == "shared":
        left_out = [topic for topic, shared in zip(ids, everywhere, strict=True) if not shared]
        yield f"compared on the {counted(everywhere.sum(), 'topic')} that all runs have, without {_listed(left_out)}"
        return
    lacking = [
        f"{run} ({_listed([topic for topic, there in zip(ids, row, strict=True) if not there])})"
        for run, row in zip(runs, has, strict=True)
        if not row.all()
    ]
    yield f"missing topics counted 0: {_listed(lacking)}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
