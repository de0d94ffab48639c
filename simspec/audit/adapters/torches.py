"""PyTorch's chance as an argument: a function runs with a stand-in for `torch` whose random numbers are given uniforms.

Nothing of PyTorch is changed: the function is rebuilt from its own code with other globals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import numpy as np

from simspec.audit.adapters.form import drawn, single
from simspec.laws import Array

__all__ = ["TorchWithUniforms", "logarithms", "one_thread", "seeded", "with_globals"]


class TorchWithUniforms:
    """Stands in for `torch`: `rand` and `rand_like` give the next columns of the uniforms (n, C), `multinomial` uses the next.

    A call of `rand` with a shape of n k numbers takes k columns; `multinomial` of (n, V) weights takes one, by inverse CDF.
    Whatever else is asked for is PyTorch's.

    With the uniforms 0.5 and 0.25, ``rand(1)`` is 0.5, and then ``multinomial`` of the weights 0.3 and 0.7 is 0.
    """

    def __init__(self, uniforms: Array) -> None:
        self.restart(uniforms)

    def restart(self, uniforms: Array) -> None:
        """Begin the next call, with other uniforms: a function that takes one call at a time is then rebuilt only once."""
        self._uniforms = uniforms
        self._used = 0

    def __getattr__(self, name: str) -> Any:
        import torch

        return getattr(torch, name)

    def _next(self, width: int) -> Array:
        self._used += width
        if self._used > self._uniforms.shape[1]:
            raise ValueError(f"uniforms: {self._uniforms.shape[1]} columns; expected at least {self._used}")
        return self._uniforms[:, self._used - width : self._used]

    def rand(self, *shape: Any, dtype: Any = None, **others: Any) -> Any:
        """Uniforms of a shape: the next uniforms, rounded down to what the type holds."""
        import torch

        size = torch.Size(shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape)
        dtype = dtype or torch.get_default_dtype()
        uniforms = self._next(size.numel() // len(self._uniforms))
        return torch.tensor(uniforms if dtype == torch.float64 else single(uniforms), dtype=dtype).reshape(size)

    def rand_like(self, tensor: Any, **others: Any) -> Any:
        """Uniforms in the shape and type of a tensor."""
        return self.rand(tensor.shape, dtype=tensor.dtype)

    def multinomial(self, weights: Any, num_samples: int = 1, **others: Any) -> Any:
        """One token of each row of weights; one of all where there is no row."""
        import torch

        if num_samples != 1:
            raise ValueError(f"num_samples: {num_samples}; expected 1")
        rows = weights.detach().double().numpy().reshape(-1, weights.shape[-1])
        return torch.tensor(drawn(rows, self._next(1)[:, 0])).reshape(*weights.shape[:-1], 1)


def with_globals(function: Callable[..., Any], **names: Any) -> Callable[..., Any]:
    """A function with its own code and some other globals.

    >>> def root(x):
    ...     return np.sqrt(x)
    >>> with_globals(root, np=__import__("math"))(4) == 2.0
    True
    """
    if not isinstance(function, FunctionType):
        raise ValueError(f"{function!r}: is a {type(function).__name__}; expected a function written in Python")
    copy = FunctionType(
        function.__code__, function.__globals__ | names, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


@contextmanager
def seeded(rng: np.random.Generator) -> Iterator[Any]:
    """PyTorch's own generator seeded from `rng`, then as it was before; gives another one, seeded from `rng` too."""
    import torch

    with torch.random.fork_rng(devices=[]), one_thread():
        torch.manual_seed(int(rng.integers(2**63)))
        yield torch.Generator().manual_seed(int(rng.integers(2**63)))


@contextmanager
def one_thread() -> Iterator[None]:
    """PyTorch works on one thread for a while: on a few numbers, waiting for others costs a hundred times the work."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def logarithms(laws: Array, dtype: Any) -> Any:
    """Logits of laws as a tensor: -inf where there is no mass."""
    import torch

    with np.errstate(divide="ignore"):
        return torch.tensor(np.log(laws), dtype=dtype)
