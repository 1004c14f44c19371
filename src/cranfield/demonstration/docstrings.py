"""Documents that everybody has: the docstrings of Python's standard library."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Final, NamedTuple
from warnings import catch_warnings

from cranfield.plumbing.errors import InputError

DOCUMENTED_MODULES: Final = (
    "abc", "argparse", "array", "ast", "atexit", "base64", "binascii", "bisect", "builtins", "bz2", "calendar", "cmath",
    "codecs", "collections", "collections.abc", "colorsys", "concurrent.futures", "configparser", "contextlib",
    "copy", "csv", "dataclasses", "datetime", "decimal", "difflib", "dis", "doctest", "email.message", "enum",
    "errno", "filecmp", "fileinput", "fnmatch", "fractions", "functools", "gc", "getpass", "glob", "graphlib",
    "gzip", "hashlib", "heapq", "hmac", "html", "html.parser", "http.client", "http.cookies", "importlib", "inspect",
    "io", "ipaddress", "itertools", "json", "keyword", "linecache", "locale", "logging", "logging.handlers", "lzma",
    "mailbox", "math", "mimetypes", "mmap", "numbers", "operator", "os", "os.path", "pathlib", "pdb", "pickle",
    "platform", "plistlib", "pprint", "profile", "pstats", "queue", "random", "re", "sched", "secrets", "select",
    "shelve", "shlex", "shutil", "signal", "smtplib", "socket", "socketserver", "sqlite3", "ssl", "statistics",
    "string", "struct", "subprocess", "sys", "tarfile", "tempfile", "textwrap", "threading", "time", "timeit",
    "token", "tokenize", "trace", "traceback", "tracemalloc", "types", "typing", "unicodedata", "unittest",
    "unittest.mock", "urllib.parse", "urllib.request", "urllib.robotparser", "uuid", "warnings", "wave", "weakref",
    "webbrowser", "xml.etree.ElementTree", "zipfile", "zlib", "zoneinfo",
)  # fmt: skip
"""Whose docstrings are taken."""
_PARTS: Final = {"io": ("_io",), "os": ("posix", "nt"), "os.path": ("posixpath", "ntpath", "genericpath")}
"""Modules of which others hand things on as their own."""
SHORTEST: Final = 20
"""Docstrings of fewer characters say too little to be found."""
GENERATED: Final = re.compile(r"^\w+\(.*\)$")
"""What a dataclass or a named tuple is given for a docstring."""


class Docstring(NamedTuple):
    """A document: its id, a qualified name; its title, the first line; its text."""

    doc_id: str
    title: str
    text: str


def docstrings() -> list[Docstring]:
    """Gather the docstrings of modules, public classes and functions, and public methods."""
    with catch_warnings(action="ignore", category=DeprecationWarning):  # to look at a name is to use it, for some
        found = {name: doc for module in DOCUMENTED_MODULES for name, doc in _documented(module)}
    if not found:
        raise InputError("this Python runs without docstrings (-OO), and they are the documents")
    return [Docstring(name, doc.partition("\n")[0].strip(), doc) for name, doc in sorted(found.items())]


def _documented(module: str) -> Iterator[tuple[str, str]]:
    """Go through what a module holds that has a docstring of its own."""
    home = import_module(module)
    yield from _named(module, home)
    for name, held in vars(home).items():
        if name.startswith("_") or not (inspect.isclass(held) or inspect.isroutine(held)) or not _at_home(held, module):
            continue
        yield from _named(f"{module}.{name}", held)
        for method, of in vars(held).items() if inspect.isclass(held) else ():
            if not method.startswith("_") and (inspect.isroutine(of) or isinstance(of, property)):
                yield from _named(f"{module}.{name}.{method}", of)


def _named(name: str, held: object) -> Iterator[tuple[str, str]]:
    written = getattr(held, "__doc__", None)
    doc = inspect.cleandoc(written) if isinstance(written, str) else ""
    if len(doc) >= SHORTEST and not GENERATED.match(doc):
        yield name, doc


def _at_home(held: object, module: str) -> bool:
    """Whether something is the module's own, or of the part of it that goes by another name."""
    home = getattr(held, "__module__", None) or module
    return home in {module, f"_{module}", *_PARTS.get(module, ())} or home.startswith(f"{module}._")
