"""Other tools' names for measures: trec_eval's, with its sets of them, and those of ranx that are not also ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from cranfield.measures.framework.measure import REGISTRY, Measure
from cranfield.plumbing.errors import MeasureError
from cranfield.plumbing.options import shown

# fmt: off
_OFFICIAL = [
    "runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank",
    "iprec_at_recall", "P",
]
_ALL = [
    *_OFFICIAL, "relstring", "recall", "infAP", "gm_bpref", "Rprec_mult", "utility", "11pt_avg", "binG", "G", "ndcg",
    "ndcg_rel", "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success", "set_P", "set_relative_P", "set_recall",
    "set_map", "set_F", "num_nonrel_judged_ret",
]
# fmt: on

SETS: dict[str, list[str]] = {
    # As trec_eval 9.0.8 has them ...
    "official": _OFFICIAL,
    "all_trec": _ALL,
    # ... and as trec_eval 10 does: other rounding of recall levels, three measures more.
    "all_trec10": [*_ALL, "rbp", "rbp_resid", "unj"],
}

_RBP: Final = {"rbp": "RBP", "rbp_resid": "RBPResidual"}
TREC9_SETS = ("official", "all_trec")


def find(name: str) -> list[Measure]:
    """Return the measures that trec_eval knows by this name; none if it knows no such name."""
    try:
        return _found(name)
    except MeasureError:
        raise
    except (ValueError, OverflowError, TypeError, KeyError):  # what follows the dot may be anything at all
        problem = f"{shown(name)} is not one of trec_eval's names, which look like P_5, P.5,10 or set_F.0.5"
        raise MeasureError(problem) from None


def has_parameters(name: str) -> bool:
    """Say whether trec_eval's parameters follow a dot: an equals sign is one of theirs then, as in ``ndcg.1=3,2=9``."""
    family, dot, _ = name.partition(".")
    return bool(dot) and family.strip() in families()


def _found(name: str) -> list[Measure]:
    if name in SETS:
        return [of_version(measure, name) for part in SETS[name] for measure in _found(part)]
    family, _, given = name.partition(".")
    if family in _RBP and (not given or given.startswith("p=")):  # other forms are ranx'
        return [REGISTRY[_RBP[family]](p=float(given.removeprefix("p=") or 0.9))]
    known = families()
    if name in known:
        measure, with_at = known[name]
        return [measure(**{measure.at: at}) for at in measure.at_typical] if with_at else [measure()]
    if given and family in known:
        if "_" in given or not given.isascii():
            raise ValueError  # Python takes 1_0, C reads 1
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


_RANX: Final = {
    "hit_rate": ("Success", ""),
    "f1": ("F", ""),
    "r-precision": ("Rprec", ""),
    "ndcg_burges": ("nDCG", "dcg='exp-log2'"),
    "dcg_burges": ("DCG", "dcg='exp-log2'"),
}
"""By ranx's name, our name and its parameters."""

_RANX_OTHERWISE: Final = {
    "hits": "ranx' hits@k is k times P@k, which is here; NumRelRet counts over the whole list, and adds topics up",
    "rbp": (
        "ranx' rbp.{p} gains the grade; RBP(p=0.{p}) here, its share of the largest grade of the qrels, "
        "which is the same where grades are 0 and 1"
    ),
}
"""What ranx computes otherwise than anything here."""

_RANX_LEVELLED: Final = {"ndcg": "nDCG", "dcg": "DCG"}  # Measures of gain, in which grades below a level gain nothing

_RANX_NAME: Final = re.compile(r"(?P<name>[a-z]+(?:[_-]?[a-z0-9]+)??)(?P<at>@\d+)?(?:\.(?P<p>\d+))?(?:-l(?P<rel>\d+))?")


def from_ranx(text: str) -> str:
    """Translate a name of ranx's, such as hit_rate@5 or ndcg@10-l3; all others stay as they are."""
    found = _RANX_NAME.fullmatch(text.casefold())
    if found is None:
        return text
    theirs, at, p, rel = found.group("name", "at", "p", "rel")
    if theirs == "hits" or (theirs == "rbp" and p):
        raise MeasureError(_RANX_OTHERWISE[theirs].format(p=p))
    if p or (rel is None and theirs not in _RANX):
        return text
    if rel and theirs.endswith("_burges"):
        raise MeasureError(
            f"{text}: gains of 2^grade - 1 from a level on are written grade by grade, such as "
            f"{'nDCG' if theirs.startswith('n') else 'DCG'}(gains={{1:0,2:3,3:7}}){at or ''}"
        )
    if rel and theirs in _RANX_LEVELLED:
        none = ",".join(f"{grade}:0" for grade in range(1, int(rel)))
        return _RANX_LEVELLED[theirs] + (f"(gains={{{none}}})" if none else "") + (at or "")
    ours, parameter = _RANX.get(theirs, (theirs, ""))
    parameters = ", ".join(filter(None, [parameter, rel and f"rel={rel}"]))
    return ours + (f"({parameters})" if parameters else "") + (at or "")
