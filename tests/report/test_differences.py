"""Two or three predictions of the same items: their paired difference stands at the table that compares them."""

import numpy as np
import pytest

from softtruth import IndicatorMatrix, evaluate
from softtruth.uncertainty.comparison import compare, compare_all
from softtruth.uncertainty.mcnemar import p_words


@pytest.fixture(scope="module")
def sides():
    rng = np.random.default_rng(4)
    votes = rng.multinomial(5, [0.5, 0.3, 0.2], size=150)
    votes[:, 0] += 3 * (rng.random(150) < 0.4)
    models = {name: rng.dirichlet([1, 1, 1], 150) + noise * votes for name, noise in (("b", 0.2), ("s", 0.05))}
    return votes, {name: shares / shares.sum(axis=1, keepdims=True) for name, shares in models.items()}


def found(report):
    return [finding for finding in report.findings if finding.code == "difference"]


def test_it_is_the_paired_difference_of_the_decisions():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 200)
    models = {name: np.where(rng.random(200) < right, y, (y + 1) % 3) for name, right in (("big", 0.9), ("tiny", 0.7))}
    report = evaluate(y, models, "multiclass")
    matrices = [IndicatorMatrix(y, model, "multiclass") for model in models.values()]
    for finding, question in zip(found(report), report.headline, strict=True):
        whole = compare(*matrices, question)
        i = whole.difference
        told = finding.numbers["views"]["reference"]
        assert (told["value"], told["low"], told["high"], told["p"]) == (i.value, i.low, i.high, whole.p_value)
        ends = f"{i.value:+.3f} [{i.low:.3f}, {i.high:.3f}]"
        assert finding.sentence == f"big - tiny: {question} {ends}, p {p_words(whole.p_value)}."
    assert [f["code"] for f in report.to_dict()["findings"]].count("difference") == 2


def test_three_predictions_are_corrected_by_holm():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 200)
    rates = {"a": 0.9, "b": 0.8, "c": 0.79}
    models = {name: np.where(rng.random(200) < right, y, (y + 1) % 3) for name, right in rates.items()}
    report = evaluate(y, models, "multiclass")
    matrices = {name: IndicatorMatrix(y, model, "multiclass") for name, model in models.items()}
    wanted = compare_all(matrices, "accuracy")
    told = [f.numbers["views"]["reference"]["p_adjusted"] for f in found(report) if f.numbers["question"] == "accuracy"]
    assert told == [each.p_adjusted for each in wanted]
    assert "after Holm" in found(report)[0].sentence
    assert not found(evaluate(y, models | {"d": y}, "multiclass"))
    assert not found(evaluate(y, {"a": models["a"]}, "multiclass"))


def test_every_view_has_its_own(sides):
    votes, models = sides
    report = evaluate(votes, models, "multiclass", reference_kind="votes")
    views = found(report)[0].numbers["views"]
    assert list(views) == [view.title for view in report.views]
    for view in report.views:
        values = [report.value("accuracy", view.name, name) for name in models]
        assert views[view.title]["value"] == pytest.approx(values[0] - values[1], abs=1e-12)
    assert "(majority reference); " in found(report)[0].sentence


def test_pages_have_it_once_at_its_table(sides):
    votes, models = sides
    report = evaluate(votes, models, "multiclass", reference_kind="votes")
    text = " ".join(report.to_text(width=100).split())
    page = report.to_html()
    for said in (text, page.partition('<script type="application/json"')[0]):
        assert said.count("b - s: accuracy") == said.count("b - s: macro f1") == 1
    assert text.index("accuracy of each") < text.index("b - s: accuracy") < text.index("macro f1 of each")


def test_predictions_that_say_the_same_have_no_interval():
    y = [0, 1, 1, 0, 1, 0, 1, 1]
    p = [0, 1, 0, 0, 1, 1, 1, 1]
    assert found(evaluate(y, {"a": p, "b": p}, "binary"))[0].sentence == (
        "a - b: accuracy +0.000 (no interval: both predictions pull the value alike on every item)."
    )


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_a_bootstrap_is_paired_too(method):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 80)
    models = {name: np.where(rng.random(80) < right, y, 1 - y) for name, right in (("a", 0.9), ("b", 0.7))}
    report = evaluate(y, models, "binary", interval=method, draws=200, seed=3)
    matrices = [IndicatorMatrix(y, model, "binary") for model in models.values()]
    i = compare(*matrices, "accuracy", method=method, draws=200, seed=3).difference
    told = found(report)[0].numbers["views"]["reference"]
    assert (told["low"], told["high"]) == (i.low, i.high)


def test_less_is_better_where_errors_are_counted():
    y, a, b = [0, 1, 2, 2, 1, 0] * 5, [0, 1, 2, 1, 1, 0] * 5, [0, 0, 2, 1, 1, 2] * 5
    first = found(evaluate(y, {"a": a, "b": b}, "ordinal"))[0]
    assert first.sentence.startswith("a - b: mean_absolute_error -")
    assert first.sentence.endswith(", where less is better.")


def test_questions_about_whole_rows_have_the_difference_of_two_shares():
    y = [[1, 0], [0, 1], [1, 1]] * 4
    p = [[1, 0], [1, 1], [1, 1]] * 4
    told = found(evaluate(y, {"a": y, "b": p}, "multilabel", measures=["subset_accuracy"]))[0].numbers["views"]
    gains = np.array([0, 1, 0] * 4)  # of the first, in each row
    reach = 1.959964 * gains.std() / np.sqrt(12)
    wanted = gains.mean() + np.array([0, -reach, reach])
    assert [told["reference"][key] for key in ("value", "low", "high")] == pytest.approx(wanted.tolist())
