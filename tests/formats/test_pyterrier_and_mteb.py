"""What PyTerrier and mteb write, as runs and as scores by item; each laid out as its sources of the version do it.

- PyTerrier 1.1.2 (July 2026): ``pt.Experiment(..., perquery=True)`` returns a frame with the columns name, qid, measure
  and value, NaN where a system has no result; with ``dataframe=False`` nested dicts; without ``perquery`` means.
- mteb 2.26.24 (October 2026): ``mteb.evaluate(..., prediction_folder=...)`` writes TASK_predictions.json, and results
  are kept as MODEL/REVISION/TASK.json next to model_meta.json.
"""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any, Final

import polars as pl
import pytest

import cranfield as cf
from cranfield.formats import read_runs
from cranfield.plumbing.errors import InputError
from cranfield.scoring.panel import scores_of

PER_QUERY: Final = [
    ("bm25", "1", "map", 0.25), ("bm25", "1", "P_10", 0.5), ("bm25", "2", "map", 1.0), ("bm25", "2", "P_10", 0.1),
    ("dph", "1", "map", 0.5), ("dph", "1", "P_10", 0.5), ("dph", "2", "map", 0.75), ("dph", "2", "P_10", 0.2),
]  # fmt: skip


def predictions(model: str = "intfloat/e5-small", **subsets: Any) -> dict[str, Any]:
    """What mteb's `_save_task_predictions` writes."""
    usual = {"default": {"test": {"q1": {"d1": 0.75, "d2": 0.5}, "q2": {"d3": 0.25}}}}
    return {"mteb_model_meta": {"model_name": model, "revision": "ffb93f3"}, **(subsets or usual)}


def result(task: str = "NFCorpus", **splits: Any) -> dict[str, Any]:
    """What mteb's `TaskResult.to_dict` holds."""
    usual = {"test": [scored(0.5)]}
    return {
        "dataset_revision": "ec0fa4f", "task_name": task, "mteb_version": "2.26.24", "scores": splits or usual,
        "evaluation_time": 12.5, "kg_co2_emissions": None,
    }  # fmt: skip


def scored(value: object, subset: str = "default", **more: object) -> dict[str, object]:
    return {
        "ndcg_at_1": 0.25, "ndcg_at_10": value, "map_at_10": 0.125, **more,
        "main_score": value, "hf_subset": subset, "languages": ["eng-Latn"], "mteb_version": "2.26.24",
    }  # fmt: skip


def written(path: Path, given: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(given))
    return path


def modelled(folder: Path, model: str, **tasks: dict[str, Any]) -> None:
    """Lay results out as mteb keeps them."""
    here = folder / model.replace("/", "__") / "ffb93f3"
    written(here / "model_meta.json", {"name": model, "revision": "ffb93f3"})
    for task, given in tasks.items():
        written(here / f"{task}.json", given)


def test_scores_by_query_of_an_experiment(tmp_path: Path) -> None:
    frame = pl.DataFrame(PER_QUERY, ["name", "qid", "measure", "value"], orient="row")
    frame.write_csv(tmp_path / "perquery.csv")
    nested: dict[str, dict[str, dict[str, float]]] = {}
    for name, qid, measure, value in PER_QUERY:
        nested.setdefault(name, {}).setdefault(qid, {})[measure] = value
    for given in (frame, frame.to_pandas(), nested, tmp_path / "perquery.csv"):
        assert cf.read_scores(given).table.rows() == PER_QUERY
    assert cf.read_scores(frame, ["map"]).table.height == 4
    lacking = frame.with_columns(pl.when(name="dph", qid="2").then(float("nan")).otherwise("value").alias("value"))
    assert cf.read_scores(lacking.to_pandas()).table["value"].null_count() == 2


def test_dicts_of_an_experiment_number_its_systems() -> None:
    """As ``pt.Experiment(..., perquery=True, dataframe=False)`` does since 1.1: the names are 0, 1 and so on."""
    given: dict[Any, Any] = {0: {"1": {"map": 0.25}}, 1: {"1": {"map": 0.5}}}
    assert cf.read_scores(given).table["run"].to_list() == ["0", "1"]


def test_scores_next_to_the_runs_of_an_experiment_are_no_runs(tmp_path: Path) -> None:
    """``pt.Experiment(..., save_dir=...)`` writes aggregated.csv and perquery.csv next to the runs."""
    pl.DataFrame(PER_QUERY, ["name", "qid", "measure", "value"], orient="row").write_csv(tmp_path / "perquery.csv")
    (tmp_path / "aggregated.csv").write_text("name,map\nbm25,0.5\n")
    (tmp_path / "bm25.res.gz").write_bytes(gzip.compress(b"1 Q0 a 0 2.5 pyterrier\n"))
    assert list(read_runs(tmp_path)) == ["bm25"]
    found = cf.evaluate({"1": {"a": 1}}, tmp_path, "AP").audit.findings
    assert [each.count for each in found if each.code == "passed over"] == [2]


def test_means_of_an_experiment_are_no_scores_by_query() -> None:
    means = pl.DataFrame({"name": ["bm25", "dph"], "map": [0.625, 0.625], "P_10": [0.3, 0.35]})
    with pytest.raises(InputError, match=r"scores: map and P_10 are measures, and .* by topic .in PyTerrier"):
        cf.read_scores(means)


def test_predictions_are_runs(tmp_path: Path) -> None:
    path = written(tmp_path / "NFCorpus_predictions.json", predictions())
    for given in (path, predictions(), io.BytesIO(path.read_bytes())):
        runs = read_runs(given)
        assert list(runs) == ["intfloat__e5-small"]
        assert runs["intfloat__e5-small"].rows() == [("q1", "d1", 0.75), ("q1", "d2", 0.5), ("q2", "d3", 0.25)]
    assert list(read_runs(f"mine={path}")) == ["mine"]
    other = written(tmp_path / "bge" / path.name, predictions("BAAI/bge-small"))
    scores = cf.evaluate({"q1": {"d1": 1}, "q2": {"d4": 1}}, [path, other], "nDCG@10")
    assert scores["nDCG@10"] == {"intfloat__e5-small": 0.5, "BAAI__bge-small": 0.5}


def test_several_subsets_are_several_runs(tmp_path: Path) -> None:
    split = {"test": {"q1": {"d1": 0.5}}, "dev": {"q9": {"d1": 0.5}}}
    path = written(tmp_path / "MIRACL_predictions.json", predictions("org/m", en=split, de={"dev": split["dev"]}))
    assert list(read_runs(path)) == ["org__m.en.test", "org__m.en.dev", "org__m.de.dev"]


def test_predictions_that_rank_nothing(tmp_path: Path) -> None:
    path = written(tmp_path / "Banking77_predictions.json", predictions(default={"test": [1, 0, 2]}))
    with pytest.raises(InputError, match=r"Banking77_predictions.json: mteb's predictions of default test rank no"):
        read_runs(path)
    with pytest.raises(InputError, match="mteb's predictions have no subset"):
        read_runs({"mteb_model_meta": {"model_name": "a"}})


def test_results_are_scores_by_task(tmp_path: Path) -> None:
    several = result("MIRACL", dev=[scored(0.25, "en"), scored(0.125, "de")], test=[scored(0.5, "en")])
    modelled(tmp_path, "intfloat/e5-small", NFCorpus=result(), MIRACL=several)
    modelled(tmp_path, "BAAI/bge-small", NFCorpus=result(test=[scored(0.75)]), MIRACL=several)
    table = cf.read_scores(tmp_path).table
    items = [("NFCorpus", 0.75), ("MIRACL/de/dev", 0.125), ("MIRACL/en", 0.5), ("MIRACL/en/dev", 0.25)]
    assert sorted(table.filter(run="BAAI/bge-small").select("topic", "value").rows()) == sorted(items)
    assert table["measure"].unique().to_list() == ["main_score"]
    assert scores_of(tmp_path).topics == ("MIRACL/de/dev", "MIRACL/en", "MIRACL/en/dev", "NFCorpus")
    one = tmp_path / "intfloat__e5-small" / "ffb93f3" / "NFCorpus.json"
    assert cf.read_scores(one).table.rows() == [("intfloat/e5-small", "NFCorpus", "main_score", 0.5)]


def test_a_result_alone_is_named_by_its_folder_or_its_file(tmp_path: Path) -> None:
    for name, run in (("e5/NFCorpus.json", "e5"), ("mine.json", "mine")):
        assert cf.read_scores(written(tmp_path / name, result())).table["run"].to_list() == [run]


WRONG: Final = {
    "result of mteb before 1.11, which has no main_score": {
        "mteb_dataset_name": "NFCorpus",
        "test": {"ndcg_at_10": 0.5},
    },
    "a subset of split test lacks its hf_subset, or a main_score": result(test=[{"ndcg_at_10": 0.5}]),
    "a subset of split dev lacks its hf_subset, or a main_score": result(dev=[scored(None)]),
    "the main_score of subset en of split test is not finite": result(test=[scored(float("nan"), "en")]),
    "scores are {split: .* not 'none'": {**result(), "scores": "none"},
}


@pytest.mark.parametrize("said", WRONG)
def test_results_without_main_scores(said: str, tmp_path: Path) -> None:
    path = written(tmp_path / "results" / "NFCorpus.json", WRONG[said])
    for given in (path, path.parent):
        with pytest.raises(InputError, match=f"NFCorpus.json: .*{said}"):
            cf.read_scores(given)


def test_two_revisions_of_a_model(tmp_path: Path) -> None:
    modelled(tmp_path / "one", "org/m", NFCorpus=result())
    modelled(tmp_path / "two", "org/m", NFCorpus=result())
    with pytest.raises(InputError, match="has several results of org/m on NFCorpus"):
        cf.read_scores(tmp_path)
