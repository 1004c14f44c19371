"""What pages are in the checkout, and what Sphinx makes of it.

A page can be read where it lies: its links lead to files of the checkout, and what only Sphinx
understands stands in comments, ``<!-- {index} ! ties -->``. Before a page is built, comments become
directives, and links to the sources of a page that is written while the pages are built lead to that page.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from sphinx.application import Sphinx

README: Final = Path(__file__).parents[1] / "README.md"

BUILT: Final = {
    "CHANGELOG.md": "changelog.md",
    "README.md": "index.md",
    "src/cranfield/cli": "commands.md",
    "src/cranfield/experiments": "experiments.md",
    "src/cranfield/plots": "gallery.md",
    "src/cranfield/public.py": "api/index.md",
}
"""Where links of the checkout lead, and the page that is written from it; notebooks follow a rule of their own."""
_LINK: Final = re.compile(r"\]\((?:\.\./)+(?P<path>[\w./-]+?)/?(?P<anchor>#[^)]*)?\)")
_COMMENT: Final = re.compile(
    r"^<!-- \{(?P<directive>\w+)\}(?P<rest>[^\n]*?(?:\n.*?)?)\s*-->$", re.MULTILINE | re.DOTALL
)


def as_built(text: str, name: str) -> str:
    r"""Return what Sphinx reads of a page.

    >>> as_built("See [all](../src/cranfield/cli), [one](../examples/a-track.ipynb).\n", "faq")
    'See [all](commands.md), [one](notebooks/a-track.md).\n'
    >>> as_built("[Measures](../../src/cranfield/plots) and [more](../faq.md)\n", "studies/curves")
    '[Measures](../gallery.md) and [more](../faq.md)\n'
    >>> print(as_built("# Ties\n\n<!-- {index} ! ties -->\n", "ties"), end="")
    # Ties
    <BLANKLINE>
    ```{index} ! ties
    ```
    """
    up = "../" * name.count("/")

    def link(found: re.Match[str]) -> str:
        path = re.sub(r"^examples/([\w-]+)\.ipynb$", r"notebooks/\1.md", found["path"])
        page = BUILT.get(path, path if path != found["path"] else None)
        return f"]({up}{page}{found['anchor'] or ''})" if page else found[0]

    return _COMMENT.sub(r"```{\g<directive>}\g<rest>\n```", _LINK.sub(link, text)).replace("```math\n", "```{math}\n")


def llms(text: str) -> str:
    """Return ``llms.txt`` with links to the sources of pages, which are copied where the pages are built.

    >>> llms("- [Ties](ties.md#all): how?")
    '- [Ties](_sources/ties.md): how?'
    """
    return re.sub(r"\]\(([\w/-]+\.md)(?:#[^)]*)?\)", r"](_sources/\1)", as_built(text, "llms"))


def front(readme: str, rest: str) -> str:
    r"""Return the first page: the README down to what only the checkout is for, and what Sphinx wants to know.

    >>> front("# A\n[b](docs/b.md) <img src=\"docs/c.svg\">\n## Work on it\n", "# Pages\n\n<!-- {toctree}\n-->\n")
    '# A\n[b](b.md) <img src="c.svg">\n\n<!-- {toctree}\n-->\n'
    """
    shown = re.sub(r"(?<=[(\"])docs/", "", readme.partition("## Work on it")[0])
    return f"{shown}\n{rest[rest.index('<!-- {toctree}') :]}"


def read(app: Sphinx, name: str, source: list[str]) -> None:
    """Change what Sphinx is about to read."""
    del app
    text = front(README.read_text(encoding="utf-8"), source[0]) if name == "index" else source[0]
    source[0] = as_built(text, name)
