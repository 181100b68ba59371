"""The examples in the docstrings of the adapters; those of Keras and TensorFlow run in test_frameworks.py."""

import doctest
import importlib

import pytest

pytestmark = pytest.mark.backend
MODULES = ("jax", "sklearn", "torch.losses", "torch.metrics", "torch.rk_metric")


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(f"softtruth.adapters.{name}")
    found = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert found.attempted
    assert not found.failed
