"""Several judges made one, without an expert: what most of them say, and how far each of them errs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from cranfield.formats import QrelsLike
from cranfield.formats.files import FilePath
from cranfield.formats.unmet import settle
from cranfield.judged.conditions import AskedReading, Reading
from cranfield.judged.judgments import Judgments
from cranfield.plumbing.arrays import Floats, Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.naming import NamesLike
from cranfield.plumbing.options import Classes, Combining, checked
from cranfield.plumbing.tables import DOCUMENT, QUERY, RELEVANCE
from cranfield.plumbing.wording import counted
from cranfield.results.result import OneTable
from cranfield.selection.assessors import side_by_side, two_or_more
from cranfield.selection.cheap_labels import grouped
from cranfield.selection.grade_chances import midranks

CLASSES: Final = 4
"""How many classes documents have, unless another number is named."""
_ROUNDS: Final = 500
_NEAR: Final = 1e-6  # Chances that change by less than this have settled


@dataclass(frozen=True, eq=False, repr=False)
class CombinedLabels(OneTable):
    """Labels of several judges made one: a row for each document.

    Attributes
    ----------
    judges
        What each judge says of the documents of each class, by ``errors``: columns judge, class, label (the lowest of
        a group), chance. Empty by ``mean``.
    """

    judges: pl.DataFrame = field(default_factory=pl.DataFrame)


def combine_judges(
    labels: Mapping[str, QrelsLike | Judgments] | FilePath | Iterable[FilePath],
    *,
    method: Combining = "errors",
    classes: Classes | None = None,
    comments: bool = False,
    columns: NamesLike | None = None,
    fields: NamesLike | None = None,
) -> CombinedLabels:
    r"""What do several judges say together, no expert being asked?

    ``errors`` takes the true class z of a document, from 0 to ``classes`` - 1, for something that nobody saw, and each
    judge j for one that says label l of documents of class z with a chance of its own, whatever others say of them:

    .. math:: P(z_i = k) \propto p_k \prod_j P_j(l_{ij} \mid k)

    Chances of classes, and of each judge's labels, are estimated in turn until they settle (expectation and
    maximisation). The combined label is the mean class, Σ k P(z = k). ``mean`` is the mean place of the document's
    label among the labels of each judge, from 0 to 1.

    Parameters
    ----------
    labels
        The labels of two judges or more, by name, each on any scale; or files, folders and globs, each file named
        like a run (``"gpt=labels/a.txt"``, or after the file).
    method
        How they are combined.
    classes
        How many classes documents have, for ``errors``: 4 by default.
    comments
        Whether lines that begin with ``#`` are skipped in files.
    columns, fields
        As in `read_qrels`.

    Returns
    -------
    CombinedLabels
        A row for each document that some judge labelled: query_id, doc_id, relevance (the combined label) and judges
        (how many labelled it). Written to a file, it is read as qrels, and `estimate` treats it as one cheap judge: no
        expert's grade went into it.

    Raises
    ------
    InputError
        If there are fewer than two judges, two have the same name, classes are fewer than 2 or more than 10, or
        ``mean`` is given some, which has none.

    Notes
    -----
    The errors of judges are taken for independent. Language models make the same errors; so these chances are too sure
    of themselves, and `estimate` does not rely on them: it has the experts say what a combined label means.

    Paper: Dawid and Skene (1979), "Maximum likelihood estimation of observer error-rates using the EM algorithm",
    Applied Statistics 28(1).

    Examples
    --------
    Two of three judges agree on each document, and all have one scale of their own.

    >>> ann, bob = {"1": {"a": 1, "b": 1, "c": 0, "d": 0}}, {"1": {"a": 5, "b": 5, "c": 2, "d": 2}}
    >>> found = combine_judges({"ann": ann, "bob": bob, "eve": {"1": {"a": 0, "b": 1, "c": 0, "d": 1}}}, classes=2)
    >>> found.to_polars().select("doc_id", pl.col("relevance").round(2)).rows()
    [('a', 0.93), ('b', 0.93), ('c', 0.07), ('d', 0.07)]
    """
    method, classes = checked("method", method, Combining), checked("classes", classes, Classes | None)
    if method == "mean" and classes is not None:
        raise InputError("classes apply to the method errors; the method mean has none")
    classes = CLASSES if classes is None else classes
    reading = Reading.asked(**settle(AskedReading(comments=comments, columns=columns, fields=fields), labels))
    given = two_or_more(labels, "combining needs the labels of two or more judges", reading)
    everything, label = side_by_side(given)
    names, places = tuple(given), np.array([midranks(each) for each in label])
    middle: Floats = np.nanmean(places, axis=0)
    judges = pl.DataFrame()
    if method == "errors":
        codes = [grouped(each) for each in label]
        start: Integers = np.searchsorted(np.quantile(middle, np.arange(1, classes) / classes), middle)
        chance, said = dawid_skene(codes, start)
        middle = chance @ np.arange(chance.shape[1])
        told = zip(names, label, [code for code, _ in codes], said, strict=True)
        judges = pl.concat(_said_by(*each) for each in told)
    rows = pl.DataFrame(
        {
            QUERY: pl.Series(everything.topics, dtype=pl.String).gather(everything.topic),
            DOCUMENT: everything.document,
            RELEVANCE: middle,
            "judges": (~np.isnan(label)).sum(axis=0),
        }
    )
    how = f"by their errors, in {classes} classes" if method == "errors" else "by the mean rank of their labels"
    of = f"{counted(rows.height, 'document')} of {counted(len(everything.topics), 'topic')}"
    lacking = rows.filter(pl.col("judges") < len(names)).height
    without = f"{counted(lacking, 'document')} without a label by some judge: combined from the others"
    notes = (without,) if lacking else ()
    return CombinedLabels(rows, f"labels of {len(names)} judges combined {how}: {of}", notes, 2, judges)


def dawid_skene(codes: list[tuple[Integers, int]], start: Integers) -> tuple[Floats, list[Floats]]:
    """Return the classes of documents, array (documents, classes), and how likely each judge says what of them."""
    chance = np.eye(int(start.max()) + 1)[:, np.unique(start)][start]
    said: list[Floats] = []
    for _ in range(_ROUNDS):
        logarithm = np.tile(np.log(chance.mean(axis=0)), (len(chance), 1))
        said = []
        for code, size in codes:
            known = code < size
            counts = np.zeros((size, chance.shape[1]))
            np.add.at(counts, code[known], chance[known])
            said.append((counts + 1 / max(size, 1)) / (counts.sum(axis=0) + 1))  # a judge may have no label at all
            logarithm[known] += np.log(said[-1][code[known]])
        before, chance = chance, np.exp(logarithm - logarithm.max(axis=1, keepdims=True))
        chance /= chance.sum(axis=1, keepdims=True)
        if np.abs(chance - before).max() < _NEAR:
            break
    return chance, said


def _said_by(judge: str, label: Floats, code: Integers, said: Floats) -> pl.DataFrame:
    size, classes = said.shape
    return pl.DataFrame(
        {
            "judge": pl.Series([judge] * said.size, dtype=pl.String),
            "class": np.repeat(np.arange(classes), size),
            "label": np.tile([float(label[code == group].min()) for group in range(size)], classes),
            "chance": said.T.ravel(),
        }
    )
