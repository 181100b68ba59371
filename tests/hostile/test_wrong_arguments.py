"""Every argument of every public function, given something else: one sentence of ours, or an answer."""

import ast
import inspect
import warnings
from contextlib import chdir
from pathlib import Path

import numpy as np
import pytest

import softtruth
from hostile import doors
from softtruth import InputError, SofttruthError
from softtruth.arguments import _PLAIN, Seed, checked, kind_of
from softtruth.measures import macro

PUBLIC = doors.public_things()


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    """Return a call of every function that the documentation shows; some of them write files."""
    with chdir(tmp_path_factory.mktemp("documented")):
        yield doors.documented_calls()


def is_refused_or_answered(function, args, kwargs):
    """Assert that wrong values of each argument are answered, or refused in one sentence."""
    signature = inspect.signature(function)
    for parameter in signature.parameters.values():
        if parameter.kind in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD} or parameter.name.startswith("_"):
            continue
        for what in doors.wrong_values():
            bound = signature.bind(*args, **kwargs)
            bound.arguments[parameter.name] = doors.wrong_values()[what]
            where = f"{function.__module__}.{function.__qualname__}({parameter.name} = {what})"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what a value means is not the question here
                try:
                    function(*bound.args, **bound.kwargs)
                except SofttruthError as error:
                    sentence = str(error)
                    assert sentence, where
                    assert "\n" not in sentence, (where, sentence)
                except Exception as error:  # noqa: BLE001  # all but ours are findings
                    pytest.fail(f"{where}: {type(error).__name__}: {error}")


@pytest.mark.parametrize(
    "package", sorted({name.split(".")[1] for name in PUBLIC} - {"conventions"})
)  # has no function
def test_a_wrong_argument_is_refused_in_one_sentence_or_answered(calls, package):
    shown = [call for name, call in calls.items() if name in PUBLIC and name.split(".")[1] == package]
    assert shown
    for call in shown:
        is_refused_or_answered(*call)


def test_most_of_what_is_public_is_shown_in_use(calls):
    """What no example calls is not tried above."""
    assert len(PUBLIC.keys() & calls.keys()) > 100


@pytest.mark.parametrize(
    ("annotation", "fit", "unfit", "words"),
    [
        ("float", [1, 0.5, np.float32(1), float("nan")], [True, "1", None, 1j, 10**30, np.ones(1)], "a number"),
        ("int", [1, np.int8(1)], [1.0, True, 10**30, "1"], "a whole number"),
        ("Seed", [0, 3], [-1, 1.5], "a whole number of at least 0"),
        ("str", ["x"], [b"x", 1, None], "text"),
        ("bool", [True, np.True_], [1, None], "True or False"),
        ("Callable[[int], str] | None", [len, None], [1], "a function or None"),
        ("ArrayLike", [[1, 2], 3, np.ones(2), [[1.0]]], ["x", None, {1}, [[1], [1, 2]], np.array([1j])], "numbers"),
        ("NDArray[np.float64]", [np.ma.masked_array([1.0])], [np.ma.masked_array([1.0], [True])], "numbers"),
        ("Sequence[str]", [["a"], ("a",), []], ["a", [1], {"a"}, (x for x in "a"), {"a": 1}], "a list of text"),
        ("Iterable[str]", [["a"], {"a"}, (x for x in "a")], ["a", 1, [1]], "a list of text"),
        ("Iterable[str | Measure] | str", ["a", ["a"]], [1], "a list of text or a Measure or text"),
        ("Mapping[str, int]", [{"a": 1}, {}], [{"a": "b"}, []], "a dict of a whole number"),
        ("tuple[float, float]", [(1, 2), [1.0, 2.0]], [(1,), (1, "x"), 1], "2 values"),
        ("str | PathLike[str] | None", ["a", None], [1], "text, a path or None"),
        ("Interval", [], [1], "an Interval"),
    ],
)
def test_an_annotation_says_what_fits(annotation, fit, unfit, words):
    fits, said, _ = kind_of(annotation)
    assert said == words
    assert [x for x in fit if not fits(x)] == []
    assert [x for x in unfit if fits(x)] == []


def test_anything_may_come_where_nothing_is_said():
    assert kind_of("Any") is None
    assert kind_of("str | Any") is None


def test_the_door_names_the_argument_and_lets_the_rest_pass():
    @checked
    def shout(text: "str", times: "int" = 1, *more: "str", seed: "Seed" = 0):
        return text.upper() * times + "".join(more) + str(seed)

    assert shout("a", 2, "b", seed=1) == "AAb1"
    for call, words in (
        (lambda: shout(3), "text is 3, expected text."),
        (lambda: shout("a", times="b"), "times is 'b', expected a whole number."),
        (lambda: shout("a", seed=-1), "seed is -1, expected a whole number of at least 0."),
        (
            lambda: shout("a", seed=2**63),
            f"seed is {2**63}, expected a whole number of at least 0; the largest whole number is {2**63 - 1}.",
        ),
    ):
        with pytest.raises(InputError) as caught:
            call()
        assert str(caught.value) == words
    with pytest.raises(TypeError, match="unexpected keyword argument 'volume'"):
        shout("a", volume=3)
    assert inspect.signature(shout).parameters["times"].default == 1


def _annotations(function: ast.FunctionDef):
    """Return the names in the annotations of a function that are tested at its door."""
    left = [a.annotation for a in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
    while left:
        match left.pop():
            case ast.BinOp(left=one, right=other):
                left += [one, other]
            case ast.Subscript(value=head, slice=inner):
                left.append(head)
                if ast.unparse(head) in {"Iterable", "Sequence", "Mapping", "tuple"}:
                    left += inner.elts if isinstance(inner, ast.Tuple) else [inner]
            case None:  # self
                pass
            case name:
                yield ast.unparse(name)


def test_every_annotation_at_a_door_names_a_kind_or_a_class():
    """What else stood there, such as another name for a union, would refuse everything."""
    trees = [ast.parse(path.read_text("utf-8")) for path in Path(softtruth.__file__).parent.rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    classes = {node.name for node in nodes if isinstance(node, ast.ClassDef)}
    known = classes | {
        *_PLAIN,
        "Any",
        "Array",
        "Iterable",
        "Sequence",
        "Mapping",
        "tuple",
        "np.random.Generator",
        "slice",
    }
    doors_found = [
        node
        for node in nodes
        if isinstance(node, ast.FunctionDef) and "checked" in {ast.unparse(d) for d in node.decorator_list}
    ]
    assert len(doors_found) > 100
    unknown = {(door.name, name) for door in doors_found for name in _annotations(door) if name not in known}
    assert not unknown


@pytest.mark.parametrize(
    "name",
    [n for n, f in PUBLIC.items() if inspect.isroutine(f) and "operator" in inspect.signature(f).parameters],
)
def test_an_operator_may_come_by_name_or_as_itself(name):
    annotation = inspect.signature(PUBLIC[name]).parameters["operator"].annotation
    fits = kind_of(annotation)[0]
    assert fits("macro")
    assert fits(macro)
