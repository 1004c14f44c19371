"""What the two papers on relative position have in common: their measures at the relevance level of the runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cranfield.plumbing.lazy import pl
from cranfield.reproductions.study import Study

TWO_KINDS: Final = "With a relevance level (-l) documents are relevant or not; without one every grade counts."


def something_relevant(study: Study) -> str | None:
    """Refuse a study in which no topic has a relevant document."""
    relevant = study.runs.judgments.recall_base(study.runs.grading.rel)
    return None if (relevant > 0).any() else "No topic has a relevant document."


def telling_apart(study: Study, measure: str) -> str:
    """Name a measure of position or effort with the relevance level of the study, if it has one.

    ``Twist`` becomes ``Twist(rel=2)``, and ``CRP(cutoff=9)`` becomes ``CRP(cutoff=9,rel=2)``.
    """
    rel = study.runs.grading.rel
    if rel is None:
        return measure
    return f"{measure[:-1]},rel={rel:g})" if measure.endswith(")") else f"{measure}(rel={rel:g})"


def by_ranking(study: Study, measures: Sequence[str]) -> pl.DataFrame:
    """Return by run and topic the archetype, a column for each measure, and the recall base, which is not 0."""
    scores = study.scores([telling_apart(study, measure) for measure in (*measures, "NumRel")])
    names = dict(zip(map(str, scores.measures), (*measures, "NumRel"), strict=True))
    wide = scores.per_topic.with_columns(pl.col("measure").replace_strict(names)).pivot(
        on="measure", index=["run", "topic"], values="value"
    )
    rankings = study.experiment("archetypes")["rankings"].join(wide, on=["run", "topic"], how="inner")
    return rankings.filter(pl.col("NumRel") > 0)
