"""Small collections with texts, ranked, so that they can be explored: `python -m tools.ranked COLLECTION FOLDER`.

COLLECTION is the folder of the Cranfield collection, or that of NFCorpus, as they lie among the data of
the tests (`small-collections/cranfield`, `small-collections/nfcorpus-test`). FOLDER gets all that the
explorer takes:

- `qrels.txt`: graded judgments. Those of Cranfield go from 1 (best) to 4; here 4 is best;
- `runs/`: one of each of the demonstration's rankers that reads texts (bm25, cosine, likelihood), and one
  of BM25 on titles, or on the first words where there is no title (beginnings);
- `docs.jsonl.gz`: the texts;
- `topics.tsv`: what the topics are about.

The command that looks around in them is printed:

    cranfield explore FOLDER/qrels.txt FOLDER/runs/* --docs FOLDER/docs.jsonl.gz --topics-file FOLDER/topics.tsv
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from pathlib import Path
from typing import Final, TypeAlias

from cranfield import read_documents, read_qrels, read_run, write_qrels, write_run
from cranfield.demonstration.rankers import runs_of
from cranfield.formats.topic_files import read_topics

Grades: TypeAlias = dict[str, dict[str, int]]

BEST: Final = 4
"""The grade that Cranfield calls 1."""
BEGINNING: Final = 10
"""So many words are the title of a document that has none."""


def runs_for(collection: Path, folder: Path) -> Path:
    """Rank a collection's documents for its topics, and write all that the explorer takes into a folder."""
    is_cranfield = (collection / "cranqrel.original").exists()
    topics, qrels = cranfield(collection) if is_cranfield else nfcorpus(collection)
    source = collection / ("cran.all.1400.xml.gz" if is_cranfield else "d-collection.docs.gz")
    documents = read_documents(source)
    topics = {topic: words for topic, words in topics.items() if topic in qrels}
    runs = runs_of({name: each.text for name, each in documents.items()}, topics)
    titles = {name: each.title or each.beginning(BEGINNING) for name, each in documents.items()}
    del runs["names"]  # ids are numbers here
    runs["beginnings"] = runs_of(titles, topics)["bm25"]

    (folder / "runs").mkdir(parents=True, exist_ok=True)
    write_qrels(read_qrels(qrels), folder / "qrels.txt")
    for name, run in runs.items():
        write_run(read_run(run), folder / "runs" / f"{name}.txt", name=name)
    lines = (json.dumps({"doc_id": name, "title": one.title, "text": one.text}) for name, one in documents.items())
    with gzip.open(folder / "docs.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
    (folder / "topics.tsv").write_text("".join(f"{name}\t{words}\n" for name, words in topics.items()), "utf-8")
    return folder


def cranfield(collection: Path) -> tuple[dict[str, str], Grades]:
    """Read Cranfield's topics, which its judgments number as they come, and the judgments."""
    asked = read_topics(collection / "cran.qry.xml").values()
    qrels: Grades = {}
    for line in (collection / "cranqrel.original").read_text("utf-8").splitlines():
        topic, document, grade = line.split()
        qrels.setdefault(topic, {})[document] = BEST + 1 - int(grade)
    return {str(number): topic.title for number, topic in enumerate(asked, start=1)}, qrels


def nfcorpus(collection: Path) -> tuple[dict[str, str], Grades]:
    """Read NFCorpus: its titles are the topics."""
    qrels: Grades = {}
    for line in (collection / "s-3.qrel").read_text("utf-8").splitlines():
        topic, _, document, grade = line.split()
        qrels.setdefault(topic, {})[document] = int(grade)
    topics = read_topics(collection / "q-titles.queries")
    return {name: topic.title for name, topic in topics.items()}, {t: qrels[t] for t in topics if t in qrels}


def main() -> None:
    """Rank a collection, and say how to look around in it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collection", type=Path)
    parser.add_argument("folder", type=Path)
    asked = parser.parse_args()
    made = runs_for(asked.collection, asked.folder)
    files = f"{made}/qrels.txt {made}/runs/* --docs {made}/docs.jsonl.gz --topics-file {made}/topics.tsv"
    sys.stdout.write(f"cranfield explore {files}\n")


if __name__ == "__main__":
    main()
