"""Samplers of known packages, by name: where they live, which form they have, how to get them."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

from simspec.audit.adapters import (
    batches,
    dflash,
    economize,
    flash,
    generation,
    huggingface,
    litgpt,
    seqspec,
    sglang,
    steps,
    translation,
    vllm,
)
from simspec.audit.adapters.alone import load_alone
from simspec.audit.adapters.form import Adapted

__all__ = ["FORMS", "INTERPRETED", "SLOW", "TARGETS", "WHOLE", "Target", "targets_of"]

FORMS: dict[str, Callable[[Any], Adapted]] = {
    "numpy": batches.numpy,
    "one": batches.one,
    "torch": batches.torch,
    "uniforms": batches.uniforms,
    "step": steps.step,
    "state": steps.state,
    "state-uniforms": steps.state_with_uniforms,
    "transformers": huggingface.transformers,
    "transformers-generate": generation.generate,
    "transformers-options": generation.options,
    "transformers-lookup": generation.lookup,
    "transformers-universal": generation.universal,
    "transformers-translator": translation.translator,
    "vllm": vllm.vllm,
    "vllm-one-hot": vllm.vllm_one_hot,
    "sglang": sglang.sglang_chain,
    "sglang-block": sglang.sglang_block,
    "sglang-tree": sglang.sglang_tree,
    "flashspec": flash.flashspec,
    "flashspec-sample": flash.flashspec_sample,
    "seqspecdecod": seqspec.seqspecdecod,
    "litgpt": litgpt.litgpt,
    "litgpt-greedy": litgpt.litgpt_greedy,
    "litgpt-top-p": litgpt.litgpt_top_p,
    "dflash": dflash.dflash,
    "economize": economize.economize,
}
"""Adapters by the name of the form of what they take."""


class Target(NamedTuple):
    """A sampler of a package.

    Attributes
    ----------
    name : as `simspec audit` knows it, PACKAGE.PART
    distribution, tried : name on the package index, and the version that the adapter was written for
    module, function : where it lives
    form : one of `FORMS`
    alone : whether its file is loaded without the package, which then need not be importable
    calls, tv_limit, confirmed : what its speed allows, unless something else is asked for
    """

    name: str
    distribution: str
    tried: str
    module: str
    function: str
    form: str
    alone: bool = False
    calls: int = 50_000
    tv_limit: float = 0.05
    confirmed: int = 50_000

    @property
    def version(self) -> str | None:
        """Version that is installed; None where none is."""
        try:
            return version(self.distribution)
        except PackageNotFoundError:
            return None

    def adapted(self) -> Adapted:
        """The installed function in the forms that an audit takes.

        Raises
        ------
        ValueError
            where the package is not installed, with the command that installs it, or has no such function.
        """
        try:
            module = load_alone(self.module) if self.alone else import_module(self.module)
        except ImportError as error:
            raise ValueError(f"{self.name}: {error}; expected it installed: {self.install}") from None
        function = getattr(module, self.function, None)
        if function is None:
            raise ValueError(f"{self.name}: {self.module} has no {self.function}; {self.distribution} {self.tried} has")
        return FORMS[self.form](function)

    @property
    def install(self) -> str:
        """Command that makes it available."""
        wheel = f"{self.distribution}=={self.tried}"
        if not self.alone:
            return f"pip install {wheel}" + ("" if self.distribution == "transformers" else " torch")
        return f"pip install --no-deps --target engines {wheel}; pip install torch triton; PYTHONPATH=engines simspec audit …"


SLOW: dict[str, Any] = {"calls": 10_000, "tv_limit": 0.08, "confirmed": 1000}
"""Functions that take one call at a time, in PyTorch."""
WHOLE: dict[str, Any] = {"calls": 1000, "tv_limit": 0.25, "confirmed": 250}
"""Whole generations, some hundredths of a second a call: a black box shows large biases only."""
INTERPRETED: dict[str, Any] = {"calls": 500, "tv_limit": 0.08, "confirmed": 100}
"""Kernels under Triton's interpreter, some hundredths of a second a call: a black box shows large biases only."""
_FLASH = "flashspec.sampling.rejection"
_SEQ = "sequential-speculative-decoding"
_SGLANG = "sglang.kernels.ops.speculative.reject_sampling"
_CHAIN = "chain_speculative_sampling_triton"
_VLLM = "vllm.v1.sample.rejection_sampler"
_GENERATE = ("transformers", "5.24.0", "transformers.generation.utils", "GenerationMixin")
TARGETS: tuple[Target, ...] = (
    Target(
        "transformers",
        "transformers",
        "5.24.0",
        "transformers.generation.utils",
        "_speculative_sampling",
        "transformers",
    )._replace(**SLOW),
    *(
        Target(form, *_GENERATE, form)._replace(**WHOLE)
        for form in ("transformers-generate", "transformers-options", "transformers-lookup", "transformers-universal")
    ),
    Target("vllm.probs", "vllm", "0.33.0", _VLLM, "rejection_sample", "vllm", True)._replace(**INTERPRETED),
    Target("vllm.one-hot", "vllm", "0.33.0", _VLLM, "rejection_sample", "vllm-one-hot", True)._replace(**INTERPRETED),
    Target("sglang.chain", "sglang", "0.5.23", _SGLANG, _CHAIN, "sglang", True)._replace(**INTERPRETED),
    Target("sglang.block", "sglang", "0.5.23", _SGLANG, _CHAIN, "sglang-block", True)._replace(**INTERPRETED),
    Target("flashspec.step", "flashspec", "0.3.1", _FLASH, "rejection_step", "flashspec"),
    Target("flashspec.one-hot", "flashspec", "0.3.1", _FLASH, "rejection_step_onehot", "flashspec"),
    Target("flashspec.sample", "flashspec", "0.3.1", _FLASH, "rejection_sample", "flashspec-sample"),
    Target(
        "seqspecdecod.standard", _SEQ, "0.1.1", "seqspecdecod.standard_sd", "standard_speculative_step", "seqspecdecod"
    )._replace(**SLOW),
    Target("seqspecdecod.naive", _SEQ, "0.1.1", "seqspecdecod.naive_hsd", "naive_hsd_step", "seqspecdecod")._replace(
        **SLOW
    ),
    Target("seqspecdecod.capped", _SEQ, "0.1.1", "seqspecdecod.capped_hsd", "capped_hsd_step", "seqspecdecod")._replace(
        **SLOW
    ),
    *(
        Target(
            f"litgpt.{part}",
            "litgpt",
            "0.5.13",
            "litgpt.generate.speculative_decoding",
            "speculative_decoding",
            form,
            True,
        )._replace(**SLOW)
        for part, form in (("plain", "litgpt"), ("greedy", "litgpt-greedy"), ("top-p", "litgpt-top-p"))
    ),
    Target("dflash", "dflash", "0.1.0", "dflash.model", "_rejection_sample", "dflash")._replace(**SLOW),
    Target("economize", "economize", "0.3.2", "economize.decoding.verifiers", "RejectionVerifier", "economize"),
)
"""What is known."""


def targets_of(name: str) -> list[Target]:
    """The target of this name, or all of this package; none where nothing is known.

    >>> [target.name for target in targets_of("sglang")], targets_of("mine.py:sampler")
    (['sglang.chain', 'sglang.block'], [])
    """
    return [target for target in TARGETS if name in (target.name, target.name.partition(".")[0])]
