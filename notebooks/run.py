"""Executes the notebooks, and writes what they show into them.

python notebooks/run.py                   # all of them, as they ship
python notebooks/run.py 05_thin_wire      # one
python notebooks/run.py --quick --out DIR # at the size of the tests, as copies in DIR: nothing here changes

A notebook that fails is left as it was. As they ship each has a kernel of its own; at the size of the tests they share one,
which forgets what the one before has made. With its outputs each keeps a digest of its code, so that what a page shows is
known to come from the code above it. Sliders are not shown: a page without a kernel cannot move them.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from importlib import import_module
from pathlib import Path
from typing import Any

__all__ = [
    "PARAMETERS",
    "at_quick_size",
    "at_the_ends",
    "code_digest",
    "contents",
    "execute",
    "forget",
    "kernel",
    "main",
    "opening",
    "still",
    "tidy",
]

HERE = Path(__file__).parent
GUARD = 600
"""Seconds after which one cell is taken for hung."""
PARAMETERS = "parameters"
"""Tag of the cell that holds the sizes."""
COLOURING = re.compile(r"\x1b\[[0-9;]*m")
"""What IPython colours an error with."""
COARSE = {"bbox_inches": None, "dpi": 50}
"""How pictures are printed that nobody looks at: drawn once, not a second time to find the margin that is cut off."""
BEFORE = "before-the-notebook"
"""Id of a cell that the execution puts first."""


def still(function: Any = None, **sliders: Any) -> Any:
    """In place of `ipywidgets.interact` while a notebook is executed: there is nobody to move a slider."""
    return function or (lambda function: function)


def at_the_ends(function: Any = None, **sliders: Any) -> Any:
    """In place of `ipywidgets.interact` in a test: calls the function with each slider at either end, the others as given."""
    if function is None:
        return lambda function: at_the_ends(function, **sliders)
    import ipywidgets

    make = ipywidgets.interactive.widget_from_abbrev
    widgets = {n: slider if isinstance(slider, ipywidgets.Widget) else make(slider) for n, slider in sliders.items()}
    start = {name: widget.value for name, widget in widgets.items()}
    for name, widget in widgets.items():
        for value in _ends(widget):
            function(**start | {name: value})
    return function


def _ends(widget: Any) -> list[Any]:
    """First and last value of a widget, or the one it has."""
    if hasattr(widget, "options"):
        options = [option[-1] if isinstance(option, tuple) else option for option in widget.options]
        return [options[0], options[-1]]
    if hasattr(widget, "base"):
        return [widget.base**widget.min, widget.base**widget.max]
    return [widget.min, widget.max] if hasattr(widget, "min") else [widget.value]


def code_digest(notebook: Any) -> str:
    """SHA-256 of the sources of the code cells, in their order."""
    sources = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return hashlib.sha256(json.dumps(sources).encode()).hexdigest()


def opening(notebook: Any) -> tuple[str, str]:
    """Title and question: the first heading, and the first line under it that is not blank."""
    lines = [line.strip() for line in "".join(notebook["cells"][0]["source"]).splitlines() if line.strip()]
    if len(lines) < 2 or not lines[0].startswith("# "):
        raise ValueError(f"first cell: {lines[:1]}; expected a heading `# title` and a question under it")
    return lines[0][2:], lines[1].strip("*_")


def at_quick_size(notebook: Any) -> Any:
    """The notebook with the sizes of the tests set after its own.

    Raises
    ------
    ValueError
        where there is not exactly one cell of parameters, or its metadata name no sizes.
    """
    import nbformat

    cells = notebook.cells
    found = [i for i, cell in enumerate(cells) if PARAMETERS in cell.metadata.get("tags", ())]
    if len(found) != 1 or not (quick := cells[found[0]].metadata.get("simspec", {}).get("quick")):
        raise ValueError(f'{len(found)} cells of parameters; expected one, with metadata {{"simspec": {{"quick": …}}}}')
    sizes = "\n".join(f"{name} = {value!r}" for name, value in quick.items())
    cells.insert(found[0] + 1, nbformat.v4.new_code_cell(sizes, id="quick-sizes"))
    return notebook


def tidy(notebook: Any) -> Any:
    """The notebook with the digest of its code, and without what only its execution needed or what differs at every run."""
    notebook.cells = [cell for cell in notebook.cells if cell.id != BEFORE]
    for count, cell in enumerate((cell for cell in notebook.cells if cell.cell_type == "code"), 1):
        cell.execution_count = count
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = count
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        "simspec": {"code": code_digest(notebook)},
    }
    return notebook


@contextmanager
def kernel() -> Iterator[Any]:
    """The manager of a kernel of this interpreter, which starts with the first notebook that is executed in it.

    The kernel neither reads nor writes the user's settings of Jupyter and IPython.
    """
    with tempfile.TemporaryDirectory() as folder:
        settings = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
        os.environ.update({name: str(Path(folder, name)) for name in settings})
        manager = import_module("jupyter_client.manager").AsyncKernelManager(kernel_name="python3")
        if os.name == "posix":
            manager.transport, manager.ip = "ipc", str(Path(folder, "kernel"))  # no port that others can read
        # as long as the kernel lives: it cannot be in a folder that is gone
        manager.work = Path(folder, "work")
        manager.work.mkdir()
        try:
            yield manager
        finally:
            if manager.has_kernel:
                import_module("jupyter_core.utils").run_sync(manager.shutdown_kernel)(now=True)


def execute(notebook: Any, manager: Any, said: Callable[[int], object] = lambda at: None) -> Any:
    """The notebook, executed in an empty folder by a kernel that imports the simspec of this repository."""
    from nbclient import NotebookClient

    for entry in manager.work.iterdir():  # of the notebook before
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    client = NotebookClient(
        notebook,
        km=manager,
        timeout=GUARD,
        resources={"metadata": {"path": str(manager.work)}},
        record_timing=False,
        on_cell_start=lambda cell, cell_index: said(cell_index),
    )
    try:
        return client.execute()
    finally:
        if client.kc is not None:
            client.kc.stop_channels()


def forget() -> None:
    """In a kernel that has executed a notebook: names, pictures, settings of pictures and this repository's modules are gone.

    The garbage collector need not look through the packages that stay, each time.
    """
    from IPython import get_ipython

    gc.freeze()
    get_ipython().run_line_magic("reset", "-f")
    for name in [name for name in sys.modules if name.split(".")[0] in ("simspec", "proofs_check", "notebooks")]:
        del sys.modules[name]
    if "matplotlib.pyplot" in sys.modules:
        import matplotlib.pyplot as plt

        plt.close("all")
        plt.rcdefaults()


def contents(folder: Path) -> str:
    """The page that lists a folder's notebooks, with the question of each."""
    rows = []
    for path in sorted(folder.glob("*.ipynb")):
        title, question = opening(json.loads(path.read_text(encoding="utf-8")))
        rows.append(f"| [{title}]({path.name}) | {question} |")
    return "\n".join(
        [
            "# Notebooks",
            "",
            "Learn speculative decoding with pictures and numbers that you can change. You need to have read one blog post about",
            "it. `make notebooks` installs what the notebooks need and opens the first one. Each notebook starts with a question",
            "and ends with what to try next. The [glossary](../docs/glossary.md) explains the words.",
            "",
            "`python notebooks/run.py` executes all notebooks again and writes this page.",
            "",
            "| notebook | question |",
            "|---|---|",
            *rows,
            "",
        ]
    )


def _run(path: Path, out: Path, quick: bool, manager: Any) -> None:
    """Execute one notebook and write it to `out`."""
    import nbformat

    from simspec.files import write_text

    notebook = nbformat.read(path, as_version=4)
    if quick:
        notebook = at_quick_size(notebook)
    name = (at_the_ends if quick else still).__name__
    before = f"import ipywidgets\n\nfrom notebooks.run import {name}\n\nipywidgets.interact = {name}"
    if quick:
        before += f"\n%config InlineBackend.print_figure_kwargs = {COARSE}"
    if manager.has_kernel:
        before = f"from notebooks.run import forget\n\nforget()\n{before}"
    notebook.cells.insert(0, nbformat.v4.new_code_cell(before, id=BEFORE))
    count, start = len(notebook.cells), time.monotonic()

    def said(at: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{path.stem}: cell {at + 1} of {count}\033[K", end="", file=sys.stderr, flush=True)

    done = tidy(execute(notebook, manager, said))
    write_text(nbformat.writes(done).rstrip("\n") + "\n", out / path.name)
    start_of_line = "\r\033[K" if sys.stderr.isatty() else ""
    print(f"{start_of_line}{path.stem}: {count} cells, {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command: 0 when every notebook ran, 1 when one failed, 2 for a name that does not exist."""
    parser = argparse.ArgumentParser(description="Execute the notebooks and write what they show into them.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="such as 05_thin_wire; all of them by default")
    parser.add_argument("--quick", action="store_true", help="at the size of the tests; needs --out")
    parser.add_argument("--out", type=Path, metavar="DIR", help="write copies here instead")
    options = parser.parse_args(arguments)
    known = {path.stem: path for path in sorted(HERE.glob("*.ipynb"))}
    if unknown := [name for name in options.names if name not in known]:
        parser.error(f"NAME: {unknown[0]!r}; expected one of {', '.join(known)}")
    if options.quick and not options.out:
        parser.error("--quick: would replace what ships; expected --out DIR beside it")
    sys.path.insert(0, str(HERE.parent))
    os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"  # the kernel of this environment, not one of the user's
    import matplotlib.font_manager  # noqa: F401  builds its list of fonts once, which no notebook is to tell of
    from nbclient.exceptions import CellExecutionError

    from simspec.files import write_text

    failed = []
    with kernel() if options.quick else nullcontext() as shared:
        for name in options.names or known:
            try:
                with nullcontext(shared) if shared else kernel() as manager:
                    _run(known[name], options.out or HERE, options.quick, manager)
            except (CellExecutionError, ValueError) as error:
                failed.append(name)
                print(f"{name}: {COLOURING.sub('', str(error))}", file=sys.stderr)
    if not options.out and not failed:
        write_text(contents(HERE), HERE / "README.md")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
