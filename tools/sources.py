"""The sources of the package, parsed and walked through once for all the tests that look into them."""

from __future__ import annotations

import ast
import gc
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "cranfield"


@cache
def _trees() -> dict[Path, ast.Module]:
    """Parse all files: the trees stay, and to look through them for garbage takes twice as long as to parse them."""
    gc.disable()
    try:
        return {path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py")}
    finally:
        gc.freeze()
        gc.enable()


def parsed(path: Path) -> ast.Module:
    """Return the tree of a file of the package."""
    return _trees()[path]


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Return all nodes of a file's tree, as `ast.walk` goes through them."""
    return tuple(ast.walk(parsed(path)))


@cache
def users() -> dict[str, set[str]]:
    """Return the files whose code (not whose texts) has a name, of each name."""
    found: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for node in nodes(path):
            for kind in ("id", "attr", "name"):
                if name := getattr(node, kind, None):
                    found.setdefault(name, set()).add(path.relative_to(SOURCE).as_posix())
    return found
