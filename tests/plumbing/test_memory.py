"""What would take more memory than there is is refused before it begins."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest

from cranfield.plumbing import memory
from cranfield.plumbing.errors import InputError

GB = 2**30


def test_what_is_small_is_not_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(memory.MEMORY_VARIABLE, "1")
    memory.require(memory.NEVER_ASKED, "a small thing")
    with pytest.raises(InputError, match="a larger thing would take 16 MB"):
        memory.require(memory.NEVER_ASKED + 1, "a larger thing")


def test_the_message_says_what_lifts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(memory.MEMORY_VARIABLE, "2G")
    memory.require(2 * GB, "a curve")
    with pytest.raises(InputError) as refused:
        memory.require(15 * GB, "a curve", "a smaller --depth", source="bm25.run")
    assert str(refused.value) == (
        "bm25.run: a curve would take 15.0 GB of memory, and 2.0 GB may be used; try a smaller --depth, "
        "or allow more in the environment (CRANFIELD_MEMORY=15G)"
    )
    monkeypatch.setenv(memory.MEMORY_VARIABLE, "15G")
    memory.require(15 * GB, "a curve")


@pytest.mark.parametrize("text", ["", "much", "-1G", "1X", "nan", "0", "0.0G"])
def test_what_is_no_size_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv(memory.MEMORY_VARIABLE, text)
    with pytest.raises(InputError, match="CRANFIELD_MEMORY in the environment must be a size such as 16G, not"):
        memory.require(GB, "a curve")


def _system(root: Path, files: dict[str, str]) -> list[float]:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return list(memory._free(root))


def test_the_machine(tmp_path: Path) -> None:
    assert min(_system(tmp_path, {"proc/meminfo": "MemTotal: 9 kB\nMemAvailable: 4096 kB\n"})) == 4096 * 1024


def test_cgroups_of_version_2_are_heeded_outer_ones_too(tmp_path: Path) -> None:
    files = {
        "proc/meminfo": "MemAvailable: 1000000 kB\n",
        "proc/self/cgroup": "0::/outer/inner\n",
        "sys/fs/cgroup/outer/inner/memory.max": "max\n",
        "sys/fs/cgroup/outer/inner/memory.current": "10\n",
        "sys/fs/cgroup/outer/memory.max": "5000\n",
        "sys/fs/cgroup/outer/memory.current": "3000\n",
        "sys/fs/cgroup/outer/memory.stat": "anon 9\ninactive_file 400\n",
    }
    assert min(_system(tmp_path, files)) == 5000 - 3000 + 400


def test_cgroups_of_version_1_are_heeded_though_a_container_sees_its_own_alone(tmp_path: Path) -> None:
    files = {
        "proc/self/cgroup": "5:devices:/\n4:memory:/docker/0123\n0::/\n",
        "sys/fs/cgroup/memory/memory.limit_in_bytes": "8000\n",
        "sys/fs/cgroup/memory/memory.usage_in_bytes": "9000\n",
    }
    assert min(_system(tmp_path, files)) == 0


def test_a_system_that_says_nothing_forbids_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("os.sysconf")
    assert min(_system(tmp_path, {}), default=math.inf) == math.inf


def test_the_limit_of_the_process() -> None:
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))\n"
        "from cranfield.plumbing import memory; print(memory.allowed())"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 0 < float(found.stdout) < 0.8 * GB
