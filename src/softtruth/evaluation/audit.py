"""How often labels and predictions are right, by a sample of items that was reviewed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from softtruth.corrections.audit import audit_apply
from softtruth.corrections.true_accuracy import true_accuracy
from softtruth.evaluation.noise import decisions, majority_shares, reference_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from softtruth.inputs.problem import Problem


def audit_words(
    problem: Problem,
    rows: NDArray[np.intp],
    truth: NDArray[np.intp],
    stratum: NDArray[np.intp],
    sizes: NDArray[np.intp],
    *,
    level: float = 0.95,
) -> str:
    """How often are the labels and each prediction right, and what did the review of the prediction add?

    Parameters
    ----------
    problem : Problem
        Of items that have a label (``noise.labelled``).
    rows, truth, stratum, sizes
        As ``audit_apply`` takes them.
    level : float
    """
    shares, lines = majority_shares(problem), []
    for name in problem.predictions:
        found = audit_apply(
            shares, decisions(problem, name), rows=rows, truth=truth, stratum=stratum, sizes=sizes, level=level
        )
        rate = replace(found.reference_accuracy, value=min(found.reference_accuracy.value, 1.0))
        limits = true_accuracy(found.observed, rate, len(problem.labels), level=level).interval
        lines += [f"{name}, against {reference_words(problem)}", *(f"  {line}" for line in str(found).splitlines())]
        lines.append(
            f"  Without the review of the model, that accuracy of the labels alone would leave {limits.low:.4f} to "
            f"{limits.high:.4f}, its own uncertainty included ({100 * level:g} % interval)."
        )
    return "\n".join(lines)
