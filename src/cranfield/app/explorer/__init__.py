"""The explorer: choose a run and a topic, and find where a system loses its user.

`questions` knows no web; `pages` (a file a page, with a template of its name) asks them; `answering` is a function from
an address to an answer, which `serving` asks here or in a worker. Pages are replaced by a few dozen lines of our own
(`assets/app.js`), not by htmx, which cannot know that a figure stayed the same.
"""
