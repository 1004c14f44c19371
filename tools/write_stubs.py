"""Write the stubs that tell type checkers and editors what `import cranfield` offers: `python -m tools.write_stubs`.

Public names are found when they are first used, and the parameters of measures and experiments are
declared as values: nothing that a type checker could read. It reads these stubs instead, which are
written from what there is at run time: the list of public names (`cranfield.public`), the registry of
measures, and the experiments. Functions and results are passed on as they are, so that their
signatures have one home; measures are derived from the real ones, with their parameters spelled
out.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Annotated, Literal, Union, get_args, get_origin, get_type_hints

from cranfield import experiments, measures, public
from cranfield.experiments import EXPERIMENTS, Experiment
from cranfield.measures import REGISTRY, Measure
from cranfield.measures.framework.names import MeasureNames
from cranfield.measures.framework.parameters import Parameter
from cranfield.plumbing.tables import Frame

PACKAGE = Path(__file__).parents[1] / "src" / "cranfield"

_HEAD = '''"""{question}

Written by `python -m tools.write_stubs` from what there is at run time: do not edit it.
"""
'''
_RUNS = "JudgedRuns | Mapping[str, JudgedRuns]"
_WORK = "Work | None"


def stubs() -> dict[Path, str]:
    """Return what the stubs should be, by file."""
    texts = {"": face_stub(), "measures": measures_stub(), "experiments": experiments_stub()}
    return {PACKAGE / folder / "__init__.pyi": text for folder, text in texts.items()}


def face_stub() -> str:
    """Write the stub of `cranfield`: all is passed on."""
    imports = [
        _import(f"cranfield.{home}".removesuffix(f".{name}" if public.is_module(name) else ""), name)
        for name, home in sorted(public.HOMES.items())
    ]
    imports += [_import("cranfield.measures", name) for name in public.measures()]
    listed = ["__all__ = [", *(f'    "{name}",' for name in sorted(public.HOMES)), "]"]
    head = _HEAD.format(question="What `import cranfield` offers.")
    return "\n".join([head, *imports, "", "__version__: str", *listed, ""])


def measures_stub() -> str:
    """Write the stub of `cranfield.measures`: a class a measure, and what one makes one's own of."""
    imports = ["from collections.abc import Mapping, Sequence", "from typing import Literal", ""]
    imports += _passed_on(measures)
    imports += [f"from {m.__module__} import {m.__name__} as _{m.__name__}" for m in REGISTRY.values()]
    bodies = [_measure(measure) for measure in REGISTRY.values()]
    aliases = [f"{alias} = {measure.__name__}" for measure in REGISTRY.values() for alias in measure.aliases]
    head = _HEAD.format(question="The measures, one class each.")
    return "\n".join([head, *imports, "", *bodies, *aliases, ""])


def experiments_stub() -> str:
    """Write the stub of `cranfield.experiments`: a function an experiment, and what one makes one's own of."""
    imports = [
        "from collections.abc import Iterable, Mapping",
        "from pathlib import Path",
        "from typing import Literal",
        "",
        *_passed_on(experiments),
        "from cranfield.plumbing.tables import Frame",
        "from cranfield.scoring.judged_runs import JudgedRuns",
        "from cranfield.measures.framework.names import MeasureNames",
        "",
    ]
    bodies = [_experiment(EXPERIMENTS[name]) for name in sorted(EXPERIMENTS)]
    return "\n".join([_HEAD.format(question="The experiments, one function each."), *imports, *bodies])


def _passed_on(package: ModuleType) -> list[str]:
    """Return the imports of a package that are public."""
    statements = ast.parse(inspect.getsource(package)).body
    pairs = [
        (each.module or "", alias.name)
        for each in statements
        if isinstance(each, ast.ImportFrom)
        for alias in each.names
    ]
    return [_import(home, name) for home, name in pairs if name in package.__all__]


def _import(home: str, name: str) -> str:
    """Pass a name on."""
    return f"from {home} import {name} as {name}"


def _measure(measure: type[Measure]) -> str:
    kinds = get_type_hints(measure)
    parameters = [
        _parameter(name, _given_for(parameter, kinds[name]), parameter.default)
        for name, parameter in measure.parameters.items()
    ]
    lines = [
        f"class {measure.__name__}(_{measure.__name__}):",
        f'    """{measure.documentation().question}"""',
        "",
        *_signature("__init__", ["self", *(["*"] if parameters else []), *parameters], "None: ...", indent="    "),
        "",
    ]
    return "\n".join(lines)


def _given_for(parameter: Parameter, kind: object) -> str:
    """Say what may be given: where the value is made by a class of ours, what that class takes."""
    if parameter.choices:
        return written(Literal[parameter.choices])
    if parameter.kind in {int, float, bool, str}:
        return written(kind)
    makes = vars(parameter.kind).get("__init__") or parameter.kind.__new__
    taken = next(hint for name, hint in get_type_hints(makes).items() if name != "return")
    return written(taken | None if parameter.default is None else taken)


def _experiment(experiment: Experiment) -> str:
    """Write what is called: the declared function, less what the frame sees to."""
    hints = get_type_hints(experiment.function)
    positional, named = list[str](), list[str]()
    for name, parameter in inspect.signature(experiment.function).parameters.items():
        if name == "work":
            continue
        kind = _RUNS if name in {"runs", "collections"} else _taken(hints[name])
        if kind == _RUNS and parameter.default is None:
            kind += " | None"
        one = _parameter(name, kind, parameter.default)
        (named if parameter.kind is parameter.KEYWORD_ONLY else positional).append(one)
    named += [_parameter("rel", "float | None", None), _parameter("work", _WORK, None)]
    name = experiment.function.__name__
    lines = _signature(name, [*positional, "*", *named], "Findings:")
    return "\n".join([*lines, f'    """{experiment.question}"""', ""])


def _taken(kind: object) -> str:
    """Say what an option takes: for several values any collection of them, or a single one; for a path its text."""
    if get_origin(kind) is tuple:
        one = _taken(get_args(kind)[0])
        return f"{one} | Iterable[{one}]"
    return "str | Path" if kind is Path else written(kind)


def _signature(name: str, parameters: Iterable[str], returned: str, indent: str = "") -> list[str]:
    """Write a function's head, a parameter a line."""
    return [f"{indent}def {name}(", *(f"{indent}    {one}," for one in parameters), f"{indent}) -> {returned}"]


def _parameter(name: str, kind: str, default: object) -> str:
    return f"{name}: {kind}" + ("" if default is inspect.Parameter.empty else f" = {_default(default)}")


def _default(value: object) -> str:
    if type(value) is tuple:
        return f"({', '.join(map(_default, value))}{',' if len(value) == 1 else ''})"
    return repr(value) if value is None or type(value) in {bool, int, float, str} else "..."


def written(kind: object) -> str:
    """Write a type, its aliases and ranges resolved.

    >>> from collections.abc import Mapping
    >>> from cranfield.plumbing.options import Count
    >>> written(Count | None), written(Mapping[float, float]), written(tuple[Literal["a", "b"], ...])
    ('int | None', 'Mapping[float, float]', "tuple[Literal['a', 'b'], ...]")
    """
    origin, parts = get_origin(kind), get_args(kind)
    if kind == MeasureNames:
        return "MeasureNames"
    if origin is None:
        return _named(kind)
    if origin is Annotated:
        return written(parts[0])
    if origin in {Union, UnionType}:
        return " | ".join(map(written, parts))
    return f"{origin.__name__}[{', '.join(map(repr if origin is Literal else written, parts))}]"


def _named(kind: object) -> str:
    if kind in {NoneType, None, Ellipsis}:
        return "..." if kind is Ellipsis else "None"
    homes = {"builtins", "collections.abc", Path.__module__, Frame.__module__}
    if isinstance(kind, type) and kind.__module__ in homes:
        return kind.__name__
    raise TypeError(f"how is {kind!r} to be written in a stub?")


def changed() -> Iterator[Path]:
    """Bring the stubs up to date, and say which were not."""
    for path, text in stubs().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            yield path


if __name__ == "__main__":
    for file in changed():
        print(f"written: {file}")  # noqa: T201
