"""One number beside a decision: the score of a class, or how sure the model is of whatever it decided?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softtruth.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from softtruth.inputs.columns import Columns
    from softtruth.inputs.readings import Reading


def follows(columns: Columns, decision: str, score: str, threshold: float) -> bool:
    """Whether a score lies above the threshold exactly where one of two classes was decided."""
    coded = columns.coded(decision)
    above = columns.numbers(score) > threshold
    sides = [set(above[coded.codes == code].tolist()) for code in range(len(coded.values))]
    return len(sides) <= 2 and all(len(side) == 1 for side in sides) and (len(sides) < 2 or sides[0] != sides[1])


def decided(
    reading: Reading, readings: Sequence[Reading], columns: Columns, threshold: float, taken: Collection[str] = ()
) -> tuple[Reading, list[str]]:
    """Return the decisions in place of a score that contradicts them, and what was guessed.

    Such a score is the confidence in the decision, whichever it was: read as the score of the positive class it would
    turn half of the decisions round.

    Parameters
    ----------
    reading
        What was chosen as the prediction.
    readings
        All readings of the file.
    columns, threshold
        The file, and where a score becomes a decision.
    taken
        Columns of the other side.

    Raises
    ------
    InputError
        When the decisions stand in a column that may as well be a copy of the reference.
    """
    others = [r for r in readings if r.kind == "labels" and len(r.columns) == 1 and not set(r.columns) & set(taken)]
    others = sorted((r for r in others if r.side != "reference"), key=lambda r: r.side != "prediction")
    if reading.kind != "score" or reading.classes or not others:
        return reading, []
    (score,), (decision,) = reading.columns, others[0].columns
    if follows(columns, decision, score, threshold):
        return reading, []
    if others[0].side != "prediction":
        raise InputError(
            f"{columns.path}: {score!r} may be the score of one class or the confidence in {decision!r}, whichever it "
            f"names. If {decision!r} is the prediction pass --prediction-column {decision}; if it is a copy of the "
            f"reference, --prediction-column {score}."
        )
    said = (
        f"{columns.path}: at {threshold:g} {score!r} decides otherwise than {decision!r}, so it was taken for the "
        f"confidence in that decision and is not used (override: --prediction-column {score})."
    )
    return others[0], [said]
