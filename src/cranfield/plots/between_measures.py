"""Measures against each other: how they order runs, how runs lie by them, which of them tell runs apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cranfield.plots.axes import strokes
from cranfield.plots.grammar import Spec, between, chart, dot, field, layer, mark, vconcat, when
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.printing import AS_HIGH, AS_LARGE
from cranfield.plots.theme import COLOURS, DARK_ABOVE, DARK_FROM, HALO, INK, SHARES, SIGNED, STROKES, colours, shapes
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted, ordinal, percent
from cranfield.statistics.rank_correlation import ALIKE

_KINDS = {
    "tau_b": "Kendall's τ_b",
    "tau_a": "Kendall's τ_a",
    "tau_ap": "τ_AP",
    "tau_ap_symmetric": "symmetric τ_AP",
    "spearman": "Spearman's rho",
    "pearson": "Pearson's r",
}
"""What the kinds of correlation are called in full."""
DIFFERENT = 0.8  # Voorhees (2001) takes rankings below this as noticeably different
MOST_NUMBERS = 36  # Numbers in smaller cells would not be legible
_SHADE = "#bcd7ea"
_HIGHEST = 0.15  # Above that nobody asks whether a difference is significant; Sakai's figures end there too
MOST_PLACES = 400  # How many points a line is drawn with: it looks like one of all pairs


@plot(of="correlation")
def measure_correlation(matrix: pl.DataFrame, pairs: pl.DataFrame, settings: pl.DataFrame) -> Drawing:
    """Which measures rank the runs in the same order, and which see something else?

    A cell is the correlation of the runs' means by two measures. Similar measures are side by side, so families show as
    dark blocks. Cells show their interval, too.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The Twist measure for IR
    evaluation", JASIST 67(3), Table 3, as a heat map.
    """
    names = matrix["measure"].to_list()
    asked = {str(name): str(value) for name, value in settings.select("name", "value").iter_rows()}
    kind = asked.get("kind", "correlation")
    kind = _KINDS.get(kind, kind)
    order = neighbours(names, matrix.drop("measure").to_numpy().tolist())
    rows = _cells(matrix, "measure", pairs, low="low", high="high")
    share = float(asked.get("top", 1))
    runs = counted(pairs["runs"][0], "run") + ("" if share == 1 else f", the best {percent(share)} by mean AP")
    ranked = pairs.sort("correlation", descending=True, nulls_last=True, maintain_order=True)
    said = "{0[measure_a]} and {0[measure_b]} ({0[correlation]:.3f})"
    described = f"Of {counted(len(names), 'measure')} the most similar are {said.format(ranked.row(0, named=True))}"
    if pairs.height > 1:
        described += f", the least {said.format(ranked.row(-1, named=True))}"
    return Drawing(
        _map(rows, order, kind, [field("low:Q .4f"), field("high:Q .4f")]),
        "How similarly measures rank the runs",
        f"{described}; over {runs}.",
        f"{kind} of the means of {runs}.",
        _in_bold(rows),
    )


@plot(of="sensitivity")
def sensitivity_matrix(matrix: pl.DataFrame, pairs: pl.DataFrame, parameters: pl.DataFrame) -> Drawing:
    """Which settings of measures rank the runs in the same order?

    A cell is Kendall's τ_b of the order of the runs under two settings. The settings of a measure are next to each
    other: the squares along the diagonal show what its parameters change, and the other fields whether two measures
    agree at all settings shown. Cells also give τ_AP and the run that moves furthest.

    Paper: Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques", TOIS 20(4), on weights
    and the base of the logarithm; Amigó, Mizzaro and Spina (2022), SIGIR, section 3.4, on the size of the collection.
    """
    settings = matrix["setting"].to_list()
    rows = _cells(matrix, "setting", pairs, tau_ap="tau_ap", furthest="furthest", moved="run")
    tips = [
        field("tau_ap:Q .4f", title="τ_AP"),
        field("furthest:Q", title="most places that a run moves"),
        field("moved:N", title="which run"),
    ]
    least = pairs.sort("tau", nulls_last=True, maintain_order=True).row(0, named=True)
    described = [
        f"{row['measure']}, {row['parameter']}: τ_b from {row['lowest']:.3f}, on average {row['mean']:.3f}"
        for row in parameters.iter_rows(named=True)
    ]
    lowest = f"The lowest τ_b is {least['tau']:.3f}, between {least['setting_a']} and {least['setting_b']}"
    return Drawing(
        _map(rows, settings, "Kendall's τ_b", tips),
        "How similarly settings of measures rank the runs",
        ". ".join([*described, lowest]) + ".",
        f"{counted(len(settings), 'setting')}.",
        _in_bold(rows),
    )


def neighbours(names: Sequence[str], correlations: Sequence[Sequence[float]]) -> list[str]:
    """Order names so that similar ones are adjacent: the leaves of an average-linkage tree."""
    if len(names) < 3:
        return list(names)
    from scipy.cluster.hierarchy import leaves_list, linkage

    matrix = np.nan_to_num(np.array(correlations, dtype=float))
    apart = (1 - (matrix + matrix.T) / 2)[np.triu_indices(len(names), 1)].clip(min=0.0)
    order = leaves_list(linkage(apart, "average", optimal_ordering=True))
    # Both directions are as good: the one with the first name nearer to the front is taken.
    order = order if list(order).index(0) <= len(names) // 2 else order[::-1]
    return [names[place] for place in order]


def _cells(matrix: pl.DataFrame, of: str, pairs: pl.DataFrame, **told: str) -> pl.DataFrame:
    """Give each cell of a matrix a row, with what its pair tells besides, whichever of the two is named first."""
    found = pairs.select(across=f"{of}_a", down=f"{of}_b", **{name: pl.col(column) for name, column in told.items()})
    both = pl.concat([found, found.rename({"across": "down", "down": "across"}).select(found.columns)])
    rows = matrix.unpivot(index=of, variable_name="across", value_name="value").rename({of: "down"})
    return rows.join(both, on=["across", "down"], how="left", maintain_order="left")


def _map(rows: pl.DataFrame, names: Sequence[str], title: str, tooltip: Sequence[Spec]) -> Spec:
    """Draw correlations as a heat map, with numbers where cells have room for them."""
    size = 54 if len(names) <= 8 else 40 if len(names) <= 16 else 26 if len(names) <= MOST_NUMBERS else 12
    negative = (rows["value"] < 0).any()
    scale = SIGNED if negative else SHARES
    every = {} if size < 30 else {"labelOverlap": False}  # in print, too
    axis = {"labelAngle": -40 if size > 30 else -90, "orient": "bottom", **every}
    cell = {
        "x": field("across:N", sort=list(names), title=None, axis=axis),
        "y": field("down:N", sort=list(names), title=None, **({"axis": every} if every else {})),
        "tooltip": ["down:N", "across:N", field("value:Q .4f", title=title), *tooltip],
    }
    layers = [chart(mark("rect", stroke=HALO), **cell, color=field("value:Q", title=title, scale=scale))]
    if len(names) <= MOST_NUMBERS:
        ink = when(f"datum.value > {DARK_ABOVE if negative else DARK_FROM}", HALO, COLOURS[-1])
        number = cell | {"text": field("value:Q .2f"), "color": ink}
        letters = 11 if size > 30 else 9
        alike, other = f"datum.value > {ALIKE}", f"isValid(datum.value) && datum.value <= {ALIKE}"
        layers += [
            chart(mark("text", fontWeight="bold", fontSize=letters), **number, where=[alike]),
            chart(mark("text", fontSize=letters), **number, where=[other]),
        ]
    narrow = len(layers) > 1 and size < 30  # numbers fill their cells
    return layer(
        *layers, data=rows, width={"step": size}, height={"step": size if size < 30 else size * 0.62},
        view={"style": ["cell", AS_LARGE] if narrow else "cell"},
    )  # fmt: skip


def _in_bold(rows: pl.DataFrame) -> str:
    """Say what numbers in bold mean, where there are any off the diagonal."""
    beside = rows.filter(pl.col("across") != pl.col("down"))
    if rows["across"].n_unique() > MOST_NUMBERS or not (beside["value"] > ALIKE).any():
        return ""
    return f"In bold: above {ALIKE:g}, equivalent by Voorhees (2001); below {DIFFERENT:g}, noticeably different."


@plot(of="correlation")
def measure_distribution(means: pl.DataFrame, *, topic: str | None = None) -> Drawing:
    """How are the values of the runs distributed by each measure?

    A stroke is the mean of a run over the topics. The light bar holds the middle half of the runs, the black stroke in
    it is the median. Where strokes are crowded, small differences decide the order of the runs.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The Twist measure for IR
    evaluation", JASIST 67(3), Figure 12.
    """
    names = means["measure"].unique(maintain_order=True).to_list()
    mean = pl.col("mean")
    middle = means.group_by("measure", maintain_order=True).agg(
        low=mean.quantile(0.25, "linear"), median=mean.median(), high=mean.quantile(0.75, "linear")
    )
    over = "mean over topics" if topic is None else "value"
    beyond = set(means.filter((mean > 1) | (mean < 0))["measure"])
    charts = []
    for name in names:
        shown = name == names[-1] or bool(beyond)
        axis = {"labels": shown, "ticks": shown, "tickCount": 8, "title": over if name == names[-1] else None}
        charts.append(_strokes(means.filter(measure=name), middle.filter(measure=name), name in beyond, axis))
    described = (
        f"{row['measure']}: median {row['median']:.3f}, the middle half from {row['low']:.3f} to {row['high']:.3f}."
        for row in middle.iter_rows(named=True)
    )
    runs = counted(means["run"].n_unique(), "run")
    return Drawing(
        vconcat(*charts, spacing=14 if beyond else 4),
        "Distribution of the runs by each measure",
        " ".join(described),
        f"Stroke: one of {runs}, by its {over}. Bar: their middle half, with the median.",
    )


def _strokes(means: pl.DataFrame, middle: pl.DataFrame, own_axis: bool, axis: dict[str, Any]) -> Spec:
    """Draw one measure: from 0 to 1, or on an axis of its own where its values go beyond."""
    scale = {} if own_axis else {"domain": [0, 1]}
    row = field("measure:N", title=None)
    low, mean = (field(f"{name}:Q", scale=scale, axis=axis) for name in ("low", "mean"))
    stroke = mark("tick", color=COLOURS[0], thickness=1.5, height=16, opacity=0.6)
    return layer(
        chart(mark("bar", color=_SHADE, height=22), data=middle, x=low, x2="high", y=row),
        chart(stroke, data=means, x=mean, y=row, tooltip=["run:N", "mean:Q .4f"]),
        chart(mark("tick", color=INK, thickness=3, height=26), data=middle, x="median:Q", y=row),
        width=460, height=34, view={"style": ["cell", AS_HIGH]},
    )  # fmt: skip


@plot(of="discriminative-power")
def asl(asl: pl.DataFrame, power: pl.DataFrame) -> Drawing:
    """Which measure tells more pairs of runs apart?

    The pairs are sorted by the achieved significance level of their difference, the least significant first. The
    further left a curve falls, the more pairs the measure tells apart. The legend gives the share below alpha, and the
    difference Δ that is sufficient for it.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The Twist measure for IR
    evaluation", JASIST 67(3), Figure 14; Sakai (2006), SIGIR, section 3.
    """
    alpha = power["alpha"][0]
    first = power.filter(pl.col("alpha") == alpha)
    named = {
        name: f"{name}: {share:.1%}" + (f", Δ {delta:.3f}" if delta else "")
        for name, share, delta in first.select("measure", "share", "delta").iter_rows()
    }
    series, pairs = list(named.values()), int(first["pairs"][0])
    step = max(1, pairs // MOST_PLACES)
    rows = asl.filter(((pl.col("place") - 1) % step == 0) | (pl.col("place") == pairs))
    legend = {**STROKES, "title": f"share of pairs below {alpha:g}" + (", Δ" if first["delta"].count() else "")}
    lines = chart(
        mark("line", clip=True, point=pairs == 1),
        data=rows.with_columns(pl.col("measure").replace_strict(named).alias("series")),
        x=field(
            "place:Q",
            title="pairs of runs, the least significant first",
            scale={"nice": False},
            axis={"tickMinStep": 1},
        ),
        y=field("asl:Q", title="achieved significance level", scale=between(0, _HIGHEST)),
        **strokes("series:N", series, legend),
        tooltip=["measure:N", "place:Q", "asl:Q .4f"],
    )
    alphas = {"data": power.select("alpha").unique(maintain_order=True), "y": "alpha:Q"}
    rules = chart(mark("rule", color=INK, strokeDash=[3, 3], strokeWidth=1), **alphas)
    words = chart(mark("text", align="right", dx=-4, dy=-6), **alphas, x={"value": 520}, text="alpha:Q ~g")
    return Drawing(
        layer(lines, rules, words, width=520, height=320),
        "Achieved significance level of each pair of runs",
        f"Significant at {alpha:g}, of {counted(pairs, 'pair')}: " + "; ".join(series) + ".",
        f"{counted(pairs, 'pair')} of runs" + (f", every {ordinal(step)} drawn." if step > 1 else "."),
    )


@plot(of="downsampling")
def downsampling(correlation: pl.DataFrame) -> Drawing:
    """Do the runs keep their order when fewer documents are judged?

    Kendall's τ_b between the order of the runs by part of the judgments and by all of them, against the share kept: the
    flatter and the closer to 1 a line, the more robust the measure.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The Twist measure for IR
    evaluation", JASIST 67(3), Figure 13.
    """
    shallow = "depth" in correlation.columns
    left = "depth" if shallow else "rate"
    names = correlation["measure"].unique(maintain_order=True).to_list()
    tau, error = pl.col("tau"), pl.col("standard_error")
    rows = correlation.with_columns(low=tau - error, high=tau + error)
    x = field(
        f"{left}:Q",
        title="pool depth" if shallow else "share of judgments kept",
        axis={"format": "~g" if shallow else ".0%", "values": sorted(set(correlation[left]))},
        scale={"reverse": True, "zero": False, "padding": 12},
    )
    look = strokes("measure:N", names)
    level = correlation["tau"].drop_nulls().n_unique() == 1
    scale = {"domain": [0, 1]} if level else {"zero": False}
    height = field("tau:Q", title="Kendall's τ_b with the order under all judgments", scale=scale)
    up_and_down = mark("rule", strokeWidth=1.5)
    # Points are not in the legend: Vega-Lite would put their shapes into that of the lines.
    looks = zip(names, colours(names)["range"], shapes(names)["range"], strict=True)
    points = [
        chart(
            dot(60, color=colour, shape=shape), data=rows.filter(measure=name), x=x, y=height,
            tooltip=[f"{left}:Q", "measure:N", "tau:Q .4f", "standard_error:Q .4f"],
        )
        for name, colour, shape in looks
    ]  # fmt: skip
    least = correlation.filter(pl.col(left) == correlation[left].min())
    fewest = f"depth {least[left][0]}" if shallow else f"{percent(least[left][0])}"
    repetitions = int(correlation["repetitions"].max() or 1)  # type: ignore[arg-type]
    over = f"Means over {counted(repetitions, 'random pool')}; vertical lines are their standard errors."
    return Drawing(
        layer(
            chart(mark("line"), x=x, color=look["color"], y=height, strokeDash=look["strokeDash"]),
            chart(up_and_down, x=x, color=look["color"], where=["isValid(datum.low)"], y="low:Q", y2="high"),
            *points, data=rows, width=520, height=320,
        ),
        "How the order of the runs changes as judgments are removed",
        f"At {fewest}: " + ", ".join(f"{m} {t:.3f}" for m, t in least.select("measure", "tau").iter_rows()) + ".",
        over if repetitions > 1 else "",
        f"Tau-b is {correlation['tau'].drop_nulls()[0]:.3f} throughout." if level else "",
    )  # fmt: skip
