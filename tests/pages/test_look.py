"""The one look: colours have one home, and letters can be read on their ground."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cranfield.pages.look import GROUND, SHADES, Colour, look

SOURCE = Path(__file__).parents[2] / "src" / "cranfield"


def lightness(colour: str) -> float:
    """Return the relative luminance, as WCAG 2.2 defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(letters: str, ground: str) -> float:
    darker, lighter = sorted(map(lightness, (letters, ground)))
    return (lighter + 0.05) / (darker + 0.05)


def test_black_on_white_has_the_greatest_contrast() -> None:
    assert round(contrast("#000000", GROUND), 6) == 21


@pytest.mark.parametrize("where", ["light", "dark", "printed"])
@pytest.mark.parametrize("name", ["ink", "quiet", "link", "warn", "holds", "fails"])
def test_letters_are_legible_on_the_ground_and_on_shades_of_it(name: str, where: str) -> None:
    def colour(of: str) -> str:
        each: Colour = SHADES[of]
        return str(getattr(each, where))

    assert contrast(colour(name), colour("ground")) >= 4.5
    assert contrast(colour(name), colour("shade")) >= 4.5


def test_style_sheets_name_no_colour_and_no_name_that_is_not_there() -> None:
    sheets = [*SOURCE.glob("*/assets/*.css"), *SOURCE.glob("app/*/assets/*.css")]
    assert len(sheets) >= 3
    named = set(re.findall(r"--([\w-]+):", look()))
    for sheet in sheets:
        rules = sheet.read_text(encoding="utf-8")
        own = set(re.findall(r"--([\w-]+):", rules))
        assert not re.findall(r"#[0-9a-fA-F]{3,8}\b|rgba?\(", rules), sheet
        assert set(re.findall(r"var\(--([\w-]+)", rules)) <= named | own, sheet
