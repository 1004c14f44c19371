"""Long work in steps: shown as it goes on, and kept, so that what was interrupted can be taken up again."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from cranfield.errors import InputError
from cranfield.formats import write_whole


class Work:
    """How a long experiment reports its progress, and where it keeps what is done.

    Parameters
    ----------
    progress
        Called with the number of steps done, and of all.
    folder
        Where finished steps are kept until the experiment is done; without it they are kept in memory alone.

    Examples
    --------
    The second time, only the third step is left to do:

    >>> import tempfile
    >>> def square(i):
    ...     print("squaring", i)
    ...     return pl.DataFrame({"square": [i * i]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     work = Work(folder=folder)
    ...     _ = work.steps("squares", {"of": "1 and 2"}, range(2), square)
    ...     work.steps("squares", {"of": "1 and 2"}, range(3), square)["square"].to_list()
    squaring 0
    squaring 1
    squaring 2
    [0, 1, 4]
    """

    def __init__(self, progress: Callable[[int, int], None] | None = None, folder: Path | str | None = None) -> None:
        self.progress = progress
        self.folder = None if folder is None else Path(folder)
        self._used: set[Path] = set()

    def steps(
        self,
        name: str,
        settings: Mapping[str, Any],
        steps: Sequence[int],
        do: Callable[[int], pl.DataFrame],
    ) -> pl.DataFrame:
        """Do all steps, or read what an interrupted run of the same name and settings kept of them.

        Parameters
        ----------
        name, settings
            What the work is; settings must say all that its result depends on, the `JudgedRuns.fingerprint` included.
        steps
            Numbers of the steps.
        do
            Does one of them, and returns its rows.

        Returns
        -------
        The rows of all steps, in their order.
        """
        kept = self._kept(name, settings)
        parts = []
        for done, step in enumerate(steps, start=1):
            file = None if kept is None else kept / f"{step:06}.parquet"
            if file is not None and file.exists():
                parts.append(_read(file))
            else:
                parts.append(do(step))
                if file is not None:
                    file.parent.mkdir(parents=True, exist_ok=True)
                    buffer = io.BytesIO()
                    parts[-1].write_parquet(buffer)
                    write_whole(file, buffer.getvalue())
            if self.progress:
                self.progress(done, len(steps))
        return pl.concat(parts)

    def finished(self) -> None:
        """Remove what was kept: the results are written."""
        for folder in self._used:
            shutil.rmtree(folder, ignore_errors=True)

    def _kept(self, name: str, settings: Mapping[str, Any]) -> Path | None:
        if self.folder is None:
            return None
        digest = hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode()).hexdigest()[:12]
        kept = self.folder / f".{name}-{digest}"
        self._used.add(kept)
        return kept


def _read(file: Path) -> pl.DataFrame:
    try:
        return pl.read_parquet(file)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError(f"cannot be read ({error}); remove it, and its step is done again", source=str(file)) from None
