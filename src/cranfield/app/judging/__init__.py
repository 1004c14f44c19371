"""Where judgments are made: the store keeps, the desk knows no web, the routes are one table, the pages ask them.

`store` alone talks to SQLite. `task_board` is records (`cranfield.selection.records`) that take acts, too (who takes
part, skips, flags); all of it follows from the log's lines, and it has no state of judging of its own. `desk` does one
thing after another, and keeps each before it answers. `routes` names the function that answers. Pages are fixed text,
filled by their script through that interface. `bench.js` stands on a source of documents: the server, or, in a sheet,
the file itself; what a sheet gives back are lines of the log, which `importing` lets happen here.
"""
