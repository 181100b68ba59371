"""Train one small network with cross-entropy, with the R_K loss, and with one after the other, in a named framework.

    python docs/training/train_rk.py torch

The data are scikit-learn's handwritten digits (1,797 images of 64 numbers), made imbalanced: digit d keeps a share of
0.7^d of its images, at least 12, in the training half and in the test half alike. The network has one hidden layer of
32 units and learns for 300 steps of Adam on the whole training half, at the learning rate of 0.01. Printed is R_K of
the test half, from hardened predictions, with its sampling interval.
"""

from __future__ import annotations

import argparse
import importlib
import os
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.datasets import load_digits

from softtruth import IndicatorMatrix

if TYPE_CHECKING:
    from collections.abc import Callable

SEEDS = 8
STEPS = 300
RATE = 0.01
HIDDEN = 32
CLASSES = 10
ARMS = {"cross-entropy": STEPS, "R_K loss": 0, "half and half": STEPS // 2}  # the step at which the R_K loss begins
Data = tuple[np.ndarray, np.ndarray, np.ndarray]


def imbalanced_digits(seed: int) -> tuple[Data, np.ndarray]:
    """Return training images, their digits and test images, and the digits of those."""
    images, digits = load_digits(return_X_y=True)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(digits))
    parts = []
    for half in (order[: len(order) // 2], order[len(order) // 2 :]):
        kept = [half[digits[half] == d] for d in range(CLASSES)]
        parts.append(np.concatenate([rows[: max(12, round(len(rows) * 0.7**d))] for d, rows in enumerate(kept)]))
    train, test = parts
    scaled = (images / 16.0).astype(np.float32)
    return (scaled[train], digits[train], scaled[test]), digits[test]


def start(seed: int) -> list[np.ndarray]:
    """Return the first weights of the network, the same for both losses."""
    rng = np.random.default_rng(seed)
    shapes = ((64, HIDDEN), (HIDDEN,), (HIDDEN, CLASSES), (CLASSES,))
    return [
        (rng.normal(size=s) * np.sqrt(2.0 / s[0]) if len(s) == 2 else np.zeros(s)).astype(np.float32) for s in shapes
    ]


def with_torch(data: Data, weights: list[np.ndarray], *, begin: int) -> np.ndarray:
    """Train with PyTorch and return the scores of the test images."""
    import torch

    from softtruth.adapters.torch import rk_loss

    x, y, test = (torch.as_tensor(a) for a in data)
    parameters = [torch.tensor(w, requires_grad=True) for w in weights]
    optimizer = torch.optim.Adam(parameters, lr=RATE)

    def scores(rows: Any) -> Any:
        return torch.relu(rows @ parameters[0] + parameters[1]) @ parameters[2] + parameters[3]

    for step in range(STEPS):
        optimizer.zero_grad()
        z = scores(x)
        loss = rk_loss(z, y, from_logits=True) if step >= begin else torch.nn.functional.cross_entropy(z, y)
        loss.backward()
        optimizer.step()
    return scores(test).detach().numpy()


def with_jax(data: Data, weights: list[np.ndarray], *, begin: int) -> np.ndarray:
    """Train with JAX and optax and return the scores of the test images."""
    import jax
    import optax

    from softtruth.adapters.jax import rk_loss

    x, y, test = data
    optimizer = optax.adam(RATE)

    def scores(p: Any, rows: Any) -> Any:
        return jax.nn.relu(rows @ p[0] + p[1]) @ p[2] + p[3]

    def loss(p: Any, rk: bool) -> Any:  # noqa: FBT001  static for jit
        if rk:
            return rk_loss(scores(p, x), y, from_logits=True)
        return optax.softmax_cross_entropy_with_integer_labels(scores(p, x), y).mean()

    @partial(jax.jit, static_argnums=2)
    def update(p: Any, state: Any, rk: bool) -> tuple[Any, Any]:  # noqa: FBT001
        updates, state = optimizer.update(jax.grad(loss)(p, rk), state)
        return optax.apply_updates(p, updates), state

    parameters = [jax.numpy.asarray(w) for w in weights]
    state = optimizer.init(parameters)
    for step in range(STEPS):
        parameters, state = update(parameters, state, step >= begin)
    return np.asarray(scores(parameters, test))


def with_tensorflow(data: Data, weights: list[np.ndarray], *, begin: int) -> np.ndarray:
    """Train with TensorFlow and return the scores of the test images."""
    import keras
    import tensorflow as tf

    from softtruth.adapters.tensorflow import rk_loss_tf

    x, y, test = (tf.constant(a) for a in data)
    parameters = [tf.Variable(w) for w in weights]
    optimizer = keras.optimizers.Adam(RATE)
    optimizer.build(parameters)

    def scores(rows: Any) -> Any:
        return tf.nn.relu(rows @ parameters[0] + parameters[1]) @ parameters[2] + parameters[3]

    @tf.function
    def update(rk: bool) -> None:  # noqa: FBT001  a Python value: traced once for each
        with tf.GradientTape() as tape:
            z = scores(x)
            if rk:
                loss = rk_loss_tf(y, tf.nn.softmax(z))
            else:
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, z))
        optimizer.apply_gradients(zip(tape.gradient(loss, parameters), parameters, strict=True))

    for step in range(STEPS):
        update(step >= begin)
    return scores(test).numpy()


def with_keras(data: Data, weights: list[np.ndarray], *, begin: int) -> np.ndarray:
    """Train with ``compile`` and ``train_on_batch`` and return the scores of the test images."""
    import keras

    from softtruth.adapters.keras import RkLoss, RkMetric

    x, y, test = data
    layers = [keras.layers.Dense(HIDDEN, activation="relu"), keras.layers.Dense(CLASSES)]
    model = keras.Sequential([keras.Input((64,)), *layers])
    model.set_weights(weights)
    entropy = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = keras.optimizers.Adam(RATE)
    for loss, steps in ((entropy, begin), (RkLoss(from_logits=True), STEPS - begin)):
        model.compile(optimizer=optimizer, loss=loss, metrics=[RkMetric(num_classes=CLASSES, from_logits=True)])
        for _ in range(steps):
            model.train_on_batch(x, y)
    return np.asarray(model.predict(test, batch_size=len(test), verbose=0))


FRAMEWORKS: dict[str, Callable[..., np.ndarray]] = {
    "torch": with_torch,
    "jax": with_jax,
    "tensorflow": with_tensorflow,
    "keras": with_keras,
}


def main() -> None:
    """Train, and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("framework", choices=FRAMEWORKS)
    name = parser.parse_args().framework
    os.environ.setdefault("KERAS_BACKEND", "tensorflow")
    train = FRAMEWORKS[name]
    print(f"{name} {importlib.import_module(name).__version__}\n")
    print(f"| seed | train, test | {' | '.join(ARMS)} |\n| --- | --- |{' --- |' * len(ARMS)}")
    found = []
    for seed in range(SEEDS):
        data, truth = imbalanced_digits(seed)
        intervals = []
        for begin in ARMS.values():
            predicted = train(data, start(seed), begin=begin).argmax(axis=1)
            matrix = IndicatorMatrix(truth, predicted, task="multiclass", n_classes=CLASSES)
            intervals.append(matrix.interval("r_k"))
        found.append([i.value for i in intervals])
        shown = " | ".join(f"{i.value:.3f} [{i.low:.3f}, {i.high:.3f}]" for i in intervals)
        print(f"| {seed} | {len(data[0])}, {len(truth)} | {shown} |", flush=True)
    values = np.array(found)
    print(f"| mean | | {' | '.join(f'{mean:.3f}' for mean in values.mean(axis=0))} |\n")
    for arm, gain in zip(list(ARMS)[1:], (values[:, 1:] - values[:, :1]).T, strict=True):
        error = gain.std(ddof=1) / np.sqrt(len(gain))
        print(f"{arm} less cross-entropy: {gain.mean():+.4f}, standard error over the seeds {error:.4f}")


if __name__ == "__main__":
    main()
