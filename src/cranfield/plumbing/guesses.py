"""What a column or a field of a user's own may be: guessed by its name and its first value, for messages alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from cranfield.plumbing.surface import can_say, pairs_spelled
from cranfield.plumbing.wording import some_of

_TOPIC: Final = ("quer", "topic", "question", "search", "term", "prompt", "user_input", "qid", "intent", "need")
_DOCUMENT: Final = (
    "doc", "chunk", "passage", "product", "item", "sku", "asin", "article", "page", "url", "node", "source", "file",
    "hit", "result",
)  # fmt: skip
_SCORE: Final = ("scor", "sim", "conf", "prob", "distance", "bm25", "logit")
_LIKE: Final[Mapping[str, tuple[str, ...]]] = {
    "query_id": _TOPIC,
    "topic": _TOPIC,
    "doc_id": _DOCUMENT,
    "document": _DOCUMENT,
    "score": _SCORE,
    "rank": ("rank", "pos", "place", "order"),
    "relevance": ("relev", "grade", "label", "rating", "judg", "gain", "stars", "useful"),
    "weight": ("weight", "import", "traffic", "count", "freq", "volume", "share", "searches"),
    "cost": ("cost", "token", "price", "length", "words", "chars", "size"),
    "call": ("call", "step", "turn", "round", "attempt", "iteration"),
    "clicks": ("click",),
    "propensity": ("propens", "prob", "theta", "examin"),
    "relevant": ("gold", "relev", "expected", "positive", "support", "truth", "evidence", "answer", *_DOCUMENT),
    "retrieved": ("retriev", "result", "hit", "ranked", "found", "returned", "context", "answer", *_DOCUMENT),
}
"""What the name of a column holds that plays a part, the likeliest first."""
_NUMBERS: Final = frozenset({"score", "rank", "relevance", "weight", "cost", "clicks", "propensity"})
_MOST_GUESSES: Final = 6
_LONG_VALUE: Final = 16


def guessed(part: str, left: Mapping[str, object]) -> str | None:
    """Return which of the columns that are left, by their first values, may play a part; None where none seems to.

    >>> guessed("doc_id", {"term": "bag", "url": "p1", "pos": "1"}), guessed("score", {"term": "bag"})
    ('url', None)
    """
    fits = {name: value for name, value in left.items() if part not in _NUMBERS or _may_be_number(value)}
    for like in _LIKE.get(part, (part,)):
        several = [name for name in fits if like in name.casefold()]
        if several:
            return next((name for name in several if name.casefold().endswith("id")), several[0])
    return None


def _may_be_number(value: object) -> bool:
    if value is None or isinstance(value, int | float):
        return True
    try:
        float(str(value).replace(",", "."))
    except ValueError:
        return False
    return True


def there(columns: Sequence[str], first: Sequence[object] = ()) -> str:
    """Name columns, or fields, each with its first value.

    >>> there(["term", "url"], ["laptop bag", "p1"]), there(["term"])
    ("term ('laptop bag'), url ('p1')", 'term')
    """
    if len(first) != len(columns):
        return some_of(columns)
    shown = [f"{name} ({_example(value)})" for name, value in zip(columns[:_MOST_GUESSES], first, strict=False)]
    more = f", ... ({len(columns) - _MOST_GUESSES:,} more)" if len(columns) > _MOST_GUESSES else ""
    return f"{', '.join(shown)}{more}"


def _example(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONG_VALUE else f"{text[: _LONG_VALUE - 3]}..."


def proposal(missing: Iterable[str], columns: Sequence[str], taken: Iterable[str], first: Sequence[object] = ()) -> str:
    """Say which option names the columns that are missing, with the likely ones filled in; empty where none can.

    >>> proposal(["query_id", "score"], ["term", "docno", "pos"], ["docno"], ["bag", "d1", "1"])
    'columns={"query_id": "term", "rank": "pos"}'
    """
    if not can_say("--columns"):
        return ""
    values = dict(zip(columns, first, strict=True)) if len(first) == len(columns) else dict.fromkeys(columns)
    left = {name: value for name, value in values.items() if name not in {*taken}}
    pairs = []
    for part in missing:
        found = guessed(part, left)
        if found is None and part == "score" and (found := guessed("rank", left)) is not None:
            part = "rank"  # noqa: PLW2901 - a run may go by its ranks
        pairs.append((part, found))
        left.pop(found or "", None)
    unsure = [part for part, found in pairs if found is None]
    sure = len(unsure) == len(left) == 1 and unsure[0] not in _NUMBERS  # what is left over can only be this id
    rest = next(iter(left)) if sure else "COLUMN"
    return pairs_spelled("--columns", "columns", [(part, found or rest) for part, found in pairs])
