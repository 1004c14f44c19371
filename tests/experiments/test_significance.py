"""Several tests of the same differences, beside `compare` and by hand."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from tools.real_runs import Joined

from cranfield import compare, join
from cranfield.cli import main
from cranfield.experiments import EXPERIMENTS
from cranfield.experiments.significance import significance
from cranfield.plumbing.errors import InputError
from cranfield.scoring.judged_runs import JudgedRuns
from cranfield.statistics.effect_size import relative_difference, sizes_of

MEANS = st.floats(0, 1)


def at_ranks(**ranks: tuple[int, ...]) -> JudgedRuns:
    """Runs with the one relevant document of each topic at these ranks, so that RR is 1 / rank."""
    topics = range(len(next(iter(ranks.values()))))
    runs = {
        run: {str(t): {("a" if r == at[t] else f"x{r}"): -float(r) for r in range(1, 11)} for t in topics}
        for run, at in ranks.items()
    }
    return join({str(t): {"a": 1} for t in topics}, runs)


def test_means_and_ranks_contradict_each_other() -> None:
    """One wins nine topics of ten by a hair, and loses the tenth by far: ranks see what means do not."""
    runs = at_ranks(steady=(9,) * 9 + (10,), lucky=(10,) * 9 + (1,))
    [row] = significance(runs, "RR", tests=("t", "sign"), alpha=0.05)["differences"].rows(named=True)
    assert (row["mean_a"], row["mean_b"]) == (pytest.approx((9 / 9 + 1 / 10) / 10), pytest.approx((9 / 10 + 1) / 10))
    assert row["relative"] == pytest.approx(0.19 / 0.11 - 1)
    assert (row["size"], row["significant"]) == ("material", "sign")
    assert row["sign"] == pytest.approx(2 * (1 + 10) / 2**10)


def test_a_run_that_did_not_run_is_left_out_and_named() -> None:
    runs = {"good": {str(t): ["a"] for t in range(8)}, "late": {str(t): ["x", "a"] for t in range(8)}}
    half = {str(t): ["a"] for t in range(4)}
    found = EXPERIMENTS["significance"](join({t: {"a": 1} for t in runs["good"]}, runs | {"half": half}), ["RR"])
    assert found["differences"].select("run_a", "run_b").rows() == [("good", "late")]
    assert found.notes == ("left out, as they did not run: half (no scores on 4 of 8 topics)",)
    nearly = half | {"4": ["a"]}
    found = EXPERIMENTS["significance"](join({t: {"a": 1} for t in runs["good"]}, runs | {"most": nearly}), ["RR"])
    assert found["differences"].height == 3


def test_agreement_counts_the_pairs() -> None:
    runs = at_ranks(steady=(9,) * 9 + (10,), lucky=(10,) * 9 + (1,), best=(1,) * 10)
    found = significance(runs, "RR", tests=("t", "sign"), alpha=0.05)
    assert found["agreement"].rows() == [
        ("RR", "marginal", 0, 0, 0, 0, 0),
        ("RR", "noticeable", 0, 0, 0, 0, 0),
        ("RR", "material", 3, 2, 0, 2, 3),
    ]
    assert found["omnibus"].height == 0


def test_every_test_is_that_of_compare(joined: Joined) -> None:
    runs = joined("trec8-adhoc")
    found = significance(runs, ("AP", "nDCG@10"), tests=("anova", "friedman", "t"), alpha=0.01)
    for test in ("anova", "friedman", "t"):
        alone = compare(runs, measures=("AP", "nDCG@10"), test=test, alpha=0.01).to_polars()
        assert found["differences"][test].to_list() == alone["p_adjusted"].to_list()
        by_test = found["differences"]["significant"].str.split(", ").list.contains(test)
        assert by_test.to_list() == alone["significant"].to_list()
    assert found["omnibus"].select("measure", "test").rows() == [
        (measure, test) for test in ("anova", "friedman") for measure in ("AP", "nDCG@10")
    ]
    counts = found["agreement"]
    assert counts["pairs"].sum() == 2 * len(list(combinations(range(15), 2)))


def test_no_significant_difference_is_marginal(joined: Joined) -> None:
    """Two kinds of significance, which Järvelin and Kekäläinen ask for side by side."""
    found = significance(joined("trec8-adhoc"))["agreement"]
    assert found.filter(size="marginal").select("anova", "friedman").sum().row(0) == (0, 0)
    material = found.filter(size="material")
    assert (material["none"] > 0).all()
    assert (material["anova"] != material["friedman"]).all()


def test_what_is_no_test_is_refused() -> None:
    with pytest.raises(InputError, match="there is no test 'z'"):
        significance(at_ranks(a=(1, 2), b=(2, 1)), "RR", tests=("z",))


def test_names_of_tests_may_be_aliases_and_are_taken_once() -> None:
    found = significance(at_ranks(a=(1, 2, 3), b=(2, 3, 4)), "RR", tests=("t", "ttest"))
    assert found["differences"].columns[-2:] == ["significant", "t"]


def test_the_command(data: Path) -> None:
    folder = data / "trec8-adhoc"
    runs = [f"{folder}/runs/{name}.gz" for name in ("orcl99man", "GE8ATDN1", "mds08a2")]
    said = CliRunner().invoke(main, ["experiment", "significance", f"{folder}/qrels.txt", *runs, "-m", "AP"])
    assert said.exit_code == 0
    assert "anova, friedman" in said.output
    assert "material" in said.output


@given(MEANS, MEANS)
def test_a_relative_difference_does_not_depend_on_who_is_first(a: float, b: float) -> None:
    one, other = relative_difference([a, b], [b, a])
    assert one == other >= 0
    if min(a, b) > 1e-9:
        assert max(a, b) == pytest.approx(min(a, b) * (1 + one))


def test_sizes_at_their_limits() -> None:
    """0.21 is 5 per cent more than 0.2 and 0.22 10 per cent, whatever floating point says."""
    baseline = np.array([0.2, 0.2, 0.2, 0.2, 0.0, 0.0, -0.1])
    better = np.array([0.2099, 0.21, 0.22, 0.2201, 0.0, 0.1, 0.1])
    sizes = sizes_of(relative_difference(better, baseline))
    assert sizes == ["marginal", "noticeable", "noticeable", "material", "marginal", "material", None]
