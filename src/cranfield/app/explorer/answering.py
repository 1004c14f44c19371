"""What is answered at which address: no web is known here, so that any process can work an answer out."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import cranfield.app.explorer.pages  # noqa: F401 - registers them
from cranfield.app.explorer.page import EXPLORER_PAGES, Page, Query
from cranfield.app.explorer.questions import figures
from cranfield.app.explorer.questions.documents import page_of, written
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.possible import steps
from cranfield.app.web import FRAMED, Served, template
from cranfield.formats import write_qrels, write_run
from cranfield.lists.archetypes import kinds_of_documents
from cranfield.measures.framework.misplacement import LENGTH
from cranfield.pages.writer import written_data
from cranfield.plots import plot_named
from cranfield.plots.drawn import WRITERS
from cranfield.plumbing.errors import CranfieldError, InputError

EXPLORER_PACKAGE: Final = "cranfield.app.explorer"
KINDS_OF_FIGURES: Final = tuple(kind for kind in WRITERS if kind != "html")


@dataclass(frozen=True)
class Wanted:
    """What is asked for."""

    route: str  # a key of `EXPLORER_ROUTES`
    url: str  # the whole address, as the browser has it
    parts: tuple[tuple[str, str], ...] = ()  # what stands for the names in the route
    stale: tuple[str, ...] = ()  # the files that are no longer what was read

    @property
    def query(self) -> Query:
        """What stands behind the question mark."""
        return Query.of(urlsplit(self.url).query)

    def part(self, name: str) -> str:
        """Return what stands for a name."""
        return dict(self.parts)[name]


class ExplorerRoute(NamedTuple):
    """What is answered, and whether it may take long: then it is worked out where it can be ended."""

    answer: Callable[[Explored, Wanted], Served]
    takes_long: Callable[[Wanted], bool] = lambda wanted: False


def answered(explored: Explored, wanted: Wanted) -> Served:
    """Answer."""
    return EXPLORER_ROUTES[wanted.route].answer(explored, wanted)


def _page(page: Page, explored: Explored, wanted: Wanted) -> Served:
    if not page.there(explored):
        raise InputError(f"there is no page {page.name} of these runs")
    view = page.filler(explored, wanted.query)
    if table := wanted.query.text("csv"):
        return Served(view.csv(table), "csv", f"{table}.csv")
    frame = frame_of(page, explored, wanted)
    return Served(template(EXPLORER_PACKAGE, f"{page.name}.html.jinja").render({**frame, **view.fills}), "html")


def frame_of(page: Page, explored: Explored, wanted: Wanted) -> dict[str, object]:
    """Return what every page's template is filled with, besides what its function gives."""
    from starlette.datastructures import URL

    there = [each for each in EXPLORER_PAGES.values() if each.place is not None and each.there(explored)]
    return {
        "page": page,
        "menu": sorted(there, key=lambda each: each.place or 0),
        "measures": explored.measures,  # what there is to choose from
        "url": URL(wanted.url),
        "stale": wanted.stale,
        "carry": partial(_carried, explored),  # what a figure of lists is drawn from, by its address
        "figure_named": plot_named,
        "title_of": explored.title_of,  # what a topic is about
        "titled": bool(explored.topics),
        "told_apart": kinds_of_documents(explored.runs.grading.rel),
        "n": LENGTH,  # to which lists are cut or padded where archetypes are told
    }


def _figure(explored: Explored, wanted: Wanted) -> Served:
    name, kind, query = wanted.part("name"), wanted.part("kind"), wanted.query
    if kind not in KINDS_OF_FIGURES:
        raise InputError(f"a figure comes as {', '.join(KINDS_OF_FIGURES)}, not as {kind}")
    measures, runs = query.texts("measure"), query.texts("run")
    if query.text("topic"):
        if not (runs and figures.of_lists(name)):
            raise InputError(
                "a figure of one topic shows lists, as crp-and-dcg does, and needs their runs: topic=…&run=…"
            )
        found = figures.figure_of_lists(explored, name, query.lists(runs), measures)
    else:
        found = figures.figure(explored, name, measures, runs)
    if kind == "json":
        return Served(json.dumps(dict(found.spec)), kind)
    return Served(found.to_bytes(kind), kind, f"{name}.{kind}")


def _changed_qrels(explored: Explored, wanted: Wanted) -> Served:
    found = explored.alterable.altered(wanted.query.changes(wanted.query.required("topic")))
    return Served(_written(lambda path: write_qrels(found.qrels, path)), "txt", "qrels.txt")


def _changed_run(explored: Explored, wanted: Wanted) -> Served:
    name = explored.run(wanted.query.required("name"))
    found = explored.alterable.altered(wanted.query.changes(wanted.query.required("topic")))
    [source] = explored.sources([name])
    data = _written(lambda path: write_run(found.run(name, source.read()), path, name="".join(name.split()) or "run"))
    return Served(data, "txt", f"{name}.txt")


def _written(write: Callable[[str], None]) -> bytes:
    """Return what would be written to a file."""
    with tempfile.TemporaryDirectory(prefix="cranfield-") as folder:
        path = Path(folder, "written.txt")
        write(str(path))
        return path.read_bytes()


def _possible(explored: Explored, wanted: Wanted) -> Served:
    return Served(json.dumps(steps(explored, wanted.query.text("measure"))), "json")


def _text(explored: Explored, wanted: Wanted) -> Served:
    name = wanted.query.required("document")
    return Served(written(explored, name).text, "txt", f"{name}.txt")


def _framed(explored: Explored, wanted: Wanted) -> Served:
    return Served(page_of(explored, wanted.query.required("document")), "html", policy=FRAMED)


def _carried(explored: Explored, at: str) -> str:
    """Return what a figure is drawn from, for its page to bring along: one answer is sooner there than two."""
    from markupsafe import Markup

    path, _, asked = at.partition("?")
    query = Query.of(asked)
    try:
        lists, measures = query.lists(query.texts("run")), query.texts("measure")
        name = path.removeprefix("/figure/").removesuffix(".json")
        return Markup(written_data(figures.written_figure_of_lists(explored, name, lists, measures)))  # noqa: S704
    except CranfieldError:
        return ""


FIGURE_PATH: Final = "/figure/{name}.{kind}"
EXPLORER_ROUTES: Final[Mapping[str, ExplorerRoute]] = {
    **{
        f"/{page.name}": ExplorerRoute(partial(_page, page), lambda wanted, page=page: page.takes_long(wanted.query))  # type: ignore[misc]
        for page in EXPLORER_PAGES.values()
    },
    FIGURE_PATH: ExplorerRoute(_figure, lambda wanted: not figures.is_quick(wanted.part("name"), wanted.part("kind"))),
    "/possible.json": ExplorerRoute(_possible, lambda wanted: True),
    "/changed/qrels": ExplorerRoute(_changed_qrels),
    "/changed/run": ExplorerRoute(_changed_run),
    "/document.txt": ExplorerRoute(_text),
    "/document.html": ExplorerRoute(_framed),
}
"""Everything that can be asked for, by its path."""


def prepare() -> None:
    """Load what every figure and page needs, so that whoever asks first need not wait for it."""
    for page in EXPLORER_PAGES.values():
        template(EXPLORER_PACKAGE, f"{page.name}.html.jinja")
