"""Draw every figure for few runs and for many, to judge it by eye: `python -m tools.pictures FOLDER [FIGURE]...`.

Each figure is drawn of one topic, of 1, 2, 3, 40 and 143 runs, where nothing is relevant, and of
real collections where they are there; of 2, 3 and 40 runs as a dark page shows it, too, as wide as a
journal's column, and in greys as wide as its page. `FIGURE.png` and `FIGURE-looks.png` in the folder
are sheets of all of it, with what was refused, in the words in which it was.
"""

from __future__ import annotations

import html
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from itertools import groupby
from pathlib import Path

from playwright.sync_api import Page

import cranfield as cf
from cranfield.campaigns import simulate, write_campaign
from cranfield.pages.look import IN_THE_DARK, SHADES
from cranfield.plots import PLOTS, Figure
from cranfield.plotting import plot_collections
from cranfield.plumbing.errors import InputError
from cranfield.scoring.judged_runs import JudgedRuns
from tools.pages import browsing

REAL = Path(os.environ.get("CRANFIELD_DATA", Path(__file__).parents[1].parent / "shared" / "data"))
"""Collections of TREC, where they are there; see their own pages for what they are."""
COLLECTIONS: Mapping[str, float | None] = {"dl19-passage": 2, "covid-round1": None, "trec8-adhoc": None}
"""Their names, and their lowest relevant grade where it is not the usual one."""
LOOKS: Mapping[str, Callable[[Figure], Figure]] = {
    "": Figure.for_print,
    ", dark": Figure.for_print,
    ", column": partial(Figure.for_print, width="column"),
    ", page in greys": partial(Figure.for_print, width="page", grey=True),
}
"""How a figure is looked at; in the dark it is the same picture, which the page turns round."""
LOOKED_AT = ("2 runs", "3 runs", "40 runs")
"""Of which cases it is looked at in each of these ways."""
WIDE = 1900

STYLE = f"""
body {{ display: flex; flex-wrap: wrap; align-items: start; gap: 8px; margin: 8px; font: 14px sans-serif }}
figure {{ margin: 0; padding: 4px; max-width: 460px }}
img {{ max-width: 100%; max-height: 480px; border: 1px solid #ccc }}
.dark {{ background: {SHADES["ground"].dark} }} .dark figcaption {{ color: {SHADES["ink"].dark} }}
.dark img {{ filter: {IN_THE_DARK}; border: 0 }}
"""


def cases(scratch: Path) -> Iterator[tuple[str, Callable[[], JudgedRuns]]]:
    """Name what figures are drawn of; it is made when it is asked for."""
    for name, systems, topics in (("40 runs", 40, 43), ("143 runs", 143, 30)):
        write_campaign(simulate(systems=systems, topics=topics, depth=200, seed=1), scratch / name)
    many, few = scratch / "143 runs", scratch / "40 runs"
    runs = sorted((few / "runs").iterdir())
    qrels = cf.read_qrels(few / "qrels.txt")
    one = qrels.filter(qrels["query_id"] == qrels["query_id"][0])
    nothing = cf.to_dict(qrels)
    nothing = {topic: dict.fromkeys(grades, 0) for topic, grades in nothing.items()}
    yield "one topic", partial(cf.join, one, runs)
    for few_runs, count in (("1 run", 1), ("2 runs", 2), ("3 runs", 3), ("40 runs", 40)):
        yield few_runs, partial(cf.join, qrels, runs[:count])
    yield "143 runs", partial(cf.join, many / "qrels.txt", many / "runs")
    yield "nothing relevant", partial(cf.join, nothing, runs)
    for name, rel in COLLECTIONS.items():
        if (REAL / name).is_dir():
            yield name, partial(cf.join, REAL / name / "qrels.txt", REAL / name / "runs", rel=rel)


def pictures(folder: Path, names: list[str]) -> Iterator[tuple[str, str, Path | str]]:
    """Draw figures; yield each with what it is of, and its file or why there is none."""
    with tempfile.TemporaryDirectory() as scratch:
        joined = {case: cache(make) for case, make in cases(Path(scratch))}
        for name in names:
            begun = time.perf_counter()
            for case, make in joined.items():
                drawn = _or_why(partial(_plotted, name, make))
                for look, change in LOOKS.items() if case in LOOKED_AT else [("", Figure.for_print)]:
                    found = drawn if isinstance(drawn, str) else _or_why(partial(change, drawn))
                    yield (
                        name,
                        f"{case}{look}",
                        found if isinstance(found, str) else _written(found, folder, case + look),
                    )
                    if isinstance(drawn, str):
                        break
            print(f"{name}: {time.perf_counter() - begun:.1f} s")  # noqa: T201


def _plotted(name: str, make: Callable[[], JudgedRuns]) -> Figure:
    return plot_collections(PLOTS[name], {"": make()})


def _or_why(draw: Callable[[], Figure]) -> Figure | str:
    """Draw, or return why nothing can be drawn."""
    try:
        return draw()
    except InputError as error:
        return f"refused: {error}"


def _written(figure: Figure, folder: Path, case: str) -> Path:
    file = folder / f"{figure.name}-{case.replace(' ', '-').replace(',', '')}.svg"
    figure.save(file)
    return file


def sheet(window: Page, target: Path, found: Mapping[str, Path | str]) -> None:
    """Take a picture of all pictures of a figure."""
    parts = [
        f"<figure class='{'dark' if 'dark' in case else ''}'><figcaption>{case}</figcaption>"
        + (f"<img src='{shown.name}'>" if isinstance(shown, Path) else f"<p>{html.escape(shown)}</p>")
        + "</figure>"
        for case, shown in found.items()
    ]
    page = target.with_suffix(".html")
    page.write_text(f"<!doctype html><meta charset=utf-8><style>{STYLE}</style>{''.join(parts)}\n", encoding="utf-8")
    window.goto(page.as_uri())
    window.screenshot(path=target, full_page=True)


def main(folder: Path, names: list[str]) -> None:
    """Write the pictures, and a sheet of those of each figure."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, drawn in groupby(pictures(folder, names or sorted(PLOTS)), key=lambda each: each[0]):
        found = {case: shown for _, case, shown in drawn}
        with browsing(WIDE) as window:
            sheet(window, folder / f"{name}.png", {case: shown for case, shown in found.items() if ", " not in case})
            sheet(window, folder / f"{name}-looks.png", {case: shown for case, shown in found.items() if ", " in case})


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit("usage: python -m tools.pictures FOLDER [FIGURE]...")
    main(Path(sys.argv[1]), sys.argv[2:])
