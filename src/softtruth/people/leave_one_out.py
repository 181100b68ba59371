"""Each answer beside the answers of the others: the pairs from which people and models are compared alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.annotations.answers import class_codes, named_by_number, require_answers
from softtruth.errors import InputError, listed, shown
from softtruth.inputs.frames import for_classes, refuse_other_items
from softtruth.inputs.majority import majority
from softtruth.statistics.examples import Examples

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.annotations.answers import Answers

AGGREGATES = ("soft", "majority")


@dataclass(frozen=True, eq=False)
class LeftOut:
    """One row for each answer that others answered too.

    Attributes
    ----------
    task : {"binary", "multiclass", "multilabel"}
    n_classes : int
    item, annotator : ndarray of int, shape (V,)
    answer : ndarray, shape (V,), (V, 1) or (V, m)
        What the annotator said.
    others : ndarray, shape (V, K), (V, 1) or (V, m)
        What the other annotators of the item said together.
    mask : ndarray of bool, shape (V, m), optional
        For labels that hold together: which were answered by the annotator and by another one.
    alone : int
        Answers left out because nobody else answered.
    """

    task: str
    n_classes: int
    item: NDArray[np.intp]
    annotator: NDArray[np.intp]
    answer: NDArray[Any]
    others: NDArray[np.float64]
    alone: int
    mask: NDArray[np.bool_] | None = None

    def examples(self, prediction: NDArray[Any], clusters: NDArray[Any] | None) -> Examples:
        """Return these rows as examples: the others as reference, and a prediction for each row."""
        return Examples(self.task, self.n_classes, self.others, prediction, mask=self.mask, clusters=clusters)

    def rows_of(self, decisions: NDArray[Any]) -> NDArray[Any]:
        """Return the decision about the item of each row."""
        return decisions[self.item]


def leave_one_out(answers: Answers | Mapping[str, Answers], aggregate: str = "soft") -> LeftOut:
    """Return every answer with the aggregate of the other answers to its item.

    Parameters
    ----------
    answers : Answers, or mapping of name to Answers
        One set of classes; or one set of yes/no answers for each label, where labels may hold together.
    aggregate : {"soft", "majority"}
        Their shares, or their most frequent class (for a label: what more than half say), tied ones in equal parts.

    Raises
    ------
    InputError
        If the aggregate is not known, labels do not fit together, or no item has two answers.
    """
    if aggregate not in AGGREGATES:
        msg = f"aggregate is {shown(aggregate)}, expected one of {listed(AGGREGATES)}."
        raise InputError(msg)
    require_answers(answers, of_labels=True)
    found = _labels(answers) if isinstance(answers, Mapping) else _classes(answers)
    if not len(found.item):
        msg = "no item has answers of two annotators, so that nobody can be compared with the others."
        raise InputError(msg)
    if aggregate == "soft":
        return found
    shares = found.others
    if found.task == "binary":
        shares = np.concatenate([1 - shares, shares], axis=1)
    top = majority(shares, exclusive=found.task != "multilabel")[0]
    hard = np.eye(shares.shape[1])[top] if top.ndim == 1 else np.asarray(top, np.float64)
    others = hard[:, 1:] if found.task == "binary" else hard
    return LeftOut(**{**vars(found), "others": others})


def _classes(answers: Answers) -> LeftOut:
    total = answers.counts.sum(axis=1)
    kept = total[answers.item] >= 2
    item, annotator, label = answers.item[kept], answers.annotator[kept], answers.label[kept]
    k, rest = answers.n_classes, total[item] - 1
    alone = int(np.count_nonzero(~kept))
    if k == 2:
        others = (answers.counts[item, 1] - label) / rest
        return LeftOut("binary", 1, item, annotator, label.astype(np.uint8)[:, None], others[:, None], alone)
    others = answers.counts[item].astype(np.float64)
    others[np.arange(len(item)), label] -= 1
    others /= rest[:, None]
    return LeftOut("multiclass", k, item, annotator, label, others, alone)


def _labels(answers: Mapping[str, Answers]) -> LeftOut:
    parts = list(answers.values())
    if not parts:
        msg = "answers is empty, expected yes/no answers for each label."
        raise InputError(msg)
    for name, part in answers.items():
        if part.n_classes != 2 or part.items != parts[0].items:
            msg = (
                f"the answers to {shown(name)} have {part.n_classes} classes and {part.n_items} items; expected two "
                f"classes, no before yes, and the same {parts[0].n_items} items for each label."
            )
            raise InputError(msg)
    people = list(dict.fromkeys(who for part in parts for who in part.annotators))
    code = {who: i for i, who in enumerate(people)}
    keys = [p.item * len(people) + np.array([code[w] for w in p.annotators], np.intp)[p.annotator] for p in parts]
    every = np.unique(np.concatenate(keys))
    item, annotator = every // len(people), every % len(people)
    shape = (len(every), len(parts))
    answer, mask, others = np.zeros(shape, np.uint8), np.zeros(shape, bool), np.zeros(shape)
    alone = 0
    for j, (part, key) in enumerate(zip(parts, keys, strict=True)):
        rows = np.searchsorted(every, key)
        rest = part.counts.sum(axis=1)[part.item] - 1
        seen = rest > 0
        alone += int(np.count_nonzero(~seen))
        answer[rows[seen], j] = part.label[seen]
        mask[rows[seen], j] = True
        others[rows[seen], j] = (part.counts[part.item, 1] - part.label)[seen] / rest[seen]
    kept = mask.any(axis=1)
    whole = None if mask[kept].all() else mask[kept]
    return LeftOut("multilabel", len(parts), item[kept], annotator[kept], answer[kept], others[kept], alone, whole)


def decisions_of(prediction: Any, answers: Answers | Mapping[str, Answers], threshold: float = 0.5) -> NDArray[Any]:
    """Return what a model decides about each item, in the form of an answer.

    Parameters
    ----------
    prediction : array-like
        For each item, in the order of ``answers.items``: a class (or its index, where classes are text), scores of the
        classes (N, K) of which the highest counts (the first of tied ones), the probability of the second of two
        classes (N,), or numbers for each label (N, m). Columns of a frame meet the classes by their names.
    answers
        As for ``leave_one_out``.
    threshold : float
        A probability counts as yes above it.

    Raises
    ------
    InputError
        If the prediction does not fit the items or classes, or its rows or columns have other names.
    """
    labels = isinstance(answers, Mapping)
    first: Answers = next(iter(answers.values())) if isinstance(answers, Mapping) else answers
    refuse_other_items(prediction, first.items, "prediction")
    classes = tuple(answers) if isinstance(answers, Mapping) else answers.classes
    given = np.asarray(for_classes(prediction, classes, "prediction"))
    n, k = first.n_items, len(answers) if isinstance(answers, Mapping) else first.n_classes
    shapes = [(n, k)] if labels else [(n,), (n, k)]
    if given.shape not in shapes:
        msg = f"prediction has shape {given.shape}, expected {' or '.join(map(str, shapes))}: one row for each item."
        raise InputError(msg)
    if given.dtype.kind == "f" and not np.isfinite(given).all():
        msg = "prediction contains values that are not finite, expected one prediction for each item."
        raise InputError(msg)
    if labels:
        return np.asarray(given > threshold).astype(np.uint8)
    if given.ndim == 2:
        chosen = given.argmax(axis=1)
    elif given.dtype.kind == "f" and k == 2 and not (named_by_number(classes) and np.isin(given, classes).all()):
        chosen = (given > threshold).astype(np.intp)
    else:
        chosen = class_codes(given, first.classes, "prediction")
    return chosen.astype(np.uint8)[:, None] if k == 2 else chosen
