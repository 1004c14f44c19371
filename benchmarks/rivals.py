"""``python -m benchmarks.rivals``: install the other tools, try each cell of the comparison, and write its page.

The rivals stand in a virtual environment of their own. A row has a command of ours, which has to run,
and for each rival either a program to try, or nothing: then its public names, options and help are
searched for the row's words. A name that matches where no program is declared stops the run: somebody
has to look at it. Only MATTERS, which needs MATLAB, is taken from its documentation.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import venv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click

from benchmarks import front, sections, workloads
from benchmarks.contenders import peer_trec_eval
from benchmarks.process import ROOT
from benchmarks.report import cells as cells_of

PAGE: Final = ROOT / "docs" / "comparison.md"
TREC_EVAL: Final = "10.0"

PACKAGES: Final = {
    "pytrec_eval": ("pytrec_eval", "pytrec_eval-terrier"),
    "ir_measures": ("ir_measures", "ir_measures"),
    "ranx": ("ranx", "ranx"),
    "trectools": ("trectools", "trectools"),
    "PyTerrier": ("pyterrier", "pyterrier"),
}
"""The Python packages: what each is imported as, and what it is installed as."""
EXTRAS: Final = ("pyndeval", "cwl-eval")
"""What ir_measures and PyTerrier compute some measures with, where it is installed."""
RIVALS: Final = ("trec_eval", *PACKAGES, "MATTERS")

PRELUDES: Final = {
    "pytrec_eval": """\
import pytrec_eval
qrels = pytrec_eval.parse_qrel(open("qrels.txt"))
run = pytrec_eval.parse_run(open("runs/ash-a.txt"))""",
    "ir_measures": """\
import ir_measures as im
qrels, run = [*im.read_trec_qrels("qrels.txt")], [*im.read_trec_run("runs/ash-a.txt")]""",
    "ranx": """\
import ranx
qrels = ranx.Qrels.from_file("qrels.txt", kind="trec")
names = "ash-a", "ash-b", "ash-c"
a, b, c = runs = [ranx.Run.from_file(f"runs/{name}.txt", kind="trec") for name in names]""",
    "trectools": """\
import trectools as tt
qrels = tt.TrecQrel("qrels.txt")
a, b = tt.TrecRun("runs/ash-a.txt"), tt.TrecRun("runs/ash-b.txt")""",
    "PyTerrier": """\
import pyterrier as pt
qrels = pt.io.read_qrels("qrels.txt")
runs = [pt.io.read_results(f"runs/{name}.txt") for name in ("ash-a", "ash-b", "ash-c")]
topics = qrels[["qid"]].drop_duplicates().assign(query="a")""",
}
"""What the programs of each package begin with."""

SETUP: Final = r"""cranfield simulate campaign --systems 8 --topics 25 --depth 100
cd campaign
head -n 4000 qrels.txt > so-far.txt
awk '{ print $1, $2, $3, ($4 > 1) }' qrels.txt > second.txt    # another assessor, who is stricter
printf 'import cranfield as cf\n\n@cf.measure("Liked")\ndef liked(grades):\n' > mine.py
printf '    return sum(bool(grade) for grade in grades) / max(len(grades), 1)\n' >> mine.py
printf '[collections.%s]\nqrels = "qrels.txt"\nruns = "runs"\n' one two > both.toml"""
"""The folder in which everything runs, ours and theirs."""


@dataclass(frozen=True)
class Try:
    """A program that shows what a rival offers; if it fails, the rival does not offer it.

    Attributes
    ----------
    level
        What it shows where it runs: ``yes``, or ``part`` with what there is.
    program
        Python below the prelude, whose last line is a value to print; for trec_eval a command.
    """

    level: str
    program: str


@dataclass(frozen=True)
class Read:
    """A cell that cannot be tried here, from the rival's documentation."""

    level: str


@dataclass(frozen=True)
class Row:
    """What one might want, how ours does it, and what shows that a rival does.

    Attributes
    ----------
    words
        The regular expression that rivals without a program are searched for.
    command
        Ours; empty where ours does not do it.
    """

    name: str
    command: str
    words: str
    rivals: Mapping[str, Try | Read] = field(default_factory=dict)


@dataclass(frozen=True)
class Found:
    """What a cell says, and what shows it."""

    level: str
    evidence: str


def pyterrier(level: str, *, measures: str = '["map"]', options: str = "") -> Try:
    """Try a call of ``pt.Experiment`` on three runs."""
    return Try(level, f"pt.Experiment(runs, topics, qrels, {measures}, names=[*'abc']{options}).iloc[1].to_dict()")


SUBTOPICS: Final = '[im.Qrel("1", "d", 1, "s1"), im.Qrel("1", "e", 1, "s2")]'
GROUPS: Final[Mapping[str, Sequence[Row]]] = {
    "Scores": (
        Row(
            "gains and discounts of your own, as in the papers",
            'cranfield evaluate qrels.txt runs -m "nDCG(base=10,gains={1:5,2:10})@100"',
            "gains?$|discount|burges",
            {
                "trec_eval": Try("part (gains)", "trec_eval -m ndcg.1=5,2=10 qrels.txt runs/ash-a.txt"),
                "pytrec_eval": Try(
                    "part (gains)", 'pytrec_eval.RelevanceEvaluator(qrels, {"ndcg.1=5,2=10"}).evaluate(run)["401"]'
                ),
                "ir_measures": Try(
                    "part (gains, 2 discounts)",
                    'im.calc_aggregate([im.nDCG(gains={1: 5, 2: 10}) @ 10, im.nDCG(dcg="exp-log2") @ 10], qrels, run)',
                ),
                "ranx": Try(
                    "part (2 discounts)", 'ranx.evaluate(qrels, a, ["ndcg@10", "ndcg_burges@10"], make_comparable=True)'
                ),
                "PyTerrier": pyterrier(
                    "part (gains, 2 discounts)",
                    measures='[pt.measures.nDCG(gains={1: 5, 2: 10}) @ 10, pt.measures.nDCG(dcg="exp-log2") @ 10]',
                ),
                "MATTERS": Read("yes"),
            },
        ),
        Row(
            "subtopics and nuggets",
            "cranfield measures alpha_nDCG",
            "alpha_n?dcg|subtopic|nugget|intent",
            {
                "ir_measures": Try(
                    "yes", f'im.calc_aggregate([im.alpha_nDCG @ 10], {SUBTOPICS}, [im.ScoredDoc("1", "d", 1.0)])'
                ),
                "PyTerrier": Try(
                    "yes",
                    "each = qrels.assign(iteration=qrels.docno.str[-1])\n"
                    "pt.Experiment(runs, topics, each, [pt.measures.alpha_nDCG @ 10], names=[*'abc']).to_dict()",
                ),
            },
        ),
        Row(
            "effort: relative position, CRP, Twist",
            'cranfield evaluate qrels.txt runs -m "CRP@100" -m Twist',
            "twist|relative_?position|[._]crp|effort",
            {"MATTERS": Read("yes")},
        ),
        Row(
            "lists that should end",
            'cranfield evaluate qrels.txt runs -m NDCGT -m "RBU(p=0.9)"',
            r"truncat|ndcgt|\brbu\b|\boie\b|^utility",
            {
                "trec_eval": Try("part (utility)", "trec_eval -m utility.1,-1,0,0 qrels.txt runs/ash-a.txt"),
                "pytrec_eval": Try(
                    "part (utility)", 'pytrec_eval.RelevanceEvaluator(qrels, {"utility"}).evaluate(run)["401"]'
                ),
            },
        ),
        Row(
            "an audit of the input: ties, missing topics, unjudged documents",
            "cranfield evaluate qrels.txt runs -m AP --order rank --topics shared",
            r"audit|diagnos|lint(er|_)|coverage",
            {
                "trectools": Try(
                    "part (ranks, coverage)", "a.validate_run_format(), a.get_mean_coverage(qrels, topX=10)"
                ),
                "PyTerrier": pyterrier("part (columns)", options=', validate="error"'),
                "MATTERS": Read("part"),
            },
        ),
        Row(
            "the share of judged documents",
            "cranfield evaluate qrels.txt runs -m Judged@10",
            r"^unj|^judged$|\.judged$|get_unjudged$",
            {
                "trec_eval": Try("yes", "trec_eval -m unj.10 qrels.txt runs/ash-a.txt"),
                "ir_measures": Try("yes", "im.calc_aggregate([im.Judged @ 10], qrels, run)"),
                "trectools": Try("yes", "tt.TrecEval(a, qrels).get_unjudged(depth=10)"),
                "PyTerrier": pyterrier("yes", measures="[pt.measures.Judged @ 10]"),
            },
        ),
        Row(
            "bounds for unjudged documents",
            "cranfield evaluate qrels.txt runs -m nDCG@10 -m AP --bounds",
            r"resid|bounds?$|lower_?bound|upper_?bound",
            {
                "trec_eval": Try("part (RBP)", "trec_eval -m rbp -m rbp_resid qrels.txt runs/ash-a.txt"),
                "trectools": Try("part (RBP)", "tt.TrecEval(a, qrels).get_rbp(p=0.8)"),
            },
        ),
        Row(
            "a measure of your own",
            "cranfield evaluate qrels.txt runs -m Liked --measures-from mine.py",
            r"define_|custom_?m|register_?m",
            {
                "ir_measures": Try(
                    "yes", 'im.calc_aggregate([im.define_byquery(lambda q, r: float(len(r)), name="Long")], qrels, run)'
                ),
                "PyTerrier": pyterrier(
                    "yes",
                    measures='[__import__("ir_measures").define_byquery(lambda q, r: float(len(r)), name="Long")]',
                ),
                "MATTERS": Read("part"),
            },
        ),
        Row(
            "CSV, JSON, Parquet, compressed files",
            "cranfield evaluate qrels.txt runs -m AP --per-topic -o scores.csv",
            r"json|parquet|csv|gzip|dataframe",
            {
                "ir_measures": Try(
                    "part (frames)",
                    "import pandas as pd\nim.calc_aggregate([im.AP], pd.DataFrame(qrels), pd.DataFrame(run))",
                ),
                "ranx": Try(
                    "yes",
                    'a.save("a.json"), a.save("a.parquet")\n'
                    'len(ranx.Run.from_file("a.json")), len(ranx.Run.from_parquet("a.parquet"))',
                ),
                "trectools": Try(
                    "part (frames)", "d = tt.TrecRun()\nd.load_run_from_dataframe(a.run_data)\nlen(d.topics())"
                ),
                "PyTerrier": Try(
                    "part (gzip)", 'pt.io.write_results(runs[0], "a.res.gz")\nlen(pt.io.read_results("a.res.gz"))'
                ),
            },
        ),
    ),
    "Comparison of systems": (
        Row(
            "significance tests",
            "cranfield compare qrels.txt runs -m AP",
            r"t_?test|fisher|wilcoxon|permutation|significan",
            {
                "ranx": Try(
                    "yes",
                    'found = ranx.compare(qrels, runs, ["map"], stat_test="fisher", make_comparable=True)\n'
                    'found.to_dict()["ash-a"]["comparisons"]',
                ),
                "trectools": Try(
                    "part (two runs)",
                    "one, other = (run.evaluate_run(qrels, per_query=True) for run in (a, b))\n"
                    'one.compare_with(other, "map").pvalue',
                ),
                "PyTerrier": pyterrier("yes", options=", baseline=0"),
                "MATTERS": Read("yes"),
            },
        ),
        Row(
            "corrected for their number",
            "cranfield compare qrels.txt runs -m AP --correction holm",
            r"holm|bonferroni|tukey|correction",
            {
                "ranx": Try(
                    "part (Tukey's test)",
                    'ranx.compare(qrels, runs, ["map"], stat_test="tukey", make_comparable=True).stat_test',
                ),
                "PyTerrier": pyterrier("yes", options=', baseline=0, correction="holm"'),
                "MATTERS": Read("part"),
            },
        ),
        Row(
            "intervals and effect sizes",
            "cranfield compare qrels.txt runs -m AP --layout pairs",
            r"confidence|effect_?size|cohen|bootstrap",
            {
                "trectools": Try(
                    "part (of a mean)", "import trectools.misc\ntrectools.misc.confidence_interval([0.1, 0.2, 0.4])"
                ),
                "MATTERS": Read("part"),
            },
        ),
        Row(
            "ranks that hold whatever is unjudged",
            "cranfield experiment certificate qrels.txt runs -m P@10",
            r"certif|rank_(bound|range|interval)|possible_rank",
        ),
        Row(
            "a gate for continuous integration",
            "cranfield gate qrels.txt runs/ash-a.txt runs/ash-b.txt --margin 2%",
            r"(^|[._])gate|assert_not",
        ),
        Row(
            "how many topics the next collection needs",
            "cranfield topics scores.csv --difference 0.02",
            r"sample_?size|topics_needed|power_analysis",
        ),
        Row(
            "several collections, one table",
            "cranfield evaluate --collections both.toml -m nDCG@10",
            r"several|across_|macro_average",
        ),
    ),
    "Pictures and pages": (
        Row(
            "figures, for print as well",
            "cranfield plot curves qrels.txt runs -m DCG -o curves.svg --print column",
            r"plot|[._]figure|chart",
            {
                "ranx": Try(
                    "part (one kind)",
                    "import matplotlib.pyplot as plt\nranx.plot(qrels, a.make_comparable(qrels))\nplt.gcf()",
                ),
                "trectools": Try(
                    "part (one kind)",
                    "from trectools import procedures as p\n"
                    "found = p.evaluate_runs([a, b], qrels, per_query=True)\n"
                    'p.plot_system_rank(p.extract_metric_from_results(found, "map"), "MAP", "ranks.png")',
                ),
                "MATTERS": Read("part"),
            },
        ),
        Row(
            "a report as one file",
            "cranfield report qrels.txt runs -o report.html",
            r"report(er|s)?$|latex",
            {
                "ranx": Try(
                    "part (LaTeX table)", 'ranx.compare(qrels, runs, ["map"], make_comparable=True).to_latex()'
                ),
            },
        ),
        Row("an explorer in the browser", "cranfield explore qrels.txt runs", r"explorer|browser|serve_"),
    ),
    "Judgments": (
        Row(
            "pools, by team and priority",
            "cranfield select runs --method depth --budget 500 -o pool.csv",
            r"pool(er|s|_|ing|maker)",
            {
                "trectools": Try(
                    "part (one depth)",
                    'tt.TrecPoolMaker().make_pool([a, b], strategy="topX", topX=10).get_total_pool_size()',
                ),
            },
        ),
        Row(
            "the documents to judge next, and when to stop",
            "cranfield select runs --qrels so-far.txt --method C --p 0.8 --budget 20",
            r"bandit|active|to_judge|hedge|stop_?rule",
            {
                "trectools": Try(
                    "part (by RBP)",
                    'tt.TrecPoolMaker().make_pool([a, b], strategy="rbp", topX=20).get_total_pool_size()',
                )
            },
        ),
        Row(
            "samples with known chances",
            "cranfield sample runs/*-a.txt --per-topic 20 --design weighted -m P@10 --depth 10 -o drawn.csv",
            r"infap|sampling|stratif",
            {
                "trec_eval": Try("part (infAP)", "trec_eval -m infAP qrels.txt runs/ash-a.txt"),
                "pytrec_eval": Try(
                    "part (infAP)", 'pytrec_eval.RelevanceEvaluator(qrels, {"infAP"}).evaluate(run)["401"]'
                ),
                "ir_measures": Try("part (infAP)", "im.calc_aggregate([im.infAP], qrels, run)"),
                "PyTerrier": pyterrier("part (infAP)", measures="[pt.measures.infAP]"),
                "MATTERS": Read("part (infAP)"),
            },
        ),
        Row(
            "cheap labels corrected by few experts",
            "cranfield estimate drawn.csv qrels.txt runs/*-a.txt --cheap second.txt -m P@10 --depth 10",
            r"expert|prediction_powered|cheap",
        ),
        Row(
            "assessors and model judges measured",
            "cranfield experiment assessors qrels.txt runs --assessors second.txt -m P@10",
            r"kappa|agreement|assessor",
            {"trectools": Try("part (agreement)", 'qrels.check_kappa(tt.TrecQrel("second.txt"))')},
        ),
        Row(
            "judging in the browser, by several people",
            "cranfield judge serve --help",
            r"annotat|flask|starlette|serve_",
        ),
        Row(
            "a track, from submissions to a release",
            "cranfield track demo toy",
            r"submission|(^|[._])track",
        ),
    ),
    "Measures put to the test": (
        Row(
            "discriminative power, swaps, shallower pools",
            "cranfield experiment downsampling qrels.txt runs -m AP -m nDCG@10",
            r"discriminat|swap_|downsampl",
            {"MATTERS": Read("part")},
        ),
        Row("axioms tested on data", 'cranfield experiment axioms -m nDCG -m "RBP(p=0.8)"', r"axiom"),
        Row(
            "papers redone on your runs",
            "cranfield reproduce cumulated-gain qrels.txt runs -o paper",
            r"reproduc|replicat",
        ),
        Row("another tool's numbers checked or explained", "cranfield conform --write suite", r"conform|reconcil"),
    ),
    "Not in cranfield": (
        Row(
            "fusion of runs",
            "",
            r"fus(e|ion)",
            {
                "ranx": Try("yes", 'len(ranx.fuse(runs=[a, b], method="rrf"))'),
                "trectools": Try(
                    "yes", "from trectools import fusion\nlen(fusion.reciprocal_rank_fusion([a, b]).topics())"
                ),
                "PyTerrier": Try(
                    "part (sums)",
                    "(pt.Transformer.from_df(runs[0]) + pt.Transformer.from_df(runs[1])).transform(topics).shape",
                ),
            },
        ),
        Row(
            "preferences as judgments",
            "",
            r"(^|[._])prefs?$|preference",
            {
                "trec_eval": Try(
                    "yes",
                    "printf '401 a 0 %s %s\\n' D1 2 D2 1 > prefs.txt; "
                    "trec_eval -R prefs -m prefs_simp prefs.txt runs/ash-a.txt",
                )
            },
        ),
        Row(
            "retrieval itself",
            "",
            r"[._]retrievers?$|indexer",
            {"PyTerrier": Try("yes", 'pt.Transformer.from_df(runs[0]).search("a", qid="401").shape')},
        ),
    ),
}
"""The whole comparison, table by table."""

SURFACE: Final = """
import importlib, inspect, json, pkgutil, sys, warnings
warnings.simplefilter("ignore")
package = importlib.import_module(sys.argv[1])
modules = [package]
for each in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    try:
        modules.append(importlib.import_module(each.name))
    except BaseException:
        pass
names = {module.__name__ for module in modules} | set(getattr(package, "supported_measures", ()))
for module in modules:
    for name, value in vars(module).items():
        if name.startswith("_") or not str(getattr(value, "__module__", package.__name__)).startswith(package.__name__):
            continue
        names.add(f"{module.__name__}.{name}")
        members = vars(value).items() if inspect.isclass(value) else ()
        names |= {f"{module.__name__}.{name}.{member}" for member, _ in members if not member.startswith("_")}
        try:
            names |= {f"{name}({parameter})" for parameter in inspect.signature(value).parameters}
        except (TypeError, ValueError):
            pass
print(json.dumps(sorted(names)))
"""
"""Prints all public names of a package: modules, what is in them, and parameters."""
EACH: Final = """
import ast, json, os, sys, warnings
warnings.simplefilter("ignore")
exec(sys.argv[1])
for number, program in enumerate(json.load(sys.stdin)):
    if os.fork() == 0:  # each for itself: one crashes
        with open(f"said-{number}.txt", "w") as said:
            sys.stdout.flush()
            try:
                tree = ast.parse(program)
                exec(compile(ast.Module(tree.body[:-1], []), "program", "exec"))
                value = eval(compile(ast.Expression(tree.body[-1].value), "program", "eval"))
                said.write(f"yes {value}")
            except BaseException as error:
                said.write(f"no {type(error).__name__}: {error}")
        os._exit(0)
    os.wait()
"""
"""Runs programs below the same beginning, and writes the value of each one's last line, or its error."""


class Rivals:
    """The other tools, ready to be tried in the folder of the campaign."""

    def __init__(self, environment: Path, trec_eval: Path | None, campaign: Path) -> None:
        self.python = environment / "bin" / "python"
        self.trec_eval, self.campaign = trec_eval, campaign
        if not self.python.exists():
            venv.create(environment, with_pip=True)
            wanted = [*(distribution for _, distribution in PACKAGES.values()), *EXTRAS]
            subprocess.run([self.python, "-m", "pip", "install", "--quiet", *wanted], check=True)
        self.unclear: list[str] = []
        self.said = self._all_said()
        self.surfaces = {name: self._surface(name) for name in RIVALS if name != "MATTERS"}

    def versions(self) -> dict[str, str]:
        """Give the version of each rival, and of what computes for it."""
        asked = [*(distribution for _, distribution in PACKAGES.values()), *EXTRAS]
        program = f"from importlib.metadata import version\nprint(*map(version, {asked}))"
        found = subprocess.run([self.python, "-c", program], check=True, capture_output=True, text=True).stdout.split()
        ours = {"trec_eval": TREC_EVAL} if self.trec_eval else {}
        return ours | dict(zip([*PACKAGES, *EXTRAS], found, strict=True))

    def found(self, rival: str, row: Row) -> Found:
        """Try a cell, or search for its words."""
        cell = row.rivals.get(rival)
        if isinstance(cell, Read):
            return Found(cell.level, "read from its documentation")
        if rival == "MATTERS":
            return Found("", "")
        if isinstance(cell, Try):
            return self._tried(rival, cell)
        matches = [name for name in self.surfaces[rival] if re.search(row.words, name, re.IGNORECASE)]
        if matches:
            self.unclear.append(f"{row.name}: {rival} has {', '.join(matches[:8])}: write a program for it")
        return Found("", "")

    def _tried(self, rival: str, cell: Try) -> Found:
        if rival == "trec_eval":
            path = f"{self.trec_eval}{os.pathsep}{os.environ['PATH']}"
            done = self._run(["bash", "-c", f"set -e; {cell.program}"], {"PATH": path})
            there, said = done.returncode == 0, done.stdout or done.stderr
        else:
            there, said = self.said[rival, cell.program]
        if not there:
            click.echo(f"{rival}: {cell.program}\n  fails: {said}", err=True)
        return Found(cell.level if there else "", _short(said))

    def _all_said(self) -> dict[tuple[str, str], tuple[bool, str]]:
        """Run all programs of each package in one process: it takes seconds to load one."""
        said = {}
        for rival, prelude in PRELUDES.items():
            cells = [row.rivals.get(rival) for rows in GROUPS.values() for row in rows]
            programs = [cell.program for cell in cells if isinstance(cell, Try)]
            self._run([str(self.python), "-c", EACH, prelude], asked=json.dumps(programs))
            for number, program in enumerate(programs):
                file = self.campaign / f"said-{number}.txt"
                level, _, value = (file.read_text() if file.exists() else "").partition(" ")
                said[rival, program] = level == "yes", value or "it crashes"
                file.unlink(missing_ok=True)
        return said

    def _run(
        self, command: Sequence[str], more: Mapping[str, str] | None = None, asked: str = ""
    ) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "MPLBACKEND": "Agg", **(more or {})}
        environment.pop("PYTHONPATH", None)
        return subprocess.run(
            command, cwd=self.campaign, env=environment, input=asked, capture_output=True, text=True, check=False
        )

    def _surface(self, rival: str) -> list[str]:
        if rival == "trec_eval":
            shown = self._run([f"{self.trec_eval}/trec_eval", "-h", "-m", "all_trec"]).stdout if self.trec_eval else ""
            return re.findall(r"\w+", shown)
        done = self._run([str(self.python), "-c", SURFACE, PACKAGES[rival][0]])
        names: list[str] = json.loads(done.stdout.splitlines()[-1])
        return names


def _short(said: str) -> str:
    """Put what a program printed into one line of a page."""
    line = " ".join(said.replace("`", "'").split())
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 3]}..."


SHOWN: Final = 90


def try_ours(campaign: Path) -> None:
    """Run our commands, in the order of the page; one that fails stops everything."""
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    for row in (row for rows in GROUPS.values() for row in rows if row.command):
        click.echo(row.command, err=True)
        served = row.command.startswith("cranfield explore")
        command = ["bash", "-c", f"exec {row.command}{' --no-browser --port 0' if served else ''}"]
        running = subprocess.Popen(
            command, cwd=campaign, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        if served:  # it is up when it names its address, and ends when it is told to
            said = next((line for line in running.stdout or () if "http://" in line), "")
            running.terminate()
            running.wait()
        else:
            said = running.communicate()[0]
        allowed = {0, 1, 3, 4} if row.command.startswith("cranfield gate") else {0}  # its verdicts
        if not (said if served else running.returncode in allowed):
            raise click.ClickException(f"{row.command} ends with status {running.returncode}:\n{said}")


def page(cells: Mapping[tuple[str, str], Found], versions: Mapping[str, str], when: str) -> str:
    """Write the page: the tables, each with our commands, and what shows each cell."""
    told = ", ".join(f"{name} {version}" for name, version in versions.items())
    parts = [HEAD.format(when=when, versions=told, setup=SETUP)]
    shown, number = ["## Evidence of each cell\n", EVIDENCE], 0
    for title, rows in GROUPS.items():
        parts.append(f"## {title}\n")
        table = [cells_of("", "cranfield", *RIVALS), f"|---|{'---|' * (len(RIVALS) + 1)}"]
        commands, listed = [], []
        for number, row in enumerate(rows, number + 1):  # noqa: B020 - numbers go on from table to table
            found = {rival: cells[row.name, rival] for rival in RIVALS}
            levels = [each.level for each in found.values()]
            table.append(cells_of(f"{number}. {row.name}", "yes" if row.command else "", *levels))
            if row.command:
                commands.append(f"{row.command}  # {number}")
            listed.append(_evidence(number, row, found))
        parts.append("\n".join(table) + "\n")
        if commands:
            parts.append("```console\n" + "\n".join(commands) + "\n```\n")
        shown += [f"### {title}\n", "\n".join(listed) + "\n"]
    preludes = "\n\n".join(f"# {name}\n{prelude}" for name, prelude in PRELUDES.items())
    return "\n".join([*parts, ELSEWHERE, *shown, f"### Before each program\n\n```text\n{preludes}\n```\n"])


def _evidence(number: int, row: Row, found: Mapping[str, Found]) -> str:
    """List what was tried for a row, and what was looked for in vain."""
    items, searched = [], []
    for rival, cell in found.items():
        asked = row.rivals.get(rival)
        if isinstance(asked, Read):
            items.append(f"{rival}: {cell.level}, {cell.evidence}.")
        elif isinstance(asked, Try):
            program = "``, ``".join(asked.program.split("\n"))
            items.append(f"{rival}: {cell.level or 'no'}. ``{program}`` → `{cell.evidence}`")
        elif rival != "MATTERS":
            searched.append(rival)
    if searched:
        items.append(f"{', '.join(searched)}: nothing matches ``{row.words}``.")
    return f"**{number}. {row.name}**\n\n" + "\n".join(f"- {item}" for item in items) + "\n"


HEAD: Final = """\
# Comparison with other tools

*What do other tools offer, what is only here, and how do you see it for yourself?*

<!-- {{index}} ! comparison with other tools, ! alternatives -->

`python -m benchmarks.rivals` writes this page: it installs the other tools, runs a program for each
cell, and looks through their public names, options and help where there is nothing to run. Tried on
{when}: {versions}. MATTERS needs MATLAB, and its column is read from its documentation. *Part* means
something similar, or a part of it; the [evidence](#evidence-of-each-cell) has the programs and what
they print. How fast the tools are is [measured](benchmarks.md), and where their
numbers differ from ours is on [a page of its own](differences.md).

Each table is followed by the commands of its rows. They run from top to bottom after these:

```console
{setup}
```
"""
ELSEWHERE: Final = """\
Read from their documentation, and not tried: torchmetrics and Rax compute measures inside a training
step, as **losses** on a GPU; PyTerrier builds **indexes** with Java; and Quepid asks **live search
endpoints** and keeps ratings for each search box.
"""
EVIDENCE: Final = """\
A program is followed by what it prints, shortened. *Nothing matches* means: no public name, parameter,
option or line of help of the tool matches that regular expression.
"""


@click.command()
@click.option(
    "--trec-eval",
    "sources",
    required=True,
    envvar="TREC_EVAL_SOURCES",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with trec_eval-9.0.8.tar.gz and trec_eval-10.0.tar.gz, which are compiled once.",
)
@click.option(
    "--environment",
    type=click.Path(file_okay=False, path_type=Path),
    default=workloads.WORK / "rivals",
    show_default="benchmarks/simulated/rivals",
    help="Virtual environment of the rivals; made if it is new.",
)
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), default=PAGE,
              show_default="docs/comparison.md", help="The page that is written.")  # fmt: skip
def main(*, sources: Path, environment: Path, output: Path) -> None:
    """Try what the other tools offer, and write the comparison."""
    peer_trec_eval.build(sources)
    with tempfile.TemporaryDirectory() as scratch:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        subprocess.run(["bash", "-ec", SETUP], cwd=scratch, check=True, env=os.environ | {"PATH": path})
        campaign = Path(scratch) / "campaign"
        rivals = Rivals(environment.absolute(), workloads.WORK / f"trec_eval-{TREC_EVAL}", campaign)
        every = [row for rows in GROUPS.values() for row in rows]
        cells = {(row.name, rival): rivals.found(rival, row) for row in every for rival in RIVALS}
        if rivals.unclear:
            raise click.ClickException("\n".join(rivals.unclear))
        try_ours(campaign)
    sections.write(page(cells, rivals.versions(), f"{datetime.now(UTC):%-d %B %Y}"), output)
    if output == PAGE:
        front.write()


if __name__ == "__main__":
    main()
