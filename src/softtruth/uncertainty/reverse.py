"""The derivative of one number by very many: a formula is followed forwards, and its chain rule walked backwards.

A formula reaches the array library only through ``_arrays``, so it can be given arrays that remember how they came
about. The derivative by all of K x K entries then costs a few evaluations, where moving one entry after the other
costs K x K (Linnainmaa 1976, BIT 16:146, doi:10.1007/BF01931367). Formulas divide, take roots and choose here as they
do on any library with gradients.
"""

from __future__ import annotations

from itertools import count
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._arrays import introduce

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Pullback = Callable[[NDArray[Any]], Any]

_order = count()


class Step:
    """What one array was made of; what it held itself is kept only where a slope needs it.

    Attributes
    ----------
    born : int
        Its place in the order of making.
    shape : tuple of int
    parents : tuple of (Step, callable)
        What it rests on, each with the map from its own slope to that of the parent.
    """

    __slots__ = ("born", "parents", "shape")

    def __init__(self, shape: tuple[int, ...], parents: tuple[tuple[Step, Pullback], ...]) -> None:
        """Take the next place."""
        self.born = next(_order)
        self.shape = shape
        self.parents = parents


class Followed:
    """An array that remembers how it came about, with the operators that formulas use."""

    __slots__ = ("step", "value")
    __array_ufunc__ = None  # NumPy leaves operators to this class, and refuses to look inside
    __hash__ = None  # type: ignore[assignment]  # as arrays are

    def __init__(self, value: Any, *parents: tuple[Any, Pullback]) -> None:
        """Hold a value; constants among its parents need not be remembered."""
        self.value = np.asarray(value)
        self.step: Step = Step(
            self.value.shape, tuple((p.step, back) for p, back in parents if isinstance(p, Followed))
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the value."""
        return self.value.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the value."""
        return self.value.dtype

    def __array__(self, *_: Any, **__: Any) -> Any:
        """Refuse to become a plain array: the derivative would be lost on the way."""
        msg = "a followed array does not become a plain one"
        raise TypeError(msg)

    def __add__(self, other: Any) -> Followed:
        """Return the sum."""
        return Followed(self.value + _value(other), (self, _same), (other, _same))

    __radd__ = __add__

    def __neg__(self) -> Followed:
        """Return the negative."""
        return Followed(-self.value, (self, np.negative))

    def __sub__(self, other: Any) -> Followed:
        """Return the difference."""
        return Followed(self.value - _value(other), (self, _same), (other, np.negative))

    def __rsub__(self, other: Any) -> Followed:
        """Return the difference from a constant."""
        return Followed(other - self.value, (self, np.negative))

    def __mul__(self, other: Any) -> Followed:
        """Return the product."""
        x, y = self.value, _value(other)
        return Followed(x * y, (self, lambda g: g * y), (other, lambda g: g * x))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Followed:
        """Return the quotient."""
        y = _value(other)
        quotient = self.value / y
        return Followed(quotient, (self, lambda g: g / y), (other, lambda g: -g * (quotient / y)))

    def __rtruediv__(self, other: Any) -> Followed:
        """Return the quotient of a constant."""
        quotient = other / self.value
        return Followed(quotient, (self, lambda g: -g * (quotient / self.value)))

    def __matmul__(self, other: Any) -> Followed:
        """Return the product with a constant matrix."""
        return Followed(self.value @ other, (self, lambda g: g @ other.T))

    def __abs__(self) -> Followed:
        """Return the absolute value."""
        return Followed(np.abs(self.value), (self, lambda g: g * np.sign(self.value)))

    def __getitem__(self, key: Any) -> Followed:
        """Return a part, or the same with more axes."""

        def back(g: NDArray[Any]) -> NDArray[Any]:
            whole = np.zeros(self.value.shape)
            whole[key] = g
            return whole

        return Followed(self.value[key], (self, back))

    def __lt__(self, other: Any) -> Any:
        """Compare values: the answer is a plain array."""
        return self.value < _value(other)

    def __le__(self, other: Any) -> Any:
        """Compare values: the answer is a plain array."""
        return self.value <= _value(other)

    def __gt__(self, other: Any) -> Any:
        """Compare values: the answer is a plain array."""
        return self.value > _value(other)

    def __eq__(self, other: object) -> Any:
        """Compare values: the answer is a plain array."""
        return self.value == _value(other)

    def __ne__(self, other: object) -> Any:
        """Compare values: the answer is a plain array."""
        return self.value != _value(other)


def _value(x: Any) -> Any:
    return x.value if isinstance(x, Followed) else x


def _same(g: NDArray[Any]) -> NDArray[Any]:
    return g


def _fitted(g: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return a slope in the shape of what it belongs to: added over the axes that were repeated."""
    g = np.asarray(g)
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    repeated = tuple(i for i, n in enumerate(shape) if n == 1 and g.shape[i] != 1)
    return np.broadcast_to(g.sum(axis=repeated, keepdims=True) if repeated else g, shape)


def slopes_by(answer: Followed, entries: Followed) -> NDArray[np.float64]:
    """Return the derivative of every number of the answer, added up, by the entries that it was made of."""
    todo, made = [answer.step], {}
    while todo:
        step = todo.pop()
        if step.born not in made:
            made[step.born] = step
            todo += [parent for parent, _ in step.parents]
    del made[entries.step.born]  # the oldest: all else is made of it
    slopes: dict[int, Any] = {answer.step.born: np.ones(answer.shape)}
    for born in sorted(made, reverse=True):  # what is made of others is younger than they are
        step, g = made.pop(born), slopes.pop(born)
        for parent, back in step.parents:
            part = _fitted(back(g), parent.shape)
            slopes[parent.born] = slopes[parent.born] + part if parent.born in slopes else part
    return np.array(slopes[entries.step.born], np.float64)


def _sum(x: Any, axis: int, *, keepdims: bool = False) -> Any:
    if not isinstance(x, Followed):
        return np.add.reduce(x, axis, keepdims=keepdims)  # type: ignore[call-overload]  # one of two literals

    def back(g: NDArray[Any]) -> NDArray[Any]:
        return np.broadcast_to(g if keepdims else np.expand_dims(g, axis), x.shape)

    return Followed(np.add.reduce(x.value, axis, keepdims=keepdims), (x, back))  # type: ignore[call-overload]


def _max(x: Followed, axis: int) -> Followed:
    """Return the largest; equal ones share its slope, so that the slopes still add to those of the whole."""
    top = x.value.max(axis)

    def back(g: NDArray[Any]) -> NDArray[Any]:
        is_top = x.value == np.expand_dims(top, axis)
        return is_top * np.expand_dims(g, axis) / np.add.reduce(is_top, axis, keepdims=True)

    return Followed(top, (x, back))


def _where(condition: Any, yes: Any, no: Any) -> Any:
    chosen = np.where(condition, _value(yes), _value(no))
    if not (isinstance(yes, Followed) or isinstance(no, Followed)):
        return chosen
    back_yes, back_no = (lambda g: np.where(condition, g, 0.0)), (lambda g: np.where(condition, 0.0, g))
    return Followed(chosen, (yes, back_yes), (no, back_no))


def _sqrt(x: Followed) -> Followed:
    root = np.sqrt(x.value)
    return Followed(root, (x, lambda g: g / (2.0 * root)))


def _exp(x: Followed) -> Followed:
    power = np.exp(x.value)
    return Followed(power, (x, lambda g: g * power))


def _log(x: Followed) -> Followed:
    return Followed(np.log(x.value), (x, lambda g: g / x.value))


def _log1p(x: Followed) -> Followed:
    return Followed(np.log1p(x.value), (x, lambda g: g / (1.0 + x.value)))


def _stack(parts: list[Any], axis: int = 0) -> Followed:
    joined = np.stack([_value(x) for x in parts], axis)
    return Followed(joined, *((x, lambda g, i=i: np.take(g, i, axis)) for i, x in enumerate(parts)))


def _concat(parts: list[Any], axis: int = 0) -> Followed:
    joined = np.concatenate([_value(x) for x in parts], axis)
    ends = np.cumsum([x.shape[axis] for x in parts])[:-1]
    return Followed(joined, *((x, lambda g, i=i: np.split(g, ends, axis)[i]) for i, x in enumerate(parts)))


def _diagonal(x: Followed) -> Followed:
    each = np.arange(x.shape[-1])
    return x[..., each, each]


_ARRAY_API = SimpleNamespace(
    sum=_sum,
    max=_max,
    where=_where,
    sqrt=_sqrt,
    exp=_exp,
    log=_log,
    log1p=_log1p,
    stack=_stack,
    concat=_concat,
    linalg=SimpleNamespace(diagonal=_diagonal),
    # The rest give constants: nothing flows through them.
    nan=np.nan,
    inf=np.inf,
    asarray=np.asarray,
    any=np.any,
    isnan=lambda x: np.isnan(_value(x)),
    isfinite=lambda x: np.isfinite(_value(x)),
    zeros_like=lambda x: np.zeros_like(_value(x)),
    ones_like=lambda x: np.ones_like(_value(x)),
    full_like=lambda x, number: np.full_like(_value(x), number),
)
introduce(Followed, _ARRAY_API)
