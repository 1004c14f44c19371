"""Options that many functions share are declared once, as a ``TypedDict``, and taken by ``**options: Unpack[Asked]``.

Editors and type checkers look through that. Here it is spelled out for those who read: in the
signature that ``help()`` and the documentation show, and in the docstring, where an entry

    **options
        `Asked`

stands for the parameters that the docstring of `Asked` explains.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from inspect import Parameter, Signature
from typing import Any, Final, TypeVar, cast

_T = TypeVar("_T")

_ENTRY: Final = re.compile(r"^( *)\*\*\w+\n\1    ((?:`\w+`(?:, )?)+)$", re.MULTILINE)
_USUAL: Final[dict[str, Mapping[str, object]]] = {}


def usually(told: Any, values: Mapping[str, object]) -> None:
    """Note the defaults that options have where they are not None."""
    _USUAL[told.__qualname__] = values


def part_of(options: Mapping[str, Any], told: type[_T]) -> _T:
    """Return those of some options that a ``TypedDict`` declares.

    >>> from typing import TypedDict
    >>> part_of({"depth": 10, "test": "t"}, TypedDict("Asked", {"depth": int}))
    {'depth': 10}
    """
    return cast("_T", {name: value for name, value in options.items() if name in told.__annotations__})


def spelled_out(function: Callable[..., Any]) -> Signature | None:
    """Return the signature with every option by its name; None where there are no such options."""
    shown = inspect.signature(function)
    last = next((each for each in shown.parameters.values() if each.kind is Parameter.VAR_KEYWORD), None)
    told = None if last is None else _told(function, str(last.annotation).removeprefix("Unpack[").removesuffix("]"))
    if told is None:
        return None
    parameters = [each for each in shown.parameters.values() if each is not last]
    for name, hint in told.__annotations__.items():
        default, kind = _USUAL.get(told.__qualname__, {}).get(name), getattr(hint, "__forward_arg__", hint)
        parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind))
    return shown.replace(parameters=parameters)


def explained(function: Callable[..., Any], docstring: str | None) -> str | None:
    """Return the docstring with every option explained."""
    if docstring is None:
        return None

    def entries(found: re.Match[str]) -> str:
        told = [inspect.cleandoc(_told(function, name).__doc__) for name in re.findall(r"\w+", found[2])]
        texts = [text.partition("Parameters\n----------\n")[2] for text in told]
        return "\n".join(f"{found[1]}{line}".rstrip() for text in texts for line in text.splitlines())

    return _ENTRY.sub(entries, docstring)


def _told(function: Callable[..., Any], name: str) -> Any:
    return getattr(inspect.unwrap(function), "__globals__", {}).get(name)
