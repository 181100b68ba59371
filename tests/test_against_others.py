"""Hard data give what torchmetrics and statsmodels give, where they answer the same question.

Where they do not, the difference has a name and a reason below, and is asserted too: if a release changes it, this says
so. `test_against_sklearn.py` and `people/test_people.py` hold scikit-learn and krippendorff beside us.
"""

import math

import numpy as np
import pytest

from softtruth import Cells, IndicatorMatrix

pytestmark = pytest.mark.backend
K, N = 4, 60
SEEDS = range(6)
ABSENT = ([0, 0, 1, 1], [0, 1, 1, 1])  # of three classes the last occurs on neither side
UNNAMED = ([0, 1, 2, 2], [0, 1, 1, 0])  # class 2 is never predicted


def drawn(seed, *shape, k=K):
    return np.random.default_rng(seed).integers(0, k, (2, *shape))


def theirs(name, y, p, **settings):
    import torch
    from torchmetrics.functional import classification

    function = getattr(classification, name)
    return float(function(torch.as_tensor(np.asarray(p)), torch.as_tensor(np.asarray(y)), **settings))


OF_CLASSES = {
    "accuracy": ("multiclass_accuracy", {"average": "micro"}),
    "multiclass_balanced_accuracy": ("multiclass_accuracy", {"average": "macro"}),
    "macro f1": ("multiclass_f1_score", {"average": "macro"}),
    "weighted f1": ("multiclass_f1_score", {"average": "weighted"}),
    "macro precision": ("multiclass_precision", {"average": "macro"}),
    "weighted recall": ("multiclass_recall", {"average": "weighted"}),
    "macro specificity": ("multiclass_specificity", {"average": "macro"}),
    "macro jaccard": ("multiclass_jaccard_index", {"average": "macro"}),
    "macro fbeta 2": ("multiclass_fbeta_score", {"average": "macro", "beta": 2.0}),
    "r_k": ("multiclass_matthews_corrcoef", {}),
    "cohen_kappa": ("multiclass_cohen_kappa", {}),
    "linear_weighted_kappa": ("multiclass_cohen_kappa", {"weights": "linear"}),
    "quadratic_weighted_kappa": ("multiclass_cohen_kappa", {"weights": "quadratic"}),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("question", OF_CLASSES)
def test_exclusive_classes(question, seed):
    y, p = drawn(seed, N)
    name, settings = OF_CLASSES[question]
    found = IndicatorMatrix(y, p, "ordinal" if "weighted_kappa" in question else "multiclass", n_classes=K)
    assert found.compute(question) == pytest.approx(theirs(name, y, p, num_classes=K, **settings), abs=2e-6)


OF_TWO = {
    "f1": ("binary_f1_score", {}),
    "precision": ("binary_precision", {}),
    "recall": ("binary_recall", {}),
    "specificity": ("binary_specificity", {}),
    "npv": ("binary_negative_predictive_value", {}),
    "jaccard": ("binary_jaccard_index", {}),
    "label_accuracy": ("binary_accuracy", {}),
    "error_rate": ("binary_hamming_distance", {}),
    "fbeta 0.5": ("binary_fbeta_score", {"beta": 0.5}),
    "mcc": ("binary_matthews_corrcoef", {}),
    "kappa": ("binary_cohen_kappa", {}),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("question", OF_TWO)
def test_two_classes(question, seed):
    y, p = drawn(seed, N, k=2)
    name, settings = OF_TWO[question]
    assert IndicatorMatrix(y, p, "binary").compute(question) == pytest.approx(theirs(name, y, p, **settings), abs=2e-6)


OF_LABELS = {
    "macro f1": ("multilabel_f1_score", {"average": "macro"}),
    "micro jaccard": ("multilabel_jaccard_index", {"average": "micro"}),
    "weighted recall": ("multilabel_recall", {"average": "weighted"}),
    "micro error_rate": ("multilabel_hamming_distance", {"average": "micro"}),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("question", OF_LABELS)
def test_labels_that_may_hold_together(question, seed):
    y, p = drawn(seed, N, K, k=2)
    name, settings = OF_LABELS[question]
    found = IndicatorMatrix(y, p, "multilabel")
    assert found.compute(question) == pytest.approx(theirs(name, y, p, num_labels=K, **settings), abs=2e-6)
    assert found.subset_accuracy() == pytest.approx(theirs("multilabel_exact_match", y, p, num_labels=K), abs=2e-6)


# Ours under each convention, theirs, and why. What is excluded with us is what has no value.
DISAGREE = [
    # A class that occurs on neither side is left out of their average of f1, whatever zero_division says.
    ("macro f1", "multiclass_f1_score", ABSENT, {"exclude": True, "zero": False}),
    # One that is never predicted has no precision, but counts as 0 with them, while the absent one is left out: there
    # is no convention of ours for that, since the two are 0/0 alike.
    ("macro precision", "multiclass_precision", UNNAMED, {"exclude": False, "zero": True}),
    ("macro precision", "multiclass_precision", ABSENT, {"exclude": True, "zero": False}),
]


@pytest.mark.parametrize(("question", "name", "data", "agrees"), DISAGREE)
def test_undefined_parts_of_averages(question, name, data, agrees):
    expected = theirs(name, *data, num_classes=3, average="macro")
    im = IndicatorMatrix(*data, "multiclass", n_classes=3)
    for convention, same in agrees.items():
        assert math.isclose(im.compute(question, convention=convention), expected, abs_tol=1e-6) == same


def test_a_constant_side_has_no_correlation_with_us_and_0_with_them():
    y, p = [0, 1, 1, 0], [1, 1, 1, 1]
    assert math.isnan(IndicatorMatrix(y, p, "binary").compute("mcc"))
    assert theirs("binary_matthews_corrcoef", y, p) == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_kappa_and_its_standard_error(seed):
    from statsmodels.stats.inter_rater import cohens_kappa

    y, p = drawn(seed, 200)
    im = IndicatorMatrix(y, np.where(np.arange(200) % 3, y, p), "multiclass", n_classes=K)
    expected, found = cohens_kappa(im.table.masses), im.interval("cohen_kappa")
    assert found.value == pytest.approx(expected.kappa, rel=1e-12)
    assert found.standard_error == pytest.approx(expected.std_kappa, rel=1e-9)


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_weighted_kappa_and_its_standard_error(weights):
    from statsmodels.stats.inter_rater import cohens_kappa

    y, p = drawn(9, 300)
    im = IndicatorMatrix(y, np.where(np.arange(300) % 2, y, p), "ordinal", n_classes=K)
    expected = cohens_kappa(im.table.masses, wt=weights)
    found = im.interval(f"{weights}_weighted_kappa")
    assert found.value == pytest.approx(expected.kappa, rel=1e-12)
    assert found.standard_error == pytest.approx(expected.std_kappa, rel=1e-9)


@pytest.mark.parametrize(("hits", "n"), [(0, 5), (3, 10), (97, 100), (7, 7)])
def test_the_interval_of_a_share(hits, n):
    from statsmodels.stats.proportion import proportion_confint

    y = np.zeros(n, int)
    found = IndicatorMatrix(y, (np.arange(n) >= hits).astype(int), n_classes=2, task="multiclass").interval("accuracy")
    assert [found.low, found.high] == pytest.approx(proportion_confint(hits, n, method="wilson"), abs=1e-12)


def test_the_odds_ratio_and_its_standard_error():
    from statsmodels.stats.contingency_tables import Table2x2

    expected = Table2x2(np.array([[35, 5], [10, 50]]))
    im = IndicatorMatrix.of(Cells.of(35, 5, 10, 50))
    assert im.compute("dor") == pytest.approx(expected.oddsratio, rel=1e-12)
    found = im.interval("log_dor")
    assert found.value == pytest.approx(expected.log_oddsratio, rel=1e-12)
    assert found.standard_error == pytest.approx(expected.log_oddsratio_se, rel=1e-9)
