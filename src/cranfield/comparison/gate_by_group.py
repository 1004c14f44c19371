"""A gate within groups of topics: in none of them may the new run be worse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cranfield.comparison.verdicts import could_be_within, decided, p_of
from cranfield.measures.framework.measure import Measure
from cranfield.pairs.pair import Rivals
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import did_you_mean, named
from cranfield.scoring.grouping import Group, is_small
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.scoring.panel import Panel
from cranfield.statistics.verdicts import AS_JUDGED, DECIDED, decided_by


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


def rows_by_group(
    joined: JudgedRuns,
    measures: Sequence[Measure],
    panel: Panel,
    picked: Sequence[Group],
    of_groups: Sequence[float],
    alpha: float,
    *,
    relative: bool,
) -> pl.DataFrame:
    """Ask the same of each group of topics, with its margin, corrected over groups and measures."""
    parts = [panel.of_topics(group.topics) for group in picked]
    margins = [
        margin * (np.abs(part.averages[:, 0]) if relative else np.ones(len(panel.measures)))
        for margin, part in zip(of_groups, parts, strict=True)
    ]
    large = np.repeat([not is_small(group) for group in picked], len(panel.measures))
    low, high = (np.full(len(large), np.nan) for _ in range(2))
    p, differences = np.full((len(DECIDED), len(large)), np.nan), []
    for at, (part, allowed) in enumerate(zip(parts, margins, strict=True)):
        cells = slice(at * len(panel.measures), (at + 1) * len(panel.measures))
        apart = part.values[:, 1] - part.values[:, 0]
        differences.append(part.averages[:, 1] - part.averages[:, 0])
        if large[cells].all():
            p[:, cells] = p_of(apart, allowed[:, np.newaxis], part.weight_of_topic)
            found = decided(apart, allowed, alpha, weights=part.weight_of_topic)
            low[cells], high[cells] = found.low, found.high
    verdicts = np.full(len(large), None, object)
    if large.any():
        found = decided_by(p[:, large], low[large], high[large], alpha)
        verdicts[large] = found.verdicts
        for cell in np.flatnonzero(verdicts == "worse").tolist():
            part, m = parts[cell // len(measures)], cell % len(measures)
            pair = Rivals(joined, part.topics, part.weight_of_topic).of(measures[m], 1, 0)
            known = not panel.logarithmic[m] and not joined.grading.judged_only
            apart, allowed = part.values[m, 1] - part.values[m, 0], margins[cell // len(measures)][m]
            if known and could_be_within(pair, apart, allowed):
                verdicts[cell] = AS_JUDGED
        p[:, large] = found.p_better, found.p_not_worse, found.p_worse
    columns: dict[str, object] = {
        "grouping": np.repeat([group.grouping for group in picked], len(panel.measures)),
        "group": np.repeat([group.name for group in picked], len(panel.measures)),
        "of_topics": np.repeat([len(group.topics) for group in picked], len(panel.measures)),
        "measure": list(panel.measures) * len(picked),
        "base": [panel.runs[0]] * len(large),
        "new": [panel.runs[1]] * len(large),
        "mean_base": np.concatenate([part.means[:, 0] for part in parts]),
        "mean_new": np.concatenate([part.means[:, 1] for part in parts]),
        "difference": np.concatenate(differences),
        "low": low,
        "high": high,
        "margin": np.concatenate(margins),
        "p_better": p[0],
        "p_not_worse": p[1],
        "p_worse": p[2],
        "verdict": pl.Series(verdicts.tolist(), dtype=pl.String),
    }
    return pl.DataFrame(columns, nan_to_null=True)
