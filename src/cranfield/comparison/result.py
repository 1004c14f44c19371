"""What a comparison found: a row for each measure and pair, and tables for people."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import polars as pl

from cranfield.arrays import Floats
from cranfield.audit import Audit
from cranfield.comparison.settings import Settings
from cranfield.comparison.tables_for_people import STYLES, pairs_table, systems_cells, systems_table
from cranfield.errors import InputError
from cranfield.formats import to_frame
from cranfield.presentation import FORMATS, render
from cranfield.presentation.people import LATEX_ESCAPES

if TYPE_CHECKING:
    import pandas as pd

Layout: TypeAlias = Literal["systems", "pairs"]
Format: TypeAlias = Literal["table", "csv", "json", "latex", "markdown", "parquet"]


@dataclass(frozen=True, eq=False)
class Comparison:
    """Which runs are better than which, and how sure that is.

    Attributes
    ----------
    runs, measures, topics
        Names of what was compared; the topics are the same for all runs.
    higher_is_better
        For each measure.
    means
        Array of shape (measures, runs).
    pairs
        The two runs of each pair; against a baseline, that is the second.
    table
        What `to_polars` returns.
    omnibus
        For tests that ask first whether any runs differ: columns measure, test, statistic, df, df_error, p.
    settings
        Test, correction, family, alpha and so on, as they were used.
    exact
        Whether every p was counted out, leaving nothing to chance or to a limiting distribution.
    notes
        What to know before relying on it.
    audit
        What was found of the runs and qrels on the way (None for scores from a table).
    """

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    topics: tuple[str, ...]
    higher_is_better: tuple[bool, ...]
    means: Floats
    pairs: tuple[tuple[str, str], ...]
    table: pl.DataFrame
    omnibus: pl.DataFrame
    settings: Settings
    exact: bool
    notes: tuple[str, ...]
    audit: Audit | None = None

    def to_polars(self) -> pl.DataFrame:
        """Return the long table, a row for each measure and pair of runs.

        Columns: measure, run_a, run_b, topics, mean_a, mean_b, difference (mean_a − mean_b), low and high (confidence
        interval of the difference), effect (d_z, the mean difference in standard deviations of the differences), wins,
        ties and losses (topics on which run_a is the better, equal, the worse; better is lower where it should be),
        statistic, p, p_adjusted, significant, topics_needed (null where no number would do), detectable. With residuals
        also p_base, p_top and p_projected (one-tailed, for the better run's base against the other's base, top and
        projection; uncorrected) and certain: significant, and against the top too, after correction.
        """
        return self.table

    def to_pandas(self) -> pd.DataFrame:
        """Return the long table as a pandas DataFrame."""
        return to_frame(self.table, "pandas")

    def for_people(self, layout: Layout = "systems") -> pl.DataFrame:
        """Return the table that people read, its numbers written out."""
        return pairs_table(self) if layout == "pairs" else systems_table(self)

    def render(self, format: Format = "table", layout: Layout = "systems") -> str | bytes:  # noqa: A002
        """Return the comparison as text (or bytes) in one of the formats of the command line.

        csv, json and parquet hold the long table in full precision, whatever the layout. Of the formats for people,
        ``"systems"`` has a row for each run and a column for each measure, with the letters of the runs that it is
        significantly better than (against a baseline, † where it is better and ‡ where it is worse); ``"pairs"`` has a
        row for each measure and pair.
        """
        if format not in FORMATS:
            raise InputError(f"there is no format {format!r}; there are {', '.join(FORMATS)}")
        if layout not in {"systems", "pairs"}:
            raise InputError(f"layout must be 'systems' or 'pairs', not {layout!r}")
        if format == "json":  # which has no infinite numbers
            infinite = pl.selectors.float()
            return render(self.table.with_columns(pl.when(infinite.is_finite()).then(infinite)), format)
        if not FORMATS[format].for_people:
            return render(self.table, format)
        if format == "latex":
            return self.to_latex(layout)
        return self.to_markdown(layout) if format == "markdown" else self._rows("table", layout)

    def to_latex(self, layout: Layout = "systems", *, caption: str | None = None) -> str:
        r"""Return a table for LaTeX's booktabs, the best means in bold.

        Parameters
        ----------
        layout
            ``"systems"`` or ``"pairs"``.
        caption
            Instead of the one that names test, correction and alpha (in LaTeX); an empty one gives the tabular alone.
        """
        rows = self._rows("latex", layout)
        if caption is None:
            caption = f"{self.caption(layout)}{_bold(layout)}".translate(LATEX_ESCAPES)
            caption = caption.replace("†", r"$\dagger$").replace("‡", r"$\ddagger$")
        if not caption:
            return rows
        return f"\\begin{{table}}\n\\centering\n\\caption{{{caption}}}\n{rows}\\end{{table}}\n"

    def to_markdown(self, layout: Layout = "systems") -> str:
        """Return a Markdown table, what its marks mean below it."""
        return f"{self._rows('markdown', layout)}\n{self.caption(layout)}{_bold(layout)}\n"

    def _rows(self, style: str, layout: Layout) -> str:
        if layout == "pairs":
            return str(render(pairs_table(self), style))
        return STYLES[style].lay_out(systems_cells(self, STYLES[style]))

    def caption(self, layout: Layout = "systems") -> str:
        """Say what the table shows, and by which test."""
        if layout == "pairs":
            return f"Differences of means over {len(self.topics)} topics ({self.method})."
        marks = "Letters: significantly better than the run of that letter"
        if self.settings.baseline is not None:
            marks = f"† significantly better than {self.settings.baseline}, ‡ significantly worse"
        return f"Means over {len(self.topics)} topics. {marks} ({self.method})."

    @property
    def method(self) -> str:
        """Test, correction, alpha, and the seed of what was left to chance, in one line."""
        return self.settings.described(len(self.pairs), len(self.measures), exact=self.exact)

    def __str__(self) -> str:
        return f"{self._rows('table', 'systems')}{textwrap.fill(self.caption(), 120)}"

    def _repr_html_(self) -> str:
        return self.for_people()._repr_html_()


def _bold(layout: Layout) -> str:
    """Say what is in bold, where anything is."""
    return " Best means in bold." if layout == "systems" else ""
