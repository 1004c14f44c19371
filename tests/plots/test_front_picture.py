"""The picture of the front page: light and dark, small, and the same words in both."""

from __future__ import annotations

import re

from tools import front
from tools.pages import ROOT


def test_the_picture_is_there_light_and_dark_and_small() -> None:
    light, dark = ((ROOT / "docs" / f"front-{name}.svg").read_text(encoding="utf-8") for name in ("light", "dark"))
    assert max(len(light), len(dark)) < front.SIZE
    assert dark == front.dark(light)
    words = re.findall(r"<text[^>]*>([^<]+)</text>", light)
    assert "grade 2" in words
    assert any(re.fullmatch(r"\+0\.\d{4}", word) for word in words)
    assert f"{front.RUNS[0]} beats {front.RUNS[1]} by " in light


def test_light_and_dark_change_places_and_hues_stay() -> None:
    """As filters of style sheets are defined: white becomes 255 · 0.08, black 255 · 0.92; blue stays blue."""
    assert front.dark('fill="#ffffff" stroke="rgb(0, 0, 0)"') == 'fill="#141414" stroke="#ebebeb"'
    red, green, blue = (int(front.dark("#0072B2")[i : i + 2], 16) for i in (1, 3, 5))
    assert red < green < blue
