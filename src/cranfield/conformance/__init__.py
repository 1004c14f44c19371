"""Does a tool compute what its measures say: a suite of small cases, and the verdict on a tool's answers."""

from cranfield.conformance.cases import CASES as CASES
from cranfield.conformance.conformity import Conformity as Conformity
from cranfield.conformance.conformity import MeasureVerdict as MeasureVerdict
from cranfield.conformance.suite import write_suite as write_suite
from cranfield.conformance.tool_answers import SUITE as SUITE
from cranfield.conformance.verdict import conform as conform

__all__ = ["CASES", "SUITE", "Conformity", "MeasureVerdict", "conform", "write_suite"]
