"""Correlations as a heat map with numbers: what its figures share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cranfield.plots.grammar import Spec, chart, field, layer, mark, when
from cranfield.plots.printing import AS_LARGE
from cranfield.plots.theme import COLOURS, DARK_ABOVE, DARK_FROM, DIVERGING, HALO, RISING, named
from cranfield.plumbing.lazy import pl

ALIKE, DIFFERENT = 0.9, 0.8
"""Voorhees (2001) takes rankings above the one as alike, and below the other as noticeably different."""
MOST_NUMBERS = 36
"""Numbers in smaller cells would not be legible."""


def neighbours(names: Sequence[str], correlations: Sequence[Sequence[float]]) -> list[str]:
    """Order names so that those that are alike stand side by side: the leaves of an average-linkage tree.

    >>> neighbours(["AP", "RR", "nDCG"], [[1, 0.2, 0.9], [0.2, 1, 0.3], [0.9, 0.3, 1]])
    ['AP', 'nDCG', 'RR']
    """
    if len(names) < 3:
        return list(names)
    from scipy.cluster.hierarchy import leaves_list, linkage

    matrix = np.nan_to_num(np.array(correlations, dtype=float))
    apart = (1 - (matrix + matrix.T) / 2)[np.triu_indices(len(names), 1)].clip(min=0.0)
    order = leaves_list(linkage(apart, "average", optimal_ordering=True))
    # Both directions are as good: the one with the first name nearer to the front is taken.
    order = order if list(order).index(0) <= len(names) // 2 else order[::-1]
    return [names[place] for place in order]


def correlation_map(
    rows: pl.DataFrame,
    across: Sequence[str],
    down: Sequence[str],
    title: str,
    tooltip: Sequence[str | Spec] = (),
) -> Spec:
    """Draw correlations."""
    most = max(len(across), len(down))
    size = 54 if most <= 8 else 40 if most <= 16 else 26 if most <= MOST_NUMBERS else 12
    low = rows["value"].min()
    negative = low is not None and float(low) < 0  # type: ignore[arg-type]
    scale = named([-1, 0, 1], DIVERGING) if negative else named([0, 0.5, 1], RISING)
    every = {} if size < 30 else {"labelOverlap": False}  # in print, too
    axis = {"labelAngle": -40 if size > 30 else -90, "orient": "bottom", **every}
    cell = {
        "x": field("across:N", sort=list(across), title=None, axis=axis),
        "y": field("down:N", sort=list(down), title=None, **({"axis": every} if every else {})),
        "tooltip": ["down:N", "across:N", field("value:Q", format=".4f", title=title), *tooltip],
    }
    layers = [chart(mark("rect", stroke=HALO), **cell, color=field("value:Q", title=title, scale=scale))]
    if most <= MOST_NUMBERS:
        ink = when(f"datum.value > {DARK_ABOVE if negative else DARK_FROM}", HALO, COLOURS[-1])
        number = cell | {"text": field("value:Q", format=".2f"), "color": ink}
        letters = 11 if size > 30 else 9
        alike, other = f"datum.value > {ALIKE}", f"isValid(datum.value) && datum.value <= {ALIKE}"
        layers += [
            chart(mark("text", fontWeight="bold", fontSize=letters), **number, where=[alike]),
            chart(mark("text", fontSize=letters), **number, where=[other]),
        ]
    narrow = len(layers) > 1 and size < 30  # numbers fill their cells
    return layer(
        *layers,
        data=rows,
        width={"step": size},
        height={"step": size if size < 30 else size * 0.62},
        view={"style": ["cell", AS_LARGE] if narrow else "cell"},
    )


def in_bold(rows: pl.DataFrame) -> tuple[str, ...]:
    """Say what numbers in bold mean, where there are any beside the diagonal."""
    beside = rows.filter(pl.col("across") != pl.col("down"))
    if rows["across"].n_unique() > MOST_NUMBERS or not (beside["value"] > ALIKE).any():
        return ()
    return (f"In bold: above {ALIKE:g}, equivalent by Voorhees (2001); below {DIFFERENT:g}, noticeably different.",)
