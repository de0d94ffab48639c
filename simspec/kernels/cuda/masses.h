// Largest logits and masses of two rows of logits, read or drawn once: what softmax divides by.
//
// Each lane keeps its largest logit so far and the sum of the exponentials below it, which a larger one rescales; then the
// lanes are joined.  A lane takes N tokens at once.  Exponentials and the sums of N of them in the type of the logits, the rest
// in float64.
#ifndef SIMSPEC_MASSES_H
#define SIMSPEC_MASSES_H

#include "reduce.h"

// N numbers by halves: N is a power of two
template <int N, class T>
__device__ inline T added(T (&e)[N]) {
    for (int half = N / 2; half > 0; half /= 2)
        for (int i = 0; i < half; ++i) e[i] += e[i + half];
    return e[0];
}

// The largest logit so far and the sum of the exponentials below it
template <class T>
struct Below {
    T top;
    double sum;

    template <int N>
    __device__ void take(const T (&z)[N]) {
        T most = z[0], e[N];
        for (int i = 1; i < N; ++i) most = greater(most, z[i]);
        if (most == minus_infinity<T>()) return;  // nothing to add; NaN beside it is met again when the laws are
        if (!(most <= top)) {                     // larger, or NaN
            sum *= exponential((double)top - (double)most);
            top = most;
        }
        for (int i = 0; i < N; ++i) e[i] = exponential(z[i] - top);
        sum += added(e);
    }
};

template <class T>
struct Masses {
    T tops[2 * LANES], own[2 * LANES];
    double sums[2 * LANES];

    __device__ void set(int lane, const Below<T>& p, const Below<T>& q) {
        tops[lane] = own[lane] = p.top;
        tops[LANES + lane] = own[LANES + lane] = q.top;
        sums[lane] = p.sum;
        sums[LANES + lane] = q.sum;
    }

    // the largest logits of both rows, and their masses
    __device__ Few<double, 2> join(Few<T, 2>& top) {
        top = block_reduce<Maximum, 2>(tops);
        for (int j = threadIdx.x; j < LANES; j += blockDim.x)
            for (int i = 0; i < 2; ++i)
                sums[i * LANES + j] *= exponential((double)own[i * LANES + j] - (double)top.at[i]);
        return block_reduce<Sum, 2>(sums);
    }
};

#endif
