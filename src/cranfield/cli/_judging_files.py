"""The commands that read a judging task, or add to it while nobody serves it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from cranfield.cli._files import Command, FileRead, FileWritten, RunsRead
from cranfield.cli._judging import FOLDER, WithRuns
from cranfield.cli._options import conditions, declared
from cranfield.cli._output import Destination, present_with_caption, presented, quietly, say, write
from cranfield.plumbing.options import Count

if TYPE_CHECKING:
    from cranfield.app.judging.answers import StatusShown

EXPORTS: Final = (
    "qrels", "qrels-first", "qrels-majority", "qrels-adjudicated", "qrels-assessors", "judgments", "preferences",
    "spans", "pool", "log",
)  # fmt: skip
SHEET_DAYS: Final = 14
_TO_FILE = click.option(
    "-o", "--output", metavar="FILE", type=FileWritten(), help="Write there, whole or not at all. [default: stdout]"
)


@click.command(
    "export",
    cls=Command,
    epilog="""\b
Examples:
  cranfield judge export task qrels -o qrels.txt
  cranfield judge export task judgments --pseudonyms -o judgments.csv
  cranfield judge export task log -o log.jsonl
""",
)
@FOLDER
@click.argument("what", type=click.Choice(EXPORTS))
@click.option("--pseudonyms", is_flag=True, help="Call people assessor-1, assessor-2, ..., in texts, too.")
@_TO_FILE
def export(folder: str, what: str, pseudonyms: bool, output: str | None) -> None:
    """Write what was judged to a file.

    It may be done at any moment, also while the task is served.

    qrels by the task's policy, or by another one; qrels-assessors has a line a judgment, with who judged in the second
    column; judgments has all that is known of each, spans the passages that were selected, preferences which of two
    lists was better, pool the documents judged or at hand, log all that happened.
    """
    from cranfield.app.judging.exporting import exported, left_out
    from cranfield.app.judging.opening import opened

    office = opened(folder, writing=False)
    try:
        content = exported(office.desk, what, pseudonyms=pseudonyms).content
        open_ = left_out(office.desk, what)
    finally:
        office.desk.close()
    write(content, Destination("text", None if output == "-" else output, quiet=True))
    if open_:
        from cranfield.plumbing.wording import counted

        are = "has no grade and is" if open_ == 1 else "have no grade and are"
        say(
            f"warning: {counted(open_, 'document')} judged differently {are} left out: settle the matter (`cranfield "
            "judge serve`, page Settle), or export qrels-majority or qrels-first",
            quiet=False,
        )


@click.command(
    "import",
    cls=Command,
    epilog="""\b
Examples:
  cranfield judge import task t7.jsonl
  cranfield judge import task qrels.txt --by NIST
  cranfield judge import task book.csv
""",
)
@FOLDER
@click.argument("file", metavar="FILE", type=FileRead())
@click.option("--by", metavar="NAME", help="Who judged, where the file does not say.")
@click.option("--docs", "documents", is_flag=True, help="FILE holds texts of documents: new ones, or as they are now.")
@quietly
def import_(folder: str, file: str, by: str | None, documents: bool, quiet: bool) -> None:
    """Take judgments that were made elsewhere.

    It takes all of FILE or nothing, and nothing twice. Nobody may serve the task meanwhile.

    FILE is what a sheet gave back, or a log (JSON lines); qrels, whose second column says who judged; or a book of
    Quepid's (CSV: query, docid, and a column of ratings a person).
    """
    from cranfield.app.judging.importing import imported
    from cranfield.app.judging.opening import opened, texts_in
    from cranfield.formats.loading import load

    office = opened(folder)
    try:
        if documents:
            count = office.desk.store.put_documents(texts_in(file))
            say(f"{count:,} texts are kept", quiet=quiet)
            return
        found = imported(office.desk, load(file).text, file, by=by)
    finally:
        office.desk.close()
    say(f"{found.taken:,} taken, {found.known:,} known already", quiet=quiet)


@click.command("merge", cls=Command, epilog="\b\nExamples:\n  cranfield judge merge task other-office.jsonl\n")
@FOLDER
@click.argument("logs", metavar="LOG...", nargs=-1, required=True, type=FileRead())
@quietly
def merge(folder: str, logs: tuple[str, ...], quiet: bool) -> None:
    """Take the events of other offices' logs into a task.

    The logs are those of `export log`. Each event is taken once. Nobody may serve the task meanwhile. People, and by
    what documents are chosen, stay as they are here.
    """
    from cranfield.app.judging.importing import merged
    from cranfield.app.judging.opening import opened
    from cranfield.formats.loading import load

    office = opened(folder)
    try:
        found = merged(office.desk, [(each, load(each).text) for each in logs])
    finally:
        office.desk.close()
    say(f"{found.taken:,} events taken, {found.known:,} known already", quiet=quiet)


@click.command(
    "add",
    cls=WithRuns,
    epilog="""\b
Examples:
  cranfield judge add task --runs late.run
  cranfield judge add task --runs late/*.gz --order file
""",
)
@FOLDER
@click.option(
    "--runs", "runs", required=True, multiple=True, type=RunsRead(), metavar="[NAME=]RUN...",
    help="Runs that join late: files, folders and globs.",
)  # fmt: skip
@quietly
@conditions("order", "depth", "comments")
def add(folder: str, runs: tuple[str, ...], quiet: bool, **reading: Any) -> None:
    """Let RUNS join a task that has begun, while nobody serves it: all of them or none.

    Their documents can be judged from now on. What is judged already counts for them, and no judgment changes. Read
    them as the others were read: by the same --order and --depth.
    """
    from cranfield.app.judging.opening import opened
    from cranfield.app.judging.organising import add_runs
    from cranfield.plumbing.escaping import printable
    from cranfield.plumbing.wording import counted, named
    from cranfield.selection.candidates import Candidates

    office = opened(folder)
    try:
        joined = add_runs(office.desk, Candidates.gather(list(runs), **reading))
    finally:
        office.desk.close()
    said = f"added {counted(len(joined.runs), 'run')}: {counted(joined.documents, 'document')} that no other run has"
    say(said, quiet=quiet)
    if joined.left_out:
        say(f"warning: left out, not topics of this task: {printable(named(joined.left_out))}", quiet=False)


@click.command("backup", cls=Command, epilog="\b\nExamples:\n  cranfield judge backup task task-monday\n")
@FOLDER
@click.argument("copy", metavar="COPY", type=click.Path())
@quietly
def backup(folder: str, copy: str, quiet: bool) -> None:
    """Copy a task, also while it is served.

    To restore it, serve the copy.
    """
    from cranfield.app.judging.store import Store

    with Store(folder, writing=False) as store:
        store.backup(copy)
    with Store(copy, writing=False) as store:
        events = sum(1 for _ in store.lines())
    say(f"copied {events:,} events, and checked", quiet=quiet)


@click.command("status", cls=Command, epilog="\b\nExamples:\n  cranfield judge status task\n")
@FOLDER
@presented()
def status(folder: str, to: Destination) -> None:
    """Print how judging goes, and how sure scores are.

    It may be done while the task is served. The last lines say whether it is enough, by each rule of the task.
    """
    from cranfield.app.judging.board import Person
    from cranfield.app.judging.opening import opened
    from cranfield.app.judging.standing import known, status

    office = opened(folder, writing=False)
    try:
        desk = office.desk
        present_with_caption(found := known(desk.board), to)
        to.say(*found.remarks(), *_said(status(desk, Person("", "observer"))))
    finally:
        office.desk.close()


def _said(shown: StatusShown) -> list[str]:
    """Say how judging goes, in a few lines."""
    from cranfield.plumbing.wording import counted

    lines = [
        f"{each.name} ({each.role}): {counted(each.judged, 'judgment')}, {each.held} at hand"
        + ("" if each.seconds is None else f", {each.seconds:.0f} s each")
        for each in shown.people
        if each.judged or each.active
    ]
    same = shown.agreement
    if same.documents:
        kappa = "" if same.kappa is None else f", kappa {same.kappa:.3f}"
        alpha = "" if same.alpha is None else f", alpha {same.alpha:.3f}"
        lines.append(f"judged by several: {counted(same.documents, 'document')}, {same.share:.0%} alike{kappa}{alpha}")
    if shown.unsettled:
        lines.append(f"to settle: {counted(shown.unsettled, 'document')}")
    return lines + [f"warning: {each}" for each in shown.warnings]


@click.command(
    "simulate", cls=Command, epilog="\b\nExamples:\n  cranfield judge simulate task qrels.txt --judgments 500\n"
)
@FOLDER
@click.argument("qrels", metavar="QRELS", type=FileRead())
@declared(Count, "--judgments", metavar="N", meaning="How many judgments to make. [default: all there are]")
@_TO_FILE
@quietly
def simulate(folder: str, qrels: str, judgments: int | None, output: str | None, quiet: bool) -> None:
    """Rehearse a task: judge a copy of it by qrels.

    Prints topic, document and grade in the order in which they came up. The task itself stays as it is. Where nothing
    else is arranged, these are the documents of `cranfield experiment judging`, in its order.
    """
    import tempfile

    from cranfield.app.judging.importing import simulated
    from cranfield.app.judging.opening import opened
    from cranfield.app.judging.standing import known
    from cranfield.app.judging.store import Store

    with tempfile.TemporaryDirectory(prefix="cranfield-judge-") as temporary:
        copy = Path(temporary, "task")
        with Store(folder, writing=False) as store:
            store.backup(copy)
        office = opened(copy)
        try:
            made = simulated(office.desk, qrels, judgments)
            found = known(office.desk.board)
        finally:
            office.desk.close()
    lines = "".join(f"{topic} {document} {grade:g}\n" for topic, document, grade in made)
    write(lines, Destination("text", None if output == "-" else output, quiet=True))
    say(found.caption(), *found.remarks(), quiet=quiet)


@click.command(
    "sheet",
    cls=Command,
    epilog="""\b
Examples:
  cranfield judge sheet task --topic 7 -o t7.html
  cranfield judge sheet task --topic 7 --assessor Ann --count 50 -o t7-ann.html
  cranfield judge import task t7-ann.jsonl
""",
)
@FOLDER
@click.option("--topic", required=True, metavar="TOPIC", help="Whose documents are judged.")
@click.option(
    "--assessor", metavar="NAME",
    help=f"Who judges: the documents are theirs for {SHEET_DAYS} days, and nobody else gets them. The task must not be "
    "served meanwhile.",
)  # fmt: skip
@declared(Count, "--count", metavar="N", meaning="How many documents, the most useful ones. [default: all open ones]")
@click.option("-o", "--output", required=True, metavar="FILE.html", type=FileWritten(), help="Write the page there.")
@quietly
def sheet(folder: str, topic: str, assessor: str | None, count: int | None, output: str, quiet: bool) -> None:
    """Write a page to judge a topic without a server.

    Send it by mail. It keeps its judgments in the browser, and gives them back as JSON lines, for `cranfield judge
    import`. The order of the documents tells nothing of what is expected of them.
    """
    from cranfield.app.judging.opening import opened
    from cranfield.app.judging.sheets import on_sheet
    from cranfield.app.judging.sheets import sheet as page

    office = opened(folder, writing=assessor is not None)
    try:
        task, documents = on_sheet(office.desk, topic, assessor, count, days=SHEET_DAYS)
        html = page(task, topic, documents, assessor=assessor or "")
    finally:
        office.desk.close()
    write(html, Destination("html", output, quiet=True))
    say(f"{len(documents):,} documents of topic {topic} are on the sheet", quiet=quiet)


COMMANDS = (add, export, import_, merge, backup, status, simulate, sheet)
