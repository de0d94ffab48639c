// Rounds of block verification on paths, driven by tables in the order of q/p: one replication a thread.
//
// The meaning is simspec/kernels/rounds/block/reference.py run, with its float64 operations in its order, so that a bisection
// takes the same turns; drafts and bonus tokens are found as in rounds.cu.
#include "sorted.h"

// drafted, uniforms, reach: (gamma, count), to work in; the rest as in rounds.cu
KERNEL(block_rounds, const u32* draft_last, const int* draft_guide, const u32* target_last, const int* target_guide,
       const double* ratio, SORTED, const int* following, i64 vocab, i64 bits, i64 gamma, i64 rounds, u32 k0, u32 k1, NUMBERED,
       i64 count, i64 start, u32 purpose, int* drafted, u32* uniforms, double* reach, int* accepted, int* state, i64 with_tokens, int* emitted, i64 with_times, u64* times) {
    const i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const u64 row = ROW;
    const Guided draft{draft_last, draft_guide, vocab, bits}, target{target_last, target_guide, vocab, bits};
    const Sorted sorted{order, rising, above, missing_guide, most, {rest_last, rest_guide, vocab, bits}};
    const i64 width = rounds * (gamma + 1);
    // of the draft of each place, count apart so that threads beside each other write beside each other
    const auto x = [=](i64 place) -> int& { return drafted[place * count + i]; };
    const auto word = [=](i64 place) -> u32& { return uniforms[place * count + i]; };
    const auto r = [=](i64 place) -> double& { return reach[place * count + i]; };  // of the prefix that ends there
    i64 s = start, length = 0, many = 0;
    for (i64 t = 0; t < rounds; ++t) {
        const u32 first = (u32)(t * (gamma + 1));
        i64 made = 0, at = s;
        for (double share = 1.0; made < gamma; ++made) {  // a draft of ratio zero ends the drafting
            const philox::Words w = philox::words(k0, k1, row, first + (u32)made, purpose);
            const int token = draft(at, w.at[0]);
            share *= ratio[at * vocab + token];
            if (share == 0.0) break;
            share = share < 1.0 ? share : 1.0;
            x(made) = token;
            word(made) = w.at[1];
            r(made) = share;
            at = following[token];
        }
        i64 kept = made;
        for (; kept > 0; --kept) {
            double h = r(kept - 1);
            const double uniform = philox::unit(word(kept - 1));
            if (kept < gamma) {
                const i64 here = following[x(kept - 1)];
                if (sorted.fails(here, h, uniform)) continue;
                const double mass = sorted.missing(here, h, many), rest = mass + (1.0 - h);
                h = rest > 0.0 ? mass / rest : 1.0;
            }
            if (uniform < h) break;
        }
        for (i64 n = 0; n <= kept; ++n) {
            int token = n < kept ? x(n) : 0;
            if (n == kept) {
                const u32 last = philox::words(k0, k1, row, first + (u32)kept, purpose).at[2];
                const double part = kept ? r(kept - 1) : 1.0;
                const double mass = kept < gamma ? sorted.missing(s, part, many) : 0.0;
                token = mass > 0.0 ? sorted.token(s, part, many, mass, last) : target(s, last);
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
