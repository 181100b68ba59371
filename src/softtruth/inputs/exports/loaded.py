"""An export as a table among other tables, so that filters, profiles and hashes work on it too."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from softtruth.errors import InputError
from softtruth.inputs.exports import read_export
from softtruth.inputs.files import GZIP, LoadedTable, record_of
from softtruth.inputs.typed_tables import uncompressed

if TYPE_CHECKING:
    from softtruth.inputs.exports.submissions import Export
    from softtruth.inputs.recognise import Hints


@dataclass(frozen=True, eq=False)
class LoadedExport(LoadedTable):
    """The long form of an export, with the answers that it was made of."""

    export: Export | None = None

    @property
    def plain(self) -> LoadedTable:
        """The answers alone, without the number of the submission that each belongs to."""
        return LoadedTable(self.path, self.table.drop_columns(["submission"]), self.records, self.class_order)


def load_export(path: str, hints: Hints) -> LoadedExport | None:
    """Return the export in a file, or None when it is no export of a known tool.

    Parameters
    ----------
    path
        One file, plain or gzipped.
    hints
        What the user said: ``label`` names the question, ``item`` the key of the item's id.

    Raises
    ------
    InputError
        If the file is of a tool, but cannot be read.
    """
    if not Path(path).is_file():
        return None
    with Path(path).open("rb") as stream:
        compressed = stream.read(2) == GZIP
    with uncompressed(path, compressed=compressed) as plain:
        export = read_export(Path(path).name, plain, question=hints.label, item=hints.item)
    if export is None:
        return None
    table = export.table()
    if not table.num_rows:
        msg = f"{path} holds no answer that counts. {' '.join(export.sentences())}"
        raise InputError(msg)
    orders = {"label": export.classes} if export.classes else {}
    return LoadedExport(path, table, (record_of(path, len(export.submissions)),), orders, export=export)
