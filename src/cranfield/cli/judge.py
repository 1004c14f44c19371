"""``cranfield judge`` (judge): make relevance judgments in the browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, Final

import click

from cranfield.cli._derived import Call, derived
from cranfield.cli._files import RUNS_READ, Command, FileRead, FileWritten
from cranfield.cli._options import argument, arguments, conditions, option, seed
from cranfield.cli._output import QUIET, Destination, present_with_caption, presented, say, write
from cranfield.cli.explore import HOST
from cranfield.plumbing.options import Count, Level, NotNegative, Positive, Range
from cranfield.plumbing.wording import counted, percent

if TYPE_CHECKING:
    from cranfield.app.judging.answers import StatusShown
    from cranfield.app.judging.routes import Office

PORT: Final = 8018
_PART: Final = Annotated[float, Range(at_least=0, at_most=1)]
_EVERY: Final = ("", "0.0.0.0", "::")  # noqa: S104 - to be told from one address
_FIXED: Final = (
    "scale", "organiser", "reason_from", "method", "seed", "per_document", "twice", "audit", "lease", "budget",
)  # fmt: skip
"""What is fixed about a task just as it is asked."""
_FOLDER: Final = argument("folder", click.Path(), "FOLDER")
_PORT: Final = option("--port", click.IntRange(0, 65535), "Port to listen on; 0 takes any free port.", PORT)
_NO_BROWSER: Final = option("--no-browser", bool, "Do not open the browser.")
EXPORT_NAMES: Final = (
    "qrels", "qrels-first", "qrels-majority", "qrels-adjudicated", "qrels-assessors", "judgments", "preferences",
    "spans", "pool", "log",
)  # fmt: skip
_SHEET_DAYS: Final = 14
_MOST_NAMED: Final = 3
"""How many documents are named that an export leaves out."""
_TO_FILE = option("-o --output FILE", FileWritten, "Output file, written whole or not at all. [default: stdout]")


@contextmanager
def office_of(folder: str | Path, at: str = "", *, writing: bool = True) -> Iterator[Office]:
    """Open a judging task, and close it."""
    from cranfield.app.judging.task_folder import opened

    office = opened(folder, at, writing=writing)
    try:
        yield office
    finally:
        office.desk.close()


class WithRuns(Command):
    """A command whose option ``--runs`` takes everything after it, up to the next option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give the option once for each run."""
        spread: list[str] = []
        within = False
        for each in args:
            if each.startswith("-") and each != "-":
                within = each == "--runs"
                spread += [] if within else [each]
            else:
                spread += ["--runs", each] if within else [each]
        return super().parse_args(ctx, spread)


def runs_option(meaning: str) -> click.Option:
    """Make the option ``--runs`` of a `WithRuns`."""
    return option("--runs [NAME=]RUN...", RUNS_READ, meaning, required=True, multiple=True)


@click.group(
    epilog="""\b
Examples:
  cranfield judge demo
  cranfield judge new task --runs runs/*.gz --topics-file topics.xml --docs docs.jsonl --method C --p 0.8
  cranfield judge serve task
  cranfield judge export task qrels -o qrels.txt
"""
)
def command() -> None:
    """Collect relevance judgments in the browser: the most informative document comes next, and no judgment is lost.

    A task is a folder. `serve` prints a link for each person. The other commands read the folder, even while it is
    served, or change it while it is not.
    """


step = partial(derived, group=command)
"""Make a command of this group."""


@step(
    _FOLDER,
    runs_option("Runs whose documents are judged: files, folders and globs."),
    option("--topics-file FILE", FileRead, "Texts of the topics.", name="about"),
    option("--docs FILE", FileRead,
           "Texts of the documents, for reading and searching: JSON lines (with all fields and "
           "images), TREC's SGML, CSV, TSV, Parquet, or a folder.", name="documents"),
    option("--method NAME", str,
           "Method that chooses documents: C, A, depth, pool, random ... (a wrong name lists all).", "C"),
    option("-m --measure MEASURE", str, "A weighted sum over ranks. [default: RBP with --p]"),
    option("--p P", Level, "Persistence of RBP. [default: 0.8]"),
    option("--scale GRADES", str, "Grades: 0-3, or 0=no,1=perhaps,2=yes.", "0-1"),
    option("--guidelines FILE", FileRead, "Guidelines for assessors, in Markdown."),
    option("--reason-from GRADE", NotNegative, "Require a reason from this grade on."),
    option("--title TEXT", str, "Title of the task. [default: the folder's name]"),
    option("--per-document N", Count, "Number of people who judge each document.", 1),
    option("--twice SHARE", _PART, "Share of the documents judged by two people.", 0),
    option("--audit SHARE", _PART,
           "Share of the judgments spent on randomly drawn documents, which bound what is missed.", 0),
    option("--lease MINUTES", Positive, "Time for which a document is reserved for one person.", 30),
    option("--budget N", Count, "Most judgments to make. [default: no limit]"),
    option("--stop RULE", str,
           "Stopping rule: LeaderAbove, LeaderKnown, FewRelevantLeft(10), ResidualBelow(0.05) ... "
           "[default: LeaderAbove]", multiple=True),
    option("--organiser NAME", str, "Name of the organiser.", "organiser"),
    option("--assessor NAME", str, "Name of an assessor; more can be added later.", name="assessors", multiple=True),
    seed("Seed of random choices."),
    QUIET,
    conditions("order", "depth", "comments"),
    cls=WithRuns,
    examples="""
  cranfield judge new task --runs runs/*.gz --topics-file topics.xml --docs docs.jsonl --method C --p 0.8
  cranfield judge new task --runs a.run b.run --scale "0=no,1=perhaps,2=yes" --assessor Ann --assessor Ben
""",
)  # fmt: skip
def new(
    call: Call, folder: str, about: str | None, documents: str | None, guidelines: str | None, title: str | None,
    assessors: tuple[str, ...], stop: tuple[str, ...], quiet: bool,
) -> None:  # fmt: skip
    """Make a judging task of runs.

    FOLDER must be new or empty. Runs, topics and texts are copied into it: it needs nothing else from then on.
    """
    from cranfield.app.judging.task_folder import begun, texts_in
    from cranfield.formats.loading import load
    from cranfield.formats.topic_files import read_topics
    from cranfield.plumbing.escaping import printable, storable
    from cranfield.selection.candidates import Candidates
    from cranfield.selection.plan import measure_named

    candidates = call(Candidates.gather)
    office = begun(
        Path(folder),
        candidates,
        {} if about is None else read_topics(about),
        () if documents is None else texts_in(documents),
        title=title or storable(Path(folder).resolve().name),
        guidelines="" if guidelines is None else load(guidelines).text,
        measure=call(measure_named),
        assessors=assessors,
        stop=[*stop] or ["LeaderAbove"],
        **call.only(*_FIXED),
    )
    office.desk.close()
    of = f"{counted(len(candidates.topics), 'topic')} and {counted(len(candidates.runs), 'run')}"
    say(
        f"made {printable(folder)}: {counted(len(candidates), 'document')} of {of} to judge",
        f"next: cranfield judge serve {printable(quote(folder))}",
        quiet=quiet,
    )


@step(
    _FOLDER,
    option("--host ADDRESS", str,
           "Address to listen on. Beyond this machine the traffic is not encrypted: put a proxy with TLS in "
           "front instead.", HOST),
    option("--name HOST", str,
           "Host name of the server besides localhost, such as a proxy's; links use "
           "the first one.", name="names", multiple=True),
    _PORT,
    _NO_BROWSER,
    QUIET,
    examples="""
  cranfield judge serve task
  cranfield judge serve task --name judge.example.org --no-browser
""",
)  # fmt: skip
def serve(folder: str, host: str, names: tuple[str, ...], port: int, no_browser: bool, quiet: bool) -> None:
    """Serve a task, and print a link for each person.

    Who has come in already needs no link. A link is good once, in one browser; the organiser's page makes new ones.
    Ctrl-C ends the server.
    """
    from cranfield.cli.explore import listening

    with listening(port, host, extra="judge") as door:
        at = f"http://{host if host not in _EVERY else HOST}:{door.getsockname()[1]}"
        with office_of(folder, f"https://{names[0]}" if names else at) as office:
            _serve(office, door, at, (host, *names), no_browser=no_browser, quiet=quiet)


def _serve(office: Office, door: Any, at: str, names: tuple[str, ...], *, no_browser: bool, quiet: bool) -> None:
    from cranfield.app.judging.serving import application_of
    from cranfield.app.server import serve as serving

    people = [each for each in office.desk.board.people.values() if each.active]
    entered = office.desk.store.entered()
    say(*(f"warning: {each}" for each in office.desk.warnings()), quiet=False)
    say(f"ready at {at} (Ctrl-C ends it)", quiet=quiet)
    opening = None
    for person in people:
        if person.role == "organiser" or (person.name not in entered and not person.program):
            link = office.link(person.name).link
            if person.role == "organiser" and opening is None and not no_browser:
                opening = link
            say(f"  {person.name}, {person.role}: {link}", quiet=False)
    if opening is not None:
        click.launch(opening)
    serving(application_of(office, names), door, starting=lambda: None, ending=lambda: None)


@step(_PORT, _NO_BROWSER, option("--keep FOLDER", click.Path(), "Keep the task in this folder, to go on with."), QUIET)
def demo(port: int, no_browser: bool, keep: str | None, quiet: bool) -> None:
    """Judge a small collection with texts at once.

    Its documents are docstrings of Python. It has four rankers, an organiser and two assessors.
    """
    import tempfile

    from cranfield.cli.explore import listening

    with listening(port, HOST, extra="judge") as door, tempfile.TemporaryDirectory(prefix="cranfield-judge-") as aside:
        at = f"http://{HOST}:{door.getsockname()[1]}"
        folder = Path(aside, "task") if keep is None else Path(keep)
        if not (keep is not None and (folder / "judging.sqlite").exists()):
            demonstrated(folder).desk.close()
        with office_of(folder, at) as office:
            _serve(office, door, at, (), no_browser=no_browser, quiet=quiet)


GUIDELINES: Final = """\
# Which docstring answers the question?

- **2, answers**: somebody who asks this need not read on.
- **1, helps**: it says part of it, or leads there.
- **0, does neither**, though words may be the same.

Judge what the docstring *says*, not whether its name looks right.
"""


def demonstrated(folder: Path) -> Office:
    """Make a task of the demonstration's collection."""
    from cranfield.app.judging.task_folder import begun, texts_of
    from cranfield.demonstration import demonstration
    from cranfield.formats.topic_files import Topic
    from cranfield.selection.candidates import Candidates

    made = demonstration()
    return begun(
        folder,
        Candidates.gather(made.runs),
        {topic: Topic(text) for topic, text in made.topics.items()},
        texts_of(made.documents),
        title="Docstrings that answer",
        scale="0=does neither,1=helps,2=answers",
        organiser="organiser",
        assessors=("Ann", "Ben"),
        guidelines=GUIDELINES,
        measure="RBP(p=0.8)",
        method="C",
        stop=["LeaderAbove"],
    )


@step(
    _FOLDER,
    argument("what", click.Choice(EXPORT_NAMES)),
    option("--pseudonyms", bool, "Replace names by assessor-1, assessor-2, ..., also in texts."),
    _TO_FILE,
    examples="""
  cranfield judge export task qrels -o qrels.txt
  cranfield judge export task judgments --pseudonyms -o judgments.csv
  cranfield judge export task log -o log.jsonl
""",
)
def export(folder: str, what: str, pseudonyms: bool, output: str | None) -> None:
    """Write what was judged to a file.

    It may be done at any moment, also while the task is served.

    qrels by the task's policy, or by another one; qrels-assessors has a line for each assessor of a document, named
    in the second column, with the last grade that they gave; judgments holds every field of each judgment, spans the
    passages that were selected, preferences which of two lists was better, pool the documents judged or at hand, log
    every event.
    """
    from cranfield.app.judging.exporting import exported, left_out
    from cranfield.plumbing.escaping import printable

    with office_of(folder, writing=False) as office:
        content = exported(office.desk, what, pseudonyms=pseudonyms).content
        open_ = left_out(office.desk, what, pseudonyms=pseudonyms)
    _write(content, output)
    if open_ is not None:
        said = f"{counted(len(open_.documents), 'document has', 'documents have')} no grade and"
        is_, all_ = ("is", "it") if len(open_.documents) == 1 else ("are", "them")
        them = all_ if open_.unsettled == len(open_.documents) else f"the {open_.unsettled} that nobody settled"
        settle = (
            f"let {' or '.join(open_.organisers)} settle {them} (`cranfield judge serve {quote(folder)}`, page Settle)"
            + ", and export qrels" * (what not in {"qrels", "qrels-adjudicated"})
        )
        ways = [settle] * bool(open_.unsettled) + ["export " + " or ".join(open_.others)]
        graded = "; ".join([*open_.documents[:_MOST_NAMED], "..."][: len(open_.documents)])
        say(f"warning: {said} {is_} left out ({printable(graded)}): {printable(', or '.join(ways))}", quiet=False)


@step(
    _FOLDER,
    argument("file", FileRead, "FILE"),
    option("--by NAME", str, "Assessor, if the file names none."),
    option("--docs", bool, "FILE holds texts of documents, new or corrected.", name="documents"),
    QUIET,
    name="import",
    examples="""
  cranfield judge import task t7.jsonl
  cranfield judge import task qrels.txt --by NIST
  cranfield judge import task book.csv
""",
)
def import_(folder: str, file: str, by: str | None, documents: bool, quiet: bool) -> None:
    """Take judgments that were made elsewhere.

    It takes all of FILE or nothing, and nothing twice. Nobody may serve the task meanwhile.

    FILE is what a sheet gave back, or a log (JSON lines); qrels, whose second column says who judged; or a book of
    Quepid's (CSV: query, docid, and a column of ratings a person).
    """
    from cranfield.app.judging.importing import imported
    from cranfield.app.judging.task_folder import texts_in
    from cranfield.formats.loading import load

    with office_of(folder) as office:
        if documents:
            count = office.desk.store.put_documents(texts_in(file))
            say(f"kept {count:,} texts", quiet=quiet)
            return
        found = imported(office.desk, load(file).text, file, by=by)
    say(f"{found.taken:,} taken, {found.known:,} known already", quiet=quiet)


@step(_FOLDER, arguments("logs", FileRead, "LOG..."), QUIET, examples="  cranfield judge merge task other-office.jsonl")
def merge(folder: str, logs: tuple[str, ...], quiet: bool) -> None:
    """Take the events of other offices' logs into a task.

    The logs are those of `export log`. Each event is taken once. Nobody may serve the task meanwhile. People, and by
    what documents are chosen, stay as they are here.
    """
    from cranfield.app.judging.importing import merged
    from cranfield.formats.loading import load

    with office_of(folder) as office:
        found = merged(office.desk, [(each, load(each).text) for each in logs])
    say(f"{found.taken:,} events taken, {found.known:,} known already", quiet=quiet)


@step(
    _FOLDER,
    runs_option("Late runs: files, folders and globs."),
    QUIET,
    conditions("order", "depth", "comments"),
    cls=WithRuns,
    examples="""
  cranfield judge add task --runs late.run
  cranfield judge add task --runs late/*.gz --order file
""",
)
def add(call: Call, folder: str, quiet: bool) -> None:
    """Let RUNS join a task that nobody is serving: all of them or none.

    Their documents can be judged from now on. What is judged already counts for them, and no judgment changes. Read
    them as the others were read: by the same --order and --depth.
    """
    from cranfield.app.judging.organising import add_runs
    from cranfield.plumbing.escaping import printable
    from cranfield.plumbing.wording import named
    from cranfield.selection.candidates import Candidates

    with office_of(folder) as office:
        joined = add_runs(office.desk, call(Candidates.gather))
    said = f"added {counted(len(joined.runs), 'run')}: {counted(joined.documents, 'document')} that no other run has"
    say(said, quiet=quiet)
    if joined.left_out:
        say(f"warning: left out, not topics of this task: {printable(named(joined.left_out))}", quiet=False)


@step(_FOLDER, argument("copy", click.Path(), "COPY"), QUIET, examples="  cranfield judge backup task task-monday")
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


@step(_FOLDER, presented(), examples="  cranfield judge status task")
def status(folder: str, to: Destination) -> None:
    """Print how judging goes, and how sure scores are.

    It may be done while the task is served. The last lines say whether it is enough, by each rule of the task.
    """
    from cranfield.app.judging.task_board import Person
    from cranfield.app.judging.task_status import known, status

    with office_of(folder, writing=False) as office:
        desk = office.desk
        present_with_caption(found := known(desk.board), to)
        to.say(*found.remarks(), *_said(status(desk, Person("", "observer"))))


def _said(shown: StatusShown) -> list[str]:
    """Say how judging goes, in a few lines."""
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
        agreed = f"{percent(same.share or 0.0)} agreed"
        lines.append(f"judged by several: {counted(same.documents, 'document')}, {agreed}{kappa}{alpha}")
    if shown.unsettled:
        lines.append(f"to settle: {counted(shown.unsettled, 'document')}")
    return lines + [f"warning: {each}" for each in shown.warnings]


@step(
    _FOLDER,
    argument("qrels", FileRead, "QRELS"),
    option("--judgments N", Count, "Number of judgments to make. [default: all]"),
    _TO_FILE,
    QUIET,
    examples="  cranfield judge simulate task qrels.txt --judgments 500",
)
def simulate(folder: str, qrels: str, judgments: int | None, output: str | None, quiet: bool) -> None:
    """Rehearse a task: judge a copy of it by qrels.

    Prints topic, document and grade in the order in which they came up. The task itself stays as it is. Where nothing
    else is arranged, these are the documents of `cranfield experiment judging`, in its order.
    """
    import tempfile

    from cranfield.app.judging.importing import simulated
    from cranfield.app.judging.store import Store
    from cranfield.app.judging.task_status import known

    with tempfile.TemporaryDirectory(prefix="cranfield-judge-") as temporary:
        copy = Path(temporary, "task")
        with Store(folder, writing=False) as store:
            store.backup(copy)
        with office_of(copy) as office:
            made = simulated(office.desk, qrels, judgments)
            found = known(office.desk.board)
    _write("".join(f"{topic} {document} {grade:g}\n" for topic, document, grade in made), output)
    say(found.caption(), *found.remarks(), quiet=quiet)


@step(
    _FOLDER,
    option("--topic TOPIC", str, "Topic of the sheet.", required=True),
    option(
        "--assessor NAME", str,
        f"Assessor, for whom the documents are reserved for {_SHEET_DAYS} days. The task must not be served meanwhile.",
    ),
    option("--count N", Count, "Number of documents, the most useful first. [default: all open ones]"),
    option("-o --output FILE.html", FileWritten, "Output file of the page.", required=True),
    QUIET,
    examples="""
  cranfield judge sheet task --topic 7 -o t7.html
  cranfield judge sheet task --topic 7 --assessor Ann --count 50 -o t7-ann.html
  cranfield judge import task t7-ann.jsonl
""",
)  # fmt: skip
def sheet(folder: str, topic: str, assessor: str | None, count: int | None, output: str, quiet: bool) -> None:
    """Write a page to judge a topic without a server.

    Send it by mail. It keeps its judgments in the browser, and gives them back as JSON lines, for `cranfield judge
    import`. The order of the documents tells nothing of what is expected of them.
    """
    from cranfield.app.judging.sheets import on_sheet
    from cranfield.app.judging.sheets import sheet as page

    with office_of(folder, writing=assessor is not None) as office:
        task, documents = on_sheet(office.desk, topic, assessor, count, days=_SHEET_DAYS)
        html = page(task, topic, documents, assessor=assessor or "")
    _write(html, output)
    say(f"{len(documents):,} documents of topic {topic} are on the sheet", quiet=quiet)


def _write(text: str | bytes, output: str | None) -> None:
    write(text, Destination("text", None if output == "-" else output, quiet=True))
