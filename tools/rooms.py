"""Draw the rooms of the architecture page: `python -m tools.rooms` writes docs/rooms.svg.

Names and layers are those that `tests/house/test_layers.py` holds the imports to; what lives in a room is the first
sentence of its docstring.
"""

from __future__ import annotations

import ast
from html import escape
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
PICTURE: Final = ROOT / "docs" / "rooms.svg"
ROW: Final = 22
GAP: Final = 8
WIDTH: Final = 900
TEXT: Final = 'font-family="system-ui, sans-serif" font-size="13"'


def layers() -> list[list[str]]:
    """Read the layers, from the ground up."""
    tree = ast.parse((ROOT / "tests" / "house" / "test_layers.py").read_text(encoding="utf-8"))
    assigned = {node.targets[0].id: node.value for node in tree.body if isinstance(node, ast.Assign)
                and isinstance(node.targets[0], ast.Name)}  # fmt: skip
    found: list[list[str]] = ast.literal_eval(assigned["LAYERS"])
    return found


def lives_in(room: str) -> str:
    """Return the first sentence of a room's docstring, without its full stop."""
    path = ROOT / "src" / "cranfield" / room
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    text = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or ""
    return text.splitlines()[0].split(". ")[0].rstrip(".").replace("`", "")


def picture() -> str:
    """Draw a band a layer, the ground at the bottom."""
    bands, y = [], GAP
    for layer in reversed(layers()):
        height = ROW * len(layer) + 6
        bands.append(f'<rect x="8" y="{y}" width="{WIDTH - 16}" height="{height}" rx="4" fill="#eef2f6"/>')
        for at, room in enumerate(layer):
            base = y + 18 + at * ROW
            bands.append(f'<text x="20" y="{base}" font-weight="600" fill="#14395c">{room}</text>')
            bands.append(f'<text x="146" y="{base}" fill="#333">{escape(lives_in(room))}</text>')
        y += height + GAP
    title = "The rooms of the package: a room imports from the bands below its own and never from those above"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" role="img" {TEXT}>'
    return (
        "\n".join(
            [head, f"<title>{title}</title>", f'<rect width="{WIDTH}" height="{y}" fill="#fff"/>', *bands, "</svg>"]
        )
        + "\n"
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
