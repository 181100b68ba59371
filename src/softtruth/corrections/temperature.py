"""Probabilities mended on labelled data: bias-corrected temperature scaling.

Calibrated are ``softmax(a log p + b)``, with the b of the first class zero; a and the other b minimise the
cross-entropy of the source. A yes-or-no column is a problem of two classes. The problem is convex, and Newton's method
solves it.

Source: Alexandari, Kundaje & Shrikumar 2020, ICML, PMLR 119.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.errors import InputError
from softtruth.uncertainty.resampling import weighted_sums

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from softtruth.corrections.target import Transfer
    from softtruth.uncertainty.keyed import Draws

_SMALLEST = np.finfo(np.float64).tiny  # the logarithm of a probability of zero has to be a number
_ENOUGH = 1e-10
_FLAT = 1e-12  # of the largest curvature: along directions flatter than that nothing changes


@dataclass(frozen=True, eq=False)
class Calibration:
    """Temperature and biases of each problem, and the source that they were fitted on.

    Attributes
    ----------
    transfer : Transfer
    parameters : list of ndarray
        One array (a, b_2, ..., b_K) for a table, else (a, b) for each column.
    """

    STEP = 1e-30  # imaginary: see uncertainty.derivative

    transfer: Transfer
    parameters: list[NDArray[np.float64]]

    @classmethod
    def fitted(cls, transfer: Transfer, probabilities: NDArray[np.float64]) -> Calibration:
        """Return the calibration of the source.

        Raises
        ------
        InputError
            If the classes can be told apart without error: then there is no best temperature. Or if all rows are
            alike: then every prior of a target fits.
        """
        empty = cls(transfer, [])
        return cls(transfer, [_newton(*problem) for problem in empty._problems(probabilities)])

    def _problems(
        self, probabilities: NDArray[np.float64]
    ) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]]:
        """Yield the logarithms, the reference and the weights of each problem, (N, K), (N, K), (N,)."""
        examples = self.transfer.source.statistic
        y = np.asarray(examples.sides(slice(0, len(examples)))[0], np.float64)
        weight = np.ones(len(y)) if examples.weight is None else examples.weight
        for column, (z, each) in enumerate(zip(self._logs(probabilities), self._pairs(y), strict=True)):
            yield z, each, weight if examples.mask is None else weight * examples.mask[:, column]

    def _pairs(self, degrees: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        return [degrees] if self.transfer.source.by_table else [np.stack([1 - p, p], axis=1) for p in degrees.T]

    def _logs(self, degrees: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        return [np.log(np.maximum(p, _SMALLEST)) for p in self._pairs(degrees)]

    def _joined(self, problems: list[NDArray[Any]]) -> NDArray[Any]:
        return problems[0] if self.transfer.source.by_table else np.stack([p[:, 1] for p in problems], axis=1)

    def __call__(self, degrees: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return calibrated probabilities."""
        return self._joined([_softmax(z, theta) for z, theta in zip(self._logs(degrees), self.parameters, strict=True)])

    def steps(self, degrees: NDArray[np.float64]) -> Iterator[NDArray[Any]]:
        """Yield the calibrated probabilities with an imaginary step in each parameter of each problem."""
        logs = self._logs(degrees)
        for problem, theta in enumerate(self.parameters):
            for i in range(theta.size):
                moved = [t.astype(complex) for t in self.parameters]
                moved[problem][i] += 1j * self.STEP
                yield self._joined([_softmax(z, t) for z, t in zip(logs, moved, strict=True)])

    def pulls(self, by_parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how every example of the source pulls a value with that derivative (..., parameters), (N, ...)."""
        found: Any = 0.0
        start = 0
        source = np.asarray(self.transfer.source.statistic.prediction, np.float64)
        for (z, y, weight), theta in zip(self._problems(source), self.parameters, strict=True):
            gradient, hessian = _derivatives(z, y, theta)
            curvature = np.einsum("n,nij->ij", weight, hessian)
            mine = by_parameters[..., start : start + theta.size]
            found = found - np.moveaxis(_solved(curvature, mine) @ (weight[:, None] * gradient).T, -1, 0)
            start += theta.size
        return np.asarray(found)

    def refitted(self, degrees: NDArray[np.float64], column: int, draws: Draws) -> NDArray[np.float64]:
        """Return the target calibrated on other samples of the source, (draws, n, K), by one Newton step from here."""
        examples = self.transfer.source.statistic
        source = np.asarray(examples.prediction, np.float64)
        z, y, weight = list(self._problems(source))[column]
        theta = self.parameters[column]
        gradient, hessian = _derivatives(z, y, theta)
        counts = (
            weight
            if examples.weight is None
            else np.where(examples.weight > 0, weight / np.maximum(examples.weight, _SMALLEST), 0)
        )
        size = theta.size
        rows = counts[:, None] * np.concatenate([gradient, hessian.reshape(len(z), -1)], axis=1)
        identity = None if examples.clusters is not None else np.arange(len(z))
        sums = weighted_sums(examples, [(slice(0, len(z)), rows)], draws, identity=identity)
        step = _solved(sums[:, size:].reshape(-1, size, size), sums[:, :size])
        return _softmax(self._logs(degrees)[column], theta - step)


def _solved(curvature: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the shortest solution (..., P): few different rows may leave some of the parameters undecided."""
    return np.asarray((np.linalg.pinv(curvature, rcond=_FLAT, hermitian=True) @ right[..., None])[..., 0])


def _softmax(z: NDArray[np.float64], theta: NDArray[Any]) -> NDArray[Any]:
    """Return softmax(a z + b) of logarithms (n, K), for parameters (..., K): (..., n, K)."""
    bias = np.concatenate([np.zeros_like(theta[..., :1]), theta[..., 1:]], axis=-1)
    x = theta[..., :1, None] * z + bias[..., None, :]
    e = np.exp(x - x.real.max(axis=-1, keepdims=True))
    return np.asarray(e / e.sum(axis=-1, keepdims=True))


def _derivatives(
    z: NDArray[np.float64], y: NDArray[np.float64], theta: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return first and second derivatives of the cross-entropy of every example, (N, K) and (N, K, K)."""
    p = _softmax(z, theta)
    off = p - y
    gradient = np.concatenate([(off * z).sum(1, keepdims=True), off[:, 1:]], axis=1)
    k = theta.size
    mean = (p * z).sum(1)
    hessian = np.empty((len(z), k, k))
    hessian[:, 0, 0] = (p * z * z).sum(1) - mean**2
    hessian[:, 0, 1:] = hessian[:, 1:, 0] = p[:, 1:] * (z[:, 1:] - mean[:, None])
    hessian[:, 1:, 1:] = p[:, 1:, None] * (np.eye(k - 1) - p[:, None, 1:])
    return gradient, hessian


def _loss(
    z: NDArray[np.float64], y: NDArray[np.float64], weight: NDArray[np.float64], theta: NDArray[np.float64]
) -> float:
    p = _softmax(z, theta)
    return float(-(weight[:, None] * y * np.log(np.maximum(p, _SMALLEST))).sum() / weight.sum())


def _newton(z: NDArray[np.float64], y: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the parameters of least cross-entropy."""
    seen = z[weight > 0]
    if (seen == seen[:1]).all():
        msg = (
            "the probabilities of the source are alike in every row, so that calibrated they say nothing about the "
            "prior of a target; estimate it with other predictions."
        )
        raise InputError(msg)
    theta = np.zeros(z.shape[1])
    theta[0] = 1.0
    loss = _loss(z, y, weight, theta)
    share = weight / weight.sum()
    while loss >= _ENOUGH:
        gradient, hessian = _derivatives(z, y, theta)
        slope = share @ gradient
        curvature = np.einsum("n,nij->ij", share, hessian)
        step = np.linalg.lstsq(curvature, slope, rcond=None)[0]
        size = 1.0
        while size > 1e-8 and not (better := _loss(z, y, weight, theta - size * step)) <= loss:
            size /= 2
        if size <= 1e-8 or loss - better < 1e-15 * max(1.0, abs(loss)):
            return theta
        theta, loss = theta - size * step, better
    msg = (
        "the probabilities of the source tell its classes apart without error, so that no temperature is best; "
        "estimate without calibration."
    )
    raise InputError(msg)
