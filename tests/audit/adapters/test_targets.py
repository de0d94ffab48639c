"""Known targets: real functions where they are installed, and what is said where they are not."""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np
import pytest

from simspec.audit import Verdict, revealing
from simspec.audit.adapters import FORMS, TARGETS, Adapted, Target, targets_of
from simspec.audit.adapters.alone import load_alone, place_alone
from simspec.audit.adapters.form import drafted
from simspec.audit.adapters.judging import Asked, Subject, judge, subjects
from simspec.audit.coins.emitted import emitted
from simspec.audit.reference import speculative
from tests.requirements import require

SMALL = revealing(1, 2)[0]


def test_transformers_is_lossless() -> None:
    """The installed function: its exact law on a pair, and as a black box within a TV of 0.2."""
    require("torch")
    (target,) = targets_of("transformers")
    assert target.version == target.tried, "another version: audit it, then change `tried` in targets.py"
    adapted = target.adapted()
    found = emitted(adapted.coined, SMALL, adapted.coins(1), confirmed=50)
    assert (found.facts.tv, found.width, found.facts.acceptance) == (0, 0, Fraction(1, 2))
    asked = Asked(pairs=[SMALL], calls=700, within=0.2, more={"diagnose": False})
    assert judge(Subject(target.name, None, adapted, {}), asked).verdict is Verdict.LOSSLESS


@pytest.mark.parametrize(("engine", "name"), [("sglang", "sglang.chain"), ("vllm", "vllm.probs")])
def test_kernels_of_engines_under_the_interpreter_do_what_the_imitation_does(engine, name) -> None:
    """The file of the engine alone, on the same coins; SGLang's block verification differs from the second draft on."""
    require(engine)
    from tests.audit.adapters import imitations

    forms = {"sglang": imitations.chain_speculative_sampling, "vllm": imitations.rejection_sample}
    rng, pair = np.random.default_rng(0), revealing(2, 2)[0]
    coins = rng.random((12, 4 if engine == "vllm" else 3))
    given = pair.p, pair.q, drafted(pair.q, 12, rng), coins
    (target,) = targets_of(name)
    imitated = FORMS[target.form](forms[engine]).coined(*given)
    assert target.adapted().coined(*given).tolist() == imitated.tolist()


def test_every_target_has_a_form_and_says_how_to_get_it(monkeypatch) -> None:
    assert {target.form for target in TARGETS} <= set(FORMS)
    assert len({target.name for target in TARGETS}) == len(TARGETS)
    for target in TARGETS:
        missing = target._replace(module=f"no_such_{target.module}", distribution="no-such-package")
        assert missing.version is None
        with pytest.raises(ValueError, match=r"expected it installed: pip install .*no-such-package=="):
            missing.adapted()


def test_a_package_without_the_function_is_told() -> None:
    gone = Target("mine", "simspec", "1", "simspec.audit.reference", "gone", "numpy")
    with pytest.raises(ValueError, match=r"simspec\.audit\.reference has no gone; simspec 1 has"):
        gone.adapted()


def test_a_name_stands_for_a_target_a_package_or_a_place(monkeypatch) -> None:
    monkeypatch.setattr(Target, "adapted", lambda self: Adapted(speculative))
    assert [s.name for s in subjects("flashspec")] == ["flashspec.step", "flashspec.one-hot", "flashspec.sample"]
    assert [s.name for s in subjects("sglang.block")] == ["sglang.block"]
    (own,) = subjects("simspec.audit.reference:speculative")
    assert own.adapted.sampler is speculative and own.adapted.least == 0 and own.adapted.coined is None
    for bad in ({"form": "other"}, {"reference": "sglang", "form": "numpy"}):
        with pytest.raises(ValueError, match="form: "):
            subjects(**({"reference": "simspec.audit.reference:speculative"} | bad))


def test_laws_that_do_not_suit_are_left_out() -> None:
    seen = []

    def sampler(p, q, n, rng):
        seen.append(p.shape)
        return speculative(p, q, n, rng)

    subject = Subject("mine", None, Adapted(sampler, least=2), {"calls": 250, "within": 0.5})
    report = judge(subject, Asked(vocab=2, more={"diagnose": False}))
    assert report.verdict is Verdict.LOSSLESS and {length for length, _ in seen} == {3}
    with pytest.raises(ValueError, match="mine takes laws with at least 2 drafts"):
        judge(subject, Asked(gamma=1))
    with pytest.raises(ValueError, match="the coins of mine cannot be passed"):
        judge(subject, Asked(exact=True))


# --- one file of a package ------------------------------------------------------------------------------------------

ALONE = """
from engine.heavy.things import Wanted, launcher
from engine.other import unused
import engine.more

@launcher(kernel=1)
def nothing(x: int = Wanted(3)): ...

def answer():
    return 42
"""


def test_a_file_is_loaded_without_its_package(tmp_path, monkeypatch) -> None:
    (tmp_path / "engine/deep").mkdir(parents=True)
    (tmp_path / "engine/__init__.py").write_text("raise RuntimeError('not to be imported')\n")
    (tmp_path / "engine/deep/file.py").write_text(ALONE.replace("@launcher(kernel=1)\n", ""))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    assert place_alone("engine.deep.file") == tmp_path / "engine/deep/file.py"
    before = set(sys.modules)
    assert load_alone("engine.deep.file").answer() == 42
    assert {name for name in set(sys.modules) - before if name.startswith("engine")} == set()
    with pytest.raises(ModuleNotFoundError, match=r"engine\.deep\.other"):
        load_alone("engine.deep.other")
