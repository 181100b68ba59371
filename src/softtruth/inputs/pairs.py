"""The door of arrays: a reference and a prediction become one checked pair of sides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.errors import InputError, shown
from softtruth.inputs.arrays import as_array, checked_degrees, checked_ids, checked_weights
from softtruth.inputs.binary import binary_names, binary_prediction, positive_column
from softtruth.inputs.frames import by_name, declared_classes, refuse_other_rows
from softtruth.inputs.grades import grade_names, grade_prediction, grade_reference
from softtruth.inputs.labels import checked_labels, checked_number, class_names, refuse_rows_of_text
from softtruth.inputs.masks import as_list, hidden_by, visible_of
from softtruth.inputs.parts import mask_of_parts, naming_parts, parts_of_examples
from softtruth.inputs.predictions import class_prediction, label_prediction, prediction_kind_of, tied_rows
from softtruth.inputs.references import class_reference, label_reference, reference_kind_of, shares_of_votes
from softtruth.inputs.tasks import checked_task, task_of

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
        Class indices (N,) or degrees (N, n_classes); one row for each part of an image and the like.
    weight, mask, clusters : ndarray, optional
    rows : ndarray of int, optional
        The original row numbers, where rows were left out.
    n : int
        The number of rows that were given.
    masked, ignored, without_votes : int
        How many rows (entries for multilabel data) were left out, and why.
    ignored_classes : tuple of int
        Classes that ``ignore`` named: they leave the averages too.
    within : ndarray of int, optional
        Which example each row is a part of, where examples have parts.
    present : ndarray of int, optional
        The original numbers of the examples of which a part counts, where parts were left out.
    each : int
        How many parts an example was given with.
    tied : int
        Rows whose hardened prediction was a tie, given to the first class.
    ranked : bool
        Whether somebody chose the order of the classes.
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
    within: NDArray[Any] | None = None
    present: NDArray[Any] | None = None
    each: int = 1
    masked: int = 0
    ignored: int = 0
    without_votes: int = 0
    ignored_classes: tuple[int, ...] = ()
    tied: int = 0
    ranked: bool = False

    @property
    def places(self) -> NDArray[Any] | None:
        """The original numbers of the examples that count; None for all of them."""
        return self.rows if self.within is None else self.present

    @property
    def unverified(self) -> bool:
        """Whether a side's range is still to be verified while it is counted."""
        return self.task in {"binary", "multilabel"} and "f" in (self.reference.dtype.kind, self.prediction.dtype.kind)

    def verified(self) -> Pair:
        """Return the pair with rounding outside [0, 1] clipped.

        Raises
        ------
        InputError
            Naming the first value that is not finite or lies outside.
        """
        with naming_parts(self.each):
            y, p = (
                checked_degrees(side if self.n_classes > 1 else side[:, 0], name, self.rows).reshape(side.shape)
                for name, side in (("reference", self.reference), ("prediction", self.prediction))
            )
        return replace(self, reference=y, prediction=p)


_PLAIN = {np.ndarray, type(None)}  # whose rows and columns have no names to meet by


def read_pair(reference: Any, prediction: Any, **how: Any) -> Pair:
    """Return the checked pair of two arrays; the settings are those of ``_read_rows``.

    Raises
    ------
    InputError
        In one sentence that names where, what was found, what was expected and what to do.
    """
    get = how.get
    hidden = hidden_by(get("mask"))
    labels = get("labels")
    how["ranked"] = labels is not None
    given = reference, prediction, get("sample_weight"), get("mask"), get("clusters")
    if not _PLAIN.issuperset(map(type, given)):
        names = "reference", "prediction", "sample_weight", "mask", "clusters"
        refuse_other_rows(**dict(zip(names, given, strict=True)))
        task = get("task")
        if labels is None and (task is None or checked_task(task) != "multilabel"):
            declared = declared_classes(reference, prediction, hidden)
            if declared is not None:
                labels, how["ranked"] = declared
        reference, prediction, how["labels"] = by_name(reference, prediction, labels, hidden)
    y, p = as_array(reference, "reference", hidden), as_array(prediction, "prediction", hidden)
    n = y.shape[0]
    if p.shape[0] != n:
        msg = f"reference has {n} rows but prediction has {p.shape[0]}; expected one prediction for each."
        raise InputError(msg)
    if max(y.ndim, p.ndim) <= 2:
        return _read_rows(y, p, n, **how)
    kinds = how.get("reference_kind", "auto"), how.get("prediction_kind", "auto")
    parts = parts_of_examples(y, p, how.get("task"), kinds)
    if how.get("mask") is not None:
        how["mask"] = mask_of_parts(how["mask"], parts, n)
    with naming_parts(parts.each):
        return _read_rows(parts.reference, parts.prediction, n, parts.each, **how)


def _read_rows(  # noqa: PLR0915  one step after another, in the order in which the data pass the door
    y: NDArray[Any],
    p: NDArray[Any],
    n: int,
    each: int | None = None,
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
    ranked: bool = False,
    clusters: Any = None,
) -> Pair:
    """Return the checked pair; ``soft`` keeps probabilities for a coupling, otherwise the prediction is hardened.

    ``each`` is the number of rows of an example, where examples have parts.
    """
    names = None if labels is None else checked_labels(labels)
    declared = checked_number(n_classes, names)
    hidden = hidden_by(mask) if each is None else None
    hidden = None if hidden is None or hidden.ndim > 1 else hidden
    weight = None if sample_weight is None else checked_weights(sample_weight, n, hidden)
    within: NDArray[Any] | None = None if each is None else np.repeat(np.arange(n), each)
    groups = None if clusters is None else _cluster_codes(clusters, n, hidden)
    if within is not None:  # an example is drawn with all its parts
        weight = None if weight is None else weight[within]
        groups = within if groups is None else groups[within]
    kind = reference_kind_of(reference_kind, y)
    task = task_of(task, y, p, kinds=(kind, prediction_kind), n_classes=declared)
    by_row = task == "ordinal" or (task == "binary" and y.ndim == 2)  # both columns belong to one value
    seen = visible_of(y, "multiclass" if by_row else task, mask, ignore)

    without = 0
    if kind == "votes":
        y, voted = shares_of_votes(y)
        before = voted | True if seen.rows is None else seen.rows
        without = int((before & ~voted).sum())
        seen = replace(seen, rows=before & voted)
        kind = "distribution"
    rows = None
    if seen.rows is not None and not seen.rows.all():
        rows = np.flatnonzero(seen.rows)
        y, p = y[rows], p[rows]
        weight = None if weight is None else weight[rows]
        groups, within = (None if a is None else a[rows] for a in (groups, within))
        if seen.entries is not None:
            seen = replace(seen, entries=seen.entries[rows])
    if seen.entries is not None:
        y, p = (_seen(y, seen.entries, "reference"), _seen(p, seen.entries, "prediction"))
    present = None
    if within is not None and rows is not None:  # an example without a part that counts is no example
        present, within = np.unique(within, return_inverse=True)
    guess = prediction_kind_of(prediction_kind, p, "multiclass" if task == "ordinal" else task)

    refuse_rows_of_text(task, y, p)
    tied = 0
    ignored_classes: tuple[int, ...] = ()
    if task == "multiclass":
        names = names or class_names(y, p, declared)
        ignored_classes = () if ignore is None else tuple(names.index(v) for v in as_list(ignore) if v in names)
        y = class_reference(y, kind, names, rows)
        tied = 0 if soft or p.ndim == 1 else tied_rows(p)
        p = class_prediction(p, guess, names, rows, soft=soft)
        columns = len(names)
    elif task == "ordinal":
        names = names or grade_names(y, p, declared)
        y = grade_reference(y, kind, names, rows)
        p = grade_prediction(p, guess, names, rows, soft=soft, threshold=_checked_threshold(threshold))
        columns = len(names)
    else:
        if task == "binary":
            names = binary_names(names, y, p, ranked=ranked)
            y = positive_column(y, "reference", names, kind=kind, rows=rows)
            p, guess, tied = binary_prediction(
                p, names, kind=guess, rows=rows, soft=soft, threshold=_checked_threshold(threshold)
            )
        else:
            y, p, names = _label_columns(y, p, names, declared)
        columns = 1 if task == "binary" else len(names)
        y = label_reference(y, kind, rows).reshape(len(y), columns)
        p = label_prediction(p, guess, task, rows, soft=soft, threshold=_checked_threshold(threshold))
        p = p.reshape(len(p), columns)
    return Pair(
        task=task,
        labels=names,
        n_classes=columns,
        reference=y,
        prediction=p,
        n=n,
        weight=weight,
        mask=seen.entries,
        clusters=groups,
        rows=rows,
        within=within,
        present=present,
        each=each or 1,
        masked=seen.masked,
        ignored=seen.ignored,
        without_votes=without,
        ignored_classes=ignored_classes,
        tied=tied,
        ranked=ranked,
    )


def _seen(side: NDArray[Any], entries: NDArray[np.bool_], name: str) -> NDArray[Any]:
    """Return a side with 0 where an entry does not count."""
    if side.shape != entries.shape:
        msg = f"{name} has shape {side.shape}, expected {entries.shape}: a number for each entry of the mask."
        raise InputError(msg)
    return np.where(entries, side, 0).astype(side.dtype)


def _checked_threshold(threshold: Any) -> float:
    try:
        number = float(threshold)
    except (TypeError, ValueError):
        number = np.nan
    if isinstance(threshold, (bool, str)) or not np.isfinite(number):
        msg = f"threshold is {shown(threshold)}, expected a finite number."
        raise InputError(msg)
    return number


def _cluster_codes(clusters: Any, n: int, hidden: NDArray[np.bool_] | None = None) -> NDArray[Any]:
    """Return codes (N,), or (N, 2) of two clusterings that cross."""
    if isinstance(clusters, tuple) and len(clusters) == 2 and all(np.shape(one) == (n,) for one in clusters):
        return np.stack([_cluster_codes(one, n, hidden) for one in clusters], axis=1)
    array = checked_ids(as_array(clusters, "clusters", hidden), "clusters", hidden)
    if array.shape == (n, 2):
        return np.stack([_cluster_codes(column, n, hidden) for column in array.T], axis=1)
    if array.shape != (n,):
        msg = f"clusters has shape {array.shape} but there are {n} rows; expected one for each, or two that cross."
        raise InputError(msg)
    return np.unique(array, return_inverse=True)[1]


def _label_columns(
    y: NDArray[Any], p: NDArray[Any], names: tuple[Any, ...] | None, declared: int | None
) -> tuple[NDArray[Any], NDArray[Any], tuple[Any, ...]]:
    """Return both sides of a multilabel problem, a column for each label (also for the only one), and the labels."""
    for name, side in (("reference", y), ("prediction", p)):
        if side.dtype.kind == "U":
            msg = (
                f"{name} has shape {side.shape} and holds text, expected N rows of one number for each label of a "
                "multilabel problem."
            )
            raise InputError(msg)
    y, p = (side[:, None] if side.ndim == 1 else side for side in (y, p))
    if y.shape[1] != p.shape[1]:
        msg = f"reference has {y.shape[1]} labels but prediction has {p.shape[1]}."
        raise InputError(msg)
    count = declared if names is None else len(names)
    if count is not None and count != y.shape[1]:
        msg = f"there are {y.shape[1]} label columns but {count} labels are declared."
        raise InputError(msg)
    return y, p, tuple(range(y.shape[1])) if names is None else names
