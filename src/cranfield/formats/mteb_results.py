"""Results of mteb, ``results/MODEL/REVISION/TASK.json``: a score for each task, subset and split.

The scores of each subset stand in a list by split, and the name of the model in ``model_meta.json`` next to the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite
from pathlib import Path
from typing import Any, Final, TypeGuard

from cranfield.formats.loading import Loaded, load
from cranfield.formats.records import at, is_number
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import shown
from cranfield.plumbing.tables import RUN, VALUE

_MODEL_FILE: Final = "model_meta.json"
_OLD: Final = "mteb_dataset_name"  # What results before mteb 1.11 have, and no later ones
_MAIN: Final = "main_score"  # The measure that a task is ranked by
_USUAL: Final = ("test", "default")  # The split and the subset that need not be said


def are_results(given: object) -> TypeGuard[Mapping[str, Any]]:
    """Say whether an object of JSON is mteb's result on a task."""
    return isinstance(given, Mapping) and (_OLD in given or {"task_name", "scores"} <= given.keys())


def results_table(held: Loaded, given: Mapping[str, Any]) -> pl.DataFrame:
    """Lay the main scores of a result out: the item is the task, and its subset and split where these are not usual."""
    rows = list(_rows(held, given))
    return pl.DataFrame(rows, dict.fromkeys((RUN, "topic", "measure"), pl.String) | {VALUE: pl.Float64}, orient="row")


def results_in(folder: Path) -> pl.DataFrame | None:
    """Read the results of several models and tasks below a folder; None where there are none."""
    files = [each for each in sorted(folder.rglob("*.json")) if each.name != _MODEL_FILE and each.is_file()]
    tables: list[pl.DataFrame] = []
    for file in files:
        held = load(file)
        given = held.json(texts=True)
        if are_results(given):
            tables.append(results_table(held, given))
        elif not tables:
            return None
    if not tables:
        return None
    table = pl.concat(tables)
    twice = table.filter(pl.struct(RUN, "topic").is_duplicated())
    if twice.height:
        run, item = twice.row(0)[:2]
        raise InputError(f"has several results of {run} on {item}: give a folder with one", source=str(folder))
    return table


def _rows(held: Loaded, given: Mapping[str, Any]) -> Iterator[tuple[str, str, str, float | None]]:
    if _OLD in given:
        raise held.wrong(f"a result of mteb before 1.11, which has no {_MAIN}: run the task again")
    task, scores = given["task_name"], given["scores"]
    run = _model_of(held, str(task))
    if not isinstance(scores, Mapping) or not scores:
        raise held.wrong(f"scores are {{split: [{{{_MAIN}, hf_subset, ...}}]}}, not {shown(scores)}")
    for split, subsets in scores.items():
        for each in subsets if isinstance(subsets, list) else [subsets]:
            subset, value = at(each, "hf_subset"), at(each, _MAIN)
            if not isinstance(subset, str) or not is_number(value):
                raise held.wrong(f"a subset of split {split} lacks its hf_subset, or a {_MAIN} that is a number")
            if not isfinite(value):
                raise held.wrong(f"the {_MAIN} of subset {subset} of split {split} is not finite")
            parts = (part for part in (subset, split) if part not in _USUAL)
            yield run, "/".join((str(task), *parts)), _MAIN, float(value)


def _model_of(held: Loaded, task: str) -> str:
    """Say which model a result is of: as the file next to it says, or as its folder is called, or the file itself."""
    path = Path(held.source)
    meta = path.parent / _MODEL_FILE
    if meta.is_file() and isinstance(name := at(load(meta).json(texts=True), "name"), str):
        return name
    return path.parent.name if path.name.startswith(f"{task}.") and path.parent.name else path.name.partition(".")[0]
