"""Make the data of `softtruth demo`: a real classifier, real digits, and simulated annotators.

    python tools/make_demo_data.py

The files in `src/softtruth/demo` are made by this script and by nothing else. It needs scikit-learn. The same versions
of NumPy and scikit-learn give the same bytes.
"""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

FOLDER = Path(__file__).parents[1] / "src/softtruth/demo"
SEED = 20261130
N_TRAIN, N_TEST = 150, 600  # few digits to learn from, so that there are errors to look at
ACCURACY = {"ann": 0.95, "bob": 0.90, "cyd": 0.85, "dan": 0.80, "eve": 0.70}
DIGITS = 4  # decimals of a probability


def main() -> None:
    """Train, predict, let the annotators vote, and write three files."""
    rng = np.random.default_rng(SEED)
    images, truth = load_digits(return_X_y=True)
    order = rng.permutation(len(truth))
    train, test = order[:N_TRAIN], order[N_TRAIN : N_TRAIN + N_TEST]
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    model.fit(images[train], truth[train])
    probabilities = rounded(model.predict_proba(images[test]))
    items = [f"d{number:04d}" for number in test]

    mistakes = mistaken_for(images, truth)
    votes = []
    for item, digit in zip(items, truth[test], strict=True):
        for name, accuracy in ACCURACY.items():
            vote = digit if rng.random() < accuracy else rng.choice(10, p=mistakes[digit])
            votes.append(f"{item},{name},{vote}")
    write("votes", ["item,annotator,label", *votes])
    shares = [",".join(f"{p:.{DIGITS}f}" for p in row) for row in probabilities]
    head = ",".join(["item", *(f"p_{digit}" for digit in range(10))])
    write("logistic_regression", [head, *map(",".join, zip(items, shares, strict=True))])
    write("truth", ["item,label", *(f"{item},{digit}" for item, digit in zip(items, truth[test], strict=True))])


def rounded(probabilities: np.ndarray) -> np.ndarray:
    """Round the probabilities and let the largest of each row take what is missing to one."""
    shares = probabilities.round(DIGITS)
    rows = np.arange(len(shares))
    top = shares.argmax(axis=1)
    shares[rows, top] += 1 - shares.sum(axis=1)
    return shares


def mistaken_for(images: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return how likely each digit is taken for each other one: the nearer their mean images, the likelier."""
    means = np.stack([images[truth == digit].mean(axis=0) for digit in range(10)])
    distance = np.linalg.norm(means[:, None] - means[None], axis=2)
    likely = np.exp(-distance / 6)
    np.fill_diagonal(likely, 0)
    return likely / likely.sum(axis=1, keepdims=True)


def write(name: str, lines: list[str]) -> None:
    """Write a gzip file without a time stamp."""
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0) as stream:
        stream.write("\n".join([*lines, ""]).encode())
    FOLDER.joinpath(f"{name}.csv.gz").write_bytes(buffer.getvalue())


if __name__ == "__main__":
    main()
