"""Print what `make test-oldest` installs: the lowest release of everything that users bring, and what the tests need.

Each lower bound of `pyproject.toml` is a promise. A requirement `numpy>=2` of the package or of an extra for users is
printed as `numpy==2`. What only the tests and the documentation need is printed as it stands, since nobody is promised
that an old test runner works.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

FOR_DEVELOPERS = ("test", "docs", "dev")


def oldest_requirements(project: dict[str, Any]) -> dict[str, str]:
    """Return by name the line for pip of each package."""
    extras = project["optional-dependencies"]
    brought = [*project["dependencies"], *(line for e in extras if e not in FOR_DEVELOPERS for line in extras[e])]
    lines: dict[str, str] = {}
    for requirement in map(Requirement, brought):
        if requirement.name == project["name"]:  # an extra that names another
            continue
        (lowest,) = [s.version for s in requirement.specifier if s.operator == ">="]
        if lines.setdefault(requirement.name, f"{requirement.name}=={lowest}") != f"{requirement.name}=={lowest}":
            sys.exit(f"pyproject.toml: {requirement.name} has two lower bounds, {lowest} and another; expected one.")
    for requirement in map(Requirement, extras["test"] + extras["docs"]):
        if requirement.name != project["name"]:
            lines.setdefault(requirement.name, str(requirement))
    return lines


if __name__ == "__main__":
    pyproject = Path(__file__).parents[1] / "pyproject.toml"
    print(*oldest_requirements(tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]).values(), sep="\n")
