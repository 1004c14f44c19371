"""Fetch anew what others wrote and pages are served with: ``python -m tools.vendor``.

The versions are those of ``vendored.toml``; to have another, change it there, run this, and look at
what the checksum says.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "src" / "cranfield" / "pages" / "vendor"
LIST = FOLDER / "vendored.toml"


def fetched(package: str, version: str, path: str) -> bytes:
    """Return a file of a package of the npm registry."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", "--silent", f"{package}@{version}"]
        name = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.split()[-1]  # noqa: S603
        with tarfile.open(Path(folder, name)) as packed:
            member = packed.extractfile(f"package/{path}")
            if member is None:
                raise FileNotFoundError(path)
            return member.read()


def main() -> None:
    """Write all files, and their checksums."""
    text = LIST.read_text(encoding="utf-8")
    for each in tomllib.loads(text)["file"]:
        data = fetched(each["package"], each["version"], each["path"])
        digest = hashlib.sha256(data).hexdigest()
        (FOLDER / each["name"]).write_bytes(data)
        text = text.replace(each["sha256"], digest)
        as_before = "as before" if digest == each["sha256"] else "CHANGED"
        sys.stdout.write(f"{each['name']} {each['version']}: {as_before}\n")
    LIST.write_text(re.sub(r"\n+\Z", "\n", text), encoding="utf-8")


if __name__ == "__main__":
    main()
