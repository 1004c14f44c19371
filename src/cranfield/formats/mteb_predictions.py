"""What mteb predicted, ``TASK_predictions.json``: runs, by subset and split.

``{"mteb_model_meta": {...}, subset: {split: {topic: {document: score}}}}``
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from cranfield.plumbing.errors import InputError

_META: Final = "mteb_model_meta"
_BEGINS: Final = b'{"' + _META.encode()


def begins_as_predictions(data: bytes) -> bool:
    """Say whether a file begins as mteb's predictions do."""
    return data[:256].translate(None, b" \t\r\n").startswith(_BEGINS)


def are_predictions(given: Mapping[Any, Any]) -> bool:
    """Say whether a dict is what mteb predicted."""
    return _META in given


def runs_of(given: Mapping[Any, Any]) -> dict[str, Mapping[Any, Any]]:
    """Return the runs among predictions: called by their model, and by subset and split where there are several.

    >>> runs_of({"mteb_model_meta": {"model_name": "org/small"}, "default": {"test": {"q1": {"d1": 0.5}}}})
    {'org__small': {'q1': {'d1': 0.5}}}

    Raises
    ------
    InputError
        If they are those of a task that ranks no documents, or of none.
    """
    meta = given[_META]
    model = str(meta.get("model_name") or "run") if isinstance(meta, Mapping) else "run"
    found: dict[tuple[str, str], Mapping[Any, Any]] = {}
    for subset, splits in given.items():
        if subset == _META:
            continue
        for split, topics in splits.items() if isinstance(splits, Mapping) else [("", splits)]:
            if not isinstance(topics, Mapping) or not all(isinstance(each, Mapping) for each in topics.values()):
                of = " ".join(filter(None, (str(subset), str(split))))
                raise InputError(
                    f"mteb's predictions of {of} rank no documents: only those of tasks of retrieval and reranking "
                    "are runs"
                )
            found[str(subset), str(split)] = topics
    if not found:
        raise InputError("mteb's predictions have no subset: the task was not run to its end")
    name = model.replace("/", "__")  # as mteb calls folders
    return {name if len(found) == 1 else ".".join((name, *which)): run for which, run in found.items()}
