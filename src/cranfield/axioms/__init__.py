"""The axioms of measures, as predicates, and the search for counter-examples."""

from cranfield.axioms.axioms import AXIOMS, Axiom
from cranfield.axioms.counterexamples import CounterExample, Search, Searched, Verdict
from cranfield.axioms.graded_lists import Lists

__all__ = ["AXIOMS", "Axiom", "CounterExample", "Lists", "Search", "Searched", "Verdict"]
