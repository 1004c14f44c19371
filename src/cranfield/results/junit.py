"""JUnit XML of verdicts, which continuous integration reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from xml.etree import ElementTree

from cranfield.plumbing.escaping import printable


class Verdicted(NamedTuple):
    """A verdict by one measure: its name, what is said of it, the verdict, and whether it lets the new run through."""

    name: str
    said: str
    verdict: str
    passes: bool


def ends(low: float | None, high: float | None) -> str:
    """Write an interval behind a number, where there is one.

    >>> ends(-0.1, 0.25), ends(None, None)
    (' [-0.1000, 0.2500]', '')
    """
    return "" if low is None or high is None else f" [{low:.4f}, {high:.4f}]"


def junit(pair: str, cases: Sequence[Verdicted]) -> bytes:
    """Return a test case for each measure of a gate: worse is a failure, what else does not pass an error.

    >>> text = junit("new against old", [Verdicted("P@10", "worse: -0.1", "worse", False)]).decode()
    >>> text.splitlines()[1]
    '<testsuite name="cranfield gate" tests="1" failures="1" errors="0">'
    """
    kinds = [None if case.passes else "failure" if case.verdict == "worse" else "error" for case in cases]
    counts = {"tests": len(cases), "failures": kinds.count("failure"), "errors": kinds.count("error")}
    written = {name: str(count) for name, count in counts.items()}
    suite = ElementTree.Element("testsuite", {"name": "cranfield gate"} | written)
    for case, kind in zip(cases, kinds, strict=True):
        said = printable(case.said)
        element = ElementTree.SubElement(suite, "testcase", classname=printable(pair), name=printable(case.name))
        if kind is None:
            ElementTree.SubElement(element, "system-out").text = said
        else:
            ElementTree.SubElement(element, kind, message=said, type=case.verdict)
    ElementTree.indent(suite)
    return bytes(ElementTree.tostring(suite, "utf-8", xml_declaration=True)) + b"\n"
