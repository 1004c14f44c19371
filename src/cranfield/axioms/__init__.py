"""The axioms that measures are put to, as predicates, and the search for what contradicts them."""

from cranfield.axioms.axioms import AXIOMS, Axiom
from cranfield.axioms.lists import Lists
from cranfield.axioms.search import CounterExample, Search, Searched, Verdict

__all__ = ["AXIOMS", "Axiom", "CounterExample", "Lists", "Search", "Searched", "Verdict"]
