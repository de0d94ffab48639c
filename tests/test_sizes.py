"""The report of sizes lists what is large, and passes over what is not."""

from __future__ import annotations

from pathlib import Path

from tests.sizes import functions, large_folders, long_files, long_functions, report, wide_functions


def test_a_large_folder_is_listed() -> None:
    paths = [Path("simspec", "engine", f"{n}.py") for n in range(21)]
    assert large_folders(paths) == [(21, "simspec/engine/")]
    assert large_folders(paths[1:]) == []


def test_a_long_file_is_listed() -> None:
    texts = {Path("simspec/a.py"): "x\n" * 401, Path("simspec/b.py"): "x\n" * 400, Path("tests/c.py"): "x\n" * 500}
    assert long_files(texts) == [(500, "tests/c.py"), (401, "simspec/a.py")]


def test_functions_are_found_wherever_they_stand() -> None:
    places = """
class A:
    async def a(self): ...
if x:
    def b(): ...
elif y:
    for _ in z:
        def c(): ...
    else:
        def d(): ...
try:
    while x:
        def e():
            def f(): ...
except E:
    def g(): ...
else:
    with x:
        def h(): ...
finally:
    match x:
        case 1:
            def i(): ...
"""
    assert sorted(node.name for node in functions(places)) == [*"abcdefghi"]


def test_a_long_function_is_listed() -> None:
    body = '    """Says\n\n    much."""\n' + "    # why\n\n" * 9 + "    x = 1\n" * 59
    assert long_functions(Path("simspec/a.py"), "def f():\n" + body) == []
    assert long_functions(Path("simspec/a.py"), f"def f():\n{body}    x = 2\n") == [(61, "simspec/a.py: f")]


def test_a_wide_function_is_listed() -> None:
    def wide(text: str, name: str = "simspec/a.py") -> list[tuple[int, str]]:
        return wide_functions(Path(name), text)

    many = "def f(a, b, c, d, /, e, f, *, g, h, i): ...\n"
    assert wide(many) == [(9, "simspec/a.py: f")]
    assert wide(many.replace(", i", "")) == wide(many.replace("f(", "test_f("), "tests/a.py") == []
    assert wide(f"@njit(fastmath=True)\n{many}") == wide(f"@kernel\n{many}") == wide(many, "a/loops.py") == []
    assert wide(f"@inner\n{many}") == []
    assert len(wide("@cache\n" + many)) == 1


def test_the_report_counts_what_is_there() -> None:
    lines = list(report())
    assert lines[0].startswith("lines of Python: ") and "simspec" in lines[0] and "proofs_check" in lines[0]
    assert [line.split(":")[0] for line in lines if not line.startswith(" ")] == [
        "lines of Python",
        "lines of generated text",
        "data",
        "files over 400 lines",
        "folders over 20 files",
        "functions over 60 lines of code",
        "functions over 8 parameters",
    ]
