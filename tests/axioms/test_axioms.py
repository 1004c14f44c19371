"""The axioms of Amigó, Mizzaro and Spina (2022): predicates, search, and what the paper says of each measure."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tools.each import each_of

from cranfield.axioms import AXIOMS, CounterExample, Lists, Search, Searched
from cranfield.axioms.axioms import thresholds
from cranfield.axioms.graded_lists import every_list, random_lists
from cranfield.judged.rankings import JudgedRankings
from cranfield.measures import REGISTRY, Measure
from cranfield.measures.framework.names import parse_measure
from cranfield.plumbing.errors import InputError, MeasureError

PRIORITY, TOP, DEEP, SHALLOW, CONFIDENCE, RECALL, REDUNDANCY, WITHIN = AXIOMS


@cache
def search(top_grade: int) -> Search:
    return Search(longest=5 if top_grade > 1 else 8, top_grade=top_grade, random=1000, largest=5000)


@cache
def outcomes(name: str) -> Mapping[str, Searched]:
    measure = parse_measure(name)
    return search(2 if measure.graded else 1).outcomes(measure)


# Lists


def test_a_batch_scores_each_list_as_one_ranking() -> None:
    lists = random_lists(60, (0, 9), 3, np.random.default_rng(1))
    for name in ("AP", "nDCG", "Bpref", "OIE", "NDCGT", "RBU", "Q", "Kendall", "Twist"):
        measure = REGISTRY[name]()
        values = measure.score(lists.judged(3))
        for row, value in enumerate(values):
            ranked = [int(grade) for grade in lists.grade[row] if grade >= 0]
            missed = [int(grade) for grade in lists.unretrieved[row] if grade >= 0]
            if 3 in ranked + missed:  # else one ranking alone would have another largest grade
                assert value == pytest.approx(measure.of(ranked, missed), rel=1e-12)


def test_every_list_is_there_once() -> None:
    lists = every_list(3, 2)
    assert len(lists) == (1 + 3 + 9 + 27) * (1 + 3 + 6) == len(lists.unique()[0])


def test_random_lists_are_what_they_are_said_to_be() -> None:
    lists = random_lists(500, (4, 20), 2, np.random.default_rng(7))
    assert set(lists.length) == set(range(4, 21))
    assert set((lists.grade > 0).sum(axis=1)) == set(range(7))
    assert set((lists.unretrieved >= 0).sum(axis=1)) == set(range(11))
    again = random_lists(500, (4, 20), 2, np.random.default_rng(7))
    assert (again.grade == lists.grade).all()
    assert (again.unretrieved == lists.unretrieved).all()


# Comparisons


def compared(axiom: str, ranked: list[int], missed: list[int], top_grade: int = 2) -> set[tuple[str, ...]]:
    lists = AXIOMS[axiom].compared(Lists.of([(ranked, missed)]), top_grade)
    return {tuple(some.written(row) for some in lists) for row in range(len(lists[0]))}


def test_comparisons_by_hand() -> None:
    assert compared(PRIORITY, [0, 1, 2], []) == {("1 0 2", "0 1 2"), ("2 1 0", "0 1 2"), ("0 2 1", "0 1 2")}
    assert compared(PRIORITY, [2, 1, 1], [2]) == set()
    assert compared(TOP, [0, 1, 0, 1], []) == {("1 0 0 1", "0 1 1 0")}
    assert compared(TOP, [0, 1, 0, 2], []) == compared(TOP, [0, 1, 1], []) == set()
    assert compared(CONFIDENCE, [1], [2]) == {("1 | unretrieved 2 0", "1 0 | unretrieved 2")}
    assert compared(RECALL, [1], [0]) == {("1 | unretrieved 0", f"1 | unretrieved {g} 0") for g in (1, 2)}
    assert compared(RECALL, [0], [1]) == set()
    assert compared(REDUNDANCY, [2, 1, 0], [1]) == {
        tuple(f"{ranked} | unretrieved 1" for ranked in ("0 0 2", "0 0 0", "0 2 2", "0 2 0"))
    }
    assert compared(REDUNDANCY, [1], []) == set()
    assert compared(WITHIN, [0, 0], []) == {
        ("0 2 | unretrieved 2 0", "0 0 | unretrieved 2 2", "2 2 | unretrieved 0 0", "2 0 | unretrieved 2 0")
    }
    short, long = thresholds([2], 1)
    assert [short.written(0), long.written(0)] == ["1 | unretrieved 1 0 0", "0 0 1 1"]
    assert [short.written(1), long.written(1)] == [
        "1 | unretrieved 1 1 1 0 0 0 0",
        "0 0 1 1 | unretrieved 1 1 0 0",
    ]


def plainly(axiom: str, ranked: tuple[int, ...], missed: tuple[int, ...], measure: Measure) -> Iterator[float]:
    """Follow the definition in plain loops: by how much the better ranking wins."""
    if axiom == PRIORITY:
        for i, j in itertools.combinations(range(len(ranked)), 2):
            if ranked[i] < ranked[j]:
                swapped = [*ranked]
                swapped[i], swapped[j] = ranked[j], ranked[i]
                yield measure.of(swapped, missed) - measure.of(ranked, missed)
    if axiom == CONFIDENCE:
        yield measure.of(ranked, [*missed, 0]) - measure.of([*ranked, 0], missed)
    if axiom == RECALL and any(ranked):
        for grade in (1, 2):
            yield measure.of(ranked, missed) - measure.of(ranked, [*missed, grade])


@pytest.mark.parametrize("axiom", [PRIORITY, CONFIDENCE, RECALL])
@pytest.mark.parametrize("name", ["OIE", "Q", "Rprec", "SetF"])
def test_search_beside_plain_loops(name: str, axiom: str) -> None:
    # gains by the largest of the qrels: lists in which there is a 2 whatever is added
    measure, found = REGISTRY[name](), []
    for lists in itertools.product(*[range(3)] * 3):
        found += list(plainly(axiom, lists, (2,), measure))
    base = Lists.of([(one, (2,)) for one in itertools.product(*[range(3)] * 3)])
    better, worse = AXIOMS[axiom].compared(base, 2)
    margin = measure.score(better.judged(2)) - measure.score(worse.judged(2))
    assert sorted(margin) == pytest.approx(sorted(found), abs=1e-15)


def test_the_smallest_counter_example_comes_with_its_scores() -> None:
    assert outcomes("RR")[PRIORITY].counter_example == CounterExample(("1 1 0", "1 0 1"), (1.0, 1.0))
    example = outcomes("RRT")[CONFIDENCE].counter_example
    assert example == CounterExample(("1 | unretrieved 0", "1 0"), (1.0, 1.0))


def test_lower_is_better_turns_a_measure_round() -> None:
    searched = Search(longest=3, top_grade=1, largest=3)
    asl = searched.outcomes(parse_measure("ASL"))
    assert asl[PRIORITY].reversed == 0
    assert asl[PRIORITY].compared > asl[PRIORITY].equal


def test_a_measure_that_ignores_everything_violates_everything() -> None:
    class Constant(Measure, registered=False):
        """Nothing?"""

        def compute(self, rankings: JudgedRankings) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
            return np.ones(rankings.rows)

    found = Search(longest=4, top_grade=1, largest=3).outcomes(Constant())
    assert not any(outcome.satisfied for outcome in found.values())
    assert all(outcome.compared == outcome.equal > 0 for outcome in found.values())
    assert all(outcome.counter_example for outcome in found.values())


def test_what_cannot_be_searched() -> None:
    with pytest.raises(InputError, match="longest, top_grade and largest are at least 1"):
        Search(longest=0)
    with pytest.raises(InputError, match="more than 100000 rankings of up to 18 documents with grades 0 to 1"):
        Search(longest=18)
    with pytest.raises(InputError, match="a text"):
        Search(longest=1, largest=1).outcomes(REGISTRY["RunID"]())
    with pytest.raises(MeasureError, match="P needs a cutoff"):
        Search(longest=1, largest=1).outcomes(REGISTRY["P"]())


# What sections 3.1 to 3.4 say in words: section, words, measures, axioms, whether they are said to
# be satisfied, and whether the search says otherwise.

DIFFERS = True

STATEMENTS: list[tuple[str, str, str, list[str], bool, bool]] = [
    ("3.1", "rank correlations capture top-weightedness", "Kendall Spearman", [TOP], True, DIFFERS),
    ("3.1", "but no deepness threshold, and nor does AUC", "Kendall Spearman AUC", [DEEP], False, False),
    ("3.1, note 3", "AUC has no top-weightedness", "AUC", [TOP], False, False),
    ("3.1, note 3", "AP has", "AP", [TOP], True, DIFFERS),
    ("3.1", "binary measures of the top have no priority", "P@10 R@10 RR Rprec", [PRIORITY], False, False),
    ("3.1", "P@N and R@N have both thresholds", "P@10 R@10", [DEEP, SHALLOW], True, False),
    ("3.1", "R-precision has neither", "Rprec", [DEEP, SHALLOW], False, False),
    ("3.1", "RR has redundancy, in the extreme", "RR", [REDUNDANCY], True, False),
    ("3.1", "F has confidence", "SetF", [CONFIDENCE], True, DIFFERS),
    ("3.1", "F has recall and redundancy", "SetF", [RECALL, REDUNDANCY], True, False),
    ("3.1", "F has none of the first four: these three", "SetF", [PRIORITY, TOP, DEEP], False, False),
    ("3.1", "F has none of the first four: the fourth", "SetF", [SHALLOW], False, DIFFERS),
    ("3.1", "AP has priority", "AP", [PRIORITY], True, False),
    ("3.1", "AP, nDCG, Q, bpref have no deepness threshold", "AP nDCG Q Bpref", [DEEP], False, False),
    ("3.1", "ERR and RBP have", "ERR RBP(p=0.8) RBP(p=0.98)", [DEEP], True, False),
    ("3.1", "ERR has redundancy", "ERR", [REDUNDANCY], True, False),
    ("3.1", "RBP has a shallowness threshold", "RBP(p=0.8) RBP(p=0.98)", [SHALLOW], True, False),
    ("3.1", "iRBU has the first three", "iRBU(p=0.8) iRBU(p=0.98)", [PRIORITY, TOP, DEEP], True, False),
    ("3.1", "iRBU has the fourth", "iRBU(p=0.98)", [SHALLOW], True, False),
    ("3.1", "iRBU has the fourth", "iRBU(p=0.8)", [SHALLOW], True, DIFFERS),
    ("3.1", "the three have no recall", "ERR RBP(p=0.8) iRBU(p=0.8)", [RECALL], False, False),
    ("3.1", "divided by the ideal they have", "nERR nRBP(p=0.8) niRBU(p=0.8)", [RECALL], True, False),
    ("3.2", "terminal documents give confidence", "NDCGT ERRT RBPT(p=0.8) RRT", [CONFIDENCE], True, DIFFERS),
    ("3.3", "flat utility has no top-weightedness", "FlatUtility", [TOP], False, False),
    ("3.3", "utility has confidence", "FlatUtility RBU DCGU ERRU RBPU", [CONFIDENCE], True, False),
    ("3.3", "DCGU has no recall, as it cannot be normalised", "DCGU", [RECALL], False, False),
    ("3.4", "OIE has the first five: not the first", "OIE", [PRIORITY], True, DIFFERS),
    ("3.4", "OIE has the first five: the others", "OIE", [TOP, DEEP, SHALLOW, CONFIDENCE], True, False),
    ("3.4", "OIE has recall", "OIE", [RECALL], True, False),
    ("3.4", "OIE has redundancy", "OIE", [REDUNDANCY], True, DIFFERS),
]


@each_of("statement", STATEMENTS)
def test_statement_of_the_paper(statement: tuple[str, str, str, list[str], bool, bool]) -> None:
    *_, measures, axioms, said, differs = statement
    for name, axiom in itertools.product(measures.split(), axioms):
        assert outcomes(name)[axiom].satisfied == (said != differs), (name, axiom)


INHERITED = [
    *[("nDCG", "NDCGT"), ("ERR", "ERRT"), ("RBP(p=0.8)", "RBPT(p=0.8)"), ("RBP(p=0.98)", "RBPT(p=0.98)")],
    *[("RR", "RRT"), ("DCG", "DCGU"), ("ERR", "ERRU"), ("RBP(p=0.8)", "RBPU(p=0.8)")],
    *[("RBP(p=0.98)", "RBPU(p=0.98)"), ("iRBU(p=0.8)", "RBU(p=0.8)"), ("iRBU(p=0.98)", "RBU(p=0.98)")],
]


@pytest.mark.parametrize(("original", "variant"), INHERITED)
def test_variants_inherit_what_the_original_has(original: str, variant: str) -> None:
    """Sections 3.2 and 3.3."""
    for axiom, outcome in outcomes(original).items():
        assert outcomes(variant)[axiom].satisfied or not outcome.satisfied, axiom


def test_the_table_of_the_documentation_has_the_words_of_the_paper() -> None:
    """Of every cell, ✓ or ✗ where the words decide it, and in bold where the search says otherwise."""
    said = {
        (name, axiom): so for _, _, names, axioms, so, _ in STATEMENTS for name in names.split() for axiom in axioms
    }
    inherited = {
        (variant, axiom): True for original, variant in INHERITED for axiom in AXIOMS if said.get((original, axiom))
    }
    page = (Path(__file__).parents[2] / "docs" / "axioms.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if re.match(r"\| [^|]+ \| \**[●○◌]", line)]
    decided = {True: 0, False: 0}
    for measure, *cells in rows:
        for axiom, cell in zip(AXIOMS, cells, strict=True):
            family = measure.partition("(")[0]
            so = next(
                (of[name, axiom] for of in (said, inherited) for name in (measure, family) if (name, axiom) in of), None
            )
            agrees = so is None or ("●" in cell) == so
            assert ("✓" in cell, "✗" in cell, "**" in cell) == (so is True, so is False, not agrees), (measure, axiom)
            if so is not None:
                decided[agrees] += 1
    assert decided == {True: 68, False: 13}


# Where the paper and the search differ: the condition under which the paper's statement holds


def test_rank_correlations_count_an_exchange_the_same_at_every_rank() -> None:
    for name in ("Kendall", "Spearman", "AUC"):
        assert outcomes(name)[TOP].equal == outcomes(name)[TOP].compared
        assert outcomes(name)[PRIORITY].satisfied


def test_ap_is_not_top_weighted_from_rank_5_on() -> None:
    """Of 0 0 0 0 0 1 0 1, the exchange at ranks 5 and 6 brings 1/5 - 1/6, that at 7 and 8 brings 2/7 - 2/8."""
    ap = REGISTRY["AP"]()
    higher, lower = [0, 0, 0, 0, 1, 0, 0, 1], [0, 0, 0, 0, 0, 1, 1, 0]
    assert ap.of(higher) == pytest.approx((1 / 5 + 2 / 8) / 2)
    assert ap.of(lower) == pytest.approx((1 / 6 + 2 / 7) / 2)
    assert ap.of(higher) < ap.of(lower)
    assert Search(longest=7, top_grade=1, largest=1).outcomes(ap)[TOP].satisfied
    example = outcomes("AP")[TOP].counter_example
    assert example is not None
    assert example.lists == ("0 0 0 0 1 0 0 1", "0×5 1 1 0")


@pytest.mark.parametrize("name", ["SetF", "NDCGT", "ERRT", "RBPT(p=0.8)"])
def test_confidence_where_something_relevant_is_retrieved(name: str) -> None:
    outcome = outcomes(name)[CONFIDENCE]
    assert not outcome.satisfied
    assert outcome.reversed == 0
    assert outcome.if_found == "satisfied"


def test_a_terminal_document_gives_rr_no_confidence() -> None:
    assert outcomes("RRT")[CONFIDENCE].if_found == "violated"


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("RBP", 0.754, 0.756), ("iRBU", 0.903, 0.904), ("RBPU", 0.778, 0.779), ("RBU", 0.978, 0.979)],
)
def test_shallowness_depends_on_patience(name: str, low: float, high: float) -> None:
    """RBP: p^m (1 - p^m) > 1 - p, for m = 2 p² (1 + p) > 1; iRBU of P = 3/4, m = 2: p² (1 + p/4) > 1."""
    assert not outcomes(f"{name}(p={low})")[SHALLOW].satisfied
    assert outcomes(f"{name}(p={high})")[SHALLOW].satisfied


def dearest_rbpu(p: float) -> float:
    """Where p^n (1 - p^n) - e (1 - p^2n) is no more than (1 - p) (1 - e), for every n."""
    return max((p**n * (1 - p**n) - (1 - p)) / ((1 - p ** (2 * n)) - (1 - p)) for n in range(1, 1000))


def dearest_rbu(p: float, found: float) -> float:
    """The same with the chance that a document is enough, and that those above were not."""
    on = p * (1 - found)
    gain = ((1 - p) * found * (p**n * (1 - on**n) / (1 - on) - 1) for n in range(1, 1000))
    return max(more / ((1 - p ** (2 * n)) - (1 - p)) for n, more in enumerate(gain, 1))


@pytest.mark.parametrize("p", [0.8, 0.9, 0.95, 0.98])
def test_effort_too_dear_leaves_no_shallow_threshold(p: float) -> None:
    for name, e in (("RBPU", dearest_rbpu(p)), ("RBU", dearest_rbu(p, 3 / 4))):
        assert not outcomes(f"{name}(p={p},e={max(e, 0) + 0.001})")[SHALLOW].satisfied
        if e > 0:
            assert outcomes(f"{name}(p={p},e={e - 0.001})")[SHALLOW].satisfied


@pytest.mark.parametrize("name", ["FlatUtility", "DCGU"])
def test_effort_of_a_half_turns_one_threshold_into_the_other(name: str) -> None:
    for e, axiom, other in ((0.2, SHALLOW, DEEP), (0.5, DEEP, SHALLOW)):
        assert outcomes(f"{name}(e={e})")[axiom].satisfied
        assert not outcomes(f"{name}(e={e})")[other].satisfied


@pytest.mark.parametrize(("beta", "axioms"), [(1.0, [SHALLOW]), (1.5, [CONFIDENCE, RECALL, DEEP, SHALLOW])])
def test_oie_needs_a_beta_above_1(beta: float, axioms: list[str]) -> None:
    four = [CONFIDENCE, RECALL, DEEP, SHALLOW]
    assert [axiom for axiom in four if outcomes(f"OIE(beta={beta})")[axiom].satisfied] == axioms
    assert not outcomes("OIE(beta=1.55)")[SHALLOW].satisfied


@pytest.mark.parametrize(("original", "variant"), [("RBP(p=0.77)", "RBPU(p=0.77)"), ("iRBU(p=0.95)", "RBU(p=0.95)")])
def test_between_the_two_the_threshold_is_not_inherited(original: str, variant: str) -> None:
    assert outcomes(original)[SHALLOW].satisfied
    assert not outcomes(variant)[SHALLOW].satisfied


def test_p_at_n_needs_four_ranks_for_a_shallow_threshold() -> None:
    assert not outcomes("P@3")[SHALLOW].satisfied
    assert outcomes("P@4")[SHALLOW].satisfied
    assert outcomes("P@4")[SHALLOW].size == 2


def test_oie_has_priority_for_two_kinds_of_documents() -> None:
    assert search(1).outcomes(REGISTRY["OIE"]())[PRIORITY].satisfied
    example = outcomes("OIE")[PRIORITY].counter_example
    assert example is not None
    assert example.lists == ("0 0 1 2 0", "0 0 0 2 1")  # grade 1 has log(1/3) there, and log(2/5)
    assert example.scores[1] - example.scores[0] == pytest.approx(1.05 * np.log((2 / 5) / (1 / 3)) / 20_000)


def test_who_lacks_one_axiom_alone() -> None:
    seven = [axiom for axiom in AXIOMS if axiom != WITHIN]
    assert [axiom for axiom in seven if not outcomes("RBU(p=0.98)")[axiom].satisfied] == [RECALL]
    binary = search(1).outcomes(REGISTRY["OIE"]())
    assert [axiom for axiom in seven if not binary[axiom].satisfied] == [REDUNDANCY]


@pytest.mark.parametrize("missed", range(5))
def test_oie_has_redundancy_while_at_most_one_relevant_document_is_missed(missed: int) -> None:
    """With k missed, the first adds more by beta log((k+2)² / (2 (k+1)²)), and something of order beta - 1."""
    lists = Lists.of([([0] * length, [1] * missed) for length in range(2, 12)])
    first, nothing, both, second = (
        REGISTRY["OIE"]().score(some.judged(1)) for some in AXIOMS[REDUNDANCY].compared(lists, 1)
    )
    assert ((first - nothing > both - second) == (missed <= 1)).all()
    exact = 1.05 * np.log((missed + 2) ** 2 / (2 * (missed + 1) ** 2))
    entropy = [m * np.log(20_000 / max(m, 1)) for m in range(missed, missed + 3)]
    exact += (1 - 1.05) * (2 * entropy[1] - entropy[0] - entropy[2])
    assert first - nothing - both + second == pytest.approx(exact / 20_000, rel=1e-6)


@pytest.mark.parametrize("name", ["SetF", "OIE"])
def test_the_papers_redundancy_is_of_documents_judged_otherwise(name: str) -> None:
    """Within one topic neither F nor OIE, which the paper says have it, ever has."""
    outcome = outcomes(name)[WITHIN]
    assert outcome.equal + outcome.reversed == outcome.compared


def test_oies_deepness_threshold_lies_at_a_fifth_of_the_collection() -> None:
    short, long = thresholds([4000, 4200], 1)
    oie = REGISTRY["OIE"]()
    margin = oie.score(short.judged(1)) - oie.score(long.judged(1))
    assert (margin.reshape(2, 2)[:, 0] > 0).tolist() == [False, True]


# Properties that measures declare, and what the search finds

OTHER_REASONS = {
    "RBPProjected": "unjudged documents",
    "infAP": "documents of negative grade, which are left out",
    "xinfAP": "documents of negative grade, which are left out",
    "infP": "documents that were not drawn, for which others stand",
    "infNDCG": "documents that were not drawn, for which others stand",
    "G": "gains of one's own",
    "Accuracy": "documents of negative grade",
    "RBPResidual": "what promotion cannot change",
    "ForwardSpace": "longer lists",
    "Space": "longer lists",
    "RelativeRelevance": "gains of one's own",
    "Unjudged": "unjudged documents",
}


def typical(name: str) -> Measure:
    measure = REGISTRY[name]
    return measure() @ measure.at_typical[:2][-1] if measure.at_required else measure()


NUMERIC = [n for n, m in REGISTRY.items() if not m.text and m.__module__.startswith("cranfield.measures")]


@cache
def small() -> Search:
    return Search(longest=4, top_grade=2, random=200, largest=1)


@cache
def small_outcomes(name: str) -> Mapping[str, Searched]:
    return small().outcomes(typical(name))


@each_of("name", NUMERIC)
def test_rewards_promotion_agrees_with_priority(name: str) -> None:
    measure, outcome = typical(name), small_outcomes(name)[PRIORITY]
    raised = outcome.compared - outcome.equal - outcome.reversed
    lowers = outcome.reversed if measure.higher_is_better else raised
    if measure.rewards_promotion:
        assert lowers == 0, outcome.counter_example
    elif measure.summary != "sum":
        assert lowers > 0 or name in OTHER_REASONS


def without_recall(name: str) -> bool:
    outcome = small_outcomes(name)[RECALL]
    return outcome.equal == outcome.compared


@each_of("name", [n for n in NUMERIC if not REGISTRY[n].uses_recall_base])
def test_without_a_recall_base_there_is_no_recall(name: str) -> None:
    assert without_recall(name)


def test_with_a_recall_base_what_is_missed_counts() -> None:
    """SetP, Utility, ESL and IPrec use it with other settings than these; RRT where nothing is relevant.

    Measures of subtopics do where there are several: `test_what_covers_another_subtopic_counts`.
    """
    of_one = {"Coverage", "ERR_IA", "NRBP", "P_IA", "StRecall", "alpha_DCG"}
    unmoved = {name for name in NUMERIC if REGISTRY[name].uses_recall_base and without_recall(name)}
    assert unmoved == {"ESL", "IPrec", "RRT", "SetP", "Utility"} | of_one


@each_of("name", NUMERIC)
def test_grades_count_where_declared(name: str) -> None:
    lists, measure = random_lists(500, (1, 20), 2, np.random.default_rng(5)), typical(name)
    binary = Lists(*(np.where(grade > 0, np.int8(2), grade) for grade in (lists.grade, lists.unretrieved)))
    same = np.allclose(measure.score(lists.judged(2)), measure.score(binary.judged(2)), rtol=1e-12, atol=0)
    assert measure.graded != same


# What a search cannot know


@pytest.mark.parametrize("name", ["RBP(p=0.999)", "OIE(docs=100000)"])
def test_a_threshold_that_is_not_found_is_open(name: str) -> None:
    """RBP: p^n (1 - p^n) < 1 - p from n = 6,904 on; OIE: a fifth of 100,000. The search ends at 5,000."""
    outcome = outcomes(name)[DEEP]
    assert (outcome.verdict, outcome.size) == ("open", 5000)
    p = 0.999
    assert p**6903 * (1 - p**6903) > 1 - p > p**6904 * (1 - p**6904)


@pytest.mark.parametrize("name", ["RBP(p=0.3)", "RBP(p=0.1)", "iRBU(p=0.3)", "RBU(p=0.3)", "RBPT(p=0.3)", "ERR"])
def test_what_is_small_is_no_tie(name: str) -> None:
    """0.3^30 is lost beside 1, and is more than nothing."""
    found = outcomes(name)
    assert [found[axiom].verdict for axiom in (PRIORITY, TOP)] == ["satisfied", "satisfied"]
    assert found[PRIORITY].equal == found[TOP].equal == 0


def test_a_terminal_document_far_down_loses_all_the_same() -> None:
    """RBPT(p=0.1): one more that is missed takes T p^n from less than 10^-7 of the value on."""
    assert outcomes("RBPT(p=0.1)")[RECALL].verdict == "satisfied"
    assert outcomes("RBPU(p=0.1)")[CONFIDENCE].verdict == "satisfied"


def test_equal_in_long_lists_alone_may_be_rounding() -> None:
    """NRBP is RBP over a constant of the topic, and has Priority; the parts of its values are not known here."""
    outcome = outcomes("nRBP(p=0.3)")[PRIORITY]
    assert outcome.verdict == "open"
    assert outcome.reversed == 0 < outcome.equal


def test_what_is_nothing_on_both_sides_is_equal() -> None:
    """R@10 knows nothing below rank 10: 0 of 1 and 0 of 2."""
    assert outcomes("R@10")[RECALL].verdict == "violated"


@pytest.mark.parametrize("name", ["Kendall", "Spearman"])
def test_rank_correlations_have_confidence_once_something_is_found(name: str) -> None:
    outcome = outcomes(name)[CONFIDENCE]
    assert (outcome.verdict, outcome.if_found) == ("violated", "satisfied")
    measure = REGISTRY[name]()
    assert measure.of([1], [0]) > measure.of([1, 0])
    assert measure.of([], [1, 0]) == measure.of([0], []) == 0  # no order in either
    assert outcomes("AUC")[CONFIDENCE].if_found == "violated"


def test_oies_priority_for_neighbours_is_strict() -> None:
    """It brings β log((i + 1) / i) if the worse one is not relevant, else β log((c + 1) / c): both are above 0."""
    base = every_list(6, 2)
    grade = base.grade
    row, upper = np.nonzero((grade[:, :-1] >= 0) & (grade[:, :-1] < grade[:, 1:]))
    oie = REGISTRY["OIE"]()
    better, worse = base[row].exchanging(upper, upper + 1), base[row]
    assert (oie.score(better.judged(2)) > oie.score(worse.judged(2)) + 1e-9).all()


def test_every_small_n_is_tried() -> None:
    tried = Search(longest=1, largest=5000).sizes
    assert tried[:100] == list(range(1, 101))
    assert tried[-1] == 5000
    assert all(later <= 1.05 * earlier for earlier, later in itertools.pairwise(tried[99:]))
