"""Arrays of any library, and lists, as checked NumPy arrays.

Everything that is wrong with a value is said here, with its row, so that the code behind can trust it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from softtruth.errors import InputError, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

BAND = 1e-9  # values this far outside [0, 1] are rounding, and are clipped
ROW_SUM = 1e-6  # a distribution's row may be off one by this much
_BLOCK = 131_072
_LARGEST_WEIGHT = 1e300  # as of masses
MOST_VOTES = 2.0**53  # of an item for a class: beyond, one vote more is the same number
MOST_NUMBERS = 1 << 30  # of one array: eight gigabytes
_FARTHEST = 1e150  # products of two masses that far apart are still numbers


def as_array(data: Any, name: str, hidden: NDArray[np.bool_] | None = None) -> NDArray[Any]:
    """Return lists, pandas, polars, pyarrow, torch, JAX or TensorFlow data as a NumPy array; text stays text.

    ``hidden`` tells which rows, or entries, do not count: there a value may be missing.

    Raises
    ------
    InputError
        If the rows differ in length, a value is missing, or the data are no array at all.
    """
    array = _plain(data, name, hidden)
    if array.dtype.kind == "O" and array.ndim == 1 and array.size and isinstance(array[0], (list, tuple, np.ndarray)):
        array = _stacked(array, name)
    if array.ndim == 0:
        msg = f"{name} is {shown(data)}, expected an array of N examples."
        if type(data).__name__ == "Answers":  # which live in a layer above
            msg = (
                f"{name} is {shown(data)}, expected an array of N examples; pass answers.counts with "
                "reference_kind='votes' and labels=answers.classes."
            )
        raise InputError(msg)
    if array.dtype.kind in "OST":
        return _of_objects(array, name, hidden)
    if array.dtype.kind not in "biufU":
        msg = f"{name} has values of type {array.dtype}, expected numbers or class names."
        raise InputError(msg)
    if array.dtype.itemsize == 2 and array.dtype.kind == "f":
        array = array.astype(np.float32)
    return array if array.ndim == 1 or array.shape[1:] != (1,) else array[:, 0]


def _seen(shape: tuple[int, ...], hidden: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
    """Return where values count, for an array of that shape; everywhere if ``hidden`` does not fit it."""
    if hidden is None or hidden.shape not in {shape[:1], shape}:
        return np.ones(shape, bool)
    return ~hidden.reshape(hidden.shape + (1,) * (len(shape) - hidden.ndim)) & np.ones(shape, bool)


def _plain(data: Any, name: str, hidden: NDArray[np.bool_] | None = None) -> NDArray[Any]:
    """Return the data as NumPy's own array, of whatever type they are."""
    if type(data) is np.ndarray:
        return native(data)
    if isinstance(data, np.ma.MaskedArray):
        missing = np.ma.getmaskarray(data) & _seen(data.shape, hidden)
        if missing.any():
            _is_missing(np.argwhere(missing)[0], name)
    if isinstance(data, np.ndarray):
        return native(np.asarray(data))
    if hasattr(data, "detach"):  # torch
        return _from_torch(data, name)
    if hasattr(data, "to_numpy"):  # pandas, polars, pyarrow
        arrow = type(data).__module__.startswith("pyarrow") and hasattr(data, "null_count")
        return native(np.asarray(data.to_numpy(zero_copy_only=False) if arrow else data.to_numpy()))
    try:
        array = np.asarray(data)
        if array.dtype.kind == "U":  # numbers beside text have become text, and missing values too
            array = np.asarray(data, dtype=object)
    except Exception as error:  # noqa: BLE001  what a foreign __array__ raises is its own affair
        _no_array(data, name, error)
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


def native(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array of another machine's byte order, as some files have it, in that of this one."""
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _stacked(rows: NDArray[Any], name: str) -> NDArray[Any]:
    """Return a column of lists as a matrix."""
    try:
        return np.array([np.asarray(row) for row in rows])
    except (ValueError, TypeError) as error:
        _no_array(rows, name, error)


def _no_array(data: Any, name: str, error: Exception) -> NoReturn:
    """Say why data are no array: that their rows differ in length, or what stopped them from being read."""
    try:
        ragged = len({len(row) if hasattr(row, "__len__") else -1 for row in data}) > 1
    except (TypeError, ValueError, IndexError):  # no rows at all
        ragged = False
    if ragged:
        msg = f"{name} has rows of different lengths, or is no array; expected N values or N rows of equal length."
    else:
        reason = " ".join(str(error).split()).rstrip(".")
        msg = f"{name} cannot be read as an array ({reason[:120] or type(error).__name__}); pass NumPy arrays or lists."
    raise InputError(msg) from None


def checked_ids(array: NDArray[Any], name: str, hidden: NDArray[np.bool_] | None = None) -> NDArray[Any]:
    """Return ids, none of them missing: those that are not numbers would all be one.

    Raises
    ------
    InputError
        Naming the first of the rows that count where the id is not finite.
    """
    if array.dtype.kind == "f":
        odd = ~np.isfinite(array) & _seen(array.shape, hidden)
        if odd.any():
            where = np.argwhere(odd)[0]
            msg = (
                f"{name} {place(where)} is {shown(array[tuple(where)])}, expected a name or a number; give it one, or "
                "leave it out."
            )
            raise InputError(msg)
    return array


def refuse_too_many(count: int, what: str) -> None:
    """Refuse an array that no memory would hold.

    Raises
    ------
    InputError
        If there are more numbers in it than ``MOST_NUMBERS``.
    """
    if count > MOST_NUMBERS:
        msg = f"{what} would be {count:,} numbers, expected at most {MOST_NUMBERS:,}; ask for fewer at a time."
        raise InputError(msg)


def _is_missing(where: Iterable[Any], name: str) -> None:
    msg = f"{name} {place(where)} is missing; leave it out with mask=, or give it a value."
    raise InputError(msg)


def _from_torch(tensor: Any, name: str) -> NDArray[Any]:
    try:
        tensor = tensor.detach().cpu()
        if tensor.is_sparse:
            tensor = tensor.to_dense()
        if str(tensor.dtype) == "torch.bfloat16":  # NumPy has no such type
            tensor = tensor.float()
        array: NDArray[Any] = tensor.resolve_conj().resolve_neg().numpy()
    except (NotImplementedError, RuntimeError, TypeError) as error:  # no values, or none that NumPy knows
        _no_array(None, name, error)
    return array


def _of_objects(array: NDArray[Any], name: str, hidden: NDArray[np.bool_] | None = None) -> NDArray[Any]:
    """Return an array of Python objects as text or as numbers; a missing value that counts is an error with its row."""
    if array.dtype.kind in "ST":
        array = array.astype(np.str_ if array.dtype.kind == "S" else object)
    flat = array.reshape(-1)
    missing = np.fromiter(
        (x is None or (isinstance(x, float) and math.isnan(x)) or repr(x) in {"<NA>", "NaT"} for x in flat),
        bool,
        flat.size,
    )
    if missing.any():
        counts = missing & _seen(array.shape, hidden).reshape(-1)
        if counts.any():
            _is_missing(np.unravel_index(int(counts.argmax()), array.shape), name)
        if missing.all():
            return np.zeros(array.shape)
        flat = flat.copy()
        flat[missing] = flat[int((~missing).argmax())]  # any value of the right kind: it does not count
        array = flat.reshape(array.shape)
    text = np.fromiter((isinstance(x, str) for x in flat), bool, flat.size)
    if text.all():
        array = array.astype(np.str_)
    elif text.any():
        msg = (
            f"{name} mixes text and numbers ({shown(flat[text.argmax()])} and {shown(flat[text.argmin()])}); expected "
            "one kind."
        )
        raise InputError(msg)
    else:
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            msg = f"{name} holds {shown(flat[0])}, expected numbers or class names."
            raise InputError(msg) from None
        except OverflowError:
            msg = f"{name} holds {shown(max(flat, key=abs))}, expected numbers that float64 can hold."
            raise InputError(msg) from None
    return array if array.ndim == 1 or array.shape[1:] != (1,) else array[:, 0]


def place(where: Iterable[Any], rows: NDArray[Any] | None = None) -> str:
    """Return where a value stands, as errors print it; ``rows`` are the original row numbers of kept rows."""
    row, *rest = (int(i) for i in where)
    row = row if rows is None else int(rows[row])
    return f"row {row}" if not rest else f"row {row}, column {', '.join(map(str, rest))}"


def checked_degrees(array: NDArray[Any], name: str, rows: NDArray[Any] | None = None) -> NDArray[Any]:
    """Return degrees in [0, 1]: whole numbers as they are, floats with rounding outside clipped.

    Raises
    ------
    InputError
        Naming the first value that is not finite or lies outside [0, 1].
    """
    if array.dtype.kind in "bui":
        if array.size and (array.max() > 1 or (array.dtype.kind == "i" and array.min() < 0)):
            _outside(array, (array < 0) | (array > 1), name, rows)
        return array.astype(np.uint8, copy=False) if array.dtype.itemsize > 1 else array
    array = np.ascontiguousarray(array)
    if in_range(array):
        return array
    wrong = ~((array >= -BAND) & (array <= 1 + BAND))
    if wrong.any():
        _outside(array, wrong, name, rows)
    return np.clip(array, 0, 1)


def degrees_to_verify(array: NDArray[Any], name: str, rows: NDArray[Any] | None = None) -> NDArray[Any]:
    """Return degrees whose range is verified later, while they are counted; whole numbers are checked at once."""
    if array.dtype in (np.float32, np.float64):
        return np.ascontiguousarray(array)
    return checked_degrees(array, name, rows)


def in_range(array: NDArray[Any]) -> bool:
    """Whether all floats of a contiguous array lie in [0, 1]: as whole numbers, their bits are at most those of 1."""
    if array.dtype not in (np.float32, np.float64):
        return False
    bits = array.reshape(-1).view(np.uint32 if array.dtype == np.float32 else np.uint64)
    one = _ONE[array.dtype.itemsize]
    return all(bits[i : i + _BLOCK].max() <= one for i in range(0, bits.size, _BLOCK))


_ONE = {4: np.ones(1, np.float32).view(np.uint32)[0], 8: np.ones(1, np.float64).view(np.uint64)[0]}


def _outside(array: NDArray[Any], wrong: NDArray[np.bool_], name: str, rows: NDArray[Any] | None) -> None:
    where = np.argwhere(wrong)[0]
    value = array[tuple(where)]
    advice = "Leave the value out with mask=, or give it a value."
    if np.isfinite(value):
        advice = "Pass logits or scores with prediction_kind=, or leave the value out with mask=."
        if name != "prediction":
            advice = "Pass counts of votes with reference_kind='votes', or leave the value out with mask=."
        if (two := _two_numbers(array)) is not None:
            names = f"If {two[0]} and {two[1]} are the two classes, pass labels=({two[0]}, {two[1]})."
            advice = f"{names} If not: {advice[0].lower()}{advice[1:]}"
    msg = f"{name} {place(where, rows)} is {shown(value)}, expected a finite value in [0, 1]. {advice}"
    raise InputError(msg)


def _two_numbers(array: NDArray[Any]) -> tuple[int, int] | None:
    """Return the two whole numbers of which one column consists, such as -1 and 1; None if it is otherwise."""
    if array.ndim > 1 or array.size < 2:
        return None
    low, high = array.min(), array.max()
    if not (np.isfinite(low) and np.isfinite(high)):
        return None
    two = low < high and low == np.floor(low) and high == np.floor(high) and ((array == low) | (array == high)).all()
    return (int(low), int(high)) if two else None


def checked_finite(array: NDArray[Any], name: str, rows: NDArray[Any] | None = None) -> NDArray[Any]:
    """Return the array if all its numbers are finite.

    Raises
    ------
    InputError
        Naming the first that is not.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # a sum that is not finite only says to look closer
        total = array.sum() if array.dtype.kind == "f" else 0.0
    if not np.isfinite(total):
        wrong = ~np.isfinite(array)
        if wrong.any():
            where = np.argwhere(wrong)[0]
            msg = (
                f"{name} {place(where, rows)} is {shown(array[tuple(where)])}, expected a finite number; leave it out "
                "with mask=."
            )
            raise InputError(msg)
    return array


def crisp(array: NDArray[Any]) -> bool:
    """Whether every value is exactly 0 or 1."""
    if array.dtype.kind in "bui":
        return True
    flat = array.reshape(-1)
    size = 1024  # soft data show themselves at once
    start = 0
    while start < flat.size:
        block = flat[start : start + size]
        if not bool(((block == 0) | (block == 1)).all()):
            return False
        start, size = start + size, _BLOCK
    return True


def off_one(array: NDArray[Any]) -> tuple[int, float] | None:
    """Return the first row whose sum is not one, and the sum; None if there is none."""
    limit = None
    for start in range(0, array.shape[0], 8192):
        with np.errstate(over="ignore", invalid="ignore"):  # an infinite sum is no one
            sums = array[start : start + 8192].sum(axis=1, dtype=np.float64)
        wrong = ~(np.abs(sums - 1) <= ROW_SUM)
        if wrong.any():
            limit = _rounding(array) if limit is None else limit
            wrong = ~(np.abs(sums - 1) <= limit)
        if wrong.any():
            at = int(wrong.argmax())
            return start + at, float(sums[at])
    return None


def whole_numbers(values: Any, name: str) -> NDArray[np.intp]:
    """Return a list of whole numbers.

    Raises
    ------
    InputError
        If it is something else.
    """
    array = as_array(values, name)
    if array.ndim != 1 or array.dtype.kind not in "iuf" or (np.abs(array) >= 2**53).any() or (array % 1 != 0).any():
        msg = f"{name} is {shown(values)}, expected a list of whole numbers."
        raise InputError(msg)
    return array.astype(np.intp)


def _rounding(array: NDArray[Any]) -> float:
    """Return how far the sum of a row may be off one: further where all numbers there are came from half precision."""
    if array.dtype != np.float32:
        return ROW_SUM
    bits = np.bitwise_or.reduce(np.ascontiguousarray(array).view(np.uint32), axis=None)
    # The digits that bfloat16 and float16 lack. A few rows in full precision may lack them by chance; all do not.
    return 2.0**-8 if bits & 0xFFFF == 0 else 2.0**-10 if bits & 0x1FFF == 0 else ROW_SUM


def checked_weights(weight: Any, n: int, hidden: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
    """Return example weights as float64; those of hidden rows may be anything.

    Raises
    ------
    InputError
        If their number differs from that of the rows, or one is negative or not finite, or they are so large, small
        or far from each other that sums of them mean nothing.
    """
    array = as_array(weight, "sample_weight", hidden)
    if array.shape != (n,):
        msg = (
            f"sample_weight has {len(array)} values (shape {array.shape}) but there are {n} rows; expected one weight "
            "for each."
        )
        raise InputError(msg)
    if array.dtype.kind not in "biuf":
        msg = "sample_weight holds text, expected numbers of at least 0."
        raise InputError(msg)
    array = np.where(_seen(array.shape, hidden), array, 0).astype(np.float64)
    wrong = ~(np.isfinite(array) & (array >= 0))
    if wrong.any():
        at = int(wrong.argmax())
        msg = f"sample_weight row {at} is {shown(array[at])}, expected a finite number of at least 0."
        raise InputError(msg)
    with np.errstate(over="ignore"):
        whole = array.sum()
    least = np.min(array, initial=np.inf, where=array > 0)
    if whole > _LARGEST_WEIGHT or least < max(1 / _LARGEST_WEIGHT, whole / _FARTHEST):
        msg = (
            f"sample_weight goes from {least:g} (the smallest above 0) to {array.max():g}; expected numbers between "
            f"{1 / _LARGEST_WEIGHT:g} and {_LARGEST_WEIGHT:g}, their sum too, and none {_FARTHEST:g} times smaller "
            "than the sum. Multiply all by one number, or put 0 for those that count for nothing."
        )
        raise InputError(msg)
    return array
