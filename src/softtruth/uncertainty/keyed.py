"""Random numbers that belong to an example: however the data are split, an example draws the same ones.

Each number is a hash of the seed, the example's identity and the number of the draw, so that batches and workers agree
without talking to each other, and what they drew can be added up.

Source: Steele, Lea & Flood 2014, OOPSLA, doi:10.1145/2660193.2660195 (the mixing function).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.errors import InputError, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_LANES = 4  # numbers of 16 bits in one hash
_POISSON_BITS = 16
_WORD = 8  # bytes of a text that are taken in at a time


def _mix(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scramble 64-bit numbers in place."""
    z ^= z >> np.uint64(30)
    z *= np.uint64(0xBF58476D1CE4E5B9)
    z ^= z >> np.uint64(27)
    z *= np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return z


def hashes(seed: int, identity: NDArray[Any], count: int) -> NDArray[np.uint64]:
    """Return ``count`` random 64-bit numbers for each identity, (n, count).

    Parameters
    ----------
    seed : int
        At least 0.
    identity : ndarray of int, shape (n,)
        Which example, or which cluster, each row is.
    count : int
        How many.
    """
    start = _mix(np.array([seed], np.uint64) + _GOLDEN)
    with np.errstate(over="ignore"):
        own = _mix((identity.astype(np.uint64) + np.uint64(1)) * _GOLDEN ^ start)
        return _mix(own[:, None] + np.arange(1, count + 1, dtype=np.uint64) * _GOLDEN)


def identities(data: NDArray[np.uint8], ends: NDArray[Any]) -> NDArray[np.uint64]:
    """Return a number for each text, (n,): the same text has the same number on every machine.

    Two texts share a number with probability 2^-64.

    Parameters
    ----------
    data : ndarray of uint8
        The bytes of all texts, one after another.
    ends : ndarray of int, shape (n + 1,)
        Where each text begins and ends.

    Examples
    --------
    >>> ours = identities(np.frombuffer(b"cat7dog", np.uint8), np.array([0, 3, 4, 7]))
    >>> theirs = identities(np.frombuffer(b"dogcat", np.uint8), np.array([0, 3, 6]))
    >>> ours[0] == theirs[1], ours[2] == theirs[0], len(set(ours.tolist()))
    (np.True_, np.True_, 3)
    """
    starts, sizes = ends[:-1].astype(np.int64), np.diff(ends).astype(np.int64)
    with np.errstate(over="ignore"):
        found = _mix((sizes.astype(np.uint64) + np.uint64(1)) * _GOLDEN)
        if not data.size:
            return found
        for first in range(0, int(sizes.max(initial=0)), _WORD):
            left = np.clip(sizes - first, 0, _WORD)
            at = np.minimum(starts[:, None] + np.arange(first, first + _WORD), data.size - 1)
            letters = np.where(np.arange(_WORD) < left[:, None], data[at], 0).astype(np.uint8)
            words = letters.view("<u8")[:, 0].astype(np.uint64)
            found = np.where(left > 0, _mix(found * _GOLDEN ^ words), found)
    return found


def uniforms(seed: int, identity: NDArray[Any], count: int) -> NDArray[np.float64]:
    """Return uniform numbers in [0, 1) for each identity, (n, count)."""
    return np.asarray((hashes(seed, identity, count) >> np.uint64(11)) * 2.0**-53)


def poisson_weights(seed: int, identity: NDArray[Any], count: int) -> NDArray[np.float64]:
    """Return Poisson(1) weights for each identity, (n, count): how often each replicate counts it.

    Drawn from 16 bits, with mean and variance exactly 1.
    """
    lanes = hashes(seed, identity, -(-count // _LANES)).view(np.uint16)
    return np.take(_POISSON, lanes[:, :count])


def _poisson_table() -> NDArray[np.float64]:
    """Return the quantiles of Poisson(1) at 2^16 equal steps, the rounded shares mended so that both moments are 1."""
    total = 1 << _POISSON_BITS
    share, shares = np.exp(-1.0), []
    for k in range(10):
        shares.append(round(share * total))
        share /= k + 1
    # Moves among the counts of 0..3 that restore the total, the sum and the sum of squares.
    value = np.arange(len(shares))
    counts = np.array(shares)
    missing = np.array([total, total, 2 * total]) - [counts.sum(), counts @ value, counts @ value**2]
    counts[:3] += np.rint(np.linalg.solve(np.vander([0, 1, 2], increasing=True).T, missing)).astype(int)
    return np.repeat(value.astype(np.float64), counts)


_POISSON = _poisson_table()


MOST_DRAWS = 10_000_000


@dataclass(frozen=True)
class Draws:
    """How many draws are made, and from which seed: the same two give the same draws.

    Raises
    ------
    InputError
        If the seed is not a whole number from 0, or the count not one from 2 to ten million.
    """

    count: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        """Check both."""
        for name, number, least, most in (("draws", self.count, 2, MOST_DRAWS), ("seed", self.seed, 0, 2**63 - 1)):
            if not _whole(number) or not least <= number <= most:
                msg = f"{name} is {shown(number)}, expected a whole number from {least} to {most}."
                raise InputError(msg)

    def __str__(self) -> str:
        """Return both, as intervals name them."""
        return f"{self.count} draws, seed {self.seed}"


def _whole(number: Any) -> bool:
    return isinstance(number, (int, np.integer)) and not isinstance(number, bool)
