"""One table that holds both the reference and the predictions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from softtruth.inputs.confidence import decided
from softtruth.inputs.opened import own_column, understood
from softtruth.inputs.readings import choose, matching, usable
from softtruth.inputs.recognise import Hints, item_column, recognise
from softtruth.inputs.settings import Spec
from softtruth.inputs.side import Source
from softtruth.inputs.sides import build_sides

if TYPE_CHECKING:
    from softtruth.inputs.opened import Opener
    from softtruth.inputs.side import Side


def split_table(opener: Opener, paths: tuple[str, ...], name: str) -> tuple[list[Side], list[str]]:
    """Return the sides of a table (the reference first), and the guesses about which column is on which side.

    Parameters
    ----------
    opener
        Opens the files.
    paths
        The parts of the table.
    name
        The name of a prediction that has no column name of its own.
    """
    settings, scopes = opener.settings, ("prediction", "reference")
    loaded, columns = opener.open(paths, scopes)
    hints = settings.hints(("reference",), opener.names)
    item = item_column(columns, hints.item)
    named = settings.columns_for(name, opener.names)
    taken = [column for pattern in named for column in matching(columns, pattern, "--prediction-column")]
    readings = recognise(columns, item, hints)
    named_label = hints.label is not None and usable(readings[0], "reference")
    reference = readings[0] if named_label else choose(readings, "reference", columns.path, taken or ["\0"])
    wishes = settings.wishes(("reference",), opener.names, loaded.class_order)
    source = Source(columns, item, "reference", "reference", wishes)
    sides = build_sides(source, reference)
    sides[0] = replace(sides[0], own=own_column(source, reference, hints))
    spec = Spec(paths[0], None)
    guesses = [understood(columns, item, reference, "reference")]
    if not named:
        others = [reading for reading in recognise(columns, item, Hints(item)) if reading.kind != "annotations"]
        own = [c for c in (*reference.columns, reference.annotator, reference.finding) if c]
        prediction = choose(others, "prediction", columns.path, own)
        prediction, settled = decided(prediction, others, columns, settings.threshold, own)
        named = [",".join(prediction.columns)]
        guesses += [understood(columns, item, prediction, "prediction"), *settled]
    return [*sides, *opener.chosen_columns(loaded, columns, item, spec, named)], guesses
