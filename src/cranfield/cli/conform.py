"""``cranfield conform`` (study measures): test whether another tool computes what its measures say."""

from __future__ import annotations

from cranfield.cli._derived import Mode, derived
from cranfield.cli._ending import found_wanting
from cranfield.cli._files import FileRead
from cranfield.cli._options import argument, option
from cranfield.cli._output import Destination, present, presented


@derived(
    argument("answers", FileRead, required=False),
    option("--write DIR", str, "Write the suite to this folder: cases, schemas, and a README.", name="folder"),
    presented(),
    modes=[Mode("--write", "the suite is written, and nothing is tested", ("answers",))],
    examples="""
  cranfield conform --write suite
  cranfield conform answers.json
  cranfield conform answers.json --format json -o verdicts.json
""",
)
def command(answers: str | None, folder: str | None, to: Destination) -> None:
    """Test whether another tool computes its measures correctly.

    The suite (--write) holds cases in JSON that any language can load. ANSWERS is the JSON file with the
    tool's value for each case. Each measure conforms to a convention, or its mistake is named. The exit
    status is 0 if every measure conforms, and 1 otherwise.
    """
    from cranfield.conformance import conform, write_suite

    if folder is not None:
        to.say(*(str(file) for file in write_suite(folder)))
        return
    found = conform(str(answers))
    to.say(found.caption())
    present(found, to, captioned=False)
    found_wanting(not found.conforms)
