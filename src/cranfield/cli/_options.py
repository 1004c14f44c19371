"""Options that several commands have, each declared once; what they take is read off the library's annotations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, Final, Literal

import click

from cranfield.cli._files import EXCLUDED_READ, ONLY_READ, RUNS_READ, FileRead
from cranfield.cli._help import ConditionOption
from cranfield.cli._kinds import ListOption, NamesKind, OptionKind, offered
from cranfield.plumbing.options import Positive, Seed, annotations_of
from cranfield.statistics.usual import NOT_RUN

OF_RUNS: Final = (
    "topics", "topics_file", "only", "missing", "order", "comments", "columns", "fields", "repeated", "subtopics",
    "exclude", "residual", "complete", "rel",
)  # fmt: skip
"""The conditions that experiments, reproductions and the report take for all their runs, among others."""

_CONDITIONS: Final = {
    "order": ("--order",
       "Order of the documents: by score in 64 bits, in 32 bits as in trec_eval 9, in 64 bits with ties in line order "
       "(stable), by the rank column, or only by line order (file). [default: score; trec9 with -m official, -m "
       "all_trec or --format trec_eval]"),
    "depth": ("-M --depth N", "Use only the first N documents of each list."),
    "topics": ("--topics", "Average over all topics of the qrels, or over those shared with the run. [default: all]"),
    "topics_file": ("--topics-file FILE",
       "All topics of the collection: ids, one a line, or topics with their texts. A listed topic without judgments "
       "counts as a question without an answer. [default: topics of the qrels only]"),
    "only": ("--only FILE|common",
       "Average over these topics of the qrels only: ids, one a line, or any file of topics. common: the topics of "
       "all runs (a file of that name is ./common)."),
    "missing": ("--missing",
       "Score a missing topic as zero, or as an empty list (which OIE, say, rewards). [default: zero]"),
    "comments": ("--comments", "Skip lines that begin with #. [default: read them, since an id may begin with #]"),
    "columns": ("--columns OURS=THEIRS,...",
       "Names of your own columns, ours first: query_id=search_term,doc_id=url. Applies to qrels, runs, weights, "
       "groups, clusters, costs, spans, calls and clicks. Repeatable."),
    "fields": ("--field PART=PATH,...",
       "Paths of the parts in JSON records: topic=question_id,relevant=gold.ids. Golden sets and answers have "
       "question, topic, relevant, relevant_texts, grades, retrieved, retrieved_texts, scores or system; others as "
       "with --columns. Repeatable."),
    "repeated": ("--repeated",
       "Treatment of a document listed several times for one topic, such as its passages: refuse the run, or take "
       "the highest score, the first, or the sum. [default: refuse]"),
    "subtopics": ("--subtopics",
       "Treatment of documents judged under several subtopics (second column of the qrels): refuse the qrels, take "
       "the largest grade, or read the subtopics (read: always; auto: if a document is judged under several). "
       "[default: auto if all measures use subtopics; otherwise refuse]"),
    "exclude": ("--exclude FILE|self",
       "Remove these documents of each topic before ranking: lines of a topic and a document, qrels, a table, or JSON "
       "lines with id and excluded_ids. self: the document with the topic's own id (a file of that name is ./self)."),
    "residual": ("--residual",
       "Remove the judgments of excluded documents, too, as in residual collections. [default: keep them in the "
       "recall base]"),
    "complete": ("--complete/--incomplete",
       "Treat documents without a judgment as not relevant, or as unjudged, so that they may be relevant. [default: "
       "complete where the qrels name relevant documents only]"),
    "costs": ("--costs FILE",
       "Cost of each document or chunk, such as its tokens, for measures of cost and --budget: lines of a document "
       "and a number, a table, or JSON."),
    "budget": ("--budget COST",
       "Cut each list before the document that exceeds this total cost."),
    "cost_missing": ("--cost-missing COST",
       "Cost of documents missing from --costs. [default: refuse the run]"),
    "rel": ("-l --rel GRADE", "Lowest relevant grade. [default: any above 0]"),
    "judged_only": ("-J --judged-only", "Remove unjudged documents before scoring."),
    "convention": ("--convention NAME",
       "Follow a track or tool (trec-dl, beir, gdeval, ...) in relevance level, order of ties and parameters, and "
       "without -m in measures (figures keep their own). `cranfield measures --conventions` lists them."),
}  # fmt: skip
"""The flags of each condition, and what it means: those of `Asked`, which is not loaded for what needs none."""
CONDITIONS: Final = tuple(_CONDITIONS)
NAMING: Final = ("columns", "fields")
"""The conditions that say what is what in whatever is read; they go wherever ``--comments`` goes."""


def option(flags: str, kind: Any, meaning: str, default: object = None, **settings: Any) -> click.Option:
    """Make an option from its flags (with a metavar for the help), the kind of its value, and its meaning.

    The kind is an annotation as in the library, a flag (``bool | None``: None if not given), a text, a file, or a type
    of click's.
    """
    words = flags.split()
    made: type[click.Option] = settings.pop("made", click.Option)
    names = [word for word in words if word.startswith("-")]
    metavar = " ".join(words[len(names) :])
    names += [settings.pop("name")] if "name" in settings else []
    settings |= {"metavar": metavar} if metavar else {}
    if default is not None:
        settings = {"default": default, "show_default": True} | settings
    if kind == bool | None:
        settings["default"] = None  # where click has False, which here is something that was asked
    if kind in (bool, bool | None):
        return made(names, help=meaning, is_flag=True, **settings)
    taken = _type(kind)
    made = ListOption if getattr(taken, "several", False) else made
    return made(names, help=meaning, type=taken, **settings)


def _type(kind: Any) -> Any:
    """Return what click reads a kind of value by."""
    if kind is str or isinstance(kind, click.ParamType):
        return kind
    return kind() if isinstance(kind, type) and issubclass(kind, click.ParamType) else OptionKind(kind)


def argument(name: str, kind: Any = str, metavar: str | None = None, **settings: Any) -> click.Argument:
    """Make an argument."""
    return click.Argument([name], type=_type(kind), metavar=metavar, **settings)


def arguments(name: str, kind: Any, metavar: str, *, required: bool = True) -> click.Argument:
    """Make an argument that may be given several times."""
    return argument(name, kind, metavar, nargs=-1, required=required)


def telling(flags: str, meaning: str, tell: Callable[[click.Context], None], **settings: Any) -> click.Option:
    """Make an option by which a command tells something and ends."""

    def told(ctx: click.Context, param: click.Parameter, asked: bool) -> None:
        if asked and not ctx.resilient_parsing:
            tell(ctx)
            ctx.exit()

    return option(flags, bool, meaning, is_eager=True, expose_value=False, callback=told, **settings)


def setting(of: type, flags: str, meaning: str) -> click.Option:
    """Make the option for one field of the settings of a command, which say its default, too."""
    name = flags.split(maxsplit=1)[0].removeprefix("--").replace("-", "_")
    return option(flags, annotations_of(of)[name], meaning, {field.name: field.default for field in fields(of)}[name])


def conditions(*names: str) -> list[click.Parameter]:
    """Make the options of a reading and a grading, or those of these names; all are None where they are not given."""
    asked = names or CONDITIONS
    return [condition(name) for name in CONDITIONS if name in asked or (name in NAMING and "comments" in asked)]


def condition(name: str, meaning: str | None = None) -> click.Option:
    """Make the option for one condition."""
    from cranfield.judged.conditions import CONDITION_FILES, READING_NAMES, Grading, Reading

    flags, usual = _CONDITIONS[name]
    kind = annotations_of(Reading if name in READING_NAMES else Grading)[name]
    if name in NAMING:
        kind = NamesKind(kind)
    if name in CONDITION_FILES:
        kind = {"exclude": EXCLUDED_READ, "only": ONLY_READ}.get(name, FileRead)
    settings: dict[str, Any] = {"name": name, "made": ConditionOption}
    kind = bool | None if kind is bool else kind
    if name == "convention":
        settings["shell_complete"] = offered("cranfield.conventions", "TOOLS", "TRACKS")
    return option(flags, kind, meaning or usual, **settings)


def qrels_and_runs(*, required: bool = True) -> list[click.Parameter]:
    """Make the arguments QRELS and RUNS."""
    return [qrels_(required=required), runs_(required=required)]


def qrels_(*, required: bool = True) -> click.Argument:
    """Make the argument QRELS."""
    return argument("qrels", FileRead, "QRELS", required=required)


def runs_(*, required: bool = True) -> click.Argument:
    """Make the argument RUNS: files, folders and globs, each with ``NAME=`` before it if one likes."""
    return arguments("runs", RUNS_READ, "[NAME=]RUN...", required=required)


def qrels_option(meaning: str) -> click.Option:
    """Make ``--qrels FILE``."""
    return option("--qrels FILE", FileRead, meaning)


def measures_asked(default: str, meaning: str = "") -> click.Option:
    """Make ``-m MEASURE``, which may be given several times."""
    return option(
        "-m --measure MEASURE", str, f"{meaning} [default: {default}]".strip(),
        name="measures", multiple=True, shell_complete=offered("cranfield.measures", "REGISTRY"),
    )  # fmt: skip


def per_topic(meaning: str) -> click.Option:
    """Make ``--per-topic``."""
    return option("-q --per-topic", bool, meaning)


def seed(meaning: str) -> click.Option:
    """Make ``--seed``."""
    return option("--seed", Seed, meaning, 7)


def sort(meaning: str) -> click.Option:
    """Make ``--sort``, alone or with a measure: None is not asked, an empty text the first measure."""
    return option("--sort [MEASURE]", str, meaning, is_flag=False, flag_value="")


WEIGHTS_AND_GROUPS: Final = (
    option("--weights FILE", FileRead,
           "Weights of topics for averages and tests: lines of a topic and a weight, or a table."),
    option("--groups FILE", FileRead,
           "Groups of topics, reported separately: lines of a topic and a group, or a table with a column for each "
           "grouping."),
)  # fmt: skip
CLUSTERS: Final = option(
    "--clusters FILE", FileRead,
    "Clusters of topics that belong together (turns of a conversation, questions on one document, paraphrases): "
    "lines of a topic and a cluster, or a table. Tests then count clusters, not topics.",
)  # fmt: skip
AUDIT: Final = (
    option("--audit/--no-audit", bool,
           "Print up to five facts about runs and judgments on stderr, the most dangerous first: what is missing, "
           "unjudged or tied, and which grades are relevant. [default: audit]", True, show_default=None),
    option("--full-audit", bool, "Print every fact of the audit, and a row for each run."),
)  # fmt: skip
AUDITED: Final = (*AUDIT, option("--strict", bool, "Exit with status 1 if the audit warns of a likely mistake."))
MEASURES_FROM: Final = option(
    "--measures-from FILE", FileRead,
    "Load your own measures from a Python file. The file is executed: load only what you trust.", multiple=True,
)  # fmt: skip
"""`Command` loads them before anything else happens, and passes nothing on."""
SCORE_TABLES: Final = [
    option("--systems", Literal["rows", "columns"],
           "Orientation of a wide table of scores whose names do not show it: systems as rows or as columns."),
    option("--header/--no-header", bool | None,
           "Whether the first line of a table of scores is a header. [default: guessed]", name="header"),
    option("--not-run SHARE", Positive,
           "Leave out runs that lack at least this share of the topics (failed runs); they are named.", NOT_RUN),
]  # fmt: skip
"""How tables of scores are read, and who is in them."""
