"""The file that `softtruth audit plan` wrote, filled in: every row is checked before it is weighed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.errors import InputError, listed, shown
from softtruth.inputs.columns import Columns
from softtruth.inputs.files import read

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.inputs.problem import Problem

COLUMNS_OF_PLAN = ("item", "stratum", "stratum_items", "probability", "truth")


def reviewed(path: str, problem: Problem, delimiter: str | None) -> dict[str, Any]:
    """Return the arguments of `audit_apply` that the filled-in file holds.

    Raises
    ------
    InputError
        If a column, an item, a finding or a chance is not what the plan was.
    """
    columns = _filled(Columns.of(read(path, delimiter=delimiter)))
    missing = [name for name in COLUMNS_OF_PLAN if name not in columns.names]
    if missing:
        raise InputError(
            f"{path} lacks the columns {listed(missing)} of `softtruth audit plan`. Without the chance with which each "
            "item was drawn a review cannot be weighted, and a review of suspects alone is biased."
        )
    if not len(columns):
        raise InputError(f"{path} has no rows; expected those that `softtruth audit plan` wrote, filled in.")
    rows, truth = _items(columns, path, problem), _truth(columns, path, problem)
    stratum = _whole(columns, path, "stratum", 0, problem.n - 1)
    return {"rows": rows, "truth": truth, "stratum": stratum, "sizes": _sizes(columns, path, stratum, problem.n)}


def _filled(columns: Columns) -> Columns:
    """Leave out the rows below the last one, in which nothing stands, as spreadsheets write them."""
    filled = np.any([columns.coded(name).codes >= 0 for name in columns.names], axis=0)
    return columns.kept(np.cumsum(filled[::-1])[::-1] > 0)


def _items(columns: Columns, path: str, problem: Problem) -> NDArray[np.intp]:
    """Return the positions of the reviewed items."""
    items = columns.coded("item")
    if (items.codes < 0).any():
        raise InputError(
            f"{path} row {int(np.argmax(items.codes < 0)) + 1} has no item; keep what `softtruth audit plan` wrote, "
            "and all of its rows."
        )
    rows = np.asarray(items.recoded([str(i) for i in problem.items.tolist()])[:])
    if (rows < 0).any():
        name = items.names[items.codes[int(np.argmax(rows < 0))]]
        raise InputError(f"{path} holds the item {shown(name)}, which is not in the problem; give the same files.")
    first, count = np.unique(rows, return_index=True, return_counts=True)[1:]
    if (count > 1).any():
        name = items.names[items.codes[first[count > 1].min()]]
        raise InputError(f"{path} holds the item {shown(name)} more than once; keep one row of it.")
    return rows


def _truth(columns: Columns, path: str, problem: Problem) -> NDArray[np.intp]:
    """Return the classes that the review found."""
    truth, items = columns.coded("truth"), columns.coded("item")
    if (truth.codes < 0).any():
        first = items.names[items.codes[int(np.argmax(truth.codes < 0))]]
        raise InputError(
            f"{path}: truth is empty for {int((truth.codes < 0).sum())} items, the first is {shown(first)}. Fill in "
            "all: items that are left out because they are hard would bias the result."
        )
    codes = np.asarray(truth.recoded(problem.labels))
    if (codes < 0).any():
        wrong = [name for name in truth.names if name not in problem.labels]
        raise InputError(f"{path}: truth holds {listed(wrong)}, expected one of {listed(problem.labels)}.")
    return codes


def _sizes(columns: Columns, path: str, stratum: NDArray[np.intp], n: int) -> NDArray[np.intp]:
    """Return how many items each stratum has; all rows of one must say the same, and have its chance."""
    told = _whole(columns, path, "stratum_items", 1, n)
    drawn = np.bincount(stratum)
    sizes = np.zeros(len(drawn), np.intp)
    sizes[stratum[::-1]] = told[::-1]  # the first row of a stratum has the last word
    own = sizes[stratum]
    _refuse(path, columns, "stratum_items", told == own, lambda row: f"{own[row]} as in the rows before of its stratum")
    chances = columns.numbers("probability")
    expected = drawn[stratum] / own
    # A chance that a spreadsheet rounded to three digits still says how many were drawn; a row too few is found.
    near = (np.abs(chances - expected) <= _ROUNDED) & (np.abs(chances * own - drawn[stratum]) < 0.5)
    _refuse(
        path, columns, "probability", near,
        lambda row: f"{expected[row]:.9g}, as {drawn[stratum[row]]} of {own[row]} items of its stratum are in the file",
    )  # fmt: skip
    return sizes


_ROUNDED = 0.000_5 + 1e-9


def _whole(columns: Columns, path: str, name: str, least: int, most: int) -> NDArray[np.intp]:
    found = columns.numbers(name)
    fits = (found >= least) & (found <= most) & (found == np.floor(found))  # what is no number fits nothing
    _refuse(path, columns, name, fits, lambda _: f"a whole number from {least} to {most}")
    return found.astype(np.intp)


def _refuse(path: str, columns: Columns, name: str, fits: NDArray[np.bool_], expected: Any) -> None:
    """Refuse the first row whose value does not fit."""
    if fits.all():
        return
    row = int(np.argmin(fits))
    value = columns.numbers(name)[row]
    found = "empty" if np.isnan(value) else f"{value:.9g}"
    raise InputError(
        f"{path} row {row + 1}: {name} is {found}, expected {expected(row)}; keep what `softtruth audit plan` wrote, "
        "and all of its rows."
    )
