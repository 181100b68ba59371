"""The page in a browser: its slider, its keys, its names, its widths and its colours, and what it must not do."""

import numpy as np
import pytest

from softtruth import IndicatorMatrix, evaluate, under_prior
from softtruth.render import words
from softtruth.render.html import to_frame_tag

pytestmark = pytest.mark.backend
WIDTHS = [{"width": 400, "height": 800}, {"width": 1200, "height": 900}]


def problem_of(task):
    """Return reference, prediction and class names of a small problem."""
    rng = np.random.default_rng(3)
    n, k = 90, 3
    if task == "multilabel":
        y = (rng.random((n, k)) < [0.2, 0.4, 0.6]).astype(int)
        return y, np.where(rng.random((n, k)) < 0.8, y, 1 - y), ["a", "b", "c"]
    k = 2 if task == "binary" else k
    y = rng.choice(k, n, p=[0.8, 0.2] if k == 2 else [0.6, 0.3, 0.1])
    return y, np.where(rng.random(n) < 0.75, y, rng.integers(0, k, n)), ["a", "b", "c"][:k]


def prior_at(task, own, k, step):
    """Return the prior in which class k has this frequency and all others keep their proportions (labels: stay)."""
    if task == "binary":
        return step
    prior = np.array(own, float)
    if task == "multiclass":
        prior *= (1 - step) / (1 - own[k])
    prior[k] = step
    return prior


def cards(page):
    """Return what the cards of the curves that are shown say, by question."""
    found = {}
    for card in page.locator(".curves:not([hidden]) .card").all():
        question = card.locator("figcaption").text_content().split("\n")[0].strip()
        found[question] = card.locator(".v").text_content(), card.locator(".e").text_content()
    return found


def slide(page, position):
    page.locator("#sweep-prior").evaluate("(s, v) => { s.value = v; s.dispatchEvent(new Event('input')); }", position)


@pytest.mark.parametrize("task", ["binary", "multiclass", "multilabel"])
def test_the_slider_shows_what_python_gives(opened, task):
    y, p, names = problem_of(task)
    report = evaluate(y, p, task, labels=names)
    matrix = IndicatorMatrix(y, p, task=task, labels=names)
    page = opened(report).page
    own = under_prior(matrix, matrix.table.prior if task == "multiclass" else 0.5 if task == "binary" else [0.5] * 3)
    sweep = report.sections["prior_sweep"]
    assert len(sweep) == (1 if task == "binary" else 3)
    for i, entry in enumerate(sweep):
        if task != "binary":
            page.get_by_label("label" if task == "multilabel" else "class", exact=True).select_option(index=i)
        assert page.locator("#sweep-prior").input_value() == str(entry["own"])
        for position in (0, entry["own"], 7, len(entry["steps"]) // 2, len(entry["steps"]) - 1):
            slide(page, position)
            k = 0 if task == "binary" else names.index(entry["class"])
            at = under_prior(matrix, prior_at(task, own.own_prior, k, entry["steps"][position]))
            expected = {}
            for question in entry["curves"]:
                interval = at.interval(question)
                ends = words.interval({"low": _finite(interval.low), "high": _finite(interval.high)})
                expected[words.question(report.to_dict(), question)] = words.number(_finite(interval.value)), ends
            assert cards(page) == expected


def _finite(x):
    return x if np.isfinite(x) else None


def test_the_dot_stands_on_the_curve(opened, simple):
    page = opened(simple).page
    slide(page, 20)
    row = page.locator(".curves table tbody tr").nth(20)
    dot = page.locator(".card .at").first
    assert dot.get_attribute("cx") == row.get_attribute("data-x")
    assert dot.get_attribute("cy") == row.locator("td").first.get_attribute("data-y")
    path = page.locator(".card .line").first.get_attribute("d")
    assert f"{dot.get_attribute('cx')} {dot.get_attribute('cy')}" in path


def test_the_slider_moves_by_keys_and_says_where_it_is(opened, simple):
    page = opened(simple).page
    slider = page.get_by_role("slider", name="frequency of the class")
    slider.focus()
    before = cards(page)
    said = page.get_by_role("status")
    start = int(slider.input_value())
    page.keyboard.press("ArrowRight")
    assert int(slider.input_value()) == start + 1
    assert cards(page) != before
    assert said.text_content().startswith(f"At {slider.get_attribute('aria-valuetext')}: accuracy ")
    page.keyboard.press("Home")
    assert slider.get_attribute("aria-valuetext") == "0.1%"
    page.keyboard.press("End")
    assert slider.get_attribute("aria-valuetext") == "99.9%"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert int(slider.input_value()) == start
    assert cards(page) == before


def test_the_keyboard_reaches_every_control(opened, voted):
    page = opened(voted).page
    wanted = page.locator("a[href], select, input, button, summary, [tabindex='0']").evaluate_all(
        "all => all.filter(e => e.checkVisibility()).length"
    )
    reached = set()
    for _ in range(wanted):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("[...document.querySelectorAll('*')].indexOf(document.activeElement)"))
    assert len(reached) == wanted


def test_no_name_runs(opened, voted):
    page = opened(voted).page
    assert "window.harm=1" in page.locator("body").inner_text()
    assert "onclick" in page.locator("#suspects").inner_text()
    for element in page.locator("bdi").all()[:40]:
        element.dispatch_event("click")
    assert page.evaluate("window.harm") is None
    assert page.locator("img").count() == 0
    assert page.locator("bdi b").count() == 0


def test_the_policy_lets_no_other_script_run(opened, simple):
    found = opened(simple, quiet=False)
    add = """() => {
        for (const [tag, text] of [["script", "window.harm = 1"], ["style", "body { display: none }"]]) {
            const element = document.createElement(tag);
            element.textContent = text;
            document.body.append(element);
        }
        const link = document.createElement("button");
        link.setAttribute("onclick", "window.harm = 2");
        document.body.append(link);
        link.click();
        setTimeout("window.harm = 3", 0);
    }"""
    found.page.evaluate(add)
    found.page.wait_for_timeout(50)
    assert found.page.evaluate("window.harm") is None
    assert found.page.locator("h1").is_visible()
    assert sum("Content Security Policy" in text for text in found.complaints) == 4


@pytest.mark.parametrize("window", WIDTHS, ids=lambda w: str(w["width"]))
@pytest.mark.parametrize("which", ["voted", "simple"])
def test_no_page_is_wider_than_its_window(opened, request, which, window):
    found = opened(request.getfixturevalue(which), viewport=window)
    found.page.locator("details").evaluate_all("all => all.forEach(e => { e.open = true; })")
    assert found.wide <= 0


@pytest.mark.parametrize("which", ["voted", "simple"])
def test_no_page_is_wider_than_paper(opened, request, which):
    found = opened(request.getfixturevalue(which), viewport={"width": 720, "height": 1000})
    found.page.emulate_media(media="print")
    assert found.wide <= 0


def _contrast(page, selector):
    """Return the contrast of an element's text with the ground of the page (WCAG 2)."""
    colours = page.locator(selector).first.evaluate(
        "e => [getComputedStyle(e).color, getComputedStyle(document.body).backgroundColor]"
    )
    light = []
    for colour in colours:
        parts = np.array([float(x) for x in colour[colour.index("(") + 1 : -1].split(",")[:3]]) / 255
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        light.append(float(linear @ [0.2126, 0.7152, 0.0722]))
    return (max(light) + 0.05) / (min(light) + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_schemes_can_be_read(opened, voted, scheme):
    page = opened(voted, color_scheme=scheme).page
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
    for selector in ("p", "h2", ".e", ".stands", "nav a", "svg text", "caption"):
        assert _contrast(page, selector) >= 4.5, selector


def test_print_shows_what_can_be_read_on_paper(opened, voted):
    page = opened(voted, color_scheme="dark").page
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("nav").is_visible()
    assert not page.locator(".controls").is_visible()
    assert page.locator(".card").first.is_visible()
    assert _contrast(page, ".remark") >= 7
    assert len(page.pdf()) > 10_000


def test_everything_has_a_name(opened, voted):
    page = opened(voted).page
    for role in ("table", "region", "img", "slider", "combobox", "button", "navigation", "link"):
        elements = page.get_by_role(role).all()
        assert elements, role
        for element in elements:
            line = element.aria_snapshot().split("\n")[0]
            assert '"' in line, line
    assert page.get_by_role("heading", level=1).count() == 1
    assert page.locator("th:not([scope])").count() == 0


def test_the_links_lead_somewhere(opened, voted):
    page = opened(voted).page
    targets = [link.get_attribute("href") for link in page.get_by_role("navigation").get_by_role("link").all()]
    assert len(targets) == 10
    assert all(page.locator(target).count() == 1 for target in targets)


def test_without_scripts_every_curve_is_there(opened, voted):
    page = opened(voted, java_script_enabled=False).page
    assert not page.locator(".controls").is_visible()
    assert page.locator(".curves").count() == len(voted.sections["prior_sweep"])
    assert all(each.is_visible() for each in page.locator(".curves").all())


def test_the_frame_of_a_notebook_slides_and_reaches_nothing(opened, simple):
    page = opened(f"<!doctype html><title>notebook</title>{to_frame_tag(simple.to_dict())}", quiet=False).page
    frame = page.frame_locator("iframe")
    slider = frame.get_by_role("slider")
    slider.focus()
    page.keyboard.press("Home")
    assert frame.get_by_role("status").text_content().startswith("At 0.1%: accuracy ")
    inner = page.frames[1]
    reach = "() => { try { return window.parent.document.title; } catch (error) { return error.name; } }"
    assert inner.evaluate(reach) == "SecurityError"
