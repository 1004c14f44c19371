"""The suite as files that any language can load: cases, schemas, and a page that says how to use them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from cranfield.conformance.cases import CASES, Case
from cranfield.conformance.choices import Alternative, conventions, named, questions
from cranfield.conformance.definitions import DEFINITIONS
from cranfield.conformance.tool_answers import SUITE
from cranfield.conformance.verdict import TOLERANCE
from cranfield.formats.files import FilePath
from cranfield.formats.writing import write_together
from cranfield.plumbing.errors import InputError

LICENCE: Final = "Apache-2.0"
_DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
_TEXT: Final = {"type": "string"}


def write_suite(folder: FilePath) -> list[Path]:
    """Write the conformance suite: ``suite.json``, the schemas of it and of a file of answers, and a README.

    Parameters
    ----------
    folder
        Where to write; it is made where there is none. Files of these names are replaced.

    Returns
    -------
    The files.

    Raises
    ------
    InputError
        If they cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(*(file.name for file in write_suite(folder)))
    suite.json suite.schema.json answers.schema.json README.md
    """
    target = Path(folder)
    try:
        return write_together(target, {target / name: text for name, text in files().items()})
    except OSError as error:
        raise InputError(f"the suite cannot be written here: {error.strerror or error}", source=str(folder)) from None


def files() -> dict[str, str]:
    """Return what the files hold, by name."""
    return {
        "suite.json": _written(suite()),
        "suite.schema.json": _pretty(suite_schema()),
        "answers.schema.json": _pretty(answers_schema()),
        "README.md": readme(),
    }


def suite() -> dict[str, Any]:
    """Return the suite."""
    return {
        "$schema": "suite.schema.json",
        "suite": SUITE,
        "licence": LICENCE,
        "tolerance": TOLERANCE,
        "measures": {name: _first_line(function) for name, function in DEFINITIONS.items()},
        "questions": list(_questions()),
        "conventions": {
            measure: {name: named(measure, name) for name in conventions(measure)} for measure in DEFINITIONS
        },
        "cases": [_case(case) for case in CASES],
    }


def _first_line(function: object) -> str:
    return str(function.__doc__).splitlines()[0]


def _questions() -> Iterator[dict[str, Any]]:
    """Give each question once, with the measures that have it."""
    asked: dict[tuple[str, str, tuple[Alternative, ...]], list[str]] = {}
    for measure in DEFINITIONS:
        for each in questions(measure).values():
            asked.setdefault((each.name, each.asks, each.choices), []).append(measure)
    for (name, asks, choices), measures in asked.items():
        listed = [{"name": each.name, "says": each.says, "mistake": each.mistake} for each in choices]
        yield {"name": name, "asks": asks, "measures": measures, "choices": listed}


def _case(case: Case) -> dict[str, Any]:
    return {
        "id": case.id,
        "shows": case.situation.shows,
        "measure": case.measure,
        "qrels": [list(row) for row in case.situation.qrels],
        "run": [list(row) for row in case.situation.run],
        "excluded": [list(row) for row in case.situation.excluded],
        "values": [{"choices": chosen, "value": value} for chosen, value in case.values()],
    }


def _written(found: dict[str, Any]) -> str:
    """Write JSON that people can read: an entry of a list, or of an object, on a line of its own."""
    parts = []
    for key, part in found.items():
        if isinstance(part, list):
            body = ",\n".join(_entry(each) for each in part)
            parts.append(f"{_json(key)}: [\n{body}\n]")
        elif isinstance(part, dict):
            body = ",\n".join(f"  {_json(name)}: {_json(each)}" for name, each in part.items())
            parts.append(f"{_json(key)}: {{\n{body}\n}}")
        else:
            parts.append(f"{_json(key)}: {_json(part)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _entry(found: dict[str, Any]) -> str:
    lines = []
    for key, part in found.items():
        if key in ("values", "choices"):
            lines.append(f"    {_json(key)}: [\n" + ",\n".join(f"      {_json(each)}" for each in part) + "\n    ]")
        else:
            lines.append(f"    {_json(key)}: {_json(part)}")
    return "  {\n" + ",\n".join(lines) + "\n  }"


def _json(part: object) -> str:
    return json.dumps(part, ensure_ascii=False, allow_nan=False)


def _pretty(part: object) -> str:
    return json.dumps(part, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name != "$schema"],
        "additionalProperties": False,
    }


def _list(of: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "minItems": 1, "items": of}


def _map(of: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": of}


def suite_schema() -> dict[str, Any]:
    """Return the schema of the suite."""
    row = {"type": "array", "prefixItems": [_TEXT, _TEXT, {"type": "number"}], "items": False, "minItems": 3}
    pair = {"type": "array", "prefixItems": [_TEXT, _TEXT], "items": False, "minItems": 2}
    choice = _object({"name": _TEXT, "says": _TEXT, "mistake": {"type": "boolean"}})
    value = _object({"choices": _map(_TEXT), "value": {"type": ["number", "null"]}})
    parts = {
        "$schema": _TEXT,
        "suite": {"const": SUITE},
        "licence": _TEXT,
        "tolerance": {"type": "number"},
        "measures": _map(_TEXT),
        "questions": _list(_object({"name": _TEXT, "asks": _TEXT, "measures": _list(_TEXT), "choices": _list(choice)})),
        "conventions": _map(_map(_map(_TEXT))),
        "cases": _list(
            _object(
                {
                    "id": _TEXT,
                    "shows": _TEXT,
                    "measure": _TEXT,
                    "qrels": _list(row),
                    "run": _list(row),
                    "excluded": {"type": "array", "items": pair},
                    "values": _list(value),
                }
            )
        ),
    }
    return {"$schema": _DRAFT, "title": "The suite of cases", **_object(parts)}


def answers_schema() -> dict[str, Any]:
    """Return the schema of a file of answers."""
    answers = {
        "type": "object",
        "propertyNames": {"enum": [case.id for case in CASES]},
        "additionalProperties": {"type": ["number", "null"]},
        "minProperties": 1,
    }
    parts = {"suite": {"const": SUITE}, "tool": _TEXT, "version": _TEXT, "answers": answers}
    return {"$schema": _DRAFT, "title": "A tool's answers", **_object(parts)}


def readme() -> str:
    """Return the page that says how to use the suite."""
    measures = "\n".join(f"| `{name}` | {_first_line(function)} |" for name, function in DEFINITIONS.items())
    asked = "\n".join(_question_in_words(each) for each in _questions())
    return f"""# Conformance suite for measures of ranked retrieval ({SUITE})

Does your tool compute what its measures say? `suite.json` has {len(CASES)} cases: judgments, a run and a
measure, a few lines each, and the value by every convention. You need a JSON parser, and nothing else.
The licence is {LICENCE}.

## Test a tool

1. Load `suite.json`. For every entry of `cases`:
   - `qrels` are rows of topic, document and grade. What is not in them is unjudged.
   - `run` are rows of topic, document and score. The order of the rows is the order of the input. A
     higher score is better. Ids are text, also where they are digits.
   - `excluded` are rows of topic and document, mostly none: what does not count for the topic. Leave
     these cases out if your tool cannot exclude documents.
   - `measure` is the measure, with its cutoff k after the @.
2. Compute the mean of the measure over the topics: one number a case.
3. Write a file of answers (`answers.schema.json` is its schema):

   ```json
   {{"suite": "{SUITE}", "tool": "mine", "version": "1.0", "answers": {{"plain/AP": 0.5, "twice/AP": null}}}}
   ```

   `null` is no value: your tool refuses the case. Leave cases out that it cannot be asked. JSON knows
   no NaN and no infinity: write `null`.
4. `cranfield conform answers.json` names the convention of each measure, or the mistake that explains its
   answers, with the smallest case that shows it. The exit status is 0 if all measures conform.

## Test without cranfield

Choose one answer to every question below, and keep to it. An entry of `values` lists, in `choices`, the
answers to those questions that matter in its case; take the entry whose `choices` are all yours. Its
`value` should be your number, within {TOLERANCE:g}; `null` means that the run should be refused.
`conventions` has, for each measure, the choices of some known tools.

```python
def expected(case, mine):
    return next(v["value"] for v in case["values"] if all(mine[q] == c for q, c in v["choices"].items()))
```

## Measures

A document is relevant if its grade is above 0. The gain is the grade, and the discount log2(rank + 1), unless
you choose otherwise below, where the first choice is always the usual one. R is the number of relevant
documents of the topic, and N that of documents judged not relevant.

| measure | on one topic |
|---|---|
{measures}

## Questions, choices and mistakes

{asked}
"""


def _question_in_words(question: dict[str, Any]) -> str:
    head = f"**{question['name']}** ({', '.join(question['measures'])}): {question['asks']}"
    choices = (
        f"- {'*mistake* ' if each['mistake'] else ''}`{each['name']}`: {each['says']}" for each in question["choices"]
    )
    return "\n".join([head, "", *choices, ""])
