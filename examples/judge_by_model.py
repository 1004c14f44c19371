"""Let a language model judge: `python judge_by_model.py JUDGE MODEL`, with tokens in JUDGE_TOKEN and MODEL_TOKEN.

JUDGE is the address that `cranfield judge serve` prints, MODEL one that answers as OpenAI's chat completions do. Every
judgment is marked as a program's. Stop it and start it again as you like: it goes on where it was.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

Ask = Callable[[str, dict[str, Any] | None], Any]
"""Sends something to a path of the judging server (nothing: only asks), and returns what it answers."""

PROMPT = """You judge whether a document answers a question.

{guidelines}

Question: {question}

Document: {document}

Answer with one of these numbers, then a sentence that says why:
{scale}"""


def server(address: str, token: str) -> Ask:
    """Return what asks a judging server; while it is away, it is asked again."""

    def ask(path: str, given: dict[str, Any] | None) -> Any:
        body = None if given is None else json.dumps(given).encode()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        while True:
            try:
                with urlopen(Request(address + path, body, headers), timeout=60) as answer:  # noqa: S310
                    return json.load(answer)
            except HTTPError as error:
                if error.code != 503:
                    raise SystemExit(f"{path}: {json.load(error).get('problem')}") from None
            except (URLError, ConnectionError):
                pass
            time.sleep(2)

    return ask


def model(address: str, token: str, name: str) -> Callable[[str], str]:
    """Return what asks a model."""

    def answer(prompt: str) -> str:
        given = {"model": name, "temperature": 0, "messages": [{"role": "user", "content": prompt}]}
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        asked = Request(address, json.dumps(given).encode(), headers)  # noqa: S310
        with urlopen(asked, timeout=300) as found:  # noqa: S310
            said: str = json.load(found)["choices"][0]["message"]["content"]
            return said

    return answer


def judge_all(ask: Ask, answer: Callable[[str], str]) -> int:
    """Judge until nothing is left; return how many documents were judged."""
    task = ask("/api/task", None)
    questions = {topic["id"]: " ".join(topic["fields"].values()) for topic in task["topics"]}
    scale = {str(each["grade"]): each["label"] for each in task["scale"]}
    lines = "\n".join(f"{grade}: {label}" for grade, label in scale.items())
    judged = 0
    while documents := ask("/api/next", {"n": 1})["documents"]:
        [of] = documents
        shown = ask(f"/api/document?{urlencode({'topic': of['topic'], 'document': of['document']})}", None)
        text = f"{shown['title']}\n{shown['text']}"
        prompt = PROMPT.format(
            guidelines=task["guidelines"], question=questions[of["topic"]], document=text, scale=lines
        )
        began = time.monotonic()
        said = answer(prompt).strip()
        found = re.match(r"\d+", said)
        grade = float(found[0]) if found and found[0] in scale else None  # None: it cannot be judged
        ask(
            "/api/judge",
            {
                "key": f"{of['lease']}",  # the same lease is judged once, however often this is sent
                "topic": of["topic"],
                "document": of["document"],
                "grade": grade,
                "reason": {"sentence": said[:500]},
                "seconds": time.monotonic() - began,
                "by": "program",
            },
        )
        judged += 1
    return judged


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    judging = server(sys.argv[1].rstrip("/"), os.environ["JUDGE_TOKEN"])
    asked = model(sys.argv[2], os.environ.get("MODEL_TOKEN", ""), os.environ.get("MODEL", "gpt-4o-mini"))
    print(f"{judge_all(judging, asked)} documents judged")  # noqa: T201
