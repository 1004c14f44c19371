"""How similarly settings of measures rank the runs."""

from __future__ import annotations

from cranfield.plots.correlations import correlation_map, in_bold
from cranfield.plots.grammar import field
from cranfield.plots.plot import Drawing, plot
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted


@plot(of="sensitivity")
def sensitivity_matrix(matrix: pl.DataFrame, pairs: pl.DataFrame, parameters: pl.DataFrame) -> Drawing:
    """Which settings of measures rank the runs in the same order?

    A cell is Kendall's tau-b of the order of the runs under two settings. The settings of a measure
    stand together, so that the squares along the diagonal are what its parameters change, and the
    fields beside them whether two measures agree whatever their parameters are. Cells tell tau_AP
    and which run moves furthest, too.

    Paper: Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques", TOIS
    20(4), on weights and the base of the logarithm; Amigó, Mizzaro and Spina (2022), SIGIR, section
    3.4, on the size of the collection.
    """
    settings = matrix["setting"].to_list()
    found = pairs.select(across="setting_a", down="setting_b", tau_ap="tau_ap", furthest="furthest", moved="run")
    both = pl.concat([found, found.rename({"across": "down", "down": "across"}).select(found.columns)])
    rows = matrix.unpivot(index="setting", variable_name="across", value_name="value").rename({"setting": "down"})
    rows = rows.join(both, on=["across", "down"], how="left", maintain_order="left")
    tips = [
        field("tau_ap:Q", format=".4f", title="tau_AP"),
        field("furthest:Q", title="most places that a run moves"),
        field("moved:N", title="which run"),
    ]
    least = pairs.sort("tau", nulls_last=True, maintain_order=True).row(0, named=True)
    described = [
        f"{row['measure']}, {row['parameter']}: tau-b from {row['lowest']:.3f}, on average {row['mean']:.3f}"
        for row in parameters.iter_rows(named=True)
    ]
    lowest = f"The lowest of all is {least['tau']:.3f}, between {least['setting_a']} and {least['setting_b']}"
    return Drawing(
        correlation_map(rows, settings, settings, "Kendall's tau-b", tips),
        "How similarly settings of measures rank the runs",
        ". ".join([*described, lowest]) + ".",
        (f"{counted(len(settings), 'setting')}.", *in_bold(rows)),
    )
