// Total variation of the softmax laws of two rows of logits, each of which is read once: a block or a cluster holds a pair.
//
// A row is cut into steps of STEP * LANES = 2048 tokens, as tv.cu reads it; a block takes blockDim.x / (LANES / WIDE) steps in a
// row.  A thread has of one step the WIDE lanes that lie in 16 bytes of logits: STEP such quads of row a in registers, and of
// row b in shared memory, where it alone reads them.
//
// The sums are those of tv.cu, in the same order, so their bits are the same.  What a lane of tv.cu knows as it goes along is
// brought together here: the largest logit up to a step is a maximum, which any order gives; the sums of the steps are added
// in turn by the block that owns the lane.  Maxima leave NaN out as there; a row with NaN has a sum or a distance that is NaN.
#ifndef SIMSPEC_HELD_H
#define SIMSPEC_HELD_H

#include "cluster.h"
#include "stored.h"

const int COLUMNS = 2 * LANES;  // lanes of both rows

// STEP quads of a row: in registers, or in shared memory at a distance of a block's threads
struct InRegisters {
    Quad quad[STEP];

    __device__ u32 word(int i, int w) const { return quad[i].word[w]; }
    __device__ void copy(int i, const void* from) { quad[i] = load_quad(from); }
    __device__ void set(int i, int w, u32 word) { quad[i].word[w] = word; }
};

struct InShared {
    Quad* first;

    __device__ u32 word(int i, int w) const { return first[i * blockDim.x].word[w]; }
    __device__ void copy(int i, const void* from) { copy_quad(first + i * blockDim.x, from); }
    __device__ void set(int i, int w, u32 word) { first[i * blockDim.x].word[w] = word; }
};

template <class S>
struct Layout {
    static const int SIZE = sizeof(typename S::stored);
    static const int WIDE = 16 / SIZE;          // logits of a quad, one of each of as many lanes
    static const int EACH = 4 / SIZE;           // logits of a word
    static const int WIDTH = LANES / WIDE;      // threads of a step

    // lane `l` of a thread's STEP quads
    template <class Place>
    static __device__ void lane(const Place& place, int l, float (&z)[STEP]) {
        for (int i = 0; i < STEP; ++i) {
            const u32 word = place.word(i, l / EACH);
            z[i] = S::of_bits(SIZE == 4 ? word : word >> 16 * (l % EACH) & 0xFFFFu);
        }
    }

    // the quads of a row from token `first` on, minus infinity behind its end: 16 bytes at a time where they lie on a multiple
    // of 16 and within the row
    template <class Place>
    static __device__ void fetch(const typename S::stored* row, i64 first, i64 vocab, Place& place) {
        const bool even = (u64)row % 16 == 0;
        UNROLLED for (int i = 0; i < STEP; ++i) {
            const i64 at = first + i * LANES;
            if (even && at + WIDE <= vocab) {
                place.copy(i, row + at);
            } else {
                UNROLLED for (int w = 0; w < 4; ++w) {
                    u32 word = 0;
                    for (int j = 0; j < EACH; ++j) {
                        const i64 x = at + w * EACH + j;
                        word |= (x < vocab ? S::bits(row[x]) : S::minus_infinity_bits) << 16 * j;
                    }
                    place.set(i, w, word);
                }
            }
        }
    }
};

// Shared memory of a block beside the quads: `steps` numbers a column, and what the lanes are joined in
struct Board {
    float *tops, *sums;  // (2 rows, steps, LANES): the largest logit up to a step, and the sum of a step's exponentials
    double* terms;       // (steps, LANES), where tops were: the distance of a step
    float* last;         // (COLUMNS): the largest logit of the block's steps
    Masses<float>* masses;
    int steps;

    __device__ Board(void* memory, int steps) : steps(steps) {
        masses = (Masses<float>*)memory;
        last = (float*)(masses + 1);
        tops = last + COLUMNS;
        sums = tops + steps * COLUMNS;
        terms = (double*)tops;
    }

    // of a column and a step, in tops and sums
    __device__ int at(int column, int step) const { return (column / LANES * steps + step) * LANES + column % LANES; }
};

// The largest logit of a step becomes that of the row up to it
template <int BLOCKS>
__device__ inline void raise_tops(const Board& board, [[maybe_unused]] int rank) {
    for (int c = threadIdx.x; c < COLUMNS; c += blockDim.x) {
        float top = minus_infinity<float>();
        for (int s = 0; s < board.steps; ++s) {
            float* const own = board.tops + board.at(c, s);
            top = greater(top, *own);
            *own = top;
        }
        board.last[c] = top;
    }
    CLUSTER_SYNC(BLOCKS);
    if constexpr (BLOCKS > 1) {
        for (int c = threadIdx.x; c < COLUMNS; c += blockDim.x) {
            float top = minus_infinity<float>();
            for (int r = 0; r < rank; ++r) top = greater(top, of_block<BLOCKS>(board.last, r)[c]);
            for (int s = 0; s < board.steps; ++s) {
                float* const own = board.tops + board.at(c, s);
                *own = greater(top, *own);
            }
        }
        __syncthreads();
    }
}

// The masses of the columns that this block owns, for all blocks: each step's sum in turn, rescaled where a logit is larger
template <int BLOCKS>
__device__ inline void gather_masses(const Board& board, int rank) {
    for (int i = threadIdx.x; i < COLUMNS / BLOCKS; i += blockDim.x) {
        const int c = rank * (COLUMNS / BLOCKS) + i;
        float top = minus_infinity<float>();
        double sum = 0;
        for (int r = 0; r < BLOCKS; ++r) {
            const float* const tops = of_block<BLOCKS>(board.tops, r);
            const float* const sums = of_block<BLOCKS>(board.sums, r);
            for (int s = 0; s < board.steps; ++s) {
                const float next = tops[board.at(c, s)];
                if (next != top) sum *= exponential((double)top - (double)next);
                sum += sums[board.at(c, s)];
                top = next;
            }
        }
        for (int r = 0; r < BLOCKS; ++r) {
            Masses<float>* const masses = of_block<BLOCKS>(board.masses, r);
            masses->tops[c] = masses->own[c] = top;
            masses->sums[c] = sum;
        }
    }
}

// The distances of the lanes that this block owns, for the first block: the last step first
template <int BLOCKS>
__device__ inline void gather_distances(const Board& board, int rank) {
    for (int i = threadIdx.x; i < LANES / BLOCKS; i += blockDim.x) {
        const int lane = rank * (LANES / BLOCKS) + i;
        double distance = 0;
        for (int r = BLOCKS - 1; r >= 0; --r) {
            const double* const terms = of_block<BLOCKS>(board.terms, r);
            for (int s = board.steps - 1; s >= 0; --s) distance += terms[s * LANES + lane];
        }
        of_block<BLOCKS>(board.masses, 0)->sums[lane] = distance;
    }
}

template <class S, class Place>
__device__ inline void step_tops(const Place& place, float* tops) {
    UNROLLED for (int l = 0; l < Layout<S>::WIDE; ++l) {
        float z[STEP];
        Layout<S>::lane(place, l, z);
        float most = z[0];
        for (int i = 1; i < STEP; ++i) most = greater(most, z[i]);
        tops[l] = most;
    }
}

template <class S, class Place>
__device__ inline void step_sums(const Place& place, const float* tops, float* sums) {
    UNROLLED for (int l = 0; l < Layout<S>::WIDE; ++l) {
        float z[STEP];
        Layout<S>::lane(place, l, z);
        const float top = tops[l];
        for (int i = 0; i < STEP; ++i) z[i] = exponential(z[i] - top);
        const float sum = added(z);
        sums[l] = top == minus_infinity<float>() ? 0 : sum;  // nothing so far: the exponentials are NaN
    }
}

template <class S>
__device__ inline void step_terms(const InRegisters& a, const InShared& b, const Few<float, 2>& m, double p, double q,
                                  double* terms) {
    UNROLLED for (int l = 0; l < Layout<S>::WIDE; ++l) {
        float u[STEP], v[STEP];
        double d[STEP];
        Layout<S>::lane(a, l, u);
        Layout<S>::lane(b, l, v);
        for (int i = 0; i < STEP; ++i)
            d[i] = fabs(exponential(u[i] - m.at[0]) * p - exponential(v[i] - m.at[1]) * q);
        terms[l] = added(d);
    }
}

// launched with a multiple of WIDTH threads, BLOCKS blocks a pair, and `plans.py`'s number of bytes
template <class S, int BLOCKS>
__device__ void held(const typename S::stored* a, const typename S::stored* b, i64 vocab, double* out) {
    typedef Layout<S> L;
    const int rank = blockIdx.x % BLOCKS, steps = blockDim.x / L::WIDTH, step = threadIdx.x / L::WIDTH;
    const int lane = threadIdx.x % L::WIDTH * L::WIDE;
    const i64 pair = blockIdx.x / BLOCKS, first = (i64)(rank * steps + step) * (STEP * LANES) + lane;
    Quad* const memory = shared_memory();
    const Board board(memory + STEP * blockDim.x, steps);
    const int here = step * LANES + lane, there = here + steps * LANES;

    InShared q_row = {memory + threadIdx.x};
    InRegisters p_row;
    L::fetch(b + pair * vocab, first, vocab, q_row);
    L::fetch(a + pair * vocab, first, vocab, p_row);
    step_tops<S>(p_row, board.tops + here);
    copies_done();
    step_tops<S>(q_row, board.tops + there);
    __syncthreads();
    raise_tops<BLOCKS>(board, rank);

    step_sums<S>(p_row, board.tops + here, board.sums + here);
    step_sums<S>(q_row, board.tops + there, board.sums + there);
    CLUSTER_SYNC(BLOCKS);
    gather_masses<BLOCKS>(board, rank);
    CLUSTER_SYNC(BLOCKS);
    Few<float, 2> m;
    const Few<double, 2> s = board.masses->join(m);

    step_terms<S>(p_row, q_row, m, 1 / s.at[0], 1 / s.at[1], board.terms + here);
    CLUSTER_SYNC(BLOCKS);
    gather_distances<BLOCKS>(board, rank);
    CLUSTER_SYNC(BLOCKS);
    if (rank != 0) return;
    const double distance = block_reduce<Sum, 1>(board.masses->sums).at[0];
    if (threadIdx.x == 0) out[pair] = distance / 2;
}

#endif
