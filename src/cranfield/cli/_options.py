"""Options that several commands have, each declared once; what they take is read off the library's annotations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Final, TypeVar

import click

from cranfield.cli._completion import Offered, convention_names, measure_names, offered
from cranfield.cli._files import ExcludedRead, FileRead, RunsRead
from cranfield.cli._kinds import ListOption, OptionKind
from cranfield.judged.conditions import FILES, GRADING, READING, Grading, Reading
from cranfield.plumbing.options import Seed, annotations_of

_Command = TypeVar("_Command", bound=Callable[..., object])

CONDITIONS: Final = tuple(name for name in (*READING, *GRADING) if name != "bounds")
OF_RUNS: Final = (
    *(
        "topics",
        "topics_file",
        "missing",
        "order",
        "comments",
        "repeated",
        "subtopics",
        "exclude",
        "residual",
        "complete",
        "rel",
    ),
)
"""The conditions that experiments, reproductions and the report take for all their runs, among others."""

_FLAGS: Final[dict[str, tuple[tuple[str, ...], str | None, str]]] = {
    "topics": (
        ("--topics",), None,
        "Average over all topics of the qrels, or over those shared with the run. [default: all]",
    ),
    "topics_file": (
        ("--topics-file",), "FILE",
        "All topics that were asked: ids, one a line, or topics with their texts. A listed topic without judgments "
        "counts as a question without an answer. [default: topics of the qrels only]",
    ),
    "missing": (
        ("--missing",), None,
        "Score a topic the run lacks as zero, or as an empty list (to which OIE, say, gives a value). [default: zero]",
    ),
    "order": (
        ("--order",), None,
        "Sort key of the documents: the score in 64 bits, in 32 bits as trec_eval 9 does, in 64 bits with ties in line "
        "order (stable), the rank column, or the line order alone (file). "
        "[default: score; trec9 with -m official, -m all_trec or --format trec_eval]",
    ),
    "depth": (("-M", "--depth"), "N", "Look at the first N documents of each list only."),
    "comments": (("--comments",), None, "Skip lines that begin with # (an id may begin so)."),
    "repeated": (
        ("--repeated",), None,
        "Treatment of a document that a topic of a run has several times, say as passages: refuse the run, or take "
        "the highest of its scores, the first, or their sum. [default: refuse]",
    ),
    "subtopics": (
        ("--subtopics",), None,
        "Treatment of a document judged under several subtopics (the second column of the qrels): refuse the qrels, "
        "take its largest grade, or read the subtopics (read: the second column is one in any case; auto: where a "
        "document is judged under several). [default: auto if all measures asked for know subtopics; otherwise refuse]",
    ),
    "exclude": (
        ("--exclude",), "FILE|self",
        "Documents to remove from every run before it is ranked, by topic. Lines of a topic and a "
        "document, qrels, a table, or JSON lines with id and excluded_ids; self is the document that has the topic's "
        "id (a file of that name is ./self).",
    ),
    "residual": (
        ("--residual",), None,
        "Take the judgments of excluded documents away, too, as residual collections do. [default: the recall base "
        "keeps them]",
    ),
    "complete": (
        ("--complete/--incomplete",), None,
        "Take documents without a judgment for not relevant, or for unjudged: then they may be relevant. "
        "[default: complete where the qrels name relevant documents only]",
    ),
    "costs": (
        ("--costs",), "FILE",
        "Cost of each document or chunk, such as its tokens: lines of a document and a number, a table, or JSON. "
        "For measures of cost and for --budget.",
    ),
    "budget": (
        ("--budget",), "COST",
        "End each list before the first document that does not fit whole into this cost, from the top.",
    ),
    "cost_missing": (
        ("--cost-missing",), "COST", "Cost of documents that the file of costs lacks. [default: refuse the run]",
    ),
    "rel": (("-l", "--rel"), "GRADE", "Lowest relevant grade. [default: any above 0]"),
    "convention": (
        ("--convention",), "NAME",
        "Compute as a track or tool does (trec-dl, beir, gdeval, ...): its level, order of ties and parameters, and "
        "without -m its measures (figures keep their own). `cranfield measures --conventions` lists them.",
    ),
    "judged_only": (("-J", "--judged-only"), None, "Drop unjudged documents from the rankings first."),
}  # fmt: skip


def declared(
    annotation: object,
    *flags: str,
    meaning: str,
    default: object = None,
    metavar: str | None = None,
    shell_complete: Offered | None = None,
) -> Callable[[_Command], _Command]:
    """Add an option that takes what the annotation says."""
    shown = default is not None
    kind = OptionKind(annotation)
    return click.option(
        *flags,
        cls=ListOption if kind.several else None,
        type=kind,
        default=default,
        show_default=shown,
        metavar=metavar,
        help=meaning,
        shell_complete=shell_complete,
    )


def setting(of: type, name: str, meaning: str, *, metavar: str | None = None) -> Callable[[_Command], _Command]:
    """Add the option for one field of the settings of a command, which say its default, too."""
    usual = {field.name: field.default for field in fields(of)}[name]
    flag = f"--{name.replace('_', '-')}"
    return declared(annotations_of(of)[name], flag, meaning=meaning, default=usual, metavar=metavar)


def conditions(*names: str) -> Callable[[_Command], _Command]:
    """Add the options of a reading and a grading, or those of these names; all are None where they are not given."""

    def add(command: _Command) -> _Command:
        for option in reversed([condition(name) for name in names or CONDITIONS]):
            command = option(command)
        return command

    return add


def condition(name: str, meaning: str | None = None) -> Callable[[_Command], _Command]:
    """Return the option for one condition."""
    flags, metavar, usual = _FLAGS[name]
    annotation = annotations_of(Reading if name in READING else Grading)[name]
    if name == "exclude":
        return click.option(*flags, name, type=ExcludedRead(), metavar=metavar, help=meaning or usual)
    if name in FILES:
        return click.option(*flags, name, type=FileRead(), metavar=metavar, help=meaning or usual)
    if annotation in {bool, bool | None}:
        return click.option(*flags, name, is_flag=True, default=None, help=meaning or usual)
    known = offered(convention_names) if name == "convention" else None
    return declared(annotation, *flags, name, meaning=meaning or usual, metavar=metavar, shell_complete=known)


def qrels_and_runs(*, required: bool = True) -> Callable[[_Command], _Command]:
    """Add the arguments QRELS and RUNS."""

    def add(command: _Command) -> _Command:
        return qrels_(required=required)(runs_(required=required)(command))

    return add


def qrels_(*, required: bool = True) -> Callable[[_Command], _Command]:
    """Add the argument QRELS."""
    return click.argument("qrels", type=FileRead(), metavar="QRELS", required=required)


def runs_(*, required: bool = True) -> Callable[[_Command], _Command]:
    """Add the argument RUNS: files, folders and globs, each with ``NAME=`` before it if one likes."""
    return click.argument("runs", nargs=-1, required=required, type=RunsRead(), metavar="[NAME=]RUN...")


def qrels_option(meaning: str) -> Callable[[_Command], _Command]:
    """Add ``--qrels FILE``."""
    return click.option("--qrels", metavar="FILE", type=FileRead(), help=meaning)


def measures_asked(default: str, meaning: str = "") -> Callable[[_Command], _Command]:
    """Add ``-m MEASURE``, which may be given several times."""
    return click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        metavar="MEASURE",
        help=f"{meaning} [default: {default}]".strip(),
        shell_complete=offered(measure_names),
    )


def per_topic(meaning: str) -> Callable[[_Command], _Command]:
    """Add ``--per-topic``."""
    return click.option("-q", "--per-topic", is_flag=True, help=meaning)


def seed(meaning: str) -> Callable[[_Command], _Command]:
    """Add ``--seed``."""
    return declared(Seed, "--seed", default=7, meaning=meaning)


WEIGHTS: Final = click.option(
    "--weights", metavar="FILE", type=FileRead(),
    help="Weights of topics, for averages and tests: lines of a topic and a weight, or a table of both.",
)  # fmt: skip


GROUPS: Final = click.option(
    "--groups", metavar="FILE", type=FileRead(),
    help="Groups of topics, each shown by itself: lines of a topic and a group, or a table with one grouping "
    "a column.",
)  # fmt: skip


def sort(meaning: str) -> Callable[[_Command], _Command]:
    """Add ``--sort``, alone or with a measure: None is not asked, an empty text the first measure."""
    return click.option("--sort", is_flag=False, flag_value="", metavar="[MEASURE]", help=meaning)


AUDIT: Final = click.option(
    "--audit/--no-audit",
    default=True,
    help="Print on stderr which grades count as relevant, and what is missing, unjudged or tied. [default: audit]",
)


def audited(command: _Command) -> _Command:
    """Add ``--audit/--no-audit`` and ``--strict``."""
    strict = click.option("--strict", is_flag=True, help="Exit with status 1 if the audit warns of a likely mistake.")
    return AUDIT(strict(command))


def measures_from(command: _Command) -> _Command:
    """Add ``--measures-from FILE``; `Command` loads them before anything else happens, and passes nothing on."""
    return click.option(
        "--measures-from",
        metavar="FILE",
        multiple=True,
        type=FileRead(),
        help="Load measures of your own from a Python file (the file is run: load only what you trust).",
    )(command)
