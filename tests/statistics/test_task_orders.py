"""Orders by several tasks: the three ways by definition, and rank intervals that hold."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import cranfield as cf
from cranfield.plumbing.arrays import Floats
from cranfield.statistics.rank_intervals import rank_intervals
from cranfield.statistics.ranks import mean_ranks
from cranfield.statistics.task_orders import shares_of_the_spread, task_orders

ENOUGH = 60 * 0.95 - 3 * np.sqrt(60 * 0.95 * 0.05)
"""Of 60 boards, but for three Monte Carlo errors."""
LEVELS = st.tuples(st.integers(2, 6), st.integers(2, 8)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(0, 4).map(float))
)


def test_two_tasks_by_hand() -> None:
    """On the second task systems spread a tenth as much, and the order of the first two is the other way round."""
    mean, standardised, borda = task_orders([[1.0, 0.1], [0.5, 0.2], [0.0, 0.0]])
    assert mean.value.tolist() == pytest.approx([0.55, 0.35, 0.0])
    assert standardised.value.tolist() == pytest.approx([(1 + 0) / 2, (0 + 1) / 2, -1])
    assert borda.value.tolist() == [(2 + 1) / 2, (1 + 2) / 2, 0]
    assert [order.place.tolist() for order in (mean, standardised, borda)] == [[1, 2, 3], [1, 1, 3], [1, 1, 3]]


@given(LEVELS)
def test_a_plain_count_of_pairs_says_the_same(levels: Floats) -> None:
    """The slow twin of Borda: a point for each system below, half a point for each as good."""
    systems, tasks = levels.shape
    points = [
        sum((levels[a, t] > levels[b, t]) + (levels[a, t] == levels[b, t]) / 2 for b in range(systems) if b != a)
        for a in range(systems)
        for t in range(tasks)
    ]
    order = task_orders(levels, resamples=20)[-1]
    assert order.value.tolist() == pytest.approx(np.reshape(points, (systems, tasks)).mean(axis=1).tolist())
    of_mean_ranks = systems - mean_ranks(-levels.T).mean(axis=0)
    assert order.value.tolist() == pytest.approx(of_mean_ranks.tolist())


@given(LEVELS, st.randoms(use_true_random=False))
def test_the_order_of_tasks_changes_nothing_and_that_of_systems_moves_with_them(levels: Floats, random: object) -> None:
    systems, tasks = levels.shape
    by, over = np.random.default_rng(systems).permutation(systems), np.random.default_rng(tasks).permutation(tasks)
    for order, tasks_moved, moved in zip(
        *(task_orders(table, resamples=20) for table in (levels, levels[:, over], levels[by])), strict=True
    ):
        assert order.value.tolist() == pytest.approx(tasks_moved.value.tolist())
        assert order.place.tolist() == tasks_moved.place.tolist()
        assert order.place[by].tolist() == moved.place.tolist()


@given(LEVELS, st.floats(0.1, 10), st.floats(-5, 5))
def test_a_tasks_unit_moves_the_mean_alone(levels: Floats, factor: float, shift: float) -> None:
    """Scores in percent, or from another zero, are the same scores by the standardised mean and by Borda."""
    other = levels.copy()
    other[:, 0] = factor * other[:, 0] + shift
    for one, again in list(zip(task_orders(levels, resamples=20), task_orders(other, resamples=20), strict=True))[1:]:
        assert one.value.tolist() == pytest.approx(again.value.tolist(), abs=1e-6)


def test_systems_that_are_equal_share_all_places() -> None:
    for order in task_orders(np.full((4, 12), 0.5), resamples=50):
        assert order.place.tolist() == [1] * 4
        assert order.other_tasks is not None
        assert (order.other_tasks.best.tolist(), order.other_tasks.worst.tolist()) == ([1] * 4, [4] * 4)


def test_one_task_one_system_and_one_family_have_places_and_no_intervals() -> None:
    one_task = task_orders([[0.3], [0.5]])
    assert [order.place.tolist() for order in one_task] == [[2, 1]] * 3
    one_system = task_orders([[0.3, 0.5, 0.7]])
    assert [order.place.tolist() for order in one_system] == [[1]] * 3
    assert [order.value.item() for order in one_system] == pytest.approx([0.5, 0, 0])
    one_family = task_orders([[0.3, 0.5], [0.5, 0.6]], families=np.array([0, 0]))
    assert [order.other_tasks for order in (*one_task, *one_system, *one_family)] == [None] * 9
    assert [order.other_items for order in (*one_task, *one_system)] == [None] * 6


@pytest.mark.parametrize(
    ("levels", "says"),
    [
        ([0.1, 0.2], r"have the shape \(systems, tasks\), not \(2,\)"),
        ([[0.1, float("nan")], [0.2, 0.3]], "system 0 has no finite level on task 1: leave out"),
    ],
)
def test_what_is_no_board(levels: object, says: str) -> None:
    with pytest.raises(cf.InputError, match=says):
        task_orders(levels)  # type: ignore[arg-type]


@given(LEVELS)
def test_shares_of_the_spread_add_up_to_one(levels: Floats) -> None:
    shares = shares_of_the_spread(levels)
    assert np.isnan(shares).all() or shares.sum() == pytest.approx(1)
    assert np.isnan(shares_of_the_spread(np.ones(levels.shape))).all()


def test_a_family_is_drawn_as_a_whole_and_each_task_counts_once() -> None:
    """Twelve tasks that are there four times each are twelve, not 48."""
    random = np.random.default_rng(3)
    apart = random.normal(size=(2, 12)) + np.array([[0.8], [0.0]])
    families = np.repeat(np.arange(12), 4)
    copied = apart.repeat(4, axis=1)
    once, as_families, as_tasks = (
        task_orders(table, families=of)[0].other_tasks
        for table, of in ((apart, None), (copied, families), (copied, None))
    )
    assert once is not None and as_families is not None and as_tasks is not None
    assert as_families.p.tolist() == pytest.approx(once.p.tolist())
    assert as_tasks.p[0] < once.p[0] / 5


def made(systems: int, tasks: int, spread: float, random: np.random.Generator, families: int = 0) -> Floats:
    """Draw levels on tasks whose scales differ as those of real boards; those of a family share most of their luck."""
    luck = random.normal(size=(systems, tasks))
    if families:
        luck = 0.8 * random.normal(size=(systems, families))[:, np.arange(tasks) % families] + 0.6 * luck
    scale = random.lognormal(0, 0.7, tasks)
    levels: Floats = (np.linspace(0, spread, systems)[:, np.newaxis] + luck) * scale + random.normal(0, 2, tasks)
    return levels


def holds(found: npt.ArrayLike, rank: npt.ArrayLike) -> bool:
    best, worst = np.asarray(found)
    return bool(((best <= rank) & (rank <= worst)).all())


@pytest.mark.parametrize(("spread", "families"), [(0.0, 0), (2.0, 0), (0.0, 15)])
def test_rank_intervals_of_all_three_hold_over_tasks(spread: float, families: int) -> None:
    random, rank = np.random.default_rng(4), np.ones(8) if not spread else np.arange(8, 0, -1)
    held = np.zeros(3)
    for seed in range(60):
        numbers = np.arange(41) % families if families else None
        orders = task_orders(made(8, 41, spread, random, families), families=numbers, resamples=300, seed=seed)
        held += [
            order.other_tasks is not None and holds(np.array([order.other_tasks.best, order.other_tasks.worst]), rank)
            for order in orders
        ]
    assert (held >= ENOUGH).all(), held


def test_taken_for_so_many_tasks_families_are_told_apart_by_chance() -> None:
    random, wrong = np.random.default_rng(4), 0
    for seed in range(60):
        found = rank_intervals(made(8, 41, 0.0, random, families=8), resamples=300, seed=seed)
        wrong += bool(found.above.any())
    assert wrong > 20


def with_items(levels: Floats, items: int, random: np.random.Generator) -> list[Floats]:
    """Draw the items of each task: 0 or 1, as often 1 as the level of the system there says."""
    shape = (levels.shape[0], items)
    return [(random.random(shape) < column[:, np.newaxis]).astype(np.float64) for column in levels.T]


@pytest.mark.parametrize("equal", [True, False])
def test_rank_intervals_hold_over_the_items_of_tasks_that_stay(equal: bool) -> None:
    random = np.random.default_rng(5)
    truth = np.linspace(0.3, 0.7, 6)[np.newaxis].repeat(6, axis=0)
    truth = truth + (0 if equal else np.linspace(-0.1, 0.1, 6)[:, np.newaxis])
    rank, held = np.ones(6) if equal else np.arange(6, 0, -1), np.zeros(2)
    for seed in range(60):
        items = with_items(truth, 60, random)
        levels = np.stack([each.mean(axis=1) for each in items], axis=1)
        orders = task_orders(levels, items=items, resamples=300, seed=seed)
        held += [
            order.other_items is not None and holds(np.array([order.other_items.best, order.other_items.worst]), rank)
            for order in orders[:2]
        ]
    assert (held >= ENOUGH).all(), held


def test_tasks_that_stay_leave_less_open_than_tasks_that_are_drawn() -> None:
    """Three tasks tell nothing of other tasks, and much of themselves."""
    random = np.random.default_rng(6)
    items = with_items(np.array([[0.8, 0.9, 0.7], [0.5, 0.6, 0.5]]), 200, random)
    levels = np.stack([each.mean(axis=1) for each in items], axis=1)
    mean, standardised, borda = task_orders(levels, items=items)
    for order in (mean, standardised):
        assert order.other_tasks is not None and order.other_items is not None
        assert order.other_tasks.worst.tolist() == [2, 2]
        assert order.other_items.worst.tolist() == [1, 2]
    assert borda.other_items is None  # its count jumps where systems are equal, and no draws of items follow it


def test_items_that_cannot_be_drawn_or_hardly_differ_tell_nothing() -> None:
    single = [np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[1.0], [0.0]])]
    assert task_orders([[0.5, 1.0], [0.5, 0.0]], items=single)[0].other_items is None
    alike = [np.tile([[1.0, 0.0]], (2, 15)) for _ in range(2)]
    alike[0][1, 0] = 0.0
    found = task_orders([[0.5, 0.5], [0.4, 0.5]], items=alike)[0].other_items
    assert found is not None
    assert (found.untested.tolist(), found.worst.tolist()) == ([True], [2, 2])


def test_to_draw_items_besides_tasks_would_count_their_luck_twice() -> None:
    """The variance between tasks is that of their levels plus that of their items: of the mean it is right as it is."""
    random, means, said, twice = np.random.default_rng(7), [], [], []
    for _ in range(1500):
        items = random.normal(size=(10, 1)) + random.normal(0, 2, (10, 4))
        levels = items.mean(axis=1)
        means.append(levels.mean())
        said.append(levels.var(ddof=1) / 10)
        twice.append(said[-1] + items.var(axis=1, ddof=1).mean() / 4 / 10)
    assert np.mean(said) == pytest.approx(np.var(means), rel=0.1)
    assert np.mean(twice) > 1.3 * np.var(means)
