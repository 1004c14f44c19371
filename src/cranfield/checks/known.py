"""Topics and documents of a run beside those there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cranfield.checks.result import of_topics, on_lines
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT, QUERY
from cranfield.results.finding import Finding, Severity


@dataclass(frozen=True)
class Known:
    """What a run is compared with; None where there is nothing to compare.

    Attributes
    ----------
    topics, documents
        Ids of the topics that are to be there, and of all documents of the collection.
    qrels
        Judgments.
    """

    topics: pl.Series | None = None
    documents: pl.Series | None = None
    qrels: pl.DataFrame | None = None


def topics(run: pl.DataFrame, known: Known) -> Iterator[Finding]:
    """Find topics that are missing or unknown.

    >>> run = pl.DataFrame({"query_id": ["401"], "doc_id": ["a"], "line": [1]})
    >>> [found.says for found in topics(run, Known(topics=pl.Series(["401", "402"])))]
    ['without a document: 1 topic (402)']
    """
    if known.topics is not None:
        yield from _compared(run, known.topics, ("error", "without a document"), ("error", "not among the topics"))
    elif known.qrels is not None:
        yield from _compared(
            run,
            known.qrels[QUERY],
            ("warning", "without a document, though judged"),
            ("remark", "not among the topics that are judged"),
        )


def _compared(
    run: pl.DataFrame, wanted: pl.Series, lacks: tuple[Severity, str], has: tuple[Severity, str]
) -> Iterator[Finding]:
    """Compare topics; what is said of those that the run lacks, and of those that only the run has, is given."""
    there, wanted = run[QUERY].unique(maintain_order=True), wanted.unique(maintain_order=True)
    others = _lacking(there, wanted)
    meant = set(others["near"].drop_nulls())  # of another spelling, which is said below
    missing = [topic for topic in _lacking(wanted, there)["id"].to_list() if topic not in meant]
    unknown = [_beside(id_, near) for id_, near in others.rows()]
    yield from of_topics(lacks[0], "missing topics", lacks[1], missing)
    yield from of_topics(has[0], "unknown topics", has[1], unknown)


def documents(run: pl.DataFrame, known: Known) -> Iterator[Finding]:
    """Find documents that the collection lacks, or a run of which no document is judged."""
    if known.documents is not None:
        lacking = _lacking(run[DOCUMENT].unique(maintain_order=True), known.documents)
        if lacking.height:
            shown = pl.Series("shown", [_beside(id_, near) for id_, near in lacking.rows()], dtype=pl.String)
            lines = run.join(lacking.with_columns(shown), left_on=DOCUMENT, right_on="id")
            yield from on_lines("error", "unknown document", "a document that the collection lacks", lines, "{shown}")
    if known.qrels is not None and run.join(known.qrels, on=[QUERY, DOCUMENT], how="semi").is_empty():
        says = "none of its documents is judged in its topic; are its ids those of the judgments? "
        here, there = ("".join(ids[DOCUMENT][:1]) or "none" for ids in (run, known.qrels))
        says += f"It has {here}, the judgments {there}"
        yield Finding("warning", "nothing judged", 1, None, says)


def _lacking(ids: pl.Series, known: pl.Series) -> pl.DataFrame:
    """Return those ids that are not known, each with one that is but for case, blanks and leading zeros.

    >>> _lacking(pl.Series(["1", "2", "3"]), pl.Series(["01", "2"])).rows()
    [('1', '01'), ('3', None)]
    """
    # The index is made of the few ids of the run, not of a collection's millions.
    there = known.filter(known.is_in(ids.implode()))
    lacking = ids.filter(~ids.is_in(there.implode())).alias("id").to_frame()
    if lacking.is_empty():
        return lacking.with_columns(near=pl.lit(None, dtype=pl.String))
    lacking = lacking.with_columns(folded=_folded("id"))
    others = known.alias("near").to_frame().lazy().with_columns(folded=_folded("near"))
    near = others.filter(pl.col("folded").is_in(lacking["folded"].implode())).unique("folded", keep="first").collect()
    return lacking.join(near, on="folded", how="left", maintain_order="left").select("id", "near")


def _folded(name: str) -> pl.Expr:
    return pl.col(name).str.strip_chars().str.to_lowercase().str.replace("^0+(.)", "$1")


def _beside(id_: str, near: str | None) -> str:
    return id_ if near is None else f"{id_!r}, where there is {near!r}"
