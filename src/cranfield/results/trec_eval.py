"""What trec_eval prints, byte for byte."""

from __future__ import annotations

from collections.abc import Iterable


def trec_eval_lines(rows: Iterable[tuple[str, str, str | float]]) -> str:
    r"""Write (measure, topic, value) as trec_eval does.

    >>> trec_eval_lines([("num_q", "all", 3), ("map", "all", 0.17853)])
    'num_q                 \tall\t3\nmap                   \tall\t0.1785\n'
    """
    return "".join(
        f"{name:<22}\t{topic}\t{f'{value:6.4f}' if isinstance(value, float) else value}\n"
        for name, topic, value in rows
    )
