// Softmax laws of two rows of logits, by one block in two readings: exponentials in the type of the logits, sums in float64.
#ifndef SIMSPEC_SOFTMAX_H
#define SIMSPEC_SOFTMAX_H

#include "reduce.h"

// What turns the logits of a row into probabilities
template <class T>
struct Softmax {
    const T* logits;
    T maximum;
    double weight;  // 1 / sum of exponentials

    __device__ double operator()(i64 x) const { return exponential(logits[x] - maximum) * weight; }
};

template <class T>
struct Both {
    Softmax<T> p, q;
};

template <class T>
__device__ Both<T> softmax(const T* a, const T* b, i64 vocab, T* tops, double* sums) {
    const Few<T, 2> m = fold<Maximum, 2>(vocab, tops, [=](i64 x) { return Few<T, 2>{{a[x], b[x]}}; });
    const Few<double, 2> s = fold<Sum, 2>(vocab, sums, [=](i64 x) {
        return Few<double, 2>{{exponential(a[x] - m.at[0]), exponential(b[x] - m.at[1])}};
    });
    return {{a, m.at[0], 1 / s.at[0]}, {b, m.at[1], 1 / s.at[1]}};
}

#endif
