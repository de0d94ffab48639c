"""Files as a whole: what they import, and the hash of what is written in them."""

from __future__ import annotations

from simspec.provenance.files import closure, imports, text_hash


def test_imports_of_every_form() -> None:
    text = "from a import (\n    b,  # why\n    c as d,\n)\nif x:\n    import e.f, g as h\nfrom .i import j\nfrom .. import k\n"
    assert imports(text) == [("a", ("b", "c")), ("e.f", ()), ("g", ()), (".i", ("j",)), ("..", ("k",))]


def test_a_circle_ends() -> None:
    edges = {"a": ["b"], "b": ["a", "c"], "c": []}
    assert closure("a", lambda name: edges[name]) == {"a", "b", "c"}


def test_what_is_not_python_counts_as_it_is_written() -> None:
    assert text_hash("def (") == text_hash("def (") != text_hash("def  (")


def test_a_relative_import_is_read_from_its_package() -> None:
    assert text_hash("from .a import b\nb()", "top") == text_hash("from top.a import b\nb()") != text_hash("b()")
