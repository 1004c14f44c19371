"""How low and how high a value could be, and how small a difference: against every completion, and what is revealed."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tools import measure_cases
from tools.each import each_of

import cranfield as cf
from cranfield.judged.completions import BOUND_KINDS, Open
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings, one_ranking
from cranfield.measures import REGISTRY, Measure
from cranfield.measures.framework.names import parse_measure
from cranfield.measures.framework.user_model import UserModel
from cranfield.pairs.pair import Rivals
from cranfield.plumbing.arrays import Booleans, Floats
from cranfield.scoring.judged_runs import JudgedRuns, join

NAMES: list[str] = measure_cases.NUMERIC
DOCUMENTS = 8
CLOSE = 1e-9


@dataclass(frozen=True, eq=False)
class Made:
    """Three runs of one or two topics: what all judgments say, and the same with some hidden.

    Attributes
    ----------
    everything, hidden
        The grades, and the same with NaN where they are hidden.
    candidates
        What is hidden, and was retrieved.
    runs
        The rankings by what is not hidden.
    """

    everything: Floats
    hidden: Floats
    candidates: Booleans
    runs: tuple[JudgedRankings, ...]

    def judged(self, grade: Floats) -> list[JudgedRankings]:
        """Return the runs by other grades."""
        return [run.rejudged(grade) for run in self.runs]


def made(chance: random.Random, *, top: int, hide: float, longest: int = 6) -> Made:
    """Make three runs that share documents, and hide some judgments."""
    topics = chance.randint(1, 2)
    grades = np.array([float(chance.choice([0, *range(top + 1)])) for _ in range(topics * DOCUMENTS)])
    judgments = Judgments.of_grades(np.repeat(np.arange(topics), DOCUMENTS), grades, topics, float(top))
    runs = []
    for name in "abc":
        lists = [chance.sample(range(DOCUMENTS), chance.randint(0, longest)) for _ in range(topics)]
        cells = [(t, r, t * DOCUMENTS + d) for t, ranked in enumerate(lists) for r, d in enumerate(ranked, 1)]
        row, rank, judgment = np.array(cells, np.int64).reshape(-1, 3).T
        length = np.array([len(ranked) for ranked in lists])
        runs.append(JudgedRankings((name,), judgments, length, np.ones(topics, bool), row, rank, judgment))
    judgments.retrieved = np.zeros(len(judgments), bool)
    for run in runs:
        judgments.retrieved[run.judgment] = True
    away = np.array([chance.random() < hide for _ in grades])
    hidden = np.where(away, np.nan, judgments.grade)
    return Made(judgments.grade, hidden, away & judgments.retrieved, tuple(run.rejudged(hidden) for run in runs))


def settings_of(name: str, chance: random.Random) -> Measure:
    """Choose one of the measure's settings."""
    measure: Measure = chance.choice(measure_cases.settings_of(name))
    return measure


@each_of("name", NAMES)
def test_what_is_hidden_is_revealed_within_the_bounds(name: str) -> None:
    """Some judgments are hidden and some revealed again, as they were or otherwise: nothing sound is contradicted."""
    chance = random.Random(name)  # noqa: S311
    for trial in range(2):
        measure, top = settings_of(name, chance), (1, 3)[trial % 2]
        case = made(chance, top=top, hide=0.5)
        bounds = [measure.bounds(run) for run in case.runs]
        pairs = ((0, 1), (1, 2), (2, 0))
        least = {pair: measure.least_difference(case.runs[pair[0]], case.runs[pair[1]]) for pair in pairs}
        for share in (0.0, 0.4, 1.0):
            other = np.array([chance.randint(0, top) for _ in case.hidden])
            grades = case.everything if chance.random() < 0.5 else other
            shown = case.candidates & (np.array([chance.random() for _ in case.hidden]) < share)
            values = [measure.score(run) for run in case.judged(np.where(shown, grades, case.hidden))]
            for value, found in zip(values, bounds, strict=True):
                assert found.kind in BOUND_KINDS
                if found.kind != "tried":
                    assert (found.low - CLOSE <= value).all()
                    assert (value <= found.high + CLOSE).all()
            for (a, b), (difference, kind) in least.items():
                if kind != "tried":
                    assert (difference - CLOSE <= values[a] - values[b]).all()


def completions(case: Made, top: int) -> Iterator[Floats]:
    """Give every candidate every grade."""
    place = np.flatnonzero(case.candidates)
    for grades in itertools.product(range(top + 1), repeat=len(place)):
        grade = case.hidden.copy()
        grade[place] = grades
        yield grade


@each_of("name", NAMES)
def test_exact_bounds_are_those_of_all_completions(name: str) -> None:
    compare_with_all_completions(name, 2)


@pytest.mark.integration
@each_of("name", NAMES)
def test_exact_bounds_are_those_of_all_completions_of_more_lists(name: str) -> None:
    compare_with_all_completions(name, 8)


def compare_with_all_completions(name: str, trials: int) -> None:
    chance = random.Random(name)  # noqa: S311
    for trial in range(trials):
        measure, top = settings_of(name, chance), (1, 2)[trial % 2]
        case = made(chance, top=top, hide=0.35, longest=4)
        if case.candidates.sum() > (7, 4)[trial % 2]:
            continue
        values = np.array([[measure.score(run) for run in case.judged(grade)] for grade in completions(case, top)])
        now = np.array([measure.score(run) for run in case.runs])  # documents may stay unjudged, too
        lowest, highest = np.minimum(values.min(axis=0), now), np.maximum(values.max(axis=0), now)
        below_the_end = isinstance(measure, UserModel) and measure.cutoff is None
        for run, low, high in zip(case.runs, lowest, highest, strict=True):
            found = measure.bounds(run)
            if found.kind == "exact":
                assert found.low == pytest.approx(low, abs=CLOSE)
                # The ranks below the end of a list are open, too, for measures of that kind.
                assert (found.high >= high - CLOSE).all() if below_the_end else found.high == pytest.approx(high)
        for a, b in itertools.permutations(range(3), 2):
            difference, kind = measure.least_difference(case.runs[a], case.runs[b])
            if kind == "exact" and not below_the_end:
                assert difference == pytest.approx((values[:, a] - values[:, b]).min(axis=0), abs=CLOSE)


EXACT = """
    AP AP@3 gmAP P@3 R@3 R F@3 SetF SetR SetP SetAP RelativeP@3 Rprec RprecMult@0.4 RR Success@3 nDCG nDCG@3
    nDCG(base=2)@3 nDCG(dcg='exp-log2')@3 nCG@3 nRBP(p=0.8) gR@3 gP@3 ERR ERR@3 INST INSQ SDCG@3 RBP(p=0.8)
    CG@3 DCG@3 NumRel NumRelRet FlatUtility RBU(p=0.8,e=0.05)
"""


@each_of("name", EXACT.split())
def test_measures_whose_bounds_are_exact_whatever_the_grades(name: str) -> None:
    chance = random.Random(name)  # noqa: S311
    for _ in range(20):
        assert {parse_measure(name).bounds(run).kind for run in made(chance, top=3, hide=0.5).runs} == {"exact"}


@each_of("name", [name for name in NAMES if REGISTRY[name].rises_with_grades])
def test_what_is_said_to_rise_with_grades_does(name: str) -> None:
    chance = random.Random(name)  # noqa: S311
    for _ in range(150):
        measure = settings_of(name, chance)
        grades = [float(chance.randint(0, 3)) for _ in range(chance.randint(1, 9))]
        listed = chance.randint(0, len(grades))
        rankings = one_ranking(grades[:listed], [*grades[listed:], 3])
        raised = rankings.judgments.grade.copy()
        raised[chance.randrange(len(grades))] = 3
        if measure.gains_rise(rankings.judgments):
            assert measure.score(rankings.rejudged(raised))[0] >= measure.score(rankings)[0] - CLOSE


def test_a_relevant_document_of_another_run_lowers_what_depends_on_the_recall_base() -> None:
    """The one relevant document known is found; of nine that another run has, any could be relevant too."""
    qrels = {"1": {"a": 1}}
    runs = {"first": {"1": {"a": 1.0}}, "second": {"1": {f"x{i}": float(i) for i in range(9)}}}
    scores = cf.evaluate(qrels, runs, ["AP", "R@10", "nDCG@10", "P@1"], bounds=True, complete=False)
    assert scores.limits is not None
    ideal = sum(1 / np.log2(i + 1) for i in range(1, 11))
    assert scores.limits[0, :, 0, 0].tolist() == pytest.approx([1 / 10, 1 / 10, 1 / ideal, 1.0])
    assert scores.limits[1, :, 0, 0].tolist() == [1.0, 1.0, 1.0, 1.0]
    alone = cf.evaluate(qrels, {"first": runs["first"]}, ["AP"], bounds=True, complete=False)
    assert alone.limits is not None
    assert alone.limits.ravel().tolist() == [1.0, 1.0]


def test_the_best_ndcg_can_have_grades_in_between() -> None:
    """A document of gain 3 at rank 2, an open one at rank 1: nDCG is 1 with gain 3, and falls to either side.

    Here one of gain 1 is missed as well. With gain g at rank 1, DCG is g + 3d, d = 1/log2(3), and the
    ideal 3 + dg + 1/2 up to g = 3, and with top = 5 from there on g + 3d + 1/2.
    """
    case = one_ranking([None, 3], [1])
    case.judgments.top_grade = 5.0
    found = parse_measure("nDCG").bounds(case)
    d = 1 / np.log2(3)

    def value(g: float) -> float:
        return float((g + 3 * d) / (max(g, 3) + d * sorted([g, 3, 1])[1] + sorted([g, 3, 1])[0] / 2))

    assert found.high[0] == pytest.approx(max(value(g) for g in np.linspace(0, 5, 5001)))
    flat = one_ranking([3, None], [1])
    flat.judgments.top_grade = 5.0
    values = [(3 + g * d) / (max(g, 3) + d * sorted([g, 3, 1])[1] + sorted([g, 3, 1])[0] / 2) for g in range(6)]
    high = parse_measure("nDCG").bounds(flat).high[0]
    assert high == pytest.approx(values[3])  # with the grade of the document above it
    assert high > max(values[0], values[5]) + 0.01


def test_bpref_can_be_highest_with_some_relevant_documents_of_others() -> None:
    """Two documents in vain above the relevant one: nothing with R = 1 or 2, 1/9 with R = 3, and less again beyond."""
    ranking = one_ranking([0, 0, 1], candidates=4)
    grades = [[1.0] * q + [0.0] * (4 - q) for q in range(5)]
    values = [cf.Bpref().of([0, 0, 1], others) for others in grades]
    assert values == pytest.approx([0, 0, 1 / 9, 1 / 12, 0], abs=0.05)
    found = cf.Bpref().bounds(ranking)
    assert found.high[0] >= max(values) - CLOSE
    assert found.low[0] <= min(values) + CLOSE


def test_base_and_residual_of_the_paper() -> None:
    found = parse_measure("RBP(p=0.8)").bounds(one_ranking([0, 1, 1, 0, 0, 1, None, 0, 0, 1]))
    base = 0.2 * (0.8 + 0.8**2 + 0.8**5 + 0.8**9)
    residual = 0.2 * 0.8**6 + 0.8**10
    assert (found.low[0], found.high[0]) == pytest.approx((base, base + residual))
    assert (round(base, 3), round(residual, 3), found.kind) == (0.380, 0.160, "exact")


def test_weighted_sums_have_a_residual_from_their_weights() -> None:
    """P@4 of a list of three, the second unjudged: one document more there, and none at the empty rank 4."""
    found = parse_measure("P@4").bounds(one_ranking([1, None, 0]))
    assert (found.low[0], found.high[0]) == (1 / 4, 2 / 4)
    found = parse_measure("RBP(p=0.5)@2").bounds(one_ranking([1, None, None]))
    assert (found.low[0], found.high[0]) == pytest.approx((1 / 2, 1 / 2 + 1 / 4))


@each_of("name", ["P@3", "R@3", "Success@3", "SDCG@3", "RBP(p=0.5)@3", "nDCG@3", "CG@3", "BPM@3"])
def test_nothing_follows_the_end_of_a_list_that_is_shorter_than_the_cutoff(name: str) -> None:
    """Two judged documents, and a third that only another run has: no measure allows for it at the empty rank 3."""
    ours, theirs = made_pair([[1, 0], [1, 0, None]], [[0, 1], [0, 1, 2]])
    measure = parse_measure(name)
    assert measure.bounds(ours).high[0] == pytest.approx(measure.score(ours)[0])
    ahead, kind = measure.least_difference(theirs, ours)
    assert kind != "exact" or ahead[0] == pytest.approx(0)


def test_no_candidate_gains_more_than_the_largest_grade() -> None:
    """Of grades to 1, none gains more than half of what max_rel=2 asks for."""
    found = parse_measure("SDCG(max_rel=2)@1").bounds(one_ranking([None], [1]))
    assert (found.low[0], found.high[0], found.kind) == (0.0, 0.5, "exact")


def test_what_both_lists_have_cancels() -> None:
    """Both have the open document at rank 1; at rank 2 ours has a relevant one, theirs another open one."""
    ours, theirs = made_pair([[None, 1], [None, None]], [[0, 1], [0, 2]])
    least, kind = parse_measure("P@2").least_difference(ours, theirs)
    assert (least.tolist(), kind) == ([0.0], "exact")
    bounds = [parse_measure("P@2").bounds(run) for run in (ours, theirs)]
    assert bounds[0].low[0] - bounds[1].high[0] == -1 / 2
    assert parse_measure("R@2").least_difference(ours, theirs)[0].tolist() == [0.0]  # 2/3 - 2/3, or 1/2 - 1/2


def made_pair(grades: list[list[float | None]], documents: list[list[int]]) -> list[JudgedRankings]:
    """Two runs of one topic: the grades of the documents at their ranks."""
    known = {d: grade for row, ids in zip(grades, documents, strict=True) for grade, d in zip(row, ids, strict=True)}
    rows = [("1", str(d), np.nan if known[d] is None else float(known[d] or 0)) for d in sorted(known)]
    judgments = Judgments(pl.DataFrame(rows, schema=["query_id", "doc_id", "relevance"], orient="row"))
    judgments.retrieved = np.ones(len(rows), bool)
    return [
        JudgedRankings(
            ("r",), judgments, np.array([len(ids)]), np.ones(1, bool), np.zeros(len(ids), np.int64),
            np.arange(1, len(ids) + 1), np.array(ids),
        )
        for ids in documents
    ]  # fmt: skip


def test_a_topic_that_a_run_lacks_has_no_range() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 2}}
    runs = {"r": {"1": {"x": 3.0, "a": 2.0}, "2": {"a": 2.0, "y": 1.0}}, "s": {"1": {"a": 1.0}}}
    scores = cf.evaluate(qrels, runs, ["AP", "P@2"], bounds=True)
    assert scores.limits is not None
    low, high = scores.limits[:, 0]
    assert low.tolist() == [[1 / 2, 1 / 2 * (1 + 2 / 2)], [1 / 2, 0.0]]  # x may be relevant, and so may y
    assert high.tolist() == [[1.0, 1.0], [1.0, 0.0]]
    assert scores.to_polars().columns == ["run", "topic", "measure", "value", "low", "high"]
    assert scores.to_polars().row(0) == ("r", "all", "AP", 0.75, 0.75, 1.0)
    assert "0.7500 [0.7500, 1.0000]" in str(scores)
    with pytest.raises(cf.InputError, match="cannot hold bounds"):
        scores.render("trec_eval")


def test_bounds_do_not_depend_on_the_batch_nor_on_how_runs_were_joined() -> None:
    chance = np.random.default_rng(3)
    qrels = {str(t): {f"d{i}": int(chance.integers(0, 3)) for i in range(6)} for t in range(3)}
    runs = {
        f"r{r}": {str(t): {f"d{i}": float(chance.random()) for i in chance.permutation(10)[:5]} for t in range(3)}
        for r in range(3)
    }
    measures = ["AP", "nDCG@3", "Bpref", "Twist"]
    together = cf.evaluate(qrels, runs, measures, bounds=True)
    for joined in (join(qrels, runs), join(qrels, runs, bounds=True)):
        again = cf.evaluate(joined, None, measures, bounds=True)
        assert np.array_equal(np.asarray(again.limits), np.asarray(together.limits))
        assert again.audit == together.audit
    plain = cf.evaluate(qrels, runs, measures)
    assert np.array_equal(together.values, plain.values)
    assert together.audit == plain.audit


def test_bounds_of_a_topic_do_not_depend_on_the_others() -> None:
    """A topic has few candidates, another many, and a third more than can all be tried."""
    random_ = np.random.default_rng(5)
    qrels = {f"{size}": {f"d{d}": int(random_.choice([0, 1, 2])) for d in range(0, size, 3)} for size in (9, 90, 900)}
    runs = {
        name: {
            f"{size}": {f"d{d}": float(score) for d, score in enumerate(random_.permutation(size)) if score % 5}
            for size in (9, 90, 900)
        }
        for name in ("one", "other")
    }
    joined = join(qrels, runs, bounds=True)
    measures = ["Q", "Twist", "SlidingRatio@5", "Bpref", "NDCGT", "P@5", "Compat"]
    together = np.asarray(cf.evaluate(joined, None, measures, bounds=True).limits)
    for place, topic in enumerate(joined.topics):
        alone = np.asarray(cf.evaluate(joined.of_topic(topic), None, measures, bounds=True).limits)
        np.testing.assert_array_equal(alone[..., 0], together[..., place])


def test_other_grades_for_the_same_documents_have_bounds_too() -> None:
    qrels = {"1": {"a": 1, "b": 1}}
    runs = join(qrels, {"r": {"1": {"a": 3.0, "x": 2.0}}, "s": {"1": {"b": 1.0}}}, complete=False).under(bounds=True)
    full, less = runs.scores("R@1"), runs.scores("R@1", np.array([1.0, np.nan]))
    assert np.asarray(full.limits)[:, 0, 0, 0].tolist() == [1 / 3, 1 / 2]
    assert np.asarray(less.limits)[:, 0, 0, 0].tolist() == [1 / 3, 1.0]


def test_bounds_and_lists_without_unjudged_documents_contradict_each_other() -> None:
    with pytest.raises(cf.InputError, match="choose one of the two"):
        cf.evaluate({"1": {"a": 1}}, {"r": {"1": {"a": 1.0}}}, ["AP"], bounds=True, judged_only=True)


def test_open_documents_are_those_whose_judgment_was_taken_away() -> None:
    rankings = one_ranking([1, 1, 0], [1]).rejudged(np.array([np.nan, 1.0, 0.0, 1.0]))
    rankings.judgments.retrieved = np.array([True, True, True, False])
    assert Open(rankings).rank.tolist() == [1]


POOLED = {"dl19-passage": "bm25", "trec8-adhoc": "ok8", "covid-round1": "bm25"}
SOUND = (
    *("AP", "AP@100", "nDCG@10", "nDCG", "Bpref", "P@10", "R@100"),
    *("RBP(p=0.8)", "RR", "ERR@20", "Rprec", "SetF", "Success@10", "CG@10"),
)


def hidden_by_pool(runs: JudgedRuns, pooled: list[int], depth: int) -> Floats:
    """Hide all judgments but those of the first documents of some runs."""
    kept = np.zeros(len(runs.judgments), bool)
    for number in pooled:
        run = runs.of_run(number)
        kept[run.judgment[run.rank <= depth]] = True
    return np.where(kept, runs.judgments.grade, np.nan)


@pytest.mark.integration
@pytest.mark.parametrize("collection", ["dl19-passage", "trec8-adhoc", "covid-round1"])
@pytest.mark.parametrize("hide", ["at random", "by depth", "by run"])
def test_hide_and_reveal_on_real_runs(data: Path, collection: str, hide: str) -> None:
    """What the full judgments say lies within the bounds by a part of them, and no certain difference is reversed."""
    paths = sorted((data / collection / "runs").iterdir())
    pooled = [path for path in paths if POOLED[collection] in path.name.lower()][:3]
    chosen = list(dict.fromkeys([*pooled, *paths[:: max(1, len(paths) // 4)]]))[:6]
    runs = join(data / collection / "qrels.txt", {path.name: path for path in chosen})
    grade = runs.judgments.grade.copy()
    for run in runs.batches:  # what none of these runs retrieved stays as it is
        grade[run.judgment] = np.nan
    unseen = ~np.isnan(grade)
    if hide == "at random":
        part = np.where(np.random.default_rng(5).random(len(grade)) < 0.5, runs.judgments.grade, np.nan)
    else:
        part = hidden_by_pool(runs, [0, 1] if hide == "by run" else list(range(len(chosen))), 10)
    part = np.where(unseen, runs.judgments.grade, part)
    full, bounded = runs.scores(SOUND), runs.under(bounds=True).scores(SOUND, part)
    low, high = np.asarray(bounded.limits)
    assert (full.values >= low - CLOSE).all()
    assert (full.values <= high + CLOSE).all()
    assert "tried" not in bounded.kinds.values()
    noted = runs.under(bounds=True)._judged_by(part)
    of, exact = Rivals(noted, noted.topics).of, set()
    for m, measure in enumerate(full.measures):
        for one, other in itertools.permutations(range(len(chosen)), 2):
            pair = of(measure, one, other)
            assert (pair.least_by_topic() <= full.values[m, one] - full.values[m, other] + CLOSE).all()
            exact |= {str(measure)} if pair.kind == "exact" else set()
    assert exact >= {"nDCG@10", "R@100", "RBP(p=0.8)"}


@pytest.mark.integration
def test_the_former_bounds_were_too_narrow(data: Path) -> None:
    """With judgments of the bm25 runs' top 10 only, R@100 under all judgments lay below the former lower bound.

    Bounds over a run's own documents are those of the run alone, as if nobody else had been there.
    """
    folder = data / "dl19-passage"
    runs = join(folder / "qrels.txt", folder / "runs")
    pooled = [number for number, name in enumerate(runs.runs) if "bm25" in name.lower()]
    part = hidden_by_pool(runs, pooled, 10)
    full, measures = runs.scores(["R@100", "nDCG@10"]).averages, ["R@100", "nDCG@10"]
    joint = runs.under(bounds=True).scores(measures, part)
    assert (joint.averaged(np.asarray(joint.limits)[0]) <= full + CLOSE).all()
