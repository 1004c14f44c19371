"""Look into what was built: `python -m tools.packed DIST/*`. A wheel has the package whole, and nothing besides.

The archive of the sources has the tests as well, and what they read.
"""

from __future__ import annotations

import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
MAN: Final = ".data/data/share/man/man1/cranfield.1"
MADE: Final = (".pyc", ".so", ".pyd")
"""What is made of the sources, here or while a wheel is built."""


def sources(*folders: str) -> set[str]:
    """Name the files of some folders, but those that are made."""
    found = (path for folder in folders for path in (ROOT / folder).rglob("*"))
    return {str(path.relative_to(ROOT)) for path in found if path.is_file() and path.suffix not in MADE}


def wrong_with(archive: Path) -> Iterator[str]:
    """Say what an archive lacks, and what it should not have."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as packed:
            names = set(packed.namelist())
        found = {f"src/{name}" for name in names if ".dist-info/" not in name and not name.endswith((*MADE, MAN))}
        package = sources("src/cranfield")  # beside it lies what tells pytest of its examples
        yield from (f"{name} is missing" for name in sorted(package - found))
        yield from (f"{name} should not be there" for name in sorted(found - package))
        if not any(name.endswith("/licenses/LICENSE") for name in names):
            yield "the licence is missing"
        if not any(name.endswith(MAN) for name in names):
            yield "the man page is missing"
    else:
        with tarfile.open(archive) as packed:
            found = {name.partition("/")[2] for name in packed.getnames()}
        needed = sources("src", "man", "tests", "tools") | {
            "pyproject.toml",
            "README.md",
            "CHANGELOG.md",
            "CITATION.cff",
            "LICENSE",
        }
        yield from (f"{name} is missing" for name in sorted(needed - found))


if __name__ == "__main__":
    told = [f"{path}: {wrong}" for path in map(Path, sys.argv[1:]) for wrong in wrong_with(path)]
    sys.exit("\n".join(told) or None)
