"""What is certain of runs, and what unjudged documents, or other topics, leave open."""

from __future__ import annotations

import re

from cranfield.plots.few import best_middle_worst, ends_told, said_of
from cranfield.plots.grammar import Spec, between, chart, field, grid, hconcat, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, INK, STROKES, by_name
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.scope import Scope
from cranfield.plumbing.tables import COLLECTION
from cranfield.plumbing.wording import counted

_MOST_RUNS = 60  # More rows than that do not fit on a page
FEW_RANKS = 12
"""How many ranks each have a tick of their own."""
WIDTHS = (2, 7)  # Of the lines, in points: of what is likely, and of what is certain
_ALIKE = Scope().on_others().alike
_ABOVE = {**STROKES, "orient": "top", "labelLimit": 0}
_PARTS = ("RBP", "RBPResidual", "RBPProjected")
LIKELY, _CERTAIN = f"likely {_ALIKE}", "certain, by unjudged documents in these runs"


@plot(of="certificate")
def certificate(ranks: pl.DataFrame, settings: pl.DataFrame) -> Drawing:
    """Which ranks are certain, and which are likely?

    The mark is a run's rank. The thick line spans its possible ranks, whatever grades the unjudged documents have; the
    thin one its likely ranks on other topics of the same kind, for all runs at once. Where that begins at 1, the run
    ties with the leader.
    """
    parts, asked = ranks.partition_by("measure", maintain_order=True), dict(settings.iter_rows())
    scope = Scope().graded(complete=asked.get("complete") == "yes")
    runs, known = parts[0].height, ranks["certain_from"].null_count() == 0  # not of scores alone
    corrected = " with Holm's correction over the pairs" * (runs > 2)
    tests = f"paired {'cluster-robust ' * (asked.get('clusters') not in (None, 'None'))}t-tests{corrected}"
    thick = "Thick: ranks possible once everything in these runs is judged. " * known
    by_t = [_counted(part, "may_lead_by_t") + (f" by {part['measure'][0]}" if parts[1:] else "") for part in parts]
    return Drawing(
        grid([_ranks(part.head(_MOST_RUNS), runs) for part in parts], columns=2, spacing=24),
        " and ".join(
            f"{rows['may_lead'].sum()} of {counted(rows.height, 'run')} may lead by {rows['measure'][0]}"
            for rows in parts
        ),
        " ".join(_fixed(part, scope if known else None, tests) for part in parts),
        f"{thick}Thin: simultaneous interval over topics.",
        f"By {tests}, {', '.join(by_t)} may lead.",
        f"The first {_MOST_RUNS} of {runs} runs." if runs > _MOST_RUNS else "",
    )


def _counted(rows: pl.DataFrame, which: str) -> str:
    return counted(int(rows[which].sum()), "run")


def _ranks(rows: pl.DataFrame, runs: int) -> Spec:
    run = field("run:N", sort=rows["run"].to_list(), title=None)
    ground = between(0.5, runs + 0.5)
    axis = {"format": "d"} | ({"values": list(range(1, runs + 1))} if runs <= FEW_RANKS else {})
    lines = pl.concat(
        rows.select("run", "rank", first=f"{kind}_from", last=f"{kind}_to", interval=pl.lit(name))
        for kind, name in (("likely", LIKELY), ("certain", _CERTAIN))
    ).with_columns(pl.col("first") - 0.35, pl.col("last") + 0.35, lowest="first", highest="last")
    kinds = (LIKELY, _CERTAIN) if rows["certain_from"].null_count() == 0 else (LIKELY,)
    span = {
        "x": field("first:Q", title=f"rank by {rows['measure'][0]}", scale=ground, axis=axis),
        "x2": "last",
        "y": run,
        "color": field("interval:N", scale=by_name(kinds, (COLOURS[4], COLOURS[0])), legend=_ABOVE),
        "strokeWidth": {**field("interval", scale=by_name(kinds, WIDTHS), legend=_ABOVE), "type": "ordinal"},
        "tooltip": ["run:N", "rank:Q", "interval:N", "lowest:Q", "highest:Q"],
    }
    tick = mark("tick", color=INK, thickness=2, size=12)
    return layer(
        *(chart(mark("rule", strokeCap="butt"), data=lines.filter(interval=name), **span) for name in kinds),
        chart(tick, data=rows, x="rank:Q", y=run, tooltip=["run:N", "rank:Q"]),
        width=420,
        height={"step": 15},
    )


def _fixed(rows: pl.DataFrame, scope: Scope | None, tests: str) -> str:
    fixed, settled = (
        rows.filter(pl.col(f"{kind}_from") == pl.col(f"{kind}_to")).height for kind in ("certain", "likely")
    )
    ranks = counted(rows.height, "rank")
    says = f"{settled} of {ranks} {'is' if settled == 1 else 'are'} settled {_ALIKE}"
    if scope is not None:
        says = f"{fixed} of {ranks} {'is' if fixed == 1 else 'are'} certain, {scope.whatever}, and {settled} {_ALIKE}"
    return (
        f"By {rows['measure'][0]}, {says}; {_counted(rows, 'may_lead')} may lead, {rows['run'][0]} first "
        f"({_counted(rows, 'may_lead_by_t')} by {tests})."
    )


@plot(of="scores", measures=("RBP(p=0.8)", "RBPResidual(p=0.8)", "RBPProjected(p=0.8)"), beside=True)
def residuals(means: pl.DataFrame) -> Drawing:
    """How much of each run's score is known, and how much could unjudged documents add?

    The dark bar is the base, the part of rank-biased precision that is certain; the light bar is the residual, its
    possible gain if all unjudged documents were relevant; the mark is the projection, its value if they were relevant
    as often as the judged ones. Runs are ordered by the base, the best first, or, as in the paper, by AP if it is among
    the measures. Collections of the same runs, before and after more was judged, are side by side in the first's order.

    Paper: Moffat, Webber and Zobel (2007), "Strategic system comparisons via targeted relevance
    judgments", SIGIR, Figures 1 to 3.
    """
    measured = means["measure"].unique(maintain_order=True).to_list()
    # By their names without parameters and cutoff.
    named = {name: [each for each in measured if re.split(r"[(@]", each)[0] == name] for name in (*_PARTS, "AP")}
    if lacking := [name for name in _PARTS if len(named[name]) != 1]:
        raise InputError(
            f"residuals needs {', '.join(_PARTS)}, one of each; of {lacking[0]} there are {len(named[lacking[0]])}. "
            "Name all three with the same p, or no measure at all"
        )
    parts = means.partition_by(COLLECTION, maintain_order=True) if COLLECTION in means.columns else [means]
    collections = {part[COLLECTION][0] if COLLECTION in part.columns else "": _rows(part, named) for part in parts}
    name, first = next(iter(collections.items()))
    alike = all(set(rows["run"]) == set(first["run"]) for rows in collections.values())
    if alike:
        order = first.select("run")
        collections = {each: order.join(rows, on="run", maintain_order="left") for each, rows in collections.items()}
    of_first = f" of {name}" if len(collections) > 1 and alike else ""
    by = (named["AP"] or ["the base"])[0] + of_first
    charts = [
        _bars(rows[best_middle_worst(rows.height, _MOST_RUNS)], name, names=not (place and alike))
        for place, (name, rows) in enumerate(collections.items())
    ]
    return Drawing(
        charts[0] if len(charts) == 1 else hconcat(*charts, spacing=30, resolve={"scale": {"x": "shared"}}),
        "The certain part of each run's RBP, and what unjudged documents could add",
        " ".join(f"{name}: {_largest(rows)}" if name else _largest(rows) for name, rows in collections.items()),
        f"Base, residual and projection of {named['RBP'][0]}; ordered by {by}.",
        *said_of(max(rows.height for rows in collections.values()), _MOST_RUNS),
    )


def _rows(means: pl.DataFrame, named: dict[str, list[str]]) -> pl.DataFrame:
    """Return a row for each run, in order: its base, residual, projection, and top."""
    table = means.pivot("measure", index="run", values="value", maintain_order=True)
    parts = [pl.col(named[name][0]).alias(name) for name in _PARTS]
    order = pl.col((named["AP"] or named["RBP"])[0]).alias("order")
    rows = table.select("run", *parts, order).with_columns(top=pl.col("RBP") + pl.col("RBPResidual"))
    return rows.sort("order", descending=True, maintain_order=True)


def _bars(rows: pl.DataFrame, name: str, *, names: bool) -> Spec:
    long = rows.unpivot(["RBP", "RBPResidual"], index=["run", "top"], variable_name="part", value_name="value")
    named = pl.col("part").replace_strict({"RBP": "base", "RBPResidual": "residual"})
    long = long.with_columns(named, place=pl.col("part").replace_strict({"RBP": 0, "RBPResidual": 1}))
    run = field("run:N", sort=rows["run"].to_list(), title=None, axis={"labels": names})
    value = field("value:Q", title="rank-biased precision", stack="zero")
    parts = field("part:N", title=None, scale=by_name(("base", "residual"), (COLOURS[0], "#bcd7ea")))
    projected = rows.select("run", value="RBPProjected", mark=pl.lit("projection"))
    title = {"title": {"text": name, "fontSize": 12, "offset": 6}} if name else {}
    return layer(
        chart(
            mark("bar"), data=long, x=value, y=run, color=parts, order="place:Q",
            tooltip=["run:N", "part:N", "value:Q .4f"],
        ),
        chart(
            mark("point", size=45, strokeWidth=2, filled=False), data=projected, x="value:Q", y=run,
            shape=field("mark:N", title=None, scale={"range": ["diamond"]}), color={"value": INK},
            tooltip=["run:N", "value:Q .4f"],
        ),
        width=300 if name else 420, height={"step": 14}, **title,
    )  # fmt: skip


def _largest(rows: pl.DataFrame) -> str:
    first, widest = rows.row(0, named=True), rows.sort("RBPResidual", descending=True, maintain_order=True)
    best, largest = (
        ends_told(of["run"].to_list(), of[by].to_list())[0] for of, by in ((rows, "order"), (widest, "RBPResidual"))
    )
    return (
        f"The first of {counted(rows.height, 'run')} {best}, with a base of {first['RBP']:.3f}, a residual of "
        f"{first['RBPResidual']:.3f} and a projection of {first['RBPProjected']:.3f}; the largest residual is "
        f"{widest['RBPResidual'][0]:.3f}, of {largest.partition(' ')[2]}."
    )
