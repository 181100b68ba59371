"""Groups of items: the differences in each, where the order reverses, and the worst group of each prediction."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from softtruth.errors import InputError
from softtruth.evaluation.comparison.compared import better_of, judged, other_of
from softtruth.evaluation.views import like
from softtruth.measures import Averaged
from softtruth.measures.operators import macro
from softtruth.render.words import shown_question
from softtruth.report.comparison_words import oriented
from softtruth.report.findings import FEW_ITEMS, class_sizes, names, number
from softtruth.report.parts import Finding
from softtruth.uncertainty.mcnemar import holm
from softtruth.uncertainty.rounding import best_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from softtruth.evaluation.comparison.compared import Compared
    from softtruth.evaluation.comparison.pairs import Pair
    from softtruth.indicator_matrix import IndicatorMatrix
    from softtruth.report.difference import Difference

MOST_GROUPS = 200


class Groups(NamedTuple):
    """Which group each row of a matrix belongs to.

    Attributes
    ----------
    codes : dict of view name to ndarray
        One for each row of the examples of that view.
    labels : sequence of str
    column : str
        What the groups are called.
    """

    codes: Mapping[str, NDArray[np.intp]]
    labels: Sequence[str]
    column: str


def checked_groups(groups: Sequence[object], n: int) -> tuple[NDArray[np.intp], list[str]]:
    """Return the group of each item as a code, and the names of the groups.

    Raises
    ------
    InputError
        If there is not one for each item, or there are too many groups.
    """
    try:
        given = np.asarray(groups)
    except ValueError:  # rows of different lengths
        given = np.empty(0)
    if given.shape != (n,):
        msg = f"groups have shape {given.shape}, expected one for each of {n:,} items."
        raise InputError(msg)
    labels, codes = np.unique(given.astype(str), return_inverse=True)
    if len(labels) > MOST_GROUPS:
        msg = (
            f"there are {len(labels):,} groups for {n:,} items, expected {MOST_GROUPS} at most; a column that names "
            "each item, or a number, makes no groups: give one with few values."
        )
        raise InputError(msg)
    return codes.astype(np.intp), labels.tolist()


def group_rows(compared: Compared, groups: Groups) -> list[Difference]:
    """Return the differences within each group, in every view, p-values corrected over groups and pairs."""
    found: list[Difference] = []
    for view, matrices in compared.matrices.items():
        codes = groups.codes[view]
        parts = {
            label: {name: _part(matrix, codes == code) for name, matrix in matrices.items()}
            for code, label in enumerate(groups.labels)
            if (codes == code).any()
        }
        for question in compared.questions.values():
            rows = [r for label, part in parts.items() for r in compared.rows(question, view, part, label)]
            found += _corrected(rows)
    return found


def _part(matrix: IndicatorMatrix, chosen: NDArray[np.bool_]) -> IndicatorMatrix:
    return like(matrix, matrix.examples.taken(np.flatnonzero(chosen)))


def _corrected(rows: list[Difference]) -> list[Difference]:
    """Return the rows with Holm's correction over all of them, and the verdicts that it leaves."""
    adjusted = holm([row.p_value for row in rows]).tolist()
    tests = sum(not math.isnan(p) for p in adjusted)
    return [row if math.isnan(p) else _judged_again(row, p, tests) for row, p in zip(rows, adjusted, strict=True)]


def _judged_again(row: Difference, p_adjusted: float, tests: int) -> Difference:
    again = replace(row, p_adjusted=p_adjusted, verdict="undecided", items_needed=None)
    return judged(again, same=row.verdict == "same", comparisons=tests)


def group_findings(
    compared: Compared, groups: Groups, whole: Sequence[Difference], parts: Sequence[Difference]
) -> list[Finding]:
    """Say where groups disagree with the whole, and which is the worst group of each prediction.

    Parameters
    ----------
    compared
        What is compared.
    groups
        The groups.
    whole, parts
        The differences of all items, and within each group.
    """
    found: list[Finding] = []
    view = compared.main
    single = _of_one_class(compared, groups)
    for name, question in compared.questions.items():
        shown = shown_question(name, compared.task)
        mine = [r for r in parts if (r.question, r.view) == (name, view)]
        if single and isinstance(question, Averaged) and question.operator is macro:
            mine = [r for r in mine if r.group not in single]
            found.append(_one_class(shown, single, groups))
            if not mine:
                continue
        for pair in compared.contested(view):
            here = [r for r in mine if r.pair == pair]
            lead = next((r for r in whole if (r.question, r.view, r.pair) == (name, view, pair)), None)
            if lead is not None and lead.ahead:
                found += _reversals(shown, pair, lead.ahead, here, groups.column)
        if better_of(question) != "neither":
            large = [r for r in mine if r.items >= FEW_ITEMS]
            found += _worst(shown, large, groups.column, lower=better_of(question) == "lower")
    few = [label for label in groups.labels if 0 < _size(groups, view, label) < FEW_ITEMS]
    if few:
        sentence = f"{len(few)} of {len(groups.labels)} groups have fewer than {FEW_ITEMS} items: {names(few)}."
        found.append(Finding("small_groups", "note", sentence, {"groups": few}))
    return found


def _of_one_class(compared: Compared, groups: Groups) -> list[str]:
    """Return the groups in which at most one class has more than a few items; of labels that hold together, none."""
    if compared.task not in {"multiclass", "ordinal"}:
        return []
    matrix = next(iter(compared.matrices[compared.main].values()))
    codes = groups.codes[compared.main]
    found = []
    for code, label in enumerate(groups.labels):
        here = codes == code
        if here.any() and (class_sizes(_part(matrix, here)) >= FEW_ITEMS).sum() < 2:
            found.append(label)
    return found


def _one_class(name: str, single: Sequence[str], groups: Groups) -> Finding:
    sentence = (
        f"{name} is not looked at in {len(single)} of {len(groups.labels)} groups{_of(groups.column)}, where one class "
        f"at most has {FEW_ITEMS} items: an average over classes says little there."
    )
    return Finding("groups_of_one_class", "note", sentence, {"measure": name, "groups": list(single)})


def _size(groups: Groups, view: str, label: str) -> int:
    return int((groups.codes[view] == list(groups.labels).index(label)).sum())


def _reversals(name: str, pair: Pair, ahead: str, rows: Sequence[Difference], column: str) -> list[Finding]:
    """Say in which groups the other prediction is ahead; where it is in all of them, that the mix made the order."""
    other = other_of(pair, ahead)
    defined = [r for r in rows if not math.isnan(r.gain)]
    against = [r for r in defined if r.ahead == other]
    sure_with = [_called(r.group, column) for r in defined if r.beyond_chance and r.ahead == ahead]
    numbers = {
        "measure": name,
        "ahead": ahead,
        "against": [r.group for r in against],
        "sure_against": [r.group for r in against if r.beyond_chance],
        "sure_with": [r.group for r in defined if r.beyond_chance and r.ahead == ahead],
    }
    sure = f"; beyond chance in {names(sure_with)}" if sure_with else "; beyond chance in none"
    if not against:
        sentence = (
            f"{name}: {ahead} is ahead over all items, and {other} in none of the {len(defined)} groups{_of(column)}"
        )
        return [Finding("groups_agree", "note", f"{sentence}{sure}.", numbers, pair)]
    biggest = sorted(against, key=lambda r: (not r.beyond_chance, -r.items))
    listed = names(
        (
            f"{_called(r.group, column)} by {oriented(r)[2]}{'' if r.beyond_chance else ', which may be chance'}"
            for r in biggest
        ),
        5,
    )
    if len(against) > 1 and all(r.ahead != ahead for r in defined):
        sentence = (
            f"{name}: {ahead} is ahead over all items, and {other} in every group{_of(column)} where they differ "
            f"(Simpson's paradox): {listed}. The mix of the groups makes the order; compare within them."
        )
        return [Finding("simpson", "warning", sentence, numbers, pair)]
    sentence = (
        f"{name}: {ahead} is ahead over all items{sure}. The order reverses in {len(against)} of {len(defined)} "
        f"groups{_of(column)}: {other} is ahead in {listed}."
    )
    return [Finding("order_reverses", "warning" if numbers["sure_against"] else "note", sentence, numbers, pair)]


def _called(group: str | None, column: str) -> str:
    """Return the name of a group; a number says nothing without what is counted."""
    return f"{column} {group}" if str(group).replace(".", "").isdigit() else str(group)


def _of(column: str) -> str:
    return "" if column == "group" else f" of {column}"


def _worst(name: str, rows: Sequence[Difference], column: str, *, lower: bool) -> list[Finding]:
    """Say in which group each prediction is worst, and whose worst group is best."""
    values: dict[str, dict[str, float]] = {}
    for row in rows:
        for prediction, value in zip(row.pair, row.values, strict=True):
            if not math.isnan(value) and row.group is not None:
                values.setdefault(prediction, {})[row.group] = value
    if len(values) < 2 or max(len(of) for of in values.values()) < 2:
        return []
    worst = {prediction: best_of(of, "higher" if lower else "lower")[0] for prediction, of in values.items()}
    at = {prediction: values[prediction][group] for prediction, group in worst.items()}
    best = best_of(at, "lower" if lower else "higher")
    each = "; ".join(
        f"{prediction} {number(at[prediction])} ({_called(group, column)})" for prediction, group in worst.items()
    )
    sentence = f"{name} in the worst group{_of(column)}: {each}."
    if len(best) < len(at):
        sentence += f" The best of these {'is' if len(best) == 1 else 'are'} {' and '.join(best)}."
    numbers = {"measure": name, "worst": worst, "values": at, "best": best[0], "equal": best[1:]}
    return [Finding("worst_group", "note", sentence, numbers)]
