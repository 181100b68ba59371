"""How sure a number is, and on what assumption: an axis, not a class."""

from softtruth.uncertainty.comparison import Comparison, compare, compare_all
from softtruth.uncertainty.distribution import Distribution
from softtruth.uncertainty.imbens_manski import imbens_manski
from softtruth.uncertainty.influence import influence_interval
from softtruth.uncertainty.interval import Interval
from softtruth.uncertainty.mcnemar import McNemar, holm, mcnemar
from softtruth.uncertainty.mean_interval import mean_interval
from softtruth.uncertainty.plausibility import fold_samples, uncertainty_adjusted
from softtruth.uncertainty.resampling import resample
from softtruth.uncertainty.sample_size import sample_size, sample_size_of_share
from softtruth.uncertainty.telling_apart import items_to_tell

__all__ = [
    "Comparison",
    "Distribution",
    "Interval",
    "McNemar",
    "compare",
    "compare_all",
    "fold_samples",
    "holm",
    "imbens_manski",
    "influence_interval",
    "items_to_tell",
    "mcnemar",
    "mean_interval",
    "resample",
    "sample_size",
    "sample_size_of_share",
    "uncertainty_adjusted",
]
