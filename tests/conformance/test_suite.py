"""The suite: its values by hand, by the product and by peers, and that it can be loaded by anybody."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from itertools import pairwise, product
from math import isclose, log2
from pathlib import Path
from typing import Any, NoReturn

import ir_measures
import jsonschema
import polars as pl
import pytest
import pytrec_eval
from tools.adapters import ADAPTERS
from tools.conformance import rows, tested
from tools.each import each_of

import cranfield as cf
from cranfield.conformance.cases import CASES, SITUATIONS, Case, Situation
from cranfield.conformance.choices import CHOICE_QUESTIONS, conventions, named, questions, usual
from cranfield.conformance.definitions import DEFINITIONS
from cranfield.conformance.suite import files
from cranfield.conformance.verdict import TOLERANCE

BY_ID = {case.id: case for case in CASES}


@each_of(
    ("case", "how", "expected"),
    [
        ("plain/DCG@3", {}, 1 / log2(2) + 2 / log2(4)),
        ("plain/DCG@3", {"gain": "exponential"}, 1 / log2(2) + 3 / log2(4)),
        ("plain/nDCG@3", {}, (1 + 2 / 2) / (3 + 2 / log2(3) + 1 / 2)),
        ("plain/nDCG@3", {"ideal": "top-k"}, (1 + 2 / 2) / (2 + 1 / log2(3))),
        ("plain/AP", {}, (1 + 2 / 3 + 3 / 4) / 3),
        ("shorter-than-k/AP@5", {}, 2 / 4),
        ("shorter-than-k/P@5", {"divisor": "returned"}, 2 / 2),
        ("shorter-than-k/nDCG@5", {"ideal": "returned"}, (1 + 2 / log2(3)) / (2 + 1 / log2(3))),
        ("shorter-than-k/DCG@5", {"list": "appended"}, 1 + 2 / log2(3) + 1 / 2 + 1 / log2(5)),
        ("more-relevant-than-k/AP@2", {"divisor": "min"}, 2 / 2),
        ("more-relevant-than-k/nDCG@2", {}, 1),  # a and b, of five as good
        ("nothing-found/RR", {}, (1 / 2 + 0) / 2),
        ("nothing-found/RR", {"topics": "found"}, 1 / 2),
        ("no-relevant-document/RR", {"no answer": "1"}, (1 / 2 + 1) / 2),
        ("absent-from-run/P@3", {"topics": "shared"}, 1 / 3),
        ("twice/AP", {}, None),
        ("twice/AP", {"duplicates": "twice"}, (1 + 2 / 3 + 3 / 4) / 2),  # a, b, a, c
        ("ties-first-id/RR", {"ties": "averaged"}, (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4),
        ("grade-below-0/Bpref", {}, 1),
        ("grade-below-0/Bpref", {"skipped": "unjudged"}, (1 / 2 + 1 / 2) / 2),  # R = 2, N = 2
        ("fractions/AP", {"relevance": "from-1"}, 1 / 3),
        ("own-document/P@1", {"own": "removed"}, 1),
        ("excluded/AP", {}, (1 / 2) / 3),
        ("excluded/AP", {"excluded": "residual"}, 1 / 2),
        ("excluded/AP", {"excluded": "ranked"}, (1 + 1 + 3 / 4) / 3),
        ("own-spam-unjudged/RR@5", {}, 1 / 5),
        ("own-spam-unjudged/RR@5", {"own": "removed"}, 1 / 4),
        ("own-spam-unjudged/RR@5", {"unjudged": "removed"}, 1 / 3),
        ("spam-unjudged-first/AP", {}, (1 / 4 + 2 / 5) / 2),
        ("spam-unjudged-first/AP", {"unjudged": "removed"}, (1 / 3 + 2 / 4) / 2),  # s, n, a, b
        ("spam-unjudged-first/AP", {"unjudged": "removed-below-0"}, (1 / 2 + 2 / 3) / 2),  # n, a, b
        ("topics-apart/DCG@3", {}, 1 / 5),
        ("topics-apart/DCG@3", {"topics": "shared", "no answer": "left-out"}, 1 / 2),
    ],
)
def test_values_by_hand(case: str, how: dict[str, str], expected: float | None) -> None:
    assert BY_ID[case].value(how) == (None if expected is None else pytest.approx(expected, abs=1e-12))


@each_of(
    ("case", "open_"),
    [
        ("plain/AP", ()),
        ("not-retrieved/AP", ("ties", "unjudged")),  # x and y would be tied, were they appended
        ("no-relevant-document/RR", ("no answer",)),
        ("absent-from-run/P@3", ("topics",)),
    ],
)
def test_what_a_definition_leaves_open_by_hand(case: str, open_: tuple[str, ...]) -> None:
    """A document of grade 1 answers its topic, so nothing is to be said of topics without one."""
    assert BY_ID[case].open() == open_


def frame(of: Situation) -> tuple[pl.DataFrame, dict[str, pl.DataFrame]]:
    qrels = pl.DataFrame(of.qrels, schema=["query_id", "doc_id", "relevance"], orient="row", strict=False)
    run = pl.DataFrame(of.run, schema=["query_id", "doc_id", "score"], orient="row")
    return qrels.with_columns(pl.col("relevance").cast(pl.Float64)), {"run": run}


def excluded(of: Situation) -> dict[str, list[str]] | None:
    return {topic: [document for _, document in of.excluded] for topic, _ in of.excluded} or None


OURS: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({}, {}),
    ({"order": "trec9"}, {"scores": "32"}),
    ({"order": "stable"}, {"ties": "as-given"}),
    ({"order": "file"}, {"ties": "file"}),
    ({"topics": "shared"}, {"topics": "shared"}),
    ({"judged_only": True}, {"unjudged": "removed"}),
    ({"exclude": "self"}, {"own": "removed"}),
    ({"rel": 1}, {"relevance": "from-1"}),
    ({"residual": True}, {"excluded": "residual"}),
]
"""Conditions of the product, and the choices that they are."""


@each_of(("how", "chosen"), OURS)
def test_the_product_gives_the_values(how: dict[str, Any], chosen: dict[str, str]) -> None:
    for situation in SITUATIONS:
        qrels, run = frame(situation)
        cases = [case for case in CASES if case.situation is situation and {*chosen} <= {*case.open()}]
        if not cases:
            continue
        expected = {case.measure: case.value(chosen) for case in cases}
        if None in expected.values():
            assert set(expected.values()) == {None}
            with pytest.raises(cf.InputError, match="twice"):
                cf.evaluate(qrels, run, list(expected), **how)
            continue
        found = cf.evaluate(qrels, run, list(expected), **{"exclude": excluded(situation)} | how)
        values = [found["run", measure] for measure in found.measures]
        assert values == pytest.approx([*expected.values()], abs=1e-12), situation.name


def test_the_product_gives_the_values_of_exponential_gain() -> None:
    for case in CASES:
        expected = case.value({"gain": "exponential"})
        if case.measure.startswith(("nDCG", "DCG")) and expected is not None:
            measure = f"{case.measure.split('@')[0]}(dcg=exp-log2)@{case.cutoff}"
            qrels, run = frame(case.situation)
            found = cf.evaluate(qrels, run, measure, exclude=excluded(case.situation))
            assert found["run", measure] == pytest.approx(expected, abs=1e-12), case.id


PYTREC: dict[str, str] = {
    "nDCG@k": "ndcg_cut",
    "AP": "map",
    "AP@k": "map_cut",
    "RR": "recip_rank",
    "P@k": "P",
    "R@k": "recall",
    "Success@k": "success",
    "Bpref": "bpref",
}


def as_dicts(of: Situation) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]] | None:
    """Return what dicts of whole grades can hold, without documents that are excluded."""
    if (
        of.excluded
        or any(grade != int(grade) for *_, grade in of.qrels)
        or len({row[:2] for row in of.run}) < len(of.run)
    ):
        return None
    qrels: dict[str, dict[str, int]] = {}
    for topic, document, grade in of.qrels:
        qrels.setdefault(topic, {})[document] = int(grade)
    run: dict[str, dict[str, float]] = {}
    for topic, document, score in of.run:
        run.setdefault(topic, {})[document] = score
    return qrels, run


@each_of(("convention", "options"), [("trec_eval 9", {}), ("trec_eval 9 -c -J", {"judged_docs_only_flag": True})])
def test_pytrec_eval_gives_the_values_of_trec_eval_9(convention: str, options: dict[str, bool]) -> None:
    compared = 0
    for case in CASES:
        if (dicts := as_dicts(case.situation)) and case.family in PYTREC:
            name = PYTREC[case.family]
            asked = {f"{name}.{case.cutoff}" if case.cutoff else name}
            evaluator = pytrec_eval.RelevanceEvaluator(dicts[0], asked, **options)
            values = [next(iter(each.values())) for each in evaluator.evaluate(dicts[1]).values()]
            expected = case.value(named(case.family, convention) | {"topics": "shared"})
            assert sum(values) / len(values) == pytest.approx(expected, abs=1e-6), case.id
            compared += 1
    assert compared > 100


def test_ir_measures_gives_the_values_of_its_order() -> None:
    """RR@k is of another provider, which ranks ties by id, the first first, in 64 bits."""
    compared = 0
    for case in CASES:
        if (dicts := as_dicts(case.situation)) and case.family == "RR@k":
            [(_, value)] = ir_measures.calc_aggregate([ir_measures.RR @ case.cutoff], *dicts).items()
            assert value == pytest.approx(case.value({"ties": "first-id"})), case.id
            compared += 1
    assert compared > 5


def chosen_at_random(family: str, chance: random.Random) -> dict[str, str]:
    found = {name: chance.choice(each.right()) for name, each in questions(family).items()}
    wrong = [(name, choice) for name, each in questions(family).items() for choice in each.wrong()]
    return found | dict([chance.choice(wrong)] if chance.random() < 0.7 else [])


def test_questions_that_are_not_open_do_not_matter() -> None:
    chance = random.Random(1)  # noqa: S311
    for case, _ in product(CASES, range(6)):
        how = chosen_at_random(case.family, chance)
        wrong = {name for name, choice in how.items() if choice in questions(case.family)[name].wrong()}
        some = {name: choice for name, choice in how.items() if name in case.open() or name in wrong}
        assert case.value(how) == pytest.approx(case.value(some)), (case.id, how)


def single_choices(family: str) -> Iterator[dict[str, str]]:
    for name, question in questions(family).items():
        yield from ({name: choice.name} for choice in question.choices)


def test_values_are_equal_or_far_apart() -> None:
    for case in CASES:
        found = {case.value(how) for how in single_choices(case.family)} | {value for _, value in case.values()}
        values = sorted(value for value in found if value is not None)
        gaps = [high - low for low, high in pairwise(values)]
        assert all(gap < 1e-12 or gap > 10 * TOLERANCE for gap in gaps), case.id


def test_every_mistake_changes_a_number_of_some_case() -> None:
    """No measure is left out, and every choice of the question is told from it."""
    for family, question in ((name, each) for name in DEFINITIONS for each in questions(name).values()):
        cases = [case for case in CASES if case.family == family]
        for wrong, right in product(question.wrong(), question.right()):
            with_it, without = ([case.value({question.name: name}) for case in cases] for name in (wrong, right))
            assert with_it != without, (family, question.name, wrong, right)


def test_every_two_choices_part_in_some_case() -> None:
    for question in CHOICE_QUESTIONS:
        for one, other in product(question.right(), repeat=2):
            cases = [case for case in CASES if case.family in question.measures]
            parts = any(case.value({question.name: one}) != case.value({question.name: other}) for case in cases)
            assert parts is (one != other), (question.name, one, other)


def test_conventions_choose_what_there_is() -> None:
    for measure in DEFINITIONS:
        assert named(measure, "cranfield") == usual(measure)
        for name in conventions(measure):
            assert all(choice in questions(measure)[key].right() for key, choice in named(measure, name).items())


def no_constant(name: str) -> NoReturn:
    pytest.fail(f"{name} is no JSON")


def test_files_are_json_and_fit_their_schemas() -> None:
    found = files()
    suite = json.loads(found["suite.json"], parse_constant=no_constant)
    jsonschema.validate(suite, json.loads(found["suite.schema.json"]))
    assert [case["id"] for case in suite["cases"]] == [case.id for case in CASES]
    assert len({case.id for case in CASES}) == len(CASES)
    answers = {"suite": suite["suite"], "tool": "x", "version": "1", "answers": {"plain/AP": 0.5, "twice/AP": None}}
    schema = json.loads(found["answers.schema.json"])
    jsonschema.validate(answers, schema)
    for wrong in ({"answers": {"plan/AP": 1}}, {"answers": {"plain/AP": "1"}}, {"suite": "x"}, {"more": 1}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(answers | wrong, schema)


def test_the_suite_has_one_value_for_every_convention() -> None:
    for written, case in zip(json.loads(files()["suite.json"])["cases"], CASES, strict=True):
        for convention in conventions(case.family):
            chosen = named(case.family, convention)
            fitting = [v for v in written["values"] if all(chosen[q] == c for q, c in v["choices"].items())]
            assert len(fitting) == 1
            assert same(fitting[0]["value"], case, chosen), (case.id, convention)


def same(value: float | None, case: Case, chosen: dict[str, str]) -> bool:
    expected = case.value(chosen)
    return value is expected if value is None or expected is None else isclose(value, expected, abs_tol=1e-12)


def test_another_language_loads_it_and_conforms(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not installed")
    cf.write_suite(tmp_path)
    script = str(Path(__file__).with_name("conform.js"))
    done = subprocess.run([node, script, str(tmp_path)], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    found = cf.conform(str(tmp_path / "answers.json"))
    assert found.conforms
    assert len(found.measures) == len(DEFINITIONS)
    assert all("cranfield" in each.conventions for each in found.measures)


@pytest.mark.integration
def test_the_page_has_the_verdicts_on_the_tools_that_are_here() -> None:
    page = versionless((Path(__file__).parents[2] / "docs" / "conformance.md").read_text(encoding="utf-8"))
    here = [each for each in ADAPTERS if each.module in ("cranfield", "pytrec_eval", "ir_measures")]
    for each in here:
        assert versionless("".join(rows(tested(each)))) in page, "python -m tools.conformance --write"


def versionless(text: str) -> str:
    return re.sub(r"^(\| .*) \(\d.*?\) \|", r"\1 |", text, flags=re.MULTILINE)
