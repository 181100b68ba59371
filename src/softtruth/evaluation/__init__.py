"""The front door: a reference and its predictions in, a report or a comparison out."""

from softtruth.evaluation.compare import compare_predictions, compare_problem
from softtruth.evaluation.front_door import evaluate
from softtruth.evaluation.problems import evaluate_problem, evaluate_table

__all__ = ["compare_predictions", "compare_problem", "evaluate", "evaluate_problem", "evaluate_table"]
