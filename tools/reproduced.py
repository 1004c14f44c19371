"""Write the pages on the papers that were done once more: `python -m tools.reproduced FOLDER [PAPER...]`.

Each paper is done on three collections of TREC, which takes some minutes; what is done is kept in
the folder. Of a page, what stands above `MARK` is written by hand, and stays.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import fill
from typing import Final

from cranfield.reports.document import Picture, ReportTable, Section, Statement, unfolded
from cranfield.reproductions import PAPERS, Item, Paper, Reproduction, reproduce_collections
from cranfield.reproductions.study import Named
from cranfield.scoring.judged_runs import join

ROOT: Final = Path(__file__).parents[1]
DATA: Final = ROOT.parent / "shared" / "data"
COLLECTIONS: Final = {
    "DL 2019": ("dl19-passage", 2.0),
    "TREC-8": ("trec8-adhoc", None),
    "COVID 1": ("covid-round1", None),
}
"""What the pages call them, their folders, and the lowest relevant grade where it is not the usual one."""
MARK: Final = "<!-- What follows is written by python -m tools.reproduced. -->"
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
    for words, holds in (("hold", True), ("do not hold", False), ("numbers of its own", None)):
        counts = (str(each.statements["holds"].eq_missing(holds).sum()) for each in found.values())
        yield f"| {words} | {' | '.join(counts)} |"
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
    for title, section in sections.items():
        lack = next((text for text in _words(section) if text.startswith("Not to be had here. ")), None)
        if lack:
            yield ""
            yield _wrapped(f"{title}: {lack}" if item.needs and said[next(iter(said))] else lack)
            if not any(said.values()):
                break


def _statement(claimed: str, here: dict[str, Statement]) -> Iterator[str]:
    """Write a statement, and what is found on each collection; once, where it is the same on all."""
    yield _wrapped(f"**{claimed}**", "- ")
    if len({(each.found, each.holds) for each in here.values()}) == 1 and len(here) == len(COLLECTIONS):
        here = {"": next(iter(here.values()))}
    for title, each in here.items():
        verdict = {True: "Holds. ", False: "*Does not hold.* ", None: ""}[each.holds]
        yield _wrapped(f"{title}: {verdict}{each.found}" if title else f"{verdict}{each.found}", "  - ")


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


def written(paper: Paper, found: dict[str, Reproduction]) -> str:
    """Return the whole page: what is written by hand, and what follows."""
    file = ROOT / "docs" / "reproduced" / f"{paper.name}.md"
    by_hand = file.read_text(encoding="utf-8").partition(MARK)[0] if file.exists() else f"# {paper.title}\n\n"
    return by_hand + MARK + "\n" + "\n".join(page(paper, found)) + "\n"


def main(folder: str, names: Sequence[str]) -> None:
    """Do all papers, or these, and write their pages."""
    home = Path(folder).absolute()
    os.chdir(DATA)
    for name in names or PAPERS:
        text = written(PAPERS[name], done(PAPERS[name], home))
        target = ROOT / "docs" / "reproduced" / f"{name}.md"
        target.parent.mkdir(exist_ok=True)
        target.write_text(text, encoding="utf-8")
        sys.stdout.write(f"written: {target}\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
