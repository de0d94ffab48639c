// Rounds of speculative decoding on paths, driven by tables: one replication a thread.
//
// The meaning is simspec/kernels/rounds/reference.py run, the tables are those of simspec/kernels/rounds/numba_rounds.py pack, and
// the integers are theirs: words are compared with integers, and uniforms with the same float64 shares.
#include "guided.h"

#define LAWS                                                                                                          \
    const u32 *draft_last, const int *draft_guide, const u32 *residual_last, const int *residual_guide,               \
        const u32 *target_last, const int *target_guide, const double *share, const int *following, i64 vocab, i64 bits

// emitted, in order, then -1: (count, rounds (gamma + 1)), read only if with_tokens; times: (states, vocab), if with_times
KERNEL(rounds, LAWS, i64 gamma, i64 rounds, u32 k0, u32 k1, NUMBERED, i64 count, i64 start, u32 purpose,
       int* accepted, int* state, i64 with_tokens, int* emitted, i64 with_times, u64* times) {
    const i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const u64 row = ROW;
    const Guided draft{draft_last, draft_guide, vocab, bits}, residual{residual_last, residual_guide, vocab, bits},
        target{target_last, target_guide, vocab, bits};
    const i64 width = rounds * (gamma + 1);
    i64 s = start, length = 0;
    for (i64 t = 0; t < rounds; ++t)
        for (i64 n = 0, ended = 0; !ended; ++n) {
            const philox::Words w = philox::words(k0, k1, row, (u32)(t * (gamma + 1) + n), purpose);
            int x = n < gamma ? draft(s, w.at[0]) : 0;
            ended = n == gamma || !(philox::unit(w.at[1]) < share[s * vocab + x]);
            if (ended) {
                x = n == gamma ? target(s, w.at[2]) : residual(s, w.at[2]);
                accepted[i * rounds + t] = (int)n;
            }
            if (with_tokens) emitted[i * width + length++] = x;
            if (with_times) atomicAdd(times + s * vocab + x, (u64)1);
            s = following[x];
        }
    if (with_tokens)
        for (; length < width; ++length) emitted[i * width + length] = -1;
    state[i] = (int)s;
}
