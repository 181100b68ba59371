"""Problems that were read from files in, a report out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.errors import InputError
from softtruth.evaluation.behind import Behind
from softtruth.evaluation.front_door import report_of_sides
from softtruth.evaluation.people import people_findings
from softtruth.evaluation.sides import Sides
from softtruth.evaluation.suspects import suspects_of
from softtruth.indicator_matrix import IndicatorMatrix
from softtruth.inputs.predictions import NO_PROBABILITIES
from softtruth.report.one_view import report_of
from softtruth.statistics import Cells, Table
from softtruth.statistics.coupling import HARDENED, coupling_of

if TYPE_CHECKING:
    from softtruth.inputs.finished import FinishedTable
    from softtruth.inputs.problem import Problem
    from softtruth.report import Report

# The account of a problem says these already, in its own words.
_ACCOUNTED = frozenset({"left_out"})


def sides_of(problem: Problem, tnorm: Any = None, coupling: Any = None) -> Sides:
    """Return the reference and the predictions of a problem, each pair as a matrix.

    Raises
    ------
    InputError
        If soft sides are to meet in some way, and a prediction holds scores, which have no degrees.
    """
    if problem.highest and coupling_of(tnorm, coupling) is not HARDENED:
        raise InputError(NO_PROBABILITIES)
    reference, kind = problem.reference, problem.reference_kind
    if kind == "votes" and problem.task == "multilabel":  # yes and no for each label: the share of yes says it
        reference, kind = np.nan_to_num(problem.soft_reference()), "distribution"
    settings = {
        "task": problem.task,
        "reference_kind": kind,
        "labels": problem.labels,
        "mask": problem.mask,
        "subset": problem.subset,
        "clusters": problem.clusters,
        "sample_weight": problem.sample_weight,
        "threshold": problem.threshold,
    }
    return Sides(
        reference,
        {name: prediction.values for name, prediction in problem.predictions.items()},
        {name: prediction.kind for name, prediction in problem.predictions.items()},
        settings,
    )


def evaluate_problem(problem: Problem, *, answers: Any = None, **asked: Any) -> Report:
    """How good are the predictions of this problem?

    Parameters
    ----------
    problem : Problem
        What ``load_problem`` read and aligned.
    answers : Answers, or mapping of label to Answers, optional
        Who answered what on these items (``annotations.answer_files.load_answers``), to see the predictions beside
        people.
    **asked
        ``measures``, ``operators``, ``convention``, ``level``, ``interval``, ``draws``, ``seed``, ``ties``,
        ``max_classes``, ``reference_accuracy``, ``n_reference``, ``tnorm`` and ``coupling`` of ``evaluate``.

    Returns
    -------
    Report
        Its ``provenance`` holds the files with hashes and row counts, the options, the guesses and the account of
        items.
    """
    joint: dict[str, Any] = {"tnorm": None, "coupling": None, "ties": "share"}
    joint = {name: asked.pop(name, value) for name, value in joint.items()}
    sides = sides_of(problem, joint["tnorm"], joint["coupling"])
    report = report_of_sides(sides, asked, **joint)
    columns = {"weight": problem.weight_name, "cluster": problem.cluster_name}
    return replace(
        report,
        findings=(
            *(finding for finding in report.findings if finding.code not in _ACCOUNTED),
            *people_findings(Behind.of_problem(problem), answers, level=asked.get("level", 0.95)),
        ),
        settings={**report.settings, **{key: name for key, name in columns.items() if name is not None}},
        provenance=problem.provenance(),
        sections=_with_suspects(report, problem, answers, asked.get("reference_accuracy")),
    )


def _with_suspects(report: Report, problem: Problem, answers: Any, right: Any) -> dict[str, Any]:
    """Return the sections of the report, and the labels that are most doubtful."""
    known = right if right is None or isinstance(right, float) else right.value
    found = suspects_of(problem, answers, known)
    return {**report.sections, "suspects": found} if found else dict(report.sections)


def evaluate_table(table: FinishedTable, **asked: Any) -> Report:
    """What do these finished counts say?

    Parameters
    ----------
    table : FinishedTable
        What ``load_table`` read.
    **asked
        ``measures``, ``operators``, ``convention``, ``level``, ``interval``, ``draws``, ``seed``, ``max_classes``,
        ``reference_accuracy`` and ``n_reference`` of ``evaluate``.

    Returns
    -------
    Report
        Without measures that need the items themselves, such as those under ``exemplar``.
    """
    if table.form == "cells":
        statistic: Table | Cells = Cells.of(*table.counts.T, task="multilabel")
    else:
        statistic = Table.of(table.counts, task="binary" if len(table.labels) == 2 else "multiclass")
    matrix = IndicatorMatrix.of(statistic, labels=table.labels)
    inputs = [{"role": "table", **record.to_dict()} for record in table.inputs]
    provenance = {"inputs": inputs, "options": dict(table.options), "guesses": list(table.guesses)}
    return replace(report_of(matrix, **asked), title="Evaluation of a finished table", provenance=provenance)
