"""How much hangs on the parameters of measures: which runs change place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from cranfield.plots.bumps import bump, moved, said_of
from cranfield.plots.grammar import concat, independent
from cranfield.plots.plot import WIDEST, Drawing, plot
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

GAP: Final = 30
"""Points between panels."""


@plot(of="sensitivity")
def sensitivity(parameters: pl.DataFrame, places: pl.DataFrame) -> Drawing:
    """Which run is best: how far does that depend on the measure's parameters, and which runs change place?

    A panel is a measure, a column a setting of its parameters, a line a run. Of each parameter those
    two settings are shown, differing in it alone, between which some run moves furthest.

    Paper: Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques", TOIS
    20(4), on weights and the base of the logarithm; Amigó, Mizzaro and Spina (2022), SIGIR, section
    3.4, on the size of the collection.
    """
    if places["run"].n_unique() < 2:
        raise InputError("sensitivity is of two runs or more; one run has one place")
    order = places["setting"].unique(maintain_order=True).to_list()
    panels, charts, names = [], [], []
    for part in parameters.partition_by("measure", maintain_order=True):
        extremes = [setting for setting in order if setting in {*part["setting_a"], *part["setting_b"]}]
        rows = places.filter(pl.col("setting").is_in(extremes)).rename({"setting": "column", "mean": "value"})
        names.append(re.sub(r"\(.*\)", "", extremes[0]))
        panels.append(rows)
        charts.append(bump(rows, _heads(extremes), title=names[-1]))
    described = [
        f"{row['measure']}, {row['parameter']}: tau-b from {row['lowest']:.3f}, on average {row['mean']:.3f}; "
        + (f"{row['run']} moves furthest, {counted(row['furthest'], 'place')}" if row["furthest"] else "no run moves")
        for row in parameters.iter_rows(named=True)
    ]
    columns = max(1, int(WIDEST // (max(chart["width"] for chart in charts) + GAP)))
    runs = places["run"].n_unique()
    return Drawing(
        charts[0]
        if len(charts) == 1
        else concat(*charts, columns=columns, spacing=GAP, resolve=independent("color", "strokeDash")),
        f"Places of {runs} runs by settings of {', '.join(names)}",
        f"{'. '.join(described)}. Over all settings shown, {moved(pl.concat(panels))}.",
        (
            *said_of(panels),
            f"Of {counted(len(order), 'setting')}, for each parameter the two, differing in it alone, between which a "
            "run moves furthest.",
        ),
    )


def _heads(settings: Sequence[str]) -> dict[str, list[str]]:
    """Write what stands above each setting: its parameters, one a line.

    >>> _heads(["RBP(p=0.5,rel=2)", "RBP(p=0.9)"])
    {'RBP(p=0.5,rel=2)': ['p=0.5', 'rel=2'], 'RBP(p=0.9)': ['p=0.9', 'rel as usual']}
    """
    given = {setting: _parameters(setting) for setting in settings}
    known = list(dict.fromkeys(name for each in given.values() for name in each))
    return {
        setting: [f"{name}={each[name]}" if name in each else f"{name} as usual" for name in known]
        for setting, each in given.items()
    }


def _parameters(setting: str) -> dict[str, str]:
    """Read the parameters of a setting off its name.

    >>> _parameters("nDCG(base=2,gains={1:1,2:4})@100"), _parameters("AP")
    ({'base': '2', 'gains': '{1:1,2:4}'}, {})
    """
    inner = setting.partition("(")[2].rpartition(")")[0]
    parts, depth = [""], 0
    for letter in inner:
        depth += (letter in "{[(") - (letter in ")]}")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return {name.strip(): value for name, _, value in (part.partition("=") for part in parts if part)}
