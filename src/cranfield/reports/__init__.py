"""Reports: one file that says what was evaluated, what was found, how sure that is, and how it came about.

`Evidence` computes each thing once, when it is first asked for. A section is a function from it to blocks (words,
tables, pictures), a sentence one to words and numbers, or None where its condition does not hold. What the judgments
could be has one home, `standing`: it alone says whether a run could be ahead. `html_page` writes it all as one file.
"""

from cranfield.reports.reporting import Report, report
from cranfield.reports.reviewing import Review, review

__all__ = ["Report", "Review", "report", "review"]
