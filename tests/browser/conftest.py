"""Pages in a real browser, which counts every request and every complaint."""

import os
import shutil
from pathlib import Path

import pytest

from softtruth import evaluate
from softtruth.evaluation import evaluate_problem
from softtruth.inputs.align import load_problem

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser():
    """Chromium; its absence is a failure, so that nobody takes untested pages for tested ones."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.fail(
            "pages are tested in a browser, and no Chromium is found: install it (Debian: apt-get install chromium), "
            "or say where it is in the environment variable CHROMIUM."
        )
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield started
        started.close()


class Opened:
    """A page, what it asked of the network, and what it complained of."""

    def __init__(self, context, path: Path) -> None:
        self.requests, self.complaints = [], []
        self.page = context.new_page()
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(path.as_uri())

    @property
    def wide(self) -> int:
        """By how many pixels the page is wider than the window."""
        return self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")


@pytest.fixture
def opened(browser, tmp_path):
    """A function that opens a report; when the test is over, nothing may have been fetched or complained of."""
    contexts, pages = [], []

    def open_report(report, *, quiet=True, **options):
        path = tmp_path / f"{len(pages)}.html"
        path.write_text(report if isinstance(report, str) else report.to_html(), encoding="utf-8")
        context = browser.new_context(offline=True, **options)
        contexts.append(context)
        found = Opened(context, path)
        pages.append((found, path, quiet))
        return found

    yield open_report
    for found, path, quiet in pages:
        assert found.requests == [path.as_uri()]
        assert not quiet or found.complaints == []
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def voted(tmp_path_factory):
    """Twenty-four items, four annotators and two predictions of three classes, some with names made to do harm."""
    folder = tmp_path_factory.mktemp("voted")
    classes = ["cat", "<script>window.harm=1</script>", "\"><img src=x onerror='window.harm=2'>"]
    quoted = ['"' + name.replace('"', '""') + '"' for name in classes]
    votes, one = ["item,annotator,label"], [",".join(["item", *quoted])]
    for i in range(24):
        item = f"<b onclick='window.harm=3'>{i}</b>"
        votes += [f"{item},a{who},{quoted[(i + (who == i % 5)) % 3]}" for who in range(4)]
        shares = [0.1, 0.1, 0.1]
        shares[(i + (i % 4 == 0)) % 3] = 0.8
        one.append(f"{item},{','.join(map(str, shares))}")
    # The other prediction says of each item what the first one says of another.
    shares = [line.partition(",")[2] for line in one[1:]]
    items = [line.partition(",")[0] for line in one[1:]]
    other = [one[0], *(f"{item},{said}" for item, said in zip(items, [*shares[1:], shares[0]], strict=True))]
    for name, lines in (("votes", votes), ("one", one), ("other", other)):
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    problem = load_problem([str(folder / "one.csv"), str(folder / "other.csv")], str(folder / "votes.csv"))
    return evaluate_problem(problem, reference_accuracy=0.9, n_reference=50)


@pytest.fixture(scope="session")
def simple():
    """A small report of hard labels."""
    return evaluate([0, 1, 1, 0, 1, 0, 1, 1] * 6, [0, 1, 0, 0, 1, 1, 1, 1] * 6, "binary", labels=["no", "yes"])
