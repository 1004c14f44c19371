"""Amigó, Mizzaro and Spina (2022): when lists should end, and which measures know it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from cranfield.experiments.side_by_side import COLLECTION
from cranfield.experiments.truncation import TRUNCATED
from cranfield.measures.framework.guide import Advice, Number, Question, branches
from cranfield.measures.framework.names import parse_measure
from cranfield.measures.information import OIE
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.wording import counted
from cranfield.reports.document import Block, Folded, Picture, ReportTable, Statement
from cranfield.reproductions.paper import Paper, at_least
from cranfield.reproductions.study import Found, Study, rounded
from cranfield.scoring.judged_runs import join
from cranfield.statistics.rank_correlation import kendall_tau

PAPER: Final = Paper(
    "ranking-interruptus",
    "Ranking interruptus: when truncated rankings are better and how to measure that",
    "Amigó, Mizzaro and Spina (2022), SIGIR",
)

TERMINAL: Final = ("NDCGT", "ERRT", "RBPT(p=0.8)", "RBPT(p=0.9)", "RBPT(p=0.98)")
CASCADES: Final = ("ERRU", "RBU(p=0.8)", "RBU(p=0.9)", "RBU(p=0.98)")
RBPUS: Final = ("RBPU(p=0.8)", "RBPU(p=0.9)", "RBPU(p=0.98)")
UTILITIES: Final = ("FlatUtility", "DCGU", *RBPUS, *CASCADES)
ARITHMETIC: Final = "This is arithmetic: no runs have a part in it."
NINE: Final = (
    "In the paper: means over nine TREC collections of 33 to 129 systems and 50 to 249 topics. Here: over yours."
)


# Arithmetic, sections 1 to 3


@PAPER.item(
    "Section 1", "Three lists",
    by="A: ten relevant documents; B: the same with ten others behind; C: the last of these is relevant, too. There "
    f"are eleven relevant documents. {ARITHMETIC}",
)  # fmt: skip
def three_lists(study: Study) -> Iterator[Block]:
    """Score the lists of the introduction."""
    del study
    lists = {"A": [1] * 10, "B": [1] * 10 + [0] * 10, "C": [1] * 10 + [0] * 9 + [1]}
    usual, aware = ("AP", "nDCG", "RBP(p=0.8)"), ("SetF", "FlatUtility", "RBPU(p=0.98)", "RBPT(p=0.98)", "OIE")

    def values(measure: str) -> list[float]:
        return [parse_measure(measure).of(ranked, [1] * (11 - sum(ranked))) for ranked in lists.values()]

    of = {measure: values(measure) for measure in (*usual, *aware)}
    yield Statement(
        "By AP, nDCG and RBP there is no difference between A and B.",
        _each((measure, f"{of[measure][0]:.4f} and {of[measure][1]:.4f}") for measure in usual),
        all(of[measure][0] == of[measure][1] for measure in usual),
    )
    yield Statement(
        "By them C is better than A.",
        _each((measure, f"{of[measure][2]:.4f} and {of[measure][0]:.4f}") for measure in usual),
        all(of[measure][2] > of[measure][0] for measure in usual),
    )
    known = [measure for measure in (*usual, "SetF") if of[measure][0] > max(of[measure][1:])]
    yield Statement(
        "No standard measure rewards A for ending where it does.",
        f"{', '.join(known)} does." if known else f"None of {', '.join(usual)} and SetF does.",
        not known,
    )
    rows = pl.DataFrame([(measure, *found) for measure, found in of.items()], ["measure", *lists], orient="row")
    yield ReportTable("values", rounded(rows, "Values of the three lists."), rows)


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
    "Table 1", "Which measure has which property",
    by="The properties are searched for counter-examples: all rankings of up to seven documents, and longer ones drawn "
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
    for said in SAID:
        cells = [(measure, axiom, verdicts[measure][axiom]) for measure in said.measures for axiom in said.axioms]
        wrong = [
            f"{measure}: {axiom} {verdict}{_shown(against.get((measure, axiom)), if_found[measure, axiom])}"
            for measure, axiom, verdict in cells
            if (verdict == "satisfied") != said.satisfied
        ]
        yield Statement(said.words, "; ".join(wrong) + "." if wrong else "The search finds the same.", not wrong)
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
    "Figure 1", "Ten documents for nothing, then relevant ones",
    by=f"Effort e = 1/20; a list of 50 documents. {ARITHMETIC}",
)  # fmt: skip
def figure_1(study: Study) -> Iterator[Block]:
    """Cut the list of the figure after every document."""
    right = {f"right{rank:03}": 1 for rank in range(11, 51)}
    ranked = [f"wrong{rank:03}" for rank in range(1, 11)] + list(right)
    run = {"1": {doc: -float(rank) for rank, doc in enumerate(ranked)}}
    drawn = (*CASCADES, "RBPU(p=0.8)", "RBPU(p=0.9)", "RBPU(p=0.98)", "RBPU(p=0.99)", "DCGU", "FlatUtility")
    found = study.experiment("truncation", drawn, on=join({"1": right}, {"figure 1": run}))
    yield Picture(found.findings.plot("truncation-utility"))
    values = {
        measure: rows["value"].to_numpy()
        for (measure,), rows in found["prefixes"].group_by("measure", maintain_order=True)
    }
    never = ("ERRU", "RBPU(p=0.8)", "RBU(p=0.8)", "RBU(p=0.9)")
    recovers = [
        f"{name} from document {int((values[name] > 0).argmax())} on" for name in never if values[name].max() > 0
    ]
    yield Statement(
        "ERRU, RBPU with p = .8 and RBU with p = .8 and .9 are never paid back for the ten documents.",
        f"{', '.join(recovers)} is paid back." if recovers else "None is.",
        not recovers,
    )
    patient = ("RBU(p=0.98)", "DCGU", "RBPU(p=0.98)", "RBPU(p=0.99)")
    yield Statement(
        "RBU with p = .98, DCGU and RBPU with p = .98 and .99 are.",
        _each((name, f"from document {int((values[name] > 0).argmax())} on") for name in patient),
        all(values[name].max() > 0 for name in patient),
    )
    redundant = int(values["RBU(p=0.98)"].argmax())
    yield Statement(
        "RBU with p = .98 falls after position 15.", f"It is highest at {redundant}.", 14 <= redundant <= 15
    )
    shown = {name: value / np.abs(value).max() for name, value in values.items()}
    apart = {p: float(np.abs(shown[f"RBPU(p={p})"] - shown["DCGU"]).max()) for p in ("0.9", "0.98")}
    yield Statement(
        "The behaviour of DCGU is very similar to RBPU with p = .9 (so the text; the caption has p = .98).",
        f"The scaled curves are apart by up to {apart['0.9']:.2f} for p = .9 and by up to "
        f"{apart['0.98']:.2f} for p = .98.",
        apart["0.9"] <= apart["0.98"],
    )


@PAPER.item("Section 3.3", "What an effort of 1/20 means", by=ARITHMETIC)
def effort(study: Study) -> Iterator[Block]:
    """Count how many documents a relevant one at rank 1 pays for."""
    del study
    pays = {name: _paid(name) for name in ("FlatUtility", "DCGU", "RBPU(p=0.8)", "RBPU(p=0.98)", "RBU(p=0.98)")}
    yield Statement(
        "With e = 1/20 a relevant document at rank 1 pays for the first twenty documents.",
        _each((name, counted(many, "document") if many else "any number") for name, many in pays.items()),
        all(many == 20 for many in pays.values()),
    )


def _paid(name: str) -> int | None:
    """Return the length at which one relevant document, at rank 1, is used up; None where it never is."""
    measure = parse_measure(name)
    lengths = range(1, 1001)
    return next((length for length in lengths if measure.of([1] + [0] * (length - 1)) <= 1e-12), None)


@PAPER.item(
    "Section 3.4.2", "The parameters of OIE",
    by="In the paper: a collection of 20,000 documents, β = 1.05. The runs are ranked by OIE with other sizes, and the "
    "orders correlated; as usual, those with τ of .9 and more are taken for alike.",
    needs=(at_least(2, "runs"),),
)  # fmt: skip
def parameters_of_oie(study: Study) -> Iterator[Block]:
    """Rank the runs by OIE under other sizes of the collection."""
    late, nothing = OIE(beta=1.05).of([0] * 19 + [1]), OIE(beta=1.05).of([], [1])
    yield Statement(
        "With β = 1.05 the only relevant document, at rank 20, is worth as much as an empty list.",
        f"OIE is {late:.3g} with it and {nothing:.3g} without; it would be so with β = 1.0464.",
        bool(np.isclose(late, nothing, rtol=0.05)),
    )
    found = study.experiment("sensitivity", "OIE", sweep="docs=5000|20000|100000|1000000|10000000")
    row = found["parameters"].row(0, named=True)
    yield Statement(
        "The size of the collection does not affect OIE substantially.",
        f"From 5,000 to 10,000,000 documents, the lowest τ of two orders is {row['lowest']:.3f} "
        f"({row['setting_a']} and {row['setting_b']}).",
        row["lowest"] >= 0.9,
    )
    yield found.table(
        "parameters", columns=("parameter", "pairs", "lowest", "mean", "lowest_ap", "mean_ap", "furthest")
    )


# Experiments, section 4


@PAPER.item("Figure 2", "How long optimal lists are", by=NINE)
def figure_2(study: Study) -> Iterator[Block]:
    """Cut all lists where each measure would have them end."""
    found = study.experiment("truncation", everywhere=True)
    yield found.picture("optimal-length")
    lists = study.by_name(found["lists"], ("SetF", "FlatUtility", *TRUNCATED))
    if COLLECTION not in lists.columns:
        lists = lists.with_columns(pl.lit("").alias(COLLECTION))
    length = pl.col("length")

    def share(*measures: str, where: pl.Expr = length == 0) -> list[float]:
        """Return the share of the lists, mean over the collections, measure by measure."""
        return _over_collections(lists, measures, where.mean())

    def medians(*measures: str) -> list[float]:
        return _over_collections(lists, measures, length.median())

    every = lists["measure"].unique(maintain_order=True).to_list()
    others = [measure for measure in every if measure not in TERMINAL]
    early = share(*others, where=length < 100)
    yield Statement(
        "For all measures but terminal ones, about half of the optimal lists end well before rank 100.",
        f"{_span(early)} end before it.",
        min(early) >= 0.45,
    )
    empty = share(*UTILITIES)
    yield Statement(
        "By utilities, returning nothing is best in 20 to 30 % of the cases.",
        f"It is in {_span(empty)}.",
        min(empty) >= 0.195 and max(empty) < 0.305,
    )
    hardly = share(*TERMINAL, "SetF")
    yield Statement("By terminal documents and F it almost never is.", f"It is in {_span(hardly)}.", max(hardly) < 0.02)
    [oie] = share("OIE")
    yield Statement(
        "OIE has an intermediate behaviour, and leaves about 10 % of the lists empty.",
        f"{100 * oie:.1f} %; the utilities have {100 * float(np.mean(empty)):.1f} % on average.",
        max(hardly) < oie < float(np.mean(empty)),
    )
    short = dict(zip(every, share(*every, where=length.is_between(1, 4)), strict=True))
    cutting = sorted(short, key=lambda measure: -short[measure])[: len(CASCADES)]
    yield Statement(
        "ERRU and RBU cut most strongly: 30 % of their lists end at positions 1 to 4.",
        f"{_span([short[measure] for measure in CASCADES])}; the most have {', '.join(cutting)}.",
        set(cutting) == set(CASCADES),
    )
    long = dict(zip(every, medians(*every), strict=True))
    retrieved = pl.when(pl.col("retrieved") > 0).then(pl.col("retrieved"))
    kept = _over_collections(lists, ("ERRT", "NDCGT"), (length / retrieved).median())
    yield Statement(
        "ERRT and NDCGT cut weakly, or not at all.",
        f"In the middle their lists have {long['ERRT']:.0f} and {long['NDCGT']:.0f} documents, {100 * kept[0]:.0f} and "
        f"{100 * kept[1]:.0f} % of the whole ones.",
        min(kept) >= 0.5,
    )
    yield Statement(
        "The optimal length by RBPT is highly sensitive to p.",
        f"In the middle it is {', '.join(f'{long[name]:.0f}' for name in TERMINAL[2:])} for p = .8, .9 and .98.",
        long["RBPT(p=0.98)"] >= 2 * long["RBPT(p=0.8)"],
    )
    [middle] = share("OIE", where=length.is_between(33, 128))
    [wide] = share("SetF", where=length.is_between(33, 256))
    yield Statement(
        "Most optimal lengths are from 33 to 128 by OIE, and from 33 to 256 by F.",
        f"{100 * middle:.0f} and {100 * wide:.0f} % are.",
        middle > 0.5 and wide > 0.5,
    )
    varied = dict(zip(every, _over_collections(lists, every, (1 + length).log(2).std(ddof=0)), strict=True))
    free = ("FlatUtility", *RBPUS)
    yield Statement(
        "By flat utility and RBPU lengths vary more than by OIE and F, which have Recall.",
        "In powers of two, they deviate by " + _each((name, f"{varied[name]:.2f}") for name in (*free, "OIE", "SetF")),
        min(varied[name] for name in free) > max(varied["OIE"], varied["SetF"]),
    )
    yield found.table("summary")
    yield Folded("Lengths by interval", (found.table("intervals"),))


FULL: Final = (
    *("AP", "nDCG", "DCG", "ERR", "RBP(p=0.8)", "RBP(p=0.9)", "RBP(p=0.98)"),
    *("iRBU(p=0.8)", "iRBU(p=0.9)", "iRBU(p=0.98)", "OIE"),
)
PRINTED: Final = """
0.89 0.46 0.61 0.69 0.85 0.46 0.47 0.47 0.80 0.44 0.61 0.68 0.79 0.87
1.00 0.49 0.62 0.68 0.83 0.48 0.48 0.49 0.79 0.46 0.61 0.66 0.76 0.83
0.92 0.48 0.62 0.69 0.84 0.48 0.48 0.49 0.83 0.46 0.61 0.67 0.77 0.80
0.48 1.00 0.78 0.70 0.53 0.92 0.90 0.85 0.58 0.92 0.77 0.69 0.56 0.52
0.62 0.78 1.00 0.89 0.69 0.80 0.80 0.79 0.73 0.76 0.96 0.89 0.73 0.67
0.68 0.69 0.89 1.00 0.78 0.71 0.72 0.72 0.80 0.66 0.87 0.95 0.83 0.77
0.83 0.53 0.69 0.78 1.00 0.52 0.53 0.55 0.84 0.50 0.68 0.76 0.91 0.91
0.50 0.91 0.82 0.74 0.55 0.91 0.94 0.92 0.59 0.84 0.80 0.73 0.58 0.54
0.51 0.84 0.79 0.74 0.57 0.83 0.87 0.89 0.59 0.76 0.76 0.72 0.59 0.56
0.57 0.69 0.66 0.69 0.63 0.67 0.71 0.74 0.60 0.62 0.63 0.65 0.61 0.61
0.58 0.36 0.48 0.54 0.65 0.36 0.36 0.37 0.54 0.34 0.47 0.52 0.60 0.67
"""
"""The paper's Table 2: a row for each measure of full lists, a column for each by which lists are cut."""


def correlated(study: Study) -> Found:
    """Correlate cut lists and full ones, on all collections."""
    return study.experiment("truncated-correlation", everywhere=True)


@PAPER.item("Table 2", "Cut lists and full ones, correlated", by=NINE, needs=(at_least(3, "runs"),))
def table_2(study: Study) -> Iterator[Block]:
    """Rank cut runs beside full ones."""
    found = correlated(study)
    table = study.by_name(found["correlation"], (*FULL, *TRUNCATED))
    here = dict(zip(table["full"], table.select(TRUNCATED).rows(named=True), strict=True))
    values = np.array([line.split() for line in PRINTED.split("\n") if line], float)
    own = {"NDCGT": "nDCG", "ERRT": "ERR"} | {f"RBPT(p={p})": f"RBP(p={p})" for p in ("0.8", "0.9", "0.98")}
    taus = {name: here[of][name] for name, of in own.items()}
    yield Statement(
        "Terminal documents hardly feel the cut: cut lists rank as full ones do by the measure without them, τ = 1.00.",
        f"{_taus(taus)} (.98 and more are taken for 1).",
        min(taus.values()) >= 0.98,
    )
    sides = {name: (here["iRBU(p=0.8)"][name], here[f"i{name}"][name]) for name in CASCADES[2:]}
    yield Statement(
        "Cut by RBU with p = .9 and .98, runs go better with iRBU of p = .8 than with iRBU of their own p.",
        _each((name, f"τ = {top:.2f} and {same:.2f}") for name, (top, same) in sides.items()),
        all(top > same for top, same in sides.values()),
    )
    utility = {"DCGU": "DCG", "ERRU": "ERR"} | {f"RBPU(p={p})": f"RBP(p={p})" for p in ("0.8", "0.9", "0.98")}
    own_taus = {name: here[of][name] for name, of in utility.items()}
    yield Statement(
        "Cut by DCGU, ERRU and RBPU, runs go with DCG, ERR and RBP of their full lists (.83 to .96).",
        f"{_taus(own_taus)}.",
        min(own_taus.values()) >= 0.8,
    )
    rest = {name: here[of][name] for name, of in (own | utility).items()}
    yield Statement(
        "Of OIE alone this does not hold: OIE of full lists has little to do with OIE of cut ones (.67).",
        f"τ is {here['OIE']['OIE']:.2f}; the lowest of the others is {min(rest.values()):.2f}.",
        here["OIE"]["OIE"] < min(0.8, *rest.values()),
    )
    near = {f"{cut} and {full}": here[full][cut] for cut in ("RBPU(p=0.98)", "OIE") for full in ("AP", "nDCG")}
    yield Statement(
        "Cut by OIE and by RBPU with p = .98, runs go with AP and nDCG of full lists, around .8 or above it.",
        f"{_taus(near)}.",
        min(near.values()) >= 0.75,
    )
    significant = {row["level"]: row["share"] for row in found["significant"].iter_rows(named=True)}
    yield Statement(
        "87 % of all τ are significant at .001, 90 % at .01.",
        f"{100 * significant[0.001]:.0f} and {100 * significant[0.01]:.0f} %.",
    )
    rows = pl.DataFrame(
        [
            (full, cut, float(values[i, j]), here[full][cut])
            for i, full in enumerate(FULL)
            for j, cut in enumerate(TRUNCATED)
        ],
        ["full", "cut by", "paper", "here"],
        orient="row",
    )
    paper, ours = (rows.drop_nulls()[name].to_numpy() for name in ("paper", "here"))
    yield Statement(
        "All of the table.",
        f"The {len(ours)} values are {_two(float(np.abs(ours - paper).mean()))} apart from the paper's on average, "
        f"{_two(float(np.abs(ours - paper).max()))} at most; both order the cells with τ = "
        f"{_two(float(kendall_tau(paper, ours)))}.",
    )
    yield found.table("correlation")
    yield Folded("Beside the paper's", (ReportTable("beside-the-paper", rounded(rows, keys=2), rows),))


@PAPER.item("Figure 3", "System by system", by=NINE, needs=(at_least(3, "runs"),))
def figure_3(study: Study) -> Iterator[Block]:
    """Draw cut lists against full ones."""
    found = correlated(study)
    yield found.picture("full-against-truncated")
    systems = study.by_name(found["systems"], (*FULL, *TRUNCATED))
    for claimed, x, y, low in (
        ("OIE of cut lists and OIE of full ones have a low correlation (.67).", ("full", "OIE"), "OIE", True),
        ("OIE of cut lists and RBP with p = .98 of full ones have a very high one (.91).", ("full", "RBP(p=0.98)"),
         "OIE", False),
        ("OIE and RBPU with p = .98, both of cut lists, have a high one.", ("truncated", "RBPU(p=0.98)"), "OIE", False),
        ("OIE of cut lists and AP of full ones have a high one (.87).", ("full", "AP"), "OIE", False),
    ):  # fmt: skip
        taus = _by_collection(systems, x, ("truncated", y))
        mean = float(np.mean(list(taus.values())))
        yield Statement(
            claimed,
            f"τ is {_two(mean)}" + (f" ({_taus(taus)})" if len(taus) > 1 else "") + ".",
            mean < 0.7 if low else mean >= 0.8,
        )
    yield Folded("The points", (found.table("systems"),))


def _by_collection(systems: pl.DataFrame, x: tuple[str, str], y: tuple[str, str]) -> Mapping[str, float]:
    """Correlate the means of two measures, of whole lists or cut ones, collection by collection."""
    found = {}
    for (name,), rows in systems.group_by("collection", maintain_order=True):
        one, other = (rows.filter(lists=lists, measure=measure).sort("run") for lists, measure in (x, y))
        found[str(name)] = float(kendall_tau(one["value"].to_numpy(), other["value"].to_numpy()))
    return found


COVERED: Final = {
    "OIE": 0.921, "nDCG": 0.918, "DCG": 0.911, "RBP(p=0.98)": 0.911, "AP": 0.901, "SetF": 0.896, "R@100": 0.891,
    "FlatUtility": 0.891, "RBP(p=0.9)": 0.890, "P@10": 0.867, "RBP(p=0.8)": 0.846, "iRBU(p=0.98)": 0.832,
    "iRBU(p=0.9)": 0.810, "iRBU(p=0.8)": 0.782, "ERR": 0.761, "RR": 0.249,
}  # fmt: skip
"""The paper's Table 3."""


@PAPER.item(
    "Table 3", "Which improvements a measure sees",
    by=f"Coverage of P@10, R@100 and RR, lists cut at rank 100, 1,000 pairs of topics drawn. {NINE}",
    needs=(at_least(3, "runs"),),
)  # fmt: skip
def table_3(study: Study) -> Iterator[Block]:
    """Hold each measure against improvements on which all agree."""
    found = study.experiment("coverage", everywhere=True)
    coverage = study.by_name(found["coverage"], tuple(COVERED))
    table = coverage.group_by("measure", maintain_order=True).agg(pl.col("coverage").mean())
    here = dict(table.iter_rows())
    rows = pl.DataFrame(
        [(measure, paper, here[measure]) for measure, paper in COVERED.items()],
        ["measure", "paper", "here"],
        orient="row",
    )
    order = sorted(here, key=lambda measure: -here[measure])
    yield Statement(
        "Measures of recall with a heavy top, OIE and nDCG, cover most.",
        f"The highest are {', '.join(f'{name} {_three(here[name])}' for name in order[:4])}.",
        set(order[:2]) == {"OIE", "nDCG"},
    )
    redundant = ("iRBU(p=0.98)", "iRBU(p=0.9)", "iRBU(p=0.8)", "ERR", "RR")
    yield Statement(
        "Measures that punish redundancy, RBU, ERR and RR, cover least.",
        f"The five lowest are {', '.join(f'{name} {_three(here[name])}' for name in order[-5:])}.",
        set(order[-5:]) == set(redundant),
    )
    deep = [[here[f"{kind}(p={p})"] for p in ("0.8", "0.9", "0.98")] for kind in ("RBP", "iRBU")]
    yield Statement(
        "Parameters for deeper ranks cover more.",
        f"RBP with p = .8, .9 and .98: {', '.join(map(_three, deep[0]))}; iRBU: {', '.join(map(_three, deep[1]))}.",
        all(sorted(each) == each for each in deep),
    )
    yield Statement("RR is far apart, at .249.", f"It has {_three(here['RR'])}.", here["RR"] < 0.5)
    yield ReportTable("beside-the-paper", rounded(rows, "Coverage, the paper's beside that here."), rows, found.command)
    if len(study.collections) > 1:
        yield found.table("coverage")


@PAPER.item(
    "Figure 4", "A guideline for choosing",
    by="The paper's questions, put by `cranfield choose`; these ask for more than it does.",
)  # fmt: skip
def figure_4(study: Study) -> Iterator[Block]:
    """Write the guide down."""
    del study
    rows = [
        ("  " * depth + (f"{word}: " if word else "") + _about(node), ", ".join(_advised(node)))
        for depth, word, node in branches()
    ]
    table = pl.DataFrame(rows, ["question", "measures"], orient="row")
    yield Statement(
        "Where missed documents matter and redundancy does not, DCGU is the measure to choose.",
        "Section 3.3 says that DCGU has no Recall, and so it is (Table 1): the paper contradicts itself.",
        holds=False,
    )
    yield Folded("The guide", (ReportTable("guide", rounded(table), table, "cranfield choose"),))


def _about(node: object) -> str:
    return node.text if isinstance(node, Question | Number) else ""


def _advised(node: object) -> tuple[str, ...]:
    return node.measures if isinstance(node, Advice) else ()


# In words


def _over_collections(lists: pl.DataFrame, measures: Sequence[str], of: pl.Expr) -> list[float]:
    """Return a number of each measure's lists, mean over the collections; 0 where it does not exist."""
    by = lists.group_by(COLLECTION, "measure").agg(of.alias("number"))
    means = dict(by.group_by("measure").agg(pl.col("number").mean().fill_null(0.0)).iter_rows())
    return [means[measure] for measure in measures]


def _span(shares: Sequence[float]) -> str:
    """Say between what shares lie.

    >>> _span([0.2, 0.054])
    '5.4 to 20.0 %'
    """
    least, most = (f"{100 * share:.1f}" for share in (min(shares), max(shares)))
    return f"{least} %" if least == most else f"{least} to {most} %"


def _taus(taus: Mapping[str, float]) -> str:
    return "; ".join(f"{name}: {_two(tau)}" for name, tau in taus.items())


def _two(value: float) -> str:
    return f"{value:.2f}"


def _three(value: float) -> str:
    return f"{value:.3f}"


def _each(said: Iterable[tuple[str, str]]) -> str:
    """Say something of each measure."""
    return "; ".join(f"{name}: {value}" for name, value in said) + "."
