"""Frames and series: columns meet by their names, rows by their place; categorical columns declare classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from softtruth.errors import InputError, listed, shown
from softtruth.inputs.arrays import as_array
from softtruth.inputs.vocabulary import classes_in_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


FRAMES = ("pandas", "polars", "pyarrow")


def column_names(data: Any) -> tuple[str, ...] | None:
    """Return the names of a pandas, polars or Arrow frame of several columns; None for anything else."""
    if len(getattr(data, "shape", ())) != 2:
        return None
    names = getattr(data, "column_names", getattr(data, "columns", None))  # a table of Arrow has both
    found = () if names is None else tuple(names)
    return found if len(found) > 1 and all(isinstance(name, str) for name in found) else None


def library_of(*sides: Any) -> str | None:
    """Return the library of frames that the first of these comes from: pandas, polars or pyarrow; None for others."""
    roots = (type(side).__module__.partition(".")[0] for side in sides)
    return next((root for root in roots if root in FRAMES), None)


def by_name(reference: Any, prediction: Any, labels: Any) -> tuple[Any, Any, Any]:
    """Return both sides with their columns in one order, and the class names where the columns give them.

    Columns are put in the order of ``labels``, else of the reference; ``y_cat`` and ``p_cat`` both stand for ``cat``.
    Names that say nothing of ``labels`` leave the columns where they are, since then ``labels`` says what they hold.

    Raises
    ------
    InputError
        If two frames have other columns: which one belongs to which is then a guess. If a series of 0 and 1 is named
        after a column of the other side: then it says yes or no of that label, and is no class number.
    """
    names = [column_names(side) for side in (reference, prediction)]
    found = [n for n in names if n is not None]
    if not found:
        return reference, prediction, labels
    if len(found) == 1:
        _refuse_one_label(reference if names[0] is None else prediction, found[0])
    elif set(found[0]) != set(found[1]):
        bare = [classes_in_names(n) for n in found]
        if labels is None:
            _refuse_other_columns(found, bare)
        names, found = list(bare), bare
    order = list(found[0] if labels is None else labels)
    if any(set(n) != set(order) for n in found):
        return reference, prediction, labels
    sides = [
        side if n is None or list(n) == order else in_order(side, n, order)
        for side, n in zip((reference, prediction), names, strict=True)
    ]
    return *sides, order


def _refuse_other_columns(found: list[tuple[str, ...]], bare: list[tuple[str, ...]]) -> None:
    """Refuse two frames whose columns do not stand for the same classes."""
    if set(bare[0]) == set(bare[1]) and len(set(bare[0])) == len(bare[0]) == len(bare[1]):
        return
    shared = set(found[0]) & set(found[1])
    if shared:
        odd = sorted((set(found[0]) | set(found[1])) - shared)
        msg = (
            f"reference and prediction share the column {shown(min(shared))} but not {listed(odd)}; expected the "
            "same columns in both. If the shared column names the items, make it the index; pass arrays to take "
            "the columns by their place."
        )
    else:
        msg = (
            f"reference has the columns {listed(found[0])} and prediction {listed(found[1])}, so that which belongs to "
            "which is a guess; give both the same names, name the classes in their order with labels=, or pass arrays "
            "to take the columns by their place."
        )
    raise InputError(msg)


def in_order(frame: Any, names: Sequence[str], order: Sequence[str]) -> Any:
    """Return a frame with its columns, which stand for these names, in another order."""
    columns = getattr(frame, "column_names", None) or frame.columns
    chosen = [columns[names.index(name)] for name in order]
    return frame.select(chosen) if hasattr(frame, "column_names") else frame[chosen]


def for_classes(side: Any, classes: Sequence[Any], name: str) -> Any:
    """Return data with their columns in the order of these classes, where they are a frame; others as they are.

    Raises
    ------
    InputError
        If the columns have other names.
    """
    names = column_names(side)
    order = [str(one) for one in classes]
    if names is None or list(names) == order:
        return side
    for found in (names, classes_in_names(names)):
        if sorted(found) == sorted(order):
            return in_order(side, found, order)
    if list(classes) == list(range(len(classes))):  # classes without names
        return side
    msg = (
        f"{name} has the columns {listed(names)}, expected one for each of the classes {listed(order)}; pass an array "
        "to take the columns by their place."
    )
    raise InputError(msg)


def _refuse_one_label(series: Any, columns: tuple[str, ...]) -> None:
    name = getattr(series, "name", None)
    if len(getattr(series, "shape", ())) != 1 or name not in columns:
        return
    if {str(value) for value in series.unique()} <= {"0", "1", "0.0", "1.0", "False", "True"}:
        msg = (
            f"one side is the column {shown(name)} of 0 and 1, and the other has {listed(columns)}: yes or no of one "
            f"label is no class number. Take that column of the other side too: [{shown(name)}]."
        )
        raise InputError(msg)


def refuse_other_rows(**sides: Any) -> None:
    """Refuse series and frames of pandas whose rows have the same names in another order, or other names.

    Rows meet by their place. An index of its own that is only counted (0, 1, 2, ...) says nothing about rows of other
    names, and polars and Arrow have none.

    Raises
    ------
    InputError
        Naming two that do not agree.
    """
    found = {name: side.index for name, side in sides.items() if hasattr(getattr(side, "index", None), "equals")}
    if len(found) < 2:
        return
    (first, rows), *others = found.items()
    for name, index in others:
        if len(index) != len(rows) or index.equals(rows):  # other numbers of rows are refused elsewhere
            continue
        same = bool(index.isin(rows).all()) and bool(rows.isin(index).all())
        if not same and (_counted(index) or _counted(rows)):
            continue
        what = "the same index in another order" if same else "another index"
        at = int((index != rows).argmax())
        msg = (
            f"{name} has {what} than {first}: row {at} is {shown(index[at])}, and {shown(rows[at])} there. Rows meet "
            f"by their place; put them in one order with {name}.loc[{first}.index], or pass {name}.to_numpy() if the "
            "places are right."
        )
        raise InputError(msg)


def _counted(index: Any) -> bool:
    """Whether an index is 0, 1, 2, ... as pandas makes it where nobody gave one."""
    return type(index).__name__ == "RangeIndex" and (index.start, index.step) == (0, 1)


def refuse_other_items(side: Any, items: Sequence[Any], name: str) -> None:
    """Refuse a series or frame of pandas whose rows are named, and not as these items are, in their order.

    Raises
    ------
    InputError
        Naming the first row that differs.
    """
    index: Any = getattr(side, "index", None)
    if not hasattr(index, "equals") or _counted(index) or len(index) != len(items):
        return
    at = next((i for i, (own, item) in enumerate(zip(index, items, strict=True)) if own != item), None)
    if at is None or list(items) == list(range(len(items))):  # items that are only counted name no rows
        return
    msg = (
        f"{name} row {at} is {shown(index[at])}, but item {at} of the answers is {shown(items[at])}. Rows meet by "
        f"their place; put them in one order with {name}.loc[list(answers.items)], or pass {name}.to_numpy() if the "
        "places are right."
    )
    raise InputError(msg)


def values_by_name(data: Any, name: str) -> Any:
    """Return a series of pandas whose rows have names as a dict by these names; anything else as it is.

    Raises
    ------
    InputError
        If two rows have one name.
    """
    index: Any = getattr(data, "index", None)
    if not hasattr(index, "equals") or _counted(index) or len(getattr(data, "shape", ())) != 1:
        return data
    if not index.is_unique:
        msg = f"{name} gives {shown(index[index.duplicated()][0])} twice; expected one value for each class."
        raise InputError(msg)
    return dict(zip(index, data, strict=True))


class Categories(NamedTuple):
    """The classes that a column declares.

    Attributes
    ----------
    names : list
    ordered : bool
        Whether somebody chose the order. pandas sorts the categories that it finds, which says nothing.
    """

    names: list[Any]
    ordered: bool


def declared_classes(reference: Any, prediction: Any, hidden: NDArray[np.bool_] | None = None) -> Categories | None:
    """Return the classes that categorical columns declare, in their order; None where none does.

    Those that no row has are among them. What would be a guess is left to others: which of two is the positive one if
    nobody chose the order, which column of a matrix without names is which, and class numbers beside names.

    Raises
    ------
    InputError
        If the two sides declare different orders.
    """
    sides = {"reference": reference, "prediction": prediction}
    own = {name: of_side for name, side in sides.items() if (of_side := categories_of(side)) is not None}
    if not own:
        return None
    found = _one_order(list(own.values()))
    order = found.names
    if len(order) == 2 and not found.ordered:
        return None
    for name, side in sides.items():
        if name in own:
            continue
        columns = column_names(side)
        if columns is not None:
            return found if set(columns) == set(order) else None
        array = as_array(side, name, hidden)
        if array.ndim > 1 or (array.dtype.kind != "U" and len(order) > 2 and isinstance(order[0], str)):
            return None
    return found


def _one_order(declared: list[Categories]) -> Categories:
    """Return all categories in one order: the one that was chosen, else that of the reference."""
    first, *more = sorted(declared, key=lambda one: not one.ordered)
    for other in more:
        both = [[name for name in one.names if name in two.names] for one, two in ((first, other), (other, first))]
        if both[0] != both[1] and other.ordered:
            msg = (
                f"the two sides have the categories {listed(first.names)} and {listed(other.names)}; pass labels= with "
                "the order that is meant."
            )
            raise InputError(msg)
    return Categories(list(dict.fromkeys(name for one in (first, *more) for name in one.names)), first.ordered)


def categories_of(data: Any) -> Categories | None:
    """Return the categories of a pandas Categorical, a polars Enum or an ordered dictionary of Arrow."""
    dtype: Any = getattr(data, "dtype", None)
    if type(dtype).__name__ == "Enum":
        return Categories(list(dtype.categories), ordered=True)
    if type(dtype).__name__ == "CategoricalDtype":
        names = list(dtype.categories)
        return Categories(names, ordered=bool(dtype.ordered) or not _sorted(names))
    if not getattr(getattr(data, "type", None), "ordered", False):
        return None
    chunk = data.chunk(0) if hasattr(data, "num_chunks") and data.num_chunks else data
    return Categories(chunk.dictionary.to_pylist(), ordered=True) if hasattr(chunk, "dictionary") else None


def _sorted(names: list[Any]) -> bool:
    try:
        return names == sorted(names)
    except TypeError:  # of several kinds
        return False
