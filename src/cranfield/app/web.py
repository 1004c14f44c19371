"""What all applications are served by: pages found by a registry, nothing from elsewhere, and errors in one line."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlencode

from cranfield.app.guard import Guard, Key, RefusalError
from cranfield.app.workers import FaultError
from cranfield.formats.optional import library
from cranfield.pages.look import look
from cranfield.pages.writer import ASSETS, DRAWING, VENDORED
from cranfield.plumbing.errors import CranfieldError
from cranfield.plumbing.escaping import printable
from cranfield.plumbing.wording import counted

if TYPE_CHECKING:
    import jinja2
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOSTS: Final = ["127.0.0.1", "localhost"]
"""By which names the server may be called; a page elsewhere that points its own name here is refused."""
CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
FRAMED: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'self'; sandbox"
)
"""The policy of a page that others wrote, shown by ours in a frame: nothing runs, and nothing is loaded."""
HEADERS: Final = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
    "X-DNS-Prefetch-Control": "off",
}
MEDIA_TYPES: Final = {
    "css": "text/css", "csv": "text/csv", "html": "text/html", "js": "text/javascript", "json": "application/json",
    "jsonl": "application/jsonl", "pdf": "application/pdf", "svg": "image/svg+xml", "txt": "text/plain",
    "gif": "image/gif", "jpeg": "image/jpeg", "png": "image/png", "webp": "image/webp",
}  # fmt: skip
"""What things served are, by their suffix."""


class Served(NamedTuple):
    """Something that is served as it is."""

    content: str | bytes
    kind: str  # its suffix
    name: str | None = None  # its file's, if it is to be downloaded
    policy: str | None = None  # what it may do, if not what our pages may


def address(path: str, **given: object) -> str:
    """Write the address of a page from its path and query; what is None is left out."""
    asked = urlencode({name: value for name, value in given.items() if value not in (None, "", ())}, doseq=True)
    return f"/{path}?{asked}" if asked else f"/{path}"


def served(answer: Served) -> Response:
    """Hand something on, for download if it has a name."""
    from starlette.responses import Response

    headers = {}
    if answer.name is not None:
        plain = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in answer.name)
        headers["Content-Disposition"] = f'attachment; filename="{plain}"'
    if answer.policy is not None:
        headers["Content-Security-Policy"] = answer.policy
    return Response(answer.content, media_type=MEDIA_TYPES[answer.kind], headers=headers)


class _Secured:
    """Say with every answer what a page may do."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from starlette.datastructures import MutableHeaders

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, told if scope["type"] == "http" else send)


def application(
    title: str, package: str, key: Key | None = None, *, hosts: Sequence[str] = HOSTS, in_json: tuple[str, ...] = ()
) -> Starlette:
    """Make an application that answers only this machine, under one of its host names, with errors in one line.

    With a key it answers only those who bring its token; below ``in_json`` errors are JSON.
    """
    starlette: Any = library("starlette.applications", extra="app")
    from starlette.exceptions import HTTPException
    from starlette.middleware import Middleware
    from starlette.middleware.trustedhost import TrustedHostMiddleware
    from starlette.responses import HTMLResponse, JSONResponse

    def refused(request: Request, error: Exception) -> Response:
        found = (error.status, error.again) if isinstance(error, RefusalError) else (400, None)
        return said(request, str(error), *found)

    def short(request: Request, error: Exception) -> Response:
        return said(request, f"This machine cannot do it: {error or 'memory is short'}.", 503)

    def fault(request: Request, error: Exception) -> Response:
        told = str(error) if isinstance(error, FaultError) else f"{type(error).__name__}: {error}"
        problem = f"This is a fault of cranfield, not yours: please report it, with this address and {told}"
        return said(request, problem, 500)

    def said(request: Request, problem: str, status: int, again: str | None = None) -> Response:
        if request.url.path.startswith(in_json or "//"):  # which no path begins with
            return JSONResponse({"problem": problem}, status_code=status, headers=HEADERS)
        text = template("cranfield.app", "error.html.jinja").render(title=title, problem=problem, again=again)
        return HTMLResponse(text, status_code=status, headers=HEADERS)

    def asset(request: Request) -> Response:
        name = request.path_params["name"]
        found = _assets(package).get(name)
        if found is None:
            raise HTTPException(404)
        response = served(Served(found, name.rpartition(".")[2]))
        response.headers["Cache-Control"] = "max-age=3600"
        return response

    app: Starlette = starlette.Starlette(
        middleware=[
            Middleware(_Secured),
            Middleware(TrustedHostMiddleware, allowed_hosts=[*hosts]),
            Middleware(Guard, key=key, refusal=refused),
        ],
        exception_handlers={
            CranfieldError: refused,
            OSError: short,
            MemoryError: short,
            FaultError: fault,
            Exception: fault,
        },
    )
    app.add_route("/assets/{name}", asset)
    return app


@cache
def _assets(package: str) -> dict[str, bytes]:
    """Read all scripts and styles: those of others, of all pages, of all applications, and an application's own."""
    folders = [VENDORED, ASSETS, files("cranfield.app").joinpath("assets"), files(package).joinpath("assets")]
    read = {
        each.name: each.read_bytes()
        for folder in folders
        for each in folder.iterdir()
        if each.name.endswith((".js", ".css"))
    }
    return {**read, "look.css": look().encode()}


def scripts(package: str) -> list[str]:
    """Name the scripts that an application adds: all are there on every page, since pages replace one another."""
    return sorted(each.name for each in files(package).joinpath("assets").iterdir() if each.name.endswith(".js"))


@cache
def template(package: str, name: str) -> jinja2.Template:
    """Return a template: texts in it are escaped, and what would be printed strangely is made visible."""
    engine: Any = library("jinja2", extra="app")
    loader = engine.ChoiceLoader([engine.PackageLoader(each, "templates") for each in (package, "cranfield.app")])
    environment = engine.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=engine.StrictUndefined
    )
    environment.filters["printable"] = printable
    environment.filters["counted"] = counted
    environment.globals |= {"address": address, "drawing": DRAWING}
    environment.globals["scripts"] = scripts(package) if package != "cranfield.app" else []
    found: jinja2.Template = environment.get_template(name)
    return found
