"""The step `judge`: forms to fill in, and the judgments of all sources, a judging task among them, as qrels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from cranfield.formats.columns import QRELS_KIND
from cranfield.formats.files import expand
from cranfield.formats.long_tables import read_list, read_table
from cranfield.formats.sources import qrels_by_assessor
from cranfield.formats.trec import write
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT, QRELS_COLUMNS, QUERY, RELEVANCE, match_columns
from cranfield.plumbing.wording import named
from cranfield.scoring.judged_runs import qrels_table
from cranfield.selection.assessors import agreement
from cranfield.selection.records import Log, Policy, Records
from cranfield.track import judging_task
from cranfield.track.steps import Files, StepPart, csv_of, digest_of, file_digest
from cranfield.track.submissions import file_name
from cranfield.track.track import Track
from cranfield.track.track_file import part

QRELS: Final = "judgments/qrels.txt"
"""The judgments that count."""
SOURCES: Final = "judgments/sources.csv"
"""Where each grade comes from."""
VERSIONS: Final = "judgments/files.csv"
"""The files that the judgments were read from, and how many of them count."""
MISSING: Final = "judgments/missing.csv"
"""What of the pool is not judged."""
MODELS: Final = "judgments/models.csv"
"""How far labels of language models agree with the judgments."""
FORMS: Final = "forms"
_SOURCE: Final = "source"


def parts(track: Track, pool: Mapping[str, list[str]]) -> Iterator[StepPart]:
    """Return what the step makes."""
    settings = track.settings.judgments
    asked = digest_of(repr(sorted(pool.items())).encode())
    forms = _forms(track, pool)
    made = digest_of(repr(sorted(forms.items())).encode())
    yield StepPart("judge/forms", {"forms": made}, lambda: forms, filled_in=True)
    of_task = [*judging_task.part(track)]
    yield from of_task
    files = sources(track, of_task=bool(of_task))
    if not files:
        return
    given = {"files": track.digests(*files, track.path(settings.retracted)), "policy": settings.policy}
    order = [track.shown(file) for file in files]
    yield StepPart("judge/qrels", {**given, "order": order, "pool": asked}, lambda: _qrels(track, pool, files))
    if settings.models:
        models = [track.folder / path for path in settings.models]
        follows = {
            "qrels": track.shop.digest(QRELS),
            "models": track.digests(*models),
            "measures": part(track.settings.measures),
        }
        rel, shown = track.settings.measures.level, {track.shown(model): model for model in models}

        def agreed() -> Files:
            """Measure how far each model agrees with the judgments, document by document."""
            of = ({"judgments": track.folder / QRELS, name: model} for name, model in shown.items())
            return {MODELS: pl.concat(agreement(each, rel=rel).to_polars() for each in of).write_csv()}

        yield StepPart("judge/models", follows, agreed)


def sources(track: Track, *, of_task: bool) -> list[Path]:
    """List the files of judgments, the task's, then those of the settings; later ones count more, this step's never."""
    made = {track.folder / name for name in (QRELS, SOURCES, VERSIONS, MISSING, MODELS, judging_task.AGREEMENT)}
    found = [track.folder / judging_task.TASK_SETTINGS] if of_task else []
    for given in track.settings.judgments.files:
        try:
            found += [file for file in expand([track.folder / given]) if file not in made]
        except InputError:
            raise InputError(f"[judgments] files: there is no file {given}", source=str(track.folder)) from None
    return list(dict.fromkeys(found))


def _forms(track: Track, pool: Mapping[str, list[str]]) -> Files:
    """Write a form for each topic, a line for each document; what a begun form lacks goes to a further one."""
    forms: dict[str, str] = {}
    begun = track.shop.edited("judge/forms")
    for topic, documents in pool.items():
        name, left, number = file_name(topic), documents, 1
        while left:
            form = f"{FORMS}/{name}.csv" if number == 1 else f"{FORMS}/{name}.{number}.csv"
            forms[form] = csv_of(((topic, each, None) for each in left), "topic", "document", "grade")
            if form not in begun:
                break
            there = set(_rows(track.folder / form)[DOCUMENT])
            left, number = [each for each in left if each not in there], number + 1
    return forms


def _qrels(track: Track, pool: Mapping[str, list[str]], files: list[Path]) -> Files:
    """Put the judgments of all files together; of a document that several files judge the last one counts."""
    policy = track.settings.judgments.policy
    tables = [read_judgments(file, policy).with_columns(pl.lit(track.shown(file)).alias(_SOURCE)) for file in files]
    every = pl.concat(tables, how="vertical_relaxed")
    if every.is_empty():  # forms that nobody has begun, say
        return {}
    last = every.unique([QUERY, DOCUMENT], keep="last", maintain_order=True)
    if (retracted := track.path(track.settings.judgments.retracted)) is not None:
        pairs = pl.DataFrame(read_list(retracted), schema={QUERY: pl.String, DOCUMENT: pl.String}, orient="row")
        last = last.join(pairs, on=[QUERY, DOCUMENT], how="anti", maintain_order="left")
    if last.is_empty():
        raise InputError("all judgments were retracted, so none is left", source=str(track.folder))
    last = last.sort(pl.col(QUERY).str.len_chars(), QUERY, DOCUMENT)
    counts = dict(last[_SOURCE].value_counts().iter_rows())
    versions = [
        (track.shown(file), file_digest(file), table.height, counts.get(track.shown(file), 0))
        for file, table in zip(files, tables, strict=True)
    ]
    judged = set(last.select(QUERY, DOCUMENT).iter_rows())
    missing = [(topic, each) for topic, documents in pool.items() for each in documents if (topic, each) not in judged]
    return {
        QRELS: write(last.select(QUERY, DOCUMENT, RELEVANCE), QRELS_KIND, source=QRELS, name="qrels"),
        SOURCES: last.select(
            pl.col(QUERY).alias("topic"), pl.col(DOCUMENT).alias("document"), pl.col(RELEVANCE).alias("grade"), _SOURCE
        ).write_csv(),
        VERSIONS: csv_of(versions, "file", "sha256", "judgments", "count", whole=("judgments", "count")),
        MISSING: csv_of(missing, "topic", "document"),
    }


def read_judgments(file: Path, policy: Policy) -> pl.DataFrame:
    """Read judgments: the log of a judging task, a form that was filled in, or qrels."""
    if file.name.endswith(".jsonl"):
        found = Records(Log(file), policy=policy).to_qrels()
    else:
        found = _filled_in(file) if file.suffix == ".csv" else _qrels_of(file)
    return found.select(QUERY, DOCUMENT, RELEVANCE)


def _qrels_of(file: Path) -> pl.DataFrame:
    """Read qrels; of several assessors in one file, a log alone says which of their grades counts."""
    try:
        return qrels_table(file)
    except InputError:
        if several := [*qrels_by_assessor(file)]:
            of = f"holds the judgments of {named(several)}"
            cure = "name a log (`cranfield judge export TASK log`), and [judgments] policy decides where they differ"
            raise InputError(f"{of}: {cure}", source=str(file)) from None
        raise


def _rows(file: Path) -> pl.DataFrame:
    table = read_table(file, "judgments")
    columns = match_columns(table.columns, QRELS_COLUMNS, source=str(file))
    texts = (pl.col(theirs).cast(pl.String).str.strip_chars().alias(ours) for ours, theirs in columns.items())
    return table.select(texts)


def _filled_in(file: Path) -> pl.DataFrame:
    """Read a form: where there is no grade yet, nothing was judged."""
    graded = _rows(file).with_row_index("line", offset=2).filter(pl.col(RELEVANCE).fill_null("") != "")
    grades = graded[RELEVANCE].cast(pl.Int64, strict=False)
    if grades.has_nulls():
        wrong = graded.filter(grades.is_null()).row(0, named=True)
        raise InputError(f"the grade is a whole number, not {wrong[RELEVANCE]!r}", source=str(file), line=wrong["line"])
    return graded.with_columns(grades)
