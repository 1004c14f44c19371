"""What the commands share: where results go, and how progress is shown."""

from __future__ import annotations

import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from shlex import join
from textwrap import fill
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import click
from click.core import ParameterSource

from cranfield.cli._ending import found_wanting, typed, wrapped
from cranfield.cli._files import FileWritten, refuse_inputs
from cranfield.cli._help import ConditionOption
from cranfield.cli._kinds import ListOption
from cranfield.cli._options import option
from cranfield.plumbing.errors import CranfieldError, InputError
from cranfield.plumbing.escaping import isolated, printable, storable
from cranfield.results.output_formats import FORMATS, format_for, render
from cranfield.results.sheet import NEXT, Sheet

if TYPE_CHECKING:
    import polars as pl
    from rich.progress import Progress as Bar

    from cranfield.comparison.collection_comparison import CollectionComparison
    from cranfield.comparison.interleaving import Interleaving
    from cranfield.judged.audit import Audit
    from cranfield.lists.searches import SearchScores
    from cranfield.pairs.why import Why
    from cranfield.plots.figure import Figure
    from cranfield.results.result import OneTable, Result
    from cranfield.scoring.collection_scores import CollectionScores
    from cranfield.scoring.scores import Scores
    from cranfield.selection.estimates import Estimates
    from cranfield.selection.sample_gate import SampleGate

_MINUTE = 60.0  # Seconds between two lines that say how far it is, where there is no terminal

PIECE: Final = 1 << 20  # How much of a long text is encoded at a time


class Destination(NamedTuple):
    """Where a result goes: in which format, to which file (None: the standard output), and how many notes it gets."""

    format: str
    file: str | None
    quiet: bool

    @classmethod
    def asked(cls, format_: str | None, output: str | None, quiet: bool) -> Self:
        """Read the options, and refuse formats that contradict the file's name, before the work."""
        file = None if output == "-" else output
        return cls(format_ or "table" if file is None else format_for(file, format_), file, quiet)

    @property
    def on_terminal(self) -> bool:
        """Whether a person is looking."""
        return self.format == "table" and self.file is None and sys.stdout.isatty()

    def say(self, *lines: str) -> None:
        """Print a note on the result to stderr, unless nobody wants to."""
        say(*lines, quiet=self.quiet)


def say(*lines: str, quiet: bool) -> None:
    """Say something on stderr, unless nobody wants to hear it."""
    for line in () if quiet else lines:
        click.echo(wrapped(isolated(printable(line)), sys.stderr, indent="  "), err=True)


QUIET: Final = option("--quiet", bool, "Print no audit, notes or captions on stderr.")


def plotted(meaning: str) -> click.Option:
    """Make ``--plot``; a file that no figure can be written to is refused before the work."""

    def checked(ctx: click.Context, param: click.Parameter, file: str | None) -> str | None:
        if file is not None:
            from cranfield.plots.figure import format_of

            format_of(file)
        return file

    meaning = f"{meaning}: .html, .png, .svg, .pdf or .json."
    return option("--plot FILE", FileWritten, meaning, callback=checked)


def draw(figure: Figure, file: str) -> None:
    """Write a figure, which says how it was made."""
    figure.drawn_by(typed()).save(file)


def presented(*further: str, meaning: str = "") -> list[click.Option]:
    """Make ``--format``, ``-o`` and ``--quiet``, all of which a command gets as the `Destination` ``to``."""
    default = "[default: the suffix of -o, or table]"
    formats = click.Choice((*FORMATS, *further), case_sensitive=False)
    return [
        option("--format", formats, " ".join(filter(None, ["Format of the table.", meaning, default])), name="format_"),
        option(
            "-o --output FILE", FileWritten,
            "Output file, written whole or not at all; its suffix sets the format: .txt .csv .json .tex .md .html "
            ".parquet, each optionally with .gz or .zst.",
        ),
        QUIET,
    ]  # fmt: skip


def present(result: Result | pl.DataFrame, to: Destination, *, captioned: bool = True, **which: Any) -> None:
    """Show a result: on a terminal with rules, emphasis and a caption below; as text elsewhere, in a file whole."""
    from cranfield.results.result import Result

    if to.on_terminal:
        from cranfield.results.terminal import show

        sheet = result.opened_sheet(**which) if isinstance(result, Result) else Sheet.of(result)
        show(sheet, captioned=captioned and not to.quiet)
    else:
        if to.format == "latex":
            from cranfield.results.latex import too_wide

            wide = too_wide(result.sheet(**which) if isinstance(result, Result) else Sheet.of(result))
            to.say(*([f"note: {wide[0].lower()}{wide[1:]}"] if wide else []))
        text = result.render(to.format, **which) if isinstance(result, Result) else render(result, to.format)
        if to.file is not None and to.format == "table" and isinstance(result, Result) and captioned:
            text = f"{text!s}{printable(fill(result.sheet(**which).legend, 120))}\n"
        write(text, to)


def present_with_caption(result: Result, to: Destination, **which: Any) -> None:
    """Show a result, and say on stderr what a reader has not seen with it: its opening, and its caption."""
    present(result, to, **which)
    if not to.on_terminal:
        seen = to.format in {"table", "markdown", "html"} and to.file is None
        to.say(*(() if seen else result.opening(**which)), result.caption(**which))


def present_with_notes(result: OneTable | Estimates | SampleGate | Interleaving, to: Destination, **which: Any) -> None:
    """Show a result with its caption, and say its notes on stderr."""
    present_with_caption(result, to, **which)
    to.say(*(f"note: {note}" for note in result.notes))


def then(command: str, *arguments: str) -> str:
    """Write the command to run next, under the conditions and names of columns that were typed, or none."""
    ctx = click.get_current_context()
    asked = ["cranfield", command, *arguments]
    for each in ctx.command.params:
        name, value = str(each.name), ctx.params.get(str(each.name))
        typed_so = ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if name == "measures_from" and typed_so:
            return ""
        if not isinstance(each, ConditionOption | ListOption) or not typed_so:
            continue
        if not isinstance(each, ListOption) and not isinstance(value, str | int | float):
            return ""
        asked += [each.opts[-1]] if each.is_flag else [each.opts[-1], str(value).removesuffix(".0")]
    return storable(join(asked))


def notes_of(found: Scores | CollectionScores | CollectionComparison | SearchScores | Why) -> Iterator[str]:
    """Print the notes of a result."""
    return (f"note: {note}" for note in found.remarks())


def present_scores(
    scores: Scores,
    to: Destination,
    *,
    per_topic: bool,
    sort: str | None,
    groups: str | None,
    beside: Callable[[Scores, str], Iterable[str]] | None = None,
    command: str = "",
) -> None:
    """Show scores, the best run first or not, of all topics or by groups, and print their notes.

    On a terminal averages of several runs open with who leads, and the command to run next; in a pipe the header is
    the first line.
    """
    from cranfield.measures.framework.names import told_names

    if sort is not None:
        scores = scores.sorted_by(sort or None)
    if groups is None:
        if to.on_terminal:
            from cranfield.results.terminal import show

            above = (scores.answer, *([f"{NEXT}{command}"] * bool(command))) if len(scores.runs) > 1 else ()
            sheet = scores.sheet(per_topic=per_topic)
            show(sheet if per_topic else sheet._replace(above=above), captioned=not to.quiet)
        else:
            present(scores, to, per_topic=per_topic)
            short = to.format in FORMATS and FORMATS[to.format].for_people
            to.say(*filter(None, [told_names((scores.shortly() if short else scores).measures)]))
        to.say(*(notes_of(scores) if beside is None else beside(scores, to.format)))
    else:
        present_with_notes(scores.by_group(groups), to)


def present_collections(
    found: CollectionScores | CollectionComparison, to: Destination, *, sort: str | None, **which: Any
) -> None:
    """Show what was found on several collections, the best run first or not."""
    if sort is not None:
        found = found.sorted_by(sort or None)
    present_with_caption(found, to, **which)
    to.say(*notes_of(found))


def write(text: str | bytes, to: Destination) -> None:
    """Write a text to the file, whole or not at all, or to the standard output."""
    if to.file is not None:
        from cranfield.formats import write_whole

        write_whole(to.file, text if isinstance(text, bytes) else text.encode())
        return
    if isinstance(text, bytes) and sys.stdout.isatty():
        raise CranfieldError(f"{to.format} cannot be printed on a terminal; write it with -o FILE")
    for start in range(0, len(text), PIECE):
        piece = text[start : start + PIECE]
        sys.stdout.buffer.write(piece if isinstance(piece, bytes) else piece.encode())
    sys.stdout.buffer.flush()


def only_text(to: Destination, asked: str) -> None:
    """Refuse formats of tables, before the work, where sentences were asked for."""
    if to.format not in {"table", "markdown"}:
        raise InputError(f"with {asked} the output is text, not {to.format}; leave --format out, or write to a .txt")


def write_text(text: str, to: Destination) -> None:
    """Write sentences as lines that fit a terminal."""
    write(f"{textwrap.fill(isolated(printable(text)), 100, break_long_words=False, break_on_hyphens=False)}\n", to)


class AuditAsked(NamedTuple):
    """What becomes of an audit: whether it is printed, in full or not, and whether its warnings end with status 1."""

    said: bool
    full: bool
    strict: bool

    def say(self, lines: Callable[[str, int | None], Iterable[str]], to: Destination) -> None:
        """Say on stderr what there is to say of an audit: the most dangerous facts, or all."""
        from cranfield.judged.audit import MOST_FACTS

        if self.said or self.full:
            to.say(*(f"audit: {line}" for line in lines("--rel", None if self.full else MOST_FACTS)))

    def end(self, found: Audit | None, to: Destination) -> None:
        """Say the audit, if any, in full with a row for each run; if strict, end with status 1 where it warns."""
        if found is None:
            return
        self.say(found.lines, to)
        if self.full and not to.quiet:
            click.echo(found.render(), err=True, nl=False)
        found_wanting(found.fails(strict=self.strict))

    def end_all(self, scores: CollectionScores, to: Destination) -> None:
        """Say the audit of each collection; if strict, end with status 1 where any warns."""
        self.say(scores.audited, to)
        found_wanting(any(each.audit.fails(strict=self.strict) for each in scores.scores.values()))


def make_folder(folder: str, purpose: str, files: Iterable[Path] = ()) -> None:
    """Make the folder of the results before the work, so that it fails early; empty after a failure, it goes again.

    None of these ``files``, which are to be written there, may be an input.
    """
    from cranfield.formats import all_or_nothing

    refuse_inputs(files)
    try:
        with all_or_nothing() as changes:
            changes.make_folder(Path(folder))
    except OSError as error:
        raise InputError(f"cannot be used as the folder of the {purpose} ({error.strerror})", source=folder) from None


class Progress:
    """A progress bar on the terminal, for what takes over a second; elsewhere a line per minute."""

    def __init__(self, noun: str) -> None:
        self.noun = noun
        self.began = self.spoke = time.monotonic()
        self.bar: Bar | None = None

    def __call__(self, done: int, of: int) -> None:
        """Show how far it is."""
        if not sys.stderr.isatty():
            self._speak(done, of)
            return
        if self.bar is None and time.monotonic() - self.began < 1:
            return
        if self.bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            columns = BarColumn(), MofNCompleteColumn(), self.noun, TimeRemainingColumn()
            self.bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self.task = self.bar.add_task(self.noun, total=of)
            self.bar.start()
        self.bar.update(self.task, completed=done)

    def _speak(self, done: int, of: int) -> None:
        """Say how far it is, if nothing was printed for a minute."""
        now = time.monotonic()
        if now - self.spoke >= _MINUTE:
            self.spoke = now
            click.echo(f"{self.noun}: {done} of {of}", err=True)

    def stop(self) -> None:
        """Take the bar away."""
        if self.bar is not None:
            self.bar.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()
