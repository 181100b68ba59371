"""How sure a number is, and on what assumption: an axis, not a class."""

from softtruth.uncertainty.influence import influence_interval
from softtruth.uncertainty.interval import Interval

__all__ = ["Interval", "influence_interval"]
