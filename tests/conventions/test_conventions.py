"""Conventions: what is documented of tracks and tools, and that their figures come out."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner
from tools.each import each_of

import cranfield as cf
from cranfield.cli import main
from cranfield.conventions import TOOLS, TRACKS, Convention, named, recognised
from cranfield.judged.conditions import Asked, Grading
from cranfield.measures.framework.names import parse_measures
from cranfield.plumbing.surface import shell
from cranfield.scoring.blocks import as_taken

ALL = {**TRACKS, **TOOLS}
QRELS = {str(topic): {"a": 2, "b": 1, "c": 0} for topic in range(1, 5)}
RUNS = {
    "one": {str(topic): {"b": 3.0, "a": 2.0} for topic in range(1, 5)},
    "two": {str(topic): {"a": 3.0, "c": 2.0} for topic in range(1, 4)},
}


@each_of("name", ALL)
def test_what_is_declared_can_be_computed(name: str) -> None:
    convention = ALL[name]
    assert convention.name == name
    assert convention.sources
    assert parse_measures(convention.measures)
    for measure, parameters in convention.parameters.items():
        cf.REGISTRY[measure](**parameters)  # a parameter that there is not is refused
    shown = as_taken(parse_measures(convention.measures), Grading(convention=name))
    assert [str(each) for each in cf.evaluate(QRELS, RUNS, convention=name).measures] == [str(each) for each in shown]


def test_measures_are_read_by_it_unless_they_say_otherwise() -> None:
    asked = ["AP", "P(rel=1)@5", "nDCG@10"]
    scores = cf.evaluate(QRELS, RUNS, asked, convention="trec-dl")
    assert [str(measure) for measure in scores.measures] == ["AP(rel=2)", "P(rel=1)@5", "nDCG@10"]
    same = cf.evaluate(QRELS, RUNS, asked, rel=2, order="trec9")
    assert (scores.values == same.values).all()
    gdeval = cf.evaluate(
        QRELS, RUNS, ["nDCG@20", "nDCG(dcg='log2')@10", cf.nDCG(gains={1: 5}) @ 5], convention="gdeval"
    )
    assert [str(measure) for measure in gdeval.measures] == [
        "nDCG(dcg='exp-log2')@20",
        "nDCG@10",
        "nDCG(gains={1:5})@5",
    ]


def test_it_goes_with_joined_runs() -> None:
    joined = cf.join(QRELS, RUNS, convention="trec-dl")
    assert [str(measure) for measure in cf.evaluate(joined).measures][1] == "AP(rel=2)"
    assert cf.compare(joined, measures="AP").measures == ("AP(rel=2)",)
    with pytest.raises(cf.InputError, match=r"convention 'trec-dl' has rel=2, not 1\.0"):
        cf.evaluate(joined, rel=1)
    with pytest.raises(cf.InputError, match="joined with order='score', not 'trec9'"):
        cf.evaluate(cf.join(QRELS, RUNS), convention="trec-dl")


@each_of(
    ("asked", "said"),
    [
        ({"convention": "trec-dl", "rel": 3}, "convention 'trec-dl' has rel=2, not 3"),
        ({"convention": "trec-covid", "rel": 2}, "convention 'trec-covid' has rel=1, not 2"),
        ({"convention": "trec-dl", "order": "rank"}, "convention 'trec-dl' has order='trec9', not 'rank'"),
        ({"convention": "beir", "topics": "shared"}, "convention 'beir' has topics='all', not 'shared'"),
        ({"convention": "trec_dl"}, "did you mean trec-dl"),
        ({"convention": "zzz"}, "no convention is called 'zzz'; choose from trec-dl, "),
        ({"convention": 7}, "convention must be a text, not 7"),
    ],
)
def test_conflicts_and_unknown_names_are_refused(asked: dict[str, Any], said: str) -> None:
    for function in (cf.evaluate, cf.compare, cf.gate, cf.join, cf.ties):
        with pytest.raises(cf.InputError) as caught:
            function(QRELS, RUNS, **asked)
        assert said in str(caught.value)


def test_what_is_not_fixed_may_be_asked_for() -> None:
    assert cf.evaluate(QRELS, RUNS, "AP", convention="gdeval", rel=2).measures == (cf.AP(rel=2),)
    assert cf.evaluate(QRELS, RUNS, "AP", convention="trec-adhoc", depth=1).conditions.reading.depth == 1


# fmt: off
DL_2020 = [
    1030303, 1037496, 1043135, 1051399, 1064670, 1071750, 1105792, 1106979, 1108651, 1109707, 1110678,
    1113256, 1115210, 1116380, 1121353, 1122767, 1127540, 1131069, 1132532, 1133579, 1136043, 1136047,
    1136962, 118440, 121171, 135802, 141630, 156498, 169208, 174463, 23849, 258062, 324585, 330975,
    332593, 336901, 390360, 405163, 42255, 47210, 555530, 583468, 640502, 67316, 673670, 701453, 730539,
    768208, 877809, 911232, 914916, 938400, 940547, 997622,
]
# fmt: on
"""What was judged for the passages of Deep Learning 2020, as published figures of each topic name it."""


@each_of(
    ("topics", "grades", "documents", "name"),
    [
        (DL_2020, [0, 1, 2, 3], ["8537921"], "trec-dl"),
        (DL_2020, [0, 1, 2, 3], ["D8537921", "12"], None),
        (DL_2020[1:], [0, 1, 2, 3], ["8537921"], None),
        (range(51, 100), [-2, 0, 1, 2, 3], ["clueweb09-en0000-00-00000", "clueweb09-en0001-00-00000"], "trec-web"),
        (range(251, 301), [-2, 0, 1, 2, 3, 4], ["clueweb12-0000tw-00-00000"], "trec-web"),
        (range(51, 102), [0, 1], ["clueweb09-en0000-00-00000"], None),
        (range(101, 151), [0, 1], ["clueweb09-en0000-00-00000"], None),  # made binary: no nDCG as published
        (range(151, 201), [-2, 0, 1, 2, 3, 4, 5], ["clueweb09-en0000-00-00000"], None),
        (range(151, 201), [-2, 0, 1, 2, 3, 4], ["clueweb09-en0000-00-00000", "FT911-1"], None),
        (range(151, 201), [-2, 0, 1, 2, 3, 4], ["doc1"], None),
        (range(151, 201), [-2, 0, 1, 2, 3, 4], [], None),
        (range(151, 171), [-2, 0, 1, 2, 3, 4], ["clueweb09-en0000-00-00000"], None),  # few of the topics
        (range(1, 51), [-2, 0, 1, 2, 3, 4], ["clueweb09-en0000-00-00000"], None),  # other tracks
        (range(401, 451), [0, 1], ["WT01-B01-1"], None),  # the Web track of TREC-8 (WT2g)
        (range(401, 451), [0, 1], ["FBIS3-1"], "trec-adhoc"),
        (range(51, 100), [0, 1, 2], ["FT911-1"], None),
        (range(401, 451), [0, 1], [], "trec-adhoc"),
        (range(51, 101), [0, 1], [], "trec-adhoc"),
        (range(401, 451), [0, 1, 2], [], None),
        (range(401, 450), [0, 1], [], None),
        (range(402, 452), [0, 1], [], None),
        (sorted({*range(301, 451), *range(601, 701)} - {672}), [0, 1, 2], [], "trec-robust"),
        (range(1, 51), [0, 1, 2], [], None),
        ([], [], [], None),
    ],
)
def test_collections_are_recognised(topics: Any, grades: list[float], documents: list[str], name: str | None) -> None:
    found = recognised([str(topic) for topic in topics], grades, documents)
    assert (found and found.name) == name


def judged(topics: Iterable[int], grades: Iterable[int], form: str) -> dict[str, dict[str, float]]:
    return {str(topic): {form.format(rank): grade for rank, grade in enumerate(grades)} for topic in topics}


WEB = judged(range(151, 201), (-2, 0, 1, 2, 3, 4), "clueweb09-en0000-00-0000{}")
LOOK = {
    "trec-web": (WEB, "TREC's Web tracks"),
    "trec-adhoc": (judged(range(351, 401), (0, 1), "FT911-{}"), "TREC's ad hoc tracks"),
    "trec-robust": (
        judged(sorted({*range(301, 451), *range(601, 701)} - {672}), (0, 1, 2), "LA010189-000{}"),
        "TREC's Robust track of 2004",
    ),
    "trec-dl": (judged(DL_2020, (0, 1, 2, 3), "853792{}"), "TREC's Deep Learning tracks (passages)"),
}


def proposed(qrels: object, **how: Any) -> list[str]:
    first = next(iter(cf.read_qrels(qrels)["query_id"])) if isinstance(qrels, Path) else next(iter(qrels))  # type: ignore[call-overload]
    scores = cf.evaluate(qrels, {"one": {first: {"d": 1.0}}}, "P@5", **how)  # type: ignore[arg-type]
    return [line for line in scores.audit.lines() if "look like" in line]


@each_of("name", LOOK)
def test_the_audit_proposes_the_convention_unless_one_is_given(name: str) -> None:
    qrels, called = LOOK[name]
    line = f'the qrels look like {called}: convention="{name}" scores as published'
    assert proposed(qrels) == [line]
    assert not proposed(qrels, convention=name) and not proposed(qrels, convention="trec_eval")
    with shell({"--convention"}):
        assert proposed(qrels) == [line.replace(f'convention="{name}"', f"--convention {name}")]
    with shell({"--level"}):  # where it is not an option, it stands in a file
        assert proposed(qrels) == [line]


def test_what_is_proposed_is_never_applied() -> None:
    scores = cf.evaluate(WEB, {"one": {"151": {"clueweb09-en0000-00-00005": 1.0}}}, "nDCG@20")
    assert [str(measure) for measure in scores.measures] == ["nDCG@20"] and scores.conditions.grading.convention is None
    assert "The qrels look like TREC's Web tracks." in scores.audit.facts()


@each_of("command", ["evaluate", "compare", "gate"])
def test_commands_propose_their_option(command: str, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("".join(f"{t} 0 {d} {g}\n" for t, of in WEB.items() for d, g in of.items()))
    for name, document in (("one", 5), ("two", 1)):
        lines = (f"{t} Q0 clueweb09-en0000-00-0000{document} 1 1.0 {name}\n" for t in WEB)
        (tmp_path / f"{name}.run").write_text("".join(lines))
    asked = [command, *(str(tmp_path / name) for name in ("qrels.txt", "one.run", "two.run")), "-m", "nDCG@20"]
    told = "the qrels look like TREC's Web tracks: --convention trec-web scores as published"
    assert told in " ".join(CliRunner().invoke(main, asked).output.split())
    given = CliRunner().invoke(main, [*asked, "--convention", "trec-web"])
    assert given.exit_code in {0, 1, 3} and "look like" not in " ".join(given.output.split())


def test_judgments_by_subtopic_are_of_another_task() -> None:
    rows = [(t, d, g, "1") for t, of in WEB.items() for d, g in of.items()]
    frame = pl.DataFrame(rows, ["query_id", "doc_id", "relevance", "subtopic"], orient="row")
    scores = cf.evaluate(frame, {"one": {"151": {"clueweb09-en0000-00-00005": 1.0}}}, "StRecall@5")
    assert not any("look like" in line for line in scores.audit.lines())


def test_other_collections_propose_nothing(data: Path) -> None:
    assert not proposed(data / "covid-round1" / "qrels.txt")
    assert not proposed(data / "small-collections" / "cranfield" / "cranqrel.trec.txt")
    assert not proposed(data / "llmjudge-2024" / "qrels.txt")
    assert not proposed(QRELS)
    assert "TREC's ad hoc tracks" in proposed(data / "trec8-adhoc" / "qrels.txt")[0]
    assert "trec-dl" in proposed(data / "dl19-passage" / "qrels.txt")[0]


def test_what_the_conditions_are_is_shown() -> None:
    """Declared once, all of them stand in the signature and in the docstring of all functions that take them."""
    for offered in (cf.evaluate, cf.join, cf.compare, cf.curve, cf.ties, cf.gate, cf.report, cf.Evaluator):
        parameters = inspect.signature(offered).parameters
        assert Asked.__annotations__.keys() <= parameters.keys()
        assert not any(each.kind is each.VAR_KEYWORD for each in parameters.values())
        for name in Asked.__annotations__:
            assert f"\n{name}\n" in (inspect.getdoc(offered) or "")
        assert "**" not in (offered.__doc__ or "")
        with pytest.raises(TypeError, match=r"unexpected keyword argument .convetion."):
            offered(QRELS, convetion="beir")  # type: ignore[call-arg]


def run(*arguments: str) -> str:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_the_command_tells_of_them() -> None:
    assert "trec-dl " in run("measures", "--conventions")
    told = run("measures", "--convention", "trec-dl")
    assert "nDCG@10, AP(rel=2), RR(rel=2)" in told
    assert "Documents of grade 2 or higher are relevant." in told
    [one] = json.loads(run("measures", "--convention", "gdeval", "--format", "json"))
    assert Convention(**one).parameters == named("gdeval").parameters
    assert "2010 to 2014. ERR@20 and nDCG@20, as gdeval" in run("measures", "--convention", "trec-web")
    [web] = json.loads(run("measures", "--convention", "trec-web", "--format", "json"))
    assert web["marks"]["called"] == "TREC's Web tracks" and one["marks"] is None
    refused = CliRunner().invoke(main, ["measures", "AP", "--convention", "trec-dl"])
    assert refused.exit_code == 2


@each_of("command", ["evaluate", "compare", "gate", "report --check", "experiment influence"])
def test_commands_take_it(command: str, tmp_path: Path) -> None:
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(f"{t} 0 {d} {g}\n" for t, of in QRELS.items() for d, g in of.items()))
    for name, run_ in RUNS.items():
        lines = (f"{t} Q0 {d} 1 {s} x\n" for t, of in run_.items() for d, s in of.items())
        (tmp_path / f"{name}.run").write_text("".join(lines))
    files = [str(qrels), str(tmp_path / "one.run"), str(tmp_path / "two.run")]
    result = CliRunner().invoke(main, [*command.split(), *files, "--convention", "trec-dl", "--format", "json"])
    assert result.exit_code in {0, 1, 3}, result.stderr
    assert "AP(rel=2)" in result.stdout
    refused = CliRunner().invoke(main, [*command.split(), *files, "--convention", "trec-dl", "--rel", "1"])
    assert refused.exit_code == 2
    assert "convention 'trec-dl' has rel=2, not 1.0" in refused.stderr


# Figures that were published: by run and by what they are called there.


def published(data: Path, collection: str) -> dict[str, dict[str, float]]:
    if collection == "covid-round1":
        table = pl.read_csv(data / collection / "official" / "leaderboard.csv", infer_schema=False)
        return {
            row["run"]: {each: float(row[each]) for each in ("ndcg@10", "p@5", "RBP(p=.5)")} for row in table.to_dicts()
        }
    table = pl.read_csv(data / collection / "official" / "summary.tsv", separator="\t", infer_schema=False)
    section = {"dl19-passage": "passages-eval", "trec8-adhoc": "trec_eval"}[collection]
    rows = table.filter(pl.col("section") == section)
    found: dict[str, dict[str, float]] = {}
    for one, measure, value in rows.select("run", "measure", "value").iter_rows():
        found.setdefault(one, {})[measure] = float(value)
    return found


FIGURES = {
    "dl19-passage": (
        "trec-dl",
        {"ndcg_cut_10": "nDCG@10", "map": "AP(rel=2)", "recip_rank": "RR(rel=2)", "recall_1000": "R(rel=2)@1000"},
    ),
    "trec8-adhoc": (
        "trec-adhoc",
        {"map": "AP", "Rprec": "Rprec", "P_15": "P@15", "P_100": "P@100", "P_1000": "P@1000"},
    ),
    "covid-round1": (
        "trec-covid",
        {"ndcg@10": "nDCG@10", "p@5": "P@5", "RBP(p=.5)": "RBP(p=0.5,gains={1:0.5,2:1})"},
    ),
}
"""Of each collection the convention, and what its measures are called in the published table."""
FEW = {
    "dl19-passage": ["ICT-BERT2", "idst_bert_p1", "TUA1-1"],
    "trec8-adhoc": ["Flab8as", "CL99XTopt"],
    "covid-round1": ["BERT", "run1", "BBGhelani1"],  # of BERT the figures depend on how scores are compared
}


def assert_published(data: Path, collection: str, runs: list[Path]) -> None:
    convention, measures = FIGURES[collection]
    official = published(data, collection)
    scores = cf.evaluate(data / collection / "qrels.txt", runs, convention=convention)
    compared = 0
    for row in scores.means.pivot("measure", index="run", values="value").to_dicts():
        for theirs, ours in measures.items():
            assert f"{row[ours]:.4f}" == f"{official[row['run']][theirs]:.4f}", (row["run"], ours)
            compared += 1
    assert compared == len(runs) * len(measures)


@pytest.mark.parametrize("collection", FIGURES)
def test_official_figures_come_out(data: Path, collection: str) -> None:
    assert_published(data, collection, [data / collection / "runs" / f"{name}.gz" for name in FEW[collection]])


@pytest.mark.integration
@pytest.mark.parametrize("collection", FIGURES)
def test_all_official_figures_come_out(data: Path, collection: str) -> None:
    assert_published(data, collection, sorted((data / collection / "runs").iterdir()))


def test_the_real_collections_are_recognised(data: Path) -> None:
    for collection, (convention, _) in FIGURES.items():
        qrels = cf.read_qrels(data / collection / "qrels.txt")
        topics, grades = qrels["query_id"].unique().to_list(), qrels["relevance"].unique().to_list()
        documents = qrels["doc_id"].head(100).to_list()
        found = recognised(topics, grades, documents)
        assert (found and found.name) == (None if collection == "covid-round1" else convention)
        if collection == "dl19-passage":  # documents were judged for the same topics, at another level
            assert recognised(topics, grades) is None
            found = recognised(topics, grades, [f"D{each}" for each in documents])
            assert found is not None and found.name == "trec-dl-doc"
