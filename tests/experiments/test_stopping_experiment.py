"""Learning where to stop: by hand, both ways round, and on real runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cranfield import evaluate, join
from cranfield.experiments.stopping import stopping
from cranfield.experiments.work import Work
from cranfield.plumbing.errors import InputError
from cranfield.stopping.cutting import cut

QRELS = {"1": {"a": 1, "x": 0}, "2": {"b": 1, "y": 0}}
RUN = {"1": {"a": 9.0, "x": 1.0}, "2": {"b": 8.0, "y": 2.0}}


def test_two_topics_by_hand() -> None:
    # One document is best. A score of 9, learned from topic 1, leaves nothing of topic 2; 8, from
    # topic 2, is right. A share of 1, of the range or of the top, and a
    # drop of 0, leave the first document.
    rules = stopping(join(QRELS, {"mine": RUN}), "SetP", folds=2)["rules"]
    assert rules.drop("run", "measure").rows() == [
        ("depth", 1.0, 1 / 2, 1.0, 1.0, 0.0),
        ("score", 8.0, 1 / 2, 1 / 2, 1.0, 1 / 2),
        ("share", 1.0, 1 / 2, 1.0, 1.0, 0.0),
        ("top", 1.0, 1 / 2, 1.0, 1.0, 0.0),
        ("drop", 0.0, 1 / 2, 1.0, 1.0, 0.0),
    ]


def test_the_share_of_the_way_that_was_gone() -> None:
    summary = stopping(join(QRELS, {"mine": RUN, "same": RUN}), "SetP", folds=2)["summary"]
    assert summary["gone"].to_list() == [1, 0, 1, 1, 1]  # from 1/2 to 1
    whole_is_best = stopping(join(QRELS, {"mine": RUN}), "SetR", folds=2)["summary"]
    assert whole_is_best["gone"].to_list() == [None] * 5


def test_where_less_is_better_regret_is_still_what_the_oracle_has_on_the_rule() -> None:
    # The residual of p = 1/2: 1, 1/2, 1/4 for 0, 1, 2 judged documents, so that whole lists are
    # best; where the second is unjudged, 1/4 + 1/4 is no less than 1/2, and one document is best.
    qrels = QRELS | {"3": {"c": 1}, "4": {"d": 1}}
    run = RUN | {"3": {"c": 7.0, "z": 6.5}, "4": {"d": 7.0, "z": 6.9}}
    found = stopping(join(qrels, {"mine": run}), "RBPResidual(p=0.5)", folds=2)
    assert (found["rules"]["regret"] >= 0).all()
    for row in found["rules"].rows(named=True):
        assert row["whole"] == (1 / 4 + 1 / 4 + 1 / 2 + 1 / 2) / 4 == row["oracle"]
        assert row["regret"] == pytest.approx(row["learned"] - row["oracle"])
    worse = stopping(join(qrels, {"mine": run}), "SystemInformation(docs=9)", folds=2)["rules"]
    assert (worse["learned"] >= 0).all()
    less = stopping(join({"1": {"a": 0}, "2": {"a": 0}}, {"r": {"1": {"a": 1.0}, "2": {"a": 1.0}}}),
                    "JointInformation(docs=9)", folds=2)  # fmt: skip
    # Nothing is relevant: an empty list tells nothing, one document -ln(1/9) / 9; all the way to
    # the oracle is gone.
    row = less["summary"].row(0, named=True)
    assert (row["learned"], row["oracle"], row["regret"], row["gone"]) == (0, 0, 0, 1)
    assert row["whole"] == pytest.approx(np.log(9) / 9)


def test_what_is_relevant_is_said_by_the_runs() -> None:
    # Of grade 2 is one document of each topic, the first: as in test_two_topics_by_hand.
    qrels = {"1": {"a": 2, "x": 1}, "2": {"b": 2, "y": 1}}
    rules = stopping(join(qrels, {"mine": RUN}, rel=2), "SetP", folds=2)["rules"]
    assert rules["measure"].unique().to_list() == ["SetP(rel=2)"]
    assert rules.select("whole", "learned", "oracle").rows() == [
        (1 / 2, 1.0, 1.0),
        (1 / 2, 1 / 2, 1.0),
        (1 / 2, 1.0, 1.0),
        (1 / 2, 1.0, 1.0),
        (1 / 2, 1.0, 1.0),
    ]


def test_geometric_means_are_means_of_logarithms() -> None:
    # AP of the whole lists is 1/2 and 1, and no prefix is better. A depth of 1, learned from topic
    # 2, leaves nothing of topic 1, which counts as 0.00001; a depth of 2, learned from topic 1,
    # leaves topic 2 as it is.
    run = {"1": {"x": 2.0, "a": 1.0}, "2": {"b": 2.0, "y": 1.0}}
    runs = join(QRELS, {"mine": run})
    depth = stopping(runs, "gmAP", folds=2)["rules"].row(0, named=True)
    assert depth["whole"] == depth["oracle"] == pytest.approx((1 / 2 * 1) ** 0.5)
    assert depth["whole"] == pytest.approx(runs.scores("gmAP").averages.item())
    assert depth["learned"] == pytest.approx((0.00001 * 1) ** 0.5)
    assert depth["regret"] == pytest.approx((1 / 2) ** 0.5 - 0.00001**0.5)


def test_lists_are_those_that_were_joined() -> None:
    rules = stopping(join(QRELS, {"mine": RUN}, depth=1), "SetP", folds=2)["rules"]
    assert rules["whole"].to_list() == [1] * 5
    with pytest.raises(InputError, match="needs the unjudged documents"):
        stopping(join(QRELS, {"mine": RUN}, judged_only=True), "SetP", folds=2)


def test_a_threshold_that_keeps_nothing_is_null() -> None:
    rules = stopping(join(QRELS, {"mine": RUN}), "FlatUtility(e=2)", folds=2)["rules"]
    assert rules["threshold"].to_list() == [None] * 5
    assert rules["threshold"].dtype == pl.Float64
    assert rules["learned"].to_list() == [0] * 5


def test_topics_that_a_run_lacks_take_no_part() -> None:
    qrels = QRELS | {"3": {"c": 1}, "4": {"d": 1}}
    run = {"9": {"q": 1.0}, "4": {}, **RUN}
    found = stopping(join(qrels, {"mine": run}), "SetP", folds=2)["rules"]
    alone = stopping(join(QRELS, {"mine": RUN}), "SetP", folds=2)["rules"]
    assert found.select("whole", "oracle").equals(alone.select("whole", "oracle"))
    with pytest.raises(InputError, match="number of judged topics, 2, not 5"):
        stopping(join(qrels, {"mine": run}), "SetP")


def study(runs: int = 3) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    rng = np.random.default_rng(2)
    documents = [f"d{i}" for i in range(20)]
    qrels = {str(t): dict(zip(documents, rng.integers(0, 3, 12).tolist(), strict=False)) for t in range(10)}
    found = {
        f"r{r}": {
            str(t): dict(zip(rng.permutation(documents)[:12].tolist(), rng.normal(size=12).tolist(), strict=True))
            for t in rng.permutation(10).tolist()
        }
        for r in range(runs)
    }
    return qrels, found


def test_it_learns_what_cut_learns() -> None:
    qrels, runs = study()
    rules = stopping(join(qrels, runs), "RBPU(p=0.9)", seed=3)["rules"]
    for rule in ("depth", "score", "share", "top", "drop"):
        left = cut(runs, learned="RBPU(p=0.9)", rule=rule, qrels=qrels, seed=3)
        of_rule = rules.filter(pl.col("rule") == rule)
        assert [f"{rule} {t!r}".removesuffix(".0") for t in of_rule["threshold"]] == list(left.how.values())
    best = cut(runs, learned="RBPU(p=0.9)", qrels=qrels, seed=3).how
    for run, how in best.items():
        of_run = rules.filter(pl.col("run") == run)
        assert how.startswith(of_run.row(int(of_run["learned"].arg_max() or 0), named=True)["rule"])
    whole = evaluate(qrels, runs, "RBPU(p=0.9)").averages[0]
    assert rules["whole"].to_list() == pytest.approx(np.repeat(whole, 5).tolist())


def test_interrupted_it_goes_on(tmp_path: Path) -> None:
    runs = join(*study())
    told: list[tuple[int, int]] = []
    whole = stopping(runs, "SetF", work=Work(lambda done, of: told.append((done, of)), tmp_path))
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert stopping(runs, "SetF", work=Work(folder=tmp_path))["summary"].equals(whole["summary"])


@pytest.mark.integration  # it takes seconds
def test_trec8_can_learn_half_the_way(data: Path) -> None:
    runs = join(data / "trec8-adhoc" / "qrels.txt", data / "trec8-adhoc" / "runs")
    summary = stopping(runs, ("SetF", "OIE", "DCGU"))["summary"]
    assert summary["measure"].unique(maintain_order=True).to_list() == ["SetF", "OIE", "DCGU"]
    gone = {(row["measure"], row["rule"]): row["gone"] for row in summary.rows(named=True)}
    for measure in ("SetF", "OIE", "DCGU"):
        assert 0.4 < gone[measure, "depth"] < gone[measure, "share"] < 0.8
        assert gone[measure, "drop"] < gone[measure, "score"]
    assert (summary["regret"] > 0).all()
