"""A gate within groups of topics: in none of them may the new run be worse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from cranfield.comparison.deciding import BASE, NEW, completions, differences, margins_in, opened
from cranfield.measures.framework.measure import Measure
from cranfield.pairs.pair import Rivals
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted, did_you_mean, named
from cranfield.results.programs import ends
from cranfield.scoring.grouping import Group, is_small
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.panel import Panel
from cranfield.statistics.conclusions import Together, conclude
from cranfield.statistics.intervals import within
from cranfield.statistics.on_paper import side


def margins_of(asked: float | Mapping[str, float], usual: float, picked: Sequence[Group]) -> list[float]:
    """Return the margin of each group: one for all, or its own, or else the usual one."""
    if not isinstance(asked, Mapping):
        return [asked] * len(picked)
    names = list(dict.fromkeys(group.name for group in picked))
    for name in asked:
        if name not in names:
            hint = did_you_mean(name, names) or f"; there are {named(names)}"
            raise InputError(f"group_margin names no group {name!r}{hint}")
    return [asked.get(group.name, usual) for group in picked]


def changes(rows: pl.DataFrame) -> Iterator[str]:
    """Name the largest fall and the largest rise of a mean in any group, whatever the test says of it."""
    for what, least, sign in (("fall", rows["difference"].arg_min(), -1), ("rise", rows["difference"].arg_max(), 1)):
        row = None if least is None else rows.row(least, named=True)
        if row is not None and side(sign * row["difference"]) > 0:
            change = f"{row['measure']} {row['difference']:+.4f}{ends(row.get('low'), row.get('high'))}"
            on = counted(row["of_topics"], "topic")
            yield f"Largest {what}: {row['grouping']} {row['group']}, {change} on {on}."


def rows_by_group(
    joined: JudgedRuns,
    measures: Sequence[Measure],
    panel: Panel,
    picked: Sequence[Group],
    of_groups: Sequence[float],
    alpha: float,
    *,
    relative: bool,
    seed: int | None,
) -> pl.DataFrame:
    """Ask the same of each group of topics, with its margin, corrected over groups and measures."""
    parts = [panel.of_topics(group.topics) for group in picked]
    margins = [margins_in(part, margin, relative=relative) for part, margin in zip(parts, of_groups, strict=True)]
    table = pl.DataFrame(
        {
            "grouping": np.repeat([group.grouping for group in picked], len(panel.measures)),
            "group": np.repeat([group.name for group in picked], len(panel.measures)),
            "of_topics": np.repeat([len(group.topics) for group in picked], len(panel.measures)),
            "measure": list(panel.measures) * len(picked),
            "base": panel.runs[BASE],
            "new": panel.runs[NEW],
            "mean_base": np.concatenate([part.means[:, BASE] for part in parts]),
            "mean_new": np.concatenate([part.means[:, NEW] for part in parts]),
            "difference": np.concatenate([part.averages[:, NEW] - part.averages[:, BASE] for part in parts]),
            "margin": np.concatenate(margins),
        }
    ).with_row_index()
    large = [at for at, group in enumerate(picked) if not is_small(group)]
    if not large:
        return table.drop("index").with_columns(pl.lit(None, pl.String).alias("verdict"))
    laid, draws = [], []
    for at in large:
        part = parts[at]
        rivals = None if joined.grading.judged_only else Rivals(joined, part.topics, part.weight_of_topic)
        open_ = opened(part, rivals, measures)
        laid.append(differences(part, open_))
        draws += [] if seed is None else [partial(completions(part, open_, seed), m) for m in range(len(measures))]
    judged, least, most = (Together(each) for each in zip(*laid, strict=True))
    allowed = np.concatenate([margins[at] for at in large])
    drawn = None if seed is None else lambda at: draws[at]()
    found = conclude(judged, allowed, alpha, least=least, most=most, drawn=drawn)
    ends = np.tile(panel.ends, (len(large), 1))
    tested = pl.DataFrame(
        {
            "index": np.flatnonzero(np.repeat(np.isin(np.arange(len(picked)), large), len(panel.measures))),
            "low": within(found.low, ends, differences=True),
            "high": within(found.high, ends, differences=True),
            "p": found.p,
            "p_adjusted": found.p_adjusted,
            "p_margin": judged.p(-allowed),
            "verdict": found.verdicts,
            "on_judged": found.on_judged,
            "holds": found.rungs,
        },
        schema_overrides={"index": pl.UInt32},
        nan_to_null=True,
    )
    rows = table.join(tested, on="index", how="left", maintain_order="left").drop("index")
    return rows.select(pl.exclude("margin", "p", "p_adjusted", "p_margin", "verdict", "on_judged", "holds"),
                          "margin", "p", "p_adjusted", "p_margin", "verdict", "on_judged", "holds")  # fmt: skip
