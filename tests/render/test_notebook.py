"""What notebooks show of a matrix and an interval: small, escaped, the numbers of the objects."""

from html.parser import HTMLParser

import numpy as np

from softtruth import Cells, IndicatorMatrix, Interval


class Texts(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.texts, self.tags = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.titles = dict(attrs).get("title", getattr(self, "titles", None))

    def handle_data(self, data):
        if data.strip():
            self.texts.append(data.strip())


def test_a_matrix_shows_the_masses_of_its_classes():
    matrix = IndicatorMatrix(["a", "<b>", "a"], ["a", "a", "a"], "multiclass")
    found = Texts(matrix._repr_html_())
    assert found.texts == [
        "multiclass, 3 examples, coupling hardened", "tp", "fp", "fn", "tn",
        "<b>", "0", "0", "1", "2", "a", "2", "1", "0", "0",
    ]  # fmt: skip
    soft = IndicatorMatrix([0.5, 0.25], [0.5, 1.0], "binary", coupling="independent", labels=["no", "yes"])
    assert Texts(soft._repr_html_()).texts[5:] == ["yes", "0.5", "1.0", "0.2", "0.2"]


def test_many_classes_are_counted():
    n = np.arange(30)
    page = IndicatorMatrix(n, n)._repr_html_()
    assert page.count("<tr>") == 22
    assert "and 10 more" in page
    assert "sums" in IndicatorMatrix.of(Cells.of(3, 1, 2, 4))._repr_html_()


def test_an_interval_is_its_line_and_says_what_it_stands_on():
    interval = Interval(0.5, 0.4, 0.6, assumption='drawn "so" & <so>', note="<b>")
    found = Texts(interval._repr_html_())
    assert found.texts == [str(interval)]
    assert found.tags == ["span"]
    assert found.titles == interval.assumption
