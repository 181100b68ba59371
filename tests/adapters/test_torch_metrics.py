"""torchmetrics: every measure under every operator, streams, collections, processes; no value is looked at."""

import copy
import pickle

import numpy as np
import pytest
import torch
import torchmetrics

import strategies as draw
from softtruth import IndicatorMatrix, InputError, Measure, parse, rk_coeff
from softtruth.adapters.torch import MeasureMetric, RkLoss, RkMetric
from softtruth.measures.loss import formula_of
from softtruth.measures.operators import Averaged, exemplar

pytestmark = [
    pytest.mark.backend,
    pytest.mark.filterwarnings("ignore:.*was called before the ``update`` method.*:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*lru_cache.*:UserWarning"),
]
K, N = 4, 120
RNG = np.random.default_rng(0)
LABELS = RNG.integers(0, K, N)
PROBABILITIES = RNG.dirichlet(np.ones(K), N)
SOFT = RNG.dirichlet(np.full(K, 0.5), N)
MANY = (RNG.random((N, 3)) < 0.4).astype(int)
DEGREES = RNG.random((N, 3))
WEIGHT = RNG.random(N) * (RNG.random(N) < 0.8)


def tensor(x):
    return torch.tensor(np.asarray(x))


def streamed(metric, p, y, w=None, parts=3):
    for rows in np.array_split(np.arange(len(y)), parts):
        metric.update(tensor(p[rows]), tensor(y[rows]), **({} if w is None else {"sample_weight": tensor(w[rows])}))
    return metric.compute().item()


PROBLEMS = {
    "multiclass": (LABELS, PROBABILITIES, {"num_classes": K}),
    "multilabel": (MANY, DEGREES, {"num_classes": 3}),
    "binary": (MANY[:, 0], DEGREES[:, 0], {}),
}


@pytest.mark.parametrize("question", draw.QUESTIONS, ids=str)
def test_every_question_is_answered_as_by_the_examples(question):
    name = str(question)
    for task, (y, p, settings) in PROBLEMS.items():
        if task == "multilabel" and formula_of(parse(name)).rung != "cells":
            continue
        for soft in ({}, {"coupling": "independent"}):
            im = IndicatorMatrix(y, p, task, sample_weight=WEIGHT, **soft)
            found = streamed(MeasureMetric(name, task=task, **settings, **soft), p, y, WEIGHT)
            assert found == pytest.approx(im.compute(name), rel=1e-9, abs=1e-11, nan_ok=True), (task, soft)


@pytest.mark.parametrize("coupling", [{"coupling": "most"}, {"coupling": "least"}, {"tnorm": "godel"}])
def test_couplings(coupling):
    for task, y, p, settings in (
        ("multiclass", SOFT, PROBABILITIES, {"num_classes": K}),
        ("multilabel", DEGREES[::-1].copy(), DEGREES, {"num_classes": 3}),
    ):
        for name in ("macro f1", "exemplar jaccard", "weighted recall"):
            expected = IndicatorMatrix(y, p, task, **coupling).compute(name)
            found = streamed(MeasureMetric(name, task=task, **settings, **coupling), p, y)
            assert found == pytest.approx(expected, rel=1e-9)


def test_a_soft_target_is_never_hardened():
    expected = IndicatorMatrix(SOFT, PROBABILITIES, "multiclass").compute("macro f1")
    found = streamed(MeasureMetric("macro f1", task="multiclass", num_classes=K), PROBABILITIES, SOFT)
    assert found == pytest.approx(expected, rel=1e-12)


def test_a_stream_is_not_a_mean_of_batches():
    metric = MeasureMetric("recall", task="binary")
    for y, p in (([0, 0], [0, 1]), ([1, 1, 1], [0, 1, 1])):
        metric.update(tensor(p), tensor(y))
    assert metric.compute().item() == pytest.approx(2 / 3)


def test_logits_are_logits_however_they_are_batched():
    z, y = [0.2, 0.9, -1.0, 3.0], [1, 1, 0, 1]
    for size in (1, 2, 4):
        metric = MeasureMetric("accuracy", task="binary", from_logits=True)
        for start in range(0, 4, size):
            metric.update(tensor(z[start : start + size]), tensor(y[start : start + size]))
        assert metric.compute().item() == 1.0


def test_narrow_labels():
    metric = MeasureMetric("accuracy", task="multiclass", num_classes=20)
    y, p = (torch.tensor(a, dtype=torch.uint8) for a in ([13, 16, 19, 3], [13, 15, 19, 2]))
    metric.update(p, y)
    assert metric.compute().item() == 0.5
    assert torch.nonzero(metric.masses).tolist() == [[3, 2], [13, 13], [16, 15], [19, 19]]


@pytest.mark.parametrize(("convention", "expected"), [("exclude", np.nan), ("zero", 0), ("one", 1), ("nan", np.nan)])
def test_nothing_added_follows_the_convention(convention, expected):
    for name in ("accuracy", "macro f1", "exemplar f1"):
        metric = MeasureMetric(name, task="multiclass", num_classes=3, convention=convention)
        assert metric.compute().item() == pytest.approx(expected, nan_ok=True)
        metric.update(torch.tensor([0, 1]), torch.tensor([255, 255]), torch.zeros(2))
        assert metric.compute().item() == pytest.approx(expected, nan_ok=True)
    assert RkMetric(3).compute().item() == 0


def test_a_padded_duplicate_weighs_nothing():
    metric = MeasureMetric("accuracy", task="binary")
    metric.update(torch.tensor([1, 1, 0]), torch.tensor([1, 0, 0]), torch.ones(3))
    metric.update(torch.tensor([1, 0, 1]), torch.tensor([0, 1, 1]), torch.tensor([1.0, 1.0, 0.0]))
    assert metric.compute().item() == pytest.approx(0.4)


def test_images_are_examples():
    y = RNG.integers(0, K, (6, 3, 5))
    p = RNG.dirichlet(np.ones(K), (6, 3, 5))
    scores = tensor(np.moveaxis(p, -1, 1))
    flat = IndicatorMatrix(y.ravel(), p.reshape(-1, K), "multiclass")
    for name in ("macro f1", "r_k"):
        metric = MeasureMetric(name, task="multiclass", num_classes=K)
        assert metric(scores, tensor(y)).item() == pytest.approx(flat.compute(name))
    each = [
        IndicatorMatrix(a.ravel(), b.reshape(-1, K), "multiclass").compute("micro f1")
        for a, b in zip(y, p, strict=True)
    ]
    metric = MeasureMetric("exemplar f1", task="multiclass", num_classes=K)
    assert metric(scores, tensor(y)).item() == pytest.approx(np.mean(each))


def test_ignored_targets():
    y = np.where(RNG.random(N) < 0.2, -1, LABELS)
    metric = MeasureMetric("macro f1", task="multiclass", num_classes=K, ignore_index=-1)
    metric.update(tensor(PROBABILITIES), tensor(y))
    kept = y >= 0
    assert metric.compute().item() == pytest.approx(
        IndicatorMatrix(y[kept], PROBABILITIES[kept], "multiclass").compute("macro f1")
    )
    marked = np.where(RNG.random(MANY.shape) < 0.2, -1, MANY)
    metric = MeasureMetric("macro f1", task="multilabel", num_classes=3, ignore_index=-1)
    metric.update(tensor(DEGREES), tensor(marked))
    im = IndicatorMatrix(np.maximum(marked, 0), DEGREES, "multilabel", mask=marked >= 0)
    assert metric.compute().item() == pytest.approx(im.compute("macro f1"))


# --- what cannot be used --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("preds", "target", "weight", "soft"),
    [
        (PROBABILITIES[:2], [0, K], None, None),
        (PROBABILITIES[:2], [-1, 0], None, None),
        ([[np.nan, 0, 0, 1.0], [1.0, 0, 0, 0]], [0, 1], None, None),
        ([[0.9, 0.9, 0, 0], [1.0, 0, 0, 0]], [0, 1], None, "independent"),
        ([[2.0, -1, 0, 0], [1.0, 0, 0, 0]], [0, 1], None, "independent"),
        (PROBABILITIES[:2], [0, 1], [1.0, -1.0], None),
        (PROBABILITIES[:2], [0, 1], [1.0, np.nan], None),
    ],
)
def test_what_cannot_be_used_is_counted_and_raises_in_compute(preds, target, weight, soft):
    metric = MeasureMetric("macro f1", task="multiclass", num_classes=K, coupling=soft)
    metric.update(tensor(preds), tensor(target), None if weight is None else tensor(weight))
    assert bool(metric.masses.isfinite().all())
    with pytest.raises(InputError, match="1 of the values given to MeasureMetric"):
        metric.compute()
    metric.reset()
    metric.update(tensor(PROBABILITIES), tensor(LABELS))
    assert np.isfinite(metric.compute().item())


def test_words_of_refusal():
    with pytest.raises(InputError, match="task 'ranking' is not known"):
        MeasureMetric("f1", task="ranking")
    with pytest.raises(InputError, match="needs num_classes"):
        MeasureMetric("f1", task="multiclass")
    with pytest.raises(InputError, match="Did you mean"):
        MeasureMetric("macro jacard", task="binary")
    with pytest.raises(InputError, match="expected"):
        MeasureMetric("f1", task="multiclass", num_classes=K).update(tensor(PROBABILITIES), tensor(LABELS[:-1]))


# --- a citizen of torchmetrics --------------------------------------------------------------------------------------


def test_a_collection_counts_once():
    names = ("macro f1", "weighted recall", "r_k", "cohen_kappa", "weighted_kappa 2", "micro mcc")
    collection = torchmetrics.MetricCollection({n: MeasureMetric(n, task="multiclass", num_classes=K) for n in names})
    for rows in np.array_split(np.arange(N), 3):
        collection.update(tensor(PROBABILITIES[rows]), tensor(LABELS[rows]), sample_weight=tensor(WEIGHT[rows]))
    assert len(collection.compute_groups) == 1
    im = IndicatorMatrix(LABELS, PROBABILITIES, "multiclass", sample_weight=WEIGHT)
    for name, value in collection.compute().items():
        assert value.item() == pytest.approx(im.compute(name))


@pytest.mark.parametrize("name", ["macro f1", "exemplar f1", "r_k"])
def test_copies_and_pickles(name):
    metric = MeasureMetric(name, task="multiclass", num_classes=K)
    metric.update(tensor(PROBABILITIES), tensor(LABELS))
    value = metric.compute()
    for copied in (pickle.loads(pickle.dumps(metric)), copy.deepcopy(metric), metric.clone()):  # noqa: S301  our bytes
        assert torch.equal(copied.compute(), value)
    metric.persistent(mode=True)
    other = MeasureMetric(name, task="multiclass", num_classes=K)
    other.persistent(mode=True)
    other.load_state_dict(metric.state_dict())
    assert torch.equal(other.compute(), value)


def test_merging_and_traits():
    first, second = (MeasureMetric("macro f1", task="multiclass", num_classes=K) for _ in range(2))
    first.update(tensor(PROBABILITIES[:50]), tensor(LABELS[:50]))
    second.update(tensor(PROBABILITIES[50:]), tensor(LABELS[50:]))
    first.merge_state(second)
    assert first.compute().item() == pytest.approx(IndicatorMatrix(LABELS, PROBABILITIES).compute("macro f1"))
    assert first.higher_is_better is True
    assert MeasureMetric("fall_out", task="binary").higher_is_better is False
    assert (first.plot_lower_bound, first.plot_upper_bound) == (0.0, 1.0)
    assert (RkMetric(3).is_differentiable, first.is_differentiable) == (True, False)


def test_own_formulas():
    own = Measure.from_formula("hits", lambda tp, fp, fn, tn: tp / (tp + fp + fn))  # noqa: ARG005  # every formula takes four numbers
    metric = MeasureMetric(own, task="binary")
    metric.update(tensor(DEGREES[:, 0]), tensor(MANY[:, 0]))
    assert metric.compute().item() == pytest.approx(IndicatorMatrix(MANY[:, 0], DEGREES[:, 0]).compute("jaccard"))


def test_forward_gives_the_batch_and_its_gradient():
    metric = RkMetric(K)
    leaf = tensor(PROBABILITIES).requires_grad_()
    first = metric(leaf, tensor(LABELS))
    first.backward()
    loss = RkLoss()
    other = tensor(PROBABILITIES).requires_grad_()
    loss(other, tensor(LABELS)).backward()
    np.testing.assert_allclose(leaf.grad, -other.grad, atol=1e-12)
    assert metric(tensor(PROBABILITIES[:50]), tensor(LABELS[:50])).item() == pytest.approx(
        rk_coeff(LABELS[:50], PROBABILITIES[:50])
    )


def test_one_column_for_r_k():
    y, p = MANY[:, 0], DEGREES[:, 0]
    for a in (p, p[:, None]):
        for b in (y, y[:, None], y.astype(float)):
            metric = RkMetric(2)
            metric.update(tensor(a), tensor(b))
            assert metric.compute().item() == pytest.approx(rk_coeff(y, p))
    metric = RkMetric(2, from_logits=True)
    metric.update(tensor(np.log(p / (1 - p))), tensor(y))
    assert metric.compute().item() == pytest.approx(rk_coeff(y, p))


def test_half_precision_counts_in_double():
    metric = RkMetric(K).half()
    metric.update(tensor(PROBABILITIES).half(), tensor(LABELS))
    assert metric.masses.dtype == torch.float64
    assert metric.compute().item() == pytest.approx(rk_coeff(LABELS, PROBABILITIES), abs=1e-3)


def test_more_questions_on_the_host():
    metric = MeasureMetric("macro f1", task="multiclass", num_classes=K)
    metric.update(tensor(PROBABILITIES), tensor(LABELS))
    found, expected = (
        metric.indicator_matrix.interval("macro f1"),
        IndicatorMatrix(LABELS, PROBABILITIES).interval("macro f1"),
    )
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_plots():
    import matplotlib as mpl

    mpl.use("Agg")
    metric = RkMetric(K)
    figure, axes = metric.plot([metric(tensor(PROBABILITIES), tensor(LABELS)) for _ in range(2)])
    assert axes.get_ylim()[0] <= -1
    mpl.pyplot.close(figure)


@pytest.mark.parametrize("task", PROBLEMS)
@pytest.mark.parametrize("soft", [{}, {"coupling": "independent"}, {"tnorm": "godel"}])
@pytest.mark.parametrize("name", ["macro f1", "exemplar f1"])
def test_an_update_looks_at_no_value(task, soft, name):
    """Tensors of the meta device have no values: whatever copied one to the host would fail."""
    y, p, settings = PROBLEMS[task]
    metric = MeasureMetric(name, task=task, ignore_index=-1, **settings, **soft).to("meta")
    given = [tensor(a).to("meta") for a in (p, y, WEIGHT)]
    metric.update(*given)
    metric.update(*given)
    assert metric.invalid.device.type == "meta"
    loss = RkLoss(ignore_index=-1)
    if task == "multiclass":
        loss(*given)


# --- two processes --------------------------------------------------------------------------------------------------


def _shard(rank, path, results):
    import torch.distributed as dist

    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=2)
    rows = slice(0, 31) if rank == 0 else slice(31, None)
    p, y, w = (tensor(a[rows]) for a in (PROBABILITIES, LABELS, WEIGHT))
    found = {}
    for name in ("macro f1", "r_k", "exemplar f1"):
        metric = MeasureMetric(name, task="multiclass", num_classes=K)
        metric.update(p, y, w)
        found[name] = metric.compute().item()
    leaf = p.clone().requires_grad_()
    loss = RkLoss(all_reduce=True)(leaf, y, w)
    loss.backward()
    found["loss"] = loss.item()
    found["gradient"] = leaf.grad.numpy() / 2  # what averaging over two processes leaves
    results.put((rank, found))
    dist.barrier()
    dist.destroy_process_group()


def test_two_processes_with_unequal_shards_give_the_number_of_one(tmp_path):
    import torch.multiprocessing as mp

    context = mp.get_context("spawn")
    results = context.Queue()
    processes = [context.Process(target=_shard, args=(rank, tmp_path / "init", results)) for rank in range(2)]
    for process in processes:
        process.start()
    found = dict(results.get(timeout=120) for _ in processes)
    for process in processes:
        process.join()
    im = IndicatorMatrix(LABELS, PROBABILITIES, "multiclass", sample_weight=WEIGHT)
    leaf = tensor(PROBABILITIES).requires_grad_()
    whole = RkLoss()(leaf, tensor(LABELS), tensor(WEIGHT))
    whole.backward()
    for rank, rows in ((0, slice(0, 31)), (1, slice(31, None))):
        for name in ("macro f1", "r_k", "exemplar f1"):
            assert found[rank][name] == pytest.approx(im.compute(name), rel=1e-12)
        assert found[rank]["loss"] == pytest.approx(whole.item(), rel=1e-12)
        np.testing.assert_allclose(found[rank]["gradient"], leaf.grad[rows], atol=1e-15)


def test_the_questions_include_averages_over_examples():
    assert any(isinstance(q, Averaged) and q.operator is exemplar for q in draw.QUESTIONS)
