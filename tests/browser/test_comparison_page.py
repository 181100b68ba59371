"""The page of a comparison in a browser: what stands open, what is folded, and that a phone shows all of it."""

import numpy as np
import pytest

from softtruth import compare_predictions

pytestmark = pytest.mark.backend
PHONE, DESK = {"width": 400, "height": 800}, {"width": 1200, "height": 900}


@pytest.fixture(scope="module")
def compared():
    rng = np.random.default_rng(5)
    share = rng.dirichlet([0.9, 0.6, 0.4], 200)
    counts = np.stack([rng.multinomial(5, p) for p in share])
    models = {
        name: (1 - noise) * share + noise * rng.dirichlet([1 / 3] * 3, 200)
        for name, noise in (("logistic_regression", 0.3), ("naive_bayes", 0.5), ("support_vector_machine", 0.6))
    }
    groups = np.array(["here", "there"])[rng.integers(0, 2, 200)]
    return compare_predictions(counts, models, "multiclass", reference_kind="votes", groups=groups)


@pytest.mark.parametrize("window", [PHONE, DESK], ids=["phone", "desk"])
def test_nothing_is_cut_off(opened, compared, window):
    found = opened(compared, viewport=window)
    found.page.locator("details").evaluate_all("all => all.forEach(e => { e.open = true; })")
    assert found.wide <= 0
    tables = found.page.locator(".scroll")
    assert tables.count() >= 5
    assert tables.evaluate_all("all => all.filter(e => e.scrollWidth > e.clientWidth).length") == 0


def test_on_a_phone_each_value_says_what_it_is(opened, compared):
    page = opened(compared, viewport=PHONE).page
    cells = page.locator("table.stack td")
    heads = cells.evaluate_all("all => all.map(e => getComputedStyle(e, '::before').content)")
    assert '"soft, decision only"' in heads
    assert not [head for head in heads if head in {'""', "none"}]


def test_the_page_stands_in_the_middle(opened, compared):
    page = opened(compared, viewport={"width": 1600, "height": 900}).page
    left, right = page.evaluate("(r => [r.left, innerWidth - r.right])(document.body.getBoundingClientRect())")
    assert abs(left - right) <= 20  # a bar to scroll with


def test_what_is_said_of_other_pairs_is_folded(opened, compared):
    page = opened(compared).page
    told = page.locator("ul.verdicts li.lead")
    *verdicts, caution = told.all_text_contents()
    assert [text.split(":")[0] for text in verdicts] == [
        f"{question} against the majority reference" for question in ("accuracy", "macro f1")
    ]
    assert caution.startswith("The soft reference rewards confidence")
    folded = page.locator("details.others")
    assert folded.count() >= 2
    assert not folded.first.locator("li").first.is_visible()
    folded.first.locator("summary").first.click()
    assert folded.first.locator("li").first.is_visible()
