"""Each template gets what its page declares, and asks for nothing else."""

from __future__ import annotations

from dataclasses import fields
from importlib.resources import files
from typing import get_type_hints

import jinja2
import pytest
from jinja2 import meta, nodes

from cranfield.app.explorer import pages
from cranfield.app.explorer.answering import PACKAGE, PageFrame
from cranfield.app.explorer.page import PAGES, Fills
from cranfield.app.web import template

GIVEN = {each.name for each in fields(PageFrame)} | {"figure_named"}
ENVIRONMENT = template(PACKAGE, "overview.html.jinja").environment


def asked_of(name: str, seen: frozenset[str] = frozenset()) -> set[str]:
    """Name the variables of a template, and of all that it is made of."""
    loader = ENVIRONMENT.loader
    assert loader is not None
    parsed = ENVIRONMENT.parse(loader.get_source(ENVIRONMENT, name)[0])
    others = {each for each in meta.find_referenced_templates(parsed) if each} - seen
    own = {each.target for each in parsed.find_all(nodes.Import)} | {each.name for each in parsed.find_all(nodes.Macro)}
    own |= {each.name for each in parsed.find_all(nodes.Name) if each.ctx == "store"}
    found = meta.find_undeclared_variables(parsed) - {*ENVIRONMENT.globals} - own
    return found.union(*(asked_of(each, seen | others | {name}) for each in others))


def declared(name: str) -> type[Fills]:
    """Return what a page says that its template gets."""
    [found] = [each for each in Fills.__subclasses__() if each.__module__ == f"{pages.__name__}.{name}"]
    return found


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_template_asks_for_what_its_page_declares(name: str) -> None:
    shown = declared(name)
    assert shown.__dataclass_params__.frozen  # type: ignore[attr-defined]
    own = {each.name for each in fields(shown)}
    assert not own & GIVEN
    assert asked_of(f"{name}.html.jinja") - GIVEN - own - optional(name) == set()


def optional(name: str) -> set[str]:
    """Name what pieces ask for that a page does not use: the lines that are kept are on two pages alone."""
    return set() if name in {"overview", "run"} else {"keeping"}


def test_every_page_is_filled_by_what_it_declares() -> None:
    assert {page.filler.__name__ for page in PAGES.values()} == set(PAGES)
    templates = {each.name for each in files(PACKAGE).joinpath("templates").iterdir()}
    assert {f"{name}.html.jinja" for name in PAGES} <= templates
    assert issubclass(jinja2.StrictUndefined, ENVIRONMENT.undefined)
    assert all("measure" in {each.name for each in fields(declared(name))} for name in PAGES)
    assert get_type_hints(Fills) == {"measure": str}
