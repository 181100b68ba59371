"""The documents hold together: links lead somewhere, commands exist, fragments and decisions follow their scheme."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("changelog.d/*.md")]
FRAGMENT = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\.(added|changed|deprecated|removed|fixed|security)\.md")


def names(paths):
    return [str(path.relative_to(ROOT)) for path in paths]


@pytest.mark.parametrize("document", DOCUMENTS, ids=names(DOCUMENTS))
def test_links_lead_somewhere(document):
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", document.read_text(encoding="utf-8"))
    local = [target for target in targets if "://" not in target and not target.startswith("mailto:")]
    assert [target for target in local if not (document.parent / target).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=names(DOCUMENTS))
def test_make_targets_exist(document):
    named = set(re.findall(r"(?<![\w-])make ([a-z][a-z-]*)`", document.read_text(encoding="utf-8")))
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    assert named <= targets


def test_changelog_fragments_are_named_by_the_scheme():
    fragments = {path.name for path in (ROOT / "changelog.d").iterdir()} - {"README.md"}
    assert {name for name in fragments if not FRAGMENT.fullmatch(name)} == set()


def test_decisions_are_numbered_without_gaps():
    decisions = sorted((ROOT / "docs/decisions").glob("[0-9]*.md"))
    assert [int(path.name[:4]) for path in decisions] == list(range(1, len(decisions) + 1))


def test_decisions_have_the_sections_of_the_template():
    def sections(path):
        return re.findall(r"^## .+$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)

    decisions = ROOT / "docs/decisions"
    expected = sections(decisions / "template.md")
    assert expected
    assert {path.name: sections(path) for path in decisions.glob("[0-9]*.md") if sections(path) != expected} == {}
