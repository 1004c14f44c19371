"""``cranfield conform`` (study measures): test whether another tool computes what its measures say."""

from __future__ import annotations

import click

from cranfield.cli._ending import FOUND_WANTING
from cranfield.cli._files import Command, FileRead
from cranfield.cli._output import Destination, present_with_caption, presented
from cranfield.plumbing.errors import InputError


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  cranfield conform --write suite
  cranfield conform answers.json
  cranfield conform answers.json --format json -o verdicts.json
""",
)
@click.argument("answers", type=FileRead(), required=False)
@click.option("--write", "folder", metavar="DIR", help="Write the suite there: cases, schemas, and a README.")
@presented()
def command(answers: str | None, folder: str | None, to: Destination) -> None:
    """Test whether another tool computes what its measures say.

    The suite (--write) has cases in JSON that any language can load. ANSWERS is the JSON file that the
    tool writes: its value of each case. Each measure conforms to a convention, or its mistake is named.

    The exit status is 0 if every measure conforms, and 1 otherwise.
    """
    from cranfield.conformance import conform, write_suite

    if (answers is None) == (folder is None):
        raise InputError("give a file of answers, or --write DIR for the suite")
    if folder is not None:
        to.say(*(str(file) for file in write_suite(folder)))
        return
    found = conform(str(answers))
    present_with_caption(found, to)
    if not found.conforms:
        click.get_current_context().exit(FOUND_WANTING)
