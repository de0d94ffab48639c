// Arrays of random numbers: what simspec/kernels/random/__init__.py draws, one thread a draw.
#include "philox.h"

// index of this thread's draw, counting over rows and tokens
__device__ inline i64 place() { return (i64)blockIdx.x * blockDim.x + threadIdx.x; }

KERNEL(words, u32 k0, u32 k1, const u64* rows, i64 count, const u32* tokens, i64 vocab, u32 purpose, u32* out) {
    const i64 i = place();
    if (i >= count * vocab) return;
    const philox::Words w = philox::words(k0, k1, rows[i / vocab], tokens[i % vocab], purpose);
    for (int j = 0; j < 4; ++j) out[4 * i + j] = w.at[j];
}

KERNEL(uniform, u32 k0, u32 k1, const u64* rows, i64 count, const u32* tokens, i64 vocab, u32 purpose, u32 word,
       double* out) {
    const i64 i = place();
    if (i >= count * vocab) return;
    out[i] = philox::unit(philox::words(k0, k1, rows[i / vocab], tokens[i % vocab], purpose).at[word & 3]);
}

// normal draws for df = infinity
KERNEL(student_t, u32 k0, u32 k1, const u64* rows, i64 count, const u32* tokens, i64 vocab, u32 purpose, double df,
       double* out) {
    const i64 i = place();
    if (i >= count * vocab) return;
    out[i] = philox::student_t(k0, k1, rows[i / vocab], tokens[i % vocab], purpose, df);
}
