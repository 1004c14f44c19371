"""A page says each fact once: whole, on made runs and on real ones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tools.each import each_of

import cranfield as cf
from cranfield.campaigns import simulate, write_campaign
from cranfield.reports.elements import ReportDocument, Words
from cranfield.reports.first_sheet import MOST_ROWS
from cranfield.reports.sentence import MOST_CAVEATS, caveats_of, found_in

DAY = date(2026, 3, 31)
QRELS = {str(topic): {"a": 2, "b": 1, "c": 0, "x": 0} for topic in range(8)}
GOOD, LATE, OPEN = ({topic: list(found) for topic in QRELS} for found in ("ab", "cab", "uab"))
NEAR = GOOD | {"0": ["c", "a"], "1": ["b", "a", "c"]}
CASES: dict[str, dict[str, Any]] = {
    "several": {"good": GOOD, "near": NEAR, "late": LATE, "open": OPEN},
    "two": {"late": LATE, "near": NEAR},
    "half": {"good": GOOD, "late": LATE, "near": NEAR, "half": {topic: GOOD[topic] for topic in "0123"}},
}
MORE: dict[str, dict[str, Any]] = {
    "one": {"near": NEAR},
    "equal": {"good": GOOD, "same": GOOD},
    "shared": {"good": GOOD, "same": GOOD, "late": LATE},
    "one topic": {"good": {"0": ["a", "b"]}, "open": {"0": ["u", "a"]}, "late": {"0": ["c", "a"]}},
    "many": {f"run{n}": LATE | dict(list(GOOD.items())[: n % 8]) for n in range(MOST_ROWS + 3)},
}


def told(document: ReportDocument) -> Iterator[str]:
    """Go through all that a page says in sentences, captions aside."""
    first = document.first
    assert first is not None
    decided = [] if first.decision is None else [first.decision.words]
    words = [each for block in document.blocks() if isinstance(block, Words) for each in block.sentences]
    for said in [document.lead, first.says, first.sure, *decided, *first.caveats, *words]:
        yield from filter(None, re.split(r"(?<=[.]) (?=[A-Z])", said))


def says_all_once(found: cf.Report) -> None:
    sentences = Counter(told(found.document))
    assert not [said for said, often in sentences.items() if often > 1]
    facts = [said for said in sentences if not said.startswith("Best swap in ")]  # from where to where a swap leads
    numbers = Counter(number for said in facts for number in {*re.findall(r"(?<![\d.])\d\.\d{4}(?!\d)", said)})
    assert not [number for number, often in numbers.items() if often > 1 and number not in {"0.0000", "1.0000"}]
    first, evidence = found.document.first, found.evidence
    assert first is not None
    assert first.caveats == tuple(said.words for said in caveats_of(evidence).values())[:MOST_CAVEATS]
    page = " ".join(told(found.document))
    for each, said in found_in(evidence):
        below = bool(each.sections) or each.name in caveats_of(evidence)
        assert page.count(said.words) == below or each.name in {"alone", "did-not-run"}, each.name


@each_of("name", CASES)
def test_a_page_says_each_fact_once(name: str) -> None:
    says_all_once(cf.report(QRELS, CASES[name], ["nDCG@10", "AP", "Judged@10"], date=DAY))


def real(folder: Path, runs: slice, **asked: Any) -> cf.Report:
    files = sorted((folder / "runs").iterdir())[runs]
    asked |= {"baseline": files[1].name.split(".")[0]} if asked.pop("against", False) else {}
    return cf.report(folder / "qrels.txt", files, date=DAY, **asked)


@pytest.mark.integration
@each_of("name", MORE)
def test_so_do_pages_of_other_made_runs(name: str) -> None:
    for measures in (None, ["ASL", "AP"]):
        topics = {topic: QRELS[topic] for topic in next(iter(MORE[name].values()))}
        says_all_once(cf.report(topics, MORE[name], measures, date=DAY))
    says_all_once(cf.report({topic: {"a": 0} for topic in QRELS}, MORE[name], date=DAY))


@pytest.mark.integration
def test_so_do_pages_of_real_runs(data: Path, tmp_path: Path) -> None:
    passages, trec = data / "dl19-passage", data / "trec8-adhoc"
    write_campaign(simulate(systems=40, topics=20, depth=50, seed=1), tmp_path)
    cases: list[Callable[[], cf.Report]] = [
        partial(real, passages, slice(12), rel=2),
        partial(real, passages, slice(5), rel=2, against=True),
        partial(real, passages, slice(2), rel=2),
        partial(real, passages, slice(1), rel=2),
        partial(real, trec, slice(6)),
        partial(real, tmp_path, slice(40)),
    ]
    for case in cases:
        says_all_once(case())
