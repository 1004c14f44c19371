"""The pages of a judging task: what each is called, who sees it, and the sheet that judges without a server."""

from cranfield.app.judging.pages.served import PAGES, JudgingPage, doorway, written
from cranfield.app.judging.pages.sheet import sheet

__all__ = ["PAGES", "JudgingPage", "doorway", "sheet", "written"]
