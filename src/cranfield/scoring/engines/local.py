"""Carry runs to the two steps on this machine: read by a few threads, ranked, and handed on in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby, repeat
from typing import TypeVar

from cranfield.formats import RunSource
from cranfield.formats.content import File
from cranfield.judged.audit import RunAudit
from cranfield.judged.conditions import USUAL_READING, Reading
from cranfield.judged.joining import (
    RepeatedDocumentError,
    Rows,
    rank,
    rank_rest,
    rank_topics,
    ranked_scores,
    ranked_table,
)
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings
from cranfield.judged.shortcuts import rank_dict, rank_plain, rank_text
from cranfield.plumbing import threads
from cranfield.plumbing.arrays import Integers
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT, LINE, QUERY
from cranfield.results.sheet import listed

_T = TypeVar("_T")

RUNS_IN_A_BATCH = 32
RUNS_NAMED_AT_ONCE = 8
"""The ids of everything that this many runs retrieved are held at once, where it matters what any run retrieved."""
CELLS_IN_A_BATCH = 2_000_000
CELLS_SCORED_AT_ONCE = 250_000
"""Of batches that are scored once and gone: a measure's arrays then fit a processor's cache, and take little room."""


def ranked_batches(
    sources: Sequence[RunSource],
    judgments: Judgments,
    reading: Reading = USUAL_READING,
    *,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    parts: bool = False,
    strangers: bool = False,
) -> Iterator[JudgedRankings]:
    """Read, rank and judge the runs, in the order given, and put them together in batches.

    A few runs at a time are in memory, however many there are, and of a large one a few topics. With
    ``parts`` what was ranked of these is a batch by itself, to be scored by itself; without, it is
    put together to all topics. ``progress`` hears of a batch when the next one is asked for, that
    is, when it is dealt with; a large run counts for several, of which it hears one by one.
    A run without a topic of the judgments is refused, unless ``strangers`` are known.
    """
    told = _Told(progress, sum(map(_steps, sources)))
    for large, some in groupby(sources, key=_is_large):
        if not large:
            do, given = partial(rank_source, judgments=judgments, reading=reading, strangers=strangers), list(some)
            ranked_runs = threads.in_turn(do, given, readers_of(given, workers), RUNS_IN_A_BATCH)
            for batch in _batches(ranked_runs, CELLS_SCORED_AT_ONCE if parts else CELLS_IN_A_BATCH):
                yield batch
                told.of(len(batch.runs))
            continue
        for source in some:
            step = told.of_one_of(_steps(source))
            ranked = _ranked_parts(source, judgments, reading, workers, step, strangers=strangers)
            if parts:
                yield from ranked
            else:
                yield JudgedRankings.over_topics(list(ranked), judgments)
            told.of(_steps(source))


@dataclass
class _Told:
    """Tells whoever wants to know how many steps are done."""

    progress: Callable[[int, int], None] | None
    steps: int
    done: int = 0

    def of(self, steps: int) -> None:
        """Tell that this many more are done."""
        self.done += steps
        if self.progress:
            self.progress(self.done, self.steps)

    def of_one_of(self, steps: int) -> Callable[[], None]:
        """Give a function that tells of one more that is done, except of the last, of which `of` tells."""
        places = chain(range(self.done + 1, self.done + steps), repeat(self.done + steps - 1))

        def one() -> None:
            if self.progress:
                self.progress(next(places), self.steps)

        return one


def readers_of(sources: Sequence[RunSource], workers: int | None = None) -> int:
    """Say how many threads read the runs: one where there is one run, or where all are small and none asked."""
    small = workers is None and all(source.small for source in sources)
    return 1 if len(sources) == 1 else min(workers or threads.readers(), 1 if small else len(sources))


def _is_large(source: RunSource) -> bool:
    return source.parted is not None and source.parted.is_large


def _steps(source: RunSource) -> int:
    """Say how many steps of the work a run is; a large one is read and ranked stretch by stretch."""
    return 2 * len(source.parted.stretches) if source.parted is not None and source.parted.is_large else 1


def with_retrieved(
    sources: Sequence[RunSource], judgments: Judgments, reading: Reading = USUAL_READING, *, workers: int | None = None
) -> Judgments:
    """Read the runs for what they retrieved, and take note of it: bounds are about that."""
    workers = 1 if any(map(_is_large, sources)) else readers_of(sources, workers)
    found = pl.DataFrame(schema={QUERY: pl.Int32, DOCUMENT: pl.String})
    codes = judgments.code_of_topic
    for first in range(0, len(sources), RUNS_NAMED_AT_ONCE):
        some = sources[first : first + RUNS_NAMED_AT_ONCE]
        tables = threads.in_turn(lambda source: _retrieved(source, reading), some, workers, 2 * workers)
        new = pl.concat(list(tables)).filter(pl.col(QUERY).is_in(list(codes)))
        new = new.with_columns(pl.col(QUERY).replace_strict(codes, return_dtype=pl.Int32))
        found = pl.concat([found, new]).unique(maintain_order=True)
    return judgments.with_retrieved(found[QUERY].to_numpy(), found[DOCUMENT].rechunk())


def topics_of_all(sources: Sequence[RunSource], *, workers: int | None = None) -> tuple[str, ...]:
    """Read the runs for the topics that all of them have, those that were answered by nothing among them."""
    workers = 1 if any(map(_is_large, sources)) else readers_of(sources, workers)
    found = list(threads.in_turn(_topics, sources, workers, 2 * workers))
    common = frozenset(found[0]).intersection(*found[1:]) if found else frozenset()
    if not common:
        raise InputError("no topic is in all runs; leave out only='common', or the runs that lack most")
    return tuple(topic for topic in found[0] if topic in common)


def _topics(source: RunSource) -> dict[str, None]:
    return dict.fromkeys([*source.read()[QUERY].unique(maintain_order=True), *source.empty_topics])


def _retrieved(source: RunSource, reading: Reading) -> pl.DataFrame:
    """Return topics and documents of a run, as deep as lists are looked at."""
    rows = _rows(source, reading).but_excluded(reading)
    table = _located(source, lambda: ranked_table(rows, reading)) if reading.shortens else rows.table
    return table.select(QUERY, DOCUMENT)


def rank_source(
    source: RunSource, judgments: Judgments, reading: Reading = USUAL_READING, *, strangers: bool = False
) -> JudgedRankings:
    """Read, rank and judge one run.

    A run that has nothing to do with the qrels is refused, unless that is known: a score of 0 would
    only hide a wrong file.
    """
    ranked = _without_a_table(source, judgments, reading)
    if ranked is None:
        ranked = _located(source, lambda: rank(_rows(source, reading), judgments, reading))
    audits = ranked.audits  # made now: what they are made of is let go
    if not strangers:
        _refuse_strangers(source, judgments, audits)
    return ranked


def ranked_dict(given: object, judgments: Judgments, reading: Reading) -> JudgedRankings | None:
    """Rank one run that is as plain as most are in memory, of which no shape need be told; None of any other.

    What the native road takes is ``{topic: {document: score}}`` through and through: nothing else that may be given
    begins with a dict and holds numbers alone.
    """
    if type(given) is not dict or reading.repeated != "refuse" or type(next(iter(given.values()), None)) is not dict:
        return None
    return rank_plain("run", given, judgments, reading)


class StrangersError(InputError):
    """A run without a topic of the qrels."""


def _without_a_table(source: RunSource, judgments: Judgments, reading: Reading) -> JudgedRankings | None:
    """Rank a run as text or as dicts, where it is one, and plain."""
    if source.text and reading.costs is None and judgments.native_index and (text := source.text()):
        return rank_text(source.name, text, judgments, reading)
    nested = source.nested and source.nested()
    return rank_dict(source.name, nested, judgments, reading) if nested else None


def _refuse_strangers(source: RunSource, judgments: Judgments, audits: Sequence[RunAudit]) -> None:
    """Refuse a run without a topic of the qrels."""
    if not any(audit.topics for audit in audits):
        there, here = listed(judgments.topics), listed([topic for audit in audits for topic in audit.extra])
        raise StrangersError(
            f"no topic in common with the qrels: they have {there}; the run has {here or 'none'}"
            if judgments.only is None
            else f"has none of the topics that count (only={judgments.only}: {there})",
            source=source.origin,
        )


def read_ranked(source: RunSource, reading: Reading = USUAL_READING) -> pl.DataFrame:
    """Read one run with all its topics and documents, ranked: see `ranked_table`."""
    return _located(source, lambda: ranked_table(_rows(source, reading), reading))


def read_scores(source: RunSource, reading: Reading = USUAL_READING) -> pl.DataFrame:
    """Read the scores of one run that was ranked before: see `ranked_scores`."""
    return ranked_scores(_rows(source, reading), reading)


def _rows(source: RunSource, reading: Reading) -> Rows:
    return Rows(source.name, source.read(rank=reading.order == "rank"), source.empty_topics)


def _located(source: RunSource, do: Callable[[], _T]) -> _T:
    """Do it; if a document is repeated, read the run once more, and name the line where it stands again."""
    try:
        return do()
    except RepeatedDocumentError as error:
        raise _at_its_line(error, source, source.read(lines=True)) from None


def _at_its_line(error: RepeatedDocumentError, source: RunSource, table: pl.DataFrame) -> InputError:
    """Name the file and the line, or the row of a table, where a document stands again."""
    line = table.filter(pl.struct(QUERY, DOCUMENT).is_first_distinct().not_())[LINE][0]
    origin, line = (source.origin, line) if source.parted is None else source.parted.where(line)
    if source.parted is None and not isinstance(source.load, File):
        return InputError(f"row {line}: {error.problem}", source=origin)
    return InputError(error.problem, source=origin, line=line)


def _ranked_parts(
    source: RunSource,
    judgments: Judgments,
    reading: Reading,
    workers: int | None,
    step: Callable[[], None],
    *,
    strangers: bool,
) -> Iterator[JudgedRankings]:
    """Rank a large run a few topics at a time; the last part are the topics that it lacks.

    ``step`` is called whenever something was read, or ranked and dealt with.
    """

    def ranked(table: pl.DataFrame) -> JudgedRankings:
        try:
            return rank_topics(Rows(source.name, table.drop(LINE)), judgments, reading)
        except RepeatedDocumentError as error:
            raise _at_its_line(error, source, table) from None

    workers = workers or min(threads.allowed(), threads.MOST_READERS)
    judgments.first_of_topic  # noqa: B018 - made here, before several threads could each make it
    audits: list[RunAudit] = []
    had: list[Integers] = []
    tables = source.read_parts(rank=reading.order == "rank", step=step)
    for part in threads.in_turn(ranked, tables, workers, workers):
        yield part
        step()
        audits += part.audits
        had += [] if part.judgments.places is None else [part.judgments.places]
    if not strangers:
        _refuse_strangers(source, judgments, audits)
    yield rank_rest(source.name, had, judgments, reading)


def _batches(runs: Iterator[JudgedRankings], most_cells: int) -> Iterator[JudgedRankings]:
    """Gather ranked runs until a batch is worth the measures' while."""
    batch: list[JudgedRankings] = []
    cells = 0
    for run in runs:
        batch.append(run)
        cells += len(run.judgment)
        if len(batch) == RUNS_IN_A_BATCH or cells >= most_cells:
            yield JudgedRankings.batch(batch)
            batch, cells = [], 0
    if batch:
        yield JudgedRankings.batch(batch)
