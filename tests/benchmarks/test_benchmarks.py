"""The benchmark's own pieces, on a tiny campaign: whether it runs and says the truth, never how fast anything is."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:  # the benchmarks are run from the repository root and are not installed
    sys.path.insert(0, str(ROOT))

from benchmarks.contender import Contender, Task  # noqa: E402
from benchmarks.contenders import peer_pytrec_eval  # noqa: E402
from benchmarks.lineup import ALL, OURS  # noqa: E402

from benchmarks import agreement, process, report, timing, workloads  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

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

    return Contender(name, lambda: "1.0", processes, frozenset({"reference"}), **more)  # type: ignore[arg-type]


def _absent(name: str) -> Contender:
    return Contender(name, lambda: None, lambda _: [["no-such-program"]], frozenset({"reference"}))


def test_every_contender_is_found_and_ours_comes_first() -> None:
    assert ALL[0] is OURS
    assert {contender.name for contender in ALL} >= {"cranfield", "trec_eval", "pytrec_eval", "ir_measures", "ranx"}
    assert all(set(contender.notes) <= contender.workloads for contender in ALL)


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


def test_a_process_is_measured_by_itself(tmp_path: Path) -> None:
    small = [sys.executable, "-c", "print('small')"]
    large = [sys.executable, "-c", "x = bytearray(150 * 1024**2); print('large')"]
    usage = process.run_in_turn([small, large], tmp_path / "out")
    assert (tmp_path / "out").read_text().split() == ["small", "large"]
    assert usage.seconds > 0
    assert usage.megabytes > 150


def test_a_failing_contender_is_reported_and_an_absent_one_is_listed(tmp_path: Path, tiny: workloads.Files) -> None:
    work = timing.Workload("reference", "The work", tiny)
    good, bad = _sleeper("good", "pass"), _sleeper("bad", "import sys; sys.exit('it broke')")
    measurements = timing.take_turns(work, [good, bad, _absent("missing")], 2, tmp_path, lambda _: None)
    assert [(m.contender.name, len(m.usages), m.failure) for m in measurements] == [
        ("good", 2, None),
        ("bad", 0, "it broke"),
    ]
    page = report.markdown(
        [work], {"reference": measurements}, [_absent("missing")], "Checked.", "python -m benchmarks"
    )
    assert "| bad 1.0 | failed |  |  |  | it broke |" in page
    assert "| missing | not installed |" in page
    assert f"{tiny.judgments:,} judgments" in page
    assert "`python -m benchmarks`" in page


def test_a_slow_contender_may_be_timed_less_often(tmp_path: Path, tiny: workloads.Files) -> None:
    work = timing.Workload("reference", "The work", tiny)
    slow = _sleeper("slow", "pass", most_repetitions=1)
    measurements = timing.take_turns(work, [slow, _sleeper("quick", "pass")], 3, tmp_path, lambda _: None)
    assert [len(m.usages) for m in measurements] == [1, 3]
    page = report.markdown([work], {"reference": measurements}, [], "Checked.", "python -m benchmarks")
    assert "at most 1 repetitions" in page


def _usage(contender: Contender, work: timing.Workload, seconds: float) -> timing.Measurement:
    return timing.Measurement(contender, work, [process.Usage(seconds, 100.0)])


def test_ratios_and_goals(tiny: workloads.Files) -> None:
    work = timing.Workload("reference", "The work", tiny)
    measurements = [_usage(OURS, work, 2.0), _usage(peer_pytrec_eval.CONTENDER, work, 10.0)]
    page = report.markdown([work], {"reference": measurements}, [], "Checked.", "python -m benchmarks")
    assert "| 10.00 s | 10.00–10.00 | 5.0 | 100 MB |" in page
    assert "| reference: times as fast as pytrec_eval | 7 | 5.0 | **missed** |" in page
    assert "| reference: megabytes | under 700 | 100.00 | reached |" in page
    assert "| help: seconds more than click | at most 0.02 |  | not measured |" in page


@pytest.mark.parametrize("name", ["pytrec_eval", "ir_measures"])
@pytest.mark.parametrize("workload", ["reference", "all_trec"])
def test_peers_evaluate_every_run(name: str, workload: str, tmp_path: Path, tiny: workloads.Files) -> None:
    contender = next(contender for contender in ALL if contender.name == name)
    if workload not in contender.workloads or contender.version() is None:
        pytest.skip("cannot do this here")
    work = timing.Workload(workload, "The work", tiny)
    timing.do(contender, work, tmp_path)
    lines = timing.output_of(contender, work, tmp_path).with_suffix(".stdout").read_text().splitlines()
    assert {line.split(",")[0] for line in lines} == {Path(run).stem for run in tiny.runs}


def test_agreement_is_by_run() -> None:
    same: Callable[[], dict[str, float]] = lambda: {"a": 0.25, "b": 0.5}  # noqa: E731
    assert "all 2 runs" in agreement.compare(same(), same(), "peer")
    with pytest.raises(agreement.DisagreementError, match=r"mean AP of b: cranfield 0\.5, peer 0\.6"):
        agreement.compare(same(), {"a": 0.25, "b": 0.6}, "peer")
    with pytest.raises(agreement.DisagreementError, match="not the same ones"):
        agreement.compare(same(), {"a": 0.25}, "peer")


@pytest.mark.skipif(not HAS_EVALUATE, reason="the evaluate command is not part of this installation")
def test_ours_agrees_with_the_peer(tmp_path: Path, tiny: workloads.Files) -> None:
    if peer_pytrec_eval.CONTENDER.version() is None:
        pytest.skip("pytrec_eval is not installed")
    found = agreement.check(timing.Workload("reference", "The work", tiny), tmp_path)
    assert "mean AP of all 5 runs" in found


@pytest.mark.skipif(not HAS_EVALUATE, reason="the evaluate command is not part of this installation")
@pytest.mark.parametrize("workload", ["small", "help", "all_trec"])
def test_ours_does_its_tasks(workload: str, tmp_path: Path, tiny: workloads.Files) -> None:
    timing.do(OURS, timing.Workload(workload, "The work", tiny.first(1)), tmp_path)


def test_the_page_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    from benchmarks.__main__ import write

    write("first", tmp_path / "docs" / "page.md")
    with pytest.raises(TypeError):
        write(None, tmp_path / "docs" / "page.md")  # type: ignore[arg-type]
    assert [(path.name, path.read_text()) for path in (tmp_path / "docs").iterdir()] == [("page.md", "first")]
