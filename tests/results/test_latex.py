"""Tables for LaTeX: set as legibly as the column of an article allows, and said to be too wide where it does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from cranfield.cli import main
from cranfield.results.latex import latex_table, latex_text, setting_of, too_wide, width_of
from cranfield.results.sheet import Sheet, SheetColumn


def of_columns(number: int, head: str = "") -> Sheet:
    """Make a table of one run, 0.0000 by each measure."""
    measures = [SheetColumn(f"{head} RR".strip(), [0.0], numeric=True, above=head)] * number
    return Sheet((SheetColumn("run", ["a"]), *measures), caption="Means.")


def test_the_width_of_a_table_is_that_of_its_letters() -> None:
    at = setting_of(of_columns(1))
    assert (at.environment, at.size, at.gap) == ("table", "small", 6)
    # run: r .4, u .58, n .58 of 9 points; 0.0000: five digits of .52, a point of .29; 6 points beside each
    assert width_of(of_columns(2), at) == pytest.approx(9 * (0.4 + 2 * 0.58) + 2 * 9 * (5 * 0.52 + 0.29) + 3 * 12)


def test_more_columns_are_set_closer_then_smaller_then_across_both_columns_of_the_page() -> None:
    found = [setting_of(of_columns(number))[:2] + setting_of(of_columns(number))[3:] for number in range(1, 20)]
    assert list(dict.fromkeys(found)) == [
        ("table", "small", 6),
        ("table", "small", 4),
        ("table", "footnotesize", 3),
        ("table", "footnotesize", 2),
        ("table*", "small", 6),
        ("table*", "small", 4),
        ("table*", "small", 3),
        ("table*", "footnotesize", 3),
        ("table*", "footnotesize", 2),
    ]
    assert latex_table(of_columns(7)).splitlines()[:5] == [
        r"\begin{table}",
        r"\centering",
        r"\caption{Means.}",
        r"\footnotesize",
        r"\setlength{\tabcolsep}{3pt}",
    ]
    assert latex_table(of_columns(12)).splitlines()[0] == r"\begin{table*}"
    assert latex_table(of_columns(12)).splitlines()[-1] == r"\end{table*}"


def test_what_fits_nowhere_says_so_and_what_to_do() -> None:
    assert too_wide(of_columns(12)) == ""
    said = too_wide(of_columns(25))
    assert said == (
        "This table is about 714 pt wide, and both columns of an article are 506 pt: split it by measure, or turn it "
        "(sidewaystable of the package rotating)."
    )
    assert "506 pt: write a table for each collection, split it by measure, or" in too_wide(of_columns(25, "web"))
    assert latex_table(of_columns(25)).startswith(f"% {said}\n\\begin{{table*}}\n")
    assert latex_table(of_columns(25), "").startswith(f"% {said}\n\\begin{{tabular}}")


def test_a_head_or_a_heading_may_be_wider_than_its_columns() -> None:
    wide = of_columns(1, "x" * 50)
    assert width_of(wide, setting_of(wide)) > 50 * 4
    under = of_columns(1)._replace(headings=((0, "x" * 50),))
    assert width_of(under, setting_of(under)) > 50 * 4


def test_the_command_says_it_too(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("1 0 a 1\n2 0 a 1\n")
    (tmp_path / "r.txt").write_text("1 Q0 a 1 1 r\n2 Q0 b 1 1 r\n")
    asked = ["evaluate", f"{tmp_path}/q.txt", f"{tmp_path}/r.txt", "--no-audit", "-m"]
    wide = CliRunner().invoke(main, [*asked, "all_trec", "-o", f"{tmp_path}/wide.tex"])
    assert "note: this table is about " in wide.stderr
    assert (tmp_path / "wide.tex").read_text().startswith("% This table is about ")
    assert "note: this" not in CliRunner().invoke(main, [*asked, "AP", "--format", "latex"]).stderr
    assert "note: this" not in CliRunner().invoke(main, [*asked, "all_trec", "--format", "markdown"]).stderr


def test_letters_that_pdflatex_lacks_are_set_otherwise() -> None:
    assert latex_text("Järvelin & Kekäläinen") == r"Järvelin \& Kekäläinen"
    assert latex_text("ΑΩας") == r"A\ensuremath{\Omega}\ensuremath{\alpha}\ensuremath{\varsigma}"
    assert latex_text("a−b ≥ c") == r"a$-$b $\geq$ c"
    assert latex_text("検") == r"\ifdefined\Umathchar 検\else U+691C\fi{}"
