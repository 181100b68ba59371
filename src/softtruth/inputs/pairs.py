"""The door of arrays: a reference and a prediction become one checked pair of sides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.errors import InputError, listed, shown
from softtruth.inputs.arrays import as_array, checked_degrees, checked_weights, off_one
from softtruth.inputs.labels import checked_labels, encode, union_of_names
from softtruth.inputs.predictions import class_prediction, label_prediction, prediction_kind_of
from softtruth.inputs.references import class_reference, label_reference, reference_kind_of, shares_of_votes
from softtruth.inputs.tasks import task_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Pair:
    """Both sides of one problem, checked, of the rows that count.

    Attributes
    ----------
    task : str
    labels : tuple
        Class names, or 0..K-1; for binary data the two classes, negative first.
    n_classes : int
        Columns: 1 for binary data.
    reference, prediction : ndarray
        Class indices (N,) or degrees (N, n_classes).
    weight, mask, clusters : ndarray, optional
    rows : ndarray of int, optional
        The original row numbers, where rows were left out.
    n : int
        The number of rows that were given.
    masked, ignored, without_votes : int
        How many rows (entries for multilabel data) were left out, and why.
    ignored_classes : tuple of int
        Classes that ``ignore`` named: they leave the averages too.
    tied : int
        Rows whose hardened prediction was a tie, given to the first class.
    """

    # Soft floats of binary and multilabel data come unverified: looking through them once more would cost as much as
    # counting them. ``Pair.verified`` is the slow, exact check for when the count finds something wrong.

    task: str
    labels: tuple[Any, ...]
    n_classes: int
    reference: NDArray[Any]
    prediction: NDArray[Any]
    n: int
    weight: NDArray[np.float64] | None = None
    mask: NDArray[np.bool_] | None = None
    clusters: NDArray[Any] | None = None
    rows: NDArray[Any] | None = None
    masked: int = 0
    ignored: int = 0
    without_votes: int = 0
    ignored_classes: tuple[int, ...] = ()
    tied: int = 0

    @property
    def unverified(self) -> bool:
        """Whether a side's range is still to be verified while it is counted."""
        return self.task != "multiclass" and "f" in (self.reference.dtype.kind, self.prediction.dtype.kind)

    def verified(self) -> Pair:
        """Return the pair with rounding outside [0, 1] clipped.

        Raises
        ------
        InputError
            Naming the first value that is not finite or lies outside.
        """
        y, p = (
            checked_degrees(side if self.n_classes > 1 else side[:, 0], name, self.rows).reshape(side.shape)
            for name, side in (("reference", self.reference), ("prediction", self.prediction))
        )
        return replace(self, reference=y, prediction=p)


def read_pair(  # noqa: C901, PLR0915  one step after another, in the order in which the data pass the door
    reference: Any,
    prediction: Any,
    *,
    task: str | None = None,
    threshold: Any = 0.5,
    reference_kind: str = "auto",
    prediction_kind: str = "auto",
    soft: bool = False,
    mask: Any = None,
    ignore: Any = None,
    sample_weight: Any = None,
    n_classes: int | None = None,
    labels: Any = None,
    clusters: Any = None,
) -> Pair:
    """Return the checked pair; ``soft`` keeps probabilities for a coupling, otherwise the prediction is hardened.

    Raises
    ------
    InputError
        In one sentence that names where, what was found, what was expected and what to do.
    """
    y, p = as_array(reference, "reference"), as_array(prediction, "prediction")
    n = y.shape[0]
    if p.shape[0] != n:
        msg = f"reference has {n} rows but prediction has {p.shape[0]}; expected one prediction for each."
        raise InputError(msg)
    for name, side in (("reference", y), ("prediction", p)):
        if side.ndim > 2:  # noqa: PLR2004  rows and classes
            msg = f"{name} has shape {side.shape}, expected (N,), (N, 1), (N, m) or (N, K)."
            raise InputError(msg)
    names = None if labels is None else checked_labels(labels)
    if n_classes is not None:
        n_classes = _checked_number(n_classes, names)
    weight = None if sample_weight is None else checked_weights(sample_weight, n)
    groups = None if clusters is None else _cluster_codes(clusters, n)

    kind = reference_kind_of(reference_kind, y)
    task = task_of(
        task, y, p, kinds=(kind, prediction_kind), n_classes=n_classes, n_labels=None if names is None else len(names)
    )
    if n == 0 and names is None and n_classes is None and (task != "binary" and y.ndim == 1 and p.ndim == 1):
        msg = "there are no rows and no declared classes; give n_classes= or labels=."
        raise InputError(msg)

    keep, entries, ignored, masked = _left_out(y, p, task, mask, ignore)
    without = 0
    if kind == "votes":
        y, voted = shares_of_votes(y)
        without = int((~voted if keep is None else keep & ~voted).sum())
        if without:
            keep = voted if keep is None else keep & voted
    rows = None
    if keep is not None and not keep.all():
        rows = np.flatnonzero(keep)
        y, p = y[rows], p[rows]
        weight, groups = (None if a is None else a[rows] for a in (weight, groups))
    if entries is not None:
        y = np.where(entries, y, 0).astype(y.dtype)
        p = np.where(entries, p, 0).astype(p.dtype)

    guess = prediction_kind_of(prediction_kind, p, task)
    if task == "multiclass":
        names = names or _class_names(y, p, n_classes)
        y = class_reference(y, kind, names, rows)
        tied = 0 if soft or p.ndim == 1 else _ties(p)
        p = class_prediction(p, guess, names, rows, soft=soft)
        if y.ndim == 1 and p.ndim == 2:  # noqa: PLR2004  probabilities
            y = y.astype(np.intp, copy=False)
        return Pair(
            task,
            names,
            len(names),
            y,
            p,
            n,
            weight,
            None,
            groups,
            rows,
            masked,
            ignored,
            without,
            _positions(ignore, names),
            tied,
        )
    if task == "binary":
        if names is not None and len(names) != 2:  # noqa: PLR2004  negative and positive
            msg = f"a binary problem has two classes (negative, positive), labels name {len(names)}: {listed(names)}."
            raise InputError(msg)
        names, given = _binary_names(y, p, names)
        y = _binary_column(y, "reference", names, given=given, rows=rows)
        p = _binary_column(p, "prediction", names, given=given, rows=rows, kind=guess)
    else:
        for name, side in (("reference", y), ("prediction", p)):
            if side.ndim == 1 or side.dtype.kind == "U":
                msg = f"{name} has shape {side.shape}, expected N rows of one number for each label of a multilabel problem."
                raise InputError(msg)
        if y.shape[1] != p.shape[1]:
            msg = f"reference has {y.shape[1]} labels but prediction has {p.shape[1]}."
            raise InputError(msg)
        names = names or tuple(range(y.shape[1]))
        if len(names) != y.shape[1] or (n_classes is not None and n_classes != y.shape[1]):
            msg = f"there are {y.shape[1]} label columns but {n_classes or len(names)} labels are declared."
            raise InputError(msg)
    y = label_reference(y, "distribution" if kind == "votes" else kind, rows)
    p = label_prediction(p, guess, task, rows, soft=soft, threshold=_checked_threshold(threshold))
    return Pair(
        task,
        names,
        1 if task == "binary" else len(names),
        y.reshape(len(y), -1),
        p.reshape(len(p), -1),
        n,
        weight,
        entries if entries is None or rows is None else entries[rows],
        groups,
        rows,
        masked,
        ignored,
        without,
        _positions(ignore, names) if task == "multiclass" else (),
    )


def _checked_number(n_classes: Any, names: tuple[Any, ...] | None) -> int:
    if isinstance(n_classes, bool) or not hasattr(n_classes, "__index__") or n_classes < 1:
        msg = f"n_classes is {shown(n_classes)}, expected a whole number of at least 1."
        raise InputError(msg)
    if names is not None and len(names) != n_classes:
        msg = f"n_classes is {n_classes} but labels name {len(names)} classes."
        raise InputError(msg)
    return int(n_classes)


def _checked_threshold(threshold: Any) -> float:
    if isinstance(threshold, bool) or not np.isscalar(threshold) or not np.isfinite(float(threshold)):
        msg = f"threshold is {shown(threshold)}, expected a finite number."
        raise InputError(msg)
    return float(threshold)


def _cluster_codes(clusters: Any, n: int) -> NDArray[Any]:
    array = as_array(clusters, "clusters")
    if array.shape != (n,):
        msg = f"clusters has {len(array)} values (shape {array.shape}) but there are {n} rows; expected one cluster for each."
        raise InputError(msg)
    return np.unique(array, return_inverse=True)[1]


def _left_out(
    y: NDArray[Any], p: NDArray[Any], task: str, mask: Any, ignore: Any
) -> tuple[NDArray[np.bool_] | None, NDArray[np.bool_] | None, int, int]:
    """Return the rows that stay, the entries that stay, and how many were ignored and masked."""
    given = None
    if mask is not None:
        given = as_array(mask, "mask")
        if given.dtype.kind not in "bui" and not (given.dtype.kind == "f" and np.isin(given, (0, 1)).all()):
            msg = "mask holds something other than 0 and 1, expected true where an example counts."
            raise InputError(msg)
        given = given.astype(bool)
        if given.shape != (y.shape[:1] if task == "multiclass" else y.shape) and given.shape != y.shape[:1]:
            msg = f"mask has shape {given.shape}, expected {y.shape[:1] if y.ndim == 1 or task == 'multiclass' else y.shape}."
            raise InputError(msg)
    skipped = None
    if ignore is not None:
        values = np.atleast_1d(as_array([ignore] if np.isscalar(ignore) else list(ignore), "ignore"))
        if (values.dtype.kind == "U") != (y.dtype.kind == "U"):
            msg = f"ignore names {listed(values)}, but the reference holds values of another kind."
            raise InputError(msg)
        if task == "multiclass" and y.ndim == 2:  # noqa: PLR2004  distributions
            msg = "ignore names reference values, but this reference has a distribution in each row; leave rows out with mask=."
            raise InputError(msg)
        skipped = np.isin(y, values)
    if given is None and skipped is None:
        return None, None, 0, 0
    ignored = 0 if skipped is None else int(skipped.sum())
    visible = np.ones(y.shape, bool) if skipped is None else ~skipped
    masked = 0
    if given is not None:
        masked = int((~given).sum())
        visible = visible & (given if given.shape == y.shape else given[:, None])
    if y.ndim == 1:
        return visible, None, ignored, masked
    if task == "multiclass" or (given is not None and given.shape != y.shape and skipped is None):
        return visible.all(axis=1), None, ignored, masked
    return None, visible, ignored, masked


def _positions(ignore: Any, names: tuple[Any, ...]) -> tuple[int, ...]:
    if ignore is None:
        return ()
    values = [ignore] if np.isscalar(ignore) else list(ignore)
    return tuple(names.index(v) for v in values if v in names)


def _class_names(y: NDArray[Any], p: NDArray[Any], n_classes: int | None) -> tuple[Any, ...]:
    """Return the classes: names that occur, or as many indices as are declared, as there are columns, or as occur."""
    named = union_of_names(y, p)
    if named:
        columns = next((side.shape[1] for side in (y, p) if side.ndim == 2), None)  # noqa: PLR2004  a matrix
        if columns is not None:
            msg = f"one side has class names and the other has {columns} columns; pass labels= with the names in the order of the columns."
            raise InputError(msg)
        if n_classes is not None and n_classes != len(named):
            msg = f"n_classes is {n_classes} but {len(named)} names occur: {listed(named)}; pass labels= with all names in their order."
            raise InputError(msg)
        return named
    if n_classes is not None:
        return tuple(range(n_classes))
    for side in (p, y):
        if side.ndim == 2:  # noqa: PLR2004  a matrix
            return tuple(range(side.shape[1]))
    top = max((float(side.max()) for side in (y, p) if side.size), default=-1.0)
    if not np.isfinite(top) or top < 0:
        top = 0.0
    return tuple(range(int(top) + 1))


def _binary_names(y: NDArray[Any], p: NDArray[Any], names: tuple[Any, ...] | None) -> tuple[tuple[Any, ...], bool]:
    if names is not None:
        return names, True
    found = union_of_names(y, p)
    if found:
        msg = f"a binary problem with class names {listed(found)} needs to know which is positive; pass labels=(negative, positive)."
        raise InputError(msg)
    return (0, 1), False


def _binary_column(
    side: NDArray[Any],
    name: str,
    names: tuple[Any, ...],
    *,
    given: bool,
    rows: NDArray[Any] | None,
    kind: str = "probabilities",
) -> NDArray[Any]:
    """Return one number per row: the positive class's column of two, a name turned into 0 or 1, or the number itself."""
    if side.dtype.kind == "U" or (
        given and side.ndim == 1 and not isinstance(names[0], str) and names != (0, 1) and not _within(side)
    ):
        if side.ndim != 1:
            msg = f"{name} has class names in {side.shape[1]} columns, expected one name for each row."
            raise InputError(msg)
        return encode(side, names, name, rows).astype(np.uint8)
    if side.ndim == 1:
        return side
    if side.shape[1] != 2:  # noqa: PLR2004  negative and positive
        msg = f"{name} has {side.shape[1]} columns, expected one (the positive class) or two (negative, positive) for a binary problem."
        raise InputError(msg)
    if kind == "logits":
        return np.asarray(side[:, 1], np.float64) - side[:, 0]  # softmax of two is the sigmoid of the difference
    off = off_one(side) if kind != "scores" else None
    if off is not None:
        row = off[0] if rows is None else int(rows[off[0]])
        msg = f"{name} row {row} sums to {off[1]:.6g}, expected 1: two columns are the negative and the positive class."
        raise InputError(msg)
    return side[:, 1]


def _within(side: NDArray[Any]) -> bool:
    return side.dtype.kind == "f" and bool(np.all((side >= 0) & (side <= 1)))


def _ties(scores: NDArray[Any]) -> int:
    """Return how many rows have more than one top class."""
    tied = 0
    for start in range(0, scores.shape[0], 65_536):
        block = scores[start : start + 65_536]
        tied += int(((block == block.max(axis=1, keepdims=True)).sum(axis=1) > 1).sum())
    return tied
