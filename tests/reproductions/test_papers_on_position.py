"""Twist and cumulated relative position, done once more: each statement where it holds, and where it does not."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import cranfield as cf
from cranfield.reproductions import Reproduction, reproduce
from cranfield.reproductions.relative_position import by_ranking
from cranfield.reproductions.study import Study

QRELS = {"1": {"a": 1, "b": 1}, "2": {"c": 1}, "3": {"d": 0}}
IDEAL = {"1": ["a", "b"], "2": ["c"]}
EXCELLENT = {"1": ["a", "x", "b"], "2": ["c"]}
"""CRP 0 -1 0: back at 0 at rank 3, so that rank 2, which is R, is the crossing."""
LOST = {"1": ["x", "y"], "2": ["c"]}
"""CRP -2 -3 -3 ...: never back."""


def found(reproduction: Reproduction, claimed: str) -> tuple[str, bool | None]:
    """Return what is found of the statement that begins so, and whether it holds."""
    rows = reproduction.statements.filter(pl.col("claimed").str.starts_with(claimed))
    [(words, holds)] = rows.select("found", "holds").iter_rows()
    return words, holds


def not_to_be_had(reproduction: Reproduction) -> list[str]:
    """Name the sections that say that they cannot be had."""
    return [
        section.name
        for section in reproduction.document.sections
        if any(
            "Not to be had here" in sentence for block in section.blocks for sentence in getattr(block, "sentences", ())
        )
    ]


def test_rankings_beside_their_archetypes() -> None:
    study = Study({"qrels": cf.join(QRELS, {"ideal": IDEAL, "lost": LOST | {"3": ["d"]}})})
    rows = by_ranking(study, ["Twist", "RecoveryValue"])
    assert rows.select("run", "topic", "archetype", "RecoveryValue", "NumRel").rows() == [
        ("ideal", "1", "ideal", 1.0, 2.0),
        ("ideal", "2", "ideal", 1.0, 1.0),
        ("lost", "1", "worst", 0.0, 2.0),
        ("lost", "2", "ideal", 1.0, 1.0),  # topic 3 has no relevant document
    ]


def test_an_excellent_list_of_two_kinds_of_documents() -> None:
    claimed = "Excellent runs cannot happen in the case of binary relevance."
    words, holds = found(reproduce("twist", QRELS, {"run": EXCELLENT}), claimed)
    assert words.startswith("With grades from 1 on taken for one, 1 of 2 rankings are excellent: R - 1")
    assert holds is False
    assert found(reproduce("twist", QRELS, {"run": IDEAL}), claimed)[1] is True


def test_lists_without_anything_relevant_in_their_first_ranks() -> None:
    late = {"1": ["x", "y", "a", "b"], "2": ["c"]}
    claimed = "The worst and the full-scale run are the only ones"
    words, holds = found(reproduce("twist", QRELS, {"late": late, "lost": LOST}), claimed)
    assert words.startswith("2 of 4 rankings have it, 1 of which are neither")
    assert holds is False
    assert found(reproduce("twist", QRELS, {"lost": LOST}), claimed)[1] is True


def test_what_is_typical_by_hand() -> None:
    typical = {"1": ["x", "a", "y", "b"], "2": ["x", "c"]}  # CRP -2 -2 -2 0, of type A, and -1 0, excellent
    done = reproduce("twist", QRELS, {"typical": typical, "ideal": IDEAL})
    assert found(done, "About 95 %")[0] == "25.0 % are."
    assert found(done, "Typical runs of type A")[0] == "25.0 % are of type A, 0.0 % of type B."


def test_the_indicators_of_2012_in_their_ranges_and_out_of_them() -> None:
    done = reproduce("cumulated-relative-position", QRELS, {"ideal": IDEAL})
    for claimed in ("The recovery value", "The balance ratio", "A minimum ratio of 0", "The value ratio", "CRP at N"):
        assert found(done, claimed)[1] is True, claimed
    done = reproduce("cumulated-relative-position", QRELS, {"ideal": IDEAL, "lost": LOST})
    assert found(done, "The recovery value is above 0") == (
        "It is 0 for 1 of 4 rankings, which never come back, and 1 for 0 that are not ideal.",
        False,
    )
    assert found(done, "The value ratio at N") == (
        "It is above 1 for 1 of 4 rankings (25 %), those that end below 0.",
        False,
    )
    assert found(done, "A minimum ratio of 0")[1] is True  # the worst list alone has it


def test_a_curve_that_goes_on_falling_after_its_last_relevant_document() -> None:
    falling = {"1": ["a", "x", "y"]}  # CRP 0 -1 -1 with R = 2
    done = reproduce("cumulated-relative-position", QRELS, {"falling": falling})
    assert found(done, "After the last relevant document")[0] == "So it is for 0 of 1 ranking."
    assert found(done, "CRP at N is the largest") == ("So it is for 0 of 1 ranking.", False)
    assert found(done, "After R the curve is non-decreasing.")[1] is True


def test_of_lists_with_grades_the_curve_may_be_above_0_before_r() -> None:
    run = {"1": ["p", "q", "r", "s"]}
    done = reproduce("cumulated-relative-position", {"1": {"p": 1, "q": 1, "r": 2, "s": 1}}, {"run": run})
    assert found(done, "CRP can only be zero")[1] is False  # CRP -1 -1 1 1
    binary = reproduce("cumulated-relative-position", {"1": {"p": 1, "q": 1, "r": 2, "s": 1}}, {"run": run}, rel=1)
    assert found(binary, "CRP can only be zero")[1] is True


@pytest.mark.parametrize(
    ("name", "lacking"), [("twist", ["future-work"]), ("cumulated-relative-position", ["section-4"])]
)
def test_all_that_the_data_allow_is_there(campaign: Path, tmp_path: Path, name: str, lacking: list[str]) -> None:
    done = reproduce(name, campaign / "qrels.txt", campaign / "runs", folder=tmp_path)
    assert not_to_be_had(done) == lacking
    for section in done.document.sections:
        assert section.blocks, section.name
    if name == "twist":
        alone = cf.experiments.archetypes(cf.join(campaign / "qrels.txt", campaign / "runs"))["shares"]
        assert pl.read_csv(tmp_path / "table-2-archetypes-shares.csv").equals(alone)


@pytest.mark.slow
def test_orders_of_real_runs_beside_scipy(data: Path, tmp_path: Path) -> None:
    """Table 4 once more, from the means that `evaluate` gives."""
    from scipy.stats import kendalltau

    folder = data / "trec8-adhoc"
    done = reproduce("twist", folder / "qrels.txt", folder / "runs", folder=tmp_path)
    names = {"AP": "AP", "Bpref": "Bpref", "RBP": "RBP(p=0.8)", "nDCG": "nDCG(base=10)", "Twist": "Twist"}
    means = cf.evaluate(folder / "qrels.txt", folder / "runs", list(names.values())).averages
    best = sorted(range(means.shape[1]), key=lambda run: -means[0, run])[:12]  # three quarters of 15 runs
    tau = {name: kendalltau(means[at, best], means[-1, best]).statistic for at, name in enumerate(names)}
    expected = ", ".join(f"{name} {tau[name]:.2f}" for name in ("AP", "Bpref", "RBP", "nDCG"))
    assert found(done, "Twist is never very highly correlated") == (f"τ is: {expected}.", True)


@pytest.mark.slow
def test_counts_on_real_runs_are_those_of_the_scores(data: Path) -> None:
    folder = data / "trec8-adhoc"
    done = reproduce("cumulated-relative-position", folder / "qrels.txt", folder / "runs")
    scores = cf.evaluate(folder / "qrels.txt", folder / "runs", ["RecoveryValue", "BalanceRatio", "CRPN"]).values
    never, later, above = ((scores[0] == 0).sum(), (scores[1] < 0).sum(), (scores[2] > 1).sum())
    assert found(done, "The recovery value is above 0")[0].startswith(f"It is 0 for {never} of 750 rankings")
    assert found(done, "The balance ratio")[0].startswith(f"It is below 0 for {later} of 750 rankings")
    assert found(done, "The value ratio at N")[0].startswith(f"It is above 1 for {above} of 750 rankings")
