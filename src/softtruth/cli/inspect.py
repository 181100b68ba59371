"""`softtruth inspect`: what is in these files, what can be computed, and which command comes next."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import rich_click as click

from softtruth.cli import ERROR, output
from softtruth.cli.options import COLUMNS, IN_COLUMNS, NOISE, OF_ROWS, PATH, VALUES, add, as_flags, loading, panel
from softtruth.cli.results import check_results

if TYPE_CHECKING:
    from softtruth.inputs.problem import Problem
    from softtruth.inputs.profile import FileProfile
    from softtruth.inputs.roles import Roles

PAGE = ("--out", "report.html")  # what a newcomer wants to see
SHOWN = 12  # classes that are listed before the rest is counted


@click.command()
@click.argument("files", nargs=-1, required=True, type=PATH, metavar="FILE...")
@add(panel(IN_COLUMNS, COLUMNS), panel(OF_ROWS, VALUES))
@click.option("--json", "json_path", type=PATH, metavar="PATH", help="Write what was understood as JSON; - prints it.")
@add(NOISE)
@click.pass_context
def inspect(ctx: click.RichContext, /, files: tuple[str, ...], **values: Any) -> None:
    """Say what is in FILES, what can be computed from them, and the next command to type.

    Flags override what is guessed, and stand in the command that is printed.
    """
    check_results()
    from softtruth.errors import InputError
    from softtruth.inputs.roles import assign

    with output.progress(quiet=values["quiet"]) as step:
        profiles, problems = _profiles(files, values, step)
        roles = assign(profiles, values["prediction_column"])
        problem: Problem | None = None
        try:
            problem = _tried(roles, values)
        except InputError as error:
            problems.append(str(error))
    command = _command(roles, values) if problem is not None else _table_command(profiles) or _conversion(roles)
    if values["json_path"]:
        from softtruth.render.json import to_json
        from softtruth.report.plain import plain

        facts = {
            "schema_version": 1,
            "files": [profile.to_dict() for profile in profiles],
            "problems": problems,
            "guesses": list(problem.guesses) if problem else [],
            "accounting": problem.accounting.to_dict() if problem else None,
            "next": command,
        }
        output.write(values["json_path"], to_json(plain(facts)))
    if values["json_path"] != "-":
        from softtruth.render.wrapped import wrapped

        lines = _lines(profiles, roles, problem, problems)
        output.emit("\n".join([wrapped("\n".join(lines)), *_next(profiles, roles, problem, command)]))
    if problems and command is None:
        ctx.exit(ERROR)


def _profiles(files: tuple[str, ...], values: dict[str, Any], step: Any) -> tuple[list[FileProfile], list[str]]:
    from softtruth.errors import InputError
    from softtruth.inputs.exports.loaded import load_export
    from softtruth.inputs.files import expanded, read
    from softtruth.inputs.profile import profile
    from softtruth.inputs.settings import Settings, bare_name

    found, problems = [], []
    settings = Settings(**loading(values))
    paths = [path for one in files for path in ([one] if one == "-" else expanded(one))]
    for path in dict.fromkeys(paths):
        if step:
            step(f"reading {path}")
        try:
            hints = settings.hints((bare_name(path),), [bare_name(path)])
            export = load_export(path, hints)
            loaded = export.plain if export else read(path, delimiter=settings.delimiter)
            names = loaded.table.column_names
            # A flag names a column of some of the files; the others keep their guesses.
            known = {k: v for k, v in vars(hints).items() if v in names}
            found.append(profile(loaded, type(hints)(**known)))
        except InputError as error:
            problems.append(str(error))
    return found, problems


def _tried(roles: Roles, values: dict[str, Any]) -> Problem | None:
    """Load what the printed command would load, so that it is known to work."""
    from softtruth.inputs.align import load_problem

    if roles.both is not None:
        return load_problem(table=roles.both.path, items=_items(roles, values), **loading(values))
    if roles.reference is None or not roles.predictions:
        return None
    paths = [profile.path for profile in roles.predictions]
    return load_problem(paths, roles.reference.path, _items(roles, values), **loading(values))


def _items(roles: Roles, values: dict[str, Any]) -> str | None:
    """Return the file of facts about items, when a flag asks for a column that only it has."""
    wanted = [values["cluster"], values["weight"], *(text for text in values["where"] if text.startswith("items:"))]
    named = [text.removeprefix("items:").partition("=")[0].rstrip("!") for text in wanted if text]
    return next((p.path for p in roles.items if any(f.name in named for f in p.columns)), None)


def _command(roles: Roles, values: dict[str, Any]) -> str:
    words = ["softtruth", "report"]
    if roles.both is not None:
        words.append(roles.both.path)
    else:
        for profile in roles.predictions:
            words += ["--prediction", profile.path]
        words += ["--reference", roles.reference.path if roles.reference else ""]
    items = _items(roles, values)
    words += ["--items", items] if items else []
    return shlex.join([*words, *as_flags(values), *PAGE])


def _table_command(profiles: list[FileProfile]) -> str | None:
    """Return the command for a finished table, when the only file is one."""
    from softtruth.errors import InputError
    from softtruth.inputs.finished import load_table

    if len(profiles) != 1 or profiles[0].rows > 5000:
        return None
    try:
        load_table(profiles[0].path)
    except InputError:
        return None
    return shlex.join(["softtruth", "report", "--table", profiles[0].path, *PAGE])


def _conversion(roles: Roles) -> str | None:
    """Return the command that makes a reference of rankings, when there is no other."""
    ranked = [] if roles.reference else [p for p in roles.spare if p.reading.kind == "rankings"]
    return shlex.join(["softtruth", "convert", ranked[0].path, "--out", "shares.csv"]) if ranked else None


def _lines(profiles: list[FileProfile], roles: Roles, problem: Problem | None, problems: list[str]) -> list[str]:
    from softtruth.inputs.roles import abilities, why_spare

    lines = [line for profile in profiles for line in _about(profile)]
    if problem is not None:
        lines += [
            "Together",
            *(f"  {s}" for s in problem.accounting.sentences),
            *(f"  {g}" for g in problem.guesses),
            "",
        ]
        lines += ["What can be computed", *(f"  - {text}" for text in abilities(problem)), ""]
    if roles.spare:
        lines += ["Not used", *(f"  {profile.path}: {why_spare(profile)}" for profile in roles.spare), ""]
    if problems:
        lines += ["Problems", *(f"  {text}" for text in problems), ""]
    return lines


def _next(profiles: list[FileProfile], roles: Roles, problem: Problem | None, command: str | None) -> list[str]:
    """Return what to type; a command stays in one line, so that it can be copied."""
    from softtruth.inputs.roles import possible_clusters
    from softtruth.render.wrapped import wrapped

    if command is None:
        return ["", "Next", wrapped(f"  {_missing(roles, profiles)}")]
    lines = ["", "Next", f"  {command}"]
    if command == _conversion(roles):
        lines.append("  Then run this command again with shares.csv in place of the rankings.")
    elif problem is not None and len(problem.predictions) > 1:  # the report shows them, the comparison chooses
        other = command.replace("softtruth report ", "softtruth compare ", 1)
        lines.append(f"  {other.replace('--out report.html', '--out comparison.html')}")
    if problem is None or problem.clusters is not None:
        return lines
    for profile in roles.items:
        for name in possible_clusters(profile, problem):
            more = shlex.join(["--items", profile.path, "--cluster", name])
            lines.append(f"  (if items that share {name!r} are not independent, add: {more})")
    return lines


def _missing(roles: Roles, profiles: list[FileProfile]) -> str:
    from softtruth.inputs.roles import candidates

    names = [name for profile in profiles for name in candidates(profile)]
    hint = f" Columns that may be one: {', '.join(names[:SHOWN])}." if names else ""
    if roles.reference is None and not roles.predictions:
        return f"No labels, votes or predictions were recognised; name them: --label, --prediction-column.{hint}"
    if not roles.predictions:
        return f"Only a reference was recognised; add predictions, or name their column: --prediction-column.{hint}"
    if roles.reference is None:
        return f"Only predictions were recognised; add labels or votes, or name their column: --label.{hint}"
    return "Settle the problem above, then run this command again."


def _about(profile: FileProfile) -> list[str]:
    names = [f.name for f in profile.columns]
    more = ", ..." if len(names) > SHOWN else ""
    lines = [
        profile.path,
        f"  {profile.rows:,} rows, {len(names)} columns: {', '.join(names[:SHOWN])}{more}",
        f"  understood as {profile.reading.words()}",
    ]
    where = f"in {profile.item!r}" if profile.item else "known by their position"
    votes = profile.votes_per_item
    people = f"; {profile.annotators:,} annotators" if profile.annotators else ""
    spread = f"; votes on each: {votes[0]:,} to {votes[2]:,}, mean {votes[1]:.3g}" if votes else ""
    lines.append(f"  {profile.items:,} items {where}{people}{spread}")
    if profile.classes:
        counts = profile.counts or (None,) * len(profile.classes)
        shown = [n if c is None else f"{n} {c:,.6g}" for n, c in zip(profile.classes, counts, strict=True)]
        rest = f", and {len(shown) - SHOWN} more" if len(shown) > SHOWN else ""
        lines.append(f"  {len(shown)} classes: {', '.join(shown[:SHOWN])}{rest}")
    for n, words in ((profile.duplicates, "rows that repeat another one"), (profile.missing, "rows without a value")):
        if n:
            lines.append(f"  {words}: {n:,}")
    if profile.problem:
        lines.append(f"  problem: {profile.problem}")
    return [*lines, ""]
