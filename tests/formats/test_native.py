"""The native road says what the Python road says of the same bytes, or declines; numbers are those of Python."""

from __future__ import annotations

import ctypes
import importlib.util
import math
import os
import pickle
import random
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tools.sanitize import PIECES, PORTABLE, QRELS, RUN, changed_files, compiled, mutated, read_by

import cranfield as cf
import cranfield.formats.native as road
from cranfield.cli import main
from cranfield.formats.columns import QRELS_KIND, RUN_KIND
from cranfield.formats.trec import read
from cranfield.judged.conditions import Reading
from cranfield.judged.joining import Rows, rank
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings
from cranfield.judged.shortcuts import rank_text

ROOT = Path(__file__).parents[2]
USUAL = Reading()


@pytest.fixture(autouse=True)
def turned_on(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Ask it, whatever the environment says; these tests are about nothing else."""
    monkeypatch.delenv(road.NATIVE_VARIABLE, raising=False)
    if road.library() is None:
        pytest.skip(f"the native road is {road.state()}")
    yield
    road._loaded.cache_clear()


MANY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

JUDGED = {
    "401": {"a": 1, "FT-2": 0, "LA-10": 2, "ä": 1, "a-document-with-a-long-id": 3},
    "402": {"a": 0, "b": 1, "c": 1},
    "t": {"x": 1},
}
PLACES = st.tuples(st.integers(0, 10_000), st.integers(0, 12), st.sampled_from(PIECES) | st.binary(max_size=3))


def contents(rankings: JudgedRankings) -> tuple[object, ...]:
    """Give all there is to rankings, types and all."""
    arrays = rankings.length, rankings.present, rankings.row, rankings.rank, rankings.judgment
    return *((array.dtype, array.tolist()) for array in arrays), rankings.audits


def by_tables(data: bytes, judgments: Judgments, reading: Reading = USUAL) -> tuple[object, ...] | None:
    """Rank a run by the Python road; None where it is refused."""
    try:
        return contents(rank(Rows("r", read(data, RUN_KIND, source="r")), judgments, reading))
    except cf.InputError:
        return None


def same_or_declined(data: bytes, reading: Reading = USUAL) -> bool:
    """Hold the two roads against each other, and say whether the native one took the run."""
    judgments = cf.Judgments(cf.read_qrels(JUDGED))
    found = rank_text("r", data, judgments, reading)
    assert found is None or contents(found) == by_tables(data, judgments, reading)
    return found is not None


READINGS = st.sampled_from(
    [USUAL, Reading(order="trec9"), Reading(depth=2), Reading(missing="empty"), Reading(order="trec9", depth=1)]
)


@MANY
@given(st.lists(PLACES, max_size=4), READINGS)
@example([], USUAL)
def test_a_changed_run_is_the_same_or_declined(changes: list[tuple[int, int, bytes]], reading: Reading) -> None:
    assert same_or_declined(mutated(RUN, changes), reading) or changes


IDS = st.sampled_from(
    ["a", "b", "c", "d", "LA-1", "LA-10", "FT-2", "ä", "x", "a-document-with-a-long-id", "aa", "\U0001d51e"]
)
NUMBERS = st.sampled_from(
    ["1", "2", "-1", "0", "-0.0", "1.50", "1.5", "2e0", ".5", "5.", "16777216", "16777217", "1e22"]
)
LINES = st.lists(
    st.tuples(st.sampled_from(["401", "402", "t", "9"]), IDS, NUMBERS), max_size=30, unique_by=lambda row: row[:2]
)


@MANY
@given(
    LINES, st.booleans(), st.sampled_from([" ", "\t", "  ", " \t"]), st.sampled_from(["\n", "\r\n", " \n"]), READINGS
)
def test_a_run_in_order_is_taken(
    lines: list[tuple[str, str, str]], together: bool, blank: str, end: str, reading: Reading
) -> None:
    """Topics that come back are left to the other road; of lists in any order, with any ties, none is."""
    rows = sorted(lines, key=lambda row: row[0]) if together else lines
    text = "".join(blank.join([topic, "Q0", document, "1", score, "r"]) + end for topic, document, score in rows)
    assert same_or_declined(text.encode(), reading) or not (together and rows)


def test_long_lists_are_ranked_alike() -> None:
    chance = random.Random(3)  # noqa: S311 - the same each time
    judged = {str(topic): {f"d{n}": n % 3 for n in chance.sample(range(5000), 800)} for topic in range(5)}
    lines = [
        f"{topic} Q0 d{n} 1 {score} r\n"
        for topic, decimals in enumerate([0, 1, 2, 6, 17])
        for n in chance.sample(range(5000), 3000)
        for score in [round(chance.gauss(0, 30), decimals)]
    ]
    judgments = cf.Judgments(cf.read_qrels(judged))
    found = rank_text("r", "".join(lines).encode(), judgments)
    assert found is not None
    assert contents(found) == by_tables("".join(lines).encode(), judgments)


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"\n\n", b"1 Q0 a 1 2\n", b"1 Q0 a 1 2 r more\n"),
        *(
            b"1 Q0 a 1 %s r\n" % text
            for text in (b"nan", b"inf", b"1e400", b"0x1p3", b"1_0", b".", b"1e", b"+", b"1.2.3")
        ),
        b"t Q0 a 1 2 r\nt Q0 a 2 1 r\n",
        b"t Q0 a 1 2 r\n9 Q0 a 1 2 r\nt Q0 b 2 1 r\n",
        b"9 Q0 a 1 2 r\nt Q0 a 1 2 r\n9 Q0 b 2 1 r\n",
        b"\xef\xbb\xbft Q0 a 1 2 r\n",
        *(b"t Q0 \xff 1 2 r\n", b"t Q0 a 1 2 r\0\n", b"t Q0 a 1 2 r\rt Q0 b 2 1 r\n"),
        *(b"t Q0 " + b"a" * 1_000_000 + b" 1 2 r\n", b"t Q0 a 1 " + b"1" * 70 + b" r\n"),
    ],
)
def test_what_is_out_of_the_ordinary_is_declined(data: bytes) -> None:
    assert not same_or_declined(data)


def test_an_order_that_is_not_by_score_is_declined() -> None:
    judgments = cf.Judgments(cf.read_qrels(JUDGED))
    assert [rank_text("r", RUN, judgments, Reading(order=order)) for order in ("rank", "file")] == [None, None]


def test_ids_that_no_line_can_hold_are_left_to_the_other_road() -> None:
    assert road.NativeIndex.of({"1": ["a\nb"]}) is None
    assert road.NativeIndex.of({"1": ["\ud800"]}) is None
    assert road.NativeIndex.of({"1": ["a", "a"]}) is None
    assert road.NativeIndex.of({"1": [], "2": ["a"]}) is not None


def nested(data: bytes) -> dict[str, dict[str, float]] | None:
    """Read qrels by the Python road; None where they are refused."""
    try:
        table = read(data, QRELS_KIND, source="qrels").drop("iteration", strict=False)
    except cf.InputError:
        return None
    found: dict[str, dict[str, float]] = {}
    for topic, document, grade in table.rows():
        found.setdefault(topic, {})[document] = grade
    return found if sum(map(len, found.values())) == table.height else None


def natively(data: bytes) -> dict[str, dict[str, float]] | None:
    """Read qrels by the native road; None where it declines them."""
    read = road.native_qrels(data)
    return None if read is None else read.nested()


@MANY
@given(st.lists(PLACES, max_size=4))
@example([])
def test_changed_qrels_are_the_same_or_declined(changes: list[tuple[int, int, bytes]]) -> None:
    data = mutated(QRELS, changes)
    found, there = natively(data), nested(data)
    assert found is None or found == there
    assert found is None or [list(of) for of in found.values()] == [list(of) for of in (there or {}).values()]
    assert found is not None or changes


@pytest.mark.parametrize(
    "data",
    [b"", b"1 0 a\n", b"1 0 a 1 2\n", b"1 0 a 0.5\n", b"1 0 a -\n", b"1 0 a 1\n1 0 a 1\n", b"1 0 a 1234567890123456\n"],
)
def test_qrels_out_of_the_ordinary_are_declined(data: bytes) -> None:
    assert natively(data) is None


ONCE = QRELS.rpartition(b"\n")[0]
"""The same qrels without the line of a topic that comes back."""


@MANY
@given(st.lists(PLACES, max_size=4))
@example([])
def test_judgments_of_lines_are_those_of_dicts_or_declined(changes: list[tuple[int, int, bytes]]) -> None:
    data = mutated(ONCE, changes)
    read, there = road.native_qrels(data), nested(data)
    found = None if read is None else Judgments.of_lines(read)
    if found is None:
        assert changes
        return
    expected = Judgments.of_dict(there or {})
    assert expected is not None
    assert (found.topics, found.code_of_topic, found.top_grade) == (
        expected.topics, expected.code_of_topic, expected.top_grade,
    )  # fmt: skip
    assert (found.topic.tolist(), found.grade.tolist()) == (expected.topic.tolist(), expected.grade.tolist())
    ranked, again = (rank_text("r", RUN, judgments) for judgments in (found, expected))
    assert (ranked and contents(ranked)) == (again and contents(again))
    sent = pickle.loads(pickle.dumps(found))  # noqa: S301 - our own
    assert sent.documents == found.documents == expected.documents


def test_a_topic_that_comes_back_is_left_to_dicts() -> None:
    read = road.native_qrels(b"1 0 a 1\n2 0 a 1\n1 0 b 0\n")
    assert read is not None
    assert Judgments.of_lines(read) is None
    assert read.nested() == {"1": {"a": 1, "b": 0}, "2": {"a": 1}}


# ---- Numbers ----


@pytest.fixture(scope="session")
def number() -> Callable[[str], float | None]:
    """Return what reads a number natively; None where it declines."""
    there = road._loaded()
    if there is None:
        pytest.skip(f"the native road is {road.state()}")
    into = ctypes.c_double()

    def read_number(text: str) -> float | None:
        data = text.encode()
        return into.value if there.cranfield_number(data, len(data), into) == 0 else None

    return read_number


def some_numbers(count: int, seed: int) -> Iterator[str]:
    """Write numbers down as systems do, and as none does."""
    chance = random.Random(seed)  # noqa: S311 - the same each time
    for _ in range(count):
        bits = struct.unpack("<d", chance.randbytes(8))[0]
        digits = str(chance.randrange(10 ** chance.randint(1, 20)))
        point = chance.randint(0, len(digits))
        yield chance.choice(
            [
                repr(bits) if math.isfinite(bits) else "0",
                f"{chance.gauss(0, 20):.{chance.randint(0, 17)}f}",
                f"{chance.choice(['', '-', '+'])}{digits[:point]}.{digits[point:]}",
                f"{digits}e{chance.randint(-40, 40)}",
                f"{digits[:point]}.{digits[point:]}E{chance.choice(['', '+', '-'])}{chance.randint(0, 330)}",
                f"{bits:.{chance.randint(1, 25)}e}" if math.isfinite(bits) else "-0",
                f"0.{'0' * chance.randint(0, 12)}{digits}",
            ]
        )


def assert_read_as_python_does(number: Callable[[str], float | None], texts: Iterator[str]) -> None:
    """Hold every number against Python's, bit by bit."""
    for text in texts:
        found, there = number(text), float(text)
        if math.isinf(there):
            assert found is None, text
        else:
            assert found is not None, text
            assert struct.pack("<d", found) == struct.pack("<d", there), text


def test_ten_thousand_numbers_are_those_of_python(number: Callable[[str], float | None]) -> None:
    edges = [
        *("9007199254740992", "9007199254740993", "9007199254740992e22", "1e22", "1e23", "1e-22", "4.9e-324", "2e-324"),
        *("2.2250738585072011e-308", "1.7976931348623157e308", "1.7976931348623159e308", "0e999999999", "0.1e-99999"),
        *("00000000000000000000001", "123456789012345678e-18", "0.000000000000000000000000123456789"),
    ]
    assert_read_as_python_does(number, iter(edges))
    assert_read_as_python_does(number, some_numbers(10_000, 1))


@pytest.mark.slow
def test_ten_million_numbers_are_those_of_python(number: Callable[[str], float | None]) -> None:
    assert_read_as_python_does(number, some_numbers(10_000_000, 2))


@given(st.text(st.sampled_from("0123456789+-.eEnaifx_ "), min_size=1, max_size=12))
def test_what_is_taken_for_a_number_is_one_for_python(number: Callable[[str], float | None], text: str) -> None:
    found = number(text)
    assert found is None or found == float(text)


# ---- Whole files ----


def test_real_runs_are_taken_and_said_to_be_the_same(data: Path) -> None:
    """Of one collection a few runs; `python -m benchmarks` compares the output for all files."""
    qrels = (data / "trec8-adhoc" / "qrels.txt").read_bytes()
    assert natively(qrels) == nested(qrels)
    judgments = cf.Judgments(cf.read_qrels(data / "trec8-adhoc" / "qrels.txt"))
    for path in sorted((data / "trec8-adhoc" / "runs").glob("*.gz"))[:4]:
        text = cf.read_runs(path).sources[0].text
        assert text is not None
        bytes_ = text()
        assert bytes_ is not None
        found = rank_text("r", bytes_, judgments)
        assert found is not None
        assert contents(found) == by_tables(bytes_, judgments)


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
@pytest.mark.parametrize(
    "options", [{}, {"bounds": True}, {"comments": True}, {"order": "trec9"}, {"topics": "shared"}]
)
def test_evaluations_are_equal_by_both_roads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, options: dict[str, Any]
) -> None:
    run = cf.read_run({t: {d: 1 / (n + 1) for n, d in enumerate([*ids, "x", "y"])} for t, ids in JUDGED.items()})
    cf.write_qrels(cf.read_qrels(JUDGED), tmp_path / f"qrels.txt{suffix}")
    cf.write_run(run, tmp_path / f"run.txt{suffix}")
    said = []
    for value in ("1", "0"):
        monkeypatch.setenv(road.NATIVE_VARIABLE, value)
        said.append(
            cf.evaluate(tmp_path / f"qrels.txt{suffix}", tmp_path / f"run.txt{suffix}", ["AP", "nDCG"], **options)
        )
    assert said[0] == said[1]


# ---- Whether it is there ----


def test_it_can_be_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(road.NATIVE_VARIABLE, "0")
    assert road.library() is None
    assert road.native_qrels(QRELS) is None
    assert cf.Judgments(cf.read_qrels(JUDGED)).native_index is None
    assert "native road: turned off (CRANFIELD_NATIVE=0)" in CliRunner().invoke(main, ["--version"]).stdout


def test_a_library_of_another_source_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = tmp_path / "native.c"
    changed.write_bytes(road.SOURCE.read_bytes() + b"\n")
    monkeypatch.setattr(road, "SOURCE", changed)
    road._loaded.cache_clear()
    assert road.library() is None
    assert "native road: out of date" in CliRunner().invoke(main, ["--version"]).stdout


@pytest.mark.parametrize("content", [None, b"no library"])
def test_what_is_no_library_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None
) -> None:
    if content is not None:
        (tmp_path / "_native.abi3.so").write_bytes(content)
    monkeypatch.setattr(road, "LIBRARY", tmp_path / "_native.abi3.so")
    road._loaded.cache_clear()
    assert road.library() is None


def hook() -> ModuleType:
    """Import the hook of the build."""
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("compiler", ["no-such-compiler", "false", ""])
def test_without_a_compiler_nothing_is_compiled_and_nothing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiler: str
) -> None:
    monkeypatch.setenv("CC", compiler)
    assert not hook().compiled(road.SOURCE, tmp_path / "_native.abi3.so")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("platform", "asked"), [("linux", None), ("darwin", "-undefined dynamic_lookup -arch arm64"), ("win32", "")]
)
def test_how_each_platform_compiles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str, asked: str | None
) -> None:
    """macOS looks for Python's names where the library is loaded; on Windows nothing is compiled."""
    compiler, said = tmp_path / "compiler", tmp_path / "said"
    compiler.write_text(f'#!/bin/sh\necho "$@" > {said}\nfor last; do :; done\necho made > "$last"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    monkeypatch.setenv("ARCHFLAGS", "-arch arm64")
    made = hook()
    monkeypatch.setattr(made.sys, "platform", platform)
    assert made.compiled(road.SOURCE, tmp_path / "_native.abi3.so") == (asked != "")
    if asked == "":
        assert not said.exists()
    else:
        assert ("-undefined" in said.read_text(), (asked or "") in said.read_text()) == (platform == "darwin", True)


def test_a_wheel_is_named_after_what_builders_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_PYTHON_HOST_PLATFORM", "macosx-11.0-arm64")
    assert hook()._platform() == "macosx_11_0_arm64"
    monkeypatch.delenv("_PYTHON_HOST_PLATFORM")
    assert "-" not in hook()._platform()


def test_no_warning_is_left(tmp_path: Path) -> None:
    strict = ("-Wall", "-Wextra", "-Wconversion", "-Werror")
    assert hook().compiled(road.SOURCE, tmp_path / "_native.abi3.so", *strict)


def test_processors_without_vectors_read_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_all() -> list[object]:
        judgments = cf.Judgments(cf.read_qrels(JUDGED))
        files = [*changed_files(800)]
        runs = [rank_text("r", data, judgments) for data in files[1::2]]
        qrels = [road.native_qrels(data) for data in files[::2]]
        return [
            *(run and contents(run) for run in runs),
            *(one and (one.topics, one.length.tolist(), one.ids, one.label.tolist()) for one in qrels),
        ]

    by_vectors = read_all()
    library = tmp_path / "_native.abi3.so"
    if not hook().compiled(road.SOURCE, library, PORTABLE):
        pytest.skip("there is no compiler")
    monkeypatch.setattr(road, "LIBRARY", library)
    road._loaded.cache_clear()
    assert read_all() == by_vectors
    assert 200 < by_vectors.count(None) < 700


@pytest.mark.integration
@pytest.mark.parametrize("lines", [(), (PORTABLE,)])
def test_sanitizers_find_nothing(tmp_path: Path, lines: tuple[str, ...]) -> None:
    """Addresses and undefined behaviour are watched over, while changed files are read by `native_sanitized.c`."""
    if (reader := compiled(tmp_path, *lines)) is None:
        pytest.skip("cannot do this here: no compiler with sanitizers")
    assert min(read_by(reader, changed_files(4000))) > 500  # both are put to the test


@pytest.mark.integration
def test_sanitizers_find_nothing_in_memory(tmp_path: Path) -> None:
    """The tests of runs in memory pass with a library that watches each access and operation."""
    names = ("libasan.so", "libubsan.so")
    watched = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
    if not hook().compiled(road.SOURCE, tmp_path / road.LIBRARY.name, *watched):
        pytest.skip("cannot do this here: no compiler with sanitizers")
    found = (
        subprocess.run(["cc", f"-print-file-name={each}"], capture_output=True, text=True, check=True) for each in names
    )
    preloaded = " ".join(each.stdout.strip() for each in found)
    (tmp_path / "conftest.py").write_text(
        "from pathlib import Path\nfrom cranfield.formats import native\n"
        f"native.LIBRARY = Path({str(tmp_path / road.LIBRARY.name)!r})\n"
        "from hypothesis import HealthCheck, settings\n"
        "settings.register_profile('watched', deadline=None, suppress_health_check=list(HealthCheck))\n"
        "settings.load_profile('watched')\n"
    )
    tests = Path(__file__).parents[1] / "judged" / "test_ranking_in_memory.py"
    shutil.copy(tests, tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path / tests.name)],
        env={**os.environ, "LD_PRELOAD": preloaded, "ASAN_OPTIONS": "detect_leaks=0"},
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "skipped" not in done.stdout


# Whatever the pieces are in which a text is read, and whatever hashes follow from.


@pytest.mark.parametrize("piece", [1, 17, 60, 200])
def test_pieces_change_nothing(monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    judgments = cf.Judgments(cf.read_qrels(JUDGED))
    files = [*changed_files(200), RUN * 3, b"".join(b"%d Q0 a 1 1 r\n" % topic for topic in range(2000))]

    def read_all() -> list[object]:
        runs = [rank_text("r", data, judgments) for data in files]
        qrels = [road.native_qrels(data) for data in files]
        return [
            *(run and contents(run) for run in runs),
            *(one and (one.topics, one.length.tolist(), one.ids, one.label.tolist()) for one in qrels),
        ]

    whole = read_all()
    monkeypatch.setattr(road, "_PIECE", piece)
    assert read_all() == whole
    assert any(whole)


SECRETS = 0x1234567, 0x9E3779B97F4A7C15


def hashed(text: bytes) -> int:
    """Hash an id of less than eight bytes as `native.c` does."""

    def folded(word: int) -> int:
        product = word * SECRETS[1]
        return (product ^ product >> 64) & (1 << 64) - 1

    return folded(folded(SECRETS[0] ^ len(text)) ^ int.from_bytes(text, "big"))


@pytest.fixture
def known_secrets() -> Iterator[None]:
    there = road.library()
    assert there is not None
    there.cranfield_secret(*SECRETS)
    yield
    there.cranfield_secret(*road._SECRETS)  # other tests have indices that were made with these


@pytest.mark.usefixtures("known_secrets")
def test_who_knows_the_secrets_makes_it_decline_and_no_more() -> None:
    """Ids that all want the same place of a table of 1,024 are read by the other road, and the scores are the same."""
    every = (f"{number:x}" for number in range(1_000_000))
    crafted = [each for each in every if not hashed(each.encode()) & 1023][:200]
    ordinary = [f"{number:x}" for number in range(200)]
    assert len(crafted) == 200
    for ids, taken in ((ordinary, True), (crafted, False)):
        run = "".join(f"401 Q0 {each} {rank} {1 / rank} r\n" for rank, each in enumerate(ids, 1)).encode()
        assert (road.NativeIndex.of({"401": ids}) is not None) == taken
        judged = cf.Judgments(cf.read_qrels({"401": {ids[0]: 1}}))
        assert (rank_text("r", run, judged) is not None) == taken
        judged_all = {"401": dict.fromkeys(ids, 1)}
        assert cf.evaluate(judged_all, {"r": {"401": ids}}, ["AP"])["r", "AP"] == 1


def test_each_process_has_secrets_of_its_own() -> None:
    shown = "from cranfield.formats import native; print(*native._SECRETS)"
    drawn = {subprocess.run([sys.executable, "-c", shown], check=True, capture_output=True).stdout for _ in range(2)}
    assert len(drawn) == 2


def test_an_index_outlives_a_library_that_is_loaded_again() -> None:
    judged = cf.Judgments(cf.read_qrels({"401": {"a": 1, "b": 0}}))
    index = judged.native_index
    road._loaded.cache_clear()
    assert road.library() is not None
    found = rank_text("r", b"401 Q0 a 1 2 r\n401 Q0 b 2 1 r\n", judged)
    assert judged.native_index is index
    assert found is not None
    assert found.judgment.tolist() == [0, 1]
