"""What the check of the site's links can see, on pages written by hand."""

from __future__ import annotations

import pytest

from tests.site.pages import dead, fetched

GOOD = '<p id="here"><a href="#here">a</a> <a href="other.html#there">b</a> <a href="https://x.org/y">c</a>'


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "other.html").write_text('<h1 id="there">x</h1><a name="named"></a>')
    return tmp_path


def test_good_links_lead_somewhere(folder) -> None:
    (folder / "page.html").write_text(GOOD + '<a href="other.html#named">d</a><img src="other.html">')
    assert dead(folder / "page.html") == fetched(folder / "page.html") == []


@pytest.mark.parametrize("bad", ["#nowhere", "other.html#nowhere", "nothing.html", "../nothing.py"])
def test_a_dead_link_is_seen(folder, bad) -> None:
    (folder / "page.html").write_text(f'{GOOD}<a href="{bad}">d</a>')
    assert dead(folder / "page.html") == [bad]


@pytest.mark.parametrize(
    "bad",
    [
        '<script src="https://x.org/a.js"></script>',
        '<link rel="stylesheet" href="//x.org/a.css">',
        '<img src="http://x.org/a.png"/>',
    ],
)
def test_what_the_network_would_bring_is_seen(folder, bad) -> None:
    (folder / "page.html").write_text(GOOD + bad)
    assert len(fetched(folder / "page.html")) == 1


def test_so_is_a_style_sheet(folder) -> None:
    (folder / "a.css").write_text(
        "/* https://x.org */ @font-face { src: url('https://x.org/f.woff2') } b { c: url(d.png) }"
    )
    assert fetched(folder / "a.css") == ["https://x.org/f.woff2"]
