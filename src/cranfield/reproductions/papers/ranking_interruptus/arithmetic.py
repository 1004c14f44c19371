"""Sections 1 to 3 and Figures 1 and 4: three lists, properties of measures, what an effort means, and the guide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from cranfield.measures.framework.guide import Advice, Number, Question, branches
from cranfield.measures.framework.names import parse_measure
from cranfield.measures.information import OIE
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted
from cranfield.reports.elements import Block, Folded, pictured
from cranfield.reproductions.claims import beside
from cranfield.reproductions.papers.ranking_interruptus import ARITHMETIC, CASCADES, PAPER
from cranfield.reproductions.study import Study, rounded_table
from cranfield.scoring.judged_runs import join


@PAPER.item(
    "Section 1", "Three lists", at=1,
    by="A: ten relevant documents; B: the same with ten others behind; C: the last of these is relevant, too. There "
    f"are eleven relevant documents. {ARITHMETIC}",
)  # fmt: skip
def three_lists(_: Study) -> Iterator[Block]:
    """Score the lists of the introduction."""
    lists = {"A": [1] * 10, "B": [1] * 10 + [0] * 10, "C": [1] * 10 + [0] * 9 + [1]}
    measures = ("AP", "nDCG", "RBP(p=0.8)", "SetF", "FlatUtility", "RBPU(p=0.98)", "RBPT(p=0.98)", "OIE")
    of = [
        (name, *(parse_measure(name).of(ranked, [1] * (11 - sum(ranked))) for ranked in lists.values()))
        for name in measures
    ]
    yield beside(
        "AP, nDCG and RBP score A and B the same, and C higher than A. No standard measure "
        "rewards A for ending where it does.",
        "These three agree; F ranks A above B and C.",
    )
    yield rounded_table("values", pl.DataFrame(of, ["measure", *lists], orient="row"), "Values of the three lists.")


@dataclass(frozen=True)
class Claimed:
    """What sections 3.1 to 3.4 say of some measures: that they have some of the axioms, or that they have not."""

    words: str
    measures: tuple[str, ...]
    axioms: tuple[str, ...]
    satisfied: bool = True


FIRST_FOUR: Final = ("Priority", "Top-weightedness", "Deepness threshold", "Shallowness threshold")
SAID: Final = (
    Claimed("Rank correlations are top-weighted (3.1).", ("Kendall", "Spearman"), FIRST_FOUR[1:2]),
    Claimed("Rank correlations and AUC have no deepness threshold (3.1).", ("Kendall", "Spearman", "AUC"),
         FIRST_FOUR[2:3], satisfied=False),
    Claimed("AP is top-weighted (3.1, note 3).", ("AP",), FIRST_FOUR[1:2]),
    Claimed("Binary measures of the top have no Priority (3.1).", ("P@10", "R@10", "RR", "Rprec"), FIRST_FOUR[:1],
         satisfied=False),
    Claimed("P@N and R@N have both thresholds (3.1).", ("P@10", "R@10"), FIRST_FOUR[2:]),
    Claimed("RR has Redundancy, in the extreme (3.1).", ("RR",), ("Redundancy",)),
    Claimed("F has Confidence, Recall and Redundancy (3.1).", ("SetF",), ("Confidence", "Recall", "Redundancy")),
    Claimed("F has none of the first four (3.1).", ("SetF",), FIRST_FOUR, satisfied=False),
    Claimed("AP has Priority (3.1).", ("AP",), FIRST_FOUR[:1]),
    Claimed("AP, nDCG, Q and bpref have no deepness threshold (3.1).", ("AP", "nDCG", "Q", "Bpref"), FIRST_FOUR[2:3],
         satisfied=False),
    Claimed("ERR has Redundancy and a deepness threshold (3.1).", ("ERR",), ("Redundancy", "Deepness threshold")),
    Claimed("RBP has both thresholds (3.1).", ("RBP(p=0.8)",), FIRST_FOUR[2:]),
    Claimed("iRBU has the first four (3.1).", ("iRBU(p=0.8)", "iRBU(p=0.98)"), FIRST_FOUR),
    Claimed("ERR, RBP and iRBU have no Recall (3.1).", ("ERR", "RBP(p=0.8)", "iRBU(p=0.8)"), ("Recall",),
         satisfied=False),
    Claimed("A terminal document gives Confidence (3.2).", ("NDCGT", "ERRT", "RRT", "RBPT(p=0.8)"), ("Confidence",)),
    Claimed("Flat utility is not top-weighted (3.3).", ("FlatUtility",), FIRST_FOUR[1:2], satisfied=False),
    Claimed("Utilities have Confidence (3.3).", ("FlatUtility", "RBU(p=0.8)", "DCGU", "ERRU", "RBPU(p=0.8)"),
         ("Confidence",)),
    Claimed("DCGU has no Recall (3.3).", ("DCGU",), ("Recall",), satisfied=False),
    Claimed("OIE has all seven (3.4).", ("OIE",), (*FIRST_FOUR, "Confidence", "Recall", "Redundancy")),
)  # fmt: skip


@PAPER.item(
    "Table 1", "Which measure has which property", at=3,
    by="A search for counter-examples tries all rankings of up to seven documents, and longer ones drawn "
    "at random; thresholds down to n = 5,000. The columns of the paper's table are lost in our text of it, so that "
    f"what sections 3.1 to 3.4 say stands for them. {ARITHMETIC}",
    longer="rankings of up to eight documents are tried, and ten times as many longer ones are drawn",
)  # fmt: skip
def table_1(study: Study) -> Iterator[Block]:
    """Search the properties of each measure."""
    longest, random = (8, 20_000) if study.full else (7, 2_000)
    found = study.experiment("axioms", longest=longest, random=random)
    verdicts = {row["measure"]: row for row in found["axioms"].iter_rows(named=True)}
    if_found = {(row["measure"], row["axiom"]): row["if_found"] for row in found["searches"].iter_rows(named=True)}
    against = {(row["measure"], row["axiom"]): row for row in found["counterexamples"].iter_rows(named=True)}
    rows = []
    for said in SAID:
        cells = [(measure, axiom, verdicts[measure][axiom]) for measure in said.measures for axiom in said.axioms]
        wrong = [
            f"{measure}: {axiom} {verdict}{_shown(against.get((measure, axiom)), if_found[measure, axiom])}"
            for measure, axiom, verdict in cells
            if (verdict == "satisfied") != said.satisfied
        ]
        undecided = all(verdict != "open" for *_, verdict in cells)
        rows.append((said.words, "; ".join(wrong) if wrong else "the same" if undecided else "not decided"))
    table = pl.DataFrame(rows, ["the paper", "the search"], orient="row")
    caption = "Properties by the paper and by a search for counter-examples; open: the search cannot decide."
    yield rounded_table("said", table, caption)
    yield found.table()
    yield Folded("Counter-examples", (found.table("counterexamples"),))


def _shown(example: Mapping[str, object] | None, if_found: str) -> str:
    """Write a counter-example down: what should be better, and what should be worse; and whether it takes bad luck."""
    if example is None:
        return ""
    better, worse = (f"'{example[side]}' has {example[f'{side}_score']:.4g}" for side in ("better", "worse"))
    but = ", but satisfied where something relevant is retrieved" if if_found == "satisfied" else ""
    return f" ({better}, {worse}){but}"


@PAPER.item(
    "Figure 1", "Ten documents for nothing, then relevant ones", at=3.31,
    by=f"Effort e = 1/20; a list of 50 documents. {ARITHMETIC}",
)  # fmt: skip
def figure_1(study: Study) -> Iterator[Block]:
    """Cut the list of the figure after every document."""
    right = {f"right{rank:03}": 1 for rank in range(11, 51)}
    ranked = [f"wrong{rank:03}" for rank in range(1, 11)] + list(right)
    run = {"1": {doc: -float(rank) for rank, doc in enumerate(ranked)}}
    drawn = (*CASCADES, "RBPU(p=0.8)", "RBPU(p=0.9)", "RBPU(p=0.98)", "RBPU(p=0.99)", "DCGU", "FlatUtility")
    found = study.experiment("truncation", drawn, on=join({"1": right}, {"figure 1": run}))
    yield pictured(found.findings.plot, "truncation-utility")
    values = {
        measure: rows["value"].to_numpy()
        for (measure,), rows in found["prefixes"].group_by("measure", maintain_order=True)
    }
    paid = {name: int((of > 0).argmax()) if of.max() > 0 else None for name, of in values.items()}
    yield beside(
        "ERRU, RBPU with p = .8 and RBU with p = .8 and .9 never recover the effort of the ten documents; RBU with p = "
        ".98, DCGU and RBPU with p = .98 and .99 are.",
        {name: f"from document {at} on" if at else "never" for name, at in paid.items()},
    )
    highest = int(values["RBU(p=0.98)"].argmax())
    yield beside("RBU with p = .98 falls after position 15.", f"It is highest at {highest}.")
    shown = {name: value / np.abs(value).max() for name, value in values.items()}
    apart = {p: float(np.abs(shown[f"RBPU(p={p})"] - shown["DCGU"]).max()) for p in ("0.9", "0.98")}
    yield beside(
        "The behaviour of DCGU is very similar to RBPU with p = .9 (so the text; the caption has p = .98).",
        f"The scaled curves differ by up to {apart['0.9']:.2f} for p = .9 and by up to "
        f"{apart['0.98']:.2f} for p = .98.",
    )


@PAPER.item("Section 3.3", "The meaning of an effort of 1/20", at=3.3, by=ARITHMETIC)
def effort(_: Study) -> Iterator[Block]:
    """Count how many documents a relevant one at rank 1 pays for."""
    pays = {name: _paid(name) for name in ("FlatUtility", "DCGU", "RBPU(p=0.8)", "RBPU(p=0.98)", "RBU(p=0.98)")}
    yield beside(
        "With e = 1/20 a relevant document at rank 1 pays for the first twenty documents.",
        {name: counted(many, "document") if many else "any number" for name, many in pays.items()},
    )


def _paid(name: str) -> int | None:
    """Return the length at which one relevant document, at rank 1, is used up; None where it never is."""
    measure = parse_measure(name)
    return next((length for length in range(1, 1001) if measure.of([1] + [0] * (length - 1)) <= 1e-12), None)


@PAPER.item("Section 3.4.2", "When the last document is worth nothing", at=3.41, by=f"β = 1.05. {ARITHMETIC}")
def beta(_: Study) -> Iterator[Block]:
    """Score the only relevant document at rank 20, and an empty list."""
    late, nothing = OIE(beta=1.05).of([0] * 19 + [1]), OIE(beta=1.05).of([], [1])
    yield beside(
        "With β = 1.05 the only relevant document, at rank 20, is worth as much as an empty list.",
        f"OIE is {late:.3g} with it and {nothing:.3g} without; it would be so with β = 1.0464.",
    )


@PAPER.item(
    "Figure 4", "A guideline for choosing", at=5,
    by="The paper's questions, as `cranfield choose` asks them; it asks some more.",
)  # fmt: skip
def figure_4(_: Study) -> Iterator[Block]:
    """Write the guide down."""
    rows = [
        (
            "  " * depth + (f"{word}: " if word else "") + (node.text if isinstance(node, Question | Number) else ""),
            ", ".join(node.measures if isinstance(node, Advice) else ()),
        )
        for depth, word, node in branches()
    ]
    table = pl.DataFrame(rows, ["question", "measures"], orient="row")
    yield beside(
        "Where missed documents matter and redundancy does not, DCGU is the measure to choose.",
        "Section 3.3 rightly says that DCGU has no Recall (Table 1): the paper contradicts itself.",
    )
    yield Folded("The guide", (rounded_table("guide", table, command="cranfield choose"),))
