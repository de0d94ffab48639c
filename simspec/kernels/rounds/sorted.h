// Laws in the order of q/p, as simspec/kernels/rounds/block/packed.py makes them: masses of (r p - q)_+, and tokens of it.
//
// A guide narrows each search, and the law at r = 1, the commonest by far, is tabulated for words: what is found is what a
// bisection of all tokens finds.
#ifndef SIMSPEC_SORTED_H
#define SIMSPEC_SORTED_H

#include "guided.h"

const double NEAR = 1e-3, MARGIN = 1e-6;  // those of packed.py

// tokens by rising q/p, and the sums of p and q in this order, side by side
struct Sorted {
    const int* order;      // (states, vocab)
    const double* rising;  // (states, vocab)
    const double* above;   // (states, vocab, 2)
    const int* guide;      // (states, 2^bits + 2): how many q/p are below each k / 2^bits
    const double* most;    // (states,): mass of (p - q)_+
    Guided rest;           // the law of (p - q)_+ over places; its guide begins with -1 where it has none

    __device__ double sum(i64 state, i64 place, double r) const {
        const double* both = above + 2 * (state * rest.vocab + place);
        return r * both[0] - both[1];
    }

    // how many tokens have r p > q, and their mass of r p - q; 0 <= r <= 1
    __device__ double missing(i64 state, double r, i64& many) const {
        const i64 parts = 1ll << rest.bits;
        const int* cells = guide + state * (parts + 2);
        if (r == 1.0) {
            many = cells[parts];
            return most[state];
        }
        const i64 cell = (i64)(r * (double)parts);
        i64 low = cells[cell], high = cells[cell + 1];
        while (low < high) {
            const i64 middle = (low + high) / 2;
            if (rising[state * rest.vocab + middle] < r)
                low = middle + 1;
            else
                high = middle;
        }
        many = low;
        const double mass = low ? sum(state, low - 1, r) : 0.0;
        return mass > 0.0 ? mass : 0.0;
    }

    // whether a test fails for sure: the mass at r is at most r times that at 1, for it is convex and 0 at 0
    __device__ bool fails(i64 state, double r, double uniform) const {
        const double shortfall = 1.0 - r, top = r * most[state];
        return shortfall > NEAR && uniform > top / (top + shortfall) + MARGIN;
    }

    // the token of (r p - q)_+, of some mass, that a word draws
    __device__ int token(i64 state, double r, i64 many, double mass, u32 word) const {
        i64 low = 0;
        if (r == 1.0 && rest.guide[state * ((1ll << rest.bits) + 1)] >= 0) {
            low = rest(state, word);
        } else {
            const double want = philox::unit(word) * mass;
            i64 step = 1;
            while (step < many) step *= 2;
            const auto passes = [&](i64 at) { return at < many && !(sum(state, at - 1, r) > want); };
            // two steps of the bisection at a time: what the second reads does not wait for the first
            for (; step >= 4; step /= 4) {
                const i64 half = step / 2, quarter = step / 4;
                const bool middle = passes(low + half), lower = passes(low + quarter), upper = passes(low + half + quarter);
                low += (middle ? half : 0) + ((middle ? upper : lower) ? quarter : 0);
            }
            if (step == 2 && passes(low + 1)) low += 1;
        }
        return order[state * rest.vocab + low];
    }
};

#define SORTED                                                                                                     \
    const int *order, const double *rising, const double *above, const int *missing_guide, const double *most,     \
        const u32 *rest_last, const int *rest_guide

#endif
