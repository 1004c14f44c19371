"""The tools that `tools.conformance` asks: for each a small function, from the rows of a case to a value.

An adapter goes through the public interface of its tool. What it cannot hand over is left out (`NotAsked`): a document
twice where a tool takes dicts or arrays, several topics where it takes one list, excluded documents.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple


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


def ranked_lists(case: dict[str, Any]) -> tuple[dict[str, dict[str, Any]], dict[str, list[str]]]:
    """Return judgments and ranked ids, for tools that take no scores and of judgments the relevant ids alone.

    So grades are 0 or 1, no scores are tied, and run and judgments have the same topics.
    """
    qrels, run = binary(case)
    if any(len(set(lines.values())) < len(lines) for lines in run.values()):
        raise NotAsked
    return qrels, {topic: sorted(lines, key=lambda each: -lines[each]) for topic, lines in run.items()}


def binary(case: dict[str, Any]) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, float]]]:
    """Return judgments that are 0 or 1, and a run of the same topics."""
    qrels, run = same_topics(case)
    if any(grade not in (0, 1) for *_, grade in case["qrels"]):
        raise NotAsked
    return qrels, run


def same_topics(case: dict[str, Any]) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, float]]]:
    """Return judgments and a run of the same topics."""
    qrels, run = as_dicts(case)
    if qrels.keys() != run.keys():
        raise NotAsked
    return qrels, run


def relevant(grades: dict[str, Any]) -> list[str]:
    """Return the documents of grade 1."""
    return [document for document, grade in grades.items() if grade == 1]


@adapter("torchmetrics, retrieved documents alone", "torchmetrics", "torchmetrics")
def by_torchmetrics(case: dict[str, Any]) -> float:
    """Its metrics of flat tensors, of the documents of the run."""
    qrels, run = same_topics(case)
    return _torchmetrics(case, qrels, run)


@adapter("torchmetrics, judged documents added below", "torchmetrics", "torchmetrics")
def by_torchmetrics_with_judged(case: dict[str, Any]) -> float:
    """The same, where judged documents that were not retrieved follow at the end of each list."""
    qrels, run = same_topics(case)
    least = {topic: min(lines.values()) for topic, lines in run.items()}
    below = {topic: score / 2 if score > 0 else score - 1 for topic, score in least.items()}  # above 0 where it can
    longer = {topic: dict.fromkeys(qrels[topic], below[topic]) | lines for topic, lines in run.items()}
    return _torchmetrics(case, qrels, {topic: {each: longer[topic][each] for each in [*run[topic], *longer[topic]]}
                                       for topic in run})  # fmt: skip


def _torchmetrics(case: dict[str, Any], qrels: dict[str, Any], run: dict[str, dict[str, float]]) -> float:
    import torch
    from torchmetrics import retrieval

    names = {
        "nDCG@k": "NormalizedDCG",
        "AP": "MAP",
        "AP@k": "MAP",
        "RR": "MRR",
        "RR@k": "MRR",
        "P@k": "Precision",
        "R@k": "Recall",
        "Success@k": "HitRate",
    }
    name, cutoff = called(case, names)
    grades = [qrels[topic].get(document, 0) for topic, lines in run.items() for document in lines]
    if name != "NormalizedDCG" and not {*grades} <= {0, 1}:
        raise NotAsked  # a number other than 0 and 1 it does not take
    metric = getattr(retrieval, f"Retrieval{name}")(top_k=cutoff)
    scores = torch.tensor([score for lines in run.values() for score in lines.values()], dtype=torch.float64)
    of = torch.tensor([place for place, lines in enumerate(run.values()) for _ in lines])
    return float(metric(scores, torch.tensor(grades), indexes=of))


@adapter("sentence-transformers", "sentence-transformers", "sentence_transformers")
def by_sentence_transformers(case: dict[str, Any]) -> float:
    """InformationRetrievalEvaluator, given hits instead of a model."""
    from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator

    names = {
        "nDCG@k": "ndcg",
        "AP@k": "map",
        "RR@k": "mrr",
        "P@k": "precision",
        "R@k": "recall",
        "Success@k": "accuracy",
    }
    name, cutoff = called(case, names)
    qrels, run = binary(case)
    at = {f"{each}_at_k": [cutoff] for each in ("ndcg", "map", "mrr", "precision_recall", "accuracy")}
    truth = {topic: set(relevant(grades)) for topic, grades in qrels.items()}
    asked = InformationRetrievalEvaluator(dict.fromkeys(qrels, ""), {}, truth, **at)
    hits = [
        [{"corpus_id": document, "score": score} for document, score in run[topic].items()]
        for topic in asked.queries_ids
    ]
    return float(asked.compute_metrics(hits)[f"{name}@k"][cutoff])


@adapter("Haystack, given the first k", "haystack-ai", "haystack")
def by_haystack(case: dict[str, Any]) -> float:
    """Its evaluators of lists of documents."""
    from haystack import Document
    from haystack.components import evaluators

    names = {"AP": "MAP", "AP@k": "MAP", "RR": "MRR", "RR@k": "MRR", "nDCG@k": "NDCG"}
    name, cutoff = called(case, names | {"R@k": "Recall", "Success@k": "Recall"})
    qrels, lists = ranked_lists(case)
    more = {"mode": "multi_hit" if case["measure"].startswith("R@") else "single_hit"} if name == "Recall" else {}
    asked = getattr(evaluators, f"Document{name}Evaluator")(document_comparison_field="id", **more)
    found = asked.run(
        ground_truth_documents=[[Document(id=each) for each in relevant(grades)] for grades in qrels.values()],
        retrieved_documents=[[Document(id=each) for each in lists[topic][:cutoff]] for topic in qrels],
    )
    return float(found["score"])


@adapter("DeepEval, contextual precision of the first k", "deepeval", "deepeval")
def by_deepeval(case: dict[str, Any]) -> float:
    """ContextualPrecisionMetric, whose model says of each document what the judgments say."""
    os.environ.setdefault("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")
    from deepeval.metrics import ContextualPrecisionMetric
    from deepeval.models import DeepEvalBaseLLM
    from deepeval.test_case import LLMTestCase

    _, cutoff = called(case, {"AP": "", "AP@k": ""})
    qrels, lists = ranked_lists(case)

    class Judge(DeepEvalBaseLLM):  # type: ignore[misc]  # a class that is not known without its package
        """What would be a language model."""

        def __init__(self, answers: list[bool]) -> None:
            super().__init__("judgments")
            self.answers = answers

        def load_model(self) -> object:
            return self

        def generate(self, prompt: str, schema: Any) -> Any:
            del prompt
            return schema(verdicts=[{"verdict": "yes" if each else "no", "reason": ""} for each in self.answers])

        async def a_generate(self, prompt: str, schema: Any) -> Any:
            return self.generate(prompt, schema)

        def get_model_name(self) -> str:
            return "judgments"

    def score(topic: str) -> float:
        first = lists[topic][:cutoff]
        judge = Judge([document in relevant(qrels[topic]) for document in first])
        metric = ContextualPrecisionMetric(model=judge, include_reason=False, async_mode=False)
        asked = LLMTestCase(input=topic, actual_output="", expected_output="", retrieval_context=first)
        return float(metric.measure(asked, _show_indicator=False))

    return mean(score(topic) for topic in qrels)


@adapter("Ragas, given the first k", "ragas", "ragas")
def by_ragas(case: dict[str, Any]) -> float:
    """Its precision and recall of ids."""
    from ragas import SingleTurnSample, metrics

    name, cutoff = called(case, {"P@k": "Precision", "R@k": "Recall"})
    qrels, lists = ranked_lists(case)
    metric = getattr(metrics, f"IDBasedContext{name}")()
    return mean(
        metric.single_turn_score(
            SingleTurnSample(retrieved_context_ids=lists[topic][:cutoff], reference_context_ids=relevant(grades))
        )
        for topic, grades in qrels.items()
    )


@adapter("Recommenders", "recommenders", "recommenders")
def by_recommenders(case: dict[str, Any]) -> float:
    """Its metrics of frames; what is relevant are the rows of the truth."""
    import pandas as pd
    from recommenders.evaluation import python_evaluation as metrics

    names = {"nDCG@k": "ndcg_at_k", "AP": "map", "AP@k": "map_at_k", "P@k": "precision_at_k", "R@k": "recall_at_k"}
    name, cutoff = called(case, names)
    as_dicts(case)
    if any(grade <= 0 or (name != "ndcg_at_k" and grade != 1) for *_, grade in case["qrels"] if grade != 0):
        raise NotAsked
    truth = pd.DataFrame([row for row in case["qrels"] if row[2] > 0], columns=["userID", "itemID", "rating"])
    run = pd.DataFrame(case["run"], columns=["userID", "itemID", "prediction"])
    more = {"score_type": "raw", "discfun_type": "log2"} if name == "ndcg_at_k" else {}
    return float(getattr(metrics, name)(truth.astype({"rating": float}), run, k=cutoff or len(run), **more))


@adapter("RecTools", "RecTools", "rectools")
def by_rectools(case: dict[str, Any]) -> float:
    """Its metrics of frames, by their defaults; it takes ranks, and of judgments the relevant ids."""
    import pandas as pd
    from rectools import metrics

    names = {"nDCG@k": "NDCG", "AP@k": "MAP", "RR@k": "MRR", "P@k": "Precision", "R@k": "Recall"}
    name, cutoff = called(case, names | {"Success@k": "HitRate"})
    qrels, lists = ranked_lists(case)
    rows = [(topic, document, rank) for topic, of in lists.items() for rank, document in enumerate(of, 1)]
    truth = [(topic, document) for topic, grades in qrels.items() for document in relevant(grades)]
    metric = getattr(metrics, name)(k=cutoff)
    ranks = pd.DataFrame(rows, columns=["user_id", "item_id", "rank"])
    return float(metric.calc(ranks, pd.DataFrame(truth, columns=["user_id", "item_id"])))


@adapter("trectools", "trectools", "trectools")
def by_trectools(case: dict[str, Any]) -> float:
    """Its measures of files."""
    import tempfile
    from pathlib import Path

    import trectools

    names = {"nDCG@k": "ndcg", "AP": "map", "AP@k": "map", "RR": "reciprocal_rank", "RR@k": "reciprocal_rank"}
    name, cutoff = called(case, names | {"P@k": "precision", "R@k": "recall", "Bpref": "bpref"})
    as_dicts(case)
    with tempfile.TemporaryDirectory() as folder:
        qrels, run = Path(folder, "qrels"), Path(folder, "run")
        qrels.write_text("".join(f"{topic} 0 {document} {grade}\n" for topic, document, grade in case["qrels"]))
        run.write_text("".join(f"{topic} Q0 {document} 1 {score!r} run\n" for topic, document, score in case["run"]))
        asked = trectools.TrecEval(trectools.TrecRun(str(run)), trectools.TrecQrel(str(qrels)))
        return float(getattr(asked, f"get_{name}")(**({"depth": cutoff} if cutoff else {})))


def the_lines(case: dict[str, Any]) -> list[tuple[str, float]]:
    """Return all lines of the only list."""
    if case["excluded"]:
        raise NotAsked
    topics = [{row[0] for row in case[part]} for part in ("qrels", "run")]
    if len(topics[0]) > 1 or topics[0] != topics[1]:
        raise NotAsked
    return [(document, score) for _, document, score in case["run"]]


def mean(values: Iterable[float]) -> float:
    """Return the mean of some values; NaN of none."""
    found = list(values)
    return sum(found) / len(found) if found else float("nan")
