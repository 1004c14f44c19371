"""What is known of each run, and what is open."""

from __future__ import annotations

from cranfield.plots.few import best_middle_worst, said_of
from cranfield.plots.grammar import Spec, chart, field, hconcat, layer, mark
from cranfield.plots.plot import COLLECTION, Drawing, plot
from cranfield.plots.theme import COLOURS, INK, named
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

MOST_RUNS = 60
"""More rows than that do not fit on a page."""
PARTS = ("RBP", "RBPResidual", "RBPProjected")


@plot(of="scores", measures=("RBP(p=0.8)", "RBPResidual(p=0.8)", "RBPProjected(p=0.8)"), beside=True)
def residuals(means: pl.DataFrame) -> Drawing:
    """How much of each run's score is known, and how much could unjudged documents add?

    The dark bar is the base, what rank-biased precision is sure of; the light one the residual,
    what it would rise by if all unjudged documents were relevant; the mark the projection, if they
    were relevant as often as the judged ones. Runs are ordered by the base, the best first, or, as in
    the paper, by AP where that is asked for too. Several collections of the same runs, before more
    was judged and after, stand side by side in the order of the first.

    Paper: Moffat, Webber and Zobel (2007), "Strategic system comparisons via targeted relevance
    judgments", SIGIR, Figures 1 to 3.
    """
    measured = means["measure"].unique(maintain_order=True).to_list()
    named = {name: [each for each in measured if _base(each) == name] for name in (*PARTS, "AP")}
    lacking = [name for name in PARTS if len(named[name]) != 1]
    if lacking:
        raise InputError(
            f"residuals needs {', '.join(PARTS)}, one of each; of {lacking[0]} there are {len(named[lacking[0]])}. "
            "Name all three with the same p, or no measure at all"
        )
    if COLLECTION not in means.columns:
        collections = {"": _rows(means, named)}
    else:
        parts = means.partition_by(COLLECTION, maintain_order=True)
        collections = {part[COLLECTION][0]: _rows(part, named) for part in parts}
    first = next(iter(collections.values()))
    alike = all(set(rows["run"]) == set(first["run"]) for rows in collections.values())
    if alike:
        collections = {
            name: first.select("run").join(rows, on="run", maintain_order="left") for name, rows in collections.items()
        }
    says = [f"Base, residual and projection of {named['RBP'][0]}; ordered by {(named['AP'] or ['the base'])[0]}."]
    if len(collections) > 1 and alike:
        says[0] = says[0].removesuffix(".") + f" of {next(iter(collections))}."
    says += said_of(max(rows.height for rows in collections.values()), MOST_RUNS)
    charts = [
        _panel(rows[best_middle_worst(rows.height, MOST_RUNS)], name, names=not (place and alike))
        for place, (name, rows) in enumerate(collections.items())
    ]
    return Drawing(
        charts[0] if len(charts) == 1 else hconcat(*charts, spacing=30, resolve={"scale": {"x": "shared"}}),
        "What is known, and what is open",
        " ".join(f"{name}: {_described(rows)}" if name else _described(rows) for name, rows in collections.items()),
        tuple(says),
    )


def _rows(means: pl.DataFrame, named: dict[str, list[str]]) -> pl.DataFrame:
    """Return a row for each run, in order: its base, residual, projection, and top."""
    table = means.pivot("measure", index="run", values="value", maintain_order=True)
    parts = [pl.col(named[name][0]).alias(name) for name in PARTS]
    order = pl.col((named["AP"] or named["RBP"])[0]).alias("order")
    rows = table.select("run", *parts, order).with_columns(top=pl.col("RBP") + pl.col("RBPResidual"))
    return rows.sort("order", descending=True, maintain_order=True)


def _base(measure: str) -> str:
    """Return the name of a measure, without parameters and cutoff."""
    return measure.partition("(")[0].partition("@")[0]


def _panel(rows: pl.DataFrame, name: str, *, names: bool) -> Spec:
    long = rows.unpivot(["RBP", "RBPResidual"], index=["run", "top"], variable_name="part", value_name="value")
    long = long.with_columns(
        pl.col("part").replace_strict({"RBP": "base", "RBPResidual": "residual"}),
        place=pl.col("part").replace_strict({"RBP": 0, "RBPResidual": 1}),
    )
    run = field("run:N", sort=rows["run"].to_list(), title=None, axis={"labels": names})
    tip = field("value:Q", format=".4f")
    bars = chart(
        mark("bar"),
        data=long,
        x=field("value:Q", title="rank-biased precision", stack="zero"),
        y=run,
        color=field("part:N", title=None, scale=named(("base", "residual"), (COLOURS[0], "#bcd7ea"))),
        order="place:Q",
        tooltip=["run:N", "part:N", tip],
    )
    marks = chart(
        mark("point", size=45, strokeWidth=2, filled=False),
        data=rows.select("run", value="RBPProjected", mark=pl.lit("projection")),
        x="value:Q",
        y=run,
        shape=field("mark:N", title=None, scale={"range": ["diamond"]}),
        color={"value": INK},
        tooltip=["run:N", tip],
    )
    title = {"title": {"text": name, "fontSize": 12, "offset": 6}} if name else {}
    return layer(bars, marks, width=300 if name else 420, height={"step": 14}, **title)


def _described(rows: pl.DataFrame) -> str:
    first = rows.row(0, named=True)
    widest = rows.sort("RBPResidual", descending=True, maintain_order=True).row(0, named=True)
    return (
        f"First of {counted(rows.height, 'run')} is {first['run']} with a base of {first['RBP']:.3f}, a residual of "
        f"{first['RBPResidual']:.3f} and a projection of {first['RBPProjected']:.3f}; the largest residual is "
        f"{widest['RBPResidual']:.3f}, of {widest['run']}."
    )
