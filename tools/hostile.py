"""Runs, topics and documents whose names, titles and texts are attacks on a page that shows them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import polars as pl

import cranfield as cf
from cranfield.campaigns import simulate, write_campaign

if TYPE_CHECKING:
    from playwright.sync_api import Page

RUN: Final = "document.title='RUN'"
"""What an attack would do, if it were run."""
ATTACKS: Final = (
    f"</script><script>{RUN}</script>",
    f'"><img src="https://elsewhere.example/a" onerror="{RUN}">',
    f'\' autofocus onfocus="{RUN}" onmouseover="{RUN}" x=\'',
    f"javascript:{RUN}",
    "</style><style>@import url(https://elsewhere.example/b); * { display: none }</style>",
    f"</title></textarea></figcaption><svg onload={RUN}><iframe srcdoc='<script>parent.{RUN}</script>'>",
    f"]]><!--<script>{RUN}//-->",
    f"\u2028{RUN}\u2029\u2028",
    f"\\u003c/script\\u003e\\x3cscript\\x3e{RUN}",
    "\u202eesrever\u202c \u200fright\u200e \u2067to\u2069 left",
    "\x00\x01\t\r\n\x1b]0;RUN\x07\x7f\x85",
    "many letters " + "X" * 10_000,
    f"'+({RUN})+'\"+({RUN})+\"`${{{RUN}}}` {{{{{RUN}}}}} {{% {RUN}%}}",
    f"<base href=https://elsewhere.example/><meta http-equiv=refresh content=0;url=javascript:{RUN}>",
    f"datum['x'].y[0] \\\" + ({RUN}) + \" \\",
    "__proto__",
    "&lt;b&gt; &amp;quot; &#x3c;i> =1+1 %s {0}",
)
"""As names; the first of a run, a topic or a document is all of them, but for the many letters."""


def named(place: int, kind: str) -> str:
    """Return the name of the run, topic or document at a place: an attack, and no two are the same."""
    every = " ".join(each for each in ATTACKS if len(each) < 1000)
    return (f"{every} {kind} 0", *ATTACKS)[place] if place <= len(ATTACKS) else f"{ATTACKS[0]} {kind} {place}"


@dataclass(frozen=True)
class Campaign:
    """Files with such names, in formats that can hold them."""

    qrels: Path
    runs: Path
    documents: Path
    topics: Path


def campaign(folder: Path) -> Campaign:
    """Write a small campaign into a folder."""
    write_campaign(simulate(systems=len(ATTACKS) + 1, topics=len(ATTACKS) + 1, depth=20, seed=3), folder / "plain")
    qrels = cf.read_qrels(folder / "plain" / "qrels.txt")
    runs = cf.read_runs(folder / "plain" / "runs")
    every = pl.concat([run.select(pl.lit(name).alias("run"), pl.all()) for name, run in runs.items()])
    first = every.sort("run", "query_id", "score", descending=[False, False, True])
    names = {
        "run": sorted(runs),
        "query_id": first["query_id"].unique(maintain_order=True).to_list(),
        "doc_id": first["doc_id"].unique(maintain_order=True).to_list(),
    }
    as_attacks = {kind: {name: named(i, kind) for i, name in enumerate(each)} for kind, each in names.items()}
    found = Campaign(*(folder / each for each in ("qrels.parquet", "runs.parquet", "docs.jsonl", "topics.jsonl")))
    hostile = [pl.col(kind).replace(as_attacks[kind]) for kind in ("query_id", "doc_id")]
    qrels.with_columns(*hostile).write_parquet(found.qrels)
    every.with_columns(*hostile, pl.col("run").replace(as_attacks["run"])).write_parquet(found.runs)
    texts = list(as_attacks["doc_id"].values())
    lines = [
        {"doc_id": name, "title": named(i % 17, "title"), "text": named(i % 19, "text")} for i, name in enumerate(texts)
    ]
    found.documents.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    topics = [{"query_id": name, "title": f"{name} asked"} for name in as_attacks["query_id"].values()]
    found.topics.write_text("\n".join(map(json.dumps, topics)), encoding="utf-8")
    return found


@contextmanager
def watched(window: Page, *, served: str = "file:") -> Iterator[list[str]]:
    """List what happens on the pages of a window that should not: scripts, dialogs, words on the console, requests."""
    happened: list[str] = []
    heard: dict[str, Callable[..., None]] = {
        "console": lambda message: happened.append(f"the console says: {message.text}"),
        "pageerror": lambda error: happened.append(f"a script fails: {error}"),
        "dialog": lambda dialog: happened.append(f"a dialog says: {dialog.message}"),
        "popup": lambda popup: happened.append(f"a window opens: {popup.url}"),
        "request": lambda request: (
            None if request.url.startswith((served, "data:", "blob:")) else happened.append(f"asks for {request.url}")
        ),
    }
    for event, hearing in heard.items():
        window.on(event, hearing)  # type: ignore[call-overload]
    yield happened
    if window.title() == "RUN":
        happened.append("a script that stands in a name has run")
    for event, hearing in heard.items():
        window.remove_listener(event, hearing)


def touched(window: Page, place: str, *, steps: int = 4) -> None:
    """Move the mouse across everything of a kind, so that what is shown then is shown, too."""
    for each in window.locator(place).all():
        each.scroll_into_view_if_needed()
        box = each.bounding_box()
        if box is None:
            continue
        for i in range(steps * steps):
            across, down = (i % steps + 0.5) / steps, (i // steps + 0.5) / steps
            window.mouse.move(box["x"] + across * box["width"], box["y"] + down * box["height"])
