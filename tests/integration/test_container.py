"""The steps of the Containerfile, run as a script: in an environment of its own, by another user where that can be."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import HTTPCookieProcessor, build_opener

import pytest

pytestmark = [pytest.mark.integration, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
USER = 10_001


def steps() -> list[tuple[str, str]]:
    lines = (ROOT / "Containerfile").read_text(encoding="utf-8").splitlines()
    return [(kind, rest) for kind, _, rest in (line.partition(" ") for line in lines if line[:1].isupper())]


def test_the_user_has_no_rights_and_keeps_files_in_a_volume() -> None:
    kinds = [kind for kind, _ in steps()]
    said = dict(steps())
    assert kinds.index("USER") > max(i for i, kind in enumerate(kinds) if kind == "RUN")
    assert (said["USER"], said["WORKDIR"], said["VOLUME"]) == ("cranfield", "/data", "/data")
    assert f"--uid {USER}" in next(rest for kind, rest in steps() if kind == "RUN" and "useradd" in rest)


@pytest.mark.skipif(os.name == "nt", reason="cannot do this here")
def test_what_it_installs_serves(tmp_path: Path) -> None:
    source, home, data = tmp_path / "source", tmp_path / "home", tmp_path / "data"
    ignored = shutil.ignore_patterns(".git", "__pycache__", "*.so", "_build", "tests", "benchmarks", ".*_cache")
    shutil.copytree(ROOT, source, ignore=ignored)
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    installed = next(rest for kind, rest in steps() if kind == "RUN" and "pip install" in rest)
    line = installed.replace("python -m", f"{home}/bin/python -m").replace("/source", str(source))
    subprocess.run(["bash", "-c", line], check=True, env={**os.environ, "PYTHONPATH": ""})
    data.mkdir()
    environment = {"PATH": f"{home}/bin:/usr/bin:/bin", "HOME": str(data)}
    who: dict[str, int] = {}
    python = Path(sys.executable).resolve()
    if os.geteuid() == 0 and all(folder.stat().st_mode & 0o001 for folder in python.parents):
        os.chown(data, USER, USER)
        for folder in [tmp_path, *tmp_path.parents]:
            if not folder.stat().st_mode & 0o001 and folder != Path("/"):
                folder.chmod(0o711)
        who = {"user": USER, "group": USER}
    for arguments in (json.loads(dict(steps())["CMD"]), ["judge", "demo", "--no-browser"]):
        command = [*json.loads(dict(steps())["ENTRYPOINT"]), *arguments, "--port", "0"]
        server = subprocess.Popen(command, cwd=data, env=environment, stderr=subprocess.PIPE, text=True, **who)  # type: ignore[call-overload]
        assert server.stderr is not None
        try:
            told = server.stderr.readline()
            address = re.search(r"ready at (http://127\.0\.0\.1:\d+\S*)", told)
            assert address, told + server.stderr.read()
            time.sleep(0.5)
            with build_opener(HTTPCookieProcessor()).open(address[1]) as answer:
                assert answer.status == 200
        finally:
            server.terminate()
            assert server.wait(20) in {143, -15}
            server.stderr.close()
