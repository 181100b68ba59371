"""Files in, one aligned problem out: `load_problem`."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from softtruth.errors import InputError, listed
from softtruth.inputs.assembled import assemble
from softtruth.inputs.file_names import columns_by_file_names, side_by_file_names
from softtruth.inputs.one_table import split_table
from softtruth.inputs.opened import Opener, spread
from softtruth.inputs.recognise import item_column
from softtruth.inputs.selection import unmet
from softtruth.inputs.settings import Settings, Spec, bare_name, parse_spec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from softtruth.inputs.columns import Columns
    from softtruth.inputs.extras import Place
    from softtruth.inputs.problem import Problem
    from softtruth.inputs.side import Side

PathLikeText = str | PathLike[str]


def load_problem(
    predictions: Iterable[PathLikeText | tuple[str, PathLikeText]] = (),
    reference: PathLikeText | None = None,
    items: PathLikeText | None = None,
    *,
    table: PathLikeText | Sequence[PathLikeText] | None = None,
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> Problem:
    """Read files and align them: the same items on both sides, one order of classes, an account of the rest.

    Parameters
    ----------
    predictions
        Files of predictions: a path or pattern, `NAME=PATH`, or a pair (name, path).
    reference
        The file with the labels, votes or distributions to compare with.
    items
        A file of facts about the items, for weights, clusters, groups and filters.
    table
        One file (or the parts of one) that holds both sides; then neither `predictions` nor `reference` is given.
    progress
        Called with a few words before each long step.
    **options
        The fields of `Settings`:

        item, label, annotator, finding
            Column names, each may lead with a file's role or a prediction's name and a colon (`reference:gold`).
        prediction_column
            The columns of the predictions; a pattern or a comma list is one prediction with a column for each class.
        where
            Filters such as `reference:role=expert` and `golden=1`; on one column they are alternatives.
        rename
            Changes of class names, `old=new`.
        labels
            All class names in order.
        positive
            The class to compare with all others.
        ignore
            Reference values to leave out.
        task
            `binary`, `multiclass`, `multilabel` or `ordinal`.
        threshold
            Where a probability becomes a decision.
        weight, cluster, by
            Columns about items, looked up in `items`, the reference, then the predictions.
        file_names
            Match items by the file name at the end of a path or address.
        normalize
            Divide rows of probabilities by their sums, however far from one.
        duplicates
            `first`, `last` or `keep` for repeated votes and rows; refused by default.
        drop_missing
            Leave out items whose prediction is empty; refused by default.
        delimiter
            The sign between the values of CSV files.

    Returns
    -------
    Problem
        Nothing in it was decided silently: see its `guesses` and `accounting`.

    Raises
    ------
    InputError
        In one sentence: where, what was found, what was expected and what to do.
    """
    settings = _settings(options)
    wanted = [parse_spec(text) for text in predictions]
    if table is not None and (wanted or reference is not None):
        raise InputError("Give either one table that holds both sides, or --prediction and --reference, not both.")
    if table is None and (not wanted or reference is None):
        what = "--reference" if wanted else "--prediction"
        raise InputError(f"No {what} file was given; give both, or one table that holds both sides.")
    opener = Opener(settings, (), progress)
    specs, guesses = spread(opener, wanted)
    opener.names = _names(specs)
    settings.check_scopes(opener.names)
    if table is not None:
        paths = (fspath(table),) if isinstance(table, (str, PathLike)) else tuple(fspath(t) for t in table)
        sides, more = split_table(opener, paths, bare_name(paths[0]))
        roles = [("table", opener.load(paths))]
    else:
        truth = fspath(reference or "")
        sides, more = _sides(opener, truth, specs)
        roles = [("reference", opener.load(truth)), *(("prediction", opener.load(s.path)) for s in specs)]
    places: list[Place] = [(side.source.columns, side.source.item) for side in sides]
    if settings.file_names:
        sides = [side_by_file_names(side) for side in sides]
        places = [(columns_by_file_names(columns, item), item) for columns, item in places]
    if items is not None:
        facts, item = _facts(opener, fspath(items))
        facts = columns_by_file_names(facts, item) if settings.file_names else facts
        places.insert(0, (facts, item))
        sides = _restricted(sides, facts, item, settings)
        roles.append(("items", opener.load(fspath(items))))
    opener.check_filters()
    inputs = tuple(dict.fromkeys((role, record) for role, loaded in roles for record in loaded.records))
    if progress:
        progress("matching items")
    problem = assemble(sides, settings, places)
    missed = unmet(settings.rename, opener.names, (side.source.wishes.change for side in sides))
    return replace(
        problem,
        inputs=inputs,
        options=settings.to_dict(),
        guesses=tuple(dict.fromkeys((*guesses, *more, *problem.guesses, *missed))),
        accounting=replace(problem.accounting, sentences=(*opener.notes, *problem.accounting.sentences)),
    )


def _settings(options: dict[str, Any]) -> Settings:
    known = set(Settings.__dataclass_fields__)
    unknown = sorted(set(options) - known)
    if unknown:
        raise InputError(f"load_problem has no option {listed(unknown)}; it has {listed(sorted(known), 30)}.")
    lists = {"item", "label", "annotator", "finding", "prediction_column", "where", "rename", "ignore"}
    for name in lists & set(options):
        value = options[name]
        options[name] = (value,) if isinstance(value, str) else tuple(value or ())
    if options.get("labels") is not None:
        labels = options["labels"]
        options["labels"] = tuple(labels.split(",")) if isinstance(labels, str) else tuple(map(str, labels))
    return Settings(**options)


def _names(specs: Sequence[Spec]) -> tuple[str, ...]:
    names = [spec.name for spec in specs]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"Two predictions are named {listed(twice)}; give each its own name: --prediction NAME=PATH.")
    return tuple(names)


def _sides(opener: Opener, reference: str, specs: Sequence[Spec]) -> tuple[list[Side], list[str]]:
    truth, guesses = opener.reference(reference)
    sides = [truth]
    for spec in specs:
        found, more = opener.predictions(spec)
        sides += found
        guesses += more
    names = [side.name for side in sides[1:]]
    if len(set(names)) < len(names):  # columns of two files share their names
        sides[1:] = [replace(s, source=replace(s.source, name=f"{bare_name(s.path)}.{s.name}")) for s in sides[1:]]
    return sides, guesses


def _facts(opener: Opener, path: str) -> tuple[Columns, str | None]:
    _, columns = opener.open(path, ("items",))
    return columns, item_column(columns, opener.settings.one("item", ("items",), opener.names))


def _restricted(sides: Sequence[Side], facts: Columns, item: str | None, settings: Settings) -> list[Side]:
    """Keep only the items that a filter on the items file kept."""
    filtered = any(text.startswith("items:") for text in settings.where)
    if not filtered:
        return list(sides)
    truth = sides[0]
    if truth.items is None or item is None:
        raise InputError("--where items: needs item ids in the reference and in the items file; name them with --item.")
    kept = facts.coded(item).values
    rows = np.asarray(pc.is_in(truth.items, value_set=kept)).nonzero()[0]
    if not len(rows):
        raise InputError(f"No item of {truth.path} is among those that --where kept of {facts.path}.")
    return [truth.taken(rows), *sides[1:]]
