"""The notebooks: what they show comes from the code above it, they keep their shape, and they run."""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from notebooks.run import PARAMETERS, at_quick_size, at_the_ends, code_digest, contents, opening, still
from tests.requirements import require

ROOT = Path(__file__).parents[2]
PATHS = sorted((ROOT / "notebooks").glob("*.ipynb"))
ABSOLUTE = re.compile(r"(?<![\w.:/<)}\]])/(?:[\w.-]+/)+[\w.-]+|\b[A-Z]:\\\w")
"""A path from the root of a file system; ratios, addresses and closing tags are none."""
GUARD = 600
"""Seconds after which the notebooks are taken for hung."""


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def text(value: list[str] | str) -> str:
    return "".join(value)


def code(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def words(cell: dict[str, Any]) -> str:
    """What a cell says in words: printed, or the value of its last line; pictures and tables with markup are left out."""
    said = [text(o.get("text", "")) for o in cell["outputs"]]
    said += [text(o.get("data", {}).get("text/plain", "")) for o in cell["outputs"] if not pictured(o)]
    return "".join(said)


def pictured(output: dict[str, Any]) -> bool:
    data = output.get("data", {})
    return bool({"image/png", "image/svg+xml"} & data.keys()) or "<svg" in text(data.get("text/html", ""))


def shows(cell: dict[str, Any]) -> bool:
    return any(pictured(output) for output in cell["outputs"])


def slides(cell: dict[str, Any]) -> bool:
    return "interact(" in text(cell["source"])


# --- what they show -------------------------------------------------------------------------------------------------


def noise(notebook: dict[str, Any]) -> Iterator[str]:
    """Errors, warnings and paths of a machine among the outputs."""
    for cell in code(notebook):
        for output in cell["outputs"]:
            shown = json.dumps({k: v for k, v in output.get("data", {}).items() if not k.startswith("image/")})
            shown += text(output.get("text", ""))
            if output["output_type"] == "error":
                yield f"{cell['id']}: error {output['ename']}"
            elif output.get("name") == "stderr":
                yield f"{cell['id']}: stderr {shown}"
            elif "Warning" in shown:
                yield f"{cell['id']}: a warning"
            elif found := ABSOLUTE.search(shown):
                yield f"{cell['id']}: path {found.group()}"


def stale(notebook: dict[str, Any]) -> Iterator[str]:
    """Outputs that are not known to be of the code above them."""
    if notebook["metadata"].get("simspec", {}).get("code") != code_digest(notebook):
        yield "its code is not what was executed: python notebooks/run.py"
    if [cell["execution_count"] for cell in code(notebook)] != [*range(1, len(code(notebook)) + 1)]:
        yield "not executed from top to bottom"


def misshapen(notebook: dict[str, Any]) -> Iterator[str]:
    """Where a notebook has not the shape that all of them have."""
    first, last, cells = notebook["cells"][0], notebook["cells"][-1], code(notebook)
    if first["cell_type"] != "markdown" or not opening(notebook)[1].endswith("?"):
        yield "does not open with a question"
    if last["cell_type"] != "markdown" or "what to try next" not in text(last["source"]).lower():
        yield "does not end with what to try next"
    if not any(map(shows, cells[:3])):
        yield "no picture within the first three cells of code"
    sizes = cells[0]["metadata"].get("simspec", {}).get("quick", {})
    if PARAMETERS not in cells[0]["metadata"].get("tags", ()) or not sizes:
        yield "its first code does not hold the sizes"
    for name in sizes:
        if not re.search(rf"^{name} = ", text(cells[0]["source"]), re.MULTILINE):
            yield f"has no size {name}"
    sliding = [i for i, cell in enumerate(cells) if slides(cell)]
    if not sliding:
        yield "has no slider"
    for i in sliding:
        if not any(shows(cell) for cell in (*cells[max(0, i - 1) : i], *cells[i + 1 : i + 2])):
            yield f"{cells[i]['id']}: no static picture beside the slider"
    if not any(exact(cell) and words(cell) for cell in cells):
        yield "has no cell whose text is the same at every size"


def exact(cell: dict[str, Any]) -> bool:
    return bool(cell["metadata"].get("simspec", {}).get("exact"))


def faults(notebook: dict[str, Any]) -> list[str]:
    return [*stale(notebook), *noise(notebook), *misshapen(notebook)]


def test_there_are_notebooks() -> None:
    assert PATHS


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)
def test_what_a_notebook_shows_is_of_its_code_and_has_the_shape(path) -> None:
    assert faults(read(path)) == []


def test_the_list_of_notebooks_is_theirs() -> None:
    assert (ROOT / "notebooks" / "README.md").read_text(encoding="utf-8") == contents(ROOT / "notebooks")


def sample() -> dict[str, Any]:
    """A notebook without a fault."""

    def cell(name: str, source: str, outputs: list[dict[str, Any]], count: int, **metadata: Any) -> dict[str, Any]:
        told = {"id": name, "cell_type": "code", "source": source, "metadata": metadata}
        return {**told, "outputs": outputs, "execution_count": count}

    picture = {"output_type": "display_data", "data": {"image/png": "AA=="}, "metadata": {}}
    said = {"output_type": "stream", "name": "stdout", "text": "3/4 of https://a.org/b/c\n"}
    notebook: dict[str, Any] = {
        "cells": [
            {"cell_type": "markdown", "source": "# Title\n\n*Why?*", "metadata": {}},
            cell("a", "ROWS = 9", [], 1, tags=[PARAMETERS], simspec={"quick": {"ROWS": 2}}),
            cell("b", "draw(1)", [picture], 2),
            cell("c", "interact(draw, x=(1, 3))", [], 3),
            cell("d", "print(1)", [said], 4, simspec={"exact": True}),
            {"cell_type": "markdown", "source": "## What to try next", "metadata": {}},
        ],
        "metadata": {},
    }
    notebook["metadata"] = {"simspec": {"code": code_digest(notebook)}}
    return notebook


def test_a_good_notebook_passes() -> None:
    assert faults(sample()) == []


def _set(at: int, **values: Any) -> Any:
    return lambda notebook: notebook["cells"][at].update(values)


@pytest.mark.parametrize(
    ("spoil", "count"),
    [
        (_set(4, source="print(2)"), 1),
        (_set(4, execution_count=9), 1),
        (_set(4, outputs=[]), 1),
        (_set(3, outputs=[{"output_type": "error", "ename": "ValueError"}]), 1),
        (_set(3, outputs=[{"output_type": "stream", "name": "stderr", "text": "x"}]), 1),
        (_set(3, outputs=[{"output_type": "stream", "name": "stdout", "text": "DeprecationWarning: x"}]), 1),
        (_set(3, outputs=[{"output_type": "stream", "name": "stdout", "text": "in /us" + "r/lib/x.py"}]), 1),
        (_set(3, outputs=[{"output_type": "execute_result", "data": {"text/plain": "'/va" + "r/x/y'"}}]), 1),
        (_set(2, outputs=[]), 2),
        (_set(0, source="# Title\n\nNo question."), 1),
        (_set(5, source="## The end"), 1),
        (_set(1, metadata={}), 1),
        (_set(1, metadata={"tags": [PARAMETERS], "simspec": {"quick": {"CELLS": 2}}}), 1),
        (_set(4, metadata={}), 1),
    ],
)
def test_a_spoilt_notebook_is_noticed(spoil, count) -> None:
    notebook = copy.deepcopy(sample())
    spoil(notebook)
    assert len(faults(notebook)) == count, faults(notebook)


def test_a_notebook_without_a_slider_is_noticed() -> None:
    notebook = sample()
    notebook["cells"][3]["source"] = "draw(1)"
    assert faults(notebook) == ["its code is not what was executed: python notebooks/run.py", "has no slider"]


# --- that they run --------------------------------------------------------------------------------------------------


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, str(ROOT / "notebooks" / "run.py"), *arguments]
    return subprocess.run(program, capture_output=True, text=True, timeout=GUARD, cwd=ROOT)


def differences(shipped: dict[str, Any], again: dict[str, Any]) -> list[str]:
    """Cells marked as exact whose words are others than those that ship."""
    new = {cell["id"]: words(cell) for cell in code(again)}
    return [cell["id"] for cell in code(shipped) if exact(cell) and new.get(cell["id"]) != words(cell)]


@pytest.fixture(scope="module")
def run_again(request, tmp_path_factory) -> tuple[Path, str]:
    """Where the notebooks that are asked for lie once they have run, one after the other, and what was said."""
    require("notebooks")
    out = tmp_path_factory.mktemp("notebooks")
    asked = [
        i.callspec.params["path"].stem for i in request.session.items if "run_again" in getattr(i, "fixturenames", ())
    ]
    return out, command("--quick", "--out", str(out), *asked).stderr


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)
def test_a_notebook_runs_at_the_quick_size_and_says_what_it_ships_with(path, run_again) -> None:
    out, said = run_again
    assert (out / path.name).exists(), said
    again = read(out / path.name)
    assert list(noise(again)) == []
    assert differences(read(path), again) == []


def test_another_text_of_an_exact_cell_is_noticed() -> None:
    again = sample()
    assert differences(sample(), again) == []
    again["cells"][4]["outputs"][0]["text"] = "2/3\n"
    assert differences(sample(), again) == ["d"]


def test_sizes_are_put_in_place() -> None:
    require("notebooks")
    import nbformat

    notebook = at_quick_size(nbformat.from_dict(sample()))
    assert [cell.source for cell in notebook.cells[:3]] == ["# Title\n\n*Why?*", "ROWS = 9", "ROWS = 2"]
    with pytest.raises(ValueError, match="2 cells of parameters"):
        notebook.cells[2].metadata = notebook.cells[1].metadata
        at_quick_size(notebook)


def test_both_ends_of_a_slider_are_drawn() -> None:
    require("notebooks")
    import ipywidgets

    drawn = []
    sliders = {
        "g": (1, 9, 2),
        "t": ipywidgets.FloatLogSlider(min=-1, max=1, value=1),
        "k": ipywidgets.SelectionSlider(options=[2, 4, 8]),
    }
    at_the_ends(lambda **values: drawn.append(tuple(values.values())), **sliders)
    at_the_ends(b=[("one", 1), ("two", 2)])(lambda b: drawn.append(b))
    assert drawn == [(1, 1.0, 2), (9, 1.0, 2), (5, 0.1, 2), (5, 10.0, 2), (5, 1.0, 2), (5, 1.0, 8), 1, 2]
    assert still(drawn.append, b=3) == still(b=3)(drawn.append) == drawn.append and len(drawn) == 8


def test_a_wrong_command_says_what_is_wrong() -> None:
    require("notebooks")
    unknown, unsafe = command("nowhere"), command("--quick")
    assert (unknown.returncode, unsafe.returncode) == (2, 2)
    assert "NAME: 'nowhere'; expected one of" in unknown.stderr and "expected --out DIR" in unsafe.stderr
