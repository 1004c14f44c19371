"""Files of teams, plain and with a header, right and wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from cranfield.formats.teams import read_priorities, read_teams
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


@pytest.mark.parametrize(
    "text",
    [
        "a\tUniversity of A\t1\nb\tX, Y\t2\n",
        'a,University of A,1\nb,"X, Y",2\n',
        'run,team,priority,note\na,University of A,1,\nb,"X, Y",2,"late, but there"\n',
    ],
)
def test_names_of_several_words_are_whole(text: str, tmp_path: Path) -> None:
    file = tmp_path / "teams"
    file.write_text(text)
    assert read_teams(file, ["a", "b"]) == ["University of A", "X, Y"]
    assert read_priorities(file, ["a", "b"]) == [1, 2]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "a University of A\nb University of B\n",
            "line 1: 4 cells, where a line is a run, its team",
        ),
        ("a X\nb Big Y\n", "line 2: 3 cells, where a line is a run"),
        ("a,University of A, Dept B\n", "line 1: 3 cells, where a line is a run"),
        (
            "run team\na X\nb Big Y\n",
            "line 3: 3 cells, where the header has 2; put tabs between",
        ),
    ],
)
def test_no_name_is_cut(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "teams"
    file.write_text(text)
    with pytest.raises(InputError, match=said):
        read_teams(file, ["a", "b"])


def test_line_feeds_alone_end_lines(tmp_path: Path) -> None:
    file = tmp_path / "teams"
    file.write_text("a\tX\x85\u2028Y\nb\tZ\n", encoding="utf-8")
    assert read_teams(file, ["a", "b"]) == ["X\x85\u2028Y", "Z"]
