"""The ranked lists of one run: its topics and documents, scores, ranks and their order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cranfield.checks.checked import of_topics, on_lines
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT, LINE, QUERY, RANK, SCORE
from cranfield.plumbing.wording import counted
from cranfield.results.finding import Finding, Severity


class Requirements(NamedTuple):
    """What a run is compared with; None where there is nothing to compare."""

    topics: pl.Series | None = None  # Ids of the topics that are to be there
    documents: pl.Series | None = None  # Ids of all documents of the collection
    qrels: pl.DataFrame | None = None
    most: int | None = None  # The largest and the smallest number of documents a topic
    least: int | None = None


def check_lists(run: pl.DataFrame, required: Requirements) -> Iterator[Finding]:
    """Find what is wrong with the lists of a run."""
    yield from duplicates(run)
    yield from lengths(run, required)
    yield from topics(run, required)
    yield from documents(run, required)
    yield from order(run)
    yield from ranks(run)
    yield from scores(run)


def duplicates(run: pl.DataFrame) -> Iterator[Finding]:
    """Find documents that are in a topic more than once: evaluation refuses them, whatever their scores."""
    if not run.select(pl.struct(QUERY, DOCUMENT).is_duplicated().any()).item():
        return
    again = run.with_columns(first=pl.col(LINE).min().over(QUERY, DOCUMENT)).filter(pl.col(LINE) != pl.col("first"))
    shown = "{doc_id} of topic {query_id}, first on line {first}"
    yield from on_lines("error", "duplicate", "a document repeated in its topic", again, shown)


def lengths(run: pl.DataFrame, required: Requirements) -> Iterator[Finding]:
    """Find topics with too many or too few documents."""
    lists = run.group_by(QUERY, maintain_order=True).len("length")
    if required.most is not None:
        long = lists.filter(pl.col("length") > required.most)
        yield from of_topics("error", "length", f"more documents than {required.most:,}", _by_topic(long))
    if required.least is not None:
        short = lists.filter(pl.col("length") < required.least)
        yield from of_topics("warning", "length", f"fewer documents than {required.least:,}", _by_topic(short))


def _by_topic(values: pl.DataFrame) -> list[str]:
    """Show each topic with its number."""
    return [f"{topic}: {value:,}" for topic, value in values.rows()]


def scores(run: pl.DataFrame) -> Iterator[Finding]:
    """Find scores that rank nothing, or not what was meant."""
    infinite = run.filter(pl.col(SCORE).is_infinite())
    yield from on_lines("warning", "score", "a score that is infinite", infinite, "{score} of topic {query_id}")
    lists = run.group_by(QUERY, maintain_order=True).agg(constant=(pl.col(SCORE).n_unique() == 1) & (pl.len() > 1))
    constant = lists.filter("constant")[QUERY].to_list()
    yield from of_topics("warning", "constant scores", "all documents have the same score", constant)
    if _most(len(constant), run):
        says = "all scores tie in most topics, so documents are ranked by id alone"
        yield Finding("warning", "all constant", len(constant), None, says)
    is_tied = pl.struct(QUERY, SCORE).is_duplicated()
    tied = run.filter(is_tied)[LINE]
    if len(tied):
        says = (
            f"{len(tied):,} of {counted(run.height, 'document')} tie with another of their topic; evaluation orders "
            "them by id, not by rank or line"
        )
        yield Finding("remark", "ties", len(tied), _least(tied), says)
    rounded = run.filter(pl.struct(QUERY, pl.col(SCORE).cast(pl.Float32)).is_duplicated() & ~is_tied)[LINE]
    if len(rounded):
        says = (
            f"{counted(len(rounded), 'score')} differing only beyond 32 bits: trec_eval 9 compares 32 bits, so it "
            "orders these documents by id"
        )
        yield Finding("remark", "ties in 32 bits", len(rounded), _least(rounded), says)


def _least(lines: pl.Series) -> int:
    return int(lines.to_numpy().min())


def order(run: pl.DataFrame) -> Iterator[Finding]:
    """Find lists that are not written as they will be ranked.

    >>> run = pl.DataFrame({"query_id": ["1"] * 3, "doc_id": list("abc"), "score": [1.0, 2.0, 0.5],
    ...                     "rank": [1, 2, 3], "line": [1, 2, 3]})
    >>> [found.code for found in order(run)], [found.code for found in order(run[:2])]
    (['order'], ['order', 'reversed'])
    """
    against = run.clear()
    if RANK in run.columns:  # documents with a better score than the one before them by rank
        deeper, better = (pl.col(name) > pl.col(name).shift().over(QUERY) for name in (RANK, SCORE))
        against = run.sort(QUERY, RANK, LINE).filter(deeper & better)
    what = "a score that rises with the rank (evaluation ranks by score)"
    yield from on_lines("warning", "order", what, against, "rank {rank} of topic {query_id}")
    steps, rising = run.group_by(QUERY, maintain_order=True).len("all"), against.group_by(QUERY).len("rising")
    # Topics in which most steps down the ranks are steps up the scores.
    turned = steps.join(rising, on=QUERY).filter(pl.col("rising") * 2 > pl.col("all") - 1).height
    if _most(turned, run):
        says = "scores rise with the rank in most topics, so evaluation reverses these lists"
        yield Finding("warning", "reversed", turned, None, says)
    if against.is_empty():
        rising = run.sort(LINE).filter(pl.col(SCORE) > pl.col(SCORE).shift().over(QUERY))
        what = "a better score than on the line before (evaluation sorts by score)"
        yield from on_lines("remark", "order", what, rising, "topic {query_id}")
    begins = run.sort(LINE).filter((pl.col(QUERY) != pl.col(QUERY).shift()).fill_null(True))
    anew = begins.filter(~pl.col(QUERY).is_first_distinct())
    yield from on_lines("remark", "scattered topic", "a topic that resumes after another", anew, "{query_id}")


def _most(topics: int, run: pl.DataFrame) -> bool:
    """Say whether these are most of the topics in which there is something to rank."""
    return topics * 2 > run.group_by(QUERY).len("length").filter(pl.col("length") > 1).height


def ranks(run: pl.DataFrame) -> Iterator[Finding]:
    """Find ranks that do not count from 0 or 1, one by one."""
    if RANK not in run.columns:
        return
    firsts = run.group_by(QUERY, maintain_order=True).agg(pl.col(RANK).min()).filter(~pl.col(RANK).is_in([0, 1]))
    yield from of_topics("warning", "first rank", "first rank neither 0 nor 1", _by_topic(firsts))
    ranked = run.sort(QUERY, RANK, LINE).with_columns(before=pl.col(RANK).shift().over(QUERY))
    odd = ranked.filter(pl.col(RANK) != pl.col("before") + 1)
    what = "a rank that does not follow the one before"
    yield from on_lines("warning", "ranks", what, odd, "{rank} after {before} in topic {query_id}")


def topics(run: pl.DataFrame, required: Requirements) -> Iterator[Finding]:
    """Find topics that are missing or unknown."""
    if required.topics is not None:
        yield from _compared(run, required.topics, ("error", "without a document"), ("error", "not among the topics"))
    elif required.qrels is not None:
        yield from _compared(
            run,
            required.qrels[QUERY],
            ("warning", "judged, but without a document"),
            ("remark", "not among the judged topics"),
        )


def _compared(
    run: pl.DataFrame, required: pl.Series, lacks: tuple[Severity, str], has: tuple[Severity, str]
) -> Iterator[Finding]:
    """Compare topics; `lacks` and `has` are the findings for topics that the run lacks, or that only it has."""
    there, required = run[QUERY].unique(maintain_order=True), required.unique(maintain_order=True)
    others = _lacking(there, required)
    meant = set(others["near"].drop_nulls())  # of another spelling, which is said below
    missing = [topic for topic in _lacking(required, there)["id"].to_list() if topic not in meant]
    yield from of_topics(lacks[0], "missing topics", lacks[1], missing)
    yield from of_topics(has[0], "unknown topics", has[1], [_beside(id_, near) for id_, near in others.rows()])


def documents(run: pl.DataFrame, required: Requirements) -> Iterator[Finding]:
    """Find documents that the collection lacks, or a run of which no document is judged."""
    if required.documents is not None:
        lacking = _lacking(run[DOCUMENT].unique(maintain_order=True), required.documents)
        if lacking.height:
            shown = pl.Series("shown", [_beside(id_, near) for id_, near in lacking.rows()], dtype=pl.String)
            lines = run.join(lacking.with_columns(shown), left_on=DOCUMENT, right_on="id")
            yield from on_lines("error", "unknown document", "a document not in the collection", lines, "{shown}")
    if required.qrels is not None and run.join(required.qrels, on=[QUERY, DOCUMENT], how="semi").is_empty():
        here, there = ("".join(ids[DOCUMENT][:1]) or "none" for ids in (run, required.qrels))
        says = f"no document is judged in its topic; do the ids match? The run has {here}, the judgments {there}"
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
    return id_ if near is None else f"{id_!r} instead of {near!r}"
