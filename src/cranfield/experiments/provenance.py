"""What a result depends on besides its settings: the code that computed it, including the user's own."""

from __future__ import annotations

import hashlib
import inspect
import marshal
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from cranfield.measures.framework.measure import Measure

PACKAGE_FOLDER = Path(__file__).parents[1]


@cache
def code_digest() -> str:
    """Return a digest of the content of the package's own code."""
    digest = hashlib.sha256()
    for file in sorted(PACKAGE_FOLDER.rglob("*.py")):
        digest.update(str(file.relative_to(PACKAGE_FOLDER)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def sources(measures: Iterable[Measure]) -> dict[str, str]:
    """Return, for each measure that is not the package's own, a digest of the code that declares it."""
    own = (type(measure) for measure in measures if not type(measure).__module__.startswith("cranfield."))
    return {kind.__name__: hashlib.sha256(_source(kind)).hexdigest()[:16] for kind in own}


def _source(kind: type[Measure]) -> bytes:
    """Return the file that declares a measure, since it may use what else is there; or else its compiled functions."""
    try:
        return Path(inspect.getfile(kind)).read_bytes()
    except (OSError, TypeError):  # declared at a prompt
        functions = (inspect.unwrap(value) for _, value in sorted(vars(kind).items()) if inspect.isfunction(value))
        return repr(kind.parameters).encode() + b"".join(marshal.dumps(function.__code__) for function in functions)
