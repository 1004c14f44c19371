"""Take pictures of what people see, to judge it by eye: `python -m tools.look FOLDER`.

Of each kind of result there is a picture of a notebook, light and dark, and of a terminal, wide and
narrow. It takes chromium, and data that are simulated here.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

import cranfield as cf
from cranfield.campaigns import simulate, write_campaign
from cranfield.experiments import EXPERIMENTS
from cranfield.judged.audit import Audit
from cranfield.results.result import Result
from cranfield.results.sheet import Sheet
from cranfield.results.terminal import show
from cranfield.selection.stop_rules import BudgetSpent

GROUNDS = {"light": ("#fff", "#1f2328"), "dark": ("#0d1117", "#e6edf3")}
"""Background and text."""
WIDTHS = {"wide": 110, "narrow": 50}
"""Characters in a line of the terminal."""


def results(folder: Path) -> Iterator[tuple[str, Result, Sheet | None]]:
    """Make a result of each kind; the sheet is what a terminal shows, None where it is sentences."""
    write_campaign(simulate(systems=9, topics=12, depth=100, seed=1), folder)
    qrels = cf.to_dict(cf.read_qrels(folder / "qrels.txt"))
    runs = {name: cf.to_dict(run) for name, run in cf.read_runs(folder / "runs").items()}
    names = ["bm25", "bm25+rm3", "dense <ANCE>", "splade", "monoT5", "hybrid", "query-likelihood", "tf.idf", "random"]
    runs = dict(zip(names, runs.values(), strict=True))
    qrels["99"] = {"nothing": 0}
    runs["tf.idf"].pop(next(iter(runs["tf.idf"])))
    runs["random"] = {topic: dict.fromkeys(run, 1.0) for topic, run in runs["random"].items()} | {"0": {"x": 1.0}}
    few = {name: runs[name] for name in names[:5]}

    scores = cf.evaluate(qrels, runs, ["AP", "nDCG@10", "P@10", "RR", "ASL", "NumRelRet"], rel=2)
    yield "scores", scores.sorted_by(), scores.sorted_by().sheet()
    by_topic = cf.evaluate(qrels, few, ["AP", "nDCG@10"])
    yield "scores-per-topic", by_topic, by_topic.sheet(per_topic=True)
    bounded = cf.evaluate(qrels, few, ["AP", "nDCG@10", "RBP(p=0.8)", "NumRel"], bounds=True)
    yield "bounds", bounded, bounded.sheet()
    compared = cf.compare(qrels, few, ["AP", "nDCG@10", "P@10"], correction="none").sorted_by()
    yield "compare", compared, compared.sheet()
    yield "compare-pairs", compared, compared.sheet(layout="pairs")
    against = cf.compare(qrels, runs, ["AP", "nDCG@10"], baseline="bm25")
    yield "compare-baseline", against, against.sheet()
    many = {f"{name}-{i}": run for i in range(4) for name, run in runs.items()}
    numbered = cf.compare(qrels, many, ["AP", "P@10"], correction="none")
    yield "compare-many", numbered, numbered.sheet()
    curves = cf.curve(qrels, few, "nDCG", last_rank=20)
    yield "curves", curves, curves.sheet()
    yield "audit", scores.audit, None
    found = EXPERIMENTS["correlation"](cf.join(qrels, runs), ["AP", "RR", "P@10"], resamples=50)
    yield "findings", found, found.sheet()
    axioms = EXPERIMENTS["axioms"](["AP", "P@10"])
    yield "findings-long-text", axioms, axioms.sheet()
    judging = cf.Judging(few, "RBP(p=0.8)", top_grade=1)
    for _ in range(20):
        [chosen] = judging.next()
        judging.record(chosen.topic, chosen.document, min(qrels.get(chosen.topic, {}).get(chosen.document, 0), 1))
    status = judging.status([BudgetSpent(20)])
    yield "status", status, status.sheet()
    candidates = cf.Candidates.gather(few)
    grades = {topic: dict.fromkeys((d for run in few.values() for d in run.get(topic, ())), 1) for topic in qrels}
    estimated = cf.estimate(candidates, cf.uniform_sample(candidates, 20), grades, ["P@10", "NumRel"])
    yield "estimates", estimated, estimated.sheet()


def main(folder: Path) -> None:
    """Write the pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for name, result, sheet in results(Path(scratch) / "campaign"):
            for ground, (paper, ink) in GROUNDS.items():
                body = f"<body style='background:{paper};color:{ink};font-family:system-ui,sans-serif;font-size:14px'>"
                _picture(f"<meta charset=utf-8>{body}{result._repr_html_()}", folder / f"{name}-{ground}.png")
            for size, width in WIDTHS.items():
                _picture(_terminal(result, sheet, width), folder / f"{name}-{size}.png")


def _terminal(result: Result, sheet: Sheet | None, width: int) -> str:
    """Draw a terminal with the result on it."""
    console = Console(record=True, width=width, file=StringIO(), force_terminal=True, emoji=False, highlight=False)
    if isinstance(result, Audit) or sheet is None:
        console.print(Text(str(result)))
    else:
        show(sheet, console=console)
    return console.export_svg(title="cranfield")


def _picture(page: str, file: Path) -> None:
    """Let chromium draw a page."""
    browser = shutil.which("chromium")
    if browser is None:
        sys.exit("chromium is needed for pictures")
    with tempfile.NamedTemporaryFile("w", suffix=".html", encoding="utf-8") as written:
        written.write(page)
        written.flush()
        options = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1100,1400")
        command = [browser, *options, f"--screenshot={file}", f"file://{written.name}"]
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603


if __name__ == "__main__":
    main(Path(sys.argv[1]))
