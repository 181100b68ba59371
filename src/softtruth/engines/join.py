"""Sides that meet by item: what every engine needs to know to bring them together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from softtruth.engines.filters import Filter, check_filters, filters_of
from softtruth.engines.layout import item_of, predictions_of
from softtruth.engines.plan import IN_PREDICTION, IN_REFERENCE, REPEATS, VOTES
from softtruth.errors import InputError, listed
from softtruth.inputs.columns import Columns
from softtruth.inputs.readings import choose, matching
from softtruth.inputs.recognise import Hints, recognise

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from softtruth.engines.wanted import Wanted
    from softtruth.inputs.readings import Reading


class Sides(NamedTuple):
    """The files or frames of a join, or their first rows.

    Attributes
    ----------
    reference
        With the predictions too, where there are no others.
    predictions : dict of str to Any
    items : optional
        Facts about the items.
    """

    reference: Any
    predictions: dict[str, Any]
    items: Any = None

    def map(self, step: Callable[[Any], Any]) -> Sides:
        """Return the same sides, each changed."""
        items = None if self.items is None else step(self.items)
        return Sides(step(self.reference), {name: step(side) for name, side in self.predictions.items()}, items)


class Side(NamedTuple):
    """One side of a join.

    Attributes
    ----------
    item : str
        The column of items.
    columns : tuple of (str, str)
        The columns that are kept: their names here, and in the joined rows.
    filters : tuple of Filter
    """

    item: str
    columns: tuple[tuple[str, str], ...]
    filters: tuple[Filter, ...] = ()


@dataclass(frozen=True)
class Join:
    """Which columns of each side take part.

    A reference of votes has one row for each vote: its labels are gathered for each item. The joined rows have the
    kept columns of all sides, and columns of their own: whether an item was in the reference and in all predictions,
    its votes, and how often it was repeated where it may stand once only.

    Attributes
    ----------
    reference : Side
    predictions : dict of str to Side
    items : Side, optional
        Its filters leave items out.
    vote, annotator : str, optional
        The columns of a reference of votes.
    """

    reference: Side
    predictions: dict[str, Side]
    items: Side | None = None
    vote: str | None = None
    annotator: str | None = None

    @property
    def kept(self) -> list[str]:
        """The joined columns that come from the sides."""
        sides = (self.reference, *self.predictions.values(), *([] if self.items is None else [self.items]))
        return [*([VOTES] if self.vote is not None else []), *(new for side in sides for _, new in side.columns)]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the joined rows."""
        return (*self.kept, IN_REFERENCE, IN_PREDICTION, REPEATS)

    def sample(self, first: Sides) -> pa.Table:
        """Return rows with the columns of the joined ones, to see what they hold; which items meet plays no part."""
        import pyarrow as pa

        found = {}
        tables = [first.reference, *first.predictions.values(), *([] if first.items is None else [first.items])]
        n = min(table.num_rows for table in tables)
        if self.vote is not None:
            votes = first.reference[self.vote].slice(0, n).cast(pa.string()).to_pylist()
            found[VOTES] = pa.array([[vote] for vote in votes], pa.list_(pa.string()))
        sides = [self.reference, *self.predictions.values(), *([] if self.items is None else [self.items])]
        for table, side in zip(tables, sides, strict=True):
            found |= {new: table[old].slice(0, n) for old, new in side.columns}
        return pa.table(found)


def join_of(first: Sides, wanted: Wanted) -> tuple[Join, Wanted]:
    """Return how the sides meet, and what is then wanted of the joined rows.

    Parameters
    ----------
    first
        The first rows of each side.
    wanted
        What the user says.

    Raises
    ------
    InputError
        If a side has no items.
    """
    names = list(first.predictions)
    ours = Columns(first.reference, "the reference")
    everything = [ours.table, *first.predictions.values(), *([] if first.items is None else [first.items])]
    check_filters(wanted.where, (name for table in everything for name in table.column_names), names)
    extras = [name for name in (wanted.weight, wanted.cluster) if name is not None]
    facts = None
    if first.items is not None:
        columns = Columns(first.items, "the items")
        own = [name for name in extras if name in columns.names]
        filters = filters_of(wanted.where, ("items",), columns.names, names)
        facts = Side(_item(columns, wanted, ("items",)), tuple((name, name) for name in own), filters)
        extras = [name for name in extras if name not in own]
    if not first.predictions:
        return _of_table(ours, facts, wanted, extras)
    item = _item(ours, wanted, ("reference",))
    hints = Hints(item, wanted.label, wanted.annotator)
    wide = wanted.label is not None and len(matching(ours, wanted.label, "--label")) > 1
    reading = None if wide else choose(recognise(ours, item, hints), "reference", ours.path)
    own = [name for name in extras if name in ours.names]
    vote = annotator = None
    if reading is not None and reading.kind == "annotations":
        vote, annotator = reading.columns[0], wanted.annotator or reading.annotator
        after = replace(wanted, label=VOTES)
    else:
        columns_of = matching(ours, wanted.label, "--label") if wanted.label else list(reading.columns)  # type: ignore[union-attr]  # one of the two is there
        own = list(dict.fromkeys([*columns_of, *own]))
        after = replace(wanted, label=wanted.label or ",".join(columns_of))
    filters = filters_of(wanted.where, ("reference",), ours.names, names)
    taken = {VOTES, *own, *([] if facts is None else [new for _, new in facts.columns])}
    reference = Side(item, tuple((name, name) for name in own), filters)
    predictions: dict[str, Side] = {}
    readings: dict[str, Reading] = {}
    for name, table in first.predictions.items():
        side, found = _prediction(name, table, wanted, names, taken)
        predictions[name] = side
        twice = set(found) & set(readings)
        readings |= {f"{name}.{one}" if one in twice else one: reading for one, reading in found.items()}
    return Join(reference, predictions, facts, vote, annotator), replace(after, readings=readings, item=None)


def _prediction(
    name: str, table: pa.Table, wanted: Wanted, names: list[str], taken: set[str]
) -> tuple[Side, dict[str, Reading]]:
    """Return one side of predictions, and how its columns are read; names that are taken already get another."""
    columns = Columns(table, f"the predictions {name}" if len(names) > 1 else "the predictions")
    scopes = ("prediction", name)
    item = _item(columns, wanted, scopes)
    pattern = wanted.prediction_column
    if len(names) > 1 and not (pattern is None or isinstance(pattern, str)):
        pattern = pattern.get(name, pattern.get(""))
    found = predictions_of(columns, item, pattern, (), threshold=wanted.threshold)
    if len(found) == 1 and (len(names) > 1 or name):
        found = {name: next(iter(found.values()))}
    own = [column for reading in found.values() for column in reading.columns]
    extras = (wanted.weight, wanted.cluster)
    own += [one for one in extras if one is not None and one in columns.names and one not in {*own, *taken}]
    renamed = {column: column if column not in taken else f"{name or 'prediction'}: {column}" for column in own}
    taken |= set(renamed.values())
    read = {
        one: replace(reading, columns=tuple(renamed[column] for column in reading.columns))
        for one, reading in found.items()
    }
    return Side(item, tuple(renamed.items()), filters_of(wanted.where, scopes, columns.names, names)), read


def _of_table(ours: Columns, facts: Side | None, wanted: Wanted, extras: list[str]) -> tuple[Join, Wanted]:
    """Return how one table of both sides meets facts about its items."""
    scopes = ("reference", "prediction")
    item = _item(ours, wanted, scopes)
    known = [] if facts is None else [new for _, new in facts.columns]
    kept = [name for name in ours.names if name != item and name not in known]
    missing = [name for name in extras if name not in kept]
    if missing:
        msg = f"there is no column {listed(missing)} in the table or in the items."
        raise InputError(msg)
    side = Side(item, tuple((name, name) for name in kept), filters_of(wanted.where, scopes, ours.names, []))
    return Join(side, {}, facts), replace(wanted, item=None)


def _item(side: Columns, wanted: Wanted, scopes: tuple[str, ...]) -> str:
    item = item_of(side, wanted, scopes)
    if item is None:
        msg = f"{side.path}: no column of items was recognised among {listed(side.names)}; name it with --item."
        raise InputError(msg)
    return item
