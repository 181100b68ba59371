"""Two sides that meet by item: what every engine needs to know to bring them together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from softtruth.engines.plan import IN_PREDICTION, IN_REFERENCE, REPEATS, VOTES
from softtruth.errors import InputError, listed
from softtruth.inputs.columns import Columns
from softtruth.inputs.readings import choose, matching
from softtruth.inputs.recognise import Hints, item_column, recognise

if TYPE_CHECKING:
    import pyarrow as pa

    from softtruth.engines.layout import Wanted


@dataclass(frozen=True)
class Join:
    """Which columns of each side take part.

    A reference of votes has one row for each vote: its labels are gathered for each item. The joined rows have the
    kept columns of both sides, and columns of their own: which side an item was on, its votes, and how often it was
    repeated where it may stand once only.

    Attributes
    ----------
    reference_item, prediction_item : str
        The columns of items.
    reference, prediction : tuple of str
        The other columns that are kept.
    vote, annotator : str, optional
        The columns of a reference of votes.
    """

    reference_item: str
    prediction_item: str
    reference: tuple[str, ...]
    prediction: tuple[str, ...]
    vote: str | None = None
    annotator: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the joined rows."""
        votes = (VOTES,) if self.vote is not None else ()
        return (*votes, *self.reference, *self.prediction, IN_REFERENCE, IN_PREDICTION, REPEATS)

    def sample(self, reference: pa.Table, prediction: pa.Table) -> pa.Table:
        """Return rows with the columns of the joined ones, to see what they hold; which items meet plays no part."""
        import pyarrow as pa

        n = min(reference.num_rows, prediction.num_rows)
        found = {}
        if self.vote is not None:
            votes = reference[self.vote].slice(0, n).cast(pa.string()).to_pylist()
            found[VOTES] = pa.array([[vote] for vote in votes], pa.list_(pa.string()))
        found |= {name: reference[name].slice(0, n) for name in self.reference}
        found |= {name: prediction[name].slice(0, n) for name in self.prediction}
        return pa.table(found)


def join_of(reference: pa.Table, prediction: pa.Table, wanted: Wanted) -> tuple[Join, Wanted]:
    """Return how two sides meet, and what is then wanted of the joined rows.

    Parameters
    ----------
    reference, prediction
        The first rows of both sides.
    wanted
        What the user says.

    Raises
    ------
    InputError
        If a side has no items, or both have a column of the same name.
    """
    ours, theirs = Columns(reference, "the reference"), Columns(prediction, "the predictions")
    items = [wanted.item or _item(side) for side in (ours, theirs)]
    for side, item in zip((ours, theirs), items, strict=True):
        side.require(item, "--item")
    hints = Hints(items[0], wanted.label, wanted.annotator)
    wide = wanted.label is not None and len(matching(ours, wanted.label, "--label")) > 1
    reading = None if wide else choose(recognise(ours, items[0], hints), "reference", ours.path)
    extras = [name for name in (wanted.weight, wanted.cluster) if name is not None]
    if reading is not None and reading.kind == "annotations":
        own = [name for name in extras if name in ours.names]
        # Facts about an item stand beside each of its votes.
        join = Join(items[0], items[1], tuple(own), (), reading.columns[0], wanted.annotator or reading.annotator)
        after = replace(wanted, label=VOTES)
    else:
        names = matching(ours, wanted.label, "--label") if wanted.label else list(reading.columns)  # type: ignore[union-attr]  # one of the two is there
        own = [*names, *(name for name in extras if name in ours.names and name not in names)]
        join = Join(items[0], items[1], tuple(own), ())
        after = replace(wanted, label=wanted.label or ",".join(names))
    kept = [name for name in theirs.names if name != items[1]]
    kept = [name for name in kept if name not in extras or name not in join.reference]
    clash = [name for name in kept if name in join.reference]
    if clash:
        msg = f"reference and predictions both have the columns {listed(clash)}; rename them on one side."
        raise InputError(msg)
    return replace(join, prediction=tuple(kept)), after


def _item(side: Columns) -> str:
    item = item_column(side, None)
    if item is None:
        msg = f"{side.path}: no column of items was recognised among {listed(side.names)}; name it with --item."
        raise InputError(msg)
    return item
