"""Frames and series: columns meet by their names, rows by their place; categorical columns declare classes."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from softtruth.errors import InputError, listed, shown
from softtruth.inputs.arrays import as_array
from softtruth.inputs.labels import checked_labels
from softtruth.inputs.vocabulary import classes_in_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


FRAMES = ("pandas", "polars", "pyarrow")


def column_names(data: Any) -> tuple[str, ...] | None:
    """Return the names of a pandas, polars or Arrow frame of several columns as text; None for anything else.

    Whole numbers are names too, as of the classes 1, 2, 3. A frame that only counts its columns, 0 to K-1, has none.
    """
    if len(getattr(data, "shape", ())) != 2:
        return None
    names = getattr(data, "column_names", getattr(data, "columns", None))  # a table of Arrow has both
    given = () if names is None else tuple(names)
    found = tuple(_word(name) for name in given)
    if len(found) < 2 or None in found or given == tuple(range(len(given))):
        return None
    return cast("tuple[str, ...]", found)


def _word(name: Any) -> str | None:
    """Return a name as text, a whole number without its point; None where it is neither."""
    if isinstance(name, (str, bool, np.bool_)):
        return str(name)
    return str(int(cast("int", name))) if isinstance(name, Real) and float(name).is_integer() else None


def _words(classes: Iterable[Any]) -> list[str]:
    """Return the names that the columns of these classes have."""
    return [_word(one) or str(one) for one in classes]


def _numbers(names: Sequence[str]) -> list[int] | None:
    """Return names that are all whole numbers as these; None for others."""
    try:
        found = [int(name) for name in names]
    except ValueError:
        return None
    return found if list(map(str, found)) == list(names) else None


def library_of(*sides: Any) -> str | None:
    """Return the library of frames that the first of these comes from: pandas, polars or pyarrow; None for others."""
    roots = (type(side).__module__.partition(".")[0] for side in sides)
    return next((root for root in roots if root in FRAMES), None)


def by_name(
    reference: Any, prediction: Any, labels: Any, hidden: NDArray[np.bool_] | None = None
) -> tuple[Any, Any, Any]:
    """Return both sides with their columns in one order, and the class names where the columns give them.

    Columns are put in the order of ``labels``, else of the reference; ``y_cat`` and ``p_cat`` both stand for ``cat``,
    and names that are numbers for the classes of these numbers. Names that say nothing of ``labels`` leave the columns
    where they are, since then ``labels`` says what they hold. ``hidden`` tells which rows do not count.

    Raises
    ------
    InputError
        If two frames have other columns, or a column has the name of a label at another place and not all have such
        names: which one belongs to which is then a guess. If a series of 0 and 1 is named
        after a column of the other side: then it says yes or no of that label, and is no class number.
    """
    names = [column_names(side) for side in (reference, prediction)]
    found = [n for n in names if n is not None]
    if not found:
        return reference, prediction, labels
    other = reference if names[0] is None else prediction
    if len(found) == 1:
        _refuse_one_label(other, found[0])
    if labels is not None:
        labels = checked_labels(labels)
    elif len(found) == 1:
        name = "reference" if names[0] is None else "prediction"
        labels = _classes_beside(as_array(other, name, hidden), found[0])
    else:
        labels = _classes_of_both(found)
    sides = [reference, prediction]
    for i, own in enumerate(names):
        if own is None:
            continue
        placed = _placed(sides[i], own, _words(labels))
        if placed is None:
            _refuse_other_places(own, _words(labels), ("reference", "prediction")[i])
        else:
            sides[i] = placed
    return *sides, labels


def _classes_of_both(found: list[tuple[str, ...]]) -> Sequence[Any]:
    """Return the classes of two frames, in the order of the first."""
    names = found[0]
    if set(names) != set(found[1]):
        bare = [classes_in_names(n) for n in found]
        _refuse_other_columns(found, bare)
        names = bare[0]
    return _numbers(names) or names


def _classes_beside(values: NDArray[Any], names: tuple[str, ...]) -> Sequence[Any]:
    """Return the classes of one frame beside these values of the other side.

    Numbers beside one value a row have their own order; text is matched with the names as they are, else without what
    they share.
    """
    bare = classes_in_names(names)
    if len(set(bare)) < len(bare) or _numbers(names):
        bare = names
    if values.dtype.kind == "U":
        return bare if bare == names or set(names).isdisjoint(np.unique(values).tolist()) else names
    numbers = _numbers(bare)
    if numbers is None:
        return bare
    return sorted(numbers) if values.ndim == 1 else numbers


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


def _placed(frame: Any, names: tuple[str, ...], order: Sequence[str]) -> Any | None:
    """Return a frame with its columns in this order of classes; None if its names say nothing of them."""
    for found in (names, classes_in_names(names)):
        if sorted(found) == sorted(order):
            return frame if list(found) == list(order) else in_order(frame, found, order)
    return None


def for_classes(side: Any, classes: Sequence[Any], name: str) -> Any:
    """Return data with their columns in the order of these classes, where they are a frame; others as they are.

    Raises
    ------
    InputError
        If the columns have other names.
    """
    names = column_names(side)
    if names is None:
        return side
    order = _words(classes)
    placed = _placed(side, names, order)
    if placed is not None:
        return placed
    if list(classes) == list(range(len(classes))):  # classes without names
        return side
    msg = (
        f"{name} has the columns {listed(names)}, expected one for each of the classes {listed(order)}; pass an array "
        "to take the columns by their place."
    )
    raise InputError(msg)


def _refuse_other_places(names: tuple[str, ...], order: Sequence[str], side: str) -> None:
    """Refuse columns of which one is named like a class at another place: then they do not hold what labels say."""
    for found in (names, classes_in_names(names)):
        astray = [n for n, own in zip(found, order, strict=False) if n != own and n in order]
        if len(found) == len(order) and astray:
            msg = (
                f"{side} has the columns {listed(names)} and labels are {listed(order)}, so that {shown(astray[0])} "
                "stands at another place but not all columns are named; give the columns the names of labels, or pass "
                "an array to take the columns by their place."
            )
            raise InputError(msg)


def _refuse_one_label(series: Any, columns: tuple[str, ...]) -> None:
    name = getattr(series, "name", None)
    if len(getattr(series, "shape", ())) != 1 or not isinstance(name, str):
        return
    own = name if name in columns else None
    if own is None and len(columns) > 2:  # beside p_neg and p_pos alone, 0 and 1 of pos are class numbers as well
        meant = {name, *classes_in_names([name])}
        own = next((c for c, bare in zip(columns, classes_in_names(columns), strict=True) if bare in meant), None)
    if own is not None and {str(value) for value in series.unique()} <= {"0", "1", "0.0", "1.0", "False", "True"}:
        msg = (
            f"one side is the column {shown(name)} of 0 and 1, and the other has {listed(columns)}: yes or no of one "
            f"label is no class number. Take that column of the other side too: [{shown(own)}]."
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
            return found if _placed(side, columns, _words(order)) is not None else None
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
