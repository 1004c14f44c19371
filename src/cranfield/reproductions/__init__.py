"""Reproductions: the tables and figures of a paper on other runs, and a verdict on each of its claims."""

from cranfield.reproductions import papers as _papers  # noqa: F401 - registers them
from cranfield.reproductions.paper import PAPERS, Item, Paper, paper_named
from cranfield.reproductions.reproducing import Reproduction, reproduce, reproduce_collections

__all__ = ["PAPERS", "Item", "Paper", "Reproduction", "paper_named", "reproduce", "reproduce_collections"]
