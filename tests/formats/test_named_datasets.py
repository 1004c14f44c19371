"""Judgments and topics by their names in ir_datasets: with a stand-in of its interface, and with itself if it is there.

The stand-in has what the pages of ir_datasets 0.6.3 (2026) name of its interface in Python: ``load``, ``registry``, and
of a dataset ``has_qrels``, ``has_queries``, ``qrels_iter`` and ``queries_iter``, which give named tuples.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from hashlib import md5
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final

import polars as pl
import pytest
from click.testing import CliRunner, Result
from tools.each import each_of

import cranfield as cf
from cranfield.cli import main
from cranfield.formats import parted, read_qrels
from cranfield.formats.topic_files import Topic, read_topic_ids, read_topics
from cranfield.plumbing.errors import InputError

STAND_IN: Final = """
from typing import NamedTuple

__version__ = "0.6.3"

class TrecQrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    iteration: str

class TrecSubQrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    subtopic_id: str

class GenericQuery(NamedTuple):
    query_id: str
    text: str
    def default_text(self):
        return self.text

class TrecQuery(NamedTuple):
    query_id: str
    title: str
    description: str
    narrative: str

class Spoken(NamedTuple):
    query_id: str
    utterance: str
    def default_text(self):
        return self.utterance

class Dataset:
    def __init__(self, qrels=None, queries=None):
        self._qrels, self._queries = qrels, queries
    def has_qrels(self):
        return self._qrels is not None
    def has_queries(self):
        return self._queries is not None
    def qrels_defs(self):
        return {0: "not relevant", 1: "relevant"}
    def qrels_iter(self):
        if isinstance(self._qrels, Exception):
            raise self._qrels
        yield from self._qrels
    def queries_iter(self):
        yield from self._queries

registry = {
    "tiny": Dataset(None, [Spoken("1", "who?"), Spoken("2", "where?"), Spoken("3", "when?")]),
    "tiny/judged": Dataset(
        [TrecQrel("1", "a", 0, "Q0"), TrecQrel("1", "b", 2, "Q0"), TrecQrel("2", "a", 1, "Q0")],
        [GenericQuery("1", "who?"), GenericQuery("2", "where?")],
    ),
    "tiny/diversity": Dataset(
        [TrecSubQrel("1", "a", 1, "x"), TrecSubQrel("1", "a", 2, "y")],
        [TrecQuery("1", "who", "Who?", "Everyone.")],
    ),
    "tiny/far": Dataset(ConnectionError("HTTPSConnectionPool(host='trec.nist.gov'): no route")),
    "tiny/mirrors": Dataset(RuntimeError("All download sources failed", [("a mirror", OSError("no route"))])),
    "tiny/closed": Dataset(EOFError("EOF when reading a line")),
    "tiny/empty": Dataset([]),
}

def load(name):
    return registry[name]
"""
RUN: Final = {"1": {"a": 2.5, "b": 1.5}, "2": {"a": 0.5}}


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "lib" / "ir_datasets").mkdir(parents=True)
    (tmp_path / "lib" / "ir_datasets" / "__init__.py").write_text(STAND_IN)
    monkeypatch.delitem(sys.modules, "ir_datasets", raising=False)
    monkeypatch.syspath_prepend(tmp_path / "lib")
    (tmp_path / "old.run").write_text("1 Q0 a 1 2.5 r\n1 Q0 b 2 1.5 r\n2 Q0 a 1 0.5 r\n")
    (tmp_path / "new.run").write_text("1 Q0 b 1 2.5 r\n1 Q0 a 2 1.5 r\n2 Q0 a 1 0.5 r\n")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.modules.pop("ir_datasets", None)


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments])


@pytest.mark.usefixtures("stand_in")
def test_judgments_by_name_are_those_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("1 Q0 a 0\n1 Q0 b 2\n2 Q0 a 1\n")
    assert read_qrels("irds:tiny/judged").rows() == read_qrels("qrels.txt").rows()
    by_name, by_file = (cf.evaluate(qrels, {"r": RUN}, ["AP", "nDCG"]) for qrels in ("irds:tiny/judged", "qrels.txt"))
    assert by_name.to_polars().rows() == by_file.to_polars().rows()


@pytest.mark.usefixtures("stand_in")
def test_subtopics_come_along() -> None:
    assert read_qrels("irds:tiny/diversity", subtopics="read").rows() == [("1", "a", 1, "x"), ("1", "a", 2, "y")]
    assert read_qrels("irds:tiny/diversity", subtopics="max").rows() == [("1", "a", 2)]
    with pytest.raises(InputError, match="irds:tiny/diversity: document a of topic 1 is judged under x and under y"):
        read_qrels("irds:tiny/diversity")


@pytest.mark.usefixtures("stand_in")
def test_topics_by_name() -> None:
    assert read_topics("irds:tiny/judged") == {"1": Topic("who?"), "2": Topic("where?")}
    assert read_topics("irds:tiny/diversity") == {"1": Topic("who", "Who?", "Everyone.")}
    assert read_topics("irds:tiny")["3"] == Topic("when?")
    assert read_topic_ids("irds:tiny").to_list() == ["1", "2", "3"]
    scores = cf.evaluate("irds:tiny/judged", {"r": RUN}, "AP", topics_file="irds:tiny")
    assert scores.topics == ("1", "2", "3")


CALLS: Final = (
    "evaluate QRELS old.run new.run",
    "gate QRELS old.run new.run -m AP",
    "why QRELS old.run new.run -m AP",
    "check old.run --qrels QRELS --topics-file QRELS",
    "select old.run new.run --qrels QRELS --method depth",
)


@each_of("line", CALLS)
def test_wherever_qrels_are_taken(line: str, stand_in: Path) -> None:
    (stand_in / "qrels.txt").write_text("1 Q0 a 0\n1 Q0 b 2\n2 Q0 a 1\n")
    by_name, by_file = (call(*line.replace("QRELS", name).split()) for name in ("irds:tiny/judged", "qrels.txt"))
    assert by_file.exit_code in (0, 1, 3, 4), by_file.output
    assert by_name.exit_code == by_file.exit_code
    assert by_name.stdout.replace("irds:tiny/judged", "qrels.txt") == by_file.stdout


@pytest.mark.usefixtures("stand_in")
def test_the_audit_names_it_and_the_note_says_what_is_fetched() -> None:
    result = call("evaluate", "irds:tiny/judged", "old.run", "-m", "AP")
    assert result.exit_code == 0
    said = result.stderr.splitlines()
    assert said[0] == "note: ir_datasets 0.6.3 downloads the judgments of irds:tiny/judged unless it has them"
    assert "audit: judged by irds:tiny/judged (ir_datasets 0.6.3)" in said
    found = cf.evaluate("irds:tiny/judged", {"r": RUN}, "AP", only=["1"]).audit.findings
    assert "judged by irds:tiny/judged (ir_datasets 0.6.3)" in [each.says for each in found]


@pytest.mark.usefixtures("stand_in")
def test_a_run_that_is_read_in_parts_is_judged_by_name_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parted, "LARGE_RUN", 1)
    rows = [(topic, document, score) for topic, of in RUN.items() for document, score in of.items()]
    pl.DataFrame(rows, ["query_id", "doc_id", "score"], orient="row").write_parquet("large.parquet")
    found = cf.evaluate("irds:tiny/judged", "large.parquet", "AP").audit.findings
    assert "judged by irds:tiny/judged (ir_datasets 0.6.3)" in [each.says for each in found]


@pytest.mark.usefixtures("stand_in")
def test_no_run_has_such_a_name() -> None:
    for line in ("evaluate qrels.txt irds:tiny/judged", "compare irds:tiny/judged old.run new=irds:tiny"):
        result = call(*line.split())
        given = line.split()[-1].removeprefix("new=")
        says = f"cranfield: {given}: names judgments or topics, and is given as a run: give a run's file"
        assert (result.exit_code, result.stderr.splitlines()[-1]) == (2, says)


@pytest.mark.usefixtures("stand_in")
def test_a_check_knows_judgments_among_runs_by_name() -> None:
    result = call("check", "irds:tiny/judged", "old.run")
    assert result.stderr.splitlines()[-1] == "1 run (judgments: irds:tiny/judged): nothing found"


@pytest.mark.integration
@pytest.mark.usefixtures("stand_in")
def test_a_report_has_it_among_its_inputs(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    cf.report("irds:tiny/judged", [tmp_path / "old.run", tmp_path / "new.run"], "AP").save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "irds:tiny/judged (ir_datasets 0.6.3)" in page
    assert "cranfield gate irds:tiny/judged" in page


AGAIN: Final = ": give a file, or try again with a network"
FETCHED: Final = {
    "far": "ConnectionError: HTTPSConnectionPool(host='trec.nist.gov'): no route",
    "mirrors": "RuntimeError: All download sources failed",
    "closed": "EOFError: EOF when reading a line",
}
WRONG: Final = {
    "tiny": f"has no judgments; these have: tiny/{', tiny/'.join(('judged', 'diversity', *FETCHED, 'empty'))}",
    "tiny/juged": "ir_datasets has no dataset of this name; did you mean `tiny/judged`?",
    "": "ir_datasets has no dataset of this name",
    "tiny/empty": "has no judgments: its list of them is empty",
    **{f"tiny/{name}": f"ir_datasets cannot fetch its judgments ({why}){AGAIN}" for name, why in FETCHED.items()},
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.usefixtures("stand_in")
def test_what_goes_wrong_is_one_sentence(name: str) -> None:
    result = call("evaluate", f"irds:{name}", "old.run", "-m", "AP")
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (2, f"cranfield: irds:{name}: {WRONG[name]}")


@pytest.mark.usefixtures("stand_in")
def test_topics_that_are_not_there() -> None:
    with pytest.raises(InputError, match=r"irds:tiny/far: has no topics$"):
        read_topics("irds:tiny/far")


def test_without_ir_datasets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    wanted = r'irds:tiny: this needs ir_datasets, which is not installed: pip install "cranfield\[irds\]"'
    for read in (read_qrels, read_topics):
        with pytest.raises(InputError, match=wanted):
            read("irds:tiny")


def test_a_file_that_is_called_so_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("irds:tiny").write_text("1 0 a 1\n")
    assert read_qrels("irds:tiny").rows() == [("1", "a", 1)]


def test_ir_datasets_itself(tmp_path: Path) -> None:
    irds: Any = pytest.importorskip("ir_datasets", reason="ir_datasets is not installed")
    (tmp_path / "qrels.txt").write_text("1 0 a 0\n1 0 b 2\n2 0 a 1\n")
    (tmp_path / "queries.tsv").write_text("1\twho?\n2\twhere?\n")
    local = irds.create_dataset(queries_tsv=str(tmp_path / "queries.tsv"), qrels_trec=str(tmp_path / "qrels.txt"))
    irds.registry.register("cranfield-test/judged", local)
    assert read_qrels("irds:cranfield-test/judged").rows() == read_qrels(tmp_path / "qrels.txt").rows()
    assert read_topics("irds:cranfield-test/judged") == {"1": Topic("who?"), "2": Topic("where?")}
    with pytest.raises(InputError, match="did you mean `msmarco-passage/trec-dl-2019/judged`"):
        read_qrels("irds:msmarco-passage/trec-dl-2019/juged")
    with pytest.raises(InputError, match="irds:msmarco-passage: has no judgments; these have: msmarco-passage/"):
        read_qrels("irds:msmarco-passage")


@pytest.mark.integration
def test_ir_datasets_itself_fetches_what_it_lacks_once(tmp_path: Path) -> None:
    """A server on this machine stands for the network, and then is away."""
    irds: Any = pytest.importorskip("ir_datasets", reason="ir_datasets is not installed")
    data = b"1 Q0 a 0\n1 Q0 b 2\n2 Q0 a 1\n"
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "qrels.txt").write_bytes(data)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path / "served"))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        for name in ("here", "late"):
            source = irds.util.RequestsDownload(f"http://127.0.0.1:{server.server_port}/qrels.txt")
            fetched = irds.util.Download([source], expected_md5=md5(data, usedforsecurity=False).hexdigest())
            kept = irds.util.Cache(fetched, tmp_path / "kept" / name)
            held = irds.datasets.base.Dataset(irds.formats.TrecQrels(kept, {}))
            irds.registry.register(f"cranfield-test/{name}", held)
        rows = read_qrels("irds:cranfield-test/here").rows()
        assert rows == [("1", "a", 0), ("1", "b", 2), ("2", "a", 1)]
        server.shutdown()
    assert read_qrels("irds:cranfield-test/here").rows() == rows
    with pytest.raises(InputError, match=r"cannot fetch its judgments \(ConnectionError: .+ \.\.\.\): give a file, or"):
        read_qrels("irds:cranfield-test/late")


class Quiet(SimpleHTTPRequestHandler):
    """A server that writes no lines."""

    def log_message(self, *said: object) -> None:
        """Say nothing."""
