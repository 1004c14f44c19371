"""JUnit XML of verdicts, which continuous integration reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from xml.etree import ElementTree


class Verdicted(NamedTuple):
    """A verdict by one measure: its name, what is said of it, the verdict, and whether it lets the new run through."""

    name: str
    said: str
    verdict: str
    passes: bool


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
        element = ElementTree.SubElement(suite, "testcase", classname=pair, name=case.name)
        if kind is None:
            ElementTree.SubElement(element, "system-out").text = case.said
        else:
            ElementTree.SubElement(element, kind, message=case.said, type=case.verdict)
    ElementTree.indent(suite)
    return bytes(ElementTree.tostring(suite, "utf-8", xml_declaration=True)) + b"\n"
