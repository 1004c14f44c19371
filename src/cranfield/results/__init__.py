"""What every result offers, and tables as text: a result declares its table, and has all formats from here.

A `Result` is a frozen dataclass that declares `to_polars`, `table` and `caption`. From these it has its long table in
three libraries, a table for people, all formats, HTML for notebooks, JSON and back, a short `repr` and `==`. People
see a `Sheet`: columns of plain values, some with ranges or marks. A `Style` writes cells, and a layout sets them.
"""
