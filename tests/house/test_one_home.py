"""What is concluded has one home: no other module holds a p or an interval against a level, a margin or 0."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "cranfield"
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


def concluded(source: str) -> list[str]:
    """Return the comparisons that conclude something: of a p with a level, of an interval's end with 0 or a margin."""
    found = []
    for node in ast.walk(ast.parse(source)):
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
        str(path.relative_to(SOURCE)): concluded(path.read_text(encoding="utf-8"))
        for path in sorted(SOURCE.rglob("*.py"))
        if path != HOME
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
    assert concluded(line)


@pytest.mark.parametrize("line", ["low < high", "p > 0", "values > 0", "power < alpha", "level > last / 2"])
def test_and_not_what_concludes_nothing(line: str) -> None:
    assert not concluded(line)
