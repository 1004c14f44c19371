"""What a track would say to a run before it takes it, and what to know before it is evaluated."""

from cranfield.checks.checked import Checked, CheckedRun
from cranfield.checks.checking import check
from cranfield.results.finding import Finding

__all__ = ["Checked", "CheckedRun", "Finding", "check"]
