"""The guide to choosing a measure: its questions and its advice, as data that the command asks and the docs draw."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import shown

DIGITS: Final = 9
"""No number in an answer has more."""


@dataclass(frozen=True)
class Answer:
    """One of the answers to a question: a word to give it by, what it means, and where it leads."""

    word: str
    meaning: str
    then: str


@dataclass(frozen=True)
class Question:
    """A question with a few answers; ``about`` is what the field calls the matter."""

    text: str
    about: str
    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class Number:
    """A question for a whole number, which the advice is filled with."""

    text: str
    about: str
    name: str
    then: str
    least: int = 2


@dataclass(frozen=True)
class Advice:
    """The recommended measures, and why."""

    # names, in which ``{n}`` stands for the number of documents read and ``{p}`` for the persistence of a user who
    # reads so many on average: p = 1 - 1/n
    measures: tuple[str, ...]
    reason: str  # why these
    options: tuple[str, ...] = ()  # further options for the command


Node: TypeAlias = Question | Number | Advice

_EMPTY = ("--missing", "empty")
"""For measures of where a list ends: a topic that a run lacks is a list that was left empty."""

_DEPTH = "About how many documents does a user look at, on average?"


def _redundancy(no: str, yes: str) -> Question:
    """Ask whether what was found above counts; it leads here or there."""
    answers = Answer("no", "each keeps its own value", no), Answer("yes", "the user may be satisfied and stop", yes)
    return Question("Is a relevant document worth less if others were found above it?", "Redundancy", answers)


def _depth_unsatisfied(shallow: str, deep: str) -> Question:
    """Ask how far a user looks who is not satisfied; it leads here or there."""
    answers = Answer("shallow", "a few documents", shallow), Answer("deep", "many documents", deep)
    return Question("How deep does an unsatisfied user look?", "Deepness threshold", answers)


GUIDE_NODES: dict[str, Node] = {
    "length": Question(
        "Does the system decide how long its list is, and should a good decision count?",
        "Confidence",
        (
            Answer("no", "every list is as long as allowed, or its end does not matter", "attention"),
            Answer("yes", "a list should end where nothing relevant is left", "positions"),
            Answer("abstain", "a question may be unanswerable: where there is no answer, silence is right", "silence"),
        ),
    ),
    "silence": Advice(
        ("NDCGT", "ERRT", "FlatUtility(e=0.05)"),
        "On a question without an answer, NDCGT and ERRT are 1 for an empty list and lower for every other; P and "
        "nDCG are 0 for both. FlatUtility is 0 for the empty list there, and each document costs e. `cranfield "
        "experiment abstention` finds the score from which to answer; see the page on unanswerable questions.",
        _EMPTY,
    ),
    "attention": Question(
        "How does the user's attention go down the list?",
        "Top-weightedness",
        (
            Answer("falls", "each further document is less likely to be looked at", "purpose"),
            Answer("first", "the first n documents are looked at, and none below", "seen"),
            Answer("all", "everything is looked at; systems only order the same documents", "order"),
        ),
    ),
    "order": Advice(
        ("Kendall", "Spearman", "AUC"),
        "If every document is examined anyway, only the order counts: correlate it with the order of the grades, "
        "or (AUC) ask how often a relevant document ranks above a non-relevant one.",
    ),
    "seen": Number("How many documents are looked at?", "Deepness threshold", "n", "share", least=1),
    "share": Question(
        "What matters about them?",
        "Recall",
        (
            Answer("precision", "how many of them are relevant", "precision"),
            Answer("recall", "how many of the relevant documents are among them", "recall-at"),
            Answer("parts", "how many parts of the answer they hold: the judgments are by subtopic or nugget", "parts"),
        ),
    ),
    "precision": Advice(("P@{n}",), "All ranks down to {n} count the same, and nothing below counts."),
    "parts": Advice(
        ("Coverage@{n}", "StRecall@{n}", "alpha_nDCG@{n}"),
        "Coverage is the share of all subtopics that the list covers down to rank {n}, StRecall that of the subtopics "
        "which some judged document covers. alpha_nDCG also counts how soon they are covered, and a second document "
        "for the same subtopic counts half.",
    ),
    "parts-depth": Number(_DEPTH, "Deepness threshold", "n", "parts"),
    "recall-at": Advice(("R@{n}",), "The share of the relevant documents among the first {n}."),
    "purpose": Question(
        "What should the number say?",
        "Gain and effort",
        (
            Answer("gain", "how much the user gains", "judged"),
            Answer("effort", "how much avoidable effort the ranking costs", "effort"),
            Answer("both", "how much effort the gain costs", "gain-and-effort"),
        ),
    ),
    "effort": Advice(
        ("Twist", "Recovery", "BalancePoint"),
        "Twist combines how late the list makes up for misplaced documents (the recovery ratio) with how much was "
        "misplaced on the way (the space ratios); `cranfield curve QRELS RUNS -m CRP` shows it rank by rank.",
    ),
    "gain-and-effort": Advice(
        ("nDCG(base=10)", "Twist"),
        "Runs of the same gain can differ widely in effort: look at both together "
        "(`cranfield experiment effort-gain` counts who gains much at great effort).",
    ),
    "judged": Question(
        "How many documents near the top of the lists are judged?",
        "Incomplete judgments",
        (
            Answer("most", "nearly all (Judged@10 is close to 1)", "one"),
            Answer("few", "many of them are unjudged, as in a reused collection or a shallow pool", "unjudged"),
        ),
    ),
    "unjudged": Question(
        "What should happen to the unjudged documents?",
        "Incomplete judgments",
        (
            Answer("bound", "report how much they could change", "bound-depth"),
            Answer("skip", "leave them out", "skip"),
            Answer("estimate", "estimate from the judged ones", "estimate-depth"),
        ),
    ),
    "bound-depth": Number(_DEPTH, "Deepness threshold", "n", "bound"),
    "bound": Advice(
        ("RBP(p={p})", "RBPResidual(p={p})"),
        "RBP does not need to know how many relevant documents there are, and its residual is exactly what the "
        "unjudged documents could add; `cranfield compare --residuals` marks differences that they could reverse.",
        ("--bounds",),
    ),
    "skip": Advice(
        ("Bpref", "nDCG(judged_only=True)@10"),
        "Bpref compares judged documents only; a condensed list closes up the gaps that unjudged ones leave.",
    ),
    "estimate-depth": Number(_DEPTH, "Deepness threshold", "n", "estimate"),
    "estimate": Advice(
        ("infAP", "xinfAP", "RBPProjected(p={p})"),
        "infAP treats the judged documents as a random sample (for random pools), xinfAP as a stratified one (if the "
        "qrels name the strata); the projection assumes that unjudged documents gain as much as judged ones.",
    ),
    "one": Question(
        "Does the user need only one relevant document?",
        "Redundancy",
        (
            Answer("yes", "a known item, or a fact that any one document states", "first-relevant"),
            Answer("no", "more is better", "recall"),
            Answer("parts", "an answer has parts, and the judgments say which documents hold which", "parts-depth"),
        ),
    ),
    "first-relevant": Advice(("RR",), "One over the rank of the first relevant document; nothing after it counts."),
    "recall": Question(
        "Should it matter how many relevant documents there are in the collection?",
        "Recall",
        (
            Answer("yes", "finding three of three is better than three of thirty", "grades"),
            Answer("no", "only what was found counts", "redundancy"),
        ),
    ),
    "grades": Question(
        "Are there degrees of relevance that should count?",
        "Graded relevance",
        (
            Answer("no", "a document is relevant or it is not", "binary"),
            Answer("yes", "a highly relevant document is worth more", "graded"),
        ),
    ),
    "binary": Advice(("AP",), "Precision at each relevant document, averaged over all relevant documents."),
    "graded": Advice(("nDCG",), "The discounted gain, as a share of that of the best possible ranking."),
    "redundancy": _redundancy("persistent-depth", "satisfied-depth"),
    "persistent-depth": Number(_DEPTH, "Deepness threshold", "n", "persistent"),
    "persistent": Advice(
        ("RBP(p={p})",), "A user who goes on to the next document with probability {p} looks at {n} on average."
    ),
    "satisfied-depth": _depth_unsatisfied("shallow", "patience"),
    "shallow": Advice(("ERR",), "The expected reciprocal rank at which a user is satisfied, and stops."),
    "patience": Number(_DEPTH, "Deepness threshold", "n", "deep"),
    "deep": Advice(
        ("iRBU(p={p})",), "As ERR, but patience decides how fast attention falls: p = {p} for {n} documents on average."
    ),
    "positions": Question(
        "Does every position in the returned list count equally?",
        "Top-weightedness",
        (
            Answer("no", "the top of the list counts for more", "cut-recall"),
            Answer("yes", "the list is a set, and all of it is read", "set"),
        ),
    ),
    "set": Question(
        "Should it matter how many relevant documents there are in the collection?",
        "Recall",
        (
            Answer("yes", "what was missed counts too", "set-recall"),
            Answer("no", "each relevant document is worth something, and each document read costs", "set-utility"),
        ),
    ),
    "set-recall": Advice(
        ("SetF", "SetP", "SetR"), "The harmonic mean of precision and recall of the whole list.", _EMPTY
    ),
    "set-utility": Advice(
        ("FlatUtility(e=0.05)",),
        "Relevance minus effort: each document read costs e, so 1 relevant document pays for 20.",
        _EMPTY,
    ),
    "cut-recall": Question(
        "Should it matter how many relevant documents there are in the collection?",
        "Recall",
        (
            Answer("no", "only what was found counts", "cut-redundancy"),
            Answer("yes", "a list that ends early must have found everything", "cut-recall-redundancy"),
        ),
    ),
    "cut-redundancy": _redundancy("cut-depth", "cut-satisfied"),
    "cut-depth": Number(_DEPTH, "Deepness threshold", "n", "utility"),
    "utility": Advice(
        ("RBPU(p={p},e=0.05)",),
        "RBP minus the effort e of each document the user reaches: a list should end where it gains no more.",
        _EMPTY,
    ),
    "cut-satisfied": _depth_unsatisfied("utility-shallow", "utility-patience"),
    "utility-shallow": Advice(("ERRU(e=0.05)",), "ERR minus the effort of the documents read on the way.", _EMPTY),
    "utility-patience": Number(_DEPTH, "Deepness threshold", "n", "utility-deep"),
    "utility-deep": Advice(
        ("RBU(p={p},e=0.05)",),
        "Rank-biased utility: ERR with patience {p}, minus the effort of each document read.",
        _EMPTY,
    ),
    "cut-recall-redundancy": _redundancy("information", "terminal"),
    "information": Advice(
        ("OIE", "NDCGT", "DCGU(e=0.05)"),
        "OIE compares the information in the list with all the relevant information, missed documents included; it "
        "suits lists that end where they should, and misleads on full ones. NDCGT is nDCG with a terminal document "
        "added, whose grade rises with the share of relevant documents found. Amigó, Mizzaro and Spina (2022) "
        "recommend DCGU here (section 5), the discounted gain minus the discounted effort; their section 3.3 rightly "
        "says that it lacks Recall: missed documents do not change it.",
        _EMPTY,
    ),
    "terminal": Advice(
        ("ERRT",),
        "ERR with a terminal document added, whose grade rises with the share of relevant documents found: missed "
        "documents count, and so do those above. Lists that find nothing relevant all have the same value, however "
        "long. Amigó, Mizzaro and Spina (2022) recommend OIE here; it counts the documents above only where at most "
        "one relevant document is missed.",
        _EMPTY,
    ),
}
"""The questions and the advice by their keys; "length" comes first.

The main line is that of Amigó, Mizzaro and Spina (2022), Figure 4; effort and incomplete judgments
are added. Where the measure that the figure names lacks what was asked for, by the paper itself or
by our search (`axioms`), one that has it comes first, and the reason says so.
"""

START = "length"


@dataclass(frozen=True)
class Recommendation:
    """Where answers lead: the measures, why, and the command to run."""

    measures: tuple[str, ...]
    reason: str
    options: tuple[str, ...]
    path: tuple[tuple[str, str], ...]

    @property
    def command(self) -> str:
        """The command that evaluates with these measures."""
        asked = [part for name in self.measures for part in ("-m", name)]
        return f"cranfield evaluate QRELS RUNS {shlex.join([*asked, *self.options])}"


class Walk:
    """A walk through the guide, answer by answer."""

    def __init__(self) -> None:
        self.key = START
        self.numbers: dict[str, str] = {}
        self.path: list[tuple[str, str]] = []

    @property
    def question(self) -> Question | Number | None:
        """The next question; None at the end."""
        node = GUIDE_NODES[self.key]
        return None if isinstance(node, Advice) else node

    def answer(self, word: str) -> None:
        """Take an answer, and go on to where it leads."""
        node = self.question
        if node is None:
            raise InputError(f"no question is left for the answer {word!r}")
        then = self._number(node, word) if isinstance(node, Number) else _choice(node, word)
        self.path.append((self.key, word))
        self.key = then

    def _number(self, node: Number, word: str) -> str:
        if not word.isdecimal() or len(word) > DIGITS or int(word) < node.least:
            raise InputError(f"{node.text} A whole number from {node.least} to {10**DIGITS - 1:,}, not {shown(word)}")
        self.numbers = {"n": str(int(word)), "p": f"{1 - 1 / int(word):.{max(4, len(word))}g}"}  # never rounded to 1
        return node.then

    @property
    def chosen(self) -> Recommendation:
        """The advice at the end of the walk."""
        node = GUIDE_NODES[self.key]
        if not isinstance(node, Advice):
            raise InputError(f"one more answer is needed: {described(node)}")
        measures = tuple(name.format(**self.numbers) for name in node.measures)
        return Recommendation(measures, node.reason.format(**self.numbers), node.options, tuple(self.path))


def _choice(node: Question, word: str) -> str:
    for answer in node.answers:
        if answer.word == word.strip().lower():
            return answer.then
    raise InputError(f"{described(node)}, not {word!r}")


def choose(answers: Iterable[str]) -> Recommendation:
    """Which measure fits these answers?

    Parameters
    ----------
    answers
        The answers in the order of the guide's questions: words, or a number where it asks for one.

    Returns
    -------
    Recommendation : the measures with their parameters, the reason, and the command to run.

    Raises
    ------
    InputError
        If an answer is not among the choices, or there are too few or too many; the message names
        the question.

    Paper: Amigó, Mizzaro and Spina (2022), "Ranking interruptus: when truncated rankings are better
    and how to measure that", SIGIR, section 5 and Figure 4.

    Examples
    --------
    >>> choose(["no", "falls", "gain", "most", "no", "no", "no", "10"]).measures  # p = 1 - 1/10
    ('RBP(p=0.9)',)
    >>> choose(["yes", "perhaps"])
    Traceback (most recent call last):
    ...
    cranfield.InputError: Does every position ... count equally? no or yes, not 'perhaps'
    """
    walk = Walk()
    for answer in answers:
        walk.answer(answer)
    return walk.chosen


def described(node: Question | Number) -> str:
    """Put a question and its answers in one line."""
    if isinstance(node, Number):
        return f"{node.text} (a number)"
    return f"{node.text} {' or '.join(answer.word for answer in node.answers)}"


def branches(key: str = START, depth: int = 0, word: str = "") -> Iterator[tuple[int, str, Node]]:
    """Walk the whole tree below a node: depth, the answer that led there, and what is there.

    >>> [(depth, word) for depth, word, _ in branches("recall")][:4]
    [(0, ''), (1, 'yes'), (2, 'no'), (2, 'yes')]
    """
    node = GUIDE_NODES[key]
    yield depth, word, node
    if isinstance(node, Number):
        yield from branches(node.then, depth + 1, "n")
    elif isinstance(node, Question):
        for answer in node.answers:
            yield from branches(answer.then, depth + 1, answer.word)
