"""The house grows only where somebody says why: see `tools.budget`."""

from __future__ import annotations

from tools.budget import MOST_PARAMETERS, lowered, may_be, there_is


def test_nothing_is_more_than_it_may_be() -> None:
    there, limits = there_is(), may_be()
    more = [
        f"{part}: {name} has {number:,}, and may have {limits[part].get(name, 0):,}"
        for part, found in there.items()
        for name, number in found.items()
        if number > limits[part].get(name, 0)
    ]
    assert not more, "make room, or raise the line in tests/house/budget.toml and say why there: " + "; ".join(more)
    assert {part: limits[part].keys() - there[part].keys() for part in limits} == {part: set() for part in limits}
    assert min(limits["parameters"].values(), default=99) > MOST_PARAMETERS


def test_a_number_is_lowered_in_its_own_part_alone() -> None:
    text = '[lines]\na = 3\n[options]\na = 7  # since\n"a b" = 5\n'
    assert lowered(text, "options", "a", 6) == '[lines]\na = 3\n[options]\na = 6  # since\n"a b" = 5\n'
    assert lowered(text, "options", "a b", 4).endswith('"a b" = 4\n')
