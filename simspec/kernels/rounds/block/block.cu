// Rounds of block verification on paths, driven by tables in the order of q/p: one replication a thread.
//
// The meaning is simspec/kernels/rounds/block/reference.py run, with its float64 operations in its order, so that a bisection
// takes the same turns; drafts and bonus tokens are found as in rounds.cu.
#include "sorted.h"

// drafted, reach: (count, gamma), to work in; the rest as in rounds.cu
KERNEL(block_rounds, const u32* draft_last, const int* draft_guide, const u32* target_last, const int* target_guide,
       const double* ratio, const int* order, const double* rising, const double* above, const int* following, i64 vocab,
       i64 bits, i64 gamma, i64 rounds, u32 k0, u32 k1, const u64* rows, i64 count, i64 start, u32 purpose, int* drafted,
       double* reach, int* accepted, int* state, i64 with_tokens, int* emitted, i64 with_times, u64* times) {
    const i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const Guided draft{draft_last, draft_guide, vocab, bits}, target{target_last, target_guide, vocab, bits};
    const Sorted sorted{order, rising, above, vocab};
    const i64 width = rounds * (gamma + 1);
    int* x = drafted + i * gamma;
    double* r = reach + i * gamma;  // of the prefix that ends with the draft of the same place
    i64 s = start, length = 0, many = 0;
    for (i64 t = 0; t < rounds; ++t) {
        const u32 first = (u32)(t * (gamma + 1));
        i64 made = 0, at = s;
        for (double share = 1.0; made < gamma; ++made) {  // a draft of ratio zero ends the drafting
            const int token = draft(at, philox::words(k0, k1, rows[i], first + (u32)made, purpose).at[0]);
            share *= ratio[at * vocab + token];
            if (share == 0.0) break;
            share = share < 1.0 ? share : 1.0;
            x[made] = token;
            r[made] = share;
            at = following[token];
        }
        i64 kept = made;
        for (; kept > 0; --kept) {
            double h = r[kept - 1];
            if (kept < gamma) {
                const double mass = sorted.missing(following[x[kept - 1]], h, many), rest = mass + (1.0 - h);
                h = rest > 0.0 ? mass / rest : 1.0;
            }
            if (philox::unit(philox::words(k0, k1, rows[i], first + (u32)(kept - 1), purpose).at[1]) < h) break;
        }
        for (i64 n = 0; n <= kept; ++n) {
            int token = n < kept ? x[n] : 0;
            if (n == kept) {
                const u32 word = philox::words(k0, k1, rows[i], first + (u32)kept, purpose).at[2];
                const double part = kept ? r[kept - 1] : 1.0;
                const double mass = kept < gamma ? sorted.missing(s, part, many) : 0.0;
                token = mass > 0.0 ? sorted.token(s, part, many, philox::unit(word) * mass) : target(s, word);
            }
            if (with_tokens) emitted[i * width + length++] = token;
            if (with_times) atomicAdd(times + s * vocab + token, (u64)1);
            s = following[token];
        }
        accepted[i * rounds + t] = (int)kept;
    }
    if (with_tokens)
        for (; length < width; ++length) emitted[i * width + length] = -1;
    state[i] = (int)s;
}
