"""Formulas as MathML, which browsers set by themselves: pages ask nothing of the network."""

from __future__ import annotations

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


def set_formulas(app: Sphinx) -> None:
    """Tell Sphinx how formulas are set in HTML, in lines and between them."""
    app.add_html_math_renderer("mathml", (_in_line, None), (_between_lines, None))


def _in_line(page: HTML5Translator, formula: nodes.Element) -> None:
    page.body.append(convert(formula.astext()))
    raise nodes.SkipNode


def _between_lines(page: HTML5Translator, formula: nodes.Element) -> None:
    page.body.append(f'<div class="math">{convert(formula.astext(), display="block")}</div>\n')
    raise nodes.SkipNode
