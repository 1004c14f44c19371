"""Metadata at the head of runs, as ir-metadata.org has it (schema 0.1, pages of 2022) and repro_eval writes it.

The block below is laid out as the two have it: each line of YAML after "# ", with a blank at its end.
"""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Final

import pytest

import cranfield as cf
from cranfield.formats import RunsLike, read_qrels, read_runs
from cranfield.plumbing.errors import InputError

BLOCK: Final = (
    "# ir_metadata.start\n"
    "# schema-version: 0.1 \n"
    "# run-version: 1.0 \n"
    "# tag: h2oloo.ccrf \n"
    "# platform: \n"
    "#   hardware: \n"
    "#     cpu: {model: Intel Xeon, number of cores: 40} \n"
    "# ir_metadata.end\n"
)
ROWS: Final = "1 Q0 a 1 2.5 ccrf\n1 Q0 b 2 1.5 ccrf\n2 Q0 a 1 0.5 ccrf\n"
TEXT: Final = (
    "schema-version: 0.1\nrun-version: 1.0\ntag: h2oloo.ccrf\nplatform:\n  hardware:\n"
    "    cpu: {model: Intel Xeon, number of cores: 40}\n"
)
QRELS: Final = {"1": {"a": 0, "b": 1}, "2": {"a": 1}}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "ccrf.run"
    path.write_text(BLOCK + ROWS)
    return path


def test_the_block_is_kept_and_is_no_row(run: Path) -> None:
    runs = read_runs(run)
    assert runs.metadata("ccrf") == TEXT
    assert runs["ccrf"].rows() == [("1", "a", 2.5), ("1", "b", 1.5), ("2", "a", 0.5)]
    assert [row.document for row in runs.sources[0].head()] == ["a", "b", "a"]
    assert runs.sources[0].read(lines=True)["line"].to_list() == [9, 10, 11]


@pytest.mark.parametrize("native", ["0", "1"])
def test_both_roads_score_it_as_the_run_without(run: Path, native: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRANFIELD_NATIVE", native)
    (run.parent / "bare.run").write_text(ROWS)
    scores = cf.evaluate(QRELS, [run, run.parent / "bare.run"], ["AP", "nDCG@10"]).to_polars()
    ours, bare = (scores.filter(run=name).drop("run").rows() for name in ("ccrf", "bare"))
    assert ours == bare


def test_however_the_file_is_given(run: Path) -> None:
    """Packed, open, with a byte order mark, and with the line ends of Windows."""
    text = BLOCK + ROWS
    (run.parent / "packed.run.gz").write_bytes(gzip.compress(text.encode()))
    (run.parent / "mark.run").write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    given: list[RunsLike] = [run.parent / "packed.run.gz", run.parent / "mark.run", io.StringIO(text)]
    for each in given:
        [source] = read_runs(each).sources
        assert (source.metadata(), source.read().height, len(source.head())) == (TEXT, 3, 3)


@pytest.mark.parametrize(
    ("text", "end"),
    [("\n" + BLOCK.removesuffix("# ir_metadata.end\n") + ROWS, " before line 9$"), ("\n# ir_metadata.start", "$")],
)
def test_a_block_that_is_not_closed(run: Path, text: str, end: str) -> None:
    run.write_text(text)
    said = rf"ccrf.run, line 2: the metadata that begins here is not closed: `# ir_metadata.end` is missing{end}"
    for read in (lambda: read_runs(run)["ccrf"], lambda: cf.evaluate(QRELS, run, "AP")):
        with pytest.raises(InputError, match=said):
            read()


def test_other_lines_of_this_kind_are_rows(run: Path) -> None:
    """A topic may be called `#`, as an id may begin so; the block counts at the head alone, and in runs."""
    run.write_text("# Q0 a 1 2.5 ccrf\n#2 Q0 b 1 0.5 ccrf\n")
    assert read_runs(run)["ccrf"]["query_id"].to_list() == ["#", "#2"]
    assert read_runs(run).metadata("ccrf") == ""
    for text in (ROWS + BLOCK, BLOCK + BLOCK + ROWS):
        run.write_text(text)
        with pytest.raises(InputError, match=r"line \d+: 2 columns where run lines have 6"):
            read_runs(run)["ccrf"]
    run.write_text(BLOCK + "1 0 a 1\n")
    with pytest.raises(InputError, match="line 1: 2 columns where qrels lines have 4"):
        read_qrels(run)


def test_metadata_alone_is_no_run(run: Path) -> None:
    run.write_text(BLOCK)
    with pytest.raises(InputError, match="is empty: a run has at least one line"):
        read_runs(run)["ccrf"]


def test_the_first_rows_below_it_are_looked_at(run: Path) -> None:
    """Scores that rise are seen there, too, however long the metadata is."""
    long = BLOCK.replace("# platform", "# note: long \n" * 500 + "# platform")
    run.write_text(long + "".join(f"1 Q0 d{n} {n} {n}.5 ccrf\n" for n in range(1, 12)))
    assert "rising scores" in {found.code for found in cf.evaluate(QRELS, run, "AP").audit.findings}


def test_a_check_shows_it(run: Path) -> None:
    [found] = [each for each in cf.check(run).runs[0].findings if each.code == "metadata"]
    told = "schema-version: 0.1; run-version: 1.0; tag: h2oloo.ccrf; platform: hardware: cpu: {model: Intel Xeon, "
    assert (found.severity, found.says) == ("remark", f"begins with metadata: {told}number of cores: 40}}")
    run.write_text(BLOCK.replace("# platform", "# note: long\n" * 50 + "# platform") + ROWS)
    [found] = [each for each in cf.check(run).runs[0].findings if each.code == "metadata"]
    assert found.says.endswith("; note: ...")
    run.write_text(ROWS)
    assert "metadata" not in {each.code for each in cf.check(run).runs[0].findings}


def test_what_is_no_file_has_none() -> None:
    assert read_runs({"a": {"1": {"d": 1.0}}}).metadata("a") == ""
