"""``cranfield estimate`` (judge): estimate scores from a sample of judgments."""

from __future__ import annotations

from pathlib import Path

import click

from cranfield.cli._derived import Call, Mode, derived
from cranfield.cli._files import FileRead
from cranfield.cli._options import (
    MEASURES_FROM,
    argument,
    conditions,
    measures_asked,
    option,
    per_topic,
    qrels_and_runs,
)
from cranfield.cli._output import Destination, present_with_notes, presented
from cranfield.plumbing.options import Level, Positive


@derived(
    argument("sample", FileRead, "SAMPLE"),
    qrels_and_runs(),
    measures_asked("P@10, AP; with --cheap P@10",
                   "P, RBP, SDCG, INSQ, DCG, CG, FlatUtility, DCGU, RBPU, NumRel, AP, nDCG or nCG, and with --cheap R "
                   "or Bpref; may be given several times."),
    option("--level", Level, "Confidence of the intervals.", 0.95),
    option("--top-grade GRADE", Positive, "Grade with gain 1. [default: the largest of QRELS]"),
    option("--cheap LABELS", FileRead,
           "Labels of all candidates by a cheap judge, such as a language model, on any scale, as "
           "qrels. Estimates stay unbiased and need fewer expert labels; AP, nDCG, nCG, R and Bpref "
           "are modelled. Repeat it to combine judges, for totals such as P.", multiple=True),
    option("--release FOLDER", click.Path(path_type=Path),
           "Write everything that others need to score their runs by these judgments to FOLDER (new or empty), with "
           "--cheap."),
    option("--baseline RUN", str, "Also estimate each run's difference from this one, with --cheap."),
    per_topic("Print the estimates of each topic before the means."),
    conditions("order", "depth", "comments", "rel"),
    presented(),
    MEASURES_FROM,
    modes=[
        Mode("--release", "estimates with the labels of one judge are released", needs=("cheap",)),
        Mode("--cheap several times", "estimates with the labels of one judge are released", ("release",),
             when=lambda asked: len(asked["cheap"]) > 1),
    ],
    examples="""
  cranfield estimate sample.csv qrels.txt runs/*.gz -m P@10 -m "RBP(p=0.8)"
  cranfield estimate sample.csv qrels.txt runs/*.gz -m AP -q -o estimates.csv
  cranfield estimate sample.csv qrels.txt runs/*.gz -m P@10 --cheap gpt.txt --baseline bm25
  cranfield estimate sample.csv qrels.txt runs/*.gz -m P@10 --cheap gpt.txt --cheap llama.txt
  cranfield estimate sample.csv qrels.txt runs/*.gz -m P@10 --cheap gpt.txt --release judgments
""",
)  # fmt: skip
def command(
    call: Call, sample: str, qrels: str, measures: tuple[str, ...], cheap: tuple[str, ...], release: Path | None,
    per_topic: bool, to: Destination,
) -> None:  # fmt: skip
    """Estimate measures of RUNS from SAMPLE, whose documents are all judged in QRELS.

    SAMPLE is the file that `cranfield sample -o sample.csv` wrote for the same RUNS, with the same --depth and --order.

    With --cheap, the labels of a cheap judge say what to expect of every candidate, and the experts' labels of SAMPLE
    correct the judge, whatever its errors. A second interval is for topics like these. Ratios are modelled: they have a
    bias. If SAMPLE lists every document that could have been drawn, RUNS may include others than those sampled.
    """
    from cranfield.judged.conditions import Reading
    from cranfield.scoring.judged_runs import open_qrels
    from cranfield.selection import Candidates
    from cranfield.selection.estimates import ESTIMATED_MEASURES, MEASURES_WITH_JUDGE, estimate
    from cranfield.selection.published_sample import refuse_release
    from cranfield.selection.published_sample import release as write_release
    from cranfield.selection.sampling import read_sample

    if release is not None:
        refuse_release(release)
    drawn, judged, candidates = read_sample(sample), open_qrels(qrels, call(Reading.asked)), call(Candidates.gather)
    asked = measures or (MEASURES_WITH_JUDGE if cheap else ESTIMATED_MEASURES)
    labels = cheap if len(cheap) > 1 else next(iter(cheap), None)
    found = call(estimate, candidates, drawn, judged, asked, cheap=labels)
    if release is not None:
        call(write_release, release, found, candidates, drawn, judged, cheap=cheap[0])
    present_with_notes(found, to, per_topic=per_topic)
