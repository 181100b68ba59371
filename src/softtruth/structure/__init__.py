"""How numbers about one problem hang together: rates, dominance, gaps between averages, folds, costs, suites."""

from softtruth.structure.coordinates import canonical_coordinates, degrees_of_freedom, dominance
from softtruth.structure.cost import example_costs, total_cost
from softtruth.structure.folds import over_folds
from softtruth.structure.gap import Gap, micro_macro_gap
from softtruth.structure.suites import Suite, best_suite, jacobian, suite_of

__all__ = [
    "Gap",
    "Suite",
    "best_suite",
    "canonical_coordinates",
    "degrees_of_freedom",
    "dominance",
    "example_costs",
    "jacobian",
    "micro_macro_gap",
    "over_folds",
    "suite_of",
    "total_cost",
]
