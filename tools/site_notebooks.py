"""Write the pages with code cells as notebooks to be downloaded; `site_pages.py` asks for them."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
from myst_nb.core.read import read_myst_markdown_notebook

NOTEBOOKS = Path(__file__).parents[1] / "docs" / "notebooks"
DOWNLOAD = re.compile(r"\s*\{download\}`[^`]*`\.")
PAGE = re.compile(r"\[([^\]]+)\]\([^)]+\.md[^)]*\)")


def write_notebooks(folder: Path) -> None:
    """Write each page of `docs/notebooks` as a notebook of the same name, without results.

    A notebook that was carried away has no other pages beside it, so that links to them become words.
    """
    for page in sorted(NOTEBOOKS.glob("*.md")):
        notebook = read_myst_markdown_notebook(page.read_text(encoding="utf-8"), path=page)
        for number, cell in enumerate(notebook.cells):
            cell.id = f"cell-{number}"  # nbformat would draw a new one each time
            if cell.cell_type == "markdown":
                cell.source = PAGE.sub(r"\1", DOWNLOAD.sub("", cell.source))
        nbformat.write(notebook, folder / f"{page.stem}.ipynb")  # type: ignore[no-untyped-call]  # it has no types
