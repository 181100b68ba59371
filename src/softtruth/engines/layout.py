"""Which column is what: from what the user says, the names of the columns, and the first rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from softtruth.engines.columns import is_list
from softtruth.engines.filters import Filter, check_filters, filters_of
from softtruth.engines.plan import IN_REFERENCE, VOTES, Plan
from softtruth.engines.sources import Changes, named, prediction_kind, reference_kind, source_of
from softtruth.errors import InputError, listed, shown
from softtruth.inputs.classes import positive_of
from softtruth.inputs.columns import Columns
from softtruth.inputs.confidence import decided
from softtruth.inputs.readings import Reading, choose, matching, read_as
from softtruth.inputs.recognise import Hints, item_column, recognise
from softtruth.inputs.selection import change_for, parse_changes
from softtruth.inputs.typed_tables import class_names
from softtruth.measures import OPERATORS, Averaged
from softtruth.measures.operators import exemplar
from softtruth.report.questions import SUBSET_ACCURACY, questions_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from softtruth.engines.wanted import Wanted

SCOPES = ("reference", "prediction")  # what a table of both sides answers to


def plan_of(sample: pa.Table, wanted: Wanted, path: str = "the data", *, joined: bool = False) -> Plan:
    """Return the plan for rows like these.

    Parameters
    ----------
    sample
        The first rows.
    wanted
        What the user says.
    path
        What messages call the data.
    joined
        Whether the rows come out of a join.

    Raises
    ------
    InputError
        If a column is not found, or nothing says what the classes are.
    """
    columns = Columns(sample, path)
    names = list(wanted.readings or ())
    filters: tuple[Filter, ...] = ()
    if not joined:
        check_filters(wanted.where, columns.names, names)
        filters = filters_of(wanted.where, SCOPES, columns.names, names)
    item = None if joined else item_of(columns, wanted, SCOPES)
    reference = _reference(columns, item, wanted)
    found = wanted.readings or predictions_of(
        columns, item, wanted.prediction_column, reference.columns, threshold=wanted.threshold
    )
    _refuse_one_label(columns, reference, found)
    changes = parse_changes(wanted.rename, list(found))
    reference = _renamed(reference, changes, ("reference",))
    predictions = {name: _renamed(reading, changes, ("prediction", name)) for name, reading in found.items()}
    given = class_names(sample).get(reference.columns[0])
    labels = _labels(wanted, reference, predictions, given, sample)
    task = wanted.task or _task(reference, predictions, labels)
    if task == "binary":
        labels = _positive_last(labels, wanted.positive)
    elif wanted.positive is not None:
        msg = f"positive={shown(wanted.positive)} is for two classes; streams do not merge the others into a rest."
        raise InputError(msg)
    kinds = {name: prediction_kind(one, named(wanted.prediction_kind, name), task) for name, one in predictions.items()}
    plan = Plan(
        task,
        labels,
        source_of(reference, labels, reference_kind(reference, wanted.reference_kind, task), changes, ("reference",)),
        tuple(
            (name, source_of(one, labels, kinds[name], changes, ("prediction", name)))
            for name, one in predictions.items()
        ),
        threshold=wanted.threshold,
        weight=wanted.weight,
        cluster=wanted.cluster,
        coupling=wanted.coupling,
        tnorm=wanted.tnorm,
        ties=wanted.ties,
        subset=wanted.subset,
        ignore=tuple(map(str, wanted.ignore)),
        filters=filters,
        where=tuple(wanted.where),
        normalize=wanted.normalize,
        drop_missing=wanted.drop_missing,
        joined=joined,
    )
    for name in (plan.weight, plan.cluster):
        if name is not None:
            columns.require(name, "--weight or --cluster")
    plan = replace(plan, exemplars=_exemplars(plan, wanted))
    return plan if wanted.interval == "influence" else _replicated(plan, item, wanted)


def _replicated(plan: Plan, item: str | None, wanted: Wanted) -> Plan:
    """Return the plan with the replicates that a bootstrap needs.

    Raises
    ------
    InputError
        If nothing tells the rows apart, or the method needs the examples.
    """
    drawn = replace(plan, draws=wanted.draws, seed=wanted.seed)
    if not any(map(drawn.replicated, drawn.looks)):
        return drawn
    if wanted.interval != "percentile":
        msg = (
            f"interval {shown(wanted.interval)} needs the influence of every example on soft, weighted, clustered or "
            "multilabel data, which a stream does not keep; ask for 'percentile'."
        )
        raise InputError(msg)
    unit = plan.cluster or (IN_REFERENCE if plan.joined else item)
    if unit is None:
        msg = (
            "replicates of a stream are drawn by item, so that any split of the rows gives the same ones, and no "
            "column of items was recognised; name it with item= (--item)."
        )
        raise InputError(msg)
    return replace(drawn, unit=unit)


def _exemplars(plan: Plan, wanted: Wanted) -> tuple[str, ...]:
    """Return the measures that are averaged over examples; a table of hard labels answers them by itself."""
    if plan.plain:
        return ()
    questions = questions_of(plan.task, wanted.measures, wanted.operators or tuple(OPERATORS))
    averaged = [q.measure.name for q in questions if isinstance(q, Averaged) and q.operator is exemplar]
    whole = [SUBSET_ACCURACY] if plan.task == "multilabel" and SUBSET_ACCURACY in questions else []
    found = [*averaged, *whole]
    return tuple(dict.fromkeys(found))


def _reference(columns: Columns, item: str | None, wanted: Wanted) -> Reading:
    if VOTES in columns.names:
        counted = not pa.types.is_string(_type_of_votes(columns).value_type)
        return Reading("votes" if counted else "annotations", (VOTES,))
    if wanted.label is not None:
        return _as(columns, matching(columns, wanted.label, "--label"))
    if wanted.readings is not None:
        taken = [column for reading in wanted.readings.values() for column in reading.columns]
    else:
        patterns = _patterns(wanted.prediction_column)
        taken = [column for pattern in patterns for column in matching(columns, pattern, "--prediction-column")]
    found = choose(recognise(columns, item, Hints(item)), "reference", columns.path, taken or ["\0"])
    if found.kind in {"annotations", "tags"}:
        msg = (
            f"{columns.path}: the reference looks like {found.words()}; name the column of the reference with --label, "
            "or give votes as a file of their own."
        )
        raise InputError(msg)
    return found


def _refuse_one_label(columns: Columns, reference: Reading, predictions: Mapping[str, Reading]) -> None:
    """Refuse a column of 0 and 1 that is named after a class: it says yes or no of that class, and is no number."""
    if reference.kind != "labels" or len(reference.columns) != 1:
        return
    (name,) = reference.columns
    for one in predictions.values():
        if name in one.classes and len(one.classes) > 1 and columns.facts(name).indicator:
            own = one.columns[one.classes.index(name)]
            msg = (
                f"{columns.path}: {name!r} holds 0 and 1, that is which items are {name!r}, and no class numbers. Name"
                f" its prediction and both classes: --prediction-column {own} --labels 'not {name},{name}'."
            )
            raise InputError(msg)


def _type_of_votes(columns: Columns) -> pa.DataType:
    """Return the type of the column of votes."""
    return columns.table.schema.field(VOTES).type


def _as(columns: Columns, names: Sequence[str]) -> Reading:
    kind = columns.table.schema.field(names[0]).type
    if len(names) == 1 and is_list(kind):
        return Reading("annotations" if pa.types.is_string(kind.value_type) else "distribution", tuple(names))
    return read_as(columns, list(names), "either")


def _patterns(prediction: Any) -> list[str]:
    if prediction is None:
        return []
    return [prediction] if isinstance(prediction, str) else list(prediction.values())


def item_of(columns: Columns, wanted: Wanted, scopes: Sequence[str]) -> str | None:
    """Return the column of items of a file that answers to these names: the one the user named, or one recognised."""
    given = wanted.item
    if given is not None and not isinstance(given, str):
        given = next((given[scope] for scope in (*scopes, "") if scope in given), None)
    return item_column(columns, given)


def predictions_of(
    columns: Columns,
    item: str | None,
    pattern: str | Mapping[str, str] | None,
    taken: Sequence[str],
    *,
    threshold: float,
) -> dict[str, Reading]:
    """Return how the columns of predictions are read, by the names of the predictions.

    Parameters
    ----------
    columns, item
        The rows, and their column of items.
    pattern
        What the user says of the columns: one prediction, or several by name.
    taken
        Columns of the reference among them.
    threshold
        Where a score becomes a decision.

    Raises
    ------
    InputError
        If a score stands beside decisions that differ from its own: the rows to come may tell another tale than these.
    """
    if isinstance(pattern, str):
        names = matching(columns, pattern, "--prediction-column")
        name = names[0] if len(names) == 1 else pattern.strip("*_.,") or "prediction"
        return {name: _as(columns, names)}
    if pattern is not None:
        return {name: _as(columns, matching(columns, one, "--prediction-column")) for name, one in pattern.items()}
    left = [r for r in recognise(columns, item, Hints(item)) if r.kind not in {"annotations", "items"}]
    found = choose(left, "prediction", columns.path, list(taken))
    settled, told = decided(found, left, columns, threshold, taken)
    if told:
        (score,), (decision,) = found.columns, settled.columns
        msg = (
            f"{columns.path}: {score!r} may be the score of one class or the confidence in {decision!r}, whichever it "
            "names. Say which column is the prediction: --prediction-column."
        )
        raise InputError(msg)
    return {found.columns[0] if len(found.columns) == 1 else "prediction": found}


def _renamed(reading: Reading, changes: Changes, scopes: Sequence[str]) -> Reading:
    """Return a reading with the names of its classes changed."""
    return replace(reading, classes=tuple(map(change_for(changes, scopes), reading.classes)))


def _labels(
    wanted: Wanted, reference: Reading, predictions: Mapping[str, Reading], given: Any, sample: pa.Table
) -> tuple[Any, ...]:
    if wanted.labels is not None:
        return tuple(wanted.labels)
    wide = next((r.classes for r in (reference, *predictions.values()) if len(r.classes) > 1), None)
    if wide is not None:
        return wide
    if given:
        return tuple(given)
    kind = sample.schema.field(reference.columns[0]).type
    if pa.types.is_boolean(kind):
        return ("false", "true")
    msg = (
        "a stream needs the classes before the first row: pass labels= (--labels) with all class names in their order, "
        "or n_classes= for class numbers."
    )
    raise InputError(msg)


def _task(reference: Reading, predictions: Mapping[str, Reading], labels: tuple[Any, ...]) -> str:
    several = ("indicators", "marginals")  # labels that do not exclude each other, or scores of classes that do
    # A reference with one 1 in each row may be multilabel by chance: predictions that do not sum to one tell.
    by_chance = reference.kind == "one-hot" and all(one.kind in several for one in predictions.values())
    if reference.kind in several or by_chance:
        return "multilabel"
    return "binary" if len(labels) == 2 else "multiclass"


def _positive_last(labels: tuple[Any, ...], positive: str | None) -> tuple[Any, ...]:
    if len(labels) != 2:
        msg = f"a binary problem has two classes, found {listed(labels)}."
        raise InputError(msg)
    words = [str(label) for label in labels]
    yes = positive if positive is not None else positive_of(words)[0]
    if yes not in words:
        msg = f"positive={shown(yes)} is no class; the classes are {listed(labels)}."
        raise InputError(msg)
    return labels if words[1] == yes else labels[::-1]
