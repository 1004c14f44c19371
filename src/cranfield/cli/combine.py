"""``cranfield combine`` (judge): make the labels of several judges one."""

from __future__ import annotations

from cranfield.cli._derived import Call, derived
from cranfield.cli._files import RUNS_READ
from cranfield.cli._options import arguments, conditions, option
from cranfield.cli._output import Destination, present_with_notes, presented
from cranfield.plumbing.options import Classes, Combining


@derived(
    arguments("labels", RUNS_READ, "[NAME=]LABELS..."),
    option("--method", Combining,
           "Method: errors estimates each judge's errors (Dawid and Skene); mean averages the rank of a label among "
           "the judge's.", "errors"),
    option("--classes N", Classes, "Number of classes of documents, for errors. [default: 4]"),
    conditions("comments"),
    presented(meaning="csv, json and parquet are read as qrels."),
    examples="""
  cranfield combine gpt.txt llama.txt qwen.txt -o combined.csv
  cranfield combine labels/*.txt --method mean -o combined.csv
  cranfield estimate sample.csv qrels.txt runs/*.gz -m P@10 --cheap combined.csv
""",
)  # fmt: skip
def command(call: Call, to: Destination) -> None:
    """Combine the LABELS of several judges, one file each and each on its own scale, without expert grades.

    The result is one more judge, for `cranfield estimate --cheap`. If experts judged a sample, give
    `estimate` the judges one by one instead: it learns from the experts how good each judge is.
    """
    from cranfield.selection.combining import combine_judges

    present_with_notes(call(combine_judges), to)
