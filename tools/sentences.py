"""List what is printed to people: `python -m tools.sentences [ROOM...] [--docstrings]`, a line for each sentence.

A line is a file with its line number, a tab, and the words; what a format string fills in is in braces. In Python these
are the texts of several words outside docstrings (with those of commands, sections, figures and pages, which are
printed), in scripts the texts in quotes, in templates what stands outside tags. `--docstrings` lists docstrings alone.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from tools.sources import SOURCE, nodes

PRINTED: Final = frozenset({"derived", "command", "group", "section", "sentence", "plot", "page", "experiment"})
"""Decorators that make a docstring something that users see."""
KINDS: Final = frozenset({".py", ".js", ".html", ".jinja"})
_WORDS: Final = re.compile(r"[A-Za-z]{2,}[,;:]? (?:\S+ )*?[a-z{(]")
_NOT_PROSE: Final = re.compile(r"[<>{}]\w+.*?=|^\s*(?:SELECT|CREATE|INSERT|UPDATE|DELETE|PRAGMA|WITH)\b|\(\?|\\[sdwb]")
_QUOTED: Final = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
_ATTRIBUTE: Final = re.compile(r'\b(?:title|placeholder|aria-label|alt)="([^"]*)"')
_MARKUP: Final = re.compile(r"<(?:script|style)\b.*?</(?:script|style)>|\{#.*?#\}|\{%.*?%\}|<[^>]*>", re.DOTALL)
_Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Sentence(NamedTuple):
    """Words that people read, and where they stand."""

    file: str
    line: int
    words: str


def printed(path: Path) -> Iterator[Sentence]:
    """Give the printed texts of a file, from the top."""
    if path.suffix == ".py":
        found = sorted({*_texts(path), *_documented(path, printed=True)})
    else:
        found = sorted({*(_scripted(path) if path.suffix == ".js" else _marked_up(path))})
    for line, words in found:
        yield Sentence(path.relative_to(SOURCE).as_posix(), line, " ".join(words.split()))


def docstrings(path: Path) -> Iterator[Sentence]:
    """Give the docstrings of a Python file, those below a value among them."""
    if path.suffix == ".py":
        for line, words in sorted({*_documented(path, printed=False)}):
            yield Sentence(path.relative_to(SOURCE).as_posix(), line, words)


def files(*rooms: str) -> list[Path]:
    """Return the files of some rooms (`cli`, `app/judging`, `plumbing/argument_checks.py`), or of all."""
    below = [SOURCE / room for room in rooms] or [SOURCE]
    found = {path for place in below for path in ([place] if place.is_file() else place.rglob("*"))}
    return sorted(path for path in found if path.suffix in KINDS and "vendor" not in path.parts)


def _texts(path: Path) -> Iterator[tuple[int, str]]:
    inner = {id(part) for node in nodes(path) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)} - {
        id(node) for node in nodes(path) if isinstance(node, ast.JoinedStr)
    }
    inner |= {id(node.value) for node in nodes(path) if isinstance(node, ast.Expr)}
    for node in nodes(path):
        if id(node) in inner or not isinstance(node, ast.Constant | ast.JoinedStr):
            continue
        for text in _parts(node):
            if _is_prose(text):
                yield node.lineno, text


def _parts(node: ast.Constant | ast.JoinedStr) -> Iterator[str]:
    """Give a text with what it fills in as its names, and the texts that are filled in."""
    if isinstance(node, ast.Constant):
        yield node.value if isinstance(node.value, str) else ""
        return
    yield "".join(
        str(part.value) if isinstance(part, ast.Constant) else f"{{{ast.unparse(part.value)}}}"
        for part in node.values
        if isinstance(part, ast.Constant | ast.FormattedValue)
    )


def _is_prose(text: str) -> bool:
    return bool(_WORDS.search(text)) and not _NOT_PROSE.search(text)


def _documented(path: Path, *, printed: bool) -> Iterator[tuple[int, str]]:
    for node in nodes(path):
        if isinstance(node, _Documented) and (not printed or _shown(node)) and (words := ast.get_docstring(node)):
            yield node.body[0].lineno, words
        if not printed and isinstance(node, ast.Module | ast.ClassDef):
            for value, below in pairwise(node.body):
                match value, below:
                    case ast.Assign() | ast.AnnAssign(), ast.Expr(value=ast.Constant(value=str() as words)):
                        yield below.lineno, words


def _shown(node: ast.AST) -> bool:
    decorators = (getattr(each, "func", each) for each in getattr(node, "decorator_list", ()))
    return any(getattr(each, "attr", getattr(each, "id", "")) in PRINTED for each in decorators)


def _scripted(path: Path) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        for found in _QUOTED.finditer(line.partition(" // ")[0]):
            words = re.sub(r"\$\{", "{", found[1] or found[2] or "")
            if " " in words and re.search(r"[A-Za-z]{2}", words) and not line.lstrip().startswith("//"):
                yield number, words


def _marked_up(path: Path) -> Iterator[tuple[int, str]]:
    text = path.read_text(encoding="utf-8")
    for found in _ATTRIBUTE.finditer(text):
        yield text.count("\n", 0, found.start()) + 1, found[1]
    bare = _MARKUP.sub(lambda found: "\x1f" + "\n" * found[0].count("\n"), text)
    for number, line in enumerate(bare.splitlines(), 1):
        for words in line.split("\x1f"):
            if re.search(r"[A-Za-z]{3}", re.sub(r"\{\{.*?\}\}", "", words)):
                yield number, words


def main() -> None:
    """Print the list."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help="folders or files of src/cranfield; all by default")
    parser.add_argument("--docstrings", action="store_true", help="list docstrings, and nothing else")
    asked = parser.parse_args()
    for path in files(*asked.rooms):
        for each in docstrings(path) if asked.docstrings else printed(path):
            print(f"{each.file}:{each.line}\t{' '.join(each.words.split())}")  # noqa: T201


if __name__ == "__main__":
    main()
