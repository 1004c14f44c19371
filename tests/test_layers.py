"""Data flows one way: nothing below knows anything above."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "cranfield"

# From the ground up; docs/architecture.md draws the same. A module may import from its own layer and those below.
LAYERS = [
    ["errors", "arrays"],
    ["tables", "statistics", "guide"],
    ["formats", "presentation"],
    ["judgments"],
    ["rankings"],
    ["joining", "completions"],
    ["measures"],
    ["engines", "audit"],
    ["scores"],
    ["judged_runs", "evaluation", "curves"],
    ["run_archetypes", "comparison", "stopping", "axioms", "selection"],
    ["experiments"],
    ["campaigns"],
    ["cli"],
]
LEVEL = {package: level for level, packages in enumerate(LAYERS) for package in packages}


def modules() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE or not path.name.startswith("__"))


def package_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    """Return the packages of ours that a module imports, inside functions too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module] if node.module != "cranfield" else [f"cranfield.{a.name}" for a in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("cranfield.")}
    return found


def test_every_package_has_a_layer() -> None:
    assert {package_of(path) for path in modules()} == set(LEVEL)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_downwards(path: Path) -> None:
    here = package_of(path)
    above = {name for name in imported(path) & set(LEVEL) if name != here and LEVEL[name] >= LEVEL[here]}
    assert not above, f"{here} must not know {', '.join(sorted(above))}"
