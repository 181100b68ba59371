"""Keras on each of its backends, and TensorFlow: in processes of their own, since one holds one backend."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.backend
HERE = Path(__file__).parent
OLD_GRAPHS = """
import tensorflow as tf
tf.compat.v1.disable_v2_behavior()
from softtruth import rk_coeff as core
from softtruth.adapters.tensorflow import rk_coeff, rk_loss_tf
y, p = [0, 1, 2, 2], [[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.1, 0.1, 0.8], [0.4, 0.2, 0.4]]
value, update = rk_coeff(y, p, 3)
with tf.compat.v1.Session() as session:
    session.run(tf.compat.v1.local_variables_initializer())
    session.run(update)
    assert abs(session.run(value) - core(y, p)) < 1e-7
    assert session.run(rk_loss_tf([0, 0, 0, 0], p)) == 1
"""


def run(*arguments, backend):
    environment = os.environ | {"KERAS_BACKEND": backend, "TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu"}
    ran = subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert ran.returncode == 0, (ran.stdout + ran.stderr)[-5000:]
    return ran.stdout


def pytest_on(*names, backend):
    files = [str(HERE / name) for name in names]
    return run("-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "default", *files, backend=backend)


@pytest.mark.parametrize("backend", ["jax", "torch"])
def test_keras(backend):
    assert "passed" in pytest_on("keras_checks.py", backend=backend)


def test_keras_and_tensorflow():
    assert "passed" in pytest_on("keras_checks.py", "tensorflow_checks.py", backend="tensorflow")


def test_graphs_without_the_behaviour_of_tensorflow_2():
    run("-c", OLD_GRAPHS, backend="tensorflow")
