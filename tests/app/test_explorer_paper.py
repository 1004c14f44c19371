"""Figures 2a, 2b and 3 of the prototype of 2012, with the paper's systems A and B: every number by hand.

R = 10, N = 20. The ideal list has grade 3 at ranks 1 to 3, 2 at 4 to 6, 1 at 7 to 10. The full-scale
list is at -55 at rank 10, back at 0 at rank 18, at 33 at rank 20.
"""

from __future__ import annotations

import html
import math
import re
from itertools import accumulate
from typing import Any

import pytest
from starlette.testclient import TestClient

import cranfield as cf
from cranfield.app.explorer.questions.explored import Explored
from cranfield.app.explorer.serving import explorer

GRADES = {"A": [3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 3], "B": [3, 3, 1, 0, 2, 1, 0, 0, 2, 1, 2, 0, 3, 1]}
POSITIONS = {
    "A": [0, 0, -1, -7, -2, 0, -4, -3, -2, 0, 8, *[0] * 9],
    "B": [0, 0, -4, -7, 0, -1, -4, -3, 3, 0, 5, 0, 10, 4, *[0] * 6],
}
MARKS: dict[str, dict[str, tuple[int, int, int] | None]] = {
    "A": {"R": (10, -19, -55), "min": (9, -19, -54), "b_r": None, "b_w": (18, -11, 0), "N": (20, -11, 33)},
    "B": {"R": (10, -16, -55), "min": (8, -19, -52), "b_r": (14, 3, -45), "b_w": (18, 3, 0), "N": (20, 3, 33)},
}
INDICATORS = {"A": ["0.0000", "0.0000", "0.6481", "1.3333"], "B": ["0.7143", "0.2222", "0.6346", "0.9091"]}
QRELS = {"351": {f"{grade}{letter}": grade for grade, many in ((3, "abc"), (2, "abc"), (1, "abcd")) for letter in many}}


def written(grades: list[int]) -> dict[str, float]:
    left = {grade: [f"{grade}{letter}" for letter in "abcd"] for grade in (3, 2, 1)}
    documents = [left[grade].pop(0) if grade else f"x{rank}" for rank, grade in enumerate(grades, start=1)]
    return {document: -float(place) for place, document in enumerate(documents)}


@pytest.fixture(scope="module")
def client() -> TestClient:
    runs = {name: {"351": written(grades)} for name, grades in GRADES.items()}
    explored = Explored(cf.join(QRELS, runs, bounds=True), ["nDCG", "Twist@20"])
    return TestClient(explorer(explored), base_url="http://127.0.0.1")


def list_of(client: TestClient, run: str) -> str:
    page = client.get("/topic?topic=351&run=A&run=B&n=20&to=20").text
    [found] = re.findall(rf'<section class="list" aria-label="The list of {run}">.+?</section>', page, re.DOTALL)
    return html.unescape(found)


def cells(row: str) -> list[str]:
    return re.findall(r"<t[dh][^>]*>([^<]*)</t[dh]>", row)


@pytest.mark.parametrize("run", ["A", "B"])
def test_points_and_indicators(client: TestClient, run: str) -> None:
    points = list_of(client, run).partition("Its points")[2]
    rows = {row[0]: row[1:] for row in map(cells, re.findall(r"<tr>(.+?)</tr>", points, re.DOTALL)) if row}
    for mark, expected in MARKS[run].items():
        assert rows[mark] == ([f"{number}" for number in expected] if expected else ["never", "", ""])
    assert [rows[name][0] for name in ("ρ", "b_ratio", "CRP_min", "CRP_N")] == INDICATORS[run]
    assert all(len(rows[name][1]) > 10 for name in ("ρ", "b_ratio", "CRP_min", "CRP_N"))  # what each says


@pytest.mark.parametrize("run", ["A", "B"])
def test_figures_2a_and_2b(client: TestClient, run: str) -> None:
    """DCG with the gains -1, 1, 2, 3, discounted by log2 of the rank from rank 2 on."""
    [address] = re.findall(r'data-figure="([^"]+)"', list_of(client, run))
    spec = client.get(address).json()
    data: dict[str, list[dict[str, Any]]] = {each["name"]: each.get("values", []) for each in spec["data"]}
    steps = data["steps"]
    assert [step["rp"] for step in steps] == POSITIONS[run]
    assert [step["crp"] for step in steps] == [*accumulate(POSITIONS[run])]
    padded = GRADES[run] + [None] * (20 - len(GRADES[run]))
    for name, grades in (("gain", padded), ("gain_ideal", [3, 3, 3, 2, 2, 2, 1, 1, 1, 1, *[None] * 10])):
        # Beyond the end nothing is gained, and nothing lost; what nobody judged is no loss either.
        gains = [grade or 0 for grade in grades]
        discounted = [gain / max(1.0, math.log2(rank)) for rank, gain in enumerate(gains, start=1)]
        assert [step[name] for step in steps] == pytest.approx([*accumulate(discounted)])
    known = {mark: each[0] for mark, each in MARKS[run].items() if each and mark != "N"}
    drawn = {(mark, point["rank"]) for point in data["points"] for mark in point["mark"].split(" = ")}
    assert drawn == {*known.items(), ("end of the list", len(GRADES[run]))}


def test_figure_3(client: TestClient) -> None:
    """The axes: the recall base, 10/18 for the topic, and the four indicators of run B."""
    names = ["RecoveryValue(whose=full-scale)", "RecoveryValue", "BalanceRatio", "CRPMin", "CRPN"]
    asked = {"run": "B", "measure": ["NumRel", *(f"{name}@20" for name in names)]}
    spec = client.get("/figure/parallel.json", params=asked).json()
    [line] = spec["data"][0]["values"]
    found = [line[f"v{place}"] for place in range(6)]
    assert found == pytest.approx([10, 10 / 18, 10 / 14, 1 - 14 / 18, 1 - 19 / 52, 1 - 3 / 33])


def test_what_the_curves_were_stays_visible(client: TestClient) -> None:
    """B's document of grade 3 at rank 13 is moved to rank 3."""
    [document] = [name for place, name in enumerate(written(GRADES["B"]), start=1) if place == 13]
    asked: dict[str, Any] = {"topic": "351", "run": "B", "n": 20, "measure": ["CRP@20", "DCG@20"]}
    changed = client.get("/figure/crp-and-dcg.json", params=asked | {"changes": f'[["B", "{document}", 3]]'}).json()
    data: dict[str, list[dict[str, Any]]] = {each["name"]: each.get("values", []) for each in changed["data"]}
    assert [step["crp"] for step in data["before"]] == [*accumulate(POSITIONS["B"])]
    assert [step["rp"] for step in data["steps"]][:4] == [0, 0, 0, 4 - 7]  # a document of grade 1 is at rank 4 now
    as_it_is = client.get("/figure/crp-and-dcg.json", params=asked).json()
    assert [each["values"] for each in as_it_is["data"] if each["name"] == "before"] == [[]]
