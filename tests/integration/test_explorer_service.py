"""The explorer left running: what nobody waits for ends, what is half open is closed, and a signal ends everything."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from tools.pages import browsing, chromium

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="processes are looked at in /proc"),
]
HEAVY = "/figure/downsampling.png"
LIGHT = (
    "/overview", "/rankings", "/topics", "/pair", "/search?find=0", "/topic?topic=401", "/figure/heatmap.json",
    "/topic?topic={t}&n={n}", "/figure/crp-and-dcg.json?topic={t}&run=alder-a&n={m}", "/assets/app.js", "/nowhere",
    "/overview?figure=parallel&low.NumRel={m}", "/figure/leaderboard.json?measure=P%40{m}", "/topic?topic=nothing",
    "/rankings?x_from=.{m}", "/run?run=alder-b&measure=AP", "/pair?topic={t}", "/topic?topic={t}&changes=nothing",
)  # fmt: skip


@dataclass
class Served:
    """An explorer that was started as a person starts it."""

    process: subprocess.Popen[str]
    address: str
    cookie: str

    @property
    def where(self) -> tuple[str, int]:
        at = urlsplit(self.address)
        return str(at.hostname), int(at.port or 0)

    def connected(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(*self.where, timeout=60)

    def get(self, path: str) -> tuple[int, str]:
        with closing(self.connected()) as asked:
            return self.got(path, asked)

    def got(self, path: str, asked: http.client.HTTPConnection) -> tuple[int, str]:
        """Ask by a connection that stays."""
        asked.request("GET", path, headers={"Cookie": self.cookie})
        answer = asked.getresponse()
        return answer.status, answer.read().decode(errors="replace")

    def sent(self, text: str) -> socket.socket:
        """Send something, and wait for no answer."""
        found = socket.create_connection(self.where)
        found.sendall(text.encode())
        return found

    def asked(self, path: str) -> socket.socket:
        return self.sent(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {self.cookie}\r\n\r\n")

    @property
    def workers(self) -> list[int]:
        found = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return [int(each) for each in found]

    def status(self, name: str) -> int:
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.findall(rf"^{name}:\s+(\d+)", text, re.MULTILINE)[0])


def until(true: Callable[[], object], seconds: float) -> bool:
    """Wait until something is true."""
    end = time.monotonic() + seconds
    while not (found := bool(true())) and time.monotonic() < end:
        time.sleep(0.02)
    return found


def runs(pid: int) -> bool:
    """Tell whether a process is at work: not gone, and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@contextmanager
def service(folder: Path) -> Iterator[Served]:
    command = [sys.executable, "-m", "cranfield", "explore", "qrels.txt", "runs", "--no-browser", "--port", "0"]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr
        said = process.stderr.readline()
        address, token = re.findall(r"ready at (\S+?)/\?token=(\S+)", said)[0]
        served = Served(process, address, f"cranfield-80={token}; cranfield-{urlsplit(address).port}={token}")
        assert until(lambda: _answers(served), 20)
        yield served
    finally:
        process.kill()
        process.communicate(timeout=20)


def _answers(served: Served) -> bool:
    try:
        return served.get("/topics")[0] == 200
    except OSError:
        return False


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a simulated campaign: enough of it for downsampling to take a while."""
    folder = tmp_path_factory.mktemp("campaign")
    arguments = ["simulate", "camp", "--topics", "40", "--systems", "24"]
    subprocess.run([sys.executable, "-m", "cranfield", *arguments], cwd=folder, check=True)
    return folder / "camp"


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_everything_at_once(campaign: Path, sent: signal.Signals, status: int) -> None:
    with service(campaign) as served:
        waiting = [served.asked(HEAVY) for _ in range(4)] + [served.asked("/topics"), served.sent("GET /")]
        assert until(lambda: len(served.workers) == 2, 20)
        time.sleep(1)
        workers, begun = served.workers, time.monotonic()
        served.process.send_signal(sent)
        _, said = served.process.communicate(timeout=20)
        assert time.monotonic() - begun < 1.5  # a second, on a machine that has nothing else to do
        assert served.process.returncode == status
        assert "Traceback" not in said
        assert said in {"", "cranfield: interrupted\n"}
        assert until(lambda: not any(map(runs, workers)), 2)
        for each in waiting:
            each.close()


def test_workers_end_with_the_process_that_asks_them(campaign: Path) -> None:
    with service(campaign) as served, served.asked(HEAVY):
        assert until(lambda: served.workers, 20)
        time.sleep(1)
        workers = served.workers
        served.process.kill()
        assert until(lambda: not any(map(runs, workers)), 5)


def test_what_nobody_waits_for_is_ended(campaign: Path) -> None:
    with service(campaign) as served:
        asked = served.asked(HEAVY)
        assert until(lambda: served.workers, 20)
        time.sleep(2)
        at_work = {each for each in served.workers if _seconds(each) > 0.2}
        assert at_work
        asked.close()
        assert until(lambda: not any(map(runs, at_work)), 2)
        assert served.get("/figure/archetypes.json")[0] == 200


def _seconds(pid: int) -> float:
    """Return the CPU time of a process."""
    try:
        parts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.slow  # a minute
def test_thousands_of_requests_and_many_abandoned_leave_nothing_behind(campaign: Path) -> None:
    """Half-open connections are closed within 20 seconds, memory and threads are where they were."""
    with service(campaign) as served:
        paths = [
            each.format(t=401 + n % 40, n=1 + n % 40, m=1 + n % 90)
            for n, each in enumerate(islice(cycle(LIGHT), 5_000))
        ]
        mixed(served, paths[:500])
        assert served.get(HEAVY.replace("downsampling", "archetypes"))[0] == 200
        memory, threads = served.status("VmRSS"), served.status("Threads")
        heads = ["", "GET /topics HTTP/1.1\r\nHost: 127.", "POST /anew HTTP/1.1\r\nContent-Length: 9\r\n\r\nx"]
        half = [served.sent(each) for each in islice(cycle(heads), 60)]
        begun = time.monotonic()
        mixed(served, paths)
        abandoned = [served.asked(f"/figure/{name}.png?measure=AP") for name in islice(cycle(["asl", "dominance"]), 50)]
        time.sleep(1)
        for each in abandoned:
            each.close()
        time.sleep(max(0.0, 21 - (time.monotonic() - begun)))
        assert sum(map(_closed, half)) == len(half)
        assert until(lambda: len(served.workers) <= 2, 20)
        assert until(lambda: served.get("/topics")[0] == 200 and served.status("Threads") <= threads + 2, 20)
        assert served.status("VmRSS") - memory < 80_000  # kB; figures may take 64 MB


def mixed(served: Served, paths: list[str]) -> None:
    with closing(served.connected()) as connection:
        found = {served.got(path, connection)[0] for path in paths}
    assert found <= {200, 400, 404}


def _closed(connection: socket.socket) -> bool:
    connection.settimeout(0.5)
    with connection:
        try:
            while connection.recv(4_096):  # an answer may stand before the end
                pass
        except TimeoutError:
            return False
        except OSError:
            return True
        return True


def test_five_thousand_moves_are_answered(campaign: Path) -> None:
    moves = json.dumps([["alder-a", f"document-{n}", 3] for n in range(5_000)])
    with service(campaign) as served:
        status, text = served.get(f"/topic?topic=401&changes={quote(moves)}")
    assert (status, "undo some changes" in text) == (414, True)


@pytest.mark.skipif(chromium() is None, reason="there is no Chromium here to look around with")
def test_a_browser_needs_the_token_once(campaign: Path) -> None:
    with service(campaign) as served, browsing(900) as page:
        assert "needs a token" in (page.goto(f"{served.address}/overview") or pytest.fail()).text()
        token = served.cookie.rpartition("=")[2]
        page.goto(f"{served.address}/topics?token={token}")
        assert page.url == f"{served.address}/topics"
        page.goto(f"{served.address}/overview")
        page.wait_for_selector("html[data-drawn]")
        assert page.locator(".drawing[data-drawn=yes]").count()
        assert page.evaluate("document.cookie") == ""
        Path(campaign, "qrels.txt").touch()
        page.reload()
        page.get_by_role("button", name="Read anew").click()
        page.wait_for_selector("html[data-drawn]")
        assert page.get_by_role("button", name="Read anew").count() == 0
        assert page.url.startswith(f"{served.address}/overview")
        # Another site: it may neither show nor read anything, and a link there has to be followed once more.
        picture = f"{served.address}/figure/heatmap.svg"
        page.route("http://elsewhere.example/", lambda route: route.fulfill(
            content_type="text/html", body=f'<a href="{served.address}/topics">see</a><img src="{picture}">'
        ))  # fmt: skip
        page.goto("http://elsewhere.example/")
        assert page.evaluate("document.images[0].complete && document.images[0].naturalWidth") == 0
        page.click("text=see")
        page.click("text=go on")
        page.wait_for_selector("h1:text('Topics')")
