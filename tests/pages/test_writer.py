"""The writer of pages: what users bring stays a text, and a browser is told to run nothing but what is ours."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tomllib
from base64 import b64encode
from html.parser import HTMLParser

import pytest
from tools import hostile

from cranfield.pages.writer import DRAWING, VENDORED, data, drawing_scripts, page, policy, text, written_data
from cranfield.plots import Figure
from cranfield.plumbing.errors import InputError

EVERY = "".join(hostile.ATTACKS)


class Parsed(HTMLParser):
    """A page as a browser reads it: its elements, their attributes, and what stands in those that hold one text."""

    def __init__(self, written: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.within = ""
        self.feed(written)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.within = tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.within, data))

    def all_of(self, tag: str) -> list[str]:
        return [found for within, found in self.texts if within == tag and found.strip()]


def figure(title: str = EVERY) -> Figure:
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "title": {"text": title},
        "description": EVERY,
        "data": {"values": [{EVERY: EVERY}]},
        "mark": "point",
    }
    return Figure("hostile", spec)


def test_data_comes_back_as_it_was() -> None:
    value = {EVERY: [EVERY, "\ud800", 0.5, None]}
    written = data(value)
    assert json.loads(written.removeprefix('<script type="application/json">').removesuffix("</script>")) == value
    assert not set(written[32:-9]) & set("<>&\u2028\u2029")
    assert not set(written_data('"<>&\u2028\u2029"')[32:-9]) & set("<>&\u2028\u2029")


@pytest.mark.parametrize("attack", hostile.ATTACKS, ids=range(len(hostile.ATTACKS)))
def test_a_text_is_no_markup(attack: str) -> None:
    parsed = Parsed(f'<p title="{text(attack)}">{text(attack)}</p>')
    [(tag, attributes)] = parsed.elements
    assert (tag, list(attributes)) == ("p", ["title"])
    assert attributes["title"] == "".join(parsed.all_of("p"))
    assert not set(attributes["title"] or "") & set("\x00\x1b\u202e\u2028")


def test_a_figure_is_a_page_of_the_same_elements_whatever_is_in_it() -> None:
    named = Parsed(figure().to_bytes("html").decode())
    plain = Parsed(figure("Means").to_bytes("html").decode())
    of_both = [[(tag, list(given)) for tag, given in each.elements] for each in (named, plain)]
    assert of_both[0] == of_both[1]
    assert plain.all_of("title") == ["Means"]
    assert plain.elements[0] == ("html", {"lang": "en"})
    assert ("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}) in plain.elements
    assert any("figcaption" in tag for tag, _ in plain.elements)
    handled = [name for _, given in named.elements for name in given if name.startswith("on") or name == "style"]
    assert handled == []


def test_the_policy_names_all_that_runs_and_nothing_else() -> None:
    parsed = Parsed(figure().to_bytes("html").decode())
    [said] = [given["content"] or "" for _, given in parsed.elements if "http-equiv" in given]
    asked = dict(each.strip().split(" ", 1) for each in said.split(";"))
    scripts = [part for part in parsed.all_of("script") if not part.startswith('{"$schema"')]

    def hashes(sources: list[str]) -> set[str]:
        return {f"'sha256-{b64encode(hashlib.sha256(each.encode()).digest()).decode()}'" for each in sources}

    assert len(scripts) == len(drawing_scripts())
    assert set(asked["script-src"].split()) == hashes(scripts)
    assert set(asked["style-src"].split()) == hashes(parsed.all_of("style"))
    assert asked["default-src"] == asked["base-uri"] == asked["form-action"] == "'none'"
    assert "unsafe" not in said
    assert "http" not in said
    assert "script-src 'none'" in policy([], [])
    assert "</script>" not in page("t", "")


@pytest.mark.parametrize("name", DRAWING)
def test_what_others_wrote_ends_no_script(name: str) -> None:
    """A browser hashes what it has read: it must find the same characters, up to the end of the file."""
    source = VENDORED.joinpath(name).read_bytes()
    assert not [each for each in (b"</script", b"<!--", b"<script", b"\r", b"\x00") if each in source.lower()]


def test_what_others_wrote_is_what_it_says() -> None:
    listed = tomllib.loads(VENDORED.joinpath("vendored.toml").read_text(encoding="utf-8"))["file"]
    assert {each["name"] for each in listed} == {each.name for each in VENDORED.iterdir() if each.name.endswith(".js")}
    assert {each["name"] for each in listed} == set(DRAWING)
    for each in listed:
        assert hashlib.sha256(VENDORED.joinpath(each["name"]).read_bytes()).hexdigest() == each["sha256"]
        assert each["licence"]


def test_pages_and_specifications_start_no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert figure().to_bytes("html").startswith(b"<!doctype html>")
    assert figure().to_bytes("json").startswith(b"{")
    with pytest.raises(InputError, match="vl_convert"):
        figure().to_bytes("svg")


LIMITED = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (6_000_000 * 1024,) * 2)
import cranfield as cf
qrels = {"1": {"a": 1}, "2": {"b": 1}}
runs = {"r": {"1": {"a": 1.0}, "2": {"b": 1.0}}, "s": {"1": {"x": 2.0, "a": 1.0}}}
figure = cf.plot("leaderboard", qrels, runs, "RR")
print(len(figure.to_bytes("html")), len(figure.to_bytes("json")), len(cf.report(qrels, runs, "RR").to_html()))
"""


@pytest.mark.integration
def test_pages_are_written_where_address_space_is_limited() -> None:
    """As clusters limit it: the engine that draws pictures would end the process."""
    done = subprocess.run([sys.executable, "-c", LIMITED], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert all(int(size) > 1000 for size in done.stdout.split())
