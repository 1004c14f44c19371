"""Names of measures, put together at random: they are read or refused, at once, and what is read can be read again."""

from __future__ import annotations

import math
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import cranfield as cf
from cranfield.measures import REGISTRY
from cranfield.measures.framework.names import parse_measures
from cranfield.measures.framework.names_elsewhere import SETS, families
from cranfield.plumbing.errors import CranfieldError, MeasureError

MEASURES = {name: kind for name, kind in REGISTRY.items() if kind.__module__.startswith("cranfield.")}
NUMBERS = [
    "0", "1", "5", "10", "-1", "0.5", "2.5", "1e5", "1e400", "-5e16", "nan", "inf", "0x10", "1_0", "1j", "1" * 30,
]  # fmt: skip
WORDS = [
    "everything", "gdeval", "NRBP", "rel", "gains", "dcg", "exp-log2", "docs", "p", "True", "None", "lambda", "if",
]  # fmt: skip
SIGNS = [*"-~'\"{}[]()@,._=:*#;\\ \n\t\0é²½\ud800𝟙", "{1:5}", "==", "**", "f'", "b'", "not "]
PIECES = [*MEASURES, *families(), *SETS, *NUMBERS, *WORDS, *SIGNS]
MAPS = ["{1:5,2:10}", "{1:1e400}", "[0.5,1]", "{}", "(1,)", "{0.5:-1}", "{1e300:1}"]
VALUES = [*NUMBERS, *MAPS, "True", "x", "'x'", "exp-log2"]

junk = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=8).map("".join)
settings_ = st.lists(
    st.tuples(st.sampled_from([*{p for m in MEASURES.values() for p in m.parameters}, "x"]), st.sampled_from(VALUES)),
    max_size=3,
).map(lambda given: ",".join(f"{name}={value}" for name, value in given))
canonical = st.builds(
    lambda name, inside, at: f"{name}{f'({inside})' if inside else ''}{f'@{at}' if at else ''}",
    st.sampled_from([*MEASURES, *(alias for m in MEASURES.values() for alias in m.aliases)]),
    settings_,
    st.lists(st.sampled_from(NUMBERS), max_size=2).map(",".join),
)
fitting = st.sampled_from(list(MEASURES.values())).flatmap(
    lambda m: st.builds(
        lambda chosen: f"{m.__name__}({','.join(f'{k}={v}' for k, v in chosen.items())})",
        st.dictionaries(st.sampled_from([*m.parameters] or ["x"]), st.sampled_from(VALUES), max_size=3),
    )
)
of_trec = st.builds(
    lambda name, sign, given: f"{name}{sign}{','.join(given)}",
    st.sampled_from([*families(), *SETS]),
    st.sampled_from([".", "_", "@", "."]),
    st.lists(st.sampled_from([*NUMBERS, "A", "", "1=3"]), max_size=4),
)


@given(junk | canonical | fitting | of_trec)
@example("P@100000000000000000000")
@example("MRR@3e77")
@example("ndcg_cut.A")
@example("P.5,")
@example("P.nan")
@example("infAP.x")
@example("set_F.-5e16")
@example("P." + "9" * 5000)
@example("P@" + "9" * 900)
@example("P_" + "9" * 900)
@example("nDCG(gains={1:1e400})@10")
@example("AP" + "(" * 10_000)
@example("[" * 10_000 + "]" * 10_000)
@example("AP(rel=" + "-" * 900 + "1)")
@example("AP(rel=" + "[" * 400 + "]" * 400 + ")")
@example("A" * 100_000)
@example("1" + "+1" * 450)
@example("IPrec.0.5,0.5")
@example("mine=INST")
def test_a_name_is_read_or_refused_at_once(name: str) -> None:
    begun = time.perf_counter()
    try:
        measures = parse_measures(name)
    except CranfieldError as error:
        assert len(str(error)) < 1000
        measures = []
    assert time.perf_counter() - begun < 1
    for measure in measures:
        assert parse_measures(repr(measure)) == [measure]  # str is a user's own name, as in "mine=AP"
        assert repr(parse_measures(repr(measure))[0]) == repr(measure)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("P@10000001", "the cutoff of P must be a whole number at least 1, not 10000001 (at most 10,000,000)"),
        ("MRR@3e77", "the cutoff of RR must be a whole number at least 1, not 3e+77 (at most 10,000,000)"),
        ("OIE(docs=1e13)", "docs must be a whole number at least 1, not 10000000000000.0 (at most 1,000,000,000,000)"),
        ("nDCG(gains={1:1e300})", "{1: 1e+300} (0, or between 1e-50 and 1e+50 in size)"),
        ("INSQ(T=1e-300)", "T must be a number above 0, not 1e-300 (0, or between 1e-50 and 1e+50 in size)"),
        ("RBP(p='0.5')", "p must be a number above 0 and below 1, not '0.5'"),
    ],
)
def test_numbers_have_ends(name: str, told: str) -> None:
    with pytest.raises(MeasureError) as refused:
        parse_measures(name)
    assert told in str(refused.value)


def test_the_largest_numbers_can_be_computed_with() -> None:
    names = ["P@1e7", "nDCG@1e7", "nDCG(averaged=True)@1e7", "SDCG@1e7", "CG(gains={1:1e50})", "AP(rel=1e50)"]
    values = [measure.of([0, 1]) for measure in parse_measures(names)]
    assert values[0] == 1e-7
    assert values[1] == pytest.approx(1 / math.log2(3))
    assert values[2] == pytest.approx((1 - 1e-7) / math.log2(3), rel=1e-12)  # at rank 1 it is 0
    assert 0 < values[3] < 1e-5
    assert values[4:] == [1e50, 0.0]


def test_a_mean_over_ranks_is_the_mean_of_the_values_at_each() -> None:
    measures = parse_measures([f"nDCG@{k}" for k in range(1, 41)])
    qrels, run = {"1": {"a": 2, "b": 1, "c": 1}}, {"1": {"x": 3.0, "a": 2.0, "c": 1.0}}
    each, mean = (cf.evaluate(qrels, run, asked, bounds=True) for asked in (measures, "nDCG(averaged=True)@40"))
    assert mean.values[0] == pytest.approx(each.values.mean(axis=0), rel=1e-12)
    assert each.limits is not None
    assert mean.limits is not None
    assert mean.limits[:, 0] == pytest.approx(each.limits.mean(axis=1), rel=1e-12)
