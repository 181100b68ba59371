"""What the user asked for, checked and split by file."""

from __future__ import annotations

from dataclasses import dataclass, fields
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from softtruth.errors import InputError, listed, shown
from softtruth.inputs.files import FORMATS
from softtruth.inputs.problem import Task
from softtruth.inputs.recognise import Hints
from softtruth.inputs.selection import ROLES, change_for, parse_changes, parse_filters, scoped
from softtruth.inputs.side import Wishes
from softtruth.inputs.tally import Duplicates

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True)
class Spec:
    """One prediction as the user wrote it: a path, and the name to call it by when one was given."""

    path: str
    given: str | None

    @property
    def name(self) -> str:
        """The name of the prediction: the one given, else the file name without prefix and suffix."""
        return self.given or bare_name(self.path)


def bare_name(path: str) -> str:
    """Return the part of a file name that tells files apart.

    Examples
    --------
    >>> bare_name("data/pred_logreg_soft.csv.gz")
    'logreg_soft'
    """
    if path == "-":
        return "prediction"
    name = Path(path).name.removesuffix(".gz")
    for suffix in FORMATS:
        name = name.removesuffix(suffix)
    for prefix in ("predictions_", "prediction_", "preds_", "pred_", "predictions-", "prediction-", "pred-"):
        if name.startswith(prefix) and len(name) > len(prefix):
            return name.removeprefix(prefix)
    return name.strip("*?") or "prediction"


def parse_spec(text: str | PathLike[str] | tuple[str, str | PathLike[str]]) -> Spec:
    """Read `PATH`, `NAME=PATH` or a pair (name, path)."""
    if isinstance(text, tuple):
        return Spec(fspath(text[1]), text[0])
    path = fspath(text)
    name, sign, rest = path.partition("=")
    if not sign or Path(path).exists():
        return Spec(path, None)
    if not name or not rest:
        raise InputError(f"--prediction {shown(path)} is neither a path nor NAME=PATH.")
    return Spec(rest, name)


@dataclass(frozen=True)
class Settings:
    """Everything that `load_problem` can be told beyond the files; see there for what each means."""

    item: tuple[str, ...] = ()
    label: tuple[str, ...] = ()
    annotator: tuple[str, ...] = ()
    finding: tuple[str, ...] = ()
    prediction_column: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    rename: tuple[str, ...] = ()
    labels: tuple[str, ...] | None = None
    positive: str | None = None
    ignore: tuple[str, ...] = ()
    task: Task | None = None
    threshold: float = 0.5
    weight: str | None = None
    cluster: str | None = None
    by: str | None = None
    file_names: bool = False
    normalize: bool = False
    duplicates: Duplicates | None = None
    drop_missing: bool = False
    delimiter: str | None = None

    def __post_init__(self) -> None:
        """Check what can be checked without the files."""
        if self.task is not None and self.task not in get_args(Task):
            raise InputError(f"--task {shown(self.task)} is not known; expected one of {listed(get_args(Task))}.")
        if self.duplicates is not None and self.duplicates not in get_args(Duplicates):
            known = listed(get_args(Duplicates))
            raise InputError(f"--duplicates {shown(self.duplicates)} is not known; expected one of {known}.")
        sign = self.delimiter
        if sign is not None and (len(sign) != 1 or not sign.isascii() or sign in '"\r\n'):
            raise InputError(f"--delimiter is {shown(sign)}, expected one ASCII sign such as ',' or ';'.")
        if self.labels is not None and len(set(self.labels)) < len(self.labels):
            twice = sorted({name for name in self.labels if self.labels.count(name) > 1})
            raise InputError(f"--labels names {listed(twice)} more than once; name each class once.")

    def to_dict(self) -> dict[str, Any]:
        """Return the settings that differ from the defaults, as JSON values."""
        values = {f.name: (getattr(self, f.name), f.default) for f in fields(self)}
        return {k: list(v) if isinstance(v, tuple) else v for k, (v, default) in values.items() if v != default}

    def own(self, name: str, scopes: Sequence[str], names: Sequence[str]) -> str | None:
        """Return the value of a column flag that was given for this file and no other."""
        parts = [scoped(text, (*ROLES, *names)) for text in getattr(self, name)]
        first = next((scope for scope, _ in parts if scope in scopes), None)
        return None if first is None else _alone(name, [rest for scope, rest in parts if scope == first])

    def one(self, name: str, scopes: Sequence[str], names: Sequence[str]) -> str | None:
        """Return the value of a column flag for a file: one given for this file, else one given for all."""
        parts = (scoped(text, (*ROLES, *names)) for text in getattr(self, name))
        return self.own(name, scopes, names) or _alone(name, [rest for scope, rest in parts if scope is None])

    def hints(self, scopes: Sequence[str], names: Sequence[str]) -> Hints:
        """Return the column names given for a file."""
        item, annotator, finding = (self.one(flag, scopes, names) for flag in ("item", "annotator", "finding"))
        return Hints(item, self.one("label", scopes, names), annotator, finding)

    def wishes(self, scopes: Sequence[str], names: Sequence[str], class_order: dict[str, tuple[str, ...]]) -> Wishes:
        """Return what was asked of one file."""
        return Wishes(
            duplicates=self.duplicates,
            normalize=self.normalize,
            drop_missing=self.drop_missing,
            ignore=frozenset(self.ignore),
            change=change_for(parse_changes(self.rename, names), scopes),
            task=self.task,
            positive=self.positive,
            class_order=class_order,
        )

    def columns_for(self, prediction: str, names: Sequence[str]) -> list[str]:
        """Return the `--prediction-column` values that hold for a prediction file."""
        parts = (scoped(text, names) for text in self.prediction_column)
        return [rest for scope, rest in parts if scope is None or scope == prediction]

    def check_scopes(self, names: Iterable[str]) -> None:
        """Read all filters and renamings once, so that a bad one is refused before any file is read."""
        parse_filters(self.where, list(names))
        parse_changes(self.rename, list(names))


def _alone(name: str, given: Sequence[str]) -> str | None:
    """Return the column that a flag names for one file; labels may stand in several columns."""
    if len(given) > 1 and name != "label":
        raise InputError(
            f"--{name} names {listed(given)} for one file; name one, or say which file each is for: "
            f"--{name} reference:{given[0]}."
        )
    return ",".join(given) or None
