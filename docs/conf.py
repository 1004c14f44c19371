"""How the documentation is built: ``sphinx-build -W docs docs/_build`` from the repository root."""

from __future__ import annotations

import sys
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]  # the pages' own modules, and tools

import as_built  # noqa: E402
import numpy as np  # noqa: E402
import polars as pl  # noqa: E402
from api_page import leave_out, readable_docstring, readable_signature, type_names, write_api_pages  # noqa: E402
from code_blocks import set_blocks  # noqa: E402
from commands_page import write_commands_pages  # noqa: E402
from experiments_page import write_experiments_pages  # noqa: E402
from formulas import set_formulas  # noqa: E402
from gallery_page import draw_figures, slim_figures, write_gallery_page  # noqa: E402
from notebooks_page import write_notebook_pages  # noqa: E402

from cranfield import __version__, agreement, evaluate, join, read_qrels, read_runs, searches  # noqa: E402
from cranfield.campaigns import simulate, write_campaign  # noqa: E402
from cranfield.experiments import EXPERIMENTS  # noqa: E402
from cranfield.plots import plot_named  # noqa: E402
from cranfield.plotting import plot, plot_collections  # noqa: E402
from cranfield.reports import report  # noqa: E402

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "cranfield"
author = "the cranfield authors"
copyright = author  # noqa: A001 - Sphinx calls it so
release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
default_role = "py:obj"  # `evaluate` in a docstring links to evaluate, and is code where there is nothing to link to
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
python_maximum_signature_line_length = 88
autodoc_type_aliases = type_names()
html_math_renderer = "mathml"
myst_heading_anchors = 3
smartquotes = False  # which would make a dash of the two in --option
exclude_patterns = ["_build"]
html_theme = "furo"
html_static_path = ["_static"]
html_extra_path = [name for name in ("front-light.svg", "front-dark.svg") if (HERE / name).exists()]  # <picture>
html_css_files = ["pages.css"]
html_sourcelink_suffix = ""  # llms.txt leads to the sources of pages, which are Markdown
html_search_scorer = str(HERE / "_static" / "scorer.js")
html_title = f"cranfield {release}"

write_experiments_pages(HERE)


def setup(app: Sphinx) -> None:
    """Read pages as they are built, and set signatures, docstrings, formulas and blocks of code as ours are written."""
    set_formulas(app)
    app.connect("source-read", as_built.read)
    app.connect("autodoc-process-signature", readable_signature)
    app.connect("autodoc-process-docstring", readable_docstring, priority=400)  # before napoleon
    app.connect("autodoc-skip-member", leave_out)
    app.connect("doctree-read", set_blocks, priority=900)
    app.connect("build-finished", write_llms)


def write_llms(app: Sphinx, failed: Exception | None) -> None:
    """Put ``llms.txt`` at the root of the built pages."""
    del failed
    Path(app.outdir, "llms.txt").write_text(as_built.llms((HERE / "llms.txt").read_text("utf-8")), "utf-8")


write_notebook_pages(HERE / "notebooks")
write_api_pages(HERE / "api")
write_commands_pages(HERE)

# The campaign that the chapters work on; their commands run in its folder while the pages are
# built.
EXAMPLE = HERE / "_build" / "example"
if not EXAMPLE.exists():
    write_campaign(simulate(systems=12, topics=25, depth=500, seed=7), EXAMPLE)

# The gallery, and the figures of the chapters.
RUNS = sorted((EXAMPLE / "runs").iterdir())
draw_figures(HERE, EXAMPLE)
# A report, whose commands run where the data are.
with chdir(EXAMPLE):
    example = report("qrels.txt", "runs", title="A simulated campaign")
example.save(HERE / "_static" / "example-report.html")
# What unjudged documents could change.
plot("leaderboard", EXAMPLE / "qrels.txt", RUNS, "nDCG@10", bounds=True).save(HERE / "figure-bounds.svg")
# Those of several measures, in the chapter on curves.
for name, measures in {
    "cumulated-gain": ["CG@100", "DCG@100", "nCG@100", "nDCG@100"],
    "recall-by-grade": ["IPrec(rel=1)", "IPrec(rel=2)"],
}.items():
    plot("curves", EXAMPLE / "qrels.txt", RUNS[:4], measures).save(HERE / f"figure-{name}.svg")

# Before and after judging: the pool of the first two documents of each run, and all judgments.
judged = read_qrels(EXAMPLE / "qrels.txt")
runs = read_runs(EXAMPLE / "runs")
top = pl.concat(run.sort("score", descending=True).group_by("query_id").head(2) for run in runs.values())
pool = judged.join(top, on=["query_id", "doc_id"], how="semi")
before_and_after = {"all judgments": join(judged, runs), f"{pool.height} judgments": join(pool, runs)}
plot_collections(plot_named("residuals"), before_and_after).save(HERE / "figure-before-and-after.svg")

# Questions without an answer: every third topic, whose relevant documents are taken out of the collection.
third = pl.col("query_id").is_in(judged["query_id"].unique(maintain_order=True).gather_every(3).implode())
gone, rest = judged.filter(third, pl.col("relevance") > 0), judged.filter(~third)
asked = judged["query_id"].unique(maintain_order=True).to_list()
answerable = join(rest, runs, topics_file=asked, exclude=gone, missing="empty").of_runs(sorted(runs)[:6])
plot_collections(plot_named("abstention"), {"": answerable}).save(HERE / "figure-abstention.svg")

# Agents that search up to six times for a question: each search returns the first five documents of another run.
orders = {"agent A": RUNS[:6], "agent B": RUNS[6:12]}
found = {
    agent: pl.concat(
        run.sort("score", descending=True).group_by("query_id").head(5).with_columns(call=pl.lit(number))
        for number, run in enumerate(read_runs([str(file) for file in order]).values(), start=1)
    ).filter(pl.col("call") <= pl.col("query_id").cast(pl.Int64) % 4 + 3)
    for agent, order in orders.items()
}
searches(judged, found).plot("gain-by-call").save(HERE / "figure-gain-by-call.svg")

# What came of the runs: an answer is right with a chance of nDCG@10.
came = evaluate(EXAMPLE / "qrels.txt", EXAMPLE / "runs", "nDCG@10").to_polars(per_topic=True)
came = came.filter(pl.col("topic") != "all")
right = pl.Series("correct", np.random.default_rng(7).random(came.height) < came["value"].to_numpy())
came.select("run", "topic", right).write_csv(EXAMPLE / "answers.csv")

# A second assessor, who is stricter with every third document.
stricter = pl.when(pl.int_range(pl.len()) % 3 == 0).then((pl.col("relevance") - 1).clip(0))
second = judged.with_columns(relevance=stricter.otherwise(pl.col("relevance")))
agreement({"first": judged, "second": second}).plot("assessor-confusion").save(HERE / "figure-assessor-confusion.svg")

# The same as a model judge: what it thinks of the runs, and what it saves experts.
second.write_csv(EXAMPLE / "model.csv")
campaign, model = join(judged, runs), (EXAMPLE / "model.csv",)
by_model = EXPERIMENTS["assessors"](campaign, ["P@10"], assessors=model)
for name in ("judge-leaderboard", "judge-orders"):
    by_model.plot(name).save(HERE / f"figure-{name}.svg")
EXPERIMENTS["expert-labels"](campaign, ["P@10"], cheap=model, samples=10).plot("interval-width").save(
    HERE / "figure-interval-width.svg"
)

# Ten documents that are not relevant, and thirty that are: Figure 1 of Amigó, Mizzaro and Spina (2022).
UTILITIES = ["DCGU", "ERRU", *(f"{name}(p={p}" for name in ("RBPU", "RBU") for p in (0.8, 0.9, 0.98))]
late = {f"d{rank:02}": int(rank > 10) for rank in range(1, 41)}
plot(
    "truncation-utility",
    {"1": late},
    {"late": {"1": list(late)}},
    [f"{name}(e=0.05)" if name.isalpha() else f"{name},e=0.05)" for name in UTILITIES],
).save(HERE / "figure-truncation-utility.svg")

slim_figures(HERE)
write_gallery_page(HERE / "gallery.md")
