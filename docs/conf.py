"""Settings of the documentation site, which `make docs` builds; `site_pages.py` writes its reference pages."""

from softtruth import __version__

project = "softtruth"
author = "the softtruth developers"
release = version = __version__
language = "en"

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc"]
myst_heading_anchors = 3  # pages link to headings, as they do where the repository is read

# Signatures stay short: types stand in the docstrings, in words.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # members follow with their docstrings
numpydoc_class_members_toctree = False

html_theme = "furo"
html_title = f"softtruth {__version__}"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
