"""Clicks become grades by a rule that a child could follow, and users are drawn with all that they did."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import assume, given
from hypothesis import strategies as st
from tools.each import each_of

import cranfield as cf
from cranfield.cli import main
from cranfield.selection.clicks import _counted

CHANCES = {1: 1.0, 2: 0.5, 3: 0.25}
ROWS = st.lists(
    st.tuples(
        st.sampled_from("12"),
        st.sampled_from("abc"),
        st.integers(0, 3),
        st.integers(0, 5),
        st.sampled_from([1, 2, 3]),
        st.sampled_from("uvw"),
    ),
    min_size=1,
    max_size=25,
)
Row = tuple[str, str, int, int, int, str]


def log_of(rows: list[Row]) -> pl.DataFrame:
    table = pl.DataFrame(rows, ["query", "document", "clicks", "impressions", "position", "user"], orient="row")
    return table.with_columns(impressions=pl.col("clicks") + pl.col("impressions"))


def by_hand(rows: list[Row], cuts: list[float], least: float) -> dict[tuple[str, str], int]:
    """Add up as one would on paper."""
    clicks: dict[tuple[str, str], float] = defaultdict(float)
    examined: dict[tuple[str, str], float] = defaultdict(float)
    for topic, document, clicked, more, rank, _ in rows:
        clicks[topic, document] += clicked
        examined[topic, document] += (clicked + more) * CHANCES[rank]
    return {pair: sum(clicks[pair] / seen >= cut for cut in cuts) for pair, seen in examined.items() if seen >= least}


def grades(table: pl.DataFrame) -> dict[tuple[str, str], int]:
    return {
        (topic, document): grade for topic, document, grade in table.select("query_id", "doc_id", "relevance").rows()
    }


@given(ROWS, st.sampled_from([[0.25], [0.25, 0.5, 1.0]]), st.sampled_from([0.25, 2.0]))
def test_it_is_what_one_adds_up_on_paper(rows: list[Row], cuts: list[float], least: float) -> None:
    expected = by_hand(rows, cuts, least)
    if not expected:
        with pytest.raises(cf.InputError, match="no document was examined"):
            cf.judge_clicks(log_of(rows), cuts, propensities=CHANCES, least=least)
        return
    found = cf.judge_clicks(log_of(rows), cuts, propensities=CHANCES, least=least)
    assert grades(found.to_polars()) == expected
    twice = pl.concat([log_of(rows[::-1])] * 2)
    assert grades(cf.judge_clicks(twice, cuts, propensities=CHANCES, least=2 * least).to_polars()) == expected


@given(ROWS, st.lists(st.integers(0, 2), min_size=3, max_size=3))
def test_a_user_drawn_twice_is_a_log_that_has_him_twice(rows: list[Row], times: list[int]) -> None:
    log = log_of(rows)
    assume(by_hand(rows, [], 0.25))
    counted = _counted(log, [0.25, 0.5], None, CHANCES, 0.25, "user")
    users = log["user"].unique(maintain_order=True).to_list()
    again = [row for user, n in zip(users, times, strict=False) for row in rows * n if row[-1] == user]
    # Whoever is drawn, the same documents are judged: by whoever met them, or as before.
    judged = by_hand(rows, [0.25, 0.5], 0.25)
    expected = {pair: by_hand(again, [0.25, 0.5], 1e-9).get(pair, grade) for pair, grade in judged.items()}
    kept, drawn = counted.pairs.filter(counted.kept), np.array(times[: counted.clusters], float)
    pairs = zip(kept["query_id"], kept["doc_id"], strict=True)
    found = {pair: grade for pair, grade in zip(pairs, counted.grades(drawn), strict=True) if not np.isnan(grade)}
    assert found == expected


def test_the_position_that_a_document_was_shown_at_does_not_matter() -> None:
    """Clicks by the position-based model: the rate finds what attracts, and the plain share of clicks does not."""
    random = np.random.default_rng(5)
    attraction = {"good at rank 5": (5, 0.6), "poor at rank 1": (1, 0.2)}
    rows = [
        ("1", document, int(random.binomial(20_000, attracts / rank)), 20_000, rank)
        for document, (rank, attracts) in attraction.items()
    ]
    log = pl.DataFrame(rows, ["qid", "docno", "clicks", "impressions", "rank"], orient="row")
    rates = cf.judge_clicks(log, [0.5], exponent=1).to_polars()
    assert rates["rate"].to_list() == pytest.approx([0.6, 0.2], abs=0.02)
    assert rates["relevance"].to_list() == [1, 0]
    plain = cf.judge_clicks(log, [0.15], exponent=0).to_polars()
    assert plain["relevance"].to_list() == [0, 1]


def test_frames_and_files_say_the_same(tmp_path: Path) -> None:
    log = log_of([("1", "a", 3, 9, 1, "u"), ("1", "b", 1, 19, 2, "v"), ("2", "a", 1, 11, 1, "u")])
    log.write_csv(tmp_path / "log.csv")
    log.write_parquet(tmp_path / "log.parquet")
    (tmp_path / "by-rank.csv").write_text("rank,propensity\n1,1\n2,0.5\n")
    expected = cf.judge_clicks(log, [0.1, 0.2], exponent=1)
    assert expected.to_polars().rows() == [
        ("1", "a", 3, 12, 0.25, 2),
        ("1", "b", 1, 10, 0.1, 1),
        ("2", "a", 1, 12, 1 / 12, 0),
    ]
    for source in (tmp_path / "log.csv", str(tmp_path / "log.parquet"), pd.DataFrame(log.to_dict(as_series=False))):
        assert cf.judge_clicks(source, [0.1, 0.2], propensities=tmp_path / "by-rank.csv") == expected


def test_intervals_are_of_users() -> None:
    """One user's many searches are one opinion: the interval spans what he and the other would say alone."""
    rows = [
        ("1", document, clicks, 10, user)
        for user, likes in (("u", "a"), ("v", "b"))
        for document in "ab"
        for clicks in [9 if document == likes else 0]
        for _ in range(50)
    ]
    log = pl.DataFrame(rows, ["qid", "docno", "clicks", "shown", "user"], orient="row")
    runs = {"a first": {"1": ["a", "b"]}, "b first": {"1": ["b", "a"]}}
    found = cf.click_intervals(log, runs, [0.6], "RR", by="user", resamples=200).to_polars()
    # RR of "a first" is 1 where more draws are u than v, and else 1/2, or as seen, where each is drawn once, 1/2.
    low, high = found.select("low", "high").row(0)
    assert low == 0  # where RR ends
    assert high > 0.4
    alone = cf.click_intervals(log.with_row_index("row"), runs, [0.3], "RR", by="row", resamples=200).to_polars()
    assert alone.select("low", "high").rows() == [(1, 1), (1, 1)]
    again = cf.click_intervals(log, runs, [0.6], "RR", by="user", resamples=200)
    assert again.to_polars().equals(found)


def shallow(
    seed: int, users: int = 150
) -> tuple[pl.DataFrame, dict[str, dict[str, list[str]]], dict[str, dict[str, int]]]:
    """Twelve topics, of which users saw the old ranking: log, runs, and what is true of each document."""
    random = np.random.default_rng(seed)
    good = random.random((12, 10)) < 0.35
    old, new = (np.argsort(-(good + random.normal(0, noise, good.shape))) for noise in (2.0, 1.2))
    topics, readily = random.integers(0, 12, (users, 3)), 2 * random.random(users)
    seen = np.where(good, 0.6, 0.1)[topics[:, :, None], old[topics]]
    clicked = random.random(seen.shape) < readily[:, None, None] * seen / np.arange(1, 11)
    user, search, place = np.indices(seen.shape).reshape(3, -1)
    log = pl.DataFrame({"user": user, "rank": place + 1, "clicks": clicked.ravel().astype(int)}).with_columns(
        query=pl.Series([f"q{t}" for t in topics[user, search]]),
        document=pl.Series([f"d{d}" for d in old[topics[user, search], place]]),
    )
    runs = {name: {f"q{t}": [f"d{d}" for d in ranking[t]] for t in range(12)}
            for name, ranking in (("old", old), ("new", new))}  # fmt: skip
    return log, runs, {f"q{t}": {f"d{d}": int(good[t, d]) for d in range(10)} for t in range(12)}


def test_a_mean_is_within_its_own_interval_and_that_within_what_the_unjudged_could_make_of_it() -> None:
    """By quantiles a mean lay outside: documents that many draws leave unjudged cost it more than it had lost."""
    log, runs, _ = shallow(4)
    for row in cf.click_intervals(log, runs, [0.3], by="user", exponent=1, resamples=60).to_polars().rows(named=True):
        for of in ("", "difference_"):
            if row["difference"] is None and of:
                continue
            value = row["difference" if of else "mean"]
            assert row[f"{of}least"] <= row[f"{of}low"] <= value <= row[f"{of}high"] <= row[f"{of}most"]


def test_intervals_say_how_many_documents_are_unjudged() -> None:
    log, runs, _ = shallow(4)
    found = cf.click_intervals(log, runs, [0.3], by="user", exponent=1, resamples=20)
    left = cf.judge_clicks(log, [0.3], exponent=1).to_polars().height
    assert found.caption().endswith(
        "Least to most: whatever grades from 0 to the largest the unjudged documents in these runs have "
        f"({120 - left} of them). Both stay within the measure's range."
    )


LOG = {"qid": ["1", "1"], "docno": ["a", "b"], "clicks": [4, 1], "impressions": [40, 20], "rank": [1, 2]}


@each_of(
    ("changed", "asked", "told"),
    [
        ({}, {}, "the log has ranks: give their examination probabilities"),
        ({}, {"exponent": 1, "propensities": {1: 1.0}}, "exponent or propensities, not both"),
        ({}, {"exponent": -1}, "exponent must be at least 0"),
        ({}, {"propensities": {1: 1.0}}, "no propensity is given for rank 2"),
        ({}, {"propensities": {1: 1.0, 2: 0.0}}, "the propensity of rank 2 must be above 0"),
        ({}, {"exponent": 1, "cuts": [0.5, 0.1]}, "increasing rates, not 0.5, 0.1"),
        ({}, {"exponent": 1, "cuts": []}, "cuts must be"),
        ({}, {"exponent": 1, "least": 100}, "at most 40"),
        ({"rank": [0, 1]}, {"exponent": 1}, r"row 1 \(topic 1, document a\): ranks begin at 1, not 0"),
        ({"clicks": [4, -1]}, {"exponent": 1}, r"row 2 \(topic 1, document b\): the number of clicks cannot be -1"),
        (
            {"clicks": ["4", "many"]},
            {"exponent": 1},
            r"row 2 \(topic 1, document b\): the number of clicks 'many' is not a number",
        ),
        ({"clicks": [4, 21]}, {"exponent": 1}, "row 2: 21 clicks of 20 impressions"),
        ({"docno": ["a", None]}, {"exponent": 1}, r"row 2 \(topic 1\): the doc_id is missing"),
        ({"rank": None}, {"exponent": 1}, "no column rank"),
        ({"clicks": None}, {"exponent": 1}, "no column for clicks"),
    ],
)
def test_what_cannot_be(changed: dict[str, list[object] | None], asked: dict[str, object], told: str) -> None:
    log = pl.DataFrame({name: cells for name, cells in (LOG | changed).items() if cells is not None})
    with pytest.raises(cf.InputError, match=told):
        cf.judge_clicks(log, **{"cuts": [0.1], **asked})  # type: ignore[arg-type]


def test_whose_clicks_belong_together_must_be_there() -> None:
    with pytest.raises(cf.InputError, match="no column 'user'; columns found: qid"):
        cf.click_intervals(pl.DataFrame(LOG), {"r": {"1": ["a"]}}, [0.1], by="user", exponent=1)
    with pytest.raises(cf.InputError, match="2 clusters at least, not 1"):
        cf.click_intervals(
            pl.DataFrame(LOG).with_columns(user=pl.lit("u")), {"r": {"1": ["a"]}}, [0.1], by="user", exponent=1
        )


def test_from_a_log_to_a_decision_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    log_of([(t, d, c, 9, 1, u) for t in "12" for d, c in (("a", 1), ("b", 3)) for u in "uvw"]).write_csv("log.csv")
    for name, first, second in (("old", "a", "b"), ("new", "b", "a")):
        cf.write_run(cf.read_run({t: {first: 2.0, second: 1.0} for t in "12"}), f"{name}.run")

    def call(*arguments: str) -> str:
        done = CliRunner().invoke(main, ["clicks", "log.csv", "--cuts", "0.2", "--exponent", "1", *arguments])
        assert done.exit_code == 0, done.stderr
        return done.stdout

    assert call("--qrels-to", "qrels.txt", "--format", "csv").splitlines()[1] == "1,a,3.0,30.0,0.1,0"
    assert Path("qrels.txt").read_text() == "1 0 a 0\n1 0 b 1\n2 0 a 0\n2 0 b 1\n"
    table = call("old.run", "new.run", "--by", "user", "-m", "RR", "--format", "csv").splitlines()
    assert table[1:] == [
        "RR,new,1.0,1.0,1.0,1.0,1.0,0.5,0.5,0.5,0.5,0.5",
        "RR,old,0.5,0.5,0.5,0.5,0.5,,,,,",
    ]
    wrong = CliRunner().invoke(main, ["clicks", "log.csv", "old.run", "--cuts", "0.2", "--exponent", "1"])
    assert (wrong.exit_code, "with RUNS, give --by, too: clicks of one user" in wrong.stderr) == (2, True)


def test_topics_that_leave_the_means_are_named() -> None:
    """Nobody saw a document of topic 2 ten times: it is in no mean, and both doors say so."""
    rows = {"qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "clicks": [9, 1, 1], "shown": [20, 20, 2]}
    log = pl.DataFrame(rows | {"user": ["u", "v", "v"]})
    said = "1 of 2 topics of the log has no document that was examined 10 times, and is left out (2)"
    assert said in cf.judge_clicks(log, [0.1]).remarks()
    found = cf.click_intervals(log, {"r": {"1": ["a"], "2": ["a"]}}, [0.1], "RR", by="user", resamples=5)
    assert said in found.remarks()
    assert found.caption().startswith("Means over 1 topic, ")
    assert not any("left out" in note for note in cf.judge_clicks(log, [0.1], least=1).remarks())


def test_topics_that_leave_the_means_are_named_in_order() -> None:
    topics = [f"{n:03}" for n in range(200)]
    log = pl.DataFrame({"qid": [*topics, "a"], "docno": "d", "clicks": 1, "shown": [*[2] * 200, 20]})
    *_, said = cf.judge_clicks(log, [0.01]).remarks()
    assert said.endswith("and are left out (000, 001, 002, 003, 004 and 195 more)")
