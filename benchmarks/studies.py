"""``python -m benchmarks.studies``: how long the studies of measures take, whole processes, beside the plain loops."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from benchmarks.process import run_in_turn
from benchmarks.workloads import Files, Size, make

# The runs, topics and documents of TREC-COVID's first round; with this pool depth there are about
# as many judgments.
STUDIED = Size(systems=143, topics=30, depth=100, pool_depth=16)

MEASURES = ("AP", "Bpref", "RBP(p=0.8,rel=1)", "nDCG(base=10)", "Twist", "P@10", "RR", "nDCG@10", "ERR@10")
PAIRS_OF_THE_RIVAL = 100
RESAMPLES = 1000


@dataclass(frozen=True)
class Study:
    """One command, and how long it may take."""

    name: str
    measures: tuple[str, ...]
    options: tuple[str, ...]
    goal: float
    experiment: bool = True

    def command(self, files: Files) -> list[str]:
        """Give the command line."""
        measures = [part for measure in self.measures for part in ("-m", measure)]
        start = [sys.executable, "-m", "cranfield", *(["experiment"] if self.experiment else []), self.name]
        return [*start, *measures, *self.options, files.qrels, *files.runs]


STUDIES = (
    Study("compare", MEASURES[:4], ("--correction", "bh", "--format", "csv"), 10.0, experiment=False),
    Study("discriminative-power", MEASURES[:8], ("--top", "1", "--resamples", str(RESAMPLES)), 30.0),
    Study("swap", MEASURES[:8], ("--top", "1"), 60.0),
    Study("downsampling", MEASURES, ("--top", "1"), 60.0),
)


@click.command()
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Folder with real runs.")
def main(data: Path | None) -> None:
    """Time each study, then one pair at a time as people write it, and print the tables.

    The data is simulated, or that of a folder with qrels.txt and runs/.
    """
    files = make(STUDIED) if data is None else _real(data.resolve())
    runs = len(files.runs)
    pairs = runs * (runs - 1) // 2
    print("| study | runs | pairs | measures | time | goal |\n|---|--:|--:|--:|--:|--:|")
    seconds = {}
    for study in STUDIES:
        seconds[study.name] = _seconds(study, files)
        cells = [
            study.name,
            runs,
            f"{pairs:,}",
            len(study.measures),
            f"{seconds[study.name]:.1f} s",
            f"{study.goal:g} s",
        ]
        print(f"| {' | '.join(map(str, cells))} |", flush=True)
    differences = _differences(files)
    print(f"\n| discriminative power, one pair at a time | {len(differences)} pairs | all would take | ratio |")
    print("|---|--:|--:|--:|")
    power = next(study for study in STUDIES if study.name == "discriminative-power")
    for name, rival in RIVALS.items():
        taken = _timed(rival, differences)
        whole = taken / len(differences) * pairs * len(power.measures)
        print(f"| {name} | {taken:.2f} s | {whole:,.0f} s | {whole / seconds[power.name]:.0f} |", flush=True)


def _real(data: Path) -> Files:
    return Files(str(data / "qrels.txt"), tuple(str(run) for run in sorted((data / "runs").iterdir())))


def _seconds(study: Study, files: Files) -> float:
    with tempfile.TemporaryDirectory() as scratch:
        return run_in_turn([study.command(files)], Path(scratch) / "found.txt").seconds


def _differences(files: Files) -> Any:
    """Differences of AP by topic, of as many pairs of runs as the rivals are timed on."""
    from benchmarks.process import ROOT
    from cranfield import evaluate
    from cranfield.statistics.pairs import differences

    found = evaluate(ROOT / files.qrels, [ROOT / run for run in files.runs], ["AP"])
    return differences(found.values[0].T).T[:PAIRS_OF_THE_RIVAL]


def _timed(rival: Callable[[Any], float], differences: Any) -> float:
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):  # of a resample without variance
        began = time.perf_counter()
        for z in differences:
            rival(z)
        return time.perf_counter() - began


def _plain_loop(z: Any) -> float:
    """Sakai's algorithm as his Figure 1 has it: one resample after the other."""
    import numpy as np

    rng, n = np.random.default_rng(7), len(z)
    centred = z - z.mean()
    seen = abs(z.mean() / (z.std(ddof=1) / np.sqrt(n)))
    reached = 0
    for _ in range(RESAMPLES):
        sample = rng.choice(centred, n)
        reached += abs(sample.mean() / (sample.std(ddof=1) / np.sqrt(n))) >= seen
    return reached / RESAMPLES


def _vectorised_pair(z: Any) -> float:
    """All resamples of one pair at once."""
    import numpy as np

    rng, n = np.random.default_rng(7), len(z)
    samples = rng.choice(z - z.mean(), (RESAMPLES, n))
    t = samples.mean(axis=1) / (samples.std(axis=1, ddof=1) / np.sqrt(n))
    return float((np.abs(t) >= abs(z.mean() / (z.std(ddof=1) / np.sqrt(n)))).mean())


RIVALS = {"numpy, a loop over the resamples": _plain_loop, "numpy, all resamples of a pair at once": _vectorised_pair}


if __name__ == "__main__":
    main()
