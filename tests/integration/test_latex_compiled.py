"""Tables for LaTeX, compiled: each is as wide as was estimated, none is wider than it says, and no name breaks one.

The page has two columns as in ACM's proceedings, 241 points each, and the letters of LaTeX's own articles, which are
wider than those of ACM's. CI installs TeX in half a minute (47 MB).
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tools.each import each_of

import cranfield as cf
from cranfield.results.latex import latex_table, setting_of, too_wide, width_of
from cranfield.results.sheet import Sheet, SheetColumn

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex here to compile tables with"),
]

PAGE = r"""\documentclass[10pt,twocolumn]{article}
\usepackage{booktabs}
\setlength{\textwidth}{506.295pt}
\setlength{\columnsep}{24pt}
\begin{document}
TABLES
\end{document}
"""
MEASURED = r"\\sbox0{\1}\\typeout{WIDE \\the\\wd0}\\usebox0"
MEASURES = ["nDCG(dcg=exp-log2)@20", "AP(rel=2)", "RBP(p=0.8)"]
FOLDERS = {"DL 2019": "dl19-passage", "TREC-8": "trec8-adhoc", "COVID": "covid-round1"}


def compiled(tables: Sequence[str], folder: Path) -> tuple[list[float], list[str]]:
    """Return how wide each table became, in points, and what LaTeX has against them."""
    each_measured = (re.sub(r"(\\begin{tabular}.*\\end{tabular})", MEASURED, each, flags=re.S) for each in tables)
    (folder / "page.tex").write_text(PAGE.replace("TABLES", "\n\\clearpage\n".join(each_measured)))
    command = ["pdflatex", "-interaction=nonstopmode", "page.tex"]
    subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=120)
    log = (folder / "page.log").read_text(errors="replace")
    assert "Output written on page.pdf" in log
    widths = [float(width) for width in re.findall(r"WIDE ([\d.]+)pt", log)]
    assert len(widths) == len(tables)
    return widths, re.findall(r"^(?:!|Overfull \\hbox|LaTeX Warning: Float too large).*", log, re.M)


def collections(data: Path, runs: int) -> dict[str, Any]:
    """Return three collections, each with as many systems, which have their own names."""
    return {
        name: {
            "qrels": data / folder / "qrels.txt",
            "runs": {f"system-{at}": run for at, run in enumerate(sorted((data / folder / "runs").iterdir())[:runs])},
        }
        for name, folder in FOLDERS.items()
    }


def in_one_column(data: Path) -> list[Sheet]:
    """Give tables of six runs by three measures, with their own names."""
    sheets = []
    for folder in FOLDERS.values():
        runs = sorted((data / folder / "runs").iterdir())[:6]
        qrels, baseline = data / folder / "qrels.txt", next(iter(cf.read_runs(runs)))
        sheets += [
            cf.evaluate(qrels, runs, MEASURES).sheet(),
            cf.compare(qrels, runs, MEASURES).sheet(),
            cf.compare(qrels, runs, MEASURES, baseline=baseline).sheet(),
        ]
    return sheets


def test_three_measures_of_six_runs_fit_one_column(data: Path, tmp_path: Path) -> None:
    sheets = in_one_column(data)
    tables = list(map(latex_table, sheets))
    assert all(table.startswith("\\begin{table}\n") for table in tables)
    widths, against = compiled(tables, tmp_path)
    assert against == []
    assert max(widths) <= 241.15
    for sheet, width in zip(sheets, widths, strict=True):
        assert width <= width_of(sheet, setting_of(sheet)) <= 1.06 * width


def test_three_measures_on_three_collections_fit_two_columns(data: Path, tmp_path: Path) -> None:
    few, many = collections(data, 4), collections(data, 6)
    sheets = [
        cf.evaluate_all(few, MEASURES).sheet(),
        cf.evaluate_all(many, MEASURES).sheet(),
        cf.compare_all(few, MEASURES, baseline="system-0").sheet(),
        cf.compare_all(many, MEASURES, baseline="system-0").sheet(),
    ]
    tables = list(map(latex_table, sheets))
    assert all(table.startswith("\\begin{table*}\n") for table in tables)
    widths, against = compiled(tables, tmp_path)
    assert against == []
    assert max(widths) <= 506.3
    for sheet, width in zip(sheets, widths, strict=True):
        assert width <= width_of(sheet, setting_of(sheet)) <= 1.06 * width


def test_what_fits_nowhere_says_so(data: Path, tmp_path: Path) -> None:
    pairs = cf.compare(data / "dl19-passage/qrels.txt", data / "dl19-passage/runs", MEASURES[:1]).sheet(layout="pairs")
    sheets = [pairs.first(8), cf.compare_all(collections(data, 6), MEASURES).sheet()]
    widths, against = compiled(list(map(latex_table, sheets)), tmp_path)
    assert len(against) == 2
    for sheet, width in zip(sheets, widths, strict=True):
        said = int(re.findall(r"about (\d+) pt", too_wide(sheet))[0])
        assert width > 506.3
        assert width <= said <= 1.06 * width


NAMES = {
    "signs": ["a_b", "50%", "$x$", "#1", "A&B", "{x}", "~home", "a^b", "x\\y", "<s>", "[2pt]", "*", "a|b", '"q"'],
    "accents": ["Järvelin", "Kekäläinen", "naïve", "Łódź", "Škoda", "façade", "Ørsted", "Þór", "Đoković", "ąę", "«x»"],
    "Greek": ["α-nDCG", "Ω", "Αθήνα", "ς", "λόγος", "µ"],
    "Chinese, Japanese, Korean": ["检索", "検索モデル", "검색"],
    "others": ["поиск", "חיפוש", "🚀", "x → y", "a − b", "½", "a≈b", "e\u0301", "x\u200by", "‘q’ “Q” … – —"],
}


@each_of("kind", NAMES)
def test_no_name_breaks_a_table(kind: str, tmp_path: Path) -> None:
    names = NAMES[kind]
    sheet = Sheet((SheetColumn("run", names), SheetColumn(f"AP of {names[0]}", [0.5] * len(names), True)))
    heads = [column._replace(name=f"{names[0]} {column.name}", above=names[0]) for column in sheet.columns[1:]]
    with_heads = Sheet((sheet.columns[0], *heads), caption=" ".join(names), headings=((0, names[-1]),))
    _, against = compiled([latex_table(sheet._replace(caption="x")), latex_table(with_heads)], tmp_path)
    assert against == []
