"""Files of teams, plain and with a header, right and wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from cranfield.formats.teams import read_teams
from cranfield.plumbing.errors import InputError


@pytest.mark.parametrize(
    "text",
    [
        "a\tX and Y\nb\tZ\n",
        "\n a , X and Y\r\nb,Z\r\n",
        "submitted\tParticipant\tRun\n2019\tX and Y\ta\n2020\tZ\tb\n2020\tZ\tc\n",
    ],
)
def test_tabs_commas_and_headers(text: str, tmp_path: Path) -> None:
    file = tmp_path / "teams"
    file.write_bytes(text.encode())
    assert read_teams(file, ["b", "a", "b"]) == ["Z", "X and Y", "Z"]


def test_blanks(tmp_path: Path) -> None:
    file = tmp_path / "teams"
    file.write_text("a   X\n\nb Y\na X\n")
    assert read_teams(file, ["a", "b"]) == ["X", "Y"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a X\n", "no line for run 'b' and 1 more"),
        ("a X\nb\n", "line 2: 1 cells"),
        ("a X\n\na Y\n", "line 3: run 'a' has team 'Y' here and 'X' above"),
    ],
)
def test_what_is_wrong_is_said(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "teams"
    file.write_text(text)
    with pytest.raises(InputError, match=said):
        read_teams(file, ["a", "b", "c"])


def test_the_teams_of_a_track(data: Path) -> None:
    teams = read_teams(data / "dl19-passage" / "official" / "runs.tsv", ["p_bert", "test1", "p_exp_bert"])
    assert teams == ["h2oloo", "Brown", "h2oloo"]
