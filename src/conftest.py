"""How the examples of the package are found: each module is the one that the package itself imports."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

SOURCES = Path(__file__).parent


def pytest_collect_file(file_path: Path) -> None:
    """Import a module by its name before pytest does by its path, which makes a second one where its package has it."""
    parts = file_path.relative_to(SOURCES).with_suffix("").parts
    if file_path.suffix == ".py" and parts[0] == "cranfield":
        import_module(".".join(part for part in parts if part != "__init__"))
