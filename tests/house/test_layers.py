"""Data flows one way: nothing below knows anything above, and what has one home is nowhere else."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from tools.each import each_of
from tools.sources import SOURCE, nodes, parsed, users

# From the ground up; docs/architecture.md draws the same. A module may import from its own layer
# and those below.
LAYERS = [
    ["plumbing"],
    ["statistics"],
    ["formats", "pages"],
    ["plots"],
    ["results"],
    ["conventions"],
    ["judged"],
    ["measures"],
    ["scoring"],
    ["pairs"],
    ["lists", "comparison", "selection", "stopping", "axioms", "checks", "conformance"],
    ["experiments"],
    ["plotting", "compat", "testing"],
    ["reports"],
    ["reproductions"],
    ["campaigns", "demonstration"],
    ["app"],
    ["track"],
    ["cli"],
    ["public"],
]
LEVEL = {package: level for level, packages in enumerate(LAYERS) for package in packages}


def modules() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE or not path.name.startswith("__"))


def package_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    """Return the packages of ours that a module imports, inside functions too."""
    found = set()
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module] if node.module != "cranfield" else [f"cranfield.{a.name}" for a in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("cranfield.")}
    return found


def test_every_package_has_a_layer() -> None:
    assert {package_of(path) for path in modules()} == set(LEVEL)


@each_of("path", modules())
def test_imports_point_downwards(path: Path) -> None:
    here = package_of(path)
    above = {name for name in imported(path) & set(LEVEL) if name != here and LEVEL[name] >= LEVEL[here]}
    assert not above, f"{here} must not know {', '.join(sorted(above))}"


@each_of("path", modules())
def test_polars_is_imported_when_it_is_needed(path: Path) -> None:
    tree = parsed(path)
    now = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.name for node in now if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in now if isinstance(node, ast.ImportFrom)}
    assert not {name for name in names if name.split(".")[0] == "polars"}, "from cranfield.plumbing.lazy import pl"


def files_imported(path: Path) -> set[Path]:
    """Return the files of ours that a module imports, for types and inside functions too."""
    found = set()
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("cranfield"):
            base = SOURCE.joinpath(*str(node.module).split(".")[1:])
            for alias in node.names:
                places = [base / f"{alias.name}.py", base / alias.name / "__init__.py", base.with_suffix(".py")]
                found.add(next((place for place in places if place.is_file()), base / "__init__.py"))
    return found - {path}


def test_no_circle_in_the_whole_tree() -> None:
    graph = {path: files_imported(path) for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py"}
    try:
        order = list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(" -> ".join(str(path.relative_to(SOURCE)) for path in error.args[1]))
    assert len(order) >= len(graph)


MEASURES = SOURCE / "measures"
FAMILIES = sorted(path for path in MEASURES.glob("*.py") if path.name != "__init__.py")

# A family that derives measures of another one, and so may import it.
DERIVED = {("information", "collection_order"), ("normalised_user_models", "utility")}


def test_the_framework_knows_no_family() -> None:
    """What several families share is the framework; a family knows another where it derives from it, and only there."""
    found = {path: files_imported(path) for path in (MEASURES / "framework").glob("*.py")}
    assert {path: families for path, files in found.items() if (families := files & set(FAMILIES))} == {}


def test_families_are_independent_of_each_other() -> None:
    known = {(path.stem, other.stem) for path in FAMILIES for other in files_imported(path) & set(FAMILIES)}
    assert known == DERIVED


def using(name: str) -> set[str]:
    """Return the modules whose code (not their texts) has this name."""
    return users().get(name, set()) & {path.relative_to(SOURCE).as_posix() for path in modules()}


def test_one_module_opens_qrels() -> None:
    formats = {name for name in using("read_qrels") if name.startswith("formats/")}
    assert formats
    assert using("read_qrels") - formats == set()
    assert using("read_judged") - formats == {"scoring/judged_runs.py"}


def test_one_module_turns_values_round() -> None:
    """Families declare it, `cranfield measures` and the registry describe it; nobody else decides by it."""
    declaring = {name for name in using("higher_is_better") if name.startswith("measures/")}
    assert using("higher_is_better") - declaring == {"scoring/orientation.py"}


ROUNDED = {
    "app/explorer/questions/possible.py": "decimals that a page is sent",
    "experiments/best_runs.py": "a share of the runs, counted",
    "experiments/budgets.py": "budgets, rounded up",
    "experiments/swap.py": "where bins begin, to be read",
    "plots/axes.py": "where ticks stand",
    "plots/baselines.py": "how wide a bar is, and where it stands",
    "plots/walks.py": "how high a picture is drawn",
    "statistics/differences.py": "a share of a number's size, of statistics that are no means",
    "statistics/studentized.py": "between which numbers a quantile is looked for",
}
"""Files with a tolerance that compares no values of runs, and what it is of."""


def tolerances(nodes: Iterable[ast.AST]) -> Iterator[int]:
    """Give the lines that have a number so small that it is only for rounding, or round to so many decimals."""
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, float) and 0 < node.value <= 1e-8:
            yield node.lineno
        elif isinstance(node, ast.Call) and "round" in (getattr(node.func, "id", ""), getattr(node.func, "attr", "")):
            decimals = (each.value for each in node.args if isinstance(each, ast.Constant))
            if any(isinstance(each, int) and each >= 9 for each in decimals):
                yield node.lineno


def test_one_module_says_what_is_equal_on_paper() -> None:
    """Whatever counts wins, ties and losses, ranks, names a best run or tests asks it: nobody has another tolerance."""
    code = ast.parse("a = b < 1e-12\nnp.round(a, 12)\na.round(DECIMALS)\na.round(3)")
    assert sorted(tolerances(ast.walk(code))) == [1, 2]
    rooms = (
        "app",
        "comparison",
        "experiments",
        "pairs",
        "plots",
        "reports",
        "results",
        "scoring",
        "statistics",
        "track",
    )
    found = {
        str(path.relative_to(SOURCE))
        for path in modules()
        if path.relative_to(SOURCE).parts[0] in rooms and any(tolerances(nodes(path)))
    }
    assert found - {"statistics/on_paper.py"} == set(ROUNDED)
    assert "1e-9" in (SOURCE / "statistics" / "on_paper.py").read_text(encoding="utf-8")


def asked_by_kind(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the families of measures that code asks for by `isinstance`, `issubclass`, `type(...) is` or `match`."""
    names: set[str] = set()
    for node in nodes:
        asked: list[ast.AST] = []
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("isinstance", "issubclass"):
            asked = [node.args[1]]
        elif isinstance(node, ast.Compare) and "type" in {getattr(getattr(node.left, "func", None), "id", "")}:
            asked = list(node.comparators)
        elif isinstance(node, ast.MatchClass):
            asked = [node.cls]
        names |= {getattr(part, "id", getattr(part, "attr", "")) for each in asked for part in ast.walk(each)}
    return names & declared_measures()


@cache
def declared_measures() -> set[str]:
    """Return the names of the classes in `measures` that derive from a measure, families and measures alike."""
    bases = {
        node.name: {getattr(base, "id", "") for base in node.bases}
        for path in MEASURES.rglob("*.py")
        for node in parsed(path).body
        if isinstance(node, ast.ClassDef)
    }
    found = {"Measure"}
    while more := {name for name, of in bases.items() if of & found} - found:
        found |= more
    return found - {"Measure"}


def test_families_of_measures_are_asked_by_what_they_declare() -> None:
    assert {"UserModel", "Misplacement", "nDCG"} <= declared_measures()
    code = ast.parse("isinstance(m, AP | UserModel); type(m) is ERR")
    assert asked_by_kind(ast.walk(code)) == {"AP", "UserModel", "ERR"}
    outside = [path for path in modules() if package_of(path) != "measures"]
    found = {str(p.relative_to(SOURCE)): asked_by_kind(nodes(p)) for p in outside}
    assert {path: families for path, families in found.items() if families} == {}


def test_the_picture_of_the_rooms_and_the_length_of_its_page() -> None:
    from tools.rooms import PICTURE, picture

    assert PICTURE.read_text(encoding="utf-8") == picture(), "draw it anew: python -m tools.rooms"
    assert len((PICTURE.parent / "architecture.md").read_text(encoding="utf-8").splitlines()) <= 150
