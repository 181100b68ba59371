"""Prediction sets as 0-1 arrays, their size, and the door that all arguments of this package pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import is_host, namespace
from softtruth.errors import InputError, shown
from softtruth.inputs.arrays import as_array, native
from softtruth.inputs.frames import by_name, library_of, refuse_other_rows

if TYPE_CHECKING:
    from softtruth._arrays import Array


def valid_prediction_sets(prediction_sets: Array) -> Array:
    """Which classes are in each set?

    Parameters
    ----------
    prediction_sets : array, shape (..., K)
        Anything that is positive where a class is in the set.

    Returns
    -------
    array of int, shape (..., K)
        1 where a class is in the set, else 0.

    Raises
    ------
    InputError
        If there is no class axis, or a value is NaN.

    Examples
    --------
    >>> valid_prediction_sets(np.array([[0.5, 0.0, -1.0]]))
    array([[1, 0, 0]])
    """
    (sets,) = arrays(prediction_sets=prediction_sets)
    return as_integers(is_member(sets))


def size(prediction_sets: Array) -> Array:
    """How many classes are in each set?

    Parameters
    ----------
    prediction_sets : array, shape (..., K)
        Positive where a class is in the set.

    Returns
    -------
    array of int, shape (...)

    Raises
    ------
    InputError
        If there is no class axis, or a value is NaN.

    Examples
    --------
    >>> size(np.array([[1, 0, 1], [0, 0, 0]]))
    array([2, 0])
    """
    (sets,) = arrays(prediction_sets=prediction_sets)
    return count(is_member(sets))


def is_member(sets: Array) -> Array:
    """Return where a class is in the set; refuse NaN, which is neither in nor out."""
    xp = namespace(sets)
    if sets.dtype == xp.bool:
        return sets
    refuse_nan(sets, "prediction_sets")
    return sets > 0


def as_integers(mask: Array) -> Array:
    """Return 0 and 1 in the library's own integers."""
    xp = namespace(mask)
    return xp.astype(mask, xp.asarray(0).dtype)


def count(mask: Array) -> Array:
    """Return how many are true on the last axis."""
    xp = namespace(mask)
    return xp.sum(as_integers(mask), axis=-1) if xp is not np else np.count_nonzero(mask, axis=-1)


def running(numbers: Array) -> Array:
    """Return the running sum along the last axis."""
    return np.cumsum(numbers, axis=-1) if is_host(numbers) else namespace(numbers).cumulative_sum(numbers, axis=-1)


def arrays(**given: Any) -> list[Array]:
    """Return the arguments as arrays of one library, with one number of classes on the last axis.

    Lists become NumPy arrays, and NumPy arrays become arrays of the other argument's library. Frames meet by the names
    of their columns.

    Raises
    ------
    InputError
        If an argument has no class axis, or the shapes do not fit together.
    """
    if len(given) == 2 and library_of(*given.values()):
        refuse_other_rows(**given)
        first, second = given.values()
        given = dict(zip(given, by_name(first, second, None), strict=False))
    found = {name: as_array(a, name) if library_of(a) else _one(a, name) for name, a in given.items()}
    foreign = next((a for a in found.values() if not is_host(a)), None)
    if foreign is not None:
        found = {name: _beside(a, foreign) if is_host(a) else a for name, a in found.items()}
    for name, array in found.items():
        if array.ndim == 0 or array.shape[-1] == 0:
            msg = f"{name} has shape {tuple(array.shape)}, expected (N, K): rows of examples, columns of classes."
            raise InputError(msg)
        # JAX counts its short floats as V, and so does NumPy its rows of named fields.
        if getattr(array.dtype, "kind", "f") not in "biufV" or getattr(array.dtype, "names", None):
            msg = f"{name} has values of type {array.dtype}, expected numbers."
            raise InputError(msg)
    if len({array.shape[-1] for array in found.values()}) > 1 or not _broadcast(found):
        shapes = " and ".join(f"{name} has shape {tuple(array.shape)}" for name, array in found.items())
        msg = f"{shapes}; expected the same rows and classes in both."
        raise InputError(msg)
    return list(found.values())


def _one(given: Any, name: str) -> Array:
    try:
        array = native(np.asarray(given)) if is_host(given) or not hasattr(given, "shape") else given
        namespace(array)
    except (TypeError, ValueError):  # rows of different lengths, or a matrix that is no array
        msg = f"{name} is {shown(given)}, expected an array (N, K): rows of examples, columns of classes."
        raise InputError(msg) from None
    return array


def _beside(array: Array, other: Array) -> Array:
    """Return a NumPy array as one of the other's library, on its device."""
    import array_api_compat

    xp = namespace(other)
    if array_api_compat.is_jax_array(other):  # JAX moves what nobody put anywhere, and a traced array has no device
        return xp.asarray(array)
    return xp.asarray(array, device=array_api_compat.device(other))


def places(array: Array) -> Array:
    """Return the index of every class, on the device of the array."""
    xp = namespace(array)
    return running(xp.ones_like(array, dtype=xp.asarray(0).dtype)) - 1


def _broadcast(found: dict[str, Array]) -> bool:
    """Whether the leading axes fit: equal, or a leading axis of draws before the same rows."""
    try:
        np.broadcast_shapes(*(tuple(a.shape) for a in found.values()))
    except ValueError:
        return False
    rows = [tuple(a.shape[:-1]) for a in found.values()]
    short = min(rows, key=len)
    return all(not short or r[-len(short) :] == short for r in rows)


def refuse_nan(array: Array, name: str) -> None:
    """Refuse NaN in an array of known values; while a function is traced, values cannot be looked at.

    Raises
    ------
    InputError
        Naming the first row.
    """
    xp = namespace(array)
    if not is_real(array):
        return
    missing = xp.any(xp.isnan(array), axis=-1)
    if is_true(xp.any(missing)):
        row = int(xp.argmax(as_integers(xp.reshape(missing, (-1,)))))
        msg = f"{name} row {row} contains {shown(float('nan'))}, expected numbers; correct it or leave the row out."
        raise InputError(msg)


def is_real(array: Array) -> bool:
    """Whether the values are real numbers, and not whole ones."""
    return bool(namespace(array).isdtype(array.dtype, "real floating"))


def is_true(flag: Array) -> bool:
    """Return a truth value; False where it is not known yet, because the function is being traced."""
    try:
        return bool(flag)
    except (TypeError, RuntimeError):  # JAX and torch.vmap say in their own ways that there is no value
        return False
