"""One aligned problem: the same items on both sides, one order of classes, and an account of what was left out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from softtruth.inputs.majority import majority

if TYPE_CHECKING:
    from collections.abc import Mapping

    from softtruth.inputs.files import FileRecord

Task = Literal["binary", "multiclass", "multilabel", "ordinal"]
BY_CLASS = ("multiclass", "ordinal")  # tasks with one column for each class
ReferenceKind = Literal["labels", "distribution", "votes"]
PredictionKind = Literal["labels", "probabilities", "scores"]


class Prediction(NamedTuple):
    """The values of one prediction, and what they are."""

    values: np.ndarray
    kind: PredictionKind


@dataclass(frozen=True)
class Accounting:
    """How many items were used and how many were not, and why.

    Attributes
    ----------
    items
        Items that are in the problem, masked ones included.
    reference_only
        Items of the reference that some prediction lacks.
    prediction_only
        Items of each prediction that the reference lacks, by name.
    duplicated
        Rows that repeated another one and were settled as the user said.
    tied
        Items (entries, in multilabel data) whose most voted class is shared by several.
    without_votes
        Items (entries) without any vote or label in the reference; they are masked.
    ignored
        Votes or labels that `ignore` left out.
    sentences
        The same for people, one fact each.
    """

    items: int
    reference_only: int = 0
    prediction_only: Mapping[str, int] = field(default_factory=dict)
    duplicated: int = 0
    tied: int = 0
    without_votes: int = 0
    ignored: int = 0
    sentences: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the account as JSON values."""
        return {
            "items": self.items,
            "reference_only": self.reference_only,
            "prediction_only": dict(self.prediction_only),
            "duplicated": self.duplicated,
            "tied": self.tied,
            "without_votes": self.without_votes,
            "ignored": self.ignored,
            "sentences": list(self.sentences),
        }


@dataclass(frozen=True, eq=False)
class Problem:
    """A reference and the predictions that are to be compared with it, item by item.

    Attributes
    ----------
    task
        `binary`, `multiclass`, `multilabel` or `ordinal`.
    labels
        Class names in order: (negative, positive) for a binary task, K classes, or m labels.
    items
        N item ids, as text.
    reference
        `labels`: codes, (N,) or (N, m). `distribution`: the share of the positive class (N,), shares (N, K), or the
        share of each label (N, m). `votes`: counts, (N, 2) as (negative, positive), (N, K), or (N, m, 2).
    reference_kind
        Which of the three.
    predictions
        By name. `labels`: codes of the same shapes. `probabilities`: (N,), (N, K) or (N, m). `scores`: the same, not
        probabilities.
    mask
        False where the reference has nothing: (N,), or (N, m) in multilabel data; None when it is complete.
    subset
        Classes that take part in averages, when `ignore` names a class that a prediction still uses; else None.
    clusters
        Cluster of each item as a code, and `cluster_name` the column that it came from.
    groups
        Group of each item as a code, `group_names` what the groups are called, and `group_column` the column that they
        came from.
    sample_weight
        Weight of each item, and `weight_name` the column that it came from.
    threshold
        Where a probability becomes a decision, in binary and multilabel tasks.
    highest
        Predictions that held scores of classes, of which only the class with the highest one is known.
    accounting
        What was used and what was not.
    guesses
        One sentence for each thing that nobody said and that was decided here, with the flag that overrides it.
    inputs
        The files, with hashes and row counts, by role.
    options
        What the user asked for, as JSON values.
    """

    task: Task
    labels: tuple[str, ...]
    items: np.ndarray
    reference: np.ndarray
    reference_kind: ReferenceKind
    predictions: Mapping[str, Prediction]
    accounting: Accounting
    mask: np.ndarray | None = None
    subset: tuple[str, ...] | None = None
    clusters: np.ndarray | None = None
    cluster_name: str | None = None
    groups: np.ndarray | None = None
    group_names: tuple[str, ...] = ()
    group_column: str | None = None
    sample_weight: np.ndarray | None = None
    weight_name: str | None = None
    threshold: float = 0.5
    highest: tuple[str, ...] = ()
    guesses: tuple[str, ...] = ()
    inputs: tuple[tuple[str, FileRecord], ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.items)

    @property
    def votes_per_item(self) -> np.ndarray | None:
        """Votes behind each item, (N,) or (N, m); None when the reference is not made of votes."""
        return self.reference.sum(axis=-1) if self.reference_kind == "votes" else None

    def soft_reference(self) -> np.ndarray:
        """Return the reference as shares: (N,), (N, K) or (N, m), NaN where it has nothing."""
        if self.reference_kind == "distribution":
            shares = self.reference.astype(np.float64, copy=True)
        elif self.reference_kind == "votes":
            total = self.reference.sum(axis=-1, keepdims=True)
            with np.errstate(invalid="ignore"):
                shares = self.reference / total
            shares = shares if self.task in BY_CLASS else shares[..., 1]
        elif self.task in BY_CLASS:
            shares = np.equal.outer(self.reference, np.arange(len(self.labels))).astype(np.float64)
        else:
            shares = self.reference.astype(np.float64)
        if self.mask is not None:
            shares[~self.mask] = np.nan
        return shares

    def majority_reference(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the reference made hard, tied items shared among their tied classes, and where it counts.

        Returns
        -------
        tuple
            Shares of the shapes that `soft_reference` gives, 0 where nothing is known, and a mask like `mask`.
        """
        soft = self.soft_reference()
        axes = 2 if self.task == "multilabel" else 1
        known = np.ones(soft.shape[:axes], dtype=bool) if self.mask is None else self.mask.copy()
        hard = majority(np.nan_to_num(soft), exclusive=self.task in BY_CLASS)[0]
        if hard.ndim < soft.ndim:
            hard = np.equal.outer(hard, np.arange(soft.shape[1]))
        hard = hard.astype(np.float64)
        hard[~known] = 0
        return hard, known

    def arguments(self, name: str, reference: Literal["soft", "majority"] = "soft") -> dict[str, Any]:
        """Return one prediction and the reference as the keyword arguments of `IndicatorMatrix`.

        Parameters
        ----------
        name
            The prediction.
        reference
            The reference as it is, or made hard with tied items shared.
        """
        values, kind = self.reference, str(self.reference_kind)
        known = self.mask
        if reference == "majority" and kind != "labels":
            values, kind = self.majority_reference()[0], "distribution"
        elif kind == "votes" and self.task == "multilabel":
            values, kind = np.nan_to_num(self.soft_reference()), "distribution"
        if kind == "distribution" and self.task in BY_CLASS and known is not None:
            values = np.where(known[:, None], values, np.eye(len(self.labels))[0])  # masked rows must look whole
        prediction = self.predictions[name]
        return {
            "reference": values,
            "prediction": prediction.values,
            "task": self.task,
            "reference_kind": kind,
            "prediction_kind": prediction.kind,
            "labels": self.labels,
            "mask": known,
            "subset": self.subset,
            "sample_weight": self.sample_weight,
            "clusters": self.clusters,
            "threshold": self.threshold,
        }

    def provenance(self) -> dict[str, Any]:
        """Return what a report must keep so that it can be checked later: files, options, guesses, the account."""
        return {
            "inputs": [{"role": role, **record.to_dict()} for role, record in self.inputs],
            "options": dict(self.options),
            "guesses": list(self.guesses),
            "accounting": self.accounting.to_dict(),
        }
