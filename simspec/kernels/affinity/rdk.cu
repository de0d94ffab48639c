// The first-order form of a softmax affinity: rows of (1 + (u - mean u) / temperature) / V with u = Omega v; a block a row.
//
// Omega = U diag(lam) U^T + diag(own); `right` is U transposed, so that neighbouring threads read neighbours.  All float64.
#include "reduce.h"

// scratch: (rows, rank), lam times U^T v
KERNEL(first_order, const double* batch, const double* right, const double* lam, const double* own, i64 rank, i64 vocab,
       double temperature, double* scratch, double* out) {
    __shared__ double lanes[LANES];
    const double* v = batch + blockIdx.x * vocab;
    double* factors = scratch + blockIdx.x * rank;
    double* u = out + blockIdx.x * vocab;
    for (i64 r = 0; r < rank; ++r) {
        const double* loading = right + r * vocab;
        const double s = fold<Sum, 1>(vocab, lanes, [=](i64 x) { return Few<double, 1>{{v[x] * loading[x]}}; }).at[0];
        if (threadIdx.x == 0) factors[r] = s * lam[r];
    }
    __syncthreads();
    const double sum = fold<Sum, 1>(vocab, lanes, [=](i64 x) {
        double own_u = 0;
        for (i64 r = 0; r < rank; ++r) own_u += factors[r] * right[r * vocab + x];
        u[x] = own_u + v[x] * own[x];
        return Few<double, 1>{{u[x]}};
    }).at[0];
    const double mean = sum / vocab;
    for (i64 x = threadIdx.x; x < vocab; x += blockDim.x) u[x] = (1 + (u[x] - mean) / temperature) / vocab;
}
