"""Which measures rank the runs in the same order."""

from __future__ import annotations

from cranfield.plots.correlations import correlation_map, in_bold, neighbours
from cranfield.plots.grammar import field
from cranfield.plots.plot import Drawing, plot
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

KINDS = {
    "tau_b": "Kendall's tau-b",
    "tau_a": "Kendall's tau-a",
    "tau_ap": "tau_AP",
    "tau_ap_symmetric": "symmetric tau_AP",
    "spearman": "Spearman's rho",
    "pearson": "Pearson's r",
}
"""What the kinds of correlation are called in full."""


@plot(of="correlation")
def measure_correlation(matrix: pl.DataFrame, pairs: pl.DataFrame, settings: pl.DataFrame) -> Drawing:
    """Which measures rank the runs in the same order, and which see something else?

    A cell is the correlation of the runs' means by two measures. Measures that are alike stand side
    by side, so that families show as dark blocks. Cells tell their interval, too.

    Paper: Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), "The Twist measure for IR
    evaluation", JASIST 67(3), Table 3, as a heat map.
    """
    names = matrix["measure"].to_list()
    of_kind = settings.filter(pl.col("name") == "kind")["value"].to_list()
    kind = KINDS.get(of_kind[0], of_kind[0]) if of_kind else "correlation"
    order = neighbours(names, matrix.drop("measure").to_numpy().tolist())
    ends = pairs.select(across="measure_a", down="measure_b", low="low", high="high")
    both = pl.concat([ends, ends.rename({"across": "down", "down": "across"}).select(ends.columns)])
    rows = matrix.unpivot(index="measure", variable_name="across", value_name="value").rename({"measure": "down"})
    rows = rows.join(both, on=["across", "down"], how="left", maintain_order="left")
    tips = [field("low:Q", format=".4f"), field("high:Q", format=".4f")]
    share = settings.filter(pl.col("name") == "top")["value"].to_list()
    best = "" if not share or float(share[0]) == 1 else f", the best {float(share[0]):.0%} by mean AP"
    runs = f"{counted(pairs['runs'][0], 'run')}{best}"
    ranked = pairs.sort("correlation", descending=True, nulls_last=True, maintain_order=True)
    most, least = ranked.row(0, named=True), ranked.row(-1, named=True)
    said = "{0[measure_a]} and {0[measure_b]} ({0[correlation]:.3f})"
    described = f"Of {counted(len(names), 'measure')} the most alike are {said.format(most)}"
    if pairs.height > 1:
        described += f", the least {said.format(least)}"
    return Drawing(
        correlation_map(rows, order, order, kind, tips),
        "How similarly measures rank the runs",
        f"{described}; over {runs}.",
        (f"{kind} of the means of {runs}.", *in_bold(rows)),
    )
