// Overlaps of synthetic row pairs in float32, each of which is drawn once: a block or a cluster of blocks holds its powers of two.
//
// Location and scale are those of logits in base 2, so that a mass is a sum of powers of two.  What a draw can be bounds them:
// Gaussian logits of `cuda_synthetic.held` lie between -FAR and FAR, and no largest logit is looked for.  Student-t logits are
// brought between LOWEST and HIGHEST; a row whose masses show that this may have changed it has the overlap -1, and is left to
// synthetic.cu.
//
// The order of sums depends on neither the blocks nor the threads.  A row is cut into groups of 1024 tokens, which SECTIONS
// sections take in turn, and within a section two halves in turn; each half has a slot for each of 256 lanes, whose groups it
// adds in turn.  The 512 slots of a section are added by halves, and so are the sections.
#ifndef SIMSPEC_PAIRS_H
#define SIMSPEC_PAIRS_H

#include "cluster.h"
#include "masses.h"
#include "model.h"

const int SECTIONS = 8, SLOTS = 2 * LANES;
const float LOWEST = -125.0f, HIGHEST = 120.0f;
const double LEAST = 0x1p-50, MOST = 0x1p100;  // of a mass whose logits were not changed by more than rounding

// Where a block keeps powers: two quads a group of each slot, the first groups in shared memory, the others behind
struct Held {
    Quad *shared, *behind;
    int in_shared;  // groups of a slot there

    // those of a slot: the first and, further by as many groups, the others
    __device__ Quad* near(int slot) const { return shared + slot; }
    __device__ Quad* far(int slot) const { return behind + slot - in_shared * (2 * SLOTS); }
};

// of a group, given those of its slot
__device__ inline Quad* of_group(const Held& held, Quad* near, Quad* far, int group) {
    return (group < held.in_shared ? near : far) + group * (2 * SLOTS);
}

__device__ inline void put(Quad* quad, const float (&e)[4]) {
    Quad own;
    for (int i = 0; i < 4; ++i) own.word[i] = __float_as_uint(e[i]);
    *quad = own;
}

__device__ inline void get(const Quad* quad, float (&e)[4]) {
    const Quad own = *quad;
    for (int i = 0; i < 4; ++i) e[i] = __uint_as_float(own.word[i]);
}

// sums of the sections, by halves; every thread of the cluster has them
template <int BLOCKS, int N>
__device__ inline Few<double, N> join_sections(double* sections) {
    CLUSTER_SYNC(BLOCKS);
    Few<double, N> total;
    for (int i = 0; i < N; ++i) {
        double part[SECTIONS];
        for (int s = 0; s < SECTIONS; ++s) part[s] = sections[i * SECTIONS + s];
        total.at[i] = added(part);
    }
    return total;
}

// a section's sums, for all blocks of the cluster
template <int BLOCKS, int N>
__device__ inline void tell(double* sections, int section, const Few<double, N>& own) {
    if (threadIdx.x == 0)
        for (int r = 0; r < BLOCKS; ++r)
            for (int i = 0; i < N; ++i) of_block<BLOCKS>(sections, r)[i * SECTIONS + section] = own.at[i];
}

// the first token of a slot of a section
__device__ inline u32 first_token(int section, int slot) {
    return (u32)((section + SECTIONS * (slot / LANES)) * FOUR + slot % LANES);
}

// powers of four tokens of both rows, 0 beyond the vocabulary
template <class D>
__device__ inline void powers(const Model<D>& model, u64 row, u32 x, u32 vocab, float (&p)[4], float (&q)[4]) {
    model.pairs(row, x, p, q);
    UNROLLED for (int i = 0; i < 4; ++i) {
        if (!D::normal) {
            p[i] = fminf(fmaxf(p[i], LOWEST), HIGHEST);
            q[i] = fminf(fmaxf(q[i], LOWEST), HIGHEST);
        }
        p[i] = power_of_two(p[i]);
        q[i] = power_of_two(q[i]);
    }
    if (x + 3 * SHARED >= vocab)
        for (int i = 0; i < 4; ++i)
            if (x + i * SHARED >= vocab) p[i] = q[i] = 0;
}

// one row; board: room for 2 SLOTS + 3 SECTIONS numbers
template <int BLOCKS, class D>
__device__ double held_overlap(const Model<D>& model, u64 row, const Held& held, double* board) {
    const int rank = blockIdx.x % BLOCKS;
    const u32 vocab = (u32)model.vocab, end = (vocab + FOUR - 1) / FOUR * FOUR, stride = 2 * SECTIONS * FOUR;
    const int each = (int)((vocab + stride - 1) / stride);  // groups of a slot, at most
    double *const masses = board + 2 * SLOTS, *const kept = masses + 2 * SECTIONS;
    float p[4], q[4];
    for (int section = rank; section < SECTIONS; section += BLOCKS) {
        for (int t = threadIdx.x; t < SLOTS; t += blockDim.x) {
            Quad *const near = held.near(t), *const far = held.far(t);
            double p_sum = 0, q_sum = 0;
            int group = section / BLOCKS * each;
            for (u32 x = first_token(section, t); x < end; x += stride, ++group) {
                powers(model, row, x, vocab, p, q);
                Quad* const at = of_group(held, near, far, group);
                put(at, p);
                put(at + SLOTS, q);
                p_sum += added(p);
                q_sum += added(q);
            }
            board[t] = p_sum;
            board[SLOTS + t] = q_sum;
        }
        tell<BLOCKS>(masses, section, block_reduce<Sum, 2, SLOTS>(board));
    }
    const Few<double, 2> s = join_sections<BLOCKS, 2>(masses);
    const float p_share = (float)(1 / s.at[0]), q_share = (float)(1 / s.at[1]);
    for (int section = rank; section < SECTIONS; section += BLOCKS) {
        for (int t = threadIdx.x; t < SLOTS; t += blockDim.x) {
            Quad *const near = held.near(t), *const far = held.far(t);
            double sum = 0;
            int group = section / BLOCKS * each;
            for (u32 x = first_token(section, t); x < end; x += stride, ++group) {
                const Quad* const at = of_group(held, near, far, group);
                get(at, p);
                get(at + SLOTS, q);
                for (int j = 0; j < 4; ++j) p[j] = fminf(p[j] * p_share, q[j] * q_share);
                sum += added(p);
            }
            board[t] = sum;
        }
        tell<BLOCKS>(kept, section, block_reduce<Sum, 1, SLOTS>(board));
    }
    const double overlap = join_sections<BLOCKS, 1>(kept).at[0];
    const bool unchanged = D::normal || (s.at[0] > LEAST && s.at[0] < MOST && s.at[1] > LEAST && s.at[1] < MOST);
    return unchanged ? overlap : -1.0;
}

// All rows of a launch, a cluster's in turn; behind: room for each cluster's groups that are not in shared memory
template <int BLOCKS>
__device__ void held_overlaps(const u64* cells, i64 count, i64 rows, i64 in_shared, u32* behind, i64 behind_quads, double* out) {
    Quad* const memory = shared_memory();
    double* const board = (double*)memory;
    const Held held = {memory + (2 * SLOTS + 3 * SECTIONS) * sizeof(double) / sizeof(Quad),
                       (Quad*)behind + blockIdx.x * behind_quads, (int)in_shared};
    for (i64 i = blockIdx.x / BLOCKS; i < rows; i += gridDim.x / BLOCKS) {
        const Cell& cell = cell_of(cells, count, i);
        const u64 row = cell.first_row + (i - cell.start);
        double overlap;
        if (is_normal(cell.df)) overlap = held_overlap<BLOCKS>(Model<Singles<true>>(cell), row, held, board);
        else overlap = held_overlap<BLOCKS>(Model<Singles<false>>(cell), row, held, board);
        if (threadIdx.x == 0 && blockIdx.x % BLOCKS == 0) out[i] = overlap;
    }
}

// behind: quads by their words; behind_quads: those of a block
#define HELD const u64 *cells, i64 count, i64 rows, i64 in_shared, u32 *behind, i64 behind_quads, double *out

#endif
