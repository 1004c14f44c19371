"""What only people can fill in before a release: `python -m tools.release [ARCHIVE]` says what is missing, and where.

Names, addresses and digests stand nowhere as examples, so that none is published by mistake: each is either there or
on this list. ARCHIVE is that of the sources, as published; the conda recipe must name its digest.
"""

from __future__ import annotations

import hashlib
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

ROOT: Final = Path(__file__).parents[1]
URLS: Final = ("Documentation", "Repository", "Issues", "Changelog")
"""What an index shows beside the package."""


def missing(root: Path = ROOT, archive: Path | None = None) -> list[str]:
    """Name all that is missing, file by file."""
    return [
        f"{name}: {what}"
        for name, lacks in (
            ("CITATION.cff", _citation(root)),
            ("pyproject.toml", _project(root)),
            ("CHANGELOG.md", _changes(root)),
            ("paper/paper.md", _paper(root)),
            ("packaging/conda/recipe.yaml", _recipe(root, archive)),
        )
        for what in lacks
    ]


def people(citation: Mapping[str, Any]) -> list[str]:
    """Return the names of those who are cited: persons, or the name of all together."""
    return [each.get("name") or f"{each['given-names']} {each['family-names']}" for each in citation["authors"]]


def _citation(root: Path) -> Iterator[str]:
    held = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    if any("name" in author for author in held["authors"]):
        yield "authors: given-names and family-names of each person, and an orcid if there is one"
    if any("email" not in author for author in held["authors"]):
        yield "authors: an email of each who answers reports (SECURITY.md and CODE_OF_CONDUCT.md lead here)"
    yield from (
        f"{key}: {what}"
        for key, what in (
            ("repository-code", "the address of the repository"),
            ("date-released", "the day of this release, as YYYY-MM-DD"),
            ("doi", "that of the archived release (Zenodo reads this file)"),
        )
        if key not in held
    )


def _project(root: Path) -> Iterator[str]:
    held = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    yield from (f"[project.urls] {name}" for name in URLS if name not in held.get("urls", {}))
    cited = people(yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8")))
    if [author["name"] for author in held["authors"]] != cited:
        yield f"authors: those of CITATION.cff, {', '.join(cited)}"


def _version(root: Path) -> str:
    found = re.search(r'__version__.*= "(.+)"', (root / "src" / "cranfield" / "__init__.py").read_text("utf-8"))
    return found[1] if found else ""


def _changes(root: Path) -> Iterator[str]:
    if "\n## Unreleased\n" in (root / "CHANGELOG.md").read_text(encoding="utf-8"):
        yield "the version and its day instead of Unreleased"


def _paper(root: Path) -> Iterator[str]:
    text = (root / "paper" / "paper.md").read_text(encoding="utf-8")
    head = yaml.safe_load(text.split("---\n")[1])
    yield from (f"{key}: as papers for JOSS have them" for key in ("authors", "affiliations") if key not in head)
    disclosed = text.partition("# AI usage disclosure\n")[2].partition("\n# ")[0]
    if "version" not in disclosed.casefold():
        yield "AI usage disclosure: which tools, in which versions, and which people reviewed what"


def _recipe(root: Path, archive: Path | None) -> Iterator[str]:
    held = yaml.safe_load((root / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    if held["context"]["version"] != _version(root):
        yield f"context: version {_version(root)}"
    digest = None if archive is None else hashlib.sha256(archive.read_bytes()).hexdigest()
    if "sha256" not in held["source"] or digest not in {None, held["source"]["sha256"]}:
        yield f"source: sha256 {digest or 'of the published archive'}"
    if not held.get("extra", {}).get("recipe-maintainers"):
        yield "extra: recipe-maintainers, accounts on GitHub"
    yield from (f"about: {key}" for key in ("homepage", "repository") if key not in held["about"])


if __name__ == "__main__":
    sys.exit("\n".join(missing(archive=Path(sys.argv[1]) if sys.argv[1:] else None)) or None)
