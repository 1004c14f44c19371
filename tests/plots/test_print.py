"""Figures for print: as wide as is asked for, legible, in greys that differ, and in small files."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.campaigns import simulate, write_campaign
from cranfield.cli import main
from cranfield.plots import PLOTS, Figure, Material
from cranfield.plots.drawn import MOST_POINTS_AS_LINES
from cranfield.plots.printing import CENTIMETRES
from cranfield.plots.theme import COLOURS, GREYS, JUDGED
from cranfield.plumbing.errors import InputError

TOO_WIDE = {
    ("bump", "column"), ("sensitivity", "column"), ("sensitivity-matrix", "column"), ("sensitivity-matrix", "page"),
}  # fmt: skip
"""Five columns between names, and a table of 33 settings."""


def points(figure: Figure) -> float:
    """Return how wide the drawing is on paper."""
    found = re.search(r' width="([\d.]+)pt"', figure.to_bytes("svg").decode())
    assert found
    return float(found[1])


@pytest.mark.integration
@pytest.mark.parametrize("width", sorted(CENTIMETRES))
@pytest.mark.parametrize("name", sorted(PLOTS))
def test_every_figure_is_as_wide_as_asked_for_and_can_be_read(
    figure_of: Callable[[str], Figure], name: str, width: str
) -> None:
    if (name, width) in TOO_WIDE:
        with pytest.raises(InputError, match=f"too wide for a {width}"):
            figure_of(name).for_print(width)
        return
    printed = figure_of(name).for_print(width)
    assert points(printed) == pytest.approx(CENTIMETRES[width] / 2.54 * 72, abs=1.5)
    drawn = printed.to_bytes("svg").decode()
    letters = [float(size) * printed.scale for size in re.findall(r'font-size="([\d.]+)px"', drawn)]
    assert min(letters) > 6.8
    assert max(letters) < 9.1
    assert "…" not in re.sub(r'aria-label="[^"]*"', "", drawn)  # no word is cut
    assert printed.description == figure_of(name).description


@pytest.mark.integration
@pytest.mark.parametrize("name", sorted(PLOTS))
def test_a_grey_figure_has_no_colours(figure_of: Callable[[str], Figure], name: str) -> None:
    drawn = figure_of(name).for_print(grey=True).to_bytes("svg").decode()
    shown = re.sub(r'aria-label="[^"]*"', "", drawn)
    hexadecimal = [tuple(int(c[i : i + 2], 16) for i in (0, 2, 4)) for c in re.findall(r'="#([0-9a-f]{6})"', shown)]
    rgb = [tuple(map(int, c)) for c in re.findall(r"rgb\((\d+), ?(\d+), ?(\d+)\)", shown)]
    assert {colour for colour in hexadecimal + rgb if max(colour) - min(colour) > 2} == set()


def test_greys_differ() -> None:
    light = [int(GREYS.get(colour, colour)[1:3], 16) for colour in COLOURS]
    assert min(abs(a - b) for i, a in enumerate(light) for b in light[:i]) >= 20
    states = sorted(int(GREYS[colour][1:3], 16) for colour in JUDGED.values())
    assert min(high - low for low, high in pairwise(states)) > 70


@pytest.mark.integration
def test_a_cloud_is_a_picture_and_words_are_words(tmp_path: Path) -> None:
    """4,000 points: a megabyte for each panel if they were shapes."""
    n = 4000
    cloud = pl.DataFrame(
        {"run": ["r"] * n, "topic": [str(i) for i in range(n)], "Twist": [i % 97 / 97 for i in range(n)]}
    ).with_columns(pl.Series("AP", [i * i % 89 / 89 for i in range(n)]))
    fields = pl.DataFrame(
        {
            "measure": ["AP"] * 16,
            "effort_from": [None, 0.25, 0.5, 0.75] * 4,
            "effort_below": [0.25, 0.5, 0.75, None] * 4,
            "gain_above": [each for each in (0.75, 0.5, 0.25, None) for _ in range(4)],
            "gain_up_to": [each for each in (None, 0.75, 0.5, 0.25) for _ in range(4)],
            "share": [1 / 16] * 16,
        }
    )
    shares = pl.DataFrame({"measure": ["AP"], "diagonal": [0.25], "high_high": [0.25], "good": [0.25]})
    tables = {"points": cloud, "quadrants": fields, "shares": shares}
    figure = PLOTS["effort-gain"].of(
        Material("effort-gain", {name: partial(tables.__getitem__, name) for name in tables}, "")
    )
    assert figure.to_bytes("svg").count(b'aria-roledescription="point"') == n > MOST_POINTS_AS_LINES
    file = tmp_path / "cloud.pdf"
    for each in (figure, figure.for_print("column")):
        each.save(file)
        assert file.stat().st_size < 400_000
        assert b"/Subtype /Image" in file.read_bytes() or b"/Subtype/Image" in file.read_bytes()
        if shutil.which("pdffonts"):
            fonts = subprocess.run(["pdffonts", file], capture_output=True, text=True, check=True).stdout
            assert re.findall(r"(yes|no) (yes|no) (yes|no) ", fonts)
            assert not re.findall(r" no +(yes|no) +(yes|no) +\d+", fonts)  # all are in the file
        if shutil.which("pdftotext"):
            text = subprocess.run(["pdftotext", file, "-"], capture_output=True, text=True, check=True).stdout
            assert "Effort (Twist) against gain" in text


def test_lines_below_the_title_are_broken_anew(figure_of: Callable[[str], Figure]) -> None:
    said = [
        "A sentence of",
        "so many words that it had to be broken, though not where a column of print ends.",
        "Another.",
    ]
    long = replace(
        figure_of("heatmap"), spec={**figure_of("heatmap").spec, "title": {"text": "Title", "subtitle": said}}
    )
    found = long.for_print("column").spec["title"]["subtitle"]
    assert found == [
        "A sentence of so many words that it had to be broken, though", "not where a column of print ends.", "Another.",
    ]  # fmt: skip


def test_on_the_command_line(tmp_path: Path) -> None:
    write_campaign(simulate(systems=4, topics=4, depth=20, seed=3), tmp_path)
    sources = [str(tmp_path / "qrels.txt"), str(tmp_path / "runs")]
    file = tmp_path / "figure.svg"
    asked = ["plot", "curves", *sources, "-o", str(file), "--print", "column", "--grey"]
    done = CliRunner().invoke(main, asked)
    assert done.exit_code == 0, done.stderr
    expected = cf.plot("curves", sources[0], sources[1]).for_print("column", grey=True)
    assert file.read_bytes() == expected.to_bytes("svg")
    done = CliRunner().invoke(main, [*asked, "--no-title"])
    bare = cf.plot("curves", sources[0], sources[1]).for_print("column", grey=True, titled=False)
    assert file.read_bytes() == bare.to_bytes("svg")
    assert "nDCG at every rank" in expected.to_bytes("svg").decode()
    assert ">nDCG at every rank" not in bare.to_bytes("svg").decode()
    assert done.stderr.startswith(f"{expected.description} Averages over 4 topics")
    assert bare.title == "nDCG at every rank"  # which a page still needs
    done = CliRunner().invoke(main, [*asked[:-2], "poster"])
    assert done.exit_code == 2
    with pytest.raises(InputError, match="a figure is printed as wide as a column or a page, not as 'poster'"):
        expected.for_print("poster")


def test_what_is_too_wide_to_be_read_is_refused() -> None:
    """Five measures side by side between names on either side."""
    runs = {f"a-run-with-a-long-name-{i}": {"1": [*(f"x{j}" for j in range(i)), "a"]} for i in range(8)}
    figure = cf.plot("bump", {"1": {"a": 1}}, runs)
    with pytest.raises(InputError, match="too wide for a column, unless in letters that nobody can read"):
        figure.for_print("column")


@pytest.mark.parametrize(("figure", "width", "step", "title"), [
    ("heatmap", "column", 2, "topic, every 2nd named"), ("heatmap", "page", 1, "topic"),
    ("differences", "column", 2, "50 topics, every 2nd named"), ("differences", "page", 1, "50 topics"),
])  # fmt: skip
def test_topics_that_print_does_not_name_are_counted(
    tmp_path: Path, figure: str, width: str, step: int, title: str
) -> None:
    """All 50 are named where there is room; the cells of all are there in any case."""
    ids = [f"t{i:02}" for i in range(50)]
    table = tmp_path / "scores.csv"
    lines = [
        f"r{run},{topic},AP,{0.9 - i / 100 - run * (49 - i) / 100}" for run in (0, 1) for i, topic in enumerate(ids)
    ]
    table.write_text("run,topic,measure,value\n" + "\n".join(lines) + "\n")
    drawn = cf.plot(figure, str(table)).for_print(width).to_bytes("svg").decode()
    words = re.findall(r"<text[^>]*>([^<]*)</text>", drawn)
    assert [word for word in words if word in ids] == ids[::step]
    assert title in words
    assert len(set(re.findall(r"topic: (t\d\d)", drawn))) == 50


def test_a_heatmap_of_many_topics_says_which_it_draws(tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    lines = [f"{run},t{i:03},AP,{1 / (i + 1):.4f}" for run in ("r1", "r2") for i in range(150)]
    table.write_text("run,topic,measure,value\n" + "\n".join(lines) + "\n")
    assert "Every 2nd of 150 topics in that order." in cf.plot("heatmap", str(table)).subtitle
