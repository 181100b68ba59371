"""0/0 has no value, and the convention alone says what becomes of it: in a part, in a lone value, in an average."""

import math

import numpy as np
import pytest
from hypothesis import given

import strategies as draw
from softtruth import Cells, Convention, IndicatorMatrix, InputError, NotAnswerableError
from softtruth.conventions import average, convention_of, ratio, settle
from softtruth.measures import Averaged, exemplar, micro, weighted
from softtruth.measures.operators import evaluate

NAN, INF = math.nan, math.inf
QUESTIONS = draw.QUESTIONS


def answers(im, convention):
    found = {}
    for question in QUESTIONS:
        try:
            found[str(question)] = im.compute(question, convention=convention)
        except NotAnswerableError:
            continue
    return found


@given(problem=draw.problems())
def test_substitutes_leave_nothing_undefined_and_exclude_leaves_what_is_defined(problem):
    im = problem.build()
    excluded, undefined = answers(im, "exclude"), answers(im, "nan")
    for convention in ("zero", "one"):
        for name, value in answers(im, convention).items():
            if not math.isnan(value):
                continue
            parts = np.asarray(im.parts(name))  # an infinite part either way has no mean
            assert np.isposinf(parts).any()
            assert np.isneginf(parts).any()
    for name, value in undefined.items():  # where nothing is undefined, all conventions agree
        if not math.isnan(value):
            assert excluded[name] == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("task", draw.TASKS)
def test_without_data_every_value_is_undefined(task):
    shape = 0 if task == "binary" else (0, 3)
    im = IndicatorMatrix(np.zeros(shape), np.zeros(shape), task)
    for convention in Convention:
        expected = NAN if convention.substitute is None else convention.substitute
        for name, value in answers(im, convention).items():
            assert value == pytest.approx(expected, nan_ok=True), name


@given(masses=draw.cell_masses())
def test_an_average_is_the_mean_of_its_parts_under_the_convention(masses):
    cells = Cells(masses)
    for question in QUESTIONS:
        if not isinstance(question, Averaged) or question.operator in {micro, exemplar}:
            continue
        parts = np.asarray(question.measure(cells))
        weight = masses[0] + masses[2] if question.operator is weighted else np.ones(len(parts))
        for convention in Convention:
            kept, values = weight, parts
            if convention is Convention.EXCLUDE:
                kept, values = weight[~np.isnan(parts)], parts[~np.isnan(parts)]
            elif convention.substitute is not None:
                values = np.where(np.isnan(parts), convention.substitute, parts)
            undefined = convention is Convention.NAN and np.isnan(parts).any()
            values, kept = values[kept > 0], kept[kept > 0]
            nothing = NAN if convention.substitute is None else convention.substitute
            with np.errstate(invalid="ignore"):
                expected = np.average(values, weights=kept) if kept.size else nothing
            expected = NAN if undefined else expected
            found = float(evaluate(question, cells, convention))
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True), question


def test_infinite_parts_are_kept():
    cells = Cells(np.array([[3.0, 2.0], [0.0, 1.0], [1.0, 1.0], [4.0, 4.0]]))
    for convention in Convention:
        assert evaluate(Averaged(draw.OPERATORS["macro"], draw.MEASURES["dor"]), cells, convention) == INF
        assert evaluate(Averaged(draw.OPERATORS["macro"], draw.MEASURES["lr_plus"]), cells, convention) == INF


def test_an_infinite_part_of_weight_zero_does_no_harm():
    values, weight = np.array([INF, 2.0]), np.array([0.0, 3.0])
    assert average(values, weight, Convention.EXCLUDE) == 2.0
    assert np.isnan(average(np.array([NAN, 2.0]), weight, Convention.NAN))  # undefined all the same


@pytest.mark.parametrize("convention", list(Convention))
def test_one_undefined_part_of_three(convention):
    values = np.array([0.5, NAN, 1.0])
    expected = {"exclude": 0.75, "zero": 0.5, "one": 2.5 / 3, "nan": NAN}[convention]
    assert float(average(values, None, convention)) == pytest.approx(expected, nan_ok=True)
    lone = {"exclude": NAN, "zero": 0.0, "one": 1.0, "nan": NAN}[convention]
    assert float(settle(np.array(NAN), convention)) == pytest.approx(lone, nan_ok=True)
    assert float(settle(np.array(0.25), convention)) == 0.25


@pytest.mark.parametrize(
    ("above", "below", "value"),
    [(0.0, 0.0, NAN), (2.0, 0.0, INF), (1e-300, 0.0, INF), (0.0, 1e-300, 0.0), (1e-20, 1e-20, 1.0)],
)
def test_the_zero_test_is_exact(above, below, value):
    with np.errstate(all="ignore"):
        assert float(ratio(np.array(above), np.array(below))) == pytest.approx(value, nan_ok=True)


@pytest.mark.parametrize("name", list(Convention))
def test_a_convention_is_a_word(name):
    assert convention_of(str(name)) is name
    assert f"{name}" == name.value
    with pytest.raises(InputError, match="convention 'skip' is not known"):
        convention_of("skip")
    with pytest.raises(InputError, match="convention None is not known"):
        convention_of(None)
