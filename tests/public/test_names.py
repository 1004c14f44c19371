"""One name a thing: a public class name stands for one class in the whole package."""

from __future__ import annotations

import ast
from collections import defaultdict

from tools.sources import SOURCE, parsed


def test_a_public_class_name_stands_for_one_class() -> None:
    homes = defaultdict(list)
    for path in SOURCE.rglob("*.py"):
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(str(path.relative_to(SOURCE)))
    shared = {name: sorted(files) for name, files in homes.items() if len(files) > 1}
    assert shared == {}
