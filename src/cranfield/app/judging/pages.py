"""The pages that a task's server sends: fixed text, which a script of the page's name fills by the HTTP interface."""

from __future__ import annotations

from typing import Final, NamedTuple

from cranfield.app.web import template

JUDGING_PACKAGE: Final = "cranfield.app.judging"
ASSESSORS: Final = frozenset({"assessor", "organiser"})


class JudgingPage(NamedTuple):
    """A page of a judging task: its address, the name of its template and script, its title, and who sees it."""

    path: str
    name: str
    title: str
    roles: frozenset[str]


JUDGING_PAGES: Final[dict[str, JudgingPage]] = {
    page.path: page
    for page in (
        JudgingPage("/", "judge", "Judge", ASSESSORS),
        JudgingPage("/first", "first", "First ten", ASSESSORS),
        JudgingPage("/pair", "pair", "Side by side", ASSESSORS),
        JudgingPage("/settle", "settle", "Settle", frozenset({"organiser"})),
        JudgingPage("/organise", "organise", "Organise", frozenset({"organiser"})),
        JudgingPage("/observe", "organise", "Progress", frozenset({"observer"})),
    )
}
"""All pages by their address."""


def written(path: str, role: str) -> str:
    """Write a page for a person of this role, who must be allowed to see it."""
    page = JUDGING_PAGES[path]
    menu = [each for each in JUDGING_PAGES.values() if role in each.roles]
    return template(JUDGING_PACKAGE, f"{page.name}.html.jinja").render(page=page, menu=menu, role=role)


def doorway() -> str:
    """Write the page that a link leads to: a single button, so that link previews do not use the link up."""
    return template(JUDGING_PACKAGE, "enter.html.jinja").render()
