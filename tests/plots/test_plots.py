"""Figures: their tables are the experiments', every row is drawn, and what cannot be drawn is said in a line."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from xml.dom import minidom

import jsonschema
import polars as pl
import pytest
from altair.vegalite.schema import load_schema
from click.testing import CliRunner
from scipy import stats
from tools.each import each_of

import cranfield as cf
from cranfield.cli import main
from cranfield.experiments import EXPERIMENTS
from cranfield.plots import PLOTS, Figure
from cranfield.plots.drawn import POINTED_AT, WRITERS, as_vega, is_vega
from cranfield.plots.grammar import chart, mark, whole
from cranfield.plots.theme import CONFIG, CONFIG_OF_VEGA
from cranfield.plumbing.errors import InputError
from cranfield.statistics.intervals import clause

VEGA_LITE = jsonschema.Draft7Validator(load_schema())


@each_of("name", sorted(PLOTS))
def test_every_figure_is_plain_json_and_described(figure_of: Callable[[str], Figure], name: str) -> None:
    figure = figure_of(name)
    assert json.loads(figure.to_bytes("json")) == figure.spec  # of dicts and lists alone, as the schema has it
    assert re.search(r"\d", figure.description)
    assert PLOTS[name].question.endswith("?")


@pytest.mark.integration  # the schema takes seconds
@each_of("name", sorted(PLOTS))
def test_every_figure_is_as_the_schema_has_it(figure_of: Callable[[str], Figure], name: str) -> None:
    figure = figure_of(name)
    if not is_vega(figure.spec):
        # A row may be anything, and to find that of each takes long.
        first = {name: rows[:1] for name, rows in figure.spec["datasets"].items()}
        VEGA_LITE.validate({**figure.spec, "datasets": first})


def test_a_chart_can_be_changed_with_altair(campaign: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = cf.plot("leaderboard", campaign / "qrels.txt", campaign / "runs")
    assert figure.chart.properties(title="mine").to_dict()["title"] == "mine"
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(InputError, match="this needs altair, which is not installed: pip install altair"):
        _ = figure.chart


def test_a_leaderboard_draws_every_run_with_the_interval_of_scipy(campaign: Path) -> None:
    scores = cf.evaluate(campaign / "qrels.txt", campaign / "runs", "AP")
    table = scores.intervals()
    best = table.row(0, named=True)
    values = scores.values[0, scores.runs.index(best["run"])]
    expected = stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))
    assert (best["low"], best["high"]) == pytest.approx(expected)
    assert table["mean"].is_sorted(descending=True)
    drawn = scores.plot("leaderboard").to_bytes("svg").decode()
    assert drawn.count('aria-roledescription="point"') == len(scores.runs)


def test_a_bar_of_differences_is_a_topic() -> None:
    """By RR: first 1 and 1/2 on topic 1, then 0 and 1 on topic 2, and 1 for both on topic 3."""
    qrels = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}}
    first = {"1": {"a": 1.0}, "2": {"x": 1.0}, "3": {"a": 1.0}}
    other = {"1": {"x": 2.0, "a": 1.0}, "2": {"a": 1.0}, "3": {"a": 1.0}}
    scores = cf.evaluate(qrels, {"first": first, "other": other}, "RR")
    figure = scores.plot("differences")
    assert figure.description.endswith(
        "By RR first is higher on 1 topic, other on 1, and they are equal on 1; the mean difference is -0.167, "
        "from -1.000 (topic 2) to 0.500 (topic 1)."
    )
    assert figure.to_bytes("svg").decode().count('aria-roledescription="bar"') == 3
    level = cf.evaluate(qrels, {"first": first, "other": first}, "RR").plot("differences").to_bytes("svg").decode()
    assert ">0.0<" in level  # where all are 0 the axis said 0.000000
    assert "0.000000" not in level
    with pytest.raises(InputError, match="differences needs two runs, not 1; name two"):
        cf.evaluate(qrels, {"first": first}, "RR").plot("differences")


def test_a_cell_of_the_heatmap_is_a_run_on_a_topic(campaign: Path) -> None:
    figure = cf.plot("heatmap", campaign / "qrels.txt", campaign / "runs")
    [data] = figure.spec["datasets"].values()
    assert len(data) == 6 * 8
    many = {str(n): {"a": 1} for n in range(250)}
    [data] = cf.evaluate(many, {"r": many}, "RR").plot("heatmap").spec["datasets"].values()
    assert len(data) == 84  # every third of 250
    nothing = cf.evaluate({"1": {"a": 0}}, {"r": {"1": {"a": 1.0}}}, "AP").plot("heatmap")
    assert nothing.spec["encoding"]["color"]["scale"]["domain"] == [0, 1]
    level = cf.plot("heatmap", {"1": {"a": 0}}, {"r": {"1": ["a"]}, "s": {"1": ["a"]}}, "AP")
    assert "AP is 0.000 everywhere." in level.spec["title"]["subtitle"]
    assert "everywhere" not in str(figure.spec["title"])


def test_a_heatmap_is_dark_where_runs_are_good() -> None:
    """Also by measures of which less is better, whose best topic is on the left; who ties is named, or counted."""
    qrels = {str(topic): {"a": 1} for topic in range(1, 7)}
    runs = {"near": {**qrels, "6": ["x", "a"]}, "far": {topic: ["x", "y", "a"] for topic in qrels}}
    less, more = cf.plot("heatmap", qrels, runs, ["ESL", "RR"]).spec["vconcat"]
    for cells, shades in ((less, ["#003f66", "#56B4E9", "#f3f6fa"]), (more, ["#f3f6fa", "#56B4E9", "#003f66"])):
        assert cells["encoding"]["color"]["scale"]["range"] == shades
        assert cells["encoding"]["y"]["sort"] == ["near", "far"]
        assert cells["encoding"]["x"]["sort"][-1] == "6"
    said = cf.plot("heatmap", qrels, runs, "ESL").description
    assert "the easiest of 6 topics are 5 that tie (mean 2.000) and the hardest is 6 (2.500)" in said
    assert "the best of 2 runs is near (1.167)" in said
    equal = cf.plot("heatmap", qrels, {"a": runs["near"], "b": runs["near"]}, "ESL")
    assert "the best of 2 runs are a and b" in equal.description


def test_every_topic_of_a_heatmap_is_named() -> None:
    qrels = {str(topic): {"a": 1} for topic in range(401, 415)}
    drawn = cf.plot("heatmap", qrels, {"r": qrels, "s": qrels}, "RR").to_bytes("svg").decode()
    assert all(f">{topic}</text>" in drawn for topic in qrels)
    assert 'opacity="0"' not in drawn  # which hides a name


def test_rows_of_a_heatmap_keep_their_names_in_print() -> None:
    runs = {f"run{i}": {"1": [*"xyz"[:i], "a"], "2": ["a"]} for i in range(3)}
    for width in ("column", "page"):
        drawn = cf.plot("heatmap", {"1": {"a": 1}, "2": {"a": 1}}, runs, "RR").for_print(width).to_bytes("svg").decode()
        assert all(f">{run}</text>" in drawn for run in runs)


def test_residuals_are_drawn_on_top_of_what_is_known(campaign: Path) -> None:
    figure = cf.plot("residuals", campaign / "qrels.txt", campaign / "runs")
    scores = cf.evaluate(campaign / "qrels.txt", campaign / "runs", ["RBP(p=0.8)", "RBPResidual(p=0.8)"])
    best = max(range(6), key=lambda r: scores.averages[0, r])
    base, residual = scores.averages[:, best]
    said = f"{scores.runs[best]}, with a base of {base:.3f}, a residual of {residual:.3f}"
    assert said in figure.description
    with pytest.raises(InputError, match="residuals needs RBP, RBPResidual, RBPProjected, one of each; of RBPResidual"):
        cf.plot("residuals", campaign / "qrels.txt", campaign / "runs", ["RBP", "AP"])


def test_before_and_after_stand_side_by_side_in_one_order(campaign: Path) -> None:
    qrels = cf.read_qrels(campaign / "qrels.txt")
    few = qrels.filter(pl.int_range(pl.len()) % 2 == 0)
    figure = cf.plot("residuals", qrels, campaign / "runs", also={"half": (few, campaign / "runs")})
    panels = figure.spec["hconcat"]
    assert [panel["title"]["text"] for panel in panels] == ["qrels", "half"]
    orders = [panel["layer"][0]["encoding"]["y"]["sort"] for panel in panels]
    by_base = cf.evaluate(qrels, campaign / "runs", "RBP(p=0.8)").sorted_by().runs
    assert orders == [list(by_base), list(by_base)]
    assert "ordered by the base of qrels" in str(figure.spec["title"])
    half = cf.evaluate(few, campaign / "runs", "RBPResidual(p=0.8)")
    residual = half.averages[0, half.runs.index(by_base[0])]
    asked = ["AP", "RBP(p=0.8)", "RBPResidual(p=0.8)", "RBPProjected(p=0.8)"]
    by_ap = cf.plot("residuals", qrels, campaign / "runs", asked)
    sorted_ = cf.evaluate(qrels, campaign / "runs", "AP").sorted_by().runs
    assert by_ap.spec["layer"][0]["encoding"]["y"]["sort"] == list(sorted_)
    assert "ordered by AP." in str(by_ap.spec["title"])
    assert f"half: The first of 6 runs is {by_base[0]}, with a base of" in figure.description
    assert f"a residual of {residual:.3f}" in figure.description.partition("half: ")[2]
    drawn = figure.to_bytes("svg").decode()
    assert drawn.count('aria-roledescription="bar"') == 2 * 2 * 6
    others = {"1": {"a": 1}}, {"mine": {"1": ["a"]}}
    apart = cf.plot("residuals", qrels, campaign / "runs", also={"others": others}).spec["hconcat"]
    assert apart[1]["layer"][0]["encoding"]["y"]["sort"] == ["mine"]


def test_names_that_no_picture_may_hold_are_drawn_as_escapes() -> None:
    """A NUL is no XML, a line separator ends a text of Vega's, and a backslash would let a quotation mark end it."""
    qrels = {"1\x07": {"a": 1}, "2": {"a": 1}}
    runs = {name: {topic: {"a": 1.0} for topic in qrels} for name in ("a\x00\u2028", 'b\\" + now() + "')}
    figure = cf.plot("differences", qrels, runs, "RR")
    assert figure.title == 'a\\x00\\u2028 minus b\\" + now() + ", topic by topic'
    assert not re.search(r"\\u00[01]|\\u2028", json.dumps(figure.spec).replace("\\\\", ""))
    drawn = minidom.parseString(figure.to_bytes("svg"))  # noqa: S318 - it is ours
    assert 'b\\" + now() + ": 1.0000' in "".join(
        each.getAttribute("aria-label") for each in drawn.getElementsByTagName("path")
    )


def test_one_topic_has_a_mean_and_no_interval() -> None:
    scores = cf.evaluate({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}}, "RR")
    assert scores.intervals().drop("measure").rows() == [("x", 1, 1.0, None, None)]
    assert "one topic alone" in str(scores.plot("leaderboard").spec["title"])


def test_findings_read_back_are_drawn_alike(campaign: Path, tmp_path: Path) -> None:
    runs = cf.join(campaign / "qrels.txt", campaign / "runs")
    found = EXPERIMENTS["downsampling"](runs, "AP", repetitions=3, rates=(0.5, 0.1))
    found.write(tmp_path / "found")
    figure = found.plot("downsampling")
    out = tmp_path / "figure.json"
    done = CliRunner().invoke(main, ["plot", "downsampling", str(tmp_path / "found"), "-o", str(out)])
    assert done.exit_code == 0, done.stderr
    typed = f"cranfield plot downsampling {tmp_path / 'found'} -o {out}"
    assert out.read_bytes() == figure.drawn_by(typed).to_bytes("json")
    taus = found["correlation"].filter(pl.col("rate") == 0.1)["tau"]
    assert f"AP {taus[0]:.3f}" in figure.description


def test_an_order_that_stays_has_an_axis_and_a_sentence() -> None:
    runs = {"x": {"1": ["a", "b", "c"]}, "y": {"1": ["c", "b", "a"]}}
    found = EXPERIMENTS["downsampling"](
        cf.join({"1": {"a": 1, "b": 1, "c": 0}}, runs), "AP", top=1.0, repetitions=1, rates=(1.0,)
    )
    figure = found.plot("downsampling")
    assert "Tau-b is 1.000 throughout." in figure.spec["title"]["subtitle"]
    assert figure.spec["layer"][0]["encoding"]["y"]["scale"]["domain"] == [0, 1]


def test_more_than_five_thousand_rows_are_drawn() -> None:
    qrels = {"1": {"a": 1}}
    runs = {f"r{i}": {"1": {"x": 2.0, "a": 1.0}} for i in range(60)}
    figure = cf.curve(qrels, runs, "P", last_rank=100).plot("curves")
    assert sum(map(len, figure.spec["datasets"].values())) == 61 * 100
    assert "the other 54 in grey" in str(figure.spec["title"])


@pytest.mark.parametrize("format_", sorted(WRITERS))
def test_every_format_is_written(campaign: Path, tmp_path: Path, format_: str) -> None:
    path = tmp_path / f"figure.{format_}"
    cf.plot("leaderboard", campaign / "qrels.txt", campaign / "runs").save(path)
    assert path.stat().st_size > 1000


def test_what_cannot_be_is_said(campaign: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = cf.evaluate(campaign / "qrels.txt", campaign / "runs", "AP")
    with pytest.raises(
        InputError, match="there is no figure 'pie'; choose from abstention, against-median, archetypes, "
    ):
        scores.plot("pie")
    with pytest.raises(InputError, match="asl is drawn from discriminative-power, not from scores; figures of scores"):
        scores.plot("asl")
    with pytest.raises(InputError, match=r"a figure is written to a file in \.html"):
        scores.plot("leaderboard").save("figure.bmp")


def test_what_is_not_installed_is_named_with_its_extra(campaign: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = cf.evaluate(campaign / "qrels.txt", campaign / "runs", "AP")
    figure = scores.plot("leaderboard")
    command = ["plot", "leaderboard", str(campaign / "qrels.txt"), str(campaign / "runs"), "-o"]
    for missing in ("altair", "jinja2", "vl_convert"):
        monkeypatch.setitem(sys.modules, missing, None)
    said = 'this needs vl_convert, which is not installed: pip install "cranfield[plots]"'
    with pytest.raises(InputError, match=re.escape(said)):
        figure.to_bytes("svg")
    done = CliRunner().invoke(main, [*command, str(campaign / "figure.svg")])
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (2, f"cranfield: {said}")
    assert not (campaign / "figure.svg").exists()
    for suffix in ("html", "json"):  # of which the browser makes a picture
        assert CliRunner().invoke(main, [*command, str(campaign / f"figure.{suffix}")]).exit_code == 0


def test_a_further_collection_is_a_panel_and_one_topic_can_be_chosen(campaign: Path) -> None:
    few = ({"1": {"a": 1}, "2": {"b": 1}}, {"good": {"1": {"a": 1.0}, "2": {"b": 1.0}}})
    figure = cf.plot("leaderboard", campaign / "qrels.txt", campaign / "runs", "AP", also={"small": few})
    assert [panel["title"] for panel in figure.spec["concat"]] == ["qrels", "small"]
    assert figure.spec["columns"] == 3  # as many as fit
    assert "small: The AP of good is 1.000" in figure.description
    topic = cf.read_qrels(campaign / "qrels.txt")["query_id"][0]
    one = cf.plot("leaderboard", campaign / "qrels.txt", campaign / "runs", "AP", topic=topic)
    assert "one topic alone" in str(one.spec["title"])
    with pytest.raises(InputError, match="the qrels have no topic '0'; they have 1 and 2"):
        cf.plot("leaderboard", *few, "AP", topic="0")
    with pytest.raises(InputError, match="cannot be called 'qrels'"):
        cf.plot("leaderboard", *few, "AP", also={"qrels": few})


def test_the_partial_order_has_every_run_and_every_step(campaign: Path) -> None:
    found = EXPERIMENTS["dominance"](cf.join(campaign / "qrels.txt", campaign / "runs"), resamples=20)
    drawn = found.plot("dominance").to_bytes("svg").decode()
    assert drawn.count('aria-roledescription="point"') == found["runs"].height
    assert drawn.count('aria-roledescription="line mark"') == found["order"].height
    assert all(run in drawn for run in found["runs"]["run"])


def test_of_many_runs_the_partial_order_is_a_matrix() -> None:
    """Of 140 runs 70 are the best and equal, and each dominates 70: a whole layer is too many, and 60 are shown."""
    many = {f"r{i}": {"1": {"x": 2.0 if i % 2 else 0.0, "a": 1.0}} for i in range(140)}
    levels = EXPERIMENTS["dominance"](cf.join({"1": {"a": 1}}, many), resamples=20).plot("dominance")
    assert "60 of 140 runs: those in the first layer" in str(levels.spec["title"])
    runs = cf.join({"1": {"a": 1}}, {f"r{i}": {"1": [*map(str, range(i // 3)), "a"]} for i in range(30)})
    found = EXPERIMENTS["dominance"](runs, resamples=20)
    figure = found.plot("dominance")
    cells = {
        (row["better"], row["worse"]) for data in figure.spec["datasets"].values() for row in data if "worse" in row
    }
    assert cells == {(f"r{i}", f"r{j}") for i in range(30) for j in range(30) if i // 3 < j // 3}
    order = figure.spec["layer"][0]["encoding"]["y"]["sort"]
    assert [int(run[1:]) // 3 for run in order] == [i // 3 for i in range(30)]  # layer by layer


def test_a_certificate_has_two_spans_and_a_mark_for_every_run(campaign: Path) -> None:
    found = EXPERIMENTS["certificate"](cf.join(campaign / "qrels.txt", campaign / "runs"), "P@5", resamples=50)
    figure = found.plot("certificate")
    drawn = figure.to_bytes("svg").decode()
    assert drawn.count('aria-roledescription="rule mark"') == 2 * 6
    assert drawn.count('aria-roledescription="tick"') == 6
    assert figure.title == f"{found['ranks']['may_lead'].sum()} of 6 runs may lead by P@5"


def test_panels_share_a_legend_where_it_is_the_same(campaign: Path) -> None:
    sources = campaign / "qrels.txt", campaign / "runs"
    downsampling = EXPERIMENTS["downsampling"]
    collections = {"a": cf.join(*sources), "b": cf.join(sources[0], sorted(sources[1].iterdir())[:4])}
    both = downsampling(collections, ["AP", "RR"], repetitions=2, rates=(0.5,))
    shared = both.plot("downsampling")
    assert shared.spec["columns"] == 2
    assert set(shared.spec["resolve"]["scale"].values()) == {"shared"}
    assert _roles(shared)["legend"] == 1
    own = cf.plot("curves", *sources, also={"few": ({"1": {"a": 1}}, {"other": {"1": {"a": 1.0}}})})
    assert set(own.spec["resolve"]["scale"].values()) == {"independent"}


def _roles(figure: Figure) -> Counter[str]:
    """Count the marks that are drawn, by what they say they are."""
    return Counter(re.findall(r'aria-roledescription="([^"]+)"', figure.to_bytes("svg").decode()))


def test_marks_are_as_many_as_rows(campaign: Path) -> None:
    """Six runs, eight topics; effort-gain leaves out topics with nothing relevant."""
    runs = cf.join(campaign / "qrels.txt", campaign / "runs")
    effort = EXPERIMENTS["effort-gain"](runs)
    measures = effort["shares"].height
    fields = effort["quadrants"].with_columns(
        height=pl.col("gain_up_to").fill_null(1) - pl.col("gain_above").fill_null(0)
    )
    expected = {
        "asl": {"line mark": 5, "rule mark": 2},
        "curves": {"line mark": 6 + 1},
        "downsampling": {"line mark": 2, "point": 2 * 3, "rule mark": 2 * 3},
        "effort-gain": {
            "point": effort["points"].height * measures,
            "rect mark": 16 * measures,
            "text mark": 2 * fields.filter(pl.col("height") > 0.045).height,
        },
        "heatmap": {"rect mark": 6 * 8},
        "leaderboard": {"point": 6, "rule mark": 6},
        "parallel": {"line of a run": 6},
        "residuals": {"bar": 2 * 6, "point": 6},
        "scatter": {"ranking": 6 * 8},
    }
    for name, marks in expected.items():
        figure = (
            EXPERIMENTS[name](runs, ["AP", "RR"], repetitions=3, rates=(0.9, 0.5, 0.1)).plot(name)
            if name == "downsampling"
            else cf.plot(name, runs)
        )
        found = _roles(figure)
        assert {role: found[role] for role in marks} == marks, name


@pytest.mark.parametrize("name", ["curves", "leaderboard", "parallel", "heatmap"])
def test_a_notebook_is_given_what_vega_draws_alike(campaign: Path, name: str) -> None:
    import vl_convert

    figure = cf.plot(name, campaign / "qrels.txt", campaign / "runs")
    bundle = figure._repr_mimebundle_()
    assert list(bundle) == ["application/vnd.vega.v5+json", "image/svg+xml", "text/plain"]
    spec = json.loads(json.dumps(bundle["application/vnd.vega.v5+json"]))
    assert "url" not in {key for data in spec["data"] for key in data}
    numbered = re.compile(rf"(clip|gradient_)\d+|{POINTED_AT.pattern}")
    drawn = numbered.sub("", vl_convert.vega_to_svg(spec))
    assert drawn == numbered.sub("", bundle["image/svg+xml"]) == numbered.sub("", figure.to_bytes("svg").decode())


def test_a_leaderboard_with_bounds_has_a_bar_for_what_is_open(campaign: Path, tmp_path: Path) -> None:
    scores = cf.evaluate(campaign / "qrels.txt", campaign / "runs", "RBP(p=0.8)", bounds=True)
    table = scores.intervals()
    assert scores.limits is not None
    widths = (scores.limits[1] - scores.limits[0]).mean(axis=2)[0]
    expected = dict(zip(scores.runs, widths, strict=True))
    assert {
        run: most - least for run, least, most in table.select("run", "least", "most").iter_rows()
    } == pytest.approx(expected)
    assert scores.plot("leaderboard").to_bytes("svg").decode().count('aria-roledescription="bar"') == 6
    out = tmp_path / "board.json"
    call = ["plot", "leaderboard", f"{campaign}/qrels.txt", f"{campaign}/runs", "-m", "RBP(p=0.8)", "--bounds"]
    assert CliRunner().invoke(main, [*call, "-o", str(out)]).exit_code == 0
    drawn = scores.plot("leaderboard")
    typed = f"cranfield plot leaderboard {campaign}/qrels.txt {campaign}/runs -m 'RBP(p=0.8)' --bounds -o {out}"
    assert out.read_bytes() == drawn.drawn_by(typed).to_bytes("json")
    with pytest.raises(InputError, match="bounds apply to scores; asl is drawn from discriminative-power"):
        cf.plot("asl", campaign / "qrels.txt", campaign / "runs", bounds=True)


def test_the_theme_of_vega_is_what_vega_lite_makes_of_the_theme() -> None:
    made = as_vega({**whole(chart(mark("point"))), "config": CONFIG})["config"]
    assert made | {name: CONFIG[name] for name in ("title", "background", "padding")} == CONFIG_OF_VEGA


def test_a_leaderboard_says_how_often_intervals_of_few_topics_hold() -> None:
    run = {"a": {str(t): ["d" if t % 2 else "x"] for t in range(60)}}
    qrels = {str(t): {"d": 1} for t in range(60)}
    subtitle = cf.evaluate(qrels, run, "P@1").plot("leaderboard").spec["title"]["subtitle"]
    assert "samples of real scores" not in " ".join(subtitle)
    few = {str(t): {"d": 1} for t in range(8)}
    subtitle = cf.evaluate(few, run, "P@1").plot("leaderboard").spec["title"]["subtitle"]
    assert clause("mean", 8) in " ".join(subtitle)
