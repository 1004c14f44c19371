"""The schemas of verdicts written as JSON, and the page that explains them; `python -m tools.written` writes both.

A field is its name, its type (``?`` after it: may be null; ``*``: a list of these) and what it means. Fields whose
names begin with ``+`` stand only in some verdicts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, get_args

from cranfield.results.programs import VERSION
from cranfield.statistics.conclusions import SEVERITY, Rung, status_of

Fields = Mapping[str, tuple[str, str]]

VERDICT: Final = "verdict"
"""The type of what is one of the verdicts."""
_TYPES: Final[dict[str, dict[str, Any]]] = {
    VERDICT: {"enum": [*SEVERITY[::-1]]},
    "rung": {"enum": [*get_args(Rung)]},
    "status": {"enum": sorted({status_of(each) for each in SEVERITY})},
}

SAID: Final[Fields] = {
    "says": ("string*", "sentences, the verdict first, as people read them"),
    "next": ("string?", "command to call next, if there is one"),
    "caption": ("string", "the settings of the tests, in words"),
    "notes": ("string*", "caveats"),
}
AUDIT: Final[Fields] = {"audit": ("string*", "what the audit found in runs and qrels; empty for a table of scores")}

_DECIDED: Final[Fields] = {
    "verdict": (VERDICT, "the harshest of all rows"),
    "passes": ("boolean", "whether NEW is better, equivalent or not worse by every measure"),
    "status": ("status", "exit status of the command, unless `--on-undecided` or `--on-unjudged` change it"),
}
_RUNS: Final[Fields] = {
    "base": ("string", "name of the base run"),
    "new": ("string", "name of the new run"),
    "topics": ("integer", "topics compared on"),
}
_PAIR: Final[Fields] = {
    "measure": ("string", "name of the measure"),
    "base": ("string", "name of the base run"),
    "new": ("string", "name of the new run"),
    "mean_base": ("number?", "mean of the base run"),
    "mean_new": ("number?", "mean of the new run"),
    "difference": ("number?", "how much better the new run is"),
}
_GROUP: Final[Fields] = {
    "+grouping": ("string?", "column of the file of groups; null in rows of all topics"),
    "+group": ("string?", "group of topics"),
}
CONFIRMED: Final = "of fewer than 25 topics no smaller than by sign flips"
_P: Final[Fields] = {
    "p": ("number?", "two-sided p of the test"),
    "p_adjusted": ("number?", f"the same, by t and its kin {CONFIRMED}; corrected for the number of hypotheses"),
}
_ENDS: Final[Fields] = {
    "low": ("number?", "lower end of the interval of the difference; null where there is no spread"),
    "high": ("number?", "upper end"),
}

GATE: Final[Fields] = {
    **_GROUP,
    "+of_topics": ("integer?", "topics of the group"),
    **_PAIR,
    **_ENDS,
    "margin": ("number", "loss to tolerate, in the unit of the measure"),
    "level": ("number?", "confidence of the interval: what the correction leaves, from which the verdict is read"),
    **_P,
    "p_margin": ("number?", f"p of the difference from −margin, {CONFIRMED}"),
    "verdict": (f"{VERDICT}?", "verdict by this measure; null in a group of three topics or fewer"),
    "on_judged": (f"{VERDICT}?", "verdict if what was judged were all"),
    "holds": ("rung?", "how the verdict holds if unjudged documents are relevant; empty where it is undecided"),
    "complete": ("boolean?", "whether documents without a judgment count as not relevant; null of scores alone"),
    "least": ("number?", "smallest difference that grades of the unjudged documents could make"),
    "most": ("number?", "largest"),
    "topics": ("integer?", "more topics that would probably decide what is undecided"),
    "decided": ("number?", "chance that they decide"),
    "passes": ("number?", "chance that they decide, and NEW passes"),
    "unjudged": ("integer?", "unjudged documents that count for more in NEW"),
    "unjudged_base": ("integer?", "unjudged documents that count for more in BASE"),
    "why": ("string?", "why the verdict is what it is"),
}
SAMPLE_GATE: Final[Fields] = {
    **_PAIR,
    "low": ("number?", "lower end of the interval for these topics"),
    "high": ("number?", "upper end"),
    "like_low": ("number?", "lower end of the interval for topics like these"),
    "like_high": ("number?", "upper end"),
    "level": ("number", "confidence of the interval for these topics: what the correction leaves"),
    "like_level": ("number", "the same for topics like these, from which the verdict is read"),
    "margin": ("number", "loss to tolerate, in the unit of the measure"),
    **_P,
    "verdict": (VERDICT, "verdict by this measure, for topics like these"),
    "verdict_these": (VERDICT, "the same for these topics alone"),
    "verdict_by_labels": (VERDICT, "the same if the cheap labels of what could not be drawn are right"),
    "not_drawable": ("integer", "documents of NEW that count and could not be drawn"),
    "unlabelled": ("integer", "how many of them have no cheap label"),
    "lower": ("number?", "how much they may lower the difference at most"),
    "higher": ("number?", "how much they may raise it at most"),
    "why": ("string", "why the verdict is what it is"),
}
COMPARE: Final[Fields] = {
    "+collection": ("string", "name of the collection; `all` for the mean over all"),
    **_GROUP,
    "measure": ("string", "name of the measure"),
    "run_a": ("string", "one run; against a baseline, the other"),
    "run_b": ("string", "the other run; against a baseline, that one"),
    "topics": ("integer?", "topics compared on"),
    "mean_a": ("number?", "mean of run_a"),
    "mean_b": ("number?", "mean of run_b"),
    "difference": ("number?", "mean_a − mean_b (of a geometric mean, of the logarithms)"),
    **_ENDS,
    "effect": ("number?", "the difference in standard deviations of the differences"),
    "relative": ("number?", "how much more the larger mean is, as a share of the smaller"),
    "size": ("string?", "marginal, noticeable or material, by Spärck Jones' rule"),
    "wins": ("integer?", "topics on which run_a is better"),
    "ties": ("integer?", "topics on which both are equal"),
    "losses": ("integer?", "topics on which run_a is worse"),
    "statistic": ("number?", "statistic of the test"),
    **_P,
    "significant": ("boolean", "whether the runs differ: p_adjusted is at most alpha"),
    "detectable": ("number?", "smallest difference that these topics would probably detect"),
    "+topics_needed": ("number?", "topics needed for the difference of `--worthwhile`"),
    "+clusters_needed": ("number?", "clusters needed for it"),
    "+p_not_worse": ("number?", "p of run_a being worse by more than the margin"),
    "+not_worse": ("boolean?", "whether run_a is worse by no more than the margin"),
    "+p_equivalent": ("number?", "p of the means being apart by more than the margin"),
    "+equivalent": ("boolean?", "whether they are apart by no more than the margin"),
    "+p_base": ("number?", "p for the better run's base against the other's base"),
    "+p_top": ("number?", "p for the better run's base against the other's top"),
    "+p_projected": ("number?", "p for the better run's base against the other's projection"),
    "+p_worst": ("number?", "p of the least possible differences"),
    "+certain": ("boolean?", "whether they differ significantly in the worst case, too"),
    "+dominates": ("string?", "run_a, run_b, both or neither: who is no worse by any weights and gains"),
    "+against": ("string?", "the precision by which the run with the lower mean leads most"),
    "+too_small": ("boolean", "whether the group is too small to be tested"),
    "+test": ("string?", "name of the test"),
    "+correction": ("string?", "name of the correction"),
    "+family": ("string?", "what is corrected together"),
    "+alpha": ("number?", "level of the tests"),
    "+level": ("number?", "confidence of the intervals"),
    "+margin": ("number?", "margin of equivalence; null without one"),
    "+resamples": ("integer?", "resamples, where there are any"),
    "+seed": ("integer?", "seed, where anything is left to chance"),
    "+omnibus": ("string?", "name of the test that asks first whether any runs differ"),
    "+omnibus_statistic": ("number?", "its statistic"),
    "+omnibus_df": ("integer?", "its degrees of freedom"),
    "+omnibus_df_error": ("integer?", "those of the error"),
    "+omnibus_p": ("number?", "its p"),
    "+omnibus_p_greenhouse_geisser": ("number?", "its p, corrected for unequal variances of differences"),
    "+omnibus_p_huynh_feldt": ("number?", "the same, corrected less"),
}
LEADERBOARD: Final[Fields] = {
    "measure": ("string", "name of the measure"),
    "run": ("string", "name of the run; the best comes first"),
    "topics": ("integer", "topics"),
    "mean": ("number?", "its mean"),
    "rank": ("integer", "its rank; equal means share the better one"),
    "rank_from": ("integer", "best rank that it may have"),
    "rank_to": ("integer", "worst rank that it may have"),
    "may_lead": ("boolean", "whether no run is significantly better, all runs together"),
    "may_lead_by_t": ("boolean", "the same by the usual test, as `compare` has it"),
    "difference": ("number?", "how far it is behind the first; 0 or less"),
    "detectable": ("number?", "smallest difference from the first that these topics would probably detect"),
    "+more_topics": ("number?", "more topics needed for a difference of `--worthwhile`"),
    "+more_clusters": ("number?", "more clusters needed for it"),
}

VERDICTS: Final[dict[str, tuple[str, Fields, Fields]]] = {
    "gate": (
        "cranfield gate",
        {
            **_DECIDED,
            "holds": ("rung", "how the verdict holds: as weakly as that of any measure"),
            "decides": ("string", "first measure of the harshest verdict"),
            **_RUNS,
            "clusters": ("integer?", "clusters of topics; null where each topic is drawn by itself"),
            "alpha": ("number", "level of the verdicts, two-sided"),
            "power": ("number", "chance with which more topics should decide"),
            "worse_in": ("string*", "groups in which NEW is worse"),
            **SAID,
            **AUDIT,
        },
        GATE,
    ),
    "sample-gate": (
        "cranfield gate --sample",
        {**_DECIDED, **_RUNS, "alpha": ("number", "probability of each error"), **SAID},
        SAMPLE_GATE,
    ),
    "compare": (
        "cranfield compare",
        {**SAID, **{f"+{name}": field for name, field in AUDIT.items()}},
        COMPARE,
    ),
    "leaderboard": (
        "cranfield leaderboard",
        {
            "decides": ("string", "the first measure"),
            "may_lead": ("string*", "runs that may lead by it"),
            "did_not_run": ("string*", "runs left out, since they did not run"),
            "topics": ("integer", "topics, or tasks"),
            "unit": ("string", "what is counted: `topic` or `task`"),
            "alpha": ("number", "level of the intervals of ranks"),
            **SAID,
            **AUDIT,
        },
        LEADERBOARD,
    ),
    "sentences": (
        "cranfield report --sentences",
        SAID,
        {
            "name": ("string", "name of the sentence, which stays"),
            "sentence": ("string", "the sentence"),
            "numbers": ("object", "the names and numbers in it"),
            "scope": (
                "object",
                "of what it holds: `measures`; grades of unjudged documents up to `top` (none where the judgments are "
                "taken as `complete`), also (`endless`) below the ends of lists; `topics`, these or others like these; "
                "what the `others` are (topics, users); lists of length `n`; means that are equal within `tolerance`",
            ),
        },
    ),
    "review": (
        "cranfield report --check",
        SAID,
        {
            "item": ("string", "the question"),
            "answer": ("string", "the answer"),
            "numbers": ("object", "the names and numbers in it"),
        },
    ),
}
"""Of each verdict: the command, what stands before its rows, and a row."""
SCORES: Final[Fields] = {
    "+collection": ("string", "name of the collection; `all` for the mean over all"),
    "run": ("string", "name of the run"),
    "topic": ("string", "id of the topic; `all` is the average"),
    "measure": ("string", "name of the measure"),
    "value": ("number?", "the value"),
    "+low": ("number?", "smallest value that grades of the unjudged documents could make (`--bounds`)"),
    "+high": ("number?", "largest"),
}
"""A row of what `evaluate` writes: a list, which commands and libraries read as a table."""


def schemas() -> dict[str, str]:
    """Return each schema's file name and text."""
    found = {name: _verdict(name, f"A verdict of `{command}`", *of) for name, (command, *of) in VERDICTS.items()}
    return {f"{name}.json": f"{json.dumps(each, ensure_ascii=False, indent=1)}\n" for name, each in found.items()} | {
        "scores.json": f"{json.dumps(_scores(), ensure_ascii=False, indent=1)}\n"
    }


def _verdict(name: str, title: str, before: Fields, row: Fields) -> dict[str, Any]:
    heads = {"schema": {"const": f"cranfield/{name}"}, "version": {"const": VERSION}}
    found = _object(before)
    properties = heads | found["properties"] | {"rows": {"type": "array", "items": _object(row)}}
    return _headed(title) | found | {"properties": properties, "required": [*heads, *found["required"], "rows"]}


def _scores() -> dict[str, Any]:
    return _headed("Scores as `cranfield evaluate` writes them") | {"type": "array", "items": _object(SCORES)}


def _headed(title: str) -> dict[str, Any]:
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}


def _object(fields: Fields) -> dict[str, Any]:
    """Describe an object; keys may be added to it without another version."""
    return {
        "type": "object",
        "properties": {name.lstrip("+"): _typed(kind) | {"description": says} for name, (kind, says) in fields.items()},
        "required": [name for name in fields if not name.startswith("+")],
    }


def _typed(kind: str) -> dict[str, Any]:
    if kind.endswith("*"):
        return {"type": "array", "items": _typed(kind[:-1])}
    bare = kind.removesuffix("?")
    if bare in _TYPES:
        listed: list[object] = _TYPES[bare]["enum"]
        return {"enum": [*listed, None]} if kind.endswith("?") else {"enum": listed}
    return {"type": [bare, "null"] if kind.endswith("?") else bare}


def explained() -> str:
    """Describe all keys, schema by schema."""
    return "\n".join(_explained())


def _explained() -> Iterator[str]:
    for name, (command, before, row) in VERDICTS.items():
        yield f"## `cranfield/{name}`\n"
        yield f"`{command} --format json`, [schema](_static/schemas/{name}.json).\n"
        yield from _rows("key", {each: field for each, field in before.items() if each not in {*SAID, *AUDIT}})
        yield from _rows("key of a row", row)
    yield "## Scores\n"
    yield "`cranfield evaluate --format json` is a list of rows, [schema](_static/schemas/scores.json).\n"
    yield from _rows("key of a row", SCORES)


def _rows(head: str, fields: Fields) -> Iterator[str]:
    if not fields:
        return
    yield f"| {head} | type | meaning |\n|---|---|---|"
    for name, (kind, says) in fields.items():
        some = " (in some)" if name.startswith("+") else ""
        called = kind.removesuffix("*").replace("?", " or null")
        yield f"| `{name.lstrip('+')}`{some} | {f'list of {called}s' if kind.endswith('*') else called} | {says} |"
    yield ""
