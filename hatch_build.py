"""What is made while the package is built: the native road, where there is a C compiler; it is never needed.

``python hatch_build.py`` compiles it beside its source, as an editable install does.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zlib
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run by hand, where nothing is built
    BuildHookInterface = object

NATIVE = Path(__file__).parent / "src" / "cranfield" / "formats" / "native.c"
LIBRARY = NATIVE.with_name("_native.abi3.so")
FLAGS = ("-O3", "-std=c11", "-fPIC", "-shared", "-ffp-contract=off")
_ON_MACOS = ("-undefined", "dynamic_lookup", *shlex.split(os.environ.get("ARCHFLAGS", "")))
"""Python's own names are found where the library is loaded; elsewhere linkers take that for granted."""


class Hook(BuildHookInterface):  # type: ignore[misc]
    """Adds what is made to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the native road; a wheel that holds it is of this platform, and of every Python from 3.11 on."""
        del version
        if self.target_name == "wheel" and compiled(NATIVE, LIBRARY):
            build_data["artifacts"].append(f"src/cranfield/formats/{LIBRARY.name}")
            build_data["pure_python"] = False
            build_data["tag"] = f"cp311-abi3-{_platform()}"


def compiled(source: Path, library: Path, *more: str) -> bool:
    """Compile a source to a library that knows its digest, and say whether that was done; without a compiler it is not.

    What a process has loaded stays whole: the library is replaced, and not written over.
    """
    compiler = shlex.split(os.environ.get("CC", "cc"))
    if sys.platform == "win32" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return False  # nobody tried it there; the stable interface is not there where dicts may change while read
    if not compiler or shutil.which(compiler[0]) is None:
        return False
    headers = Path(sysconfig.get_path("include"), "Python.h")
    python = (f"-I{headers.parent}",) if headers.exists() else ("-DWITHOUT_PYTHON",)  # then files alone are read
    digest = f"{zlib.crc32(source.read_bytes()):08x}"
    try:
        library.unlink(missing_ok=True)
        with tempfile.TemporaryDirectory(dir=library.parent, prefix=".native-") as folder:
            made = Path(folder, library.name)
            flags = (*FLAGS, *_ON_MACOS) if sys.platform == "darwin" else FLAGS
            command = [*compiler, *flags, *python, *more, f'-DDIGEST="{digest}"', str(source), "-o", str(made)]
            subprocess.run(command, capture_output=True, check=True)  # noqa: S603 - the compiler that users chose
            made.replace(library)
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


def _platform() -> str:
    """Name this machine as wheels do that were built on it; on macOS, builders say which older ones it is for."""
    from packaging.tags import sys_tags

    if host := os.environ.get("_PYTHON_HOST_PLATFORM"):
        return host.replace("-", "_").replace(".", "_")
    platforms = (tag.platform for tag in sys_tags())
    return next(name for name in platforms if not name.startswith(("manylinux", "musllinux")))


if __name__ == "__main__":
    sys.exit(0 if compiled(NATIVE, LIBRARY) else "the native road was not compiled")
