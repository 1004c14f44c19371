"""The swap method against plain loops, and on runs for which the answer is known."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tools.real_runs import Joined

from cranfield import join
from cranfield.experiments import EXPERIMENTS, Findings
from cranfield.experiments.swap import _power, _rows, count_swaps, draw_topic_sets, swap
from cranfield.experiments.work import Work
from cranfield.plumbing.errors import InputError
from cranfield.scoring.judged_runs import JudgedRuns

TOPICS = [str(topic) for topic in range(1, 7)]


def _ranked(rank: int) -> dict[str, float]:
    """A ranking with the relevant document at a rank, so that RR is 1/rank."""
    return {("relevant" if i == rank else f"x{i}"): 100.0 - i for i in range(1, rank + 1)}


def _runs(**ranks: list[int]) -> JudgedRuns:
    runs = {name: {t: _ranked(r) for t, r in zip(TOPICS, by_topic, strict=True)} for name, by_topic in ranks.items()}
    return join({topic: {"relevant": 1} for topic in TOPICS}, runs)


def _slow_counts(
    values: list[list[float]], drawn: list[list[int]], size: int, width: float, bins: int
) -> list[list[int]]:
    """Figure 1 of Voorhees and Buckley, as it is written there."""
    compared, swapped = [0] * (bins + 1), [0] * (bins + 1)
    for order in drawn:
        for a in range(len(values)):
            for b in range(a + 1, len(values)):
                x, y = (
                    sum(values[a][t] for t in half) / size - sum(values[b][t] for t in half) / size
                    for half in (order[:size], order[size : 2 * size])
                )
                bin_ = 1 + min(int(abs(x) / width + 1e-9), bins - 1) if x else 0
                compared[bin_] += 1
                swapped[bin_] += x * y < 0
    return [compared, swapped]


@pytest.mark.parametrize("size", [1, 3, 4])
def test_counts_equal_those_of_the_plain_loops(size: int) -> None:
    # Eighths, so that no rounding can differ between the two, and many differences are ties or
    # edges of bins.
    values = np.random.default_rng(3).integers(0, 9, (6, 9)) / 8
    drawn = draw_topic_sets(9, 40, 5)
    expected = _slow_counts(values.tolist(), drawn.tolist(), size, 0.125, 4)
    assert count_swaps(values, drawn, size, width=0.125, bins=4).tolist() == expected
    assert sum(expected[1]) > 0


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    values, drawn = np.random.default_rng(4).random((7, 10)), draw_topic_sets(10, 30, 1)
    whole = count_swaps(values, drawn, 5, width=0.01, bins=21)
    monkeypatch.setattr(sys.modules[swap.__module__], "COMPARISONS_AT_ONCE", 50)
    assert (count_swaps(values, drawn, 5, width=0.01, bins=21) == whole).all()


def test_topic_sets_are_disjoint_and_differ() -> None:
    drawn = draw_topic_sets(8, 50, 7)
    assert (np.sort(drawn, axis=1) == np.arange(8)).all()
    assert len({tuple(order) for order in drawn.tolist()}) > 40
    assert (draw_topic_sets(8, 50, 8) != drawn).any()


def test_every_topic_is_as_likely_in_either_set() -> None:
    drawn = draw_topic_sets(5, 20_000, 7)
    for place in range(5):
        assert np.bincount(drawn[:, place], minlength=5) == pytest.approx(4000, rel=0.06)


def test_differences_that_are_equal_on_paper_are_ties_and_never_swap() -> None:
    # The two have the same mean on every set of topics, however the sums are rounded.
    values = np.tile(np.array([0.1, 0.2, 0.3, 0.7, 0.6, 0.9]), (2, 1))
    compared, swapped = count_swaps(values, draw_topic_sets(6, 100, 7), 3, width=0.01, bins=3)
    assert compared.tolist() == [100, 0, 0, 0]
    assert swapped.sum() == 0


def test_a_difference_on_the_edge_belongs_to_the_bin_that_begins_there() -> None:
    values = np.array([[0.29, 0.29], [0.0, 0.0]])  # 0.29 / 0.01 is 28.999999999999996
    compared, _ = count_swaps(values, draw_topic_sets(2, 1, 7), 1, width=0.01, bins=40)
    assert compared[1 + 29] == 1


def test_one_topic_against_the_other() -> None:
    # Sets of one topic: RR differs by 1/2 on each, once in favour of one run, once of the other, so
    # all swaps.
    runs = join(
        {"1": {"relevant": 1}, "2": {"relevant": 1}},
        {"a": {"1": _ranked(1), "2": _ranked(2)}, "b": {"1": _ranked(2), "2": _ranked(1)}},
    )
    found = swap(runs, ["RR"], repetitions=10, width=0.25, bins=3, top=1.0)
    assert found["swaps"].rows() == [
        ("RR", 1, 0.0, 0.0, 0, 0, None),
        ("RR", 1, 0.0, 0.25, 0, 0, None),
        ("RR", 1, 0.25, 0.5, 0, 0, None),
        ("RR", 1, 0.5, None, 10, 10, 1.0),
    ]
    assert found["power"].rows() == [("RR", 1, None, 0.0, None)]


def test_the_difference_needed_begins_the_lowest_bin_that_seldom_swaps() -> None:
    # On any single topic best beats each of the two by 1 - 1/3 or 1 - 1/4; these swap by 1/12 with
    # each other.
    runs = _runs(best=[1] * 6, one=[3, 4] * 3, two=[4, 3] * 3)
    found = swap(runs, ["RR"], sizes=(1,), repetitions=300, width=0.1, bins=9, top=1.0)
    swaps = found["swaps"].filter(pl.col("comparisons") > 0)
    assert swaps["low"].to_list() == [0.0, 0.6, 0.7]
    assert swaps["comparisons"].sum() == 300 * 3
    # X and Y are of different kinds in 3 of 5 draws.
    assert swaps["rate"][0] == pytest.approx(3 / 5, abs=0.1)
    assert swaps["rate"].to_list()[1:] == [0.0, 0.0]
    assert found["power"].rows() == [("RR", 1, 0.6, pytest.approx(2 / 3), 0.0)]
    assert swap(runs, ["RR"], sizes=(1,), accepted=1.0, top=1.0)["power"]["sensitivity"].to_list() == [1.0]


def test_ties_support_no_difference() -> None:
    """By a coarse measure most comparisons tie, and none of them swaps: they say nothing of any difference."""
    # The runs differ by 1/4, 0, -1/8 and 0 on the four topics.
    values, drawn = np.array([[0.25, 0.25, 0.0, 0.0]] * 2), draw_topic_sets(4, 5000, 7)
    values[1] = [0.0, 0.25, 0.125, 0.0]
    table = _rows("M", (1,), count_swaps(values, drawn, 1, width=0.125, bins=3)[None], 0.125)
    ties, less, eighth, quarter = table["rate"].to_list()
    # -1/8 swaps where Y is the topic with 1/4, one of three, and so does 1/4 where Y has -1/8.
    assert (ties, less) == (None, None)
    assert eighth == pytest.approx(1 / 3, abs=0.04)
    assert quarter == pytest.approx(1 / 3, abs=0.04)
    assert _power(table, 0.05, 1).rows() == [("M", 1, None, 0.0, None)]
    (_, _, needed, sensitivity, rate) = _power(table, 0.4, 1).row(0)
    assert (needed, sensitivity) == (0.125, int(table["comparisons"][2:].sum()) / 5000)
    assert rate == int(table["swaps"].sum()) / int(table["comparisons"][2:].sum())


def test_a_coarse_measure_needs_a_difference_that_is_not_nought(joined: Joined) -> None:
    """P@10 on sets of 5 topics: at least every tenth comparison that is no tie swaps."""
    runs = joined("dl19-passage")
    (needed, sensitivity, rate) = swap(runs, ["P@10"], sizes=(5,), bins=61, repetitions=300)["power"].row(0)[2:]
    assert needed > 0.05
    assert sensitivity < 0.9
    assert rate <= 0.05


def _counted(*bins: tuple[int, int]) -> pl.DataFrame:
    """A table of bins a tenth wide, without a tie: comparisons and swaps of each."""
    return _rows("M", (4,), np.array([(0, 0), *bins]).T[None], 0.1)


def test_a_bin_with_few_comparisons_is_judged_with_those_above() -> None:
    # The third bin never swaps; with those above, 1 of 13 does: too often for 5%, and seldom enough
    # for 10%.
    table = _counted((100, 30), (100, 20), (3, 0), (10, 1))
    assert _power(table, 0.05, 1).rows() == [("M", 4, None, 0.0, None)]
    assert _power(table, 0.05, 10).rows() == [("M", 4, None, 0.0, None)]
    assert _power(table, 0.1, 10).rows() == [("M", 4, 0.2, 13 / 213, 1 / 13)]
    # Where all above are too few, they support nothing, however seldom they swap.
    assert _power(_counted((100, 30), (3, 0), (5, 0)), 0.05, 10).rows() == [("M", 4, None, 0.0, None)]
    assert _power(_counted((100, 30), (5, 0), (5, 0)), 0.05, 10).rows() == [("M", 4, 0.1, 10 / 110, 0.0)]
    # A bin without comparisons is nobody's beginning. One that seldom swaps is none either, where all above it do:
    # 6 of 25 comparisons with at least that difference swap.
    assert _power(_counted((100, 30), (0, 0), (40, 0)), 0.05, 10).rows() == [("M", 4, 0.2, 40 / 140, 0.0)]
    assert _power(_counted((100, 30), (20, 1), (5, 5)), 0.05, 10).rows() == [("M", 4, None, 0.0, None)]


def test_each_size_is_judged_by_its_own_comparisons() -> None:
    table = pl.concat(
        [_counted((10, 9), (4, 0)), _counted((10, 9), (20, 0)).with_columns(size=pl.lit(8).cast(pl.Int64))]
    )
    assert _power(table, 0.05, 10)["difference"].to_list() == [None, 0.1]


def test_the_difference_needed_does_not_hang_on_the_seed(joined: Joined) -> None:
    runs = joined("dl19-passage")
    needed = [swap(runs, ["AP"], sizes=(21,), seed=seed)["power"]["difference"].item() for seed in (7, 1, 2, 3, 4)]
    assert max(needed) - min(needed) < 0.011  # with 1,000 repetitions: from .08 to .13


def test_larger_sets_swap_less(joined: Joined) -> None:
    runs = joined("dl19-passage")
    found = swap(runs, ["nDCG@10", "AP"], repetitions=100)
    assert found["power"]["size"].unique().sort().to_list() == [4, 8, 12, 16, 21]
    rates = (
        found["swaps"]
        .group_by("measure", "size", maintain_order=True)
        .agg(rate=pl.col("swaps").sum() / pl.col("comparisons").sum())
    )
    for measure in ("nDCG@10", "AP"):
        rate = rates.filter(measure=measure)["rate"].to_list()
        assert rate == sorted(rate, reverse=True)
    assert found["swaps"].filter(measure="AP", size=4)["comparisons"].sum() == 100 * 28 * 27 / 2
    assert found.notes[0].startswith("excluded: the 9 of 37 runs")


def test_an_interrupted_study_is_taken_up_again(tmp_path: Path) -> None:
    runs = _runs(a=[1, 2, 3, 1, 2, 3], b=[2, 1, 3, 1, 1, 2], c=[3, 3, 1, 2, 2, 1])
    done: list[tuple[int, int]] = []
    first = swap(runs, ["RR", "AP"], repetitions=20, work=Work(lambda i, of: done.append((i, of)), tmp_path))
    assert done == [(1, 2), (2, 2)]
    assert len(list(tmp_path.glob(".swap-*/*.parquet"))) == 2
    again = swap(runs, ["RR", "AP"], repetitions=20, work=Work(folder=tmp_path))
    assert again["swaps"].equals(first["swaps"])
    other = swap(runs, ["RR", "AP"], repetitions=20, seed=8, work=Work(folder=tmp_path))
    assert other.settings["seed"] == 8 and len(list(tmp_path.glob(".swap-*"))) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sizes": (4,)}, "6 topics cannot form two disjoint sets of 4; a size must be from 1 to 3"),
        ({"sizes": (0,)}, "each of the sizes must be at least 1, not 0"),
        ({"repetitions": 0}, "repetitions must be at least 1, not 0"),
        ({"width": 0.0}, "width must be above 0, not 0.0"),
        ({"fewest": 0}, "fewest must be at least 1, not 0"),
        ({"bins": 0}, "bins must be at least 1 and at most 10000, not 0"),
        ({"accepted": 1.5}, "accepted must be at least 0 and at most 1, not 1.5"),
        ({"top": 0.0}, "top must be above 0 and at most 1, not 0.0"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        swap(_runs(a=[1] * 6, b=[2] * 6), ["RR"], **options)


def test_where_no_difference_suffices_people_read_so_and_programs_a_null() -> None:
    runs = _runs(a=[1] * 6, b=[2] * 6)
    found = EXPERIMENTS["swap"](runs, ["RR"], sizes=(1,), repetitions=10, top=1.0)  # too few comparisons to tell
    assert found["power"]["difference"].to_list() == [None]
    assert "RR          1  none suffices       0.0000" in str(found)
    assert "| none suffices |" in found.render("markdown", table="power")
    assert "none" not in str(found.render("csv", table="power")) + str(found.render("json", table="power"))
    enough = EXPERIMENTS["swap"](runs, ["RR"], sizes=(1,), repetitions=10, top=1.0, fewest=1)
    assert "none suffices" not in str(enough) and enough["power"]["difference"].to_list() == [0.2]
    from_file = Findings.from_dict(found.to_dict())
    assert "none suffices" in str(from_file)


def test_one_topic_cannot_be_split() -> None:
    runs = join({"1": {"a": 1}}, {"one": {"1": {"a": 1.0}}, "two": {"1": {"a": 1.0}}})
    with pytest.raises(InputError, match="only one topic"):
        swap(runs, ["RR"])
