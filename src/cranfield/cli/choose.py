"""``cranfield choose`` (evaluate): pick a measure by answering a few questions."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from cranfield.measures.framework.guide import Number, Question, Recommendation


@click.command(
    epilog="""\b
Examples:
  cranfield choose
  cranfield choose --answers no,falls,gain,most,no,yes,yes
  cranfield choose --answers abstain
  cranfield choose --tree
"""
)
@click.option("--answers", metavar="WORD,...", help="Give all answers at once, in the order of the questions.")
@click.option("--tree", is_flag=True, help="Print the whole tree of questions.")
def command(answers: str | None, tree: bool) -> None:
    """Choose a measure by answering a few questions about who reads the list, and why."""
    from cranfield.measures.framework.guide import choose
    from cranfield.plumbing.errors import InputError

    if tree:
        click.echo(_drawn())
    elif answers is not None:
        _show(choose([word for word in answers.split(",") if word.strip()]))
    elif sys.stdin and sys.stdin.isatty():
        _show(_asked())
    else:
        raise InputError("questions need a terminal; give --answers, or print them with --tree")


def _asked() -> Recommendation:
    """Ask one question after the other; an answer can be taken back."""
    from cranfield.measures.framework.guide import Walk

    given: list[str] = []
    while True:
        walk = Walk()
        for word in given:
            walk.answer(word)
        if walk.question is None:
            return walk.chosen
        word = _ask(walk.question, can_go_back=bool(given))
        given = given[:-1] if word == "back" else [*given, word]


def _ask(question: Question | Number, *, can_go_back: bool) -> str:
    from cranfield.measures.framework.guide import Number

    click.secho(f"\n{question.text}", bold=True)
    back = ["back"] if can_go_back else []
    if isinstance(question, Number):
        return str(click.prompt("  a number", value_proc=lambda text: _number(text, back), prompt_suffix=": "))
    for answer in question.answers:
        click.echo(f"  {answer.word:<10} {answer.meaning}")
    words = [answer.word for answer in question.answers]
    return str(click.prompt("", type=click.Choice([*words, *back]), prompt_suffix="> "))


def _number(text: str, words: list[str]) -> str:
    text = text.strip()
    if text in words or (text.isdecimal() and int(text) >= 2):
        return text
    raise click.UsageError("please type a whole number, 2 or more")


def _show(chosen: Recommendation) -> None:
    click.secho(f"\n{', '.join(chosen.measures)}", fg="green", bold=True)
    click.echo(click.wrap_text(chosen.reason, 100))
    click.echo(f"\n  {chosen.command}")
    for name in chosen.measures:
        click.echo(f"  cranfield measures {name.partition('(')[0].partition('@')[0]}")


def _drawn() -> str:
    """The tree as indented text."""
    from cranfield.measures.framework.guide import Advice, branches

    lines = []
    for depth, word, node in branches():
        what = f"=> {', '.join(node.measures)}" if isinstance(node, Advice) else node.text
        lines.append(f"{'    ' * depth}{f'{word}: ' if word else ''}{what}")
    return "\n".join(lines)
