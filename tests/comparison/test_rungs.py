"""How a verdict holds: whatever the unjudged documents are, if they resemble judged ones, or of the judged alone."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.cli import main
from cranfield.comparison.gating import Gate
from cranfield.pairs.pair import Pair, resembling
from cranfield.plumbing.errors import InputError
from cranfield.scoring.judged_runs import join
from cranfield.statistics.conclusions import PASSING, UNSETTLED, status_of
from cranfield.testing import UndecidedWarning, assert_not_worse

TOPICS = [str(topic) for topic in range(20)]


def half_open(margin: float) -> Gate:
    """Ten topics on which the unjudged u ends the new list, and ten on which it stands second in it."""
    qrels = {t: {"a": 1, "b": 1, "c": 0} for t in TOPICS}
    base = {t: ["a", "b", "c"] for t in TOPICS}
    new = {t: (["a", "b", "u"] if int(t) % 2 else ["a", "u", "b"]) for t in TOPICS}
    return cf.gate(qrels, {"base": base, "new": new}, "AP", margin=margin, strict_judgments=True)


def test_a_larger_margin_is_never_harsher() -> None:
    order = ["worse", "worse on what was judged: undecided", "undecided", "not worse", "equivalent", "better"]
    severity = [order.index(half_open(margin).verdict.replace("equivalent on", "not worse on")) if
                half_open(margin).verdict in order else 1 for margin in (0.05, 0.08, 0.09, 0.1, 0.2)]  # fmt: skip
    assert severity == sorted(severity)


def judged(base: str, new: str, judgments: dict[str, int], times: int = 30, **options: Any) -> Gate:
    """Compare two lists, given as letters, that are the same on so many topics."""
    topics = [f"q{i}" for i in range(times)]
    runs = [{"base": {t: list(base) for t in topics}}, {"new": {t: list(new) for t in topics}}]
    return cf.gate(dict.fromkeys(topics, judgments), runs, options.pop("measure", "nDCG@10"), **options)


def test_what_was_judged_of_one_run_alone_passes_nothing() -> None:
    """The new run has r, which is relevant, second; the base has two documents that nobody judged."""
    strict = judged("bx", "nr", {"r": 1, "n": 0}, strict_judgments=True)
    assert (strict.verdict, strict.holds) == ("better on what was judged: undecided", "on what was judged")
    assert "reverses if" in strict.rows["why"][0]
    assert "unjudged in the top 10: 0% of new, 100% of base" in strict.rows["why"][0]
    assert set(strict.documents["run"]) == {"base"}


def test_documents_of_both_runs_are_listed() -> None:
    found = judged("bx", "nyr", {"r": 1, "n": 0}, strict_judgments=True)
    assert set(found.documents["run"]) == {"base", "new"}


def shop(*, judging: int) -> tuple[Gate, float]:
    """A shop whose old run's documents were never judged: 40 questions, so many of the listed documents judged.

    The truth: the old run has a relevant product on the first place of three in four questions, the new one, whose
    products were all judged when it was made, of one in two.
    """
    rng = np.random.default_rng(5)
    topics = [f"q{i}" for i in range(40)]
    truth: dict[str, dict[str, int]] = {}
    old, new, qrels = {}, {}, {}
    for topic in topics:
        old[topic], new[topic] = [f"o{i}" for i in range(5)], [f"n{i}" for i in range(5)]
        truth[topic] = {d: int(rng.random() < (0.75 if d == "o0" else 0.3)) for d in old[topic]}
        truth[topic] |= {d: int(rng.random() < (0.5 if d == "n0" else 0.2)) for d in new[topic]}
        qrels[topic] = {d: truth[topic][d] for d in new[topic]}
    runs = {"old": old, "new": new}
    listed = cf.gate(qrels, runs, "nDCG@5", strict_judgments=True).documents
    for topic, document in listed.select("topic", "document").rows()[:judging]:
        qrels[topic][document] = truth[topic][document]
    scores = cf.evaluate(truth, runs, "nDCG@5")
    return cf.gate(qrels, runs, "nDCG@5", strict_judgments=True), scores["new", "nDCG@5"] - scores["old", "nDCG@5"]


@pytest.mark.parametrize("judging", [0, 20, 60, 120, 200])
def test_judging_the_list_in_order_never_passes_the_worse_run(judging: int) -> None:
    found, difference = shop(judging=judging)
    assert difference < -0.05
    assert not found.passes
    if judging == 200:
        assert found.verdict == "worse"
        assert found.holds == "certain"


def test_plausible_where_a_few_documents_are_open() -> None:
    """The new run is ahead on each topic, and each list ends with an unjudged document among many judged ones."""
    strict = judged("nnxu"[0] + "mlr" + "u", "rnml" + "v", dict.fromkeys("nml", 0) | {"r": 1}, strict_judgments=True)
    likely = judged("nmlru", "rnmlv", dict.fromkeys("nml", 0) | {"r": 1})
    assert strict.verdict in {"better", "better on what was judged: undecided"}
    assert likely.verdict == "better"
    assert likely.holds in {"plausible", "certain"}


def open_tail(**options: Any) -> Gate:
    """The base's first document was never judged, though nine in ten like it are not relevant."""
    topics = [f"q{i}" for i in range(40)]
    qrels = {t: {"r": 1} | {f"n{i}": 0 for i in range(9)} for t in topics}
    base = {t: (["u"] if i % 2 else ["n0"]) + ["n1", "n2", "r"] for i, t in enumerate(topics)}
    new = {t: ["n0", "r", "n1", "n2"] for t in topics}
    return cf.gate(qrels, {"base": base, "new": new}, "nDCG@10", **options)


def test_what_resembles_judged_documents_is_said_to_depend_on_it() -> None:
    strict, likely = open_tail(strict_judgments=True), open_tail()
    assert (strict.verdict, likely.verdict) == ("better on what was judged: undecided", "better")
    assert (strict.holds, likely.holds) == ("on what was judged", "plausible")
    assert "if unjudged documents resemble judged ones; not guaranteed" in likely.rows["why"][0]
    assert likely.opening()[0] == (
        "new may replace base: better in nDCG@10, if unjudged documents resemble judged ones; not guaranteed."
    )
    assert likely.passes


def test_turned_round_it_is_plausibly_worse() -> None:
    """What holds of the better run holds of the worse one."""
    topics = [f"q{i}" for i in range(40)]
    qrels = {t: {"r": 1} | {f"n{i}": 0 for i in range(9)} for t in topics}
    base = {t: (["u"] if i % 2 else ["n0"]) + ["n1", "n2", "r"] for i, t in enumerate(topics)}
    new = {t: ["n0", "r", "n1", "n2"] for t in topics}
    found = cf.gate(qrels, {"new": new, "base": base}, "nDCG@10", margin=0)
    assert (found.verdict, found.holds) == ("worse", "plausible")
    assert found.opening()[0] == (
        "base must not replace new: worse in nDCG@10, if unjudged documents resemble judged ones; not guaranteed."
    )


def test_the_seed_draws_the_same_again() -> None:
    joined = join({"1": {"a": 1, "b": 0, "c": 0}}, {"x": {"1": ["a", "u", "b"]}, "y": {"1": ["v", "c"]}}, bounds=True)
    pair = Pair(cf.measures.nDCG(cutoff=3), joined.of_run(0), joined.of_run(1), np.array([0]))
    first, again, other = resembling(pair), resembling(pair), resembling(pair, seed=8)
    assert first is not None
    assert again is not None
    assert other is not None
    assert first.tolist() == again.tolist() != other.tolist()
    turned = resembling(pair.turned())
    assert turned is not None
    assert turned.tolist() == (-first).tolist()


def test_shares_are_those_that_were_judged() -> None:
    """A quarter of 400 judged documents at these ranks is relevant: so is a quarter of what is drawn."""
    topics = [str(t) for t in range(100)]
    qrels = {t: {"a": int(int(t) % 4 == 0), "b": 0} for t in topics}
    runs = {"one": {t: ["a", "b"] for t in topics}, "other": {t: ["u", "b"] for t in topics}}
    joined = join(qrels, runs, bounds=True)
    pair = Pair(cf.measures.P(cutoff=1), joined.of_run(0), joined.of_run(1), np.arange(100))
    found = resembling(pair)
    assert found is not None
    # a is known, so that what varies is u: P@1 of the other is the share of those drawn relevant
    share = np.mean([0.25]) - found.mean()
    assert share == pytest.approx(0.25, abs=0.03)


def test_nothing_is_plausible_where_nothing_was_judged_not_relevant() -> None:
    joined = join({"1": {"a": 1}}, {"x": {"1": ["a", "u"]}, "y": {"1": ["v", "a"]}}, bounds=True, complete=False)
    pair = Pair(cf.measures.P(cutoff=1), joined.of_run(0), joined.of_run(1), np.array([0]))
    assert resembling(pair) is None


# --- by enumeration ---


@st.composite
def collections(draw: st.DrawFn) -> tuple[dict[str, dict[str, int]], dict[str, list[str]], dict[str, list[str]]]:
    """Six or seven topics of three documents, up to two of each unjudged, and two lists of them."""
    qrels, base, new = {}, {}, {}
    for topic in map(str, range(draw(st.integers(6, 7)))):
        documents = ["a", "b", "c"]
        open_ = draw(st.sampled_from([[], [], [], ["a"], ["b"], ["a", "c"]]))
        grades = draw(st.lists(st.sampled_from([0, 0, 1]), min_size=3, max_size=3))
        qrels[topic] = {d: g for d, g in zip(documents, grades, strict=True) if d not in open_} or {"z": 1}
        base[topic] = draw(st.permutations(documents))[: draw(st.integers(1, 3))]
        better = draw(st.booleans())
        new[topic] = sorted(documents, key=lambda d: -qrels[topic].get(d, 0.5)) if better else draw(
            st.permutations(documents))  # fmt: skip
    return qrels, base, new


def no_completion_contradicts(qrels: dict[str, dict[str, int]], runs: dict[str, Any], measure: str) -> str:
    """Judge all open documents in every way, and gate again."""
    found = cf.gate(qrels, runs, measure, margin=0.05, strict_judgments=True, complete=False)
    open_ = [
        (t, d) for t in qrels for d in sorted({d for run in runs.values() for d in run.get(t, [])} - set(qrels[t]))
    ]
    if found.holds != "certain" or len(open_) > 7:
        return found.verdict
    for grades in product((0, 1), repeat=len(open_)):
        judged = {t: dict(judged) for t, judged in qrels.items()}
        for (topic, document), grade in zip(open_, grades, strict=True):
            judged[topic][document] = grade
        if max(grade for topic in judged.values() for grade in topic.values()) < 1:
            continue
        then = cf.gate(judged, runs, measure, margin=0.05, complete=True)
        difference = then.rows["difference"].item()  # grades in between may spread more, and decide less
        least = {"better": 0.0, "equivalent": -0.05, "not worse": -0.05}
        if found.passes:
            assert then.verdict != "worse", (found.verdict, then.verdict, grades)
            assert difference > least[found.verdict] - 1e-9
        else:
            assert then.verdict not in PASSING, (found.verdict, then.verdict, grades)
            assert difference < -0.05 + 1e-9
        if found.verdict == "equivalent":
            assert difference < 0.05 + 1e-9
    return found.verdict


@given(collections(), st.sampled_from(["RR", "P@2", "nDCG@3", "AP"]))
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_completion_contradicts_a_certain_verdict(
    collection: tuple[dict[str, dict[str, int]], dict[str, list[str]], dict[str, list[str]]], measure: str
) -> None:
    qrels, base, new = collection
    no_completion_contradicts(qrels, {"base": base, "new": new}, measure)


@pytest.mark.parametrize(
    "many", [pytest.param(300, marks=pytest.mark.integration), pytest.param(2000, marks=pytest.mark.slow)]
)
def test_no_completion_contradicts_small_collections(many: int) -> None:
    rng = np.random.default_rng(11)
    counts: dict[str, int] = {}
    for _ in range(many):
        topics = [str(t) for t in range(6)]
        qrels, base, new = {}, {}, {}
        good = rng.random() < 0.7
        holes = rng.choice([0, 1, 2, 3, 4])
        for topic in topics:
            grades = dict(zip("abc", map(int, rng.permutation([1, 0, int(rng.random() < 0.3)])), strict=True))
            base[topic] = list(rng.permutation(list("abc")))
            new[topic] = sorted("abc", key=lambda d: -grades[d]) if good else list(rng.permutation(list("abc")))
            if good and rng.random() < 0.9:
                base[topic] = new[topic][::-1]
            qrels[topic] = grades
        for _ in range(holes):
            topic = str(rng.integers(6))
            if len(qrels[topic]) > 1:
                qrels[topic].pop(str(rng.choice(sorted(qrels[topic]))))
        runs = {"base": base, "new": new} if rng.random() < 0.5 else {"new": new, "base": base}
        verdict = no_completion_contradicts(qrels, runs, str(rng.choice(["RR", "P@2", "nDCG@3", "AP"])))
        counts[verdict] = counts.get(verdict, 0) + 1
    assert counts["better"] > many / 20
    assert counts["worse"] > many / 20
    assert sum(counts.get(each, 0) for each in UNSETTLED) > many / 20


# --- complete judgments, and what a workflow tolerates ---


def upside_down() -> tuple[dict[str, list[str]], dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Golden questions, a retriever, the same turned upside down, and one that differs by luck alone."""
    rng = np.random.default_rng(3)
    questions = {f"q{i}": [f"g{i}"] for i in range(40)}
    base, flipped, other = {}, {}, {}
    for i, q in enumerate(questions):
        listed = [f"d{i}-{n}" for n in range(20)]
        place = int(rng.integers(0, 5)) if rng.random() < 0.75 else int(rng.integers(5, 20))
        listed[place] = f"g{i}"
        base[q], flipped[q] = listed, listed[::-1]
        swapped = list(listed)
        if rng.random() < 0.2:
            swapped[4], swapped[5] = swapped[5], swapped[4]
        other[q] = swapped
    return questions, base, flipped, other


@pytest.mark.parametrize("complete", [None, True, False])
def test_a_retriever_turned_upside_down_fails(complete: bool | None) -> None:
    golden, base, flipped, other = upside_down()
    qrels = {q: dict.fromkeys(ids, 1) for q, ids in golden.items()}
    found = cf.gate(qrels, {"base": base, "new": flipped}, "R@5", complete=complete)
    tolerated: Any = ("pass", "fail")
    assert status_of(found.verdict, *tolerated) == 1
    with pytest.raises(AssertionError):
        assert_not_worse(qrels, base, flipped, "R@5", undecided="pass", unjudged="fail", complete=complete)
    if complete is not False:
        assert (found.verdict, found.holds) == ("worse", "certain")
    draw = cf.gate(qrels, {"base": base, "new": other}, "R@5", complete=complete)
    if complete is not False:
        assert status_of(draw.verdict, *tolerated) == 0


def test_relevant_documents_alone_are_complete_and_the_first_line_says_so() -> None:
    qrels, run = {"1": {"a": 1}, "2": {"b": 2}}, {"r": {"1": ["x", "a"], "2": ["b"]}}
    scores = cf.evaluate(qrels, run, "AP", bounds=True)
    assert scores.limits is not None
    assert scores.limits[0].tolist() == scores.limits[1].tolist()
    said = "have no judgment and count as not relevant (the judgments name relevant documents only): complete=False"
    assert said in scores.audit.line()
    joined = cf.join(qrels, run)
    assert cf.evaluate(joined, measures="AP", complete=True)["r", "AP"] == 0.75
    with pytest.raises(InputError, match="join them again"):
        cf.evaluate(joined, measures="AP", complete=False)
    open_ = cf.evaluate(qrels, run, "AP", bounds=True, complete=False)
    assert open_.limits is not None
    assert open_.limits[0].tolist() != open_.limits[1].tolist()
    assert "unjudged" in open_.audit.line()


def test_all_other_judgments_are_incomplete_unless_it_is_said() -> None:
    qrels, run = {"1": {"a": 1, "b": 0}}, {"r": {"1": ["x", "a"]}}
    assert "unjudged" in cf.evaluate(qrels, run, "AP").audit.line()
    told = cf.evaluate(qrels, run, "RBP(p=0.8)", bounds=True, complete=True)
    assert "count as not relevant (complete judgments)" in told.audit.line()
    assert told.limits is not None
    assert told.limits[0].tolist() == told.limits[1].tolist()


def test_complete_and_judged_only_exclude_each_other() -> None:
    with pytest.raises(InputError, match="choose one of the two"):
        cf.evaluate({"1": {"a": 1}}, {"r": {"1": ["a"]}}, "AP", complete=True, judged_only=True)
    scores = cf.evaluate({"1": {"a": 1}}, {"r": {"1": ["x", "a"]}}, "AP", judged_only=True)
    assert scores["r", "AP"] == 1.0


def test_what_becomes_of_an_open_verdict() -> None:
    assert [status_of("undecided", each) for each in ("pass", "warn", "fail")] == [0, 3, 1]
    of_judged = "better on what was judged: undecided"
    assert [status_of(of_judged, "fail", each) for each in ("pass", "warn", "fail")] == [0, 4, 1]
    assert [status_of(each, "fail", "fail") for each in sorted(PASSING)] == [0, 0, 0]
    assert status_of("worse", "pass", "pass") == 1


def test_a_test_warns_of_what_unjudged_documents_could_reverse() -> None:
    topics = [f"q{i}" for i in range(30)]
    qrels = {t: {"r": 1, "n": 0} for t in topics}
    base, new = {t: ["b", "x"] for t in topics}, {t: ["n", "r"] for t in topics}
    with pytest.warns(UndecidedWarning):
        assert_not_worse(qrels, base, new, strict_judgments=True)
    with pytest.raises(AssertionError):
        assert_not_worse(qrels, base, new, strict_judgments=True, unjudged="fail", undecided="pass")
    assert_not_worse(qrels, base, new, strict_judgments=True, unjudged="pass", undecided="fail")


def test_the_largest_fall_is_named_whatever_the_test_says() -> None:
    topics = [str(t) for t in range(60)]
    qrels = {t: {"r": 1, "n": 0} for t in topics}
    base = {t: ["r", "n"] for t in topics}
    new = {t: (["n", "r"] if int(t) < 5 else ["r", "n"]) for t in topics}
    groups = {t: "German" if int(t) < 9 else "English" for t in topics}
    found = cf.gate(qrels, {"base": base, "new": new}, "RR", groups=groups)
    assert "Largest fall: group German, RR -0.2778" in found.caption()
    assert "on 9 topics." in found.caption()
    assert "Largest rise" not in found.caption()


def test_a_run_of_judged_documents_alone_is_named() -> None:
    topics = [str(t) for t in range(10)]
    qrels = {t: {f"j{i}": int(i < 3) for i in range(10)} for t in topics}
    cut = {t: [f"j{i}" for i in range(10)] for t in topics}
    whole = {t: [f"j{i}" for i in range(5)] + [f"u{i}" for i in range(5)] for t in topics}
    audit = cf.evaluate(qrels, {"cut": cut, "whole": whole}, "AP").audit
    said = "50% of the top 10 of whole are unjudged, 0% of cut, whose documents are all judged: it was probably cut"
    assert said in audit.line()


def test_compare_says_how_many_differences_hold() -> None:
    """Two runs are apart by judged documents, and a third from both by an unjudged one on half of the topics."""
    topics = [f"q{i}" for i in range(40)]
    qrels = {t: {"r": 1} | {f"n{i}": 0 for i in range(9)} for t in topics}
    runs = {
        "open": {t: (["u"] if i % 2 else ["n0"]) + ["n1", "n2", "r"] for i, t in enumerate(topics)},
        "good": {t: ["r", "n0", "n1", "n2"] for t in topics},
        "poor": {t: ["n0", "n1", "r", "n2"] for t in topics},
    }
    notes = cf.compare(qrels, runs, "nDCG@10", residuals=True).notes
    [said] = [note for note in notes if "significant difference" in note]
    assert said.startswith("3 significant differences: 2 certain, ")
    of_gate = cf.gate(qrels, {"base": runs["open"], "new": runs["poor"]}, "nDCG@10", margin=0)
    assert of_gate.holds in said
    assert of_gate.holds != "certain"


def test_where_nothing_is_relevant_no_bound_is_printed() -> None:
    qrels = {str(t): {"a": 0, "b": 0} for t in range(12)}
    runs = {"base": {t: ["a", "x"] for t in qrels}, "new": {t: ["y", "b"] for t in qrels}}
    found = cf.gate(qrels, runs, "nDCG@10")
    assert found.rows.select("least", "most").row(0) == (None, None)
    assert found.holds != "certain"


def test_settings_say_what_is_not_said_on_the_command_line(tmp_path: Path) -> None:
    golden, base, flipped, _ = upside_down()
    (tmp_path / "golden.json").write_text(json.dumps(golden))
    for name, run in (("main", base), ("branch", flipped)):
        cf.write_run(cf.read_run(run), tmp_path / f"{name}.run")
    (tmp_path / "gate.toml").write_text('measure = "R@5"\ncomplete = false\non-unjudged = "fail"\nmargin = "2%"\n')

    def status(*options: str, settings: str = "gate.toml") -> int:
        files = (str(tmp_path / name) for name in ("golden.json", "main.run", "branch.run"))
        return CliRunner().invoke(main, ["gate", "--settings", str(tmp_path / settings), *files, *options]).exit_code

    assert [status(), status("--on-unjudged", "warn"), status("--on-unjudged", "pass")] == [1, 4, 0]
    (tmp_path / "wrong.toml").write_text('on-unjuged = "fail"\n')
    assert status(settings="wrong.toml") == 2
    assert status("-o", str(tmp_path / "gate.toml")) == 2
