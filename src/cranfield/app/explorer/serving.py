"""The explorer's server: pages of the registry, figures, and what can be taken away."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import cranfield.app.explorer.pages  # noqa: F401 - registers them
from cranfield.app.explorer.page import PAGES, Page, Query
from cranfield.app.explorer.questions.documents import page_of, written
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.questions.figures import figure, figure_of_lists, written_figure_of_lists
from cranfield.app.web import FRAMED, Served, address, application, served, template
from cranfield.formats import write_qrels, write_run
from cranfield.formats.optional import library
from cranfield.plots import plot_named
from cranfield.plots.drawn import WRITERS
from cranfield.plumbing.errors import CranfieldError, InputError

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

TITLE: Final = "cranfield explore"
PACKAGE: Final = "cranfield.app.explorer"


def explorer(explored: Explored) -> Starlette:
    """Make the application that answers questions about joined runs."""
    from starlette.responses import RedirectResponse

    app = application(TITLE, PACKAGE)
    menu = sorted((page for page in PAGES.values() if page.place is not None), key=lambda page: page.place or 0)

    def answer(page: Page) -> Callable[[Request], Response]:
        def of(request: Request) -> Response:
            query = Query(request.query_params)
            view = page.filler(explored, query)
            if table := query.text("csv"):
                return served(Served(view.csv(table), "csv", f"{table}.csv"))
            fills: dict[str, Any] = {
                "page": page,
                "menu": menu,
                "measures": explored.measures,
                "url": request.url,
                "figure_named": plot_named,
                "carry": lambda at: _carried(explored, at),
            }
            text = template(PACKAGE, f"{page.name}.html.jinja").render(**fills, **view.fills)
            return served(Served(text, "html"))

        return of

    for page in PAGES.values():
        app.add_route(f"/{page.name}", answer(page))

    def home(request: Request) -> Response:
        del request
        return RedirectResponse(address("overview"))

    def drawn(request: Request) -> Response:
        name, kind = request.path_params["name"], request.path_params["kind"]
        if kind not in WRITERS or kind == "html":
            raise InputError(f"a figure is had as {', '.join(k for k in WRITERS if k != 'html')}, not as {kind}")
        query = Query(request.query_params)
        measures, runs = query.texts("measure"), query.texts("run")
        if query.text("topic"):
            found = figure_of_lists(explored, name, query.lists(runs), measures)
        else:
            found = figure(explored, name, measures, runs)
        if kind == "json":
            return served(Served(json.dumps(dict(found.spec)), kind))
        return served(Served(found.to_bytes(kind), kind, f"{name}.{kind}"))

    def changed_qrels(request: Request) -> Response:
        query = Query(request.query_params)
        found = explored.alterable.altered(query.changes(query.required("topic")))
        return served(Served(_written(lambda path: write_qrels(found.qrels, path)), "txt", "qrels.txt"))

    def changed_run(request: Request) -> Response:
        query = Query(request.query_params)
        name = explored.run(query.required("name"))
        found = explored.alterable.altered(query.changes(query.required("topic")))
        source = explored.runs.sources[explored.runs.runs.index(name)]
        table = found.run(name, source.read())
        data = _written(lambda path: write_run(table, path, name="".join(name.split()) or "run"))
        return served(Served(data, "txt", f"{name}.txt"))

    def text(request: Request) -> Response:
        name = Query(request.query_params).required("document")
        return served(Served(written(explored, name).text, "txt", f"{name}.txt"))

    def framed(request: Request) -> Response:
        page = page_of(explored, Query(request.query_params).required("document"))
        return served(Served(page, "html", policy=FRAMED))

    routes = {"/": home, "/figure/{name}.{kind}": drawn, "/changed/qrels": changed_qrels, "/changed/run": changed_run}
    routes |= {"/document.txt": text, "/document.html": framed}
    for path, answered in routes.items():
        app.add_route(path, answered)
    return app


def prepare() -> None:
    """Load what every figure and page needs, so that whoever asks first need not wait for it."""
    library("altair", extra="app")
    for page in PAGES.values():
        template(PACKAGE, f"{page.name}.html.jinja")


def _carried(explored: Explored, at: str) -> str:
    """Return what a figure of lists is drawn from, for a page to bring along: one answer is sooner there than two.

    Nothing where it cannot be drawn: the page will ask for it, and be told why.
    """
    from markupsafe import Markup
    from starlette.datastructures import QueryParams

    path, _, asked = at.partition("?")
    name = path.removeprefix("/figure/").removesuffix(".json")
    query = Query(QueryParams(asked))
    try:
        lists, measures = query.lists(query.texts("run")), query.texts("measure")
        data = written_figure_of_lists(explored, name, lists, measures).replace("<", "\\u003c")
    except CranfieldError:
        return ""
    return Markup(f'<script type="application/json">{data}</script>')  # noqa: S704 - no "<" is left in it


def _written(write: Callable[[str], None]) -> bytes:
    """Return what would be written to a file."""
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory(prefix="cranfield-") as folder:
        path = Path(folder, "written.txt")
        write(str(path))
        return path.read_bytes()
