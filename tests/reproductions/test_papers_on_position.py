"""Twist and cumulated relative position, done once more: each statement where it holds, and where it does not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import cranfield as cf
from cranfield.reports.elements import Statement
from cranfield.reproductions import Reproduction, reproduce
from cranfield.reproductions.papers.twist.effort import _parabola, _powers
from cranfield.reproductions.relative_position import by_ranking
from cranfield.reproductions.study import Study

QRELS = {"1": {"a": 1, "b": 1}, "2": {"c": 1}, "3": {"d": 0}}
IDEAL = {"1": ["a", "b"], "2": ["c"]}
EXCELLENT = {"1": ["a", "x", "b"], "2": ["c"]}
"""CRP 0 -1 0: back at 0 at rank 3, so that rank 2, which is R, is the crossing."""
LOST = {"1": ["x", "y"], "2": ["c"]}
"""CRP -2 -3 -3 ...: never back."""


def found(reproduction: Reproduction, claimed: str) -> tuple[str, str]:
    """Return what is found of the claim that begins so, and the verdict."""
    rows = reproduction.claims.filter(pl.col("claim").str.starts_with(claimed))
    [(words, verdict)] = rows.select("found", "verdict").iter_rows()
    return words, verdict


def words_of(reproduction: Reproduction, name: str) -> str:
    [section] = [each for each in reproduction.document.sections if each.name == name]
    return " ".join(sentence for block in section.blocks for sentence in getattr(block, "sentences", ()))


def counts(reproduction: Reproduction, name: str, column: str) -> dict[str, int]:
    """Return a column of a table by what the paper says."""
    [table] = [each for each in reproduction.document.tables() if each.name == name]
    return dict(table.rows.select("the paper", column).iter_rows())


def not_to_be_had(reproduction: Reproduction) -> list[str]:
    """Name the sections that say that they cannot be had."""
    return [
        section.name
        for section in reproduction.document.sections
        if any(
            "Not reproduced here" in sentence
            for block in section.blocks
            for sentence in getattr(block, "sentences", ())
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
    said = "With grades from 1 on merged, {} of 2 rankings are so."
    assert said.format(1) in words_of(reproduce("twist", QRELS, {"run": EXCELLENT}), "figures-3-to-6")
    assert said.format(0) in words_of(reproduce("twist", QRELS, {"run": IDEAL}), "figures-3-to-6")


def test_lists_without_anything_relevant_in_their_first_ranks() -> None:
    late = {"1": ["x", "y", "a", "b"], "2": ["c"]}
    said = words_of(reproduce("twist", QRELS, {"late": late, "lost": LOST}), "figures-1-and-2")
    assert said.endswith("Here 2 of 4 have it, 1 of which are neither.")


def test_what_is_typical_by_hand() -> None:
    typical = {"1": ["x", "a", "y", "b"], "2": ["x", "c"]}  # CRP -2 -2 -2 0, of type A, and -1 0, excellent
    done = reproduce("twist", QRELS, {"typical": typical, "ideal": IDEAL})
    assert "share 25.0%." in found(done, "the vast majority")[0]
    assert "difference 25.0%." in found(done, "the ratio between typical A")[0]
    assert found(done, "the vast majority")[1] == "cannot be told here"


def test_a_parabola_of_drawn_topics_is_that_of_numpy() -> None:
    rng = np.random.default_rng(7)
    topic = np.repeat(list("abcd"), 25)
    x = rng.random(100)
    points = pl.DataFrame({"topic": topic, "Twist": x, "AP": x**2 - x + 0.1 * rng.random(100)})
    counts = np.array([[1.0, 1, 1, 1], [2, 0, 1, 1]])
    bends, left = _parabola(_powers(points, "AP"), counts)
    for at, weights in enumerate(counts):
        rows = pl.concat(
            [points.filter(topic=name) for name, n in zip("abcd", weights, strict=True) for _ in range(int(n))]
        )
        u, v = rows["Twist"].to_numpy(), rows["AP"].to_numpy()
        fitted = np.polyfit(u, v, 2)
        assert bends[at] == pytest.approx(fitted[0])
        assert left[at] == pytest.approx(np.var(v - np.polyval(fitted, u)) / np.var(v))


def test_the_indicators_of_2012_in_their_ranges_and_out_of_them() -> None:
    done = reproduce("cumulated-relative-position", QRELS, {"ideal": IDEAL})
    assert set(counts(done, "equations-6-to-10-ranges", "otherwise").values()) == {0}
    assert set(counts(done, "section-2-2-properties", "rankings").values()) == {2}
    done = reproduce("cumulated-relative-position", QRELS, {"ideal": IDEAL, "lost": LOST})
    outside = counts(done, "equations-6-to-10-ranges", "otherwise")
    assert list(outside.values()) == [1, 0, 0, 0, 1]  # never back; the worst list alone has a minimum ratio of 0
    assert "The value ratio at N is between 0 and 1." in outside


def test_a_curve_that_goes_on_falling_after_its_last_relevant_document() -> None:
    falling = {"1": ["a", "x", "y"]}  # CRP 0 -1 -1 with R = 2
    kept = counts(
        reproduce("cumulated-relative-position", QRELS, {"falling": falling}), "section-2-2-properties", "rankings"
    )
    assert list(kept.values()) == [1, 1, 0, 0]


def test_of_lists_with_grades_the_curve_may_be_above_0_before_r() -> None:
    run, judged = {"1": ["p", "q", "r", "s"]}, {"1": {"p": 1, "q": 1, "r": 2, "s": 1}}
    for rel, kept in ((None, 0), (1, 1)):  # CRP -1 -1 1 1
        done = reproduce("cumulated-relative-position", judged, {"run": run}, rel=rel)
        assert (
            counts(done, "section-2-2-properties", "rankings")["CRP can only be zero or negative before rank R."]
            == kept
        )


def test_lists_that_do_not_recover_tell_nothing_of_the_recovery_value() -> None:
    done = reproduce("cumulated-relative-position", QRELS, {"lost": {"1": ["x"], "2": ["y"]}})
    assert "This needs rankings that recover; 0% of those here do." in found(done, "a high ρ value")[0]


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
    [said] = [
        block.found
        for section in done.document.sections
        for block in section.blocks
        if isinstance(block, Statement) and block.claimed.startswith("AP has τ = .839")
    ]
    names = {"AP": "AP", "Bpref": "Bpref", "RBP": "RBP(p=0.8)", "nDCG": "nDCG(base=10)", "Twist": "Twist"}
    means = cf.evaluate(folder / "qrels.txt", folder / "runs", list(names.values())).averages
    best = sorted(range(means.shape[1]), key=lambda run: -means[0, run])[:12]  # three quarters of 15 runs
    tau = {name: kendalltau(means[at, best], means[0, best]).statistic for at, name in enumerate(names)}
    expected = ", ".join(f"{name} {tau[name]:.2f}" for name in ("Bpref", "RBP", "nDCG"))
    assert said == f"τ_b is: {expected}."


@pytest.mark.slow
def test_counts_on_real_runs_are_those_of_the_scores(data: Path) -> None:
    folder = data / "trec8-adhoc"
    done = reproduce("cumulated-relative-position", folder / "qrels.txt", folder / "runs")
    scores = cf.evaluate(folder / "qrels.txt", folder / "runs", ["RecoveryValue", "BalanceRatio", "CRPN"]).values
    outside = counts(done, "equations-6-to-10-ranges", "otherwise")
    assert outside["The recovery value is above 0."] == (scores[0] == 0).sum()
    assert outside["The balance ratio is between 0 and 1."] == (scores[1] < 0).sum()
    assert outside["The value ratio at N is between 0 and 1."] == (scores[2] > 1).sum()


def test_what_is_unjudged_brings_nothing_in_figure_2() -> None:
    """The words of Figure 2, and the curve that it draws: judged not relevant -1, unjudged 0."""
    reproduction = reproduce("cumulated-relative-position", {"1": {"a": 1, "n": 0}}, {"r": {"1": ["n", "x", "a"]}})
    assert "documents judged not relevant bring -1, unjudged ones nothing." in words_of(reproduction, "figure-2")
    steps = cf.trace({"1": {"a": 1, "n": 0}}, {"r": {"1": ["n", "x", "a"]}}, n=3).steps
    assert steps["gain"].to_list()[:2] == [-1.0, -1.0]


def test_of_nothing_relevant_nothing_is_found() -> None:
    qrels, runs = {t: {"a": 0} for t in "12"}, {run: {t: ["a", "x"] for t in "12"} for run in ("one", "other")}
    for paper in ("twist", "cumulated-gain"):
        found = reproduce(paper, qrels, runs)
        assert found.claims.is_empty()
    assert not_to_be_had(found)[-4:] == ["figure-2", "figures-3-and-4", "table-1", "section-4"]


def test_one_list_is_one() -> None:
    found = reproduce("twist", {"1": {"a": 1, "b": 1}}, {"late": {"1": ["x", "a", "b"]}})
    assert "all rankings of the 1 archetype found satisfy it" in words_of(found, "figures-3-to-6")
    [above] = [
        b for s in found.document.sections if s.name == "figure-11" for b in s.blocks if isinstance(b, Statement)
    ]
    assert above.found == "There is none above the third quartile."
