"""``cranfield check`` (evaluate): find what is wrong with runs before a track does."""

from __future__ import annotations

import click

from cranfield.cli._ending import FOUND_WANTING
from cranfield.cli._files import Command, FileRead
from cranfield.cli._options import conditions, declared, qrels_option, runs_
from cranfield.cli._output import Destination, Progress, presented, write
from cranfield.plumbing.options import Count


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  cranfield check bm25.run
  cranfield check runs/*.gz --topics-file topics.txt --docs docids.txt.gz --max-docs 1000
  cranfield check bm25.run dense.run --qrels qrels.txt --strict -o findings.csv
""",
)
@runs_()
@click.option(
    "--topics-file", metavar="FILE", type=FileRead(),
    help="List of the topics to expect: one a line, id first, or TREC's topics.",
)  # fmt: skip
@click.option(
    "--docs",
    metavar="FILE",
    type=FileRead(),
    help="List of all documents of the collection: one id a line.",
)
@declared(Count | None, "--max-docs", metavar="N", meaning="How many documents a topic may have; more are an error.")
@declared(Count | None, "--min-docs", metavar="N", meaning="How many a topic should have; fewer are a warning.")
@qrels_option("Judgments: their topics are wanted, unless --topics-file says which, and some of their documents.")
@click.option("--strict", is_flag=True, help="Exit with status 1 on warnings, too.")
@conditions("comments")
@presented()
def command(
    runs: tuple[str, ...],
    topics_file: str | None,
    docs: str | None,
    max_docs: int | None,
    min_docs: int | None,
    qrels: str | None,
    strict: bool,
    comments: bool | None,
    to: Destination,
) -> None:
    """Find what is wrong with RUNS before a track does: ids, topics, scores, ranks, tags.

    A track would reject, or evaluation would refuse, an error. A warning is a likely mistake; a remark
    is good to know. The exit status is 0 without errors, 1 with one, and 2 if the check cannot be made.
    Nothing is changed.
    """
    from cranfield.checks import check

    with Progress("files") as progress:
        found = check(
            list(runs),
            topics=topics_file,
            documents=docs,
            most=max_docs,
            least=min_docs,
            qrels=qrels,
            comments=comments,
            progress=progress,
        )
    write(found.render(to.format), to)
    to.say(found.caption())
    if found.fails(strict=strict):
        click.get_current_context().exit(FOUND_WANTING)
