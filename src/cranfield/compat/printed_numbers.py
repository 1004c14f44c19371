"""Numbers as somebody printed them: one, a table of rows, or a table as papers have it, in CSV, Markdown or LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import takewhile
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from cranfield.formats.loading import Loaded, load
from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import parse_measure
from cranfield.plumbing.errors import InputError, MeasureError
from cranfield.plumbing.options import shown
from cranfield.plumbing.wording import counted, named

Values: TypeAlias = Mapping[tuple[str, str, str], str]
"""What is to be explained, as it was printed: by run, measure and topic; the topic is ``all`` for a mean."""
Rows: TypeAlias = list[tuple[int, list[str]]]

_KINDS: Final = ("run", "measure", "topic")


class Stated(NamedTuple):
    """A number to be explained, as it was printed: of which run (its place), measure and topic (None for the mean)."""

    run: int
    measure: str
    topic: str | None
    text: str
    percent: bool = False

    @property
    def number(self) -> float:
        """What it says."""
        return float(self.text) / (100 if self.percent else 1)

    @property
    def digits(self) -> int:
        """How many digits stand after the point."""
        return max(0, -int(Decimal(self.text).as_tuple().exponent)) + (2 if self.percent else 0)

    def shown(self, made: float) -> str:
        """Write what a way makes as the number was written, with four digits at least."""
        return f"{100 * made:.{max(2, self.digits - 2)}f}" if self.percent else f"{made:.{max(4, self.digits)}f}"


@dataclass(frozen=True)
class Stating:
    """The numbers that were stated, and the headings of a table that name nothing."""

    numbers: list[Stated]
    unknown: tuple[str, ...]


@dataclass(frozen=True)
class Known:
    """What a heading can name."""

    runs: Sequence[str]
    topics: Sequence[str]
    names: Mapping[str, str]  # What a heading stands for, where it does not say so itself

    def kind(self, heading: str) -> tuple[str, str] | None:
        """Say what a heading names: its kind, and the run, measure or topic."""
        heading = {_squashed(key): value for key, value in self.names.items()}.get(_squashed(heading), heading)
        if heading in self.runs:
            return "run", heading
        if measure := _measure(heading):
            return "measure", measure
        alike = [run for run in self.runs if _squashed(run) == _squashed(heading)]
        if len(alike) == 1:
            return "run", alike[0]
        return ("topic", heading) if heading in self.topics else None


def _squashed(text: str) -> str:
    """Leave letters and digits of a heading, for BM25-RM3 may be bm25_rm3."""
    return re.sub(r"[\W_]+", "", text).casefold() or text


def _measure(heading: str) -> str | None:
    """Read the name of a measure, which papers write with a blank, or nothing, before the cutoff."""
    if not re.search(r"[^\W\d]", heading):
        return None
    for text in (heading, re.sub(r"[\s_:.(-]*(\d+)\)?$", r"@\1", heading), re.sub(r"\s", "", heading)):
        try:
            return str(parse_measure(text))
        except MeasureError:
            continue
    return None


def stated(values: object, known: Known, measure: str | Measure | None) -> Stating:
    """Read what is to be explained, and refuse what is not there."""
    unknown: tuple[str, ...] = ()
    if isinstance(values, Mapping):
        if not all(isinstance(key, tuple) and len(key) == len(_KINDS) for key in values):
            raise InputError("numbers are given by (run, measure, topic), the topic 'all' for a mean")
        given = [(str(run), str(name), str(topic), str(text)) for (run, name, topic), text in values.items()]
    elif isinstance(values, Path) or (isinstance(values, str) and _number(values) is None):
        given, unknown = _read(values, known, None if measure is None else str(measure))
    else:
        if len(known.runs) != 1:
            raise InputError(
                f"a single number belongs to one run, and {len(known.runs)} are given; give a table of numbers instead"
            )
        if measure is None:
            raise InputError("name the measure of the number, such as nDCG@10")
        given = [(known.runs[0], str(measure), "all", str(values))]
    if not given:
        raise InputError("no number is given")
    return Stating(_checked(given, known), unknown)


def _checked(given: Sequence[tuple[str, str, str, str]], known: Known) -> list[Stated]:
    """Find the runs and topics, and say which measures are printed as percentages."""
    places = {run: place for place, run in enumerate(known.runs)}
    found = []
    for run, name, topic, text in given:
        if run not in places:
            raise InputError(f"no run is called {shown(run)}; the runs are {named(list(known.runs))}")
        if topic != "all" and topic not in known.topics:
            raise InputError(f"the qrels have no topic {shown(topic)}; they have {named(list(known.topics))}")
        number = _number(text)
        if number is None:
            raise InputError(f"{shown(text)} is not a number")
        found.append(Stated(places[run], name, None if topic == "all" else topic, *number))
    measures = {name: parse_measure(name) for name in dict.fromkeys(each.measure for each in found)}
    above = {each.measure for each in found if each.percent or each.number > measures[each.measure].limits[1]}
    return [each._replace(percent=each.measure in above) for each in found]


_PRINTED: Final = re.compile(r"([+\N{MINUS SIGN}-]?(?:\d[\d,]*(?:\.\d*)?|[.,]\d+)(?:[eE][+-]?\d+)?)\s*(%?)")
_MOST_DIGITS: Final = 30
_MARKS: Final = re.compile(r"[\s*†‡§¶∗⋆▲▼△▽↑↓]*")


def _number(text: str) -> tuple[str, bool] | None:
    """Return a number as it was printed, and whether a percent sign follows it; None for what is no number."""
    found = _PRINTED.fullmatch(text.strip())
    if found is None:
        return None
    digits = found[1].replace("\N{MINUS SIGN}", "-")
    if "," in digits:
        digits = digits.replace(",", "" if re.fullmatch(r"-?[1-9]\d{0,2}(,\d{3})+(\.\d*)?", digits) else ".")
    try:
        number = Decimal(digits)
    except InvalidOperation:
        return None
    fits = int(number.as_tuple().exponent) >= -_MOST_DIGITS and number.adjusted() <= _MOST_DIGITS
    return (digits, bool(found[2])) if fits else None


def _marked_number(cell: str) -> str | None:
    """Return the number of a cell without its daggers and letters; what follows it in brackets is another."""
    cell = cell[_MARKS.match(cell).end() :]  # type: ignore[union-attr]  # it matches nothing, too
    found = _PRINTED.match(cell)
    if found is None or not re.fullmatch(r"[\s*†‡§¶∗⋆▲▼△▽↑↓a-zA-Zᵃ-ᶿ⁰-⁹¹²³,]*([±(\[].*)?", cell[found.end() :]):
        return None
    return found[0] if _number(found[0]) else None


def _read(
    path: str | Path, known: Known, measure: str | None
) -> tuple[list[tuple[str, str, str, str]], tuple[str, ...]]:
    """Read a table of numbers: CSV with columns run, measure, value and perhaps topic, or one that people read."""
    try:
        held = load(path)
        text = held.text
    except InputError as error:
        problem = f"neither a number nor a table that can be read: {error.problem}"
        raise InputError(problem, source=error.source, line=error.line) from None
    for looks, rows_of in _FORMS:
        if looks(text):
            return _grid(held, rows_of(text), known, measure)
    rows = held.rows(next((mark for mark in (",", ";", "\t") if mark in text.partition("\n")[0]), ","))
    header = {*rows[0][1]} if rows else set()
    if {"run", "value"} | (set() if measure else {"measure"}) <= header:
        return list(_long(held, rows, measure)), ()
    return _grid(held, [row for _, row in rows], known, measure)


def _long(held: Loaded, rows: Rows, measure: str | None) -> Iterator[tuple[str, str, str, str]]:
    [(_, header), *lines] = rows
    for line, cells in lines:
        if len(cells) != len(header):
            raise held.wrong(f"{counted(len(cells), 'cell')}, but the header has {len(header)}", line)
        row = dict(zip(header, cells, strict=True))
        if _number(row["value"]) is None:
            raise held.wrong(f"{shown(row['value'])} is not a number", line)
        yield row["run"], measure or row["measure"], row.get("topic") or "all", row["value"]


def _grid(
    held: Loaded, rows: Sequence[Sequence[str]], known: Known, measure: str | None
) -> tuple[list[tuple[str, str, str, str]], tuple[str, ...]]:
    """Read a table whose rows and columns are runs, measures or topics: what each number is, its headings say."""
    heads = len(list(takewhile(lambda row: not any(map(_marked_number, row[1:])), rows))) or 1
    width = max(map(len, rows), default=0)
    columns = [_kinds([row[at] for row in rows[:heads] if at < len(row)], known) for at in range(width)]
    usual = {"topic": "all"} | ({"measure": measure} if measure else {})
    usual |= {"run": known.runs[0]} if len(known.runs) == 1 else {}
    found, strange = [], []
    for row in rows[heads:]:
        of_row = _kinds([cell for at, cell in enumerate(row) if not at or not _marked_number(cell)], known)
        for at, cell in enumerate(row[1:], 1):
            number, said = _marked_number(cell), columns[at] | of_row
            what = usual | said
            if (
                number
                and said
                and {*_KINDS} <= what.keys()
                and (of_row or (len(known.runs) == 1 and not row[0].strip()))
            ):
                found.append((what["run"], what["measure"], what["topic"], number))
            elif number:
                strange += [row[0]] if not of_row else [rows[heads - 1][at] if at < len(rows[heads - 1]) else ""]
    if not found:
        wanted = named(sorted({"run", "value"} | (set() if measure else {"measure"})))
        raise held.wrong(
            f"a table of numbers has the columns {wanted}, or runs as rows and measures as columns (or the reverse); "
            "--names HEADING=NAME maps a heading to its run or measure",
            1,
        )
    return found, tuple(dict.fromkeys(filter(None, map(str.strip, strange))))


def _kinds(headings: Sequence[str], known: Known) -> dict[str, str]:
    """Say what headings name; the nearest to the numbers counts."""
    return dict(filter(None, (known.kind(heading.strip()) for heading in headings if heading.strip())))


def _of_latex(text: str) -> list[list[str]]:
    """Return the cells of a tabular: rules, fonts, marks and what only takes room are left out."""
    text = re.sub(r"(?<!\\)%.*", "", text)
    if (begin := re.search(r"\\begin\{tabular[x*]?\}", text)) and "\\end{tabular" in text:
        body = text[begin.end() :].partition("\\end{tabular")[0].strip()
        text = re.sub(r"^(\{(?:[^{}]|\{[^{}]*\})*\}|\[[^]]*\])+", "", body)
    text = re.sub(
        r"\\(top|mid|bottom)rule(\[[^]]*\])?|\\hline|\\c(mid|)(rule|line)(\([^)]*\))?\{[^{}]*\}|\\addlinespace(\[[^]]*\])?",
        "",
        text,
    )
    rows = []
    for row in re.split(r"\\\\(?:\[[^]]*\])?", text):
        cells: list[str] = []
        for cell in re.split(r"(?<!\\)&", row):
            several = re.match(r"\s*\\multicolumn\{(\d{1,3})\}", cell)
            cells += [_plain_latex(cell)] * (int(several[1]) if several else 1)
        if any(cells):
            rows.append(cells)
    return rows


_DEEPEST: Final = 20  # So deep may braces stand in each other


def _plain_latex(cell: str) -> str:
    cell = re.sub(r"\\multi(?:column|row)\{[^{}]*\}\{[^{}]*\}", "", cell)
    marks = "[hv]?phantom|textsuperscript|tnote|cite[pt]?|footnotemark|cellcolor|rowcolor|color"
    dropped = rf"\\(?:{marks})(?:\[[^]]*\])*\{{[^{{}}]*\}}"
    for _ in range(_DEEPEST):
        shorter = re.sub(rf"{dropped}|\^(?:\{{[^{{}}]*\}}|\\\w+|\S)", "", cell)
        shorter = re.sub(
            r"\\[a-zA-Z]+(?:\[[^]]*\])?\{([^{}]*)\}|(?<![\\\w])\{([^{}]*)\}", lambda at: at[1] or at[2] or "", shorter
        )
        if shorter == cell:
            break
        cell = shorter
    cell = re.sub(r"\\([%&_#$])", r"\1", cell.replace("~", " ").replace("\\,", "").replace("$", ""))
    return re.sub(r"\\[a-zA-Z]+|[{}]", "", cell).strip()


def _of_markdown(text: str) -> list[list[str]]:
    """Return the cells of a table between bars: emphasis, marks and the line of dashes are left out."""
    rows = (line.strip() for line in text.splitlines() if "|" in line and not re.fullmatch(r"[\s|:+-]*", line))
    cells = (re.split(r"(?<!\\)\|", row.removeprefix("|").removesuffix("|")) for row in rows)
    return [list(map(_plain_markdown, row)) for row in cells]


def _plain_markdown(cell: str) -> str:
    cell = re.sub(r"<sup>.*?</sup>|\[\^\w+\]", "", cell)
    cell = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", cell)
    return re.sub(r"\*\*|__|`|~~|(?<!\w)_|_(?!\w)|\\(?=[|_*])", "", cell).strip()


_FORMS: Final[Sequence[tuple[Callable[[str], bool], Callable[[str], list[list[str]]]]]] = (
    (lambda text: "\\\\" in text and "&" in text, _of_latex),
    (lambda text: re.search(r"(?m)^\s*\|?[\s:-]*-[\s:-]*\|[\s|:-]*$", text) is not None, _of_markdown),
)
"""How tables of other forms than CSV are known, and read."""
