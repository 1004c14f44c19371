"""What commands print, in the pages themselves, so that these are whole in the repository: `python -m tools.outputs`.

A block below the comment ``<!-- output -->`` begins with the command, and the rest is what it prints in the
campaign that the pages work on, whose folder comes with the built pages. The comment also says how the command ends
where that is not 0, and how many lines are shown where not all are: ``<!-- output, status 3, 15 lines -->``.

```console
sphinx-build -W -q docs docs/_build     # writes the campaign
python -m tools.outputs                 # writes the outputs into the pages
python -m tools.outputs --check         # names the pages whose outputs are not those of today
```
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[1]
PAGES: Final = ROOT / "docs" / "_build"
BLOCK: Final = re.compile(
    r"^<!-- output(?:, status (?P<status>\d+))?(?:, (?P<lines>\d+) lines)? -->\n```console\n"
    r"(?P<text>\$ (?P<command>(?:.*\\\n)*.*)\n(?:.*\n)*?)```$",
    re.MULTILINE,
)


COLUMNS: Final = 100
"""How wide blocks are set."""


class Output(NamedTuple):
    """A block of a page, and what should stand in it."""

    page: Path
    block: str
    shown: str


def pages() -> list[Path]:
    """Name the pages of the repository."""
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def outputs(paths: Sequence[Path], campaign: Path) -> Iterator[Output]:
    """Run the commands of pages where the campaign lies."""
    found = [(path, match) for path in paths if PAGES not in path.parents for match in BLOCK.finditer(path.read_text())]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for (path, match), printed in zip(found, pool.map(lambda each: _run(each[1], campaign), found), strict=True):
            yield Output(path, match["text"], printed)


def _run(match: re.Match[str], campaign: Path) -> str:
    command = match["command"].replace("\\\n", " ")
    command = re.sub(r" {2,}", " ", command)
    environment = os.environ | {"COLUMNS": "100", "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(  # noqa: S602 - our own pages
        command, shell=True, cwd=campaign, env=environment, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    if done.returncode != int(match["status"] or 0):
        raise SystemExit(f"{command}: ends with status {done.returncode}\n{done.stdout}")
    said = re.sub(r"\(code [0-9a-f]{16}\)", "(code ...)", done.stdout)  # every change of the code changes it
    lines = said.rstrip().split("\n")
    if match["lines"] and len(lines) > (most := int(match["lines"])):
        lines = [*lines[:most], "..."]
    return as_set("\n".join([f"$ {command}", *lines])) + "\n"


def as_set(text: str) -> str:
    r"""Return a block as it is shown.

    The empty line that ends a doctest is left out. Of a command and its output, which begin with a
    prompt, what is too long for a line is broken: the command before an option, as a shell reads
    it, and sentences as a terminal would do. Tables, whose columns stand two blanks apart, are not.

    >>> as_set(">>> 1 + 1\n2\n\n")
    '>>> 1 + 1\n2'
    >>> print(as_set("$ cranfield evaluate qrels.txt runs" + 6 * " -m 'a b'" + " --format csv --output scores.csv"))
    $ cranfield evaluate qrels.txt runs -m 'a b' -m 'a b' -m 'a b' -m 'a b' -m 'a b' -m 'a b' \
          --format csv --output scores.csv
    >>> print(as_set("$ cranfield\n" + "ten columns " * 9 + "\n" + "a  " * 35))
    $ cranfield
    ten columns ten columns ten columns ten columns ten columns ten columns ten columns ten columns
      ten columns
    a  a  a  a  a  a  a  a  a  a  a  a  a  a  a  a  a  a  a  a  a  a  a  a  a  a  a  a  a  a  a  a  a  a  a
    """
    text = text.rstrip()
    if not text.startswith("$ "):
        return text
    command, *output = text.split("\n")
    return "\n".join([_command(command), *(line if "  " in line.strip() else _sentence(line) for line in output)])


def _command(command: str) -> str:
    if len(command) <= COLUMNS:
        return command
    held = " ".join(option.replace(" ", "\N{NO-BREAK SPACE}") for option in re.split(" (?=-)", command))
    lines = textwrap.wrap(held, COLUMNS - 2, subsequent_indent=" " * 6, break_on_hyphens=False, break_long_words=False)
    return " \\\n".join(lines).replace("\N{NO-BREAK SPACE}", " ")


def _sentence(line: str) -> str:
    return textwrap.fill(line, COLUMNS, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)


def main() -> None:
    """Write the outputs, or name the pages where they are stale."""
    parser = argparse.ArgumentParser(prog="python -m tools.outputs", description="What the commands of pages print.")
    parser.add_argument("pages", nargs="*", type=Path, help="pages (all)")
    parser.add_argument("--check", action="store_true", help="write nothing, and fail where a page is stale")
    parser.add_argument("--campaign", type=Path, default=PAGES / "example", help="where the commands run")
    asked = parser.parse_args()
    if not asked.campaign.is_dir():
        parser.error(f"there is no {asked.campaign}; build the pages first: sphinx-build -W -q docs docs/_build")
    run = outputs([page.resolve() for page in asked.pages] or pages(), asked.campaign)
    stale = [each for each in run if each.block != each.shown]
    for each in stale:
        if not asked.check:
            each.page.write_text(each.page.read_text().replace(each.block, each.shown))
        print(f"{each.page.relative_to(ROOT)}: {each.block.splitlines()[0]}")  # noqa: T201
    if stale and asked.check:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
