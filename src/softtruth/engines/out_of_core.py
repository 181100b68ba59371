"""Votes to counts and the join by item on one machine, when they outgrow memory: DuckDB does it and spills to disk."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softtruth.engines.pieces import kind_of
from softtruth.engines.plan import IN_PREDICTION, IN_REFERENCE, REPEATS, VOTES
from softtruth.errors import InputError, MissingPackageError, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from softtruth.engines.join import Join
    from softtruth.engines.pieces import Files

MEMORY = "512MB"
ITEM = "softtruth:item"


def join_files(
    join: Join, reference: Files, prediction: Files, target: Path, *, labels: Sequence[Any], ignore: Sequence[str] = ()
) -> None:
    """Write the joined rows as one Parquet file, whole or not at all.

    Parameters
    ----------
    join
        Which columns take part.
    reference, prediction
        The files of the two sides.
    target
        The file to write.
    labels, ignore
        The classes that votes may name, and the votes that do not count.

    Raises
    ------
    MissingPackageError
        If DuckDB is not installed.
    InputError
        If the files cannot be read so.
    """
    try:
        import duckdb
    except ImportError:
        raise MissingPackageError("duckdb", "duckdb", "Joining files that outgrow memory") from None
    ours = (
        _votes(join, reference, labels, ignore)
        if join.vote is not None
        else _once(reference, join.reference_item, join.reference)
    )
    theirs = _once(prediction, join.prediction_item, join.prediction)
    kept = [f"r.{_name(c)}" for c in (*((VOTES,) if join.vote is not None else ()), *join.reference)]
    kept += [f"p.{_name(c)}" for c in join.prediction]
    sql = (
        f"select {', '.join(kept)}, r.{_name(ITEM)} as {_name(IN_REFERENCE)}, p.{_name(ITEM)} as "
        f"{_name(IN_PREDICTION)}, greatest(r.{_name(REPEATS)}, p.{_name(REPEATS)}) as {_name(REPEATS)} "
        f"from ({ours}) r full outer join ({theirs}) p on r.{_name(ITEM)} = p.{_name(ITEM)}"
    )
    with tempfile.TemporaryDirectory(prefix=".softtruth-", dir=target.absolute().parent) as folder:
        made = Path(folder) / "joined.parquet"
        settings: dict[str, Any] = {"memory_limit": MEMORY, "temp_directory": folder, "threads": 2}
        settings["preserve_insertion_order"] = False
        try:
            with duckdb.connect(config=settings) as connection:
                connection.execute(f"copy ({sql}) to {_text(str(made))} (format parquet)")
        except duckdb.Error as error:
            msg = f"the files cannot be joined: {' '.join(str(error).split())[:200]}."
            raise InputError(msg) from error
        made.replace(target)


def _once(files: Files, item: str, columns: Sequence[str]) -> str:
    """Return the query of a side with one row for each item; how many there were is kept and looked at later."""
    kept = "".join(f", any_value({_name(c)}) as {_name(c)}" for c in columns)
    return (
        f"select cast({_name(item)} as varchar) as {_name(ITEM)}{kept}, count(*) as {_name(REPEATS)} "
        f"from {_table(files)} group by 1"
    )


def _votes(join: Join, files: Files, labels: Sequence[Any], ignore: Sequence[str]) -> str:
    """Return the query that counts the votes of each item, a number for each class."""
    vote = f"cast({_name(str(join.vote))} as varchar)"
    counts = ", ".join(f"count(*) filter (where {vote} = {_text(str(label))})" for label in labels)
    known = ", ".join(_text(str(x)) for x in (*labels, *ignore, ""))
    unknown = f"{vote} is not null and {vote} not in ({known})"
    wrong = f"max(case when {unknown} then error('vote ' || {vote} || ' is none of the classes') end)"
    votes = f"case when {wrong} is null then [{counts}] end"
    repeats = "1"
    if join.annotator is not None:  # as many annotators as votes, or somebody voted twice
        repeats = f"1 + count(*) - count(distinct {_name(join.annotator)})"
    kept = "".join(f", any_value({_name(c)}) as {_name(c)}" for c in join.reference)
    return (
        f"select cast({_name(join.reference_item)} as varchar) as {_name(ITEM)}, {votes} as {_name(VOTES)}{kept}, "
        f"{repeats} as {_name(REPEATS)} from {_table(files)} group by 1"
    )


def _table(files: Files) -> str:
    kinds = {kind_of(path) for path in files.paths}
    if len(kinds) > 1 or not kinds <= {"parquet", "csv", "json"}:
        msg = f"files of the kinds {listed(sorted(kinds))} cannot be joined out of memory; use Parquet, CSV or JSON."
        raise InputError(msg)
    paths = f"[{', '.join(map(_text, files.paths))}]"
    kind = kinds.pop()
    if kind == "csv":
        sign = "" if files.delimiter is None else f", delim={_text(files.delimiter)}"
        return f"read_csv({paths}, header=true, all_varchar=true, union_by_name=true{sign})"
    return f"read_parquet({paths}, union_by_name=true)" if kind == "parquet" else f"read_json_auto({paths})"


def _name(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
