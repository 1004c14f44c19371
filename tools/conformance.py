"""Ask other tools for the cases of the conformance suite: `python -m tools.conformance` prints the table of verdicts.

With ``--write`` the table goes into docs/conformance.md, between its two marks. Each tool is one small function, an
adapter, from the rows of a case to a value; it is used where its package is installed: pytrec_eval-terrier,
ir_measures, scikit-learn, ranx and llama-index-core, best in an environment of their own.

What an adapter cannot hand over is left out (`NotAsked`): a document twice where a tool takes dicts, several topics
where it takes one list. What a tool refuses is no value.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, NamedTuple

from cranfield import __version__
from cranfield.conformance import SUITE, Conformity, MeasureVerdict, conform
from cranfield.conformance.suite import files

PAGE: Final = Path(__file__).parents[1] / "docs" / "conformance.md"
MARKS: Final = ("<!-- verdicts: python -m tools.conformance --write -->\n", "<!-- end of verdicts -->\n")


class NotAsked(Exception):  # noqa: N818 - it is no error
    """A case that a tool's interface cannot take, or a measure that it does not have."""


class Adapter(NamedTuple):
    """A tool: what it is called, its package and module, and the function that asks it."""

    title: str
    package: str
    module: str
    ask: Callable[[dict[str, Any]], float | None]


ADAPTERS: Final[list[Adapter]] = []


def adapter(title: str, package: str, module: str) -> Callable[[Callable[[dict[str, Any]], Any]], object]:
    """Register the function that asks a tool."""
    return lambda ask: ADAPTERS.append(Adapter(title, package, module, ask))


def as_dicts(case: dict[str, Any]) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, float]]]:
    """Return judgments and run as dicts, whole grades as whole numbers."""
    if case["excluded"]:
        raise NotAsked
    qrels: dict[str, dict[str, Any]] = {}
    for topic, document, grade in case["qrels"]:
        qrels.setdefault(topic, {})[document] = int(grade) if grade == int(grade) else grade
    run: dict[str, dict[str, float]] = {}
    for topic, document, score in case["run"]:
        if document in run.setdefault(topic, {}):
            raise NotAsked
        run[topic][document] = score
    return qrels, run


def one_list(case: dict[str, Any]) -> tuple[dict[str, Any], dict[str, float]]:
    """Return the judgments and the list of the only topic."""
    qrels, run = as_dicts(case)
    if len(qrels) > 1 or qrels.keys() != run.keys():
        raise NotAsked
    return next(iter(qrels.values())), next(iter(run.values()))


def called(case: dict[str, Any], names: dict[str, str]) -> tuple[str, int | None]:
    """Return a tool's name of the measure, and the cutoff."""
    stem, _, cutoff = case["measure"].partition("@")
    name = names.get(stem + "@k" * bool(cutoff))
    if name is None:
        raise NotAsked
    return name, int(cutoff) if cutoff else None


@adapter("cranfield", "cranfield", "cranfield")
def by_cranfield(case: dict[str, Any]) -> float | None:
    """Ask ourselves."""
    import polars as pl

    import cranfield as cf

    qrels = pl.DataFrame(case["qrels"], schema=["query_id", "doc_id", "relevance"], orient="row", strict=False)
    run = pl.DataFrame(case["run"], schema=["query_id", "doc_id", "score"], orient="row", strict=False)
    excluded: dict[str, list[str]] = {}
    for topic, document in case["excluded"]:
        excluded.setdefault(topic, []).append(document)
    return cf.evaluate(qrels, {"run": run}, case["measure"], exclude=excluded or None)["run", case["measure"]]


@adapter("pytrec_eval", "pytrec_eval-terrier", "pytrec_eval")
def by_pytrec_eval(case: dict[str, Any]) -> float:
    """The mean over what it returns."""
    import pytrec_eval

    names = {
        "nDCG@k": "ndcg_cut",
        "AP": "map",
        "AP@k": "map_cut",
        "RR": "recip_rank",
        "P@k": "P",
        "R@k": "recall",
        "Success@k": "success",
        "Bpref": "bpref",
    }
    name, cutoff = called(case, names)
    qrels, run = as_dicts(case)
    found = pytrec_eval.RelevanceEvaluator(qrels, {f"{name}.{cutoff}" if cutoff else name}).evaluate(run)
    return mean(next(iter(each.values())) for each in found.values())


@adapter("ir_measures", "ir_measures", "ir_measures")
def by_ir_measures(case: dict[str, Any]) -> float:
    """Its own mean."""
    import ir_measures

    same = {name: name[:-2] if name.endswith("@k") else name for name in ("nDCG@k", "AP", "AP@k", "RR", "RR@k")}
    same |= {"P@k": "P", "R@k": "R", "Success@k": "Success", "Bpref": "Bpref"}
    name, cutoff = called(case, same)
    measure = getattr(ir_measures, name)
    qrels, run = as_dicts(case)
    return float(next(iter(ir_measures.calc_aggregate([measure @ cutoff if cutoff else measure], qrels, run).values())))


@adapter("ranx", "ranx", "ranx")
def by_ranx(case: dict[str, Any]) -> float:
    """Its own mean."""
    import ranx

    names = {
        "nDCG@k": "ndcg",
        "DCG@k": "dcg",
        "AP": "map",
        "AP@k": "map",
        "RR": "mrr",
        "RR@k": "mrr",
        "P@k": "precision",
        "R@k": "recall",
        "Success@k": "hit_rate",
        "Bpref": "bpref",
    }
    name, cutoff = called(case, names)
    qrels, run = as_dicts(case)
    return float(ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), f"{name}@{cutoff}" if cutoff else name))


@adapter("scikit-learn, retrieved documents alone", "scikit-learn", "sklearn")
def by_sklearn(case: dict[str, Any]) -> float:
    """ndcg_score and dcg_score of the documents of one list."""
    grades, scores = one_list(case)
    return _sklearn(case, [grades.get(document, 0) for document in scores], list(scores.values()))


@adapter("scikit-learn, judged documents added below", "scikit-learn", "sklearn")
def by_sklearn_with_judged(case: dict[str, Any]) -> float:
    """The same, where judged documents that were not retrieved follow at the end of the list."""
    grades, scores = one_list(case)
    least = min(scores.values()) - 1
    documents = [*scores, *(document for document in grades if document not in scores)]
    found = [grades.get(document, 0) for document in documents]
    return _sklearn(case, found, [scores.get(document, least) for document in documents])


def _sklearn(case: dict[str, Any], grades: list[float], scores: list[float]) -> float:
    from sklearn import metrics

    name, cutoff = called(case, {"nDCG@k": "ndcg_score", "DCG@k": "dcg_score"})
    return float(getattr(metrics, name)([grades], [scores], k=cutoff))


@adapter("LlamaIndex, given the first k", "llama-index-core", "llama_index.core")
def by_llama_index(case: dict[str, Any]) -> float:
    """Its metrics of lists of ids; grades and scores are nothing it takes, so neither are ties."""
    from llama_index.core.evaluation.retrieval import metrics

    names = {"AP": "AveragePrecision", "RR": "MRR", "P@k": "Precision", "R@k": "Recall", "Success@k": "HitRate"}
    name, cutoff = called(case, names | {"nDCG@k": "NDCG", "RR@k": "MRR", "AP@k": "AveragePrecision"})
    lines = the_lines(case)
    if len({score for _, score in lines}) < len(lines):
        raise NotAsked
    if any(grade not in (0, 1) for *_, grade in case["qrels"]):
        raise NotAsked
    retrieved = [document for document, _ in sorted(lines, key=lambda line: -line[1])][:cutoff]
    expected = [document for _, document, grade in case["qrels"] if grade == 1]
    return float(getattr(metrics, name)().compute(expected_ids=expected, retrieved_ids=retrieved).score)


def the_lines(case: dict[str, Any]) -> list[tuple[str, float]]:
    """Return all lines of the only list."""
    if case["excluded"]:
        raise NotAsked
    topics = [{row[0] for row in case[part]} for part in ("qrels", "run")]
    if len(topics[0]) > 1 or topics[0] != topics[1]:
        raise NotAsked
    return [(document, score) for _, document, score in case["run"]]


def mean(values: Iterator[float]) -> float:
    """Return the mean of some values; NaN of none."""
    found = list(values)
    return sum(found) / len(found) if found else float("nan")


def tested(of: Adapter) -> Conformity:
    """Ask a tool for all cases, and return the verdict."""
    answers: dict[str, float | None] = {}
    for case in json.loads(files()["suite.json"])["cases"]:
        try:
            found = of.ask(case)
        except NotAsked:
            continue
        except Exception as error:  # noqa: BLE001 - whatever a tool raises is its refusal
            sys.stderr.write(f"{of.title}, {case['id']}: {type(error).__name__}: {str(error)[:80]}\n")
            found = None
        answers[case["id"]] = None if found is None or found != found else found  # noqa: PLR0124 - NaN
    which = __version__ if of.package == "cranfield" else version(of.package)
    return conform({"suite": SUITE, "tool": of.title, "version": which, "answers": answers})


def rows(found: Conformity) -> Iterator[str]:
    """Write a row for all measures of which the same is to be said."""
    said: dict[tuple[str, str], list[MeasureVerdict]] = {}
    for each in found.measures:
        said.setdefault((each.verdict, each.headline()), []).append(each)
    tool = f"{found.tool} ({found.version})"
    for (verdict, sentence), of in said.items():
        answered = sum(each.answered for each in of)
        names = ", ".join(f"`{each.measure}`" for each in of)
        yield f"| {tool} | {names} | {answered} | {verdict} | {sentence} |\n"
        tool = ""


def table() -> str:
    """Return the verdicts on all tools that are installed here."""
    there = [each for each in ADAPTERS if importlib.util.find_spec(each.module.split(".")[0]) is not None]
    lines = [row for each in there for row in rows(tested(each))]
    return "".join(["| tool | measures | cases answered | verdict | finding |\n|---|---|--:|---|---|\n", *lines])


def main() -> None:
    """Print the table, or write it into the page."""
    warnings.simplefilter("ignore")
    found = table()
    if "--write" not in sys.argv[1:]:
        sys.stdout.write(found)
        return
    text = PAGE.read_text(encoding="utf-8")
    (before, rest), end = text.split(MARKS[0]), MARKS[1]
    PAGE.write_text(before + MARKS[0] + "\n" + found + "\n" + end + rest.split(end)[1], encoding="utf-8")


if __name__ == "__main__":
    main()
