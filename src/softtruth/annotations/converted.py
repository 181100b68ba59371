"""A file of votes, rankings or answers of any known shape, turned into one distribution for each item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from softtruth.annotations.ranked_files import ranked_shares
from softtruth.annotations.votes import distributions
from softtruth.errors import InputError, listed
from softtruth.inputs.exports.loaded import LoadedExport
from softtruth.inputs.opened import Opener, understood
from softtruth.inputs.recognise import item_column, recognise
from softtruth.inputs.selection import unmet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.inputs.settings import Settings
    from softtruth.inputs.side import Side

SCOPE = ("reference",)


@dataclass(frozen=True, eq=False)
class Converted:
    """One distribution for each item.

    Attributes
    ----------
    items : tuple of str
    classes : tuple of str
    shares : ndarray, shape (N, K)
        Rows sum to one where classes exclude each other; NaN for items without votes.
    votes : ndarray, shape (N,) or (N, K), optional
        How many votes (rankings) stand behind an item, or behind each of its labels; None where the file has shares.
    guesses, sentences : tuple of str
        What was decided, with the flag that overrides it; what was found and what does not count.
    """

    items: tuple[str, ...]
    classes: tuple[str, ...]
    shares: NDArray[np.float64]
    votes: NDArray[np.float64] | None
    guesses: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()

    def table(self) -> pa.Table:
        """Return the columns item, ``share_<class>`` and ``votes`` (for labels: ``answers_<label>``)."""
        columns = {"item": pa.array(self.items, pa.string())}
        for k, name in enumerate(self.classes):
            columns[f"share_{name}"] = pa.array(self.shares[:, k], from_pandas=True)  # NaN becomes empty
        if self.votes is not None:
            numbers = self.votes[:, None] if self.votes.ndim == 1 else self.votes
            names = ["votes"] if self.votes.ndim == 1 else [f"answers_{name}" for name in self.classes]
            for k, name in enumerate(names):
                whole = bool((numbers == np.floor(numbers)).all())
                columns[name] = pa.array(numbers[:, k].astype(np.int64) if whole else numbers[:, k])
        return pa.table(columns)


def convert(path: str, settings: Settings, *, smoothing: float = 0.0) -> Converted:
    """Return one distribution for each item of a file.

    Parameters
    ----------
    path : str
        Votes, long or wide; label counters; rankings (by inverse rank normalisation); the export of an annotation tool.
    settings : Settings
        Which columns, and what to do with them.
    smoothing : float
        Votes added to each class of an item that has votes. An item without any stays empty: it is unobserved.

    Raises
    ------
    InputError
        If the file holds no votes or shares, or cannot be used as it is; the sentence says what to do.
    """
    opener = Opener(settings, ())
    opener.load_export(path, settings.hints(SCOPE, ()))
    loaded, columns = opener.open(path, SCOPE)
    opener.check_filters()
    hints = settings.hints(SCOPE, ())
    if not isinstance(loaded, LoadedExport):
        item = item_column(columns, hints.item)
        reading = recognise(columns, item, hints)[0]
        if reading.kind == "rankings":
            guess = understood(columns, item, reading, "reference")
            if smoothing:
                msg = f"--smoothing {smoothing:g} is for votes, but {columns.path} holds rankings; leave it out."
                raise InputError(msg)
            ranked = ranked_shares(columns, settings, item, reading)
            sentences = (*ranked.sentences, *_account(ranked.shares, ranked.ignored, 0, exclusive=True))
            return Converted(ranked.items, ranked.classes, ranked.shares, ranked.rankings, (guess,), sentences)
    side, guesses = opener.reference(path)
    found = _of_side(side, settings, smoothing)
    notes = (*opener.notes, *side.sentences, *found.sentences)
    missed = unmet(settings.rename, (), [side.source.wishes.change])
    return Converted(found.items, found.classes, found.shares, found.votes, (*guesses, *side.guesses, *missed), notes)


def _of_side(side: Side, settings: Settings, smoothing: float) -> Converted:
    order = _order(side.classes, settings)
    if side.form in {"score", "scores"}:
        msg = (
            f"{side.path} holds {'one number for each item' if side.form == 'score' else 'scores'}, and no votes; "
            "expected votes, rankings, or one share for each class. Name their columns with --label."
        )
        raise InputError(msg)
    votes: NDArray[np.float64] | None = None
    if side.form == "answers":
        counts = side.values[:, order]
        votes = counts.sum(axis=-1)
        shares = _smoothed(counts, smoothing)[..., 1]
    elif side.form in {"counts", "codes"}:
        counts = _counts(side)[:, order]
        votes = counts.sum(axis=1)
        shares = _smoothed(counts, smoothing)
    else:
        shares = np.asarray(side.values, np.float64)[:, order]
    exclusive = side.form not in {"answers", "indicators"}
    sentences = _account(shares, side.ignored, side.source.duplicated, exclusive=exclusive)
    names = tuple(side.classes[k] for k in order)
    return Converted(tuple(side.ids()), names, shares, votes, sentences=sentences)


def _counts(side: Side) -> NDArray[np.float64]:
    if side.form == "counts":
        return np.asarray(side.values, np.float64)
    return np.equal.outer(side.values, np.arange(len(side.classes))).astype(np.float64)


def _smoothed(counts: NDArray[np.float64], smoothing: float) -> NDArray[np.float64]:
    """Return shares; an item without votes has none, whatever the smoothing."""
    shares = distributions(counts, smoothing=smoothing, empty="nan")
    shares[counts.sum(axis=-1) == 0] = np.nan
    return shares


def _order(classes: tuple[str, ...], settings: Settings) -> list[int]:
    if settings.labels is None:
        return list(range(len(classes)))
    missing = [name for name in classes if name not in settings.labels]
    unknown = [name for name in settings.labels if name not in classes]
    if missing or unknown:
        what = f"leaves out {listed(missing)}" if missing else f"names {listed(unknown)}, which nobody chose"
        msg = f"--labels {what}; name each of {listed(classes)} once, or rename with --map."
        raise InputError(msg)
    return [classes.index(name) for name in settings.labels]


def _account(shares: NDArray[np.float64], ignored: int, duplicated: int, *, exclusive: bool) -> tuple[str, ...]:
    known = ~np.isnan(shares)
    without = int((~known.any(axis=1)).sum() if exclusive else (~known).sum())
    if exclusive:
        rows = shares[known.all(axis=1)]
        tied = int(((rows == rows.max(axis=1, keepdims=True, initial=0)).sum(axis=1) > 1).sum())
    else:
        tied = int((shares == 0.5).sum())
    what = "Items" if exclusive else "Entries (an item and a label)"
    facts = (
        (duplicated, "Rows that repeat another one, settled by --duplicates"),
        (ignored, "Votes or labels left out by --ignore"),
        (without, f"{what} without votes, left empty"),
        (tied, f"{what} tied between their most likely classes"),
    )
    return tuple(f"{words}: {n:,}." for n, words in facts if n)
