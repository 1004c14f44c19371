"""Names of measures, read: ``nDCG(gains={1:5,2:10})@10``, ``AP``, trec_eval's ``ndcg_cut_10``, and named sets."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from cranfield.errors import MeasureError
from cranfield.interchange import kind
from cranfield.measures.machinery import trec_names
from cranfield.measures.machinery.measure import REGISTRY, Measure

EVERYTHING = "everything"
"""The name of the set of all measures."""

MeasureNames: TypeAlias = str | Measure | type[Measure] | Iterable[str | Measure | type[Measure]]
"""Whatever names measures: see `parse_measures`."""


def parse_measures(names: MeasureNames, *, complete: bool = True) -> list[Measure]:
    """Read the names of measures and of sets of measures.

    Parameters
    ----------
    names
        Names as ir_measures writes them (``"AP"``, ``"nDCG@10"``, ``"RBP(p=0.8)"``), as trec_eval does
        (``"map"``, ``"ndcg_cut_10"``, ``"P.5,10"``), trec_eval's sets (``"official"``, ``"all_trec"``,
        ``"all_trec10"``), ``"everything"``, or measures themselves. Letters may be large or small where no two measures
        differ by them.
    complete
        Refuse a measure that cannot be computed as it stands, such as ``Success`` without a cutoff.

    Returns
    -------
    The measures in the order asked, each once.

    Raises
    ------
    MeasureError
        Where there is no such measure, a parameter is outside its range, or a cutoff is missing.

    Examples
    --------
    >>> parse_measures(["map", "nDCG@10", "P.5,10"])
    [AP, nDCG@10, P@5, P@10]
    >>> parse_measures("ndgc@10")
    Traceback (most recent call last):
    ...
    cranfield.errors.MeasureError: no measure is called 'ndgc'; did you mean nDCG or ...? (see `cranfield measures`)
    """
    if isinstance(names, str | Measure | type):
        names = [names]
    measures = [measure for name in names for measure in _parsed(name)]
    for measure in measures if complete else ():
        measure.require_complete()
    return list(dict.fromkeys(measures))


def asks_for_trec9(names: MeasureNames) -> bool:
    """Tell whether a set of trec_eval 9 is among the names: then runs should be ranked as it ranks them.

    >>> asks_for_trec9(["nDCG@10", "official"]), asks_for_trec9("map")
    (True, False)
    """
    names = [names] if isinstance(names, str | Measure | type) else list(names)
    return any(isinstance(name, str) and name.strip() in trec_names.TREC9_SETS for name in names)


def parse_measure(name: str) -> Measure:
    """Read the name of one measure.

    >>> parse_measure("RBP(p=0.5)@20").given
    {'cutoff': 20, 'p': 0.5}
    """
    measures = parse_measures(name)
    if len(measures) != 1:
        raise MeasureError(f"{name!r} stands for {len(measures)} measures; name one of them, such as {measures[0]}")
    return measures[0]


def forget_names() -> None:
    """Forget what was read off the registry: measures were added."""
    trec_names.families.cache_clear()


def _parsed(name: str | Measure | type[Measure]) -> Iterator[Measure]:
    if isinstance(name, Measure):
        yield name
    elif isinstance(name, type) and issubclass(name, Measure):
        yield name()
    elif isinstance(name, str) and name.strip() == EVERYTHING:
        yield from _everything()
    elif isinstance(name, str):
        yield from trec_names.find(name.strip()) or [_canonical(name.strip())]
    else:
        raise MeasureError(f"a measure is given by its name ('nDCG@10') or as cranfield.nDCG @ 10, not as {name!r}")


def _everything() -> Iterator[Measure]:
    """Give every measure that is a number, at its usual place where it needs one."""
    for measure in REGISTRY.values():
        if not measure.text:
            typical = measure.at_typical[:2][-1]
            yield measure(**{measure.at: typical}) if measure.at_required else measure()


def _canonical(text: str) -> Measure:
    """Read ``Name(parameter=value, ...)@cutoff``; the grammar is a part of Python's."""
    try:
        node = ast.parse(text, mode="eval").body
        at = None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            at = ast.literal_eval(node.right)
            node = node.left
        parameters = {}
        if isinstance(node, ast.Call):
            if node.args or any(keyword.arg is None for keyword in node.keywords):
                raise ValueError
            parameters = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in node.keywords}
            node = node.func
        if not isinstance(node, ast.Name):
            raise ValueError
    except (SyntaxError, ValueError, TypeError):
        raise MeasureError(
            f"{text!r} is not the name of a measure; names look like AP, nDCG@10 or RBP(p=0.8)@20"
        ) from None
    measure = _class(node.id)(**parameters)
    return measure if at is None else measure @ at


def _class(name: str) -> type[Measure]:
    by_name = {alias: measure for measure in REGISTRY.values() for alias in (measure.__name__, *measure.aliases)}
    if name in by_name:
        return by_name[name]
    folded = [measure for known, measure in by_name.items() if known.casefold() == name.casefold()]
    if len(set(folded)) == 1:
        return folded[0]
    by_folded = {known.casefold(): measure.__name__ for known, measure in by_name.items()}
    close = difflib.get_close_matches(name.casefold(), by_folded, n=3, cutoff=0.6)
    meant = " or ".join(dict.fromkeys(by_folded[known] for known in close))
    hint = f"; did you mean {meant}?" if meant else ";"
    raise MeasureError(f"no measure is called {name!r}{hint} (see `cranfield measures`)")


kind("measure", Measure, str, parse_measure)
