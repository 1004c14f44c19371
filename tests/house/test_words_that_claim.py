"""Words that claim much of all grades, measures or topics come from a scope, which says what they hold for."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Final

from tools.each import each_of
from tools.sources import SOURCE, nodes

WIDE: Final = re.compile(
    r"(?i)whatever|does not depend|no run can|every measure|other topics|topics like|no choice of|all grades|any grade"
    r"|any weights"
)
"""Words that claim something of all grades, measures or topics."""
SURE: Final = re.compile(r"cannot|for certain|is certain to")
"""Words that do so where a sentence tells what was found."""
SAYING: Final = frozenset(
    path
    for pattern in ("reports/**/*.py", "plots/dominance.py", "plots/certificate.py", "plots/learning_curve.py",
                    "pairs/overtaking.py", "comparison/gating.py", "selection/stop_rules.py", "selection/clicks.py",
                    "selection/status.py")
    for path in SOURCE.glob(pattern)
)  # fmt: skip
ELSEWHERE: Final = {
    "conventions/tools.py": "whatever tool",  # what other programs do
    "judged/audit.py": "level above all grades",  # a number beside it says which
    "measures/framework/guide.py": "whatever was not",  # an answer of the reader's
    "measures/framework/declaration.py": "whatever its order",  # a question
    "plots/interval_width.py": "for topics like these",  # which of two intervals is drawn
    "plumbing/scope.py": "",  # where the words are at home
    "reports/first_sheet.py": "cannot be compared",  # why two runs have no difference
    "reproductions/relative_position.py": "all grades",  # what is told apart, not what is claimed
}
"""Where such words claim nothing of runs."""


@each_of("path", sorted(SOURCE.rglob("*.py"), key=lambda path: (path not in SAYING, path)))
def test_words_that_claim_much_come_from_a_scope(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if not (WIDE.search(text) or SURE.search(text)):
        return
    tree = nodes(path)
    exempt = ELSEWHERE.get(path.relative_to(SOURCE).as_posix(), "no words are exempt here")
    documented = ast.Module | ast.ClassDef | ast.FunctionDef
    about = {
        id(node.body[0].value)
        for node in tree
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    about |= {id(node.value) for node in tree if isinstance(node, ast.Expr)}
    about |= {id(part) for node in tree if isinstance(node, ast.Raise) for part in ast.walk(node)}
    within = {
        id(part) for node in tree if isinstance(node, ast.JoinedStr) for part in ast.walk(node) if part is not node
    }
    passed_over = about | within
    for node in tree:
        if id(node) in passed_over or not isinstance(node, ast.JoinedStr | ast.Constant):
            continue
        words = ast.unparse(node) if isinstance(node, ast.JoinedStr) else str(node.value)
        wide = WIDE.search(words) or (path in SAYING and SURE.search(words))
        assert not wide or re.search(r"scope|AT_WORST", words, re.IGNORECASE) or exempt in words, words
