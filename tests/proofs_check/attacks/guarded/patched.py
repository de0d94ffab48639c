"""Code of one's own against what guards a check: the guard itself, what it does not hold, and what is put back in time.

As in `tests.proofs_check.attacks.running`: the claim says that two laws overlap by at most 1/2, the proof says 1.
"""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path

from proofs_check.__main__ import main
from tests.proofs_check.attacks.attack import Attack, NotProved
from tests.proofs_check.attacks.promised import LOOKED_UP, PROGRAM
from tests.proofs_check.attacks.running import Way, recorded_with

__all__ = ["PATCHED"]

FAMILY = "code of one's own against what guards a check"
AGREES = (
    "sys.modules['proofs_check.checking.agreement'].near = lambda *a, **b: True",
    "sys.modules['proofs_check.checking.about'].broken_at = lambda claim: None",
)
"""What is changed so that nothing differs from the claim, and no edge is asked."""
NOTICED = "proofs_check.checking.agreement.near"


def _then(*lines: str, before: str = "") -> str:
    """A function that runs some lines, and changes the checker."""
    body = "".join(f"\n    {line}" for line in (*lines, *AGREES))
    return f"{before}\ndef changes():{body}\n"


UNCHANGED = "sys.modules['proofs_check.checking.unchanged']"
GUARD = f"{UNCHANGED}._WATCHES[-1][1]"
NOTHING = "lambda *a, **b: None"
WAYS = {
    "comparison": Way(
        "the comparison of what is guarded is replaced by one that finds nothing",
        _then(f"{UNCHANGED}._compare = {NOTHING}"),
        "proofs_check.checking.unchanged._compare",
    ),
    "lists": Way(
        "the lists of what is guarded are emptied",
        _then(*(f"{GUARD}.{name}.clear()" for name in ("_spaces", "_workings", "_names"))),
        NOTICED,
    ),
    "watches": Way(
        "the list of checks that are guarded is emptied, so that nothing is compared before the end",
        _then(f"{UNCHANGED}._WATCHES.clear()"),
        NOTICED,
    ),
    "method": Way(
        "the guard's class gets a method that finds nothing",
        _then("import simspec.guarding", "simspec.guarding.Originals.put_back = lambda self, besides=(): []"),
        "simspec.guarding.Originals.put_back",
    ),
    "method_code": Way(
        "the guard's method that looks for changes gets the code of one that finds none",
        _then(
            "import simspec.guarding", "simspec.guarding.Originals._changed.__code__ = (lambda self: iter(())).__code__"
        ),
        "simspec.guarding.Originals._changed.__code__",
    ),
    "of_the_guard_alone": Way(
        "the guard that is at work gets a method of its own, which finds nothing",
        _then(f"{GUARD}.put_back = lambda besides=(): []"),
        NOTICED,
    ),
    "for_a_while": Way(
        "all that is changed is put among what a check itself changes for a while",
        _then(f"{UNCHANGED}.FOR_A_WHILE = frozenset(label for label, _ in {GUARD}.items())"),
        NOTICED,
    ),
    "leaving": Way(
        "what Python does when a watch ends does nothing, and nobody compares before",
        _then(
            "import contextlib",
            f"contextlib._GeneratorContextManager.__exit__ = {NOTHING}",
            *(f"sys.modules['proofs_check.checking.{m}'].check_unchanged = {NOTHING}" for m in ("agreement", "proof")),
        ),
        "contextlib._GeneratorContextManager.__exit__|proofs_check.checking.agreement.check_unchanged",
    ),
    "standard_library": Way(
        "every text of an instance is the same, so that one is left to be compared with",
        "def changes():\n    import json\n    json.dumps = lambda *a, **b: ''",
        "json.dumps",
    ),
    "numpy": Way(
        "NumPy makes both sides of the claim the number 1",
        "def changes():\n    np.broadcast_arrays = lambda *a, **b: [np.array([1], dtype=object)] * len(a)",
        "numpy.broadcast_arrays",
    ),
    "built_in_import": Way(
        "Python imports by a function of one's own",
        "import builtins\ndef changes():\n    before = builtins.__import__\n"
        "    builtins.__import__ = lambda *a, **b: before(*a, **b)",
        "builtins.__import__",
        "sides",
    ),
    "profile": Way(
        "a hook of Python's for each call changes the comparison, except while it is looked for changes",
        """
about = sys.modules['proofs_check.checking.about']
agreement = sys.modules['proofs_check.checking.agreement']
before = agreement.near, about.broken_at
WITHIN = ("sides_apart", "compared", "agreeing")


def put(is_changed):
    agreement.near, about.broken_at = (
        ((lambda *a, **b: True), (lambda claim: None)) if is_changed else before
    )


def hook(frame, event, argument):
    name = frame.f_code.co_name
    if name in ("check_unchanged", "_compare", "put_back"):
        put(event == "return" and name == "check_unchanged")
    elif name in WITHIN and event == "call":
        put(True)
    elif name in WITHIN and event == "return":
        put(False)


def changes():
    sys.setprofile(hook)
""",
        "sys.setprofile",
    ),
    "trace": Way(
        "a hook of Python's for each function that begins is told of all that the check calls",
        """
def hook(frame, event, argument):
    return None


def changes():
    sys.settrace(hook)
""",
        "sys.settrace",
    ),
    "back_in_time": Way(
        "nobody compares until the last instance, which puts all back",
        """
BEFORE = {}


def is_last():
    frame = sys._getframe()
    while frame:
        if frame.f_code.co_name == "_check_numbers":
            return True
        frame = frame.f_back
    return False


def changes():
    modules = {name: sys.modules[f"proofs_check.checking.{name}"] for name in ("agreement", "proof", "about")}
    if BEFORE or is_last():
        if is_last():
            for (module, name), value in BEFORE.items():
                setattr(modules[module], name, value)
        return
    new = {
        ("agreement", "check_unchanged"): lambda: None,
        ("proof", "check_unchanged"): lambda: None,
        ("agreement", "near"): lambda *a, **b: True,
        ("about", "broken_at"): lambda claim: None,
    }
    for (module, name), value in new.items():
        BEFORE[module, name] = getattr(modules[module], name)
        setattr(modules[module], name, value)
""",
        "",
    ),
    "deleted": Way(
        "an object that an instance holds changes the checker when it is forgotten",
        """
class Late:
    def __del__(self):
        change()


def change():
    LINES


def changes():
    Late()
""".replace("LINES", "\n    ".join(AGREES)),
        NOTICED,
    ),
    "weak_reference": Way(
        "what Python calls when a law of an instance is forgotten changes the checker",
        """
import weakref


class Law(np.ndarray):
    pass


def change():
    LINES


def changes():
    weakref.finalize(np.zeros(2).view(Law), change)
""".replace("LINES", "\n    ".join(AGREES)),
        NOTICED,
    ),
    "thread": Way(
        "another thread changes the checker",
        "import threading\n"
        + _then().replace("changes", "change")
        + "def changes():\n    thread = threading.Thread(target=change)\n    thread.start()\n    thread.join()",
        NOTICED,
    ),
    "signal": Way(
        "what answers a signal changes the checker",
        "import signal\n"
        + _then().replace("def changes()", "def change(*a)")
        + "def changes():\n    before = signal.signal(signal.SIGUSR1, change)\n    signal.raise_signal(signal.SIGUSR1)\n"
        "    signal.signal(signal.SIGUSR1, before)",
        NOTICED,
    ),
    "descriptor": Way(
        "a class of the checker looks up its attributes by a function of one's own",
        "def changes():\n    import proofs_check.rules.derivation as module\n"
        "    module.Derivation.__getattribute__ = lambda self, name: () if name == 'conclusions' "
        "else object.__getattribute__(self, name)",
        "proofs_check.rules.derivation.Derivation.__getattribute__",
    ),
    "class_of_numbers": Way(
        "an enclosure overlaps with every number",
        "def changes():\n    import flint\n    sys.modules['simspec.claims.balls'].ball = lambda *a: flint.arb(0, 10)",
        "simspec.claims.balls.ball",
    ),
    "modules": Way(
        "the list of all modules has another agreement, which the check does not look up",
        "import types\ndef changes():\n    sys.modules['proofs_check.checking.agreement'] = types.ModuleType('agreement')",
        "proofs_check.checking.agreement|Right side|right side",
    ),
    "who_asks": Way(
        "the bound is 1 while somebody checks a proof, and 1/2 for everybody else",
        """
def changes():
    pass


class Bound:
    def __get__(self, instance, owner=None):
        return Fraction(1) if "proofs_check" in sys.modules else Fraction(1, 2)


class Bounds:
    most = Bound()


def asked():
    return Bounds().most


def both_now(p, q):
    return np.minimum(p, q).sum(axis=-1)


MOST = Bounds().most
""",
        "",
    ),
    "both_guards": Way(
        "the comparison is replaced, and the list of what the command compares when it ends is emptied",
        _then("import simspec.guarding", f"{UNCHANGED}._compare = {NOTHING}", "simspec.guarding._guarded.clear()"),
        "",
    ),
}
BY_COMMAND = frozenset("comparison lists of_the_guard_alone both_guards".split())
"""Those that are noticed when the command ends, before anything is written."""
OUTSIDE = {"both_guards": PROGRAM, "back_in_time": PROGRAM, "who_asks": LOOKED_UP}


def _by_command(file: Path) -> object:
    """The record that ``python -m proofs_check FILE`` writes."""
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        status = main([str(file)])
    record = file.with_name("mine_proof.checked.json")
    if status or not record.exists():
        raise NotProved(said.getvalue())
    return record.read_text(encoding="utf-8")


def _attack(name: str, way: Way) -> Attack:
    check = {"check": _by_command} if name in BY_COMMAND else {}
    return Attack(
        f"guard_{name}",
        FAMILY,
        way.says,
        partial(recorded_with, way.where, "1, 2", way.text, **check),
        OUTSIDE.get(name, ""),
        twin=partial(recorded_with, way.where, "1, 1", "", **check),
        by=way.by,
    )


PATCHED = [_attack(name, way) for name, way in WAYS.items()]
