"""Bytes in and out of files."""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
import zstandard

from cranfield.formats import files, run_name, write_whole
from cranfield.plumbing.errors import InputError

TEXT = b"401 Q0 d1 1 9.5 bm25\n" * 50


def problem_of(path: Path | str) -> str:
    with pytest.raises(InputError) as caught:
        files.read_bytes(path)
    assert caught.value.source == str(path)
    return caught.value.problem


@pytest.mark.parametrize("name", ["run.txt", "run.gz", "run.zst"])
@pytest.mark.parametrize(
    "packed",
    [
        TEXT,
        gzip.compress(TEXT),
        gzip.compress(TEXT[:100]) + gzip.compress(TEXT[100:]),
        zstandard.compress(TEXT),
        zstandard.compress(TEXT[:100]) + zstandard.compress(TEXT[100:]),
        zstandard.ZstdCompressor(write_content_size=False).compress(TEXT),
    ],
    ids=["plain", "gzip", "gzip twice", "zstd", "zstd twice", "zstd of unknown size"],
)
def test_compression_is_known_by_content(tmp_path: Path, name: str, packed: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(packed)
    assert files.read_bytes(path) == TEXT
    assert files.read_bytes(str(path)) == TEXT


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    path = tmp_path / "run.gz"
    assert problem_of(path) == "no such file"
    assert problem_of(tmp_path) == "is a folder; name a file"
    path.write_bytes(gzip.compress(TEXT)[:-5])
    assert problem_of(path) == "the gzip file is cut short; download or create it again"
    path.write_bytes(gzip.compress(TEXT)[:20] + b"garbage" + gzip.compress(TEXT)[27:])
    assert problem_of(path).startswith("the gzip file is damaged")
    path.write_bytes(gzip.compress(TEXT) + b"garbage")
    assert problem_of(path).startswith("the gzip file is damaged")
    path.write_bytes(zstandard.compress(TEXT)[:-5])
    assert problem_of(path) == "the zstd file is cut short; download or create it again"
    path.write_bytes(zstandard.compress(TEXT) + b"garbage")
    assert problem_of(path).startswith("the zstd file is damaged")


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_bytes(TEXT)
    path.chmod(0)
    assert problem_of(path) == "no permission: it cannot be read"


def test_permission_is_named_even_where_root_runs_the_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, mode: str) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert problem_of(tmp_path / "run.txt") == "no permission: it cannot be read"


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(TEXT))))
    assert files.read_bytes("-") == TEXT


def test_writing_replaces_the_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    for data in (b"old\n", TEXT):
        write_whole(path, data)
        assert path.read_bytes() == data
    assert list(tmp_path.iterdir()) == [path]
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask


def test_writing_packs_by_suffix(tmp_path: Path) -> None:
    write_whole(tmp_path / "run.gz", TEXT)
    write_whole(tmp_path / "run.zst", TEXT)
    assert gzip.decompress((tmp_path / "run.gz").read_bytes()) == TEXT
    assert zstandard.decompress((tmp_path / "run.zst").read_bytes()) == TEXT
    write_whole(tmp_path / "again.gz", TEXT)
    assert (tmp_path / "again.gz").read_bytes() == (tmp_path / "run.gz").read_bytes()


def test_a_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.txt"
    path.write_bytes(b"old\n")

    def fail(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(InputError, match=r"run.txt: cannot be written: No space left on device"):
        write_whole(path, TEXT)
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == b"old\n"


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"run.txt: no such folder"):
        write_whole(tmp_path / "missing" / "run.txt", TEXT)
    with pytest.raises(InputError, match="is a folder; name a file"):
        write_whole(tmp_path, TEXT)
    assert list(tmp_path.iterdir()) == []


def test_links_and_devices_stay_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_bytes(b"old\n")
    (tmp_path / "link.txt").symlink_to("real.txt")
    write_whole(tmp_path / "link.txt", TEXT)
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_bytes() == TEXT
    write_whole("/dev/null", TEXT)
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    write_whole("-", TEXT)
    assert capfdbinary.readouterr().out == TEXT


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("runs/bm25.txt.gz", "bm25"),
        ("bm25.run.zst", "bm25"),
        ("bm25.res", "bm25"),
        ("bm25.trec", "bm25"),
        ("bm25.TSV.GZ", "bm25"),
        ("bm25.csv", "bm25"),
        ("bm25.parquet", "bm25"),
        ("input.bm25", "input.bm25"),
        ("input.bm25.gz", "input.bm25"),
        ("bm25.run.txt", "bm25.run"),
        (".txt", ".txt"),
        ("-", "stdin"),
    ],
)
def test_runs_are_named_after_their_files(path: str, name: str) -> None:
    assert run_name(path) == name


def make(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).touch()


def test_files_come_in_the_order_given(tmp_path: Path) -> None:
    make(tmp_path, "b.txt", "a.txt", "a[1].txt", "sub/c.txt", "sub/.hidden", "sub/d.txt", "e.run")
    found = files.expand([tmp_path / "e.run", str(tmp_path / "*.txt"), tmp_path / "sub", str(tmp_path / "a[1].txt")])
    assert [path.name for path in found] == [
        "e.run", "a.txt", "a[1].txt", "b.txt", "c.txt", "d.txt", "a[1].txt",
    ]  # fmt: skip
    assert [path.name for path in files.expand([str(tmp_path / "**" / "*.txt")])] == [
        "a.txt", "a[1].txt", "b.txt", "c.txt", "d.txt",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [("*.gz", "no file matches"), ("none.txt", "no such file"), ("empty", "no run in this folder")],
)
def test_what_stands_for_no_file_is_named(tmp_path: Path, pattern: str, problem: str) -> None:
    make(tmp_path, "a.txt")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError) as caught:
        files.expand([tmp_path / "a.txt", str(tmp_path / pattern)])
    assert caught.value.source == str(tmp_path / pattern)
    assert caught.value.problem == problem


@pytest.mark.parametrize("more", [b"401 Q0 d2 2 1.5 bm25\n", b""])
def test_a_file_that_changes_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: bytes
) -> None:
    path = tmp_path / "run.txt"
    path.write_bytes(b"401 Q0 d1 1 2.5 bm25\n")

    def gathered(parts: Iterable[bytes], source: str) -> bytes:
        data = b"".join(parts)
        path.write_bytes(data + more)
        os.utime(path, (1, 1))
        return data

    monkeypatch.setattr("cranfield.formats.files.gathered", gathered)
    with pytest.raises(InputError, match=r"run\.txt: changed while it was read"):
        files.read_bytes(path)


@pytest.mark.parametrize(("name", "magic"), [("r.GZ", b"\x1f\x8b"), ("r.txt.Zst", b"\x28\xb5"), ("r.gzip", b"40")])
def test_what_is_written_is_packed_as_its_name_says(tmp_path: Path, name: str, magic: bytes) -> None:
    """In whatever letters, and by the name that was given: a link may lead to a file of another name."""
    target = tmp_path / "data.bin"
    target.touch()
    (tmp_path / name).symlink_to(target)
    write_whole(tmp_path / name, b"401 Q0 d1 1 9.5 bm25\n")
    assert (tmp_path / name).is_symlink()
    assert target.read_bytes().startswith(magic)
    assert files.read_bytes(tmp_path / name) == b"401 Q0 d1 1 9.5 bm25\n"


@pytest.mark.parametrize(
    "data", [b"\x1f\x8b broken", b"\x28\xb5\x2f\xfd broken", gzip.compress(b"a" * 9999, mtime=0)[:20], b""]
)
def test_nothing_is_the_beginning_of_a_broken_file(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "file").write_bytes(data)
    assert files.read_head(tmp_path / "file", 100) == b""
