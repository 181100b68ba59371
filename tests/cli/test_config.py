"""Settings from a file and the environment: every flag of every command is a key, and is checked as the flag is."""

import json
import os
from pathlib import Path

import pytest
import rich_click as click

from softtruth.cli import run
from softtruth.cli.config import flag_of
from softtruth.cli.group import cli
from softtruth.cli.options import comma_list


def every_command(group=cli, words=()):
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from every_command(command, (*words, name))
        else:
            yield (*words, name), command


COMMANDS = dict(every_command())
OPTIONS = [
    (words, option)
    for words, command in COMMANDS.items()
    for option in command.params
    if isinstance(option, click.Option) and option.name != "help"
]
NAMES = [f"{' '.join(words)} --{flag_of(option)}" for words, option in OPTIONS]


def sample(option):
    """Return a value for the file, and the words that give it on the command line."""
    if option.is_flag:
        return True, []
    if option.callback is comma_list:
        return ["a", "b, c"], ['a,"b, c"']
    if isinstance(option.type, click.Choice):
        value = option.type.choices[-1]
    elif isinstance(option.type, click.types.IntParamType):
        value = 7
    elif isinstance(option.type, click.types.FloatParamType):
        value = 0.25
    else:
        value = "one = two"
    if option.multiple:
        return [value, "three"], [str(value), "three"]
    return value, [str(value)]


def in_toml(value):
    return json.dumps(value)  # the same for texts, numbers, truth values and lists of texts


@pytest.fixture
def heard(tmp_path, monkeypatch):
    """What a command was called with: none of them does anything here, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    seen = []
    for command in COMMANDS.values():
        monkeypatch.setattr(command, "callback", lambda **values: seen.append(values))
    return seen


def with_what_is_needed(words, command, option):
    more = [] if words[-1] not in {"inspect", "merge", "convert"} else ["some.csv"]
    for other in command.params:
        if isinstance(other, click.Option) and other.required and other is not option:
            more += [f"--{flag_of(other)}", *sample(other)[1][:1]]
    return [*words, *more]


@pytest.mark.parametrize(("words", "option"), OPTIONS, ids=NAMES)
def test_a_key_does_what_its_flag_does(words, option, heard, tmp_path, capsys):
    value, given = sample(option)
    flag = f"--{flag_of(option)}"
    line = with_what_is_needed(words, COMMANDS[words], option)
    on_line = [word for one in given for word in (flag, one)] if given else [flag]
    assert run([*line, *on_line]) == 0, capsys.readouterr().err
    for key in {flag_of(option), flag_of(option).replace("-", "_")}:
        (tmp_path / "softtruth.toml").write_text(f"[{'.'.join(words)}]\n{key} = {in_toml(value)}\n")
        assert run(line) == 0, capsys.readouterr().err
        assert heard[-1] == heard[0]
    if not option.multiple:  # whoever gives the flag means it
        assert heard[0][option.name] != option.default or option.default is None


@pytest.mark.parametrize(("words", "option"), OPTIONS, ids=NAMES)
def test_the_environment_knows_the_flags(words, option, heard, monkeypatch, capsys):
    _, given = sample(option)
    if option.multiple:
        given = ["three"]
    flag = f"--{flag_of(option)}"
    line = with_what_is_needed(words, COMMANDS[words], option)
    assert run([*line, flag, *given]) == 0
    name = "_".join(["SOFTTRUTH", *words, flag_of(option)]).upper().replace("-", "_")
    monkeypatch.setenv(name, given[0] if given else "1")
    assert run(line) == 0, capsys.readouterr().err
    assert heard[1] == heard[0]


def test_the_line_wins_over_the_environment_which_wins_over_the_file(heard, tmp_path, monkeypatch):
    (tmp_path / "softtruth.toml").write_text('[report]\npositive = "file"\nmeasure = "macro f1"\n')
    assert run(["report"]) == 0
    monkeypatch.setenv("SOFTTRUTH_REPORT_POSITIVE", "environment")
    assert run(["report"]) == 0
    assert run(["report", "--positive", "line"]) == 0
    assert [values["positive"] for values in heard] == ["file", "environment", "line"]
    assert heard[0]["measures"] == ("macro f1",)


WRONG = {
    "a key that is none": (
        "[report]\nmeasur = 'f1'",
        "softtruth.toml has the unknown key 'measur' under [report]. Did you mean 'measure'?",
    ),
    "the name of a parameter": ("[report]\njson-path = 'x'", "has the unknown key 'json-path' under [report]."),
    "nothing near": ("[shift]\nzzz = 1", "Its keys are the flags of `softtruth shift --help`."),
    "a command that is none": (
        "[repot]\na = 1",
        "softtruth.toml has [repot], which is no command. Did you mean 'report'?",
    ),
    "a sign that cannot be seen": ('["a\\u001bb"]', r"softtruth.toml has [a\x1bb], which is no command."),
    "no command near": ("[x]\na = 1", "which is no command. The commands are 'audit'"),
    "a command of a command": (
        "[audit.plans]\nsize = 5",
        "has [audit.plans], which is no command. Did you mean 'plan'?",
    ),
    "outside of a table": ("measure = 'f1'", "softtruth.toml has 'measure' outside of a table."),
    "a key for a group": ("[audit]\nsize = 5", "softtruth.toml has 'audit.size' outside of a table."),
    "no number": (
        "[report]\nlevel = 95",
        "softtruth.toml gives 95 for 'level' under [report]; 95.0 is not in the range 0<x<1.",
    ),
    "half a number": (
        "[report]\ndraws = 2.5",
        "gives 2.5 for 'draws' under [report]; '2.5' is not a valid integer range.",
    ),
    "no choice": ("[report]\nties = 'half'", "'half' is not one of 'share', 'first', 'drop'."),
    "no truth value": ("[report]\nquiet = 1", "gives 1 for 'quiet' under [report]; expected true or false."),
    "a truth value": ("[report]\npositive = true", "gives True for 'positive' under [report]; expected one value."),
    "a list": ("[report]\nlevel = [0.9]", "gives [0.9] for 'level' under [report]; expected one value."),
    "a table": ("[report]\nlevel = {a = 1}", "expected one value."),
    "twice": ("[report]\nfail-on = 'low'\nfail_on = 'low'", "has 'fail_on' twice under [report], with - and with _."),
    "no TOML": ("[report", "softtruth.toml is not a TOML file"),
    "too deep": (f"a = {'[' * 3000}", "softtruth.toml holds lists or tables too deep in each other to be settings."),
    "too many digits": (f"[report]\nseed = {'1' * 5000}", "softtruth.toml is not a TOML file (Exceeds the limit"),
    "too many digits, of another base": (
        f"[report]\nseed = 0x{'f' * 4000}",
        "gives a number of thousands of digits for 'seed' under [report]; expected a shorter number.",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_in_the_file_is_named(name, heard, tmp_path, capsys):
    text, sentence = WRONG[name]
    (tmp_path / "softtruth.toml").write_text(text)
    assert run(["report"]) == 2
    assert sentence in " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert not heard


def test_a_file_that_is_named_has_to_be_there(heard, capsys):
    assert run(["--config", "none.toml", "report"]) == 2
    assert "none.toml does not exist." in capsys.readouterr().err


def test_the_mark_that_some_editors_put_first_is_no_setting(heard, tmp_path):
    (tmp_path / "softtruth.toml").write_text("[report]\nseed = 3\n", encoding="utf-8-sig")
    assert run(["report"]) == 0
    assert heard[0]["seed"] == 3


def test_the_file_may_be_named_in_the_environment(heard, tmp_path, monkeypatch):
    (tmp_path / "other.toml").write_text("[report]\nseed = 3\n")
    monkeypatch.setenv("SOFTTRUTH_CONFIG", str(tmp_path / "other.toml"))
    monkeypatch.chdir(os.sep)
    assert run(["report"]) == 0
    assert heard[0]["seed"] == 3


def test_the_file_of_the_documents_is_taken(heard, tmp_path):
    text = (Path(__file__).parents[2] / "docs" / "files.md").read_text(encoding="utf-8")
    (tmp_path / "softtruth.toml").write_text(text.partition("```toml\n")[2].partition("```")[0])
    assert run(["report"]) == 0
    assert heard[0]["labels"] == ("cat", "dog")
    assert heard[0]["rename"] == ("kitty=cat",)
    assert run(["audit", "plan"]) == 0
    assert heard[1]["size"] == 200
