// The message of SQS from masses: the k largest of each row and the lattice point nearest to their law; one block a row.
//
// The meaning is simspec/kernels/lattice_reference.py quantise_top, with sums in float64: counts differ from it only where
// rounding decides a tie, as simspec/kernels/lattice.py error_bound says.
#include "select.h"

// mass[row]: of the kept tokens; -1 where the row has a mass that is negative, infinite or NaN
template <class T>
__device__ void top(const T* masses, i64 vocab, i64 k, i64 resolution, int* all_tokens, i64* all_counts, double* all_errors,
                    double* mass) {
    __shared__ double lanes[LANES];
    __shared__ Selection selection;
    const T* q = masses + blockIdx.x * vocab;
    int* tokens = all_tokens + blockIdx.x * k;
    i64* counts = all_counts + blockIdx.x * k;
    double* errors = all_errors + blockIdx.x * k;  // scratch

    const double bad = fold<Sum, 1>(vocab, lanes, [=](i64 x) {
        return Few<double, 1>{{q[x] >= 0 && q[x] < -minus_infinity<T>() ? 0.0 : 1.0}};
    }).at[0];
    if (threadIdx.x == 0) mass[blockIdx.x] = -1;
    if (bad > 0) return;
    largest(vocab, k, sizeof(T), &selection, [=](i64 x) { return ordered(q[x]); },
            [=](i64 x, i64 place) { tokens[place] = (int)x; });

    const double kept = fold<Sum, 1>(k, lanes, [=](i64 i) { return Few<double, 1>{{(double)q[tokens[i]]}}; }).at[0];
    if (threadIdx.x == 0) mass[blockIdx.x] = kept;
    if (!(kept > 0 && kept < -minus_infinity<double>())) return;
    const double total = fold<Sum, 1>(k, lanes, [=](i64 i) { return Few<double, 1>{{q[tokens[i]] / kept}}; }).at[0];
    for (i64 i = threadIdx.x; i < k; i += blockDim.x) {
        const double scaled = resolution * (q[tokens[i]] / kept / total), low = floor(scaled);
        const double rounded = 2 * (scaled - low) >= 1 ? low + 1 : low;
        counts[i] = (i64)rounded;
        errors[i] = rounded - scaled;
    }
    __syncthreads();
    const double rounded = fold<Sum, 1>(k, lanes, [=](i64 i) { return Few<double, 1>{{(double)counts[i]}}; }).at[0];
    const i64 excess = (i64)rounded - resolution, number = excess < 0 ? -excess : excess;
    if (number == 0) return;
    const double sign = excess > 0 ? 1 : -1;
    largest(k, number < k ? number : k, 8, &selection, [=](i64 i) { return ordered(sign * errors[i]); },
            [=](i64 i, i64) { counts[i] += excess > 0 ? -1 : 1; });
}

#define TOP(T) const T *masses, i64 vocab, i64 k, i64 resolution, int *tokens, i64 *counts, double *errors, double *mass

KERNEL(top_f32, TOP(float)) { top(masses, vocab, k, resolution, tokens, counts, errors, mass); }

KERNEL(top_f64, TOP(double)) { top(masses, vocab, k, resolution, tokens, counts, errors, mass); }
