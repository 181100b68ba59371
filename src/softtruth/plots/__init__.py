"""Pictures of results, in the manner of scikit-learn's displays: ``XDisplay.from_...(...).plot(ax=None)``.

A display holds what is drawn; ``plot`` draws it, on axes that are given or on a figure of its own, and returns the
display with ``ax_`` and ``figure_``. A figure of its own is not one of pyplot's, so that no window opens and nothing
has to be closed: save it with ``display.figure_.savefig(...)``. In a notebook a display shows itself. For pyplot pass
``ax=plt.gca()``.

Series differ in colour, line and marker, so that they can be told apart in grey and by colour-blind readers. Above each
picture stands what it assumes.

matplotlib is loaded when the first picture is drawn; ``pip install "softtruth[plot]"`` brings it.
"""

from softtruth.plots.confusion import ConfusionDisplay
from softtruth.plots.coverage import CoverageDisplay
from softtruth.plots.dependence import DependenceDisplay
from softtruth.plots.display import Display
from softtruth.plots.intervals import IntervalDisplay
from softtruth.plots.noise import NoiseCurveDisplay
from softtruth.plots.priors import PriorCurveDisplay

__all__ = [
    "ConfusionDisplay",
    "CoverageDisplay",
    "DependenceDisplay",
    "Display",
    "IntervalDisplay",
    "NoiseCurveDisplay",
    "PriorCurveDisplay",
]
