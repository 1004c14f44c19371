"""trec_eval's command: its golden files, its options, and how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cranfield import MeasureError
from cranfield.cli import main
from cranfield.compat.trec_eval import TrecEvalError, asked, trec_eval

PARAMETERS = (
    "-q -miprec_at_recall..10,.20,.25,.75,.50 -m P.5,7,3 -m recall.20,2000 -m Rprec_mult.5.0,0.2,0.35 "
    "-mutility.2,-1,0,0 -m 11pt_avg..25,.5,.75 -mndcg.1=3,2=9,4=4.5 -mndcg_cut.10,20,23.4 -msuccess.2,5,20"
)


def called(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["trec_eval", *map(str, arguments)])


@pytest.mark.parametrize(
    ("options", "qrels", "run", "golden"),
    [
        ("", "qrels.test", "results.test", "out.test"),
        ("-m all_trec", "qrels.test", "results.test", "out.test.a"),
        ("-m all_trec -q", "qrels.test", "results.test", "out.test.aq"),
        ("-m all_trec -q -c", "qrels.test", "results.trunc", "out.test.aqc"),
        ("-m all_trec -q -c -M100", "qrels.test", "results.trunc", "out.test.aqcM"),
        (PARAMETERS, "qrels.test", "results.test", "out.test.meas_params"),
        ("", "qrels.test.with-comments", "results.test", "out.test"),
    ],
)
def test_golden_files(data: Path, options: str, qrels: str, run: str, golden: str) -> None:
    """trec_eval 10's own, to the byte but for what docs/differences.md says of its rbp."""
    folder = data / "trec_eval-tests"
    found = called("--as", "10", *options.split(), folder / qrels, folder / run)
    expected = (folder / golden).read_text(encoding="utf-8")
    assert found.exit_code == 0
    flawed = ("rbp",)
    assert [line for line in found.stdout.splitlines() if not line.startswith(flawed)] == [
        line for line in expected.splitlines() if not line.startswith(flawed)
    ]


def test_order_and_first_setting() -> None:
    assert list(map(str, asked(["P.10,5", "map", "P.3", "official"]))) == [
        *["RunID", "NumQ", "NumRet", "NumRel", "NumRelRet", "AP", "gmAP", "Rprec", "Bpref", "RR"],
        *[f"IPrec@{i / 10:g}" for i in range(11)],
        *["P@5", "P@10"],
    ]
    assert len(asked(["all_trec"], "10")) == len(asked(["all_trec"])) + 5


@pytest.mark.parametrize("name", ["P_5", "foo", "prefs_simp", "map.", "rbp"])
def test_illegal_measures(name: str) -> None:
    with pytest.raises(TrecEvalError, match=r"P\.5|foo|cranfield does not|improper|rbp") as caught:
        asked([name])
    assert caught.value.status == 1


@pytest.mark.parametrize("name", ["P.x", "P.5,", "P.inf", "num_q.3", "utility.1", "set_F.-1", "ndcg_cut.0"])
def test_parameters_that_cannot_be(files: tuple[Path, Path], name: str) -> None:
    """Also where an earlier setting of the measure holds."""
    for names in ([name], [name.partition(".")[0], name]):
        with pytest.raises(MeasureError, match=r"trec_eval's names|at least 1, not 0"):
            asked(names)
    found = called("-m", name, *files)
    assert (found.exit_code, "bug" in found.stderr) == (2, False)


@pytest.mark.parametrize(("name", "hint"), [
    ("map.5", "; map_cut.5 has one"), ("ndcg.2", "; ndcg_cut.2 has one"), ("recip_rank.1", ""), ("gm_map.2", ""),
    ("relstring.3,4", ""), ("ndcg_cut.5=3", ""),
])  # fmt: skip
def test_a_cutoff_that_trec_eval_ignores_is_refused(files: tuple[Path, Path], name: str, hint: str) -> None:
    """trec_eval 9.0.8 and 10.0 print `map` for `map.5`, and refuse `ndcg.2`."""
    found = called("-m", name, *files)
    family = name.partition(".")[0]
    says = f"cranfield: trec_eval: {family} has no such parameter: {name!r}{hint}\n"
    assert (found.exit_code, found.stderr, found.stdout) == (1, says, "")
    assert called("-m", name.replace(".", "_cut."), *files).exit_code == (0 if hint else 1)


@pytest.mark.parametrize("name", ["P.5,5", "P.10,5,5.9", "iprec_at_recall..5,0.50", "Rprec_mult.1,1", "success.1,1"])
def test_a_cutoff_twice_ends_it_as_it_ends_trec_eval(files: tuple[Path, Path], name: str) -> None:
    """9.0.8 says "duplicate cutoffs detected" and ends with status 2; ours printed each once."""
    found = called("-m", name, *files)
    assert (found.exit_code, found.stdout) == (2, "")
    assert f"duplicate cutoffs detected in {name!r}" in found.stderr


@pytest.mark.parametrize("name", ["P.1e2", "P.5_0", "P.٥", "Rprec_mult.1_0", "set_F.1_0", "ndcg.1=1_0"])
def test_numbers_that_c_does_not_read_as_python_does_are_refused(files: tuple[Path, Path], name: str) -> None:
    """Of P.1e2 trec_eval prints P_1, and ours printed P_100."""
    found = called("-m", name, *files)
    assert (found.exit_code, found.stdout) == (2, "")
    assert repr(name) in found.stderr


@pytest.mark.parametrize("family", ["ndcg", "ndcg_rel", "Rndcg", "G"])
def test_a_grade_has_one_gain(files: tuple[Path, Path], family: str) -> None:
    """trec_eval takes the first, and counts it for the other one, too."""
    found = called("-m", f"{family}.1=3,1=4", *files)
    assert (found.exit_code, found.stdout) == (2, "")
    assert "a grade has one gain" in found.stderr


def test_a_relstring_is_as_long_as_its_parameter_says(files: tuple[Path, Path]) -> None:
    """trec_eval 9.0.8 and 10.0 print these lines."""
    assert called("-q", "-m", "relstring.2", *files).stdout == "relstring_2           \t1\t'0-'\n"
    assert called("-q", "-m", "relstring.2.5", *files).stdout == "relstring_2.5         \t1\t'0-'\n"


def test_utility_counts_what_is_missed_by_the_size_of_the_collection(files: tuple[Path, Path]) -> None:
    """Of 100 documents 3 are retrieved, and none of the other 97 is relevant; trec_eval prints 97.5 by -N 100, too."""
    found = called("-N", 100, "-m", "utility.0.5,0,0,1", *files)
    assert found.stdout == "utility_0.5,0,0,1     \tall\t97.5000\n"
    assert called("-N", 100, "-m", "utility", *files).stdout == called("-m", "utility", *files).stdout
    without = called("-m", "utility.0.5,0,0,1", *files)
    assert (without.exit_code, without.stdout) == (2, "")
    assert "-N" in without.stderr


def test_a_parameter_is_printed_as_it_was_given(files: tuple[Path, Path]) -> None:
    """As trec_eval 9.0.8 and 10.0 print it."""
    for name in ("set_F.0.50", "set_F.4.0", "11pt_avg.0.20,0.5", "utility.2.0,-1,0,0", "ndcg.1=3,2=9"):
        [line] = called("-m", name, *files).stdout.splitlines()
        assert line.split()[0] == name.replace(".", "_", 1)
    [line] = called("--as", "10", "-m", "rbp.p=0.8", *files).stdout.splitlines()
    assert line.split() == ["rbp_p=0.8", "all", "0.0640"]  # 0.2 · 0.8² at rank 3, a grade of 1 of 2
    assert called("--as", "10", "-m", "rbp.0.8", *files).exit_code == 1


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "bm25.run"
    qrels.write_text("1 0 a 1\n1 0 b 0\n2 0 a 2\n")
    run.write_text("1 Q0 b 1 2 bm25\n1 Q0 x 2 1.5 bm25\n1 Q0 a 3 1 bm25\n")
    return qrels, run


def test_options_by_hand(files: tuple[Path, Path]) -> None:
    assert trec_eval(*files, ["map"]) == "map                   \tall\t0.3333\n"
    assert trec_eval(*files, ["map"], complete=True) == "map                   \tall\t0.1667\n"
    assert trec_eval(*files, ["map"], judged_only=True) == "map                   \tall\t0.5000\n"
    assert trec_eval(*files, ["map"], depth=2) == "map                   \tall\t0.0000\n"
    assert trec_eval(*files, ["map"], per_query=True, summary=False) == "map                   \t1\t0.3333\n"
    assert trec_eval(*files, ["num_rel"], complete=True, level=2).endswith("all\t1\n")


def test_judged_only_drops_negative_grades_too(tmp_path: Path) -> None:
    """As trec_eval 9.0.8 and 10.0 print it, both of which crash on topic 2."""
    qrels, run = tmp_path / "qrels.txt", tmp_path / "bm25.run"
    qrels.write_text("1 0 spam -1\n1 0 a 1\n2 0 b -2\n")
    run.write_text("1 Q0 spam 1 3 x\n1 Q0 u 2 2 x\n1 Q0 a 3 1 x\n2 Q0 b 1 1 x\n")
    printed = trec_eval(qrels, run, ["num_q", "num_ret", "recip_rank"], judged_only=True, per_query=True)
    assert [line.split()[1:] for line in printed.splitlines()] == [
        *[["1", "1"], ["1", "1.0000"], ["2", "0"], ["2", "0.0000"]],
        *[["all", "2"], ["all", "1"], ["all", "0.5000"]],
    ]


def test_comments_are_skipped_by_10_alone(files: tuple[Path, Path]) -> None:
    qrels, run = files
    run.write_text("# from the baseline\n" + run.read_text())
    qrels.write_text(qrels.read_text() + "#2 0 a 0\n")
    for more in ((), ("-J",)):
        found = called("--as", "10", *more, "-m", "num_rel", qrels, run)
        assert (found.exit_code, found.stdout.split()) == (0, ["num_rel", "all", "1"])
    assert called(qrels, run).exit_code == 2


def test_a_topic_that_the_run_lacks_is_printed_by_10_alone(files: tuple[Path, Path]) -> None:
    for version, topics in (("9", ["1", "all"]), ("10", ["1", "2", "all"])):
        found = called("-q", "-c", "-mmap", "--as", version, *files)
        assert [line.split()[1] for line in found.stdout.splitlines()] == topics


def test_exit_statuses(files: tuple[Path, Path], tmp_path: Path) -> None:
    qrels, run = files
    other = tmp_path / "other.run"
    other.write_text("9 Q0 a 1 1 bm25\n")
    broken = tmp_path / "broken.run"
    broken.write_text("1 Q0 a\n")
    for arguments, status, said in (
        ([], 1, "--help"),
        ([qrels], 1, "--help"),
        ([qrels, run, run], 1, "--help"),
        (["--nonsense", qrels, run], 1, "--help"),
        (["-m", "foo", qrels, run], 1, "illegal measure 'foo'"),
        ([qrels, broken], 2, "broken.run, line 1"),
        ([qrels, tmp_path / "none"], 2, "none"),
        (["-Z", "scores", qrels, run], 2, "-Z is not supported"),
        ([qrels, other], 7, "No queries with both results and relevance info"),
    ):
        found = called(*arguments)
        assert (found.exit_code, found.stdout) == (status, ""), arguments
        assert said in found.stderr, arguments
    assert "9.0.8" in called("-v").stderr
