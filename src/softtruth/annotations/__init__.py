"""Votes and rankings, turned into shares of classes and into majorities."""

from softtruth.annotations.majority import TIES, majority

__all__ = ["TIES", "majority"]
