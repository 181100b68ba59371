"""How good is a classifier when the ground truth is not hard truth?

Labels that are annotators' shares, disputed, wrong at some rate, or drawn at another class frequency than where the
model will work: any measure, under any average, each with its interval and the assumption that it stands on.

>>> from softtruth import IndicatorMatrix
>>> im = IndicatorMatrix([0.8, 0.3, 1.0, 0.0], [0.6, 0.5, 0.25, 0.9], task="binary", tnorm="product")
>>> round(im.compute("f1"), 4)
0.4046
"""

# No `from __future__ import annotations` here: it would hide the package of that name.
from importlib import import_module
from typing import TYPE_CHECKING, Any

from softtruth._version import __version__

if TYPE_CHECKING:
    from softtruth import annotations, people, plots, sets, structure, tnorms
    from softtruth.annotations.answers import Answers
    from softtruth.annotations.dawid_skene import dawid_skene
    from softtruth.conventions import Convention
    from softtruth.corrections.annotated_reference import reference_accuracy_from_annotators
    from softtruth.corrections.audit import audit_apply, difference_estimate
    from softtruth.corrections.audit_sample import audit_plan
    from softtruth.corrections.crossing import crossing_prior
    from softtruth.corrections.label_shift import label_shift_test
    from softtruth.corrections.noisy_table import noisy_bounds
    from softtruth.corrections.order_at_priors import order_at_priors
    from softtruth.corrections.order_under_noise import order_under_noise
    from softtruth.corrections.prior_curve import long_tail, prevalence_grid, prior_curve, prior_path
    from softtruth.corrections.shared_errors import shared_errors
    from softtruth.corrections.suspects import suspects
    from softtruth.corrections.target_prior import estimate_prior
    from softtruth.corrections.true_accuracy import true_accuracy
    from softtruth.corrections.true_table import true_table
    from softtruth.corrections.two_models import ranking_is_robust
    from softtruth.corrections.under_prior import under_prior
    from softtruth.engines.door import count_stream, evaluate, evaluate_stream
    from softtruth.errors import InputError, MissingPackageError, NotAnswerableError, SofttruthError
    from softtruth.evaluation.compare import compare_predictions
    from softtruth.indicator_matrix import IndicatorMatrix
    from softtruth.measures import Measure, list_measures, parse
    from softtruth.report import ComparisonReport, FindingWarning, Report
    from softtruth.rk import rk_coeff, rk_coeff_np, rk_gradient
    from softtruth.statistics import Cells, Means, Moments, Table
    from softtruth.tnorms import marginal_defect
    from softtruth.uncertainty import (
        Comparison,
        Distribution,
        Interval,
        McNemar,
        compare,
        compare_all,
        fold_samples,
        holm,
        imbens_manski,
        items_to_tell,
        mcnemar,
        mean_interval,
        resample,
        sample_size,
        sample_size_of_share,
        uncertainty_adjusted,
    )

# Names are loaded when first used, so that importing the package costs nothing.
_HOMES = {
    "Answers": "annotations.answers",
    "Cells": "statistics",
    "Comparison": "uncertainty",
    "ComparisonReport": "report",
    "Convention": "conventions",
    "Distribution": "uncertainty",
    "FindingWarning": "report",
    "IndicatorMatrix": "indicator_matrix",
    "InputError": "errors",
    "Interval": "uncertainty",
    "McNemar": "uncertainty",
    "Means": "statistics",
    "Measure": "measures",
    "MissingPackageError": "errors",
    "Moments": "statistics",
    "NotAnswerableError": "errors",
    "Report": "report",
    "SofttruthError": "errors",
    "Table": "statistics",
    "annotations": "annotations",
    "audit_apply": "corrections.audit",
    "audit_plan": "corrections.audit_sample",
    "compare": "uncertainty",
    "compare_all": "uncertainty",
    "compare_predictions": "evaluation.compare",
    "count_stream": "engines.door",
    "crossing_prior": "corrections.crossing",
    "dawid_skene": "annotations.dawid_skene",
    "difference_estimate": "corrections.audit",
    "estimate_prior": "corrections.target_prior",
    "evaluate": "engines.door",
    "evaluate_stream": "engines.door",
    "fold_samples": "uncertainty",
    "holm": "uncertainty",
    "imbens_manski": "uncertainty",
    "items_to_tell": "uncertainty",
    "label_shift_test": "corrections.label_shift",
    "list_measures": "measures",
    "long_tail": "corrections.prior_curve",
    "marginal_defect": "tnorms",
    "mcnemar": "uncertainty",
    "mean_interval": "uncertainty",
    "noisy_bounds": "corrections.noisy_table",
    "order_at_priors": "corrections.order_at_priors",
    "order_under_noise": "corrections.order_under_noise",
    "parse": "measures",
    "people": "people",
    "plots": "plots",
    "prevalence_grid": "corrections.prior_curve",
    "prior_curve": "corrections.prior_curve",
    "prior_path": "corrections.prior_curve",
    "ranking_is_robust": "corrections.two_models",
    "reference_accuracy_from_annotators": "corrections.annotated_reference",
    "resample": "uncertainty",
    "rk_coeff": "rk",
    "rk_coeff_np": "rk",
    "rk_gradient": "rk",
    "sample_size": "uncertainty",
    "sample_size_of_share": "uncertainty",
    "sets": "sets",
    "shared_errors": "corrections.shared_errors",
    "structure": "structure",
    "suspects": "corrections.suspects",
    "tnorms": "tnorms",
    "true_accuracy": "corrections.true_accuracy",
    "true_table": "corrections.true_table",
    "uncertainty_adjusted": "uncertainty",
    "under_prior": "corrections.under_prior",
}

__all__ = [
    "Answers",
    "Cells",
    "Comparison",
    "ComparisonReport",
    "Convention",
    "Distribution",
    "FindingWarning",
    "IndicatorMatrix",
    "InputError",
    "Interval",
    "McNemar",
    "Means",
    "Measure",
    "MissingPackageError",
    "Moments",
    "NotAnswerableError",
    "Report",
    "SofttruthError",
    "Table",
    "__version__",
    "annotations",
    "audit_apply",
    "audit_plan",
    "compare",
    "compare_all",
    "compare_predictions",
    "count_stream",
    "crossing_prior",
    "dawid_skene",
    "difference_estimate",
    "estimate_prior",
    "evaluate",
    "evaluate_stream",
    "fold_samples",
    "holm",
    "imbens_manski",
    "items_to_tell",
    "label_shift_test",
    "list_measures",
    "long_tail",
    "marginal_defect",
    "mcnemar",
    "mean_interval",
    "noisy_bounds",
    "order_at_priors",
    "order_under_noise",
    "parse",
    "people",
    "plots",
    "prevalence_grid",
    "prior_curve",
    "prior_path",
    "ranking_is_robust",
    "reference_accuracy_from_annotators",
    "resample",
    "rk_coeff",
    "rk_coeff_np",
    "rk_gradient",
    "sample_size",
    "sample_size_of_share",
    "sets",
    "shared_errors",
    "structure",
    "suspects",
    "tnorms",
    "true_accuracy",
    "true_table",
    "uncertainty_adjusted",
    "under_prior",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its home."""
    if name not in _HOMES:
        msg = f"module 'softtruth' has no attribute {name!r}"
        raise AttributeError(msg)
    module = import_module(f"softtruth.{_HOMES[name]}")
    return module if name == _HOMES[name] else getattr(module, name)


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
