"""The JSON of verdicts is what its schemas say: no key more, none less, and every value of its type."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import polars as pl
import pytest
from click.testing import CliRunner
from tools.each import each_of
from tools.schemas import SAID, VERDICTS, schemas

import cranfield as cf
from cranfield.cli import main
from cranfield.results.result import Result

SCHEMAS = {name.removesuffix(".json"): json.loads(text) for name, text in schemas().items()}
QRELS = {str(topic): {"a": 2, "b": 0, "c": 1} for topic in range(1, 13)}
OLD = {topic: {"a": 3.0, "b": 2.0, "x": 1.0} for topic in QRELS}
NEW = OLD | {topic: {"b": 3.0, "y": 2.0, "a": 1.0} for topic in ("1", "2", "3", "4", "5", "6", "7")}
RUNS = {"old": OLD, "new": NEW, "third": {topic: {"c": 2.0, "z": 1.0} for topic in QRELS}}
PAIR = {name: RUNS[name] for name in ("old", "new")}
CLUSTERS = {topic: f"k{int(topic) // 2}" for topic in QRELS}
GROUPS = {topic: "odd" if int(topic) % 2 else "even" for topic in QRELS}
ABSENT = {"old": OLD, "new": {"1": OLD["1"]}}
SHORT = {"1": "odd", "2": "odd", "3": "odd"} | {topic: "even" for topic in QRELS if int(topic) > 3}


def by_sample() -> Result:
    candidates = cf.Candidates.gather(PAIR)
    grades = {topic: dict.fromkeys("abcxy", 1) | {"b": 0} for topic in QRELS}
    sample = cf.weighted_sample(candidates, 3, measures="P@3")
    return cf.gate_by_sample(candidates, sample, grades, "P@2", cheap=grades)


MADE: dict[str, Callable[[], Result]] = {
    "a gate": lambda: cf.gate(QRELS, PAIR, ["nDCG@10", "RR"]),
    "a gate that passes": lambda: cf.gate(QRELS, {"a": OLD, "b": OLD}, margin=0.1),
    "a gate on complete judgments": lambda: cf.gate(QRELS, PAIR, "RR", complete=True),
    "a gate by groups": lambda: cf.gate(QRELS, PAIR, groups=GROUPS),
    "a gate by groups of few": lambda: cf.gate(QRELS, PAIR, groups=SHORT),
    "a gate of clusters": lambda: cf.gate(QRELS, PAIR, clusters=CLUSTERS),
    "a gate of a run that did not run": lambda: cf.gate(QRELS, ABSENT),
    "a gate of scores": lambda: cf.gate(cf.evaluate(QRELS, PAIR, "RR").to_polars(per_topic=True)),
    "a gate by a sample": by_sample,
    "a comparison": lambda: cf.compare(QRELS, RUNS, ["AP", "gmAP"]),
    "with everything": lambda: cf.compare(QRELS, RUNS, ["RBP(p=0.8)"], margin=0.1, residuals=True, dominance=True),
    "of clusters": lambda: cf.compare(QRELS, RUNS, "AP", worthwhile=0.05, clusters=CLUSTERS),
    "by anova": lambda: cf.compare(QRELS, RUNS, "AP", test="anova"),
    "by chance": lambda: cf.compare(QRELS, RUNS, "AP", test="randomisation", resamples=50, baseline="old"),
    "of groups": lambda: cf.compare_groups(cf.evaluate(QRELS, RUNS, "AP"), GROUPS),
    "of collections": lambda: cf.compare_all({"here": (QRELS, RUNS), "there": (QRELS, RUNS)}, "AP"),
    "of scores": lambda: cf.compare_scores(cf.evaluate(QRELS, RUNS, "AP").to_polars(per_topic=True)),
    "a leaderboard": lambda: cf.leaderboard(QRELS, RUNS, ["AP", "RR"], worthwhile=0.1, clusters=CLUSTERS),
    "a leaderboard of one": lambda: cf.leaderboard(QRELS, {"old": OLD}, "AP"),
    "sentences": lambda: cf.report(QRELS, RUNS, ["AP", "RR"]).sentences,
    "a review": lambda: cf.review(QRELS, RUNS, ["AP", "RR"]),
}

MADE = {name: cache(make) for name, make in MADE.items()}


def strict(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that allows no other keys."""
    found = deepcopy(schema) | {"additionalProperties": False}
    rows = found["properties"]["rows"]["items"]
    rows["additionalProperties"] = False
    return found


@each_of("name", MADE)
def test_a_verdict_is_what_its_schema_says(name: str) -> None:
    result = MADE[name]()
    found = json.loads(str(result.render("json")))
    assert found["schema"] == f"cranfield/{result.schema()}"
    jsonschema.validate(found, strict(SCHEMAS[result.schema()]), jsonschema.Draft202012Validator)
    assert len(found["rows"]) == result.to_polars().height
    assert [*found["rows"][0]] == result.to_polars().columns


def test_every_key_stands_somewhere() -> None:
    found = [json.loads(str(make().render("json"))) for make in MADE.values()]
    for schema, (_, before, rows) in VERDICTS.items():
        mine = [each for each in found if each["schema"] == f"cranfield/{schema}"]
        assert {name.lstrip("+") for name in before} <= {key for each in mine for key in each}, schema
        assert {name.lstrip("+") for name in rows} == {key for each in mine for row in each["rows"] for key in row}
    assert {*SAID} < {*found[0]}


def test_scores_are_rows() -> None:
    for how in ({}, {"bounds": True}):
        rows = json.loads(str(cf.evaluate(QRELS, RUNS, ["AP", "RR"], **how).render("json", per_topic=True)))  # type: ignore[arg-type]
        jsonschema.validate(rows, SCHEMAS["scores"])
        assert {*rows[0]} <= {*SCHEMAS["scores"]["items"]["properties"]}


@pytest.mark.parametrize(
    ("wrong", "key"), [({"verdict": "fine"}, "verdict"), ({"status": 2}, "status"), ({"version": 2}, "version")]
)
def test_another_verdict_is_none(wrong: dict[str, object], key: str) -> None:
    found = json.loads(str(MADE["a gate"]().render("json")))
    with pytest.raises(jsonschema.ValidationError, match=str(wrong[key])):
        jsonschema.validate(found | wrong, SCHEMAS["gate"])


def broken(held: dict[str, Any], schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give an object without each key that it must have, and with something else in the place of each value."""
    for key in schema["required"]:
        yield f"without {key}", {name: value for name, value in held.items() if name != key}
    for key in held:
        yield f"another {key}", held | {key: [{"is": "nothing"}]}


@each_of("name", [*MADE, "scores"])
def test_what_lacks_a_key_or_has_another_type_is_refused(name: str) -> None:
    result = cf.evaluate(QRELS, RUNS, "AP") if name == "scores" else MADE[name]()
    found = json.loads(str(result.render("json")))
    schema = SCHEMAS["scores" if name == "scores" else result.schema()]
    rows = found if name == "scores" else found["rows"]
    of_rows = (schema if name == "scores" else schema["properties"]["rows"])["items"]
    wrong: list[tuple[str, Any]] = [(why, [row, *rows[1:]]) for why, row in broken(rows[0], of_rows)]
    if name != "scores":
        wrong = [(f"a row {why}", found | {"rows": each}) for why, each in wrong]
        wrong += [*broken(found, schema), ("a list", rows)]
    taken = jsonschema.Draft202012Validator(schema)
    assert taken.is_valid(found)
    assert [why for why, each in wrong if taken.is_valid(each)] == []


def test_the_command_writes_the_same(tmp_path: Path) -> None:
    qrels, old, new = (str(tmp_path / name) for name in ("qrels.txt", "old.run", "new.run"))
    cf.write_qrels(cf.read_qrels(QRELS), qrels)
    cf.write_run(cf.read_run(OLD), old)
    cf.write_run(cf.read_run(NEW), new)
    out = tmp_path / "verdict.json"
    ended = CliRunner().invoke(main, ["gate", qrels, old, new, "-m", "RR", "-o", str(out), "--quiet"])
    found = json.loads(out.read_text())
    assert found["status"] == ended.exit_code != 2
    assert str(found["next"]).startswith("cranfield why ")
    library = json.loads(str(cf.gate(qrels, [old, new], "RR").render("json")))
    assert library == found | {"next": None}


def test_no_table_of_pairs_is_a_verdict() -> None:
    board = MADE["a leaderboard"]()
    assert isinstance(json.loads(str(board.render("json", pairs=True))), list)
    assert pl.read_csv(str(board.render("csv")).encode()).columns == board.to_polars().columns
