"""Settings of the documentation site, which `make docs` builds; `site_pages.py` writes its reference pages."""

import logging
import os
import tempfile
from pathlib import Path

from softtruth import __version__

project = "softtruth"
author = "the softtruth developers"
release = version = __version__
language = "en"

extensions = ["myst_nb", "numpydoc", "sphinx.ext.autodoc"]
exclude_patterns = ["reference/generated/*.ipynb"]  # downloads, made of pages that are here already
myst_heading_anchors = 3  # pages link to headings, as they do where the repository is read

# Notebooks run at each build. What they print to stderr is a warning, and a warning fails the build, as an error does.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_execution_timeout = 120  # seconds for a cell
nb_merge_streams = True
nb_output_stderr = "warn"
os.environ.setdefault("OMP_NUM_THREADS", "1")  # sums come out the same on any number of cores

# Kernels read no settings of whoever builds, and speak of errors only: they always warn of their local sockets.
kernels = tempfile.TemporaryDirectory()
profile = Path(kernels.name, "profile_default")
profile.mkdir()
(profile / "ipython_kernel_config.py").write_text("c.IPKernelApp.log_level = 40\nc.HistoryManager.enabled = False\n")
os.environ["IPYTHONDIR"] = kernels.name
logging.getLogger("traitlets").setLevel(logging.WARNING)

# Signatures stay short: types stand in the docstrings, in words.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # members follow with their docstrings
numpydoc_class_members_toctree = False

html_theme = "furo"
html_static_path = ["style"]
html_css_files = ["site.css"]
html_title = f"softtruth {__version__}"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
