"""``python -m benchmarks.scripts``: scripts as people have them, run before and after the change to cranfield.

Each script is a function here, named for the library that it is written for. It returns the numbers that it would
print. What changes is said by `Script.change`: one line before the script, a name in it, or the script itself. The
numbers before and after have to be equal. The time is that of the processor, child processes included, in turns, the
best of some. With ``--write`` the table goes into docs/coming-from.md, where the rows of scripts that cannot run here
stay: their libraries cannot all be installed together.

They run on the runs of TREC DL 2019 and TREC-8 in CRANFIELD_DATA; the script over trec_eval needs its program, whose
path is in TREC_EVAL.
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import click

import cranfield as cf
from cranfield.compat import pytrec_eval as ours

Numbers: TypeAlias = dict[str, float]
Nested: TypeAlias = dict[str, dict[str, Any]]

PAGE: Final = Path(__file__).parents[1] / "docs" / "coming-from.md"
MARKS: Final = ("<!-- scripts: python -m benchmarks.scripts --write -->\n", "<!-- end of scripts -->\n")
CLOSE: Final = 1e-6
"""How far numbers may be apart: pytrec_eval has scores of 32 bits, and so may sums."""


@dataclass(frozen=True)
class Script:
    """A script, before and after.

    Attributes
    ----------
    name, change
        What it is, and what is changed in it.
    missing
        Says what lacks to run it here, if anything.
    before, after
        Return its numbers.
    """

    name: str
    change: str
    missing: Callable[[], str]
    before: Callable[[], Numbers]
    after: Callable[[], Numbers]


SCRIPTS: Final[list[Script]] = []


def lacks(*modules: str) -> Callable[[], str]:
    """Return what says which of these are not installed."""
    return lambda: next((f"{each} is not installed" for each in modules if importlib.util.find_spec(each) is None), "")


def installed(name: str, *modules: str) -> Callable[[Callable[[], Numbers]], Callable[[], Numbers]]:
    """Register a script before which `install` is called."""

    def register(script: Callable[[], Numbers]) -> Callable[[], Numbers]:
        def after() -> Numbers:
            with ours.install():
                return script()

        SCRIPTS.append(Script(name, "`install()` before it", lacks(*modules), script, after))
        return script

    return register


def data(collection: str) -> Path:
    """Return where a collection is."""
    return Path(os.environ["CRANFIELD_DATA"]) / collection


@cache
def collection(name: str, runs: int) -> tuple[Nested, dict[str, Nested]]:
    """Read qrels, and the first few runs, as dicts."""
    qrels = cf.to_dict(cf.read_qrels(data(name) / "qrels.txt"))
    tables = [cf.read_runs(path) for path in sorted((data(name) / "runs").iterdir())[:runs]]
    whole = {topic: {document: int(grade) for document, grade in judged.items()} for topic, judged in qrels.items()}
    return whole, {run: cf.to_dict(table) for each in tables for run, table in each.items()}


@installed("BEIR's `EvaluateRetrieval.evaluate`", "beir", "pytrec_eval")
def beir() -> Numbers:
    """Three runs of TREC-8 at BEIR's cutoffs."""
    from beir.retrieval.evaluation import EvaluateRetrieval

    qrels, runs = collection("trec8-adhoc", 3)
    found: Numbers = {}
    for name, run in runs.items():
        for values in EvaluateRetrieval.evaluate(qrels, run, [1, 3, 5, 10, 100, 1000]):
            found |= {f"{name} {measure}": value for measure, value in values.items()}
    return found


@installed("MTEB's scores of a retrieval task", "mteb", "pytrec_eval")
def mteb() -> Numbers:
    """Three runs of TREC-8 at MTEB's cutoffs."""
    from mteb._evaluators.retrieval_metrics import calculate_retrieval_scores

    qrels, runs = collection("trec8-adhoc", 3)
    found: Numbers = {}
    for name, run in runs.items():
        scores = calculate_retrieval_scores(run, qrels, [1, 3, 5, 10, 20, 100, 1000])
        for part in ("ndcg", "map", "recall", "precision", "mrr"):
            values = getattr(scores, part)
            found |= {f"{name} {measure}": float(value) for measure, value in values.items()}
    return found


@installed("PyTerrier's `pt.Experiment`", "pyterrier", "pytrec_eval")
def pyterrier() -> Numbers:
    """Three runs of TREC-8 in frames, compared with the first."""
    import pandas as pd
    import pyterrier as pt

    qrels, runs = collection("trec8-adhoc", 3)
    judged = pd.DataFrame(_rows(qrels), columns=["qid", "docno", "label"])
    systems = [
        pt.Transformer.from_df(pd.DataFrame(_rows(run), columns=["qid", "docno", "score"])) for run in runs.values()
    ]
    topics = pd.DataFrame({"qid": list(qrels), "query": ""})
    found = pt.Experiment(
        systems, topics, judged, ["map", "ndcg_cut_10", "P_10", "recip_rank"],
        names=list(runs), baseline=0, correction="holm",
    )  # fmt: skip
    return {
        f"{row['name']} {column}": float(row[column])
        for row in found.to_dict("records")
        for column in found.columns
        if isinstance(row[column], float) and row[column] == row[column]
    }


def _rows(nested: Nested) -> list[tuple[str, str, Any]]:
    return [(topic, document, value) for topic, inner in nested.items() for document, value in inner.items()]


def ranx() -> Numbers:
    """The runs of DL 2019 by ranx."""
    from ranx import Qrels, Run, evaluate

    qrels, runs = collection("dl19-passage", 40)
    judged = Qrels(qrels)
    found: Numbers = {}
    for name, run in runs.items():
        scores = evaluate(judged, Run(run), ["ndcg@10", "mrr", "hit_rate@5", "recall@100"], make_comparable=True)
        found |= {f"{name} {measure}": float(value) for measure, value in scores.items()}
    return found


def ranx_after() -> Numbers:
    """The same by cranfield, by ranx' names."""
    qrels, runs = collection("dl19-passage", 40)
    measures = ["ndcg@10", "mrr", "hit_rate@5", "recall@100"]
    scores = cf.evaluate(qrels, runs, measures, order="stable")
    return {f"{run} {measure}": scores[run, measure] for run in runs for measure in measures}


SCRIPTS.append(Script("ranx' `evaluate`", "`cf.evaluate`", lacks("ranx"), ranx, ranx_after))


@installed("A training loop, 40 epochs with pytrec_eval", "numpy", "pytrec_eval")
def training_loop() -> Numbers:
    """A linear model learns to rank; after each epoch 200 topics of 100 documents are scored."""
    import numpy as np
    import pytrec_eval

    chance = np.random.default_rng(7)
    features = chance.normal(size=(200, 100, 8))
    grades = (features @ chance.normal(size=8) + 2 * chance.normal(size=(200, 100)) > 5).astype(int)
    documents = [[f"d{topic}-{i}" for i in range(100)] for topic in range(200)]
    qrels = {str(t): dict(zip(documents[t], grades[t].tolist(), strict=True)) for t in range(200)}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "recip_rank"})
    weights = np.zeros(8)
    found: Numbers = {}
    for epoch in range(40):
        guessed = 1 / (1 + np.exp(-features @ weights))
        weights -= 0.5 * np.tensordot(guessed - grades, features, axes=2) / grades.size
        scores = features @ weights
        run = {str(t): dict(zip(documents[t], scores[t].tolist(), strict=True)) for t in range(200)}
        by_topic = evaluator.evaluate(run).values()
        for measure in ("ndcg_cut_10", "recip_rank"):
            found[f"epoch {epoch} {measure}"] = float(np.mean([values[measure] for values in by_topic]))
    return found


LOOP: Final = """
for run in "$RUNS"/*; do
  for level in 1 2; do
    $TREC_EVAL -q -c -l $level -m map -m P.10 "$QRELS" "$run" |
      awk -v run="${run##*/}-$level" '$2 != "all" {sum[$1] += $3; n[$1]++}
           END {for (m in sum) printf "%s-%s %.4f\\n", run, m, sum[m] / n[m]}'
  done
done
"""


def shell_loop(program: str) -> Numbers:
    """Five runs of DL 2019 by a shell script, which averages with awk what trec_eval says of topics."""
    with tempfile.TemporaryDirectory() as folder:
        runs = Path(folder)
        for path in sorted((data("dl19-passage") / "runs").iterdir())[:5]:
            for name, table in cf.read_runs(path).items():
                cf.write_run(table, runs / name)
        given = {"TREC_EVAL": program, "RUNS": folder, "QRELS": str(data("dl19-passage") / "qrels.txt")}
        done = subprocess.run(["sh", "-c", LOOP], env=os.environ | given, capture_output=True, text=True, check=True)
    return {line.split()[0]: float(line.split()[1]) for line in done.stdout.splitlines()}


SCRIPTS.append(
    Script(
        "A shell loop over `trec_eval` with awk",
        "`cranfield trec_eval`",
        lambda: "" if os.environ.get("TREC_EVAL") else "TREC_EVAL names no program",
        lambda: shell_loop(shlex.quote(os.environ["TREC_EVAL"])),
        lambda: shell_loop(f"{shlex.quote(sys.executable)} -m cranfield trec_eval"),
    )
)


def differences(before: Numbers, after: Numbers) -> list[str]:
    """Name the numbers that are not equal."""
    return [
        name
        for name in before.keys() | after.keys()
        if not (name in before and name in after and abs(before[name] - after[name]) <= CLOSE)
    ]


def row(script: Script, turns: int) -> str:
    """Run a script before and after, in turns; write its row, or refuse where its numbers differ."""
    numbers = script.before()
    if off := differences(numbers, script.after()):
        raise click.ClickException(f"{script.name}: {len(off)} of {len(numbers)} numbers differ: {sorted(off)[:3]}")
    found = [(_seconds(script.before), _seconds(script.after)) for _ in range(turns)]
    before, after = (min(each) for each in zip(*found, strict=True))
    times = f"{before:.2f} s | {after:.2f} s | {before / after:.1f}"
    return f"| {script.name} | {script.change} | {len(numbers)} | {times} |\n"


def _seconds(script: Callable[[], Numbers]) -> float:
    start = sum(os.times()[:4])
    script()
    return sum(os.times()[:4]) - start


def table(page: str, turns: int) -> str:
    """Write the table; rows of scripts that cannot run here are those of the page."""
    rows = ["| script | change | equal numbers | before | after | ratio |\n|---|---|--:|--:|--:|--:|\n"]
    for script in SCRIPTS:
        if missing := script.missing():
            click.echo(f"{script.name}: {missing}", err=True)
            rows += [line for line in page.splitlines(keepends=True) if line.startswith(f"| {script.name} |")]
        else:
            rows.append(row(script, turns))
    return "".join(rows)


@click.command()
@click.option("--write", is_flag=True, help="Write the table into docs/coming-from.md.")
@click.option("--turns", default=3, help="How often each script runs before and after.")
def main(*, write: bool, turns: int) -> None:
    """Print the table."""
    before, rest = PAGE.read_text(encoding="utf-8").split(MARKS[0])
    there, after = rest.split(MARKS[1])
    found = table(there, turns)
    if write:
        PAGE.write_text(f"{before}{MARKS[0]}\n{found}\n{MARKS[1]}{after}", encoding="utf-8")
    else:
        click.echo(found, nl=False)


if __name__ == "__main__":
    main()
