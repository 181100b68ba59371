"""The documentation is built as a site, without a warning, and the site is complete and needs no network."""

import pkgutil
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import nbformat
import pytest

import softtruth
from softtruth.cli.group import cli

ROOT = Path(__file__).parents[1]
LOADED = re.compile(
    r"""<(?:script|img|link|iframe|source)\b[^>]*\b(?:src|href)=["']?(?:https?:)?//|@import|url\(["']?http"""
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site in a copy, so that the checkout stays as it is."""
    copy = tmp_path_factory.mktemp("site")
    for folder in ("docs", "tools"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("generated", "__pycache__"))
    run([copy / "tools/site_pages.py"])
    run(["-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet", copy / "docs", copy / "build"])
    return copy / "build"


def run(arguments):
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr


def test_the_site(site):
    """One test, so that several processes do not build it several times."""
    pages = {str(path.relative_to(site)): path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    assert {name: LOADED.findall(text) for name, text in pages.items() if LOADED.search(text)} == {}
    styles = {path.name: path.read_text(encoding="utf-8") for path in site.rglob("*.css")}
    assert {name for name, text in styles.items() if LOADED.search(text)} == set()

    front = pages["reference/generated/softtruth.html"]
    names = {name for name in softtruth.__all__ if not isinstance(getattr(softtruth, name), ModuleType)}
    names -= {"__version__"}
    assert {name for name in names if f'id="softtruth.{name}"' not in front} == set()
    measures = pages["reference/generated/measures.html"]
    declared = {m.name for m in softtruth.list_measures()}
    assert {name for name in declared if f'id="measure-{re.sub("[^a-z0-9]+", "-", name)}"' not in measures} == set()
    commands = pages["reference/generated/commands.html"]
    assert {name for name in cli.list_commands(None) if f">softtruth {name}<" not in commands} == set()

    for source in sorted((ROOT / "docs/notebooks").glob("*.md")):
        page = pages[f"notebooks/{source.stem}.html"]
        assert 'class="cell_output' in page, source.name  # it was run
        pictures = re.findall(r'<img alt="([^"]*)"[^>]*/_images/', page)
        assert pictures, source.name
        assert [words for words in pictures if "/" in words] == [], source.name  # none described by its path
        (download,) = site.glob(f"_downloads/*/{source.stem}.ipynb")
        notebook = nbformat.read(download, as_version=4)
        nbformat.validate(notebook)
        said = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
        assert len(said) == source.read_text(encoding="utf-8").count("```{code-cell}"), source.name


def test_the_readme_names_every_command():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert {name for name in cli.list_commands(None) if f"| `softtruth {name}` |" not in readme} == set()


def test_names_of_the_library_in_the_documents_exist():
    """Names of adapters are looked up in their sources: their frameworks may be missing."""
    pages = [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]
    named = {n for page in pages for n in re.findall(r"\bsofttruth(?:\.\w+)+", page.read_text(encoding="utf-8"))}
    files = {"softtruth.toml", "softtruth.fish"}
    assert {name for name in named - files if not exists(name)} == set()


def exists(name):
    if name.startswith("softtruth.adapters."):
        adapter, *rest = name.split(".")[2:]
        folder = ROOT / "src/softtruth/adapters"
        sources = [folder / f"{adapter}.py", *(folder / adapter).glob("*.py")]
        text = "".join(source.read_text(encoding="utf-8") for source in sources if source.is_file())
        return bool(text) and all(re.search(rf"^(?:def|class) {word}\b", text, re.MULTILINE) for word in rest)
    try:
        return pkgutil.resolve_name(name) is not None
    except (ImportError, AttributeError):
        return False
