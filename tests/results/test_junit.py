"""JUnit XML of whatever runs are called."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

import cranfield as cf
from cranfield.results.programs import Verdicted, junit

ODD = ["a\x1bb", "tab\tfeed\x0b", "\x00", "\ud800", "\ufffe\uffff", '<&">', "caf\xe9"]


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("passes", [True, False])
def test_any_name_gives_xml(name: str, passes: bool) -> None:
    """What XML cannot hold is written as an escape, as it is shown elsewhere."""
    written = junit(f"{name} against b", [Verdicted(f"P@10 in {name}", f"worse in {name}", "worse", passes)])
    [case] = ElementTree.fromstring(written)  # noqa: S314 - our own
    shown = {"a\x1bb": "a\\x1bb", "\ufffe\uffff": "\\ufffe\\uffff", "caf\xe9": name, '<&">': name}.get(name)
    assert shown is None or case.get("classname") == f"{shown} against b"
    [told] = case
    assert "worse in " in (told.text or str(told.get("message")))


def test_a_gate_of_odd_names_gives_xml() -> None:
    qrels = {str(t): {"a": 1, "b": 0} for t in range(8)}
    runs = {"a\x1b[31m": {t: ["a", "b"] for t in qrels}, "b": {t: ["b", "a"] for t in qrels}}
    suite = ElementTree.fromstring(cf.gate(qrels, runs, "AP").to_junit())  # noqa: S314 - our own
    assert suite[0].get("classname") == "b against a\\x1b[31m"
