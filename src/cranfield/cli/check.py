"""``cranfield check`` (evaluate): find what is wrong with runs before a track does."""

from __future__ import annotations

from cranfield.cli._derived import Call, derived
from cranfield.cli._ending import found_wanting
from cranfield.cli._files import FileRead
from cranfield.cli._options import conditions, option, qrels_option, runs_
from cranfield.cli._output import Destination, presented, write
from cranfield.plumbing.options import Count


@derived(
    runs_(),
    option("--topics-file FILE", FileRead, "Topics to expect: one a line, id first, or a TREC topic file."),
    option("--docs FILE", FileRead, "Ids of all documents of the collection, one a line."),
    option("--max-docs N", Count, "Most documents per topic; more are an error."),
    option("--min-docs N", Count, "Fewest documents per topic; fewer are a warning."),
    qrels_option("Judgments to check against (or name them among RUNS): runs should have their topics, unless "
                 "--topics-file lists others, and some of their documents."),
    option("--strict", bool, "Exit with status 1 on warnings, too."),
    conditions("comments"),
    presented(),
    examples="""
  cranfield check bm25.run
  cranfield check runs/*.gz --topics-file topics.txt --docs docids.txt.gz --max-docs 1000
  cranfield check qrels.txt bm25.run dense.run --strict -o findings.csv
""",
)  # fmt: skip
def command(
    call: Call, topics_file: str | None, docs: str | None, max_docs: int | None, min_docs: int | None, strict: bool,
    to: Destination,
) -> None:  # fmt: skip
    """Check RUNS as a track would, before you submit: ids, topics, scores, ranks, tags.

    An error is what a track would reject or evaluation refuse; a warning is a likely mistake; a remark is good to know.
    The exit status is 0 without errors, 1 with errors, and 2 if the check is impossible. The files are not changed.
    """
    from cranfield.checks import check

    found = call(check, topics=topics_file, documents=docs, most=max_docs, least=min_docs, noun="files")
    write(found.render(to.format), to)
    to.say(found.caption())
    found_wanting(found.fails(strict=strict))
