"""A saved session is taken up again or refused in words, whatever shape it has."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.plumbing.errors import CranfieldError, InputError
from cranfield.selection import Candidates, Judging

CANDIDATES = Candidates.gather({"x": {"1": {"a": 3.0, "b": 2.0}, "2": {"c": 1.0}}, "y": {"1": {"b": 5.0}}})


def saved() -> dict[str, Any]:
    judging = Judging(CANDIDATES)
    judging.record("1", "a", 1)
    judging.skip("1", "b")
    return dict(judging.to_dict())


PARTS = ["\ud800", 10**400, 10**30, -1, 0.5, "1", "a", "C", "RBP(p=0.8)", "topic"]
leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(PARTS)
values = st.recursive(
    leaves,
    lambda inside: (
        st.lists(inside, max_size=4)
        | st.dictionaries(st.sampled_from(sorted(saved())) | st.text(max_size=3), inside, max_size=4)
    ),
    max_leaves=10,
)


@given(st.sampled_from(sorted(saved())), values)
def test_any_json_is_taken_up_or_refused(key: str, value: Any) -> None:
    whole = saved()
    for session in (
        value,
        whole | {key: value},
        whole | {"history": [["1", "a", value]]},
        whole | {"judged": [["1", value, 1]]},
    ):
        begun = time.perf_counter()
        try:
            judging = Judging.from_dict(CANDIDATES, session)
        except CranfieldError:
            continue
        finally:
            assert time.perf_counter() - begun < 5
        assert Judging.from_dict(CANDIDATES, judging.to_dict()).to_dict() == judging.to_dict()


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"history": [["1", "a", float("nan")]]}, "history of a saved judging session holds"),
        ({"history": [["1", "a", 10**400]]}, "history of a saved judging session holds"),
        ({"judged": [["\ud800", "a", 1]]}, "judged of a saved judging session holds"),
        ({"among": [["1"]]}, "among of a saved judging session holds"),
        ({"audit_ahead": 0}, "audit_ahead must be at least 1, not 0"),
        ({"seed": -1}, "seed must be at least 0, not -1"),
        ({"measure": 7}, "measure must be a text, not 7"),
    ],
)
def test_what_is_wrong_is_said(changed: dict[str, object], told: str) -> None:
    with pytest.raises(InputError, match=told):
        Judging.from_dict(CANDIDATES, saved() | changed)


def test_a_session_of_other_topics_is_refused() -> None:
    """The same documents at the same ranks, but the topics change places: a judgment would land on another list."""
    session = saved()
    other = Candidates.gather({"x": {"8": {"a": 3.0, "b": 2.0}, "9": {"c": 1.0}}, "y": {"8": {"b": 5.0}}})
    with pytest.raises(InputError, match="saved for other runs, topics or ranks"):
        Judging.from_dict(other, session | {"history": [], "judged": []})
    old = {name: value for name, value in session["candidates"].items() if name != "topics"}
    assert Judging.from_dict(CANDIDATES, session | {"candidates": old}).to_dict() == session
