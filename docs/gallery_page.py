"""The gallery: a thumbnail of every registered figure, its command, and the page that explains it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cranfield.plots import PLOTS, Plot
from cranfield.plotting import plot
from cranfield.plumbing.errors import InputError

_HEAD = """\
# Gallery

```{index} ! gallery, ! figures, ! plots
```

Every figure that cranfield draws, here of a simulated campaign, with its command and the page that explains
it. [Figures](plots.md) says how figures are saved, printed and read. `cranfield plot --list` lists them, and in
Python `cf.plot(NAME, qrels, runs)` draws one.

"""

_SUBJECTS = {
    "Runs and topics": (
        "scores",
        "comparison",
        "leaderboard",
        "certificate",
        "dominance",
        "curves",
        "why",
        "estimation",
        "influence",
        "risk",
        "searches",
    ),
    "Single lists": ("trace",),
}
"""What figures are of, by what they are drawn from."""
_OTHERS = "Measures, judgments and experiments"

NAMED = {"crp": "one", "crossing": "one", "delta-gain": "one", "relative-position": "one", "crp-and-dcg": "one"} | {
    "differences": "two",
    "estimation": "two",
    "why": "two",
    "parallel": "one of all topics",
}
"""Figures that are of few runs: of one list, of one run, or of two runs."""

_WIDEST, _HIGHEST, _ABOVE = 460, 320, 34
"""Points of a thumbnail, and how much of what stands above its panels is kept: their titles, or an axis."""

_TITLE = re.compile(r'<g class="mark-text role-title-(?:text|subtitle)"[^>]*>.*?</g>')
_SIZES = re.compile(r'font-size="(?:15|11\.5)px"')
"""Of the letters of titles, which thumbnails do without; titles of panels have others."""

FOUND = ("assessor-confusion", "judge-leaderboard", "judge-orders")
"""Figures that are drawn from a folder of findings, since an experiment needs more than runs and judgments for them."""


def draw_figures(folder: Path, example: Path, topic: str = "415", one: str = "cedar-a", two: str = "ash-a") -> None:
    """Draw every registered figure that can be drawn of the example campaign, as `figure-NAME.svg`."""
    qrels, runs = example / "qrels.txt", sorted((example / "runs").iterdir())
    of_one, of_two = ([run for run in runs if run.stem in names] for names in ({one}, {one, two}))
    ways: dict[str, tuple[Sequence[Path], dict[str, Any]]] = {
        "all": (runs, {}),
        "two": (of_two, {}),
        "two of a topic": (of_two, {"topic": topic}),
        "one": (of_one, {"topic": topic}),
        "one of all topics": (of_one, {}),
    }
    for name in PLOTS:
        for way in [NAMED[name]] if name in NAMED else ways:
            chosen, asked = ways[way]
            try:
                figure = plot(name, qrels, chosen, **asked)
            except InputError:
                continue  # it takes another number of runs, or more than runs and judgments
            figure.save(folder / f"figure-{name}.svg")
            break


def slim(svg: str) -> str:
    r"""Return a figure as pages need it, who show it as a picture: its marks tell nobody what they are.

    What only a pointer finds is left out, and numbers are rounded to tenths of a pixel, so that the
    repository can hold the figures of all pages.

    >>> slim('<path aria-label="x: 1" role="graphics-symbol" d="M0.123,45.678L-0.04,7"/><text x="0.123">0.123</text>')
    '<path d="M0.1,45.7L0,7"/><text x="0.1">0.123</text>'
    """

    def tenths(found: re.Match[str]) -> str:
        return f"{round(float(found[0]), 1) + 0:g}"  # + 0: no -0

    unseen = r'<g class="[^"]*voronoi[^"]*"[^>]*>.*?</g>|<path [^>]* (?:opacity="0"|display="none")[^>]*/>'
    seen = re.sub(unseen, "", svg)
    marks = re.sub(r' (?:aria-[a-z]+|role|tabindex)="[^"]*"', "", seen)
    return re.sub(r"<[^>]*>", lambda tag: re.sub(r"-?\d+\.\d{2,}", tenths, tag[0]), marks)  # words keep their numbers


def slim_figures(folder: Path) -> None:
    """Make all figures of the pages slim."""
    for file in folder.glob("figure-*.svg"):
        file.write_text(slim(file.read_text(encoding="utf-8")), encoding="utf-8")


def small(drawn: str) -> str:
    """Cut a thumbnail out of a figure: below its title, from the left, no larger than can be read when it is shrunk."""
    width, height = (float(found) for found in re.findall(r' (?:width|height)="([\d.]+)"', drawn)[:2])
    found = re.search(r'transform="translate\([\d.]+,([\d.]+)\)"', drawn)  # where the panels begin
    top = max(float(found[1]) - _ABOVE, 0) if found else 0.0
    across, down = min(width, _WIDEST), min(height - top, _HIGHEST)
    frame = f'width="{across:g}" height="{down:g}" viewBox="0 {top:g} {across:g} {down:g}"'
    bare = _TITLE.sub(lambda each: "" if _SIZES.search(each[0]) else each[0], drawn)
    return re.sub(r'width="[\d.]+" height="[\d.]+" viewBox="[^"]+"', frame, bare, count=1)


def write_gallery_page(target: Path) -> None:
    """Write the page, if it changed: the figures that were drawn, by what they are of; and their thumbnails."""
    drawn = {name: each for name, each in PLOTS.items() if (target.parent / f"figure-{name}.svg").exists()}
    for name in drawn:
        figure = (target.parent / f"figure-{name}.svg").read_text(encoding="utf-8")
        (target.parent / f"figure-{name}-small.svg").write_text(small(figure), encoding="utf-8")
    known = {source: subject for subject, sources in _SUBJECTS.items() for source in sources}
    parts = [_HEAD]
    for subject in (*_SUBJECTS, _OTHERS):
        parts.append(f"## {subject}\n\n````{{container}} gallery\n\n")
        parts += ["\n".join(_entry(each)) for each in drawn.values() if known.get(each.source, _OTHERS) == subject]
        parts.append("````\n\n")
    text = "".join(parts)
    if not target.exists() or target.read_text(encoding="utf-8") != text:
        target.write_text(text, encoding="utf-8")


def _entry(figure: Plot) -> Iterator[str]:
    page, title = _page(figure.name)
    yield f"```{{figure}} figure-{figure.name}-small.svg\n:alt: {figure.question}\n:target: {page}.html\n"
    yield f"**{figure.name}**: {figure.question} [{title}]({page}.md)\n"
    yield f"`{_command(figure)}`\n```\n\n"


def _command(figure: Plot) -> str:
    if figure.source == "searches":
        return f"cranfield searches qrels.txt agent --plot {figure.name}.svg"
    if figure.name in FOUND:
        return f"cranfield plot {figure.name} FOLDER -o {figure.name}.svg"
    runs = {"one": "a.run --topic ID", "two": "a.run b.run", "one of all topics": "a.run"}
    return f"cranfield plot {figure.name} qrels.txt {runs.get(NAMED.get(figure.name, ''), 'runs')} -o {figure.name}.svg"


def _page(name: str) -> tuple[str, str]:
    """Find the page that shows a figure; the page of all figures, where no other does."""
    here = Path(__file__).parent
    for file in sorted(here.glob("*.md")):
        text = file.read_text(encoding="utf-8")
        if file.stem not in {"gallery", "plots", "changelog"} and f"](figure-{name}.svg)" in text:
            found = re.search(r"^# (.*)$", text, re.MULTILINE)
            return file.stem, found[1] if found else file.stem
    return "plots", "Figures"
