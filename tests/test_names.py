"""Law 7: names are read back, aliases lead home, public names are documented, every measure shows itself at work."""

import doctest
import importlib
import inspect
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import softtruth
import strategies as draw
from softtruth import Cells, InputError, Measure, Table, list_measures, parse
from softtruth.measures import OPERATORS, Averaged, exemplar, macro, micro, weighted
from softtruth.measures.catalogue import _FAMILIES as FAMILIES
from softtruth.measures.catalogue import measure_of

EVERY = draw.MEASURES


# --- there and back -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", draw.QUESTIONS, ids=str)
def test_a_question_is_read_back_from_its_name(question):
    assert parse(str(question)) == question
    assert str(parse(str(question))) == str(question)
    assert parse(question) == question


@pytest.mark.parametrize("measure", EVERY.values(), ids=EVERY)
def test_a_measure_is_read_back_from_its_name(measure):
    if measure.takes_operator:
        for operator in OPERATORS:
            assert parse(str(measure), operator) == parse(measure, operator) == OPERATORS[operator](measure)
        assert parse(str(measure)) == micro(measure)
    else:
        assert parse(str(measure)) == measure == parse(measure)


@pytest.mark.parametrize("measure", EVERY.values(), ids=EVERY)
def test_aliases_lead_to_the_measure(measure):
    for alias in measure.aliases:
        for text in (alias, alias.upper(), alias.replace("_", "-"), f"  {alias} "):
            found = parse(text)
            assert (found.measure if isinstance(found, Averaged) else found) == measure
    assert measure.name not in measure.aliases


def test_no_two_measures_share_a_name():
    names = [name for m in list_measures() for name in (m.name, *m.aliases)]
    assert len(names) == len(set(names))
    assert not set(names) & set(OPERATORS)


numbers = st.one_of(st.integers(0, 10**6).map(float), st.floats(0, 1e100), st.sampled_from([0.1, 1e-5, 1e16, 1e22]))


@pytest.mark.parametrize("family", FAMILIES)
@given(data=st.data())
def test_a_member_of_a_family_is_read_back(family, data):
    make = FAMILIES[family]
    parameters = [data.draw(numbers) for _ in inspect.signature(make).parameters]
    try:
        measure = make(*parameters)
    except InputError:
        return  # outside what the family takes, and refused in words
    assert measure_of(str(measure)) == measure
    assert measure_of(f"{family} {' '.join(map(repr, parameters))}") == measure
    if measure.takes_operator:
        for operator in OPERATORS.values():
            assert parse(str(operator(measure))) == operator(measure)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("f1", "micro f1"),
        ("F1", "micro f1"),
        ("macro f1", "macro f1"),
        ("Macro  F1", "macro f1"),
        ("weighted fbeta 2", "weighted f2"),
        ("exemplar fbeta 0.5", "exemplar f0.5"),
        ("fbeta 3", "micro fbeta 3"),
        ("fbeta 3.0", "micro fbeta 3"),
        ("f3", "micro fbeta 3"),
        ("f1.5", "micro fbeta 1.5"),
        ("fbeta 1", "micro f1"),
        ("for", "micro false_omission_rate"),
        ("balanced-accuracy", "micro balanced_accuracy"),
        ("sensitivity", "micro recall"),
        ("matthews-corrcoef", "micro mcc"),
        ("macro iou", "macro jaccard"),
        ("accuracy", "accuracy"),
        ("R-K", "r_k"),
        ("rk", "r_k"),
    ],
)
def test_what_users_write(text, question):
    assert str(parse(text)) == question


def test_operators_make_measures_of_measures():
    recall = EVERY["recall"]
    assert [str(o(recall)) for o in (micro, macro, weighted, exemplar)] == [f"{o} recall" for o in OPERATORS]
    assert macro(recall) == parse("macro recall")
    assert macro(recall) != weighted(recall)
    assert {macro(recall), parse("macro sensitivity")} == {macro(recall)}


# --- words ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", EVERY.values(), ids=EVERY)
def test_a_measure_says_what_it_is(measure):
    doc = inspect.getdoc(measure)
    question = doc.split("\n\n")[0].replace("\n", " ")
    assert re.fullmatch(r"[A-Z][^?]*\?", question), "the first line is the question that the measure answers"
    assert "Undefined" in doc
    assert re.search(r"^Source: .*\d{4}", doc, flags=re.MULTILINE)


@pytest.mark.parametrize("measure", EVERY.values(), ids=EVERY)
def test_a_measure_shows_itself_at_work(measure):
    names = {"Cells": Cells, "Table": Table, "np": np} | {m.formula.__name__: m for m in EVERY.values()}
    shown = doctest.DocTestParser().get_doctest(inspect.getdoc(measure), names, measure.name, None, None)
    assert shown.examples
    report = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    result = runner.run(shown, out=report.append)
    assert result.failed == 0, "".join(report)


@pytest.mark.parametrize("name", softtruth.__all__)
def test_a_public_name_is_documented(name):
    thing = getattr(softtruth, name)
    if name == "__version__":
        assert re.fullmatch(r"\d+\.\d+\.\d+.*", thing)
        return
    doc = inspect.getdoc(thing)
    assert doc
    assert re.search(r"[.?]$", doc.split("\n")[0])
    if inspect.isclass(thing):
        for member, value in vars(thing).items():
            if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, (classmethod, property))):
                assert inspect.getdoc(value), f"{name}.{member}"


def test_public_names_are_listed_and_others_are_not_there():
    assert sorted(softtruth.__all__) == dir(softtruth)
    with pytest.raises(AttributeError, match="module 'softtruth' has no attribute 'nothing'"):
        _ = softtruth.nothing
    for name, home in softtruth._HOMES.items():
        module = importlib.import_module(f"softtruth.{home}")
        assert getattr(softtruth, name) is (module if name == home else getattr(module, name))


def test_a_measure_prints_its_name():
    assert str(EVERY["f1"]) == "f1"
    assert "formula" not in repr(EVERY["f1"])
    assert isinstance(EVERY["f1"], Measure)


# --- names that lead nowhere ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "operator", "sentence"),
    [
        ("f1_scroe", "micro", "measure 'f1_scroe' is not known. Did you mean f1_score?"),
        ("macro recal", "micro", "measure 'recal' is not known. Did you mean recall?"),
        ("zzz", "micro", "measure 'zzz' is not known. softtruth.list_measures() names them all."),
        ("", "micro", "the name of a measure is empty; expected something like 'f1' or 'macro f1'."),
        ("  ", "micro", "the name of a measure is empty; expected something like 'f1' or 'macro f1'."),
        ("fbeta", "micro", "measure 'fbeta': expected the number that fbeta takes after its name, as in 'fbeta 2'."),
        (
            "fbeta two",
            "micro",
            "measure 'fbeta two': expected the number that fbeta takes after its name, as in 'fbeta 2'.",
        ),
        (
            "fbeta 1 2",
            "micro",
            "measure 'fbeta 1 2': expected the number that fbeta takes after its name, as in 'fbeta 2'.",
        ),
        ("fbeta -1", "micro", "fbeta's beta is -1.0, expected a number of at least 0."),
        ("fbeta nan", "micro", "fbeta's beta is nan, expected a number of at least 0."),
        ("fbeta inf", "micro", "fbeta's beta is inf, expected a number of at least 0."),
        ("f1", "mean", "operator 'mean' is not known; expected one of 'micro', 'macro', 'weighted', 'exemplar'."),
        ("f1", None, "operator None is not known; expected one of 'micro', 'macro', 'weighted', 'exemplar'."),
        ("accuracy", "macro", "accuracy is a measure of the whole table and takes no operator; leave out 'macro'."),
        (
            "macro accuracy",
            "micro",
            "accuracy is a measure of the whole table and takes no operator; leave out 'macro'.",
        ),
        (
            7,
            "micro",
            "measure 7 is neither a name nor a Measure; a formula of your own goes through Measure.from_formula.",
        ),
    ],
)
def test_a_name_that_leads_nowhere_says_what_would(text, operator, sentence):
    with pytest.raises(InputError) as caught:
        parse(text, operator)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("text", ["brier", "Log Loss", "roc-auc", "macro auc", "ECE"])
def test_measures_of_scores_are_named_as_out_of_scope(text):
    with pytest.raises(InputError, match=r"judges probabilities or every threshold; expected a measure of decisions"):
        parse(text)


# --- one operator ---------------------------------------------------------------------------------------------------


def test_two_operators_for_one_measure_are_refused():
    for question in ("macro f1", macro(EVERY["f1"])):
        assert str(parse(question, "micro")) == str(parse(question, "macro")) == "macro f1"
        with pytest.raises(InputError, match="names the operator macro, but 'weighted' was asked for"):
            parse(question, "weighted")
    im = softtruth.IndicatorMatrix([0, 1, 2, 2], [0, 2, 2, 2], n_classes=3)
    for ask in (im.compute, im.interval, im.parts, softtruth.under_prior(im, [0.2, 0.3, 0.5]).compute):
        with pytest.raises(InputError, match="leave one of the two out"):
            ask("micro f1", "weighted")
    assert im.parts("micro f1").shape == (1,)
    assert im.parts("f1").shape == im.parts("macro f1").shape == im.parts("f1", "weighted").shape == (3,)
    assert softtruth.under_prior(im, [0.2, 0.3, 0.5]).parts("micro f1").shape == (1,)
