"""A guard before any timing: contenders that do not find the same are not worth timing."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from benchmarks.contenders import peer_pytrec_eval
from benchmarks.lineup import OURS
from benchmarks.timing import Workload, do, output_of

if TYPE_CHECKING:
    from pathlib import Path

TOLERANCE = 1e-9


class DisagreementError(Exception):
    """Ours and the peer found different values."""


def check(workload: Workload, scratch: Path) -> str:
    """Compare mean AP of all runs with pytrec_eval's; say what was found, or raise."""
    [peer] = peer_pytrec_eval.CONTENDERS
    if peer.version() is None:
        return f"Not checked against {peer.name}, which is not installed."
    do(OURS, workload, scratch)
    do(peer, workload, scratch)
    with output_of(OURS, workload, scratch).open(encoding="utf-8") as lines:
        ours = our_means(lines.read())
    with output_of(peer, workload, scratch).with_suffix(".stdout").open(encoding="utf-8") as lines:
        theirs = peer_means(lines.read())
    return compare(ours, theirs, peer.name)


def our_means(text: str) -> dict[str, float]:
    """Read mean AP by run from our csv."""
    rows = csv.DictReader(text.splitlines())
    return {row["run"]: float(row["value"]) for row in rows if row["measure"] == "AP" and row["topic"] == "all"}


def peer_means(text: str) -> dict[str, float]:
    """Read mean AP by run from what pytrec_eval's process prints."""
    rows = csv.reader(text.splitlines())
    return {run: float(value) for run, topic, measure, value in rows if (topic, measure) == ("all", "map")}


def compare(ours: dict[str, float], theirs: dict[str, float], peer: str) -> str:
    """Say by how much two lists of means differ at most, or raise where that is too much."""
    if ours.keys() != theirs.keys() or not ours:
        raise DisagreementError(f"cranfield evaluated {len(ours)} runs, {peer} {len(theirs)}, not the same ones")
    worst = max(ours, key=lambda run: abs(ours[run] - theirs[run]))
    difference = abs(ours[worst] - theirs[worst])
    if difference > TOLERANCE:
        raise DisagreementError(f"mean AP of {worst}: cranfield {ours[worst]!r}, {peer} {theirs[worst]!r}")
    how_well = "exactly" if difference == 0 else f"within {difference:.0e}"
    return f"Checked first: mean AP of all {len(ours)} runs equals {peer}'s, {how_well}."
