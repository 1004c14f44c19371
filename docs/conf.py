"""How the documentation is built: ``sphinx-build -W docs docs/_build`` from the repository root."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from measures_page import write_measures_page  # noqa: E402

from cranfield import __version__  # noqa: E402

project = "cranfield"
author = "the cranfield authors"
copyright = author  # noqa: A001 - Sphinx calls it so
release = __version__

extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"cranfield {release}"

write_measures_page(HERE / "measures.md")
