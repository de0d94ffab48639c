// Laws in the order of q/p, as simspec/kernels/rounds/block/packed.py makes them: masses of (r p - q)_+, and tokens of it.
#ifndef SIMSPEC_SORTED_H
#define SIMSPEC_SORTED_H

#include "guided.h"

// tokens by rising q/p, and the sums of p and q in this order, side by side
struct Sorted {
    const int* order;      // (states, vocab)
    const double* rising;  // (states, vocab)
    const double* above;   // (states, vocab, 2)
    i64 vocab;

    __device__ double sum(i64 state, i64 place, double r) const {
        const double* both = above + 2 * (state * vocab + place);
        return r * both[0] - both[1];
    }

    // how many tokens have r p > q, and their mass of r p - q
    __device__ double missing(i64 state, double r, i64& many) const {
        i64 low = 0, high = vocab;
        while (low < high) {
            const i64 middle = (low + high) / 2;
            if (rising[state * vocab + middle] < r)
                low = middle + 1;
            else
                high = middle;
        }
        many = low;
        const double mass = low ? sum(state, low - 1, r) : 0.0;
        return mass > 0.0 ? mass : 0.0;
    }

    // the token of (r p - q)_+ that a part of its mass draws
    __device__ int token(i64 state, double r, i64 many, double want) const {
        i64 low = 0, step = 1;
        while (step < many) step *= 2;
        while (step /= 2)
            if (low + step < many && !(sum(state, low + step - 1, r) > want)) low += step;
        return order[state * vocab + low];
    }
};

#endif
