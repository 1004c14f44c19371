"""The commands that begin judging: a new task, its server, and a demonstration."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import click

from cranfield.cli._derived import Call, derived
from cranfield.cli._files import Command, FileRead, RunsRead
from cranfield.cli._options import argument, conditions, option, seed
from cranfield.cli._output import QUIET, say
from cranfield.plumbing.options import Count, Level, NotNegative, Positive, Range

if TYPE_CHECKING:
    from cranfield.app.judging.answering import Office

HOST: Final = "127.0.0.1"
PORT: Final = 8018
PART: Final = Annotated[float, Range(at_least=0, at_most=1)]
EVERY: Final = ("", "0.0.0.0", "::")  # noqa: S104 - to be told from one address
_FIXED: Final = (
    "scale", "organiser", "reason_from", "method", "seed", "per_document", "twice", "audit", "lease", "budget",
)  # fmt: skip
"""What is fixed about a task just as it is asked."""
FOLDER: Final = argument("folder", click.Path(), "FOLDER")
_PORT: Final = option("--port", click.IntRange(0, 65535), "Port to listen on; 0 is any one.", PORT)
_NO_BROWSER: Final = option("--no-browser", bool, "Do not open the browser.")


@contextmanager
def office_of(folder: str | Path, at: str = "", *, writing: bool = True) -> Iterator[Office]:
    """Open a judging task, and close it."""
    from cranfield.app.judging.opening import opened

    office = opened(folder, at, writing=writing)
    try:
        yield office
    finally:
        office.desk.close()


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


def runs_option(meaning: str) -> click.Option:
    """Make the option ``--runs`` of a `WithRuns`."""
    return option("--runs [NAME=]RUN...", RunsRead, meaning, required=True, multiple=True)


@derived(
    FOLDER,
    runs_option("Runs whose documents are judged: files, folders and globs."),
    option("--topics-file FILE", FileRead, "Texts of the topics.", name="about"),
    option("--docs FILE", FileRead,
           "Texts of the documents, to be read and searched: JSON lines (with all fields and images), TREC's SGML, "
           "CSV, TSV, Parquet, or a folder.", name="documents"),
    option("--method NAME", str,
           "How documents are chosen: C, A, depth, pool, random ... (a wrong name lists all).", "C"),
    option("-m --measure MEASURE", str, "A weighted sum over ranks. [default: RBP with --p]"),
    option("--p P", Level, "Persistence of RBP. [default: 0.8]"),
    option("--scale GRADES", str, "Grades: 0-3, or 0=no,1=perhaps,2=yes.", "0-1"),
    option("--guidelines FILE", FileRead, "What assessors are told, as Markdown."),
    option("--reason-from GRADE", NotNegative, "Require a reason from this grade on."),
    option("--title TEXT", str, "What the task is called. [default: as its folder]"),
    option("--per-document N", Count, "How many people judge each document.", 1),
    option("--twice SHARE", PART, "Share of the documents that two people judge.", 0),
    option("--audit SHARE", PART,
           "Share of the judgments that is spent on documents drawn at random: they bound what is missed.", 0),
    option("--lease MINUTES", Positive, "For how long a document is somebody's.", 30),
    option("--budget N", Count, "How many judgments may be made. [default: no end]"),
    option("--stop RULE", str,
           "When it is enough: LeaderAbove, LeaderKnown, FewRelevantLeft(10), ResidualBelow(0.05) ... [default: "
           "LeaderAbove]", multiple=True),
    option("--organiser NAME", str, "Who organises it.", "organiser"),
    option("--assessor NAME", str, "Who judges; more can be added later.", name="assessors", multiple=True),
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
    from cranfield.app.judging.making import texts_in
    from cranfield.app.judging.opening import begun
    from cranfield.formats.loading import load
    from cranfield.formats.topic_files import read_topics
    from cranfield.plumbing.escaping import printable
    from cranfield.selection.candidates import Candidates
    from cranfield.selection.plan import measure_named

    candidates = call(Candidates.gather)
    office = begun(
        Path(folder),
        candidates,
        {} if about is None else read_topics(about),
        () if documents is None else texts_in(documents),
        title=title or Path(folder).resolve().name,
        guidelines="" if guidelines is None else load(guidelines).text,
        measure=call(measure_named),
        assessors=assessors,
        stop=[*stop] or ["LeaderAbove"],
        **call.only(*_FIXED),
    )
    office.desk.close()
    where = printable(folder)
    say(
        f"made {where}: {len(candidates):,} documents of {len(candidates.topics):,} topics and "
        f"{len(candidates.runs):,} runs to judge",
        f"next: cranfield judge serve {where}",
        quiet=quiet,
    )


@derived(
    FOLDER,
    option("--host ADDRESS", str,
           "Address to listen on. Any other than this machine's own is open to the network, without encryption: put a "
           "proxy with TLS in front instead.", HOST),
    option("--name HOST", str,
           "By which name the server may be called besides localhost, as a proxy in front of it is: links are made of "
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
    from cranfield.formats.optional import library

    library("uvicorn", extra="judge")
    with listening(port, host) as door:
        at = f"http://{host if host not in EVERY else HOST}:{door.getsockname()[1]}"
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


@derived(
    _PORT,
    _NO_BROWSER,
    option("--keep FOLDER", click.Path(), "Keep the task there, to go on with."),
    QUIET,
)
def demo(port: int, no_browser: bool, keep: str | None, quiet: bool) -> None:
    """Judge a small collection with texts at once.

    Its documents are docstrings of Python. It has four rankers, an organiser and two assessors.
    """
    import tempfile

    from cranfield.cli.explore import listening
    from cranfield.formats.optional import library

    library("uvicorn", extra="judge")
    with listening(port, HOST) as door, tempfile.TemporaryDirectory(prefix="cranfield-judge-") as temporary:
        at = f"http://{HOST}:{door.getsockname()[1]}"
        folder = Path(temporary, "task") if keep is None else Path(keep)
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
    from cranfield.app.judging.making import texts_of
    from cranfield.app.judging.opening import begun
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
