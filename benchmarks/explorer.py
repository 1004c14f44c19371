"""``python -m benchmarks.explorer DATA``: how long one waits for the explorer, in a browser, with real runs.

DATA is a folder with folders of collections, each with ``qrels.txt`` and ``runs``. For each
collection the explorer is started as a person starts it, with ten measures; a browser opens its
pages, clicks, and drags documents. What is timed in the browser ends when all figures are drawn.
"""

from __future__ import annotations

import os
import statistics
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from tools.exploring import drawn, opened, serving, watching

from benchmarks.sections import PAGE, heading, processor, verdict, write_section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.sync_api import Page

COLLECTIONS: Final = {"dl19-passage": "qrels.txt", "trec8-adhoc": "qrels.txt", "covid-round1": "qrels.txt"}
MEASURES: Final = (
    "nDCG@10", "AP", "RR", "RBP(p=0.8)", "Twist", "P@10", "R@100", "ERR@20", "Bpref", "CRP@100",
)  # fmt: skip
DRAGS: Final = 50
CLICKS: Final = 20
STEPS: Final = 40
MANY: Final = 100
"""So many runs have twice the time for a step of a slider."""
PAUSE: Final = 250
"""Milliseconds between two drags; nobody is faster."""
WIDTH: Final = 1280
GOALS: Final = {
    "from the command to the first page": (4.0, "4 s"),
    "from the ready line to the first page": (2.0, "2 s"),
    "click to curves": (0.2, "0.2 s"),
    "first drag on a page, to all curves": (0.1, "0.1 s"),
    "drag to all curves": (0.1, "0.1 s"),
    "step of a slider": (0.1, "0.1 s"),
    "step of a slider, many runs": (0.2, "0.2 s"),
    "the steps of the sliders, the first time": (10.0, "10 s"),
}
DRAWN: Final = """
const drawn = async () => {
  const root = document.documentElement;
  if (root.dataset.drawn) throw new Error("nothing was asked for");
  await new Promise((done) => new MutationObserver((_, all) => {
    if (root.dataset.drawn) { all.disconnect(); done(); }
  }).observe(root, { attributes: true }));
  await new Promise(requestAnimationFrame);
};
"""
"""Wait until all figures are drawn, and on the screen."""
CLICK: Final = """
  const links = document.querySelectorAll("tbody th a");
  const begun = performance.now();
  links[place % links.length].click();
  await drawn();
  return performance.now() - begun;
"""
"""Click on a link of a table, and wait for all figures."""
DRAG: Final = """
  const items = document.querySelector(".ranked").querySelectorAll("li");
  const data = new DataTransfer();
  const how = { dataTransfer: data, bubbles: true, cancelable: true };
  const send = (item, kind) => item.dispatchEvent(new DragEvent(kind, how));
  items[from].focus();
  const begun = performance.now();
  send(items[from], "dragstart");
  send(items[0], "dragover");
  send(items[0], "drop");
  await drawn();
  return performance.now() - begun;
"""
"""Drag a document of the first list to its top, as the browser would tell of it, and wait for all figures."""


STEP: Final = """
  const box = document.querySelector(".sliders");
  const slider = box.querySelector(`[data-slider=${name}]`);
  const begun = performance.now();
  slider.value = String(value);
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  while (box.hasAttribute("aria-busy")) await new Promise((done) => setTimeout(done));
  document.querySelector("table.board").getBoundingClientRect();
  await new Promise(requestAnimationFrame);
  return performance.now() - begun;
"""
"""Move a slider of the leaderboard, and wait until the leaderboard is on the screen."""


@dataclass(frozen=True)
class Waits:
    """How long one waits for something, in seconds."""

    what: str
    seconds: tuple[float, ...]

    @property
    def late(self) -> float:
        """The time within which 95% of them are done; of one, its own."""
        return sorted(self.seconds)[max(0, round(0.95 * len(self.seconds)) - 1)]


def measured(folder: Path, qrels: str) -> list[Waits]:
    """Start the explorer, open it, click and drag."""
    arguments = [str(folder / qrels), *map(str, sorted((folder / "runs").iterdir()))]
    for measure in MEASURES:
        arguments += ["-m", measure]
    begun = time.perf_counter()
    with serving(arguments, wait=False) as address:
        ready = time.perf_counter()
        with watching(address, WIDTH) as page:
            launched = time.perf_counter() - ready  # the browser's own start is not ours
            opened(page, address)
            up = time.perf_counter() - launched
            found = [
                Waits("from the command to the first page", (up - begun,)),
                Waits("from the ready line to the first page", (up - ready,)),
                Waits("click to curves", tuple(_clicks(page, address))),
                Waits("first drag on a page, to all curves", tuple(_first_drags(page, address))),
                Waits("drag to all curves", tuple(_drags(page, address, 0, DRAGS))),
            ]
            first, steps = _steps(page, address)
            many = ", many runs" if len(arguments) - 1 - 2 * len(MEASURES) > MANY else ""
            found.append(Waits("the steps of the sliders, the first time", (first,)))
            found.append(Waits(f"step of a slider{many}", tuple(steps)))
    return found


def _clicks(page: Page, address: str) -> list[float]:
    """Click from the list of topics to lists."""
    times = []
    for place in range(CLICKS):
        opened(page, f"{address}/topics")
        page.wait_for_timeout(PAUSE)
        times.append(page.evaluate(f"async (place) => {{ {DRAWN} {CLICK} }}", place) / 1000)
    return times


def _first_drags(page: Page, address: str) -> list[float]:
    """Drag a document up on one topic after the other."""
    return [time for topic in range(CLICKS) for time in _drags(page, address, topic, 1)]


def _drags(page: Page, address: str, topic: int, drags: int) -> list[float]:
    """Drag documents up; two lists of a topic and their curves are shown."""
    opened(page, f"{address}/topics")
    page.locator("tbody th a").nth(topic).click()
    page.wait_for_url("**/topic?*")
    drawn(page)
    times = []
    for place in range(drags):
        page.wait_for_timeout(PAUSE)
        times.append(page.evaluate(f"async (from) => {{ {DRAWN} {DRAG} }}", 1 + place % 10) / 1000)
    return times


def _steps(page: Page, address: str) -> tuple[float, list[float]]:
    """Move both sliders of the leaderboard to and fro; the first step is there when all steps are worked out."""
    opened(page, f"{address}/overview")
    ends = {name: page.locator(f"[data-slider={name}]").get_attribute("max") or "0" for name in ("ties", "relevant")}
    times = []
    for turn in range(STEPS + 1):
        name = ("ties", "relevant")[turn % 2]
        value = (turn * 7 + 1) % (int(ends[name]) + 1)
        page.wait_for_timeout(PAUSE // 5)
        times.append(page.evaluate(f"async ([name, value]) => {{ {STEP} }}", [name, value]) / 1000)
    return times[0], times[1:]


def section(found: dict[str, list[Waits]], command: str) -> str:
    """Write the section of the page."""
    lines = [
        heading("explorer"),
        "",
        f"Made by `{command}`, {datetime.now(UTC):%Y-%m-%d}: `cranfield explore` with {len(MEASURES)} measures, in "
        f"headless Chromium, {WIDTH} pixels wide, on {processor()}. A wait ends when all figures are drawn. The curves "
        "are those of two "
        f"lists; {CLICKS} clicks, {CLICKS} first drags, {DRAGS} drags, with a pause of {PAUSE} ms; {STEPS} steps of "
        f"the sliders over the leaderboard. The goal is for 95% of them. Load average {os.getloadavg()[0]:.1f} on "
        f"{os.cpu_count()} processors at the end, the browser's own work included.",
        "",
        "| runs | wait | median | 95% within | goal | |",
        "|---|---|--:|--:|--:|---|",
        *(_row(name, waits) for name, each in found.items() for waits in each),
    ]
    return "\n".join(lines) + "\n"


def _row(name: str, waits: Waits) -> str:
    limit, goal = GOALS[waits.what]
    reached = verdict(waits.late <= limit)
    return f"| {name} | {waits.what} | {_time(waits.seconds)} | {_time([waits.late])} | {goal} | {reached} |"


def _time(seconds: Sequence[float]) -> str:
    median = statistics.median(seconds)
    return f"{median:.2f} s" if median >= 1 else f"{1000 * median:.0f} ms"


@click.command()
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), default=PAGE,
    show_default="docs/benchmarks.md", help="The page that gets the table.",
)  # fmt: skip
def main(*, data: Path, output: Path) -> None:
    """Time the explorer on the collections of DATA."""
    found = {name: measured(data / name, qrels) for name, qrels in COLLECTIONS.items()}
    new = section(found, "python -m benchmarks.explorer DATA")
    write_section(new, output)
    click.echo(new)


if __name__ == "__main__":
    main()
