"""Your own measures, declared in a Python file, work like built-in ones."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import Final
from zlib import crc32

from cranfield.measures.framework.measure import REGISTRY, Measure
from cranfield.measures.framework.names import forget_names
from cranfield.measures.framework.users_code import Place, UsersCodeError, running
from cranfield.plumbing.errors import InputError

_NAME: Final = "cranfield_measures_"


def own_files() -> list[str]:
    """Name the files that measures of one's own were loaded from, for another process to load them, too."""
    modules = {each.__module__ for each in REGISTRY.values() if each.__module__.startswith(_NAME)}
    return sorted(str(sys.modules[name].__file__) for name in modules)


def load_measures(path: str | os.PathLike[str]) -> list[type[Measure]]:
    """Run a Python file that declares measures, and return them.

    Parameters
    ----------
    path
        The file. It is run as Python code: load only files that you trust.

    Raises
    ------
    InputError
        If the file cannot be read, fails, or declares no measure: with the line that failed.

    Examples
    --------
    >>> import tempfile
    >>> from cranfield import evaluate
    >>> source = '''
    ... from cranfield.measures import Measure
    ...
    ... class LastGrade(Measure):
    ...     \"\"\"What is the grade of the last document?
    ...
    ...     LastGrade = g(n)
    ...     \"\"\"
    ...
    ...     range = (0.0, float("inf"))
    ...
    ...     def compute(self, rankings):
    ...         last = rankings.judged.where(rankings.judged.rank == rankings.length[rankings.judged.row])
    ...         return last.sum(last.grade)
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "mine.py"
    ...     _ = file.write_text(source)
    ...     _ = load_measures(file)
    >>> evaluate({"1": {"a": 2}}, {"1": {"b": 2.0, "a": 1.0}}, "LastGrade").averages.tolist()
    [[2.0]]
    """
    file = Path(path)
    if not os.path.isfile(file):  # noqa: PTH113 - Path.is_file() raises errors
        raise InputError("no such file of measures", source=str(file))
    name = f"{_NAME}{file.stem}_{crc32(os.fsencode(file.resolve())):08x}"  # files may share a stem
    before = dict(REGISTRY)
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise InputError("a file of measures must be Python code, with a name that ends in .py", source=str(file))
    compiled, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # nothing of ours is left beside the file
    try:
        with running("", Place(name, str(file))):
            module = sys.modules[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
    except UsersCodeError:
        REGISTRY.clear()
        REGISTRY.update(before)
        raise
    finally:
        sys.dont_write_bytecode = compiled
    forget_names()
    declared = [measure for measure in REGISTRY.values() if before.get(measure.__name__) is not measure]
    if not declared:
        raise InputError(
            "declares no measure (by cranfield.measure, or a class derived from cranfield.Measure)", source=str(file)
        )
    return declared
