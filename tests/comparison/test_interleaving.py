"""Interleaving: credit by its definitions, intervals over users, and whether offline agrees."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from tools.each import each_of

import cranfield as cf
from cranfield.cli import main
from cranfield.plumbing.options import Interleaved
from cranfield.statistics import weighted_means as of_weights
from cranfield.statistics.concordance import half_or_not, mean_of_shares

NAMES = ["impression", "query", "user", "team", "doc", "rank", "clicks"]
Lists = tuple[list[str], list[str]]
LISTS = st.tuples(st.permutations(list("abcde")), st.permutations(list("cdefg")))
Seen = tuple[str, str, Lists, set[str]]
IMPRESSIONS = st.lists(
    st.tuples(st.sampled_from("12"), st.sampled_from("uvw"), LISTS, st.sets(st.sampled_from("abcdefg"))), min_size=1
)


def log_of(seen: Sequence[Seen], runs: tuple[str, str] = ("A", "B"), *, balanced: bool) -> pl.DataFrame:
    rows = []
    for i, (topic, user, lists, clicked) in enumerate(seen):
        taken = set[str]()
        for run, ranking in zip(runs, lists, strict=True):  # by team draft, the first takes what both have
            for rank, document in enumerate(ranking, start=1):
                if balanced or document not in taken:
                    rows.append((f"i{i}", topic, user, run, document, rank, int(document in clicked)))
                taken.add(document)
    return pl.DataFrame(rows, NAMES, orient="row")


def winner(lists: Lists, clicked: set[str], *, balanced: bool) -> int:
    """Who wins by the definition, k being tried one after the other."""
    first, second = lists
    if not balanced:
        return int(np.sign(len(clicked & {*first}) - len(clicked & ({*second} - {*first}))))
    k = next(k for k in range(6) if clicked <= {*first[:k], *second[:k]})
    return int(np.sign(len(clicked & {*first[:k]}) - len(clicked & {*second[:k]})))


@given(IMPRESSIONS, st.booleans())
def test_impressions_are_won_by_the_definition(seen: list[Seen], balanced: bool) -> None:
    method: Interleaved = "balanced" if balanced else "team-draft"
    with_click = [each for each in seen if each[3]]
    if not with_click:
        with pytest.raises(cf.InputError, match="no document is clicked"):
            cf.compare_interleaved(log_of(seen, balanced=balanced), method)
        return
    won = {
        topic: [winner(lists, clicked, balanced=balanced) for of, _, lists, clicked in with_click if of == topic]
        for topic in "12"
    }
    expected = {topic: tuple(of.count(sign) for sign in (1, 0, -1)) for topic, of in won.items() if of}
    found = cf.compare_interleaved(log_of(seen, balanced=balanced), method, by="user")
    assert {topic: tuple(rest) for topic, *rest in found.topics.rows()} == expected
    wins, ties, losses = found.tally
    assert found.difference == pytest.approx((wins + ties / 2) / (wins + ties + losses) - 1 / 2)
    if found.p is not None and found.low is not None and found.high is not None:
        assert (found.low > 0 or found.high < 0) == (found.p < 0.05)
    swapped = cf.compare_interleaved(log_of(seen, ("B", "A"), balanced=balanced), method, by="user")
    assert swapped.tally == (losses, ties, wins)
    assert swapped.difference == pytest.approx(-found.difference)
    if found.low is not None:
        assert [swapped.low, -found.low] == pytest.approx([-(found.high or 0), swapped.high])


def one_by_one(users: Sequence[str], won: Sequence[int]) -> pl.DataFrame:
    """Make a team-draft log in which one document of each impression is clicked, or one of either team."""
    rows = [
        (f"i{i}", "q", user, team, int(sign in (0, side)))
        for i, (user, sign) in enumerate(zip(users, won, strict=True))
        for team, side in (("new", 1), ("old", -1))
    ]
    return pl.DataFrame(rows, ["impression", "query", "user", "team", "clicks"], orient="row")


def test_three_of_three_impressions_decide_nothing() -> None:
    found = cf.compare_interleaved(one_by_one("uvw", [1, 1, 1]), "team-draft")
    assert found.p == pytest.approx(1 - (3 / 5) ** 0.5)  # Student's t of √3 with 2 degrees of freedom
    assert found.opening()[0] == "new leads old by 0.5000 in team-draft interleaving: too close to call."


def test_impressions_of_one_user_are_one_opinion() -> None:
    users, won = [*"u" * 30, *"vwxyz"], [*[1] * 30, 1, -1, 0, -1, -1]
    alone = cf.compare_interleaved(one_by_one(users, won), "team-draft")
    by_user = cf.compare_interleaved(one_by_one(users, won), "team-draft", by="user")
    assert alone.difference == by_user.difference == pytest.approx(31.5 / 35 - 0.5)
    assert (alone.low or 0) > 0 > (by_user.low or 0)
    assert (alone.units, by_user.units) == (35, 6)
    assert "for users like these (95% interval; p = " in by_user.opening()[1]
    assert by_user.opening()[2] == "new wins 31 impressions, ties 1 and loses 3."
    one = cf.compare_interleaved(one_by_one("uu", [1, 1]), "team-draft", by="user")
    assert (one.low, one.high, one.p, one.opening()[1]) == (None, None, None, "One user gives no interval.")


def test_equal_rankers_and_what_is_left_out() -> None:
    log = one_by_one("uvwx", [1, -1, 0, 0])
    idle = pl.DataFrame({name: [value] for name, value in zip(log.columns, ("i9", "q", "u", "old", 0), strict=True)})
    found = cf.compare_interleaved(pl.concat([log, idle]), "team-draft")
    assert found.opening()[0] == "new and old win equally often in team-draft interleaving."
    assert found.notes[1] == "1 of 5 impressions left out: no click"
    assert cf.Interleaving.from_dict(found.to_dict()) == found


@pytest.mark.integration
@pytest.mark.parametrize(("even", "users"), [(0.5, 12), (0.5, 60), (0.62, 12), (0.62, 60)])
def test_intervals_hold_for_other_users(even: float, users: int) -> None:
    random, held = np.random.default_rng(8), []
    for _ in range(250):
        taste = random.beta(4 * even, 4 * (1 - even), users)  # how often each user prefers new: even, on average
        who = np.repeat(np.arange(users), random.geometric(0.2, users))
        won = np.where(random.random(len(who)) < taste[who], 1, -1)
        log = one_by_one(who.astype(str).tolist(), won.tolist())
        found = cf.compare_interleaved(log, "team-draft", by="user")
        assert found.low is not None
        assert found.high is not None
        held.append(found.low <= even - 0.5 <= found.high)
    assert 0.92 <= np.mean(held) <= 0.99, np.mean(held)


def test_weights_are_clusters_of_that_size(monkeypatch: pytest.MonkeyPatch) -> None:
    shares, sizes = np.array([0.2, 0.9, 0.5, 1.0]), np.ones(4)
    assert np.allclose(mean_of_shares(shares, 0.9, sizes, 1 / sizes), mean_of_shares(shares, 0.9))
    assert half_or_not(shares, sizes, 1 / sizes) == pytest.approx(float(half_or_not(shares)))
    random = np.random.default_rng(5)
    many = random.geometric(0.3, 60).astype(float)
    slow = of_weights.weighted_means(random.random((1, 60)), many, 1 / many).freedom
    monkeypatch.setattr(of_weights, "_PAIRWISE", 0)
    assert of_weights.weighted_means(random.random((1, 60)), many, 1 / many).freedom == pytest.approx(slow)


GOOD = {"impression": ["1", "1"], "query": ["q", "q"], "team": ["a", "b"], "doc": ["x", "y"], "clicks": [1, 0]}


@each_of(
    ("changed", "method", "told"),
    [
        ({"team": ["a", "a"]}, "team-draft", r"names 1 ranker \(a\); interleaving compares two"),
        ({"query": ["q", "r"]}, "team-draft", "impression '1' has several topics"),
        ({"doc": ["x", "x"]}, "team-draft", "document 'x' is in both teams"),
        ({"clicks": [0, 0]}, "team-draft", "no document is clicked"),
        ({"team": ["a", None]}, "team-draft", r"row 2 \(topic q, document y\): the run is missing"),
        ({}, "balanced", "no column for rank"),
        ({"rank": [0, 1]}, "balanced", r"row 1 \(topic q, document x\): ranks begin at 1, not 0"),
        ({}, "teamdraft", "method must be"),
        ({"user": ["u", "v"]}, "team-draft", "impression '1' has several users"),
        ({"impression": ["1"] * 3, "query": ["q"] * 3, "team": [*"abb"], "doc": [*"xyz"], "clicks": [1] * 3,
          "rank": [1, 2, 2]}, "balanced", "'b' has two documents at rank 2"),
    ],
)  # fmt: skip
def test_what_cannot_be(changed: dict[str, list[object]], method: Interleaved, told: str) -> None:
    by = "user" if "user" in changed else None
    with pytest.raises(cf.InputError, match=told):
        cf.compare_interleaved(pl.DataFrame(GOOD | changed), method, by=by)


def test_offline_and_online_are_joined_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [
        (f"{topic}-{i}", topic, f"u{i}", team, int(team == better))
        for topic, better in (("1", "new"), ("2", "new"), ("3", "old"))
        for i in range(4)
        for team in ("new", "old")
    ]
    log = pl.DataFrame(rows, ["impression", "query", "user", "team", "clicks"], orient="row")
    log.write_csv("log.csv")
    Path("qrels.txt").write_text("1 0 a 1\n2 0 a 1\n3 0 a 1\n")
    for name, first in (("new", "aab"), ("old", "bba")):  # offline as online
        lists = {str(t): {a: 2.0, "b" if a == "a" else "a": 1.0} for t, a in enumerate(first, start=1)}
        cf.write_run(cf.read_run(lists), f"{name}.run")

    def call(*arguments: str) -> str:
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code == 0, done.stderr
        return done.stdout

    shown = call("clicks", "log.csv", "--interleaved", "team-draft", "--by", "user")
    assert "new leads old by 0.1667 in team-draft interleaving" in shown
    call("clicks", "log.csv", "--interleaved", "team-draft", "--by", "user", "-o", "won.csv")
    asked = ("experiment", "outcome", "qrels.txt", "new.run", "old.run", "--outcomes", "won.csv", "-m", "RR")
    [row] = pl.read_csv(call(*asked, "--format", "csv").encode()).rows(named=True)
    assert (row["concordance"], row["topics"]) == (1.0, 3)
    found = cf.compare_interleaved(log, "team-draft", by="user")
    joined = cf.join("qrels.txt", ["new.run", "old.run"])
    assert cf.experiments.outcome(joined, "RR", outcomes=found.to_polars())["association"]["concordance"][0] == 1.0
    wrong = CliRunner().invoke(main, ["clicks", "log.csv", "--interleaved", "team-draft", "--cuts", "0.1"])
    assert (wrong.exit_code, "leave --cuts out: rankers are compared" in wrong.stderr) == (2, True)
    wrong = CliRunner().invoke(main, ["clicks", "log.csv"])
    assert (wrong.exit_code, "give --cuts, too: they grade documents" in wrong.stderr) == (2, True)


def test_a_column_of_other_units_is_told_by_its_name() -> None:
    """Sessions are no users, and topics are topics; the table begins with the topics that have most impressions."""
    rows = [(n, topic, f"s{n % 3}", run, 1) for n, (topic, run) in enumerate([*zip("aabbb", "xyxxx", strict=True)])]
    rows += [(9, "a", "s0", "y", 0)]
    log = pl.DataFrame(rows, ["impression", "query_id", "session_id", "team", "clicks"], orient="row")
    by_session, by_topic, alone = (
        cf.compare_interleaved(log, "team-draft", by=by) for by in ("session_id", "query_id", None)
    )
    assert by_session.topics["query_id"].to_list() == ["b", "a"]
    assert by_session.caption().endswith("(3 sessions).")
    assert "for sessions like these" in " ".join(by_session.opening())
    assert by_topic.caption().endswith("(2 topics).")
    assert "on topics like these" in " ".join(by_topic.opening())
    assert "for impressions like these" in " ".join(alone.opening())
    for by, several in (("query", "topics"), ("_id", "_ids")):
        renamed = log.rename({"query_id": "query"} if by == "query" else {"session_id": by})
        assert cf.compare_interleaved(renamed, "team-draft", by=by).caption().endswith(f" {several}).")
