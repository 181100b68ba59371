"""What a measure is: one line of formula, and the promises it makes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from softtruth._arrays import is_host, quiet
from softtruth.arguments import checked
from softtruth.errors import InputError, listed, shown
from softtruth.statistics.cells import Cells
from softtruth.traits import formula_of, infer

if TYPE_CHECKING:
    from collections.abc import Callable

    from softtruth._arrays import Array

_TRAITS = {"symmetric", "class_symmetric", "skew_invariant", "tn_at_zero"}
Coefficients = tuple[tuple[float, float, float, float], tuple[float, float, float, float]]


@dataclass(frozen=True)
class Measure:
    """A formula over a statistic, with the traits that other parts of the library rely on.

    Attributes
    ----------
    name : str
        The name that its users use.
    formula : callable
        From the statistic (and the parameters) to a value; it broadcasts over all axes but the last, and returns NaN
        where it is undefined.
    rung : {"cells", "classes", "table"}
        The lowest statistic that answers: cells of a class against the rest (the measure then goes under an
        operator), cells of all classes that exclude each other, or the K x K table.
    better : {"higher", "lower", "neither"}
    range : (float, float)
    joint : {"rises", "falls", "constant", "dips", "varies"}
        How the value moves with the shared mass at fixed margins; ``dips`` falls to zero at independence, then rises.
    symmetric : bool
        Unchanged when reference and prediction are exchanged.
    class_symmetric : bool
        Unchanged when the two classes are exchanged.
    skew_invariant : bool
        Unchanged when a class becomes more frequent at the same rates.
    tn_at_zero : bool
        At ``tp = 0`` the value still depends on ``tn``.
    linear : pair of four numbers, optional
        Coefficients of ``tp, fp, fn, tn`` in numerator and denominator, where the measure is such a ratio: then micro
        is the denominator-weighted macro.
    per_class : bool
        The formula gives one value per class, and the measure is their mean under the convention.
    folds : bool
        The formula averages over the classes itself, under the convention that it is given; it takes no operator.
    analytic : bool
        The formula accepts complex steps; where it does not, as a user's own may not, derivatives are differences.
    aliases : tuple of str
    parameters : tuple
        Numbers, which follow the name (``fbeta 3``), or a matrix, which no name can say.
    """

    name: str
    formula: Callable[..., Array] = field(repr=False)
    rung: str = "cells"
    better: str = "higher"
    range: tuple[float, float] = (0.0, 1.0)
    joint: str = "rises"
    symmetric: bool = False
    class_symmetric: bool = False
    skew_invariant: bool = False
    tn_at_zero: bool = False
    linear: Coefficients | None = None
    per_class: bool = False
    folds: bool = False
    analytic: bool = True
    aliases: tuple[str, ...] = ()
    parameters: tuple[Any, ...] = ()

    @property
    def takes_operator(self) -> bool:
        """Whether the measure is averaged over classes or examples by an operator."""
        return self.rung == "cells" and not self.folds

    @property
    def decomposable(self) -> bool:
        """Whether micro is the denominator-weighted macro."""
        return self.linear is not None

    def __post_init__(self) -> None:
        """Let ``help`` and the documentation show the declaration's own words."""
        object.__setattr__(self, "__doc__", self.formula.__doc__)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle a measure of the catalogue by its name: its formula has no name of its own to be found by."""
        from softtruth.measures.catalogue import measure_of

        try:
            known = measure_of(self.name)
        except InputError:
            known = None
        return (measure_of, (self.name,)) if known == self else super().__reduce_ex__(protocol)

    def __call__(self, statistic: Any, **how: Any) -> Array:
        """Return the value for every class (or of the whole table); NaN where undefined.

        ``how`` is the convention of a measure that averages by itself.
        """
        given = getattr(statistic, self.rung)
        if not is_host(given.masses):
            return self.formula(given, *self.parameters, **how)
        with quiet():
            return self.formula(given.scaled, *self.parameters, **how)

    def __str__(self) -> str:
        """Return the name, which ``parse`` reads back."""
        return self.name

    @classmethod
    @checked
    def from_formula(cls, name: str, formula: Callable[..., Any], **known: Any) -> Measure:
        """Return a measure of one's own, with traits that are found by trying the formula.

        Parameters
        ----------
        name : str
            As reports print it, and no name that ``parse`` knows. It is not entered in any list: pass the measure where
            a name goes.
        formula : callable
            ``f(tp, fp, fn, tn)``, best on arrays; one that knows plain numbers only is asked number by number.
        **known
            Traits that are known and not to be tried: ``better``, ``range``, ``joint``, ``linear``, ...

        Raises
        ------
        InputError
            If the formula is no function of four numbers, its value changes with the number of examples at the same
            shares (a count, or a constant added to one), a trait is not known, or the name is empty or that of another
            measure.

        Examples
        --------
        >>> own = Measure.from_formula("found_or_left", lambda tp, fp, fn, tn: (tp + tn) / (tp + fp + fn + tn))
        >>> own.better, own.symmetric, own.skew_invariant, own.linear
        ('higher', True, False, ((1.0, 0.0, 0.0, 1.0), (1.0, 1.0, 1.0, 1.0)))
        """
        _insist_on_own(name)
        wrapped = formula_of(formula, name)
        traits = infer(wrapped)
        unknown = known.keys() - traits.keys()
        if unknown:
            msg = f"trait {shown(unknown.pop())} is not known; expected one of {listed(traits)}."
            raise InputError(msg)
        return cls(name=name, formula=wrapped, analytic=False, **traits | known)

    @checked
    def bayes_threshold(self, optimum: float | None = None) -> float | None:
        """Above which probability should the positive class be predicted, to make this measure best?

        For a ratio of linear forms whose denominator no prediction moves it is a number of the measure's own, such as
        1/2 for accuracy. Otherwise it depends on the best value that can be had: for F beta it is that value over
        ``1 + beta^2`` (Lipton, Elkan & Naryanaswamy 2014, doi:10.1007/978-3-662-44851-9_15).

        Parameters
        ----------
        optimum : float, optional
            The best value that can be had.

        Returns
        -------
        float or None
            None for measures that are no such ratio, and where the optimum is needed and not given.

        Examples
        --------
        >>> from softtruth import parse
        >>> parse("label_accuracy").measure.bayes_threshold(), parse("recall").measure.bayes_threshold()
        (0.5, 0.0)
        >>> parse("f1").measure.bayes_threshold(optimum=0.8)
        0.4
        """
        if self.linear is None:
            return None
        above, below = self.linear
        fixed = below[0] == below[2] and below[1] == below[3]
        if optimum is None and not fixed:
            return None
        m = 0.0 if fixed or optimum is None else optimum
        tp, fp, fn, tn = (a - m * b for a, b in zip(above, below, strict=True))
        gain = (tp - fn) + (tn - fp)  # of being right over being wrong, for both classes
        return None if gain == 0 else (tn - fp) / gain

    @checked
    def attainable_floor(self, n_classes: int) -> float:
        """Which value does a prediction get that is wrong for every example of one-hot data, all classes pooled?

        Every wrong example still is a true negative for ``n_classes - 2`` classes. A measure that sees true negatives
        then cannot come near the end of its range: ``label_accuracy`` of 10 classes cannot fall below 0.8.

        Raises
        ------
        InputError
            If there are fewer than 2 classes, or the measure belongs to the whole table.

        Examples
        --------
        >>> from softtruth import parse
        >>> parse("label_accuracy").measure.attainable_floor(10), parse("f1").measure.attainable_floor(10)
        (0.8, 0.0)
        """
        if not self.takes_operator or n_classes < 2:
            msg = f"the floor of {self.name} for {shown(n_classes)} classes: expected a measure of cells and 2 or more."
            raise InputError(msg)
        return float(self(Cells.of(0, 1, 1, n_classes - 2))[0])

    @checked
    def named(self, name: str, *aliases: str) -> Measure:
        """Return the same measure under another name.

        Raises
        ------
        InputError
            If a name is empty or that of another measure.
        """
        for each in (name, *aliases):
            _insist_on_own(each, self)
        return replace(self, name=name, aliases=aliases)


def _insist_on_own(name: str, owner: Measure | None = None) -> None:
    """Refuse a name under which a report would show one measure as another."""
    from softtruth.measures.catalogue import parse

    if not name.strip():
        msg = "the name of a measure is empty; expected the one that reports shall print."
        raise InputError(msg)
    try:
        known = parse(name)
    except InputError:
        return
    if getattr(known, "measure", known) != owner:
        msg = f"the name {shown(name)} is that of {known}; choose another for a measure of your own."
        raise InputError(msg)


def measure(
    *,
    rung: str = "cells",
    better: str = "higher",
    range: tuple[float, float] = (0.0, 1.0),  # noqa: A002  the trait's name everywhere
    joint: str = "rises",
    traits: str = "",
    linear: tuple[str, str] | Coefficients | None = None,
    per_class: bool = False,
    folds: bool = False,
    aliases: tuple[str, ...] = (),
) -> Callable[[Callable[..., Array]], Measure]:
    """Declare a measure: the decorated function is the formula, its docstring the documentation.

    Parameters
    ----------
    traits : str
        Words out of ``symmetric``, ``class_symmetric``, ``skew_invariant``, ``tn_at_zero``.
    linear : pair
        Coefficients of tp, fp, fn, tn as digits (``("1000", "1010")``) or numbers.
    """
    words = set(traits.split())
    unknown = words - _TRAITS
    if unknown:
        msg = f"trait {shown(unknown.pop())} is not known."
        raise InputError(msg)
    coefficients: Any = None if linear is None else tuple(tuple(float(x) for x in side) for side in linear)

    def declare(formula: Callable[..., Array]) -> Measure:
        return Measure(
            name=formula.__name__.rstrip("_"),
            formula=formula,
            rung=rung,
            better=better,
            range=range,
            joint=joint,
            linear=coefficients,
            per_class=per_class,
            folds=folds,
            aliases=aliases,
            symmetric="symmetric" in words,
            class_symmetric="class_symmetric" in words,
            skew_invariant="skew_invariant" in words,
            tn_at_zero="tn_at_zero" in words,
        )

    return declare
