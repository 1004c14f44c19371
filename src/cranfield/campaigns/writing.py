"""Writing a simulated campaign as TREC files: all of it or nothing."""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path

from cranfield.campaigns.simulated import Campaign
from cranfield.formats.writing import new_folder
from cranfield.plumbing.lazy import pl
from cranfield.plumbing.tables import DOCUMENT, QUERY, RANK, RELEVANCE, SCORE


def write_campaign(campaign: Campaign, directory: str | os.PathLike[str]) -> None:
    """Write ``qrels.txt``, ``runs/NAME.txt`` and a ``README.txt`` that says how they were made.

    Parameters
    ----------
    campaign
        What :func:`~cranfield.campaigns.simulate` returned.
    directory
        Where to write: a directory that does not exist yet, or is empty.

    Raises
    ------
    InputError
        If the directory holds something, or cannot be written. What was there is left as it was.

    Examples
    --------
    >>> import tempfile
    >>> from cranfield.campaigns import simulate
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     write_campaign(simulate(systems=4, topics=1, depth=10, pool_depth=5), directory)
    ...     print(sorted(path.name for path in Path(directory).iterdir()))
    ...     print((Path(directory) / "runs" / "alder-b.txt").read_text().splitlines()[0])
    ['README.txt', 'qrels.txt', 'runs']
    401 Q0 ...
    """
    with new_folder(directory) as aside:
        _write_files(campaign, aside)


def _write_files(campaign: Campaign, directory: Path) -> None:
    _write_trec(_qrels_lines(campaign.qrels), directory / "qrels.txt")
    (directory / "runs").mkdir()
    for name, run in campaign.runs().items():
        _write_trec(_run_lines(run, name), directory / "runs" / f"{name}.txt")
    (directory / "README.txt").write_text(_readme(campaign), encoding="utf-8", newline="\n")


def _qrels_lines(qrels: pl.DataFrame) -> pl.DataFrame:
    return qrels.select(QUERY, pl.lit(0).alias("iteration"), DOCUMENT, RELEVANCE)


def _run_lines(run: pl.DataFrame, name: str) -> pl.DataFrame:
    rank = pl.int_range(1, pl.len() + 1).over(QUERY).alias(RANK)
    return run.select(QUERY, pl.lit("Q0").alias("Q0"), DOCUMENT, rank, SCORE, pl.lit(name).alias("tag"))


def _write_trec(lines: pl.DataFrame, path: Path) -> None:
    text = lines.write_csv(separator=" ", include_header=False, quote_style="never", float_precision=4)
    path.write_text(text, encoding="utf-8", newline="\n")


def _readme(campaign: Campaign) -> str:
    return f"""\
THIS DATA IS SIMULATED. No system was run, no document exists, and nobody judged anything.

{campaign.description}

qrels.txt       judgments: topic 0 document grade. What is not in it was not judged.
runs/NAME.txt   one run each: topic Q0 document rank score name

The same files again, from the same versions (cranfield {version("cranfield")}, numpy {version("numpy")}):

    {campaign.parameters.command}
"""
