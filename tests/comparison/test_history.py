"""What got worse since: by hand, beside loops, by weight, on the command line, and from files of another kind."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import cranfield as cf
from cranfield.cli import main

QRELS = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"a": 1}, "3": {"a": 1}}
BEFORE = {"main": {"1": ["a", "b", "c"], "2": ["a"], "3": ["x", "a"]}}
NOW = {"main": {"1": ["c", "x", "b"], "2": ["x", "a"], "3": ["a"]}}


def test_by_hand() -> None:
    """RR falls from 1 to 1/3 and to 1/2; of topic 1, a (grade 2) is lost, b falls a place, c and x come before it."""
    found = cf.keep(QRELS, NOW, "RR").since(cf.keep(QRELS, BEFORE, "RR"))
    assert found.rows.select("topic", "before", "now", "weight", "moved").rows() == [
        (
            "1",
            1,
            1 / 3,
            1,
            "a (grade 2) 1 → not in the top 100, b (grade 1) 2 → 3, x (unjudged) not in the top 100 → 2",
        ),
        ("2", 1, 1 / 2, 1, "a (grade 1) 1 → 2, x (unjudged) not in the top 100 → 1"),
    ]
    assert found.caption().startswith(
        "2 scores by topic worse than in former findings (1 run by RR, 3 topics), the worst"
    )


def test_weights_come_before_losses_and_a_topic_of_none_does_not_count() -> None:
    now, before = cf.keep(QRELS, NOW, "RR"), cf.keep(QRELS, BEFORE, "RR")
    assert now.since(before, weights={"1": 1, "2": 2, "3": 1}).rows["topic"].to_list() == ["2", "1"]
    assert now.since(before, weights={"1": 0, "2": 2, "3": 1}).rows["topic"].to_list() == ["2"]
    with pytest.raises(cf.InputError, match="no weight"):
        now.since(before, weights={"1": 1})


class Unsearched(tuple[str, ...]):
    """Names that are not looked up one by one, which takes as many steps as there are, for each of them."""

    __slots__ = ()

    def index(self, *of: object) -> int:
        raise AssertionError(of)

    def __contains__(self, one: object) -> bool:
        raise AssertionError(one)


def test_topics_are_looked_up_all_at_once() -> None:
    now, before = (
        replace(kept, topics=Unsearched(kept.topics)) for kept in (cf.keep(QRELS, each, "RR") for each in (NOW, BEFORE))
    )
    assert now.since(before).rows["topic"].to_list() == ["1", "2"]


def test_lower_is_better_and_nothing_worse() -> None:
    now, before = cf.keep(QRELS, NOW, "ASL"), cf.keep(QRELS, BEFORE, "ASL")
    assert before.since(now).rows["topic"].to_list() == ["3"]
    same = now.since(now)
    assert not same.rows.height
    assert same.caption() == "No topic is worse than in former findings (1 run by ASL, 3 topics)."
    assert same.render("markdown") == f"{same.caption()}\n"


lists = st.lists(st.permutations("abxy"), min_size=3, max_size=3)


@given(lists, lists)
def test_beside_loops(one: list[list[str]], other: list[list[str]]) -> None:
    runs = [{"main": dict(zip(QRELS, each, strict=True))} for each in (one, other)]
    values = [cf.evaluate(QRELS, each, ["RR", "AP"]) for each in runs]
    expected = {
        (topic, measure)
        for topic in QRELS
        for measure in ("RR", "AP")
        if values[1].topic(topic)["main", measure] < values[0].topic(topic)["main", measure] - 1e-9
    }
    before, now = (cf.keep(QRELS, each, ["RR", "AP"]) for each in runs)
    found = now.since(before).rows
    assert set(found.select("topic", "measure").rows()) == expected
    assert found["change"].to_list() == sorted(found["change"])


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    kept = cf.keep(QRELS, NOW, ["RR", "AP"], depth=2)
    kept.write(tmp_path / "kept.json")
    again = cf.KeptScores.read(tmp_path / "kept.json")
    assert kept.since(again).rows.height == 0
    assert again.lists == {"main": {"1": ("c", "x"), "2": ("x", "a"), "3": ("a",)}}
    found = cf.keep(QRELS, NOW, "RR").since(again)
    assert found.notes == ("scored differently: depth=2 then, as usual now",)
    others = cf.keep({**QRELS, "4": {"a": 1}}, NOW, "RR", depth=2).since(again)
    assert others.notes == ("1 topic added and 0 removed since then: these are not compared",)


def test_what_is_not_compared_and_what_was_judged_otherwise_is_said() -> None:
    """Of topic 1 document a is no longer relevant, and x is judged now; topic 2 gained a judgment that no list has."""
    before = cf.keep(QRELS, BEFORE, "RR")
    qrels = {**QRELS, "1": QRELS["1"] | {"a": 0}, "2": QRELS["2"] | {"unseen": 1}}
    found = cf.keep(qrels, {"main": BEFORE["main"], "more": BEFORE["main"]}, ["RR", "AP"]).since(before)
    assert found.notes == (
        "1 document of both lists had another grade then, which also changes scores",
        "not compared, since former findings lacks them: more, AP",
    )
    table = cf.keep(QRELS, NOW, "RR").since(before)
    assert str(table.render("markdown")).count(table.caption()) == 1


def test_a_run_that_broke_off_is_no_quiet_reference() -> None:
    """What had two of three topics then can only have become better there, and what has them now only worse."""
    whole, broken = (cf.keep(QRELS, {"main": lists}, "RR") for lists in (BEFORE["main"], {"1": BEFORE["main"]["1"]}))
    assert whole.since(broken).notes == ("main had no documents then on 2 of 3 topics",)
    assert broken.since(whole).notes == ("main has no documents now on 2 of 3 topics",)


def test_a_list_is_kept_to_its_hundredth_document() -> None:
    kept = cf.keep({"1": {"d0": 1}}, {"x": {"1": [f"d{i}" for i in range(300)]}}, "RR")
    assert kept.lists["x"]["1"] == tuple(f"d{i}" for i in range(100))


def test_what_cannot_be_compared(tmp_path: Path) -> None:
    now = cf.keep(QRELS, NOW, "RR")
    for former, said in (
        (cf.keep(QRELS, {"other": BEFORE["main"]}, "RR"), r"has no run of this call \(main\); it has other"),
        (cf.keep(QRELS, BEFORE, "AP"), r"has no measure of this call \(RR\); it has AP"),
        (cf.keep({"9": {"a": 1}}, {"main": {"9": ["a"]}}, "RR"), r"has no topic of this call \(1, 2, 3\); it has 9"),
    ):
        with pytest.raises(cf.InputError, match=said):
            now.since(former)
    assert now.since(cf.keep(QRELS, {"other": BEFORE["main"]}, "RR"), by_place=True).rows.height == 2
    damaged = json.dumps({"kind": "cranfield-kept", "kept": {"@": "KeptScores"}})
    for text, said in (("[1]", "keeps no lists"), ("run,topic", "keeps no lists"), (damaged, "is damaged")):
        (tmp_path / "f.json").write_text(text)
        with pytest.raises(cf.InputError, match=said):
            cf.KeptScores.read(tmp_path / "f.json")
    with pytest.raises(cf.InputError, match=r"none.json: no such file"):
        cf.KeptScores.read(tmp_path / "none.json")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    cf.write_qrels(cf.read_qrels({**QRELS, "4": {"a": 1}}), "qrels.txt")
    for name, lists_of in (("base", BEFORE["main"]), ("old", BEFORE["main"]), ("new", NOW["main"])):
        lines = [f"{t} Q0 {d} {i} {-i} r\n" for t, docs in lists_of.items() for i, d in enumerate(docs, 1)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return tmp_path


def called(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def test_a_gate_keeps_and_says_what_got_worse_since(here: Path) -> None:
    files = ("qrels.txt", "base.run")
    first = called("gate", *files, "old.run", "-m", "RR", "--keep", "last.json")
    assert called("gate", *files, "old.run", "-m", "RR").stdout == first.stdout
    found = called("gate", *files, "new.run", "-m", "RR", "--since", "last.json", "--format", "markdown")
    assert "2 scores by topic worse than in last.json" in found.stdout
    assert "| new | RR      | 1     |" in found.stdout
    called("gate", *files, "new.run", "-m", "RR", "--since", "last.json", "-o", "said.md")
    assert (here / "said.md").read_text() == found.stdout
    same = called("gate", *files, "old.run", "-m", "RR", "--since", "last.json")
    assert same.stdout == first.stdout, "an empty table"
    assert "No topic is worse than in last.json" in same.stderr
    for_programs = called("gate", *files, "new.run", "-m", "RR", "--since", "last.json", "--format", "csv")
    assert "worse than in last.json" in for_programs.stderr
    assert "worse than" not in for_programs.stdout


def test_a_comparison_does_by_names(here: Path) -> None:
    called("compare", "qrels.txt", "base.run", "x=old.run", "-m", "RR", "--keep", "last.json")
    found = called(
        "compare", "qrels.txt", "base.run", "x=new.run", "-m", "RR", "--since", "last.json", "--keep", "n.json"
    )
    assert found.stdout.count("\nx    RR") == 2
    assert (here / "n.json").exists()
    for refused, said in (
        (("--since", "qrels.txt"), "qrels.txt: keeps no lists of documents by topic"),
        (("--since", "last.json", "--keep", "last.json"), "last.json"),
        (("--keep", "base.run"), "base.run"),
    ):
        result = called("compare", "qrels.txt", "base.run", "x=new.run", *refused)
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        assert said in result.stderr
    (here / "scores.csv").write_text("run,topic,measure,value\n")
    assert "with --scores, leave --keep out" in called("compare", "--scores", "scores.csv", "--keep", "k.json").stderr
