"""docs/differences.md against what it speaks of: names × collections, and no difference that the page does not name.

ir_measures and cwl_eval, which it calls, are run. Of ranx, which brings too much along, the values are recorded
(`tests/golden`).
"""

from __future__ import annotations

import json
import logging
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import pytest

import cranfield as cf
from cranfield.judged.conditions import Order

pytestmark = pytest.mark.filterwarnings("ignore")  # the peers' own

ROOT = Path(__file__).parents[2]
PAGE = " ".join((ROOT / "docs" / "differences.md").read_text(encoding="utf-8").split())
RECORDED = json.loads((ROOT / "tests" / "golden" / "ranx.json").read_text(encoding="utf-8"))

Collection: TypeAlias = dict[str, Any]
Values: TypeAlias = dict[str, float]
Found: TypeAlias = Literal["the same", "no value", "another value"]


@dataclass(frozen=True)
class Named:
    """A difference that the page names.

    Attributes
    ----------
    names
        Their names for the measures that it is of, as a regular expression.
    says
        What stands on the page.
    here
        What to ask for in place of the name to have their numbers, if anything does.
    order
        What to rank by.
    shared
        Whether it is of the topics alone that the run has.
    within
        How far their numbers are from ours, where nothing brings them nearer.
    """

    names: str
    says: str
    here: str | None = None
    order: Order = "trec9"
    shared: bool = False
    within: float = 1e-6


def collections() -> dict[str, Collection]:
    """Return collections of grades 0 and 1, of several, of negative ones; with ties; and a run without a topic."""
    made = {name: {key: each[key] for key in ("qrels", "run")} for name, each in RECORDED["collections"].items()}
    graded = made["graded"]
    tied = {topic: {d: float(round(s)) for d, s in listed.items()} for topic, listed in graded["run"].items()}
    made["ties"] = {
        "qrels": {topic: dict(sorted(each.items())) for topic, each in graded["qrels"].items()},
        "run": tied,
    }
    made["lacking"] = graded | {"run": {topic: graded["run"][topic] for topic in "13456"}}
    return made


def ours(name: str, of: Collection, order: Order) -> Values | None:
    """Return our values by topic, of all topics; None where the name is refused, or stands for several measures."""
    try:
        measures = cf.parse_measures(name)
    except cf.MeasureError:
        return None
    if len(measures) != 1:
        return None
    by_topic = cf.evaluate(of["qrels"], {"run": of["run"]}, measures, order=order).by_run()["run"]
    return {topic: next(iter(values.values())) for topic, values in by_topic.items()}


def alike(mine: Values | None, theirs: Values, within: float = 1e-6) -> bool:
    """Tell whether values are equal; a topic that they leave out has 0."""
    return mine is not None and all(abs(mine[topic] - theirs.get(topic, 0.0)) <= within for topic in mine)


def explained(name: str, of: Collection, theirs: Values, named: list[Named]) -> list[Named]:
    """Return what the page names for this measure that accounts for the difference here."""
    found = []
    for each in named:
        if re.fullmatch(each.names, name):
            mine = ours(each.here or name, of, each.order)
            if each.shared and mine:
                mine = {topic: mine[topic] for topic in of["run"]}
            if alike(mine, theirs, each.within):
                found.append(each)
    return found


def test_the_page_says_all_that_is_looked_for() -> None:
    missing = [each.says for each in [*RANX, *IR_MEASURES] if " ".join(each.says.split()) not in PAGE]
    assert not missing


# ranx

RANX = [
    Named(r"recall", "`SetR`; `recall` alone is read as trec_eval's", "SetR"),
    Named(r"recall-l2", "`SetR`; `recall` alone is read as trec_eval's", "SetR(rel=2)"),
    Named(r"ndcg_burges@5-l2", "gain by gain; the names are refused", "nDCG(gains={1:0,2:3,3:7})@5"),
    Named(r"dcg_burges@5-l2", "gain by gain; the names are refused", "DCG(gains={1:0,2:3,3:7})@5"),
]
COUNTED = "| `hits@k` | k times `P@k`; the name is refused |"
GRADES_GAINED = "`RBP(p=0.8)` times the largest grade of the qrels"
NEGATIVE = "Give them grade 0 to have ranx' value."
NOTHING_AGAINST = "**Bpref** is NaN there where nothing was judged not relevant"


@pytest.mark.parametrize("collection", RECORDED["collections"])
def test_ranx(collection: str) -> None:
    of = RECORDED["collections"][collection]
    top = max(grade for judged in of["qrels"].values() for grade in judged.values())
    without_negative = of | {"qrels": {t: {d: max(g, 0) for d, g in each.items()} for t, each in of["qrels"].items()}}
    unnamed = []
    for name, given in of["values"].items():
        theirs = {topic: math.nan if value is None else value for topic, value in given.items()}
        level = "(rel=2)" if name.endswith("-l2") else ""
        if alike(ours(name, of, "score"), theirs) or explained(name, of, theirs, RANX):
            continue
        if name.startswith("hits"):
            assert COUNTED in PAGE
            counted = ours(f"P{level}@3", of, "score") or {}
            assert alike({topic: 3 * value for topic, value in counted.items()}, theirs)
        elif name == "rbp.80":
            assert GRADES_GAINED in PAGE
            shares = ours("RBP(p=0.8)", of, "score") or {}
            assert alike({topic: top * value for topic, value in shares.items()}, theirs)
        elif name == "rbp.80-l2":  # refused, too
            assert ours(name, of, "score") is None
        elif name.startswith("bpref"):
            assert NEGATIVE in PAGE
            assert NOTHING_AGAINST in PAGE
            known = {topic: value for topic, value in theirs.items() if not math.isnan(value)}
            assert set(theirs) - set(known) <= {"5"}
            found = ours(f"Bpref{level}", without_negative, "score") or {}
            assert alike({topic: found[topic] for topic in known}, known)
        else:
            unnamed.append(name)
    assert not unnamed


# ir_measures, and cwl_eval through it

BY_PYTREC_EVAL = (
    "AP AP(rel=2) AP@5 Rprec Rprec(rel=2) Bpref Bpref(rel=2) infAP RR P@5 P(rel=2)@5 R@5 nDCG nDCG@5 Success@1 SetP "
    "SetR SetAP SetF SetF(beta=4.0) IPrec@0.4 NumRet NumRet(rel=1) NumRel NumQ"
)
BY_OTHERS = (
    "RR@5 RR(rel=2)@5 Judged@5 Compat Compat(p=0.8) Accuracy Accuracy@10 Accuracy@1 RBP(rel=1) RBP(p=0.5,rel=2) "
    "BPM(max_rel=3)@5 SDCG(max_rel=3)@5 NERR8(max_rel=3)@5 NERR9(max_rel=3)@5 NERR10(max_rel=3) NERR11(max_rel=3) "
    "INSQ(max_rel=3) INST(max_rel=3)"
)
BY_GDEVAL = ["nDCG(dcg='exp-log2')@5", "ERR@5"]
FIRST_FIRST = "ties by id, the *first* first"
AS_GIVEN = 'ties in the order of the input | `order="stable"`'
ENDS = "lists end at rank 1,000, so that values are higher"
IR_MEASURES = [
    Named(r"SetF\(beta=4.0\)", "`SetF(beta=4.0)`, which has to be typed with its point", "SetF(beta=2)"),
    Named(r"NumQ|NumRel", "topics that the run lacks are left out", shared=True),
    Named(r"ERR@5", "the highest grade there is is 4, whatever the qrels hold", "ERR(max_rel=4)@5", within=0.6e-5),
    Named(r"nDCG\(dcg.*", "(by gdeval): five decimals", within=0.6e-5),
    # The made lists are in the order of their ids, so that in the order of the input the first comes first, too.
    Named(r"RR.*@5|Judged@5|Compat.*", FIRST_FIRST, order="stable"),
    Named(r"Accuracy.*|RBP.*|BPM.*|SDCG.*|NERR.*", AS_GIVEN, order="stable"),
    Named(r"INSQ.*|INST.*", ENDS, order="stable", within=2e-3),
    Named(r"NERR11.*", ENDS, order="stable", within=5e-4),
]
IDEAL_AS_IN_QRELS = "relevant documents of equal grade and equal score are in the ideal list as in the qrels"
DIVIDES = "float division by zero"


@pytest.fixture
def silence() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.usefixtures("silence")
def test_ir_measures() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    pytest.importorskip("cwl")
    unnamed, needed = [], set()
    for collection, of in collections().items():
        for name in [*BY_PYTREC_EVAL.split(), *BY_OTHERS.split(), *BY_GDEVAL]:
            try:
                given = list(ir_measures.iter_calc([ir_measures.parse_measure(name)], of["qrels"], of["run"]))
            except ZeroDivisionError:
                assert name.startswith("Accuracy@")
                assert f'"{DIVIDES}", and no value of any topic' in PAGE
                needed.add(DIVIDES)
                continue
            theirs = {each.query_id: float(each.value) for each in given}
            if not alike(ours(name, of, "trec9"), theirs):
                named = explained(name, of, theirs, IR_MEASURES)
                needed.update(each.says for each in named)
                if not named:
                    unnamed.append((collection, name, theirs, ours(name, of, "trec9")))
    assert not unnamed
    assert {each.says for each in IR_MEASURES} | {DIVIDES} == needed  # the page names nothing that is not there


def test_the_ideal_list_of_ir_measures_has_ties_as_the_qrels_have_them() -> None:
    """a and b are relevant and tied. Ranked a, b, with b first in the qrels, theirs is no perfect list."""
    ir_measures = pytest.importorskip("ir_measures")
    assert IDEAL_AS_IN_QRELS in PAGE
    run = {"1": {"a": 1.0, "b": 1.0}}
    found = {}
    for first, second in ("ab", "ba"):
        of = {"qrels": {"1": {first: 1, second: 1}}, "run": run}
        [given] = ir_measures.iter_calc([ir_measures.parse_measure("Compat")], of["qrels"], run)
        found[first] = (given.value, (ours("Compat", of, "stable") or {})["1"])
    assert found["a"] == pytest.approx((1, 1))
    assert found["b"][1] == pytest.approx(1)
    assert found["b"][0] < 0.9
