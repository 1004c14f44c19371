"""The verdict on a tool's answers: the convention, or the mistake by name."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import product
from math import log2
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from click.testing import CliRunner
from tools.each import each_of

import cranfield as cf
from cranfield.cli import main
from cranfield.conformance.cases import CASES
from cranfield.conformance.choices import named, questions, says
from cranfield.conformance.conformity import MeasureVerdict
from cranfield.conformance.definitions import DEFINITIONS
from cranfield.conformance.tool_answers import SUITE

OF_RETRIEVED = says("nDCG@k", "ideal", "retrieved")
Lists: TypeAlias = dict[str, list[tuple[str, float]]]


def answered(values: Mapping[str, float | None]) -> dict[str, Any]:
    return {"suite": SUITE, "tool": "x", "version": "1", "answers": values}


def by(family: str, **how: str) -> MeasureVerdict:
    """Return the verdict on a measure that makes these choices."""
    [found] = cf.conform(answered({case.id: case.value(how) for case in CASES if case.family == family})).measures
    return found


@each_of("measure", DEFINITIONS)
def test_every_convention_is_found(measure: str) -> None:
    for name in ("cranfield", "trec_eval 9", "trec_eval 9 -c", "trec_eval 9 -c -J"):
        found = by(measure, **named(measure, name))
        assert found.verdict == "conforms"
        assert name in found.conventions
        assert (found.answered, found.cases) == (found.cases, sum(case.family == measure for case in CASES))


MISTAKES = [
    (family, name, wrong)
    for family in DEFINITIONS
    for name, question in questions(family).items()
    for wrong in question.wrong()
]


@each_of(("family", "question", "wrong"), MISTAKES)
def test_every_mistake_is_named(family: str, question: str, wrong: str) -> None:
    found = by(family, **{question: wrong})
    assert (found.verdict, found.mistakes) == ("mistake", (says(family, question, wrong),))
    shown = next(case for case in CASES if case.id == found.case)
    assert shown.value({question: wrong}) == found.answer != found.expected


@each_of("how", [{"ties": "as-given", "gain": "exponential"}, {"scores": "32", "topics": "shared"}])
def test_mistakes_are_named_whatever_else_is_chosen(how: dict[str, str]) -> None:
    found = by("nDCG@k", ideal="retrieved", **how)
    assert found.mistakes == (OF_RETRIEVED,)
    assert {name: found.choices[name] for name in how} == {name: (choice,) for name, choice in how.items()}


def verdicts_on_made_tools(tools: int, mistakes: int, chance: random.Random) -> Counter[str]:
    """Count what is said of tools with so many mistakes, whose other choices are random."""
    counts: Counter[str] = Counter()
    for _ in range(tools):
        measure = chance.choice([*DEFINITIONS])
        asked = questions(measure)
        how = {name: chance.choice(each.right()) for name, each in asked.items()}
        names = chance.sample([name for name, each in asked.items() if each.wrong()], mistakes)
        wrong = {name: chance.choice(each.wrong()) for name, each in asked.items() if name in names}
        found = by(measure, **how | wrong)
        named = " and ".join(says(measure, *each) for each in wrong.items())
        what = ("alone" if found.mistakes == (named,) else "among") if named in found.mistakes else "another"
        counts[what if found.mistakes else found.verdict] += 1
    return counts


@pytest.mark.slow
def test_how_often_the_name_is_right() -> None:
    """docs/conformance.md has these counts."""
    chance = random.Random(3)  # noqa: S311
    assert verdicts_on_made_tools(400, 1, chance) == {"alone": 382, "among": 9, "conforms": 9}
    assert verdicts_on_made_tools(150, 2, chance) == {"alone": 118, "among": 8, "another": 24}


def test_two_mistakes_are_named_together() -> None:
    found = by("P@k", divisor="returned", cutoff="one-more")
    assert found.mistakes == (
        "looks at the first k + 1 documents and divides by the length of a list that is shorter than k",
    )


# Mistakes as people write them, in code that knows nothing of the suite's own. Each threw away something else.


def ndcg_of_retrieved(qrels: dict[str, dict[str, float]], run: Lists, k: int) -> float:
    total = 0.0
    for topic, documents in run.items():
        ranked = sorted(documents, key=lambda each: each[::-1], reverse=True)
        grades = [max(qrels[topic].get(document, 0), 0) for document, _ in ranked]

        def dcg(of: list[float]) -> float:
            return sum(grade / log2(place + 2) for place, grade in enumerate(of[:k]))

        total += dcg(grades) / (dcg(sorted(grades, reverse=True)) or 1)
    return total / len(run)


def ndcg_of_mixed_gains(qrels: dict[str, dict[str, float]], run: Lists, k: int) -> float:
    total = 0.0
    for topic, grades in qrels.items():
        ranked = sorted(run.get(topic, []), key=lambda each: each[::-1], reverse=True)
        gains = [2 ** max(grades.get(document, 0), 0) - 1 for document, _ in ranked]
        best = sorted((max(grade, 0) for grade in grades.values()), reverse=True)
        ideal = sum(grade / log2(place + 2) for place, grade in enumerate(best[:k]))
        total += sum(gain / log2(place + 2) for place, gain in enumerate(gains[:k])) / (ideal or 1)
    return total / len(qrels)


def mrr_of_answered(qrels: dict[str, dict[str, float]], run: Lists, k: int) -> float | None:
    found = []
    for topic, grades in qrels.items():
        ranked = sorted(run.get(topic, []), key=lambda each: each[::-1], reverse=True)
        places = [place for place, (document, _) in enumerate(ranked[:k], 1) if grades.get(document, 0) > 0]
        found += [1 / place for place in places[:1]]
    return sum(found) / len(found) if found else None


def precision_of_returned(qrels: dict[str, dict[str, float]], run: Lists, k: int) -> float:
    total = 0.0
    for topic, grades in qrels.items():
        best = sorted(run.get(topic, []), key=lambda each: each[::-1], reverse=True)[:k]
        total += sum(grades.get(document, 0) > 0 for document, _ in best) / max(len(best), 1)
    return total / len(qrels)


def recall_of_found(qrels: dict[str, dict[str, float]], run: Lists, k: int) -> float:
    total = 0.0
    for topic, grades in qrels.items():
        ranked = sorted(run.get(topic, []), key=lambda each: each[::-1], reverse=True)
        hits = [grades.get(document, 0) > 0 for document, _ in ranked]
        total += sum(hits[:k]) / max(sum(hits), 1)
    return total / len(qrels)


@each_of(
    ("measure", "function", "mistake"),
    [
        ("nDCG", ndcg_of_retrieved, OF_RETRIEVED),
        ("nDCG", ndcg_of_mixed_gains, "divides exponential gains by a linear ideal"),
        ("RR", mrr_of_answered, "leaves topics of value 0 out of the mean"),
        ("P", precision_of_returned, "divides by the length of a list that is shorter than k"),
        ("R", recall_of_found, "divides by the relevant documents that the whole list has"),
    ],
)
def test_mistakes_as_people_write_them(measure: str, function: Callable[..., float | None], mistake: str) -> None:
    def tool(qrels: dict[str, dict[str, float]], run: Lists, name: str) -> float | None:
        stem, _, k = name.partition("@")
        twice = any(len(dict(documents)) < len(documents) for documents in run.values())
        others = run.keys() - qrels.keys()
        return function(qrels, run, int(k)) if stem == measure and k and not twice and not others else None

    [found] = cf.conform(tool).measures
    assert (found.verdict, found.mistakes) == ("mistake", (mistake,))


def test_answers_that_fit_nothing_are_listed() -> None:
    [found] = cf.conform(answered({"plain/AP": 0.123, "plain/RR": 1.0} | {"grade-0/AP": 0.5})).measures[:1]
    assert (found.verdict, found.unexplained, found.case) == ("fits nothing", ("plain/AP",), "plain/AP")
    assert found.expected == pytest.approx((1 + 2 / 3 + 3 / 4) / 3)


def test_answers_that_fit_no_convention_together() -> None:
    first, last = (
        {case.id: case.value({"ties": ties}) for case in CASES if case.family == "RR"}
        for ties in ("first-id", "last-id")
    )
    found = cf.conform(answered(last | {"ties-first-id/RR": first["ties-first-id/RR"]})).measures[0]
    assert (found.verdict, found.unexplained) == ("fits nothing", ())
    assert found.answer != found.expected
    assert "no convention fits all" in found.sentence()


def test_what_is_open_is_said_with_the_case_that_decides() -> None:
    found = cf.conform(answered({"plain/AP": (1 + 2 / 3 + 3 / 4) / 3})).measures[0]
    assert (found.verdict, found.answered) == ("conforms", 1)
    assert {"cranfield", "trec_eval 9"} <= {*found.conventions}
    assert found.undecided["scores"] in ("equal-in-32-bits/AP", "beyond-32-bits/AP")
    assert found.undecided["topics"] == "absent-from-run/AP"


def test_no_value_contradicts_nothing_and_is_listed() -> None:
    values = {case.id: case.value({}) for case in CASES if case.family == "AP"}
    found = cf.conform(answered(values | {"fractions/AP": None})).measures[0]
    assert (found.verdict, found.no_value, found.answered) == ("conforms", ("fractions/AP",), len(values) - 1)
    silent = cf.conform(answered(dict.fromkeys(values)))
    assert silent.measures[0].verdict == "no value"
    assert not silent.conforms


def test_a_function_without_values_is_refused() -> None:
    with pytest.raises(cf.InputError, match="mine gives no value for any case"):
        cf.conform(lambda qrels, run, measure: None, tool="mine")
    for wrong in ("many", float("inf")):
        with pytest.raises(cf.InputError, match=r"mine, case plain/nDCG@3: the function should return a finite number"):
            cf.conform(lambda qrels, run, measure, wrong=wrong: wrong, tool="mine")


def test_values_within_the_tolerance_fit() -> None:
    exact = (1 + 2 / 3 + 3 / 4) / 3
    verdicts = [cf.conform(answered({"plain/AP": exact + off})).conforms for off in (0, 5e-6, -5e-6, 2e-5)]
    assert verdicts == [True, True, True, False]


WRONG = [
    ("", "is empty"),
    ("{", "line 1: not JSON"),
    ('{"suite": 1,\n"tool" "x"}', "line 2: not JSON"),
    ("[]", "not a file of answers"),
    ('{"answers": []}', "not a file of answers"),
    ({"suite": "other/1"}, "answers the suite 'other/1'; this version has 'cranfield-conformance/1'"),
    ({"tool": None}, "'tool' should be a text, not None"),
    ({"extra": 1}, "unknown key 'extra'"),
    ({"answers": {}}, "answers no case"),
    ({"answers": {"plan/AP": 1}}, "there is no case 'plan/AP'; did you mean `plain/AP`"),
    ({"answers": {"plain/AP": True}}, "the answer to 'plain/AP' should be a number or null, not True"),
    ({"answers": {"plain/AP": "0.5"}}, "the answer to 'plain/AP' should be a number or null, not '0.5'"),
    ({"answers": {"plain/AP": float("nan")}}, "should be a number or null, not nan"),
    ({"answers": {"plain/AP": 10**400}}, "should be a number or null"),
    ('{"suite": "a", "suite": "b"}', "twice"),
]


@each_of(("content", "says"), WRONG)
def test_broken_answers_are_refused(content: Any, says: str, tmp_path: Path) -> None:
    file = tmp_path / "answers.json"
    file.write_text(content if isinstance(content, str) else json.dumps(answered({"plain/AP": 1}) | content))
    with pytest.raises(cf.InputError) as refused:
        cf.conform(str(file))
    assert file.name in str(refused.value)
    assert says in str(refused.value)


def command(*arguments: object) -> Any:
    return CliRunner().invoke(main, ["conform", *map(str, arguments)])


def test_the_command(tmp_path: Path) -> None:
    folder = tmp_path / "suite"
    written = command("--write", folder)
    assert written.exit_code == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        *("README.md", "answers.schema.json", "suite.json", "suite.schema.json"),
    ]
    assert f"{len(CASES)} cases" in (folder / "README.md").read_text(encoding="utf-8")
    file = tmp_path / "answers.json"
    for (answer, verdict, status), form in product(((0.4, "conforms", 0), (1.0, "mistake", 1)), ("table", "json")):
        file.write_text(json.dumps(answered({"shorter-than-k/P@5": answer, "plain/P@3": 2 / 3})))
        found = command(file, "--format", form)
        assert (found.exit_code, verdict in found.stdout) == (status, True)
    for arguments, words in (
        ([], "missing argument 'ANSWERS', or --write instead"),
        ([file, "--write", folder], "--write"),
    ):
        refused = command(*arguments)
        assert (refused.exit_code, words in refused.stderr, refused.stderr.count("\n")) == (2, True, 1)
