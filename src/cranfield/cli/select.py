"""``cranfield select`` (judge): choose which documents to judge next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cranfield.cli._derived import Call, Mode, derived
from cranfield.cli._files import FileRead, NamedFileRead
from cranfield.cli._kinds import offered
from cranfield.cli._options import MEASURES_FROM, conditions, option, qrels_option, runs_, seed
from cranfield.cli._output import Destination, present_with_caption, presented
from cranfield.plumbing.errors import InputError
from cranfield.plumbing.options import Count, Level, Positive, Scope
from cranfield.plumbing.wording import counted

if TYPE_CHECKING:
    from cranfield.selection import Candidates
    from cranfield.selection.records import Records

BUDGET: Final = 100  # How many documents are chosen, unless there is a pool to choose all of


@derived(
    runs_(),
    option("--method NAME", str, "Method of selection: depth, pool, A, C(power=2.5) ... (a wrong name lists all).", "C",
           shell_complete=offered("cranfield.selection.method", "METHODS")),
    option("-m --measure MEASURE", str, "A weighted sum over ranks. [default: RBP with --p]"),
    option("--p P", Level, "Persistence of RBP. [default: 0.8]"),
    option("--budget N", Count,
           "Number of documents to choose. [default: 100; with --depth-by-priority, the whole pool]"),
    qrels_option("Judgments so far: judged documents are not chosen again, and methods use their grades."),
    option("--among FILE", FileRead,
           "Choose only from the documents in this file: a pool, or the list of `gate --documents` or of the table "
           "documents of `experiment certificate`."),
    option("--teams FILE", FileRead,
           "Team and priority of each run: lines `run team priority`, or columns of these names."),
    option("--depth-by-priority RANK,...", tuple[Count, ...],
           "Choose only from the top of each run: down to the first of these ranks in runs of priority 1, the "
           "second in runs of priority 2, ...; no documents of other runs. Needs --teams."),
    option("--files DIR", str,
           "Write the documents to one file per topic, in an order that hides their ranks (by a "
           "digest of --seed and id), and show what each run and team contributes.", name="folder"),
    option("--top-grade GRADE", Positive,
           "Largest grade of the scale. [default: that of --qrels or --log, at least 1]"),
    option("--scope", Scope,
           "Scope of the scores that methods B and C use: the document's topic, or all topics.", "topic"),
    option("--status", bool,
           "Choose nothing; show what is known about each run, who can still win, what may be missed, and whether to "
           "stop.", name="status_"),
    option("--stop RULE", str,
           "Stopping rule to check: FewRelevantLeft(10), LeaderKnown(level=0.05) ... (a wrong name "
           "lists all).", multiple=True),
    option("--log FILE", NamedFileRead,
           "Log of judgments (JSON lines), instead of --qrels: with their order the audit can bound more tightly."),
    option("--cheap FILE", FileRead, "Labels of the candidates from before the first judgment; good ones save audits."),
    option("--renew-every N", Count, "Number of judgments after which weights are renewed.", 1),
    seed("Seed of random choices."),
    conditions("order", "depth", "comments"),
    presented("trec", meaning="trec is a line `topic document` each, as in pools for assessors."),
    MEASURES_FROM,
    modes=(
        Mode("--status", "nothing is chosen", ("budget", "folder"), alone_has=("stop",)),
        Mode("--stop LeaderKnown", alone_has=("cheap",),
             when=lambda options: any("LeaderKnown" in rule for rule in options["stop"])),
        Mode("--log", "it has the judgments", ("qrels",)),
        Mode("--depth-by-priority", "it has the priority of each run", needs=("teams",)),
        Mode("--depth-by-priority or --files", alone_has=("teams",)),
        Mode("--format trec", "trec writes one list of documents, not a file for each topic", ("folder",)),
    ),
    examples="""
  cranfield select runs/*.gz --budget 5000 --method B -o pool.txt --format trec
  cranfield select runs --qrels so-far.txt --method C --p 0.8 --budget 200
  cranfield select runs --method depth --depth 10 --budget 1000000 -o pool.csv
  cranfield select runs --method audit --budget 300 --format trec -o audit.txt
  cranfield select runs --qrels so-far.txt --status --stop "FewRelevantLeft(20)" --stop LeaderKnown
  cranfield select runs --method depth --teams teams.tsv --depth-by-priority 100,50 --files pool
  cranfield gate qrels.txt main.run new.run --documents harm.csv
  cranfield select main.run new.run --qrels qrels.txt --among harm.csv --method A
""",
)  # fmt: skip
def command(
    call: Call, budget: int | None, qrels: str | None, among: str | None, teams: str | None,
    depth_by_priority: tuple[int, ...] | None, folder: str | None, top_grade: float | None, seed: int, status_: bool,
    stop: tuple[str, ...], log: str | None, cheap: str | None, to: Destination,
) -> None:  # fmt: skip
    """Choose the documents of RUNS to judge next, the most useful first.

    Methods whose order depends on the answers (C, mtf, ...) give the current order: judge some documents, and select
    again with --qrels. The others plan the whole budget.
    """
    from cranfield.formats.long_tables import read_list
    from cranfield.selection import Candidates, Judging
    from cranfield.selection.plan import Plan, measure_named
    from cranfield.selection.pools import Pool
    from cranfield.selection.records import Amended, Assessed, Log, Records
    from cranfield.selection.stop_rules import rule_named

    rules = [rule_named(text) for text in stop]
    if log and not Path(log).exists():  # a log may be begun by naming it, but this one is to be read
        raise InputError("no such file", source=log)
    candidates = call(Candidates.gather)
    listed = None if among is None else read_list(among)
    pooled = _pooled(candidates, teams, depth_by_priority, seed)
    if "depth" in pooled:
        within = Pool.of(candidates, **pooled).documents.rows()
        listed = within if listed is None else [*({*within} & {*listed})]
        budget = budget or max(len(listed), 1)
    events = () if log is None else Log(log)
    if log is not None and top_grade is None:
        top_grade = max([1.0, *(each.grade or 0.0 for each in events if isinstance(each, Assessed | Amended))])
    judging = call(Judging, candidates, call(measure_named), judged=qrels, top_grade=top_grade, among=listed)
    if log is not None and (outside := _not_among(Records(events, judging=judging), listed)):
        judgments = counted(outside, "judged document of the log is", "judged documents of the log are")
        to.say(f"note: {judgments} not among the candidates, and not counted")
    if status_:
        status = judging.status(rules, cheap=cheap)
        present_with_caption(status, to)
        to.say(*status.remarks())
        return
    plan = Plan.of(judging, budget or BUDGET)
    if folder is None:
        present_with_caption(plan, to)
    else:
        pool = Pool.of(candidates, plan.documents["topic", "document"].rows(), **pooled)
        pool.write(folder)
        present_with_caption(pool, to)
        to.say(plan.caption())
    if not plan.documents.height:
        to.say(f"note: everything that {'the runs retrieved' if listed is None else 'may be chosen'} is judged")


def _pooled(
    candidates: Candidates, teams: str | None, depth_by_priority: tuple[int, ...] | None, seed: int
) -> dict[str, Any]:
    """Return what a pool is gathered by: teams, and the depth of each run, where these are asked for."""
    from cranfield.formats.teams import read_priorities, read_teams
    from cranfield.selection.pools import depths_by_priority

    found: dict[str, Any] = {"seed": seed}
    if teams is not None:
        found["teams"] = read_teams(teams, candidates.runs)
    if teams is not None and depth_by_priority is not None:
        priorities = read_priorities(teams, candidates.runs)
        found |= {"priorities": priorities, "depth": depths_by_priority(priorities, depth_by_priority)}
    return found


def _not_among(records: Records, listed: list[tuple[str, str]] | None) -> int:
    """Count the judged documents that runs retrieved, but that are not among those that may be chosen."""
    if listed is None or records.judging is None:
        return 0
    find, among = records.judging.candidates.find, {*listed}
    judged = (each for each in records.documents() if records.grade(*each) is not None)
    return sum(each not in among and find(*each) is not None for each in judged)
