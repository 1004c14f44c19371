"""From judged rankings to scores: batches to blocks, engines, panels to compare, and the door for qrels and runs.

`rank` and `score` are pure, and what goes in and out of them can be pickled: an engine calls these two and knows
nothing else. `panel_of` is the one place that makes scores comparable: topics sorted, more being better, missing topics
0 unless `topics="shared"`, logarithms for a geometric mean. Weights belong to averages, not to values; groups are the
same functions on some topics, with p-values corrected once over all groups. On a cluster a `Task` travels to the
partitions and a `Tally` comes back; `engines/by_topic` knows nothing of Spark and is tested without it.
"""
