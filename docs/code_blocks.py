"""Blocks of code and output, set so that they can be read on a page of a hundred columns."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from tools.outputs import as_set


def set_blocks(app: Sphinx, page: nodes.document) -> None:
    """Set all blocks of a page, for Sphinx."""
    del app
    for block in page.findall(nodes.literal_block):
        block.rawsource = as_set(block.astext())
        block[:] = [nodes.Text(block.rawsource)]
