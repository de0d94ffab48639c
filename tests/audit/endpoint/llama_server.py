"""llama.cpp's server in a process of its own: `python -m tests.audit.endpoint.llama_server MODEL KIND [DRAFT]`.

It prints its URL and lives until its standard input ends, so that it never outlives the process that started it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

KINDS = {"plain": [0], "draft": [1], "ngram": [6]}
"""What speculates, by the engine's numbers."""


def main(model: str, kind: str, draft: str = "") -> None:
    """Serve until standard input ends."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = model
    parameters.n_ctx = 2048
    parameters.port = 0
    parameters.n_parallel = 4
    parameters.endpoint_metrics = True
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    parameters.speculative.types = KINDS[kind]
    # an n-gram of three tokens that was met before is gone on with: so that short texts meet some
    parameters.speculative.ngram_simple.size_n = 3
    parameters.speculative.ngram_simple.size_m = 4
    if draft:
        parameters.speculative.draft.mparams.path = draft
        parameters.speculative.draft.n_max = 4
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)  # the threads of the server would be waited for


@contextmanager
def llama(model: Path, kind: str = "plain", draft: Path | None = None) -> Iterator[str]:
    """URL of a server that runs meanwhile; it is stopped whatever happens."""
    words = [sys.executable, "-m", "tests.audit.endpoint.llama_server", str(model), kind]
    words += [str(draft)] if draft else []
    process = subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        lines = iter(process.stdout.readline, "")
        yield next(line.strip() for line in lines if line.startswith("http://127.0.0.1"))
    finally:
        process.kill()
        process.communicate()


def cut(source: Path, target: Path, blocks: int) -> Path:
    """The first blocks of a GGUF model as a model of its own: a draft with the same tokenizer."""
    import gguf

    reader = gguf.GGUFReader(source)
    architecture = reader.fields["general.architecture"].contents()
    writer = gguf.GGUFWriter(target, architecture)
    for name, field in reader.fields.items():
        if name.startswith("GGUF.") or name == "general.architecture":
            continue
        value = blocks if name == f"{architecture}.block_count" else field.contents()
        inner = field.types[-1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
        writer.add_key_value(name, value, field.types[0], inner)
    for tensor in reader.tensors:
        words = tensor.name.split(".")
        if words[0] != "blk" or int(words[1]) < blocks:
            writer.add_tensor(tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return target


if __name__ == "__main__":
    main(*sys.argv[1:])
