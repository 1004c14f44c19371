"""The conventions of tools: what each does where nothing else is asked of it."""

from __future__ import annotations

from typing import Final

from cranfield.conventions.convention import Convention

_TOOLS: Final = (
    Convention(
        name="trec_eval",
        title="trec_eval 9",
        purpose="What trec_eval prints without options.",
        measures=("AP", "Rprec", "Bpref", "RR", "P@5", "P@10", "P@20", "P@30", "P@100"),
        order="trec9",
        topics="shared",
        notes=(
            "-c is --topics all, which published track figures need: tracks have their own conventions.",
            "-l is --rel, -J is --judged-only, -M is --depth.",
        ),
        sources=("trec_eval 9.0, README, https://github.com/usnistgov/trec_eval",),
    ),
    Convention(
        name="ir_measures",
        title="ir_measures 0.4",
        purpose="What ir_measures computes through pytrec_eval and gdeval.",
        measures=("AP", "nDCG@10", "RR", "P@10"),
        parameters={"ERR": {"max_rel": 4}},
        order="trec9",
        topics="all",
        notes=(
            "Ties are broken by the tool that computes a measure: for RR@10, Judged and Compat the first id wins, not "
            "the last; this is not followed here.",
        ),
        sources=("ir_measures, https://ir-measur.es/en/latest/measures.html",),
    ),
    Convention(
        name="gdeval",
        title="gdeval.pl 1.3",
        purpose="nDCG and ERR at 20, as gdeval prints them.",
        measures=("nDCG@20", "ERR@20"),
        parameters={"nDCG": {"dcg": "exp-log2"}, "ERR": {"max_rel": 4}},
        order="score",
        sources=("gdeval.pl, https://github.com/trec-web/trec-web-2014",),
    ),
    Convention(
        name="ranx",
        title="ranx 0.3",
        purpose="What ranx computes; its names (mrr, ndcg_burges, map-l2) are understood everywhere.",
        measures=("AP", "RR", "nDCG@10"),
        topics="all",
        notes=("ranx does not define an order of equal scores: values of tied runs may differ from its values.",),
        sources=("ranx, https://amenra.github.io/ranx/",),
    ),
)

TOOLS: Final = {each.name: each for each in _TOOLS}
