"""Measure ranked lists, compare systems, test the measures, and decide what to judge next."""

__version__ = "0.1.0"
