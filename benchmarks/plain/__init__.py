"""What our commands compute, as people write it in a script: pytrec_eval, numpy and scipy, and loops over pairs.

``python -m benchmarks.plain.NAME QRELS RUN...`` prints a table as csv, with the columns that ours has.
"""
