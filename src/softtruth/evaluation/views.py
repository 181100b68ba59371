"""The ways to look at a soft reference: as a majority, as it is, and as it is against the decision alone."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from softtruth.errors import InputError, NotAnswerableError
from softtruth.indicator_matrix import IndicatorMatrix
from softtruth.inputs.majority import majority
from softtruth.render.words import shown_question
from softtruth.report.findings import columns_of, number
from softtruth.report.parts import Finding, View
from softtruth.report.questions import HEADLINES
from softtruth.statistics.coupling import HARDENED, Coupling, coupling_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.evaluation.sides import Sides
    from softtruth.statistics.examples import Examples

REFERENCE = View("reference", "reference", "The decision against the class that the reference names.")
AS_ASKED = View(
    "reference", "reference", "The prediction with its probabilities against the class that the reference names."
)
MAJORITY = View("majority", "majority reference", "The decision against the most likely class of the reference.")
SOFT = View("soft", "soft reference", "The prediction with its probabilities against the shares of the reference.")
SOFT_ALONE = View("soft", "soft reference", "The decision against the shares of the reference.")
DECISION = View("soft_decision", "soft, decision only", "The decision against the shares of the reference.")

NOT_COMPARABLE = (
    "Values against the majority and against the soft reference are not comparable. With a soft reference the doubt of "
    "the annotators counts as partial error"
)
SAME = "Compare predictions against the same reference."
CONFIDENCE = "The soft reference rewards confidence; it does not check whether probabilities are right."
OF_TIED = {
    "share": "the majority reference shares each equally among its tied classes",
    "first": "the majority reference gives each to the first of its tied classes",
    "drop": "the majority reference leaves them out",
}


@dataclass(frozen=True)
class Looks:
    """What to report on.

    Attributes
    ----------
    parts : list of (prediction, View, IndicatorMatrix)
    findings : list of Finding
        What is known before any number.
    remark : str
        How the views may be read together.
    settings : dict
    untied : ndarray, optional
        The rows that the majority reference keeps; None for all.
    """

    parts: list[tuple[str, View, IndicatorMatrix]]
    findings: list[Finding] = field(default_factory=list)
    remark: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    untied: NDArray[np.intp] | None = None


def look_at(sides: Sides, tnorm: Any, coupling: Any, ties: str) -> Looks:
    """Return every prediction in every view that the reference calls for."""
    joint = coupling_of(tnorm, coupling)
    if sides.hard:
        if joint is HARDENED:
            return Looks([(name, REFERENCE, matrix) for name, matrix in sides.decisions.items()])
        given = {"tnorm": tnorm, "coupling": coupling}
        return Looks([(name, AS_ASKED, sides.matrix(name, **given)) for name in sides.predictions])
    given = {"tnorm": tnorm, "coupling": coupling} if joint is not HARDENED else {"coupling": "independent"}
    soft, findings = _as_they_are(sides, given)
    probable = any(matrix is not sides.decisions[name] for name, matrix in soft.items())
    parts: list[tuple[str, View, IndicatorMatrix]] = []
    for name, decision in sides.decisions.items():
        most_voted, tied, untied = majority_matrix(decision, ties)
        parts += [(name, MAJORITY, most_voted), (name, SOFT if probable else SOFT_ALONE, soft[name])]
        parts += [(name, DECISION, decision)] if probable else []
    if tied:
        n, what = sides.first.n, "entries" if sides.first.task == "multilabel" else "items"
        sentence = f"{tied:,} of {n:,} items are tied between their most likely classes: {OF_TIED[ties]}."
        if what == "entries":
            sentence = f"{tied:,} entries (an item and a label) are tied between yes and no: {OF_TIED[ties]}."
        elif untied is not None:
            sentence = f"{sentence[:-1]} and rests on {len(untied):,} items, all else on {n:,}."
        findings.insert(0, Finding("ties", "note", sentence, {"tied": tied, "items": n}))
    says = _remark(sides.first, coupling_of(given.get("tnorm"), given.get("coupling")), probable=probable)
    return Looks(parts, findings, says, {"ties": ties}, untied)


def _as_they_are(sides: Sides, given: dict[str, Any]) -> tuple[dict[str, IndicatorMatrix], list[Finding]]:
    """Return each prediction with its probabilities, or its decision where it has none."""
    found, without, reasons = {}, [], []
    for name, decision in sides.decisions.items():
        matrix = decision
        if sides.kinds[name] not in {"labels", "scores"}:
            try:
                matrix = sides.matrix(name, **given)
            except InputError as error:  # the decision was accepted, so these are scores and no probabilities
                reasons.append(str(error))
        soft = matrix.examples.prediction.dtype.kind == "f"
        found[name] = matrix if soft else decision
        without += [] if soft else [name]
    findings = []
    if without and len(without) < len(found):
        sentence = (
            f"No probabilities in {', '.join(without)}: its decision stands in the soft column, and is comparable with "
            "the others in the column of decisions only."
        )
        findings.append(Finding("no_probabilities", "warning", sentence, {"predictions": without}))
    elif reasons:
        sentence = (
            f"The predictions are scores and no probabilities, so only their decisions are looked at ({reasons[0]})"
        )
        findings.append(Finding("scores", "note", sentence, {"predictions": without}))
    return found, findings


class MajorityMatrix(NamedTuple):
    """Decisions against the majority of the reference.

    Attributes
    ----------
    matrix : IndicatorMatrix
    tied : int
        How many items, of multilabel data entries, have no single majority.
    rows : ndarray or None
        The rows that are left; None for all.
    """

    matrix: IndicatorMatrix
    tied: int
    rows: NDArray[np.intp] | None = None


def majority_matrix(decision: IndicatorMatrix, ties: str) -> MajorityMatrix:
    """Return the same decisions against the majority of the reference."""
    examples = decision.examples
    exclusive = decision.task in {"multiclass", "ordinal"}
    reference, tied = majority(examples.reference, exclusive=exclusive, ties=ties)
    if examples.mask is not None:
        tied = tied & examples.mask
    changed, rows = replace(examples, reference=reference), None
    if ties == "drop" and tied.any():
        if examples.task == "multilabel":
            changed = replace(changed, mask=~tied if examples.mask is None else examples.mask & ~tied)
        else:
            rows = np.flatnonzero(~tied.reshape(len(examples), -1).any(axis=1))
            changed = changed.taken(rows)
    return MajorityMatrix(like(decision, changed), int(tied.sum()), rows)


def like(matrix: IndicatorMatrix, examples: Examples) -> IndicatorMatrix:
    """Return a matrix of other examples with the names and settings of this one."""
    columns = columns_of(matrix)
    subset = None if len(columns) == matrix.cells.n_classes else [matrix.labels[k] for k in columns]
    made = IndicatorMatrix.of(examples, labels=matrix.labels, subset=subset)
    made.threshold = matrix.threshold
    return made


def _remark(decision: IndicatorMatrix, joint: Coupling, *, probable: bool) -> str:
    """Say why the columns are not comparable, with the numbers of this very reference."""
    examples = decision.examples
    hard, _ = majority(examples.reference, exclusive=decision.task in {"multiclass", "ordinal"}, ties="first")
    best = like(decision, replace(examples, prediction=hard))
    itself = like(decision, replace(examples, prediction=examples.reference, coupling=joint))
    for question in HEADLINES[decision.task]:
        try:
            top, same = best.compute(question), itself.compute(question)
        except NotAnswerableError:
            continue
        name = shown_question(question, decision.task)
        perfect = f"even one that always names the most likely class has {name} {number(top)} here"
        if probable and same < 1:
            perfect = (
                f"even a perfect one, which outputs the reference itself, has {name} {number(same)} here, and one that "
                f"always names the most likely class {number(top)}"
            )
        said = f"{NOT_COMPARABLE}: a model cannot help it, and {perfect}. {SAME}"
        return f"{said} {CONFIDENCE}" if probable else said
    return f"{NOT_COMPARABLE}. {SAME}"
