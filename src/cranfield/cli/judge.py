"""``cranfield judge`` (judge): make relevance judgments in the browser."""

from __future__ import annotations

import click

from cranfield.cli import _judging, _judging_files


@click.group(
    epilog="""\b
Examples:
  cranfield judge demo
  cranfield judge new task --runs runs/*.gz --topics-file topics.xml --docs docs.jsonl --method C --p 0.8
  cranfield judge serve task
  cranfield judge export task qrels -o qrels.txt
"""
)
def command() -> None:
    """Make relevance judgments in the browser: people judge the document that tells most, and nothing is lost.

    A task is a folder. `serve` prints a link for each person; the others read the folder, also while it is served,
    or change it while it is not.
    """


for each in (*_judging.COMMANDS, *_judging_files.COMMANDS):
    command.add_command(each)
