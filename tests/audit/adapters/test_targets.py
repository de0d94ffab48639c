"""Known targets: real functions where they are installed, and what is said where they are not."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from simspec.audit import Pair, Verdict, revealing
from simspec.audit.adapters import FORMS, TARGETS, Adapted, Target, targets_of
from simspec.audit.adapters.alone import load_alone, place_alone
from simspec.audit.adapters.judging import Asked, Subject, judge, subjects
from simspec.audit.adapters.targets import INTERPRETED, SLOW, WHOLE
from simspec.audit.reference import speculative
from simspec.audit.uniforms.emitted import emitted
from tests.requirements import require

ROOT = Path(__file__).parents[3]
SMALL = revealing(1, 2)[0]


def test_transformers_is_lossless() -> None:
    """The installed function, of whatever version: its exact law on a pair, and as a black box within a TV of 0.2."""
    require("torch")
    (target,) = targets_of("transformers")
    adapted = target.adapted()
    found = emitted(adapted.with_uniforms, SMALL, adapted.uniforms(1), confirmed=50)
    assert (found.facts.tv, found.width, found.facts.acceptance) == (0, 0, Fraction(1, 2))
    asked = Asked(pairs=[SMALL], calls=700, tv_limit=0.2, more={"diagnose": False})
    assert judge(Subject(target.name, None, adapted, {}), asked).verdict is Verdict.LOSSLESS


COMPARED = """
import numpy as np
from simspec.audit import revealing
from simspec.audit.adapters import FORMS, targets_of
from simspec.audit.adapters.form import drafted
from tests.audit.adapters import imitations
imitations.bring_torch()

(target,) = targets_of("{name}")
rng, pair = np.random.default_rng(0), revealing(2, 2)[0]
given = pair.p, pair.q, drafted(pair.q, 12, rng), rng.random((12, {uniforms}))
imitated = FORMS[target.form](imitations.{imitation})
print(target.adapted().with_uniforms(*given).tolist() == imitated.with_uniforms(*given).tolist())
"""


@pytest.mark.parametrize(
    ("name", "imitation", "uniforms"),
    [("sglang.chain", "chain_speculative_sampling", 3), ("vllm.probs", "rejection_sample", 4)],
)
def test_kernels_of_engines_under_the_interpreter_do_what_the_imitation_does(name, imitation, uniforms) -> None:
    """The file of the engine alone, on the same uniforms, in a process where Triton can interpret."""
    require(name.partition(".")[0])
    code = COMPARED.format(name=name, imitation=imitation, uniforms=uniforms)
    environment = os.environ | {"TRITON_INTERPRET": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "True\n", done.stderr


def test_every_target_has_a_form_and_says_how_to_get_it(monkeypatch) -> None:
    assert {target.form for target in TARGETS} <= set(FORMS)
    assert len({target.name for target in TARGETS}) == len(TARGETS)
    assert {t.calls for t in TARGETS if t.name == "transformers" or t.name.startswith("seqspecdecod")} == {
        SLOW["calls"]
    }
    assert {t.calls for t in TARGETS if t.name.startswith("transformers-")} == {WHOLE["calls"]}
    assert {t.calls for t in TARGETS if t.name.startswith(("vllm", "sglang"))} == {INTERPRETED["calls"]}
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
    assert own.adapted.sampler is speculative and own.adapted.least == 0 and own.adapted.with_uniforms is None
    for bad in ({"form": "other"}, {"reference": "sglang", "form": "numpy"}):
        with pytest.raises(ValueError, match="form: "):
            subjects(**({"reference": "simspec.audit.reference:speculative"} | bad))


def test_laws_that_do_not_suit_are_left_out() -> None:
    seen = []

    def sampler(p, q, n, rng):
        seen.append(p.shape)
        return speculative(p, q, n, rng)

    subject = Subject("mine", None, Adapted(sampler, least=2), {"calls": 250, "tv_limit": 0.5})
    report = judge(subject, Asked(vocab=2, more={"diagnose": False}))
    assert report.verdict is Verdict.LOSSLESS and {length for length, _ in seen} == {3}
    with pytest.raises(ValueError, match="mine takes at least 2 draft tokens"):
        judge(subject, Asked(gamma=1))
    with pytest.raises(ValueError, match="uniforms cannot be passed to mine"):
        judge(subject, Asked(exact=True))


def test_rounding_is_no_bias() -> None:
    """A bias of 1/64 is none where rounding may cost 1/32."""

    def moved(p, q, drafts, uniforms):
        return (uniforms[:, :1] >= p[0, 0] + 2.0**-6).astype(int)

    pair = Pair("one row", np.array([[0.25, 0.75]]), np.zeros((0, 2)))
    asked = Asked(pairs=[pair], exact=True, uniforms=1, more={"confirmed": 100})
    for resolution, verdict in ((0.0, Verdict.BIASED), (2.0**-5, Verdict.LOSSLESS)):
        subject = Subject("mine", None, Adapted(moved, moved, least=0, resolution=resolution), {})
        assert judge(subject, asked).verdict is verdict


def test_a_fault_at_the_end_of_the_coin_is_no_rounding() -> None:
    """A closed test: the uniform 0 keeps a token that the target never says."""

    def closed(p, q, drafts, uniforms):
        x = drafts[:, 0]
        kept = uniforms[:, 0] <= p[0, x]
        return np.stack([np.where(kept, x, 1), np.where(kept, 0, -1)], axis=1)

    pair = Pair("never", np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[1.0, 0.0]]))
    subject = Subject("mine", None, Adapted(closed, closed, resolution=2.0**-20), {})
    report = judge(subject, Asked(pairs=[pair], exact=True, uniforms=1, more={"confirmed": 100}))
    assert report.verdict is Verdict.BIASED and report.first.fault


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
    monkeypatch.delitem(
        sys.modules, "triton.language.standard", raising=False
    )  # another test of this process, by PyTorch
    assert place_alone("engine.deep.file") == tmp_path / "engine/deep/file.py"
    before = set(sys.modules)
    assert load_alone("engine.deep.file").answer() == 42
    assert {name for name in set(sys.modules) - before if name.startswith("engine")} == set()
    with pytest.raises(ModuleNotFoundError, match=r"engine\.deep\.other"):
        load_alone("engine.deep.other")
