"""The only door to array libraries: the namespace of an argument, and what formulas need of it.

NumPy is the fast path and costs no look-up. Any other array (torch, JAX, ...) is answered through
``array_api_compat``, imported when such an array first arrives.

Formulas are also differentiated by complex steps (see ``uncertainty.derivative``), so the functions here
accept complex NumPy arrays and act on the real part where the plain function would not be analytic.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.errors import InputError, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

Array = Any  # an array of any supported library; formulas do not know which

_HOST = (np.ndarray, np.generic, float, int, complex)


def is_host(array: Array) -> bool:
    """Whether the argument is NumPy's or a plain number."""
    return isinstance(array, _HOST)


DOUBLE = np.dtype(np.float64)


def as_masses(masses: Any) -> Any:
    """Return numbers that sums of masses do not overflow: of NumPy, lists and frames at least float64, else floats.

    Whatever is no array stays: other libraries build statistics of their own placeholders.
    """
    if isinstance(masses, (np.ndarray, np.generic, list)) or hasattr(masses, "to_numpy"):
        try:
            given = np.asarray(masses)
            return np.asarray(given, np.promote_types(given.dtype, DOUBLE) if given.dtype.kind in "fc" else DOUBLE)
        except (TypeError, ValueError):
            msg = f"masses are {shown(masses)}, expected an array of numbers."
            raise InputError(msg) from None
    whole = hasattr(masses, "__array__") and any(word in str(masses.dtype) for word in ("int", "bool"))
    return _as_floats(masses) if whole else masses


def _as_floats(array: Array) -> Array:
    """Return whole numbers of another library as its widest floats."""
    xp = namespace(array)
    if hasattr(array, "at"):  # JAX has float64 only where it was asked to
        return array.astype(float)
    return xp.astype(array, xp.float64)


_INTRODUCED: dict[type, Any] = {}


def introduce(kind: type, xp: Any) -> None:
    """Answer arrays of a type through this namespace from now on.

    Adapters bring what ``array_api_compat`` does not know (TensorFlow's tensors), or spare it the look-up. A type that
    is known already stays with its first namespace.
    """
    _INTRODUCED.setdefault(kind, xp)


def namespace(*arrays: Array) -> Any:
    """Return the array API namespace that the arguments share."""
    foreign = [a for a in arrays if not isinstance(a, _HOST)]
    if not foreign:
        return np
    for kind, xp in _INTRODUCED.items():
        if isinstance(foreign[0], kind):
            return xp
    import array_api_compat

    return array_api_compat.array_namespace(*foreign)


def quiet() -> np.errstate:
    """Return a context in which NumPy divides by zero silently: 0/0 is the value NaN, not an accident."""
    return np.errstate(divide="ignore", invalid="ignore", over="ignore")


def vanishes(x: Array) -> Array:
    """Whether each value is exactly zero; a complex step away from zero is still zero."""
    if isinstance(x, (np.ndarray, np.generic)) and np.iscomplexobj(x):
        return x.real == 0
    return x == 0 if is_host(x) else abs(x) <= 0  # TensorFlow 1 tells tensors apart by ==, and does not compare them


def sqrt(x: Array) -> Array:
    """Return the square root, with a finite derivative (zero) at zero."""
    zero = vanishes(x)
    if is_host(x):
        return np.where(zero, 0.0, np.sqrt(x)) if np.iscomplexobj(x) else np.sqrt(x)
    xp = namespace(x)
    return xp.where(zero, xp.zeros_like(x), xp.sqrt(xp.where(zero, xp.ones_like(x), x)))


def log(x: Array) -> Array:
    """Return the natural logarithm; minus infinity at zero, where the derivative is taken as zero."""
    if is_host(x):
        if np.iscomplexobj(x):  # a complex step is tiny: the real logarithm and its slope say all, much faster
            real = np.real(x)
            return np.log(np.abs(real)) + 1j * np.where(real == 0, 0.0, np.imag(x) / real)
        return np.log(x)
    xp = namespace(x)
    zero = vanishes(x)
    return xp.where(zero, xp.full_like(x, -np.inf), xp.log(xp.where(zero, xp.ones_like(x), x)))


def log1p(x: Array) -> Array:
    """Return log(1 + x), exact for small x."""
    if is_host(x):
        if np.iscomplexobj(x):
            return np.log1p(np.real(x)) + 1j * (np.imag(x) / (1.0 + np.real(x)))
        return np.log1p(x)
    return namespace(x).log1p(x)


def exp(x: Array) -> Array:
    """Return e to the power x."""
    return np.exp(x) if is_host(x) else namespace(x).exp(x)


def magnitude(x: Array) -> Array:
    """Return the absolute value, with derivative zero at zero; for a complex step the sign is that of the real part."""
    if isinstance(x, (np.ndarray, np.generic)) and np.iscomplexobj(x):
        return x * np.sign(x.real)
    return abs(x)


def largest(x: Array, axis: int = -1) -> Array:
    """Return the largest value along an axis; for a complex step the one with the largest real part."""
    return np.max(x, axis=axis) if is_host(x) else namespace(x).max(x, axis=axis)


def constant(values: Any, like: Array) -> Array:
    """Return numbers as an array of the library (and, for floats, of the type and device) of another array."""
    if is_host(like):
        return np.asarray(values, np.float64)
    device = getattr(like, "device", None)  # a traced array has none
    where_to = {} if device is None else {"device": device}
    return namespace(like).asarray(values, dtype=like.dtype, **where_to)


def indicator(condition: Array, like: Array) -> Array:
    """Return 1 where the condition holds and 0 elsewhere, in the type of another array; no gradient flows through."""
    if is_host(condition):
        return np.asarray(condition, np.float64)
    return namespace(condition).astype(condition, like.dtype)


def where(condition: Array, yes: Array, no: Array) -> Array:
    """Return ``yes`` where the condition holds and ``no`` elsewhere; numbers are allowed on either side."""
    xp = namespace(condition, yes, no)
    if xp is np:
        return np.where(condition, yes, no)
    like = yes if not is_host(yes) else no
    yes = xp.full_like(like, yes) if is_host(yes) else yes
    no = xp.full_like(like, no) if is_host(no) else no
    return xp.where(condition, yes, no)


def total(x: Array, *, keepdims: bool = False) -> Array:
    """Return the sum over the last axis."""
    if is_host(x):
        return np.add.reduce(x, axis=-1, keepdims=keepdims)  # type: ignore[call-overload]  # keepdims is one of two literals
    return namespace(x).sum(x, axis=-1, keepdims=keepdims)


def running_total(x: Array) -> Array:
    """Return the sums up to and including each place of the last axis."""
    return x.cumsum(-1) if hasattr(x, "cumsum") else namespace(x).cumulative_sum(x, axis=-1)


_RUN = 128  # numbers added one after the other in single precision


def as_index(x: Array) -> Array:
    """Return whole numbers in the type with which the library looks entries up."""
    if is_host(x):
        return np.asarray(x, np.intp)
    if hasattr(x, "long"):  # torch takes no other
        return x.long()
    xp = namespace(x)
    return xp.astype(x, xp.int32)


def sum_by_class(values: Array, codes: Array, n_classes: int) -> Array:
    """Return the sums of values (N,) over the examples of each class, (n_classes,); codes are trusted.

    The array API has no such function, so each library is asked for its own.
    """
    if is_host(codes):
        return np.bincount(codes, weights=values, minlength=n_classes)
    xp = namespace(values)
    if hasattr(xp, "segment_sum"):
        return xp.segment_sum(values, codes, n_classes)
    # One number after the other is added, so single precision would lose what sums by halves keep.
    if hasattr(values, "index_add"):  # torch
        precise = values if values.device.type == "mps" else values.double()  # Apple's devices have no float64
        return precise.new_zeros(n_classes).index_add(0, codes, precise).to(values.dtype)
    if hasattr(values, "at"):  # JAX, which has no float64 unless asked to: runs first, then the sum of the runs
        runs = -(-values.shape[0] // _RUN)
        run = xp.arange(values.shape[0]) // _RUN
        return xp.zeros((runs, n_classes), dtype=values.dtype).at[run, codes].add(values).sum(axis=0)
    return total(xp.where(codes == xp.arange(n_classes)[:, None], values, xp.zeros_like(values)))


class _BlasLimit:
    """One BLAS thread while anybody is inside; the former setting when the last one leaves."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._controller: Any = None
        self._limiter: Any = None

    def enter(self) -> None:
        with self._lock:
            if self._controller is None:
                import threadpoolctl

                self._controller = threadpoolctl.ThreadpoolController()
            if self._inside == 0:
                self._limiter = self._controller.limit(limits=1, user_api="blas")
            self._inside += 1

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._limiter.restore_original_limits()


_blas = _BlasLimit()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Run products of small blocks on one thread: steadier sums, and no threads spinning beside a reader."""
    _blas.enter()
    try:
        yield
    finally:
        _blas.leave()
