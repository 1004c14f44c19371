"""What several tests need: where the real runs and qrels are, if they are there at all."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from cranfield.plumbing import threads

# As in a command; before NumPy is loaded. Each worker of xdist has a processor, and matrices are small.
threads.settle()

# ruff: noqa: E402
import polars as pl
import pytest
from hypothesis import settings
from tools import hostile
from tools.real_runs import Joined, joining

import cranfield as cf
from cranfield.campaigns import simulate, write_campaign
from cranfield.experiments import EXPERIMENTS
from cranfield.measures import REGISTRY
from cranfield.measures.framework.names import forget_names
from cranfield.plots import Figure

if TYPE_CHECKING:
    from playwright.sync_api import Page

DATA = Path(os.environ.get("CRANFIELD_DATA", Path(__file__).parents[2] / "shared" / "data"))

# What is compiled is kept, the tests and the package, whatever the environment says: tests start hundreds of processes.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


EXPECTED_SKIPS = (
    "there is no groff here",
    "root may read everything",
    "gdeval is a Perl script",
    "cannot do this here",
    "Spark has an environment of its own",
    "TREC_EVAL_SOURCES names no folder",
    "Node is not installed",
    "ppi-python has an environment of its own",
    "cwl-eval's program needs distutils",
    "ir_datasets is not installed",
)
"""Reasons for which a test may be skipped where everything is installed that tests use."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that CI gives."""
    parser.addoption("--no-unexpected-skips", action="store_true", help="fail if a test is skipped without leave")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None]:
    """Collect thousands of tests, none of which is garbage: to look through them again and again takes a third."""
    gc.disable()
    yield
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # by default some 2% of all the time
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail where a test was skipped that should have run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or not session.config.getoption("--no-unexpected-skips"):
        return
    skipped = [(report.nodeid, str(report.longrepr)) for report in reporter.stats.get("skipped", ())]
    unexpected = [one for one in skipped if not any(reason in one[1] for reason in EXPECTED_SKIPS)]
    reporter.write_line(f"\n{len(skipped)} skipped, {len(unexpected)} of them unexpected")
    for nodeid, reason in unexpected:
        reporter.write_line(f"{nodeid}: {reason}")
    if unexpected and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


UNTIMED = settings(deadline=None, max_examples=20)  # how long one takes says nothing of whether it is right
settings.register_profile("untimed", UNTIMED)  # others each time: what people wait for, often
# A check of a change looks at more, and at the same each time.
settings.register_profile("same", UNTIMED, max_examples=35, derandomize=True)
settings.register_profile("thorough", UNTIMED, max_examples=2000)  # by hand, where what is tried has changed
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "untimed"))


@pytest.fixture(scope="session")
def data() -> Path:
    """Return the folder of real data (``../shared/data``, or what CRANFIELD_DATA says)."""
    if not DATA.is_dir():
        pytest.skip(f"the real runs and qrels are not at {DATA}")
    return DATA


@pytest.fixture(scope="session")
def joined(data: Path) -> Joined:
    """Give the joined runs of a real collection, which are read once."""
    return joining(data)


@pytest.fixture(autouse=True)
def only_our_measures() -> Iterator[None]:
    """Forget the measures that a test declares, so that no other test meets them."""
    before = dict(REGISTRY)
    yield
    if before != REGISTRY:
        REGISTRY.clear()
        REGISTRY.update(before)
        forget_names()


OF_LISTS = ("crp", "crp-and-dcg", "delta-gain", "relative-position", "crossing")
"""Figures that go through lists rank by rank: of many runs they take long to draw."""


@pytest.fixture(scope="session")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("campaign")
    write_campaign(simulate(systems=6, topics=8, depth=50, seed=3), folder)
    return folder


@pytest.fixture(scope="session")
def figure_of(campaign: Path) -> Callable[[str], Figure]:
    """Draw a figure of a small campaign by its name."""
    return figures_of(cf.read_qrels(campaign / "qrels.txt"), dict(cf.read_runs(campaign / "runs")))


@pytest.fixture(scope="session")
def hostile_figure_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Figure]:
    """Draw the same figure of runs, topics and documents whose names are attacks."""
    found = hostile.campaign(tmp_path_factory.mktemp("hostile"))
    return figures_of(cf.read_qrels(found.qrels), dict(cf.read_runs(found.runs)))


def figures_of(qrels: pl.DataFrame, runs: Mapping[str, pl.DataFrame]) -> Callable[[str], Figure]:
    """Draw any figure that is registered by its name, with what it needs."""

    @cache
    def drawn(name: str) -> Figure:
        if name == "assessor-confusion":
            second = qrels.with_columns(relevance=(pl.col("relevance") - pl.int_range(pl.len()) % 2).clip(0))
            return cf.agreement(dict(zip(runs, (qrels, second), strict=False))).plot(name)
        if name in ("judge-leaderboard", "judge-orders", "interval-width"):
            with TemporaryDirectory() as folder:
                file = Path(folder, "model.parquet")
                second = qrels.with_columns(relevance=(pl.col("relevance") - pl.int_range(pl.len()) % 2).clip(0))
                second.write_parquet(file)
                joined, cheap = cf.join(qrels, runs), (file,)
                if name != "interval-width":
                    return EXPERIMENTS["assessors"](joined, ["P@5", "nDCG@10"], assessors=cheap).plot(name)
                return EXPERIMENTS["expert-labels"](joined, "P@5", cheap=cheap, samples=3).plot(name)
        if name == "downsampling":
            found = EXPERIMENTS[name](cf.join(qrels, runs), ["AP", "RR"], repetitions=3, rates=(0.9, 0.5, 0.1))
            return found.plot(name)
        if name == "gain-by-call":
            return cf.searches(qrels, searches_of(runs), ["R", "nDCG@10"]).plot(name)
        many = {"differences": 2, "why": 2} | dict.fromkeys(OF_LISTS, 1)
        few = dict(list(runs.items())[: many.get(name)])
        topic = qrels["query_id"][0] if name in OF_LISTS else None
        return cf.plot(name, qrels, few, topic=topic)

    return drawn


def searches_of(runs: Mapping[str, pl.DataFrame]) -> cf.Searches:
    """Take the documents of each run, five at a time, for the results of its searches."""
    return cf.read_searches({
        name: run.sort("score", descending=True).select(
            "query_id", "doc_id", call=pl.int_range(pl.len()).over("query_id") // 5 + 1
        ).filter(pl.col("call") <= pl.col("query_id").hash() % 4 + 1)
        for name, run in runs.items()
    })  # fmt: skip


@pytest.fixture(scope="session")
def explored_at() -> Iterator[str]:
    """Serve the explorer's demonstration, and return its address."""
    from tools.exploring import serving  # what drives a browser is not everywhere

    with serving() as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[None]:
    """Keep one browser for all the windows of a module."""
    from tools import pages

    with pages.browser():
        yield


@pytest.fixture(params=[1280, 390])
def explored_page(request: pytest.FixtureRequest, explored_at: str, browser: None) -> Iterator[Page]:
    """Return a page of a browser, of a laptop's width and of a telephone's; nothing may go wrong on it."""
    from tools.exploring import watching

    with watching(explored_at, request.param) as page:
        yield page
