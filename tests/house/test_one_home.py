"""One home a thing: conclusions (no other module holds a p or an interval against a level), and names of constants."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

import pytest
from tools.sources import SOURCE, nodes, parsed

HOME = SOURCE / "statistics" / "conclusions.py"
ELSEWHERE = {
    "statistics/multiple_comparisons.py",  # what the home itself stands on: corrections
    "measures/normalised_user_models.py",  # ends of a search for weights
}

P = re.compile(r"^(p|asl)$|^p_|_p$|^p_?values?$")
LEVEL = re.compile(r"(^|_)(alpha|level)s?$")
END = re.compile(r"^(low|high)(_apart)?$")
MARGIN = re.compile(r"(^|_)margins?$")


def named(node: ast.expr) -> str:
    """Return the name of a value: a variable, an attribute, a column."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case (
            ast.Subscript(slice=ast.Constant(value=str(name)))
            | ast.Call(func=ast.Attribute(attr="col"), args=[ast.Constant(value=str(name))])
        ):
            return name
        case (
            ast.Subscript(value=value)
            | ast.UnaryOp(operand=value)
            | ast.Call(func=ast.Attribute(attr="array"), args=[value, *_])
        ):
            return named(value)
        case ast.Call(func=ast.Name(id="adjust")):
            return "p"
    return ""


def concluded(nodes: Iterable[ast.AST]) -> list[str]:
    """Return the comparisons that conclude something: of a p with a level, of an interval's end with 0 or a margin."""
    found = []
    for node in nodes:
        if not isinstance(node, ast.Compare) or not any(
            isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in node.ops
        ):
            continue
        for one, other in zip([node.left, *node.comparators], node.comparators, strict=False):
            for left, right in ((one, other), (other, one)):
                zero = isinstance(right, ast.Constant) and right.value == 0
                usual = isinstance(right, ast.Constant) and right.value in (0.01, 0.05, 0.1)
                p_at_level = P.search(named(left)) and (LEVEL.search(named(right)) or usual)
                end_at_0 = END.search(named(left)) and (zero or MARGIN.search(named(right)))
                if p_at_level or end_at_0:
                    found.append(f"{node.lineno}: {ast.unparse(node)}")
    return sorted(set(found))


def test_no_other_module_concludes() -> None:
    elsewhere = {
        str(path.relative_to(SOURCE)): concluded(nodes(path)) for path in sorted(SOURCE.rglob("*.py")) if path != HOME
    }
    assert {name: found for name, found in elsewhere.items() if found and name not in ELSEWHERE} == {}


@pytest.mark.parametrize(
    "line",
    [
        "found = p <= alpha", "p > self.level", "row['p_adjusted'] < 0.05", "pl.col('p') <= settings.alpha",
        "adjust(p, 'holm') <= alpha", "np.array(row['asl']) < alpha", "low > 0", "(pl.col('low') > 0) | x",
        "high < -margin", "ends.low >= -self.margin",
    ],
)  # fmt: skip
def test_it_sees_those_that_do(line: str) -> None:
    assert concluded(ast.walk(ast.parse(line)))


@pytest.mark.parametrize("line", ["low < high", "p > 0", "values > 0", "power < alpha", "level > last / 2"])
def test_and_not_what_concludes_nothing(line: str) -> None:
    assert not concluded(ast.walk(ast.parse(line)))


SHARED = {
    "FORMAT": "each format is one, and `formats/content.py` tries them in order",
    "PAPER": "each paper has one, whose items its modules are",
    "DATA": "what each paper's figures are from, in its own folder",
}
"""Constants that many modules have, as parts of a registry."""


def constants(tree: ast.Module) -> set[str]:
    """Return the public constants that a module defines; what is `other.NAME` is that module's, under its own name."""
    found = set()
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
            found |= names - {each.attr for each in ast.walk(node.value) if isinstance(each, ast.Attribute)}
    return {name for name in found if re.fullmatch("[A-Z][A-Z0-9_]*", name)}


def test_no_name_of_a_constant_stands_for_two_things() -> None:
    homes: dict[str, list[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        for name in constants(parsed(path)):
            homes.setdefault(name, []).append(str(path.relative_to(SOURCE)))
    twice = {name: modules for name, modules in homes.items() if len(modules) > 1}
    assert {name: modules for name, modules in twice.items() if name not in SHARED} == {}, (
        "import it, name what it is, or begin it with _ where no other module reads it"
    )
    assert twice.keys() == SHARED.keys()


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("FEW = 3", {"FEW"}), ("FEW: Final = 3", {"FEW"}), ("LOW, HIGH = 1, 2", {"LOW", "HIGH"}),
        ("A = [B, C] = [1, 2]", {"A", "B", "C"}), ("_FEW = 3", set()), ("INK: Final = look.INK", set()),
        ("T = TypeVar('T')", {"T"}), ("few = 3", set()), ("class Few:\n    MOST = 3", set()),
    ],
)  # fmt: skip
def test_it_sees_constants(line: str, names: set[str]) -> None:
    assert constants(ast.parse(line)) == names
