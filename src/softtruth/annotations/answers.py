"""Who answered what about which item: the form in which annotators are looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._cached import cached_property
from softtruth.arguments import checked
from softtruth.errors import InputError, listed, shown
from softtruth.inputs.arrays import checked_ids, refuse_too_many
from softtruth.inputs.frames import categories_of, refuse_other_items
from softtruth.inputs.labels import MOST_INDICES, checked_labels, checked_number

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class Answers:
    """One answer a row, in codes.

    Attributes
    ----------
    item, annotator, label : ndarray of int, shape (V,)
    items, annotators, classes : tuple
        The names behind the codes.
    ordered : bool
        Whether somebody gave the classes their order, or they are numbers; names that were found are only sorted.

    Examples
    --------
    >>> answers = Answers.of([[0, 0, 1], [1, 1, -1]])
    >>> answers.counts.tolist(), answers.n_annotators
    ([[2, 1], [0, 2]], 3)
    """

    item: NDArray[np.intp]
    annotator: NDArray[np.intp]
    label: NDArray[np.intp]
    items: tuple[Any, ...]
    annotators: tuple[Any, ...]
    classes: tuple[Any, ...]
    ordered: bool = False

    @classmethod
    @checked
    def of(cls, votes: Any, n_classes: int | None = None) -> Answers:
        """Return the answers of a matrix (N items, R annotators) of class indices; -1 and NaN are no answer.

        Raises
        ------
        InputError
            If it is no such matrix.
        """
        if isinstance(votes, Answers):
            return votes
        matrix = _numbers(votes)
        if matrix.ndim != 2 or 0 in matrix.shape:
            msg = (
                f"votes have shape {matrix.shape}, expected (N items, R annotators): the class index that each "
                "annotator gave, -1 where there is none. For rows of (item, annotator, label) use Answers.long."
            )
            raise InputError(msg)
        given = ~(np.isnan(matrix) | (matrix == -1))
        codes = matrix[given]
        wrong = (codes < 0) | (codes != np.floor(codes)) | np.isinf(codes)
        if wrong.any():
            msg = f"votes hold {shown(codes[wrong][0])}, expected class indices from 0, or -1 for no answer."
            raise InputError(msg)
        top = codes.max(initial=0)
        if top >= MOST_INDICES:
            msg = (
                f"votes go up to {top:.15g}, expected class indices from 0, below {MOST_INDICES:,}; codes of classes "
                "go through Answers.long(item, annotator, label)."
            )
            raise InputError(msg)
        found = int(top) + 1
        k = checked_number(n_classes, None) or max(found, 2)
        if k < found:
            msg = f"votes name class {found - 1}, but n_classes is {k}."
            raise InputError(msg)
        item, annotator = np.nonzero(given)
        n, r = matrix.shape
        codes, names = codes.astype(np.intp), (tuple(range(n)), tuple(range(r)), tuple(range(k)))
        return cls(item, annotator, codes, *names, ordered=True)

    @classmethod
    def long(
        cls,
        item: ArrayLike,
        annotator: ArrayLike,
        label: ArrayLike,
        *,
        classes: Any = None,
        items: Any = None,
    ) -> Answers:
        """Return the answers of three columns of the same length.

        Parameters
        ----------
        item, annotator, label : array-like, shape (V,)
            Ids and class names.
        classes : sequence, optional
            All class names in order; by default those of an ordered categorical column, or those that occur, sorted.
        items : sequence, optional
            All items in order, those without answers too; by default those that occur, sorted.

        Raises
        ------
        InputError
            If the lengths differ, a name is not declared, or an annotator answers an item twice.

        Examples
        --------
        >>> Answers.long(["a", "a", "b"], ["x", "y", "x"], ["no", "yes", "no"]).counts.tolist()
        [[1, 1], [1, 0]]
        """
        declared = categories_of(label)
        if classes is None and declared is not None and declared.ordered:
            classes = declared.names
        columns = [_column(c, name) for c, name in ((item, "item"), (annotator, "annotator"), (label, "label"))]
        if len({c.shape for c in columns}) > 1 or columns[0].ndim != 1:
            msg = f"item, annotator and label have shapes {[c.shape for c in columns]}, expected three equal columns."
            raise InputError(msg)
        item_codes, item_names = _coded(columns[0], items, "item")
        who, who_names = _coded(columns[1], None, "annotator")
        codes, class_names = _coded(columns[2], classes, "label")
        pairs = item_codes * max(len(who_names), 1) + who
        if len(np.unique(pairs)) < len(pairs):
            order = np.sort(pairs)
            twice = int(order[:-1][order[1:] == order[:-1]][0])
            msg = (
                f"annotator {shown(who_names[twice % len(who_names)])} answers item "
                f"{shown(item_names[twice // len(who_names)])} more than once; keep one answer of each."
            )
            raise InputError(msg)
        ordered = classes is not None or columns[2].dtype.kind in "biuf"
        return cls(item_codes, who, codes, item_names, who_names, class_names, ordered)

    @property
    def n_items(self) -> int:
        """The number of items."""
        return len(self.items)

    @property
    def n_annotators(self) -> int:
        """The number of annotators."""
        return len(self.annotators)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.classes)

    def __repr__(self) -> str:
        """Return how many there are of what, in one line: the ids may be thousands."""
        size = f"{len(self.label):,} answers, {self.n_items:,} items, {self.n_annotators:,} annotators"
        return f"Answers({size}, {self.n_classes} classes: {listed(self.classes)})"

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """How often each class was named for each item, (N, K)."""
        k = self.n_classes
        refuse_too_many(self.n_items * k, "the counts of the answers")
        return np.bincount(self.item * k + self.label, minlength=self.n_items * k).reshape(-1, k)

    @cached_property
    def indicator(self) -> Any:
        """A sparse matrix (N, R K): 1 where the annotator gave that label to the item."""
        from scipy.sparse import csr_array

        columns = self.annotator * self.n_classes + self.label
        shape = (self.n_items, self.n_annotators * self.n_classes)
        return csr_array((np.ones(len(columns)), (self.item, columns)), shape=shape)

    @checked
    def make(self, labels: NDArray[np.intp]) -> bool:
        """Whether the labels are the majority of these answers, wherever there is a single one."""
        top = self.counts == self.counts.max(axis=1, keepdims=True)
        single = (top.sum(axis=1) == 1) & (self.counts.sum(axis=1) > 0)
        return bool((self.counts.argmax(axis=1) == labels)[single].all())

    @checked
    def where(self, rows: NDArray[np.bool_]) -> Answers:
        """Return some of the answers; items and annotators keep their codes."""
        return replace(self, item=self.item[rows], annotator=self.annotator[rows], label=self.label[rows])


def _numbers(votes: Any) -> NDArray[np.float64]:
    """Return votes as numbers, NaN where there is none."""
    try:
        given = np.ma.asarray(votes)
        words = (
            [x for x in given.ravel().tolist() if isinstance(x, (str, bytes, complex))]
            if given.dtype.kind in "OUSc"
            else []
        )
        if not words:
            return np.asarray(np.ma.filled(given.astype(np.float64), np.nan))
        found = f"hold {shown(words[0])}"
    except (TypeError, ValueError):
        found = "are no matrix of numbers"
    msg = (
        f"votes {found}, expected class indices from 0 for (N items, R annotators), or -1 for no answer; names of "
        "classes go through Answers.long(item, annotator, label)."
    )
    raise InputError(msg)


def require_answers(given: Any, *, of_labels: bool = False) -> None:
    """Refuse what is no Answers (nor a mapping of labels to them): a matrix could hold votes or counts of votes.

    Raises
    ------
    InputError
        If it is anything else.
    """
    for each in given.values() if of_labels and isinstance(given, Mapping) else [given]:
        if not isinstance(each, Answers):
            msg = (
                f"answers are of type {type(each).__name__}, expected Answers; make them with Answers.of(votes) from "
                "votes (N items, R annotators), or with Answers.long(item, annotator, label)."
            )
            raise InputError(msg)


def _column(values: Any, name: str) -> NDArray[Any]:
    """Return a column of names or numbers, which can be put in order."""
    try:
        column = np.asarray(values)
        np.sort(column)
    except (TypeError, ValueError):
        msg = f"{name} is {shown(values)}, expected a list of names, all text or all numbers."
        raise InputError(msg) from None
    return checked_ids(column, name)


def _coded(column: NDArray[Any], names: Any, what: str) -> tuple[NDArray[np.intp], tuple[Any, ...]]:
    if names is None:
        found, codes = np.unique(column, return_inverse=True)
        return codes.astype(np.intp), tuple(found.tolist())
    names = checked_labels(names, {"label": "classes", "item": "items"}[what])
    order = {name: i for i, name in enumerate(names)}
    found, codes = np.unique(column, return_inverse=True)
    unknown = [name for name in found.tolist() if name not in order]
    if unknown:
        msg = f"{what} holds {listed(unknown)}, not among the declared names."
        raise InputError(msg)
    return np.array([order[name] for name in found.tolist()], np.intp)[codes], names


def named_by_number(classes: tuple[Any, ...]) -> bool:
    """Whether classes are other numbers than 0 to K-1, so that a number is the name of a class and no index."""
    return not isinstance(classes[0], str) and classes != tuple(range(len(classes)))


def class_codes(given: NDArray[Any], classes: tuple[Any, ...], name: str) -> NDArray[np.intp]:
    """Return values as class indices: names are looked up, and so are numbers where classes are numbers of their own.

    Raises
    ------
    InputError
        Naming the first value that is no class.
    """
    numbered = named_by_number(classes)
    if given.dtype.kind in "iub" and not numbered:
        chosen = given.astype(np.intp)
        wrong = (chosen < 0) | (chosen >= len(classes))
    else:
        place = {name: i for i, name in enumerate(classes)}
        chosen = np.array([place.get(value, -1) for value in given.tolist()], np.intp)
        wrong = chosen < 0
    if wrong.any():
        row = int(np.argmax(wrong))
        index = "" if numbered else " or its index"
        msg = f"{name} row {row} is {shown(given[row])}, expected one of the classes {listed(classes)}{index}."
        raise InputError(msg)
    return chosen


def checked_codes(labels: ArrayLike, answers: Answers, name: str) -> NDArray[np.intp]:
    """Return labels of the items that were answered, as class indices: they are these, or the numbers of classes.

    Raises
    ------
    InputError
        If there is not one for each item, or one is no class.
    """
    refuse_other_items(labels, answers.items, name)
    codes = np.asarray(labels)
    numbered = named_by_number(answers.classes)
    if codes.shape != (answers.n_items,) or codes.dtype.kind not in ("iuf" if numbered else "iu"):
        msg = (
            f"{name} has shape {codes.shape} and type {codes.dtype}, expected a class index for each of the "
            f"{answers.n_items} items."
        )
        raise InputError(msg)
    if numbered:
        return class_codes(codes, answers.classes, name)
    wrong = (codes < 0) | (codes >= answers.n_classes)
    if wrong.any():
        msg = f"{name} holds {shown(codes[wrong][0])}, expected class indices from 0 to {answers.n_classes - 1}."
        raise InputError(msg)
    return codes.astype(np.intp)
