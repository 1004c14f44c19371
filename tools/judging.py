"""A judging task, served to browsers: a small made one, and the pictures that people look at.

``python -m tools.judging FOLDER`` takes a picture of every page into a folder: light and dark, wide and narrow.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.request import urlopen

from click.testing import CliRunner
from playwright.sync_api import ViewportSize, sync_playwright

from cranfield.cli import main
from tools.judging_desk import free_port
from tools.pages import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Page

COMMAND: Final = (sys.executable, "-m", "cranfield", "judge")
LINK: Final = re.compile(r"^ *(.+), (?:organiser|assessor|observer): (http\S+)$")
WIDTHS: Final = (1280, 390)


def commanded(*arguments: str | Path) -> str:
    """Run ``cranfield judge ...`` in this process; it must succeed."""
    done = CliRunner().invoke(main, ["judge", *map(str, arguments)])
    if done.exit_code:
        raise RuntimeError(done.output) from done.exception
    return done.stdout


def made(
    folder: Path,
    runs: Mapping[str, Mapping[str, Sequence[str]]],
    documents: Sequence[Mapping[str, Any]],
    topics: Mapping[str, str],
    *options: str,
    guidelines: str = "# How to judge\n\nRead the *whole* text.",
) -> Path:
    """Make a task of lists of documents, their texts and topics; return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    lists = {
        folder / f"{run}.run": "".join(
            f"{topic} Q0 {document} {rank} {1 / rank} {run}\n"
            for topic, found in by_topic.items()
            for rank, document in enumerate(found, 1)
        )
        for run, by_topic in runs.items()
    }
    for path, lines in lists.items():
        path.write_text(lines)
    texts, about, told = folder / "docs.jsonl", folder / "topics.tsv", folder / "guidelines.md"
    texts.write_text("".join(json.dumps(each) + "\n" for each in documents))
    about.write_text("".join(f"{topic}\t{title}\n" for topic, title in topics.items()))
    told.write_text(guidelines)
    task = folder / "task"
    commanded(
        "new", task, "--runs", *lists, "--topics-file", about, "--docs", texts, "--guidelines", told, "--scale",
        "0=Not relevant,1=Partly relevant,2=Highly relevant", "--assessor", "Ann", "--assessor", "Ben", *options,
    )  # fmt: skip
    return task


class Server:
    """A task that is served; it can be killed, and started again where it was."""

    def __init__(self, task: Path) -> None:
        self.task, self.port = task, free_port()
        self.links: dict[str, str] = {}
        self.start()

    @property
    def address(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [*COMMAND, "serve", str(self.task), "--port", str(self.port), "--no-browser"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)  # noqa: S603
        lines = iter(self.process.stderr) if self.process.stderr else iter(())
        for line in lines:
            if line.startswith("ready at"):
                break
        for _ in range(100):
            try:
                urlopen(f"http://127.0.0.1:{self.port}/enter").close()
                break
            except OSError:
                time.sleep(0.05)
        if not self.links:
            found = (LINK.match(line.rstrip("\n")) for line in (next(lines), next(lines), next(lines)))
            self.links = {each[1]: each[2] for each in found if each}

    def kill(self) -> None:
        """End it as a failure of the power would."""
        self.process.kill()
        self.process.communicate(timeout=20)

    def stop(self) -> None:
        """End it."""
        self.process.terminate()
        self.process.communicate(timeout=20)


@contextmanager
def serving(task: Path) -> Iterator[Server]:
    """Serve a task until the end of the block."""
    server = Server(task)
    try:
        yield server
    finally:
        server.stop()


class Windows:
    """Windows of one browser, each of somebody else; all that goes wrong in any of them is kept."""

    def __init__(self, served: str = "") -> None:
        self.served, self.wrong, self._playwright = served, list[str](), sync_playwright().start()
        self.browser = self._playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])

    def opened(self, width: int = 1280, *, dark: bool = False) -> Page:
        """Open a window."""
        size: ViewportSize = {"width": width, "height": 900}
        page = self.browser.new_context(viewport=size, color_scheme="dark" if dark else "light").new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda message: self.wrong.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("request", lambda asked: self._ours(asked.url))
        return page

    def _ours(self, url: str) -> None:
        if not url.startswith((self.served, "data:", "blob:", "file:")):
            self.wrong.append(f"asked for {url}")

    def of(self, server: Server, who: str, width: int = 1280, *, dark: bool = False) -> Page:
        """Open a window, and come in by somebody's link."""
        page = self.opened(width, dark=dark)
        page.goto(server.links[who])
        page.get_by_role("button", name="Begin").click()
        page.wait_for_selector("#bars tr" if who == "organiser" else "#paper:not([hidden])")
        return page

    def close(self) -> None:
        """Close them all."""
        self.browser.close()
        self._playwright.stop()


@contextmanager
def windows(served: str = "") -> Iterator[Windows]:
    """Open a browser; at the end nothing may have gone wrong, and nothing been asked of another machine."""
    found = Windows(served)
    try:
        yield found
        if found.wrong:
            raise AssertionError("; ".join(found.wrong))
    finally:
        found.close()


def shown(page: Page) -> str:
    """Return the id of the document that is shown."""
    return page.locator("#doc-id").inner_text() or page.locator("#doc-title").inner_text()


def ready(page: Page) -> bool:
    """Wait for a document, or for word that there is none; say whether there is one."""
    page.wait_for_function(
        "() => document.getElementById('paper')?.hidden === false || /left to judge|are judged|not answer/.test("
        "document.getElementById('nothing')?.textContent)"  # neither is there on the page before
    )
    return page.locator("#paper").is_visible()


def judged(page: Page, key: str) -> str:
    """Press a key that judges, and wait for the next document, or for the end; return what was judged."""
    before = shown(page)
    page.keyboard.press(key)
    page.wait_for_function(
        "before => document.getElementById('paper').hidden || document.getElementById('doc-id').textContent !== before",
        arg=before,
    )
    ready(page)
    return before


def demonstrated(folder: Path) -> Path:
    """Make a task of eight topics of the demonstration; return its folder."""
    from cranfield.demonstration import demonstration

    small = demonstration()
    few = list(small.topics)[:8]
    runs = {
        run: {topic: sorted(found[topic], key=found[topic].__getitem__, reverse=True)[:12] for topic in few}
        for run, found in small.runs.items()
    }
    documents = [{"_id": each.doc_id, "title": each.title, "text": each.text} for each in small.documents.values()]
    return made(
        folder, runs, documents, {topic: small.topics[topic] for topic in few}, "--title", "Docstrings",
        "--per-document", "2", "--reason-from", "2", "--budget", "200",
    )  # fmt: skip


def pictures(folder: Path) -> None:
    """Take a picture of every page."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        task = demonstrated(Path(temporary))
        sheet = Path(temporary, "sheet.html")
        commanded("sheet", task, "--topic", "1", "-o", sheet)
        with serving(task) as server, windows() as browser:
            ann, ben = browser.of(server, "Ann"), browser.of(server, "Ben")
            for each in (ann, ben):
                each.evaluate(
                    "() => { const now = performance.now.bind(performance); performance.now = () => 60 * now(); }"
                )
            for each, keys in ((ann, "0101001100"), (ben, "0001101100")):
                for key in keys:
                    judged(each, key)
            ann.keyboard.press(".")
            organiser = browser.of(server, "organiser")
            _for_the_documentation(ann, organiser, folder)
            cookies: Any = {"organiser": organiser.context.cookies(), "assessor": ann.context.cookies()}
            for width in WIDTHS:
                for dark in (False, True):
                    _of_width(browser, server, cookies, sheet, folder, width, dark)


def _for_the_documentation(ann: Page, organiser: Page, folder: Path) -> None:
    """Take the two pictures of docs/judge-pages.md."""
    ann.locator("#which").select_option("8")
    ready(ann)
    ann.keyboard.press("Escape")
    while len(ann.locator("#text").inner_text()) < 500:
        judged(ann, "0")
    for key in "..":
        ann.keyboard.press(key)
    for page, name in ((ann, "judge-page"), (organiser, "judge-organise")):
        page.set_viewport_size({"width": 1160, "height": 720})
        page.evaluate("scrollTo(0, 0)")
        page.wait_for_timeout(300)
        page.screenshot(path=folder / f"{name}.png")


def _of_width(
    browser: Windows, server: Server, cookies: Any, sheet: Path, folder: Path, width: int, dark: bool
) -> None:
    named = f"{width}-{'dark' if dark else 'light'}"
    for path, role in (
        ("/", "assessor"),
        ("/first", "assessor"),
        ("/pair", "assessor"),
        ("/settle", "organiser"),
        ("/organise", "organiser"),
    ):
        page = browser.opened(width, dark=dark)
        page.context.add_cookies(cookies[role])
        page.goto(server.address + path)
        page.wait_for_timeout(600)
        if path == "/":
            page.keyboard.press(".")
        page.screenshot(path=folder / f"{path.strip('/') or 'judge'}-{named}.png", full_page=path == "/organise")
        page.close()
    page = browser.opened(width, dark=dark)
    page.goto(sheet.as_uri())
    page.wait_for_timeout(300)
    page.screenshot(path=folder / f"sheet-{named}.png")
    page.close()


if __name__ == "__main__":
    pictures(Path(sys.argv[1]))
