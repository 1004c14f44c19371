"""Change the source a little, and see whether a test notices: `python -m tools.mutate`.

Each mutant is one change to one line: a comparison, a sign, a number, an `and`, what is returned.
The tests that concern the modules are run once, on a copy of the repository, to see which lines each
reaches; then, of each mutant, those that reach its line, the quickest first, until one fails. A
mutant that no test fails for is printed, with the line before and after: either a test is missing,
or the change means nothing. Which mutants are drawn follows from the seed and the source alone.

```console
python -m tools.mutate                                      # 100 of the core and the sentences
python -m tools.mutate --number 20 comparison reports/sentences
python -m tools.mutate comparison/comparing.py:396          # every mutant of a line
```
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib.util import cache_from_source
from pathlib import Path
from typing import Final, NamedTuple

import pytest

ROOT: Final = Path(__file__).parents[1]
PACKAGE: Final = Path("src", "cranfield")
ELSEWHERE: Final = ("app", "cli", "plots", "plotting.py", "campaigns", "demonstration", "reproductions", "reports")
"""What is not of the core: what is shown, made up, or done once more. Of reports the sentences are drawn from."""
SENTENCES: Final = "reports/sentences"

OTHER_COMPARISON: Final[dict[type[ast.cmpop], tuple[str, ...]]] = {
    ast.Lt: ("<=", ">="), ast.LtE: ("<", ">"), ast.Gt: (">=", "<="), ast.GtE: (">", "<"),
    ast.Eq: ("!=",), ast.NotEq: ("==",), ast.Is: ("is not",), ast.IsNot: ("is",),
    ast.In: ("not in",), ast.NotIn: ("in",),
}  # fmt: skip
OTHER_SIGN: Final[dict[type[ast.operator], tuple[str, str]]] = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"), ast.FloorDiv: ("//", "*"),
    ast.Pow: ("**", "*"),
}  # fmt: skip


Reached = dict[tuple[str, int], list[tuple[float, str]]]
"""By file and line: the tests that reach it, and how many seconds each takes."""


class Mutant(NamedTuple):
    """A change to one line of a file: from which column to which, and what stands there then."""

    file: Path
    line: int
    start: int
    end: int
    instead: str

    def lines(self, text: str) -> tuple[str, str]:
        """Return the line before and after the change; columns are of bytes, as in a syntax tree."""
        before = text.splitlines()[self.line - 1].encode()
        after = before[: self.start] + self.instead.encode() + before[self.end :]
        return before.decode(), after.decode()

    def applied(self, text: str) -> str:
        """Return the whole text after the change."""
        lines = text.splitlines()
        lines[self.line - 1] = self.lines(text)[1]
        return "\n".join(lines) + "\n"


def mutants(file: Path, text: str) -> list[Mutant]:
    """Find every change that can be made, in order; none in annotations and refusals.

    >>> [one.lines("if a < 1: return b")[1] for one in mutants(Path("a.py"), "if a < 1: return b")]
    ['if a <= 1: return b', 'if a >= 1: return b', 'if a < 2: return b', 'if a < 1: return None']
    """
    found = list[Mutant]()
    for node in _thought_over(ast.parse(text)):
        found += [Mutant(file, *change) for change in _changes(node, text.splitlines())]
    return sorted(set(found))


def _thought_over(node: ast.AST) -> Iterator[ast.AST]:
    """Go through what is computed: not annotations, decorators, texts of errors, nor what is in a formatted text."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list"} or isinstance(value, ast.Raise | ast.JoinedStr):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.Raise | ast.JoinedStr | ast.Assert):
                yield from _thought_over(child)


def _changes(node: ast.AST, lines: Sequence[str]) -> Iterator[tuple[int, int, int, str]]:
    """Give the changes to one node: line, columns and what stands there then."""
    if isinstance(node, ast.Compare):
        for left, sign, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
            for other in OTHER_COMPARISON[type(sign)]:
                yield from _between(left, right, r"[<>=!]=?|(is|not)( not| in)?|in", other, lines)
    elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in OTHER_SIGN:
        left, right = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
        if not any(isinstance(one, ast.Constant | ast.JoinedStr) and not _is_number(one) for one in (left, right)):
            was, other = OTHER_SIGN[type(node.op)]
            yield from _between(left, right, re.escape(was), other, lines)
    elif isinstance(node, ast.BoolOp):
        for left, right in zip(node.values, node.values[1:], strict=False):
            was, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            yield from _between(left, right, was, other, lines)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        length = 4 if isinstance(node.op, ast.Not) else 1
        yield node.lineno, node.col_offset, node.col_offset + length, ""
    elif isinstance(node, ast.Constant) and _is_number(node) and node.lineno == node.end_lineno:
        instead = repr(not node.value if isinstance(node.value, bool) else node.value + 1)  # type: ignore[operator]
        yield node.lineno, node.col_offset, node.end_col_offset or 0, instead
    elif isinstance(node, ast.Return) and node.value and _on_one_line(node.value):
        yield node.value.lineno, node.value.col_offset, node.value.end_col_offset or 0, "None"


def _on_one_line(value: ast.expr) -> bool:
    return value.lineno == value.end_lineno and ast.unparse(value) != "None"


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def _between(
    left: ast.expr, right: ast.expr, was: str, other: str, lines: Sequence[str]
) -> Iterator[tuple[int, int, int, str]]:
    """Find the sign between two operands that stand on one line."""
    if left.end_lineno == right.lineno:
        gap = lines[right.lineno - 1].encode()[left.end_col_offset : right.col_offset].decode()
        if found := re.search(was, gap):
            start = (left.end_col_offset or 0) + len(gap[: found.start()].encode())
            yield right.lineno, start, start + len(found.group()), other


def drawn(places: Sequence[str], number: int, seed: int) -> list[Mutant]:
    """Draw mutants of the core and the sentences, or of these folders and files; of one line all that there are."""
    files = sorted(path.relative_to(ROOT / PACKAGE) for path in (ROOT / PACKAGE).rglob("*.py"))
    named = [place.partition(":") for place in places]
    found = list[Mutant]()
    for file in files:
        lines = {int(line) for place, _, line in named if line and place == str(file)}
        if named:
            chosen = lines or any(not line and file.is_relative_to(place) for place, _, line in named)
        else:
            chosen = file.parts[0] not in ELSEWHERE or file.is_relative_to(SENTENCES)
        if chosen:
            text = (ROOT / PACKAGE / file).read_text(encoding="utf-8")
            found += [one for one in mutants(file, text) if not lines or one.line in lines]
    if any(line for *_, line in named):
        return found
    return random.Random(seed).sample(found, min(number, len(found)))  # noqa: S311 - no secret


def concerning(file: Path) -> list[str]:
    """Name the tests that concern a module: its examples, its room's, and the file elsewhere that names it most."""
    text = (ROOT / PACKAGE / file).read_text(encoding="utf-8")
    names = {file.stem, *(match for match in re.findall(r"^(?:def|class) ([a-zA-Z]\w*)", text, re.MULTILINE))}
    word = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})\b")
    files = sorted(path for path in (ROOT / "tests").rglob("test_*.py") if path.parent.name != "integration")
    near = [path for path in files if path.parent.name == file.parts[0]]
    if of_part := [path for path in near if len(file.parts) > 2 and f"_{file.parts[1]}_" in path.stem]:
        near = of_part  # of two rooms in one folder, as the explorer and the judging interface
    most = max(set(files) - set(near), key=lambda path: len(word.findall(path.read_text(encoding="utf-8"))))
    examples = [ROOT / PACKAGE / file] if ">>>" in text else []
    examples += (ROOT / "tests" / file.parts[0]).glob("examples.md")
    return [str(path.relative_to(ROOT)) for path in (*examples, *near, most)]


def reached(copy: Path, files: Sequence[Path], kept: Path) -> Reached:
    """Run the tests that concern these modules once and tell which lines each reaches; what is kept is not run again.

    A test whose file has changed since is run again. Where the sources change, lines move: begin with an empty file.
    """
    known = json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else {}
    told = {test: sha256((copy / test).read_bytes()).hexdigest() for each in files for test in concerning(each)}
    if new := [test for test, text in told.items() if known.get(test, [""])[0] != text]:
        into = copy / "found.json"
        folders = os.pathsep.join(sorted({str(copy / PACKAGE / each.parts[0]) for each in files}))
        _tested(copy, new, None, REACH_FILES=folders, REACH_INTO=str(into))
        found = json.loads(into.read_text(encoding="utf-8"))
        for test in new:
            of_test = {name: each for name, each in found.items() if name.partition("::")[0] == test}
            known[test] = [told[test], of_test]
        kept.write_text(json.dumps(known).replace(f"{copy / PACKAGE}{os.sep}", ""), encoding="utf-8")
        known = json.loads(kept.read_text(encoding="utf-8"))
    by_line = dict[tuple[str, int], list[tuple[float, str]]]()
    for each in files:
        for test in concerning(each):
            by_line.setdefault((str(each), 0), []).extend((took, name) for name, (took, _) in known[test][1].items())
    for _, of_test in known.values():
        for name, (seconds, lines) in of_test.items():
            for file, numbers in lines.items():
                for number in numbers:
                    by_line.setdefault((file, number), []).append((seconds, name))
    return by_line


def _tests_of(mutant: Mutant, text: str, by_line: Reached) -> list[str]:
    """Name the tests that reach a mutant's statement, those of the fewest seconds first."""
    spans = [
        (node.lineno, min(getattr(node, "body", None) or [node], key=lambda one: one.lineno).lineno - 1)
        if isinstance(node, ast.If | ast.For | ast.While | ast.With | ast.Try)
        else (node.lineno, node.end_lineno or node.lineno)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.stmt)
    ]
    around = [(first, last) for first, last in spans if first <= mutant.line <= last]
    first, last = min(around, key=lambda one: one[1] - one[0])
    found = {one for line in range(first, last + 1) for one in by_line.get((str(mutant.file), line), ())}
    return list(dict.fromkeys(name for _, name in sorted(found or by_line[str(mutant.file), 0])))


def _tested(copy: Path, tests: Sequence[str], seconds: float | None, **more: str) -> subprocess.CompletedProcess[bytes]:
    environment = os.environ | {"PYTHONPATH": str(copy / "src"), "HYPOTHESIS_PROFILE": "same"} | more
    options = ["-q", "-n0", "-p", "no:cacheprovider", "-p", "tools.reach", *([] if "REACH_INTO" in more else ["-x"])]
    command = [sys.executable, "-m", "pytest", *options, *tests]
    return subprocess.run(command, cwd=copy, env=environment, capture_output=True, timeout=seconds, check=False)  # noqa: S603


def outcome(copy: Path, mutant: Mutant, seconds: float, by_line: Reached) -> str:
    """Change the copy, run the tests that reach the line, and change it back: killed, too long, or survived.

    A line that no test reaches, as one that runs at import, is left to all the tests that concern its module.
    """
    path, wished = copy / PACKAGE / mutant.file, copy / "wished.txt"
    text = path.read_text(encoding="utf-8")
    names = _tests_of(mutant, text, by_line)
    if not names:
        return "survived"
    wished.write_text("\n".join(names), encoding="utf-8")
    try:
        path.write_text(mutant.applied(text), encoding="utf-8")
        Path(cache_from_source(str(path))).unlink(missing_ok=True)  # it is told by seconds, and seconds are not enough
        tests = dict.fromkeys(name.partition("::")[0] for name in names)
        done = _tested(copy, [*tests], seconds, REACH_ONLY=str(wished))
    except subprocess.TimeoutExpired:
        return "took too long"
    finally:
        path.write_text(text, encoding="utf-8")
        Path(cache_from_source(str(path))).unlink(missing_ok=True)
    return "survived" if done.returncode in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED} else "killed"


def main() -> None:
    """Draw, run and print."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutate", description="Which changes does no test notice?")
    parser.add_argument("places", nargs="*", help="folders or files in src/cranfield, or FILE:LINE")
    parser.add_argument("--number", type=int, default=100, help="how many mutants (100)")
    parser.add_argument("--seed", type=int, default=1, help="which (1)")
    parser.add_argument("--seconds", type=float, default=300, help="how long the tests of one may take (300)")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="after how long no more are begun (never)")
    parser.add_argument("--kept", type=Path, help="where to keep which test reaches which line, for the next run")
    asked = parser.parse_args()
    found, counts, began = drawn(asked.places, asked.number, asked.seed), dict[str, int](), time.monotonic()
    os.environ.setdefault("CRANFIELD_DATA", str(ROOT.parent / "shared" / "data"))
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "cranfield")
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", "_build", "simulated"))
        by_line = reached(copy, sorted({one.file for one in found}), asked.kept or Path(folder, "reached.json"))
        for mutant in found:
            if time.monotonic() - began > 60 * asked.minutes:
                break
            result = outcome(copy, mutant, asked.seconds, by_line)
            counts[result] = counts.get(result, 0) + 1
            before, after = mutant.lines((copy / PACKAGE / mutant.file).read_text(encoding="utf-8"))
            print(f"{result}: {PACKAGE / mutant.file}:{mutant.line}")  # noqa: T201
            print(f"    {before.strip()}\n  → {after.strip()}", flush=True)  # noqa: T201
    told = ", ".join(f"{count} {result}" for result, count in sorted(counts.items()))
    run, took = sum(counts.values()), (time.monotonic() - began) / 60
    print(f"{run} of {len(found)} mutants of seed {asked.seed}: {told}, in {took:.0f} minutes")  # noqa: T201


if __name__ == "__main__":
    main()
