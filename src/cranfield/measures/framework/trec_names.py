"""trec_eval's names for measures, and its sets of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from cranfield.measures.framework.measure import REGISTRY, Measure

# fmt: off
OFFICIAL = [
    "runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank",
    "iprec_at_recall", "P",
]
_ALL = [
    *OFFICIAL, "relstring", "recall", "infAP", "gm_bpref", "Rprec_mult", "utility", "11pt_avg", "binG", "G", "ndcg",
    "ndcg_rel", "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success", "set_P", "set_relative_P", "set_recall",
    "set_map", "set_F", "num_nonrel_judged_ret",
]
# fmt: on

SETS: dict[str, list[str]] = {
    # As trec_eval 9.0.8 has them ...
    "official": OFFICIAL,
    "all_trec": _ALL,
    # ... and as trec_eval 10 does: other rounding of recall levels, three measures more.
    "all_trec10": [*_ALL, "rbp", "rbp_resid", "unj"],
}

TREC9_SETS = ("official", "all_trec")


def find(name: str) -> list[Measure]:
    """Return the measures that trec_eval knows by this name; none if it knows no such name.

    >>> find("ndcg_cut_10"), find("success"), find("nDCG@10")
    ([nDCG@10], [Success@1, Success@5, Success@10], [])
    >>> find("utility.2,-1,0,0"), find("ndcg.1=3,2=9")
    ([Utility(a=2)], [nDCG(gains={1:3,2:9})])
    """
    if name in SETS:
        return [of_version(measure, name) for part in SETS[name] for measure in find(part)]
    if name in {"rbp", "rbp_resid"}:
        return [REGISTRY["RBP" if name == "rbp" else "RBPResidual"](p=0.9)]
    known = families()
    if name in known:
        measure, with_at = known[name]
        return [measure(**{measure.at: at}) for at in measure.at_typical] if with_at else [measure()]
    family, _, given = name.partition(".")
    if given and family in known:
        return list(known[family][0].from_trec(given))
    for measure in _measures():
        value = _value(measure.trec_at, name)
        if value is not None:
            return [measure(**{measure.at: measure.parameters[measure.at].kind(value)})]
    return []


def of_version(measure: Measure, name: str) -> Measure:
    """Return the measure as it is in the trec_eval that has this set: 10 rounds recall levels otherwise than 9."""
    if name == "all_trec10" and "rounding" in measure.parameters:
        return type(measure)(**{**measure.given, "rounding": "trec10"})
    return measure


def _measures() -> Iterator[type[Measure]]:
    return (measure for measure in REGISTRY.values() if measure.trec or measure.trec_at)


@cache
def families() -> dict[str, tuple[type[Measure], bool]]:
    """trec_eval's bare names: ``map`` is one measure, ``P`` one for each of the usual cutoffs."""
    named: dict[str, tuple[type[Measure], bool]] = {}
    for measure in _measures():
        if measure.trec_at:
            named[measure.trec_at.partition("_{")[0]] = (measure, True)
    for measure in _measures():
        if measure.trec:
            named[measure.trec] = (measure, False)
    return named


_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")


def _value(template: str | None, name: str) -> str | None:
    """Read the number in ``P_10`` by the template ``P_{at}``."""
    stem = template.partition("{")[0] if template else None
    if stem is None or not name.startswith(stem):
        return None
    value = name[len(stem) :]
    return value if _NUMBER.fullmatch(value) else None
