"""t-norms: the axioms on a fine grid, the limits of every family, the copulas, and values found elsewhere."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from softtruth import IndicatorMatrix, InputError, marginal_defect, tnorms
from softtruth.tnorms import check_tnorm, tnorm_of, total_defect
from test_backends import BACKENDS

GOLDEN = {
    v["id"]: v for v in json.loads((Path(__file__).parents[1] / "golden" / "catalogue.json").read_text())["values"]
}
INF = math.inf
GRID = np.concatenate([[0.0, 1e-300, 1e-9], np.linspace(0.01, 0.99, 25), [1 - 1e-12, 1.0]])
A, B = np.meshgrid(GRID, GRID, indexing="ij")
PARAMETERS = {
    "hamacher": [0, 0.5, 1, 2, 5, 1e6],
    "frank": [1e-300, 1e-9, 0.1, 0.99999, 1 + 1e-7, 2, 10, 1e9, 1e300],
    "yager": [1e-3, 0.5, 1, 2, 10, 1e5],
    "dombi": [1e-3, 0.5, 1, 3, 50, 1e5],
    "schweizer_sklar": [-1e5, -30, -1, -1e-9, 1e-9, 0.5, 1, 2, 1e4],
    "aczel_alsina": [1e-3, 0.5, 1, 3, 500, 1e6],
    "sugeno_weber": [-0.999, -0.5, 0, 3, 1e9],
}
MEMBERS = {f"{family} {p:g}": getattr(tnorms, family)(p) for family, some in PARAMETERS.items() for p in some}
MEMBERS |= {name: tnorm_of(name) for name in ("product", "godel", "lukasiewicz", "drastic", "nilpotent_minimum")}
LIMITS = [
    ("hamacher", {1: "product", INF: "drastic"}, ()),
    ("frank", {0: "godel", 1: "product", INF: "lukasiewicz"}, ((1e-300, "godel"), (1e300, "lukasiewicz"))),
    ("yager", {0: "drastic", 1: "lukasiewicz", INF: "godel"}, ((1e6, "godel"),)),
    ("dombi", {0: "drastic", INF: "godel"}, ((1e6, "godel"),)),
    (
        "schweizer_sklar",
        {-INF: "godel", 0: "product", 1: "lukasiewicz", INF: "drastic"},
        ((-1e6, "godel"), (1e-12, "product")),
    ),
    ("aczel_alsina", {0: "drastic", 1: "product", INF: "godel"}, ((1e6, "godel"),)),
    ("sugeno_weber", {-1: "drastic", 0: "lukasiewicz", INF: "product"}, ((1e12, "product"),)),
]
each = pytest.mark.parametrize("t", MEMBERS.values(), ids=MEMBERS)


@each
def test_a_t_norm_keeps_the_axioms(t):
    joint = t(A, B)
    assert np.isfinite(joint).all()
    assert joint.min() >= 0
    np.testing.assert_allclose(joint[:, -1], GRID, atol=2e-16, rtol=1e-15)  # one is neutral
    np.testing.assert_array_equal(joint[:, 0], 0)
    np.testing.assert_allclose(joint, joint.T, rtol=1e-9, atol=1e-15)
    assert (joint <= np.minimum(A, B) + 2e-16).all()
    assert np.diff(joint, axis=0).min() >= -1e-14
    assert check_tnorm(t).passed


@each
def test_a_t_norm_is_a_copula_where_it_says_so(t):
    assert check_tnorm(t).lipschitz == t.copula
    if t.copula:
        y, p = np.meshgrid(np.linspace(0, 1, 41), np.linspace(0, 1, 41))
        cells = IndicatorMatrix(y.ravel(), p.ravel(), "binary", coupling=t).per_example()
        assert cells.min() >= 0
        np.testing.assert_allclose(cells[:, 0] + cells[:, 2], y.ravel(), atol=1e-14)
        np.testing.assert_allclose(cells[:, 0] + cells[:, 1], p.ravel(), atol=1e-14)
    else:
        with pytest.raises(InputError, match="is not a copula"):
            IndicatorMatrix([0.5], [0.5], "binary", coupling=t)


@pytest.mark.parametrize(("family", "exact", "near"), LIMITS, ids=[row[0] for row in LIMITS])
def test_limits_are_the_limiting_members(family, exact, near):
    make = getattr(tnorms, family)
    for parameter, name in exact.items():
        assert make(parameter) is tnorm_of(name)
    for parameter, name in near:
        np.testing.assert_allclose(
            make(parameter)(A, B), tnorm_of(name)(A, B), atol=2e-3 if family == "frank" else 1e-5
        )
    with pytest.raises(InputError, match=family):
        make(math.nan)
    for wrong in ("1", True):
        with pytest.raises(InputError, match="expected a number"):
            make(wrong)
    if family != "schweizer_sklar":
        with pytest.raises(InputError, match="expected a number of at least"):
            make(-1.5)


@pytest.mark.parametrize(
    ("family", "parameter", "other"),
    [("dombi", 1, tnorms.hamacher(0)), ("schweizer_sklar", -1, tnorms.hamacher(0)), ("hamacher", 1.0, tnorms.product)],
)
def test_families_meet(family, parameter, other):
    assert getattr(tnorms, family)(parameter) == other


@pytest.mark.parametrize("name", [name for name in GOLDEN if name.startswith("tnorm-")])
def test_known_values(name):
    case = GOLDEN[name]
    inputs = case["inputs"]
    t = (
        tnorm_of(inputs["family"])
        if inputs["parameter"] is None
        else getattr(tnorms, inputs["family"])(inputs["parameter"])
    )
    assert float(t(inputs["a"], inputs["b"])) == pytest.approx(case["expected"], abs=case["tolerance"])


@pytest.mark.parametrize("name", [name for name in GOLDEN if name.startswith("limits-")])
def test_known_limits(name):
    inputs, expected = GOLDEN[name]["inputs"], GOLDEN[name]["expected"]
    found = [float(getattr(tnorms, inputs["family"])(float(p))(inputs["a"], inputs["b"])) for p in inputs["parameters"]]
    assert found == pytest.approx(expected, abs=1e-15)


EDGES = np.array([0.0, 1e-300, 1e-20, 1e-12, 1e-6, 1e-3, 0.1, 0.5, 0.9, 1 - 1e-9, 1 - 1e-16, 1.0])


LEAST = {"sugeno_weber": -1, "schweizer_sklar": -INF}
NEAR_LIMITS = [1e-320, 1e-12, 0.3, 1 - 1e-10, 1 + 1e-6, 3, 1e6, -1 + 1e-16, -1e-320, -1e-9, -0.5, -50]


@pytest.mark.parametrize(("family", "p"), [(f, p) for f in PARAMETERS for p in NEAR_LIMITS if p >= LEAST.get(f, 0)])
def test_no_rounding_lifts_a_value_above_the_smaller_argument(family, p):
    low = np.minimum.outer(EDGES, EDGES)
    value = getattr(tnorms, family)(p)(EDGES[:, None], EDGES)
    assert ((value >= 0) & (value <= low)).all()
    np.testing.assert_array_equal(value[-1], EDGES)


@pytest.mark.parametrize(
    ("t", "a", "b", "expected"),  # found with 340 digits
    [
        (tnorms.frank(1e-3), 1e-12, 1e-12, 6.914669948883303e-24),
        (tnorms.frank(1e-3), 1e-300, 0.5, 9.693465699682919e-301),
        (tnorms.frank(0.1), 1e-300, 0.3, 5.542364070808086e-301),
        (tnorms.dombi(1), 1e-12, 1e-12, 5.0000000000025e-13),
        (tnorms.hamacher(0), 1e-300, 1e-300, 5e-301),
        (tnorms.hamacher(0.25), 1e-20, 1e-20, 4e-40),
        (tnorms.yager(3), 1e-20, 1 - 1e-16, 1e-20),
        (tnorms.schweizer_sklar(1e-320), 0.1, 0.1, 0.01),
        (tnorms.schweizer_sklar(-1e-320), 1e-6, 1e-6, 1e-12),
        (tnorms.sugeno_weber(-1 + 1e-16), 0.5, 1 - 1e-16, 0.0),
        (tnorms.sugeno_weber(2), 1e-12, 1 - 2**-53, 9.999629925658457e-13),
    ],
    ids=str,
)
def test_small_arguments_lose_no_digits(t, a, b, expected):
    assert float(t(a, b)) == pytest.approx(expected, rel=1e-9, abs=0)


def test_zero_is_zero_without_a_warning():
    points = GOLDEN["dombi-aa-ss-zero-points"]["inputs"]["points"]
    for t in (tnorms.dombi(2), tnorms.aczel_alsina(2), tnorms.schweizer_sklar(-2)):
        assert [float(t(*point)) for point in points] == [0, 0, 0]


def test_defects():
    for name in ("defect-product", "defect-hamacher", "defect-godel", "defect-lukasiewicz"):
        inputs = GOLDEN[name]["inputs"]
        t = (
            tnorm_of(inputs["family"])
            if inputs["parameter"] is None
            else getattr(tnorms, inputs["family"])(inputs["parameter"])
        )
        assert marginal_defect(t) == GOLDEN[name]["expected"]
    for gamma in (2.0, 3.0):
        s = (1 - gamma) / (1 + gamma)
        assert marginal_defect(tnorms.hamacher(gamma)) == pytest.approx(
            abs(1 - 2 * (math.sqrt(1 + s) - 1) / s), abs=2e-3
        )
    assert marginal_defect("drastic") == 1 - 1 / 64
    assert marginal_defect(tnorms.frank(1)) == 0.0


def test_raw_frank_cells_keep_the_two_differences_and_lose_the_total():
    """T(a, b) - T(1 - a, 1 - b) = a + b - 1 for the Frank family, its limits included."""
    for t in (
        tnorms.frank(1e-4),
        tnorms.frank(0.2),
        tnorms.frank(7),
        tnorms.frank(1e6),
        tnorms.godel,
        tnorms.lukasiewicz,
    ):
        np.testing.assert_allclose(t(A, B) - t(1 - A, 1 - B), A + B - 1, atol=1e-13)
        assert total_defect(t) > 0
    assert total_defect("product") == 0
    assert total_defect("godel") == total_defect("lukasiewicz") == 1


def test_a_callable_is_checked():
    functions = {
        "validity-mean": lambda a, b: (a + b) / 2,
        "validity-flip-symmetric": lambda a, b: a * b + 0.9 * a * (1 - a) * (1 - 2 * a) * b * (1 - b) * (1 - 2 * b),
        "validity-product": lambda a, b: a * b,
    }
    for name, function in functions.items():
        assert sorted(check_tnorm(function).violations) == GOLDEN[name]["expected"]
    assert marginal_defect(functions["validity-flip-symmetric"]) < 1e-15  # a zero defect proves nothing of a callable
    decreasing = check_tnorm(lambda a, b: np.minimum(a, b) * (1 - a) * (1 - b))
    assert {"boundary", "monotonicity"} <= set(decreasing.violations)
    assert "commutativity" in check_tnorm(lambda a, b: a * b**2).violations


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda a, b: a * b * np.nan, "returned nan for"),
        (lambda a, b: a + b, "expected a finite value in"),
        (lambda a, b: 0.5, r"returned an array of shape \(\)"),  # noqa: ARG005  # a t-norm takes two
    ],
)
def test_a_callable_that_is_no_function_on_the_square_is_refused(function, words):
    with pytest.raises(InputError, match=words):
        check_tnorm(function)


@pytest.mark.parametrize("rho", [-1, -0.75, -0.2, 0, 0.4, 1])
def test_a_mixture_lies_between_independence_and_an_end(rho):
    y, p = np.random.default_rng(0).random((2, 50))
    found = IndicatorMatrix(y, p, "binary", rho=rho).per_example()
    end = IndicatorMatrix(y, p, "binary", coupling="most" if rho >= 0 else "least").per_example()
    middle = IndicatorMatrix(y, p, "binary", coupling="independent").per_example()
    np.testing.assert_allclose(found, (1 - abs(rho)) * middle + abs(rho) * end, atol=1e-15)
    assert (
        IndicatorMatrix(y, p, "binary", coupling=f"rho {rho}").counts == IndicatorMatrix(y, p, "binary", rho=rho).counts
    )


def test_a_mixture_is_named_and_checked():
    assert IndicatorMatrix([0.5], [0.5], "binary", rho=0.25).coupling == "rho 0.25"
    assert IndicatorMatrix([0.5], [0.5], "binary", rho=-1).coupling == "least"
    for wrong in (1.5, math.nan, "much", True):
        with pytest.raises(InputError, match="expected a number from -1"):
            IndicatorMatrix([0.5], [0.5], "binary", rho=wrong)
    with pytest.raises(InputError, match="is a coupling of its own"):
        IndicatorMatrix([0.5], [0.5], "binary", rho=0.5, coupling="most")


@pytest.mark.backend
@pytest.mark.parametrize("backend", BACKENDS.values(), ids=BACKENDS)
@each
def test_a_t_norm_is_the_same_everywhere(t, backend):
    a, b = np.meshgrid(np.arange(9) / 8, np.arange(9) / 8)
    np.testing.assert_allclose(backend.take(t(backend.put(a), backend.put(b))), t(a, b), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("function", [min, lambda a, b: a if a + b > 1 else 0.0, lambda a, b: max(0.0, a + b - 1)])
def test_a_function_of_two_numbers_is_no_function_of_arrays(function):
    y, p = [0.2, 0.9], [0.4, 0.7]
    for ask in (
        check_tnorm,
        marginal_defect,
        total_defect,
        lambda t: IndicatorMatrix(y, p, "binary", tnorm=t),
        lambda t: IndicatorMatrix(y, p, "binary", coupling=t),
    ):
        with pytest.raises(InputError, match=r"takes two numbers but no two arrays; .* numpy\.minimum"):
            ask(function)


def in_place(a, b):
    a *= b
    return a


@pytest.mark.parametrize("how", ["tnorm", "coupling"])
def test_a_callable_may_work_in_place(how):
    y, p = np.random.default_rng(0).random((2, 50))
    kept = y.copy(), p.copy()
    for ask in (lambda im: im.counts, lambda im: im.compute("exemplar f1"), lambda im: im.compute("f1")):
        assert ask(IndicatorMatrix(y, p, "binary", **{how: in_place})) == pytest.approx(
            ask(IndicatorMatrix(y, p, "binary", tnorm="product"))
        )
    np.testing.assert_array_equal((y, p), kept)
    assert check_tnorm(in_place).passed
    assert marginal_defect(in_place) == 0


@pytest.mark.parametrize("how", ["tnorm", "coupling"])
@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda a, b: None, "the t-norm returned None, expected numbers"),  # noqa: ARG005  # a t-norm takes two
        (lambda a, b: 0.25, r"the t-norm returned an array of shape \(\)"),  # noqa: ARG005  # a t-norm takes two
        (lambda a, b: (a * b)[:1], r"the t-norm returned an array of shape \(1"),
        (lambda a, b: a * b / (a - a), "the t-norm returned (inf|nan) for"),
        (lambda a, b: a + b, "the t-norm returned .* expected a finite value in"),
        (lambda a, b: np.sqrt(a * b), "exceeds the smaller of its arguments|is not a copula"),
    ],
)
def test_a_callable_that_returns_no_joint_mass_is_refused(function, words, how):
    y, p = np.random.default_rng(0).random((2, 50))
    with pytest.raises(InputError, match=words):
        IndicatorMatrix(y, p, "binary", **{how: function}).compute("f1")


def test_a_callable_that_fails_is_said_in_a_sentence():
    with pytest.raises(InputError, match=r"the t-norm .* does not take two numbers"):
        check_tnorm(lambda a: a)
    with pytest.raises(InputError, match="expected numbers"):
        check_tnorm(lambda a, b: np.full(np.broadcast_shapes(a.shape, b.shape), "x"))


@pytest.mark.parametrize("t", [tnorms.product, tnorms.godel, tnorms.lukasiewicz, tnorms.drastic, tnorms.frank(2.0)])
def test_lists_are_read_as_arrays(t):
    a, b = [0.2, 1.0, 0.7], [0.9, 0.5, 0.4]
    expected = t(np.array(a), np.array(b))
    for found in (t(a, b), t(tuple(a), np.array(b)), t(np.array(a), b)):
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(t(a, 0.5), t(np.array(a), 0.5))
