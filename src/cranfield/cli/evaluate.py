"""``cranfield evaluate`` (evaluate): score runs against qrels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Unpack

import click

from cranfield.cli._collections import collections_asked, refuse_of_one, several
from cranfield.cli._files import Command
from cranfield.cli._golden import AskedOfGolden, golden_asked, golden_options
from cranfield.cli._options import (
    GROUPS,
    WEIGHTS,
    audited,
    conditions,
    declared,
    measures_asked,
    measures_from,
    per_topic,
    qrels_and_runs,
    sort,
)
from cranfield.cli._output import (
    Destination,
    Progress,
    end_with_audit,
    end_with_audits,
    present,
    present_with_caption,
    present_with_notes,
    presented,
)
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import TopicAverage

if TYPE_CHECKING:
    from cranfield.judged.conditions import Asked
    from cranfield.scoring.collection_scores import CollectionsLike
    from cranfield.scoring.scores import Scores


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  cranfield evaluate qrels.txt runs/*.gz -m official
  cranfield evaluate qrels.txt bm25=input.bm25.gz dense.run -m AP -m nDCG@5,10 -m "RBP(p=0.8)" -q -o scores.csv
  cranfield evaluate qrels.txt runs/*.gz -m AP -m nDCG@10 --sort nDCG@10
  cranfield evaluate qrels.txt runs/*.gz -m AP -m Twist --average median
  cranfield evaluate qrels.txt runs/*.gz --exclude self --weights traffic.txt --groups languages.csv
  cranfield evaluate --collection dl19 dl19.txt "dl19/*.gz" --collection covid covid.txt "covid/*.gz" -m nDCG@10
  cranfield evaluate qrels.txt bm25=hdfs:///runs/bm25 -m AP --engine spark --master spark://10.0.0.1:7077
""",
)
@qrels_and_runs(required=False)
@several
@measures_asked(
    "AP, nDCG@10, P@10, Bpref",
    "Such as AP, nDCG@5,10, RBP(p=0.8); trec_eval's names and sets (official, all_trec) are understood. "
    "May be given several times; `cranfield measures` lists all.",
)
@per_topic("Print the scores of each topic before the averages.")
@sort("Put the best run first, by this measure or by the first (give MEASURE as --sort=MEASURE, or --sort last).")
@presented("trec_eval")
@conditions()
@click.option(
    "--bounds", is_flag=True,
    help="Add how low and how high each value could be if all documents that RUNS retrieved were judged.",
)  # fmt: skip
@declared(
    TopicAverage, "--average", default="mean",
    meaning="How topics are averaged. In the geometric and the harmonic mean, which one 0 would make 0, values below "
    "0.00001 count as that (as in trec_eval's gm_map). Counts stay sums, and gmAP what it is.",
)  # fmt: skip
@WEIGHTS
@GROUPS
@golden_options
@click.option(
    "--engine",
    type=click.Choice(["local", "spark"]),
    default="local",
    show_default=True,
    help="Engine: this machine, or a cluster (pip install 'cranfield[spark]'). Of runs, and of qrels "
    "unless they are a file here, Spark reads Parquet; with -q -o NAME.parquet it writes the scores by topic there.",
)
@click.option("--master", metavar="URL", help="Cluster for --engine spark: spark://HOST:7077, yarn, local[4], ...")
@audited
@measures_from
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    collection: tuple[tuple[str, str, str], ...],
    collections: str | None,
    measures: tuple[str, ...],
    per_topic: bool,
    sort: str | None,
    to: Destination,
    bounds: bool,
    average: TopicAverage,
    weights: str | None,
    groups: str | None,
    docs: str | None,
    field: tuple[str, ...],
    match: str | None,
    engine: str,
    master: str | None,
    audit: bool,
    strict: bool,
    **conditions: Unpack[Asked],
) -> None:
    """Score RUNS (files, folders or globs, plain or compressed) by the judgments in QRELS."""
    from cranfield.scoring.evaluation import evaluate

    asked_of = collections_asked(qrels, runs, collection, collections)
    of_golden: AskedOfGolden = {"docs": docs, "field": field, "match": match}
    if any(of_golden.values()) and (qrels is None or asked_of is not None or engine == "spark"):
        raise InputError("--docs, --field and --match are for a golden set as QRELS; `cranfield convert` turns others")
    if asked_of is not None or qrels is None:
        refuse_of_one(bounds=bounds, engine=engine == "spark", master=master, weights=weights, groups=groups)
        _of_several(asked_of or {}, measures, sort, to, per_topic, audit, strict, {"average": average, **conditions})
        return
    if engine == "spark":
        from cranfield.cli._spark import evaluate_on_spark

        if weights is not None or groups is not None:
            raise InputError("--weights and --groups are not for Spark: take the scores by topic that it writes")
        asked = {name: value for name, value in conditions.items() if value is not None}
        asked |= {"bounds": bounds, "average": average}
        evaluate_on_spark(
            qrels, runs, measures or None, master, to,
            per_topic=per_topic, sort=sort, audit=audit, strict=strict, asked=asked,
        )  # fmt: skip
        return
    if groups is not None and per_topic:
        raise InputError("--groups has a row for each group, and -q one for each topic; ask for one of the two")
    if master is not None:
        raise InputError("--master is the address of a cluster, for --engine spark")

    if to.format == "trec_eval" and conditions["convention"] is None:
        # what prints so ranks so; trec_eval 10 ranks as we do
        conditions["order"] = conditions["order"] or ("score" if "all_trec10" in measures else "trec9")
    judged, lists, notes = golden_asked(qrels, runs, of_golden)
    with Progress("runs or parts of them") as progress:
        scores = evaluate(
            judged, lists, measures or None,
            bounds=bounds, average=average, weights=weights, progress=progress, **conditions,
        )  # fmt: skip
    if sort is not None:
        scores = scores.sorted_by(sort or None)
    if groups is None:
        present(scores, to, per_topic=per_topic)
        to.say(*_beside(scores, to.format))
    else:
        present_with_notes(scores.by_group(groups), to)
    to.say(*(f"note: {note}" for note in notes))
    end_with_audit(scores.audit, to, audit=audit, strict=strict)


def _of_several(
    collections: CollectionsLike, measures: tuple[str, ...], sort: str | None, to: Destination,
    per_topic: bool, audit: bool, strict: bool, asked: dict[str, Any],
) -> None:  # fmt: skip
    """Score runs on several collections."""
    from cranfield.scoring.collection_scores import evaluate_all

    with Progress("runs") as progress:
        scores = evaluate_all(collections, measures or None, progress=progress, **asked)
    if sort is not None:
        scores = scores.sorted_by(sort or None)
    present_with_caption(scores, to, per_topic=per_topic)
    to.say(*(f"note: {note}" for note in scores.remarks()))
    end_with_audits(scores, to, audit=audit, strict=strict)


def _beside(scores: Scores, format_: str) -> Iterator[str]:
    """Say which run is which, where the format does not, what names mean, and what is sure about bounds."""
    from cranfield.judged.completions import BOUND_KINDS

    if format_ == "trec_eval" and len(scores.runs) > 1:
        yield f"runs, a block each: {', '.join(scores.runs)}"
    yield from (f"note: {note}" for note in scores.remarks())
    for kind, meaning in BOUND_KINDS.items():
        names = [str(measure) for measure, found in scores.kinds.items() if found == kind]
        if names:
            yield f"bounds of {', '.join(names)}: {meaning}"
