"""What the package says of itself, to those who install it and those who cite it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import yaml
from tools.release import missing, people

import cranfield as cf

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LINK = re.compile(r"\]\(([^)]+)\)")


def test_the_citation_is_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (citation["cff-version"], citation["type"], citation["version"]) == ("1.2.0", "software", cf.__version__)
    assert citation["license"] == PROJECT["project"]["license"]
    assert people(citation) == [author["name"] for author in PROJECT["project"]["authors"]]
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
    assert {"src", "tests", "docs", "benchmarks", "tools", "paper", "packaging"} <= set(included)
    assert all(any(ROOT.glob(pattern.lstrip("/"))) for pattern in included)


def test_the_recipe_for_conda_asks_for_what_the_package_asks_for() -> None:
    recipe = yaml.safe_load((ROOT / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    asked = [each.partition(";")[0].strip() for each in PROJECT["project"]["dependencies"]]
    floors = dict(re.split(r"(?=>=)", each, maxsplit=1) for each in asked)  # the last counts: that of the newest
    floors["python"] = PROJECT["project"]["requires-python"]
    assert {tuple(each.split()) for each in recipe["requirements"]["run"]} == {*floors.items()}
    built = {each.replace(" ", "") for each in recipe["requirements"]["host"]}
    assert built == {"python", "pip", *PROJECT["build-system"]["requires"]}
    assert recipe["about"]["license"] == PROJECT["project"]["license"]
    assert recipe["about"]["summary"] == PROJECT["project"]["description"]


def test_what_only_people_can_fill_in_is_named_until_it_is_there(tmp_path: Path) -> None:
    files = ("CITATION.cff", "pyproject.toml", "CHANGELOG.md", "paper/paper.md", "packaging/conda/recipe.yaml",
             "src/cranfield/__init__.py")  # fmt: skip
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_bytes((ROOT / file).read_bytes())
    archive = tmp_path / "cranfield.tar.gz"
    archive.write_bytes(b"sources")
    assert {line.partition(":")[0] for line in missing(tmp_path, archive)} >= {"CITATION.cff", "paper/paper.md"}

    def change(file: str, old: str, new: str) -> None:
        text = (tmp_path / file).read_text(encoding="utf-8")
        assert old in text
        (tmp_path / file).write_text(text.replace(old, new, 1), encoding="utf-8")

    change("CITATION.cff", "  - name: The cranfield authors\n", "  - {given-names: C, family-names: D, email: c@d}\n"
           "repository-code: here\ndate-released: 2026-12-01\ndoi: 10.1/2\n")  # fmt: skip
    change("pyproject.toml", '"The cranfield authors"', '"C D"')
    change("pyproject.toml", "[project.scripts]", "[project.urls]\nDocumentation = 'd'\nRepository = 'r'\n"
           "Issues = 'i'\nChangelog = 'c'\n\n[project.scripts]")  # fmt: skip
    change("CHANGELOG.md", "## Unreleased", "## 0.4.0, 1 December 2026")
    change(
        "paper/paper.md", "date:", "authors: [{name: C D, affiliation: 1}]\naffiliations: [{name: E, index: 1}]\ndate:"
    )
    change("paper/paper.md", "Generative AI was used", "Generative AI (F, version 1) was used")
    change("packaging/conda/recipe.yaml", "about:\n", "extra: {recipe-maintainers: [c]}\nabout:\n  homepage: h\n"
           "  repository: r\n")  # fmt: skip
    digest = "f0e1ed1bd3a2c9b1d1f8d1d2fb3f0d6a3d0a6b3a3f4a9d3d5f1e0c4b7a3d2c1b"
    change("packaging/conda/recipe.yaml", "source:\n", f"source:\n  sha256: {digest}\n")
    (wrong,) = missing(tmp_path, archive)
    assert wrong.startswith("packaging/conda/recipe.yaml: source: sha256 ")
    change("packaging/conda/recipe.yaml", digest, wrong.rpartition(" ")[2])
    assert missing(tmp_path, archive) == missing(tmp_path) == []
