"""Names of measures, read: ``nDCG(gains={1:5,2:10})@10``, ``AP``, trec_eval's ``ndcg_cut_10``, and named sets."""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from cranfield.measures.framework import names_elsewhere
from cranfield.measures.framework.measure import REGISTRY, UNRANKED, Measure
from cranfield.plumbing.errors import MeasureError
from cranfield.plumbing.interchange import kind
from cranfield.plumbing.options import shown

EVERYTHING = "everything"
"""The name of the set of all measures."""

_SETS: Final = {"gdeval": ("nDCG(dcg='exp-log2')@20", "ERR(max_rel=4)@20")}
"""Sets of measures by the tool that computes them: gdeval's ndcg@20 and err@20, under names that say what they are."""

_ELSEWHERE: Final = {
    "nrbp": (
        "NRBP, spelt so, is a measure of diversity, for judgments by subtopic (ir_measures, ndeval); "
        "nRBP is RBP divided by that of the best list"
    )
}
"""Names that mean something else elsewhere than the measure which they would be here, large or small letters apart."""

_LONGEST_NAME: Final = 1000  # No name of a measure has more characters


class MeasureElsewhere(Protocol):
    """A measure of ir_measures (``ir_measures.nDCG @ 10``): it is computed as ir_measures does."""

    @property
    def NAME(self) -> object:  # noqa: N802 - as they call it
        """What it is called."""

    @property
    def params(self) -> object:
        """Its parameters, by name."""


OneMeasure: TypeAlias = str | Measure | type[Measure] | MeasureElsewhere
"""What names one measure, or a set of them."""

MeasureNames: TypeAlias = OneMeasure | Iterable[OneMeasure | Iterable[OneMeasure]]
"""Whatever names measures: see `parse_measures`."""


def parse_measures(names: MeasureNames, *, complete: bool = True) -> list[Measure]:
    """Read the names of measures and of sets of measures.

    Parameters
    ----------
    names
        Names as ir_measures writes them (``"AP"``, ``"nDCG@10"``, ``"RBP(p=0.8)"``), optionally
        with several cutoffs (``"nDCG@5,10,20"``) and words without quotation marks
        (``"Twist(crossing=matters)"``); as trec_eval does (``"map"``, ``"ndcg_cut_10"``,
        ``"P.5,10"``), trec_eval's sets (``"official"``, ``"all_trec"``, ``"all_trec10"``), what
        gdeval computes (``"gdeval"``); as ranx does (``"hit_rate@5"``, ``"map-l2"``);
        ``"everything"``; or measures themselves, those of ir_measures too. Names are
        case-insensitive unless two measures differ only by case. ``"NAME=MEASURE"`` gives a measure
        a name of yours (``"nDCG@20=nDCG(dcg=exp-log2)@20"``), which tables and files then have.
    complete
        Refuse a measure that cannot be computed as it stands, such as ``Success`` without a cutoff.

    Returns
    -------
    The measures in the order given, each once.

    Raises
    ------
    MeasureError
        If a measure is unknown, a parameter is out of range, or a cutoff is missing; if two measures
        have one name, or a name is that of another measure.

    Examples
    --------
    >>> parse_measures(["map", "nDCG@10", "P.5,10"])
    [AP, nDCG@10, P@5, P@10]
    >>> parse_measures("gdeval")
    [nDCG(dcg='exp-log2')@20, ERR(max_rel=4)@20]
    >>> parse_measures(["nDCG@5,10,20", "Twist(crossing=matters)"])
    [nDCG@5, nDCG@10, nDCG@20, Twist(crossing='matters')]
    >>> parse_measures("MAP=AP(rel=2),nDCG@20=nDCG(dcg=exp-log2)@20")
    [MAP=AP(rel=2), nDCG@20=nDCG(dcg='exp-log2')@20]
    >>> parse_measures("ndgc@10")
    Traceback (most recent call last):
    ...
    cranfield.MeasureError: no measure is called 'ndgc'; did you mean nDCG or ...? (see `cranfield measures`)
    """
    measures = [measure for name in listed(names) for measure in _parsed(name)]
    for measure in measures if complete else ():
        measure.require_complete()
    _refuse_names(measures)
    return list(dict.fromkeys(measures))


def asks_for_trec9(names: MeasureNames) -> bool:
    """Tell whether a set of trec_eval 9 is among the names: then runs should be ranked as it ranks them."""
    return any(isinstance(name, str) and name.strip() in names_elsewhere.TREC9_SETS for name in listed(names))


def parse_measure(name: OneMeasure, *, complete: bool = True) -> Measure:
    """Read the name of one measure, or what else stands for one; ``complete`` as in `parse_measures`.

    >>> parse_measure("RBP(p=0.5)@20").given
    {'cutoff': 20, 'p': 0.5}
    """
    measures = parse_measures(name, complete=complete)
    if not measures:
        raise MeasureError(f"{name!r} names no measure")
    if len(measures) != 1:
        raise MeasureError(f"{name!r} stands for {len(measures)} measures; name one of them, such as {measures[0]}")
    return measures[0]


def forget_names() -> None:
    """Forget what was read off the registry: measures were added."""
    names_elsewhere.families.cache_clear()


def listed(names: MeasureNames) -> list[OneMeasure]:
    """Return what is given for measures as a list, not yet read; in a list, ``P @ [5, 10]`` is one, too."""
    if isinstance(names, str):
        return list(split_names(names))
    if isinstance(names, bytes | type) or not isinstance(names, Iterable):
        return [names]
    return [one for each in names for one in listed(each)]


def _parsed(name: OneMeasure) -> Iterator[Measure]:
    if isinstance(name, Measure):
        yield name
    elif isinstance(name, type) and issubclass(name, Measure):
        yield name()
    elif isinstance(name, str) and not names_elsewhere.has_parameters(name) and (given := name_in_front(name)):
        yield _named(*given)
    elif isinstance(name, str) and name.strip() == EVERYTHING:
        for each in REGISTRY.values():
            if not each.text:
                yield each(**{each.at: each.at_typical[:2][-1]}) if each.at_required else each()
    elif isinstance(name, str) and name.strip() in _SETS:
        yield from (measure for each in _SETS[name.strip()] for measure in _canonical(each))
    elif isinstance(name, str):
        text = name.strip()
        own = re.split(r"[@(]", text)[0] in REGISTRY  # a measure of one's own may be called as one of ranx's
        yield from names_elsewhere.find(text) or _canonical(text if own else names_elsewhere.from_ranx(text))
    elif hasattr(name, "NAME") and hasattr(name, "params"):
        for measure in _canonical(str(name)):
            translated = _IN_IR_MEASURES.get(type(measure).__name__)
            yield type(measure)(**translated(measure.given)) if translated else measure
    else:
        raise MeasureError(f"give a measure by name ('nDCG@10') or as cranfield.nDCG @ 10, not as {shown(name)}")


def name_in_front(text: str) -> tuple[str, str] | None:
    """Take ``NAME=MEASURE`` apart; an equals sign between parentheses is that of a parameter.

    >>> name_in_front("web (exp)=nDCG(dcg=exp-log2)@20"), name_in_front("nDCG(dcg=exp-log2)@20")
    (('web (exp)', 'nDCG(dcg=exp-log2)@20'), None)
    """
    depth = 0
    for place, mark in enumerate(text):
        depth += (mark in "([{") - (mark in ")]}")
        if mark == "=" and not depth:
            return text[:place].strip(), text[place + 1 :].strip()
    return None


def _named(name: str, of: str) -> Measure:
    """Give a measure a name, unless it is that of another measure, or of the same one at another cutoff."""
    if not name.isprintable() or not name or name_in_front(of):
        raise MeasureError(f"{_short(f'{name}={of}')!r}: write NAME=MEASURE, such as nDCG=nDCG(dcg=exp-log2)@20")
    measure, known = parse_measure(of, complete=False), list[Measure]()
    with suppress(MeasureError):
        known = parse_measures(name, complete=False)
    if any(type(each) is not type(measure) or each.place not in {None, measure.place} for each in known):
        raise MeasureError(f"{measure} cannot be called {name}, which is another measure; choose another name")
    return measure.called(name)


def _refuse_names(measures: Sequence[Measure]) -> None:
    """Refuse one name for two measures, and two names for one."""
    if not any(measure.name_given for measure in measures):
        return
    by_name: dict[str, Measure] = {}
    by_measure: dict[Measure, str] = {}
    for measure in measures:
        other = by_name.setdefault(str(measure), measure)
        if other != measure:
            raise MeasureError(f"{other.definition} and {measure.definition} are both called {measure}; rename one")
        name = by_measure.setdefault(measure, str(measure))
        if name != str(measure):
            raise MeasureError(f"{measure.definition} is called {name} and {measure}; give it one name")


_Column = TypeVar("_Column", Measure, Measure | str)


def shortly(measures: Sequence[_Column]) -> list[_Column]:
    """Give the measures of a table short names, without parameters, where all of a kind have the same; others stay.

    >>> shortly(parse_measures("nDCG(dcg=exp-log2)@20,AP,AP(rel=2),mine=P(rel=2)@5"))
    [nDCG@20=nDCG(dcg='exp-log2')@20, AP, AP(rel=2), mine=P(rel=2)@5]
    """
    own = [each for each in measures if isinstance(each, Measure) and not each.name_given]
    uncut = {(type(each), each.definition.removesuffix(each.short.removeprefix(type(each).__name__))) for each in own}
    conventions = Counter(kind for kind, _ in uncut)
    taken: set[str] = {str(each) for each in measures if isinstance(each, str) or each.name_given}

    def short(each: _Column) -> _Column:
        if isinstance(each, str) or each.name_given or type(each).__str__ is not Measure.__str__:
            return each
        clear = conventions[type(each)] == 1 and each.short not in {*taken, str(each)}
        return each.called(each.short) if clear else each

    return list(map(short, measures))


def told_names(measures: Iterable[Measure | str]) -> str:
    """Say what the names of measures stand for that are not their own, each once; nothing where there are none.

    >>> told_names(parse_measures("AP,MAP=AP(rel=2),nDCG@20=nDCG(dcg=exp-log2)@20"))
    "MAP is AP(rel=2). nDCG@20 is nDCG(dcg='exp-log2')@20."
    >>> told_names(parse_measures("AP"))
    ''
    """
    known = (measure for measure in measures if isinstance(measure, Measure))
    renamed = (measure for measure in known if measure.name_given not in {"", measure.definition})
    return " ".join(dict.fromkeys(f"{measure} is {measure.definition}." for measure in renamed))


_IN_IR_MEASURES: Final[dict[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    "ERR": lambda given: {"max_rel": 4, **given},
    "SetF": lambda given: {**given, "beta": given.get("beta", 1.0) ** 0.5},
}
"""Where ir_measures means something else by our name, the parameters here that make it the same."""


def _canonical(text: str) -> Iterator[Measure]:
    """Read ``Name(parameter=value, ...)@cutoff,cutoff``; the grammar is a part of Python's."""
    try:
        name, parameters, cutoffs = _read(text)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        looks = meant_by(text) or "names look like AP, nDCG@10 or RBP(p=0.8)@20"
        raise MeasureError(f"{_short(text)!r} is not the name of a measure; {looks}") from None
    twice = [each for each, _ in parameters if [other for other, _ in parameters].count(each) > 1]
    if twice:
        raise MeasureError(f"{_short(text)!r} gives {twice[0]} twice; give it once")
    measure = _class(name)(**dict(parameters))
    yield from (measure @ at for at in cutoffs) if cutoffs else [measure]


def _read(text: str) -> tuple[str, list[tuple[str, object]], list[float]]:
    """Take a name apart: the measure's, its parameters with their values, and its cutoffs."""
    if len(text) > _LONGEST_NAME or text.rstrip().endswith(","):
        raise ValueError
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Python, about what is no code of anybody's
        node = ast.parse(_quoted(text), mode="eval").body
    first, *further = node.elts if isinstance(node, ast.Tuple) else [node]
    at = []
    if isinstance(first, ast.BinOp) and isinstance(first.op, ast.MatMult):
        at = [first.right, *further]
        first = first.left
    elif further:
        raise ValueError
    if any(isinstance(each, ast.Tuple | ast.List) for each in at):
        raise ValueError
    called, keywords = (first.func, first.keywords) if isinstance(first, ast.Call) else (first, [])
    if not isinstance(called, ast.Name) or (isinstance(first, ast.Call) and first.args):
        raise ValueError
    cutoffs = [ast.literal_eval(each) for each in at]
    if any(isinstance(each, tuple | list) for each in cutoffs):
        raise ValueError
    return called.id, [_parameter(keyword) for keyword in keywords], cutoffs


def meant_by(text: str) -> str | None:
    """Say which name was perhaps meant, where writing it a little otherwise makes it one.

    >>> [meant_by(text) for text in ("RBP(0.8)", "ndcg10", "nDCG@k", "AP P@10", "fish")]
    ['did you mean RBP(p=0.8)?', 'did you mean nDCG@10?', 'did you mean nDCG@10?', 'did you mean AP,P@10?', None]
    """
    others = _spelt_otherwise(text) if len(text) <= _LONGEST_NAME else ()
    for each in (other for other in others if other != text):
        try:
            found = parse_measures(each)
        except MeasureError:
            continue
        return f"did you mean {','.join(map(str, found))}?"
    return None


_WITHOUT_NAME: Final = re.compile(r"(?P<name>\w+)\((?P<value>[^(),=]+)\)(?P<at>@\d+)?")
_RUN_TOGETHER: Final = re.compile(r"(?P<name>[^\W\d](?:[\w-]*[^\W\d_])?)[\s_:.-]*(?P<at>\d+)")


def _spelt_otherwise(text: str) -> Iterator[str]:
    """Give what a text may have been meant for: a value without its name, a cutoff without @, or for names apart."""
    text = text.strip()
    if found := _WITHOUT_NAME.fullmatch(text):
        with suppress(ValueError, SyntaxError, MeasureError):
            measure, value = _class(found["name"]), ast.literal_eval(found["value"])
            name = measure.parameter_for(value)
            at = f"@{value}" if name == measure.at else f"({name}={value!r})" if name else ""
            yield f"{found['name']}{at}{found['at'] or ''}"
    if found := _RUN_TOGETHER.fullmatch(text):
        yield f"{found['name']}@{found['at']}"
        yield f"{found['name']}_{found['at']}"
    if text.endswith(("@k", "@K", "@n", "@N")):
        yield f"{text[:-1]}10"
    words = ",".join(filter(None, re.split(r"[\s,;+|]+", text)))
    if words != text:
        yield words


def _parameter(keyword: ast.keyword) -> tuple[str, object]:
    if keyword.arg is None:
        raise ValueError
    return keyword.arg, ast.literal_eval(keyword.value)


_QUOTED_OR_WORD: Final = re.compile(r"""("[^"]*"|'[^']*')|(?<==)(\s*)([^\W\d][\w-]*)(?=\s*[,)])""")


def _quoted(text: str) -> str:
    """Quote the words that are given for parameters without quotation marks: nDCG(dcg=exp-log2)."""

    def quoted(found: re.Match[str]) -> str:
        mark, blanks, word = found.groups()
        return found[0] if mark or word in {"True", "False", "None"} else f'{blanks}"{word}"'

    return _QUOTED_OR_WORD.sub(quoted, text)


def _short(text: str) -> str:
    """Cut what is too long for a message."""
    return text if len(text) <= 60 else f"{text[:57]}..."


def split_names(text: str) -> tuple[str, ...]:
    """Take names apart at commas, but for those of parameters and cutoffs: behind a comma, a name has a letter."""
    depth, cuts = 0, [-1]
    for found in _MARKS.finditer(text):
        depth += (found[0] in "([{") - (found[0] in ")]}")
        if not depth and found["between"]:
            cuts.append(found.start())
    return tuple(text[start + 1 : end].strip() for start, end in zip(cuts, [*cuts[1:], None], strict=True))


_MARKS: Final = re.compile(r"""'[^']*'|"[^"]*"|[(){}[\]]|(?P<between>,(?=\s*[^\W\d]))""")


def place_of(asked: str | Measure, among: Sequence[str | Measure]) -> int:
    """Find the one measure among these that is meant; parameters may be left out where that leaves no doubt.

    A name that a user gave goes before all others.

    >>> place_of("ndcg", ["AP", "nDCG@10"]), place_of("AP", ["AP(rel=2)", "AP"])
    (1, 1)
    >>> place_of("RR", ["AP", "nDCG@10"])
    Traceback (most recent call last):
    ...
    cranfield.MeasureError: RR is not among the measures asked for: AP, nDCG@10
    """
    names = list(map(str, among))
    wanted = asked if isinstance(asked, Measure) else _meant(asked, names)
    if wanted in among:
        return among.index(wanted)
    if str(wanted) in names:
        return names.index(str(wanted))
    fitting = [place for place, each in enumerate(among) if _is_kind_of(each, wanted)]
    if len(fitting) == 1:
        return fitting[0]
    problem = "can be several of" if fitting else "is not among"
    raise MeasureError(f"{wanted} {problem} the measures asked for: {', '.join(names)}")


def _meant(asked: str, names: Sequence[str]) -> Measure | str:
    """Read a name; one that is among those asked for, known or not, is meant as it stands."""
    if asked in names:
        return asked
    found = parse_measures(asked, complete=False)
    kinds = {type(measure) for measure in found}
    return found[0] if len(found) == 1 else kinds.pop()() if len(kinds) == 1 else asked


def _is_kind_of(name: str | Measure, wanted: Measure | str) -> bool:
    """Tell whether a measure is the one that is wanted, with parameters besides."""
    if not isinstance(wanted, Measure):
        return False
    try:
        measure = parse_measure(name)
    except MeasureError:  # from a table, with a name of its own
        return False
    return type(measure) is type(wanted) and wanted.given.items() <= measure.given.items()


def _class(name: str) -> type[Measure]:
    all_kinds = (*REGISTRY.values(), *UNRANKED.values())
    by_name = {alias: measure for measure in all_kinds for alias in (measure.__name__, *measure.aliases)}
    if name in by_name:
        return by_name[name]
    if name.casefold() in _ELSEWHERE:
        raise MeasureError(_ELSEWHERE[name.casefold()])
    folded = [measure for known, measure in by_name.items() if known.casefold() == name.casefold()]
    if len(set(folded)) == 1:
        return folded[0]
    from difflib import get_close_matches

    by_folded = {known.casefold(): measure.__name__ for known, measure in by_name.items()}
    close = get_close_matches(name.casefold(), by_folded, n=3, cutoff=0.6)
    meant = " or ".join(dict.fromkeys(by_folded[known] for known in close))
    said = meant_by(name) or (f"did you mean {meant}?" if meant else "")
    hint = f"; {said}" if said else ""
    raise MeasureError(f"no measure is called {_short(name)!r}{hint} (see `cranfield measures`)")


kind("measure", Measure, repr, partial(parse_measure, complete=False))  # a curve is of a measure without its cutoff
