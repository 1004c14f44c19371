"""Blocks of code and output, set so that they can be read on a page of a hundred columns."""

from __future__ import annotations

import re
import textwrap

from docutils import nodes
from sphinx.application import Sphinx

COLUMNS = 100


def set_blocks(app: Sphinx, page: nodes.document) -> None:
    """Set all blocks of a page, for Sphinx."""
    del app
    for block in page.findall(nodes.literal_block):
        block.rawsource = as_set(block.astext())
        block[:] = [nodes.Text(block.rawsource)]


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
