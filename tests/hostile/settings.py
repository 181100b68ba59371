"""Files of settings from one seed: tables of the commands, keys named by the flags, values that fit and that do not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import rich_click as click

from hostile import words
from hostile.mutations import mutated
from softtruth.cli.config import flag_of
from softtruth.cli.group import cli

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

SIDES = ("--prediction", "model=p.csv", "--reference", "r.csv")
LINES: dict[str, tuple[str, ...]] = {
    "report": (*SIDES, "--json", "-"),
    "compare": (*SIDES, "--prediction", "other=q.csv", "--json", "-"),
    "shift": (*SIDES, "--imbalance", "2"),
    "noise": SIDES,
    "audit.plan": (*SIDES, "--size", "4"),
    "inspect": ("p.csv", "r.csv"),
    "convert": ("r.csv",),
}
INPUTS = ("p.csv", "r.csv", "none.csv", "", "model=p.csv")  # files that are read; none that is written gets a key
LEFT_OUT = {"help", "out", "json", "junit", "parquet", "statistic", "checkpoint", "plot", "draws", "engine"}
GOOD = {
    "labels": ("cat,dog", ["cat", "dog"], ["dog", "cat", "fish"]),
    "positive": ("cat", "dog"),
    "item": ("item",),
    "label": ("label",),
    "measure": ("macro f1", ["accuracy", "macro f1"]),
    "map": ("cat=dog", ["cat=kitty", "dog=hound"]),
    "where": ("label=cat", ["label!=cat"]),
    "fail-under": ("accuracy=0.1", ["accuracy=0.99"]),
    "by": ("accuracy",),
    "coupling": ("most", "least"),
    "prior": ("cat=0.3", "cat=0.5,dog=0.5"),
    "imbalance": (2, 0.5),
}
RAW = (  # what JSON has no word for
    *("2024-01-01", "2024-01-01T00:00:00Z", "07:32:00", "1_000", "0x1F", "+inf", "-nan", "'C:\\x'", "'''\na'''"),
    *("'", "", "nil", "0x" + "f" * 4000, "1" * 5000, "[" * 3000, "[" * 3000 + "]" * 3000, '"""a\r\nb"""', "{a.b = 1}"),
)


def options(name: str) -> dict[str, click.Option]:
    """Return the options of a command by their flags."""
    command: Any = cli
    for word in name.split("."):
        command = command.get_command(click.Context(command), word)
    return {flag_of(one): one for one in command.params if isinstance(one, click.Option)}


def hostile_settings(rng: Random) -> tuple[str, bytes]:
    """Return the name of a command, and a file of settings that has a table for it."""
    name = rng.choices(list(LINES), [6, 2, 2, 2, 1, 1, 1])[0]
    damaged = rng.random() < 0.4
    tables = [name, *rng.sample([*LINES, "merge", "demo", "audit"], rng.choice([0, 0, 0, 1]))]
    text = "".join(_table(rng, one, damaged) for one in dict.fromkeys(tables))
    if rng.random() < 0.05:
        text = f"{_key(rng.choice(words.HOSTILE))} = {as_toml(words.value(rng))}\n{text}"
    content = text.encode("utf-8", "surrogatepass")
    return name, mutated(rng, content) if damaged else content


def _table(rng: Random, name: str, damaged: bool) -> str:
    named = f"[{name}]" if rng.random() > 0.03 else f"[{name}.{_key(rng.choice(words.HOSTILE))}]"
    known = {flag: one for flag, one in options(name).items() if flag not in LEFT_OUT}
    if damaged:  # a damaged path could be that of anything
        known = {flag: one for flag, one in known.items() if one.type.name != "path"}
    flags = rng.sample(list(known), min(len(known), rng.choice([0, 1, 1, 2, 3, 5])))
    rows = [f"{flag} = {_value(rng, known[flag])}" for flag in flags]
    if rng.random() < 0.05:
        rows.append(f"{_key(rng.choice([*words.HOSTILE, *words.COLUMNS]))} = {as_toml(words.value(rng))}")
    return "\n".join([named, *rows, ""])


def _value(rng: Random, option: click.Option) -> str:
    if option.type.name == "path":
        return as_toml(rng.choice(INPUTS))
    if rng.random() < 0.1:
        return rng.choice(RAW)
    if rng.random() < 0.25:
        return as_toml(rng.choice([words.value(rng), [words.value(rng)]]))
    fits: Callable[[], Any] = lambda: rng.choice([*GOOD.get(flag_of(option), ("cat",)), words.word(rng)])  # noqa: E731
    if option.is_flag:
        return as_toml(rng.random() < 0.8)
    if isinstance(option.type, click.Choice):
        fits = lambda: rng.choice(option.type.choices)  # noqa: E731
    elif isinstance(option.type, (click.types.IntParamType, click.types.FloatParamType)):
        fits = lambda: rng.choice([2, 3, 12, 0.5, 0.9, 0, "0.5"])  # noqa: E731
    return as_toml(fits())


def as_toml(value: Any) -> str:
    """Return a value as TOML writes it; None, which it cannot write, as a word that it refuses."""
    if isinstance(value, list):
        return f"[{', '.join(map(as_toml, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_key(key)} = {as_toml(held)}' for key, held in value.items())}}}"
    if isinstance(value, float):
        return repr(value)
    return _key(value) if isinstance(value, str) else json.dumps(value)


def _key(name: str) -> str:
    """Return a text in quotes."""
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")


def as_words(name: str, table: dict[str, Any]) -> list[str]:
    """Return what a table says, in words of the command line."""
    found: list[str] = []
    known = options(name)
    given = {word.removeprefix("--") for word in LINES[name]}  # the line wins
    for key, value in table.items():
        flag = key.replace("_", "-")
        option = known[flag]
        if flag in given:
            continue
        if isinstance(value, bool):
            found += [f"--{flag}"] if value else []
        elif option.multiple:
            found += [f"--{flag}={one}" for one in (value if isinstance(value, list) else [value])]
        elif isinstance(value, list):
            quoted = ('"{}"'.format(str(one).replace('"', '""')) for one in value)
            found.append(f"--{flag}={','.join(quoted)}")
        else:
            found.append(f"--{flag}={value}")
    return found
