"""Leaderboards as TREC's AutoJudge tools keep them: a line for each run, topic and measure, in five formats.

=============  ====================================================================================
`tot`          run measure topic value
`ir_measures`  run topic measure value
`trec_eval`    measure topic value: one file a run, whose name stands on a line `runid`, or is the file's
`ranking`      topic Q0 run rank value measure
`jsonl`        JSON lines with run_id, topic_id, measure and value
=============  ====================================================================================

The topic of averages is ``all``. What a file is follows from its lines. Only `tot` and `ir_measures` look the same:
whole numbers and ``all`` are topics, and names of measures that are known are measures; else the end of the file's name
has to tell.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from cranfield.formats.content import run_name
from cranfield.formats.files import FilePath, expand
from cranfield.formats.loading import Loaded, load
from cranfield.formats.trec import refuse_unwritable
from cranfield.formats.writing import refuse_taken, write_together, write_whole
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.options import LeaderboardFormat, checked, shown
from cranfield.plumbing.tables import AVERAGE, QUERY, RUN, RUN_COLUMNS, RUN_EXTRAS

_Known: TypeAlias = Callable[[str], bool]

_COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "tot": ("run", "measure", "topic", "value"),
    "ir_measures": ("run", "topic", "measure", "value"),
    "trec_eval": ("measure", "topic", "value"),
    "ranking": ("topic", "q0", "run", "rank", "value", "measure"),
}
_KEYS: Final = {"run": "run_id", "topic": "topic_id", "measure": "measure", "value": "value"}
"""What the columns are called in JSON lines."""
_HEADS: Final = {
    "run": RUN_EXTRAS[RUN], "topic": RUN_COLUMNS[QUERY], "measure": ("measure", "metric"), "value": ("value", "score"),
}  # fmt: skip
_SCHEMA: Final = {"run": str, "topic": str, "measure": str, "value": float}  # not of polars, which loads late
RUN_ID: Final = "runid"  # The line of trec_eval that has the name of the run for its value


class _Row(NamedTuple):
    line: int
    run: str
    topic: str
    measure: str
    value: object


def read_leaderboard(
    files: FilePath | Sequence[FilePath], *, known: _Known | None = None, form: LeaderboardFormat | None = None
) -> pl.DataFrame:
    r"""Read one leaderboard from a file, or from several files or a folder that hold it together.

    Returns a row for each run, topic and measure, in the order of the files. `known` says which names are measures.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "gpt.txt").write_text("bm25 AP all 0.5\nbm25 AP q1 0.5\n")
    ...     read_leaderboard(Path(folder, "gpt.txt")).rows()
    [('bm25', 'all', 'AP', 0.5), ('bm25', 'q1', 'AP', 0.5)]
    """
    form = checked("form", form, LeaderboardFormat | None)
    tables = []
    for path in expand([files] if isinstance(files, str | PathLike) else files):
        held = load(path)
        found = leaderboard_in(held, known=known, form=form)
        if found is None:
            raise held.wrong(f"not a leaderboard in any of the formats {', '.join(get_args(LeaderboardFormat))}")
        tables.append(found)
    table = pl.concat(tables) if tables else pl.DataFrame(schema=_SCHEMA)
    twice = table.filter(table.select("run", "topic", "measure").is_duplicated())
    if twice.height:
        run, topic, measure = twice.row(0)[:3]
        raise InputError(f"{measure} of run {run} on topic {topic} is in several of these files")
    return table


def is_of_one_run(folder: Path) -> bool:
    """Say whether a folder holds one leaderboard in trec_eval's format: one run in each of its files."""
    if not folder.is_dir():
        return False
    heads = (load(path).text.split("\n", 1)[0].split() for path in expand([folder]))
    return all(len(cells) == len(_COLUMNS["trec_eval"]) for cells in heads)


def leaderboard_in(
    held: Loaded, *, known: _Known | None = None, form: LeaderboardFormat | None = None
) -> pl.DataFrame | None:
    """Read a leaderboard from what was loaded; None where the file is in none of these formats."""
    if held.is_parquet:
        return None
    if held.text.lstrip("\ufeff \t\r\n").startswith("{") and form in (None, "jsonl"):
        rows = _objects(held)
    else:
        lines = ((number, _cells(line)) for number, line in enumerate(held.text.lstrip("\ufeff").split("\n"), 1))
        some = ((number, cells) for number, cells in lines if cells)
        first = next(some, None)
        if first is None or not (form or _head(first[1]) or _could_begin(first[1])):  # other tables have many lines
            return None
        rows = _of_lines(held, [first, *some], known, form)
    return None if rows is None else _checked(held, rows)


def _objects(held: Loaded) -> list[_Row] | None:
    """Read JSON lines; None where these are other objects."""
    objects = held.objects(texts=True)
    if not objects or not isinstance(objects[0][1], dict) or not {*_KEYS.values()} <= {*objects[0][1]}:
        return None
    rows = []
    for line, found in objects:
        if not isinstance(found, dict) or (lacking := [key for key in _KEYS.values() if key not in found]):
            what = f"lacks {', '.join(lacking)}" if isinstance(found, dict) else f"is {shown(found)}"
            raise held.wrong(f"a line is an object with {', '.join(_KEYS.values())}; this one {what}", line)
        run, topic, measure = (str(found[_KEYS[name]]) for name in ("run", "topic", "measure"))
        rows.append(_Row(line, run, topic, measure, found["value"]))
    return rows


def _of_lines(
    held: Loaded, lines: list[tuple[int, list[str]]], known: _Known | None, form: LeaderboardFormat | None
) -> list[_Row] | None:
    """Read lines of columns; None where they are something else."""
    head = _head(lines[0][1])
    body = lines[1:] if head else lines
    columns = head or (_COLUMNS.get(form) if form else _layout(held, body, known))
    if not body or columns is None:
        return None
    for number, cells in body:
        if len(cells) != len(columns):
            raise held.wrong(f"{len(cells)} columns, where {' '.join(columns)} are {len(columns)}", number)
    found = [(number, dict(zip(columns, cells, strict=True))) for number, cells in body]
    name = next(
        (row["value"] for _, row in found if "run" not in row and row["measure"] == RUN_ID), run_name(held.name)
    )
    rows = [
        _Row(number, row.get("run", name), row["topic"], row["measure"], row["value"])
        for number, row in found if row["measure"] != RUN_ID
    ]  # fmt: skip
    if "rank" in columns:
        _refuse_run(held, rows)
    return rows


def _cells(line: str) -> list[str]:
    """Split a line: at tabs where these alone make three columns or more, so that names may hold blanks."""
    apart = [cell.strip() for cell in line.split("\t")]
    return apart if len(apart) > 2 else line.split()


def _head(cells: list[str]) -> tuple[str, ...] | None:
    """Return the columns that a first line names; None where it is a row like the others."""
    named = {name.casefold(): column for column, names in _HEADS.items() for name in names}
    columns = tuple(named.get(cell.casefold(), "") for cell in cells)
    wanted = ({"measure", "topic", "value"}, {"run", "measure", "topic", "value"})
    return columns if set(columns) in wanted and len(set(columns)) == len(columns) else None


def _could_begin(first: list[str]) -> bool:
    """Say whether a first line that names no columns can be a leaderboard's."""
    if any(cell.endswith(",") for cell in first[:-1]):  # a table with commas between its cells, and blanks
        return False
    if len(first) == 6:
        return first[1].casefold() == "q0" and _number(first[4]) is not None
    return len(first) in (3, 4) and (_number(first[-1]) is not None or RUN_ID in first[:-1])


def _layout(held: Loaded, lines: list[tuple[int, list[str]]], known: _Known | None) -> tuple[str, ...] | None:
    """Tell the format of lines without a head by what stands in their first one, and of four columns by all lines."""
    first = lines[0][1]
    if len(first) == 6:
        return _COLUMNS["ranking"]
    columns = [{cells[at] for _, cells in lines if len(cells) == len(first)} for at in range(len(first))]
    if len(first) == 3:
        told = AVERAGE in columns[1] or RUN_ID in columns[0] or known is None or any(map(known, columns[0]))
        return _COLUMNS["trec_eval"] if told and all(_number(name) is None for name in columns[0]) else None
    scores = [all(_number(name) is not None for name in names) for names in columns[1:3]]
    if all(scores) or columns[1] in ({"0"}, {"Q0"}):  # a wide table, or qrels
        return None
    return _COLUMNS[_of_four(held, lines, known)]


def _of_four(held: Loaded, lines: list[tuple[int, list[str]]], known: _Known | None) -> Literal["tot", "ir_measures"]:
    """Tell whether the topic is the third column (tot) or the second one (ir_measures)."""
    if held.suffix in (".tot", ".ir_measures"):
        return "tot" if held.suffix == ".tot" else "ir_measures"
    second, third = ({cells[at] for _, cells in lines if len(cells) == 4} for at in (1, 2))
    # Topics are called by a whole number, or as averages are.
    topics = [any(name == AVERAGE or name.isdecimal() for name in names) for names in (second, third)]
    if topics[0] == topics[1] and known is not None:
        measures = [all(name == RUN_ID or known(name) for name in names) for names in (second, third)]
        topics = [measures[1], measures[0]]
    if topics[0] == topics[1]:
        raise held.wrong(
            "four columns that may be `run measure topic value` (tot) or `run topic measure value` (ir_measures): no "
            f"topic is a number or {AVERAGE!r}; rename the file to end in .tot or .ir_measures"
        )
    return "ir_measures" if topics[0] else "tot"


def _refuse_run(held: Loaded, rows: list[_Row]) -> None:
    """Refuse a run of documents, whose lines look the same: no document of it is found again on another topic."""
    if len({row.topic for row in rows}) > 1 and len({row.run for row in rows}) == len(rows):
        raise held.wrong(
            "a ranking of runs has lines `topic Q0 run rank value measure`; here the third column differs on each "
            "line, so this looks like a run"
        )


def _number(cell: object) -> float | None:
    """Return the number that a cell is; None for what is none, and for what is not finite."""
    try:
        number = float(cell) if isinstance(cell, (str, int, float)) and not isinstance(cell, bool) else math.nan
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _checked(held: Loaded, rows: list[_Row]) -> pl.DataFrame:
    """Make a table: every value a finite number, and each there once."""
    seen: dict[tuple[str, str, str], int] = {}
    values = []
    for line, run, topic, measure, value in rows:
        if "" in (run, topic, measure):
            raise held.wrong("a run, a topic or a measure has no name", line)
        number = _number(value)
        if number is None:
            raise held.wrong(f"{measure} of run {run} on topic {topic} is not a finite number but {shown(value)}", line)
        first = seen.setdefault((run, topic, measure), line)
        if first != line:
            raise held.wrong(f"{measure} of run {run} on topic {topic} is already on line {first}", line)
        values.append((run, topic, measure, number))
    if not values:
        raise held.wrong("a leaderboard without a value")
    return pl.DataFrame(values, schema=_SCHEMA, orient="row")


def write_leaderboard(table: pl.DataFrame, path: FilePath, form: LeaderboardFormat) -> list[Path]:
    """Write a table with run, topic, measure and value, whole or not at all; in trec_eval's format into a folder.

    AutoJudge's tools rank by averages: where a run has none by a measure, the mean over its topics is added. Returns
    the files that were written: one, or in trec_eval's format one for each run.
    """
    form = checked("form", form, LeaderboardFormat)
    rows = _with_averages(table)
    if form != "trec_eval":
        write_whole(path, leaderboard_lines(table, form, str(path)).encode())
        return [Path(path)]
    _refuse_unwritable(rows, str(path))
    refuse_taken(path)  # the runs of another leaderboard would be taken for runs of this one
    files: dict[Path, str | bytes] = {}
    for (run,), of_run in rows.group_by("run", maintain_order=True):
        if "/" in str(run) or str(run) in (".", ".."):
            raise InputError(f"run {run} cannot be a file name; write another format", source=str(path))
        files[Path(path, str(run))] = f"{RUN_ID}\t{AVERAGE}\t{run}\n".encode() + _written(of_run.iter_rows(), form)
    return write_together(Path(path), files)


def leaderboard_lines(table: pl.DataFrame, form: LeaderboardFormat, source: str = "leaderboard") -> str:
    r"""Return what a file in one of the formats has for a table; not that of trec_eval, which has a file for each run.

    >>> leaderboard_lines(pl.DataFrame({"run": "bm25", "topic": "q1", "measure": "AP", "value": 0.25}), "tot")
    'bm25\tAP\tq1\t0.25\nbm25\tAP\tall\t0.25\n'
    """
    rows = _with_averages(table)
    if form != "jsonl":
        _refuse_unwritable(rows, source)
    return _written(rows.iter_rows(), form).decode()


def _with_averages(table: pl.DataFrame) -> pl.DataFrame:
    """Add the mean over topics where a run has no average by a measure."""
    rows = table.select(pl.col("run", "topic", "measure").cast(pl.String), pl.col("value").cast(pl.Float64))
    means = rows.group_by("run", "measure", maintain_order=True).agg(
        pl.lit(AVERAGE).alias("topic"), pl.col("value").mean(), there=(pl.col("topic") == AVERAGE).any()
    )
    return pl.concat([rows, means.filter(~pl.col("there")).select(rows.columns)])


def _refuse_unwritable(rows: pl.DataFrame, source: str) -> None:
    for name in ("run", "topic", "measure"):
        refuse_unwritable(rows[name], source)


def _written(rows: Iterable[tuple[str, str, str, float]], form: LeaderboardFormat) -> bytes:
    r"""Write rows as lines.

    >>> _written([("bm25", "q1", "AP", 0.25)], "ranking")
    b'q1\tQ0\tbm25\t1\t0.25\tAP\n'
    """
    return "".join(f"{line}\n" for line in _lines(list(rows), form)).encode()


def _lines(rows: list[tuple[str, str, str, float]], form: LeaderboardFormat) -> Iterator[str]:
    order: dict[tuple[str, str], list[float]] = {}
    for _, topic, measure, value in rows:
        order.setdefault((topic, measure), []).append(value)
    for each in order.values():
        each.sort(reverse=True)
    for run, topic, measure, value in rows:
        cells = {"run": run, "topic": topic, "measure": measure, "value": value}
        if form == "jsonl":
            yield json.dumps({key: cells[name] for name, key in _KEYS.items()}, ensure_ascii=False)
            continue
        cells |= {"q0": "Q0", "rank": 1 + order[topic, measure].index(value), "value": repr(value)}
        yield "\t".join(str(cells[name]) for name in _COLUMNS[form])
