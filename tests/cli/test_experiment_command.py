"""``cranfield experiment`` as a person uses it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tools.each import each_of

import cranfield as cf
from cranfield.cli import main
from cranfield.cli._forms import TABLE_OF_SCORES
from cranfield.cli.experiment import questions
from cranfield.experiments import EXPERIMENTS, Findings
from cranfield.formats.score_tables import ScoresFile

QRELS = "1 0 a 2\n1 0 b 1\n1 0 c 0\n2 0 a 1\n"
RUNS = {"good": "ab", "fair": "xab", "poor": "xya", "lost": "xyz"}


@pytest.fixture
def study(tmp_path: Path) -> list[str]:
    """Write four runs on two topics, and return the arguments that name them."""
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "runs").mkdir()
    for name, found in RUNS.items():
        lines = [f"{topic} Q0 {d} {i} {9 - i} {name}\n" for topic in (1, 2) for i, d in enumerate(found, start=1)]
        (tmp_path / "runs" / f"{name}.txt").write_text("".join(lines))
    return [f"{tmp_path}/qrels.txt", f"{tmp_path}/runs"]


def experiment(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["experiment", *arguments])


def test_names_and_questions_are_read_without_importing_what_asks_them() -> None:
    assert questions() == {name: each.question for name, each in EXPERIMENTS.items()}


def squeezed(text: str) -> str:
    return "".join(text.split())


def test_the_experiments_are_listed_with_their_questions() -> None:
    output = squeezed(experiment("--help").stdout)
    for name, known in EXPERIMENTS.items():
        assert squeezed(f"{name}  {known.question}") in output


@each_of("name", sorted(EXPERIMENTS))
def test_help_tells_every_option_in_the_words_of_the_docstring(name: str) -> None:
    result = experiment(name, "--help-all")
    assert result.exit_code == 0
    output = squeezed(result.stdout)
    of_table = any(option.annotation == ScoresFile | None for option in EXPERIMENTS[name].options)
    for option in EXPERIMENTS[name].options:
        assert f"--{option.name.replace('_', '-')}" in output
        if not (of_table and option.name in {"scores", "topics", "not_run"}):  # whose words are those of all commands
            assert squeezed(option.meaning) in output
    if of_table:
        assert squeezed(str(TABLE_OF_SCORES[0].help)) in output
    for measure in EXPERIMENTS[name].measures:
        assert measure in output


@each_of("name", [name for name, each in EXPERIMENTS.items() if each.on_runs])
def test_every_experiment_takes_the_relevance_level(name: str) -> None:
    assert "-l, --rel" in CliRunner().invoke(main, ["experiment", name, "--help-all"]).stdout


OF_RUNS = "data: 4 runs, 2 topics, 3 grades, lists of up to 3\nsettings: n 1000\n"


def test_people_see_the_first_table_and_what_there_is_besides(study: list[str]) -> None:
    output = experiment("archetypes", *study).stdout
    assert output.startswith("archetypes: shares\narchetype")
    assert "archetypes: rankings\nrun" not in output
    shown, others = output.split(OF_RUNS)
    assert "archetypes: runs" not in shown
    first, *lines = others.splitlines()
    assert all(flag in first for flag in ("--table NAME", "--all-tables", "--out DIR"))
    declared = EXPERIMENTS["archetypes"].tables
    of_each = {"runs": 4, "figures": 35, "rankings": 8, "examples": 5000}
    assert lines == [f"  {name:<8}  {rows:>4} rows  {declared[name].meaning}" for name, rows in of_each.items()]


def test_people_see_all_tables_if_they_ask(study: list[str]) -> None:
    output = experiment("archetypes", *study, "--all-tables").stdout
    assert output.startswith("archetypes: shares\narchetype")
    assert "archetypes: rankings\nrun" in output
    assert output.endswith(OF_RUNS)
    joined = cf.join(study[0], study[1])
    assert output == EXPERIMENTS["archetypes"](joined).render("table")


def test_options_reach_the_experiment(study: list[str]) -> None:
    arguments = ["-m", "AP", "-m", "RR", "--effort", "Twist@5", "--bounds", "0.1,0.2, 0.3", "--out"]
    folder = Path(study[0]).with_name("found")
    assert experiment("effort-gain", *study, *arguments, str(folder)).exit_code == 0
    settings = json.loads((folder / "effort-gain.json").read_text())["settings"]
    assert settings["measures"] == ["AP", "RR"]
    assert settings["effort"] == "Twist@5"
    assert settings["bounds"] == [0.1, 0.2, 0.3]


def test_out_writes_every_table_and_keeps_nothing_else(study: list[str]) -> None:
    folder = Path(study[0]).parent / "new" / "found"
    result = experiment("correlation", *study, "--out", str(folder), "--seed", "5", "--resamples", "10")
    assert result.exit_code == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        "correlation-differences.csv",
        "correlation-matrix.csv",
        "correlation-means.csv",
        "correlation-pairs.csv",
        "correlation.json",
    ]
    assert f"wrote {folder}/correlation-pairs.csv" in result.stderr
    described = json.loads((folder / "correlation.json").read_text())
    assert described["settings"]["seed"] == 5
    assert described["notes"][0] == "excluded: the 1 of 4 runs with the lowest mean AP, lost"
    assert result.stdout.startswith("correlation: pairs\n")


def test_one_table_for_a_program(study: list[str]) -> None:
    result = experiment("correlation", *study, "--table", "means", "--format", "csv", "-m", "AP", "-m", "RR")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert len(rows) == 3 * 2
    good = next(row for row in rows if row["run"] == "good" and row["measure"] == "AP")
    assert float(good["mean"]) == (1 + 1) / 2
    assert result.stderr.splitlines()[0] == "note: excluded: the 1 of 4 runs with the lowest mean AP, lost"


def test_without_a_choice_programs_get_the_first_table(study: list[str]) -> None:
    rows = json.loads(experiment("archetypes", *study, "--format", "json").stdout)
    assert rows[0] == {"archetype": "worst", "rankings": 2, "share": 2 / 8}


def test_latex(study: list[str]) -> None:
    output = experiment("archetypes", *study, "--table", "runs", "--format", "latex").stdout
    assert output.startswith("\\begin{table*}\n\\centering\n\\caption{archetypes: runs; ")
    assert "\n\\begin{tabular}{lr" in output
    assert "\\toprule" in output


def test_a_measure_of_ones_own(study: list[str], tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from cranfield.measures import Measure\n\n"
        "class HasFirst(Measure):\n"
        '    """Is there a first document?\n\n    HasFirst = 1 if n > 0\n    """\n\n'
        "    def compute(self, rankings):\n"
        "        return (rankings.length > 0).astype(float)\n"
    )
    arguments = ["--measures-from", str(file), "-m", "HasFirst", "-m", "AP", "--top", "1", "--resamples", "5"]
    result = experiment("correlation", *study, *arguments)
    assert result.exit_code == 0
    assert "HasFirst" in result.stdout
    assert "note: constant over the runs, so it cannot rank them: HasFirst" in result.stdout


def test_what_is_not_there_is_answered_in_one_line_with_what_is(study: list[str]) -> None:
    for arguments, answer in (
        (["corelation"], "there is no experiment 'corelation'; did you mean `correlation`?"),
        (["fish"], "there is no experiment 'fish'; choose from abstention, archetypes, "),
        (
            ["archetypes", *study, "--table", "share"],
            "no table is called 'share'; the tables are shares, runs, figures, rankings, examples",
        ),
        (["correlation", *study, "-m", "ndgc@10", "-m", "AP"], "no measure is called 'ndgc'; did you mean nDCG"),
        (["archetypes", "nowhere.txt", study[1]], "nowhere.txt"),
    ):
        result = experiment(*arguments)
        assert result.exit_code == 2
        assert result.stdout == ""
        assert answer in result.stderr
        assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (["archetypes", "--n", "many"], "'many' is not a valid integer"),
        (["effort-gain", "--bounds", "0.1,x,0.3"], "'x' is not a valid number"),
        (["effort-gain", "--bounds", "0.1,0.3"], "three rising numbers"),
        (["correlation", "--kind", "tau"], "kind must be 'tau_b' or 'tau_a'"),
        (["correlation", "--top", "2"], "must be above 0 and at most 1"),
        (["correlation", "--top", "0.2"], "fewer than two"),
        (["correlation", "--level", "95"], "level"),
        (["correlation", "--resamples", "0"], "resamples must be at least 1, not 0"),
        (["archetypes", "--format", "trec_eval"], "'trec_eval' is not one of"),
    ],
)
def test_a_value_out_of_range_is_said_to_be_so(study: list[str], arguments: list[str], answer: str) -> None:
    result = experiment(arguments[0], *study, *arguments[1:])
    assert result.exit_code == 2
    assert answer in result.stderr
    assert "Traceback" not in result.stderr


def test_a_folder_that_cannot_be_is_refused_before_the_work(study: list[str]) -> None:
    result = experiment("archetypes", "no-such-qrels.txt", study[1], "--out", study[0])
    assert result.exit_code == 2
    assert result.stderr == f"cranfield: {study[0]}: cannot be used as the folder of the results (File exists)\n"


def test_a_misspelt_table_is_refused_before_the_work(study: list[str]) -> None:
    folder = Path(study[0]).with_name("found")
    result = experiment("archetypes", "no-such-qrels.txt", study[1], "--out", str(folder), "--table", "share")
    assert result.exit_code == 2
    assert (
        result.stderr
        == "cranfield: no table is called 'share'; the tables are shares, runs, figures, rankings, examples\n"
    )
    assert not folder.exists()


def test_several_collections_in_one_call(study: list[str], tmp_path: Path) -> None:
    """In the second collection only grade 2 is relevant: document a, on the first topic alone."""
    folder = tmp_path / "found"
    also = f"strict={study[0]},{study[1]},rel=2"
    arguments = ["--also", also, "-m", "RR", "-m", "AP", "--top", "1", "--resamples", "5", "--out", str(folder)]
    assert experiment("correlation", *study, *arguments).exit_code == 0
    found = Findings.read(folder)
    name = Path(study[0]).parent.name
    assert [(each.name, each.runs, dict(each.conditions)) for each in found.collections] == [
        (name, 4, {}),
        ("strict", 4, {"rel": 2.0}),
    ]
    means = found["means"].filter(measure="RR(rel=2)", collection="strict").select("run", "mean").rows()
    assert means == [("fair", 1 / 4), ("good", 1 / 2), ("lost", 0.0), ("poor", 1 / 6)]
    lenient = found["means"].filter(measure="RR", collection=name).select("run", "mean").rows()
    assert lenient == [("fair", 1 / 2), ("good", 1.0), ("lost", 0.0), ("poor", 1 / 3)]
    assert found["pairs"].columns[0] == "collection"


@pytest.mark.parametrize(
    ("also", "answer"),
    [
        ("strict", "a further collection is written NAME=QRELS,RUNS, not 'strict'"),
        ("strict=qrels.txt", "a further collection is written NAME=QRELS,RUNS"),
        ("strict=nowhere.txt,runs", "no such file"),
    ],
)
def test_a_collection_that_cannot_be_read(study: list[str], also: str, answer: str) -> None:
    result = experiment("archetypes", *study, "--also", also)
    assert result.exit_code == 2
    assert answer in result.stderr


def test_a_collection_counts_once(study: list[str]) -> None:
    result = experiment("archetypes", *study, "--also", f"again={study[0]},{study[1]}")
    assert result.exit_code == 2
    assert "again: the same runs and judgments as" in result.stderr


def test_an_option_for_several_values_may_be_given_several_times(study: list[str]) -> None:
    given = ["downsampling", *study, "-m", "AP", "--repetitions", "2", "--seed", "7", "--format", "csv"]
    once, twice = (
        experiment(*given, *(part for value in values for part in ("--rates", value)))
        for values in (["0.9,0.5,0.3"], ["0.9,0.5", "0.3"])
    )
    assert once.exit_code == twice.exit_code == 0
    assert once.stdout == twice.stdout
