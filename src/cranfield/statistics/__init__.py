"""Statistics of scores by topic: arrays in, arrays out; nothing here knows of runs or judgments.

A paired test takes a row of differences for each pair and returns a p-value for each. Resampling is one matrix product
of resamples and differences, in blocks that fit the memory. Blocks are cut over pairs, never over resamples, so the
p-value of a pair does not depend on its company.

Floating-point sums that are equal on paper differ in the last bits, and a permutation test turns that into results.
`differences` holds the one tolerance for sums; `on_paper` decides for everyone whether two means are equal (within
1e-9, in chains). Rounding to a grid would separate values on both sides of an edge.
"""
