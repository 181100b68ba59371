"""Files opened for one side of a problem: filtered, recognised, and turned into sides."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from softtruth.errors import InputError, listed
from softtruth.inputs.columns import Columns
from softtruth.inputs.confidence import decided
from softtruth.inputs.decimal_comma import has_comma
from softtruth.inputs.exports.loaded import LoadedExport, load_export
from softtruth.inputs.exports.side import export_side
from softtruth.inputs.files import LoadedTable, expanded, read
from softtruth.inputs.readings import Reading, choose, matching, read_as, usable
from softtruth.inputs.recognise import item_column, recognise
from softtruth.inputs.selection import apply_filters, parse_filters
from softtruth.inputs.settings import Spec
from softtruth.inputs.side import OwnColumn, Source
from softtruth.inputs.sides import build_sides
from softtruth.inputs.vocabulary import KNOWN_PREFIXES, VOTES_PREFIX, split_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from softtruth.inputs.readings import Role
    from softtruth.inputs.recognise import Hints
    from softtruth.inputs.settings import Settings
    from softtruth.inputs.side import Side

Paths = str | tuple[str, ...]


@dataclass(eq=False)
class Opener:
    """Opens each file once, however many sides it serves."""

    settings: Settings
    names: tuple[str, ...]
    progress: Callable[[str], None] | None = None
    loaded: dict[Paths, LoadedTable] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)

    def load(self, path: Paths) -> LoadedTable:
        """Return the table of a path."""
        if path not in self.loaded:
            if self.progress:
                self.progress(f"reading {path if isinstance(path, str) else path[0]}")
            loaded = self.loaded[path] = read(path, delimiter=self.settings.delimiter)
            if has_comma(loaded.table.schema):
                self.notes[f"{loaded.name}: numbers are written with a decimal comma."] = None
        return self.loaded[path]

    def load_export(self, path: Paths, hints: Hints) -> None:
        """Read the file of an annotation tool, if it is one."""
        if isinstance(path, str) and path not in self.loaded and (found := load_export(path, hints)) is not None:
            self.loaded[path] = found

    def open(self, path: Paths, scopes: Sequence[str]) -> tuple[LoadedTable, Columns]:
        """Return a table with the filters for it applied."""
        loaded = self.load(path)
        columns, sentences = apply_filters(Columns.of(loaded), parse_filters(self.settings.where, self.names), scopes)
        self.notes.update(dict.fromkeys(sentences))
        if not len(columns):
            raise InputError(f"{loaded.path} has a header and no rows; expected one row for each item.")
        return loaded, columns

    def check_filters(self) -> None:
        """Refuse a filter for every file that has the column, when no file that was read has it."""
        known = dict.fromkeys(name for loaded in self.loaded.values() for name in loaded.table.column_names)
        for one in parse_filters(self.settings.where, self.names):
            if one.scope is None and one.column not in known:
                raise InputError(f"--where {one.text}: no file has a column {one.column!r}; there are {listed(known)}.")

    def reference(self, path: Paths) -> tuple[Side, list[str]]:
        """Return the reference of a file, and the guesses that were made about it."""
        self.load_export(path, self.settings.hints(("reference",), self.names))
        loaded, columns = self.open(path, ("reference",))
        if isinstance(loaded, LoadedExport) and loaded.export is not None:
            wishes = self.settings.wishes(("reference",), self.names, loaded.class_order)
            side = export_side(Source(columns, "item", "reference", "reference", wishes), loaded.export)
            return side, [f"{columns.path}, reference: answers as {loaded.export.tool} (override: --label, --item)."]
        reading, source, guesses = self._understood(loaded, columns, "reference", ("reference",), "reference")
        own = own_column(source, reading, self.settings.hints(("reference",), self.names))
        return replace(build_sides(source, reading)[0], own=own), guesses

    def predictions(self, spec: Spec) -> tuple[list[Side], list[str]]:
        """Return the predictions of a file, and the guesses that were made about it."""
        scopes = ("prediction", spec.name)
        loaded, columns = self.open(spec.path, scopes)
        named = self.settings.columns_for(spec.name, self.names)
        if not named:
            reading, source, guesses = self._understood(loaded, columns, "prediction", scopes, spec.name)
            return build_sides(source, reading), guesses
        item = item_column(columns, self.settings.hints(scopes, self.names).item)
        guess = f"{columns.path}, prediction: {item_words(item)} (override: --item)."
        return self.chosen_columns(loaded, columns, item, spec, named), [guess]

    def chosen_columns(
        self, loaded: LoadedTable, columns: Columns, item: str | None, spec: Spec, named: Sequence[str]
    ) -> list[Side]:
        """Return the predictions in the columns that the user named: one for each time the flag was given."""
        scopes = ("prediction", spec.name)
        wishes = self.settings.wishes(scopes, self.names, loaded.class_order)
        sides = []
        for pattern in named:
            found = matching(columns, pattern, "--prediction-column")
            reading = read_as(columns, found, "prediction")
            alone = spec.given if len(named) == 1 else None
            name = alone or (found[0] if len(found) == 1 else pattern.strip("*_.,") if len(named) > 1 else spec.name)
            source = Source(_distinct(columns, item, found), item, "prediction", name, wishes)
            sides += build_sides(source, reading)
        return sides

    def _understood(
        self, loaded: LoadedTable, columns: Columns, role: Role, scopes: Sequence[str], name: str
    ) -> tuple[Reading, Source, list[str]]:
        hints = self.settings.hints(scopes, self.names)
        item = item_column(columns, hints.item)
        named = hints.label is not None
        if role == "prediction":
            # `--label gold` is about the reference; a prediction obeys it when it is meant, or when it is a vote too.
            named = self.settings.own("label", scopes, self.names) is not None
            hints = hints if named or hints.label in columns.names else replace(hints, label=None)
        readings = recognise(columns, item, hints)
        reading = readings[0] if named and usable(readings[0], role) else choose(readings, role, columns.path)
        settled: list[str] = []
        if role == "prediction" and not named:
            reading, settled = decided(reading, readings, columns, self.settings.threshold)
        source = Source(columns, item, role, name, self.settings.wishes(scopes, self.names, loaded.class_order))
        return reading, source, [understood(columns, item, reading, role), *settled]


def own_column(source: Source, reading: Reading, hints: Hints) -> OwnColumn | None:
    """Return the only column of a reference, and whether it is one of several that hold a label each.

    Raises
    ------
    InputError
        If it is one of several columns of counts, which say nothing alone.
    """
    if reading.kind not in {"labels", "score"} or len(reading.columns) > 1:
        return None
    (name,) = reading.columns
    others = recognise(source.columns, source.item, replace(hints, label=None))
    wide = next((r for r in others if len(r.columns) > 1 and name in r.columns and r.classes), None)
    known = split_name(name, KNOWN_PREFIXES)
    label = known[1] if known else name
    if wide is None:
        return OwnColumn(name, source.wishes.change(label), among_labels=False)
    label = wide.classes[wide.columns.index(name)]
    if wide.kind == "votes" and split_name(name, VOTES_PREFIX):
        raise InputError(
            f"{source.path}: {name!r} counts the votes for {label!r} and not those against it. Leave out --label, "
            f"so that all columns of counts are taken; --positive {label} compares that class with the rest."
        )
    labels = wide.kind in {"indicators", "one-hot", "marginals", "distribution"}
    return OwnColumn(name, source.wishes.change(label), among_labels=labels)


def understood(columns: Columns, item: str | None, reading: Reading, role: Role) -> str:
    """Say how a file was read, and which flags change that."""
    flag = "--label" if role == "reference" else "--prediction-column"
    return (
        f"{columns.path}, {role}: {replace(reading, side=role).words()}; {item_words(item)} (override: {flag}, --item)."
    )


def item_words(item: str | None) -> str:
    """Say which column holds the items."""
    return f"items in {item!r}" if item is not None else "no item ids, so that rows are items"


def _distinct(columns: Columns, item: str | None, names: Sequence[str]) -> Columns:
    """Drop rows that repeat both the item and the values, as where a prediction stands beside each vote."""
    if item is None:
        return columns
    key = columns.coded(item).codes
    for name in names:
        if columns.facts(name).kind == "lists":
            return columns
        coded = columns.coded(name)
        _, key = np.unique(key * (len(coded.values) + 1) + coded.codes, return_inverse=True)
    _, first = np.unique(key, return_index=True)
    if len(first) == len(key):
        return columns
    rows = np.zeros(len(key), dtype=bool)
    rows[first] = True
    return columns.kept(rows)


def spread(opener: Opener, specs: Sequence[Spec]) -> tuple[list[Spec], list[str]]:
    """Take patterns apart that match several predictions, and leave those that match the parts of one.

    Files that hold the same items are predictions of their own; files that share no item are parts.

    Parameters
    ----------
    opener
        Opens the files.
    specs
        The predictions as the user wrote them.
    """
    found: list[Spec] = []
    guesses = []
    for spec in specs:
        paths = [spec.path] if spec.path == "-" else expanded(spec.path)
        if len(paths) > 1 and _same_items([Columns.of(opener.load(path)) for path in paths]):
            found += [Spec(path, None) for path in paths]
            guesses.append(f"{spec.path} matches {len(paths)} files with the same items: each is one prediction.")
        else:
            found.append(spec)
    return found, guesses


def _same_items(parts: Sequence[Columns]) -> bool:
    """Whether two of the tables share an item, or differ in their columns."""
    if any(set(part.names) != set(parts[0].names) for part in parts):
        return True
    ids = [part.coded(item).values for part in parts if (item := item_column(part, None)) is not None]
    return len(pc.unique(pa.chunked_array(ids, pa.string()))) < sum(map(len, ids))
