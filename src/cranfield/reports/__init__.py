"""Reports: one file that says what was evaluated, what was found, how sure that is, and how it came about."""

from cranfield.reports.reporting import Report, report
from cranfield.reports.reviewing import Review, review

__all__ = ["Report", "Review", "report", "review"]
