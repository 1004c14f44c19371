"""What to judge next: given runs and the judgments so far, which document, and how sure are we of the systems?

A `Method` weighs the documents of a topic by the `State` of what is known, and the heaviest that is open is next.
`Judging` changes that state: a document is recorded, skipped, held or taken back. Where several people judge, it is
driven by `records`: events that are only ever added, from which every state follows, so a session replays to the last
bit.
"""

import pkgutil
from importlib import import_module

from cranfield.selection.candidates import Candidates
from cranfield.selection.judging import Judging
from cranfield.selection.method import METHODS, Method
from cranfield.selection.status import Status

for _module in pkgutil.iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")  # methods enter the registry when they are declared

__all__ = ["METHODS", "Candidates", "Judging", "Method", "Status"]
