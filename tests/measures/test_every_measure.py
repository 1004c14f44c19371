"""What holds for every measure, read off its declaration: nothing here needs a change when a measure is added."""

from __future__ import annotations

import doctest
import importlib
import itertools
import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import pytest
from tools import measure_cases
from tools.each import Test, each_of

import cranfield as cf
from cranfield import measures
from cranfield.judged.judgments import Judgments
from cranfield.judged.rankings import JudgedRankings, one_ranking
from cranfield.measures import REGISTRY, Measure
from cranfield.measures.framework.gain_measure import GainMeasure
from cranfield.measures.framework.names import parse_measure, parse_measures
from cranfield.plumbing.errors import MeasureError

MEASURES: dict[str, type[Measure]] = measure_cases.MEASURES
NUMERIC: list[str] = measure_cases.NUMERIC
ORDINARY = [name for name in NUMERIC if MEASURES[name].summary != "sum"]
settings_of: Callable[..., list[Measure]] = measure_cases.settings_of

every = each_of("name", list(MEASURES))
every_numeric = each_of("name", NUMERIC)


def named(**properties: bool) -> Callable[[Test], Test]:
    """Run for the numeric measures that declare this."""
    found = [n for n in NUMERIC if all(getattr(MEASURES[n], key) is value for key, value in properties.items())]
    return each_of("name", found)


Row: TypeAlias = tuple[Sequence[float | None], Sequence[float]]
"""A ranking's grades, and those of what it lacks."""


@cache
def joined(ranking: tuple[float | None, ...], unretrieved: tuple[float, ...]) -> JudgedRankings:
    return one_ranking(ranking, unretrieved)


def value_of(measure: Measure, ranking: Sequence[float | None], unretrieved: Sequence[float]) -> float:
    """Measure a ranking as Measure.of does, joined once for all measures."""
    return float(measure.score(joined(tuple(ranking), tuple(unretrieved)))[0])


def drawn(name: str, times: int) -> Iterator[tuple[Measure, list[float | None], list[float]]]:
    """Draw a setting of the measure, a ranking and the unretrieved grades, many times; the same rankings for all."""
    chance = random.Random(1)  # noqa: S311
    settings = settings_of(name)
    for number in range(times):
        yield settings[number % len(settings)], *measure_cases.some_ranking(chance)


def values_of(measure: Measure, rows: Sequence[Row]) -> list[float]:
    """Measure many rankings at once, each a topic: the same bit for bit where one grade is the largest of them all."""
    sizes = np.array([[len(ranking), len(ranking) + len(unretrieved)] for ranking, unretrieved in rows]).reshape(-1, 2)
    grade = np.array([each for ranking, unretrieved in rows for each in (*ranking, *unretrieved)], np.float64)
    assert all(max(g for g in (0, *ranking, *missed) if g is not None) == np.nanmax(grade) for ranking, missed in rows)
    lengths, start = sizes[:, 0], sizes[:, 1].cumsum() - sizes[:, 1]
    judgments = Judgments.of_grades(np.repeat(np.arange(len(rows)), sizes[:, 1]), grade, len(rows), np.nanmax(grade))
    judgments.documents = [[f"d{i}" for i in range(many)] for many in sizes[:, 1]]
    judgments.retrieved = np.isnan(grade)
    row = np.repeat(np.arange(len(rows)), lengths)
    place = np.arange(len(row)) - np.repeat(lengths.cumsum() - lengths, lengths)
    lists = np.arange(len(rows)), lengths
    found: list[float] = measure.score(
        JudgedRankings.of_run("run", judgments, lists, (row, place + 1, start[row] + place))
    ).tolist()
    return found


def has_negative_gains(measure: Measure) -> bool:
    return any(gain < 0 for gain in (measure.gains or {}).values())


# Declarations


@every
def test_documentation_is_complete(name: str) -> None:
    parts = MEASURES[name].documentation()
    assert parts.question.endswith("?")
    assert parts.formula
    assert not parts.formula.startswith((">>>", "Paper:"))
    assert parts.paper
    assert any(f"{name}(" in example for example in parts.examples)


@every
def test_worked_example_holds(name: str) -> None:
    measure = MEASURES[name]
    globs = vars(importlib.import_module(measure.__module__)).copy()
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    runner = doctest.DocTestRunner(optionflags=flags)
    for example in doctest.DocTestFinder(recurse=False).find(measure, name, globs=globs):
        runner.run(example)
    assert runner.tries > 0
    assert runner.failures == 0


@every
def test_properties_are_declared_sensibly(name: str) -> None:
    measure = MEASURES[name]
    low, high = measure.range
    assert low < high
    assert measure.summary in {"mean", "sum", "geometric mean"}
    assert not measure.at_required or measure.at in measure.parameters
    for parameter in measure.parameters.values():
        assert parameter.meaning
        assert parameter.range
        if parameter.default is not None:
            assert parameter.checked("it", parameter.default) == parameter.default


# Names


@every
def test_name_is_read_back(name: str) -> None:
    settings = settings_of(name)
    for setting in settings[:15]:
        again = parse_measure(str(setting))
        assert again == setting
        assert hash(again) == hash(setting)
        assert parse_measures([setting, str(setting)]) == [setting]
    assert len({str(setting) for setting in settings}) == len(set(settings))


@pytest.mark.parametrize("at", [1234567, 0.0123456789])
def test_every_digit_of_an_at_is_read_back(at: float) -> None:
    takers = [m for m in MEASURES.values() if m.at in m.parameters and _is_legal(m, m.at, at)]
    assert takers
    assert [str(m @ at) for m in takers if parse_measure(str(m @ at)) != m @ at] == []


@every
def test_aliases_name_the_measure(name: str) -> None:
    measure = MEASURES[name]
    at = f"@{measure.at_typical[0]}" if measure.at_required else ""
    for alias in (name, *measure.aliases):
        assert type(parse_measure(alias + at)) is measure
        assert getattr(cf, alias) is measure
        assert getattr(measures, alias) is measure
        assert alias in dir(measures)


def test_a_name_that_no_measure_has_cannot_be_imported() -> None:
    with pytest.raises(ImportError, match=r"cannot import name 'NoSuch' from 'cranfield\.measures'"):
        from cranfield.measures import NoSuch  # type: ignore[attr-defined] # noqa: F401
    with pytest.raises(AttributeError, match=r"'cranfield\.measures' has no attribute 'NoSuch'"):
        _ = measures.NoSuch  # type: ignore[attr-defined]


@every
def test_trec_name_is_read_back(name: str) -> None:
    measure = MEASURES[name]
    settings = [measure() @ at for at in measure.at_typical] if measure.at in measure.parameters else []
    settings += [] if measure.at_required else [measure()]
    for setting in settings:
        if setting.trec_name() != str(setting):
            assert parse_measures(setting.trec_name()) == [setting]
    assert measure.trec is None or parse_measures(measure.trec)
    assert measure.trec_at is None or len(parse_measures(measure.trec_at.partition("_{")[0])) >= 1


@pytest.mark.parametrize(
    "trec",
    ["set_F.0.5", "ndcg.1=3,2=9.5", "G.1=0.333", "utility.1,-0.1,0,0", "11pt_avg.0.35,0.7", "iprec_at_recall.0.35"],
)
def test_what_trec_eval_is_told_is_read_back(trec: str) -> None:
    (measure,) = parse_measures(trec)
    assert parse_measure(str(measure)) == measure


# Values


@every_numeric
def test_value_is_finite_and_in_its_range(name: str) -> None:
    low, high = MEASURES[name].range
    of_one_scale = defaultdict[Measure, list[Row]](list)
    found = list[tuple[Measure, Row, float]]()
    for number, (measure, ranking, unretrieved) in enumerate(drawn(name, 150)):
        if number % 3:
            of_one_scale[measure].append((ranking, unretrieved))
        else:
            found.append((measure, (ranking, []), value_of(measure, ranking, [])))
    for measure, rows in of_one_scale.items():
        found += [(measure, *one) for one in zip(rows, values_of(measure, rows), strict=True)]
    for measure, row, value in found:
        assert math.isfinite(value)
        assert value <= high + 1e-12, (measure, row)
        assert low - 1e-12 <= value or has_negative_gains(measure), (measure, row)


@every_numeric
def test_nothing_retrieved_and_nothing_judged(name: str) -> None:
    low, high = MEASURES[name].range
    for measure in settings_of(name):
        for ranking, unretrieved in (([], []), ([], [1]), ([None, None], []), ([0, -1], [0])):
            value = value_of(measure, ranking, unretrieved)
            assert low <= value <= high or (has_negative_gains(measure) and value < 0)


@each_of("name", [name for name in NUMERIC if issubclass(MEASURES[name], GainMeasure)])
def test_the_gain_of_a_grade_is_that_of_the_documents_with_it(name: str) -> None:
    for measure, ranking, unretrieved in drawn(name, 40):
        assert isinstance(measure, GainMeasure)
        rankings = joined(tuple(ranking), tuple(unretrieved))
        try:
            cells, gain = measure.gainful(rankings)
        except MeasureError:  # gains that leave a grade above 1
            continue
        top = max(grade for grade in [0, *ranking, *unretrieved] if grade is not None)
        expected = [(r, measure.gain_of(g, top)) for r, g in enumerate(ranking, start=1) if g is not None]
        assert list(zip(cells.rank, gain, strict=True)) == [(r, g) for r, g in expected if g != 0]


def promotions(measure: Measure, ranking: list[float | None], spam: bool) -> Iterator[list[float | None]]:
    """Exchange a relevant document with a worse one above it (also an unjudged one, unless the measure drops those).

    With ``spam``, also an unjudged document with one of negative grade.
    """
    rel = measure.rel
    gains: Mapping[float, float] = measure.gains or {}

    def worth(grade: float | None) -> float:
        return 0.0 if grade is None else max(gains.get(grade, grade), 0.0)

    for lower in range(len(ranking)):
        for upper in range(lower):
            better, worse = ranking[lower], ranking[upper]
            if spam and better is None and worse is not None and worse < 0:
                yield exchanged(ranking, upper, lower)
            if better is None or not (better > 0 if rel is None else better >= rel) or worth(better) <= worth(worse):
                continue
            if rel is not None and worse is not None and worse >= rel and not measure.graded:
                continue
            if worse is None and measure.judged_only:
                continue
            yield exchanged(ranking, upper, lower)


def exchanged(ranking: list[float | None], one: int, other: int) -> list[float | None]:
    changed = list(ranking)
    changed[one], changed[other] = ranking[other], ranking[one]
    return changed


Loss: TypeAlias = tuple[Measure, list[float | None], list[float | None], list[float]]


def small_lists(name: str) -> Iterator[tuple[Measure, list[float | None], list[float]]]:
    """Give every list of three grades, in a few settings of the measure."""
    for measure in settings_of(name)[:6]:
        for grades in itertools.product([0, 1, 2, 3], repeat=3):
            yield measure, [*grades], [3]


def loss_by_promotion(name: str, times: int, *, spam: bool = False) -> Loss | None:
    tried = defaultdict[Measure, list[tuple[list[float | None], list[float | None], list[float]]]](list)
    for measure, ranking, unretrieved in itertools.chain(small_lists(name), drawn(name, times)):
        if not has_negative_gains(measure) and (spam or measure.rewards_promotion):
            tried[measure] += [(ranking, promoted, unretrieved) for promoted in promotions(measure, ranking, spam)]
    for measure, exchanges in ((measure, found) for measure, found in tried.items() if found):
        before = values_of(measure, [(ranking, unretrieved) for ranking, _, unretrieved in exchanges])
        after = values_of(measure, [(promoted, unretrieved) for _, promoted, unretrieved in exchanges])
        for one, was, became in zip(exchanges, before, after, strict=True):
            if became < was - 1e-12:
                return measure, *one
    return None


@named(rewards_promotion=True)
def test_a_better_document_higher_up_never_hurts_where_promised(name: str) -> None:
    assert loss_by_promotion(name, 60) is None


@pytest.mark.integration  # it takes seconds
@each_of("name", [name for name in ORDINARY if not MEASURES[name].rewards_promotion])
def test_a_better_document_higher_up_can_hurt_where_nothing_is_promised(name: str) -> None:
    assert loss_by_promotion(name, 1000, spam=True) is not None


@each_of("name", [name for name in NUMERIC if "cutoff" in MEASURES[name].parameters])
def test_ranks_below_the_cutoff_do_not_count(name: str) -> None:
    compared, alike = 0, defaultdict[Measure, list[Row]](list)
    for measure, ranking, unretrieved in drawn(name, 150):
        k = measure.cutoff
        if k is None or len(ranking) < k or measure.judged_only:
            continue
        below = [grade for grade in ranking[k:] if grade is not None]
        turned = [*ranking[:k], *reversed(ranking[k:])]
        alike[measure] += [(ranking, unretrieved), (ranking[:k], below + unretrieved), (turned, unretrieved)]
        alike[measure] += [([*ranking, None, None], unretrieved)]
        compared += len(ranking) > k
    for measure, rows in alike.items():
        values = values_of(measure, rows)
        for at in range(0, len(rows), 4):
            assert values[at : at + 4] == [values[at]] * 4, (measure, rows[at])
    assert compared > 5


@named(uses_recall_base=False)
def test_what_was_not_retrieved_does_not_count(name: str) -> None:
    alike = defaultdict[Measure, list[Row]](list)
    for measure, ranking, unretrieved in drawn(name, 80):  # the largest grade, by which grades are scaled, stays there
        alike[measure] += [(ranking, missed) for missed in (unretrieved, [*unretrieved, 3, 2, 1, 0, -1], [3])]
    for measure, rows in alike.items():
        values = values_of(measure, rows)
        for at in range(0, len(rows), 3):
            assert values[at : at + 3] == [values[at]] * 3, (measure, rows[at])


@each_of("name", [n for n in NUMERIC if MEASURES[n].uses_recall_base and not MEASURES[n].by_subtopic])
def test_what_was_not_retrieved_counts(name: str) -> None:
    assert any(
        value_of(measure, ranking, missed) != value_of(measure, ranking, [*missed, 1, 2, 3])
        for measure, ranking, unretrieved in drawn(name, 80)
        for missed in (unretrieved, [])  # without any, a topic may have nothing relevant at all
    )


def with_other_grades(grades: list[float | None], other: dict[float, float]) -> list[float | None]:
    return [grade if grade is None else other.get(grade, grade) for grade in grades]


OTHER_GRADES: dict[float, float] = {0.5: 2, 1: 7, 2: 0.25, 3: 3}


@named(graded=False)
def test_degrees_of_relevance_do_not_count(name: str) -> None:
    compared = 0
    for measure, ranking, unretrieved in drawn(name, 80):
        if measure.rel is None:
            others = [grade for grade in with_other_grades([*unretrieved], OTHER_GRADES) if grade is not None]
            assert value_of(measure, with_other_grades(ranking, OTHER_GRADES), others) == value_of(
                measure, ranking, unretrieved
            )
            compared += 1
    assert compared > 0


@named(graded=True)
def test_degrees_of_relevance_count(name: str) -> None:
    assert any(
        value_of(measure, with_other_grades(ranking, OTHER_GRADES), unretrieved)
        != value_of(measure, ranking, unretrieved)
        for measure, ranking, unretrieved in drawn(name, 80)
    )


# Through evaluate()


def collection(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Make up qrels of six topics, and three runs that lack a topic here and there."""
    chance = random.Random(seed)  # noqa: S311
    topics = [f"t{i}" for i in range(6)]
    documents = [f"d{i}" for i in range(12)]
    qrels = {t: {d: chance.choice([-1, 0, 0, 1, 2, 3]) for d in chance.sample(documents, 8)} for t in topics}
    runs = {
        run: {
            t: dict(zip(chance.sample(documents, chance.randint(3, 10)), chance.sample(range(100), 12), strict=False))
            for t in chance.sample(topics, 5)
        }
        for run in ("a", "b", "c")
    }
    return qrels, runs  # type: ignore[return-value]


def in_order(table: dict[str, dict[str, object]], order: list[str]) -> dict[str, dict[str, object]]:
    return {key: table[key] for key in order if key in table}


@pytest.mark.parametrize("seed", [1, 2])
def test_permuting_topics_or_runs_permutes_scores(seed: int) -> None:
    qrels, runs = collection(seed)
    measures = [setting for name in NUMERIC for setting in settings_of(name, 4)]
    scores = cf.evaluate(qrels, runs, measures)
    topics, names = list(qrels), list(runs)
    random.Random(seed).shuffle(topics)  # noqa: S311
    random.Random(seed).shuffle(names)  # noqa: S311
    other_runs = {name: in_order(runs[name], topics) for name in names}  # type: ignore[arg-type]
    other = cf.evaluate(in_order(qrels, topics), other_runs, measures)  # type: ignore[arg-type]

    assert topics != list(qrels)
    assert names != list(runs)
    assert other.topics == tuple(topics)
    assert other.runs == tuple(names)
    assert other.by_run() == scores.by_run()
    assert sorted(other.means.rows()) == sorted(scores.means.rows())


def test_scores_of_evaluate_are_those_of_each_ranking() -> None:
    qrels, runs = collection(3)
    qrels = {topic: {**grades, "top": 3} for topic, grades in qrels.items()}  # so that all topics have one scale
    measures = [setting for name in NUMERIC for setting in settings_of(name, 4)]
    found = cf.evaluate(qrels, runs, measures).by_run()
    for run, topics in runs.items():
        for topic, scores in topics.items():
            by_rank = sorted(scores, key=lambda document: -scores[document])
            ranking = [qrels[topic].get(document) for document in by_rank]
            unretrieved = [grade for document, grade in qrels[topic].items() if document not in scores]
            for measure in measures:
                assert found[run][topic][str(measure)] == pytest.approx(
                    value_of(measure, ranking, unretrieved), abs=1e-12
                )


# Bad parameters


def _is_legal(measure: type[Measure], parameter: str, value: object) -> bool:
    try:
        measure(**{parameter: value})
    except MeasureError:
        return False
    return True


@every
def test_illegal_parameters_are_refused_with_the_legal_range(name: str) -> None:
    measure = MEASURES[name]
    for known, parameter in measure.parameters.items():
        illegal: list[object] = [object(), "no such thing"]
        if parameter.choices is None and parameter.kind in {int, float}:
            illegal += [math.nan, True, [1], {1: 2}]
            illegal += [math.inf, -math.inf] if parameter.kind is float else []
            limits = parameter.limits
            illegal += [limit for limit in (limits.above, limits.below) if limit is not None]
            illegal += [] if limits.at_least is None else [limits.at_least - 1]
            illegal += [] if limits.at_most is None else [limits.at_most + 0.5]
        if parameter.kind is int:
            illegal.append(2.5)
        if parameter.kind is bool:
            illegal += [1, 0, "True"]
        if parameter.default is not None:
            illegal.append(None)
        for value in illegal:
            with pytest.raises(MeasureError) as refused:
                measure(**{known: value})
            assert parameter.range in str(refused.value), (known, value)
            assert name in str(refused.value)


def test_an_infinite_cutoff_is_refused() -> None:
    with pytest.raises(MeasureError, match="a whole number at least 1, not inf"):
        cf.AP(cutoff=math.inf)  # type: ignore[arg-type]
    with pytest.raises(MeasureError, match="a whole number at least 1, not inf"):
        parse_measure("AP@1e999")


@every
def test_unknown_parameters_are_refused(name: str) -> None:
    with pytest.raises(MeasureError, match=f"{name} has no parameter 'colour'"):
        MEASURES[name](colour="red")
    with pytest.raises(MeasureError, match=r"'colour'"):
        parse_measure(f"{name}(colour=1)")


@every
def test_a_missing_at_is_told(name: str) -> None:
    measure = MEASURES[name]
    if measure.at_required:
        with pytest.raises(MeasureError, match=f"{name} needs a {measure.at}, such as {name}@"):
            parse_measure(f"{name}()")
        with pytest.raises(MeasureError, match=f"{name} needs a {measure.at}"):
            measure().of([1, 0])
    elif measure.at not in measure.parameters:
        with pytest.raises(MeasureError, match=f"{name} has no cutoff"):
            parse_measure(f"{name}@10")
        with pytest.raises(MeasureError, match=f"{name} has no cutoff"):
            measure @ 10


@each_of(
    ("text", "told"),
    [
        ("RBP(p=1.7)", "a number above 0 and below 1, not 1.7"),
        ("RBP(p=0)", "a number above 0 and below 1, not 0"),
        ("RBP(p=1)", "a number above 0 and below 1, not 1"),
        ("RBP(p='high')", "a number above 0 and below 1, not 'high'"),
        ("AP@0", "a whole number at least 1, not 0"),
        ("AP@-3", "a whole number at least 1, not -3"),
        ("AP@2.5", "a whole number at least 1, not 2.5"),
        ("AP(rel=0)", "a number above 0, not 0"),
        ("AP(rel=-1)", "a number above 0, not -1"),
        ("AP(judged_only=1)", "True or False, not 1"),
        ("SetF(beta=-1)", "a number at least 0, not -1"),
        ("IPrec@1.5", "a number at least 0 and at most 1, not 1.5"),
        ("nDCG(dcg='foo')", "'log2' or 'exp-log2', not 'foo'"),
        ("IPrec(rounding='up')@0.5", "'trec9' or 'trec10', not 'up'"),
        ("nDCG(gains=3)", "gains must be"),
        ("nDCG(gains=[1,2])", "gains must be"),
        ("nDCG(gains={1:'much'})", "gains must be"),
        ("INST(T=0)", "a number at least 0.5, not 0"),
        ("INST(min_rel=2,max_rel=2)", "max_rel"),
        ("NERR10(min_rel=3,max_rel=1)", "max_rel"),
        ("ERR(max_rel=0)", "a number above 0, not 0"),
        ("RBP(gains={1:5})", "0"),
        ("RBP(rel=1,gains={1:1})", "gains"),
        ("Utility(d=1)", "docs"),
        ("IPrecAvg(levels=[0.5,2])", "levels must be"),
        ("IPrecAvg(levels=[])", "levels must be"),
        ("RBP(0.8)", "is not the name of a measure"),
        ("P()", "P needs a cutoff, such as P@"),
        ("NDCGG@10", "no measure is called 'NDCGG'"),
    ],
)
def test_what_is_wrong_with_a_name_is_told(text: str, told: str) -> None:
    with pytest.raises(MeasureError) as refused:
        parse_measure(text)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("ranking", "unretrieved"), [([0, 2], []), ([0], [2])])
def test_gains_that_leave_a_grade_of_the_qrels_above_1_are_refused(
    ranking: list[float | None], unretrieved: list[float]
) -> None:
    """Whether the run has retrieved such a document or not: the refusal is about the qrels."""
    with pytest.raises(MeasureError, match="every grade of the qrels needs a gain of at most 1"):
        cf.RBP(gains={1: 0.5}).of(ranking, unretrieved)


@pytest.mark.parametrize("gain", [math.nan, math.inf, "much", None])
def test_a_gain_is_a_finite_number(gain: object) -> None:
    with pytest.raises(MeasureError, match="gains must be"):
        cf.nDCG(gains={1: gain})  # type: ignore[arg-type]
    with pytest.raises(MeasureError, match="gains must be"):
        cf.nDCG(gains={gain: 1})  # type: ignore[arg-type]


@each_of("name", NUMERIC)
def test_every_prefix_is_worth_what_the_cut_list_is(name: str) -> None:
    for measure, ranking, unretrieved in itertools.islice(drawn(name, 12), 12):
        if measure.at_required and getattr(measure, measure.at) is None:
            continue
        rankings = one_ranking(ranking, unretrieved)
        values = measure.by_prefix(rankings)[0]
        cut = [measure.score(rankings.cut(k))[0] for k in range(len(ranking) + 1)]
        assert values.tolist() == pytest.approx(cut, rel=1e-12, abs=1e-12)


@each_of("name", [name for name in NUMERIC if MEASURES[name].at in {"cutoff", "rank"}])
def test_a_curve_is_the_measure_at_every_rank(name: str) -> None:
    for measure, ranking, unretrieved in itertools.islice(drawn(name, 8), 8):
        if measure.at not in measure.parameters:
            continue
        rankings = one_ranking(ranking, unretrieved)
        try:
            expected = [(measure @ k).score(rankings)[0] for k in range(1, 6)]
        except MeasureError:
            continue  # such as a setting that goes with no cutoff
        settings = {key: value for key, value in measure.given.items() if key != measure.at}
        values = type(measure)(**settings).by_rank(rankings, 5)[0]
        assert values.tolist() == pytest.approx(expected, rel=1e-12, abs=1e-12)


def every_class(of: type[Any]) -> Iterator[type[Any]]:
    """Go through all classes that are derived from one."""
    for kind in of.__subclasses__():
        yield kind
        yield from every_class(kind)


def test_no_two_measures_share_a_name() -> None:
    """Of users' measures that is refused when they are declared; of ours it is seen here."""
    ours = [kind for kind in every_class(Measure) if kind.__module__.startswith("cranfield.")]
    assert [kind for kind in ours if REGISTRY.get(kind.__name__, kind) is not kind] == []
    names = [name for kind in set(ours) & set(REGISTRY.values()) for name in (kind.__name__, *kind.aliases)]
    assert sorted(names) == sorted(set(names))
