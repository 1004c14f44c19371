"""One number of a table of averages is one expression: ``scores["bm25", "nDCG@10"]``."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Never, overload

from cranfield.measures.framework.measure import Measure
from cranfield.measures.framework.names import OneMeasure, place_of
from cranfield.plumbing.arrays import Floats
from cranfield.plumbing.errors import CranfieldError, InputError
from cranfield.plumbing.options import shown
from cranfield.plumbing.wording import counted
from cranfield.results.sheet import listed


class OneNumber:
    """Averages of runs by measures, each of which is found by its two names."""

    # runs, measures: the names of the runs, and the measures
    runs: tuple[str, ...]
    measures: tuple[Measure, ...]

    @property
    @abstractmethod
    def averages(self) -> Floats:
        """Array of shape (measures, runs)."""

    @abstractmethod
    def label(self, measure: Measure) -> str:
        """Name the averages of a measure, so that they are not mistaken for means."""

    @overload
    def __getitem__(self, asked: tuple[str, OneMeasure]) -> float: ...
    @overload
    def __getitem__(self, asked: OneMeasure) -> dict[str, float]: ...
    def __getitem__(self, asked: OneMeasure | tuple[str, OneMeasure]) -> float | dict[str, float]:
        """Return the average of a run by a measure, or all averages of one of them: see above."""
        if isinstance(asked, tuple):
            return self._of_both(*asked) if len(asked) == 2 else self._unknown(asked)
        measure, run = self._place(asked), asked in self.runs
        if run and measure is not None:
            raise InputError(
                f"{asked!r} is a run and a measure; give both, as in scores[{asked!r}, {str(self.measures[measure])!r}]"
            )
        if run:
            values = self.averages[:, self.runs.index(str(asked))]
            return dict(zip(map(str, self.measures), values.tolist(), strict=True))
        if measure is not None:
            return dict(zip(self.runs, self.averages[measure].tolist(), strict=True))
        return self._unknown(asked)

    def _of_both(self, run: str, measure: OneMeasure) -> float:
        if run not in self.runs:
            swapped = measure in self.runs and self._place(run) is not None
            self._unknown(run, f"; the run comes first: scores[{measure!r}, {str(run)!r}]" if swapped else "")
        return float(self.averages[self._place_of(measure), self.runs.index(run)])

    def _place_of(self, measure: object) -> int:
        """Find a measure by its name, or by what its averages are called where they are no means."""
        labels = [self.label(each) for each in self.measures]
        if isinstance(measure, str) and measure in labels:
            return labels.index(measure)
        asked = measure() if isinstance(measure, type) and issubclass(measure, Measure) else measure
        if not isinstance(asked, str | Measure):
            return self._unknown(asked)
        return place_of(asked, self.measures)

    def _place(self, measure: object) -> int | None:
        try:
            return self._place_of(measure)
        except CranfieldError:
            return None

    def _unknown(self, asked: object, hint: str = "") -> Never:
        """Say what there is."""
        runs, measures = listed(self.runs), listed([str(measure) for measure in self.measures])
        raise InputError(f"{shown(asked)} is not among the runs ({runs}) and measures ({measures}){hint}")

    def __iter__(self) -> Iterator[str]:
        return iter(self.runs)

    def __contains__(self, name: object) -> bool:
        return name in self.runs or self._place(name) is not None

    def __float__(self) -> float:
        if self.averages.size != 1:
            what = f"{counted(len(self.runs), 'run')} by {counted(len(self.measures), 'measure')}"
            raise InputError(f"{what} are not one number: scores[run, measure] is")
        return float(self.averages.item())
