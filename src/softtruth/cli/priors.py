"""The flags that say how frequent the classes are elsewhere; `shift` and `report` share them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rich_click as click

from softtruth.cli.options import PATH, given, loading, refuse_meaningless
from softtruth.errors import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from softtruth.indicator_matrix import IndicatorMatrix
    from softtruth.inputs.problem import Prediction, Problem

OF_TARGET = ("method", "calibrate", "project")
PRIORS = (
    click.option(
        "--prior",
        metavar="P | NAME=P,...",
        help="Prevalence of the positive class, or frequencies of classes: cat=0.7,dog=0.2. Classes that are not named "
        "share what is left as they do in the data; labels that do not exclude each other keep their own.",
    ),
    click.option("--imbalance", type=float, metavar="R", help="A long tail: most frequent class over least frequent."),
    click.option(
        "--target",
        multiple=True,
        type=PATH,
        metavar="[NAME=]PATH",
        help="Predictions without labels, from where the prior is asked for; it is then estimated.",
    ),
    click.option(
        "--method",
        type=click.Choice(["bbse_hard", "bbse_soft", "adjusted_count", "mlls"]),
        metavar="NAME",
        default="bbse_hard",
        show_default=True,
        help="How to estimate it: bbse_hard (rates of decisions), bbse_soft (mean probabilities), adjusted_count "
        "(rates of the positive class) or mlls (likelihood).",
    ),
    click.option("--calibrate", is_flag=True, help="For mlls: mend the probabilities on the labelled data first."),
    click.option("--project", is_flag=True, help="Take the nearest prior where the estimate leaves the simplex."),
)


def prior_wanted(values: dict[str, Any]) -> bool:
    """Whether numbers at another prior are asked for.

    Raises
    ------
    UsageError
        If it is said in two ways how frequent the classes are.
    """
    ways = sum(given(values[name]) for name in ("prior", "imbalance", "target"))
    if ways > 1:
        raise click.UsageError("Give one of --prior, --imbalance and --target.")
    if not values["target"]:
        refuse_meaningless(OF_TARGET, "is about how a prior is estimated from --target, which is not given")
    return bool(ways)


def asked_prior(problem: Problem, values: dict[str, Any]) -> dict[str, Any]:
    """Return what the flags say, as the arguments of `shift_report`."""
    return {
        "prior": parsed_prior(values["prior"], values["imbalance"], problem),
        "target": read_targets(values["target"], problem, values),
        **{name: values[name] for name in OF_TARGET},
    }


def parsed_prior(text: str | None, imbalance: float | None, problem: Problem | IndicatorMatrix) -> Any:
    """Read `0.05` and `cat=0.7,dog=0.3`; or make the long tail that was asked for."""
    from softtruth.corrections.prior_curve import long_tail

    if imbalance is not None:
        if problem.task == "multilabel":
            raise click.UsageError("--imbalance is for classes that exclude each other; give --prior LABEL=P,....")
        tail = long_tail(len(problem.labels), imbalance)
        return float(tail[1]) if problem.task == "binary" else tail
    if text is None:
        return None
    try:
        if "=" in text:
            return _shares(text)
        alone = float(text)
    except ValueError:
        raise click.UsageError(f"--prior {text} is neither a number nor NAME=NUMBER,....") from None
    if problem.task == "binary":
        return alone
    what = "labels" if problem.task == "multilabel" else "classes"
    raise click.UsageError(
        f"--prior {text} is one number, but there are {len(problem.labels)} {what}; give each its frequency: "
        f"--prior {_each(problem.labels)}."
    )


def _shares(text: str) -> dict[str, float]:
    """Read `cat=0.7,dog=0.3`."""
    pairs = [part.rpartition("=") for part in text.split(",")]
    names = [name.strip() for name, _, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise click.UsageError(f"--prior {text} names {shown(twice)} more than once; give each class one frequency.")
    return {name: float(number) for name, (_, _, number) in zip(names, pairs, strict=True)}


def _each(names: Sequence[str]) -> str:
    """Return how frequencies of these classes are written; the numbers are an example that sums to one."""
    if len(names) > 4:
        return f"{names[0]}=0.1,{names[1]}=0.2,...,{names[-1]}=0.05"
    shares = [10 * (i + 1) for i in range(len(names) - 1)]
    return ",".join(f"{name}={share / 100:g}" for name, share in zip(names, [*shares, 100 - sum(shares)], strict=True))


def read_targets(given: tuple[str, ...], problem: Problem, values: dict[str, Any]) -> dict[str, Prediction] | None:
    """Read the files of --target; a name may be left out where there is one prediction."""
    from softtruth.errors import InputError, listed
    from softtruth.inputs.settings import Settings, parse_spec
    from softtruth.inputs.unlabelled import load_unlabelled

    if not given:
        return None
    names = list(problem.predictions)
    found = {}
    for text in given:
        spec = parse_spec(text)
        name = names[0] if spec.given is None and len(names) == 1 else spec.name
        if name not in names:
            raise InputError(f"--target {text} is of no prediction; expected one of {listed(names)}, as NAME=PATH.")
        found[name] = load_unlabelled(spec.path, problem, Settings(**loading(values)))
    return found
