"""The one writer of pages: a file that needs no network, in which nothing runs but what stands here.

What users bring (names, topics, texts) reaches a page by two ways alone: as `text`, which is escaped, or as `data`,
JSON that no browser takes for anything else. A policy in the file names the scripts and styles of the page by their
hashes, so that a browser runs no other, and asks nobody for anything.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from cranfield.pages.look import look
from cranfield.plumbing.escaping import printable

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

VENDORED: Final = files("cranfield.pages").joinpath("vendor")
"""Scripts that others wrote, Vega among them: see ``vendored.toml`` there."""
ASSETS: Final = files("cranfield.pages").joinpath("assets")
"""How text and tables are set on all pages (see `look`), and how figures are drawn on them."""
DRAWING: Final = ("vega.min.js", "vega-lite.min.js", "vega-interpreter.min.js", "vega-embed.min.js")
"""What draws figures, in this order: Vega interprets its expressions, so that no text of a page becomes a script."""

_NOT_IN_SCRIPTS: Final = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}
_SHELL: Final = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="cranfield">
<title>{title}</title>
<link rel="icon" href="data:,">
{styles}
</head>
<body>
{body}
{scripts}
</body>
</html>
"""
_FIGURE: Final = """\
<figure>
<div class="wide" tabindex="0" role="region" aria-label="{title}">
{drawing}
</div>
<figcaption>{caption}</figcaption>
</figure>"""


def text(words: str) -> str:
    r"""Write words as HTML, in an element or in a quoted attribute; control characters are made visible.

    >>> text('a < "b"\n')
    'a &lt; &quot;b&quot;\\n'
    """
    return escape(printable(words))


def data(value: object) -> str:
    r"""Write a value for the scripts of a page: an element that is not shown, and whose text is JSON.

    >>> data({"run": "</script><b>"})
    '<script type="application/json">{"run": "\\u003c/script\\u003e\\u003cb\\u003e"}</script>'
    """
    return written_data(json.dumps(value))


def written_data(written: str) -> str:
    """Do the same with what is written as JSON already."""
    return f'<script type="application/json">{written.translate(_NOT_IN_SCRIPTS)}</script>'


def figure(spec: Mapping[str, Any], *, title: str, description: str, caption: str = "") -> str:
    """Write a figure for a page with `figures`, which draws it; the caption is HTML.

    >>> print(figure({"mark": "bar"}, title="Means", description="Bars.", caption="<p>Means.</p>"))
    <figure>
    <div class="wide" tabindex="0" role="region" aria-label="Means">
    <div class="drawing" role="img" aria-label="Bars."><script type="application/json">{"mark": "bar"}</script></div>
    </div>
    <figcaption><p>Means.</p></figcaption>
    </figure>
    """
    drawing = f'<div class="drawing" role="img" aria-label="{text(description)}">{data(spec)}</div>'
    return _FIGURE.format(title=text(title), drawing=drawing, caption=caption)


def still(svg: bytes, *, title: str, description: str, caption: str = "") -> str:
    """Write a figure that is drawn already, for a page without scripts; the caption is HTML.

    >>> print(still(b"<svg/>", title="Means", description="Bars."))
    <figure>
    <div class="wide" tabindex="0" role="region" aria-label="Means">
    <img class="still" alt="Bars." src="data:image/svg+xml;base64,PHN2Zy8+">
    </div>
    <figcaption></figcaption>
    </figure>
    """
    source = f"data:image/svg+xml;base64,{b64encode(svg).decode()}"
    drawing = f'<img class="still" alt="{text(description)}" src="{source}">'
    return _FIGURE.format(title=text(title), drawing=drawing, caption=caption)


def page(
    title: str, body: str, *, figures: bool = False, styles: Iterable[str] = (), scripts: Iterable[str] = ()
) -> str:
    """Write a page.

    Parameters
    ----------
    title
        What is shown.
    body
        HTML, in which everything that users brought is `text` or `data`.
    figures
        Whether there are figures on it, so that it needs what draws them.
    styles, scripts
        What it has besides: our own files alone, never what users brought.

    >>> written = page("a < b", "<p>Two runs.</p>", styles=["p { color: red }"])
    >>> "<title>a &lt; b</title>" in written, "default-src 'none'; script-src 'none'; style-src 'sha256-" in written
    (True, True)
    """
    every_style = [look(), *styles]
    every_script = [*(drawing_scripts() if figures else ()), *scripts]
    return _SHELL.format(
        policy=policy(every_style, every_script),
        title=text(title),
        styles="\n".join(f"<style>{style}</style>" for style in every_style),
        body=body,
        scripts="\n".join(f"<script>{script}</script>" for script in every_script),
    )


def policy(styles: Iterable[str], scripts: Iterable[str]) -> str:
    """Say what a page may do: be drawn by these styles and scripts, and nothing else.

    >>> policy(["p {}"], [])
    "default-src 'none'; script-src 'none'; style-src 'sha256-...'; img-src data:; base-uri 'none'; form-action 'none'"
    """
    return (
        f"default-src 'none'; script-src {_hashes(scripts)}; style-src {_hashes(styles)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


@cache
def drawing_scripts() -> tuple[str, ...]:
    """Return the scripts that draw the figures of a page."""
    return (*(_read(VENDORED.joinpath(name)) for name in DRAWING), asset("figures.js"))


@cache
def asset(name: str) -> str:
    """Return a file that all pages share."""
    return _read(ASSETS.joinpath(name))


def _hashes(sources: Iterable[str]) -> str:
    return " ".join(map(_hashed, sources)) or "'none'"


@cache
def _hashed(source: str) -> str:
    return f"'sha256-{b64encode(sha256(source.encode()).digest()).decode()}'"


def _read(file: Traversable) -> str:
    return file.read_text(encoding="utf-8")
