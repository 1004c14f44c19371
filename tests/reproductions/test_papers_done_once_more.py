"""The papers as they are declared: no table and no figure is passed over, and all of it can be done on small data."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tools.each import each_of

from cranfield.plumbing.errors import CranfieldError
from cranfield.reports.elements import Statement, unfolded
from cranfield.reproductions import PAPERS, reproduce
from cranfield.reproductions.claims import VERDICTS
from cranfield.reproductions.study import Study
from cranfield.scoring.judged_runs import join

NUMBERED = {
    "cumulated-gain": {"Table": 1, "Figure": 4},
    "cumulated-relative-position": {"Figure": 3},
    "targeted-judgments": {"Table": 5, "Figure": 3},
    "ranking-interruptus": {"Table": 3, "Figure": 4},
    "twist": {"Table": 4, "Figure": 14},
}
"""Up to which number each paper has tables and figures."""


@pytest.mark.parametrize("name", PAPERS)
def test_no_table_or_figure_of_a_paper_is_passed_over(name: str) -> None:
    labels = [item.label for item in PAPERS[name].items]
    assert len({item.name for item in PAPERS[name].items}) == len(labels)
    for kind, last in NUMBERED[name].items():
        numbers = set[int]()
        for label in labels:
            for found in re.finditer(rf"{kind}s? (\d+)(?: (?:and|to) (\d+))?", label):
                numbers |= set(range(int(found[1]), int(found[2] or found[1]) + 1))
        assert numbers == set(range(1, last + 1)), kind


@pytest.mark.parametrize("name", PAPERS)
def test_a_paper_is_written_out(name: str) -> None:
    for item in PAPERS[name].items:
        assert all(text == text.strip() for text in (item.label, item.title, item.by, item.longer))
        assert not item.title.endswith(".")
        assert not item.by or item.by.endswith(".")


LITTLE: dict[str, tuple[Any, Any]] = {
    "one run, one topic": ({"1": {"a": 1}}, {"r": {"1": ["a", "x"]}}),
    "nothing relevant": ({"1": {"a": 0}, "2": {"b": 0}}, {name: {"1": ["a", "x"], "2": ["b"]} for name in "pqr"}),
    "nothing retrieved": (
        {"1": {"a": 1}, "2": {"b": 2}},
        {"p": {"1": ["x"], "2": ["y"]}, "q": {"1": ["z"]}, "r": {"2": ["a"]}},
    ),
    "all runs alike": ({t: {"a": 1, "b": 2} for t in "123"}, {n: {t: ["a", "b"] for t in "123"} for n in "pqrs"}),
    "grades below 0": ({t: {"a": -1, "b": 2, "c": 0.5} for t in "12"}, {n: {t: [n, "b"] for t in "12"} for n in "acx"}),
}
SEARCHED = {("ranking-interruptus", "Table 1")}
"""Items that take seconds, whatever the runs."""


@pytest.mark.integration
@each_of("case", LITTLE)
@each_of("name", PAPERS)
def test_little_data_is_enough_or_refused(name: str, case: str) -> None:
    study = Study({"qrels": join(*LITTLE[case])})
    for item in PAPERS[name].items:
        if (name, item.label) not in SEARCHED and item.lack(study) is None:
            with suppress(CranfieldError):
                for block in unfolded(list(item.writer(study))):
                    assert not isinstance(block, Statement) or not re.search(r"\b(nan|inf|None)\b", block.found)


@pytest.mark.slow
@pytest.mark.parametrize("collection", ["dl19-passage", "trec8-adhoc", "covid-round1"])
@pytest.mark.parametrize("name", PAPERS)
def test_a_paper_on_real_runs(data: Path, tmp_path: Path, name: str, collection: str) -> None:
    folder = data / collection
    rel = 2.0 if collection == "dl19-passage" else None
    found = reproduce(name, folder / "qrels.txt", folder / "runs", folder=tmp_path, rel=rel)
    assert not set(found.claims["verdict"]) - {*VERDICTS}
    assert (tmp_path / "report.html").stat().st_size > 10_000
