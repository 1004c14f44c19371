"""Take pictures of every page of the explorer, to judge them by eye:

    python -m tools.explorer_pictures FOLDER [NAME]...
    python -m tools.explorer_pictures --docs

The collections are the demonstration, two real ones, one with texts, and one run on one topic; each
page is pictured at the widths of a small laptop and of a telephone, light and dark. It takes
chromium. With `--docs` the one picture is taken that `docs/explore.md` shows.
"""

from __future__ import annotations

import csv
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import urlopen

from playwright.sync_api import Page

from tools.exploring import opened, serving, watching
from tools.pages import ROOT, WIDTHS
from tools.pictures import REAL
from tools.ranked import runs_for


def collections(scratch: Path) -> Iterator[tuple[str, list[str]]]:
    """Name the collections, and what the explorer is started with for each."""
    yield "demo", ["--demo"]
    qrels, run = scratch / "qrels.txt", scratch / "bm25.run"
    qrels.write_text("1 0 a 1\n1 0 b 0\n", encoding="utf-8")
    run.write_text("1 Q0 a 1 2.0 bm25\n1 Q0 x 2 1.0 bm25\n", encoding="utf-8")
    yield "1-run-1-topic", [str(qrels), str(run)]
    for name in ("dl19-passage", "covid-round1"):
        if (REAL / name).is_dir():
            yield name, [str(REAL / name / "qrels.txt"), *map(str, sorted((REAL / name / "runs").iterdir()))]
    texts = REAL / "small-collections" / "nfcorpus-test"
    if texts.is_dir():
        made = runs_for(texts, scratch / "nfcorpus")
        runs = map(str, sorted((made / "runs").iterdir()))
        read = ["--docs", str(made / "docs.jsonl.gz"), "--topics-file", str(made / "topics.tsv")]
        yield "nfcorpus", [str(made / "qrels.txt"), *runs, *read]


def pages(address: str) -> dict[str, str]:
    """Return an address of each page, by its name: on a topic neither hard nor easy, of the best two runs."""
    topics = _rows(address, "topics", "topics")
    topic = topics[len(topics) // 2]["topic"]  # neither the hardest nor the easiest
    runs = list(dict.fromkeys(row["run"] for row in _rows(address, "overview", "leaderboard")))[:2]
    document = _rows(address, "topic", "lists", topic=topic, run=runs)[0]["document"]
    changes = f'[["{document}", 1]]'
    return {
        "overview": _at("overview"),
        "rankings": _at("rankings", pick_run=runs[0], pick_topic=topic),
        "topics": _at("topics"),
        "topic": _at("topic", topic=topic, run=runs),
        "topic-changed": _at("topic", topic=topic, run=runs, changes=changes, order=["as it is", "best order"]),
        "run": _at("run", run=runs[0]),
        "could-be": _at("overview", ties="best", relevant="1%"),
        "pair": _at("pair"),
        "document": _at("document", topic=topic, document=document),
        "search": _at("search", find=topic[:2]),
        "error": _at("topic", topic="no such topic"),
    }


def _at(page: str, **given: str | Sequence[str]) -> str:
    return f"/{page}?{urlencode(given, doseq=True)}"


def _rows(address: str, page: str, table: str, **given: str | Sequence[str]) -> list[dict[str, str]]:
    with urlopen(address + _at(page, csv=table, **given)) as answer:  # noqa: S310 - it is our own server
        return list(csv.DictReader(answer.read().decode().splitlines()))


def main(folder: Path, names: list[str]) -> None:
    """Take the pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for name, arguments in collections(Path(scratch)):
            if names and name not in names:
                continue
            with serving(arguments) as address:
                for width in WIDTHS:
                    for look in ("light", "dark"):
                        with watching(address, width, dark=look == "dark", forgiving=True) as page:
                            for shown, at in pages(address).items():
                                picture(page, address + at, folder / f"{name}-{shown}-{width}-{look}.png")


def picture(page: Page, address: str, path: Path) -> None:
    """Take a picture of a page, and say how wide it is if it is wider than its window."""
    opened(page, address)
    page.screenshot(path=path, full_page=True)
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    print(path, f"{wide} pixels too wide" if wide > 0 else "")  # noqa: T201


def for_docs() -> None:
    """Take the picture of a list that was changed, the pointer on its fifth document."""
    changes = '[["bm25","glob.iglob",1],["bm25","fnmatch.fnmatch",1]]'
    with serving() as address, watching(address, WIDTHS[0]) as page:
        opened(page, address + _at("topic", topic="15", run=["bm25", "cosine"], changes=changes, first="8"))
        page.locator(".ranked li").nth(4).hover()
        page.screenshot(
            path=ROOT / "docs" / "explore-topic.png",
            full_page=True,
            clip={"x": 0, "y": 0, "width": WIDTHS[0], "height": 1170},  # down to the end of the first curves
        )


if __name__ == "__main__":
    if sys.argv[1:] == ["--docs"]:
        for_docs()
        sys.exit()
    if len(sys.argv) < 2:
        sys.exit("usage: python -m tools.explorer_pictures FOLDER [NAME]...")
    main(Path(sys.argv[1]), sys.argv[2:])
