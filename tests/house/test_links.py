"""Every link and picture of every Markdown file leads somewhere, in the checkout as it is, with nothing built."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tools.each import each_of

ROOT = Path(__file__).parents[2]
PAGES = [
    *ROOT.glob("*.md"),
    ROOT / "docs" / "llms.txt",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").glob("*.ipynb")),
]


@cache
def kept() -> frozenset[Path]:
    """Return the files of the checkout and their folders; what is built is not among them."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    unpacked = listed.returncode != 0  # the archive of the sources, not a checkout
    files = [*ROOT.rglob("*")] if unpacked else [ROOT / name for name in listed.stdout.splitlines()]
    return frozenset([*files, *(parent for file in files for parent in file.parents)])


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page's headings, as GitHub and MyST make them."""
    found: dict[str, int] = {}
    for line in outside_code(page.read_text(encoding="utf-8")):
        if heading := re.match(r"#{1,6} +(.*?) *#*$", line):
            plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).replace("`", "")
            slug = re.sub(r"[^\w\- ]", "", plain.casefold()).replace(" ", "-")
            found[slug] = found.get(slug, -1) + 1
            if found[slug]:
                found[f"{slug}-{found[slug]}"] = 0
    return frozenset(found)


def outside_code(text: str) -> Iterator[str]:
    """Give the lines outside blocks of code."""
    fence = ""
    for line in text.splitlines():
        mark = re.match(r"\s*(`{3,}|~{3,})", line)
        if mark and (not fence or line.strip() == fence):
            fence = "" if fence else mark[1]
        elif not fence:
            yield line


def links(text: str) -> Iterator[str]:
    """Give where links and pictures of a page lead, other pages of the web left out."""
    prose = re.sub(r"<!--(?:.|\n)*?-->|(`+)(?:(?!\1).|\n)+?\1", "", "\n".join(outside_code(text)))
    written = re.findall(r"\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)|^\[[^\]]+\]: (\S+)", prose, re.MULTILINE)
    written += re.findall(r"(?:src|href|srcset)=\"([^\"]+)\"()", prose)
    for target in map("".join, written):
        if not re.match(r"[a-z]+:", target):
            yield target


def dead(page: Path, target: str) -> bool:
    """Say whether a link of a page leads nowhere."""
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    return file not in kept() or (anchor != "" and file.suffix == ".md" and anchor not in anchors(file))


@each_of("page", [page for page in PAGES if "_build" not in page.parts])
def test_links_of_pages_lead_somewhere(page: Path) -> None:
    if page not in kept():
        return  # it is built
    assert [target for target in links(page.read_text(encoding="utf-8")) if dead(page, target)] == []


def test_dead_links_are_seen() -> None:
    text = '[a](b.md#c) ![d](e.svg)\n`[f](g.md)`\n```\n[h](i.md)\n```\n<img src="j.png"> [k]: l\n\n[m]: n.md\n'
    assert list(links(text)) == ["b.md#c", "e.svg", "n.md", "j.png"]
    readme = ROOT / "README.md"
    assert dead(readme, "docs/no-such-page.md")
    assert dead(readme, "docs/faq.md#no-such-heading")
    assert not dead(readme, "docs/faq.md")


def test_llms_txt_has_the_form_that_is_asked_for() -> None:
    """A title, a summary as a quotation, then sections with nothing but links, each with a line on what it leads to."""
    before, *sections = re.split(r"^## ", (ROOT / "docs" / "llms.txt").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert re.match(r"# cranfield\n\n(> .+\n)+\n", before)
    assert [section.partition("\n")[0] for section in sections][::-1][0] == "Optional"
    for section in sections:
        items = section.partition("\n\n")[2].strip().splitlines()
        assert items and all(re.fullmatch(r"- \[[^\]]+\]\([^)\s]+\): .+\?", item) for item in items), section
    named = set(re.findall(r"\]\(([\w/-]+\.md)\)", "".join(sections)))
    index = (ROOT / "docs" / "contents.md").read_text(encoding="utf-8")
    assert named == set(re.findall(r"^- \[[^\]]+\]\(([\w/-]+\.md)\)", index, re.MULTILINE))
