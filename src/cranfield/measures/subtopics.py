"""Subtopics: how much of a topic's subtopics, nuggets or aspects the documents cover, and how soon.

A document that covers a subtopic once more is worth less, or nothing. Judgments are by subtopic: see
`docs/subtopics.md`. Where they are not, each topic is its only subtopic.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from cranfield.judged.completions import Bounds, open_documents
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings
from cranfield.measures.framework.by_subtopic import BySubtopic, Covered, Novel, NovelShare, SubtopicHits
from cranfield.measures.framework.parameters import cutoff, parameter
from cranfield.plumbing.arrays import Floats, Integers, ratio


class alpha_DCG(Novel):  # noqa: N801 - as the field writes it
    """How much that is new do the first k documents say, discounted by rank, of the most that any could say?

    alpha_DCG@k = Σ_{i ≤ k} Σ_s [document i covers s] (1 - alpha)^(covered before) / log2(i + 1) / most,
    most = S Σ_{i ≤ k} (1 - alpha)^(i-1) / log2(i + 1)

    S is the number of subtopics that some document of the judgments covers. Divided by ``most``, a
    list scores 1 in which each document covers every subtopic; ndeval does the same, except at k = 1.

    Paper: Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher and MacKinnon (2008), "Novelty and
    diversity in information retrieval evaluation", SIGIR; as ndeval computes it.

    >>> round(alpha_DCG(cutoff=2).of([1, 1]), 4)  # one subtopic: (1 + 0.5/log2(3)) / (1 + 0.5/log2(3))
    1.0
    >>> round(alpha_DCG(cutoff=2).of([0, 1]), 4)  # (1/log2(3)) / (1 + 0.5/log2(3))
    0.4796
    """

    looked_for = ("alpha-DCG", "diversity", "novelty", "nuggets", "TREC Web")
    aliases = ("α_DCG",)
    at_required = True
    cutoff: int | None = cutoff()


class alpha_nDCG(NovelShare):  # noqa: N801 - as the field writes it
    """How much that is new do the first k documents say, discounted by rank, of what the best list says?

    alpha_nDCG@k = DCG@k / DCG@k of the best list,
    DCG@k = Σ_{i ≤ k} Σ_s [document i covers s] (1 - alpha)^(covered before) / log2(i + 1)

    The best list is found greedily, as ndeval finds it: at every rank stands the document that adds
    most to those above it, and of several such documents the one whose id is last. A list can beat
    the greedy one, though it rarely does; its value is then a little above 1.

    Paper: Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher and MacKinnon (2008), "Novelty and
    diversity in information retrieval evaluation", SIGIR; as ndeval computes it.

    >>> round(alpha_nDCG(cutoff=2).of([0, 1], unretrieved=[1]), 4)  # (1/log2(3)) / (1 + 0.5/log2(3))
    0.4796
    """

    looked_for = ("alpha-nDCG", "diversity", "novelty", "nuggets", "FreshStack", "TREC Web")
    aliases = ("α_nDCG",)
    cutoff: int | None = cutoff()


class ERR_IA(Novel):  # noqa: N801 - as the field writes it
    """How soon is a user satisfied who wants one of the subtopics, by the first k documents, of the most possible?

    ERR_IA@k = Σ_{i ≤ k} Σ_s [document i covers s] (1 - alpha)^(covered before) / i / most,
    most = S Σ_{i ≤ k} (1 - alpha)^(i-1) / i

    S is the number of subtopics that some document of the judgments covers; alpha is the chance that
    a document which covers the subtopic satisfies the user. ndeval divides by the same, except at k = 1.

    Paper: Chapelle, Metzler, Zhang and Grinspan (2009), "Expected reciprocal rank for graded
    relevance", CIKM; as ndeval computes it.

    >>> round(ERR_IA(cutoff=2).of([0, 1]), 4)  # one subtopic: (1/2) / (1 + 0.5/2)
    0.4
    """

    looked_for = ("ERR-IA", "intent-aware", "diversity", "TREC Web")
    at_required = True
    cutoff: int | None = cutoff()

    def rank_weight(self, rank: Integers) -> Floats:
        """1 / rank."""
        return 1.0 / rank


class nERR_IA(NovelShare):  # noqa: N801 - as the field writes it
    """How soon is a user satisfied who wants one of the subtopics, as a share of what the best list does?

    nERR_IA@k = ERR_IA@k / ERR_IA@k of the best list

    The best list is found greedily, as for alpha_nDCG.

    Paper: Chapelle, Metzler, Zhang and Grinspan (2009), "Expected reciprocal rank for graded
    relevance", CIKM; as ndeval computes it.

    >>> round(nERR_IA(cutoff=2).of([0, 1], unretrieved=[1]), 4)  # (1/2) / (1 + 0.5/2)
    0.4
    """

    looked_for = ("nERR-IA", "intent-aware", "diversity")
    cutoff: int | None = cutoff()

    def rank_weight(self, rank: Integers) -> Floats:
        """1 / rank."""
        return 1.0 / rank


class NRBP(Novel):
    """How much that is new does a user see who goes on with probability beta?

    NRBP = (1 - (1 - alpha) beta) / S Σ_i beta^(i-1) Σ_s [document i covers s] (1 - alpha)^(covered before)

    S is the number of subtopics that some document of the judgments covers. It is no RBP divided by
    that of the best list, which is nRBP.

    Paper: Clarke, Kolla and Vechtomova (2009), "An effectiveness measure for ambiguous and
    underspecified queries", ICTIR; as ndeval computes it.

    >>> NRBP().of([0, 1])  # one subtopic: (1 - 0.5 · 0.5) · 0.5
    0.375
    """

    looked_for = ("novelty- and rank-biased precision", "diversity")
    beta: float = parameter(0.5, "patience: the chance of going on to the next document", above=0, below=1)

    def rank_weight(self, rank: Integers) -> Floats:
        """beta to the power of the ranks above."""
        return self.beta ** (rank - 1.0)

    def scale(self, k: int | None) -> float:
        """Every document covers the subtopic, without end."""
        return 1 / (1 - (1 - self.alpha) * self.beta)


class nNRBP(NovelShare):  # noqa: N801 - as the field writes it
    """How much that is new does a user see who goes on with probability beta, as a share of the best list?

    nNRBP = NRBP / NRBP of the best list

    The best list is found greedily, as for alpha_nDCG.

    Paper: Clarke, Kolla and Vechtomova (2009), "An effectiveness measure for ambiguous and
    underspecified queries", ICTIR; as ndeval computes it.

    >>> nNRBP().of([0, 1], unretrieved=[1])  # 0.5 / (1 + 0.5 · 0.5)
    0.4
    """

    looked_for = ("normalised novelty- and rank-biased precision", "diversity")
    beta: float = parameter(0.5, "patience: the chance of going on to the next document", above=0, below=1)

    def rank_weight(self, rank: Integers) -> Floats:
        """beta to the power of the ranks above."""
        return self.beta ** (rank - 1.0)


class AP_IA(BySubtopic):  # noqa: N801 - as the field writes it
    """How good is the average precision for one of the subtopics, on average over them?

    AP_IA = 1/S Σ_s AP of subtopic s, by the documents that cover it

    S is the number of subtopics that some document of the judgments covers.

    Paper: Agrawal, Gollapudi, Halverson and Ieong (2009), "Diversifying search results", WSDM;
    ndeval, MAP-IA.

    >>> AP_IA().of([0, 1], unretrieved=[1])  # one subtopic: AP = (1/2) / 2
    0.25
    """

    looked_for = ("MAP-IA", "intent-aware", "diversity")
    aliases = ("MAP_IA",)
    redundancy = 0.0  # each document counts as much as the one before

    def steps(self, hits: SubtopicHits, covered: Covered) -> Floats:
        """Precision for the subtopic at each document that covers it, by the number of these documents."""
        many = np.bincount(covered.subtopic, minlength=len(covered.weight)).take(hits.subtopic)
        return np.asarray(covered.weight.take(hits.subtopic) * (hits.before + 1) / hits.rank / many)

    def scale(self, k: int | None) -> float:
        """1 a subtopic."""
        return 1.0

    def enclosed(self, rankings: JudgedRankings) -> Bounds:
        """From every candidate relevant and not found, to 1 where one could be; without any in the list as it is."""
        judgments, covered = rankings.judgments, self.covered(rankings.judgments)
        many = np.bincount(covered.subtopic, minlength=len(covered.weight))
        less = covered._replace(weight=covered.weight * ratio(many, many + judgments.open_of_topic.take(covered.topic)))
        low = ratio(self.sums(rankings, less), rankings.of_topics(self.everything(judgments)))
        return Bounds(low, np.where(open_documents(rankings).cells.count > 0, 1.0, self.compute(rankings)), "enclosure")


class P_IA(BySubtopic):  # noqa: N801 - as the field writes it
    """What share of the first k documents is relevant to one of the subtopics, on average over them?

    P_IA@k = 1/S Σ_s P@k of subtopic s, by the documents that cover it

    S is the number of subtopics that some document of the judgments covers.

    Paper: Agrawal, Gollapudi, Halverson and Ieong (2009), "Diversifying search results", WSDM;
    ndeval, P-IA.

    >>> P_IA(cutoff=4).of([1, 0, 1])  # one subtopic: P = 2/4
    0.5
    """

    looked_for = ("P-IA", "intent-aware", "diversity")
    redundancy = 0.0  # each document counts as much as the one before
    at_required = True
    cutoff: int | None = cutoff()

    def steps(self, hits: SubtopicHits, covered: Covered) -> Floats:
        """The weight of the subtopic."""
        return covered.weight.take(hits.subtopic)

    def scale(self, k: int | None) -> float:
        """Each of the first k."""
        return float(k or 1)


class StRecall(BySubtopic):
    """What share of the subtopics that have a document do the first k documents cover?

    StRecall@k = (subtopics that the first k documents cover) / S

    S is the number of subtopics that some document of the judgments covers. Coverage divides by all
    of them, those that no document covers included.

    Paper: Zhai, Cohen and Lafferty (2003), "Beyond independent relevance: methods and evaluation
    metrics for subtopic retrieval", SIGIR; ndeval, strec.

    >>> StRecall(cutoff=2).of([0, 1], unretrieved=[1])  # its only subtopic is covered
    1.0
    """

    looked_for: ClassVar[tuple[str, ...]] = (
        "subtopic recall",
        "strec",
        "S-recall",
        "I-rec",
        "nugget recall",
        "diversity",
    )
    cutoff: int | None = cutoff()

    def steps(self, hits: SubtopicHits, covered: Covered) -> Floats:
        """The weight of the subtopic, the first time."""
        return np.asarray(covered.weight.take(hits.subtopic) * (hits.before == 0))

    def scale(self, k: int | None) -> float:
        """Once."""
        return 1.0


class Coverage(StRecall):
    """What share of all subtopics, or nuggets, do the first k documents cover?

    Coverage@k = (subtopics that the first k documents cover) / (subtopics of the topic)

    Subtopics that no document of the judgments covers count as missed, which tells it from StRecall:
    what an answer needs and the collection lacks stays lacking.

    Paper: Thakur, Lin, Havens, Carbin, Khattab and Drozdov (2025), "FreshStack: building realistic
    benchmarks for evaluating retrieval on technical documents", arXiv 2504.13128, Coverage@20.

    >>> Coverage(cutoff=2).of([0, 1], unretrieved=[1])  # its only subtopic is covered
    1.0
    """

    looked_for: ClassVar[tuple[str, ...]] = ("nugget coverage", "nugget recall", "FreshStack", "aspects")

    def base(self, judgments: Judgments) -> Floats:
        """All of them."""
        return self.everything(judgments)
