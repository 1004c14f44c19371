"""The native road under sanitizers: changed runs and qrels are read, while each access and operation is watched.

Both ways of looking for the ends of cells are compiled, with vectors and without. What is changed, and how, follows
from the seed.

```console
python -m tools.sanitize                     # 200,000 changed files
python -m tools.sanitize --number 4000 --seed 5
```
"""

from __future__ import annotations

import argparse
import random
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
READER: Final = ROOT / "tests" / "native_sanitized.c"
PORTABLE: Final = "-U__SSE2__"
"""Has the compiler take the lines for processors without vectors of these."""
FLAGS: Final = (
    "-g",
    "-O1",
    "-std=c11",
    "-DWITHOUT_PYTHON",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    '-DDIGEST=""',
)

RUN: Final = (
    b"401 Q0 a 1 2.5 r\n401 Q0 LA-10 2 2.5 r\n401 Q0 LA-1 3 2.5 r\n401 Q0 \xc3\xa4 4 1e-3 r\n"
    b"9 Q0 a 1 7 r\n9 Q0 a 2 6 r\n"
    b"402\tQ0\tb\t1\t-0.125\tr\r\n\n402 Q0 c 2 3.14159265358979312 r\n402 Q0 d 2 3.14159265358979312 r\n"
    b"401x Q0 a-document-with-a-long-id 1 16777217 r\n"
)
QRELS: Final = (
    b"401 0 a 1\n401 0 FT-2 0\n401 0 LA-10 2\n402 0 a 0\n402\t0\tb\t+1\r\n\n402 0 c -1\n"
    b"401 0 a-document-with-a-long-id 3"
)
PIECES: Final = (
    *(b" ", b"\t", b"\n", b"\r", b"\r\n", b"\0", b"\x1c", b"\x0b", b"0", b"9", b"-", b"+", b".", b"e", b"e5"),
    *(b"a", b"#", b"_", b"401"),
    *(b"402 Q0 b 1 1 r\n", b"401 0 a 0\n", b"inf", b"nan", b"\xc3", b"\xff", b"\xef\xbb\xbf", b"1e400"),
)  # fmt: skip


def mutated(data: bytes, changes: Sequence[tuple[int, int, bytes]]) -> bytes:
    """Put pieces in the place of some bytes.

    >>> mutated(b"401 Q0 a", [(4, 2, b"0")])
    b'401 0 a'
    """
    for place, length, piece in changes:
        at = place % (len(data) + 1)
        data = data[:at] + piece + data[at + length :]
    return data


def changed_files(number: int, seed: int = 5) -> Iterator[bytes]:
    """Give qrels and runs in turn, most of them changed."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    pieces = [*PIECES, *(bytes([byte]) for byte in range(256))]
    for each in range(number):
        changes = [(chance.randrange(10_000), chance.randint(0, 12), chance.choice(pieces)) for _ in range(each % 6)]
        yield mutated(RUN if each % 2 else QRELS, changes)


def compiled(folder: Path, *more: str) -> Path | None:
    """Compile what reads; None without a compiler that has sanitizers."""
    reader = folder / "reader"
    source = ["-I", str(ROOT / "src" / "cranfield" / "formats"), str(READER), "-o", str(reader), "-lm"]
    try:
        done = subprocess.run(["cc", *FLAGS, *more, *source], check=False)  # noqa: S603, S607
    except FileNotFoundError:
        return None
    return None if done.returncode else reader


def read_by(reader: Path, files: Iterator[bytes]) -> tuple[int, int]:
    """Have files read, and return how many were read and how many were declined; raise an error at what is found."""
    texts = b"".join(len(data).to_bytes(4, "little") + data for data in files)
    done = subprocess.run([reader], input=texts, capture_output=True, check=False)  # noqa: S603
    if done.returncode or done.stderr:
        raise RuntimeError(done.stderr.decode(errors="replace"))
    read, declined = map(int, done.stdout.split())
    return read, declined


def main() -> None:
    """Compile, read, and print what came of it."""
    parser = argparse.ArgumentParser(prog="tools.sanitize", description="Does the native road stay in bounds?")
    parser.add_argument("--number", type=int, default=200_000, help="how many changed files (200000)")
    parser.add_argument("--seed", type=int, default=1, help="which (1)")
    asked = parser.parse_args()
    for lines in ((), (PORTABLE,)):
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            reader = compiled(Path(folder), *lines)
            if reader is None:
                raise SystemExit("there is no compiler with sanitizers")
            read, declined = read_by(reader, changed_files(asked.number, asked.seed))
        way = "without vectors" if lines else "with vectors"
        took = time.monotonic() - began
        print(f"{way}: {asked.number:,} files of seed {asked.seed}, {read:,} read, {declined:,} declined, {took:.0f} s")  # noqa: T201


if __name__ == "__main__":
    main()
