"""Whatever is public ends in a value or in our error, whatever it is given; what it makes can be sent and copied."""

from __future__ import annotations

import copy
import inspect
import pickle
import random
import time
import timeit
from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, get_args, get_type_hints

import ir_measures as theirs
import numpy as np
import pandas as pd
import polars as pl
import pytest

import cranfield as cf
from cranfield import testing
from cranfield.compat import ir_measures, pytrec_eval, trec_eval
from cranfield.experiments import EXPERIMENTS

QRELS = {topic: {"a": 2, "b": 0, "c": 1, "d": 0} for topic in "12"}
RUNS = {
    "x": {topic: {"a": 1.0, "d": 2.0} for topic in "12"},
    "y": {topic: {"c": 1.0, "b": 2.0} for topic in "12"},
}
INTERLEAVED = pl.DataFrame({"impression": ["1", "1"], "query": "q", "team": ["x", "y"], "clicks": [1, 0]})
LOG = pl.DataFrame(
    {
        "query_id": ["1"] * 20 + ["2"] * 20,
        "doc_id": ["a", "d"] * 20,
        "clicks": [9.0, 1.0] * 20,
        "impressions": [10.0, 10.0] * 20,
        "user": [str(user) for user in range(40)],
    }
)
PAGES = pl.DataFrame({"doc_id": ["a"], "title": ["t"], "text": ["x"]})


@cache
def joined() -> cf.JudgedRuns:
    return cf.join(QRELS, RUNS, bounds=True)


@cache
def candidates() -> cf.Candidates:
    return cf.Candidates.gather(RUNS)


@cache
def scores() -> cf.Scores:
    return cf.evaluate(QRELS, RUNS)


@cache
def report() -> cf.Report:
    return cf.report(QRELS, RUNS, ["AP"])


MADE: dict[str, Callable[[], Any]] = {
    "Agreement": lambda: cf.agreement({"a": QRELS, "b": QRELS}),
    "CombinedLabels": lambda: cf.combine_judges({"a": QRELS, "b": QRELS}),
    "Alterable": lambda: cf.Alterable(joined(), "AP"),
    "Audit": lambda: scores().audit,
    "Campaign": lambda: cf.simulate(4, 5, 20, pool_depth=5),
    "Candidates": candidates,
    "Changes": lambda: cf.Changes("1", moves=(("x", "a", 1),)),
    "Checked": lambda: cf.check(RUNS),
    "Conformity": lambda: cf.conform(lambda qrels, run, measure: 0.5),
    "CollectionComparison": lambda: cf.compare_all({"here": (QRELS, RUNS), "there": (QRELS, RUNS)}),
    "CollectionScores": lambda: cf.evaluate_all({"here": (QRELS, RUNS)}),
    "Comparison": lambda: cf.compare(QRELS, RUNS),
    "CranfieldError": lambda: cf.CranfieldError("no"),
    "Curves": lambda: cf.curve(joined()),
    "Document": lambda: cf.Documents(PAGES)["a"],
    "Documents": lambda: cf.Documents(PAGES),
    "GoldenSet": lambda: cf.read_golden([{"user_input": "q", "reference_context_ids": ["a"]}]),
    "Estimates": lambda: cf.estimate(candidates(), cf.uniform_sample(candidates(), 2), QRELS, "P@1"),
    "Evaluator": lambda: cf.Evaluator(QRELS, "AP"),
    "Figure": lambda: cf.plot("leaderboard", joined()),
    "Findings": lambda: cf.Findings("toss", {"sides": pl.DataFrame({"share": [0.5]})}, {"seed": 7}),
    "Gate": lambda: cf.gate(QRELS, RUNS),
    "GroupComparison": lambda: cf.compare_groups(scores(), {"1": "one"}),
    "InputError": lambda: cf.InputError("no", source="run.txt", line=7),
    "JudgedRuns": joined,
    "Judging": lambda: cf.Judging(RUNS),
    "Judgments": lambda: joined().judgments,
    "Leaderboard": lambda: cf.leaderboard(QRELS, RUNS),
    "Measure": lambda: cf.RBP(p=0.5) @ 10,
    "MeasureError": lambda: cf.MeasureError("no"),
    "Interleaving": lambda: cf.compare_interleaved(INTERLEAVED, "team-draft"),
    "Overtaking": lambda: cf.overtake(QRELS, RUNS, behind="x", ahead="y"),
    "Report": report,
    "Reproduction": lambda: cf.Reproduction(_paper(), report().document),
    "Reconciled": lambda: cf.reconcile("0.5", QRELS, {"x": RUNS["x"]}, "AP"),
    "Review": lambda: cf.review(QRELS, RUNS),
    "Runs": lambda: cf.read_runs(RUNS),
    "SampleGate": lambda: cf.gate_by_sample(
        candidates(), cf.weighted_sample(candidates(), 2, measures="P@3"), QRELS, "P@3", cheap=QRELS
    ),
    "Scores": scores,
    "SearchScores": lambda: cf.searches(QRELS, {"agent": {"1": [["a"], ["x"]]}}),
    "Searches": lambda: cf.read_searches({"agent": {"1": [["a"], ["x"]]}}),
    "Since": lambda: cf.keep(QRELS, RUNS).since(cf.keep(QRELS, RUNS)),
    "KeptScores": lambda: cf.keep(QRELS, RUNS),
    "Status": lambda: cf.Judging(RUNS).status(),
    "Trace": lambda: cf.trace(QRELS, {"x": RUNS["x"]}, topic="1"),
    "Why": lambda: cf.why(QRELS, {"x": RUNS["x"]}, {"y": RUNS["y"]}),
    "WhatIf": lambda: cf.what_if(QRELS, RUNS, topic="1", moves=[("x", "a", 1)]),
}
"""How one of each class is made."""


def _paper() -> Any:
    from cranfield.reproductions.paper import paper_named

    return paper_named("twist")


def public() -> Iterator[tuple[str, Any]]:
    """Give what is public and can be called."""
    for name in cf.__all__:
        offered = getattr(cf, name)
        if inspect.isfunction(offered) or inspect.isclass(offered):
            yield name, offered


ROOMS = {
    "experiments": cf.experiments, "records": cf.records, "stop_rules": cf.stop_rules, "testing": testing,
    "pytrec_eval": pytrec_eval, "trec_eval": trec_eval,
}  # fmt: skip
"""Modules that are public as they are."""
NOT_FOR_USERS = {
    "records.Policy": "a list of words",
    "pytrec_eval.install": "changes what others import",
    "testing.UndecidedWarning": "is only caught",
    "trec_eval.TrecEvalError": "is only caught",
    "pytrec_eval.KindError": "is only caught",
    "stop_rules.StopRule": "is what rules are derived from",
    "experiments.Findings": "is public without a room, too",
    "experiments.experiment": "would register an experiment",
    "experiments.Experiment": "is made by that",
}


def in_rooms() -> Iterator[tuple[str, Any]]:
    """Give what these modules offer, by its name behind that of the room."""
    for room, module in ROOMS.items():
        of_its_own = [name for name, each in vars(module).items() if getattr(each, "__module__", "") == module.__name__]
        for name in getattr(module, "__all__", of_its_own):
            offered = getattr(module, name)
            if not name.startswith("_") and callable(offered) and f"{room}.{name}" not in NOT_FOR_USERS:
                yield f"{room}.{name}", offered
    yield "pytrec_eval.evaluate", pytrec_eval.RelevanceEvaluator(QRELS, {"map"}).evaluate
    yield "ir_measures.calc_aggregate", ir_measures.provider.calc_aggregate
    yield "ir_measures.supports", ir_measures.provider.supports


def find(name: str) -> Any:
    """Return what is public under a name, in a room or not."""
    return OFFERED[name]


CLASSES = [name for name, offered in public() if inspect.isclass(offered)]


@pytest.mark.parametrize("name", CLASSES)
def test_an_object_of_every_public_class_can_be_sent_and_copied(name: str) -> None:
    assert name in MADE, f"say above how one of the class {name} is made"
    made = MADE[name]()
    assert isinstance(made, getattr(cf, name))
    for again in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made), copy.copy(made)):  # noqa: S301
        assert type(again) is type(made)
        if " object at 0x" not in str(made):
            assert str(again) == str(made)


def test_what_is_public_can_be_sent_itself() -> None:
    for _, offered in public():
        assert pickle.loads(pickle.dumps(offered)) is offered  # noqa: S301


def test_what_a_function_declares_can_be_sent_though_its_module_has_it_by_no_name() -> None:
    declared = cf.measure("Raptures", lambda grades: float(len(grades)), range=(0, 1000))
    assert pickle.loads(pickle.dumps(declared)) is declared  # noqa: S301
    for measure in (declared(), declared @ 5):
        assert pickle.loads(pickle.dumps(measure)) == copy.deepcopy(measure) == measure  # noqa: S301
    scored = cf.evaluate(QRELS, RUNS, declared)
    assert pickle.loads(pickle.dumps(scored)) == scored  # noqa: S301
    sent = pickle.dumps(declared)
    del cf.REGISTRY["Raptures"]
    with pytest.raises(cf.MeasureError, match=r"Raptures was declared in \S+, and is not there"):
        pickle.loads(sent)  # noqa: S301


def test_what_can_be_altered_still_can_when_it_was_sent() -> None:
    sent = pickle.loads(pickle.dumps(cf.Alterable(joined(), "AP")))  # noqa: S301
    assert sent.list_of("x", "1") == ("d", "a")
    changes = cf.Changes("1", moves=(("x", "a", 1),))
    assert sent.altered(changes) == cf.what_if(QRELS, RUNS, "AP", topic="1", moves=changes.moves)


class Anything:
    """Can be called with all there is, as what tells progress can."""

    def __init__(self, *given: object) -> None:
        self.given = given


ODD: dict[str, Any] = {
    "none": None,
    "three": 3,
    "minus": -1,
    "nan": float("nan"),
    "text": "x",
    "long": "l" * 10_000,
    "bytes": b"x",
    "list": [],
    "deep": [[[3]]],
    "dict": {},
    "shallow": {"1": 3},
    "set": {1, 2},
    "object": object(),
    "function": lambda *given: None,
    "class": Anything,
    "numbers": np.array([0.5, 1.5]),
    "words": np.array(["a", "b"]),
    "frame": pl.DataFrame({"foo": [1]}),
    "huge": 10**400,
    "iterator": None,
    "pandas": pd.DataFrame({"foo": [1]}),
    "half a letter": "\ud800",
}

SPANS: dict[str, list[Any]] = {"1": [("a", 0, 5), ("b", 3, 9)]}


def weighted() -> pl.DataFrame:
    return cf.weighted_sample(candidates(), 2, measures="RBP(p=0.8)")


RIGHT: dict[str, Callable[[], Any]] = {
    "a": lambda: ["p", "q"],
    "ahead": lambda: "y",
    "answers": lambda: ["no"] * 9,
    "b": lambda: ["q", "p"],
    "behind": lambda: "x",
    "by": lambda: "user",
    "campaign": MADE["Campaign"],
    "candidates": candidates,
    "conform.answers": lambda: lambda qrels, run, measure: 0.5,
    "cuts": lambda: [0.1],
    "difference": lambda: 0.1,
    "directory": lambda: "campaign",
    "folder": lambda: "suite",
    "grades": lambda: {0: 0, 1: 1, 2: 1},
    "groups": lambda: {"1": "one"},
    "judged": lambda: QRELS,
    "library_name": lambda: "pandas",
    "log": lambda: LOG,
    "measure": lambda: "P@1",
    "measures": lambda: ["P@1"],
    "message": lambda: "no",
    "name": lambda: "AP",
    "names": lambda: "AP",
    "paper": lambda: "none",
    "path": lambda: "written.txt",
    "per_topic": lambda: 6,
    "pilot": scores,
    "problem": lambda: "no",
    "qrels": lambda: QRELS,
    "ratings": lambda: [[1, 2], [2, 2]],
    "runs": lambda: RUNS,
    "sample": lambda: cf.uniform_sample(candidates(), 2),
    "scores": scores,
    "leaderboard.scores": lambda: QRELS,
    "searches": lambda: {"agent": {"1": [["a"], ["x"]]}},
    "source": lambda: RUNS["x"],
    "sources": lambda: RUNS,
    "table": lambda: cf.read_run(RUNS["x"]),
    "topic": lambda: "1",
    "x": lambda: [1.0, 2.0, 3.0],
    "y": lambda: [3.0, 1.0, 2.0],
    "agreement.qrels": lambda: {"a": QRELS, "b": QRELS},
    "combine_judges.labels": lambda: {"a": QRELS, "b": QRELS},
    "calibrate.labels": lambda: QRELS,
    "Alterable.runs": joined,
    "cut.at": lambda: 1,
    "Documents.table": lambda: PAGES,
    "fleiss_kappa.table": lambda: [[1, 1], [2, 0]],
    "Judgments.qrels": lambda: cf.read_qrels(QRELS),
    "load_measures.path": lambda: "none.py",
    "measure.function": lambda: len,
    "measure.name": lambda: "Mine",
    "evidence.spans": lambda: SPANS,
    "evidence.runs": lambda: {"x": SPANS},
    "evidence.measures": lambda: ["EvidenceR@1"],
    "chunks_as_documents.runs": lambda: {"x": SPANS},
    "spans_as_qrels.spans": lambda: SPANS,
    "evaluate_all.collections": lambda: {"here": (QRELS, RUNS)},
    "compare_all.collections": lambda: {"here": (QRELS, RUNS)},
    "plot.name": lambda: "leaderboard",
    "read_documents.path": lambda: "pages.jsonl",
    "read_scores.given": lambda: {"a": {"1": {"P@1": 0.5}}, "b": {"1": {"P@1": 0.25}}},
    "read_golden.given": lambda: [{"user_input": "q", "reference_contexts": ["x"]}],
    "read_topics.path": lambda: "topics.tsv",
    "read_qrels.source": lambda: QRELS,
    "reference_runs.runs": lambda: None,
    "reconcile.values": lambda: "0.5",
    "reconcile.runs": lambda: {"x": RUNS["x"]},
    "reconcile.measure": lambda: "AP",
    "read_searches.given": lambda: ({"1": [["a"], ["x"]]},),
    "Runs.sources": lambda: (),
    "Searches.logs": lambda: (),
    "simulate.depth": lambda: 20,
    "weighted_sample.measures": lambda: ["RBP(p=0.8)"],
    "why.a": lambda: {"x": RUNS["x"]},
    "why.b": lambda: {"y": RUNS["y"]},
    "simulate.pool_depth": lambda: 5,
    "simulate.systems": lambda: 4,
    "cheap": lambda: QRELS,
    "found": lambda: cf.estimate(candidates(), cf.uniform_sample(candidates(), 2), QRELS, "P@1"),
    "gate_by_sample.sample": weighted,
    "release.found": lambda: cf.estimate(candidates(), weighted(), QRELS, "P@1", cheap=QRELS),
    "release.sample": weighted,
    "simulate.topics": lambda: 5,
    "ties.orders": lambda: 3,
    "trace.runs": lambda: {"x": RUNS["x"]},
    "write_qrels.table": lambda: cf.read_qrels(QRELS),
    # Of rooms.
    "assessor": lambda: "Ann",
    "base": lambda: RUNS["x"],
    "budget": lambda: 5,
    "by_topic": lambda: {"1": ["a"]},
    "collections": joined,
    "document": lambda: "a",
    "documents": lambda: [("1", "a")],
    "events": lambda: [],
    "first": lambda: "x",
    "grade": lambda: 1,
    "id": lambda: "e1",
    "judgment": lambda: "e0",
    "lease": lambda: "l1",
    "leases": lambda: ("l1",),
    "lists": lambda: {"1": ["a"]},
    "new": lambda: RUNS["y"],
    "query_relevance": lambda: QRELS,
    "rules": lambda: [cf.stop_rules.BudgetSpent(5)],
    "run": lambda: RUNS["x"],
    "second": lambda: "y",
    "sentence": lambda: "because",
    "status": lambda: cf.Judging(RUNS).status(),
    "text": lambda: "BudgetSpent(5)",
    "time": lambda: 1.0,
    "until": lambda: 9.0,
    "values": lambda: [0.5],
    "ir_measures.calc_aggregate.measures": lambda: [theirs.nDCG @ 10],
    "ir_measures.supports.measure": lambda: theirs.nDCG @ 10,
    "pytrec_eval.compute_aggregated_measure.measure": lambda: "map",
    "pytrec_eval.evaluate.scores": lambda: RUNS["x"],
    "pytrec_eval.parse_qrel.f_qrel": lambda: ["1 0 a 1"],
    "pytrec_eval.parse_run.f_run": lambda: ["1 Q0 a 1 2 x"],
    "pytrec_eval.RelevanceEvaluator.measures": lambda: {"map"},
    "compare_interleaved.log": lambda: INTERLEAVED,
    "compare_interleaved.method": lambda: "team-draft",
    "experiments.Outcome.tables": dict,
    "records.Added.run": lambda: "late",
    "records.Log.path": lambda: "log.jsonl",
    "trec_eval.asked.names": lambda: ["map"],
    "trec_eval.trec_eval.measures": lambda: ["map"],
    "trec_eval.trec_eval.qrels": lambda: "qrels.txt",
    "trec_eval.trec_eval.run": lambda: "x.run",
}
"""What would be right, by the name of the parameter, or of function and parameter; odd values are tried one by one."""

REFUSED = {
    "choose": "asks its next question",
    "load_measures": "there is no such file",
    "Measure": "is what measures are derived from",
    "reproduce": "a reproduction takes seconds",
}
"""Calls that are not carried out, each argument being right."""


def parameters(offered: Any) -> dict[str, tuple[Any, bool]]:
    """Return the parameters with their kind, and whether they must be given; those of ``**options`` too."""
    found: dict[str, tuple[Any, bool]] = {}
    for name, parameter in inspect.signature(offered).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            hints = get_type_hints(inspect.unwrap(offered))
            unpacked = get_args(hints[name])[:1]
            found |= {each: (parameter.KEYWORD_ONLY, False) for kind in unpacked for each in get_type_hints(kind)}
        else:
            found[name] = (parameter.kind, parameter.default is parameter.empty)
    return found


@cache
def right(name: str) -> dict[str, Any]:
    """Return what a call needs, and what makes it quick."""
    offered = find(name)
    made = MADE[name]() if is_dataclass(offered) and name in MADE else None
    given = {}
    for each, (_, needed) in parameters(offered).items():
        known = RIGHT.get(f"{name}.{each}") or (RIGHT.get(each) if needed or each in {"runs", "measures"} else None)
        if made is not None:
            given[each] = getattr(made, each)
        elif known:
            given[each] = known()
    return given


def called(name: str, given: Mapping[str, Any]) -> None:
    offered = find(name)
    several = {each for each, (kind, _) in parameters(offered).items() if kind is inspect.Parameter.VAR_POSITIONAL}
    options = {each: value for each, value in given.items() if each not in several}
    offered(*(value for each, value in given.items() if each in several), **options)


OFFERED = {**dict(public()), **dict(in_rooms())}
CALLS = [
    (name, parameter, odd) for name, offered in OFFERED.items() for parameter in parameters(offered) for odd in ODD
]


def ends_well(name: str, parameter: str, odd: str) -> str | None:
    """Say how a call ends that ends in anything but a value or our error."""
    given = right(name) | {parameter: (each for each in (1, 2)) if odd == "iterator" else ODD[odd]}
    try:
        called(name, given)
    except cf.CranfieldError as error:
        return None if len(str(error)) < 12_000 and "\n" not in str(error) else f"{name}: a long message"
    except Exception as error:  # noqa: BLE001 - whatever it is
        return None if "abstract class" in str(error) else f"{name}({parameter}={odd}): {error!r}"[:200]
    return None


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pages.jsonl").write_text('{"_id": "a", "title": "t", "text": "x"}\n', encoding="utf-8")
    Path("topics.tsv").write_text("1\thello\n2\tyou\n", encoding="utf-8")
    Path("qrels.txt").write_text("1 0 a 1\n", encoding="utf-8")
    Path("x.run").write_text("1 Q0 a 1 2 x\n", encoding="utf-8")


AS_RUNS = ("frame", "pandas", "numbers", "iterator", "dict", "list", "text", "none")
PLAUSIBLE = {"none", "three", "name"}
"""Values with which an experiment may have to work for long."""
CALLS = [call for call in CALLS if not (call[0].startswith("experiments.") and call[2] in PLAUSIBLE)]
QUICK = [call for call in CALLS if call[0] not in {"report", "plot", "reproduce"} and call[0][:12] != "experiments."]


@pytest.mark.usefixtures("here")
@pytest.mark.filterwarnings("ignore::cranfield.testing.UndecidedWarning")
def test_odd_values_end_in_a_value_or_in_our_error() -> None:
    """Of some 11,000 calls, a few hundred that take no second; the others are tried below."""
    assert not [ended for call in random.Random(7).sample(QUICK, 300) if (ended := ends_well(*call))]  # noqa: S311


@pytest.mark.integration
@pytest.mark.usefixtures("here")
@pytest.mark.filterwarnings("ignore::cranfield.testing.UndecidedWarning")
@pytest.mark.parametrize("name", list(OFFERED))
def test_every_odd_value_for_every_parameter(name: str) -> None:
    if name not in REFUSED and name in dir(cf):
        called(name, right(name))
    assert not [ended for call in CALLS if call[0] == name and (ended := ends_well(*call))]


def test_a_wrong_value_is_said_with_what_would_be_right() -> None:
    for call, said in (
        (lambda: cf.Alterable(3, "AP"), "runs must be a cranfield.JudgedRuns, not 3"),  # type: ignore[arg-type]
        (lambda: cf.to_tuples({"1": 3}), "table must be a polars.DataFrame, not {'1': 3}"),  # type: ignore[arg-type]
        (lambda: cf.evaluate(QRELS, RUNS, depth=0), "depth must be at least 1, not 0"),
        (lambda: cf.evaluate(QRELS, RUNS, bounds="x"), "bounds must be True or False, not 'x'"),  # type: ignore[arg-type]
        (lambda: cf.Changes("1", moves=[3]), "moves must be a list (each a tuple (a text, a text, a whole number))"),  # type: ignore[arg-type]
        (lambda: cf.kendall_tau([1, 2], "ab"), "y must be an array of numbers, not 'ab'"),
        (
            lambda: cf.Judgments(pl.DataFrame({"a": [1]})),
            "with the columns query_id, doc_id, relevance, not a DataFrame",
        ),
    ):
        with pytest.raises(cf.InputError) as refused:
            call()
        assert said in str(refused.value)


@pytest.mark.parametrize("odd", AS_RUNS)
def test_an_experiment_says_that_it_takes_joined_runs(odd: str) -> None:
    for name, each in EXPERIMENTS.items():
        if each.on_runs:
            given = iter([1]) if odd == "iterator" else ODD[odd]
            with pytest.raises(cf.InputError, match=f"^{name} takes joined runs, .*cranfield.join") as refused:
                each(given)
            assert len(str(refused.value)) < 300


def test_lists_are_taken_for_the_tuples_that_they_stand_for() -> None:
    assert cf.Changes("1", moves=[["x", "a", 1]]) == cf.Changes("1", moves=(("x", "a", 1),))  # type: ignore[arg-type]


def test_a_name_that_there_is_not_is_refused_as_python_does() -> None:
    with pytest.raises(TypeError, match=r"^evaluate\(\) got an unexpected keyword argument 'metrics'"):
        cf.evaluate(QRELS, RUNS, metrics=["AP"])  # type: ignore[call-arg]


def test_the_door_takes_microseconds() -> None:
    """A hundredth of what the least evaluation takes; here, where others work as well, less than a twentieth."""
    one, runs = {"1": {"a": 2}}, {"x": {"1": {"a": 1.0}}}
    evaluate = inspect.unwrap(cf.evaluate)
    pairs = [
        [
            min(timeit.repeat(partial(f, one, runs, ["AP"]), timer=time.process_time, number=20, repeat=3))
            for f in (cf.evaluate, evaluate)
        ]
        for _ in range(5)
    ]
    assert min(guarded / bare for guarded, bare in pairs) < 1.05


def test_a_measure_called_by_place_says_what_to_write() -> None:
    for call, write in (
        (lambda: cf.nDCG(10), "cf.nDCG @ 10"),  # type: ignore[arg-type, call-arg]
        (lambda: cf.RBP(0.8), "cf.RBP(p=0.8)"),  # type: ignore[arg-type, call-arg]
        (lambda: cf.nDCG("exp-log2"), "cf.nDCG(dcg='exp-log2')"),  # type: ignore[arg-type, call-arg]
    ):
        with pytest.raises(cf.MeasureError) as refused:
            call()
        assert str(refused.value).endswith(f": write {write}")
        assert isinstance(eval(write), cf.Measure)  # noqa: S307 - it can be pasted
    with pytest.raises(cf.MeasureError, match="it has: cutoff, rel, judged_only"):
        cf.P(1, 2)  # type: ignore[call-arg]


def test_a_measure_takes_several_cutoffs() -> None:
    assert [str(measure) for measure in cf.P @ [1, 5, 10]] == ["P@1", "P@5", "P@10"]
    assert cf.evaluate(QRELS, RUNS, cf.P @ [1, 2]) == cf.evaluate(QRELS, RUNS, ["P@1", "P@2"])
    mixed: cf.MeasureNames = ["AP", cf.P @ range(1, 3), cf.RBP(p=0.5) @ (5, 10)]
    assert list(map(str, cf.parse_measures(mixed))) == ["AP", "P@1", "P@2", "RBP(p=0.5)@5", "RBP(p=0.5)@10"]
