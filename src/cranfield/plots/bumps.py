"""Places of runs side by side, by measures or by settings of one: a line for each run, its name at both ends."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from cranfield.plots.axes import strokes
from cranfield.plots.few import shortened
from cranfield.plots.grammar import Spec, between, chart, dot, field, grid, independent, layer, mark
from cranfield.plots.plot import WIDEST, Drawing, plot
from cranfield.plots.printing import AS_LARGE
from cranfield.plots.theme import COLOURS, FAINT, INK
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

MOVERS: Final = len(COLOURS)  # Up to this many runs have a colour: those that change place most
_MOST_NAMES: Final = 60  # Of more runs only the first and those in colour are named
_FIRST: Final = 10  # How many of the first are named then
_LINE, _LETTER, _LETTERS = 13, 6.3, 24
"""Points from name to name; how wide a letter is; how many letters of a name are shown."""
_HIGHEST: Final = 760  # Points from the first place to the last, where not all are named
_FIRST_OF_SEVERAL, _LOW = 5, 300  # The same in panels of which there are several
COLUMN: Final = 24
"""Points between columns, next to the letters of their heads."""


_GAP: Final = 30  # Points between panels


def movers(places: pl.DataFrame) -> pl.DataFrame:
    """Return the runs that change place, largest move first: columns run, best, worst, moved."""
    best, worst = pl.col("place").min(), pl.col("place").max()
    ends = places.group_by("run", maintain_order=True).agg(best=best, worst=worst, moved=worst - best)
    return ends.filter(pl.col("moved") > 0).sort("moved", descending=True, maintain_order=True)


def bump_chart(
    places: pl.DataFrame,
    heads: Mapping[str, Sequence[str]],
    title: str | None = None,
    first: int = _FIRST,
    highest: int = _HIGHEST,
) -> Spec:
    """Draw places; of many runs only some are named, and the panel is at most ``highest`` high."""
    names, runs = list(heads), places["run"].unique(maintain_order=True).to_list()
    coloured = movers(places)["run"].head(MOVERS).to_list()
    row = _LINE if len(runs) <= _MOST_NAMES else highest / len(runs)
    lines = max(map(len, heads.values()))
    head = max(len(line) for each in heads.values() for line in each) * _LETTER
    lead = 9 if len(runs) <= _MOST_NAMES else 26
    side = 5 + lead + _LETTER * max(len(shortened(run, _LETTERS)) for run in runs)
    apart = max(60.0, head + COLUMN)
    room = max(side, head / 2)
    across = [-room / apart, len(names) - 1 + room / apart]
    ends = [_ends(places.filter(column=name), coloured, _LINE / row, first) for name in (names[0], names[-1])]
    last = max([len(runs) + 0.5, *(end["at"].to_numpy().max() + 0.5 for end in ends)])
    above_first = 1 - (_LINE * 0.75) / row
    top = above_first - (lines * _LINE + 4) / row
    x = field("x:Q", axis=None, scale={"domain": across, "nice": False, "zero": False})
    y = field("place:Q", axis=None, scale=between(top, last, reverse=True))
    at = places.with_columns(x=pl.col("column").replace_strict({name: i for i, name in enumerate(names)}))
    tooltip = ["run:N", "column:N", "place:Q", "value:Q .4f"]
    others, chosen = (at.filter(pl.col("run").is_in(coloured) == which) for which in (False, True))
    looks = strokes("run:N", coloured, legend=None)
    above = [[""] * (lines - len(each)) + list(each) for each in heads.values()]
    of_columns = pl.DataFrame({"x": list(range(len(names))), "place": above_first, "head": above})
    bold = {"fontWeight": "bold", "fontSize": 11, "lineHeight": _LINE, "dy": -(lines - 1) * _LINE}
    views = [
        chart(mark("text", baseline="bottom", color=INK, **bold), data=of_columns, x=x, y=y, text="head"),
        chart(mark("line", color=FAINT, strokeWidth=1.2), data=others, x=x, y=y, detail="run:N"),
        chart(mark("point", filled=True, size=16, color=FAINT, opacity=1), data=others, x=x, y=y, tooltip=tooltip),
        chart(mark("line", strokeWidth=2.2), data=chosen, x=x, y=y, **looks),
        chart(dot(34), data=chosen, x=x, y=y, color=looks["color"], tooltip=tooltip),
    ]
    for end, way in zip(ends, (-1, 1), strict=True):
        far = -lead / apart if way < 0 else len(names) - 1 + lead / apart
        placed = end.with_columns(x=pl.lit(0.0 if way < 0 else len(names) - 1.0), x2=pl.lit(far))
        text = {"align": "right" if way < 0 else "left", "dx": 3 * way, "baseline": "middle", "fontSize": 11}
        views.insert(1, chart(mark("rule", color=FAINT, strokeWidth=0.8), data=placed, x=x, x2="x2", y=y, y2="at"))
        for strong, weight in ((False, "normal"), (True, "bold")):
            some = placed.filter(strong=strong).select("name", place="at", x="x2")
            word = mark("text", color=INK, **text, fontWeight=weight)
            views.append(chart(word, data=some, x=x, y=y, text="name:N"))
    views = [view for view in views if view["data"].height]
    named = {"title": {"text": title, "fontSize": 12, "offset": 4}} if title else {}
    return layer(
        *views, width=apart * (len(names) - 1) + 2 * room, height=row * (last - top),
        view={"style": ["cell", AS_LARGE], "stroke": None}, **named,
    )  # fmt: skip


def said_of(panels: Sequence[pl.DataFrame], first: int = _FIRST) -> list[str]:
    """Say what the lines of the panels are, and which are named."""
    runs, many = panels[0]["run"].n_unique(), [min(MOVERS, movers(places).height) for places in panels]
    says = "A line is a run; rank 1 is at the top; tied runs share a rank."
    if most := max(many):
        of = "" if len(panels) == 1 else " of each panel"
        says += f" In colour and bold: the {'run' if most == 1 else f'{most} runs'}{of} whose rank changes most."
    named = f"Labelled: these, and the top {first} on each side, of {runs} runs."
    return [says, named] if runs > _MOST_NAMES else [says]


def moved(places: pl.DataFrame) -> str:
    """Say who changes place."""
    found, runs = movers(places), places["run"].n_unique()
    if not found.height:
        return f"none of {counted(runs, 'run')} changes rank"
    run, best, worst, by = found.row(0)
    change = "changes" if found.height == 1 else "change"
    return (
        f"{found.height} of {counted(runs, 'run')} {change} rank, {run} most, by {counted(by, 'rank')}, between "
        f"{best} and {worst}"
    )


def _ends(places: pl.DataFrame, coloured: Sequence[str], gap: float, first: int) -> pl.DataFrame:
    """Name the runs at an end: run, place, name, strong, and at, where the name stands so that none touch."""
    strong = pl.col("run").is_in(coloured)
    named = places.sort("place", maintain_order=True)
    if places.height > _MOST_NAMES:  # of a hundred that are level, not all are the first
        best = named.filter(~strong, pl.col("place") <= first).head(first)
        named = pl.concat([named.filter(strong), best]).sort("place", maintain_order=True)
    at = spread(named["place"].to_numpy().astype(np.float64), gap)
    names = [shortened(run, _LETTERS) for run in named["run"]]
    return named.select("run", "place", strong=strong).with_columns(name=pl.Series(names), at=pl.Series(at))


def spread(wanted: Floats, gap: float) -> Floats:
    """Move sorted places as little as possible, so that each is a gap behind the one before and none is below 1.

    Places that would touch form a block around the mean of their wishes; blocks that touch merge.
    """
    blocks: list[tuple[float, int]] = []  # the sum of where each would have the block begin, and how many
    for place, want in enumerate(wanted):
        total, many = float(want - gap * place), 1
        while blocks and blocks[-1][0] / blocks[-1][1] >= total / many:
            before, size = blocks.pop()
            total, many = total + before, many + size
        blocks.append((total, many))
    starts = np.repeat([max(1.0, total / many) for total, many in blocks], [many for _, many in blocks])
    return np.asarray(np.maximum.accumulate(starts) + gap * np.arange(len(wanted)))


@plot(of="scores", measures=("AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)"))
def bump(places: pl.DataFrame) -> Drawing:
    """Which runs change rank with the measure, and by how much?

    A column is a measure, a line a run: the best run by the measure is at the top, and runs with equal means share a
    rank. Steep lines are runs that one measure ranks far higher than the next.
    """
    measures, runs = places["measure"].unique(maintain_order=True).to_list(), places["run"].n_unique()
    if len(measures) < 2:
        raise InputError(f"bump needs two measures or more, not only {measures[0]}; give more with -m")
    if runs < 2:
        raise InputError("bump needs two runs or more; one run has one rank")
    rows = places.rename({"measure": "column"})
    # The long name of a measure is broken before its parameters.
    heads = {name: re.findall(r"^[^(]+|\(.+$", name) if len(name) > 14 else [name] for name in measures}
    return Drawing(
        bump_chart(rows, heads),
        f"Ranks of {runs} runs by {len(measures)} measures",
        f"By {', '.join(measures)}, {moved(rows)}.",
        *said_of([rows]),
    )


@plot(of="sensitivity")
def sensitivity(parameters: pl.DataFrame, places: pl.DataFrame) -> Drawing:
    """How far does the best run depend on the measure's parameters, and which runs change rank?

    A panel is a measure, a column a setting of its parameters, a line a run. For each parameter, two settings are shown
    that differ only in it: those between which some run moves furthest.

    Paper: Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques", TOIS 20(4), on weights
    and the base of the logarithm; Amigó, Mizzaro and Spina (2022), SIGIR, section 3.4, on the size of the collection.
    """
    if places["run"].n_unique() < 2:
        raise InputError("sensitivity needs two runs or more; one run has one rank")
    order = places["setting"].unique(maintain_order=True).to_list()
    panels, charts, names = [], [], []
    for part in parameters.partition_by("measure", maintain_order=True):
        extremes = [setting for setting in order if setting in {*part["setting_a"], *part["setting_b"]}]
        rows = places.filter(pl.col("setting").is_in(extremes)).rename({"setting": "column", "mean": "value"})
        names.append(re.sub(r"\(.*\)", "", extremes[0]))
        panels.append(rows)
        charts.append(bump_chart(rows, _heads(extremes), names[-1], _FIRST_OF_SEVERAL, _LOW))
    described = [
        f"{row['measure']}, {row['parameter']}: τ_b from {row['lowest']:.3f}, on average {row['mean']:.3f}; "
        + (f"{row['run']} moves furthest, {counted(row['furthest'], 'rank')}" if row["furthest"] else "no run moves")
        for row in parameters.iter_rows(named=True)
    ]
    columns = max(1, int(WIDEST // (max(chart["width"] for chart in charts) + _GAP)))
    runs = places["run"].n_unique()
    return Drawing(
        grid(charts, columns, _GAP, resolve=independent("color", "strokeDash")),
        f"Ranks of {runs} runs by settings of {', '.join(names)}",
        f"{'. '.join(described)}. Over all settings shown, {moved(pl.concat(panels))}.",
        *said_of(panels, _FIRST_OF_SEVERAL),
        f"For each parameter: the two of {counted(len(order), 'setting')} that differ only in it and between which a "
        "run moves furthest.",
    )


def _heads(settings: Sequence[str]) -> dict[str, list[str]]:
    """Write the heading of each setting: its parameters, one per line."""
    given = {setting: _parameters(setting) for setting in settings}
    known = list(dict.fromkeys(name for each in given.values() for name in each))
    return {
        setting: [f"{name}={each[name]}" if name in each else f"{name} as usual" for name in known]
        for setting, each in given.items()
    }


def _parameters(setting: str) -> dict[str, str]:
    """Read the parameters of a setting off its name."""
    inner = setting.partition("(")[2].rpartition(")")[0]
    parts, depth = [""], 0
    for letter in inner:
        depth += (letter in "{[(") - (letter in ")]}")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return {name.strip(): value for name, _, value in (part.partition("=") for part in parts if part)}
