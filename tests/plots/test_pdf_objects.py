"""A PDF is the same file whenever the same picture is drawn."""

from __future__ import annotations

import re
import zlib

from cranfield.plots.drawn import WRITERS, in_order

SPEC = {
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "title": "bold letters, and others below",
    "data": {"values": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]},
    "mark": {"type": "point", "opacity": 0.5},
    "encoding": {"x": {"field": "a", "type": "quantitative"}, "color": {"field": "b", "type": "nominal"}},
}


def test_the_same_picture_is_the_same_file() -> None:
    """Fonts and opacities are written in an order by chance: of ten PDFs as they come, hardly two are alike."""
    assert len({WRITERS["pdf"](SPEC, 1) for _ in range(10)}) == 1


def test_every_object_stands_where_the_table_says_and_refers_to_one_that_is_there() -> None:
    drawn = WRITERS["pdf"](SPEC, 1)
    table = int(re.search(rb"startxref\n(\d+)", drawn)[1])  # type: ignore[index]
    places = [int(place) for place in re.findall(rb"(\d{10}) 00000 n ", drawn[table:])]
    for number, place in enumerate(places, 1):
        assert drawn[place:].startswith(b"%d 0 obj\n" % number)
    heads = [drawn[place:].split(b"endobj", 1)[0].split(b"stream\n", 1)[0] for place in places]
    asked = {int(number) for head in heads for number in re.findall(rb"(\d+) 0 R", head)}
    assert asked <= set(range(1, len(places) + 1))
    for head, place in zip(heads, places, strict=True):
        if b"/FlateDecode" in head:
            length = int(re.search(rb"/Length (\d+)", head)[1])  # type: ignore[index]
            begins = drawn.index(b"stream\n", place) + len(b"stream\n")
            assert zlib.decompress(drawn[begins : begins + length])


def test_it_is_in_order_already() -> None:
    drawn = WRITERS["pdf"](SPEC, 1)
    assert in_order(drawn) == drawn


def test_what_is_not_understood_is_left_as_it_is() -> None:
    """An object that nothing refers to would be lost."""
    first = b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n"
    data = first + b"2 0 obj\n<<>>\nendobj\n" + b"\nxref\n0 3\n0000000000 65535 f \n0000000009 00000 n \n"
    data += b"%010d 00000 n \ntrailer\n<<\n  /Root 1 0 R\n>>\nstartxref\n51\n%%%%EOF" % len(first)
    assert in_order(data) == data
