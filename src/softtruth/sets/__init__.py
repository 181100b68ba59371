"""Sets of predicted classes, measured against label distributions: top-k sets, coverage, size.

The names and shapes are those of ``classification_metrics.py`` of Stutz et al. (2023), so that code written for it runs
with one line changed: ``from softtruth import sets as classification_metrics``. NumPy, torch and JAX arrays go in, and
arrays of the same library come out; every function works under ``jax.jit`` (``k``, ``clip`` and ``ties`` static) and
``vmap``, where only shapes are checked.

Sources: Stutz, Roy, Matejovicova, Strachan, Cemgil & Doucet 2023, Conformal prediction under ambiguous ground truth,
Transactions on Machine Learning Research, doi:10.48550/arXiv.2307.09302; Stutz et al. 2023, Evaluating AI systems under
uncertain ground truth: a case study in dermatology, doi:10.48550/arXiv.2307.02191.
"""

from softtruth.sets.certainty import (
    annotation_certainty,
    rank_shares,
    sampled_rank_shares,
    uncertainty_adjusted_topk_accuracy,
)
from softtruth.sets.coverage import aggregated_coverage, coverage_by_class, coverage_by_size, set_cells
from softtruth.sets.mass_sets import coverage_ceiling, mass_sets
from softtruth.sets.prediction_sets import size, valid_prediction_sets
from softtruth.sets.topk import topk_indicators, topk_sets
from softtruth.sets.topk_accuracy import aggregated_topk_accuracy, topk_ceiling

__all__ = [
    "aggregated_coverage",
    "aggregated_topk_accuracy",
    "annotation_certainty",
    "coverage_by_class",
    "coverage_by_size",
    "coverage_ceiling",
    "mass_sets",
    "rank_shares",
    "sampled_rank_shares",
    "set_cells",
    "size",
    "topk_ceiling",
    "topk_indicators",
    "topk_sets",
    "uncertainty_adjusted_topk_accuracy",
    "valid_prediction_sets",
]
