"""How the documentation is built: ``sphinx-build -W docs docs/_build`` from the repository root."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from choosing_page import write_choosing_page  # noqa: E402
from experiments_page import write_experiments_page  # noqa: E402
from measures_page import write_measures_page  # noqa: E402

from cranfield import __version__  # noqa: E402
from cranfield.campaigns import simulate, write_campaign  # noqa: E402

project = "cranfield"
author = "the cranfield authors"
copyright = author  # noqa: A001 - Sphinx calls it so
release = __version__

extensions = ["myst_parser", "sphinxcontrib.programoutput"]
programoutput_prompt_template = "$ {command}\n{output}"
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"cranfield {release}"

write_measures_page(HERE / "measures.md")
write_experiments_page(HERE / "experiments.md")
write_choosing_page(HERE / "choosing.md", HERE / "choosing.svg")

# The campaign that the chapters work on; their commands run in its folder while the pages are built.
EXAMPLE = HERE / "_build" / "example"
if not EXAMPLE.exists():
    write_campaign(simulate(systems=12, topics=25, depth=500, seed=7), EXAMPLE)
