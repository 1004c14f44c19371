"""The one writer of pages, and what draws figures on them; it knows nothing of what they show.

What users bring reaches a page as `text`, which is escaped, or as `data`, JSON in an element of its own. A page's
content security policy names its scripts and styles by hash and allows nothing else. Colours, letter sizes and
distances have their names in `look`, for light, dark and print. Only SVG, PNG and PDF need vl-convert, whose engine
reserves 67 GB of addresses; pages are written without it.
"""
