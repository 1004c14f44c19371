"""What lists lose that are cut with a guarantee, beside what the plain threshold loses."""

from __future__ import annotations

from cranfield.plots.grammar import Spec, chart, concat, field, layer, mark
from cranfield.plots.plot import Drawing, plot
from cranfield.plots.theme import COLOURS, INK, SHAPES, named
from cranfield.plots.walks import OWN_SCALES
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted

GUARANTEED, PLAIN = "with a guarantee", "plain threshold"
KINDS = [GUARANTEED, PLAIN]


@plot(of="cut-guarantee")
def cut_guarantee(runs: pl.DataFrame) -> Drawing:
    """Do lists that are cut with a guarantee lose no more than promised, and do those that are not?

    A point is a run: its mean loss over random splits of the topics, on those that the rule did not
    learn on. There is a panel for each level, with a line at it: what is guaranteed stays to the
    left of the line, apart from chance, and the plain threshold lies around it or beyond. Of several measures
    the first is shown.

    Paper: Angelopoulos, Bates, Fisch, Lei and Schuster (2024), "Conformal risk control", ICLR,
    section 3, which shows such losses as histograms.
    """
    measure = runs["measure"][0]
    shown = runs.filter(measure=measure)
    rows = pl.concat([
        shown.select("run", "rule", "level", "kept", loss="lost", error="error", threshold=pl.lit(GUARANTEED)),
        shown.select("run", "rule", "level", "kept", loss="plain", error="plain_error", threshold=pl.lit(PLAIN)),
    ])  # fmt: skip
    levels = shown["level"].unique().sort().to_list()
    says = [f"A point is one of {counted(shown['run'].n_unique(), 'run')}; the line is the level to hold."]
    if (others := runs["measure"].n_unique() - 1) > 0:
        says.append(f"The first of {others + 1} measures.")
    return Drawing(
        concat(
            *(_panel(rows.filter(level=level), level, measure) for level in levels),
            columns=3,
            spacing=24,
            usermeta=OWN_SCALES,
        ),
        f"What cut lists lose by {measure}, on topics that their rule did not learn on",
        " ".join(_described(rows.filter(level=level), level) for level in levels),
        tuple(says),
    )


def _panel(rows: pl.DataFrame, level: float, measure: str) -> Spec:
    rules = rows["rule"].unique(maintain_order=True).to_list()
    points = chart(
        mark("point", size=40, opacity=0.75, strokeWidth=1.5),
        data=rows.drop("level"),
        x=field("loss:Q", title=f"share of {measure} lost", scale={"zero": False, "nice": True}),
        y=field("rule:N", title=None, sort=rules),
        yOffset=field("threshold:N", sort=KINDS),
        color=field("threshold:N", title=None, scale=named(KINDS, (COLOURS[0], COLOURS[1]))),
        shape=field("threshold:N", title=None, scale=named(KINDS, SHAPES[:2])),
        tooltip=[
            "run:N",
            "rule:N",
            "threshold:N",
            field("loss:Q", format=".4f"),
            field("error:Q", format=".4f"),
        ],
    )
    line = chart(mark("rule", color=INK, strokeWidth=1.5), data=pl.DataFrame({"loss": [level]}), x="loss:Q")
    title = {"text": f"at most {level:g}", "fontSize": 12, "offset": 6}
    return layer(line, points, width=220, height=34 * len(rules), title=title)


def _described(rows: pl.DataFrame, level: float) -> str:
    ends = []
    for kind in KINDS:
        loss = rows.filter(threshold=kind)["loss"].to_numpy()
        ends.append(f"{kind} {loss.min():.4f} to {loss.max():.4f}")
    return f"Level {level:g}: {', '.join(ends)}."
