"""A comparison in all its parts: verdicts, what would turn them around, groups of items, what could not be asked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from softtruth.conventions import convention_of
from softtruth.errors import NotAnswerableError
from softtruth.evaluation.comparison.by_dependence import dependence_swaps
from softtruth.evaluation.comparison.by_measure import convention_swaps, measure_swaps, view_swaps
from softtruth.evaluation.comparison.by_noise import TIES_LEFT_OUT, noise_findings
from softtruth.evaluation.comparison.by_prior import prior_swaps
from softtruth.evaluation.comparison.compared import Compared, not_asked, pairs_of, told_once
from softtruth.evaluation.comparison.findings import clustering, constant, corrected, mcnemar
from softtruth.evaluation.comparison.groups import Groups, group_findings, group_rows
from softtruth.evaluation.comparison.verdicts import verdicts
from softtruth.evaluation.views import MAJORITY, look_at
from softtruth.render.words import shown_question
from softtruth.report import findings as look
from softtruth.report.comparison import ComparisonReport
from softtruth.report.findings import columns_of, names
from softtruth.report.one_view import settings_of
from softtruth.report.questions import HEADLINES, questions_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from softtruth.evaluation.sides import Sides
    from softtruth.evaluation.views import Looks
    from softtruth.indicator_matrix import IndicatorMatrix
    from softtruth.report.difference import Difference
    from softtruth.report.parts import Finding, View
    from softtruth.report.questions import Question
    from softtruth.report.rows import Way
    from softtruth.uncertainty.interval import Interval


@dataclass(frozen=True)
class Asked:
    """What a comparison was asked, each as in ``compare_predictions``; ``also`` are measures without a verdict."""

    measures: Any
    operators: Any
    way: Way
    convention: str = "exclude"
    tnorm: Any = None
    coupling: Any = None
    ties: str = "share"
    baseline: str | None = None
    also: tuple[str, ...] = ()


def comparison_of(
    sides: Sides,
    asked: Asked,
    *,
    groups: tuple[NDArray[np.intp], list[str]] | None = None,
    group_column: str = "group",
    reference_accuracy: float | Interval | None = None,
) -> ComparisonReport:
    """Return the comparison of the predictions of one reference.

    Parameters
    ----------
    sides
        The reference and its predictions.
    asked
        What is asked.
    groups
        The group of each given item as a code, and the names of the groups.
    group_column
        What the groups are called.
    reference_accuracy
        How often labels are right, where that is known.

    Raises
    ------
    NotAnswerableError
        If no question has an answer.
    """
    pairs, against = pairs_of(list(sides.predictions), asked.baseline)
    looks = look_at(sides, asked.tnorm, asked.coupling, asked.ties)
    compared = _compared(looks, pairs, sides.first.task, asked)
    rows = _rows(compared)
    if not any(row.question in compared.questions for row in rows):
        question = next(iter(compared.questions.values()))
        raise NotAnswerableError(_why(compared, compared.main, question) or "no two predictions can be compared here.")
    parts: list[Difference] = []
    in_groups: list[Finding] = []
    if groups is not None:
        placed = Groups(_codes_by_view(sides, looks, groups[0]), groups[1], group_column)
        parts = group_rows(compared, placed)
        in_groups = group_findings(compared, placed, rows, parts)
    decisions = sides.decisions if sides.hard else compared.matrices[compared.main]
    main = next(iter(compared.matrices[compared.main].values()))
    swaps = [
        *measure_swaps(compared, rows),
        *view_swaps(compared, rows),
        *convention_swaps(compared),
        *prior_swaps(compared),
        *dependence_swaps(compared),
    ]
    noise = noise_findings(compared, decisions, reference_accuracy)
    told = [_with_noise(finding, noise) for finding in looks.findings if finding.code != "no_probabilities"]
    unasked = [finding for finding in (*swaps, *noise) if finding.code == "not_asked"]
    settings = settings_of(main, compared.views[compared.main], asked.convention, asked.way)
    coupling = {view: next(iter(matrices.values())).coupling for view, matrices in compared.matrices.items()}
    return ComparisonReport(
        title=f"Comparison of {names(sides.predictions, 4)}",
        task=main.task,
        classes=tuple(str(label) for label in main.labels),
        n=max(matrix.n for matrices in compared.matrices.values() for matrix in matrices.values()),
        predictions=tuple(sides.predictions),
        baseline=against,
        views=tuple(compared.views.values()),
        headline=tuple(compared.questions),
        rows=(*rows, *parts),
        verdicts=tuple(verdicts(compared, rows, against, chosen=asked.baseline is not None)),
        swaps=tuple(finding for finding in swaps if finding.code != "not_asked"),
        noise=tuple(finding for finding in noise if finding.code not in {"not_asked", TIES_LEFT_OUT}),
        groups=tuple(in_groups),
        findings=(*told, *_findings(sides, compared, rows, unasked, leads=asked.baseline is None)),
        group_column=None if groups is None else group_column,
        settings={**settings, "coupling": coupling, **looks.settings},
    )


def _compared(looks: Looks, pairs: Sequence[tuple[str, str]], task: str, asked: Asked) -> Compared:
    views: dict[str, View] = {}
    matrices: dict[str, dict[str, IndicatorMatrix]] = {}
    for name, view, matrix in looks.parts:
        views.setdefault(view.name, view)
        matrices.setdefault(view.name, {})[name] = matrix
    usual = {str(q): q for q in questions_of(task, None, None)}
    if asked.measures is None:
        chosen: dict[str, Question] = {name: usual[name] for name in HEADLINES[task]}
    else:
        chosen = {str(q): q for q in questions_of(task, asked.measures, asked.operators)}
    convention = str(convention_of(asked.convention))
    also = {str(q): q for q in questions_of(task, asked.also, None)} if asked.also else {}
    return Compared(task, views, matrices, pairs, chosen, {**chosen, **usual}, asked.way, convention, also)


def _rows(compared: Compared) -> list[Difference]:
    """Return the differences: those that were asked for in every view, all others in the first."""
    asked = {**compared.questions, **compared.also}
    found = [row for q in asked.values() for view in compared.views for row in compared.rows(q, view)]
    others = (q for name, q in compared.scanned.items() if name not in asked)
    return [*found, *(row for q in others for row in compared.rows(q, compared.main))]


def _why(compared: Compared, view: str, question: Question) -> str:
    """Return why a question has no answer in a view; nothing where it has one."""
    for matrix in compared.matrices[view].values():
        try:
            matrix.subset_accuracy() if isinstance(question, str) else matrix.compute(question)
        except NotAnswerableError as error:
            return str(error)
    return ""


def _codes_by_view(sides: Sides, looks: Looks, codes: NDArray[np.intp]) -> Mapping[str, NDArray[np.intp]]:
    """Return the group of each row of the examples, in every view."""
    examples = sides.first.examples
    rows = codes[sides.kept]
    if examples.within is not None:
        rows = rows[examples.within]
    untied = rows if looks.untied is None else rows[looks.untied]
    return {view.name: untied if view == MAJORITY else rows for _, view, _ in looks.parts}


def _with_noise(finding: Finding, noise: Sequence[Finding]) -> Finding:
    """Return what is said of ties with what becomes of them where labels may be wrong."""
    left = next((each.numbers["items"] for each in noise if each.code == TIES_LEFT_OUT), 0)
    if finding.code != "ties" or not left:
        return finding
    sentence = f"{finding.sentence.rstrip('.')}; what is said of wrong labels leaves them out."
    return replace(finding, sentence=sentence, numbers={**finding.numbers, "left_out_of_noise": left})


def _findings(
    sides: Sides, compared: Compared, rows: Sequence[Difference], unasked: Sequence[Finding], *, leads: bool
) -> list[Finding]:
    main = compared.matrices[compared.main]
    first = next(iter(main.values()))
    found = [
        *look.rare_classes(first, columns_of(first)),
        *clustering(first),
        *mcnemar(compared),
        *corrected(compared, leads=leads),
        *constant(main),
    ]
    unasked = [*unasked, *_without_probabilities(sides, compared)]
    for name, question in compared.questions.items():
        for view in compared.views:
            asked = any((r.question, r.view) == (name, view) for r in rows)
            if not asked and (why := _why(compared, view, question)):
                topic = compared.views[view].title if len(compared.views) > 1 else "differences"
                unasked.append(not_asked(topic, why, shown_question(name, compared.task)))
    return [*found, *told_once(unasked)]


def _without_probabilities(sides: Sides, compared: Compared) -> list[Finding]:
    """Say which predictions have only decisions, so that less can be asked of them."""
    found = []
    for view in compared.views:
        lost = [pair for pair in compared.pairs if pair not in compared.comparable(view)]
        if lost:
            pairs = names((f"{a} and {b}" for a, b in lost), 3)
            why = f"one has only decisions, the other probabilities ({pairs}); other views compare their decisions"
            found.append(not_asked(compared.views[view].title, why))
    bare = sides.only_decisions()
    if bare and len(bare) < len(sides.predictions):
        why = "there are only decisions, so nothing can be asked of other thresholds or of how sure it is"
        found.append(not_asked(f"probabilities of {names(bare)}", why))
    return found
