"""Measure ranked lists, compare systems, test the measures, and decide what to judge next.

>>> import cranfield as cf
>>> qrels = {"1": {"a": 2, "b": 0, "c": 1}}
>>> runs = {"bm25": {"1": {"b": 3.0, "a": 2.5}}}
>>> cf.evaluate(qrels, runs, ["AP", cf.nDCG @ 10]).means.rows()
[('bm25', 'all', 'AP', 0.25), ('bm25', 'all', 'nDCG@10', 0.4796...)]
"""

from cranfield import public as _public

__version__ = "0.3.0"

# The public names are listed in `public`. Type checkers read the stub beside this file, which is
# written from that list.
__all__ = sorted(_public.HOMES)  # noqa: PLE0605 - a list, if not one that is spelled out
__getattr__ = _public.found
__dir__ = _public.names
