"""What the package says of itself, to those who install it and those who cite it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import yaml

import cranfield as cf

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LINK = re.compile(r"\]\(([^)]+)\)")


def test_the_citation_is_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (citation["cff-version"], citation["type"], citation["version"]) == ("1.2.0", "software", cf.__version__)
    assert citation["license"] == PROJECT["project"]["license"]
    assert citation["authors"] == PROJECT["project"]["authors"]
    assert {"message", "title", "abstract", "keywords"} <= set(citation)
    assert len(citation["references"]) == 5
    for paper in citation["references"]:
        assert {"type", "title", "authors", "year", "notes"} <= set(paper)
        assert all({"family-names", "given-names"} == set(author) for author in paper["authors"])


def test_the_readme_of_an_index_has_no_link_that_leads_nowhere() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    files = [link for link in LINK.findall(readme) if not link.startswith("http")]
    assert files
    assert [file for file in files if not (ROOT / file).is_file()] == []
    for each in PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]:
        readme = re.sub(each["pattern"], each["replacement"], readme)
    assert [link for link in LINK.findall(readme) if not link.startswith("http")] == []
    assert "quickstart (`docs/quickstart.md`)" in readme
    assert "front-" not in readme


def test_the_sources_are_released_whole() -> None:
    """Whoever unpacks them can run the tests, which read the documentation, the benchmarks and the tools."""
    included = PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert {"src", "tests", "docs", "benchmarks", "tools"} <= set(included)
    assert all(any(ROOT.glob(pattern.lstrip("/"))) for pattern in included)
