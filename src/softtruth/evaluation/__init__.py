"""The front door: a reference and its predictions in, a report out."""

from softtruth.evaluation.front_door import evaluate
from softtruth.evaluation.problems import evaluate_problem, evaluate_table

__all__ = ["evaluate", "evaluate_problem", "evaluate_table"]
