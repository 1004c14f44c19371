"""Each template gets what its page gives, and asks for nothing else."""

from __future__ import annotations

from importlib.resources import files

import jinja2
import pytest
from jinja2 import meta, nodes

import cranfield as cf
from cranfield.app.explorer.answering import EXPLORER_PACKAGE, Wanted, frame_of
from cranfield.app.explorer.page import EXPLORER_PAGES, Query
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.web import template
from cranfield.demonstration import demonstration

ENVIRONMENT = template(EXPLORER_PACKAGE, "overview.html.jinja").environment


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


@pytest.fixture(scope="module")
def explored() -> Explored:
    made = demonstration()
    return Explored(cf.join(made.qrels, made.runs, bounds=True), ["nDCG@10", "AP"], made.documents, demonstration=True)


@pytest.mark.parametrize("name", sorted(EXPLORER_PAGES))
def test_a_template_asks_for_what_its_page_gives(name: str, explored: Explored) -> None:
    document = next(iter(demonstration().runs["bm25"]["15"]))
    asked = f"run=bm25&topic=15&document={document}&a=bm25&b=names&figure=parallel"
    own = set(EXPLORER_PAGES[name].filler(explored, Query.of(asked)).fills)
    frame = set(frame_of(EXPLORER_PAGES[name], explored, Wanted(f"/{name}", f"http://127.0.0.1/{name}")))
    assert not own & frame
    assert asked_of(f"{name}.html.jinja") - frame - own - optional(name) == set()
    assert "measure" in own


def optional(name: str) -> set[str]:
    """Name what pieces ask for that a page does not use: the lines that are kept are on two pages alone."""
    return set() if name in {"overview", "run"} else {"keeping"}


def test_every_page_has_a_function_and_a_template_of_its_name() -> None:
    assert {page.filler.__name__ for page in EXPLORER_PAGES.values()} == set(EXPLORER_PAGES)
    templates = {each.name for each in files(EXPLORER_PACKAGE).joinpath("templates").iterdir()}
    assert {f"{name}.html.jinja" for name in EXPLORER_PAGES} <= templates
    assert issubclass(jinja2.StrictUndefined, ENVIRONMENT.undefined)
