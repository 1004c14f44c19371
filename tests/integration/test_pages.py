"""The pages as a browser shows them: nothing is cut, nothing is left unset, and the commands print what they show."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import quote

import pytest
from playwright.sync_api import Page
from tools.outputs import PAGES, outputs, pages
from tools.pages import ROOT, WIDTHS, browsing, build, chromium, pages_in

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(chromium() is None, reason="there is no Chromium here to look at pages with"),
]

FAULTS = r"""() => {
  const shown = element => element.getClientRects().length > 0;
  const scrolls = element => ["auto", "scroll"].includes(getComputedStyle(element).overflowX);
  const words = element => element.textContent.trim().replace(/\s+/g, " ").slice(0, 60);
  const body = document.querySelector("article") ?? document.body;
  const inScrollingBox = element => {
    for (let box = element.parentElement; box && body.contains(box); box = box.parentElement) {
      if (scrolls(box)) return true;
    }
    return false;
  };
  const faults = [], sticking = [];
  const page = document.documentElement;
  if (page.scrollWidth > page.clientWidth) faults.push("the page scrolls sideways");
  if (page.scrollHeight > 65000) faults.push(`the page is ${page.scrollHeight} px high`);
  const edge = body.getBoundingClientRect();
  for (const element of body.querySelectorAll("*")) {
    if (!shown(element) || inScrollingBox(element)) continue;
    const box = element.getBoundingClientRect();
    const outside = box.left < edge.left - 9 || box.right > edge.right + 9; // headings take 8 on purpose
    const cut = getComputedStyle(element).overflowX === "hidden" && element.scrollWidth > element.clientWidth + 1;
    if (outside && !sticking.some(outer => outer.contains(element))) {
      sticking.push(element);
      faults.push(`sticks out: ${element.tagName} ${words(element)}`);
    }
    if (cut) faults.push(`is cut: ${element.tagName} ${words(element)}`);
  }
  for (const quotation of body.querySelectorAll("blockquote")) {
    if (/^\s*(>|»)/.test(quotation.textContent)) faults.push(`an example set as a quotation: ${words(quotation)}`);
  }
  for (const picture of body.querySelectorAll("img")) {
    if (!picture.complete || !picture.naturalWidth) faults.push(`a picture is missing: ${picture.getAttribute("src")}`);
  }
  for (const signature of body.querySelectorAll("dt.sig")) {
    if (/Annotated\[|~\w+\.|object at 0x|ForwardRef/.test(signature.textContent)) {
      faults.push(`a signature that nobody reads: ${words(signature)}`);
    }
  }
  const texts = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode, holder = text.parentElement;
    if (holder.closest("pre, script, style")) continue;
    const markup = /``|\{[\w:]+\}`|:[\w:]+:`|\]\(|\\\[|\\frac|\*\*\w/;
    if (text.data.includes(">>>")) faults.push(`an example outside a block: ${text.data.trim()}`);
    if (!holder.closest("code, .sig") && markup.test(text.data)) faults.push(`markup: ${text.data.trim()}`);
  }
  return faults;
}"""
"""What is wrong with the page that is shown, in words. Boxes may scroll; the page may not."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the built pages; CRANFIELD_PAGES says where they are, where they are built already."""
    folder = os.environ.get("CRANFIELD_PAGES")
    return pages_in(ROOT / folder if folder else build(tmp_path_factory.mktemp("pages")))


@pytest.fixture(scope="module")
def window() -> Iterator[Page]:
    with browsing(WIDTHS[0]) as page:
        yield page


def test_pages_hold_what_their_commands_print(built: dict[str, Path]) -> None:
    """`python -m tools.outputs` writes it, where the built pages have their campaign."""
    assert built
    run = list(outputs(pages(), PAGES / "example"))
    assert len(run) > 40
    stale = [f"{each.page.relative_to(ROOT)}: {each.shown}" for each in run if each.block != each.shown]
    assert not stale, "\n".join(stale)


def test_every_page_is_shown_as_it_is_meant(built: dict[str, Path], window: Page) -> None:
    """At both widths, and without a network: what a page asks of other hosts is a fault, too."""
    assert {"index", "installing", "quickstart", "api/index", "measures"} <= set(built)
    found = []
    asked: list[str] = []
    window.on("request", lambda request: asked.append(request.url))
    for name, path in built.items():
        window.goto(path.as_uri())
        for width in WIDTHS:
            window.set_viewport_size({"width": width, "height": 900})
            found += [f"{name}, {width} px: {fault}" for fault in window.evaluate(FAULTS)]
        found += [f"{name} asks for {url}" for url in asked if not url.startswith(("file:", "data:"))]
        asked.clear()
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("shown", "fault"),
    [
        ("<div style='width: 2000px'>wide</div>", "the page scrolls sideways"),
        ("<div style='height: 65000px'>high</div>", "the page is 6"),
        ("<div style='overflow: hidden'><div style='width: 2000px'>wide</div></div>", "is cut: DIV"),
        ("<div style='margin-left: -50px'>left</div>", "sticks out: DIV left"),
        ("<blockquote><blockquote><p>&gt;&gt; 1</p></blockquote></blockquote>", "an example set as a quotation"),
        ("<blockquote>» 1</blockquote>", "an example set as a quotation"),
        ("<p>&gt;&gt;&gt; 1 + 1</p>", "an example outside a block"),
        ("<p>see {ref}`there`</p>", "markup: see {ref}"),
        ("<p>made by :func:`simulate`</p>", "markup: made by :func:"),
        ("<p>``code``</p>", "markup: ``code``"),
        ("<p>[a page](page.md)</p>", "markup: [a page](page.md)"),
        (r"<p>\[\frac{1}{2}\]</p>", r"markup: \[\frac"),
        ("<img src='data:,nothing'>", "a picture is missing"),
        ("<dl><dt class='sig'>f(x: Annotated[int, Range(above=0)])</dt></dl>", "a signature that nobody reads"),
        ("<dl><dt class='sig'>f(x: ~numpy._typing._Buffer)</dt></dl>", "a signature that nobody reads"),
    ],
)
def test_faults_are_seen(shown: str, fault: str, window: Page) -> None:
    window.set_content(f"<body style='margin: 60px'><article>{shown}</article></body>")
    assert [one for one in window.evaluate(FAULTS) if one.startswith(fault)]


@pytest.mark.parametrize(
    "shown",
    [
        "<pre>&gt;&gt;&gt; 1 + 1</pre><p>text, <code>``</code> and <code>{ref}`</code></p>",
        "<div style='overflow-x: auto'><table style='width: 2000px'><tr><td>wide</td></tr></table></div>",
        "<pre style='overflow-x: auto'><span style='padding-left: 2000px'>wide</span></pre>",
        "<blockquote>as the paper says</blockquote>",
    ],
)
def test_what_is_well_is_left_alone(shown: str, window: Page) -> None:
    window.set_content(f"<article>{shown}</article>")
    assert window.evaluate(FAULTS) == []


EXPLAINED = {
    "MAP": "glossary",
    "nDCG": "glossary",
    "residual": "glossary",
    "trec_eval": "glossary",
    "BEIR": "glossary",
    "hit rate": "glossary",
    "glossary": "glossary",
    "FAQ": "faq",
    "Recall": "glossary",
    "persistence": "glossary",
    "gallery": "gallery",
    "unanswerable": "unanswerable",
    "abstain": "unanswerable",
    "silence": "unanswerable",
    "no answer": "unanswerable",
    "golden set": "golden-sets",
}
"""Words that people search for, and the page that explains each."""


@pytest.fixture(scope="module")
def served(built: dict[str, Path]) -> Iterator[str]:
    """Serve the pages: the search reads its index as scripts, which some browsers refuse to files."""
    folder = built["index"].parent
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class Quiet(SimpleHTTPRequestHandler):
    """Serve files and print nothing."""

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.mark.parametrize(("word", "page"), EXPLAINED.items())
def test_search_leads_to_the_page_that_explains_a_word(word: str, page: str, served: str, window: Page) -> None:
    window.goto(f"{served}/search.html?q={quote(word)}")
    window.wait_for_selector("#search-results li a")
    window.wait_for_function("!document.querySelector('#search-progress')?.textContent.includes('earching')")
    found = [link.get_attribute("href") or "" for link in window.query_selector_all("#search-results li a")[:5]]
    assert found[0].partition("#")[0].partition("?")[0].removesuffix(".html") == page, found
