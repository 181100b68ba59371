"""The public face of one problem: a reference and a prediction, ready for any question."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from softtruth._cached import cached_property
from softtruth._version import __version__
from softtruth.arguments import Seed, checked
from softtruth.conventions import average, convention_of
from softtruth.errors import InputError, NotAnswerableError, listed, shown
from softtruth.inputs.arrays import in_range
from softtruth.inputs.labels import checked_labels, plain
from softtruth.inputs.masks import as_list
from softtruth.inputs.pairs import Pair, read_pair
from softtruth.measures.catalogue import operator_of_parts, parse
from softtruth.measures.measure import Measure
from softtruth.measures.operators import Averaged, Operator, evaluate, exemplar, operator_of, parts_of
from softtruth.statistics.cells import Cells
from softtruth.statistics.coupled_sums import UnverifiedError
from softtruth.statistics.coupling import HARDENED, Coupling, coupling_of
from softtruth.statistics.examples import Examples
from softtruth.statistics.moments import Moments
from softtruth.statistics.table import Table
from softtruth.uncertainty.bootstrap import bootstrap_interval
from softtruth.uncertainty.dependence import dependence_bounds
from softtruth.uncertainty.dependence_curve import dependence_curve
from softtruth.uncertainty.influence import influence_interval
from softtruth.uncertainty.interval import checked_level
from softtruth.uncertainty.keyed import Draws
from softtruth.uncertainty.pulls import example_means, example_values
from softtruth.uncertainty.resampling import resample
from softtruth.uncertainty.truth_draws import truth_distribution
from softtruth.uncertainty.whole_rows import rows_right, whole_rows_interval

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray

    from softtruth.report import Finding, Report
    from softtruth.statistics.cells import Counts
    from softtruth.statistics.means import Means
    from softtruth.uncertainty.distribution import Distribution
    from softtruth.uncertainty.interval import Interval


class IndicatorMatrix:
    """How good is this prediction against this reference?

    Reference and prediction are put into indicator form, checked once, and answer any measure under any operator.
    Either side may be soft. Arrays are read when they are needed and not copied: leave them as they are while you ask.
    Without ``tnorm`` or ``coupling`` the prediction is hardened: above ``threshold`` (binary,
    multilabel), or the top class, ties to the first (multiclass). The reference is never hardened.

    Parameters
    ----------
    reference : array-like, shape (N,), (N, 1), (N, m) or (N, K)
        Class indices or names, one-hot rows, label distributions, annotators' shares, or counts of votes. Whole numbers
        are indices from 0: give ``labels`` where they are codes. Columns of two frames meet by their names.
    prediction : array-like, the same shapes
        Labels, probabilities, scores or logits. With more axes (images and the like; classes last) those between the
        first and the classes are pooled into the example.
    task : {"binary", "multiclass", "multilabel", "ordinal"}, optional
        Inferred where one array says it beyond doubt; ordinal (grades in their order, told apart by the thresholds
        between them) never is.
    threshold : float
        A binary or multilabel prediction is positive above it. Of two scores in a row the higher one wins.
    reference_kind : {"auto", "labels", "distribution", "votes"}
        ``auto`` never takes counts for votes.
    prediction_kind : {"auto", "labels", "probabilities", "scores", "logits"}
        ``auto`` never takes numbers for logits.
    tnorm : str or callable, optional
        Soft calculation with one t-norm in all four cells: ``product``, ``godel``, ``lukasiewicz``, or any T(a, b).
    coupling : {"independent", "most", "least"} or t-norm, optional
        Soft calculation that keeps both margins: the joint mass is an assumption, the other cells follow.
    rho : float, optional
        A coupling between ``least`` (-1), ``independent`` (0) and ``most`` (1): the joint mass is mixed.
    mask : array-like of bool, shape (N,) or for multilabel data (N, m), optional
        True where an example, or an entry, counts.
    ignore : value or list of values, optional
        Reference values to leave out; one that is a class leaves the averages too.
    subset : list of class names or indices, optional
        The classes that take part in averages.
    sample_weight : array-like, shape (N,), optional
        Weights of at least 0. Weight 2 has the value of an example seen twice; intervals know the difference.
    n_classes : int, optional
        Declares classes that may not occur.
    labels : list, optional
        Class names in their order; for binary data negative, then positive.
    clusters : array-like, shape (N,) or (N, 2), or a pair of (N,), optional
        Which examples belong together; intervals are then between clusters. Two clusterings may cross, such as items
        and annotators.

    Raises
    ------
    InputError
        A ``ValueError`` that names row, value, expectation and remedy in one sentence.

    Examples
    --------
    >>> im = IndicatorMatrix([0.8, 0.3, 1.0, 0.0], [0.6, 0.5, 0.25, 0.9], task="binary", tnorm="product")
    >>> round(im.compute("f1"), 4)
    0.4046
    >>> print(IndicatorMatrix([0, 1, 2, 2, 1, 0], [0, 2, 2, 1, 1, 1]).interval("f1", "macro"))
    0.522 [0.190, 0.836] sampling 95%

    See Also
    --------
    softtruth.evaluate : the report over many measures at once.
    """

    def __init__(
        self,
        reference: Any,
        prediction: Any,
        task: str | None = None,
        *,
        threshold: float = 0.5,
        reference_kind: str = "auto",
        prediction_kind: str = "auto",
        tnorm: Any = None,
        coupling: Any = None,
        rho: Any = None,
        mask: Any = None,
        ignore: Any = None,
        subset: Any = None,
        sample_weight: Any = None,
        n_classes: int | None = None,
        labels: Any = None,
        clusters: Any = None,
    ) -> None:
        """Check both sides and count them."""
        joint = coupling_of(tnorm, coupling, rho)
        pair = read_pair(
            reference,
            prediction,
            task=task,
            threshold=threshold,
            reference_kind=reference_kind,
            prediction_kind=prediction_kind,
            soft=joint is not HARDENED,
            mask=mask,
            ignore=ignore,
            sample_weight=sample_weight,
            n_classes=n_classes,
            labels=labels,
            clusters=clusters,
        )
        examples = _examples(pair, joint)
        if pair.unverified:
            try:
                examples.count(in_range)
            except UnverifiedError:
                pair = pair.verified()
                examples = _examples(pair, joint)
        self._set(examples, pair.labels, _columns(subset, pair), pair=pair, threshold=threshold)
        self._alphabetical = not pair.ranked and pair.reference.ndim == 1 and isinstance(pair.labels[-1], str)

    def _set(
        self,
        statistic: Examples | Table | Cells,
        labels: tuple[Any, ...],
        columns: Any,
        *,
        pair: Pair | None = None,
        moments: Moments | None = None,
        threshold: float | None = None,
    ) -> None:
        self.statistic = statistic
        self.task: str = statistic.task
        self.labels = labels
        self._taking_part = columns
        self._pair = pair
        self._moments = moments
        self.threshold = threshold
        self._replicates: tuple[Draws, Table | Cells] | None = None
        self._alphabetical = False

    @classmethod
    @checked
    def of(
        cls,
        statistic: Examples | Table | Cells,
        *,
        labels: Any = None,
        subset: Any = None,
        moments: Moments | None = None,
    ) -> IndicatorMatrix:
        """Return the problem of a finished statistic: a table, four counts, or what a stream added up.

        Parameters
        ----------
        statistic : Table, Cells or Examples
        labels : list, optional
            Class names in their order.
        subset : list, optional
            The classes that take part in averages.
        moments : Moments, optional
            Second moments of the example cells, for intervals of soft or weighted streams.

        Examples
        --------
        >>> from softtruth import Table
        >>> IndicatorMatrix.of(Table.of([[8, 2], [1, 9]], task="binary")).compute("recall")
        0.9
        """
        if not isinstance(statistic, (Examples, Table, Cells)):
            msg = f"statistic is {shown(statistic)}, expected a Table, Cells or Examples."
            raise InputError(msg)
        k = 2 if statistic.task == "binary" else statistic.n_classes
        if statistic.task == "ordinal" and isinstance(statistic, Cells):
            k += 1  # thresholds lie between grades
        names = tuple(range(k)) if labels is None else checked_labels(labels)
        if len(names) != k:
            msg = f"labels name {len(names)} classes but the statistic has {k}."
            raise InputError(msg)
        self = cls.__new__(cls)
        self._set(statistic, names, _columns_of(subset, names, (), statistic.task), moments=moments)
        return self

    # --- what was understood ------------------------------------------------------------------------------------

    @property
    def n_classes(self) -> int:
        """The number of columns: 1 for binary data."""
        return self.statistic.n_classes

    @property
    def column_labels(self) -> tuple[Any, ...]:
        """The names of the columns that averages are taken over: classes, labels, or the thresholds between grades."""
        if self.task == "ordinal":
            return tuple(f"above {grade}" for grade in self.labels[:-1])
        return self.labels[1:] if self.task == "binary" else self.labels

    @property
    def n(self) -> int:
        """The number of examples that count."""
        return self.examples.n

    @property
    def examples(self) -> Examples:
        """The examples.

        Raises
        ------
        NotAnswerableError
            If only sums over them are kept.
        """
        if not isinstance(self.statistic, Examples):
            msg = (
                "the examples are not kept, only sums over them; build the IndicatorMatrix from reference and "
                "prediction."
            )
            raise NotAnswerableError(msg)
        return self.statistic

    @property
    def taking_part(self) -> NDArray[Any] | None:
        """The columns that take part in averages; None for all."""
        return self._taking_part

    @property
    def coupling(self) -> str:
        """How reference and prediction are put together: hardened, independent, most, least, raw godel, ..."""
        kept = self.statistic.coupling
        return kept if isinstance(kept, str) else kept.name

    @property
    def left_out(self) -> dict[str, int]:
        """How many rows (entries, for multilabel data) do not count, by reason; tied predictions stand beside them."""
        pair = self._pair
        if pair is None:
            return {}
        found = {"masked": pair.masked, "ignored": pair.ignored, "without votes": pair.without_votes}
        return {reason: count for reason, count in found.items() if count}

    @property
    def tied_predictions(self) -> int:
        """How many rows had more than one top class and went to the first of them."""
        return 0 if self._pair is None else self._pair.tied

    # --- statistics ---------------------------------------------------------------------------------------------

    @property
    def cells(self) -> Cells:
        """The four masses of every class: they add over disjoint data."""
        return self.statistic.cells

    @property
    def table(self) -> Table:
        """The K x K masses, rows the reference: they add over disjoint data."""
        return self.statistic.table

    @cached_property
    def moments(self) -> Moments:
        """Second moments of the example cells: they add, and give intervals to sums."""
        if self._moments is not None:
            return self._moments
        whole = Moments.zero(self.cells.n_classes)
        weight = self.examples.weight
        for part, cells in self.examples.entries():
            whole += Moments.of(cells, None if weight is None else weight[part])
        return whole

    @checked
    def moments_of(self, k: int) -> Moments | None:
        """Return the second moments of one class, where only sums are kept."""
        return None if self._moments is None else self._moments.of_class(k)

    @checked
    def means(self, measure: str | Measure) -> Means:
        """Return the mean of a measure over the examples, as a statistic that adds."""
        question = self._question(measure, exemplar)
        assert isinstance(question, Averaged)  # noqa: S101  an operator always gives one
        return example_means(question.measure, self.examples, self._taking_part)

    # --- questions ----------------------------------------------------------------------------------------------

    @checked
    def compute(
        self, measure: str | Measure | Averaged, operator: str | Operator = "micro", convention: str = "exclude"
    ) -> float:
        """What is the value of this measure under this operator?

        Parameters
        ----------
        measure : str or Measure
            A name ("f1", "fbeta 2", "accuracy"), a name with its operator ("macro f1"), or a measure. Of all classes
            at once ask for "r_k" and "cohen_kappa": "mcc" and "kappa" are measures of four cells.
        operator : {"micro", "macro", "weighted", "exemplar"}
            micro pools the cells of all classes, macro averages over classes, weighted does so with the classes'
            reference masses, exemplar averages over examples. Measures of the whole table take none.
        convention : {"exclude", "zero", "one", "nan"}
            What becomes of undefined (0/0) parts.

        Returns
        -------
        float
            NaN where undefined.
        """
        question = self._question(measure, operator)
        if isinstance(question, Averaged) and question.operator is exemplar and isinstance(self.statistic, Examples):
            return self.means(question.measure).value(convention_of(convention))
        return float(evaluate(question, self.statistic, convention, self._taking_part))

    @checked
    def interval(
        self,
        measure: str | Measure | Averaged,
        operator: str | Operator = "micro",
        *,
        convention: str = "exclude",
        level: float = 0.95,
        method: str = "influence",
        draws: int = 2000,
        seed: Seed = 0,
    ) -> Interval:
        """How sure is this value, over other samples of examples like these?

        By linearisation: the sum of the squared influences of the examples, between clusters where ``clusters`` were
        given; Wilson's interval for a plain proportion of hard counts. Or from replicates of the sample.

        Parameters
        ----------
        measure, operator, convention
            As in ``compute``: "mcc" of several classes is micro, and "r_k" is of all classes at once.
        level : float
            The nominal coverage.
        method : {"influence", "percentile", "bca"}
            Linearisation, or a bootstrap: its quantiles, or those corrected for bias and skewness.
        draws, seed : int
            How many replicates a bootstrap makes, and from which seed.

        Returns
        -------
        Interval
            With ``value``, ``low``, ``high``, ``level``, ``source``, ``method``, ``standard_error`` and, where there
            is no interval, ``note``.
        """
        question = self._question(measure, operator)
        if method == "influence":
            return influence_interval(
                question,
                self.statistic,
                convention=convention,
                columns=self._taking_part,
                level=level,
                moments=self._moments,
            )
        plan = Draws(draws, seed)
        return bootstrap_interval(
            question,
            self.statistic,
            convention=convention,
            columns=self._taking_part,
            level=level,
            method=method,
            draws=plan,
            resampled=lambda: self.replicates(draws, seed),
        )

    @checked
    def replicates(self, draws: int = 2000, seed: Seed = 0) -> Table | Cells:
        """What would the counts have been in other samples? See ``softtruth.resample``.

        The last ones are kept, so that many questions are put to one resampling.

        Parameters
        ----------
        draws, seed : int
            How many, and from which seed.
        """
        plan = Draws(draws, seed)
        if self._replicates is None or self._replicates[0] != plan:
            self._replicates = plan, resample(self.statistic, draws, seed)
        return self._replicates[1]

    @checked
    def bounds(
        self,
        measure: str | Measure | Averaged,
        operator: str | Operator = "micro",
        *,
        convention: str = "exclude",
        level: float | None = None,
    ) -> Interval:
        """Between which values can the measure lie, whatever the dependence between reference and prediction?

        Sharp for measures that move one way with the mass that both share, marked ``approximate`` for the others. It is
        about the value that ``compute`` gives: with a crisp or hardened side its width is zero, and the note says so.
        See ``softtruth.uncertainty.dependence``.

        Parameters
        ----------
        measure, operator, convention
            As in ``compute``.
        level : float, optional
            Ask for Imbens and Manski's sampling interval of a value in the range, instead of the range itself.

        Raises
        ------
        NotAnswerableError
            For raw cells (``tnorm=``), for sums over soft data, and for measures whose range is not known.

        Examples
        --------
        >>> im = IndicatorMatrix([0.8, 0.3, 0.6, 0.1], [0.6, 0.5, 0.9, 0.4], task="binary", coupling="independent")
        >>> im.bounds("f1").method, round(im.bounds("f1").low, 4), round(im.bounds("f1").high, 4)
        ('sharp', 0.4286, 0.7619)
        """
        return dependence_bounds(
            self._question(measure, operator),
            self.statistic,
            convention=convention,
            columns=self._taking_part,
            level=level,
        )

    @checked
    def dependence_curve(
        self,
        measure: str | Measure | Averaged,
        rhos: Any = None,
        operator: str | Operator = "micro",
        *,
        convention: str = "exclude",
    ) -> NDArray[np.float64]:
        """What is the value at each degree of dependence, from -1 (least shared mass) over 0 (independence) to 1?

        Parameters
        ----------
        measure, operator, convention
            As in ``compute``.
        rhos : array-like, optional
            Degrees of dependence; 21 of them from -1 to 1 by default.
        """
        rhos = np.linspace(-1, 1, 21) if rhos is None else rhos
        return dependence_curve(
            self._question(measure, operator),
            self.statistic,
            rhos,
            convention=convention,
            columns=self._taking_part,
        )

    @checked
    def distribution(
        self,
        measure: str | Measure | Averaged,
        operator: str | Operator = "micro",
        *,
        convention: str = "exclude",
        draws: int = 2000,
        seed: Seed = 0,
    ) -> Distribution:
        """How would the value vary if each label were drawn from its soft label?

        Exact where the law of the value is at hand, drawn elsewhere: ``method`` says which. See
        ``softtruth.uncertainty.truth_draws``.

        Parameters
        ----------
        measure, operator, convention
            As in ``compute``.
        draws, seed : int
            How many truths are drawn, and from which seed, where the law is not at hand.

        Returns
        -------
        Distribution
            With ``mean``, ``sd``, ``quantile``, ``p_undefined``, ``interval`` and the error of the mean.

        Raises
        ------
        NotAnswerableError
            For raw cells (``tnorm=``) and for sums.

        Examples
        --------
        >>> im = IndicatorMatrix([0.5, 0.25, 0.75], [1, 0, 1], task="binary")
        >>> im.distribution("f1").mean  # 107/160; the measure of expected counts is 0.7143
        0.66875
        """
        return truth_distribution(
            self._question(measure, operator),
            self.statistic,
            Draws(draws, seed),
            convention=convention,
            columns=self._taking_part,
        )

    def accuracy(self) -> float:
        """Which share of the examples gets its class right? See the measure ``accuracy``."""
        return self.compute("accuracy")

    @checked
    def subset_accuracy(self, convention: str = "exclude") -> float:
        """Which share of the rows is right in full?

        For classes that exclude each other this is ``accuracy``; for multilabel data every visible entry of the row
        must agree. Undefined rows (nothing visible) follow the convention.

        Raises
        ------
        NotAnswerableError
            For soft multilabel data: whether a whole row is right depends on how its labels hang together.
        """
        if self.task != "multilabel":
            return self.compute("accuracy", convention=convention)
        examples = self.examples
        if not examples.hard:
            msg = (
                "subset_accuracy of soft multilabel data depends on how the labels of a row hang together, which is "
                "not known; use label_accuracy."
            )
            raise NotAnswerableError(msg)
        right = rows_right(examples, self._taking_part)
        return float(average(right, examples.example_weight, convention_of(convention)))

    @checked
    def subset_interval(self, convention: str = "exclude", *, level: float = 0.95) -> Interval:
        """How sure is the share of rows that are right in full? See ``subset_accuracy``.

        Parameters
        ----------
        convention, level
            As in ``interval``.
        """
        self.subset_accuracy(convention)  # refuses soft multilabel data, and says why
        if self.task != "multilabel":
            return self.interval("accuracy", convention=convention, level=level)
        settled = convention_of(convention)
        return whole_rows_interval(self.examples, self._taking_part, settled, checked_level(level))

    @property
    def counts(self) -> Counts:
        """The four masses, pooled over the classes that take part: what ``micro`` is computed from."""
        return self.cells.subset(self._taking_part).counts

    def per_class(self) -> NDArray[np.float64]:
        """Return the masses tp, fp, fn, tn of every class, shape (K, 4)."""
        return np.asarray(self.cells.masses).T

    def per_example(self) -> NDArray[np.float64]:
        """Return the masses tp, fp, fn, tn of every given row, shape (N, 4); NaN for rows that were left out."""
        examples = self.examples
        found = np.empty((examples.n, 4))
        for part, cells in examples.rows(self._taking_part):
            found[part] = cells.T
        return self._at_given_rows(found)

    @checked
    def parts(self, measure: str | Measure | Averaged, operator: str | Operator | None = None) -> NDArray[np.float64]:
        """Return the values that ``compute`` averages: per class (macro, weighted), per given row, or one (micro).

        Per class, unless the measure or ``operator`` names another operator. A measure of the whole table is one part.
        """
        question = self._question(measure, operator_of_parts(measure, operator))
        if isinstance(question, Averaged) and question.operator is exemplar:
            return self._at_given_rows(example_values(question.measure, self.examples, self._taking_part))
        return np.asarray(parts_of(question, self.statistic, self._taking_part)[0])

    def _at_given_rows(self, found: NDArray[np.float64]) -> NDArray[np.float64]:
        places = None if self._pair is None else self._pair.places
        if self._pair is None or places is None:
            return found
        whole = np.full((self._pair.n, *found.shape[1:]), np.nan)
        whole[places] = found
        return whole

    def _question(self, measure: Any, operator: str | Operator) -> Averaged | Measure:
        operator = operator_of(operator)
        question = parse(measure, operator.name)
        by_order = isinstance(question, Measure) and question.rung == "table" and not question.class_symmetric
        if by_order and self._alphabetical:
            msg = (
                f"{question} takes the classes in an order, and the names {listed(self.labels)} have none of their "
                "own; pass labels= in the order of the grades."
            )
            raise InputError(msg)
        return question

    @checked
    def diagnose(
        self,
        measures: Iterable[str | Measure | Averaged] | str | None = None,
        operators: Iterable[str | Operator] | str | None = None,
        *,
        warn: bool = False,
    ) -> list[Finding]:
        """Do these measures mean here what they are taken to mean?

        Looks for measures that cannot come near the end of their range, several names for one number, pooled values
        outside those of the classes, undefined parts and what is made of them, a suite that is best for a constant
        prediction or repeats itself, values that drift with the class frequencies, classes with few items, and near
        constant predictions.

        Parameters
        ----------
        measures, operators
            What is asked, as in ``report``.
        warn : bool
            Raise every finding of severity ``warning`` as a ``softtruth.report.FindingWarning``, so that a test suite
            fails on it.

        Examples
        --------
        >>> found = IndicatorMatrix([0, 1, 2] * 20, [0, 2, 2] * 20).diagnose("label_accuracy", "micro")
        >>> [finding.code for finding in found]
        ['inflated_floor']
        """
        from softtruth.report.diagnoses import diagnose

        return diagnose(self, measures, operators, warn=warn)

    @checked
    def cost(self, matrix: ArrayLike, operator: str | Operator = "micro", *, normalize: bool = False) -> float:
        """What do the errors cost?

        Parameters
        ----------
        matrix : array-like, shape (K, K)
            Rows are the reference, columns the prediction. For soft data the answer is the expected cost.
        operator : {"micro", "macro", "exemplar"}
            The sum over examples, its mean over predicted classes, its mean over examples.
        normalize : bool
            Divide micro and macro by the total weight: with ``|k - l|`` micro is the mean absolute error.
            ``measures.mean_cost`` is the same as a measure, with an interval.
        """
        from softtruth.structure.cost import total_cost

        return total_cost(self.statistic, matrix, operator, normalize=normalize)

    @checked
    def report(
        self,
        measures: Iterable[str | Measure | Averaged] | str | None = None,
        operators: Iterable[str | Operator] | str | None = None,
        *,
        convention: str = "exclude",
        level: float = 0.95,
        interval: str = "influence",
        draws: int = 2000,
        seed: Seed = 0,
        max_classes: int = 50,
    ) -> Report:
        """What do many measures say at once, each with its interval?

        Parameters
        ----------
        measures : list of str or Measure, optional
            A name alone ("f1") is asked under every operator, "macro f1" under its own. By default a short list for
            the task.
        operators : list of str, optional
            By default micro, macro, weighted and exemplar; micro for binary data, where the first three are the same.
        convention, level, draws, seed
            As in ``interval``.
        interval : {"influence", "percentile", "bca"}
            Its ``method``.
        max_classes : int
            How many classes get rows of their own; the most frequent ones, if there are more.

        Returns
        -------
        Report
            It prints itself; ``to_frame``, ``to_dict``, ``to_json`` and ``to_html`` give the same numbers.

        Examples
        --------
        >>> report = IndicatorMatrix([0, 1, 2, 2, 1, 0], [0, 2, 2, 1, 1, 1]).report(["accuracy", "macro f1"])
        >>> [f"{row.question} {row.interval.value:.3f}" for row in report.rows if row.label is None]
        ['accuracy 0.500', 'macro f1 0.522']
        """
        from softtruth.report.one_view import report_of

        return report_of(
            self,
            measures,
            operators,
            convention=convention,
            level=level,
            interval=interval,
            draws=draws,
            seed=seed,
            max_classes=max_classes,
        )

    # --- words --------------------------------------------------------------------------------------------------

    @checked
    def signature(
        self, measure: str | Measure | Averaged, operator: str | Operator = "micro", convention: str = "exclude"
    ) -> str:
        """Return the settings that make a number, in one line."""
        n = (
            f"n={self.n}"
            if isinstance(self.statistic, Examples)
            else f"mass={float(np.sum(self.cells.masses[..., 0])):g}"
        )
        question = self._question(measure, operator)
        words = [str(question), f"task={self.task}", n, f"coupling={self.coupling}", f"0/0={convention_of(convention)}"]
        if self.coupling == HARDENED.name and self.threshold is not None and self.task != "multiclass":
            words.append(f"threshold={self.threshold:g}")
        if isinstance(self.statistic, Examples) and self.statistic.weight is not None:
            words.append("weighted")
        if self._taking_part is not None:
            words.append("subset=" + ",".join(str(self.labels[i]) for i in self._taking_part))
        return " ".join([*words, f"softtruth={__version__}"])

    def __repr__(self) -> str:
        """Return what was understood, in one line."""
        size = f"n={self.n}" if isinstance(self.statistic, Examples) else type(self.statistic).__name__.lower()
        return f"IndicatorMatrix(task={self.task!r}, {size}, classes={len(self.labels)}, coupling={self.coupling!r})"

    def _repr_html_(self) -> str:
        """Show the masses of the classes in a notebook."""
        from softtruth.render.notebook import small_table

        size = f"{self.n:,} examples" if isinstance(self.statistic, Examples) else "sums"
        caption = f"{self.task}, {size}, coupling {self.coupling}"
        rows = zip(map(str, self.column_labels), self.per_class().tolist(), strict=True)
        return small_table(caption, ["tp", "fp", "fn", "tn"], list(rows))


def _examples(pair: Pair, joint: Coupling) -> Examples:
    return Examples(
        pair.task,
        pair.n_classes,
        pair.reference,
        pair.prediction,
        joint,
        pair.weight,
        pair.mask,
        pair.clusters,
        within=pair.within,
        whole=0 if pair.within is None else pair.n if pair.present is None else len(pair.present),
    )


def _columns(subset: Any, pair: Pair) -> NDArray[Any] | None:
    return _columns_of(subset, pair.labels, pair.ignored_classes, pair.task)


def _columns_of(subset: Any, labels: tuple[Any, ...], ignored: tuple[int, ...], task: str) -> NDArray[Any] | None:
    """Return the columns that take part in averages, or None for all."""
    if subset is None and not ignored:
        return None
    if task in {"binary", "ordinal"}:
        if subset is None:
            return None
        what = "a binary problem has one column" if task == "binary" else "an ordinal problem has thresholds as columns"
        msg = f"subset names classes for averages, but {what}."
        raise InputError(msg)
    names: Any = range(len(labels)) if subset is None else subset
    chosen = []
    for name in as_list(names):
        value = plain(name)
        if isinstance(value, Hashable) and value in labels:
            chosen.append(labels.index(value))
        elif isinstance(value, int) and 0 <= value < len(labels):
            chosen.append(value)
        else:
            msg = f"subset names {shown(name)}, expected one of the classes {listed(labels)} or an index."
            raise InputError(msg)
    kept = [c for c in dict.fromkeys(chosen) if c not in ignored]
    if not kept:
        msg = "no class is left to average over; subset and ignore leave none."
        raise InputError(msg)
    return np.array(kept)
