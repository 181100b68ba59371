"""Measures: formulas over a statistic, their traits, and the operators that average them."""

from softtruth.measures.catalogue import list_measures, parse
from softtruth.measures.distances import mean_cost, weighted_kappa
from softtruth.measures.measure import Measure
from softtruth.measures.operators import OPERATORS, Averaged, Operator, exemplar, macro, micro, weighted

__all__ = [
    "OPERATORS",
    "Averaged",
    "Measure",
    "Operator",
    "exemplar",
    "list_measures",
    "macro",
    "mean_cost",
    "micro",
    "parse",
    "weighted",
    "weighted_kappa",
]
