"""The measure of readability counts what it says, and no figure is worse than recorded."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.readability import (
    FIGURES,
    HONEST,
    PARTNERS,
    SIGNATURE,
    Name,
    is_honest,
    is_vague,
    main,
    measured,
    read_record,
    table,
    value,
    worse,
)
from tests.sizes import sources

A = Path("simspec/a.py")
AGAIN = "if that cannot be helped: make readability ARGS=--record"


def counted(text: str, path: Path = A) -> list[tuple[str, str]]:
    """Figure and text of each place of a file that is counted."""
    places, _ = measured({path: text})
    return [(place.figure, place.text) for place in places]


def test_no_figure_is_worse_than_recorded() -> None:
    lines = worse(measured(sources())[1], read_record())
    assert not lines, "\n".join([*lines, "make readability ARGS=--places lists the places;", AGAIN])


@pytest.mark.parametrize(
    "word", ["found", "_told", "one_", "__each", "found2", "found_all", "made_from", "done_so_far"]
)
def test_a_word_that_says_nothing_is_vague(word) -> None:
    assert is_vague(word)


@pytest.mark.parametrize("word", ["interval", "_", "all", "kept_mass", "other_p", "is_kept", "partial", "found_files"])
def test_a_word_that_says_what_it_is_is_not(word) -> None:
    assert not is_vague(word)


def test_honest_words_are_honest_for_their_reason_only() -> None:
    assert counted("left = 1\nright = 2\n") == []
    assert counted("left = 1\n") == [("vague", "left")]
    assert counted("def f(kept, other): ...\n") == []
    assert counted("kept = other = 1\n") == [("vague", "kept"), ("vague", "other")]
    assert counted("class A:\n    kept: int\n    found: int\n") == [("vague", "found")]
    assert counted("held_out = at_most = 1\n") == []


def test_each_honest_word_needs_its_reason() -> None:
    """Without the list each word is vague, and the list names no word twice."""
    assert all(is_vague(word) and reason for word, reason in HONEST.items())
    assert {*PARTNERS, *SIGNATURE} <= {*HONEST}
    assert not is_honest(Name("found", 1, in_signature=True), frozenset({"right"}))


def test_every_place_that_binds_a_name_is_counted() -> None:
    text = "for found in x: ...\nwith x as found: ...\n[1 for found in x]\n(found := 1)\nlambda found: 1\nfound += 1\n"
    assert counted(text) == [("vague", "found")] * 6
    assert counted("print(found)\nfound()\nx.found = 1\n") == []


def test_packed_assignments_are_counted() -> None:
    assert counted("a, b = x, y\n") == [("packed", "a, b = (x, y)")]
    assert counted("[a, b] = c = [1, 2]\n") == [("packed", "[a, b] = c = [1, 2]")]
    assert counted("a, b = b, a\na, b = f()\na = 1, 2\n") == []
    assert counted("a, b = x, y\n", Path("simspec/kernels/k.py")) == [("packed in kernels", "a, b = (x, y)")]


def test_long_functions_without_docstring_are_counted() -> None:
    lines = "    x = 1\n"
    assert counted("def f():\n" + 14 * lines) == []
    assert counted("def f():\n" + 15 * lines) == [("undocumented", "f")]
    assert counted('def f():\n    """Say."""\n' + 15 * lines) == []
    assert counted("async def f():\n" + 15 * lines) == [("undocumented", "f")]


def test_long_positional_calls_are_counted() -> None:
    assert counted("m.f(1, 2, 3, 4, 5, 6, 7, *x)\n") == [("long calls", "m.f")]
    assert counted("f(1, 2, 3, 4, 5, 6, 7, g=8)\n") == []
    assert counted("f(1, 2, 3, 4, 5, 6, 7, 8)\n", Path("simspec/kernels/k.py")) == []


@pytest.mark.parametrize("kind", ["Any", "X", "Y", "Z", "W", "V", "typing.Any", "'Any'", "Any | None", "Optional[X]"])
def test_aliases_of_any_are_any(kind) -> None:
    text = (
        "import typing\nfrom typing import Any\nfrom typing import Any as X\nfrom simspec.b import W\nV = typing.Any\n"
    )
    text += f"Y = X\nZ: TypeAlias = Y\ndef f(x: {kind}, y: int, z): ...\n"
    places, counts = measured({A: text, Path("simspec/b.py"): "from typing import Any\nW = Any\n"})
    assert [(place.figure, place.line) for place in places] == [("untyped", 8)]
    assert value(counts["simspec"], "untyped") == 50  # one of two typed parameters


def test_what_holds_any_is_a_type() -> None:
    text = "from typing import Any\nArray = NDArray[Any]\nP = Q\nQ = P\n"
    text += "def f(a: Array, b: dict[str, Any], c: P, d: 'x.Any'): ...\n"
    assert counted(text) == []


def test_figures_by_hand() -> None:
    text = "found = 1\na, b, c = 1, 2, 3\n"  # one of four names; one of two lines
    _, counts = measured({A: text, Path("proofs_check/b.py"): "x = 1\n", Path("tests/c.py"): text})
    assert (value(counts["simspec"], "vague"), value(counts["simspec"], "packed")) == (25, 500)
    assert [value(counts["proofs_check"], figure) for figure in FIGURES] == [0] * len(FIGURES)
    assert "tests" not in counts
    title, vague, *_ = table(counts, {"simspec": {"vague": 1, "names": 2}})
    assert title.split() == ["readability", "simspec", "proofs_check", "benchmarks"]
    assert vague.split()[-5:] == ["25.00", "(was", "50.00)", "0.00", "0.00"]


def test_only_what_is_worse_fails() -> None:
    before = {"simspec": {"vague": 2, "names": 100, "long calls": 3}}

    def lines(**count: int) -> list[str]:
        return worse({"simspec": {"vague": 2, "names": 100, "long calls": 3} | count}, before)

    assert lines() == lines(vague=1) == []
    assert lines(names=90) == []  # good code was deleted
    assert lines(vague=4, names=200) == []  # as good as the rest
    assert lines(vague=3) == ["simspec: vague names: 3.00 % (3); recorded 2.00 % (2)"]
    assert worse({"simspec": {"long calls": 4}}, before) == [
        "simspec: calls of 8 or more positional arguments outside kernels: 4; recorded 3"
    ]


def test_a_vague_name_more_is_noticed() -> None:
    """The negative control: the record of a text fails the same text with one vague name in place of a good one."""
    good = "interval = 1\nfound = 2\n"
    record = measured({A: good})[1]
    assert worse(measured({A: good})[1], record) == []
    assert len(worse(measured({A: good.replace("interval", "told")})[1], record)) == 1


def test_an_option_that_is_none_is_refused(capsys) -> None:
    assert main(["--new"]) == 2
    assert "--new; expected --places, --record or nothing" in capsys.readouterr().err


def test_the_measure_is_readable_itself() -> None:
    text = (Path(__file__).parent / "readability.py").read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text)) and counted(text) == []
