"""Assessors side by side: grades of the same documents, and how far they agree."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Final

import numpy as np

from cranfield.formats import QrelsLike, expand, run_name
from cranfield.formats.files import STANDARD_STREAM, FilePath
from cranfield.formats.files import named as named_file
from cranfield.formats.sources import qrels_by_assessor
from cranfield.formats.unmet import settle
from cranfield.judged.conditions import AskedReading, Reading
from cranfield.judged.judgments import Judgments, is_relevant
from cranfield.plots import Material
from cranfield.plots.between_judges import MOST_GRADES
from cranfield.plumbing.arrays import Booleans, Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import NamesLike
from cranfield.plumbing.options import RelevanceLevel, Weights, checked
from cranfield.plumbing.tables import DOCUMENT, QUERY, RELEVANCE
from cranfield.plumbing.wording import counted, named
from cranfield.results.result import OneTable
from cranfield.scoring.judged_runs import open_qrels
from cranfield.statistics.agreement import cohen_kappa, gwet_ac, krippendorff_alpha

_IN_ONE_FILE: Final = " (a file of several names them in its second column, and two judged the same document)"
STRAY: Final = 0.01
"""An assessor with more labels than this share outside the scale uses another one."""
_BINARY: Final = 2  # An assessor with this many grades may mean by them something else than qrels of more do


def agreement(
    qrels: Mapping[str, QrelsLike | Judgments] | FilePath | Iterable[FilePath],
    *,
    weights: Weights = "linear",
    rel: RelevanceLevel | None = None,
    comments: bool = False,
    columns: NamesLike | None = None,
    fields: NamesLike | None = None,
) -> Agreement:
    """How well do assessors agree on the documents they judged in common?

    Parameters
    ----------
    qrels
        The judgments of at least two assessors, by name; or files, folders and globs, each file
        named like a run (``"ann=qrels/a.txt"``, or after the file). A file of TREC text that names the
        assessors of a document in its second column holds the judgments of several.
    weights
        How disagreement grows with the distance of the grades in the weighted kappa. The scale of two
        assessors consists of all grades that either of them gave, to whatever document.
    rel
        The lowest relevant grade, for the overlap; by default, every grade above 0.
    comments
        Whether lines that begin with ``#`` are skipped in files.
    columns, fields
        As in `read_qrels`.

    Returns
    -------
    Agreement
        A row for each pair of assessors with a document in common: assessor_a, assessor_b, topics
        and documents (that both judged), same_grade (the share of these documents), overlap (of the
        documents that either found relevant, the share that both did; null where neither found
        one), kappa, weighted_kappa, alpha_nominal, alpha_ordinal, ac1, ac2 (Gwet's; null for a single
        common document, from which chance agreement cannot be estimated). The alpha of all assessors
        together is in the caption.

    Raises
    ------
    InputError
        If there are fewer than two assessors, two have the same name, or no two have a document in
        common.

    Paper: Voorhees (2000), "Variations in relevance judgments and the measurement of retrieval
    effectiveness", for the overlap; those of `cohen_kappa`, `krippendorff_alpha` and `gwet_ac`.

    Examples
    --------
    >>> found = agreement({"ann": {"1": {"a": 1, "b": 1, "c": 0}}, "bob": {"1": {"a": 1, "b": 0, "c": 0, "d": 1}}})
    >>> found.to_polars().select("documents", "same_grade", "overlap").rows()
    [(3, 0.666..., 0.5)]
    """
    weights, rel = checked("weights", weights, Weights), checked("rel", rel, RelevanceLevel | None)
    reading = Reading.asked(**settle(AskedReading(comments=comments, columns=columns, fields=fields), qrels))
    ratings = Ratings.of(two_or_more(qrels, "agreement needs two or more assessors", reading))
    if not ratings.pairs:
        raise InputError("no two assessors judged the same document of a topic")
    rows = [ratings.agreement(a, b, weights, rel) for a, b in ratings.pairs]
    return Agreement(
        pl.DataFrame(rows, infer_schema_length=None), _caption(ratings, weights), ratings.notes, 2, ratings.confusion()
    )


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(OneTable):
    """The agreement of assessors: a row for each pair.

    Attributes
    ----------
    confusion
        How often assessor a gave one grade and assessor b the other: columns assessor_a,
        assessor_b, grade_a, grade_b, documents (that both judged), for all grades that any assessor
        gave; of more than 20 grades only for those that met.
    """

    confusion: pl.DataFrame = field(default_factory=pl.DataFrame)

    def material(self) -> Material:
        """Return the tables, from which figures of the experiment `assessors` are drawn."""
        return Material("assessors", {"agreement": lambda: self.rows, "confusion": lambda: self.confusion}, self.says)


@dataclass(frozen=True, eq=False)
class Ratings:
    """What several assessors said of the same documents."""

    names: tuple[str, ...]
    topic: Integers  # by document
    grade: Floats  # (assessors, documents); NaN where one did not judge

    @classmethod
    def of(cls, judged: Mapping[str, Judgments]) -> Ratings:
        """Lay judgments of any documents side by side."""
        everything, grades = side_by_side(judged)
        return cls(tuple(judged), everything.topic, grades)

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Which two have documents in common."""
        return [(a, b) for a, b in combinations(range(len(self.names)), 2) if (self.judged(a) & self.judged(b)).any()]

    def agreement(self, a: int, b: int, weights: Weights, rel: float | None) -> dict[str, object]:
        """Set the grades of two side by side."""
        both = self.judged(a) & self.judged(b)
        x, y = self.grade[a, both], self.grade[b, both]
        first, second = (is_relevant(grades, rel) for grades in (x, y))
        return {
            "assessor_a": self.names[a],
            "assessor_b": self.names[b],
            "topics": len(np.unique(self.topic[both])),
            "documents": int(both.sum()),
            "same_grade": float(np.mean(x == y)),
            "overlap": float((first & second).sum() / (first | second).sum()) if (first | second).any() else None,
            **self._beyond_chance(x, y, scale_of(self.grade[[a, b]]), weights),
        }

    def _beyond_chance(self, x: Floats, y: Floats, scale: Floats, weights: Weights) -> dict[str, float | None]:
        """Agreement beyond chance, of which a single document says nothing."""
        if len(x) < 2:
            return dict.fromkeys(("kappa", "weighted_kappa", "alpha_nominal", "alpha_ordinal", "ac1", "ac2"))
        return {
            "kappa": cohen_kappa(x, y),
            "weighted_kappa": cohen_kappa(x, y, weights, categories=scale),
            "alpha_nominal": krippendorff_alpha(np.array([x, y]), "nominal"),
            "alpha_ordinal": krippendorff_alpha(np.array([x, y]), "ordinal"),
            "ac1": gwet_ac(x, y, categories=scale),
            "ac2": gwet_ac(x, y, weights, categories=scale),
        }

    def confusion(self) -> pl.DataFrame:
        """Count who gave this grade and who that, documents of both; with over 20 grades, only those that met."""
        grades, tables = self.scale, []
        every = np.arange(len(grades) ** 2 if len(grades) <= MOST_GRADES else 0)
        for a, b in self.pairs:
            both = self.judged(a) & self.judged(b)
            x, y = np.searchsorted(grades, self.grade[[a, b]][:, both])
            cells, counts = np.unique(np.concatenate([every, x * len(grades) + y]), return_counts=True)
            counts -= np.isin(cells, every)
            first, second = np.divmod(cells, len(grades))
            found = {"grade_a": grades[first], "grade_b": grades[second], "documents": counts}
            names = pl.lit(self.names[a]).alias("assessor_a"), pl.lit(self.names[b]).alias("assessor_b")
            tables.append(pl.DataFrame(found).select(*names, *found))
        return pl.concat(tables)

    def together(self, first: int = 0) -> dict[str, object]:
        """Set the grades of all side by side, from the first of them on; nothing where no two judged a document."""
        ratings = self.grade[first:]
        several = (~np.isnan(ratings)).sum(axis=0) >= 2
        if not several.any():
            return {}
        nominal, ordinal = (
            krippendorff_alpha(ratings[:, several], level) if several.sum() > 1 else None
            for level in ("nominal", "ordinal")
        )
        return {
            "judged_by": len(ratings),
            "documents": int(several.sum()),
            "alpha_nominal": nominal,
            "alpha_ordinal": ordinal,
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """Which pairs are left out."""
        apart = len(self.names) * (len(self.names) - 1) // 2 - len(self.pairs)
        pairs = counted(apart, "pair of assessors has", "pairs of assessors have")
        return (f"{pairs} no document in common: left out",) if apart else ()

    def judged(self, assessor: int) -> Booleans:
        """Which documents an assessor judged."""
        return np.asarray(~np.isnan(self.grade[assessor]))

    @cached_property
    def scale(self) -> Floats:
        """All grades that anybody gave."""
        return scale_of(self.grade)


def scale_of(grades: Floats) -> Floats:
    """Return all grades that assessors gave, rising: one that they gave elsewhere is a step between its neighbours."""
    return np.unique(grades[~np.isnan(grades)])


@dataclass(frozen=True, eq=False)
class Labels:
    """What one assessor, a person or a model, said of the documents of the qrels.

    Grades are whole numbers from 0 to the qrels' highest, among those that the qrels have. If more than 1% of the
    labels are something else, the assessor used another scale and no label is a grade; fewer are no answers.
    """

    name: str
    given: Floats  # in the order of the judgments; NaN where there is none
    scale: Floats  # the grades of the qrels, rising, 0 and the highest among them
    missing: int  # documents of the qrels without a label

    @classmethod
    def of(cls, name: str, judgments: Judgments, given: Floats) -> Labels:
        """Compare labels with the scale of the judgments."""
        judged = ~np.isnan(judgments.grade)
        scale = np.union1d([0.0, judgments.top_grade], judgments.grade[judged])
        given = np.where(judged, given, np.nan)
        return cls(name, given, scale, int((judged & np.isnan(given)).sum()))

    @cached_property
    def outside(self) -> Booleans:
        """Which documents have a label that is no grade."""
        given = self.given
        whole = (given % 1 == 0) & (given >= 0) & (given <= self.scale[-1])
        return np.asarray(~np.isnan(given) & ~whole & ~np.isin(given, self.scale))

    @property
    def same_scale(self) -> bool:
        """Whether the labels are grades, but for a few."""
        return bool(self.outside.sum() <= STRAY * (~np.isnan(self.given)).sum())

    @property
    def grade(self) -> Floats:
        """The labels that are grades, NaN for all others."""
        return np.where(self.outside | (not self.same_scale), np.nan, self.given)

    @property
    def order(self) -> Floats:
        """What sorts documents: grades, or the labels of another scale, of which the order alone is known."""
        return self.grade if self.same_scale else self.given

    @property
    def notes(self) -> tuple[str, ...]:
        """What is unusual about the labels."""
        labels = np.unique(self.given[~np.isnan(self.given)])
        scale = f"the grades {self.scale[0]:g} to {self.scale[-1]:g} of the qrels"
        strange = f"{self.outside.sum():,} of {(~np.isnan(self.given)).sum():,} labels"
        if not self.same_scale:
            return (
                f"{self.name} uses another scale than {scale}: {strange} from {labels[0]:g} to {labels[-1]:g} are "
                "none of them; only statistics of the order of labels are reported",
            )
        if self.outside.any():
            which = named([f"{label:g}" for label in np.unique(self.given[self.outside])])
            return (f"{self.name}: {strange} are none of {scale} ({which}): left out",)
        if len(labels) == _BINARY < max(len(self.scale), self.scale[-1] + 1):
            return (
                f"{self.name} gives {named([f'{label:g}' for label in labels])} only, of {scale}; they are treated as "
                "the same grades",
            )
        return ()


def grades_of(judgments: Judgments, theirs: Judgments) -> tuple[Floats, int]:
    """Give other judgments the order of these: what another assessor said of the same documents."""
    code = np.array([judgments.code_of_topic.get(topic, -1) for topic in theirs.topics])[theirs.topic]
    place = judgments.index.find(judgments.index.keys(code, 1, theirs.document), theirs.document)
    known = (place >= 0) & (code >= 0)
    grade = np.full(len(judgments), np.nan)
    grade[place[known]] = theirs.grade[known]
    return grade, int((~known).sum())


def side_by_side(judged: Mapping[str, Judgments]) -> tuple[Judgments, Floats]:
    """Return all documents that anybody judged, and the grades: array (assessors, documents), NaN where not judged."""
    documents = pl.concat(each.table().select(QUERY, DOCUMENT) for each in judged.values())
    everything = Judgments(documents.unique(maintain_order=True).with_columns(pl.lit(0.0).alias(RELEVANCE)))
    return everything, np.array([grades_of(everything, each)[0] for each in judged.values()])


def refuse_same_names(names: Iterable[str], advice: str) -> None:
    """Refuse two assessors of the same name."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(f"two assessors are called {name!r}; {advice}")
        seen.add(name)


def two_or_more(
    given: Mapping[str, QrelsLike | Judgments] | FilePath | Iterable[FilePath], need: str, reading: Reading
) -> dict[str, Judgments]:
    """Read what several assessors said, by name; a single one is refused."""
    judged = by_assessor(given if isinstance(given, Mapping) else files_by_name(given), reading)
    if len(judged) < 2:
        there = f"only {next(iter(judged))!r} is given{_IN_ONE_FILE}" if judged else "none is given"
        raise InputError(f"{need}; {there}")
    return judged


def by_assessor(named: Mapping[str, QrelsLike | Judgments], reading: Reading) -> dict[str, Judgments]:
    """Open what assessors said, by name; a file that names several in its second column is all of these."""
    judged: dict[str, Judgments] = {}
    for name, theirs in named.items():
        found = _opened(name, theirs, reading)
        refuse_same_names([*judged, *found], "put the judgments of each into one file")
        judged |= found
    return judged


def _opened(name: str, given: QrelsLike | Judgments, reading: Reading) -> dict[str, Judgments]:
    try:
        return {name: open_qrels(given, reading)}
    except InputError:
        if not isinstance(given, str | os.PathLike):
            raise
        found = qrels_by_assessor(given, comments=reading.comments, naming=reading.naming)
        if not found:
            raise
    if name != run_name(given):
        several = f"holds the judgments of {named([*found])}, not of the one assessor {name!r}"
        raise InputError(f"{several}; give it without a name", source=os.fspath(given))
    return {each: open_qrels(theirs, reading) for each, theirs in found.items()}


def files_by_name(given: FilePath | Iterable[FilePath]) -> dict[str, FilePath]:
    """Name the files of the assessors."""
    found: list[tuple[str, FilePath]] = []
    for each in [given] if isinstance(given, str | os.PathLike) else given:
        name, path = named_file(each)
        files: list[FilePath] = [path] if path == STANDARD_STREAM else [*expand([path])]
        if name is not None and len(files) > 1:
            raise InputError(
                f"{len(files)} files match, but only one can be the assessor {name!r}", source=os.fspath(path)
            )
        found += [(run_name(file) if name is None else name, file) for file in files]
    refuse_same_names((name for name, _ in found), "name them as NAME=FILE")
    return dict(found)


def _caption(ratings: Ratings, weights: Weights) -> str:
    of_all = ratings.together()
    said = f"{counted(len(ratings.names), 'assessor')}, {weights} weights."
    if of_all["alpha_nominal"] is None:
        return f"{said} Alpha of all together needs more than one document."
    alphas = f"alpha {of_all['alpha_nominal']:.4f} nominal, {of_all['alpha_ordinal']:.4f} ordinal"
    return f"{said} All together, on {of_all['documents']:,} documents: {alphas}."
