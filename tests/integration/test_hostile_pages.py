"""Names that are attacks, on every page: nothing runs, nothing is asked for, nothing is said on the console."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page
from tools import hostile
from tools.exploring import drawn, serving
from tools.pages import WIDTHS, browsing, chromium
from tools.report_pictures import DRAWN, WAIT

import cranfield as cf
import cranfield.app.explorer.pages  # registers them
from cranfield.app.explorer.page import EXPLORER_PAGES
from cranfield.cli import main
from cranfield.pages import writer
from cranfield.plots import PLOTS, Figure

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(chromium() is None, reason="there is no Chromium here to look at pages with"),
]


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> hostile.Campaign:
    return hostile.campaign(tmp_path_factory.mktemp("campaign"))


@pytest.fixture(scope="module")
def joined(campaign: hostile.Campaign) -> cf.JudgedRuns:
    few = dict(list(cf.read_runs(campaign.runs).items())[:5])
    return cf.join(campaign.qrels, few, bounds=True)


@pytest.fixture(scope="module")
def window() -> Iterator[Page]:
    with browsing(WIDTHS[0]) as window:
        window.context.set_offline(True)
        yield window


def happened_on(window: Page, file: Path) -> list[str]:
    """Look at a page, point at its figures, and list what happens that should not."""
    with hostile.watched(window) as happened:
        window.goto(file.as_uri())
        window.wait_for_function(DRAWN, timeout=WAIT)
        hostile.touched(window, ".drawing")
        if window.locator(".drawing").count() != window.locator(".drawing svg.marks").count():
            happened.append(f"not drawn: {window.locator('.drawing:not(:has(svg.marks))').first.inner_text()[:200]}")
    return happened


@pytest.mark.parametrize("name", sorted(PLOTS))
def test_a_figure(name: str, hostile_figure_of: Callable[[str], Figure], tmp_path: Path, window: Page) -> None:
    hostile_figure_of(name).save(page := tmp_path / "figure.html")
    assert happened_on(window, page) == []


def test_a_figure_of_collections(campaign: hostile.Campaign, tmp_path: Path, window: Page) -> None:
    found = cf.read_qrels(campaign.qrels), dict(cf.read_runs(campaign.runs))
    also = {hostile.named(0, "collection"): found, hostile.ATTACKS[0]: found}
    cf.plot("leaderboard", *found, also=also).save(page := tmp_path / "figure.html")
    assert happened_on(window, page) == []


def test_a_report(joined: cf.JudgedRuns, campaign: hostile.Campaign, tmp_path: Path, window: Page) -> None:
    title = hostile.named(0, "title")
    cf.report(joined, title=title, documents=campaign.documents).save(page := tmp_path / "report.html")
    assert happened_on(window, page) == []
    assert window.locator("h1").inner_text().startswith(hostile.ATTACKS[0])


def test_a_reproduction(joined: cf.JudgedRuns, tmp_path: Path, window: Page) -> None:
    cf.reproduce("cumulated-gain", joined).write(tmp_path)
    assert happened_on(window, tmp_path / "report.html") == []
    assert window.locator(".drawing").count()


def test_the_report_of_the_demo(tmp_path: Path, window: Page) -> None:
    from click.testing import CliRunner

    folder = tmp_path / "<img src=x onerror=document.title='RUN'>"
    assert CliRunner().invoke(main, ["demo", "--keep", str(folder)]).exit_code == 0
    assert happened_on(window, folder / "report.html") == []


def test_results_in_a_notebook(joined: cf.JudgedRuns, tmp_path: Path, window: Page) -> None:
    """A notebook has no policy of its own: what it is given has to be harmless by itself."""
    scores = cf.evaluate(joined, measures=["AP", "nDCG@10"])
    results = [
        scores, scores.audit, cf.evaluate(joined, measures="AP", bounds=True), cf.compare(joined, measures=["AP"]),
        cf.curve(joined, measure="nDCG"), cf.ties(joined, measures="AP"), cf.experiments.swap(joined, "AP"),
    ]  # fmt: skip
    shown = [result._repr_html_() for result in results]
    shown.append(scores.plot("leaderboard")._repr_mimebundle_()["image/svg+xml"])
    shown.append(cf.report(joined, measures="AP", title=hostile.named(0, "title"))._repr_html_())
    (page := tmp_path / "notebook.html").write_text(f"<!doctype html><meta charset=utf-8>{''.join(shown)}", "utf-8")
    with hostile.watched(window) as happened:
        window.goto(page.as_uri())
        window.frame_locator("iframe").locator("html[data-drawn=yes]").wait_for(state="attached", timeout=WAIT)
        hostile.touched(window, "figure.cranfield")
    assert happened == []


@pytest.fixture(scope="module")
def served(campaign: hostile.Campaign) -> Iterator[str]:
    files = [str(campaign.qrels), str(campaign.runs), "--docs", str(campaign.documents)]
    with serving([*files, "--topics-file", str(campaign.topics), "-m", "AP"]) as address:
        yield address


@pytest.mark.parametrize("name", sorted({*EXPLORER_PAGES} - {"lesson"}))  # which is of the demonstration alone
def test_a_page_of_the_explorer(name: str, served: str, campaign: hostile.Campaign, window: Page) -> None:
    """With each topic, run and document that the page can be asked for."""
    qrels, runs = cf.read_qrels(campaign.qrels), list(cf.read_runs(campaign.runs))
    asked = [
        {
            "topic": (topic := hostile.named(i, "query_id")), "run": [runs[i], runs[1]], "a": runs[i], "b": runs[1],
            "document": qrels.filter(query_id=topic)["doc_id"][0], "find": topic[:1000], "measure": "AP",
        }
        for i in range(0, len(runs), 4)
    ]  # fmt: skip
    browser = window.context.browser
    assert browser is not None
    with browser.new_page() as online:
        for each in asked:
            with hostile.watched(online, served=served) as happened:
                online.goto(f"{served}/{name}?{urlencode(each, doseq=True)}")
                drawn(online)
                hostile.touched(online, ".drawing")
            # A run that lacks the topic has no curves, and the page says so.
            assert [each for each in happened if "status of 400" not in each] == []
            assert online.locator("h1").inner_text() != "That cannot be shown"


def test_an_attack_would_be_seen(tmp_path: Path, window: Page) -> None:
    """Without the policy it runs, with the policy it is refused: both are heard."""
    attack = hostile.ATTACKS[0]
    (bare := tmp_path / "bare.html").write_text(f"<!doctype html><meta charset=utf-8>{attack}", "utf-8")
    (kept := tmp_path / "kept.html").write_text(writer.page("A page", attack), "utf-8")
    for page, said in ((bare, "has run"), (kept, "the console says")):
        with hostile.watched(window) as happened:
            window.goto(page.as_uri())
        assert said in " ".join(happened)
