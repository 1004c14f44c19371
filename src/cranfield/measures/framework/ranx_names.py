"""ranx's names for measures, those that are not also trec_eval's or ours."""

from __future__ import annotations

import re
from typing import Final

from cranfield.plumbing.errors import MeasureError

_OURS: Final = {
    "hit_rate": ("Success", ""),
    "f1": ("F", ""),
    "r-precision": ("Rprec", ""),
    "ndcg_burges": ("nDCG", "dcg='exp-log2'"),
    "dcg_burges": ("DCG", "dcg='exp-log2'"),
}
"""By ranx's name, our name and its parameters."""

_OTHERWISE: Final = {
    "hits": "ranx' hits@k is k times P@k, which is here; NumRelRet counts over the whole list, and adds topics up",
    "rbp": (
        "ranx' rbp.{p} gains the grade; RBP(p=0.{p}) here, its share of the largest grade of the qrels, "
        "which is the same where grades are 0 and 1"
    ),
}
"""What ranx computes otherwise than anything here."""

_LEVELLED: Final = {"ndcg": "nDCG", "dcg": "DCG"}
"""Measures of gain, in which grades below a level gain nothing."""

_NAME: Final = re.compile(r"(?P<name>[a-z]+(?:[_-]?[a-z0-9]+)??)(?P<at>@\d+)?(?:\.(?P<p>\d+))?(?:-l(?P<rel>\d+))?")


def in_our_words(text: str) -> str:
    """Translate a name of ranx's; all others stay as they are.

    >>> in_our_words("hit_rate@5"), in_our_words("ndcg_burges@10"), in_our_words("map@100-l2"), in_our_words("AP@10")
    ('Success@5', "nDCG(dcg='exp-log2')@10", 'map(rel=2)@100', 'AP@10')
    >>> in_our_words("ndcg@10-l3")
    'nDCG(gains={1:0,2:0})@10'
    """
    found = _NAME.fullmatch(text.casefold())
    if found is None:
        return text
    theirs, at, p, rel = found.group("name", "at", "p", "rel")
    if theirs == "hits" or (theirs == "rbp" and p):
        raise MeasureError(_OTHERWISE[theirs].format(p=p))
    if p or (rel is None and theirs not in _OURS):
        return text
    if rel and theirs.endswith("_burges"):
        raise MeasureError(
            f"{text}: gains of 2^grade - 1 from a level on are written grade by grade, such as "
            f"{'nDCG' if theirs.startswith('n') else 'DCG'}(gains={{1:0,2:3,3:7}}){at or ''}"
        )
    if rel and theirs in _LEVELLED:
        none = ",".join(f"{grade}:0" for grade in range(1, int(rel)))
        return _LEVELLED[theirs] + (f"(gains={{{none}}})" if none else "") + (at or "")
    ours, parameter = _OURS.get(theirs, (theirs, ""))
    parameters = ", ".join(filter(None, [parameter, rel and f"rel={rel}"]))
    return ours + (f"({parameters})" if parameters else "") + (at or "")
