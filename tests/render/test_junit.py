"""Gates as the XML of JUnit: it is read back as it was, whatever the names hold."""

from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from softtruth.render import words
from softtruth.render.junit import Case, to_junit

# Half characters cannot be written to a file at all, and words.clean writes them out.
texts = st.text(max_size=8) | st.sampled_from(["\x00", "\x0b", "\ufffe", "\ud800", "]]>", "<b a='\"'>&amp;", "a\nb"])


def noncharacters_out(text):
    return text.replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")


def plain(text):
    return noncharacters_out(words.clean(text))


@given(st.lists(st.builds(Case, texts, texts, texts, texts), max_size=4))
def test_cases_are_read_back(cases):
    xml = to_junit(cases).encode()
    root = ET.fromstring(xml)  # noqa: S314  our own text
    (parent,) = root
    found = parent.findall("testcase")
    assert [(one.get("name"), one.get("classname")) for one in found] == [
        (plain(c.name), plain(c.group)) for c in cases
    ]
    for case, one in zip(cases, found, strict=True):
        failure, told = one.find("failure"), one.find("system-out")
        assert (failure is not None) == bool(case.failure)
        if failure is not None:
            assert failure.get("message") == failure.text == plain(case.failure)
        assert (told is None) == (not case.told)
    assert root.get("failures") == parent.get("failures") == str(sum(bool(case.failure) for case in cases))
    assert root.get("tests") == str(len(cases))
