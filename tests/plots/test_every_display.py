"""What every display promises: axes, words, assumption, no window, names shown as they are."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from softtruth import IndicatorMatrix, MissingPackageError, evaluate, plots, true_accuracy
from softtruth.plots.display import STYLES, named

RNG = np.random.default_rng(0)
VOTES = RNG.multinomial(5, [0.5, 0.3, 0.2], 60)
SHARES = VOTES / 5
SOFT = {"ours": RNG.dirichlet([3, 2, 1], 60), "_theirs $x$": RNG.dirichlet([1, 2, 3], 60)}
LABELS = ["cat", "a $dog$", "a bird\nwith an exceedingly long name"]
REFERENCE = np.repeat([0, 1], [60, 40])
HARD = {
    "ours": IndicatorMatrix(REFERENCE, np.roll(REFERENCE, 9), "binary", labels=["no", "_$yes$"]),
    "_theirs $x$": IndicatorMatrix(REFERENCE, np.roll(REFERENCE, 4), "binary", labels=["no", "_$yes$"]),
}
PROBLEMS = {
    name: IndicatorMatrix(SHARES, p, "multiclass", labels=LABELS, coupling="independent") for name, p in SOFT.items()
}
REPORT = evaluate(VOTES, SOFT, "multiclass", reference_kind="votes", labels=LABELS)

MADE = {
    "IntervalDisplay": lambda: plots.IntervalDisplay.from_report(REPORT),
    "PriorCurveDisplay": lambda: plots.PriorCurveDisplay.from_problems(HARD, "f1"),
    "DependenceDisplay": lambda: plots.DependenceDisplay.from_matrix(PROBLEMS, "macro f1"),
    "NoiseCurveDisplay": lambda: plots.NoiseCurveDisplay.from_result(true_accuracy(0.9, 0.96)),
    "ConfusionDisplay": lambda: plots.ConfusionDisplay.from_matrix(PROBLEMS["ours"]),
    "CoverageDisplay": lambda: plots.CoverageDisplay.from_mass(SOFT, SHARES),
}
EVERY = [name for name in plots.__all__ if name != "Display"]


def test_every_display_is_looked_at():
    assert set(MADE) == set(EVERY)


@pytest.mark.parametrize("name", EVERY)
def test_a_figure_of_its_own_opens_no_window(name):
    display = MADE[name]()
    assert display.plot() is display
    assert display.ax_.figure is display.figure_
    assert display._repr_png_().startswith(b"\x89PNG")
    if "matplotlib.pyplot" in sys.modules:
        assert mpl.pyplot.get_fignums() == []


@pytest.mark.parametrize("name", EVERY)
def test_axes_that_are_given_are_drawn_on(name):
    ax = Figure().add_subplot()
    display = MADE[name]().plot(ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert ax.get_title(loc="left")
    assert display._repr_png_() is None  # whoever owns the axes shows them


@pytest.mark.parametrize("name", EVERY)
def test_axes_have_names_and_the_picture_says_what_it_assumes(name):
    display = MADE[name]().plot()
    assert display.ax_.get_xlabel()
    assert display.ax_.get_ylabel() or [t.get_text() for t in display.ax_.get_yticklabels()]
    words = display.ax_.get_title(loc="left")
    assert "ssumption" in words
    assert max(map(len, words.splitlines())) <= 13.5 * display.figure_.get_figwidth()


@pytest.mark.parametrize("name", EVERY)
def test_a_shown_display_is_drawn_first_and_a_file_is_written(name, tmp_path):
    MADE[name]().save(tmp_path / "picture.svg")
    text = (tmp_path / "picture.svg").read_text(encoding="utf-8")
    assert "<svg" in text
    assert MADE[name]()._repr_png_().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", [name for name in EVERY if name != "NoiseCurveDisplay"])
def test_names_are_shown_as_they_are(name):
    display = MADE[name]().plot()
    display.figure_.draw_without_rendering()
    texts = [text.get_text() for text in display.ax_.findobj(mpl.text.Text) if text.get_text()]
    if name != "ConfusionDisplay":
        assert r"_theirs \$x\$" in texts
    else:
        assert r"a \$dog\$" in texts
        assert all("\n" not in text for text in texts if text.startswith("a bird"))
    drawn = mpl.text.Text(0, 0, r"\$x\$")._preprocess_math(r"\$x\$")
    assert drawn == ("$x$", False)  # no formula


@pytest.mark.parametrize("name", EVERY)
def test_without_matplotlib_the_line_to_install_it_is_named(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingPackageError, match=rf'^{name} needs .* pip install "softtruth\[plot\]"'):
        MADE[name]().plot()


def test_importing_the_displays_does_not_load_matplotlib():
    script = "import sys, softtruth.plots; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


@pytest.mark.parametrize(
    ("name", "artists"),
    [
        ("IntervalDisplay", "markers_"),
        ("PriorCurveDisplay", "lines_"),
        ("DependenceDisplay", "lines_"),
        ("NoiseCurveDisplay", "lines_"),
        ("CoverageDisplay", "lines_"),
    ],
)
def test_more_settings_reach_what_is_drawn(name, artists):
    for line in getattr(MADE[name]().plot(color="black"), artists):
        assert line.get_color() == "black"
    styles = [
        (line.get_linestyle(), line.get_marker(), line._unscaled_dash_pattern)
        for line in getattr(MADE[name]().plot(), artists)
    ]
    assert len(set(map(str, styles))) == len(styles)  # they differ in grey


def test_styles_differ_in_line_and_in_marker():
    assert len({str(style.line) for style in STYLES}) == len({style.marker for style in STYLES}) == len(STYLES)
    light = [mpl.colors.rgb_to_hsv(mpl.colors.to_rgb(style.color))[2] for style in STYLES]
    assert max(light) < 0.9  # dark enough to be seen on white


def test_long_names_keep_both_ends():
    assert named("x" * 40 + "end") == "x" * 13 + "..." + "x" * 7 + "end"
