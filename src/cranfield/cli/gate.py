"""``cranfield gate`` (compare): decide whether a new run may replace another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from cranfield.cli._derived import Call, Mode, derived
from cranfield.cli._ending import typed
from cranfield.cli._files import FileRead, FileWritten
from cranfield.cli._forms import CHUNKS, TABLE_OF_SCORES, TEXTS_OF_CHUNKS, of_chunks, of_scores, scores_of_chunks
from cranfield.cli._history import HISTORY, present_with_history
from cranfield.cli._kinds import Margin
from cranfield.cli._options import (
    AUDIT,
    CLUSTERS,
    CONDITIONS,
    MEASURES_FROM,
    NAMING,
    WEIGHTS_AND_GROUPS,
    argument,
    conditions,
    measures_asked,
    option,
    qrels_,
    seed,
)
from cranfield.cli._output import AuditAsked, Destination, present_with_notes, presented, then, write
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Level, Tolerance
from cranfield.statistics.conclusions import UNSETTLED

if TYPE_CHECKING:
    from cranfield.comparison.gating import Gate
    from cranfield.formats import RunsLike
    from cranfield.selection.sample_gate import SampleGate


_OF_CHUNKS: Final = ("EvidenceR@5", "EvidenceIoU@5")
"""Default measures of chunkings: that the evidence is found, and little else."""


class GroupMargin(Margin):
    """A margin, optionally for one group only: GROUP=MARGIN."""

    name = "[group=]number|N%"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> object:
        """Read the text."""
        if not isinstance(value, str):
            return value
        group, named, margin = value.rpartition("=")
        return (group if named else None), super().convert(margin, param, ctx)


def _group_margin(
    given: tuple[tuple[str | None, tuple[float, bool]], ...], *, relative: bool
) -> float | dict[str, float] | None:
    """Return the margin of all groups, or those of some."""
    if any(share != relative for _, (_, share) in given):
        raise InputError(
            "give --margin and --group-margin both as a percentage of the base's mean, or both in the measure's unit"
        )
    margins = {name: margin for name, (margin, _) in given if name is not None}
    if len(given) > max(1, len(margins)) or (margins and len(margins) < len(given)):
        raise InputError("give --group-margin once for all groups, or as GROUP=DIFFERENCE once per group")
    return margins or (given[0][1][0] if given else None)


def _by_sample(
    call: Call, qrels: str, base: str, new: str | None, sample: str, margin: tuple[float, bool], junit: str | None,
    documents: str | None, on_undecided: Tolerance, on_unjudged: Tolerance, to: Destination,
) -> None:  # fmt: skip
    """Estimate the difference, and decide."""
    from cranfield.judged.conditions import Reading
    from cranfield.scoring.judged_runs import open_qrels
    from cranfield.selection import Candidates
    from cranfield.selection.sample_gate import gate_by_sample
    from cranfield.selection.sampling import read_sample

    listed_as, judged = _listed_as(documents), open_qrels(qrels, call(Reading.asked))
    candidates = call(Candidates.gather, _runs(base, new))
    found = call(gate_by_sample, candidates, read_sample(sample), judged, margin=margin[0], relative=margin[1])
    present_with_notes(found, to)
    _end(found, junit, documents, listed_as, (on_undecided, on_unjudged))


def _runs(base: str, new: str | None) -> RunsLike:
    """Return the two runs, named so where their files have one name, as out/main/run.txt and out/branch/run.txt do."""
    from cranfield.formats.files import unpacked_name

    if new is not None and Path(unpacked_name(base)).stem == Path(unpacked_name(new)).stem:
        return {"base": base, "new": new}
    return [each for each in (base, new) if each is not None]


def _listed_as(documents: str | None) -> str:
    """Return the format of the documents, or refuse it before the work."""
    from cranfield.results.output_formats import format_for

    return "table" if documents is None else format_for(documents, None)


def _end(
    found: Gate | SampleGate, junit: str | None, documents: str | None, listed_as: str,
    tolerated: tuple[Tolerance, Tolerance],
) -> None:  # fmt: skip
    """Write what else was asked for, and end with the status of the verdict."""
    from cranfield.results.output_formats import render
    from cranfield.statistics.conclusions import status_of

    if junit is not None:
        write(found.to_junit(), Destination("xml", junit, quiet=True))
    if documents is not None:
        write(render(found.documents, listed_as), Destination(listed_as, documents, quiet=True))
    if status := status_of(found.verdict, *tolerated):
        click.get_current_context().exit(status)


@derived(
    option("--settings FILE", FileRead,
           'TOML file with options of this command, such as on-unjudged = "fail"; the command line overrides it.',
           is_eager=True, callback=lambda ctx, param, value: _settle(ctx, value)),
    qrels_(required=False),
    argument("base", FileRead, required=False),
    argument("new", FileRead, required=False),
    TABLE_OF_SCORES,
    measures_asked("nDCG@10; with --sample P@10; with --chunks EvidenceR@5 and EvidenceIoU@5"),
    option("--margin", Margin,
           "Loss to tolerate, in the unit of the measures or as a percentage of the base's mean; 0 asks for a gain.",
           "0.01"),
    option("--alpha", Level, "Level of the verdicts, two-sided; intervals have the level 1 - alpha.", 0.05),
    option("--power", Level, "Probability with which the additional topics should decide.", 0.8),
    option("--junit FILE", FileWritten, "Also write JUnit XML."),
    option("--documents FILE", FileWritten,
           "List the unjudged documents of both runs that could change the verdict, the most decisive first."),
    WEIGHTS_AND_GROUPS,
    CLUSTERS,
    option("--group-margin", GroupMargin,
           "Margin within each of the --groups, where NEW must not be worse in any; GROUP=MARGIN sets one group's. "
           "Repeatable. [default: that of --margin]", multiple=True),
    option("--on-undecided", Tolerance, "Exit status of an undecided verdict: pass 0, fail 1, warn 3.", "warn"),
    option("--on-unjudged", Tolerance,
           "Exit status of a verdict that unjudged documents could reverse: pass 0, fail 1, warn 4.", "warn"),
    option("--strict-judgments", bool,
           "Accept only certain verdicts, not plausible ones (those that hold if unjudged documents resemble judged "
           "ones)."),
    seed("Seed of the completions that test whether a verdict is plausible."),
    option("--sample SAMPLE", FileRead,
           "Sample that experts judged, as `cranfield sample --design weighted` writes it. Weighted sums over ranks "
           "are estimated from it, also for runs that had no part in the sample."),
    option("--cheap LABELS", FileRead, "Labels of all documents by a cheap judge, as for `cranfield estimate`."),
    HISTORY,
    CHUNKS,
    TEXTS_OF_CHUNKS,
    conditions(),
    AUDIT,
    presented(meaning="markdown is for a pull request; csv, json and parquet hold every number."),
    MEASURES_FROM,
    modes=(
        Mode("--sample", "the gate estimates from expert judgments and a cheap judge's labels", needs=("cheap",),
             alone_has=("cheap",)),
        Mode("--sample",
             "topics and documents are those of the sample, and the number of further topics is not estimated",
             ("weights", "clusters", "groups", "group_margin", "keep", "since", "power", "not_run",
             "strict_judgments", "seed", *sorted({*CONDITIONS} - {"order", "depth", "comments", "rel", *NAMING})),
             does=_by_sample),
        Mode("--groups", alone_has=("group_margin",)),
        of_scores("qrels", "base", "documents", "sample", "cheap", "chunks", "keep", "since", "strict_judgments"),
        *of_chunks("documents", "keep", "since", "sample", "cheap", "strict_judgments"),
    ),
    examples="""
  cranfield gate qrels.txt main.run branch.run --margin 0.01 -m nDCG@10 -m RR@10
  cranfield gate qrels.txt main.run branch.run --margin 2% --format markdown >> "$GITHUB_STEP_SUMMARY"
  cranfield gate qrels.txt main.run branch.run --groups languages.csv --group-margin de=0.05
  cranfield gate qrels.txt main.run branch.run --since last.json --keep this.json --format markdown
  cranfield gate qrels.txt main.run branch.run --junit gate.xml --documents to-judge.csv
  cranfield gate spans.jsonl fixed.jsonl sentences.jsonl --chunks -m EvidenceR@5
  cranfield gate qrels.txt main.run branch.run --sample sample.csv --cheap labels.txt -m P@10 -M 10
""",
)  # fmt: skip
def command(
    call: Call, base: str, new: str | None, scores: str | None, margin: tuple[float, bool],
    group_margin: tuple[tuple[str | None, tuple[float, bool]], ...], junit: str | None, documents: str | None,
    on_undecided: Tolerance, on_unjudged: Tolerance, chunks: bool, to: Destination, audited: AuditAsked,
) -> None:  # fmt: skip
    """Decide whether the run NEW is better than BASE, equivalent, not worse by more than a margin, worse, or undecided.

    One file may hold both runs, the base first.

    The exit status is 0 if NEW is better, equivalent or not worse by every measure, 1 if it is worse by any, 4 if
    unjudged documents of either run could reverse the verdict on what was judged (--documents lists which to judge), 3
    if the verdict is undecided (the table says how many more topics would probably decide), and 2 if no verdict is
    possible. --on-undecided and --on-unjudged make 3 and 4 pass or fail.

    A verdict is certain if it also holds at the least and at the most that the unjudged documents allow, and plausible
    if it holds in 95% of the ways in which they could resemble judged ones; --strict-judgments accepts only certain
    ones.

    With --sample and --cheap, the verdict rests on estimates, and holds whatever the errors of the cheap labels:
    documents that could not be drawn are counted both for and against NEW (--documents lists them).
    """
    from cranfield.comparison.gating import gate

    of_groups = _group_margin(group_margin, relative=margin[1])
    listed_as, runs = _listed_as(documents), _runs(base, new)
    margins: Any = {"margin": margin[0], "relative": margin[1], "group_margin": of_groups}
    if chunks:
        measured, left = scores_of_chunks(call, runs, usual=_OF_CHUNKS)
        found = left(gate, measured, **margins)
    elif scores is not None:
        found = call(gate, scores, **margins)
    else:
        found = call(gate, runs=runs, **margins)
    present_with_history(
        found, to, call, runs=runs, measures=found.rows["measure"].to_list(), by_place=True,
        command=_next(found, call, base, new),
    )  # fmt: skip
    to.say(*(f"note: {note}" for note in found.notes))
    if found.audit is not None:
        audited.say(found.audit.lines, to)
    _end(found, junit, documents, listed_as, (on_undecided, on_unjudged))


def _next(found: Gate, call: Call, base: str, new: str | None) -> str:
    """Return the command that lists what to judge, where that decides, or else says why one run is ahead."""
    if new is None or found.audit is None or call.options["chunks"] or not any(duel.lead for duel in found.duels):
        return ""
    if found.verdict in UNSETTLED:
        return "" if call.options["documents"] else f"{typed()} --documents to-judge.csv"
    runs = (f"base={base}", f"new={new}") if (found.base, found.new) == ("base", "new") else (base, new)
    return then("why", str(call.options["qrels"]), *runs, "-m", found.decides)


def _settle(ctx: click.Context, path: str | None) -> str | None:
    """Let a file of settings say what the options are where they are not given."""
    if path is None:
        return None
    from cranfield.formats.loading import load
    from cranfield.plumbing.wording import did_you_mean

    held = load(path)
    known = {flag.removeprefix("--"): each for each in ctx.command.params for flag in each.opts if flag[:2] == "--"}
    ctx.default_map = {}
    for name, value in held.toml().items():
        if name not in known or name == "settings":
            raise held.wrong(f"there is no option {name!r}{did_you_mean(name, known)}")
        one = [value] if known[name].multiple and not isinstance(value, list) else value
        ctx.default_map[str(known[name].name)] = one
    return path
