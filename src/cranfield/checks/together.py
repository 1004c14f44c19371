"""Several runs together: whose tag is another's, and which ones rank alike."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from cranfield.checks.result import Finding, some
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT, QUERY, SCORE


@dataclass(frozen=True)
class RunDigest:
    """What is kept of a run to hold it against the others.

    Attributes
    ----------
    label, name
        What it is called in the findings, and as a run.
    tag
        What it calls itself; None where it has no tag.
    ranking
        A digest of its ranked lists; None where they could not be read.
    """

    label: str
    name: str
    tag: str | None = None
    ranking: bytes | None = None


def digest(run: pl.DataFrame) -> bytes:
    """Return a digest of a run's ranked lists, whatever the order of its lines and the scale of its scores.

    >>> one = pl.DataFrame({"query_id": ["1", "1"], "doc_id": ["a", "b"], "score": [2.0, 1.0]})
    >>> digest(one) == digest(one.reverse().with_columns(pl.col("score") * 10))
    True
    """
    ranked = run.sort(QUERY, SCORE, DOCUMENT, descending=[False, True, True]).select(QUERY, DOCUMENT)
    return hashlib.sha256(ranked.hash_rows(seed=0).to_numpy().tobytes()).digest()


def check_together(traces: Sequence[RunDigest]) -> Iterator[list[Finding]]:
    """Find, for each run, what it has in common with others that it should not.

    >>> [[found.says for found in run] for run in check_together([RunDigest("a", "a", "x"), RunDigest("b", "b", "x")])]
    [["its tag, 'x', is also that of b"], ["its tag, 'x', is also that of a"]]
    """
    tagged, ranked, named = (_by([getattr(trace, key) for trace in traces]) for key in ("tag", "ranking", "name"))
    for place, trace in enumerate(traces):
        same_tag = _others(place, tagged.get(trace.tag, []), traces)
        found = list(_finding("tag", f"its tag, {trace.tag!r}, is also that of", same_tag))
        if trace.tag != trace.name:
            says = f"its tag, {trace.tag!r}, is the name of"
            found += _finding("tag", says, _others(place, named.get(trace.tag, []), traces))
        found += _finding(
            "same ranking",
            "it ranks the same documents alike as",
            _others(place, ranked.get(trace.ranking, []), traces),
        )
        yield found


def _by(keys: Sequence[Hashable]) -> dict[Hashable, list[int]]:
    """Say where each key stands; None is none."""
    places: dict[Hashable, list[int]] = defaultdict(list)
    for place, key in enumerate(keys):
        if key is not None:
            places[key].append(place)
    return places


def _others(place: int, places: Sequence[int], traces: Sequence[RunDigest]) -> list[str]:
    return [traces[other].label for other in places if other != place]


def _finding(kind: str, says: str, others: Sequence[str]) -> Iterator[Finding]:
    if others:
        yield Finding("warning", kind, len(others), None, f"{says} {some(others, len(others))}")
