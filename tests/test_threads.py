"""One problem may be asked by many threads; a seed means the same on any number of them; nothing is kept globally."""

import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

from softtruth import IndicatorMatrix, evaluate, rk_coeff
from softtruth.corrections.under_prior import under_prior

RNG = np.random.default_rng(0)
N, K, THREADS = 300, 3, 8
LABELS = RNG.integers(0, K, N)
PROBABILITIES = RNG.dirichlet(np.ones(K), N)
CLUSTERS = RNG.integers(0, 40, N)


def hard():
    return IndicatorMatrix(LABELS, PROBABILITIES, n_classes=K)


def soft():
    return IndicatorMatrix(np.roll(PROBABILITIES, 1, axis=0), PROBABILITIES, coupling="independent", clusters=CLUSTERS)


QUESTIONS = {
    "compute": lambda im: [im.compute(q) for q in ("macro f1", "r_k", "exemplar jaccard", "micro kappa", "accuracy")],
    "interval": lambda im: [im.interval(q) for q in ("macro f1", "r_k", "accuracy", "exemplar f1")],
    "bootstrap": lambda im: im.interval("macro f1", method="percentile", draws=200, seed=7),
    "bounds": lambda im: im.bounds("macro f1"),
    "distribution": lambda im: im.distribution("micro f1", draws=200, seed=3).interval(),
    "per_class": lambda im: im.per_class().tolist(),
    "prior": lambda im: under_prior(im, np.full(K, 1 / K)).interval("macro f1"),
    "report": lambda im: str(im.report(["macro f1", "r_k", "accuracy"], draws=100, seed=1)),
    "scratch": lambda _: [rk_coeff(LABELS, PROBABILITIES), str(evaluate(LABELS, PROBABILITIES, seed=2))],
}


def at_once(question, matrix):
    """Ask one object by many threads that start together, so that all of them meet what is not made yet."""
    gate = Barrier(THREADS)

    def ask(_):
        gate.wait(timeout=60)
        return question(matrix)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(ask, range(THREADS)))


@pytest.mark.parametrize("make", [hard, soft])
@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_threads_get_what_one_gets_to_the_last_bit(make, question):
    alone = question(make())
    matrix = make()  # nothing of it is cached
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        answers = at_once(question, matrix)
    finally:
        sys.setswitchinterval(switch)
    assert [repr(answer) for answer in answers] == [repr(alone)] * THREADS


def test_different_questions_at_once_do_not_mix():
    matrix, others = hard(), list(QUESTIONS.values())[:-1]
    alone = [repr(question(hard())) for question in others]
    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(lambda question: repr(question(matrix)), others * 4))
    assert found == alone * 4


def test_nothing_global_is_touched():
    """Neither by the import, nor by answers that divide by zero and draw at random."""
    script = """
        import locale, logging, os, random, signal, sys, threading, warnings
        import numpy as np

        def state():
            return repr([
                np.geterr(), np.random.get_state()[1].tolist(), random.getstate(), dict(os.environ), os.getcwd(),
                [str(f) for f in warnings.filters], logging.getLogger().handlers, threading.enumerate(),
                [signal.getsignal(s) for s in signal.valid_signals()], sys.excepthook, sys.path,
                sys.getswitchinterval(), locale.setlocale(locale.LC_ALL), np.get_printoptions(),
            ])

        import rich.style  # draws a number when it is imported
        import threadpoolctl  # sets a variable of OpenMP

        before = state()
        import softtruth
        assert state() == before, "the import"
        im = softtruth.IndicatorMatrix([0, 0, 1, 1], [0, 0, 0, 0], n_classes=3)
        im.compute("macro precision"), im.interval("r_k"), im.interval("accuracy", method="percentile", draws=50)
        soft = softtruth.IndicatorMatrix([[0.5, 0.5], [0.1, 0.9]], [[0.4, 0.6], [1, 0]], coupling="independent")
        soft.bounds("macro f1"), soft.distribution("micro f1", draws=50), str(soft.report())
        assert state() == before, "the answers"
    """
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=120, check=False
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
