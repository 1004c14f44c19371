"""Small collections, ranked for looking around in them, are as good as those who ranked them before found."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.ranked import runs_for

import cranfield as cf


@pytest.mark.integration  # twice some seconds of ranking
@pytest.mark.parametrize(
    ("collection", "known", "topics"),
    [("cranfield", 0.370, 225), ("nfcorpus-test", 0.142, 323)],  # AP of another BM25, as the data's README has it
)
def test_a_collection_ranked(data: Path, tmp_path: Path, collection: str, known: float, topics: int) -> None:
    folder = runs_for(data / "small-collections" / collection, tmp_path)
    found = cf.evaluate(folder / "qrels.txt", sorted((folder / "runs").iterdir()), "AP")
    assert found.runs == ("beginnings", "bm25", "cosine", "likelihood")
    assert len(found.topics) == topics
    assert found.averages[0, 1] == pytest.approx(known, abs=0.015)
    texts = cf.read_documents(folder / "docs.jsonl.gz")
    assert all(document in texts for document in cf.read_run(folder / "runs" / "bm25.txt")["doc_id"].head(100))
