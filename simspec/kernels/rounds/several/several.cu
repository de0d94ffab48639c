// Rounds with several independent drafts at each position, driven by tables: one replication a thread.
//
// The meaning is simspec/kernels/rounds/several/reference.py run, the tables are those of numba_several.py beside it, and the integers
// are theirs: words are compared with integers, and uniforms with the same float64 quotients.
#include "guided.h"

// shift, scale: (states, drafts); the rest as in rounds.cu
KERNEL(several, const u32* draft_last, const int* draft_guide, const u32* residual_last, const int* residual_guide,
       const u32* target_last, const int* target_guide, const double* ratio, const double* shift, const double* scale,
       const int* following, i64 vocab, i64 bits, i64 drafts, i64 gamma, i64 rounds, u32 k0, u32 k1, NUMBERED,
       i64 count, i64 start, u32 purpose, int* accepted, int* state, i64 with_tokens, int* emitted, i64 with_times,
       u64* times) {
    const i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const u64 row = ROW;
    const Guided draft{draft_last, draft_guide, vocab, bits}, residual{residual_last, residual_guide, vocab, bits},
        target{target_last, target_guide, vocab, bits};
    const i64 width = rounds * (gamma + 1);
    i64 s = start, length = 0;
    for (i64 t = 0; t < rounds; ++t)
        for (i64 n = 0, ended = 0; !ended; ++n) {
            const u32 first = (u32)((t * (gamma + 1) + n) * drafts);
            philox::Words w = philox::words(k0, k1, row, first, purpose);
            const u32 last = w.at[2];
            int x = 0;
            bool kept = false;
            for (i64 j = 0; j < drafts && n < gamma && !kept; ++j) {
                if (j) w = philox::words(k0, k1, row, first + (u32)j, purpose);
                x = draft(s, w.at[0]);
                const double more = ratio[s * vocab + x] - shift[s * drafts + j];
                kept = philox::unit(w.at[1]) < (more > 0.0 ? more : 0.0) / scale[s * drafts + j];
            }
            ended = !kept;
            if (ended) {
                x = n == gamma ? target(s, last) : residual(s, last);
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
