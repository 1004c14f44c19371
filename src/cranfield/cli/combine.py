"""``cranfield combine`` (judge): make the labels of several judges one."""

from __future__ import annotations

import click

from cranfield.cli._files import Command, RunsRead
from cranfield.cli._options import conditions, declared
from cranfield.cli._output import Destination, present_with_notes, presented
from cranfield.plumbing.options import Classes, Combining


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  cranfield combine gpt.txt llama.txt qwen.txt -o combined.csv
  cranfield combine labels/*.txt --method mean -o combined.csv
  cranfield estimate sample.csv qrels.txt runs/*.gz -m P@10 --cheap combined.csv
""",
)
@click.argument("labels", nargs=-1, required=True, type=RunsRead(), metavar="[NAME=]LABELS...")
@declared(
    Combining, "--method", default="errors",
    meaning="By what each judge's errors seem to be (Dawid and Skene); or the mean place of a label among the judge's.",
)  # fmt: skip
@declared(Classes, "--classes", metavar="N", meaning="For errors: how many classes documents have. [default: 4]")
@conditions("comments")
@presented(meaning="csv, json and parquet are read as qrels.")
def command(
    labels: tuple[str, ...], method: Combining, classes: int | None, comments: bool | None, to: Destination
) -> None:
    """Combine LABELS of documents, a file a judge, each on a scale of its own, without an expert's grades.

    The result is one more judge, for `cranfield estimate --cheap`. Where experts judged a sample, give `estimate` the
    judges one by one instead: it learns from the experts what each of them is worth.
    """
    from cranfield.selection.combining import combine_judges

    found = combine_judges(labels, method=method, classes=classes, comments=bool(comments))
    present_with_notes(found, to)
