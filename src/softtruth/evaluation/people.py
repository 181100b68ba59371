"""What people say beside the numbers: their agreement, how sure they make us, ceilings, and people beside the model."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth.people import human_ceiling
from softtruth.people.agreement import agreement_of_counts, shared_counts
from softtruth.report.findings import names, plural
from softtruth.report.parts import Finding
from softtruth.sets import (
    aggregated_coverage,
    aggregated_topk_accuracy,
    coverage_ceiling,
    mass_sets,
    sampled_rank_shares,
    size,
    topk_ceiling,
)
from softtruth.uncertainty.mean_interval import mean_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softtruth.annotations.answers import Answers
    from softtruth.evaluation.behind import Behind
    from softtruth.uncertainty.interval import Interval

MASS = 0.9  # the probability that the sets of a model hold
DRAWS = 200  # of the shares behind the votes of an item; the mean over items needs no more
LARGEST = 20_000_000  # numbers of items times classes beyond which certainty is not drawn for


def people_findings(
    behind: Behind, answers: Answers | Mapping[str, Answers] | None = None, *, level: float = 0.95
) -> list[Finding]:
    """Return what the people behind the reference tell about it, and about the predictions.

    Parameters
    ----------
    behind : Behind
    answers : Answers, or mapping of label to Answers, optional
        Who answered what on these items, where that is known.
    level : float
        Of the intervals.
    """
    found: list[Finding] = []
    if behind.votes is not None and behind.votes.ndim == 3:
        found += _agreement_by_label(behind, behind.votes, level)
    elif behind.votes is not None:
        found += [*_agreement(behind, behind.votes, level), *_certainty(behind, behind.votes, level)]
    if behind.shares is not None:
        found += _sets(behind, behind.shares, level)
    if answers is not None:
        found += _beside_people(behind, answers, level)
    return found


def _ends(interval: Interval) -> str:
    if math.isnan(interval.low):
        return f"{interval.value:.3f}"
    return f"{interval.value:.3f} [{interval.low:.3f}, {interval.high:.3f}]"


def _numbers(**intervals: Interval) -> dict[str, Any]:
    return {name: {"value": i.value, "low": i.low, "high": i.high} for name, i in intervals.items()}


def _agreement(behind: Behind, votes: NDArray[Any], level: float) -> list[Finding]:
    several = votes.sum(axis=1) >= 2
    if not several.any() or (votes != np.floor(votes)).any():
        return []
    observed, alpha = (
        agreement_of_counts(*shared_counts(votes), name, clusters=behind.clusters, level=level)
        for name in ("observed_agreement", "krippendorff_alpha")
    )
    beyond = "all votes are equal" if math.isnan(alpha.value) else f"Krippendorff's alpha is {_ends(alpha)}"
    sentence = (
        f"Two annotators of an item give the same label with probability {_ends(observed)}; {beyond} "
        f"({plural(int(several.sum()), 'item')} with two votes or more)."
    )
    numbers = {**_numbers(observed_agreement=observed, krippendorff_alpha=alpha), "items": int(several.sum())}
    return [Finding("agreement", "note", sentence, numbers)]


def _agreement_by_label(behind: Behind, by_label: NDArray[Any], level: float) -> list[Finding]:
    found = {}
    for label, votes in zip(behind.labels, np.moveaxis(by_label, 1, 0), strict=True):
        if (votes.sum(axis=1) >= 2).any() and (votes == np.floor(votes)).all():
            shared = shared_counts(votes)
            found[label] = agreement_of_counts(*shared, "krippendorff_alpha", clusters=behind.clusters, level=level)
    if not found:
        return []
    words = names((f"{label} {_ends(alpha)}" for label, alpha in found.items()), 12)
    sentence = f"Agreement of the annotators beyond chance, by label (Krippendorff's alpha): {words}."
    return [Finding("agreement", "note", sentence, {"krippendorff_alpha": _numbers(**found)})]


def _certainty(behind: Behind, votes: NDArray[Any], level: float) -> list[Finding]:
    known: NDArray[np.bool_] = np.asarray(votes.sum(axis=1) > 0)
    if not known.any() or votes.size > LARGEST:
        return []
    # One vote in all, spread evenly, before anybody votes: unanimous votes of few people are not quite certain.
    shares = sampled_rank_shares(votes[known] + 1 / votes.shape[1], n_samples=DRAWS, seed=0)
    certainty = shares.max(axis=1)
    mean = _Average(behind, known, level)(certainty)
    doubtful = int((certainty < MASS).sum())
    sentence = (
        f"How certain the votes make it which class most people would choose: {_ends(mean)} on average, and below "
        f"{MASS:g} for {plural(doubtful, 'item')} (by draws of the shares behind the votes; prior: one vote, spread "
        "evenly)."
    )
    numbers = {**_numbers(annotation_certainty=mean), "below": doubtful, "threshold": MASS, "items": int(known.sum())}
    return [Finding("annotation_certainty", "note", sentence, numbers)]


@dataclass(frozen=True, eq=False)
class _Average:
    """Means over some items, with their weights and clusters."""

    behind: Behind
    items: NDArray[np.bool_]
    level: float

    def __call__(self, values: NDArray[Any], top: float = 1.0) -> Interval:
        weight, clusters = self.behind.weight, self.behind.clusters
        return mean_interval(
            values,
            weight=None if weight is None else weight[self.items],
            clusters=None if clusters is None else clusters[self.items],
            limits=(0.0, top),
            level=self.level,
        )


def _sets(behind: Behind, shares: NDArray[np.float64], level: float) -> list[Finding]:
    """Say how much of the shares top-k sets and sets of 90% probability cover, and how much they could."""
    known: NDArray[np.bool_] = np.logical_not(np.isnan(shares).any(axis=1))
    average, shares = _Average(behind, known, level), shares[known]
    classes = len(behind.labels)
    depths = (1, 2) if classes <= 5 else (1, 3) if classes <= 10 else (1, 3, 5)
    found = []
    for name, (values, kind) in behind.predictions.items():
        if kind == "labels":
            continue
        scores = np.asarray(values)[known]
        words, numbers = [], {}
        for k in depths:
            value = average(aggregated_topk_accuracy(scores, shares, k))
            ceiling = average(topk_ceiling(shares, k)).value
            words.append(f"top-{k} {_ends(value)} of at most {ceiling:.3f}")
            numbers[f"top_{k}"] = {**_numbers(value=value)["value"], "ceiling": ceiling}
        sentence = f"Share of the votes among the first classes of the prediction: {', '.join(words)}."
        found.append(Finding("topk", "note", sentence, numbers, (name,)))
        if kind == "probabilities":
            found.append(_mass_sets(name, mass_sets(scores, MASS), shares, average))
    return found


def _mass_sets(name: str, chosen: NDArray[Any], shares: NDArray[Any], average: _Average) -> Finding:
    covered, classes = average(aggregated_coverage(chosen, shares)), average(size(chosen), top=math.inf).value
    best = average(coverage_ceiling(chosen, shares)).value
    sentence = (
        f"The smallest sets that hold {100 * MASS:g}% of the predicted probability have {classes:.2f} classes on "
        f"average and cover {_ends(covered)} of the votes; sets of these sizes can cover {best:.3f}."
    )
    numbers = {**_numbers(coverage=covered), "ceiling": best, "size": classes, "mass": MASS}
    return Finding("set_coverage", "note", sentence, numbers, (name,))


def _beside_people(behind: Behind, answers: Any, level: float) -> list[Finding]:
    """Say how the predictions stand beside a randomly chosen annotator."""
    measure = "micro f1" if behind.task == "multilabel" else "accuracy"
    several = list(answers.values()) if isinstance(answers, Mapping) else [answers]
    if not any((each.counts.sum(axis=1) >= 2).any() for each in several):  # nobody shares an item with another one
        return []
    weighted = "" if behind.weight is None else " Items count alike here."
    found: list[Finding] = []
    for name, (values, _) in behind.predictions.items():
        ceiling = human_ceiling(
            answers, values, measure, clusters=behind.clusters, threshold=behind.threshold, level=level
        )
        sentence = (
            f"Against the other annotators of the item, an annotator has {measure} {_ends(ceiling.people)} and the "
            f"prediction {_ends(ceiling.model)}: a difference of {_ends(ceiling.difference)}"
            f"{f' ({ceiling.difference.note})' if ceiling.difference.note else ''}.{weighted}"
        )
        numbers = {
            **_numbers(people=ceiling.people, model=ceiling.model, difference=ceiling.difference, ratio=ceiling.ratio),
            "measure": measure,
            "p_superiority": ceiling.superiority(),
            "answers": ceiling.answers,
            "annotators": ceiling.annotators,
        }
        found.append(Finding("human_ceiling", "note", sentence, numbers, (name,)))
    return found
