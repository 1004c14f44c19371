"""Who is answered: whoever brings the token that the command printed, and no other site's pages."""

from __future__ import annotations

from collections.abc import Callable
from hmac import compare_digest
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Final

from cranfield.plumbing.errors import CranfieldError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

TOKEN: Final = "token"  # noqa: S105 - what it is called in an address
BEARER: Final = "Bearer "
LONGEST_ADDRESS: Final = 65_536  # How many characters an address may ask with: some thousand changes
BROUGHT: Final = "What is shown here needs a token: open the address that the command printed, as it is."
WRONG: Final = "This token is invalid or has expired: open the address that the command printed last."
_ELSEWHERE: Final = "Another site asked for this."


class RefusalError(CranfieldError):
    """A request that is not answered; ``again`` is an address at which a person may ask for the same."""

    def __init__(self, problem: str, status: int = 403, again: str | None = None) -> None:
        super().__init__(problem)
        self.status, self.again = status, again


class Key:
    """The secret of one start of the command; a token from `once` opens only once."""

    def __init__(self) -> None:
        self.token = token_urlsafe(32)
        self._once: set[str] = set()

    def once(self) -> str:
        """Return a token that is good once: for a command line, which all users of a machine can read."""
        made = token_urlsafe(32)
        self._once.add(made)
        return made

    def opens(self, given: str) -> bool:
        """Tell whether a token is good, in a time that says nothing about it."""
        fits = [each for each in (self.token, *self._once) if compare_digest(each.encode(), given.encode())]
        self._once.difference_update(fits)
        return bool(fits)


class Guard:
    """Answers only requests from our own pages that bring the token, first in the address, then as a cookie.

    Without a key only other sites are refused.
    """

    def __init__(self, app: ASGIApp, key: Key | None, refusal: Callable[[Request, Exception], Response]) -> None:
        self.app, self.key, self.refusal = app, key, refusal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse to."""
        from starlette.requests import Request

        answer: ASGIApp = self.app
        if scope["type"] == "http":
            request = Request(scope)
            try:
                answer = self._let_in(request) or self.app
            except RefusalError as refused:
                answer = self.refusal(request, refused)
        await answer(scope, receive, send)

    def _let_in(self, request: Request) -> Response | None:
        """Refuse a request, or answer one that brings the token: with a cookie, and the address without it."""
        from starlette.responses import RedirectResponse

        if (length := len(request.url.query)) > LONGEST_ADDRESS:
            problem = f"This address has {length:,} characters; at most {LONGEST_ADDRESS:,} are read"
            raise RefusalError(f"{problem}: undo some changes, or choose less.", status=414)
        given = request.query_params.get(TOKEN)
        if self.key and given is not None:
            if not self.key.opens(given):
                raise RefusalError(WRONG)
            answer = RedirectResponse(without_token(request), status_code=303)
            answer.set_cookie(_cookie(request), self.key.token, httponly=True, samesite="strict")
            return answer
        if not is_our_own(request):
            raise RefusalError(_ELSEWHERE, again=without_token(request) if request.method == "GET" else None)
        if self.key and not self.key.opens(request.cookies.get(_cookie(request), "")):
            raise RefusalError(BROUGHT)
        return None


def is_our_own(request: Request) -> bool:
    """Tell whether a page of ours asks, or a person who typed the address or chose a bookmark.

    To a browser another port of this machine is the same site; here it is another server.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        return site in {"same-origin", "none"}
    if origin is not None:
        return origin == f"{request.url.scheme}://{request.headers.get('host')}"
    # Not a browser, or an old one that says where changes come from. No page of another site can have a browser send
    # a token in a header of its own without asking us first.
    return request.method in {"GET", "HEAD"} or request.headers.get("authorization", "").startswith(BEARER)


def _cookie(request: Request) -> str:
    """Name the cookie by the port that the browser asks: it sends the cookies of all ports to each of them."""
    return f"cranfield-{request.url.port or 80}"


def without_token(request: Request) -> str:
    """Return the address that is asked for, as it is without a token."""
    found = request.url.remove_query_params(TOKEN)
    path = "/" + found.path.lstrip("/")  # two slashes would be another machine
    return f"{path}?{found.query}" if found.query else path
