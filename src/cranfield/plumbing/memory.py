"""How much memory may be used: what would take more is refused before it begins."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from cranfield.plumbing.errors import InputError

MEMORY_VARIABLE: Final = "CRANFIELD_MEMORY"
"""The environment variable that says how much may be used, such as 16G, whatever there seems to be."""

NEVER_ASKED: Final = 16 << 20
"""So much is never asked about, so that small things cost nothing."""

_PART: Final = 0.8  # What may be used of that which is free

_UNITS: Final = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}


def require(size: float, what: str, option: str = "", *, source: str | None = None) -> None:
    """Refuse what needs more memory than there is.

    >>> require(1_000, "a curve")
    >>> require(1e18, "a curve", "a smaller --depth")
    Traceback (most recent call last):
    ...
    cranfield.InputError: a curve would take 931322575 GB of memory, and ... may be used;
    try a smaller --depth, or allow more in the environment (CRANFIELD_MEMORY=931322575G)
    """
    if size <= NEVER_ASKED:
        return
    most = allowed()
    if size > most:
        advice = f"try {option}, or allow" if option else "allow"
        raise InputError(
            f"{what} would take {_written(size)} of memory, and {_written(most)} may be used; "
            f"{advice} more in the environment ({MEMORY_VARIABLE}={math.ceil(size / 2**30)}G)",
            source=source,
        )


def allowed() -> float:
    """Return how many bytes may be used from now on: what the environment says, or a part of what is free."""
    if MEMORY_VARIABLE in os.environ:
        return _size(os.environ[MEMORY_VARIABLE])
    return _PART * min(_free(), default=math.inf)


def held(root: Path = Path("/")) -> int:
    """Return how many bytes this process holds now, or 0: the most that it held would begin with its parent's."""
    pages = _text(root / "proc/self/statm").split()
    return int(pages[1]) * os.sysconf("SC_PAGE_SIZE") if pages else 0


def _size(text: str) -> float:
    """Read a size.

    >>> _size("1.5g"), _size("512MB")
    (1610612736.0, 536870912.0)
    """
    found = re.fullmatch(r"([0-9]+\.?[0-9]*)\s*([kmgt]?)(?:i?b)?", text.strip().casefold())
    if found is None or not float(found[1]):
        raise InputError(f"{MEMORY_VARIABLE} in the environment must be a size such as 16G, not {text!r}")
    return float(found[1]) * (1 << _UNITS[found[2]])


def _written(size: float) -> str:
    return f"{size / 2**30:.{0 if size >= 100 << 30 else 1}f} GB" if size >= 2**30 else f"{size / 2**20:.0f} MB"


def _free(root: Path = Path("/")) -> Iterator[float]:
    """Give what each of those who have a say leaves free: this process's limit, its cgroups, the machine."""
    yield from _of_the_process(root)
    for folder, (limit, usage, cached) in _cgroups(root):
        most, used = _text(folder / limit).strip(), _text(folder / usage).strip()
        if most.isdecimal() and used.isdecimal():  # there is a limit; what is only cached counts as free
            yield max(0.0, int(most) - int(used) + (_field(folder / "memory.stat", cached) or 0))
    available = _field(root / "proc/meminfo", "MemAvailable:")
    if available is not None:
        yield 1024 * available
    elif hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _of_the_process(root: Path) -> Iterator[float]:
    try:
        import resource
    except ImportError:  # Windows
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY:
        pages = _text(root / "proc/self/statm").split()
        yield max(0, limit - (int(pages[0]) * resource.getpagesize() if pages else 0))


_VERSION_1: Final = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
_VERSION_2: Final = ("memory.max", "memory.current", "inactive_file")


def _cgroups(root: Path) -> Iterator[tuple[Path, tuple[str, str, str]]]:
    """Name the folders of the cgroups that this process is in, outer ones included, and what is called how there."""
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):
            mount, names = root / "sys/fs/cgroup/memory", _VERSION_1
        elif not controllers:
            mount, names = root / "sys/fs/cgroup", _VERSION_2
        else:
            continue
        own = mount / path.strip("/")
        yield from ((folder, names) for folder in (own, *own.parents) if folder.is_relative_to(mount))


def _field(file: Path, name: str) -> int | None:
    """Return the number behind a name in a file of the system."""
    lines = (line.split() for line in _text(file).splitlines())
    return next((int(line[1]) for line in lines if line[:1] == [name]), None)


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""
