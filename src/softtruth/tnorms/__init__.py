"""t-norms: how two degrees of belonging combine into one, and how far each departs from keeping margins.

A t-norm is T: [0,1]^2 -> [0,1], commutative, associative, non-decreasing, with T(a,1) = a. Every one here works
elementwise on arrays of any supported library.

Source: Klement, Mesiar & Pap 2000, Triangular Norms, doi:10.1007/978-94-015-9540-7.
"""

from softtruth.tnorms.checks import TNormCheck, check_tnorm, marginal_defect, total_defect
from softtruth.tnorms.families import (
    aczel_alsina,
    dombi,
    frank,
    hamacher,
    schweizer_sklar,
    sugeno_weber,
    yager,
)
from softtruth.tnorms.named import (
    TNorm,
    drastic,
    godel,
    lukasiewicz,
    nilpotent_minimum,
    product,
    tnorm_of,
)

__all__ = [
    "TNorm",
    "TNormCheck",
    "aczel_alsina",
    "check_tnorm",
    "dombi",
    "drastic",
    "frank",
    "godel",
    "hamacher",
    "lukasiewicz",
    "marginal_defect",
    "nilpotent_minimum",
    "product",
    "schweizer_sklar",
    "sugeno_weber",
    "tnorm_of",
    "total_defect",
    "yager",
]
