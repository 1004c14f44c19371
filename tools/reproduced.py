"""Write the pages on the papers that were done once more: `python -m tools.reproduced FOLDER [PAPER...]`.

Each paper is done on three collections of TREC, which takes some minutes; what is done is kept in
the folder. The verdicts are one list, `docs/reproduced/claims.csv`: the pages of the papers and the
tables on the page of claims are written with it, so that no figure stands for two verdicts. Of a
page, what stands above `MARK` is written by hand, and stays.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import fill
from typing import Final

import polars as pl

from cranfield.reports.elements import Picture, ReportTable, Section, Statement, unfolded
from cranfield.reproductions import PAPERS, Item, Paper, Reproduction, reproduce_collections
from cranfield.reproductions.claims import VERDICTS
from cranfield.reproductions.study import Named
from cranfield.scoring.judged_runs import join

ROOT: Final = Path(__file__).parents[1]
DATA: Final = Path(os.environ.get("CRANFIELD_DATA", ROOT.parent / "shared" / "data"))
COLLECTIONS: Final = {
    "DL 2019": ("dl19-passage", 2.0),
    "TREC-8": ("trec8-adhoc", None),
    "COVID 1": ("covid-round1", None),
}
"""What the pages call them, their folders, and the lowest relevant grade where it is not the usual one."""
MARK: Final = "<!-- What follows is written by python -m tools.reproduced. -->"
LIST: Final = ROOT / "docs" / "reproduced" / "claims.csv"
CLAIMS: Final = ROOT / "docs" / "claims.md"
WIDTH: Final = 100


def done(paper: Paper, folder: Path) -> dict[str, Reproduction]:
    """Do a paper on each collection."""
    found = {}
    for title, (name, rel) in COLLECTIONS.items():
        named = Named(f"{name}/qrels.txt", f"{name}/runs", "" if rel is None else f"-l {rel:g}")
        runs = join(f"{name}/qrels.txt", f"{name}/runs", rel=rel)
        home = folder / paper.name / name
        found[title] = reproduce_collections(paper, {name: runs}, named=named, folder=home, progress=_say)
    return found


def _say(number: int, of: int, item: str) -> None:
    sys.stderr.write(f"{number} of {of}: {item}\n")


def page(paper: Paper, found: dict[str, Reproduction]) -> Iterator[str]:
    """Write what follows the mark: what holds in all, and each item with its command."""
    yield from ("", "## In all", "", f"| | {' | '.join(found)} |", "|---|" + "--:|" * len(found))
    for verdict in VERDICTS:
        counts = (str((each.claims["verdict"] == verdict).sum()) for each in found.values())
        yield f"| {verdict} | {' | '.join(counts)} |"
    sections = {title: {each.name: each for each in one.document.sections} for title, one in found.items()}
    for item in paper.items:
        yield from ("", f"## {item.label}: {item.title}", "")
        yield from _item(item, {title: of[item.name] for title, of in sections.items()})


def _item(item: Item, sections: dict[str, Section]) -> Iterator[str]:
    if item.by:
        yield from (_wrapped(item.by), "")
    blocks = {title: list(unfolded(section.blocks)) for title, section in sections.items()}
    first = next(iter(blocks.values()))
    commands = dict.fromkeys(
        block.command for block in first if isinstance(block, ReportTable | Picture) and block.command
    )
    if commands:
        yield from ("```console", *map(_broken, commands), "```", "")
    said = {
        title: {block.claimed: block for block in of if isinstance(block, Statement)} for title, of in blocks.items()
    }
    for claimed in dict.fromkeys(claimed for of in said.values() for claimed in of):
        yield from _statement(claimed, {title: of[claimed] for title, of in said.items() if claimed in of})
    yield from _unjudged(item, sections)
    for title, section in sections.items():
        lack = next((text for text in _words(section) if text.startswith("Not reproduced here. ")), None)
        if lack:
            yield ""
            yield _wrapped(f"{title}: {lack}" if item.needs and said[next(iter(said))] else lack)
            if not any(said.values()):
                break


def _statement(claimed: str, here: dict[str, Statement]) -> Iterator[str]:
    """Write a claim, what its verdict rests on, and what is found on each collection; once, where all have the same."""
    first = next(iter(here.values()))
    yield _wrapped(f"**“{claimed}”**" if first.by else f"**{claimed}**", "- ")
    if first.by:
        yield _wrapped(" ".join(f"{name}: {text}." for name, text in first.by), "  - ")
    if len({(each.found, each.verdict) for each in here.values()}) == 1 and len(here) == len(COLLECTIONS):
        here = {"": first}
    for title, each in here.items():
        verdict = f"*{each.verdict.capitalize()}.* " if each.verdict else ""
        yield _wrapped(f"{title}: {verdict}{each.found}" if title else f"{verdict}{each.found}", "  - ")


def _unjudged(item: Item, sections: dict[str, Section]) -> Iterator[str]:
    """Write what an item says without a verdict: its sentences, and its tables that no command makes."""
    said = {
        title: [
            text for text in _words(section) if text != item.by and not text.startswith(("Not reproduced", "Here in a"))
        ]
        + [_small(block) for block in section.blocks if isinstance(block, ReportTable) and not block.command]
        for title, section in sections.items()
    }
    first = next(iter(said.values()))
    if all(texts == first for texts in said.values()):
        said = {"": first}
    for title, texts in said.items():
        for text in texts:
            table = text.startswith("|")
            if title and table:
                yield from ("", f"{title}:")
            yield from ("", text if table else _wrapped(f"{title}: {text}" if title else text))


def _small(table: ReportTable) -> str:
    """Write a table as it is shown."""
    columns = table.sheet.columns
    lines = [[column.name for column in columns], ["--:" if column.numeric else "---" for column in columns]]
    lines += [[_escaped(str(cell)) for cell in row] for row in zip(*(column.cells for column in columns), strict=True)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _words(section: Section) -> Iterator[str]:
    for block in section.blocks:
        yield from getattr(block, "sentences", ())


def _wrapped(text: str, item: str = "") -> str:
    """Wrap a paragraph or an item, whose text means what it says."""
    bold = re.fullmatch(r"\*\*(.*)\*\*", text)
    plain = re.sub(
        r"(?<!^)\*\*|##|[<\[\]]", lambda found: "".join(f"\\{sign}" for sign in found[0]), bold[1] if bold else text
    )
    text = f"**{plain}**" if bold else plain
    return fill(
        text,
        WIDTH,
        initial_indent=item,
        subsequent_indent=" " * len(item),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _broken(command: str) -> str:
    r"""Break a command into lines that fit the page.

    >>> print(_broken("cranfield evaluate " + " ".join(f"-m measure-{i:02}" for i in range(8))))
    cranfield evaluate -m measure-00 -m measure-01 -m measure-02 -m measure-03 -m measure-04 \
        -m measure-05 -m measure-06 -m measure-07
    """
    parts = list[str]()  # an option with its value, or a word
    for word in map(shlex.quote, shlex.split(command)):
        if parts and re.fullmatch(r"-\S+", parts[-1]) and not word.startswith("-"):
            parts[-1] += f" {word}"
        else:
            parts.append(word)
    lines, line = [], ""
    for part in parts:
        if len(line) + len(part) > WIDTH - 3 and line.strip():
            lines.append(line)
            line = "   "
        line = f"{line} {part}" if line else part
    return " \\\n".join([*lines, line])


def listed(found: dict[str, Reproduction]) -> pl.DataFrame:
    """List the verdicts of a paper: a row for each claim and collection."""
    return pl.concat(
        one.claims.select(
            pl.lit(one.paper.name).alias("paper"), "item", "claim", "where", pl.lit(title).alias("collection"),
            "verdict", "found", "conditions", "presupposed", "estimand", "asked",
        )
        for title, one in found.items()
    )  # fmt: skip


def told(verdicts: pl.DataFrame) -> Iterator[str]:
    """Write the tables of the page of claims: a row for each claim, a column for each collection."""
    yield from ("", "## What three collections say", "")
    hold, fail, unsure = ((verdicts["verdict"] == verdict).sum() for verdict in VERDICTS)
    yield _wrapped(
        f"Of {verdicts.select('paper', 'claim', 'where').n_unique()} claims on data, tried on three collections, "
        f"{hold} verdicts are *holds*, {fail} *does not hold*, and {unsure} *cannot be told here*. The first two are "
        "passed where the whole interval of what is found says so, the last where it does not, or where a "
        "precondition is not met. A dash is an item that the collection does not have. Each paper's page has the "
        "numbers, the intervals and what they estimate;"
    )
    yield "[claims.csv](reproduced/claims.csv) has all of it as a table."
    for name in verdicts["paper"].unique(maintain_order=True):
        rows = verdicts.filter(paper=name)
        wide = rows.pivot("collection", index=["claim", "where"], values="verdict", maintain_order=True)
        titles = [title for title in COLLECTIONS if title in wide.columns]
        yield from ("", f"### [{PAPERS[name].title}](reproduced/{name}.md)", "")
        yield from (f"| the paper | where | {' | '.join(titles)} |", "|---|---|" + "---|" * len(titles))
        for row in wide.iter_rows(named=True):
            cells = (row[title] or "–" for title in titles)
            yield f"| “{_escaped(row['claim'])}” | {_escaped(row['where'])} | {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    return re.sub(r"[|<\[\]]", lambda found: f"\\{found[0]}", text)


def written(paper: Paper, found: dict[str, Reproduction]) -> str:
    """Return the whole page: what is written by hand, and what follows."""
    file = ROOT / "docs" / "reproduced" / f"{paper.name}.md"
    text = file.read_text(encoding="utf-8") if file.exists() else f"# {paper.title}\n\n"
    return _below(text, page(paper, found))


def _below(text: str, lines: Iterator[str]) -> str:
    return text.partition(MARK)[0] + MARK + "\n" + "\n".join(lines) + "\n"


def main(folder: str, names: Sequence[str]) -> None:
    """Do all papers, or these, and write their pages, the list of verdicts, and the page of claims."""
    home = Path(folder).absolute()
    os.chdir(DATA)
    for name in names or PAPERS:
        found = done(PAPERS[name], home)
        (LIST.parent / f"{name}.md").write_text(written(PAPERS[name], found), encoding="utf-8")
        rows = listed(found)
        before = pl.read_csv(io.StringIO(LIST.read_text(encoding="utf-8"))) if LIST.exists() else rows.clear()
        verdicts = pl.concat([before.filter(pl.col("paper") != name), rows]).sort(
            pl.col("paper").replace_strict({each: at for at, each in enumerate(PAPERS)}), maintain_order=True
        )
        LIST.write_text(verdicts.write_csv(), encoding="utf-8")
        CLAIMS.write_text(_below(CLAIMS.read_text(encoding="utf-8"), told(verdicts)), encoding="utf-8")
        sys.stdout.write(f"written: {name}\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
