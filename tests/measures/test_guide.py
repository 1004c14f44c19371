"""The guide to choosing a measure: every way through it ends in measures that exist and run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tools.each import each_of

import cranfield as cf
from cranfield.measures.framework.guide import GUIDE_NODES, START, Advice, Number, Question, branches, choose
from cranfield.plumbing.errors import InputError

QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1, "d": 0}}
RUN = {"1": {"b": 3.0, "a": 2.5}, "2": {"d": 1.5, "a": 1.0}}


def ways(key: str = START) -> Iterator[list[str]]:
    """All sequences of answers; every number is answered with 10."""
    node = GUIDE_NODES[key]
    if isinstance(node, Advice):
        yield []
    elif isinstance(node, Number):
        yield from (["10", *rest] for rest in ways(node.then))
    else:
        for answer in node.answers:
            yield from ([answer.word, *rest] for rest in ways(answer.then))


@each_of("answers", list(ways()))
def test_every_way_ends_in_measures_that_can_be_computed(answers: list[str]) -> None:
    chosen = choose(answers)
    scores = cf.evaluate(QRELS, {"mine": RUN}, chosen.measures, bounds="--bounds" in chosen.options)
    assert [str(measure) for measure in scores.measures] == [str(m) for m in cf.parse_measures(chosen.measures)]
    assert len(chosen.path) == len(answers)
    assert "{" not in chosen.command + chosen.reason


def test_where_missed_documents_weigh_they_do() -> None:
    """The first measure of each advice has Recall; DCGU, which the paper's section 5 names there, has not."""
    for answers in (["yes", "no", "yes", "no"], ["yes", "no", "yes", "yes"], ["yes", "yes", "yes"]):
        [first, *_] = cf.parse_measures(choose(answers).measures)
        assert first.of([1], []) != first.of([1], [1] * 9), first
    dcgu = cf.DCGU(e=0.05)
    assert dcgu.of([1], []) == dcgu.of([1], [1] * 9)
    reason = choose(["yes", "no", "yes", "no"]).reason
    assert "section 5" in reason
    assert "section 3.3" in reason


def test_where_what_stands_above_counts_it_does() -> None:
    """Of two relevant documents the second brings less than the first, by ERRT; by OIE with two missed, more."""
    assert choose(["yes", "no", "yes", "yes"]).measures == ("ERRT",)

    def second_less_first(measure: cf.Measure, missed: list[int]) -> float:
        first = measure.of([0, 1], missed) - measure.of([0, 0], missed)
        return measure.of([1, 1], missed) - measure.of([1, 0], missed) - first

    for missed in ([], [1], [1, 1], [1] * 9):
        assert second_less_first(cf.ERRT(), missed) < 0
    assert second_less_first(cf.OIE(), [1, 1]) > 0


def test_measures_of_a_lists_end_take_a_missing_topic_for_an_empty_list() -> None:
    for answers in ways():
        chosen = choose(answers)
        assert ("--missing empty" in chosen.command) == (answers[0] in {"yes", "abstain"}), answers


def test_nothing_in_the_guide_is_out_of_reach() -> None:
    reached = [node for _, _, node in branches()]
    assert all(node in reached for node in GUIDE_NODES.values())


def test_answers_to_a_question_differ() -> None:
    for node in GUIDE_NODES.values():
        if isinstance(node, Question):
            words = [answer.word for answer in node.answers]
            assert len(set(words)) == len(words) > 1


@each_of(
    ("answers", "measures"),
    [
        # The leaves of Figure 4 of Amigó, Mizzaro and Spina (2022), as its section 5 describes
        # them.
        (["no", "all"], ("Kendall", "Spearman", "AUC")),
        (["no", "first", "20", "precision"], ("P@20",)),
        (["no", "first", "1", "precision"], ("P@1",)),  # read aloud, one document is all there is
        (["no", "first", "100", "recall"], ("R@100",)),
        (["no", "falls", "gain", "most", "yes"], ("RR",)),
        (["no", "falls", "gain", "most", "no", "yes", "no"], ("AP",)),
        (["no", "falls", "gain", "most", "no", "yes", "yes"], ("nDCG",)),
        (["no", "falls", "gain", "most", "no", "no", "yes", "shallow"], ("ERR",)),
        (["no", "falls", "gain", "most", "no", "no", "yes", "deep", "50"], ("iRBU(p=0.98)",)),
        (["no", "falls", "gain", "most", "no", "no", "no", "5"], ("RBP(p=0.8)",)),
        (["yes", "yes", "yes"], ("SetF", "SetP", "SetR")),
        (["yes", "no", "no", "no", "50"], ("RBPU(p=0.98,e=0.05)",)),
        (["yes", "no", "no", "yes", "shallow"], ("ERRU(e=0.05)",)),
        (["yes", "no", "no", "yes", "deep", "10"], ("RBU(p=0.9,e=0.05)",)),
        # Where the figure names DCGU and OIE, the first does not do what was asked, and the second
        # is no measure of it.
        (["yes", "no", "yes", "no"], ("OIE", "NDCGT", "DCGU(e=0.05)")),
        (["yes", "no", "yes", "yes"], ("ERRT",)),
        # What was added to it.
        (["abstain"], ("NDCGT", "ERRT", "FlatUtility(e=0.05)")),
        (["no", "falls", "effort"], ("Twist", "Recovery", "BalancePoint")),
        (["no", "falls", "gain", "few", "bound", "10"], ("RBP(p=0.9)", "RBPResidual(p=0.9)")),
        (["no", "falls", "gain", "few", "bound", "50000"], ("RBP(p=0.99998)", "RBPResidual(p=0.99998)")),
        (["no", "falls", "gain", "few", "bound", "3"], ("RBP(p=0.6667)", "RBPResidual(p=0.6667)")),
        (["no", "falls", "gain", "few", "skip"], ("Bpref", "nDCG(judged_only=True)@10")),
    ],
)
def test_where_answers_lead(answers: list[str], measures: tuple[str, ...]) -> None:
    assert choose(answers).measures == measures


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        ([], "one more answer is needed: Does the system decide"),
        (["no", "first", "ten"], "A whole number from 1 to 999,999,999, not 'ten'"),
        (["no", "first", "0"], "A whole number from 1 to 999,999,999, not '0'"),
        (["no", "falls", "gain", "few", "bound", "1"], "A whole number from 2 to 999,999,999, not '1'"),
        (["no", "first", "1" * 5000], "A whole number from 1 to 999,999,999, not '111"),
        (["maybe"], "no or yes or abstain, not 'maybe'"),
        (["no", "all", "10"], "no question is left for the answer '10'"),
    ],
)
def test_wrong_answers_are_explained(answers: list[str], problem: str) -> None:
    with pytest.raises(InputError, match=problem.replace("?", r"\?")):
        choose(answers)
