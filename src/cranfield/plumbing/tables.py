"""The tidy tables that everything starts from: which columns they have, and by which names users know them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Literal, Protocol, TypeAlias

from cranfield.plumbing.errors import InputError
from cranfield.plumbing.guesses import proposal, there
from cranfield.plumbing.surface import take_scores
from cranfield.plumbing.wording import named, some_of

QUERY: Final = "query_id"
DOCUMENT: Final = "doc_id"
SCORE: Final = "score"
RANK: Final = "rank"
RELEVANCE: Final = "relevance"
RUN: Final = "run"
LINE: Final = "line"
STRATUM: Final = "stratum"
COLLECTION: Final = "collection"
"""The column in front, where tables of several collections are stacked."""
ITERATION: Final = "iteration"
"""The second column of qrels in TREC text, which may hold anything: subtopics, rounds, assessors."""
SUBTOPIC: Final = "subtopic"
VITAL: Final = "vital"
WEIGHT: Final = "weight"
VALUE: Final = "value"
ATTEMPT: Final = "attempt"
"""Of a system at a topic, where it had several."""
CLUSTER: Final = "cluster"
"""What a topic belongs to, with others that depend on it."""
TASK: Final = "task"
"""What a topic is an item of, where scores are of several tasks."""

Repeated: TypeAlias = Literal["refuse", "max", "first", "sum"]
"""What becomes of a document that a topic of a run has several times."""

Subtopics: TypeAlias = Literal["refuse", "max", "read", "auto"]
"""What becomes of judgments by subtopic: see `Asked`."""

AVERAGE: Final = "all"
"""What stands for the topic in the rows of averages over topics; so no topic is called that (`refuse_average`)."""

SORTED_BY_LABELS: Final = "(sorted by labels)"
"""What the run is called that an experiment makes of a judge's labels."""

# Ours first, then ir_measures', PyTerrier's, ranx', trectools', the recommender libraries',
# BEIR's and Quepid's.
_QUERY_NAMES = (
    "query_id", "qid", "q_id", "query", "topic", "topic_id", "query-id", "user_id", "user", "question_id", "query text",
)  # fmt: skip
_DOCUMENT_NAMES = (
    "doc_id", "docno", "docid", "doc", "document", "document_id", "corpus-id", "corpus_id", "item_id", "item",
    "passage_id", "pid", "id", "doc id",
)  # fmt: skip

CHUNK_ID: Final = "chunk_id"
"""What the id of a document may be called besides, where texts or costs are of chunks."""
RUN_COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    QUERY: _QUERY_NAMES,
    DOCUMENT: _DOCUMENT_NAMES,
    SCORE: ("score", "sim", "similarity", "prediction"),
}
RUN_EXTRAS: Final[dict[str, tuple[str, ...]]] = {
    RANK: ("rank", "doc position"),
    RUN: ("run", "run_id", "system", "name"),
}
QRELS_COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    QUERY: _QUERY_NAMES,
    DOCUMENT: _DOCUMENT_NAMES,
    RELEVANCE: ("relevance", "rel", "label", "grade", "rating", "judgment", "judgement", "score"),
}
QRELS_EXTRAS: Final[dict[str, tuple[str, ...]]] = {
    STRATUM: (STRATUM,),
    SUBTOPIC: ("subtopic", "subtopic_id", "nugget", "nugget_id", "aspect", "aspect_id"),
    ITERATION: (ITERATION,),
    VITAL: (VITAL,),
    WEIGHT: (WEIGHT,),
}
SCORE_COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    RUN: (*RUN_EXTRAS[RUN], "system_id", "model", "model_id", "model_name", "agent", "method", "submission"),
    QUERY: (
        *_QUERY_NAMES, "item", "item_id", "task", "task_id", "instance", "instance_id", "example", "example_id",
        "problem", "problem_id",
    ),
    "measure": ("measure", "metric"),
    VALUE: (VALUE, "score"),
    ATTEMPT: (ATTEMPT, "attempt_id", "trial", "trial_id", "repeat", "repetition", "epoch"),
    CLUSTER: (CLUSTER, "cluster_id"),
    TASK: (),  # where it is named alone: a task may be a topic
    "low": ("low",),
    "high": ("high",),
}  # fmt: skip
"""Those of a table of scores, long or wide, here and elsewhere."""
OF_SUBTOPICS: Final = (VITAL, WEIGHT)
"""The facts of a subtopic, where there is one."""


class Frame(Protocol):
    """A DataFrame of any library: pandas, polars (eager or lazy), pyarrow, DuckDB."""

    @property
    def columns(self) -> object:
        """The names of its columns; what they may be called, the page on formats says."""


def match_columns(
    present: Iterable[str],
    wanted: Mapping[str, tuple[str, ...]],
    *,
    optional: Mapping[str, tuple[str, ...]] | None = None,
    source: str | None = None,
    columns: Mapping[str, Sequence[str]] | None = None,
    hint: str = "",
    first: Callable[[], Sequence[object]] = tuple,
) -> dict[str, str]:
    """Find the column that plays each part: ``{our name: the name it has there}``.

    Names are compared without regard to case; of several that fit, the one listed first is taken. What ``columns`` says
    (``{our name: names it may have there}``) goes before all, and a column that it names plays no other part; None
    where this form cannot be given. ``hint`` is named, too, where one is missing. ``first`` gives the first row, for
    examples.

    >>> match_columns(["qid", "docno", "score", "rank"], RUN_COLUMNS, optional=RUN_EXTRAS)
    {'query_id': 'qid', 'doc_id': 'docno', 'score': 'score', 'rank': 'rank'}
    >>> match_columns(["rank", "docno", "pos", "qid"], RUN_COLUMNS, optional=RUN_EXTRAS, columns={"score": ["pos"]})
    {'query_id': 'qid', 'doc_id': 'docno', 'score': 'pos', 'rank': 'rank'}
    >>> match_columns(["qid", "rel"], QRELS_COLUMNS, source="judged.csv")
    Traceback (most recent call last):
    ...
    cranfield.InputError: judged.csv: no column for doc_id (known as doc_id, ...); columns found: qid, rel
    """
    present = list(present)
    parts = {**wanted, **(optional or {})}
    mapped = _mapped(columns, present, parts, source) if columns else {}
    taken = set(mapped.values())
    by_folded = {name.strip().casefold(): name for name in reversed(present) if name not in taken}
    found, missing = {}, []
    for ours, names in parts.items():
        theirs = mapped.get(ours) or next((by_folded[name] for name in names if name in by_folded), None)
        if theirs is not None:
            found[ours] = theirs
        elif ours in wanted:
            missing.append(ours)
    if missing:
        problem = _lacking(missing, parts, present, found, None if columns is None or hint else first())
        raise InputError(f"{problem}; {hint}" if hint else problem, source=source)
    return found


def _mapped(
    columns: Mapping[str, Sequence[str]], present: Sequence[str], parts: Iterable[str], source: str | None
) -> dict[str, str]:
    """Find the columns that a user named, where they are there."""
    folded = {name.strip().casefold(): name for name in reversed(present)}
    found = {}
    for ours in parts:
        found_there = [name if name in present else folded.get(name.casefold()) for name in columns.get(ours, ())]
        several = list(dict.fromkeys(name for name in found_there if name is not None))
        if len(several) > 1:
            raise InputError(f"{' and '.join(several)} are both present, and both stand for {ours}", source=source)
        if several:
            found[ours] = several[0]
    return found


def looks_like_scores(columns: object) -> bool:
    """Say whether columns are those of a table of scores: systems, and topics or values, but no documents.

    >>> looks_like_scores(["model", "task_id", "resolved"]), looks_like_scores(["qid", "docno", "score"])
    (True, False)
    """
    if not isinstance(columns, Iterable):  # of another kind of object, a method
        return False
    there = {str(name).strip().casefold() for name in columns}

    def among(*parts: str) -> bool:
        return any(not there.isdisjoint(SCORE_COLUMNS[part]) for part in parts)

    return among(RUN) and among(QUERY, VALUE, "measure") and there.isdisjoint(RUN_COLUMNS[DOCUMENT])


def _lacking(
    missing: Sequence[str],
    parts: Mapping[str, tuple[str, ...]],
    present: Sequence[str],
    found: Mapping[str, str],
    first: Sequence[object] | None,
) -> str:
    """Say which columns are missing, which are there, and how to say which is which, where that can be said."""
    known = f" (known as {some_of(parts[missing[0]])})" if len(missing) == 1 else ""
    said = f"no column for {named(missing)}{known}; columns found: {there(present, first or ())}"
    if DOCUMENT in missing and looks_like_scores(present):
        return f"{said}: {take_scores()}"
    how = "" if first is None else proposal(missing, present, found.values(), first)
    return f"{said}: add {how}" if how else said


def refuse_average(topics: Iterable[str]) -> None:
    """Raise an InputError where a topic could not be told from the averages over topics.

    >>> refuse_average(["1", "all"])
    Traceback (most recent call last):
    ...
    cranfield.InputError: a topic is named 'all', like the averages over topics in all tables; rename it
    """
    if AVERAGE in topics:
        raise InputError(f"a topic is named {AVERAGE!r}, like the averages over topics in all tables; rename it")
