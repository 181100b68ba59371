"""What the user says about streamed data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from softtruth.inputs.readings import Reading


@dataclass(frozen=True)
class Wanted:
    """What the user says about streamed data; None leaves it to the columns.

    Attributes
    ----------
    task, labels, positive, threshold, coupling, tnorm, ties, subset, ignore
        As for ``evaluate``.
    label : str, optional
        The column of the reference; a pattern or a comma list for one column a class.
    prediction_column : str or mapping, optional
        The same for the prediction, or for several by name.
    item : str or mapping, optional
        The column of items; or one for each of ``reference``, ``prediction``, ``items`` and names of predictions.
    annotator, weight, cluster : str, optional
        Columns.
    where, rename : tuple of str
        Filters such as ``reference:role=expert``, and changes of class names such as ``old=new``.
    normalize, drop_missing : bool
        Whether rows of shares are divided by their sums, and rows without a prediction left out.
    reference_kind, prediction_kind : str
        As for ``evaluate``.
    measures, operators, interval, draws, seed
        What will be asked: averages over examples, and replicates, must be known before the rows go by.
    """

    task: str | None = None
    labels: tuple[Any, ...] | None = None
    positive: str | None = None
    label: str | None = None
    prediction_column: str | Mapping[str, str] | None = None
    item: str | Mapping[str, str] | None = None
    annotator: str | None = None
    weight: str | None = None
    cluster: str | None = None
    threshold: float = 0.5
    reference_kind: str = "auto"
    prediction_kind: str | Mapping[str, str] = "auto"
    coupling: str | None = None
    tnorm: str | None = None
    ties: str = "share"
    subset: tuple[Any, ...] | None = None
    ignore: tuple[str, ...] = ()
    measures: Any = None
    operators: Any = None
    interval: str = "influence"
    draws: int = 2000
    seed: int = 0
    where: tuple[str, ...] = ()
    rename: tuple[str, ...] = ()
    normalize: bool = False
    drop_missing: bool = False
    delimiter: str | None = None
    readings: Mapping[str, Reading] | None = None
