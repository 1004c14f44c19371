"""The commands that begin judging: a new task, its server, and a demonstration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import click

from cranfield.cli._files import Command, FileRead, RunsRead
from cranfield.cli._options import conditions, declared, seed
from cranfield.cli._output import quietly, say
from cranfield.plumbing.options import Count, Level, NotNegative, Positive, Range

if TYPE_CHECKING:
    from pathlib import Path

    from cranfield.app.judging.routes import Office

HOST: Final = "127.0.0.1"
PORT: Final = 8018
PART: Final = Annotated[float, Range(at_least=0, at_most=1)]
EVERY: Final = ("", "0.0.0.0", "::")  # noqa: S104 - to be told from one address
FOLDER = click.argument("folder", metavar="FOLDER", type=click.Path())


class WithRuns(Command):
    """A command whose option ``--runs`` takes all that follows it, up to the next option."""

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


@click.command(
    "new",
    cls=WithRuns,
    epilog="""\b
Examples:
  cranfield judge new task --runs runs/*.gz --topics-file topics.xml --docs docs.jsonl --method C --p 0.8
  cranfield judge new task --runs a.run b.run --scale "0=no,1=perhaps,2=yes" --assessor Ann --assessor Ben
""",
)
@FOLDER
@click.option(
    "--runs", "runs", required=True, multiple=True, type=RunsRead(), metavar="[NAME=]RUN...",
    help="Runs whose documents are judged: files, folders and globs.",
)  # fmt: skip
@click.option("--topics-file", "about", metavar="FILE", type=FileRead(), help="Texts of the topics.")
@click.option(
    "--docs", "documents", metavar="FILE", type=FileRead(),
    help="Texts of the documents, to be read and searched: JSON lines (with all fields and images), TREC's SGML, CSV, "
    "TSV, Parquet, or a folder.",
)  # fmt: skip
@click.option("--method", default="C", show_default=True, metavar="NAME",
              help="How documents are chosen: C, A, depth, pool, random ... (a wrong name lists all).")  # fmt: skip
@click.option("-m", "--measure", metavar="MEASURE", help="A weighted sum over ranks. [default: RBP with --p]")
@declared(Level, "--p", metavar="P", meaning="Persistence of RBP. [default: 0.8]")
@click.option(
    "--scale", default="0-1", show_default=True, metavar="GRADES", help="Grades: 0-3, or 0=no,1=perhaps,2=yes."
)
@click.option("--guidelines", metavar="FILE", type=FileRead(), help="What assessors are told, as Markdown.")
@declared(NotNegative, "--reason-from", metavar="GRADE", meaning="Require a reason from this grade on.")
@click.option("--title", metavar="TEXT", help="What the task is called. [default: as its folder]")
@declared(Count, "--per-document", default=1, metavar="N", meaning="How many people judge each document.")
@declared(PART, "--twice", metavar="SHARE", default=0, meaning="Share of the documents that two people judge.")
@declared(
    PART, "--audit", metavar="SHARE", default=0,
    meaning="Share of the judgments that is spent on documents drawn at random: they bound what is missed.",
)  # fmt: skip
@declared(Positive, "--lease", default=30, metavar="MINUTES", meaning="For how long a document is somebody's.")
@declared(Count, "--budget", metavar="N", meaning="How many judgments may be made. [default: no end]")
@click.option(
    "--stop", multiple=True, metavar="RULE",
    help="When it is enough: LeaderAbove, LeaderKnown, FewRelevantLeft(10), ResidualBelow(0.05) ... [default: "
    "LeaderAbove]",
)  # fmt: skip
@click.option("--organiser", default="organiser", show_default=True, metavar="NAME", help="Who organises it.")
@click.option("--assessor", "assessors", multiple=True, metavar="NAME", help="Who judges; more can be added later.")
@seed("Seed of random choices.")
@quietly
@conditions("order", "depth", "comments")
def new(folder: str, quiet: bool, **given: Any) -> None:
    """Make a judging task of runs.

    FOLDER must be new or empty. Runs, topics and texts are copied into it: it needs nothing else from then on.
    """
    from pathlib import Path

    from cranfield.app.judging.opening import begun, texts_in
    from cranfield.formats.loading import load
    from cranfield.formats.topic_files import read_topics
    from cranfield.plumbing.escaping import printable
    from cranfield.selection.candidates import Candidates
    from cranfield.selection.plan import measure_named

    reading = {name: given[name] for name in ("order", "depth", "comments")}
    candidates = Candidates.gather(list(given["runs"]), **reading)
    about = {} if given["about"] is None else read_topics(given["about"])
    office = begun(
        Path(folder),
        candidates,
        about,
        () if given["documents"] is None else texts_in(given["documents"]),
        title=given["title"] or Path(folder).resolve().name,
        scale=given["scale"],
        organiser=given["organiser"],
        assessors=given["assessors"],
        guidelines="" if given["guidelines"] is None else load(given["guidelines"]).text,
        reason_from=given["reason_from"],
        method=given["method"],
        measure=measure_named(given["measure"], given["p"]),
        seed=given["seed"],
        per_document=given["per_document"],
        twice=given["twice"],
        audit=given["audit"],
        lease=given["lease"],
        budget=given["budget"],
        stop=[*given["stop"]] or ["LeaderAbove"],
    )
    topics, documents = len(candidates.topics), len(candidates)
    office.desk.close()
    where = printable(folder)
    say(
        f"made {where}: {documents:,} documents of {topics:,} topics and {len(candidates.runs):,} runs to judge",
        f"next: cranfield judge serve {where}",
        quiet=quiet,
    )


_PORT = click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    help="Port to listen on; 0 is any one.",
)
_NO_BROWSER = click.option("--no-browser", is_flag=True, help="Do not open the browser.")


@click.command(
    "serve",
    cls=Command,
    epilog="""\b
Examples:
  cranfield judge serve task
  cranfield judge serve task --name judge.example.org --no-browser
""",
)
@FOLDER
@click.option(
    "--host", default=HOST, show_default=True, metavar="ADDRESS",
    help="Address to listen on. Any other than this machine's own is open to the network, without encryption: put a "
    "proxy with TLS in front instead.",
)  # fmt: skip
@click.option(
    "--name", "names", multiple=True, metavar="HOST",
    help="By which name the server may be called besides localhost, as a proxy in front of it is: links are made of "
    "the first one.",
)  # fmt: skip
@_PORT
@_NO_BROWSER
@quietly
def serve(folder: str, host: str, names: tuple[str, ...], port: int, no_browser: bool, quiet: bool) -> None:
    """Serve a task, and print a link for each person.

    Who has come in already needs no link. A link is good once, in one browser; the organiser's page makes new ones.
    Ctrl-C ends the server.
    """
    from cranfield.app.judging.opening import opened
    from cranfield.cli.explore import listening
    from cranfield.formats.optional import library

    library("uvicorn", extra="judge")
    with listening(port, host) as door:
        at = f"http://{host if host not in EVERY else HOST}:{door.getsockname()[1]}"
        office = opened(folder, f"https://{names[0]}" if names else at)
        try:
            _serve(office, door, at, (host, *names), no_browser=no_browser, quiet=quiet)
        finally:
            office.desk.close()


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


@click.command("demo", cls=Command)
@_PORT
@_NO_BROWSER
@click.option("--keep", metavar="FOLDER", type=click.Path(), help="Keep the task there, to go on with.")
@quietly
def demo(port: int, no_browser: bool, keep: str | None, quiet: bool) -> None:
    """Judge a small collection with texts at once.

    Its documents are docstrings of Python. It has four rankers, an organiser and two assessors.
    """
    import tempfile
    from pathlib import Path

    from cranfield.app.judging.opening import opened
    from cranfield.cli.explore import listening
    from cranfield.formats.optional import library

    library("uvicorn", extra="judge")
    with listening(port, HOST) as door, tempfile.TemporaryDirectory(prefix="cranfield-judge-") as temporary:
        at = f"http://{HOST}:{door.getsockname()[1]}"
        folder = Path(temporary, "task") if keep is None else Path(keep)
        if not (keep is not None and (folder / "judging.sqlite").exists()):
            demonstrated(folder).desk.close()
        office = opened(folder, at)
        try:
            _serve(office, door, at, (), no_browser=no_browser, quiet=quiet)
        finally:
            office.desk.close()


GUIDELINES: Final = """\
# Which docstring answers the question?

- **2, answers**: somebody who asks this need not read on.
- **1, helps**: it says part of it, or leads there.
- **0, does neither**, though words may be the same.

Judge what the docstring *says*, not whether its name looks right.
"""


def demonstrated(folder: Path) -> Office:
    """Make a task of the demonstration's collection."""
    from cranfield.app.judging.opening import begun, texts_of
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


COMMANDS = (new, serve, demo)
