"""Which runs take part, on runs whose AP one can see."""

from __future__ import annotations

import pytest

from cranfield import join
from cranfield.experiments.best_runs import best_runs, left_out
from cranfield.plumbing.errors import InputError
from cranfield.scoring.judged_runs import JudgedRuns


def _runs(*ranks: int) -> JudgedRuns:
    """Runs r0, r1, ... with the one relevant document at a rank each: AP is 1/rank."""
    lists = [{("a" if i == rank else f"x{i}"): 100.0 - i for i in range(1, rank + 1)} for rank in ranks]
    return join({"1": {"a": 1}}, {f"r{i}": {"1": ranking} for i, ranking in enumerate(lists)})


@pytest.mark.parametrize(
    ("share", "kept"),
    [(1.0, "111111"), (0.75, "110111"), (5 / 6, "110111"), (0.5, "010011"), (1 / 3, "010001"), (0.2, "010001")],
)
def test_the_best_are_kept_and_the_count_is_rounded_up(share: float, kept: str) -> None:
    assert "".join(str(int(k)) for k in best_runs(_runs(5, 1, 6, 4, 3, 2), share)) == kept


def test_of_equals_those_given_first_are_kept() -> None:
    assert best_runs(_runs(2, 2, 1, 2), 0.75).tolist() == [True, True, True, False]


def test_a_share_that_is_not_quite_binary_keeps_no_run_too_many() -> None:
    assert 0.55 * 100 > 55
    assert best_runs(_runs(*range(1, 101)), 0.55).sum() == 55


@pytest.mark.parametrize("share", [0.0, -0.5, 1.01, float("nan")])
def test_a_share_out_of_its_range_is_refused(share: float) -> None:
    with pytest.raises(InputError, match="must be above 0 and at most 1"):
        best_runs(_runs(1, 2), share)


@pytest.mark.parametrize(("ranks", "share"), [((1,), 1.0), ((1, 2, 3), 0.3)])
def test_one_run_is_no_pair(ranks: tuple[int, ...], share: float) -> None:
    with pytest.raises(InputError, match="fewer than two"):
        best_runs(_runs(*ranks), share)


def test_the_note_names_those_left_out() -> None:
    runs = _runs(1, 3, 2, 4)
    assert left_out(runs, best_runs(runs, 1.0)) == ()
    (note,) = left_out(runs, best_runs(runs, 0.5))
    assert note == "excluded: the 2 of 4 runs with the lowest mean AP, r1, r3"
