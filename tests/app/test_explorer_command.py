"""`cranfield explore` as a person starts it, where it does not come to serving."""

from __future__ import annotations

from pathlib import Path
from socket import create_server

import pytest
from click.testing import CliRunner

from cranfield.cli import main


def test_a_port_that_is_taken_is_said_before_anything_is_read(tmp_path: Path) -> None:
    with create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        call = ["explore", str(tmp_path / "qrels.txt"), str(tmp_path / "none.run"), "--no-browser", "--port", port]
        found = CliRunner().invoke(main, call)
    assert found.exit_code == 2
    assert found.output.splitlines()[-1].startswith(f"cranfield: port {port} cannot be used (address already in use)")


@pytest.mark.parametrize("given", [[], ["qrels.txt"]])
def test_what_to_look_at_is_asked_for(given: list[str]) -> None:
    found = CliRunner().invoke(main, ["explore", *given, "--no-browser", "--port", "0"])
    assert found.exit_code == 2
    assert "or --demo instead" in found.output
