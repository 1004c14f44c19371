"""Writing a campaign: whole or not at all, the same bytes for the same seed, and said to be simulated."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click
import polars as pl
import pytest
from click.testing import CliRunner

from cranfield.campaigns import Campaign, simulate, simulated, write_campaign
from cranfield.campaigns.recipe import RANGES, Parameters
from cranfield.cli.simulate import command
from cranfield.plumbing.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def campaign() -> Campaign:
    return simulate(systems=5, topics=3, depth=20, pool_depth=5)


def _contents(directory: Path) -> dict[str, bytes]:
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def test_the_files_hold_the_tables(campaign: Campaign, tmp_path: Path) -> None:
    write_campaign(campaign, tmp_path / "new" / "campaign")
    written = tmp_path / "new" / "campaign"
    assert sorted(path.name for path in written.iterdir()) == ["README.txt", "qrels.txt", "runs"]
    assert sorted(path.stem for path in (written / "runs").iterdir()) == sorted(campaign.names)
    qrels = [line.split(" ") for line in (written / "qrels.txt").read_text().splitlines()]
    assert [(q, d, int(g)) for q, _, d, g in qrels] == campaign.qrels.rows()
    for name, run in campaign.runs().items():
        lines = [line.split(" ") for line in (written / "runs" / f"{name}.txt").read_text().splitlines()]
        assert [(q, d, float(s)) for q, _, d, _, s, _ in lines] == run.rows()
        ranks = run.select(pl.int_range(1, pl.len() + 1).over("query_id")).to_series().to_list()
        assert [int(line[3]) for line in lines] == ranks
        assert {(line[1], line[5]) for line in lines} == {("Q0", name)}


def test_the_same_seed_gives_the_same_bytes(campaign: Campaign, tmp_path: Path) -> None:
    write_campaign(campaign, tmp_path / "first")
    write_campaign(simulate(systems=5, topics=3, depth=20, pool_depth=5), tmp_path / "second")
    assert _contents(tmp_path / "first") == _contents(tmp_path / "second")


def test_the_readme_says_simulated_and_its_command_makes_the_same_files(campaign: Campaign, tmp_path: Path) -> None:
    write_campaign(campaign, tmp_path / "first")
    readme = (tmp_path / "first" / "README.txt").read_text()
    assert "SIMULATED" in readme
    assert campaign.description in readme
    line = next(line for line in readme.splitlines() if line.strip().startswith("cranfield simulate"))
    arguments = shlex.split(line.replace("DIR", str(tmp_path / "second")))[2:]
    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    assert _contents(tmp_path / "first") == _contents(tmp_path / "second")


def test_an_empty_directory_is_filled_in_place(campaign: Campaign, tmp_path: Path) -> None:
    target = tmp_path / "empty"
    target.mkdir()
    before = target.stat().st_ino
    write_campaign(campaign, target)
    assert target.stat().st_ino == before
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]


def test_a_directory_that_holds_something_is_refused_and_left_alone(campaign: Campaign, tmp_path: Path) -> None:
    target = tmp_path / "full"
    target.mkdir()
    (target / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match=r"full: holds something already"):
        write_campaign(campaign, target)
    assert _contents(tmp_path) == {"full/mine.txt": b"mine"}


def test_a_file_in_the_place_is_refused(campaign: Campaign, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match="is a file; name a folder"):
        write_campaign(campaign, tmp_path / "file")
    with pytest.raises(InputError, match="cannot be made"):
        write_campaign(campaign, tmp_path / "file" / "below")
    assert _contents(tmp_path) == {"file": b"mine"}


@pytest.mark.parametrize("exists", [False, True])
def test_a_failure_on_the_way_leaves_nothing(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exists: bool
) -> None:
    def disk_full(_: Campaign) -> str:
        raise OSError(28, "No space left on device")

    target = tmp_path / "new"
    if exists:
        target.mkdir()
    monkeypatch.setattr(simulated, "_readme", disk_full)
    with pytest.raises(InputError, match="No space left on device"):
        write_campaign(campaign, target)
    assert list(tmp_path.rglob("*")) == ([target] if exists else [])


def test_the_command_says_what_it_wrote_and_what_to_try(tmp_path: Path) -> None:
    target = tmp_path / "a campaign"
    options = ["--systems", "4", "--topics", "2", "--depth", "10"]
    result = CliRunner().invoke(command, [str(target), *options], catch_exceptions=False)
    assert result.exit_code == 0
    assert "Simulated data" in result.output
    assert f"cranfield evaluate '{target}/qrels.txt' '{target}/runs'/*.txt -m official" in result.output


def test_the_command_names_the_range_of_an_option(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, [str(tmp_path / "new"), "--systems", "2"])
    assert result.exit_code == 2
    assert "--systems" in result.output
    assert "4<=x<=10000" in result.output
    assert not (tmp_path / "new").exists()


def test_the_options_of_the_command_are_the_parameters() -> None:
    options = {option.name: option for option in command.params if isinstance(option, click.Option)}
    assert {name: (o.type.min, o.type.max) for name, o in options.items()} == RANGES  # type: ignore[attr-defined]
    assert {name: o.default for name, o in options.items()} == {name: getattr(Parameters(), name) for name in RANGES}
