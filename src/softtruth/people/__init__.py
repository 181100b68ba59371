"""People beside people, and models beside people: agreement, the human ceiling, any annotator, each person.

Nothing here needs a truth. Every question compares answers with the answers of the others.
"""

from softtruth.people.agreement import COEFFICIENTS, agreement, pair_table, pairwise
from softtruth.people.alternative import AlternativeAnnotator, alternative_annotator
from softtruth.people.ceiling import HumanCeiling, human_ceiling
from softtruth.people.perspectives import Perspective, perspectives

__all__ = [
    "COEFFICIENTS",
    "AlternativeAnnotator",
    "HumanCeiling",
    "Perspective",
    "agreement",
    "alternative_annotator",
    "human_ceiling",
    "pair_table",
    "pairwise",
    "perspectives",
]
