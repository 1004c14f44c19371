"""The conventions of tracks and benchmarks: those behind the figures that they publish."""

from __future__ import annotations

from typing import Final

from cranfield.conventions.convention import Convention, Marks

_DL_2019: Final = "Craswell, Mitra, Yilmaz, Campos and Voorhees (2020), Overview of the TREC 2019 Deep Learning Track"
_DL_2020: Final = "Craswell, Mitra, Yilmaz and Campos (2021), Overview of the TREC 2020 Deep Learning Track"
_DL_2022: Final = "Craswell et al. (2025), Overview of the TREC 2022 Deep Learning Track, arXiv 2507.10865"
_NIST_DL_2019: Final = "NIST, 2019 Deep Learning Track, https://trec.nist.gov/data/deep2019.html"
_NIST_DL_2021: Final = "NIST, 2021 Deep Learning Track, https://trec.nist.gov/data/deep2021.html"
_NIST_DL_2022: Final = "NIST, 2022 Deep Learning Track, https://trec.nist.gov/data/deep2022.html"
_DL_2019_TOPICS: Final = "43 761275fbbb7ee0f0"
_TREC_EVAL: Final = "trec_eval 9.0, README"
_BROWSER: Final = "NIST, TREC Browser, https://github.com/usnistgov/trec-browser"

_TRACKS: Final = (
    Convention(
        name="trec-dl",
        title="TREC Deep Learning, passages, 2019 and 2020",
        purpose="What the track and its baselines report for passage ranking.",
        measures=("nDCG@10", "AP", "RR", "R@1000"),
        rel=2,
        order="trec9",
        topics="all",
        notes=(
            "Binary measures count grade 1 (related) as not relevant; nDCG uses the grades unchanged.",
            "NIST rounded interpolated precision at 0.3 and 0.7 of 2019 in one step instead of two: three topics need "
            "one more relevant document.",
        ),
        sources=(
            _NIST_DL_2019,
            _DL_2019,
            _DL_2020,
            "ir_datasets, msmarco-passage/trec-dl-2019 and trec-dl-2020",
            "Anserini, regressions for dl20-passage",
        ),
        # The topics that were judged: of 2019, and of the passages of 2020.
        marks=Marks(
            called="TREC's Deep Learning tracks (passages)",
            topics=(_DL_2019_TOPICS, "54 442a71b7610045b1"),
            grades=(0, 1, 2, 3),
            documents=r"\d+$",
        ),
    ),
    Convention(
        name="trec-dl-v2",
        title="TREC Deep Learning, passages of MS MARCO v2, 2021 to 2023",
        purpose="What the track and its baselines report for passage ranking in its later years.",
        measures=("nDCG@10", "AP@100", "RR@100", "P@10"),
        rel=2,
        order="trec9",
        topics="all",
        notes=(
            "Binary measures count grade 1 (related) as not relevant; nDCG uses the grades unchanged.",
            "AP and RR are cut at rank 100.",
            "NIST has qrels of 2022 and 2023 with and without near-duplicates; the figures depend on the choice.",
        ),
        sources=(
            _NIST_DL_2021,
            _NIST_DL_2022,
            _DL_2022,
            "ir_datasets, msmarco-passage-v2/trec-dl-2021",
            "Anserini, regressions for dl21-passage",
        ),
    ),
    Convention(
        name="trec-dl-doc",
        title="TREC Deep Learning, documents, 2019 to 2021",
        purpose="What the track reports for document ranking.",
        measures=("nDCG@10", "AP", "RR"),
        rel=1,
        order="trec9",
        notes=("Binary measures count grades 1 to 3 as relevant.",),
        sources=(_NIST_DL_2019, _NIST_DL_2021, _DL_2019),
        marks=Marks(
            called="TREC's Deep Learning tracks (documents)",
            topics=(_DL_2019_TOPICS,),
            grades=(0, 1, 2, 3),
            documents=r"D\d+$",
        ),
    ),
    Convention(
        name="trec-covid",
        title="TREC-COVID",
        purpose="What NIST reports of the submissions of rounds 1 to 3.",
        measures=("nDCG@10", "P@5", "RBP(p=0.5)", "Bpref", "AP"),
        rel=1,
        parameters={"RBP": {"gains": {1: 0.5, 2: 1}}},
        order="trec9",
        notes=(
            "Residual collections: from round 2 on, documents judged for a topic in earlier rounds are removed from "
            "the runs before scoring. Pass those qrels with --exclude, and add --residual if the qrels of the round "
            "contain them too.",
            "Rounds 4 and 5 were reported with nDCG@20 and P@20 instead of nDCG@10 and P@5: pass them with -m.",
        ),
        sources=(
            "NIST, TREC-COVID, https://ir.nist.gov/trec-covid/",
            f"{_BROWSER}: results of TREC-COVID, rounds 3 to 5",
            "Roberts et al. (2021), Searching for scientific evidence in a pandemic: an overview of TREC-COVID",
        ),
    ),
    Convention(
        name="trec-adhoc",
        title="TREC ad hoc, TREC-1 to TREC-8",
        purpose="What the appendices of the proceedings report of ad hoc runs.",
        measures=("AP", "Rprec", "P@5", "P@10", "P@15", "P@20", "P@30", "P@100", "P@200", "P@500", "P@1000"),
        rel=1,
        order="trec9",
        sources=(
            "Voorhees and Harman (2000), Overview of the Eighth Text REtrieval Conference (TREC-8), Appendix A: "
            "Evaluation techniques and measures",
            _TREC_EVAL,
        ),
        # TREC-1 to TREC-8; the topics of the last year have judgments of the Web (WT2g), too.
        marks=Marks(
            called="TREC's ad hoc tracks",
            topics=tuple(f"{first}-{first + 49}" for first in range(51, 402, 50)),
            grades=(0, 1),
            documents="(?!clueweb|WT)",
        ),
    ),
    Convention(
        name="trec-robust",
        title="TREC Robust, 2004 and 2005",
        purpose="What NIST reports of runs on all topics, and the geometric mean, the main measure of 2005.",
        measures=("AP", "gmAP", "Rprec", "P@10", "P@100", "P@1000"),
        rel=1,
        order="trec9",
        notes=("The two measures of 2003 for the worst topics are not implemented.",),
        sources=(
            f"{_BROWSER}: results of Robust 2004 and 2005",
            "Voorhees (2005), Overview of the TREC 2004 Robust Retrieval Track",
            "Voorhees (2006), Overview of the TREC 2005 Robust Retrieval Track",
            _TREC_EVAL,
        ),
        # Of 2004: topic 672 has no relevant document, and was left out.
        marks=Marks(called="TREC's Robust track of 2004", topics=("301-450 601-671 673-700",), grades=(0, 1, 2)),
    ),
    Convention(
        name="trec-web",
        title="TREC Web, ad hoc task, 2010 to 2014",
        purpose="ERR@20 and nDCG@20, as gdeval prints them for the track.",
        measures=("ERR@20", "nDCG@20"),
        parameters={"ERR": {"max_rel": 4}, "nDCG": {"dcg": "exp-log2"}},
        order="score",
        notes=(
            "ERR uses 4 as the largest grade, even if no topic has it.",
            "The measures of the diversity task are not part of this convention.",
        ),
        sources=(
            "Collins-Thompson, Macdonald, Bennett, Diaz and Voorhees (2015), TREC 2014 Web Track Overview",
            "gdeval.pl, https://github.com/trec-web/trec-web-2014",
        ),
        # Of some years not all topics were judged. A grade below 0 is spam.
        marks=Marks(
            called="TREC's Web tracks",
            topics=tuple(f"{first}-{first + 49}" for first in range(51, 252, 50)),
            grades=(0, 1, 2),
            further=(-2, -1, 3, 4),
            documents="clueweb",
            fewest=25,
        ),
    ),
    Convention(
        name="trec-cast",
        title="TREC CAsT, 2021",
        purpose="The main measures of the track's third year, each turn of a conversation being a topic.",
        measures=("nDCG@3", "nDCG@5", "nDCG@500", "AP@500"),
        rel=1,
        order="trec9",
        depth=1000,
        topics="all",
        notes=(
            "Documents were judged, not passages. Before scoring, keep the first passage of each document in a list "
            "and remove the others.",
            "No relevance level is documented for the other years; NIST has strict and lenient figures for 2022. "
            "Choose the level with --rel.",
        ),
        sources=(
            "NIST, letter to the participants of CAsT 2021 (trec_eval -q -c -M1000), in "
            "https://github.com/iai-group/ecir2023-reproducibility, data/submitted_runs/2021/official_results",
            f"{_BROWSER}: results of CAsT 2022",
        ),
    ),
    Convention(
        name="beir",
        title="BEIR",
        purpose="What papers and leaderboards report for the collections of the benchmark.",
        measures=("nDCG@10", "R@100"),
        rel=1,
        order="trec9",
        topics="all",
        exclude="self",
        notes=(
            "BEIR removes a document whose id is that of the query (ignore_identical_ids; queries of ArguAna are "
            "documents of its corpus), and leaves the judgments unchanged.",
            "nDCG uses the grades unchanged.",
        ),
        sources=(
            "Thakur, Reimers, Rücklé, Srivastava and Gurevych (2021), BEIR: a heterogeneous benchmark for zero-shot "
            "evaluation of information retrieval models, NeurIPS",
            "Pyserini, reproductions for BEIR (trec_eval -c -m ndcg_cut.10, recall.100)",
            "EvaluateRetrieval.evaluate of BEIR, https://github.com/beir-cellar/beir, beir/retrieval/evaluation.py",
        ),
    ),
    Convention(
        name="msmarco-dev",
        title="MS MARCO, passages, development queries",
        purpose="MRR@10 of the leaderboard.",
        measures=("RR@10",),
        rel=1,
        topics="all",
        notes=("The leaderboard uses the submitted ranks: pass --order rank if scores are tied.",),
        sources=(
            "Bajaj et al. (2016), MS MARCO: a human generated machine reading comprehension dataset, arXiv 1611.09268",
            "ir_datasets, msmarco-passage/dev",
        ),
    ),
)

TRACKS: Final = {each.name: each for each in _TRACKS}
