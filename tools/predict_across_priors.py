"""Predict the measure of one part of real data from the other part, and show what it really is.

    python tools/predict_across_priors.py DATA

DATA is a folder with the public data sets that docs/validation.md names. Each part of a data set is the target once,
and all other parts are the source: the source's rates at the target's prior (known, or estimated from the target's
predictions) predict the measure, which is compared with the target's own labels. One line for each.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from softtruth import IndicatorMatrix, InputError, estimate_prior, label_shift_test, under_prior
from softtruth.corrections.priors import Source
from softtruth.corrections.target_prior import PriorEstimate
from softtruth.evaluation.shift import visible
from softtruth.inputs.align import load_problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from softtruth import Interval
    from softtruth.inputs.problem import Problem

Z = 1.959964
METHODS = ("known", "bbse_hard", "mlls calibrated")
HEADER = f"{'target':28} {'model':14} {'measure':10} {'prior':16} {'predicted':24} {'true':24} held agrees test"


def parts(problem: Problem, reference: Literal["soft", "majority"] = "soft") -> dict[str, Any]:
    """Return the arguments of an IndicatorMatrix for each prediction of the problem."""
    return {name: visible(problem, name, reference) for name in problem.predictions}


def told(*cells: Any) -> None:
    """Print one line of the table."""
    target, model, measure, prior, predicted, true, held, agrees, test = cells
    sys.stdout.write(
        f"{target:28} {model:14} {measure:10} {prior:16} {predicted:24} {true:24} {held:4} {agrees:6} {test}\n"
    )
    sys.stdout.flush()


def ends(interval: Interval) -> str:
    """Return a value and its ends."""
    if math.isnan(interval.low):
        return f"{interval.value:.3f} (none)"
    return f"{interval.value:.3f} [{interval.low:.3f}, {interval.high:.3f}]"


def predicted(source: IndicatorMatrix, measure: str, prior: Any) -> Interval:
    """Return the measure at the prior; by a bootstrap where the prior was stopped by the edge of the simplex."""
    if isinstance(prior, PriorEstimate) and (prior.outside or prior.on_edge):
        prior = prior.project() if prior.outside else prior
        return under_prior(source, prior).interval(measure, method="percentile", draws=200)
    return under_prior(source, prior).interval(measure)


def compared(names: tuple[str, str, str], source: dict[str, Any], target: dict[str, Any], tally: Any) -> None:
    """Print the predictions of one measure of one target by each method."""
    measure = names[-1]
    soft = [IndicatorMatrix(**side, coupling="independent") for side in (source, target)]
    hard = [IndicatorMatrix(**side) for side in (source, target)]
    test = label_shift_test(soft[0], target["prediction"])
    warned = "-" if math.isnan(test.p_value) else f"p={test.p_value:.2g}{'!' if test.p_value < 0.05 else ''}"
    true = hard[1].interval(measure)
    own = Source.of(hard[1]).prior
    for method in METHODS:
        try:
            prior: Any = own if hard[1].task != "binary" else float(own[0])
            if method != "known":
                words = method.split()
                prior = estimate_prior(soft[0], target["prediction"], method=words[0], calibrate=len(words) > 1)
            interval = predicted(hard[0], measure, prior)
        except InputError as error:
            told(*names, method, f"none: {str(error)[:60]}", ends(true), "", "", warned)
            tally.setdefault(method, []).append((math.nan, math.nan, test.p_value))
            continue
        held = math.nan if math.isnan(interval.low) else float(interval.low <= true.value <= interval.high)
        spread = math.hypot(interval.standard_error, true.standard_error)
        agrees = math.nan if math.isnan(held) else float(abs(interval.value - true.value) <= Z * spread)
        tally.setdefault(method, []).append((held, agrees, test.p_value))
        said = [{1.0: "yes", 0.0: "no"}.get(x, "-") for x in (held, agrees)]
        told(*names, method, ends(interval), ends(true), *said, warned)


ABUSIVE = ("mild=abusive", "strong=abusive", "very_strong=abusive", "ambiguous=not_abusive")


def of_bots(data: Path, **options: Any) -> Iterator[tuple[str, Problem]]:
    """Yield the two bots."""
    folder = data / "convabuse"
    for bot in ("eliza", "carbonbot"):
        yield (
            f"convabuse {bot}",
            load_problem(
                [folder / f"pred_{name}.csv.gz" for name in ("logreg_soft", "svm_calibrated", "naive_bayes")],
                folder / "annotations.csv.gz",
                folder / "items.csv.gz",
                where=(f"items:bot={bot}",),
                cluster="conversation",
                **options,
            ),
        )


def five_classes(data: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the two bots: five classes, shares of votes."""
    for name, problem in of_bots(data):
        yield name, parts(problem)


def abusive(data: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the two bots: abusive or not, by the majority."""
    for name, problem in of_bots(data, rename=ABUSIVE, positive="abusive", normalize=True):
        yield name, parts(problem, "majority")


def of_languages(data: Path) -> Iterator[tuple[str, Problem]]:
    """Yield the nine languages."""
    folder = data / "multipico"
    for lang in ("es", "en", "de", "ar", "pt", "fr", "nl", "it", "hi"):
        yield (
            f"multipico {lang}",
            load_problem(
                [folder / f"pred_{name}.csv.gz" for name in ("logreg_soft", "svm_calibrated")],
                folder / "annotations.csv.gz",
                folder / "items.csv.gz",
                where=(f"items:lang={lang}",),
                cluster="post_group",
                positive="ironic",
            ),
        )


def irony_shares(data: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the nine languages, with shares of votes."""
    for name, problem in of_languages(data):
        yield name, parts(problem)


def irony_majority(data: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the nine languages, by the majority."""
    for name, problem in of_languages(data):
        yield name, parts(problem, "majority")


def ecg(data: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield younger and older patients."""
    folder = data / "ecg"
    for name, bands in (("ecg under 60", ("0-17", "18-39", "40-59")), ("ecg from 60", ("60-79", "80+"))):
        yield (
            name,
            parts(
                load_problem(
                    [folder / "pred_dnn.csv.gz"],
                    folder / "gold.csv.gz",
                    folder / "items.csv.gz",
                    where=tuple(f"items:age_band={band}" for band in bands),
                )
            ),
        )


def joined(sides: list[dict[str, Any]]) -> dict[str, Any]:
    """Return several parts as one."""
    found = dict(sides[0])
    for key in ("reference", "prediction"):
        found[key] = np.concatenate([side[key] for side in sides])
    if found["clusters"] is not None:
        shift, codes = 0, []
        for side in sides:
            codes.append(side["clusters"] + shift)
            shift += int(side["clusters"].max()) + 1
        found["clusters"] = np.concatenate(codes)
    return found


def main() -> None:
    """Print a line for each prediction, and how often they held."""
    data = Path(sys.argv[1])
    sets = (
        (five_classes, ("accuracy", "macro f1", "r_k")),
        (abusive, ("accuracy", "f1", "mcc")),
        (irony_shares, ("accuracy", "f1", "mcc")),
        (irony_majority, ("accuracy", "f1", "mcc")),
        (ecg, ("micro f1", "macro f1")),
    )
    for read, measures in sets:
        tally: dict[str, list[tuple[float, float, float]]] = {}
        sys.stdout.write(HEADER + "\n")
        found = dict(read(data))
        for name, target in found.items():
            for model in target:
                others = [found[other][model] for other in found if other != name]
                for measure in measures:
                    compared((name, model, measure), joined(others), target[model], tally)
        for method, rows in tally.items():
            held, agrees, p = np.array(rows).T
            quiet = p >= 0.05
            sys.stdout.write(
                f"{read.__name__}, prior {method}: held {np.nansum(held):.0f}, agreed {np.nansum(agrees):.0f} of "
                f"{np.isfinite(held).sum()} with an interval ({len(rows)} asked); "
                f"where the test did not warn: held {np.nansum(held[quiet]):.0f}, agreed "
                f"{np.nansum(agrees[quiet]):.0f} of {np.isfinite(held[quiet]).sum()}\n"
            )
        sys.stdout.write("\n")


if __name__ == "__main__":
    main()
