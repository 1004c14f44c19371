"""Two runs under judgments that are not known: who is ahead, how surely, and which documents would change that.

`pair` has two runs by one measure on the topics that count; `board` all runs of a call by it, and
who leads; `dominance` does without a measure; `overtaking` answers how one run comes ahead of
another. What is equal on paper, `statistics.on_paper` says.
"""
