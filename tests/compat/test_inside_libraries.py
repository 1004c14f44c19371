"""Libraries that import pytrec_eval or ir_measures themselves, answered by ours: by hand, where they are."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.scripts import SCRIPTS, Script, differences

import cranfield as cf
from cranfield.compat import pytrec_eval as ours

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

CUTOFFS = [1, 3, 5, 10, 100, 1000]


@pytest.fixture(scope="module")
def made_up() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    chance = random.Random(1)  # noqa: S311
    topics = [str(topic) for topic in range(100)]
    qrels = {t: {f"d{chance.randrange(2000)}": chance.randrange(3) for _ in range(30)} for t in topics}
    return qrels, {t: {f"d{i}": chance.random() for i in chance.sample(range(2000), 1000)} for t in topics}


def numbers(found: Any, path: tuple[object, ...] = ()) -> Iterator[tuple[tuple[object, ...], float]]:
    """Give every number in nested results, with where it stands."""
    if hasattr(found, "_asdict"):
        found = found._asdict()
    if isinstance(found, list | tuple):
        found = dict(enumerate(found))
    if isinstance(found, dict):
        for key, value in found.items():
            yield from numbers(value, (*path, key))
    elif isinstance(found, int | float):
        yield path, float(found)


def test_beir(made_up: Any) -> None:
    beir = pytest.importorskip("beir.retrieval.evaluation", reason="BEIR is not installed")
    theirs = beir.EvaluateRetrieval.evaluate(*made_up, CUTOFFS)
    with ours.install():
        assert beir.EvaluateRetrieval.evaluate(*made_up, CUTOFFS) == theirs


def test_mteb(made_up: Any) -> None:
    metrics = pytest.importorskip("mteb._evaluators.retrieval_metrics", reason="MTEB is not installed")
    qrels, run = made_up
    theirs = dict(numbers(metrics.calculate_retrieval_scores(run, qrels, CUTOFFS)))
    with ours.install():
        found = dict(numbers(metrics.calculate_retrieval_scores(run, qrels, CUTOFFS)))
    assert len(theirs) > 3000
    assert found == pytest.approx(theirs, abs=0, nan_ok=True)


def test_pyterrier(made_up: Any, tmp_path: Path) -> None:
    """Our measures in an experiment, corrected there; what it saves is read and compared here."""
    pt = pytest.importorskip("pyterrier", reason="PyTerrier is not installed")
    pd = pytest.importorskip("pandas")
    ir_measures = pytest.importorskip("ir_measures")
    pytest.importorskip("cranfield.compat.ir_measures")
    qrels, run = made_up
    runs = {"one": run, "two": {t: {d: -score for d, score in found.items()} for t, found in run.items()}}

    def frame(nested: Any, value: str) -> Any:
        rows = [(topic, document, v) for topic, inner in nested.items() for document, v in inner.items()]
        return pd.DataFrame(rows, columns=["qid", "docno", value])

    def ranked(nested: Any) -> Any:
        return pt.model.add_ranks(frame(nested, "score"))

    found = pt.Experiment(
        [pt.Transformer.from_df(ranked(each)) for each in runs.values()],
        pd.DataFrame({"qid": list(qrels), "query": ""}),
        frame(qrels, "label"),
        ["map", ir_measures.parse_measure("Twist")],
        names=list(runs), baseline=0, correction="holm", save_dir=str(tmp_path),
    )  # fmt: skip
    assert "Twist p-value corrected" in found.columns
    scores = cf.evaluate(qrels, runs, ["AP", "Twist"], order="trec9")
    for place, name in enumerate(runs):
        assert found["map"][place] == pytest.approx(scores[name, "AP"])
        assert found["Twist"][place] == pytest.approx(scores[name, "Twist"])
    saved = sorted(tmp_path.glob("*.res.gz"))
    again = cf.compare(qrels, saved, "Twist")
    assert [path.name.partition(".")[0] for path in saved] == list(runs)
    ours_ = cf.compare(qrels, runs, "Twist")
    assert again.to_polars()["p_adjusted"].to_list() == pytest.approx(
        ours_.to_polars()["p_adjusted"].to_list(), abs=1e-4
    )


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: str(script.name))
def test_scripts_give_the_same_numbers_afterwards(data: Path, script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRANFIELD_DATA", str(data))
    if missing := script.missing():
        pytest.skip(missing)
    before = script.before()
    assert before
    assert differences(before, script.after()) == []
