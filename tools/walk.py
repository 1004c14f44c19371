"""Run the commands of the README and of all pages, as a reader would: `python -m tools.walk [PAGE...]`.

Every command of a `console` block is run, page by page, in a folder that has what the pages take
for granted: qrels, runs, packed and not, collections by name, and the measure that one page
declares. Where a page shows what a command prints, it has to print that; an ellipsis stands for
anything. The pages' other outputs are made while they are built, and examples in Python are
doctests.
"""

from __future__ import annotations

import argparse
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, DocTestParser, OutputChecker
from pathlib import Path

import polars as pl

from cranfield import simulate, write_campaign, write_qrels

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs" / "studies").glob("*.md"))]

NOT_RUN = {
    "python -m pip": "needs the network",
    "python -m venv": "makes what only the next line, an installation, has a use for",
    ". .venv/bin/activate": "belongs to the line before it",
    "git pull": "needs the network",
    "cranfield choose": "asks on a terminal; its page has it with the answers",
    "cranfield evaluate irds:": "needs the network",
    "ssh": "needs another machine",
    "cranfield explore": "waits for a browser, until it is ended",
    "cranfield judge demo": "waits for browsers, until it is ended",
    "cranfield judge serve": "waits for browsers, until it is ended",
}
"""How the commands begin that are not run, and why."""


@dataclass(frozen=True)
class Command:
    """A command of a page, where it stands, and what the page says that it prints."""

    page: Path
    line: int
    text: str
    shown: str | None

    def fault(self, folder: Path) -> str:
        """Run the command in a folder, and say what is wrong, if anything is."""
        ours = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
        line = ["bash", "-c", self.text]
        done = subprocess.run(line, cwd=folder, env=ours, capture_output=True, text=True, check=False)  # noqa: S603
        printed = done.stdout + done.stderr
        refused = (self.shown or "").startswith("cranfield: ")
        # Simulated runs lack topics, as real ones do, and one need not be as good as another.
        judged = {"check": {0, 1}, "gate": {0, 1, 3, 4}}
        well = next((ends for name, ends in judged.items() if self.text.startswith(f"cranfield {name} ")), {0})
        if done.returncode not in ({2} if refused else well):
            return f"ends with status {done.returncode}:\n{printed}"
        flags = NORMALIZE_WHITESPACE | ELLIPSIS
        if self.shown is not None and not OutputChecker().check_output(self.shown, printed, flags):
            return f"prints\n{printed}where the page has\n{self.shown}"
        return ""


def commands(page: Path, text: str) -> Iterator[Command]:
    r"""Give the commands of the `console` blocks of a page, without comments.

    A block with prompts shows what is printed; in one without, every line is a command. What `tools.outputs` wrote is
    of another campaign, and left to it.

    >>> page = "```console\ncranfield demo \\\n  --seed 7\ncd x  # there\n```\n\n```console\n$ echo a\na\n```\n"
    >>> [(found.line, found.text, found.shown) for found in commands(Path("page.md"), page)]
    [(2, 'cranfield demo --seed 7', None), (4, 'cd x', None), (8, 'echo a', 'a\n')]
    """
    for block in re.finditer(r"(?<! -->\n)^( *)```console\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL):
        first = text.count("\n", 0, block.start(2)) + 1
        with_prompts = block[2].lstrip().startswith("$ ")
        command, output = r"((?:.*\\\n)*.*)\n", r"((?:(?! *\$ ).*\n)*)"
        pattern = rf"^ *\$ {command}{output}" if with_prompts else rf"^ *{command}()"
        for found in re.finditer(pattern, block[2], re.MULTILINE):
            line = first + block[2].count("\n", 0, found.start())
            text_of = re.sub(r"\s*\\\n\s*", " ", found[1]).partition("  #")[0].strip()
            yield Command(page, line, text_of, found[2] if with_prompts else None)


def prepare(folder: Path) -> None:
    """Write the files that the pages take for granted: a campaign, all judged, under the names they have for it."""
    made = folder / "made"
    campaign = simulate(systems=8, topics=50, depth=100, seed=7)
    write_campaign(campaign, made)
    retrieved = pl.concat([run.select("query_id", "doc_id") for run in campaign.runs().values()]).unique()
    rest = retrieved.join(campaign.qrels, on=["query_id", "doc_id"], how="anti").with_columns(relevance=0)
    write_qrels(pl.concat([campaign.qrels, rest], how="vertical_relaxed"), made / "qrels.txt")
    runs = sorted((made / "runs").iterdir())
    for name in ("qrels", "training-qrels", "so-far", "qrels-a", "qrels-b"):
        shutil.copy(made / "qrels.txt", folder / f"{name}.txt")
    for name, run in zip(
        ("a.run", "b.run", "c.run", "bm25.run", "dense.run", "my.run", "broken.run", "run.txt"), runs, strict=False
    ):
        shutil.copy(run, folder / name)
    topics, documents = (retrieved[column].unique().sort() for column in ("query_id", "doc_id"))
    (folder / "topics.txt").write_text("\n".join(topics))
    (folder / "docids.txt.gz").write_bytes(gzip.compress("\n".join(documents).encode()))
    shown = next(iter(campaign.runs().values())).group_by("query_id", maintain_order=True).head(10)
    log = pl.concat([shown.with_columns(user=pl.lit(user)) for user in "abc"]).with_row_index("row")
    log = log.with_columns(rank=pl.col("row") % 10 + 1, clicks=pl.col("row") % 7 % 2, impressions=20)
    log.drop("row", "score").write_csv(folder / "log.csv")
    seen = [(i, topics[i % 50], i % 9, team, int(i % 3 != k)) for i in range(99) for k, team in enumerate("ab")]
    interleaved = pl.DataFrame(seen, ["impression", "query", "user", "team", "clicks"], orient="row")
    interleaved.write_csv(folder / "interleaved.csv")
    asked = shown.with_columns(call=pl.int_range(pl.len()).over("query_id") // 5 + 1)
    asked.select("query_id", "call", "doc_id").write_csv(folder / "agent.csv")
    (folder / "runs").mkdir()
    for run in runs:
        (folder / "runs" / f"{run.stem}.gz").write_bytes(gzip.compress(run.read_bytes(), compresslevel=1))
    for seed, collection in enumerate(("trec8-adhoc", "dl19-passage", "covid-round1")):
        write_campaign(simulate(systems=8, topics=10, depth=50, seed=seed), folder / collection)
    for copy, original in (("main.run", "a.run"), ("branch.run", "b.run")):
        shutil.copy(folder / original, folder / copy)
    ids = topics.to_list()
    (folder / "traffic.txt").write_text("".join(f"{topic} {1 + place % 7}\n" for place, topic in enumerate(ids)))
    (folder / "traffic.csv").write_text("topic,weight\n" + "".join(f"{topic},{len(topic)}\n" for topic in ids))
    (folder / "topics.csv").write_text("topic,kind\n" + "".join(f"{t},{'ab'[n % 2]}\n" for n, t in enumerate(ids)))
    solved = [
        (model, f"set{place % 3}", place // 3 % 8, place // 24, place * len(model) % 7 % 2)
        for model in ("one", "other")
        for place in range(96)
    ]
    attempts = pl.DataFrame(solved, ["model", "dataset", "item", "seed", "value"], orient="row")
    attempts.filter(dataset="set0").drop("dataset").write_csv(folder / "agents.csv")
    attempts.filter(seed=0).drop("seed").write_csv(folder / "benchmark.csv")
    rounds = (folder / "qrels.txt").read_text().splitlines(keepends=True)
    (folder / "round1.txt").write_text("".join(rounds[::9]))
    (folder / "round2.txt").write_text("".join(line for place, line in enumerate(rounds) if place % 9))
    (folder / "excluded.jsonl").write_text(
        "".join(f'{{"id": "{topic}", "excluded_ids": ["{documents[0]}"]}}\n' for topic in ids)
    )
    (folder / "beir.toml").write_text(
        "".join(
            f'[collections.{collection}]\nqrels = "{collection}/qrels.txt"\n'
            f'runs = {{ bm25 = "{collection}/runs/{first.name}", dense = "{collection}/runs/{second.name}" }}\n'
            for collection in ("trec8-adhoc", "dl19-passage", "covid-round1")
            for first, second in [sorted((folder / collection / "runs").iterdir())[:2]]
        )
    )
    measures = declared_measures()
    broken = measures.replace(" / max(len(grades), 1)", " / 0").replace("return relevant.sum", "relevant.sum")
    (folder / "mine.py").write_text(measures, encoding="utf-8")
    (folder / "broken.py").write_text(broken, encoding="utf-8")
    shutil.rmtree(made)


def declared_measures() -> str:
    """Return the measures that a page declares, as the file that it says to make of them."""
    page = (ROOT / "docs" / "own-measure.md").read_text(encoding="utf-8")
    sources = [example.source for example in DocTestParser().get_examples(page)]
    return "".join(source for source in sources if re.match(r"import|from|def|class|@|\w+ = cf\.measure", source))


def walk(page: Path) -> Iterator[tuple[Command, str]]:
    """Run the commands of a page in a folder of its own, and give those with something wrong, and what it is."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        prepare(folder)
        for command in commands(page, page.read_text(encoding="utf-8")):
            if command.text.startswith("cd "):
                folder /= command.text.removeprefix("cd ")
            elif not command.text.startswith(tuple(NOT_RUN)) and (fault := command.fault(folder)):
                yield command, fault


def main() -> None:
    """Walk through the pages, and end with status 1 where something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tools.walk", description="Run the commands of the pages.")
    parser.add_argument("pages", type=Path, nargs="*", default=PAGES, help="the README and all of docs without it")
    faults = 0
    for page in parser.parse_args().pages:
        for command, fault in walk(page.resolve()):
            faults += 1
            print(f"{command.page.relative_to(ROOT)}, line {command.line}: {command.text}\n{fault}")  # noqa: T201
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
