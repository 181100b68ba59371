"""Where two predictions swap: each answer against the values on both sides of it, resampling, and simulated noise."""

import numpy as np
import pytest

from softtruth import (
    IndicatorMatrix,
    InputError,
    Interval,
    NotAnswerableError,
    compare_predictions,
    true_table,
    under_prior,
)
from softtruth.corrections.order_at_priors import order_at_priors
from softtruth.corrections.order_under_noise import order_under_noise


def matrices(y, models, task, **settings):
    return [IndicatorMatrix(y, model, task, **settings) for model in models.values()]


@pytest.fixture(scope="module")
def readers():
    """A sensitive test and a specific one: which is better depends on how many are ill."""
    rng = np.random.default_rng(3)
    y = (rng.random(500) < 0.4).astype(int)
    reads = {"eager": (0.9, 0.75), "careful": (0.7, 0.93)}
    found = {}
    for name, (sensitivity, specificity) in reads.items():
        right = rng.random(500) < np.where(y == 1, sensitivity, specificity)
        found[name] = np.where(right, y, 1 - y)
    return y, found


@pytest.fixture(scope="module")
def classes():
    rng = np.random.default_rng(4)
    y = rng.choice(3, 600, p=[0.5, 0.3, 0.2])
    models = {}
    for name, right in (("a", [0.9, 0.6, 0.5]), ("b", [0.7, 0.7, 0.8])):
        kept = rng.random(600) < np.array(right)[y]
        models[name] = np.where(kept, y, (y + rng.integers(1, 3, 600)) % 3)
    return y, models


# --- priors ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", ["accuracy", "f1", "mcc", "fbeta 2"])
def test_a_swap_has_one_ahead_on_either_side(readers, question):
    y, models = readers
    pair = matrices(y, models, "binary")
    order = order_at_priors(*pair, question)
    assert order.crossing.verdict == "crosses"
    for at in order.crossings:
        below, above = (
            np.subtract(*(under_prior(m, at + step).compute(question) for m in pair)) for step in (-0.01, 0.01)
        )
        assert np.sign(below) == -np.sign(above)
        assert abs(np.subtract(*(under_prior(m, at).compute(question) for m in pair))) < 1e-9
    each = [np.subtract(*(under_prior(m, p).compute(question) for m in pair)) for p in order.frequencies[::14]]
    assert order.values[::14] == pytest.approx(each)


def test_frequencies_of_a_class_leave_the_others_in_proportion(classes):
    y, models = classes
    pair = matrices(y, models, "multiclass")
    own = np.bincount(y) / len(y)
    for label in range(3):
        order = order_at_priors(*pair, "macro f1", label=label)
        assert order.own == pytest.approx(own[label])
        for i in (4, 49, 90):
            p = order.frequencies[i]
            prior = own * (1 - p) / (1 - own[label])
            prior[label] = p
            assert order.values[i] == pytest.approx(
                np.subtract(*(under_prior(m, prior).compute("macro f1") for m in pair))
            )
        near = np.interp(order.own, order.frequencies, order.values)
        assert near == pytest.approx(np.subtract(*(m.compute("macro f1") for m in pair)), abs=2e-3)


def drawn_within_classes(y, models, rng):
    """Return a sample with as many items of each class."""
    rows = np.concatenate([rng.choice(np.flatnonzero(y == k), (y == k).sum()) for k in np.unique(y)])
    return y[rows], {name: model[rows] for name, model in models.items()}


@pytest.mark.parametrize("task", ["binary", "multiclass"])
def test_the_band_is_that_of_samples_within_classes(readers, classes, task):
    y, models = readers if task == "binary" else classes
    question = "f1" if task == "binary" else "macro f1"
    order = order_at_priors(*matrices(y, models, task), question, label=1)
    rng = np.random.default_rng(0)
    found = [
        order_at_priors(*matrices(*drawn_within_classes(y, models, rng), task), question, label=1).values
        for _ in range(100)
    ]
    spread, said = np.std(found, axis=0), (order.high - order.low) / 2 / 1.959964
    for i in (9, 49, 89):
        assert said[i] == pytest.approx(spread[i], rel=0.25)


def test_weights_clusters_and_soft_labels_take_the_long_way(readers):
    y, models = readers
    plain = order_at_priors(*matrices(y, models, "binary"), "f1")
    ones = order_at_priors(*matrices(y, models, "binary", sample_weight=np.ones(500)), "f1")
    assert ones.values == pytest.approx(plain.values)
    assert (ones.high - ones.low) == pytest.approx((plain.high - plain.low) * np.sqrt(500 / 499), rel=1e-6)
    pairs = order_at_priors(*matrices(y, models, "binary", clusters=np.arange(500) // 2), "f1")
    assert pairs.values == pytest.approx(plain.values)
    assert not np.allclose(pairs.high, plain.high)


def test_sure_stretches_are_where_the_band_leaves_zero(readers):
    y, models = readers
    order = order_at_priors(*matrices(y, models, "binary"), "accuracy")
    for which, there in (("first", order.low > 0), ("second", order.high < 0)):
        inside = np.zeros(len(there), bool)
        for low, high in order.sure(which):
            inside |= (order.frequencies >= low - 1e-12) & (order.frequencies <= high + 1e-12)
        assert inside.tolist() == there.tolist()
        assert there.any()


def test_never_and_everywhere_are_answers(readers):
    y, models = readers
    report = compare_predictions(y, models, "binary", measures=["recall", "precision"])
    told = {f.numbers["measure"]: f for f in report.swaps if f.code == "order_at_priors"}
    assert told["recall"].numbers["better"] == ["eager"]
    assert told["precision"].numbers["better"] == ["careful"]
    assert (
        "eager is ahead of careful at every frequency of 1; pointwise beyond chance: eager everywhere."
        in told["recall"].sentence
    )


def test_reports_say_where_they_swap(readers):
    y, models = readers
    report = compare_predictions(y, models, "binary", labels=["well", "ill"], measures="accuracy")
    finding = next(f for f in report.swaps if f.code == "swap_at_prior")
    (at,) = finding.numbers["at"]
    assert finding.severity == "warning"
    assert finding.numbers["better"] == ["careful", "eager"]
    assert f"careful is ahead where ill is rarer than {at:.3g} ({y.mean():.3g} in these data)" in finding.sentence
    assert finding.where == ("eager", "careful")


def test_only_a_swap_near_the_data_is_a_warning():
    rng = np.random.default_rng(0)
    for share, severity in ((0.3, "warning"), (0.01, "note")):
        y = (rng.random(20_000) < share).astype(int)
        rates = {"eager": (0.9, 0.2), "careful": (0.7, 0.05)}
        models = {n: np.where(y == 1, rng.random(20_000) < r, rng.random(20_000) < f) for n, (r, f) in rates.items()}
        report = compare_predictions(y, {n: p.astype(int) for n, p in models.items()}, "binary", measures="f1")
        (finding,) = [f for f in report.swaps if f.code == "swap_at_prior"]
        assert finding.severity == severity  # both are better beyond chance somewhere


def test_swaps_at_priors_begin_with_the_nearest():
    rng = np.random.default_rng(3)
    y = rng.choice(3, 3000, p=[0.6, 0.3, 0.1])
    models = {
        n: np.where(rng.random(3000) < np.asarray(r)[y], y, rng.integers(0, 3, 3000))
        for n, r in (("a", [0.9, 0.5, 0.7]), ("b", [0.8, 0.75, 0.5]))
    }
    report = compare_predictions(y, models, "multiclass", measures="accuracy")
    odds = [
        abs(
            np.log(np.divide(f.numbers["at"], np.subtract(1, f.numbers["at"])))
            - np.log(f.numbers["own"] / (1 - f.numbers["own"]))
        ).min()
        for f in report.swaps
        if f.code == "swap_at_prior"
    ]
    assert len(odds) > 1
    assert odds == sorted(odds)


def test_labels_of_multilabel_data_move_alone():
    rng = np.random.default_rng(0)
    y = (rng.random((300, 2)) < [0.5, 0.2]).astype(int)
    models = {n: np.where(rng.random(y.shape) < r, y, 1 - y) for n, r in (("a", [0.9, 0.7]), ("b", [0.7, 0.9]))}
    pair = matrices(y, models, "multilabel")
    order = order_at_priors(*pair, "micro f1", label=1)
    prior = y.mean(axis=0)
    prior[1] = order.frequencies[60]
    assert order.values[60] == pytest.approx(np.subtract(*(under_prior(m, prior).compute("micro f1") for m in pair)))


def test_what_cannot_be_moved_is_said():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 60, 600)
    many = [IndicatorMatrix(y, np.roll(y, i), n_classes=60) for i in (0, 1)]
    with pytest.raises(NotAnswerableError, match="with 60 classes the order at other priors is not looked for"):
        order_at_priors(*many, "accuracy")
    few = [IndicatorMatrix(y % 3, np.roll(y % 3, i), n_classes=4) for i in (0, 1)]
    with pytest.raises(NotAnswerableError, match="class 3 is never there"):
        order_at_priors(*few, "accuracy", label=3)
    with pytest.raises(InputError, match="label is 4, expected the position of one of 4 classes"):
        order_at_priors(*few, "accuracy", label=4)
    report = compare_predictions(y, {"a": y, "b": np.roll(y, 1)}, "multiclass")
    assert any("there are 60 classes" in f.sentence for f in report.findings if f.code == "not_asked")


# --- label noise ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", ["binary", "multiclass"])
def test_the_order_under_noise_is_that_of_recovered_tables(readers, classes, task):
    y, models = readers if task == "binary" else classes
    question = "f1" if task == "binary" else "macro f1"
    pair = matrices(y, models, task)
    order = order_under_noise(*pair, question)
    for rate, value in list(zip(order.rates, order.values, strict=True))[::5]:
        tables = [true_table(m.table, reference_accuracy=1 - rate) for m in pair]
        assert value == pytest.approx(np.subtract(*(t.compute(question) for t in tables)))
    assert order.values[0] == pytest.approx(np.subtract(*(m.compute(question) for m in pair)))


@pytest.mark.parametrize("task", ["binary", "multiclass"])
def test_the_band_under_noise_is_that_of_resampled_items(readers, classes, task):
    y, models = readers if task == "binary" else classes
    question = "f1" if task == "binary" else "macro f1"
    order = order_under_noise(*matrices(y, models, task), question)
    rng, found = np.random.default_rng(1), []
    for _ in range(100):
        rows = rng.integers(0, len(y), len(y))
        drawn = {name: model[rows] for name, model in models.items()}
        found.append(order_under_noise(*matrices(y[rows], drawn, task, n_classes=None), question).values[:8])
    said = (order.high - order.low)[:8] / 2 / 1.959964
    assert said[7] == pytest.approx(np.std([f[7] for f in found if len(f) > 7]), rel=0.25)
    assert said[0] == pytest.approx(np.std([f[0] for f in found]), rel=0.25)


def test_even_noise_is_undone_on_average():
    rng = np.random.default_rng(5)
    n = 60_000
    truth = (rng.random(n) < 0.15).astype(int)
    models = {
        name: np.where(rng.random(n) < np.where(truth == 1, s, c), truth, 1 - truth)
        for name, (s, c) in (("eager", (0.95, 0.86)), ("careful", (0.62, 0.97)))
    }
    wrong = 0.06
    labels = np.where(rng.random(n) < wrong, 1 - truth, truth)
    order = order_under_noise(*matrices(labels, models, "binary"), "f1")
    against_truth = np.subtract(*(m.compute("f1") for m in matrices(truth, models, "binary")))
    i = int(np.argmin(abs(order.rates - wrong)))
    assert order.low[i] < against_truth < order.high[i]
    assert not order.low[0] < against_truth < order.high[0]


def test_a_turn_has_one_ahead_on_either_side():
    y = [1] * 100 + [0] * 400
    models = {
        "eager": np.array([1] * 90 + [0] * 10 + [1] * 60 + [0] * 340),
        "careful": np.array([1] * 60 + [0] * 40 + [1] * 10 + [0] * 390),
    }
    pair = matrices(y, models, "binary")
    order = order_under_noise(*pair, "f1")
    sides = []
    for rate in (order.turns_at - 0.004, order.turns_at + 0.004):
        tables = [true_table(m.table, reference_accuracy=1 - rate) for m in pair]
        sides.append(np.subtract(*(t.compute("f1") for t in tables)))
    assert sides[0] * sides[1] < 0
    report = compare_predictions(y, models, "binary", measures="f1", reference_accuracy=0.95)
    finding = next(f for f in report.noise if f.code == "even_label_errors")
    assert finding.severity == "warning"
    assert finding.numbers["turns_at"] == order.turns_at
    assert f"eager is ahead of careful until {100 * order.turns_at:.4g}% of the labels are wrong" in finding.sentence


def test_even_noise_never_turns_accuracy(readers):
    y, models = readers
    order = order_under_noise(*matrices(y, models, "binary"), "accuracy")
    assert np.isnan(order.turns_at)
    assert order.refuted_beyond
    shrunk = order.values * (1 - 2 * order.rates)
    assert shrunk == pytest.approx(np.full(len(shrunk), order.values[0]))


def test_any_noise_turns_accuracy_at_half_the_lead(readers):
    y, models = readers
    lead = abs(np.subtract(*(m.compute("accuracy") for m in matrices(y, models, "binary"))))
    report = compare_predictions(y, models, "binary", measures="accuracy", reference_accuracy=1 - lead / 4)
    finding = next(f for f in report.noise if f.code == "any_label_errors")
    assert finding.numbers["enough_reference_accuracy"] == pytest.approx(1 - lead / 2)
    assert finding.numbers["robust"]
    found = Interval(1 - lead / 4, 0.9, 0.99, 0.95)
    asked = compare_predictions(y, models, "binary", measures="accuracy", reference_accuracy=found)
    assert next(f for f in asked.noise if f.code == "any_label_errors") == finding
    report = compare_predictions(y, models, "binary", measures="accuracy", reference_accuracy=1 - lead)
    finding = next(f for f in report.noise if f.code == "any_label_errors")
    assert (finding.severity, finding.numbers["robust"]) == ("warning", False)
    assert "they can turn it" in finding.sentence


def test_ties_of_votes_say_nothing_of_noise():
    votes = np.array([[3, 0], [0, 3], [2, 2], [1, 2], [3, 1], [0, 4]] * 10)
    a, b = np.array([0, 1, 0, 1, 0, 0] * 10), np.array([0, 1, 1, 0, 0, 1] * 10)
    report = compare_predictions(votes, {"a": a, "b": b}, "binary", reference_kind="votes")
    assert not [f for f in report.noise if f.code == "ties_left_out"]
    (ties,) = (f for f in report.findings if f.code == "ties")
    assert ties.numbers == {"tied": 10, "items": 60, "left_out_of_noise": 10}
    assert ties.sentence.endswith("; what is said of wrong labels leaves them out.")
    every_tied = compare_predictions(votes * 0 + 1, {"a": a, "b": b}, "binary", reference_kind="votes")
    assert any("no item has one label" in f.sentence for f in every_tied.findings)


def test_noise_asks_for_decisions_of_one_question():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, (50, 2))
    several = [IndicatorMatrix(y, np.roll(y, i, 0), "multilabel") for i in (0, 1)]
    with pytest.raises(NotAnswerableError, match="one question at a time"):
        order_under_noise(*several, "micro f1")
    soft = [IndicatorMatrix(rng.random(50), rng.random(50), "binary", coupling="independent")] * 2
    with pytest.raises(NotAnswerableError, match="one side here is soft"):
        order_under_noise(*soft, "f1")
    hard = [IndicatorMatrix(y[:, 0], y[:, 1], "binary")] * 2
    with pytest.raises(NotAnswerableError, match="the truth of each is not known"):
        order_under_noise(*hard, "exemplar f1")
    report = compare_predictions(y, {"a": y, "b": 1 - y}, "multilabel")
    assert report.noise == ()
    assert any(f.sentence.startswith("Label noise: errors of labels are taken up") for f in report.findings)


# --- dependence, views, measures, conventions -----------------------------------------------------------------------


def test_a_swap_at_a_dependence_has_one_ahead_on_either_side():
    found = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        y = rng.beta(0.6, 0.6, 60)
        sharp, flat = np.clip(y + rng.normal(0, 0.35, 60), 0, 1), 0.35 * y + 0.3 + rng.normal(0, 0.03, 60)
        models = {"sharp": sharp, "flat": flat}
        report = compare_predictions(y, models, "binary", measures="accuracy")
        told = [f for f in report.swaps if f.code in {"swap_at_dependence", "order_under_dependence"}]
        assert len(told) == 1
        pair = matrices(y, models, "binary", coupling="independent")
        gains = np.subtract(*(m.dependence_curve("accuracy", [-1, 0, 1]) for m in pair))
        assert list(told[0].numbers["gain_at_rho"].values()) == pytest.approx(gains.tolist())
        assert told[0].numbers["low"] <= gains.min() <= gains.max() <= told[0].numbers["high"]
        for rho in told[0].numbers["rho"]:
            found += 1
            sides = np.subtract(*(m.dependence_curve("accuracy", [rho - 0.02, rho + 0.02]) for m in pair))
            assert sides[0] * sides[1] < 0
    assert found


def test_crisp_references_have_no_dependence_to_ask_of(readers):
    y, models = readers
    report = compare_predictions(y, models, "binary")
    assert not [f for f in report.swaps if "dependence" in f.code]


def test_the_scan_counts_each_number_once(classes):
    y, models = classes
    report = compare_predictions(y, models, "multiclass")
    scan = next(f for f in report.swaps if f.code in {"swap_by_measure", "measures_agree"})
    asked = scan.numbers["with"] + scan.numbers["against"] + scan.numbers["equal"]
    assert len(set(asked)) == len(asked)
    assert "micro f1" not in asked  # accuracy by another name
    for side, ahead in (("with", scan.numbers["ahead"]), ("against", None)):
        for question in scan.numbers[side]:
            row = report.row(question, "a", "b")
            assert (row.ahead == scan.numbers["ahead"]) == (ahead is not None)


def test_views_that_disagree_are_told():
    rng = np.random.default_rng(2)
    share = np.where(rng.random(300) < 0.5, 0.7, 0.3)
    bold, hedged = (share > 0.5) * 0.98 + 0.01, np.where(rng.random(300) < 0.95, share, 1 - share)
    hedged = 0.5 + (hedged - 0.5) * 0.9
    report = compare_predictions(share, {"bold": bold, "hedged": hedged}, "binary", measures="accuracy")
    rows = {view.name: report.row("accuracy", "bold", "hedged", view.name) for view in report.views}
    told = [f for f in report.swaps if f.code == "swap_by_view"]
    assert bool(told) == (len({row.ahead for row in rows.values() if row.ahead}) > 1)


def test_conventions_that_decide_are_told():
    y = [0, 0, 1, 1, 2, 2] * 5
    a = [0, 0, 1, 1, 0, 0] * 5  # never says 2: its precision is 0/0 there
    b = [0, 0, 1, 2, 2, 1] * 5
    report = compare_predictions(y, {"a": a, "b": b}, "multiclass", measures="macro precision")
    values = {
        c: [IndicatorMatrix(y, p, n_classes=3).compute("macro precision", convention=c) for p in (a, b)]
        for c in ("exclude", "zero", "one")
    }
    signs = {c: np.sign(one - other) for c, (one, other) in values.items()}
    assert len(set(signs.values())) > 1
    finding = next(f for f in report.swaps if f.code == "swap_by_convention")
    assert finding.severity == "warning"
    ahead = finding.numbers["ahead"]["macro precision"]
    assert {c: ahead[c] for c in signs} == {c: {1: "a", -1: "b", 0: ""}[int(s)] for c, s in signs.items()}


# --- groups ---------------------------------------------------------------------------------------------------------


def test_rows_of_groups_are_those_of_the_group_alone():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    models = {n: np.where(rng.random(300) < r, y, rng.integers(0, 3, 300)) for n, r in (("a", 0.8), ("b", 0.7))}
    place = rng.choice(["x", "y", "z"], 300)
    report = compare_predictions(y, models, "multiclass", groups=place)
    for group in "xyz":
        here = place == group
        alone = compare_predictions(y[here], {n: m[here] for n, m in models.items()}, "multiclass")
        for question in report.headline:
            row, wanted = report.row(question, "a", "b", group=group), alone.row(question, "a", "b")
            assert row.interval == wanted.interval
            assert (row.items, row.p_value) == (here.sum(), wanted.p_value)
            assert row.p_adjusted >= row.p_value


@pytest.mark.parametrize("ties", ["share", "first", "drop"])
def test_groups_keep_their_items_whatever_is_left_out(ties):
    rng = np.random.default_rng(1)
    votes = rng.multinomial(4, [0.4, 0.3, 0.3], 200)
    votes[:5] = 0
    models = {name: rng.integers(0, 3, 200) for name in "ab"}
    place = rng.choice(["x", "y"], 200)
    settings = {"task": "multiclass", "reference_kind": "votes", "ties": ties}
    report = compare_predictions(votes, models, groups=place, **settings)
    for group in "xy":
        here = place == group
        alone = compare_predictions(votes[here], {n: m[here] for n, m in models.items()}, **settings)
        for view in report.views:
            row = report.row("accuracy", "a", "b", view.name, group)
            wanted = alone.row("accuracy", "a", "b", view.name)
            assert (row.items, row.interval.value) == (wanted.items, pytest.approx(wanted.interval.value))


def test_groups_of_images_are_of_whole_images():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, (12, 5, 4))
    models = {name: np.where(rng.random(y.shape) < 0.8, y, 1 - y) for name in "ab"}
    place = np.array(["x", "y", "y"] * 4)
    report = compare_predictions(y, models, "multiclass", groups=place, measures=["accuracy", "exemplar f1"])
    here = place == "y"
    alone = compare_predictions(
        y[here], {n: m[here] for n, m in models.items()}, "multiclass", measures=["accuracy", "exemplar f1"]
    )
    for question in report.headline:
        row, wanted = report.row(question, "a", "b", group="y"), alone.row(question, "a", "b")
        assert row.interval.value == pytest.approx(wanted.interval.value)


def decided(tp, fp, positives, negatives):
    return [1] * tp + [0] * (positives - tp) + [1] * fp + [0] * (negatives - fp)


def test_simpsons_paradox_is_named():
    # F1 is no mean over groups. In x: 4/45 against 10/82; in y: 16/18 against 16/17; over both: 20/63 against 26/99.
    y = np.array([1] * 40 + [0] * 40 + [1] * 8 + [0] * 20)
    a = np.array(decided(2, 3, 40, 40) + decided(8, 2, 8, 20))
    b = np.array(decided(5, 37, 40, 40) + decided(8, 1, 8, 20))
    place = np.repeat(["x", "y"], [80, 28])
    report = compare_predictions(y, {"a": a, "b": b}, "binary", groups=place, measures="f1")
    assert report.row("f1", "a", "b").values == pytest.approx((20 / 63, 26 / 99))
    assert report.row("f1", "a", "b", group="x").values == pytest.approx((4 / 45, 10 / 82))
    assert report.row("f1", "a", "b", group="y").values == pytest.approx((16 / 18, 16 / 17))
    finding = next(f for f in report.groups if f.code == "simpson")
    assert (finding.severity, finding.numbers["ahead"], finding.numbers["against"]) == ("warning", "a", ["x", "y"])
    assert (
        "f1: a is ahead over all items, and b in every group where they differ (Simpson's paradox)" in finding.sentence
    )


def test_reversals_and_the_worst_group_are_told():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 600)
    place = np.array(["x"] * 400 + ["y"] * 200)
    a = np.where(rng.random(600) < np.where(place == "x", 0.95, 0.55), y, 1 - y)
    b = np.where(rng.random(600) < np.where(place == "x", 0.8, 0.8), y, 1 - y)
    report = compare_predictions(y, {"a": a, "b": b}, "binary", groups=place, measures="accuracy")
    reverses = next(f for f in report.groups if f.code == "order_reverses")
    assert reverses.severity == "warning"
    assert (reverses.numbers["ahead"], reverses.numbers["sure_against"], reverses.numbers["sure_with"]) == (
        "a",
        ["y"],
        ["x"],
    )
    worst = next(f for f in report.groups if f.code == "worst_group")
    value = (a == y)[place == "y"].mean()
    assert worst.numbers["worst"]["a"] == "y"
    assert worst.numbers["values"]["a"] == pytest.approx(value)
    assert worst.numbers["best"] == "b"


def test_too_many_groups_are_refused_and_small_ones_named():
    y = np.arange(300) % 2
    models = {"a": y, "b": 1 - y}
    with pytest.raises(InputError, match="there are 300 groups for 300 items, expected 200 at most"):
        compare_predictions(y, models, "binary", groups=np.arange(300))
    report = compare_predictions(y, models, "binary", groups=["x"] * 295 + ["y"] * 5)
    assert next(f for f in report.groups if f.code == "small_groups").numbers == {"groups": ["y"]}


@pytest.mark.parametrize(("question", "task"), [("exemplar dor", "binary"), ("macro log_dor", "ordinal")])
def test_infinite_values_are_compared_without_a_warning(question, task):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        y = rng.dirichlet(np.ones(3) * 0.5, 60) if task == "ordinal" else rng.beta(0.5, 0.5, 60)
        models = {n: 0.6 * y + 0.4 * (rng.dirichlet(np.ones(3), 60) if y.ndim > 1 else rng.random(60)) for n in "ab"}
        report = compare_predictions(y, models, task, measures=question)
        assert report.headline == (question,)
