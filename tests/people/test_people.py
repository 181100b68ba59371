"""People beside people and models: identities, other programs, enumeration, and how often intervals hold the truth."""

import itertools
import json
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import cohen_kappa_score, f1_score
from statsmodels.stats.inter_rater import fleiss_kappa

from softtruth import IndicatorMatrix, shared_errors
from softtruth.annotations import Answers
from softtruth.annotations.copiers import find_copiers
from softtruth.errors import InputError
from softtruth.people import agreement, alternative_annotator, human_ceiling, pair_table, pairwise, perspectives
from softtruth.people.leave_one_out import leave_one_out

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "annotations.json").read_text())


def simulated(n=200, people=4, *, classes=3, right=0.7, missing=0.2, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, n)
    votes = np.where(rng.random((n, people)) < right, truth[:, None], rng.integers(0, classes, (n, people)))
    votes[rng.random((n, people)) < missing] = -1
    return votes, truth


vote_tables = st.tuples(st.integers(2, 6), st.integers(2, 4)).flatmap(
    lambda shape: hnp.arrays(np.int64, shape, elements=st.integers(-1, 2))
)

# --- classes that are numbers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("numbers", [[1, 2, 3], [1.0, 2.0, 3.0], [5, 7, 9], [-1, 0, 1], [1, 2], [1.0, 2.0], [-1, 1]])
@pytest.mark.parametrize("kind", [int, float])
def test_predictions_of_classes_that_are_numbers_are_these_and_no_indices(numbers, kind):
    k, names = len(numbers), np.array(numbers)
    votes, truth = simulated(60, classes=k, missing=0, seed=1)
    item, who = (a.ravel() for a in np.indices(votes.shape))
    answers, codes = Answers.long(item, who, names[votes].ravel()), Answers.of(votes, k)
    model = np.where(np.arange(60) % 5, truth, (truth + 1) % k)
    given = names[model].astype(kind)
    assert human_ceiling(answers, given).model == human_ceiling(codes, model).model
    assert str(shared_errors(answers, given)) == str(shared_errors(codes, model))
    reference = names[truth].astype(kind)
    expected = shared_errors(codes, model, reference=truth)
    assert str(shared_errors(answers, given, reference=reference)) == str(expected)
    for ask in (human_ceiling, shared_errors):
        with pytest.raises(InputError, match=r"prediction row 3 is 4, expected one of the classes [-\d., ]+\.$"):
            ask(answers, np.where(np.arange(60) == 3, 4, given).astype(int))


def test_a_probability_is_no_class_that_is_a_number():
    votes, _ = simulated(60, classes=2, missing=0, seed=1)
    item, who = (a.ravel() for a in np.indices(votes.shape))
    shares = np.linspace(0, 1, 60)
    found = human_ceiling(Answers.long(item, who, votes.ravel() + 1), shares)
    assert found.model == human_ceiling(Answers.of(votes), shares).model


# --- agreement ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "distance"), [("krippendorff-nominal", "nominal"), ("krippendorff-interval", "interval")]
)
def test_alpha_in_exact_fractions(name, distance):
    entry = GOLDEN[name]
    ratings = np.array(entry["inputs"]["ratings"], float).T - 1
    found = agreement(Answers.of(ratings), distance=distance)
    assert found.value == pytest.approx(entry["expected"], abs=entry["tolerance"])


@pytest.mark.parametrize("distance", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("seed", range(3))
def test_alpha_as_another_program_gives_it(distance, seed):
    votes, _ = simulated(40, seed=seed, missing=0.4)
    data = np.where(votes < 0, np.nan, votes).T
    expected = krippendorff.alpha(reliability_data=data, level_of_measurement=distance, value_domain=[0, 1, 2])
    assert agreement(Answers.of(votes, 3), distance=distance).value == pytest.approx(expected, abs=1e-12)


def test_values_of_the_interval_distance():
    votes, _ = simulated(40)
    at = np.array([0.0, 1.0, 10.0])
    data = np.where(votes < 0, np.nan, at[votes]).T
    expected = krippendorff.alpha(reliability_data=data, level_of_measurement="interval")
    assert agreement(Answers.of(votes, 3), distance="interval", values=at).value == pytest.approx(expected, abs=1e-12)


def test_fleiss_as_another_program_gives_it():
    counts = Answers.of(simulated(60, missing=0)[0], 3).counts
    assert agreement(counts, "fleiss_kappa").value == pytest.approx(fleiss_kappa(counts), abs=1e-12)


def test_items_of_one_answer_say_nothing():
    votes = Answers.of(simulated(60)[0], 3).counts
    with_single = np.concatenate([votes, [[1, 0, 0], [0, 0, 0]]])
    for name in ("observed_agreement", "fleiss_kappa", "gwet_ac1", "krippendorff_alpha"):
        assert agreement(with_single, name) == agreement(votes, name)


def test_equal_answers_have_no_coefficient():
    assert np.isnan(agreement([[3, 0], [2, 0]]).value)
    assert np.isnan(agreement([[3, 0], [2, 0]], "fleiss_kappa").value)
    assert agreement([[3, 0], [2, 0]], "observed_agreement").value == 1.0


@pytest.mark.parametrize(
    ("name", "distance"),
    [
        ("observed_agreement", "nominal"),
        ("fleiss_kappa", "nominal"),
        ("gwet_ac1", "nominal"),
        ("krippendorff_alpha", "nominal"),
        ("krippendorff_alpha", "ordinal"),
        ("krippendorff_alpha", "interval"),
    ],
)
def test_the_standard_error_is_that_of_the_jackknife(name, distance):
    counts = Answers.of(simulated(300, seed=1)[0], 3).counts
    counts = counts[counts.sum(axis=1) >= 2]
    n = len(counts)
    left = np.array([agreement(np.delete(counts, i, axis=0), name, distance=distance).value for i in range(n)])
    jackknife = np.sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum())
    assert agreement(counts, name, distance=distance).standard_error == pytest.approx(jackknife, rel=0.02)


def test_clusters_of_copies_add_nothing():
    counts = Answers.of(simulated(80)[0], 3).counts
    counts = counts[counts.sum(axis=1) >= 2]
    once = agreement(counts, "fleiss_kappa")
    thrice = agreement(np.repeat(counts, 3, axis=0), "fleiss_kappa", clusters=np.repeat(np.arange(len(counts)), 3))
    assert thrice.standard_error == pytest.approx(once.standard_error, rel=1e-9)


@given(vote_tables)
def test_pairs_of_answers_against_enumeration(votes):
    answers = Answers.of(votes, 3)
    expected = np.zeros((3, 3))
    for row in votes:
        given_here = row[row >= 0]
        for a, b in itertools.permutations(given_here, 2):
            expected[a, b] += 1 / (len(given_here) * (len(given_here) - 1))
    if not expected.any():
        with pytest.raises(InputError, match="two answers"):
            pair_table(answers)
        return
    np.testing.assert_allclose(pair_table(answers).masses, expected, atol=1e-12)


def test_each_pair_of_annotators():
    votes, _ = simulated(100)
    found = pairwise(Answers.of(votes, 3))
    for i, j in itertools.permutations(range(4), 2):
        both = (votes[:, i] >= 0) & (votes[:, j] >= 0)
        assert found[i, j] == pytest.approx(cohen_kappa_score(votes[both, i], votes[both, j]))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["observed_agreement", "fleiss_kappa", "gwet_ac1", "krippendorff_alpha"])
def test_agreement_is_covered(name):
    rng = np.random.default_rng(1)

    def draw(n):
        truth, number = rng.choice(3, n, p=[0.6, 0.3, 0.1]), rng.integers(2, 6, n)
        votes = np.where(rng.random((n, 5)) < 0.7, truth[:, None], rng.integers(0, 3, (n, 5)))
        votes[np.arange(5)[None, :] >= number[:, None]] = -1
        return Answers.of(votes, 3).counts

    expected = agreement(draw(400_000), name).value
    intervals = [agreement(draw(200), name) for _ in range(1500)]
    assert 0.935 <= np.mean([i.low <= expected <= i.high for i in intervals]) <= 0.97


# --- the human ceiling ----------------------------------------------------------------------------------------------


def test_the_ceiling_is_the_observed_agreement():
    entry = GOLDEN["loo-ceiling-soft"]
    counts = np.array(entry["inputs"]["counts"])
    votes = np.array([np.repeat(np.arange(counts.shape[1]), row) for row in counts])
    decided = counts.argmax(axis=1)
    found = human_ceiling(Answers.of(votes, counts.shape[1]), decided)
    assert found.people.value == pytest.approx(entry["expected"], abs=entry["tolerance"])
    assert found.people.value == pytest.approx(agreement(counts, "observed_agreement").value)
    plain = IndicatorMatrix(counts / 14, decided, "multiclass").compute("accuracy")
    assert found.model.value == pytest.approx(plain)


@given(vote_tables, st.sampled_from(["soft", "majority"]))
def test_left_out_answers_against_enumeration(votes, aggregate):
    rows = [(i, r) for i, r in np.argwhere(votes >= 0) if (votes[i] >= 0).sum() >= 2]
    answers = Answers.of(votes, 3)
    if not rows:
        with pytest.raises(InputError, match="two annotators"):
            leave_one_out(answers)
        return
    found = leave_one_out(answers, aggregate)
    assert found.alone == (votes >= 0).sum() - len(rows)
    for row, (i, r) in enumerate(rows):
        others = np.delete(votes[i], r)
        shares = np.bincount(others[others >= 0], minlength=3) / (others >= 0).sum()
        if aggregate == "majority":
            shares = (shares == shares.max()) / (shares == shares.max()).sum()
        np.testing.assert_allclose(found.others[row], shares)
        assert found.answer[row] == votes[i, r]


def test_another_person_in_the_place_of_the_model_is_as_good_as_a_person():
    votes, _ = simulated(400, people=6, classes=2, missing=0)
    found = human_ceiling(Answers.of(votes[:, :5]), votes[:, 5], annotators="fixed")
    assert found.difference.low < 0 < found.difference.high
    assert found.non_inferiority(0.1) < 0.01 < found.superiority()


def test_difference_and_ratio_belong_to_the_values():
    votes, truth = simulated(150)
    found = human_ceiling(Answers.of(votes, 3), truth, "macro f1")
    assert found.difference.value == pytest.approx(found.model.value - found.people.value)
    assert found.ratio.value == pytest.approx(found.model.value / found.people.value)
    assert found.superiority() == found.non_inferiority(0)
    assert found.non_inferiority(0.2) < found.non_inferiority(0.1) < found.superiority() < 0.01
    assert found.answers + found.alone == (votes >= 0).sum()


def test_labels_that_hold_together():
    rng = np.random.default_rng(0)
    truth = rng.random((120, 3)) < [0.5, 0.3, 0.2]
    said = np.where(rng.random((4, 120, 3)) < 0.85, truth, ~truth).astype(int)
    findings = {f"label {j}": Answers.of(said[:, :, j].T, 2) for j in range(3)}
    found = human_ceiling(findings, truth.astype(float), "label_accuracy")
    by_label = [human_ceiling(a, truth[:, j].astype(int)) for j, a in enumerate(findings.values())]
    assert found.people.value == pytest.approx(np.mean([b.people.value for b in by_label]))
    assert found.model.value == pytest.approx(np.mean([b.model.value for b in by_label]))
    some = said[:, :, 0].T.copy()
    some[::3, 1] = -1
    masked = human_ceiling(findings | {"label 0": Answers.of(some, 2)}, truth.astype(float), "label_accuracy")
    alone = human_ceiling(Answers.of(some, 2), truth[:, 0].astype(int))
    weights = [alone.answers, 480, 480]
    people = [alone.people.value, by_label[1].people.value, by_label[2].people.value]
    assert masked.people.value == pytest.approx(np.average(people, weights=weights))


@pytest.mark.slow
@pytest.mark.parametrize(("annotators", "people"), [("random", 40), ("fixed", 5)])
def test_the_difference_is_covered(annotators, people):
    rng = np.random.default_rng(0)
    hits, runs, n = 0, 600, 240
    skill = 0.6 + 0.3 * rng.random(5)  # the same people again, when they are fixed
    for _ in range(runs):
        truth = rng.integers(0, 2, n)
        own = 0.6 + 0.3 * rng.random(people) if annotators == "random" else skill
        right = rng.random((n, people)) < own
        votes = np.where(right, truth[:, None], 1 - truth[:, None])
        if annotators == "random":  # five of forty answer an item
            votes[np.argsort(rng.random((n, people)), axis=1) >= 5] = -1
        model = np.where(rng.random(n) < 0.75, truth, 1 - truth)
        found = human_ceiling(Answers.of(votes, 2), model, annotators=annotators).difference
        # Against others who are right with probability q, one who is right with p agrees with p q + (1 - p)(1 - q).
        if annotators == "random":
            expected = (0.75 - 0.75) * (2 * 0.75 - 1)
        else:
            others = np.array([np.delete(skill, r).mean() for r in range(5)])
            expected = np.mean((0.75 - skill) * (2 * others - 1))
        hits += found.low <= expected <= found.high
    assert 0.925 <= hits / runs <= 0.975


# --- the alternative-annotator test ---------------------------------------------------------------------------------


def test_the_test_against_a_plain_calculation():
    from scipy import stats

    votes, truth = simulated(150, people=3, missing=0)
    found = alternative_annotator(Answers.of(votes, 3), truth, margin=0.1)
    for r in range(3):
        others = np.delete(votes, r, axis=1)
        model, person = (np.mean(others == given[:, None], axis=1) for given in (truth, votes[:, r]))
        assert found.model_ahead[r] == pytest.approx(np.mean(model >= person))
        assert found.person_ahead[r] == pytest.approx(np.mean(person >= model))
        ahead = (person >= model).astype(float) - (model >= person)
        expected = stats.ttest_1samp(ahead, 0.1, alternative="less").pvalue
        assert found.p_values[r] == pytest.approx(expected, rel=1e-9)
    adjusted = stats.false_discovery_control(found.p_values, method="by")
    np.testing.assert_array_equal(found.rejected, adjusted <= 0.05)
    assert found.winning_rate == found.rejected.mean()
    assert found.advantage == pytest.approx(found.model_ahead.mean())


def test_a_good_model_passes_and_a_bad_one_does_not():
    votes, truth = simulated(300, right=0.6, missing=0)
    answers = Answers.of(votes, 3)
    assert alternative_annotator(answers, truth, margin=0.1).passed
    assert not alternative_annotator(answers, (truth + 1) % 3, margin=0.1).passed


def test_annotators_of_few_items_are_counted():
    votes, truth = simulated(100, missing=0)
    votes[20:, 0] = -1
    found = alternative_annotator(Answers.of(votes, 3), truth, margin=0.1)
    assert found.annotators == (1, 2, 3)
    assert found.left_out == 1
    with pytest.raises(InputError, match="lower least_items"):
        alternative_annotator(Answers.of(votes, 3), truth, margin=0.1, least_items=200)


def test_copies_in_clusters_add_nothing_to_the_test():
    votes, truth = simulated(60, missing=0)
    once = alternative_annotator(Answers.of(votes, 3), truth, margin=0.1)
    again = np.repeat(np.arange(60), 2)
    twice = alternative_annotator(Answers.of(votes[again], 3), truth[again], margin=0.1, clusters=again)
    np.testing.assert_allclose(twice.p_values, once.p_values)


# --- perspectives ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", ["accuracy", "macro f1"])
def test_each_person_as_the_reference(measure):
    votes, truth = simulated(120)
    found = perspectives(Answers.of(votes, 3), truth, measure)
    for r, person in enumerate(found):
        own = votes[:, r] >= 0
        assert (person.annotator, person.items) == (r, own.sum())
        alone = IndicatorMatrix(votes[own, r], truth[own], "multiclass", n_classes=3)
        assert person.model == alone.interval(measure)
    if measure == "accuracy":
        left = leave_one_out(Answers.of(votes, 3))
        for r, person in enumerate(found):
            mine = left.annotator == r
            shares = left.others[mine, left.answer[mine]]
            assert person.people == pytest.approx(shares.mean())


def test_two_classes_have_a_positive_one():
    votes, truth = simulated(120, classes=2)
    found = perspectives(Answers.of(votes, 2), truth, "f1")
    own = votes[:, 0] >= 0
    assert found[0].model.value == pytest.approx(f1_score(votes[own, 0], truth[own]))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda a: human_ceiling(a, [0, 1]), "prediction has shape"),
        (lambda a: human_ceiling(a, [0, 1, 5]), "prediction row 2 is 5"),
        (lambda a: human_ceiling(a, ["0", "1", "x"]), "prediction row 0"),
        (lambda a: human_ceiling(a, [[0.1, np.nan, 1]] * 3), "not finite"),
        (lambda a: human_ceiling(a, [0, 1, 1], aggregate="mean"), "aggregate is 'mean'"),
        (lambda a: human_ceiling(a, [0, 1, 1], annotators="some"), "annotators is 'some'"),
        (lambda a: human_ceiling(a, [0, 1, 1]).non_inferiority(-1), "margin is -1"),
        (lambda a: alternative_annotator(a, [0, 1, 1], margin=2), "margin is 2"),
        (lambda a: agreement(a, "kappa"), "coefficient 'kappa' is not known"),
        (lambda a: agreement(a, distance="cosine"), "distance is 'cosine'"),
        (lambda a: agreement(a, "fleiss_kappa", distance="ordinal"), "only krippendorff_alpha knows"),
        (lambda a: agreement(a, values=[1, 2, 3]), "values is"),
        (lambda _: agreement([[0.5, 0.5]]), "whole numbers of votes"),
        (lambda _: agreement([[1e200, 3]]), "contains 1e\\+200, expected whole numbers of votes"),
        (lambda _: agreement([[0, 1, 1], [1, 1, 1], [0, 0, 0]]), "goes through Answers.of"),
        (lambda _: pair_table([[0, 1, 1], [1, 1, 1], [0, 0, 0]]), "goes through Answers.of"),
        (lambda _: agreement([1, 2]), "expected \\(N, K\\)"),
    ],
)
def test_what_cannot_be_used_is_named(call, words):
    with pytest.raises(InputError, match=words):
        call(Answers.of([[0, 0, 1], [1, 1, 0], [2, 0, -1]], 3))


def test_what_is_no_answers_is_refused():
    votes = [[0, 0, 1], [1, 1, 1], [0, 0, 0], [1, 0, 1]]
    asked = (
        lambda given: human_ceiling(given, [0, 1, 0, 1]),
        lambda given: alternative_annotator(given, [0, 1, 0, 1], margin=0.1),
        lambda given: perspectives(given, [0, 1, 0, 1]),
        pairwise,
        find_copiers,
    )
    for ask in asked:
        for other in (votes, np.array(votes), None):
            with pytest.raises(InputError, match=r"expected Answers; make them with Answers\.of"):
                ask(other)
    with pytest.raises(InputError, match="answers are of type list"):
        human_ceiling({"toxic": votes}, [[0], [1], [0], [1]])
    with pytest.raises(InputError, match="answers are of type dict"):
        alternative_annotator({"toxic": Answers.of(votes)}, [0, 1, 0, 1], margin=0.1)
