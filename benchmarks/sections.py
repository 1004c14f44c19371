"""Sections of the page of benchmarks that are measured apart from the rest, and keep their place in it."""

from __future__ import annotations

from typing import Final

LARGE: Final = "## Large runs"
EXPLORER: Final = "## The explorer"
ALL: Final = (LARGE, EXPLORER)


def kept(page: str, heading: str) -> str:
    r"""Give the section of a page that is there already, if there is one.

    >>> kept("# All\\n\\n## Large runs\\n\\nfast\\n\\n## Else\\n", LARGE)
    '## Large runs\\n\\nfast\\n'
    """
    start = page.find(heading)
    end = page.find("\n## ", start + 1)
    return "" if start < 0 else page[start : None if end < 0 else end + 1].rstrip() + "\n"


def put(page: str, heading: str, new: str) -> str:
    r"""Put a section at the end of a page, in the place of the one that is there.

    >>> put("# All\\n\\n## Large runs\\n\\nslow\\n", LARGE, "## Large runs\\n\\nfast\\n")
    '# All\\n\\n## Large runs\\n\\nfast\\n'
    """
    if not new:
        return page
    rest = page.replace(kept(page, heading), "") if kept(page, heading) else page
    return f"{rest.rstrip()}\n\n{new}" if rest.strip() else new


def put_all(page: str, former: str) -> str:
    """Put the sections that a former page has at the end of a new one."""
    for heading in ALL:
        page = put(page, heading, kept(former, heading))
    return page
