"""``cranfield explore`` (look): explore runs, topics and documents in the browser."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import click

from cranfield.cli._derived import Call, Mode, derived
from cranfield.cli._files import FileRead
from cranfield.cli._options import MEASURES_FROM, conditions, measures_asked, option, qrels_and_runs
from cranfield.cli._output import QUIET, say
from cranfield.plumbing.errors import InputError

if TYPE_CHECKING:
    from socket import socket

    from cranfield.app.explorer.questions.explored import Explored

_MEASURES = ("nDCG@10", "AP", "RR", "RBP(p=0.8)", "Twist")
HOST = "127.0.0.1"
_PORT = 8017


@derived(
    qrels_and_runs(required=False),
    measures_asked(", ".join(_MEASURES)),
    option("--demo", bool, "Explore a small built-in collection; needs no files."),
    option("--docs FILE", FileRead,
           "Texts of the documents: JSON lines, TREC's SGML, CSV, TSV, Parquet, or a folder.", name="documents"),
    option("--topics-file FILE", FileRead, "Texts of the topics.", name="about"),
    option("--port", click.IntRange(0, 65535), "Port to listen on; 0 takes any free port.", _PORT),
    option("--host ADDRESS", str,
           "Address to listen on: 0.0.0.0, say, in a container that publishes the port to its host.", HOST),
    option("--no-browser", bool, "Do not open the browser."),
    option("--no-token", bool, "Answer without a token: every user of this machine can then read what is shown."),
    QUIET,
    conditions("rel", "depth", "order", "topics", "only", "missing", "comments", "repeated", "subtopics", "exclude",
               "residual"),
    MEASURES_FROM,
    modes=(
        Mode("--demo", "it has a collection of its own", ("qrels", "runs")),
        Mode("--host", f"without a token anybody who reaches the port could read; that is allowed on {HOST} only",
             ("no_token",)),
    ),
    examples="""
  cranfield explore --demo
  cranfield explore qrels.txt runs/*.gz -m nDCG@10 --docs docs.jsonl.gz --topics-file topics.xml
""",
)  # fmt: skip
def command(
    call: Call, measures: tuple[str, ...], demo: bool, port: int, host: str, no_browser: bool, no_token: bool,
    quiet: bool,
) -> None:  # fmt: skip
    """Explore RUNS in the browser: lists next to each other, curves, and what changes would do.

    Only this machine can open the page, at the printed address. It needs no network. Ctrl-C ends it.
    """
    from threading import Thread

    with listening(port, host, extra="app") as door:

        def read() -> Explored:
            return _demonstrated(measures) if demo else call(_explored, call)

        explored = read()
        from cranfield.app.explorer.answering import prepare
        from cranfield.app.explorer.serving import Explorer, application_of
        from cranfield.app.guard import TOKEN, Key
        from cranfield.app.server import serve

        explorer, key = Explorer(explored, read, apart=True), None if no_token else Key()
        gc.freeze()  # what was read stays to the end; looking for what could be given back would only delay answers
        where = f"http://{HOST}:{door.getsockname()[1]}"
        with_token = where if key is None else f"{where}/?{TOKEN}={key.token}"
        say(f"ready at {with_token} (Ctrl-C ends it)", quiet=quiet and not (key and no_browser))
        if not no_browser:
            click.launch(where if key is None else f"{where}/?{TOKEN}={key.once()}")
        Thread(target=prepare, daemon=True).start()  # the browser takes its time to come up
        serve(application_of(explorer, key), door, starting=explorer.begin, ending=explorer.end)


def listening(port: int, host: str, *, extra: str) -> socket:
    """Open the door before anything is read: whoever knocks while files are read has to wait, no more."""
    from os import strerror
    from socket import AF_INET, IPPROTO_TCP, SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, socket

    from cranfield.formats.optional import library

    library("uvicorn", extra=extra)
    # Said to be TCP's, so that answers are sent without delay: asyncio looks at that.
    door = socket(AF_INET, SOCK_STREAM, IPPROTO_TCP)
    try:
        door.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
        door.bind((host, port))
        door.listen()
    except OSError as error:
        door.close()
        why = (error.strerror or strerror(error.errno or 0)).lower()
        raise InputError(
            f"port {port} cannot be used ({why}); name another with --port, or 0 for any that is free"
        ) from None
    return door


def _explored(
    call: Call, qrels: str, runs: list[str], measures: list[str] | None, documents: str | None,
    about: str | None, exclude: str | None, only: str | None,
) -> Explored:  # fmt: skip
    from cranfield.app.explorer.questions.explored import Explored
    from cranfield.app.originals import Originals
    from cranfield.formats import files_of
    from cranfield.formats.documents import read_documents
    from cranfield.formats.topic_files import read_topics
    from cranfield.judged.conditions import files_asked
    from cranfield.scoring.judged_runs import join

    more = [documents, about, *files_asked({"exclude": exclude, "only": only}).values()]
    originals = Originals.of([qrels, *files_of(runs), *(file for file in more if file)])
    topics = None if about is None else read_topics(about)
    joined = call(join, bounds=True)
    texts = None if documents is None else read_documents(documents, only=joined.judgments.document)
    return Explored(joined, measures or _MEASURES, texts, topics, originals)


def _demonstrated(measures: tuple[str, ...]) -> Explored:
    from cranfield.app.explorer.questions.explored import Explored
    from cranfield.demonstration import demonstration
    from cranfield.formats.topic_files import Topic
    from cranfield.scoring.judged_runs import join

    made = demonstration()
    topics = {topic: Topic(text) for topic, text in made.topics.items()}
    runs = join(made.qrels, made.runs, bounds=True)
    return Explored(runs, measures or _MEASURES, made.documents, topics, demonstration=True)
