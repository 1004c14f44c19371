"""The pages of the Python interface: a page for each group of public names, written from their docstrings.

`cranfield.public` says which names there are and how they are grouped; the docstrings are set by
Sphinx (autodoc, and napoleon for their sections), which also links what they mention. Measures and
experiments have pages of their own.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Literal, get_args, get_origin

from sphinx.pycode import ModuleAnalyzer

from cranfield import public
from cranfield.experiments import EXPERIMENTS
from cranfield.plumbing import options, tables

_HEAD = """\
# Python

All that `import cranfield as cf` offers, by what one does with it. Beside these names there is every
[measure](../measures.md): `cf.nDCG @ 10`, `cf.RBP(p=0.8)`. Editors and type checkers (mypy, pyright) know them all, the
parameters of measures and experiments among them, and refuse what there is not.

"""

_LONGEST = 25_000
"""Characters of docstrings on a page: some 40,000 pixels on a telephone."""

_INTRODUCTIONS = {
    "Measuring runs": "How good is a run? See [the chapter on it](../evaluating.md).",
    "Comparing runs and rankings": "Is the difference more than chance? See [comparing](../comparing.md).",
    "Reading and writing": "What runs and qrels may come as, [formats](../formats.md) says.",
    "Measures by name, and your own": "[All measures](../measures.md), and [how to add one](../own-measure.md).",
    "Choosing what to judge": "See [the chapter on judging](../judging.md).",
    "Lists that end where they should": "See [the chapter on truncation](../truncation.md).",
    "Simulated collections": "See [the chapter on simulation](../simulation.md).",
}


def write_api_pages(folder: Path) -> None:
    """Write the pages, if they changed: one for each group, and one that lists them all."""
    folder.mkdir(exist_ok=True)
    pages = {file: _page(title, group, names) for group in public.PUBLIC_NAMES for file, title, names in _parts(group)}
    for name, text in {"index.md": _index(), **pages}.items():
        target = folder / name
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")


def readable_signature(
    app: object, what: str, name: str, offered: object, options: object, signature: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """Hide the fields of a dataclass that is a result, for Sphinx: nobody gives them by hand; name types by aliases."""
    del app, options
    if what == "class" and is_dataclass(offered) and not name.startswith("cranfield.stop_rules"):
        return "", None
    return _with_names(signature), _with_names(returned)


_WITH_A_RANGE = re.compile(r"(?:~?typing\.)?Annotated\[((?:[^][,]|\[[^][]*\])+), [~\w.]+\((?:[^()]|\([^()]*\))*\)\]")
"""A type, and which of its values are taken."""

_SPELLED = {
    name: str(kind).removeprefix("typing.") if get_origin(kind) is Literal else get_args(kind)[0].__name__
    for module in (options, tables)
    for name, kind in vars(module).items()
    if get_origin(kind) in (Literal, Annotated)
}
"""What our words for a choice, or for numbers of a range, are to readers, who have not read where they are defined."""


def _with_names(signature: str | None) -> str | None:
    """Leave the names of what takes several shapes as they are, and say of the others what can be given.

    >>> _with_names("(n: ~typing.Annotated[int, ~a.Range(at_least=1)] = 5, x: TypeAliasForwardRef('RunsLike') | None)")
    '(n: int = 5, x: RunsLike | None)'
    >>> _with_names("(depth: Count | None = None, missing: Missing)")
    "(depth: int | None = None, missing: Literal['zero', 'empty'])"
    """
    if signature is None:
        return None
    named = _WITH_A_RANGE.sub(r"\1", re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", signature))
    return re.sub(r"(?<=: )(\w+)(?=[,) ])", lambda found: _SPELLED.get(found[1], found[1]), named)


def type_names() -> dict[str, str]:
    """Say which types a signature calls by their names: what several shapes are taken for, arrays, and measures.

    >>> [type_names()[name] for name in ("QrelsLike", "SpansLike", "Numbers")]
    ['QrelsLike', 'SpansLike', 'ArrayLike']
    """
    sources = (file.read_text("utf-8") for file in Path(public.__file__).parent.rglob("*.py"))
    ours = {name for text in sources for name in re.findall(r"^(\w+Like): TypeAlias", text, re.MULTILINE)}
    return {
        **{name: name for name in sorted(ours | {"MeasureNames", "Floats", "Integers", "Booleans"})},
        "Numbers": "ArrayLike",
        "npt.ArrayLike": "ArrayLike",
    }


def readable_docstring(app: object, what: str, name: str, offered: object, options: object, lines: list[str]) -> None:
    """Keep napoleon from taking ours for what it expects.

    Of a property it takes what comes before a colon for its type; attributes that are explained
    together it takes for one of them; and whatever follows a section for a part of it.
    """
    del app, name, offered, options
    lines[:] = _with_ends(lines)
    if what in {"attribute", "property"} and lines:
        lines[0] = lines[0].replace(": ", " – ", 1)
    elif what == "class" and "Attributes" in lines:
        lines[:] = list(_one_by_one(lines))


def leave_out(app: object, what: str, name: str, member: object, skip: bool, options: object) -> bool | None:
    """Leave out the parts of named tuples, of which Python says no more than their number: the class explains them.

    >>> from typing import NamedTuple
    >>> point = NamedTuple("point", [("x", float)])
    >>> leave_out(None, "class", "x", point.x, False, None), leave_out(None, "class", "f", leave_out, False, None)
    (True, None)
    """
    del app, what, name, skip, options
    return (getattr(member, "__doc__", None) or "").startswith("Alias for field number") or None


def _with_ends(lines: list[str]) -> Iterator[str]:
    """End sections where the paper or the examples follow, and say in a sentence what is returned, where ours does.

    >>> list(_with_ends(["Raises", "------", "InputError", "    Never.", "", "Paper: none.", "", ">>> 1", ">>> 2"]))
    ['Raises', '------', 'InputError', '    Never.', '', '', 'Paper: none.', '', '', '>>> 1', '>>> 2']
    >>> list(_with_ends(["Returns", "-------", "All that there", "is.", "", "Raises", "------"]))
    ['', '', ':returns: All that there is.', '', 'Raises', '------']
    """
    rest = iter(lines)
    above = ""
    for line in rest:
        if line == "Returns" and not any(below.startswith(" ") for below in _paragraph(lines, line)):
            said = _paragraph(lines, line)[1:]
            yield from ("", "", f":returns: {' '.join(said).replace(' : ', ': ')}")
            for _ in range(len(said) + 1):
                next(rest)
        else:
            yield from ("", line) if not above and line.startswith(("Paper: ", ">>> ")) else (line,)
        above = line


def _paragraph(lines: list[str], head: str) -> list[str]:
    """Return the lines below one, to the next that is empty."""
    return list(takewhile(bool, lines[lines.index(head) + 1 :]))


def _one_by_one(lines: list[str]) -> Iterator[str]:
    """Give attributes that are explained together one by one, each with the explanation."""
    in_attributes = False
    for i, line in enumerate(lines):
        underlined = lines[i + 1 : i + 2] and re.fullmatch("-+", lines[i + 1])
        in_attributes = line == "Attributes" if underlined else in_attributes
        if in_attributes and re.fullmatch(r"\w+(, \w+)+", line):
            meaning = list(takewhile(lambda below: not below or below.startswith(" "), lines[i + 1 :]))
            *first, last = line.split(", ")
            for name in first:
                yield from (name, *meaning)
            yield last
        else:
            yield line


def _file(group: str) -> str:
    return f"{group.lower().replace(',', '').replace(' ', '-')}.md"


def _index() -> str:
    tables = []
    for group, names in public.PUBLIC_NAMES.items():
        rows = [f"| {{py:obj}}`~cranfield.{name}` | {_first_line(name)} |" for name in names]
        tables.append("\n".join([f"## [{group}]({_file(group)})\n", "| name | |\n|---|---|", *rows, ""]))
    files = "\n".join(file.removesuffix(".md") for group in public.PUBLIC_NAMES for file, _, _ in _parts(group))
    return "\n".join([_HEAD, *tables, f"```{{toctree}}\n:hidden:\n\n{files}\n```\n"])


def _parts(group: str) -> Iterator[tuple[str, str, list[str]]]:
    """Split a group into pages that are not too long: each its file, its title, and its names."""
    pages: list[list[str]] = [[]]
    length = 0
    for name in public.PUBLIC_NAMES[group]:
        length += (more := _length(name))
        if pages[-1] and length > _LONGEST:
            pages.append([])
            length = more
        pages[-1].append(name)
    for number, names in enumerate(pages, 1):
        mark = f"-{number}" if number > 1 else ""
        some = f"{group}: {' to '.join(dict.fromkeys([names[0], names[-1]]))}" if len(pages) > 1 else group
        yield _file(group).replace(".md", f"{mark}.md"), some, names


def _length(name: str) -> int:
    """Count the characters of what is told of a name, its members included."""
    offered = public.found(name)
    if public.is_module(name):
        return 0
    members = [each for each in dir(offered) if each[0] != "_"] if inspect.isclass(offered) else []
    told = [offered, *(getattr(offered, each, None) for each in members)]
    return sum(len(inspect.getdoc(each) or "") for each in told if callable(each) or isinstance(each, property))


def _page(title: str, group: str, names: list[str]) -> str:
    parts = [f"# {title}", _INTRODUCTIONS.get(group, ""), *map(_entry, names)]
    return "\n\n".join(filter(None, parts)) + "\n"


def _entry(name: str) -> str:
    """Say how one name is set: its docstring, and the members that have one."""
    if name == "experiments":
        return _experiments()
    if public.is_module(name):
        return _rst(f".. py:module:: cranfield.{name}", *_declared_in(name))
    offered = public.found(name)
    if inspect.isclass(offered):
        return _rst(_class(f"cranfield.{name}"))
    if inspect.isfunction(offered):
        return _rst(f".. autofunction:: cranfield.{name}")
    return _rst(f".. py:data:: {name}\n\n   {_told(name)}")


def _class(name: str) -> str:
    return f".. autoclass:: {name}\n   :members:\n   :inherited-members: dict, Mapping, BaseException"


def _declared_in(name: str) -> list[str]:
    """Set each class that a public module declares; of one that lists its names, each class and function."""
    module = import_module(f"cranfield.{public.HOMES[name]}")
    found = list[str]()
    for each, offered in vars(module).items():
        full = f"cranfield.{name}.{each}"
        listed = each in getattr(module, "__all__", ())
        if inspect.isclass(offered) and (listed or offered.__module__ == module.__name__):
            found.append(_class(full))
        elif inspect.isfunction(offered) and listed:
            found.append(f".. autofunction:: {full}")
    return found


def _experiments() -> str:
    """Name the experiments; their own page says what they take and return."""
    rows = [
        f"| [`cf.experiments.{one.function.__name__}`](../experiments/{name}.md) | {one.question} |"
        for name, one in sorted(EXPERIMENTS.items())
    ]
    head = "`cf.experiments` has a function for each of the [experiments](../experiments.md). Each takes runs that were"
    more = "joined with their judgments (`cf.join`), or several such by name of their collection, and gives `Findings`."
    return "\n".join([f"## cf.experiments\n\n{head}\n{more}\n", "| function | question |\n|---|---|", *rows])


def _first_line(name: str) -> str:
    """Say in a line what a name is for."""
    offered = public.found(name)
    told = inspect.getdoc(offered) if callable(offered) or public.is_module(name) else _told(name)
    line = " ".join((told or "").split("\n\n")[0].split()).replace("``", "`").replace("|", r"\|")
    return re.sub(r":\w+:(?=`)", "", line)


def _told(name: str) -> str:
    """Return what stands below a value in its module."""
    attributes = ModuleAnalyzer.for_module(f"cranfield.{public.HOMES[name]}").find_attr_docs()
    return " ".join(attributes["", name]).strip()


def _rst(*directives: str) -> str:
    return "\n\n".join(["```{eval-rst}", ".. py:currentmodule:: cranfield", *directives, "```"])
