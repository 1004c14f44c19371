"""Which system is better, and is it more than luck: runs compared topic by topic, with a test and its correction."""

from cranfield.comparison.compare import compare, compare_scores
from cranfield.comparison.result import Comparison

__all__ = ["Comparison", "compare", "compare_scores"]
