"""trec_eval 9.0.8 and 10.0, built from their sources, print what we print, byte for byte, but for `EXCEPTIONS`."""

from __future__ import annotations

import gzip
import itertools
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner

import cranfield as cf
from cranfield.cli import main
from cranfield.plumbing.options import Order
from cranfield.scoring.judged_runs import JudgedRuns

PAGE: Final = Path(__file__).parents[2] / "docs" / "differences.md"

Printed = dict[tuple[str, str], str]
"""What was printed of one run: its value by measure and topic, in the order of the lines."""


@dataclass(frozen=True)
class Version:
    """One version of trec_eval, and how it is asked of us."""

    number: str
    measures: str
    order: Order


VERSIONS: Final = (Version("9.0.8", "all_trec", "trec9"), Version("10.0", "all_trec10", "score"))


@dataclass(frozen=True)
class Asked:
    """One way of calling trec_eval."""

    version: Version
    complete: bool
    level: int

    def __str__(self) -> str:
        return f"trec_eval {self.version.number} {' '.join(self.options)}"

    @property
    def options(self) -> list[str]:
        """Its options: each topic and all measures; -c averages over all topics of the qrels."""
        level = ["-l", str(self.level)] if self.level > 1 else []
        return ["-q", "-m", "all_trec", *(["-c"] if self.complete else []), *level]


@dataclass(frozen=True)
class Case:
    """One run on its qrels, one way of asking, and what exceptions depend on."""

    asked: Asked
    relevant: int  # how many grades of the qrels are above 0
    top: float  # the largest of them
    lacking: frozenset[str]  # topics of the qrels that the run lacks
    all_judged: frozenset[str]  # topics of which every retrieved document has a grade of 0 or more
    negative: frozenset[str]  # topics of which a retrieved document has a grade below 0


@dataclass(frozen=True)
class Difference:
    """A line that is not the same: None where it was not printed."""

    measure: str
    topic: str
    ours: str | None
    theirs: str | None


@dataclass(frozen=True)
class Allowed:
    """One difference that is meant, word for word as the page of differences has it."""

    measure: str
    versions: tuple[str, ...]
    why: str
    allows: Callable[[Case, Difference], bool]


def flaw_of_num_rel(case: Case, found: Difference) -> bool:
    return case.asked.complete and case.asked.level > 1 and found.topic == "all" and found.theirs == str(case.relevant)


def topic_not_printed(case: Case, found: Difference) -> bool:
    return case.asked.complete and found.topic in case.lacking and found.theirs is None


def memory_of_rbp(case: Case, found: Difference) -> bool:
    return case.top > 1 and found.theirs is not None and found.ours is not None


def tail_left_out(case: Case, found: Difference) -> bool:
    return found.theirs == "0.0000" if found.topic != "all" else bool(case.all_judged)


def negative_is_unjudged(case: Case, found: Difference) -> bool:
    return found.topic in case.negative if found.topic != "all" else bool(case.negative)


EXCEPTIONS: Final = (
    Allowed(
        "num_rel",
        ("9.0.8", "10.0"),
        "with `-c` and `-l 2` its line for `all` counts all grades above 0",
        flaw_of_num_rel,
    ),
    Allowed(
        "any",
        ("9.0.8",),
        "with `-c` and `-q` it prints no lines for a topic that the run lacks",
        topic_not_printed,
    ),
    Allowed(
        "rbp",
        ("10.0",),
        "where the qrels hold grades above 1 it depends on memory that was never set",
        memory_of_rbp,
    ),
    Allowed(
        "rbp_resid",
        ("10.0",),
        "it is 0 where every retrieved document is judged: the tail below the list is left out",
        tail_left_out,
    ),
    Allowed(
        "rbp_resid",
        ("10.0",),
        "it takes documents of negative grade for unjudged",
        negative_is_unjudged,
    ),
)
"""The only differences there may be; what each says is said on the page, too."""

REFUSAL: Final = "without `-c`, 10.0 stops where the run lacks a topic of the qrels, and prints no average"


@dataclass(frozen=True)
class Collection:
    """Runs and what they are judged by; a few of the runs stand for all where time is short."""

    qrels: str
    runs: str
    how_many: int
    few: tuple[str, ...]


COLLECTIONS: Final = {
    # The first and the last run, the one with most ties, and those with most ties in 32 bits only.
    "dl19": Collection(
        "dl19-passage/qrels.txt", "dl19-passage/runs/*.gz", 37, ("ICT-BERT2", "TUA1-1", "runid2", "test1")
    ),
    "dl19-later": Collection(
        "dl19-passage/qrels.txt",
        "dl19-passage/runs-extra/*.gz",
        24,
        ("colbert_monoelectra-base", "maik-froebe-splade-run", "tirex_set-encoder-large"),
    ),
    "trec8": Collection("trec8-adhoc/qrels.txt", "trec8-adhoc/runs/*.gz", 15, ("CL99XTopt", "mds08a2", "orcl99man")),
    "covid": Collection(
        "covid-round1/qrels.txt",
        "covid-round1/runs/*.gz",
        143,
        ("10x10.prf.unipd.it", "BERT", "tm_lda400", "yn-r1-hierarchy"),
    ),
    # Second assessors judged some of the topics only.
    "second-assessor": Collection(
        "dl19-passage/qrels-assessors/froebe-qrels.txt", "dl19-passage/runs/*.gz", 37, ("TUA1-1", "test1")
    ),
    # trec_eval's own: two runs lack topics, one of the qrels has negative grades.
    "own": Collection("trec_eval-tests/qrels.test", "trec_eval-tests/results*", 3, ()),
    "own-graded": Collection("trec_eval-tests/qrels.rel_level", "trec_eval-tests/results*", 3, ()),
}


@pytest.fixture(scope="session")
def programs(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """Build both versions in a folder of their own."""
    sources = data.parent / "tools" / "trec_eval"
    if not sources.is_dir():
        pytest.skip(f"the sources of trec_eval are not at {sources}")
    if shutil.which("make") is None or shutil.which("cc") is None:
        pytest.skip("trec_eval is built with make and a C compiler")
    folder = tmp_path_factory.mktemp("trec_eval")
    building = {}
    for version in VERSIONS:
        name = f"trec_eval-{version.number}"
        with tarfile.open(sources / f"{name}.tar.gz") as archive:
            archive.extractall(folder, filter="data")
        building[version.number] = subprocess.Popen(
            ["make", "CC=cc -ffp-contract=off"],  # without fused multiply-add, where the processor has it
            cwd=folder / name,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
    for number, make in building.items():
        said = make.communicate()[1]
        if make.returncode:
            pytest.skip(f"trec_eval {number} cannot be built here: {said.strip().splitlines()[-1]}")
    return {number: folder / f"trec_eval-{number}" / "trec_eval" for number in building}


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """Return what unpacks a file, once: trec_eval reads plain text only."""
    folder = tmp_path_factory.mktemp("runs")

    def unpack(file: Path) -> Path:
        if file.suffix != ".gz":
            return file
        plain = folder / file.parent.name / file.stem
        if not plain.exists():
            plain.parent.mkdir(exist_ok=True)
            plain.write_bytes(gzip.decompress(file.read_bytes()))
        return plain

    return unpack


def read(lines: list[str]) -> Printed:
    """Take lines apart; no two are of one measure and topic."""
    parts = [line.split("\t") for line in lines]
    found = {(measure.rstrip(), topic): value for measure, topic, value in parts}
    assert len(found) == len(lines)
    return found


def by_run(scores: cf.Scores) -> dict[str, list[str]]:
    """Cut what we print into runs: each ends with its averages."""
    lines = str(scores.render("trec_eval", per_topic=True)).splitlines()
    parts = [list(part) for _, part in itertools.groupby(lines, key=lambda line: line.split("\t")[1] == "all")]
    assert len(parts) == 2 * len(scores.runs)
    return {run: parts[2 * i] + parts[2 * i + 1] for i, run in enumerate(scores.runs)}


def cases(asked: Asked, joined: JudgedRuns) -> Iterator[Case]:
    """Tell of each run what exceptions depend on."""
    counts = cf.evaluate(joined, measures=["num_ret", "Judged", "Unjudged@1000000"])
    retrieved, judged, unjudged = counts.values[0], counts.values[1] * counts.values[0], counts.values[2] * 1_000_000
    grades = joined.judgments.grade
    for r in range(len(counts.runs)):
        topics = [(topic, t) for t, topic in enumerate(counts.topics) if counts.present[r, t]]
        yield Case(
            asked,
            relevant=int((grades > 0).sum()),
            top=joined.judgments.top_grade,
            lacking=frozenset(joined.audit.runs[r].missing),
            all_judged=frozenset(topic for topic, t in topics if round(unjudged[r, t]) == 0),
            negative=frozenset(topic for topic, t in topics if round(judged[r, t] + unjudged[r, t]) > retrieved[r, t]),
        )


def differences(ours: Printed, theirs: Printed) -> Iterator[Difference]:
    """Find the lines that are not the same."""
    for measure, topic in dict.fromkeys([*ours, *theirs]):
        found = Difference(measure, topic, ours.get((measure, topic)), theirs.get((measure, topic)))
        if found.ours != found.theirs:
            yield found


def exception_for(case: Case, found: Difference) -> Allowed | None:
    """Return the exception that allows a difference, if there is one."""
    for each in EXCEPTIONS:
        if (
            each.measure in {found.measure, "any"}
            and case.asked.version.number in each.versions
            and each.allows(case, found)
        ):
            return each
    return None


def held(programs: Mapping[str, Path], qrels: Path, runs: Mapping[str, Path]) -> set[Allowed]:
    """Hold our output to theirs, run by run and in all ways, and return the exceptions that were needed."""
    needed: set[Allowed] = set()
    for version, complete in itertools.product(VERSIONS, (True, False)):
        joined = cf.join(qrels, dict(runs), order=version.order, topics="all" if complete else "shared")
        for level in (1, 2):
            asked = Asked(version, complete, level)
            scores = cf.evaluate(joined, measures=version.measures, rel=level if level > 1 else None)
            printed = by_run(scores)
            for case, run in zip(cases(asked, joined), scores.runs, strict=True):
                needed |= held_run(case, programs[version.number], qrels, runs[run], printed[run])
    return needed


def held_run(case: Case, program: Path, qrels: Path, run: Path, printed: list[str]) -> set[Allowed]:
    """Hold what we print of a run to what they do."""
    asked = case.asked
    found = subprocess.run(
        [str(program), *asked.options, str(qrels), str(run)], capture_output=True, text=True, check=False
    )
    if asked.version.number == "10.0" and not asked.complete and case.lacking:  # REFUSAL
        assert (found.returncode, found.stdout.count("\tall\t")) == (4, 0)
        return set()
    assert found.returncode == 0, (str(asked), run.name, found.stderr)
    ours, theirs = read(printed), read(found.stdout.splitlines())
    assert [line for line in ours if line in theirs] == list(theirs), f"{asked} {run.name}: in this order"
    needed = set()
    for difference in differences(ours, theirs):
        exception = exception_for(case, difference)
        assert exception is not None, (str(asked), run.name, difference)
        needed.add(exception)
    return needed


def runs_of(data: Path, collection: Collection) -> dict[str, Path]:
    """Find the runs of a collection."""
    files = sorted(data.glob(collection.runs))
    assert len(files) == collection.how_many
    return {file.name.removesuffix(".gz"): file for file in files}


@pytest.mark.integration
@pytest.mark.parametrize("name", COLLECTIONS)
def test_a_few_runs_of_each_collection(
    data: Path, programs: Mapping[str, Path], unpacked: Callable[[Path], Path], name: str
) -> None:
    collection = COLLECTIONS[name]
    runs = runs_of(data, collection)
    held(programs, data / collection.qrels, {run: unpacked(runs[run]) for run in collection.few or runs})


@pytest.mark.slow
@pytest.mark.parametrize("name", COLLECTIONS)
def test_all_runs(data: Path, programs: Mapping[str, Path], unpacked: Callable[[Path], Path], name: str) -> None:
    collection = COLLECTIONS[name]
    runs = {run: unpacked(file) for run, file in runs_of(data, collection).items()}
    held(programs, data / collection.qrels, runs)


@pytest.mark.integration
def test_no_exception_is_idle(programs: Mapping[str, Path], tmp_path: Path) -> None:
    """Topic 1 is judged throughout, topic 2 has a negative grade, topic 3 is not in the run."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("1 0 a 2\n1 0 b 0\n2 0 c 1\n2 0 d -1\n3 0 e 1\n")
    run.write_text("1 Q0 b 1 2 r\n1 Q0 a 2 1 r\n2 Q0 c 1 3 r\n2 Q0 d 2 2 r\n2 Q0 x 3 1 r\n")
    assert held(programs, qrels, {"run": run}) == set(EXCEPTIONS)


@pytest.mark.integration
@pytest.mark.parametrize(("number", "options"), [("9.0.8", []), ("10.0", ["--order", "score"])])
def test_the_command_prints_the_same(
    data: Path, programs: Mapping[str, Path], unpacked: Callable[[Path], Path], number: str, options: list[str]
) -> None:
    """Byte for byte on standard output, where the judgments are binary; --topics shared is their -c left out."""
    qrels, packed = str(data / "trec8-adhoc/qrels.txt"), data / "trec8-adhoc/runs/apl8ctd.gz"
    measures = {version.number: version.measures for version in VERSIONS}[number]
    for theirs, ours in ((["-c"], []), ([], ["--topics", "shared"]), (["-c", "-M", "500"], ["-M", "500"])):
        call = [str(programs[number]), "-m", "all_trec", *theirs, qrels, str(unpacked(packed))]
        expected = subprocess.run(call, capture_output=True, check=True).stdout
        asked = ["evaluate", qrels, str(packed), "-m", measures, "--format", "trec_eval", *options, *ours]
        assert CliRunner().invoke(main, asked).stdout_bytes == expected


SMALL: Final = (
    # Scores in 32 bits and in 64; labels and scores that are not numbers; a document twice.
    ("9.0.8", "-m recip_rank", "1 0 a 1", "a 10.0, A 10.00000001", "1.0000"),
    ("10.0", "-m recip_rank", "1 0 a 1", "a 10.0, A 10.00000001", "0.5000"),
    ("9.0.8", "-m recip_rank", "1 0 a 0.9; 1 0 b 1", "a 2, b 1", "0.5000"),
    ("10.0", "-m recip_rank", "1 0 a 0.9; 1 0 b 1", "a 2, b 1", "0.5000"),
    ("9.0.8", "-m recip_rank", "1 0 a 1", "a abc, b 1", "0.5000"),
    ("9.0.8", "-M 2 -m recip_rank", "1 0 a 1", "a 3, b 2, a 1", "1.0000"),
    # Recall levels; the square of beta; gains sorted as whole numbers.
    ("9.0.8", "-m iprec_at_recall.0.4", "1 0 a 1; 1 0 d 1; 1 0 e 1", "a 5, b 4, c 3, d 2, e 1", "0.6000"),
    ("10.0", "-m iprec_at_recall.0.4", "1 0 a 1; 1 0 d 1; 1 0 e 1", "a 5, b 4, c 3, d 2, e 1", "1.0000"),
    ("9.0.8", "-m set_F.4", "1 0 a 1; 1 0 b 1; 1 0 c 1; 1 0 d 1", "a 2, x 1", "0.2778"),
    ("9.0.8", "-m ndcg.1=0.9,2=0.2,3=0.5", "1 0 a 1; 1 0 b 2; 1 0 c 3", "b 3, a 2, c 1", "0.0000"),
    ("10.0", "-m ndcg.1=0.9,2=0.2,3=0.5", "1 0 a 1; 1 0 b 2; 1 0 c 3", "b 3, a 2, c 1", "0.0000"),
    # -J drops negative grades; of 10.0, NaN where it leaves nothing of a topic.
    ("9.0.8", "-J -m recip_rank", "1 0 s -1; 1 0 a 1", "s 2, a 1", "1.0000"),
    ("10.0", "-c -J -m 11pt_avg", "1 0 a 1; 2 0 b 1", "a 1", "-nan"),
)


@pytest.mark.integration
@pytest.mark.parametrize(("number", "options", "judged", "ranked", "printed"), SMALL)
def test_what_the_page_says_of_it(
    programs: Mapping[str, Path], tmp_path: Path, number: str, options: str, judged: str, ranked: str, printed: str
) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text(judged.replace("; ", "\n") + "\n")
    run.write_text("".join("1 Q0 {} 1 {} r\n".format(*line.split()) for line in ranked.split(", ")))
    call = [str(programs[number]), *options.split(), str(qrels), str(run)]
    found = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    assert found.split()[-1].replace("-nan", "nan") == printed.replace("-nan", "nan")


def test_the_square_of_beta_is_read_as_such() -> None:
    assert round(cf.parse_measure("set_F.4").of([1, None], unretrieved=[1, 1, 1]), 4) == 0.2778


def test_the_page_says_each_exception() -> None:
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert [each for each in (*(allowed.why for allowed in EXCEPTIONS), REFUSAL) if each not in page] == []
