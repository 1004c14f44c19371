"""A judge's leaderboard beside people's: by hand, from labels and from scores alike, and what one of the two lacks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

import cranfield as cf
from cranfield.cli import main
from cranfield.experiments.assessors import assessors
from cranfield.experiments.findings import Findings
from cranfield.experiments.judge_tables import told_apart
from cranfield.plumbing.errors import InputError

# a, b and c on four topics; c, 系统c by its whole name, was made with the judge.
PEOPLE = {"a": [9, 8, 9, 8], "b": [5, 6, 5, 6], "系统c": [1, 2, 1, 2]}
JUDGE = {"a": [9, 8, 9, 8], "b": [5, 6, 5, 6], "系统c": [7, 9, 7, 9]}

LEVEL = {run: [5, 5, 5, 5] for run in PEOPLE}


def written(path: Path, scores: dict[str, list[int]], *, measure: str = "mine", first: int = 1) -> Path:
    lines = [f"{run} {measure} {topic} {value}" for run, of in scores.items() for topic, value in enumerate(of, first)]
    path.write_text("\n".join(lines) + "\n")
    return path


def beside(folder: Path, people: Any = PEOPLE, judge: Any = JUDGE, **options: Any) -> Findings:
    files = written(folder / "people.tot", people), written(folder / "gpt.tot", judge)
    return assessors(scores=files[0], assessors=(files[1],), **{"best": 2} | options)


def test_orders_by_hand(tmp_path: Path) -> None:
    found = beside(tmp_path, circular=("系统c",))
    orders = found["orders"]
    # People: a b c; the judge, by means 8.5, 5.5 and 8: a c b.
    assert orders.filter(among="all").select("statistic", "value", "runs", "topics").rows() == [
        ("tau_b", pytest.approx(1 / 3), 3, 4), ("tau_ap", pytest.approx(2 / 2 * (1 + 1 / 2) - 1), 3, 4),
        ("spearman", pytest.approx(1 - 6 * 2 / 24), 3, 4), ("top", 0.5, 3, 4),
    ]  # fmt: skip
    others = orders.filter(among="others").select("value", "low", "high", "runs").rows()
    assert others == [*[(1.0, 1.0, 1.0, 2)] * 3, (None, None, None, 2)]  # the best two are all
    assert orders["runs_low"].null_count() == orders.height
    assert "gpt: no intervals over runs: they need at least 12 runs" in found.notes
    # On topics 1 and 3 the judge's order is a c b, on 2 and 4 c a b.
    by_topic = found["orders_by_topic"]
    assert by_topic["tau_b"].to_list() == pytest.approx([1 / 3, -1 / 3, 1 / 3, -1 / 3])
    assert by_topic["top"].to_list() == [0.5] * 4


def test_pairs_by_hand(tmp_path: Path) -> None:
    found = beside(tmp_path)["pairs"].row(0, named=True)
    # a - c by the judge is 2 -1 2 -1, not significant; c - b is 2 3 2 3 and was -4 each.
    assert {name: found[name] for name in ("significant", "kept", "lost", "reversed", "other_way", "added")} == {
        "significant": 3, "kept": 1, "lost": 1, "reversed": 1, "other_way": 1, "added": 0,
    }  # fmt: skip
    assert [found[f"share_{name}"] for name in ("kept", "lost", "reversed")] == pytest.approx([1 / 3] * 3)
    turned = beside(tmp_path, JUDGE, PEOPLE)["pairs"].row(0, named=True)
    assert (turned["significant"], turned["kept"], turned["reversed"], turned["added"]) == (2, 1, 1, 1)


def test_significant_pairs_are_those_of_scipy() -> None:
    values = np.random.default_rng(3).random((6, 12)) + np.arange(6)[:, None] / 8
    first, second = np.triu_indices(6, 1)
    tests = stats.ttest_rel(values[first], values[second], axis=1)
    found = told_apart(values)
    assert found is not None
    assert found.tolist() == np.where(tests.pvalue < 0.05, np.sign(tests.statistic), 0).tolist()


def test_what_a_circular_run_gains_by_hand(tmp_path: Path) -> None:
    found = beside(tmp_path, circular=("系统c",))
    row = found["circular"].row(0, named=True)
    assert (row["run"], row["by_assessor"], row["by_qrels"]) == ("系统c", 8.0, 1.5)
    assert (row["place_by_assessor"], row["place_by_qrels"], row["places_gained"]) == (2, 3, 1)
    low, high = stats.t.interval(0.95, 3, loc=6.5, scale=stats.sem([6, 7, 6, 7]))
    assert [row["favour"], row["favour_low"], row["favour_high"]] == pytest.approx([6.5, low, high])
    assert 0 <= row["places_low"] <= 1 <= row["places_high"] <= 2
    assert found["leaderboards"].select("run", "circular").rows() == [("a", False), ("b", False), ("系统c", True)]


def test_equal_leaderboards_and_one_that_ties_all(tmp_path: Path) -> None:
    same = beside(tmp_path, PEOPLE, PEOPLE)
    assert same["orders"].select("value", "low", "high").rows() == [(1.0, 1.0, 1.0)] * 4
    assert same["pairs"].select("kept", "lost", "reversed", "added").row(0) == (3, 0, 0, 0)
    level = beside(tmp_path, PEOPLE, LEVEL)
    assert level["orders"]["value"].null_count() == 4
    assert level["pairs"].select("kept", "lost", "reversed").row(0) == (0, 3, 0)
    nobody = beside(tmp_path, LEVEL, PEOPLE)["pairs"]
    assert nobody.select("significant", "share_kept", "added").row(0) == (0, None, 3)


def test_one_topic_has_neither_intervals_nor_pairs(tmp_path: Path) -> None:
    found = beside(tmp_path, {run: of[:1] for run, of in PEOPLE.items()}, {run: of[:1] for run, of in JUDGE.items()})
    assert found["orders"].select("topics", "low", "runs_low").rows() == [(1, None, None)] * 4
    assert found["pairs"].select("significant", "kept", "added").row(0) == (None, None, None)


def test_what_one_of_the_two_lacks_is_left_out_and_named(tmp_path: Path) -> None:
    judge = {**JUDGE, "b": JUDGE["b"][:3], "d": [1, 1, 1, 1]}
    people = {**PEOPLE, "e": [3, 3, 3, 3]}
    found = beside(tmp_path, people, judge)
    assert found["leaderboards"]["run"].to_list() == ["a", "b", "系统c"]
    assert "gpt: 1 run missing from gpt, left out: e" in found.notes
    assert "gpt: 1 run missing from people's scores, left out: d" in found.notes
    assert "gpt: missing topics counted 0: b (4)" in found.notes
    written(tmp_path / "later.tot", JUDGE, first=2)
    found = assessors(scores=tmp_path / "people.tot", assessors=(tmp_path / "later.tot",), best=2)
    assert "later: 2 topics not in both, left out: 1 and 5" in found.notes
    assert found["orders"]["topics"].unique().to_list() == [3]


def test_a_ranking_alone_has_no_intervals_over_topics(tmp_path: Path) -> None:
    written(tmp_path / "people.tot", PEOPLE)
    (tmp_path / "gpt.txt").write_text("".join(f"all Q0 {run} 0 {of[1]} mine\n" for run, of in JUDGE.items()))
    found = assessors(scores=tmp_path / "people.tot", assessors=(tmp_path / "gpt.txt",), circular=("系统c",), best=2)
    assert "gpt: one leaderboard has averages only: no intervals over topics, and no numbers by topic" in found.notes
    assert found["orders"].filter(among="all").select("topics", "value", "low").row(0) == (0, -1 / 3, None)
    assert found["orders_by_topic"].height == 0
    pairs = found["pairs"].row(0, named=True)
    assert (pairs["significant"], pairs["other_way"], pairs["kept"], pairs["added"]) == (3, 2, None, None)
    row = found["circular"].row(0, named=True)
    assert (row["favour"], row["favour_low"], row["places_gained"], row["places_low"]) == (7.5, None, 2, None)


def test_measures_are_matched_by_name_or_are_the_only_ones(tmp_path: Path) -> None:
    files = written(tmp_path / "people.tot", PEOPLE), written(tmp_path / "gpt.tot", JUDGE, measure="grade")
    found = assessors(scores=files[0], assessors=(files[1],), best=2)
    assert found["orders"]["measure"].unique().to_list() == ["mine"]
    assert "gpt: its grade is compared with mine" in found.notes
    with files[0].open("a") as file:
        file.write("a other 1 1\nb other 1 2\n")
    with pytest.raises(InputError, match="no measure in common with gpt: mine, other here, grade there"):
        assessors(scores=files[0], assessors=(files[1],))


def test_measures_of_other_names_are_matched_in_pairs(tmp_path: Path) -> None:
    people, judge = tmp_path / "people.tot", tmp_path / "gpt.tot"
    both = [*written(people, PEOPLE, measure="grades").read_text().splitlines()]
    people.write_text("\n".join([*both, *(line.replace("grades", "votes") for line in both)]) + "\n")
    written(judge, JUDGE, measure="nuggets")
    alike = [line.replace("nuggets", "style") for line in written(tmp_path / "x.tot", PEOPLE, measure="nuggets")
             .read_text().splitlines()]  # fmt: skip
    judge.write_text(judge.read_text() + "\n".join(alike) + "\n")
    with pytest.raises(InputError, match=r"say which is which: matched=\('grades=nuggets',\)"):
        assessors(scores=people, assessors=(judge,))
    pairs = ("grades=nuggets", "grades=style", "votes=nuggets")
    found = assessors(scores=people, assessors=(judge,), matched=pairs, best=2)
    of = {pair: found["orders"].filter(measure=pair, statistic="tau_b")["value"][0] for pair in pairs}
    assert of == {"grades=nuggets": pytest.approx(1 / 3), "grades=style": 1.0, "votes=nuggets": pytest.approx(1 / 3)}
    assert found["pairs"]["measure"].to_list() == list(pairs)
    for wrong, said in (
        (("grades",), "pairs PEOPLE=JUDGE"),
        (("grades=mine",), "no measure 'mine'; the measures are nuggets"),
    ):
        with pytest.raises(cf.CranfieldError, match=said):
            assessors(scores=people, assessors=(judge,), matched=wrong)
    with pytest.raises(InputError, match="leave measures out"):
        assessors(scores=people, assessors=(judge,), measures="grades", matched=pairs)
    mine = assessors(scores=people, assessors=(people,), measures="votes")  # a measure that is none of ours
    assert mine["orders"]["measure"].unique().to_list() == ["votes"]


def test_runs_and_qrels_give_the_same_as_their_scores(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    qrels = {f"q{t}": {f"d{n}": int(random.integers(3)) for n in range(12)} for t in range(6)}
    labels = {
        t: {d: int(random.integers(3)) if random.random() < 0.3 else g for d, g in of.items()}
        for t, of in qrels.items()
    }
    runs = {
        f"r{n}": {t: sorted(of, key=lambda d: (random.random() * 3 - of[d], d))[:8] for t, of in qrels.items()}
        for n in range(13)
    }
    (tmp_path / "gpt.txt").write_text("".join(f"{t} 0 {d} {g}\n" for t, of in labels.items() for d, g in of.items()))
    for name, judged in (("people", qrels), ("judge", labels)):
        cf.evaluate(judged, runs, "nDCG@5").to_polars(per_topic=True).write_csv(tmp_path / f"{name}.csv")
    known = assessors(cf.join(qrels, runs), "nDCG@5", assessors=(tmp_path / "gpt.txt",), circular=("r3",), best=3)
    scores = assessors(scores=tmp_path / "people.csv", assessors=(tmp_path / "judge.csv",), circular=("r3",), best=3)
    for table in ("orders", "orders_by_topic", "pairs"):
        one, other = (found[table].drop("assessor") for found in (known, scores))
        assert one.columns == other.columns
        for column in one.columns:
            values = one[column].to_list()
            assert other[column].to_list() == (pytest.approx(values) if one[column].dtype.is_float() else values)
    assert known["orders"]["runs_low"].null_count() == 0
    named = known["circular"].filter(run="r3").drop("assessor", "place_by_assessor", "place_by_qrels")
    assert named.select("favour", "favour_low", "places_gained").row(0) == pytest.approx(
        scores["circular"].select("favour", "favour_low", "places_gained").row(0)
    )
    assert known["circular"]["run"].to_list() == ["(sorted by labels)", "r3"]


def test_mistakes_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="circular names 'd', which is no run; the runs are a, b"):
        beside(tmp_path, circular=("d",))
    with pytest.raises(InputError, match=r"takes joined runs, .*, or people's leaderboard as scores="):
        assessors(assessors=(tmp_path / "gpt.tot",))
    joined = cf.join({"1": {"d": 1}}, {"r": {"1": ["d"]}})
    with pytest.raises(InputError, match="not both"):
        assessors(joined, scores=tmp_path / "people.tot", assessors=(tmp_path / "gpt.tot",))
    with pytest.raises(InputError, match="circular names 'x', which is no run"):
        assessors(joined, "P@1", assessors=(tmp_path / "gpt.tot",), circular=("x",))
    with pytest.raises(InputError, match="two runs in common are needed to compare orders; gpt shares 1"):
        beside(tmp_path, {"a": [1, 2]})


def test_the_command_takes_scores_instead_of_qrels_and_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "people.tot", PEOPLE), written(tmp_path / "gpt.tot", JUDGE)

    def call(*arguments: str) -> str:
        result = CliRunner().invoke(main, ["experiment", "assessors", "--assessors", "gpt.tot", *arguments])
        return result.stdout if result.exit_code == 0 else result.stderr

    printed = call("--scores", "people.tot", "--best", "2", "--circular", "系统c")
    assert printed.splitlines()[0] == "assessors: orders"
    assert "measures AP" not in printed
    assert "reversed" in call("--scores", "people.tot", "--table", "pairs")
    assert "with --scores, leave --rel out" in call("--scores", "people.tot", "--rel", "2")
    assert "with --scores, leave --kinds out" in call("--scores", "people.tot", "--kinds", "people.tot")
    assert "missing argument 'QRELS', or --scores instead" in call()
