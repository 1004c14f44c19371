"""Write what this version writes, for later ones to read: `python -m tools.old_files [FOLDER]`.

Scores as CSV, JSON and Parquet, and the findings of two experiments, of a small simulated campaign. The folder is
`tests/golden/written-by/VERSION` unless another is named; `tests/public/test_old_files.py` reads all that are there.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from cranfield import __version__

WRITTEN = Path(__file__).parents[1] / "tests" / "golden" / "written-by"
SIMULATED = "simulate camp --topics 6 --systems 4 --depth 20 --seed 7"
SCORED = "evaluate camp/qrels.txt camp/runs -m AP -m nDCG@10 -q -o {}/scores."
COMMANDS = [
    *(SCORED + kind for kind in ("csv", "json", "parquet")),
    "experiment discriminative-power camp/qrels.txt camp/runs -m AP -m P@5 --out {}/discriminative-power",
    "experiment swap camp/qrels.txt camp/runs -m AP -m P@5 --out {}/swap",
]


def write(folder: Path) -> None:
    """Run the commands."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for command in (SIMULATED, *COMMANDS):
            line = [sys.executable, "-m", "cranfield", *command.format(folder.resolve()).split()]
            subprocess.run(line, cwd=scratch, check=True, capture_output=True)  # noqa: S603


if __name__ == "__main__":
    write(Path(sys.argv[1]) if sys.argv[1:] else WRITTEN / re.sub(r"\.dev\d+$", "", __version__))
