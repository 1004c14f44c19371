"""How often do intervals hold, and tests err? ``python -m benchmarks.calibration DATA`` writes docs/calibration.md.

A population is a table of real scores: its topics are drawn with replacement, so that its truth is
known. Where means are to be equal, each run is shifted to the same mean, and keeps its shape.
"""
