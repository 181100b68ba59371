"""Filters and renamings that the user asks for: `--where`, `--map`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from softtruth.errors import InputError, listed, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from softtruth.inputs.classes import Change
    from softtruth.inputs.columns import Columns

ROLES = ("prediction", "reference", "items")


def scoped(text: str, scopes: Iterable[str]) -> tuple[str | None, str]:
    """Split `reference:role=expert` into the scope and the rest; None when no known scope leads.

    Only known names count as a scope, because values and column names may hold colons.
    """
    for scope in sorted(scopes, key=len, reverse=True):
        if text.startswith(scope + ":"):
            return scope, text[len(scope) + 1 :]
    return None, text


@dataclass(frozen=True)
class Filter:
    """Keep the rows in which a column has, or has not, a value."""

    scope: str | None
    column: str
    value: str
    keep: bool
    text: str


def parse_filters(texts: Sequence[str], names: Sequence[str]) -> list[Filter]:
    """Read filters such as `reference:role=expert` and `annotator!=A1`.

    Parameters
    ----------
    texts
        What the user wrote.
    names
        Names of predictions; with `prediction`, `reference` and `items` they may stand before the colon.
    """
    found = []
    for text in texts:
        scope, rest = scoped(text, (*ROLES, *names))
        column, sign, value = rest.partition("=")
        if not sign or not column.strip("! "):
            raise InputError(
                f"--where {shown(text)} is no filter; expected COLUMN=VALUE or COLUMN!=VALUE, "
                f"with {listed([*ROLES, *names])} and a colon before it to say which file."
            )
        found.append(Filter(scope, column.removesuffix("!").strip(), value, not column.endswith("!"), text))
    return found


def apply_filters(columns: Columns, filters: Sequence[Filter], scopes: Sequence[str]) -> tuple[Columns, list[str]]:
    """Return the rows that the filters keep, and a sentence about them.

    Filters on one column are alternatives when they ask for a value (`=`); everything else must hold together.

    Parameters
    ----------
    columns
        The table of one file.
    filters
        All filters of the run.
    scopes
        The names that this file answers to; a filter without a scope is for every file that has the column.
    """
    here = [f for f in filters if f.scope in scopes or (f.scope is None and f.column in columns.names)]
    if not here:
        return columns, []
    mask = np.ones(len(columns), dtype=bool)
    for name in dict.fromkeys(f.column for f in here):
        coded = columns.coded(columns.require(name, "--where"))
        for keep in (True, False):
            values = [f.value for f in here if f.column == name and f.keep is keep]
            if not values:
                continue
            unknown = [v for v in values if v not in coded.names and v]
            if keep and len(unknown) == len(values):
                raise InputError(
                    f"--where: column {name!r} of {columns.path} never holds {listed(unknown)}; "
                    f"it holds {listed(coded.names)}."
                )
            hit = np.array([value in values for value in coded.names] + ["" in values])[coded.codes]
            mask &= hit if keep else ~hit
    kept = int(np.count_nonzero(mask))
    words = ", ".join(f.text for f in here)
    if not kept:
        raise InputError(f"--where {words} leaves no row of {columns.path}; drop a filter or change its value.")
    return columns.kept(mask), [f"--where {words}: kept {kept:,} of {len(columns):,} rows of {columns.path}."]


def parse_changes(texts: Sequence[str], names: Sequence[str]) -> list[tuple[str | None, str, str]]:
    """Read renamings such as `Yes=yes` or `prediction:1=yes`, as (scope, old, new).

    Raises
    ------
    InputError
        If one is none, or two give the same class of one file different names.
    """
    found: list[tuple[str | None, str, str]] = []
    for text in texts:
        scope, rest = scoped(text, (*ROLES, *names))
        old, sign, new = rest.partition("=")
        if not sign or not old or not new:
            raise InputError(f"--map {shown(text)} is no renaming; expected OLD=NEW, for instance --map 1=yes.")
        other = next((n for s, o, n in found if o == old and n != new and _meet(s, scope, names)), None)
        if other is not None:
            raise InputError(
                f"--map renames {shown(old)} to {shown(other)} and to {shown(new)}; leave one of them out."
            )
        found.append((scope, old, new))
    return found


def _meet(one: str | None, other: str | None, names: Sequence[str]) -> bool:
    """Whether two scopes have a file in common."""
    both = {one, other}
    return len(both) == 1 or None in both or ("prediction" in both and not both.isdisjoint(names))


@dataclass
class Renaming:
    """The new names of the classes of one file; it remembers which names it has met."""

    table: dict[str, str]
    met: set[str] = field(default_factory=set)

    def __call__(self, name: str) -> str:
        """Return the new name."""
        self.met.add(name)
        return self.table.get(name, name)


def change_for(changes: Sequence[tuple[str | None, str, str]], scopes: Sequence[str]) -> Renaming:
    """Return the renaming that holds for one file."""
    return Renaming({old: new for scope, old, new in changes if scope is None or scope in scopes})


def unmet(texts: Sequence[str], names: Sequence[str], made: Iterable[Change]) -> list[str]:
    """Say which renamings have met no class.

    Parameters
    ----------
    texts
        What the user wrote.
    names
        Names of predictions.
    made
        The renamings of all files, after these were read.
    """
    own = [one for one in made if isinstance(one, Renaming)]
    used = {(old, one.table[old]) for one in own for old in one.met & one.table.keys()}
    changes = zip(texts, parse_changes(texts, names), strict=True)
    return [
        f"--map {text}: no class is named {shown(old)}." for text, (_, old, new) in changes if (old, new) not in used
    ]
