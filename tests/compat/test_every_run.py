"""Every topic of every real run through each layer that speaks another tool's language: by hand."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.compat import pytrec_eval as ours
from cranfield.compat.trec_eval import Version, trec_eval

pytestmark = [pytest.mark.slow, pytest.mark.parametrize("collection", ["dl19-passage", "trec8-adhoc", "covid-round1"])]


def runs_of(folder: Path) -> Iterator[tuple[str, dict[str, dict[str, float]]]]:
    for path in sorted((folder / "runs").iterdir()):
        for name, table in cf.read_runs(path).items():
            yield name, cf.to_dict(table)


def qrels_of(folder: Path) -> dict[str, dict[str, int]]:
    qrels = cf.to_dict(cf.read_qrels(folder / "qrels.txt"))
    return {topic: {document: int(grade) for document, grade in judged.items()} for topic, judged in qrels.items()}


def test_pytrec_eval(data: Path, collection: str) -> None:
    """All its measures."""
    theirs = pytest.importorskip("pytrec_eval")
    qrels = qrels_of(data / collection)
    names = theirs.supported_measures
    original, evaluator = (module.RelevanceEvaluator(qrels, names) for module in (theirs, ours))
    for name, run in runs_of(data / collection):
        expected, found = original.evaluate(run), evaluator.evaluate(run)
        assert expected.keys() == found.keys()
        for topic, values in expected.items():
            assert found[topic] == pytest.approx(values, abs=1e-6), (name, topic)


def test_ir_measures(data: Path, collection: str) -> None:
    """What our provider computes, and theirs."""
    ir_measures = pytest.importorskip("ir_measures")
    provider: Any = pytest.importorskip("cranfield.compat.ir_measures").provider
    measures = [ir_measures.parse_measure(name) for name in ("AP", "nDCG@10", "P@10", "RR", "Rprec", "Bpref", "R@100")]
    qrels = qrels_of(data / collection)
    for name, run in runs_of(data / collection):
        expected, found = (
            {(each.query_id, each.measure): each.value for each in one.iter_calc(measures, qrels, run)}
            for one in (ir_measures.pytrec_eval, provider)
        )
        assert found == pytest.approx(expected, abs=1e-6), name


@pytest.mark.parametrize(("version", "named"), [("9", "TREC_EVAL"), ("10", "TREC_EVAL_10")])
def test_trec_eval_to_the_byte(data: Path, collection: str, version: Version, named: str, tmp_path: Path) -> None:
    """The official measures by topic; TREC_EVAL and TREC_EVAL_10 name the programs."""
    if named not in os.environ:
        pytest.skip(f"{named} names no program")
    qrels, file = data / collection / "qrels.txt", tmp_path / "run"
    for path in sorted((data / collection / "runs").iterdir()):
        file.write_bytes(subprocess.run(["zcat", "-f", str(path)], capture_output=True, check=True).stdout)
        done = subprocess.run(
            [os.environ[named], "-q", "-m", "official", str(qrels), str(file)],
            capture_output=True,
            text=True,
            check=True,
        )
        assert trec_eval(qrels, file, version=version, per_query=True) == done.stdout, path.name
