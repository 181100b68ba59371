"""What an installed copy promises: a light start, one version, complete files, few requirements."""

import importlib.metadata
import importlib.resources
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import softtruth

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

FRAMEWORKS = frozenset(
    {"dask", "duckdb", "jax", "keras", "pandas", "polars", "pyspark", "sklearn", "tensorflow", "torch"}
)
HEAVY = FRAMEWORKS | {"matplotlib", "narwhals", "pyarrow", "scipy"}
COMMAND_LINE = frozenset({"click", "rich", "rich_click"})


def packages_loaded_by(code: str) -> set[str]:
    """Run code in a fresh interpreter and return the top-level packages that it imported.

    Python itself writes the list while it imports, so code that ends the process abruptly is seen too.
    """
    ran = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", code],
        capture_output=True,
        check=True,
        text=True,
        timeout=120,
    )
    return {match[1] for match in re.finditer(r"^import time:.*\| +([\w]+)[\w.]*$", ran.stderr, flags=re.MULTILINE)}


def test_the_list_of_loaded_packages_sees_a_package():
    assert {"softtruth", "pyarrow"} <= packages_loaded_by("import softtruth, pyarrow, os; os._exit(0)")


def test_import_loads_nothing_heavy():
    loaded = packages_loaded_by("import softtruth")
    assert "softtruth" in loaded
    assert not loaded & (HEAVY | COMMAND_LINE)


def test_help_loads_nothing_heavy():
    loaded = packages_loaded_by(
        "import sys; sys.argv = ['softtruth', '--help']; from softtruth.cli import main; sys.exit(main())"
    )
    assert "click" in loaded
    assert not loaded & HEAVY


def test_import_loads_the_standard_library_alone():
    """NumPy comes with the first name that is used."""
    assert third_party(packages_loaded_by("import softtruth")) == {"softtruth"}
    assert third_party(packages_loaded_by("from softtruth import IndicatorMatrix")) == {"numpy", "softtruth"}


def test_help_loads_the_command_line_alone():
    loaded = packages_loaded_by(
        "import sys; sys.argv = ['softtruth', '--help']; from softtruth.cli import main; sys.exit(main())"
    )
    of_rich = {"attr", "markdown_it", "mdurl", "pygments"}  # what some of its releases load, where it is there
    assert third_party(loaded) - of_rich == COMMAND_LINE | {"softtruth"}


def third_party(loaded: set[str]) -> set[str]:
    """Return those of the packages that are neither Python's own nor made by an installer."""
    own = {"sitecustomize", "usercustomize", "org"}  # `copy` tries the last, which only Jython has
    return {name for name in loaded if name not in sys.stdlib_module_names and name not in own and name[0] != "_"}


def test_one_version():
    assert softtruth.__version__ == importlib.metadata.version("softtruth")


def test_requirements_are_the_chosen_ones():
    names = {re.match(r"[\w-]+", requirement)[0] for requirement in PROJECT["dependencies"]}
    assert names == {
        "array-api-compat",
        "click",
        "jinja2",
        "narwhals",
        "numpy",
        "pyarrow",
        "rich",
        "rich-click",
        "scipy",
        "threadpoolctl",
    }


def test_every_lower_bound_of_what_users_bring_says_why():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    brought = text[text.index("\ndependencies = [") : text.index("\ntest = [")]
    assert [line for line in brought.splitlines() if ">=" in line and " # " not in line] == []


def test_the_oldest_releases_are_installed_for_the_tests_of_them(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "tools")
    from oldest_requirements import oldest_requirements

    lines = oldest_requirements(PROJECT)
    assert lines["numpy"] == "numpy==2"
    assert lines["narwhals"] == "narwhals==2"
    assert lines["torch"] == "torch==2.4"
    assert lines["pytest"].startswith("pytest>=")
    assert "softtruth" not in lines
    wanted = PROJECT | {"dependencies": [*PROJECT["dependencies"], "polars>=0.5"]}
    with pytest.raises(SystemExit, match="polars has two lower bounds"):
        oldest_requirements(wanted)


def test_make_installs_the_torch_that_the_tests_pin():
    pinned = [line for line in PROJECT["optional-dependencies"]["test"] if line.startswith("torch==")]
    assert f"TORCH := {pinned[0]}\n" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_types_are_shipped():
    assert importlib.resources.files("softtruth").joinpath("py.typed").is_file()


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return the folder of the source archive and of the wheel that is made from it."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT],
        capture_output=True,
        check=True,
        timeout=300,
    )
    return folder


def test_wheel_holds_every_file_and_the_licence(built):
    (wheel,) = built.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    tracked = subprocess.run(
        ["git", "ls-files", "src/softtruth"],  # noqa: S607  # the git of whoever runs the tests
        capture_output=True,
        check=True,
        cwd=ROOT,
        text=True,
    )
    assert {name.removeprefix("src/") for name in tracked.stdout.split()} <= held
    assert any(name.endswith("licenses/LICENSE") for name in held)


SMOKE = """
import importlib.util, pathlib, sys
missing = [name for name in ("pandas", "sklearn", "torch", "matplotlib", "duckdb") if importlib.util.find_spec(name)]
assert not missing, missing
import softtruth
im = softtruth.IndicatorMatrix([[0.7, 0.3], [0.2, 0.8]], [[0.6, 0.4], [0.1, 0.9]], coupling="independent")
assert abs(im.compute("accuracy") - 0.64) < 1e-12, im.compute("accuracy")
assert im.interval("r_k").low < 1 and im.bounds("macro f1").high <= 1
try:
    from softtruth.adapters import torch
except ImportError as error:
    assert "pip install" in str(error), error
else:
    sys.exit("torch was found")
print("well")
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["*.whl", "*.tar.gz"])
def test_an_empty_environment_without_extras(built, tmp_path, kind):
    """Installs what the package requires and nothing else, from the registry that pip knows."""
    (archive,) = built.glob(kind)
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "empty"], check=True, timeout=120)
    python = tmp_path / "empty" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", archive], check=True, capture_output=True, timeout=600)
    for arguments, expected in (
        (["-c", SMOKE], "well"),
        (["-m", "softtruth", "--help"], "inspect"),
        (["-m", "softtruth", "demo", "--out", "report.html"], ""),
    ):
        ran = subprocess.run(
            [python, *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
        )
        assert ran.returncode == 0, ran.stderr[-2000:]
        assert expected in ran.stdout
    assert "<html" in (tmp_path / "report.html").read_text(encoding="utf-8")
