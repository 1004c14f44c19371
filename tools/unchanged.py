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
from hashlib import sha256
from pathlib import Path
from typing import Final

import click

ROOT: Final = Path(__file__).parents[1]
DATA: Final = Path(os.environ.get("CRANFIELD_DATA", ROOT.parent / "shared" / "data"))

COLLECTIONS: Final = {"dl19": ("dl19-passage", 8), "trec8": ("trec8-adhoc", 6), "covid": ("covid-round1", 8)}
"""By short names: the folder, and how many runs commands take that are slow with all of them."""

OF_ALL: Final = (
    "evaluate Q R -m official", "evaluate Q R -m AP -m nDCG@10 --format csv --audit", "check R --format csv --qrels Q",
    "evaluate Q R -m AP --bounds --format json --quiet", "compare Q R -m AP --format csv --quiet",
    "overlap R --format csv --depth 50", "ties Q R", "trec_eval -m official -m all_trec Q ONE", "gate Q TWO -m AP",
)  # fmt: skip
"""On all runs of a collection: Q the qrels, R the runs, ONE the first run, TWO the first two."""

OF_FEW: Final = (
    "evaluate Q F -m AP -m RBP -m Twist -q --format csv", "evaluate Q F -m nDCG@10 --format latex --quiet",
    "evaluate Q F -m AP --average geometric --sort AP --format markdown", "evaluate Q F --strict",
    "evaluate --collection a Q ONE --collection b Q TWO -m AP", "evaluate Q F -m AP --groups groups.csv",
    "compare --collection a Q TWO --collection b Q TWO -m AP", "compare Q F -m AP --groups groups.csv",
    "compare Q F -m AP -m RBP", "compare Q F -m AP --format json", "compare Q F -m nDCG@10 --baseline FIRST",
    "compare Q F -m AP --test wilcoxon --correction bh --format markdown", "compare Q F -m AP --test tukey",
    "compare Q TWO -m RBP --residuals", "gate Q TWO -m AP --format json", "gate Q TWO -m nDCG@10 --margin 0.05",
    "gate Q TWO -m AP --format markdown", "why Q TWO --topic TOPIC", "why Q TWO --format csv",
    "evaluate Q F -m AP -m nDCG -m RR -q -o s.csv --quiet; topics s.csv; correlate s.csv --format csv",
    "reconcile 0.2 Q ONE -m nDCG@10", "curve Q F -m nDCG", "curve Q F -m CG --against ideal --format csv",
    "trace Q ONE", "cut F --at 10 -o cut/", "cut ONE --learned F1 --qrels Q -o cut.run", "select F --budget 20",
    "select F --budget 20 --method A --qrels Q --format csv",
    "sample F --per-topic 5 --design stratified -o s.csv; estimate s.csv Q F",
    "conflate Q --grades 1:0 -o q.txt", "simulate made --topics 3", "report Q F -o report.html",
    "agreement a=Q b=Q", "evaluate Q nowhere.run", "compare Q ONE", "gate Q F", "evaluate Q F -m nonsense",
    "reference Q -o made", "evaluate Q F --exclude self", "compare Q F -m AP --history h.jsonl",
)  # fmt: skip
"""On a few runs (F); a semicolon parts commands that follow each other in one folder."""

ONCE: Final = (
    "conform --write suite", "measures", "measures nDCG RBP Twist", "choose --tree", "compare --tests", "evidence",
    "choose", "reproduce", "experiment", "plot",
)  # fmt: skip

EXPERIMENTS: Final = (
    "archetypes", "axioms", "correlation", "discriminative-power", "dominance", "downsampling", "effort-gain",
    "influence", "near-duplicates", "portrait", "risk", "sensitivity", "silence", "truncation", "truncated-correlation",
    "conflation", "budgets", "judging", "reusability", "stopping", "estimation", "certificate", "swap", "significance",
    "coverage", "score-distributions", "abstention", "cut-guarantee",
)  # fmt: skip


GROUPS: Final = "topic,group\n" + "".join(
    f"{topic},{topic % 2}\n" for topic in [*range(1, 51), *range(401, 451), 19335]
)
"""Groups of the topics of TREC-8 and TREC-COVID; nearly none of DL 2019, which is refused."""


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
        tried = [f"experiment {name} Q F{kinds}" for name in EXPERIMENTS]
        asked = (*OF_ALL, *OF_FEW, *tried, *(plots() if short == "dl19" else ()))
        lines += [" ".join(_filled(word, names) for word in line.split(" ")) for line in asked]
    return lines


def _filled(word: str, names: dict[str, str]) -> str:
    before, equal, after = word.rpartition("=")
    return before + equal + names.get(after, after)


def outcome(line: str) -> str:
    """Run one, and give its status, what it printed, and what it wrote (dates and clocks left out)."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "COLUMNS": "120", "CRANFIELD_THREADS": "1"}
        (Path(folder) / "groups.csv").write_text(GROUPS)
        parts = []
        for each in line.split("; "):
            call = [sys.executable, "-m", "cranfield", *shlex.split(each)]
            try:
                done = subprocess.run(  # noqa: S603 - our own command, on our own list
                    call, cwd=folder, capture_output=True, text=True, env=environment, timeout=300, check=False
                )
            except subprocess.TimeoutExpired:
                return "took over five minutes\n"
            parts += [f"status {done.returncode}\n", done.stdout, "-- stderr\n", done.stderr]
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file():
                parts += [f"-- {path.relative_to(folder)}\n", path.read_text(errors="replace")]
    text = "".join(parts).replace(folder, "FOLDER").replace(str(DATA), "DATA").replace(str(ROOT), "ROOT")
    return re.sub(r"\d{4}-\d\d-\d\d( at)?[ T]\d\d:\d\d(:\d\d)?(\.\d+)?Z?|\d+(\.\d+)? (ms|s)\b", "TIME", text)


def main(into: str, having: str = "") -> None:
    """Write what each command gives into a folder, a file each; what is there already stays."""
    folder = Path(into)
    folder.mkdir(parents=True, exist_ok=True)
    files = {folder / _named(line): line for line in commands() if having in line}
    asked = {file: line for file, line in files.items() if not file.exists()}
    with ThreadPoolExecutor(2) as pool:
        for (file, line), text in zip(asked.items(), pool.map(outcome, asked.values()), strict=True):
            file.write_text(f"{line.replace(str(DATA), 'DATA')}\n{text}")


def _named(line: str) -> str:
    """Name the file of a command by its beginning, and by a digest of it all."""
    plain = line.replace(str(DATA), "DATA")
    short = re.sub(r"[^\w.=*-]+", "_", plain.replace("DATA", ""))
    return f"{short[:150]}-{sha256(plain.encode()).hexdigest()[:6]}"


if __name__ == "__main__":
    main(*sys.argv[1:])
