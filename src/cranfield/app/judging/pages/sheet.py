"""One page to send by mail: it judges a topic without a server, and gives back the lines of a log."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Final

from cranfield.app.judging.answers import DocumentShown, TaskShown
from cranfield.app.judging.shapes import written
from cranfield.app.web import template
from cranfield.pages.writer import data, page
from cranfield.plumbing.errors import InputError

PACKAGE: Final = "cranfield.app.judging"
MODULES: Final = ("pieces.js", "bench.js", "sheet.js")
"""What the page runs: what the server's page runs, on another source of documents."""
_IMPORT: Final = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_EXPORT: Final = re.compile(r"^export ", re.MULTILINE)


def sheet(task: TaskShown, topic: str, documents: Sequence[DocumentShown], *, assessor: str = "") -> str:
    """Write a page that judges the documents of one topic offline.

    Its judgments are kept in the browser, and downloaded as JSON lines: the events ``assessed``, ``amended`` and
    ``retracted`` of `cranfield.selection.records`, and ``seen``, ``reasoned``, ``skipped`` and ``flagged`` of a task's
    log.

    Parameters
    ----------
    task, topic
        The task, and which of its topics.
    documents
        What is judged, in this order; images are ``data:`` addresses, since the page asks nobody for anything.
    assessor
        Who judges; whoever opens the page says so where it is empty.

    Raises
    ------
    InputError
        If the task has no such topic, or there is nothing to judge.
    """
    asked = next((each for each in task.topics if each.id == topic), None)
    if asked is None:
        raise InputError(f"there is no topic {topic!r}; there are {', '.join(each.id for each in task.topics)}")
    if not documents:
        raise InputError(f"topic {topic!r} has no documents to judge")
    told = {
        "task": written(replace(task, topics=[asked], runs=[], searchable=False)),
        "documents": [written(each) for each in documents],
        "assessor": assessor,
    }
    told["id"] = sha256(repr(told).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    body = template(PACKAGE, "sheet.html.jinja").render(assessor=assessor) + data(told)
    return page(f"{task.title}, topic {topic}", body, styles=[_asset("judging.css")], scripts=[script()])


@cache
def script() -> str:
    """Return the modules as one script.

    >>> "import {" in script(), script().startswith("(() => {"), "export " in script()
    (False, True, False)
    """
    return "(() => {\n" + "\n".join(_EXPORT.sub("", _IMPORT.sub("", _asset(name))) for name in MODULES) + "})();\n"


@cache
def _asset(name: str) -> str:
    return files(PACKAGE).joinpath("assets", name).read_text(encoding="utf-8")
