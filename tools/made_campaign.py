"""A made campaign of twelve teams and 44 files, 32 of them broken, each in a way of its own."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from tools.small_track import SETTINGS

TOPICS: Final = [f"{number:02}" for number in range(1, 6)]
DOCUMENTS: Final = [f"d{number:02}" for number in range(40)]
Lines = list[list[str]]


class Sent(NamedTuple):
    """What a team sent: where it lies, its bytes, what becomes of it, and what its letter says."""

    file: bytes
    data: bytes
    accepted: bool
    says: str = ""
    to_do: str = ""


def run(name: str, shift: int = 0) -> Lines:
    """Write a sound run: ten documents of each topic."""
    stride = (1, 3, 7, 9, 11)[shift % 5]
    return [
        [topic, "Q0", DOCUMENTS[(shift * 7 + at * 3 + place * stride) % 40], str(place + 1), f"{20 - place}.5", name]
        for at, topic in enumerate(TOPICS)
        for place in range(10)
    ]


def text(lines: Lines, between: str = " ") -> bytes:
    """Put lines together."""
    return "".join(f"{between.join(line)}\n" for line in lines).encode()


def _changed(name: str, shift: int, change: Callable[[int, list[str]], list[str]]) -> bytes:
    return text([change(at, line) for at, line in enumerate(run(name, shift))])


def _column(column: int, value: str, *, lines: range = range(2, 3)) -> Callable[[int, list[str]], list[str]]:
    return lambda at, line: [*line[:column], value, *line[column + 1 :]] if at in lines else line


def _zip(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return packed.getvalue()


def _tar(files: dict[str, bytes], links: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
        for name, to in links.items():
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = tarfile.SYMTYPE, to
            archive.addfile(entry)
    return packed.getvalue()


def sent() -> list[Sent]:
    """List all that was sent."""
    whole = range(10**6)
    found: list[Sent] = []

    def came(
        team: str, name: str, data: bytes, says: str = "", to_do: str = "", *, end: str = ".txt", accepted: bool = False
    ) -> None:
        found.append(Sent(f"{team}/{name}{end}".encode(), data, accepted or not says, says, to_do))

    for number, team in enumerate(("alder", "ash", "beech", "birch", "cedar", "elm", "fir"), start=1):
        came(team, f"{team}-a", text(run(f"{team}-a", number)))
    came("hazel", "hazel-a", b"\xef\xbb\xbf" + text(run("hazel-a", 8)).replace(b"\n", b"\r\n"))
    came("alder", "alder-z", gzip.compress(text(run("alder-z", 9), "\t")), end=".txt.gz")
    came("ash", "deep/er/ash-n", text(run("ash-n", 10)))  # in a folder below the team's: read as well
    came(
        "ash",
        "ash-b",
        text([line[:1] + line[2:] for line in run("ash-b")]),
        "line 1 (5: '01 d00 1 20.5 ash-b')",
        "write six columns",
    )
    came("ash", "ash-c", text(run("ash-c", 2), ","), "line 1 (1: '01,Q0,d14,1,20.5,ash-c')", "write six columns")
    came(
        "beech",
        "beech-b",
        _changed("beech-b", 3, _column(2, run("", 3)[1][2])),
        "in its topic, on 1 line: line 3",
        "once",
    )
    came(
        "beech",
        "beech-c",
        text([*run("beech-c", 4), ["99", "Q0", "d01", "1", "3", "beech-c"]]),
        "not among the topics: 1 topic (99)",
        "leave others out",
    )
    came(
        "beech",
        "beech-d",
        _changed("beech-d", 5, lambda _, line: [line[0].lstrip("0"), *line[1:]]),
        "'1' instead of '01'",
        "topic ids of the topic file",
    )
    came("birch", "birch-b", text(run("birch-b", 6)[:30]), "without a document: 2 topics (04, 05)", "every topic")
    came("birch", "birch-c", gzip.compress(text(run("birch-c", 7)))[:-30], "cut short", "cut short", end=".txt.gz")
    came("cedar", "cedar-b", text(run("cedar-b", 8)).decode().encode("utf-16"), "UTF-16", "as UTF-8")
    came("cedar", "cedar-c", text(run("cedar-c", 9)).replace(b"d01", b"d\xe9"), "UTF-8", "as UTF-8")
    found.append(Sent(b"cedar/caf\xe9.txt", text(run("caf", 11)), accepted=False, says="not in UTF-8"))
    came(
        "elm",
        "elm-b",
        _zip({"elm-z.txt": text(run("elm-z", 12)), "elm-y.txt": text(run("elm-y", 13)[:5])}),
        "without a document: 4 topics",
        "every topic",
        end=".zip",
    )
    came(
        "elm",
        "elm-c",
        _tar({"../../elm-out.txt": b"x"}, {"elm-link.txt": "/etc/passwd"}),
        "leads out of the archive",
        "the file itself",
        end=".tar.gz",
    )
    came("elm", "elm-d", _zip({"elm-x.txt": text(run("elm-x", 3))})[:150], "damaged", "", end=".zip")
    came(
        "fir",
        "fir-b",
        _changed("fir-b", 1, lambda _, line: [*line[:4], line[3] + ".0", line[5]]),
        "scores rise",
        "higher",
    )
    came(
        "fir",
        "fir-c",
        _changed("fir-c", 2, _column(4, "1.0", lines=whole)),
        "all scores tie",
        "its own score",
    )
    came("fir", "fir-d", _changed("fir-d", 3, _column(4, "NaN")), "line 3 ('NaN')", "decimal number")
    came(
        "hazel",
        "hazel-b",
        _changed("hazel-b", 4, lambda _, x: [x[0], x[2], x[1], *x[3:]]),
        "Q0 are swapped",
        "this order",
    )
    came(
        "hazel",
        "hazel-c",
        _changed("hazel-c", 4, lambda _, x: [*x[:3], x[4], x[3], x[5]]),
        "the score are swapped",
        "this order",
    )
    came("larch", "alder-a", text(run("alder-a", 14)), "another team already has a run named 'alder-a'", "another name")
    came("larch", "larch-b", text(run("larch-b", 15)), "you sent 2 files for the run 'larch-b'", "which file")
    came("larch", "again/larch-b", text(run("larch-b", 16)), "you sent 2 files for the run 'larch-b'", "which file")
    came("maple", "maple-a", text(run("maple-a", 17)))
    came("maple", "maple-b", text(run("maple-b", 17)), "the same ranking as maple-a", "twice", accepted=True)
    came(
        "maple",
        "maple-c",
        text(run("maple-c", 18) + [[t, "Q0", d, "11", "1", "maple-c"] for t in TOPICS for d in ("x1", "x2")]),
        "more documents than 10",
        "number of documents",
    )
    came(
        "oak",
        "oak-a",
        _changed("oak-a", 19, _column(2, "D99")),
        "not in the collection, on 1 line: line 3",
        "document ids of the collection",
    )
    came("oak", "oak-b", _changed("oak-b", 20, _column(5, "other", lines=range(5, 9))), "several tags", "last column")
    came("oak", "oak-c", _changed("oak-c", 21, _column(4, "12,5", lines=whole)), "line 1 ('12,5')", "12.5")
    came("oak", "oak-d", b"", "is empty", "it arrived empty")
    came("pine", "pine-a", b"%PDF-1.7\n\0\0\xff\xfe" * 40, "cannot be read", "as text")
    came("pine", "pine-b", b'{"run": "pine-b", "what": "about our run"}', "cannot be read", "six columns", end=".json")
    came("pine", "pine-c", _changed("pine-c", 22, _column(3, "1st")), "line 3 ('1st')", "whole number")
    came(
        "pine",
        "pine-d",
        text([["topic", "Q0", "doc", "rank", "score", "tag"], *run("pine-d", 23)]),
        "the first line is a header",
        "remove the first line",
    )
    came("pine", "pine-e", _changed("other", 24, lambda _, line: line), "name it 'other'", "make the file's name")
    came(
        "pine",
        "pine-f",
        b"<!DOCTYPE html>\n<html><body>404 Not Found</body></html>\n",
        "line 1 (2: '<!DOCTYPE html>')",
        "six columns",
    )
    return found


def begin(folder: Path) -> list[Sent]:
    """Write the track."""
    settings = SETTINGS.replace("most_documents = 4", "most_documents = 10\ntag_is_name = true")
    settings = settings.replace('teams = "teams.csv"\n', "").replace("depth = 2", "depth = 10")
    (folder / "track.toml").write_text(settings)
    (folder / "topics.txt").write_text("".join(f"{topic}\n" for topic in TOPICS))
    (folder / "docids.txt").write_text("".join(f"{document}\n" for document in [*DOCUMENTS, "x1", "x2"]))
    (folder / "qrels.txt").write_text(
        "".join(f"{topic} 0 {d} {at % 3 % 2}\n" for topic in TOPICS for at, d in enumerate(DOCUMENTS))
    )
    for each in sent():
        path = os.path.join(os.fsencode(folder / "submissions"), each.file)  # noqa: PTH118 - a name in any bytes
        os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
        with open(path, "wb") as file:  # noqa: PTH123
            file.write(each.data)
    (folder / "submissions/pine/README.txt").write_text("Our runs are fine.\n")
    return sent()
