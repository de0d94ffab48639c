// A law for words, as simspec/kernels/rounds/numba_rounds.py makes and reads it.
#ifndef SIMSPEC_GUIDED_H
#define SIMSPEC_GUIDED_H

#include "philox.h"

// a law for words: the last word that draws each token or one before, and where to look for it
struct Guided {
    const u32* last;   // (states, vocab)
    const int* guide;  // (states, 2^bits + 1)
    i64 vocab, bits;

    __device__ int operator()(i64 state, u32 word) const {
        const i64 at = state * ((1ll << bits) + 1) + (i64)((u64)word >> (32 - bits));
        const u32* table = last + state * vocab;
        int low = guide[at], high = guide[at + 1];
        while (low < high) {
            const int middle = (low + high) / 2;
            if (word <= table[middle])
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    }
};

// Numbers of the replications: a list, or those that follow the first
struct Numbers {
    const u64* list;
    u64 first;
    i64 is_listed;

    __device__ u64 operator[](i64 i) const { return is_listed ? list[i] : first + (u64)i; }
};

#define NUMBERED const u64 *listed, u64 first_row, i64 is_listed
#define ROW (Numbers{listed, first_row, is_listed}[i])

#endif
