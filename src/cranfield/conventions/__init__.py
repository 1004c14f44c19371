"""How tools and tracks compute, as data: measures, level, order of ties, missing topics, and where that is written."""

from cranfield.conventions.convention import Convention as Convention
from cranfield.conventions.lookup import named as named
from cranfield.conventions.lookup import recognised as recognised
from cranfield.conventions.tools import TOOLS as TOOLS
from cranfield.conventions.tracks import TRACKS as TRACKS

__all__ = ["TOOLS", "TRACKS", "Convention", "named", "recognised"]
