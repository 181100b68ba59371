"""Votes to counts and the join by item on one machine, when they outgrow memory: DuckDB does it and spills to disk."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

from softtruth.engines.addresses import dataset_of, is_address
from softtruth.engines.pieces import kind_of
from softtruth.engines.plan import IN_PREDICTION, IN_REFERENCE, REPEATS, VOTES
from softtruth.errors import InputError, MissingPackageError, listed, shown
from softtruth.inputs.selection import parse_changes

if TYPE_CHECKING:
    from softtruth.engines.join import Join, Side, Sides
    from softtruth.engines.pieces import Files
    from softtruth.engines.wanted import Wanted

MEMORY = "512MB"
ITEM = "softtruth:item"
_OURS = "softtruth: "  # before a sentence of our own in an error of DuckDB


class Table(NamedTuple):
    """What a query calls the rows of a side, and what messages call its files."""

    sql: str
    words: str


def join_files(join: Join, sides: Sides, target: Path, *, wanted: Wanted) -> None:
    """Write the joined rows as one Parquet file, whole or not at all.

    Parameters
    ----------
    join
        Which columns take part.
    sides
        The files.
    target
        The file to write.
    wanted
        The classes that votes may name, the votes that do not count, and what classes are renamed to.

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
    with tempfile.TemporaryDirectory(prefix=".softtruth-", dir=target.absolute().parent) as folder:
        made = Path(folder) / "joined.parquet"
        settings: dict[str, Any] = {"memory_limit": MEMORY, "temp_directory": folder, "threads": 2}
        settings["preserve_insertion_order"] = False
        try:
            with duckdb.connect(config=settings) as connection:
                tables = sides.map(lambda files: Table(_table(files, connection), files.words))
                sql = joined_rows(join, tables, wanted)
                connection.execute(f"copy ({sql}) to {_text(str(made))} (format parquet)")
        except duckdb.Error as error:
            _, mine, own = str(error).partition(_OURS)
            words = " ".join((own or str(error)).split())
            msg = f"{words}." if mine else f"the files cannot be joined: {words[:200]}."
            raise InputError(msg) from error
        made.replace(target)


def joined_rows(join: Join, sides: Sides, wanted: Wanted) -> str:
    """Return the query of the joined rows, from those of the sides."""
    item, repeats = _name(ITEM), _name(REPEATS)
    ours = _once(sides.reference, join.reference) if join.vote is None else _votes(join, sides.reference, wanted)
    tables, kept = f"({ours}) r", [f"r.{_name(c)}" for c in ([VOTES] if join.vote is not None else [])]
    kept += [f"r.{_name(new)}" for _, new in join.reference.columns]
    counts = [f"r.{repeats}"]
    if join.items is not None:
        how = "join" if join.items.filters else "left join"  # filters on facts leave items out
        facts = [f", f.{_name(new)}" for _, new in join.items.columns]
        tables = (
            f"(select r.*{''.join(facts)}, f.{repeats} as facts from {tables} {how} "
            f"({_facts(sides.items, join.items)}) f on r.{item} = f.{item}) r"
        )
        kept += [f"r.{_name(new)}" for _, new in join.items.columns]
        counts.append("r.facts")
    on = f"r.{item}"
    theirs = []
    for i, (name, side) in enumerate(join.predictions.items()):
        tables += f" full outer join ({_once(sides.predictions[name], side)}) p{i} on {on} = p{i}.{item}"
        on = f"coalesce({on}, p{i}.{item})"
        kept += [f"p{i}.{_name(new)}" for _, new in side.columns]
        counts.append(f"p{i}.{repeats}")
        theirs.append(f"p{i}.{item}")
    there = " and ".join(f"{one} is not null" for one in theirs) or "true"
    own = [f"r.{item} as {_name(IN_REFERENCE)}", f"case when {there} then {on} end as {_name(IN_PREDICTION)}"]
    return f"select {', '.join([*kept, *own])}, greatest({', '.join(counts)}, 1) as {repeats} from {tables}"


def _once(table: Table, side: Side) -> str:
    """Return the query of a side with one row for each item; how many there were is kept and looked at later."""
    kept = "".join(f", any_value({_name(old)}) as {_name(new)}" for old, new in side.columns)
    count = f"count(*) as {_name(REPEATS)}"
    return f"select {_id(side, table)} as {_name(ITEM)}{kept}, {count} from {_rows(table, side)} group by 1"


def _facts(table: Table, side: Side) -> str:
    """Return the query of facts about items; an item may come again, with the same facts. What has no id meets none."""
    kept = "".join(f", any_value({_name(old)}) as {_name(new)}" for old, new in side.columns)
    several = [f"count(distinct {_name(old)})" for old, _ in side.columns]
    return (
        f"select {_word(side.item)} as {_name(ITEM)}{kept}, greatest({', '.join([*several, '1'])}) as {_name(REPEATS)} "
        f"from {_rows(table, side)} group by 1"
    )


def _votes(join: Join, table: Table, wanted: Wanted) -> str:
    """Return the query that counts the votes of each item, a number for each class."""
    side, vote = join.reference, _word(str(join.vote))
    changes = [(old, new) for scope, old, new in parse_changes(wanted.rename, []) if scope in {None, "reference"}]
    if changes:
        whens = " ".join(f"when {_text(old)} then {_text(new)}" for old, new in changes)
        vote = f"case {vote} {whens} else {vote} end"
    labels = wanted.labels or ()
    counts = ", ".join(f"count(*) filter (where {vote} = {_text(str(label))})" for label in labels)
    known = ", ".join(_text(str(x)) for x in (*labels, *wanted.ignore, ""))
    unknown = f"{vote} is not null and {vote} not in ({known})"
    begun = _text(f"{_OURS}{table.words}: vote ")
    wrong = f"max(case when {unknown} then error({begun} || {vote} || ' is none of the classes') end)"
    votes = f"case when {wrong} is null then [{counts}] end"
    repeats = "1"
    if join.annotator is not None:  # as many annotators as votes, or somebody voted twice
        repeats = f"1 + count(*) - count(distinct {_name(join.annotator)})"
    kept = "".join(f", any_value({_name(old)}) as {_name(new)}" for old, new in side.columns)
    return (
        f"select {_id(side, table)} as {_name(ITEM)}, {votes} as {_name(VOTES)}{kept}, {repeats} as {_name(REPEATS)} "
        f"from {_rows(table, side)} group by 1"
    )


def _id(side: Side, table: Table) -> str:
    """Return the id of an item as text; a row without one is refused."""
    word = _word(side.item)
    sentence = f"{_OURS}{table.words} has a row without an item id in {shown(side.item)}. Give each row an id, or name "
    refused = f"error({_text(f'{sentence}the id column with --item')} || coalesce({word}, ''))"  # no constant
    return f"case when coalesce({word}, '') = '' then {refused} else {word} end"


def _word(column: str) -> str:
    return f"cast({_name(column)} as varchar)"


def _rows(table: Table, side: Side) -> str:
    """Return the rows of a side that take part."""
    asked = []
    for one in side.filters:
        word = f"coalesce({_word(one.column)}, '')"
        for values, sign in ((one.keep, ""), (one.drop, "not ")):
            asked += [f"{word} {sign}in ({', '.join(map(_text, values))})"] if values else []
    return f"(from {table.sql} where {' and '.join(asked)})" if asked else table.sql


def _table(files: Files, connection: Any) -> str:
    """Return what a query calls the rows of these files; those at addresses are read by Arrow."""
    kinds = {kind_of(path) for path in files.paths}
    away = any(map(is_address, files.paths))
    able = {"parquet"} if away else {"parquet", "csv", "json"}
    if len(kinds) > 1 or not kinds <= able:
        where = " at addresses" if away else ""
        msg = f"files of the kinds {listed(sorted(kinds))}{where} cannot be joined out of memory; use {_words(able)}."
        raise InputError(msg)
    if away:
        name = f"away{crc32(repr(files.paths).encode())}"
        connection.register(name, dataset_of(files.paths))
        return name
    paths = f"[{', '.join(map(_text, files.paths))}]"
    kind = kinds.pop()
    if kind == "csv":
        sign = "" if files.delimiter is None else f", delim={_text(files.delimiter)}"
        return f"read_csv({paths}, header=true, all_varchar=true, union_by_name=true{sign})"
    return f"read_parquet({paths}, union_by_name=true)" if kind == "parquet" else f"read_json_auto({paths})"


def _words(kinds: set[str]) -> str:
    return "Parquet" if kinds == {"parquet"} else "Parquet, CSV or JSON"


def _name(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
