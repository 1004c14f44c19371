"""What is drawn, as a browser shows it: no words on words, nothing outside its frame, nothing too faint to be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from playwright.sync_api import Page
from tools import scene
from tools.pages import chromium
from tools.pictures import cases

import cranfield as cf
from cranfield.plots import PLOTS, Figure
from cranfield.plots.grammar import Spec, chart, concat, field, layer, mark, whole
from cranfield.plotting import plot_collections
from cranfield.plumbing.errors import InputError
from cranfield.scoring.judged_runs import JudgedRuns

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(chromium() is None, reason="there is no Chromium here to look at figures with"),
]

QUICK = ("one topic", "1 run", "2 runs", "nothing relevant")
"""Cases of `tools.pictures` of which every figure is drawn in no time."""
REAL = {"dl19-passage": 2, "trec8-adhoc": None}
OF_LISTS = ("crp", "crossing", "delta-gain", "relative-position", "crp-and-dcg", "curves")


@pytest.fixture(scope="module")
def window() -> Iterator[Page]:
    with scene.drawing() as window:
        yield window


@pytest.fixture(scope="module")
def case_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], JudgedRuns]:
    made = dict(cases(tmp_path_factory.mktemp("cases")))
    return cache(lambda name: made[name]())


@pytest.mark.parametrize("name", sorted(PLOTS))
def test_a_figure_of_a_small_campaign(name: str, figure_of: Callable[[str], Figure], window: Page) -> None:
    assert scene.faults(window, figure_of(name).spec) == []


@pytest.mark.parametrize("name", sorted(PLOTS))
def test_a_figure_in_a_column_of_print(name: str, figure_of: Callable[[str], Figure], window: Page) -> None:
    try:
        printed = figure_of(name).for_print("column")
    except InputError as refused:
        assert "too wide for a column" in str(refused)
        return
    assert scene.faults(window, printed.spec) == []


@pytest.mark.parametrize("case", QUICK)
@pytest.mark.parametrize("name", sorted(PLOTS))
def test_a_figure_of_few_and_of_nothing(
    name: str, case: str, case_of: Callable[[str], JudgedRuns], window: Page
) -> None:
    """What cannot be drawn is refused in a sentence."""
    try:
        figure = plot_collections(PLOTS[name], {"": case_of(case)})
    except InputError as refused:
        assert str(refused)
        return
    assert scene.faults(window, figure.spec) == []


@pytest.mark.parametrize("runs", [1, 2, 9])
@pytest.mark.parametrize("collection", REAL)
@pytest.mark.parametrize("name", OF_LISTS)
def test_lists_of_real_runs(name: str, collection: str, runs: int, data: Path, window: Page) -> None:
    qrels = cf.read_qrels(data / collection / "qrels.txt")
    files = sorted((data / collection / "runs").iterdir())[:runs]
    topics = qrels["query_id"].unique(maintain_order=True).to_list()
    for topic in topics[:2]:
        figure = cf.plot(name, qrels, [str(file) for file in files], topic=topic, rel=REAL[collection])
        assert scene.faults(window, figure.spec) == [], topic


ROWS = pl.DataFrame({"run": ["a", "b"], "value": [1.0, 2.0]})
BLUE, RED = "#0072B2", "#D55E00"
X, Y = field("run:N", title=None), field("value:Q", title="AP")


def drawn(*views: dict[str, Any], width: int = 200) -> Spec:
    return whole(layer(*views, data=ROWS, width=width, height=100)) | {"background": "#ffffff"}


def words(text: str, **looks: Any) -> dict[str, Any]:
    return chart(mark("text", **looks), x=X, y=Y, text={"value": text})


def named_lines(look: str, looks: list[Any], **legend: Any) -> dict[str, Any]:
    """Draw two lines, and a legend of how they look."""
    shown = field("run:N", scale={"domain": ["a", "b"], "range": looks}, legend={"symbolType": "stroke", **legend})
    return chart(mark("line", color=BLUE), x=Y, y=Y, **{look: shown})


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        (drawn(words("one"), words("another", dx=3)), "on each other: another | one"),
        (drawn(words("in the middle"), width=90), "on each other"),
        (drawn(chart(mark("point"), x=X, y={"value": 140})), "outside its panel of 200 x 100: a symbol"),
        (drawn(words("a long name", limit=40)), "cut off: a l"),
        (drawn(words("pale", color="#aaaaaa")), "too faint, 2.3 : 1: pale"),
        (drawn(chart(mark("bar", color="#222222"), x=X, y=Y), words("dark", dy=12)), "too faint, 1.3 : 1: dark"),
        (drawn(named_lines("strokeDash", [[4, 2], [4, 2]])), "two entries that look like"),
        (
            drawn(named_lines("color", [BLUE, RED], symbolDash=[9, 9])),
            "a stroke of a legend that no",
        ),
        (
            drawn(named_lines("strokeDash", [[4, 2], [1, 0]], symbolType="square")),
            "is chewed by dashes: square",
        ),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_each_fault_is_seen(spec: Spec, fault: str, window: Page) -> None:
    """So that a figure without a fault is one that was looked at."""
    found = scene.faults(window, spec)
    assert any(fault in each for each in found), found


def test_panels_with_one_title_end_alike_unless_they_say_otherwise(window: Page) -> None:
    low, high = (chart(mark("point"), data=ROWS.head(rows), x=X, y=Y) for rows in (1, 2))
    spec = whole(concat(low, high, columns=2))
    assert scene.faults(window, spec) == ["panels end at different values, left: AP: [0,1] [0,2]"]
    assert scene.faults(window, {**spec, "usermeta": {"scales": "own"}}) == []
    assert scene.faults(window, whole(concat(low, high, columns=2, resolve={"scale": {"y": "shared"}}))) == []


def test_a_halo_is_no_second_word_and_makes_letters_legible(window: Page) -> None:
    bars = chart(mark("bar", color="#222222"), x=X, y=Y)
    halo = words("dark", dy=12, stroke="#ffffff", strokeWidth=4)
    assert scene.faults(window, drawn(bars, halo, words("dark", dy=12))) == []
