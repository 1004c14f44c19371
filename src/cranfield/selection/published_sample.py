"""What an organiser publishes whose collection a model labelled and experts judged a sample of."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from cranfield.formats import QrelsLike, write_together
from cranfield.formats.files import FilePath
from cranfield.formats.writing import refuse_taken
from cranfield.judged.judgments import Judgments
from cranfield.plumbing.arrays import sums_within
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import Count, Order
from cranfield.plumbing.tables import DOCUMENT, QUERY, RELEVANCE
from cranfield.plumbing.wording import counted
from cranfield.scoring.judged_runs import open_qrels
from cranfield.selection.candidates import Candidates
from cranfield.selection.estimates import Estimates, LabelledSample, with_cheap_labels
from cranfield.selection.judged_sample import drawn_of
from cranfield.selection.sampling import DRAWN

_SOURCE: Final = "source"
RELEASED: Final = ("sample.csv", "experts.csv", "cheap.csv", "chances.csv", "estimates.csv", "design.json", "README.md")
"""What a release holds."""


def refuse_release(folder: FilePath) -> Path:
    """Return the folder of a release, which must be new or empty."""
    refuse_taken(folder)
    return Path(folder)


def release(
    folder: FilePath,
    found: Estimates,
    candidates: Candidates,
    sample: pl.DataFrame,
    judged: QrelsLike | Judgments,
    *,
    cheap: QrelsLike | Judgments,
    top_grade: float | None = None,
    depth: Count | None = None,
    order: Order | None = None,
) -> list[Path]:
    """Write what others need to score their own runs by the same judgments: all of it, or nothing.

    ``experts.csv`` and ``cheap.csv`` are qrels with the source of each label, which must not be mixed: cheap labels are
    no grades. ``sample.csv`` has each candidate's chance of being drawn, ``chances.csv`` the chance of each
    expert grade by label, ``estimates.csv`` the estimates of the runs at hand, ``design.json`` how all of that was
    made, and ``README.md`` the command that scores another run.

    Parameters
    ----------
    folder
        A folder that is new or empty.
    found
        What `estimate` found, with cheap labels.
    candidates, sample, judged, cheap, top_grade
        As they were given to `estimate`; the sample lists what could have been drawn (`weighted_sample` does).
    depth, order
        How the candidates were gathered, for the command.

    Returns
    -------
    The files.

    Raises
    ------
    InputError
        If the folder holds something, the sample does not list what could have been drawn, or the estimates
        are without cheap labels.
    """
    target = refuse_release(folder)
    if found.judge is None:
        raise InputError("a release needs estimates with cheap labels: give cheap")
    if DRAWN not in sample.columns:
        raise InputError(
            "the sample does not list what could have been drawn (column drawn), so no other run can be scored: draw "
            "a sample of the weighted design"
        )
    known = with_cheap_labels(candidates, sample, judged, cheap, top_grade)
    drawn = drawn_of(sample).select(QUERY, DOCUMENT)
    every = known.candidates.ids
    qrels = open_qrels(judged)
    labels = every.join(_table(open_qrels(cheap), "cheap"), on=[QUERY, DOCUMENT], maintain_order="left")
    labelled = every.join(labels, on=[QUERY, DOCUMENT], how="left", maintain_order="left")
    tables = {
        "sample.csv": sample,
        "experts.csv": drawn.join(_table(qrels, "expert"), on=[QUERY, DOCUMENT], maintain_order="left"),
        "cheap.csv": labels,
        "chances.csv": chances_of_grades(known, labelled),
        "estimates.csv": found.to_polars(),
    }
    written = {name: table.write_csv() for name, table in tables.items()}
    largest = qrels.top_grade if top_grade is None else top_grade
    command = _command(found, top_grade=largest, depth=depth, order=order)
    design = {
        "topics": len(known.candidates.topics),
        "candidates": len(known.candidates),
        "drawn": drawn.height,
        "runs": list(found.runs),
        "measures": [str(measure) for measure in found.measures],
        "modelled": list(found.judge.modelled),
        "level": found.level,
        "top_grade": largest,
        "depth": depth,
        "order": order,
        "command": command,
        "sha256": {name: hashlib.sha256(text.encode()).hexdigest() for name, text in written.items()},
    }
    written["design.json"] = json.dumps(design, indent=2, ensure_ascii=False) + "\n"
    written["README.md"] = _readme(known, found, command, drawn.height)
    return write_together(target, {target / name: written[name] for name in RELEASED})


def chances_of_grades(known: LabelledSample, labels: pl.DataFrame) -> pl.DataFrame:
    """Return the chance of each grade given the cheap label, over all topics, documents of the sample counting 1/π."""
    drawn, label = known.drawn, labels[RELEVANCE].to_numpy()
    values, code = np.unique(label, return_inverse=True)
    grades, grade = np.unique(drawn.judgments.grade, return_inverse=True)
    cell = code[drawn.place] * len(grades) + grade
    weight, number = (
        sums_within(cell, of, len(values) * len(grades)).reshape(len(values), -1)
        for of in (drawn.weight, np.ones(len(cell)))
    )
    seen, chosen = np.nonzero(number)
    return pl.DataFrame(
        {
            "label": pl.Series(values[seen]).fill_nan(None),
            "grade": grades[chosen],
            "documents": number[seen, chosen].astype(np.int64),
            "chance": weight[seen, chosen] / weight.sum(axis=1)[seen],
        }
    )


def _table(judgments: Judgments, source: str) -> pl.DataFrame:
    """Return qrels with the source of each label."""
    kept = judgments.table().select(QUERY, DOCUMENT, RELEVANCE).filter(pl.col(RELEVANCE).is_not_nan())
    whole = (kept[RELEVANCE] == kept[RELEVANCE].round()).all()
    return kept.with_columns(pl.col(RELEVANCE).cast(pl.Int64 if whole else pl.Float64), pl.lit(source).alias(_SOURCE))


def _command(found: Estimates, *, top_grade: float, depth: int | None, order: str | None) -> str:
    """Return the command that scores another run, to be called in the folder."""
    options = [each for measure in found.measures for each in ("-m", str(measure))]
    for flag, value in (("--depth", depth), ("--order", order), ("--top-grade", top_grade), ("--level", found.level)):
        options += [] if value is None else [flag, f"{value:g}" if isinstance(value, float) else str(value)]
    start = ["cranfield", "estimate", "sample.csv", "experts.csv", "YOUR.run", "--cheap", "cheap.csv"]
    return shlex.join([*start, *options])


def _readme(known: LabelledSample, found: Estimates, command: str, drawn: int) -> str:
    judge = found.judge
    assert judge is not None  # noqa: S101 - `release` looked
    modelled: Sequence[str] = judge.modelled
    kinds = f"\n\nModelled, and therefore biased: {', '.join(modelled)}." if modelled else ""
    of = f"{counted(len(known.candidates), 'candidate')} of {counted(len(known.candidates.topics), 'topic')}"
    return f"""# Judgments of a sample, and cheap labels of all

{of}, labelled by a cheap judge.
Experts judged {counted(drawn, "document")} of them, drawn at random with known probabilities.

| file | what it holds |
|---|---|
| `experts.csv` | the experts' grades of the documents that were drawn |
| `cheap.csv` | the cheap judge's labels; they are not grades: do not merge them with the experts' |
| `sample.csv` | all candidates, with probability of being drawn, stratum, and whether drawn |
| `chances.csv` | the probability of each grade given each cheap label, over all topics |
| `estimates.csv` | estimates of {counted(len(found.runs), "run")}, with intervals |
| `design.json` | settings, and digests of the files |

## Score another run

Have the same judge label the documents of your run that `cheap.csv` lacks. Add these labels to it, and run here:

```sh
{command}
```

A note counts the documents that could not be drawn; they widen the interval by everything they could gain.{kinds}
"""
