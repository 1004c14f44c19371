"""What will end still works, says so, and ends in time."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from packaging.version import Version

import cranfield as cf
from cranfield.plumbing.deprecations import DEPRECATED, renamed

ROOT = Path(__file__).parents[2]
AT_LEAST = 2
"""Minor versions for which a form works that will end."""

WORKS: dict[str, tuple[Callable[[], object], object]] = {
    "FewRelevantLeft(documents=)": (
        lambda: cf.stop_rules.FewRelevantLeft(documents=7, level=0.1),  # type: ignore[call-arg]
        cf.stop_rules.FewRelevantLeft(at_most=7, level=0.1),
    ),
    "columns={theirs: ours}": (
        lambda: cf.read_run([{"term": "1", "docno": "a", "score": 1}], columns={"term": "query_id"}).rows(),
        [("1", "a", 1.0)],
    ),
}
"""How each form is used, and what the one to write instead makes."""
IN_A_SHELL = {form for form in DEPRECATED if form.startswith("cranfield ")}
"""Those of commands, which `tests/cli` tries."""


def test_each_is_tried() -> None:
    assert WORKS.keys() | IN_A_SHELL == DEPRECATED.keys()


@pytest.mark.parametrize("form", WORKS)
def test_it_works_and_says_so(form: str) -> None:
    use, expected = WORKS[form]
    with pytest.warns(DeprecationWarning) as told:
        made = use()
    assert made == expected
    [one] = told
    ends, instead = DEPRECATED[form].ends, DEPRECATED[form].instead
    assert str(one.message).partition(", here ")[0] == f"{form} ends with cranfield {ends}: write {instead}"
    assert one.filename == __file__  # where it is written, and not within the package


def test_nothing_outlives_its_version() -> None:
    now = Version(Version(cf.__version__).base_version)
    assert [form for form, found in DEPRECATED.items() if Version(found.ends) <= now] == []


@pytest.mark.parametrize("form", DEPRECATED)
def test_there_is_time_to_change(form: str) -> None:
    since, ends = Version(DEPRECATED[form].since), Version(DEPRECATED[form].ends)
    assert ends.major > since.major or ends.minor >= since.minor + AT_LEAST


def test_the_page_and_the_changelog_have_the_list() -> None:
    page = (ROOT / "docs" / "installing.md").read_text(encoding="utf-8").partition("\n## Deprecations\n")[2]
    rows = re.findall(r"^\| `(.+?)` \| `(.+?)` \| (\S+) \| (\S+) \|$", page.partition("\n## ")[0], re.MULTILINE)
    assert {form: tuple(more) for form, *more in rows} == {form: tuple(found) for form, found in DEPRECATED.items()}
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for form, found in DEPRECATED.items():
        of_version = re.split(
            r"^## ",
            (changelog.partition(f"\n## {found.since} ")[2] or changelog.partition("\n## Unreleased")[2]),
            flags=re.MULTILINE,
        )[0]
        assert f"`{form}`" in of_version, f"{form} is not in the changelog of {found.since}"


def test_both_names_at_once_are_refused() -> None:
    with pytest.raises(TypeError, match="got 'at_most', and 'documents', its former name; give one"):
        cf.stop_rules.FewRelevantLeft(at_most=1, documents=2)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="multiple values"), pytest.warns(DeprecationWarning):
        cf.stop_rules.FewRelevantLeft(1, documents=2)  # type: ignore[call-arg]


def test_what_is_not_listed_cannot_be_renamed() -> None:
    @renamed(old="new")
    class Unlisted:
        def __init__(self, new: int) -> None:
            self.new = new

    with pytest.raises(KeyError):
        Unlisted(old=1)  # type: ignore[call-arg]
