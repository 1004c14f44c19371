"""trec_eval's command, answered by cranfield: its options, what it prints, and how it ends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Final, Literal, TypeAlias

from cranfield.compat.pytrec_eval import OF_SETS, without_negative
from cranfield.formats import to_dict
from cranfield.judged.conditions import Reading
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names_elsewhere import SETS, families, find, of_version
from cranfield.plumbing.argument_checks import looking
from cranfield.plumbing.errors import CranfieldError, InputError
from cranfield.plumbing.options import Order, shown
from cranfield.scoring.engines.local import StrangersError
from cranfield.scoring.evaluation import evaluate
from cranfield.scoring.judged_runs import qrels_table

Version: TypeAlias = Literal["9", "10"]

_ORDER: Final[Mapping[str, Order]] = {"9": "trec9", "10": "score"}
_ALL: Final = {"9": "all_trec", "10": "all_trec10"}
_ELSEWHERE: Final = (
    "prefs", "all_prefs", "qrels_jg", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg", "yaap", "dcg", "ideal_dcg",
)  # fmt: skip
"""Names, or how they begin, that trec_eval knows and we do not."""


class TrecEvalError(CranfieldError):
    """What trec_eval ends for; ``status`` is its exit status."""

    def __init__(self, problem: str, status: int) -> None:
        super().__init__(f"trec_eval: {problem}")
        self.status = status


@looking
def trec_eval(
    qrels: str | PathLike[str],
    run: str | PathLike[str],
    measures: Iterable[str] = ("official",),
    *,
    version: Version = "9",
    per_query: bool = False,
    summary: bool = True,
    complete: bool = False,
    level: int = 1,
    judged_only: bool = False,
    depth: int | None = None,
    docs: int = 0,
) -> str:
    r"""Return what trec_eval prints of a run.

    Parameters
    ----------
    qrels, run
        The files.
    measures
        As after its ``-m``: ``"map"``, ``"P.5,10"``, ``"official"``. However they are asked for, they come
        in trec_eval's order, each once; of several settings of one measure the first holds.
    version
        Of trec_eval: 9 (9.0.8) compares scores in 32 bits, 10 in 64, with other rounding of recall levels,
        three measures more in ``all_trec``, and without lines that begin with ``#``.
    per_query, summary, complete, level, judged_only, depth, docs
        Its options -q, -n (turned round), -c, -l, -J, -M and -N.

    Raises
    ------
    TrecEvalError
        With status 1 for a measure that is unknown, 7 where no topic has both judgments and documents.
    InputError, MeasureError
        For files that cannot be read, and for parameters that a measure cannot have.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> qrels, run = folder / "qrels.txt", folder / "bm25.run"
    >>> _ = qrels.write_text("1 0 a 1\n1 0 b 0\n"), run.write_text("1 Q0 b 1 2 bm25\n1 Q0 a 2 1 bm25\n")
    >>> print(trec_eval(qrels, run, ["recip_rank", "P.5"]), end="")
    recip_rank            	all	0.5000
    P_5                   	all	0.2000
    """
    measured = asked(measures, version, docs)
    comments = version == "10"  # which skips lines that begin with #
    judged = without_negative(to_dict(qrels_table(qrels, Reading(comments=comments)))) if judged_only else qrels
    try:
        scores = evaluate(
            judged, run, measured,
            order=_ORDER[version], topics="all" if complete else "shared", depth=depth,
            rel=level if level > 1 else None, judged_only=judged_only, comments=comments,
        )  # fmt: skip
    except StrangersError:
        raise TrecEvalError("No queries with both results and relevance info", 7) from None
    left_out = set() if summary else {"all"}
    if version == "9":  # with -c they count, and are not printed
        left_out |= {topic for topic, there in zip(scores.topics, scores.present[0], strict=True) if not there}
    lines = str(scores.render("trec_eval", per_topic=per_query)).splitlines(keepends=True)
    return "".join(line for line in lines if line.split("\t")[1] not in left_out)


@looking
def asked(names: Iterable[str], version: Version = "9", docs: int = 0) -> list[Measure]:
    """Return the measures that trec_eval's ``-m`` means, in the order in which it prints them."""

    def of(name: str) -> list[Measure]:
        return find(f"{name},docs={docs}" if docs and name.startswith("utility.") else name)

    known = SETS[_ALL[version]]
    nicknames = {
        "official": SETS["official"],
        "all_trec": known,
        "set": [name for name in known if name.startswith("set_") or name in OF_SETS],
    }
    settings: dict[str, str] = {}
    for name in [names] if isinstance(names, str) else names:
        if not isinstance(name, str):
            raise InputError(f"measures must be texts, not {shown(name)}")
        family, dot, given = name.partition(".")
        if dot and not given:
            raise TrecEvalError(f"improper measure in parameter {family!r}", 1)
        found = of(name)  # which refuses parameters that cannot be
        if dot and family in known and not _is_of(found, family):
            at = f"; {family}_cut.{given} has one" if f"{family}_cut" in known else ""
            raise TrecEvalError(f"{family} has no such parameter: {name!r}{at}", 1)
        if given and _has_cutoffs(family) and len(found) <= given.count(","):
            raise TrecEvalError(f"duplicate cutoffs detected in {name!r}", 2)
        for each in nicknames.get(family, (family,)):
            if each not in known:
                raise TrecEvalError(f"illegal measure {name!r}{_hint(name)}", 1)
            settings[each] = settings.get(each) or (given if each == family else "")
    asked_for = {each: settings[each] for each in known if each in settings}
    return [
        of_version(measure, _ALL[version]).called(f"{each}_{given}" if given and not _has_cutoffs(each) else "")
        for each, given in asked_for.items()
        for measure in of(f"{each}.{given}".removesuffix("."))
    ]


def _has_cutoffs(family: str) -> bool:
    """Say whether what follows the dot is of one value for each line, as in ``P.5,10``."""
    return family in families() and families()[family][1]


def _is_of(found: list[Measure], family: str) -> bool:
    """Say whether what follows the dot is read as the family has it: a cutoff of ``P``, no cutoff of ``map``."""
    if len(found) != 1 and not _has_cutoffs(family):
        return False
    return all((each.place is not None) == str(each.trec_at).startswith(f"{family}_{{") for each in found)


def _hint(name: str) -> str:
    """Say what else a name may have meant."""
    if name.startswith(_ELSEWHERE):
        return ", which trec_eval has but cranfield does not"
    family, _, cutoff = name.rpartition("_")
    return f"; trec_eval asks for it as {family}.{cutoff}" if family in families() else ""
