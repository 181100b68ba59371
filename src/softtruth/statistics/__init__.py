"""Evidence that adds: ``Examples`` -> ``Table`` -> ``Cells``, with ``Moments`` and ``Means`` beside them."""

from softtruth.statistics.cells import Cells
from softtruth.statistics.coupling import Coupling
from softtruth.statistics.examples import Examples
from softtruth.statistics.means import Means
from softtruth.statistics.moments import Moments
from softtruth.statistics.table import Table

__all__ = ["Cells", "Coupling", "Examples", "Means", "Moments", "Table"]
