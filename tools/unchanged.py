"""What a fixed list of commands prints and writes on real collections, so that a change can be shown to change nothing.

``python -m tools.unchanged before/`` with the old code, ``python -m tools.unchanged after/`` with the new one, and
``diff -r before after``. A second argument keeps only the commands with this in their line (``"compare "``).
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import click

ROOT: Final = Path(__file__).parents[1]
DATA: Final = Path(os.environ.get("CRANFIELD_DATA", ROOT.parent / "shared" / "data"))

COLLECTIONS: Final = {"dl19": ("dl19-passage", 8), "trec8": ("trec8-adhoc", 6), "covid": ("covid-round1", 8)}
"""By short names: the folder, and how many runs commands take that are slow with all of them."""

OF_ALL: Final = (
    "evaluate Q R -m official", "evaluate Q R -m AP -m nDCG@10 --format csv --audit",
    "evaluate Q R -m official --bounds --format json --quiet", "compare Q R -m AP --format csv --quiet",
    "overlap Q R --format csv", "ties Q R", "trec_eval -m official -m all_trec Q ONE", "check R --format csv",
)  # fmt: skip
"""On all runs of a collection: Q the qrels, R the runs, ONE the first run, TWO the first two."""

OF_FEW: Final = (
    "evaluate Q F -m AP -m RBP -m Twist -q --format csv", "evaluate Q F -m nDCG@10 --format latex --quiet",
    "evaluate Q F -m AP --average gmean --sort AP --format markdown", "evaluate Q F --strict", "evaluate Q F --audit",
    "evaluate --collection a Q ONE --collection b Q F -m AP",
    "compare Q F -m AP -m RBP", "compare Q F -m AP --format json", "compare Q F -m nDCG@10 --baseline FIRST",
    "compare Q F -m AP --test t --adjust holm --format markdown", "compare Q F -m AP --residuals",
    "compare --collection a Q F --collection b Q F -m AP", "gate Q TWO -m AP", "gate Q TWO -m AP --format json",
    "gate Q TWO -m nDCG@10 --margin 0.05", "why Q TWO TOPIC", "why Q TWO", "topics Q F -m AP", "reconcile Q ONE AP=0.2",
    "curve Q F", "curve Q F -m nDCG --format csv", "trace Q ONE", "correlate Q F -m AP -m RBP -m nDCG@10",
    "cut Q F -m F1", "select Q F -k 20", "select Q F -k 20 --method A --format csv", "sample Q F -k 20",
    "estimate Q F", "conflate Q --map 0=0,1=1,2=1", "simulate --topics 3", "evidence Q F", "choose",
    "report Q F -o report.html", "plot leaderboard Q F -o f.json", "plot curve Q F -o f.svg",
    "experiment list", "agreement Q Q",
)  # fmt: skip
"""On a few runs (F)."""

ONCE: Final = ("conform", "measures", "measures nDCG RBP Twist", "choose --list", "reproduce", "demo --help")

EXPERIMENTS: Final = (
    "archetypes", "axioms", "correlation", "discriminative-power", "dominance", "downsampling", "effort-gain",
    "influence", "near-duplicates", "portrait", "risk", "sensitivity", "silence", "truncation", "truncated-correlation",
    "conflation", "budgets", "judging", "reusability", "stopping", "estimation", "certificate", "swap", "significance",
    "coverage", "score-distributions", "abstention", "cut-guarantee",
)  # fmt: skip


def plots() -> list[str]:
    """Name all figures that need nothing but qrels and runs."""
    from cranfield.plots import PLOTS

    return [f"plot {name} Q F -o f.json" for name in sorted(PLOTS)]


def helps(group: click.Command, before: str = "") -> Iterator[str]:
    """Name the help of a command and of all below it."""
    yield f"{before}--help"
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            if (found := group.get_command(context, name)) is not None:
                yield from helps(found, f"{before}{name} ")


def commands() -> list[str]:
    """List all of them, the files of each collection filled in."""
    from cranfield.cli import main

    lines = [*ONCE, *helps(main)]
    for short, (folder, few) in COLLECTIONS.items():
        where = DATA / folder
        runs = sorted(where.glob("runs/*.gz"))
        topic = (where / "qrels.txt").read_text().split(None, 1)[0]
        names = {
            "Q": str(where / "qrels.txt"), "R": f"{where}/runs/*.gz", "ONE": str(runs[0]),
            "TWO": " ".join(map(str, runs[:2])), "F": " ".join(map(str, runs[:few])), "TOPIC": topic,
            "FIRST": runs[0].name.removesuffix(".gz"),
        }  # fmt: skip
        kinds = "" if short != "covid" else " --format csv"
        tried = [f"experiment {name} Q F --repetitions 20{kinds}" for name in EXPERIMENTS]
        tried += [f"experiment {name} Q F{kinds}" for name in EXPERIMENTS]
        asked = (*OF_ALL, *OF_FEW, *tried, *(plots() if short == "dl19" else ()))
        lines += [" ".join(names.get(word, word) for word in line.split(" ")) for line in asked]
    return lines


def outcome(line: str) -> str:
    """Run one, and give its status, what it printed, and what it wrote (dates and clocks left out)."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "COLUMNS": "120", "CRANFIELD_THREADS": "1"}
        call = [sys.executable, "-m", "cranfield", *shlex.split(line)]
        try:
            done = subprocess.run(  # noqa: S603 - our own command, on our own list
                call, cwd=folder, capture_output=True, text=True, env=environment, timeout=60, check=False
            )
        except subprocess.TimeoutExpired:
            return "took over a minute\n"
        parts = [f"status {done.returncode}\n", done.stdout, "-- stderr\n", done.stderr]
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file():
                parts += [f"-- {path.relative_to(folder)}\n", path.read_text(errors="replace")]
    text = "".join(parts).replace(folder, "FOLDER").replace(str(DATA), "DATA").replace(str(ROOT), "ROOT")
    return re.sub(r"\d{4}-\d\d-\d\d( at)?[ T]\d\d:\d\d(:\d\d)?(\.\d+)?Z?|\d+(\.\d+)? (ms|s)\b", "TIME", text)


def main(into: str, having: str = "") -> None:
    """Write what each command gives into a folder, a file each."""
    folder = Path(into)
    folder.mkdir(parents=True, exist_ok=True)
    asked = [line for line in commands() if having in line]
    with ThreadPoolExecutor(2) as pool:
        for line, text in zip(asked, pool.map(outcome, asked), strict=True):
            short = re.sub(r"[^\w.=*-]+", "_", line.replace(str(DATA), ""))
            (folder / f"{short[:150]}-{hash_of(line)}").write_text(f"{line.replace(str(DATA), 'DATA')}\n{text}")


def hash_of(line: str) -> str:
    """Tell lines with the same beginning apart."""
    from hashlib import sha256

    return sha256(line.replace(str(DATA), "DATA").encode()).hexdigest()[:6]


if __name__ == "__main__":
    main(*sys.argv[1:])
