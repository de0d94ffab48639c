// The messages of SQS and C-SQS from masses: which tokens of a row are kept, and the lattice point nearest to their law.
//
// One block a row.  The meaning is simspec/kernels/lattice/reference.py, with sums in float64: counts differ from it only
// where rounding decides a tie, as simspec/kernels/lattice/__init__.py error_bound says.
#include "select.h"

// how many masses of a row are negative, infinite or NaN, and how many are at least the edge
template <class T>
__device__ Few<double, 2> look(const T* q, i64 vocab, double edge, double* lanes) {
    return fold<Sum, 2>(vocab, lanes, [=](i64 x) {
        const double bad = q[x] >= 0 && q[x] < -minus_infinity<T>() ? 0.0 : 1.0;
        return Few<double, 2>{{bad, q[x] >= edge ? 1.0 : 0.0}};
    });
}

// counts of the k kept tokens that sum to the resolution, and their mass; not touched where that is no positive number
template <class T>
__device__ void quantise(const T* q, const int* tokens, i64 k, i64 resolution, i64* counts, double* errors, double* mass,
                         double* lanes, Selection* selection) {
    const double kept = fold<Sum, 1>(k, lanes, [=](i64 i) { return Few<double, 1>{{(double)q[tokens[i]]}}; }).at[0];
    if (threadIdx.x == 0) *mass = kept;
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
    largest(k, number < k ? number : k, 8, selection, [=](i64 i) { return ordered(sign * errors[i]); },
            [=](i64 i, i64) { counts[i] += excess > 0 ? -1 : 1; });
}

// the k largest masses; mass[row]: of the kept tokens; -1 where the row has a mass that is negative, infinite or NaN
template <class T>
__device__ void top(const T* masses, i64 vocab, i64 k, i64 resolution, int* all_tokens, i64* counts, double* errors,
                    double* mass) {
    __shared__ double lanes[2 * LANES];
    __shared__ Selection selection;
    const i64 row = blockIdx.x;
    const T* q = masses + row * vocab;
    int* tokens = all_tokens + row * k;
    const double bad = look(q, vocab, 0, lanes).at[0];
    if (threadIdx.x == 0) mass[row] = -1;
    if (bad > 0) return;
    largest(vocab, k, sizeof(T), &selection, [=](i64 x) { return ordered(q[x]); },
            [=](i64 x, i64 place) { tokens[place] = (int)x; });
    quantise(q, tokens, k, resolution, counts + row * k, errors + row * k, mass + row, lanes, &selection);
}

// kept[row]: how many masses are at least edges[row], at least keep_top; -1 where a mass is negative, infinite or NaN
template <class T>
__device__ void count(const T* masses, i64 vocab, const double* edges, i64 keep_top, i64* kept) {
    __shared__ double lanes[2 * LANES];
    const Few<double, 2> found = look(masses + blockIdx.x * vocab, vocab, edges[blockIdx.x], lanes);
    const i64 enough = (i64)found.at[1];
    if (threadIdx.x == 0) kept[blockIdx.x] = found.at[0] > 0 ? -1 : enough < keep_top ? keep_top : enough;
}

// the masses that `count` counted, of row r in places offsets[r] .. offsets[r + 1] - 1; mass[r] stays where there are none
template <class T>
__device__ void above(const T* masses, i64 vocab, const i64* offsets, i64 resolution, int* tokens, i64* counts,
                      double* errors, double* mass) {
    __shared__ double lanes[2 * LANES];
    __shared__ Selection selection;
    const i64 row = blockIdx.x, first = offsets[row], k = offsets[row + 1] - first;
    const T* q = masses + row * vocab;
    if (k == 0) return;
    // masses at least an edge are the largest, and none is left out of equal ones
    largest(vocab, k, sizeof(T), &selection, [=](i64 x) { return ordered(q[x]); },
            [=](i64 x, i64 place) { tokens[first + place] = (int)x; });
    quantise(q, tokens + first, k, resolution, counts + first, errors + first, mass + row, lanes, &selection);
}

#define TOP(T) const T *masses, i64 vocab, i64 k, i64 resolution, int *tokens, i64 *counts, double *errors, double *mass
#define COUNT(T) const T *masses, i64 vocab, const double *edges, i64 keep_top, i64 *kept
#define ABOVE(T)                                                                                                     \
    const T *masses, i64 vocab, const i64 *offsets, i64 resolution, int *tokens, i64 *counts, double *errors, double *mass

KERNEL(top_f32, TOP(float)) { top(masses, vocab, k, resolution, tokens, counts, errors, mass); }

KERNEL(top_f64, TOP(double)) { top(masses, vocab, k, resolution, tokens, counts, errors, mass); }

KERNEL(count_f32, COUNT(float)) { count(masses, vocab, edges, keep_top, kept); }

KERNEL(count_f64, COUNT(double)) { count(masses, vocab, edges, keep_top, kept); }

KERNEL(above_f32, ABOVE(float)) { above(masses, vocab, offsets, resolution, tokens, counts, errors, mass); }

KERNEL(above_f64, ABOVE(double)) { above(masses, vocab, offsets, resolution, tokens, counts, errors, mass); }
