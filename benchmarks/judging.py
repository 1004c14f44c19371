"""``python -m benchmarks.judging DATA``: how long do fifty assessors wait, from the key to the next document?

DATA is a folder with ``qrels.txt`` and ``runs``, such as TREC-COVID's first round. A task of all runs with
made texts is served on this machine; so many programs judge by the qrels, each answering two seconds after it has a
document. What is timed is what a page would wait for that fetched nothing ahead: the judgment, the next
document, and its text. Then the same without any pause, which tells how many judgments a second the server takes.
"""

from __future__ import annotations

import json
import random
import tempfile
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import click
import numpy as np
from tools.judging_desk import free_port, served, works

from cranfield.app.judging.reading import digest
from cranfield.app.judging.store import Image, KeptText
from cranfield.app.judging.task import Task, scale_of, topics_of
from cranfield.app.judging.task_folder import make
from cranfield.formats import read_qrels
from cranfield.selection.candidates import Candidates

WORDS = 200
"""How many words a made text has."""


class Assessor(threading.Thread):
    """Judges by the qrels, with a pause before each judgment."""

    def __init__(self, port: int, token: str, grades: dict[tuple[str, str], float], pause: float, until: float) -> None:
        super().__init__(daemon=True)
        self.way, self.token, self.grades = HTTPConnection("127.0.0.1", port, timeout=60), token, grades
        self.pause, self.until = pause, until
        self.waited: list[float] = []

    def ask(self, method: str, path: str, given: object = None) -> dict[str, Any]:
        """Ask the server."""
        headers = {"Authorization": f"Bearer {self.token}"}
        self.way.request(method, path, None if given is None else json.dumps(given), headers)
        found: dict[str, Any] = json.loads(self.way.getresponse().read())
        return found

    def run(self) -> None:
        """Judge until time is over."""
        time.sleep(random.random() * self.pause)  # noqa: S311 - nobody begins at the same moment
        of = self._next()
        while of and time.monotonic() < self.until:
            time.sleep(self.pause)
            pressed = time.monotonic()
            grade = max(self.grades.get((of["topic"], of["document"]), 0.0), 0.0)
            given = {"topic": of["topic"], "document": of["document"], "grade": grade, "key": of["lease"]}
            self.ask("POST", "/api/judge", given | {"by": "program", "seconds": self.pause})
            of = self._next()
            self.waited.append(time.monotonic() - pressed)
        self.way.close()

    def _next(self) -> dict[str, str]:
        documents = self.ask("POST", "/api/next", {"n": 1})["documents"]
        if not documents:
            return {}
        of: dict[str, str] = documents[0]
        self.ask("GET", f"/api/document?{urlencode({'topic': of['topic'], 'document': of['document']})}")
        return of


def made(candidates: Candidates) -> Iterator[tuple[KeptText, list[Image]]]:
    """Make a text of each document."""
    vocabulary = [f"word{n}" for n in range(5_000)]
    drawn = random.Random(7)  # noqa: S311
    for name in candidates.document.unique().sort():
        text = " ".join(drawn.choices(vocabulary, k=WORDS))
        yield KeptText(name, name, text, {}, digest(name, text, {})), []


@click.command()
@click.argument("data", type=click.Path(exists=True, path_type=Path))
@click.option("--assessors", default=50, show_default=True, help="How many judge at the same time.")
@click.option("--seconds", default=60.0, show_default=True, help="For how long, each time.")
@click.option("--pause", default=2.0, show_default=True, help="Seconds from a document to its judgment.")
def main(data: Path, assessors: int, seconds: float, pause: float) -> None:
    """Measure, and print a line each."""
    candidates = Candidates.gather([str(data / "runs")])
    grades = {(topic, name): float(grade) for topic, name, grade in read_qrels(data / "qrels.txt").iter_rows()}
    top = int(max(1, *grades.values()))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "task")
        task = Task("bench", "Benchmark", scale_of(f"0-{top}"), topics_of(candidates, {}))
        make(folder, task, candidates, made(candidates), fresh="b0", now=time.time(), organiser="Olga")
        at = works(folder)
        at.clock.now = time.time()
        tokens = [at.office.door.token(at.person(f"p{n}", "program").name) for n in range(assessors)]
        at.desk.close()
        port = free_port()
        with served(folder, port) as server:
            click.echo(f"{len(candidates.runs)} runs, {len(candidates):,} documents of {len(candidates.topics)} topics")
            for each in (pause, 0.0):
                used, began = cpu(server.pid), time.monotonic()
                at_work = [Assessor(port, token, grades, each, began + seconds) for token in tokens]
                for assessor in at_work:
                    assessor.start()
                for assessor in at_work:
                    assessor.join()
                waited = np.array([wait for assessor in at_work for wait in assessor.waited]) * 1_000
                taken = time.monotonic() - began
                half, most = np.percentile(waited, [50, 95])
                spent = (cpu(server.pid) - used) / len(waited) * 1_000
                click.echo(
                    f"{assessors} assessors, pause {each:g} s: {len(waited)} judgments, {len(waited) / taken:.0f} a "
                    f"second; key to next document {half:.0f} ms (median), {most:.0f} ms (95%), {waited.max():.0f} ms "
                    f"(longest); {spent:.1f} ms of CPU time each"
                )


def cpu(process: int) -> float:
    """Return the seconds of CPU time that a process has used."""
    parts = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / 100


if __name__ == "__main__":
    main()
