"""What a reader of a comparison needs first: who leads, against which reference, and what would turn that around."""

import numpy as np
import pytest

from softtruth import compare_predictions, evaluate
from softtruth.evaluation.views import CONFIDENCE
from softtruth.render.arranged import COMPARE, which_is_better
from softtruth.render.comparison_html import to_html
from softtruth.render.comparison_markdown import to_markdown
from softtruth.render.comparison_tables import counted, groups, parted
from softtruth.render.comparison_text import to_text

PARTS = ("verdicts", "swaps", "noise", "groups", "findings")


@pytest.fixture(scope="module")
def votes():
    """Votes on 400 items, a model that decides well, one that hedges, and one that guesses more."""
    rng = np.random.default_rng(5)
    share = rng.dirichlet([0.9, 0.6, 0.4], 400)
    counts = np.stack([rng.multinomial(5, p) for p in share])
    flat = np.full(3, 1 / 3)
    blurred = 0.8 * share + 0.2 * rng.dirichlet([1, 1, 1], 400)
    models = {
        "hedged": 0.45 * share + 0.55 * flat,
        "sharp": blurred**4 / (blurred**4).sum(axis=1, keepdims=True),
        "mixed": 0.5 * share + 0.5 * rng.dirichlet(flat, 400),
    }
    return counts, models


@pytest.fixture(scope="module")
def compared(votes):
    counts, models = votes
    return compare_predictions(counts, models, "multiclass", reference_kind="votes")


def test_each_finding_is_told_once(compared):
    facts = compared.to_dict()
    for part in PARTS:
        first, others = parted(facts, facts[part])
        assert sorted(map(id, (*first, *others))) == sorted(map(id, facts[part]))
        words = to_text(facts, 80)
        assert not others or f"{len(others)} more" in words


def test_pairs_without_the_leader_are_folded(compared):
    facts = compared.to_dict()
    leaders = {v["numbers"]["measure"]: v["numbers"]["leader"] for v in facts["verdicts"] if v["code"] == "leader"}
    first, others = parted(facts, facts["verdicts"])
    assert all(v["code"] == "leader" or leaders[v["numbers"]["measure"]] in v["where"] for v in first)
    assert len(others) == len(leaders)
    assert all(leaders[v["numbers"]["measure"]] not in v["where"] for v in others)
    (page, markdown) = (to_html(facts), to_markdown(facts))
    assert page.count('<details class="others">') == sum(bool(parted(facts, facts[part])[1]) for part in PARTS)
    assert markdown.count("<details>") == markdown.count("</details>") == page.count('<details class="others">')


def test_of_many_the_best_is_named_first_whoever_it_is():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 800)
    right = dict(zip([f"m{i}" for i in range(8)], rng.permutation(np.linspace(0.6, 0.8, 8)), strict=True))
    models = {name: np.where(rng.random(800) < share, y, rng.integers(0, 3, 800)) for name, share in right.items()}
    values = {name: float((y == p).mean()) for name, p in models.items()}
    best = max(values, key=values.get)
    for first in ("m0", best):
        ordered = {first: models[first], **models}
        report = compare_predictions(y, ordered, "multiclass", measures="accuracy")
        assert report.baseline == first
        leader = report.verdicts[0]
        assert leader.sentence.startswith(f"accuracy: {best} leads with {values[best]:.3f}, ")
        told, level = leader.numbers["better_than"], leader.numbers["not_told_from"]
        assert sorted([*told, *level]) == sorted({*models} - {best})
        for other in told:  # no pair is told apart there that is not told apart alone
            alone = compare_predictions(
                y, {best: models[best], other: models[other]}, "multiclass", measures="accuracy"
            )
            assert alone.row("accuracy", best, other).verdict == "first"
        assert ("against_baseline" in {v.code for v in report.verdicts}) == (first != best)
        front, _ = parted(report.to_dict(), report.to_dict()["verdicts"])
        assert all({best} < set(v["where"]) <= {best, *level} for v in front if v["code"] == "verdict")
    chosen = compare_predictions(y, models, "multiclass", measures="accuracy", baseline="m0")
    assert [v.code for v in chosen.verdicts if v.code != "verdict"] == ["against_baseline"]


def test_levels_share_the_lead():
    y = np.arange(40) % 2
    models = {name: np.where(np.arange(40) % 8 == i, 1 - y, y) for i, name in enumerate("abc")}
    report = compare_predictions(y, {**models, "d": 1 - y}, "binary", measures="accuracy")
    assert report.verdicts[0].sentence.startswith("accuracy: a, b, c are level with 0.875")
    assert report.verdicts[0].numbers["equal"] == ["b", "c"]


def test_probabilities_that_lead_come_with_a_caution(votes):
    counts, models = votes
    many = compare_predictions(counts, models, "multiclass", reference_kind="votes")
    two = compare_predictions(counts, {n: models[n] for n in ("hedged", "sharp")}, "multiclass", reference_kind="votes")
    for report in (
        many,
        two,
        compare_predictions(counts, models, "multiclass", reference_kind="votes", baseline="mixed"),
    ):
        said = [v.sentence for v in report.verdicts if CONFIDENCE in v.sentence]
        assert said
        for text in (report.to_markdown(), report.to_html(), " ".join(report.to_text(100).split())):
            assert CONFIDENCE in text
        for sentence in said:
            assert sentence == CONFIDENCE or "Against the soft reference" in sentence
    decisions = compare_predictions(
        counts, {n: p.argmax(1) for n, p in models.items()}, "multiclass", reference_kind="votes"
    )
    assert CONFIDENCE not in decisions.to_text()


def test_of_two_nothing_is_folded(votes):
    counts, models = votes
    two = {name: models[name] for name in ("hedged", "sharp")}
    facts = compare_predictions(counts, two, "multiclass", reference_kind="votes").to_dict()
    assert not any(parted(facts, facts[part])[1] for part in PARTS)


def test_how_many_are_folded_is_counted():
    note, warning = {"severity": "note"}, {"severity": "warning"}
    end = "about other pairs, single classes and what changes no verdict"
    assert counted([note, note]) == f"2 more {end}"
    assert counted([note, warning]) == f"2 more, 1 of them a warning, {end}"
    assert counted([note, warning, warning]) == f"3 more, 2 of them warnings, {end}"


def test_a_verdict_names_its_reference_and_who_is_ahead_elsewhere(votes, compared):
    leader = next(v for v in compared.verdicts if v.code == "leader")
    values = {
        view: {
            name: compared.row("accuracy", name, other, view).values[0]
            for name, other in (("hedged", "sharp"), ("sharp", "hedged"), ("mixed", "sharp"))
        }
        for view in ("majority", "soft", "soft_decision")
    }
    best = {view: max(of, key=of.get) for view, of in values.items()}
    assert leader.numbers["leaders"] == best
    assert best["soft"] == "sharp" != best["majority"]
    assert leader.sentence.startswith(f"accuracy against the majority reference: {best['majority']} leads with ")
    assert f" Against the soft reference sharp leads with {values['soft']['sharp']:.3f}" in leader.sentence
    counts, models = votes
    two = {name: models[name] for name in (best["majority"], "sharp")}
    verdict = compare_predictions(counts, two, "multiclass", reference_kind="votes", measures="accuracy").verdicts[0]
    assert " accuracy against the majority reference" in verdict.sentence
    assert " Against the soft reference sharp is ahead by " in verdict.sentence


def test_without_views_no_reference_is_named():
    y = np.array([0, 1, 1, 0] * 20)
    report = compare_predictions(y, {"a": [0, 1, 1, 1] * 20, "b": [0, 0, 1, 1] * 20}, "binary", measures="accuracy")
    assert report.verdicts[0].sentence.startswith("a is better than b in accuracy by 0.250 [")
    assert report.verdicts[0].sentence.endswith("].")


def test_bands_that_are_not_corrected_say_so():
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, 300)
    models = {
        name: np.where(rng.random(300) < right, y, 1 - y) for name, right in (("a", 0.8), ("b", 0.7), ("c", 0.75))
    }
    compared = compare_predictions(y, models, "binary")
    for part, code in (("swaps", "pointwise"), ("noise", "assumption")):
        (told,) = (f for f in getattr(compared, part) if f.code == code)
        assert "not corrected for pairs, classes and points" in told.sentence
    bands = [f for f in (*compared.swaps, *compared.noise) if "curve" in f.numbers]
    assert len(bands) == 12
    for finding in bands:
        assert finding.sentence.count("beyond chance") == finding.sentence.count("pointwise beyond chance") == 1


def test_an_interval_without_zero_is_explained_where_the_correction_leaves_it_open():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    found = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        models = {
            name: np.where(rng.random(300) < right, y, 1 - y)
            for name, right in zip("abc", (0.8, 0.74, 0.8), strict=True)
        }
        report = compare_predictions(y, models, "binary", measures="accuracy")
        for row, verdict in zip(report.rows, (v for v in report.verdicts if v.code == "verdict"), strict=False):
            open_yet = row.verdict == "undecided" and row.interval.low * row.interval.high > 0
            assert ("the interval by itself, not corrected, leaves out 0" in verdict.sentence) == open_yet
            found += open_yet
    assert found


def test_macro_averages_are_not_looked_at_in_groups_of_one_class():
    rng = np.random.default_rng(6)
    y = rng.integers(0, 3, 300)
    models = {name: np.where(rng.random(300) < right, y, (y + 1) % 3) for name, right in (("a", 0.8), ("b", 0.6))}
    report = compare_predictions(y, models, "multiclass", groups=[f"only {k}" for k in y])
    (told,) = (f for f in report.groups if f.code == "groups_of_one_class")
    assert told.numbers == {"measure": "macro f1", "groups": ["only 0", "only 1", "only 2"]}
    assert not [f for f in report.groups if f.code != "groups_of_one_class" and f.numbers.get("measure") == "macro f1"]
    assert [f for f in report.groups if f.numbers.get("measure") == "accuracy"]
    assert [head for head, _, _ in groups(report.to_dict())] == ["accuracy in each group"]
    mixed = compare_predictions(y, models, "multiclass", groups=["x", "z"] * 150)
    assert "macro f1 in each group" in [head for head, _, _ in groups(mixed.to_dict())]
    assert not [f for f in mixed.groups if f.code == "groups_of_one_class"]


def test_a_report_of_several_says_who_has_the_best_values(votes):
    counts, models = votes
    report = evaluate(counts, models, "multiclass", reference_kind="votes")
    told = which_is_better(report.to_dict())
    assert told.startswith("Best values, by chance or not: accuracy: ")
    assert "sharp (soft reference)" in told
    assert told.endswith(COMPARE)
    for text in (report.to_text(200), report.to_markdown(), report.to_html()):
        assert "Best values, by chance or not: accuracy: " in text
    one = evaluate(counts, {"sharp": models["sharp"]}, "multiclass", reference_kind="votes")
    assert which_is_better(one.to_dict()) == ""


def test_every_difference_of_a_report_has_its_p_value(votes):
    counts, models = votes
    three = evaluate(counts, models, "multiclass", reference_kind="votes")
    told = [f for f in three.findings if f.code == "difference"]
    assert told
    assert all(f.sentence.count(", p ") == f.sentence.count(" after Holm") == 3 for f in told)
    two = evaluate(counts, {name: models[name] for name in ("hedged", "mixed")}, "multiclass", reference_kind="votes")
    told = [f for f in two.findings if f.code == "difference"]
    assert told
    assert all(f.sentence.count(", p ") == 3 and "Holm" not in f.sentence for f in told)
