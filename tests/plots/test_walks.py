"""Figures of lists rank by rank: the paper's systems are drawn, with every point and all that stands at each rank."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.cli import main
from cranfield.plots import Figure
from cranfield.plots.walks import PALEST
from cranfield.plumbing.errors import InputError

# Angelini et al. (2012), section 2.1: R = 10, lists of 20.
SYSTEM_A = [3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 3]
SYSTEM_B = [3, 3, 1, 0, 2, 1, 0, 0, 2, 1, 2, 0, 3, 1]
QRELS = {"t": {"3a": 3, "3b": 3, "3c": 3, "2a": 2, "2b": 2, "2c": 2, "1a": 1, "1b": 1, "1c": 1, "1d": 1, "x4": 0}}


def written(grades: list[int]) -> dict[str, float]:
    left = {grade: [f"{grade}{letter}" for letter in "abcd"] for grade in (3, 2, 1)}
    documents = [left[grade].pop(0) if grade else f"x{rank}" for rank, grade in enumerate(grades, start=1)]
    return {document: -float(place) for place, document in enumerate(documents)}


A, B = written(SYSTEM_A), written(SYSTEM_B)
TWO_TOPICS = ({**QRELS, "u": {"a": 1}}, {"B": {"t": B, "u": {"y": 2.0, "a": 1.0}}})


def tables(figure: Figure) -> list[list[dict[str, object]]]:
    return list(figure.spec["datasets"].values())


def holding(figure: Figure, column: str, value: object) -> list[dict[str, object]]:
    """Return the rows of the table of a figure that has such a value."""
    [found] = [table for table in tables(figure) if any(row.get(column) == value for row in table)]
    return found


def drawn_rects(figure: Figure) -> int:
    """Return how many tiles are drawn."""
    return figure.to_bytes("svg").decode().count('aria-roledescription="rect mark"')


def test_the_curve_of_the_paper_with_its_points() -> None:
    figure = cf.trace(QRELS, {"B": {"t": B}}, n=20).plot("crp")
    curve = [row for row in holding(figure, "line", "full-scale list (the ideal reversed)") if row["line"] == "run"]
    assert [row["value"] for row in curve][:14] == [0, 0, -4, -11, -11, -12, -16, -19, -16, -16, -11, -11, -1, 3]
    of_run, of_full_scale, *_ = [table for table in tables(figure) if "crp_full_scale" in table[0]]
    dots = {(row["mark"], row["rank"]) for row in (*of_run, *of_full_scale)}
    assert dots == {("R", 10), ("min", 8), ("b_r", 14), ("b_w", 18), ("N", 20)}
    drawn = figure.to_bytes("svg").decode()
    assert drawn.count('aria-roledescription="point"') == len(of_run) + len(of_full_scale)
    values = [row["text"] for row in holding(figure, "text", "b_w = 18")]
    assert {"CRP(r, R) = -16", "CRP(r, min) = -19", "CRP(r, N) = 3"} < set(values)
    assert {"CRP(w, R) = -55", "CRP(w, min) = -52", "CRP(w, N) = 33"} < set(values)
    assert figure.description.endswith(
        "B: R 10 (CRP -16), min 8 (CRP -19), b_r 14 (CRP 3), b_w 18 (CRP 3), N 20 (CRP 3); "
        "of 14 documents 3 too early, 4 right, 4 too late, 3 unjudged."
    )


def test_the_strips_tell_places_and_three_states_apart() -> None:
    """RP of B: 0 0 -4 -7 0 -1 -4 -3 3 0 5 0 10 4; it ends there, and nothing below its end is right."""
    figure = cf.trace(QRELS, {"B": {"t": B}}, n=20).plot("crp")
    tiles = holding(figure, "kind", "too early")
    assert [(row["from"], row["to"], row["rp"]) for row in tiles] == [
        (1, 2, 0), (3, 3, -4), (4, 4, -7), (5, 5, 0), (6, 6, -1), (7, 7, -4), (8, 8, -3), (9, 9, 3), (10, 10, 0),
        (11, 11, 5), (12, 12, 0), (13, 13, 10), (14, 14, 4),
    ]  # fmt: skip
    shades = {abs(float(str(row["rp"]))): float(str(row["shade"])) for row in tiles}
    right = {row["from"]: row["shade"] for row in tiles if not row["rp"]}
    assert right == {1: 1, 5: 1, 10: 1, 12: PALEST}  # what stands at 12 is not relevant, and right since it is late
    assert [shades[away] for away in (1, 3, 4, 5, 7, 10)] == sorted(shades[away] for away in shades if away)
    states = holding(figure, "kind", "unjudged")
    assert [(row["from"], row["to"]) for row in states if row["kind"] == "unjudged"] == [(7, 8), (12, 12)]
    assert [row["doc_id"] for row in states if row["kind"] == "judged not relevant"] == ["x4"]
    assert len(states) == 10 + 1 + 2
    assert drawn_rects(figure) == len(tiles) + len(states)


def test_a_document_is_pale_below_all_that_is_relevant_whatever_the_level() -> None:
    """From grade 2 on b is not relevant; CRP tells all grades apart, and b is in the place of grade 1."""
    figure = cf.trace({"1": {"a": 2, "b": 1}}, {"r": {"1": ["a", "b", "x"]}}, n=5, rel=2).plot("crp")
    tiles = [(row["from"], row["state"], row["shade"]) for row in holding(figure, "kind", "right")]
    assert tiles == [(1, "relevant", 1), (2, "judged not relevant", 1), (3, "unjudged", PALEST)]


def test_gain_and_what_is_lost_at_each_rank() -> None:
    found = cf.trace(QRELS, {"B": {"t": B}}, n=20)
    figure = found.plot("delta-gain")
    curve = [row["value"] for row in holding(figure, "line", "ideal list") if row["line"] == "run"]
    assert curve == found.steps["gain"].to_list()
    gained = [(row["from"], row["to"], row["kind"]) for row in holding(figure, "kind", "less")]
    # 3 3 | 1 | -1 | 2 | 1 | 0 0 | 2 | 1 | 2 | 0 | 3 1, less 3 3 3 2 2 2 1 1 1 1 0 ...: a tile is of one state, too
    assert gained[:6] == [
        (1, 2, "as much"),
        (3, 3, "less"),
        (4, 4, "less"),
        (5, 5, "as much"),
        (6, 6, "less"),
        (7, 8, "less"),
    ]
    assert "it loses most at rank 4, where Δgain is -3.00" in figure.description
    assert figure.title == "DCG by rank, and where it falls behind the ideal list, topic t"
    assert "DCG: gains={-2:-1,-1:-1,0:-1}, base=2." in figure.subtitle


@pytest.mark.parametrize("name", ["crp", "delta-gain"])
def test_of_several_topics_averages_are_drawn_and_said_to_be(name: str) -> None:
    figure = cf.trace(*TWO_TOPICS, n=20).plot(name)
    assert "Means over the topics" in str(figure.spec["title"])
    assert drawn_rects(figure) == 0
    shares = [row for row in holding(figure, "kind", "unjudged") if row["rank"] == 1]
    assert {row["kind"]: row["share"] for row in shares} == {"relevant": 0.5, "judged not relevant": 0, "unjudged": 0.5}


def test_of_several_topics_the_sentence_says_that_it_is_of_a_mean() -> None:
    described = cf.trace(*TWO_TOPICS, n=20).plot("crp").description
    assert described.endswith(
        "The mean CRP of B is lowest at rank 8 (-9.5) and ends at rank 20 with 1.5; the full-scale list has 25.5 there."
    )


def test_sentences_below_figures_of_several_topics_are_of_averages() -> None:
    assert " On average B has " in cf.trace(*TWO_TOPICS, n=20).plot("delta-gain").description
    assert "nDCG at rank 2, mean over topics: B " in cf.plot("curves", *TWO_TOPICS, "nDCG@2").description
    assert " On average over all lists OIE is highest " in cf.plot("truncation-utility", *TWO_TOPICS, "OIE").description
    one = cf.plot("curves", QRELS, {"B": {"t": B}}, "nDCG@2").description
    assert "nDCG at rank 2: B " in one


def test_an_ideal_list_loses_nothing() -> None:
    figure = cf.trace({"1": {"a": 1}}, {"best": {"1": ["a"]}}, n=3).plot("delta-gain")
    assert figure.description.endswith("best has 1.00 at rank 3, the ideal list 1.00; it loses nothing at any rank.")


@pytest.mark.parametrize("name", ["crp", "delta-gain", "crossing", "relative-position", "crp-and-dcg"])
def test_of_many_runs_the_best_the_median_and_the_worst_are_drawn(name: str) -> None:
    """Of the documents x1 to x7 one is moved below all that is relevant in each run: the more, the better."""
    runs = {f"run {k}": {"t": written([0] * (6 - k) + [3, 3, 3, 2, 2, 2, 1])} for k in (3, 6, 0, 5, 1, 4, 2)}
    figure = cf.trace(QRELS, runs, n=30).plot(name)
    assert "The best, the middle and the worst of 7 runs by" in str(figure.spec["title"])
    said = json.dumps(figure.spec)
    assert [f"run {k} ({which})" in said for k, which in ((6, "best"), (3, "median"), (0, "worst"))] == [True] * 3
    assert not any(f"run {k} " in said for k in (1, 2, 4, 5))
    assert len(figure.spec.get("concat", "abc")) == 3


ENDING = {"early": {"t": ["a", "x", "b", *(f"y{k}" for k in range(97))]}, "short": {"t": ["x", "a"]}}
"""Lists of R = 2: one of 100 in which all is found at rank 3, one that ends at rank 2 and lacks a document."""


def last_drawn(figure: Figure) -> float:
    """Return where the axes of ranks end: all at the same rank."""
    [end] = set(re.findall(r'"domain": \[0\.5, ([\d.]+)\]', json.dumps(figure.spec)))
    return float(end) - 0.5


@pytest.mark.parametrize("name", ["crp", "delta-gain", "crossing", "relative-position"])
def test_the_ranks_end_where_nothing_happens_any_more(name: str) -> None:
    """At rank 20 at least: the last that happens is at rank 3, and 3R is 6. Then 46, a tenth more than 41."""
    found = cf.trace({"t": {"a": 1, "b": 1}}, ENDING, n=100)
    assert last_drawn(found.plot(name)) == 20
    late = {"late": {"t": [*(f"y{k}" for k in range(40)), "a", "b", *(f"z{k}" for k in range(58))]}}
    assert last_drawn(cf.trace({"t": {"a": 1, "b": 1}}, late, n=100).plot(name)) == 47
    assert last_drawn(found.plot(name, last_rank=60)) == 60
    assert last_drawn(found.plot(name, last_rank=600)) == 100


def test_the_edge_says_how_a_curve_goes_on_and_where_a_list_ended() -> None:
    qrels = {"t": {"a": 1, "b": 1, "y90": 0}}
    found = cf.trace(qrels, ENDING, n=100)
    assert drawn_words(found.plot("crp"), "→") == ["→ flat to 100"] * 2
    assert len(drawn_words(found.plot("crp"), "end of the list")) == 1
    # DCG of early: 1 at rank 1, 1/log2(3) more at rank 3, and 1/log2(94) less at rank 94, where y90 stands.
    gain = 1 + 1 / math.log2(3) - 1 / math.log2(94)
    assert drawn_words(found.plot("delta-gain"), "→") == [f"→ {gain:.4g} at 100", "→ flat to 100"]
    assert drawn_words(found.plot("crp", last_rank=100), "→") == []


def drawn_words(figure: Figure, holding: str) -> list[str]:
    """Return the text that is drawn and holds these words."""
    texts = re.findall(r"<text[^>]*>(.*?)</text>", figure.to_bytes("svg").decode())
    lines = [re.sub(r"<[^>]*>", " ", text).split() for text in texts]  # a line of several is a tspan
    return [" ".join(words) for words in lines if holding in " ".join(words)]


def test_two_lists_share_a_panel_and_more_have_the_same_axes() -> None:
    two = cf.trace(QRELS, {"A": {"t": A}, "B": {"t": B}}, n=20).plot("crp")
    curves = holding(two, "line", "ideal list")
    assert {row["line"] for row in curves} == {"A", "B", "ideal list", "full-scale list (the ideal reversed)"}
    assert len(two.spec["vconcat"]) == 1 + 2 * 2
    runs = {"A": {"t": A}, "B": {"t": B}, "C": {"t": written([0, 0, 0, 3])}}
    for name in ("crp", "delta-gain", "crossing", "relative-position"):
        panels = cf.trace(QRELS, runs, n=20).plot(name).spec["concat"]
        assert len(panels) == 3
        domains = [re.findall(r'"domain": (\[-?[\d.]+, -?[\d.]+\])', json.dumps(panel)) for panel in panels]
        assert domains[0] == domains[1] == domains[2]


def test_where_the_full_scale_list_leaves_the_panel_of_rp_an_arrow_says_how_far_it_goes() -> None:
    """Of two relevant documents the full-scale list has the first at rank 99, 98 too late, the second at rank 100."""
    found = cf.trace({"t": {"a": 1, "b": 1}}, ENDING, n=100)
    assert (
        drawn_words(found.plot("crossing", last_rank=100), "full-scale list:")
        == ["full-scale list: +98 at rank 100"] * 2
    )
    assert drawn_words(found.plot("crossing"), "full-scale list:") == []


def test_options_that_a_figure_does_not_have_are_refused_and_others_work() -> None:
    qrels = {"t": {"a": 1, "b": 1}}
    assert last_drawn(cf.plot("crp", qrels, ENDING, n=50, last_rank=90)) == 50
    assert last_drawn(cf.plot("crp", qrels, ENDING, depth=30)) == 30
    assert cf.plot("curves", qrels, ENDING, depth=30).description.startswith(
        "nDCG at every rank, topic t. nDCG at rank 30"
    )
    with pytest.raises(InputError, match="last_rank ends an axis of ranks, as of curves or crp; leaderboard is drawn"):
        cf.plot("leaderboard", qrels, ENDING, last_rank=10)
    with pytest.raises(
        InputError, match="n is the length of lists for figures that walk down them, as crp does; curves"
    ):
        cf.plot("curves", qrels, ENDING, n=10)
    with pytest.raises(InputError, match="leaderboard takes no last_rank; crossing, crp, crp-and-dcg, delta-gain"):
        cf.evaluate(qrels, ENDING, "AP").plot("leaderboard", last_rank=10)


@pytest.mark.parametrize("name", ["crp", "delta-gain"])
def test_nothing_relevant_and_a_single_document(name: str) -> None:
    with pytest.raises(InputError, match="no document is relevant here"):
        cf.trace({"t": {"a": 0}}, {"r": {"t": {"a": 1.0}}}).plot(name)
    figure = cf.trace({"t": {"a": 1}}, {"r": {"t": {"a": 1.0}}}, n=1).plot(name)
    assert figure.to_bytes("svg").startswith(b"<svg")


def test_the_command_takes_topic_and_measure(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("".join(f"t 0 {d} {g}\nu 0 {d} {g}\n" for d, g in QRELS["t"].items()))
    (tmp_path / "B.run").write_text("".join(f"t Q0 {d} 0 {score} B\n" for d, score in B.items()))
    files = [str(tmp_path / "qrels.txt"), str(tmp_path / "B.run")]
    call = ["plot", "crp", *files, "--topic", "t", "-m", "CRP@20", "-o", str(tmp_path / "crp.svg")]
    done = CliRunner().invoke(main, call)
    assert done.exit_code == 0, done.stderr
    assert "N 20 (CRP 3)" in done.stderr
    wrong = CliRunner().invoke(main, [*call, "-m", "AP"])
    assert wrong.exit_code == 2
    assert "the gain measure must be CG or DCG, not AP" in wrong.stderr


def test_the_averages_that_are_drawn_are_those_of_the_trace() -> None:
    found = cf.trace(*TWO_TOPICS, n=20)
    curve = [row["value"] for row in holding(found.plot("crp"), "line", "ideal list") if row["line"] == "run"]
    assert curve == found.means.filter(pl.col("run") == "B")["crp"].to_list()


def test_each_document_stands_on_the_line_of_its_grade() -> None:
    """Of B down to rank 20: RP of the grades 3, 2, 1 and 0 is 0 at ranks 1-3, 4-6, 7-10 and from 11 on."""
    figure = cf.trace(QRELS, {"B": {"t": B}}, n=20).plot("relative-position")
    names: dict[object, str] = {3: "grade 3: ranks 1 to 3", 2: "grade 2: ranks 4 to 6", 1: "grade 1: ranks 7 to 10"}
    names |= {0: "not relevant: from rank 11", None: "not relevant: from rank 11"}
    [documents] = [table for table in tables(figure) if "doc_id" in table[0]]
    [lines] = [table for table in tables(figure) if set(table[0]) == {"kind", "rank", "rp"}]
    at = {(row["kind"], row["rank"]): row["rp"] for row in lines}
    assert [row["rp"] for row in documents] == [0, 0, -4, -7, 0, -1, -4, -3, 3, 0, 5, 0, 10, 4]
    assert all(at[names[row["grade"]], row["rank"]] == row["rp"] for row in documents)
    assert figure.to_bytes("svg").decode().count('aria-roledescription="point"') == len(documents)
    assert (
        "B: of 14 documents 3 too early, 4 right, 4 too late, 3 unjudged, down to rank 20; RP is from -7 to 10"
        in figure.description
    )


def test_the_first_crossing_and_the_steps_back_and_forth() -> None:
    """The sums of B: 4 + 7 + 1 + 4 + 3 back, 3 + 5 + 10 + 4 forward; of the full-scale list 55 and 88."""
    found = cf.trace(QRELS, {"B": {"t": B}}, n=20)
    figure = found.plot("crossing")
    forward, backward = 1 - 22 / 88, 1 - 19 / 55
    space = 2 * forward * backward / (forward + backward)
    written = f"ρ {10 / 13:.3f}, σ+ {forward:.3f}, σ− {backward:.3f}, σ {space:.3f}, τ {(10 / 13 + space) / 2:.3f}"
    assert figure.description.endswith(f"B first crosses at rank 13, R is 10; {written}.")
    steps = [row for row in holding(figure, "kind", "too early") if row["kind"] == "too early"]
    assert sum(row["rp"] for row in steps) == -19  # type: ignore[misc]
    assert [table for table in tables(figure) if any(row.get("mark") == "crossing" for row in table)]
    never = cf.trace(QRELS, {"A": {"t": A}}, n=20).plot("crossing")
    assert "A never crosses, R is 10; ρ 0.000" in never.description


@pytest.mark.parametrize("name", ["relative-position", "crossing"])
def test_of_several_topics_one_is_shown_and_said_to_be(name: str) -> None:
    qrels = {**TWO_TOPICS[0], "none": {"z": 0}, "v": {"a": 1, "b": 1}}
    figure = cf.trace(qrels, TWO_TOPICS[1] | {"C": {"v": {"a": 1.0}}}, n=20).plot(name)
    assert "Topic v is shown, with the median recall base of 4 topics" in str(figure.spec["title"])
    with pytest.raises(InputError, match="no document is relevant here"):
        cf.trace({"t": {"a": 0}}, {"r": {"t": {"a": 1.0}}}).plot(name)


def test_of_averages_over_many_ranks_a_part_is_drawn_and_said_to_be() -> None:
    figure = cf.trace(*TWO_TOPICS, n=600).plot("crp", last_rank=600)
    assert "One rank of 3 is drawn." in str(figure.spec["title"])
    ranks = [row["rank"] for row in holding(figure, "line", "ideal list") if row["line"] == "run"]
    assert ranks == [*range(1, 601, 3), 600]
    assert "ends at rank 600" in figure.description


def test_curves_under_one_cursor_are_of_one_topic() -> None:
    with pytest.raises(InputError, match="crp-and-dcg shows one topic; name it, such as topic t"):
        cf.plot("crp-and-dcg", *TWO_TOPICS)
    found = cf.plot("crp-and-dcg", *TWO_TOPICS, topic="u")
    assert "B ends at rank 1000 with CRP 0" in found.description
