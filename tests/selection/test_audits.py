"""The audit: its draws, what they say of the rest, and that they say it at any time, whoever chose what was judged."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from benchmarks.audits import BOUNDS, LEVEL, ORDERS, PREVALENCES, Campaign, upper_end, wrong_about_left
from hypothesis import given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.formats import read_qrels
from cranfield.plumbing.errors import InputError
from cranfield.selection import Candidates, Judging
from cranfield.selection.audited_scores import AuditedScores
from cranfield.selection.judgment_audit import NEVER, RandomAudit, audits_needed
from cranfield.selection.state import weighted_measure
from cranfield.selection.stop_rules import BudgetSpent, FewRelevantLeft, LeaderAbove, LeaderKnown, rule_named
from cranfield.selection.topic_audit import TopicDraws, most_relevant

ROWS = tuple(f"| {prevalence:g} | " for prevalence in PREVALENCES)
PAGE = Path(__file__).parents[2] / "docs" / "studies" / "sampled-judgments.md"
SMALL = Candidates.gather({"x": {"1": dict.fromkeys("abcdef", 1.0)}, "y": {"1": dict.fromkeys("defghi", 1.0)}})


def one_list(of: int = 20, **settings: object) -> Judging:
    """A run of some documents."""
    return Judging({"x": {"1": {f"d{i:03}": -float(i) for i in range(of)}}}, **settings)  # type: ignore[arg-type]


@st.composite
def audits(draw: st.DrawFn) -> RandomAudit:
    """Documents judged in some order, some of them skipped, some at the start, and some not at all."""
    size = draw(st.integers(1, 14))
    kind = draw(st.lists(st.sampled_from(["given", "judged", "skipped", "open"]), min_size=size, max_size=size))
    time = np.full(size, NEVER)
    happened = [i for i, each in enumerate(kind) if each in {"judged", "skipped"}]
    time[draw(st.permutations(happened))] = np.arange(1, len(happened) + 1)
    time[[each == "given" for each in kind]] = 0
    grade = np.array(draw(st.lists(st.sampled_from([0.0, 1.0]), min_size=size, max_size=size)))
    grade[[each in {"skipped", "open"} for each in kind]] = np.nan
    order = np.array(draw(st.permutations(range(size))))[: draw(st.integers(1, size))]
    return RandomAudit(order, draw(st.integers(1, 4)), time, grade)


@settings(max_examples=40)
@given(audits())
def test_draws_are_those_of_the_definition(audit: RandomAudit) -> None:
    """One moment after the other: which documents are in hands, which are known, and which come in."""
    graded = {i for i, grade in enumerate(audit.grade) if not np.isnan(grade)}
    came: list[tuple[int, int]] = []
    rest = audit.order.tolist()
    for moment in range(len(audit.time) + 1):
        while rest and sum(audit.time[i] > moment for i, _ in came) < audit.ahead:
            document = rest.pop(0)
            if not (document in graded and 0 < audit.time[document] <= moment):
                came.append((document, moment))
    drawn = {i for i, _ in came}
    wholly = next((at for at, (i, _) in enumerate(came) if audit.time[i] == NEVER), len(came))
    draws = zip(audit.draws.place.tolist(), audit.draws.when.tolist(), strict=True)
    assert list(draws) == came[:wholly]
    for at, (_, moment) in enumerate(came[:wholly]):
        before = [i for i, _ in came[:at]]
        chosen = [i for i in set(audit.order.tolist()) & graded - drawn if 0 < audit.time[i] <= moment]
        assert audit.draws.known[at] == len(before) + len(chosen)
        assert audit.draws.hits[at] == sum(not audit.grade[i] <= 0 for i in before + chosen)  # skipped ones count


@settings(max_examples=40)
@given(audits(), st.sampled_from([0.01, 0.2, 0.6]))
def test_the_bound_is_the_largest_number_that_no_draw_ruled_out(audit: RandomAudit, level: float) -> None:
    """The martingale from its definition, for each possible number of relevant documents."""
    draws, population = audit.draws, audit.draws.population
    skipped = sum(np.isnan(audit.grade[i]) for i in draws.place)
    possible = []
    for total in range(draws.found + skipped, population - (draws.judged - draws.found) + 1):
        wealth, most = {d: 1.0 for d in (1, 2, 4, 8) if d <= population}, 0.0
        for known, found, relevant in zip(draws.known, draws.hits, draws.relevant, strict=True):
            left = population - known
            for d in wealth:
                p, q = (max(k - found, 0) / left for k in (total, total - d))
                wealth[d] *= q / p if relevant else (1 - q) / (1 - p)
            most = max(most, sum(wealth.values()) / len(wealth))
        if most < 1 / level:
            possible.append(total)
    assert draws.most_left(level) == max(possible, default=draws.found + skipped) - draws.found


@pytest.mark.parametrize(("documents", "drawn", "step"), [(200, 100, 5), (200, 100, 2), (300, 150, 2), (400, 200, 4)])
def test_of_one_topic_the_bound_is_that_of_plain_loops(documents: int, drawn: int, step: int) -> None:
    """The product of e^(-s x) / (1 - (1 - e^-s) p) over all draws: its mean over six s is below 20, and then not."""
    relevant = [int(i % step == 0) for i in range(drawn)]
    before = [sum(relevant[:i]) for i in range(drawn)]

    def product(hidden: int, s: float) -> float:
        p = [(hidden + sum(relevant) - before[i]) / (documents - i) for i in range(drawn)]
        return math.prod(
            math.exp(-s * x) / (1 - (1 - math.exp(-s)) * each) for x, each in zip(relevant, p, strict=True)
        )

    left = tuple(range(documents, documents - drawn, -1))
    bound = most_relevant([TopicDraws(left, tuple(before), tuple(relevant), sum(relevant), documents - drawn)])
    at, beyond = (
        np.mean([product(hidden, s) for s in (0.25, 0.5, 1.0, 2.0, 4.0, 16.0)]) for hidden in (bound, bound + 1)
    )
    assert at < 20 <= beyond


# --- Somebody who knows all grades chooses what is judged, and when to look. Over all orders a fair game stays fair.


def hits_first(campaign: Campaign, most: int) -> None:
    """Judge relevant documents of the window first; after a hit choose others, and stop at a miss that follows one."""
    hit = False
    while campaign.window and campaign.judged < most:
        place = max(campaign.window, key=lambda each: campaign.truth[each])
        if hit and not campaign.truth[place]:
            return
        hit = campaign.truth[place] > 0
        campaign.judge(place)
        outside = [i for i in range(len(campaign.truth)) if campaign.time[i] == NEVER and i not in campaign.window]
        if hit and outside:
            campaign.judge(min(outside, key=lambda each: campaign.truth[each]))


def misses_first(campaign: Campaign, most: int) -> None:
    """The other way round; and it goes on."""
    while campaign.window and campaign.judged < most:
        campaign.judge(min(campaign.window, key=lambda each: campaign.truth[each]))
        outside = [i for i in range(len(campaign.truth)) if campaign.time[i] == NEVER and i not in campaign.window]
        if len(outside) > 2:
            campaign.judge(max(outside, key=lambda each: campaign.truth[each]))


class Given:
    """In place of a random generator: one order."""

    def __init__(self, order: tuple[int, ...]) -> None:
        self.order = np.array(order)

    def permutation(self, _: int) -> np.ndarray:
        return self.order


def mean_over_orders(
    truth: list[float], ahead: int, play: Callable[[Campaign, int], None], last: Callable[[RandomAudit], float]
) -> float:
    """Return the mean over all orders of what a campaign ends with, once all that was handed out is judged."""
    found = []
    for order in permutations(range(len(truth))):
        campaign = Campaign(Given(order), np.array(truth), ahead)  # type: ignore[arg-type]
        play(campaign, 2)
        for place in [*campaign.window]:
            campaign.judge(place)
        found.append(last(campaign.audit()))
    return float(np.mean(found))


def likelihood(total: int) -> Callable[[RandomAudit], float]:
    """The martingale of the bound after the last draw."""

    def last(audit: RandomAudit) -> float:
        found = np.exp(audit.draws.against(total))
        return float(found[-1]) if len(found) else 1.0

    return last


PLAYS = [(play, ahead) for play in (hits_first, misses_first) for ahead in (1, 2)]


@pytest.mark.parametrize(("play", "ahead"), PLAYS)
def test_the_martingale_expects_what_it_has(play: Callable[[Campaign, int], None], ahead: int) -> None:
    assert mean_over_orders([1, 1, 0, 0, 0, 0], ahead, play, likelihood(2)) == pytest.approx(1, abs=1e-9)


def test_who_hands_out_more_than_is_said_gains_from_it() -> None:
    """Read as if one document were handed out at a time, hits that were judged first are missing from the draws."""

    def misread(audit: RandomAudit) -> float:
        return likelihood(2)(RandomAudit(audit.order, 1, audit.time, audit.grade))

    assert mean_over_orders([1, 1, 0, 0, 0, 0], 2, hits_first, misread) > 1.01


@pytest.mark.parametrize(("play", "ahead"), PLAYS)
@pytest.mark.parametrize("predicted", [None, [0.9, 0.2, 0.0, 0.5, 1.0]])
def test_the_wealth_of_a_sum_expects_what_it_has(
    play: Callable[[Campaign, int], None], ahead: int, predicted: list[float] | None
) -> None:
    """x has a, b and c, y has e, d and c, at ranks 1 to 3; the sum is the difference of their RBP."""
    found = Candidates.gather(
        {name: {"1": {d: -i for i, d in enumerate(ids)}} for name, ids in (("x", "abc"), ("y", "edc"))}
    )
    truth = [1.0, 0, 0, 1, 0]
    measure = weighted_measure("RBP(p=0.6,cutoff=3)")
    total = sum(w * (truth[x] - truth[4 - x]) for x, w in enumerate(0.4 * 0.6 ** np.arange(3)))

    def last(audit: RandomAudit) -> float:
        expected = None if predicted is None else np.array(predicted)
        line = AuditedScores(found, audit, measure, 1.0, expected).less(0, 1)
        mean = (total - line.before) / line.left
        room = line.reach + mean
        return float(np.prod(1 + 0.5 * (line.drawn - mean)[room > 1e-9] / room[room > 1e-9]))

    assert mean_over_orders(truth, ahead, play, last) == pytest.approx(1, abs=1e-9)


def test_the_estimate_has_no_bias() -> None:
    """Over all orders, after three draws with a choice in between, its mean is the score, 2/3."""
    candidates = Candidates.gather({"x": {"1": {d: -i for i, d in enumerate("abcde")}}})
    grades = np.array([1, 0, 2, 0, 2])

    def estimated(order: tuple[int, ...]) -> float:
        time = np.full(5, NEVER)
        chosen = next(i for i in range(5) if i != order[0])
        for number, place in enumerate(dict.fromkeys([order[0], chosen, order[1]]), 1):
            time[place] = number
        time[next(i for i in order if time[i] == NEVER)] = 4
        audit = RandomAudit(np.array(order), 1, time, np.where(time == NEVER, np.nan, grades))
        assert len(audit.draws.place) == 3
        return AuditedScores(candidates, audit, weighted_measure("P@3"), 2).estimate(0)

    assert np.mean([estimated(order) for order in permutations(range(5))]) == pytest.approx(2 / 3)


@pytest.mark.parametrize("order", ORDERS)
def test_a_few_campaigns_err_no_more_often_than_they_may(order: str) -> None:
    errors = sum(wrong_about_left(seed, 0.01, order, 10) for seed in range(20))
    assert errors <= 4  # more have a probability of .003 at the level of .05


@pytest.mark.slow
@pytest.mark.parametrize("ahead", [1, 10])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("prevalence", PREVALENCES)
@pytest.mark.parametrize("wrong", BOUNDS.values())
def test_campaigns_err_no_more_often_than_they_may(
    wrong: Callable[[int, float, str, int], bool], prevalence: float, order: str, ahead: int
) -> None:
    errors = sum(wrong(seed, prevalence, order, ahead) for seed in range(2_000))
    assert upper_end(errors, 2_000) <= LEVEL + 0.015


def test_the_study_says_that_no_level_was_broken() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith(ROWS)]
    ends = [float(end) for row in rows for end in re.findall(r"\((\d+\.\d)%\)", row)]
    assert len(ends) == len(PREVALENCES) * len(ORDERS) * 2 * len(BOUNDS)
    assert max(ends) <= 100 * LEVEL + 1.5


# --- In a session


def test_the_audit_is_an_order_of_its_own_over_all_topics() -> None:
    judging = Judging(SMALL)
    order = SMALL.random_order(7).tolist()
    assert [SMALL.place(each.topic, each.document) for each in judging.next_audit(4)] == order[:4]
    assert judging.next_audit(4) == judging.next_audit(4)
    judging.record("1", judging.next_audit()[0].document, 0)
    judging.record("1", SMALL.document[order[2]], 0)
    assert [each.document for each in judging.next_audit(2)] == [SMALL.document[order[i]] for i in (1, 3)]
    by_method = Judging(SMALL, method="audit").next(9)
    assert [each.document for each in by_method] == [SMALL.document[i] for i in order]


def test_a_late_candidate_comes_in_without_moving_others() -> None:
    first = {"x": {topic: dict.fromkeys((f"d{i}" for i in range(40)), 1.0) for topic in "12"}}
    late = first | {"late": {"2": dict.fromkeys((f"n{i}" for i in range(40)), 1.0)}}
    before, after = (Candidates.gather(runs) for runs in (first, late))

    def named(candidates: Candidates) -> list[tuple[str, str]]:
        order = candidates.random_order(3)
        return [(candidates.topics[candidates.topic[i]], candidates.document[int(i)]) for i in order]

    kept = [each for each in named(after) if not each[1].startswith("n")]
    assert kept == named(before)
    places = [at for at, each in enumerate(named(after)) if each[1].startswith("n")]
    assert min(places) < 20
    assert max(places) > 100
    assert named(before) != [named(before)[i] for i in np.argsort(before.random_order(4))]


@pytest.mark.parametrize("ahead", [1, 3])
def test_a_bound_only_falls_and_all_ways_to_the_same_judgments_agree(ahead: int) -> None:
    judging = one_list(of=60, audit_ahead=ahead, method="A")
    bounds = []
    for step in range(40):
        chosen = judging.next_audit(ahead)[-1] if step % 2 else judging.next()[0]
        judging.record("1", chosen.document, int(chosen.document < "d005"))
        status = judging.status()
        bounds.append(status.relevant_left(0.3) + status.relevant)
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] < 30
    again = Judging.from_dict(judging.candidates, json.loads(json.dumps(judging.to_dict())))
    assert again.status().relevant_left(0.3) + 5 == bounds[-1]
    again.undo(5)
    assert again.status().relevant_left(0.3) + again.status().relevant == bounds[-6]
    last = judging.history[-1]
    judging.take_back("1", last.document)
    judging.record(*last)  # type: ignore[arg-type]
    assert judging.status().relevant_left(0.3) + 5 == bounds[-1]


def test_what_is_below_the_ends_of_lists_adds_to_the_runs_that_have_a_list() -> None:
    """RBP has 1/4 below rank 2: x, without a list of topic 2, can gain 1/8 of the mean over two topics, and y 1/4."""
    both = {"a": 2.0, "b": 1.0}
    judging = Judging({"x": {"1": both}, "y": {"1": both, "2": {"p": 2.0, "q": 1.0}}}, "RBP(p=0.5)", method="audit")
    for document, grade in {"a": 1, "b": 0, "p": 0, "q": 1}.items():
        judging.record("1" if document in both else "2", document, grade)
    found = judging.estimates().select("run", "base", "low", "estimate", "high", "top")
    assert found.rows() == [("y", *[3 / 8] * 3, 5 / 8, 5 / 8), ("x", *[1 / 4] * 3, 3 / 8, 3 / 8)]


def test_what_a_method_chose_says_nothing_of_what_it_left() -> None:
    """A hundred answers without a relevant document, of a run whose last documents are relevant."""
    judging = one_list(of=150, audit_ahead=1)
    for chosen in judging.next(150):
        if len(judging.history) < 100 and chosen.document != judging.next_audit()[0].document:
            judging.record("1", chosen.document, 0)
    status = judging.status([FewRelevantLeft(49)])
    assert (status.relevant_left(), status.reasons) == (50, ())
    assert judging.status([FewRelevantLeft(50)]).reasons  # no more are unjudged


def test_judgments_given_at_the_start_are_drawn_when_the_audit_comes_to_them() -> None:
    order = one_list().candidates.random_order(7).tolist()
    given = {"1": {f"d{i:03}": 0 for i in order[:10]}}
    judging = one_list(judged=given)
    assert judging.audit.draws.place.tolist() == order[:10]
    alike = one_list(audit_ahead=10)
    for document in given["1"]:
        alike.record("1", document, 0)
    assert judging.status().relevant_left() == alike.status().relevant_left() < 10


def test_a_skipped_document_may_be_relevant() -> None:
    judging, other = one_list(), one_list()
    for number, chosen in enumerate(judging.next_audit(10)):
        other.record("1", chosen.document, int(number == 3))
        judging.skip("1", chosen.document) if number == 3 else judging.record("1", chosen.document, 0)
    assert judging.audit.draws.relevant.sum() == 1
    assert judging.status().relevant_left() == other.status().relevant_left() + 1


def test_among_is_what_is_audited() -> None:
    among = [("1", document) for document in "adgi"]
    judging = Judging(SMALL, "P@6", among=among)
    assert {each.document for each in judging.next_audit(9)} == set("adgi")
    assert judging.status().relevant_left() == 4
    for document in "adgi":
        judging.record("1", document, 1)
    status = judging.status([FewRelevantLeft(0)])
    assert (status.relevant_left(), len(status.reasons)) == (0, 1)
    said = "missed: nothing; every document to judge has a judgment; the 5 not to be judged are unknown"
    assert said in str(status)
    assert status.reasons == ("at most 0 relevant documents are left among those to be judged, with confidence 0.95",)
    # x has a and d of its six documents judged, y has d, g and i of its own; the others may be relevant or not.
    estimates = {run: (low, high) for run, low, high in judging.estimates().select("run", "low", "high").rows()}
    assert estimates["x"] == pytest.approx((2 / 6, 1))
    assert estimates["y"] == pytest.approx((3 / 6, 1))


def test_more_than_was_said_is_not_handed_out() -> None:
    with pytest.raises(InputError, match="11 documents of the audit cannot be handed out at once"):
        one_list().next_audit(11)


def test_a_share_of_the_records_is_of_the_audit() -> None:
    judging = one_list(of=100)
    for _ in range(10):
        due = judging.audit_due(4, 0.25)
        for chosen in [*judging.next_audit(due), *judging.next(4 - due)]:
            if judging.state.open[judging.candidates.place("1", chosen.document)]:
                judging.record("1", chosen.document, 0)
    assert 7 <= len(judging.audit.draws.place) <= 14  # of ten, those before the first that is open


def test_the_audit_is_a_sample_for_estimate() -> None:
    judging = one_list(of=30, measure="P@30")
    for number, chosen in enumerate(judging.next_audit(10)):
        judging.record("1", chosen.document, int(number < 4))
    sample = judging.audit_sample()
    assert sample["probability"].to_list() == [1 / 3] * 10
    found = cf.estimate(judging.candidates, sample, judging.judgments(), ["P@30", "NumRel"]).means["value"].to_list()
    assert found == pytest.approx([12 / 30, 12])
    assert judging.estimates()["estimate"].to_list() == pytest.approx(
        [np.mean([(min(j, 4) + (30 - j) * (j < 4)) / 30 for j in range(10)])]
    )


# --- Rules


def test_what_it_would_take_is_what_it_takes() -> None:
    """Misses alone: the audit says so after as many, and not after one fewer."""
    for unjudged, at_most, level in ((200, 20, 0.05), (200, 3, 0.2), (50, 0, 0.05)):
        needed = audits_needed(unjudged, at_most, level)
        bounds = []
        for n in (needed - 1, needed):
            time, grade = np.full(unjudged, NEVER), np.full(unjudged, np.nan)
            time[:n], grade[:n] = np.arange(1, n + 1), 0.0
            bounds.append(RandomAudit(np.arange(unjudged), 1, time, grade).draws.most_left(level))
        assert bounds[0] > at_most >= bounds[1]
    assert audits_needed(10, 10) == 0


def test_few_left_says_how_far_it_is() -> None:
    judging = one_list(of=40)
    rule = FewRelevantLeft(3, level=0.2)
    for chosen in judging.next_audit(6):
        judging.record("1", chosen.document, 0)
    status = judging.status([rule])
    assert status.lacking == (
        f"at most {status.relevant_left(0.2)} relevant documents are left, with confidence 0.8; a bound of 3 on 34 "
        f"unjudged ones needs about {audits_needed(34, 3, 0.2)} audited documents, none of them relevant",
    )
    while not judging.status([rule]).reasons:
        judging.record("1", judging.next_audit()[0].document, 0)
    assert judging.status([rule]).reasons == ("at most 3 relevant documents are left, with confidence 0.8",)


def test_the_leader_is_known_by_joint_ranges_before_any_audit() -> None:
    """What both runs have at the same rank cannot part them, though either may gain from it."""
    runs = {"x": {"1": {"s": 3.0, "a": 2.0}}, "y": {"1": {"s": 3.0, "b": 2.0}}}
    judging = Judging(runs, "P@2", audit_ahead=1)
    judging.record("1", "a", 1)
    assert judging.status([LeaderKnown()]).lacking == (
        "1 run may be as good as x on these topics, with confidence 0.95: y",
    )
    judging.record("1", "b", 0)
    assert judging.status([LeaderAbove()]).reasons == ()
    assert judging.status([LeaderKnown()]).reasons == ("x is the best run on these topics, with confidence 0.95",)


def test_the_leader_is_known_by_the_audit_before_its_rivals_ranges_end_and_sooner_by_good_labels() -> None:
    ids = [f"{i:03}" for i in range(400)]
    runs = {"x": {"1": dict.fromkeys(ids[:200], 1.0)}, "y": {"1": dict.fromkeys(ids[200:], 1.0)}}
    truth = {d: int(i % 2 == 0 and i < 200) for i, d in enumerate(ids)}
    judging = Judging(runs, "P@200", method="audit", audit_ahead=1)
    labels = {"1": {d: grade if i % 10 else 0 for i, (d, grade) in enumerate(truth.items())}}
    known: dict[str, int] = {}
    for number in range(1, 200):
        document = judging.next_audit()[0].document
        judging.record("1", document, truth[document])
        for name, cheap in (("alone", None), ("labels", labels)):
            if name not in known and judging.status([LeaderKnown(0.01)], cheap=cheap).reasons:
                known[name] = number
    assert not judging.status([LeaderAbove()]).reasons
    assert known["labels"] < known["alone"] < 120


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("FewRelevantLeft", FewRelevantLeft()),
        ("FewRelevantLeft(5, 0.1)", FewRelevantLeft(5, 0.1)),
        ("LeaderKnown( level = .1 )", LeaderKnown(0.1)),
        ("BudgetSpent(5)", BudgetSpent(5)),
    ],
)
def test_rules_are_read_as_they_are_written(text: str, rule: object) -> None:
    assert rule_named(text) == rule


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("few", "there is no rule 'few'; choose from BudgetSpent, FewRelevantLeft, LeaderAbove"),
        ("FewRelevantLeft(5", "a rule is written as"),
        ("FewRelevantLeft(5, 0.1, 3)", "FewRelevantLeft has these parameters: at_most, level; not '3'"),
        ("FewRelevantLeft(most=5)", "not 'most=5'"),
        ("FewRelevantLeft(x)", "at_most must be a whole number, not 'x'"),
        ("LeaderAbove(3)", "LeaderAbove has these parameters: none; not '3'"),
        ("PairDecided(a)", "PairDecided lacks second: say PairDecided(first, second, level, test)"),
    ],
)
def test_other_texts_are_refused(text: str, problem: str) -> None:
    with pytest.raises(InputError) as refused:
        rule_named(text)
    assert problem in str(refused.value)


@pytest.mark.integration
@pytest.mark.parametrize("collection", ["dl19-passage", "trec8-adhoc", "covid-round1"])
def test_on_real_collections_no_bound_is_below_what_is_left(data: Path, collection: str) -> None:
    folder = data / collection
    if not folder.exists():
        pytest.skip(f"{collection} is not there")
    candidates = Candidates.gather(sorted((folder / "runs").iterdir())[::6], depth=50)
    grades = {(t, d): max(g, 0) for t, d, g in read_qrels(folder / "qrels.txt").rows()}
    relevant = sum(grades.get((t, d), 0) > 0 for t, d in documents(candidates))
    judging = Judging(candidates, top_grade=3, renew_every=50)
    while len(judging.history) < 1_500:
        due = judging.audit_due(5, 0.4)
        for chosen in [*judging.next_audit(due), *judging.next(5 - due)]:
            if judging.state.open[candidates.place(chosen.topic, chosen.document)]:
                judging.record(chosen.topic, chosen.document, grades.get((chosen.topic, chosen.document), 0))
    status = judging.status()
    left = relevant - status.relevant
    assert left <= status.relevant_left() < status.audit.unjudged / 2


def documents(candidates: Candidates) -> list[tuple[str, str]]:
    """Topic and document of all candidates."""
    return [(candidates.topics[t], d) for t, d in zip(candidates.topic, candidates.document, strict=True)]


def test_one_open_document_does_not_make_the_whole_judging_an_audit() -> None:
    """The first document of the audit is held and never judged: of the next sixty, six or so are audited, not sixty."""
    runs = {"x": {"1": {f"d{n:03}": -n for n in range(200)}}}
    judging = Judging(runs, audit_ahead=4)
    [open_] = judging.next_audit(1)
    judging.hold(open_.topic, open_.document)
    audits = 0
    for _ in range(60):
        due = judging.audit_due(1, 0.1)
        [chosen] = judging.next_audit(1) if due else judging.next(1)
        audits += due
        judging.record(chosen.topic, chosen.document, 0)
    assert 4 <= audits <= 7


def test_a_live_session_and_its_restored_copy_choose_alike_after_something_is_admitted() -> None:
    """Weights that are not due stay as they are, and a shortlist that lacks what was admitted is not used."""
    runs = {name: {"1": {f"d{(n * step) % 400:03}": -n for n in range(400)}} for name, step in (("x", 1), ("y", 7))}
    among = [("1", f"d{n:03}") for n in range(300)]
    for method, every in (("C", 3), ("A", 1), ("B", 1), ("B", 4)):
        live = Judging(runs, method=method, renew_every=every, among=among)
        for number in range(14):
            [chosen] = live.next()
            live.record("1", chosen.document, number % 2)
            if number % 5 in {2, 3}:
                live.admit_place(live.candidates.place("1", f"d{399 - 7 * number:03}"))
                live.admit_place(live.candidates.place("1", f"d{301 + number:03}"))
            copied = Judging.from_dict(live.candidates, live.to_dict())
            assert live.next()[0][:2] == copied.next()[0][:2], (method, number)
            assert [each[:2] for each in live.next(40)] == [each[:2] for each in copied.next(40)], (method, number)
