"""Figures 1 to 3: what each method leaves open of the runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from cranfield.measures.average_precision import AP
from cranfield.measures.user_models import RBP
from cranfield.plots import Material, plot_named
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import COLLECTION
from cranfield.reports.elements import Block, Picture, ReportTable, Words
from cranfield.reproductions.claim_estimates import tau_difference
from cranfield.reproductions.claims import Estimate, beside
from cranfield.reproductions.papers.targeted_judgments import (
    CAMPAIGN,
    DATA,
    FIVE,
    ONE_SESSION,
    PAPER,
    PER_TOPIC,
    RENEWED,
    SAME_SESSIONS,
    SESSION_METHODS,
    TEN,
    budget,
    method_name,
    of_sessions,
    sessions,
)  # fmt: skip
from cranfield.reproductions.study import Study, StudyFindings
from cranfield.results.sheet import Sheet, SheetColumn

_OTHERS: Final = (
    "In the paper 129 runs of TREC-8, 50 topics. As there, the qrels answer; documents they lack count as not "
    f"relevant. Budgets are the paper's for each topic ({', '.join(map(str, PER_TOPIC))} judgments), which go deeper "
    "with fewer runs. A grade gains its share of the largest one."
)
RESIDUAL: Final = f"mean residual of RBP, p = .8; {ONE_SESSION}"

LEAST_OPEN: Final = PAPER.claim(
    "it maximally reduces the average residual", where="section 3, of Method A and Figure 1",
    conditions=f"{DATA}; 5,000 of them made", estimand=RESIDUAL, asks="larger by each other method than by A",
    above=0, digits=4,
)  # fmt: skip
BOTTOM: Final = PAPER.claim(
    "error ranges are somewhat diminished at the bottom of the performance spectrum, but at the cost of increased "
    "score ranges elsewhere",
    where="section 3, of Method B and Figure 1", conditions=f"{DATA}; 5,000 of them made", estimand=RESIDUAL,
    asks="larger by A than by B in the last third of the runs, by B than by A in the first two",
    above=0, digits=4,
)  # fmt: skip
_TOP: Final = PAPER.claim(
    "even with just 5,000 judgments it is possible to get reasonable accuracy at the top of a 129-system comparison",
    where="section 4, of Method C and Figure 1", conditions=f"{DATA}; 5,000 of them made", estimand=RESIDUAL,
    asks="larger by each other method than by C in the first third of the runs", above=0, digits=4,
)  # fmt: skip


@of_sessions(
    "Figure 1", "The range of each run after 5,000 judgments (100 for each topic)", at=3.1, by=_OTHERS,
)  # fmt: skip
def figure_1(study: Study) -> Iterator[Block]:
    """Draw the ranges by each method."""
    found = sessions(study)
    ranges = found["ranges"].filter(budget=budget(study, FIVE))
    for pair in (SESSION_METHODS[:2], SESSION_METHODS[2:]):
        yield _ranges(study, found, ranges, {method: method_name(method) for method in pair})
    residual = {method: thirds(ranges.filter(method=method)) for method in SESSION_METHODS}
    yield LEAST_OPEN.told(study, _less(residual, "all", "A"))
    a, b = residual["A"], residual["B"]
    last = {"last third, A minus B:": a["last"] - b["last"]}
    yield BOTTOM.told(study, last | {f"{part} third, B minus A:": b[part] - a[part] for part in ("first", "middle")})
    yield _TOP.told(study, _less(residual, "first", "C"))
    rivals = {method_name(method): _rivals(ranges.filter(method=method)) for method in SESSION_METHODS}
    yield beside(
        "By pooling more than a dozen runs could still be better than the first by MAP.",
        f"Runs whose top is above its base: {', '.join(f'{count} by {method}' for method, count in rivals.items())}.",
    )
    titles = {"all": "all runs", "first": "first third", "middle": "middle third", "last": "last third"}
    shown = [SheetColumn("method", [method_name(method) for method in SESSION_METHODS])]
    shown += [
        SheetColumn(title, [four(residual[m][part]) for m in SESSION_METHODS], True) for part, title in titles.items()
    ]
    caption = "Mean residual, of all runs and of thirds of them in the order of mean AP."
    yield ReportTable("ranges", Sheet(tuple(shown), 1, caption), ranges, f"{found.command} --table ranges")


def _less(residual: dict[str, dict[str, float]], part: str, least: str) -> dict[str, float]:
    """Return by how much more each other method leaves open than one that should leave the least."""
    more = {method_name(method): of[part] - residual[least][part] for method, of in residual.items() if method != least}
    return {f"{method} minus {least}:": of for method, of in more.items()}


SUPERIOR: Final = PAPER.claim(
    "At 10,000 judgments, the error ranges are much reduced for all methods, but Method C remains clearly superior",
    where="section 4, of Figure 2", conditions=f"{DATA}; 10,000 of them made", estimand=RESIDUAL,
    asks="larger by each other method than by C in the first third of the runs", above=0, digits=4,
)  # fmt: skip
BOUND: Final = PAPER.claim(
    "In our tests, the projected upper bound on the RBP value at all judgments depths was always greater than the "
    '"final" lower bound after all 86,830 judgments.',
    where="section 4",
    estimand="times that a projection is below the final base, over runs, methods and budgets: a count",
    asks="none", below=0.5, digits=0,
)  # fmt: skip
DRASTIC: Final = PAPER.claim(
    "At 10,000 judgments, this projected value is little different from the full range for the better runs, but shows "
    "that, for the weaker runs, the upper bounds are drastic overestimates.",
    where="section 4, of Figure 2", conditions=f"{DATA}; 10,000 of them made",
    estimand=f"top minus projected value, mean over a third of the runs; {ONE_SESSION}",
    asks="larger in the last third than in the first", above=0, digits=4,
)  # fmt: skip


@of_sessions(
    "Figure 2", "The full and the projected range after 10,000 judgments (200 for each topic)", at=4.1,
    by=SAME_SESSIONS,
)  # fmt: skip
def figure_2(study: Study) -> Iterator[Block]:
    """Draw the ranges by Method C, and look whether projections are upper bounds."""
    found = sessions(study)
    every = found["ranges"]
    ranges = every.filter(budget=budget(study, TEN))
    yield _ranges(study, found, ranges, {"C": method_name("C")})
    residual = {method: thirds(ranges.filter(method=method)) for method in SESSION_METHODS}
    yield SUPERIOR.told(study, _less(residual, "first", "C"))
    final = every.filter(method="qrels").select("run", final="base")
    known = every.filter(pl.col("method").is_in(SESSION_METHODS)).join(final, on="run")
    failed = known.filter(pl.col("projected") < pl.col("final") - 1e-9)
    yield BOUND.told(study, {f"projections below the base, of {known.height:,}:": Estimate.counted(failed.height)})
    by_c = ranges.filter(method="C").sort("place").with_columns(over=pl.col("top") - pl.col("projected"))
    third = max(by_c.height // 3, 1)
    good, weak = (float(part["over"].to_numpy().mean()) for part in (by_c.head(third), by_c.tail(third)))
    says = f"{four(good)} in the first third, {four(weak)} in the last."
    yield DRASTIC.told(study, {"last third minus the first:": weak - good}, says)


OPEN_STILL: Final = PAPER.claim(
    "Even when all available judgments are used (Figure 3(b)), there are still non-trivial residuals for certain key "
    "runs",
    where="section 5, In the limit",
    estimand="runs with a mean residual of RBP, p = .95, above .01 (section 2's two digits) under all judgments: a "
    "count",
    asks="at least one", above=0, digits=0, of=replace(CAMPAIGN, runs=1), needs=(),
)  # fmt: skip
CLOSER: Final = PAPER.claim(
    "This higher value of p measures effectiveness in a way that more closely matches MAP.",
    where="section 5, In the limit", conditions=f"{DATA}; p = .95 and .8",
    estimand="τ_b of the run orders by RBP with p = .95 and by AP, minus that with p = .8: averaged over "
    "collections of as many topics; percentiles of drawn topics",
    asks="above 0", above=0, needs=(),
)  # fmt: skip


@of_sessions(
    "Figure 3", "Projected ranges for a more persistent user, p = .95", at=5.5,
    by="After 10,000 judgments (200 for each topic) by Method C, where what the qrels lack is not relevant, and with "
    f"all judgments, where it is unjudged. {SAME_SESSIONS}",
)  # fmt: skip
def figure_3(study: Study) -> Iterator[Block]:
    """Draw both."""
    amount = budget(study, TEN)
    renew = 1 if study.full else RENEWED
    found = study.experiment(
        "judging", methods=("C",), budgets=(amount,), p=0.95, evaluation_p=(0.95,), renew_every=renew
    )
    ranges = found["ranges"]
    yield _ranges(study, found, ranges, {"C": f"Method C, {amount:,} judgments", "qrels": "all judgments"}, p=0.95)
    judged = ranges.filter(method="qrels")
    widest = judged.sort("residual", descending=True, maintain_order=True).row(0, named=True)
    still = Estimate.counted(judged.filter(pl.col("residual") > 0.01).height)
    yield OPEN_STILL.told(
        study,
        {f"runs above .01, of {judged.height}:": still},
        f"The largest residual is {widest['residual']:.3f}, of {widest['run']}, number {widest['place']} by mean AP.",
    )
    ap, usual, patient = study.panel([AP(), RBP(p=0.8), RBP(p=0.95)]).values
    yield CLOSER.told(study, {"difference of τ_b": tau_difference((patient, ap), (usual, ap))})
    if not study.full:
        yield Words.of("Only the picture uses smaller sessions; both verdicts rest on all judgments.")


def thirds(ranges: pl.DataFrame) -> dict[str, float]:
    """Return the mean residual of all runs, and of thirds of them in the order of mean AP."""
    residual = ranges.sort("place")["residual"].to_numpy()
    parts: Sequence[np.ndarray] = np.array_split(residual, 3)
    return {"all": float(residual.mean())} | {
        name: float(part.mean()) if len(part) else 0.0
        for name, part in zip(("first", "middle", "last"), parts, strict=True)
    }


def _rivals(ranges: pl.DataFrame) -> int:
    """Count the runs whose top is above the base of the first run by mean AP."""
    ordered = ranges.sort("place")
    return int((ordered["top"][1:] > ordered["base"][0]).sum())


def four(residual: float) -> str:
    """Write a residual with four decimals, as the paper does; below them it is ``< 0.0001``."""
    return "< 0.0001" if 0 < residual < 0.00005 else f"{residual:.4f}"


def _ranges(
    study: Study, found: StudyFindings, ranges: pl.DataFrame, names: dict[str, str], *, p: float = 0.8
) -> Picture:
    """Draw the base, the residual and the projection of each run, by each method."""
    columns = {f"RBP(p={p:g})": "base", f"RBPResidual(p={p:g})": "residual", f"RBPProjected(p={p:g})": "projected"}
    scores = study.scores("AP")
    precision = pl.DataFrame({"run": scores.runs, "AP": scores.averages[0]})
    means = pl.concat(
        ranges.filter(method=method)
        .join(precision, on="run", maintain_order="left")
        .select(pl.lit(name).alias(COLLECTION), "run", "AP", **columns)
        .unpivot(index=[COLLECTION, "run"], variable_name="measure", value_name="value")
        for method, name in names.items()
    )
    if len(names) == 1:
        means = means.drop(COLLECTION)
    figure = plot_named("residuals").of(Material("scores", {"means": lambda: means}, found.findings.material().about))
    return Picture(figure, "Runs in the order of mean AP by all judgments.", f"{found.command} --table ranges")
