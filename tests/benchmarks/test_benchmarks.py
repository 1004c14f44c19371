"""The benchmark's own pieces, on a tiny campaign: whether it runs and says the truth, never how fast anything is."""

from __future__ import annotations

import gzip
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest
from click.testing import CliRunner

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:  # the benchmarks are run from the repository root and are not installed
    sys.path.insert(0, str(ROOT))

from benchmarks.__main__ import main  # noqa: E402
from benchmarks.contender import Contender, Task  # noqa: E402
from benchmarks.contenders import peer_pytrec_eval, peer_trec_eval  # noqa: E402
from benchmarks.contenders.peer_numpy import NUMPY  # noqa: E402
from benchmarks.lineup import ALL, OURS  # noqa: E402

from benchmarks import agreement, growth, process, report, sections, timing, waits, workloads  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

[PEER] = peer_pytrec_eval.CONTENDERS
PATIENCE = timing.Patience(2, 60)
HAS_EVALUATE = find_spec("cranfield.__main__") is not None and find_spec("cranfield.cli.evaluate") is not None


@pytest.fixture(scope="module", autouse=True)
def _work_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> None:
    workloads.WORK = tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def tiny() -> workloads.Files:
    return workloads.make(workloads.TINY)


def _sleeper(name: str, code: str, **more: object) -> Contender:
    def processes(_: Task) -> list[list[str]]:
        return [[sys.executable, "-c", code]]

    return Contender(name, lambda: "1.0", processes, {"means": "nothing"}, **more)  # type: ignore[arg-type]


def _absent(name: str) -> Contender:
    return Contender(name, lambda: None, lambda _: [["no-such-program"]], {"means": "nothing"})


def test_every_contender_is_found_and_ours_comes_first() -> None:
    assert ALL[0] is OURS
    peers = {"trec_eval 9.0.8", "trec_eval 10.0", "pytrec_eval", "ir_measures", "ranx", "PyTerrier", "click", "numpy"}
    assert {contender.name for contender in ALL} == {"cranfield", "cranfield in Python"} | peers


def test_the_campaign_is_made_once_and_counted(tiny: workloads.Files) -> None:
    assert len(tiny.runs) == 5
    assert 0 < tiny.lines <= 5 * 4 * 50
    assert 0 < tiny.judgments <= 5 * 4 * 10
    before = (ROOT / tiny.qrels).stat().st_mtime_ns
    assert workloads.make(workloads.TINY) == tiny
    assert (ROOT / tiny.qrels).stat().st_mtime_ns == before


def test_more_runs_are_the_same_files_under_other_names(tiny: workloads.Files) -> None:
    many = workloads.multiply(workloads.TINY, 3)
    assert len(many.runs) == 15
    assert many.lines == 3 * tiny.lines
    assert (ROOT / many.runs[0]).samefile(ROOT / tiny.runs[0])
    assert workloads.multiply(workloads.TINY, 3) == many


def test_the_same_runs_in_other_forms(tiny: workloads.Files, tmp_path: Path) -> None:
    text = (ROOT / tiny.runs[0]).read_bytes()
    packed, parquet = (workloads.converted(tiny, suffix) for suffix in (".gz", ".parquet"))
    assert packed.lines == parquet.lines == tiny.lines
    assert gzip.decompress((ROOT / packed.runs[0]).read_bytes()) == text
    assert pl.read_parquet(ROOT / parquet.runs[0]).height == text.count(b"\n")
    folder = tmp_path / "some" / "runs"
    folder.mkdir(parents=True)
    (folder.parent / "qrels.txt").write_bytes((ROOT / tiny.qrels).read_bytes())
    (folder / "a.gz").write_bytes(gzip.compress(text))
    found = workloads.real(tmp_path, "some")
    assert found is not None
    assert (ROOT / found.runs[0]).read_bytes() == text
    assert workloads.real(tmp_path, "elsewhere") is None


def test_a_process_is_measured_by_itself(tmp_path: Path) -> None:
    small = [sys.executable, "-c", "print('small')"]
    large = [sys.executable, "-c", "import os; x = bytearray(150 * 1024**2); print(os.environ['GIVEN'])"]
    usage = process.run_in_turn([small, large], tmp_path / "out", {"GIVEN": "large"})
    assert (tmp_path / "out").read_text().split() == ["small", "large"]
    assert usage.seconds > 0
    assert usage.processor > 0
    assert usage.megabytes > 150


def test_a_failing_contender_is_reported_and_an_absent_one_is_named(tmp_path: Path, tiny: workloads.Files) -> None:
    work = timing.Workload("reference", "means", tiny)
    good, bad = _sleeper("good", "pass"), _sleeper("bad", "import sys; sys.exit('it | broke')")
    measurements = timing.take_turns(work, [good, bad, _absent("missing")], PATIENCE, tmp_path, lambda _: None)
    assert [(m.contender.name, len(m.usages), m.failure) for m in measurements] == [
        ("good", 2, None),
        ("bad", 0, "it | broke"),
    ]
    text = report.section(work, measurements, [_absent("missing")], ["Checked."])
    assert text.startswith("## The reference work: 129 runs, four measures\n\n5 runs, ")
    assert "| bad 1.0 | failed |  |  |  |  |  | it \\| broke |" in text
    assert f"{tiny.judgments:,} judgments. 2 turns. Checked. Not installed: missing." in text


def test_a_slow_contender_may_be_timed_less_often(tmp_path: Path, tiny: workloads.Files) -> None:
    work = timing.Workload("reference", "means", tiny)
    slow = _sleeper("slow", "pass", most_repetitions=1)
    measurements = timing.take_turns(work, [slow, _sleeper("quick", "pass")], PATIENCE, tmp_path, lambda _: None)
    assert [len(m.usages) for m in measurements] == [1, 2]
    assert "at most 1 turn |" in report.section(work, measurements, [])


def test_patience_ends_after_some_turns_and_after_some_time() -> None:
    assert [timing.Patience(5, 1e9).lasts(turn, 0.0) for turn in (0, 4, 5)] == [True, True, False]
    late = timing.Patience(5, 0.0)
    assert [late.lasts(turn, 0.0) for turn in (0, 2, 3)] == [True, True, False]
    assert late.few() == timing.Patience(3, 0.0)


def _measured(contender: Contender, work: timing.Workload, *usages: tuple[float, float]) -> timing.Measurement:
    return timing.Measurement(contender, work, [process.Usage(wall, cpu, 100.0) for wall, cpu in usages])


def test_ratios_are_those_of_turns(tiny: workloads.Files) -> None:
    """The medians are 2 and 20 s; turn by turn the peer takes 4, 10 and 5 times as long."""
    work = timing.Workload("reference", "means", tiny)
    ours = _measured(OURS, work, (1.0, 1.0), (2.0, 2.0), (4.0, 4.0))
    theirs = _measured(PEER, work, (4.0, 3.0), (20.0, 6.0), (20.0, 12.0))
    assert theirs.times(ours) == (5.0, 3.0)
    text = report.section(work, [ours, theirs], [])
    assert "| 20.00 s | 4.00–20.00 | 6.00 s | 100 MB | 5.00 | 3.00 | map, ndcg_cut_10, bpref |" in text
    assert "| cranfield: times as fast as pytrec_eval | 7 | 5.0 | **missed** |" in text
    assert "| megabytes | at most 250 | 100.0 | reached |" in text


def test_how_much_goes_by_before_any_work(tiny: workloads.Files) -> None:
    """Half of 2 s is the start, and a peer that takes 6 s would be 6 times as slow as nothing but that."""
    work = timing.Workload("short", "means", tiny)
    start = _measured(NUMPY, work, (1.0, 1.0))
    ours, theirs = _measured(OURS, work, (2.0, 2.0)), _measured(PEER, work, (6.0, 6.0))
    text = report.section(work, [ours, theirs, start], [])
    assert "Of cranfield's time, 50% goes by while Python starts and loads numpy; " in text
    assert "with no other work at all, it would be 6.0 times as fast as pytrec_eval." in text
    assert "goes by" not in report.section(work, [ours, theirs], [])


def test_goals_of_seconds(tiny: workloads.Files) -> None:
    click = next(contender for contender in ALL if contender.name == "click")
    work = timing.Workload("help", "help", tiny)
    text = report.section(work, [_measured(OURS, work, (0.06, 0.06)), _measured(click, work, (0.05, 0.05))], [])
    assert "No file is read." in text
    assert "| seconds | at most 0.05 | 0.060 | **missed** |" in text
    assert "| seconds more than click | at most 0.02 | 0.010 | reached |" in text


@pytest.mark.parametrize("work", ["means", "packed", "parquet", "all_trec"])
def test_peers_evaluate_every_run(work: str, tmp_path: Path, tiny: workloads.Files) -> None:
    suffix = {"packed": ".gz", "parquet": ".parquet"}.get(work)
    files = workloads.converted(tiny, suffix) if suffix else tiny
    for contender in ALL:
        if contender.name not in {"pytrec_eval", "ir_measures"} or work not in contender.computes:
            continue
        if contender.version() is None:
            pytest.skip(f"{contender.name} is not installed")
        done = timing.Workload(work, work, files)
        timing.do(contender, done, tmp_path)
        lines = timing.output_of(contender, done, tmp_path).with_suffix(".stdout").read_text().splitlines()
        assert {Path(line.split(",")[0]).stem for line in lines} == {Path(run).stem for run in tiny.runs}


@pytest.mark.integration
@pytest.mark.skipif("TREC_EVAL_SOURCES" not in os.environ, reason="TREC_EVAL_SOURCES names no folder")
def test_trec_eval_is_compiled_and_finds_the_same(tmp_path: Path, tiny: workloads.Files) -> None:
    peer_trec_eval.build(Path(os.environ["TREC_EVAL_SOURCES"]))
    work = timing.Workload("reference", "means", tiny.first(1))
    for contender in peer_trec_eval.CONTENDERS:
        assert contender.version() == "-O3"
        timing.do(contender, work, tmp_path)
        timing.do(OURS, work, tmp_path)
        [said] = timing.output_of(contender, work, tmp_path).with_suffix(".stdout").read_text().split("\nmap")[:1]
        found = float(said.split()[2] if said.startswith("map") else "nan")
        [ours] = agreement.our_means(timing.output_of(OURS, work, tmp_path).read_text()).values()
        assert found == pytest.approx(ours, abs=5e-5)


def test_growth_has_a_row_for_each_size(tmp_path: Path) -> None:
    text = growth.section([(5, 4, 50)], timing.Patience(1, 60), tmp_path, "Today.", lambda _: None)
    assert "| 5 | 4 | 50 | " in text.splitlines()[-1]


def test_growth_is_that_beyond_the_start() -> None:
    """Of 100 documents .1 s beyond the start, of 400 .4 s: as many times; of 200 .4 s: their square."""
    taken = {
        (32, 50, 100): (100, 0.2),
        (128, 50, 100): (400, 0.5),
        (32, 250, 100): (200, 0.5),
        (32, 50, 1000): (400, 0.3),
    }
    rows = [row.split(" | ")[3:] for row in growth.exponents(taken, 0.1)]
    found = [["1.00", "reached |"], ["2.00", "**missed** |"], ["0.50", "reached |"]]
    assert [[exponent, reached] for exponent, _, reached in rows] == found


def test_a_wait_that_is_too_long_is_missed_unless_it_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def row(goal: float, *, bar: bool = False) -> str:
        return waits.Wait("version", ["--version"], goal, bar, turns=1).row(tmp_path, lambda _: None).split(" | ", 2)[2]

    assert row(60) == "60 s | reached |"
    assert row(0) == "0 s | **missed** |"
    assert row(0, bar=True) == "0 s | a progress bar |"
    monkeypatch.setattr(waits, "LONGEST", 0)
    assert row(60) == "60 s | **missed** |"


def test_agreement_is_by_run() -> None:
    same: Callable[[], dict[str, float]] = lambda: {"a": 0.25, "b": 0.5}  # noqa: E731
    assert "all 2 runs" in agreement.compare(same(), same(), "peer")
    with pytest.raises(agreement.DisagreementError, match=r"mean AP of b: cranfield 0\.5, peer 0\.6"):
        agreement.compare(same(), {"a": 0.25, "b": 0.6}, "peer")
    with pytest.raises(agreement.DisagreementError, match="not the same ones"):
        agreement.compare(same(), {"a": 0.25}, "peer")


@pytest.mark.skipif(not HAS_EVALUATE, reason="the evaluate command is not part of this installation")
def test_ours_agrees_with_the_peer(tmp_path: Path, tiny: workloads.Files) -> None:
    if PEER.version() is None:
        pytest.skip("pytrec_eval is not installed")
    found = agreement.check(timing.Workload("reference", "means", tiny), tmp_path)
    assert "mean AP of all 5 runs" in found


@pytest.mark.skipif(not HAS_EVALUATE, reason="the evaluate command is not part of this installation")
def test_one_command_measures_and_writes_sections(tmp_path: Path) -> None:
    page = tmp_path / "benchmarks.md"
    call = ["--sizes", "tiny", "--turns", "1", "--only", "help", "--only", "packed", "--output", str(page)]
    found = CliRunner().invoke(main, call, catch_exceptions=False)
    assert found.exit_code == 0, found.output
    text = page.read_text()
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## 129 runs packed by gzip",
        "## Start-up",
    ]
    assert text.startswith("# Benchmarks\n")
    assert "Machine: " in text
    wrong = CliRunner().invoke(main, ["--only", "nothing"])
    assert wrong.exit_code == 2
    assert "there are reference, trec8, " in wrong.output


def test_the_page_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    sections.write("first", tmp_path / "docs" / "page.md")
    with pytest.raises(UnicodeEncodeError):
        sections.write("half a character: \ud800", tmp_path / "docs" / "page.md")
    assert [(path.name, path.read_text()) for path in (tmp_path / "docs").iterdir()] == [("page.md", "first")]
