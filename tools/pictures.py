"""Draw every figure for few runs and for many, to judge it by eye: `python -m tools.pictures FOLDER`.

Each figure is drawn of one topic, of two runs, of 37 and of 143, where nothing is relevant, and of
real collections where they are there; and for a journal's column, in greys. `index.html` in the
folder shows all of it, and what was refused, with the words in which it was.
"""

from __future__ import annotations

import html
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path

import cranfield as cf
from cranfield.campaigns import simulate, write_campaign
from cranfield.plots import PLOTS, Figure
from cranfield.plotting import plot_collections
from cranfield.plumbing.errors import InputError
from cranfield.scoring.judged_runs import JudgedRuns

REAL = Path(os.environ.get("CRANFIELD_DATA", Path(__file__).parents[1].parent / "shared" / "data"))
"""Collections of TREC, where they are there; see their own pages for what they are."""
COLLECTIONS: Mapping[str, float | None] = {"dl19-passage": 2, "covid-round1": None, "trec8-adhoc": None}
"""Their names, and their lowest relevant grade where it is not the usual one."""


def cases(scratch: Path) -> Iterator[tuple[str, Callable[[], JudgedRuns]]]:
    """Name what figures are drawn of; it is made when it is asked for."""
    for name, systems, topics in (("37 runs", 37, 43), ("143 runs", 143, 30)):
        write_campaign(simulate(systems=systems, topics=topics, depth=200, seed=1), scratch / name)
    many, few = scratch / "143 runs", scratch / "37 runs"
    runs = sorted((few / "runs").iterdir())
    qrels = cf.read_qrels(few / "qrels.txt")
    one = qrels.filter(qrels["query_id"] == qrels["query_id"][0])
    nothing = cf.to_dict(qrels)
    nothing = {topic: dict.fromkeys(grades, 0) for topic, grades in nothing.items()}
    yield "one topic", partial(cf.join, one, runs)
    yield "one run", partial(cf.join, qrels, runs[:1])
    yield "two runs", partial(cf.join, qrels, runs[:2])
    yield "37 runs", partial(cf.join, qrels, runs)
    yield "143 runs", partial(cf.join, many / "qrels.txt", many / "runs")
    yield "nothing relevant", partial(cf.join, nothing, runs)
    for name, rel in COLLECTIONS.items():
        if (REAL / name).is_dir():
            yield name, partial(cf.join, REAL / name / "qrels.txt", REAL / name / "runs", rel=rel)


def pictures(folder: Path, names: list[str]) -> Iterator[tuple[str, str, Path | str]]:
    """Draw figures; yield each with what it is of, and its file or why there is none."""
    with tempfile.TemporaryDirectory() as scratch:
        for case, make in cases(Path(scratch)):
            joined = cache(make)
            for name in names:
                begun = time.perf_counter()
                try:
                    figure = plot_collections(PLOTS[name], {"": joined()})
                except InputError as error:
                    print(f"{name}, {case}: refused: {error}")  # noqa: T201
                    yield name, case, str(error)
                    continue
                yield name, case, _written(figure, folder / f"{name}-{case.replace(' ', '-')}.png")
                if case == "37 runs":
                    yield name, "a column of print, grey", _printed(figure, folder / f"{name}-column.png")
                print(f"{name}, {case}: {time.perf_counter() - begun:.1f} s")  # noqa: T201


def _printed(figure: Figure, file: Path) -> Path | str:
    try:
        return _written(figure.for_print("column", grey=True), file)
    except InputError as error:
        print(f"{figure.name}, a column of print: refused: {error}")  # noqa: T201
        return str(error)


def _written(figure: Figure, file: Path) -> Path:
    figure.save(file)
    return file


def main(folder: Path, names: list[str]) -> None:
    """Write the pictures, and the page that shows them."""
    folder.mkdir(parents=True, exist_ok=True)
    parts: dict[str, list[str]] = {}
    for name, case, found in pictures(folder, names or sorted(PLOTS)):
        shown = f"<img src='{found.name}'>" if isinstance(found, Path) else f"<p>refused: {html.escape(found)}</p>"
        parts.setdefault(name, []).append(f"<figure><figcaption>{case}</figcaption>{shown}</figure>")
    body = "".join(f"<h2>{name}</h2><div>{''.join(figures)}</div>" for name, figures in parts.items())
    style = "div{display:flex;flex-wrap:wrap;align-items:start}figure{width:46%;margin:1%}img{max-width:100%}"
    page = f"<!doctype html><meta charset=utf-8><title>Figures</title><style>{style}</style>{body}\n"
    (folder / "index.html").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit("usage: python -m tools.pictures FOLDER [FIGURE]...")
    main(Path(sys.argv[1]), sys.argv[2:])
