"""The sheets of TREC's appendix: precision over recall, and a run against the median of all runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cranfield.plots.axes import in_grey, least_and_most, strokes
from cranfield.plots.few import apart, labels_of, said_of_three, shortened, step_of, three_of
from cranfield.plots.grammar import Spec, chart, dot, field, hconcat, independent, layer, mark, stack, vconcat, when
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, FAINT, INK, STROKES, panel_title, quoted
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.escaping import printable
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted, named

_MOST_BARS = 640  # A bar is a point wide at least: of more topics some are drawn
_MOST_LETTERS = 14  # Longer ids would take more room below the bars than these
_HEIGHT = 130
SPANS = {"median": "median of all runs", "lowest": "lowest of all", "highest": "highest of all"}
_MOST_LABELS = 60  # More ids of topics than these would not be legible below the bars


@plot(of="scores", measures=("AP",))
def against_median(per_topic: pl.DataFrame, intervals: pl.DataFrame, *, run: str | None = None) -> Drawing:
    """On which topics is a run above the median of all runs, and on which below?

    A bar is a topic: the value of the run minus the median of all runs on that topic, the largest first. The grey line
    behind it reaches from the worst to the best value of any run. A mean does not tell whether a run is good where
    others are, too, or where others fail. Three runs are shown, or only the one named.

    Paper: the sheets of results in the appendix of each TREC's proceedings, NIST.
    """
    parts = Placed.by_measure(per_topic, intervals, run)
    first, runs = parts[0], len(parts[0].names)
    which = "against the median of all runs" if runs > 1 else f"of {shortened(first.names[0])}"
    return Drawing(
        stack([part.panels() for part in parts], spacing=28),
        f"{', '.join(part.measure for part in parts)} {which}, topic by topic",
        " ".join(part.described() for part in parts),
        *read(runs, first.topics),
        first.said(),
    )


def read(runs: int, topics: int) -> Iterator[str]:
    """Say how the bars are read."""
    if runs == 1:
        yield "A bar is a topic. One run has no median to compare with, so its values are shown."
    else:
        yield "A bar is a topic: the run minus the median of all runs; the grey line spans all runs, worst to best."
    if runs == 2:
        yield "The median of two runs lies halfway between them."
    if (step := step_of(topics, _MOST_BARS)) > 1:
        yield f"One in {step} of {topics:,} bars, in this order, is drawn; means are over all."


@dataclass(frozen=True)
class Placed:
    """Where runs, the best first, stand by one measure."""

    measure: str
    names: Sequence[str]
    means: Sequence[float]
    rows: pl.DataFrame
    """A row for each topic and run: topic, run, value, median, lowest, highest; of one run alone the median is 0."""
    run: str | None = None  # The only run that is to be shown; None for the best, the one in the middle and the worst

    @classmethod
    def by_measure(cls, per_topic: pl.DataFrame, intervals: pl.DataFrame, run: str | None = None) -> list[Placed]:
        """Take those by every measure. What is averaged by weights is called so in the table of means alone."""
        names = (table["measure"].unique(maintain_order=True) for table in (per_topic, intervals))
        pairs = zip(*names, strict=True)
        return [cls.of(per_topic.filter(measure=m), intervals.filter(measure=mean), run) for m, mean in pairs]

    @classmethod
    def of(cls, per_topic: pl.DataFrame, intervals: pl.DataFrame, run: str | None = None) -> Placed:
        """Take them from the scores of one measure by topic, and from its means, the best first."""
        runs = intervals["run"].to_list()
        run = None if run is None else printable(run)  # as the names in tables are
        if run is not None and run not in runs:
            raise InputError(f"no run is called {run!r}; the runs are {named(runs)}")
        value = pl.col("value")
        over = {"median": value.median(), "lowest": value.min(), "highest": value.max()}
        spans = {name: each.over("topic") if len(runs) > 1 else pl.lit(0.0) for name, each in over.items()}
        away = {"difference": value, "from": pl.col("lowest"), "to": pl.col("highest")}
        rows = per_topic.select("topic", "run", "value").with_columns(**spans)
        rows = rows.with_columns(**{name: each - pl.col("median") for name, each in away.items()})
        return cls(str(intervals["measure"][0]), runs, intervals["mean"].to_list(), rows, run)

    @property
    def topics(self) -> int:
        """How many there are."""
        return self.rows["topic"].n_unique()

    @property
    def shown(self) -> list[int]:
        """The places of the runs that have a panel."""
        return three_of(len(self.names)) if self.run is None else [self.names.index(self.run)]

    def said(self) -> str:
        """Say which runs are shown, where not all are and none was asked for."""
        return said_of_three(self.means, self.measure) if self.run is None else ""

    def of_run(self, place: int) -> pl.DataFrame:
        """Return the topics of a run, the largest difference first."""
        return self.rows.filter(run=self.names[place]).sort("difference", descending=True, maintain_order=True)

    def panels(self, colours: Mapping[str, str] | None = None) -> Spec:
        """Draw a panel for each run, all on one scale; runs that have a colour elsewhere have it here."""
        several = len(self.names) > 1
        ends = [end for name in (("from", "to") if several else ("difference",)) for end in self.rows[name]]
        low, high = min(0.0, *ends), max(0.0, *ends)
        domain = [low, high] if low < high else [0.0, 1.0]
        return vconcat(*(self._panel(place, domain, colours or {}) for place in self.shown), spacing=14)

    def _panel(self, place: int, domain: Sequence[float], colours: Mapping[str, str]) -> Spec:
        rows, run, several = self.of_run(place), self.names[place], len(self.names) > 1
        topics, rows = rows.height, rows.gather_every(step_of(rows.height, _MOST_BARS))
        rows = rows.with_columns(label=pl.col("topic").replace(labels_of(rows["topic"].to_list(), _MOST_LETTERS)))
        labels = rows.height <= _MOST_LABELS
        width = max(240, min(640, 11 * rows.height))
        x = field(
            "label:N", sort=rows["label"].to_list(), scale={"paddingInner": 0.15},
            title=counted(topics, "topic") + ("" if labels else ", without their ids"),
            axis={"labels": labels, "ticks": labels, "labelLimit": 100, "labelFontSize": 9, "labelAngle": -90},
        )  # fmt: skip
        title = [self.measure, "minus the median"] if several else self.measure
        y = field("difference:Q", title=title, scale={"domain": domain, "nice": True}, axis={"tickCount": 5})
        told = {"value": quoted(run), **(SPANS if several else {})}
        tips = [field(f"{name}:Q .4f", title=title) for name, title in told.items()]
        bars = mark("bar") if run not in colours else mark("bar", color=colours[run])
        colour = {} if run in colours else {"color": when("datum.difference >= 0", COLOURS[0], COLOURS[1])}
        layers = [chart(bars, x=x, y=y, **colour, tooltip=["topic:N", *tips])]
        if several:
            spans = mark("rule", color=FAINT, strokeWidth=3)
            layers.insert(0, chart(spans, x=x, y=field("from:Q", title=title), y2="to"))
            layers.append(chart(mark("rule", color=INK, strokeWidth=1), y={"datum": 0}))
        mean = f"{self.kind(place)}mean {self.measure} {self.means[place]:.4f}"
        heading = panel_title(shortened(run, width // 8), width, mean)
        return layer(*layers, data=rows, width=width, height=_HEIGHT, title=heading)

    def kind(self, place: int) -> str:
        """Say which run it is, where not all are shown."""
        if len(self.shown) == len(self.names) or not apart(self.means):
            return ""
        if self.run is not None:
            return f"number {place + 1:,} of {len(self.names):,} runs, "
        which = {0: "best", len(self.names) - 1: "worst"}.get(place, "middle")
        return f"{which} of {len(self.names):,} runs, "

    def described(self) -> str:
        """Say in words what the panels show."""
        if len(self.names) == 1:
            rows = self.of_run(0)
            most, least = rows.row(0, named=True), rows.row(-1, named=True)
            return (
                f"{self.names[0]} has a mean {self.measure} of {self.means[0]:.3f} over "
                f"{counted(rows.height, 'topic')}, from {least['value']:.3f} (topic {least['topic']}) to "
                f"{most['value']:.3f} (topic {most['topic']})."
            )
        return " ".join(self._of_one(place) for place in self.shown)

    def _of_one(self, place: int) -> str:
        rows = self.of_run(place)
        above, below = int((rows["difference"] > 0).sum()), int((rows["difference"] < 0).sum())
        most, least = ((rows["topic"][row], rows["difference"][row]) for row in (0, -1))
        return (
            f"{self.names[place]} (mean {self.measure} {self.means[place]:.3f}) is above the median of "
            f"{counted(len(self.names), 'run')} on {counted(above, 'topic')}, below it on {below} and equal to it on "
            f"{rows.height - above - below}, from {least[1]:+z.3f} (topic {least[0]}) to {most[1]:+z.3f} (topic "
            f"{most[0]})."
        )


LEVELS = tuple(f"IPrec@{level / 10:g}" for level in range(11))
"""The eleven points."""
_MOST_RUNS = 6  # More lines than these cannot be told apart: of more runs three have a colour, the others are grey
BELOW = {**STROKES, "orient": "bottom", "direction": "vertical", "columns": 1}
"""The names of the runs stand below the curves, one below the other, however long they are."""
_LEVEL = re.compile(r"IPrec(?:\(.*\))?@([\d.]+)$")


@plot(of="scores", measures=(*LEVELS, "AP"))
def recall_precision(
    means: pl.DataFrame, per_topic: pl.DataFrame, intervals: pl.DataFrame, *, run: str | None = None
) -> Drawing:
    """How precise are runs at each level of recall, and on which topics are they above the median?

    On the left, precision at eleven levels of recall, interpolated (the highest precision at that recall or beyond) and
    averaged over the topics. On the right, AP of each run minus the median of all runs, topic by topic; see the figure
    `against-median`. For a run that is named, the figure is its sheet: its curve among those of all others.

    Paper: the sheets of results in the appendix of each TREC's proceedings, NIST; van Rijsbergen (1979),
    "Information retrieval", chapter 7, for the interpolation.
    """
    levels = {name: float(found[1]) for name in means["measure"].unique() if (found := _LEVEL.search(name))}
    every = Placed.by_measure(per_topic, intervals, run)
    others = [each for each in every if not _LEVEL.search(each.measure)]
    if len(levels) < 2:
        raise InputError(
            "recall-precision is drawn from IPrec at several levels of recall: name no measures, or IPrec@0, IPrec@0.5 "
            "and so on, and last the measure that compares runs with the median"
        )
    rows = means.filter(pl.col("measure").is_in(list(levels)))
    rows = rows.select("run", "value", recall=pl.col("measure").replace_strict(levels, return_dtype=pl.Float64))
    standing = (others or every)[0]
    by, run, runs = standing.measure, standing.run, standing.names
    coloured = [runs[place] for place in (range(len(runs)) if len(runs) <= _MOST_RUNS else three_of(len(runs)))]
    coloured = coloured if run is None else [run]
    short = labels_of(runs, 44)
    curves = _curves(rows.sort("recall").with_columns(pl.col("run").replace(short)), [short[run] for run in coloured])
    title = f"Recall and precision of {shortened(run, 44) if run is not None else counted(len(runs), 'run')}"
    told = _at_ends(rows, coloured)
    says = f"Interpolated precision, mean over topics{'; in grey all other runs' * (len(coloured) < len(runs))}."
    if not others:
        return Drawing(curves, title, told, says)
    shades = dict(zip(coloured, COLOURS, strict=False))
    return Drawing(
        hconcat(curves, standing.panels(shades), spacing=36, resolve=independent("color", "strokeDash")),
        f"{title}, and {by} {'against the median' if len(runs) > 1 else 'by topic'}",
        f"{told} {standing.described()}",
        says,
        *read(len(runs), standing.topics),
        standing.said(),
    )


def _curves(rows: pl.DataFrame, coloured: Sequence[str]) -> Spec:
    x = field("recall:Q", title="recall", scale={"domain": [0, 1], "nice": False}, axis={"labelFlush": False})
    y = field("value:Q", title="interpolated precision", scale={"domain": [0, 1], "nice": False})
    look = strokes("run:N", coloured, BELOW, title=None)
    inked = {"data": rows.filter(pl.col("run").is_in(coloured)), "x": x, "y": y, "color": look["color"]}
    tips = ["run:N", "recall:Q .1f", field("value:Q .4f", title="precision")]
    return layer(
        *in_grey(rows, coloured, x, y, opacity=0.7),
        chart(mark("line"), **inked, strokeDash=look["strokeDash"]),
        chart(dot(26), **inked, tooltip=tips),
        width=360,
        height=360,
    )


def _at_ends(rows: pl.DataFrame, runs: Sequence[str]) -> str:
    first, last = least_and_most(rows["recall"])
    ends = {(run, at): value for run, value, at in rows.iter_rows()}
    said = ", ".join(f"{run} {ends[run, first]:.3f} and {ends[run, last]:.3f}" for run in runs)
    return f"Interpolated precision at recall {first:g} and {last:g}: {said}."
