"""Votes and rankings, turned into distributions over classes and into majorities."""

from softtruth.annotations.answers import Answers
from softtruth.annotations.dirichlet import dirichlet_samples
from softtruth.annotations.irn import inverse_rank_normalization, irn_parameters, irn_samples
from softtruth.annotations.overlap import average_overlap, partial_average_overlap, reader_overlap
from softtruth.annotations.rankings import Rankings
from softtruth.annotations.votes import distribution_samples, distribution_variance, distributions, vote_counts
from softtruth.inputs.majority import TIES, majority

__all__ = [
    "TIES",
    "Answers",
    "Rankings",
    "average_overlap",
    "dirichlet_samples",
    "distribution_samples",
    "distribution_variance",
    "distributions",
    "inverse_rank_normalization",
    "irn_parameters",
    "irn_samples",
    "majority",
    "partial_average_overlap",
    "reader_overlap",
    "vote_counts",
]
