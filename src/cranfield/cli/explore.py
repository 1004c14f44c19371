"""``cranfield explore`` (look): explore runs, topics and documents in the browser."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any, Unpack

import click

from cranfield.cli._files import SELF, Command, FileRead
from cranfield.cli._options import conditions, measures_asked, measures_from, qrels_and_runs
from cranfield.cli._output import Progress, quietly, say
from cranfield.plumbing.errors import InputError

if TYPE_CHECKING:
    from socket import socket

    from cranfield.app.explorer.questions.explored import Explored
    from cranfield.judged.conditions import Asked

MEASURES = ("nDCG@10", "AP", "RR", "RBP(p=0.8)", "Twist")
HOST = "127.0.0.1"
PORT = 8017


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  cranfield explore --demo
  cranfield explore qrels.txt runs/*.gz -m nDCG@10 --docs docs.jsonl.gz --topics-file topics.xml
""",
)
@qrels_and_runs(required=False)
@measures_asked(", ".join(MEASURES))
@click.option("--demo", is_flag=True, help="Explore a small collection with texts, which needs no files.")
@click.option(
    "--docs", "documents", metavar="FILE", type=FileRead(),
    help="Texts of the documents: JSON lines, TREC's SGML, CSV, TSV, Parquet, or a folder.",
)  # fmt: skip
@click.option("--topics-file", "about", metavar="FILE", type=FileRead(), help="Texts of the topics.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    help="Port to listen on; 0 is any free port.",
)
@click.option(
    "--host", default=HOST, show_default=True, metavar="ADDRESS",
    help="Address to listen on, such as 0.0.0.0 in a container that publishes the port to its own machine.",
)  # fmt: skip
@click.option("--no-browser", is_flag=True, help="Do not open the browser.")
@click.option(
    "--no-token",
    is_flag=True,
    help="Answer without a token: whoever can reach the port, every user of this machine, reads all that is shown.",
)
@quietly
@conditions("rel", "depth", "order", "topics", "missing", "comments", "repeated", "subtopics", "exclude", "residual")
@measures_from
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    demo: bool,
    documents: str | None,
    about: str | None,
    port: int,
    host: str,
    no_browser: bool,
    no_token: bool,
    quiet: bool,
    **conditions: Unpack[Asked],
) -> None:
    """Explore RUNS in the browser: lists next to each other, curves, and what changes would do.

    Only this machine can open the page, at the address that is printed, as 127.0.0.1 or localhost. It uses no network.
    Ctrl-C ends it.
    """
    from threading import Thread

    from cranfield.formats.optional import library

    library("uvicorn", extra="app")
    if no_token and host != HOST:
        raise InputError(f"--no-token answers whoever reaches the port; it goes with --host {HOST} alone")
    with listening(port, host) as door:

        def read() -> Explored:
            if demo:
                return _demonstrated(measures)
            return _explored(qrels, runs, measures, documents, about, dict(conditions))

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


def listening(port: int, host: str) -> socket:
    """Open the door before anything is read: whoever knocks while files are read has to wait, no more."""
    from os import strerror
    from socket import AF_INET, IPPROTO_TCP, SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, socket

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
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    documents: str | None,
    topics_file: str | None,
    asked: dict[str, Any],
) -> Explored:
    from cranfield.app.explorer.questions.explored import Explored
    from cranfield.app.originals import Originals
    from cranfield.formats import files_of
    from cranfield.formats.documents import read_documents
    from cranfield.formats.topic_files import read_topics
    from cranfield.scoring.judged_runs import join

    if qrels is None or not runs:
        raise InputError("name QRELS and RUNS, or look around with --demo")
    read = [qrels, *files_of(runs), *(each for each in (documents, topics_file) if each is not None)]
    if asked.get("exclude") not in (None, SELF):
        read.append(asked["exclude"])
    originals = Originals.of(read)
    topics = None if topics_file is None else read_topics(topics_file)
    with Progress("runs") as progress:
        joined = join(qrels, list(runs), bounds=True, progress=progress, **asked)
    texts = None if documents is None else read_documents(documents, only=joined.judgments.document)
    return Explored(joined, measures or MEASURES, texts, topics, originals)


def _demonstrated(measures: tuple[str, ...]) -> Explored:
    from cranfield.app.explorer.questions.explored import Explored
    from cranfield.demonstration import demonstration
    from cranfield.formats.topic_files import Topic
    from cranfield.scoring.judged_runs import join

    made = demonstration()
    topics = {topic: Topic(text) for topic, text in made.topics.items()}
    runs = join(made.qrels, made.runs, bounds=True)
    return Explored(runs, measures or MEASURES, made.documents, topics, demonstration=True)
