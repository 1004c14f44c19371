"""Does it matter who judged?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from cranfield.experiments.experiment import Outcome, experiment, number_measures
from cranfield.formats import expand, run_name
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import MeasureNames
from cranfield.plumbing.arrays import Booleans, Floats
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Weights
from cranfield.plumbing.wording import counted
from cranfield.scoring.judged_runs import JudgedRuns, open_qrels
from cranfield.scoring.panel import Panel
from cranfield.selection.assessors import Ratings, grades_of, refuse_same_names
from cranfield.statistics.correlation_vectors import is_constant
from cranfield.statistics.rank_correlation import kendall_tau

MAIN = "qrels"
"""What the judgments that the runs were joined with are called."""

Documents: TypeAlias = Literal["common", "all"]


@experiment
def assessors(
    runs: JudgedRuns,
    measures: MeasureNames = ("AP", "Bpref", "RBP(p=0.8,rel=1)", "nDCG(base=10)", "Twist"),
    *,
    assessors: tuple[Path, ...] = (),
    documents: Documents = "common",
    weights: Weights = "linear",
) -> Outcome:
    r"""Do the assessors agree, and would another assessor have ranked the runs differently?

    Each pair of assessors is compared, and each assessor with the qrels of the runs, named "qrels".
    Agreement is over the documents that both judged. The runs are ranked by means over the topics
    that both judged, and the two rankings are compared by Kendall's tau-b. Documents missing from
    the qrels are left out.

    Parameters
    ----------
    runs
        The runs, joined with the judgments.
    measures
        The measures by which runs are scored.
    assessors
        Files of qrels, one for each assessor, or a folder of them.
    documents
        Which documents score the runs: those that both judged (``common``: rankings differ because
        opinions do) or all that each assessor judged (``all``: rankings also differ because one
        judged more).
    weights
        How disagreement grows with the distance of the grades in the weighted kappa.

    Tables
    ------
    agreement
        A row for each pair of assessors with a judged document in common.
        assessor_a, assessor_b : text
        topics, documents : whole number
            How many both judged.
        same_grade : number
            The share of these documents to which both gave the same grade.
        overlap : number
            The number of documents that both found relevant, divided by the number that either did;
            null where neither found one.
        kappa, weighted_kappa : number
            Cohen's kappa; the second is weighted by the distance between grades.
        alpha_nominal, alpha_ordinal : number
            Krippendorff's alpha for nominal and for ordinal grades. These four are null for a
            single document, from which chance agreement cannot be estimated.
    correlation
        A row for each measure and each of these pairs.
        measure, assessor_a, assessor_b : text
        topics : whole number
            The number of topics on which the runs are compared.
        tau : number
            Between the two rankings of the runs; null without a topic, and where one assessor's
            grades leave all runs tied.
    confusion
        How often assessor a gave one grade and assessor b the other to a document that both judged,
        for all grades in use.
        assessor_a, assessor_b : text
        grade_a, grade_b : number
        documents : whole number
    overall
        Agreement of all assessors, over the documents that at least two of them judged.
        of : text
            Whether the qrels count as an assessor.
        judged_by : whole number
            The number of assessors.
        documents : whole number
        alpha_nominal, alpha_ordinal : number
            Krippendorff's.

    Raises
    ------
    InputError
        If no assessor is named, two have the same name, or one shares nothing with the qrels or
        gave a grade above the highest of the qrels, which scales the gains.

    Paper: Voorhees (2000), "Variations in relevance judgments and the measurement of retrieval
    effectiveness"; for alpha, Krippendorff (2011), "Computing Krippendorff's alpha-reliability".

    Examples
    --------
    >>> import tempfile
    >>> from cranfield import join
    >>> runs = join({"1": {"a": 1, "b": 0}}, {"one": {"1": {"a": 1.0}}, "two": {"1": {"b": 1.0}}})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "ann.txt").write_text("1 0 a 0\n1 0 b 1\n")
    ...     found = assessors(runs, "RR", assessors=(Path(folder),))
    >>> found["agreement"].select("assessor_b", "documents", "same_grade", "kappa").rows()
    [('ann', 2, 0.0, -1.0)]
    >>> found["correlation"].rows()  # each puts the other run first
    [('RR', 'qrels', 'ann', 1, -1.0)]
    """
    asked = number_measures(measures)
    if not assessors:
        raise InputError("no assessor is named; pass assessors= their qrels files, or a folder of them")
    all_ = _opened(runs, expand(assessors))
    correlation = pl.concat(all_.correlation(a, b, asked, documents) for a, b in all_.ratings.pairs)
    agreement = [all_.ratings.agreement(a, b, weights, runs.grading.rel) for a, b in all_.ratings.pairs]
    by_measure = pl.col("measure").cast(pl.Enum([str(measure) for measure in asked]))
    tables = {
        "agreement": pl.DataFrame(agreement, infer_schema_length=None),
        "correlation": correlation.sort(by_measure, maintain_order=True),
        "confusion": all_.ratings.confusion(),
        "overall": all_.overall(),
    }
    return Outcome(tables, (*runs.panel(asked).notes, *all_.notes))


def _opened(runs: JudgedRuns, files: list[Path]) -> _Assessors:
    """Read the assessors' judgments."""
    names = [MAIN, *(run_name(file) for file in files)]
    refuse_same_names(names, f"name their files differently (the qrels are {MAIN!r})")
    found = [grades_of(runs.judgments, open_qrels(file, runs.reading)) for file in files]
    for file, (grade, _) in zip(files, found, strict=True):
        if np.isnan(grade).all():
            raise InputError("no document of a topic in common with the qrels", source=str(file))
        if np.nanmax(grade) > runs.judgments.top_grade:
            raise InputError(
                f"grade {np.nanmax(grade):g} is above {runs.judgments.top_grade:g}, the highest of the qrels, which "
                "scales the gains; join the runs with the qrels that have the highest grade",
                source=str(file),
            )
    grades = np.array([runs.judgments.grade, *(grade for grade, _ in found)])
    ratings = Ratings(tuple(names), runs.judgments.topic, grades)
    return _Assessors(runs, ratings, sum(unknown for _, unknown in found))


@dataclass(frozen=True)
class _Assessors:
    """Assessors of the documents that the qrels have, the qrels first."""

    runs: JudgedRuns
    ratings: Ratings
    unknown: int

    def correlation(self, a: int, b: int, measures: list[Measure], documents: Documents) -> pl.DataFrame:
        """Rank the runs by each assessor's grades, over the topics that both judged."""
        grades = self.ratings.grade[[a, b]]
        if documents == "common":
            grades = np.where(np.isnan(grades).any(axis=0), np.nan, grades)
        topics = np.logical_and(*(self._topics(~np.isnan(grade)) for grade in grades))
        one, other = (self._panel(grade, measures, topics) for grade in grades)
        return pl.DataFrame(
            {
                "measure": [str(measure) for measure in measures],
                "assessor_a": self.ratings.names[a],
                "assessor_b": self.ratings.names[b],
                "topics": len(one.topics),
                "tau": _tau(one, other),
            }
        )

    def overall(self) -> pl.DataFrame:
        """Compare the grades of all; also of the assessors alone where two of them judged some document."""
        found = (("assessors", self.ratings.together(1)), ("assessors and qrels", self.ratings.together()))
        return pl.DataFrame([{"of": who} | together for who, together in found if together])

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out."""
        judgments = counted(
            self.unknown, "assessors' judgment is of a document", "assessors' judgments are of documents"
        )
        unknown = f"{judgments} missing from the qrels: left out"
        return (*([unknown] if self.unknown else []), *self.ratings.notes)

    def _topics(self, judged: Booleans) -> Booleans:
        """Which topics have a judged document."""
        return self.runs.judgments.count(judged).astype(bool)

    def _panel(self, grade: Floats, measures: list[Measure], judged: Booleans) -> Panel:
        """Score the runs by these grades, on those of the topics that are judged."""
        panel = self.runs.panel(measures, grade)
        code = self.runs.judgments.code_of_topic
        kept = [place for place, topic in enumerate(panel.topics) if judged[code[topic]]]
        return replace(panel, topics=tuple(panel.topics[i] for i in kept), values=panel.values[:, :, kept])


def _tau(one: Panel, other: Panel) -> Floats:
    """Correlate the rankings of the runs by each measure; NaN where all runs are tied."""
    if not one.topics:
        return np.full(len(one.measures), np.nan)
    level = is_constant(one.averages) | is_constant(other.averages)
    return np.where(level, np.nan, kendall_tau(one.averages, other.averages))
