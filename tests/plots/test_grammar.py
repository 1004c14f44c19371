"""Specifications put together: each table and each selection in one place, whatever views are of it."""

from __future__ import annotations

import polars as pl

from cranfield.plots.grammar import chart, concat, layer, mark, when, whole

RUNS = pl.DataFrame({"run": ["a", "b"], "mean": [0.25, None]})
PICKED = {"param": "picked"}


def test_a_table_has_one_place_however_many_views_are_of_it() -> None:
    other = pl.DataFrame({"run": ["a", "b"], "mean": [0.25, None]})  # as it is, but another
    facet = {"data": other, "facet": {"column": {"field": "run"}}, "spec": chart(mark("bar"), x="mean:Q")}
    found = whole(concat(chart(mark("point"), data=RUNS, y="run:N"), layer(chart(mark("rule")), data=RUNS), facet))
    assert [panel["data"] for panel in found["concat"]] == [
        {"name": name} for name in ("table_1", "table_1", "table_2")
    ]
    rows = [{"run": "a", "mean": 0.25}, {"run": "b", "mean": None}]
    assert found["datasets"] == {"table_1": rows, "table_2": rows}
    assert found["concat"][2]["spec"] == {"mark": {"type": "bar"}, "encoding": {"x": _quantity("mean")}}


def test_what_is_selected_in_two_panels_is_one_selection() -> None:
    picked = {"name": "picked", "select": {"type": "point", "fields": ["run"]}}
    dots = chart(mark("point"), data=RUNS, params=[picked], opacity=when(PICKED, 1, 0.3))
    words = chart(mark("text"), data=RUNS, where=[PICKED, "isValid(datum.mean)"], tooltip=("run:N", "mean:Q"))
    found = whole(concat(layer(dots, words), dots))
    assert found["params"] == [{**picked, "views": ["picked_1", "picked_2"]}]
    assert [found["concat"][0]["layer"][0]["name"], found["concat"][1]["name"]] == ["picked_1", "picked_2"]
    assert "params" not in str(found["concat"])
    assert found["concat"][1]["encoding"]["opacity"] == {"condition": {"param": "picked", "value": 1}, "value": 0.3}
    text = found["concat"][0]["layer"][1]
    assert text["transform"] == [{"filter": {"param": "picked"}}, {"filter": "isValid(datum.mean)"}]
    assert text["encoding"]["tooltip"] == [{"field": "run", "type": "nominal"}, _quantity("mean")]
    assert "params" in dots, "parts are left as they are"


def _quantity(name: str) -> dict[str, str]:
    return {"field": name, "type": "quantitative"}
