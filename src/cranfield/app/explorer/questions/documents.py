"""What is asked of a document."""

from __future__ import annotations

from cranfield.app.explorer.questions.explored import Explored
from cranfield.errors import InputError


def grade_of(explored: Explored, topic: str, document: str) -> float:
    """Return the grade of a document; NaN is unjudged."""
    judgments = explored.on(topic).judgments
    if document not in judgments.documents[0]:
        raise InputError(f"no run retrieved document {document!r} for topic {topic!r}, and nobody judged it")
    return float(judgments.grade[judgments.documents[0].index(document)])
