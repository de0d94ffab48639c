"""What a check rests on is held by its guard, also where no name of a module leads to it."""

from __future__ import annotations

import os
import sys
from typing import Any

from tests.requirements import require

require("proofs")
import sympy  # noqa: E402

from simspec.guarding import Originals  # noqa: E402


def _closed_over() -> Any:
    """A cell of a function of SymPy's, and what it holds."""
    cell = vars(sympy.Expr)["__sub__"].__closure__[1]
    return cell, cell.cell_contents


def test_what_a_check_rests_on_is_held_behind_names_too() -> None:
    """Modules in the list of all, what a function has closed over, tables of a class, hooks for calls, and the path."""
    originals = Originals({"sympy"})
    assert originals.put_back() == []
    cell, subtract = _closed_over()
    cell.cell_contents = lambda a, b: sympy.S.Zero
    table = sympy.Add._prop_handler["extended_nonnegative"]
    sympy.Add._prop_handler["extended_nonnegative"] = lambda self: True
    module = sys.modules["sympy.core.add"]
    sys.modules["sympy.core.add"] = sympy
    path, profile = os.environ["PATH"], sys.getprofile()
    os.environ["PATH"] = "/nowhere"
    sys.setprofile(lambda *event: None)
    changed = originals.put_back()
    assert (cell.cell_contents, sys.modules["sympy.core.add"], os.environ["PATH"]) == (subtract, module, path)
    assert sympy.Add._prop_handler["extended_nonnegative"] is table and sys.getprofile() is profile
    assert {"sys.setprofile", "os.environ['PATH']", "sys.modules['sympy.core.add']"} <= {*changed}
    assert any("__closure__[func]" in label for label in changed) and any(
        "_prop_handler[" in label for label in changed
    )
    assert originals.put_back() == []
